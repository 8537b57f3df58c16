"""Series of games between two players, and knock-out brackets of them. Exact, without simulation.

Series: games are independent given the strengths. The chances of every score are carried from game
to game; a series ends when it is decided. Drawn games count half a point each, or are replayed
(the chance of winning is then win / (win + loss)).

Knock-out: the loser of a tie is out.

    P(i wins round k) = P(i is there) * sum over j of P(j is there) * P(i beats j)

over the j of the other half of the small bracket. If strengths are sampled, that is computed for
every sample and averaged, so that all games of a player share the error of their rating.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.params import BadSetting
from prowess.engine.system import Unratable
from prowess.study.forecasting.contenders import Contenders, Odds
from prowess.study.forecasting.prospects import Prospects
from prowess.study.lineups import Side, sides_entered

if TYPE_CHECKING:
    from prowess.games.games import Games


ADVANTAGE_LETTERS = {"a": 1.0, "b": -1.0, "n": 0.0}  # the player with the side advantage


class SeriesFormat(NamedTuple):
    """The rules of a series. Halves are half points: two for a win, one each for a draw."""

    most: int  # games
    target: int  # halves of the winner
    replayed: bool  # whether drawn games are replayed
    order: str  # the side of each game, repeated: letters of ADVANTAGE_LETTERS

    def side(self, game: int) -> float:
        """Return +1 if the first player has the side in this game, counted from 0."""
        return ADVANTAGE_LETTERS[self.order[game % len(self.order)]]

    def drop_replayed(self, scores: Sequence[float]) -> list[float]:
        """Return the scores that count: without draws where these are replayed."""
        return [score for score in scores if not (self.replayed and score == 0.5)]


@dataclass(frozen=True, eq=False)
class Series:
    """Chances of the final scores (points of a, points of b), arrays of one shape."""

    scores: Mapping[tuple[float, float], Floats]

    @property
    def win(self) -> Floats:
        """The chance that a wins the series."""
        return self._sum(1)

    @property
    def level(self) -> Floats:
        """The chance that it ends level."""
        return self._sum(0)

    @property
    def loss(self) -> Floats:
        """The chance that b wins the series."""
        return self._sum(-1)

    @property
    def length(self) -> Floats:
        """The expected number of games (of decided ones, where draws are replayed)."""
        return sum((a + b) * chance for (a, b), chance in self.scores.items())  # type: ignore[return-value]

    def _sum(self, sign: int) -> Floats:
        zero = np.zeros_like(next(iter(self.scores.values())))
        return sum((c for (a, b), c in self.scores.items() if np.sign(a - b) == sign), zero)


def best_of(games: int, replayed: bool = False, order: str = "n") -> SeriesFormat:
    """Return a series of at most `games`; it ends when one has more than half of the points."""
    return _check_format(SeriesFormat(games, games + 1, replayed, order))


def first_to(points: int, replayed: bool = False, order: str = "n") -> SeriesFormat:
    """Return a series until one has `points` points; both may have them after a draw."""
    most = 2 * points - 1 if replayed else 2 * points
    return _check_format(SeriesFormat(most, 2 * points, replayed, order))


def _check_format(rules: SeriesFormat) -> SeriesFormat:
    if rules.most < 1:
        raise BadSetting.of("no_games_in_series.knockout")
    if not rules.order or set(rules.order) - ADVANTAGE_LETTERS.keys():
        raise BadSetting.of("not_an_order_of_sides", order=rules.order)
    return rules


def forecast_series(
    odds: Sequence[Odds], rules: SeriesFormat, score: tuple[float, float] = (0, 0)
) -> Series:
    """Forecast a series from a score on; `odds` of the games to come, enough for all of them."""
    state = {(round(2 * score[0]), round(2 * score[1])): np.ones_like(odds[0].win)}
    ended: dict[tuple[int, int], Floats] = {}
    played = (sum(next(iter(state)))) // 2
    for game in range(rules.most - played + 1):
        later: dict[tuple[int, int], Floats] = {}
        for (a, b), chance in state.items():
            if max(a, b) >= rules.target or played + game >= rules.most:
                ended[a, b] = ended.get((a, b), 0.0) + chance
                continue
            win, draw, loss = _game(odds[game], rules.replayed)
            for mine, theirs, part in ((2, 0, win), (1, 1, draw), (0, 2, loss)):
                if part is not None and np.any(part):
                    key = a + mine, b + theirs
                    later[key] = later.get(key, 0.0) + chance * part
        state = later
    return Series({(a / 2, b / 2): ended[a, b] for a, b in sorted(ended, reverse=True)})


def _game(odds: Odds, replayed: bool) -> tuple[Floats, Floats | None, Floats]:
    if not replayed:
        return odds.win, odds.draw, odds.loss
    won = decisive_chance(odds)
    return won, None, 1.0 - won


def decisive_chance(odds: Odds) -> Floats:
    """Return the chance of winning the first game that is not drawn; 1/2 if none can be."""
    decided = odds.win + odds.loss
    return np.where(decided > 0.0, odds.win / np.where(decided > 0.0, decided, 1.0), 0.5)


EMPTY_SLOT = -1
MAX_TIES_IN_ARRAY = 1_000_000  # worlds times pairs
ONE_GAME = best_of(1)
FINALS = ("winner", "final", "semi-finals", "quarter-finals")


@dataclass(frozen=True)
class Tie:
    """The rules of a tie of two players.

    A tie that ends level after its games is settled on neutral ground by one more game, replayed
    while it is drawn; or by a shoot-out, even chances.
    """

    rules: SeriesFormat = ONE_GAME
    shoot_out: bool = False


def seed_bracket(players: int) -> list[int]:
    """Return a bracket in which seeds 0, 1, 2, ... meet as late as possible; the best have byes."""
    order = [0]
    while len(order) < players:
        size = 2 * len(order)
        order = [seed for one in order for seed in (one, size - 1 - one)]
    return [seed if seed < players else EMPTY_SLOT for seed in order]


def scores_met(games: Games, names: Sequence[Side]) -> dict[tuple[int, int], list[float]]:
    """Return scores of the games between participants, of the lower number, in order of play."""
    scores: dict[tuple[int, int], list[float]] = {}
    for (a, b), score in zip(sides_entered(games, names), games.score.tolist(), strict=True):
        if a >= 0 and b >= 0:
            pair, mine = ((a, b), score) if a < b else ((b, a), 1.0 - score)
            scores.setdefault(pair, []).append(mine)
    return scores


def forecast_knockout(
    field: Contenders,
    bracket: Sequence[int],
    *,
    tie: Tie | None = None,
    played: Mapping[tuple[int, int], Sequence[float]] | None = None,
) -> Prospects:
    """Forecast every stage. `bracket` has players by number from top to bottom, or EMPTY_SLOT.

    `played` are scores of games between two of them (`met`): a tie goes on from there. Raises
    Unratable for invalid brackets, for scores other than win, draw or loss, and for pairs that
    played more games than a tie has.
    """
    slots, rounds = _check_bracket(bracket, len(field))
    tie, n = tie or Tie(), len(field)
    for pair, scores in (played or {}).items():
        _refuse_scores(field, pair, scores, tie)
    worlds = np.arange(field.worlds, dtype=np.int64)
    reached = np.zeros((rounds + 1, n))
    square = np.zeros((rounds + 1, n))
    size = max(1, MAX_TIES_IN_ARRAY // max(1, n * n))
    for first in range(0, len(worlds), size):
        part = _round_chances(
            beat_chances(field, worlds[first : first + size], tie, played or {}), slots
        )
        reached += part.sum(axis=1)
        square += (part**2).sum(axis=1)
    reached, square = reached / len(worlds), square / len(worlds)
    error = np.sqrt(np.maximum(square - reached**2, 0.0) / len(worlds))
    places, errors = _places(reached, error, slots)
    labels = [*FINALS, *(f"last {2**k}" for k in range(len(FINALS), rounds + 1))][: rounds + 1]
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


def beat_chances(
    field: Contenders,
    worlds: Ids,
    tie: Tie,
    played: Mapping[tuple[int, int], Sequence[float]],
) -> Floats:
    """Return the chance that i knocks j out, [worlds, n, n]."""
    n = len(field)
    i, j = np.triu_indices(n, 1)
    chance = np.zeros((len(worlds), n, n))
    rules = tie.rules
    sides = {side: field.odds(worlds[:, None], i, j, np.array(side))
             for side in {rules.side(game) for game in range(rules.most)} | {0.0}}  # fmt: skip
    odds = [sides[rules.side(game)] for game in range(rules.most)]
    decider = np.full_like(sides[0.0].win, 0.5) if tie.shoot_out else decisive_chance(sides[0.0])
    whole = forecast_series(odds, rules)
    won = whole.win + whole.level * decider
    for (a, b), scores in played.items():
        column = np.flatnonzero((i == a) & (j == b))
        own = [type(one)(one.win[:, column], one.draw[:, column]) for one in odds]
        counted = rules.drop_replayed(scores)
        state = sum(counted), len(counted) - sum(counted)
        rest = forecast_series([*own[len(counted) :], own[-1]], rules, state)
        won[:, column] = rest.win + rest.level * decider[:, column]
    chance[:, i, j], chance[:, j, i] = won, 1.0 - won
    return chance


def _round_chances(beats: Floats, slots: list[int]) -> Floats:
    """Return the chance of reaching each round, [rounds + 1, worlds, n]; the last is winning."""
    worlds, n = beats.shape[:2]
    rounds = len(slots).bit_length() - 1
    reached = np.zeros((rounds + 1, worlds, n))
    reached[0] = 1.0
    for k in range(rounds):
        block = 1 << k
        for start in range(0, len(slots), 2 * block):
            upper = [s for s in slots[start : start + block] if s != EMPTY_SLOT]
            lower = [s for s in slots[start + block : start + 2 * block] if s != EMPTY_SLOT]
            for some, others in ((upper, lower), (lower, upper)):
                if not others:
                    reached[k + 1][:, some] = reached[k][:, some]
                    continue
                chance = beats[:, some][:, :, others]
                over = np.einsum("wij,wj->wi", chance, reached[k][:, others])
                reached[k + 1][:, some] = reached[k][:, some] * over
    return reached


def _places(reached: Floats, error: Floats, slots: list[int]) -> tuple[Floats, Floats]:
    """Return chances of places [n, n] (shared within a round), and standard errors."""
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


def _check_bracket(bracket: Sequence[int], n: int) -> tuple[list[int], int]:
    """Check a bracket; return it and its number of rounds."""
    slots = list(bracket)
    size = len(slots)
    if size < 2 or size & (size - 1):
        raise Unratable.of("not_a_bracket", size=size)
    if sorted(s for s in slots if s != EMPTY_SLOT) != list(range(n)):
        raise BadSetting.of("player_twice.knockout")
    for k in range(0, size, 2):
        if slots[k] == slots[k + 1] == EMPTY_SLOT:
            raise Unratable.of("byes_meet")
    return slots, size.bit_length() - 1


def _refuse_scores(
    field: Contenders, pair: tuple[int, int], scores: Sequence[float], tie: Tie
) -> None:
    names = " - ".join(field.names[k] for k in pair)
    if set(scores) - {0.0, 0.5, 1.0}:
        raise Unratable.of("shares_not_taken.knockout", names=names)
    rules, halves = tie.rules, [0, 0]
    for game, score in enumerate(rules.drop_replayed(scores)):
        if game >= rules.most or max(halves) >= rules.target:
            raise Unratable.of("too_many_results.knockout", names=names, scores=len(scores))
        halves = [halves[0] + round(2 * score), halves[1] + round(2 * (1.0 - score))]
