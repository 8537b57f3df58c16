"""Export of a category as one streamed file: CSV, JSON lines or Parquet.

The rows are the results that count at one revision, so results entered during the export are not
seen. They are in order of play, so that a reader meets the players in the same order as the ladder,
on which the last bit of fits depends. Memory holds the numbers of the results and a few thousand
rows. `prowess rate` reads the CSV and gives the same ratings to the last bit. The column `side` is
present only if a game has one, and has to be named (`--sides side`): in other tables a side may be
Red or Blue.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from math import isnan
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np
from fastapi import APIRouter, Query
from sqlalchemy import func, select
from starlette.responses import Response, StreamingResponse

from prowess.games.names import guard_cell
from prowess.live.api.calls import AsOf, Reader, Revision, Text
from prowess.live.api.category_view import find_categories, parse_as_of
from prowess.live.api.encoding import HttpProblem, encode_json, format_time
from prowess.live.api.serializers import find_names, serialize_category, serialize_result
from prowess.live.journal.imports import PREFIX, write_fact
from prowess.live.journal.journal import Journal
from prowess.live.journal.log_queries import current
from prowess.live.journal.registry import Category
from prowess.live.result import CONTESTS, COUNTS, USUAL, LiveResult
from prowess.live.store.queries import RESULT, read_results
from prowess.live.store.tables import result, version

if TYPE_CHECKING:
    from numpy.typing import NDArray

PART = 2_000  # results read at a time
GROUP = 50_000  # rows of a group of a Parquet file
POINTS = ("points_a", "points_b")
SHARE = "{}_share"  # column of the share of a member


class TablePlan(NamedTuple):
    """The layout of the exported table of a category.

    A game is one row, with the players of both sides in `first` and `second`, followed by their
    shares if any result has shares. A contest has one row for each player.
    """

    names: tuple[str, ...]  # of all columns
    first: tuple[str, ...]
    second: tuple[str, ...]
    facts: tuple[str, ...]  # of the columns of facts

    @property
    def long(self) -> bool:
        """Whether a result has a row for each player."""
        return not self.first


def plan_table(
    journal: Journal, category: Category, revision: int, until: int | None = None
) -> TablePlan:
    """Plan the columns of a category's table: those of every game, and those in use."""
    sizes, shared, points = count_side_sizes(journal, category, revision, until)
    values = count_unusual_columns(journal, category, revision, until)
    facts = list_fact_columns(journal, category, revision, until)
    more = (*(name for name in ("side", "weight", "round") if values[name]), *facts)
    extra = [name for one in category.extra for name in (POINTS if one == "points" else (one,))]
    if category.kind != CONTESTS:
        sides: list[tuple[str, ...]] = [("player_a",), ("player_b",)]
        if sizes:
            sides = [
                tuple(f"{letter}{n}" for n in range(1, 1 + max(1, sizes.get(at, 0))))
                for at, letter in enumerate("ab")
            ]
        members = [*sides[0], *sides[1]]
        if shared:
            members = [column for name in members for column in (name, SHARE.format(name))]
        return TablePlan(("time", *members, "score", *extra, *more), sides[0], sides[1], facts)
    teams = ["team"] if shared or max(sizes.values(), default=0) > 1 else []
    share = ["share"] if shared else []
    reached = ["place", *(["points"] if points else [])]
    names = ("contest", "date", *teams, "player", *share, *reached, *more)
    return TablePlan(names, (), (), facts)


def count_unusual_columns(
    journal: Journal, category: Category, revision: int, until: int | None
) -> dict[str, bool]:
    """Find which optional columns hold a value other than the default."""
    most = func.max if journal.store.kind == "sqlite" else func.bool_or
    unusual = [most(version.c[name] != USUAL[name]) for name in ("side", "weight")]
    chosen = current([*unusual, func.count(version.c.round)], revision).where(
        *_conditions(category, until)
    )
    with journal.store.read() as connection:
        side, weight, labels = connection.execute(chosen).one()
    return {"side": bool(side), "weight": bool(weight), "round": bool(labels)}


