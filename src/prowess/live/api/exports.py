"""Everything a category holds as one file, streamed.

The rows are the results that count as known at one revision, so that reading on does not see what
is entered meanwhile. They stand in order of play: whoever reads them meets the players in the
order in which a ladder does, on which fits depend in the last bit. In memory are the numbers of
the results and a few thousand rows at a time. The CSV is a table that `prowess rate` reads, and it
gives the same ratings to the last bit. The column `side` is there only where a game has one, and
has to be named (`--sides side`): in other tables a side may be Red or Blue.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import func

from prowess.games.spreadsheets import guard_cell
from prowess.live.api import telling
from prowess.live.api.wire import json_bytes, time_text
from prowess.live.desk.category import Category
from prowess.live.desk.desk import Desk
from prowess.live.desk.log import current
from prowess.live.facts import CONTESTS, USUAL
from prowess.live.store.lookups import COUNTS, RESULT, ResultRow, rows
from prowess.live.store.tables import result, version

if TYPE_CHECKING:
    from numpy.typing import NDArray

PART = 2_000  # results read at a time
GROUP = 50_000  # rows of a group of a Parquet file
TEXTS = {"player_a", "player_b", "player", "round"}  # that somebody else chose
POINTS = ("points_a", "points_b")


def columns(desk: Desk, category: Category, revision: int, until: int | None = None) -> list[str]:
    """The columns of a category's table: what is said of every game, and what is said of some."""
    unusual = (
        [func.max(version.c[name] != usual) for name, usual in USUAL.items()]
        if desk.store.kind == "sqlite"
        else [func.bool_or(version.c[name] != usual) for name, usual in USUAL.items()]
    )
    chosen = current([*unusual, func.count(version.c.round)], revision).where(
        *_within(category, until)
    )
    with desk.store.read() as connection:
        side, weight, labels = connection.execute(chosen).one()
    if category.kind == CONTESTS:
        points = ["points"] if _has_points(desk, category, revision, until) else []
        return ["contest", "date", "player", "place", *points, *(["weight"] if weight else [])]
    extra = [name for one in category.extra for name in (POINTS if one == "points" else (one,))]
    return [
        "time", "player_a", "player_b", "score", *extra,
        *(["side"] if side else []), *(["weight"] if weight else []),
        *(["round"] if labels else []),
    ]  # fmt: skip


def results(
    desk: Desk, category: Category, revision: int, until: int | None = None
) -> Iterator[list[ResultRow]]:
    """The results that counted at a revision, in order of play, in parts."""
    numbers = order_of_play(desk, category, revision, until)
    for at in range(0, len(numbers), PART):
        part = numbers[at : at + PART].tolist()
        with desk.store.read() as connection:
            found = rows(connection, current(RESULT, revision).where(result.c.id.in_(part)))
        by_number = {row.id: row for row in found}
        yield [by_number[number] for number in part]


def order_of_play(
    desk: Desk, category: Category, revision: int, until: int | None = None
) -> NDArray[np.int64]:
    """The numbers of those results, by time and then by number."""
    chosen = current([result.c.id, version.c.time], revision).where(*_within(category, until))
    with desk.store.read() as connection:
        found = connection.execution_options(yield_per=PART).execute(chosen)
        parts = [np.array(tuple(zip(*part, strict=True))) for part in found.partitions()]
    if not parts:
        return np.empty(0, dtype=np.int64)
    number, time = np.concatenate(parts, axis=1)
    ordered: NDArray[np.int64] = number[np.lexsort((number, time))]
    return ordered


def table(desk: Desk, category: Category, part: Iterable[ResultRow]) -> Iterator[dict[str, Any]]:
    """Results as rows of the table; a contest is a row for each player."""
    name = telling.namer(desk)
    for row in part:
        when = time_text(row.time)
        if category.kind == CONTESTS:
            for one in sorted(row.placings, key=lambda one: one.player):  # as ladders play them
                yield {
                    "contest": row.id,
                    "date": when,  # a `time` may be that of a race
                    "player": name(one.player),
                    "place": one.place,
                    "points": None if isnan(one.points) else one.points,
                    "weight": row.weight,
                }
            continue
        assert row.a is not None
        assert row.b is not None
        yield row._asdict() | {"time": when, "player_a": name(row.a), "player_b": name(row.b)}


