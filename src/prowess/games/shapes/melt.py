"""Wide tables become long ones: what stands in columns, or in the parts of a cell, becomes rows.

A form of such tables is a row of WIDE_FORMS: a function that finds its columns and reads their
cells. Of games a cell is one of two that tell the same; of contests a cell tells a place or points.

| form | a column is | its player is | the value is | a contest is |
|---|---|---|---|---|
| crosstable | an opponent | that of the row | the result in the cell | |
| wall chart | a round | that of the row | the result in the cell | |
| rankings | of rankings, A > B = C | in the cell | the place in the cell | the row |
| races | a contest | that of the row | in the cell | the column |
| places | a place, `2nd choice` | in the cell | the place of the heading | the row |
| seats | a seat, `East` | in the cell | in the column beside, or in brackets | the row |
| grid | a candidate, `Rank [Ann]` | in the heading | in the cell | the row |
| players | a player, `Ann` | the heading | in the cell | the row |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations, product
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

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

if TYPE_CHECKING:
    from prowess.games.layout import Options

LEAST = 3  # players of a wide table
MOST_ROWS = 2_000  # of a table that may be unfolded; longer tables hold rows
MOST_BALLOTS = 1_000_000  # rows of a table whose headings are places
LIST_MARK = "\x1f"  # between the texts of a cell that is a list: no text holds it


def unfold_wide(table: InputTable, options: Options) -> InputTable:
    """The long table of a wide one, another table as it is. Raises BadData where a wide table
    contradicts itself.
    """
    ballots = options.kind != "games" and len(find_places(table.names)) >= LEAST
    most = MOST_BALLOTS if ballots else MOST_ROWS
    wide = gather_cells(table, most) if table.expected <= most else None
    if wide is None or not wide.lines:
        return table
    short = len(wide.lines) <= MOST_ROWS
    label = find_label(wide) if short and len(wide.lines) >= LEAST else None
    for form in WIDE_FORMS:
        given = (wide, label) if form.labelled else (wide,)
        if None in given or options.kind not in {None, form.kind} or not (short or form.long):
            continue
        if long := form.unfold(*given):
            return long
    return table


@dataclass
class WideTable:
    """All cells of a small table as texts, and the line of each row."""

    table: InputTable
    columns: dict[str, list[str]]
    lines: list[int]

    def rows(self, names: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """The cells of some columns row by row."""
        return zip(*map(self.columns.__getitem__, names), strict=True)

    def bad(
        self, what: str, remedy: str | None, row: int | None = None, column: str = "",
        *, code: str | None = None,
    ) -> BadData:  # fmt: skip
        """An error about the table, or about a row of it."""
        place: dict[str, Any] = {"file": self.table.file or None, "column": column or None}
        line = self.table.heading if row is None else self.lines[row]
        place[self.table.unit if row is not None else "line"] = line
        return BadData(what, remedy=remedy, code=code, **place)

    def unfold(
        self, columns: Mapping[str, list[Any]], rows: Sequence[int], notes: Sequence[str],
        used: Collection[str], absent: Mapping[int, InvalidValue] | None = None,
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
            unread=[name for name in self.columns if name not in {*used, *columns}],
        )


def gather_cells(table: InputTable, most: int) -> WideTable | None:
    """All cells of a table; None if it has more than `most` rows. Raises BadData for a row that is
    none.
    """
    wide = WideTable(table, {name: [] for name in table.names}, [])
    for chunk in table.chunks(table.names):
        before = len(wide.lines)
        if before + chunk.count > most:
            return None
        wide.lines += map(chunk.line, range(chunk.count))
        for row, refusal in sorted(chunk.refused.items()):
            raise wide.bad(refusal.what, refusal.remedy, before + row, code=refusal.code)
        for name, cells in wide.columns.items():
            cells.extend(texts_of(chunk.columns[name], chunk.count))
    return wide


def texts_of(column: InputColumn, count: int) -> list[str]:
    """The first cells of a column as texts; each different text is made once."""
    column = column if isinstance(column, Values) else Values([*map(column.cell, range(count))])
    if len(column.types) > 1 or not column.types <= REMEMBERED:
        return [*map(text_of, column.values)]
    known = {cell: text_of(cell) for cell in {*column.values}}
    return [*map(known.__getitem__, column.values)]


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


# The players of the rows: by a column of names, and by one of their numbers.


NUMBERS = words_for("number") | {"pos", "rank", "rang", "platz", "pl"}
PERSONS = words_for("player", "skipper")
LETTERS_OF_NAME = 60  # at most
OF_WORDS = re.compile(r"[^\W\d_]{2}|[^\W\d_]$")
LIKE_SENTENCES = re.compile(r"\S+(?:\s+\S+){2,}(?<=[.?!])\s*")


def find_label(wide: WideTable) -> str | None:
    """The column of players: its cells are words, all different, and neither ordinals nor
    sentences. Of several a heading such as Name decides, then one such as Boat, then the first.
    """

    def is_label(name: str, cells: Sequence[str]) -> bool:
        ordinals = sum(parse_ordinal(cell) is not None for cell in cells)
        longer = sum(len(c) > LETTERS_OF_NAME or bool(LIKE_SENTENCES.fullmatch(c)) for c in cells)
        different = len({cell.casefold() for cell in cells}) == len(cells)
        named = different and not is_task(name) and all(map(OF_WORDS.search, cells))
        return named and 2 * ordinals <= len(cells) and 2 * longer < len(cells)

    def rank(name: str) -> int:
        heading = read_heading(name)
        return PERSONS.isdisjoint(heading.words) * (2 - heading.is_of("player"))

    found = (name for name, cells in wide.columns.items() if is_label(name, cells))
    return min(found, key=rank, default=None)


def find_numbers(wide: WideTable, label: str) -> list[tuple[str, list[int]]]:
    """The columns that number the rows from 1, those with such a heading first."""
    found = []
    for name, cells in wide.columns.items():
        bare = [cell.rstrip(".") for cell in cells]
        if name != label and all(map(str.isdigit, bare)):
            numbers = [*map(int, bare)]
            if sorted(numbers) == [*range(1, len(cells) + 1)]:
                found.append((name, numbers))
    return sorted(found, key=lambda each: bare_letters(each[0]) not in NUMBERS)


# Games: each stands in a cell of one player and, turned, in one of the other, which must agree.


EMPTY_CELLS = frozenset({
    "", "x", "xx", "xxx", "*", "**", "***", "-", "--", "---", "–", "—", "\\", "/", "■", "█", "#",
    "●", "•", "n/a", "×", ".",
})  # fmt: skip
CELL_SCORES = {
    "1": 1.0, "0": 0.0, "½": 0.5, "1/2": 0.5, "0.5": 0.5, "0,5": 0.5, ".5": 0.5, "=": 0.5,
    "1.0": 1.0, "0.0": 0.0, "1,0": 1.0, "0,0": 0.0, "w": 1.0, "l": 0.0, "d": 0.5, "r": 0.5,
    "v": 1.0,
}  # fmt: skip
FORFEITED = {"+": 1.0, "-": 0.0, "1f": 1.0, "0f": 0.0, "+-": 1.0, "-+": 0.0, "1k": 1.0, "0k": 0.0}
TOUCHES = re.compile(r"([vdwl])\s?([0-9]{1,2})")  # V5 and D3: victory and defeat
JOINED = re.compile(r"[01½=]{2,}")  # games of chess written without a space: 10, ½1
CELL_LINE = re.compile(r"([0-9]{1,3})\s*[:\-–—]\s*([0-9]{1,3})")
BETWEEN_RESULTS = re.compile(r"\s*[,;|/\n]\s*|\s+")
CHART_SCORES = {**CELL_SCORES, "+": 1.0, "-": 0.0, "−": 0.0, "n": 0.5}
CHART_TEXTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
FIT = "mend one of the two cells"


class CellGames(NamedTuple):
    """The games of a cell: scores of the row's player, or scorelines with that player first."""

    scores: tuple[float, ...] = ()
    lines: tuple[str, ...] = ()
    forfeit: bool = False
    touches: int | None = None  # of the row's player, in fencing
    white: bool | None = None  # whether the row's player had White, where the cell tells it
    opponent: int = 0  # by number, where the cell tells it
    column: str = ""


