"""Matches whose sets stand in columns of their own: `1. Satz`, `2. Satz`, ..., each 11:8, or in
two columns each: `S1 H`, `S1 A`, `S2 H`, ...
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from prowess.games.cells.scorelines import parse_scoreline
from prowess.games.reading import join_columns
from prowess.games.roles.evidence import MOST
from prowess.games.roles.pairs import find_groups, find_pairs, has_result
from prowess.games.roles.result_headings import find_result_by_cells
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import is_missing
from prowess.games.vocabulary import SUBJECT_WORDS, read_heading, split_heading
from prowess.games.words import words_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prowess.games.columns import InputTable
    from prowess.games.roles.headings import Headings

OF_SETS = SUBJECT_WORDS["sets"] | {"s"}
OF_GAMES = words_for("game_of_match")  # in badminton

TIE_BREAKS = words_for("last_part") | {"champions"}  # in place of the last set of all matches


def join_sets(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with a column of all sets of each match; None where no columns hold sets."""
    players = _find_players(headings)
    if players is None:
        return None
    if (paired := _pair_sets(headings, *players)) and not headings.guessed.keys() & {
        "result",
        "winner",
    }:
        return _join_pairs(table, paired)
    if has_result(headings, *players):
        return None
    numbered: dict[str, dict[int, str]] = defaultdict(dict)
    for name in headings.names:
        words = split_heading(name)
        numbers = [word for word in words if word.isdigit()]
        rest = [word for word in words if not word.isdigit()]
        of_set = len(numbers) == len(rest) == 1 and {*rest} <= OF_SETS | OF_GAMES
        if of_set and headings.evidence[name].scorelines >= MOST:
            numbered[rest[0]][int(numbers[0])] = name
    found = [each for each in numbered.values() if sorted(each) == [*range(1, len(each) + 1)]]
    if len(found) != 1 or len(found[0]) < 2:
        return None
    columns = tuple(found[0][number] for number in sorted(found[0]))
    decider = _find_decider(headings, columns)
    told = find_result_by_cells(headings, *players)
    if told and told[1] not in decider:
        return None
    columns += decider
    result = name_column(table, f"sets of {join_columns(columns)}")

    def join(*cells: Any) -> str:
        return " ".join(str(cell).strip() for cell in cells if not is_missing(cell))

    note = f"columns {join_columns(columns)} are the sets of a match"
    derived = {result: DerivedColumn(columns, join)}
    return derive_columns(table, derived, {"result": result}, notes=[note])


def _find_decider(headings: Headings, sets: tuple[str, ...]) -> tuple[str, ...]:
    """The column of what is played where the sets are level, and nowhere else."""
    rows = headings.evidence.rows
    lines = zip(*(rows[name] for name in sets), strict=True)
    level = [_are_level(cells) for cells in lines]
    found = [
        name for name in headings.names
        if name not in sets and (not all(level) or TIE_BREAKS & {*split_heading(name)})
        and headings.evidence[name].scorelines >= MOST
        and level == [not is_missing(cell) for cell in rows[name]]
    ]  # fmt: skip
    return tuple(found) if len(found) == 1 else ()


def _are_level(sets: Sequence[Any]) -> bool:
    """Whether both sides have won as many sets."""
    found = (parse_scoreline(str(cell)) for cell in sets if not is_missing(cell))
    scores = [line.score for line in found if line]
    return bool(scores) and sum(scores) == 0.5 * len(scores)


def _find_players(headings: Headings) -> tuple[str, str] | None:
    """The columns of both players, or of the first members of both sides."""
    if len(find_pairs(headings)) == 1:
        return find_pairs(headings)[0]
    if find_pairs(headings) or len(find_groups(headings)) != 1:
        return None
    first, second = find_groups(headings)[0].sides
    return first[0], second[0]


def _pair_sets(headings: Headings, a: str, b: str) -> list[tuple[str, str]]:
    """The columns of both sides of each set, in their order; empty where there are none."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for name in headings.names:
        words = split_heading(name)
        numbers = [word for word in words if word.isdigit()]
        rest = [word for word in words if not word.isdigit() and word not in OF_SETS]
        if len(numbers) != 1 or len(rest) != 1 or len(words) != 3:
            continue
        sides = [
            each
            for each in (a, b)
            if any(word.startswith(rest[0]) for word in read_heading(each).words)
        ]
        if len(sides) == 1 and headings.evidence[name].points >= MOST:
            found[int(numbers[0])][sides[0]] = name
    complete = all(len(each) == 2 for each in found.values())
    if len(found) < 2 or not complete or sorted(found) != [*range(1, len(found) + 1)]:
        return []
    return [(found[number][a], found[number][b]) for number in sorted(found)]


def _join_pairs(table: InputTable, pairs: Sequence[tuple[str, str]]) -> InputTable:
    """The table with a column of the sets of each match, from two columns of each set."""
    columns = tuple(name for pair in pairs for name in pair)
    result = name_column(table, f"sets of {join_columns(columns)}")

    def join(*cells: Any) -> str:
        sets = zip(cells[::2], cells[1::2], strict=True)
        played = [(x, y) for x, y in sets if not (is_missing(x) and is_missing(y))]
        return " ".join(f"{_points_of(x)}-{_points_of(y)}" for x, y in played)

    note = f"columns {join_columns(columns)} are the sets of a match"
    derived = {result: DerivedColumn(columns, join)}
    return derive_columns(table, derived, {"result": result}, notes=[note])


def _points_of(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()
