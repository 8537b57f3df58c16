"""The sides of a game to come, with the members that a system puts beside the players.

`ratings` are `DynamicRatings`, whose module imports this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import rows_of
from prowess.engine.progress import stop_if_unwanted
from prowess.engine.replay import forecast_frozen
from prowess.engine.state import display_values, rows_at
from prowess.games.arguments import refuse
from prowess.games.game_members import has_single_players
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.system import LineUp

Members = list[tuple[int, float]]
AT_ONCE = 20_000  # games


def upcoming_sides(
    ratings: Any,
    sides: Sequence[LineUp],
    side: float,
    categories: Mapping[str, str] | None = None,
) -> tuple[list[Members], dict[str, float]]:
    """All sides with all their members, and the facts of the game or contest.

    What the system puts beside the players of a table it puts beside them here. A member that
    players share, such as an engine family, is that of the player's last game; so is the league,
    unless `categories` name it. These are words by category; raises BadArgument for another word.
    """
    system, table = ratings.system, ratings.table
    assert system.prepare is not None
    line_ups = [[(one, 1.0)] if isinstance(one, int | np.integer) else list(one) for one in sides]
    line_ups = [[(int(player), share) for player, share in one] for one in line_ups]
    shared = [_shared_members(ratings, one) for one in line_ups]
    # of two sides one game; of more the first side of a game against the next one, for each
    paired = line_ups if len(line_ups) == 2 else [x for one in pairwise(line_ups) for x in one]
    paired += [line_ups[-1], line_ups[0]] if len(line_ups) > 2 else []
    games = len(paired) // 2
    facts = _facts_of_game(table, line_ups[0][0][0], categories or {})
    # newcomers stand behind all members; in the table asked about, behind its players
    further = max(0, *(1 + player - len(ratings.players) for one in line_ups for player, _ in one))
    skipped = len(ratings.players) - len(table.players)
    numbers = [
        player if player < len(ratings.players) else player - skipped
        for one in paired for player, _ in one
    ]  # fmt: skip
    names = [*table.players, *(f"newcomer {k}" for k in range(further))] if further else None
    game = Games(
        names or table.players,
        player=np.array(numbers, np.uint32),
        ends=np.cumsum([0, *map(len, paired)]),
        score=np.full(games, np.nan),
        side=np.full(games, float(side)),
        facts={name: np.full(games, number) for name, number in facts.items()},
        labels={name: table.labels[name] for name in facts},
    )
    _, played = system.prepare(ratings.asked, game)
    with_all = set.intersection(*map(set, shared))  # members of all sides make no difference
    found: list[Members] = []
    for at, line_up in enumerate(line_ups):
        place = at if len(line_ups) == 2 else 2 * at
        low, high = (int(end) for end in played.ends[place : place + 2])
        members = dict(line_up)
        for member in played.player[low:high].tolist():
            name = played.players[member]
            if name in ratings.players:
                members.setdefault(ratings.players.index(name), 1.0)
        members |= {one: 1.0 for one in shared[at] if one not in with_all}
        found.append(list(members.items()))
    known = {name: float(column[0]) for name, column in played.facts.items()}
    return found, {n: v for n, v in known.items() if n in system.game._fields}


def _facts_of_game(table: Games, player: int, categories: Mapping[str, str]) -> dict[str, float]:
    """The categories of a game as the numbers of their words; the league is that of the player."""
    found: dict[str, float] = {}
    for name, word in categories.items():
        words = list(table.labels.get(name, ()))
        if word not in words:
            has = f"one of {', '.join(words)}" if words else f"no {name}: the table has none"
            raise refuse(f"name as {name} {has}", word, code="not_that_many_names")
        found[name] = float(words.index(word))
    if "league" in table.facts and "league" not in found:
        places = np.flatnonzero(table.player == player)
        if len(places):
            found["league"] = float(table.facts["league"][table.contest_of_member[places[-1]]])
    return found


def sides_with_shared(table: Games) -> NDArray[np.int64]:
    """The side on which each player last stood beside a shared member, [players]; -1: none."""
    found = np.full(len(table.players), -1)
    if "with" not in table.role_kinds or table.role is None:
        return found
    role = table.role[table.player]
    is_shared = np.array([kind == "with" for kind in table.role_kinds])[role]
    has_shared = np.zeros(len(table.ends) - 1, dtype=bool)
    has_shared[table.side_of_member[is_shared]] = True
    entries = np.flatnonzero((role == 0) & has_shared[table.side_of_member])
    np.maximum.at(found, table.player[entries], table.side_of_member[entries])
    return found


def _shared_members(ratings: Any, line_up: Members) -> list[int]:
    """The members that players share on the side of each player's last contest with one."""
    table, found = ratings.table, []
    for player, _ in line_up:
        side = int(ratings.shared_side[player]) if player < len(ratings.shared_side) else -1
        if side >= 0:
            found += members_shared(table, side)
    return list(dict.fromkeys(found))


def members_shared(table: Games, side: int) -> list[int]:
    """The members of a side that players share."""
    assert table.role is not None
    members = table.player[int(table.ends[side]) : int(table.ends[side + 1])].tolist()
    return [one for one in members if table.role_kinds[table.role[one]] == "with"]


