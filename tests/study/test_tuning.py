"""Tuning on leagues whose true constants are known, because Elo itself drew the results."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.engine.cluster.workers import workers_of
from prowess.engine.params import BadSetting
from prowess.engine.system import Unratable
from prowess.games.games import Games
from prowess.study.backtest import backtest
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.study.tuning.evaluation import Evaluated, Untunable, format_record, parse_records
from prowess.study.tuning.outcome import TuningResult
from prowess.study.tuning.tune import tune
from prowess.systems.catalogue import find
from tests.refusals import refused

ELO = find("elo")
K, ADVANTAGE = 40.0, 60.0


def drawn_by_elo(games: int, seed: int, k: float = K, advantage: float = ADVANTAGE) -> Games:
    """A league whose strengths move just as Elo with this K believes: the model is true."""
    rng = np.random.default_rng(seed)
    players = 30
    a = rng.integers(0, players, games)
    b = (a + rng.integers(1, players, games)) % players
    luck = rng.random(games)
    score = np.empty(games)
    rating = [1500.0] * players
    for game, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        expected = 1.0 / (1.0 + 10.0 ** ((rating[j] - rating[i] - advantage) / 400.0))
        score[game] = won = float(luck[game] < expected)
        rating[i] += k * (won - expected)
        rating[j] -= k * (won - expected)
    return Games(
        players=[f"P{number}" for number in range(players)],
        a=a.astype(np.uint32),
        b=b.astype(np.uint32),
        score=score,
        side=np.ones(games),
    )


def values(tuned: TuningResult) -> list[object]:
    """All numbers of a result."""
    return [tuned.parameters, tuned.score, tuned.score_before, tuned.flat, tuned.evaluations]


@pytest.fixture(scope="module")
def league() -> Games:
    """One such league."""
    return drawn_by_elo(6_000, seed=1)


@pytest.fixture(scope="module")
def tuned(league: Games) -> TuningResult:
    """What is found on it."""
    return tune(league, ELO)


# --- what is found -------------------------------------------------------------------------


def test_true_constants_are_recovered():
    """Of 16 intervals at 95 % for the true K and advantage at least 12 hold them.

    Of 16 independent ones fewer than 12 would hold in one of 1,200 trials; the seeds are fixed.
    """
    held, pulls = 0, []
    for seed in range(8):
        found = tune(drawn_by_elo(2_500, seed), ELO, over={"k": None, "advantage": None})
        for one, true in zip(found.parameters, (K, ADVANTAGE), strict=True):
            held += one.low <= true <= one.high
            pulls.append((one.value - true) / ((one.high - one.low) / 3.92))
    assert held >= 12
    assert 0.5 < np.std(pulls) < 1.6  # 1 where the uncertainty is as stated; 16 pulls scatter


def test_uncertainty_is_that_of_other_leagues():
    """The interval is as wide as estimates of independent leagues really scatter (within half)."""
    found = [
        tune(drawn_by_elo(2_500, seed), ELO, over={"advantage": None}, params={"k": K})
        for seed in range(20, 32)
    ]
    scatter = np.std([one.setting["advantage"] for one in found], ddof=1)
    stated = np.mean([(p.high - p.low) / 3.92 for one in found for p in one.parameters])
    assert 0.55 < stated / scatter < 1.8  # chi of 11 degrees of freedom, 1 in 100 at either end


def test_advantage_of_a_league_with_fixed_strengths():
    """An advantage planted in a simulated league is found within its interval and 10 points.

    Elo's ratings are noisy where true strengths stand still, which takes a little off it.
    """
    made = simulate(league_settings(players=30, games=8_000, advantage=80.0), seed=4)
    found = tune(made.games, ELO)
    one = next(one for one in found.parameters if one.name == "advantage")
    assert one.low - 10.0 < 80.0 < one.high + 10.0
    assert found.setting["k"] < 20.0  # strengths that stand still want a small K


def test_it_pays(tuned):
    """The gain on later games is certain, positive, and what two backtests of theirs say."""
    later = tuned.later
    assert later.gain.low > 0.0
    assert later.gain.mean == approx(later.score_before - later.score, rel=1e-9)
    assert later.gain.low < later.gain.mean < later.gain.high
    assert tuned.score < tuned.score_before
    assert "better by" in tuned.sentences()[0]


def test_later_scores_are_those_of_backtests(league, tuned):
    """What is said of later games is what a plain backtest of the pasted line gives."""
    after = backtest(league, ELO, params=tuned.setting, warm_up=0.6)
    assert tuned.later.score == approx(after.scores["log_loss"], rel=1e-12)
    assert tuned.later.judged == after.count == 2_400


def test_several_starts_leave_a_worse_valley():
    """Premier League, Weng-Lin: from the worse valley one search ends in it, several do not.

    The losses are those of plain backtests: 0.636 in the one valley, 0.610 in the other.
    """
    file = Path(__file__).parents[2] / "examples" / "league_football.csv.gz"
    table = prowess.read_games(file, where={"league": "Premier League"}, warn=False)
    worse = {"tau": 28.0, "start_deviation": 46.6, "advantage": 57.0}
    options: dict[str, Any] = {"over": dict.fromkeys(worse), "params": worse}
    one = tune(table, find("weng_lin"), starts=1, **options)
    several = tune(table, find("weng_lin"), **options)
    early = table.first(ceil(0.6 * len(table)))
    for found, score in ((one, 0.6359), (several, 0.6097)):
        test = backtest(early, find("weng_lin"), params=found.setting, warm_up=1 / 3)
        assert test.scores["log_loss"] == approx(score, abs=1e-4)
    assert several.later.score < one.later.score - 0.02
    assert [len(one.searches), len(several.searches)] == [1, 5]
    said = next(text for text in several.sentences() if "searches" in text)
    assert said.startswith("5 searches began far apart (seed 0): ")
    assert "ended at log loss 0.60" in said
    assert "at 0.6358" in said
    assert "take more --starts" in one.sentences()[-1]


def test_no_neighbour_is_better(league, tuned):
    """No setting on a fine grid about the best one has a lower loss than 1 / 1,000 of the noise.

    The grid is judged by an own sum over the games from 20 % to 60 %.
    """

    def loss(k: float, advantage: float) -> float:
        rating = [1500.0] * 30
        total = 0.0
        a, b, scores = league.a.tolist(), league.b.tolist(), league.score.tolist()
        for game in range(3_600):
            i, j, score = a[game], b[game], scores[game]
            expected = 1.0 / (1.0 + 10.0 ** ((rating[j] - rating[i] - advantage) / 400.0))
            rating[i] += k * (score - expected)
            rating[j] -= k * (score - expected)
            if game >= 1_200:
                total -= np.log(expected if score else 1.0 - expected)
        return total / 2_400

    best = tuned.setting
    here = loss(best["k"], best["advantage"])
    assert tuned.score == approx(here, rel=1e-9)
    rounding = 0.02 / 2_400  # a fifth of a deviation off costs 1/50 of a unit of log-likelihood
    for k in (0.9, 0.97, 1.03, 1.1):
        for advantage in (0.85, 0.95, 1.05, 1.15):
            assert loss(best["k"] * k, best["advantage"] * advantage) > here - rounding


# --- what is searched ----------------------------------------------------------------------


def test_units_and_starts_are_left_alone(tuned):
    """Without --over Elo's k and advantage are searched; scale is units, start moves nothing."""
    assert [one.name for one in tuned.parameters] == ["k", "advantage"]
    assert "units" in tuned.stays["scale"]
    assert "no forecast" in tuned.stays["start"]


