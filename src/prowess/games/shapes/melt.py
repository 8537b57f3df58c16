"""Tables whose headings or cells hold what other tables keep in rows: they become rows.

They are crosstables, wall charts, and contests or ballots with a column for each place, for each
player or for each contest, or with rankings such as A > B.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, pairwise
from statistics import median
from typing import Any, NamedTuple

from prowess.games.cells.places import bare_letters, parse_ordinal
from prowess.games.columns import BLANKS, REMEMBERED, InputColumn, InputTable, Values, hold_cells
from prowess.games.errors import BadData, InvalidValue, quote
from prowess.games.reading import format_count
from prowess.games.roles.candidates import side_family
from prowess.games.roles.evidence import is_of_official
from prowess.games.shapes.split import NAME_POINTS, hold_points, parse_name_points
from prowess.games.values import fold_text, is_missing, lazy_pattern, plain_form
from prowess.games.vocabulary import (
    FEWER,
    GAMES,
    MORE,
    PLACE,
    PLAYED,
    SPOILERS,
    SUBJECT_WORDS,
    SUMS,
    TOTALS,
    WEAK,
    alternatives,
    is_task,
    read_heading,
    slots_for,
    split_heading,
    tells_contests,
    words_for,
)

NUMBERS = words_for("number") | {"pos", "rank", "rang", "platz", "pl"}
PERSONS = words_for("player", "skipper")
LETTERS_OF_NAME = 60  # at most
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
        len(cell) > LETTERS_OF_NAME
        or (len(cell.split()) > 2 and cell.rstrip().endswith((".", "?", "!")))
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

    def melt(self, columns: Iterable[Iterable[tuple[str, Any]]]) -> None:
        """Add the players of columns whose cells are a player, or "", and a value, row by row."""
        for row, cells in enumerate(zip(*columns, strict=True)):
            for player, value in cells:
                if player:
                    self.add(row, player, value)

    def add_all(self, ranked: Sequence[tuple[Sequence[str], Sequence[Any]]]) -> None:
        """Add the players and the places of each row."""
        self.rows += [row for row, (players, _) in enumerate(ranked) for _ in players]
        self.players += chain.from_iterable(players for players, _ in ranked)
        self.places += chain.from_iterable(places for _, places in ranked)

    def table(
        self, note: str, value: str = "place", counts: Sequence[str] | None = None,
        sign: float = 0.0,
    ) -> InputTable:  # fmt: skip
        """The table, with the places under another heading if they are points; `sign` is 1.0 where
        more of them is better, -1.0 where less is, 0.0 where that is open.

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
        roles |= {"points": (value if sign > 0.0 else f"-{value}",)} if sign else {}
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


# Crosstables, matrices of home and away games, and wall charts become rows of games.
#
# Rows and columns are players; the cell is the result of the player of the row against that of the
# column. The diagonal is empty, and both cells of a pair must say the same, unless they are two
# games: those of the row's player at home and away.


FILLED = 0.2  # share of the cells of a crosstable that hold results, at least
EMPTY_CELLS = frozenset({
    "", "x", "xx", "xxx", "*", "**", "***", "-", "--", "---", "–", "—", "\\", "/", "■", "█", "#",
    "●", "•", "n/a", "×", ".",
})  # fmt: skip
CROSSTABLE_SCORES = {
    "1": 1.0, "0": 0.0, "½": 0.5, "1/2": 0.5, "0.5": 0.5, "0,5": 0.5, ".5": 0.5, "=": 0.5,
    "1.0": 1.0, "0.0": 0.0, "1,0": 1.0, "0,0": 0.0, "w": 1.0, "l": 0.0, "d": 0.5, "r": 0.5,
    "v": 1.0,
}  # fmt: skip
FORFEITED = {"+": 1.0, "-": 0.0, "1f": 1.0, "0f": 0.0, "+-": 1.0, "-+": 0.0, "1k": 1.0, "0k": 0.0}
TOUCHES = re.compile(r"([vdwl])\s?([0-9]{1,2})")  # V5 and D3: victory and defeat
SCORES_OF_LETTERS = {"v": 1.0, "w": 1.0, "d": 0.0, "l": 0.0}
JOINED = re.compile(r"[01½=]{2,}")  # games of chess written without a space: 10, ½1
CROSSTABLE_SCORELINE = re.compile(r"([0-9]{1,3})\s*[:\-–—]\s*([0-9]{1,3})")
BETWEEN_RESULTS = re.compile(r"\s*[,;|/\n]\s*|\s+")
HOME, AWAY = words_for("home", "white"), words_for("away", "black") | {"a", "g"}
FIT = "mend one of the two cells"


class CellGames(NamedTuple):
    """The games of a cell: scores of the row's player, or scorelines with that player first."""

    scores: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()  # of scorelines
    forfeit: bool = False
    touches: int | None = None  # of the row's player, in fencing


