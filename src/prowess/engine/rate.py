"""Rate a table by a dynamic system, and play further games onto ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.engine.game_forecast import (
    AskedGame,
    ask_settings,
    forecast_game,
    forecast_sides,
    foresee_sides,
)
from prowess.engine.inflation import InflationEvent, Lifetimes, Rule
from prowess.engine.losses import ForecastScores
from prowess.engine.params import Bank, settings
from prowess.engine.periods import (
    BY_LABEL,
    SPAN_BY_TABLE,
    Rounds,
    choose_span,
    number_spans,
    parse_period,
    rounds_of,
)
from prowess.engine.places import Performances
from prowess.engine.played import PlayedTable, find_contests
from prowess.engine.rater import Rater, check_finite, refuse_impossible
from prowess.engine.ratings import Ratings
from prowess.engine.replay import empty_forecasts, play
from prowess.engine.state import (
    State,
    display_values,
    displayed_fields,
    displayed_tuple,
    initial_state,
    reach_season,
    weights_of,
)
from prowess.engine.system import Chances, Dynamic, LineUp, Unratable
from prowess.engine.table import (
    assumptions,
    context_note,
    first_and_last,
    idle_advantage,
    join_tables,
    refuse_unratable,
    seat_starters,
    separation_note,
    up_to,
    wild_volatility,
)
from prowess.engine.upcoming import (
    count_roles,
    forecast_pairs,
    sides_with_shared,
    upcoming_sides,
    values_with_shared,
)
from prowess.games.arguments import BadArgument, check_day, check_place, check_series
from prowess.games.games import CATEGORIES, Games
from prowess.games.read import read_games
from prowess.games.totals import PlayerCounts

if TYPE_CHECKING:
    from prowess.engine.steps import History
    from prowess.engine.tabular import ResultTable


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
    frozen: str | None = None  # the span at whose start the forecasts were made

    @property
    def whole(self) -> DynamicRatings:
        """The ratings with those of all members that the system puts beside players."""
        return self

    @cached_property
    def values(self) -> Floats:
        """The ratings now, [players, fields] in the order of `fields`."""
        return display_values(self.system, self.state.mix(now=self.now))

    @property
    def takes_newcomers(self) -> bool:
        """See Ratings."""
        return True

    @property
    def fields(self) -> tuple[str, ...]:
        """See Ratings."""
        return displayed_fields(self.system)

    @cached_property
    def columns(self) -> Mapping[str, AnyArray]:
        """See Ratings."""
        own = {name: self.values[:, k] for k, name in enumerate(self.fields)}
        if self.whole_strength is None:
            return own
        shared = " and ".join(np.array(self.table.roles)[np.array(self.table.role_kinds) == "with"])
        return {f"with {shared}": self.whole_strength[:, 0], **own}

    @cached_property
    def shared_side(self) -> Ids:
        """The side on which each player last stood beside a shared member, [players]; -1: none."""
        return sides_with_shared(self.table)

    @cached_property
    def whole_strength(self) -> Floats | None:
        """See `upcoming.values_with_shared`."""
        return values_with_shared(self) if "with" in self.table.role_kinds else None

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
        row = self.state.mix(slice(index, index + 1), now=self.now)
        return displayed_tuple(self.system, display_values(self.system, row)[0].tolist())

    def chances(
        self, a: LineUp, b: LineUp, side: float, categories: Mapping[str, str] | None = None
    ) -> Chances:
        """See Ratings; with the words of the game's categories, such as its context."""
        state, sides, facts = self.with_members((a, b), side, categories)
        return forecast_game(self.system, state, self.next_moment, sides, side, facts)

    def forecast_pairs(
        self,
        sides: Sequence[LineUp],
        first: Ids,
        second: Ids,
        side: Floats | None = None,
        categories: Mapping[str, str] | None = None,
    ) -> tuple[Floats, Floats | None]:
        """See Ratings; with the words of the games' categories, such as their context."""
        if self.system.prepare is not None:
            return forecast_pairs(self, sides, first, second, side, categories)
        return forecast_sides(self.system, *self.ask_sides(sides), first, second, side)

    def performances(
        self, sides: Sequence[LineUp], categories: Mapping[str, str] | None = None
    ) -> Performances:
        """See Ratings; of games each pair is foreseen with all members of its game."""
        if self.system.prepare is not None and self.table.pairwise:
            return super().performances(sides, categories)
        return foresee_sides(self.system, *self.ask_sides(sides, categories))

    def ask_sides(
        self, sides: Sequence[LineUp], categories: Mapping[str, str] | None = None
    ) -> tuple[list[AskedGame], Floats | None]:
        """The sides of a contest under each setting, and the weights of a bank's settings."""
        state, sides, facts = self.with_members(sides, 0.0, categories)
        asked = list(ask_settings(self.system, state, self.next_moment, sides, 0.0, facts))
        return asked, None if state.logs is None else weights_of(state.logs)

    @property
    def next_moment(self) -> float | None:
        """The system's clock at the next game; None: ratings do not age until then."""
        if self.now is None and self.system.drift is not None and self.system.untimed > 0.0:
            return self.system.untimed  # all were seen at 0
        return self.now

    def with_members(
        self, sides: Sequence[LineUp], side: float, categories: Mapping[str, str] | None
    ) -> tuple[State, Sequence[LineUp], Mapping[str, float] | None]:
        """The state with all members that a game needs, its sides with those that the system adds,
        by their rows of it, and its facts.
        """
        if self.system.prepare is not None:
            return upcoming_sides(self, sides, side, categories)
        return self.state, sides, None

    @property
    def roster(self) -> Games:
        """A table with all members, also those that the system puts beside players."""
        return self.played_table

    def state_of(self, members: Ids, roster: Games) -> State:
        """The state of some members alone, the first of a roster, to which others may be added."""
        state = self.state
        role = None if state.role is None else state.role[members]
        rating, seen = state.rating[members], state.seen[members]
        return replace(state, rating=rating, seen=seen, role=role, room={})

    @cached_property
    def remembered(self) -> Any:
        """What the system knows of the rated games for those to come, see `Dynamic.remember`."""
        return (
            None if self.system.remember is None else self.system.remember(self.asked, self.table)
        )

    def add(self, game: Any, *more: Any, forecasts: bool = False, **columns: Any) -> DynamicRatings:
        """The ratings after further games, bit for bit those of the longer table.

        A game is a row that `read_games` takes, `columns` are its keywords; categories such as
        `context` are those of the table where a dict has its columns. `forecasts` and what is
        raised are those of `prowess.rate_on`. `prowess` takes cut points from its opening: it plays
        all games again at lengths of 125, 250, 500, 1,000 and 2,500 games (below that at every
        fifth), with the first draw and the first larger margin; `notes` then say so.

        >>> import prowess
        >>> r = prowess.rate([("Ann", "Bob", 1)], "elo")
        >>> r = r.add(("Bob", "Ann", 1)).add({"a": "Cid", "b": "Ann", "score": 0.5})
        >>> r.contests, round(r["Cid"].rating)
        (3, 1500)
        """
        self.refuse_without_games()
        held = {one.role: one.columns[0] for one in self.table.reading.columns if one.columns}
        there = game if isinstance(game, Mapping) else ()
        known = {role: held[role] for role in CATEGORIES if held.get(role) in there}
        games = read_games([game, *more], **{**known, **keep_season(columns, self)})
        return rate_on(self, games, forecasts=forecasts)

    def values_after(self, games: Sequence[Games], players: Ids) -> list[Floats | None]:
        """The values of some players, [players, fields], after each of some games, of which none
        follows another; None: that would take too long. Raises what `rate_on` raises.
        """
        return [rate_on(self, one).values[players] for one in games]

    def histories(self, players: Sequence[int], last: int | None = None) -> tuple[History, ...]:
        """See Ratings; from one replay of the table."""
        from prowess.engine.explain import histories

        self.refuse_without_games()
        return histories(self.whole, players, last)

    def path(self, player: str, at: Sequence[Any] | None = None) -> ResultTable:
        """See Ratings; from one replay of the table up to each date in turn."""
        self.refuse_without_games()
        k, table, rounds = self.index(player), self.whole.played_table, self.rounds
        if table.time is None:
            raise BadArgument.of("no_dates.rate")
        if self.rules:
            raise BadArgument.of("rules_of_path")
        if at is None:
            shown = days = np.unique(table.time[find_contests(table, k)])
        else:
            given = check_series("at", at, '["2024-01-01"]')
            days = np.array([check_day("at", one) for one in given], dtype=np.float64)
            shown = np.array([check_day("at", one, end=False) for one in given], dtype=np.float64)
        state = initial_state(self.system, self.p, len(self.whole.players), self.start, table)
        ends = np.maximum.accumulate(table.time)[rounds.contests(table)[1:] - 1]
        values = np.empty((len(days), len(self.fields)))
        done = 0
        for row in np.argsort(days, kind="stable").tolist():
            last = int(ends.searchsorted(days[row], side="right"))
            play(state, table, rounds, span=(done, last))
            done = max(done, last)
            values[row] = self._values_on(state, k, days[row], last)
        columns = {name: values[:, field] for field, name in enumerate(self.fields)}
        return self.path_table(np.full(len(days), k), shown, columns, 0.95)

    def _values_on(self, state: State, player: int, day: float, played: int) -> Floats:
        """The values of a player, as displayed, on a day after so many rounds."""
        table, clock = self.whole.played_table, self.rounds.clock
        state = reach_season(state, table.season, day)
        now = moment(self.system, table, self.rounds, self.period, day)[0]
        if now is not None and clock is not None and self.period == BY_LABEL:
            now = float(clock[max(played - 1, 0)])
        rows = state.mix(slice(player, player + 1), now=now)
        return np.asarray(display_values(self.system, rows)[0], dtype=np.float64)

    def all_histories(self) -> ResultTable:
        """See Ratings."""
        from prowess.engine.explain import all_histories

        self.refuse_without_games()
        return all_histories(self.whole)

    @cached_property
    def forecast_scores(self) -> dict[str, float] | None:
        """How good the forecasts were: the number of games, and the mean of every loss.

        All games that have a forecast count, from the first on (`compare` with `warm_up=0`). None
        where no forecasts were asked for, and for contests of many.

        >>> import prowess
        >>> found = prowess.rate([("Ann", "Bob", 1), ("Bob", "Ann", 0)], "elo", forecasts=True)
        >>> {name: round(value, 4) for name, value in found.forecast_scores.items()}
        {'games': 2, 'log_loss': 0.6492, 'brier': 0.2281, 'accuracy': 0.75}
        """
        scores = None if self.streamed is None else self.streamed.scores
        if scores is None and self.forecasts is not None and self.table.pairwise:
            scores = ForecastScores()
            scores.add(self.table.score, self.forecasts, self.table.weight, self.draws)
        found = {} if scores is None else scores.means()
        return found if found.get("games") else None

    def summary(self, top: int | None = None, **limits: Any) -> dict[str, Any]:
        """See Ratings; with the scores of forecasts, where there are any."""
        found = super().summary(top, **limits)
        scores = self.forecast_scores
        return found if scores is None else {**found, "forecasts": scores}

    @property
    def events(self) -> list[InflationEvent]:
        """What the rules against inflation did, in order of time."""
        return [] if self.population is None else self.population.events

    def all_games(self) -> ResultTable:
        """See Ratings."""
        from prowess.engine.explain import all_games

        self.refuse_without_games()
        return all_games(self.whole)


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
    frozen: str | None = None,
) -> DynamicRatings:
    """Rate a table.

    `period` (`7d`, `1mo`, ..., or `round` for the table's own rounds) judges all games of a
    period by the ratings before it; None rates game by game. `as_of` (days since 1970) leaves
    later games out and ages idle players to that day. `start` gives players other values than
    a newcomer's, by name. `rules` act against inflation between rounds (see `engine.inflation`).
    `compiled` None chooses by size; the numbers are the same. `bank` gives parameters several
    values, `{"k": (8, 16, 32)}`: all combinations are played and mixed (see `engine.bank`).
    `follow` keeps the ratings before and after every game of two players as they are played, where
    they take little memory, so that histories need no replay. `frozen` is a span (see
    `periods.number_spans`) in which forecasts are made from the ratings as they stood at its start,
    or "auto" (see `periods.choose_span`).

    Raises Unratable, BadRounds, BadPeriod, BadSetting, UnknownPlayer.
    """
    p = asked = settings(system, {**(params or {}), **(bank or {})})
    table = up_to(table, as_of)
    if frozen == SPAN_BY_TABLE:  # with a period or rules forecasts are frozen in their own way
        frozen = None if period is not None or rules else choose_span(table, frozen)
    refuse_unratable(system, table)
    table, seated = seat_starters(table, start or {})
    prepared: Games | None = None
    foreseen: Games | None = None
    if system.prepare is not None:
        span = number_spans(table, frozen) if frozen is not None and forecasts else None
        p, prepared, foreseen = system.prepare(p, table, span=span)
    if isinstance(p, Bank) and rules:
        raise Unratable.of("rules_with_bank")
    rater = Rater(
        system, p, period=period, start=start or {}, forecasts=forecasts, compiled=compiled,
        rules=rules, until=as_of, follow=follow, progress=progress, frozen=frozen,
    )  # fmt: skip
    played = rater.play(table, prepared, foreseen)
    rater.finish(played.table.players)
    expected, drawn = played.forecasts, played.draws
    if played.rounds.order is not None:  # forecasts in the order of the table
        place = np.argsort(played.rounds.order)
        expected, drawn = (None if one is None else one[place] for one in (expected, drawn))
    now, day = moment(system, played.table, played.rounds, period, as_of)
    pairwise = played.table.pairwise
    found = DynamicRatings(
        system=system,
        pair_losses=None if pairwise else drawn,
        p=p,
        players=played.table.players,
        state=rater.state,
        game_counts=rater.counts.games,
        last=rater.counts.last,
        table=played.read,
        prepared=None if prepared is None else played.table,
        asked=asked,
        rounds=played.rounds,
        period=period,
        now=now,
        day=day,
        start=rater.given,
        notes=(
            *(() if prepared is None else prepared.notes),
            *separation_note(played.read),
            *run_notes(
                rater.state, played.read, period, rater.contests, first_and_last(played.read.time)
            ),
            *seated,
        ),
        forecasts=expected,
        draws=drawn if pairwise else None,
        rules=tuple(rules),
        population=rater.population,
        frozen=frozen,
    )
    if played.watch is not None:
        vars(found)["watch"] = played.watch  # what the property would replay the table for
    return found


