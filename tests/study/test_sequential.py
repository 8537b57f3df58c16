"""Sequential tests of programs: laws, LLR, estimates, bounds, and pairs of games."""

from __future__ import annotations

import json
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import prowess
from prowess.games.arguments import BadArgument
from prowess.study.sequential import (
    Hypotheses,
    accumulate_counts,
    bayes_law,
    correct_bounds,
    elo_of,
    find_pairs,
    fit_law,
    foresee,
    law_of_games,
)
from tests.cli.command import answered, prowess as run, refused
from tests.refusals import refused as raises

# fishtest's own functions on these counts: M. Van den Bergh, The Generalized Maximum Likelihood
# Ratio for the Expectation Value of a Distribution, and Normalized Elo (documents of fishtest).
# counts, elo0, elo1, LLR logistic and normalised, Elo, half width of 95 %, LOS, normalised Elo
FISHTEST = [
    ([412, 3005, 6210, 3120, 445], 0.0, 2.0, 1.6705136806340282, 1.2944648986023528,
     2.383521358818881, 2.522453993945726, 0.9679944854691357, 3.961586308896223),
    ([55, 410, 760, 520, 71], -1.75, 0.25, 2.1742642519339013, 1.343420406364131,
     13.590587547893094, 7.084154328365793, 0.9999165424306417, 21.702165491075537),
    ([1200, 9100, 1311], 0.0, 5.0, 1.827841966748088, 2.233132308487167,
     3.321550676795342, 2.9385588044154387, 0.9866405546237014, 7.14382642782645),
    ([3, 40, 95, 61, 9], 0.0, 10.0, 2.205136924884155, 1.4232604879068336,
     27.619026813880183, 19.77305184067837, 0.9970406539416791, 46.88305029677745),
]  # fmt: skip
# BayesElo's trinomial (R. Coulom), by arithmetic: Elo, draw Elo, loss, draw, win, logistic Elo
BAYES = [
    (5.0, 120.0, 0.3274903566650149, 0.33221763747973315, 0.34029200585525193, 4.4479914749267335),
    (-12.0, 200.0, 0.2530870785710568, 0.519041594897527, 0.22787132653141615, -8.762707098766825),
    (0.0, 327.0, 0.13211765423936409, 0.7357646915212719, 0.13211765423936409, 0.0),
]  # fmt: skip
BOUND = log(0.95 / 0.05)
TESTS = 150  # that are simulated


@pytest.mark.parametrize("case", FISHTEST)
def test_values_of_fishtest(case):
    """LLR of both models, bounds, and the estimates."""
    counts, elo0, elo1, logistic, normalised, elo, half, los, normalised_elo = case
    for model, llr in (("logistic", logistic), ("normalised", normalised)):
        test = prowess.sprt(counts=counts, elo0=elo0, elo1=elo1, model=model)
        assert test.llr == pytest.approx(llr, rel=1e-10)
        assert (test.lower, test.upper) == pytest.approx((-BOUND, BOUND), rel=1e-14)
        assert test.verdict == "continue"
    found: Any = test.estimate
    assert found.elo == pytest.approx(elo, rel=1e-12)
    assert (found.high - found.low) / 2.0 == pytest.approx(half, rel=1e-12)
    assert found.los == pytest.approx(los, rel=1e-12)
    assert found.normalised_elo == pytest.approx(normalised_elo, rel=1e-12)


@pytest.mark.parametrize(("elo", "draw", "loss", "drawn", "won", "logistic"), BAYES)
def test_bayes_elo(elo, draw, loss, drawn, won, logistic):
    """The three probabilities, and the difference of their expected score."""
    (law,) = bayes_law(elo, np.array([draw]))
    assert law == pytest.approx([loss, drawn, won], abs=1e-12)
    assert elo_of(law @ [0.0, 0.5, 1.0]) == pytest.approx(logistic, abs=1e-10)


