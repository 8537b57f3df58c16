"""The leaderboard as plain values: ranks with intervals, who is listed, and by which rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import NoModel
from prowess.engine.params import Bank
from prowess.engine.rate import DynamicRatings
from prowess.present.listing import Listing, rating_column, rating_label
from prowess.present.views import boards as views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

ABOUT = 0.75  # the expected score whose lead is told
LEADS = [m * 10.0**e for e in range(-3, 5) for m in (1.0, 2.0, 5.0)]  # round numbers of points


class Board(NamedTuple):
    """Rows, best first, and what a reader must know about them.

    A row is one of `views.boards.rows` with `k`, the player's number in the roster, and `change`
    since the day it is compared with (None: not known then).
    """

    rows: tuple[dict[str, Any], ...]
    total: int  # rows there would be without a limit
    hidden: int  # who is not listed by the rule
    rule: str
    rating: str  # the name of the column, with its unit
    level: float
    sure: str  # where the intervals come from, or why there are none
    head: str
    lead: str | None  # what a lead is worth, by the system's own curve
    dated: bool
    few: bool  # everybody is shown because the rule leaves hardly anybody
    ranked: int  # players among whom ranks count


def board(
    ratings: Ratings,
    listing: Listing,
    *,
    everyone: bool = False,
    few: bool = False,
    first: int = 0,
    limit: int | None = None,
    before: Mapping[str, float] | None = None,
    names: str = "",
) -> Board:
    """The leaderboard from row `first` on.

    Who is not listed is shown, and ranked, only with `everyone`, or where the rule leaves
    too `few`. `before` holds earlier ratings
    by name; `names` leaves out whose name does not hold this text, in any case.
    """
    listed = views.board(ratings, Listing() if everyone or few else listing)
    places: Sequence[int] = range(len(listed.order))
    if names:
        asked, players = names.casefold(), listed.order.tolist()
        places = [n for n in places if asked in ratings.players[players[n]].casefold()]
    shown = places[first : None if limit is None else first + limit]
    rows = views.rows(ratings, listed, listing, shown)
    for place, row in zip(shown, rows, strict=True):
        earlier = None if before is None else before.get(row["player"])
        row["k"] = int(listed.order[place])
        row["change"] = None if earlier is None else row["rating"] - earlier
    return Board(
        rows=tuple(rows),
        total=len(places),
        hidden=int((ratings.game_counts > 0).sum()) - len(listing.chosen(ratings)),
        rule=listing.words(ratings),
        rating=rating_label(ratings),
        level=listed.sure.level,
        sure=listed.sure.words,
        head=ratings.head(),
        lead=lead(ratings, listing),
        dated=ratings.last is not None,
        few=few,
        ranked=len(listed.order),
    )


def lead(ratings: Ratings, listing: Listing) -> str | None:
    """What a lead of some points is worth on neutral ground; None without a model of a game."""
    listed = listing.chosen(ratings)
    if len(listed) < 2:
        return None
    if isinstance(ratings, DynamicRatings) and not isinstance(ratings.p, Bank):
        return _usual_lead(ratings, listed)
    return _real_lead(ratings, listed)


def _usual_lead(ratings: DynamicRatings, listed: NDArray[np.int64]) -> str | None:
    """The round lead that is nearest to a score of 3/4, between two who are usual otherwise."""
    system, p = ratings.system, ratings.p
    usual = system.rating._make(np.median(ratings.values[listed], axis=0).tolist())

    def worth(points: float) -> float:
        above = usual._replace(rating=usual.rating + 0.5 * points)
        below = usual._replace(rating=usual.rating - 0.5 * points)
        mine, theirs = (system.alone(p, one) for one in (above, below))
        return float(system.expected(p, mine, theirs, system.game))

    points = min(LEADS, key=lambda points: abs(worth(points) - ABOUT))
    expected = worth(points)
    if abs(expected - ABOUT) > 0.15:
        return None
    return f"{points:g} more is an expected score of {100.0 * expected:.0f} %"


def _real_lead(ratings: Ratings, listed: NDArray[np.int64]) -> str | None:
    """Of those above the one in the middle: whose lead on him is worth about 3/4."""
    order = listed[np.argsort(-ratings.strength[listed], kind="stable")]
    middle = int(order[len(order) // 2])
    try:
        worth = {int(k): ratings.chances(int(k), middle, 0.0).expected for k in order[:200]}
    except NoModel:
        return None
    best = min(worth, key=lambda k: abs(worth[k] - ABOUT))
    if abs(worth[best] - ABOUT) > 0.15:
        return None
    rating = rating_column(ratings)
    return (
        f"{float(rating[best] - rating[middle]):.4g} more is an expected score of "
        f"{100.0 * worth[best]:.0f} %"
    )


def what(ratings: Ratings) -> str:
    """What a row of the table is called."""
    return ratings.table.unit
