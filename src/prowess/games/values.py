"""Parse numbers and truth values of cells; patterns that are compiled when they are first used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, AnyStr, TypeVar, cast

from prowess.games.errors import MEND, SKIP, InvalidValue, quote

if TYPE_CHECKING:
    from collections.abc import Callable

Parsed = TypeVar("Parsed")

# Regular expressions that are compiled when they are first used.
#
# The reader knows a hundred forms of cells and headings, of which a plain table has a few:
# compiling all of them would be a tenth of the time to a first leaderboard.


@dataclass(eq=False)
class LazyPattern:
    """Stands for a compiled expression; each of its methods is kept once it was asked for."""

    text: str | bytes
    bits: int

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self.text, self.bits), name)  # `re` keeps what it has compiled
        setattr(self, name, value)
        return value


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern of a regular expression, compiled when it is first used.

    >>> lazy_pattern("[0-9]+").findall("3 of 12")
    ['3', '12']
    """
    return cast("re.Pattern[AnyStr]", LazyPattern(text, flags))


NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")  # a decimal comma, or one between thousands
HALF = re.compile(r"[+-]?[0-9]{0,4}\s?½|1/2")  # as it stands in tables of chess
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
EMPTY_TEXTS = frozenset({"", "\\N"})  # the second in a dump of a database
DASHES = frozenset({"-", "--", "–", "—"})
EMPTY_WORDS = frozenset({  # that programs write for nothing
    "none", "nan", "null", "nil", "undefined", "nat", "na", "n/a", "#n/a", "#na", "<na>", "(null)",
    "[null]", "(none)", "(empty)",
})  # fmt: skip
LONGEST_CELL = 100  # characters of a cell that is looked at as a date, a score, a place or a word
SAYS_YES = frozenset({"true", "t", "yes", "y", "1"})
SAYS_NO = frozenset({"false", "f", "no", "n", "0"})
NOT_PLAYED_REMEDY = f"leave out what was not played with where= or exclude=, or {SKIP}"


