"""Ratings: the leaderboard, a player, the player's history, and why a result moved them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NotRequired

import numpy as np
from fastapi import Query
from starlette.responses import Response
from typing_extensions import TypedDict

from prowess.engine.fit import NoModel
from prowess.engine.rate import DynamicRatings
from prowess.live.api.calls import (
    AsOf,
    CategoryKey,
    Cursor,
    Include,
    Limit,
    Number,
    Player,
    Reader,
    Revision,
    build_router,
    csv_route,
    make_cursor,
    page_response,
    parse_cursor,
    view_response,
)
from prowess.live.api.category_view import (
    CategoryView,
    RatedPageJson,
    RatedPlayerJson,
    SeenJson,
    check_public,
    find_results,
    find_unplayed,
    view_as_of,
)
from prowess.live.api.encoding import Value, Values
from prowess.live.api.serializers import Members
from prowess.live.errors import Conflict, NotFound, Refused
from prowess.live.journal.journal import Journal
from prowess.live.result import COUNTS
from prowess.live.store.visibility import find_visible_versions
from prowess.present import boards, players
from prowess.present.listing import Listing

router = build_router("ratings")
MOST_EXPLAINED = 20  # players of a contest who are explained at once
HISTORY_FIELDS = (
    "number", "result", "date", "opponents", "score", "expected", "before", "after", "change",
    "partners",
)  # fmt: skip


class RankedJson(RatedPlayerJson):
    rank: int


class LeaderboardJson(RatedPageJson):
    unplayed: NotRequired[list[str]]
    items: list[RankedJson]


class StandingJson(SeenJson, RatedPlayerJson):
    rank: int | None
    percentile: Value
    of: int
    peak: dict[str, Any] | None


class OpponentsJson(TypedDict):
    players: Members
    rating: Value
    player: NotRequired[str]


class StepJson(TypedDict):
    result: int | None
    number: int
    date: str | None
    opponents: list[OpponentsJson]
    partners: Members
    score: Value
    expected: Value
    before: Value
    after: Value
    change: Value
    terms: Values
    values: Values


class HistoryJson(RatedPageJson):
    player: str
    items: list[StepJson]


class ExplainedJson(StepJson):
    player: str


class WhyJson(TypedDict):
    revision: int
    category: str
    result: int
    players: list[ExplainedJson]


@csv_route(router, "/categories/{c}/leaderboard", "Show the leaderboard", LeaderboardJson)
def leaderboard(
    c: CategoryKey,
    call: Reader,
    as_of: AsOf = None,
    revision: Revision = None,
    include: Include = "listed",
    min_games: Annotated[int, Query(ge=0, le=10**9)] = 0,
    active: Annotated[bool, Query(description="Only players who are not inactive.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Players by rating, best first; JSON or CSV.

    Listed and ranked are those who are neither provisional nor inactive, as on the page; everybody
    while hardly anybody is, and with `include=all`. Filters work before ranks are given, too.
    `interval` and `rank_interval` are null where the system does not say how sure it is. Where a
    whole-table system could not be fitted `trouble` says why: its last fit is shown, that of
    revision `applied`, or, where there is none, the `interim` ratings of the usual dynamic system;
    `waiting` results are not in a fit. `unplayed`, on the first page, are the players who were
    added and have no game yet. In CSV a value of the system called games is `own_games`.
    """
    view = view_as_of(call.journal, c, as_of, revision)
    place = parse_cursor(cursor, float, int)
    added: dict[str, Any] = {}
    if place is None and (unplayed := find_unplayed(call.journal, view)):
        added["unplayed"] = list(map(call.journal.name, unplayed))
    if view.ratings is None:
        return page_response(call, [], view=view, head=added)
    ratings = view.ratings
    among = Listing() if include == "all" else view.among
    since = view.rule.since if active else among.since
    board = boards.rank_listed(ratings, Listing(max(min_games, among.min_games), since))
    strength = ratings.strength
    first = 0
    if place is not None:
        ordered = strength[board.order]
        value, number = place
        later = boards.player_numbers(ratings)[board.order] > number
        worse = (ordered < value) | ((ordered == value) & later)
        first = int(np.argmax(worse)) if worse.any() else len(ordered)
    places = range(first, min(first + limit, len(board.order)))
    rows = [
        boards.build_standing(ratings, board, view.rule, int(board.order[place]), place)
        for place in places
    ]
    more = None
    if first + limit < len(board.order):
        last = int(board.order[first + limit - 1])
        more = make_cursor(float(strength[last]), int(boards.player_numbers(ratings)[last]))
    flat = [boards.flatten_row(row) for row in rows]
    return page_response(
        call,
        rows,
        more,
        view=view,
        head={"players": len(board.order)} | added,
        columns=list(flat[0]) if flat else ["rank", "player"],
        flat=flat,
    )


