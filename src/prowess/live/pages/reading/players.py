"""Pages about one player, and about two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from starlette.responses import RedirectResponse, Response

from prowess.live.api.category_view import find_played_categories, find_results
from prowess.live.errors import NotFound, Refused
from prowess.live.journal.registry import Category
from prowess.live.pages.addresses import ServerLinks
from prowess.live.pages.reading.ladders import framed
from prowess.live.pages.reading.lists import published_ranks
from prowess.live.pages.reading.sights import Sight, seen
from prowess.live.pages.visits import Visit
from prowess.present.pairs import (
    build_meeting,
    find_stakes,
    games_between,
    list_games,
    neutral_forecast,
)
from prowess.present.players import Profile
from prowess.present.site import games_csv

NEWEST = 100  # games on one page
OPPONENTS = 50


def player(visit: Visit) -> Response:
    """Rating, history, games and opponents of a player."""
    found = seen(visit)
    number = visit.number("player")
    now = visit.desk.registry.people.canonical(number)
    if now != number:  # merged into another
        return RedirectResponse(found.links.of(now), 303)
    k = found.row(number)
    one = found.profile(k)
    older = visit.asked("older", "0")
    if not older.isascii() or not older.isdigit() or len(older) > 9:
        raise Refused("bad_page", f"{older!r} is not a number of games")
    first = int(older)
    people = visit.desk.registry.people
    group = set(people.group(number))
    aliases = sorted(name for name, at in people.names.items() if at in group)
    return framed(
        visit,
        found,
        "live/player.html",
        "player",
        links=_with_games(visit, found, number, one),
        one=one,
        lines=one.lines[first : first + NEWEST],
        opponents=one.opponents[:OPPONENTS],
        rule=found.listing.words(found.ratings),
        still=None,
        aliases=[name for name in aliases if name != one.who.name],
        number=number,
        elsewhere=_elsewhere(visit, found, number),
        ranks=published_ranks(visit, found.category, sorted(group)),
        first=first,
        step=NEWEST,
    )


class Elsewhere(NamedTuple):
    """What a player is in another category."""

    category: Category
    address: str
    rating: float
    games: int


def _elsewhere(visit: Visit, found: Sight, number: int) -> list[Elsewhere]:
    return [
        Elsewhere(
            one.category,
            ServerLinks(one.category.key).of(number),
            ratings.columns[ratings.fields[0]][k].item(),
            int(ratings.game_counts[k]),
        )
        for one, ratings, k in find_played_categories(visit.desk, number)
        if one.category.key != found.category.key
    ]


def _with_games(visit: Visit, found: Sight, number: int, one: Profile) -> ServerLinks:
    """Links that know the results behind the lines of a player."""
    results = find_results(visit.desk, found.whole, number)
    return ServerLinks(
        found.category.key,
        found.ids,
        played=found.ratings.table.duels,
        games=paired(one, results),
        revision=found.links.revision,
    )


def paired(one: Profile, results: list[int]) -> Mapping[int, int]:
    """The number of the result behind each line; none while the two disagree.

    They do for a moment when a result arrives between one look and the other.
    """
    if len(results) != len(one.lines):
        return {}
    return {line["row"]: number for line, number in zip(reversed(one.lines), results, strict=True)}


def games(visit: Visit) -> Response:
    """All games of a player as CSV."""
    found = seen(visit)
    one = found.profile(found.row(visit.number("player")))
    return Response(games_csv(one), media_type="text/csv; charset=utf-8")


def pair(visit: Visit) -> Response:
    """Two players against one another."""
    found = seen(visit)
    if not found.ratings.table.duels:
        raise NotFound("no_pairings", "only games between two players have pairs")
    i, j = found.row(visit.number("a")), found.row(visit.number("b"))
    if i == j:
        raise Refused("one_player", "nobody plays against himself: choose two players")
    games = games_between(found.ratings, i, j)
    met = build_meeting(found.ratings, games) if len(games.rows) else None
    a = found.profile(i)
    return framed(
        visit,
        found,
        "pair.html",
        "pair",
        links=_with_games(visit, found, visit.number("a"), a),
        a=a,
        b=found.profile(j),
        met=met,
        chances=neutral_forecast(found.ratings, i, j),
        stakes=find_stakes(found.ratings, i, j),
        games=list_games(found.ratings, games)[:NEWEST],
        still=None,
    )
