"""Cells that hold several things: lists of names, names with points or ratings, both players of a
game, sentences with a winner, results with the marks of footnotes.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.cells.outcome_words import DRAWN, NOT_PLAYED, WALKOVERS, reason_not_played
from prowess.games.cells.scorelines import OVERTIME, SHOOTOUT, parse_scoreline
from prowess.games.columns import Chunk, InputTable, Values, as_name
from prowess.games.errors import InvalidValue, quote
from prowess.games.layout import NONE
from prowess.games.names import is_bye
from prowess.games.roles.evidence import (
    MOST_FIT,
    is_clock,
    is_outcome,
    is_scoreline,
    is_word,
)
from prowess.games.roles.pairs import find_points_of_both, has_players, has_result
from prowess.games.shapes.operators import (
    DerivedColumn,
    derive_columns,
    derive_role,
)
from prowess.games.values import fold_text, is_missing, lazy_pattern, plain_word
from prowess.games.vocabulary import alternatives, read_heading, words_for

if TYPE_CHECKING:
    from prowess.games.layout import Layout
    from prowess.games.roles.headings import Headings


# Cells that are the text of a list: `["Ben", "Cleo"]`, as files without lists keep them.


_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
QUOTED = re.compile(_QUOTED)
OF_QUOTED = re.compile(rf"\s*{_QUOTED}(?:[\s,]+{_QUOTED})*\s*,?\s*")  # no commas in those of NumPy
LIST_BRACKETS = {"[": "]", "(": ")", "{": "}"}
MOST_LISTS = 0.5  # of the cells are lists; others may be single names
ESCAPED = lazy_pattern(r"\\(.)")


def split_list_texts(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with lists where all texts of a column are those of lists of names; None where no
    column holds such texts.
    """
    rows = headings.evidence.rows
    columns = {name for name, cells in rows.items() if _are_lists(cells)}
    if not columns:
        return None

    return derive_columns(table, {name: DerivedColumn((name,), _split) for name in columns}, {})


def _are_lists(cells: Sequence[Any]) -> bool:
    """Whether most filled cells are texts of lists of names."""
    first = next((cell for cell in cells if not is_missing(cell)), None)
    if not isinstance(first, str) or first.lstrip()[:1] not in LIST_BRACKETS:
        return False
    filled = [cell for cell in cells if not is_missing(cell)]
    lists = [cell for cell in filled if isinstance(cell, str) and read_list(cell)]
    quoted = any(QUOTED.search(text) or "," in text for text in lists)  # not tags such as {XY}
    return quoted and MOST_LISTS * len(filled) <= len(lists)


def read_list(text: str) -> list[str] | None:
    """The names of the text of a list; None for another text.

    >>> read_list("['Ben' 'Cleo']"), read_list("{Ben,Cleo}"), read_list("[[A]]"), read_list("[1]")
    (['Ben', 'Cleo'], ['Ben', 'Cleo'], None, None)
    """
    text = text.strip()
    if len(text) < 2 or LIST_BRACKETS.get(text[0]) != text[-1]:
        return None
    import json

    inside = text[1:-1]
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, list):
        return found if found and all(isinstance(each, str) for each in found) else None
    if OF_QUOTED.fullmatch(inside):
        return [ESCAPED.sub(r"\1", each[1:-1]) for each in QUOTED.findall(inside)]
    names = [name.strip() for name in inside.split(",")]
    bare = text[0] != "(" and not set("[](){}'\"") & {*inside}
    return names if bare and all(map(is_word, names)) else None


def _split(cell: Any) -> Any:
    if not isinstance(cell, str) or cell.lstrip()[:1] not in LIST_BRACKETS:
        return cell
    if (found := read_list(cell)) is None:
        raise InvalidValue.of("not_a_list_of_names", text=cell)
    return found


# Names with their points in brackets: `Spirit (13)`, `Ann (87)`.


NAME_POINTS = lazy_pattern(
    r"(?P<name>.*[^\W\d_].*?)\s*[\[(]\s*(?P<points>[-−]?\d{1,3}(?:[.,]\d{1,2})?)\s*[\])]"
)


