"""Pair by pair: scores against expected scores, holes, and what to play next."""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
import pytest

import prowess
from prowess.engine import upcoming
from prowess.engine.system import Unratable
from prowess.study.pairings import next_battles, pairing_table
from prowess.study.scores import wilson_interval
from tests.engine.tables import contests, games
from tests.refusals import refused

ROWS = [("Ada", "Ben", 1.0), ("Ben", "Ada", 0.5), ("Ben", "Cleo", 1.0), ("Cleo", "Dan", 1.0)]
TABLE = games(ROWS)


# SciPy 1.17.1, scipy.stats.binomtest(k, n).proportion_ci(level, method="wilson").
WILSON = [
    (4, 5, 0.95, 0.3755346297625253, 0.9637758913675698),
    (0, 3, 0.95, 0.0, 0.5614970317550454),
    (137, 200, 0.99, 0.5956112081334786, 0.7625083603287746),
]


@pytest.mark.parametrize(("won", "battles", "level", "low", "high"), WILSON)
def test_wilson(won, battles, level, low, high):
    """Wilson's interval as an independent program gives it."""
    assert wilson_interval(won / battles, battles, level) == pytest.approx((low, high), abs=1e-12)


def test_pairs():
    """Battles, score, expected score and surplus of each pair, the higher one first."""
    ratings = prowess.rate(TABLE, "elo")
    table = pairing_table(ratings)
    assert len(table.pairs) == 3
    first = next(pair for pair in table.pairs if {pair.player, pair.opponent} == {"Ada", "Ben"})
    assert first.battles == 2
    score = 0.75 if first.player == "Ada" else 0.25
    expected = ratings.forecast(first.player, first.opponent).expected
    assert first.score == score
    assert first.expected == pytest.approx(expected)
    assert first.surplus == pytest.approx(score - expected)
    assert {frozenset(hole) for hole in table.holes} == {
        frozenset(pair) for pair in (("Ada", "Cleo"), ("Ada", "Dan"), ("Ben", "Dan"))
    }


def test_pairs_of_one_player():
    """Every other player is an opponent, met or not, and all is seen from the player's side."""
    table = pairing_table(prowess.rate(TABLE, "elo"), "Ben")
    assert {pair.opponent: pair.score for pair in table.pairs} == {"Ada": 0.25, "Cleo": 1.0}
    assert table.holes == [("Ben", "Dan")]


def test_expected_scores_count_the_sides_they_had():
    """Twice at home and once away: the mean of what was expected of these three games."""
    rows = [("Ada", "Ben", 1.0), ("Ada", "Ben", 0.0), ("Ben", "Ada", 0.0)]
    ratings = prowess.rate(games(rows, side=[1.0, 1.0, 1.0]), "elo", advantage=100)
    pair = pairing_table(ratings, "Ada").pairs[0]
    home, away = (ratings.forecast("Ada", "Ben", side).expected for side in (1.0, -1.0))
    assert pair.expected == pytest.approx((2 * home + away) / 3)


def test_without_a_model_nothing_is_expected():
    """A league table has no expected scores."""
    table = pairing_table(prowess.rate(TABLE, "points"))
    assert {pair.expected for pair in table.pairs} == {None}
    assert not any(pair.surprising for pair in table.pairs)


def test_a_surprise_lies_outside_the_interval():
    """Twenty games won by the one who loses to everybody else."""
    rows = [("Dan", "Ada", 1.0)] * 20
    rows += [(a, b, 1.0) for a in ("Ada",) for b in ("Ben", "Cleo") for _ in range(60)]
    rows += [(b, "Dan", 1.0) for b in ("Ben", "Cleo") for _ in range(60)]
    table = pairing_table(prowess.rate(games(rows), "bradley_terry"))
    odd = {frozenset((p.player, p.opponent)) for p in table.pairs if p.surprising}
    assert frozenset(("Dan", "Ada")) in odd


