"""Many results in one body: a JSON array, JSON lines, or CSV.

The body is kept in a file while it comes in. Rows that cannot be read are listed one by one,
with their number from 0, like those that the journal refuses.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import IO, Any, NamedTuple

from fastapi import Request
from pydantic import ValidationError
from pydantic_core import from_json

from prowess.games.names import unguard_cell
from prowess.live.api.limits import ServerSettings
from prowess.live.api.models import SentResult
from prowess.live.api.problems import FieldFault, HttpProblem, validation_fault
from prowess.live.journal.imports import PREFIX, read_fact
from prowess.live.journal.submission import Submission

IN_MEMORY = 1 << 20  # bytes of a body that are not written to a file
ARRAY, LINES, TABLE = "application/json", "application/x-ndjson", "text/csv"
FORMS = {ARRAY: ARRAY, LINES: LINES, "application/ndjson": LINES, "application/jsonl": LINES,
         TABLE: TABLE}  # fmt: skip


class Body(NamedTuple):
    """A body that has come in."""

    file: IO[bytes]
    form: str
    mark: str  # SHA-256


class ParsedRows(NamedTuple):
    """What could be read, the number of each row, and what is wrong with the others."""

    submissions: tuple[Submission, ...]
    numbers: tuple[int, ...]
    faults: tuple[FieldFault, ...]

    @property
    def total(self) -> int:
        """All rows, readable or not."""
        return len(self.submissions) + len({fault.row for fault in self.faults})


async def read_body(request: Request) -> AsyncIterator[Body]:
    """The whole body in a file; the gate counts its bytes. Raises Problem for another form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if kind not in FORMS:
        forms = f"{ARRAY} (an array), {LINES} or {TABLE}"
        raise HttpProblem(415, "unsupported_media_type", f"Content-Type {kind!r}: send {forms}")
    mark = sha256()
    with SpooledTemporaryFile(max_size=IN_MEMORY) as file:
        async for part in request.stream():
            file.write(part)
            mark.update(part)
        file.seek(0)
        yield Body(file, FORMS[kind], mark.hexdigest())


def parse_rows(body: Body, settings: ServerSettings) -> ParsedRows:
    """The results in a body; raises Problem where it cannot be read at all."""
    reader = {ARRAY: _array, LINES: _lines, TABLE: _table}[body.form]
    submissions: list[Submission] = []
    numbers: list[int] = []
    faults: list[FieldFault] = []
    try:
        for number, one in enumerate(reader(body.file)):
            if number >= settings.batch_rows:
                message = (
                    f"more than {settings.batch_rows:,} results in one request; send them in parts"
                )
                raise HttpProblem(413, "too_many_rows", message)
            if isinstance(one, FieldFault):
                faults.append(one._replace(row=number))
                continue
            try:
                submissions.append(_check_row(one).submission())
                numbers.append(number)
            except ValidationError as error:
                faults += [
                    validation_fault(each, number) for each in error.errors(include_url=False)
                ]
    except UnicodeDecodeError as error:
        message = f"the body is not UTF-8: {error.reason} at byte {error.start}"
        raise HttpProblem(400, "not_utf8", message) from None
    except csv.Error as error:
        raise HttpProblem(400, "not_csv", f"the body is not CSV: {error}") from None
    if not submissions and not faults:
        raise HttpProblem(422, "empty", "the body holds no result")
    return ParsedRows(tuple(submissions), tuple(numbers), tuple(faults))


def _check_row(one: Any) -> SentResult:
    if isinstance(one, bytes):
        return SentResult.model_validate_json(one)
    return SentResult.model_validate(one)


def _array(file: IO[bytes]) -> Iterator[Any]:
    try:
        found = from_json(file.read(), allow_inf_nan=False)
    except ValueError as error:
        raise HttpProblem(400, "not_json", f"the body is not JSON: {error}") from None
    if not isinstance(found, list):
        raise HttpProblem(
            422, "not_an_array", "the body is an array of results; one goes to /results"
        )
    yield from found


def _lines(file: IO[bytes]) -> Iterator[Any]:
    for line in file:
        if line.strip():
            yield line.strip()


def _table(file: IO[bytes]) -> Iterator[Any]:
    lines = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    yield from parse_table(csv.reader(lines, strict=True))
    lines.detach()


# A table: a game a row, or a row for each player of a result. Headings are the API's field names.
# Teams of games stand in columns a1, a2, b1, b2 with their shares in a1_share, or in rows with a
# `team`, the first row being of the first side; facts in columns fact_NAME. The rows of one result
# stand one below the other.


TEXTS = {"category", "player_a", "player_b", "time", "round", "source", "external_id"}
NUMBERS = {"score", "side", "weight", "margin", "length", "points_a", "points_b"}
SEAT = {"player", "team", "share", "place", "points", "result"}  # a row for each player
COUNTED = {"share", "place", "points", "result"}  # numbers among them
TEAMS = {"team", "share", "result"}  # what placings of single players do not have
MEMBER = re.compile(r"([ab])([1-9][0-9]?)")
SHARE = re.compile(r"([ab][1-9][0-9]?)_share")

Row = dict[str, Any] | FieldFault