Cells = Mapping[tuple[int, int, int], CellGames]  # by round, or 0, and the rows of both players


def melt_games(
    wide: WideTable, label: str, cells: Cells, heads: Sequence[str], notes: Sequence[str],
    used: Collection[str], cells_of_game: int | None = None,
) -> InputTable:  # fmt: skip
    """The rows of games, each told by one of its cells: that of White, else that of the upper row.
    Raises BadData for a game whose cells differ, or where one of two is missing; None as the number
    of cells leaves open whether there are one or two.
    """
    names = wide.columns[label]
    games: list[tuple[str, str, str, str]] = []
    rows: list[int] = []
    absent: dict[int, InvalidValue] = {}
    for (at, row, other), cell in cells.items():
        back = cells.get((at, other, row)) if cells_of_game != 1 else None
        if cells_of_game == 2 if back is None else row < other and not _agree(cell, back):
            turned = quote(wide.columns[(back or cell).column][other])
            what = f"{quote(wide.columns[cell.column][row])} of {names[row]} against"
            what += f" {names[other]} contradicts {turned} of {names[other]}"
            raise wide.bad(what, FIT, row, cell.column, code="results_contradict")
        if back is not None and not (row < other if cell.white is None else cell.white):
            continue
        touches = (cell.touches, back and back.touches)
        for which, score in enumerate(cell.scores):
            told = CHART_TEXTS[score] if at else f"{score:g}"
            if cell.lines:
                told = cell.lines[which]
            elif None not in touches and touches[0] != touches[1]:
                told = f"{touches[0]}:{touches[1]}"
            if cell.forfeit:
                absent[len(rows)] = InvalidValue.of("game_forfeited.cell")
            games.append((names[row], names[other], told, str(at)))
            rows.append(row)
    rounds = ("round",) if any(at for at, _, _ in cells) else ()
    made = {head: [game[which] for game in games]
            for which, head in enumerate((*heads, "result", *rounds))}  # fmt: skip
    return wide.unfold(made, rows, notes, used, absent)


def _agree(one: CellGames, other: CellGames) -> bool:
    """Whether the two cells of a pair say the same games."""
    alike = len(one.scores) == len(other.scores) and bool(one.lines) == bool(other.lines)
    if not alike or (one.white is not None and one.white is other.white):
        return False
    if one.lines:
        found = (map(CELL_LINE.findall, lines) for lines in (one.lines, other.lines))
        return all(a[0] == b[0][::-1] for a, b in zip(*found, strict=True))
    fit = all(a + b == 1.0 for a, b in zip(one.scores, other.scores, strict=True))
    if one.touches is not None and other.touches is not None:
        return fit and (one.touches - other.touches) * (one.scores[0] - 0.5) >= 0.0
    return fit or (one.forfeit and sum(other.scores) == 0.0)


# Crosstables, matrices of home and away games: rows and columns are players, the cell is the result
# of the row's player against that of the column. Both cells of a pair say the same, unless they are
# two games, those of the row's player at home.


FILLED = 0.2  # share of the cells of a crosstable that hold results, at least
HOME, AWAY = words_for("home", "white"), words_for("away", "black") | {"a", "g"}