def test_pairs_that_are_mostly_split():
    """500 pairs, 440 split and 60 at 1.5 to 0.5: the pairs say much more than the games would."""
    found: Any = prowess.sprt(counts=[0, 0, 440, 60, 0]).estimate
    assert (found.high - found.low) / 2.0 == pytest.approx(5.0, abs=0.05)
    assert found.normalised_elo == pytest.approx(90.7, abs=0.05)
    assert found.pair_elo == float("inf")
    # 100 log10((2 WW + WD + DW) / (2 LL + LD + DL)) of 9 + 9 + 61 against 3 + 3 + 40
    assert prowess.sprt(counts=[3, 40, 95, 61, 9]).estimate.pair_elo == pytest.approx(
        100.0 * np.log10(79.0 / 46.0)
    )


@pytest.mark.parametrize("model", ["logistic", "normalised"])
@pytest.mark.parametrize("counts", [[3, 40, 95, 61, 9], [30, 50, 25]])
def test_a_law_is_the_most_likely_one(model, counts):
    """A general optimiser under the same condition finds no likelier law."""
    shares, values = np.array(counts) / sum(counts), np.linspace(0.0, 1.0, len(counts))
    law = fit_law(shares[None], 12.0, model)[0]
    scale = sqrt(2.0) if len(counts) == 5 else 1.0

    def condition(one: Any) -> float:
        mean = one @ values
        if model == "logistic":
            return float(mean - 1.0 / (1.0 + 10.0 ** (-12.0 / 400.0)))
        return float((mean - 0.5) / sqrt(one @ (values - mean) ** 2) - 12.0 * log(10) / 800 * scale)

    found = minimize(
        lambda one: -shares @ np.log(one), shares, method="SLSQP", bounds=[(1e-9, 1.0)] * len(law),
        constraints=[{"type": "eq", "fun": f} for f in (condition, lambda one: sum(one) - 1.0)],
        options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert condition(law) == pytest.approx(0.0, abs=1e-10)
    assert shares @ np.log(law) >= -found.fun - 1e-9
    assert law == pytest.approx(found.x, abs=1e-4)


@pytest.mark.parametrize(("truth", "verdict"), [(0.0, "elo0"), (100.0, "elo1")])
@pytest.mark.parametrize("model", ["logistic", "normalised", "bayeselo"])
def test_errors_are_as_rare_as_asked_for(truth, verdict, model):
    """Of simulated tests at most as many err as 0.05 allows, and they last as foreseen."""
    paired = model != "bayeselo"
    test = Hypotheses(0.0, 100.0, model=model)
    law = law_of_games(truth, 0.4, paired=paired, model=model)
    chance = np.random.default_rng(17)
    sequences = np.stack([
        accumulate_counts(chance.choice(len(law), 2_000, p=law), len(law)) for _ in range(TESTS)
    ])  # fmt: skip
    wrong, lengths, running = 0, [], np.arange(TESTS)
    for begin in range(0, 2_000, 25):  # of all tests together: rows that are many cost little
        rows = sequences[running, begin : begin + 25]
        paths = test.measure(rows.reshape(-1, len(law))).reshape(len(running), 25)
        over = np.abs(paths) >= BOUND
        ended, first = over.any(axis=1), over.argmax(axis=1)
        accepted = paths[np.arange(len(running)), first][ended] > 0.0
        wrong += int((accepted != (verdict == "elo1")).sum())
        lengths += [(begin + int(one) + 1) * (2 if paired else 1) for one in first[ended]]
        running = running[~ended]
        if not len(running):
            break
    assert len(lengths) == TESTS
    # P(more than 13 of 150 with probability 0.05) is 0.02; overshoot makes errors rarer still
    assert wrong <= 13
    foreseen = foresee(test, law).games
    assert 0.9 * foreseen < np.mean(lengths) < 1.3 * foreseen  # overshoot prolongs short tests


def test_what_follows_is_walds():
    """Under either hypothesis a test accepts with the probability that was asked for."""
    for alpha, beta in ((0.05, 0.05), (0.01, 0.2)):
        for model in ("logistic", "normalised"):
            plan = prowess.plan_sprt(elo1=4.0, alpha=alpha, beta=beta, model=model, draws=0.6)
            assert plan["accepts"][0] == pytest.approx(alpha, abs=2e-3)
            assert plan["accepts"][-1] == pytest.approx(1.0 - beta, abs=2e-3)
            assert max(plan["games"]) == max(plan["games"][1:4])  # longest where it is undecided
    near, exact = (foresee(Hypotheses(-a, a), law_of_games(0.0, 0.6, paired=True, model="logistic"))
                   for a in (2.0, 2.0 + 1e-9))  # fmt: skip
    assert near.games == pytest.approx(exact.games, rel=1e-6)  # no drift, and next to none
    assert near.accepts == pytest.approx(0.5, abs=1e-6)


def test_bounds_with_overshoot():
    """The sums of the records of LLR, one observation after the other, as Siegmund has them."""
    test = Hypotheses(0.0, 10.0)
    chance = np.random.default_rng(5)
    sequence = accumulate_counts(chance.choice(5, 300, p=[0.02, 0.2, 0.5, 0.24, 0.04]), 5)
    low, high, least, most = [], [], 0.0, 0.0
    for row in sequence:
        llr = float(test.measure([row])[0])
        if llr < least:
            low.append(least - llr)
            least = llr
        if llr > most:
            high.append(llr - most)
            most = llr
    below = sum(one * one for one in low) / sum(low) / 2.0
    above = sum(one * one for one in high) / sum(high) / 2.0
    found = correct_bounds(test.bounds, test.measure_path(sequence))
    assert found == pytest.approx((below - BOUND, BOUND - above))


def test_each_llr_is_computed_once(monkeypatch):
    """Bounds with overshoot and the end of the test come from one path; the last row is judged."""
    rows = []
    ratios = Hypotheses.ratios

    def count(self, shares):
        rows.append(len(shares))
        return ratios(self, shares)

    monkeypatch.setattr(Hypotheses, "ratios", count)
    games = [("new", "old", 1), ("old", "new", 0.5), ("new", "old", 0), ("old", "new", 0.5)] * 600
    for overshoot in (False, True):
        rows.clear()
        test = prowess.sprt(games, "new", overshoot=overshoot)
        assert test.verdict == "continue"
        assert sum(rows) == 1_200 + 2  # observations, their sum, and the law of the outlook


def test_the_first_bound_decides():
    """A test that has reached a bound has ended, whatever follows."""
    lost = [("old", "new", 1), ("new", "old", 0.5)] * 300
    won = [("new", "old", 1), ("old", "new", 0.5)] * 200
    test = prowess.sprt([*won, *lost], "new", elo1=50)
    assert (test.verdict, test["value"][0], test.games) == ("elo1", "elo1", 1000)
    alone = next(n for n in range(1, 200) if prowess.sprt(won[: 2 * n], elo1=50).verdict == "elo1")
    assert test.notes == (
        f"the test ended after {alone} of 500 pairs; its numbers are those of all",
    )
    assert prowess.sprt(won[:1]).counts == (0, 0, 1)  # one game is in no pair


def test_a_plan_without_draws():
    """Games that are never drawn have a plan; tests of large differences do not last below 0."""
    for unit in ("pairs", "games"):
        plan = prowess.plan_sprt(draws=0.0, unit=unit)
        assert plan["accepts"][0] == pytest.approx(0.05, abs=1e-3)
        assert min(plan["games"]) > 1_000
    assert prowess.sprt(counts=[0, 50, 0], elo0=-2000, elo1=2000).outlook.games >= 0.0


def test_pairs_of_games():
    """Two games of one round, or neighbours, with places exchanged; others are alone."""
    other, place = np.array([1, 1, 1, 1, 1]), np.array([True, False, True, True, False])
    assert find_pairs(other, place, None) == ([(0, 1), (3, 4)], [2])
    rounds = np.array([1, 2, 1, 2, 3])
    place = np.array([True, True, False, False, True])
    assert find_pairs(other, place, rounds) == ([(0, 2), (1, 3)], [4])
    games = [("new", "old", 1), ("old", "new", 0.5), ("new", "old", 0.5), ("old", "new", 1)]
    test = prowess.sprt(games)
    assert (test.counts, test.games, test.title) == (
        (0, 1, 0, 1, 0), 4, "Sequential test of new",
    )  # fmt: skip
    assert prowess.sprt(games, "old").counts == (0, 1, 0, 1, 0)
    assert prowess.sprt(games, unit="games").counts == (1, 2, 1)
    odd = prowess.sprt([*games, ("new", "old", 1), ("new", "old", 1)])
    assert odd.counts == (1, 2, 3)
    assert odd.notes[0] == "by games: 2 of 6 games are in no pair"
    forced = prowess.sprt([*games, ("new", "old", 1), ("new", "old", 1)], unit="pairs")
    assert forced.notes[0] == "2 of 6 games left out: in no pair"


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("games_or_counts", {}),
        ("games_or_counts", {"games": [("a", "b", 1)], "counts": [1, 2, 3]}),
        ("counts_of_outcomes", {"counts": [1, 2]}),
        ("counts_of_outcomes", {"counts": [1, 2, 3], "unit": "pairs"}),
        ("counts_of_outcomes", {"counts": [1, 2, 3, 4, 5], "model": "bayeselo"}),
        ("model_of_pairs", {"counts": [1, 2, 3], "model": "fishtest", "unit": "games"}),
        ("hypotheses", {"counts": [1, 2, 3], "elo0": 5, "elo1": 5}),
        ("errors_of_a_test", {"counts": [1, 2, 3], "alpha": 0.5, "beta": 0.5}),
        ("options_of_games", {"counts": [1, 2, 3], "overshoot": True}),
        ("options_of_games", {"counts": [1, 2, 3], "program": "x"}),
        ("hypotheses", {"counts": [1, 2, 3], "elo1": 400, "model": "normalised"}),
        ("shared_score", {"games": [("a", "b", 0.7), ("b", "a", 1)]}),
    ],
)
def test_refusals(code, given):
    """One clear error with its remedy."""
    with raises(BadArgument, code):
        prowess.sprt(**given)


