"""What a game would change is what it changes when it is played."""

from __future__ import annotations

import pytest
from pytest import approx

import prowess
from prowess.engine.system import Unratable
from prowess.study.forecasting.performance import assess_game
from tests.engine.tables import contests, games
from tests.refusals import refused

ROWS = [
    ("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Dan", 1.0), ("Dan", "Ada", 1.0),
    ("Ben", "Ada", 0.5), ("Cleo", "Ada", 0.0), ("Dan", "Ben", 0.0), ("Dan", "Cleo", 0.5),
]  # fmt: skip
DAYS = [100.0, 100.5, 101.0, 108.0, 109.0, 120.0, 121.0, 122.0]


def test_elo_by_hand():
    """K (s - E) for the one and minus that for the other, with the advantage of the side."""
    ratings = prowess.rate(games(ROWS), "elo", k=20.0, advantage=40.0)
    gap = ratings["Ada"].rating + 40.0 - ratings["Ben"].rating
    expected = 1 / (1 + 10 ** (-gap / 400))
    changes = assess_game(ratings, "Ada", "Ben", 1.0)
    assert [one.result for one in changes] == ["win", "draw", "loss"]
    for one, score in zip(changes, (1.0, 0.5, 0.0), strict=True):
        assert one.a["rating"] == approx(20 * (score - expected))
        assert one.b["rating"] == approx(-20 * (score - expected))


@pytest.mark.parametrize(
    ("name", "period"),
    [("glicko", None), ("glicko", "7d"), ("glicko2", "1mo"), ("davidson", None), ("points", None),
     ("ics", None), ("posterior_mean", None)],
)  # fmt: skip
def test_as_if_it_had_been_played(name, period):
    """The table with that game at its end gives the changed ratings."""
    before = prowess.rate(games(ROWS, time=DAYS), name, period=period)
    changes = assess_game(before, "Cleo", "Ada", 0.0)
    for one, score in zip(changes, (1.0, 0.5, 0.0), strict=True):
        longer = games([*ROWS, ("Cleo", "Ada", score)], time=[*DAYS, DAYS[-1]])
        after = prowess.rate(longer, name, period=period)
        for column, change in one.a.items():
            k = before.index("Cleo")
            moved = after.column(column)[k] - before.column(column)[k]
            assert change == approx(moved, abs=1e-9)


def test_a_win_is_better():
    """A win is worth more than a draw, a draw more than a loss; nothing of the ratings changes."""
    ratings = prowess.rate(games(ROWS, time=DAYS), "glicko")
    was = ratings.column("rating").copy()
    win, draw, loss = (one.a["rating"] for one in assess_game(ratings, "Ben", "Dan"))
    assert win > draw > loss
    assert (ratings.column("rating") == was).all()


def test_on_the_day_of_the_ratings():
    """With a later day of the ratings the game is played then: who waited is known less well."""
    table = games(ROWS, time=DAYS)
    now = assess_game(prowess.rate(table, "glicko"), "Ada", "Ben")[0]
    later = assess_game(prowess.rate(table, "glicko", as_of=2000.0), "Ada", "Ben")[0]
    assert later.a["rating"] > now.a["rating"]


def test_refusals():
    """and systems that rate by more than a score, are refused in words."""
    with refused(Unratable, "no_duels", about="contests"):
        assess_game(prowess.rate(contests([[("Ada", 1), ("Ben", 2)]]), "elo"), "Ada", "Ben")
    lengths = games(ROWS, margin=[1.0, 0.0, 2.0, 1.0, 0.0, -3.0, -1.0, 0.0], length=[9.0] * 8)
    with refused(Unratable, "needs_more_than_scores"):
        assess_game(prowess.rate(lengths, "apterous"), "Ada", "Ben")


@pytest.mark.parametrize("name", ["poisson_goals", "keener", "aps", "points", "massey"])
def test_points_are_not_made_up(name):
    """A result alone says no points: one of 0:0 would be the same whoever won."""
    goals = {"points_a": [2.0, 1, 3, 0, 1, 0, 2, 1], "points_b": [1.0, 1, 0, 0, 2, 3, 1, 2]}
    margin = [a - b for a, b in zip(*goals.values(), strict=True)]
    score = [0.5 + 0.5 * ((m > 0) - (m < 0)) for m in margin]
    pairs = ["AB", "BC", "CD", "DA", "AC", "BD", "BA", "CB"]
    rows = [(*pair, one) for pair, one in zip(pairs, score, strict=True)]
    params = {"sd": 1.0} if name == "poisson_goals" else {}
    rated = prowess.rate(games(rows, **goals, margin=margin), name, **params)
    with refused(Unratable, "needs_more_than_scores"):
        assess_game(rated, "A", "B")
    plain = prowess.rate(games(rows, **goals, margin=margin), "copeland")
    win, _, loss = (one.a["points"] for one in assess_game(plain, "A", "B"))
    assert win >= loss
