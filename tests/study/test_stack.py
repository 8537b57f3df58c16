"""A stack learns from the past alone, and is the mixture that its formulas say."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess import kernel
from prowess.engine.params import settings
from prowess.engine.system import Chances, Unratable
from prowess.games.games import Games
from prowess.study.backtest import Backtest, backtest
from prowess.study.judging import Selection
from prowess.study.log_odds import SETTINGS, LogOddsBank, learning_loop
from prowess.study.scores import three_way_log_loss
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.study.stack import forecast_by_members, forecast_rows, stack
from prowess.systems.catalogue import find
from tests.engine.tables import START, contests, games

LEAGUE = simulate(
    league_settings(players=20, games=1500, advantage=60, draws=0.25, drift=2), seed=3
).games
SYSTEMS = ("elo", "glicko", "prowess", "trueskill")


def logit(chance: float) -> float:
    """ln(p / (1 - p)), of chances that no test takes beyond 1e-4."""
    chance = min(max(chance, 1e-4), 1.0 - 1e-4)
    return log(chance) - log(1.0 - chance)


def table_of(score: np.ndarray, side: np.ndarray | None = None) -> Games:
    """Games of two players with these scores, a day each."""
    rows = [("Ada", "Ben", float(one)) for one in score]
    time = START + np.arange(len(score), dtype=np.float64)
    return games(
        rows, ("Ada", "Ben"), time=time, side=np.zeros(len(score)) if side is None else side
    )


def member(
    table: Games, expected: np.ndarray, draw: np.ndarray | None = None, name="m"
) -> Backtest:
    """A backtest with forecasts from elsewhere, the first fifth not judged."""
    judged = np.arange(len(table)) >= 0.2 * len(table)
    return Backtest(name, {}, table, None, expected, draw, judged, 0.0)


class SlowBank:
    """The bank in the obvious way: matrices, one setting after another."""

    def __init__(self, centre: list[float], scale: list[float]) -> None:
        self.centre = np.array(centre)
        self.first = [spread**2 * np.diag(scale) for spread, _ in SETTINGS]
        self.mean: list[np.ndarray] = [self.centre.copy() for _ in SETTINGS]
        self.covariance: list[np.ndarray] = [one.copy() for one in self.first]
        self.loss = [0.0 for _ in SETTINGS]

    def age(self) -> None:
        """Let the weights of every setting move towards the centre, once a game."""
        for j, (_, keep) in enumerate(SETTINGS):
            self.mean[j] = self.centre + keep * (self.mean[j] - self.centre)
            aged = keep**2 * (self.covariance[j] - self.first[j])
            self.covariance[j] = self.first[j] + aged

    def ask(self, x: list[float]) -> list[tuple[float, float]]:
        """The chance by each setting, and by how much uncertainty shrinks its log odds."""
        found = []
        for mean, covariance in zip(self.mean, self.covariance, strict=True):
            kappa = 1.0 / sqrt(1.0 + pi * (np.array(x) @ covariance @ np.array(x)) / 8.0)
            found.append((1.0 / (1.0 + exp(-kappa * (np.array(x) @ mean))), kappa))
        return found

    def forecast(self, x: list[float]) -> float:
        """The mean of the settings' chances by their likelihoods."""
        weight = [exp(min(self.loss) - loss) for loss in self.loss]
        return sum(w * p for w, (p, _) in zip(weight, self.ask(x), strict=True)) / sum(weight)

    def learn(self, x: list[float], s: float, n: float = 1.0) -> None:
        """Update every setting by the precision form of Laplace's approximation."""
        for j, (p, kappa) in enumerate(self.ask(x)):
            self.loss[j] -= n * (s * log(p) + (1.0 - s) * log(1.0 - p))
            if SETTINGS[j][0] == 0.0:
                continue
            gain = n * kappa**2 * p * (1.0 - p) * np.outer(x, x)
            self.covariance[j] = np.linalg.inv(np.linalg.inv(self.covariance[j]) + gain)
            self.mean[j] = self.mean[j] + n * self.covariance[j] @ np.array(x) * kappa * (s - p)


