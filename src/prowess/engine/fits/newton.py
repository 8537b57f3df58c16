"""Maximise a posterior by Newton's method with step control.

Up to DENSE unknowns the system of equations is solved as it stands; above, by conjugate
gradients straight on the rows, as exactly as the step needs. A rating pressed against
the lowest possible one is held there for the step (D. P. Bertsekas, SIAM J. Control 20 (1982)
221). A Newton step s, in natural units (1/q points) and solved to a part e, leaves an error of
about s (s + e); the step that leaves less than TOLERANCE is the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.engine.fits.fit_rows import MergedRows, inner_product
from prowess.engine.fits.likelihood import RAO_KUPPER
from prowess.engine.fits.posterior import EXTREME_VALUE, NORMAL, Prior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from prowess.engine.fits.posterior import Posterior, Slopes

    Chosen = NDArray[np.bool_]

DENSE = 1_000  # players; beyond, elimination takes longer
STEPS = 500
TOLERANCE = 3e-9  # natural units: half a millionth of a point on the scale of 400
LONGEST_STEP = 8.0  # natural units; the longest step of any rating
SHORT_STEP = 1e-3  # natural units; Newton's steps need no control any more
BEYOND = 0.1  # of the first slope of a step may be left, backwards, at its end
FLAT_GAIN = 1e-13  # of the log-likelihood; a long step that gains no more has no end
CG_STEPS = 10_000
ROUGH, EXACT = 1e-2, 1e-8  # the parts of a step that may be wrong
NEGLIGIBLE = 1e-12  # natural units; an error of a step that need not be less
ILL_CONDITIONED = 1e3  # times as large may be the error of a step as conjugate gradients see it


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where a posterior is largest."""

    posterior: Posterior
    unknown: Floats  # [n + 2], points
    moving: Chosen  # [n + 2]; neither held nor pressed against a bound
    slopes: Slopes
    steps: int

    def solve(self, right: Floats) -> Floats:
        """H^-1 times a vector [n + 2] over the unknowns that move; the rest is 0."""
        if has_matrix(self.posterior, DENSE):
            return dense_step(self.posterior, self.slopes, self.moving, right)
        return gradient_step(self.posterior, self.slopes, self.moving, right, 1e-10)


def maximum(posterior: Posterior, start: Floats, players: Sequence[str]) -> Maximum:
    """Maximise from a start, [n + 2] in points. Raises Unidentifiable, naming what has no end."""
    q = posterior.model.q
    lowest = posterior.lowest
    here = np.maximum(start, lowest)
    slopes = posterior.at(here)
    merged = isinstance(posterior.rows, MergedRows)
    for count in range(STEPS):
        moving = posterior.free & ~((here <= lowest) & (slopes.gradient < 0.0))
        if merged:
            exact = wrong = 10.0 ** -min(8.0, 2.0 + 2.0 * count)
        else:
            exact = _exactness(slopes, moving, q)
            wrong = ILL_CONDITIONED * exact
        step = _step(posterior, slopes, moving, exact)
        gain = inner_product(slopes.gradient, step)
        size = float(np.abs(step).max(initial=0.0)) * q
        if size * (size + wrong) <= TOLERANCE:
            here = _move(posterior, here, step, 1.0)
            slopes = posterior.at(here)
            return Maximum(posterior, here, moving, slopes, count + 1)
        if gain < FLAT_GAIN and size > 1e-3:
            raise _unbounded_error(posterior, step, players)
        if size < SHORT_STEP:
            here = _move(posterior, here, step, 1.0)
            slopes = posterior.at(here)
        else:
            here, slopes = _along(posterior, here, slopes, step * min(1.0, LONGEST_STEP / size))
    raise _unbounded_error(posterior, step, players)


def start_of(posterior: Posterior, held: Floats) -> Floats:
    """A place to begin: the middle of the prior, or of the players of whom a rating is given."""
    n, prior = posterior.players, posterior.prior
    known = ~np.isnan(held)
    middle = float(held[known].mean()) if known.any() else 0.0
    here = np.zeros(n + 2)
    here[:n] = np.where(known, held, _middle(prior, middle))
    return here


def _middle(prior: Prior, otherwise: float) -> float:
    if prior.kind == NORMAL:
        return prior.mean
    if prior.kind == EXTREME_VALUE:  # its mode
        return prior.birth + max(0.0, -float(np.log(prior.c8))) / prior.q
    return otherwise


def _along(
    posterior: Posterior, here: Floats, slopes: Slopes, step: Floats
) -> tuple[Floats, Slopes]:
    """Go along a step, half of it, a quarter ..., until it does not lead far beyond the top.

    What is maximised is concave: while its slope at the end of the step still leads onwards, or
    hardly back, it has risen.
    """
    part = 1.0
    for _ in range(60):
        there = _move(posterior, here, step, part)
        arrived = posterior.at(there)
        went = there - here
        if inner_product(arrived.gradient, went) >= -BEYOND * inner_product(slopes.gradient, went):
            break
        part *= 0.5
    return there, arrived


