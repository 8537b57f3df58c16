"""Two players as plain values: their games, forecasts, stakes; and pairs worth playing next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.fit import NoModel, WholeTableRatings
from prowess.engine.fits.connectivity import label_met
from prowess.engine.game_forecast import split_chances
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Unratable
from prowess.engine.tabular import list_rows
from prowess.games.dates import format_date
from prowess.games.games import Games
from prowess.present.boards import COVERAGE, cached_value
from prowess.present.forecasts import score_data
from prowess.study.pairings import Goal, PairingTable, PairRecord, next_battles, pairing_table
from prowess.study.scores import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings


KEPT_BUDGET = 100  # games worth playing next that are kept with the ratings
REFIT_GAMES = 3_000  # of a table that may be fitted three times more for one page
MOST_SQUARED = 500  # largest league whose pairs are all returned at once

Meeting = dict[str, Any]  # as `meeting_values`, with a Person for `a` and for `b`


def forecast_game(
    ratings: Ratings, a: Sequence[int], b: Sequence[int], side: float, *, grid: bool = False
) -> dict[str, Any]:
    """Forecast a game of the players a against the players b.

    `draw` is None where the system has no model of draws; if its table has some, `win` and `loss`
    are None as well. Raises
    NoModel where the system has no model of a game, Unratable for teams that it does not rate.
    With `grid` a system of goals adds `scores`, with the chance of each.
    """
    first, second = (one[0] if len(one) == 1 else [(k, 1.0) for k in one] for one in (a, b))
    scores = ratings.foresee_scores(first, second, side)
    chances = ratings.chances(first, second, side) if scores is None else scores.chances
    win, loss = split_chances(chances, ratings.table)
    names = [[ratings.players[k] for k in one] for one in (a, b)]
    return {
        "a": names[0] if len(a) > 1 else names[0][0],
        "b": names[1] if len(b) > 1 else names[1][0],
        "side": side,
        "expected": chances.expected,
        "win": win,
        "draw": chances.draw,
        "loss": loss,
        **score_data(scores if grid else None),
    }


def stake_values(ratings: Ratings, a: int, b: int, side: float) -> list[dict[str, Any]]:
    """The changes of both players' values after a win, a draw and a loss of a."""
    from prowess.study.forecasting.performance import assess_game

    names = ratings.players[a], ratings.players[b]
    return [
        {"result": one.result, "player": dict(one.a), "opponent": dict(one.b)}
        for one in assess_game(ratings, *names, side)
    ]


@dataclass(frozen=True, eq=False)
class GamesBetween:
    """The games of two players by number, in order of play and seen from `a`."""

    a: int
    b: int
    rows: Ids  # of the table
    day: Floats | None
    score: Floats
    side: Floats
    weight: Floats

    def reverse(self) -> GamesBetween:
        """The same games, seen from `b`."""
        side = 0.0 - self.side
        return replace(self, a=self.b, b=self.a, score=1.0 - self.score, side=side)

    def list_values(self) -> list[dict[str, Any]]:
        """One dict a game."""
        days = [None] * len(self.rows) if self.day is None else self.day.tolist()
        dates = [None if day is None else format_date(day) for day in days]
        columns = {"score": self.score, "side": self.side, "weight": self.weight}
        return list_rows({"date": dates, **columns})


def games_between(ratings: Ratings, a: int, b: int) -> GamesBetween:
    """All games of two players; raises Unratable for contests."""
    table = _pairwise_games(ratings)
    return _turn_rows(
        table, a, b, ((table.a == a) & (table.b == b)) | ((table.a == b) & (table.b == a))
    )


def games_by_opponent(ratings: Ratings, k: int, most: int | None = None) -> list[GamesBetween]:
    """The games of a player by opponent, the `most` often met first; raises Unratable."""
    table = _pairwise_games(ratings)
    pairs = _pairs(table, (table.a == k) | (table.b == k))
    order = np.lexsort((pairs.low + pairs.high - k, -np.diff(pairs.start)))
    found = [pairs.between(table, one) for one in order[:most].tolist()]
    return [one if one.a == k else one.reverse() for one in found]


def count_opponents(ratings: Ratings, k: int) -> int:
    """The number of opponents of a player; raises Unratable."""
    table = _pairwise_games(ratings)
    return len(np.union1d(table.b[table.a == k], table.a[table.b == k]))


def pairs_among(ratings: Ratings, chosen: Sequence[int]) -> list[GamesBetween]:
    """The games of each pair of the chosen players that met, seen from the one named first."""
    table = _pairwise_games(ratings)
    place = np.full(len(ratings.players), len(chosen))
    place[list(chosen)] = np.arange(len(chosen), dtype=np.int64)
    ours = place < len(chosen)
    pairs = _pairs(table, ours[table.a] & ours[table.b])
    found = [pairs.between(table, one) for one in range(len(pairs.low))]
    return [one if place[one.a] < place[one.b] else one.reverse() for one in found]


