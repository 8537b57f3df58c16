"""Posterior means and deviations of all ratings, and joint draws of them.

Up to three connected ratings are integrated exactly; more are sampled. The draws also answer every
question about several ratings at once.

Sampling: a sweep gives every player in turn a new rating from the conditional distribution (EQ 49
and 50 of W. D. Smith, "Rating systems for gameplayers, and learning", technical report
93-104-3-0058-5, 28 July 1994, average over it): by a Metropolis step whose width is adapted during
the warm-up, or, where ratings are bins of a histogram, by a draw from all bins. Then every
connected group is shifted as a whole, which single steps do only slowly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor, log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile import kernel
from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import run_loop
from prowess.engine.fits.connectivity import component_labels
from prowess.engine.fits.posterior import HISTOGRAM
from prowess.engine.fits.posterior_model import (
    MOST_UNKNOWN,
    PosteriorModel,
    exact_moments,
    log_conditional,
    log_prior,
    rating_at,
    row_value,
    starting_point,
)
from prowess.engine.system import Unratable
from prowess.engine.whole_table import Draws
from prowess.games.runs import bounds_of, repeat_rows

if TYPE_CHECKING:
    from prowess.games.tally import Tally


BATCHES = 25  # into which draws are cut to see how far neighbours repeat each other
APART = 6.0  # standard errors between the means of both halves; more is no chance
FEWEST = 100  # draws worth as many independent ones


@dataclass(frozen=True, eq=False)
class Sampled(Draws):
    """Joint draws whose deviations are known better than the draws show them."""

    deviation: Floats

    def deviations(self, reference: int | None = None) -> Floats:
        """See Uncertainty."""
        return self.deviation if reference is None else super().deviations(reference)


class PosteriorMeans(NamedTuple):
    """Means and deviations [players] in points, joint draws [draws, players], what to say of it.

    nan for players without results; a known rating is its own mean.
    """

    mean: Floats
    deviation: Floats
    draws: Floats
    figures: dict[str, float]
    notes: tuple[str, ...]


class Quality(NamedTuple):
    """How good draws are, [players] each."""

    worth: Floats  # so many independent draws
    apart: Floats  # means of the two halves, in standard errors of their difference


def posterior_means(
    tally: Tally,
    b: PosteriorModel,
    known: Mapping[int, float],
    draws: int,
    seed: int,
    *,
    draw_all: bool = True,
) -> PosteriorMeans:
    """The posterior of all players with results; players of known rating are held.

    Without `draw_all` only who cannot be integrated is drawn: draws of others are nan. Raises
    Unratable (see `sample_posterior` and `exact_moments`).
    """
    rating = np.full(tally.players, np.nan)
    rating[list(known)] = list(known.values())
    deviation = np.where(np.isnan(rating), np.nan, 0.0)
    mean, error, evidence = rating.copy(), 0.0, 0.0
    order, kind = symmetry_classes(tally, known)
    many: list[Ids] = []
    for some in groups(tally, order):
        if len(some) > MOST_UNKNOWN:
            many.append(some)
            continue
        exact = exact_moments(b, rating, some)
        mean[some], deviation[some] = exact.mean, np.sqrt(np.diagonal(exact.covariance))
        error, evidence = max(error, exact.error), evidence + exact.log_evidence
    sample = sample_posterior(b, rating, groups(tally, order) if draw_all else many, draws, seed)
    if not many:
        # rounded beyond the accuracy, so that players with equal results share a rank
        return PosteriorMeans(
            mean.round(7), deviation, sample, {"log_evidence": evidence, "error": error}, ()
        )
    rest = np.concatenate(many)
    mean[rest] = _alike(kind[rest], sample[:, rest].mean(axis=0))
    deviation[rest] = _alike(kind[rest], sample[:, rest].std(axis=0, ddof=1))
    worth, apart = quality(sample[:, rest])
    among = quality(sample[:, rest] - sample[:, rest].mean(axis=1)[:, None])
    error = float((deviation[rest] / np.sqrt(worth)).max())
    accuracy = (
        f"means from {draws:,} joint draws (seed {seed}), worth {int(worth.min()):,} independent "
        f"ones; standard error at most {error:.2g} points"
    )
    notes = [accuracy]
    if min(worth.min(), among.worth.min()) < FEWEST or max(apart.max(), among.apart.max()) > APART:
        notes.append("the draws have not converged: more of them are needed (samples)")
    figures = {"error": error, "independent_draws": float(worth.min())}
    return PosteriorMeans(mean, deviation, sample, figures, tuple(notes))


def quality(sample: Floats) -> Quality:
    """How many independent draws would give means as sure, and whether both halves agree."""
    draws = len(sample)
    size = draws // BATCHES
    batch = sample[: size * BATCHES].reshape(BATCHES, size, -1).mean(axis=1)
    own = sample.var(axis=0, ddof=1)
    between = size * batch.var(axis=0, ddof=1)
    half = draws // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.where(between > 0.0, np.minimum(draws * own / between, draws), draws)
        worth[own == 0.0] = 1.0  # a chain that stands still says nothing
        apart = np.abs(sample[:half].mean(axis=0) - sample[half:].mean(axis=0))
        apart /= 2.0 * np.sqrt(own / worth)
    return Quality(worth, np.where(own > 0.0, apart, 0.0))


def groups(tally: Tally, unknown: Ids) -> list[Ids]:
    """Unknown players linked by games among themselves, group by group, in the order given."""
    is_unknown = np.zeros(tally.players, dtype=bool)
    is_unknown[unknown] = True
    among = is_unknown[tally.a] & is_unknown[tally.b]
    number = component_labels(tally.players, tally.a[among], tally.b[among])
    members: dict[int, list[int]] = {}
    for player, group in zip(unknown.tolist(), number[unknown].tolist(), strict=True):
        members.setdefault(group, []).append(player)
    return [np.array(group, dtype=np.int64) for group in members.values()]


def _alike(kind: Ids, values: Floats) -> Floats:
    """The mean over each symmetry class."""
    _, number = np.unique(kind, return_inverse=True)
    mean: Floats = (np.bincount(number, values) / np.bincount(number))[number]
    return mean


# --- sampling -------------------------------------------------------------------------------------


THINNING = 4  # sweeps from one kept draw to the next
WARM_UP = 4  # one more sweep for every so many that are kept
ACCEPTED = 0.44  # share of steps: the best for one rating at a time, of a normal distribution
NUMBERS_HELD = 1 << 20  # random numbers held at a time
SECONDS_A_TERM = 0.45e-6  # a term, in plain Python
PLAIN_AT_MOST = 1_500_000_000  # terms: some ten minutes


def sample_posterior(
    b: PosteriorModel, rating: Floats, groups: Sequence[Ids], draws: int, seed: int
) -> Floats:
    """So many joint draws, [draws, players]; players outside the groups keep their rating.

    A group are players who hang together by games. Raises Unratable for more work than plain
    Python can do in a short while.
    """
    if not groups:
        return repeat_rows(rating[None, :], draws, axis=0)
    members = np.concatenate(groups)
    bounds = bounds_of([len(group) for group in groups])
    players, slots = len(rating), len(members) + len(groups)
    rows = sum(int(b.first[i + 1] - b.first[i]) for i in members.tolist())
    each = rows * (len(b.mids) if b.prior.kind == HISTOGRAM else 2) + len(members)
    total = draws * THINNING * (1.0 + 1.0 / WARM_UP) * each
    if not kernel.available() and total > PLAIN_AT_MOST:
        raise Unratable.of(
            "too_many_draws",
            draws=draws,
            members=len(members),
            minutes=total * SECONDS_A_TERM / 60.0,
        )
    start, spread = starting_point(b)
    width = np.full(slots, rating_at(b, start + spread)[0] - rating_at(b, start)[0])
    scratch = np.zeros(len(b.mids))
    random = np.random.Generator(np.random.PCG64(seed))
    kept = np.empty((draws, players))
    block = max(1, NUMBERS_HELD // slots // THINNING) * THINNING
    for low_draw, high_draw in ((0, draws // 2), (draws // 2, draws)):
        now = rating.copy()
        now[members] = _anywhere(b, random, len(members)) if low_draw else _middle(b)
        sweeps = (high_draw - low_draw) * THINNING
        warm = sweeps // WARM_UP
        spans = [(low, min(0, low + block)) for low in range(-warm, 0, block)]
        spans += [(low, min(sweeps, low + block)) for low in range(0, sweeps, block)]
        for low, high in spans:
            pace = 1.0 / np.sqrt(warm + 1.0 + np.arange(low, high, dtype=np.int64)) * (low < 0)
            chance = random.standard_normal((high - low, slots)), random.random((high - low, slots))
            into = kept[low_draw + max(0, low) // THINNING : low_draw + max(0, high) // THINNING]
            run_loop(
                play_sweeps, total, b, now, width, members, bounds, *chance, pace, scratch, into
            )
    return kept


def _middle(b: PosteriorModel) -> float:
    """Where the first half of the draws begins: in the middle of the prior."""
    return float(b.mids[len(b.mids) // 2]) if b.prior.kind == HISTOGRAM else _start(b, 0.0)


def _anywhere(b: PosteriorModel, random: np.random.Generator, count: int) -> Floats:
    """Where the second half begins: anywhere in the prior, so that halves that agree tell more."""
    if b.prior.kind == HISTOGRAM:
        return random.choice(b.mids, count, p=np.exp(b.log_share))
    return np.array([_start(b, z) for z in random.standard_normal(count).tolist()])


def _start(b: PosteriorModel, z: float) -> float:
    centre, spread = starting_point(b)
    return rating_at(b, centre + z * spread)[0]


def play_sweeps(
    b: PosteriorModel, rating: Any, width: Any, members: Any, bounds: Any, normal: Any,
    uniform: Any, pace: Any, scratch: Any, kept: Any,
) -> None:  # fmt: skip
    """Sweeps on `rating`, in place; every THINNING-th is copied to `kept` where that has room.

    `width` of a step is changed by `pace` towards the share of accepted steps.
    """
    for sweep in range(len(normal)):
        slot = 0
        for group in range(len(bounds) - 1):
            for k in range(bounds[group], bounds[group + 1]):
                player = members[k]
                if b.prior.kind == HISTOGRAM:
                    rating[player] = bin_drawn(b, rating, player, uniform[sweep][slot], scratch)
                else:
                    old = rating[player]
                    new = old + width[slot] * normal[sweep][slot]
                    gain = log_conditional(b, rating, player, new)
                    gain -= log_conditional(b, rating, player, old)
                    taken = log(1.0 - uniform[sweep][slot]) < gain
                    if taken:
                        rating[player] = new
                    width[slot] *= exp(pace[sweep] * ((1.0 if taken else 0.0) - ACCEPTED))
                slot += 1
            low, high = bounds[group], bounds[group + 1]
            shift = width[slot] * normal[sweep][slot]
            if b.prior.kind == HISTOGRAM and len(b.mids) > 1:
                bin_ = b.mids[1] - b.mids[0]
                shift = bin_ * floor(shift / bin_ + 0.5)
            gain = shift_gain(b, rating, members, low, high, shift)
            taken = log(1.0 - uniform[sweep][slot]) < gain
            if taken:
                for k in range(low, high):
                    rating[members[k]] += shift
            width[slot] *= exp(pace[sweep] * ((1.0 if taken else 0.0) - ACCEPTED))
            slot += 1
        if sweep // THINNING < len(kept) and (sweep + 1) % THINNING == 0:
            for player in range(len(rating)):
                kept[sweep // THINNING][player] = rating[player]


def shift_gain(
    b: PosteriorModel, rating: Any, members: Any, low: int, high: int, shift: float
) -> float:
    """The log density gained by shifting a whole group: only known opponents do not shift."""
    gain = 0.0
    for k in range(low, high):
        player = members[k]
        gain += log_prior(b, rating[player] + shift) - log_prior(b, rating[player])
        for row in range(b.first[player], b.first[player + 1]):
            other = b.opponent[row]
            if b.fixed[other] > 0.0:
                x = rating[player] - rating[other]
                gain += row_value(b, row, x + shift) - row_value(b, row, x)
    return gain


def bin_drawn(b: PosteriorModel, rating: Any, player: int, chance: float, density: Any) -> float:
    """A bin from its conditional distribution, by the inverse of the cumulative one."""
    top = -1e300
    for bin_ in range(len(b.mids)):
        density[bin_] = log_conditional(b, rating, player, b.mids[bin_])
        top = max(top, density[bin_])
    total = 0.0
    for bin_ in range(len(b.mids)):
        total += exp(max(density[bin_] - top, -745.0))
        density[bin_] = total
    bin_ = 0
    while bin_ < len(b.mids) - 1 and density[bin_] <= chance * total:
        bin_ += 1
    return float(b.mids[bin_])


# --- symmetry classes: players whom no result distinguishes, and an order that uses no names ------
#
# Two players are in one class if they have the same results against players of the same classes.
# Classes are refined until nothing changes. To order all players without using their names, one
# player of a class is put before the others and the classes are refined again.


SUM_DIGITS = 9  # of sums of weights, which rounding may tell apart
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
        w, d, v = round(wins, SUM_DIGITS), round(draws, SUM_DIGITS), round(losses, SUM_DIGITS)
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