RATINGS_FROM = 300.0  # numbers from here on may be ratings


def parse_name_points(cell: Any) -> tuple[str, str]:
    """The name and the points of a cell; raises InvalidValue.

    >>> parse_name_points("Spirit (13)")
    ('Spirit', '13')
    """
    found = NAME_POINTS.fullmatch(str(cell).strip())
    if found is None:
        raise InvalidValue.of("not_a_name_with_points", text=cell)
    return found["name"].strip(), found["points"].replace("−", "-")


def hold_points(columns: Sequence[Sequence[Any]]) -> bool:
    """Whether all cells of columns are names with numbers that vary, as seeds do not, and are
    no ratings.
    """
    pairs = set()
    for cell in chain(*columns):
        if is_missing(cell):
            continue
        if NAME_POINTS.fullmatch(text := str(cell).strip()) is None:
            return False
        pairs.add(parse_name_points(text))
    if not pairs or min(float(points.replace(",", ".")) for _, points in pairs) >= RATINGS_FROM:
        return False
    return 2 * len(pairs) >= 3 * len({name for name, _ in pairs})


def split_name_points(table: InputTable, headings: Headings, *pair: str) -> InputTable | None:
    """The table with columns for the names and the points of both sides; None for others."""
    if not hold_points([headings.evidence.rows[name] for name in pair]) or has_result(
        headings, *pair
    ):
        return None
    note = f"columns {' and '.join(map(quote, pair))} hold names with their points in brackets"
    made = replace(table, notes=(*table.notes, note))
    for side, heading in zip("ab", pair, strict=True):
        for at, (role, what) in enumerate((("player", "name"), ("score", "points"))):
            read = partial(_part_of_name_points, at=at)
            made = derive_role(made, f"{role}_{side}", f"{heading}, {what}", [heading], read)
    return made


def _part_of_name_points(cell: Any, at: int) -> str:
    return parse_name_points(cell)[at]


# Results in sentences that begin with a side: `Melton won by 6 wickets`, `Syston conceded`.


WON, LOST, CONCEDED = words_for("beats"), words_for("loses"), words_for("concedes")
MATCH_WORDS = words_for("match")


def read_sentences(table: InputTable, headings: Headings, a: str, b: str) -> InputTable | None:
    """The table with a column of winners made of sentences; None for another table.

    Scores beside them that are no numbers, such as 187/6 in cricket, are not used.
    """
    rows = headings.evidence.rows
    found = [
        name for name in headings.names
        if name not in {a, b}
        and any(" " in str(cell).strip() for cell in rows[name][:20])
        and _are_sentences(zip(rows[name], rows[a], rows[b], strict=True))
    ]  # fmt: skip
    if len(found) != 1:
        return None
    told = found[0]
    points = find_points_of_both(headings, "result", a, b)
    if points and any(headings.evidence[name].points < MOST_FIT for name in points):
        table = replace(table, roles={**table.roles, "score_a": (NONE,), "score_b": (NONE,)})

    def name_winner(cell: Any, one: Any, other: Any) -> Any:
        return cell if is_missing(cell) else _winner_of(str(cell), str(one), str(other)) or cell

    return derive_role(table, "winner", f"{told}, winner", [told, a, b], name_winner)


def _are_sentences(rows: Any) -> bool:
    """Whether cells tell of their games who won, and some of them for each side."""
    wins = set()
    for cell, one, other in rows:
        if is_missing(cell):
            continue
        sides = str(one), str(other)
        winner = _winner_of(str(cell), *sides)
        if winner is None:
            return False
        if winner in sides:
            wins.add(winner == sides[0])
    return len(wins) == 2


