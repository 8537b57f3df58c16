"""What other sites show of a category: a feed of results, a player's badge, a table in a frame."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from starlette.responses import Response

from prowess.games.reading import list_some
from prowess.live.errors import Refused
from prowess.live.result import COUNTS, LiveResult
from prowess.live.store.queries import find_revisions, list_results
from prowess.live.web.categories import require_view
from prowess.live.web.page_request import PageRequest, is_number
from prowess.live.web.results import build_submission, format_exact, format_placing, format_side
from prowess.present.boards import build_standing, rank_listed
from prowess.present.rendering import iso_text
from prowess.present.svg import element, escape_text, shorten_text, text_width

FEED_RESULTS = 50  # the newest
FEED_TYPE = "application/atom+xml; charset=utf-8"
ATOM = "http://www.w3.org/2005/Atom"
WHO_BEGINS = 3  # sides of a contest that the title of an entry names
EMBED_ROWS, MAX_EMBED_ROWS = 10, 100
BADGE_HEIGHT, BADGE_PADDING, BADGE_LETTERS = 20.0, 7.0, 11.0  # pixels; the last: size of its font
BADGE_NAME_ROOM = 220.0  # pixels; longer names are cut
BADGE_COLORS = "#434c59", "#3451d1"  # behind the name, behind the rating; white on each is over 6:1
BADGE_FONT = "system-ui,-apple-system,Segoe UI,Roboto,sans-serif"


def export_feed(request: PageRequest) -> Response:
    """The newest results of a category as an Atom feed (RFC 4287)."""
    category, site = request.category, request.site_address
    with request.journal.store.read() as connection:
        found = list_results(connection, category.id, state=COUNTS, limit=FEED_RESULTS)
        changes = find_revisions(connection, sorted({one.revision for one in found}))
    when = {one.id: iso_text(one.at) for one in changes}
    here = f"{site}{request.http.url.path}"
    table = f"{site}/c/{category.key}"
    latest = max(when.values(), default="1970-01-01T00:00:00+00:00")
    feed = element(
        "feed",
        element("title", escape_text(category.name)),
        element("id", escape_text(here)),
        element("updated", latest),
        element("author", element("name", escape_text(category.name))),
        element("link", rel="self", href=here, type="application/atom+xml"),
        element("link", rel="alternate", href=table, type="text/html"),
        *(build_entry(request, one, when[one.revision]) for one in found),
        xmlns=ATOM,
    )
    text = f'<?xml version="1.0" encoding="utf-8"?>\n{feed}\n'
    return Response(text, media_type=FEED_TYPE)


def build_entry(request: PageRequest, one: LiveResult, when: str) -> str:
    """The entry of a result; a correction changes when it was updated, not what it is."""
    address = f"{request.site_address}/results/{one.id}"
    return element(
        "entry",
        element("title", escape_text(describe_result(request, one))),
        element("id", escape_text(address)),
        element("updated", when),
        element("link", rel="alternate", href=address, type="text/html"),
    )


def describe_result(request: PageRequest, row: LiveResult) -> str:
    """A result in a line: `Ada - Ben 1-0`, of a contest its first three."""
    one = build_submission(row, request.names)
    if one.score is None:
        return list_some([format_placing(side) for side in one.line_ups], WHO_BEGINS)
    points = one.points_a, one.points_b
    if points[0] is None or points[1] is None:
        points = one.score, 1.0 - one.score
    a, b = map(format_side, one.line_ups)
    score = "\N{EN DASH}".join(
        "½" if value == 0.5 else format_exact(value) for value in points if value is not None
    )
    return f"{a} \N{EN DASH} {b} {score}"


class BadgePart(NamedTuple):
    """A part of a badge: its text, and the colour behind it."""

    text: str
    color: str


def export_badge(request: PageRequest) -> Response:
    """A player's name and rating as a small SVG picture, for pages of others."""
    found = require_view(request)
    people = request.journal.registry.people
    k = found.row_of(people.canonical(request.path_number("player")))
    row = build_standing(
        found.ratings, rank_listed(found.ratings, found.among), found.rule, k, None
    )
    text = f"{row['rating']:.0f}"
    if row["interval"] is not None:
        half = (row["interval"]["high"] - row["interval"]["low"]) / 2.0
        text += f" \N{PLUS-MINUS SIGN} {half:.0f}"
    name = shorten_text(row["player"], BADGE_LETTERS, BADGE_NAME_ROOM)
    parts = [BadgePart(name, BADGE_COLORS[0]), BadgePart(text, BADGE_COLORS[1])]
    return Response(draw_badge(parts, f"{row['player']}: {text}"), media_type="image/svg+xml")


def draw_badge(parts: list[BadgePart], label: str) -> str:
    """A badge of parts side by side, with a text for readers of the screen."""
    edges = [0.0]
    for part in parts:
        edges.append(edges[-1] + text_width(part.text, BADGE_LETTERS) + 2.0 * BADGE_PADDING)
    drawn = [
        element("rect", x=left, width=right - left, height=BADGE_HEIGHT, fill=part.color)
        + element(
            "text", escape_text(part.text), x=(left + right) / 2.0, y=14.0, text_anchor="middle"
        )
        for part, (left, right) in zip(parts, pairwise(edges), strict=True)
    ]
    return element(
        "svg",
        element("title", escape_text(label)),
        element("g", *drawn, fill="#fff", font_family=BADGE_FONT, font_size=BADGE_LETTERS),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        width=edges[-1],
        height=BADGE_HEIGHT,
    )


def show_embedded(request: PageRequest) -> Response:
    """The first players of a leaderboard, for a frame on a page of another site."""
    text = request.query("top", str(EMBED_ROWS))
    if not is_number(text) or not 1 <= int(text) <= MAX_EMBED_ROWS:
        raise Refused("bad_page", f"give top as a number from 1 to {MAX_EMBED_ROWS}, not {text!r}")
    found = require_view(request)
    ratings, listed = found.ratings, rank_listed(found.ratings, found.among)
    rows = [
        build_standing(ratings, listed, found.rule, k, place)
        | {"address": found.links.to("player", k)}
        for place, k in enumerate(listed.order[: int(text)].tolist())
    ]
    return request.render("live/embedded.html", view=found, rows=rows)
