"""The score sheet: many games, or one contest, entered, previewed and committed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from starlette.responses import Response

from prowess.live.errors import Refused
from prowess.live.journal.record import RecordResults
from prowess.live.journal.registry import Category
from prowess.live.journal.submission import LineUp, Submission
from prowess.live.journal.unit_of_work import CommitResult
from prowess.live.result import CONTESTS, DAY_US
from prowess.live.web.changes import preview_page
from prowess.live.web.forms import (
    optional_text,
    parse_date,
    parse_integer,
    parse_number,
    parse_numbers,
)
from prowess.live.web.page_request import PageRequest
from prowess.live.web.views import ServerLinks
from prowess.present.rendering import day

NEW_SHEET_ROWS = 10
MAX_SHEET_ROWS = 100
SUGGESTED = 1_000  # names, most active players first
SHEET_TITLE = "Enter results"
SHEET_NUMBERS = ("score", "points_a", "points_b", "margin", "length", "side")  # of a game
CALLED = {"player_a": "first player", "player_b": "second player", "points_a": "first points",
          "points_b": "second points", "time": "date"}  # fmt: skip


def submit_sheet(request: PageRequest) -> Response:
    """Preview the sheet, or commit it if confirmed and show an empty one."""
    actor = request.require_scope("submit")
    category, step = request.category, request.field("step")
    if step == "back":
        return show_sheet(request)
    lines = list(_find_filled_rows(request, category))
    try:
        entry = RecordResults(tuple(_parse_sheet(request, category, lines)), look_alikes=True)
        if step != "confirm":
            preview = request.journal.preview(entry, actor)
            return preview_page(request, SHEET_TITLE, entry, preview, back="Change something")
        committed = request.journal.commit(
            entry, actor, if_revision=parse_integer(request, "if_revision")
        )
    except Refused as error:
        if step == "confirm":
            request.write_audit_line("enter", category.key, error.code)
        return show_sheet(request, _explain(error, lines), getattr(error, "status", 422))
    request.write_audit_line("enter", category.key)
    return show_sheet(request, committed=committed)


def show_sheet(
    request: PageRequest,
    errors: list[str] | None = None,
    status: int = 200,
    committed: CommitResult | None = None,
) -> Response:
    """Render the sheet with its values; after a commit only the day and the round stay."""
    actor, category = request.require_scope("submit"), request.category
    kept = {name: value for name, value in request.form.items() if isinstance(value, str)}
    if committed is not None:
        kept = {name: kept[name] for name in ("date", "round", "rows") if name in kept}
    return request.render(
        "admin/scoresheet.html",
        site=category,
        links=ServerLinks(
            category.key, duels=category.kind != CONTESTS and category.side_size == 1
        ),
        here="enter",
        status=status,
        category=category,
        typed=kept,
        today=day(request.journal.clock() / DAY_US),
        rows=_count_rows(request),
        most=MAX_SHEET_ROWS,
        people=_suggest_names(request, category),
        errors=errors or [],
        committed=committed,
        reviewed=actor.review,
    )


def _count_rows(request: PageRequest) -> int:
    text = request.field("rows") or request.query("rows")
    plain = text.isascii() and text.isdigit() and len(text) < 4
    return min(max(int(text), NEW_SHEET_ROWS), MAX_SHEET_ROWS) if plain else NEW_SHEET_ROWS


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
        raise Refused("missing", "fill in a row: the sheet is empty")
    when = parse_date(request, "date")
    if category.kind == CONTESTS:
        sides = tuple(_parse_placing(request, category, row) for row in lines)
        placings = () if category.side_size > 1 else tuple(
            (side.players[0][0], side.place or 0.0, side.points) for side in sides
        )  # fmt: skip
        yield Submission(
            category.key, placings=placings, sides=() if placings else sides, time=when
        )
        return
    for row in lines:
        one = Submission(
            category=category.key,
            player_a=optional_text(request, f"a{row}"),
            player_b=optional_text(request, f"b{row}"),
            time=when,
            round=optional_text(request, "round"),
            **parse_numbers(request, SHEET_NUMBERS, str(row)),
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
        raise Refused("missing", f"give a place in row {row}")
    players = _parse_team(request, category, f"player{row}")
    return LineUp(players, None, place, parse_number(request, f"points{row}"))


def _parse_team(
    request: PageRequest, category: Category, name: str
) -> tuple[tuple[str, float], ...]:
    """Parse the players of a side."""
    seats = [name, *(f"{name}_{seat}" for seat in range(2, category.side_size + 1))]
    return tuple((called, 1.0) for seat in seats if (called := request.field(seat)))


def _field_label(field: str) -> str:
    """The label of an API field on the sheet."""
    for at, word in enumerate(("first", "second")):
        if field.startswith(f"sides.{at}."):
            return f"{word} side"
    return field.replace("_", " ")


def _explain(error: Refused, lines: list[int]) -> list[str]:
    """Describe errors by the rows of the sheet; submissions skip its empty rows."""
    found = []
    for one in getattr(error, "errors", (error,)):
        row = one.row if one.row is not None else 0 if len(lines) == 1 else None
        place = [] if row is None or not one.field else [f"Row {lines[row]}"]
        if one.field is not None:
            place.append(CALLED.get(one.field) or _field_label(one.field))
        found.append(f"{', '.join(place)}: {one.message}." if place else f"{one.message}.")
    return found
