"""Parse numbers and truth values of cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any

from prowess.games.errors import MEND, SKIP, InvalidValue, quote
from prowess.games.vocabulary import words_of_side

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")  # a decimal comma, or one between thousands
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
YES = frozenset({"true", "t", "yes", "y", "1"})
NO = frozenset({"false", "f", "no", "n", "0"})
NOT_PLAYED = f"leave out what was not played with where= or exclude=, or {SKIP}"


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: an empty text, None, NaN, or a library's word for it."""
    if value is None or (isinstance(value, str) and not value.strip(" \t")):
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - only NaN and its like differ from themselves
    except (TypeError, ValueError):  # a library's own missing value has no truth
        return type(value).__name__ == "NAType"
    except ArithmeticError:  # a NaN that must not be compared
        return True


def parse_number(value: Any) -> float:
    """A finite number."""
    if is_missing(value):
        raise InvalidValue("a number is missing", NOT_PLAYED)
    if isinstance(value, str):
        text = value.strip(" \t")
        if not NUMBER.fullmatch(text):
            raise InvalidValue(f"{quote(value)} is not a number", NOT_PLAYED)
        parsed = float(text)
    elif not isinstance(value, bool) and isinstance(value, Real | Decimal):
        try:
            parsed = float(value)
        except (OverflowError, ValueError):
            parsed = float("inf")
    else:
        raise InvalidValue(f"{quote(value)} is not a number", NOT_PLAYED)
    if not isfinite(parsed):
        raise InvalidValue(f"{quote(value)} is not a finite number", MEND)
    return parsed


def parse_decimal(value: Any) -> float:
    """A finite number, also with a decimal comma; 1,500 may be either number and is refused."""
    if isinstance(value, str) and COMMA.fullmatch(text := value.strip(" \t")):
        if THOUSANDS.fullmatch(text):
            whole, point = text.replace(",", ""), text.replace(",", ".")
            raise InvalidValue(
                f"{quote(text)} is either {whole} or {point}", f"write {whole} or {point}"
            )
        return parse_number(text.replace(",", "."))
    return parse_number(value)


def parse_positive(value: Any) -> float:
    """A finite number above zero."""
    parsed = parse_number(value)
    if parsed <= 0.0:
        raise InvalidValue(f"{quote(value)} is not above 0", MEND)
    return parsed


def parse_bool(value: Any) -> float:
    """1.0 for yes, 0.0 for no."""
    if is_missing(value):
        raise InvalidValue("yes or no is missing", "write TRUE or FALSE")
    word = str(value).strip(" \t").casefold()
    if word in YES or (isinstance(value, float) and value == 1.0):
        return 1.0
    if word in NO or (isinstance(value, float) and value == 0.0):
        return 0.0
    raise InvalidValue(f"{quote(value)} is neither yes nor no", "write TRUE or FALSE")


# How tables say who won.


EXACT = {
    "1-0": 1.0,
    "1.0-0.0": 1.0,
    "0-1": 0.0,
    "0.0-1.0": 0.0,
    "1/2-1/2": 0.5,
    "½-½": 0.5,
    "0.5-0.5": 0.5,
    "1/2": 0.5,
    "½": 0.5,
}
WON = {"win": 1.0, "won": 1.0, "w": 1.0, "loss": 0.0, "lost": 0.0, "lose": 0.0, "l": 0.0}
DRAWN = dict.fromkeys(
    ("draw", "drawn", "d", "tie", "tied", "t", "both", "bothbad", "tiebothbad", "tie(bothbad)"),
    0.5,
)
HALVES = frozenset({"½", "1/2", "0,5"})
CHESS = frozenset({"1-0", "0-1"})  # scorelines, too
SCORELINE = re.compile(r"([0-9]{1,3})-([0-9]{1,3})")
LEVEL = re.compile(r"(\d+)\s*[-–:]\s*(\d+)")  # a scoreline, of which both may be equal
UNFINISHED = "*"
_FIRST = "white left home playera modela teama bota sidea enginea player1 model1 team1 bot1 engine1"
_SECOND = (
    "black right away playerb modelb teamb botb sideb engineb player2 model2 team2 bot2 engine2"
)
SIDES = {**dict.fromkeys(_FIRST.split(), 1.0), **dict.fromkeys(_SECOND.split(), 0.0)}
LETTERS = {  # what single letters mean hangs on what the sides are called
    "home": {"h": 1.0, "a": 0.0},
    "white": {"w": 1.0, "b": 0.0},
    "": {"a": 1.0, "b": 0.0},
}


