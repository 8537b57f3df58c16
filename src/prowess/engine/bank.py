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

from collections.abc import Callable, Sequence
from functools import cache
from math import inf, log as natural_log, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess import kernel
from prowess.engine.loops import NO_RULES, Flags, Snapshots, lone_side, make_steps
from prowess.engine.numeric import compiled_forms, polynomial_exp, polynomial_log, substitutes
from prowess.engine.rows import (
    StateLayout,
    access_lane_rows,
    access_matrix_lanes,
    load_lane_fields,
    no_op,
)
from prowess.engine.system import Dynamic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


FORGET = 0.9998  # the power of a weight that a game leaves
PARTIAL = 8  # sums over the settings are sums of every eighth, added at the end
FAINT, LOUD = 1e-6, 1e6  # sums of weights between which they are left as they are
LEAST = 1e-12  # of a chance, so that every setting can gain weight again
LOG_FORGET = natural_log(FORGET)

LOGS, SHARES, CHANCES, DRAWS, SEEN, GAINS, SUMS = range(7)  # kinds of numbers in the array


class Work(NamedTuple):
    """Where numbers of the settings stand in one array: an address and constant distances.

    The room of each is a whole number of eights.
    """

    lanes: int
    fields: int  # of the parameters, which come first

    @property
    def width(self) -> int:
        """The room of one number under all settings."""
        return -(-self.lanes // PARTIAL) * PARTIAL

    def place(self, number: int) -> int:
        """Where a kind of numbers begins: LOGS, SHARES, CHANCES, DRAWS, SEEN, GAINS or SUMS."""
        return (self.fields + number) * self.width

    def fill(self, rows: Any, logs: Any) -> Any:
        """The array, with the parameters of the settings and the logarithms of their weights."""
        work = np.zeros(self.place(SUMS) + 3 * PARTIAL)
        columns = work[: self.fields * self.width].reshape(self.fields, self.width)
        for lane, row in enumerate(rows):
            columns[:, lane] = list(map(float, row))
        if logs is not None:
            self.logs(work)[:] = logs
        return work

    def logs(self, work: Any) -> Any:
        """The logarithms of the weights in the array."""
        return work[self.place(LOGS) : self.place(LOGS) + self.lanes]


class Mixing(NamedTuple):
    """The steps of a mixture; `lanes` and `eight` are the number of settings, and 8."""

    share: Callable[..., None]  # (work, k): the weight of setting k from its logarithm
    weigh: Callable[..., float]  # (work, lanes, eight) -> the sum of the weights
    mean: Callable[..., float]  # (work, total, which) -> the mixture of chances or draws
    judge: Callable[..., None]  # (work, score, lanes): how well each setting foresaw it, as SEEN


def mixing(shape: Work, drawing: bool, number: Callable[[int], Any]) -> Mixing:
    """The steps for places that `number` makes: unsigned where compiled."""
    zero, width = number(0), number(shape.width)
    logs, shares, chance, drawn, seen = (
        number(shape.place(k)) for k in (LOGS, SHARES, CHANCES, DRAWS, SEEN)
    )
    sums = number(shape.place(SUMS))
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

    def weigh(work: Any, lanes: Any, eight: Any) -> float:
        found = total(work, eight)
        if FAINT < found < LOUD:
            return found
        top = -inf
        for k in range(zero, lanes):
            top = max(top, work[logs + k])
        for k in range(zero, lanes):
            work[logs + k] -= top
            share(work, k)
        return total(work, eight)

    def mean(work: Any, total: float, which: int) -> float:
        return sum_eight(work, wins if which == 0 else evens) / total

    def log_decided(won: bool, expected: float, half_draw: float) -> float:
        return polynomial_log(max((expected if won else 1.0 - expected) - half_draw, LEAST))

    def judge(work: Any, score: float, lanes: Any) -> None:
        if score * (1.0 - score) == 0.0:  # won or lost
            for k in range(zero, lanes):
                half = 0.5 * work[drawn + k] if drawing else 0.0
                work[seen + k] = log_decided(score == 1.0, work[chance + k], half)
        elif drawing and score == 0.5:
            for k in range(zero, lanes):
                work[seen + k] = polynomial_log(max(work[drawn + k], LEAST))
        else:
            for k in range(zero, lanes):
                half = 0.5 * work[drawn + k] if drawing else 0.0
                won = log_decided(True, work[chance + k], half)
                lost = log_decided(False, work[chance + k], half)
                work[seen + k] = score * won + (1.0 - score) * lost

    return Mixing(share, weigh, mean, judge)


def mixing_of_games(
    shape: Work, drawing: bool, number: Callable[[int], Any]
) -> tuple[Callable[..., None], Callable[..., tuple[float, float]]]:
    """Two functions: the first is asked of every setting beside its chances, (work, k).

    Then (work, score, weight, lanes, eight) -> expected score and chance of a draw of the mixture,
    whose weights learn from the result.
    """
    share, weigh, mean, judge = mixing(shape, drawing, number)
    zero, logs, seen = (number(k) for k in (0, shape.place(LOGS), shape.place(SEEN)))

    def mix(work: Any, score: float, weight: float, lanes: Any, eight: Any) -> tuple[float, float]:
        total = weigh(work, lanes, eight)
        expected, even = mean(work, total, 0), mean(work, total, 1) if drawing else nan
        judge(work, score, lanes)
        kept = polynomial_exp(weight * LOG_FORGET)
        for k in range(zero, lanes):
            work[logs + k] = kept * work[logs + k] + weight * work[seen + k]
        return expected, even

    return share, mix


def mixing_of_rounds(
    shape: Work, drawing: bool, number: Callable[[int], Any]
) -> Callable[..., None]:
    """A function that mixes the forecasts of rounds and learns the weights, in place.

    Round r has the entries `bounds[r]:bounds[r + 1]`; an entry counts `counts[e]` games, all of
    them foreseen with the weights before the round. `before` receives the logarithms of those.
    """
    share, weigh, mean, judge = mixing(shape, drawing, number)
    zero = number(0)
    logs, chance, drawn, seen, gain = (
        number(shape.place(k)) for k in (LOGS, CHANCES, DRAWS, SEEN, GAINS)
    )

    def mix(
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
                work[gain + k] = 0.0
            for e in range(bounds[r], bounds[r + 1]):
                for k in range(zero, lanes):
                    work[chance + k] = by_setting[e, k]
                    if drawing:
                        work[drawn + k] = draws_by_setting[e, k]
                    share(work, k)
                total = weigh(work, lanes, eight)
                forecasts[e] = mean(work, total, 0)
                draws[e] = mean(work, total, 1) if drawing else nan
                judge(work, scores[e], lanes)
                for k in range(zero, lanes):
                    work[gain + k] += counts[e] * work[seen + k]
                played += counts[e]
            kept = polynomial_exp(played * LOG_FORGET)
            for k in range(zero, lanes):
                work[logs + k] = kept * work[logs + k] + work[gain + k]

    return mix


@cache
def round_mixer(lanes: int, drawing: bool, large: bool) -> Callable[..., None]:
    """The function that mixes the forecasts of rounds, compiled where there is much to do."""
    mix = mixing_of_rounds(Work(lanes, 0), drawing, np.uint64 if large else int)
    return kernel.compile_function(mix, compiled_forms()) if large else mix


def logs_after(
    logs: Any, by_setting: Any, draws: Any | None, scores: Sequence[float], counts: Sequence[float]
) -> Any:
    """The logarithms of the weights after a round, with forecasts [entries, settings]."""
    lanes, entries = len(logs), len(scores)
    shape = Work(lanes, 0)
    work = shape.fill((), logs).tolist()
    nothing, before = [0.0] * entries, np.zeros((1, lanes))
    mix = mixing_of_rounds(shape, draws is not None, int)
    mix(
        work,
        by_setting,
        draws,
        scores,
        counts,
        (0, entries),
        nothing,
        nothing,
        before,
        lanes,
        PARTIAL,
    )
    return shape.logs(np.array(work))


# --- the loop over duels --------------------------------------------------------------------------
#
# It is the loop of games, with an inner loop over the settings (lanes) in every step. The compiled
# inner loops become vector instructions where the functions of the system have no call, no loop and
# no branch that differs between settings. For that
#
#     indices are unsigned (a signed one is tested for being negative),
#     the lanes of a field are neighbours, and their number is a constant,
#     choices that are the same for all settings stand outside the inner loops,
#     sums over the settings are eight partial sums, added in one order,
#     exp and log are polynomials (see `numeric`), as plain Python too.


def bank_loop(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., None]:
    """Rounds of one game under all settings: `loop(p, state, seen, work, a, b, ..., low, high)`.

    `work` is as `Work` says. Of a bank (`flags.mixed`) `forecasts` and `draws` receive the
    mixture, else [games, lanes] each. `slots` says for each member of a game where its rating is
    kept in `memory`, and beside it the logarithms of the weights.
    """
    listed = layout.listed
    number: Callable[[int], Any] = int if listed else np.uint64
    _, expected, judge = make_steps(system, flags, NO_RULES)
    absorb = system.absorb
    takes, part = system.absorb_takes, system.part or lone_side
    drift, chances = system.drift or no_op, system.chances or no_op
    shape = Work(flags.lanes, len(system.params))
    load, store = access_lane_rows(system.rating, flags.lanes, listed)
    keep = access_matrix_lanes(system.rating, flags.lanes)[1] if listed else store
    parameters = load_lane_fields(system.params, shape.width, listed)
    widened = layout.sized is not None
    sized: Any = layout.sized and layout.sized(len(system.rating) * flags.lanes)
    view = layout.view(system.game)
    timed, weighted, watched = flags.timed, flags.weighted, flags.watched
    mixed, drawing, forecasting = flags.mixed, flags.draws, flags.forecasts
    zero, two, three = number(0), number(2), number(3)
    eights = flags.lanes % PARTIAL == 0
    logs, chance, drawn = (number(shape.place(at)) for at in (LOGS, CHANCES, DRAWS))
    share, mix = mixing_of_games(shape, drawing, number)

    def loop(
        p: Any,
        state: Any,
        seen: Any,
        work: Any,
        a: Any,
        b: Any,
        games: Any,
        clock: Any,
        weights: Any,
        forecasts: Any,
        draws: Any,
        slots: Any,
        memory: Snapshots,
        low: int,
        high: int,
        lanes: Any,
        eight: Any,
    ) -> None:
        if widened:
            state = sized(state)
        eight = eight >> three << three  # it is 8, and a loop to 8 would be written out
        if eights:
            lanes = lanes >> three << three
        if not listed:
            p = work
        for row in range(low, high):
            i, j = a[row], b[row]
            if timed:
                now = clock[row]
                mine_idle, theirs_idle = now - seen[i] - takes, now - seen[j] - takes
                if mine_idle > 0.0:  # never of a player who is new: nan compares false
                    for k in range(zero, lanes):
                        store(state, i, k, drift(parameters(p, k), load(state, i, k), mine_idle))
                if theirs_idle > 0.0:
                    for k in range(zero, lanes):
                        store(state, j, k, drift(parameters(p, k), load(state, j, k), theirs_idle))
                seen[i] = seen[j] = now
            if watched:
                for side in range(zero, two):
                    at = slots[two * number(row) + side]
                    if at >= 0:
                        player = i if side == zero else j
                        for k in range(zero, lanes):
                            keep(memory.rating, number(at), k, load(state, player, k))
                            memory.sums[number(at), k] = work[logs + k]
            game = view(games, row)
            weight = weights[row] if weighted else 1.0
            for k in range(zero, lanes):
                of_lane = parameters(p, k)
                me, opponent = load(state, i, k), load(state, j, k)
                if mixed:
                    share(work, k)
                if forecasting:
                    work[chance + k] = expected(of_lane, me, opponent, game)
                if drawing:
                    mine, theirs = part(of_lane, me, 1.0), part(of_lane, opponent, 1.0)
                    work[drawn + k] = chances(of_lane, mine, theirs, game).draw
                of_me, of_opponent = judge(of_lane, me, opponent, game, weight)
                store(state, i, k, absorb(of_lane, me, of_me))
                store(state, j, k, absorb(of_lane, opponent, of_opponent))
            if mixed:
                forecasts[row], draws[row] = mix(work, game.score, weight, lanes, eight)
            else:
                for k in range(zero, lanes):
                    forecasts[row, k] = work[chance + k]

    return loop


def vectorises(system: Dynamic) -> bool:
    """Whether the settings can go through the functions of a system side by side: no loops."""
    functions = (
        system.expected, system.evidence, system.absorb, system.drift,
        system.chances, system.part, system.due,
    )  # fmt: skip
    return not any(kernel.loops(one) for one in functions if one is not None)


def bank_substitutes(system: Dynamic, compiled: bool) -> dict[Any, Any]:
    """What stands for other functions in the loop: polynomials, where they make vectors of it.

    Where the settings have to take their turns one by one, the functions of `math` are faster.
    """
    if vectorises(system):
        return substitutes(compiled)
    return compiled_forms() if compiled else {}
