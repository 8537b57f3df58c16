"""Backtests: forecasts made only from earlier games, and their scores, in parts too.

A dynamic system forecasts every game before it learns the result, so one run gives all forecasts. A
whole-table system is fitted again and again to all games so far; between two fits the last one
forecasts.

The base rate is the forecast without knowledge of players: the past share of wins of the first
side. A system that does not beat it has learnt nothing.

Slices are the same scores over parts of the games:

    year         of the game
    experience   games that the least experienced of the players had played before
    gap          the expected score of the favourite
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids, Truths
from prowess.engine.fit import fit_table, refuse_table
from prowess.engine.leaderboard import find_player
from prowess.engine.losses import brier, game_losses
from prowess.engine.params import display_settings
from prowess.engine.rate import rate
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.tabular import Columns, Tabular
from prowess.engine.whole_table import WholeTable
from prowess.games.arguments import BadArgument
from prowess.games.errors import WordedError
from prowess.games.reading import format_count
from prowess.games.runs import reduce_runs
from prowess.study import scores
from prowess.study.lineups import check_duels
from prowess.study.scores import base_rate, column_of_entries, weighted_mean

if TYPE_CHECKING:
    from prowess.engine.fit import WholeTableRatings
    from prowess.games.games import Games
    from prowess.study.folds import Folds


WARM_UP_SHARE = 0.2  # of the table: played but not judged, as all players are new there
REFITS_IN_TIME = 40  # of a whole-table system, evenly over the games that are judged


class NoForecast(WordedError, TypeError):
    """The system has no model of a game, so no forecasts to judge."""


@dataclass(frozen=True, eq=False, repr=False)
class Backtest(Tabular):
    """Forecasts of one system, and which of them are judged.

    `expected` has one entry a game (of contests of many: a side, the mean against the field),
    `draw` the chance of a draw where the system gives one (nan where it does not). `judged` says
    which entries count: those after the warm-up that can be forecast. `folds` are those of a
    cross-validation; None: only earlier games were used.
    """

    name: str
    table: Games
    expected: Floats
    judged: Truths
    draw: Floats | None = None
    params: dict[str, Any] = field(default_factory=dict)
    period: str | None = None
    seconds: float = 0.0  # nan: not measured
    notes: tuple[str, ...] = ()
    pair_losses: Floats | None = None  # of contests, the mean log loss of their pairs
    folds: Folds | None = None

    @property
    def headline(self) -> str:
        """The name, and every score."""
        scores = ", ".join(f"{name} {score:.4f}" for name, score in self.scores.items())
        return f"{self.name}, {format_count(self.count, 'forecast')} judged: {scores}"

    def to_columns(self) -> Columns:
        """See Tabular: a row a game (of contests of many: a side), with its forecast."""
        found: dict[str, Any] = {}
        if self.table.duels:
            names = np.array(list(self.table.players), dtype=object)
            found |= {"a": names[self.table.a], "b": names[self.table.b]}
        found |= {"score": self.outcome, "expected": self.expected}
        if self.draw is not None:
            found["draw"] = self.draw
        return found | {"judged": self.judged}

    @cached_property
    def outcome(self) -> Floats:
        """What is forecast: the score, in contests the share of the field beaten."""
        return self.table.outcome

    @cached_property
    def losses(self) -> dict[str, Floats]:
        """Every score of every judged entry, in order of the table, [judged] each."""
        if self.table.pairwise:
            return self.losses_at_hand
        found = scores.order_losses(self.table, np.where(self.judged, self.expected, np.nan))
        return self.losses_at_hand | {
            name: column_of_entries(self.table, column)[self.judged]
            for name, column in found._asdict().items()
        }

    @cached_property
    def losses_at_hand(self) -> dict[str, Floats]:
        """The scores but those of whole orders, which take longer."""
        rows = self.judged
        outcome, expected = self.outcome[rows], self.expected[rows]
        if not self.table.pairwise:
            found = {"brier": brier(outcome, expected)}
            if self.pair_losses is not None:
                found["log_loss_pairs"] = column_of_entries(self.table, self.pair_losses)[rows]
            return found
        return game_losses(outcome, expected, None if self.draw is None else self.draw[rows])

    @cached_property
    def weight(self) -> Floats:
        """The weight of each judged entry."""
        return scores.entry_weight(self.table)[self.judged]

    @cached_property
    def scores(self) -> dict[str, float]:
        """The mean of every score over the judged entries; nan where none is left."""
        found = {name: weighted_mean(loss, self.weight) for name, loss in self.losses.items()}
        if not self.table.pairwise:
            ordered = self.ordered[np.unique(self.table.contest_of_side[self.judged])]
            found["concordance"] = weighted_mean(ordered, np.ones(len(ordered)))
        return found

    @cached_property
    def ordered(self) -> Floats:
        """The share of pairs of sides that the forecast put in order, [contests]; nan if tied."""
        if self.table.pairwise:
            ahead = np.sign(self.expected - 0.5) * np.sign(self.outcome - 0.5)
            return np.where(self.outcome == 0.5, np.nan, 0.5 + 0.5 * ahead)
        return scores.concordance(self.table.place, self.expected, self.table.start)

    @property
    def count(self) -> int:
        """The number of judged entries."""
        return int(self.judged.sum())

    def only(self, rows: Truths) -> Backtest:
        """Return the same forecasts, judged on fewer entries."""
        if rows[self.judged].all():
            return self
        return replace(self, judged=self.judged & rows)


def backtest(
    table: Games,
    system: Dynamic | WholeTable,
    *,
    period: str | None = None,
    params: Mapping[str, Any] | None = None,
    warm_up: float = WARM_UP_SHARE,
    refits: int = REFITS_IN_TIME,
    compiled: bool | None = None,
    anchors: Mapping[str, float] | None = None,
    frozen: str | None = None,
) -> Backtest:
    """Forecast every game of a table from the games before it.

    The first `warm_up` share of the table is played and not judged. A whole-table system is
    fitted `refits` times, its `anchors` held from their first game on. `compiled` None chooses
    by size, as rating does. With `frozen`, a span such as 7d, forecasts of a dynamic system are
    made from the ratings as they stood at its start ("auto": see `periods.choose_span`); a fit is
    not made anew for it. Raises
    NoForecast for a system without a model, ValueError for a warm-up outside [0, 1), and whatever
    rating raises.
    """
    if not 0.0 <= warm_up < 1.0:
        raise BadArgument.of("not_a_share.backtest", warm_up=warm_up)
    begun = perf_counter()
    draw: Floats | None = None
    pair_losses: Floats | None = None
    notes: tuple[str, ...] = ()
    if isinstance(system, Dynamic):
        ratings = rate(
            table,
            system,
            period=period,
            forecasts=True,
            compiled=compiled,
            params=params,
            frozen=frozen,
        )
        assert ratings.forecasts is not None
        expected, draw, p = ratings.forecasts, ratings.draws, ratings.p
        pair_losses = ratings.pair_losses
    else:
        refuse_refits(system, table, period)
        expected, draw, p, notes = _forecast_by_refitting(
            table, system, params, warm_up, refits, anchors or {}
        )
    judged = after_warm_up(table, warm_up) & np.isfinite(expected)
    return Backtest(
        name=system.name,
        params=display_settings(system, p),
        table=table,
        period=period,
        expected=expected,
        draw=draw,
        judged=judged,
        seconds=perf_counter() - begun,
        notes=notes,
        pair_losses=pair_losses,
    )


def base_rate_backtest(games: Games, warm_up: float = WARM_UP_SHARE) -> Backtest:
    """Backtest the base rate, which knows no player: in a contest of n all win with 1 / n."""
    begun = perf_counter()
    pair_losses = None
    if games.pairwise:
        rate_so_far = base_rate(games)
    else:
        even = np.where(np.isnan(games.outcome), np.nan, 0.5)
        rate_so_far = scores.BaseRate(even, np.full(len(even), np.nan))
        pair_losses = np.where(np.diff(games.start) > 1, np.log(2.0), np.nan)
    return Backtest(
        name="base_rate",
        table=games,
        expected=rate_so_far.expected,
        draw=rate_so_far.draw if games.pairwise else None,
        judged=after_warm_up(games, warm_up) & np.isfinite(rate_so_far.expected),
        seconds=perf_counter() - begun,
        pair_losses=pair_losses,
    )


def after_warm_up(table: Games, warm_up: float) -> Truths:
    """Return which entries come after the first share of the games (contests), [entries]."""
    late = np.arange(len(table), dtype=np.int64) >= warm_up * len(table)
    return scores.column_of_entries(table, late)


def _forecast_by_refitting(
    table: Games,
    system: WholeTable,
    params: Mapping[str, Any] | None,
    warm_up: float,
    refits: int,
    anchors: Mapping[str, float],
) -> tuple[Floats, Floats | None, Any, tuple[str, ...]]:
    """Return (expected, chance of a draw, p, notes) of a system refitted to growing tables."""
    if refits < 1:
        raise BadArgument.of("too_few_fits", refits=refits)
    base = base_rate(table)
    expected, draw = base.expected.copy(), base.draw.copy()
    known_draws = False
    p: Any = None
    reason = "there are no games before those that are judged"
    unknown = refused = 0
    cuts = schedule(table, warm_up, refits)
    for first, last in pairwise(cuts):
        try:
            past = table.first(first)
            seen = set(np.unique(np.concatenate((past.a, past.b))).tolist())
            there = {
                name: r for name, r in anchors.items() if find_player(table.players, name) in seen
            }
            ratings = fit_table(past, system, params=params, anchors=there)
        except Unratable as error:
            reason = str(error)
            refused += 1
            unknown += last - first
            continue
        p = ratings.p
        rows = np.arange(first, last, dtype=np.int64)
        known, draws = forecast_from_fit(ratings, table, rows, expected, draw)
        unknown += len(rows) - known
        known_draws = known_draws or draws
    if p is None:
        raise Unratable.of("no_part_fitted.backtest", system=system.name, reason=reason)
    notes = [f"fitted {format_count(len(cuts) - 1 - refused, 'time')}"]
    if refused:
        notes.append(f"refused {format_count(refused, 'time')}; the base rate stands in")
    if unknown:
        notes.append(
            f"{format_count(unknown, 'game')} of players not seen before: the base rate stands in"
        )
    return expected, draw if known_draws else None, p, tuple(notes)


def refuse_refits(system: WholeTable, table: Games, period: str | None) -> None:
    """Raise NoForecast for a system without a model of a game, Unratable for what it cannot fit."""
    if period is not None:
        raise Unratable.of("no_periods.backtest", system=system.name)
    if system.chances is None:
        raise NoForecast.of("no_model.backtest", system=system.name)
    refuse_table(system, table)
    check_duels(table, f"a test of {system.name}")


def forecast_from_fit(
    ratings: WholeTableRatings, table: Games, rows: Ids, expected: Floats, draw: Floats
) -> tuple[int, bool]:
    """Forecast rows of a table in place; those of players without a game stay as they are.

    Returns how many were forecast, and whether with chances of a draw (nan where without).
    """
    side = np.zeros(len(table)) if table.side is None else table.side
    known, draws = 0, False
    for row in rows.tolist():
        a, b = int(table.a[row]), int(table.b[row])
        if not (ratings.game_counts[a] and ratings.game_counts[b]):
            continue
        when = None if table.time is None else float(table.time[row])
        chances = ratings.chances(a, b, float(side[row]), when)
        expected[row] = chances.expected
        draws = draws or chances.draw is not None
        draw[row] = np.nan if chances.draw is None else chances.draw
        known += 1
    return known, draws


def schedule(games: Games, warm_up: float, refits: int) -> list[int]:
    """Return the rows before which to fit, then the end; games of one time stay together."""
    start = max(1, int(np.ceil(warm_up * len(games))))
    wanted = np.linspace(start, len(games), refits + 1)[:-1].astype(np.int64)
    if games.time is not None:
        wanted = games.time.searchsorted(games.time[np.minimum(wanted, len(games) - 1)])
    rows = sorted({int(row) for row in wanted if 0 < row < len(games)})
    return [*rows, len(games)]


SLICES = ("year", "experience", "gap")


EXPERIENCE = (0, 1, 5, 20, 100)  # games from which each class begins


GAPS = (0.5, 0.6, 0.7, 0.8, 0.9)  # expected scores from which each class begins


class Slice(NamedTuple):
    """A part of the judged games."""

    label: str
    judged: int
    scores: dict[str, float]


def slices(test: Backtest, kind: str) -> list[Slice]:
    """Return the scores of a backtest over parts of its judged games, without empty parts.

    Raises Unratable if the table lacks dates or two sides, ValueError for another kind.
    """
    if kind not in SLICES:
        raise BadArgument.of("not_a_choice.backtest", slices=SLICES, kind=kind)
    if kind != "year" and not test.table.pairwise:
        raise Unratable.of("slices_of_contests")
    if kind == "year":
        part, labels = _years(test)
    elif kind == "experience":
        part, labels = _classes(experience(test.table), EXPERIENCE)
    else:
        part, labels = _classes(np.maximum(test.expected, 1.0 - test.expected), GAPS)
    parts = ((label, test.only(part == number)) for number, label in enumerate(labels))
    return [Slice(label, here.count, here.scores) for label, here in parts if here.count]


def experience(games: Games) -> Ids:
    """Return the games that the least experienced player of each game had played before, [n]."""
    who = games.player.astype(np.int64)
    order = np.argsort(who, kind="stable")  # members are in order of play
    chain, entry = who[order], np.arange(len(who), dtype=np.int64)
    first = np.maximum.accumulate(np.where(np.append(True, chain[1:] != chain[:-1]), entry, 0))
    before = np.empty(len(who), dtype=np.int64)
    before[order] = entry - first
    return reduce_runs(np.minimum, before, games.ends[games.start[:-1]])


def _years(test: Backtest) -> tuple[Ids, list[str]]:
    time = test.table.time
    if time is None:
        raise Unratable.of("no_dates.backtest")
    year = time.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    year = column_of_entries(test.table, year)
    known, part = np.unique(year, return_inverse=True)
    return part, [str(one) for one in known.tolist()]


def _classes(value: AnyArray, starts: Sequence[float]) -> tuple[Ids, list[str]]:
    """Return the class of each value and the labels of the classes."""
    part = np.searchsorted(np.array(starts), value, side="right") - 1
    whole = all(isinstance(start, int) for start in starts)
    labels = []
    for low, high in pairwise(starts):
        last = high - 1 if whole else high
        labels.append(f"{low:g}" if last == low else f"{low:g} to {last:g}")
    return part, [*labels, f"{starts[-1]:g} and more"]
