"""LadderState: a log of results and all that follows from it; `advance` makes the next state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile import kernel
from prowess.compile.cache import compile_ahead
from prowess.compile.worth import part_of
from prowess.engine.periods import BY_LABEL, BadRounds, Rounds, rounds_of
from prowess.engine.played import read_watched
from prowess.engine.rate import moment, rating_notes
from prowess.engine.replay import Replay, play
from prowess.engine.run import Watch, watch_for
from prowess.engine.state import State, ageing, display_values, initial_state
from prowess.engine.system import Dynamic, Unratable, no_finite_rating
from prowess.engine.table import refuse_unratable
from prowess.games.games import Games
from prowess.games.runs import repeat_rows
from prowess.games.totals import PlayerCounts
from prowess.live.ladder.log import ColumnBuffer, Columns, ResultLog
from prowess.live.ladder.players import Players
from prowess.live.ladder.prepared import KnownMembers, PlayedLog, find_places, prepare_games
from prowess.live.ladder.ratings import LadderRatings, Lineage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.streams.prepared_pieces import PreparedPieces
    from prowess.live.ladder.prepared import RolePlaces
    from prowess.live.result import Changes

    Counts = tuple[NDArray[np.int64], NDArray[np.float64]]
    Shown = NDArray[np.float64] | None  # None: nothing is kept

MAX_STATES = 32  # of a log
MAX_STATE_BYTES = 128 * 1024 * 1024  # of all of them
PLAYED_AT_ONCE = 32_768  # contests whose members are in memory under every setting at a time
SHOWN_AT_ONCE = 4_096  # contests of which the engine keeps every setting at a time
SPACING = 512  # results; fewer are played as quickly as a state is copied


class SavedState(NamedTuple):
    """The engine state before a row of the log, with which a round begins; never written to."""

    row: int
    engine: State
    known: KnownMembers | None = None  # where the system prepares its table


@dataclass(frozen=True, eq=False)
class LadderState:
    """A log of results and what follows from it; never written to, so readers need no lock.

    Without a period every result is a round. With one, `rounds` has the column `start`, the first
    row of each round; where the system has a clock it has the column `clock`, what the clock shows
    at each round. Rounds by label, which any result may change, are not kept.
    """

    period: str | None
    players: Players
    log: ResultLog
    engine: State  # after the last result; its rows are in `prepared` where that is
    games: NDArray[np.int64]  # by player
    last: NDArray[np.float64]  # by player, the day of the last result; nan: none
    prior: ColumnBuffer  # the ratings before each result, see LadderRatings
    lineage: Lineage
    rounds: ColumnBuffer
    saved: tuple[SavedState, ...]
    replayed: int  # results that were played for this state
    prepared: PlayedLog | None = None  # where the system prepares its table

    @classmethod
    def of(
        cls, system: Dynamic, p: Any, period: str | None, players: Players, log: ResultLog
    ) -> LadderState:
        """The state after all results of a log; raises Unratable."""
        nothing = ColumnBuffer({}, 0)
        games, last = count_games(log.table(players))
        state = cls(
            period, players, log, State.empty(system, p), games, last,
            nothing, Lineage(), nothing, (), 0,
        )  # fmt: skip
        if system.prepare is not None:
            shown = {"shown": np.empty((0, len(system.rating) + 1))}
            return play_prepared(replace(state, prior=ColumnBuffer(shown, 0)), 0, log, players)
        after, prior = play_from(state, SavedState(0, state.engine), log, players)
        return replace(after, prior=ColumnBuffer(prior, len(prior["rating"])))

    def ratings(self, day: float | None = None) -> LadderRatings | None:
        """The ratings, idle players aged to a day (default: that of the last result).

        None without results.
        """
        if not len(self.log):
            return None
        table, columns = self.log.table(self.players), self.log.levels["results"].part()
        results = columns["id"]
        engine, prepared, notes = self.engine, self.prepared, tuple[str, ...]()
        if prepared is not None:
            engine = prepared.known.state_of_players(engine, slice(len(self.players)))
            notes = prepared.known.pieces.note_uses(table).notes
            rounds = rounds_of(engine.system, table, None)
        elif self.period == BY_LABEL:
            rounds = rounds_of(engine.system, table, self.period)
            if rounds.order is not None:
                table, results = table.select(rounds.order), results[rounds.order]
        else:
            held = self.rounds.part()
            bounds = None if table.pairwise else table.start
            if "start" in held:
                bounds = np.append(held["start"], len(table))
            rounds = Rounds(None, bounds, held.get("clock"))
        until = float(columns["time"][-1]) if day is None else day
        now, day = moment(self.engine.system, table, rounds, self.period, until)
        return LadderRatings(
            system=engine.system, p=engine.p, players=self.players, state=engine,
            game_counts=self.games, last=self.last, table=table, rounds=rounds,
            period=self.period, now=now, day=day, prior=self.prior, lineage=self.lineage,
            results=results, notes=(*notes, *rating_notes(engine.system, table, self.period)),
            asked=None if prepared is None else prepared.known.pieces.asked, log=prepared,
        )  # fmt: skip

    def values(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The values of some players as `ratings` displays them, [rows, fields]."""
        engine, prepared = self.engine, self.prepared
        if self.period == BY_LABEL and (ratings := self.ratings()) is not None:
            return ratings.values[rows]
        if prepared is not None:
            engine = prepared.known.state_of_players(engine, rows)
            rows = np.arange(len(rows), dtype=np.int64)
        now = self.now if engine.system.drift else None
        return display_values(engine.system, engine.mix(rows, now=now))

    @cached_property
    def now(self) -> float | None:
        """The system's clock at the last result, where rounds have no labels; None: no time."""
        last, system = self.log.table(self.players, len(self.log) - 1), self.engine.system
        rounds = Rounds(None, None, self.rounds.part().get("clock"))
        if self.prepared is not None:
            rounds = rounds_of(system, last, None)
        return moment(system, last, rounds, self.period, None)[0]

    def with_names(self) -> LadderState:
        """The state after players have other names."""
        return replace(self, lineage=Lineage())

    def apart(self, names: Mapping[int, str]) -> LadderState:
        """The same state, for another thread to advance; `names` are those of newcomers.

        What `advance` adds to it is seen here by nobody.
        """
        return replace(
            self,
            players=self.players.apart(names),
            log=self.log.apart(),
            rounds=self.rounds.without_room(),
            lineage=Lineage(),
            prepared=None if self.prepared is None else self.prepared.apart(),
        )

    def saved_before(self, row: int) -> SavedState:
        """The newest saved state whose rounds no change from a row on can touch."""
        if self.period is not None:
            row -= 1  # the round of the row before may go on
        start = SavedState(0, State.empty(self.engine.system, self.engine.p))
        return [start, *(one for one in self.saved if one.row <= row)][-1]


