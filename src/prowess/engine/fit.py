"""Fit a whole-table system to a table: its ratings, and how certain they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.engine.cluster.machine import one_thread
from prowess.engine.game_forecast import make_line_up
from prowess.engine.half_life import MIN_WEIGHT, age_results
from prowess.engine.leaderboard import (
    MOST_COMPARED,
    Standing,
    compare_players,
    find_player,
    name_superiority,
    refuse_absent,
)
from prowess.engine.params import BadSetting, settings
from prowess.engine.ratings import Ratings
from prowess.engine.system import BadSystem, Chances, LineUp, Unratable
from prowess.engine.table import (
    assumptions,
    idle_advantage,
    number_clusters,
    refuse_unratable,
    seat_starters,
    up_to,
)
from prowess.engine.whole_table import (
    BALLOTS,
    GAMES,
    Draws,
    Fit,
    Uncertainty,
    WholeTable,
    two_sided_quantile,
)
from prowess.games.arguments import (
    BadArgument,
    check_count,
    check_day,
    check_series,
    check_text,
)
from prowess.games.errors import WordedError
from prowess.games.games import Games
from prowess.games.totals import PlayerCounts

if TYPE_CHECKING:
    from prowess.engine.fits.comparisons import ScoredRatings
    from prowess.engine.places import Scores
    from prowess.engine.steps import History
    from prowess.engine.tabular import ResultTable


MEAN = "mean"  # the reference that is no player
SURELY = 1e-6  # the least probability of an interval, and of the rest outside it
ENOUGH_CLUSTERS = 50  # for errors by cluster without a correction
LARGEST = 1e9  # of weights and points; beyond, sums of small and large ones lose digits


def fit_table(
    table: Games,
    system: WholeTable,
    *,
    as_of: float | None = None,
    anchors: Mapping[str, float] | None = None,
    initial: Mapping[str, Mapping[str, float]] | None = None,
    level: float = 0.95,
    reference: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> WholeTableRatings:
    """Fit a whole-table system to all games up to `as_of` (days since 1970).

    `anchors` are players with a known rating that stays, `initial` those of whom a rating with its
    deviation was believed before the games: a normal prior. `level` is the probability of the
    intervals, `reference` the player from whom differences are measured, or `mean` for the mean
    of all players (None: the zero of the system itself: the mean, the anchors or the prior).
    Raises Unratable, BadSetting, UnknownPlayer, NoModel.
    """
    p = settings(system, params or {})
    check_level(level)
    table, seated = seat_starters(up_to(table, as_of), initial or {})
    refuse_table(system, table)
    day = as_of if as_of is not None or table.time is None else float(table.time.max())
    known = PlayerCounts.of(table)
    counts = FitCounts(known.games, known.last, day)
    return fit_counted(
        table, system, p, counts, anchors=anchors or {}, initial=initial or {}, level=level,
        reference=reference, further_notes=seated,
    )  # fmt: skip


class FitCounts(NamedTuple):
    """Of each player the contests and the day of the last one, and the day of the fit."""

    games: Ids
    last: Floats | None  # None: no dates
    day: float | None


def fit_counted(
    table: Games,
    system: WholeTable,
    p: Any,
    counts: FitCounts,
    *,
    anchors: Mapping[str, float],
    initial: Mapping[str, Mapping[str, float]],
    level: float,
    reference: str | None,
    further_notes: tuple[str, ...] = (),
) -> WholeTableRatings:
    """Fit to a table that was checked; its columns need be no more than the system reads."""
    games, last, day = counts
    fixed = {find_player(table.players, name): value for name, value in anchors.items()}
    _refuse_anchors(system, table.players, games, fixed)
    believed = check_priors(system, initial, anchors)
    priors = {find_player(table.players, name): one for name, one in believed.items()}
    for known in fixed:
        refuse_absent(table.players, games, known)
    days = p.half_life if system.has_half_life else 0.0
    aged, age_notes = age_results(table, days, day)
    with one_thread:  # so that the ratings do not depend on the number of cores
        fit = system.fit(p, aged, fixed, *[priors] * system.priors)
    check_fit(system, fit, len(table.players))
    unseen = {player: one for player, one in priors.items() if not games[player]}
    fit = replace(fit, columns=seat_priors(fit.columns, unseen))
    if reference is not None and fit.uncertainty is None:
        raise NoModel.of("no_uncertainty.reference", system=system.name)
    about_mean = reference == MEAN and MEAN not in table.players
    if about_mean and fit.uncertainty is not None:
        fit = replace(fit, uncertainty=fit.uncertainty.about_mean(np.flatnonzero(games)))
    player = None if reference is None or about_mean else find_player(table.players, reference)
    if player is not None:
        refuse_absent(table.players, games, player)
    return WholeTableRatings(
        system=system,
        p=p,
        players=table.players,
        game_counts=games,
        last=last,
        table=table,
        day=day,
        notes=(
            *assumptions(system, table),
            *age_notes,
            *idle_advantage(system, p, table),
            *fit.notes,
            *further_notes,
        ),
        fit=fit,
        anchors=fixed,
        priors=priors,
        level=level,
        reference=player,
        about_mean=about_mean,
    )


def seat_priors(
    columns: Mapping[str, AnyArray], priors: Mapping[int, tuple[float, float]]
) -> Mapping[str, AnyArray]:
    """The columns in which players without a game have the rating and deviation of their priors."""
    if not priors:
        return columns
    found = {name: column.copy() for name, column in columns.items()}
    for player, one in priors.items():
        for name, value in zip(("rating", "deviation"), one, strict=True):
            found[name][player] = value
    return found


def check_level(level: float) -> None:
    """Raise BadSetting for what is no probability of an interval."""
    if not SURELY <= level <= 1.0 - SURELY:
        raise BadSetting.of("not_a_level.fit", level=level)


def check_fit(system: WholeTable, fit: Any, players: int) -> None:
    """Raise BadSystem for a fit that has not the columns its system declares."""
    if not isinstance(fit, Fit):
        raise BadSystem.of("wrong_return.fit", system=system.name, fit=fit)
    there = tuple(name for name in system.columns if name in fit.columns)
    if tuple(fit.columns) != there or there[:1] != system.columns[:1]:
        raise BadSystem.of(
            "wrong_columns.names", system=system.name, columns=fit.columns, declared=system.columns
        )
    ordered = {} if fit.order is None else {"order": fit.order}
    path = fit.path
    if path is not None and path.wander and (path.joint is None or "deviation" not in path.columns):
        raise BadSystem.of("path_missing.joint", system=system.name)
    if system.moves and (fit.path is None or tuple(fit.path.columns) != tuple(fit.columns)):
        raise BadSystem.of("path_missing.absent", system=system.name)
    for name, column in (*fit.columns.items(), *ordered.items()):
        if getattr(column, "shape", None) != (players,):
            raise BadSystem.of(
                "wrong_columns.sizes", system=system.name, name=name, players=players
            )


def refuse_table(system: WholeTable, table: Games) -> None:
    """Raise Unratable for a table that the system cannot read."""
    kind = BALLOTS if not table.pairwise else GAMES
    if kind not in system.reads:
        what = "contests of many" if kind == BALLOTS else "games between two"
        raise Unratable.of(
            "unreadable_kind", reads=" or ".join(system.reads), system=system.name, what=what
        )
    refuse_unratable(system, table)
    for name in ("weight", "points_a", "points_b", "margin"):
        column = getattr(table, name, None)
        if column is None or not len(column):
            continue
        if np.abs(column).max() > LARGEST or (name == "weight" and column.min() < MIN_WEIGHT):
            raise Unratable(
                f"scale {name} to sizes up to {LARGEST:g} (weights from {MIN_WEIGHT:g}): they "
                f"go from {column.min():g} to {column.max():g}", code="sizes_too_far_apart"
            )  # fmt: skip
    absent = [name for name in system.needs if getattr(table, name, None) is None]
    if absent:
        raise Unratable.of("column_needed.fit", columns=" and ".join(absent), system=system.name)


def _refuse_anchors(
    system: WholeTable,
    players: Sequence[str],
    games: Ids,
    anchors: Mapping[int, float],
) -> None:
    if anchors and not system.anchored:
        raise Unratable.of("anchors_unknown", system=system.name)
    for player, rating in anchors.items():
        if not isfinite(rating):
            raise Unratable.of("anchor_not_finite", name=players[player], rating=rating)
    if anchors and len(anchors) == np.count_nonzero(games):
        raise Unratable.of("all_anchored")


PRIOR_DEVIATIONS = 1e-6, 1e6  # points; beyond them a fit loses its digits


def refuse_priors(system: WholeTable) -> None:
    """Raise BadSetting for a system that knows no priors of players."""
    if not system.priors:
        raise BadSetting.of("option_not_taken.fit", system=system.name)


def check_priors(
    system: WholeTable, initial: Mapping[str, Mapping[str, float]], anchors: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """The mean and deviation of the prior of each player; raises BadSetting and Unratable."""
    if initial:
        refuse_priors(system)
    low, high = PRIOR_DEVIATIONS
    for name, values in initial.items():
        if values.keys() != {"rating", "deviation"} or not low <= values["deviation"] <= high:
            raise Unratable.of(
                "not_a_prior.deviation", name=name, low=low, high=high, system=system.name
            )
        if name in anchors or not isfinite(values["rating"]):
            raise Unratable.of("not_a_prior.rating", name=name)
    return {name: (one["rating"], one["deviation"]) for name, one in initial.items()}


class NoModel(WordedError, TypeError):
    """A forecast, interval or history was asked of a system that has none."""


SOME_DATES = '["2024-01-01", "2024-07-01"]'
ANOTHER_SYSTEM = "choose a dynamic system such as elo"


def refuse_history(system: WholeTable, remedy: str = ANOTHER_SYSTEM) -> NoReturn:
    """Raise NoModel: the system has no changes by game."""
    raise NoModel.of("no_history", hint=remedy, system=system.name)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class WholeTableRatings(Ratings):
    """The ratings of a whole-table system.

    Where the system says how sure it is, there are intervals of probability `level`, about
    `reference` (the number of a player, whose own interval then has no width) if it is given.
    """

    system: WholeTable
    fit: Fit
    anchors: Mapping[int, float]
    priors: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    level: float = 0.95
    reference: int | None = None
    about_mean: bool = False  # the reference is the mean of all

    @property
    def fields(self) -> tuple[str, ...]:
        """See Ratings."""
        return tuple(self.fit.columns)

    @property
    def takes_newcomers(self) -> bool:
        """See Ratings."""
        return self.system.newcomer is not None

    @property
    def figures(self) -> Mapping[str, float]:
        """Numbers of the league as a whole: a fitted advantage, the log-likelihood."""
        return self.fit.figures

    @cached_property
    def columns(self) -> Mapping[str, AnyArray]:
        """The system's columns; low, high and the interval of ranks where it knows them."""
        columns = dict(self.fit.columns)
        sure = self.fit.uncertainty
        if sure is None:
            return columns
        rating = np.asarray(columns[self.fields[0]], dtype=np.float64)
        played = self.game_counts > 0
        if "deviation" in columns:
            columns["deviation"] = np.where(
                played, sure.deviations(self.reference), columns["deviation"]
            )
        low, high = sure.interval(rating, self.level, self.reference)
        if alone := [player for player in self.priors if not played[player]]:
            own = columns["deviation"] = columns["deviation"].copy()
            if self.reference is not None or self.about_mean:
                own[alone] = np.nan  # that of a prior is of the rating, not of a difference
            reach = two_sided_quantile(self.level) * own[alone]
            low[alone], high[alone] = rating[alone] - reach, rating[alone] + reach
        columns |= {"low": low, "high": high}
        if len(rating) <= MOST_COMPARED:
            rating = np.where(played, rating, np.nan)  # who has no game has no rank: 0
            first, last = sure.rank_interval(rating, self.level)
            columns["rank_low"] = np.where(played, first, 0)
            columns["rank_high"] = np.where(played, last - np.count_nonzero(~played), 0)
        return columns

    @property
    def strength(self) -> AnyArray:
        """See Ratings."""
        if self.fit.order is not None:
            return self.fit.order
        first = self.fit.columns[self.fields[0]]
        return -first if self.system.lowest_first else first

    def chances(self, a: LineUp, b: LineUp, side: float, when: float | None = None) -> Chances:
        """See Ratings; raises NoModel for a system that ranks without a model of a game.

        `when` (days since 1970) is the moment of the game where strengths move; None: the day of
        these ratings.
        """
        expect, (one, other) = self._ask_pairs((a, b), when)
        return expect(one, other, side)

    def foresee_scores(self, a: LineUp, b: LineUp, side: float) -> Scores | None:
        """See Ratings."""
        if self.system.scores is None:
            return None
        one, other = self._ask_pairs((a, b), None)[1]
        return self.system.scores(self.p, self.fit, one, other, side)

    def forecast_pairs(
        self,
        sides: Sequence[LineUp],
        first: Ids,
        second: Ids,
        side: Floats | None = None,
        categories: Mapping[str, str] | None = None,
    ) -> tuple[Floats, Floats | None]:
        """See Ratings."""
        expect, players = self._ask_pairs(sides, None)
        a, b = (np.array(players, dtype=np.int64)[one] for one in (first, second))
        asked = np.stack((a, b, np.zeros(len(a)) if side is None else side), axis=1)
        rows, place = np.unique(asked, axis=0, return_inverse=True)
        place = place.ravel()
        (a, b), ahead = rows[:, :2].T.astype(np.int64), rows[:, 2]
        if self.system.chances_of_pairs is not None:
            return self.system.chances_of_pairs(self.p, self.fit, a, b, ahead)[place], None
        known = [expect(*row) for row in zip(a.tolist(), b.tolist(), ahead.tolist(), strict=True)]
        expected = np.array([one.expected for one in known], dtype=np.float64)[place]
        draws = [one.draw for one in known]
        return expected, None if None in draws else np.array(draws, dtype=np.float64)[place]

    def _ask_pairs(
        self, sides: Sequence[LineUp], when: float | None
    ) -> tuple[Callable[[int, int, float], Chances], list[int]]:
        """The chances of a game of two players by number and side, and the player of each side."""
        system = self.system
        if system.chances is None:
            raise NoModel.of("no_model.fit", system=system.name)
        line_ups = [make_line_up(one) for one in sides]
        if any(len(one) > 1 or one[0][1] != 1.0 for one in line_ups):
            raise NoModel.of("not_one_against_one", system=system.name)
        players, known = [int(player) for ((player, _),) in line_ups], len(self.players)
        for player in players:
            if player < known:
                self.refuse_absent(player)
        further, fit = max(players, default=0) + 1 - known, self.fit
        if further > 0 and system.newcomer is not None:
            values = dict(zip(system.columns, system.newcomer(self.p), strict=True))
            columns = {
                name: np.append(column, np.full(further, values[name]))
                for name, column in fit.columns.items()
            }
            fit = replace(fit, columns=columns)
        expect = partial(system.chances, self.p, fit)
        if system.moves:
            day = self.day if when is None else when
            return lambda a, b, side: expect(a, b, side, day), players
        return expect, players

    def refuse_absent(self, player: int) -> None:
        """Raise UnknownPlayer for a player without a game in this part of the table, and prior."""
        if player not in self.priors:
            refuse_absent(self.players, self.game_counts, player)

    def superiority(self, players: Sequence[str] | None = None) -> Floats:
        """The chance that one player is better than another, [k, k] in the order given.

        None takes all players who have played, in the order of the roster (`superiority_table` has
        the names). Raises NoModel where the system does not say how sure it is, UnknownPlayer, and
        Unratable for a player who has a prior and no game.
        """
        sure = self.fit.uncertainty
        if sure is None:
            what = f"{self.system.name} does not say how sure it is"
            raise NoModel.of("no_uncertainty.errors", what=what)
        return compare_players(self, players, sure)

    def superiority_table(self, players: Sequence[str] | None = None) -> ResultTable:
        """`superiority` with names, a row a player; None: all who have played, the best first."""
        return name_superiority(self, players)

    def bootstrap(
        self, count: int = 1000, seed: int = 0, *, blocks: str | None = None, cluster: Any = None
    ) -> WholeTableRatings:
        """The same ratings with the uncertainty of `count` fits to resampled results.

        `blocks` is a column (`facts=`) whose values are resampled in place of single games: voters,
        say, with all their votes. The k-th resampling is drawn by `[seed, k]`, whoever of `cluster`
        computes it (as in `prowess.tune`). Raises NoModel for a system that cannot be resampled,
        Unratable, BadCluster.
        """
        from prowess.engine.cluster.workers import workers_of

        self._refuse_priors("cannot be bootstrapped", "no_bootstrap")
        if self.fit.resampled is None:
            raise NoModel.of("no_bootstrap", system=self.system.name)
        if check_count("count", count) < 2:
            raise Unratable.of("too_few_resamplings", count=count)
        check_count("seed", seed)
        what = "the results" if blocks is None else f"the values of {blocks}"
        if blocks is not None:
            check_text("blocks", blocks, "voter")
            with one_thread:
                draws = self._score_games().resample(
                    count, seed, number_clusters(self.table, blocks)
                )
        else:
            with workers_of(cluster) as workers:
                draws = Draws(self.fit.resampled(count, seed, workers))
        return self._replace_uncertainty(
            draws, f"intervals from {count:,} resamplings of {what}, seed {seed}"
        )

    def _replace_uncertainty(self, sure: Uncertainty, note: str) -> WholeTableRatings:
        """The same ratings, surer or less sure, about their mean where that is the reference."""
        if self.about_mean:
            sure = sure.about_mean(np.flatnonzero(self.game_counts))
        fit = replace(self.fit, uncertainty=sure)
        return replace(self, fit=fit, notes=(*self.notes, note))

    def _refuse_priors(self, what: str, code: str) -> None:
        """Raise NoModel where priors of single players are why something cannot be done."""
        if self.priors:
            raise NoModel(
                f"leave initial (--start) out: beside priors of players {self.system.name} {what}",
                code=code,
            )

    def cluster_errors(self, columns: str | Sequence[str]) -> WholeTableRatings:
        """The same ratings with errors by clusters: games that share a value of a column.

        With several columns, such as voter and prompt, games may share either. The table has to
        keep the columns (`facts=`). A prior counts as an observation of each player. Raises NoModel
        for a system without such errors, Unratable, and Unidentifiable for a column of one value.
        """
        given = [columns] if isinstance(columns, str) else columns
        named: list[str] = check_series("columns", given, '["voter"]')
        if not named:
            raise BadArgument.of("not_a_list.fit", given=given)
        with one_thread:
            scored = self._score_games()
            groups = [number_clusters(self.table, name) for name in named]
            sure = scored.sandwich(groups)
        note = f"errors by {' and '.join(named)}"
        fewest, name = min(
            (len(np.unique(one)), name) for one, name in zip(groups, named, strict=True)
        )
        if fewest < ENOUGH_CLUSTERS:
            note += f", too small for {fewest} values of {name}: an audit of votes allows for that"
        return self._replace_uncertainty(sure, note)

    def _score_games(self) -> ScoredRatings:
        """The scores of the games at these ratings; raises NoModel and Unratable."""
        if self.fit.scored is None:
            raise NoModel.of("no_clusters", system=self.system.name)
        days = self.p.half_life if self.system.has_half_life else 0.0
        found: ScoredRatings = self.fit.scored(age_results(self.table, days, self.day)[0])
        return found

    def __getitem__(self, player: str) -> Standing:
        self.refuse_absent(self.index(player))
        return super().__getitem__(player)

    def histories(self, players: Sequence[int], last: int | None = None) -> tuple[History, ...]:
        """Raise NoModel: the system has no changes by game."""
        return self._without_history()

    def all_games(self) -> ResultTable:
        """Raise NoModel: there are no ratings before each game."""
        return self._without_history()

    def all_histories(self) -> ResultTable:
        """The paths of strengths that move; raises NoModel where nothing moved."""
        return self._path(range(len(self.players)))

    def path(self, player: str, at: Sequence[Any] | None = None) -> ResultTable:
        """See Ratings; the band has the probability `level`, and `at` the beginnings of days.

        All results together made the path, later ones too: it has no game-by-game terms.
        """
        if at is None:
            return self._path([self.index(player)])
        days = [check_day("at", one, end=False) for one in check_series("at", at, SOME_DATES)]
        return self._path([self.index(player)], np.array(days))

    def _path(self, players: Sequence[int], when: Floats | None = None) -> ResultTable:
        path = self.fit.path
        if path is None:
            return self._without_history()
        slices = [path.rows_of(player) for player in players]
        rows = np.concatenate([np.arange(one.start, one.stop, dtype=np.int64) for one in slices])
        who, days = path.player[rows], path.time[rows]
        columns = {name: column[rows] for name, column in path.columns.items()}
        if when is not None:
            self.refuse_absent(players[0])
            who, days = np.full(len(when), players[0]), when
            columns = path.values(players[0], when)
        return self.path_table(who, days, columns, self.level)

    def _without_history(self) -> NoReturn:
        refuse_history(self.system, "ask for path" if self.fit.path else ANOTHER_SYSTEM)

    def summary(self, top: int | None = None, **limits: Any) -> dict[str, Any]:
        """See Ratings; with the league's figures and the level of the intervals."""
        data = super().summary(top, **limits)
        board = data.pop("leaderboard")
        if self.fit.uncertainty is not None:
            data["level"] = self.level
            named = self.reference
            data["reference"] = None if named is None else self.players[named]
        data["figures"] = dict(self.figures)
        return data | {"leaderboard": board}
