"""Rows of players and places, as they are made of the cells of wide tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

from prowess.games.columns import InputTable
from prowess.games.shapes.wide_tables import WideTable
from prowess.games.vocabulary import split_heading
from prowess.games.words import words_for

NUMBER = re.compile(r"\d{1,7}(?:[.,]\d+)?")


def is_names(cells: Sequence[str]) -> bool:
    """Whether all filled cells have a letter."""
    filled = {*cells} - {""}
    return bool(filled) and all(re.search(r"[^\W\d_]", cell) for cell in filled)


def is_numbers(cells: Sequence[str]) -> bool:
    """Whether all filled cells are numbers."""
    filled = {*cells} - {""}
    return bool(filled) and all(NUMBER.fullmatch(cell) for cell in filled)


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
