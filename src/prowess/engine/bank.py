"""A bank: one system under several settings at once, mixed by how well each forecast the games.

Formula   forecast  = sum of w_k x forecast of setting k
          w_k       <- w_k^forget x P_k(result), scaled to a sum of 1
          rating    = sum of w_k x rating r_k under k
          deviation = root of the sum of w_k (d_k^2 + (r_k - rating)^2)
Source    A. E. Raftery, M. Karny and P. Ettler, "Online prediction under model uncertainty via
          dynamic model averaging", Technometrics 52 (2010), section 2.2: weights that forget.
Units     weights have no unit; a contest of many sides counts as one game.

One array holds all numbers of the settings: a base address and constant distances let the compiler
see that nothing overlaps. Logarithms of weights are rescaled only near the ends of the floats, and
only by their own values, so the result does not depend on where a table is cut.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf, log as natural_log, nan
from typing import Any, NamedTuple

import numpy as np

from prowess.compile import kernel
from prowess.compile.tree import has_loop
from prowess.engine.mathematics import compiled_forms, polynomial_exp, polynomial_log, substitutes
from prowess.engine.system import Dynamic

FORGET = 0.9998  # the power of a weight that a game leaves
PARTIAL = 8  # sums over the settings are sums of every eighth, added at the end
FAINT, LOUD = 1e-6, 1e6  # sums of weights between which they are left as they are
MIN_CHANCE = 1e-12  # of a chance, so that every setting can gain weight again
LOG_FORGET = natural_log(FORGET)


class Work(NamedTuple):
    """Where numbers of the settings stand in one array: an address and constant distances.

    The room of each is a whole number of eights.
    """

    lanes: int
    width: int  # the room of one number under all settings
    logs: int  # where the logarithms of the weights begin
    shares: int  # the weights
    chances: int  # expected scores
    draws: int  # chances of a draw
    gains: int  # how well each setting foresaw the results that the weights have not learnt yet
    sums: int  # partial sums over the settings
    end: int  # the place behind all of them


@cache
def work_of(lanes: int) -> Work:
    """The places of so many settings."""
    width = -(-lanes // PARTIAL) * PARTIAL
    *_, sums = places = range(0, 6 * width, width)
    return Work._make((lanes, width, *places, sums + 3 * PARTIAL))


class Mixing(NamedTuple):
    """The steps of a mixture; `lanes` and `eight` are the number of settings, and 8."""

    share: Callable[..., None]  # (work, k): the weight of setting k from its logarithm
    mix: Callable[..., tuple[float, float]]  # (work, lanes, eight) -> expected score, draw
    judge: Callable[..., None]  # (work, score, weight, lanes): how well each setting foresaw it
    learn: Callable[..., None]  # (work, games, lanes): the weights, of what was judged


def mixing(shape: Work, drawing: bool, number: Callable[[int], Any]) -> Mixing:
    """The steps for places that `number` makes: unsigned where compiled."""
    zero, width, logs, shares, chance, drawn, gain, sums, _ = map(number, (0, *shape[1:]))
    wins, evens = sums + number(PARTIAL), sums + number(2 * PARTIAL)
    a, b, c, d, e, f, g, h = (number(k) for k in range(PARTIAL))

    def share(work: Any, k: Any) -> None:
        work[shares + k] = polynomial_exp(work[logs + k])

    def total(work: Any, eight: Any) -> float:
        for k in range(zero, eight):
            part = work[shares + k]
            work[sums + k] = part
            work[wins + k] = part * work[chance + k]
            if drawing:
                work[evens + k] = part * work[drawn + k]
        for block in range(eight, width, eight):
            for k in range(zero, eight):
                part = work[shares + block + k]
                work[sums + k] += part
                work[wins + k] += part * work[chance + block + k]
                if drawing:
                    work[evens + k] += part * work[drawn + block + k]
        return sum_eight(work, sums)

    def sum_eight(work: Any, at: Any) -> float:
        even = (work[at + a] + work[at + e]) + (work[at + c] + work[at + g])
        odd = (work[at + b] + work[at + f]) + (work[at + d] + work[at + h])
        return even + odd  # type: ignore[no-any-return]

    def mix(work: Any, lanes: Any, eight: Any) -> tuple[float, float]:
        found = total(work, eight)
        if not FAINT < found < LOUD:
            top = -inf
            for k in range(zero, lanes):
                top = max(top, work[logs + k])
            for k in range(zero, lanes):
                work[logs + k] -= top
                share(work, k)
            found = total(work, eight)
        return sum_eight(work, wins) / found, sum_eight(work, evens) / found if drawing else nan

    def log_decided(won: bool, expected: float, half_draw: float) -> float:
        return polynomial_log(max((expected if won else 1.0 - expected) - half_draw, MIN_CHANCE))

    def judge(work: Any, score: float, weight: float, lanes: Any) -> None:
        if score * (1.0 - score) == 0.0:  # won or lost
            for k in range(zero, lanes):
                half = 0.5 * work[drawn + k] if drawing else 0.0
                work[gain + k] += weight * log_decided(score == 1.0, work[chance + k], half)
        elif drawing and score == 0.5:
            for k in range(zero, lanes):
                work[gain + k] += weight * polynomial_log(max(work[drawn + k], MIN_CHANCE))
        else:
            for k in range(zero, lanes):
                half = 0.5 * work[drawn + k] if drawing else 0.0
                won = log_decided(True, work[chance + k], half)
                lost = log_decided(False, work[chance + k], half)
                work[gain + k] += weight * (score * won + (1.0 - score) * lost)

    def learn(work: Any, games: float, lanes: Any) -> None:
        kept = polynomial_exp(games * LOG_FORGET)
        for k in range(zero, lanes):
            work[logs + k] = kept * work[logs + k] + work[gain + k]
            work[gain + k] = 0.0

    return Mixing(share, mix, judge, learn)


def mixing_of_rounds(
    shape: Work, drawing: bool, number: Callable[[int], Any]
) -> Callable[..., None]:
    """A function that mixes the forecasts of rounds and learns the weights, in place.

    Round r has the entries `bounds[r]:bounds[r + 1]`; an entry counts `counts[e]` games, all of
    them foreseen with the weights before the round. `before` receives the logarithms of those.
    """
    share, mix, judge, learn = mixing(shape, drawing, number)
    zero, logs, chance, drawn = map(number, (0, shape.logs, shape.chances, shape.draws))

    def mix_rounds(
        work: Any,
        by_setting: Any,
        draws_by_setting: Any,
        scores: Any,
        counts: Any,
        bounds: Any,
        forecasts: Any,
        draws: Any,
        before: Any,
        lanes: Any,
        eight: Any,
    ) -> None:
        for r in range(len(bounds) - 1):
            played = 0.0
            for k in range(zero, lanes):
                before[r, k] = work[logs + k]
            for e in range(bounds[r], bounds[r + 1]):
                for k in range(zero, lanes):
                    work[chance + k] = by_setting[e, k]
                    if drawing:
                        work[drawn + k] = draws_by_setting[e, k]
                    share(work, k)
                forecasts[e], draws[e] = mix(work, lanes, eight)
                judge(work, scores[e], counts[e], lanes)
                played += counts[e]
            learn(work, played, lanes)

    return mix_rounds


@cache
def round_mixer(lanes: int, drawing: bool, large: bool) -> Callable[..., None]:
    """The function that mixes the forecasts of rounds, compiled where there is much to do."""
    mix = mixing_of_rounds(work_of(lanes), drawing, np.uint64 if large else int)
    return kernel.compile_if_possible(mix, compiled_forms()) if large else mix


@cache
def vectorises(system: Dynamic) -> bool:
    """Whether the settings can go through the functions of a system side by side: no loops."""
    common = system.common
    functions = (
        system.expected, system.evidence, system.absorb, system.drift,
        system.chances, system.part, system.due, system.newcomer,
        *(() if common is None else (common.gradient, common.learn)),
    )  # fmt: skip
    return not any(has_loop(one) for one in functions if one is not None)


def bank_substitutes(system: Dynamic, compiled: bool) -> dict[Any, Any]:
    """What stands for other functions in the loop: polynomials, where they make vectors of it.

    Where the settings have to take their turns one by one, the functions of `math` are faster.
    """
    if vectorises(system):
        return substitutes(compiled)
    return compiled_forms() if compiled else {}
