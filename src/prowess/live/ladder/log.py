"""ResultLog: the counted results of a ladder in order of play, as columns; edits of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.system import Unratable
from prowess.games.games import Games
from prowess.games.runs import bounds_of
from prowess.live.result import FIELD_DEFAULTS, Changes, LiveResult, days

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.live.ladder.players import Players

    Rows = NDArray[np.int64]

Columns = Mapping[str, "NDArray[Any]"]
COLUMN_TYPES = {  # of columns; others are float64
    "id": np.int64, "a": np.uint32, "b": np.uint32, "player": np.uint32, "round": np.int32,
    "start": np.int64, "ends": np.int64,
}  # fmt: skip
OFFSETS = ("start", "ends")  # levels with one row more than there are runs
EXTRAS = {"margin": ("margin",), "length": ("length",), "points": ("points_a", "points_b")}
OTHER_COLUMNS: Mapping[str, Callable[[LiveResult], Any]] = {  # that are no field of a result
    "time": lambda one: days(one.time),
    "side": lambda one: one.side or 0.0,
    "points_a": lambda one: one.sides[0].points,
    "points_b": lambda one: one.sides[1].points,
}
MIN_ROOM = 64  # rows
EMPTY_ROWS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class ColumnBuffer:
    """Columns of equal length by name; `held` has room behind the `count` rows that are filled.

    Only the newest of the buffers that share memory may be extended.
    """

    held: Columns
    count: int

    @classmethod
    def join(cls, *pieces: Columns) -> ColumnBuffer:
        """The rows of several pieces, in memory of their own with room behind them."""
        none = {name: column[:0] for name, column in pieces[0].items()}
        return cls(none, 0).replace_tail(0, *pieces)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.held[name][: self.count]

    def part(self, first: int = 0, last: int | None = None) -> dict[str, NDArray[Any]]:
        """Some rows of all columns."""
        last = self.count if last is None else last
        return {name: column[first:last] for name, column in self.held.items()}

    def without_room(self) -> ColumnBuffer:
        """The same rows in the same memory; what is added goes into memory of its own."""
        return ColumnBuffer(self.part(), self.count)

    def replace_tail(self, kept: int, *more: Columns) -> ColumnBuffer:
        """The first `kept` rows and more behind them, in the same memory where there is room."""
        count = kept + sum(len(next(iter(piece.values()), ())) for piece in more)
        found = self.make_room(kept, count)
        for name, column in found.held.items():
            np.concatenate([piece[name] for piece in more], out=column[kept:count])
        return found

    def make_room(self, kept: int, count: int) -> ColumnBuffer:
        """The first `kept` rows and, to `count`, rows to be written; in the same memory where there
        is room.
        """
        held = self.held
        if kept < self.count or any(len(column) < count for column in held.values()):
            held = {
                name: np.empty((2 * count + MIN_ROOM, *column.shape[1:]), column.dtype)
                for name, column in held.items()
            }
            for name, column in held.items():
                column[:kept] = self.held[name][:kept]
        return ColumnBuffer(held, count)


@dataclass(frozen=True, eq=False)
class Edit:
    """New results in order of play, and where they go; rows are those of the log before.

    `gone` ascends without repeats; the j-th new result stands before the old row `at[j]`. `first`
    is the first row that is no longer what it was.
    """

    gone: Rows
    at: Rows
    first: int
    log: ResultLog  # of the new results alone
    players: Players  # newcomers included

    def runs(self, count: int) -> list[tuple[bool, int, int]]:
        """The runs of the edited log: (whether of the new results, first row, last + 1)."""
        cuts = np.unique(np.concatenate(([0, count], self.gone, self.gone + 1, self.at)))
        low, high = (self.at.searchsorted(cuts, side=side).tolist() for side in ("left", "right"))
        gone, ends = np.isin(cuts, self.gone).tolist(), [*cuts.tolist(), count]
        found = []
        for k, (first, last) in enumerate(pairwise(ends)):
            found.append((True, low[k], high[k]))
            if not gone[k]:
                found.append((False, first, last))
        return [run for run in found if run[1] < run[2]]


@dataclass(frozen=True, eq=False)
class ResultLog:
    """Columns of results by (time, number), in the narrowest form that holds them.

    `levels` has the columns of `results`; of contests `sides`, and `start`, where the sides of each
    result begin. Games of one player against one have columns `a` and `b`; other logs `members`,
    and, of teams (a side has several members, or a share other than 1), `ends`, where the members
    of each side begin.
    """

    levels: Mapping[str, ColumnBuffer]
    unusual: frozenset[str]  # columns to write into tables: in others every row is as usual
    labels: dict[str, int] | None  # numbers of the labels of rounds, where these are kept
    highest: int  # no number of a result is above it

    @classmethod
    def of(cls, levels: Mapping[str, Columns], labels: dict[str, int] | None) -> ResultLog:
        """The log of these columns."""
        blocks = {}
        for level, held in levels.items():
            columns = {
                name: np.ascontiguousarray(column, dtype=COLUMN_TYPES.get(name, np.float64))
                for name, column in held.items()
            }
            blocks[level] = ColumnBuffer(columns, len(next(iter(columns.values()))))
        unusual = frozenset(
            name
            for block in blocks.values()
            for name, column in block.held.items()
            if name in FIELD_DEFAULTS and (column != FIELD_DEFAULTS[name]).any()
        )
        return cls(blocks, unusual, labels, int(blocks["results"].held["id"].max(initial=-1)))

    def __len__(self) -> int:
        return self.levels["results"].count

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column of the results: id, time (days since 1970), weight; of games score, side..."""
        return self.levels["results"][name]

    @property
    def teams(self) -> bool:
        """Whether it has the form of teams."""
        return "ends" in self.levels

    def entry(self, level: str, row: int) -> int:
        """The first entry of a level that belongs to a result."""
        if level in ("results", "start"):
            return row
        side = int(self.levels["start"]["start"][row]) if "start" in self.levels else 2 * row
        return int(self.levels["ends"]["ends"][side]) if level == "members" and self.teams else side

    def table(self, players: Players, first: int = 0, last: int | None = None) -> Games:
        """Some results as a table; columns in which all is as usual are left out."""
        last = len(self) if last is None else last
        found: dict[str, Any] = {}
        for level, block in self.levels.items():
            low, high = self.entry(level, first), self.entry(level, last)
            if level in OFFSETS:
                column = block[level][low : high + 1]
                found[level] = column - column[0] if low else column
            else:
                found |= block.part(low, high)
        del found["id"]
        for name in FIELD_DEFAULTS.keys() - self.unusual:
            found.pop(name, None)
        return Games(players=players, **found)

    def first_rows(self, count: int) -> ResultLog:
        """The first results, in the same memory."""
        levels = {
            level: ColumnBuffer(block.held, self.entry(level, count) + (level in OFFSETS))
            for level, block in self.levels.items()
        }
        return ResultLog(levels, self.unusual, self.labels, self.highest)

    def apart(self) -> ResultLog:
        """The same results; what is added to them goes into memory of its own."""
        levels = {level: block.without_room() for level, block in self.levels.items()}
        labels = None if self.labels is None else dict(self.labels)
        return ResultLog(levels, self.unusual, labels, self.highest)

    # -- forms --

    def with_form(self, teams: bool) -> ResultLog:
        """The same results with the columns of teams, or without them."""
        if teams == self.teams:
            return self
        levels = {level: block.part() for level, block in self.levels.items()}
        results, contests = levels["results"], "start" in levels
        if teams:
            if not contests:
                pair = np.stack((results.pop("a"), results.pop("b")), axis=1)
                levels["members"] = {"player": pair.ravel()}
            count = len(levels["members"]["player"])
            levels["members"]["share"] = np.ones(count)
            levels["ends"] = {"ends": np.arange(count + 1, dtype=np.int64)}
        else:
            del levels["ends"], levels["members"]["share"]
            if not contests:
                player = levels.pop("members")["player"]
                results |= {"a": player[0::2], "b": player[1::2]}
        return ResultLog.of(levels, self.labels)

    def narrow(self) -> ResultLog:
        """The same results in the narrowest form."""
        if not self.teams:
            return self
        several = bool((np.diff(self.levels["ends"]["ends"]) != 1).any())
        return self.with_form(several or "share" in self.unusual)

    # -- changes --

    def plan_edit(self, changes: Changes, players: Players) -> Edit | None:
        """The edit that makes changes; None: nothing changes. Raises Unratable."""
        new = sorted(
            (one for one in changes.values() if one is not None),
            key=lambda one: (days(one.time), one.id),
        )
        held, count = self.levels["results"].part(), len(self)
        number, time = held["id"], held["time"]
        known = [one for one in changes if one <= self.highest]
        gone = EMPTY_ROWS
        if known:
            gone = np.flatnonzero(np.isin(number, np.array(known, dtype=np.int64)))
        if not new and not len(gone):
            return None
        if not count or (new and (days(new[0].time), new[0].id) > (time[-1], number[-1])):
            at = np.full(len(new), count, dtype=np.int64)
        else:  # by time, those of equal time by number
            day = np.array([days(one.time) for one in new])
            low, high = time.searchsorted(day), time.searchsorted(day, side="right")
            within = [
                int(number[start:stop].searchsorted(one.id)) if start < stop else 0
                for one, start, stop in zip(new, low.tolist(), high.tolist(), strict=True)
            ]
            at = low.astype(np.int64) + np.array(within, dtype=np.int64)
        players = players.add([player for one in new for player in one.players])
        first = min(gone[:1].tolist() + at[:1].tolist())
        return Edit(gone, at, first, self._log_of(new, players), players)

    def _log_of(self, new: Sequence[LiveResult], players: Players) -> ResultLog:
        """Results as a log of their own with the columns of this one, in the narrowest form."""
        sides = [side for one in new for side in one.sides]
        members = [member for side in sides for member in side.members]
        player = [players.rows[one.player] for one in members]
        names = [name for name in self.levels["results"].held if name not in ("a", "b")]
        results = {name: [*map(OTHER_COLUMNS.get(name, attrgetter(name)), new)] for name in names}
        if self.labels is not None:
            results["round"] = [number_label(self.labels, one.round) for one in new]
        levels: dict[str, Any] = {"results": results}
        if len(members) != len(sides) or any(one.share != 1.0 for one in members):
            ends = np.cumsum([0, *(len(side.members) for side in sides)], dtype=np.int64)
            share = [one.share for one in members]
            levels |= {"members": {"player": player, "share": share}, "ends": {"ends": ends}}
        elif "start" in self.levels:
            levels["members"] = {"player": player}
        else:
            results |= {"a": player[0::2], "b": player[1::2]}
        if "start" in self.levels:
            names = list(self.levels["sides"].held)
            levels["sides"] = {name: [getattr(side, name) for side in sides] for name in names}
            levels["start"] = {
                "start": np.cumsum([0, *(len(one.sides) for one in new)], dtype=np.int64)
            }
        return ResultLog.of(levels, self.labels)

    def apply_edit(self, edit: Edit) -> ResultLog:
        """The log after an edit; results behind all others are added in the same memory."""
        log, new = self, edit.log
        if log.teams != new.teams:
            log, new = log.with_form(teams=True), new.with_form(teams=True)
        if edit.first < len(self):
            return log._splice(edit, new).narrow()
        levels = {}
        for level, block in log.levels.items():
            more = new.levels[level].part()
            if level in OFFSETS:
                more = {level: more[level][1:] + block[level][-1]}
            levels[level] = block.replace_tail(block.count, more)
        highest = max(log.highest, new.highest)
        return ResultLog(levels, log.unusual | new.unusual, log.labels, highest)

    def _splice(self, edit: Edit, new: ResultLog) -> ResultLog:
        """With rows taken out and the new results put in, in memory of its own."""
        runs = edit.runs(len(self))
        levels = {}
        for level in self.levels:
            pieces = []
            for is_new, first, last in runs:
                log = new if is_new else self
                low, high = log.entry(level, first), log.entry(level, last)
                if level in OFFSETS:
                    pieces.append({level: np.diff(log.levels[level][level][low : high + 1])})
                else:
                    pieces.append(log.levels[level].part(low, high))
            nothing = {n: column[:0] for n, column in self.levels[level].held.items()}
            joined = ColumnBuffer.join(nothing, *pieces)
            if level in OFFSETS:
                offsets = bounds_of(joined[level])
                joined = ColumnBuffer({level: offsets}, len(offsets))
            levels[level] = joined
        unusual = frozenset(
            name
            for name in self.unusual | new.unusual
            for block in levels.values()
            if name in block.held and (block[name] != FIELD_DEFAULTS[name]).any()
        )
        return ResultLog(levels, unusual, self.labels, max(self.highest, new.highest))


def number_label(labels: dict[str, int], label: str | None) -> int:
    """The number of the label of a round, which it keeps; raises Unratable where there is none."""
    if label is None:
        raise Unratable.of("round_missing.labels")
    return labels.setdefault(label, len(labels))