def parse_cell(text: str) -> CellGames | None:
    """The games of a cell of a crosstable, none in an empty one; None where it holds no results."""
    bare = text.strip()
    folded = bare.casefold()
    if folded in EMPTY_CELLS:
        return CellGames()
    if folded in FORFEITED:
        return CellGames((FORFEITED[folded],), forfeit=True)
    if touches := TOUCHES.fullmatch(folded):
        return CellGames((float(touches[1] in "vw"),), touches=int(touches[2]))
    if lines := [*CELL_LINE.finditer(bare)]:
        rest = CELL_LINE.sub("", bare)
        texts = tuple(line[0] for line in lines)
        if len(lines) == 1 and lines[0].start() == 0:  # a word may follow: 2:1 n.V.
            texts = (bare,)
        elif not re.fullmatch(r"[\s,;|/]*", rest):
            return None
        leads = (int(line[1]) - int(line[2]) for line in lines)
        scores = tuple(0.5 * ((lead > 0) + 1.0 - (lead < 0)) for lead in leads)
        return None if re.search(r"\d", rest) else CellGames(scores, texts)
    parts = [folded] if folded in CELL_SCORES else BETWEEN_RESULTS.split(folded)
    parts = [*folded] if len(parts) == 1 and JOINED.fullmatch(folded) else parts
    known = all(part in CELL_SCORES for part in parts)
    return CellGames(tuple(map(CELL_SCORES.__getitem__, parts))) if known else None


def unfold_crosstable(wide: WideTable, label: str) -> InputTable | None:
    """The games of a crosstable; None for another table. Raises BadData for contradictions."""
    count = len(wide.lines)
    for columns, said, alike in find_squares(wide, label) if count < len(wide.columns) else ():
        if (cells := read_square(wide, columns, alike)) is None:
            continue
        notes, used = [f"a crosstable of {count} players: {said}"], [label, *columns]
        unlike, pairs = count_unlike(cells)
        two = 3 * unlike > pairs and all(len(cell.lines) == 1 for cell in cells.values())
        rows = find_side_of_rows(label)
        if rows != "home" and not two:
            cells = dict(sorted(cells.items(), key=lambda each: sorted(each[0])))
            return melt_games(wide, label, cells, ("player_a", "player_b"), notes, used)
        if rows == "away":
            raise wide.bad(
                f"{quote(label)} says that the columns are at home",
                "turn the table, so that the home teams stand in the rows",
                code="home_in_columns",
            )
        why = f"as {quote(label)} says" if rows else "both cells of a pair are two games"
        notes.append(f"the players of the rows are at home: {why}")
        return melt_games(wide, label, cells, ("home", "away"), notes, used, 1)
    return None


def read_square(
    wide: WideTable, columns: Sequence[str], alike: bool
) -> dict[tuple[int, int, int], CellGames] | None:
    """The games of all cells off the diagonal. Where columns are not called like the rows, None if
    a cell holds none, the diagonal holds some, few cells hold some, or pairs of cells differ; where
    they are `alike`, a cell that holds none is refused: raises BadData.
    """
    found = {
        (row, other): parse_cell(text)
        for row, cells in enumerate(wide.rows(columns)) for other, text in enumerate(cells)
    }  # fmt: skip
    odd = [place for place, cell in found.items() if cell is None]
    for row, other in odd if alike else ():
        what = f"{quote(wide.columns[columns[other]][row])} is no result of a crosstable"
        remedy = f"write 1, ½ or 0, or 2:1; {FIT}"
        raise wide.bad(what, remedy, row, columns[other], code="not_a_result_in_cell")
    told = {place: cell for place, cell in found.items() if cell and cell.scores}
    games = {
        (0, row, other): cell._replace(column=columns[other])
        for (row, other), cell in told.items() if row != other
    }  # fmt: skip
    if alike:
        return games
    unlike, pairs = count_unlike(games)
    if odd or len(games) < len(told) or len(games) < FILLED * len(columns) * (len(columns) - 1):
        return None
    return games if 2 * unlike <= pairs or all(cell.lines for cell in games.values()) else None


def count_unlike(cells: Cells) -> tuple[int, int]:
    """In how many pairs the two cells differ, and how many pairs there are."""
    pairs = [(cell, cells[at, b, a]) for (at, a, b), cell in cells.items()
             if a < b and (at, b, a) in cells]  # fmt: skip
    return sum(not _agree(*pair) for pair in pairs), len(pairs)


def find_squares(wide: WideTable, label: str) -> Iterator[tuple[Sequence[str], str, bool]]:
    """The columns that may be the players of the rows, in their order, as a note says it, and
    whether they are called alike: then no others may be. Raises BadData where only some are.
    """
    names, count = [*wide.columns], len(wide.lines)
    rows = {name.casefold(): row for row, name in enumerate(wide.columns[label])}
    named = {rows[name.casefold()]: name for name in names
             if name != label and name.casefold() in rows}  # fmt: skip
    if len(named) >= min(2, count):
        last = max(map(names.index, named.values()))
        sums = SUMS | GAMES | PLAYED  # or another known heading
        after = [name for name in names[last + 1 :] if name != label
                 and plain_form(name) not in sums and read_heading(name).unknown]  # fmt: skip
        more = [parse_cell(text) for name in after[:1] for text in wide.columns[name]]
        results = None not in more and any(cell.lines for cell in more if cell)
        if len(named) < count or results:
            raise wide.bad(
                "rows and columns of the crosstable are not the same players",
                "give each player a row and a column",
                code="crosstable_not_square",
            )
        yield [named[row] for row in range(count)], "rows and columns are called alike", True
        return
    for first in range(len(names) - count + 1):
        columns = names[first : first + count]
        if label in columns:
            continue
        if columns[0].lstrip("#") == "1" and columns[-1].lstrip("#") == str(count):
            for name, order in find_numbers(wide, label):
                said = f"columns are the numbers of column {quote(name)}"
                yield [columns[number - 1] for number in order], said, False
        said = f"columns {columns[0]} to {columns[-1]} are the players in the order of the rows"
        yield columns, said, False


def find_side_of_rows(corner: str) -> str:
    """Which side the corner of a matrix gives the rows: home, away or none.

    >>> find_side_of_rows("Home / Away"), find_side_of_rows("A/H"), find_side_of_rows("Team")
    ('home', 'away', '')
    """
    words = re.findall(r"\w+", corner.casefold()) or [""]
    if words[0] in HOME and words[-1] in AWAY:
        return "home"
    return "away" if words[0] in AWAY and words[-1] in HOME else ""


