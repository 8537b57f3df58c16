"""Shards: a table cut by players, so that each shard has every game of its own players.

A game stands in the shards of both its players, in the order of the table; what concerns a player
is then added up in that order by one process alone, whichever it is. Player `id` belongs to shard
`id % count`: ids follow the order of first appearance, so veterans are spread evenly, and one pass
over the games suffices, as nobody need know how many players come.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from prowess.games.arguments import BadArgument, check_count, refuse
from prowess.games.errors import BadData
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.reading import Reading
from prowess.games.runs import bounds_of
from prowess.games.totals import Ends, PlayerCounts, widen_ends
from prowess.games.whole_files import path_beside, replace_folder
from prowess.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray


MARK = b"prowess.shard"  # of the metadata of files in a folder of shards: other for each cut
CONTENTS = "shards.json"  # in a folder of shards: what it says of itself
ORDERED = ("time", "round")  # columns that ascend; rounds where one ends before the next
ROWS_OF_GROUP = 1 << 16  # rows of a group: a period reads whole groups
MOST_SHARDS = 256  # shards; all of them are open at once


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
            raise BadData.of("no_such_file.shard", file=self.file) from None
        except (pa.ArrowException, OSError) as error:
            raise BadData.of("damaged_shards.shard", file=self.file, error=error) from None

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
        raise BadArgument.of("not_a_count.shards", most=MOST_SHARDS, count=count)
    return int(count)


def check_shardable(table: Games) -> None:
    """Raise BadArgument for a table of other than games of one player against one."""
    if table.season is not None or table.player_facts is not None:
        raise BadArgument.of("not_shareable.facts")
    if not table.duels or table.role is not None:
        what = "sides of several members" if table.pairwise else "contests"
        what = "members of other roles" if table.duels else what
        raise BadArgument.of("not_shareable.table", what=what)


# A folder of shards: write a table that comes in pieces, and read what the folder says of itself.
#
# FOLDER/shards.json        what the table is, and how many shards there are; written last
# FOLDER/players.parquet    the roster, by id
# FOLDER/shard-007.parquet  the games of shard 7, in groups of 65,536 rows
#
# All are written into FOLDER.part, which becomes FOLDER when it is whole. A Parquet file of them is
# marked, so that no reader of tables takes it for one: a game stands in two shards.


FORM, VERSION = "prowess shards", 1
PLAYERS_FILE = "players.parquet"
ROWS_HANDED_ON = 1 << 16  # of a table at a time
STORED_COLUMNS = (  # columns of a table of duels, in the order in which they are stored
    "a", "b", "score", "time", "round", "side", "weight", "margin", "length", "points_a",
    "points_b",
)  # fmt: skip


def cut_pieces(table: Games) -> Iterable[Games]:
    """A table as pieces of some rows; one of an empty table."""
    for low in range(0, max(1, len(table)), ROWS_HANDED_ON):
        yield table.select(slice(low, low + ROWS_HANDED_ON))


def write_shards(
    pieces: Iterable[Games],
    folder: str | Path,
    count: int,
    finish: Callable[[Games], Games] | None = None,
) -> Shards:
    """Write a table that comes in pieces as shards; memory holds some rows of each shard.

    The roster of a piece begins with that of the piece before, and so do the words of its
    categories. `finish` gives the last piece its whole roster and the reading, where these are
    known at the end only. Raises BadArgument for another kind of table, or a folder in which files
    stand, and OSError for a full disk; no folder is left then.
    """
    count, folder = check_shards(count), check_new_folder(folder)
    with replace_folder(folder) as part:
        _write_pieces(pieces, part, count, finish)
    return read_shards(folder)


def check_new_folder(folder: str | Path) -> Path:
    """A folder that is not there or empty, and so is the one beside it; raises BadArgument."""
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise refuse("name a folder that is new or empty", str(folder), code="folder_not_empty")
    part = path_beside(folder)
    if part.exists() and not all(map(_is_own_file, part.iterdir())):
        raise BadArgument.of("folder_not_empty.shards", part=part)
    return folder


def _is_own_file(path: Path) -> bool:
    return path.name in (CONTENTS, PLAYERS_FILE) or path.match("shard-*.parquet")


def _write_pieces(
    pieces: Iterable[Games],
    folder: Path,
    count: int,
    finish: Callable[[Games], Games] | None,
) -> None:
    """Write all files of a folder of shards."""
    files = [f"shard-{shard:03d}.parquet" for shard in range(count)]
    rounds, counts, ends = RoundNumbers(), PlayerCounts(), Ends()
    games, last, mark = 0, None, f"{FORM} {token_hex(8)}"
    writers: list[_PartWriter] = []
    for piece in pieces:
        check_shardable(piece)
        if last is None:
            writers = [_PartWriter(folder / name, piece, mark) for name in files]
        number = None if piece.round is None else rounds.number(piece)
        counts.add(piece)
        widen_ends(ends, piece)
        for writer, rows in zip(writers, split_rows(piece, count), strict=True):
            writer.add(piece, number, rows)
        games, last = games + len(piece), piece
    if last is None:
        raise BadArgument.of("no_games.shards")
    for writer in writers:
        writer.close()
    last = last if finish is None else finish(last)
    counts.grow(len(last.players), dated=counts.dated)
    _write_players(folder / PLAYERS_FILE, last.players, counts)
    contents = {
        "form": FORM, "version": VERSION, "prowess": __version__, "games": games,
        "players": len(last.players), "columns": [*last.columns], "facts": [*last.facts],
        "labels": {name: list(words) for name, words in last.labels.items()},
        "rounds_apart": None if last.round is None else rounds.apart,
        "longest_pause": rounds.longest_pause, "group": ROWS_OF_GROUP, "ends": ends,
        "reading": last.reading.to_dict(),
        "briefs": last.reading.briefs,
        "files": {name: writer.rows for name, writer in zip(files, writers, strict=True)},
    }  # fmt: skip
    (folder / CONTENTS).write_text(json.dumps(contents, indent=1), encoding="utf-8")


class _PartWriter:
    """Writes the rows of one shard in groups of equal length."""

    def __init__(self, path: Path, first: Games, mark: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        named = {**first.columns, **first.facts}
        self.names = [*(name for name in STORED_COLUMNS if name in named), *first.facts]
        kinds = [(name, pa.from_numpy_dtype(named[name].dtype)) for name in self.names]
        self.schema = pa.schema(kinds, {MARK: mark})
        few = [name for name in ("score", "side", "weight", "round") if name in named]
        self.writer = pq.ParquetWriter(path, self.schema, compression="lz4", use_dictionary=few)
        self.waiting: list[list[Any]] = []
        self.count = self.rows = 0

    def add(self, piece: Games, number: Any, rows: NDArray[np.int64]) -> None:
        """Take some rows of a piece, and write what makes a whole group."""
        named = {**piece.columns, **piece.facts, "round": number}
        self.waiting.append([named[name][rows] for name in self.names])
        self.count += len(rows)
        self.rows += len(rows)
        if self.count >= ROWS_OF_GROUP:
            self.write(self.count - self.count % ROWS_OF_GROUP)

    def write(self, count: int) -> None:
        """Write the first so many of the rows that wait."""
        import pyarrow as pa

        whole = [np.concatenate(column) for column in zip(*self.waiting, strict=True)]
        arrays = [column[:count] for column in whole]
        self.writer.write_table(pa.table(arrays, schema=self.schema), row_group_size=ROWS_OF_GROUP)
        self.waiting = [[column[count:].copy() for column in whole]]
        self.count -= count

    def close(self) -> None:
        """Write the rest."""
        if self.count:
            self.write(self.count)
        self.writer.close()


def _write_players(path: Path, players: Sequence[str], counts: PlayerCounts) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"player": pa.array(players, pa.large_string()), "games": counts.games}
    if counts.dated:
        columns["last"] = counts.last
    table = pa.table(columns).replace_schema_metadata({MARK: FORM})
    pq.write_table(table, path, compression="zstd")


def _read_players(path: Path) -> tuple[Roster, PlayerCounts]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table, counts = pq.read_table(path), PlayerCounts()
    last = table.column("last").to_numpy() if "last" in table.column_names else None
    counts.replace(table.column("games").to_numpy(), last)
    column = table.column("player").cast(pa.large_string()).combine_chunks()
    _, offsets, text = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    buffer = b"" if text is None else text.to_pybytes()[int(ends[0]) : int(ends[-1])]
    return Roster.from_buffer(buffer, ends[1:] - ends[0]), counts


def read_shards(folder: str | Path) -> Shards:
    """The shards of a folder; raises BadData where it holds none, or others than it says."""
    folder = Path(folder)
    try:
        contents = json.loads((folder / CONTENTS).read_text(encoding="utf-8"))
        if contents["form"] != FORM or contents["group"] != ROWS_OF_GROUP:
            raise ValueError("form")
        if contents["version"] > VERSION:
            raise BadData.of("newer_version", file=str(folder))
        facts, players = tuple(contents["facts"]), contents["players"]
        parts = []
        for name, rows in contents["files"].items():
            path = folder / name
            metadata = metadata_of(str(path))
            if metadata.num_rows != rows:
                raise BadData.of("shards_changed", file=str(path))
            size, mark = path.stat().st_size, metadata.metadata[MARK]
            parts.append(FilePart(str(path.resolve()), size, mark, players, facts, 0, rows))
        roster, counts = _read_players(folder / PLAYERS_FILE)
        ends = {name: (low, high) for name, (low, high) in contents["ends"].items()}
        if len(roster) != players:
            raise ValueError("players")
    except FileNotFoundError as error:
        missing = Path(
            error.filename or PLAYERS_FILE
        ).name  # pyarrow, which reads it, names no file
        raise BadData.of("damaged_shards.missing", file=str(folder), missing=missing) from None
    except BadData:
        raise
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise BadData.of("damaged_shards.list", file=str(folder), error=error) from None
    return Shards(
        parts,
        roster,
        contents["games"],
        (*contents["columns"], *facts),
        {name: tuple(words) for name, words in contents["labels"].items()},
        Reading.from_dict(contents["reading"], contents["briefs"]),
        contents["rounds_apart"],
        contents["longest_pause"],
        counts,
        ends,
        str(folder),
    )
