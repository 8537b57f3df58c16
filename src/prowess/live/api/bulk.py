"""Parsing of bulk requests: a JSON array, JSON lines, or CSV.

The body is spooled to a file. Rows that cannot be parsed are reported with their number from 0,
like rows that the journal refuses.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import IO, Any, NamedTuple

from fastapi import Request
from pydantic import ValidationError
from pydantic_core import from_json

from prowess.games.names import unguard_cell
from prowess.live.api.encoding import (
    FieldFault,
    HttpProblem,
    media_type,
    refuse_repeated_keys,
    validation_fault,
)
from prowess.live.api.middleware import ServerSettings
from prowess.live.api.models import SentResult
from prowess.live.errors import Refused, describe_bad_rows
from prowess.live.journal.imports import FACT_OF, read_fact
from prowess.live.journal.submission import Submission

MOST_BAD = 1000  # rows; a body that has more is not read to its end
MEMORY_BYTES = 1 << 20  # of a body; longer bodies go to a file
ARRAY, LINES, TABLE = "application/json", "application/x-ndjson", "text/csv"
BODY_FORMS = {ARRAY: ARRAY, LINES: LINES, "application/ndjson": LINES, "application/jsonl": LINES,
         TABLE: TABLE}  # fmt: skip


class Body(NamedTuple):
    """A complete request body."""

    file: IO[bytes]
    form: str
    mark: str  # SHA-256


class ParsedRows(NamedTuple):
    """The parsed submissions, their row numbers, and the faults of the other rows."""

    submissions: tuple[Submission, ...]
    numbers: tuple[int, ...]
    faults: tuple[FieldFault, ...]

    @property
    def total(self) -> int:
        """Number of rows, valid or not."""
        return len(self.submissions) + len({fault.row for fault in self.faults})


async def read_body(request: Request) -> AsyncIterator[Body]:
    """Spool the body to a file; raises HttpProblem for an unknown media type."""
    kind = media_type(request.headers.get("content-type", ""))
    if kind not in BODY_FORMS:
        forms = f"{ARRAY} (an array), {LINES} or {TABLE}"
        raise HttpProblem.of("unsupported_media_type.results", 415, kind=kind, forms=forms)
    mark = sha256()
    with SpooledTemporaryFile(max_size=MEMORY_BYTES) as file:
        async for part in request.stream():
            file.write(part)
            mark.update(part)
        file.seek(0)
        yield Body(file, BODY_FORMS[kind], mark.hexdigest())


def parse_rows(body: Body, settings: ServerSettings) -> ParsedRows:
    """Parse the results of a body; raises HttpProblem if it cannot be parsed at all."""
    reader = {ARRAY: read_array, LINES: read_lines_of_json, TABLE: read_csv}[body.form]
    submissions: list[Submission] = []
    numbers: list[int] = []
    faults: list[FieldFault] = []
    try:
        for number, one in enumerate(reader(body.file)):
            if number - len(numbers) >= MOST_BAD:  # rows before this one
                raise too_many_bad_rows(faults, number)
            if number >= settings.batch_rows:
                raise HttpProblem.of("too_many_rows.body", 413, most=settings.batch_rows)
            if isinstance(one, FieldFault):
                faults.append(one._replace(row=number))
                continue
            try:
                json_text = isinstance(one, bytes)
                check = SentResult.model_validate_json if json_text else SentResult.model_validate
                submissions.append(check(one).submission())
                numbers.append(number)
            except ValidationError as error:
                faults += [
                    validation_fault(each, number) for each in error.errors(include_url=False)
                ]
    except UnicodeDecodeError as error:
        raise HttpProblem.of("not_utf8", 400, reason=error.reason, at=error.start) from None
    except csv.Error as error:
        raise HttpProblem.of("not_csv", 400, error=error) from None
    if not submissions and not faults:
        raise Refused.of("empty.results")
    return ParsedRows(tuple(submissions), tuple(numbers), tuple(faults))


def too_many_bad_rows(faults: Sequence[FieldFault], looked_at: int) -> HttpProblem:
    """The problem of so many bad rows that the others were not looked at."""
    message = describe_bad_rows(MOST_BAD, looked_at, str(faults[0]))
    return HttpProblem(422, "too_many_bad_rows", message, faults)


def read_array(file: IO[bytes]) -> Iterator[Any]:
    body = file.read()
    try:
        found = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise HttpProblem.of("not_json.body", 400, error=error) from None
    if not isinstance(found, list):
        raise Refused.of("not_an_array")
    refuse_repeated_keys(body)
    yield from found


def read_lines_of_json(file: IO[bytes]) -> Iterator[Any]:
    for line in file:
        if not line.strip():
            continue
        try:
            refuse_repeated_keys(line)
        except Refused as error:
            yield FieldFault(error.code, error.message, error.field)
        else:
            yield line.strip()


def read_csv(file: IO[bytes]) -> Iterator[Any]:
    lines = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    yield from parse_table(csv.reader(lines, strict=True))
    lines.detach()


# CSV tables: one row per game, or one row per player of a result. Headings are the field names of
# the API. Teams of games are in columns a1, a2, b1, b2 with shares in a1_share, or in rows with a
# `team` (the first row belongs to the first side); facts are in columns fact_NAME. The rows of a
# result are contiguous.


TEXT_FIELDS = {"category", "player_a", "player_b", "time", "round", "source", "external_id"}
NUMBER_FIELDS = {"score", "side", "weight", "margin", "length", "points_a", "points_b"}
SEAT = {"player", "team", "share", "place", "points", "result"}  # of a row for each player
TEAM_NUMBERS = {"share", "place", "points", "result"}  # those that are numbers
TEAM_FIELDS = {"team", "share", "result"}  # not in placings of single players
MEMBER = re.compile(r"([ab])([1-9][0-9]?)")
SHARE_HEADING = re.compile(r"([ab][1-9][0-9]?)_share")

Row = dict[str, Any] | FieldFault


def parse_table(lines: Iterator[list[str]]) -> Iterator[Row]:
    """Parse a table into result objects of the API; raises HttpProblem for unknown headings."""
    header = [name.strip() for name in next(lines, [])]
    if "date" in header and "time" not in header:  # as an export of contests has it
        header[header.index("date")] = "time"
    known = TEXT_FIELDS | NUMBER_FIELDS | SEAT | {"contest"}
    wrong = sorted(
        name
        for name in set(header) - known
        if not (
            MEMBER.fullmatch(name)
            or SHARE_HEADING.fullmatch(name)
            or (name.startswith(FACT_OF) and len(name) > len(FACT_OF))
        )
    )
    if wrong or len(set(header)) < len(header) or not header:
        what = f"unknown: {', '.join(map(repr, wrong))}" if wrong else "a heading is repeated"
        raise Refused.of(
            "bad_columns",
            fault=what if header else "no header",
            known=", ".join(sorted(known)),
            prefix=FACT_OF,
        )
    rows = ((row, parse_cells(header, row)) for row in lines if any(row))
    if {"contest", "place"} & set(header):
        labels = ((parse_label(header, row), one) for row, one in rows)
        yield from parse_long_rows(labels, bool(TEAM_FIELDS & set(header)))
    else:
        yield from (parse_wide_row(one) for _, one in rows)


def parse_label(header: list[str], row: list[str]) -> str:
    """The contest of a row; "" if it is empty or the row has a wrong number of cells."""
    known = "contest" in header and len(row) == len(header)
    return unguard_cell(row[header.index("contest")]) if known else ""


def parse_cells(header: list[str], row: list[str]) -> Row:
    if len(row) != len(header):
        return FieldFault("bad_row", f"{len(row)} cells under {len(header)} headings")
    found: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for name, cell in zip(header, row, strict=True):
        if not cell:
            continue
        if name.startswith(FACT_OF):
            facts[name.removeprefix(FACT_OF)] = read_fact(cell)
            continue
        found[name] = unguard_cell(cell)
        if name in NUMBER_FIELDS or name in TEAM_NUMBERS or SHARE_HEADING.fullmatch(name):
            found[name] = parse_number(cell)
            if found[name] is None:
                return FieldFault("bad_number", f"{cell[:40]!r} is not a number", name)
    return found | ({"facts": facts} if facts else {})


def parse_number(cell: str) -> float | None:
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def parse_wide_row(row: Row) -> Row:
    """Parse a game whose row holds the players of both sides."""
    if isinstance(row, FieldFault):
        return row
    members = {name: found for name in row if (found := MEMBER.fullmatch(name))}
    if not members:
        return row
    sides: list[dict[str, Any]] = [{"players": []}, {"players": []}]
    for name, found in sorted(members.items(), key=lambda one: int(one[1][2])):
        player, share = row.pop(name), row.pop(f"{name}_share", 1.0)
        sides[found[1] == "b"]["players"].append(build_member(player, share))
    for name in row:
        if SHARE_HEADING.fullmatch(name):
            return FieldFault("missing", "name the player whose share this is", name)
    if "score" in row:
        sides[0]["score"] = row.pop("score")
    return move_points_to_sides(row | {"sides": sides})


def build_member(player: str, share: float) -> Any:
    """Build a member of a side, with a share unless it is 1."""
    return player if share == 1.0 else {"player": player, "share": share}


def move_points_to_sides(row: dict[str, Any]) -> dict[str, Any]:
    """Move points_a and points_b of a game into its sides."""
    for side, name in zip(row["sides"], ("points_a", "points_b"), strict=False):
        if name in row:
            side["points"] = row.pop(name)
    return row


@dataclass
class Run:
    """Contiguous rows with the same `contest`; `fault` is the first fault of a row."""

    label: str
    rows: list[dict[str, Any]]
    fault: FieldFault | None


def parse_long_rows(rows: Iterable[tuple[str, Row]], teams: bool) -> Iterator[Row]:
    """Yield the result of each contest; `rows` are (label, row), label "" if unknown.

    All rows are read first: a contest with an invalid row, or whose rows are not contiguous, is
    refused as a whole.
    """
    runs: list[Run] = []
    stray: FieldFault | None = None  # belongs to the contest before or after it
    for label, row in rows:
        if not label:
            missing = FieldFault("missing", "give the contest of the row", "contest")
            stray = row if isinstance(row, FieldFault) else missing
            if runs:
                runs[-1].fault = runs[-1].fault or stray
            continue
        if not runs or runs[-1].label != label:
            runs.append(Run(label, [], stray))
        stray = None
        if isinstance(row, FieldFault):
            runs[-1].fault = runs[-1].fault or row
        else:
            runs[-1].rows.append(row)
    if stray is not None and not runs:
        yield stray
    places = Counter(run.label for run in runs)
    for run in runs:
        if run.fault is not None:
            yield run.fault
        elif places[run.label] > 1:
            message = f"put the rows of contest {run.label!r} one below the other: they stand in "
            yield FieldFault("scattered", f"{message}{places[run.label]} places", "contest")
        else:
            yield build_contest(run, teams)


def build_contest(run: Run, teams: bool) -> Row:
    """Build a contest from its rows, which must agree on all fields except those of players."""
    rows = run.rows
    common, *others = map(_common_cells, rows)
    for other in others:
        if other != common:
            message = f"give all rows of contest {run.label!r} the same value, or use two labels"
            name = next(name for name in (*common, *other) if common.get(name) != other.get(name))
            return FieldFault("bad_contest", message, name)
    if not teams:
        names = ("player", "place", "points")
        return common | {"placings": [{n: row[n] for n in names if n in row} for row in rows]}
    sides: dict[Any, dict[str, Any]] = {}
    for at, row in enumerate(rows):
        team = row.get("team", at)  # without a team: a separate side
        reached: dict[str, Any] = {n: row[n] for n in ("place", "points", "result") if n in row}
        if "result" in reached:
            reached["score"] = reached.pop("result")
        side = sides.setdefault(team, {"players": []} | reached)
        if {name: value for name, value in side.items() if name != "players"} != reached:
            message = f"give the players of team {team!r} the same result"
            return FieldFault("bad_sides", message, "team")
        player = row.get("player")
        if player is None:
            return FieldFault("missing", "name the player of the row", "player")
        share = row.get("share", 1.0)
        side["players"].append(build_member(player, share))
    return move_points_to_sides(common | {"sides": list(sides.values())})


def _common_cells(row: dict[str, Any]) -> dict[str, Any]:
    """The cells of a row that belong to the whole result."""
    return {name: value for name, value in row.items() if name not in {"contest", *SEAT}}