def rate_nothing(
    system: Dynamic, start: Mapping[str, Mapping[str, float]], params: Mapping[str, Any]
) -> DynamicRatings:
    """Ratings of players who have these values, and no games; raises Unratable, BadSetting."""
    p = settings(system, params)
    if system.prepare is not None:
        raise Unratable.of("learns_from_a_table.rate", system=system.name)
    for name, values in start.items():
        refuse_impossible(name, values)
    none, names = np.zeros(0), list(start)
    who = none.astype(np.uint32)
    table = Games(names, who, who, none)
    given = {k: dict(values) for k, values in enumerate(start.values())}
    return DynamicRatings(
        system=system, p=p, asked=p, players=names, table=table, prepared=None, start=given,
        state=initial_state(system, p, len(names), given, table), rounds=Rounds(None, None, None),
        game_counts=np.zeros(len(names), dtype=np.int64), last=None, now=None, day=None,
        rules=(),
    )  # fmt: skip


def rate_on(ratings: DynamicRatings, more: Games, *, forecasts: bool = False) -> DynamicRatings:
    """Play further games onto ratings: the same numbers as rating the whole table at once.

    Only the new games are played, unless the system takes settings from the whole table that are
    others now, which a note says. `forecasts` keeps the forecast before each new game; the games
    before have theirs if they were rated with them, else nan. Raises Unratable for games that are
    earlier than the last one or that belong to a period already closed: rate the whole table again
    for those.
    """
    refuse_unratable(ratings.system, more)
    if ratings.frozen is not None:
        raise Unratable.of("not_continued.frozen")
    if ratings.period == BY_LABEL:
        raise Unratable.of("rounds_not_continued")
    table = join_tables(ratings.table, more)
    rounds = rounds_of(ratings.system, table, ratings.period)
    played = ratings.rounds.count(ratings.table)
    if rounds.order is not None or (
        rounds.bounds is not None
        and not np.array_equal(rounds.bounds[: played + 1], _bounds(ratings.rounds))
    ):
        what = f"these games belong to a period of {ratings.period} that is closed"
        raise Unratable.of("not_continued.state", what=what)
    if ratings.rules:
        raise Unratable.of("rules_not_continued")
    system, p, whole, first = ratings.system, ratings.p, table, played
    if system.prepare is None:
        state = ratings.state.copy()
        state.grow(len(table.players), table)
        if rounds.before is not None:  # newcomers may have facts that changed before
            state.set_facts(rounds.before, (at for at in rounds.before.at if at < played))
    else:  # what it takes from the whole table may be another now
        p, whole, _ = system.prepare(ratings.asked, table)
        rounds = rounds_of(system, whole, ratings.period)
        place = find_members(ratings, p, whole)
        state = initial_state(system, p, len(whole.players), ratings.start, whole)
        if place is None:
            first = 0
        else:
            before = ratings.state.copy()
            state.rating[place], state.seen[place] = before.rating, before.seen
            state.logs, state.common, state.league = before.logs, before.common, before.league
            state.seasons = before.seasons
    again = first < played
    expected = drawn = None
    if forecasts or ratings.forecasts is not None:
        expected, drawn = empty_forecasts(system, whole)
    span = first, rounds.count(whole)
    with np.errstate(all="ignore"):
        play(state, whole, rounds, span=span, forecasts=expected, draws=drawn)
    old = ratings.forecasts, ratings.draws if table.pairwise else ratings.pair_losses
    for column, known in zip((expected, drawn), old, strict=True):
        if column is not None and (not again or ratings.forecasts is None):
            early = len(ratings.table if column is drawn else ratings.table.outcome)
            column[:early] = np.nan if known is None else known
    check_finite(state, whole, rounds, ratings.start)
    counts = PlayerCounts.of(whole)
    now, day = moment(system, whole, rounds, ratings.period, None)
    return replace(
        ratings,
        p=p,
        players=whole.players,
        state=state,
        game_counts=counts.games,
        last=counts.last,
        table=table,
        prepared=None if system.prepare is None else whole,
        rounds=rounds,
        now=now,
        day=day,
        notes=(
            *(note for note in ratings.notes if note in {*map(str, ratings.table.notes)}),
            *(() if system.prepare is None else whole.notes),
            *separation_note(table),
            *run_notes(state, table, ratings.period, len(table), first_and_last(table.time)),
            *[PLAYED_AGAIN] * again,
        ),
        forecasts=expected,
        draws=drawn if table.pairwise else None,
        pair_losses=None if table.pairwise else drawn,
    )