@csv_route(
    router,
    "/categories/{c}/players/{player}/history",
    "List a player's results, explained",
    HistoryJson,
)
def history(
    c: CategoryKey,
    player: Player,
    call: Reader,
    as_of: AsOf = None,
    revision: Revision = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Every result of a player, newest first: expected score, before, after, and `terms`.

    The terms add up to the change. `opponents` are the other sides, each with its
    `players` (and `player` where it is one), `partners` the other players of the own side.
    422 `no_model` for a whole-table system.
    """
    view = view_as_of(call.journal, c, as_of, revision)
    (before,) = parse_cursor(cursor, int) or (None,)
    entries = _history(call.journal, view, player)[::-1]
    if before is not None:
        entries = [one for one in entries if one["number"] < before]
    more = make_cursor(entries[limit - 1]["number"]) if len(entries) > limit else None
    rows = entries[:limit]
    flat = [
        {name: one[name] for name in HISTORY_FIELDS}
        | {
            "opponents": "; ".join(_side_text(each["players"]) for each in one["opponents"]),
            "partners": _side_text(one["partners"]),
        }
        for one in rows
    ]
    return page_response(
        call,
        rows,
        more,
        view=view,
        head={"player": call.journal.name(call.journal.registry.people.find(player))},
        columns=HISTORY_FIELDS,
        flat=flat,
    )


@router.get(
    "/categories/{c}/players/{player}",
    name="one",
    summary="Show a player's rating",
    response_model=StandingJson,
)
def show_player(
    c: CategoryKey,
    player: Player,
    call: Reader,
    as_of: AsOf = None,
    revision: Revision = None,
    include: Include = "listed",
) -> Response:
    """One player: rating, rank, percentile, peak and record.

    Rank and percentile are among the players whom the leaderboard lists; null for a player who is
    not listed.
    """
    view = view_as_of(call.journal, c, as_of, revision)
    k = view.row(call.journal, player)
    ratings = view.require_ratings()
    try:
        steps = players.player_steps(ratings, k)
    except NoModel:
        steps = ()
    data = players.profile_values(
        ratings, k, view.rule, Listing() if include == "all" else view.among, steps
    )
    return view_response(call, view, data)


@router.get(
    "/categories/{c}/why/{number}", summary="Explain what a result changed", response_model=WhyJson
)
def why(
    c: CategoryKey,
    number: Number,
    call: Reader,
    player: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """The rating changes of a result, in terms that add up to the change."""
    view = view_as_of(call.journal, c)
    with call.journal.store.read() as connection:
        found = find_visible_versions(connection, number, call.actor)
    if not found or (row := found[-1].result).category != view.category.id:
        raise NotFound.of("no_such_result.of_category", category=c, number=number)
    if row.state != COUNTS:
        raise Conflict.of("wrong_state.changed", number=number)
    people = call.journal.registry.people
    names = [*map(call.journal.name, row.players)]
    if player is not None:
        called = call.journal.name(people.find(player))
        if called not in names:
            check_public(call.journal, player, people.find(player))
            raise NotFound.of("not_rated.result", number=number, name=called, field="player")
        names = [called]
    if len(names) > MOST_EXPLAINED:
        raise Refused.of("too_many_players.explained", count=len(names), field="player")
    explained = [
        {"player": name} | one
        for name in dict.fromkeys(names)
        for one in _history(call.journal, view, name, number)
    ]
    data = {"category": c, "result": number, "players": explained}
    return view_response(call, view, data, head=False)


def _history(
    journal: Journal, view: CategoryView, player: str, result: int | None = None
) -> list[dict[str, Any]]:
    """The entries of a player's history, oldest first, or of one result of it alone."""
    k, ratings = view.row(journal, player), view.require_ratings()
    numbers = find_results(view, journal.registry.people.find(player))
    if result is None or not isinstance(ratings, DynamicRatings):
        return players.build_history(ratings, k, players.player_steps(ratings, k), numbers)
    if result not in numbers:
        return []
    place = numbers.index(result)
    steps = players.result_steps(ratings, k, place)
    return players.build_history(ratings, k, steps, [result], place + 1)


def _side_text(members: Iterable[Any]) -> str:
    """Format the names of a side."""
    return " & ".join(one if isinstance(one, str) else one["player"] for one in members)
