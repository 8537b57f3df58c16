"""The page of a result: its versions and its effect; results as text; what other sites show."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import Response

from prowess.engine.explain import find_alternatives
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Unratable
from prowess.games.reading import list_some
from prowess.live.api.category_view import find_results
from prowess.live.errors import NotFound, Refused
from prowess.live.journal.registry import Category
from prowess.live.journal.submission import LineUp, Submission
from prowess.live.ladder.ratings import LadderRatings
from prowess.live.result import COUNTS, DAY_US, LiveResult
from prowess.live.store import queries
from prowess.live.store.queries import ResultVersion, find_revisions, list_results
from prowess.live.store.visibility import find_visible_versions, may_change
from prowess.live.web.categories import find_view, require_view
from prowess.live.web.page_request import PageRequest, is_number
from prowess.live.web.views import RatedView
from prowess.present.boards import build_standing, build_standings, rank_listed, rating_digits
from prowess.present.players import GameLine, build_line
from prowess.present.rendering import goals, iso_text, moment
from prowess.present.svg import element, escape_text, isolate_name, shorten_text, text_width

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

VERSION_WORDS = {  # what made a version
    "record": "recorded", "correct": "corrected", "void": "made void", "restore": "restored",
    "accept": "accepted", "reject": "rejected",
}  # fmt: skip


class VersionLine(NamedTuple):
    """A version of a result in words, with the facts that it changed."""

    when: int  # microseconds
    revision: int
    done: str
    who: str
    reason: str | None
    facts: tuple[tuple[str, str], ...]
    changed: frozenset[str]  # names of facts


class PlayerShare(NamedTuple):
    """A player of a result with its effect on their rating; None if it does not count."""

    number: int
    name: str
    side: int  # from 0
    share: float
    reached: float  # score of the side, of a contest its place
    line: GameLine | None


def show_result(request: PageRequest) -> Response:
    """The page of a result: facts, effect, and versions."""
    number = request.path_number("number")
    with request.journal.store.read() as connection:
        found = find_visible_versions(connection, number, request.actor)
    if not found:
        raise NotFound.of("no_such_result.here", number=number)
    current = found[-1].result
    category = request.journal.registry.categories[current.category]
    view = find_view(request, key=category.key)
    return request.render(
        "live/game.html",
        site=category,
        here="game",
        what="game",
        digits=0 if view is None else rating_digits(view.ratings),
        score=format_score(build_submission(current, request.names)),
        result=current,
        versions=describe_versions(request, found)[::-1],
        shares=(shares := list_shares(request, category, current)),
        alternatives=list_alternatives(None if view is None else view.ratings, current, shares),
        mendable=request.actor is not None
        and may_change(
            request.actor, found[0].revision, found[-1].revision, request.journal.clock()
        ),
    )


def find_versions(request: PageRequest, number: int) -> list[ResultVersion]:
    """All versions of a result; raises NotFound."""
    with request.journal.store.read() as connection:
        found = queries.find_versions(connection, number)
    if not found:
        raise NotFound.of("no_such_result.here", number=number)
    return found


def describe_versions(request: PageRequest, found: list[ResultVersion]) -> list[VersionLine]:
    """Describe the versions, oldest first."""
    before: dict[str, str] = {}
    shown = []
    noun = request.journal.registry.categories[found[0].result.category].noun
    for one in found:
        described = {"state": one.result.state} | describe_facts(
            build_submission(one.result, request.names), noun
        )
        changed = {name for name in described if before and described[name] != before.get(name)}
        shown.append(
            VersionLine(
                when=one.revision.at,
                revision=one.revision.id,
                done=VERSION_WORDS.get(one.revision.kind, one.revision.kind),
                who=one.revision.name or "the console",
                reason=one.revision.reason,
                facts=tuple(described.items()),
                changed=frozenset(changed),
            )
        )
        before = described
    return shown


def list_shares(request: PageRequest, category: Category, one: LiveResult) -> list[PlayerShare]:
    """The players of a result with its effect on them; without effects for contests."""
    called, people = request.names, request.journal.registry.people
    found = None
    if one.state == COUNTS and one.score is not None:
        found = find_view(request, key=category.key)
    shares = []
    for at, side in enumerate(one.ranked if one.score is None else one.sides):
        reached = side.place or 0.0
        if one.score is not None:
            reached = one.score if at == 0 else 1.0 - one.score
        for member in side.members:
            number = people.canonical(member.player)
            line = None
            if found is not None:
                rows = find_results(found, number)
                line = _find_line(found, number, rows.index(one.id) if one.id in rows else None)
            shares.append(PlayerShare(number, called[number], at, member.share, reached, line))
    return shares


class Alternative(NamedTuple):
    """What a result that did not come would have changed; `came` marks the one that did."""

    words: str
    changes: tuple[float, float]
    came: bool


def list_alternatives(
    ratings: Ratings | None, one: LiveResult, shares: list[PlayerShare]
) -> list[Alternative]:
    """What a win of either side and a draw would have changed; empty where a game is rated with
    others, or by more than its score.
    """
    lines = [share.line for share in shares]
    if len(lines) != 2 or not isinstance(ratings, DynamicRatings):
        return []
    line = lines[0]
    if line is None or line["change"] is None:
        return []
    a, b = (share.name for share in shares)
    words = {1.0: f"{isolate_name(a)} wins", 0.5: "Draw", 0.0: f"{isolate_name(b)} wins"}
    try:
        found = find_alternatives(ratings, line["row"], list(words))
    except Unratable:
        return []
    return [
        Alternative(said, changes, score == one.score)
        for (score, said), changes in zip(words.items(), found, strict=False)
    ]


def _find_line(found: RatedView, number: int, place: int | None) -> GameLine | None:
    """The history line of a player's result number `place`, counted from 0."""
    try:
        k = found.row_of(number)
    except NotFound:  # voided in the meantime
        return None
    if place is not None and isinstance(found.ratings, LadderRatings):
        return build_line(found.ratings, k, place)
    lines = found.profile(k).lines
    return None if place is None or place >= len(lines) else lines[-1 - place]


