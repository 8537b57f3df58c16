"""Rows of a table as contests of many players: their keys, sides, places, and what is said of them.

Tables with columns 1, 2, 3, ... or R1, R2, R3, ... may be crosstables or wall charts.

Their cells are results against others: 1, ½ and 0 in a crosstable, 4w1 (won against number 4 with
White), +12, -3 and =5 in a wall chart. Neither is a contest: the games are in the cells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.games.assembly.byes import find_nobody_in_contests
from prowess.games.assembly.gathered import GatheredRows, category_notes, labelled_columns
from prowess.games.assembly.lineups import Lineup, relative_shares
from prowess.games.cells.places import (
    LAST,
    OUT,
    add_to_first,
    are_places,
    find_worse_rows,
    first_points,
    rank_by_points,
    share_last_place,
)
from prowess.games.cells.validation import CellParsers, RowError, RowValidation
from prowess.games.columns import (
    Chunk,
    InputColumn,
    InputTable,
    Mask,
    PlainNames,
    names_for,
)
from prowess.games.errors import BadData, InvalidValue, Suspicion, quote
from prowess.games.games import LEAST_SHARE, Games, side_name
from prowess.games.layout import Layout
from prowess.games.names import Roster, byes_in
from prowess.games.numbering import normalize_names, number_by_appearance, number_groups
from prowess.games.reading import format_count, format_option, join_names
from prowess.games.role_members import RoleColumn, with_role_members
from prowess.games.roles.contests import GAMES_WANTED
from prowess.games.runs import bounds_of, reduce_runs, repeat_rows
from prowess.games.team_names import split_notes
from prowess.games.values import is_missing, plain_form
from prowess.games.vocabulary import MORE, read_heading, words_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    place = {"file": table.file, "line": table.heading, "remedy": GAMES_WANTED}
    raise BadData.of("crosstable_not_contest", first=first, last=last, **place)


# What tells the contests of a table apart: columns that are named, or that headings suggest.
#
# A guess is taken from all such columns and the date together. It is refused where it cannot be
# right: where most contests would have one player only, or half of them no player in place 1.


FILE_COLUMN = "file"  # what tells contests apart where no column does


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
    raise BadData.of(
        "lonely_players",
        file=file,
        keys=join_names(list(keys)),
        single=single,
        contests=len(sizes),
        how=f", such as {example}" if example else " with contest= (--contest)",
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
    best = reduce_runs(np.minimum, found.place, found.start[:-1])
    headless, count = int((best > 1.0).sum()), len(found)
    if count > 1 and headless * 2 >= count:
        raise BadData.of(
            "no_first_place", file=file, keys=join_names(keys), headless=headless, count=count
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
    return BadData.of(
        "better_end_unknown",
        file=file,
        column=column,
        more=readings[0],
        less=readings[1],
        more_option=format_option("points", [column]),
        less_option=format_option("points", ["-" + column]),
    )


def refuse_open_times(layout: Layout, named: Sequence[str], file: str | None) -> None:
    """Refuse a column of times that the caller names without a sign; raises BadData.

    Of points more is better, of times less is.
    """
    name = layout.points[0][0]
    if named[:1] == (name,):
        raise BadData.of(
            "times_or_points",
            file=file,
            column=name,
            name=name,
            less_option=format_option("points", ["-" + name]),
            more_option=format_option("points", ["+" + name]),
        )


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
        faults[row] = RowError(
            column,
            InvalidValue.of(
                "team_contradicts",
                team=team,
                one=rows[name][first[side[row]]],
                other=rows[name][row],
            ),
        )
    if "share" in rows and layout.taken_part:
        most = np.zeros(len(first))
        np.maximum.at(most, side, rows["share"])
        for row in first[most == 0.0].tolist():
            team = quote(words[int(rows["team"][row])])
            what = InvalidValue.of("no_shares.team", team=team)
            faults.setdefault(row, RowError(layout.taken_part, what))
    if layout.result and not layout.place:
        of_two = np.bincount(contest[first])[contest[first]] == 2
        total = np.bincount(contest[first], rows["points 0"][first])[contest[first]]
        second = ~np.isin(first, first_rows(contest))
        for row in first[of_two & second & (total != 1.0)].tolist():
            what = InvalidValue.of("results_contradict.team")
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


FEW_TWICE = 1 / 200  # of the rows


@dataclass(eq=False)
class ContestRows(GatheredRows):
    """Rows that are contests: one row here is one player of one contest, so that a row of the
    source that names several players is as many.
    """

    # once all rows are gathered, those that are left, and of each its contest and its side
    players: Roster = field(default_factory=Roster)
    left: dict[str, NDArray[Any]] = field(default_factory=dict)
    contest: Any = None
    side: Any = None  # None: each row is a side
    teams: bool = False  # whether teams are sides
    last: int = 0  # rows without a place that share the last one
    left_out: int = 0  # and those that are left out
    dated: int = 0  # contests with several dates, of which the earliest counts
    twice: int = 0  # the worse rows of players who stand twice in a contest
    sitting: int = 0  # rows of players who took no part
    largest: float = 0.0  # the largest share
    times: bool = False  # whether what decides are times

    def take_chunk(self, chunk: Chunk, parsers: CellParsers, table: InputTable) -> Chunk:
        """Validate and add some rows; those that are kept."""
        rows = RowValidation(chunk, parsers, table.file, table.unit)
        layout, found = self.read_members(rows, parsers.found, "row" in self.columns)
        columns = self._parse(rows, layout)
        labelled = labelled_columns(layout)
        self.labels.refuse(rows, labelled)
        valid = None
        if rows.faults or rows.absent:
            valid = rows.valid_rows(self.report, self.skip_bad)
        keep = self._rows_with_place(valid, columns)
        kept = rows.chunk
        if keep is not None:
            columns = {name: values[keep] for name, values in columns.items()}
            kept = kept.select(keep)
        if not self.count:
            refuse_crosstable(table, layout, kept)
        columns |= dict(self.labels.ids(kept, labelled))
        columns |= self.lines.columns(kept, table)
        if found:
            stay = range(len(found[0])) if keep is None else np.flatnonzero(keep).tolist()
            columns = self._by_member([found[0][row] for row in stay], columns)
        else:
            column = kept.columns[layout.player]
            self.names = names_for(self.names, column)
            (columns["player"],) = self.names.ids(column)
        self.append(columns, table)
        parsers.found = layout
        return kept

    def _parse(self, rows: RowValidation, layout: Layout) -> dict[str, NDArray[Any]]:
        """The numbers of the rows, with what is wrong noted in them."""
        columns: dict[str, NDArray[Any]] = {}
        if not layout.sides:
            rows.refuse(layout.player, rows.columns[layout.player].name_errors())
        if layout.time:
            columns["time"] = rows.parse(layout.time, "time")
        if layout.weight:
            columns["weight"] = rows.parse(layout.weight, "above 0")
        if layout.place:
            columns["place"] = place = rows.parse(layout.place, "place")
            below = (place < 1.0) & (place > OUT)
            rows.refuse_where(below, layout.place, lambda _: InvalidValue.of("place_below_one"))
        for at, (name, sign) in enumerate(layout.points):
            times = layout.best != "heading" or sign < 0.0  # in a column of points are none
            role = "points or times" if times else "points"
            if name == layout.result:
                role = "own result"
            columns[f"points {at}"] = rows.parse(name, role)
            if times and rows.parsers.places.times:
                self.times = True
                columns[f"behind {at}"] = rows.parse(name, "behind") > 0.0
        if layout.team and not layout.guessed_team:
            without = rows_without_team(rows.columns[layout.team])
            rows.refuse(layout.team, {row: InvalidValue.of("team_missing") for row in without})
        if layout.taken_part:
            columns["share"] = share = rows.parse(layout.taken_part, "number")
            small = (share != 0.0) & (share < LEAST_SHARE)
            rows.refuse_where(
                small,
                layout.taken_part,
                lambda _: InvalidValue.of("share_too_small", least=LEAST_SHARE),
            )
        return columns

    def _by_member(
        self, members: Sequence[Lineup], columns: dict[str, NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        """The columns of some rows with one row for each of their members."""
        assert isinstance(self.names, PlainNames)
        known = self.names
        before = self.columns["row"].whole()[-1] + 1 if self.count else 0
        ids = [known.setdefault(name, len(known)) for names in members for name in names]
        of_row = repeat_rows(
            np.arange(len(members), dtype=np.int64), [len(names) for names in members]
        )
        taken = {name: values[of_row] for name, values in columns.items()}
        return taken | {"player": np.array(ids, np.uint32), "row": before + of_row}

    def _rows_with_place(self, keep: Mask | None, columns: dict[str, NDArray[Any]]) -> Mask | None:
        """The rows that stay once those without a place are left out."""
        deciding = [values for name, values in columns.items() if name.startswith(DECIDING)]
        out = np.logical_or.reduce([values == OUT for values in deciding])
        last = np.logical_or.reduce([values == LAST for values in deciding])
        if not (out.any() or last.any()):
            return keep
        stays = np.ones(len(out), np.bool_) if keep is None else keep
        self.left_out += int((out & stays).sum())
        self.last += int((last & stays & ~out).sum())
        placed: Mask = stays & ~out
        return placed

    def games(self) -> Games:
        """All contests, in order of time; raises BadData."""
        rows = self.left = {name: column.whole() for name, column in self.columns.items()}
        file = self.file or None
        self.labels.settle(rows)
        self.players, (rows["player"],) = normalize_names(self.names.roster(), rows["player"])
        keys = contest_keys(self.layout, rows)
        self.contest = number_groups(list(keys.values()))
        given = self.layout
        if self.times and given.best == "named" and not given.place:
            refuse_open_times(given, self.options.roles.get("points", ()), file)
        if self.times and given.best == "unknown":
            self.layout = replace(given, points=((given.points[0][0], -1.0),), best="times")
        self._find_sides()
        layout = self.layout
        nobody: list[Suspicion] = []
        if self.options.byes:
            given_names = self.players, self.left, self.contest, layout.player, self.file or ""
            absent, nobody = (
                find_nobody_in_contests(*given_names) if self.options.nobody else ([], nobody)
            )
            if len(byes := np.array([*byes_in(self.players), *absent], np.int64)):
                self._leave_out_byes(byes)
        judged = layout.guessed and not (self.options.where or self.options.exclude)
        if judged:
            contest = self.contest if self.side is None else self.contest[first_rows(self.side)]
            refuse_lonely(keys, contest, file)
        self._keep_better_places()
        self._leave_out_faulty()
        add_to_first(self.left, self.contest)
        self.rows = len(self.contest)
        found, kept = self._build()
        result = kept["points 0"][found.ends[:-1]] if layout.result and not layout.place else None
        more = layout.best == "heading" and layout.points[0][1] > 0.0
        if layout.best == "unknown" or (more and are_places(found.points, found.start)):
            raise which_end(found, layout.points[0][0], file)
        if judged:
            refuse_headless(found, list(keys), file)
        of_two = self.teams and bool((np.diff(found.start) == 2).all())
        notes = (
            key_note(found, list(keys), layout),
            *team_notes(layout, given.team if given.team != layout.team else None),
            *share_notes(layout, self.largest, self.sitting),
            *points_notes(layout),
            *unplaced_notes(self.last, self.left_out, self.twice, self.dated),
            *nobody,
            *(() if of_two else place_notes(found, judged)),
            *(split_notes(self.cells.joined, found.players) if self.options.splits_teams else ()),
            *self.facts.notes(),
            *category_notes(layout, found.labels),
        )
        best = layout.points[0][1] if layout.points and not layout.place else 0.0
        if of_two:
            found = games_of_two(found, best, result)
        found = found.replace(notes=notes)
        words = self.labels.texts
        return with_role_members(
            found,
            [RoleColumn(r, words[f"per {r}"], kept[f"per {r}"]) for r, _ in layout.per],
            [RoleColumn(r, words[f"with {r}"], kept[f"with {r}"]) for r, _ in layout.along],
            self.options.family,
        )

    def _find_sides(self) -> None:
        """Find the side of each row, and whether teams are sides."""
        layout, rows = self.layout, self.left
        if layout.team:
            words = self.labels.texts["team"]
            empty = words.index("") if "" in words else None
            self.side = sides_of_teams(self.contest, rows["team"], empty)
            self.teams = not layout.guessed_team or are_sides(rows, self.side)
            if self.teams:
                return
            part = layout.taken_part if "share" in self.options.roles else None
            self.layout = replace(layout, team=None, taken_part=part)
        self.side = number_groups([rows["row"]]) if "row" in rows else None

    def _keep(self, keep: Mask) -> None:
        """Leave out the other rows, and the players who stand in no row."""
        rows = self.left = {name: values[keep] for name, values in self.left.items()}
        self.contest = np.unique(self.contest[keep], return_inverse=True)[1]
        if self.side is not None:
            self.side = np.unique(self.side[keep], return_inverse=True)[1]
        known, ids = number_by_appearance(rows["player"].astype(np.int64))
        if len(known) < len(self.players):
            self.players = Roster(self.players[index] for index in known.tolist())
            rows["player"] = ids.astype(np.uint32)

    def _leave_out_byes(self, byes: Rows) -> None:
        """Leave out byes, and contests in which a bye was the only opponent."""
        contest = self.contest
        playing = ~np.isin(self.left["player"], byes)
        own = np.arange(len(contest), dtype=np.int64) if self.side is None else self.side
        of_side = contest[first_rows(own)]
        lively = np.bincount(own, playing) > 0.0
        left = np.bincount(of_side, lively)
        over = (left < 2.0) & (left < np.bincount(of_side))
        self.report.byes += int(over.sum()) + int((~lively & ~over[of_side]).sum())
        keep = playing & ~over[contest]
        if not keep.any():
            raise BadData.of("no_games", file=self.file)
        self._keep(keep)

    def _build(self) -> tuple[Games, dict[str, NDArray[Any]]]:
        """The contests in order of time, and the rows in the order of their members."""
        layout, rows, contest, side = self.layout, self.left, self.contest, self.side
        first = first_rows(contest)
        of_contest = np.arange(len(first), dtype=np.int64)
        if "time" in rows:
            of_contest = np.argsort(rows["time"][first], kind="stable")
        rank = np.empty(len(first), np.int64)
        rank[of_contest] = np.arange(len(first), dtype=np.int64)
        by_contest = rank[contest]
        order = np.argsort(by_contest, kind="stable")
        ends = None
        if side is not None:
            order = np.lexsort((side, by_contest))
            changes = np.flatnonzero(np.diff(side[order])) + 1
            ends = np.concatenate(([0], changes, [len(order)]))
        kept = {name: values[order] for name, values in rows.items()}
        heads = np.arange(len(order), dtype=np.int64) if ends is None else ends[:-1]
        counts = np.bincount(by_contest[order][heads], minlength=len(first))
        start = bounds_of(counts).astype(np.int64)
        at_sides = {name: values[heads] for name, values in kept.items()}
        place = share_last_place(at_sides["place"], start) if "place" in kept else None
        first = first[of_contest]
        share = relative_shares(kept["share"], by_contest[order]) if layout.taken_part else None
        of_facts = {name: rows[f"fact {name}"][first] for name, _ in layout.facts}
        stored: dict[str, Any] = {
            name: rows[name][first] for name in ("time", "weight") if name in rows
        }
        values, words = self.facts.columns({f"fact {n}": v for n, v in of_facts.items()} | stored)
        found = Games(
            players=self.players,
            start=start,
            ends=None if ends is None or len(heads) == len(order) else ends,
            player=kept["player"],
            share=None if share is None or (share == 1.0).all() else share,
            place=rank_by_points(at_sides, start, layout.points) if place is None else place,
            points=None if layout.result else first_points(at_sides),
            facts=values,
            labels=words,
            **stored,
        )
        return found, kept

    def _leave_out_faulty(self) -> None:
        """Leave out rows that contradict an earlier row of their contest, and players who took no
        part.
        """
        rows = self.left
        self.dated = take_earliest_dates(rows, self.contest)
        keep = self.lines.refuse_rows(self._find_faults(), rows, self.report, self.skip_bad)
        if self.layout.taken_part:
            self.largest = float(rows["share"].max())
            playing = rows["share"] > 0.0
            self.sitting = int((~playing).sum())
            if self.sitting:
                keep = playing if keep is None else keep & playing
        if keep is not None:
            self._keep(keep)

    def _keep_better_places(self) -> None:
        """Leave out the worse place of a player who stands twice in a contest, if few do.

        Drivers shared cars; where more than a few rows are such, contests are not told apart.
        """
        rows = self.left
        if "place" not in rows or self.side is not None or "row" in rows:
            return
        worse = find_worse_rows(number_groups([self.contest, rows["player"]]), rows["place"])
        if 0 < worse.sum() <= len(worse) * FEW_TWICE:
            self.twice = int(worse.sum())
            self._keep(~worse)

    def _find_faults(self) -> dict[int, RowError]:
        """The errors of rows that contradict an earlier row of their contest, by row."""
        faults: dict[int, RowError] = {}
        layout, rows, contest = self.layout, self.left, self.contest
        seen = number_groups([contest, rows["player"]])
        again = np.ones(len(seen), np.bool_)
        again[first_rows(seen)] = False
        for row in np.flatnonzero(again).tolist():
            name = self.players[int(rows["player"][row])]
            faults[row] = RowError(
                layout.player, InvalidValue.of("player_twice.contest", name=name)
            )
        facts = [(f"fact {name}", column, "values") for name, column in layout.facts]
        constant = [("time", layout.time, "dates"), ("weight", layout.weight, "weights"), *facts]
        for key, column, what in constant:
            if key in rows:
                differs = rows[key] != rows[key][first_rows(contest)][contest]
                for row in np.flatnonzero(differs).tolist():
                    refusal = InvalidValue.of(f"contest_contradicts.{what}")
                    faults.setdefault(row, RowError(column, refusal))
        if self.teams:
            words = self.labels.texts["team"]
            faults = faults_of_teams(rows, contest, self.side, words, layout) | faults
        return self.facts.settle(self.labels, rows, layout) | faults


# Notes on contests as they were read: odd places, shares, dates, and players left out.


def share_notes(layout: Layout, largest: float, left_out: int) -> list[str]:
    """Notes on the column of shares, whose largest value is given."""
    if not layout.taken_part:
        return []
    name, notes = quote(layout.taken_part), []
    if largest > 1.0:
        notes.append(f"shares are the column {name} divided by its largest value in each contest")
    if left_out:
        rows = "1 player is" if left_out == 1 else f"{left_out:,} players are"
        notes.append(f"{rows} left out of a contest: a share of 0 in column {name}")
    return notes


def unplaced_notes(last: int, left_out: int, twice: int, dated: int) -> list[str | Suspicion]:
    """Notes on rows without a place of their own, which share the last one or are left out, on
    players who stand twice in a contest, and on contests with several dates.
    """
    notes: list[str | Suspicion] = []
    if last:
        rows = "1 row shares" if last == 1 else f"{last:,} rows share"
        skip = 'unplaced="skip" (--unplaced skip) leaves them out'
        notes.append(f"{rows} the last place of a contest (DNF and its like); {skip}")
    if left_out:
        rows = "1 row is" if left_out == 1 else f"{left_out:,} rows are"
        notes.append(f"{rows} left out: no place (DNS and its like)")
    if twice:
        players = "1 player stands" if twice == 1 else f"{twice:,} times a player stands"
        text = f"{players} twice in a contest: the better place counts, the other is left out"
        brief = f"{players} twice in a contest, the better place counts"
        notes.append(Suspicion(text, brief, warns=False))
    if dated:
        contests = "1 contest has" if dated == 1 else f"{dated:,} contests have"
        none = 'time="none", --time none: no dates'
        notes.append(f"{contests} several dates: the earliest counts ({none})")
    return notes


def place_notes(found: Games, guessed: bool) -> list[str]:
    """Notes on contests with odd places; a warning where half of them or more have no first, and
    their key is `guessed`.
    """
    count, sizes = len(found), np.diff(found.start)
    best = reduce_runs(np.minimum, found.place, found.start[:-1])
    worst = reduce_runs(np.maximum, found.place, found.start[:-1])
    contest = repeat_rows(np.arange(count, dtype=np.int64), sizes)
    winners = np.bincount(contest, found.place == 1.0, count)
    seconds = np.bincount(contest, found.place == 2.0, count)  # after two winners comes place 3
    who = "player" if found.single else "side"
    headless = f"no {who} is in place 1"
    odd = {
        headless: best > 1.0,
        f"there is one {who} only": sizes == 1,
        f"all {who}s share a place": (best == worst) & (sizes > 1),
        f"several {who}s are in place 1 and others in place 2 (are they several contests?)":
            (winners > 1) & (seconds > 0),
    }  # fmt: skip
    notes = [
        f"in {int(where.sum()):,} of {format_count(count, 'contest')} {what}"
        for what, where in odd.items()
        if where.any()
    ]
    if guessed and 2 * int(odd[headless].sum()) >= count:
        notes[0] = Suspicion(notes[0])
    return notes
