"""Posterior means and deviations of all ratings, and joint draws of them.

Up to three ratings that hang together are integrated exactly; more are drawn (see `gibbs`). The
draws also answer whatever is asked about several ratings at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.fits.gibbs import drawn
from prowess.engine.fits.likeness import likeness
from prowess.engine.fits.moments import MOST_UNKNOWN, exact_moments
from prowess.engine.uncertainty import Draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.fits.belief import Belief
    from prowess.games.tally import Tally

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

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
    b: Belief,
    known: Mapping[int, float],
    draws: int,
    seed: int,
    *,
    draw_all: bool = True,
) -> PosteriorMeans:
    """The posterior of everybody who has results, those of known rating held.

    Without `draw_all` only who cannot be integrated is drawn: draws of others are nan. Raises
    Unratable (see `gibbs` and `moments`).
    """
    rating = np.full(tally.players, np.nan)
    rating[list(known)] = list(known.values())
    deviation = np.where(np.isnan(rating), np.nan, 0.0)
    mean, error, evidence = rating.copy(), 0.0, 0.0
    order, kind = likeness(tally, known)
    many: list[Ids] = []
    for some in groups(tally, order):
        if len(some) > MOST_UNKNOWN:
            many.append(some)
            continue
        exact = exact_moments(b, rating, some)
        mean[some], deviation[some] = exact.mean, np.sqrt(np.diagonal(exact.covariance))
        error, evidence = max(error, exact.error), evidence + exact.log_evidence
    sample = drawn(b, rating, groups(tally, order) if draw_all else many, draws, seed)
    if not many:
        # rounded beyond what is known, so that players whom nothing tells apart share a rank
        return PosteriorMeans(
            mean.round(7), deviation, sample, {"log_evidence": evidence, "error": error}, ()
        )
    rest = np.concatenate(many)
    mean[rest] = _alike(kind[rest], sample[:, rest].mean(axis=0))
    deviation[rest] = _alike(kind[rest], sample[:, rest].std(axis=0, ddof=1))
    worth, apart = quality(sample[:, rest])
    among = quality(sample[:, rest] - sample[:, rest].mean(axis=1)[:, None])
    error = float((deviation[rest] / np.sqrt(worth)).max())
    told = (
        f"means from {draws:,} joint draws, worth {int(worth.min()):,} independent ones; "
        f"standard error at most {error:.2g} points"
    )
    notes = [told]
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
    number = np.arange(tally.players)
    open_ = np.zeros(tally.players, dtype=bool)
    open_[unknown] = True
    among = open_[tally.a] & open_[tally.b]
    a, b = tally.a[among].astype(np.int64), tally.b[among].astype(np.int64)
    while (number[a] != number[b]).any():
        lowest = np.minimum(number[a], number[b])
        np.minimum.at(number, number[a], lowest)
        np.minimum.at(number, number[b], lowest)
        number = number[number]
    members: dict[int, list[int]] = {}
    for player, group in zip(unknown.tolist(), number[unknown].tolist(), strict=True):
        members.setdefault(group, []).append(player)
    return [np.array(group, dtype=np.int64) for group in members.values()]


def _alike(kind: Ids, values: Floats) -> Floats:
    """The mean over players whom nothing tells apart."""
    _, number = np.unique(kind, return_inverse=True)
    mean: Floats = (np.bincount(number, values) / np.bincount(number))[number]
    return mean
