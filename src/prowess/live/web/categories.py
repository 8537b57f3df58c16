"""Pages about a category: leaderboard, pairings, method, players, pairs, lists and seasons."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import select
from starlette.responses import RedirectResponse, Response

from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Unratable
from prowess.engine.whole_table import WholeTable
from prowess.games.dates import end_of_day
from prowess.live.api import category_view as api
from prowess.live.api.calls import ANYONE
from prowess.live.errors import NotFound, Refused
from prowess.live.journal.journal import Journal
from prowess.live.result import DAY_US
from prowess.live.store import queries
from prowess.live.store.tables import method as methods, published, published_row, season as seasons
from prowess.live.web.page_request import PageRequest, is_number
from prowess.live.web.views import KnownRevision, RatedView, ServerLinks
from prowess.present.boards import (
    WEEK_DAYS,
    Board,
    build_board,
    cached_value,
    rank_listed,
)
from prowess.present.histories import Career, natural_axis, read_careers
from prowess.present.home import Home, build_home
from prowess.present.layers import YEAR_DAYS
from prowess.present.listing import Listing, rating_column
from prowess.present.methods import Judgement, judgement, method
from prowess.present.pairs import (
    build_square,
    most_met_pairs,
    next_games,
)
from prowess.present.players import Profile, describe_pair, draw_player
from prowess.present.rendering import day, moment
from prowess.present.site import games_csv, leaderboard_csv
from prowess.study.backtest import NoForecast, backtest

if TYPE_CHECKING:
    from prowess.live.journal.registry import Category

HOME_FIXTURES, BOARD_FIXTURES = 8, 20  # games to come on the first page, and of one category
FOUND_NAMES = 20  # of a category who are called so
HOME_ROWS, CARD_ROWS = 10, 3  # of the best on the first page
PAGE_ROWS = 100  # of the leaderboard
PLAYING = "playing"  # those alone who have a rank, as a page is asked for them
MOVE_SPANS = {"Week": WEEK_DAYS, "Month": 30.0, "Year": YEAR_DAYS}  # days in which ranks moved
SQUARE = 16  # players of the pairing table
PAIRED = 100  # players among whom the most met pairs are searched
MOST_MET = 30
NEXT_GAMES = 10
MAX_ADVISED_PLAYERS = 300  # of a league to recommend games for
MAX_REFIT_GAMES = 20_000  # to judge a whole-table system by refits
PAGE_REFITS = 10
GROWN = 0.02  # share of new games after which forecasts are judged again

Judged = dict[tuple[str, ...], tuple[int, tuple[Judgement | None, str]]]
_judged: WeakKeyDictionary[Journal, Judged] = WeakKeyDictionary()  # after so many games


class CategoryCard(NamedTuple):
    """A category on the first page; without games it has no board."""

    category: Category
    games: int
    players: int
    ids: Sequence[int]
    board: Board | None
    updated: float | None  # day of the last game


def show_home(request: PageRequest) -> Response:
    """The first page: what is new in the first category with games, and the best of each."""
    cards = []
    if asked := request.query("q"):
        return show_found(request, asked)
    leading = home = season = None
    fixtures: list[api.GameToCome] = []
    results: dict[int, int] = {}
    for category in request.journal.categories():
        view = find_view(request, key=category.key)
        if view is None:
            cards.append(CategoryCard(category, 0, 0, (), None, None))
            continue
        ratings, few = view.ratings, view.among != view.rule
        rows = HOME_ROWS if leading is None else CARD_ROWS
        board = build_board(ratings, view.rule, playing=True, few=few, limit=rows)
        card = CategoryCard(
            category, len(ratings.table), len(ratings.players), view.ids, board, ratings.day
        )
        cards.append(card)
        if leading is None:
            if not view.known:
                fixtures = api.find_fixtures(request.journal, category, ratings, most=HOME_FIXTURES)
            season = find_season(request, category, ratings.day)
            leading, home = card, find_home(view, season and season[1])
            numbers = getattr(ratings, "results", None)
            if numbers is not None:
                results = {one.row: int(numbers[one.row]) for one in home.latest}
    if leading is None:
        return show_categories(request)
    return request.render(
        "live/home.html",
        here="home",
        leading=leading,
        home=home,
        season_name=season and season[0],
        cards=cards,
        results=results,
        fixtures=fixtures,
    )


def show_found(request: PageRequest, asked: str) -> Response:
    """Who is called so in any category; the page of the player, if it is one alone."""
    found, part = [], asked.casefold()
    for category in request.journal.categories():
        view, named = find_view(request, key=category.key), list[tuple[int, str]]()
        if view is not None:
            rows, players = view.ratings.has_played().nonzero()[0].tolist(), view.ratings.players
            named = [(int(view.ids[k]), players[k]) for k in rows if part in players[k].casefold()]
        named += list_unplayed(request, category, part)
        found += [(category, number, name) for number, name in named[:FOUND_NAMES]]
    if len(found) == 1:
        return RedirectResponse(ServerLinks(found[0][0].key).to("player_number", found[0][1]), 303)
    return request.render("live/categories.html", here="home", asked=asked, found=found)


def find_home(view: RatedView, since: float | None) -> Home:
    """What the first page tells of a category, its chart from a day on; kept with its ratings."""
    ratings, among = view.ratings, view.among
    return cached_value(
        ratings,
        ("home", among, since),
        lambda: build_home(ratings, rank_listed(ratings, among), since),
    )


def find_season(
    request: PageRequest, category: Category, day: float | None
) -> tuple[str, float] | None:
    """The name of the season of a day (since 1970), and its first day; None outside of all."""
    if day is None:
        return None
    own, at = seasons.c, round(day * DAY_US)
    chosen = (
        select(own.name, own.starts)
        .where(own.category_id == category.id, own.starts <= at, own.ends >= at)
        .order_by(own.starts.desc())
    )
    with request.journal.store.read() as connection:
        row = connection.execute(chosen).first()
    return None if row is None else (row.name, row.starts / DAY_US)


def show_categories(request: PageRequest) -> Response:
    """List all categories."""
    counts = {one.key: len(request.journal.ladder(one.key)) for one in request.journal.categories()}
    return request.render(
        "live/categories.html",
        asked="",
        counts=counts,
        here="categories",
    )


def show_leaderboard(request: PageRequest) -> Response:
    """The leaderboard today or on a day, with changes since another day."""
    as_of, since, page = request.query("as_of"), request.query("since"), request.query("page", "1")
    before = parse_since(request, since, as_of) if since else None
    view = find_view(request, parse_day(as_of) if as_of else None)
    if view is None:
        return empty_page(request, as_of)
    if request.query("player"):
        return _redirect_to_player(request, view)
    if not page.isascii() or not page.isdigit() or not int(page[:9]) >= 1:
        raise Refused.of("bad_page.page", page=page)
    number = int(page[:9])
    playing, names = request.query("include") == PLAYING, request.query("q")
    span = request.query("moves").capitalize()
    span = span if span in MOVE_SPANS else next(iter(MOVE_SPANS))
    board = build_board(
        view.ratings,
        view.rule,
        playing=playing,
        few=view.among != view.rule,
        first=PAGE_ROWS * (number - 1),
        limit=PAGE_ROWS,
        before=None if before is None else _earlier_ratings(request, before),
        names=names,
        days=MOVE_SPANS[span],
    )
    pages = max(1, ceil(board.total / PAGE_ROWS))
    if number > pages:
        raise NotFound.of("no_such_page.pages", pages=pages)
    choices = {"include": PLAYING if playing else "", "as_of": as_of, "since": since, "q": names}
    choices["moves"] = span.lower() if span != next(iter(MOVE_SPANS)) else ""
    now = request.journal.clock() / DAY_US
    return request.render(
        "leaderboard.html",
        view=view,
        here="leaderboard",
        board=board,
        playing=playing,
        span=span,
        spans=list(MOVE_SPANS.items()),
        today=now,
        step=PAGE_ROWS,
        compared=since or None,
        as_of=as_of,
        asked=names,
        page=number,
        pages=pages,
        choices=choices,
        permanent=view.links.to(
            "leaderboard",
            **({"revision": view.revision} | choices | {"as_of": day(view.ratings.day)}),
        ),
        fixtures=[]
        if view.known or as_of or names or number > 1
        else api.find_fixtures(request.journal, view.category, view.ratings, most=BOARD_FIXTURES),
        unplayed=[]
        if as_of or number < pages or not request.journal.registry.members
        else list_unplayed(request, request.category, names.casefold()),
        later=bool(as_of) and as_of[:10] > day(now),
    )


def is_everyone_asked(request: PageRequest) -> bool:
    """Whether provisional and inactive players are requested; old links use `show`."""
    return "all" in (request.query("include"), request.query("show"))


def _redirect_to_player(request: PageRequest, view: RatedView) -> Response:
    """Redirect to the row of a player on the leaderboard."""
    number = request.query("player")
    if not is_number(number):
        raise NotFound.of("no_such_page.player", number=number)
    k = view.row_of(int(number))
    place = rank_listed(view.ratings, Listing()).find_place(k) or 0
    address = view.links.to(
        "leaderboard", as_of=request.query("as_of"), page=1 + place // PAGE_ROWS
    )
    return RedirectResponse(f"{address}#player-{k + 1}", 303)


def empty_page(request: PageRequest, as_of: str = "") -> Response:
    """Render the page of a category without games (by that day)."""
    category = request.category
    return request.render(
        "live/empty.html",
        site=category,
        here="leaderboard",
        as_of=as_of,
        fixtures=[]
        if as_of
        else api.find_fixtures(request.journal, category, None, most=BOARD_FIXTURES),
        unplayed=[] if as_of else list_unplayed(request, category),
    )


def list_unplayed(
    request: PageRequest, category: Category, part: str = ""
) -> list[tuple[int, str]]:
    """The players who were added to a category and have no game in it: number, name.

    Only those with a part of a name, in small letters.
    """
    known = _find_revision(request)
    view = api.view_category(request.journal, category.key, None, known and known.revision)
    named = ((one, request.names[one]) for one in api.find_unplayed(request.journal, view))
    return [(number, name) for number, name in named if part in name.casefold()]


def _earlier_ratings(request: PageRequest, since: float) -> dict[str, float]:
    """Ratings by name on an earlier day."""
    view = find_view(request, since)
    if view is None:
        return {}
    rating, players = rating_column(view.ratings), view.ratings.players
    played = view.ratings.has_played()
    return {players[k]: float(rating[k]) for k in played.nonzero()[0].tolist()}


def export_leaderboard(request: PageRequest) -> Response:
    """Export the leaderboard at full precision as CSV or JSON."""
    form = request.path_part("form")
    if form not in ("csv", "json"):
        raise NotFound.of("no_such_page.form", form=form)
    as_of = request.query("as_of")
    found = require_view(request, parse_day(as_of) if as_of else None)
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
        raise NotFound.of("no_pairings.duels")
    if request.query("a") and request.query("b"):
        actor = request.actor or ANYONE
        asked = (request.query(one) for one in ("a", "b"))
        named = [found.row_of(api.find_player(request.journal, actor, name)) for name in asked]
        return RedirectResponse(found.links.to("pair", *named), 303)
    best = rank_listed(ratings, found.among).order[:PAIRED].tolist()
    if len(best) < 2:
        raise NotFound.of("no_pairings.listed", rule=listing.describe(ratings))
    wanted = []
    if len(ratings) <= MAX_ADVISED_PLAYERS:
        wanted = cached_value(ratings, "next games", lambda: next_games(ratings, NEXT_GAMES))
    pairs = cached_value(
        ratings, ("most", listing), lambda: most_met_pairs(ratings, best, MOST_MET)
    )
    table = cached_value(ratings, ("square", listing), lambda: build_square(ratings, best[:SQUARE]))
    return request.render(
        "pairings.html", view=found, here="pairings", square=table, pairs=pairs, wanted=wanted
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
        when = {
            one.id: one
            for one in queries.find_revisions(connection, [row.revision for row in rows])
        }
    changes = [
        (when[row.revision].at, row.revision, row.system, row.params, row.period)
        for row in rows
        if row.revision in when
    ]
    one = method(found.ratings, *_judge_forecasts(request, found))
    return request.render(
        "live/method.html", view=found, here="method", one=one, changes=changes[::-1]
    )


def _judge_forecasts(request: PageRequest, found: RatedView) -> tuple[Judgement | None, str]:
    """Judge the forecasts of the ladder; cached until it has grown."""
    ratings, category = found.ratings, found.category
    key = (category.key, *map(str, category.method))
    games = len(ratings.table)
    known = _judged.setdefault(request.journal, {})
    if key in known and abs(games - known[key][0]) <= GROWN * games:
        return known[key][1]
    if isinstance(ratings.system, WholeTable) and games > MAX_REFIT_GAMES:
        return None, f"fitting {games:,} games again and again takes too long for a page"
    try:
        test = backtest(
            ratings.table,
            ratings.system,
            period=ratings.period,
            params=ratings.params,
            refits=PAGE_REFITS,
        )
    except (NoForecast, Unratable, ValueError) as reason:
        return None, str(reason)
    known[key] = games, judgement(ratings, test)
    return known[key][1]


# Pages of players, of pairs of players, of published lists and seasons.


PLAYER_FIXTURES = 6  # games to come
FIRST_GAMES, PAGE_GAMES = 12, 50  # at first, and with each click
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
        raise Refused.of("bad_page.games", text=older)
    first, outcome = int(older), request.query("outcome")
    step = PAGE_GAMES if first else FIRST_GAMES
    sign = GAME_OUTCOMES.get(outcome)
    lines = [line for line in one.lines if sign is None or np.sign(line["score"] - 0.5) == sign]
    group = request.journal.registry.people.group(number)
    ratings, span = found.ratings, request.query("span")
    career = read_careers(ratings, [k])[0] if isinstance(ratings, DynamicRatings) else None
    ranges, since = find_ranges(found, number, career, span)
    return request.render(
        "live/player.html",
        view=found,
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
        lines=lines[first : first + step],
        count=len(lines),
        opponents=one.opponents[:PAGE_OPPONENTS],
        rule=found.rule.describe(found.ratings),
        aliases=list_aliases(request, number),
        number=number,
        elsewhere=_find_other_categories(request, number),
        ranks=find_published_ranks(request, found.category, sorted(group)),
        fixtures=[]
        if found.known
        else api.find_fixtures(
            request.journal, found.category, found.ratings, number, PLAYER_FIXTURES
        ),
        first=first,
        step=step,
    )


def show_unplayed(request: PageRequest, number: int) -> Response:
    """The page of a player who was added to the category and has no game in it yet."""
    return request.render(
        "live/newcomer.html",
        site=request.category,
        here="player",
        name=request.names[number],
        fixtures=api.find_fixtures(
            request.journal, request.category, None, number, PLAYER_FIXTURES
        ),
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
        for one, ratings, k in api.find_played_categories(request.journal, number)
        if one.category.key != request.category.key
    ]


def _links_with_games(
    request: PageRequest, found: RatedView, number: int, one: Profile
) -> ServerLinks:
    """The links of a page, with the results of the lines of a player."""
    rows = (line["row"] for line in reversed(one.lines))  # a fit of contests has none
    numbers = api.find_results(found, number)
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
        raise NotFound.of("no_pairings.duels")
    i, j = found.row_of(request.path_number("a")), found.row_of(request.path_number("b"))
    if i == j:
        raise Refused.of("one_player")
    a, ratings = found.profile(i), found.ratings
    shown: tuple[Career, ...] = ()
    if isinstance(ratings, DynamicRatings):
        shown = read_careers(ratings, (i, j))
    return request.render(
        "pair.html",
        view=found,
        here="pair",
        links=_links_with_games(request, found, request.path_number("a"), a),
        **describe_pair(ratings, a, found.profile(j), shown, PAGE_GAMES),
    )


# Published lists and seasons.


NEWEST_LISTS = 50  # lists on the page of a player


def show_lists(request: PageRequest) -> Response:
    """List published lists and seasons."""
    category = request.category
    with request.journal.store.read() as connection:
        found = queries.list_published(connection, category.id)
        terms = queries.list_seasons(connection, category.id)[::-1]
    return request.render(
        "live/lists.html",
        site=category,
        here="lists",
        lists=found,
        seasons=terms,
    )


def show_list(request: PageRequest) -> Response:
    """Show a published list."""
    category = request.category
    with request.journal.store.read() as connection:
        key = request.path_part("list")
        one = queries.find_published(connection, category.id, category.key, key)
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


# The view of a category for pages, and the dates and revisions of their addresses.


def find_view(request: PageRequest, day: float | None = None, key: str = "") -> RatedView | None:
    """View a category (default: that of the path), at the `revision` of the query.

    None before the first game; raises Refused.
    """
    known = _find_revision(request) if "revision" in request.http.query_params else None
    key = key or request.http.path_params["key"]
    view = api.view_category(request.journal, key, day, known and known.revision)
    ratings = view.ratings
    if ratings is None or not int(ratings.game_counts.sum()):
        return None
    ids = getattr(ratings.players, "ids", ())  # absent for the roster of an earlier day
    return RatedView(**vars(view), ids=ids, known=known)


def _find_revision(request: PageRequest) -> KnownRevision | None:
    """The revision of the query; raises Refused, NotFound."""
    text = request.query("revision")
    if not text:
        return None
    if not is_number(text):
        raise Refused.of("bad_revision", text=text)
    last = request.journal.revision
    if not 1 <= int(text) <= last:
        raise NotFound.of("no_such_revision.revisions", last=last, text=text)
    with request.journal.store.read() as connection:
        (one,) = queries.find_revisions(connection, [int(text)])
    return KnownRevision(one.id, one.at / DAY_US)


def require_view(request: PageRequest, day: float | None = None) -> RatedView:
    """View the category of the path; raises NotFound before the first game."""
    found = find_view(request, day)
    if found is None:
        raise NotFound.of("no_ratings.first", category=request.path_part("key"))
    return found


def parse_since(request: PageRequest, since: str, as_of: str) -> float:
    """Parse the day to compare with; raises Refused unless it is past and before `as_of`."""
    day = parse_day(since)
    if since[:10] > moment(request.journal.clock() / DAY_US)[:10]:
        raise Refused.of("bad_date.future", since=since)
    if as_of and day > parse_day(as_of):
        raise Refused.of("bad_date.order", since=since, as_of=as_of)
    return day


def parse_day(text: str) -> float:
    """Parse a date as the end of that day; raises Refused."""
    try:
        return end_of_day(text)
    except (ValueError, OverflowError) as error:
        raise Refused("bad_date", str(error)) from None
