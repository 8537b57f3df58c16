"""Places, points and times of contests: 3, 3rd, T3, dritter, DNF, 1:02.5, 62'33, +0:12.

A word such as DNF stands for no place: with unplaced="last" such players share the last place of
their contest, with "skip" they are left out. Players who did not start are left out in both cases.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.errors import InvalidValue
from prowess.games.runs import repeat_rows
from prowess.games.values import NUMBER, lazy_pattern, parse_decimal, parse_number, parse_or_none
from prowess.games.vocabulary import alternatives, slots_for, words_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from prowess.compile.numbers import Floats
    from prowess.games.columns import Mask

    Columns = dict[str, NDArray[Any]]
    Bounds = NDArray[np.int64]  # where each contest begins, and where the last ends

LAST, OUT = inf, -inf  # the place of a row that shares the last place, or is left out
NOT_STARTED, NOT_PLACED = words_for("not_started"), words_for("not_placed")
# eliminated, retired, fell, pulled up: in place of a place
UNPLACED_LETTERS = frozenset("erdfupbs")
ORDINALS = {word: at for at, found in enumerate(slots_for("ordinals"), 1) for word in found}
_OF_PLACE = rf"(?:{alternatives('place', 'before_place')})"
_BEFORE = rf"(?:{_OF_PLACE}[.:]?)?[\s_-]*(?:(?:#|no|nr|n°|nº|tied|tie|ties|t|=)[.:]?)?"
_ORDINAL_ENDING = r"(?:[.]?(?:st|nd|rd|th|er|ère|ere|re|ème|eme|e|d|de|ste|º|ª|°|o|a)|[.])"
_OF_ALL = r"\s+(?:(?:out )?of|von|sur|de|di|van|z)\s+"  # 3 of 12
_BEHIND = rf"(?:t|tie|tied|=|\*|{_OF_PLACE})"
PLACE_CELL = lazy_pattern(
    rf"{_BEFORE}[\s_-]*([0-9]+){_ORDINAL_ENDING}?(?:(?:\s*[-–/]\s*|{_OF_ALL})[0-9]+{_ORDINAL_ENDING}?)?"
    rf"[\s_]*{_BEHIND}?",
    re.IGNORECASE,
)
AROUND_ORDINAL = lazy_pattern(rf"{_OF_PLACE}\b[\s_:]*|[\s_]*{_OF_PLACE}", re.IGNORECASE)
SHARED_PLACE = re.compile(r"([0-9]+)\D*[-–]\s*([0-9]+)")
OF_TOTAL = re.compile(rf"([0-9]+)\D*(?:/\s*|{_OF_ALL})([0-9]+)")
_PART = r"[0-9]+(?:[.,][0-9]+)?"
COLONS = re.compile(r"(?:([0-9]+):(?=[0-9]{2}:))?([0-9]+):([0-5][0-9](?:[.,][0-9]+)?)")
TIME_MARKS = re.compile(  # 62'33, 1h02'33"4, 2m 3.5s, 59.8 s, 12 min
    rf"(?:([0-9]+)\s*(?:h|hrs?|std\.?|hours?)\s*)?(?:({_PART})\s*(?:'|′|’|min\.?|m|minutes?)\s*)?"
    rf"(?:({_PART})\s*(?:''|\"|″|”|’’|s|secs?\.?|sek\.?|seconds?|sekunden)?([0-9]{{1,3}})?)?",
    re.IGNORECASE,
)
DOTS = re.compile(r"(?:([0-9]+)\.(?=[0-9]{2}\.))?([0-9]+)\.([0-5][0-9](?:,[0-9]+)?)")
CURRENCY = re.compile(r"[$€£¥]|\b(?:USD|EUR|GBP|CHF|PLN|Euro?|Fr|kr|zł)\b\.?", re.IGNORECASE)
MONEY = re.compile(  # no currency of these has three decimals
    r"(\()?([+-]?)((?:[0-9]{1,3}(?:[.,'][0-9]{3})+|[0-9]+))(?:[.,]([0-9]{1,2}))?(?(1)\))"
)
_AS_PLAIN = {ord("−"): "-", 0xA0: " ", 0x202F: " ", ord("⁺"): "+"}
LEVEL_WITH_PAR = frozenset({"e", "even", "par"})


def bare_letters(text: str) -> str:
    """The letters and digits of a text without case and accents."""
    spread = unicodedata.normalize("NFKD", text.casefold().replace("ł", "l"))
    return "".join(letter for letter in spread if letter.isalnum())


class PlaceParser:
    """Parses places, points and times; remembers of which kinds it has met some."""

    def __init__(self, unplaced: str | None) -> None:
        self.unplaced = unplaced
        self.times = False  # whether an amount was a time, so that less is better

    def place(self, value: Any) -> float:
        """A place from 1 on, LAST or OUT."""
        if isinstance(value, str):
            if (without := self._without(value)) is not None:
                return without
            if value.strip().casefold() in UNPLACED_LETTERS:
                return OUT if self.unplaced == "skip" else LAST
            found = parse_ordinal(value)
            if found is not None:
                value = found
        parsed = parse_number(value)
        if parsed < 1.0:
            raise InvalidValue.of("place_below_one")
        return parsed

    def points(self, value: Any) -> float:
        """Points, LAST or OUT."""
        without = self._without(value) if isinstance(value, str) else None
        if without is not None:
            return without
        money = parse_money(value) if isinstance(value, str) else None
        return parse_decimal(value) if money is None else money

    def amount(self, value: Any) -> float:
        """Points, or a time in seconds, LAST or OUT."""
        if isinstance(value, dt.time | dt.timedelta):
            self.times = True
            return seconds_of(value)
        if isinstance(value, str):
            text = value.strip().translate(_AS_PLAIN)
            if not NUMBER.fullmatch(text):
                time = parse_duration(text.removeprefix("+").lstrip())
                if time is not None:
                    self.times = True
                    return time
            if bare_letters(text) in LEVEL_WITH_PAR:
                return 0.0
            value = text
        return self.points(value)

    def _without(self, value: str) -> float | None:
        """LAST or OUT where a word stands for no place."""
        word = bare_letters(value)
        if word in NOT_STARTED or (word in NOT_PLACED and self.unplaced == "skip"):
            return OUT
        return LAST if word in NOT_PLACED else None


def is_unplaced(value: Any) -> bool:
    """Whether a cell is a word for no place, such as DNF."""
    return isinstance(value, str) and bare_letters(value) in NOT_PLACED | NOT_STARTED


def parse_money(text: str) -> float | None:
    """The amount of a text such as -$1,200.50, ($40) or 1.200,50 €; None for another text."""
    bare = text.strip().translate(_AS_PLAIN)
    if not CURRENCY.search(bare):
        return None
    number = CURRENCY.sub("", bare).replace(" ", "")
    if found := MONEY.fullmatch(number):
        whole = re.sub("[.,']", "", found[3])
        amount = float(f"{whole}.{found[4] or 0}")
        return -amount if found[1] or found[2] == "-" else amount
    return None


def parse_amount(value: Any) -> float | None:
    """The number of a cell that holds a number or an amount of money; None for another cell."""
    money = parse_money(value) if isinstance(value, str) else None
    return parse_or_none(parse_decimal, value) if money is None else money


def parse_ordinal(text: str) -> float | None:
    """The place of a text such as 3, 3rd, T3, =3, 3.-5., 3/12, 3 of 12 or `third choice`; None for
    another.

    >>> parse_ordinal("3/3"), parse_ordinal("3 of 12"), parse_ordinal("4/3"), parse_ordinal("3-3")
    (3.0, 3.0, None, None)
    """
    bare = text.strip()
    if NUMBER.fullmatch(bare):
        return float(bare)
    if PLACE_CELL.fullmatch(bare):
        shared, total = SHARED_PLACE.search(bare), OF_TOTAL.search(bare)
        if shared and int(shared[1]) >= int(shared[2]):
            return None
        if total and int(total[1]) > int(total[2]):
            return None
        return float(next(filter(None, re.findall("[0-9]+", bare))))
    at = ORDINALS.get(bare_letters(AROUND_ORDINAL.sub("", bare, count=1)))
    return None if at is None else float(at)


def parse_duration(text: str) -> float | None:
    """Seconds of a time such as 1:02:33.4, 62'33 or 2m 3.5s; None for another text."""
    if found := COLONS.fullmatch(text):
        return _seconds(found[1], found[2], found[3])
    if text[-1:].isdigit() and not re.search("[hms'′’\"″]", text.lower()):
        dotted = DOTS.fullmatch(text)
        return _seconds(dotted[1], dotted[2], dotted[3]) if dotted and _has_two(text) else None
    if (found := TIME_MARKS.fullmatch(text)) and any(found.groups()[:3]):
        if found[4] and not found[3]:
            return None
        return _seconds(found[1], found[2], f"{found[3] or 0}") + float(f"0.{found[4] or 0}")
    return None


