"""A stack learns from the past alone, and is the mixture that its formulas say."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log
from typing import Any

import numpy as np
from hypothesis import given, strategies as st
from pytest import approx

from prowess.compile import kernel
from prowess.engine.losses import three_way_log_loss
from prowess.engine.params import settings
from prowess.engine.system import Chances, Unratable
from prowess.games.arguments import BadArgument
from prowess.games.games import Games
from prowess.study.backtest import backtest
from prowess.study.judging import Selection
from prowess.study.log_odds import SETTINGS, LogOddsBank, learning_loop
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.study.stack import forecast_by_members, forecast_rows, stack
from prowess.systems.catalogue import find
from tests.engine.tables import contests
from tests.refusals import refused
from tests.study.slow_stack import SlowBank, draws, logit, member, sides, slow_stack, table_of

LEAGUE = simulate(
    league_settings(players=20, games=1500, advantage=60, draws=0.25, drift=2), seed=3
).games
SYSTEMS = ("elo", "glicko", "prowess", "trueskill")


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


def test_no_member_and_no_setting_is_far_ahead():
    """Vovk's bounds: the total log loss is at most ln 8 above that of any member."""
    members = [backtest(LEAGUE, find(name)) for name in SYSTEMS]
    found = stack(members)
    loss = three_way_log_loss(LEAGUE.score, found.test.expected, draws(found.test)).sum()
    for one in members:
        if one.draw is not None:
            alone = three_way_log_loss(LEAGUE.score, one.expected, one.draw).sum()
            assert loss <= alone + log(2.0 * len(SYSTEMS)) + 0.01  # chances are held above 1e-4
    assert found.draws is not None
    both = (found.decisive.evidence, found.draws.evidence)
    assert len(SETTINGS) == 17
    assert loss <= log(2.0) - sum(x.max() for x in both) + 2.0 * log(17.0)
    assert loss <= log(2.0) - sum(log(float(np.exp(x - x.max()).mean())) + x.max() for x in both)


def test_the_shares_are_those_of_the_likelihoods():
    """A member that knows the results has the whole forecast in the end, and is told so."""
    rng = np.random.default_rng(5)
    score = (rng.random(400) < 0.5).astype(np.float64)
    table = table_of(score)
    sure = member(table, np.where(score == 1.0, 0.9, 0.1), np.full(400, 0.01), "sure")
    found = stack([sure, member(table, np.full(400, 0.5), np.full(400, 0.3), "blind")])
    one, other = found.weights()
    assert found.terms["mixed"] + one.alone + other.alone == approx(1.0, abs=1e-12)
    assert other.alone < 1e-12
    assert (one.name, other.name) == ("sure", "blind")


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
    compiled: Any = kernel.compile_function(learning_loop)
    for loop, bank in zip((learning_loop, compiled), banks, strict=True):
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
    gaps = stack([member(table, np.array([np.nan, x])) for x in (sure[0], sure[1], np.nan)])
    full = stack([member(table, np.array([0.5, x])) for x in sure])
    assert gaps.decisive.mean == approx(full.decisive.mean, abs=1e-12)
    assert gaps.decisive.evidence == approx(full.decisive.evidence, abs=1e-12)
    assert np.isfinite(gaps.test.expected).all()
    silent, *_ = reversed(gaps.weights())
    assert silent.alone == approx(
        gaps.terms["mixed"] / 3.0, abs=1e-12
    )  # it says what the banks say


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
    with refused(BadArgument, "not_that_many_forecasts"):
        found.forecast([Chances(0.5), Chances(0.5)])
    with refused(BadArgument, "no_systems"):
        stack([])
    with refused(BadArgument, "tables_differ"):
        stack([member(table, half), member(table_of(np.ones(3)), half)])
    fields = [[("Ada", 1.0), ("Ben", 2.0), ("Cleo", 3.0)]] * 20
    of_contests = stack([backtest(contests(fields), find("elo"))])
    with refused(Unratable, "contests_not_taken"):
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
    gathered = np.array([0.5, 0.25, 0.25])
    found: list[float] = []
    for start in range(0, len(table.outcome), 4):
        bank.age()
        rows = [[logit(one.expected[row]) for one in members] for row in range(start, start + 4)]
        every = [[bank.forecast(x), *[float(one.expected[row]) for one in members]]
                 for row, x in enumerate(rows, start)]  # fmt: skip
        found += [float(np.average(p, weights=gathered)) for p in every]
        games = 1.5 * (4 - 1) / (4 + 1)
        for p, x, s in zip(every, rows, table.outcome[start : start + 4], strict=True):
            gathered = gathered * (np.array(p) ** s * (1.0 - np.array(p)) ** (1.0 - s)) ** games
            bank.learn(x, float(s), games)
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
