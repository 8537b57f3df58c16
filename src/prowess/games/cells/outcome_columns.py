"""What letters and numbers mean in a column of results, decided by all of its cells.

`V`, `N` and `P` are of one language or another, and 2 may be a win or the second side.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from copy import copy
from functools import cache
from typing import Any

from prowess.games.cells.outcome_words import (
    DRAWN,
    GOALS_AND_POINTS,
    NOTATIONS,
    SCORELINE,
    SIDE_LETTERS,
    STONES,
    Notation,
    as_scoreline,
    reason_not_played,
)
from prowess.games.cells.outcomes import OutcomeParser
from prowess.games.cells.scorelines import count_signed_sets
from prowess.games.errors import InvalidValue, Question, quote
from prowess.games.values import COMMA, NUMBER, fold_text, is_blank, plain_word
from prowess.games.vocabulary import tell_apart
from prowess.games.words import WORDS_IN_ORDER

ALPHABETS = WORDS_IN_ORDER["result_letters"]  # won, drawn, lost
OF_COLOURS = {"w": 1.0, "b": 0.0}
IN_DRAWS = "dtxur="  # beside letters of the sides
BETWEEN_SIDES = frozenset({"v", "v.", "vs", "vs.", "VS"})  # stands where a result will stand
SHORTEST = 3  # letters of a heading that may shorten a word of the cells
SAYS = {1.0: "first side won", 0.5: "draw", 0.0: "second side won"}


def decide_outcomes(parser: OutcomeParser, role: str, texts: Collection[Any]) -> str | None:
    """Find what letters and numbers mean in a column that holds these cells, and take note of
    it; what was found in words, None where nothing changes. Raises Question.
    """
    words = {str(text).strip(" \t"): text for text in texts if not is_blank(text)}
    words = {word: text for word, text in words.items() if not reason_not_played(word)}
    between = words.keys() & BETWEEN_SIDES
    if (
        between
        and role != "winner"
        and all(any(map(str.isdigit, w)) for w in words.keys() - between)
    ):
        parser.own = {**parser.own, **{word.casefold(): None for word in between}}
        return f"{min(between)} = not played"
    plain = words.keys() - parser.own.keys()
    if (sides := name_sides(plain, parser.first, parser.second)) and any(
        parser.winners.get(word) != score for word, score in sides.items()
    ):
        parser.take_letters(sides)
        return ", ".join(list_meanings(sides))
    if stones := decide_stones(plain, parser):
        parser.take_letters(stones)
        return ", ".join(list_meanings({letter.upper(): stones[letter] for letter in stones}))
    if {word.casefold() for word in plain} == {"true", "false"}:
        parser.take_letters({"true": 1.0, "false": 0.0})
        return "True = first side won, False = second side won"
    if parser.notation is None and (notation := find_notation(plain)):
        parser.notation, parser.mixed = notation, False  # 1/2 is no half
        return READ_AS[notation]
    known = parser.winners if role == "winner" else parser.results
    by_letter = all(len(word) == 1 or plain_word(word) in known for word in plain)
    by_number = all(NUMBER.fullmatch(word) or COMMA.fullmatch(word) or word in "xX"
                    for word in plain)  # fmt: skip
    if len(plain) < 2 or not (by_letter or by_number):
        return None  # one odd cell tells nothing
    letters = {plain_word(word) for word in words if len(word) == 1 and not word.isdigit()}
    letters = {letter for letter in letters if letter.isalpha()} - parser.own.keys()
    if letters == {"x"} and not by_number:
        return None
    numbers = {
        float(word.replace(",", ".")) for word in words
        if (NUMBER.fullmatch(word) or COMMA.fullmatch(word)) and word not in parser.own
    }  # fmt: skip
    meant = decide_letters(letters - {"x"} if numbers else letters, parser, role)
    drawn_x = {"x": 0.5} if "x" in letters and numbers & {1.0, 2.0} else {}
    changed = {**meant, **drawn_x}
    if any(known.get(letter) != score for letter, score in changed.items()):
        parser.take_letters(changed)
    else:
        changed = {}
    scale = decide_numbers(numbers, role, bool(drawn_x), parser.first, parser.second)
    if scale:
        parser.numbers = scale
    told = list_meanings({letter.upper(): score for letter, score in changed.items()})
    told += [f"{number:g} = {SAYS[score]}" for number, score in scale.items()
             if number in numbers]  # fmt: skip
    return ", ".join(told) or None


def list_meanings(meant: Mapping[str, float]) -> list[str]:
    """`W = first side won` of each word, what the first side gets the most of first."""
    ordered = sorted(meant.items(), key=lambda one: (-one[1], one[0]))
    return [f"{word} = {SAYS[score]}" for word, score in ordered]


def is_read_otherwise(
    so_far: OutcomeParser, whole: OutcomeParser, role: str, texts: Collection[str], coded: bool
) -> bool:
    """Whether a new parser, `whole`, that decides what these cells mean together reads one
    otherwise than they were read `so_far`; `coded` says whether they have a meaning of their own.

    Raises Question.
    """
    if decide_outcomes(whole, role, texts) is None and not coded:
        return False
    so_far = copy(so_far)  # it takes note of what it reads
    return any(_score_of(so_far, role, text) != _score_of(whole, role, text) for text in texts)


def _score_of(parser: OutcomeParser, role: str, text: str) -> float | type[InvalidValue]:
    """The score that a cell says, or the kind of its refusal."""
    try:
        if role == "own result":
            return parser.own_result(text)
        return parser.winner(text) if role == "winner" else parser.result(text)
    except InvalidValue as refusal:
        return type(refusal)


def name_sides(words: Collection[str], first: str, second: str) -> dict[str, float]:
    """The score that each word tells, where all but draws name a side as its heading does, or as
    a shorter form of it does; empty for other words, and where one side is never named.

    >>> name_sides({"Aff", "Neg", "draw"}, "Affirmative Team", "Negative Team")
    {'aff': 1.0, 'neg': 0.0}
    """
    a, b = ((plain_word(whole), plain_word(apart)) for whole, apart in
            zip((first, second), tell_apart(first, second), strict=True))  # fmt: skip
    plain = sorted({plain_word(word) for word in words} - DRAWN.keys())
    told = {word: (_may_mean(word, *a), _may_mean(word, *b)) for word in plain}
    if not plain or any(one == other for one, other in told.values()):
        return {}
    letters = {word for word in plain if len(word) == 1}
    if letters and (len(letters) < len(plain) or any(letters <= {*each} for each in ALPHABETS)):
        return {}
    found = {word: float(one) for word, (one, _) in told.items()}
    return found if {*found.values()} == {0.0, 1.0} else {}


def _ends(first: str, second: str) -> str:
    """The numbers of two headings, `01` of model_0 and model_1, `12` of 1st and 2nd."""
    return "".join(word[-1:] for word in tell_apart(first, second))


def _may_mean(word: str, whole: str, apart: str) -> bool:
    """Whether a word is the heading of a side, or that by which headings differ, or begins it, or
    is longer than one that is short.
    """
    if not word or word.isdigit():
        return False
    if word == whole:
        return True
    return apart.startswith(word) or (len(apart) >= SHORTEST and word.startswith(apart))


def letters_in(heading: str) -> list[str]:
    """The letters that a heading such as `Result (G/U/V)` names."""
    found = re.search(r"\b([A-Za-z])\s?/\s?([A-Za-z])\s?/\s?([A-Za-z])\b", heading)
    return list(found.groups()) if found else []


READ_AS: Mapping[Notation, str] = {
    "slashes": "a slash stands between the points of both sides",
    "goals and points": "1-12 is a goal, which counts 3, and 12 points: 15",
    "signed sets": "8, -9, 7, 5 are the points of the loser of each set: 3:1",
    "times": "times such as 03:02:00 are scores that a spreadsheet changed, 3:2",
    "matches": "three numbers are the games won, lost and drawn",
}


def _are_goals_and_points(word: str) -> bool:
    """Whether a cell may be the goals and points of both sides; there are more points."""
    found = GOALS_AND_POINTS.fullmatch(word.strip())
    a, b, c, d = map(int, found.groups()) if found else (1, 0, 1, 0)
    return a <= b and c <= d


def find_notation(words: Collection[str]) -> Notation | None:
    """The notation of a column of scorelines that look like fractions or like times."""
    if len(words) > 1 and all(map(_are_goals_and_points, words)):
        return "goals and points"
    signed = any("-" in word.replace("−", "-") for word in words)
    if signed and len(words) > 1 and all(map(count_signed_sets, words)):
        return "signed sets"
    for notation, pattern in NOTATIONS.items():
        bare = [as_scoreline(word) for word in words]
        plain = notation == "matches" and all(map(SCORELINE.fullmatch, bare))
        if len(bare) > 1 and not plain and all(map(pattern.fullmatch, bare)):
            return notation
    return None


def say_outcomes(*readings: Mapping[str, float]) -> str:
    """The remedy that tells what words of results mean, one for each reading."""
    python = " or ".join(
        "outcomes={" + ", ".join(f'"{word}": {score:g}' for word, score in each.items()) + "}"
        for each in readings
    )
    word, score = next(iter(readings[0].items()))
    return f"say what they mean with {python} (--outcome {word}={score:g} ...)"


@cache
def _alphabets(
    family: str, own: tuple[tuple[str, float], ...], colours: tuple[tuple[str, float], ...]
) -> tuple[Mapping[str, float], ...]:
    """What single letters may mean: the words of a language, or those of the sides."""
    known = [{word[0]: 1.0, word[1]: 0.5, word[2]: 0.0} for word in ALPHABETS]
    of_sides = [{**SIDE_LETTERS[family], **dict(own)}]
    of_sides += [dict(colours), OF_COLOURS] if colours else []
    known += [{**each, draw: 0.5} for each in of_sides for draw in IN_DRAWS if draw not in each]
    return tuple(known)


def decide_letters(
    letters: Collection[str], parser: OutcomeParser, role: str
) -> Mapping[str, float]:
    """What single letters of a column mean: all languages that have all of them must agree.

    Unknown letters are left out. Raises Question.
    """
    if not letters or set(letters) <= {"d"} or set(letters) <= {"t"}:
        return {}
    own = tuple((word, score) for word, score in parser.named.items() if len(word) == 1)
    of_sides = parser.sides.keys() | parser.colours.keys()
    fitting = [
        each for each in _alphabets(parser.family, own, tuple(parser.colours.items()))
        if each.keys() >= set(letters) and (role != "winner" or each.keys() & of_sides)
    ]  # fmt: skip
    readings = list({tuple(each[letter] for letter in sorted(letters)): each for each in fitting}
                    .values())  # fmt: skip
    if len(readings) > 1:
        shown = ", ".join(letter.upper() for letter in sorted(letters))
        raise Question(
            f"the letters {shown} have several meanings",
            say_outcomes(*({letter.upper(): each[letter] for letter in sorted(letters)}
                           for each in readings[:2])),
            letters, code="letters_ambiguous",
        )  # fmt: skip
    return {letter: readings[0][letter] for letter in letters} if readings else {}


def decide_stones(words: Collection[str], parser: OutcomeParser) -> Mapping[str, float]:
    """What the letters of results of go such as `N+R` mean: those of Black and White, or of the
    colours in the language of the headings; empty for other results. Raises Question.
    """
    found = {word: match for word in words if (match := STONES.fullmatch(fold_text(word)))}
    letters = {match[1] for match in found.values() if len(match[1]) == 1}
    if not letters or not parser.colours:
        return {}
    fitting = [each for each in (OF_COLOURS, parser.colours) if letters <= each.keys()]
    if len(fitting) == 2 and any(fitting[0][letter] != fitting[1][letter] for letter in letters):
        shown = sorted(word for word, match in found.items() if len(match[1]) == 1)
        raise Question(
            f"the letter B of {quote(shown[0])} may be {parser.first} or Black",
            say_outcomes(*(dict.fromkeys(shown, score) for score in (1.0, 0.0))),
            {shown[0]},
            code="b_or_black",
        )
    return fitting[0] if fitting else {}


def decide_numbers(
    numbers: Collection[float], role: str, drawn_x: bool, first: str, second: str
) -> Mapping[float, float]:
    """What the numbers of a column mean, where they are no shares; empty where they are, or where
    that is not known. Raises Question.
    """
    found = set(numbers)
    if role == "winner":
        return _decide_winners(found, drawn_x, first, second)
    if not found or (max(found) <= 1.0 and min(found) >= 0.0 and not drawn_x):
        return {}
    who_won = {1.0: 1.0, 0.0: 0.5, 2.0: 0.0}
    two_points = {2.0: 1.0, 1.0: 0.5, 0.0: 0.0}
    if drawn_x and found <= {1.0, 2.0}:
        return {1.0: 1.0, 2.0: 0.0}
    if found == {1.0, 2.0}:  # as points nobody would have lost
        return {1.0: 1.0, 2.0: 0.0}
    if found <= {0.0, 1.0, 2.0} and _ends(first, second) == "12" and len(found) == 3:
        return who_won
    if found <= {0.0, 1.0, 2.0}:
        raise Question(
            "the numbers 0, 1 and 2 may say who won (1 the first side, 2 the second, 0 a draw) or "
            "count points (2 a win, 1 a draw)",
            say_outcomes(*({f"{n:g}": each[n] for n in (2.0, 1.0, 0.0)}
                           for each in (two_points, who_won))),
            {2.0}, code="numbers_ambiguous",
        )  # fmt: skip
    if found <= {0.0, 1.0, 3.0}:
        return {3.0: 1.0, 1.0: 0.5, 0.0: 0.0}
    return {1.0: 1.0, 0.0: 0.5, -1.0: 0.0} if found <= {-1.0, 0.0, 1.0} else {}


def _decide_winners(
    found: set[float], drawn_x: bool, first: str, second: str
) -> Mapping[float, float]:
    """What numbers say who won."""
    if not found:
        return {}
    ends = _ends(first, second)
    if found <= {1.0, 1.5, 2.0} and 1.5 in found:
        return {1.0: 1.0, 1.5: 0.5, 2.0: 0.0}
    if found <= {0.0, 1.0, -1.0} and ends == "01":
        return {0.0: 1.0, 1.0: 0.0, -1.0: 0.5}
    if found <= {1.0, 2.0} and (found == {1.0, 2.0} or drawn_x or ends == "12"):
        return {1.0: 1.0, 2.0: 0.0}
    if found == {0.0, 1.0, 2.0} and ends != "12":
        two = {1.0: 1.0, 2.0: 0.0, 0.0: 0.5}, {0.0: 1.0, 1.0: 0.0, 2.0: 0.5}
        raise Question(
            f"the winners 0, 1 and 2 may be counted from 1 (0 is a draw) or from 0 ({first} is 0, "
            "2 is a draw)",
            say_outcomes(*({f"{n:g}": each[n] for n in sorted(found)} for each in two)),
            found,
            code="winners_ambiguous",
        )
    if found == {0.0, 1.0} and ends == "12":
        three = {1.0: 1.0, 0.0: 0.0}, {0.0: 1.0, 1.0: 0.0}, {1.0: 1.0, 0.0: 0.5}
        raise Question(
            f"the winners 0 and 1 may tell whether {first} won, be counted from 0 ({first} is 0, "
            f"{second} is 1), or from 1 (0 is a draw)",
            say_outcomes(*({f"{n:g}": each[n] for n in sorted(found)} for each in three)),
            found,
            code="winners_ambiguous",
        )
    if found <= {0.0, 1.0, 2.0} and (2.0 in found or ends == "12"):
        return {1.0: 1.0, 2.0: 0.0, 0.0: 0.5}
    if found == {1.0, -1.0}:
        return {1.0: 1.0, -1.0: 0.0}
    if found <= {0.0, 1.0, 2.0, -1.0}:
        shown = ", ".join(f"{number:g}" for number in sorted(found))
        index = {0.0: 1.0, 1.0: 0.0, -1.0: 0.5}
        sign = {1.0: 1.0, 0.0: 0.5 if -1.0 in found else 0.0, -1.0: 0.0}
        raise Question(
            f"the winners {shown} may be counted from 0 ({first} is 0, {second} is 1) or tell "
            f"whether {first} won",
            say_outcomes(*({f"{n:g}": each[n] for n in sorted(found & each.keys())}
                           for each in (index, sign))),
            found, code="winners_ambiguous",
        )  # fmt: skip
    return {}
