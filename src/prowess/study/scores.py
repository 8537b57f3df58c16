"""Scores of forecasts, the losses of `engine/losses.py` and their kin, and the base rate.

A forecast has one entry a game, or a side of a contest of many. What happened is `table.outcome`:
the score, or the share of the field beaten. Every forecast should beat the base rate.

Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
J. Amer. Stat. Assoc. 22 (1927).

Intervals are those of mean scores, and of the difference of two, game by game. A score is a mean of
losses, and the difference of two systems one of paired differences of losses, game by game. The
intervals are about other games of the same players, forecast from the ratings as they stood. What a
system loses beyond that expectation cannot be foreseen from the past: it is a martingale
difference, so that the scatter of single games measures the sum (P. Hall and C. C. Heyde,
Martingale Limit Theory and Its Application, 1980, section 3.2). Games close in time may share more,
such as an event between weak players, so that the scatter of blocks of consecutive games is taken
where it is larger (H. R. Kuensch, "The jackknife and the bootstrap for general stationary
observations", Annals of Statistics 17, 1989).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids, Truths
from prowess.engine.cluster.machine import one_thread
from prowess.engine.places import places_by_strength
from prowess.engine.whole_table import two_sided_quantile
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from prowess.games.games import Games


def weighted_mean(values: Floats, weight: Floats) -> float:
    """Return the weighted mean of the finite values; nan without any."""
    known = np.isfinite(values)
    total = weight[known].sum()
    return float((values[known] * weight[known]).sum() / total) if total > 0 else float("nan")


def concordance(place: Floats, forecast: Floats, start: Ids) -> Floats:
    """Return the share of pairs that the forecast put in the right order, [contests].

    Pairs that tied are left out, equal forecasts count half; nan where no pair is left.
    """
    found = np.full(len(start) - 1, np.nan)
    for contest, (first, last) in enumerate(pairwise(start.tolist())):
        ahead = np.sign(place[None, first:last] - place[first:last, None])
        above = np.sign(forecast[first:last, None] - forecast[None, first:last])
        decided = ahead > 0
        if decided.any():
            found[contest] = (0.5 + 0.5 * above[decided]).mean()
    return found


FAINT_SCORE = 1e-9  # how near an expected score may come to 0 and 1
CLOSE_STEP = 1e-10  # of a strength
STRENGTH_STEPS = 60
MOST_IN_ORDER = 2_000  # sides of a contest whose order is judged
MOST_PLACED = 500  # sides of one whose places are: 0.3 s
AT_A_TIME = 2_000_000  # pairs of sides


def strengths_of_field(expected: Floats) -> Floats:
    """Return Bradley-Terry strengths of contests of n sides, [contests, n], in logits.

    They are those under which every side's mean chance to be before another one, 1 / (n - 1) of the
    sum over the others, is the expected score [contests, n]. By Newton's method.
    """
    wanted = np.clip(expected, FAINT_SCORE, 1.0 - FAINT_SCORE)
    wanted = wanted + 0.5 - wanted.mean(axis=1, keepdims=True)  # the mean of all is 1/2
    n = expected.shape[1]
    strength: Floats = np.zeros_like(wanted)
    diagonal = np.arange(n, dtype=np.int64)
    for _ in range(STRENGTH_STEPS):
        chance = 1.0 / (1.0 + np.exp(strength[:, None, :] - strength[:, :, None]))
        surplus = chance.sum(axis=2) - 0.5 - (n - 1) * wanted
        curve = -chance * (1.0 - chance)
        curve[:, diagonal, diagonal] = 0.0
        curve[:, diagonal, diagonal] = FAINT_SCORE - curve.sum(axis=2)
        curve += 1.0 / n  # the mean stays 0
        step = np.linalg.solve(curve, surplus[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        strength -= step / np.maximum(longest, 1.0)  # at most 1: far out the curve is flat
        if longest.max() < CLOSE_STEP:
            break
    return strength


class OrderLosses(NamedTuple):
    """How far the outcome of each contest was from its forecast, [contests].

    It is nan of contests of one side, and of more than MOST_IN_ORDER (of places MOST_PLACED).
    """

    log_loss_winner: Floats  # -log P(the winner wins), the mean over those who share the first
    log_loss_order: Floats  # -log P(the whole order)
    ranked_probability: Floats  # the mean over the sides of that of their places


def order_losses(table: Games, expected: Floats) -> OrderLosses:
    """Return the losses of forecasts of contests, whose sides have these expected scores.

    By Plackett and Luce: P(order) is the product over the sides of e^s / sum of e^s over all that
    were not placed better, where s are the `strengths_of_field`. The ranked probability score of a
    side is the mean over k < n of (P(place <= k) - [place <= k])^2; sides that share places have
    each of them with equal parts.
    """
    winner, order, ranked = np.full((3, len(table)), np.nan)
    for contests, place, strength in fields_of_size(table, expected):
        behind = place[:, None, :] >= place[:, :, None]  # not placed better than a side
        weight = np.exp(strength)
        chance = strength - np.log((behind * weight[:, None, :]).sum(axis=2))
        first = place == place.min(axis=1, keepdims=True)
        winner[contests] = -(chance * first).sum(axis=1) / first.sum(axis=1)
        order[contests] = -chance.sum(axis=1)
        if place.shape[1] <= MOST_PLACED:
            apart = reach_places(place) - foresee_places(strength)
            ranked[contests] = (apart * apart).mean(axis=(1, 2))
    return OrderLosses(winner, order, ranked)


def note_large_contests(table: Games, contests: Ids) -> list[str]:
    """Note which scores leave out some of these contests, as too large, and how many."""
    size, notes = np.diff(table.start)[contests], []
    for most, what in (
        (MOST_IN_ORDER, "log_loss_winner and log_loss_order leave"),
        (MOST_PLACED, "ranked_probability leaves"),
    ):
        if large := int((size > most).sum()):
            some = f"{large:,} of {format_count(len(size), 'contest')}"
            notes.append(f"{what} out {some}, of more than {most:,} sides")
    return notes


def fields_of_size(table: Games, expected: Floats) -> Iterator[tuple[Ids, Floats, Floats]]:
    """Contests of as many sides: their numbers, and places and strengths, [contests, n]."""
    size, start = np.diff(table.start), np.asarray(table.start[:-1], dtype=np.int64)
    for n in np.unique(size[(size > 1) & (size <= MOST_IN_ORDER)]).tolist():
        chosen = np.flatnonzero(size == n)
        step = max(1, AT_A_TIME // (n * n))
        for at in range(0, len(chosen), step):
            contests = chosen[at : at + step]
            entries = start[contests][:, None] + np.arange(n, dtype=np.int64)
            known = np.isfinite(expected[entries]).all(axis=1)
            contests, entries = contests[known], entries[known]
            if len(contests):
                with one_thread:  # of matrices so small several threads wait for one another
                    strength = strengths_of_field(expected[entries])
                yield contests, table.place[entries], strength


def foresee_places(strength: Floats) -> Floats:
    """The chance of each side to take place k or a better one, k < n, [contests, n, n - 1]."""
    chances: Floats = places_by_strength(strength).cumsum(axis=2, dtype=np.float64)[:, :, :-1]
    return chances


def reach_places(place: Floats) -> Floats:
    """Whether each side took place k or a better one, k < n, [contests, n, n - 1].

    >>> reach_places(np.array([[1.0, 2.0, 2.0]])).tolist()
    [[[1.0, 1.0], [0.0, 0.5], [0.0, 0.5]]]
    """
    better = (place[:, None, :] < place[:, :, None]).sum(axis=2)
    shared = (place[:, None, :] == place[:, :, None]).sum(axis=2)
    k = np.arange(1, place.shape[1], dtype=np.int64)
    reached: Floats = np.clip((k - better[:, :, None]) / shared[:, :, None], 0.0, 1.0)
    return reached


def column_of_entries(table: Games, column: AnyArray) -> AnyArray:
    """Expand a column of contests to one of entries."""
    return column if table.pairwise else column[table.contest_of_side]


def entry_weight(table: Games) -> Floats:
    """Return the weight of each entry: that of a game, or 1 / n of it for a side of n."""
    known = np.ones(len(table)) if table.weight is None else table.weight
    return known if table.pairwise else column_of_entries(table, known / np.diff(table.start))


def default_metric(table: Games) -> str:
    """Return the score that decides a comparison where none is named."""
    return "log_loss" if table.pairwise else "brier"


def wilson_interval(share: float, count: float, level: float) -> tuple[float, float]:
    """Return Wilson's interval of a binomial share, with probability `level`.

    (p + z^2/2n -+ z sqrt(p (1-p) / n + z^2 / 4n^2)) / (1 + z^2/n)
    """
    z = two_sided_quantile(level)
    part = z * z / count
    reach = z * sqrt(share * (1.0 - share) / count + part / (4.0 * count))
    middle = share + 0.5 * part
    return max(0.0, (middle - reach) / (1.0 + part)), min(1.0, (middle + reach) / (1.0 + part))


class BaseRate(NamedTuple):
    """Expected score and chance of a draw from earlier games alone, [n] each."""

    expected: Floats
    draw: Floats


def base_rate(games: Games) -> BaseRate:
    """Return the mean score of the favoured side and the share of draws before every game.

    Games with and without a side advantage are counted apart; on neutral ground the expected
    score is 1/2. Each count begins with one imagined win, draw and loss. Games of one time do
    not use each other.
    """
    side = np.zeros(len(games)) if games.side is None else games.side
    return _base_rates(games, _first_of_moment(games.time, len(games)), side)


def base_rate_after(games: Games, side: float) -> tuple[float, float]:
    """Return expected score and chance of a draw of a game after the last one, by the base rate."""
    found = _base_rates(games, np.array([len(games)]), np.array([side]))
    return float(found.expected[0]), float(found.draw[0])


def _base_rates(games: Games, first: Ids, side: Floats) -> BaseRate:
    """Return the base rate of games with these sides after the first so many rows of the table."""
    played = np.zeros(len(games)) if games.side is None else games.side
    favoured = np.where(played < 0.0, 1.0 - games.score, games.score)
    drawn = (games.score == 0.5).astype(np.float64)
    with_side = side != 0.0
    score = np.where(with_side, _running(favoured, played != 0.0, first, 1.5, 3.0), 0.5)
    expected = np.where(side < 0.0, 1.0 - score, score)
    draw = np.where(
        with_side,
        _running(drawn, played != 0.0, first, 1.0, 3.0),
        _running(drawn, played == 0.0, first, 1.0, 3.0),
    )
    # three chances of at least 0 must remain
    return BaseRate(expected, np.minimum(draw, 2.0 * np.minimum(expected, 1.0 - expected)))


def _first_of_moment(time: Floats | None, n: int) -> Ids:
    """Return the first row of the same time as each row: the rows before it are the past."""
    rows = np.arange(n, dtype=np.int64)
    if time is None or not n:
        return rows
    return np.maximum.accumulate(np.where(np.append(True, time[1:] != time[:-1]), rows, 0))


def _running(
    value: Floats,
    group: Truths,
    first: Ids,
    imagined: float,
    imagined_games: float,
) -> Floats:
    """Return the mean of a group's values over all earlier times, [n]."""
    total = np.append(0.0, np.cumsum(np.where(group, value, 0.0), dtype=np.float64))
    count = np.append(0.0, np.cumsum(group, dtype=np.float64))
    mean: Floats = (total[first] + imagined) / (count[first] + imagined_games)
    return mean


