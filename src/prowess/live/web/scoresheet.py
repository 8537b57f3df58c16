"""The score sheet: many games, or one contest, entered on one page that shows what would move.

Every button sends the whole sheet. `look` shows names to settle, doubles and who would move beside
the rows; `confirm` enters what was seen so. `settle`, `clear` and `paste` change what was typed.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from math import isnan
from secrets import token_urlsafe
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, select
from starlette.datastructures import FormData
from starlette.responses import Response

from prowess.games.names import normal_name
from prowess.live.errors import Refused, Stale
from prowess.live.journal.imports import Kept
from prowess.live.journal.record import RecordResults
from prowess.live.journal.registry import DRAFT_SETTING, SEAT_FIELD, Category
from prowess.live.journal.submission import LineUp, Submission
from prowess.live.journal.unit_of_work import CommitResult
from prowess.live.result import CONTESTS, COUNTS, DAY_US, HELD
from prowess.live.store.queries import CURRENT
from prowess.live.store.tables import read_setting, result, setting, version, write_setting
from prowess.live.store.visibility import is_visible
from prowess.live.web.changes import (
    INTERNAL,
    Newcomer,
    Shift,
    Warn,
    commit_act,
    find_newcomers,
    preview_act,
    summarise_shift,
)
from prowess.live.web.forms import (
    optional_text,
    parse_date,
    parse_number,
    parse_numbers,
)
from prowess.live.web.page_request import PageRequest
from prowess.live.web.upload_reader import Upload, read_upload
from prowess.present.rendering import day

NEW_SHEET_ROWS = 6
MORE_ROWS = 6
MAX_SHEET_ROWS = 100
SUGGESTED = 1_000  # names, most active players first
SHOWN_MOVES = 100
SHEET_NUMBERS = ("score", "points_a", "points_b", "margin", "length", "side")  # of a game
CALLED = {"player_a": "first player", "player_b": "second player", "points_a": "first points",
          "points_b": "second points", "time": "date"}  # fmt: skip
OF_ROW = re.compile(r"[a-z_]+?(\d{1,3})(_\d{1,3})?")  # a field of a row
OF_SIDE = re.compile(r"sides\.(\d+)\.")  # a field of a side
PASTED = "the list.txt"
MAX_LINE_LETTERS, MAX_LINE_WORDS = 500, 24  # of a pasted list; others are read as a table
TYPED_RESULT = r"(?P<result>\d+(?:[.,]5)?\s?[:–-]\s?\d+(?:[.,]5)?|½[–-]½|1/2[–-]1/2|½|1/2|=)"
RESULT_LAST = re.compile(rf"(?P<a>.+?)(?P<b>)[\s,;:]+{TYPED_RESULT}")
RESULT_BETWEEN = re.compile(rf"(?P<a>.+?)\s+{TYPED_RESULT}\s+(?P<b>.+)")
PLACE_LINE = re.compile(r"(\d+)[.)]?\s+(.+)")
BETWEEN_NAMES = re.compile(r"\s+[–-]\s+|\s+vs?\.?\s+|\s*[,;\t]\s*")
ANOTHER_WAY = "enter it with Import"


class NameQuestion(NamedTuple):
    """A name of a row that nobody has yet; it needs an answer where it is like a known one."""

    seat: str  # the field
    new: Newcomer

    @property
    def open(self) -> bool:
        """Whether an answer is needed."""
        return bool(self.new.like or self.new.mixed)


class SheetEntry(NamedTuple):
    """The act that records the settled rows of a sheet, and what looks for doubles beside it."""

    act: RecordResults
    warn: Warn


@dataclass
class SheetView:
    """What is said of a sheet: by number of the row, and of all rows together."""

    errors: list[str] = field(default_factory=list)
    faults: dict[int, list[str]] = field(default_factory=dict)
    questions: dict[int, list[NameQuestion]] = field(default_factory=dict)
    doubles: Mapping[int, str] = field(default_factory=dict)
    filled: int = 0  # rows
    shifts: list[Shift] = field(default_factory=list)
    seen: str = ""  # the mark of what would be entered; "" while something is missing
    held: bool = False

    @property
    def open(self) -> int:
        """How many names are to be settled."""
        return sum(one.open for each in self.questions.values() for one in each)

    @property
    def open_rows(self) -> set[int]:
        """The rows with names that are to be settled."""
        return {row for row, each in self.questions.items() if any(one.open for one in each)}


def submit_sheet(request: PageRequest) -> Response:
    """Change the sheet as a button says, look at what would move, or enter what was seen."""
    category = request.category
    step = request.field("step")
    try:
        request = answer_names(request)
        if step == "paste":
            request = take_list(request, category)
        if step.startswith("clear"):
            request = clear_row(request, step.removeprefix("clear"))
        if step == "discard":
            request = replace(request, form=FormData())
        if step in ("more", "discard") or step.startswith("clear"):
            return show_sheet(request)
    except Refused as error:
        return show_sheet(request, SheetView(explain_errors(error, [])[0]), error.status)
    lines = list(_find_filled_rows(request, category))
    view, entry = check_sheet(request, category, lines)
    if step == "confirm" and entry is not None and not view.open:
        try:
            committed = commit_act(request, *entry)
        except Stale:
            pass  # it is shown as it is now
        except Refused as error:
            view.errors, view.faults = explain_errors(error, lines)
            return show_sheet(request, view, error.status)
        else:
            drop_draft(request)
            return show_sheet(request, committed=committed)
    preview_sheet(request, view, entry, lines)
    return show_sheet(request, view, 422 if view.errors else 200)


def check_sheet(
    request: PageRequest, category: Category, lines: list[int]
) -> tuple[SheetView, SheetEntry | None]:
    """The names to settle, and what would be entered: nothing where a row cannot be read."""
    view = SheetView(filled=len(lines))
    try:
        submissions = list(_parse_sheet(request, category, lines))
    except Refused as error:
        view.errors, view.faults = explain_errors(error, lines)
        return view, None
    view.questions = find_questions(request, category, lines)
    rows = dict(zip(lines, submissions, strict=False))
    settled = [one for row, one in rows.items() if row not in view.open_rows]
    if category.kind == CONTESTS and view.open_rows:
        settled = []
    act = RecordResults(tuple(settled), look_alikes=True)
    return view, SheetEntry(act, partial(find_doubles, request, rows))


def preview_sheet(
    request: PageRequest, view: SheetView, entry: SheetEntry | None, lines: list[int]
) -> None:
    """Add to the view who would move; without open names also the mark with which it is entered."""
    if entry is None:
        return
    try:
        actor = request.require_scope("submit")
        preview, seen, view.doubles = preview_act(request, entry.act, actor, entry.warn)
    except Refused as error:
        rows = [row for row in lines if row not in view.open_rows]
        view.errors, view.faults = explain_errors(error, rows)
        return
    view.held = any(one.status == HELD for one in preview.results)
    view.shifts = [
        summarise_shift(request, key, one, preview) for key, one in preview.previews.items()
    ]
    if not view.open_rows:
        view.seen = seen


def show_sheet(
    request: PageRequest,
    view: SheetView | None = None,
    status: int = 200,
    committed: CommitResult | None = None,
) -> Response:
    """Render the sheet with its values; after a commit only the day and the round stay.

    One that was left half typed is shown again.
    """
    actor, category = request.require_scope("submit"), request.category
    draft = None
    if request.http.method == "POST":
        draft = keep_draft(request) if committed is None else None
    elif (draft := read_draft(request)) is not None:
        request = replace(request, form=FormData(draft.fields))
        lines = list(_find_filled_rows(request, category))
        seen, entry = check_sheet(request, category, lines)
        preview_sheet(request, seen, entry, lines)
        view = None if seen.errors else seen  # what is not typed yet is no mistake
    kept = {name: value for name, value in request.form.items() if isinstance(value, str)}
    accepted = sorted(accepted_names(request))
    if committed is not None:
        kept = {name: kept[name] for name in ("date", "round", "side") if name in kept}
        accepted = []
    rows = NEW_SHEET_ROWS if committed is not None else _count_rows(request)
    return request.render(
        "admin/scoresheet.html",
        site=category,
        here="enter",
        status=status,
        category=category,
        others=[one for one in request.journal.categories() if one.key != category.key],
        typed=kept,
        accepted=accepted,
        today=day(request.journal.clock() / DAY_US),
        rows=rows,
        most=MAX_SHEET_ROWS,
        people=_suggest_names(request, category),
        sheet=view or SheetView(),
        click=token_urlsafe(16),
        shown=SHOWN_MOVES,
        committed=committed,
        draft=draft,
        reviewed=actor.review,
    )


# A half-typed sheet: kept in the store for the key that types it, until it is entered.


DRAFT_LETTERS = 100_000  # a longer one is not kept
DRAFT_LASTS = 30 * DAY_US
UNKEPT = (*INTERNAL, "settle")


class Draft(NamedTuple):
    """What was typed into a sheet, and when last (microseconds)."""

    at: int
    fields: list[tuple[str, Any]]  # texts


def name_draft(request: PageRequest) -> str:
    """The setting that holds the draft of a key for a category."""
    return f"{DRAFT_SETTING}{request.category.id}_{request.require_scope('submit').token}"


def read_draft(request: PageRequest) -> Draft | None:
    """What was left half typed; None if nothing was, or too long ago."""
    with request.journal.store.read() as connection:
        text = read_setting(connection, name_draft(request))
    if text is None:
        return None
    at, fields = json.loads(text)
    old = at + DRAFT_LASTS < request.journal.clock()
    return None if old else Draft(at, [(name, value) for name, value in fields])


def keep_draft(request: PageRequest) -> Draft | None:
    """Keep what is typed; a sheet without a name has no draft, and one too long none either."""
    fields = [
        (name, value)
        for name, value in request.form.multi_items()
        if isinstance(value, str) and name not in UNKEPT
    ]
    if not any(value.strip() for name, value in fields if is_typed(name)):
        drop_draft(request)
        return None
    before = read_draft(request)
    if before is not None and before.fields == fields:
        return before
    draft = Draft(request.journal.clock(), fields)
    text = json.dumps(draft, ensure_ascii=False)
    if len(text) > DRAFT_LETTERS:
        return None
    write_draft(request, text)
    return draft


def is_typed(field: str) -> bool:
    """Whether a field of the sheet is empty until somebody types into it."""
    return field == "list" or SEAT_FIELD.fullmatch(field) is not None


def drop_draft(request: PageRequest) -> None:
    """Delete the draft, if there is one."""
    if read_draft(request) is not None:
        write_draft(request, None)


def write_draft(request: PageRequest, text: str | None) -> None:
    """Replace the draft; those that others left too long ago are deleted."""
    key, now = name_draft(request), request.journal.clock()

    def job(connection: Connection) -> None:
        kept = select(setting).where(setting.c.key.startswith(DRAFT_SETTING, autoescape=True))
        rows = connection.execute(kept).all()
        gone = [row.key for row in rows if json.loads(row.value)[0] + DRAFT_LASTS < now]
        connection.execute(delete(setting).where(setting.c.key.in_(gone)))
        write_setting(connection, key, text)

    request.journal.store.writer.do(job)


def _count_rows(request: PageRequest) -> int:
    text = request.field("rows") or request.query("rows")
    plain = text.isascii() and text.isdigit() and len(text) < 4
    count = max(int(text), NEW_SHEET_ROWS) if plain else NEW_SHEET_ROWS
    return min(count + MORE_ROWS * (request.field("step") == "more"), MAX_SHEET_ROWS)


def _suggest_names(request: PageRequest, category: Category) -> list[str]:
    """Suggest names, sorted."""
    ratings, called = request.journal.ratings(category.key), request.names
    here: Iterator[str] = iter(())
    if ratings is not None:
        played = ratings.has_played().nonzero()[0]
        most = played[(-ratings.game_counts[played]).argsort(kind="stable")][:SUGGESTED]
        here = (ratings.players[k] for k in most.tolist())
    people = request.journal.registry.people
    others = (name for at, name in islice(called.items(), 2 * SUGGESTED) if at not in people.into)
    return sorted(list(dict.fromkeys(chain(here, others)))[:SUGGESTED], key=str.casefold)


# What is said of rows before they are entered.


def find_questions(
    request: PageRequest, category: Category, lines: list[int]
) -> dict[int, list[NameQuestion]]:
    """The names of each row that nobody has, but those that were said to be new."""
    seats = {
        seat: (row, normal_name(request.field(seat)))
        for row in lines
        for name in (("player",) if category.kind == CONTESTS else "ab")
        for seat in _list_seats(category, f"{name}{row}")
        if request.field(seat)
    }
    accepted = accepted_names(request)
    new = {one.name: one for one in find_newcomers(request, (name for _, name in seats.values()))}
    found: dict[int, list[NameQuestion]] = {}
    for seat, (row, name) in seats.items():
        if name in new and name not in accepted:
            found.setdefault(row, []).append(NameQuestion(seat, new[name]))
    return found


def find_doubles(
    request: PageRequest, rows: Mapping[int, Submission], connection: Connection
) -> dict[int, str]:
    """The rows whose pair stands on this day already, in the store or in a row above."""
    people = request.journal.registry.people
    pairs: dict[int, frozenset[int | str]] = {}
    for row, one in rows.items():
        names = [name for _, name in one.names() if name]
        who = {people.canonical(k) for k in map(people.number_of, names) if k is not None}
        if len(names) == 2:
            pairs[row] = frozenset(who if len(who) == 2 else map(normal_name, names))
    if not pairs:
        return {}
    when = next(iter(rows.values())).time or request.journal.clock()
    first = when - when % DAY_US
    known = {one for pair in pairs.values() for one in pair if isinstance(one, int)}
    numbers = sorted(one for player in known for one in people.group(player))
    # by the players: a day of a category has no index
    of_them = select(version.c.result_id).where(version.c.a.in_(numbers), version.c.b.in_(numbers))
    chosen = (
        select(version.c.a, version.c.b)
        .join_from(result, version, CURRENT)
        .where(
            is_visible(request.actor),
            result.c.id.in_(of_them),
            result.c.category_id == request.category.id,
            version.c.state.in_((COUNTS, HELD)),
            version.c.time.between(first, first + DAY_US - 1),
        )
    )
    there = {frozenset(map(people.canonical, row)) for row in connection.execute(chosen)}
    found: dict[int, str] = {}
    above: dict[frozenset[int | str], int] = {}
    for row, pair in pairs.items():
        if pair in there:
            found[row] = "The same pair already stands on this day."
        elif pair in above:
            found[row] = f"The same pair stands in row {above[pair]}."
        above.setdefault(pair, row)
    return found


def accepted_names(request: PageRequest) -> set[str]:
    """The new names that were said to be meant."""
    return {normal_name(one) for one in request.form.getlist("new") if isinstance(one, str)}


# Buttons that change what was typed.


def change_form(request: PageRequest, values: Iterable[tuple[str, str]]) -> PageRequest:
    """The request with other fields in its form; an empty value removes one."""
    changed = dict(values)
    kept = [(name, one) for name, one in request.form.multi_items() if name not in changed]
    return replace(request, form=FormData([*kept, *((n, v) for n, v in changed.items() if v)]))


def answer_names(request: PageRequest) -> PageRequest:
    """Answer a question: `SEAT=NAME` takes the known name, `SEAT+` adds the typed one as new."""
    for answer in request.form.getlist("settle"):
        text = answer if isinstance(answer, str) else ""
        seat, sign, name = (text[:-1], "+", "") if text.endswith("+") else text.partition("=")
        if not SEAT_FIELD.fullmatch(seat):
            raise Refused.of("missing.settle", field="settle")
        if sign == "+":
            known = [(n, v) for n, v in request.form.multi_items() if n != "settle"]
            added = [*known, ("new", normal_name(request.field(seat)))]
            request = replace(request, form=FormData(added))
        else:
            typed = normal_name(request.field(seat))
            same = (
                one
                for one, value in request.form.items()
                if SEAT_FIELD.fullmatch(one)
                and isinstance(value, str)
                and normal_name(value) == typed
            )
            request = change_form(request, [*((one, name) for one in same), ("settle", "")])
    return request


def clear_row(request: PageRequest, row: str) -> PageRequest:
    """Empty a row."""
    names = [name for name in request.form if (at := OF_ROW.fullmatch(name)) and at[1] == row]
    return change_form(request, ((name, "") for name in names))


def take_list(request: PageRequest, category: Category) -> PageRequest:
    """Fill the rows below the last filled one with a pasted list, as the library's reader reads it.

    Raises Refused for a text that is no list of results, or that a sheet cannot hold.
    """
    text = request.field("list")
    if not text:
        raise Refused.of("missing.list", field="list")
    limits = request.settings.batch_limit, request.settings.batch_rows
    plays = None if category.side_size > 1 else category.kind
    table = tabulate_lines(text, category, request.journal.registry.people.is_known) or text
    upload = Upload(table.encode(), PASTED, Kept.of(category), "sheet", plays, False, {}, *limits)  # type: ignore[arg-type]
    try:
        rows = read_upload(upload).submissions
    except Refused as error:
        error.field = "list"
        raise
    days = {one.time // DAY_US for one in rows if one.time is not None}
    if len(days) > 1 or (category.kind == CONTESTS and len(rows) > 1):
        what = "contests" if category.kind == CONTESTS else "days"
        raise Refused.of("several", remedy=ANOTHER_WAY, what=what, field="list")
    filled = list(_find_filled_rows(request, category))
    first = 1 + max(filled, default=0)
    values: dict[str, str] = {"list": ""}
    if days:
        values["date"] = day(float(days.pop()))
    sides = rows[0].line_ups if category.kind == CONTESTS and rows else ()
    last = first - 1 + (len(sides) if category.kind == CONTESTS else len(rows))
    if last > MAX_SHEET_ROWS:
        raise Refused.of("too_many.sheet", remedy=ANOTHER_WAY, most=MAX_SHEET_ROWS, field="list")
    for row, side in enumerate(sides, first):
        values |= _name_fields(category, f"player{row}", side)
        values[f"place{row}"] = _number_text(side.place)
        values[f"points{row}"] = _number_text(side.points)
    for row, one in enumerate(rows if category.kind != CONTESTS else (), first):
        for name, side in zip("ab", one.line_ups, strict=True):
            values |= _name_fields(category, f"{name}{row}", side)
        a, b = one.line_ups
        given = {name: getattr(one, name) for name in SHEET_NUMBERS}
        given |= {
            "points_a": a.points if one.points_a is None else one.points_a,
            "points_b": b.points if one.points_b is None else one.points_b,
            "score": a.score if one.score is None else one.score,
        }
        values |= {f"{name}{row}": _number_text(value) for name, value in given.items()}
    values["rows"] = str(max(last, _count_rows(request)))
    return change_form(request, values.items())


def tabulate_lines(text: str, category: Category, is_known: Callable[[str], bool]) -> str | None:
    """A list of lines `Ann Ben 1-0`, of a contest `1 Ann`, as a table with headings; None for any
    other text.

    Names of several words are told apart by a dash, a comma or "vs" between them, or because they
    are known.
    """
    contests = category.kind == CONTESTS
    rows: list[tuple[str, ...]] = []
    for written in filter(None, map(str.strip, text.splitlines())):
        line = " ".join(written.split())
        if len(line) > MAX_LINE_LETTERS or line.count(" ") >= MAX_LINE_WORDS:
            return None
        if len(rows) > MAX_SHEET_ROWS:
            return None
        if contests:
            found = PLACE_LINE.fullmatch(line)
            rows.append(found.groups() if found else ())
        else:
            found = RESULT_LAST.fullmatch(line) or RESULT_BETWEEN.fullmatch(line)
            if found is None:
                return None
            pair = (found["a"], found["b"]) if found["b"] else split_pair(found["a"], is_known)
            numbers = re.split("[:–-]", found["result"])
            points = "points" in category.extra and len(numbers) == 2
            rows.append((*pair, *(numbers if points else (found["result"].replace("–", "-"),))))
    if not rows or not all(rows) or len(set(map(len, rows))) > 1:
        return None
    table = io.StringIO()
    headings = {
        2: "place player",
        3: "player_a player_b result",
        4: "player_a player_b score_a score_b",
    }
    csv.writer(table).writerows([headings[len(rows[0])].split(), *rows])
    return table.getvalue()


def split_pair(text: str, is_known: Callable[[str], bool]) -> tuple[str, str]:
    """The two names of a line; raises Refused where they cannot be told apart."""
    apart = BETWEEN_NAMES.split(text)
    if len(apart) == 2:
        return apart[0].strip(), apart[1].strip()
    words = text.split()
    ways = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    known = [way for way in ways if all(map(is_known, way))]
    if len(known) == 1 or (len(ways) == 1 and not known):
        return (known or ways)[0]
    raise Refused.of("two_ways", text=text, field="list")


def _name_fields(category: Category, name: str, side: LineUp) -> dict[str, str]:
    """The fields of the players of a side; raises Refused for what a sheet cannot hold."""
    seats = _list_seats(category, name)
    if len(side.players) > len(seats) or any(share != 1.0 for _, share in side.players):
        raise Refused.of("too_many.side", remedy=ANOTHER_WAY)
    return dict(zip(seats, (player for player, _ in side.players), strict=False))


def _number_text(value: float | None) -> str:
    return "" if value is None or isnan(value) else f"{value:g}"


# Rows as submissions.


def _find_filled_rows(request: PageRequest, category: Category) -> Iterator[int]:
    """Yield the numbers of the rows that are not empty, from 1."""
    contests = category.kind == CONTESTS
    data = () if contests else SHEET_NUMBERS[:-1]  # an advantage alone makes no row
    for row in range(1, _count_rows(request) + 1):
        sides = [
            _parse_team(request, category, f"{name}{row}")
            for name in (("player",) if contests else "ab")
        ]
        if any(sides) or any(request.field(f"{name}{row}") for name in data):
            yield row


def _parse_sheet(
    request: PageRequest, category: Category, lines: list[int]
) -> Iterator[Submission]:
    """Parse the rows into submissions; raises Refused."""
    if not lines:
        raise Refused.of("missing.row")
    when, usual = parse_date(request, "date"), parse_number(request, "side")
    if category.kind == CONTESTS:
        sides = tuple(_parse_placing(request, category, row) for row in lines)
        yield Submission(category.key, sides=sides, time=when)
        return
    for row in lines:
        numbers = parse_numbers(request, SHEET_NUMBERS, str(row))
        if numbers["side"] is None:
            numbers["side"] = usual
        one = Submission(
            category=category.key,
            player_a=optional_text(request, f"a{row}"),
            player_b=optional_text(request, f"b{row}"),
            time=when,
            round=optional_text(request, "round"),
            **numbers,
        )
        yield one if category.side_size == 1 else _parse_teams(request, category, row, one)


def _parse_teams(request: PageRequest, category: Category, row: int, one: Submission) -> Submission:
    """Parse a game of teams."""
    first, second = (_parse_team(request, category, f"{name}{row}") for name in "ab")
    sides = LineUp(first, one.score, points=one.points_a), LineUp(second, points=one.points_b)
    return one._replace(
        sides=sides, player_a=None, player_b=None, score=None, points_a=None, points_b=None
    )


def _parse_placing(request: PageRequest, category: Category, row: int) -> LineUp:
    """Parse a side of a contest from its row."""
    place = parse_number(request, f"place{row}")
    if place is None:
        raise Refused.of("missing.place", number=row)
    players = _parse_team(request, category, f"player{row}")
    return LineUp(players, None, place, parse_number(request, f"points{row}"))


def _list_seats(category: Category, name: str) -> list[str]:
    """The fields of the players of a side."""
    return [name, *(f"{name}_{seat}" for seat in range(2, category.side_size + 1))]


def _parse_team(
    request: PageRequest, category: Category, name: str
) -> tuple[tuple[str, float], ...]:
    """Parse the players of a side."""
    seats = _list_seats(category, name)
    return tuple((called, 1.0) for seat in seats if (called := request.field(seat)))


def _field_label(field: str) -> str:
    """The label of an API field on the sheet."""
    for at, word in enumerate(("first", "second")):
        if field.startswith(f"sides.{at}."):
            return f"{word} side"
    return field.replace("_", " ")


def explain_errors(error: Refused, lines: list[int]) -> tuple[list[str], dict[int, list[str]]]:
    """Describe errors, all together and by rows of the sheet; submissions skip its empty rows."""
    found: list[str] = []
    by_row: dict[int, list[str]] = {}
    for one in getattr(error, "errors", (error,)):
        row = one.row if one.row is not None else 0 if len(lines) == 1 else None
        named = one.field
        if row is None and (side := OF_SIDE.match(one.field or "")):  # a row of a contest
            row, named = int(side[1]), None
        place = [] if row is None or not one.field else [f"Row {lines[row]}"]
        if named is not None:
            place.append(CALLED.get(named) or _field_label(named))
        found.append(f"{', '.join(place)}: {one.message}." if place else f"{one.message}.")
        if row is not None:
            by_row.setdefault(lines[row], []).append(f"{one.message}.")
    return [*found, *map(str, error.rows)], by_row
