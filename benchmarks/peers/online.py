"""Forecasts of other programs that learn game by game: trueskill, openskill, riix.

Every function takes games and settings and returns the expected score of the first player of each
game, forecast before the program sees the result. The side advantage is a member of its own, the
ground, on the side that has it (trueskill, openskill), or points that are added to the rating for
the time of the game (riix). What is left of it, and of wrong scales, `forecasts.py` fits for all.
"""

from __future__ import annotations

from math import erf, sqrt
from typing import Any

import numpy as np
from peers.duels import Duels, Races

EVERY = 200  # games between looks at the clock


def normal(z: float) -> float:
    """The distribution function of the normal law."""
    return 0.5 + 0.5 * erf(z / sqrt(2.0))


def follow_sides(games: Duels, new: Any, ground: Any, play: Any, noise: float) -> list[float]:
    """Forecast and play the games of a program whose sides have members.

    `new()` is a player's first rating, `ground` that of the side advantage, `play(sides, score)`
    returns the ratings after a game, `noise` is the variance of one member's play.
    """
    rating: list[Any] = [None] * games.players
    expected = []
    for i in range(len(games)):
        if i % EVERY == 0:
            games.check_time()
        a, b, side = games.a[i], games.b[i], games.side[i]
        first, second = rating[a] or new(), rating[b] or new()
        sides = [[first], [second]]
        if side != 0.0:
            sides[0 if side > 0.0 else 1].append(ground)
        sign = [1.0, -1.0]
        gap = sum(sign[k] * one.mu for k in (0, 1) for one in sides[k])
        spread = sum(one.sigma**2 + noise for k in (0, 1) for one in sides[k])
        expected.append(normal(gap / sqrt(spread)))
        after = play(sides, games.score[i])
        rating[a], rating[b] = after[0][0], after[1][0]
        if side != 0.0:
            ground = after[0 if side > 0.0 else 1][1]
    return expected


def trueskill(games: Duels, beta: float, tau: float, ground: float) -> list[float]:
    """trueskill; its share of draws is that of the first fifth of the games."""
    from trueskill import Rating, TrueSkill

    rules = TrueSkill(mu=0.0, sigma=1.0, beta=beta, tau=tau, draw_probability=games.draws)

    def play(sides: Any, score: float) -> Any:
        return rules.rate([tuple(one) for one in sides], ranks=[1.0 - score, score])

    return follow_sides(games, rules.create_rating, Rating(0.0, ground), play, beta**2)


def openskill(games: Duels, model: str, beta: float, tau: float, ground: float) -> list[float]:
    """openskill, one of its models, all in units of its first deviation."""
    import openskill.models

    rules = getattr(openskill.models, model)(mu=0.0, sigma=1.0, beta=beta, tau=tau)

    def play(sides: Any, score: float) -> Any:
        return rules.rate(sides, ranks=[1.0 - score, score])

    return follow_sides(games, rules.rating, rules.rating(0.0, ground), play, beta**2)


def riix_glicko(games: Duels, deviation: float, drift: float, side: float) -> list[float]:
    """riix, Glicko: first deviation, its growth a day, points of the side advantage."""
    from riix.models.glicko import Glicko

    model = Glicko(range(games.players), initial_rating_dev=deviation, c=drift)
    model.prev_time_step = 0.0
    return follow_ratings(games, model, model.ratings, side)


def riix_kalman(games: Duels, variance: float, drift: float, side: float) -> list[float]:
    """riix, the simplified Kalman filter: first variance, its growth a day, side advantage."""
    from riix.models.skf import VSKF

    model = VSKF(range(games.players), v_0=variance, s=1.0, epsilon=drift)
    model.prev_time_step = 0.0
    return follow_ratings(games, model, model.mus, side)


def riix_yuksel(games: Duels, step: float, alpha: float, side: float) -> list[float]:
    """riix, Yuksel's system of 2024: largest step, alpha, points of the side advantage."""
    from riix.models.yuksel_2024 import Yuksel2024

    model = Yuksel2024(range(games.players), delta_r_max=step, alpha=alpha)
    return follow_ratings(games, model, model.ratings, side)


def follow_ratings(games: Duels, model: Any, ratings: Any, side: float) -> list[float]:
    """Forecast and play the games of a program of riix; `ratings` are its own, by player."""
    expected = []
    pair, score = np.empty((1, 2), np.int64), np.empty(1)
    for i in range(len(games)):
        if i % EVERY == 0:
            games.check_time()
        a = games.a[i]
        pair[0], score[0] = (a, games.b[i]), games.score[i]
        ratings[a] += side * games.side[i]
        expected.append(float(model.predict(matchups=pair, time_step=games.day[i])[0]))
        model.update(pair, score, time_step=games.day[i], use_cache=False)
        ratings[a] -= side * games.side[i]
    return expected


def trueskill_races(races: Races, beta: float, tau: float) -> list[Any]:
    """trueskill in contests of many."""
    from trueskill import TrueSkill

    rules = TrueSkill(mu=0.0, sigma=1.0, beta=beta, tau=tau, draw_probability=0.0)
    return follow_races(races, rules.create_rating, rules.rate, beta)


def openskill_races(races: Races, model: str, beta: float, tau: float) -> list[Any]:
    """openskill in contests of many, one of its models."""
    import openskill.models

    rules = getattr(openskill.models, model)(mu=0.0, sigma=1.0, beta=beta, tau=tau)

    def play(sides: Any, place: Any) -> Any:
        return rules.rate([list(one) for one in sides], ranks=place)

    return follow_races(races, rules.rating, play, beta)


def follow_races(races: Races, new: Any, play: Any, beta: float) -> list[Any]:
    """The share of the field that each side is expected to leave behind, of every contest."""
    rating: list[Any] = [None] * races.players
    expected = []
    for who, place in zip(races.who, races.place, strict=True):
        races.check_time()
        before = [rating[one] or new() for one in who]
        level = np.array([one.mu for one in before])
        noise = np.array([one.sigma**2 + beta**2 for one in before])
        z = (level[:, None] - level) / np.sqrt(noise[:, None] + noise)
        ahead = np.array([[normal(one) for one in row] for row in z.tolist()])
        expected.append((ahead.sum(axis=1) - 0.5) / (len(who) - 1))
        for one, (after,) in zip(who, play([(one,) for one in before], place), strict=True):
            rating[one] = after
    return expected
