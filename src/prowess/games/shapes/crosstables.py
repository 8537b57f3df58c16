"""Crosstables, matrices of home and away games, and wall charts become rows of games.

Rows and columns are players; the cell is the
result of the player of the row against that of the column. The diagonal is empty, and both cells of
a pair must say the same, unless they are two games: those of the row's player at home and away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from prowess.games.columns import InputTable
from prowess.games.errors import InvalidValue, quote
from prowess.games.reading import format_count
from prowess.games.shapes.wide_tables import LEAST, WideTable, find_label, find_numbers
from prowess.games.values import plain_form
from prowess.games.vocabulary import GAMES, PLAYED, SUMS, read_heading
from prowess.games.words import words_for

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
    for row in range(count):
        for other, column in enumerate(columns):
            cell = parse_cell(wide.columns[column][row])
            if cell is None:
                what = f"{quote(wide.columns[column][row])} is no result of a crosstable"
                raise wide.bad(
                    what,
                    "write 1, ½ or 0, or 2:1; " + FIT,
                    row,
                    column,
                    code="not_a_result_in_cell",
                )
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
    a_names: list[str] = []
    b_names: list[str] = []
    results: list[str] = []
    rows: list[int] = []
    absent: dict[int, InvalidValue] = {}
    for a, b in order:
        cell = cells[a, b]
        for at, score in enumerate(cell.scores):
            if cell.forfeit:
                absent[len(rows)] = InvalidValue(
                    "the game was not played: a forfeit", code="game_forfeited"
                )
            a_names.append(names[a])
            b_names.append(names[b])
            results.append(cell.texts[at] if cell.texts else f"{score:g}")
            if points := _points_of_touches(cell, cells.get((b, a))):
                results[-1] = points
            rows.append(a)
    heads = ("home", "away") if matrix else ("player_a", "player_b")
    notes = [f"a crosstable of {count} players: {said}"]
    if matrix:
        why = f"as {quote(label)} says" if sides else "both cells of a pair are two games"
        notes.append(f"the players of the rows are at home: {why}")
    made = {heads[0]: a_names, heads[1]: b_names, "result": results}
    return wide.unfold(made, rows, notes, absent, [label, *columns])


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


def _is_square(wide: WideTable, columns: Sequence[str]) -> bool:
    """Whether the diagonal is empty, all other cells are results, and most pairs fit together."""
    filled = 0
    cells: dict[tuple[int, int], CellGames] = {}
    for other, column in enumerate(columns):
        for row, text in enumerate(wide.columns[column]):
            cell = parse_cell(text)
            if cell is None or (row == other and cell.scores):
                return False
            filled += bool(cell.scores)
            cells[row, other] = cell
    pairs = [(cells[a, b], cells[b, a]) for a, b in cells if a < b and cells[a, b].scores]
    both = [(one, other) for one, other in pairs if other.scores]
    fitting = sum(_fit(one, other) for one, other in both)
    many = filled >= FILLED * len(columns) * (len(columns) - 1)
    return many and (2 * fitting >= len(both) or all(cell.texts or not cell.scores
                                                     for cell in cells.values()))  # fmt: skip


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
    rounds = [
        name for name in wide.names if name != label and _is_round(wide.columns[name], coloured)
    ]
    if len(rounds) < FEWEST_ROUNDS_OF_TABLE:
        return None
    numbered = find_numbers(wide, label, count)
    numbers = numbered[0][1] if numbered else list(range(1, count + 1))
    row_of = {number: row for row, number in enumerate(numbers)}
    names = wide.columns[label]
    if not _refers_to_players(wide, rounds, row_of, coloured):
        return None
    with_colours = False
    games: dict[str, list[str]] = {"a": [], "b": [], "result": [], "round": []}
    rows: list[int] = []
    for at, name in enumerate(rounds, 1):
        cells = [parse_chart_cell(text, coloured) for text in wide.columns[name]]
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
                games["a"].append(names[row])
                games["b"].append(names[other])
                games["result"].append(CHART_TEXTS[cell.score])
                games["round"].append(str(at))
                rows.append(row)
    heads = ("white", "black") if with_colours else ("player_a", "player_b")
    columns = {
        heads[0]: games["a"],
        heads[1]: games["b"],
        "result": games["result"],
        "round": games["round"],
    }
    note = f"a wall chart of {count} players, {format_count(len(rounds), 'round')}"
    used = [label, *rounds, *(name for name, _ in numbered[:1])]
    return wide.unfold(columns, rows, [note], used=used)


def _is_round(cells: list[str], coloured: bool) -> bool:
    """Whether the cells of a column are those of a round, with a game in half of them."""
    games = [parse_chart_cell(text, coloured) is not None for text in cells]
    others = (text for text, game in zip(cells, games, strict=True) if not game)
    return sum(games) * 2 >= len(cells) and all(NO_GAME_CELL.fullmatch(text) for text in others)


def _refers_to_players(
    wide: WideTable, rounds: list[str], row_of: Mapping[int, int], coloured: bool
) -> bool:
    """Whether most cells name another player, whose cell names this one; strokes against par, such
    as -3 and +2, do not.
    """
    named = backed = 0
    for name in rounds:
        cells = [parse_chart_cell(text, coloured) for text in wide.columns[name]]
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
