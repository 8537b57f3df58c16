"""Forecasts of a stream as a Parquet file, written while it is rated.

A run with checkpoints writes parts, one from each checkpoint to the next, so that a run that goes
on has all rows once. The file that is made of them at the end does not tell where it was stopped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray
from prowess.engine.streams.checkpoint import BadCheckpoint
from prowess.engine.system import Unratable
from prowess.engine.tabular import import_library, moments
from prowess.games.arguments import BadArgument
from prowess.games.whole_files import path_beside, rename_whole

if TYPE_CHECKING:
    from prowess.engine.rater import PlayedPiece

ROWS = 1 << 20  # of a row group
PART_NAME = "forecasts-{:06}.parquet"
AGAIN = "name another folder, and rate from the beginning"


class ForecastRows(NamedTuple):
    """Rows of a piece, with numbers for players."""

    time: AnyArray | None
    a: AnyArray
    b: AnyArray
    score: AnyArray
    expected: AnyArray
    draw: AnyArray | None
    rating_a: AnyArray | None
    rating_b: AnyArray | None


class ForecastFile:
    """What was known before each game of two players: their ratings and the forecast.

    The columns are date, player_a, player_b, rating_a, rating_b, score, expected, draw: those of
    them that there are. A system that mixes several settings has no rating of each game.
    `parts` is the folder of a run with checkpoints; None: the file is written at once.
    """

    def __init__(self, file: str | Path, parts: str | Path | None = None) -> None:
        self.file = Path(file)
        if self.file.suffix.lower() != ".parquet":
            raise BadArgument.of("wrong_suffix.forecast_files", file=file)
        if self.file.is_symlink():
            self.file = self.file.resolve()
        self.parts = None if parts is None else Path(parts)
        self.number = 0  # of parts that are whole
        self.held: list[ForecastRows] = []
        self.count = 0  # rows that are held
        self.names: Any = ()  # of all players so far
        self.writer: Any = None
        self.library = import_library("pyarrow")
        self.parquet = import_library("pyarrow.parquet")

    def add(self, played: PlayedPiece) -> None:
        """Take the forecasts of a piece."""
        table, expected = played.read, played.forecasts
        if not table.duels or expected is None:
            raise Unratable.of("forecasts_not_written")
        rating_a, rating_b = None, None
        if played.watch is not None:
            rating_a, rating_b = played.watch.memory.rating[:, 0].reshape(-1, 2).T
        self.held.append(
            ForecastRows(
                table.time,
                table.a,
                table.b,
                table.score,
                expected,
                played.draws,
                rating_a,
                rating_b,
            )
        )
        self.count += len(table)
        self.names = table.players
        if self.count >= ROWS:
            self._write_held(self.count - self.count % ROWS)

    def save(self) -> int:
        """Bring all rows so far to the disk; the number of parts."""
        self._end_part()
        return self.number

    def restore(self, number: int) -> None:
        """Go on behind so many parts; later ones were not finished. Raises BadCheckpoint."""
        self.number = number
        if self.parts is not None:
            whole = (self.parts / PART_NAME.format(at) for at in range(number))
            lost = next((part for part in whole if not part.is_file()), None)
            if lost is not None:
                raise BadCheckpoint.of("checkpoint_incomplete", again=AGAIN, lost=lost)
            for part in self.parts.glob(PART_NAME.replace("{:06}", "*")):
                if part.name >= PART_NAME.format(number):
                    part.unlink()

    def close(self) -> None:
        """Make the file."""
        self._end_part()
        if self.parts is None:
            return
        made = path_beside(self.file)
        with self._refuse_full_disk(made):
            for table in self._read_groups():
                self._write_table(made, table)
            if self.writer is not None:
                self.writer.close()
                self.writer = None
                rename_whole(made, self.file)

    def discard(self) -> None:
        """Remove what is not whole; the parts of checkpoints stay."""
        if self.writer is not None:
            with suppress(OSError):
                self.writer.close()
            self.writer = None
        for file in (self._unfinished, path_beside(self.file)):
            with suppress(OSError):
                file.unlink()

    def _read_groups(self) -> Iterator[Any]:
        """The rows of all parts in tables of as many rows as a row group has."""
        held, count = list[Any](), 0
        for batch in self._read_parts():
            at = 0
            while at < len(batch):
                taken = batch.slice(at, ROWS - count)
                at, count = at + len(taken), count + len(taken)
                held.append(taken)
                if count == ROWS:
                    yield self.library.Table.from_batches(held)
                    held, count = [], 0
        if held:
            yield self.library.Table.from_batches(held)

    def _read_parts(self) -> Iterator[Any]:
        assert self.parts is not None
        for number in range(self.number):
            path = self.parts / PART_NAME.format(number)
            try:
                with self.parquet.ParquetFile(path) as part:
                    yield from part.iter_batches()
            except (self.library.ArrowException, OSError) as error:
                raise BadCheckpoint.of(
                    "damaged_checkpoint.forecast_files", again=AGAIN, path=path, error=error
                ) from None

    def _end_part(self) -> None:
        """Write what is held, and close the file that is written to."""
        if self.held:
            self._write_held(self.count)
        if self.writer is None:
            return
        target = self.file if self.parts is None else self.parts / PART_NAME.format(self.number)
        with self._refuse_full_disk(self._unfinished):
            self.writer.close()
            self.writer = None
            rename_whole(self._unfinished, target)
        self.number += 1

    @property
    def _unfinished(self) -> Path:
        return path_beside(self.file if self.parts is None else self.parts / "forecasts")

    def _write_held(self, count: int) -> None:
        """Write so many of the rows that are held."""
        columns: Any = zip(*self.held, strict=True)
        whole: list[Any] = [None if one[0] is None else np.concatenate(one) for one in columns]
        first: list[Any] = [None if one is None else one[:count] for one in whole]
        further: list[Any] = [None if one is None else one[count:] for one in whole]
        cut, rest = ForecastRows(*first), ForecastRows(*further)
        self.held, self.count = ([rest] if len(rest.a) else []), len(rest.a)
        arrow = self.library
        names = arrow.array(self.names, arrow.large_string())
        found: dict[str, Any] = {}
        if cut.time is not None:
            found["date"] = arrow.array(moments(cut.time))
        found["player_a"] = names.take(arrow.array(cut.a))
        found["player_b"] = names.take(arrow.array(cut.b))
        if cut.rating_a is not None and cut.rating_b is not None:
            found |= {"rating_a": arrow.array(cut.rating_a), "rating_b": arrow.array(cut.rating_b)}
        found |= {"score": arrow.array(cut.score), "expected": arrow.array(cut.expected)}
        if cut.draw is not None:
            found["draw"] = arrow.array(cut.draw)
        table = arrow.table(found)
        with self._refuse_full_disk(self._unfinished):
            self._unfinished.parent.mkdir(parents=True, exist_ok=True)
            self._write_table(self._unfinished, table)

    def _write_table(self, file: Path, table: Any) -> None:
        if self.writer is None:
            self.writer = self.parquet.ParquetWriter(file, table.schema, compression="zstd")
        self.writer.write_table(table, row_group_size=ROWS)

    @contextmanager
    def _refuse_full_disk(self, file: Path) -> Iterator[None]:
        """Raise Unratable, with the remedy, where a file cannot be written."""
        try:
            yield
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else error
            again = "name another file" if self.parts is None else "run again"
            raise Unratable(
                f"make room, {'or' if self.parts is None else 'then'} {again}: {file} cannot be "
                f"written ({why})",
                code="full_disk",
            ) from None