def parse_cell(text: str) -> CellGames | None:
    """The games of a cell of a crosstable, none in an empty one; None where it holds no results."""
    bare = text.strip()
    folded = bare.casefold()
    if folded in EMPTY_CELLS:
        return CellGames()
    if folded in CROSSTABLE_SCORES:
        return CellGames((CROSSTABLE_SCORES[folded],))
    if folded in FORFEITED:
        return CellGames((FORFEITED[folded],), forfeit=True)
    if touches := TOUCHES.fullmatch(folded):
        return CellGames((SCORES_OF_LETTERS[touches[1]],), touches=int(touches[2]))
    lines = list(CROSSTABLE_SCORELINE.finditer(bare))
    if lines:
        rest = CROSSTABLE_SCORELINE.sub("", bare)
        if len(lines) == 1 and lines[0].start() == 0:  # a word may follow: 2:1 n.V.
            return CellGames((_score(lines[0]),), (bare,)) if not re.search(r"\d", rest) else None
        if re.fullmatch(r"[\s,;|/]*", rest):
            return CellGames(tuple(map(_score, lines)), tuple(line[0] for line in lines))
        return None
    parts = BETWEEN_RESULTS.split(folded)
    if len(parts) == 1 and JOINED.fullmatch(folded):
        parts = list(folded)
    scores = [CROSSTABLE_SCORES[part] for part in parts if part in CROSSTABLE_SCORES]
    return CellGames(tuple(scores)) if len(scores) == len(parts) else None


def _score(line: re.Match[str]) -> float:
    first, second = int(line[1]), int(line[2])
    return 0.5 * ((first > second) + 1.0 - (first < second))


class PlayersByColumn(NamedTuple):
    """The column of each row's player in a crosstable, and the column of their names."""

    label: str
    columns: list[str]
    said: str


def unfold_crosstable(wide: WideTable) -> InputTable | None:
    """The games of a crosstable; None for another table. Raises BadData for contradictions."""
    square = find_square(wide)
    if square is None:
        return None
    label, columns, said = square
    names, count = wide.columns[label], len(wide.rows)
    cells: dict[tuple[int, int], CellGames] = {}
    for (row, other), cell in sorted(_read_cells(wide, columns).items()):
        if cell is None:
            what = f"{quote(wide.columns[columns[other]][row])} is no result of a crosstable"
            remedy = f"write 1, ½ or 0, or 2:1; {FIT}"
            raise wide.bad(what, remedy, row, columns[other], code="not_a_result_in_cell")
        if cell.scores and row != other:
            cells[row, other] = cell
    sides = _sides(label)
    pairs = [(a, b) for a, b in cells if a < b and (b, a) in cells]
    unlike = [(a, b) for a, b in pairs if not _fit(cells[a, b], cells[b, a])]
    matrix = sides == "home" or (len(unlike) * 3 > len(pairs) and _may_be_home(cells))
    if matrix and sides == "away":
        raise wide.bad(
            f"{quote(label)} says that the columns are at home",
            "turn the table, so that the home teams stand in the rows",
            code="home_in_columns",
        )
    if unlike and not matrix:
        a, b = unlike[0]
        first, second = (wide.columns[columns[y]][x] for x, y in ((a, b), (b, a)))
        raise wide.bad(
            f"{quote(first)} of {names[a]} against {names[b]} contradicts {quote(second)} of "
            f"{names[b]} against {names[a]}",
            FIT, a, columns[b], code="results_contradict",
        )  # fmt: skip
    order = sorted(cells) if matrix else [
        (a, b) if (a, b) in cells else (b, a)
        for a, b in sorted({(min(pair), max(pair)) for pair in cells})
    ]  # fmt: skip
    games: list[tuple[str, str, str]] = []
    rows: list[int] = []
    absent: dict[int, InvalidValue] = {}
    for a, b in order:
        cell = cells[a, b]
        points = _points_of_touches(cell, cells.get((b, a)))
        for at, score in enumerate(cell.scores):
            if cell.forfeit:
                absent[len(rows)] = InvalidValue(
                    "the game was not played: a forfeit", code="game_forfeited"
                )
            told = points or (cell.texts[at] if cell.texts else f"{score:g}")
            games.append((names[a], names[b], told))
            rows.append(a)
    heads = ("home", "away") if matrix else ("player_a", "player_b")
    notes = [f"a crosstable of {count} players: {said}"]
    if matrix:
        why = f"as {quote(label)} says" if sides else "both cells of a pair are two games"
        notes.append(f"the players of the rows are at home: {why}")
    return wide.unfold(
        _name_columns((*heads, "result"), games), rows, notes, absent, [label, *columns]
    )


