"""Notes on ratings that a reader would misunderstand, and forecasts that say what they are not."""

from __future__ import annotations

import pytest

import prowess

FLIPS = [("Ann", "Bob", 1.0), ("Ann", "Bob", 1.0)] * 40 + [("Ann", "Bob", 0.0)] * 80


def notes(games, system, **options):
    """The notes on the ratings of a table."""
    return prowess.rate(games, system, **options).notes


def test_a_wild_volatility_is_named():
    """A volatility above 0.3 is named, with what keeps it down; a bound holds it."""
    wild = prowess.rate(FLIPS, "glicko2", tau=2.0, start_volatility=1.0)
    assert wild["Ann"].volatility > 0.3, wild["Ann"]
    assert any("volatility_max" in note and "--period" in note for note in wild.notes)
    sure = {name: {"rating": r, "deviation": 30.0} for name, r in (("Ann", 3000.0), ("Bob", 900.0))}
    upsets = {"tau": 2.0, "initial": sure}
    free, held = (
        prowess.rate([("Ann", "Bob", 0)] * 20, "glicko2", **upsets, volatility_max=most)
        for most in (10.0, 0.062)
    )
    assert held["Ann"].volatility <= 0.062 + 1e-12 < free["Ann"].volatility
    assert not any("volatility" in note for note in held.notes)
    assert not any("volatility" in note for note in notes([("Ann", "Bob", 1)], "glicko2"))


@pytest.mark.parametrize("system", ["prowess", "elo"])
def test_games_of_one_moment_depend_on_the_order_of_rows(system):
    """That is said where all games have one time, and not where they have several."""
    rows = [("Ann", "Bob", 1), ("Bob", "Cid", 1), ("Cid", "Ann", 1)]
    for days, said in ((["2024-05-01"] * 3, True), (["2024-05-01"] * 2 + ["2024-05-02"], False)):
        a, b, score = zip(*rows, strict=True)
        table = {"a": a, "b": b, "score": score, "date": days}
        found = [note for note in notes(table, system) if "order of the rows" in note]
        assert bool(found) is said
    assert not [note for note in notes(rows, system) if "one moment" in note]


def test_an_expected_score_is_no_chance_to_win():
    """Under a system without draws, win and loss are empty where games were drawn."""
    drawn = [("Ann", "Bob", 1), ("Ann", "Bob", 0.5)]
    found = prowess.rate(drawn, "elo").forecast("Ann", "Bob")
    assert (found.win, found.draw, found.loss) == (None, None, None)
    assert found.expected > 0.5
    assert "davidson" in str(found)
    plain = prowess.rate([("Ann", "Bob", 1)], "elo").forecast("Ann", "Bob")
    assert plain.win == plain.expected == 1.0 - plain.loss
    model = prowess.rate([*drawn, ("Bob", "Ann", 1)], "davidson").forecast("Ann", "Bob")
    assert model.win + model.draw + model.loss == pytest.approx(1.0)


def test_a_grid_search_chooses_by_the_games():
    """The line of the docstring works where games were drawn, without a warning."""
    selection = pytest.importorskip("sklearn.model_selection")
    from prowess.sklearn import PairwiseRater

    games = prowess.simulate(players=8, games=400, seed=3)
    names = [[games.players[a], games.players[b]] for a, b in zip(games.a, games.b, strict=True)]
    results = ["loss" if s == 0 else "win" for s in games.score]
    results[::9] = ["draw"] * len(results[::9])
    search = selection.GridSearchCV(PairwiseRater("elo"), {"k": [0.01, 30]}, error_score="raise")
    scores = search.fit(names, results).cv_results_["mean_test_score"]
    assert all(0.3 < score < 1.0 for score in scores)
    assert scores[0] != scores[1]