def advance(state: LadderState, changes: Changes, *, keep_prior: bool = True) -> LadderState:
    """The state after changes of results. Raises Unratable.

    Results behind all others are played on; anything else is played again from the nearest saved
    state. Only the newest state may be advanced, by one thread: what is appended is written behind
    the rows of `state`, in the same memory; others are advanced `apart`. Without `keep_prior` the
    ratings before each result are left as they were, and no further states are saved.
    """
    edit = state.log.plan_edit(changes, state.players)
    if edit is None:
        return replace(state, replayed=0)
    log, end = state.log.apply_edit(edit), len(state.log)
    labelled, first = state.period == BY_LABEL, edit.first
    if labelled or log.teams != state.log.teams:
        first = 0  # another arrangement or form of the table
    appends = first == end
    prior: Columns = {}
    if state.prepared is not None:
        after = play_prepared(state, first, log, edit.players, keep_prior=keep_prior)
        appends = appends and after.replayed == len(log) - end
    else:
        if appends and state.period is None:
            begin = SavedState(end, state.engine)
        else:
            begin = state.saved_before(first)
        after, prior = play_from(state, begin, log, edit.players)
    came, newcomers = edit.log.table(edit.players), len(edit.players) - len(state.games)
    games = np.concatenate((state.games, np.zeros(newcomers, dtype=np.int64)))
    last = np.concatenate((state.last, np.full(newcomers, np.nan)))
    if edit.first < end:
        gone = state.log.table(state.players).select(edit.gone)
        recount(games, last, log.table(edit.players), gone.player, came.player)
    else:
        add_counts(games, last, came)
    before = after.prior
    if keep_prior and state.prepared is None:
        low, kept = log.entry("members", begin.row), log.entry("members", first)
        more = {name: column[kept - low :] for name, column in prior.items()}
        before = state.prior.replace_tail(kept, more)
    lineage = state.lineage if appends else Lineage()
    return replace(after, games=games, last=last, lineage=lineage, prior=before)