def count_side_sizes(
    journal: Journal, category: Category, revision: int, until: int | None
) -> tuple[dict[int, int], bool, bool]:
    """Largest number of members by side; whether any result has shares, and points."""
    from prowess.live.store.tables import placing

    seats = (
        current([placing.c.side, func.count().label("members")], revision)
        .join(
            placing,
            (placing.c.result_id == version.c.result_id)
            & (placing.c.revision == version.c.revision),
        )
        .where(*_conditions(category, until))
    )
    sizes = seats.group_by(placing.c.result_id, placing.c.side).subquery()
    largest = select(sizes.c.side, func.max(sizes.c.members)).group_by(sizes.c.side)
    with journal.store.read() as connection:
        found = {int(row[0]): int(row[1]) for row in connection.execute(largest)}
        shared, points = (
            bool(found)
            and connection.execute(
                seats.with_only_columns(placing.c.player_id).where(condition).limit(1)
            ).first()
            is not None
            for condition in (placing.c.share != 1.0, placing.c.points.is_not(None))
        )
    return found, shared, points


def list_fact_columns(
    journal: Journal, category: Category, revision: int, until: int | None
) -> tuple[str, ...]:
    """The fact columns of a category's results, sorted."""
    chosen = current([version.c.facts], revision).where(
        *_conditions(category, until), version.c.facts.is_not(None)
    )
    with journal.store.read() as connection:
        found = connection.execution_options(yield_per=PART).scalars(chosen)
        return tuple(sorted({PREFIX + name for facts in found for name in facts}))


def read_results_in_parts(
    journal: Journal, category: Category, revision: int, until: int | None = None
) -> Iterator[list[LiveResult]]:
    """Yield lists of the results that count at a revision, in order of play."""
    numbers = order_of_play(journal, category, revision, until)
    for at in range(0, len(numbers), PART):
        part = numbers[at : at + PART].tolist()
        with journal.store.read() as connection:
            found = read_results(connection, current(RESULT, revision).where(result.c.id.in_(part)))
        by_number = {row.id: row for row in found}
        yield [by_number[number] for number in part]


def order_of_play(
    journal: Journal, category: Category, revision: int, until: int | None = None
) -> NDArray[np.int64]:
    """The numbers of the results that count at a revision, by time, then number."""
    chosen = current([result.c.id, version.c.time], revision).where(*_conditions(category, until))
    with journal.store.read() as connection:
        found = connection.execution_options(yield_per=PART).execute(chosen)
        parts = [np.array(tuple(zip(*part, strict=True))) for part in found.partitions()]
    if not parts:
        return np.empty(0, dtype=np.int64)
    number, time = np.concatenate(parts, axis=1)
    ordered: NDArray[np.int64] = number[np.lexsort((number, time))]
    return ordered


def build_rows(
    journal: Journal, plan: TablePlan, part: Iterable[LiveResult]
) -> Iterator[tuple[LiveResult, dict[str, Any]]]:
    """Yield the rows of the table, each with its result."""
    for row in part:
        names, when = find_names(journal, row), format_time(row.time)
        facts = {PREFIX + name: write_fact(value) for name, value in (row.facts or {}).items()}
        points = {"points_a": row.points_a, "points_b": row.points_b}
        values = row._asdict() | points | facts
        if not plan.long:
            values["time"] = when
            for columns, side in zip((plan.first, plan.second), row.sides, strict=True):
                called = [names[member.player] for member in side.members]
                values |= dict(zip_longest(columns, called))
                shares = [member.share for member in side.members]
                values |= dict(zip_longest(map(SHARE.format, columns), shares))
            yield row, values
            continue
        for at, side in enumerate(row.sides):  # in the order of the ladder
            for one in side.members:
                yield (
                    row,
                    values
                    | {
                        "contest": row.id,
                        "date": when,  # not `time`, which may be that of a race
                        "team": str(at + 1),
                        "player": names[one.player],
                        "share": one.share,
                        "place": side.place,
                        "points": None if isnan(side.points) else side.points,
                    },
                )


def write_csv(
    journal: Journal, category: Category, revision: int, until: int | None = None
) -> Iterator[bytes]:
    """Yield the table as CSV, floats at full precision, with texts guarded against formulas."""
    plan = plan_table(journal, category, revision, until)
    guarded = set(plan.facts)
    yield _lines([plan.names])
    for part in read_results_in_parts(journal, category, revision, until):
        yield _lines(
            [row.get(name) if name in guarded else guard_cell(row.get(name)) for name in plan.names]
            for _, row in build_rows(journal, plan, part)
        )


def write_ndjson(
    journal: Journal, category: Category, revision: int, until: int | None = None
) -> Iterator[bytes]:
    """Yield one result per line, in the form of GET /results."""
    for part in read_results_in_parts(journal, category, revision, until):
        yield b"".join(encode_json(serialize_result(journal, row)) + b"\n" for row in part)