# Wall charts of Swiss tournaments: `12w1` is a win with White against the player of number 12.


OPPONENT_NUMBER = r"#?(?P<number>\d{1,4})"
COLOUR = r"(?P<colour>[wbsn])"
CHART_RESULT = r"(?P<result>½|1/2|0[.,]5|[10+=\-−])"
CELLS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{OPPONENT_NUMBER}\s*{COLOUR}\s*{CHART_RESULT}",  # 12w1
        rf"{CHART_RESULT}\s*{OPPONENT_NUMBER}\s*{COLOUR}",  # +12w
        rf"{COLOUR}\s*{OPPONENT_NUMBER}\s*{CHART_RESULT}",  # w12 1
        rf"(?P<result>[½+=\-−])\s*{COLOUR}\s*{OPPONENT_NUMBER}",  # +w12
        rf"(?P<result>[wldrn])\s*{OPPONENT_NUMBER}(?:\s*{COLOUR})?",  # W12
        rf"(?P<result>[+=\-−])\s*{OPPONENT_NUMBER}",  # +12
        rf"{OPPONENT_NUMBER}\s*(?P<result>[+=\-−])",  # 12+
    )
)
WITH_COLOUR = CELLS[:4]
NO_GAME_CELL = re.compile(
    r"|[-–—*.]+|bye|(?:\+|-|1|0|½|=|w|l|d|h|u|f|x)?\s*-{0,2}\s*(?:bye|bye\+|frei|spielfrei|exempt)?|"
    r"(?:-{1,4}|0|bye)\s*(?:[01½+\-=]|1/2)?|[hfuzx]-*|--?[01½+\-=]",
    re.IGNORECASE,
)
FEWEST_ROUNDS_OF_TABLE = 2  # rounds


def parse_chart_cell(text: str, forms: Sequence[re.Pattern[str]] = CELLS) -> CellGames | None:
    """The game of a cell that has one of these forms; None where there is none."""
    for form in forms:
        if found := form.fullmatch(text):
            parts = {each: (part or "").lower() for each, part in found.groupdict().items()}
            white = parts["colour"] == "w" if parts.get("colour") else None
            score, number = CHART_SCORES[parts["result"]], int(parts["number"])
            return CellGames((score,), white=white, opponent=number)
    return None


def unfold_wall_chart(wide: WideTable, label: str) -> InputTable | None:
    """The games of a wall chart; None for another table. Raises BadData for contradictions."""
    count = len(wide.lines)
    texts = {text for cells in wide.columns.values() for text in cells}
    forms = WITH_COLOUR if any(parse_chart_cell(text, WITH_COLOUR) for text in texts) else CELLS
    games = {text: parse_chart_cell(text, forms) for text in texts}
    rounds, odd = list[str](), dict[str, str]()
    for name, column in wide.columns.items():
        others = [text for text in column if games[text] is None]
        if 2 * len(others) <= count and name != label:
            rounds.append(name)
            if strange := [text for text in others if not NO_GAME_CELL.fullmatch(text)]:
                odd[name] = strange[0]
    if len(rounds) < FEWEST_ROUNDS_OF_TABLE:
        return None
    numbered = find_numbers(wide, label)[:1]
    numbers = numbered[0][1] if numbered else [*range(1, count + 1)]
    row_of = {number: row for row, number in enumerate(numbers)}

    def is_answered(name: str) -> bool:
        """Whether most games of a column stand in the cells of both players."""
        met = {(row, row_of.get(game.opponent, row))
               for row, text in enumerate(wide.columns[name]) if (game := games[text])}  # fmt: skip
        return 2 * sum(row != other and (other, row) in met for row, other in met) > len(met)

    rounds = [name for name in rounds if name not in odd or is_answered(name)]
    found = [(at, row, name, game) for at, name in enumerate(rounds, 1)
             for row, text in enumerate(wide.columns[name]) if (game := games[text])]  # fmt: skip
    cells = {
        (at, row, row_of.get(game.opponent, row)): game._replace(column=name)
        for at, row, name, game in found
    }
    backed = sum(row != other and (at, other, row) in cells for at, row, other in cells)
    if len(rounds) < FEWEST_ROUNDS_OF_TABLE or 2 * backed <= len(cells):  # strokes against par
        return None
    for name in (name for name in rounds if name in odd):
        row = wide.columns[name].index(odd[name])
        what = f"{quote(odd[name])} is no game of the chart"
        raise wide.bad(what, "correct the cell", row, name, code="not_a_result_in_cell")
    for (_, row, other), game in cells.items():
        if row == other:
            what = f"{quote(wide.columns[game.column][row])} names no other player of the chart"
            raise wide.bad(what, "correct the cell", row, game.column, code="not_a_result_in_cell")
    coloured = any(game.white is not None for game in cells.values())
    heads = ("white", "black") if coloured else ("player_a", "player_b")
    note = f"a wall chart of {count} players, {format_count(len(rounds), 'round')}"
    used = [label, *rounds, *(name for name, _ in numbered)]
    return melt_games(wide, label, cells, heads, [note], used, 2)


# Contests: rows of players and places, or points.


VOTE_COUNTS = words_for("count", "votes") | {"n"}
BESIDE_COUNTS = words_for("article", "number") | {"ballots"}
WEIGHT = "count of the row"
PLAIN_NUMBER = re.compile(r"\d{1,7}(?:[.,]\d+)?")

Ranked = Sequence[tuple[str, Any]]  # players and their places or points


