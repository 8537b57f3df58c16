"""Goal models: fits and laws of independent programs, edges, and forecasts of scores."""

from __future__ import annotations

import json
from math import factorial, log
from pathlib import Path

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.engine.places import Scores
from prowess.engine.system import Unratable
from prowess.games.games import Games
from prowess.present.pairs import forecast_grounds
from prowess.study.judging import knows_sides
from prowess.systems.catalogue import find
from prowess.systems.goals import (
    BIVARIATE,
    BIVARIATE_POISSON,
    DIXON_AND_COLES,
    DIXON_COLES,
    POISSON,
    POISSON_GOALS,
    score_chances,
)
from tests.refusals import refused

VALUES = json.loads((Path(__file__).parent / "goals_values.json").read_text(encoding="utf-8"))
CASES = VALUES["cases"]
FITS = {
    "goals.poisson_fit#01": POISSON_GOALS,
    "goals.dixon_coles_fit#01": DIXON_AND_COLES,
    "goals.dixon_coles_fit#02": DIXON_AND_COLES,
    "goals.bivariate_poisson_fit#01": BIVARIATE_POISSON,
}
TODAY = 18_000.0


def goals(rows, sides=True, **columns):
    """A table of (home, away, goals, goals)."""
    names = list(dict.fromkeys(name for row in rows for name in row[:2]))
    x, y = np.array([row[2:] for row in rows], dtype=np.float64).T
    a, b = (np.array([names.index(row[k]) for row in rows], dtype=np.uint32) for k in (0, 1))
    side = np.ones(len(rows)) if sides else None
    score = np.sign(x - y) / 2 + 0.5
    return Games(
        tuple(names), a, b, score, margin=x - y, points_a=x, points_b=y, side=side, **columns
    )


@pytest.mark.parametrize("case", FITS)
def test_fits_of_independent_programs(case):
    """Attacks, defences, mean, home advantage and the further number, with games ageing or not."""
    given, wanted = CASES[case]["inputs"], CASES[case]["expected"]
    time, params = None, {}
    if "xi" in given:
        time, params = TODAY - np.array(given["age_days"]), {"half_life": log(2.0) / given["xi"]}
    table = goals(VALUES["games"], time=time)
    found = fit_table(table, FITS[case], as_of=TODAY if params else None, params=params)
    near = CASES[case]["tolerance"]
    for column in ("attack", "defence"):
        mine = dict(zip(found.players, found.column(column).tolist(), strict=True))
        assert mine == approx(wanted[column], abs=near)
    known = dict(found.figures)
    if "lambda3" in known:
        known["log_lambda3"] = log(known.pop("lambda3"))
    assert known == approx({name: wanted[name] for name in known}, abs=near)
    assert found.column("rating") == approx(found.column("attack") + found.column("defence"))


def test_equal_sides_have_no_strength():
    """Where each beats each other one 2:1 at home all are equal: attacks are 0, not nearly so."""
    names = ("Ann", "Bob", "Cy")
    table = goals([[a, b, 2, 1] for a in names for b in names if a != b])
    found = fit_table(table, POISSON_GOALS, params={"sd": 0.5})
    assert {*found.column("attack").tolist(), *found.column("defence").tolist()} == {0.0}


@pytest.mark.parametrize(
    "case", [one for one in CASES if not one.partition("#")[0].endswith("fit")]
)
def test_laws_of_independent_programs(case):
    """The chances of results, of scores and of differences."""
    given, wanted = CASES[case]["inputs"], dict(CASES[case]["expected"])
    if "lambda1" in given:
        found = score_chances(BIVARIATE, *(given[f"lambda{k}"] for k in (1, 2, 3)))
    else:
        law = DIXON_COLES if "rho" in given else POISSON
        found = score_chances(law, given["home_mean"], given["away_mean"], given.get("rho", 0.0))
    near = CASES[case]["tolerance"]
    assert found.note == ""
    assert found.chances.win == approx(wanted.pop("win"), abs=near)
    assert found.chances.draw == approx(wanted.pop("draw"), abs=near)
    assert np.triu(found.grid, 1).sum() == approx(wanted.pop("lose"), abs=near)
    for name, chance in wanted.items():
        kind, *numbers = name.replace("minus_", "-").split("_")
        if kind == "score":
            assert found.grid[int(numbers[0]), int(numbers[1])] == approx(chance, abs=near)
        else:
            assert np.trace(found.grid, -int(numbers[0])) == approx(chance, abs=near)


