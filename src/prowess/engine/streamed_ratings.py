"""Ratings whose games may have been read as a stream, and are then not at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from prowess.engine.losses import ForecastScores
from prowess.engine.ratings import Ratings
from prowess.engine.system import Unratable


class Streamed(NamedTuple):
    """The games of ratings that were made of a stream."""

    contests: int
    span: tuple[float, float] | None  # days of the first and the last; None: no dates
    rater: Any = None  # `PieceRater` after the last of them; None: no further games can follow
    scores: ForecastScores | None = None  # of their forecasts, where these were made


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StreamedRatings(Ratings):
    """Ratings of a table, or of a stream: their table then has no rows."""

    streamed: Streamed | None = None  # games that are not in the table: they were read as a stream

    @property
    def contests(self) -> int:
        """See Ratings."""
        return super().contests if self.streamed is None else self.streamed.contests

    @property
    def span(self) -> tuple[float, float] | None:
        """See Ratings."""
        return super().span if self.streamed is None else self.streamed.span

    def refuse_without_games(self) -> None:
        """Raise Unratable for ratings of a stream, whose games are not at hand."""
        if self.streamed is not None:
            raise Unratable(
                "read the files again, with prowess.read_games: ratings of a stream keep no games",
                code="no_games_kept",
            )
