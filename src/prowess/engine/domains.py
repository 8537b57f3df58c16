"""What a parameter of a system may be: a number of an interval, or one of several words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """The closed interval in which a parameter is tuned, and its unit.

    `limits` are the least and the greatest value that may be given, where they lie beyond it.
    """

    low: float
    high: float
    unit: str = ""
    limits: tuple[float, float] | None = None

    @property
    def allowed(self) -> tuple[float, float]:
        """The least and the greatest value that may be given."""
        return self.limits or (self.low, self.high)


@dataclass(frozen=True, init=False)
class Choice:
    """A parameter that is one of several words; the tuple holds the word's number."""

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)
