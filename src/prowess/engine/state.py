"""The state after a replay: ratings, last games, sums of the league, learnt numbers; a forecast."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import chain
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile import kernel
from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.compile.tree import rebuild
from prowess.compile.worth import is_worth_compiling
from prowess.engine.before_rounds import BeforeRounds, number_by_day
from prowess.engine.loops import Sums, ageing_loop, append
from prowess.engine.mathematics import (
    compiled_forms,
    exp_of_array,
    polynomial_exp,
    substitutes,
)
from prowess.engine.params import Bank, rows_of
from prowess.engine.periods import parse_period
from prowess.engine.rows import common_at, first_rows, game_rules
from prowess.engine.system import Dynamic, Unratable
from prowess.games.dates import parse_day_of_year
from prowess.games.games import PLAYER, Games
from prowess.games.totals import extend_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


ROWS_MIXED_A_TURN = 10  # rows that NumPy mixes in a turn of `is_worth_compiling`
LANES_ADDED_AT_ONCE = 128  # numbers that NumPy adds up without halving them


def weights_of(logs: Floats) -> Floats:
    """The weights of the settings, [..., settings], from their logarithms."""
    raised = exp_of_array(logs - logs.max(axis=-1, keepdims=True))
    weights: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return weights


def mixture(fields: Sequence[str], values: Floats, weights: Floats) -> Floats:
    """Ratings under all settings as one, [players, fields] of [players, fields * settings].

    `weights` are [settings], or [players, settings].
    """
    lanes = weights.shape[-1]
    by_lane = values.reshape(len(values), len(fields), lanes)
    mean = np.empty((len(values), len(fields)))
    for k, name in enumerate(fields):
        each = by_lane[:, k, :]
        if name in SPREAD_FIELDS:
            apart = by_lane[:, 0, :] - mean[:, :1]
            each = apart**2 + (each if name == VARIANCE else each**2)
        mean[:, k] = (weights * each).sum(axis=1)
        if name == "deviation":
            mean[:, k] = np.sqrt(mean[:, k])
    return mean


# A field called variance is displayed as its root, the deviation.


VARIANCE = "variance"
SPREAD_FIELDS = ("deviation", VARIANCE)


def mix_rows(
    values: Any, logs: Any, lanes: int, spread: int, squares: bool, work: Any, found: Any
) -> None:
    """`mixture` and `weights_of` to the same bits; the last row of `logs` is that of all further
    rows. Field `spread` is a variance, or, where `squares`, a deviation.
    """
    for i in range(len(values)):
        other = i == 0
        if 0 < i < len(logs):  # members of a contest have the same weights
            for k in range(lanes):
                other = other or logs[i, k] != logs[i - 1, k]
        if other:
            top = logs[i, 0]
            for k in range(lanes):
                top = max(top, logs[i, k])
            for k in range(lanes):
                work[k] = polynomial_exp(logs[i, k] - top)
            total = sum_as_numpy(work, 0, lanes)
            for k in range(lanes):
                work[k] = work[k] / total
        for at in range(found.shape[1]):
            first = at * lanes
            if at == spread:
                for k in range(lanes):
                    apart, each = values[i, k] - found[i, 0], values[i, first + k]
                    each = apart * apart + (each * each if squares else each)
                    work[lanes + k] = work[k] * each
            else:
                for k in range(lanes):
                    work[lanes + k] = work[k] * values[i, first + k]
            found[i, at] = sum_as_numpy(work, lanes, lanes)
            if at == spread and squares:
                found[i, at] = sqrt(found[i, at])


def sum_as_numpy(a: Any, first: int, count: int) -> float:
    """The sum of up to `LANES_ADDED_AT_ONCE` numbers in the order in which NumPy adds them up."""
    found: float = 0.0
    if count < 8:
        for k in range(first, first + count):
            found += a[k]
        return found
    p, q, r, s = a[first], a[first + 1], a[first + 2], a[first + 3]
    t, u, v, w = a[first + 4], a[first + 5], a[first + 6], a[first + 7]
    end = first + count - count % 8
    for k in range(first + 8, end, 8):
        p += a[k]
        q += a[k + 1]
        r += a[k + 2]
        s += a[k + 3]
        t += a[k + 4]
        u += a[k + 5]
        v += a[k + 6]
        w += a[k + 7]
    found = ((p + q) + (r + s)) + ((t + u) + (v + w))
    for k in range(end, first + count):
        found += a[k]
    return found


@cache
def compiled_mixing() -> Callable[..., None]:
    """The loop, compiled where that can be."""
    return kernel.compile_if_possible(mix_rows, compiled_forms())


@cache
def displayed_fields(system: Dynamic) -> tuple[str, ...]:
    """The names of the values of a player as they are displayed."""
    return tuple("deviation" if name == VARIANCE else name for name in system.rating._fields)


def display_values(system: Dynamic, values: Floats) -> Floats:
    """Values of players, [players, fields], as they are displayed."""
    if VARIANCE not in system.rating._fields:
        return values
    found, at = values.copy(), system.rating._fields.index(VARIANCE)
    found[:, at] = np.sqrt(found[:, at])
    return found


def displayed_tuple(system: Dynamic, values: Sequence[float]) -> Any:
    """Displayed values of a player as a tuple with names."""
    if VARIANCE not in system.rating._fields:
        return system.rating._make(values)
    return _displayed_shape(displayed_fields(system))._make(values)


def display_rating(system: Dynamic, rating: Sequence[float]) -> Any:
    """One rating as it is displayed, as a tuple with names."""
    return displayed_tuple(
        system,
        [
            float(np.sqrt(value)) if name == VARIANCE else float(value)
            for name, value in zip(system.rating._fields, rating, strict=True)
        ],
    )


def stored_values(system: Dynamic, values: Mapping[str, float]) -> dict[str, float]:
    """Displayed values of a player as the system keeps them; raises Unratable for another name."""
    known = displayed_fields(system)
    if unknown := [name for name in values if name not in known]:
        raise Unratable(
            f"start players with {', '.join(known)}: {system.name} has no {', '.join(unknown)}",
            code="unknown_start",
        )
    kept = dict(values)
    if VARIANCE in system.rating._fields and "deviation" in kept:
        kept[VARIANCE] = kept.pop("deviation") ** 2
    return kept


@cache
def _displayed_shape(fields: tuple[str, ...]) -> Any:
    return namedtuple("Displayed", fields)


@lru_cache(maxsize=4096)
def newcomer(system: Dynamic, p: Any) -> Any:
    """The rating of a player who has not played yet, all fields as floats; of a bank the mean."""
    if isinstance(p, Bank):
        row = newcomers_of_roles(system, p)
        return system.rating._make(mixture(system.rating._fields, row, even(p))[0].tolist())
    if system.newcomer is None:
        fresh = system.rating._replace(**start_values(system, p))
    elif system.common is None:
        fresh = system.newcomer(p)
    else:
        rows, game = first_rows(system, (p,)), game_rules(system.game).pair(0.5)
        assert rows is not None
        fresh = system.newcomer(p, *common_at(system, p, rows, game))
    return type(fresh)(*map(float, fresh))


def start_values(system: Dynamic, p: Any) -> dict[str, float]:
    """The fields of a rating that a parameter sets: `start` the rating, `start_NAME` another."""
    names = {field: f"start_{field}" for field in system.rating._fields} | {"rating": "start"}
    return {field: getattr(p, name) for field, name in names.items() if hasattr(p, name)}


@lru_cache(maxsize=32)
def newcomers_of_roles(system: Dynamic, p: Any, roles: tuple[str | int, ...] = (PLAYER,)) -> Floats:
    """A newcomer's row of the state in each role, [roles, values]: each field under every setting.

    Not to be written.
    """
    rows, count = parameters_of(system, p, roles), len(roles)
    by_role = [[newcomer(system, row) for row in rows[number::count]] for number in range(count)]
    return np.array([np.array(one).T.ravel() for one in by_role])


def newcomer_now(state: State, role: str | int = PLAYER) -> Floats:
    """A newcomer's row of the state after the games so far, of what all games share as it is."""
    system = state.system
    if system.common is None or system.newcomer is None:
        return newcomers_of_roles(system, state.p).ravel()
    game, found = game_rules(system.game).pair(0.5), []
    for lane, p in enumerate(parameters_of(system, state.p, (role,))):
        assert state.common is not None
        common = common_at(system, p, state.common[:, lane :: state.lanes], game)
        found.append(system.newcomer(p, *common))
    return np.array(found, dtype=np.float64).T.ravel()


