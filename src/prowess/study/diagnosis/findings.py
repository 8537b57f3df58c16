"""Observations, findings and p-values of a diagnosis.

A check that can err by chance gives a p-value. With k checks the smallest would be below 0.05 far
too often, so Holm's step-down procedure adjusts them: the probability of any alarm in a league
without fault is at most `level` over all checks together (S. Holm, "A simple sequentially rejective
multiple test procedure", Scandinavian Journal of Statistics 6, 1979).

An effect must also be large enough: in a large table the smallest effect is significant. Each check
sets the sizes of an effect that make a notice and a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import comb, inf, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]


FINE, NOTICE, WARNING = "fine", "notice", "warning"
SEVERITIES = (FINE, NOTICE, WARNING)


@dataclass(frozen=True)
class Observation:
    """The result of one check before adjustment for the number of checks.

    `p` is None for counts that involve no chance (duplicated rows) and for descriptions. `size` is
    the effect, compared with `notice` and `warning`; inf: never.
    `calm` is the text if nothing is wrong, `alarm` otherwise. `advice`: the check is about the
    constants chosen, not about the results.
    """

    name: str
    calm: str
    alarm: str
    numbers: dict[str, Any]
    method: str
    p: float | None = None
    size: float = 0.0
    notice: float = inf
    warning: float = inf
    advice: bool = False


@dataclass(frozen=True)
class Finding:
    """One check: severity, text, numbers, method and rate of false alarms.

    `p` is the check's own p-value and `adjusted` Holm's p-value among all checks, None if nothing
    was tested.
    """

    name: str
    severity: str
    says: str
    numbers: dict[str, Any]
    method: str
    error_rate: str
    p: float | None = None
    adjusted: float | None = None
    advice: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(vars(self))


@dataclass(frozen=True)
class Skipped:
    """A check that could not be run, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Diagnosis:
    """All findings on one league, the worst first, and the checks that were skipped."""

    system: str
    params: dict[str, Any]
    games: int
    players: int
    judged: int  # games of two established players after the warm-up
    level: float
    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...] = field(default=())

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __getitem__(self, name: str) -> Finding:
        """Return the finding of that name; KeyError if it was skipped or does not exist."""
        for one in self.findings:
            if one.name == name:
                return one
        raise KeyError(f"no finding {name!r}; there are {', '.join(f.name for f in self.findings)}")

    def head(self) -> str:
        """Summarise what was diagnosed in one line."""
        return (
            f"{self.system}: {self.games:,} games of {self.players:,} players, of which "
            f"{self.judged:,} between established ones are judged; {len(self.findings)} checks, "
            f"all together with a chance of at most {self.level:g} to accuse a league without fault"
        )

    @property
    def worst(self) -> str:
        """The highest severity among the findings."""
        return max((one.severity for one in self.findings), key=SEVERITIES.index, default=FINE)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "system": self.system,
            "params": self.params,
            "games": self.games,
            "players": self.players,
            "judged": self.judged,
            "level": self.level,
            "worst": self.worst,
            "findings": [one.as_dict() for one in self.findings],
            "skipped": [dict(vars(one)) for one in self.skipped],
        }


def holm(p: Sequence[float]) -> list[float]:
    """Return Holm's p-values: the k-th smallest of n times n - k + 1, never falling, at most 1."""
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted, so_far = [0.0] * len(p), 0.0
    for place, index in enumerate(order):
        so_far = max(so_far, min(1.0, (len(p) - place) * p[index]))
        adjusted[index] = so_far
    return adjusted


def judge_observations(observations: Sequence[Observation], level: float) -> tuple[Finding, ...]:
    """Adjust the p-values of all checks; return findings, the worst first, else in order."""
    tested = [k for k, one in enumerate(observations) if one.p is not None]
    raised = dict(
        zip(tested, holm([p for one in observations if (p := one.p) is not None]), strict=True)
    )
    findings = [_finding(one, raised.get(k), level) for k, one in enumerate(observations)]
    return tuple(sorted(findings, key=lambda one: -SEVERITIES.index(one.severity)))


def _finding(one: Observation, adjusted: float | None, level: float) -> Finding:
    severity = FINE
    if adjusted is None or adjusted <= level:
        severity = (
            WARNING if one.size >= one.warning else NOTICE if one.size >= one.notice else FINE
        )
    if adjusted is not None:
        rate = f"at most {level:g} over all checks together (Holm)"
    elif one.notice < inf:
        rate = "none by chance: it is counted, not estimated"
    else:
        rate = "none: a description, it never alarms"
    says = one.calm if severity == FINE else one.alarm
    return Finding(
        one.name, severity, says, one.numbers, one.method, rate, one.p, adjusted, one.advice
    )


BLOCKS = 60  # of consecutive games, as in comparisons of systems
TILTS = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.5)  # t of the Chernoff bound


