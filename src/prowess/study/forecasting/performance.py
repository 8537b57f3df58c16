"""Performances of players, and what one more game would change.

A performance is the rating at which a player's expected score equals their score:

    exact    sum over the games of E(x, opponent before the game, side) = score, solved for x
    table    mean rating of the opponents + d_p, p the share of the points, d_p of FIDE's table
    linear   mean rating of the opponents + 400 (wins - losses) / games

Source    FIDE Rating Regulations (B.02), table 8.1.1, for d_p.
Units     points; table and linear are None where a lead of 400 points is not expected to score
          10/11 or nearly so (FIDE's table has 0.92): they are points of Elo's scale.

A score of 100 % or 0 has no finite exact performance. By the half-point rule half a point is
subtracted (or added); or d = 800 points, FIDE's end of the table, are added to the mean of the
opponents; or it stays unknown. The player's own deviation is ignored (a performance is a number),
the deviations of the opponents are not.

`assess_game` computes the effect of a game for both players with the system itself, once for each
result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.fit import NoModel, WholeTableRatings, fit_table
from prowess.engine.params import BadSetting, Bank
from prowess.engine.rate import DynamicRatings
from prowess.engine.run import choose_slots, watch_for
from prowess.engine.system import Unratable
from prowess.engine.table import join_tables
from prowess.games.games import Games
from prowess.games.reading import join_names
from prowess.study.forecasting.contenders import SD_FIELD, GameModel, game_model_of, rate_again
from prowess.study.lineups import check_duels

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


PERFECT = ("half", "800", "none")
PERFECT_LEAD = 800.0  # points
LEAD, OF_LEAD = 400.0, 10.0 / 11.0  # points of Elo's scale, and the score expected of them
SCORE_ERROR = 0.02  # relative: the normal curve of FIDE's table is off by 0.014
# d_p for p = 0.50, 0.51, ..., 1.00
D_P = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158,
    166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366,
    383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
)  # fmt: skip
MAX_HALVINGS = 200  # of the bracket around an exact performance


class Performance(NamedTuple):
    """The performance of a player in some games; `exact` is None if it is not finite."""

    player: str
    games: int
    score: float
    opponents: float  # their mean rating before the games
    exact: float | None
    table: float | None  # both None on another scale than Elo's
    linear: float | None


class Meetings(NamedTuple):
    """Every game from both sides, [2 games]: who, score, side, and rows of `values`."""

    player: Ids
    score: Floats
    weight: Floats
    side: Floats
    mine: Ids
    theirs: Ids
    values: Floats  # [rows, fields]


def performances(
    ratings: Ratings,
    *,
    since: float | None = None,
    until: float | None = None,
    last: int | None = None,
    perfect: str = "half",
    player: str | Sequence[str] | None = None,
) -> list[Performance]:
    """Return performances of all players (or one, or some) in a span, the best first.

    `since` and `until` are days since 1970, both inclusive; `last` takes only the newest `last`
    games of each player in the span. Raises Unratable for other than games between two players
    and for tables without dates where a span is asked for, NoModel if the system has no expected
    score of a rating, UnknownPlayer.
    """
    if perfect not in PERFECT:
        raise BadSetting.of("not_a_choice.performance", choices=PERFECT, perfect=perfect)
    law, games = game_model_of(ratings), ratings.table
    check_duels(games, "a performance")
    if law is None:
        ratings.chances(0, 0, 0.0)  # raises NoModel for systems without any model of a game
        in_bank = isinstance(ratings.p, Bank)
        what = f"a bank of {ratings.system.name}" if in_bank else ratings.system.name
        raise NoModel.of("no_model.performance", what=what)
    rows = _span(games, since, until)
    if player is not None:
        named = (player,) if isinstance(player, str) else player
        wanted = [ratings.index(name) for name in named]
        rows = rows[np.isin(games.a[rows], wanted) | np.isin(games.b[rows], wanted)]
        if last is not None and len(wanted) == 1:
            rows = rows[len(rows) - min(last, len(rows)) :]  # earlier games are not needed
    both = meetings(ratings, law, games, rows)
    chosen = np.ones(len(both.player), dtype=bool)
    if player is not None:
        chosen &= np.isin(both.player, wanted)
    if last is not None:
        chosen &= _latest(both.player, last)
    both = both._replace(
        **{name: getattr(both, name)[chosen] for name in Meetings._fields if name != "values"}
    )
    if not len(both.player):
        return []
    ids, place = np.unique(both.player, return_inverse=True)
    weight = both.weight
    count = np.bincount(place, weight).astype(np.float64)
    score = np.bincount(place, weight * both.score).astype(np.float64)
    mean = np.bincount(place, weight * both.values[both.theirs, 0]) / count
    won = np.bincount(place, weight * np.sign(both.score - 0.5))
    met = np.bincount(place)
    whole = (score == 0.0) | (score == count)
    target: Floats = score + np.where(
        whole & (perfect == "half"), np.where(score == 0.0, 0.5, -0.5), 0.0
    )
    exact = solve_performance(law, both, place, target)
    if perfect != "half":
        end = np.where(score == 0.0, -PERFECT_LEAD, PERFECT_LEAD) if perfect == "800" else np.nan
        exact = np.where(whole, mean + end, exact)
    elos = has_elo_scale(law, both)
    found = [
        Performance(
            ratings.players[int(who)],
            int(met[k]),
            float(score[k]),
            float(mean[k]),
            float(exact[k]) if np.isfinite(exact[k]) else None,
            float(mean[k] + d_p(float(score[k] / count[k]))) if elos else None,
            float(mean[k] + LEAD * won[k] / count[k]) if elos else None,
        )
        for k, who in enumerate(ids.tolist())
    ]
    return sorted(found, key=lambda one: (one.exact is None, -(one.exact or 0.0), one.player))


def has_elo_scale(law: GameModel, both: Meetings) -> bool:
    """Return whether a lead of 400 points is expected to score 10/11 at the ratings that met."""
    two = np.repeat(both.values[both.mine[:1]], 2, axis=0)
    two[:, 0] = both.values[both.theirs, 0].mean() + np.array([0.5, -0.5]) * LEAD
    if SD_FIELD in law.fields:
        two[:, law.fields.index(SD_FIELD)] = 0.0
    first = np.zeros(1, dtype=np.int64)
    expected = law.ask(law.parts(two), first, first + 1, np.zeros(1))[0]
    return bool(abs(expected[0] - OF_LEAD) <= SCORE_ERROR * OF_LEAD)


def d_p(share: float) -> float:
    """Return the rating difference of FIDE's table for a share of the points."""
    hundredths = int(np.floor(100.0 * share + 0.5 + 1e-9))
    return float(D_P[hundredths - 50] if hundredths >= 50 else -D_P[50 - hundredths])