def _has_two(text: str) -> bool:
    """Whether a text has two separators: one alone is a decimal point."""
    return sum(text.count(mark) for mark in ".,") > 1


def is_gap(value: Any) -> float:
    """1.0 where a text is the time behind the first, such as +0:12, else 0.0."""
    return float(isinstance(value, str) and value.translate(_AS_PLAIN).startswith("+"))


def seconds_of(value: dt.time | dt.timedelta) -> float:
    """The seconds of a time that a sheet holds as such."""
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return 3600.0 * value.hour + 60.0 * value.minute + value.second + value.microsecond / 1e6


def _seconds(hours: str | None, minutes: str | None, seconds: str) -> float:
    parts = (float((part or "0").replace(",", ".")) for part in (hours, minutes, seconds))
    return sum(part * unit for part, unit in zip(parts, (3600.0, 60.0, 1.0), strict=True))


# Places of the rows of contests.


def add_to_first(rows: Columns, contest: Bounds) -> None:
    """Make times of those behind the first: in each contest the best whole time is added.

    A gap stands in column `points K` where `behind K` is true.
    """
    for name in [name for name in rows if name.startswith("behind ")]:
        behind, points = rows[name], rows[name.replace("behind", "points")]
        if behind.any():
            first = np.full(int(contest.max()) + 1, np.inf)
            np.minimum.at(first, contest[~behind], points[~behind])
            first[np.isinf(first)] = 0.0  # gaps alone: the first has +0
            points[behind] += first[contest[behind]]


