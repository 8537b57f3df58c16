"""The columns of dates and of times of the day, by their headings and by their cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from prowess.games.dates import DATED, is_season, is_year
from prowess.games.layout import Kind
from prowess.games.roles.evidence import MOST, is_clock, is_whole
from prowess.games.roles.headings import ENTERED, MEANINGS, Headings
from prowess.games.values import fold_text, plain_form
from prowess.games.vocabulary import OTHER_DATES, is_date, read_heading, words_of
from prowess.games.words import WORDS_IN_ORDER, words_for

PLAYED_WORDS = words_for("played_when")
MOMENTS = WORDS_IN_ORDER["moment"]
WORDS = re.compile(r"[^\W\d_]+")
DATE_LIKE = re.compile("date|datum|stamp", re.IGNORECASE)


class DateHeadings(Headings):
    """Finds the columns of dates of one table."""

    def find_time(self, kind: Kind) -> dict[str, object]:
        """The column of dates, and of what kind it is; raises BadData where there are several."""
        if "time" in self.options.roles:
            named = self.named_column("time")
            years = named is not None and plain_form(named) in MEANINGS["year"]
            return {"time": named, "years": years}
        if exact := self.guessed.get("date"):
            return {"time": self.played_beside(exact) or exact}
        found = [name for name in self.names if DATE_LIKE.search(name) and is_date(name)]
        if len(found) > 1:
            shown = " or ".join(found[:3])
            raise self.bad(
                f"the date may be {shown}",
                'name it with time=, or time="none" (--time)',
                code="date_ambiguous",
            )
        if found or kind != "games":
            return {"time": found[0] if found else self.date_of_contests()}
        clock = self.plain.get("time")  # in contests it may be a result
        if clock and not self.has_times_of_day(clock):
            return {"time": clock}
        if played := self.played_column():
            return {"time": played}
        maybe = self.guessed.get("maybe date")
        if clock and self.evidence is not None and (dates := self.dates_by_cells()):
            return {"time": dates, "dates_by_cells": True}
        if maybe and not (clock and self.has_times_of_day(maybe)):
            serials = self.evidence is not None and self.has_serials(maybe)
            return {"time": maybe, "maybe_time": not serials}
        maybe = self.guessed.get("year")
        if maybe is None and self.evidence is not None and (dates := self.dates_by_cells()):
            return {"time": dates, "dates_by_cells": True}
        return {"time": maybe, "maybe_time": maybe is not None, "years": maybe is not None}

    def has_times_of_day(self, name: str) -> bool:
        """Whether all cells of a column are times of the day, without a date."""
        return self.evidence is not None and self.evidence[name].share(is_clock) == 1.0

    def year_of_contests(self, keys: Sequence[str]) -> str | None:
        """The key that holds years or seasons, of each of which there is one contest: it is the
        date, too.
        """
        if self.evidence is None:
            return None
        rows = self.evidence.rows
        contests = {*zip(*(map(str, rows[name]) for name in keys), strict=True)}
        found = [
            name for name in keys if read_heading(name).subjects & {"year", "season"}
            and self.evidence[name].share(is_year) + self.evidence[name].share(is_season) == 1.0
            and len({*map(str, rows[name])}) == len(contests)
        ]  # fmt: skip
        return found[0] if len(found) == 1 else None

    def has_seasons(self, name: str) -> bool:
        """Whether 2003/04 of a column are seasons, as its heading says, and no months."""
        assert self.evidence is not None
        of_season = "season" in read_heading(name).subjects
        return of_season and self.evidence[name].share(is_season) == 1.0

    def date_of_contests(self) -> str | None:
        """The column whose cells are the dates of contests; a column `Time` may hold results."""
        if self.evidence is None:
            return None
        maybe = self.guessed.get("maybe date")
        if maybe and self.evidence[maybe].dates == 1.0:
            return maybe
        found = [
            name
            for name in self.names
            if words_of(name).isdisjoint(OTHER_DATES | {"id"})
            and self.evidence[name].dates == 1.0
            and not self.has_seasons(name)
        ]
        if len(found) < 2 and (counted := self.counted_moment()):
            found = found or [counted]
        return found[0] if len(found) == 1 else None

    def counted_moment(self) -> str | None:
        """The column of seconds or milliseconds whose heading says that games began then."""
        assert self.evidence is not None
        for moment in MOMENTS:
            for name in self.names:
                words = words_of(name)
                if moment in words and "id" not in words and self.evidence[name].moments == 1.0:
                    return name
        return None

    def played_column(self) -> str | None:
        """The column of dates, among several, whose heading says that games were played then."""
        if self.evidence is None:
            return None
        played = [name for name in self.names if words_of(name) & {"match", *PLAYED_WORDS}]
        found = [name for name in played if self.evidence[name].moments == 1.0]
        return found[0] if len(found) == 1 else None

    def played_beside(self, entered: str) -> str | None:
        """The column of the dates of games beside one of the times at which they were entered."""
        if self.evidence is None or plain_form(entered) not in {*ENTERED, "timestamp"}:
            return None
        found = [
            name
            for name in self.names
            if name != entered
            and words_of(name).isdisjoint(OTHER_DATES)
            and (read_heading(name).subjects & {"date", "day"} or words_of(name) & PLAYED_WORDS)
            and self.evidence[name].moments == 1.0
        ]
        return found[0] if len(found) == 1 else None

    def dates_by_cells(self) -> str | None:
        """The column whose cells are dates, whatever its heading; raises BadData for several."""
        assert self.evidence is not None
        found = [
            name
            for name in self.names
            if words_of(name).isdisjoint(OTHER_DATES | {"id"})
            and (self.evidence[name].moments == 1.0 or self.has_serials(name))
            and self.evidence[name].share(begins_as_date) == 1.0
            and not self.has_seasons(name)
        ]
        if len(found) > 1:
            shown = " or ".join(found[:3])
            raise self.bad(
                f"the date may be {shown}",
                'name it with time=, or time="none" (--time)',
                code="date_ambiguous",
            )
        return found[0] if found else None

    def has_serials(self, name: str) -> bool:
        """Whether a column holds days as Excel counts them: its heading or parts of days say so."""
        assert self.evidence is not None
        heading, column = read_heading(name), self.evidence[name]
        if column.serials < 1.0 or heading.spoiled:
            return False
        return bool(heading.subjects & {"date", "clock"}) or column.share(is_whole) < 1.0

    def find_clock(self, common: Mapping[str, object]) -> str | None:
        """The column of times of the day that stands beside one of dates."""
        if common["time"] is None or "time" in self.options.roles:
            return None
        found = [self.plain[name] for name in MEANINGS["clock"] if name in self.plain]
        if self.evidence is not None and not found:
            found = [
                name
                for name in self.names
                if "clock" in read_heading(name).subjects
                and self.evidence[name].share(is_clock) >= MOST
            ]
        return next((name for name in found if name != common["time"]), None)


def begins_as_date(cell: Any) -> bool:
    """Whether nothing but a day of the week or a month stands before the digits of a date."""
    found = DATED.search(cell) if isinstance(cell, str) else None
    if found is None:
        return True
    from prowess.games.cells.date_words import MONTHS, WEEKDAYS

    before = WORDS.findall(fold_text(str(cell)[: found.start()]))
    return {*before} <= MONTHS.keys() | WEEKDAYS.keys()
