"""What the first page of a site tells: the season, latest results, who moves, who is in form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.explain import histories
from prowess.engine.fit import NoModel
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Unratable
from prowess.present.boards import RankedPlayers, rating_digits
from prowess.present.drawings import draw_form, draw_move, draw_season
from prowess.present.histories import (
    keeps_ratings,
    last_members,
    ratings_before,
    read_careers,
    scores_of,
)
from prowess.present.layers import YEAR_DAYS
from prowess.present.pairs import Person, forecast_game, person, read_points

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from prowess.engine.ratings import Ratings


Key = TypeVar("Key", bound=int | str)  # of a player
UPSET_BELOW = 0.44  # what a winner was given at most
LATEST, MOVERS, IN_FORM = 7, 4, 6  # rows; movers each way
MOVE_DAYS = 30.0
FORM_OF = 6  # games
SEASON_LINES = 24  # players
NEIGHBOURS = 6  # pairs of neighbours


class LatestResult(NamedTuple):
    """A result between two: who scored what, what was expected of the first, whose rating rose."""

    row: int
    a: Person
    b: Person
    score: float
    points: tuple[float, float] | None
    time: float | None
    expected: float | None  # of the first
    riser: Person | None  # with the larger rise
    rise: float

    @property
    def is_upset(self) -> bool:
        """Whether the winner was given little."""
        return is_upset(self.score, self.expected)


def is_upset(score: float, expected: float | None) -> bool:
    """Whether the side that won was given less than `UPSET_BELOW`.

    >>> is_upset(1.0, 0.3), is_upset(0.0, 0.3), is_upset(0.5, 0.1), is_upset(0.0, 0.6)
    (True, False, False, True)
    """
    if expected is None or score == 0.5:
        return False
    return (expected if score > 0.5 else 1.0 - expected) < UPSET_BELOW


def find_movers(
    changes: Mapping[Key, float], most: int, least: float = 0.5
) -> list[tuple[Key, float]]:
    """Who rose most and who fell most, at least so much, as many each way; from the highest down.

    >>> find_movers({1: 9.0, 2: -4.0, 3: 0.1, 4: 2.0}, 1)
    [(1, 9.0), (2, -4.0)]
    """
    ranked = sorted(changes.items(), key=lambda one: -one[1])
    rose = [one for one in ranked if one[1] >= least][:most]
    return rose + [one for one in ranked if one[1] <= -least][-most:]


class Home(NamedTuple):
    """The values of the first page about one category."""

    season: Any  # a drawing; None without histories
    latest: Sequence[LatestResult]
    movers: Sequence[tuple[Person, float, Any]]  # with a drawing
    form: Sequence[tuple[Person, Any, float]]  # with a drawing; points above those expected
    pairs: Sequence[tuple[Person, Person, float]]  # neighbours, and what the first is given
    digits: int


def build_home(ratings: Ratings, listed: RankedPlayers, since: float | None = None) -> Home:
    """The values of the first page; what the ratings do not tell is left empty.

    The drawing begins on the day `since`, by default a year before the last game.
    """
    digits, order = rating_digits(ratings), listed.order.tolist()
    season, latest = None, []
    movers: list[tuple[Person, float, Any]] = []
    form: list[tuple[Person, Any, float]] = []
    if keeps_ratings(ratings) and isinstance(ratings, DynamicRatings) and order:
        expected = expect_members(ratings, order)
        if ratings.last is not None:
            if since is None:
                since = float(np.nanmax(ratings.last)) - YEAR_DAYS
            season = draw_season(read_careers(ratings, order[:SEASON_LINES], since), digits)
            movers = list_movers(ratings, order)
        if ratings.table.duels:
            latest = list_latest(ratings, expected)
            form = list_form(ratings, order, expected)
    return Home(season, latest, movers, form, pair_neighbours(ratings, order), digits)


def expect_members(ratings: Any, order: Sequence[int]) -> Floats:
    """What each member of a duel was expected to score, [members]; nan where it is not asked.

    Where it is not kept, it is worked out for the last games of the best and of all.
    """
    table = ratings.table
    if ratings.prior.held.get("shown") is not None:
        return np.asarray(ratings.prior["shown"][:, -1])
    expected = np.full(len(table.player), np.nan)
    if table.duels:
        latest = (*table.a[-LATEST:].tolist(), *table.b[-LATEST:].tolist())
        asked = list(dict.fromkeys((*order[:SEASON_LINES], *latest)))
        for k, one in zip(asked, histories(ratings, asked, FORM_OF), strict=True):
            for step in one.steps:
                second = int(table.a[step.row]) != k
                expected[2 * step.row + second] = step.expected
    return expected


def list_movers(ratings: Ratings, order: Sequence[int]) -> list[tuple[Person, float, Any]]:
    """Who of the ranked moved most in `MOVE_DAYS` before the last game."""
    assert ratings.last is not None
    before = ratings_before(ratings, float(np.nanmax(ratings.last)) - MOVE_DAYS)
    if before is None:
        return []
    now = next(iter(ratings.columns.values()))
    changes = {k: float(now[k] - before[k]) for k in order if np.isfinite(before[k])}
    found = find_movers(changes, MOVERS)
    most = max((abs(change) for _, change in found), default=0.0)
    return [(person(ratings, k), change, draw_move(change, most)) for k, change in found]


def list_latest(ratings: Any, expected: Floats) -> list[LatestResult]:
    """The last results, the newest first; a rise is until the player's next game, or now."""
    table, found = ratings.table, []
    now = next(iter(ratings.columns.values()))
    for row in range(len(table) - 1, max(len(table) - 1 - LATEST, -1), -1):
        pair = int(table.a[row]), int(table.b[row])
        members = np.array([2 * row, 2 * row + 1])
        before = ratings.read_before(members)[:, 0]
        after = [float(now[k]) for k in pair]
        for side, k in enumerate(pair):
            later = np.flatnonzero(table.player[2 * row + 2 :] == k)
            if len(later):
                after[side] = float(ratings.read_before(later[:1] + 2 * row + 2)[0, 0])
        rises = [after[side] - float(before[side]) for side in (0, 1)]
        best = int(rises[1] > rises[0])
        given = float(expected[2 * row])
        found.append(
            LatestResult(
                row,
                person(ratings, pair[0]),
                person(ratings, pair[1]),
                float(table.score[row]),
                read_points(table, row),
                None if table.time is None else float(table.time[row]),
                given if np.isfinite(given) else None,
                person(ratings, pair[best]) if rises[best] > 0.0 else None,
                rises[best],
            )
        )
    return found