def sides(table: Games) -> np.ndarray:
    """The sides of a table that has them."""
    assert table.side is not None
    return table.side


def draws(test: Backtest) -> np.ndarray:
    """The chances of a draw of a backtest that has them."""
    assert test.draw is not None
    return test.draw


def slow_stack(table: Games, members: list[Backtest]) -> list[tuple[float, float, float]]:
    """Chances of win, draw and loss of every game, by plain loops, and the banks' losses."""
    m = len(members)
    drawing = [one for one in members if one.draw is not None]
    decisive = SlowBank([0.0, *[1 / m] * m], [1.0, *[1 / m] * m])
    k = len(drawing)
    shares = [0.5, *[0.5 / k] * k] if k else [1.0]
    draw_bank = SlowBank([0.0, 1.0, *shares], [1.0, 1.0, *shares])
    found = []
    for row in range(len(table)):
        side = float(sides(table)[row])
        decisive.age()
        draw_bank.age()
        of_win = [side, *[logit(one.expected[row]) for one in members]]
        q = decisive.forecast(of_win)
        # the base rate, with one imagined win, draw and loss: games with a side apart, one a day
        past = [r for r in range(row) if (sides(table)[r] != 0) == (side != 0)]
        drawn = (1 + sum(table.score[r] == 0.5 for r in past)) / (3 + len(past))
        won = 0.5
        if side:
            mine = [abs(float(table.score[r]) - (sides(table)[r] < 0)) for r in past]
            won = (1.5 + sum(mine)) / (3 + len(past))
        drawn = min(drawn, 2 * min(won, 1 - won))
        even = 0.5 * log(4 * min(max(q, 1e-4), 1 - 1e-4) * (1 - min(max(q, 1e-4), 1 - 1e-4)))
        known = [logit(draws(one)[row]) for one in drawing]
        of_draw = [1.0, even, logit(drawn), *known]
        d = draw_bank.forecast(of_draw)
        found.append(((1 - d) * q, d, (1 - d) * (1 - q)))
        if table.score[row] != 0.5:
            decisive.learn(of_win, float(table.score[row]))
        draw_bank.learn(of_draw, float(table.score[row] == 0.5))
    return found


@st.composite
def some_stacks(draw, size=40):
    """A table and forecasts of one to three members, some with draws."""
    count = draw(st.integers(1, size))
    chance = st.floats(0.0, 1.0)
    scores = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 0.3]), min_size=count, max_size=count))
    sides = draw(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=count, max_size=count))
    table = table_of(np.array(scores), np.array(sides))
    members = []
    for _ in range(draw(st.integers(1, 3))):
        expected = np.array(draw(st.lists(chance, min_size=count, max_size=count)))
        share = draw(st.none() | st.floats(0.0, 0.9))
        most = 2.0 * np.minimum(expected, 1.0 - expected)
        members.append(member(table, expected, None if share is None else share * most))
    return table, members


@given(some_stacks())
def test_it_is_the_slow_obvious_mixture(data):
    """The forecasts of a stack are those of dense matrices and plain loops."""
    table, members = data
    test = stack(members).test
    found = np.array(slow_stack(table, members))
    assert test.draw == approx(found[:, 1], abs=1e-9)
    assert test.expected == approx(found[:, 0] + 0.5 * found[:, 1], abs=1e-9)


@given(some_stacks(), st.integers(0, 39), st.randoms(use_true_random=False))
def test_later_games_do_not_change_earlier_forecasts(data, row, random):
    """Other results and other forecasts from a row on leave the forecasts up to it as they are."""
    table, members = data
    row %= len(table)
    score = table.score.copy()
    score[row:] = [random.choice([0.0, 0.5, 1.0]) for _ in score[row:]]
    other = table.replace(score=score)
    changed = []
    for one in members:
        expected = one.expected.copy()
        expected[row + 1 :] = [random.random() for _ in expected[row + 1 :]]
        changed.append(replace(one, table=other, expected=expected))
    before, after = stack(members).test, stack(changed).test
    assert before.expected[: row + 1].tobytes() == after.expected[: row + 1].tobytes()
    assert draws(before)[: row + 1].tobytes() == draws(after)[: row + 1].tobytes()


