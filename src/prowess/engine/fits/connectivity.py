"""Who can be compared with whom: whether results fix every rating, found in linear time.

Ratings of largest likelihood are finite if and only if everybody can be reached from everybody
along "took a point from": the graph is strongly connected (L. R. Ford, "Solution of a ranking
problem from binary comparisons", Amer. Math. Monthly 64 no. 8 part 2 (1957) 28). Its strong
components are found by R. Tarjan's search (SIAM J. Computing 1 (1972) 146).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess import kernel
from prowess.engine.system import Unratable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]


COMPILED_FROM = 200_000  # edges; below, loading the compiler takes longer than searching
CHUNK = 4096  # rows looked at together
NAMED = 3  # players of a group that are called by name


class Unidentifiable(Unratable):
    """Results that leave something without a finite value: an unbeaten player, a group apart."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The players of a tally, grouped by who took points from whom.

    `strong` and `met` are group numbers, [n]: within a strong group everybody is comparable,
    within a group of `met` everybody is connected by games. `took`, `lost`: whether a player
    took (lost) points at all.
    """

    strong: Ids
    met: Ids
    took: NDArray[np.bool_]
    lost: NDArray[np.bool_]

    @property
    def comparable(self) -> bool:
        """Whether every rating is fixed by results."""
        return not len(self.strong) or int(self.strong.max()) == 0

    def words(self, players: Sequence[str]) -> tuple[str, ...]:
        """What keeps players from being compared, a phrase for each reason."""
        if self.comparable:
            return ()
        told = []
        unbeaten = np.flatnonzero(self.took & ~self.lost)
        winless = np.flatnonzero(self.lost & ~self.took)
        if len(unbeaten):
            told.append(f"never lost a point: {_some(players, unbeaten)}")
        if len(winless):
            told.append(f"never took a point: {_some(players, winless)}")
        apart = _by_size(self.met)
        if len(apart) > 1:
            groups = "; ".join(_some(players, group) for group in apart[1 : 1 + NAMED])
            told.append(f"{len(apart)} groups never met, beside the largest: {groups}")
        among = self.took & self.lost
        one_sided = _one_sided(self, among)[:NAMED]
        phrase = "only ever beat, or only ever lost to, others: "
        return (*told, *(phrase + _some(players, group) for group in one_sided))


def groups(tally: Tally, held: Iterable[int] = ()) -> Groups:
    """Group the players of a tally; `held` players are comparable, their ratings being known."""
    n = tally.players
    up, down = tally.wins + tally.draws > 0.0, tally.losses + tally.draws > 0.0
    a, b = tally.a, tally.b
    known = np.fromiter(held, dtype=a.dtype)
    winner = np.concatenate((a[up], b[down], known[1:], known[:-1]))
    loser = np.concatenate((b[up], a[down], known[:-1], known[1:]))
    took, lost = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    took[winner], lost[loser] = True, True
    strong = _components(n, winner, loser)
    if int(strong.max(initial=0)) == 0:
        return Groups(strong, strong, took, lost)
    both = _components(n, np.concatenate((winner, loser)), np.concatenate((loser, winner)))
    return Groups(strong, both, took, lost)


def pinned_sides(tally: Tally) -> bool:
    """Whether ratings can do what an advantage does: side = p_a - p_b in every row, for some p.

    Then the advantage cannot be told from the ratings. Players are joined row by row, each
    knowing his p over that of the one he was joined to, until a row contradicts.
    """
    joined, above = list(range(tally.players)), [0.0] * tally.players
    size = [1] * tally.players

    def root(node: int) -> tuple[int, float]:
        over = 0.0
        while joined[node] != node:
            over += above[node]
            node = joined[node]
        return node, over

    for at in range(0, len(tally), CHUNK):
        part = slice(at, at + CHUNK)
        columns = (tally.a[part].tolist(), tally.b[part].tolist(), tally.side[part].tolist())
        for a, b, side in zip(*columns, strict=True):
            (one, over_one), (other, over_other) = root(a), root(b)
            apart = side - over_one + over_other  # p of one root over that of the other
            if one == other:
                if apart != 0.0:
                    return False
            elif size[one] <= size[other]:
                joined[one], above[one], size[other] = other, apart, size[one] + size[other]
            else:
                joined[other], above[other], size[one] = one, -apart, size[one] + size[other]
    return True


def _components(n: int, tail: NDArray[Any], head: NDArray[Any]) -> Ids:
    """The number of the strong component of every node, [n], by edges from tail to head."""
    start = np.concatenate(([0], np.cumsum(np.bincount(tail, minlength=n))))
    compiling = kernel.available() and len(tail) >= COMPILED_FROM
    if not compiling:
        order = np.argsort(tail, kind="stable")
        found: list[int] = [0] * n
        search(start.tolist(), head[order].tolist(), found, *([0] * n for _ in range(4)))
        return np.array(found, dtype=np.int64)
    beyond = np.empty_like(head)
    _loops()[0](start.copy(), tail, head, beyond)
    number = np.zeros(n, dtype=np.int64)
    _loops()[1](start, beyond, number, *(np.zeros(n, dtype=np.int64) for _ in range(4)))
    return number


@cache
def _loops() -> tuple[Any, Any]:
    return kernel.compiled(adjacent), kernel.compiled(search)


def adjacent(place: Any, tail: Any, head: Any, beyond: Any) -> None:
    """Put the heads of the edges of each tail together."""
    for edge in range(len(tail)):
        beyond[place[tail[edge]]] = head[edge]
        place[tail[edge]] += 1


def search(
    start: Any, head: Any, component: Any, seen: Any, low: Any, stack: Any, path: Any
) -> int:
    """Tarjan's search without recursion; fills `component` and returns how many there are.

    `seen` counts nodes in the order of their discovery from 1; `low` is the earliest node on
    the stack that can be reached; a node that left the stack is later than all (`done`). The
    edge where a node on the path stands is kept in `component` until it is known.
    """
    n = len(component)
    done = n + 1
    count, clock, waiting = 0, 0, 0
    for root in range(n):
        if seen[root] > 0:
            continue
        depth = 0
        clock += 1
        seen[root], low[root], component[root] = clock, clock, start[root]
        path[0], stack[waiting] = root, root
        waiting += 1
        while depth >= 0:
            node = path[depth]
            edge = component[node]
            if edge < start[node + 1]:
                component[node] = edge + 1
                other = head[edge]
                if seen[other] == 0:
                    clock += 1
                    seen[other], low[other], component[other] = clock, clock, start[other]
                    depth += 1
                    path[depth], stack[waiting] = other, other
                    waiting += 1
                else:
                    low[node] = min(low[node], low[other])
                continue
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[node])
            if low[node] == seen[node]:
                member = -1
                while member != node:
                    waiting -= 1
                    member = stack[waiting]
                    component[member] = count
                    low[member] = done
                count += 1
    return count


def _by_size(group: Ids) -> list[Ids]:
    """The members of every group, the largest first, equal ones in order of the roster."""
    order = np.argsort(group, kind="stable")
    edges = np.flatnonzero(np.diff(group[order])) + 1
    return sorted(np.split(order, edges), key=lambda members: (-len(members), members[0]))


def _one_sided(found: Groups, among: NDArray[np.bool_]) -> list[Ids]:
    """Strong groups of players with points both ways, within one group of games, but the largest.

    Among them are those that others explain: whoever only met an unbeaten player is one too.
    """
    parts = [part for part in _by_size(found.strong) if among[part].any()]
    largest: dict[int, bool] = {}
    apart = []
    for part in parts:
        home = int(found.met[part[0]])
        if home in largest:
            apart.append(part)
        largest[home] = True
    return apart


def _some(players: Sequence[str], chosen: Ids) -> str:
    names = ", ".join(str(players[k]) for k in chosen[:NAMED])
    more = len(chosen) - NAMED
    return f"{names} and {more:,} more" if more > 0 else names


# Which players the results tell apart, and an order of players that asks nobody's name.
#
# Two players are alike if they have the same results against players who are alike. Classes are
# refined until nothing changes; then, to make an order of all, one of a class is put before the
# others and the classes refined again.


DIGITS = 9  # of sums of weights, which rounding may tell apart
MOST_SPLIT = 60  # players; in larger leagues those who are alike keep the order of the roster


class SymmetryClasses(NamedTuple):
    """`order`: the unknown players, [k]; `kind`: the class of every player, [players]."""

    order: Ids
    kind: Ids


def symmetry_classes(tally: Tally, known: Mapping[int, float]) -> SymmetryClasses:
    """Order all players who have results and no known rating."""
    rows: list[list[tuple[int, tuple[float, ...]]]] = [[] for _ in range(tally.players)]
    columns = (tally.a, tally.b, tally.side, tally.wins, tally.draws, tally.losses)
    for a, b, side, wins, draws, losses in zip(*(c.tolist() for c in columns), strict=True):
        w, d, v = round(wins, DIGITS), round(draws, DIGITS), round(losses, DIGITS)
        if a not in known:
            rows[a].append((b, (side, w, d, v)))
        if b not in known:
            rows[b].append((a, (-side, v, d, w)))
    levels = {rating: rank for rank, rating in enumerate(sorted(set(known.values())))}
    start = [1 + levels[known[i]] if i in known else 0 for i in range(tally.players)]
    kind = refine_classes(start, rows)
    unknown = [i for i in range(tally.players) if rows[i]]
    split = kind
    while len(unknown) <= MOST_SPLIT:
        here = [split[i] for i in unknown]
        tied = [k for k in here if here.count(k) > 1]
        if not tied:
            break
        ahead = min(i for i in unknown if split[i] == min(tied))
        split = refine_classes([2 * k - (i == ahead) for i, k in enumerate(split)], rows)
    unknown.sort(key=lambda i: (split[i], i))
    return SymmetryClasses(np.array(unknown, dtype=np.int64), np.array(kind, dtype=np.int64))


def refine_classes(kind: list[int], rows: list[list[tuple[int, tuple[float, ...]]]]) -> list[int]:
    """Classes of players with the same results against the same classes."""
    count = len(set(kind))
    while True:
        signs = [
            (kind[i], tuple(sorted((kind[other], *result) for other, result in rows[i])))
            for i in range(len(kind))
        ]
        number = {sign: k for k, sign in enumerate(sorted(set(signs)))}
        kind = [number[sign] for sign in signs]
        if len(number) == count:
            return kind
        count = len(number)