def _name_columns(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """The columns of these rows by their headings."""
    return {head: [row[at] for row in rows] for at, head in enumerate(heads)}


def _points_of_touches(cell: CellGames, back: CellGames | None) -> str:
    """The scoreline of two cells such as V5 and D3; empty where they tell none."""
    if back is None or cell.touches is None or back.touches is None:
        return ""
    return f"{cell.touches}:{back.touches}" if cell.touches != back.touches else ""


def _fit(one: CellGames, other: CellGames) -> bool:
    """Whether the cells of a pair say the same games."""
    if len(one.scores) != len(other.scores) or bool(one.texts) != bool(other.texts):
        return False
    if one.touches is not None and other.touches is not None:
        ahead = (one.touches - other.touches) * (one.scores[0] - 0.5) >= 0.0
        return ahead and one.scores[0] + other.scores[0] == 1.0
    if one.texts:
        found = [
            (CROSSTABLE_SCORELINE.match(a), CROSSTABLE_SCORELINE.match(b))
            for a, b in zip(one.texts, other.texts, strict=True)
        ]
        return all(a and b and a.groups() == b.groups()[::-1] for a, b in found)
    pairs = zip(one.scores, other.scores, strict=True)
    return all(a + b == 1.0 for a, b in pairs) or (one.forfeit and sum(other.scores) == 0.0)


def _may_be_home(cells: dict[tuple[int, int], CellGames]) -> bool:
    """Whether each cell is one scoreline, so that the cells of a pair may be two games."""
    return all(len(cell.scores) == 1 and cell.texts for cell in cells.values())


def _sides(label: str) -> str:
    """Which side the corner of a matrix gives the rows: home, away or none."""
    words = re.findall(r"\w+", label.casefold())
    if len(words) >= 2 and words[0] in HOME and words[-1] in AWAY:
        return "home"
    return "away" if len(words) >= 2 and words[0] in AWAY and words[-1] in HOME else ""


def find_square(wide: WideTable) -> PlayersByColumn | None:
    """The rows and columns of a crosstable, by headings and cells; None for another table."""
    count = len(wide.rows)
    if count < LEAST or len(wide.names) <= count:
        return None
    label = find_label(wide)
    if label is None:
        return None
    rows = {name.casefold(): row for row, name in enumerate(wide.columns[label])}
    named: dict[int, str] = {}
    for name in wide.names:
        if name != label and (row := rows.get(name.casefold())) is not None:
            named[row] = name
    if 2 <= len(named) < count or (len(named) == count and _has_more_players(wide, label, named)):
        raise wide.bad(
            "rows and columns of the crosstable are not the same players",
            "give each player a row and a column",
            code="crosstable_not_square",
        )
    if len(named) == count:
        said = "rows and columns are called alike"
        return PlayersByColumn(label, [named[row] for row in range(count)], said)
    for columns in _runs(wide, label, count):
        said = f"columns {columns[0]} to {columns[-1]} are the players in the order of the rows"
        if columns[0].lstrip("#") == "1" and columns[-1].lstrip("#") == str(count):
            by_number = find_numbers(wide, label, count)
            for name, order in by_number:
                turned = [columns[number - 1] for number in order]
                if _is_square(wide, turned):
                    return PlayersByColumn(
                        label, turned, f"columns are the numbers of column {quote(name)}"
                    )
        if _is_square(wide, columns):
            return PlayersByColumn(label, columns, said)
    return None


def is_sum(heading: str) -> bool:
    """Whether a heading is that of a sum, such as Spiele, or is known to mean something else."""
    plain = plain_form(heading)
    return plain in SUMS | GAMES | PLAYED or not read_heading(heading).unknown


def _has_more_players(wide: WideTable, label: str, named: Mapping[int, str]) -> bool:
    """Whether further columns hold results of players who have no row."""
    last = max(map(list(wide.names).index, named.values()))
    after = [name for name in wide.names[last + 1 :] if name != label and not is_sum(name)]
    cells = [parse_cell(text) for name in after[:1] for text in wide.columns[name]]
    return (
        bool(cells)
        and all(each is not None for each in cells)
        and any(each is not None and each.texts for each in cells)
    )


def _runs(wide: WideTable, label: str, count: int) -> Iterator[list[str]]:
    """The runs of as many columns as there are rows, without the column of names."""
    names = list(wide.names)
    for first in range(len(names) - count + 1):
        run = names[first : first + count]
        if label not in run:
            yield run


def _read_cells(wide: WideTable, columns: Sequence[str]) -> dict[tuple[int, int], CellGames | None]:
    """The games of each cell by its row and the number of its column."""
    return {
        (row, other): parse_cell(text)
        for other, column in enumerate(columns)
        for row, text in enumerate(wide.columns[column])
    }


def _is_square(wide: WideTable, columns: Sequence[str]) -> bool:
    """Whether the diagonal is empty, all other cells are results, and most pairs fit together."""
    cells: dict[tuple[int, int], CellGames] = {}
    for (row, other), cell in _read_cells(wide, columns).items():
        if cell is None or (row == other and cell.scores):
            return False
        if cell.scores:
            cells[row, other] = cell
    both = [(cell, cells[b, a]) for (a, b), cell in cells.items() if a < b and (b, a) in cells]
    fitting = sum(_fit(one, other) for one, other in both)
    many = len(cells) >= FILLED * len(columns) * (len(columns) - 1)
    return many and (2 * fitting >= len(both) or all(cell.texts for cell in cells.values()))


# Wall charts of Swiss tournaments become rows of games: `12w1` is a win with White against 12.
#
# Both cells of a game must say the same: the opponent's number, the colour and the result.


OPPONENT_NUMBER = r"#?(?P<number>\d{1,4})"
COLOUR = r"(?P<colour>[wbsn])"
CHART_RESULT = r"(?P<result>½|1/2|0[.,]5|[10+=\-−])"
CELLS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{OPPONENT_NUMBER}\s*{COLOUR}\s*{CHART_RESULT}",  # 12w1
        rf"{CHART_RESULT}\s*{OPPONENT_NUMBER}\s*{COLOUR}",  # +12w
        rf"(?P<result>[wldrn])\s*{OPPONENT_NUMBER}(?:\s*{COLOUR})?",  # W12
        rf"{COLOUR}\s*{OPPONENT_NUMBER}\s*{CHART_RESULT}",  # w12 1
        rf"(?P<result>[+=\-−])\s*{OPPONENT_NUMBER}",  # +12
        rf"{OPPONENT_NUMBER}\s*(?P<result>[+=\-−])",  # 12+
    )
)
WITH_COLOUR = (CELLS[0], CELLS[1], CELLS[3])
NO_GAME_CELL = re.compile(
    r"|[-–—*.]+|bye|(?:\+|-|1|0|½|=|w|l|d|h|u|f|x)?\s*-{0,2}\s*(?:bye|bye\+|frei|spielfrei|exempt)?|"
    r"(?:-{1,4}|0|bye)\s*(?:[01½+\-=]|1/2)?|[hfuzx]-*|--?[01½+\-=]",
    re.IGNORECASE,
)
SCORES_ON_CHARTS = {
    "1": 1.0, "+": 1.0, "w": 1.0, "0": 0.0, "-": 0.0, "−": 0.0, "l": 0.0, "½": 0.5, "1/2": 0.5,
    "0.5": 0.5, "0,5": 0.5, "=": 0.5, "d": 0.5, "r": 0.5, "n": 0.5,
}  # fmt: skip
CHART_TEXTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
FEWEST_ROUNDS_OF_TABLE = 2  # rounds


