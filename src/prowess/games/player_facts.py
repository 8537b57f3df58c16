"""Facts of players: what a table says of them beside their games, such as birth year or K.

A row without a date holds always, a row with one from that day on. A table of games carries its
facts by name, so that every part of it has them, whatever numbers its players have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any

from prowess.games.errors import BadData
from prowess.games.values import plain_form
from prowess.games.vocabulary import words_for

if TYPE_CHECKING:
    from prowess.compile.numbers import Floats

ALWAYS = -inf  # the day of a row without a date
WORDS_OF_FACTS = {"born": words_for("born")}  # of facts that tables name in many languages
YEARS = 1000.0, 9999.0  # of four digits


@dataclass(frozen=True, eq=False)
class PlayerFacts:
    """Facts of players, in rows by day: those of ALWAYS first, the latest last.

    Args:
        names: [rows] the player of each row.
        days: [rows] days since 1970-01-01 from which a row holds.
        cells: [rows] the texts by heading; None where a cell is empty.
        lines: [rows] where a row stands in its file.
        file: its name; empty where there is none.
    """

    names: tuple[str, ...]
    days: Floats
    cells: Mapping[str, tuple[str | None, ...]]
    lines: tuple[int, ...]
    file: str
    parsed: dict[tuple[Any, ...], Floats] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The file, or what else they are called."""
        return self.file or "player_facts"

    @property
    def dated(self) -> bool:
        """Whether some row holds from a day on."""
        return bool((self.days > ALWAYS).any())

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain data."""
        return {
            "names": self.names,
            "days": [day if day > ALWAYS else None for day in self.days.tolist()],
            "cells": dict(self.cells), "lines": self.lines, "file": self.file,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> PlayerFacts:
        """The facts of plain data."""
        import numpy as np

        days = np.array([ALWAYS if day is None else day for day in plain["days"]])
        cells = {heading: tuple(column) for heading, column in plain["cells"].items()}
        return cls(tuple(plain["names"]), days, cells, tuple(plain["lines"]), plain["file"])

    def find_column(self, name: str) -> str | None:
        """The heading of a fact, by its words in all languages or its name; None: there is none."""
        meant = WORDS_OF_FACTS.get(name, frozenset()) | {plain_form(name)}
        return next((heading for heading in self.cells if plain_form(heading) in meant), None)

    def of_players(self, names: Iterable[str]) -> PlayerFacts:
        """The facts of some players alone."""
        there = {*names}
        rows = [row for row, name in enumerate(self.names) if name in there]
        return PlayerFacts(
            tuple(self.names[row] for row in rows),
            self.days[rows],
            {name: tuple(column[row] for row in rows) for name, column in self.cells.items()},
            tuple(self.lines[row] for row in rows),
            self.file,
        )

    def numbers(
        self, heading: str, *, years: bool = False, limits: tuple[float, float] = (-inf, inf)
    ) -> Floats:
        """A column as numbers within limits, nan where a cell is empty; with `years` the years of
        its dates.

        Raises BadData with file, line and column.
        """
        asked = heading, years, limits
        if asked not in self.parsed:
            import numpy as np

            self.parsed[asked] = np.array(
                [
                    nan if text is None else self._read_number(row, text, *asked)
                    for row, text in enumerate(self.cells[heading])
                ],
                dtype=np.float64,
            )
        return self.parsed[asked]

    def _read_number(
        self, row: int, text: str, heading: str, years: bool, limits: tuple[float, float]
    ) -> float:
        low, high = YEARS if years else limits
        try:
            number = float(text)
        except ValueError:
            number = nan
            if years and text[:4].isdecimal() and text[4:5] == "-":
                number = float(text[:4])
        if not (isfinite(number) and low <= number <= high):
            kind = "year or date" if years else "number"
            kind += f" from {low:g}" * (not years and low > -inf)
            kind += f" to {high:g}" * (not years and high < inf)
            raise BadData.of(
                "not_a_number",
                file=self.file,
                line=self.lines[row],
                column=heading,
                text=text,
                kind=kind,
            )
        return number