def _exactness(slopes: Slopes, moving: Chosen, q: float) -> float:
    """How exact a step must be that costs much: its error small beside its square, which it leaves.

    The length of the step is foreseen as if each player moved alone. A step that turns out too
    rough for its length is not the last.
    """
    moves = moving & (slopes.diagonal > 0.0)
    alone = np.abs(slopes.gradient[moves] / slopes.diagonal[moves])
    size = q * float(alone.max(initial=0.0))
    return min(ROUGH, max(EXACT, ROUGH * size, NEGLIGIBLE / max(size, NEGLIGIBLE)))


def _move(posterior: Posterior, here: Floats, step: Floats, part: float) -> Floats:
    """Along part of a step, inside the bounds; the threshold of draws stays above 0."""
    there = np.maximum(here + part * step, posterior.lowest)
    if posterior.model.draws == RAO_KUPPER and posterior.free[-1]:
        there[-1] = max(there[-1], 0.1 * here[-1])
    return there


def has_matrix(posterior: Posterior, most: int) -> bool:
    """Whether the information matrix is made: of up to so many players whose rows are merged."""
    return posterior.players <= most and isinstance(posterior.rows, MergedRows)


def _step(posterior: Posterior, slopes: Slopes, moving: Chosen, exact: float) -> Floats:
    right = np.where(moving, slopes.gradient, 0.0)
    if has_matrix(posterior, DENSE):
        return dense_step(posterior, slopes, moving, right)
    return gradient_step(posterior, slopes, moving, right, exact)


def dense_step(posterior: Posterior, slopes: Slopes, moving: Chosen, right: Floats) -> Floats:
    """H^-1 right by elimination."""
    chosen = np.flatnonzero(moving)
    step = np.zeros(len(right))
    step[chosen] = upward_step(information(posterior, slopes, moving), right[chosen])
    return step


def upward_step(h: Floats, right: Floats) -> Floats:
    """H^-1 right; a matrix that is not positive is lifted until it is: the step leads upwards."""
    top, lift = max(float(np.diagonal(h).max(initial=0.0)), 1e-280), 0.0
    for _ in range(20):
        lifted = h + lift * np.eye(len(h))
        try:
            np.linalg.cholesky(lifted)  # of a positive matrix alone
            return np.asarray(np.linalg.solve(lifted, right), dtype=np.float64)
        except np.linalg.LinAlgError:
            lift = max(10.0 * lift, 1e-10 * top, 1e-280)
    return right / top


def information(posterior: Posterior, slopes: Slopes, moving: Chosen) -> Floats:
    """The information matrix of the unknowns that move; the free sum of all ratings is pinned."""
    chosen = np.flatnonzero(moving)
    h = slopes.matrix()[np.ix_(chosen, chosen)]
    if posterior.floating:
        n = posterior.players
        h[:n, :n] += _pin(slopes) / n
    return h


def _pin(slopes: Slopes) -> float:
    """The curvature that takes the place of the one that the sum of all ratings has not."""
    n = len(slopes.of_prior)
    return max(float(slopes.diagonal[:n].mean()), 1e-280)


def gradient_step(
    posterior: Posterior, slopes: Slopes, moving: Chosen, right: Floats, exact: float
) -> Floats:
    """H^-1 right by conjugate gradients, scaled by the diagonal, until |rest| < exact |right|."""
    n = posterior.players
    own = slopes.diagonal
    scale = np.where(moving & (own > 0.0), 1.0 / np.where(own > 0.0, own, 1.0), 0.0)

    def precondition(rest: Floats) -> Floats:
        z = scale * rest
        if posterior.floating:
            z[:n] -= z[:n].mean()
        return z

    step = np.zeros(n + 2)
    rest = np.where(moving, right, 0.0)
    z = precondition(rest)
    towards = z.copy()
    size = inner_product(rest, z)
    enough = exact * exact * size
    for _ in range(CG_STEPS):
        if size <= enough or size <= 0.0:
            break
        bent = np.where(moving, slopes.times(towards), 0.0)
        curvature = inner_product(towards, bent)
        if curvature <= 0.0:
            break
        part = size / curvature
        step += part * towards
        rest -= part * bent
        z = precondition(rest)
        size, before = inner_product(rest, z), size
        towards = z + size / before * towards
    return step if step.any() else z


def _unbounded_error(posterior: Posterior, step: Floats, players: Sequence[str]) -> Unidentifiable:
    """The error where the likelihood rises without bound along a step."""
    n = posterior.players
    size = np.abs(step)
    going = size > 1e-3 * size.max()
    kinds = (
        (
            bool(going[n]),
            "the advantage of the first side",
            "advantage=none (--set advantage=none) leaves it out",
        ),
        (
            bool(going[n + 1]),
            "the draw parameter",
            "draws=half (--set draws=half) counts draws as half a win",
        ),
        (
            not going[n:].any(),
            f"rating differences (of {players[int(size[:n].argmax())]} most)",
            "the system map (--system map) takes a prior",
        ),
    )
    what = " and ".join(name for applies, name, _ in kinds if applies)
    several = sum(applies for applies, _, _ in kinds) > 1 or bool(kinds[2][0])
    grow = "grow" if several else "grows"
    remedies = ", or ".join(remedy for applies, _, remedy in kinds if applies)
    return Unidentifiable.of("likelihood_unbounded", what=what, grow=grow, remedies=remedies)