def state_as_of(state: LadderState, day: float) -> LadderState:
    """The state after the results up to a day, as if there were no others."""
    log = state.log.first_rows(int(state.log["time"].searchsorted(day, side="right")))
    games, last = count_games(log.table(state.players))
    if state.prepared is not None:
        after = play_prepared(state, len(log), log, state.players)
        return replace(after, games=games, last=last, lineage=Lineage())
    after, prior = play_from(state, state.saved_before(len(log)), log, state.players)
    kept = ColumnBuffer(state.prior.held, log.entry("members", len(log)))
    if state.period == BY_LABEL:
        kept = ColumnBuffer(prior, kept.count)
    return replace(after, games=games, last=last, prior=kept, lineage=Lineage())


# -- playing --


def play_from(
    state: LadderState, begin: SavedState, log: ResultLog, players: Players
) -> tuple[LadderState, Columns]:
    """Play a log that shares its rows before `begin` with that of a state.

    Returns the new state, which still has the counts and prior ratings of the old one, and the
    prior ratings of what was played.
    """
    period, system = state.period, state.engine.system
    try:
        rounds = rounds_of(system, table := log.table(players, begin.row), period)
    except BadRounds as error:
        raise Unratable(str(error), code="not_playable") from None
    if rounds.order is not None:
        table = table.select(rounds.order)
    refuse_unratable(system, table)
    engine = begin.engine.copy(len(players))
    run = Replay(engine, table, rounds, None, None, watch := watch_for(system, engine.p, table))
    saved = tuple(one for one in state.saved if one.row <= begin.row)
    low, to_save = 0, rounds_to_save(table, rounds, begin.row, saved)
    with np.errstate(all="ignore"):  # a rating that is not finite is reported by name
        for stop in sorted({*to_save, run.rounds_total}):
            run.play_rounds((low, stop))
            if stop in to_save:
                row = stop if period is None or rounds.bounds is None else int(rounds.bounds[stop])
                saved = thin_states((*saved, SavedState(begin.row + row, engine.copy())), len(log))
            low = stop
    refuse_lost_numbers(engine, players.__getitem__)
    new: dict[str, Any] = {}
    if period != BY_LABEL:
        columns: dict[str, NDArray[Any]] = {}  # of rounds
        held = begin.row
        if period is not None and rounds.bounds is not None:
            columns["start"] = rounds.bounds[:-1] + begin.row
            held = int(state.rounds["start"].searchsorted(begin.row)) if begin.row else 0
        if rounds.clock is not None:
            columns["clock"] = rounds.clock
        before = state.rounds.replace_tail(held, columns) if begin.row else None
        new = {"rounds": ColumnBuffer.join(columns) if before is None else before, "saved": saved}
    after = replace(state, players=players, log=log, engine=engine, replayed=len(table), **new)
    prior = {"rating": watch.memory.rating}
    if any(shared is not None for shared in (engine.league, engine.logs, engine.common)):
        prior["sums"] = repeat_rows(watch.memory.sums, 1 + watch.paired, axis=0)
    return after, prior