def test_given_settings_stay(league):
    """A parameter that is given is not searched."""
    found = tune(league, ELO, params={"advantage": 60.0})
    assert list(found.setting) == ["k"]
    assert found.given == {"advantage": 60.0}
    assert found.stays["advantage"] == "given"
    assert "units" in found.stays["scale"]  # though with a fixed advantage it would matter


def test_an_edge_is_said(league):
    """An optimum outside the range stands at its end, and that is said; so is a declared end."""
    found = tune(league, ELO, over={"k": (60.0, 200.0)}, params={"advantage": ADVANTAGE})
    (one,) = found.parameters
    assert (one.value, one.edge, one.declared) == (60.0, "low", False)
    assert any("widen --over" in text for text in found.sentences())
    strong = tune(drawn_by_elo(3_000, 5, advantage=600.0), ELO, over={"advantage": None})
    (one,) = strong.parameters
    assert (one.value, one.edge, one.declared) == (400.0, "high", True)
    assert any("what the system takes" in text for text in strong.sentences())


def test_an_optimum_inside_has_no_edge(tuned):
    """K and advantage well inside their ranges are not said to stand at an end."""
    assert all(one.edge is None for one in tuned.parameters)
    assert not any("stands at" in text for text in tuned.sentences())


def test_a_flat_direction_is_named(league, tuned):
    """K, advantage and scale together only change units, and are said to be movable together."""
    found = tune(league, ELO, over={"k": None, "scale": None, "advantage": None})
    assert any(set(group) == {"k", "scale", "advantage"} for group in found.flat)
    factor = 400.0 / found.setting["scale"]
    assert found.setting["k"] * factor == approx(tuned.setting["k"], rel=0.1)
    scale = next(one for one in found.parameters if one.name == "scale")
    assert (scale.low, scale.high) == (50.0, 2000.0)  # nothing is known of it