def plain_form(text: str) -> str:
    """A word without case, spaces, underscores and hyphens."""
    return text.casefold().translate(_NO_SEPARATORS)


_NO_SEPARATORS = {ord(letter): None for letter in " \t_-"}
_AS_SCORELINE = {ord(" "): None, ord("\t"): None, ord("–"): "-", ord(":"): "-", ord(","): "."}


def points_parser(side: int) -> Callable[[Any], float]:
    """The parser of the points of the first (0) or second (1) side of a scoreline such as 2-1."""

    def points(value: Any) -> float:
        found = SCORELINE.fullmatch(str(value).translate(_AS_SCORELINE))
        if not found:
            raise InvalidValue(f"{quote(value)} is no scoreline", MEND)
        return float(found[1 + side])

    return points


def parse_draw_result(value: Any) -> float:
    """1.0 where the result beside a winner and a loser is a draw, else 0.0."""
    if isinstance(value, str):
        text = value.strip(" \t")
        level = LEVEL.fullmatch(text)
        exact = EXACT.get(text.replace(" ", "").replace("–", "-"))
        drawn = DRAWN.get(plain_form(text)) or exact == 0.5 or text in {"0.5", "0,5"}
        return float(bool(drawn or (level and level[1] == level[2])))
    return float(not is_missing(value) and value == 0.5)


def parse_draw_flag(value: Any) -> float:
    """1.0 where a column of draws says that a game was drawn, else 0.0."""
    try:
        return parse_bool(value)
    except InvalidValue as refusal:
        remedy = 'write TRUE or FALSE, or say with draw="none" (--draw none) that it tells no draws'
        raise InvalidValue(refusal.what, remedy) from None


def parse_own_result(value: Any) -> float:
    """The score of the side that a row is of: 1 won, 0.5 drawn, 0 lost, or between."""
    if is_missing(value):
        raise InvalidValue("the result is missing", NOT_PLAYED)
    text = str(value).strip(" \t")
    if (score := {**WON, **DRAWN}.get(plain_form(text))) is not None:
        return score
    if text in HALVES:
        return 0.5
    if NUMBER.fullmatch(text) and 0.0 <= float(text) <= 1.0:
        return float(text)
    try:
        return parse_bool(value)
    except InvalidValue:
        raise InvalidValue(
            f"{quote(value)} does not say how the team of this row fared; known: win, loss, draw, "
            "yes, no, a number from 0 to 1",
            f"name another column with result=... (--result), or {SKIP}",
        ) from None