def write_parquet(
    journal: Journal, category: Category, revision: int, until: int | None = None
) -> Iterator[bytes]:
    """Yield the table as a Parquet file, with the method in its metadata."""
    import pyarrow as pa
    from pyarrow import parquet

    plan = plan_table(journal, category, revision, until)
    names, when = plan.names, "date" if plan.long else "time"
    kinds = {"contest": pa.int64(), when: pa.timestamp("us", tz="UTC")}
    players = *plan.first, *plan.second, "player", "team", "round", *plan.facts
    texts = dict.fromkeys(players, pa.string())
    data = {"prowess": json.dumps(serialize_category(journal, category) | {"revision": revision})}
    schema = pa.schema([(n, (kinds | texts).get(n, pa.float64())) for n in names], metadata=data)
    sink = PartBuffer()
    with parquet.ParquetWriter(sink, schema) as writer:
        held: list[dict[str, Any]] = []
        for part in read_results_in_parts(journal, category, revision, until):
            for one, row in build_rows(journal, plan, part):
                values = {name: row.get(name) for name in names} | {when: one.time}
                facts = {name: str(row[name]) for name in plan.facts if name in row}
                held.append(values | facts)
            if len(held) >= GROUP:
                writer.write_table(_arrow(held, schema))
                held = []
                yield sink.take()
        if held:
            writer.write_table(_arrow(held, schema))
    yield sink.take()


def _arrow(held: list[dict[str, Any]], schema: Any) -> Any:
    import pyarrow as pa

    columns = [pa.array([row[field.name] for row in held], type=field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


class PartBuffer(io.RawIOBase):
    """A write-only file whose content is taken in parts."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[bytes] = []
        self.at = 0

    def writable(self) -> bool:
        """See io.RawIOBase."""
        return True

    def tell(self) -> int:
        """Number of bytes written."""
        return self.at

    def write(self, data: Any) -> int:
        """Append data; see io.RawIOBase."""
        part = bytes(data)
        self.parts.append(part)
        self.at += len(part)
        return len(part)

    def take(self) -> bytes:
        """Return and forget the data written since the last call."""
        part = b"".join(self.parts)
        self.parts.clear()
        return part


def _conditions(category: Category, until: int | None) -> list[Any]:
    """The conditions on results: they count, and are not later than `until`."""
    found = [result.c.category_id == category.id, version.c.state == COUNTS]
    return found if until is None else [*found, version.c.time <= until]


def _lines(cells: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue().encode()


router = APIRouter(tags=["export"])
FORMATS = {
    "csv": (write_csv, "text/csv; charset=utf-8"),
    "ndjson": (write_ndjson, "application/x-ndjson"),
    "parquet": (write_parquet, "application/vnd.apache.parquet"),
}


@router.get(
    "/export",
    summary="Export a category as a table",
    response_class=StreamingResponse,
    responses={200: {"content": {kind.partition(";")[0]: {} for _, kind in FORMATS.values()}}},
)
def export(
    call: Reader,
    category: Text = None,
    form: Annotated[Literal["csv", "ndjson", "parquet"], Query(alias="format")] = "csv",
    as_of: AsOf = None,
    revision: Revision = None,
) -> Response:
    """All results of a category that count, in order of play, as known now or at a revision.

    JSON lines without a category hold those of all categories, one after the other.

    The CSV is read by `prowess rate`, which gives the same ratings to the last bit. Its column
    `side` is there only where a game has one, and then needs `--sides side`.
    """
    until = None if as_of is None else parse_as_of(as_of)
    known, categories = call.journal.revision, {one.key: one for one in call.journal.categories()}
    if revision is not None and revision != known:
        known, categories = revision, find_categories(call.journal, revision)
    if form == "ndjson" and category is None:
        chosen = list(categories.values())
        name = "results"
    else:
        name = call.journal.category(category).key
        if name not in categories:
            message = f"there was no {name!r} at revision {known}"
            raise HttpProblem(404, "no_such_category", message)
        chosen = [categories[name]]
    if form == "parquet":
        try:
            import pyarrow  # noqa: F401, ICN001
        except ModuleNotFoundError:
            message = "take format=csv: Parquet needs pip install 'prowess[files]' on the server"
            raise HttpProblem(406, "not_acceptable", message) from None
    writer, kind = FORMATS[form]
    parts: Iterator[bytes] = chain.from_iterable(
        writer(call.journal, one, known, until) for one in chosen
    )
    headers = {
        "Content-Disposition": f'attachment; filename="{name}-r{known}.{form}"',
        "Prowess-Revision": str(known),
        "Cache-Control": "no-store",
    }
    if call.request.state.head:
        return Response(None, 200, headers, kind)
    return StreamingResponse(parts, 200, headers, kind)