def test_a_parameter_that_does_nothing_is_undetermined(league):
    """Where a parameter moves no forecast every value serves, and the interval is the range."""
    found = tune(league, ELO, over={"k": None, "start": (1000.0, 2000.0)})
    start = next(one for one in found.parameters if one.name == "start")
    assert start.undetermined
    assert (start.serves_low, start.serves_high) == (1000.0, 2000.0)
    assert any("cannot tell any value" in text for text in found.sentences())


def test_what_serves_costs_nothing_certain_and_beyond_costs(league, tuned):
    """At the ends of what serves, tuned k costs about what 2 deviations squared say, not more."""
    one = tuned.parameters[0]
    assert one.serves_low < one.low < one.value < one.high < one.serves_high
    deviation = (one.high - one.low) / 3.92
    # A paired difference is certain at 2 * 1.96 deviations where the model is true: mean
    # (d / sd)^2 / 2 against standard deviation d / sd.
    assert (one.serves_high - one.value) / deviation == approx(3.92, rel=0.35)


# --- honest, reproducible ------------------------------------------------------------------


def test_later_results_never_reach_the_optimum(league, tuned):
    """Other results after `until` change what is judged and not one bit of what is chosen."""
    score = league.score.copy()
    score[3_600:] = 1.0 - score[3_600:]
    other = tune(league.replace(score=score), ELO)
    assert values(other) == values(tuned)
    assert other.later != tuned.later


def test_a_result_before_until_reaches_it(league, tuned):
    """Other results before `until` change the optimum (so the law above can fail)."""
    score = league.score.copy()
    score[3_000:3_600] = 1.0 - score[3_000:3_600]
    assert values(tune(league.replace(score=score), ELO)) != values(tuned)


def test_processes_and_threads_change_nothing(league, tuned):
    """Two processes, and two threads, give the same to the last bit."""
    for pool in (ProcessPoolExecutor, ThreadPoolExecutor):
        with pool(2) as executor, workers_of(executor) as workers:
            assert tune(league, ELO, workers=workers) == tuned


def test_a_system_that_cannot_be_compiled_is_tuned_plainly(league):
    """A search over many games is worth compiling; a system that cannot be runs all the same."""

    def evidence(p, me, opponent, game):
        return ELO.evidence(p, me, opponent, game)._replace(change=game.score - 0.5)

    def with_a_dictionary(p, me, opponent, game):
        return ELO.evidence(p, me, opponent, game)._replace(change={"a": game.score - 0.5}["a"])

    how: dict[str, Any] = {"over": {"k": None}, "starts": 1, "budget": 10}
    one, other = (
        tune(league.first(300), replace(ELO, name="mine", evidence=given), **how)
        for given in (evidence, with_a_dictionary)
    )
    assert values(one) == values(other)


def test_resumed_is_uninterrupted(league, tuned):
    """Stopped after 17 settings and gone on with, the search ends where it would have ended."""
    heard: list[Evaluated] = []
    keys: list[str] = []

    def asked(key: str) -> list[Evaluated]:
        keys.append(key)
        return []

    stopped = tune(league, ELO, budget=17, known=asked, heard=heard.append)
    assert (stopped.evaluations, len(heard), stopped.finished) == (17, 17, False)
    assert any("--budget" in text for text in stopped.sentences())
    lines = [format_record(keys[0], one) for one in heard]
    again: list[Evaluated] = []
    resumed = tune(league, ELO, known=lambda key: parse_records(lines, key), heard=again.append)
    assert resumed == tuned
    assert len(again) == tuned.evaluations - 17


