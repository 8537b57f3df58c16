"""What a check found: which property, whether it holds, and where it does not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One property of a function, looked at on a grid.

    `at` is the place of the worst violation (x, or x and y), None where there is no such place.
    A property that holds on a grid is not proved; one that fails is refuted.
    """

    name: str
    holds: bool
    says: str
    at: tuple[float, ...] | None = None


def missing(findings: tuple[Finding, ...]) -> list[str]:
    """The names of the properties that fail."""
    return [one.name for one in findings if not one.holds]
