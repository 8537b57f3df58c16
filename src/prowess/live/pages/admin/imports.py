"""Results from a file: what would be taken and who would move, then done."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING

from starlette.datastructures import UploadFile
from starlette.responses import Response

from prowess.live.errors import Refused
from prowess.live.journal.imports import read_submissions
from prowess.live.journal.record import Record
from prowess.live.pages.admin import columns
from prowess.live.pages.admin.changes import preview
from prowess.live.pages.admin.forms import text, whole
from prowess.live.pages.admin.newcomers import newcomers
from prowess.live.pages.admin.signing import noted
from prowess.live.pages.visits import Visit

if TYPE_CHECKING:
    from prowess.games import BadData
    from prowess.live.journal.submission import Submission

KEPT = 8  # files between the two steps; the oldest goes
SUFFIXES = (".csv", ".tsv", ".pgn", ".json", ".jsonl", ".ndjson", ".gz")
WORDS = "Take in results"
TOLD = 100  # rows that are complained of one by one
PART = 1 << 20  # bytes


@dataclass(eq=False)
class Uploads:
    """Files between dry run and confirmation, in a folder that goes with the server."""

    folder: TemporaryDirectory[str] = field(default_factory=lambda: TemporaryDirectory("prowess"))
    files: OrderedDict[str, tuple[int | None, Path]] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def keep(self, token: int | None, name: str, content: bytes) -> str:
        """Keep a file for whoever holds the token; gives the word that finds it again."""
        suffixes = "".join(s for s in PurePath(name).suffixes[-2:] if s.lower() in SUFFIXES)
        if not suffixes:
            raise Refused(
                "bad_file", f"{name!r}: a file ends in {', '.join(SUFFIXES)}", field="file"
            )
        word = token_urlsafe(16)
        path = Path(self.folder.name) / f"{word}{suffixes.lower()}"
        path.write_bytes(content)
        with self.lock:
            self.files[word] = token, path
            while len(self.files) > KEPT:
                self.files.popitem(last=False)[1][1].unlink(missing_ok=True)
        return word

    def find(self, token: int | None, word: str) -> Path:
        """A file kept before; raises Refused where it has gone."""
        with self.lock:
            owner, path = self.files.get(word, (None, None))
        if path is None or owner != token or not path.exists():
            raise Refused("gone", "the file is no longer here: choose it again", field="file")
        return path


def form(visit: Visit) -> Response:
    """Which file, and into which category."""
    visit.signed_in("submit")
    return shown(visit)


def shown(visit: Visit, error: Refused | None = None, kept: str = "") -> Response:
    """The form with what was chosen, the file among it, and what was wrong with it."""
    chosen = {name: value for name, value in visit.form.items() if isinstance(value, str)}
    rows = [str(one) for one in getattr(error, "errors", ())]
    return visit.page(
        "admin/import.html",
        here="admin",
        status=200 if error is None else error.status,
        categories=visit.desk.categories(),
        limit=visit.settings.batch_rows,
        chosen=chosen,
        told=any(chosen.get(name) for name in columns.BOXES),
        written=columns.WRITTEN,
        columns=columns.COLUMNS,
        skip=columns.SKIP,
        error="" if error is None else f"{error.message}.",
        rows=rows,
        kept=kept,
        source=usual_source(visit),
    )


def take(visit: Visit, uploads: Uploads) -> Response:
    """The dry run, or, confirmed, the import; after a mistake the form as it was."""
    actor = visit.signed_in("submit")
    step, word = visit.given("step"), visit.given("kept")
    if step == "back":
        return shown(visit, kept=word)
    try:
        given = visit.form.get("file")
        if isinstance(given, UploadFile) and given.filename:
            word = uploads.keep(actor.token, given.filename, given.file.read())
        elif not word:
            raise Refused("missing", "choose a file", field="file")
        path = uploads.find(actor.token, word)
    except Refused as error:
        return shown(visit, error)
    left_out: list[BadData] = []
    try:
        check_unpacked(path, visit.settings.batch_limit)
        skip = visit.given("on_error") == "skip"
        rows, notes = read(visit, path, left_out)
        entry = Record(tuple(rows), "skip" if skip else "stop", look_alikes=True)
        if step != "confirm":
            outlook = visit.desk.preview(entry, actor)
            return preview(
                visit,
                WORDS,
                entry,
                outlook,
                new=newcomers(visit, entry.submissions),
                back="Change something",
                kept=word,
                report=Counter(one.status for one in outlook.results),
                errors=[str(one.error) for one in outlook.results if one.error][:TOLD],
                left_out=[columns.worded(one, path) for one in left_out[:TOLD]],
                more_left_out=len(left_out) - TOLD,
                notes=[columns.worded(note, path) for note in notes],
            )
        receipt = visit.desk.commit(entry, actor, if_revision=whole(visit, "if_revision"))
    except Refused as error:
        if step == "confirm":
            noted(visit, "import", visit.given("category"), error.code)
        return shown(visit, error, word)
    noted(visit, "import", text(visit, "category"))
    return visit.page(
        "admin/done.html", here="admin", words=WORDS, receipt=receipt, left_out=len(left_out)
    )


def usual_source(visit: Visit) -> str:
    """What an import comes in under if nothing else is typed."""
    own = None if visit.actor is None else visit.actor.source
    return own or "import"


def check_unpacked(path: Path, most: int) -> None:
    """Raise Refused for a packed file that holds more bytes than may be sent unpacked."""
    if path.suffix != ".gz":
        return
    size = 0
    try:
        with gzip.open(path) as file:
            while size <= most and (part := file.read(PART)):
                size += len(part)
    except (OSError, EOFError, zlib.error):
        told = "the file ends in .gz but is not packed so"
        raise Refused("bad_file", told, field="file") from None
    if size > most:
        told = f"the file holds more than {most:,} bytes: send it in parts"
        raise Refused("too_large", told, field="file")


def read(
    visit: Visit, path: Path, left_out: list[BadData]
) -> tuple[list[Submission], tuple[str, ...]]:
    """The rows of a file as results, how its columns were read and what the reader notes.

    Raises Refused.
    """
    category = visit.desk.category(text(visit, "category"))
    table = columns.table(visit, path, category, left_out)
    found = list(read_submissions(table, category, visit.given("source") or usual_source(visit)))
    if len(found) > visit.settings.batch_rows:
        raise Refused(
            "too_many",
            f"{len(found):,} results are more than {visit.settings.batch_rows:,}: send them in "
            "parts, or let the command line do that: `prowess import`",
            field="file",
        )
    return found, (table.reading, *table.notes)