class OutcomeParser:
    """Parses results and winners, given what the two columns of players are called."""

    def __init__(self, column_a: str, column_b: str, family: tuple[str, str] | None = None) -> None:
        a, b = plain_form(column_a), plain_form(column_b)
        first = next((word for word in ("home", "white") if a.startswith(word)), "")
        first = family[0] if family else first
        named = {a: 1.0, b: 0.0} if a != b else {}
        words = {
            word: 1.0 - at
            for at, side in enumerate(family or ())
            for word in words_of_side(side)
            if len(word) > 1
        }
        self.sides = {**SIDES, **words, **LETTERS.get(first, LETTERS[""]), **named}
        self.winners = {**DRAWN, **self.sides}
        self.results = {**WON, **DRAWN, **self.sides}
        self.first, self.second = column_a, column_b
        self.scored = False  # whether a result was a scoreline that no game of chess has
        self.nil = False  # whether one was 0-0
        self.mixed = False  # whether one was no scoreline at all

    def result(self, value: Any) -> float:
        """The score of the first side."""
        if is_missing(value):
            raise InvalidValue("the result is missing", NOT_PLAYED)
        text = value.strip(" \t") if isinstance(value, str) else ""
        if not isinstance(value, str) or NUMBER.fullmatch(text) or COMMA.fullmatch(text):
            score = parse_decimal(value)
            if not 0.0 <= score <= 1.0:
                raise InvalidValue(
                    f"a score of {quote(value)} is not between 0 and 1",
                    "give the points of both sides with score_a= and score_b=, "
                    f"name another column with result=, or {SKIP}",
                )
            self.mixed = True
            return score
        bare = text.translate(_AS_SCORELINE)
        if (score_or_none := EXACT.get(bare)) is not None:
            self.mixed |= bare not in CHESS
            return score_or_none
        if (score_or_none := self.results.get(plain_form(text))) is not None:
            self.mixed = True
            return score_or_none
        if points := SCORELINE.fullmatch(bare):
            a, b = int(points[1]), int(points[2])
            self.nil |= a == b == 0
            self.scored |= a + b > 1
            return 0.5 * ((a > b) + 1.0 - (a < b))
        if text == UNFINISHED:
            raise InvalidValue('the game is unfinished ("*")', MEND)
        raise InvalidValue(
            f"unknown outcome {quote(value)}; known: 1-0, 0-1, 1/2-1/2, 3:2, win, loss, draw, "
            f"{self.first}, {self.second}, a number from 0 to 1",
            f"name another column with result=... (--result), or {SKIP}",
        )

    def winner(self, value: Any) -> float:
        """The score of the first side, where a word names the side that won."""
        if is_missing(value):
            raise InvalidValue("the winner is missing", NOT_PLAYED)
        score = self.winners.get(plain_form(value)) if isinstance(value, str) else None
        if score is None:
            raise InvalidValue(
                f"the winner {quote(value)} is neither of the two players nor a known word; "
                f"known: {self.first}, {self.second}, tie, draw",
                f"name another column with winner=... (--winner), or {SKIP}",
            )
        return score

    def side(self, value: Any) -> float:
        """+1 the first side has the advantage, -1 the second, 0 neither."""
        if is_missing(value):
            raise InvalidValue(
                "the side is missing", f"write {self.first}, {self.second} or neutral"
            )
        text = str(value).strip(" \t")
        if NUMBER.fullmatch(text) and float(text) in {-1.0, 0.0, 1.0}:
            return float(text)
        if plain_form(text) in {"none", "neutral", "n"}:
            return 0.0
        if (first := self.sides.get(plain_form(text))) is not None:
            return 2.0 * first - 1.0
        raise InvalidValue(
            f"{quote(value)} does not say who has the side advantage",
            f"write {self.first}, {self.second}, neutral, 1, -1 or 0",
        )


# Forecasts from elsewhere: chances and odds.


ABSENT = -1.0  # an empty cell while rows are gathered: nan would be one that cannot be read
AMERICAN = re.compile(r"([+-])([0-9]{3,})")
FRACTION = re.compile(r"([0-9]+) ?[/-] ?([0-9]+)")
WRITE_CHANCE = "write a chance from 0 to 1 or from 0 to 100 %, or leave the cell empty"
WRITE_ODDS = "write decimal odds above 1, such as 1.85, or leave the cell empty"


def parse_chance(value: Any) -> float:
    """A chance, as it stands or in percent; `ABSENT` for an empty cell."""
    if is_missing(value):
        return ABSENT
    text = value.strip() if isinstance(value, str) else value
    percent = isinstance(text, str) and text.endswith("%")
    try:
        number = parse_decimal(text[:-1].rstrip() if percent else text)
    except InvalidValue as refusal:
        raise InvalidValue(refusal.what, WRITE_CHANCE) from None
    if not 0.0 <= number <= 100.0:
        raise InvalidValue(f"{quote(value)} is no chance", WRITE_CHANCE)
    return number / 100.0 if percent else number


def parse_odds(value: Any) -> float:
    """Decimal odds, above 1; `ABSENT` for an empty cell."""
    if is_missing(value):
        return ABSENT
    if isinstance(value, str):
        text = value.strip()
        if found := FRACTION.fullmatch(text):
            won, staked = map(int, found.groups())
            decimal = f" {1.0 + won / staked:.5g}" if staked else ""
            raise InvalidValue(
                f"{quote(text)} looks like fractional odds", f"write the decimal odds{decimal}"
            )
        if found := AMERICAN.fullmatch(text):
            amount = int(found[2])
            worth = 1.0 + (amount / 100.0 if found[1] == "+" else 100.0 / max(amount, 1))
            raise InvalidValue(
                f"{quote(text)} looks like American odds", f"write the decimal odds {worth:.5g}"
            )
    try:
        number = parse_decimal(value)
    except InvalidValue as refusal:
        raise InvalidValue(refusal.what, WRITE_ODDS) from None
    if number <= 1.0:
        raise InvalidValue(f"{quote(value)} is not above 1", WRITE_ODDS)
    return number
