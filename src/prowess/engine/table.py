"""Tables of results in the engine: cut, check, join and count them; sides and contexts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.engine.before_rounds import note_changes
from prowess.engine.fits.connectivity import met_sizes
from prowess.engine.leaderboard import find_player
from prowess.engine.params import parameters, rows_of
from prowess.engine.rows import game_rules
from prowess.engine.system import Choice, Unratable
from prowess.games.dates import format_date
from prowess.games.games import BYE, OF_MEMBERS, OF_SIDES, Games, RoleKind
from prowess.games.names import Roster
from prowess.games.player_facts import PlayerFacts
from prowess.games.reading import find_heading, list_some

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.params import Parameter
    from prowess.engine.system import Dynamic
    from prowess.engine.whole_table import Points, WholeTable


OF_GAMES = frozenset(
    {"score", "time", "round", "side", "weight", "margin", "length", "points_a", "points_b"}
)  # columns that every table of games may have


def take_column(table: Games, name: str) -> tuple[AnyArray, Sequence[str] | None]:
    """A fact, or else a column of its own, [rows], and the words of its numbers.

    Raises Unratable where the table has none.
    """
    values = table.facts.get(name, getattr(table, name) if name in OF_GAMES else None)
    if values is None or len(values) != len(table):
        raise Unratable.of("column_not_kept.table", name=name)
    return values, table.labels.get(name)


def number_clusters(table: Games, name: str) -> Ids:
    """The values of a column as numbers from 0, [rows]; raises Unratable for empty cells too."""
    values, words = take_column(table, name)
    if words is not None and "" in words and (values == words.index("")).any():
        empty = int((values == words.index("")).sum())
        read = find_heading(table.reading.columns, name)
        raise Unratable.of("value_missing.table", read=read, empty=empty)
    return np.asarray(np.unique(values, return_inverse=True)[1])


def seat_starters(table: Games, start: Iterable[str]) -> tuple[Games, tuple[str, ...]]:
    """The table with players who have starting values and no game, and a note that names them.

    They have no rank; forecasts take their values. Raises UnknownPlayer for the name of a player
    in other letters.
    """
    known = set(table.players) if start else set()
    absent = [name for name in start if name not in known]
    if not absent:
        return table, ()
    folded = {name.casefold() for name in known}
    for name in absent:
        if name.casefold() in folded:
            find_player(table.players, name)
    role = None if table.role is None else np.append(table.role, np.zeros(len(absent), np.uint8))
    note = (
        f"forecasts alone take the starting values of players without a game: {list_some(absent)}"
    )
    return table.replace(players=(*table.players, *absent), role=role), (note,)


def first_and_last(time: NDArray[np.float64] | None) -> tuple[float, float] | None:
    """The least and the greatest of some days; None where there are none."""
    return None if time is None or not len(time) else (float(time.min()), float(time.max()))


def up_to(table: Games, day: float | None) -> Games:
    """The table up to a day (days since 1970, inclusive); None: all of it.

    Raises Unratable where the table has no dates, or nothing is left.
    """
    first = None if table.time is None or not len(table) else float(table.time[0])
    kept = before_day(table, day)
    if not len(kept):
        raise empty_table(first, day)
    return kept


def before_day(table: Games, day: float | None) -> Games:
    """The contests up to a day (inclusive); raises Unratable where the table has no dates."""
    if day is None:
        return table
    if table.time is None:
        raise Unratable.of("no_dates.table")
    if not isfinite(day):
        raise Unratable.of("not_a_day.table", day=day)
    return table.before(day)


def empty_table(first: float | None, day: float | None) -> Unratable:
    """The error for a table of which no contest up to a day is left; the first was on another."""
    text = "give a table with games: no games are left to rate"
    if day is not None and first is not None:
        text = (
            f"give as_of as {format_date(first)} or later: no game is as old as "
            f"{format_date(day)}, and that is the day of the first one"
        )
    return Unratable(text, code="empty_table")


def refuse_unratable(system: Dynamic | WholeTable, table: Games) -> None:
    """Raise Unratable for a table with weights, teams or facts that the system cannot take."""
    if table.weight is not None and not system.weights:
        raise Unratable.of("weights_not_taken", system=system.name)
    if BYE in table.roles and not getattr(system, "byes", False):
        raise Unratable.of("bye_is_no_game", system=system.name)
    if not getattr(system, "teams", False) and not table.single:
        raise Unratable.of("no_teams.table", system=system.name)
    if (law := getattr(system, "points", None)) is not None:
        refuse_points(law, table)
    if not table.pairwise and getattr(system, "passes", 1) > 1:
        raise Unratable.of("contests_not_taken.table", system=system.name)
    game = getattr(system, "game", None)
    prepared = getattr(system, "prepare", None) is not None
    for name in () if game is None or prepared else game_rules(game).columns.values():
        if name not in {*OF_GAMES, *table.facts, *system.uses} and len(table):
            raise Unratable.of("column_needed.table", name=name, system=system.name)


def refuse_points(law: Points, table: Games) -> None:
    """Raise Unratable, naming the first game, for points that a system does not take."""
    for values in (table.points_a, table.points_b):
        wrong = [] if values is None else np.flatnonzero(~law.take(values)).tolist()
        if values is not None and wrong:
            k = wrong[0]
            raise Unratable(
                f"give {law.wanted} in every game, or leave the game out: "
                f"{table.players[table.a[k]]} against {table.players[table.b[k]]}, game {k + 1} "
                f"of the table, has {values[k]:g}",
                code="not_goals" if law.whole else "negative_points",
            )


def assumptions(system: Dynamic | WholeTable, table: Games) -> tuple[str, ...]:
    """The assumptions of a system about this table, as notes."""
    changes: tuple[str, ...] = ()
    if table.player_facts or table.season or getattr(system, "season", None):
        changes = note_changes(system, table)
    if not table.pairwise:
        return changes
    notes = [
        f"the table has no {name}: {system.name} takes its default"
        + ("" if name in OF_GAMES else f" (--facts {name} keeps a column)")
        for name in system.uses
        if name not in {**table.columns, **table.facts}
    ]
    if table.weight is not None:
        notes.append(
            f"games count by the table's weight, from {table.weight.min():g} to "
            f"{table.weight.max():g} (--weight none leaves it out)"
        )
    return (*notes, *changes)


# --- the advantage of a side (White, the home ground) ---------------------------------------------


ADVANTAGE = "advantage"  # the name of the parameter, in every system that has one


def advantage_parameter(system: Dynamic | WholeTable) -> Parameter | None:
    """The parameter that is the advantage of a side; None where the system has none."""
    return parameters(system).get(ADVANTAGE)


def has_sides(table: Games) -> bool:
    """Whether a table says of some game which side had the advantage."""
    return table.pairwise and table.side is not None and bool(table.side.any())


def idle_advantage(system: Dynamic | WholeTable, p: Any, table: Games) -> tuple[str, ...]:
    """A note where an advantage is set and the table has no sides, so that it moves nothing."""
    largest = max((getattr(row, ADVANTAGE, 0) for row in rows_of(p)), key=abs)
    if not largest or has_sides(table):
        return ()
    if isinstance(parameters(system)[ADVANTAGE].domain, Choice):  # fitted by the system
        return ()
    why = (
        "the table has no sides (--sides a: the first side has it)"
        if table.pairwise
        else "contests have no sides"
    )
    return (f"{ADVANTAGE} = {largest:g} moves nothing: {why}",)


WILD = 0.3  # a volatility, five times that of a newcomer


def wild_volatility(system: Dynamic, rating: Floats) -> tuple[str, ...]:
    """A note where a volatility is so large that ratings hardly hold; `rating` is that of the
    state, [players, fields x lanes].
    """
    if "volatility" not in system.rating._fields or not len(rating):
        return ()
    lanes = rating.shape[1] // len(system.rating)
    at = system.rating._fields.index("volatility") * lanes
    most = float(np.nanmax(rating[:, at : at + lanes]))
    if most <= max(WILD, system.rating[at // lanes]):
        return ()
    remedy = "rate whole periods (--period 1mo) or set volatility_max"
    return (f"{remedy}: a volatility is {most:.2g}, so ratings swing",)


def count_pairs(table: Games) -> int:
    """The number of pairs of opponents in all contests."""
    if table.pairwise:
        return len(table)
    size = np.diff(table.start)
    return int((size * (size - 1) // 2).sum())


# --- two tables as one ----------------------------------------------------------------------------


DEFAULTS = {
    "weight": 1.0,
    "share": 1.0,
}  # what a table that lacks a column says by its silence; 0 elsewhere
PLAYERS = frozenset({"a", "b", "player"})  # columns of the players' numbers
BOUNDS = frozenset({"start", "ends"})  # columns of where runs begin and end


def join_tables(first: Games, second: Games) -> Games:
    """Two tables of one form as one, the second after the first; players keep their numbers.

    Raises Unratable where the second begins before the first ends, or only one has dates.
    """
    if first.pairwise is not second.pairwise:
        raise Unratable.of("kinds_not_joined", unit=first.unit, other_unit=second.unit)
    if first.duels is not second.duels:
        first, second = by_members(first), by_members(second)
    if (first.time is None) != (second.time is None):
        raise Unratable.of("dates_of_one_table")
    times = first.time, second.time
    both = len(first) and len(second)
    if both and times[0] is not None and times[1] is not None and times[1][0] < times[0][-1]:
        raise Unratable.of("games_too_early")
    players, renumbered = _roster(first.players, second.players)
    again = {name: renumbered[column] for name, column in second.columns.items() if name in PLAYERS}
    if first.round is not None and second.round is not None and len(first):
        again["round"] = second.round + first.round.max() + 1
    columns = join_columns([first, second.replace(players=players, **again)])
    facts, labels = _joined_facts(first, second)
    roles, role = _joined_roles(first, second, renumbered, len(players))
    kinds = _joined_kinds(first, second, roles)
    return Games(
        players, **columns, facts=facts, labels=labels, role=role, roles=roles, role_kinds=kinds,
        season=second.season or first.season,
        player_facts=second.player_facts or first.player_facts,
        reading=first.reading.join(second.reading),
    )  # fmt: skip


def join_columns(tables: Sequence[Games]) -> dict[str, Any]:
    """The columns of tables of one form, one after the other; players have the same numbers."""
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for one in tables for name in one.columns):
        if name in BOUNDS:  # of sides of one member they need not be stored
            bounds = [getattr(one, name) for one in tables]
            begins = np.cumsum([0, *(int(one[-1]) for one in bounds[:-1])], dtype=np.int64)
            runs = [one[1:] + at for one, at in zip(bounds, begins, strict=True)]
            columns[name] = np.concatenate([np.zeros(1, np.int64), *runs])
            continue
        parts = [
            one.columns.get(name, np.full(_length(one, name), DEFAULTS.get(name, 0.0)))
            for one in tables
        ]
        columns[name] = np.concatenate(parts)
    return columns


def by_members(table: Games) -> Games:
    """The same games with the columns of members, also where sides have one each."""
    if not table.duels:
        return table
    player, ends = table.player.astype(np.uint32), np.asarray(table.ends, np.int64)
    return table.replace(a=None, b=None, player=player, ends=ends)


def _joined_facts(first: Games, second: Games) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts of both tables, and the words of those that are categories."""
    facts, labels = {}, {}
    for name in dict.fromkeys((*first.facts, *second.facts)):
        worded = name in first.labels or name in second.labels
        # a season is not made up: these games have none
        missing = nan if name == (second.season or first.season) and not worded else 0.0
        one = first.facts.get(name, np.full(len(first), missing))
        other = second.facts.get(name, np.full(len(second), missing))
        if worded:
            words = {word: at for at, word in enumerate(first.labels.get(name, ("",)))}
            again = [words.setdefault(w, len(words)) for w in second.labels.get(name, ("",))]
            other = np.array(again, dtype=np.float64)[other.astype(np.int64)]
            labels[name] = tuple(words)
        facts[name] = np.concatenate((one, other))
    return facts, labels


