"""The columns of dates and of times of the day, by their headings and by their cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from prowess.games.dates import DATED, is_season, is_year
from prowess.games.errors import BadData
from prowess.games.layout import Kind
from prowess.games.roles.evidence import MOST_FIT, is_clock, is_serial, is_whole
from prowess.games.roles.headings import ENTERED, ROLES, Headings
from prowess.games.roles.pairs import find_pairs, find_spare
from prowess.games.values import fold_text, plain_form
from prowess.games.vocabulary import OTHER_DATES, is_date, read_heading, words_of
from prowess.games.words import WORDS_IN_ORDER, words_for

PLAYED_WORDS = words_for("played_when")
MOMENTS = WORDS_IN_ORDER["moment"]
LETTER_RUNS = re.compile(r"[^\W\d_]+")
DATE_LIKE = re.compile("date|datum|stamp", re.IGNORECASE)


def find_time(headings: Headings, kind: Kind) -> dict[str, object]:
    """The column of dates, and of what kind it is; raises BadData where there are several."""
    if "time" in headings.options.roles:
        named = headings.named_column("time")
        years = named is not None and plain_form(named) in ROLES["year"].headings
        return {"time": named, "years": years}
    if exact := headings.guessed.get("date"):
        return {"time": find_played_beside(headings, exact) or exact}
    if not find_spare(headings):
        return {"time": None}
    found = [name for name in headings.names if DATE_LIKE.search(name) and is_date(name)]
    if len(found) > 1:
        raise ask_for_date(headings, found)
    if found or kind != "games":
        return {"time": found[0] if found else find_date_of_contests(headings)}
    clock = headings.plain.get("time")  # in contests it may be a result
    if clock and not has_times_of_day(headings, clock):
        return {"time": clock}
    if played := find_played(headings):
        return {"time": played}
    maybe = headings.guessed.get("maybe date")
    if clock and (dates := find_dates_by_cells(headings)):
        return {"time": dates, "dates_by_cells": True}
    if maybe and not (clock and has_times_of_day(headings, maybe)):
        return {"time": maybe, "maybe_time": not has_serials(headings, maybe)}
    maybe = headings.guessed.get("year")
    if maybe is None and (dates := find_dates_by_cells(headings)):
        return {"time": dates, "dates_by_cells": True}
    return {"time": maybe, "maybe_time": maybe is not None, "years": maybe is not None}


def ask_for_date(headings: Headings, found: Sequence[str]) -> BadData:
    """The question which of several columns is the date."""
    return headings.bad(
        f"the date may be {' or '.join(found[:3])}",
        'name it with time=, or time="none" (--time)',
        code="date_ambiguous",
    )


def has_times_of_day(headings: Headings, name: str) -> bool:
    """Whether all cells of a column are times of the day, without a date."""
    return headings.evidence[name].share(is_clock) == 1.0


def find_year_of_contests(headings: Headings, keys: Sequence[str]) -> str | None:
    """The key that holds years or seasons, of each of which there is one contest: it is the
    date, too.
    """
    rows = headings.evidence.rows
    contests = {*zip(*(map(str, rows[name]) for name in keys), strict=True)}
    found = [
        name for name in keys if read_heading(name).subjects & {"year", "season"}
        and headings.evidence[name].share(is_year) + headings.evidence[name].share(is_season) == 1.0
        and len({*map(str, rows[name])}) == len(contests)
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def has_seasons(headings: Headings, name: str) -> bool:
    """Whether 2003/04 of a column are seasons, as its heading says, and no months."""
    of_season = "season" in read_heading(name).subjects
    return of_season and headings.evidence[name].share(is_season) == 1.0


def find_date_of_contests(headings: Headings) -> str | None:
    """The column whose cells are the dates of contests; a column `Time` may hold results."""
    maybe = headings.guessed.get("maybe date")
    if maybe and headings.evidence[maybe].dates == 1.0:
        return maybe
    found = [
        name
        for name in headings.names
        if words_of(name).isdisjoint(OTHER_DATES | {"id"})
        and headings.evidence[name].dates == 1.0
        and not has_seasons(headings, name)
    ]
    if len(found) < 2 and (counted := find_counted_moment(headings)):
        found = found or [counted]
    return found[0] if len(found) == 1 else None


def find_counted_moment(headings: Headings) -> str | None:
    """The column of seconds or milliseconds whose heading says that games began then."""
    for moment in MOMENTS:
        for name in headings.names:
            words = words_of(name)
            if moment in words and "id" not in words and headings.evidence[name].moments == 1.0:
                return name
    return None


def find_played(headings: Headings) -> str | None:
    """The column of dates, among several, whose heading says that games were played then."""
    played = [name for name in headings.names if words_of(name) & {"match", *PLAYED_WORDS}]
    found = [name for name in played if headings.evidence[name].moments == 1.0]
    return found[0] if len(found) == 1 else None


def find_played_beside(headings: Headings, entered: str) -> str | None:
    """The column of the dates of games beside one of the times at which they were entered."""
    if plain_form(entered) not in {*ENTERED, "timestamp"}:
        return None
    found = [
        name
        for name in headings.names
        if name != entered
        and words_of(name).isdisjoint(OTHER_DATES)
        and (read_heading(name).subjects & {"date", "day"} or words_of(name) & PLAYED_WORDS)
        and headings.evidence[name].moments == 1.0
    ]
    return found[0] if len(found) == 1 else None


def find_dates_by_cells(headings: Headings) -> str | None:
    """The column whose cells are dates, whatever its heading; raises BadData for several."""
    players = {name for pair in find_pairs(headings) for name in pair}
    found = [
        name
        for name in headings.names
        if name not in players | {headings.guessed.get("result"), headings.guessed.get("winner")}
        and words_of(name).isdisjoint(OTHER_DATES | {"id"})
        and (headings.evidence[name].moments == 1.0 or has_serials(headings, name))
        and headings.evidence[name].share(begins_as_date) == 1.0
        and not has_seasons(headings, name)
    ]
    if len(found) > 1:
        raise ask_for_date(headings, found)
    return found[0] if found else None


def has_serials(headings: Headings, name: str) -> bool:
    """Whether a column holds days as Excel counts them: its heading or parts of days say so."""
    heading, column = read_heading(name), headings.evidence[name]
    if column.share(is_serial) < 1.0 or heading.spoiled:
        return False
    return bool(heading.subjects & {"date", "clock"}) or column.share(is_whole) < 1.0


def find_clock(headings: Headings, common: Mapping[str, object]) -> str | None:
    """The column of times of the day that stands beside one of dates."""
    if common["time"] is None or "time" in headings.options.roles:
        return None
    found = [headings.plain[name] for name in ROLES["clock"].headings if name in headings.plain]
    if not found:
        found = [
            name
            for name in headings.names
            if "clock" in read_heading(name).subjects
            and headings.evidence[name].share(is_clock) >= MOST_FIT
        ]
    return next((name for name in found if name != common["time"]), None)


def begins_as_date(cell: Any) -> bool:
    """Whether nothing but a day of the week or a month stands before the digits of a date."""
    found = DATED.search(cell) if isinstance(cell, str) else None
    if found is None:
        return True
    from prowess.games.cells.date_words import MONTHS, WEEKDAYS

    before = LETTER_RUNS.findall(fold_text(str(cell)[: found.start()]))
    return {*before} <= MONTHS.keys() | WEEKDAYS.keys()
