"""Ladder: the counted results of a category and their ratings; views of them, and previews."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from math import isfinite
from threading import Condition, RLock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.periods import BadRounds
from prowess.engine.state import displayed_fields
from prowess.engine.system import Unratable
from prowess.engine.table import refuse_unratable
from prowess.live.ladder.players import Players
from prowess.live.ladder.state import LadderState, advance, load_compiled, state_as_of
from prowess.live.result import LiveResult, ResultSide, SideMember

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games
    from prowess.live.ladder.ratings import LadderRatings
    from prowess.live.result import Changes

DAYS_KEPT = 8  # ratings as of other days that are kept for the next request
FAULTS = logging.getLogger("prowess.faults")
MOST_MOVED = 1_000  # players of the last results whose values are worked out together
IDLE_THREAD_SECONDS = 60.0  # without changes, after which the thread of a ladder ends
AWKWARD = LiveResult(  # of teams, with a weight, and without a round
    0, 0, (ResultSide((SideMember(1), SideMember(2)), 1.0), ResultSide((SideMember(3),), 2.0)), 0.5,
    weight=2.0,
)  # fmt: skip


class LadderView(NamedTuple):
    """The ratings of a ladder to show, with their state."""

    ratings: Ratings | None  # None where nothing counts
    applied: int | None = None  # the revision they hold for; None: everything that was entered
    waiting: int = 0  # results that changed and that the system's own ratings do not know
    trouble: str | None = None  # why some of them cannot be rated, or the last fit failed
    interim: bool = False  # whether they are the interim's, as nothing could be fitted yet


class PlayerValues(NamedTuple):
    """The values of a player, and the number of results."""

    values: dict[str, float]
    games: int


class PlayersView(NamedTuple):
    """The values of some players to show, by the store's number; for the rest see LadderView."""

    known: Mapping[int, PlayerValues]
    applied: int | None = None
    waiting: int = 0
    trouble: str | None = None
    interim: bool = False


class RevisedResults(NamedTuple):
    """Results that changed at a revision."""

    revision: int
    changes: Changes


