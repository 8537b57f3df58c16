"""Pages about a category: leaderboard, pairings, method."""

from __future__ import annotations

import json
from math import ceil
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from starlette.responses import RedirectResponse, Response

from prowess.engine.system import Unratable
from prowess.engine.whole_table import WholeTable
from prowess.live.errors import NotFound, Refused
from prowess.live.journal.journal import Journal
from prowess.live.result import DAY
from prowess.live.store.queries import find_revisions
from prowess.live.store.tables import method as methods
from prowess.live.web.page_request import PageRequest
from prowess.live.web.rated_view import (
    RatedView,
    as_days,
    find_view,
    parse_day,
    parse_since,
    require_view,
)
from prowess.present.boards import LEVEL, build_board, find_place, rank_players as listed, unit_name
from prowess.present.caching import cached_value
from prowess.present.listing import Listing, rating_column, rating_label
from prowess.present.methods import Judgement, judgement, method
from prowess.present.pairs import build_square, most_met_pairs, next_games
from prowess.present.site import leaderboard_csv
from prowess.present.wording import day
from prowess.study.backtest import NoForecast, backtest

if TYPE_CHECKING:
    from prowess.live.web.server_links import ServerLinks

ROWS = 100  # of the leaderboard per page
SQUARE = 16  # players of the pairing table
PAIRED = 100  # players among whom the most met pairs are searched
MOST_MET = 30
WANTED = 10
SURVEYED = 300  # maximum number of players to recommend games for
REFITTED = 20_000  # maximum number of games to judge a whole-table system by refits
REFITS = 10
GROWN = 0.02  # share of new games after which forecasts are judged again

Judged = dict[tuple[str, ...], tuple[int, tuple[Judgement | None, str]]]
_judged: WeakKeyDictionary[Journal, Judged] = WeakKeyDictionary()  # after so many games


def show_home(request: PageRequest) -> Response:
    """Redirect to the only category, or list all."""
    categories = request.journal.categories()
    if len(categories) == 1:
        return RedirectResponse(f"/c/{categories[0].key}", 303)
    return show_categories(request)


def show_categories(request: PageRequest) -> Response:
    """List all categories."""
    counts = {one.key: len(request.journal.ladder(one.key)) for one in request.journal.categories()}
    return request.render(
        "live/categories.html",
        categories=request.journal.categories(),
        counts=counts,
        here="categories",
    )


def show_leaderboard(request: PageRequest) -> Response:
    """The leaderboard today or on a day, with changes since another day."""
    as_of, since = request.query("as_of"), request.query("since")
    before = parse_since(request, since, as_of)
    found = find_view(request, parse_day(as_of))
    if found is None:
        return empty_page(request, as_of)
    if request.query("player"):
        return _redirect_to_player(request, found)
    page = request.query("page", "1")
    if not page.isascii() or not page.isdigit() or not int(page[:9]) >= 1:
        raise Refused("bad_page", f"{page!r} is not the number of a page")
    number = int(page[:9])
    everyone, names = is_everyone_asked(request), request.query("q")
    one = build_board(
        found.ratings,
        found.rule,
        everyone=everyone,
        few=found.among != found.rule,
        first=ROWS * (number - 1),
        limit=ROWS,
        before=_earlier_ratings(request, before),
        names=names,
    )
    pages = max(1, ceil(one.total / ROWS))
    if number > pages:
        raise NotFound("no_such_page", f"there are {pages} pages")
    choices: dict[str, str | int | None] = {
        "include": "all" if everyone else None, "as_of": as_of, "since": since, "q": names,
    }  # fmt: skip
    return view_page(
        request,
        found,
        "live/leaderboard.html",
        "leaderboard",
        board=one,
        everyone=everyone,
        compared=since or None,
        as_of=as_of,
        asked=names,
        page=number,
        pages=pages,
        choices=choices,
        permanent=found.links.leaderboard_with(
            **(choices | {"as_of": day(found.ratings.day), "revision": found.revision})
        ),
        later=bool(as_of) and as_of[:10] > day(request.journal.clock() / DAY),
    )


def is_everyone_asked(request: PageRequest) -> bool:
    """Whether provisional and inactive players are requested; old links use `show`."""
    return "all" in (request.query("include"), request.query("show"))


