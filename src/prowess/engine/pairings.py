"""Dense tables of all pairs of players: games, scores and results of each against each.

A pairing score is the mean share of one player against another ("Darkcanuck/RRServer/Ratings",
RoboWiki). Tables are dense, so the number of players is limited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.fits.connectivity import component_labels, groups_by_size
from prowess.engine.system import Choice, PointsChoice, Unratable
from prowess.games.games import Games
from prowess.games.reading import NAMED, list_some
from prowess.games.runs import repeat_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


PairingScore = Annotated[
    int, Choice("average", "running"), "score of a pair: mean of its battles, or 0.7 old + 0.3 new"
]
BattleScore = Annotated[
    int, PointsChoice("share", "result"), "a battle counts by its share of the points, or as won"
]

MOST_PLAYERS = 5_000  # 25 million pairs: 200 MB a table
TIE = 1e-12  # pairing scores closer to 1/2 than this are even (section 5.3 of the specification)
SCORE_KEPT = 0.7  # what a running pairing score keeps of itself at each further battle


@dataclass(frozen=True, eq=False)
class Pairings:
    """All pairs of a roster of n players; row i, column j is i against j.

    `battles` [n, n] is symmetric, `share` holds the pairing scores (nan where two never met),
    share[i, j] + share[j, i] = 1. `wins` counts the games won, a draw for neither.
    """

    players: Sequence[str]
    battles: Floats
    share: Floats
    wins: Floats

    @cached_property
    def met(self) -> Truths:
        """Which pairs have met, [n, n]."""
        return self.battles > 0.0

    @cached_property
    def win_rate(self) -> Floats:
        """Wins and half the draws per battle, [n, n]; nan where two never met."""
        draws = self.battles - self.wins - self.wins.T
        with np.errstate(invalid="ignore"):
            rate: Floats = (self.wins + 0.5 * draws) / self.battles
        return rate

    @cached_property
    def verdict(self) -> Floats:
        """1 where the row's player has the better of a pairing, 1/2 even, 0 worse; nan unmet."""
        verdict = np.where(self.share > 0.5, 1.0, 0.0)
        verdict[np.abs(self.share - 0.5) <= TIE] = 0.5
        verdict[~self.met] = np.nan
        return verdict


def shares(games: Games, *, by_points: bool = True) -> Floats:
    """The share of a in every game: of the points where the table has them, else the score.

    a / (a + b); 1/2 where both have none. `by_points` False takes the scores in any case. Raises
    Unratable for negative points.
    """
    if not by_points or games.points_a is None or games.points_b is None:
        return games.score
    negative = np.flatnonzero((games.points_a < 0.0) | (games.points_b < 0.0))
    if len(negative):
        k = int(negative[0])
        raise Unratable(
            "take who won instead (most systems that read shares have scores=result), or leave "
            f"the game out: {games.players[games.a[k]]} against {games.players[games.b[k]]}, game "
            f"{k + 1} of the table, {games.points_a[k]:g} to {games.points_b[k]:g} points have no "
            "shares",
            code="shares_not_taken",
        )
    total = games.points_a + games.points_b
    with np.errstate(invalid="ignore", divide="ignore"):
        share: Floats = np.where(total > 0.0, games.points_a / total, 0.5)
    return share


def pairing_notes(games: Games, opponents: Ids, *, by_points: bool) -> tuple[str, ...]:
    """Notes on pairs that never met and on scores; `opponents` met by each, [n]."""
    notes = []
    if by_points and games.points_a is None:
        notes.append("the table has no points: the score of a game is taken as the share")
    field = int((opponents > 0).sum())
    pairs, met = field * (field - 1) // 2, int(opponents.sum()) // 2
    if met < pairs:
        notes.append(f"{pairs - met:,} of {pairs:,} pairs never met and are left out")
    return tuple(notes)


def pairings(games: Games, *, by_points: bool = True, running: bool = False) -> Pairings:
    """Merge all games by pair.

    `by_points` takes shares of the points where the table has points, otherwise the scores.
    The pairing score is the mean, or with `running` the first share and from then on
    0.7 old + 0.3 new in the order of the games. Raises Unratable for too many players.
    """
    n = len(games.players)
    if n > MOST_PLAYERS:
        raise Unratable.of("too_many_players.all_pairs", most=MOST_PLAYERS, n=n)
    share = shares(games, by_points=by_points)
    battles = pair_sums(games, 1.0, 1.0)
    part = _running_weights(games) if running else None
    with np.errstate(invalid="ignore"):
        mean = pair_sums(games, share, 1.0 - share, part) / (1.0 if running else battles)
    mean[battles == 0.0] = np.nan
    wins = pair_sums(games, games.score > 0.5, games.score < 0.5)
    return Pairings(games.players, battles, mean, wins)