class Ladder:
    """The results that count and their ratings, changed by one thread and read by many.

    Changes `enter` as facts and are played by the ladder's own thread, in its own time: all that
    wait together. Those that cannot be rated go on waiting, with the `trouble` that they make.
    Readers see the version that was published last. Ratings handed out never change.
    """

    def __init__(self, state: LadderState) -> None:
        self.revision = 0  # of what is published
        self.editions = 0  # of what is shown; they change between revisions as well
        self._trouble: str | None = None
        self.published = state
        self._applied = 0  # results that were changed since the last `publish`
        self._ratings: LadderRatings | None = None  # of what is published
        self._days: OrderedDict[float, Any] = OrderedDict()  # ratings as of earlier days
        self._days_asked = False  # since the last `drop_days`
        self._shown: dict[int, PlayerValues | None] = {}  # of what is published; None: no results
        self._moved: Sequence[int] = ()  # players of the results that were played last, or some
        self._renamed = False  # since names were last looked up
        self._lock = RLock()
        self._waiting: tuple[RevisedResults, ...] = ()  # not in what is published
        self._entered = self._played = 0  # how many changes were entered, and how many tried
        self._followers: list[tuple[int, Callable[[], None]]] = []  # of so many that were entered
        self._player: Thread | None = None
        self._worker: Thread | None = None  # that fits
        self._closed = False
        self._turn = Condition()  # of what waits; taken after `_lock`

    def __len__(self) -> int:
        """How many results count, as published."""
        return len(self.published.log)

    # -- changing --

    @cached_property
    def takes_all(self) -> bool:
        """Whether the system takes whatever result its category may have."""
        try:
            self.check({AWKWARD.id: AWKWARD})
        except Unratable:
            return False
        return True

    def check(self, changes: Changes) -> None:
        """Raise Unratable for results that the system cannot take, whatever the others are."""
        log, nobody = self.published.log.first_rows(0).apart(), np.empty(0, dtype=np.int64)
        edit = log.plan_edit(changes, Players(nobody, self.published.players.names))
        if edit is not None:
            self._check_table(edit.log.table(edit.players))

    def _check_table(self, table: Games) -> None:
        refuse_unratable(self.published.engine.system, table)

    def enter(self, changed: Sequence[RevisedResults]) -> None:
        """Let changes wait until the ladder's thread plays them."""
        with self._turn:
            self._waiting += (*changed,)
            self._entered += len(changed)
            if self._player is None and not self._closed:
                self._player = Thread(target=self._play_on, name="ladder", daemon=True)
                self._player.start()
            self._turn.notify_all()

    def follow(self, call: Callable[[], None]) -> None:
        """Call something, in any thread, as soon as all that was entered until now is tried."""
        with self._turn:
            if self._played < self._entered and not self._closed:
                self._followers.append((self._entered, call))
                return
        call()

    def settle(self, seconds: float | None = None) -> bool:
        """Wait until all that was entered until now is tried; whether it is."""
        with self._turn:
            count = self._entered
            return self._turn.wait_for(lambda: self._closed or self._played >= count, seconds)

    def _play_on(self) -> None:
        """Play what waits until nothing comes for a while."""
        while True:
            with self._turn:
                if self._played == self._entered and not self._closed:
                    self._turn.wait(IDLE_THREAD_SECONDS)
                if self._closed or self._played == self._entered:
                    self._player = None
                    return
            self.play()

    def play(self, more: Iterable[RevisedResults] = ()) -> None:
        """Play all that waits and publish it; in the ladder's thread, or before it has one."""
        with self._turn:
            self._waiting += (*more,)
            taken, entered = self._waiting, self._entered
        changes, state = merge_changes(taken), self.published
        try:
            state, left, trouble = advance_ratable(state, changes)
        except Exception as error:
            FAULTS.exception("changes could not be played")
            left, trouble = changes, str(error) or type(error).__name__
        self._applied += len(changes) - len(left)
        with self._lock, self._turn:
            self.published, self._trouble = state, trouble
            self._played = entered
            self._waiting = self._waiting[len(taken) :]
            played = (player for one in changes.values() if one for player in one.players)
            self._moved = tuple(islice(played, MOST_MOVED))
            if left:
                self._waiting = (*keep_changes(taken, left), *self._waiting)
            self.publish(taken[-1].revision if taken else self.revision)
            ready = [call for count, call in self._followers if count <= entered]
            self._followers = [one for one in self._followers if one[0] > entered]
            self._turn.notify_all()
        for call in ready:
            call()

    def publish(self, revision: int) -> None:
        """Make what was played visible."""
        with self._lock:
            if self._renamed:
                self.published, self._renamed = self.published.with_names(), False
            self.revision, self._applied = revision, 0
            self._ratings, self._shown = None, {}
            self._days.clear()
            self.editions += 1

    def rename(self) -> None:
        """Make other names of players visible, also in what is being played."""
        with self._lock:
            self._renamed = True
            self.publish(self.revision)
            self._renamed = True

    # -- reading --

    def ratings(self) -> Ratings | None:
        """The ratings as published, the same object until the next `publish`.

        None where nothing counts, as nothing is no table, or where nothing is fitted yet.
        """
        with self._lock:
            if self._ratings is None:
                self._ratings = self.published.ratings()
            return self._ratings

    def as_of(self, day: float) -> Ratings | None:
        """The ratings after the results up to a day (days since 1970, inclusive).

        None where there are none. Raises Unratable for a day that is no number.
        """
        if not isfinite(day):
            raise Unratable.of("not_a_day.day", day=day)
        with self._lock:
            state = self.published
            self._days_asked = True
            if day in self._days:
                self._days.move_to_end(day)
                return self._days[day]  # type: ignore[no-any-return]
        ratings = self._rate_as_of(state, day)
        with self._lock:
            if state is self.published:
                self._days[day] = ratings
                while len(self._days) > DAYS_KEPT:
                    self._days.popitem(last=False)
        return ratings

    def drop_days(self) -> None:
        """Drop the ratings as of earlier days, unless one was asked for since the last call."""
        with self._lock:
            if not self._days_asked:
                self._days.clear()
            self._days_asked = False

    def _rate_as_of(self, state: LadderState, day: float) -> Ratings | None:
        """The ratings after the results of a state up to a day."""
        return state_as_of(state, day).ratings(day)

    def view(self, day: float | None = None) -> LadderView:
        """The ratings with their state, now or as of a day; raises Unratable for a bad day."""
        if day is not None:
            return LadderView(self.as_of(day), self.applied, self.waiting, self.trouble)
        with self._lock:
            if not self._waiting:
                return LadderView(self.ratings())
            return LadderView(self.ratings(), self.applied, self.waiting, self.trouble)

    def view_players(self, players: Sequence[int]) -> PlayersView:
        """The values of those of some players who have results, without those of all others.

        Those of the players who moved last are worked out together: each result asks for its own.
        """
        with self._lock:
            state, shown = self.published, self._shown
            told = (self.applied, self.waiting, self.trouble) if self._waiting else ()
        if not shown.keys() >= {*players}:
            found = dict[int, PlayerValues | None].fromkeys((*players, *self._moved))
            rows = state.players.find_rows(found) if len(state.log) else {}
            k, system = np.array([*rows.values()], dtype=np.int64), state.engine.system
            values = state.values(k).tolist() if rows else ()
            for player, row, games in zip(rows, values, state.games[k].tolist(), strict=True):
                named = zip(displayed_fields(system), row, strict=True)
                outer = {name: value for name, value in named if name not in system.inner}
                found[player] = PlayerValues(outer, games)
            shown |= found
        return PlayersView({one: known for one in players if (known := shown[one])}, *told)

    @property
    def applied(self) -> int | None:
        """The revision for which `ratings` hold; None: everything that was entered."""
        waiting = self._waiting
        return waiting[0].revision - 1 if waiting else None

    @property
    def waiting(self) -> int:
        """How many results changed that `ratings` do not know yet."""
        return sum(len(one.changes) for one in self._waiting)

    @property
    def trouble(self) -> str | None:
        """Why changes that wait cannot be rated; None where they can, as far as is known."""
        return self._trouble

    def begin_preview(self, changes: Changes, names: Mapping[int, str]) -> Callable[[], Preview]:
        """What computes a preview in any thread, from what was entered until this moment.

        `names` are those of newcomers, by number. Computing raises Unratable, BadRounds.
        """
        return partial(self._preview, *self._newest(names), changes)

    def _newest(self, names: Mapping[int, str]) -> tuple[LadderState, Changes]:
        """What is published, apart, and the changes that wait."""
        with self._lock:
            return self.published.apart(names), merge_changes(self._waiting)

    def _preview(self, state: LadderState, before: Changes, changes: Changes) -> Preview:
        """The effect of changes of a state that is apart, after those `before`."""
        state, _, _ = advance_ratable(state, before)
        after = advance(state, changes, keep_prior=False)
        counts = len(state.log), len(after.log), after.replayed
        return build_preview(state.ratings(), after.ratings(), *counts)

    # -- for a server --

    def load_compiled(self) -> None:
        """Load the compiled loops ahead of requests."""
        ratings = self.published.ratings()
        if ratings is not None:
            load_compiled(ratings)

    def close(self) -> None:
        """Stop background work; what waits is not played any more."""
        with self._turn:
            self._closed = True
            ready, self._followers = self._followers, []
            self._turn.notify_all()
        for _, call in ready:
            call()

    def join(self, seconds: float) -> None:
        """Wait until a ladder that is closed plays and fits no more, for so long at most.

        A process that ends while compiled code runs in another thread crashes.
        """
        end = monotonic() + seconds
        for thread in (self._player, self._worker):
            if thread is not None:
                thread.join(max(0.0, end - monotonic()))