def _joined_roles(
    first: Games, second: Games, renumbered: NDArray[np.uint32], players: int
) -> tuple[tuple[str, ...], NDArray[np.uint8] | None]:
    """The roles of both tables, and that of every player; raises Unratable for two of one."""
    if first.role is None and second.role is None:
        return first.roles, None
    number = {name: at for at, name in enumerate(first.roles)}
    again = np.array([number.setdefault(name, len(number)) for name in second.roles])
    role = np.zeros(players, dtype=np.uint8)
    role[renumbered] = again[_roles(second)]
    role[: len(first.players)] = before = _roles(first)
    changed = again[_roles(second)] != role[renumbered]
    if changed.any() and len(before):
        name = second.players[int(np.flatnonzero(changed)[0])]
        raise Unratable.of("roles_not_joined.player", name=name)
    return tuple(number), role


def _joined_kinds(first: Games, second: Games, roles: Sequence[str]) -> tuple[RoleKind, ...]:
    """The kind of each role of both tables; raises Unratable for two of one role."""
    kinds = dict(zip(first.roles, first.role_kinds, strict=True))
    for role, kind in zip(second.roles, second.role_kinds, strict=True):
        if kinds.setdefault(role, kind) != kind:
            raise Unratable.of("roles_not_joined.role", role=role)
    return tuple(kinds[role] for role in roles)


