"""Elo: the winner takes points from the loser; the bigger the upset, the more.

Formula   E_A  = 1 / (1 + 10^((R_B - R_A) / 400))
          R_A' = R_A + K (S_A - E_A)
          sides of several: R is the mean of the members' ratings, weighted by their shares, and
          each member gets a share of the change
          federation_elo: each player has a K of their own, and
          R'   = max(R', best ever - floor_drop), then best ever = max(best ever, R')
          season_elo: at the first game of a season R' = keep R + (1 - keep) mean for all
Source    "Rating Algorithms" (lecture slides: Elo, CodeChef's contest rating, a ratio form),
          both displays and the pseudo-code; "Arimaa Rating System", arimaa.com. Extras of
          federations: W. D. Smith, "Rating systems for gameplayers, and learning", technical
          report 93-104-3-0058-5, 28 July 1994, section 8.2; the way K falls with games and
          rating: FIDE Rating Regulations, section 8.3.3. season_elo: N. Silver and
          R. Fischer-Baum, "How We Calculate NBA Elo Ratings", FiveThirtyEight, 21 May 2015: keep
          3/4 (NFL 2/3), mean 1505, K 20.
Units     rating, K, advantage, floor_drop, mean: points; scale: points of odds of ten to one
          (400); a game has no duration, so time does nothing.
Differs   draws count 1/2, and both players are judged by the ratings before the game.
          The side advantage is added to the rating before E; 0 gives the source's system.
          In a contest of n each pair counts 1 / (n - 1), so a contest moves a rating by at
          most K. All extras of federation_elo are off until their parameter is set: with the
          defaults it is Elo. The sources rate players only; a side of several is its mean, so
          that equal members change alike, sides of equal size keep the sum, and sides of unequal
          size can be compared (sums would say that two players of 1500 beat one of 2900). A
          starting rating counts as a best ever rating. The report gives
          no formula for bonus points: `federation` takes the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from types import MappingProxyType
from typing import Annotated, NamedTuple

from prowess.engine.numeric import score_by_points
from prowess.engine.params import Advantage, EloStart, K, Scale
from prowess.engine.system import (
    Dynamic,
    Fact,
    Game,
    Range,
    credit_change,
    negated,
    share_of_contest,
)


class Params(NamedTuple):
    k: K = 32.0
    scale: Scale = 400.0
    advantage: Advantage = 0.0
    start: EloStart = 1500.0


class Rating(NamedTuple):
    rating: float = 1500.0


class Side(NamedTuple):
    rating: float = 0.0  # sum of share x rating
    members: float = 0.0  # sum of shares


class Evidence(NamedTuple):
    change: Annotated[float, negated] = 0.0  # K (S - E)


def part(p: Params, me: Rating, share: float) -> Side:
    """A member's part of a side."""
    return Side(share * me.rating, share)


def expected_score(p: Params, mine: Side, theirs: Side, game: Game) -> float:
    """E, by the means of both sides."""
    gap = mine.rating / mine.members - theirs.rating / theirs.members
    return score_by_points(gap + p.advantage * game.side, p.scale)


def evidence(p: Params, mine: Side, theirs: Side, game: Game) -> Evidence:
    """The points that this game contributes."""
    return Evidence(p.k * (game.score - expected_score(p, mine, theirs, game)))