def meeting_values(ratings: Ratings, games: GamesBetween) -> dict[str, Any]:
    """Summarise the games of two players, by name.

    `expected` is by today's ratings over the sides the games really had, None without a model;
    `surplus` is the score less that.
    """
    names = {"a": ratings.players[games.a], "b": ratings.players[games.b]}
    return names | meeting_totals(ratings, games, expect_meetings(ratings, [games])[0])


def head_to_head_values(ratings: Ratings, a: int, b: int) -> dict[str, Any]:
    """All games of two players: as `meeting`, by side, and one by one; raises Unratable."""
    games = games_between(ratings, a, b)
    words = {"a": 1.0, "none": 0.0, "b": -1.0}
    parts = {
        word: _turn_rows(ratings.table, a, b, games.rows[games.side == side])
        for word, side in words.items()
        if side in games.side
    }
    expected = expect_meetings(ratings, list(parts.values()))
    by_side = {
        word: meeting_totals(ratings, part, score)
        for (word, part), score in zip(parts.items(), expected, strict=True)
    }
    return meeting_values(ratings, games) | {"by_side": by_side, "list": games.list_values()}


def _pairwise_games(ratings: Ratings) -> Games:
    if not ratings.table.duels:
        raise Unratable.of("no_duels.pairs")
    return ratings.table


class _Pairs(NamedTuple):
    """Pairs of players that met: those of pair n in `rows[start[n]:start[n + 1]]`."""

    low: Ids
    high: Ids
    rows: Ids
    start: Ids

    def between(self, table: Games, number: int) -> GamesBetween:
        """The games of one pair, seen from the player with the lower number."""
        rows = self.rows[self.start[number] : self.start[number + 1]]
        return _turn_rows(table, int(self.low[number]), int(self.high[number]), rows)


def _pairs(table: Games, chosen: NDArray[np.bool_]) -> _Pairs:
    """Group the chosen games by pair."""
    rows = np.flatnonzero(chosen)
    a, b = table.a[rows].astype(np.int64), table.b[rows].astype(np.int64)
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    low, high, rows = low[order], high[order], rows[order]
    first = np.flatnonzero(np.append(True, (np.diff(low) != 0) | (np.diff(high) != 0))[: len(rows)])
    return _Pairs(low[first], high[first], rows, np.append(first, len(rows)))


def _turn_rows(table: Games, a: int, b: int, chosen: NDArray[Any]) -> GamesBetween:
    """The games in some rows of the table, all of a against b, seen from a."""
    rows = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
    first = table.a[rows] == a
    side = np.zeros(len(rows)) if table.side is None else table.side[rows]
    return GamesBetween(
        a,
        b,
        rows,
        None if table.time is None else table.time[rows],
        np.where(first, table.score[rows], 1.0 - table.score[rows]),
        np.where(first, side, 0.0 - side),
        np.ones(len(rows)) if table.weight is None else table.weight[rows],
    )


def expect_meetings(ratings: Ratings, meetings: Sequence[GamesBetween]) -> list[float | None]:
    """What the first player of each meeting is expected to score in its games, by today's ratings
    and the sides they had; None without a model.
    """
    sides = [np.unique(one.side).tolist() for one in meetings]
    asked = [(one.a, one.b, k) for one, had in zip(meetings, sides, strict=True) for k in had]
    try:
        scores = iter(ratings.expected_scores(asked).tolist())
    except NoModel:
        return [None] * len(meetings)
    return [
        sum(float(one.weight[one.side == k].sum()) * next(scores) for k in had)
        for one, had in zip(meetings, sides, strict=True)
    ]


def meeting_totals(ratings: Ratings, games: GamesBetween, expected: float | None) -> dict[str, Any]:
    """Record, score with its interval, and what was expected."""
    score, weight = games.score, games.weight
    battles = float(weight.sum())
    won, drawn = int((score > 0.5).sum()), int((score == 0.5).sum())
    found: dict[str, Any] = {
        "games": len(score),
        "battles": battles,
        "record": {"wins": won, "draws": drawn, "losses": len(score) - won - drawn},
        "score": None,
        "interval": None,
        "expected": None,
        "surplus": None,
    }
    if not len(score):
        return found
    mean = float(weight @ score) / battles
    low, high = wilson_interval(mean, battles, COVERAGE)
    found |= {"score": mean, "interval": {"low": low, "high": high, "level": COVERAGE}}
    if expected is None:
        return found
    return found | {"expected": expected / battles, "surplus": mean - expected / battles}


class Person(NamedTuple):
    """A player by number and name."""

    k: int
    name: str


class Stake(NamedTuple):
    """What a result of the next game would change, in the first column of the system."""

    result: str
    a: float
    b: float


class NextGame(NamedTuple):
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


def build_meetings(ratings: Ratings, meetings: Sequence[GamesBetween]) -> list[Meeting]:
    """Summarise the games of pairs of players, each a `Person`."""
    return [
        {"a": person(ratings, games.a), "b": person(ratings, games.b)}
        | meeting_totals(ratings, games, expected)
        for games, expected in zip(meetings, expect_meetings(ratings, meetings), strict=True)
    ]


