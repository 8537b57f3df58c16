"""Rows of players and places, made of the cells of wide tables and of rankings such as A > B."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations
from typing import Any

from prowess.games.columns import InputTable
from prowess.games.errors import quote
from prowess.games.shapes.wide_tables import LIST_MARK, WideTable
from prowess.games.vocabulary import split_heading
from prowess.games.words import words_for

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
