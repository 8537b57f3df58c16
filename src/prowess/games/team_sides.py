"""Rows of one player each as sides: rows of one contest and one team are one side.

The rows of a side must agree on what decides the contest. Where a column of teams is only guessed,
and the players of most teams have places of their own, teams are not what takes part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells import Column
from prowess.games.games import Games
from prowess.games.growth import numbered
from prowess.games.judgement import Fault
from prowess.games.layout import Layout
from prowess.games.numbers import missing
from prowess.games.refusal import MEND, Refusal, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]
    Columns = Mapping[str, NDArray[Any]]

NO_TEAM = Refusal("the team is missing", MEND)
DECIDING = ("place", "points ")  # columns that say who was better


def rows_without_team(column: Column) -> list[int]:
    """The rows whose cell names no team."""
    return [row for row in column.unnamed() if missing(column.shown(row))]


def sides_of_teams(contest: Rows, team: NDArray[np.uint32], empty: int | None) -> Rows:
    """The side of each row; a row of no team, whose word is `empty`, is a side of its own."""
    number = team.astype(np.int64)
    if empty is not None:
        alone = np.flatnonzero(number == empty)
        number[alone] = -1 - alone
    return numbered([contest, number])


def first_rows(groups: Rows) -> Rows:
    """The first row of each group; groups are numbered by first appearance."""
    return np.unique(groups, return_index=True)[1]


def contradictions(rows: Columns, side: Rows) -> dict[int, str]:
    """The rows that say otherwise than the first row of their side, and in which column."""
    found: dict[int, str] = {}
    for name, values in rows.items():
        if name.startswith(DECIDING):
            differs = np.flatnonzero(values != values[first_rows(side)][side])
            found |= {row: name for row in differs.tolist() if row not in found}
    return found


def are_sides(rows: Columns, side: Rows) -> bool:
    """Whether the rows of most sides of several players agree."""
    differing = np.unique(side[list(contradictions(rows, side))])
    return 2 * len(differing) <= int((np.bincount(side) > 1).sum())


def faults_of_teams(
    rows: Columns, contest: Rows, side: Rows, words: Sequence[str], layout: Layout
) -> dict[int, Fault]:
    """What is wrong with rows as rows of teams."""
    faults: dict[int, Fault] = {}
    first = first_rows(side)
    for row, name in contradictions(rows, side).items():
        column = layout.place if name == "place" else layout.points[int(name.split()[1])][0]
        team = quoted(words[int(rows["team"][row])])
        faults[row] = Fault(column, Refusal(
            f"the players of team {team} have two values in one contest, "
            f"{rows[name][first[side[row]]]:g} and {rows[name][row]:g}",
            "correct the row, name the columns that tell contests apart with contest= "
            '(--contest), or say team="none" (--team none) if each player has a place',
        ))  # fmt: skip
    if "share" in rows and layout.taken_part:
        most = np.zeros(len(first))
        np.maximum.at(most, side, rows["share"])
        for row in first[most == 0.0].tolist():
            team = quoted(words[int(rows["team"][row])])
            what = Refusal(f"all players of team {team} have a share of 0", MEND)
            faults.setdefault(row, Fault(layout.taken_part, what))
    if layout.result and not layout.place:
        of_two = np.bincount(contest[first])[contest[first]] == 2
        total = np.bincount(contest[first], rows["points 0"][first])[contest[first]]
        second = ~np.isin(first, first_rows(contest))
        for row in first[of_two & second & (total != 1.0)].tolist():
            what = Refusal("the results of this team and the other do not fit together", MEND)
            faults.setdefault(row, Fault(layout.result, what))
    return faults


def games_of_two(found: Games, sign: float, result: Floats | None) -> Games:
    """Contests of two sides as games of two; `sign` is +1 where more points decide, 0 unknown.

    `result` is what the table calls the score of each side, where it does.
    """
    first, second = found.place[::2], found.place[1::2]
    score = 0.5 * ((first < second) + 1.0 - (first > second))
    if result is not None:
        score = result[::2].copy()
    changes: dict[str, Any] = {"start": None, "place": None, "points": None, "score": score}
    if found.points is not None and not np.isnan(found.points).any():
        one, other = found.points[::2].copy(), found.points[1::2].copy()
        changes |= {"points_a": one, "points_b": other}
        if sign > 0.0:
            changes["margin"] = one - other
    if found.single and found.share is None:
        changes |= {"player": None, "a": found.player[::2].copy(), "b": found.player[1::2].copy()}
    else:
        changes["ends"] = found.ends
    return found.replace(**changes)