def rank_by_points(rows: Columns, start: Bounds, deciding: Sequence[tuple[str, float]]) -> Floats:
    """Places by points: 1 plus the number of players in the contest who did better."""
    count = len(rows["player"])
    contest = repeat_rows(np.arange(len(start) - 1, dtype=np.int64), np.diff(start))
    keys = [
        np.where(rows[f"points {at}"] == LAST, np.inf, -sign * rows[f"points {at}"])
        for at, (_, sign) in enumerate(deciding)
    ]
    order = np.lexsort((*reversed(keys), contest))
    tied = np.ones(count, np.bool_)
    for key in (contest, *keys):
        tied[1:] &= key[order][1:] == key[order][:-1]
    tied[:1] = False
    place = np.arange(count, dtype=np.int64) - start[contest[order]] + 1.0
    place = np.maximum.accumulate(np.where(tied, 0.0, place + start[contest[order]]))
    placed = np.empty(count)
    placed[order] = place - start[contest[order]]
    return placed


def share_last_place(place: Floats, start: Bounds) -> Floats:
    """The places of a table; players without one share the last place."""
    last = place == LAST
    if not last.any():
        return place
    contest = repeat_rows(np.arange(len(start) - 1, dtype=np.int64), np.diff(start))
    worst = np.bincount(contest, ~last, len(start) - 1)
    np.maximum.at(worst, contest, np.where(last, 0.0, place))
    return np.where(last, worst[contest] + 1.0, place)


def find_worse_rows(entries: NDArray[np.int64], place: Floats) -> Mask:
    """The rows of entries (a player of a contest) that stand in a better place, or before, too."""
    order = np.lexsort((place, entries))
    worse = np.zeros(len(place), np.bool_)
    worse[order[1:]] = np.diff(entries[order]) == 0
    return worse


def first_points(rows: Columns) -> Floats | None:
    """The first column that decides, nan where a word stands for no place."""
    points = rows.get("points 0")
    return None if points is None else np.where(points == LAST, np.nan, points)


LEAST_RANKED, RANKED = 3, 0.8  # players of a contest whose points may be places; share of these


def are_places(points: Floats | None, start: Bounds) -> bool:
    """Whether the points of nearly all contests are the places 1, 2, 3 ... of their players, so
    that the first may have the fewest.
    """
    if points is None or np.isnan(points).any():
        return False
    sizes = np.diff(start)
    contest = repeat_rows(np.arange(len(sizes), dtype=np.int64), sizes)
    ordered = points[np.lexsort((points, contest))]
    odd = ordered != np.arange(len(contest), dtype=np.int64) - start[contest] + 1.0
    whole = np.bincount(contest, odd, len(sizes))[sizes >= LEAST_RANKED] == 0.0
    return len(whole) > 0 and bool(whole.mean() >= RANKED)
