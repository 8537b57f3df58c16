"""Import of a file of results: upload, preview, commit."""

from __future__ import annotations

import csv
import re
from collections import Counter, OrderedDict
from contextlib import suppress
from itertools import islice
from pathlib import PurePath
from secrets import token_urlsafe
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple

from starlette.datastructures import UploadFile
from starlette.responses import Response

from prowess.games.formats.byte_streams import PACKED_SUFFIXES
from prowess.games.formats.reader_options import declare_options
from prowess.games.formats.sources import ANY_TEXT, KNOWN_SUFFIXES
from prowess.games.reading import format_count
from prowess.live.errors import Conflict, Refused, Stale
from prowess.live.journal.corrections import RecordTable, Schedule
from prowess.live.journal.imports import Kept, name_error, plan_unplayed
from prowess.live.journal.registry import Fixture
from prowess.live.journal.submission import PlannedGame, Submission
from prowess.live.journal.unit_of_work import (
    ADDED,
    ALREADY,
    MOVED,
    RECORDED,
    REFUSED,
    PreviewResult,
    describe_games_to_come,
)
from prowess.live.result import CONTESTS, HELD
from prowess.live.web.changes import (
    commit_act,
    done_page,
    format_game,
    preview_act,
    preview_page,
)
from prowess.live.web.forms import required_text
from prowess.live.web.page_request import PageRequest
from prowess.live.web.results import format_time_of_result
from prowess.live.web.upload_reader import TOLD, Upload, UploadContent, read_upload

if TYPE_CHECKING:
    from prowess.live.journal.registry import Category


MAX_FILES_KEPT = 8  # uploaded files; the oldest is deleted
SUFFIXES = (*sorted(KNOWN_SUFFIXES), ANY_TEXT, *PACKED_SUFFIXES)
IMPORT_TITLE = "Take in results"
# Uploads and their pages.


class KeptUpload(NamedTuple):
    """A file between preview and commit, without a name on the disk: it ends with the server."""

    token: int | None  # of who sent it
    name: str
    file: IO[bytes]


class Uploads:
    """The latest uploaded files, by keys."""

    def __init__(self) -> None:
        self.files: OrderedDict[str, KeptUpload] = OrderedDict()
        self.lock = Lock()

    def keep(self, token: int | None, name: str, content: bytes) -> str:
        """Keep a file for the holder of a token; returns its key."""
        suffixes = "".join(s for s in PurePath(name).suffixes[-2:] if s.lower() in SUFFIXES)
        if not suffixes:
            raise Refused.of(
                "bad_file.suffix", suffixes=", ".join(SUFFIXES), name=name, field="file"
            )
        word, file = token_urlsafe(16), TemporaryFile()  # noqa: SIM115 - kept open
        file.write(content)
        with self.lock:
            self.files[word] = KeptUpload(token, f"the file{suffixes.lower()}", file)
            while len(self.files) > MAX_FILES_KEPT:
                self.files.popitem(last=False)[1].file.close()
        return word

    def read_file(self, token: int | None, word: str) -> tuple[str, bytes]:
        """The name and the content of a kept file; raises Refused if it was deleted."""
        with self.lock:
            kept = self.files.get(word)
            if kept is None or kept.token != token:
                raise Refused.of("gone", field="file")
            kept.file.seek(0)
            return kept.name, kept.file.read()

    def close(self) -> None:
        """Delete all files."""
        for one in self.files.values():
            one.file.close()


def show_import_form(
    request: PageRequest, error: Refused | None = None, kept: str = ""
) -> Response:
    """Show the form to import a file, with the choices so far and the error."""
    chosen = {name: value for name, value in request.form.items() if isinstance(value, str)}
    return request.render(
        "admin/import.html",
        status=200 if error is None else error.status,
        limit=request.settings.batch_rows,
        chosen=chosen,
        options=any(chosen.get(name) for name in BOXES),
        boxes=BOXES,
        skip=SKIP_BOX,
        error="" if error is None else f"{error.message}.",
        rows=() if error is None else error.rows,
        kept=kept,
        source=usual_source(request),
    )


def submit_import(request: PageRequest, uploads: Uploads) -> Response:
    """Preview an import, or commit it if confirmed; after an error, show the form again."""
    actor = request.require_scope("submit")
    step, word = request.field("step"), request.field("kept")
    if step == "back":
        return show_import_form(request, kept=word)
    try:
        given = request.form.get("file")
        if isinstance(given, UploadFile) and given.filename:
            word = uploads.keep(actor.token, given.filename, given.file.read())
        elif not word:
            raise Refused.of("missing.file", field="file")
        name, sent = uploads.read_file(actor.token, word)
    except Refused as error:
        return show_import_form(request, error)
    rows: tuple[Submission | PlannedGame, ...] = ()
    try:
        skip = request.field("on_error") == "skip"
        content = read_rows(request, name, sent)
        category = request.journal.category(required_text(request, "category"))
        planned, ahead, further = plan_unplayed(content.unplayed, request.journal.clock())
        why = "your key may not add them" if category.duels else "this category has none"
        if planned and not (category.duels and actor.may(Schedule.scope)):
            further = [f"{format_count(ahead, 'game')} to come left out: {why}"]
            planned = ()
        entry = RecordTable(
            content.submissions, "skip" if skip else "stop", True,
            planned=planned, category=category.key,
        )  # fmt: skip
        rows = (*content.submissions, *planned)
        if step == "confirm":
            with suppress(Stale):
                committed = commit_act(request, entry)
                return done_page(request, IMPORT_TITLE, committed, left_out=content.left_out_total)
        seen = preview_act(request, entry, actor)
        preview = seen.effect
        report = Counter(one.status for one in preview.results)
        recorded = report[RECORDED] + report[HELD]
        refused = (one.error for one in preview.results if one.error)
        errors = [str(name_error(one, rows)) for one in islice(refused, TOLD)]
        if not recorded and not preview.fixtures:
            nothing = Conflict.of(
                "nothing_changes.file", already=report[ALREADY], refused=report[REFUSED]
            )
            nothing.rows = (*errors, *map(in_form_words, (*content.left_out, *further)))
            return show_import_form(request, nothing, word)
        return preview_page(
            request,
            IMPORT_TITLE,
            entry,
            seen,
            button=name_import(recorded, preview),
            to_come=describe_preview(request, preview),
            back="Change something",
            kept=word,
            report=report,
            errors=errors,
            left_out=[in_form_words(one) for one in content.left_out],
            more_left_out=content.left_out_total - len(content.left_out),
            notes=[in_form_words(note) for note in (*content.notes, *further)],
        )
    except Refused as error:
        return show_import_form(request, name_error(error, rows), word)


