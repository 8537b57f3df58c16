"""Connectivity of a table: whether results determine every rating, and the advantage of a side.

Maximum likelihood ratings are finite if and only if every player can be reached from every other
along "took a point from": the graph is strongly connected (L. R. Ford, "Solution of a ranking
problem from binary comparisons", Amer. Math. Monthly 64 no. 8 part 2 (1957) 28).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Ids
from prowess.compile.worth import run_loop
from prowess.engine.system import Unratable
from prowess.games.games import Games
from prowess.games.reading import NAMED, list_some
from prowess.games.runs import bounds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally


EDGES = 1 << 20  # that are added at a time
EDGES_OF_A_GROUP = 4  # that wait until strong components are looked for


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
    graph = PointGraph(tally.players)
    add_tally(graph, tally)
    return graph.groups(held)


def add_tally(graph: PointGraph, tally: Tally) -> None:
    """Add the rows of a tally to the graph of its players."""
    up, down = tally.wins + tally.draws > 0.0, tally.losses + tally.draws > 0.0
    graph.add(tally.a, tally.b, up, down)


class PointGraph:
    """Who took points from whom, cut down to what decides who can be compared with whom.

    Strong components are contracted as games come, so that the graph of any number of games stays
    as small as the roster, unless few players are comparable.
    """

    def __init__(self, players: int) -> None:
        self.group: Ids = np.arange(players, dtype=np.int64)  # [n]; edges are between groups
        self.took, self.lost = np.zeros((2, players), dtype=bool)
        self.tails: list[Ids] = []  # groups that took a point
        self.heads: list[Ids] = []  # from these
        self.waiting, self.left = 0, 0  # edges, and those when components were last contracted
        self.count = players  # of groups

    @property
    def complete(self) -> bool:
        """Whether no further game can change anything: all took and lost points, in one group."""
        return self.count == 1 and bool((self.took & self.lost).all())

    def add(
        self, a: NDArray[Any], b: NDArray[Any], up: NDArray[np.bool_], down: NDArray[np.bool_]
    ) -> None:
        """Add rows, [rows] each: in those of `up` a took points from b, of `down` b from a."""
        if self.complete:
            return
        tail, head = np.empty((2, 2 * len(a)), dtype=np.int64)
        found = np.zeros(1, dtype=np.int64)
        players = self.group, self.took, self.lost
        run_loop(link_rows, len(a), a, b, up, down, *players, tail, head, found)
        self._link(tail[: found[0]].copy(), head[: found[0]].copy())
        if self.waiting > max(EDGES_OF_A_GROUP * self.count, 2 * self.left):
            self.contract()

    def contract(self) -> None:
        """Make strong components one group each."""
        tail, head = np.concatenate(self.tails), np.concatenate(self.heads)
        number = strong_components(self.count, tail, head)
        self.count = count = int(number.max(initial=-1)) + 1
        self.group, tail, head = number[self.group], number[tail], number[head]
        apart = tail != head
        edges = np.unique(tail[apart] * count + head[apart])
        self.tails, self.heads = [edges // count], [edges % count]
        self.waiting = self.left = len(edges)

    def join(self, other: PointGraph) -> None:
        """Add the games of another graph of the same players."""
        self.took |= other.took
        self.lost |= other.lost
        first = np.unique(other.group, return_index=True)[1]  # of each group the first player
        every, of_all = self.group, self.group[first]
        self._link(every, of_all[other.group])
        self._link(of_all[other.group], every)
        for tail, head in zip(other.tails, other.heads, strict=True):
            self._link(of_all[tail], of_all[head])
        self.contract()

    def _link(self, tail: Ids, head: Ids) -> None:
        """Add edges between groups."""
        self.tails.append(tail)
        self.heads.append(head)
        self.waiting += len(tail)

    def select(self, players: Ids) -> PointGraph:
        """The graph of these players only; the others have no games."""
        chosen = PointGraph(len(players))
        kept, chosen.group = np.unique(self.group[players], return_inverse=True)
        chosen.count = len(kept)
        chosen.took, chosen.lost = self.took[players], self.lost[players]
        chosen.tails = [np.searchsorted(kept, tail) for tail in self.tails]
        chosen.heads = [np.searchsorted(kept, head) for head in self.heads]
        return chosen

    def groups(self, held: Iterable[int] = ()) -> Groups:
        """The groups; `held` players are comparable, their ratings being known."""
        known = np.fromiter(held, dtype=np.int64)
        every = np.ones(max(len(known) - 1, 0), dtype=bool)
        self.add(known[1:], known[:-1], every, every)
        self.contract()
        strong = self.group
        if not strong.any():
            return Groups(strong, strong, self.took, self.lost)
        met = component_labels(self.count, self.tails[0], self.heads[0])[strong]
        return Groups(strong, met, self.took, self.lost)


def link_rows(
    a: Any, b: Any, up: Any, down: Any, group: Any, took: Any, lost: Any, tail: Any, head: Any,
    found: Any,
) -> None:  # fmt: skip
    """Note who took and lost points, and fill the edges between groups, so many as `found`."""
    count = 0
    for row in range(len(a)):
        i, j = a[row], b[row]
        if up[row]:
            took[i] = lost[j] = True
        if down[row]:
            took[j] = lost[i] = True
        one, other = group[i], group[j]
        if one != other:
            if up[row]:
                tail[count], head[count] = one, other
                count += 1
            if down[row]:
                tail[count], head[count] = other, one
                count += 1
    found[0] = count


def strong_components(n: int, tail: NDArray[Any], head: NDArray[Any]) -> Ids:
    """The number of the strong component of every node, [n], by edges from tail to head."""
    start = bounds_of(np.bincount(tail, minlength=n))
    number, by_tail = np.zeros(n, dtype=np.int64), np.empty_like(head)
    run_loop(sort_edges, 2.0 * len(tail), start.copy(), tail, head, by_tail)
    scratch = (np.zeros(n, dtype=np.int64) for _ in range(4))
    run_loop(search, 2.0 * len(tail), start, by_tail, number, *scratch)
    return number


def component_labels(n: int, a: NDArray[Any], b: NDArray[Any]) -> Ids:
    """The number of the connected component of every node, [n], by edges between a and b."""
    label = np.arange(n, dtype=np.int64)
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
    sizes = np.bincount(label_met(table))
    return tuple(sorted(sizes[sizes > 1].tolist(), reverse=True))


def label_met(table: Games) -> Ids:
    """The number of the group of each player, [n]; two groups never met, not even by way of others.

    A player without a game is alone in one.
    """
    games = pair_neighbours(table)
    return component_labels(len(table.players), games.a, games.b)


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
    return list_some([str(players[k]) for k in chosen])


class SideForest:
    """Whether ratings can replace an advantage: side = p_a - p_b in every row, for some p.

    The advantage is then not identifiable. Players are joined row by row (union-find), each with
    the difference of p to the player it was joined to, until a row contradicts.
    """

    def __init__(self, players: int) -> None:
        self.joined: Ids = np.arange(players, dtype=np.int64)
        self.above = np.zeros(players)
        self.size = np.ones(players, dtype=np.int64)
        self.seen = False  # whether any row has a side
        self.pinned = True  # whether no row contradicts

    def add(self, a: NDArray[Any], b: NDArray[Any], side: NDArray[Any]) -> None:
        """Add rows, [rows] each."""
        self.seen |= bool(side.any())
        if not self.pinned:
            return
        contradicts = np.zeros(1)
        forest = self.joined, self.above, self.size
        run_loop(join_sides, len(a), a, b, side, *forest, contradicts)
        self.pinned = not contradicts[0]

    def join(self, other: SideForest) -> None:
        """Add the rows of another forest of the same players."""
        self.add(np.arange(len(other.joined), dtype=np.int64), other.joined, other.above)
        self.seen, self.pinned = self.seen | other.seen, self.pinned & other.pinned


def find_root(joined: Any, above: Any, node: int) -> tuple[int, float]:
    """The root of a player's tree, and p of the player over that of the root."""
    over = 0.0
    while joined[node] != node:
        over += above[node]
        node = joined[node]
    return node, over


def join_sides(
    a: Any, b: Any, side: Any, joined: Any, above: Any, size: Any, contradicts: Any
) -> None:
    """Join the trees of the players of each row, until a row contradicts."""
    for row in range(len(a)):
        one, over_one = find_root(joined, above, a[row])
        other, over_other = find_root(joined, above, b[row])
        apart = side[row] - over_one + over_other  # p of one root over that of the other
        if one == other:
            if apart != 0.0:
                contradicts[0] = 1.0
                return
        elif size[one] <= size[other]:
            joined[one], above[one] = other, apart
            size[other] += size[one]
        else:
            joined[other], above[other] = one, -apart
            size[one] += size[other]