def _winner_of(text: str, one: str, other: str) -> str | None:
    """The winner of a sentence, or the word for a draw or for a game that was not played."""
    folded = " ".join(fold_text(text).split())
    for side, opponent in sorted(((one, other), (other, one)), key=lambda each: -len(each[0])):
        name = " ".join(fold_text(side).split())
        if name and folded.startswith(f"{name} "):
            verb = re.split(r"[\s.,]+", folded[len(name) :].strip())[0]
            if verb in CONCEDED:
                return "walkover"
            if is_bye(folded.split()[-1]):
                return "bye"
            return side if verb in WON else opponent if verb in LOST else None
    words = [word for word in re.split(r"[\s,.;:()-]+", folded) if word not in MATCH_WORDS and word]
    words = [word for word in words if not word.isdigit()]  # 1-1-1 Draw
    if not words:
        return None
    if plain_word(words[0]) in DRAWN:
        return "draw"
    for text_of in (folded, " ".join(words[:2]), words[0]):
        if reason_not_played(text_of):
            return text_of
    return None


# Cells that hold both players of a game: `Ann vs Ben`, `Ann beat Ben 3-1`.


_POINTS_OF_SIDE = r"(?:1/2|[0-9]{1,3}(?:[.,][05])?½?|½)"
_SCORE = rf"(?<![0-9])(?P<score>{_POINTS_OF_SIDE}\s?[-–—−:x×]\s?{_POINTS_OF_SIDE})(?![0-9])"
_EXTRA_TIME = r"n\.? ?V\.?|n\.? ?E\.?|i\.? ?E\.?|a\.?e\.?t\.?|a\.?p\.?|d\.?t\.?s\.?"
_TAIL = rf"(?P<tail>\s*\([^()]*\)|\s+(?:{_EXTRA_TIME}))?"
_VERSUS = rf"vs?\.|{alternatives('versus')}"
_WON = rf"def\.|bt\.|{alternatives('defeats')}"
_LOST = alternatives("loses_to")
_DREW = alternatives("draws_with")
_ENDING = r"(?P<rest>[\s,]+(?:in|by|after|with|on|nach|mit|en|con|per|op|w|po|,|\(|\d).*)?"
EMBEDDED = lazy_pattern(rf"(?P<a>.+?)\s+{_SCORE}{_TAIL}\s+(?P<b>.+)")
BESIDE = lazy_pattern(
    rf"(?P<a>.+?)\s+(?P<x>{_POINTS_OF_SIDE})\s*(?:[-–—:,;]|vs?\.?)\s*(?P<b>.+?)\s+(?P<y>{_POINTS_OF_SIDE})"
)
RESULT_BEHIND = lazy_pattern(  # the result behind both names, or sets
    rf"(?P<a>.+?)\s+(?:{_VERSUS}|[-–—−:/])\s+(?P<b>.+?)[\s:,]+"
    rf"(?P<score>(?<![0-9]){_POINTS_OF_SIDE}\s?[-–—−:]\s?{_POINTS_OF_SIDE}"
    rf"(?:[,;]?\s+{_POINTS_OF_SIDE}[-–:]{_POINTS_OF_SIDE})*)(?![0-9]){_TAIL}",
    re.IGNORECASE,
)
EACH = lazy_pattern(  # a number behind each name, or P for a game that was postponed
    r"(?P<a>[^\d]+?)\s+(?P<x>\d{1,3}|[PA])\s+(?P<b>[^\d]+?)\s+(?P<y>\d{1,3}|[PA])"
)
_VERBS = rf"(?P<won>{_WON})|(?P<lost>{_LOST})|(?P<drew>{_DREW})"
SENTENCE = lazy_pattern(
    rf"(?P<a>.+?)\s+(?:{_VERBS})\s+(?P<b>.+?)(?:[\s,]+{_SCORE})?{_ENDING}", re.IGNORECASE
)
SEPARATORS = (  # between two names, the first that fits all cells is taken
    rf"\s+(?P<word>{_VERSUS})\s+", r"\s+[-–—−]\s+", r"\s*[–—]\s*", r"\s+/\s+", r"\s+:\s+", r"-",
    r"\s*/\s*",
)  # fmt: skip
GAME_PATTERNS = (EMBEDDED, SENTENCE, BESIDE, RESULT_BEHIND, EACH)  # with their results
AT_PLACE = lazy_pattern(r"@|at|en casa de", re.IGNORECASE)