def name_import(recorded: int, preview: PreviewResult) -> str:
    """What the button says that takes in a table."""
    counts = {word: len(preview.fixtures.get(name, ())) for word, name in
              (("add", ADDED), ("move", MOVED))}  # fmt: skip
    parts = [f"{word} {format_count(n, 'game')} to come" for word, n in counts.items() if n]
    if recorded:
        parts.insert(0, f"record {format_count(recorded, 'result')}")
    said = ", ".join(parts)
    return said[:1].upper() + said[1:]


class GamesDone(NamedTuple):
    """What is done to games to come."""

    said: str
    games: list[str]  # the first of them
    more: int


def describe_preview(request: PageRequest, preview: PreviewResult) -> list[GamesDone]:
    """What is done to games to come, with their players and times."""
    known = request.journal.registry.fixtures

    def format_fixture(one: Fixture) -> str:
        game = format_game((preview.names[one.a], preview.names[one.b]), one.time)
        before = known.get(one.id, one).time
        return game if before == one.time else f"{game} (before: {format_time_of_result(before)})"

    return [
        GamesDone(said, [*map(format_fixture, games[:TOLD])], len(games) - TOLD)
        for name, games in preview.fixtures.items()
        for said in describe_games_to_come({name: len(games)})
    ]


def usual_source(request: PageRequest) -> str:
    """The default source of an import."""
    own = None if request.actor is None else request.actor.source
    return own or "import"


def read_rows(request: PageRequest, name: str, sent: bytes) -> UploadContent:
    """Read a file by the options of the form; raises Refused in the words of the form."""
    category = request.journal.category(required_text(request, "category"))
    source = request.field("source") or usual_source(request)
    upload = describe_upload(request, name, sent, category, source)
    try:
        return read_upload(upload)
    except Refused as error:
        error.message = in_form_words(error.message)
        error.rows = tuple(map(in_form_words, error.rows))
        raise


# The fields of the form: encoding, dates, and the columns.


SKIP_BOX = "leave out bad rows instead of taking nothing"  # label of the tick box
BOXES = {name: one.said for name, one in declare_options().items() if one.said.box}
TAB = "tab"
OPTIONS = re.compile(r" ?\(--[^)]*\)")  # of the command line
WITHOUT_BOX = re.compile(  # what is mended in the file, as the form does not ask for it
    r',?(?: with)? ?\b(?:exclude|outcomes|where|byes)=(?:\{[^}]*\}|"[^"]*")?'
)
GIVEN_OPTION = re.compile(rf"\b({'|'.join(BOXES)})=(\.\.\.|COLUMN\b)?")


def describe_upload(
    request: PageRequest, name: str, sent: bytes, category: Category, source: str
) -> Upload:
    """A file with the options of the form."""
    given: dict[str, Any] = {name: request.field(name) for name in BOXES if request.field(name)}
    if given.get("delimiter", "").casefold() == TAB:
        given["delimiter"] = "\t"
    plays: Literal["games", "contests"] | None = "contests"
    if category.kind != CONTESTS:  # games of teams may have a row for each player
        plays = "games" if category.side_size == 1 else None
    skip: Literal["all", False] = "all" if request.field("on_error") == "skip" else False
    if "," in given.get("facts", ""):
        given["facts"] = next(csv.reader([given["facts"]], skipinitialspace=True))
    limits = request.settings.batch_limit, request.settings.batch_rows
    return Upload(sent, name, Kept.of(category), source, plays, skip, given, *limits)


def in_form_words(text: str) -> str:
    """Replace option names in an error or a note by the labels of the form."""
    text = re.sub(r"(skip bad rows with )?skip_bad=True \(--skip-bad\)", f'tick "{SKIP_BOX}"', text)
    text = WITHOUT_BOX.sub(" in the file", OPTIONS.sub("", text))
    return GIVEN_OPTION.sub(lambda found: f'the box "{BOXES[found[1]].box}"{_value(found)}', text)


def _value(found: re.Match[str]) -> str:
    """The text between the name of a box and its value."""
    after = found.string[found.end() : found.end() + 1]
    return ": " if after == '"' else ""
