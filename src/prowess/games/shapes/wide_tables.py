"""Tables whose headings or cells hold what other tables keep in rows: they become rows.

They are crosstables, wall charts, and contests or ballots with a column for each place, for each
player or for each contest, or with rankings such as A > B.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import Any

from prowess.games.cells.places import bare_letters, parse_ordinal
from prowess.games.columns import BLANKS, REMEMBERED, InputColumn, InputTable, Values, hold_cells
from prowess.games.errors import BadData, InvalidValue, quote
from prowess.games.values import is_missing
from prowess.games.vocabulary import is_task, read_heading, split_heading
from prowess.games.words import words_for

NUMBERS = words_for("number") | {"pos", "rank", "rang", "platz", "pl"}
PERSONS = words_for("player", "skipper")
LONGEST = 60  # letters of a name
LEAST = 3  # players of a wide table
LIST_MARK = "\x1f"  # between the texts of a cell that is a list: no text holds it
MOST_ROWS = 2_000  # of a table that may be unfolded; longer tables hold rows
MOST_BALLOTS = 1_000_000  # rows of a table whose headings are places


@dataclass
class WideTable:
    """All cells of a small table as texts, and the line of each row."""

    table: InputTable
    columns: dict[str, list[str]]
    lines: list[int]

    @property
    def names(self) -> list[str]:
        """The headings."""
        return [*self.columns]

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells by row."""
        return [*map(list, zip(*self.columns.values(), strict=True))]

    def bad(
        self,
        what: str,
        remedy: str,
        row: int | None = None,
        column: str = "",
        *,
        code: str | None = None,
    ) -> BadData:
        """An error about the table, or about a row of it."""
        place: dict[str, Any] = {"file": self.table.file or None, "column": column or None}
        line = self.table.heading if row is None else self.lines[row]
        place[self.table.unit if row is not None else "line"] = line
        return BadData(what, remedy=remedy, code=code, **place)

    def unfold(
        self, columns: Mapping[str, list[Any]], rows: Sequence[int], notes: Sequence[str],
        absent: Mapping[int, InvalidValue] | None = None, used: Collection[str] = (),
    ) -> InputTable:  # fmt: skip
        """A table of these columns; `rows` says from which row of this one each comes, and they are
        made of those that are `used`.
        """
        lines = [*map(self.lines.__getitem__, rows)]
        return InputTable(
            self.table.file,
            list(columns),
            hold_cells(lambda name: [*columns[name]], len(lines), lines.__getitem__, absent=absent),
            heading=self.table.heading,
            unit=self.table.unit,
            guarded=self.table.guarded,
            notes=(*self.table.notes, *notes),
            unread=[name for name in self.names if name not in {*used, *columns}],
        )


def gather_cells(table: InputTable, most: int) -> WideTable | None:
    """All cells of a table; None if it has more than `most` rows. Raises BadData for a row that is
    none.
    """
    columns: dict[str, list[str]] = {name: [] for name in table.names}
    lines: list[int] = []
    for chunk in table.chunks(table.names):
        if len(lines) + chunk.count > most:
            return None
        for row, refusal in sorted(chunk.refused.items()):
            place: dict[str, Any] = {table.unit: chunk.line(row)}
            raise BadData(
                refusal.what,
                remedy=refusal.remedy,
                code=refusal.code,
                file=table.file or None,
                **place,
            )
        for name, cells in columns.items():
            cells.extend(texts_of(chunk.columns[name], chunk.count))
        lines += map(chunk.line, range(chunk.count))
    return WideTable(table, columns, lines)


def texts_of(column: InputColumn, count: int) -> list[str]:
    """The first cells of a column as texts; each different text is made once."""
    column = column if isinstance(column, Values) else Values([*map(column.cell, range(count))])
    cells, kinds = column.values, column.types
    if len(kinds) > 1 or not kinds <= REMEMBERED:
        return [*map(text_of, cells)]
    if kinds == {int}:
        return [*map(str, cells)]
    known = {cell: text_of(cell) for cell in {*cells}}
    return [*map(known.__getitem__, cells)]


