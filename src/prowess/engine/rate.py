"""A table of results and a system: ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.leaderboard import found
from prowess.engine.params import settings
from prowess.engine.periods import period_of
from prowess.engine.ratings import Ratings
from prowess.engine.replay import State, Unratable, begun, play
from prowess.engine.rounds import BY_LABEL, Rounds, rounds_of
from prowess.engine.rules import Population, Rule, play_with_rules
from prowess.engine.system import Dynamic
from prowess.games.games import Contests, Games

if TYPE_CHECKING:
    from numpy.typing import NDArray


def rate(
    table: Games | Contests,
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
) -> Ratings:
    """Rate a table.

    `period` (`7d`, `1mo`, ..., or `round` for the table's own rounds) judges all games of a
    period by the ratings before it; None rates game by game. `as_of` (days since 1970) leaves
    later games out and ages idle players to that day. `start` gives players other values than
    a newcomer's, by name. `rules` act against inflation between rounds (see `rules`).
    `compiled` None chooses by size; the numbers are the same.

    Raises Unratable, BadRounds, BadPeriod, BadSetting, UnknownPlayer.
    """
    p = settings(system, params or {})
    if as_of is not None:
        if table.time is None:
            raise Unratable("as_of needs dates, and the table has none")
        if not isfinite(as_of):
            raise Unratable(f"as_of = {as_of} is no day")
        table = table.before(as_of)
    if not len(table):
        raise Unratable("no games are left to rate")
    _refuse_weights(system, table)
    rounds = rounds_of(system, table, period)
    if rounds.order is not None and isinstance(table, Games):
        table = reordered(table, rounds.order)
    given = {found(table.players, name): dict(values) for name, values in (start or {}).items()}
    for player, values in given.items():
        _refuse_impossible(table.players[player], values)
    state = begun(system, p, len(table.players), given)
    count = len(table.player) if isinstance(table, Contests) else len(table)
    expected = np.full(count, np.nan) if forecasts else None
    population = Population() if rules else None
    options: dict[str, Any] = {"forecasts": expected, "compiled": compiled, "progress": progress}
    with np.errstate(all="ignore"):  # what leaves the numbers is reported below, by name
        if population is None:
            play(state, table, rounds, **options)
        else:
            play_with_rules(state, population, rules, table, rounds, until=as_of, **options)
    _refuse_lost_numbers(state, table, rounds, given, rules)
    if expected is not None and rounds.order is not None:
        in_table_order = np.empty_like(expected)
        in_table_order[rounds.order] = expected
        expected = in_table_order
    games, last = appearances(table)
    now, day = _now(system, table, rounds, period, as_of)
    return Ratings(
        system=system,
        p=p,
        players=table.players,
        state=state,
        games=games,
        last=last,
        table=table,
        rounds=rounds,
        period=period,
        now=now,
        day=day,
        start=given,
        notes=_notes(system, table, period),
        forecasts=expected,
        rules=tuple(rules),
        population=population,
    )


def rate_on(ratings: Ratings, more: Games | Contests) -> Ratings:
    """Play further games onto ratings: the same numbers as rating the whole table at once.

    Only the new games are played. Raises Unratable for games that are earlier than the last one
    or that belong to a period already closed: rate the whole table again for those.
    """
    _refuse_weights(ratings.system, more)
    if ratings.period == BY_LABEL:
        raise Unratable(
            "whether a round goes on in another table cannot be told: rate the whole table again"
        )
    table = joined(ratings.table, more)
    rounds = rounds_of(ratings.system, table, ratings.period)
    played = _round_count(ratings.table, ratings.rounds)
    if rounds.order is not None or (
        rounds.bounds is not None
        and not np.array_equal(rounds.bounds[: played + 1], _bounds(ratings.rounds))
    ):
        raise Unratable(f"these games belong to a {ratings.period} that is already closed")
    if ratings.rules or ratings.forecasts is not None:
        raise Unratable("ratings with rules or forecasts are made from the whole table")
    state = ratings.state.copied().grown(len(table.players))
    with np.errstate(all="ignore"):
        play(state, table, rounds, span=(played, _round_count(table, rounds)))
    _refuse_lost_numbers(state, table, rounds, ratings.start)
    games, last = appearances(table)
    now, day = _now(ratings.system, table, rounds, ratings.period, None)
    return replace(
        ratings,
        players=table.players,
        state=state,
        games=games,
        last=last,
        table=table,
        rounds=rounds,
        now=now,
        day=day,
    )


def _bounds(rounds: Rounds) -> NDArray[np.int64]:
    assert rounds.bounds is not None
    return rounds.bounds


def _round_count(table: Games | Contests, rounds: Rounds) -> int:
    return len(table) if rounds.bounds is None else len(rounds.bounds) - 1


DEFAULTS = {"weight": 1.0}  # what a table that lacks a column says by its silence; 0 elsewhere


def joined(first: Any, second: Any) -> Any:
    """Two tables of one kind as one, the second after the first; players keep their numbers.

    Raises Unratable where the second begins before the first ends, or only one has dates.
    """
    if type(first) is not type(second):
        raise Unratable("games and contests cannot be joined")
    if (first.time is None) != (second.time is None):
        raise Unratable("one table has dates and the other has none")
    if first.time is not None and len(second) and second.time[0] < first.time[-1]:
        raise Unratable("these games begin before the last one rated: rate the whole table again")
    number = {name: index for index, name in enumerate(first.players)}
    renumbered = np.array(
        [number.setdefault(name, len(number)) for name in second.players], dtype=np.uint32
    )
    columns: dict[str, Any] = {"players": type(first.players)(number)}
    for column in fields(first):
        one, other = getattr(first, column.name), getattr(second, column.name)
        if column.name == "players" or (one is None and other is None):
            continue
        if column.name in ("a", "b", "player"):
            other = renumbered[other]
        elif column.name == "start":
            other = other[1:] + one[-1]
        elif column.name == "round" and one is not None and other is not None and len(one):
            other = other + one.max() + 1
        fill = DEFAULTS.get(column.name, 0.0)
        one = np.full(_length(first, column.name), fill) if one is None else one
        other = np.full(_length(second, column.name), fill) if other is None else other
        columns[column.name] = np.concatenate((one, other))
    return type(first)(**columns)


def _length(table: Any, column: str) -> int:
    return len(table.player) if column == "points" and isinstance(table, Contests) else len(table)


def reordered(games: Games, order: NDArray[np.int64]) -> Games:
    """The same games in another order."""
    columns = {
        column.name: getattr(games, column.name)[order]
        for column in fields(games)
        if column.name != "players" and getattr(games, column.name) is not None
    }
    return replace(games, **columns)


def appearances(table: Games | Contests) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Per player the number of games (or contests) and the day of the last one."""
    players = len(table.players)
    time = table.time
    if isinstance(table, Contests):
        sides = (table.player,)
        if time is not None:
            time = np.repeat(time, np.diff(table.start))
    else:
        sides = (table.a, table.b)  # type: ignore[assignment]
    count = np.zeros(players, dtype=np.int64)
    last = None if time is None else np.full(players, np.nan)
    for side in sides:
        count += np.bincount(side, minlength=players)
        if last is not None and time is not None:
            latest = np.full(players, np.nan)
            latest[side] = time  # ascending, so the latest is written last
            last = np.fmax(last, latest)
    return count, last


def _now(
    system: Dynamic,
    table: Games | Contests,
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
        return float(period_of(period).number(np.array([day]))[0]), day
    return day / period_of(system.clock).days, day


def _notes(system: Dynamic, table: Games | Contests, period: str | None) -> tuple[str, ...]:
    """What a reader of the ratings should know and might not expect."""
    notes = []
    if isinstance(table, Games):
        absent = [name for name in system.uses if getattr(table, name, None) is None]
        notes += [f"the table has no {name}: {system.name} takes its default" for name in absent]
        if period is None and system.by_period:
            notes.append(
                f"{system.name} game by game; its source rates whole periods (--period 1mo)"
            )
        if table.weight is not None:
            notes.append(
                f"games count by the table's weight, from {table.weight.min():g} to "
                f"{table.weight.max():g} (--weight none leaves it out)"
            )
    else:
        alone = int((np.diff(table.start) == 1).sum())
        if alone:
            notes.append(f"contests of a single player, which rate nobody: {alone:,}")
    return tuple(notes)


SPREADS = ("deviation", "volatility")  # above 0
COUNTS = ("k", "games", "wins", "losses", "times", "waited")  # 0 or more


def _refuse_impossible(name: str, values: Mapping[str, float]) -> None:
    """Raise Unratable, naming the player, for a start that no player can have."""
    if not np.isfinite(list(values.values())).all():
        raise Unratable(f"{name!r} starts with {values}: not finite numbers")
    for field, value in values.items():
        if field in SPREADS and value <= 0.0:
            raise Unratable(f"{name!r}: a start with {field} = {value:g}: it is above 0")
        if field in COUNTS and value < 0.0:
            raise Unratable(f"{name!r}: a start with {field} = {value:g}: it is at least 0")


def _refuse_weights(system: Dynamic, table: Games | Contests) -> None:
    if table.weight is not None and not system.weights:
        raise Unratable(
            f"{system.name} counts whole games and cannot use the weights of this table; "
            'weight="none" (--weight none) leaves them out'
        )


def _refuse_lost_numbers(
    state: State,
    table: Games | Contests,
    rounds: Rounds,
    start: Mapping[int, Mapping[str, float]],
    rules: Sequence[Rule] = (),
) -> None:
    """Raise Unratable, naming player and game, if a rating is no longer a finite number.

    With rules the game is not looked for: what they did between games would have to be replayed.
    """
    finite = np.isfinite(state.rating).all(axis=1)
    if finite.all():
        return
    system = state.system
    low, high = 0, len(table) if rounds.bounds is None else len(rounds.bounds) - 1
    while high - low > 1 and not rules:  # the first round after which a number is lost, by halving
        middle = (low + high) // 2
        trial = begun(system, state.p, len(state.rating), start)
        with np.errstate(all="ignore"):
            play(trial, table, rounds, span=(0, middle))
        if np.isfinite(trial.rating).all():
            low = middle
        else:
            high = middle
            finite = np.isfinite(trial.rating).all(axis=1)
    name = table.players[int(np.flatnonzero(~finite)[0])]
    reason = system.breaks.get("finite", "try shorter periods or smaller constants")
    unit = (
        "contest" if isinstance(table, Contests) else "game" if rounds.bounds is None else "round"
    )
    when = f" after {unit} {high}" if not rules else ""
    raise Unratable(f"{system.name}: the rating of {name!r} is no finite number{when}: {reason}")
