"""Contests of many sides: crosstables, keys, notes, and teams.

Tables with columns 1, 2, 3, ... or R1, R2, R3, ... may be crosstables or wall charts.

Their cells are results against others: 1, ½ and 0 in a crosstable, 4w1 (won against number 4 with
White), +12, -3 and =5 in a wall chart. Neither is a contest: the games are in the cells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.validation import RowError
from prowess.games.columns import Chunk, InputColumn, InputTable
from prowess.games.errors import MEND, BadData, InvalidValue, quote
from prowess.games.games import Games, side_name
from prowess.games.layout import Layout
from prowess.games.numbering import number_groups
from prowess.games.reading import format_count, format_option, join_names
from prowess.games.roles.headings import GAMES_WANTED
from prowess.games.values import is_missing, plain_form
from prowess.games.vocabulary import MORE, read_heading
from prowess.games.words import words_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]
    Columns = Mapping[str, NDArray[Any]]


ROWS_LOOKED_AT = 100  # that are looked at
RESULT_TEXT = re.compile(
    r"[01]|0?[.,]5|[01][.,][05]|½|1/2|[+=x*–—-]|[wdlubhf]|bye|\d+\s*[-–:]\s*\d+"  # of one game
    r"|[-+=wdluhfbx]\s*\d+\s*[wb]?|\d+\s*[wb]\s*(?:[-+=01½]|1/2)?|\d+\s*[-+=½]",  # and against whom
    re.IGNORECASE,
)
AGAINST_PAR = re.compile(r"[-+]?\d+")  # strokes of golf, also +12 and -3 of a wall chart


def refuse_crosstable(table: InputTable, layout: Layout, chunk: Chunk) -> None:
    """Refuse a table whose numbered columns hold results against others; raises BadData."""
    columns = [
        [
            str(chunk.columns[name].cell(row)).strip()
            for row in range(min(chunk.count, ROWS_LOOKED_AT))
            if not is_missing(chunk.columns[name].cell(row))
        ]
        for name in layout.numbered
    ]
    cells = [cell for column in columns for cell in column]
    if not cells or not all(map(RESULT_TEXT.fullmatch, cells)):
        return
    if all(map(AGAINST_PAR.fullmatch, cells)) and any(len({*each}) < len(each) for each in columns):
        return  # a player of a wall chart has one game a round
    first, last = layout.numbered[0], layout.numbered[-1]
    raise BadData(
        f"columns {first} to {last} look like a crosstable: results against others, not a contest",
        file=table.file or None,
        line=table.heading,
        remedy=GAMES_WANTED,
        code="crosstable_not_contest",
    )


# What tells the contests of a table apart: columns that are named, or that headings suggest.
#
# A guess is taken from all such columns and the date together. It is refused where it cannot be
# right: where most contests would have one player only, or half of them no player in place 1.


FILE_COLUMN = "file"  # what tells contests apart where no column does
NAME_KEYS = "name the columns that tell contests apart"


def contest_keys(layout: Layout, rows: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The keys of the rows by the name of their column; of guesses only those that change a thing.

    `rows` has a column `label N` for each column of the layout's contest, `file`, and `time`.
    """
    keys = {name: rows[f"label {at}"] for at, name in enumerate(layout.contest)}
    if not layout.guessed:
        return keys or {FILE_COLUMN: rows["file"]}
    if layout.time and not _tell_contests(keys, rows):
        keys = {layout.time: rows["time"], **keys}
    within = number_groups([rows["file"], *keys.values()])
    if len(np.unique(within)) == len(np.unique(rows["file"])):
        return {FILE_COLUMN: rows["file"]}  # each file is one contest, whatever it says beside that
    telling: dict[str, NDArray[Any]] = {}
    apart = np.zeros(len(within), np.int64)
    for name, key in keys.items():
        more = number_groups([apart, key])
        if more.max() > apart.max():
            telling[name], apart = key, more
    if len(keys) == 2 and [*telling] == [layout.time]:  # a race, and its date as well
        name = layout.contest[0]
        if number_groups([keys[name]]).max() == apart.max():
            return {name: keys[name]}
    return telling


def _tell_contests(keys: Mapping[str, NDArray[Any]], rows: Mapping[str, NDArray[Any]]) -> bool:
    """Whether ids tell contests apart without the dates: of a column of ids, in each of whose
    contests a player stands once.
    """
    if not any("id" in read_heading(name).subjects for name in keys) or "player" not in rows:
        return False
    contest = number_groups([rows["file"], *keys.values()])
    return int(number_groups([contest, rows["player"]]).max()) + 1 == len(contest)


