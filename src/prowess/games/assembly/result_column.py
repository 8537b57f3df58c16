"""A column of results such as 2-1: the points of both sides, and times of the day among them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.validation import CellParsers, RowValidation
from prowess.games.columns import CellParser, Chunk, Growing, InputColumn
from prowess.games.errors import BadData, InvalidValue, NoGame, quote

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

KICK_OFF = re.compile(r"(?:1[0-9]|2[0-3]):[0-5][05]")  # a score, or a time of the day
FEW = 100  # cells
LARGEST, FEWEST_CLOCKS = 9, 3  # number of other scores; clocks where there is nothing else


@dataclass
class Scorelines:
    """The points of both sides that are being gathered from a column of results.

    1-0 and 0-1 alone are results as of chess, and 0-0 beside them may be a draw as well as a game
    without points; a column with a scoreline that no game of chess has (2-1, 1-1) counts points.
    """

    points: tuple[Growing, Growing] | None = None  # from the first such scoreline on
    mixed: bool = False  # whether the column holds other results as well
    scored: bool = False  # whether it holds a scoreline that no game of chess has
    nil: BadData | None = None  # the first 0-0
    odd: str | None = None  # the first other result
    said: bool = False  # whether it is said that points are not used

    def add(
        self, chunk: Chunk, column: str, parsers: CellParsers, scores: Growing | None, place: Any
    ) -> None:
        """Take the points of further rows; `scores` are those of all rows before them, and
        `place` says of a line where it stands.
        """
        outcomes = parsers.outcomes
        self.scored |= outcomes.scored
        self.mixed |= outcomes.mixed or parsers["result", column].numbers_met
        cells = chunk.columns[column]
        if outcomes.nil and self.nil is None:
            a, b = (cells.parse(lookup).values for lookup in _points_parsers(parsers, column))
            nils = np.flatnonzero((a == 0.0) & (b == 0.0))
            if len(nils):
                self.nil = place(chunk.line(int(nils[0])))
        if self.mixed:
            if self.odd is None:
                self.odd = _find_result_without_points(cells, _points_parsers(parsers, column)[0])
            if self.scored and not self.said:
                self.said = True
                parsers.notes.append(
                    f"the points in column {quote(column)} are not used: {self.odd or 'some rows'}"
                )
            self.points = None
        elif self.scored:
            if self.points is None:
                self.points = _points_before(scores)
            for points, lookup in zip(self.points, _points_parsers(parsers, column), strict=True):
                points.append(cells.parse(lookup).values)

    def take(self) -> dict[str, Floats]:
        """The points of both sides, where the column tells them, which are given up; raises BadData
        for a 0-0 that may be a draw as well as a game without points.
        """
        if self.nil is not None and not self.scored:
            raise self.nil
        if self.points is None:
            return {}
        a, b = (points.whole() for points in self.points)
        self.points = Growing(), Growing()
        return {"points_a": a, "points_b": b}


def _find_result_without_points(cells: InputColumn, lookup: CellParser) -> str:
    """What the first cell says that is a result and no scoreline, empty where there is none."""
    for row in range(min(FEW, len(cells))):  # the first cells often tell, and take no time
        try:
            lookup.parse(cells.cell(row))
        except NoGame:
            continue
        except InvalidValue:
            return f"{quote(cells.cell(row))} has none"
    wrong = cells.parse(lookup).wrong
    odd = (row for row, why in sorted(wrong.items()) if not isinstance(why, NoGame))
    row = next(odd, -1)
    return "" if row < 0 else f"{quote(cells.cell(row))} has none"


def _points_parsers(parsers: CellParsers, column: str) -> list[CellParser]:
    """The parsers of the points of both sides of a scoreline."""
    return [parsers[f"{side} points", column] for side in ("first", "second")]


def _points_before(scores: Growing | None) -> tuple[Growing, Growing]:
    """The points of rows that hold nothing but 1-0, 0-1 and 0-0, by their scores."""
    a, b = Growing(), Growing()
    if scores is not None:
        before = scores.whole()
        a.append((before == 1.0).astype(np.float64))
        b.append((before == 0.0).astype(np.float64))
    return a, b


def ask_about_clocks(rows: RowValidation, name: str) -> None:
    """Refuse results such as 15:30 that may be times: among small scores, or among no others."""
    texts = {text.strip() for text in rows.parsers["result", name] if isinstance(text, str)}
    clocks = {text for text in texts if KICK_OFF.fullmatch(text)} - rows.parsers.outcomes.own.keys()
    numbers = [int(number) for text in texts - clocks for number in re.findall(r"\d+", text)]
    if not clocks or (max(numbers) > LARGEST if numbers else len(clocks) < FEWEST_CLOCKS):
        return
    python = ", ".join(f'"{text}": None' for text in sorted(clocks))
    refusal = InvalidValue(
        f"{quote(min(clocks))} may be a score, or the time at which a game begins",
        f"say with outcomes={{{python}}} (--outcome {min(clocks)}=none ...) that there is no "
        "result, or with 1 or 0 who won",
        code="score_or_clock",
    )
    cell = rows.columns[name].cell
    rows.refuse_cells(name, {
        row: refusal for row in range(rows.chunk.count) if str(cell(row)).strip() in clocks
    })  # fmt: skip
