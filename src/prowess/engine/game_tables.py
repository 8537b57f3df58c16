"""The games of a rated table as one table, and the histories of all its players as one.

Both are joins of what was kept of each member of a side with the columns of the table. The rows of
histories are the steps of every player (see `explain`), to the bit, without the terms; a contest
is one row, not one for each opponent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import fsum
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.explain import histories
from prowess.engine.played import (
    PlayedTable,
    replay_members,
    shares_rounds,
    shows_member,
    watch_all,
)
from prowess.engine.state import displayed_fields
from prowess.engine.steps import Step, join_meetings, separate_meetings
from prowess.engine.tabular import ResultTable, moments
from prowess.engine.watch import uses_duel_loops
from prowess.games.runs import reduce_runs, repeat_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Columns = dict[str, NDArray[Any]]


def all_games(ratings: PlayedTable) -> ResultTable:
    """See `Ratings.games`; from one replay."""
    table, played = ratings.played_table, replay_members(ratings)
    before = ratings_of_sides(table, played.before)
    names = names_of_sides(table)
    columns: Columns = {}
    contest = np.arange(len(table), dtype=np.int64) if table.pairwise else table.contest_of_side
    if table.time is not None:
        columns["date"] = moments(table.time[contest])
    columns["row"] = contest
    if table.pairwise:
        columns |= {"a": names[0::2], "b": names[1::2]}
        columns |= {"rating_a": before[0::2], "rating_b": before[1::2]}
    else:
        before[np.diff(table.start)[contest] == 1] = np.nan  # alone: nothing was rated
        columns |= {"side": names, "rating": before, "place": table.place}
    columns["expected"] = played.expected
    if played.draws is not None:
        columns["draw"] = played.draws
    columns["score"] = table.outcome
    return ResultTable(columns, f"Games under {ratings.system.name}")


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
    duels = uses_duel_loops(ratings.system, ratings.p, ratings.played_table)
    by_steps = ratings.played_table.repeats or (shares_rounds(ratings) and not duels)
    found, values = (_columns_of_steps if by_steps else _columns_of_members)(ratings)
    for name, column in zip(displayed_fields(ratings.system)[1:], values.T, strict=True):
        found[f"{name}_after" if name in found else name] = column
    return ResultTable(found, f"Histories under {ratings.system.name}")


def _columns_of_members(ratings: PlayedTable) -> tuple[Columns, Floats]:
    """Histories, and further values after each row, from what was kept of every member."""
    table, bounds = ratings.played_table, ratings.rounds.bounds
    played = replay_members(ratings, follow=True)
    assert played.after is not None
    listed = np.isfinite(played.after[:, 0]) & (table.player < len(ratings.table.players))
    entries = np.flatnonzero(listed)
    entries = entries[np.argsort(table.player[entries], kind="stable")]
    player = table.player[entries].astype(np.int64)
    side = entries if table.single else table.side_of_member[entries]
    contest = number = side // 2 if table.pairwise else table.contest_of_side[side]
    if shares_rounds(ratings):
        assert bounds is not None
        number = repeat_rows(np.arange(len(bounds) - 1, dtype=np.int64), np.diff(bounds))[contest]
    after = played.after[entries]
    found: Columns = {"player": np.array(list(ratings.players), dtype=object)[player]}
    if table.time is not None:
        found["date"] = moments(table.time)[contest]
    found |= {"row": contest, "round": number}
    if not table.pairwise:
        found["opponents"] = np.diff(table.start)[contest] - 1
    else:
        if played.own is None:
            found["partners"] = names_of_partners(table)[entries]
        found["opponent"] = names_of_sides(table, side ^ 1)
        found["opponent_rating"] = ratings_of_sides(table, played.before)[side ^ 1]
    of_side = side // 2 if table.pairwise else side
    score, expected = table.outcome[of_side], played.expected[of_side]
    if table.pairwise:
        score, expected = (np.where(side % 2, 1.0 - column, column) for column in (score, expected))
    if played.own is not None:
        expected = played.own[entries]
    before, ends = _rows_of_rounds(ratings, entries, player, number, played.first, after[:, 0])
    found |= {"score": score, "expected": expected}
    found |= {"before": before, "after": ends, "change": ends - before}
    return found, after[:, 1:]


def _rows_of_rounds(
    ratings: PlayedTable, entries: Ids, player: Ids, number: Ids, first: Floats, after: Floats
) -> tuple[Floats, Floats]:
    """The ratings from which and to which each row leads.

    A round begins where the player's last one ended, for the first with the player's own rating;
    between the games of a round stand the points that each brought.
    """
    if not len(player):
        return after, after
    own = first[entries]
    same = np.append(False, player[1:] == player[:-1])
    begins = ~same | np.append(True, number[1:] != number[:-1])
    at = np.flatnonzero(begins)
    last = np.append(at[1:], len(player)) - 1
    rating = own[at]
    rating[1:] = np.where(same[at[1:]], after[last[:-1]], rating[1:])
    before, ends = after.copy(), after.copy()
    before[at] = rating
    several = np.flatnonzero(last > at)
    points = np.zeros(len(after))
    if len(several) and ratings.system.credit is not None:
        seen = ratings.watch if len(ratings.watch.memory.credit) else watch_all(ratings)
        points = seen.memory.credit[entries]
    row, end, start = at[several], last[several], rating[several]
    reached = start + points[row]
    for k in np.flatnonzero(own[row] != start).tolist():  # time passed, or a rule acted
        reached[k] = fsum((start[k], own[row[k]] - start[k], points[row[k]]))
    while len(row):
        ends[row] = before[row + 1] = reached
        row = row + 1
        going = row < end
        row, end, reached = row[going], end[going], reached[going] + points[row[going]]
    return before, ends


def _columns_of_steps(ratings: PlayedTable) -> tuple[Columns, Floats]:
    """The same from the steps of each player, one after the other: of rounds whose games no loop
    keeps apart, and of contests in which a member stands on two sides.
    """
    table, contests = ratings.played_table, not ratings.played_table.pairwise
    rows = [
        (history.player, step)
        for history in histories(ratings, range(len(ratings.table.players)))
        for step in (_join_rounds(history.steps) if contests else history.steps)
    ]
    steps = [step for _, step in rows]
    at = np.array([step.row for step in steps], dtype=np.int64)
    found: Columns = {"player": np.array([player for player, _ in rows], dtype=object)}
    if table.time is not None:
        found["date"] = moments(table.time[at])
    found |= {"row": at, "round": np.array([step.round for step in steps])}
    names = ["score", "expected", "before", "after", "change"]
    if contests:  # a member of two sides met both of them
        sides, met = np.diff(table.start)[at], np.array([len(step.meetings) for step in steps])
        found["opponents"] = sides - (met < sides)
    else:
        names = ["partners", "opponent", "opponent_rating", *names]
    for name in names:
        text = object if name in ("partners", "opponent") else None
        found[name] = np.array([getattr(step, name) for step in steps], dtype=text)
    values = np.array([step.values[1:] for step in steps], dtype=np.float64)
    return found, values.reshape(len(steps), len(ratings.system.rating) - 1)


def _join_rounds(steps: Sequence[Step]) -> Iterator[Step]:
    """One step of all meetings of each contest."""
    for number, group in groupby(separate_meetings(steps), key=attrgetter("round")):
        meetings = [*group]
        yield join_meetings(meetings, [0] * len(meetings))._replace(row=number)


def ratings_of_sides(table: Games, rating: Floats) -> Floats:
    """The rating of each side, [sides]: of several members the mean by their shares."""
    if table.single:
        return rating
    share = np.ones(len(rating)) if table.share is None else table.share
    share, first = share * shows_member(table), table.ends[:-1]
    parts = np.multiply(share, rating, where=share > 0.0, out=np.zeros(len(share)))
    mean: Floats = reduce_runs(np.add, parts, first) / reduce_runs(np.add, share, first)
    return mean


def names_of_sides(table: Games, sides: Any = slice(None)) -> NDArray[Any]:
    """The members of each side, or of some, as one text."""
    names: NDArray[Any] = np.array(list(table.players), dtype=object)
    if table.single:
        names = names[table.player[sides]]
        return names
    shown = shows_member(table)
    sizes = np.bincount(table.side_of_member[shown], minlength=len(table.ends) - 1)
    names, bounds = (
        names[table.player[shown]],
        np.append(0, np.cumsum(sizes, dtype=np.int64)).tolist(),
    )
    if not (sizes == 1).all():
        names = np.array([" & ".join(names[a:b]) for a, b in pairwise(bounds)], dtype=object)
    found: NDArray[Any] = names[sides]
    return found


def names_of_partners(table: Games) -> NDArray[Any]:
    """The other players on the side of each member as one text, [members]; empty for none."""
    found = np.full(len(table.player), "", dtype=object)
    if table.single:
        return found
    is_player = np.ones(len(found), bool) if table.role is None else table.role[table.player] == 0
    names = np.array(list(table.players), dtype=object)[table.player]
    for side in np.flatnonzero(
        reduce_runs(np.add, is_player.astype(np.int64), table.ends[:-1]) > 1
    ):
        members = np.arange(table.ends[side], table.ends[side + 1], dtype=np.int64)[
            is_player[table.ends[side] : table.ends[side + 1]]
        ]
        for member in members:
            found[member] = " & ".join(names[members[members != member]])
    return found
