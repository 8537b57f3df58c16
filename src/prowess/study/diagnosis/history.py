"""The history of a league that every check receives, and the observation that it returns.

A calibrated curve is the system's own curve with the scale that fits the games of established
players best. Ratings have errors, so a gap of 400 points is worth less than the curve says. Checks
use the calibrated curve, so that noise of ratings is not reported as a fault of a player.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.numeric import LN10
from prowess.engine.params import display_settings
from prowess.engine.rate import rate
from prowess.engine.run import watch_for
from prowess.engine.state import newcomer
from prowess.engine.system import Dynamic, Game, Unratable
from prowess.engine.win_probability import steepness
from prowess.games.dates import format_date
from prowess.games.errors import WordedError
from prowess.games.games import Games
from prowess.games.reading import format_count
from prowess.games.runs import repeat_rows
from prowess.study.backtest import WARM_UP_SHARE
from prowess.study.diagnosis.evidence import CurveFit, blocks_of, expected_on_curve, fit_curve
from prowess.study.forecasting.contenders import forecasts_before

ESTABLISHED = 30  # games of an established player
TIME_SPANS = 16  # equal parts of the time of a table

LEAST_JUDGED = 300  # games for a calibrated curve


class TooFew(WordedError, ValueError):
    """The table has too few games (or other data) for a check."""


@dataclass(frozen=True)
class Observation:
    """The result of one check before adjustment for the number of checks.

    `calm` is the text if nothing is wrong, `alarm` otherwise. `p` is None for counts that involve
    no chance (duplicated rows) and for descriptions. `size` is the effect, which is compared with
    the limits of the check; None for descriptions.
    """

    calm: str
    alarm: str
    numbers: dict[str, Any]
    method: str
    p: float | None = None
    size: float | None = 1.0


@dataclass(frozen=True, eq=False)
class CalibratedCurve:
    """The curve fitted to the judged games; `expected` is its forecast of every game, [n]."""

    fit: CurveFit
    expected: Floats
    surplus: Floats  # score of a - expected

    @property
    def scale(self) -> float:
        """Below 1: gaps are worth less than the system says."""
        return float(self.fit.theta[0])


class Appearances(NamedTuple):
    """Every game twice, once for each player; sorted by player, then in order of play, [2 n]."""

    player: Ids
    row: Ids
    first: Truths  # whether this is the first player of the game
    age: Ids  # games played before
    before: Floats  # rating, points
    after: Floats


@dataclass(frozen=True, eq=False)
class LeagueHistory:
    """A table of games as a system rated it; columns have one entry a game, [n].

    Ratings are those before the game, in points. `games` is in the order of play. `theory` says
    whether checks compare with the formulas of `prowess.theory`, `seed` is that of resamplings.
    """

    games: Games
    system: Dynamic
    p: Any
    period: str | None
    final: Floats  # [players]
    rating_a: Floats
    rating_b: Floats
    expected: Floats  # of the system
    theory: bool = False
    seed: int = 0

    @cached_property
    def a(self) -> Ids:
        """The first player of each game."""
        return self.games.a.astype(np.int64)

    @cached_property
    def b(self) -> Ids:
        """The second player of each game."""
        return self.games.b.astype(np.int64)

    @cached_property
    def pair(self) -> Ids:
        """The pair of each game as a number: the lower player times the players, plus the other."""
        return np.minimum(self.a, self.b) * len(self.final) + np.maximum(self.a, self.b)

    def name_pair(self, pair: int) -> dict[str, Any]:
        """Return the two players of a pair, as a row about it begins."""
        one, other = divmod(int(pair), len(self.final))
        return {"player": self.games.players[one], "opponent": self.games.players[other]}

    @cached_property
    def side(self) -> Floats:
        """+1, 0, -1 as in the table; 0 where unknown."""
        return np.zeros(len(self.games)) if self.games.side is None else self.games.side

    @cached_property
    def weight(self) -> Floats:
        """The weight of each game."""
        return np.ones(len(self.games)) if self.games.weight is None else self.games.weight

    @cached_property
    def appearances(self) -> Appearances:
        """The same games player by player."""
        n = len(self.games)
        player = np.concatenate((self.a, self.b))
        row = np.tile(np.arange(n, dtype=np.int64), 2)
        order = np.lexsort((row, player))
        player, row = player[order], row[order]
        before = np.concatenate((self.rating_a, self.rating_b))[order]
        begins = np.flatnonzero(np.append(True, player[1:] != player[:-1]))
        counts = np.diff(np.append(begins, 2 * n))
        age = np.arange(2 * n, dtype=np.int64) - repeat_rows(begins, counts)
        after = np.append(before[1:], 0.0)
        last = np.append(begins[1:], 2 * n) - 1
        after[last] = self.final[player[last]]
        return Appearances(player, row, order < n, age, before, after)

    @cached_property
    def ages(self) -> tuple[Ids, Ids]:
        """Games played before by the first and by the second player, [n] each."""
        who = self.appearances
        a, b = np.zeros(len(self.games), np.int64), np.zeros(len(self.games), np.int64)
        a[who.row[who.first]] = who.age[who.first]
        b[who.row[~who.first]] = who.age[~who.first]
        return a, b

    @cached_property
    def judged(self) -> Truths:
        """Which games are of two established players and after the warm-up."""
        a, b = self.ages
        late = np.arange(len(self.games), dtype=np.int64) >= WARM_UP_SHARE * len(self.games)
        return late & (a >= ESTABLISHED) & (b >= ESTABLISHED)

    def refuse_few_judged(self) -> None:
        """Raise TooFew if the judged games do not determine a curve."""
        if (count := int(self.judged.sum())) < LEAST_JUDGED:
            raise TooFew.of("too_few.judged", games=format_count(count, "game"), least=LEAST_JUDGED)

    @cached_property
    def blocks(self) -> Ids:
        """The block of each judged game, in order."""
        return blocks_of(int(self.judged.sum()))

    @cached_property
    def gap(self) -> Floats:
        """Rating of a minus rating of b, points.

        If forecasts do not depend on differences: log odds of the forecast on the same scale.
        """
        if self.by_difference:
            return self.rating_a - self.rating_b
        sure = np.clip(self.expected, 1e-12, 1.0 - 1e-12)
        return (np.log(sure) - np.log1p(-sure)) * self.scale / log(10.0)

    @cached_property
    def by_difference(self) -> bool:
        """Whether forecasts stay as they are when both ratings rise by the same number."""
        me = newcomer(self.system, self.p)

        def between(strong: float, weak: float) -> float:
            both = (me._replace(rating=me.rating + points) for points in (strong, weak))
            mine, theirs = (self.system.alone(self.p, one) for one in both)
            return float(self.system.expected(self.p, mine, theirs, Game()))

        return abs(between(600.0, 450.0) - between(100.0, -50.0)) < 1e-9

    @property
    def curve(self) -> int:
        """The number of the system's curve; the logistic one if it has no such parameter."""
        return int(getattr(self.p, "curve", 0))

    @property
    def scale(self) -> float:
        """Points of odds of ten to one."""
        return float(getattr(self.p, "scale", 400.0))

    @property
    def q(self) -> float:
        """Natural units a point of the curve."""
        return steepness(self.curve, self.scale)

    @property
    def unit(self) -> float:
        """Points of odds of e to one, the unit of effects."""
        return self.scale / LN10

    @cached_property
    def features(self) -> Floats:
        """(gap, side) in natural units, [n, 2]."""
        return np.stack((self.gap / self.unit, self.side), axis=1)

    @cached_property
    def calibration(self) -> CalibratedCurve:
        """The system's curve fitted to its judged games."""
        rows = self.judged
        fit = fit_curve(self.curve, self.features[rows], self.games.score[rows], self.weight[rows])
        chance = expected_on_curve(self.curve, self.features @ fit.theta)
        return CalibratedCurve(fit, chance, self.games.score - chance)

    @cached_property
    def established(self) -> Ids:
        """Players with enough games at the end."""
        count = np.bincount(self.appearances.player, minlength=len(self.final))
        return np.flatnonzero(count >= ESTABLISHED)

    @cached_property
    def dated(self) -> Floats | None:
        """The days of the games; None without dates, or if all games are of one moment."""
        time = self.games.time
        return None if time is None or not time[-1] > time[0] else time

    @cached_property
    def span(self) -> Ids:
        """The span of time of each game, from 0; spans are equally long."""
        time = self.dated
        if time is None:
            return np.arange(len(self.games), dtype=np.int64) * TIME_SPANS // len(self.games)
        share = (time - time[0]) / (time[-1] - time[0])
        number: Ids = np.minimum((share * TIME_SPANS).astype(np.int64), TIME_SPANS - 1)
        return number

    @cached_property
    def years(self) -> float | None:
        """Years from the first game to the last; None without dates."""
        time = self.dated
        return None if time is None else float(time[-1] - time[0]) / 365.2425

    @cached_property
    def unit_step(self) -> float:
        """h: twice the median change of a rating per point of surplus; 0 without data."""
        moved = self.appearances.after - self.appearances.before
        who = self.appearances
        own = np.where(who.first, 1.0, -1.0) * (self.games.score - self.expected)[who.row]
        old = (who.age >= ESTABLISHED) & (np.abs(own) > 0.05)
        return 2.0 * float(np.median(moved[old] / own[old])) if old.any() else 0.0

    def day(self, row: int) -> str | None:
        """Return the date of a game; None without dates."""
        time = self.games.time
        return None if time is None else format_date(float(np.floor(time[row])))

    def moment(self, share: float) -> dict[str, float]:
        """Return the day since 1970, or the game, at that share of the time of the table."""
        time = self.dated
        if time is None:
            return {"game": share * len(self.games)}
        return {"day": float(time[0] + share * (time[-1] - time[0]))}

    def rated_again(self, **params: Any) -> Floats:
        """Return the forecasts of the same system with other settings, in the same order."""
        given = display_settings(self.system, self.p) | params
        ratings = rate(self.games, self.system, period=self.period, forecasts=True, params=given)
        assert ratings.forecasts is not None
        return ratings.forecasts


def replay_league(
    games: Games, system: Dynamic, *, period: str | None = None,
    params: Mapping[str, Any] | None = None, theory: bool = False, seed: int = 0,
) -> LeagueHistory:  # fmt: skip
    """Rate a table and keep all ratings. Raises Unratable without games, and what rating raises."""
    if not len(games):
        raise Unratable.of("no_games.history")
    ratings = rate(games, system, period=period, forecasts=True, params=params)
    seen = watch_for(system, ratings.p, ratings.table)
    ratings.play_again(seen)
    return LeagueHistory(
        ratings.table,
        system,
        ratings.p,
        period,
        ratings.state.rating[:, 0],
        seen.memory.rating[0::2, 0].copy(),
        seen.memory.rating[1::2, 0].copy(),
        forecasts_before(ratings),
        theory,
        seed,
    )
