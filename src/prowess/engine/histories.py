"""The games of all players as one table: ratings before and after every game, and the forecast.

The rows are the steps of every player's history (see `explain`), to the bit, without the terms;
a contest is one row, not one for each opponent.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.changes import Changes, changes
from prowess.engine.contest_steps import separate_meetings
from prowess.engine.explain import histories
from prowess.engine.game_table import (
    names_of_sides,
    ratings_of_sides,
    replay_members,
    shares_rounds,
)
from prowess.engine.meetings import PlayedTable
from prowess.engine.state import (
    display_values,
    displayed_fields,
)
from prowess.engine.tabular import ResultTable, moments
from prowess.engine.watch import plays_straight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.system import Dynamic
    from prowess.games.games import Games

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]


def all_histories(ratings: PlayedTable) -> ResultTable:
    """See `Ratings.history`.

    `columns` have one entry for a player and a game, player by player: player, date (datetime64,
    where the table has dates), row (the game or contest by number), round, opponent,
    opponent_rating, score, expected, before, after, change, and the system's other values after the
    round (one that has the name of a column before it is called `NAME_after`). In a round of
    several games the rows lead from the rating before the round to the one after it. A row of a
    contest has, in place of the opponent, `opponents`, how many sides were met (by a car on two of
    them each of these as well); score and expected are means over all meetings.
    """
    title = f"Histories under {ratings.system.name}"
    if _judged_by_columns(ratings):
        return ResultTable(_from_duels_and_contests(ratings), title)
    if ratings.played_table.repeats or shares_rounds(ratings):
        return ResultTable(_from_steps(ratings), title)
    return ResultTable(_from_members(ratings), title)


def _from_duels_and_contests(ratings: PlayedTable) -> dict[str, NDArray[Any]]:
    """Histories of sides of one player, judged by pairs."""
    table, system = ratings.played_table, ratings.system
    brought = _changes_of(ratings)
    entries, player, number = _entries(ratings, brought)
    own = ratings.watch.memory.rating[:, 0][entries]
    after = brought.after[entries]
    starts, ends = _row_ratings(player, number, own, after[:, 0], brought.credit[entries])
    names = np.array(list(ratings.players), dtype=object)
    row = entries // 2 if table.pairwise else number  # a contest is a round of its own
    found: dict[str, NDArray[Any]] = {"player": names[player]}
    if table.time is not None:
        found["date"] = moments(table.time)[row]
    found |= {"row": row, "round": number}
    if not table.pairwise:
        found["opponents"] = np.diff(table.start)[number] - 1
    else:
        opponent = np.stack((table.b, table.a), axis=1).ravel()[entries]
        found["opponent"] = names[opponent]
        found["opponent_rating"] = ratings.watch.memory.rating[:, 0][entries ^ 1]
    found |= {
        "score": brought.score[entries],
        "expected": brought.expected[entries],
        "before": starts,
        "after": ends,
        "change": ends - starts,
    }
    return found | _values_after(system, display_values(system, after), found)


def _changes_of(ratings: PlayedTable) -> Changes:
    """What every entry of a table brought: kept by the replay, or worked out again from it.

    Where every round is one game the replay knows all of it; where it is a period, the points that
    each game brought are worked out from the ratings before it.
    """
    table, memory = ratings.played_table, ratings.watch.memory
    if not (table.pairwise and len(memory.after)) or ratings.rounds.bounds is not None:
        return changes(ratings, ratings.watch)
    score = np.stack((table.outcome, 1.0 - table.outcome), axis=1).ravel()
    return Changes(memory.after, memory.expected, score, np.zeros(len(score)))


def _values_after(
    system: Dynamic, after: Floats, known: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    """The system's further values after the round, from displayed ones [rows, fields]."""
    return {
        f"{name}_after" if name in known else name: after[:, k]
        for k, name in enumerate(displayed_fields(system))
        if k
    }


def _from_members(ratings: PlayedTable) -> dict[str, NDArray[Any]]:
    """Histories of members of sides, or under a bank; every contest is a round of its own."""
    table, system = ratings.played_table, ratings.system
    replayed = replay_members(ratings, follow=True)
    assert replayed.after is not None
    listed = np.isfinite(replayed.after[:, 0]) & (table.player < len(ratings.table.players))
    entries = np.flatnonzero(listed)
    entries = entries[np.argsort(table.player[entries], kind="stable")]
    player = table.player[entries].astype(np.int64)
    contest, side = table.contest_of_member[entries], table.side_of_member[entries]
    after = replayed.after[entries]
    starts = np.append(0.0, after[:-1, 0])[: len(after)]
    begins = np.append(True, player[1:] != player[:-1])[: len(after)]
    starts[begins] = replayed.first[entries[begins]]
    found: dict[str, NDArray[Any]] = {
        "player": np.array(list(ratings.players), dtype=object)[player]
    }
    if table.time is not None:
        found["date"] = moments(table.time)[contest]
    found |= {"row": contest, "round": contest}
    if not table.pairwise:
        found["opponents"] = np.diff(table.start)[contest] - 1
        score, expected = table.outcome[side], replayed.expected[side]
    else:
        second = side % 2 == 1
        found["partners"] = _partners(table)[entries]
        found["opponent"] = names_of_sides(table)[side ^ 1]
        found["opponent_rating"] = ratings_of_sides(table, replayed.before)[side ^ 1]
        score, expected = table.outcome[contest], replayed.expected[contest]
        score = np.where(second, 1.0 - score, score)
        expected = np.where(second, 1.0 - expected, expected)
    found |= {
        "score": score,
        "expected": expected,
        "before": starts,
        "after": after[:, 0],
        "change": after[:, 0] - starts,
    }
    return found | _values_after(system, after, found)