def even(bank: Bank) -> Floats:
    """The weights of a bank before the first game."""
    return weights_of(first_logs(bank))


def first_logs(bank: Bank) -> Floats:
    """The logarithms of these weights."""
    return np.where(np.arange(len(bank.rows), dtype=np.int64) < bank.count, 0.0, -np.inf)


@lru_cache(maxsize=32)
def parameters_of(system: Dynamic, p: Any, roles: tuple[str | int, ...]) -> tuple[Any, ...]:
    """The parameters of each role, or of players of a crew of so many, setting by setting."""
    known = [
        partial(system.crew, size=one)
        if system.crew is not None and isinstance(one, int)
        else system.roles.get(str(one))
        for one in roles
    ]
    return tuple(row if made is None else made(row) for row in rows_of(p) for made in known)


@lru_cache(maxsize=32)
def parameter_matrix(system: Dynamic, p: Any, roles: tuple[str | int, ...]) -> Floats:
    """The same as numbers, [settings * roles, parameters]; not to be written."""
    return np.array([list(map(float, row)) for row in parameters_of(system, p, roles)])


def factor_of(system: Dynamic, p: Any) -> int:
    """The row of the factor of members with these parameters; -1: none."""
    common = system.common
    return -1 if common is None or common.factor is None else int(common.factor(p))


