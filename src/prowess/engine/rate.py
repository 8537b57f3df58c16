"""Rate a table by a dynamic system, and play further games onto ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.arguments import check_place, refuse
from prowess.engine.inflation import InflationEvent, Lifetimes, Rule, play_with_rules
from prowess.engine.leaderboard import find_player
from prowess.engine.meetings import PlayedTable
from prowess.engine.params import Bank, settings
from prowess.engine.periods import BY_LABEL, Rounds, parse_period, rounds_of
from prowess.engine.ratings import Ratings
from prowess.engine.replay import empty_forecasts, play
from prowess.engine.state import (
    State,
    display_values,
    displayed_fields,
    displayed_tuple,
    forecast_game,
    initial_state,
    ratings_at,
)
from prowess.engine.system import Chances, Dynamic, LineUp, Unratable, no_finite_rating
from prowess.engine.table import (
    appearances,
    assumptions,
    context_note,
    idle_advantage,
    join_tables,
    refuse_unratable,
    separation_note,
    up_to,
)
from prowess.engine.upcoming import sides_with_shared, upcoming_sides, values_with_shared
from prowess.engine.watch import plays_straight, watch_for
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.steps import History
    from prowess.engine.tabular import ResultTable

    Floats = NDArray[np.float64]

FOLLOWED = 250_000  # games whose ratings before and after are kept as they are played


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DynamicRatings(PlayedTable, Ratings):
    """The ratings of a dynamic system, with what is needed to play on or to look back.

    `forecasts` holds the expected score of the first side before each game (of a table that is not
    pairwise the mean of each side against the field) where they were asked for, `draws` the chance
    of a draw in each game where the system has a model of draws; `pair_losses`, of a table that is
    not pairwise, the mean log loss of the pairs of each contest (nan where it is not known).
    """

    system: Dynamic
    asked: Any = None  # the settings before the system looked at the table
    now: float | None  # the system's clock to which idle players are aged; None: no time
    forecasts: Floats | None = None
    draws: Floats | None = None
    pair_losses: Floats | None = None
    population: Lifetimes | None = None

    @cached_property
    def values(self) -> Floats:
        """The ratings now, [players, fields] in the order of `fields`."""
        values = self.state.mix() if self.now is None else ratings_at(self.state, self.now)
        return display_values(self.system, values)

    @property
    def fields(self) -> tuple[str, ...]:
        """See Ratings."""
        return displayed_fields(self.system)

    @cached_property
    def columns(self) -> Mapping[str, NDArray[Any]]:
        """See Ratings."""
        own = {name: self.values[:, k] for k, name in enumerate(self.fields)}
        if self.whole_strength is None:
            return own
        shared = " and ".join(np.array(self.table.roles)[np.array(self.table.role_kinds) == "with"])
        return {f"with {shared}": self.whole_strength[:, 0], **own}

    @cached_property
    def shared_side(self) -> NDArray[np.int64]:
        """The side on which each player last stood beside a shared member, [players]; -1: none."""
        return sides_with_shared(self.table)

    @cached_property
    def whole_strength(self) -> Floats | None:
        """See `upcoming.values_with_shared`."""
        return values_with_shared(self)

    @property
    def rank_deviation(self) -> Floats | None:
        """See Ratings."""
        return super().rank_deviation if self.whole_strength is None else self.whole_strength[:, 1]

    def value(self, index: int) -> Any:
        """All values of one player as the system's own tuple; raises BadArgument."""
        index = check_place("index", index, len(self.players))
        if self.now is None or "values" in self.__dict__:
            return displayed_tuple(self.system, self.values[index].tolist())
        # the others need not age
        row = ratings_at(self.state, self.now, slice(index, index + 1))
        return displayed_tuple(self.system, display_values(self.system, row)[0].tolist())

    def chances(
        self, a: LineUp, b: LineUp, side: float, categories: Mapping[str, str] | None = None
    ) -> Chances:
        """See Ratings; with the words of the game's categories, such as its context."""
        sides, facts = (a, b), None
        if self.system.prepare is not None:
            sides, facts = upcoming_sides(self, sides, side, categories)
        elif categories:
            raise refuse(f"leave out {' and '.join(categories)}", f"{self.system.name} has no use")
        return forecast_game(self.system, self.state, self.now, sides, side, facts)

    def histories(self, players: Sequence[int]) -> tuple[History, ...]:
        """See Ratings; from one replay of the table."""
        from prowess.engine.explain import histories

        return histories(self, players)

    def all_histories(self) -> ResultTable:
        """See Ratings."""
        from prowess.engine.histories import all_histories

        return all_histories(self)

    @property
    def events(self) -> list[InflationEvent]:
        """What the rules against inflation did, in order of time."""
        return [] if self.population is None else self.population.events

    def all_games(self) -> ResultTable:
        """See Ratings."""
        from prowess.engine.game_table import all_games

        return all_games(self)


