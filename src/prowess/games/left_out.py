"""Rows that are left out of a table: how many there are, and whether so many may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from prowess.games.games import counted
from prowess.games.numbers import missing
from prowess.games.refusal import SKIP, BadData, quoted

FEW = 3  # bad rows, also of one kind, that `skip_bad=True` leaves out of any table
SHARE = 0.05  # of the rows of a table; it leaves out no more
ALL = "all"

SkipBad = bool | int | float | str


def allowed_share(skip_bad: SkipBad) -> tuple[float, float]:
    """How many bad rows may be left out, as a number and as a share of all; inf is no limit.

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
    raise BadData(
        f"skip_bad is True, a number of rows, a share from 0.0 to 1.0 or {quoted(ALL)}, "
        f"not {quoted(skip_bad)}"
    )


class LeftOut:
    """Counts the rows that are left out, hands them on, and refuses to leave out too many."""

    def __init__(self, skip_bad: SkipBad, report: Callable[[BadData], Any]) -> None:
        self.skip_bad, self.hand_on = skip_bad, report
        self.most, self.share = allowed_share(skip_bad)
        self.bad = 0  # rows that cannot be read
        self.absent = 0  # rows that are no games, such as unfinished ones
        self.byes = 0  # rows in which a player has no opponent
        self.first: BadData | None = None
        self.kinds: Counter[tuple[str | None, str]] = Counter()  # by column and cell
        self.first_of_kind: dict[tuple[str | None, str], BadData] = {}

    def __call__(self, fault: BadData) -> None:
        """Take note of a row that cannot be read."""
        self.bad += 1
        self.first = self.first or fault
        if not missing(fault.cell):
            kind = fault.column, str(fault.cell)
            self.kinds[kind] += 1
            self.first_of_kind.setdefault(kind, fault)
        self.hand_on(fault)

    def note_absent(self, fault: BadData) -> None:
        """Take note of a row that is no game."""
        self.absent += 1
        self.hand_on(fault)

    def check(self, kept: int) -> None:
        """Raise BadData where more rows are left out than may be; `kept` rows are read."""
        first = self.first
        if first is None:
            return
        rows = kept + self.bad
        if self.skip_bad is True:
            if not kept:
                return  # who asks for games finds none, and hears why
            kind, count = self.kinds.most_common(1)[0] if self.kinds else (None, 0)
            if kind is not None and count > FEW:
                raise self._refused(f"{count:,} rows with {quoted(kind[1])} would be left out",
                                    self.first_of_kind[kind])  # fmt: skip
            if self.bad > FEW and self.bad > SHARE * rows:
                raise self._refused(f"{self.bad:,} of {rows:,} rows would be left out", first)
        elif self.bad > self.most or self.bad > self.share * rows:
            may = f"{self.most:,.0f}" if self.most < inf else f"{self.share:.4g} of them"
            what = f"{self.bad:,} of {rows:,} rows would be left out, and only {may} may be"
            raise self._refused(what, first)

    def notes(self) -> Iterator[str]:
        """How many rows were left out, and why."""
        if self.absent:
            were = "game was" if self.absent == 1 else "games were"
            yield f"{self.absent:,} {were} left out: unfinished or not played"
        if self.byes:
            keep = 'byes="players" (--byes players) keeps them as games'
            yield f"{counted(self.byes, 'bye')} left out; {keep}"
        if self.bad:
            were = "row was" if self.bad == 1 else "rows were"
            yield f"{self.bad:,} {were} left out as bad"

    @property
    def count(self) -> int:
        """How many rows were left out."""
        return self.bad + self.absent + self.byes

    def _refused(self, what: str, fault: BadData) -> BadData:
        """The refusal to leave out so many rows, `fault` being the first of them."""
        mend = (fault.remedy or "").removesuffix(SKIP).removesuffix(" or ").rstrip(", ")
        allow = f"allow it with skip_bad={self.bad} (--skip-bad={self.bad})"
        return BadData(
            f"{what}: {fault.what}",
            file=fault.file,
            line=fault.line,
            row=fault.row,
            column=fault.column,
            remedy=f"{mend}, or {allow}" if mend else allow,
        )