LONGEST_CONTEST = 300.0  # days


def refuse_lonely(
    keys: Mapping[str, NDArray[Any]], contest: NDArray[np.int64], file: str | None
) -> None:
    """Refuse keys that leave most contests to a single player; raises BadData."""
    sizes = np.bincount(contest)
    single = int((sizes == 1).sum())
    if len(sizes) == 1 or single * 2 <= len(sizes) or list(keys) == [FILE_COLUMN]:
        return
    shared = [name for name, key in keys.items() if len(np.unique(key)) * 2 <= len(contest)]
    example = format_option("contest", shared) if 0 < len(shared) < len(keys) else ""
    raise BadData(
        f"told apart by {join_names(list(keys))}, {single:,} of {len(sizes):,} contests have one "
        "player only",
        file=file,
        remedy=f"{NAME_KEYS}, such as {example}"
        if example
        else f"{NAME_KEYS} with contest= (--contest)",
        code="lonely_players",
    )


WHOLE_CONTEST = frozenset({"occasion", "match"})  # subjects of headings of contests
OF_WHOLE = words_for("whole_event")


def refuse_headless(found: Games, keys: Sequence[str], file: str | None) -> None:
    """Refuse keys that leave half of the contests or more without a first; raises BadData.

    A heading such as contest or race leaves no doubt: a list of some of those who took part is
    warned of.
    """
    headings = [read_heading(name) for name in keys]
    if any(each.subjects & WHOLE_CONTEST or OF_WHOLE & {*each.words} for each in headings):
        return
    best = np.minimum.reduceat(found.place, found.start[:-1])
    headless, count = int((best > 1.0).sum()), len(found)
    if count > 1 and headless * 2 >= count:
        raise BadData(
            f"told apart by {join_names(keys)}, {headless:,} of {count:,} contests have no player "
            "in place 1",
            file=file,
            remedy=f"{NAME_KEYS} with contest= (--contest)",
            code="no_first_place",
        )


# What is to be said of contests that were read: what was guessed, and what looks odd.


PLAYERS_SHOWN = 3  # players of a contest that a question names


def which_end(found: Games, column: str, file: str | None) -> BadData:
    """The question which end of a column is better, with the first contest read in both ways."""
    sizes = np.diff(found.start)
    first = int(np.argmax(sizes > 1))
    rows = slice(int(found.start[first]), int(found.start[first + 1]))
    assert found.points is not None
    points = found.points[rows]
    readings = []
    for sign in (-1.0, 1.0):
        best = np.argsort(np.where(np.isnan(points), np.inf, sign * points), kind="stable")
        readings.append(
            " > ".join(
                f"{side_name(found, rows.start + at)} ({points[at]:g})"
                for at in best[:PLAYERS_SHOWN].tolist()
            )
        )
    return BadData(
        f"it is open which end of {quote(column)} is better: the first contest begins "
        f"{readings[0]} if more is, {readings[1]} if less is",
        file=file,
        column=column,
        remedy=f"say {format_option('points', [column])} if more is better, "
        f"{format_option('points', ['-' + column])} if less is",
        code="better_end_unknown",
    )


def refuse_open_times(layout: Layout, named: Sequence[str], file: str | None) -> None:
    """Refuse a column of times that the caller names without a sign; raises BadData.

    Of points more is better, of times less is.
    """
    name = layout.points[0][0]
    if named[:1] == (name,):
        raise BadData(
            f"{quote(name)} holds times", file=file, column=name,
            remedy=f"say {format_option('points', ['-' + name])} if less is better, "
            f"{format_option('points', ['+' + name])} if more is", code="times_or_points"
        )  # fmt: skip


def team_notes(layout: Layout, unused: str | None) -> list[str]:
    """Notes on a guessed column of teams; `unused` is a column whose teams are no sides."""
    if unused:
        return [f"{quote(unused)} makes no sides: most of its players have places of their own"]
    if not layout.team or not layout.guessed_team:
        return []
    each = 'team="none" (--team none) makes each player one'
    return [f"{quote(layout.team)}: players of one team are one side of a contest; {each}"]


