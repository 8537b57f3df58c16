"""Whom a player met in each of his rounds, with the ratings that everybody went into it with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.loops import Memory
from prowess.engine.replay import Watch, game_list
from prowess.engine.rows import game_rules

if TYPE_CHECKING:
    from prowess.engine.replayed import Replayed


class Meeting(NamedTuple):
    """What one opponent contributed to a round."""

    row: int
    opponent: int
    rating: Any
    game: Any
    weight: float
    derived: bool  # seen from the second side, whose evidence is made of the first side's


Round = tuple[int, Any, list[Meeting], Any]  # number, own rating before, meetings, league's sums


def watched(ratings: Replayed, players: Sequence[int]) -> Watch:
    """The ratings (and league sums) before every game of these players, from a replay."""
    table, system = ratings.table, ratings.system
    ours = np.zeros(len(ratings.players), dtype=bool)
    ours[list(players)] = True
    if not table.pairwise:
        contest = np.repeat(np.arange(len(table)), np.diff(table.start))
        among = np.bincount(contest, ours[table.player], len(table)) > 0
        chosen, sides = among[contest], 1
    else:
        chosen, sides = ours[table.a] | ours[table.b], 2
    count = int(chosen.sum())
    slots = np.where(chosen, np.cumsum(chosen) - 1, -1)
    width = 1 if system.league is None else len(system.league.empty)
    memory = Memory(np.zeros((sides * count, len(system.rating))), np.zeros((count, width)))
    seen = Watch(slots, memory)
    ratings.replayed(seen)
    return seen


def bytes_watched(ratings: Replayed) -> int:
    """How much memory the ratings before every game take."""
    table, system = ratings.table, ratings.system
    sums = 0 if system.league is None else len(system.league.empty)
    if not table.pairwise:
        return 8 * len(table.player) * (1 + len(system.rating) + sums)
    return 8 * len(table) * (1 + 2 * len(system.rating) + sums)


def rounds(ratings: Replayed, player: int, seen: Watch) -> Iterator[Round]:
    """The rounds of a player in order of play; `seen` has watched his games."""
    found = _contest_rounds if not ratings.table.pairwise else _game_rounds
    return found(ratings, player, seen)


def _game_rounds(ratings: Replayed, player: int, seen: Watch) -> Iterator[Round]:
    games, bounds, system = ratings.table, ratings.rounds.bounds, ratings.system
    assert games.pairwise
    rows = np.flatnonzero((games.a == player) | (games.b == player))
    numbers = rows if bounds is None else np.searchsorted(bounds, rows, side="right") - 1
    mirror, derived = game_rules(system.game).mirror, system.mirrors is not None
    meetings: list[Meeting] = []
    slots = seen.slots[rows]
    make = system.rating._make
    firsts, seconds = (seen.memory.rating[2 * slots + side].tolist() for side in (0, 1))
    weights = [1.0] * len(rows) if games.weight is None else games.weight[rows].tolist()
    ends = (np.diff(numbers, append=-1) != 0).tolist()
    columns = (
        rows.tolist(), numbers.tolist(), slots.tolist(), ends, games.a[rows].tolist(),
        games.b[rows].tolist(), game_list(games.select(rows), system.game, 0, len(rows)),
        weights, firsts, seconds,
    )  # fmt: skip
    for row, number, slot, is_last, a, b, game, weight, first, second in zip(*columns, strict=True):
        if b == player:
            me, opponent = make(second), make(first)
            seen_by_me = Meeting(row, a, opponent, mirror(game), weight, derived)
        else:
            me, opponent = make(first), make(second)
            seen_by_me = Meeting(row, b, opponent, game, weight, False)
        meetings.append(seen_by_me)
        if is_last:
            yield number, me, meetings, _sums(ratings, seen.memory, slot)
            meetings = []


def _contest_rounds(ratings: Replayed, player: int, seen: Watch) -> Iterator[Round]:
    contests, system = ratings.table, ratings.system
    assert not contests.pairwise
    pair = game_rules(system.game).pair
    rows = np.flatnonzero(contests.player == player)
    numbers = np.searchsorted(contests.start, rows, side="right") - 1
    for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
        first, last = int(contests.start[number]), int(contests.start[number + 1])
        if last - first < 2:
            continue
        share = 1.0 / (last - first - 1) if system.contest_share else 1.0
        if contests.weight is not None:
            share *= float(contests.weight[number])
        slot = int(seen.slots[first])
        field = seen.memory.rating[slot : slot + last - first].tolist()
        meetings = []
        for x in range(first, last):
            if x != row:
                mine, theirs = contests.place[row], contests.place[x]
                score = 0.5 if mine == theirs else 1.0 if mine < theirs else 0.0
                rating = system.rating._make(field[x - first])
                meetings.append(
                    Meeting(
                        row,
                        int(contests.player[x]),
                        rating,
                        pair(score),
                        share,
                        x < row and system.mirrors is not None,
                    )
                )
        me = system.rating._make(field[row - first])
        league = _sums(ratings, seen.memory, int(seen.slots[row]))
        yield number, me, meetings, league


def _sums(ratings: Replayed, memory: Memory, slot: int) -> Any:
    league = ratings.system.league
    return None if league is None else league.empty._make(memory.sums[slot].tolist())
