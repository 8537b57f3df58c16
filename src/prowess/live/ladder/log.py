"""ResultLog: the counted results of a ladder in order of play, as columns; edits of it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.system import Unratable
from prowess.games.games import Games
from prowess.live.ladder.columns import (
    Arrays,
    ColumnBuffer,
    Columns,
    LogForm,
    Splice,
    build_table,
    count_unusual,
    type_of,
)
from prowess.live.ladder.roster import Numbering
from prowess.live.result import Changes, LiveResult, days

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from prowess.live.ladder.roster import LadderRoster

    Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ResultLog:
    """Columns of results by (time, number), in the narrowest form that holds them.

    `blocks` has the columns of each level: `results`; `sides` and where they begin (`start`) of
    contests; `members`, unless all results are games of one player against one; where the members
    of a side begin (`ends`) of teams. `start` and `ends` have one row more than there are runs.
    `unusual` counts the rows that say more than the usual: a column without any is left out of
    the tables, and the numbers are the same.
    """

    form: LogForm
    blocks: Mapping[str, ColumnBuffer]
    unusual: Mapping[str, int]
    highest: int = -1  # no number of a result is above it
    labels: RoundLabels | None = None  # where rounds are kept

    @classmethod
    def of(
        cls, columns: Columns, *, contests: bool, labels: RoundLabels | None = None
    ) -> ResultLog:
        """A log of columns in order of play, players by row, times in days."""
        levels = columns.to_arrays(LogForm(contests, columns.teams))
        for name in {"start", "ends"} & levels.keys():
            levels[name] = {name: np.concatenate(([0], levels[name][name]))}
        return cls.of_levels(levels, contests, labels)

    @classmethod
    def of_levels(
        cls, levels: Mapping[str, Arrays], contests: bool, labels: RoundLabels | None
    ) -> ResultLog:
        """A log of the columns of its blocks."""
        blocks = {}
        for level, held in levels.items():
            arrays = {name: np.array(column, dtype=type_of(name)) for name, column in held.items()}
            blocks[level] = ColumnBuffer(arrays, len(next(iter(arrays.values()))))
        unusual = count_unusual(blocks["results"].part(0)) | {"share": 0}
        if "ends" in blocks:
            unusual |= count_unusual(blocks["members"].part(0))
        highest = int(blocks["results"]["id"].max(initial=-1))
        return cls(LogForm(contests, "ends" in blocks), blocks, unusual, highest, labels)

    def __len__(self) -> int:
        return self.results.count

    @property
    def results(self) -> ColumnBuffer:
        """The columns of results: id, time, weight; of games score, side and what is asked."""
        return self.blocks["results"]

    @property
    def time(self) -> NDArray[np.float64]:
        """Days since 1970 of every result."""
        return self.results["time"]

    # -- where sides and members stand --

    def side_row(self, row: Any) -> Any:
        """The first side of a result, or of several."""
        return self.blocks["start"]["start"][row] if self.form.contests else 2 * row

    def member_row(self, row: Any) -> Any:
        """The first member of a result, or of several."""
        side = self.side_row(row)
        return self.blocks["ends"]["ends"][side] if self.form.teams else side

    def prior_row(self, row: int) -> int:
        """The row of PriorRatings of the first member of a result."""
        return int(self.member_row(row))

    def who(self, rows: Rows) -> NDArray[np.uint32]:
        """The players of some results."""
        if self.form.duels:
            return np.concatenate((self.results["a"][rows], self.results["b"][rows]))
        found: NDArray[np.uint32] = self.whole().select(rows).members["player"]
        return found

    def rows_with(self, player: int) -> Rows:
        """The results of a player."""
        if self.form.duels:
            return np.flatnonzero((self.results["a"] == player) | (self.results["b"] == player))
        place = np.flatnonzero(self.blocks["members"]["player"] == player)
        if self.form.teams:
            place = self.blocks["ends"]["ends"].searchsorted(place, side="right") - 1
        if not self.form.contests:
            return place // 2
        return self.blocks["start"]["start"].searchsorted(place, side="right") - 1

    # -- as columns, and as a table --

    def whole(self, first: int = 0) -> Columns:
        """The results from a row on with nothing implied."""
        count = len(self) - first
        results = self.results.part(first)
        if self.form.duels:
            pair = np.stack((results.pop("a"), results.pop("b")), axis=1).ravel()
            ones = np.ones(2 * count, dtype=np.int64)
            members = {"player": pair, "share": np.ones(2 * count)}
            return Columns(results, np.full(count, 2), {}, ones, members)
        low, at = int(self.side_row(first)), int(self.member_row(first))
        members = self.blocks["members"].part(at)
        width = np.ones(len(members["player"]), dtype=np.int64)
        if self.form.teams:
            width = np.diff(self.blocks["ends"]["ends"][low:])
        else:
            members["share"] = np.ones(len(width))
        if not self.form.contests:
            return Columns(results, np.full(count, 2), {}, width, members)
        size = np.diff(self.blocks["start"]["start"][first:])
        return Columns(results, size, self.blocks["sides"].part(low), width, members)

    def table(self, players: Sequence[str], first: int = 0, last: int | None = None) -> Games:
        """Some results as a table."""
        last = len(self) if last is None else last
        found = self.results.part(first, last)
        if not self.form.duels:
            sides = int(self.side_row(first)), int(self.side_row(last))
            found |= self.blocks["members"].part(
                int(self.member_row(first)), int(self.member_row(last))
            )
            if self.form.contests:
                found |= self.blocks["sides"].part(*sides)
                start = self.blocks["start"]["start"][first : last + 1]
                found["start"] = start - start[0] if first else start
            if self.form.teams:
                ends = self.blocks["ends"]["ends"][sides[0] : sides[1] + 1]
                found["ends"] = ends - ends[0] if first else ends
        return build_table(found, players, self.unusual)

    def alone(self, edit: Edit) -> ResultLog:
        """The results that an edit brings, as a log of their own."""
        return ResultLog.of(edit.columns, contests=self.form.contests, labels=self.labels)

    # -- changing --

    def make_edit(self, changes: Changes, roster: LadderRoster) -> Edit | None:
        """The edit that makes changes; None: nothing changes. Raises Unratable."""
        found = find_splice(self.results, self.highest, changes)
        if found is None:
            return None
        splice, facts = found
        numbering = Numbering(roster)
        sides = [side for fact in facts for side in fact.sides]
        members = [member for side in sides for member in side.members]
        of_sides = self.blocks["sides"].held if self.form.contests else ()
        columns = Columns(
            {
                name: _array(name, [self.cell(name, fact) for fact in facts])
                for name in self.results.held
                if name not in ("a", "b")
            },
            np.array([len(fact.sides) for fact in facts], dtype=np.int64),
            {name: _array(name, [getattr(side, name) for side in sides]) for name in of_sides},
            np.array([len(side.members) for side in sides], dtype=np.int64),
            {
                "player": _array("player", [numbering.row(one.player) for one in members]),
                "share": _array("share", [one.share for one in members]),
            },
        )
        return Edit(splice, columns, tuple(numbering.newcomers))

    def cell(self, name: str, result: LiveResult) -> Any:
        """What a column holds of a result; None is stored as nan."""
        if name == "time":
            return days(result.time)
        if name == "round":
            assert self.labels is not None
            return self.labels.number(result.round)
        if name in ("points_a", "points_b"):
            return result.sides[name == "points_b"].points
        value = getattr(result, name)
        return 0.0 if name == "side" and value is None else value

    def form_after(self, edit: Edit) -> LogForm:
        """The form of the log when an edit has only appended results."""
        return self.form._replace(teams=self.form.teams or edit.columns.teams)

    def appends(self, edit: Edit) -> bool:
        """Whether an edit only adds results behind those there are, and the form stays."""
        splice = edit.splice
        behind = not len(splice.gone) and splice.first == len(self)
        return behind and self.form_after(edit) == self.form

    def apply_edit(self, edit: Edit) -> ResultLog:
        """The log after an edit."""
        if self.appends(edit):
            return self._append(edit)
        if self.form.duels and not edit.columns.teams:
            return self._splice(edit)
        splice, count = edit.splice, len(self)
        order = np.empty(count + splice.growth, dtype=np.int64)
        fresh = np.zeros(len(order), dtype=bool)
        fresh[splice.places] = True
        order[splice.places] = count + np.arange(len(splice.at))
        order[~fresh] = np.delete(np.arange(count), splice.gone)
        columns = self.whole().followed_by(edit.columns).select(order)
        later = ResultLog.of(columns, contests=self.form.contests, labels=self.labels)
        return replace(later, highest=self._highest(edit))

    def _append(self, edit: Edit) -> ResultLog:
        more = edit.columns.to_arrays(self.form)
        for name in {"start", "ends"} & more.keys():
            more[name] = {name: more[name][name] + self.blocks[name][name][-1]}
        blocks = {level: block.extend(more[level]) for level, block in self.blocks.items()}
        added = count_unusual_rows(edit.columns)
        total = {name: count + added[name] for name, count in self.unusual.items()}
        return ResultLog(self.form, blocks, total, self._highest(edit), self.labels)

    def _splice(self, edit: Edit) -> ResultLog:
        """The same of games of one player against one, whose only level moves in long pieces."""
        gone = {name: self.results[name][edit.splice.gone] for name in ("side", "weight")}
        removed, added = count_unusual(gone), count_unusual_rows(edit.columns)
        results = self.results.splice(edit.splice, edit.columns.to_arrays(self.form)["results"])
        total = {n: count - removed.get(n, 0) + added[n] for n, count in self.unusual.items()}
        return ResultLog(self.form, {"results": results}, total, self._highest(edit), self.labels)

    def _highest(self, edit: Edit) -> int:
        return max(self.highest, int(edit.columns.results["id"].max(initial=-1)))


def count_unusual_rows(columns: Columns) -> dict[str, int]:
    """How many rows say more than the usual, by column."""
    return count_unusual(columns.results) | count_unusual(columns.members)


def _array(name: str, values: list[Any]) -> NDArray[Any]:
    return np.array(values, dtype=type_of(name))


# -- labels of rounds --


@dataclass(frozen=True, eq=False)
class RoundLabels:
    """Numbers for the labels of rounds; a number once given stays."""

    numbers: dict[str, int] = field(default_factory=dict)
    next: Any = field(default_factory=itertools.count)

    def number(self, label: str | None) -> int:
        """The number of a label; raises Unratable where there is none."""
        if label is None:
            raise Unratable("rounds by label need the round of every result")
        return self.numbers.setdefault(label, next(self.next))

    @classmethod
    def of(cls, numbers: Mapping[str, int]) -> RoundLabels:
        """Labels that have numbers already."""
        return cls(dict(numbers), itertools.count(max(numbers.values(), default=-1) + 1))


# -- edits: which rows go, which come, and where they stand --


NO_ROWS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Edit:
    """New results in order of play, and the rows of the log they replace."""

    splice: Splice
    columns: Columns  # of the new results
    newcomers: tuple[int, ...]  # players to be added to the roster, by the store's number


def find_splice(
    results: ColumnBuffer, highest: int, changes: Changes
) -> tuple[Splice, list[LiveResult]] | None:
    """Where changed results stand in order of play, and the new ones in that order.

    `results` has the columns id and time; no id is above `highest`. None: nothing changes.
    """
    facts = sorted(
        (fact for fact in changes.values() if fact is not None),
        key=lambda fact: (days(fact.time), fact.id),
    )
    known = [number for number in changes if number <= highest]
    gone = NO_ROWS
    if known:
        gone = np.flatnonzero(np.isin(results["id"], np.array(known, dtype=np.int64)))
    if not facts and not len(gone):
        return None
    return Splice(gone, _rows_for(results, facts)), facts


def _rows_for(results: ColumnBuffer, facts: list[LiveResult]) -> NDArray[np.int64]:
    """The rows before which results are to stand: by time, those of equal time by number."""
    if not facts:
        return NO_ROWS
    number, time, count = results["id"], results["time"], results.count
    first = facts[0]
    if not count or (days(first.time), first.id) > (time[-1], number[-1]):
        return np.full(len(facts), count, dtype=np.int64)
    day = np.array([days(fact.time) for fact in facts])
    low, high = time.searchsorted(day), time.searchsorted(day, side="right")
    within = [
        int(number[start:stop].searchsorted(fact.id)) if start < stop else 0
        for fact, start, stop in zip(facts, low.tolist(), high.tolist(), strict=True)
    ]
    return low.astype(np.int64) + np.array(within, dtype=np.int64)