class ChartCell(NamedTuple):
    """What a cell says: the number of the opponent, whether with White, and the own score."""

    number: int
    white: bool | None
    score: float


def parse_chart_cell(text: str, coloured: bool = False) -> ChartCell | None:
    """The game of a cell; None where there is none, or no colour where all games have one."""
    for pattern in WITH_COLOUR if coloured else CELLS:
        if found := pattern.fullmatch(text):
            parts = found.groupdict()
            colour = (parts.get("colour") or "").lower()
            white = None if not colour else colour == "w"
            return ChartCell(int(parts["number"]), white, SCORES_ON_CHARTS[parts["result"].lower()])
    return None


def unfold_wall_chart(wide: WideTable) -> InputTable | None:
    """The games of a wall chart; None for another table. Raises BadData for contradictions."""
    count = len(wide.rows)
    if count < LEAST or (label := find_label(wide)) is None:
        return None
    coloured = any(
        pattern.fullmatch(text) for row in wide.rows for text in row for pattern in WITH_COLOUR
    )
    charts = {
        name: [parse_chart_cell(text, coloured) for text in cells]
        for name, cells in wide.columns.items() if name != label
    }  # fmt: skip
    rounds = {name: cells for name, cells in charts.items() if _is_round(cells, wide.columns[name])}
    if len(rounds) < FEWEST_ROUNDS_OF_TABLE:
        return None
    numbered = find_numbers(wide, label, count)
    numbers = numbered[0][1] if numbered else list(range(1, count + 1))
    row_of = {number: row for row, number in enumerate(numbers)}
    names = wide.columns[label]
    if not _refers_to_players([*rounds.values()], row_of):
        return None
    with_colours = False
    games: list[tuple[str, str, str, str]] = []
    rows: list[int] = []
    for at, (name, cells) in enumerate(rounds.items(), 1):
        for row, cell in enumerate(cells):
            if cell is None:
                continue
            other = row_of.get(cell.number)
            if other is None or other == row:
                what = f"{quote(wide.columns[name][row])} names no other player of the chart"
                raise wide.bad(what, "correct the cell", row, name, code="not_a_result_in_cell")
            back = cells[other]
            if back is None or not _say_same_game(cell, back, numbers[row]):
                shown = quote(wide.columns[name][other])
                raise wide.bad(
                    f"{quote(wide.columns[name][row])} of {names[row]} contradicts {shown} of "
                    f"{names[other]}",
                    "correct one of the two cells", row, name, code="results_contradict",
                )  # fmt: skip
            with_colours |= cell.white is not None
            if cell.white or (cell.white is None and row < other):
                games.append((names[row], names[other], CHART_TEXTS[cell.score], str(at)))
                rows.append(row)
    heads = ("white", "black") if with_colours else ("player_a", "player_b")
    columns = _name_columns((*heads, "result", "round"), games)
    note = f"a wall chart of {count} players, {format_count(len(rounds), 'round')}"
    used = [label, *rounds, *(name for name, _ in numbered[:1])]
    return wide.unfold(columns, rows, [note], used=used)


def _is_round(games: Sequence[ChartCell | None], texts: Sequence[str]) -> bool:
    """Whether the cells of a column are those of a round, with a game in half of them."""
    others = (text for text, game in zip(texts, games, strict=True) if game is None)
    many = 2 * games.count(None) <= len(games)
    return many and all(NO_GAME_CELL.fullmatch(text) for text in others)


def _refers_to_players(
    rounds: Sequence[Sequence[ChartCell | None]], row_of: Mapping[int, int]
) -> bool:
    """Whether most cells name another player, whose cell names this one; strokes against par, such
    as -3 and +2, do not.
    """
    named = backed = 0
    for cells in rounds:
        for row, cell in enumerate(cells):
            if cell is not None:
                other = row_of.get(cell.number)
                back = None if other in {None, row} else cells[other or 0]
                named += 1
                backed += back is not None and row_of.get(back.number) == row
    return 2 * backed > named


def _say_same_game(cell: ChartCell, back: ChartCell, number: int) -> bool:
    """Whether the opponent's cell says the same game."""
    return (
        back.number == number
        and cell.score + back.score == 1.0
        and (cell.white is None or back.white is None or cell.white is not back.white)
    )


# Contests, ballots and races in one row or one column each become rows of players and places.
#
# `Date, 1st, 2nd, 3rd` holds a name in each place; `Date, Ann, Bob, Cleo` a place or the points of
# each player; `Rank your choices [Ann]` a ballot.


# Which end of a scale is better, as a question of a form says: 1 = not at all, 5 = love it.