def test_the_equations_of_the_likelihood():
    """Goals of all at home, and of and against each player, are met; neutral ground has no home."""
    games = [
        (*row, k % 3 > 0) for k, row in enumerate(VALUES["games"])
    ]  # a third on neutral ground
    table = goals([row[:4] for row in games])
    table = table.replace(side=np.array([float(row[4]) for row in games]))
    found = fit_table(table, POISSON_GOALS)
    means = np.array(
        [
            found.foresee_scores(int(a), int(b), side).goals
            for a, b, side in zip(table.a, table.b, table.side, strict=True)
        ]
    )
    at_home = table.side > 0
    assert means[at_home, 0].sum() == approx(table.points_a[at_home].sum())
    for k in range(len(table.players)):
        mine, theirs = table.a == k, table.b == k
        of_k = table.points_a[mine].sum() + table.points_b[theirs].sum()
        assert means[mine, 0].sum() + means[theirs, 1].sum() == approx(of_k)
        against = table.points_b[mine].sum() + table.points_a[theirs].sum()
        assert means[mine, 1].sum() + means[theirs, 0].sum() == approx(against)
    here, neutral = found.foresee_scores(0, 1, 1.0), found.foresee_scores(0, 1, 0.0)
    assert here.goals[0] / neutral.goals[0] == approx(np.exp(found.figures["home"]))
    assert here.goals[1] == approx(neutral.goals[1])