def _partners(table: Games) -> NDArray[Any]:
    """The other players on the side of each member as one text, [members]; empty for none."""
    names = np.full(len(table.player), "", dtype=object)
    if table.single:
        return names
    is_player = np.ones(len(table.player), dtype=bool)
    if table.role is not None:
        is_player = table.role[table.player] == 0
    others = np.add.reduceat(is_player.astype(np.int64), table.ends[:-1])[table.side_of_member]
    roster, ends = list(table.players), table.ends.tolist()
    player, counted = table.player.tolist(), is_player.tolist()
    for m in np.flatnonzero(is_player & (others > 1)).tolist():
        side = int(table.side_of_member[m])
        beside = range(ends[side], ends[side + 1])
        names[m] = " & ".join(
            roster[player[k]] for k in beside if counted[k] and player[k] != player[m]
        )
    return names


def _judged_by_columns(ratings: PlayedTable) -> bool:
    """Whether the loops of `changes` know this table: sides of one player, judged by pairs."""
    table, system = ratings.played_table, ratings.system
    if table.duels:
        return plays_straight(system, ratings.p, table)
    plain = ratings.state.logs is None and system.contest is None and table.role is None
    plain = plain and system.common is None
    return plain and table.single and not table.pairwise


def _from_steps(ratings: PlayedTable) -> dict[str, NDArray[Any]]:
    """The same table from the history of each player, one after the other."""
    table, system = ratings.played_table, ratings.system
    several = not table.pairwise
    texts = ["player", *(() if several else ("partners", "opponent"))]
    names = ["player", *(["date"] if table.time is not None else []), "row", "round"]
    names += ["opponents"] if several else ["partners", "opponent", "opponent_rating"]
    names += ["score", "expected", "before", "after", "change"]
    values = [f"{name}_after" if name in names else name for name in displayed_fields(system)[1:]]
    rows: list[list[Any]] = []
    for history in histories(ratings, range(len(ratings.table.players))):
        for _, steps in groupby(
            separate_meetings(history.steps), key=lambda one: one.round if several else id(one)
        ):
            group = list(steps)
            first, last = group[0], group[-1]
            row: list[Any] = [history.player]
            at = first.round if several else first.row
            if table.time is not None:
                row.append(table.time[at])
            row += [at, first.round]
            row += [_sides_met(table, at, len(group))] if several else [
                first.partners, first.opponent, first.opponent_rating,
            ]  # fmt: skip
            row += [fsum(step.score for step in group) / len(group)]
            row += [fsum(step.expected for step in group) / len(group)]
            row += [first.before, last.after, last.after - first.before, *last.values[1:]]
            rows.append(row)
    columns = {
        name: np.array([row[k] for row in rows], dtype=object if name in texts else None)
        for k, name in enumerate([*names, *values])
    }
    if "date" in columns:
        columns["date"] = moments(columns["date"])
    return columns


def _sides_met(table: Games, contest: int, meetings: int) -> int:
    """The number of sides a member met; a member of two sides (a car) met both of them."""
    sides = int(table.start[contest + 1] - table.start[contest])
    return sides - 1 if meetings < sides else sides


def _entries(ratings: PlayedTable, brought: Changes) -> tuple[Ids, Ids, Ids]:
    """Entries by player, each in order of play, with their players and rounds."""
    table, bounds = ratings.played_table, ratings.rounds.bounds
    if not table.pairwise:
        who, each = table.player, 1
    else:
        who, each = np.stack((table.a, table.b), axis=1).ravel(), 2
    entries = np.argsort(who, kind="stable")
    if each == 1:
        entries = entries[
            np.isfinite(brought.after[entries, 0])
        ]  # without players alone in a contest
    row = entries // each
    number = row
    if bounds is not None:
        number = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))[row]
    return entries, who[entries].astype(np.int64), number


def _row_ratings(
    player: Ids, number: Ids, own: Floats, after: Floats, credit: Floats
) -> tuple[Floats, Floats]:
    """The ratings from which and to which each row leads.

    A round begins where the player's last one ended, for the first with the player's own rating;
    between the games of a round stand the points that each brought.
    """
    count = len(player)
    if not count:
        return after, after
    same = np.zeros(count, dtype=bool)
    same[1:] = player[1:] == player[:-1]
    new_round = np.ones(count, dtype=bool)
    new_round[1:] = ~same[1:] | (number[1:] != number[:-1])
    first = np.flatnonzero(new_round)
    last = np.append(first[1:], count) - 1
    begin = own[first]
    begin[1:] = np.where(same[first[1:]], after[last[:-1]], begin[1:])
    starts, ends = after.copy(), after.copy()
    starts[first] = begin
    several = np.flatnonzero(last > first)
    for at, end, rating, me in zip(
        first[several].tolist(),
        last[several].tolist(),
        begin[several].tolist(),
        own[first[several]].tolist(),
        strict=True,
    ):
        points = credit[at:end].tolist()
        reached = fsum((rating, me - rating, points[0]))
        ends[at] = reached
        for k, point in enumerate(points[1:], start=at + 1):
            starts[k] = reached
            reached = reached + point
            ends[k] = reached
        starts[end] = reached
    return starts, ends
