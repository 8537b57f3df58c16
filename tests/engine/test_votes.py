"""Votes for one over another, from ballots and from games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from prowess.engine import votes as module
from prowess.engine.system import Unratable
from prowess.engine.votes import BELOW, IGNORED, RESULT, SHARE, dominance_sets, levels, preferences
from tests.engine.tables import contests, games
from tests.refusals import refused
from tests.systems.elections import counted, matrix, some_elections


@pytest.mark.parametrize("unranked", [BELOW, IGNORED])
@given(table=some_elections())
def test_ballot_by_ballot(unranked, table):
    """The unranked are below all ranked and equal among themselves, or not compared."""
    votes = preferences(table, SHARE, unranked)
    np.testing.assert_array_equal(votes.votes, matrix(table, counted(table, unranked == BELOW)))
    assert votes.voters == table.weight.sum()


def test_portions(monkeypatch):
    """Counting many ballots in portions counts each once."""
    table = contests([[("Ada", 1), ("Ben", 2)], [("Ben", 1), ("Ada", 2)]] * 5)
    monkeypatch.setattr(module, "PORTION", 8)
    assert preferences(table, SHARE, BELOW).votes.tolist() == [[0.0, 5.0], [5.0, 0.0]]


def test_games_are_votes():
    """A pairing shares out one vote, by the points or by the results."""
    table = games([("Ada", "Ben", 1.0), ("Ada", "Ben", 0.5)], points_a=[3, 1], points_b=[1, 1])
    assert preferences(table, SHARE, BELOW).votes[0, 1] == (0.75 + 0.5) / 2
    assert preferences(table, RESULT, BELOW).votes[1, 0] == 0.25


def test_equal_majorities_are_equal():
    """0.1 + 0.2 votes are as many as 0.3, in whatever order they are added."""
    fields = [[("Ada", 1), ("Ben", 2)], [("Ada", 1), ("Ben", 2)], [("Ben", 1), ("Ada", 2)]]
    table = contests(fields, weight=[0.1, 0.2, 0.3])
    assert 0.1 + 0.2 != 0.3
    assert not preferences(table, SHARE, BELOW).beats.any()


def test_candidates_whom_nobody_ranks():
    """On ballots the whole roster stands; among games only those who played."""
    ballots = contests([[("Ada", 1), ("Ben", 2)]], ["Ada", "Ben", "Cleo"])
    assert preferences(ballots, SHARE, BELOW).standing.tolist() == [True, True, True]
    assert preferences(ballots, SHARE, BELOW).ranked.tolist() == [True, True, False]
    assert preferences(ballots, SHARE, IGNORED).standing.tolist() == [True, True, False]
    some = games([("Ada", "Ben", 1.0)], ["Ada", "Ben", "Cleo"])
    assert preferences(some, SHARE, BELOW).standing.tolist() == [True, True, False]


def test_too_many_candidates():
    """A table of all pairs of too many is refused."""
    table = contests([[("Ada", 1)]]).replace(players=[f"P{k}" for k in range(5001)])
    with refused(Unratable, "too_many_players", about="5,001"):
        preferences(table, SHARE, BELOW)


@given(table=some_elections())
def test_condensed(table):
    """Everybody in one set beats everybody in the later ones, and no set can be divided."""
    votes = preferences(table, SHARE, BELOW)
    beats = votes.beats
    sets = [set(part.tolist()) for part in dominance_sets(votes)]
    assert sorted(k for part in sets for k in part) == list(range(len(beats)))
    for at, part in enumerate(sets):
        later = set().union(*sets[at + 1 :])
        assert all(beats[a, b] for a in part for b in later)
        for first in part:  # whoever he does not beat, they do not beat, ... is all of the set
            reached, new = set(), {first}
            while new:
                reached |= new
                new = {b for a in new for b in part if not beats[b, a]} - reached
            assert reached == part


def test_levels_peel():
    """Level 2 is whom only the first level is above; who does not stand has level 0."""
    above = np.zeros((5, 5), dtype=bool)
    above[0, 1] = above[1, 2] = above[0, 2] = above[3, 2] = True
    standing = np.array([True, True, True, True, False])
    assert levels(above, standing).tolist() == [1, 2, 3, 1, 0]
