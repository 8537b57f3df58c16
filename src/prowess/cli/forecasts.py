"""The forecasts before each game, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prowess.engine.replayed import Replayed


def forecast_rows(ratings: Replayed) -> Iterator[tuple[Any, ...]]:
    """A header, then a row a game in the order of the table (of play, with --period round).

    Contests of many give a row a side: the expected score is the mean against the field. A side
    of several members is called `Ann & Bob`. Where the system foresees draws, the chance of one
    stands last.
    """
    from prowess.games.dates import format_date
    from prowess.study.lineups import side_names

    table, names = ratings.table, side_names(ratings.table)
    expected, draws = ratings.forecasts, ratings.draws
    assert expected is not None
    days: Any = None if table.time is None else [format_date(day) for day in table.time.tolist()]
    if not table.pairwise:
        yield "contest", "date", "player", "place", "expected"
        rows = zip(
            table.contest_of_side.tolist(), names, table.place.tolist(), expected.tolist(),
            strict=True,
        )  # fmt: skip
        for number, name, place, chance in rows:
            yield number + 1, days[number] if days else "", name, place, chance
        return
    if ratings.rounds.order is not None:  # forecasts are as the rows were read, the table as played
        expected = expected[ratings.rounds.order]
        draws = None if draws is None else draws[ratings.rounds.order]
    last: Any = [()] * len(table) if draws is None else [(chance,) for chance in draws.tolist()]
    yield "date", "player_a", "player_b", "score", "expected", *(() if draws is None else ("draw",))
    columns = names[::2], names[1::2], table.score.tolist(), expected.tolist(), last
    for row, (a, b, score, chance, drawn) in enumerate(zip(*columns, strict=True)):
        yield days[row] if days else "", a, b, score, chance, *drawn