def test_later_results_do_not_change_earlier_forecasts_of_systems():
    """Shuffled results after a game leave all forecasts up to it the same bits."""
    row = 900
    score = LEAGUE.score.copy()
    np.random.default_rng(0).shuffle(score[row:])
    other = LEAGUE.replace(score=score)
    assert (score != LEAGUE.score).any()
    before, after = (
        stack([backtest(table, find(name)) for name in SYSTEMS]).test for table in (LEAGUE, other)
    )
    assert before.expected[: row + 1].tobytes() == after.expected[: row + 1].tobytes()
    assert draws(before)[: row + 1].tobytes() == draws(after)[: row + 1].tobytes()
    assert (before.expected[row + 1 :] != after.expected[row + 1 :]).any()


@given(some_stacks())
def test_a_system_stacked_with_itself_counts_once(data):
    """A member named twice or thrice gives the forecasts of the member alone."""
    _, members = data
    alone = stack(members[:1]).test
    for times in (2, 3):
        several = stack(members[:1] * times).test
        assert several.expected == approx(alone.expected, abs=1e-9)
        assert several.draw == approx(alone.draw, abs=1e-9)


def test_one_system_is_recalibrated():
    """Of forecasts with twice the true log odds the stack learns the weight 1/2."""
    rng = np.random.default_rng(1)
    truth = rng.normal(0.0, 1.5, 20_000)
    table = table_of((rng.random(len(truth)) < 1.0 / (1.0 + np.exp(-truth))).astype(np.float64))
    found = stack([member(table, 1.0 / (1.0 + np.exp(-2.0 * truth)))])
    (weight,) = found.weights()
    assert weight.weight == approx(0.5, abs=4.0 * weight.deviation)
    assert weight.deviation < 0.03
    assert found.test.scores["log_loss"] < found.members[0].scores["log_loss"] - 0.02


def test_members_with_different_knowledge_add_up():
    """The log odds of two who each know a part of the truth get the weight 1 each."""
    rng = np.random.default_rng(2)
    parts = rng.normal(0.0, 1.0, (2, 20_000))
    chance = 1.0 / (1.0 + np.exp(-parts.sum(axis=0)))
    table = table_of((rng.random(len(chance)) < chance).astype(np.float64))
    members = [member(table, 1.0 / (1.0 + np.exp(-part))) for part in parts]
    found = stack(members)
    for one in found.weights():
        assert one.weight == approx(1.0, abs=4.0 * one.deviation)
    perfect = member(table, chance).scores["log_loss"]
    assert found.test.scores["log_loss"] == approx(perfect, abs=0.001)


def test_no_setting_of_the_bank_is_far_ahead():
    """Vovk's bound: the total log loss is at most 2 ln 17 above that of the best setting."""
    members = [backtest(LEAGUE, find(name)) for name in SYSTEMS]
    found = stack(members)
    loss = three_way_log_loss(LEAGUE.score, found.test.expected, found.test.draw).sum()
    best = -found.decisive.evidence.max() - found.draws.evidence.max()
    assert len(SETTINGS) == 17
    assert best <= loss <= best + 2.0 * log(17.0)
    # and its own loss is what the evidence says: the mean likelihood of the settings
    both = (found.decisive.evidence, found.draws.evidence)
    total = -sum(log(float(np.exp(one - one.max()).mean())) + one.max() for one in both)
    assert loss == approx(total, abs=1e-8)