def factors_of(state: State) -> Floats:
    """The factor by which the shares of each role are multiplied, [settings, roles]."""
    found = np.ones((state.lanes, len(state.roles)))
    if state.common is not None:
        known = parameters_of(state.system, state.p, state.roles)[: len(state.roles)]
        for role, p in enumerate(known):
            if (row := factor_of(state.system, p)) >= 0:
                found[:, role] = state.common[row, : state.lanes]
    return found


def number_roles(
    system: Dynamic, table: Games
) -> tuple[tuple[str | int, ...], NDArray[np.uint8] | None]:
    """What tells the parameters of the members of a table apart, and the number of each member's.

    The roles as `system.roles` calls them, by name, else by kind; then sizes of crews, from 2 to
    that of the largest side on which somebody stood first, where that matters. None: all are alike.
    """
    if table.role is None or not system.roles:
        return (PLAYER,), None
    pairs = zip(table.roles, table.role_kinds, strict=True)
    roles = tuple(name if name in system.roles else kind for name, kind in pairs)
    largest = 1
    if system.crew is not None and table.crew is not None:
        largest = int(table.crew.max(initial=1))
    if table.crew is None or largest == 1:
        return roles, table.role
    behind = (len(roles) - 2 + table.crew.astype(np.int64)).astype(np.uint8)
    number = np.where(table.crew > 1, behind, table.role).astype(np.uint8)
    return (*roles, *range(2, 1 + largest)), number