# sets
FURTHER_SETS = lazy_pattern(rf"(?<![0-9])({_POINTS_OF_SIDE}[-–:]{_POINTS_OF_SIDE})(?![0-9])")
WORDS_OF_SCORES = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}

SENTENCES = "column 1"  # how the lines of a text are called
HALF_OF_CELLS = 0.5  # of the cells of such a column, at least, are texts that are no results


class Matchup(NamedTuple):
    """What a cell says: both players, who is at home, and what a pattern found in it."""

    a: str
    b: str
    side: int  # 1: the first is at home, -1: the second is
    parts: dict[str, str | None]


class MatchupForm(NamedTuple):
    """How the cells of a column are written; the patterns are tried one after the other."""

    patterns: tuple[re.Pattern[str], ...]
    sides: tuple[int, int] = (0, 0)  # of a cell without `@`, and of one with it

    def split_names(self, cell: Any) -> Matchup:
        """The players of a cell; raises InvalidValue where it does not name two."""
        text = " ".join(str(cell).split()) if not is_missing(cell) else ""
        for pattern in self.patterns:
            found = pattern.fullmatch(text)
            if found is None:
                continue
            parts = found.groupdict()
            word = parts.get("word") or ""
            side = self.sides[bool(word and AT_PLACE.fullmatch(word))]
            return Matchup(parts["a"].strip(), parts["b"].strip(), side, parts)
        raise InvalidValue.of("not_two_players", text=text)

    def find_result(self, cell: Any) -> str | None:
        """The result that a cell holds beside its players; raises InvalidValue."""
        return _result(self.split_names(cell).parts)


def _result(parts: dict[str, str | None]) -> str | None:
    """The result of what a pattern found in a cell; raises InvalidValue."""
    if verb := parts.get("won") or parts.get("lost") or parts.get("drew"):
        return _result_of_verb(verb, parts)
    if x := parts.get("x"):
        return f"{x}-{parts['y']}" if x[-1].isdigit() or x[-1] == "½" else "postponed"
    score, tail = parts.get("score"), parts.get("tail")
    joined = " ".join(filter(None, (score, (tail or "").strip())))
    return joined or None


def _result_of_verb(verb: str, parts: dict[str, str | None]) -> str:
    """The result that a verb tells, with the points behind it: those of the winner may stand first
    where the first player lost. Raises InvalidValue where they contradict the verb.
    """
    told = 1.0 if parts.get("won") else 0.0 if parts.get("lost") else 0.5
    lines = [parts.get("score") or "", *FURTHER_SETS.findall(parts.get("rest") or "")]
    line = " ".join(filter(None, lines))
    points = parse_scoreline(line) if line else None
    if points is None:
        return WORDS_OF_SCORES[told]
    if points.score == told:
        return line
    if told == 0.0 and points.score == 1.0:
        return re.sub(r"(\S+?)\s?[-–—−:x×]\s?(\S+)", r"\2-\1", line)
    raise InvalidValue.of("verb_contradicts", text=line, verb=verb)