def _running_weights(games: Games) -> Floats:
    """What each game still counts in the running score of its pair: the sum per pair is 1.

    The first share is taken whole and each further one by 0.3, so of m games the k-th counts
    0.3 * 0.7^(m-k), the first 0.7^(m-1). A game of weight w counts as w games with its share.
    """
    a, b = games.a.astype(np.int64), games.b.astype(np.int64)
    pair = np.minimum(a, b) * len(games.players) + np.maximum(a, b)
    weight, order = _weight(games), np.argsort(pair, kind="stable")
    chain, count = pair[order], weight[order]
    first = np.flatnonzero(np.append(True, chain[1:] != chain[:-1]))
    length = np.diff(np.append(first, len(chain)))
    so_far = np.cumsum(count, dtype=np.float64)
    later = repeat_rows(so_far[first + length - 1], length) - so_far  # weight still to come
    part: Floats = (1.0 - np.power(SCORE_KEPT, count)) * np.power(SCORE_KEPT, later)
    part[first] = np.power(SCORE_KEPT, later[first])
    in_order = np.empty(len(pair))
    in_order[order] = part
    return in_order


# --- sums -----------------------------------------------------------------------------------------


def pair_sums(
    games: Games, to_a: Floats | Truths | float, to_b: Floats | Truths | float,
    weight: Floats | None = None,
) -> Floats:  # fmt: skip
    """The weighted sum of what each player (row) got from games against each (column), [n, n].

    `to_a` and `to_b` are what the sides of every game got; `weight` [games] None is the table's.
    """
    n = len(games.players)
    a, b = games.a.astype(np.int64), games.b.astype(np.int64)
    weight = _weight(games) if weight is None else weight
    total = np.zeros(n * n)
    total += np.bincount(a * n + b, weight * to_a, n * n)
    total += np.bincount(b * n + a, weight * to_b, n * n)
    return total.reshape(n, n)


def balance(games: Games, to_a: Floats) -> Floats:
    """The weighted sum of what each player gained, [n], where a gains what b loses."""
    n = len(games.players)
    total = np.zeros(n)
    total += np.bincount(games.a, _weight(games) * to_a, n)
    total -= np.bincount(games.b, _weight(games) * to_a, n)
    return total


def _weight(games: Games) -> Floats:
    return np.ones(len(games)) if games.weight is None else games.weight


# --- power iteration ------------------------------------------------------------------------------


LARGEST_CHANGE = 1e-14  # largest change of one entry, relative to the largest entry
MOST = 200_000  # steps


def power_iteration(step: Callable[[Floats], Floats], count: int, system: str) -> Floats:
    """The x with step(x) proportional to x, [count], summing to 1, from an even start.

    Raises Unratable where it does not settle: never silently the last of many steps.
    """
    x = np.full(count, 1.0 / count)
    for _ in range(MOST):
        after = step(x)
        after /= after.sum()
        moved = np.abs(after - x).max()
        x = after
        if moved <= LARGEST_CHANGE * x.max():
            return x
    raise Unratable.of("no_convergence", system=system, most=MOST, moved=moved)


# --- connected players ----------------------------------------------------------------------------


def linked_players(pairs: Pairings, system: str) -> Ids:
    """The players who have played, by number; raises Unratable where they fall into groups."""
    players = np.flatnonzero(pairs.met.any(axis=1))
    parts = linked_groups(pairs.met[np.ix_(players, players)])
    if len(parts) > 1:
        listed = "; ".join(_name_group(pairs, players[part]) for part in parts[:NAMED])
        more = f"; and {len(parts) - NAMED:,} more groups" if len(parts) > NAMED else ""
        raise Unratable.of(
            "unlinked_players", system=system, parts=len(parts), listed=listed, more=more
        )
    return players


def linked_groups(met: Truths) -> list[Ids]:
    """The players of each group connected by games, the largest first; `met` is [n, n]."""
    return groups_by_size(component_labels(len(met), *np.nonzero(met)))


def as_column(values: NDArray[np.floating[Any]], players: Ids, count: int) -> Floats:
    """Values of some players as a column of all, [count]; nan for the others."""
    column = np.full(count, np.nan)
    column[players] = values
    return column


def _name_group(pairs: Pairings, group: Ids) -> str:
    return list_some([pairs.players[k] for k in group.tolist()])