def play_prepared(
    state: LadderState, first: int, log: ResultLog, players: Players, *, keep_prior: bool = True
) -> LadderState:
    """Play a log that its system prepares; its results before `first` are those of a state.

    The new state has the counts of the old one.
    """
    row, engine, played = begin_prepared(state, first, log, players)
    engine, known = engine.copy(), played.known
    rest, saved = log.table(players, row), tuple(one for one in state.saved if one.row <= row)
    refuse_unratable(engine.system, rest)
    to_save = rounds_to_save(rest, Rounds(None, None, None), row, saved) if keep_prior else []
    stops = {*range(PLAYED_AT_ONCE, len(rest), PLAYED_AT_ONCE), *to_save, len(rest)}
    cuts = [row, *(row + stop for stop in sorted(stops))]
    tables = [log.table(players, low, high) for low, high in pairwise(cuts)]
    members, prior = [log.entry("members", cut) for cut in cuts], state.prior
    if keep_prior:
        prior = prior.make_room(members[0], members[-1])
    with part_of(len(rest)), ThreadPoolExecutor(2) as others:
        reader = ShownReader(engine, others)
        pieces = prepare_ahead(played, tables, others)
        for stop, rows, piece in zip(cuts[1:], pairwise(members), pieces, strict=True):
            shown = prior["shown"][slice(*rows)] if keep_prior else None
            known, played = reader.play(known, piece, shown), piece.played
            if stop - row in to_save:
                saved = thin_states((*saved, SavedState(stop, engine.copy(), known)), len(log))
        if reader.last is not None:
            reader.last()
    return replace(
        state, players=players, log=log, engine=engine.copy(), replayed=len(rest), saved=saved,
        prepared=replace(played, known=known), prior=prior,
    )  # fmt: skip


def begin_prepared(
    state: LadderState, first: int, log: ResultLog, players: Players
) -> tuple[int, State, PlayedLog]:
    """The row of a log from which to play, what all games before share, and these as played."""
    system, old, asked = state.engine.system, state.prepared, state.engine.p
    if old is not None:
        asked, known = old.known.pieces.asked, old.known.copy(apart=False)
        if first == len(state.log) and known.pieces.goes_on(log.table(players, first)):
            return first, state.engine, replace(old, known=known)
    whole = log.table(players)
    pieces = system.prepare_pieces(asked, lambda: iter((whole,)), len(whole))
    if old is not None and pieces.tells_the_same(old.known.pieces.survey):
        if first == len(state.log):
            known.pieces.looked = pieces.looked
            return first, state.engine, replace(old, known=known)
        for one in reversed(state.saved):
            if one.row <= first and one.known is not None:
                known = one.known.copy(apart=True)
                known.pieces.looked = pieces.looked
                return one.row, one.engine, old.first_sides(int(whole.start[one.row]), known)
    return 0, initial_state(system, pieces.p, 0, {}, whole), PlayedLog.begin(pieces)


class PreparedPiece(NamedTuple):
    """Games that are prepared, to be played by the ratings of their members alone."""

    read: Games
    pieces: PreparedPieces  # after them
    played: PlayedLog  # with them; members are known in it as before the first piece
    numbers: NDArray[np.int64]  # of their members, ascending
    places: Sequence[RolePlaces]  # of these
    here: Games  # as played, with a roster of them


def prepare_ahead(
    played: PlayedLog, tables: Sequence[Games], others: Executor
) -> Iterator[PreparedPiece]:
    """Prepare tables one after the other, each in another thread while the one before is used."""
    piece = prepare_piece(played.known.pieces, played, tables[0])
    for table in tables[1:]:
        run = copy_context().run
        coming = others.submit(run, prepare_piece, piece.pieces, piece.played, table)
        yield piece
        piece = coming.result()
    yield piece


def prepare_piece(pieces: PreparedPieces, before: PlayedLog, table: Games) -> PreparedPiece:
    """Prepare further games; `pieces` stay as they are."""
    pieces = pieces.copy(apart=False)
    here, numbers = prepare_games(pieces, table)
    share = np.ones(len(here.player)) if here.share is None else here.share
    player = numbers[here.player].astype(np.uint32)
    log = before.add(here.ends, {"player": player, "share": share})
    return PreparedPiece(table, pieces, log, numbers, find_places(pieces, numbers), here)


