"""Many results in one body: a JSON array, JSON lines, or CSV.

The body is kept in a file while it comes in. Rows that cannot be read are told one by one, with
their number from 0, like those that the desk refuses.
"""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterator
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import IO, Any, NamedTuple

from fastapi import Request
from pydantic import ValidationError
from pydantic_core import from_json

from prowess.live.api.models import SentResult
from prowess.live.api.problems import Fault, Problem, fault_of
from prowess.live.api.settings import Settings
from prowess.live.api.sheets import table_rows
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


class Rows(NamedTuple):
    """What could be read, the number of each row, and what is wrong with the others."""

    submissions: tuple[Submission, ...]
    numbers: tuple[int, ...]
    faults: tuple[Fault, ...]

    @property
    def total(self) -> int:
        """All rows, readable or not."""
        return len(self.submissions) + len({fault.row for fault in self.faults})


async def received(request: Request) -> AsyncIterator[Body]:
    """The whole body in a file; the gate counts its bytes. Raises Problem for another form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if kind not in FORMS:
        forms = f"{ARRAY} (an array), {LINES} or {TABLE}"
        raise Problem(415, "unsupported_media_type", f"Content-Type {kind!r}: send {forms}")
    mark = sha256()
    with SpooledTemporaryFile(max_size=IN_MEMORY) as file:
        async for part in request.stream():
            file.write(part)
            mark.update(part)
        file.seek(0)
        yield Body(file, FORMS[kind], mark.hexdigest())


def rows_of(body: Body, settings: Settings) -> Rows:
    """The results in a body; raises Problem where it cannot be read at all."""
    reader = {ARRAY: _array, LINES: _lines, TABLE: _table}[body.form]
    submissions: list[Submission] = []
    numbers: list[int] = []
    faults: list[Fault] = []
    try:
        for number, one in enumerate(reader(body.file)):
            if number >= settings.batch_rows:
                told = (
                    f"more than {settings.batch_rows:,} results in one request; send them in parts"
                )
                raise Problem(413, "too_many_rows", told)
            if isinstance(one, Fault):
                faults.append(one._replace(row=number))
                continue
            try:
                submissions.append(_checked(one).submission())
                numbers.append(number)
            except ValidationError as error:
                faults += [fault_of(each, number) for each in error.errors(include_url=False)]
    except UnicodeDecodeError as error:
        told = f"the body is not UTF-8: {error.reason} at byte {error.start}"
        raise Problem(400, "not_utf8", told) from None
    except csv.Error as error:
        raise Problem(400, "not_csv", f"the body is not CSV: {error}") from None
    if not submissions and not faults:
        raise Problem(422, "empty", "the body holds no result")
    return Rows(tuple(submissions), tuple(numbers), tuple(faults))


def _checked(one: Any) -> SentResult:
    if isinstance(one, bytes):
        return SentResult.model_validate_json(one)
    return SentResult.model_validate(one)


def _array(file: IO[bytes]) -> Iterator[Any]:
    try:
        found = from_json(file.read(), allow_inf_nan=False)
    except ValueError as error:
        raise Problem(400, "not_json", f"the body is not JSON: {error}") from None
    if not isinstance(found, list):
        raise Problem(422, "not_an_array", "the body is an array of results; one goes to /results")
    yield from found


def _lines(file: IO[bytes]) -> Iterator[Any]:
    for line in file:
        if line.strip():
            yield line.strip()


def _table(file: IO[bytes]) -> Iterator[Any]:
    lines = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    yield from table_rows(csv.reader(lines, strict=True))
    lines.detach()