def test_deviations_are_those_of_the_information():
    """Against numerical second differences of the likelihood, written out again."""
    table = goals(VALUES["games"])
    found = fit_table(table, POISSON_GOALS)
    n = len(table.players)

    def likelihood(free):
        attack, defence = np.append(free[: n - 1], -free[: n - 1].sum()), free[n - 1 : 2 * n - 2]
        defence = np.append(defence, -defence.sum())
        mean, home = free[-2:]
        u = mean + home + attack[table.a] - defence[table.b]
        v = mean + attack[table.b] - defence[table.a]
        return float((table.points_a * u - np.exp(u) + table.points_b * v - np.exp(v)).sum())

    attack, defence = found.column("attack"), found.column("defence")
    figures = found.figures["mean"], found.figures["home"]
    top = np.concatenate((attack[:-1], defence[:-1], figures))
    step, k = 1e-4, len(top)
    h = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            e, f = step * np.eye(k)[i], step * np.eye(k)[j]
            at = [likelihood(top + s * e + t * f) for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
            h[i, j] = (at[0] - at[1] - at[2] + at[3]) / (4 * step * step)
    covariance = np.linalg.inv(-h)
    both = np.zeros(k)
    both[[0, n - 1]] = 1.0  # attack and defence of the first player
    assert found.column("deviation")[0] == approx((both @ covariance @ both) ** 0.5, rel=1e-4)


def test_a_prior_holds_who_never_scored():
    """Without a prior refused with the name; with one finite, and a narrower one draws nearer."""
    rows = [
        ("A", "B", 2, 0),
        ("B", "A", 0, 1),
        ("A", "C", 1, 2),
        ("C", "A", 0, 1),
        ("C", "B", 3, 0),
    ]
    with refused(Unidentifiable, "no_finite_ratings", about=("never scored: B", "sd=0.5")):
        fit_table(goals(rows), POISSON_GOALS)
    wide = fit_table(goals(rows), POISSON_GOALS, params={"sd": 1.0}).column("attack")
    narrow = fit_table(goals(rows), POISSON_GOALS, params={"sd": 0.1}).column("attack")
    assert wide[1] < narrow[1] < 0.0
    assert narrow.sum() == approx(0.0, abs=1e-9)


def test_groups_that_goals_do_not_connect():
    """Two leagues that never met."""
    rows = [(a, b, 1, 2) for a, b in zip("ABCD", "BADC", strict=True)]
    with refused(Unidentifiable, "no_finite_ratings", about="do not connect"):
        fit_table(goals(rows), POISSON_GOALS)


def test_a_side_that_never_changes():
    """Where one player alone is ever at home, attack and advantage are one number."""
    rows = [
        ("A", "B", 2, 1),
        ("A", "C", 1, 3),
        ("B", "C", 1, 1),
        ("C", "B", 2, 1),
        ("A", "B", 1, 1),
    ]
    table = goals(rows).replace(side=np.array([1.0, 1.0, 0.0, 0.0, 1.0]))
    with refused(Unidentifiable, "sides_not_separable", about="home=ignored"):
        fit_table(table, POISSON_GOALS)
    alone = fit_table(table, POISSON_GOALS, params={"home": "ignored"})
    bare = fit_table(table.replace(side=None), POISSON_GOALS)
    assert alone.column("rating") == approx(bare.column("rating"), abs=1e-12)
    assert any("no advantage is fitted" in note for note in bare.notes)


@pytest.mark.parametrize("wrong", [-1, 0.5, 1e6])
def test_goals_are_whole_numbers(wrong):
    """Others have no chance in these laws."""
    rows = [("A", "B", 1, 1), ("B", "A", 1, wrong)]
    with refused(Unratable, "not_goals", about=f"B against A, game 2 of the table, has {wrong:g}"):
        fit_table(goals(rows), POISSON_GOALS)


def test_what_few_games_leave_open():
    """Without scores of both kinds rho is 0; without goals that go together lambda3 is 0."""
    pairs = [("A", "B"), ("B", "C"), ("C", "A"), ("B", "A"), ("C", "B"), ("A", "C")]
    rows = [(*pair, 2 + k % 3, 2 + k % 2) for k, pair in enumerate(pairs)]
    found = fit_table(goals(rows), DIXON_AND_COLES)
    assert found.figures["rho"] == 0.0
    assert any("rho is 0" in note for note in found.notes)
    apart = [(*pair, 4 * (k % 2), 3 - 3 * (k % 2)) for k, pair in enumerate(2 * pairs[:3])]
    found = fit_table(goals(apart), BIVARIATE_POISSON)
    assert found.figures["lambda3"] == 0.0
    assert any("lambda3 is 0" in note for note in found.notes)
    plain = fit_table(goals(apart), POISSON_GOALS)
    assert found.column("attack") == approx(plain.column("attack"), abs=1e-12)


def test_rho_of_games_with_many_goals():
    """With means near 28, rho lies between -1/28 and 1/784; its own slope there is 0, by hand."""
    draw = np.random.default_rng(5)
    pairs = [(a, b) for a in "ABCD" for b in "ABCD" if a != b]
    rows = [(a, b, *draw.poisson(28.0, 2).tolist()) for a, b in 2 * pairs]
    found = fit_table(goals([*rows, ("A", "B", 0, 0), ("B", "A", 1, 0)]), DIXON_AND_COLES)
    rho, mean, home = (found.figures[name] for name in ("rho", "mean", "home"))
    attack, defence = found.column("attack"), found.column("defence")
    first = [np.exp(mean + home + attack[k] - defence[1 - k]) for k in (0, 1)]  # A, B at home
    second = [np.exp(mean + attack[1 - k] - defence[k]) for k in (0, 1)]
    nil, one = -first[0] * second[0], second[1]  # tau is 1 + rho times these
    assert 1.0 + rho * nil > 0.0
    assert 1.0 + rho * one > 0.0
    assert nil / (1.0 + rho * nil) + one / (1.0 + rho * one) == approx(0.0, abs=1e-6)


def test_a_rho_that_the_means_do_not_allow():
    """It is clipped to 1 / (lambda mu), where 0:0 has the chance 0, and the forecast says so."""
    found = score_chances(DIXON_COLES, 2.0, 1.5, 0.8)
    assert found.grid[0, 0] == 0.0
    assert found.grid.min() >= 0.0
    assert "0.333" in found.note
    # 1 + rho lambda of 0:1, by hand
    plain = np.exp(-3.5) * 1.5
    assert found.grid[0, 1] == approx(plain * (1.0 + 2.0 / 3.0))


@pytest.mark.parametrize(
    ("law", "further"), [(POISSON, 0.0), (DIXON_COLES, -0.05), (BIVARIATE, 0.3)]
)
def test_a_grid_has_no_more_than_either_side_needs(law, further):
    """Against the same products on a square: sides of 400 and 0.02 goals."""
    found = score_chances(law, 400.0, 0.02, further)
    rows, columns = found.grid.shape
    assert columns < 20
    assert rows > 400
    shared = further if law == BIVARIATE else 0.0
    assert found.goals == approx((400.0 + shared, 0.02 + shared), rel=1e-12)
    assert found.totals(columns + 1).under < 1e-12
    assert sum(found.totals(400)) == approx(1.0, abs=1e-12)
    # both score, where the first surely does: 1 - P(Y = 0)
    assert found.both_score == approx(1.0 - np.exp(-0.02 - shared), rel=1e-9)


def test_more_goals_than_are_foreseen():
    """Teams far apart are rated, and their game is refused before its grid is made."""
    chain = [("A", "B", 20, 1), ("B", "C", 200, 1), ("C", "D", 200, 1)]
    level = [("D", "E", 1, 1), ("E", "F", 1, 1), ("F", "D", 1, 1)]
    ratings = fit_table(goals(chain + level, sides=False), POISSON_GOALS)
    assert ratings.forecast("A", "B").win > 0.99
    k, other = map(ratings.index, ("A", "D"))
    assert forecast_grounds(ratings, k, other) == []
    with refused(Unratable, "too_many_goals", about="nearer"):
        ratings.forecast("A", "D")


def test_totals_and_both_score_by_hand():
    """Sums over the products of two Poisson laws; a whole line may be met."""
    rows = VALUES["games"]
    ratings = fit_table(goals(rows), POISSON_GOALS)
    found = prowess.forecast(ratings, ("A", "B"), side=1)
    first, second = found[0].scores.goals
    law = [[np.exp(-m) * m**k / factorial(k) for k in range(80)] for m in (first, second)]
    under = sum(law[0][i] * law[1][j] for i in range(3) for j in range(3 - i))
    level = sum(law[0][i] * law[1][3 - i] for i in range(4))
    assert found.totals(2.5).under == approx(under, abs=1e-12)
    assert found.totals(3).level == approx(level, abs=1e-12)
    assert sum(found.totals(3)) == approx(1.0)
    assert found.both_score == approx((1 - law[0][0]) * (1 - law[1][0]), abs=1e-12)
    assert found.scores.grid[1, 2] == approx(law[0][1] * law[1][2], abs=1e-12)
    assert found["win"][0] == approx(np.tril(found.scores.grid, -1).sum(), abs=1e-15)


def test_other_systems_have_no_scores():
    """One error, with the remedy."""
    found = prowess.forecast([("A", "B", 1)], [("A", "B")], system="elo")
    for ask in (lambda: found.scores, lambda: found.both_score, lambda: found.totals(2.5)):
        with refused(Unratable, "no_scores", about="poisson_goals"):
            ask()


def test_an_advantage_that_is_fitted_is_one():
    """Judged on a table with sides, nobody says that a goal model has no side advantage."""
    assert all(map(knows_sides, (POISSON_GOALS, DIXON_AND_COLES, BIVARIATE_POISSON)))
    assert not knows_sides(find("colley"))


def test_chances_are_bounded():
    """Sums of a grid are rounded: chances stay from 0 to 1 where a win is certain."""
    found = score_chances(POISSON, 550.0, 20.0).chances
    assert found.win <= 1.0 and found.expected <= 1.0  # noqa: PT018
    assert found.loss >= 0.0
    rounded = Scores(np.array([[0.0, 0.0], [1.0000000000000002, 0.0]])).chances
    assert (rounded.win, rounded.draw, rounded.loss) == (1.0, 0.0, 0.0)
