"""Uploaded files are read in a process of their own, with limits of size, memory and time.

A small file may hold a large table: packed, or as sixty million commas. What a process took is
given back when it ends, and the server goes on where it is killed.
"""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from prowess.games import BadData
from prowess.games.limits import COLUMN_LIMIT, MB, MEMBER_LIMIT
from prowess.games.reading import UnplayedGame
from prowess.live.errors import Busy, Refused
from prowess.live.journal.imports import FACT_OF, Kept, read_submissions, read_table
from prowess.live.journal.submission import Submission

if TYPE_CHECKING:
    from prowess.games import Games

MAX_SIZE = 1536 * MB  # memory of a file, beside the libraries
TIME_LIMIT_S = 60  # of reading
READER_PROCESSES = BoundedSemaphore(2)
QUEUE_SECONDS = 30.0  # until one of them may begin
LINES_PER_RESULT = 20  # of text, or objects of JSON: its players, its tags
CELLS_PER_RESULT = 100
TOLD = 100  # bad rows that are listed
PARQUET = b"PAR1"
ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
SMALLER = "send the file in parts"


class NamedBytes(io.BytesIO):
    """An open stream of bytes, whose name says in which format they are."""

    name: str


@dataclass(frozen=True)
class Upload:
    """The content of a file to be read, and how; errors call it by its name without the suffix."""

    content: bytes
    name: str  # "the file.csv"
    category: Kept
    source: str
    plays: Literal["games", "contests"] | None
    skip: Literal["all", False]
    options: dict[str, Any]  # of `read_games`
    most: int  # bytes that it may hold, unpacked
    rows: int  # results that it may hold

    def open(self) -> NamedBytes:
        """The content as a stream."""
        stream = NamedBytes(self.content)
        stream.name = self.name
        return stream

    def describe(self, text: object) -> str:
        """What the reader says of the file, without the suffix of its name."""
        return str(text).replace(self.name, self.name.partition(".")[0])


class UploadContent(NamedTuple):
    """What a file holds; errors and notes in the words of the reader."""

    submissions: tuple[Submission, ...]
    unplayed: tuple[UnplayedGame, ...]
    notes: tuple[str, ...]
    left_out: tuple[str, ...]  # the first of them
    left_out_total: int


RefusalParts = tuple[str, str, str | None, tuple[str, ...]]  # code, message, field, rows


def read_upload(upload: Upload) -> UploadContent:
    """Read a file in a process of its own; raises Refused, Busy."""
    if not READER_PROCESSES.acquire(timeout=QUEUE_SECONDS):
        raise Busy.of("reading", wait=60)
    try:
        alone = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
        place = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            input=pickle.dumps(upload),
            capture_output=True,
            timeout=TIME_LIMIT_S,
            env=os.environ | alone | place,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Refused.of(
            "too_slow.read", smaller=SMALLER, seconds=TIME_LIMIT_S, field="file"
        ) from None
    finally:
        READER_PROCESSES.release()
    message = (
        f"{SMALLER}, or use `prowess import`: reading it takes more than {MAX_SIZE // MB:,} MB"
    )
    found: UploadContent | RefusalParts = "too_large", message, "file", ()
    with suppress(EOFError, pickle.UnpicklingError):  # it was killed
        found = pickle.loads(done.stdout)
    if isinstance(found, UploadContent):
        return found
    code, message, field, rows = found
    error = Refused(code, message, field=field)
    error.rows = rows
    raise error


# In the process.