def split_matchups(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with a column for each player, where one column names both; None for others."""
    found = []
    for name in headings.names:
        heading = read_heading(name)
        if heading.spoiled or heading.subjects & {"date", "clock", "season", "league"}:
            continue
        column = headings.evidence[name]
        if column.words < HALF_OF_CELLS:
            continue
        if column.filled * 2 > column.rows and (form := find_form(name, column.texts)):
            found.append((name, form))
    if len(found) != 1:
        return None
    name, form = found[0]
    if has_players(headings) and "word" not in form.patterns[0].groupindex:
        return None  # contests, of which only `LAL @ NYK` says more
    if len(table.names) == 1 and form.patterns[0].fullmatch(" ".join(name.split())):
        table, name = _with_first_line(table, name), SENTENCES
    return _split_column(table, name, form)


def _with_first_line(table: InputTable, name: str) -> InputTable:
    """The table of a text without headings, whose first line is a game as well."""

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        line = table.heading or 1
        yield Chunk({each: Values([name]) for each in wanted}, 1, lambda _: line)
        for chunk in table.chunks([name]):
            column = chunk.columns[name]
            yield replace(chunk, columns=dict.fromkeys(wanted, column))

    return replace(table, names=[SENTENCES], chunks=chunks, beginning=None)


def _split_column(table: InputTable, name: str, form: MatchupForm) -> InputTable:
    parts: list[tuple[str, str, Callable[[Any], Any]]] = [
        ("player_a", "first", lambda cell: form.split_names(cell).a),
        ("player_b", "second", lambda cell: form.split_names(cell).b),
    ]
    if {"score", "x"} & form.patterns[0].groupindex.keys():
        parts.append(("result", "result", form.find_result))
    if form.sides not in {(0, 0), (1, 1)}:
        parts.append(("side", "side", lambda cell: form.split_names(cell).side))
    made = replace(table, notes=(*table.notes, f"column {quote(name)} holds both players"))
    for role, what, read in parts:
        made = derive_role(made, role, f"{name}, {what}", [name], read)
    return replace(made, side="a") if form.sides == (1, 1) else made


def find_form(heading: str, texts: Sequence[str]) -> MatchupForm | None:
    """How both players stand in cells under this heading; None where they do not."""
    different = list(dict.fromkeys(texts))
    home = home_side(heading)
    versus = [_join_names(separator) for separator in SEPARATORS]
    for pattern in GAME_PATTERNS:
        if _matches(different, pattern) < MOST_FIT:
            continue
        if pattern in (BESIDE, EACH) and not _numbers_vary(different, pattern):
            continue
        if pattern is RESULT_BEHIND and _are_clocks(different):
            continue
        others = next((each for each in versus if _matches_rest(different, pattern, each)), None)
        patterns = (pattern, *([others] if others else []))
        if _is_of_players(heading, different, patterns):
            return MatchupForm(patterns, (home, home))
    for pattern in versus:
        if _matches(different, pattern) == 1.0 and _is_of_players(heading, different, (pattern,)):
            words = {
                str(found["word"]).casefold()
                for text in different
                if (found := pattern.fullmatch(text)) and "word" in pattern.groupindex
            }
            at = {word for word in words if AT_PLACE.fullmatch(word)}
            plain = 1 if at and words != at else home
            return MatchupForm((pattern,), (plain, -1) if at else (home, home))
    return None


def _join_names(separator: str) -> re.Pattern[str]:
    """Two names with a separator between them, and something in brackets behind."""
    lone = separator == "-"
    name = r"[^-]+?" if lone else r".+?"
    return lazy_pattern(
        rf"(?P<a>{name}){separator}(?P<b>{name})(?P<tail>\s*\([^()]*\))?", re.IGNORECASE
    )


def home_side(heading: str) -> int:
    """1 where a heading such as `Heim - Gast` names the home side or White first, -1 second."""
    words = [read_heading(word).sides for word in read_heading(heading).words]
    for home, away in (("home", "away"), ("white", "black")):
        at = [next((i for i, sides in enumerate(words) if s in sides), -1) for s in (home, away)]
        if min(at) >= 0:
            return 1 if at[0] < at[1] else -1
    return 0


def _matches(texts: Sequence[str], pattern: re.Pattern[str]) -> float:
    """The share of texts that a pattern fits."""
    return sum(pattern.fullmatch(text) is not None for text in texts) / len(texts)


def _matches_rest(texts: Sequence[str], first: re.Pattern[str], other: re.Pattern[str]) -> bool:
    """Whether the other pattern fits the texts that the first does not fit, of which there are."""
    rest = [text for text in texts if not first.fullmatch(text)]
    return bool(rest) and _matches(rest, other) == 1.0


def _are_clocks(texts: Sequence[str]) -> bool:
    """Whether all results behind both names may be times of the day, as in a list of fixtures."""
    found = [match for text in texts if (match := RESULT_BEHIND.fullmatch(text))]
    return all(is_clock(match["score"]) for match in found)


def _numbers_vary(texts: Sequence[str], pattern: re.Pattern[str]) -> bool:
    """Whether the numbers behind names are scores: those of a club such as Mainz 05 are one."""
    found = [match for text in texts if (match := pattern.fullmatch(text))]
    numbered = {(each["a"], each["x"]) for each in found} | {(e["b"], e["y"]) for e in found}
    return len(numbered) > len({name for name, _ in numbered})


def _is_of_players(heading: str, texts: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> bool:
    """Whether what stands on both sides are players: the heading says so, or sides share names."""
    form = MatchupForm(tuple(patterns))
    pairs = []
    for text in texts:
        try:
            pairs.append(form.split_names(text))
        except InvalidValue:
            if len(patterns) == 1:
                return False
    meaning = read_heading(heading)
    if home_side(heading) or "match" in meaning.subjects:
        return True
    first, second = {pair.a.casefold() for pair in pairs}, {pair.b.casefold() for pair in pairs}
    both = len(first & second)
    return both >= 2 or both * 2 >= min(len(first), len(second))


# Marks at names that are no part of them: ratings and records that stand at nearly every name and
# change, as of `Olga Fern (1812)` and `Olga Fern (1804)`, who are one player.


_RATING = r"(?:(?:elo|dwz|rtg|rating|r)\W{0,2})?(?P<rating>[1-9]\d{2,3})\??(?:\s?(?:elo|dwz))?"
RATED = lazy_pattern(
    rf"(?P<name>.*?\S)\s*[\[(]\s*{_RATING}\s*[\])]|(?P<bare>\D*[^\W\d]\D*?)\s+(?P<number>\d{{4}})",
    re.IGNORECASE,
)
RECORD_OF_GAMES = lazy_pattern(
    r"(?P<name>.*?\S)\s*[\[(]\s*\d{1,3}[-–:]\d{1,3}(?:[-–:]\d{1,3})?\s*[\])]"
)
NAMES_TRIED = 20  # rows that tell whether names may have such marks
NEARLY_ALL = 0.8  # of the names have such a mark
MOST_RUNS = 1.5  # of one mark of a player, on average: the levels of a program come back often
RATING_STEP = 200.0  # by which a rating may change from one game of a player to the next


def take_off_marks(table: InputTable, headings: Headings, layout: Layout) -> InputTable | None:
    """The table with names without their ratings or records, where these change for one player;
    None for a table without such marks, or where they tell two players apart.
    """
    if headings.options.teams is not None:
        return None
    if not any(map(_may_be_marked, headings.evidence.rows.values())):
        return None
    sides = [layout.player] if layout.kind == "contests" else [layout.a, layout.b]
    rows = headings.evidence.rows
    if layout.sides or not all(name in rows for name in sides):
        return None
    names = [[as_name(cell) for cell in rows[name]] for name in sides]
    kind = next(
        (what for what, form in KINDS.items() if _changes(form, names, what == "ratings")), None
    )
    if kind is None:
        return None
    form = KINDS[kind]
    columns = [*sides, *([layout.result] if layout.form == "winner" else [])]
    example = next(name for column in names for name in column if form.fullmatch(name))
    note = (
        f"{kind} at names are taken off: {quote(example)} is {quote(_bare_name(form, example))} "
        '(teams="names", --teams names, keeps them)'
    )
    derived = {name: DerivedColumn((name,), partial(_bare_name, form)) for name in columns}
    made = derive_columns(table, derived, {}, notes=[note])
    return replace(made, details={**table.details, **dict.fromkeys(sides, f"without {kind}")})


def _may_be_marked(cells: Sequence[Any]) -> bool:
    """Whether most of the first cells of a column have such a mark."""
    first = [cell for cell in cells[:NAMES_TRIED] if isinstance(cell, str)]
    marked = sum(bool(RATED.fullmatch(text) or RECORD_OF_GAMES.fullmatch(text)) for text in first)
    return 2 * marked > len(first)


KINDS = {"ratings": RATED, "records": RECORD_OF_GAMES}


def _bare_name(form: re.Pattern[str], cell: Any) -> Any:
    found = form.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if found is None:
        return cell
    return found["name"] or found.groupdict().get("bare")


def _changes(form: re.Pattern[str], names: Sequence[Sequence[str]], rated: bool) -> bool:
    """Whether such marks stand at nearly all names, and change for most players of several games,
    who never meet another of their name.
    """
    marked = [name for column in names for name in column if form.fullmatch(name)]
    if not marked or len(marked) < NEARLY_ALL * sum(map(len, names)):
        return False
    met = [tuple(str(_bare_name(form, name)).casefold() for name in row)
           for row in zip(*names, strict=True)]  # fmt: skip
    if any(len({*row}) < len(row) for row in met):
        return False
    seen: dict[str, list[str]] = defaultdict(list)
    for row, bare in zip(zip(*names, strict=True), met, strict=True):
        for name, player in zip(row, bare, strict=True):
            seen[player].append(name)
    several = [each for each in seen.values() if len(each) > 1]
    different = sum(len({*each}) for each in several)
    runs = sum(1 + sum(a != b for a, b in pairwise(each)) for each in several)
    if 2 * sum(len({*each}) > 1 for each in several) < max(len(several), 1):
        return False
    if runs > MOST_RUNS * different:
        return False
    steps = [abs(a - b) for each in several for a, b in pairwise(_ratings(each))]
    return not rated or max(steps, default=0.0) <= RATING_STEP


def _ratings(names: Sequence[str]) -> list[float]:
    found = [match for name in names if (match := RATED.fullmatch(name))]
    return [float(each["rating"] or each["number"]) for each in found]


# Marks behind results, such as `2:0*`, that a note below the table explains.


NOTE = lazy_pattern(r"(?P<mark>[*†‡§¹²³⁴]+|[1-9a-d]\))[\s:=-]*(?P<text>\S.*)")
SHORT_NOTE = 2  # letters of words such as `na`, which mean something else in a sentence
MARKED_CELL = lazy_pattern(r"(?P<result>.*[^\s*†‡§¹²³⁴])\s*(?P<mark>[*†‡§¹²³⁴]+|(?<=\s)[1-9a-d]\))")


def read_footnotes(texts: Sequence[str]) -> dict[str, str]:
    """The notes below a table by their marks.

    >>> read_footnotes(["* kampflos gewertet", "Stand: 1.5.2024"])
    {'*': 'kampflos gewertet'}
    """
    found = (NOTE.fullmatch(text.strip()) for text in texts)
    return {match["mark"]: match["text"] for match in found if match}


def explain_marks(table: InputTable) -> InputTable:
    """The table with results that say in words what a note below the table says of their marks."""
    explain = partial(_explain, footnotes=table.footnotes)
    said: dict[str, None] = {}
    derived: dict[str, DerivedColumn] = {}
    for name, cells in table.sample(sys.maxsize).items():
        for cell in cells:
            if found := _marked_result(cell, table.footnotes):
                derived[name] = DerivedColumn((name,), explain)
                note = table.footnotes[found["mark"]]
                said[f"{quote(cell)} is read as {quote(explain(cell))}, as the "
                     f"note {quote(note)} explains"] = None  # fmt: skip
    return derive_columns(table, derived, {}, notes=[*said])


def _marked_result(cell: Any, footnotes: Mapping[str, str]) -> re.Match[str] | None:
    """The result and the mark of a cell, None for another cell."""
    found = MARKED_CELL.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if found is None or found["mark"] not in footnotes:
        return None
    return found if is_scoreline(found["result"]) or is_outcome(found["result"]) else None


def _explain(cell: Any, footnotes: Mapping[str, str]) -> Any:
    """The result with the word of the note that matters, or alone where none does."""
    found = _marked_result(cell, footnotes)
    if found is None:
        return cell
    words = re.findall(r"[^\W\d_]+", fold_text(footnotes[found["mark"]]))
    joined = {word for word in words if len(word) > SHORT_NOTE} | {
        a + b for a, b in pairwise(words)
    }
    if joined & WALKOVERS:
        return f"{found['result']} w/o"
    if joined & NOT_PLAYED:
        return next(word for word in joined if word in NOT_PLAYED)
    for known in (SHOOTOUT, OVERTIME):
        long = [word for word in joined if word in known and len(word) > SHORT_NOTE]
        if long:
            return f"{found['result']} {long[0]}"
    return found["result"]