def _roles(table: Games) -> NDArray[np.uint8]:
    return np.zeros(len(table.players), np.uint8) if table.role is None else table.role


def _roster(
    first: Sequence[str], second: Sequence[str]
) -> tuple[Sequence[str], NDArray[np.uint32]]:
    """The first roster with the newcomers of the second, and where each of the second is in it.

    Without newcomers it is the first itself, of whatever kind it is.
    """
    if second is first:
        return first, np.arange(len(first), dtype=np.uint32)
    number = {name: index for index, name in enumerate(first)}
    renumbered = [number.setdefault(name, len(number)) for name in second]
    players = first if len(number) == len(first) else Roster(number)
    return players, np.array(renumbered, dtype=np.uint32)


def _length(table: Games, column: str) -> int:
    """How many entries such a column of the table has."""
    if column in OF_MEMBERS:
        return len(table.player)
    return len(table.place) if column in OF_SIDES else len(table)


# --- contexts: the member `Nadal@clay` belongs to the player Nadal --------------------------------


MOST_CONTEXTS = 12  # columns of a leaderboard


class InContext(NamedTuple):
    """A member for a context and the player it belongs to, both by number."""

    context: str
    player: int
    member: int


def members_in_contexts(table: Games, players: Sequence[str]) -> Iterator[InContext]:
    """The members for contexts: of roles with members of one player each, those called
    PLAYER@CONTEXT.
    """
    of_one = [number for number, kind in enumerate(table.role_kinds) if kind == "per"]
    if table.role is None or not of_one:
        return
    number = {name: k for k, name in enumerate(players)}
    for k in np.flatnonzero(np.isin(table.role, of_one)).tolist():
        player, mark, context = players[k].rpartition("@")
        at = number.get(player)
        if mark and at is not None and not table.role[at]:
            yield InContext(context, at, k)