class ShownReader:
    """Plays pieces, and keeps what the players among their members were before each contest.

    It is read in another thread while the next contests are played.
    """

    def __init__(self, engine: State, others: Executor) -> None:
        self.engine, self.others = engine, others
        self.free: Watch | None = None  # to be filled next
        self.last: Callable[[], Watch] | None = None  # reads what was played last

    def play(self, known: KnownMembers, piece: PreparedPiece, shown: Shown) -> KnownMembers:
        """Play further games onto what all games share; returns the members after them.

        `shown` receives a row for each player: the rating as displayed, and the score that their
        side was expected to make.
        """
        engine, known = self.engine, known._replace(pieces=piece.pieces)
        known.enter(engine, piece.here, piece.places)
        rounds = rounds_of(engine.system, piece.here, None)
        with np.errstate(all="ignore"):  # lost numbers are reported by name
            if shown is None:
                play(engine, piece.here, rounds)
            else:
                self._show(piece.here, rounds, shown)
        refuse_lost_numbers(engine, lambda row: known.name(int(piece.numbers[row]), piece.read))
        known = known.with_played(piece.places, engine)
        engine.drop_players()
        return known

    def _show(self, table: Games, rounds: Rounds, shown: NDArray[np.float64]) -> None:
        """Play contests, whose members are those of the state."""
        assert table.role is not None
        ours = np.flatnonzero(table.role[table.player] == 0)
        cuts = [*range(0, len(table), SHOWN_AT_ONCE), len(table)]
        bounds = ours.searchsorted(table.ends[table.start[cuts]])
        sizes, slots = np.diff(bounds), np.full(len(table.player), -1)
        rows = np.arange(sizes.max(initial=0), dtype=np.int64)
        slots[ours] = np.arange(len(ours), dtype=np.int64) - repeat_rows(bounds[:-1], sizes)
        forecasts = np.full(len(table) if table.pairwise else len(table.ends) - 1, np.nan)
        run = Replay(self.engine, table, rounds, forecasts, None, self._empty_watch(table, rows))
        for span, (low, high) in zip(pairwise(cuts), pairwise(bounds.tolist()), strict=True):
            run.watch = watch = replace(self._empty_watch(table, rows), slots=slots)
            self.free = reading = None
            if self.last is not None:
                reading = self.others.submit(copy_context().run, self.last)
            run.play_rounds(span)
            if reading is not None:
                self.free = reading.result()
            self.last = partial(self._read_ratings, watch, ours[low:high], shown[low:high])
        side = table.side_of_member[ours]
        expected = forecasts[side // 2 if table.pairwise else side]
        second = (side % 2 == 1) & table.pairwise
        shown[:, -1] = np.where(second, 1.0 - expected, expected)

    def _empty_watch(self, table: Games, rows: NDArray[np.int64]) -> Watch:
        """The watch to be filled next, with room for these rows."""
        if self.free is None or len(self.free.memory.rating) < len(rows):
            self.free = watch_for(self.engine.system, self.engine.p, table, rows, learnt=False)
        return self.free

    def _read_ratings(self, seen: Watch, members: NDArray[np.int64], shown: Any) -> Watch:
        shown[:, :-1] = read_watched(self.engine, seen, members)
        return seen


def load_compiled(ratings: LadderRatings) -> None:
    """Compile the loops of a ladder, or take them from the cache."""
    engine, table, rounds, watch = ratings.state, ratings.table, ratings.rounds, None
    if ratings.log is not None:
        known = ratings.log.known.copy(apart=False)
        table, numbers = prepare_games(known.pieces, table.select(slice(-1, None)))
        engine, rounds = known.state(engine, table, numbers), rounds_of(engine.system, table, None)
    if kernel.available():
        if ratings.log is None:
            watch = watch_for(engine.system, engine.p, table)
        with compile_ahead():
            play(engine.copy(), table, rounds, watch=watch, span=(0, 1))
        if engine.system.drift is not None:
            ageing(engine.system, engine.lanes, compiled=True)
    _ = ratings.values  # idle players age: compiled at the first call


def refuse_lost_numbers(engine: State, name: Callable[[int], str]) -> None:
    """Raise Unratable, naming the player, if a rating is no longer a finite number."""
    with np.errstate(all="ignore"):
        total = engine.rating.sum()
    if not (np.isfinite(total) or (finite := np.isfinite(engine.rating)).all()):
        raise no_finite_rating(engine.system, name(int(np.flatnonzero(~finite.all(axis=1))[0])))


# -- saved states --


def rounds_to_save(
    table: Games, rounds: Rounds, row: int, saved: Sequence[SavedState]
) -> list[int]:
    """The rounds of a table, which begins at a row of the log, before which to save the state.

    A third of the way to the end, a third of the rest and so on, so that a correction plays at most
    half as much again as lies behind it, and the mean over all places is three fifths of the log;
    after few results the end, so seldom that it costs a result next to nothing; and where the last
    round is open, as further results may belong to it.
    """
    stops, left = [], len(table)
    while left > 2 * SPACING:
        left -= left // 3
        stops.append(len(table) - left)
    if table.pairwise and rounds.bounds is not None:
        number = (int(rounds.bounds.searchsorted(stop, side="right")) - 1 for stop in stops)
        return sorted({*number, len(rounds.bounds) - 2} - {0, -1})
    since = row + left - (saved[-1].row if saved else 0)
    if left and not stops and since >= max(2 * SPACING, len(table.players)):
        stops.append(left)
    return stops  # every result is a round


def thin_states(saved: Sequence[SavedState], count: int) -> tuple[SavedState, ...]:
    """Few enough saved states for a log of `count` results, dense near its end.

    Playing from a saved state to the end should take little longer than from a row that lies
    between it and the next, so the one goes whose neighbours' distances from the end differ least.
    The last stays.
    """
    kept = list(saved)
    taken = [count_bytes(one, later) for one, later in zip(kept, [*kept[1:], None], strict=True)]
    while len(kept) > 1 and (len(kept) > MAX_STATES or sum(taken) > MAX_STATE_BYTES):
        distance = [count + 1, *(count - one.row + 1 for one in kept)]
        ratio = [distance[k] / distance[k + 2] for k in range(len(kept) - 1)]
        at = ratio.index(min(ratio))
        del kept[at], taken[at]
        if at:
            taken[at - 1] = count_bytes(kept[at - 1], kept[at])
    return tuple(kept)


def count_bytes(one: SavedState, later: SavedState | None) -> int:
    """About how much memory a state takes beside a later one, with which it may share pages."""
    arrays = (one.engine.rating, one.engine.seen, *(one.engine.league or ()))
    size = int(sum(array.nbytes for array in arrays))
    if one.known is None or later is None or later.known is None:
        return size
    return size + one.known.bytes_beside(later.known)


# -- games and last days of players, counted on as results come --


def count_games(table: Games) -> Counts:
    """Per player the number of games and the day of the last one (nan: none)."""
    counts = PlayerCounts.of(table)
    assert counts.last is not None  # all results have times
    return counts.games, counts.last


def add_counts(games: NDArray[np.int64], last: NDArray[np.float64], came: Games) -> None:
    """Add results behind all others to the counts, in place."""
    assert came.time is not None
    if came.duels:
        for side in (came.a, came.b):
            np.add.at(games, side, 1)
            np.fmax.at(last, side, came.time)
    else:
        np.add.at(games, came.player, 1)
        last[came.player] = came.time[came.contest_of_member]  # ascending: the latest stays


def recount(
    games: NDArray[np.int64], last: NDArray[np.float64], table: Games, *changed: NDArray[np.uint32]
) -> None:
    """Count the players who changed again in a table, in place."""
    chosen = np.zeros(len(games), dtype=bool)
    chosen[np.concatenate(changed)] = True
    rows = chosen[table.a] | chosen[table.b] if table.duels else slice(None)
    more, latest = count_games(table.select(rows))
    games[chosen], last[chosen] = more[chosen], latest[chosen]
