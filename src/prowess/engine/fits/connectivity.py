"""Connectivity of a table: whether results determine every rating, and which players are symmetric.

Maximum likelihood ratings are finite if and only if every player can be reached from every other
along "took a point from": the graph is strongly connected (L. R. Ford, "Solution of a ranking
problem from binary comparisons", Amer. Math. Monthly 64 no. 8 part 2 (1957) 28).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.numeric import run_loop
from prowess.engine.system import Unratable
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]


CHUNK = 4096  # rows looked at together
NAMED = 3  # players of a group that are called by name


class Unidentifiable(Unratable):
    """Results that leave something without a finite value: an unbeaten player, a group apart."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The players of a tally, grouped by the points they took from one another.

    `strong` and `met` are group numbers, [n]: players of one strong group are comparable, players
    of one group of `met` are connected by games. `took`, `lost`: whether a player took (lost) any
    points.
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
        """A phrase for each reason why players cannot be compared."""
        if self.comparable:
            return ()
        reasons = []
        unbeaten = np.flatnonzero(self.took & ~self.lost)
        winless = np.flatnonzero(self.lost & ~self.took)
        if len(unbeaten):
            reasons.append(f"never lost a point: {_some(players, unbeaten)}")
        if len(winless):
            reasons.append(f"never took a point: {_some(players, winless)}")
        apart = groups_by_size(self.met)
        if len(apart) > 1:
            groups = "; ".join(_some(players, group) for group in apart[1 : 1 + NAMED])
            reasons.append(f"{len(apart)} groups never met, beside the largest: {groups}")
        among = self.took & self.lost
        one_sided = _one_sided(self, among)[:NAMED]
        phrase = "only ever beat, or only ever lost to, others: "
        return (*reasons, *(phrase + _some(players, group) for group in one_sided))


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
    strong = strong_components(n, winner, loser)
    if int(strong.max(initial=0)) == 0:
        return Groups(strong, strong, took, lost)
    return Groups(strong, component_labels(n, winner, loser), took, lost)


def pinned_sides(tally: Tally) -> bool:
    """Whether ratings can replace an advantage: side = p_a - p_b in every row, for some p.

    The advantage is then not identifiable. Players are joined row by row (union-find), each with
    the difference of p to the player it was joined to, until a row contradicts.
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


def strong_components(n: int, tail: NDArray[Any], head: NDArray[Any]) -> Ids:
    """The number of the strong component of every node, [n], by edges from tail to head."""
    start = np.concatenate(([0], np.cumsum(np.bincount(tail, minlength=n))))
    number, by_tail = np.zeros(n, dtype=np.int64), np.empty_like(head)
    run_loop(sort_edges, 2.0 * len(tail), start.copy(), tail, head, by_tail)
    scratch = (np.zeros(n, dtype=np.int64) for _ in range(4))
    run_loop(search, 2.0 * len(tail), start, by_tail, number, *scratch)
    return number


def component_labels(n: int, a: NDArray[Any], b: NDArray[Any]) -> Ids:
    """The number of the connected component of every node, [n], by edges between a and b."""
    label = np.arange(n)
    while (label[a] != label[b]).any():
        lowest = np.minimum(label[a], label[b])
        np.minimum.at(label, label[a], lowest)
        np.minimum.at(label, label[b], lowest)
        label = label[label]
    return np.unique(label, return_inverse=True)[1].astype(np.int64)


def sort_edges(place: Any, tail: Any, head: Any, by_tail: Any) -> None:
    """Put the heads of the edges of each tail together."""
    for edge in range(len(tail)):
        by_tail[place[tail[edge]]] = head[edge]
        place[tail[edge]] += 1


def search(
    start: Any, head: Any, component: Any, seen: Any, low: Any, stack: Any, path: Any
) -> int:
    """Tarjan's search without recursion; fills `component` and returns how many there are.

    R. Tarjan, SIAM J. Computing 1 (1972) 146. `seen` numbers nodes from 1 in the order of their
    discovery; `low` is the earliest node on the stack that can be reached; a node that left the
    stack is later than all (`done`). Until the component of a node is known, `component` holds the
    edge at which the search of it stands.
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


def groups_by_size(group: Ids) -> list[Ids]:
    """The members of every group, the largest first, equal ones in order of the roster."""
    order = np.argsort(group, kind="stable")
    edges = np.flatnonzero(np.diff(group[order])) + 1
    return sorted(np.split(order, edges), key=lambda members: (-len(members), members[0]))


def pair_neighbours(table: Games) -> Games:
    """Pair every player of a contest with the next by a draw: a graph of connections only.

    Games between two players are returned unchanged. Members that are no players are left out.
    """
    if table.duels:
        return table
    player, contest = table.player, table.contest_of_member
    if table.role is not None:
        players = table.role[player] == 0
        player, contest = player[players], contest[players]
    beside = contest[1:] == contest[:-1]
    a, b = player[:-1][beside], player[1:][beside]
    return Games(table.players, a, b, np.full(len(a), 0.5))


def met_sizes(table: Games) -> tuple[int, ...]:
    """The numbers of players in the groups that never met, the largest first.

    Players without a game are in none.
    """
    games = pair_neighbours(table)
    label = component_labels(len(table.players), games.a, games.b)
    met = np.bincount(np.concatenate((games.a, games.b)), minlength=len(label)) > 0
    sizes = np.bincount(label[met])
    return tuple(sorted(sizes[sizes > 0].tolist(), reverse=True))


def _one_sided(found: Groups, among: NDArray[np.bool_]) -> list[Ids]:
    """Strong groups of players with points both ways, within one group of games, but the largest.

    Players who only met an unbeaten player are among them too.
    """
    parts = [part for part in groups_by_size(found.strong) if among[part].any()]
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


# --- symmetry classes -----------------------------------------------------------------------------
#
# Two players are in one class if they have the same results against players of the same classes.
# Classes are refined until nothing changes. To order all players without using their names, one
# player of a class is put before the others and the classes are refined again.


DIGITS = 9  # of sums of weights, which rounding may tell apart
MOST_SPLIT = 60  # players; in larger leagues symmetric players keep the order of the roster


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