def values_with_shared(ratings: Any) -> NDArray[np.float64] | None:
    """Values of players together with the shared members of their last game; None: no such.

    Of a system that puts further members beside players, in games of one player a side: an engine
    with its family. Shape [players, fields]; deviations are those of the sums.
    """
    table, system = ratings.table, ratings.system
    if system.prepare is None or not table.pairwise or not has_single_players(table):
        return None
    side, fields = ratings.shared_side, system.rating._fields
    if not (side >= 0).any() or fields != ("rating", "variance"):
        return None
    now = ratings.state.rating if ratings.now is None else rows_at(ratings.state, ratings.now)
    total = now.copy()
    for player in np.flatnonzero(side >= 0).tolist():
        for member in members_shared(table, int(side[player])):
            total[player] += now[member]
    return display_values(system, ratings.state.mix(rating=total))


# --- many games at once ---------------------------------------------------------------------------


def forecast_pairs(
    ratings: Any, a: NDArray[np.int64], b: NDArray[np.int64], side: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """The expected scores of games of a against b and their chances of a draw, [games].

    They are those of `ratings.chances` to 1e-9, a pass over arrays for AT_ONCE games each; chances
    of a draw are None where the system has no model of them. Ends where it is not wanted any more,
    see `progress.stop_when`.
    """
    state = ratings.state
    if ratings.now is not None:
        state = replace(state, rating=rows_at(state, ratings.now))
    expected, drawn = [np.empty(0)], [np.empty(0)]
    for at in range(0, len(a), AT_ONCE):
        stop_if_unwanted()
        part = slice(at, at + AT_ONCE)
        found, draws = forecast_frozen(
            state, _upcoming_games(ratings, a[part], b[part], side[part])
        )
        expected.append(found)
        drawn += [] if draws is None else [draws]
    return np.concatenate(expected), None if len(drawn) < len(expected) else np.concatenate(drawn)


def _upcoming_games(
    ratings: Any, a: NDArray[np.int64], b: NDArray[np.int64], side: NDArray[np.float64]
) -> Games:
    """The games of `upcoming_sides` as one table, with the numbers of the rated members."""
    system, table = ratings.system, ratings.table
    both = np.stack((a, b), axis=1).ravel()
    if system.prepare is None:
        first, second = (column.astype(np.uint32) for column in (a, b))
        return Games(ratings.players, first, second, np.full(len(a), 0.5), side=side)
    firsts = np.unique(a)
    known = {int(player): _facts_of_game(table, int(player), {}) for player in firsts}
    names = list(next(iter(known.values()), {}))
    of_first = firsts.searchsorted(a)
    facts = {
        name: np.array([known[int(player)].get(name, np.nan) for player in firsts])[of_first]
        for name in names
    }
    asked = Games(
        table.players, player=both.astype(np.uint32), ends=np.arange(len(both) + 1),
        score=np.full(len(a), np.nan), side=side, facts=facts,
        labels={name: table.labels[name] for name in facts},
    )  # fmt: skip
    _, played = system.prepare(ratings.asked, asked)
    number = np.array([_number_of(ratings.players, name) for name in played.players])
    shared = {int(k): _shared_members(ratings, [(int(k), 1.0)]) for k in np.unique(both)}
    if not any(shared.values()):  # no member twice in a side
        placed = number[played.player]
        rated = placed >= 0
        members, ends = placed[rated], np.append(0, np.cumsum(rated))[played.ends]
    else:
        members, ends = _members_with_shared(both, shared, number, played)
    fields = system.game._fields
    (settings, *_) = rows_of(ratings.state.p)
    told = {
        name: np.full(len(a), getattr(settings, name)) for name in fields if hasattr(settings, name)
    }
    told |= {name: column for name, column in played.facts.items() if name in fields}
    return Games(
        ratings.players, player=members.astype(np.uint32), ends=ends,
        score=np.full(len(a), 0.5), side=played.side, role=ratings.state.role,
        roles=ratings.played_table.roles, role_kinds=ratings.played_table.role_kinds,
        facts=told,
    )  # fmt: skip


def _members_with_shared(
    both: NDArray[np.int64],
    shared: Mapping[int, list[int]],
    number: NDArray[np.int64],
    played: Games,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rated members of all sides and where sides end, with the members that players share."""
    members: list[int] = []
    ends = [0]
    for game in range(len(both) // 2):
        beside = [shared[int(both[2 * game + at])] for at in (0, 1)]
        for at in (0, 1):
            low, high = played.ends[2 * game + at : 2 * game + at + 2]
            found = dict.fromkeys(number[played.player[low:high]].tolist())
            found.pop(-1, None)  # that no game has rated
            found |= dict.fromkeys(one for one in beside[at] if one not in beside[1 - at])
            members += found
            ends.append(len(members))
    return np.array(members), np.array(ends)


def _number_of(players: Any, name: str) -> int:
    """The number of a member; -1 for one that is not rated."""
    return int(players.index(name)) if name in players else -1