def _redirect_to_player(request: PageRequest, found: RatedView) -> Response:
    """Redirect to the row of a player on the leaderboard."""
    number = request.query("player")
    if not number.isascii() or not number.isdigit() or len(number) > 18:
        raise NotFound("no_such_page", f"{number!r} is not the number of a player")
    k = found.row_of(int(number))
    place = find_place(listed(found.ratings, found.among), k)
    everyone = place is None
    if place is None:
        place = find_place(listed(found.ratings, Listing()), k) or 0
    chosen = {"include": "all" if everyone else None, "as_of": request.query("as_of")}
    address = found.links.leaderboard_with(**chosen, page=1 + place // ROWS)
    return RedirectResponse(f"{address}#player-{k + 1}", 303)


def view_page(
    request: PageRequest, found: RatedView, template: str, here: str, **values: Any
) -> Response:
    """Render a page of a category with ratings."""
    frame: dict[str, Any] = {
        "what": unit_name(found.ratings),
        "rating": rating_label(found.ratings),
        "level": LEVEL,
        "view": found,
        "known": found.known,
        "category": found.category,
    }
    links: ServerLinks = values.pop("links", found.links)
    return request.render(
        template, links=links, here=here, site=found.category.name, **(frame | values)
    )


def empty_page(request: PageRequest, as_of: str = "") -> Response:
    """Render the page of a category without games (by that day)."""
    from prowess.live.web.server_links import ServerLinks

    category = request.category
    return request.render(
        "live/empty.html",
        links=ServerLinks(category.key),
        here="leaderboard",
        site=category.name,
        as_of=as_of,
    )


def _earlier_ratings(request: PageRequest, since: float | None) -> dict[str, float] | None:
    """Ratings by name on an earlier day; None without such a day."""
    if since is None:
        return None
    found = find_view(request, since)
    if found is None:
        return {}
    rating = rating_column(found.ratings)
    played = found.ratings.game_counts > 0
    players = found.ratings.players
    return {players[k]: float(rating[k]) for k in played.nonzero()[0].tolist()}


def export_leaderboard(request: PageRequest) -> Response:
    """Export the leaderboard at full precision as CSV or JSON."""
    form = request.path_part("form")
    if form not in ("csv", "json"):
        raise NotFound("no_such_page", f"take .csv or .json: there is no leaderboard.{form}")
    found = find_view(request, parse_day(request.query("as_of")))
    if found is None:
        raise NotFound("no_ratings", f"nobody has played in {request.path_part('key')} yet")
    among = Listing() if is_everyone_asked(request) else found.among
    if form == "csv":
        text = leaderboard_csv(found.ratings, among)
        return Response(text, media_type="text/csv; charset=utf-8")
    summary = found.ratings.summary(min_games=among.min_games, since=among.since)
    text = json.dumps(summary, ensure_ascii=False)
    return Response(text, media_type="application/json")


def show_pairings(request: PageRequest) -> Response:
    """The pairing table of the best players, the most met pairs, and recommended games."""
    found = require_view(request)
    ratings, listing = found.ratings, found.rule
    if not ratings.table.duels:
        raise NotFound("no_pairings", "only games between two players have pairs")
    listed = found.among.players(ratings)
    best = listed[(-ratings.strength[listed]).argsort(kind="stable")][:PAIRED].tolist()
    if len(best) < 2:
        raise NotFound(
            "no_pairings", f"fewer than two players are listed. {listing.describe(ratings)}"
        )
    wanted = []
    if len(ratings) <= SURVEYED:
        wanted = cached_value(ratings, "next games", lambda: next_games(ratings, WANTED))
    pairs = cached_value(
        ratings, ("most", listing), lambda: most_met_pairs(ratings, best, MOST_MET)
    )
    table = cached_value(ratings, ("square", listing), lambda: build_square(ratings, best[:SQUARE]))
    return view_page(
        request, found, "pairings.html", "pairings", square=table, pairs=pairs, wanted=wanted
    )


def show_method(request: PageRequest) -> Response:
    """The method with its parameters and history, and the accuracy of its forecasts."""
    found = find_view(request)
    if found is None:
        return empty_page(request)
    category = found.category
    with request.journal.store.read() as connection:
        rows = connection.execute(
            methods.select()
            .where(methods.c.category_id == category.id)
            .order_by(methods.c.revision)
        ).all()
        when = {one.id: one for one in find_revisions(connection, [row.revision for row in rows])}
    changes = [
        (as_days(when[row.revision].at), row.revision, row.system, row.params, row.period)
        for row in rows
        if row.revision in when
    ]
    one = method(found.ratings, *_judge_forecasts(request, found))
    return view_page(request, found, "live/method.html", "method", one=one, changes=changes[::-1])


def _judge_forecasts(request: PageRequest, found: RatedView) -> tuple[Judgement | None, str]:
    """Judge the forecasts of the ladder; cached until it has grown."""
    ratings, category = found.ratings, found.category
    key = (category.key, *map(str, category.method))
    games = len(ratings.table)
    known = _judged.setdefault(request.journal, {})
    if key in known and abs(games - known[key][0]) <= GROWN * games:
        return known[key][1]
    if isinstance(ratings.system, WholeTable) and games > REFITTED:
        return None, f"fitting {games:,} games again and again takes too long for a page"
    try:
        test = backtest(
            ratings.table,
            ratings.system,
            period=ratings.period,
            params=ratings.params,
            refits=REFITS,
        )
    except (NoForecast, Unratable, ValueError) as reason:
        return None, str(reason)
    known[key] = games, judgement(ratings, test)
    return known[key][1]
