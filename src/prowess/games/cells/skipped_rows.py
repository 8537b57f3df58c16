"""Rows that are left out: counted, handed on, and refused where they are too many."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from operator import attrgetter
from typing import Any

from prowess.games.errors import SKIP, BadData, quote
from prowess.games.reading import UnplayedGame
from prowess.games.values import is_missing

FEW_BAD_ROWS = 3  # bad rows, also of one kind, that `skip_bad=True` leaves out of any table
SHARE_OF_BAD = 0.05  # of the rows of a table; it leaves out no more
MOST_KINDS = 10_000  # of bad rows that are counted, so that a stream of many keeps few
ALL = "all"
MOST_UNPLAYED = 10_000  # games without a result that are kept, those of the latest dates
DIGIT_RUN = re.compile(r"[0-9]+")  # cells that differ only in them are of one kind
BY_TIME = attrgetter("time")
BYE, BAD = "bye", "bad"  # reasons to leave a row out

SkipBad = bool | int | float | str
Counts = Mapping[str, Any]  # of `SkippedRows.counts`, as plain data


def parse_skip_bad(skip_bad: SkipBad) -> tuple[float, float]:
    """The limit of bad rows, as a number and as a share of all; inf is no limit.

    Raises BadData for what is neither True, False, a number of rows, a share nor "all".
    """
    if isinstance(skip_bad, bool):
        return inf, (1.0 if skip_bad else 0.0)
    if isinstance(skip_bad, str) and skip_bad == ALL:
        return inf, inf
    if isinstance(skip_bad, int) and skip_bad >= 0:
        return skip_bad, inf
    if isinstance(skip_bad, float) and 0.0 <= skip_bad <= 1.0:
        return inf, skip_bad
    raise BadData.of("bad_skip_bad", all_rows=ALL, skip_bad=skip_bad)


@dataclass(eq=False)
class SkippedRows:
    """Counts the rows that are left out, hands them on, and refuses to leave out too many."""

    skip_bad: SkipBad
    report: Callable[[BadData], Any] | None
    reported: set[tuple[str | None, int | None]] = field(default_factory=set)  # by file and place
    bad: int = 0  # rows that cannot be read
    absent: Counter[str] = field(default_factory=Counter)  # rows that are no games, by reason
    byes: int = 0  # rows in which a player has no opponent
    examples: dict[str, str] = field(
        default_factory=dict
    )  # the first row that is no game, by reason
    unplayed: list[UnplayedGame] = field(default_factory=list)
    first: BadData | None = None
    kinds: Counter[tuple[str | None, str]] = field(default_factory=Counter)  # column and form
    first_of_kind: dict[tuple[str | None, str], BadData] = field(default_factory=dict)
    last: tuple[tuple[int, int, int], Counts] | None = None  # counts that were asked for

    def __call__(self, fault: BadData) -> None:
        """Take note of a row that cannot be read."""
        self.bad += 1
        self.first = self.first or fault
        if not is_missing(fault.cell):
            kind = fault.column, DIGIT_RUN.sub("0", str(fault.cell))
            if kind in self.kinds or len(self.kinds) < MOST_KINDS:
                self.kinds[kind] += 1
                self.first_of_kind.setdefault(kind, fault)
        self._report(fault)

    def note_absent(self, fault: BadData, reason: str | None = None) -> None:
        """Take note of a row that does not count, for a reason or because it is unfinished."""
        self.absent[reason or "unfinished"] += 1
        self.examples.setdefault(reason or "unfinished", describe_row(fault))
        if reason is None:
            self._report(fault)

    def note_unplayed(self, games: Iterable[UnplayedGame]) -> None:
        """Keep games that have a date and no result, the latest of them."""
        self.unplayed += games
        if len(self.unplayed) > MOST_UNPLAYED:
            self.unplayed = sorted(self.unplayed, key=BY_TIME)[-MOST_UNPLAYED:]

    def note_byes(self, count: int, example: str) -> None:
        """Take note of so many rows in which a player has no opponent, such as this one."""
        self.byes += count
        if count and example:
            self.examples.setdefault(BYE, example)

    def _report(self, fault: BadData) -> None:
        place = fault.file, fault.row if fault.line is None else fault.line
        if self.report is not None and place not in self.reported:
            self.reported.add(place)
            self.report(fault)

    def counts(self) -> Counts:
        """What `restore` goes on from, as plain data; the same as before where nothing is new."""
        now = self.bad, self.byes, self.absent.total()
        if self.last is None or self.last[0] != now:
            self.last = now, self._pack_counts()
        return self.last[1]

    def _pack_counts(self) -> Counts:
        kinds = [[*kind, n, _pack(self.first_of_kind[kind])] for kind, n in self.kinds.items()]
        first = None if self.first is None else _pack(self.first)
        found = {"bad": self.bad, "byes": self.byes, "absent": {**self.absent},
                 "examples": {**self.examples}}  # fmt: skip
        return {**found, "kinds": kinds, "first": first}

    def restore(self, counts: Counts) -> None:
        """Count on from there."""
        self.bad, self.byes = counts["bad"], counts["byes"]
        self.absent = Counter(counts["absent"])
        self.examples = {**counts.get("examples", {})}
        self.first = None if counts["first"] is None else BadData(**counts["first"])
        self.kinds, self.first_of_kind = Counter(), {}
        for column, form, count, fault in counts["kinds"]:
            self.kinds[column, form] = count
            self.first_of_kind[column, form] = BadData(**fault)

    def check(self, kept: int) -> None:
        """Raise BadData where more rows are left out than may be; `kept` rows are read."""
        first = self.first
        if first is None:
            return
        rows = kept + self.bad
        most, share = parse_skip_bad(self.skip_bad)
        if self.skip_bad is True:
            if not kept:
                return  # the caller reports that there are no games
            kind, count = self.kinds.most_common(1)[0] if self.kinds else (None, 0)
            if kind is not None and count > FEW_BAD_ROWS:
                fault = self.first_of_kind[kind]
                like = "such as" if str(fault.cell) != kind[1] else "with"
                what = f"{count:,} rows {like} {quote(fault.cell)} would be left out"
                raise self._refusal(what, fault)
            if self.bad > FEW_BAD_ROWS and self.bad > SHARE_OF_BAD * rows:
                raise self._refusal(f"{self.bad:,} of {rows:,} rows would be left out", first)
        elif self.bad > most or self.bad > share * rows:
            may = f"{most:,.0f}" if most < inf else f"{share:.4g} of them"
            what = f"{self.bad:,} of {rows:,} rows would be left out, and only {may} may be"
            raise self._refusal(what, first)

    def reasons(self) -> dict[str, int]:
        """The number of rows left out, by reason."""
        counts = {BYE: self.byes, **self.absent, BAD: self.bad}
        return {reason: count for reason, count in counts.items() if count}

    def _refusal(self, what: str, fault: BadData) -> BadData:
        """The refusal to leave out so many rows, `fault` being the first of them."""
        mend = (fault.remedy or "").removesuffix(SKIP).removesuffix(" or ").rstrip(", ")
        allow = f"allow it with skip_bad={self.bad} (--skip-bad={self.bad})"
        remedy = f"{mend}, or {allow}" if mend else allow
        return fault.reword(f"{what}: {fault.what}", remedy, "too_many_bad_rows")


def describe_row(fault: BadData) -> str:
    """Where a row stands that is no game, and what tells so: `line 7 "W/O"`."""
    place = f"row {fault.row}" if fault.line is None else f"line {fault.line}"
    return place if is_missing(fault.cell) else f"{place} {quote(fault.cell)}"


def _pack(fault: BadData) -> dict[str, Any]:
    """The arguments of a fault, as plain data."""
    cell = None if fault.cell is None else str(fault.cell)
    place = {"file": fault.file, "line": fault.line, "row": fault.row, "column": fault.column}
    return {"what": fault.what, **place, "remedy": fault.remedy, "cell": cell, "code": fault.code}