# --- intervals of mean scores ---------------------------------------------------------------------


@dataclass(frozen=True)
class MeanInterval:
    """The mean of a score, or of the difference of two, with its interval and its deviation."""

    mean: float
    low: float
    high: float
    deviation: float

    @property
    def told_apart(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0.0 or self.high < 0.0


def mean_interval(
    values: Floats,
    weight: Floats,
    blocks: Ids,
    level: float,
    games: Ids | None = None,
) -> MeanInterval:
    """Return the weighted mean of the finite values with its interval, [entries] each.

    `games` numbers the game (contest) of each entry; None: each is one. The variance of the mean
    is that of games or of `blocks`, whichever is larger. The interval is the mean -+ t deviations,
    t of Student's distribution with one degree of freedom less than there are blocks. Without two
    blocks it is unbounded.
    """
    from scipy.special import stdtrit

    mean = weighted_mean(values, weight)
    known = np.isfinite(values)
    size = len(np.unique(blocks[known]))
    if size < 2:
        return MeanInterval(mean, -np.inf, np.inf, np.inf)
    single = np.arange(len(values), dtype=np.int64) if games is None else games
    surplus, known_weight = ((values - mean) * weight)[known], weight[known]
    variance = max(_variance_of_mean(surplus, known_weight, by[known]) for by in (single, blocks))
    reach = float(stdtrit(size - 1, 0.5 + 0.5 * level)) * sqrt(variance)
    return MeanInterval(mean, mean - reach, mean + reach, sqrt(variance))


def _variance_of_mean(surplus: Floats, weight: Floats, group: Ids) -> float:
    """Return G / (G - 1) sum over groups of (their sum of w (v - m))^2, over (sum w)^2."""
    total = np.bincount(_number_groups(group), surplus)
    count = len(total)
    scatter = float(total @ total) * count / (count - 1)
    return scatter / float(weight.sum()) ** 2


def _number_groups(group: Ids) -> Ids:
    """Number the groups of entries from 0 in ascending order; ascending ones without sorting."""
    steps = np.diff(group)
    if (steps >= 0).all():
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(steps != 0, dtype=np.int64)))
    return np.unique(group, return_inverse=True)[1]