ANCHORS = re.compile(r"(\d+)\s*[=:–-]\s*([^\d,;()]+)")
GOOD, BAD = slots_for("scale_ends")
STARS = words_for("stars")


def find_better_end(question: str) -> float:
    """1.0 where a question says that more is better, -1.0 where less is, 0.0 where it is open.

    >>> find_better_end("(1 = not at all, 5 = love it)"), find_better_end("1: best, 6: worst")
    (1.0, -1.0)
    """
    ends = {int(number): {*split_heading(text)} for number, text in ANCHORS.findall(question)}
    if len(ends) < 2:
        return 1.0 if {*split_heading(question)} & STARS else 0.0
    low, high = (
        -1.0 if words & BAD else float(bool(words & GOOD))
        for words in (ends[min(ends)], ends[max(ends)])
    )
    return float((high > low) - (high < low)) if low * high <= 0.0 else 0.0


COMPOUND = re.compile(r"\b(erst|zweit|dritt|viert|funft|sechst)(?=wahl|praf|prio|platz)")
ARTICLES = words_for("article")
LONGEST_PLACE, LARGEST_PLACE = 40, 1_000  # letters of a place, and the largest one
TIED = re.compile(r"\s+=\s+")
GRID = re.compile(r"(?P<question>.*?)\s*\[(?P<name>[^\[\]]+)\]")
BETWEEN_PARTS = re.compile(r"[\[\]():|]|\s[-–—]\s")
FEWER_WIN = words_for("fewer_points_win")
UNLIKE = 50.0  # times as large as those of another column are numbers of another thing
OF_SEATS = frozenset().union(*(SUBJECT_WORDS[each] for each in ("player", "place", "points")))
NO_CHOICE = words_for("no_choice")  # in place of a name on a ballot
UNPLACED_CELL = re.compile(r"[a-z]{2,4}|[-–—]+", re.IGNORECASE)  # DNF, DNS, OCS
CODED = re.compile(r"\d+(?:\.\d)?\s+([A-Z]{2,4})")


def unfold_contests(wide: WideTable) -> InputTable | None:
    """The rows of players and places of a wide table; None for another table."""
    for unfold in (_by_place, _by_seat, _by_grid, _by_player):
        if (found := unfold(wide)) is not None:
            return found
    return None


def find_place(heading: str) -> int | None:
    """The place that a heading says, from 1 on; None for another heading.

    >>> find_place("Rank1"), find_place("2nd choice"), find_place("Drittwahl"), find_place("Ann")
    (1, 2, 3, None)
    """
    folded = re.sub(r"[^\w #.ºª°]", " ", fold_text(heading)).replace("_", " ").strip()
    folded = COMPOUND.sub(r"\1e ", folded)
    if (place := parse_place(folded)) is not None:
        return place
    words = re.findall(
        r"[a-z]+|\d+", re.sub(r"(?<=\d)(?:st|nd|rd|th|er|ere|eme|e|o|a)\b", "", folded)
    )
    if words == ["runner", "up"]:
        return 2
    known = [place for word in words if (place := parse_place(word)) is not None]
    return known[0] if len(known) == 1 and len(words) - 1 == sum(map(_is_beside, words)) else None


def _is_beside(word: str) -> bool:
    """Whether a word may stand beside an ordinal: `my first choice`, `2nd preference vote`."""
    return word in ARTICLES or parse_place(f"{word} 1") == 1


def parse_place(cell: str) -> int | None:
    """The place that a cell says: 3, 3rd, =3, `3rd choice`; None for another cell, also for 3-4."""
    if "-" in cell or "/" in cell or len(cell) > LONGEST_PLACE:
        return None
    place = parse_ordinal(cell)
    return (
        int(place) if place is not None and place.is_integer() and place < LARGEST_PLACE else None
    )


def find_places(names: Sequence[str]) -> dict[str, int]:
    """The places that headings say, alone or beside one question: `Where to? [1st choice]`."""
    places = {name: place for name in names if (place := find_place(name)) is not None}
    asked: dict[str, dict[str, int]] = {}
    for name in names:
        parts = [part.strip() for part in BETWEEN_PARTS.split(name) if part.strip()]
        told = [part for part in parts if any(map(str.isalpha, part)) and find_place(part)]
        if name not in places and len(told) == 1:
            parts.remove(told[0])
            asked.setdefault(" ".join(parts), {})[name] = find_place(told[0]) or 0
    return places if places or len(asked) != 1 else asked.popitem()[1]


