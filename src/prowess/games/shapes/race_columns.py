"""Contests in columns, players in rows: `Driver, Monaco, Spa, Monza, Points`.

Columns are contests where each of them holds the places of the players in the rows, or where a
column beside them is their sum, with or without discards, and either their headings call them
contests or all of them give out the same points. The order of the rows, or their numbers, tells
by that sum which end is better.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from prowess.games.cells.places import bare_letters
from prowess.games.columns import InputTable
from prowess.games.errors import quote
from prowess.games.patterns import lazy_pattern
from prowess.games.roles.contest_words import PLACE, TOTALS
from prowess.games.shapes.placed_rows import PlacedRows
from prowess.games.shapes.wide_contests import (
    CODED,
    UNPLACED,
    bare_place,
    is_ranked,
    parse_place,
)
from prowess.games.shapes.wide_tables import LEAST, NUMBERS, WideTable, find_label
from prowess.games.values import fold_text, plain_form
from prowess.games.vocabulary import SPOILERS, WEAK, read_heading
from prowess.games.words import alternatives, words_for

RACE = lazy_pattern(rf"(?:{alternatives('race')}|[pwmcltek]|pr|wf|et)?[ .#]*(\d{{1,2}})")
AMOUNT = re.compile(r"[-+−]?\d{1,7}(?:[.,]\d+)?")
OF_PARTS = words_for("run_of_contest")  # of one contest, as of a slalom
IN_NAMES = frozenset({"city", "land", "delta", "ground"})  # of places where races are held
SUMS = TOTALS | words_for("heading_points", "race_sum")
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
            return _place(wide, label, places)
        if total is None or not (_give_the_same(wide, races) or all(map(_is_occasion, races))):
            return None
        return _count(wide, label, races, total, sign)
    if total and (sign > 0.0 or (not sign and plain_form(total) in words_for("heading_points"))):
        return _count(wide, label, races, total, sign)
    if total is None and len(numbered) < 2 and _are_ranked_across(wide, races):
        return None
    return _place(wide, label, races)


def _place(wide: WideTable, label: str, races: Sequence[str]) -> InputTable:
    return _unfold(wide, label, races).table(
        f"columns {races[0]} to {races[-1]} are contests, their cells are places"
    )


def _count(
    wide: WideTable, label: str, races: Sequence[str], total: str, sign: float
) -> InputTable:
    """The rows of players and points; `sign` is -1.0 where less is better, 0.0 where it is open."""
    note = f"columns {races[0]} to {races[-1]} are contests, and {quote(total)} is their sum"
    if sign:
        note += f"; {'more' if sign > 0.0 else 'less'} is better, as the rows stand in its order"
    table = _unfold(wide, label, races, total).table(note, "score")
    if sign:
        table.roles = {**table.roles, "points": ("score" if sign > 0.0 else "-score",)}
    return table


def _unfold(wide: WideTable, label: str, races: Sequence[str], *beside: str) -> PlacedRows:
    made = PlacedRows(wide, [], [label, *races, *beside])
    for name in races:
        for row, player in enumerate(wide.columns[label]):
            if cell := bare_place(wide.columns[name][row]):
                made.add(row, player, cell)
                made.contests.append(name)
    return made


def _find_run(wide: WideTable, label: str) -> list[str]:
    """The longest run of columns that may be contests."""
    runs: list[list[str]] = [[]]
    for name in wide.names:
        if name != label and _may_be_race(name) and _are_results(wide.columns[name]):
            runs[-1].append(name)
        elif runs[-1]:
            runs.append([])
    return max(runs, key=len)


def _may_be_race(name: str) -> bool:
    """Whether a heading may be that of a contest, such as R1, Abend 2 or Monaco."""
    if RACE.fullmatch(fold_text(name)) or _is_occasion(name):
        return True
    heading = read_heading(name)
    if plain_form(name) in {*PLACE, *NUMBERS} or "[" in name or {*heading.words} & SUMS:
        return False
    spoiled = {*heading.words} & SPOILERS - IN_NAMES
    return bool(heading.unknown) and not (heading.subjects or heading.sides - WEAK or spoiled)


def _is_occasion(name: str) -> bool:
    """Whether a heading calls its column a contest, of which no other one is made."""
    heading = read_heading(name)
    return "occasion" in heading.subjects and OF_PARTS.isdisjoint(heading.words)


def _are_results(cells: Sequence[str]) -> bool:
    given = [cell for cell in cells if cell]
    return any(read_amount(cell) is not None for cell in given) and all(
        read_amount(cell) is not None or UNPLACED.fullmatch(cell.strip("()[]* ")) for cell in given
    )


def read_amount(cell: str) -> float | None:
    """The place or the points that a cell says: 3, (3.0), -30, 7.0 DNF; None for another cell."""
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
        if name == label or name in races or not {*read_heading(name).words} & SUMS:
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
