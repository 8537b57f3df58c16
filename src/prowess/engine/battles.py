"""Sequential battles, each of which revises both players over the whole field.

After a battle the pairing score of the two is brought up to date; then each of the two plays one
rating period against every opponent met so far, once each, with the pairing score as the
result. Both are judged by the ratings before the battle, and no other rating changes
("Darkcanuck/RRServer/Ratings", RoboWiki).

The work is battles times field, so large tables are compiled; both ways give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from prowess.compile import kernel
from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import LIGHT, is_worth_compiling
from prowess.engine.pairings import SCORE_KEPT, pairing_notes, shares
from prowess.engine.rows import LISTS, MATRICES, StateLayout, make_sum
from prowess.engine.system import Choice, Game
from prowess.engine.whole_table import Fit

if TYPE_CHECKING:
    from prowess.games.games import Games


FieldMode = Annotated[
    int, Choice("whole_field", "per_battle"), "a battle counts all opponents met so far, or one"
]

DEVIATION_NOTE = (
    "a deviation is the size of a step here, not an uncertainty: a battle counts all pairings"
)


class Revision(NamedTuple):
    """How one player is revised: the functions of a dynamic system, of one player."""

    rating: Any  # shapes a rating; its values are a newcomer's
    evidence_zero: Any
    evidence: Callable[..., Any]  # (p, me, opponent, game) -> evidence
    absorb: Callable[..., Any]  # (p, me, sum of evidence) -> rating


class FieldRatings(NamedTuple):
    """What the battles made of a roster of n players."""

    rating: Floats  # [n, fields of a rating]; nan for players without a battle
    opponents: Ids  # [n], how many each has met


@dataclass(frozen=True, eq=False)
class _Slots:
    """A place for every (player, opponent), opponents in the order of their first battle.

    Player i owns the places start[i] to start[i] + opponents[i]; `mine` and `theirs` are the
    places of both players of every battle.
    """

    start: Ids  # [n]
    opponents: Ids  # [n]
    opponent: Ids  # [places]
    mine: Ids  # [battles], of a against b
    theirs: Ids  # [battles], of b against a


def fit_battles(revision: Revision, step: Any, p: Any, games: Games) -> Fit:
    """The fit of a system of this kind, whose settings `p` have mode, pairing and scores.

    `step` is what the functions of the revision receive as their `p`. The model is the Field.
    """
    by_points, whole_field = p.scores == 0, p.mode == 0
    field = play_battles(
        revision,
        step,
        games,
        shares(games, by_points=by_points),
        running=p.pairing == 1,
        whole_field=whole_field,
    )
    names = revision.rating._fields
    columns = {name: np.ascontiguousarray(field.rating[:, k]) for k, name in enumerate(names)}
    notes = pairing_notes(games, field.opponents, by_points=by_points)
    if whole_field and "deviation" in names:
        notes += (DEVIATION_NOTE,)
    return Fit(columns, notes, model=field)


def play_battles(
    revision: Revision,
    p: Any,
    games: Games,
    share: Floats,
    *,
    running: bool = False,
    whole_field: bool = True,
    compiled: bool | None = None,
) -> FieldRatings:
    """Play all battles in their order; `share` is that of a in each, in [0, 1].

    `running` keeps 0.7 of the pairing score at each further battle, otherwise it is the mean.
    Without `whole_field` a player meets only the opponent of the battle, with the share of that
    battle. `compiled` None compiles where that is quicker.
    """
    slots = _slots(games)
    rating = np.tile(np.array(revision.rating, dtype=np.float64), (len(games.players), 1))
    if compiled is None:
        reach = slots.opponents[games.a] + slots.opponents[games.b]
        opponents = int(reach.sum()) if whole_field else 2 * len(games)
        compiled = is_worth_compiling(opponents / LIGHT)
    loop = _loop(revision, running, whole_field, compiled)
    columns = [
        *(games.a.astype(np.int64), games.b.astype(np.int64), share),
        *(slots.mine, slots.theirs, slots.start, slots.opponent),
        np.zeros(len(rating), dtype=np.int64),
        *(np.zeros(len(slots.opponent)), np.zeros(len(slots.opponent))),
    ]
    if compiled:
        loop(p, rating, *columns)
    else:
        rows = list(map(revision.rating._make, rating.tolist()))
        loop(p, rows, *(column.tolist() for column in columns))
        rating = np.array(rows, dtype=np.float64)
    rating[slots.opponents == 0] = np.nan
    return FieldRatings(rating, slots.opponents)


def _slots(games: Games) -> _Slots:
    n = len(games.players)
    a, b = games.a.astype(np.int64), games.b.astype(np.int64)
    pairs, first, pair = np.unique(
        np.minimum(a, b) * n + np.maximum(a, b), return_index=True, return_inverse=True
    )
    low, high = pairs // n, pairs % n
    player, opponent = np.concatenate((low, high)), np.concatenate((high, low))
    order = np.lexsort((np.concatenate((first, first)), player))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order), dtype=np.int64)
    opponents = np.bincount(player, minlength=n)
    at_low, at_high = place[: len(pairs)][pair], place[len(pairs) :][pair]
    return _Slots(
        start=np.cumsum(opponents, dtype=np.int64) - opponents,
        opponents=opponents,
        opponent=opponent[order],
        mine=np.where(a < b, at_low, at_high),
        theirs=np.where(a < b, at_high, at_low),
    )


@cache
def _loop(
    revision: Revision, running: bool, whole_field: bool, compiled: bool
) -> Callable[..., None]:
    loop = _loop_over(revision, running, whole_field, MATRICES if compiled else LISTS)
    return kernel.compile_if_possible(loop) if compiled else loop


def _loop_over(
    revision: Revision, running: bool, whole_field: bool, layout: StateLayout
) -> Callable[..., None]:
    """The loop over a layout; the flags are constants in it."""
    load, store = layout.access(revision.rating)
    evidence, absorb, nothing = revision.evidence, revision.absorb, revision.evidence_zero
    plus, kept = make_sum(nothing), SCORE_KEPT

    def revise(
        p: Any,
        rating: Any,
        player: int,
        place: int,
        score: float,
        start: Any,
        opponent: Any,
        met: Any,
        pairing: Any,
    ) -> Any:
        me = load(rating, player)
        total = nothing
        if whole_field:
            for k in range(start[player], start[player] + met[player]):
                game = Game(pairing[k], 0.0, 0.0, 0.0, 0.0, 0.0)
                total = plus(total, evidence(p, me, load(rating, opponent[k]), game))
        else:
            game = Game(score, 0.0, 0.0, 0.0, 0.0, 0.0)
            total = plus(total, evidence(p, me, load(rating, opponent[place]), game))
        return absorb(p, me, total)

    def loop(
        p: Any,
        rating: Any,
        a: Any,
        b: Any,
        share: Any,
        mine: Any,
        theirs: Any,
        start: Any,
        opponent: Any,
        met: Any,
        battles: Any,
        pairing: Any,
    ) -> None:
        for t in range(len(a)):
            i, j, here, there, score = a[t], b[t], mine[t], theirs[t], share[t]
            before = battles[here]
            if before == 0.0:
                met[i] += 1
                met[j] += 1
                pairing[here] = score
            elif running:
                pairing[here] = kept * pairing[here] + (1.0 - kept) * score
            else:
                pairing[here] += (score - pairing[here]) / (before + 1.0)
            pairing[there] = 1.0 - pairing[here]
            battles[here] = battles[there] = before + 1.0
            one = revise(p, rating, i, here, score, start, opponent, met, pairing)
            other = revise(p, rating, j, there, 1.0 - score, start, opponent, met, pairing)
            store(rating, i, one)
            store(rating, j, other)

    return loop