def rate(
    table: Games,
    system: Dynamic,
    *,
    period: str | None = None,
    as_of: float | None = None,
    start: Mapping[str, Mapping[str, float]] | None = None,
    rules: Sequence[Rule] = (),
    forecasts: bool = False,
    compiled: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
    params: Mapping[str, Any] | None = None,
    bank: Mapping[str, Sequence[Any]] | None = None,
    follow: bool = False,
) -> DynamicRatings:
    """Rate a table.

    `period` (`7d`, `1mo`, ..., or `round` for the table's own rounds) judges all games of a
    period by the ratings before it; None rates game by game. `as_of` (days since 1970) leaves
    later games out and ages idle players to that day. `start` gives players other values than
    a newcomer's, by name. `rules` act against inflation between rounds (see `engine.inflation`).
    `compiled` None chooses by size; the numbers are the same. `bank` gives parameters several
    values, `{"k": (8, 16, 32)}`: all combinations are played and mixed (see `engine.bank`).
    `follow` keeps the ratings before and after every game of two players as they are played, where
    they take little memory, so that histories need no replay.

    Raises Unratable, BadRounds, BadPeriod, BadSetting, UnknownPlayer.
    """
    p = asked = settings(system, {**(params or {}), **(bank or {})})
    table = up_to(table, as_of)
    refuse_unratable(system, table)
    read, prepared = table, None
    if system.prepare is not None:
        p, prepared = system.prepare(p, table)
        table = prepared
    if isinstance(p, Bank) and rules:
        raise Unratable(
            "give one value each, or name another system, such as elo: rules against inflation "
            "do not act on a bank"
        )
    games, last = appearances(table)
    rounds = rounds_of(system, table, period)
    if rounds.order is not None:
        table = read = table.select(rounds.order)
    given = {
        find_player(table.players, name): dict(values) for name, values in (start or {}).items()
    }
    for player, values in given.items():
        _refuse_impossible(table.players[player], values)
    state = initial_state(system, p, len(table.players), given, table)
    expected, drawn = empty_forecasts(system, table, forecasts)
    population = Lifetimes() if rules else None
    options: dict[str, Any] = {"forecasts": expected, "draws": drawn}
    options |= {"compiled": compiled, "progress": progress}
    watch = None
    if follow and not rules and len(table) <= FOLLOWED and plays_straight(system, p, table):
        watch = options["watch"] = watch_for(system, p, table, follow=True)
    with np.errstate(all="ignore"):  # a rating that is not finite is reported below, by name
        if population is None:
            play(state, table, rounds, **options)
        else:
            play_with_rules(state, population, rules, table, rounds, until=as_of, **options)
    if not np.isfinite(state.rating).all():
        raise _lost_numbers(state, table, rounds, given, rules)
    if rounds.order is not None:  # forecasts in the order of the table
        place = np.argsort(rounds.order)
        expected, drawn = (None if one is None else one[place] for one in (expected, drawn))
    now, day = moment(system, table, rounds, period, as_of)
    pair_losses = None if table.pairwise else drawn
    found = DynamicRatings(
        system=system,
        pair_losses=pair_losses,
        p=p,
        players=table.players,
        state=state,
        game_counts=games,
        last=last,
        table=read,
        prepared=prepared,
        asked=asked,
        rounds=rounds,
        period=period,
        now=now,
        day=day,
        start=given,
        notes=(
            *(() if prepared is None else prepared.notes),
            *rating_notes(system, read, period),
            *idle_advantage(system, p, read),
        ),
        forecasts=expected,
        draws=drawn if table.pairwise else None,
        rules=tuple(rules),
        population=population,
    )
    if watch is not None:
        vars(found)["watch"] = watch  # what the property would replay the table for
    return found