def _by_place(wide: WideTable) -> InputTable | None:
    """A column for each place, which holds a name."""
    places = find_places(wide.names)
    names = [name for name in places if is_names(wide.columns[name])]
    different = [{*wide.columns[name]} - {""} for name in names]
    if all(TOUCHES.fullmatch(cell.casefold()) for cells in different for cell in cells):
        return None  # the results of a crosstable
    with_points = hold_points([wide.columns[name] for name in names])
    order = [places[name] for name in names]
    if len(names) < 2 or sorted(order) != list(range(1, len(names) + 1)):
        return None
    named = {
        cell: parse_name_points(cell) if with_points else (cell, "")
        for cell in {cell for cells in different for cell in cells}
    }
    held = [{named[cell][0].casefold() for cell in cells} for cells in different]
    if len(names) == 2 or not any(a & b for at, a in enumerate(held) for b in held[at + 1 :]):
        return None
    beside = [wide.names[at + 1 : at + 2] for at in map(list(wide.names).index, names)]
    points = [found[0] for found in beside if found and is_numbers(wide.columns[found[0]])]
    points = points if len(points) == len(names) else []
    made = PlacedRows(wide, other_columns(wide, [*places, *points]))
    without = {cell for cell in named if bare_letters(cell) in NO_CHOICE}
    read = {cell: (TIED.split(name), value) for cell, (name, value) in named.items()}

    def rank(cells: tuple[str, ...]) -> tuple[list[str], list[int]]:
        """The players of a row and their places."""
        ranked: tuple[list[str], list[int]] = [], []
        place, before = 0, ""
        for at, player in enumerate(cells[: len(names)]):
            again = without and player in cells[:at]
            if not player or player in without or again:
                continue
            tied, value = read[player]
            if points and not with_points:
                value = cells[len(names) + at]
            place = place if value and value == before else order[at]
            before = value
            ranked[0].extend(tied)
            ranked[1].extend([place] * len(tied))
        return ranked

    rows = [*zip(*(wide.columns[name] for name in [*names, *points]), strict=True)]
    known = {cells: rank(cells) for cells in {*rows}}
    made.add_all([known[cells] for cells in rows])
    note = f"each row is a contest; columns {names[0]} to {names[-1]} are its places"
    none = f"; no choice: {', '.join(sorted(without))}; a name counts once" if without else ""
    return made.table(note + none)


def _by_seat(wide: WideTable) -> InputTable | None:
    """Columns of three players or more with the place or the points of each in a column beside,
    `p1_name`, `p1_points`, `p2_name`, ... or `East`, `East pts`, ..., or in brackets behind names.
    """
    held: dict[str, dict[tuple[str, ...], str]] = {"player": {}, "place": {}, "points": {}}
    for name, cells in wide.columns.items():
        told = [kind for kind in ("place", "points") if kind in read_heading(name).subjects]
        kind = told[0] if told else "player" if is_names(cells) else ""
        rest = (word for word in split_heading(name) if word not in OF_SEATS)
        if kind in {"player", "place"} or (kind and _are_signed(cells)):
            held[kind].setdefault(tuple(rest), name)
    value = "place" if len(held["place"].keys() & held["player"].keys()) >= LEAST else "points"
    beside = {name: held[value][rest] for rest, name in held["player"].items()
              if rest in held[value]}  # fmt: skip
    bare = [] if beside else [
        name for name in held["player"].values()
        if all(NAME_POINTS.fullmatch(cell) for cell in wide.columns[name] if cell)
    ]  # fmt: skip
    seats = [*beside] or (bare if hold_points([wide.columns[name] for name in bare]) else [])
    kept = other_columns(wide, [*seats, *beside.values()])
    sided = any(read_heading(name).sides - WEAK for name in seats)
    teams = any("team" in words and len(words) > 1 for words in map(split_heading, kept))
    if len(seats) < LEAST or sided or teams or any(_tells_result(name) for name in kept):
        return None
    made = PlacedRows(wide, kept)
    if beside:
        made.melt(zip(wide.columns[x], wide.columns[y], strict=True) for x, y in beside.items())
    else:
        made.melt(
            [parse_name_points(cell) if cell else ("", "") for cell in wide.columns[name]]
            for name in seats
        )
    note = f"each row is a contest of {seats[0]} to {seats[-1]}, with their {value}"
    words = read_heading(beside[seats[0]]).words if beside else ()
    word = next((word for word in words if word in MORE), "score")
    return made.table(note.replace(" place", " places"), word if value == "points" else value)


def _are_signed(cells: Sequence[str]) -> bool:
    """Whether cells are numbers, some perhaps negative."""
    return is_numbers([cell.lstrip("+-−") for cell in cells])


def _tells_result(heading: str) -> bool:
    """Whether a heading is that of the result of two sides."""
    meaning = read_heading(heading)
    return bool(meaning.subjects & {"result", "points"} or "winner" in meaning.sides)


def _by_grid(wide: WideTable) -> InputTable | None:
    """A question of a form for each candidate, `Rank [Ann]`, which holds the place or marks."""
    found = {name: match for name in wide.names if (match := GRID.fullmatch(name))}
    questions = {match["question"] for match in found.values()}
    if len(found) < LEAST or len(questions) > 1:
        return None
    rows = range(len(wide.rows))
    ranked = all(is_ranked([wide.columns[name][row] for name in found]) for row in rows)
    if not ranked and not all(is_numbers(wide.columns[name]) for name in found):
        return None
    made = PlacedRows(wide, other_columns(wide, list(found)))
    made.melt(name_cells(wide.columns[n], each["name"].strip()) for n, each in found.items())
    note = "each row is a ballot; the names in brackets are its candidates"
    if ranked:
        return made.table(note)
    return made.table(note, "score", sign=find_better_end(questions.pop()))


def name_cells(cells: Sequence[str], player: str) -> list[tuple[str, str]]:
    """The cells of a column, those that are filled beside the player whose column it is."""
    return [(player if cell else "", cell) for cell in cells]


def bare_place(cell: str) -> str:
    """The place or code of a cell such as (3.0), 1 and 7.0 DNF, as series of races have them."""
    bare = cell.strip("()[] ")
    if coded := CODED.fullmatch(bare):
        return coded[1]
    return bare.removesuffix(".0")