def _span(games: Games, since: float | None, until: float | None) -> Ids:
    if since is None and until is None:
        return np.arange(len(games), dtype=np.int64)
    if games.time is None:
        raise Unratable.of("no_dates.performance")
    low = -np.inf if since is None else since
    high = np.inf if until is None else until
    return np.flatnonzero((games.time >= low) & (games.time <= high))


def meetings(ratings: Ratings, law: GameModel, games: Games, rows: Ids) -> Meetings:
    """Return both sides of some games, with the ratings before each of them.

    Ratings fitted to the whole table are the same before every game.
    """
    count = len(rows)
    side = np.zeros(len(games)) if games.side is None else games.side
    a, b = games.a[rows].astype(np.int64), games.b[rows].astype(np.int64)
    if isinstance(ratings, DynamicRatings):
        chosen = np.zeros(len(games), dtype=bool)
        chosen[rows] = True
        slots = choose_slots(ratings.system, ratings.p, games, chosen)
        seen = watch_for(ratings.system, ratings.p, games, slots)
        if count:
            ratings.play_again(seen)
        values, first = seen.memory.rating, 2 * np.arange(count, dtype=np.int64)
        second = first + 1
    else:
        assert isinstance(ratings, WholeTableRatings)
        values = np.asarray(ratings.columns[law.fields[0]], dtype=np.float64)[:, None]
        first, second = a, b
    return Meetings(
        player=np.concatenate((a, b)),
        score=np.concatenate((games.score[rows], 1.0 - games.score[rows])),
        weight=np.tile(np.ones(count) if games.weight is None else games.weight[rows], 2),
        side=np.concatenate((side[rows], -side[rows])),
        mine=np.concatenate((first, second)),
        theirs=np.concatenate((second, first)),
        values=values,
    )


