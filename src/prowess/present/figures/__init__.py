"""Figures as values: data, a title and a description, drawn as SVG or PNG when somebody asks.

    from prowess.present.figures import histories

    figure = histories(ratings, ["Ada", "Ben"])
    figure.data, figure.to_svg(), figure.to_png()

The names load on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prowess.present.figures.calendar import activity
    from prowess.present.figures.comparison import behind_the_best
    from prowess.present.figures.figure import Figure
    from prowess.present.figures.history import histories
    from prowess.present.figures.leading import leaders
    from prowess.present.figures.pairs import head_to_head
    from prowess.present.figures.reliability_curve import reliability
    from prowess.present.figures.spread import distribution

__all__ = [
    "Figure",
    "activity",
    "behind_the_best",
    "distribution",
    "head_to_head",
    "histories",
    "leaders",
    "reliability",
]

_HOMES = {
    "Figure": "figure",
    "activity": "calendar",
    "behind_the_best": "comparison",
    "distribution": "spread",
    "head_to_head": "pairs",
    "histories": "history",
    "leaders": "leading",
    "reliability": "reliability_curve",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'prowess.present.figures' has no attribute {name!r}")
    value = getattr(import_module(f"prowess.present.figures.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