def text_of(cell: Any) -> str:
    """A cell as a text, also a whole number that a sheet holds as a float.

    A list of names, and of lists of names that are equal, is `A<mark>B = C`.
    """
    if isinstance(cell, list | tuple):
        groups = (each if isinstance(each, list | tuple) else [each] for each in cell)
        return LIST_MARK.join(" = ".join(map(text_of, group)) for group in groups)
    if is_missing(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return " ".join(str(cell).replace("\xa0", " ").strip(BLANKS).split(" "))


def find_label(wide: WideTable) -> str | None:
    """The column of players: its cells are words, all different, and no ordinals.

    Of several a heading such as Name decides, then one such as Boat, then the first.
    """
    found = []
    for name, cells in wide.columns.items():
        words = sum(bool(re.search(r"[^\W\d_]{2}|[^\W\d_]$", cell)) for cell in cells)
        ordinals = sum(parse_ordinal(cell) is not None for cell in cells)
        different = len({cell.casefold() for cell in cells}) == len(cells)
        named = different and not is_task(name) and not _are_sentences(cells)
        if words == len(cells) and named and 2 * ordinals <= len(cells):
            found.append(name)
    return min(found, key=_rank_label, default=None)


def _are_sentences(cells: Sequence[str]) -> bool:
    """Whether half of the cells are too long for names, or end as sentences of several words."""
    told = [
        len(cell) > LONGEST or (len(cell.split()) > 2 and cell.rstrip().endswith((".", "?", "!")))
        for cell in cells
    ]
    return 2 * sum(told) >= len(cells) > 0


def _rank_label(name: str) -> int:
    heading = read_heading(name)
    if not PERSONS.isdisjoint(heading.words):
        return 0
    return 1 if heading.is_of("player") else 2


def find_numbers(wide: WideTable, label: str, count: int) -> list[tuple[str, list[int]]]:
    """The columns that number the rows from 1, those with such a heading first."""
    found = []
    for name, cells in wide.columns.items():
        bare = [cell.rstrip(".") for cell in cells]
        if name != label and all(cell.isdigit() for cell in bare):
            numbers = [int(cell) for cell in bare]
            if sorted(numbers) == list(range(1, count + 1)):
                found.append((name, numbers))
    return sorted(found, key=lambda each: bare_letters(each[0]) not in NUMBERS)


PLAIN_NUMBER = re.compile(r"\d{1,7}(?:[.,]\d+)?")


def is_names(cells: Sequence[str]) -> bool:
    """Whether all filled cells have a letter."""
    filled = {*cells} - {""}
    return bool(filled) and all(re.search(r"[^\W\d_]", cell) for cell in filled)


def is_numbers(cells: Sequence[str]) -> bool:
    """Whether all filled cells are numbers."""
    filled = {*cells} - {""}
    return bool(filled) and all(PLAIN_NUMBER.fullmatch(cell) for cell in filled)


def other_columns(wide: WideTable, taken: Sequence[str]) -> list[str]:
    """The columns that stay beside those that are unfolded: of dates, games, voters."""
    return [name for name in wide.names if name not in taken]


COUNTS = words_for("count", "votes") | {"n"}
BESIDE_COUNTS = words_for("article", "number") | {"ballots"}
WEIGHT = "count of the row"


class PlacedRows:
    """The rows that are being made: some columns are `kept` as they are, those of the places are
    `used`: if not given, all others.
    """

    def __init__(
        self, wide: WideTable, kept: Sequence[str], used: Sequence[str] | None = None
    ) -> None:
        self.used = other_columns(wide, kept) if used is None else used
        made = ("contest of the row", "player", "place")
        self.wide, self.kept = wide, [name for name in kept if name not in made]
        self.contests: list[str] = []  # of each player, where they are not the rows
        self.players: list[str] = []
        self.places: list[Any] = []
        self.rows: list[int] = []  # of the wide table, from which each comes

    def add(self, row: int, player: str, place: Any) -> None:
        """Add a player of the contest that a row is."""
        self.rows.append(row)
        self.players.append(player)
        self.places.append(place)

    def add_all(self, ranked: Sequence[tuple[Sequence[str], Sequence[Any]]]) -> None:
        """Add the players and the places of each row."""
        self.rows += [row for row, (players, _) in enumerate(ranked) for _ in players]
        self.players += chain.from_iterable(players for players, _ in ranked)
        self.places += chain.from_iterable(places for _, places in ranked)

    def table(
        self, note: str, value: str = "place", counts: Sequence[str] | None = None
    ) -> InputTable:
        """The table, with the places under another heading if they are points.

        `counts` says how many ballots each row of the source stands for.
        """
        columns: dict[str, list[Any]] = {
            name: [*map(self.wide.columns[name].__getitem__, self.rows)] for name in self.kept
        }
        numbers = [*map(str, range(1, len(self.wide.lines) + 1))]
        contests = self.contests or [*map(numbers.__getitem__, self.rows)]
        columns |= {"contest of the row": contests, "player": self.players}
        columns[value] = self.places
        roles = {"contest": ("contest of the row",), "player": ("player",)}
        roles |= {"place": ("place",)} if value == "place" else {}
        if counts is not None:
            columns[WEIGHT] = [counts[row] for row in self.rows]
            roles["weight"] = (WEIGHT,)
        elif (name := self._find_counts()) is not None:
            roles["weight"] = (name,)
        table = self.wide.unfold(columns, self.rows, [note], used=self.used)
        table.roles = roles
        return table

    def _find_counts(self) -> str | None:
        """The column that says how many ballots each row stands for, if there is one."""
        sizes = Counter(self.rows)
        for name in self.kept:
            words, cells = {*split_heading(name)}, self.wide.columns[name]
            if words & COUNTS and words <= COUNTS | BESIDE_COUNTS and is_numbers(cells):
                numbers = [float(cell.replace(",", ".")) for cell in cells if cell]
                numbering = numbers == [numbers[0] + at for at in range(len(numbers))]
                if not numbering and numbers != [sizes[row] for row in range(len(cells))]:
                    return name
        return None


# Columns whose cells are rankings become rows of players and places.
#
# `A > B = C` in any column; lists and texts such as `A, B, C` where the heading says that the
# best stands first, or where the order of the names tells something.


RANKED = words_for("ranking")
BALLOTS = words_for("ranking", "ballot")
WORST_FIRST = words_for("worst_first")
RANKING_MARKS = (LIST_MARK, ";", "|", ",")
COUNTED_RANKING = re.compile(r"(\d+(?:\.\d+)?)\s*:\s*(.*)")  # 3: A > B
NAMELESS = ({"a", "b"}, {"1", "2"})  # sides of a judgment

Ranking = list[list[str]]  # names by place, the best first


def unfold_rankings(wide: WideTable) -> InputTable | None:
    """The rows of players and places of a table with a column of rankings; None for another."""
    for name in wide.names:
        words = {*split_heading(name)}
        found = [COUNTED_RANKING.fullmatch(cell) for cell in wide.columns[name]]
        cells = [each[2] if each else cell
                 for each, cell in zip(found, wide.columns[name], strict=True)]  # fmt: skip
        mark = _find_mark([cell for cell in cells if cell], words)
        if mark is None or words & WORST_FIRST:
            continue
        rankings = [_split(cell, mark) for cell in cells]
        if not (words & RANKED or _tells_order(rankings, mark)):
            continue
        made = PlacedRows(wide, other_columns(wide, [name]))
        for row, ranking in enumerate(rankings):
            for place, group in enumerate(ranking, 1):
                for player in group:
                    if not player:
                        shown = quote(cells[row])
                        raise wide.bad(
                            f"{shown} lacks a name",
                            "write A > B = C",
                            row,
                            name,
                            code="ballot_incomplete",
                        )
                    made.add(row, player, place)
        order = "> stands for better, = for equal" if mark == ">" else "the best first"
        counts = [each[1] if each else "1" for each in found] if any(found) else None
        return made.table(f"column {quote(name)} holds rankings: {order}", counts=counts)
    return None


def _find_mark(cells: Sequence[str], words: set[str]) -> str | None:
    """What stands between the names of most cells; None where they are no rankings."""
    if not any(letter.isalpha() for cell in cells for letter in cell):
        return None
    for mark in (">", *(RANKING_MARKS if words & BALLOTS else ())):
        marked = sum(mark in cell for cell in cells)
        if 2 * marked > len(cells) and (mark != ">" or not any("<" in cell for cell in cells)):
            others = "".join(cell for cell in cells if mark not in cell)
            return None if any(other in others for other in (">", *RANKING_MARKS)) else mark
    return None


def _split(cell: str, mark: str) -> Ranking:
    parts = filter(None, map(str.strip, cell.split(mark)))
    return [re.split(r"\s*=\s*", part) for part in parts]


def _tells_order(rankings: Sequence[Ranking], mark: str) -> bool:
    """Whether names stand in several orders, which those of a path, or of boxes that were ticked,
    do not; comparisons of A and B alone are judgments of two others.
    """
    names = {name.casefold() for ranking in rankings for group in ranking for name in group}
    if names in NAMELESS:
        return False
    if mark == ">" and all(len(ranking) == 2 for ranking in rankings if ranking):
        firsts, seconds = ({ranking[at][0] for ranking in rankings if ranking} for at in (0, 1))
        return bool(firsts & seconds)
    before = {
        pair
        for ranking in rankings
        for one, other in combinations(ranking, 2)
        for pair in ((x, y) for x in one for y in other)
    }
    return any((second, first) in before for first, second in before)
