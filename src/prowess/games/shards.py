"""Shards: a table cut by players, so that each shard has every game of its own players.

A game stands in the shards of both its players, in the order of the table; what concerns a player
is then added up in that order by one process alone, whichever it is. Player `id` belongs to shard
`id % count`: ids follow the order of first appearance, so veterans are spread evenly, and one pass
over the games suffices, as nobody need know how many players come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from prowess.games.arguments import BadArgument, check_count
from prowess.games.errors import BadData
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.reading import Reading
from prowess.games.runs import bounds_of
from prowess.games.totals import Ends, PlayerCounts, widen_ends

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARK = b"prowess.shard"  # of the metadata of files in a folder of shards: other for each cut
CONTENTS = "shards.json"  # in a folder of shards: what it says of itself
ORDERED = ("time", "round")  # columns that ascend; rounds where one ends before the next
ROWS_OF_GROUP = 1 << 16  # rows of a group: a period reads whole groups
MOST_SHARDS = 256  # shards; all of them are open at once
CUT_AGAIN = "cut the games into shards again (prowess shard)"


def holds_shards(folder: str | Path) -> bool:
    """Whether a folder is one of shards (`shard_files`), which hold every game twice."""
    return Path(folder, CONTENTS).is_file()


class Block(NamedTuple):
    """The rows `low:high` of a shard, and the first and the last number of columns that ascend."""

    low: int
    high: int
    ends: Mapping[str, tuple[float, float]]


class Part(Protocol):
    """Some rows of a shard: small until they are loaded, perhaps in another process."""

    def cut(self, low: int, high: int) -> Part:
        """The rows `low:high` of these."""
        ...

    def load(self, wanted: frozenset[str] | None = None) -> Games:
        """The rows as a table whose ids are those of the roster; None: with all columns."""
        ...

    def blocks(self) -> list[Block]:
        """The rows in blocks."""
        ...

    def __len__(self) -> int: ...


class TablePart:
    """Rows of a shard that are held in memory."""

    def __init__(self, table: Games) -> None:
        self.table = table

    def cut(self, low: int, high: int) -> TablePart:
        """See Part."""
        return TablePart(self.table.select(slice(low, high)))

    def load(self, wanted: frozenset[str] | None = None) -> Games:
        """See Part."""
        return self.table

    def blocks(self) -> list[Block]:
        """See Part."""
        columns = self.table.columns
        if not len(self):
            return []
        ends = {n: (float(columns[n][0]), float(columns[n][-1])) for n in ORDERED if n in columns}
        return [Block(0, len(self), ends)]

    def __len__(self) -> int:
        return len(self.table)


@dataclass(frozen=True)
class FilePart:
    """The rows `low:high` of a shard's file."""

    file: str
    size: int  # of the file, bytes
    mark: bytes  # that of its metadata
    players: int
    facts: tuple[str, ...]
    low: int
    high: int

    def cut(self, low: int, high: int) -> FilePart:
        """See Part."""
        return replace(self, low=self.low + low, high=self.low + high)

    def load(self, wanted: frozenset[str] | None = None) -> Games:
        """See Part; raises BadData for a file that is gone, damaged or not the one of the start."""
        import pyarrow.parquet as pq

        low, high = self.low, self.high
        groups = range(low // ROWS_OF_GROUP, -(-high // ROWS_OF_GROUP))
        with self._name_file():
            metadata = self._read_metadata()
            names = [
                name
                for name in metadata.schema.to_arrow_schema().names
                if wanted is None or name in wanted
            ]
            with pq.ParquetFile(self.file, metadata=metadata) as held:
                table = held.read_row_groups(list(groups), columns=names, use_threads=False)
        table = table.slice(low - groups.start * ROWS_OF_GROUP, high - low)
        columns: dict[str, Any] = {
            name: np.ascontiguousarray(table.column(name).to_numpy()) for name in names
        }
        facts = {name: columns.pop(name) for name in self.facts if name in columns}
        return Games(_numbers(self.players), facts=facts, **columns)

    def blocks(self) -> list[Block]:
        """See Part; of all rows of the file, by its metadata. Raises BadData as `load` does."""
        with self._name_file():
            metadata, found = self._read_metadata(), []
        names = {name: at for at, name in enumerate(metadata.schema.names) if name in ORDERED}
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group)
            ends = {}
            for name, at in names.items():
                told = rows.column(at).statistics
                ends[name] = float(told.min), float(told.max)
            low = group * ROWS_OF_GROUP
            found.append(Block(low, low + rows.num_rows, ends))
        return found

    def _read_metadata(self) -> Any:
        """The metadata of the file; raises OSError where it is not the one of the start."""
        if Path(self.file).stat().st_size == self.size:
            metadata = metadata_of(self.file)
            if (metadata.metadata or {}).get(MARK) == self.mark:
                return metadata
        raise OSError("it was changed")

    @contextmanager
    def _name_file(self) -> Iterator[None]:
        """Raise BadData, with the file, for what stops its reading."""
        import pyarrow as pa

        try:
            yield
        except FileNotFoundError:
            raise BadData(
                "no such file",
                file=self.file,
                remedy="put the shards where every worker sees them",
                code="no_such_file",
            ) from None
        except (pa.ArrowException, OSError) as error:
            raise BadData(
                f"a shard cannot be read: {error}",
                file=self.file,
                remedy=CUT_AGAIN,
                code="damaged_shards",
            ) from None

    def __len__(self) -> int:
        return self.high - self.low