# Results as text.


ADVANTAGE_OWNERS = {1.0: "of the first", -1.0: "of the second"}
TITLES = (
    "played", "first", "second", "score of the first",
    "places", "advantage", "margin", "length", "points of the first", "points of the second",
    "weight", "round", "facts",
)  # fmt: skip
MINUTE_US = 60_000_000
WHO_BEGINS = 3  # sides of a contest that are named in a line
NUMBER_ROWS = {
    "margin": "margin", "length": "length", "points_a": "points of the first",
    "points_b": "points of the second", "weight": "weight",
}  # fmt: skip


def order_title(title: str) -> int:
    """The place of a title among those of facts: -1 of another, which stands before them."""
    known = title if title in TITLES else title.partition(" ")[0]  # `first team` as `first`
    return TITLES.index(known) if known in TITLES else -1


def describe_facts(one: Submission, noun: str) -> dict[str, str]:
    """Describe a result by name and text; defaults are left out. `noun` is what is rated."""
    found: dict[str, str] = {}
    if one.time is not None:
        found["played"] = format_time_of_result(one.time)
    single = all(len(side.players) == 1 for side in one.line_ups)
    if one.score is not None:
        word = noun if single else "side"
        for place, side in zip(("first", "second"), one.line_ups, strict=True):
            found[f"{place} {word}"] = format_side(side)
        found["score of the first"] = format_exact(one.score)
    else:
        found["places"] = ", ".join(map(format_placing, one.line_ups))
    if one.side:
        found["advantage"] = ADVANTAGE_OWNERS.get(one.side, format_exact(one.side))
    for name, title in NUMBER_ROWS.items():
        value = getattr(one, name)
        if value is not None and value != {"weight": 1.0}.get(name):
            found[title] = format_exact(value)
    if one.round is not None:
        found["round"] = one.round
    if one.facts:
        found["facts"] = ", ".join(f"{name}: {format_fact(v)}" for name, v in one.facts.items())
    return found


