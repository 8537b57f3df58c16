"""Routes of pairs: head-to-head, pairings, forecasts, stakes, recommended games; one match."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from fastapi import Query
from starlette.responses import Response
from typing_extensions import TypedDict

from prowess.engine.leaderboard import UnknownPlayer
from prowess.live.api.calls import (
    AsOf,
    CategoryKey,
    JsonResponse,
    Reader,
    Revision,
    build_router,
    csv_route,
    page_response,
    view_response,
)
from prowess.live.api.category_view import (
    CategoryView,
    IntervalJson,
    RatedPageJson,
    RecordJson,
    SeenJson,
    view_as_of,
)
from prowess.live.api.encoding import Value, Values
from prowess.live.api.models import SentMatch
from prowess.live.errors import Conflict, Refused
from prowess.live.journal.journal import Journal
from prowess.live.journal.registry import LARGEST_SIDE
from prowess.present import methods, pairs
from prowess.study.pairings import Goal
from prowess.verbs.match import system

router = build_router("pairs")
Name = Annotated[str, Query(min_length=1, max_length=200, description="A name of the player.")]
Team = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=200)]],
    Query(min_length=1, max_length=LARGEST_SIDE, description="Players of a side, one or several."),
]
SomeName = Annotated[str | None, Query(min_length=1, max_length=200)]
Side = Annotated[float, Query(ge=-1, le=1, allow_inf_nan=False, description="1: the first has it.")]
PAIR_COLUMNS = (
    "a", "b", "games", "battles", "wins", "draws", "losses", "score", "low", "high", "expected",
    "surplus",
)  # fmt: skip


class TallyJson(TypedDict):
    a: str
    b: str
    games: int
    battles: float
    record: RecordJson
    score: Value
    interval: IntervalJson | None
    expected: Value
    surplus: Value


class HeadToHeadJson(SeenJson, TallyJson):
    by_side: dict[str, Any]
    list: list[Any]


class PairingsJson(RatedPageJson):
    items: list[dict[str, Any]]


class LikelyScoreJson(TypedDict):
    a: int
    b: int
    chance: float


class ScoresJson(TypedDict):
    goals: list[float]
    both_score: float
    line: float
    over: float
    under: float
    grid: list[list[float]]
    likeliest: list[LikelyScoreJson]
    note: NotRequired[str]


class ForecastJson(SeenJson):
    a: str | list[str]
    b: str | list[str]
    side: float
    expected: Value
    win: Value
    draw: Value
    loss: Value
    scores: NotRequired[ScoresJson]


class StakeJson(TypedDict):
    result: str
    player: Values
    opponent: Values


class AssessmentJson(SeenJson):
    player: str
    opponent: str
    side: float
    changes: list[StakeJson]


class WantedJson(TypedDict):
    player: str
    opponent: str
    battles: float
    expected: Value
    worth: Value
    days: Value
    why: str


class MatchJson(TypedDict):
    system: str
    ratings: dict[str, Values]
    change: Values
    expected: Values


class NextJson(RatedPageJson):
    goal: str
    items: list[WantedJson]


class CalibrationJson(SeenJson):
    judged: int
    scores: dict[str, Any]
    bins: list[Any]


@router.get(
    "/categories/{c}/head-to-head",
    summary="Compare two players by their games",
    response_model=HeadToHeadJson,
)
def head_to_head(
    c: CategoryKey,
    a: Name,
    b: Name,
    call: Reader,
    as_of: AsOf = None,
    revision: Revision = None,
) -> Response:
    """The games of two players from the view of `a`, by side and in total, with expected scores."""
    view = view_as_of(call.journal, c, as_of, revision)
    (one,), (other,) = _find_sides(call.journal, view, [a], [b])
    data = pairs.head_to_head_values(view.require_ratings(), one, other)
    return view_response(call, view, data)


@csv_route(router, "/categories/{c}/pairings", "List pairs that met", PairingsJson)
def pairings(c: CategoryKey, call: Reader, player: SomeName = None) -> Response:
    """Every pair that met, and pairs that did not; of one player, most met first. JSON or CSV.

    Without `player`, only for categories of at most 500 players.
    """
    view = view_as_of(call.journal, c)
    ratings = view.require_ratings()
    more: dict[str, object] = {}
    if player is None:
        table = pairs.find_pairing_table(ratings)
        rows = [pairs.pair_values(one) for one in table.pairs]
        more = {"holes": [list(pair) for pair in table.holes], "level": table.level}
        columns = list(rows[0]) if rows else list(PAIR_COLUMNS)
        flat = rows
    else:
        rows = pairs.opponent_values(ratings, view.row(call.journal, player))
        columns = list(PAIR_COLUMNS)
        flat = [row | row["record"] | (row["interval"] or {}) for row in rows]
    return page_response(
        call,
        rows,
        view=view,
        head=more,
        columns=columns,
        flat=flat,
    )


@router.get("/categories/{c}/forecast", summary="Forecast a game", response_model=ForecastJson)
def forecast(
    c: CategoryKey,
    a: Team,
    b: Team,
    call: Reader,
    side: Side = 0.0,
    as_of: AsOf = None,
    revision: Revision = None,
) -> Response:
    """Forecast a game of `a` against `b`; 422 `no_model` if the system has no forecast.

    Name a team by several players: `a=Ann&a=Bob&b=Cid&b=Dee`. `draw` is null if the system has no
    model of draws. A system of goals adds `scores`: `grid` has the chance of every score, goals of
    `a` by goals of `b`.
    """
    view = view_as_of(call.journal, c, as_of, revision)
    first, second = _find_sides(call.journal, view, a, b)
    data = pairs.forecast_game(view.require_ratings(), first, second, side, grid=True)
    return view_response(call, view, data)


@router.get(
    "/categories/{c}/assess", summary="Show what a game would change", response_model=AssessmentJson
)
def assess(
    c: CategoryKey,
    player: Name,
    opponent: Name,
    call: Reader,
    side: Side = 0.0,
) -> Response:
    """The rating changes of both players after a win, a draw and a loss, by the system."""
    view = view_as_of(call.journal, c)
    fields, ratings = ("player", "opponent"), view.require_ratings()
    (one,), (other,) = _find_sides(call.journal, view, [player], [opponent], fields)
    names = {"player": ratings.players[one], "opponent": ratings.players[other]}
    data = names | {"side": side, "changes": pairs.stake_values(ratings, one, other, side)}
    return view_response(call, view, data)


@router.get(
    "/categories/{c}/next",
    name="worth_playing",
    summary="List games worth playing next",
    response_model=NextJson,
)
def next_games(
    c: CategoryKey,
    call: Reader,
    goal: Goal = "ranking",
    budget: Annotated[int, Query(ge=1, le=100)] = 10,
    player: SomeName = None,
) -> Response:
    """Recommended games, best first, each with the reason.

    `coverage`: pairs that met least; `ranking`: games that are most informative for the ranking;
    `balance`: even games, every player once before any twice; `closeness`: the most even games;
    `rest`: pairs that have not met for longest. `days` are those since the pair met.
    """
    view = view_as_of(call.journal, c)
    k = None if player is None else view.row(call.journal, player)
    rows = pairs.next_battle_values(view.require_ratings(), goal, budget, k)
    return page_response(call, rows, view=view, head={"goal": goal})


@router.get(
    "/categories/{c}/calibration", summary="Judge past forecasts", response_model=CalibrationJson
)
def calibration(c: CategoryKey, call: Reader) -> Response:
    """Calibration of forecasts on the games of this ladder, each made from earlier games."""
    view = view_as_of(call.journal, c)
    data = methods.calibration_values(view.require_ratings())
    return view_response(call, view, data)


@router.post("/rate", summary="Rate one match without the store", response_model=MatchJson)
def rate_match(sent: SentMatch, call: Reader) -> Response:
    """Rate one match: ratings in, ratings out; nothing is read from the store and nothing is kept.

    The numbers are those of `prowess.system(...).update(...)`, and of a table of this match alone.
    `ratings` of the answer are `ratings` of the next request. `change` is by player what the match
    and the time before it did to the rating, `expected` the score that was expected of the
    player's side; in a contest of many it is the mean against the others. It needs no token, unless
    reading does.

    A name that looks like one of `ratings` is refused (409 `look_alike`) unless `new` has it.
    """
    rater = system(sent.system, **sent.params)
    if (sent.result is None) == (sent.places is None):
        raise Refused.of("bad_value.outcome", field="result")
    try:
        rated = rater.update(
            sent.line_ups,
            sent.result,
            places=sent.places,
            ratings=sent.ratings,
            side=sent.side,
            days=sent.days,
            new=sent.new,
        )
    except UnknownPlayer as error:
        raise Conflict("look_alike", str(error), field="sides") from None
    return JsonResponse({"system": sent.system, **rated.to_dict()})


def _find_sides(
    journal: Journal, view: CategoryView, a: list[str], b: list[str],
    fields: tuple[str, str] = ("a", "b"),
) -> tuple[list[int], list[int]]:  # fmt: skip
    """The roster rows of the players of two sides; raises Refused for one named twice."""
    one, other = (
        [view.row(journal, name, field) for name in names]
        for field, names in zip(fields, (a, b), strict=True)
    )
    if len({*one, *other}) < len(a) + len(b):
        said = "same_player.pair" if len(a) + len(b) == 2 else "same_player.sides"
        raise Refused.of(said, field=fields[1])
    return one, other