def test_the_unknown_comes_first():
    """Where ratings know how sure they are, the pair known least is played first.

    Ada and Ben met 40 times, Cleo twice: both of Cleo's pairs are worth more than Ada - Ben.
    """
    rows = [("Ada", "Ben", 0.5)] * 40 + [("Ada", "Cleo", 0.5), ("Ben", "Cleo", 0.5)]
    battles = next_battles(prowess.rate(games(rows), "glicko"), 3)
    assert {battles[0].player, battles[0].opponent} > {"Cleo"}
    assert {battles[-1].player, battles[-1].opponent} == {"Ada", "Ben"}
    assert (battles[0].worth or 0.0) > (battles[-1].worth or 0.0) > 0.0


def test_worth_is_the_chance_of_a_surprise_times_the_variance():
    """E (1 - E) (d_a^2 + d_b^2) for independent deviations."""
    ratings = prowess.rate(TABLE, "glicko")
    for battle in next_battles(ratings, 6):
        a, b = ratings[battle.player], ratings[battle.opponent]
        e = ratings.forecast(battle.player, battle.opponent).expected
        variance = a.deviation**2 + b.deviation**2
        assert battle.worth == pytest.approx(e * (1 - e) * variance)


def test_elsewhere_pairs_that_never_met_come_first():
    """Elo does not know how sure it is: holes before pairs that met, no pair twice."""
    battles = next_battles(prowess.rate(TABLE, "elo"), 10)
    assert [battle.battles for battle in battles] == [0, 0, 0, 1, 1, 2]
    assert all(battle.worth is None and battle.why for battle in battles)
    assert len({frozenset((one.player, one.opponent)) for one in battles}) == 6


def test_a_budget_of_one_player():
    """Only his battles, as many as were asked for."""
    battles = next_battles(prowess.rate(TABLE, "elo"), 2, "Dan")
    assert [one.player for one in battles] == ["Dan", "Dan"]
    assert {one.battles for one in battles} == {0}


def test_contests_have_no_pairings():
    """Places in a field are no battles between two."""
    ratings = prowess.rate(contests([[("Ada", 1), ("Ben", 2)]]))
    with refused(Unratable, "no_duels", about="contests"):
        pairing_table(ratings)


@pytest.mark.parametrize("at_once", [3, 20_000])
@pytest.mark.parametrize("more", [{}, {"side": True}, {"family": True}])
def test_pairs_of_a_bank_as_one_at_a_time(more, at_once, monkeypatch):
    """The chances of all pairs by arrays are those of each game alone, however many at once."""
    names = ["Ada 1", "Ada 2", "Ben 1", "Ben 2", "Cleo", "Dan"]
    chance = Random(1)
    rows = [
        {"date": f"2020-01-{day + 1:02}", "a": a, "b": b, "score": chance.choice([0.0, 0.5, 1.0])}
        | ({"side": chance.choice([-1, 0, 1])} if "side" in more else {})
        for day, (a, b) in enumerate(tuple(chance.sample(names, 2)) for _ in range(28))
    ]
    reading = {name: value for name, value in more.items() if name == "family"}
    ratings = prowess.rate(prowess.read_games(rows, **reading), "prowess")
    monkeypatch.setattr(upcoming, "PASS_GAMES", at_once)
    known = [ratings.index(name) for name in names]
    i, j = (np.array(column) for column in zip(*permutations(known, 2), strict=True))
    side = np.array([chance.choice([-1.0, 0.0, 1.0]) for _ in i])
    expected, draws = ratings.forecast_players(i, j, side)
    assert draws is not None
    alone = [ratings.chances(int(a), int(b), float(s)) for a, b, s in zip(i, j, side, strict=True)]
    assert expected == pytest.approx([one.expected for one in alone], abs=1e-9)
    assert draws == pytest.approx([one.draw for one in alone], abs=1e-9)
