"""Check of the spread of ratings against the extreme-value law of the report's learning model.

The law (EQ 60) has the birth rating of the lowest player, Q and c8. Its likelihood is largest at
c8 = n / sum(e^(Q (R - birth)) - 1); Q is found by golden section. The distance is Kolmogorov's. Its
p-value comes from samples of the fitted law that are fitted again, because Kolmogorov's tables do
not hold for fitted constants. A normal law is treated alike.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.numeric import round_step
from prowess.study.diagnosis.curve import TooFew
from prowess.study.diagnosis.findings import Observation
from prowess.study.diagnosis.history import LeagueHistory
from prowess.theory.learning import Gompertz

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST_PLAYERS = 30
MOST_PLAYERS = 1500  # more are thinned evenly, for the time of the bootstrap
DRAWS = 199
BARS = 24  # of the histogram, at most
GOLDEN = 0.5 * (sqrt(5.0) - 1.0)


def check_distribution(history: LeagueHistory, theory: bool, seed: int) -> Observation:
    """Fit both laws to the final ratings of established players."""
    if not theory:
        raise TooFew("the comparison with theory is off")
    ratings = np.sort(history.final[history.established])
    if len(ratings) < LEAST_PLAYERS or not ratings[-1] > ratings[0]:
        raise TooFew(f"{len(ratings)} established players, {LEAST_PLAYERS} are needed")
    kept = ratings
    if len(ratings) > MOST_PLAYERS:
        kept = ratings[np.linspace(0, len(ratings) - 1, MOST_PLAYERS).astype(np.int64)]
    rng = np.random.default_rng(seed)
    n = len(kept)
    birth, c8, q = (part[0] for part in extreme_value(kept[None, :]))
    law = Gompertz(float(c8), float(q), float(birth))
    apart = float(distance(law.cdf(kept)[None, :])[0])
    again = np.sort(law.quantile(rng.random((DRAWS, n))), axis=1)
    laws = zip(*extreme_value(again), strict=True)
    drawn = [
        float(distance(Gompertz(float(c), float(k), float(b)).cdf(row)[None, :])[0])
        for row, (b, c, k) in zip(again, laws, strict=True)
    ]
    p = (1 + sum(one >= apart for one in drawn)) / (DRAWS + 1)
    normal_apart, normal_p = _normal(kept, rng)
    mean, spread = float(kept.mean()), float(kept.std())
    log_normal = -n * (np.log(spread) + 0.5 * np.log(2.0 * np.pi) + 0.5)
    ahead = float(law.log_density(kept).sum() - log_normal)
    verdict = (
        f"The report's extreme-value law {'describes' if p > 0.05 else 'does not describe'} the "
        f"ratings of the {len(ratings):,} established players (distance {apart:.3f}, p = {p:.2g})"
    )
    other = f"a normal law {'does' if normal_p > 0.05 else 'does not'} (p = {normal_p:.2g})"
    return Observation(
        name="distribution",
        calm=f"{verdict}; {other}.",
        alarm="",
        numbers={
            "players": len(ratings), "c8": float(c8), "points_per_e": 1.0 / float(q),
            "birth": float(birth), "distance": apart, "p": p, "normal_mean": mean,
            "normal_deviation": spread, "normal_distance": normal_apart, "normal_p": normal_p,
            "log_likelihood_ahead": ahead, "bins": _bins(ratings, law, float(birth), mean, spread),
        },
        method=f"largest likelihood, Kolmogorov's distance, {DRAWS} refitted samples",
    )  # fmt: skip


def _bins(
    ratings: Floats, law: Gompertz, birth: float, mean: float, spread: float
) -> list[dict[str, float]]:
    """Count players between round edges, observed and by both laws."""
    from scipy.special import ndtr

    low, high = float(ratings[0]), float(ratings[-1])
    by = round_step(high - low, BARS)
    edges = np.arange(np.floor(low / by), np.floor(high / by) + 2.0) * by
    players = np.histogram(ratings, edges)[0]
    extreme = np.where(edges > birth, law.cdf(np.maximum(edges, birth)), 0.0)
    normal = ndtr((edges - mean) / spread)
    shares = zip(np.diff(extreme).tolist(), np.diff(normal).tolist(), strict=True)
    return [
        {"low": a, "high": b, "players": count, "law": p * len(ratings), "normal": q * len(ratings)}
        for a, b, count, (p, q) in zip(
            edges[:-1].tolist(), edges[1:].tolist(), players.tolist(), shares, strict=True
        )
    ]


def extreme_value(ratings: Floats) -> tuple[Floats, Floats, Floats]:
    """Return (birth, c8, Q) of largest likelihood for each row of sorted ratings, [samples, n]."""
    birth = ratings[:, 0]
    above = ratings - birth[:, None]
    spread = above.std(axis=1)
    mean = above.mean(axis=1)

    def log_likelihood(log_q: Floats) -> Floats:
        q = np.exp(log_q)
        grown = np.expm1(np.minimum(q[:, None] * above, 600.0)).mean(axis=1)
        found: Floats = log_q - np.log(grown) + q * mean
        return found

    low, high = np.log(1e-3 / spread), np.log(20.0 / spread)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    of_left, of_right = log_likelihood(left), log_likelihood(right)
    for _ in range(30):  # to 1e-5 of Q
        lower = of_left > of_right
        low, high = np.where(lower, low, left), np.where(lower, right, high)
        new = np.where(lower, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        value = log_likelihood(new)
        left, right = np.where(lower, new, right), np.where(lower, left, new)
        of_left, of_right = np.where(lower, value, of_right), np.where(lower, of_left, value)
    q = np.exp(0.5 * (low + high))
    return birth, 1.0 / np.expm1(np.minimum(q[:, None] * above, 600.0)).mean(axis=1), q


def distance(cdf: Floats) -> Floats:
    """Return Kolmogorov's distance, [samples], from the cdf at sorted samples, [samples, n]."""
    n = cdf.shape[1]
    steps = np.arange(n + 1) / n
    found: Floats = np.maximum(steps[1:] - cdf, cdf - steps[:-1]).max(axis=1)
    return found


def _normal(ratings: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """Return (distance, p) of a normal law with the mean and deviation of the ratings."""
    from scipy.special import ndtr

    def apart(samples: Floats) -> Floats:
        centred = samples - samples.mean(axis=1, keepdims=True)
        return distance(ndtr(centred / samples.std(axis=1, keepdims=True)))

    own = float(apart(ratings[None, :])[0])
    drawn = apart(np.sort(rng.standard_normal((DRAWS, len(ratings))), axis=1))
    return own, (1 + int((drawn >= own).sum())) / (DRAWS + 1)
