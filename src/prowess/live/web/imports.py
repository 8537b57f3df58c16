"""Results from a file: what would be taken and who would move, then done."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from starlette.datastructures import UploadFile
from starlette.responses import Response

from prowess.games import BadData, read_games
from prowess.live.errors import Refused
from prowess.live.journal.imports import PREFIX, read_submissions
from prowess.live.journal.record import RecordResults
from prowess.live.result import CONTESTS
from prowess.live.web.changes import find_newcomers, preview_page
from prowess.live.web.forms import parse_integer, required_text
from prowess.live.web.page_request import PageRequest
from prowess.live.web.sessions import write_audit_line

if TYPE_CHECKING:
    from prowess.games.games import Games
    from prowess.live.journal.registry import Category
    from prowess.live.journal.submission import Submission
    from prowess.live.web.page_request import PageRequest


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


def show_import_form(request: PageRequest) -> Response:
    """Which file, and into which category."""
    request.require_scope("submit")
    return import_form_page(request)


def import_form_page(
    request: PageRequest, error: Refused | None = None, kept: str = ""
) -> Response:
    """The form with what was chosen, the file among it, and what was wrong with it."""
    chosen = {name: value for name, value in request.form.items() if isinstance(value, str)}
    rows = [str(one) for one in getattr(error, "errors", ())]
    return request.render(
        "admin/import.html",
        here="admin",
        status=200 if error is None else error.status,
        categories=request.journal.categories(),
        limit=request.settings.batch_rows,
        chosen=chosen,
        told=any(chosen.get(name) for name in BOXES),
        written=WRITTEN,
        columns=COLUMNS,
        skip=SKIP,
        error="" if error is None else f"{error.message}.",
        rows=rows,
        kept=kept,
        source=usual_source(request),
    )


def submit_import(request: PageRequest, uploads: Uploads) -> Response:
    """The dry run, or, confirmed, the import; after a mistake the form as it was."""
    actor = request.require_scope("submit")
    step, word = request.field("step"), request.field("kept")
    if step == "back":
        return import_form_page(request, kept=word)
    try:
        given = request.form.get("file")
        if isinstance(given, UploadFile) and given.filename:
            word = uploads.keep(actor.token, given.filename, given.file.read())
        elif not word:
            raise Refused("missing", "choose a file", field="file")
        path = uploads.find(actor.token, word)
    except Refused as error:
        return import_form_page(request, error)
    left_out: list[BadData] = []
    try:
        check_unpacked(path, request.settings.batch_limit)
        skip = request.field("on_error") == "skip"
        rows, notes = read_rows(request, path, left_out)
        entry = RecordResults(tuple(rows), "skip" if skip else "stop", look_alikes=True)
        if step != "confirm":
            preview = request.journal.preview(entry, actor)
            return preview_page(
                request,
                WORDS,
                entry,
                preview,
                new=find_newcomers(request, entry.submissions),
                back="Change something",
                kept=word,
                report=Counter(one.status for one in preview.results),
                errors=[str(one.error) for one in preview.results if one.error][:TOLD],
                left_out=[in_form_words(one, path) for one in left_out[:TOLD]],
                more_left_out=len(left_out) - TOLD,
                notes=[in_form_words(note, path) for note in notes],
            )
        committed = request.journal.commit(
            entry, actor, if_revision=parse_integer(request, "if_revision")
        )
    except Refused as error:
        if step == "confirm":
            write_audit_line(request, "import", request.field("category"), error.code)
        return import_form_page(request, error, word)
    write_audit_line(request, "import", required_text(request, "category"))
    return request.render(
        "admin/done.html", here="admin", words=WORDS, committed=committed, left_out=len(left_out)
    )


def usual_source(request: PageRequest) -> str:
    """What an import comes in under if nothing else is typed."""
    own = None if request.actor is None else request.actor.source
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
        message = "the file ends in .gz but is not packed so"
        raise Refused("bad_file", message, field="file") from None
    if size > most:
        message = f"the file holds more than {most:,} bytes: send it in parts"
        raise Refused("too_large", message, field="file")


def read_rows(
    request: PageRequest, path: Path, left_out: list[BadData]
) -> tuple[list[Submission], tuple[str, ...]]:
    """The rows of a file as results, how its columns were read and what the reader notes.

    Raises Refused.
    """
    category = request.journal.category(required_text(request, "category"))
    table = read_upload(request, path, category, left_out)
    found = list(
        read_submissions(table, category, request.field("source") or usual_source(request))
    )
    if len(found) > request.settings.batch_rows:
        raise Refused(
            "too_many",
            f"{len(found):,} results are more than {request.settings.batch_rows:,}: send them in "
            "parts, or let the command line do that: `prowess import`",
            field="file",
        )
    return found, (table.reading, *table.notes)


# The form's boxes: encoding, dates, and which column is what.


SKIP = "leave out bad rows instead of taking nothing"  # what the box is called
WRITTEN = {  # of the whole file: what a box is called, what may be put in it
    "encoding": ("Encoding", "utf-8, latin-1, cp1252, utf-16"),
    "delimiter": ("Delimiter", "; or , or | or tab"),
    "date_format": ("Date format", "%d.%m.%Y, %m/%d/%Y, excel, seconds"),
    "unplaced": ("Without a place (DNF)", "last, skip"),
    "teams": ("Names such as A & B", "members: two players; names: one player"),
}
GAMES = {
    "player_a": "First player", "player_b": "Second player", "result": "Result",
    "score_a": "Points of the first", "score_b": "Points of the second", "winner": "Winner",
    "loser": "Loser", "draw": "Drawn", "time": "Date", "round": "Round",
    "side": "Side with the advantage",
    "neutral": "Neutral ground", "weight": "Weight", "margin": "Margin", "length": "Length",
    "facts": "Facts beside those in fact_ columns",
}  # fmt: skip
CONTESTS_HAVE = {
    "contest": "Contest", "player": "Player", "place": "Place", "points": "Points",
    "team": "Team of a player", "share": "Share of a player",
    "time": "Date", "weight": "Weight",
}  # fmt: skip
COLUMNS = GAMES | CONTESTS_HAVE
BOXES = {name: label for name, (label, _) in WRITTEN.items()} | COLUMNS
TAB = "tab"
OPTIONS = re.compile(r" ?\(--[^)]*\)")  # of the command line
GIVEN = re.compile(rf"\b({'|'.join(BOXES)})=(\.\.\.|COLUMN\b)?")


def read_upload(
    request: PageRequest, path: Path, category: Category, left_out: list[BadData]
) -> Games:
    """A file as the form says it is to be read; bad rows come to `left_out`. Raises Refused."""
    given: dict[str, Any] = {name: request.field(name) for name in BOXES if request.field(name)}
    if given.get("delimiter", "").casefold() == TAB:
        given["delimiter"] = "\t"
    plays: Literal["games", "contests"] | None = "contests"
    if category.kind != CONTESTS:  # games of teams may have a row for each player
        plays = "games" if category.side_size == 1 else None
    skip = "all" if request.field("on_error") == "skip" else False  # the page shows how many
    if "," in given.get("facts", ""):
        given["facts"] = next(csv.reader([given["facts"]], skipinitialspace=True))
    try:
        return read_games(
            path, kind=plays, skip_bad=skip, report=left_out.append, warn=False,
            fact_prefix=PREFIX, **given,
        )  # fmt: skip
    except (BadData, OSError, LookupError, ModuleNotFoundError) as error:
        raise Refused("bad_file", in_form_words(error, path), field="file") from None


def in_form_words(error: object, path: Path) -> str:
    """What is wrong, or a note, with the boxes of the form where the reader names its options."""
    text = str(error).replace(str(path), "the file").replace(path.name, "the file")
    text = re.sub(r"(skip bad rows with )?skip_bad=True \(--skip-bad\)", f'tick "{SKIP}"', text)
    text = OPTIONS.sub("", text)
    return GIVEN.sub(lambda found: f'the box "{BOXES[found[1]]}"{_value(found)}', text)


def _value(found: re.Match[str]) -> str:
    """What joins the name of a box to what is to be put in it."""
    after = found.string[found.end() : found.end() + 1]
    return ": " if after == '"' else ""
