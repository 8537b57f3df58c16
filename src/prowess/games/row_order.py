"""Tables without dates whose newest games stand first: rounds or numbers fall from row to row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.derived_columns import join_chunks
from prowess.games.errors import BadData, quote
from prowess.games.values import fold_text, is_missing
from prowess.games.vocabulary import read_heading

if TYPE_CHECKING:
    from prowess.games.roles import LayoutFinder

FINAL = 1_000.0  # above all numbers of rounds
KNOCKOUT = {  # rounds before the final, as their names say
    "final": 0, "f": 0, "finale": 0, "endspiel": 0, "finał": 0, "semifinal": 1, "semifinals": 1,
    "sf": 1, "semi": 1, "halbfinale": 1, "demifinale": 1, "semifinale": 1, "halve": 1, "hf": 1,
    "quarterfinal": 2, "quarterfinals": 2, "qf": 2, "quarter": 2, "viertelfinale": 2, "vf": 2,
    "quartdefinale": 2, "cuartos": 2, "quarti": 2, "kwartfinale": 2, "achtelfinale": 3, "r16": 3,
    "roundof16": 3, "lastsixteen": 3, "r32": 4, "roundof32": 4, "r64": 5, "roundof64": 5,
    "r128": 6, "roundof128": 6,
}  # fmt: skip
NUMBER = re.compile(r"#?(\d+)\.?")


def put_oldest_first(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table in order of its rounds, where there are no dates and these fall; None for others.

    Rows of one round keep their order.
    """
    if finder.evidence is None or "time" in finder.options.roles:
        return None
    try:
        layout = finder.find_layout()
    except BadData:
        return None  # said where the table is read
    if layout.kind != "games":
        return None
    rows = finder.evidence.rows
    days = [str(cell) for cell in rows[layout.time]] if layout.time else None
    found: dict[str, int] = {}
    for name in (*layout.round, *filter(_counts_games, finder.names)):
        if not _tells_order(rows[name]):
            continue
        values = [read_round(cell) for cell in rows[name]]
        groups = [values] if days is None else list(group_values(days, values).values())
        falling = all(a >= b for group in groups for a, b in pairwise(group))
        if not falling:
            return None
        if any(group[0] > group[-1] for group in groups):
            found[name] = len(set(values))
    if not found:
        return None
    return _sort(table, max(found, key=found.__getitem__))  # the finest of them


def group_values(keys: Sequence[str], values: Sequence[float]) -> dict[str, list[float]]:
    """The values of each key, in their order."""
    groups: dict[str, list[float]] = {}
    for key, value in zip(keys, values, strict=True):
        groups.setdefault(key, []).append(value)
    return groups


def _counts_games(name: str) -> bool:
    """Whether a heading is that of numbers of games."""
    heading = read_heading(name)
    of_games = {"match", "game", "spiel", "partie", "partido", "partita"} & {*heading.words}
    counted = "id" in heading.subjects or name.strip().endswith("#")
    return bool(of_games) and counted and not heading.unknown


def _tells_order(cells: Sequence[Any]) -> bool:
    """Whether cells are numbers or known names of rounds."""
    if len(cells) < 2 or any(map(is_missing, cells)):
        return False
    return all(read_round(cell) >= 0.0 for cell in cells)


def read_round(cell: Any) -> float:
    """The number of a round, of a knock-out by its name; -1 where it is not known."""
    text = re.sub(r"[\s\-_]", "", fold_text(str(cell)))
    if found := NUMBER.fullmatch(text):
        return float(found[1])
    before = KNOCKOUT.get(text)
    return -1.0 if before is None else FINAL - before


def _sort(table: InputTable, name: str) -> InputTable:
    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        needed = list(dict.fromkeys([*wanted, name]))
        whole = join_chunks(list(table.chunks(needed)), needed)
        cell_of = {each: whole.columns[each].cell for each in needed}
        order = sorted(range(whole.count), key=lambda row: read_round(cell_of[name](row)))
        place = {row: at for at, row in enumerate(order)}
        lines = [whole.line(row) for row in order]
        yield Chunk(
            {each: Values([cell_of[each](row) for row in order]) for each in wanted},
            whole.count,
            lines.__getitem__,
            {place[row]: why for row, why in whole.refused.items()},
        )

    note = f"column {quote(name)} falls from row to row: the games are taken in its order"
    return replace(table, chunks=chunks, beginning=None, notes=(*table.notes, note))