def test_without_learning_it_is_the_plain_average_of_log_odds():
    """The first setting stays at the centre: its loss is that of the average of log odds."""
    members = [backtest(LEAGUE, find(name)) for name in SYSTEMS]
    decided = LEAGUE.score != 0.5
    odds = np.mean([[logit(p) for p in one.expected[decided]] for one in members], axis=0)
    won = LEAGUE.score[decided] == 1.0
    average = -np.log1p(np.exp(-np.where(won, odds, -odds))).sum()
    assert stack(members).decisive.evidence[0] == approx(average, abs=1e-8)


def test_compiled_and_plain_agree():
    """The loop gives the same bits compiled as in plain Python."""
    rng = np.random.default_rng(4)
    features, happened = rng.normal(size=(60, 3)), rng.random(60).round()
    banks = [LogOddsBank(np.array([0.0, 0.5, 0.5]), np.array([1.0, 0.5, 0.5])) for _ in range(2)]
    found = []
    for loop, bank in zip(
        (learning_loop, kernel.compile_function(learning_loop)), banks, strict=True
    ):
        chance = np.zeros(60)
        spread, keep = np.array(SETTINGS).T
        state = bank.mean.ravel(), bank.covariance.ravel(), bank.evidence
        loop(
            np.arange(61), features.ravel(), happened, np.ones(60),
            bank.centre, bank.scale, spread, keep, *state, np.empty(3), chance,
        )  # fmt: skip
        found.append((chance.tobytes(), *(array.tobytes() for array in state)))
    assert found[0] == found[1]


def test_the_next_game_is_forecast_as_if_it_stood_in_the_table():
    """A further game is forecast with the bits that it has as the last game of a longer table."""
    last = len(LEAGUE) - 1
    a, b = (LEAGUE.players[int(ids[last])] for ids in (LEAGUE.a, LEAGUE.b))
    side = float(sides(LEAGUE)[last])
    selections = [Selection(name, find(name), {}, None) for name in ("elo", "trueskill")]
    longer = stack([backtest(LEAGUE, one.system) for one in selections]).test
    table = LEAGUE.first(last)
    found = stack([backtest(table, one.system) for one in selections])
    chances = found.forecast(forecast_by_members(table, selections, a, b, side), side)
    assert chances.expected == approx(longer.expected[last], abs=1e-12)
    assert chances.draw == approx(draws(longer)[last], abs=1e-12)
    again = found.forecast(forecast_by_members(table, selections, a, b, side), side)
    assert again == chances  # a forecast does not teach


def test_a_whole_table_system_takes_part():
    """A fitted system is a member, and forecasts a further game from a fit to all games."""
    one = Selection("map", find("map"), {"draws": "davidson"}, None)
    assert settings(one.system, one.params)
    table = LEAGUE.first(400)
    found = stack([backtest(table, one.system, params=one.params, refits=2)])
    (given_chances,) = forecast_by_members(table, [one], *table.players[:2])
    assert given_chances.draw is not None
    chances = found.forecast([given_chances])
    assert 0.0 < chances.win < chances.expected < 1.0


def test_a_member_without_a_forecast_is_given_the_mean_of_the_others():
    """Log odds of 1 and 2 make 1.5 for the third, which has none; without any, 0."""
    table = table_of(np.array([1.0, 0.0]))
    sure = [1.0 / (1.0 + exp(-z)) for z in (1.0, 2.0, 1.5)]
    gaps = [member(table, np.array([np.nan, x])) for x in (sure[0], sure[1], np.nan)]
    full = [member(table, np.array([0.5, x])) for x in sure]
    assert stack(gaps).test.expected == approx(stack(full).test.expected, abs=1e-12)


def test_games_of_weight_0_teach_nothing():
    """After games of weight 0 the weights of the members are those of the start."""
    table = table_of(np.ones(30)).replace(weight=np.zeros(30))
    found = stack([member(table, np.full(30, 0.6)), member(table, np.full(30, 0.7))])
    assert (found.decisive.evidence == 0.0).all()
    assert [one.weight for one in found.weights()] == [0.5, 0.5]