def key_note(found: Games, keys: Sequence[str], layout: Layout) -> str:
    """A note on the keys of contests, and on the number and sizes of the contests."""
    sizes = np.diff(found.start)
    least, most = int(sizes.min()), int(sizes.max())
    who = "player" if found.single else "side"
    if list(keys) == [FILE_COLUMN] and len(found) == 1:
        why = ": nothing tells contests apart" if layout.guessed else ", as named"
        return f"one contest of {format_count(most, who)}{why}"
    by = "told apart" if layout.guessed else "as named"
    size = "" if least == most else f"{least:,} to "
    return (
        f"contests {by} by {join_names(keys)}: {format_count(len(found), 'contest')} of {size}"
        f"{format_count(most, who)}"
    )


def points_notes(layout: Layout) -> list[str]:
    """Notes on the better end of the points, where it is a guess or unusual."""
    if layout.best == "heading":
        name, sign = layout.points[0]
        more, less = ("less", "more") if sign < 0.0 else ("more", "less")
        other = format_option("points", [f"-{name}" if sign > 0.0 else name])
        return [f"{quote(name)}: {more} is better; {other} says that {less} is"]
    if layout.best == "times":
        name = layout.points[0][0]
        more = format_option("points", [f"+{name}"])
        return [f"{quote(name)}: times, of which less is better; {more} says that more is"]
    if layout.place:
        return []
    return [
        f"{quote(name)}: more is better, as named; {format_option('points', ['-' + name])} says "
        "that less is"
        for name, sign in layout.points
        if sign > 0.0 and name != layout.result and plain_form(name) not in MORE
    ]


# Rows of one player each as sides: rows of one contest and one team are one side.
#
# The rows of a side must agree on what decides the contest. Where a column of teams is guessed, and
# the players of most teams have places of their own, teams are not sides.


NO_TEAM = InvalidValue("the team is missing", MEND, code="team_missing")
DECIDING = ("place", "points ")  # columns that say who was better


def rows_without_team(column: InputColumn) -> list[int]:
    """The rows whose cell names no team."""
    return [row for row in column.name_errors() if is_missing(column.cell(row))]


def sides_of_teams(contest: Rows, team: NDArray[np.uint32], empty: int | None) -> Rows:
    """The side of each row; a row of no team, whose word is `empty`, is a side of its own."""
    number = team.astype(np.int64)
    if empty is not None:
        alone = np.flatnonzero(number == empty)
        number[alone] = -1 - alone
    return number_groups([contest, number])


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
) -> dict[int, RowError]:
    """The errors of rows of teams, by row."""
    faults: dict[int, RowError] = {}
    first = first_rows(side)
    for row, name in contradictions(rows, side).items():
        column = layout.place if name == "place" else layout.points[int(name.split()[1])][0]
        team = quote(words[int(rows["team"][row])])
        faults[row] = RowError(column, InvalidValue(
            f"the players of team {team} have two values in one contest, "
            f"{rows[name][first[side[row]]]:g} and {rows[name][row]:g}",
            "correct the row, name the columns that tell contests apart with contest= "
            '(--contest), or say team="none" (--team none) if each player has a place',
            code="team_contradicts",
        ))  # fmt: skip
    if "share" in rows and layout.taken_part:
        most = np.zeros(len(first))
        np.maximum.at(most, side, rows["share"])
        for row in first[most == 0.0].tolist():
            team = quote(words[int(rows["team"][row])])
            what = InvalidValue(
                f"all players of team {team} have a share of 0", MEND, code="no_shares"
            )
            faults.setdefault(row, RowError(layout.taken_part, what))
    if layout.result and not layout.place:
        of_two = np.bincount(contest[first])[contest[first]] == 2
        total = np.bincount(contest[first], rows["points 0"][first])[contest[first]]
        second = ~np.isin(first, first_rows(contest))
        for row in first[of_two & second & (total != 1.0)].tolist():
            what = InvalidValue(
                "the results of this team and the other do not fit together",
                MEND,
                code="results_contradict",
            )
            faults.setdefault(row, RowError(layout.result, what))
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


def take_earliest_dates(rows: dict[str, NDArray[Any]], contest: NDArray[np.int64]) -> int:
    """Date every contest by the first of its rows, in place; others are moments of entry or laps.

    Returns how many contests had several dates. Dates of several years stay: they are those of
    several contests.
    """
    if "time" not in rows:
        return 0
    earliest, latest = (np.full(int(contest.max()) + 1, np.nan) for _ in range(2))
    np.fmin.at(earliest, contest, rows["time"])
    np.fmax.at(latest, contest, rows["time"])
    several = (latest > earliest) & (latest - earliest < LONGEST_CONTEST)
    rows["time"] = np.where(several[contest], earliest[contest], rows["time"])
    return int(several.sum())
