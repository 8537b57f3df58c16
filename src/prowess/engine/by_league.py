"""Rate each league of a table by itself: to the last bit what the league's own table would give.

Leagues share no player, so a system that keeps no numbers beside its players' plays all of them in
one pass over one state. Every other system rates one league after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile import kernel
from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import call_ahead, is_worth_compiling
from prowess.engine.before_rounds import find_facts, has_changes, note_absent
from prowess.engine.cluster.workers import Serial
from prowess.engine.fit import fit_table
from prowess.engine.fits.connectivity import component_labels, pair_neighbours
from prowess.engine.league_ratings import LeagueRatings, RatedPlayers, name_leagues
from prowess.engine.params import Bank, settings
from prowess.engine.periods import BY_LABEL, BadRounds, Rounds, rounds_of
from prowess.engine.rate import moment, rate, rating_notes
from prowess.engine.replay import play
from prowess.engine.state import (
    State,
    ageing,
    display_values,
    displayed_fields,
    initial_state,
    rows_at,
)
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.table import (
    SEPARATED,
    idle_advantage,
    refuse_unratable,
    up_to,
)
from prowess.engine.whole_table import WholeTable
from prowess.games.by_league import note_seasons
from prowess.games.games import PLAYER
from prowess.games.runs import repeat_rows
from prowess.games.totals import PlayerCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.cluster.workers import Workers
    from prowess.engine.ratings import Ratings
    from prowess.games.by_league import League, LeagueTables
    from prowess.games.games import Games

PLAIN_SECONDS = 2.0  # of play still to come; above it all further leagues run compiled
TASK_SECONDS = 0.2  # of work that a worker is given at once
SEPARATE = "players form groups that never met: ratings of two groups do not compare"


def rate_leagues(
    tables: LeagueTables,
    system: Dynamic | WholeTable,
    *,
    period: str | None = None,
    as_of: float | None = None,
    rules: Sequence[Any] = (),
    level: float = 0.95,
    reference: str | None = None,
    compiled: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
    params: Mapping[str, Any] | None = None,
    workers: Workers | None = None,
) -> LeagueRatings:
    """Rate each league by itself; the arguments are those of `engine.rate` and `engine.fit`.

    `workers` (None: this process) share the leagues where they are not rated in one pass.

    A league that cannot be rated does not stop the others. Raises what the first league raises
    where none can be rated.
    """
    p = settings(system, params or {})
    if not len(tables) or tables.table.time is None:
        up_to(tables.table, as_of)
    alone: Callable[..., Ratings]
    if isinstance(system, WholeTable):
        about: dict[str, Any] = {"level": level, "reference": reference}
        alone = partial(fit_table, system=system, as_of=as_of, params=params, **about)
    else:
        how: dict[str, Any] = {"period": period, "rules": rules, "compiled": compiled}
        alone = partial(rate, system=system, as_of=as_of, params=params, **how)
    kept: dict[int, Ratings] = {}
    errors: dict[int, Exception] = {}
    if as_of is not None:
        whole, tables = tables, tables.before(as_of)
        absent = np.flatnonzero(np.diff(tables.rows) == 0).tolist()
        errors |= {k: _find_error(whole.table_of(k), alone) for k in absent}
        if errors and len(errors) == len(tables):
            raise errors[min(errors)]
    if isinstance(system, Dynamic) and plays_together(system, p, tables.table, period, rules):
        state, rounds = _play_together(tables, system, p, period, compiled, progress)
        errors |= {k: _find_error(tables.table_of(k), alone) for k in _find_lost(tables, state)}
        time, counts = tables.table.time, PlayerCounts.of(tables.table)
        days = None if time is None else time[tables.rows[1:] - 1]
        days = days if as_of is None else np.full(len(tables), as_of)
        of_players = counts.games, counts.last
        players = collect_players(state, rounds, period, tables, days, of_players, errors)
        notes = _notes_together(tables, system, p, period)
    else:
        hurry = compiled is None and isinstance(system, Dynamic) and kernel.available()
        known, beside = tables.table.player_facts, tuple[str, ...]()
        if known is not None and isinstance(system, Dynamic) and find_facts(system, tables.table):
            beside = note_absent(known, tables.table.players)
        chosen = [k for k in range(len(tables)) if k not in errors]
        kept, failed = _rate_apart(tables, chosen, alone, hurry, workers or Serial(), progress)
        errors |= failed
        players = _gather_players(tables, kept)
        notes = merge_notes({tables.leagues[k]: each.notes for k, each in kept.items()}) + beside
    if len(errors) == len(tables):
        raise errors[min(errors)]
    rated = tuple(k for k in range(len(tables)) if k not in errors)
    follow = {} if isinstance(system, WholeTable) else {"follow": True}
    return LeagueRatings(
        system=system,
        p=p,
        period=period,
        tables=tables,
        rated=rated,
        unrated={tables.leagues[k]: str(errors[k]) for k in sorted(errors)},
        players=players,
        rate_alone=partial(_rate_one, tables, partial(alone, **follow)),
        notes=(*notes, *note_seasons(tables.leagues)),
        _kept={tables.leagues[k]: one for k, one in kept.items()},
    )


def _rate_one(tables: LeagueTables, alone: Callable[..., Ratings], league: League) -> Ratings:
    """The ratings of one league."""
    return alone(tables.table_of(tables.leagues.index(league)))


REFUSALS = (Unratable, BadRounds)  # what one league may raise while others are rated


def _find_error(table: Games, alone: Callable[..., Ratings]) -> Exception:
    """What rating a table raises."""
    try:
        alone(table)
    except REFUSALS as error:
        return error
    raise AssertionError("a league that was refused among others can be rated by itself")


# --- all leagues in one pass ----------------------------------------------------------------------


def keeps_players_apart(system: Dynamic, p: Any) -> bool:
    """Whether nothing but the two sides of a game decides how it moves them.

    Then one pass over all leagues gives each what its own table would give.
    """
    shared = (system.common, system.league, system.prepare)
    return all(one is None for one in shared) and not isinstance(p, Bank)


def plays_together(
    system: Dynamic, p: Any, table: Games, period: str | None, rules: Sequence[Any]
) -> bool:
    """Whether all leagues of a table are rated in one pass."""
    alone = keeps_players_apart(system, p) and not rules and period != BY_LABEL
    if not alone or table.role is not None:
        return False
    try:
        refuse_unratable(system, table)
        return not has_changes(system, table)
    except Unratable:
        return False


def _play_together(
    tables: LeagueTables,
    system: Dynamic,
    p: Any,
    period: str | None,
    compiled: bool | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[State, Rounds]:
    """The state of all leagues after their last games, and the rounds that were played."""
    table = tables.table
    rounds = rounds_of(system, table, period, tables.rows)
    state = initial_state(system, p, len(table.players), {}, table)
    with np.errstate(all="ignore"):  # a rating that is not finite is reported, by league
        play(state, table, rounds, compiled=compiled, progress=progress)
    return state, rounds


def _find_lost(tables: LeagueTables, state: State) -> list[int]:
    """The leagues in which a rating is no finite number."""
    lost = np.flatnonzero(~np.isfinite(state.rating).all(axis=1))
    return np.unique(tables.players.searchsorted(lost, side="right") - 1).tolist()  # type: ignore[no-any-return]


def collect_players(
    state: State,
    rounds: Rounds,
    period: str | None,
    tables: LeagueTables,
    days: Floats | None,
    counts: tuple[Ids, Floats | None],
    errors: Collection[int] = (),
) -> RatedPlayers:
    """The players of all leagues, aged to the day of their own league; without those of `errors`.

    `counts` are the games of each player and the day of the last.
    """
    system, ends, values = state.system, tables.players.tolist(), state.rating
    if rounds.clock is not None and days is not None:
        if is_worth_compiling(len(values) * state.lanes):
            ageing(system, state.lanes, compiled=True)
        values = values.copy()
        for k, day in enumerate(days.tolist()):
            if k not in errors:
                now, _ = moment(system, tables.table, rounds, period, day)
                assert now is not None
                who = slice(ends[k], ends[k + 1])
                values[who] = rows_at(state, now, who)
    shown = display_values(system, values)
    games, last = counts
    for k in errors:
        games[ends[k] : ends[k + 1]] = 0  # no player there is ranked
    columns = {name: shown[:, k] for k, name in enumerate(displayed_fields(system))}
    return RatedPlayers(
        league=repeat_rows(np.arange(len(tables), dtype=np.int64), np.diff(tables.players)),
        names=tables.table.players,
        strength=shown[:, 0],
        deviation=columns.get("deviation"),
        columns=columns,
        games=games,
        last=last,
        role=None,
    )


def _notes_together(
    tables: LeagueTables, system: Dynamic, p: Any, period: str | None
) -> tuple[str, ...]:
    """What a reader of all ratings should know; leagues whose players never met are named."""
    table = tables.table
    notes = [*rating_notes(system, table, period), *idle_advantage(system, p, table)]
    if len(table) <= SEPARATED:
        games = pair_neighbours(table)
        group = component_labels(len(table.players), games.a, games.b)
        met = np.unique(np.concatenate((games.a, games.b)))
        first = met[np.unique(group[met], return_index=True)[1]]
        groups = np.bincount(tables.players.searchsorted(first, side="right") - 1)
        apart = [tables.leagues[k] for k in np.flatnonzero(groups > 1).tolist()]
        if apart:
            notes.append(name_leagues(apart, SEPARATE))
    return tuple(notes)


# --- one league after the other -------------------------------------------------------------------


def _rate_apart(
    tables: LeagueTables,
    chosen: Sequence[int],
    alone: Callable[..., Ratings],
    hurry: bool,
    workers: Workers,
    progress: Callable[[int, int], None] | None,
) -> tuple[dict[int, Ratings], dict[int, Exception]]:
    """The ratings of some leagues, by number, and what stopped the others.

    The largest is rated here; the time it takes says whether compiling pays for the others, each
    of which may be too small by itself, and how many of them make a task.
    """
    kept: dict[int, Ratings] = {}
    errors: dict[int, Exception] = {}
    size = np.diff(tables.rows)
    order = sorted(chosen, key=lambda k: -size[k])  # a large one last would keep others waiting
    done, total, began = 0, int(size[order].sum()), perf_counter()
    first = list(Serial().map(try_league, map(tables.table_of, order[:1]), shared=alone))
    a_game = (perf_counter() - began) / max(1, size[order[:1]].sum())
    if hurry and a_game * size[order[1:]].sum() > PLAIN_SECONDS:
        alone = partial(call_ahead, alone)
    group = max(1, int(TASK_SECONDS / (a_game * max(1, size[order].mean())))) if order else 1
    rest = map(tables.table_of, order[1:])
    found = chain(first, workers.map(try_league, rest, shared=alone, group=group))
    for k, one in zip(order, found, strict=True):
        if isinstance(one, Exception):
            errors[k] = one
        else:
            kept[k] = replace(one, table=tables.table_of(k))
        done += int(size[k])
        if progress is not None:
            progress(done, total)
    return {k: kept[k] for k in sorted(kept)}, errors


def try_league(alone: Callable[..., Ratings], table: Games) -> Ratings | Exception:
    """The ratings of a table, or what refuses it; without the table, which the caller has."""
    try:
        return replace(alone(table), table=table.first(0))
    except REFUSALS as error:
        return error


def _gather_players(tables: LeagueTables, kept: Mapping[int, Ratings]) -> RatedPlayers:
    """The players of leagues that were rated one by one."""
    roles = tuple(dict.fromkeys(role for one in kept.values() for role in one.played_table.roles))
    sizes = [len(one.players) for one in kept.values()]
    by_league = [{**one.columns, **one.contexts()} for one in kept.values()]
    columns = {}
    for name in dict.fromkeys(name for each in by_league for name in each):
        columns[name] = np.concatenate([
            each[name] if name in each else np.full(size, None if name[0] != "@" else np.nan)
            for each, size in zip(by_league, sizes, strict=True)
        ])  # fmt: skip
    role = None
    if len(roles) > 1:
        role = np.concatenate([_roles_of(one, roles) for one in kept.values()])
    return RatedPlayers(
        league=repeat_rows(list(kept), sizes),
        names=[name for one in kept.values() for name in one.players],
        strength=np.concatenate([one.strength for one in kept.values()] or [np.empty(0)]),
        deviation=None
        if not kept or any(one.rank_deviation is None for one in kept.values())
        else np.concatenate([one.rank_deviation for one in kept.values()]),
        columns=columns,
        games=np.concatenate([one.game_counts for one in kept.values()] or [np.empty(0, np.int64)]),
        last=None
        if tables.table.time is None
        else np.concatenate([one.last for one in kept.values()] or [np.empty(0)]),
        role=role,
        roles=roles or (PLAYER,),
    )


def _roles_of(ratings: Ratings, roles: Sequence[str]) -> NDArray[np.uint8]:
    """The role of each player by its number in `roles`."""
    table = ratings.played_table
    if table.role is None:
        return np.full(len(ratings.players), roles.index(PLAYER), np.uint8)
    return np.array([roles.index(role) for role in table.roles], np.uint8)[table.role]


def merge_notes(notes: Mapping[League, Sequence[str]]) -> tuple[str, ...]:
    """Notes of all leagues: what holds for each of them as it is, the rest with their names."""
    of_note: dict[str, list[League]] = {}
    for league, several in notes.items():
        for note in several:
            of_note.setdefault(note, []).append(league)
    return tuple(
        note if len(leagues) == len(notes) else name_leagues(leagues, note)
        for note, leagues in of_note.items()
    )