def rate_on(ratings: DynamicRatings, more: Games, *, forecasts: bool = False) -> DynamicRatings:
    """Play further games onto ratings: the same numbers as rating the whole table at once.

    Only the new games are played, except by a system that takes its settings from the whole table.
    `forecasts` keeps the forecast before each new game; the games before have theirs if they were
    rated with them, else nan. Raises Unratable for games that are earlier than the last one or that
    belong to a period already closed: rate the whole table again for those.
    """
    refuse_unratable(ratings.system, more)
    if ratings.period == BY_LABEL:
        raise Unratable("rate the whole table again: labels do not say whether a round goes on")
    table = join_tables(ratings.table, more)
    rounds = rounds_of(ratings.system, table, ratings.period)
    played = ratings.rounds.count(ratings.table)
    if rounds.order is not None or (
        rounds.bounds is not None
        and not np.array_equal(rounds.bounds[: played + 1], _bounds(ratings.rounds))
    ):
        what = f"these games belong to a {ratings.period} that is already closed"
        raise Unratable(f"rate the whole table again: {what}")
    if ratings.rules:
        raise Unratable("rate the whole table again: these ratings have rules")
    system, p, whole, first = ratings.system, ratings.p, table, played
    if system.prepare is None:
        state = ratings.state.copy().with_players(len(table.players), table)
    else:  # its settings depend on the whole table, which is played again
        p, whole = system.prepare(ratings.asked, table)
        rounds, first = rounds_of(system, whole, ratings.period), 0
        state = initial_state(system, p, len(whole.players), ratings.start, whole)
    expected, drawn = empty_forecasts(system, whole, forecasts or ratings.forecasts is not None)
    span = first, rounds.count(whole)
    with np.errstate(all="ignore"):
        play(state, whole, rounds, span=span, forecasts=expected, draws=drawn)
    old = ratings.forecasts, ratings.draws if table.pairwise else ratings.pair_losses
    for column, known in zip((expected, drawn), old, strict=True):
        if column is not None and (system.prepare is None or ratings.forecasts is None):
            early = len(ratings.table if column is drawn else ratings.table.outcome)
            column[:early] = np.nan if known is None else known
    if not np.isfinite(state.rating).all():
        raise _lost_numbers(state, whole, rounds, ratings.start)
    games, last = appearances(whole)
    now, day = moment(system, whole, rounds, ratings.period, None)
    return replace(
        ratings,
        p=p,
        players=whole.players,
        state=state,
        game_counts=games,
        last=last,
        table=table,
        prepared=None if system.prepare is None else whole,
        rounds=rounds,
        now=now,
        day=day,
        forecasts=expected,
        draws=drawn if table.pairwise else None,
        pair_losses=None if table.pairwise else drawn,
    )


def _bounds(rounds: Rounds) -> NDArray[np.int64]:
    assert rounds.bounds is not None
    return rounds.bounds


def moment(
    system: Dynamic,
    table: Games,
    rounds: Rounds,
    period: str | None,
    as_of: float | None,
) -> tuple[float | None, float | None]:
    """The moment to which idle players are aged, on the system's clock and in days."""
    day = as_of if as_of is not None or table.time is None else float(table.time.max())
    if rounds.clock is None or not len(rounds.clock):
        return None, day
    if day is None or (period == BY_LABEL and system.follows_period):
        return float(rounds.clock[-1]), day
    if period is not None and period != BY_LABEL and system.follows_period:
        return float(parse_period(period).number(np.array([day]))[0]), day
    return day / parse_period(system.clock).days, day


def rating_notes(system: Dynamic, table: Games, period: str | None) -> tuple[str, ...]:
    """What a reader of the ratings should know and might not expect."""
    context = () if table.role is None else context_note(table)
    notes = [*assumptions(system, table), *separation_note(table), *context]
    if table.duels:
        if period is None and system.by_period:
            notes.append(
                f"{system.name} game by game; its source rates whole periods (--period 1mo)"
            )
    else:
        alone = int((np.diff(table.start) == 1).sum())
        if alone:
            notes.append(f"contests of a single player, which are not rated: {alone:,}")
    if system.drift is not None and system.prepare is None:  # else its own note speaks of dates
        if period is not None and system.follows_period:
            unit = "a round of the table" if period == BY_LABEL else f"the rating period, {period}"
        else:
            unit = parse_period(system.clock).words
            if table.time is None:
                unit += ", and the table has no dates: no time passes"
        notes.append(f"the unit of time of {system.name} is {unit}")
    return tuple(notes)


SPREADS = ("deviation", "volatility")  # above 0
COUNTS = ("k", "games", "wins", "losses", "times", "waited")  # 0 or more


def _refuse_impossible(name: str, values: Mapping[str, float]) -> None:
    """Raise Unratable, naming the player, for a start that no player can have."""
    if not np.isfinite(list(values.values())).all():
        raise Unratable(f"start {name!r} with finite numbers, not {values}")
    for part, value in values.items():
        if part in SPREADS and value <= 0.0:
            raise Unratable(f"start {name!r} with a {part} above 0, not {value:g}")
        if part in COUNTS and value < 0.0:
            raise Unratable(f"start {name!r} with a {part} of 0 or more, not {value:g}")


def _lost_numbers(
    state: State,
    table: Games,
    rounds: Rounds,
    start: Mapping[int, Mapping[str, float]],
    rules: Sequence[Rule] = (),
) -> Unratable:
    """The error for a rating that is no longer a finite number; it names player and game.

    With rules the game is not looked for: what they did between games would have to be replayed.
    """
    system, finite = state.system, np.isfinite(state.rating).all(axis=1)
    low, high = 0, rounds.count(table)
    while high - low > 1 and not rules:  # the first round after which a number is lost, by halving
        middle = (low + high) // 2
        trial = initial_state(system, state.p, len(state.rating), start, table)
        with np.errstate(all="ignore"):
            play(trial, table, rounds, span=(0, middle))
        if np.isfinite(trial.rating).all():
            low = middle
        else:
            high = middle
            finite = np.isfinite(trial.rating).all(axis=1)
    name = table.players[int(np.flatnonzero(~finite)[0])]
    unit = table.unit if rounds.bounds is None or not table.pairwise else "round"
    when = f" after {unit} {high}" if not rules else ""
    return no_finite_rating(system, name, when)
