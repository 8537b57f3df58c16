"""Fair teams: the best of all splits by brute force, conditions that are kept, honest words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import prowess
from prowess import errors
from prowess.study import matchmaking
from prowess.study.matchmaking import Conditions, first_of_normal
from tests.refusals import refused

NAMES = [
    f"{first}{second}" for first in "ABCDEFGH" for second in ("aron", "elia", "iggy", "oran", "unk")
]


def results(count: int, players: int = 12, seed: int = 3) -> list[tuple[str, str, float]]:
    """Made-up games in which an earlier name is the stronger player."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        a, b = rng.choice(players, 2, replace=False).tolist()
        chance = 1.0 / (1.0 + np.exp((a - b) / 5.0))
        found.append((NAMES[a], NAMES[b], float(rng.random() < chance)))
    return found


def halves(names: Sequence[str]) -> Iterator[list[list[str]]]:
    """Every split into two sides of one size, written in the obvious way."""
    first, *rest = names
    for others in combinations(rest, len(names) // 2 - 1):
        yield [[first, *others], [one for one in rest if one not in others]]


def thirds(names: Sequence[str]) -> Iterator[list[list[str]]]:
    """Every split into three sides of one size."""
    first, *rest = names
    for others in combinations(rest, len(names) // 3 - 1):
        left = [one for one in rest if one not in others]
        yield from ([[first, *others], *two] for two in halves(left))


def worst_of(ratings: Any, teams: Any) -> float:
    """The largest distance of a side's chance from even, by the forecast itself."""
    chance = ratings.forecast_contest(teams).places[:, 0]
    return float(np.abs(chance - 1.0 / len(teams)).max())


@pytest.mark.parametrize("system", ["elo", "glicko2", "trueskill", "weng_lin_tm", "prowess"])
def test_the_split_is_the_best_of_all(system):
    """No split into two or three sides is nearer to even chances, by brute force over forecasts."""
    ratings = prowess.rate(results(60), system)
    for names, every, into, count in (
        (NAMES[:8], halves, 2, 35), (NAMES[:6], thirds, 3, 15),
    ):  # fmt: skip
        found = prowess.balance(ratings, names, into=into)
        best = min(worst_of(ratings, teams) for teams in every(names))
        assert found.worst == pytest.approx(best, abs=1e-9)
        assert found.worst == pytest.approx(worst_of(ratings, found.teams), abs=1e-12)
        assert (found.exact, found.splits) == (True, count)


def test_twelve_players_are_split_exactly():
    """Of twelve players all 462 splits are looked at, and the best of them is found."""
    ratings = prowess.rate(results(100), "elo")
    found = prowess.balance(ratings, NAMES[:12])
    best = min(worst_of(ratings, teams) for teams in halves(NAMES[:12]))
    assert found.worst == pytest.approx(best, abs=1e-9)
    assert found.splits == 462


@pytest.mark.parametrize(
    ("sizes", "count"), [((3, 3, 3), 280), ((2, 2, 2, 2), 105), ((4, 3), 35), ((3, 2, 2), 105)]
)
def test_every_split_comes_once(sizes, count):
    """There are n! / (the factorials of sizes, and of how often each size stands) splits."""
    every = list(Conditions(sizes).splits())
    sides = {
        frozenset(
            frozenset(k for k, one in enumerate(split) if one == side) for side in range(len(sizes))
        )
        for split in every
    }
    assert len(every) == len(sides) == count


def test_a_normal_performance_is_first_as_often_as_simulated():
    """The chance to be the best of three normal performances, against two million drawn ones."""
    mean, deviation = np.array([25.0, 27.0, 22.0]), np.array([4.0, 6.0, 9.0])
    drawn = np.random.default_rng(1).normal(mean, deviation, (2_000_000, 3)).argmax(axis=1)
    share = np.bincount(drawn) / len(drawn)
    found = first_of_normal(mean[None], deviation[None])[0]
    np.testing.assert_allclose(found, share, atol=4 * np.sqrt(0.25 / len(drawn)))


def test_conditions_are_kept():
    """Players stay together and apart, captains lead the sides in order; of few and of many."""
    ratings = prowess.rate(results(200, players=40), "elo")
    for count, into in ((9, 3), (40, 4)):
        found = prowess.balance(
            ratings, NAMES[:count], into=into, captains=[NAMES[2], NAMES[0]],
            together=[NAMES[1:3], NAMES[5:7]], apart=[NAMES[3:6]],
        )  # fmt: skip
        side = {name: k for k, team in enumerate(found.teams) for name in team}
        assert (side[NAMES[2]], side[NAMES[0]]) == (0, 1)
        assert side[NAMES[1]] == side[NAMES[2]]
        assert side[NAMES[5]] == side[NAMES[6]]
        assert len({side[name] for name in NAMES[3:6]}) == 3
        assert sorted(name for team in found.teams for name in team) == sorted(NAMES[:count])
        assert found.exact == (count == 9)


def test_players_left_over_join_the_first_sides():
    """Seven players make sides of four and three; five to a side need a multiple of five."""
    ratings = prowess.rate(results(60), "elo")
    assert list(map(len, prowess.balance(ratings, NAMES[:7]).teams)) == [4, 3]
    assert list(map(len, prowess.balance(ratings, NAMES[:10], size=5).teams)) == [5, 5]


def test_the_search_finds_what_looking_at_all_finds(monkeypatch):
    """Of ten players, whose splits can all be looked at, the search finds one as good."""
    ratings = prowess.rate(results(100), "trueskill")
    known = prowess.balance(ratings, NAMES[:10])
    monkeypatch.setattr(matchmaking, "EXACT_SPLIT_PLAYERS", 4)
    found = prowess.balance(ratings, NAMES[:10])
    assert (known.exact, found.exact) == (True, False)
    assert found.worst == pytest.approx(known.worst, abs=1e-9)
    assert "at most" in found.note


@pytest.mark.parametrize("into", [2, 8])
def test_forty_players_are_split(into):
    """Forty players make sides whose chances are all but even, the same each time."""
    ratings = prowess.rate(results(800, players=40), "elo")
    found = prowess.balance(ratings, NAMES, into=into)
    assert found.worst < 0.005
    assert found.worst == pytest.approx(worst_of(ratings, found.teams), abs=1e-12)
    assert prowess.balance(ratings, NAMES, into=into).teams == found.teams


def test_an_uncertain_player_counts_as_uncertain():
    """Chances are those of the forecast, which a deviation brings nearer to even."""
    table = [(NAMES[0], NAMES[1], 1.0), (NAMES[2], NAMES[3], 1.0)]
    wide = {name: {"rating": 1500.0, "deviation": 350.0} for name in NAMES[:4]}
    wide[NAMES[0]] = {"rating": 1900.0, "deviation": 350.0}
    sure = {name: {**one, "deviation": 40.0} for name, one in wide.items()}
    open_end, decided = (
        prowess.balance(prowess.rate(table, "glicko", initial=one), NAMES[:4])
        for one in (wide, sure)
    )
    assert open_end.worst < decided.worst


def test_newcomers_take_part():
    """A name without a game is a newcomer, marked; one that looks like a player's is a question."""
    ratings = prowess.rate(results(60), "elo")
    found = prowess.balance(ratings, [*NAMES[:3], "Xerxes"])
    assert found.new == ("Xerxes",)
    with refused(errors.UnknownPlayer, "look_alike", about="Aaron"):
        prowess.balance(ratings, [*NAMES[:3], "Aaronn"])
    assert prowess.balance(ratings, [*NAMES[:3], "Aaronn"], new=["Aaronn"]).new == ("Aaronn",)


BAD = errors.BadArgument


@pytest.mark.parametrize(
    ("given", "kind", "code"),
    [
        ({"players": NAMES[:1]}, BAD, "too_few_players"),
        ({"players": [*NAMES[:3], NAMES[0]]}, BAD, "player_twice"),
        ({"players": NAMES[:4], "into": 5}, BAD, "sizes_do_not_fit"),
        ({"players": NAMES[:4], "into": 1}, BAD, "not_a_count"),
        ({"players": NAMES[:5], "size": 2}, BAD, "sizes_do_not_fit"),
        ({"players": NAMES[:4], "captains": NAMES[:3]}, BAD, "sizes_do_not_fit"),
        ({"players": NAMES[:4], "apart": NAMES[:3]}, BAD, "no_split"),
        ({"players": NAMES[:4], "apart": [NAMES[0], NAMES[6]]}, BAD, "not_of_the_match"),
        ({"players": [f"N{k} x" for k in range(62)]}, BAD, "too_many_players"),
        ({"players": NAMES[:4], "system": "arimaa"}, errors.Unratable, "no_teams"),
        ({"players": NAMES[:4], "system": "map"}, errors.Unratable, "no_teams"),
    ],
)
def test_what_makes_no_teams_is_refused(given, kind, code):
    """Each mistake has one error."""
    table = results(200)
    with refused(kind, code):
        prowess.balance(table, given.pop("players"), **{"system": "elo", **given})
