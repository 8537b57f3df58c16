"""Numbers for the labels of rounds."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from prowess.engine.system import Unratable


@dataclass(frozen=True, eq=False)
class Labels:
    """Numbers for the labels of rounds; a number once given stays."""

    numbers: dict[str, int] = field(default_factory=dict)
    next: Any = field(default_factory=itertools.count)

    def number(self, label: str | None) -> int:
        """The number of a label; raises Unratable where there is none."""
        if label is None:
            raise Unratable("rounds by label need the round of every result")
        return self.numbers.setdefault(label, next(self.next))

    @classmethod
    def of(cls, numbers: Mapping[str, int]) -> Labels:
        """Labels that have numbers already."""
        return cls(dict(numbers), itertools.count(max(numbers.values(), default=-1) + 1))