def list_form(
    ratings: Ratings, order: Sequence[int], expected: Floats
) -> list[tuple[Person, Any, float]]:
    """Of the ranked, who scored most above what was expected of their last `FORM_OF` games."""
    if not np.isfinite(expected).any():
        return []
    table = ratings.table
    own = last_members(table, order, FORM_OF)
    scores = {k: scores_of(table, rows) for k, rows in own.items() if len(rows) == FORM_OF}
    known = {k: float((score - expected[own[k]]).sum()) for k, score in scores.items()}
    surplus = {k: value for k, value in known.items() if np.isfinite(value)}
    best = sorted(surplus, key=lambda k: -surplus[k])[:IN_FORM]
    return [(person(ratings, k), draw_form(scores[k]), surplus[k]) for k in best]


def pair_neighbours(ratings: Ratings, order: Sequence[int]) -> list[tuple[Person, Person, float]]:
    """The best against their neighbours, and what the first of each pair is given."""
    if not ratings.table.duels:
        return []
    found = []
    for i, j in zip(order[: 2 * NEIGHBOURS : 2], order[1 : 2 * NEIGHBOURS : 2], strict=False):
        try:
            given = forecast_game(ratings, (i,), (j,), 0.0)["expected"]
        except (NoModel, Unratable):
            return []
        found.append((person(ratings, i), person(ratings, j), given))
    return found