def build_submission(row: LiveResult, called: Mapping[int, str]) -> Submission:
    """Convert a result of the store to a submission; `called` are names by number."""
    points_a, points_b = row.points
    return Submission(
        sides=tuple(
            LineUp(
                tuple((called[member.player], member.share) for member in side.members),
                place=side.place,
                points=side.points,
            )
            for side in (row.ranked if row.score is None else row.sides)
        ),
        score=row.score,
        time=row.time,
        side=row.side,
        weight=row.weight,
        margin=row.margin,
        length=row.length,
        points_a=points_a,
        points_b=points_b,
        round=row.round,
        facts=row.facts,
    )


def format_score(one: Submission) -> str:
    """The score of a game, of its points where there are any: `2–3`, `½–½`; "" of a contest."""
    if one.score is None:
        return ""
    first, second = one.line_ups
    points = [
        given if given is not None else side.points
        for given, side in ((one.points_a, first), (one.points_b, second))
    ]
    known = [value for value in points if value is not None]
    return goals(known if len(known) == len(points) else (one.score, 1.0 - one.score))


def describe_result(row: LiveResult, called: Mapping[int, str]) -> str:
    """A result in a line: `Ada – Ben 1–0`, of a contest its first three; `called` are names."""
    one = build_submission(row, called)
    if one.score is None:
        return list_some([format_placing(side) for side in one.line_ups], WHO_BEGINS)
    return f"{' – '.join(map(format_side, one.line_ups))} {format_score(one)}"


def format_side(side: LineUp) -> str:
    """The players of a side: `Ada & Ben (share 0.5)`, a share where it is not the whole."""
    return " & ".join(
        name if share == 1.0 else f"{name} (share {format_exact(share)})"
        for name, share in side.players
    )


def format_member(name: str, share: float) -> str:
    """A player with the share, where it is not the whole, as a form takes it."""
    return name if share == 1.0 else f"{name} * {format_exact(share)}"


def format_placing(side: LineUp) -> str:
    """One side of a contest: `2. Ada`, with the points where there are any."""
    points = "" if side.points is None else f" ({format_exact(side.points)})"
    return f"{side.place:g}. {format_side(side)}{points}"


def format_fact(value: float | str) -> str:
    """The value of a fact."""
    return value if isinstance(value, str) else format_exact(value)


def format_time_of_result(time: int) -> str:
    """Format a day, a time to the minute, or exactly if it has seconds, as forms take it."""
    if time % DAY_US == 0:
        return moment(time / DAY_US)
    exact = moment(time / DAY_US) if time % MINUTE_US == 0 else iso_text(time)
    return exact.removesuffix("+00:00").replace("T", " ") + " UTC"


def format_exact(value: float) -> str:
    """Format a number briefly without loss."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


# What other sites show: a feed of results, a badge of a player, a table in a frame.


FEED_RESULTS = 50  # the newest
FEED_TYPE = "application/atom+xml; charset=utf-8"
ATOM = "http://www.w3.org/2005/Atom"
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
        element("title", escape_text(describe_result(one, request.names))),
        element("id", escape_text(address)),
        element("updated", when),
        element("link", rel="alternate", href=address, type="text/html"),
    )


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
        raise Refused.of("bad_page.embedded", most=MAX_EMBED_ROWS, text=text)
    found = require_view(request)
    ratings, listed = found.ratings, rank_listed(found.ratings, found.among)
    rows = [
        row | {"address": found.links.to("player", row["k"])}
        for row in build_standings(ratings, listed, found.rule, listed.order[: int(text)].tolist())
    ]
    return request.render("live/embedded.html", view=found, rows=rows)