def test_certain_forecasts_stay_finite():
    """Forecasts of 0 and 1, right for long and then wrong, cost a finite loss."""
    score = np.append(np.ones(3000), np.zeros(3))
    found = stack([member(table_of(score), np.ones(len(score)), np.zeros(len(score)))])
    assert np.isfinite(found.test.losses["log_loss_3"]).all()
    assert np.isfinite(found.decisive.covariance).all()
    assert (np.linalg.eigvalsh(found.decisive.covariance) >= -1e-12).all()


def test_refusals():
    """No members, members of two tables, a missing forecast and a game of contests are refused."""
    table = table_of(np.array([1.0, 0.0, 0.5]))
    half = np.full(3, 0.5)
    found = stack([member(table, half)])
    with pytest.raises(ValueError, match="give 1 forecasts, one of each member, not 2"):
        found.forecast([Chances(0.5), Chances(0.5)])
    with pytest.raises(ValueError, match="name at least one system"):
        stack([])
    with pytest.raises(ValueError, match="give backtests of one table"):
        stack([member(table, half), member(table_of(np.ones(3)), half)])
    fields = [[("Ada", 1.0), ("Ben", 2.0), ("Cleo", 3.0)]] * 20
    of_contests = stack([backtest(contests(fields), find("elo"))])
    with pytest.raises(Unratable, match="stack games of two sides to forecast one"):
        of_contests.forecast([Chances(0.5)])


def some_contests(places: list[list[float]]) -> Games:
    """Contests of four, the players in turn, with these places."""
    names = ("Ada", "Ben", "Cleo", "Dan")
    return contests([list(zip(names, place, strict=True)) for place in places], names)


@given(
    st.lists(
        st.lists(st.sampled_from([1.0, 2.0, 3.0, 4.0]), min_size=4, max_size=4),
        min_size=2,
        max_size=12,
    )
)
def test_contests_are_the_slow_obvious_mixture(places):
    """A field is forecast from the contests before it, and its sides are learnt one by one."""
    table = some_contests(places)
    members = [backtest(table, find(name)) for name in ("elo", "glicko")]
    bank = SlowBank([0.5, 0.5], [0.5, 0.5])
    found = []
    for start in range(0, len(table.outcome), 4):
        bank.age()
        rows = [[logit(one.expected[row]) for one in members] for row in range(start, start + 4)]
        found += [bank.forecast(x) for x in rows]
        for x, beaten in zip(rows, table.outcome[start : start + 4], strict=True):
            bank.learn(x, float(beaten), 1.5 * (4 - 1) / (4 + 1))
    test = stack(members).test
    assert test.expected == approx(np.array(found), abs=1e-9)
    assert test.draw is None


def test_a_contest_does_not_change_its_own_forecasts():
    """Other places in the last contest leave all forecasts the same bits."""
    places = [[1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0]] * 10
    tests = [
        stack([backtest(some_contests([*places, last]), find("elo"))]).test
        for last in ([4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0])
    ]
    assert tests[0].expected.tobytes() == tests[1].expected.tobytes()
    header, first, *_ = forecast_rows(stack([tests[0]]))
    assert header[:4] == ["contest", "player", "beaten", "judged"]
    assert first[:4] == [1, "Ada", 1.0, 0]


def test_rows_of_forecasts():
    """A row a game: date, players, score, chances that add up to 1, and the members' forecasts."""
    table = table_of(np.array([1.0, 0.0, 0.5]))
    header, *rows = forecast_rows(stack([member(table, np.array([0.5, 0.6, 0.7]))]))
    assert header[:5] == ["date", "player_a", "player_b", "score", "judged"]
    assert header[5:] == ["expected", "win", "draw", "loss", "expected by m"]
    assert rows[0][:5] == ["2020-01-01", "Ada", "Ben", 1.0, 0]
    for row, expected in zip(rows, (0.5, 0.6, 0.7), strict=True):
        assert sum(row[6:9]) == approx(1.0, abs=1e-12)
        assert row[5] == approx(row[6] + 0.5 * row[7], abs=1e-12)
        assert row[9] == expected
