"""The sides of a game to come, with the members that a system puts beside the players.

`ratings` are `DynamicRatings`, whose module imports this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.game_forecast import make_line_up
from prowess.engine.params import rows_of
from prowess.engine.progress import stop_if_unwanted
from prowess.engine.replay import forecast_frozen
from prowess.engine.state import State, display_values, newcomer_now, rows_at
from prowess.games.arguments import refuse
from prowess.games.game_members import MOST_IN_CREW, has_single_players
from prowess.games.games import PLAYER, Games

if TYPE_CHECKING:
    from prowess.engine.system import LineUp

Members = list[tuple[int, float]]
PASS_GAMES = 20_000  # games


def upcoming_sides(
    ratings: Any,
    sides: Sequence[LineUp],
    side: float,
    categories: Mapping[str, str] | None = None,
) -> tuple[State, list[Members], dict[str, float]]:
    """Both sides of a game, or all of a contest, with all their members, the state of these members
    alone, and the facts of the game.

    What the system puts beside the players of a table it puts beside them here; a member without a
    game is new in the state. A member that players share, such as an engine family, is that of the
    player's last game; so is the league, unless `categories` name it. These are words by category;
    raises BadArgument for another word.
    """
    assert len(sides) == 2 or not ratings.table.pairwise, "each pair of sides has a game of its own"
    state, game = _upcoming_games(
        ratings, sides, np.arange(len(sides), dtype=np.int64)[None], np.array([side]),
        categories or {},
    )  # fmt: skip
    assert game.share is not None
    members = [*zip(game.player.tolist(), game.share.tolist(), strict=True)]
    facts = {name: float(column[0]) for name, column in game.facts.items()}
    return state, [members[low:high] for low, high in pairwise(game.ends.tolist())], facts


def _prepare_games(
    ratings: Any,
    sides: Sequence[Members],
    count: int,
    columns: Mapping[str, Any],
    facts: Mapping[str, Any],
) -> tuple[Games, Ids, Games]:
    """`count` games to come, the numbers of their members, and all members.

    Newcomers stand behind all members of the ratings; in the table asked about, behind its players.
    """
    system, table, rated = ratings.system, ratings.table, ratings.roster
    known = len(rated.players)
    further = max([0, *(1 + player - known for one in sides for player, _ in one)])
    skipped = known - len(table.players)
    names = [*table.players, *(f"newcomer {k}" for k in range(further))] if further else None
    game = Games(
        names or table.players,
        player=np.array(
            [x if x < known else x - skipped for one in sides for x, _ in one], np.uint32
        ),
        share=np.array([share for one in sides for _, share in one]),
        ends=np.cumsum([0, *map(len, sides)], dtype=np.int64),
        time=None if table.time is None else np.full(count, _last_day(ratings)),
        facts=dict(facts),
        labels=table.labels,
        **columns,
    )
    _, played, _ = system.prepare(ratings.asked, game, ratings.remembered)
    own, extra = len(table.players), known + further
    number = np.empty(len(played.players), np.int64)
    number[: own + further] = [*range(own), *range(known, extra)]
    end = own + further
    has = dict(zip(rated.roles, count_roles(rated), strict=True))
    behind = dict(zip(rated.roles, accumulate(has.values()), strict=True))
    for role, size in zip(played.roles[1:], count_roles(played)[1:], strict=True):
        there = min(has.get(role, 0), size)  # in both they are in the same order, new ones last
        first, new = behind.get(role, 0) - has.get(role, 0), size - there
        number[end : end + there] = np.arange(first, first + there, dtype=np.int64)
        number[end + there : end + size] = np.arange(extra, extra + new, dtype=np.int64)
        end, extra = end + size, extra + new
    everyone = _name_everyone(ratings, played, number, extra)
    if further and everyone.crew is not None:  # of newcomers, the side on which they stand
        for one in sides:
            players = [k for k, _ in one if everyone.role is None or everyone.role[k] == 0]
            new = [k for k in players if k >= known]
            everyone.crew[new] = min(len(players), MOST_IN_CREW)
    return played, number, everyone


def count_roles(table: Games) -> list[int]:
    """How many members of each role the roster has, which stand there by role."""
    if table.role is None:
        return [len(table.players)]
    return np.bincount(table.role, minlength=len(table.roles)).tolist()  # type: ignore[no-any-return]


def _last_day(ratings: Any) -> float:
    return float(ratings.table.time.max(initial=0.0) if ratings.day is None else ratings.day)


def _name_everyone(ratings: Any, played: Games, number: Ids, count: int) -> Games:
    """The members of the ratings and, behind them, of games to come, as a table without games."""
    table = ratings.roster
    known, kinds = len(table.players), dict(zip(played.roles, played.role_kinds, strict=True))
    kinds = dict(zip(table.roles, table.role_kinds, strict=True)) | kinds
    names = tuple(dict.fromkeys((*table.roles, *played.roles)))
    role, crew = np.zeros(count, np.uint8), np.zeros(count, np.uint8)
    if played.role is not None:
        to = np.array([names.index(name) for name in played.roles], np.uint8)
        role[number] = to[played.role]
    if played.crew is not None:
        crew[number] = played.crew
    if table.role is not None:
        role[:known] = table.role
    if table.crew is not None:
        crew[:known] = table.crew
    everyone: Any = range(count)
    return Games(
        everyone, role=role, roles=names, role_kinds=tuple(kinds[name] for name in names),
        crew=crew if ratings.system.crew is not None else None, start=np.zeros(1, np.int64),
    )  # fmt: skip


def _state_of(ratings: Any, members: Ids, roster: Games) -> State:
    """The state of these members alone, who ascend and are the roster."""
    assert roster.role is not None
    known = int(members.searchsorted(len(ratings.roster.players)))
    state: State = ratings.state_of(members[:known], roster)
    state.grow(len(members), roster)
    for player in (known + np.flatnonzero(roster.role[known:] == 0)).tolist():
        key = PLAYER if state.role is None else state.roles[int(state.role[player])]
        state.rating[player] = newcomer_now(state, key)
    return state


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


def sides_with_shared(table: Games) -> Ids:
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


def values_with_shared(ratings: Any) -> Floats | None:
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
    now = rows_at(ratings.state, ratings.now)
    total = now.copy()
    for player in np.flatnonzero(side >= 0).tolist():
        for member in members_shared(table, int(side[player])):
            total[player] += now[member]
    return display_values(system, ratings.state.mix(rating=total))


# --- many games at once ---------------------------------------------------------------------------


def forecast_pairs(
    ratings: Any,
    sides: Sequence[LineUp],
    first: Ids,
    second: Ids,
    side: Floats | None = None,
    categories: Mapping[str, str] | None = None,
) -> tuple[Floats, Floats | None]:
    """See `Ratings.forecast_pairs`, of a system that puts members beside the players of each game.

    It takes a pass over arrays for PASS_GAMES games each. Ends where it is not wanted any more, see
    `progress.stop_when`.
    """
    expected, drawn = [np.empty(0)], [np.empty(0)]
    for at in range(0, len(first), PASS_GAMES):
        stop_if_unwanted()
        both = np.stack((first[at : at + PASS_GAMES], second[at : at + PASS_GAMES]), axis=1)
        advantage = np.zeros(len(both)) if side is None else side[at : at + PASS_GAMES]
        state, games = _upcoming_games(ratings, sides, both, advantage, categories or {})
        if ratings.next_moment is not None:
            state = replace(state, rating=rows_at(state, ratings.next_moment))
        found, draws = forecast_frozen(state, games)
        expected.append(found if games.pairwise else found[0::2])
        drawn += [] if draws is None else [draws]
    return np.concatenate(expected), None if len(drawn) < len(expected) else np.concatenate(drawn)


def _upcoming_games(
    ratings: Any,
    line_ups: Sequence[LineUp],
    contests: Ids,
    side: Floats,
    categories: Mapping[str, str],
) -> tuple[State, Games]:
    """Contests of sides by number, [contests, sides of each], as one table with the members on
    them, and the state of these.
    """
    system, table, (count, n) = ratings.system, ratings.table, contests.shape
    players = [list(make_line_up(one)) for one in line_ups]
    of_first = {int(k): _facts_of_game(table, players[k][0][0], categories)
                for k in np.unique(contests[:, 0])}  # fmt: skip
    facts = {
        name: np.array([of_first[k].get(name, np.nan) for k in contests[:, 0].tolist()])
        for name in next(iter(of_first.values()), {})
    }
    if table.pairwise:
        columns = {"score": np.full(count, np.nan), "side": side}
    else:
        starts = np.arange(0, n * count + 1, n, dtype=np.int64)
        columns = {"start": starts, "place": np.ones(n * count)}
    numbers = contests.ravel().tolist()
    played, number, everyone = _prepare_games(
        ratings, [players[k] for k in numbers], count, columns, facts
    )
    members, ends = number[played.player], played.ends
    share = np.ones(len(members)) if played.share is None else played.share
    shared = [_shared_members(ratings, one) for one in players]
    if any(shared):
        beside = [shared[k] for k in numbers]
        members, ends, share = _members_with_shared(beside, n, members, ends, share)
    fields = system.game._fields
    (settings, *_) = rows_of(ratings.state.p)
    told = {
        name: np.full(count, getattr(settings, name)) for name in fields if hasattr(settings, name)
    }
    told |= {name: column for name, column in played.facts.items() if name in fields}
    result = {"score": np.full(count, 0.5), "side": played.side, "start": None}
    there, member = np.unique(members, return_inverse=True)
    assert everyone.role is not None
    roster = everyone.replace(
        players=range(len(there)), role=everyone.role[there],
        crew=None if everyone.crew is None else everyone.crew[there],
    )  # fmt: skip
    return _state_of(ratings, there, roster), roster.replace(
        player=member.astype(np.uint32), ends=ends, share=share, facts=told,
        **(result if table.pairwise else columns),
    )  # fmt: skip


def _members_with_shared(
    beside: Sequence[list[int]],
    sides: int,
    members: Ids,
    ends: Ids,
    share: Floats,
) -> tuple[Ids, Ids, Floats]:
    """The members of all sides, where sides end, and shares, with those `beside` the players of
    each side; what all `sides` of a contest have makes no difference.
    """
    found, shares, bounds = [list[int](), list[float](), [0]]
    for at, (low, high) in enumerate(pairwise(ends.tolist())):
        contest = at - at % sides
        of_all = set.intersection(*map(set, beside[contest : contest + sides]))
        there = members[low:high].tolist()
        more = [one for one in beside[at] if one not in of_all and one not in there]
        found += [*there, *more]
        shares += [*share[low:high].tolist(), *(1.0 for _ in more)]
        bounds.append(len(found))
    return np.array(found), np.array(bounds), np.array(shares)
