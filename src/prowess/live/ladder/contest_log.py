"""Contests that count, in order of play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.games import Games
from prowess.live.facts import Changes, days
from prowess.live.ladder.block import Block, Splice
from prowess.live.ladder.edit import NO_ROWS, Edit, Numbering, placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from prowess.live.ladder.players import Roster

Arrays = Mapping[str, "NDArray[Any]"]


@dataclass(frozen=True, eq=False)
class ContestLog:
    """Columns of contests by (time, number), and of the rows of their players.

    `starts` has one row more than there are contests. `weighted` counts those with a weight
    other than 1; without any the column is left out of the tables.
    """

    results: Block  # id, time, weight
    rows: Block  # player, place, points where they are kept
    starts: Block  # start
    weighted: int
    highest: int = -1

    @classmethod
    def of(cls, results: Mapping[str, Any], rows: Mapping[str, Any], start: Any) -> ContestLog:
        """A log of columns in order of play, players by row, times in days."""
        held = {
            "id": np.asarray(results["id"], dtype=np.int64),
            "time": np.asarray(results["time"], dtype=np.float64),
            "weight": np.asarray(results["weight"], dtype=np.float64),
        }
        of_players = {
            name: np.asarray(column, dtype=np.uint32 if name == "player" else np.float64)
            for name, column in rows.items()
        }
        starts = np.asarray(start, dtype=np.int64)
        return cls(
            Block(held, len(held["id"])),
            Block(of_players, len(of_players["player"])),
            Block({"start": starts}, len(starts)),
            int((held["weight"] != 1.0).sum()),
            int(held["id"].max(initial=-1)),
        )

    def __len__(self) -> int:
        return self.results.count

    @property
    def time(self) -> NDArray[np.float64]:
        """Days since 1970 of every contest."""
        return self.results["time"]

    def places(self, contests: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of players of some contests."""
        start = self.starts["start"]
        return np.concatenate([NO_ROWS, *(np.arange(start[c], start[c + 1]) for c in contests)])

    def who(self, contests: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The players of some contests."""
        players: NDArray[np.uint32] = self.rows["player"][self.places(contests)]
        return players

    def trail_row(self, row: int) -> int:
        """The first row of the trail that belongs to a contest: a placing has one each."""
        return int(self.starts["start"][row])

    def rows_with(self, player: int) -> NDArray[np.int64]:
        """The contests of a player."""
        places = np.flatnonzero(self.rows["player"] == player)
        return self.starts["start"].searchsorted(places, side="right") - 1

    def edited(self, changes: Changes, roster: Roster) -> Edit | None:
        """The edit that makes changes; None: nothing changes."""
        found = placed(self.results, self.highest, changes)
        if found is None:
            return None
        splice, facts = found
        numbering = Numbering(roster)
        results: Arrays = {
            "id": np.array([fact.id for fact in facts], dtype=np.int64),
            "time": np.array([days(fact.time) for fact in facts], dtype=np.float64),
            "weight": np.array([fact.weight for fact in facts], dtype=np.float64),
            "size": np.array([len(fact.placings) for fact in facts], dtype=np.int64),
        }
        placings = [one for fact in facts for one in fact.placings]
        rows: dict[str, NDArray[Any]] = {
            name: np.array([getattr(one, name) for one in placings], dtype=np.float64)
            for name in self.rows.held
            if name != "player"
        }
        rows["player"] = np.array([numbering.row(p.player) for p in placings], dtype=np.uint32)
        return Edit(splice, results, tuple(numbering.newcomers), rows)

    def changed(self, edit: Edit) -> ContestLog:
        """The log after an edit."""
        weighted = self.weighted + _weighted(edit.results["weight"])
        highest = max(self.highest, int(edit.results["id"].max(initial=-1)))
        size, start = edit.results["size"], self.starts["start"]
        if edit.appends(len(self)):
            return ContestLog(
                self.results.extended(edit.results),
                self.rows.extended(edit.rows),
                self.starts.extended({"start": start[-1] + np.cumsum(size)}),
                weighted,
                highest,
            )
        gone, at = edit.splice.gone, edit.splice.at
        sizes = Block({"size": np.diff(start)}, len(self)).spliced(edit.splice, {"size": size})
        of_rows = Splice(self.places(gone), np.repeat(start[at], size))
        rows = self.rows.spliced(of_rows, edit.rows) if _moves(of_rows) else self.rows.copied()
        starts = np.concatenate(([0], np.cumsum(sizes["size"])))
        return ContestLog(
            self.results.spliced(edit.splice, edit.results),
            rows,
            Block({"start": starts}, len(starts)),
            weighted - _weighted(self.results["weight"][gone]),
            highest,
        )

    def table(self, players: Sequence[str], first: int = 0, last: int | None = None) -> Games:
        """Some contests as a table."""
        last = len(self) if last is None else last
        start = self.starts["start"][first : last + 1]
        rows = self.rows.part(int(start[0]), int(start[-1]))
        if first:
            start = start - start[0]
        return tabled(self.results.part(first, last), rows, start, players, self.weighted)

    def table_on(self, first: int, edit: Edit, players: Sequence[str]) -> Games:
        """The contests that an edit appends, as a table."""
        assert first == len(self)  # a contest is a round by itself
        start = np.concatenate(([0], np.cumsum(edit.results["size"])))
        weighted = self.weighted + _weighted(edit.results["weight"])
        return tabled(edit.results, edit.rows, start, players, weighted)


def _moves(splice: Splice) -> bool:
    return bool(len(splice.gone) or len(splice.at))


def _weighted(weight: NDArray[np.float64]) -> int:
    return int((weight != 1.0).sum())


def tabled(
    results: Arrays, rows: Arrays, start: NDArray[np.int64], players: Sequence[str], weighted: int
) -> Games:
    """Columns of a log as a table."""
    return Games(
        players=players,
        start=start,
        time=results["time"],
        weight=results["weight"] if weighted else None,
        player=rows["player"],
        place=rows["place"],
        points=rows.get("points"),
    )