def due(p: Params, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    """A member's points."""
    return Evidence(share * one.change)


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """The rating after the points of the round."""
    return Rating(me.rating + total.change)


ELO = Dynamic(
    name="elo",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    side=Side(),
    part=part,
    evidence=evidence,
    due=due,
    absorb=absorb,
    credit=credit_change,
    pair_weight=share_of_contest,
    keeps_sum=True,
)


class SeasonParams(NamedTuple):
    k: K = 20.0
    scale: Scale = 400.0
    advantage: Advantage = 0.0
    start: EloStart = 1500.0
    keep: Annotated[float, Range(0, 1), "part of a lead that a new season keeps"] = 0.75
    mean: Annotated[
        float,
        Range(0, 4000, "points; 0: that of all players"),
        "rating to which a season draws all",
    ] = 0.0


def begin_season(p: SeasonParams, me: Rating, field: Rating) -> Rating:
    """The rating with a part of its lead over the mean."""
    mean = field.rating if p.mean == 0.0 else p.mean
    return Rating(p.keep * me.rating + (1.0 - p.keep) * mean)


SEASON_ELO = replace(
    ELO,
    name="season_elo",
    summary="Season Elo: Elo, and a new season takes a part of each lead over the mean away.",
    params=SeasonParams(),
    season=begin_season,
)


class FederationParams(NamedTuple):
    k: K = 32.0
    k_new: Annotated[float, Range(0, 200, "points", (0.0, 10_000.0)), "K of a newcomer"] = 40.0
    new_games: Annotated[
        float, Range(0, 200, "games; 0: no newcomers"), "games for which a player is a newcomer"
    ] = 0.0
    k_high: Annotated[float, Range(0, 200, "points", (0, 10_000)), "K from the high rating on"] = (
        10.0
    )
    high_rating: Annotated[
        float,
        Range(0, 4000, "points; 0: never", (0, 100_000)),
        "best rating from which K is k_high",
    ] = 0.0
    floor_drop: Annotated[
        float, Range(0, 2000, "points; 0: no floor"), "most that a rating falls below its best"
    ] = 0.0
    scale: Scale = 400.0
    advantage: Advantage = 0.0
    start: EloStart = 1500.0
    young_age: Annotated[
        float, Range(0, 100, "years; 0: no player is young"), "age up to which a player is young"
    ] = 0.0
    young_rating: Annotated[
        float,
        Range(0, 4000, "points; 0: any", (0, 100_000)),
        "rating below which the young have k_new",
    ] = 0.0


class FederationRating(NamedTuple):
    rating: float = 1500.0
    # the player's own K, points; 0: by the rules for all
    k: Annotated[float, Fact(limits=(0.0, 10_000.0))] = 0.0
    games: float = 0.0
    best: float = 1500.0  # ever, points
    age: Annotated[float, Fact("born", years=True)] = 0.0  # reached in this year; 0: not known
    games_before: Annotated[float, Fact(limits=(0.0, inf))] = 0.0  # rated elsewhere


class FederationEvidence(NamedTuple):
    change: float = 0.0  # K (S - E) and the bonus
    games: float = 0.0


KOf = Callable[[FederationParams, FederationRating], float]
Bonus = Callable[[FederationRating, FederationRating, Game], float]

SHARE_TOLERANCE = 1e-6  # games; the shares of a contest add up to one game only within rounding


def federation_newcomer(p: FederationParams) -> FederationRating:
    """The rating of a player without a game."""
    return FederationRating(p.start, 0.0, 0.0, p.start, 0.0, 0.0)


def scheduled_k(p: FederationParams, me: FederationRating) -> float:
    """The player's own K if set, else k_new of the new and young, else k_high once rated high, else
    k.
    """
    if me.k > 0.0:
        return me.k
    if me.games + me.games_before < p.new_games - SHARE_TOLERANCE:
        return p.k_new
    low = p.young_rating <= 0.0 or me.rating < p.young_rating
    if low and 0.0 < me.age <= p.young_age:
        return p.k_new
    if p.high_rating > 0.0 and max(me.rating, me.best) >= p.high_rating:
        return p.k_high
    return p.k


def federation_expected(
    p: FederationParams, me: FederationRating, opponent: FederationRating, game: Game
) -> float:
    """E between two players."""
    gap = me.rating - opponent.rating
    return score_by_points(gap + p.advantage * game.side, p.scale)


def no_bonus(me: FederationRating, opponent: FederationRating, game: Game) -> float:
    """No bonus: 0 points."""
    return 0.0


def federation_absorb(
    p: FederationParams, me: FederationRating, total: FederationEvidence
) -> FederationRating:
    """The rating after the points of the round, not below the floor."""
    rating = me.rating + total.change
    best = max(me.best, me.rating)
    if p.floor_drop > 0.0:
        rating = max(rating, best - p.floor_drop)
    games, best = me.games + total.games, max(best, rating)
    return FederationRating(rating, me.k, games, best, me.age, me.games_before)


def federation(
    k_of_rating: Callable[[float], float] | None = None, bonus: Bonus | None = None
) -> Dynamic:
    """Elo with the extras of federations and, optionally, the caller's own K and bonus.

    `k_of_rating(rating)` returns K in points and takes the place of the rules in the
    parameters; a player's own K still goes first. `bonus(me, opponent, game)` returns points
    that are added to what the game brings. Both must be plain functions of numbers.
    """
    k_of: KOf = scheduled_k
    if k_of_rating is not None:
        k_by_rating = k_of_rating

        def k_of(p: FederationParams, me: FederationRating) -> float:
            return me.k if me.k > 0.0 else k_by_rating(me.rating)

    extra = no_bonus if bonus is None else bonus

    def federation_evidence(
        p: FederationParams, me: FederationRating, opponent: FederationRating, game: Game
    ) -> FederationEvidence:
        change = k_of(p, me) * (game.score - federation_expected(p, me, opponent, game))
        return FederationEvidence(change + extra(me, opponent, game), 1.0)

    reasons = {"sum": "each player has an own K, and floors and bonuses add points"}
    if bonus is not None:
        for law in ("win_never_lowers", "loss_never_raises", "monotone"):
            reasons[law] = "the bonus is the user's"
    return Dynamic(
        name="federation_elo",
        summary="Federation Elo: Elo with a K of each player, by games, rating, age; and a floor.",
        params=FederationParams(),
        rating=FederationRating(),
        evidence_zero=FederationEvidence(),
        expected=federation_expected,
        evidence=federation_evidence,
        absorb=federation_absorb,
        newcomer=federation_newcomer,
        credit=credit_change,
        pair_weight=share_of_contest,
        rest="floor",
        inner=("k", "age", "games_before"),  # 0 where no table of players says them
        breaks=MappingProxyType(reasons),
    )


FEDERATION_ELO = federation()
