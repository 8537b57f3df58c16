"""What a check of a league observed, and what becomes of it when all checks are judged together.

A check that could err by chance gives a p-value. With k of them the smallest would be below 0.05
far too often, therefore they are raised by Holm's step-down procedure: over all checks together, a
league without any fault is accused with at most the probability `level` (S. Holm, "A simple
sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979).

An effect must also matter: in a large table the smallest one is significant. A check says from
which size on an effect is worth a notice and a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

FINE, NOTICE, WARNING = "fine", "notice", "warning"
SEVERITIES = (FINE, NOTICE, WARNING)


@dataclass(frozen=True)
class Observation:
    """What one check saw, before it is known how many others there are.

    `p` is None for what is counted and not estimated (rows that stand twice), and for
    descriptions. `size` is the effect, compared with `notice` and `warning`; inf: never.
    `calm` is said where nothing is wrong, `alarm` otherwise. `advice`: it speaks about the
    constants chosen rather than about the results.
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
    """One check: how bad, in words, with its numbers, its method and its rate of false alarms.

    `p` is the check's own p-value and `adjusted` the same among all checks (Holm), None where
    nothing was tested.
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
        """Plain data."""
        return dict(vars(self))


@dataclass(frozen=True)
class Skipped:
    """A check that this table or system does not allow, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Diagnosis:
    """All findings on one league, the worst first, and what could not be looked at."""

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
        """The finding of that name; KeyError if it was skipped or does not exist."""
        for one in self.findings:
            if one.name == name:
                return one
        raise KeyError(f"no finding {name!r}; there are {', '.join(f.name for f in self.findings)}")

    def head(self) -> str:
        """What was looked at, in a line."""
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
        """Plain data."""
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
    """Adjusted p-values: the k-th smallest of n times n - k + 1, never falling, at most 1."""
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted, so_far = [0.0] * len(p), 0.0
    for place, index in enumerate(order):
        so_far = max(so_far, min(1.0, (len(p) - place) * p[index]))
        adjusted[index] = so_far
    return adjusted


def judged(observations: Sequence[Observation], level: float) -> tuple[Finding, ...]:
    """Findings, the worst first, equal ones in the order given."""
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