@dataclass(eq=False)
class State:
    """All that has to be remembered between two tables; rows are players."""

    system: Dynamic
    p: Any
    # [players, fields]; of a bank [players, fields * settings], the settings of a field together
    rating: Floats = field(default_factory=lambda: np.empty((0, 0)))
    seen: Floats = field(default_factory=lambda: np.empty(0))  # clock when last seen; nan: never
    league: Sums | None = None
    logs: Floats | None = None  # [settings] of a bank, the logarithms of their weights
    role: NDArray[np.uint8] | None = None  # [players] where the system tells roles apart
    roles: tuple[str | int, ...] = (PLAYER,)  # see `number_roles`
    first: float = 0.0  # the clock before the first game
    common: Floats | None = None  # [rows, fields * settings]: what all games share and teach
    seasons: tuple[float, ...] = ()  # the numbers of those that began, the last one going on
    room: dict[str, AnyArray] = field(default_factory=dict)  # the buffers behind the arrays
    plain: str = ""  # why a large table was played as plain Python

    @classmethod
    def empty(cls, system: Dynamic, p: Any) -> State:
        """A state without players."""
        lanes = len(rows_of(p))
        state = cls(system, p, np.empty((0, len(system.rating) * lanes)), np.empty(0))
        if isinstance(p, Bank):
            state.logs = first_logs(p)
        if system.common is not None:
            state.common = first_rows(system, rows_of(p))
        if system.league is not None:
            totals = np.array([system.league.empty], dtype=np.float64)
            state.league = Sums(totals, np.zeros((1, 2), dtype=np.int64), np.empty(0))
        return state

    @property
    def lanes(self) -> int:
        """The settings that are played at once: 1, or those of a bank."""
        return len(self.p.rows) if isinstance(self.p, Bank) else 1

    def grow(self, players: int, table: Games | None = None) -> None:
        """Add newcomers up to this many players, who have roles in the table, in place and in rooms
        that double.
        """
        before = len(self.rating)
        if players <= before:
            return
        self.rating = self._extend("rating", self.rating, players)
        roles, role = ((PLAYER,), None) if table is None else number_roles(self.system, table)
        by_role = newcomers_of_roles(self.system, self.p, roles)
        if role is None:
            self.rating[before:] = by_role[0]
        else:
            self.role, self.roles = role[:players], roles
            by_role.take(self.role[before:], axis=0, out=self.rating[before:], mode="clip")
        self.seen = self._extend("seen", self.seen, players)
        self.seen[before:] = np.nan
        if self.league is not None:
            ring = self._extend("ring", self.league.ring, players + 1)
            ring[before + 1 :] = -1
            last = self._extend("last", self.league.last, players)
            last[before:] = 0.0
            self.league = self.league._replace(ring=ring, last=last)

    def _extend(self, name: str, rows: AnyArray, count: int) -> AnyArray:
        self.room[name] = room = extend_rows(rows, count, self.room.get(name))
        return room[:count]

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the room for players to come."""
        return {**vars(self), "room": {}}

    def copy(self, players: int = 0, table: Games | None = None) -> State:
        """A copy that can be played on without touching this one, with newcomers; see `grow`."""
        league = self.league
        if league is not None:
            league = Sums(*(array.copy() for array in league))
        logs = None if self.logs is None else self.logs.copy()
        rating, seen = self.rating.copy(), self.seen.copy()
        common = None if self.common is None else self.common.copy()
        known = (self.role, self.roles, self.first, common, self.seasons)
        state = State(self.system, self.p, rating, seen, league, logs, *known)
        if players > len(rating):
            state.grow(players, table)
        return state

    def drop_players(self) -> None:
        """Keep what all games share alone, in place; players to come take the rooms."""
        self.rating, self.seen = self.rating[:0], self.seen[:0]
        self.role, self.roles = None, (PLAYER,)

    def begin_round(self, before: BeforeRounds, number: int) -> None:
        """What happens before a round, in place: facts change, and a season begins.

        Raises Unratable for a season that returns after another one.
        """
        self.set_facts(before, (number,))
        if before.season is None or (season := float(before.season[number])) in self.seasons[-1:]:
            return
        if season in self.seasons:
            raise before.refuse_season(season, self.seasons[-1])
        if self.seasons:
            begin_season(self)
        self.seasons += (season,)

    def set_facts(self, before: BeforeRounds, rounds: Iterable[int]) -> None:
        """Give players the facts that hold from these rounds on, in place."""
        for change in chain.from_iterable(before.changes.get(number, ()) for number in rounds):
            at = self.system.rating._fields.index(change.field) * self.lanes
            self.rating[change.players, at : at + self.lanes] = change.values[:, None]

    def note_players(self, players: AnyArray) -> None:
        """Note that these players have played, where the loops keep no time."""
        self.seen[players] = np.nan_to_num(self.seen[players], nan=0.0)

    def start_player(self, player: int, values: dict[str, float]) -> None:
        """Let a player begin with these values instead of a newcomer's; raises Unratable."""
        values = stored_values(self.system, values)
        before = self.system.rating._make(self.rating[player, : len(self.system.rating)].tolist())
        fields, lanes = self.system.rating._fields, self.lanes
        if self.system.common is not None:
            self.seen[player] = self.first  # else the first game would make them a newcomer
        for name, value in values.items():
            at = fields.index(name) * lanes
            self.rating[player, at : at + lanes] = value
        if self.league is not None and self.system.league is not None:
            now = self.system.rating._make(self.rating[player].tolist())
            standing = self.system.league.standing
            self.league.totals[0] += np.subtract(standing(self.p, now), standing(self.p, before))
            if self.system.league.active_days and self.league.ring[player + 1, 0] < 0:
                append(self.league.ring, player + 1)
                self.league.last[player] = -np.inf  # not seen: counts where no player falls idle

    def player(self, index: int) -> Any:
        """The rating of one player as the system's own tuple."""
        return self.system.rating._make(self.mix(slice(index, index + 1))[0].tolist())

    def mix(
        self,
        who: slice | Ids = slice(None),
        rating: Floats | None = None,
        logs: Floats | None = None,
        *,
        now: float | None = None,
    ) -> Floats:
        """Ratings, [players, fields]: those of a bank mixed by the weights of its settings.

        They are as at `now` on the system's clock; None: no time passes. `rating` and `logs` take
        the place of the state's own rows and weights.
        """
        values = rating
        if values is None:
            values = self.rating[who] if now is None else rows_at(self, now, who)
        if self.logs is None:
            return values
        logs, fields = self.logs if logs is None else logs, self.system.rating._fields
        linked = compiled_mixing.cache_info().currsize  # then it is quicker for any number of rows
        pays = linked or is_worth_compiling(len(values) / ROWS_MIXED_A_TURN)
        if self.lanes > LANES_ADDED_AT_ONCE or not pays:
            return mixture(fields, values, weights_of(logs))
        found, work = np.empty((len(values), len(fields))), np.empty(2 * self.lanes)
        spread = next((k for k, name in enumerate(fields) if name in SPREAD_FIELDS), -1)
        squares = spread >= 0 and fields[spread] != VARIANCE
        rows = np.ascontiguousarray(logs.reshape(-1, self.lanes))
        compiled_mixing()(
            np.ascontiguousarray(values), rows, self.lanes, spread, squares, work, found
        )
        return found


