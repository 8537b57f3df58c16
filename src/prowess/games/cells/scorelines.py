"""Scorelines in every notation: `2-1`, `3:0 n.V.`, `1-1 (4-3 p)`, `2:1 (1:0)`, sets.

The points of a match in sets are the sets won. The winner of a shoot-out has won, and the points
are the goals before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from prowess.games.cells.outcome_words import DRAWN, LATE, SIGNED_NUMBER, SIGNED_SETS, WON
from prowess.games.errors import quote
from prowess.games.values import fold_text, is_long, lazy_pattern
from prowess.games.vocabulary import alternatives, words_for

Pair = tuple[float, float]


class Scoreline(NamedTuple):
    """What a result says: the score of the first side, and the points of both."""

    score: float
    points: Pair
    walkover: bool = False
    sets: bool = False
    shootout: bool = False
    half_time: bool = False  # whether a bracket holds an earlier score of a game that was decided
    maybe_shootout: Pair | None = None  # a bracket beside a level score that may be either
    first: str = ""  # whose points stand first beside a word such as L


OVERTIME = words_for("overtime", "overtime_of_score")
SHOOTOUT = words_for("shootout", "shootout_of_score")
RETIRED = words_for("retired")
WALKOVER = (words_for("forfeit", "walkover") | {"f"}) - RETIRED
SCORE_FILLERS = words_for("filler_of_score")
WAYS = OVERTIME | SHOOTOUT | RETIRED | WALKOVER  # in which a score came about

_NUMBER = r"\d{1,3}(?:\.\d)?"
ONE = lazy_pattern(rf"({_NUMBER}) ?[-:] ?({_NUMBER})(?![\d.])")
LIST = lazy_pattern(r"\d{1,3} ?[-:/] ?\d{1,3}(?:(?:[,;] ?| ?/ | )\d{1,3} ?[-:/] ?\d{1,3})+")
IN_LIST = lazy_pattern(r"(\d{1,3}) ?[-:/] ?(\d{1,3})")
ALONE = lazy_pattern(rf"({_NUMBER}) ?(?:-|:|x) ?({_NUMBER})")
TIE_BREAK = lazy_pattern(r"(?<=\d) ?[(\[]\d{1,2}[)\]]")
AROUND = lazy_pattern(rf"\((\d{{1,2}})\) ?({_NUMBER}) ?[-:] ?({_NUMBER}) ?\((\d{{1,2}})\)")
SHOOTOUT_BESIDE = lazy_pattern(rf"({_NUMBER}) ?\((\d{{1,2}})\) ?[-:] ?({_NUMBER}) ?\((\d{{1,2}})\)")
LED = lazy_pattern(  # `W 3-1`, `L (1:3)`, of the side that the row is of
    r"(?P<word>[^\W\d_]+)\.?[ ,:;]*(?P<open>\()?(?=\d)(?P<line>.+?)(?(open)\))"
)
# `3-1 W`, `3-1 W OT`
TRAILED = lazy_pattern(r"(?P<line>.*\d)[ ,:]+(?P<word>[a-z]+|[wl][ /-](?:ot|so))")
WORDS_FIRST = lazy_pattern(r"([a-z][a-z. ]*)[ .,:]\s*(?=\d)(.+)")  # `wo. 10-0`, `n.V. 3-2`
MATCH_TIE_BREAK = lazy_pattern(r"\[(\d{1,2} ?[-:] ?\d{1,2})\]")
BRACKET = lazy_pattern(r"[(\[]([^()\[\]]*)[)\]]")
_AGGREGATE = rf"\b(?:{alternatives('total')})\b"
OF_TWO_LEGS = lazy_pattern(  # `(agg 3-1)`, `[4-4 on aggregate, 5-4 pens]`, `, agg. 3-1`
    rf"\s*[(\[]([^()\[\]]*{_AGGREGATE}[^()\[\]]*)[)\]]|"
    rf"[\s,;]+{_AGGREGATE}[.:]?\s*\d{{1,3}} ?[-:] ?\d{{1,3}}"
)
_SHOOTOUT = alternatives("shootout", "shootout_of_score")
OF_SHOOTOUT = lazy_pattern(rf"\d{{1,2}} ?[-:] ?\d{{1,2}} ?(?:{_SHOOTOUT})\b")
WORD_IN_SCORE = lazy_pattern(r"[a-zа-я][a-zа-я.]*|\d[a-z]+")
COUNTED_PARTS = lazy_pattern(  # 2OT, 3 OT, OT2, 2x ET, 11 innings
    r"\b(?:f ?/ ?)?(?:\d{1,2}(?:st|nd|rd|th|[.x])?|double|triple) ?"
    r"(?:a?et|ots?|overtimes?|inn|innings|verl|nv|pr|prol|prorr|ts)\b|"
    r"\b(?:(?:a?et|ots?|inn) ?|f ?/ ?)[1-9]\d?\b|\bf ?/ ?ot\b"
)
OWN_WORDS = {**WON, **DRAWN}
OWN_FIRST, WINNER_FIRST = "the points of the row's own side", "the winner's points"
LEAST_OF_SET = 4  # points that win a set in every sport where two of them are enough


def parse_scoreline(text: str) -> Scoreline | None:
    """A result in points; None for what is none, or for what does not tell who won.

    >>> parse_scoreline("1:1 (4:3 n.E.)")[:2], parse_scoreline("6-4 3-6 7-6(5)")[:2]
    ((1.0, (1.0, 1.0)), (1.0, (2.0, 1.0)))
    >>> parse_scoreline("0-1 (agg 1-1; 4-2 pens)")[:2]
    (0.0, (0.0, 1.0))
    """
    if is_long(text):
        return None
    folded = _simplify(text)
    if own := _take_word(folded):
        return _orient(*own)
    if (first := WORDS_FIRST.fullmatch(folded)) and _words(first[1]) is not None:
        folded = f"{first[2]} {first[1]}"
    if (four := _numbers(AROUND, folded)) and four[1] == four[2]:
        return _after_shootout((four[1], four[2]), (four[0], four[3]))
    if (four := _numbers(SHOOTOUT_BESIDE, folded)) and four[0] == four[2]:
        return _after_shootout((four[0], four[2]), (four[1], four[3]))
    bare = TIE_BREAK.sub("", folded)
    brackets = BRACKET.findall(bare)
    body = " ".join(BRACKET.sub(" ", bare).split()).strip(" ,;")
    scores, words = _split(body)
    if scores is None or words is None:
        return None
    walkover = bool(words & WALKOVER)
    if walkover and len(scores) == 1:
        return Scoreline(_score(scores[0]), scores[0], walkover=True)
    if len(scores) > 1:
        return _several([*scores, *_match_tie_break(scores, brackets)], words)
    return _with_brackets(scores[0], words, brackets)


def parse_decided(text: str, score: float) -> Scoreline | None:
    """The points of a scoreline whose words the caller gives a score for; None for another text, or
    where the points contradict the score: 2-1 may be worth 0.75, as an overtime win is.

    >>> parse_decided("2-1 xy", 0.75).points, parse_decided("2-1 xy", 0.0)
    ((2.0, 1.0), None)
    """
    line = parse_scoreline(text)
    folded = _simplify(text)
    alone = ALONE.match(folded) if line is None else None
    if alone and not any(map(str.isdigit, folded[alone.end() :])):
        points = float(alone[1]), float(alone[2])
        line = Scoreline(score if points[0] == points[1] else _score(points), points)
    fits = line and (line.score == score or (line.score - 0.5) * (score - 0.5) > 0.0)
    return line if fits else None


def count_signed_sets(text: str) -> str | None:
    """The sets of a match told by the points of the loser of each, minus where the first side lost
    it; None for another text.

    >>> count_signed_sets("8, -9, 7, 5"), count_signed_sets("4, -8")
    ('3-1', None)
    """
    plain = text.strip().replace("−", "-")
    if not SIGNED_SETS.fullmatch(plain):
        return None
    lost = [number.startswith("-") for number in SIGNED_NUMBER.findall(plain)]
    sets = lost.count(False), lost.count(True)
    decided = max(sets) > 1 and lost.count(lost[-1]) == max(sets) > min(sets)
    return f"{sets[0]}-{sets[1]}" if decided else None


def _numbers(pattern: re.Pattern[str], folded: str) -> tuple[float, ...] | None:
    """The four numbers of a level score with a shoot-out: `(4) 1-1 (2)`, `1 (4) - 1 (2)`."""
    found = pattern.fullmatch(folded)
    return tuple(map(float, found.groups())) if found else None


def _take_word(folded: str) -> tuple[Scoreline | None, float] | None:
    """A scoreline and the score that a word before or behind it says; None without such a word."""
    for word, line in split_word(folded):
        if (score := OWN_WORDS.get(word)) is not None:
            return parse_scoreline(line), score
    return None


def split_word(folded: str) -> Iterator[tuple[str, str]]:
    """A word before or behind a scoreline, which does not only say how this came about, and the
    scoreline; also the win or loss in `OTL`.

    >>> [*split_word("w 3-1 ot")], [*split_word("3-1 w")], [*split_word("3-1 ot")]
    ([('w', '3-1 ot')], [('w', '3-1')], [])
    >>> [*split_word("otl 1-2")]
    [('otl', '1-2'), ('l', '1-2 ot')]
    """
    for pattern in (LED, TRAILED):
        if not (found := pattern.fullmatch(folded)) or (word := found["word"]) in WAYS:
            continue
        yield word, found["line"]
        if (late := LATE.fullmatch(word)) and late["word"] != word:
            yield late["word"], f"{found['line']} {'so' if 'so' in word else 'ot'}"


def _orient(line: Scoreline | None, score: float) -> Scoreline | None:
    """A scoreline of the side that a row is of, also where the winner's points stand first; None
    for a win with fewer points, which no order explains.
    """
    if line is None or (line.score == 0.5) is not (score == 0.5) or line.score < score:
        return None
    if line.score == score:
        return line._replace(first=OWN_FIRST if score == 0.0 else "")
    return line._replace(score=score, points=(line.points[1], line.points[0]), first=WINNER_FIRST)


def contradicts_word(text: str) -> bool:
    """Whether no order of its points fits the word beside a scoreline: `W 1-3`.

    >>> contradicts_word("W 1-3"), contradicts_word("L 3-1"), contradicts_word("1-3")
    (True, False, False)
    """
    own = _take_word(_simplify(text))
    return own is not None and own[0] is not None and _orient(*own) is None


def note_points_first(column: str, order: str) -> str:
    """Whose points stand first in the results of a column with words, such as `L 3-1`."""
    return f"column {quote(column)} is read with {order} first"


def _match_tie_break(scores: Sequence[Pair], brackets: Sequence[str]) -> list[Pair]:
    """The set that a match tie-break in brackets is: `6:7 7:5 [6:10]`."""
    if len(brackets) != 1 or len(scores) % 2 or len(set(_count_sets(scores))) != 1:
        return []
    found = ALONE.fullmatch(brackets[0].strip())
    return [(float(found[1]), float(found[2]))] if found else []


def parse_retired(text: str) -> Pair | None:
    """The sets that were won when a match was given up; None for another text.

    >>> parse_retired("6-4 2-1 RET")
    (1.0, 0.0)
    """
    folded = TIE_BREAK.sub("", _simplify(text))
    words = {word.replace(".", "") for word in WORD_IN_SCORE.findall(folded)}
    if not words & RETIRED:
        return None
    sets = [(float(a), float(b)) for a, b in IN_LIST.findall(folded)]
    whole = [(a, b) for a, b in sets if max(a, b) >= 6 and (abs(a - b) >= 2 or max(a, b) == 7)]
    return _count_sets(whole)


def _simplify(text: str) -> str:
    text = re.sub(r"(?<=\d)½", ".5", text).replace("½", "0.5")
    folded = fold_text(text).replace("w/o", "wo").replace("’", "'")
    folded = MATCH_TIE_BREAK.sub(r" \1", OF_TWO_LEGS.sub(_keep_shootout, folded))
    return re.sub(r"(\d),5(?=\s*[-:]|$|\s*[a-z(])", r"\1.5", folded)


def _keep_shootout(aggregate: re.Match[str]) -> str:
    """What stays of a bracket with the score of two legs: the shoot-out after a level one."""
    before = ALONE.match(aggregate.string)
    shootout = OF_SHOOTOUT.search(aggregate[1] or "")
    level = before and float(before[1]) == float(before[2])
    return f" ({shootout[0]})" if shootout and level else ""


def _split(body: str) -> tuple[list[Pair] | None, frozenset[str] | None]:
    """The scorelines of a text without brackets, and its words; None where some are unknown."""
    if LIST.match(body):
        scores = [(float(a), float(b)) for a, b in IN_LIST.findall(body)]
        rest = IN_LIST.sub(" ", body)
    elif alone := ALONE.match(body):
        scores = [(float(alone[1]), float(alone[2]))]
        rest = body[alone.end() :]
        scores += [(float(a), float(b)) for a, b in ONE.findall(rest)]
        rest = ONE.sub(" ", rest)
    else:
        return None, None
    return scores, _words(rest)


def _words(rest: str) -> frozenset[str] | None:
    """The words that stand beside scorelines, None where one is not known."""
    rest = COUNTED_PARTS.sub(" ot ", rest)
    if re.search(r"\d(?![a-z])", rest):
        return None
    found = {word.replace(".", "") for word in WORD_IN_SCORE.findall(rest)}
    if WORD_IN_SCORE.sub("", rest).strip(" .,;-/'"):
        return None
    return frozenset(found) if found <= WAYS | SCORE_FILLERS else None


def _score(points: Pair) -> float:
    a, b = points
    return 0.5 * ((a > b) + 1.0 - (a < b))


def _several(scores: Sequence[Pair], words: frozenset[str]) -> Scoreline | None:
    """Several scorelines: sets, or a level score and the shoot-out behind it."""
    if words & SHOOTOUT and _score(scores[0]) == 0.5 and _score(scores[-1]) != 0.5:
        return Scoreline(_score(scores[-1]), scores[0], shootout=True)
    if words & (RETIRED | SHOOTOUT | WALKOVER):
        return None  # who retired is not told
    return _sets(scores)


def _sets(scores: Sequence[Pair]) -> Scoreline | None:
    """A match by its sets, None where they are none or are level."""
    if any(a == b for a, b in scores):
        return None
    lost = all(a < 10.0 and b - a > 2.0 for a, b in scores)
    if len(scores) == 2 and lost and scores[0][1] != scores[1][1]:
        return None  # sets end with one number of points; 1-12 0-14 may be goals and points
    least = LEAST_OF_SET if len(scores) < 3 else 3
    last = scores[-1]
    counted = len(scores) > 2 and max(last) == 1.0 and len(set(_count_sets(scores[:-1]))) == 1
    if any(max(pair) < least for pair in (scores[:-1] if counted else scores)):
        return None
    won = _count_sets(scores)
    return None if won[0] == won[1] else Scoreline(_score(won), won, sets=True)


def _with_brackets(main: Pair, words: frozenset[str], brackets: Sequence[str]) -> Scoreline | None:
    """One scoreline and what stands in brackets behind it."""
    plain = Scoreline(_score(main), main)
    inner: list[Pair] = []
    of_shootout: Pair | None = None
    for bracket in brackets:
        own = _words(bracket)
        found: list[Pair] | None = []
        if own is None:
            found, own = _split(bracket.strip())
        if found is None or own is None:
            found, own = _words_first(bracket)
        if found is None or own is None:
            return None
        if own & WALKOVER and not found:
            return plain._replace(walkover=True)
        if own & SHOOTOUT and len(found) == 1:
            of_shootout = found[0]
        elif own & SHOOTOUT and not found:
            words |= own
        else:
            inner += found
    if words & RETIRED:
        return None
    if of_shootout is not None:
        return _after_shootout(main, of_shootout)
    if words & SHOOTOUT:
        return _marked_shootout(main, inner)
    if not inner:
        return plain
    if len(inner) > 1 and _count_sets(inner) == main:
        return plain._replace(sets=True)
    if all(a <= main[0] and b <= main[1] for a, b in inner):
        level = _score(main) == 0.5
        open_ = level and len(inner) == 1 and _score(inner[0]) != 0.5
        return plain._replace(half_time=not level, maybe_shootout=inner[0] if open_ else None)
    if _score(main) == 0.5 and len(inner) == 1 and _score(inner[0]) != 0.5:
        return Scoreline(_score(inner[0]), main, shootout=True)
    return None


def _words_first(bracket: str) -> tuple[list[Pair] | None, frozenset[str] | None]:
    """`p 4-3`, `ht 1-0`."""
    found = [(float(a), float(b)) for a, b in ONE.findall(bracket)]
    return (found, _words(ONE.sub(" ", bracket))) if found else (None, None)


def _count_sets(scores: Sequence[Pair]) -> Pair:
    return float(sum(a > b for a, b in scores)), float(sum(a < b for a, b in scores))


def _after_shootout(main: Pair, shootout: Pair) -> Scoreline | None:
    """A score and that of the shoot-out, which may be part of it."""
    if _score(shootout) == 0.5:
        return None
    if _score(main) == 0.5:
        return Scoreline(_score(shootout), main, shootout=True)
    before = main[0] - shootout[0], main[1] - shootout[1]
    if min(before) >= 0.0 and before[0] == before[1]:
        return Scoreline(_score(main), before, shootout=True)
    return None


def _marked_shootout(main: Pair, inner: Sequence[Pair]) -> Scoreline | None:
    """`4:2 n.E. (1:1, 1:1, 0:1)`: the score holds the shoot-out, a bracket the goals before it."""
    if _score(main) != 0.5:
        level = next((pair for pair in inner if _score(pair) == 0.5), main)
        return Scoreline(_score(main), level, shootout=True)
    if len(inner) == 1 and _score(inner[0]) != 0.5:
        return Scoreline(_score(inner[0]), main, shootout=True)
    return None