SEPARATED = 300_000  # contests in which groups are looked for; more take noticeable time
IN_TWO_GROUPS = 4  # players at least: a group has two


def separation_note(table: Games) -> tuple[str, ...]:
    """A note where players form groups that never met."""
    if not 0 < len(table) <= SEPARATED or len(table.players) < IN_TWO_GROUPS:
        return ()
    if len(sizes := met_sizes(table)) < 2:
        return ()
    shown = " and ".join(f"{size:,}" for size in sizes[:2])
    shown = f"{len(sizes):,} groups ({shown}{', ...' if len(sizes) > 2 else ''} players)"
    return (f"players form {shown} that never met: ratings of two groups do not compare",)


def context_note(table: Games) -> tuple[str, ...]:
    """A note where a table with roles has more contexts than a leaderboard has columns."""
    assert table.role is not None
    found = list(members_in_contexts(table, table.players))
    count = len({one.context for one in found})
    if count <= MOST_CONTEXTS:
        return ()
    roles = sorted({int(table.role[one.member]) for one in found})
    where = ", ".join(f"--role {table.roles[role]}" for role in roles)
    return (f"{count} contexts, too many for columns: see {where}",)


# --- a table as plain data and arrays, for files: all of it but its roster and its reading --------


def pack_table(table: Games) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """The names of its columns with the words of its categories, and the columns."""
    known: dict[str, Any] = {
        "facts": list(table.facts),
        "columns": list(table.columns),
        "labels": {name: list(words) for name, words in table.labels.items()},
        "roles": list(table.roles),
        "role_kinds": list(table.role_kinds),
    }
    known["season"] = table.season
    if table.player_facts is not None:
        known["player_facts"] = table.player_facts.to_dict()
    arrays: dict[str, Any] = {f"column_{name}": column for name, column in table.columns.items()}
    arrays |= {f"fact_{name}": column for name, column in table.facts.items()}
    if table.role is not None:
        arrays["role"] = table.role
    return known, arrays


def unpack_table(
    known: Mapping[str, Any],
    arrays: Mapping[str, AnyArray],
    players: Sequence[str],
    **further: Any,
) -> Games:
    """The table again; `further` as `Games` takes it."""
    columns: dict[str, Any] = {name: arrays[f"column_{name}"] for name in known["columns"]}
    return Games(
        players,
        **columns,
        facts={name: arrays[f"fact_{name}"] for name in known["facts"]},
        labels={name: tuple(words) for name, words in known["labels"].items()},
        role=arrays.get("role"),
        roles=tuple(known["roles"]),
        role_kinds=tuple(known["role_kinds"]),
        season=known.get("season"),
        player_facts=PlayerFacts.from_dict(facts) if (facts := known.get("player_facts")) else None,
        **further,
    )