def advance_ratable(
    state: LadderState, changes: Changes
) -> tuple[LadderState, Changes, str | None]:
    """The state after those changes that can be rated; the others, and why they cannot."""
    try:
        return (advance(state, changes) if changes else state), {}, None
    except (Unratable, BadRounds) as error:
        if len(changes) == 1:
            return state, changes, str(error)
    one, half = list(changes.items()), len(changes) // 2
    state, first, trouble = advance_ratable(state, dict(one[:half]))
    state, second, more = advance_ratable(state, dict(one[half:]))
    return state, first | second, trouble or more


def merge_changes(waiting: Iterable[RevisedResults]) -> Changes:
    """The last change of each result."""
    return {number: one for each in waiting for number, one in each.changes.items()}


def keep_changes(waiting: Iterable[RevisedResults], left: Changes) -> list[RevisedResults]:
    """Of changes that wait those of results that are left."""
    kept = [
        RevisedResults(one.revision, {k: left[k] for k in one.changes if k in left})
        for one in waiting
    ]
    return [one for one in kept if one.changes]


# -- previews --


class Mover(NamedTuple):
    """A player whose values change; None where the player has no game, before or after."""

    player: int  # the store's number
    before: dict[str, float] | None
    after: dict[str, float] | None
    rank_before: int | None
    rank_after: int | None


