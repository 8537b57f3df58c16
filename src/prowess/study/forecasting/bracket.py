"""Knock-out: who loses a tie is out. Exact, no game is simulated.

    P(i wins round k) = P(i is there) * sum over j of P(j is there) * P(i beats j)

over the j of the other half of the small bracket. Where strengths are drawn, that is done for
every draw and averaged, so that errors of a rating are shared by all games of a player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.params import BadSetting
from prowess.engine.system import Unratable
from prowess.study.forecasting.contenders import Contenders
from prowess.study.forecasting.prospects import Prospects
from prowess.study.forecasting.series import Course, best_of, decisive, series
from prowess.study.lineups import Side, entered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

BYE = -1
AT_ONCE = 1_000_000  # ties (draws of strengths times pairs) looked at together
ONE_GAME = best_of(1)
LAST = ("winner", "final", "semi-finals", "quarter-finals")


@dataclass(frozen=True)
class Tie:
    """How two players settle who goes on.

    A tie that ends level after its games is settled on neutral ground by one more game, replayed
    while it is drawn; or by a shoot-out, even chances.
    """

    course: Course = ONE_GAME
    shoot_out: bool = False


def seeded(players: int) -> list[int]:
    """A bracket in which seeds 0, 1, 2, ... meet as late as they can; the best have the byes."""
    order = [0]
    while len(order) < players:
        size = 2 * len(order)
        order = [seed for one in order for seed in (one, size - 1 - one)]
    return [seed if seed < players else BYE for seed in order]


def met(games: Games, names: Sequence[Side]) -> dict[tuple[int, int], list[float]]:
    """Scores of the games between participants, of the lower number, in order of play."""
    scores: dict[tuple[int, int], list[float]] = {}
    for (a, b), score in zip(entered(games, names), games.score.tolist(), strict=True):
        if a >= 0 and b >= 0:
            pair, mine = ((a, b), score) if a < b else ((b, a), 1.0 - score)
            scores.setdefault(pair, []).append(mine)
    return scores


def knock_out(
    field: Contenders,
    bracket: Sequence[int],
    *,
    tie: Tie | None = None,
    played: Mapping[tuple[int, int], Sequence[float]] | None = None,
) -> Prospects:
    """Chances of every stage. `bracket` names players by number from top to bottom, BYE nobody.

    `played` are scores of games between two of them (`met`): a tie goes on from there. Raises
    Unratable for brackets that are none, for scores that are no win, draw or loss, and for pairs
    that played more often than a tie has games.
    """
    slots, rounds = _checked(bracket, len(field))
    tie, n = tie or Tie(), len(field)
    for pair, scores in (played or {}).items():
        _refuse_scores(field, pair, scores, tie)
    worlds = np.arange(field.worlds)
    reached = np.zeros((rounds + 1, n))
    square = np.zeros((rounds + 1, n))
    size = max(1, AT_ONCE // max(1, n * n))
    for first in range(0, len(worlds), size):
        part = _reached(beats(field, worlds[first : first + size], tie, played or {}), slots)
        reached += part.sum(axis=1)
        square += (part**2).sum(axis=1)
    reached, square = reached / len(worlds), square / len(worlds)
    error = np.sqrt(np.maximum(square - reached**2, 0.0) / len(worlds))
    places, errors = _places(reached, error, slots)
    labels = [*LAST, *(f"last {2**k}" for k in range(len(LAST), rounds + 1))][: rounds + 1]
    stages = {labels[rounds - k]: reached[k] for k in range(1, rounds + 1)}
    return Prospects(
        names=field.names,
        rating=field.rating,
        places=places,
        errors=errors,
        runs=field.worlds if field.worlds > 1 else 0,
        stages=stages,
        notes=field.notes,
    )


def beats(
    field: Contenders,
    worlds: Ids,
    tie: Tie,
    played: Mapping[tuple[int, int], Sequence[float]],
) -> Floats:
    """The chance that i knocks j out, [worlds, n, n]."""
    n = len(field)
    i, j = np.triu_indices(n, 1)
    chance = np.zeros((len(worlds), n, n))
    course = tie.course
    sides = {side: field.odds(worlds[:, None], i, j, np.array(side))
             for side in {course.side(game) for game in range(course.most)} | {0.0}}  # fmt: skip
    odds = [sides[course.side(game)] for game in range(course.most)]
    decider = np.full_like(sides[0.0].win, 0.5) if tie.shoot_out else decisive(sides[0.0])
    whole = series(odds, course)
    won = whole.win + whole.level * decider
    for (a, b), scores in played.items():
        column = np.flatnonzero((i == a) & (j == b))
        own = [type(one)(one.win[:, column], one.draw[:, column]) for one in odds]
        counted = [score for score in scores if not (course.replayed and score == 0.5)]
        state = sum(counted), len(counted) - sum(counted)
        rest = series([*own[len(counted) :], own[-1]], course, state)
        won[:, column] = rest.win + rest.level * decider[:, column]
    chance[:, i, j], chance[:, j, i] = won, 1.0 - won
    return chance


def _reached(beats: Floats, slots: list[int]) -> Floats:
    """The chance of reaching each round, [rounds + 1, worlds, n]; the last is winning it all."""
    worlds, n = beats.shape[:2]
    rounds = len(slots).bit_length() - 1
    reached = np.zeros((rounds + 1, worlds, n))
    reached[0] = 1.0
    for k in range(rounds):
        block = 1 << k
        for start in range(0, len(slots), 2 * block):
            upper = [s for s in slots[start : start + block] if s != BYE]
            lower = [s for s in slots[start + block : start + 2 * block] if s != BYE]
            for some, others in ((upper, lower), (lower, upper)):
                if not others:
                    reached[k + 1][:, some] = reached[k][:, some]
                    continue
                chance = beats[:, some][:, :, others]
                over = np.einsum("wij,wj->wi", chance, reached[k][:, others])
                reached[k + 1][:, some] = reached[k][:, some] * over
    return reached


def _places(reached: Floats, error: Floats, slots: list[int]) -> tuple[Floats, Floats]:
    """Who leaves in one round shares the places of all who do, [n, n]; and standard errors."""
    rounds, n = len(reached) - 1, reached.shape[1]
    places, errors = np.zeros((n, n)), np.zeros((n, n))
    places[:, 0], errors[:, 0] = reached[rounds], error[rounds]
    last = n
    for k in range(rounds):
        leaving = reached[k] - reached[k + 1]
        first = last - round(float(leaving.sum()))
        width = last - first
        if width:
            places[:, first:last] = leaving[:, None] / width
            errors[:, first:last] = np.hypot(error[k], error[k + 1])[:, None] / width
        last = first
    return places, errors


def _checked(bracket: Sequence[int], n: int) -> tuple[list[int], int]:
    """The bracket and its number of rounds."""
    slots = list(bracket)
    size = len(slots)
    if size < 2 or size & (size - 1):
        raise Unratable(
            f"a bracket of {size} lines: write 2, 4, 8, 16, ... of them, `bye` where nobody stands"
        )
    if sorted(s for s in slots if s != BYE) != list(range(n)):
        raise BadSetting("a bracket has every participant once")
    for k in range(0, size, 2):
        if slots[k] == slots[k + 1] == BYE:
            raise Unratable("two byes meet in the bracket: give each of them to a player")
    return slots, size.bit_length() - 1


def _refuse_scores(
    field: Contenders, pair: tuple[int, int], scores: Sequence[float], tie: Tie
) -> None:
    names = " - ".join(field.names[k] for k in pair)
    if set(scores) - {0.0, 0.5, 1.0}:
        raise Unratable(f"{names}: a tie is settled by wins, draws and losses, not by shares")
    course, halves = tie.course, [0, 0]
    counted = [score for score in scores if not (course.replayed and score == 0.5)]
    for game, score in enumerate(counted):
        if game >= course.most or max(halves) >= course.target:
            raise Unratable(
                f"{names} was played {len(scores)} times, more often than a tie has games: leave "
                "games of other events out (--since, --where), or say --best-of"
            )
        halves = [halves[0] + round(2 * score), halves[1] + round(2 * (1.0 - score))]
