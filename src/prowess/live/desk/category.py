"""A category: a ladder of its own, with its system and constants."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PROVISIONAL_GAMES = 10  # fewer: a rating is shown as provisional
LARGEST_SIDE = 100  # players
INACTIVE_DAYS = 365  # longer without a game: a player is shown as inactive


Setting = float | str | Sequence[float | str]  # of a parameter; several values make a bank


@dataclass(frozen=True)
class Category:
    """What is played, and how it is rated since revision `since`."""

    id: int
    key: str
    name: str
    kind: str  # games, contests
    system: str
    params: Mapping[str, Setting] = field(default_factory=dict)  # what differs from defaults
    period: str | None = None
    extra: tuple[str, ...] = ()  # of margin, length, points: asked of every game
    provisional_games: int = PROVISIONAL_GAMES
    inactive_days: int = INACTIVE_DAYS
    side_size: int = 1  # members that a side may have at most
    since: int = 0

    @property
    def method(self) -> tuple[str, str, str | None]:
        """All that the ratings depend on."""
        return self.system, json.dumps(dict(self.params), sort_keys=True), self.period


def method_row(category: Category, revision: int) -> dict[str, Any]:
    """The row of the table `method`."""
    return {
        "category_id": category.id,
        "revision": revision,
        "system": category.system,
        "params": dict(category.params),
        "period": category.period,
        "provisional_games": category.provisional_games,
        "inactive_days": category.inactive_days,
        "side_size": category.side_size,
    }
