"""The forecasts before each game, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prowess.engine.replayed import Replayed


def forecast_rows(ratings: Replayed) -> Iterator[tuple[Any, ...]]:
    """A header, then a row a game in the order of the table (of play, with --period round).

    Contests give a row a player: the expected score is the mean against the field.
    """
    import numpy as np

    from prowess.engine.periods import date_text

    table, players = ratings.table, ratings.players
    expected = ratings.forecasts
    assert expected is not None
    days: Any = None if table.time is None else [date_text(day) for day in table.time.tolist()]
    if not table.pairwise:
        contest = np.repeat(np.arange(len(table)), np.diff(table.start)).tolist()
        yield "contest", "date", "player", "place", "expected"
        rows = zip(
            contest, table.player.tolist(), table.place.tolist(), expected.tolist(), strict=True
        )
        for number, player, place, chance in rows:
            yield number + 1, days[number] if days else "", players[player], place, chance
        return
    if ratings.rounds.order is not None:  # forecasts are as the rows were read, the table as played
        expected = expected[ratings.rounds.order]
    yield "date", "player_a", "player_b", "score", "expected"
    for row, (a, b, score, chance) in enumerate(
        zip(
            table.a.tolist(), table.b.tolist(), table.score.tolist(), expected.tolist(), strict=True
        )
    ):
        yield days[row] if days else "", players[a], players[b], score, chance