def limit_process() -> None:
    """Limit the memory and the time of this process, where the system can."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return
    used = 0
    with suppress(OSError, ValueError):  # pages of address space, of Linux
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    for name, most in (
        ("RLIMIT_AS", used + MAX_SIZE),
        ("RLIMIT_CPU", 2 * TIME_LIMIT_S),
        ("RLIMIT_CORE", 0),
    ):
        with suppress(AttributeError, ValueError, OSError):
            resource.setrlimit(getattr(resource, name), (most, most))


def check_content(upload: Upload) -> None:
    """Refuse a file that holds too much, before anything is made of it; raises Refused, BadData."""
    from prowess.games.formats.sources import HEAD, open_bytes, sniff_binary

    with open_bytes(upload.open()) as file:
        head = file.look(HEAD)
        if head.startswith(ARCHIVES):
            check_archive(upload)
            return
        is_text = sniff_binary(upload.name, None, head) is None
        content = bytearray()
        while len(content) <= upload.most and (part := file.read(MB)):
            content += part
    if len(content) > upload.most:
        raise Refused.of("too_large.bytes", remedy=SMALLER, most=upload.most, field="file")
    if is_text:  # what another binary file unfolds to meets the limits of the process
        check_rows(content, upload)
    elif content.startswith(PARQUET):
        check_parquet(content, upload)


def check_archive(upload: Upload) -> None:
    """Refuse an archive, such as a workbook, whose files hold too much; its reader takes no more
    than they say.
    """
    try:
        with zipfile.ZipFile(upload.open()) as archive:
            sizes = [one.file_size for one in archive.infolist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Refused.of("bad_file.archive", error=error, field="file") from None
    if sum(sizes) > upload.most or len(sizes) > MEMBER_LIMIT:
        raise Refused.of(
            "too_large.files", remedy=SMALLER, most=upload.most, files=MEMBER_LIMIT, field="file"
        )


def check_parquet(content: bytearray, upload: Upload) -> None:
    """Refuse a Parquet file of more rows than its results can have; a damaged one is read on."""
    from pyarrow import ArrowException, parquet

    rows = 0
    with suppress(ArrowException, OSError, ValueError):
        rows = parquet.read_metadata(io.BytesIO(content)).num_rows
    if rows > LINES_PER_RESULT * upload.rows:
        raise Refused.of(
            "too_many.rows", remedy=SMALLER, most=LINES_PER_RESULT * upload.rows, field="file"
        )


def check_rows(content: bytearray, upload: Upload) -> None:
    """Refuse a text of more lines, objects, columns or cells than its results can have."""
    objects = content.count(b"{") + content.count(b"[")
    lines = max(content.count(b"\n"), content.count(b"\r"))
    if max(objects, lines) > LINES_PER_RESULT * upload.rows:
        raise Refused.of(
            "too_many.lines", remedy=SMALLER, most=LINES_PER_RESULT * upload.rows, field="file"
        )
    delimiters = (b",", b";", b"\t", b"|")
    if max(map(content.count, (*delimiters, b"<"))) > CELLS_PER_RESULT * upload.rows:
        raise Refused.of(
            "too_many.cells", remedy=SMALLER, most=CELLS_PER_RESULT * upload.rows, field="file"
        )
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return  # JSON may be one line
    long = (line for line in content.splitlines() if len(line) > COLUMN_LIMIT)
    if any(line.count(one) > COLUMN_LIMIT for line in long for one in delimiters):
        raise Refused.of("too_many.columns", most=COLUMN_LIMIT, field="file")


def read_content(upload: Upload) -> UploadContent:
    """What a file holds; raises Refused."""
    from prowess.games import read_games

    left_out: list[str] = []
    total = 0

    def note(error: BadData) -> None:
        nonlocal total
        total += 1
        if len(left_out) < TOLD:
            left_out.append(upload.describe(error))

    def read_upload_games(**more: Any) -> Games:
        return read_games(
            upload.open(), kind=upload.plays, skip_bad=upload.skip, report=note, warn=False,
            fact_prefix=FACT_OF, **(upload.options | more),
        )  # fmt: skip

    try:
        check_content(upload)
        table = read_table(read_upload_games)
        found = []
        for one in read_submissions(table, upload.category, upload.source):
            found.append(one)
            if len(found) > upload.rows:
                message = f"it holds more than {upload.rows:,} results"
                raise Refused.of("too_many.read", smaller=SMALLER, message=message, field="file")
    except (BadData, OSError, LookupError, ValueError, ModuleNotFoundError) as error:
        raise Refused("bad_file", upload.describe(error), field="file") from None
    notes = *table.reading.lines(), *table.reading.guesses
    return UploadContent(
        tuple(found),
        table.reading.unplayed,
        tuple(map(upload.describe, notes)),
        tuple(left_out),
        total,
    )


def main() -> None:
    """Read the file that standard input describes, and write what it holds to standard output."""
    upload = pickle.load(sys.stdin.buffer)
    answer = os.dup(1)
    os.dup2(2, 1)  # nothing else may be written there
    limit_process()
    found: UploadContent | RefusalParts | None = None
    try:
        found = read_content(upload)
    except Refused as error:
        rows = tuple(map(str, getattr(error, "errors", ())))
        found = error.code, error.message, error.field, rows
    except (MemoryError, RecursionError):
        pass
    with os.fdopen(answer, "wb") as file:
        if found is not None:
            pickle.dump(found, file)
