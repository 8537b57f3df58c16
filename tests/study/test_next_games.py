"""Whom to play next: by what is asked, with the reason, and rounds without a repeat."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import prowess
from prowess import errors
from prowess.study.pairings import match_players
from tests.refusals import refused
from tests.study.test_matchmaking import NAMES, results

DATED = [
    ("Ann", "Bob", 1, "2024-01-01"), ("Bob", "Cid", 1, "2024-01-11"),
    ("Cid", "Dee", 0.5, "2024-01-21"), ("Ann", "Bob", 0, "2024-01-31"),
]  # fmt: skip


def test_the_days_since_two_met_are_counted():
    """From their last game to the day of the ratings, by hand; none where two never met."""
    found = prowess.next_games(prowess.rate(DATED, "glicko2"), "Bob", goal="rest")
    assert list(zip(found["opponent"], found["days"], found["battles"], strict=True)) == [
        ("Dee", None, 0.0), ("Cid", 20.0, 1.0), ("Ann", 0.0, 2.0),
    ]  # fmt: skip
    assert found["why"][1].endswith("they met once, 20 days ago")


@pytest.mark.parametrize("goal", ["ranking", "closeness", "rest", "coverage"])
def test_games_come_in_the_order_of_the_goal(goal):
    """Of one player: by E (1 - E) v, |E - 1/2|, days or games so far, each worked out here."""
    ratings = prowess.rate(results(80), "glicko")
    found = prowess.next_games(ratings, NAMES[0], goal=goal, top=20)
    keys = []
    for name in found["opponent"]:
        expected = ratings.forecast(NAMES[0], name).expected
        both = ratings[NAMES[0]].deviation, ratings[name].deviation
        met = sum({a, b} == {NAMES[0], name} for a, b, _ in results(80))
        worth = expected * (1.0 - expected) * np.hypot(*both) ** 2
        if goal == "closeness":
            keys.append(round(abs(expected - 0.5), 9))
        else:
            keys.append({"ranking": 0.0, "coverage": met, "rest": -(met == 0)}[goal])
        assert found["worth"][len(keys) - 1] == pytest.approx(worth, rel=1e-9)
    assert len(keys) == 11
    assert keys == sorted(keys)
    if goal == "ranking":  # a second game of a player counts half, a third a third
        shares = [worth / (1.0 + k) for k, worth in enumerate(found["worth"])]
        assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("count", range(2, 12))
def test_rounds_have_no_repeat_and_share_what_is_free(count):
    """Everybody plays once in each round, no pair twice, nobody is free twice before all were."""
    ratings = prowess.rate(results(80), "elo")
    for rounds in range(1, count + count % 2):
        plan = prowess.next_games(ratings, among=NAMES[:count], rounds=rounds, goal="closeness")
        rows = list(zip(plan["round"], plan["player"], plan["opponent"], strict=True))
        for number in range(1, rounds + 1):
            seats = [name for at, a, b in rows if at == number for name in (a, b) if name]
            assert sorted(seats) == sorted(NAMES[:count])
        pairs = [frozenset((a, b)) for _, a, b in rows if b]
        assert len(set(pairs)) == len(pairs) == rounds * (count // 2)
        free = [a for _, a, b in rows if not b]
        assert len(set(free)) == len(free) == (rounds if count % 2 else 0)
    with refused(errors.BadArgument, "too_many_rounds"):
        prowess.next_games(ratings, among=NAMES[:count], rounds=count + count % 2)


def test_forty_players_have_rounds():
    """Ten rounds of forty players have two hundred pairs, each once."""
    ratings = prowess.rate(results(800, players=40), "elo")
    plan = prowess.next_games(ratings, rounds=10)
    assert (
        len({frozenset(pair) for pair in zip(plan["player"], plan["opponent"], strict=True)}) == 200
    )


def test_four_players_are_paired_at_the_least_cost():
    """Of the three pairings of four the cheapest is found, whatever costs are (by brute force)."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        cost = np.full((4, 4), np.inf)
        for a, b in combinations(range(4), 2):
            cost[a, b] = cost[b, a] = rng.random()
        found = match_players(cost, range(4))
        least = min(
            cost[0, k] + cost[min(left), max(left)]
            for k, left in ((1, {2, 3}), (2, {1, 3}), (3, {1, 2}))
        )
        assert found is not None
        assert sum(cost[pair] for pair in found) == pytest.approx(least)


def test_no_pairing_is_found_where_there_is_none():
    """Three players who may only play the fourth make no two games."""
    cost = np.full((4, 4), np.inf)
    cost[3, :3] = cost[:3, 3] = 1.0
    assert match_players(cost, range(4)) is None


@pytest.mark.parametrize(
    ("given", "kind", "code"),
    [
        ({"goal": "fun"}, errors.BadArgument, "not_a_choice"),
        ({"among": ["Ann"]}, errors.BadArgument, "too_few_players"),
        ({"among": ["Ann", "Zed"]}, errors.UnknownPlayer, "unknown_player"),
        ({"player": "Ann", "rounds": 1}, errors.BadArgument, "player_of_rounds"),
        ({"top": 0}, errors.BadArgument, "not_a_count"),
    ],
)
def test_wrong_questions_are_refused(given, kind, code):
    """Each mistake has one error."""
    with refused(kind, code):
        prowess.next_games(prowess.rate(DATED, "elo"), **given)


def test_chances_over_many_draws_are_their_mean():
    """The forecast of posterior means is the mean of the logistic curve over the joint draws."""
    ratings = prowess.rate(results(60), "posterior_mean")
    draws = ratings.fit.model
    for a, b in combinations(range(4), 2):
        apart = (draws[:, a] - draws[:, b]) * np.log(10.0) / 400.0
        mean = (1.0 / (1.0 + np.exp(-apart))).mean()
        assert ratings.chances(a, b, 0.0).expected == pytest.approx(mean, rel=1e-12)