def _latest(player: Ids, count: int) -> Truths:
    """Return which entries are among the last `count` games of their player."""
    row = np.tile(np.arange(len(player) // 2, dtype=np.int64), 2)
    order = np.lexsort((-row, player))
    own = player[order]
    found = np.ones(len(player), dtype=bool)
    found[order[count:]] = own[count:] != own[:-count]
    return found


def solve_performance(law: GameModel, both: Meetings, place: Ids, target: Floats) -> Floats:
    """Return the rating at which each player is expected to score `target`, [players].

    By bisection; nan if no finite rating is.
    """
    count = len(place)
    own = both.values[both.mine].copy()
    if SD_FIELD in law.fields:
        own[:, law.fields.index(SD_FIELD)] = 0.0
    opposing = law.parts(both.values)
    mine, theirs = np.arange(count, dtype=np.int64), both.theirs + count

    def surplus(x: Floats) -> Floats:
        """Return the expected score minus the target."""
        own[:, 0] = x[place]
        sides = np.concatenate((law.parts(own), opposing))
        expected = law.ask(sides, mine, theirs, both.side)[0]
        score: Floats = (
            np.bincount(place, both.weight * np.nan_to_num(expected), len(target)) - target
        )
        return score

    opponents = both.values[both.theirs, 0]
    middle = np.bincount(place, opponents, len(target)) / np.bincount(place, minlength=len(target))
    reach = np.full(len(target), max(1.0, float(np.ptp(opponents))))
    for _ in range(40):
        wrong = (surplus(middle - reach) > 0.0) | (surplus(middle + reach) < 0.0)
        if not wrong.any():
            break
        reach[wrong] *= 2.0
    low, high = middle - reach, middle + reach
    for _ in range(MAX_HALVINGS):
        x = 0.5 * (low + high)
        if ((x <= low) | (x >= high)).all():
            break
        above = surplus(x) > 0.0
        low, high = np.where(above, low, x), np.where(above, x, high)
    return np.where(wrong, np.nan, 0.5 * (low + high))


WHAT = "what a game would change"
MORE_THAN_SCORES = ("margin", "length", "points_a", "points_b")  # columns of a game
RESULT_SCORES = {"win": 1.0, "draw": 0.5, "loss": 0.0}  # of the first player


class ResultEffect(NamedTuple):
    """The effect of one result: every value of the system after it minus before it."""

    result: str
    a: Mapping[str, float]
    b: Mapping[str, float]


def assess_game(ratings: Ratings, a: str, b: str, side: float = 0.0) -> list[ResultEffect]:
    """Compute what a win, a draw and a loss of a against b would change, on the ratings' day.

    Of a long live ladder a result after which all games would be played again is left out.

    A system that rates game by game plays one more game; one with rating periods adds it to the
    last period; one that looks at the whole table is fitted again with it. Raises Unratable for
    other than games between two players and ratings that take more than a score, UnknownPlayer.
    """
    check_duels(ratings.table, WHAT)
    one, other = ratings.index(a), ratings.index(b)
    refuse_further_columns(ratings)
    games = [_game(ratings, one, other, side, score) for score in RESULT_SCORES.values()]
    now, players = _values(ratings), np.array([one, other])
    before = {name: column[players] for name, column in now.items()}
    changes = []
    for result, later in zip(RESULT_SCORES, _values_after(ratings, games, players), strict=True):
        if later is not None:
            apart = [{n: float(later[n][k] - before[n][k]) for n in before} for k in (0, 1)]
            changes.append(ResultEffect(result, *apart))
    return changes


def refuse_further_columns(ratings: Ratings) -> None:
    """Raise Unratable where ratings take more of a game than its score, such as its points.

    A system says what it needs and uses. What one that looks at the whole table reads besides
    shows in a fit without it.
    """
    system, table = ratings.system, ratings.table
    known = {name: getattr(table, name) for name in MORE_THAN_SCORES}
    named = {*getattr(system, "needs", ()), *system.uses}
    read = [name for name in MORE_THAN_SCORES if name in named]
    there = [name for name in MORE_THAN_SCORES if known[name] is not None]
    if not read and there and isinstance(ratings, WholeTableRatings) and not ratings.system.narrow:
        scores = table.replace(**dict.fromkeys(there))
        now, bare = (_values(_fit_again(ratings, one)) for one in (table, scores))
        same = (np.array_equal(now.get(name, ()), bare[name], equal_nan=True) for name in bare)
        read = [] if now.keys() == bare.keys() and all(same) else there
    if read:
        raise Unratable.of("needs_more_than_scores", system=system.name, read=join_names(read))


def _values(ratings: Ratings) -> dict[str, Any]:
    """Return the system's own numbers of all players."""
    return {
        name: column
        for name in ratings.fields
        if name not in ratings.inner
        and np.issubdtype((column := np.asarray(ratings.columns[name])).dtype, np.number)
    }


def _game(ratings: Ratings, a: int, b: int, side: float, score: float) -> Games:
    """Return one game at the end of the table."""
    table = ratings.table
    time = None
    if table.time is not None:
        assert ratings.day is not None
        time = np.array([max(ratings.day, float(table.time[-1]))])
    season = table.facts.keys() & {table.season}  # that of the last game
    return Games(
        players=table.players,
        facts={name: table.facts[name][-1:] for name in season},
        labels={name: table.labels[name] for name in season & table.labels.keys()},
        a=np.array([a], dtype=np.uint32),
        b=np.array([b], dtype=np.uint32),
        score=np.array([score]),
        time=time,
        side=None if table.side is None and not side else np.array([side]),
    )


def _values_after(
    ratings: Ratings, games: Sequence[Games], players: Ids
) -> Iterator[dict[str, Any] | None]:
    """The values of some players after each of some games, of which none follows another."""
    if isinstance(ratings, DynamicRatings) and not (
        ratings.period or ratings.rules or ratings.forecasts is not None
    ):
        for found in ratings.values_after(games, players):
            yield None if found is None else dict(zip(ratings.fields, found.T, strict=True))
        return
    for game in games:
        later: Ratings
        table = join_tables(ratings.table, game)
        if isinstance(ratings, DynamicRatings):
            later = rate_again(ratings, table)
        else:
            later = _fit_again(ratings, table)
        yield {name: column[players] for name, column in _values(later).items()}


def _fit_again(ratings: Ratings, table: Games) -> WholeTableRatings:
    """Return the fit of another table of the same players."""
    assert isinstance(ratings, WholeTableRatings)
    anchors = {ratings.players[k]: value for k, value in ratings.anchors.items()}
    return fit_table(table, ratings.system, anchors=anchors, params=ratings.params)