class Estimate(NamedTuple):
    """A number, its standard deviation, and the number of independent parts behind it."""

    value: float
    deviation: float
    parts: int

    @property
    def p(self) -> float:
        """The two-sided p-value against 0."""
        return student_p(self.value, self.deviation, self.parts - 1)

    @property
    def ends(self) -> dict[str, float]:
        """Its 95 % interval, by name."""
        low, high = self.interval()
        return {"low": low, "high": high}

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        """Value -+ z deviations."""
        return self.value - z * self.deviation, self.value + z * self.deviation


def student_p(value: float, deviation: float, freedom: int) -> float:
    """Return the two-sided p of value / deviation under Student's t distribution."""
    from scipy.special import stdtr

    if not deviation > 0.0 or freedom < 1:
        return 1.0
    return 2.0 * float(stdtr(freedom, -abs(value) / deviation))


def blocks_of(count: int, blocks: int = BLOCKS) -> Ids:
    """Return the block of each of `count` consecutive entries; blocks have equal sizes."""
    return np.arange(count) * min(blocks, max(count, 1)) // max(count, 1)


def sum_by_parts(influence: Floats, part: Ids) -> Estimate:
    """Sum `influence` [n] into an estimate; entries of one part count as one observation.

    The deviation is that of the bootstrap which draws whole parts (players, or blocks of games),
    in its linear form: sqrt(B / (B - 1) sum over parts of (sum of centred influence)^2).
    """
    total = np.bincount(part, influence)
    seen = np.bincount(part) > 0
    count = int(seen.sum())
    if count < 2:
        return Estimate(float(influence.sum()), 0.0, count)
    centred = total[seen] - total[seen].mean()
    deviation = sqrt(count / (count - 1) * float((centred * centred).sum()))
    return Estimate(float(influence.sum()), deviation, count)


def mean_by_parts(value: Floats, weight: Floats | None = None, part: Ids | None = None) -> Estimate:
    """Return the weighted mean of values [n], deviation over parts (None: each entry its own)."""
    weight = np.ones(len(value)) if weight is None else weight
    part = np.arange(len(value)) if part is None else part
    total = float(weight.sum())
    mean = float((value * weight).sum()) / total
    around = sum_by_parts((value - mean) * weight / total, part)
    return Estimate(mean, around.deviation, around.parts)


def best_of(p: float, tries: int) -> float:
    """Return the Bonferroni bound for the smallest of `tries` p-values."""
    return min(1.0, p * tries)


def log_chernoff(cumulants: Floats, surplus: Floats) -> Floats:
    """Return the log of a bound on the chance that sums of scores exceed expectation so far, [n].

    cumulants: [tilts, n], sums of log E exp(t (s - E)) over the games of each sum, as from
    `log_cumulants`; surplus: [n], the sums of s - E. A score in [0, 1] with mean E spreads no
    more than a win with chance E, so draws make the bound conservative
    (H. Chernoff, Annals of Mathematical Statistics 23, 1952).
    """
    tilts = np.array(TILTS)[:, None]
    bound: Floats = np.minimum((cumulants - tilts * surplus).min(axis=0), 0.0)
    return np.where(surplus > 0.0, bound, 0.0)


def log_cumulants(expected: Floats) -> Floats:
    """Return log(1 + E (e^t - 1)) - t E of a win of chance E, [tilts, n]."""
    tilts = np.array(TILTS)[:, None]
    found: Floats = np.log1p(expected * np.expm1(tilts)) - tilts * expected
    return found


def sum_by_group(values: Floats, group: Ids, groups: int) -> Floats:
    """Sum [tilts, n] over the groups of the columns, [tilts, groups]."""
    return np.stack([np.bincount(group, row, groups) for row in values])


def poisson_tail(count: int, mean: float) -> float:
    """Return P(N >= count) of a Poisson number N."""
    from scipy.special import pdtrc

    return 1.0 if count <= 0 else float(pdtrc(count - 1, mean))


def runs_tail(first: int, second: int, runs: int) -> float:
    """Return P(at least `runs` runs) in a random order of `first` wins and `second` losses.

    A. Wald and J. Wolfowitz, "On a test whether two samples are from the same population",
    Annals of Mathematical Statistics 11 (1940).
    """
    ways = sum(_ways(first, second, r) for r in range(runs, first + second + 1))
    return ways / comb(first + second, first)


def _ways(first: int, second: int, runs: int) -> int:
    half = runs // 2
    if runs % 2 == 0:
        return 2 * comb(first - 1, half - 1) * comb(second - 1, half - 1) if half else 0
    return (
        comb(first - 1, half) * comb(second - 1, half - 1)
        + comb(first - 1, half - 1) * comb(second - 1, half)
        if half
        else 0
    )
