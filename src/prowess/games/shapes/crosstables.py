"""Crosstables, also matrices of home and away games, become rows of games.

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
from prowess.games.roles.contest_words import GAMES, PLAYED, SUMS
from prowess.games.shapes.wide_tables import LEAST, WideTable, find_label, find_numbers
from prowess.games.values import plain_form
from prowess.games.vocabulary import read_heading
from prowess.games.words import words_for

FILLED = 0.2  # share of the cells of a crosstable that hold results, at least
EMPTY = frozenset({
    "", "x", "xx", "xxx", "*", "**", "***", "-", "--", "---", "–", "—", "\\", "/", "■", "█", "#",
    "●", "•", "n/a", "×", ".",
})  # fmt: skip
SCORES = {
    "1": 1.0, "0": 0.0, "½": 0.5, "1/2": 0.5, "0.5": 0.5, "0,5": 0.5, ".5": 0.5, "=": 0.5,
    "1.0": 1.0, "0.0": 0.0, "1,0": 1.0, "0,0": 0.0, "w": 1.0, "l": 0.0, "d": 0.5, "r": 0.5,
    "v": 1.0,
}  # fmt: skip
FORFEITS = {"+": 1.0, "-": 0.0, "1f": 1.0, "0f": 0.0, "+-": 1.0, "-+": 0.0, "1k": 1.0, "0k": 0.0}
TOUCHES = re.compile(r"([vdwl])\s?([0-9]{1,2})")  # V5 and D3: victory and defeat
SCORES_OF_LETTERS = {"v": 1.0, "w": 1.0, "d": 0.0, "l": 0.0}
JOINED = re.compile(r"[01½=]{2,}")  # games of chess written without a space: 10, ½1
SCORELINE = re.compile(r"([0-9]{1,3})\s*[:\-–—]\s*([0-9]{1,3})")
BETWEEN = re.compile(r"\s*[,;|/\n]\s*|\s+")
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
    if folded in EMPTY:
        return CellGames()
    if folded in SCORES:
        return CellGames((SCORES[folded],))
    if folded in FORFEITS:
        return CellGames((FORFEITS[folded],), forfeit=True)
    if touches := TOUCHES.fullmatch(folded):
        return CellGames((SCORES_OF_LETTERS[touches[1]],), touches=int(touches[2]))
    lines = list(SCORELINE.finditer(bare))
    if lines:
        rest = SCORELINE.sub("", bare)
        if len(lines) == 1 and lines[0].start() == 0:  # a word may follow: 2:1 n.V.
            return CellGames((_score(lines[0]),), (bare,)) if not re.search(r"\d", rest) else None
        if re.fullmatch(r"[\s,;|/]*", rest):
            return CellGames(tuple(map(_score, lines)), tuple(line[0] for line in lines))
        return None
    parts = BETWEEN.split(folded)
    if len(parts) == 1 and JOINED.fullmatch(folded):
        parts = list(folded)
    scores = [SCORES[part] for part in parts if part in SCORES]
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
            (SCORELINE.match(a), SCORELINE.match(b))
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
