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

from prowess.games import BadData, read_games
from prowess.live.desk.entries.record import Record
from prowess.live.desk.imports import submissions
from prowess.live.desk.refusals import Refused
from prowess.live.pages.admin.changes import preview
from prowess.live.pages.admin.forms import text, whole
from prowess.live.pages.admin.signing import noted
from prowess.live.pages.visits import Visit

if TYPE_CHECKING:
    from prowess.live.desk.submission import Submission

KEPT = 8  # files between the two steps; the oldest goes
SUFFIXES = (".csv", ".tsv", ".pgn", ".json", ".jsonl", ".ndjson", ".gz")
WORDS = "Take in results"
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
    limit = visit.settings.batch_rows
    return visit.page(
        "admin/import.html", here="admin", categories=visit.desk.categories(), limit=limit
    )


def take(visit: Visit, uploads: Uploads) -> Response:
    """The dry run, or, confirmed, the import."""
    actor = visit.signed_in("submit")
    confirmed = visit.given("step") == "confirm"
    if confirmed:
        word = text(visit, "kept")
        path = uploads.find(actor.token, word)
    else:
        given = visit.form.get("file")
        if not isinstance(given, UploadFile) or not given.filename:
            raise Refused("missing", "choose a file", field="file")
        word = uploads.keep(actor.token, given.filename, given.file.read())
        path = uploads.find(actor.token, word)
        check_unpacked(path, visit.settings.batch_limit)
    skip = visit.given("on_error") == "skip"
    entry = Record(tuple(read(visit, path)), "skip" if skip else "stop")
    if not confirmed:
        outlook = visit.desk.preview(entry, actor)
        report = Counter(one.status for one in outlook.results)
        return preview(
            visit,
            WORDS,
            outlook,
            kept=word,
            report=report,
            errors=[str(one.error) for one in outlook.results if one.error][:100],
        )
    try:
        receipt = visit.desk.commit(entry, actor, if_revision=whole(visit, "if_revision"))
    except Refused as error:
        noted(visit, "import", text(visit, "category"), error.code)
        raise
    noted(visit, "import", text(visit, "category"))
    return visit.page("admin/done.html", here="admin", words=WORDS, receipt=receipt)


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


def read(visit: Visit, path: Path) -> list[Submission]:
    """The rows of a file as results; raises Refused."""
    category = visit.desk.category(text(visit, "category"))
    try:
        table = read_games(path)
    except (BadData, OSError, ModuleNotFoundError) as error:
        raise Refused("bad_file", str(error).replace(str(path), "the file"), field="file") from None
    found = list(submissions(table, category, visit.given("source") or "import"))
    if len(found) > visit.settings.batch_rows:
        raise Refused(
            "too_many",
            f"{len(found):,} results are more than {visit.settings.batch_rows:,}: use "
            "`prowess import`, which takes them in parts",
            field="file",
        )
    return found
