"""What a game would change for both players: the system itself is asked, once for each result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import WholeTableRatings, fit_table
from prowess.engine.rate import DynamicRatings, rate, rate_on
from prowess.engine.system import Unratable
from prowess.engine.table import join_tables
from prowess.games.games import Games
from prowess.study.duels import check_duels

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

WHAT = "what a game would change"
RESULTS = {"win": 1.0, "draw": 0.5, "loss": 0.0}  # of the first player


class Change(NamedTuple):
    """What one result would do: every value of the system after it, less before it."""

    result: str
    a: Mapping[str, float]
    b: Mapping[str, float]


def assessed(ratings: Ratings, a: str, b: str, side: float = 0.0) -> list[Change]:
    """What a win, a draw and a loss of a against b would change, on the day of the ratings.

    A system that rates game by game plays one more game; one with rating periods adds it to the
    last period; one that looks at the whole table is fitted again with it. Raises Unratable for
    other than games between two players and systems that need more than a score, UnknownPlayer.
    """
    check_duels(ratings.table, WHAT)
    one, other = ratings.index(a), ratings.index(b)
    now = _values(ratings)
    changes = []
    for result, score in RESULTS.items():
        later = _values(_after(ratings, _game(ratings, one, other, side, score)))
        apart = [{name: float(later[name][k] - now[name][k]) for name in now} for k in (one, other)]
        changes.append(Change(result, *apart))
    return changes


def _values(ratings: Ratings) -> dict[str, Any]:
    """The system's own numbers of all players."""
    return {
        name: column
        for name in ratings.fields
        if name not in ratings.inner
        and np.issubdtype((column := np.asarray(ratings.columns[name])).dtype, np.number)
    }


def _game(ratings: Ratings, a: int, b: int, side: float, score: float) -> Games:
    """One game at the end of the table."""
    table = ratings.table
    needs = {"margin", "length"} & set(getattr(ratings.system, "uses", ()))
    if needs:
        raise Unratable(
            f"{ratings.system.name} rates by {' and '.join(sorted(needs))} beside the score, so a "
            "score alone does not say what would change"
        )
    time = None
    if table.time is not None:
        assert ratings.day is not None
        time = np.array([max(ratings.day, float(table.time[-1]))])
    return Games(
        players=table.players,
        a=np.array([a], dtype=np.uint32),
        b=np.array([b], dtype=np.uint32),
        score=np.array([score]),
        time=time,
        side=None if table.side is None and not side else np.array([side]),
    )


def _after(ratings: Ratings, game: Games) -> Ratings:
    """The ratings with one more game."""
    if isinstance(ratings, DynamicRatings):
        if ratings.period is None and not ratings.rules and ratings.forecasts is None:
            return rate_on(ratings, game)
        start = {ratings.players[k]: values for k, values in ratings.start.items()}
        return rate(
            join_tables(ratings.table, game),
            ratings.system,
            period=ratings.period,
            start=start,
            rules=ratings.rules,
            params=ratings.params,
        )
    assert isinstance(ratings, WholeTableRatings)
    anchors = {ratings.players[k]: value for k, value in ratings.anchors.items()}
    table = join_tables(ratings.table, game)
    return fit_table(table, ratings.system, anchors=anchors, params=ratings.params)
