"""The games of all players as one table: ratings before and after every game, and the forecast.

The rows are the steps of every player's history (see `explain`), to the bit, without the terms;
a contest is one row, not one for each opponent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.changes import Changes, changes
from prowess.engine.explain import histories
from prowess.engine.leaderboard import format_table
from prowess.engine.meetings import PlayedTable, watch_for
from prowess.engine.run import plays_straight
from prowess.engine.state import display_values, displayed_fields
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.run import Watch
    from prowess.games.games import Games

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

AT_EITHER_END = 3  # rows of a short view


@dataclass(frozen=True, eq=False, repr=False)
class Histories:
    """All games as a table: of every player's history (`history`), or of the games (`games`).

    Of histories, `columns` have one entry for a player and a game, player by player: player,
    date (datetime64, where the table has dates), row (the game or contest by number), round,
    opponent, opponent_rating, score, expected, before, after, change, and the system's other
    values after the round (one that has the name of a column before it is called `NAME_after`). In
    a round of several games the rows lead from the rating before the round to the one after it. A
    row of a contest has, in place of the opponent, `opponents`, how many sides were met (by a car
    on two of them each of these as well); score and expected are means over all meetings.
    """

    system: str
    columns: dict[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.columns)

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        import polars as pl

        return pl.DataFrame(self.columns)

    def to_arrow(self) -> Any:
        """An Arrow table."""
        import pyarrow as pa

        return pa.table(self.columns)

    def __repr__(self) -> str:
        rows = np.arange(len(self))
        if len(self) > 2 * AT_EITHER_END:
            rows = np.concatenate((rows[:AT_EITHER_END], rows[-AT_EITHER_END:]))
        texts = [
            [name, *(_cell(name, value) for value in column[rows].tolist())]
            for name, column in self.columns.items()
        ]
        title = "Histories" if "player" in self.columns else "Games"
        head = f"<{title} under {self.system}: {format_count(len(self), 'row')}>"
        return f"{head}\n{format_table([list(row) for row in zip(*texts, strict=True)])}"


FORMATS = {
    "opponent_rating": ".1f", "score": "g", "expected": ".3f", "before": ".1f", "after": ".1f",
    "change": "+.1f", "rating": ".1f", "rating_a": ".1f", "rating_b": ".1f", "draw": ".3f",
}  # fmt: skip


def _cell(name: str, value: Any) -> str:
    if isinstance(value, float):
        return format(value, FORMATS.get(name, ".6g"))
    return str(value).removesuffix(" 00:00:00")


def all_histories(ratings: PlayedTable) -> Histories:
    """See `Ratings.history`."""
    table, system = ratings.played_table, ratings.system
    if not _judged_by_columns(ratings):
        return _from_steps(ratings)
    brought = changes(ratings, ratings.watch)
    entries, player, number = _entries(ratings, brought)
    own = ratings.watch.memory.rating[:, 0][entries]
    after = brought.after[entries]
    starts, ends = _row_ratings(player, number, own, after[:, 0], brought.credit[entries])
    names = np.array(list(ratings.players), dtype=object)
    row = entries // 2 if table.pairwise else number  # a contest is a round of its own
    found: dict[str, NDArray[Any]] = {"player": names[player]}
    if table.time is not None:
        found["date"] = moments(table.time[row])
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
    after = display_values(system, after)
    for k, name in enumerate(displayed_fields(system)[1:], start=1):
        found[f"{name}_after" if name in found else name] = after[:, k]
    return Histories(system.name, found)


def all_games(ratings: PlayedTable) -> Histories:
    """See `Ratings.games`; from one replay."""
    table, system = ratings.played_table, ratings.system
    expected = np.full(len(table.outcome), np.nan)
    draws = None
    if system.chances is not None and table.pairwise:
        draws = np.full(len(table), np.nan)
    watch = watch_for(system, ratings.p, table)
    ratings.play_again(watch, expected, draws)
    before = _before_of_sides(ratings, watch)
    names = _names_of_sides(table)
    columns: dict[str, NDArray[Any]] = {}
    contest = np.arange(len(table)) if table.pairwise else table.contest_of_side
    if table.time is not None:
        columns["date"] = moments(table.time[contest])
    columns["row"] = contest
    if table.pairwise:
        columns |= {"a": names[0::2], "b": names[1::2]}
        columns |= {"rating_a": before[0::2], "rating_b": before[1::2]}
    else:
        columns |= {"side": names, "rating": before, "place": table.place}
    columns["expected"] = expected
    if draws is not None:
        columns["draw"] = draws
    columns["score"] = table.outcome
    return Histories(system.name, columns)


def _before_of_sides(ratings: PlayedTable, watch: Watch) -> Floats:
    """The rating that each side brought, [sides]: of several members the mean by their shares."""
    table, state = ratings.played_table, ratings.state
    rows = watch.memory.rating
    if state.logs is not None:
        rating = state.mix(rating=rows, logs=watch.memory.sums[:, : state.lanes])[:, 0]
    else:
        rating = rows[:, 0]
    if table.single:
        return rating
    share = np.ones(len(rating)) if table.share is None else table.share
    share = share * shows_member(table)
    first = table.ends[:-1]
    mean: Floats = np.add.reduceat(share * rating, first) / np.add.reduceat(share, first)
    return mean


def shows_member(table: Games) -> NDArray[np.bool_]:
    """Which members stand for their side, [members]: its players; of a side without one all."""
    if table.role is None:
        return np.ones(len(table.player), dtype=bool)
    is_player = table.role[table.player] == 0
    lonely = np.add.reduceat(is_player.astype(np.int64), table.ends[:-1]) == 0
    shown: NDArray[np.bool_] = is_player | lonely[table.side_of_member]
    return shown


def _names_of_sides(table: Games) -> NDArray[Any]:
    """The members of each side as one text, [sides]."""
    names = np.array(list(table.players), dtype=object)[table.player]
    if table.single:
        return names
    shown = shows_member(table)
    sizes = np.bincount(table.side_of_member[shown], minlength=len(table.ends) - 1)
    bounds, names = np.append(0, np.cumsum(sizes)).tolist(), names[shown]
    return np.array([" & ".join(names[a:b]) for a, b in pairwise(bounds)], dtype=object)


def _judged_by_columns(ratings: PlayedTable) -> bool:
    """Whether the loops of `changes` know this table: sides of one player, judged by pairs."""
    table, system = ratings.played_table, ratings.system
    if table.duels:
        return plays_straight(system, ratings.p, table)
    plain = ratings.state.logs is None and system.contest is None and table.role is None
    plain = plain and system.common is None
    return plain and table.single and not table.pairwise


def _from_steps(ratings: PlayedTable) -> Histories:
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
        for _, steps in groupby(history.steps, key=lambda one: one.round if several else id(one)):
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
    return Histories(system.name, columns)


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


def moments(days: Floats) -> NDArray[np.datetime64]:
    """Days since 1970 as moments, to the millisecond as everywhere."""
    return np.rint(days * 86_400_000).astype("datetime64[ms]")