def test_the_key_knows_what_decides():
    """The key of stored scores changes with a result, the system, the split and a fixed value."""
    league, keys = drawn_by_elo(300, 1), []

    def asked(key: str) -> list[Evaluated]:
        keys.append(key)
        raise KeyError

    score = league.score.copy()
    score[7] = 0.5
    for table, name, how in [
        (league, "elo", {}),
        (league, "elo", {}),
        (league.replace(score=score), "elo", {}),
        (league, "normal_elo", {}),
        (league, "elo", {"until": 0.7}),
        (league, "elo", {"params": {"k": 20.0}}),
        (league, "elo", {"metric": "brier"}),
    ]:
        with pytest.raises(KeyError):
            tune(table, find(name), known=asked, **how)
    assert keys[0] == keys[1]
    assert len(set(keys)) == 6


def test_contests_are_tuned_by_brier():
    """Contests of three have their K found too; the head of contests ends where the search does."""
    from prowess.games.games import Games

    rng = np.random.default_rng(3)
    strength = rng.normal(0.0, 1.5, 12)
    fields = [rng.choice(12, 3, replace=False) for _ in range(600)]
    order = [field[np.argsort(-(strength[field] + rng.gumbel(size=3)))] for field in fields]
    table = Games(
        players=[f"P{n}" for n in range(12)],
        start=np.arange(0, 1801, 3),
        player=np.concatenate(order).astype(np.uint32),
        place=np.tile([1.0, 2.0, 3.0], 600),
    )
    found = tune(table, ELO)
    assert found.metric == "brier"
    assert found.searched == 720  # 40 % of 1,800 rows
    assert found.score < found.score_before


def test_whole_table_systems_are_tuned():
    """The spread of a prior is found by refits: of players who are all alike a small one."""
    luck = np.random.default_rng(1).random(300)
    alike = drawn_by_elo(300, 1).replace(score=(luck < 0.5) * 1.0)
    found = tune(alike, find("map"), over={"sd": (10.0, 1000.0)}, starts=1)
    assert found.setting["sd"] < 100.0


# --- refusals ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "error", "told"),
    [
        ({"warm_up": 0.7}, Untunable, ("not_shares", "0.7")),
        ({"until": 1.5}, Untunable, ("not_shares", "1.5")),
        ({"metric": "accuracy"}, Untunable, ("metric_not_taken", "jumps")),
        ({"metric": "luck"}, Untunable, ("metric_not_taken", "log_loss")),
        ({"search": "magic"}, Untunable, ("unknown_search", "descent", "magic")),
        ({"over": {"kk": None}}, BadSetting, ("unknown_setting", "kk")),
        ({"over": {"k": (1.0, 50_000.0)}}, BadSetting, ("setting_out_of_range", "50000")),
        ({"over": {"k": (50.0, 5.0)}}, BadSetting, ("range_upside_down", "50:5")),
        ({"over": {"k": 5}}, BadSetting, ("not_a_range", "k=(LOW, HIGH)")),
        ({"over": {"k": ()}}, BadSetting, ("not_a_range", "two ends")),
        ({"params": {"k": 1.0, "advantage": 2.0}}, BadSetting, ("nothing_to_search",)),
    ],
)
def test_refusals(league, how, error, told):
    """What cannot be searched is refused with a reason and a remedy."""
    with refused(error, told[0], about=told[1:]):
        tune(league, ELO, **how)


def test_words_are_not_searched(league):
    """A parameter that is a word is refused by name."""
    with refused(BadSetting, "words_not_searched"):
        tune(league, find("smith"), over={"curve": None})


def test_too_few_games():
    """Thirty games that decide are the fewest; where shares could give them, shares are named."""
    with refused(Unratable, "too_few_games", about="70"):
        tune(drawn_by_elo(70, 1), ELO)
    with refused(Unratable, "too_few_games", about="warm-up"):
        tune(drawn_by_elo(120, 1), ELO, warm_up=0.5, until=0.6)


def test_optuna_finds_it_too(league, tuned):
    """The second search ends in the same place."""
    pytest.importorskip("optuna")
    found = tune(league, ELO, search="optuna")
    for one, other in zip(found.parameters, tuned.parameters, strict=True):
        assert one.value == approx(other.value, abs=(other.high - other.low) / 10.0)
