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
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np
from fastapi import Query
from sqlalchemy import Connection, Select, func, select
from starlette.responses import Response, StreamingResponse

from prowess.games.names import guard_cell
from prowess.live.api.calls import AsOf, Reader, Revision, Text, build_router
from prowess.live.api.category_view import find_categories, parse_as_of
from prowess.live.api.encoding import HttpProblem, encode_json, format_time
from prowess.live.api.serializers import serialize_category, serialize_result
from prowess.live.api.shared_files import FilePlan, SharedFiles, SharedResponse
from prowess.live.errors import NotFound
from prowess.live.journal.imports import FACT_OF, write_fact
from prowess.live.journal.journal import Journal
from prowess.live.journal.registry import Category
from prowess.live.journal.stored_log import current
from prowess.live.result import CONTESTS, COUNTS, FIELD_DEFAULTS, LiveResult
from prowess.live.store.queries import RESULT_FIELDS, read_results
from prowess.live.store.tables import placing, result, version

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH_RESULTS = 2_000  # read at a time
PARQUET_ROWS = 50_000  # of a group
EXTRA_COLUMNS = {"points": ("points_a", "points_b")}  # of what a category has beside results
SHARE_NAME = "{}_share"  # of a member


class TablePlan(NamedTuple):
    """The layout of the exported table of a category.

    A game is one row, with the players of both sides in `first` and `second`, followed by their
    shares if any result has shares. A contest has one row for each player.
    """

    names: tuple[str, ...]  # of all columns
    first: tuple[str, ...]
    second: tuple[str, ...]
    facts: tuple[str, ...]  # of the columns of facts
    of_pairs: bool = False  # whether all are games of one player against one, who played all of it

    @property
    def long(self) -> bool:
        """Whether a result has a row for each player."""
        return not self.first