def _numbers(players: int) -> Any:
    """A roster of so many players for loops, which know no names."""
    return range(players)


def metadata_of(file: str) -> Any:
    """The metadata of a Parquet file, which of a large one take milliseconds to read."""
    told = Path(file).stat()
    return _read_metadata(file, told.st_size, told.st_mtime_ns)


@lru_cache(maxsize=256)
def _read_metadata(file: str, size: int, changed: int) -> Any:
    import pyarrow.parquet as pq

    return pq.read_metadata(file)


@dataclass(frozen=True, eq=False)
class Shards:
    """A table of duels cut by players.

    Args:
        parts: all rows of each shard.
        players: the roster.
        games: how many games the table has.
        columns: the names of its columns.
        labels: of facts that are categories, the words of their numbers.
        reading: how the source was understood.
        rounds_apart: whether the table's own rounds come one after the other; None: it has none.
        longest_pause: days between two games of one such round that follow one another.
        counts: the games of each player.
        ends: the least and the greatest number of some columns.
        folder: where the shards are; empty: in memory.
    """

    parts: Sequence[Part]
    players: Roster
    games: int
    columns: tuple[str, ...]
    labels: Mapping[str, Sequence[str]]
    reading: Reading
    rounds_apart: bool | None
    longest_pause: float
    counts: PlayerCounts
    ends: Ends
    folder: str = ""

    def __len__(self) -> int:
        return self.games

    @property
    def count(self) -> int:
        """How many shards there are."""
        return len(self.parts)

    @property
    def pairwise(self) -> bool:
        """Every contest is a game of two sides, as in `Games`."""
        return True

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """[shards + 1] where the players of each shard begin if shards stand in a row."""
        count, players = self.count, len(self.players)
        sizes = [(players - shard + count - 1) // count for shard in range(count)]
        return bounds_of(sizes).astype(np.int64)

    def describe_files(self) -> list[list[Any]]:
        """The files of the shards as plain data, to compare two runs; none of those in memory."""
        paths = [Path(part.file) for part in self.parts if isinstance(part, FilePart)]
        return [[one.name, one.stat().st_size, one.stat().st_mtime_ns] for one in paths]

    def without_games(self) -> Games:
        """The table without its games: the roster, and columns without rows."""
        few = self.parts[0].cut(0, 0).load()
        return few.replace(players=self.players, labels=self.labels, reading=self.reading)

    def places(self, ids: NDArray[Any]) -> NDArray[np.uint32]:
        """Where players stand in such a row, by id."""
        count = np.uint32(self.count)
        found = self.bounds[:-1].astype(np.uint32)[ids % count] + ids // count
        return found.astype(np.uint32)


class RoundNumbers:
    """The rounds of a table in the order in which they begin, as its pieces come."""

    def __init__(self) -> None:
        self.place: dict[int, int] = {}
        self.apart, self.longest_pause = True, 0.0
        self.label, self.time = np.empty(0, np.int32), np.empty(0)  # of the last game, if any

    def number(self, piece: Games) -> NDArray[np.int32]:
        """The rounds of a piece, 0 the one that begins first."""
        assert piece.round is not None
        if not len(piece):
            return piece.round
        label = np.concatenate((self.label, piece.round))
        changes = np.flatnonzero(np.diff(label)) + 1
        begins = changes if len(self.label) else np.append(0, changes)
        for run in label[begins].tolist():
            self.apart = self.apart and run not in self.place
            self.place.setdefault(run, len(self.place))
        if piece.time is not None:
            time = np.concatenate((self.time, piece.time))
            pauses = np.diff(time)
            pauses[changes - 1] = 0.0
            self.longest_pause = max(self.longest_pause, float(pauses.max(initial=0.0)))
            self.time = time[-1:]
        self.label = label[-1:]
        known = np.array(list(self.place), np.int32)
        order = np.argsort(known)
        return order[np.searchsorted(known[order], piece.round)].astype(np.int32)


def split_rows(piece: Games, count: int) -> list[NDArray[np.int64]]:
    """The rows of a piece that each shard has, ascending."""
    owners = np.stack((piece.a % count, piece.b % count), axis=1).astype(np.uint16)
    owners[owners[:, 0] == owners[:, 1], 1] = count  # not a second time
    order = np.argsort(owners.ravel(), kind="stable")
    sizes = np.bincount(owners.ravel(), minlength=count + 1)
    return np.split(order // 2, np.cumsum(sizes, dtype=np.int64)[:count])[:count]


def shard_table(table: Games, count: int) -> Shards:
    """A table in memory cut into shards; raises BadArgument for one that cannot be."""
    check_shardable(table)
    count = check_shards(count)
    rounds, counts, ends = RoundNumbers(), PlayerCounts.of(table), Ends()
    widen_ends(ends, table)
    whole = table.replace(players=_numbers(len(table.players)))
    if table.round is not None:
        whole = whole.replace(round=rounds.number(table))
    players = table.players
    return Shards(
        [TablePart(whole.select(rows)) for rows in split_rows(table, count)],
        players if isinstance(players, Roster) else Roster(players),
        len(table),
        (*table.columns, *table.facts),
        table.labels,
        table.reading,
        None if table.round is None else rounds.apart,
        rounds.longest_pause,
        counts,
        ends,
    )


def check_shards(count: Any) -> int:
    """A number of shards; raises BadArgument."""
    if check_count("shards", count, 1) > MOST_SHARDS:
        raise BadArgument(
            f"give shards as a number from 1 to {MOST_SHARDS}, not {count:,}", code="not_a_count"
        )
    return int(count)


def check_shardable(table: Games) -> None:
    """Raise BadArgument for a table of other than games of one player against one."""
    if table.season is not None or table.player_facts is not None:
        raise BadArgument(
            "leave season and player_facts out, or rate in one process: shards hold games alone",
            code="not_shareable",
        )
    if not table.duels or table.role is not None:
        what = "sides of several members" if table.pairwise else "contests"
        what = "members of other roles" if table.duels else what
        raise BadArgument(
            f"rate this table in one process: shards hold games of two players, and it has {what}",
            code="not_shareable",
        )
