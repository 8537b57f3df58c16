"""Stack systems: mix their forecasts on the log-odds scale, the weights learnt game by game.

Every member forecasts each game from earlier games (`study.backtest`). Two banks of online logistic
regressions (`study.log_odds`) mix these forecasts, E_i the expected score and D_i the chance of a
draw of member i, h the side advantage (+1, -1 or 0), D_0 the chance of a draw by the base rate:

    decisive game    log odds of a win    = a h + sum_i w_i logit E_i
    draw             log odds of a draw   = b + c ln(4 q (1 - q)) / 2 + v_0 logit D_0
                                            + sum_i v_i logit D_i,   q the chance of a win above
    both             P(win) = (1 - D) q,  P(loss) = (1 - D) (1 - q)

At the start w_i = 1/m, the plain average of log odds (a logarithmic opinion pool), c = 1 (the form
of Davidson's model of draws), a = b = 0, and half of the weight of draws is on the base rate, half
on the members with a model of draws. The variances of w_i and v_i are in the same proportion, so
one system named twice gives the same forecasts as named once. The log loss of win, draw and loss
is the sum of the log losses of the two banks, so the bounds of `log_odds` are about that score. A
score between 0 and 1 other than 1/2 counts as that share of a win in a decisive game.

The forecast is the mean of these chances and of those of every member alone, each weighted by the
likelihood that it has gathered (below), at first one half for the former and the other
half for the members. So the total log loss of win, draw and loss is at most ln(2 m) above that of
any member; members without a model of draws are completed by the chances above.

In contests of n > 2 sides E_i is the mean chance of a side against the others, and the first bank
mixes these on what happened, the share of the others that the side beat. All sides of a contest are
forecast before the first is learnt. A side counts as 3 (n - 1) / (2 (n + 1)) games, for the n sides
together what the n (n - 1) / 2 games between them are worth: each pair shares the days of its two
sides with the other pairs, so it counts 3 / (n + 1).

The forecast of a game uses the games before it only; games of one moment are taken in the order of
the table, as by rating systems. A member without a forecast of a game is given the mean of the
others' log odds.

Sources: R. Ranjan and T. Gneiting, "Combining probability forecasts", J. R. Statist. Soc. B 72
(2010): a mean of calibrated forecasts is underconfident, so a mixture must be recalibrated; C.
Genest and J. V. Zidek, "Combining probability distributions", Statistical Science 1 (1986), for
logarithmic pools; R. R. Davidson, J. Amer. Stat. Assoc. 65 (1970).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.fit import fit_table
from prowess.engine.losses import outcome_chances
from prowess.engine.rate import rate
from prowess.engine.ratings import Forecast, check_side
from prowess.engine.system import Chances, Dynamic, Unratable
from prowess.engine.tabular import Columns, Tabular
from prowess.games.arguments import BadArgument, check_series
from prowess.games.dates import format_date
from prowess.games.games import side_name
from prowess.games.runs import reduce_runs, repeat_rows
from prowess.study.backtest import Backtest
from prowess.study.lineups import names_in
from prowess.study.log_odds import LOG_ODDS_MARGIN, LogOddsBank, log_odds
from prowess.study.scores import base_rate, base_rate_after, column_of_entries, entry_weight

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games
    from prowess.study.judging import Selection


STACK_NAME = "stack"
MIN_OUTCOME_CHANCE = 1e-12


class MemberWeight(NamedTuple):
    """The weight of one member after the last game, with its standard deviation.

    `draw` is its weight among the chances of a draw, None if it forecasts no draws; `alone` is the
    share of its own forecast in the mean.
    """

    name: str
    weight: float
    deviation: float
    draw: float | None
    draw_deviation: float | None
    alone: float


@dataclass(frozen=True, eq=False, repr=False)
class Stack(Tabular):
    """A stack after the last game of its table: its backtest, and the state that forecasts on."""

    test: Backtest
    members: tuple[Backtest, ...]
    decisive: LogOddsBank
    draws: LogOddsBank | None  # None in contests of many sides
    shares: Floats  # in the mean: of the banks, then of each member alone

    @property
    def terms(self) -> dict[str, float]:
        """The share of the banks in the mean, and a, b, c and v_0 of the formulas above."""
        names = ("side_advantage", "draw_constant", "draw_evenness", "draw_base_rate")
        weights = []
        if self.draws is not None:
            weights = [self.decisive.weights[0], *self.draws.weights[:3]]
        return {"mixed": float(self.shares[0])} | {
            name: float(weight) for name, weight in zip(names, weights, strict=False)
        }

    def weights(self) -> list[MemberWeight]:
        """Return the weight of each member, in their order; they need not add up to 1."""
        found = []
        of_draws = iter(() if self.draws is None else _pairs(self.draws, 3))
        alone = self.shares[1:].tolist()
        of_wins = _pairs(self.decisive, 1)
        for member, of_win, share in zip(self.members, of_wins, alone, strict=True):
            known = self.draws is not None and member.draw is not None
            draw, deviation = next(of_draws) if known else (None, None)
            found.append(MemberWeight(member.name, *of_win, draw, deviation, share))
        return found

    def to_columns(self) -> Columns:
        """See Tabular: a row a member, with its weights."""
        found = self.weights()
        return {name: [getattr(one, name) for one in found] for name in MemberWeight._fields}

    @property
    def headline(self) -> str:
        """The scores of the mixture."""
        return self.test.headline

    def forecast(self, chances: Sequence[Chances], side: float = 0.0) -> Chances:
        """Mix what the members, in their order, forecast of a game after the last of the table.

        `side` is +1 when the first player has the side advantage, -1 when the second. Raises
        BadArgument for anything else, Unratable for a stack of contests of many sides.
        """
        if self.draws is None:
            raise Unratable.of("contests_not_taken.stack")
        chances, side = check_series("chances", chances, "[Chances(0.6)]"), check_side(side)
        if len(chances) != len(self.members):
            raise BadArgument.of(
                "not_that_many_forecasts", members=len(self.members), chances=len(chances)
            )
        if wrong := [one for one in chances if not isinstance(one, Chances | Forecast)]:
            raise BadArgument.of("not_a_forecast", given=wrong[0])
        expected = np.array([[one.expected] for one in chances])
        draws = np.array([[np.nan if one.draw is None else one.draw] for one in chances])
        of_draws = draws[[member.draw is not None for member in self.members]]
        _, base = base_rate_after(self.test.table, side)
        win = self.decisive.forecast(_decisive_features(np.array([side]), expected)[0])
        features = _draw_features(np.array([win]), np.array([base]), of_draws)
        draw = self.draws.forecast(features[0])
        every = _candidates(np.array([win]), np.array([draw]), expected, draws)
        win, draw, _ = (self.shares @ every[:, 0]).tolist()
        return Chances(win, draw)


def stack(members: Sequence[Backtest]) -> Stack:
    """Mix the forecasts of several backtests of one table, each game from the games before it.

    The judged entries of the stack are those that every member forecasts. Raises ValueError without
    members or for members of different tables.

    >>> from prowess.study.backtest import backtest
    >>> from prowess.study.simulation.league import simulate
    >>> from prowess.study.simulation.settings import league_settings
    >>> from prowess.systems.catalogue import find
    >>> games = simulate(league_settings(players=20, games=2000), seed=1).games
    >>> found = stack([backtest(games, find(name)) for name in ("elo", "glicko")])
    >>> [one.name for one in found.weights()], found.test.scores["log_loss"] < 0.69
    (['elo', 'glicko'], True)
    """
    if not members:
        raise BadArgument.of("no_systems.stack")
    table = members[0].table
    if any(member.table is not table for member in members):
        raise BadArgument.of("tables_differ.stack")
    begun = perf_counter()
    count = len(members)
    decisive = LogOddsBank(
        np.append(0.0, np.full(count, 1.0 / count)), np.append(1.0, np.full(count, 1.0 / count))
    )
    mix = _mix_games if table.pairwise else _mix_contests
    expected, draw, draws, shares = mix(members, decisive)
    test = replace(
        members[0],
        name=STACK_NAME,
        params={},
        period=None,
        expected=expected,
        draw=draw,
        judged=np.logical_and.reduce([member.judged for member in members]),
        seconds=perf_counter() - begun + sum(member.seconds for member in members),
        notes=(),
    )
    return Stack(test, tuple(members), decisive, draws, shares)


class _Mixed(NamedTuple):
    """Expected scores and chances of a draw, the bank that forecasts draws, and final shares."""

    expected: Floats
    draw: Floats | None
    draws: LogOddsBank | None
    shares: Floats


def _mix_games(members: Sequence[Backtest], decisive: LogOddsBank) -> _Mixed:
    """Mix forecasts of games of two sides."""
    table = members[0].table
    side = np.zeros(len(table)) if table.side is None else table.side
    weight = entry_weight(table)
    drawn = table.score == 0.5
    expected = np.stack([member.expected for member in members])
    known = [member.draw for member in members if member.draw is not None]
    win = decisive.play(
        _decisive_features(side, expected), table.score, np.where(drawn, 0.0, weight)
    )
    parts = np.append(0.5, np.full(len(known), 0.5 / len(known))) if known else np.ones(1)
    draws = LogOddsBank(np.append([0.0, 1.0], parts), np.append([1.0, 1.0], parts))
    features = _draw_features(win, base_rate(table).draw, np.reshape(known, (-1, len(table))))
    draw = draws.play(features, drawn.astype(np.float64), weight)
    silent = np.full(len(table), np.nan)
    of_members = [silent if member.draw is None else member.draw for member in members]
    every = _candidates(win, draw, expected, np.stack(of_members))
    shares, last = likelihood_shares(
        _prior(len(members)),
        weight * log_chance_of_results(every, table.score),
        np.arange(len(table) + 1, dtype=np.int64),
    )
    win, draw, _ = (shares[:, :, None] * every).sum(axis=0).T
    return _Mixed(win + 0.5 * draw, draw, draws, last)


def _mix_contests(members: Sequence[Backtest], decisive: LogOddsBank) -> _Mixed:
    """Mix forecasts of contests of many sides."""
    table = members[0].table
    sides = np.diff(table.start)[table.contest_of_side]
    games = sides * entry_weight(table) * 1.5 * (sides - 1.0) / (sides + 1.0)
    expected = np.stack([member.expected for member in members])
    known = np.isfinite(table.outcome)
    beaten, games = np.where(known, table.outcome, 0.5), np.where(known, games, 0.0)
    features = _decisive_features(np.zeros(len(sides)), expected)
    mixed = decisive.play(features, beaten, games, table.start)
    every = np.vstack([mixed, np.where(np.isfinite(expected), expected, mixed)])
    every = np.clip(every, LOG_ODDS_MARGIN, 1.0 - LOG_ODDS_MARGIN)
    log_chance = beaten * np.log(every) + (1.0 - beaten) * np.log1p(-every)
    shares, last = likelihood_shares(_prior(len(members)), games * log_chance, table.start)
    return _Mixed((shares * every).sum(axis=0), None, None, last)


def _prior(members: int) -> Floats:
    """Return the first shares: one half for the banks, the other for the members."""
    return np.append(0.5, np.full(members, 0.5 / members))


def _candidates(win: Floats, draw: Floats, expected: Floats, draws: Floats) -> Floats:
    """Return chances of win, draw and loss by the banks and each member, [1 + members, games, 3].

    `win` [games] is the chance of a win if decisive by the banks, `expected` and `draws` are
    [members, games].
    """
    mixed = np.stack([(1.0 - draw) * win, draw, (1.0 - draw) * (1.0 - win)], axis=1)
    mixed = np.maximum(mixed, MIN_OUTCOME_CHANCE)
    return np.concatenate([mixed[None], chances_of_members(mixed, expected, draws)])


def _pairs(bank: LogOddsBank, first: int) -> zip[tuple[float, float]]:
    """Return weight and deviation of the features from one on."""
    return zip(bank.weights[first:].tolist(), bank.deviations[first:].tolist(), strict=True)


def _decisive_features(side: Floats, expected: Floats) -> Floats:
    """Return the features of a win if decisive, [games, 1 + members], of forecasts by member."""
    odds = log_odds(expected)
    known = np.isfinite(odds)
    others = np.where(known, odds, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.column_stack([side, np.where(known, odds, others).T])


def _draw_features(win: Floats, base: Floats, draws: Floats) -> Floats:
    """Return the features of a draw, [games, 3 + members], of chances of a draw by member."""
    held = np.clip(win, LOG_ODDS_MARGIN, 1.0 - LOG_ODDS_MARGIN)
    even = 0.5 * np.log(4.0 * held * (1.0 - held))
    known = np.where(np.isfinite(draws), draws, base)
    return np.column_stack([np.ones(len(win)), even, log_odds(base), log_odds(known).T])


def forecast_by_members(
    table: Games, selections: Sequence[Selection], a: str, b: str, side: float = 0.0
) -> list[Chances]:
    """Rate a table by each selection, and return their forecasts of a further game of a against b.

    a and b are players or line-ups such as `Ann & Bob`. Raises UnknownPlayer, NoModel, and
    whatever rating raises.
    """
    sides = [names_in(table.players, one) for one in (a, b)]
    first, second = (names[0] if len(names) == 1 else names for names in sides)
    found = []
    for one in selections:
        ratings: Ratings = (
            rate(table, one.system, period=one.period, params=one.params)
            if isinstance(one.system, Dynamic)
            else fit_table(table, one.system, params=one.params)
        )
        forecast = ratings.forecast(first, second, side)
        win = forecast.expected if forecast.win is None else forecast.win
        found.append(Chances(win, forecast.draw))
    return found


def forecast_rows(found: Stack) -> Iterator[list[Any]]:
    """Yield a header, then a row a game or side: the forecasts of the stack and of its members."""
    test, table = found.test, found.test.table
    contest = column_of_entries(table, np.arange(len(table), dtype=np.int64))
    columns: dict[str, Any] = {}
    if table.time is not None:
        columns["date"] = map(format_date, table.time[contest].tolist())
    if table.pairwise:
        columns["player_a"] = (side_name(table, side) for side in range(0, 2 * len(table), 2))
        columns["player_b"] = (side_name(table, side) for side in range(1, 2 * len(table), 2))
    else:
        columns["contest"] = (contest + 1).tolist()
        columns["player"] = (side_name(table, side) for side in range(len(contest)))
    columns["score" if table.pairwise else "beaten"] = test.outcome.tolist()
    columns["judged"] = test.judged.astype(np.int64).tolist()
    columns["expected"] = test.expected.tolist()
    if test.draw is not None:
        chances = outcome_chances(test.expected, test.draw).T.tolist()
        columns |= zip(("win", "draw", "loss"), chances, strict=True)
    columns |= {f"expected by {one.name}": one.expected.tolist() for one in found.members}
    yield list(columns)
    yield from map(list, zip(*columns.values(), strict=True))


# --- the mixture ----------------------------------------------------------------------------------
#
# Mix forecasts by the likelihood that each has gathered, so that none is far ahead of the mixture.
#
# A forecast counts with the chance that it gave to all results before, times its prior share. The
# total log loss of the mixture is therefore at most ln(1 / prior share) above that of each forecast
# (V. Vovk, "Aggregating strategies", COLT 1990).
#
# A forecaster without a model of draws is completed: of the forecasts with its expected score E the
# one whose draws are as frequent as those of another forecast, in the sense of Davidson's model
# (R. R. Davidson, J. Amer. Stat. Assoc. 65, 1970),
#
#     P(win) : P(draw) : P(loss) = e^x : 2 k : e^-x,    k = P(draw) / (2 sqrt(P(win) P(loss)))
#     x = artanh e + arsinh(e k / sqrt(1 - e^2)),       e = 2 E - 1
#
# with k of the other forecast.


def likelihood_shares(prior: Floats, log_chance: Floats, start: Ids) -> tuple[Floats, Floats]:
    """Return the share of each forecast before every entry, [forecasts, entries], and at the end.

    `log_chance` [forecasts, entries] is the log of the chance that was given to what happened.
    `start` are the bounds of groups of entries, which are all forecast before any is known.
    """
    groups = reduce_runs(np.add, log_chance, start[:-1], axis=1)
    total = np.cumsum(np.column_stack([np.log(prior), groups]), axis=1, dtype=np.float64)
    share = np.exp(total - total.max(axis=0))
    share /= share.sum(axis=0)
    return repeat_rows(share[:, :-1], np.diff(start), axis=1), share[:, -1]


def chances_of_members(mixed: Floats, expected: Floats, draw: Floats) -> Floats:
    """Return chances of win, draw and loss by each member, [members, games, 3].

    `mixed` [games, 3] completes members without draws, `expected` and `draw` are [members, games],
    nan where a member says nothing; without an expected score the chances are those of `mixed`.
    """
    win, even, loss = mixed.T
    k = even / (2.0 * np.sqrt(win * loss))
    held = np.clip(expected, LOG_ODDS_MARGIN, 1.0 - LOG_ODDS_MARGIN)
    e = 2.0 * held - 1.0
    x = np.arctanh(e) + np.arcsinh(e * k / np.sqrt(1.0 - e * e))
    completed = np.stack([np.exp(x), np.broadcast_to(2.0 * k, x.shape), np.exp(-x)], axis=2)
    own = np.stack([outcome_chances(*one) for one in zip(held, draw, strict=True)])
    found = np.where(np.isfinite(draw)[:, :, None], np.maximum(own, LOG_ODDS_MARGIN), completed)
    found = np.where(np.isfinite(expected)[:, :, None], found, mixed)
    chances: Floats = found / found.sum(axis=2, keepdims=True)
    return chances


def log_chance_of_results(chances: Floats, score: Floats) -> Floats:
    """Return the log of the chance of each result, [..., games], of chances [..., games, 3].

    A score other than 1, 1/2 and 0 counts as that share of a win in a game without a draw.
    """
    win, draw, loss = (chances[..., outcome] for outcome in range(3))
    decided = score * np.log(win) + (1.0 - score) * np.log(loss)
    found: Floats = np.where(score == 0.5, np.log(draw), decided)
    return found