def melt_contests(
    wide: WideTable, ranked: Sequence[Ranked], taken: Sequence[str], note: str,
    value: str = "place", *, sign: float = 0.0, counts: Sequence[str] | None = None,
    races: Mapping[str, Sequence[int]] | None = None,
) -> InputTable:  # fmt: skip
    """The rows of players and places of contests, or of points under another heading: of those of
    each row beside the columns that are not `taken`, or of `races`, which say from which rows.

    `sign` is 1.0 where more points are better, -1.0 where less are, 0.0 where that is open;
    `counts` says how many ballots each row of the source stands for.
    """
    if races is None:
        rows = [row for row, players in enumerate(ranked) for _ in players]
        contests = [*map([*map(str, range(1, len(ranked) + 1))].__getitem__, rows)]
    else:
        rows = [row for each in races.values() for row in each]
        contests = [name for name, each in races.items() for _ in each]
    made = ("contest of the row", "player", value)
    kept = [name for name in wide.columns if races is None and name not in {*taken, *made, "place"}]
    columns: dict[str, list[Any]] = {
        name: [*map(wide.columns[name].__getitem__, rows)] for name in kept
    }
    columns["contest of the row"] = contests
    columns["player"] = [player for players in ranked for player, _ in players]
    columns[value] = [held for players in ranked for _, held in players]
    roles = {"contest": ("contest of the row",), "player": ("player",)}
    roles |= {"place": ("place",)} if value == "place" else {}
    roles |= {"points": (value if sign > 0.0 else f"-{value}",)} if sign else {}
    if counts is not None:
        columns[WEIGHT] = [counts[row] for row in rows]
        roles["weight"] = (WEIGHT,)
    elif name := next((name for name in kept if _is_count(name, wide.columns[name], rows)), None):
        roles["weight"] = (name,)
    table = wide.unfold(columns, rows, [note], taken)
    table.roles = roles
    return table


def _is_count(name: str, cells: Sequence[str], rows: Sequence[int]) -> bool:
    """Whether a column says how many ballots each row stands for, and neither numbers the rows
    nor counts their players.
    """
    words = {*split_heading(name)}
    if not (words & VOTE_COUNTS and words <= VOTE_COUNTS | BESIDE_COUNTS and is_numbers(cells)):
        return False
    numbers = [float(cell.replace(",", ".")) for cell in cells if cell]
    sizes = Counter(rows)
    return (
        numbers != [numbers[0] + at for at in range(len(numbers))]
        and numbers != [sizes[row] for row in range(len(cells))]
    )  # fmt: skip


def is_names(cells: Iterable[str]) -> bool:
    """Whether all filled cells have a letter."""
    filled = {*cells} - {""}
    return bool(filled) and all(re.search(r"[^\W\d_]", cell) for cell in filled)


def is_numbers(cells: Iterable[str]) -> bool:
    """Whether all filled cells are numbers."""
    filled = {*cells} - {""}
    return bool(filled) and all(map(PLAIN_NUMBER.fullmatch, filled))


# Rankings: `A > B = C` in any column; lists and texts such as `A, B, C` where the heading says that
# the best stands first, or where the order of the names tells something.


RANKED = words_for("ranking")
BALLOTS = words_for("ranking", "ballot")
WORST_FIRST = words_for("worst_first")
RANKING_MARKS = (LIST_MARK, ";", "|", ",")
COUNTED_RANKING = re.compile(r"(\d+(?:\.\d+)?)\s*:\s*(.*)")  # 3: A > B
NAMELESS = ({"a", "b"}, {"1", "2"})  # sides of a judgment
BETWEEN_EQUALS = re.compile(r"\s*=\s*")

Ranking = list[list[str]]  # names by place, the best first


def unfold_rankings(wide: WideTable) -> InputTable | None:
    """The rows of players and places of a table with a column of rankings; None for another."""
    for name, texts in wide.columns.items():
        words = {*split_heading(name)}
        counted = [COUNTED_RANKING.fullmatch(text) for text in texts]
        cells = [each[2] if each else text for each, text in zip(counted, texts, strict=True)]
        mark = None if words & WORST_FIRST else _find_mark([*filter(None, cells)], words)
        if mark is None:
            continue
        rankings = [
            [BETWEEN_EQUALS.split(part.strip()) for part in cell.split(mark) if part.strip()]
            for cell in cells
        ]
        if not (words & RANKED or _tells_order(rankings, mark)):
            continue
        for row, ranking in enumerate(rankings):
            if any("" in group for group in ranking):
                what = f"{quote(cells[row])} lacks a name"
                raise wide.bad(what, "write A > B = C", row, name, code="ballot_incomplete")
        ranked = [
            [(player, place) for place, group in enumerate(ranking, 1) for player in group]
            for ranking in rankings
        ]
        order = "> stands for better, = for equal" if mark == ">" else "the best first"
        note = f"column {quote(name)} holds rankings: {order}"
        counts = [each[1] if each else "1" for each in counted] if any(counted) else None
        return melt_contests(wide, ranked, [name], note, counts=counts)
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


def _tells_order(rankings: Sequence[Ranking], mark: str) -> bool:
    """Whether names stand in several orders, which those of a path, or of boxes that were ticked,
    do not; comparisons of A and B alone are judgments of two others.
    """
    filled = [ranking for ranking in rankings if ranking]
    if {name.casefold() for ranking in filled for group in ranking for name in group} in NAMELESS:
        return False
    if mark == ">" and all(len(ranking) == 2 for ranking in filled):
        firsts, seconds = ({ranking[at][0] for ranking in filled} for at in (0, 1))
        return bool(firsts & seconds)
    before = {
        pair for ranking in filled for groups in combinations(ranking, 2)
        for pair in product(*groups)
    }  # fmt: skip
    return any((second, first) in before for first, second in before)


# Cells of contests: 3, 3rd, =3, (3.0), 7.0 DNF, DNS.


LONGEST_PLACE, LARGEST_PLACE = 40, 1_000  # letters of a place, and the largest one
AMOUNT = re.compile(r"[-+−]?\d{1,7}(?:[.,]\d+)?")
UNPLACED_CELL = re.compile(r"[a-z]{2,4}|[-–—]+", re.IGNORECASE)  # DNF, DNS, OCS
CODED = re.compile(r"(\d+(?:\.\d)?)\s+([A-Z]{2,4})")
UNLIKE = 50.0  # times as large as those of another column are numbers of another thing


