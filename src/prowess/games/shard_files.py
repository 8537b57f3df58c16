"""A folder of shards: write a table that comes in pieces, and read what the folder says of itself.

FOLDER/shards.json        what the table is, and how many shards there are; written last
FOLDER/players.parquet    the roster, by id
FOLDER/shard-007.parquet  the games of shard 7, in groups of 65,536 rows

All are written into FOLDER.part, which becomes FOLDER when it is whole. A Parquet file of them is
marked, so that no reader of tables takes it for one: a game stands in two shards.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.arguments import BadArgument, refuse
from prowess.games.errors import BadData
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.reading import Reading
from prowess.games.shards import (
    CONTENTS,
    CUT_AGAIN,
    MARK,
    ROWS_OF_GROUP,
    FilePart,
    RoundNumbers,
    Shards,
    check_shardable,
    check_shards,
    metadata_of,
    split_rows,
)
from prowess.games.totals import Ends, PlayerCounts, widen_ends
from prowess.games.whole_files import path_beside, replace_folder
from prowess.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORM, VERSION = "prowess shards", 1
PLAYERS_FILE = "players.parquet"
PIECE = 1 << 16  # rows of a table that are handed on at a time
KEPT = (  # columns of a table of duels, in the order in which they are stored
    "a", "b", "score", "time", "round", "side", "weight", "margin", "length", "points_a",
    "points_b",
)  # fmt: skip


def cut_pieces(table: Games) -> Iterable[Games]:
    """A table as pieces of some rows; one of an empty table."""
    for low in range(0, max(1, len(table)), PIECE):
        yield table.select(slice(low, low + PIECE))


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
        raise BadArgument(
            f"rename {part}, where shards are written first: it holds other files",
            code="folder_not_empty",
        )
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
        raise BadArgument(
            "give a table with games: there are none to cut into shards", code="no_games"
        )
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
        "briefs": {note: note.brief for note in last.reading.suspicions},
        "files": {name: writer.rows for name, writer in zip(files, writers, strict=True)},
    }  # fmt: skip
    (folder / CONTENTS).write_text(json.dumps(contents, indent=1), encoding="utf-8")


class _PartWriter:
    """Writes the rows of one shard in groups of equal length."""

    def __init__(self, path: Path, first: Games, mark: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        named = {**first.columns, **first.facts}
        self.names = [*(name for name in KEPT if name in named), *first.facts]
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
            raise BadData(
                "a newer form of shards",
                file=str(folder),
                remedy="install a newer one",
                code="newer_version",
            )
        facts, players = tuple(contents["facts"]), contents["players"]
        parts = []
        for name, rows in contents["files"].items():
            path = folder / name
            metadata = metadata_of(str(path))
            if metadata.num_rows != rows:
                raise BadData(
                    "it has other rows than were written",
                    file=str(path),
                    remedy=CUT_AGAIN,
                    code="shards_changed",
                )
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
        what = f"no shards, or not all of them: there is no {missing}"
        raise BadData(what, file=str(folder), remedy=CUT_AGAIN, code="damaged_shards") from None
    except (KeyError, TypeError, OSError) as error:
        raise BadData(
            f"damaged: {error}", file=str(folder), remedy=CUT_AGAIN, code="damaged_shards"
        ) from None
    except ValueError as error:
        if isinstance(error, BadData):
            raise
        raise BadData(
            f"damaged: {error}", file=str(folder), remedy=CUT_AGAIN, code="damaged_shards"
        ) from None
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