def is_ranked(cells: Sequence[str]) -> bool:
    """Whether cells are the places of one contest: 1, 2, 3, ... with ties, or DNF and its like."""
    places: list[int] = []
    others: list[str] = []
    for cell in filter(None, map(bare_place, cells)):
        place = parse_place(cell)
        if place is not None:
            places.append(place)
        else:
            others.append(cell)
    if len(places) < 2 or not all(UNPLACED_CELL.fullmatch(other) for other in others):
        return False
    ranked = sorted(places)
    return ranked[0] == 1 and ranked[-1] <= len(cells) and len(set(ranked)) * 2 > len(ranked)


def _by_player(wide: WideTable) -> InputTable | None:
    """A column for each player, which holds the place or the points in the contest of the row."""
    names = [
        name for name, cells in wide.columns.items()
        if _may_be_name(name, frozenset({"player"})) and _are_results(cells, _read_count)
    ]  # fmt: skip
    places = [at for at, name in enumerate(wide.names) if name in names]
    if len(names) < LEAST or places != list(range(places[0], places[-1] + 1)):
        return None
    kept = other_columns(wide, names)
    if any({"player", "place"} & read_heading(name).subjects for name in kept):
        return None
    named = [name for name in kept if is_names(wide.columns[name])]
    if any(side_family(one, other) for one in named for other in named if one != other):
        return None  # games of two sides, with what else is counted of both
    rows = range(len(wide.rows))
    ranked = all(is_ranked([wide.columns[name][row] for name in names]) for row in rows)
    if not ranked and _are_measures([wide.columns[name] for name in names], kept):
        return None
    made = PlacedRows(wide, kept)
    made.melt(name_cells(wide.columns[name], name) for name in names)
    what = "places" if ranked else "points"
    note = f"each row is a contest; columns {names[0]} to {names[-1]} are players with their {what}"
    if not ranked and (word := _find_more(wide.table.titles)):
        note += f"; more is better, as {quote(word)} in the title says"
        return made.table(note, "score", sign=1.0)
    return made.table(note, "place" if ranked else "score")


def _find_more(titles: Sequence[str]) -> str | None:
    """The word of a title that says that more is better, such as Punkte."""
    words = [word for title in titles for word in split_heading(title)]
    found = [word for word in words if word in MORE]
    return found[0] if found and not {*words} & (FEWER | FEWER_WIN) else None


def _are_measures(columns: Sequence[Sequence[str]], kept: Sequence[str]) -> bool:
    """Whether columns of numbers are of unlike things, such as a step and a loss, or fractions in
    rows that nothing calls contests, such as the lengths of flowers.
    """
    numbers = [
        [abs(float(cell.replace(",", "."))) for cell in cells if PLAIN_NUMBER.fullmatch(cell)]
        for cells in columns
    ]
    middles = [middle for each in numbers if each and (middle := median(each)) > 0.0]
    if middles and max(middles) > UNLIKE * min(middles):
        return True
    every = [number for each in numbers for number in each]
    fractions = sum(not (2.0 * number).is_integer() for number in every)
    return 2 * fractions > len(every) and not any(map(tells_contests, kept))


def _may_be_name(name: str, but: frozenset[str] = frozenset()) -> bool:
    """Whether a heading may be the name of a player or of a contest: no word of another subject
    stands in it, `but` of these.
    """
    heading = read_heading(name)
    if plain_form(name) in {*PLACE, *NUMBERS} or {*heading.words} & RACE_SUMS:
        return False
    spoiled = {*heading.words} & SPOILERS - IN_NAMES or is_of_official(heading)
    return bool(heading.unknown) and not (heading.subjects - but or heading.sides - WEAK or spoiled)


# Contests in columns, players in rows: `Driver, Monaco, Spa, Monza, Points`.
#
# Columns are contests where each of them holds the places of the players in the rows, or where a
# column beside them is their sum, with or without discards, and either their headings call them
# contests or all of them give out the same points. The order of the rows, or their numbers, tells
# by that sum which end is better.


RACE = lazy_pattern(rf"(?:{alternatives('race')}|[pwmcltek]|pr|wf|et)?[ .#]*(\d{{1,2}})")
AMOUNT = re.compile(r"[-+−]?\d{1,7}(?:[.,]\d+)?")
OF_PARTS = words_for("run_of_contest")  # of one contest, as of a slalom
IN_NAMES = frozenset({"city", "land", "delta", "ground"})  # of places where races are held
RACE_SUMS = TOTALS | words_for("heading_points", "race_sum")
TOP = 3  # points that all contests give out
FEWEST_IN_ORDER = 4  # rows whose order tells which end is better


def unfold_races(wide: WideTable) -> InputTable | None:
    """The rows of players and places or points of a table with a column for each contest."""
    label = find_label(wide)
    if label is None or len(wide.rows) < LEAST or read_heading(label).subjects & {"occasion"}:
        return None
    races = _find_run(wide, label)
    numbered = [name for name in races if RACE.fullmatch(fold_text(name))]
    cells = {name: wide.columns[name] for name in races}
    ranked = [name for name in races if is_ranked(cells[name])]
    total = _find_total(wide, label, races) if len(races) > 1 else None
    sign = _better_end(wide, total) if total else 0.0
    if len(ranked) < len(races) or len(races) < 2:
        places = [name for name in numbered if name in ranked]
        if len(places) > 1:
            return _take_races(wide, label, places)
        if total is None or not (_give_the_same(wide, races) or all(map(_is_occasion, races))):
            return None
        return _take_races(wide, label, races, total, sign)
    if total and (sign > 0.0 or (not sign and plain_form(total) in words_for("heading_points"))):
        return _take_races(wide, label, races, total, sign)
    if total is None and len(numbered) < 2 and _are_ranked_across(wide, races):
        return None
    return _take_races(wide, label, races)


