"""Who met whom: the games of two players, and the square of the best against one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.engine.fit import NoModel, WholeTableRatings
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Unratable
from prowess.present.views import meetings as views
from prowess.study.pairings import next_battles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prowess.engine.ratings import Ratings
    from prowess.present.views.meetings import Between

REFITTED = 3_000  # games of a table that may be fitted three times more for one page

Meeting = dict[str, Any]  # as `views.meetings.meeting`, with a Person for `a` and for `b`


class Person(NamedTuple):
    """A player by number and name."""

    k: int
    name: str


class Stake(NamedTuple):
    """What a result of the next game would change, in the first column of the system."""

    result: str
    a: float
    b: float


class Wish(NamedTuple):
    """A game worth playing, and why."""

    a: Person
    b: Person
    why: str


class Square(NamedTuple):
    """The best against one another; `cells[i][j]` is None where two never met or are one."""

    people: tuple[Person, ...]
    cells: tuple[tuple[Meeting | None, ...], ...]
    unmet: int


def person(ratings: Ratings, k: int) -> Person:
    """A player by number."""
    return Person(k, ratings.players[k])


def meeting(ratings: Ratings, games: Between) -> Meeting:
    """The games of two players in one line."""
    people = {"a": person(ratings, games.a), "b": person(ratings, games.b)}
    return people | views.tally(ratings, games)


def opponents(ratings: Ratings, k: int, most: int) -> list[Meeting]:
    """The opponents whom a player met most often; empty for contests."""
    if not ratings.table.duels:
        return []
    return [meeting(ratings, games) for games in views.met_by(ratings, k, most)]


def played(ratings: Ratings, games: Between) -> list[dict[str, Any]]:
    """The games of two one by one, the newest first, with their row and points."""
    table = ratings.table
    assert table.duels
    found = games.told()
    for row, one in zip(games.rows.tolist(), found, strict=True):
        one |= {"row": row, "points": None}
        if table.points_a is not None and table.points_b is not None:
            points = float(table.points_a[row]), float(table.points_b[row])
            one["points"] = points if int(table.a[row]) == games.a else points[::-1]
    return found[::-1]


def chances(ratings: Ratings, i: int, j: int) -> dict[str, Any] | None:
    """What to expect of a game on neutral ground; None without a model of a game."""
    try:
        return views.forecast(ratings, (i,), (j,), 0.0)
    except NoModel:
        return None


def stakes(ratings: Ratings, i: int, j: int) -> list[Stake]:
    """What a win, a draw and a loss would change; empty where that is too much work to ask."""
    cheap = isinstance(ratings, DynamicRatings) and ratings.period is None and not ratings.rules
    if not cheap and not (
        isinstance(ratings, WholeTableRatings | DynamicRatings) and len(ratings.table) < REFITTED
    ):
        return []
    try:
        found = views.stakes(ratings, i, j, 0.0)
    except Unratable:
        return []
    first = ratings.fields[0]
    return [Stake(one["result"], one["player"][first], one["opponent"][first]) for one in found]


def wishes(ratings: Ratings, count: int) -> list[Wish]:
    """The games worth playing next; none where players cannot be compared."""
    try:
        found = next_battles(ratings, count)
    except Unratable:
        return []
    place = {name: k for k, name in enumerate(ratings.players)}
    people = [
        [person(ratings, place[name]) for name in (one.player, one.opponent)] for one in found
    ]
    return [Wish(a, b, one.why) for (a, b), one in zip(people, found, strict=True)]


def square(ratings: Ratings, chosen: Sequence[int]) -> Square:
    """The chosen players against one another, in that order."""
    met = {}
    for games in views.among(ratings, chosen):
        met[games.a, games.b] = meeting(ratings, games)
        met[games.b, games.a] = meeting(ratings, games.turned())
    cells = tuple(tuple(met.get((i, j)) for j in chosen) for i in chosen)
    people = tuple(person(ratings, k) for k in chosen)
    return Square(people, cells, len(chosen) * (len(chosen) - 1) // 2 - len(met) // 2)


def most_met(ratings: Ratings, chosen: Sequence[int], count: int) -> list[Meeting]:
    """The pairs of the chosen players who met most often, each once, the first named first."""
    if not ratings.table.duels:
        return []
    place = {k: n for n, k in enumerate(chosen)}
    found = sorted(
        views.among(ratings, chosen),
        key=lambda one: (-len(one.rows), place[one.a], place[one.b]),
    )
    return [meeting(ratings, games) for games in found[:count]]
