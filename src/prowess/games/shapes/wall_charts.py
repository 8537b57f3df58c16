"""Wall charts of Swiss tournaments become rows of games: `12w1` is a win with White against 12.

Both cells of a game must say the same: the opponent's number, the colour and the result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from prowess.games.columns import InputTable
from prowess.games.errors import quote
from prowess.games.reading import format_count
from prowess.games.shapes.wide_tables import LEAST, WideTable, find_label, find_numbers

NUMBER = r"#?(?P<number>\d{1,4})"
COLOUR = r"(?P<colour>[wbsn])"
RESULT = r"(?P<result>½|1/2|0[.,]5|[10+=\-−])"
CELLS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{NUMBER}\s*{COLOUR}\s*{RESULT}",  # 12w1
        rf"{RESULT}\s*{NUMBER}\s*{COLOUR}",  # +12w
        rf"(?P<result>[wldrn])\s*{NUMBER}(?:\s*{COLOUR})?",  # W12
        rf"{COLOUR}\s*{NUMBER}\s*{RESULT}",  # w12 1
        rf"(?P<result>[+=\-−])\s*{NUMBER}",  # +12
        rf"{NUMBER}\s*(?P<result>[+=\-−])",  # 12+
    )
)
WITH_COLOUR = (CELLS[0], CELLS[1], CELLS[3])
NO_GAME = re.compile(
    r"|[-–—*.]+|bye|(?:\+|-|1|0|½|=|w|l|d|h|u|f|x)?\s*-{0,2}\s*(?:bye|bye\+|frei|spielfrei|exempt)?|"
    r"(?:-{1,4}|0|bye)\s*(?:[01½+\-=]|1/2)?|[hfuzx]-*|--?[01½+\-=]",
    re.IGNORECASE,
)
SCORES = {
    "1": 1.0, "+": 1.0, "w": 1.0, "0": 0.0, "-": 0.0, "−": 0.0, "l": 0.0, "½": 0.5, "1/2": 0.5,
    "0.5": 0.5, "0,5": 0.5, "=": 0.5, "d": 0.5, "r": 0.5, "n": 0.5,
}  # fmt: skip
TEXTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
FEWEST = 2  # rounds


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
            return ChartCell(int(parts["number"]), white, SCORES[parts["result"].lower()])
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
    if len(rounds) < FEWEST:
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
            if back is None or not _fit(cell, back, numbers[row]):
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
                games["result"].append(TEXTS[cell.score])
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
    return sum(games) * 2 >= len(cells) and all(NO_GAME.fullmatch(text) for text in others)


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


def _fit(cell: ChartCell, back: ChartCell, number: int) -> bool:
    """Whether the opponent's cell says the same game."""
    return (
        back.number == number
        and cell.score + back.score == 1.0
        and (cell.white is None or back.white is None or cell.white is not back.white)
    )