class Extract(NamedTuple):
    """The results of a category that count at a revision, up to a time."""

    journal: Journal
    category: Category
    revision: int
    until: int | None = None

    def select(self, columns: Sequence[Any], *more: Any) -> Select[Any]:
        """Select columns of the current versions of these results, on more conditions."""
        conditions = [result.c.category_id == self.category.id, version.c.state == COUNTS, *more]
        if self.until is not None:
            conditions.append(version.c.time <= self.until)
        return current(columns, self.revision).where(*conditions)

    def plan_table(self) -> TablePlan:
        """Plan the columns of the table: those of every game, and those in use."""
        with self.journal.store.read() as connection:
            sizes, shared, points = self.count_side_sizes(connection)
            values = self.find_unusual_columns(connection)
            facts = self.find_fact_columns(connection)
        more = (*(name for name in ("side", "weight", "round") if values[name]), *facts)
        category = self.category
        extra = [name for one in category.extra for name in EXTRA_COLUMNS.get(one, (one,))]
        if category.kind != CONTESTS:
            sides: list[tuple[str, ...]] = [("player_a",), ("player_b",)]
            if sizes:
                sides = [
                    tuple(f"{letter}{n}" for n in range(1, 1 + max(1, sizes.get(at, 0))))
                    for at, letter in enumerate("ab")
                ]
            members = [*sides[0], *sides[1]]
            if shared:
                members = [column for name in members for column in (name, SHARE_NAME.format(name))]
            names = ("time", *members, "score", *extra, *more)
            return TablePlan(names, sides[0], sides[1], facts, of_pairs=not sizes)
        teams = ["team"] if shared or max(sizes.values(), default=0) > 1 else []
        share = ["share"] if shared else []
        reached = ["place", *(["points"] if points else [])]
        names = ("contest", "date", *teams, "player", *share, *reached, *more)
        return TablePlan(names, (), (), facts)

    def find_unusual_columns(self, connection: Connection) -> dict[str, bool]:
        """Find which optional columns hold a value other than the default."""
        most = func.max if self.journal.store.kind == "sqlite" else func.bool_or
        unusual = [most(version.c[name] != FIELD_DEFAULTS[name]) for name in ("side", "weight")]
        found = connection.execute(self.select([*unusual, func.count(version.c.round)])).one()
        return dict(zip(("side", "weight", "round"), map(bool, found), strict=True))

    def count_side_sizes(self, connection: Connection) -> tuple[dict[int, int], bool, bool]:
        """Largest number of members by side; whether any result has shares, and points."""
        seats = self.select([placing.c.side, func.count().label("members")]).join(
            placing,
            (placing.c.result_id == version.c.result_id)
            & (placing.c.revision == version.c.revision),
        )
        sizes = seats.group_by(placing.c.result_id, placing.c.side).subquery()
        largest = select(sizes.c.side, func.max(sizes.c.members)).group_by(sizes.c.side)
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

    def find_fact_columns(self, connection: Connection) -> tuple[str, ...]:
        """The fact columns of the results, sorted."""
        chosen = self.select([version.c.facts], version.c.facts.is_not(None))
        found = connection.execution_options(yield_per=BATCH_RESULTS).scalars(chosen)
        return tuple(sorted({FACT_OF + name for facts in found for name in facts}))

    def read_parts(self) -> Iterator[list[LiveResult]]:
        """Yield lists of the results in order of play: by time, then number."""
        numbers = self.order_of_play()
        for at in range(0, len(numbers), BATCH_RESULTS):
            part = numbers[at : at + BATCH_RESULTS].tolist()
            chosen = current(RESULT_FIELDS, self.revision).where(result.c.id.in_(part))
            with self.journal.store.read() as connection:
                by_number = {row.id: row for row in read_results(connection, chosen)}
            yield [by_number[number] for number in part]

    def read_pairs(self, plan: TablePlan) -> Iterator[list[list[Any]]]:
        """Yield the rows of games of one player against one, as CSV has them: straight from the
        columns of the store.
        """
        shown = dict[int, Any]()
        own = {"player_a": version.c.a, "player_b": version.c.b}
        names = [name for name in plan.names if name not in plan.facts]
        columns = [own[name] if name in own else version.c[name] for name in names]
        facts = [version.c.facts] if plan.facts else []
        texts = [at for at, name in enumerate(names) if name == "round"]
        when, *sides = (names.index(name) for name in ("time", "player_a", "player_b"))
        numbers = self.order_of_play()
        for at in range(0, len(numbers), BATCH_RESULTS):
            part = numbers[at : at + BATCH_RESULTS].tolist()
            chosen = current([result.c.id, *columns, *facts], self.revision)
            with self.journal.store.read() as connection:
                found = connection.execute(chosen.where(result.c.id.in_(part))).all()
            by_number = {number: cells for number, *cells in found}
            rows = []
            for number in part:
                cells = by_number[number]
                more = cells.pop() if facts else None
                cells[when] = format_time(cells[when])
                for side in sides:
                    if (player := cells[side]) not in shown:
                        shown[player] = guard_cell(self.journal.name(player))
                    cells[side] = shown[player]
                for place in texts:
                    cells[place] = guard_cell(cells[place])
                if facts:
                    kept = {FACT_OF + name: write_fact(one) for name, one in (more or {}).items()}
                    cells += map(kept.get, plan.facts)
                rows.append(cells)
            yield rows

    def order_of_play(self) -> NDArray[np.int64]:
        """The numbers of the results by time, then number."""
        chosen = self.select([result.c.id, version.c.time])
        with self.journal.store.read() as connection:
            found = connection.execution_options(yield_per=BATCH_RESULTS).execute(chosen)
            parts = [np.array(tuple(zip(*part, strict=True))) for part in found.partitions()]
        if not parts:
            return np.empty(0, dtype=np.int64)
        number, time = np.concatenate(parts, axis=1)
        ordered: NDArray[np.int64] = number[np.lexsort((number, time))]
        return ordered

    def build_rows(
        self, plan: TablePlan, part: Iterable[LiveResult]
    ) -> Iterator[tuple[LiveResult, dict[str, Any]]]:
        """Yield the rows of the table, each with its result."""
        for row in part:
            name, when = self.journal.name, format_time(row.time)
            facts = {FACT_OF + name: write_fact(value) for name, value in (row.facts or {}).items()}
            points = dict(zip(EXTRA_COLUMNS["points"], row.points, strict=True))
            values = row._asdict() | points | facts
            if not plan.long:
                values["time"] = when
                for columns, side in zip((plan.first, plan.second), row.sides, strict=True):
                    values |= zip_longest(columns, [name(one.player) for one in side.members])
                    shares = [one.share for one in side.members]
                    values |= zip_longest(map(SHARE_NAME.format, columns), shares)
                yield row, values
                continue
            for at, side in enumerate(row.sides):  # in the order of the ladder
                seat = {
                    "contest": row.id,
                    "date": when,  # not `time`, which may be that of a race
                    "team": str(at + 1),
                    "place": side.place,
                    "points": side.points,
                }
                for one in side.members:
                    yield row, values | seat | {"player": name(one.player), "share": one.share}

    def write_csv(self) -> Iterator[bytes]:
        """Yield the table as CSV, floats at full precision, with texts guarded against formulas."""
        plan = self.plan_table()
        guarded = set(plan.facts)
        yield _lines([plan.names])
        if plan.of_pairs:
            yield from map(_lines, self.read_pairs(plan))
            return
        for part in self.read_parts():
            yield _lines(
                [
                    row.get(name) if name in guarded else guard_cell(row.get(name))
                    for name in plan.names
                ]
                for _, row in self.build_rows(plan, part)
            )

    def write_ndjson(self) -> Iterator[bytes]:
        """Yield one result per line, in the form of GET /results."""
        for part in self.read_parts():
            rows = (serialize_result(self.journal, row) for row in part)
            yield b"".join(encode_json(row) + b"\n" for row in rows)

    def write_parquet(self) -> Iterator[bytes]:
        """Yield the table as a Parquet file, with the method in its metadata."""
        import pyarrow as pa
        from pyarrow import parquet

        plan = self.plan_table()
        names, when = plan.names, "date" if plan.long else "time"
        kinds = {"contest": pa.int64(), when: pa.timestamp("us", tz="UTC")}
        players = *plan.first, *plan.second, "player", "team", "round", *plan.facts
        texts = dict.fromkeys(players, pa.string())
        method = serialize_category(self.journal, self.category) | {"revision": self.revision}
        schema = pa.schema(
            [(name, (kinds | texts).get(name, pa.float64())) for name in names],
            metadata={"prowess": json.dumps(method)},
        )
        sink = PartBuffer()
        with parquet.ParquetWriter(sink, schema) as writer:
            held: list[dict[str, Any]] = []
            for part in self.read_parts():
                for one, row in self.build_rows(plan, part):
                    values = {name: row.get(name) for name in names} | {when: one.time}
                    facts = {name: str(row[name]) for name in plan.facts if name in row}
                    held.append(values | facts)
                if len(held) >= PARQUET_ROWS:
                    writer.write_table(pa.Table.from_pylist(held, schema=schema))
                    held = []
                    yield sink.take()
            if held:
                writer.write_table(pa.Table.from_pylist(held, schema=schema))
        yield sink.take()


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