def initial_state(
    system: Dynamic,
    p: Any,
    players: int,
    start: Mapping[int, Mapping[str, float]],
    table: Games | None = None,
) -> State:
    """The state before the first game; raises Unratable for a value the system does not have.

    `table` says which roles its members have.
    """
    state = State.empty(system, p)
    state.grow(players, table)
    if table is not None and table.time is not None and len(table):
        state.first = float(table.time[0]) / parse_period(system.clock).days
    for player, values in start.items():
        state.start_player(player, dict(values))
    return state


def rows_at(state: State, now: float | None, who: slice | Ids = slice(None)) -> Floats:
    """The rows of the state as they are at `now`; None: no time passes."""
    if now is None or state.system.drift is None:
        return state.rating[who]
    later, seen = state.rating[who].copy(), state.seen[who]
    role = None if state.role is None else state.role[who]
    _age_rows(state, later, seen, role, float(now), later[:1], seasonal=False)
    return later


def begin_season(state: State) -> None:
    """Let a season begin for all who have played, in place."""
    there = ~np.isnan(state.seen)
    if there.any():
        field = state.rating[there].mean(axis=0)[None]
        _age_rows(state, state.rating, state.seen, state.role, 0.0, field, seasonal=True)


def reach_season(state: State, season: str | None, day: float) -> State:
    """The state on a day after its games, where by then a season begins by the day of the year."""
    begins = None if state.system.season is None else parse_day_of_year(season or "")
    number = None if begins is None else float(number_by_day(begins, np.array([day]))[0])
    if number is None or number in state.seasons:
        return state
    state = state.copy()
    begin_season(state)
    state.seasons += (number,)
    return state


def _age_rows(
    state: State, rating: Floats, seen: Floats, role: NDArray[np.uint8] | None, now: float,
    field: Floats, *, seasonal: bool,
) -> None:  # fmt: skip
    """Age rows of ratings in place, or begin a season."""
    system, lanes = state.system, state.lanes
    compiled = is_worth_compiling(len(rating) * lanes, linked=(system, seasonal) in _compiled)
    rows = parameter_matrix(system, state.p, state.roles)
    roles = np.zeros(len(rating), np.int64) if role is None else role.astype(np.int64)
    ageing(system, lanes, compiled, seasonal)(
        rows if compiled else rows.tolist(), len(state.roles), rating, seen, roles, now, field,
        len(rating),
    )  # fmt: skip


_compiled: set[tuple[Dynamic, bool]] = set()  # there already: from now on faster for any number


@cache
def ageing(
    system: Dynamic, lanes: int, compiled: bool, seasonal: bool = False
) -> Callable[..., None]:
    """The loop that ages all players, as plain Python or compiled; see `ageing_loop`."""
    loop = ageing_loop(system, lanes, seasonal=seasonal)
    own = substitutes(compiled) if system.common is not None else {}  # as in the loop of a bank
    if not compiled:
        return rebuild(loop, own) if own else loop
    _compiled.add((system, seasonal))
    return kernel.compile_if_possible(loop, own)