PLAYED_AGAIN = (
    "all games were played again: with the new ones the opening is longer, or they are the first "
    "with a draw, a larger margin or another column"
)


def find_members(ratings: DynamicRatings, p: Any, whole: Games) -> Ids | None:
    """The numbers of all members of the ratings in a longer table that its system prepared.

    None where its settings are others, or where the games of the ratings are not played as they
    were.
    """
    before = ratings.played_table
    if p != ratings.p or before.roles != whole.roles:
        return None
    has, have = count_roles(before), count_roles(whole)
    place = np.concatenate([
        np.arange(count, dtype=np.int64) + start
        for count, start in zip(has, np.cumsum([0, *have[:-1]], dtype=np.int64), strict=True)
    ])  # fmt: skip
    entries, sides, games = len(before.player), len(before.ends), len(before)
    same = np.array_equal(place[before.player], whole.player[:entries])
    same = same and np.array_equal(before.ends, whole.ends[:sides])
    for one, other, count in (
        (before.share, whole.share, entries), (before.side, whole.side, games),
        *((before.facts[name], whole.facts.get(name), games) for name in before.facts),
    ):  # fmt: skip
        if one is None or other is None:
            same = same and one is other
        else:
            same = same and np.array_equal(one, other[:count], equal_nan=True)
    return place if same else None


