"""Dates without a year, `27.08.`, where the title, the file or a column of seasons says it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.cells.date_words import FIRST_WORD, MONTHS, split_cell
from prowess.games.errors import InvalidValue, quote
from prowess.games.patterns import lazy_pattern
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import fold_text, is_missing
from prowess.games.vocabulary import read_heading

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.roles.headings import Headings

SEASON = lazy_pattern(r"(?<!\d)((?:19|20)\d\d)\s?[-/–_]\s?((?:19|20)?\d\d)(?!\d|[-./]\d)")
YEAR = lazy_pattern(r"(?<![\d./-])(?:19|20)\d\d(?![\d/]|[-.]\d)")
NUMBERS = lazy_pattern(r"(\d{1,2})\s?([./-])\s?(\d{1,2})(?!\d)\.?(?=$|[\s,])")
WORDS = lazy_pattern(r"(\d{1,2})\.?[\s-]?([^\W\d]{3,})\.?|([^\W\d]{3,})\.?[\s-]?(\d{1,2})\.?(?!\d)")
ORDERS = ("day first", "month first")
FEWEST = 8  # different dates whose order in time is evidence
JULY = 7  # from here on dates are of the first year of a season


class Day(NamedTuple):
    """A day and a month as they stand in a cell, and what stands before and behind them."""

    before: str
    numbers: tuple[int, int]  # day and month, or as they stand where they are in numbers
    mark: str  # between numbers, empty for the name of a month
    behind: str


def add_years(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with a column of whole dates made of dates without a year; None for others, or
    where nothing tells the year.
    """
    name = headings.guessed.get("date") or headings.guessed.get("maybe date")
    if name is None:
        return None
    found: list[Day] = []
    for cell in headings.evidence[name].cells:
        if (day := read_day(cell)) is None:
            return None
        found.append(day)
    if not found:
        return None
    beside = [
        each for each in headings.names
        if read_heading(each).subjects & {"season", "year"} and each != name
        and headings.evidence[each].filled == headings.evidence[each].rows
        and headings.evidence[each].share(lambda cell: find_years([str(cell)]) is not None) == 1.0
    ]  # fmt: skip
    years = find_years(table.titles) or find_years([PurePath(table.file.split(", ")[0]).stem])
    if not beside and years is None:
        return None
    order = _find_order(found, headings)
    if not beside and years and not _fits(found, order, years):
        return None

    def join(cell: Any, *seasons: Any) -> str:
        if is_missing(cell):
            return ""
        day = read_day(cell)
        of_row = find_years([str(season) for season in seasons]) or years
        if day is None or of_row is None:
            raise InvalidValue(
                f"{quote(cell)} is no date without a year",
                "write it as the others",
                code="not_a_date",
            )
        return _write(day, order, of_row)

    sources = (name, *beside[:1])
    date = name_column(table, f"{name} with years")
    told = (
        f"column {quote(beside[0])}" if beside else "-".join(map(str, dict.fromkeys(years or ())))
    )
    note = f"dates of column {quote(name)} without a year are of {told}"
    return derive_columns(table, {date: DerivedColumn(sources, join)}, {"time": date}, notes=[note])


def find_years(texts: Iterable[str]) -> tuple[int, int] | None:
    """The first and the last year of the only season, or of the only year, that texts name."""
    texts = [*texts]
    seasons = {
        (int(found[1]), int(found[1][:2] + found[2][-2:]))
        for text in texts for found in SEASON.finditer(text)
    }  # fmt: skip
    seasons = {(first, last) for first, last in seasons if last == first + 1}
    if seasons:
        return seasons.pop() if len(seasons) == 1 else None
    years = {int(year) for text in texts for year in YEAR.findall(text)}
    return (*years, *years) if len(years) == 1 else None  # type: ignore[return-value]


def read_day(cell: Any) -> Day | None:
    """The day and the month of a date without a year; None for another cell."""
    if not isinstance(cell, str):
        return None
    text = cell.strip()
    weekday = FIRST_WORD.match(fold_text(text))
    start = weekday.end() if weekday and weekday[1] not in MONTHS else 0
    if found := NUMBERS.match(text, start):
        day = Day(text[:start], (int(found[1]), int(found[3])), found[2], text[found.end() :])
    elif found := WORDS.match(text, start):
        month = MONTHS.get(fold_text(found[2] or found[3]))
        if month is None:
            return None
        day = Day(text[:start], (int(found[1] or found[4]), month), "", text[found.end() :])
    else:
        return None
    try:
        whole = split_cell(_write(day, 0 if day.numbers[1] <= 12 else 1, (2000, 2000)))
    except InvalidValue:
        return None
    return None if whole is None or YEAR.search(text) else day


def _find_order(days: Sequence[Day], headings: Headings) -> int:
    """Where the day stands in dates of two numbers, 0 or 1; raises BadData where that is open."""
    if headings.options.date_format in ORDERS:
        return ORDERS.index(headings.options.date_format)
    numbers = [day.numbers for day in days if day.mark]
    fits = [at for at in (0, 1) if all(pair[1 - at] <= 12 for pair in numbers)]
    if len(fits) == 2 and all(day.mark in {"", "."} for day in days):
        return 0
    if len(fits) == 2 and len({*numbers}) >= FEWEST:
        months = [[(pair[1 - at] - JULY) % 12 for pair in numbers] for at in fits]
        fits = [at for at in fits if months[at] == sorted(months[at])]
    if len(fits) != 1:
        one, other = numbers[0]
        raise headings.bad(
            f"the dates without a year, such as {one}/{other}, may be day first or month first",
            'give date_format="day first" or "month first" (--date-format)',
            code="day_or_month_first",
        )
    return fits[0]


def _fits(days: Sequence[Day], order: int, years: tuple[int, int]) -> bool:
    """Whether dates may all be of one year: December is not followed by January."""
    months = [day.numbers[1 - order if day.mark else 1] for day in days]
    return years[0] < years[1] or not any(
        before > after + 6 for before, after in itertools.pairwise(months)
    )


def _write(day: Day, order: int, years: tuple[int, int]) -> str:
    number = day.numbers[order if day.mark else 0]
    month = day.numbers[1 - order if day.mark else 1]
    year = years[0] if month >= JULY else years[1]
    return f"{day.before}{year}-{month:02d}-{number:02d}{day.behind}"
