"""Elections and leagues for tests, and the slow, obvious way to count them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from prowess.games.games import Games
from tests.engine.tables import contests, games

CANDIDATES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
Votes = dict[tuple[str, str], float]


def election(
    ballots: Sequence[tuple[float, Sequence[Sequence[str]]]], candidates: Sequence[str]
) -> Games:
    """Ballots as (how many cast it, names by place)."""
    fields: list[list[tuple[str, float]]] = []
    for _, ranking in ballots:
        before = 0
        fields.append([])
        for names in ranking:
            fields[-1] += [(name, 1.0 + before) for name in names]
            before += len(names)
    return contests(fields, list(candidates), weight=[count for count, _ in ballots])


def league(pair: dict[str, float]) -> Games:
    """One game a pairing of players with one letter, its score the pairing score."""
    return games([(name[0], name[1], score) for name, score in pair.items()])


def counted(table: Games, below: bool = True) -> Votes:
    """Votes for the first of two over the second, ballot by ballot."""
    votes = {(a, b): 0.0 for a in table.players for b in table.players if a != b}
    for ballot in range(len(table)):
        rows = range(int(table.start[ballot]), int(table.start[ballot + 1]))
        place = {table.players[int(table.player[row])]: float(table.place[row]) for row in rows}
        for a, b in votes:
            if a in place and (place[a] < place[b] if b in place else below):
                votes[a, b] += 1.0 if table.weight is None else float(table.weight[ballot])
    return votes


def matrix(table: Games, votes: Votes) -> np.typing.NDArray[np.float64]:
    """Votes as [n, n]."""
    return np.array([[votes.get((a, b), 0.0) for b in table.players] for a in table.players])


def some_elections(most: int = 5) -> st.SearchStrategy[Games]:
    """A few ballots with ties and gaps."""
    names = CANDIDATES[:most]
    place = st.lists(st.integers(1, 4), min_size=len(names), max_size=len(names))
    ranked = st.sets(st.sampled_from(names), min_size=1)
    ballot = st.tuples(st.integers(1, 5), place, ranked)

    def made(drawn: list[tuple[int, list[int], set[str]]]) -> Games:
        fields = [
            [(n, float(p)) for n, p in zip(names, places, strict=True) if n in some]
            for _, places, some in drawn
        ]
        return contests(fields, names, weight=[float(count) for count, _, _ in drawn])

    return st.lists(ballot, min_size=1, max_size=6).map(made)


def some_leagues(most: int = 5) -> st.SearchStrategy[Games]:
    """Everybody meets everybody; often equal scores, often circles."""
    pairs = list(combinations(CANDIDATES[:most], 2))
    score = st.sampled_from((0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0))

    def made(scores: list[float]) -> Games:
        return games([(a, b, s) for (a, b), s in zip(pairs, scores, strict=True)])

    return st.lists(score, min_size=len(pairs), max_size=len(pairs)).map(made)