def keep_season(columns: Mapping[str, Any], ratings: Ratings) -> dict[str, Any]:
    """Keywords of the reader of games that go on from ratings, with the season of these.

    Systems that know no seasons need none.
    """
    season = ratings.table.season if getattr(ratings.system, "season", None) else None
    return dict(columns) if season is None else {"season": season, **columns}


def _bounds(rounds: Rounds) -> Ids:
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


OF_ONE_MOMENT = "all games are of one moment, so ratings depend on the order of the rows"


def run_notes(
    state: State, table: Games, period: str | None, contests: int,
    ends: tuple[float, float] | None, alone: int | None = None,
) -> tuple[str, ...]:  # fmt: skip
    """What a reader of the ratings of a whole run should know: of its table (see `rating_notes`),
    its parameters and the state after it. `ends` are the first and the last moment, if there are.
    """
    at_once = period is None and contests > 1 and ends is not None and ends[0] == ends[1]
    return (
        *rating_notes(state.system, table, period, alone),
        *idle_advantage(state.system, state.p, table),
        *([OF_ONE_MOMENT] if at_once else []),
        *wild_volatility(state.system, state.rating),
        *([state.plain] if state.plain else []),
    )


def rating_notes(
    system: Dynamic, table: Games, period: str | None, alone: int | None = None
) -> tuple[str, ...]:
    """What a reader of the ratings should know and might not expect, as far as it is known without
    a look at every game: a ladder has this of every revision.

    `alone` is the number of contests of a single player, where the table does not have them all.
    """
    context = () if table.role is None else context_note(table)
    notes = [*assumptions(system, table), *context]
    if table.duels:
        if period is None and system.by_period:
            notes.append(
                f"{system.name} game by game; its source rates whole periods (--period 1mo)"
            )
    else:
        if alone is None:
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