def find_opponents(ratings: Ratings, k: int, most: int) -> list[Meeting]:
    """The opponents whom a player met most often; empty for contests."""
    if not ratings.table.duels:
        return []
    return build_meetings(ratings, games_by_opponent(ratings, k, most))


def read_points(table: Games, row: int, *, in_order: bool = True) -> tuple[float, float] | None:
    """The points of the sides of a game, in the order of the table or the other; None without."""
    if table.points_a is None or table.points_b is None:
        return None
    points = float(table.points_a[row]), float(table.points_b[row])
    return points if in_order else points[::-1]


def forecast_grounds(ratings: Ratings, i: int, j: int) -> list[tuple[str, dict[str, Any]]]:
    """Forecasts on neutral ground, or where games have a ground, on that of each: words, forecast.

    Empty where there is no forecast.
    """
    table = ratings.table
    named = {"On neutral ground": 0.0}
    if table.side is not None and bool(table.side.any()):
        home = table.points_a is not None
        words = "{} at home" if home else "{} has White"
        named = {words.format(ratings.players[k]): side for k, side in ((i, 1.0), (j, -1.0))}
    try:
        return [(words, forecast_game(ratings, (i,), (j,), side)) for words, side in named.items()]
    except (NoModel, Unratable):
        return []


def are_apart(ratings: Ratings, i: int, j: int) -> bool:
    """Whether no chain of games leads from one to the other: their ratings do not compare."""
    label = cached_value(ratings, "groups that met", partial(label_met, ratings.table))
    return bool(label[i] != label[j])


def find_stakes(ratings: Ratings, i: int, j: int) -> list[Stake]:
    """The changes after a win, a draw and a loss; empty where refits would take too long."""
    cheap = isinstance(ratings, DynamicRatings) and ratings.period is None and not ratings.rules
    if not cheap and not (
        isinstance(ratings, WholeTableRatings | DynamicRatings) and len(ratings.table) < REFIT_GAMES
    ):
        return []
    try:
        found = stake_values(ratings, i, j, 0.0)
    except Unratable:
        return []
    first = ratings.fields[0]
    return [Stake(one["result"], one["player"][first], one["opponent"][first]) for one in found]


def next_games(ratings: Ratings, count: int) -> list[NextGame]:
    """The games worth playing next; none where players cannot be compared."""
    try:
        found = next_battles(ratings, count)
    except Unratable:
        return []
    place = {name: k for k, name in enumerate(ratings.players)}
    people = [
        [person(ratings, place[name]) for name in (one.player, one.opponent)] for one in found
    ]
    return [NextGame(a, b, one.why) for (a, b), one in zip(people, found, strict=True)]


def build_square(ratings: Ratings, chosen: Sequence[int]) -> Square:
    """The chosen players against one another, in that order."""
    seen = [way for games in pairs_among(ratings, chosen) for way in (games, games.reverse())]
    meetings = build_meetings(ratings, seen)
    met = {(games.a, games.b): meeting for games, meeting in zip(seen, meetings, strict=True)}
    cells = tuple(tuple(met.get((i, j)) for j in chosen) for i in chosen)
    people = tuple(person(ratings, k) for k in chosen)
    return Square(people, cells, len(chosen) * (len(chosen) - 1) // 2 - len(met) // 2)


def most_met_pairs(ratings: Ratings, chosen: Sequence[int], count: int) -> list[Meeting]:
    """The pairs of the chosen players who met most often, each once, the first named first."""
    if not ratings.table.duels:
        return []
    place = {k: n for n, k in enumerate(chosen)}
    found = sorted(
        pairs_among(ratings, chosen),
        key=lambda one: (-len(one.rows), place[one.a], place[one.b]),
    )
    return build_meetings(ratings, found[:count])


def find_pairing_table(ratings: Ratings) -> PairingTable:
    """Every pair that met and those that did not; kept with the ratings.

    Raises Unratable for contests and for more than `MOST_SQUARED` players.
    """
    if len(ratings) > MOST_SQUARED:
        raise Unratable.of("too_many_players.pairs", most=MOST_SQUARED, players=len(ratings))
    return cached_value(ratings, "pairings", lambda: pairing_table(ratings))


def pair_values(one: PairRecord) -> dict[str, Any]:
    """Two players who met, the higher one first."""
    row = one._asdict()
    names = {"a": row.pop("player"), "b": row.pop("opponent")}
    return names | row | {"surprising": one.surprising}


def opponent_values(ratings: Ratings, k: int) -> list[dict[str, Any]]:
    """All opponents of a player, the most met first; raises Unratable for contests."""
    return [meeting_values(ratings, one) for one in games_by_opponent(ratings, k)]


def next_battle_values(
    ratings: Ratings, goal: Goal, budget: int, k: int | None
) -> list[dict[str, Any]]:
    """The games worth playing next towards a goal, the best first, each with the reason; of a
    smaller budget they are the first of a larger one.
    """
    name = None if k is None else ratings.players[k]
    most = max(budget, KEPT_BUDGET)
    found = cached_value(
        ratings, ("wanted", goal, most, k), lambda: next_battles(ratings, most, name, goal)
    )
    return [one._asdict() for one in found[:budget]]
