"""Pages of players, of pairs of players, of published lists and seasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import select
from starlette.responses import RedirectResponse, Response

from prowess.engine.rate import DynamicRatings
from prowess.live.api.category_view import (
    find_fixtures,
    find_played_categories,
    find_results,
)
from prowess.live.errors import NotFound, Refused
from prowess.live.journal.registry import Category
from prowess.live.result import DAY_US
from prowess.live.store import queries
from prowess.live.store.tables import published, published_row
from prowess.live.web.categories import find_view, list_unplayed, require_view
from prowess.live.web.page_request import PageRequest
from prowess.live.web.views import RatedView, ServerLinks
from prowess.present.histories import Career, natural_axis, read_careers
from prowess.present.layers import YEAR_DAYS
from prowess.present.pairs import (
    build_meetings,
    draw_pair,
    find_stakes,
    games_between,
    list_games,
    neutral_forecast,
)
from prowess.present.players import Profile, draw_player
from prowess.present.site import games_csv

PLAYER_FIXTURES = 6  # games to come
PAGE_GAMES = 50
RANGES = {"1 y": 1.0, "3 y": 3.0}  # years of a history that are drawn
PAGE_OPPONENTS = 50
GAME_OUTCOMES = {
    "Won": 1,
    "Drawn": 0,
    "Lost": -1,
}  # of a player's games, and the sign of score - 1/2


def show_player(request: PageRequest) -> Response:
    """The page of a player: rating, history, games and opponents."""
    found = find_view(request)
    number = request.path_number("player")
    now = request.journal.registry.people.canonical(number)
    if now != number:  # merged into another
        links = ServerLinks(request.category.key) if found is None else found.links
        return RedirectResponse(links.to("player_number", now), 303)
    try:
        found = found or require_view(request)
        k = found.row_of(number)
    except NotFound:
        if number not in dict(list_unplayed(request, request.category)):
            raise
        return show_unplayed(request, number)
    one = found.profile(k)
    older = request.query("older", "0")
    if not older.isascii() or not older.isdigit() or len(older) > 9:
        raise Refused("bad_page", f"{older!r} is not a number of games")
    first, outcome = int(older), request.query("outcome")
    sign = GAME_OUTCOMES.get(outcome)
    lines = [line for line in one.lines if sign is None or np.sign(line["score"] - 0.5) == sign]
    group = request.journal.registry.people.group(number)
    ratings, span = found.ratings, request.query("span")
    career = read_careers(ratings, [k])[0] if isinstance(ratings, DynamicRatings) else None
    ranges, since = find_ranges(found, number, career, span)
    return request.render(
        "live/player.html",
        view=found,
        today=request.journal.clock() / DAY_US,
        ranges=ranges,
        **draw_player(ratings, one, career, since),
        here="player",
        links=_links_with_games(request, found, number, one),
        one=one,
        outcomes=[
            (text, found.links.to("player_number", number, outcome=text), text == outcome)
            for text in GAME_OUTCOMES
        ],
        outcome=outcome if sign is not None else "",
        lines=lines[first : first + PAGE_GAMES],
        count=len(lines),
        opponents=one.opponents[:PAGE_OPPONENTS],
        rule=found.rule.describe(found.ratings),
        aliases=list_aliases(request, number),
        number=number,
        elsewhere=_find_other_categories(request, number),
        ranks=find_published_ranks(request, found.category, sorted(group)),
        fixtures=[]
        if found.known
        else find_fixtures(request.journal, found.category, found.ratings, number, PLAYER_FIXTURES),
        first=first,
        step=PAGE_GAMES,
    )


def show_unplayed(request: PageRequest, number: int) -> Response:
    """The page of a player who was added to the category and has no game in it yet."""
    return request.render(
        "live/newcomer.html",
        site=request.category,
        category=request.category,
        here="player",
        name=request.names[number],
        fixtures=find_fixtures(request.journal, request.category, None, number, PLAYER_FIXTURES),
        today=request.journal.clock() / DAY_US,
        aliases=list_aliases(request, number),
        elsewhere=_find_other_categories(request, number),
    )


def list_aliases(request: PageRequest, number: int) -> list[str]:
    """The other names of a player."""
    people = request.journal.registry.people
    group = set(people.group(number))
    known = sorted(name for name, at in people.names.items() if at in group)
    return [name for name in known if name != people.shown[number]]


def find_ranges(
    found: RatedView, number: int, career: Career | None, chosen: str
) -> tuple[list[tuple[str, str, bool]], float | None]:
    """The times that the drawing of a player's history may show, and the day it begins.

    A time is (text, address, whether it is shown); none where the history is short.
    """
    if career is None or career.time is None or natural_axis([career]) != "date":
        return [], None
    last, whole = float(career.time[-1]), float(career.time[-1] - career.time[0])
    known = {text: years for text, years in RANGES.items() if whole > years * YEAR_DAYS}
    if not known:
        return [], None
    usual = next(reversed(known)) if len(known) > 1 else "All"
    shown = chosen if chosen in (*known, "All") else usual
    ranges = [
        (text, found.links.to("player_number", number, span=text), text == shown)
        for text in (*known, "All")
    ]
    return ranges, last - known[shown] * YEAR_DAYS if shown in known else None


class OtherCategory(NamedTuple):
    """The rating of a player in another category."""

    category: Category
    address: str
    rating: float
    games: int


def _find_other_categories(request: PageRequest, number: int) -> list[OtherCategory]:
    return [
        OtherCategory(
            one.category,
            ServerLinks(one.category.key).to("player_number", number),
            ratings.columns[ratings.fields[0]][k].item(),
            int(ratings.game_counts[k]),
        )
        for one, ratings, k in find_played_categories(request.journal, number)
        if one.category.key != request.category.key
    ]


def _links_with_games(
    request: PageRequest, found: RatedView, number: int, one: Profile
) -> ServerLinks:
    """The links of a page, with the results of the lines of a player."""
    rows = (line["row"] for line in reversed(one.lines))  # a fit of contests has none
    numbers = find_results(found, number)
    return replace(found.links, results=dict(zip(rows, numbers, strict=False)))


def export_games(request: PageRequest) -> Response:
    """Export all games of a player as CSV."""
    found = require_view(request)
    one = found.profile(found.row_of(request.path_number("player")))
    return Response(games_csv(one), media_type="text/csv; charset=utf-8")


def show_pair(request: PageRequest) -> Response:
    """The page of two players: games, forecast and stakes."""
    found = require_view(request)
    if not found.ratings.table.duels:
        raise NotFound("no_pairings", "only games between two players have pairs")
    i, j = found.row_of(request.path_number("a")), found.row_of(request.path_number("b"))
    if i == j:
        raise Refused("one_player", "choose two players: player_a and player_b are the same")
    games = games_between(found.ratings, i, j)
    met = build_meetings(found.ratings, [games])[0] if len(games.rows) else None
    a, ratings = found.profile(i), found.ratings
    shown: tuple[Career, ...] = ()
    if isinstance(ratings, DynamicRatings):
        shown = read_careers(ratings, (i, j))
    return request.render(
        "pair.html",
        view=found,
        here="pair",
        links=_links_with_games(request, found, request.path_number("a"), a),
        a=a,
        b=found.profile(j),
        met=met,
        today=request.journal.clock() / DAY_US,
        chances=neutral_forecast(found.ratings, i, j),
        stakes=find_stakes(found.ratings, i, j),
        games=list_games(found.ratings, games)[:PAGE_GAMES],
        **draw_pair(found.ratings, i, j, shown),
    )


# Published lists and seasons.


NEWEST_LISTS = 50  # lists on the page of a player


def show_lists(request: PageRequest) -> Response:
    """List published lists and seasons."""
    category = request.category
    with request.journal.store.read() as connection:
        found = queries.list_published(connection, category.id)
        seasons = queries.list_seasons(connection, category.id)[::-1]
    return request.render(
        "live/lists.html",
        site=category,
        here="lists",
        today=request.journal.clock() / DAY_US,
        lists=found,
        seasons=seasons,
    )


def show_list(request: PageRequest) -> Response:
    """Show a published list."""
    category = request.category
    with request.journal.store.read() as connection:
        one = queries.find_published(connection, category.id, request.path_part("list"))
        rows = connection.execute(
            select(published_row)
            .where(published_row.c.published_id == one.id)
            .order_by(published_row.c.rank, published_row.c.player_id)
        ).all()
    columns = [name for name in (rows[0].data if rows else {}) if name != "games"]
    return request.render(
        "live/list.html",
        site=category,
        here="lists",
        one=one,
        rows=rows,
        columns=[*columns, "games"],
    )


def find_published_ranks(
    request: PageRequest, category: Category, numbers: Sequence[int]
) -> list[Any]:
    """The newest published lists with a player (by all their numbers): list, rating."""
    chosen = (
        select(published, published_row.c.rank, published_row.c.data)
        .join(published_row, published_row.c.published_id == published.c.id)
        .where(published.c.category_id == category.id, published_row.c.player_id.in_(numbers))
        .order_by(published.c.id.desc())
        .limit(NEWEST_LISTS)
    )
    with request.journal.store.read() as connection:
        found = connection.execute(chosen).all()
    return [(one, next(iter(one.data.values()))) for one in found]