def parse_place(cell: str) -> int | None:
    """The place that a cell says: 3, 3rd, =3, `3rd choice`; None for another cell, also for 3-4."""
    if "-" in cell or "/" in cell or len(cell) > LONGEST_PLACE:
        return None
    place = parse_ordinal(cell)
    if place is None or not place.is_integer() or place >= LARGEST_PLACE:
        return None
    return int(place)


def bare_place(cell: str) -> str:
    """The place or code of a cell such as (3.0), 1 and 7.0 DNF, as series of races have them."""
    bare = cell.strip("()[] ")
    coded = CODED.fullmatch(bare)
    return coded[2] if coded else bare.removesuffix(".0")


def read_count(cell: str) -> float | None:
    """The place that a cell says, or a number that is not negative; None for another cell."""
    return float(cell.replace(",", ".")) if PLAIN_NUMBER.fullmatch(cell) else parse_place(cell)


def read_amount(cell: str) -> float | None:
    """The place or points that a cell says: 3, (3.0), -30, 7.0 DNF; None for another cell."""
    bare = cell.strip("()[]* ")
    bare = coded[1] if (coded := CODED.fullmatch(bare)) else bare
    found = AMOUNT.fullmatch(bare)
    return float(bare.replace(",", ".").replace("−", "-")) if found else None


def _are_results(cells: Iterable[str], read: Callable[[str], float | None]) -> bool:
    """Whether all filled cells are read, or are codes such as DNF, and not all are codes."""
    filled = [*filter(None, cells)]
    others = [cell.strip("()[]* ") for cell in filled if read(cell) is None]
    return len(others) < len(filled) and all(map(UNPLACED_CELL.fullmatch, others))


def is_ranked(cells: Sequence[str]) -> bool:
    """Whether cells are the places of one contest: 1, 2, 3, ... with ties, or DNF and its like."""
    filled = [*filter(None, map(bare_place, cells))]
    places = sorted(place for cell in filled if (place := parse_place(cell)) is not None)
    return (
        len(places) > 1
        and all(parse_place(cell) or UNPLACED_CELL.fullmatch(cell) for cell in filled)
        and places[0] == 1
        and places[-1] <= len(cells)
        and len({*places}) * 2 > len(places)
    )


def are_ranked(wide: WideTable, names: Sequence[str]) -> bool:
    """Whether the cells of these columns in each row are the places of one contest."""
    return all(map(is_ranked, wide.rows(names)))


# Races: columns are contests where each of them holds the places of the players in the rows, or
# where a column beside them is their sum, with or without discards, and either their headings call
# them contests or all of them give out the same points. The order of the rows, or their numbers,
# tells by that sum which end is better.


RACE = lazy_pattern(rf"(?:{alternatives('race')}|[pwmcltek]|pr|wf|et)?[ .#]*(\d{{1,2}})")
OF_PARTS = words_for("run_of_contest")  # of one contest, as of a slalom
IN_NAMES = frozenset({"city", "land", "delta", "ground"})  # of places where races are held
HEADING_POINTS = words_for("heading_points")
RACE_SUMS = TOTALS | HEADING_POINTS | words_for("race_sum")
TOP = 3  # points that all contests give out
FEWEST_IN_ORDER = 4  # rows whose order tells which end is better


def unfold_races(wide: WideTable, label: str) -> InputTable | None:
    """The rows of players and places or points of a table with a column for each contest."""
    if "occasion" in read_heading(label).subjects:
        return None
    races = _find_run(wide, label)
    numbered = [name for name in races if RACE.fullmatch(fold_text(name))]
    ranked = [name for name in races if is_ranked(wide.columns[name])]
    total = _find_total(wide, label, races) if len(races) > 1 else None
    sign = _better_end(wide, total) if total else 0.0
    if 1 < len(races) == len(ranked):
        more_wins = sign > 0.0 or (not sign and plain_form(total or "") in HEADING_POINTS)
        of_points = total is not None and more_wins
        if total is None and len(numbered) < 2 and are_ranked(wide, races):
            return None  # the rows may be the contests
    else:
        ranked = [name for name in numbered if name in ranked]
        of_points = len(ranked) < 2
        occasions = _give_the_same(wide, races) or all(map(_is_occasion, races))
        if of_points and not (total and occasions):
            return None
    races = races if of_points else ranked
    told = {name: [*map(bare_place, wide.columns[name])] for name in races}
    rows = {name: [row for row, cell in enumerate(cells) if cell] for name, cells in told.items()}
    players = wide.columns[label]
    placed = [[(players[row], told[name][row]) for row in each] for name, each in rows.items()]
    note, taken = f"columns {races[0]} to {races[-1]} are contests,", [label, *races]
    if not of_points or total is None:
        return melt_contests(wide, placed, taken, f"{note} their cells are places", races=rows)
    note += f" and {quote(total)} is their sum"
    if sign:
        note += f"; {'more' if sign > 0.0 else 'less'} is better, as the rows stand in its order"
    return melt_contests(wide, placed, [*taken, total], note, "score", sign=sign, races=rows)


def _find_run(wide: WideTable, label: str) -> list[str]:
    """The longest run of columns that may be contests."""
    runs: list[list[str]] = [[]]
    for name, cells in wide.columns.items():
        if name != label and _may_be_race(name) and _are_results(cells, read_amount):
            runs[-1].append(name)
        elif runs[-1]:
            runs.append([])
    return max(runs, key=len)


def _may_be_race(name: str) -> bool:
    """Whether a heading may be that of a contest, such as R1, Abend 2 or Monaco."""
    numbered = RACE.fullmatch(fold_text(name)) is not None
    return numbered or _is_occasion(name) or ("[" not in name and may_be_name(name))


def _is_occasion(name: str) -> bool:
    """Whether a heading calls its column a contest, of which no other one is made."""
    heading = read_heading(name)
    return "occasion" in heading.subjects and OF_PARTS.isdisjoint(heading.words)


def _amounts(wide: WideTable, name: str) -> list[float]:
    return [read_amount(cell) or 0.0 for cell in wide.columns[name]]