class Preview(NamedTuple):
    """The effect of changes: players who move, by size of the change, and results replayed."""

    movers: tuple[Mover, ...]
    games_before: int
    games_after: int
    replayed: int  # results
    leader_changed: bool
    trouble: str | None = None  # why the fit would fail: the present ratings stay
    interim: bool = False  # whether interim ratings would be shown instead


@dataclass(frozen=True, eq=False)
class Standings:
    """Players with at least one game, by the store's number, with their values and ranks."""

    ids: NDArray[np.int64]  # ascending
    columns: Mapping[str, NDArray[Any]]
    rank: NDArray[np.int64]

    @classmethod
    def of(cls, ratings: Ratings | None) -> Standings:
        """The players of a ladder's ratings."""
        if ratings is None:
            no_rows = np.empty(0, dtype=np.int64)
            return cls(no_rows, {}, no_rows)
        ids, rows = player_ids(ratings), np.flatnonzero(ratings.has_played())
        rows = rows[np.argsort(ids[rows])]
        strength = ratings.strength[rows]
        better = np.sort(strength)
        rank = 1 + len(rows) - better.searchsorted(strength, side="right")
        columns = {name: column[rows] for name, column in ratings.columns.items()}
        return cls(ids[rows], columns, rank)

    def rows(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of players, -1 where they are not."""
        if not len(self.ids):
            return np.full(len(wanted), -1, dtype=np.int64)
        row = np.minimum(self.ids.searchsorted(wanted), len(self.ids) - 1)
        return np.where(self.ids[row] == wanted, row, -1)

    def values(self, rows: NDArray[np.int64]) -> list[dict[str, float] | None]:
        """All values of the players in some rows; None for a row of -1."""
        known = rows >= 0
        columns = [column[rows[known]].tolist() for column in self.columns.values()]
        found = (dict(zip(self.columns, one, strict=True)) for one in zip(*columns, strict=True))
        return [next(found) if one else None for one in known.tolist()]

    def ranks(self, rows: NDArray[np.int64]) -> list[int | None]:
        """The ranks of the players in some rows; None for a row of -1."""
        found = iter(self.rank[rows[rows >= 0]].tolist())
        return [next(found) if row >= 0 else None for row in rows.tolist()]


def player_ids(ratings: Ratings) -> NDArray[np.int64]:
    """The store's number of the player in each row of a ladder's ratings."""
    assert isinstance(ratings.players, Players)
    return ratings.players.ids


def build_preview(
    before: Ratings | None,
    after: Ratings | None,
    games_before: int,
    games_after: int,
    replayed: int,
) -> Preview:
    """The preview of a change that leads from some ratings to others."""
    old, new = Standings.of(before), Standings.of(after)
    return Preview(
        movers=find_movers(old, new),
        games_before=games_before,
        games_after=games_after,
        replayed=replayed,
        leader_changed=not np.array_equal(old.ids[old.rank == 1], new.ids[new.rank == 1]),
    )


def find_movers(before: Standings, after: Standings) -> tuple[Mover, ...]:
    """Players any of whose values changes by one bit, by size of the change of the first value.

    Players who appear or disappear come first; changes of equal size are ordered by number.
    """
    ids = np.union1d(before.ids, after.ids)
    old, new = before.rows(ids), after.rows(ids)
    both = (old >= 0) & (new >= 0)
    same = both.copy()
    size = np.full(len(ids), np.inf)
    if before.columns.keys() != after.columns.keys():
        same[:] = False
    elif before.columns:
        for name, column in after.columns.items():
            same[both] &= equal_bits(before.columns[name][old[both]], column[new[both]])
        first = next(iter(after.columns))
        change = after.columns[first][new[both]] - before.columns[first][old[both]]
        size[both] = np.abs(change)
    chosen = np.flatnonzero(~same)
    chosen = chosen[np.argsort(-size[chosen], kind="stable")]
    old, new = old[chosen], new[chosen]
    fields = before.values(old), after.values(new), before.ranks(old), after.ranks(new)
    return tuple(map(Mover, ids[chosen].tolist(), *fields))


def equal_bits(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Where two columns hold the same bits."""
    if one.dtype != other.dtype:
        return np.zeros(len(one), dtype=bool)
    pair = (np.ascontiguousarray(column) for column in (one, other))
    one, other = (column.view(np.uint8).reshape(len(column), column.itemsize) for column in pair)
    return np.asarray((one == other).all(axis=1))
