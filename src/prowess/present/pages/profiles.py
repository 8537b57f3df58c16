"""One player as a page shows them: where they stand, their games, opponents, and a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.explain import Step
from prowess.engine.fit import NoModel
from prowess.engine.uncertainty import normal_quantile
from prowess.present.pages.meetings import Meeting, Person, opponents, person
from prowess.present.scales import thin_points
from prowess.present.views import profiles as views
from prowess.present.views.boards import LEVEL
from prowess.present.views.meetings import count_met, met_by
from prowess.present.views.remembered import keep_for_player
from prowess.present.wording import why

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.present.listing import Listing
    from prowess.study.forecasting.performance import Performance

OPPONENTS = 60  # of a profile; a page may show fewer
COLUMNS = 600  # of the chart: what is between two of them cannot be told apart on a screen

Line = dict[str, Any]
"""One result: as `views.profiles.entry`, with its `row` of the table, `time` (days since 1970),
`partners` (a text), `opponent` (None: a side of several, or the field of a contest, in words in
`against`), `field` (how many sides it was against), `their_rating` and `why`."""


class Past(NamedTuple):
    """What follows from the games of a player and the ratings before them."""

    lines: tuple[Line, ...]  # the oldest first
    best: Line | None  # the win against the strongest
    worst: Line | None  # the loss against the weakest
    chart: dict[str, list[float | None]] | None


class Profile(NamedTuple):
    """Everything a player's page says."""

    who: Person
    told: dict[str, Any]  # as `views.profiles.profile`
    others: dict[str, float]  # the system's numbers beside the rating
    lines: tuple[Line, ...]  # the newest first
    met: int  # opponents
    opponents: tuple[Meeting, ...]  # the `OPPONENTS` most met, the most met first
    best: Line | None  # the win against the strongest
    worst: Line | None  # the loss against the weakest
    lately: Performance | None  # in the last games
    chart: dict[str, list[float | None]] | None


def profile(
    ratings: Ratings,
    k: int,
    listing: Listing,
    played: Sequence[Step],
    lately: Performance | None,
    among: Listing | None = None,
) -> Profile:
    """The page of player k with his steps and what he showed lately, ranked `among` others."""
    if played:
        past = keep_for_player(ratings, k, "lines", lambda _: _past(_moved(ratings, played)))
    else:
        past = _past(_unmoved(ratings, k))
    told = views.profile(ratings, k, listing, among or listing, played)
    return Profile(
        who=person(ratings, k),
        told=told,
        others={n: v for n, v in told["values"].items() if n != ratings.fields[0]},
        lines=tuple(reversed(past.lines)),
        met=count_met(ratings, k) if ratings.table.duels else 0,
        opponents=tuple(opponents(ratings, k, OPPONENTS)),
        best=past.best,
        worst=past.worst,
        lately=lately,
        chart=past.chart,
    )


def profiles(
    ratings: Ratings, players: Sequence[int], listing: Listing, among: Listing | None = None
) -> dict[int, Profile]:
    """The pages of players by number; their games come from one replay."""
    known = views.moves(ratings, players)
    lately = views.lately(ratings, players)
    return {k: profile(ratings, k, listing, known[k], lately.get(k), among) for k in players}


def _past(found: Iterable[Line]) -> Past:
    """What lines, the oldest first, say together."""
    lines = tuple(found)
    wins = [one for one in lines if one["opponent"] and one["score"] == 1.0]
    losses = [one for one in lines if one["opponent"] and one["score"] == 0.0]
    return Past(
        lines,
        best=max(wins, key=_their_rating, default=None),
        worst=min(losses, key=_their_rating, default=None),
        chart=chart(lines),
    )


def _their_rating(line: Line) -> float:
    return float(line["their_rating"])


def _moved(ratings: Ratings, played: Sequence[Step]) -> Iterable[Line]:
    """The results of a player, the oldest first, of a system that rates game by game."""
    games = ratings.table.pairwise
    places = {name: k for k, name in enumerate(ratings.players)}
    for number, some in enumerate(views.by_result(played), 1):
        one = views.entry(number, some)
        first = some[0]
        alone = games and first.opponent in places
        yield one | {
            "row": first.row,
            "time": first.time,
            "opponent": Person(places[first.opponent], first.opponent) if alone else None,
            "against": first.opponent if games else f"a field of {len(some) + 1}",
            "partners": first.partners,
            "field": len(some),
            "their_rating": fsum(step.opponent_rating for step in some) / len(some),
            "why": why(one),
        }


def _unmoved(ratings: Ratings, k: int) -> Iterable[Line]:
    """The games of a player, the oldest first, with what today's ratings expect of them."""
    if not ratings.table.duels:
        return
    found = [(row, met, n) for met in met_by(ratings, k) for n, row in enumerate(met.rows.tolist())]
    rating = ratings.columns[ratings.fields[0]]
    nothing = dict.fromkeys(("before", "after", "change"))
    for number, (row, met, n) in enumerate(sorted(found, key=lambda one: one[0]), 1):
        try:
            expected: float | None = ratings.chances(k, met.b, float(met.side[n])).expected
        except NoModel:
            expected = None
        yield nothing | {
            "number": number,
            "row": row,
            "time": None if met.day is None else float(met.day[n]),
            "opponent": person(ratings, met.b),
            "against": ratings.players[met.b],
            "partners": "",
            "field": 1,
            "their_rating": float(rating[met.b]),
            "score": float(met.score[n]),
            "expected": expected,
            "why": "",
        }


def chart(lines: Sequence[Line]) -> dict[str, list[float | None]] | None:
    """Columns for the drawing of lines, the oldest first: number, day, rating, low and high.

    Points that no screen could show apart are left out, peaks never; None for under two points.
    """
    if len(lines) < 2 or lines[0]["after"] is None:
        return None
    number = np.array([one["number"] for one in lines], dtype=np.float64)
    rating = np.array([one["after"] for one in lines], dtype=np.float64)
    kept = thin_points(number, rating, COLUMNS)
    columns: dict[str, list[float | None]] = {
        "number": number[kept].tolist(),
        "rating": rating[kept].round(6).tolist(),
    }
    if lines[0]["time"] is not None:
        columns["day"] = [lines[k]["time"] for k in kept.tolist()]
    if "deviation" in lines[0]["values"]:
        reach = normal_quantile(LEVEL) * np.array([lines[k]["values"]["deviation"] for k in kept])
        columns["low"] = (rating[kept] - reach).round(6).tolist()
        columns["high"] = (rating[kept] + reach).round(6).tolist()
    return columns
