"""Play a table piece by piece onto a state that grows with its players.

Ratings, forecasts and chances of draws are those of the whole table to the last bit, wherever it is
cut. A whole table is a stream of one piece: `prowess.engine.rate` plays it through the same lines.

Rows of a rating period that may go on in the next piece of a stream are kept until it is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.compile.worth import part_of
from prowess.engine.inflation import Lifetimes, Rule, play_with_rules
from prowess.engine.leaderboard import find_player
from prowess.engine.losses import ForecastScores
from prowess.engine.periods import (
    BY_LABEL,
    BadRounds,
    Rounds,
    meet_again,
    number_spans,
    parse_period,
    rounds_of,
    runs_of,
)
from prowess.engine.replay import empty_forecasts, forecast_frozen, play, separate_members
from prowess.engine.run import Watch, uses_duel_loops, watch_for
from prowess.engine.state import State, initial_state, number_roles
from prowess.engine.system import Dynamic, Unratable, no_finite_rating
from prowess.engine.table import count_pairs, join_columns, refuse_unratable
from prowess.games.dates import format_date
from prowess.games.games import PLAYER, Games
from prowess.games.names import Roster
from prowess.games.reading import list_some
from prowess.games.runs import repeat_rows
from prowess.games.totals import Ends, PlayerCounts, widen_ends


class HeldRows:
    """The rows of the open period: `add` gives those of periods that are closed.

    Game by game, and in contests, no row is held back. `most` is the number of bytes that may be.
    """

    def __init__(self, system: Dynamic, period: str | None, most: int | None) -> None:
        self.period, self.most = period, most
        self.by_label = period == BY_LABEL
        self.span = None if period is None or self.by_label else parse_period(period)
        self.takes_periods = system.rounds != "game"  # else `rounds_of` refuses it
        self.open: list[Games] = []
        self.number: int | None = None  # of the open period
        self.closed: set[int] = set()  # labels of rounds that are played

    def add(self, piece: Games) -> Games | None:
        """The rows of closed periods, with those of this piece; None where there are none."""
        number = self._number(piece)
        if number is None:
            return piece
        changes = np.flatnonzero(np.diff(number)) + 1
        if self.by_label:
            self._refuse_return(piece, number, changes)
        begins = self.open and int(number[0]) != self.number
        self.number = int(number[-1])
        if not len(changes) and not begins:
            self._hold(piece)
            return None
        cut = int(changes[-1]) if len(changes) else 0
        ready = join_pieces([*self.open, piece.select(slice(cut))] if cut else self.open)
        self.open = []
        self._hold(piece.select(slice(cut, None)))
        return ready

    def take(self) -> Games:
        """The rows that are held, at the end of a stream; there are some."""
        pieces, self.open = self.open, []
        return join_pieces(pieces)

    def name_players(self, players: Sequence[str]) -> None:
        """Give rows from a checkpoint, which have numbers for names, the names of their players."""
        for at, one in enumerate(self.open):
            known: Any = one.players
            if isinstance(known, range):
                self.open[at] = one.replace(players=first_names(players, len(known)))

    def _number(self, piece: Games) -> AnyArray | None:
        """The period of each row; None where rows need not wait."""
        if not piece.pairwise or not self.takes_periods:
            return None
        if self.by_label:
            return piece.round
        if self.span is None or piece.time is None:
            return None
        return self.span.number(piece.time)

    def _hold(self, piece: Games) -> None:
        self.open.append(piece)
        if self.most is None:
            return
        held = sum(table_bytes(one) for one in self.open)
        if held > self.most:
            games = sum(map(len, self.open))
            raise Unratable.of("period_too_large", games=games, words=self.words, size=held / 1e9)

    @property
    def words(self) -> str:
        """What a period is called in messages."""
        return "round" if self.span is None else f"period of {self.span.words}"

    def _refuse_return(self, piece: Games, number: AnyArray, changes: Ids) -> None:
        """Raise BadRounds where a label stands again after other rounds."""
        first = np.concatenate(([0], changes))
        for row, label in zip(first.tolist(), number[first].tolist(), strict=True):
            if label == self.number and self.open and row == 0:
                continue
            if label in self.closed:
                day = "" if piece.time is None else f" on {format_date(float(piece.time[row]))}"
                raise BadRounds.of("round_interrupted", day=day)
            self.closed.add(label)


def first_names(players: Any, count: int) -> Sequence[str]:
    """The names of the first players of a roster."""
    names = players.roster() if hasattr(players, "roster") else players
    return (
        names.take(np.arange(count, dtype=np.int64))
        if isinstance(names, Roster)
        else list(names[:count])
    )


def table_bytes(table: Games) -> int:
    """The bytes of the columns of a table."""
    columns = [*table.columns.values(), *table.facts.values()]
    return sum(int(column.nbytes) for column in columns)


def join_pieces(pieces: list[Games]) -> Games:
    """Pieces of one table of games as one; they number their players alike."""
    if len(pieces) == 1:
        return pieces[0]
    names = dict.fromkeys(name for one in pieces for name in one.facts)
    facts = {
        name: np.concatenate([one.facts.get(name, np.zeros(len(one))) for one in pieces])
        for name in names
    }
    return pieces[-1].replace(**join_columns(pieces), facts=facts)


# --- the rater ------------------------------------------------------------------------------------


FOLLOWED = 250_000  # games whose ratings before and after are kept as they are played
CHECKED = 1 << 22  # contests between two looks at the ratings of all players
SPREADS = ("deviation", "volatility")  # above 0
NEVER_NEGATIVE = ("k", "games", "wins", "losses", "times", "waited")  # 0 or more


class PlayedPiece(NamedTuple):
    """A piece of a table as it was read and as it was played, with the forecasts before it.

    Where rounds have another order than the rows, both tables have that order.
    """

    read: Games
    table: Games
    rounds: Rounds
    forecasts: Floats | None
    draws: Floats | None
    watch: Watch | None = None


@dataclass(eq=False)
class Seen:
    """What is kept of the rows that were played: ends of columns, and the form of the table."""

    form: Games | None = None  # the table without rows
    ends: Ends = field(default_factory=dict)
    alone: int = 0  # contests of a single player
    clock: float | None = None  # the system's at the last round

    def add(self, table: Games, rounds: Rounds) -> None:
        """Look at the rows of a piece."""
        widen_ends(self.ends, table)
        if not table.pairwise:
            self.alone += int((np.diff(table.start) == 1).sum())
        if rounds.clock is not None and len(rounds.clock):
            self.clock = float(rounds.clock[-1])
        self.form = table.select(slice(0))

    @property
    def table(self) -> Games:
        """A table of the same form, of which some columns are the ends of all that were seen."""
        assert self.form is not None
        return self.form.replace(**{name: np.array(ends) for name, ends in self.ends.items()})

    @property
    def rounds(self) -> Rounds:
        """The last round."""
        return Rounds(None, None, None if self.clock is None else np.array([self.clock]))


@dataclass(eq=False)
class Rater:
    """A state onto which the pieces of a table are played, in order of time.

    `start` gives players other values than a newcomer's, by name. `rules` act between the rounds of
    a table of one piece, up to the day `until`. `follow` keeps the ratings before and after games,
    where they take little memory, and `before` those before them, of games of two players, until
    the next piece. `scores` gathers how good the forecasts were, of games of two sides. `planned`
    is the number of contests, where it is known.
    """

    system: Dynamic
    p: Any
    period: str | None = None
    start: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    forecasts: bool = False
    compiled: bool | None = None
    rules: Sequence[Rule] = ()
    until: float | None = None
    follow: bool = False
    before: bool = False
    progress: Callable[[int, int], None] | None = None
    planned: int | None = None
    scores: ForecastScores | None = None
    absent: bool = False  # players with starting values may have no game
    frozen: str | None = None  # the span in which forecasts are made from the ratings at its start

    def __post_init__(self) -> None:
        if self.frozen is not None and (self.period is not None or self.rules):
            raise Unratable.of("frozen_with_period")
        for name, values in self.start.items():
            refuse_impossible(name, values)
        self.state = State.empty(self.system, self.p)
        self.counts = PlayerCounts()
        self.given: dict[int, dict[str, float]] = {}  # starting values by number
        self.waiting = {name: dict(values) for name, values in self.start.items()}
        self.population = Lifetimes() if self.rules else None
        self.contests = self.rounds = self.checked = 0
        self.newest: PlayedPiece | None = None
        self.stood: State | None = None  # the state at the start of the span, with its number
        self.span = 0.0
        self.first_day: float | None = None

    def finish(self, players: Sequence[str]) -> None:
        """Look at all ratings, `players` are the names; raises UnknownPlayer and Unratable."""
        if self.rounds:
            self.check_ratings()
            if self.absent or not self.waiting:
                return
            folded = {name.casefold() for name in players}
            for name in self.waiting:
                if name.casefold() in folded:
                    find_player(players, name)
            raise Unratable.of("starts_not_streamed.rater", players=list_some(list(self.waiting)))

    def number_spans(self, piece: Games) -> Floats | None:
        """The number of the span of each contest of a piece; None: no forecast is frozen."""
        if self.frozen is None or not self.forecasts:
            return None
        if self.first_day is None and piece.time is not None and len(piece):
            self.first_day = float(np.floor(piece.time[0]))
        return number_spans(piece, self.frozen, self.first_day)

    def play(
        self, read: Games, prepared: Games | None = None, foreseen: Games | None = None
    ) -> PlayedPiece:
        """Play a piece, all rows of its rating periods.

        `prepared` is the piece with what the system adds to it, if it adds anything, and `foreseen`
        with what it adds from the start of each span.
        """
        table = prepared or read
        foreseen = foreseen or table
        rounds = rounds_of(self.system, table, self.period)
        if rounds.order is not None:
            table = read = table.select(rounds.order)
        if self.period == BY_LABEL and rounds.clock is not None and self.system.follows_period:
            rounds = replace(rounds, clock=rounds.clock + self.rounds)
        self.add_players(table, read.players)
        expected = drawn = None
        if self.forecasts:
            expected, drawn = empty_forecasts(self.system, table)
        watch = None
        follow = self.follow and not self.rules and len(table) <= FOLLOWED
        if (follow or self.before) and uses_duel_loops(self.system, self.p, table):
            watch = watch_for(self.system, self.p, table, follow=follow)
        options: dict[str, Any] = {"forecasts": expected, "draws": drawn, "watch": watch}
        options |= {"compiled": self.compiled, "progress": self.progress}
        in_all = max(self.planned or 0, self.contests)
        # a rating that is not finite is reported by name
        with part_of(in_all), np.errstate(all="ignore"):
            if (number := self.number_spans(read)) is not None:
                # a span is a few games, and all of them are played once more for the forecasts
                with part_of(count_pairs(table) * self.state.lanes):
                    self.play_spans(number, table, foreseen, rounds, options)
            elif self.population is None:
                play(self.state, table, rounds, **options)
            else:
                play_with_rules(
                    self.state, self.population, self.rules, table, rounds, until=self.until,
                    **options,
                )  # fmt: skip
        if self.scores is not None and expected is not None and read.pairwise:
            self.scores.add(read.score, expected, read.weight, drawn)
        self.newest = PlayedPiece(read, table, rounds, expected, drawn, watch)
        self.contests += len(table)
        self.rounds += rounds.count(table)
        self.counts.add(table)
        if self.contests - self.checked >= max(CHECKED, 4 * len(self.counts)):
            self.check_ratings()
        return self.newest

    def play_spans(
        self, number: Floats, table: Games, foreseen: Games, rounds: Rounds, options: dict[str, Any]
    ) -> None:
        """Play a piece with the forecasts of each span made from the state at its start, and from
        what the system adds from its start, of a table `foreseen`.

        What is frozen is all that games teach: ratings, learnt numbers, weights of a bank. Time
        passes until each game. Without numbers that all games share, a forecast is frozen as it is
        but in games of players who met before in the span: these are made anew, all at once.
        """
        if not len(table):
            return
        if self.stood is not None:  # newcomers of this piece
            before = len(self.stood.rating)
            self.stood.grow(len(self.state.rating), table)
            self.stood.rating[before:] = self.state.rating[before:]
            self.stood.seen[before:] = self.state.seen[before:]
        shares = self.state.common is not None or self.state.logs is not None
        shares = shares or self.state.league is not None or table.repeats
        late = np.ones(len(table), dtype=bool) if shares else meet_again(table, runs_of(number))
        bounds = runs_of(number)
        late &= repeat_rows(np.diff(bounds) > 1, np.diff(bounds))  # others stand at their own start
        spans, played = bounds.tolist(), 0
        goes_on = self.stood is not None and number[0] == self.span
        late[: spans[1]] |= goes_on
        made: list[tuple[Ids, Floats, Floats | None]] = []
        waiting: list[tuple[Ids, Floats, Floats]] = []
        for low, high in pairwise(spans):
            rows = low + np.flatnonzero(late[low:high])
            if not len(rows) and high < spans[-1]:
                continue
            if low > played:
                play(self.state, table, rounds, span=(played, low), **options)
                played = low
            if rounds.before is not None:  # the season and the facts that begin with the span
                self.state.begin_round(rounds.before, low)
            stood = self.stood if goes_on and low == 0 and self.stood is not None else self.state
            if shares and len(rows):
                made.append((rows, *self.foresee(stood, foreseen, rounds, rows)))
            elif len(rows):
                who = foreseen.select(rows).player
                waiting.append((rows, stood.rating[who], stood.seen[who]))
            if stood is self.state and high == spans[-1]:
                self.stood, self.span = self.state.copy(), number[low]
        play(self.state, table, rounds, span=(played, len(table)), **options)
        if waiting:
            rows, rating, seen = map(np.concatenate, zip(*waiting, strict=True))
            late_table = foreseen.select(rows)
            role = None if self.state.role is None else self.state.role[late_table.player]
            copies = replace(self.state, rating=rating, seen=seen, role=role)
            made.append((rows, *self.foresee(copies, foreseen, rounds, rows, apart=True)))
        expected, drawn = options["forecasts"], options["draws"]
        for rows, found, draws in made:
            if table.pairwise:
                expected[rows] = found
            else:
                expected[np.isin(table.contest_of_side, rows)] = found
            if drawn is not None:
                drawn[rows] = draws

    def foresee(
        self, state: State, table: Games, rounds: Rounds, rows: Ids, *, apart: bool = False
    ) -> tuple[Floats, Floats | None]:
        """The forecasts of some contests of a table, and chances of a draw or losses, from a state.

        Where it is `apart` the state has a row for each member, in order.
        """
        part = table.select(rows)
        clock = None if rounds.clock is None else rounds.clock[rows]
        part = separate_members(part) if apart else part
        return forecast_frozen(state, part, clock, losses=not table.pairwise)

    def add_players(self, table: Games, names: Sequence[str]) -> None:
        """Add the newcomers of a piece; those who have starting values begin with them.

        `names` are those of the players, where the members of the table have numbers for names.
        """
        before = len(self.counts)
        players: Any = table.players
        if not self.rounds:
            self.state = initial_state(self.system, self.p, len(players), {}, table)
        else:
            self.state.grow(len(players), table)
        self.counts.grow(len(players), dated=table.time is not None)
        if not self.waiting:
            return
        if table.role is None or not isinstance(players, range):
            fresh = {players[number]: number for number in range(before, len(players))}
        else:
            numbers = np.flatnonzero(table.role == table.roles.index(PLAYER))
            first = int(np.searchsorted(numbers, before))
            fresh = {names[k]: int(numbers[k]) for k in range(first, len(numbers))}
        for name in [name for name in self.waiting if name in fresh]:
            values = self.given[fresh[name]] = self.waiting.pop(name)
            self.state.start_player(fresh[name], values)

    def take_members(self, order: Ids, table: Games) -> None:
        """Give members these places, those of the roster of a whole table; others are dropped."""
        state, counts = self.state, self.counts
        state.rating, state.seen = state.rating[order], state.seen[order]
        state.roles, state.role = number_roles(self.system, table)
        counts.rows = counts.rows[order]
        place = {number: at for at, number in enumerate(order.tolist())} if self.given else {}
        self.given = {place[number]: values for number, values in self.given.items()}

    def check_ratings(self) -> None:
        """Raise Unratable where a rating is no finite number."""
        self.checked = self.contests
        if self.newest is not None:
            _, table, rounds, *_ = self.newest
            whole = self.rounds == rounds.count(table) and not self.rules
            check_finite(self.state, table, rounds, self.given, whole=whole)


@dataclass(eq=False)
class PieceRater(Rater):
    """A rater of a stream, whose pieces may end within a rating period; no games are kept.

    `most_held` is how many bytes of an open period are held back.
    """

    most_held: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.held = HeldRows(self.system, self.period, self.most_held)
        self.seen = Seen()

    def take(
        self, piece: Games, prepared: Games | None = None, foreseen: Games | None = None
    ) -> PlayedPiece | None:
        """Play a piece, but for the rows of a period that may go on; None: nothing is played yet.

        The arguments are those of `play`.
        """
        refuse_unratable(self.system, piece)
        if self.held.open:
            self.held.name_players(piece.players)
        ready = self.held.add(piece)
        return None if ready is None else self._play_ready(ready, prepared, foreseen)

    def end(self, players: Sequence[str]) -> PlayedPiece | None:
        """Play what is held back, and see `finish`; None: nothing was."""
        played = None
        if self.held.open:
            self.held.name_players(players)
            played = self._play_ready(self.held.take())
        self.finish(players)
        return played

    def _play_ready(self, ready: Games, *prepared: Games | None) -> PlayedPiece:
        played = self.play(ready, *prepared)
        self.seen.add(played.read, played.rounds)
        return played


def check_finite(
    state: State,
    table: Games,
    rounds: Rounds,
    start: Mapping[int, Mapping[str, float]],
    *,
    whole: bool = True,
) -> None:
    """Raise Unratable where a rating is no finite number; names the player.

    Of the `whole` table that was played on a new state it also names the game.
    """
    finite = np.isfinite(state.rating).all(axis=1)
    if finite.all():
        return
    low, high = 0, rounds.count(table)
    while high - low > 1 and whole:  # the first round after which a number is lost, by halving
        middle = (low + high) // 2
        trial = initial_state(state.system, state.p, len(state.rating), start, table)
        with np.errstate(all="ignore"):
            play(trial, table, rounds, span=(0, middle))
        if np.isfinite(trial.rating).all():
            low = middle
        else:
            high = middle
            finite = np.isfinite(trial.rating).all(axis=1)
    name = table.players[int(np.flatnonzero(~finite)[0])]
    unit = table.unit if rounds.bounds is None or not table.pairwise else "round"
    when = f" after {unit} {high}" if whole else ""
    raise no_finite_rating(state.system, name, when)


def refuse_impossible(name: str, values: Mapping[str, float]) -> None:
    """Raise Unratable, naming the player, for a start that no player can have."""
    if not all(map(isfinite, values.values())):
        raise Unratable.of("start_not_finite", name=name, values=values)
    for part, value in values.items():
        if part in SPREADS and value <= 0.0:
            raise Unratable.of("start_out_of_range.above", name=name, part=part, value=value)
        if part in NEVER_NEGATIVE and value < 0.0:
            raise Unratable.of("start_out_of_range.below", name=name, part=part, value=value)
