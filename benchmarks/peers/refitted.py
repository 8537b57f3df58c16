"""Forecasts of other programs that fit all games so far again: kickscore, TrueSkill Through Time,
Whole-History Rating.

A program is fitted before every so many games (`Duels.refit`) and forecasts until the next fit: it
sees earlier games only. It keeps what the last fit found where it can (kickscore, Whole-History
Rating), so that the next needs few rounds. Every function returns the expected score of the first
player of each game; before the first fit it is one half.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

from peers.duels import Duels

FIRST = 0.2  # share of the games before the first fit
GROUND = "ground"


def follow_fits(
    games: Duels, learn: Callable[[int, int], None], forecast: Callable[[int], float]
) -> list[float]:
    """Fit before every so many games: `learn(first, last)` adds these games, and fits."""
    start = round(FIRST * len(games))
    expected = [0.5] * start
    learnt = 0
    for first in range(start, len(games), games.refit):
        games.check_time()
        learn(learnt, first)
        learnt = first
        expected += [forecast(i) for i in range(first, min(first + games.refit, len(games)))]
    return expected


def kickscore(games: Duels, level: float, form: float, days: float, ground: float) -> list[float]:
    """kickscore, games with ties: variance of level and form, days of form, of the ground.

    Strengths are a constant and an Ornstein-Uhlenbeck process; the ground is an item of its own.
    The noise is normal: the package's logistic one divides by zero on engine games.
    """
    from kickscore import BinaryModel, TernaryModel
    from kickscore.kernel import Constant, Exponential

    ties = games.draws > 0.0
    margin = NormalDist().inv_cdf(0.5 + 0.5 * games.draws)
    model: Any = TernaryModel(margin) if ties else BinaryModel()
    for player in range(games.players):
        model.add_item(str(player), Constant(level) + Exponential(form, days))
    model.add_item(GROUND, Constant(ground) + Exponential(0.1 * ground, 1000.0))

    def sides(i: int) -> tuple[dict[str, float], dict[str, float]]:
        found = ({str(games.a[i]): 1.0}, {str(games.b[i]): 1.0})
        if games.side[i] != 0.0:
            found[0 if games.side[i] > 0.0 else 1][GROUND] = 1.0
        return found

    def learn(first: int, last: int) -> None:
        for i in range(first, last):
            a, b = sides(i)
            winner, loser = (b, a) if games.score[i] < 0.5 else (a, b)
            more = {"tie": games.score[i] == 0.5} if ties else {}
            model.observe(winner, loser, games.day[i], **more)
        model.fit(max_iter=10)

    def forecast(i: int) -> float:
        chances = model.probabilities(*sides(i), games.day[i])
        return float(chances[0] + 0.5 * chances[1] if ties else chances[0])

    return follow_fits(games, learn, forecast)


def through_time(games: Duels, beta: float, drift: float, ground: float) -> list[float]:
    """TrueSkill Through Time: noise of a game, drift of a day, spread of the ground.

    The history is built anew at every fit, forwards, back and forwards again.
    """
    from trueskillthroughtime import Gaussian, History, Player

    advantage = Player(Gaussian(0.0, ground), 0.0, 0.0)

    def sides(i: int) -> list[list[str]]:
        found = [[str(games.a[i])], [str(games.b[i])]]
        if games.side[i] != 0.0:
            found[0 if games.side[i] > 0.0 else 1].append(GROUND)
        return found

    everything = [sides(i) for i in range(len(games))]
    results = [[score, 1.0 - score] for score in games.score]
    latest: dict[str, tuple[float, Any]] = {}

    def learn(_: int, last: int) -> None:
        history = History(
            everything[:last], results[:last], games.day[:last], {GROUND: advantage},
            mu=0.0, sigma=1.0, beta=beta, gamma=drift, p_draw=games.draws,
        )  # fmt: skip
        history.convergence(epsilon=0.01, iterations=2, verbose=False)
        for batch in history.batches:
            for name in batch.skills:
                latest[name] = (batch.time, batch.posterior(name))

    def forecast(i: int) -> float:
        gap = Gaussian(0.0, 2.0**0.5 * beta)
        for sign, side in zip((1, -1), everything[i], strict=True):
            for name in side:
                fresh = (games.day[i], Gaussian(0.0, ground if name == GROUND else 1.0))
                day, skill = latest.get(name, fresh)
                now = skill.forget(0.0 if name == GROUND else drift, games.day[i] - day)
                gap = gap + now if sign > 0 else gap - now
        from peers.online import normal

        return normal(gap.mu / gap.sigma)

    return follow_fits(games, learn, forecast)


def whole_history(games: Duels, drift: float, prior: float) -> list[float]:
    """Whole-History Rating: Elo of drift squared a day, games of the prior.

    The ground is a handicap whose worth the program estimates, draws by Davidson's model.
    """
    from whr import WHR

    warnings.simplefilter("ignore")  # the program's remarks on players without links
    model = WHR({"w2": drift, "initial_prior_wins": prior})
    word = {1.0: "B", 0.5: "D", 0.0: "W"}

    def learn(first: int, last: int) -> None:
        for i in range(first, last):
            model.create_game(
                str(games.a[i]), str(games.b[i]), word[games.score[i]], games.day[i], games.side[i]
            )
        model.iterate(50 if first == 0 else 4)

    def forecast(i: int) -> float:
        names = str(games.a[i]), str(games.b[i])
        if not all(name in model.players for name in names):
            return 0.5
        win, draw, _ = model.win_draw_loss_probabilities(*names, handicap_key=games.side[i])
        return float(win + 0.5 * draw)

    return follow_fits(games, learn, forecast)
