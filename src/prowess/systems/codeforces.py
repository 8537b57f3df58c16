"""Codeforces: each rating moves halfway to the one whose expected place equals the actual place.

Formula   P(a beats b) = 1 / (1 + 10^((r_b - r_a) / 400))
          place_i  = how many are not worse than i (tied players share their last place)
          seed_i(r) = 1 + sum over j != i of P(j beats a player rated r)
          m_i = sqrt(place_i seed_i(r_i)),  R_i = the largest whole R with seed_i(R) >= m_i
          d_i = (R_i - r_i) / 2, towards zero
          then all d_i += inc:   inc = (-sum d / n, towards zero) - 1
          then all d_i += inc2:  z = min(4 round(sqrt n), n), s = sum of d of the z highest rated,
          inc2 = -s / z, towards zero, held inside [-10, 0]
Source    M. Mirzayanov, "Codeforces Rating System" and its contest code, codeforces.com/blog
          entries 102 and 20762.
Units     rating: points, whole numbers; a contest has no duration, so time does nothing.
Differs   of players of one rating at the edge of the z highest, those of better places count (the
          source takes them by number). A newcomer has the true rating of 1400; the lower numbers
          that the site shows for an account's first contests are not followed.
"""

from __future__ import annotations

from math import sqrt
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from prowess.engine.numeric import merge_sort, score_by_points
from prowess.engine.params import Scale
from prowess.engine.system import Dynamic, Game, Range, credit_change

LOWEST, HIGHEST = 1, 8000  # points; where R is looked for
LARGEST_CUT = 10.0  # points, of the second correction


class Params(NamedTuple):
    """Settings; the defaults are the site's."""

    scale: Scale = 400.0
    start: Annotated[float, Range(1, 4000, "points"), "rating of a newcomer"] = 1400.0


class Rating(NamedTuple):
    """A player's rating."""

    rating: float = 1400.0


class Evidence(NamedTuple):
    """The change from one contest."""

    change: float = 0.0  # d with both corrections


class Room(NamedTuple):
    """Columns that a contest works on."""

    seeds: float = 0.0  # `seed_with_self` of each whole rating, 0 where it is not known yet
    order: float = 0.0  # numbers of the players: by rating, the best first; by place
    last: float = 0.0  # how many are not worse than each player
    value: float = 0.0  # the ratings of the contest, each once
    holders: float = 0.0  # and how many players have it


def chance(p: Params, rating: float, other: float) -> float:
    """P(a player of the first rating beats one of the second)."""
    return score_by_points(rating - other, p.scale)


def expected_score(p: Params, mine: Rating, theirs: Rating, game: Game) -> float:
    """The chance of a better place."""
    return chance(p, mine.rating, theirs.rating)


def truncate(x: float) -> float:
    """Round towards zero."""
    return float(int(x))


def seed_with_self(p: Params, room: Any, ratings: int, rating: float) -> float:
    """1 + the sum over all players, this one included, of the chance to beat this rating."""
    total = 1.0
    for k in range(ratings):
        total += room.holders[k] * chance(p, room.value[k], rating)
    return total


def deserved_rating(p: Params, room: Any, ratings: int, rating: float, wanted: float) -> float:
    """R_i: bisection over whole ratings; `seeds` keeps the sums, 0 where not known yet."""
    low, high, seeds = LOWEST, HIGHEST, room.seeds
    while high - low > 1:
        middle = (low + high) // 2
        if seeds[middle] <= 0.0:
            seeds[middle] = seed_with_self(p, room, ratings, float(middle))
        if seeds[middle] - chance(p, rating, float(middle)) < wanted:
            high = middle
        else:
            low = middle
    return float(low)


def stands_above(p: Params, sides: Any, place: Any, j: int, i: int) -> bool:
    """Whether player j goes before player i in order of rating, then of place."""
    if sides.rating[j] != sides.rating[i]:
        return bool(sides.rating[j] > sides.rating[i])
    return bool(place[j] < place[i])


def came_before(p: Params, sides: Any, place: Any, j: int, i: int) -> bool:
    """Whether player j has a better place than player i."""
    return bool(place[j] < place[i])


sort_by_rating, sort_by_place = merge_sort(stands_above), merge_sort(came_before)


def count_not_worse(p: Params, sides: Any, place: Any, room: Any) -> None:
    """Fill `last`: the place of each player, of tied ones the last."""
    n, last, order = len(place), 0, room.order
    sort_by_place(p, sides, place, order, room.value)
    for k in range(n):
        while last < n and place[int(order[last])] <= place[int(order[k])]:
            last += 1
        room.last[int(order[k])] = float(last)


def count_ratings(p: Params, sides: Any, place: Any, room: Any) -> int:
    """Fill `order`, and the ratings in it, each once, with their counts; returns how many."""
    sort_by_rating(p, sides, place, room.order, room.value)
    ratings = 0
    for k in range(len(place)):
        r = sides.rating[int(room.order[k])]
        if ratings == 0 or room.value[ratings - 1] != r:
            room.value[ratings], room.holders[ratings] = r, 0.0
            ratings += 1
        room.holders[ratings - 1] += 1.0
    return ratings


def contest(p: Params, sides: Any, place: Any, out: Any, room: Any) -> None:
    """Fill the change of every player."""
    n, total, r, seed = len(place), 0.0, 0.0, 0.0
    for middle in range(HIGHEST + 1):
        room.seeds[middle] = 0.0
    count_not_worse(p, sides, place, room)
    ratings = count_ratings(p, sides, place, room)
    for k in range(n):
        i = int(room.order[k])
        if k == 0 or sides.rating[i] != r:
            r = sides.rating[i]
            seed = seed_with_self(p, room, ratings, r) - 0.5  # the own chance against an equal
        deserved = deserved_rating(p, room, ratings, r, sqrt(room.last[i] * seed))
        out.change[i] = truncate(0.5 * (deserved - r))
        total += out.change[i]
    inc = truncate(-total / n) - 1.0
    for i in range(n):
        out.change[i] += inc
    count = min(4 * int(sqrt(n) + 0.5), n)
    top = 0.0
    for k in range(count):
        top += out.change[int(room.order[k])]
    cut = min(max(truncate(-top / count), -LARGEST_CUT), 0.0)
    for i in range(n):
        out.change[i] += cut


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """The rating after a contest."""
    return Rating(me.rating + total.change)


CODEFORCES = Dynamic(
    name="codeforces",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    contest=contest,
    room=Room(),
    room_length=HIGHEST + 1,
    absorb=absorb,
    credit=credit_change,
    rounds="game",
    weights=False,
    breaks=MappingProxyType(
        {
            "win_never_lowers": "both corrections take points from all players, winners too",
            "loss_never_raises": "a player below 1 point returns to it",
            "sum": "the corrections make the sum fall by about a point a player",
        }
    ),
)