def _find_total(wide: WideTable, label: str, races: Sequence[str]) -> str | None:
    """The column that is the sum of these in every row, perhaps without the best or worst few."""
    amounts = [_amounts(wide, name) for name in races]
    parts = [sorted(row) for row in zip(*amounts, strict=True)]
    if not all(map(any, amounts)):
        return None
    for name, cells in wide.columns.items():
        if name == label or name in races or not {*read_heading(name).words} & RACE_SUMS:
            continue
        if any(read_amount(cell) is None for cell in cells):
            continue
        sums = _amounts(wide, name)
        for left in range(len(races) - 1):
            for kept in (slice(left, None), slice(len(races) - left)):
                if all(abs(sum(row[kept]) - whole) < 1e-6
                       for row, whole in zip(parts, sums, strict=True)):  # fmt: skip
                    return name
    return None


def _better_end(wide: WideTable, total: str) -> float:
    """1.0 where the first rows have most of the total, -1.0 where they have least, else 0.0."""
    sums = _amounts(wide, total)
    for name, cells in wide.columns.items():
        if plain_form(name) in PLACE or bare_letters(name) in NUMBERS:
            places = [parse_place(cell.rstrip(".")) or 0 for cell in cells]
            if all(places):
                order = sorted(range(len(sums)), key=places.__getitem__)
                sums = [sums[row] for row in order]
                break
    else:
        if len(sums) < FEWEST_IN_ORDER:
            return 0.0
    falling = all(a >= b for a, b in pairwise(sums))
    return float(falling) - float(all(a <= b for a, b in pairwise(sums)))


def _give_the_same(wide: WideTable, races: Sequence[str]) -> bool:
    """Whether the best, or the least, points of all columns are the same and differ."""
    columns = [sorted(_amounts(wide, name)) for name in races]
    ends = ({tuple(each[part]) for each in columns} for part in (slice(-TOP, None), slice(TOP)))
    return any(len(each) == 1 and len({*each.pop()}) == TOP for each in ends)


# Places: columns are places, `2nd choice`, alone or beside one question, and hold the players.


COMPOUND = re.compile(r"\b(erst|zweit|dritt|viert|funft|sechst)(?=wahl|praf|prio|platz)")
ARTICLES = words_for("article")
TIED = re.compile(r"\s+=\s+")
BETWEEN_PARTS = re.compile(r"[\[\]():|]|\s[-–—]\s")
NO_CHOICE = words_for("no_choice")  # in place of a name on a ballot


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
    # `my first choice`, `2nd preference vote`
    beside = sum(word in ARTICLES or parse_place(f"{word} 1") == 1 for word in words)
    return known[0] if len(known) == 1 and len(words) - 1 == beside else None


def find_places(names: Iterable[str]) -> dict[str, int]:
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


def unfold_places(wide: WideTable) -> InputTable | None:
    """The rows of players and places where a column for each place holds names."""
    places = find_places(wide.columns)
    names = [name for name in places if is_names(wide.columns[name])]
    order = [places[name] for name in names]
    if len(names) < LEAST or sorted(order) != [*range(1, len(names) + 1)]:
        return None
    columns = [{*wide.columns[name]} - {""} for name in names]
    cells = {cell for column in columns for cell in column}
    with_points = hold_points([wide.columns[name] for name in names])
    named = {cell: parse_name_points(cell) if with_points else (cell, "") for cell in cells}
    held = [{named[cell][0].casefold() for cell in column} for column in columns]
    results = all(TOUCHES.fullmatch(cell.casefold()) for cell in cells)  # of a crosstable
    if results or not any(a & b for a, b in combinations(held, 2)):
        return None
    after = dict(pairwise(wide.columns))
    points = [
        after[name] for name in names if name in after and is_numbers(wide.columns[after[name]])
    ]
    points = points if len(points) == len(names) else []
    without = {cell for cell in cells if bare_letters(cell) in NO_CHOICE}
    read = {cell: (TIED.split(name), value) for cell, (name, value) in named.items()}

    def rank(row: tuple[str, ...]) -> list[tuple[str, int]]:
        """The players of a row and their places."""
        ranked: list[tuple[str, int]] = []
        place, before = 0, ""
        for at, (player, aim) in enumerate(zip(row, order, strict=False)):
            if player and player not in without and not (without and player in row[:at]):
                tied, value = read[player]
                value = row[len(names) + at] if points and not with_points else value
                place = place if value and value == before else aim
                before = value
                ranked += [(each, place) for each in tied]
        return ranked

    rows = [*wide.rows([*names, *points])]
    known = {row: rank(row) for row in {*rows}}
    note = f"each row is a contest; columns {names[0]} to {names[-1]} are its places"
    if without:
        note += f"; no choice: {', '.join(sorted(without))}; a name counts once"
    return melt_contests(wide, [*map(known.__getitem__, rows)], [*places, *points], note)


# Seats: players and, beside them, their places or points: `p1_name`, `p1_points`, `p2_name`, ...
# or `East`, `East pts`, ..., or in brackets behind the names.


OF_SEATS = frozenset().union(*(SUBJECT_WORDS[each] for each in ("player", "place", "points")))