def _lines(cells: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue().encode()


router = build_router("export")
FILE_FORMATS = {
    "csv": (Extract.write_csv, "text/csv; charset=utf-8"),
    "ndjson": (Extract.write_ndjson, "application/x-ndjson"),
    "parquet": (Extract.write_parquet, "application/vnd.apache.parquet"),
}


@router.get(
    "/export",
    summary="Export a category as a table",
    response_class=StreamingResponse,
    responses={200: {"content": {kind.partition(";")[0]: {} for _, kind in FILE_FORMATS.values()}}},
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
    plan = partial(plan_export, call.journal, category, form, until, revision)
    headers, kind, _ = plan()  # refused before it has to wait for its turn
    if call.request.state.head:
        return Response(None, 200, headers, kind)
    files: SharedFiles = call.request.app.state.exports
    return SharedResponse(files, (category, form, until, revision), plan)


def plan_export(
    journal: Journal, category: str | None, form: str, until: int | None, revision: int | None
) -> FilePlan:
    """The head of an exported file and its parts; raises HttpProblem, NotFound."""
    known, categories = journal.revision, {one.key: one for one in journal.categories()}
    if revision is not None and revision != known:
        known, categories = revision, find_categories(journal, revision)
    if form == "ndjson" and category is None:
        chosen = list(categories.values())
        name = "results"
    else:
        name = journal.category(category).key
        if name not in categories:
            raise NotFound.of("no_such_category.revision", name=name, revision=known)
        chosen = [categories[name]]
    if form == "parquet":
        try:
            import pyarrow  # noqa: F401, ICN001
        except ModuleNotFoundError:
            raise HttpProblem.of("not_acceptable.parquet", 406) from None
    writer, kind = FILE_FORMATS[form]
    parts: Iterator[bytes] = chain.from_iterable(
        writer(Extract(journal, one, known, until)) for one in chosen
    )
    headers = {
        "Content-Disposition": f'attachment; filename="{name}-r{known}.{form}"',
        "Prowess-Revision": str(known),
        "Cache-Control": "no-store",
    }
    return FilePlan(headers, kind, parts)
