"""Who scored how much against whom: a square of the best players, a cell a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.pairings import pairings
from prowess.games.games import Games
from prowess.study.duels import unpaired
from prowess.study.figures.figure import Drawing, Figure
from prowess.study.figures.listing import usual_listing
from prowess.study.figures.marks import box, breadth, isolated, shortened, words
from prowess.study.figures.refusal import Undrawable
from prowess.study.figures.theme import SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]

STRONGEST = 0.5  # opacity of a score of 0 or 1: words on it keep a contrast of 4.5
LARGEST = 48.0  # pixels of a cell
LEGIBLE = 22.0  # pixels a cell needs for its number; who has no room is left out


@dataclass(frozen=True, eq=False)
class HeadToHead(Figure):
    """Mean scores of the row's player against the column's, [n, n]; nan where two never met."""

    players: tuple[str, ...]
    score: Floats
    games: Floats

    @property
    def title(self) -> str:
        """See Figure."""
        return f"{len(self.players)} players against one another"

    @property
    def description(self) -> str:
        """See Figure."""
        unmet = int(np.isnan(self.score[np.triu_indices(len(self.players), 1)]).sum())
        holes = f" {unmet:,} pairs never met (grey)." if unmet else ""
        return (
            "A cell is the score, in percent, of the player of the row against the player of the "
            "column, who is named by his number; wins count 100, draws 50. Blue is more than half, "
            f"orange less, the stronger the farther from it.{holes} Where there is little room, "
            "the first players are shown."
        )

    @property
    def data(self) -> list[dict[str, Any]]:
        """See Figure: every pair that met, once."""
        return [
            {
                "player": self.players[i],
                "opponent": self.players[j],
                "games": float(self.games[i, j]),
                "score": float(self.score[i, j]),
            }
            for i in range(len(self.players))
            for j in range(i + 1, len(self.players))
            if self.games[i, j] > 0.0
        ]

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        names = [f"{k + 1}  {player}" for k, player in enumerate(self.players)]
        room = min(0.34 * width, max(breadth(name, SIZE) for name in names)) + 6.0
        n = min(len(names), max(2, int((width - room - 2.0) / LEGIBLE)))
        cell = min(LARGEST, (width - room - 2.0) / n)
        tall = max(20.0, min(cell, 30.0))
        top = 22.0
        marks = []
        for i, name in enumerate(names[:n]):
            y = top + tall * i
            text = shortened(name, SIZE, room - 6.0)
            marks.append(words(text, 0.0, y + 0.5 * tall + 4.0, class_="ink", full=name))
            middle = room + cell * (i + 0.5)
            marks.append(words(str(i + 1), middle, top - 7.0, anchor="middle"))
            marks += [self._cell(i, j, room + cell * j, y, cell, tall) for j in range(n) if i != j]
        return Drawing(width, top + tall * n + 4.0, "".join(marks))

    def _cell(self, i: int, j: int, x: float, y: float, wide: float, tall: float) -> str:
        """One pair: ground by score, number in it, words for a pointer."""
        pair = f"{isolated(self.players[i])} against {isolated(self.players[j])}"
        inside = x + 0.75, y + 0.75, wide - 1.5, tall - 1.5
        if np.isnan(self.score[i, j]):
            return box(*inside, "empty", f"{pair}: never met")
        score = float(self.score[i, j])
        hint = f"{pair}: {score:.1%} of {self.games[i, j]:g} games"
        strength = STRONGEST * abs(2.0 * score - 1.0)
        ground = box(*inside, "high" if score >= 0.5 else "low", hint, strength)
        text = f"{100.0 * score:.0f}"
        return ground + words(
            text, x + 0.5 * wide, y + 0.5 * tall + 4.0, anchor="middle", class_="cell"
        )


def head_to_head(
    ratings: Ratings, top: int = 12, *, players: Sequence[str] | None = None
) -> HeadToHead:
    """The pairing scores among the players named, or the `top` best of those usually listed.

    Raises Undrawable unless games are between two players, and where fewer than two have played
    enough.
    """
    if reason := unpaired(ratings.table):
        raise Undrawable(f"head to head needs games between two players, and {reason}")
    if players is None:
        players = usual_listing(ratings).board(ratings, top).columns["player"]
    if len(players) < 2:
        raise Undrawable("fewer than two players have played enough games")
    met = pairings(among(ratings.table, [ratings.index(p) for p in players]), by_points=False)
    return HeadToHead(tuple(players), met.share, met.battles)


def among(games: Games, chosen: list[int]) -> Games:
    """The games of these players with one another, the players numbered anew in that order."""
    place = np.full(len(games.players), -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    rows = (place[games.a] >= 0) & (place[games.b] >= 0)
    kept = games.select(rows)
    return kept.replace(
        players=[games.players[k] for k in chosen],
        a=place[kept.a].astype(np.uint32),
        b=place[kept.b].astype(np.uint32),
    )
