"""What a reader sees: the ratings of a category at one moment, and the revision they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.periods import date_text
from prowess.live.api.models import microseconds
from prowess.live.api.problems import Fault, Problem
from prowess.live.desk.category import Category
from prowess.live.desk.desk import Desk
from prowess.live.facts import days
from prowess.live.ladder.players import Players
from prowess.live.views.boards import usual
from prowess.study.figures.listing import Listing

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


@dataclass(frozen=True, eq=False)
class Sight:
    """A category and its ratings; `ratings` None where nobody has played.

    `revision` is the last entry that was in effect, `waiting` the results that a whole-table
    system has not fitted yet.
    """

    category: Category
    ratings: Ratings | None
    revision: int
    day: float | None
    waiting: int

    @property
    def etag(self) -> str:
        """Changes whenever anything that is shown may have changed."""
        day = "" if self.day is None else f"-{self.day!r}"
        fit = f"-w{self.waiting}" if self.waiting else ""
        return f"r{self.revision}{day}{fit}-{self.category.key}"

    @property
    def rule(self) -> Listing:
        """When players of this category are provisional or inactive."""
        one = self.category
        return usual(self.rated(), one.provisional_games, one.inactive_days)

    def head(self) -> dict[str, object]:
        """What every answer about a category says."""
        ratings = self.ratings
        day = self.day if ratings is None else ratings.day
        return {
            "category": self.category.key,
            "system": self.category.system,
            "as_of": None if day is None else date_text(day),
            "games": 0 if ratings is None else len(ratings.table),
            "waiting": self.waiting,
        }

    def rated(self) -> Ratings:
        """The ratings; raises Problem where nobody has played."""
        if self.ratings is None:
            raise Problem(404, "no_ratings", f"nobody has played in {self.category.key} yet")
        return self.ratings

    def row(self, desk: Desk, name: str, field: str = "player") -> int:
        """The number in the roster of a player, under any of his names; raises Problem."""
        number = desk.books.people.find(name)
        k = row_of(desk, self.rated(), number)
        if k is None:
            told = f"{desk.name(number)!r} has not played in {self.category.key}"
            raise Problem(404, "not_rated", told, [Fault("not_rated", told, field)])
        return k


def seen(desk: Desk, key: str, as_of: str | None = None, revision: int | None = None) -> Sight:
    """The ratings of a category now, after the games of a day, or as known at a revision."""
    return sight(desk, key, None if as_of is None else _day(as_of), revision)


def sight(desk: Desk, key: str, day: float | None = None, revision: int | None = None) -> Sight:
    """The same for a day of the engine."""
    if revision is None or revision == desk.revision:
        now = desk.revision  # first: what is read afterwards is at least as new
        ladder = desk.ladder(key)
        waiting = ladder.waiting
        ratings = ladder.ratings() if day is None else ladder.as_of(day)
        return Sight(desk.category(key), ratings, now, day, waiting)
    category = desk.category(key)
    return Sight(category, desk.ratings(key, day, revision), revision, day, 0)


def played_in(desk: Desk, player: int) -> Iterator[tuple[Category, Ratings, int]]:
    """The categories in which a player (by the store's number) has played, and his row there."""
    for category in desk.categories():
        ratings = desk.ratings(category.key)
        k = None if ratings is None else row_of(desk, ratings, player)
        if ratings is not None and k is not None and ratings.games[k]:
            yield category, ratings, k


def row_of(desk: Desk, ratings: Ratings, player: int) -> int | None:
    """The row of ratings in which a player (by the store's number) stands."""
    players = ratings.players
    if isinstance(players, Players):
        found = np.flatnonzero(players.ids == player)
        return int(found[0]) if len(found) else None
    called = desk.name(player)
    return players.index(called) if called in players else None


def _day(text: str) -> float:
    try:
        return days(microseconds(text, end_of_day=True))
    except ValueError as error:
        told = str(error)
        raise Problem(422, "bad_date", told, [Fault("bad_date", told, "as_of")]) from None
