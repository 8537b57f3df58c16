"""Ranked pairs: every majority locked by looking for circles the slow way."""

from __future__ import annotations

import pytest
from hypothesis import given

import prowess
from prowess.engine.fit import fit_table
from prowess.systems.ranked_pairs import RANKED_PAIRS
from tests.systems.elections import counted, election, league, some_elections


def leads(links, a, b):
    """Whether links lead from a to b."""
    reached: set[str] = set()
    new = {a}
    while new:
        new = {y for x, y in links if x in new} - reached
        reached |= new
    return b in reached


@pytest.mark.parametrize("word", ["winning_votes", "margins"])
@given(table=some_elections())
def test_locked_one_by_one(word, table):
    """A majority is skipped exactly if the stronger ones already lead the other way."""
    votes = counted(table)

    def rank(pair):
        a, b = pair
        return (-(votes[a, b] - (votes[b, a] if word == "margins" else 0.0)), a, b)

    order = sorted((pair for pair in votes if votes[pair] > votes[pair[::-1]]), key=rank)
    kept: list[tuple[str, str]] = []
    skipped: list[tuple[str, str]] = []
    for pair in order:
        (skipped if leads(kept, *pair[::-1]) else kept).append(pair)
    ratings = fit_table(table, RANKED_PAIRS, params={"strength": word})
    locked = ratings.fit.model.locked
    names = table.players
    told = [(names[a], names[b]) for a, b in zip(locked.winner, locked.loser, strict=True)]
    assert told == order
    assert [p for p, out in zip(told, locked.skipped, strict=True) if out] == skipped
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            assert locked.above[i, j] == leads(kept, a, b)


def test_equal_majorities_by_name():
    """Of a circle of equal majorities the last by name of winner and loser is left out."""
    ratings = fit_table(league({"BC": 0.6, "CA": 0.6, "AB": 0.6}), RANKED_PAIRS)
    assert ratings.leaderboard().columns["player"] == ["A", "B", "C"]
    assert ratings.figures == {"majorities": 3.0, "skipped": 1.0}


def test_independent_of_clones():
    """A clone of the winner does not cost him the election (T. N. Tideman 1987).

    By hand: A > B 7:5, B > C 8:4, C > A 9:3 drops A > B, so B wins; with a clone B2 that every
    ballot puts right after B, B still does.
    """
    ballots = [(3, "ABC"), (5, "BCA"), (4, "CAB")]
    ranked = [(count, [[name] for name in names]) for count, names in ballots]
    plain = prowess.rate(election(ranked, "ABC"), RANKED_PAIRS)
    cloned = [
        (
            count,
            [
                [name]
                for letter in names
                for name in ([letter, "B2"] if letter == "B" else [letter])
            ],
        )
        for count, names in ballots
    ]
    other = prowess.rate(election(cloned, ["A", "B", "C", "B2"]), RANKED_PAIRS)
    assert plain.leaderboard(1).columns["player"] == ["B"]
    assert other.leaderboard(1).columns["player"] == ["B"]