def _take_races(
    wide: WideTable, label: str, races: Sequence[str], total: str = "", sign: float = 0.0
) -> InputTable:
    """The rows of players and places, or points where a column is their `total`; `sign` is -1.0
    where less is better, 0.0 where it is open.
    """
    made = PlacedRows(wide, [], [label, *races, *([total] if total else [])])
    for name in races:
        for row, player in enumerate(wide.columns[label]):
            if cell := bare_place(wide.columns[name][row]):
                made.add(row, player, cell)
                made.contests.append(name)
    note = f"columns {races[0]} to {races[-1]} are contests,"
    if not total:
        return made.table(f"{note} their cells are places")
    note += f" and {quote(total)} is their sum"
    if sign:
        note += f"; {'more' if sign > 0.0 else 'less'} is better, as the rows stand in its order"
    return made.table(note, "score", sign=sign)


def _find_run(wide: WideTable, label: str) -> list[str]:
    """The longest run of columns that may be contests."""
    runs: list[list[str]] = [[]]
    for name in wide.names:
        if name != label and _may_be_race(name) and _are_results(wide.columns[name], read_amount):
            runs[-1].append(name)
        elif runs[-1]:
            runs.append([])
    return max(runs, key=len)


def _may_be_race(name: str) -> bool:
    """Whether a heading may be that of a contest, such as R1, Abend 2 or Monaco."""
    numbered = RACE.fullmatch(fold_text(name)) is not None
    return numbered or _is_occasion(name) or ("[" not in name and _may_be_name(name))


def _is_occasion(name: str) -> bool:
    """Whether a heading calls its column a contest, of which no other one is made."""
    heading = read_heading(name)
    return "occasion" in heading.subjects and OF_PARTS.isdisjoint(heading.words)


def _are_results(cells: Sequence[str], read: Callable[[str], float | None]) -> bool:
    """Whether all filled cells are read, or are codes such as DNF, and not all are codes."""
    others = [cell for cell in cells if cell and read(cell) is None]
    coded = all(UNPLACED_CELL.fullmatch(cell.strip("()[]* ")) for cell in others)
    return coded and len(others) < sum(map(bool, cells))


def _read_count(cell: str) -> float | None:
    """The place that a cell says, or a number that is not negative; None for another cell."""
    number = PLAIN_NUMBER.fullmatch(cell)
    return parse_place(cell) if number is None else float(cell.replace(",", "."))


def read_amount(cell: str) -> float | None:
    """The place or points that a cell says: 3, (3.0), -30, 7.0 DNF; None for another cell."""
    bare = cell.strip("()[]* ")
    bare = bare.split()[0] if CODED.fullmatch(bare) else bare
    found = AMOUNT.fullmatch(bare)
    return float(bare.replace(",", ".").replace("−", "-")) if found else None


def _amounts(wide: WideTable, name: str) -> list[float]:
    return [read_amount(cell) or 0.0 for cell in wide.columns[name]]


def _find_total(wide: WideTable, label: str, races: Sequence[str]) -> str | None:
    """The column that is the sum of these in every row, perhaps without the best or worst few."""
    parts = [sorted(row) for row in zip(*(_amounts(wide, name) for name in races), strict=True)]
    if not all(any(_amounts(wide, name)) for name in races):
        return None
    for name in wide.names:
        if name == label or name in races or not {*read_heading(name).words} & RACE_SUMS:
            continue
        if not all(read_amount(cell) is not None for cell in wide.columns[name]):
            continue
        sums = _amounts(wide, name)
        for left in range(len(races) - 1):
            kept = ([row[left:] for row in parts], [row[: len(row) - left] for row in parts])
            if any(
                all(abs(sum(row) - whole) < 1e-6 for row, whole in zip(some, sums, strict=True))
                for some in kept
            ):
                return name
    return None


def _better_end(wide: WideTable, total: str) -> float:
    """1.0 where the first rows have most of the total, -1.0 where they have least, else 0.0."""
    sums = _amounts(wide, total)
    for name in wide.names:
        if plain_form(name) in PLACE or bare_letters(name) in NUMBERS:
            places = [parse_place(cell.rstrip(".")) for cell in wide.columns[name]]
            known = [(place, whole) for place, whole in zip(places, sums, strict=True) if place]
            if len(known) == len(sums):
                sums = [whole for _, whole in sorted(known, key=lambda each: each[0])]
                break
    else:
        if len(sums) < FEWEST_IN_ORDER:
            return 0.0
    falling = all(a >= b for a, b in pairwise(sums))
    rising = all(a <= b for a, b in pairwise(sums))
    return float(falling) - float(rising)


def _give_the_same(wide: WideTable, races: Sequence[str]) -> bool:
    """Whether the best, or the least, points of all columns are the same and differ."""
    columns = [sorted(_amounts(wide, name)) for name in races]
    for ends in ([each[-TOP:] for each in columns], [each[:TOP] for each in columns]):
        if all(each == ends[0] for each in ends) and len({*ends[0]}) == TOP:
            return True
    return False


def _are_ranked_across(wide: WideTable, races: Sequence[str]) -> bool:
    """Whether the rows hold places as well: then they may be the contests."""
    return all(
        is_ranked([wide.columns[name][row] for name in races]) for row in range(len(wide.rows))
    )