def test_on_the_command_line(tmp_path):
    """A file, counts or a plan; JSON has no infinity."""
    file = tmp_path / "games.csv"
    rows = ["white,black,result", *["new,old,1-0", "old,new,1/2-1/2"] * 40]
    file.write_text("\n".join(rows) + "\n")
    data = json.loads(answered("sprt", file, "--elo1", "100", "--json"))
    assert (data["verdict"], data["unit"], data["counts"]) == ("elo1", "pairs", [0, 0, 0, 40, 0])
    assert data["estimate"]["pair_elo"] is None
    told = answered("sprt", file, "--elo1", "100")
    assert "Accepted: better by 100 Elo rather than by 0." in told
    assert "tested is new, the first" in run("sprt", file).stderr
    assert "tested is" not in run("sprt", file, "--program", "new").stderr
    assert "Play on" in answered("sprt", "--counts", "412,3005,6210,3120,445", "--elo1", "2")
    plan = run("sprt", "--draws", "0.6", "--model", "fishtest", "--at", "0,5", "--csv").stdout
    assert [line.split(",")[0] for line in plan.splitlines()] == ["elo", "0.0", "5.0"]
    for words in ([], [file, "--counts", "1,2,3"], ["--draws", "0.5", file], [file, "--at", "1"]):
        refused(2, "sprt", *words)
    assert "30,50,20" in refused(2, "sprt", "--counts", "a,b")
    assert json.loads(answered("sprt", "--counts", "1,2,3", "--json"))["unit"] == "games"
    assert "--draws as well" in refused(2, "sprt", "--at", "1")
    assert "--program" in refused(2, "sprt", "--draws", "0.5", "--program", "x")