def as_csv(
    desk: Desk, category: Category, revision: int, until: int | None = None
) -> Iterator[bytes]:
    """The table as CSV, floats at full precision; no text is a formula to a spreadsheet."""
    names = columns(desk, category, revision, until)
    yield _lines([names])
    for part in results(desk, category, revision, until):
        yield _lines(
            [guard_cell(row[name]) if name in TEXTS else row[name] for name in names]
            for row in table(desk, category, part)
        )


def as_ndjson(
    desk: Desk, category: Category, revision: int, until: int | None = None
) -> Iterator[bytes]:
    """One result a line, as GET /results tells it."""
    for part in results(desk, category, revision, until):
        yield b"".join(json_bytes(telling.result(desk, row)) + b"\n" for row in part)


def as_parquet(
    desk: Desk, category: Category, revision: int, until: int | None = None
) -> Iterator[bytes]:
    """The table as a Parquet file, with the method in its metadata."""
    import pyarrow as pa
    from pyarrow import parquet

    names = columns(desk, category, revision, until)
    when = "date" if category.kind == CONTESTS else "time"
    kinds = {"contest": pa.int64(), "round": pa.string(), when: pa.timestamp("us", tz="UTC")}
    texts = dict.fromkeys(("player_a", "player_b", "player"), pa.string())
    told = {"prowess": json.dumps(telling.category(desk, category) | {"revision": revision})}
    schema = pa.schema([(n, (kinds | texts).get(n, pa.float64())) for n in names], metadata=told)
    sink = _Sink()
    with parquet.ParquetWriter(sink, schema) as writer:
        held: list[dict[str, Any]] = []
        for part in results(desk, category, revision, until):
            times = {row.id: row.time for row in part}
            for number, row in zip(
                _numbers(category, part), table(desk, category, part), strict=True
            ):
                held.append({name: row[name] for name in names} | {when: times[number]})
            if len(held) >= GROUP:
                writer.write_table(_arrow(held, schema))
                held = []
                yield sink.taken()
        if held:
            writer.write_table(_arrow(held, schema))
    yield sink.taken()


def _arrow(held: list[dict[str, Any]], schema: Any) -> Any:
    import pyarrow as pa

    columns = [pa.array([row[field.name] for row in held], type=field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _numbers(category: Category, part: Iterable[ResultRow]) -> Iterator[int]:
    """The number of the result of each row of the table."""
    for row in part:
        for _ in row.placings if category.kind == CONTESTS else (row,):
            yield row.id


class _Sink(io.RawIOBase):
    """A file that is read while it is being written."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[bytes] = []
        self.at = 0

    def writable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """How much was written in all."""
        return self.at

    def write(self, data: Any) -> int:
        """Keep a part until it is taken."""
        part = bytes(data)
        self.parts.append(part)
        self.at += len(part)
        return len(part)

    def taken(self) -> bytes:
        """What was written since."""
        part = b"".join(self.parts)
        self.parts.clear()
        return part


def _within(category: Category, until: int | None) -> list[Any]:
    """The conditions on results: that they count, and are none of a later time."""
    found = [result.c.category_id == category.id, version.c.state == COUNTS]
    return found if until is None else [*found, version.c.time <= until]


def _lines(cells: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue().encode()


def _has_points(desk: Desk, category: Category, revision: int, until: int | None = None) -> bool:
    from prowess.live.store.tables import placing

    chosen = (
        current([placing.c.points], revision)
        .join(
            placing,
            (placing.c.result_id == version.c.result_id)
            & (placing.c.revision == version.c.revision),
        )
        .where(
            *_within(category, until),
            placing.c.points.is_not(None),
        )
        .limit(1)
    )
    with desk.store.read() as connection:
        return connection.execute(chosen).first() is not None