def unfold_seats(wide: WideTable) -> InputTable | None:
    """The rows of players and places or points where three columns or more hold players."""
    held: dict[str, dict[tuple[str, ...], str]] = {"player": {}, "place": {}, "points": {}}
    for name, cells in wide.columns.items():
        told = [kind for kind in ("place", "points") if kind in read_heading(name).subjects]
        kind = told[0] if told else "player" if is_names(cells) else ""
        if kind == "points" and not is_numbers([cell.lstrip("+-−") for cell in cells]):
            continue
        rest = tuple(word for word in split_heading(name) if word not in OF_SEATS)
        held.get(kind, {}).setdefault(rest, name)
    value = "place" if len(held["place"].keys() & held["player"].keys()) >= LEAST else "points"
    beside = {name: held[value][rest] for rest, name in held["player"].items()
              if rest in held[value]}  # fmt: skip
    seats = [*beside]
    if not beside:
        seats = [name for name in held["player"].values()
                 if all(map(NAME_POINTS.fullmatch, filter(None, wide.columns[name])))]  # fmt: skip
        if not hold_points([wide.columns[name] for name in seats]):
            return None
    kept = [name for name in wide.columns if name not in {*seats, *beside.values()}]
    sided = any(read_heading(name).sides - WEAK for name in seats)
    teams = any("team" in words and len(words) > 1 for words in map(split_heading, kept))
    if len(seats) < LEAST or sided or teams or any(map(_tells_result, kept)):
        return None
    columns: list[Iterable[tuple[str, Any]]] = [
        zip(wide.columns[name], wide.columns[beside[name]], strict=True) if beside
        else [parse_name_points(cell) if cell else ("", "") for cell in wide.columns[name]]
        for name in seats
    ]  # fmt: skip
    note = f"each row is a contest of {seats[0]} to {seats[-1]}, with their {value}"
    if value == "place":
        note += "s"
    else:
        words = read_heading(beside[seats[0]]).words if beside else ()
        value = next((word for word in words if word in MORE), "score")
    ranked = [[each for each in row if each[0]] for row in zip(*columns, strict=True)]
    return melt_contests(wide, ranked, [*seats, *beside.values()], note, value)


def _tells_result(heading: str) -> bool:
    """Whether a heading is that of the result of two sides."""
    meaning = read_heading(heading)
    return bool(meaning.subjects & {"result", "points"} or "winner" in meaning.sides)


# Grids: a question of a form for each candidate, `Rank [Ann]`, which holds the place or marks. It
# may say which end of marks is better: 1 = not at all, 5 = love it.


GRID = re.compile(r"(?P<question>.*?)\s*\[(?P<name>[^\[\]]+)\]")
ANCHORS = re.compile(r"(\d+)\s*[=:–-]\s*([^\d,;()]+)")
GOOD, BAD = slots_for("scale_ends")
STARS = words_for("stars")


def unfold_grid(wide: WideTable) -> InputTable | None:
    """The rows of candidates and places or marks."""
    found = {name: match for name in wide.columns if (match := GRID.fullmatch(name))}
    questions = {match["question"] for match in found.values()}
    if len(found) < LEAST or len(questions) > 1:
        return None
    ranked = are_ranked(wide, [*found])
    if not ranked and not all(is_numbers(wide.columns[name]) for name in found):
        return None
    players = {name: match["name"].strip() for name, match in found.items()}
    note = "each row is a ballot; the names in brackets are its candidates"
    value, sign = ("place", 0.0) if ranked else ("score", find_better_end(questions.pop()))
    return melt_contests(wide, name_cells(wide, players), [*found], note, value, sign=sign)


def name_cells(wide: WideTable, players: Mapping[str, str]) -> list[Ranked]:
    """The players whose columns these are, and what their cells hold, by rows."""
    return [
        [(player, cell) for player, cell in zip(players.values(), row, strict=True) if cell]
        for row in wide.rows(players)
    ]


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


# Players: columns are players and hold their places or points in the contest of the row.


FEWER_WIN = words_for("fewer_points_win")


def unfold_players(wide: WideTable) -> InputTable | None:
    """The rows of players and places or points."""
    names = [
        name for name, cells in wide.columns.items()
        if may_be_name(name, frozenset({"player"})) and _are_results(cells, read_count)
    ]  # fmt: skip
    first = [*wide.columns].index(names[0]) if len(names) >= LEAST else 0
    if len(names) < LEAST or [*wide.columns][first : first + len(names)] != names:
        return None
    kept = [name for name in wide.columns if name not in names]
    named = [name for name in kept if is_names(wide.columns[name])]
    if any({"player", "place"} & read_heading(name).subjects for name in kept) or any(
        side_family(*pair) for pair in permutations(named, 2)
    ):
        return None  # with games of two sides, what else is counted of both
    ranked = are_ranked(wide, names)
    if not ranked and _are_measures([wide.columns[name] for name in names], kept):
        return None
    what = "places" if ranked else "points"
    note = f"each row is a contest; columns {names[0]} to {names[-1]} are players with their {what}"
    word = None if ranked else _find_more(wide.table.titles)
    if word:
        note += f"; more is better, as {quote(word)} in the title says"
    placed = name_cells(wide, {name: name for name in names})
    value, sign = "place" if ranked else "score", 1.0 if word else 0.0
    return melt_contests(wide, placed, names, note, value, sign=sign)


def _find_more(titles: Sequence[str]) -> str | None:
    """The word of a title that says that more is better, such as Punkte."""
    words = [word for title in titles for word in split_heading(title)]
    found = next((word for word in words if word in MORE), None)
    return found if not {*words} & (FEWER | FEWER_WIN) else None


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


def may_be_name(name: str, but: frozenset[str] = frozenset()) -> bool:
    """Whether a heading may be the name of a player or of a contest: no word of another subject
    stands in it, `but` of these.
    """
    heading = read_heading(name)
    if plain_form(name) in {*PLACE, *NUMBERS} or {*heading.words} & RACE_SUMS:
        return False
    spoiled = {*heading.words} & SPOILERS - IN_NAMES or is_of_official(heading)
    return bool(heading.unknown) and not (heading.subjects - but or heading.sides - WEAK or spoiled)


class WideForm(NamedTuple):
    """A form of wide tables: what its rows become."""

    kind: str
    unfold: Callable[..., InputTable | None]
    labelled: bool = False  # whether a column names the players of the rows
    long: bool = False  # whether it may have many rows


WIDE_FORMS = (
    WideForm("games", unfold_crosstable, labelled=True),
    WideForm("games", unfold_wall_chart, labelled=True),
    WideForm("contests", unfold_rankings),
    WideForm("contests", unfold_races, labelled=True),
    WideForm("contests", unfold_places, long=True),
    WideForm("contests", unfold_seats, long=True),
    WideForm("contests", unfold_grid, long=True),
    WideForm("contests", unfold_players, long=True),
)
