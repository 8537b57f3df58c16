"""Schulze: strongest paths by trying every path, and what the method promises."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.votes import MARGINS, RATIO
from prowess.systems.schulze import SCHULZE, widest_paths
from tests.engine.tables import games
from tests.systems.elections import counted, election, league, matrix, some_elections, some_leagues

# "Darkcanuck/RRServer/Ratings", RoboWiki, as in the reference cases: five bots, four winners
FIVE = league(
    {"AB": 0.61, "AC": 0.62, "AD": 0.31, "AE": 0.29, "BC": 0.44}
    | {"BD": 0.48, "BE": 0.76, "CD": 0.51, "CE": 0.63, "DE": 0.21}
)


def strongest(strength):
    """The strongest path by trying all that visit nobody twice."""
    n = len(strength)
    path = np.zeros((n, n))
    for length in range(2, n + 1):
        for way in permutations(range(n), length):
            weakest = min(strength[a, b] for a, b in pairwise(way))
            path[way[0], way[-1]] = max(path[way[0], way[-1]], weakest)
    return path


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(st.integers(0, 5), min_size=n * n, max_size=n * n).map(
            lambda links: np.array(links, dtype=np.float64).reshape(n, n)
        )
    )
)
def test_strongest_paths(strength):
    """A path is as strong as its weakest link, and the strongest of all counts."""
    np.fill_diagonal(strength, 0.0)
    np.testing.assert_array_equal(widest_paths(strength), strongest(strength))


@pytest.mark.parametrize("word", ["winning_votes", "losing_votes", "margins", "ratio"])
@given(table=some_elections())
def test_levels_by_hand(word, table):
    """Level k holds whom nobody left has a stronger path to, counted ballot by ballot."""
    votes = counted(table)
    for_, against = matrix(table, votes), matrix(table, votes).T
    strength = {
        "winning_votes": for_,
        "losing_votes": table.weight.sum() - against,
        "margins": for_ - against,
        "ratio": np.divide(for_, against, out=np.full_like(for_, np.inf), where=against > 0),
    }[word]
    path = strongest(np.where(for_ > against, strength, 0.0))
    ratings = prowess.rate(table, SCHULZE, strength=word)
    left, level = set(range(len(path))), 0
    while left:
        level += 1
        top = {b for b in left if not any(path[a, b] > path[b, a] for a in left)}
        assert top == {b for b in left if ratings.column("level")[b] == level}
        left -= top


@given(table=some_leagues())
def test_measures_agree_where_votes_add_up(table):
    """Winning votes, losing votes and margins give one order if every pair shares one vote."""
    orders = [
        prowess.rate(table, SCHULZE, strength=word).column("level").tolist()
        for word in ("winning_votes", "losing_votes", "margins")
    ]
    assert orders[0] == orders[1] == orders[2]


@given(table=some_elections())
def test_smith_set_first(table):
    """Whoever is on the first level belongs to the smallest set that beats all others."""
    ratings = prowess.rate(table, SCHULZE)
    votes = matrix(table, counted(table))
    first = set(np.flatnonzero(ratings.column("level") == 1).tolist())
    n = len(votes)
    for size in range(1, n + 1):
        sets = [s for s in permutations(range(n), size) if list(s) == sorted(s)]
        dominating = [
            set(s)
            for s in sets
            if all(votes[a, b] > votes[b, a] for a in s for b in range(n) if b not in s)
        ]
        if dominating:
            assert first <= dominating[0]
            break


def test_winners_differ():
    """Condorcet methods can differ visibly from the mean of the pairing scores (claim 8)."""
    first = {
        name: prowess.rate(FIVE, name).leaderboard(1).columns["player"][0]
        for name in ("schulze", "ranked_pairs", "copeland", "borda", "borda_tally")
    }
    # section 5.10 of the specification; the tally is 4 times the mean share where all have met
    assert first == {
        "schulze": "B",
        "ranked_pairs": "C",
        "copeland": "C",
        "borda": "A",
        "borda_tally": "E",
    }


def test_notes_name_the_winner():
    """Who beats everybody is named, else the smallest set that does, and who shares a place."""
    unbeaten = games([("Ada", "Ben", 0.6), ("Ada", "Cleo", 0.7), ("Ben", "Cleo", 0.5)])
    assert prowess.rate(unbeaten, SCHULZE).notes == ("Ada beats all others (Condorcet winner)",)
    circle = {"AB": 0.6, "BC": 0.6, "CA": 0.6, "AD": 0.7, "BD": 0.7, "CD": 0.7}
    assert prowess.rate(league(circle), SCHULZE).notes == (
        "no player beats all others; the smallest set that does (Smith set): A, B, C",
        "the first place is shared: A, B, C",
    )


def test_who_never_met():
    """A missing pairing is a strength of 0 both ways; a path may still order the two."""
    table = games([("Ada", "Ben", 0.9), ("Ben", "Cleo", 0.8)])
    ratings = fit_table(table, SCHULZE)
    assert ratings.fit.model.strength[0, 2] == ratings.fit.model.strength[2, 0] == 0.0
    assert ratings.fit.model.path[0, 2] == 0.8
    assert ratings.column("level").tolist() == [1, 2, 3]


def test_unanimous_ratio():
    """A majority without a vote against it is infinitely strong by ratio, and worth its margin."""
    table = election([(10, [["Ada"], ["Ben"]])], ["Ada", "Ben"])
    preferences = fit_table(table, SCHULZE).fit.model.preferences
    assert preferences.strength(RATIO)[0, 1] == np.inf
    assert preferences.strength(MARGINS)[0, 1] == 10.0


def test_four_strengths_four_winners():
    """Example 10 of Schulze's paper: every way to measure a majority has its own winner."""
    ballots = {
        "A>B>C>D": 6, "A=B": 8, "A=C": 8, "A=C>D": 18, "A=C=D": 8, "B": 40, "C>B>D": 4,
        "C>D>A": 9, "C=D": 8, "D>A>B": 14, "D>B>C": 11, "D>C>A": 4,
    }  # fmt: skip
    table = election(
        [
            (count, [place.split("=") for place in text.split(">")])
            for text, count in ballots.items()
        ],
        "ABCD",
    )
    winners = {"margins": "A", "ratio": "B", "losing_votes": "C", "winning_votes": "D"}
    for word, winner in winners.items():
        board = prowess.rate(table, SCHULZE, strength=word).leaderboard(1)
        assert board.columns["player"] == [winner]