def is_long(value: Any) -> bool:
    """Whether a cell is a text too long for a date, a score, a place, a word or a name."""
    return isinstance(value, str) and len(value) > LONGEST_CELL


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: an empty text, None, NaN, a library's or a database's word."""
    if value is None or (isinstance(value, str) and value.strip(" \t") in EMPTY_TEXTS):
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - only NaN and its like differ from themselves
    except (TypeError, ValueError):  # a library's own missing value has no truth
        return type(value).__name__ == "NAType"
    except ArithmeticError:  # a NaN that must not be compared
        return True


def is_blank(value: Any) -> bool:
    """Whether a cell holds nothing, or a word of programs for nothing: `None`, `NaN`, `null`."""
    return is_missing(value) or (
        isinstance(value, str) and value.strip(" \t").casefold() in EMPTY_WORDS
    )


def parse_or_none(parse: Callable[[Any], Parsed], value: Any) -> Parsed | None:
    """What a parser makes of a cell, None where it refuses it."""
    try:
        return parse(value)
    except InvalidValue:
        return None


def parse_number(value: Any) -> float:
    """A finite number."""
    if is_missing(value):
        raise InvalidValue("a number is missing", NOT_PLAYED_REMEDY, code="number_missing")
    is_text = isinstance(value, str)
    if not (
        NUMBER.fullmatch(value.strip(" \t")) if is_text
        else isinstance(value, Real | Decimal) and not isinstance(value, bool)
    ):  # fmt: skip
        if hasattr(value, "isoformat"):
            what = f"{quote(str(value)[:10])} is a date, which a sheet makes of a score such as 3-1"
            remedy = "format the column as text and type the score again"
            raise InvalidValue(what, remedy, code="score_became_date")
        raise InvalidValue(
            f"{quote(value)} is not a number", NOT_PLAYED_REMEDY, code="not_a_number"
        )
    try:
        parsed = float(value)
    except (OverflowError, ValueError):
        parsed = float("inf")
    if not isfinite(parsed):
        raise InvalidValue(f"{quote(value)} is not a finite number", MEND, code="not_finite")
    return parsed


def parse_decimal(value: Any) -> float:
    """A finite number, also with a decimal comma or a half: `0,5`, `½`, `1½`.

    1,500 may be either number and is refused.
    """
    if isinstance(value, str) and HALF.fullmatch(half := value.strip(" \t")):
        return parse_number(half.replace("1/2", ".5").replace("½", ".5").replace(" ", ""))
    if isinstance(value, str) and COMMA.fullmatch(text := value.strip(" \t")):
        if THOUSANDS.fullmatch(text):
            whole, point = text.replace(",", ""), text.replace(",", ".")
            raise InvalidValue.of("comma_ambiguous", cell=text, whole=whole, point=point)
        return parse_number(text.replace(",", "."))
    return parse_number(value)


TOTAL = re.compile(r"([0-9]{1,2}) ?[-–.:] ?([0-9]{1,2}) ?[(\[=] ?([0-9]{1,3})[)\]]?")
WORTH = 3, 6  # points of a goal: in Gaelic and in Australian football


def parse_total(text: str) -> float | None:
    """The total behind goals and points of one side, where it is theirs; None for another text.

    >>> parse_total("1-12 (15)"), parse_total("12.8 (80)"), parse_total("2-1 (4)")
    (15.0, 80.0, None)
    """
    if (found := TOTAL.fullmatch(text.strip())) is None:
        return None
    goals, points, total = map(int, found.groups())
    return float(total) if any(worth * goals + points == total for worth in WORTH) else None


def parse_positive(value: Any) -> float:
    """A finite number above zero, also with a decimal comma."""
    parsed = parse_decimal(value)
    if parsed <= 0.0:
        raise InvalidValue(f"{quote(value)} is not above 0", MEND, code="not_above_zero")
    return parsed


def parse_bool(value: Any) -> float:
    """1.0 for yes, 0.0 for no."""
    if is_missing(value):
        raise InvalidValue("yes or no is missing", "write TRUE or FALSE", code="flag_missing")
    word = str(value).strip(" \t").casefold()
    if word in SAYS_YES or (isinstance(value, float) and value == 1.0):
        return 1.0
    if word in SAYS_NO or (isinstance(value, float) and value == 0.0):
        return 0.0
    raise InvalidValue(
        f"{quote(value)} is neither yes nor no", "write TRUE or FALSE", code="not_yes_or_no"
    )


# Texts in comparable forms.


def plain_form(text: str) -> str:
    """A word without case, spaces, underscores and hyphens."""
    return text.casefold().translate(_NO_SEPARATORS)


_NO_SEPARATORS = {ord(letter): None for letter in " \t_-"}


def fold_letters(text: str) -> str:
    """A text without accents and unusual dashes; letters of other alphabets as they are."""
    if text.isascii():
        return text
    import unicodedata

    split = unicodedata.normalize("NFKD", text.translate(_OTHER_LETTERS))
    return "".join(letter for letter in split if not unicodedata.combining(letter))


_OTHER_LETTERS = str.maketrans(
    dict(zip("łŁøØđĐ", "lLoOdD", strict=True))
    | {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE"}
    | dict.fromkeys("–—−‐‑", "-")
)


def fold_text(text: str) -> str:
    """A text without case, accents and unusual blanks, digits and dashes."""
    return " ".join(fold_letters(text.casefold()).split())


def plain_word(text: str) -> str:
    """A word without case, accents, spaces, underscores and hyphens."""
    return plain_form(text if text.isascii() else fold_text(text))


# Forecasts from elsewhere: chances and odds.


ABSENT = -1.0  # an empty cell while rows are gathered: nan would be one that cannot be read
AMERICAN = re.compile(r"([+-])([0-9]{3,})")
FRACTION_TEXT = re.compile(r"([0-9]+) ?[/-] ?([0-9]+)")
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
        raise InvalidValue(refusal.what, WRITE_CHANCE, code=refusal.code) from None
    if not 0.0 <= number <= 100.0:
        raise InvalidValue(f"{quote(value)} is no chance", WRITE_CHANCE, code="not_a_chance")
    return number / 100.0 if percent else number


def parse_odds(value: Any) -> float:
    """Decimal odds, above 1; `ABSENT` for an empty cell."""
    if is_missing(value):
        return ABSENT
    if isinstance(value, str):
        text = value.strip()
        if found := FRACTION_TEXT.fullmatch(text):
            won, staked = map(int, found.groups())
            decimal = f" {1.0 + won / staked:.5g}" if staked else ""
            raise InvalidValue(
                f"{quote(text)} looks like fractional odds",
                f"write the decimal odds{decimal}",
                code="fractional_odds",
            )
        if found := AMERICAN.fullmatch(text):
            amount = int(found[2])
            worth = 1.0 + (amount / 100.0 if found[1] == "+" else 100.0 / max(amount, 1))
            raise InvalidValue(
                f"{quote(text)} looks like American odds",
                f"write the decimal odds {worth:.5g}",
                code="american_odds",
            )
    try:
        number = parse_decimal(value)
    except InvalidValue as refusal:
        raise InvalidValue(refusal.what, WRITE_ODDS, code=refusal.code) from None
    if number <= 1.0:
        raise InvalidValue(f"{quote(value)} is not above 1", WRITE_ODDS, code="odds_too_small")
    return number
