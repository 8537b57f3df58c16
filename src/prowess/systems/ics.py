"""Internet chess server rules: newcomers get the mean of their games' values, others Elo.

Formula   provisional (n < 20 games before this one): the game is worth, with o = 1, 0, -1,
          opponent + 400 o           against an established opponent,
          (own + opponent)/2 + 200 o against a provisional one;
          rating = mean of all values so far + (1720 - m) / 10,
          m = mean rating of the established before the game
          established: R' = R + (h/2) (S - wp(R - R_opp)) f, wp(x) = 1 / (1 + 10^(-x / 400)),
          f = n_opp / 20 if the opponent is provisional, else 1
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, section 7; the update is EQ 66 and 68.
Units     rating, h, target, advantage: points; scale: points of odds of ten to one; games;
          active_days: days.
Differs   the correction is added once to the mean each time it is taken, never stored in the
          values; it is left out while no player is established. The rating of the moment is kept
          when a player becomes established. Active means seen within active_days (0: ever).
          A score between a draw and a win has o = 2 S - 1. The side advantage is taken off the
          opponent's rating; 0 gives the server's rules.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, NamedTuple

from prowess.engine.numeric import score_by_points
from prowess.engine.params import Advantage, EloStart, H, Scale
from prowess.engine.system import Dynamic, Game, League, Range

WIN_OVER_ESTABLISHED = 400.0  # points above the opponent's rating
WIN_OVER_PROVISIONAL = 200.0  # points above the mean of both ratings
PULL = 10.0  # a tenth of the gap between target and mean goes to a newcomer


class Params(NamedTuple):
    h: H = 64.0
    scale: Scale = 400.0
    established: Annotated[
        float, Range(1, 100, "games"), "games after which a player is established"
    ] = 20.0
    start: EloStart = 1600.0
    target: Annotated[
        float,
        Range(0, 4000, "points"),
        "mean rating of the established, to which newcomers are corrected",
    ] = 1720.0
    active_days: Annotated[
        float,
        Range(0, 36500, "days; 0: for ever"),
        "idle time after which that mean leaves a player out",
    ] = 0.0
    advantage: Advantage = 0.0


class Rating(NamedTuple):
    rating: float = 1600.0
    games: float = 0.0
    values: float = 0.0  # sum of the values of the provisional games, points


class Evidence(NamedTuple):
    change: float = 0.0  # points, for the established
    values: float = 0.0  # points, for the provisional
    games: float = 0.0


class Established(NamedTuple):
    """The established active players of the league."""

    players: float = 0.0
    ratings: float = 0.0  # sum


def standing(p: Params, me: Rating) -> Established:
    """A player's part of the league's sums."""
    return Established(1.0, me.rating) if me.games >= p.established else Established(0.0, 0.0)


def expected_score(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """wp: the expected score."""
    return score_by_points(me.rating - opponent.rating + p.advantage * game.side, p.scale)


def value(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """The rating that one game suggests for a provisional player."""
    outcome = 2.0 * game.score - 1.0
    theirs = opponent.rating - p.advantage * game.side
    if opponent.games >= p.established:
        return theirs + WIN_OVER_ESTABLISHED * outcome
    return 0.5 * (me.rating + theirs) + WIN_OVER_PROVISIONAL * outcome


def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """The value of the game for a provisional player, the change for an established one."""
    if me.games < p.established:
        return Evidence(0.0, value(p, me, opponent, game), 1.0)
    trust = min(opponent.games / p.established, 1.0)
    surplus = game.score - expected_score(p, me, opponent, game)
    return Evidence(0.5 * p.h * surplus * trust, 0.0, 1.0)


def absorb(p: Params, me: Rating, total: Evidence, league: Established) -> Rating:
    """The mean of all values and the correction, or the rating and its change."""
    games = me.games + total.games
    if me.games >= p.established or games <= 0.0:
        return Rating(me.rating + total.change, games, me.values)
    values = me.values + total.values
    correction = 0.0
    if league.players > 0.0:
        correction = (p.target - league.ratings / league.players) / PULL
    return Rating(values / games + correction, games, values)


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points that one game contributed: its effect on the mean, without the correction."""
    if me.games >= p.established:
        return one.change
    return (one.values - one.games * me.rating) / after.games


ICS = Dynamic(
    name="ics",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    evidence=evidence,
    absorb=absorb,
    credit=credit,
    inner=("values",),
    league=League(Established(), standing, "active_days"),
    clock="1d",
    follows_period=False,
    weights=False,
    rest="correction towards the target mean",
    breaks=MappingProxyType(
        {
            "win_never_lowers": "a provisional rating is a mean, which a win worth less lowers",
            "loss_never_raises": "a provisional rating is a mean, which a loss worth more raises",
            "sum": "a provisional rating takes no points from opponents",
        }
    ),
)