def parse_table(lines: Iterator[list[str]]) -> Iterator[Row]:
    """The results of a table, as its API takes them; raises Problem for headings it cannot be."""
    header = [name.strip() for name in next(lines, [])]
    if "date" in header and "time" not in header:  # as an export of contests has it
        header[header.index("date")] = "time"
    known = TEXTS | NUMBERS | SEAT | {"contest"}
    wrong = sorted(
        name
        for name in set(header) - known
        if not (
            MEMBER.fullmatch(name)
            or SHARE.fullmatch(name)
            or (name.startswith(PREFIX) and len(name) > len(PREFIX))
        )
    )
    if wrong or len(set(header)) < len(header) or not header:
        what = f"unknown: {', '.join(map(repr, wrong))}" if wrong else "some stand there twice"
        raise HttpProblem(
            422,
            "bad_columns",
            f"{what if header else 'no header'}; known: {', '.join(sorted(known))}, a1, a1_share, "
            f"b1, ..., "
            f"{PREFIX}NAME",
        )
    rows = ((row, _cells(header, row)) for row in lines if any(row))
    if {"contest", "place"} & set(header):
        labels = ((_label(header, row), one) for row, one in rows)
        yield from _long(labels, bool(TEAMS & set(header)))
    else:
        yield from (_wide(one) for _, one in rows)


def _label(header: list[str], row: list[str]) -> str:
    """The contest of a row; "" where it is not said, or the row has too few or many cells."""
    known = "contest" in header and len(row) == len(header)
    return unguard_cell(row[header.index("contest")]) if known else ""


def _cells(header: list[str], row: list[str]) -> Row:
    if len(row) != len(header):
        return FieldFault("bad_row", f"{len(row)} cells under {len(header)} headings")
    found: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for name, cell in zip(header, row, strict=True):
        if not cell:
            continue
        if name.startswith(PREFIX):
            facts[name.removeprefix(PREFIX)] = read_fact(cell)
            continue
        found[name] = unguard_cell(cell)
        if name in NUMBERS or name in COUNTED or SHARE.fullmatch(name):
            found[name] = _number(cell)
            if found[name] is None:
                return FieldFault("bad_number", f"{cell[:40]!r} is not a number", name)
    return found | ({"facts": facts} if facts else {})


def _number(cell: str) -> float | None:
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def _wide(row: Row) -> Row:
    """A game with the players of both sides in its row."""
    if isinstance(row, FieldFault):
        return row
    members = {name: found for name in row if (found := MEMBER.fullmatch(name))}
    if not members:
        return row
    sides: list[dict[str, Any]] = [{"players": []}, {"players": []}]
    for name, found in sorted(members.items(), key=lambda one: int(one[1][2])):
        player, share = row.pop(name), row.pop(f"{name}_share", 1.0)
        sides[found[1] == "b"]["players"].append(_member(player, share))
    for name in row:
        if SHARE.fullmatch(name):
            return FieldFault("missing", "name the player whose share this is", name)
    if "score" in row:
        sides[0]["score"] = row.pop("score")
    return _locate_fault(row | {"sides": sides})


def _member(player: str, share: float) -> Any:
    """A player of a side, with a share unless they took part in all of it."""
    return player if share == 1.0 else {"player": player, "share": share}


def _locate_fault(row: dict[str, Any]) -> dict[str, Any]:
    """A game by sides whose points stand with its sides."""
    for side, name in zip(row["sides"], ("points_a", "points_b"), strict=False):
        if name in row:
            side["points"] = row.pop(name)
    return row


@dataclass
class Run:
    """Rows one below the other with the same `contest`; `fault` is what is wrong with one."""

    label: str
    rows: list[dict[str, Any]]
    fault: FieldFault | None


def _long(rows: Iterable[tuple[str, Row]], teams: bool) -> Iterator[Row]:
    """The result of each contest; `rows` come with its label, "" where it is not known.

    All are read before the first is given: a contest of which a row cannot be read, or whose rows
    stand apart, is no result at all, also where others are taken.
    """
    runs: list[Run] = []
    stray: FieldFault | None = None  # may belong to the contest before it or to the one behind it
    for label, row in rows:
        if not label:
            missing = FieldFault("missing", "say which contest the row belongs to", "contest")
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
            yield _result(run, teams)


def _result(run: Run, teams: bool) -> Row:
    """The result of some rows, which say the same of what is no player's."""
    rows = run.rows
    said, *others = map(_common_cells, rows)
    for other in others:
        if other != said:
            message = f"say the same in all rows of contest {run.label!r}, or give it two labels"
            name = next(name for name in (*said, *other) if said.get(name) != other.get(name))
            return FieldFault("bad_contest", message, name)
    if not teams:
        names = ("player", "place", "points")
        return said | {"placings": [{n: row[n] for n in names if n in row} for row in rows]}
    sides: dict[Any, dict[str, Any]] = {}
    for at, row in enumerate(rows):
        team = row.get("team", at)  # without a team a side of its own
        reached: dict[str, Any] = {n: row[n] for n in ("place", "points", "result") if n in row}
        if "result" in reached:
            reached["score"] = reached.pop("result")
        side = sides.setdefault(team, {"players": []} | reached)
        if {name: value for name, value in side.items() if name != "players"} != reached:
            message = f"the players of team {team!r} have two results: mend one"
            return FieldFault("bad_sides", message, "team")
        player = row.get("player")
        if player is None:
            return FieldFault("missing", "name the player of the row", "player")
        share = row.get("share", 1.0)
        side["players"].append(_member(player, share))
    return _locate_fault(said | {"sides": list(sides.values())})


def _common_cells(row: dict[str, Any]) -> dict[str, Any]:
    """What a row says of the whole result."""
    return {name: value for name, value in row.items() if name not in {"contest", *SEAT}}
