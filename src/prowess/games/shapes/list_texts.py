"""Cells that are the text of a list: `["Ben", "Cleo"]`, as files without lists keep them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.errors import MEND, InvalidValue, quote
from prowess.games.roles.evidence import is_word
from prowess.games.values import is_missing

if TYPE_CHECKING:
    from prowess.games.roles.roles import LayoutFinder

_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
QUOTED = re.compile(_QUOTED)
OF_QUOTED = re.compile(rf"\s*{_QUOTED}(?:[\s,]+{_QUOTED})*\s*,?\s*")  # no commas in those of NumPy
BRACKETS = {"[": "]", "(": ")", "{": "}"}
MOST = 0.5  # of the cells are lists; others may be single names
ESCAPED = re.compile(r"\\(.)")


def split_list_texts(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table with lists where all texts of a column are those of lists of names; None where no
    column holds such texts.
    """
    if finder.evidence is None:
        return None
    rows = finder.evidence.rows
    columns = {name for name, cells in rows.items() if _are_lists(cells)}
    if not columns:
        return None

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in table.chunks(wanted):
            made: dict[str, Any] = {}
            refused = dict(chunk.refused)
            for name in columns & {*wanted}:
                cells = map(chunk.columns[name].cell, range(chunk.count))
                made[name] = Values([
                    _split(cell, row, refused) for row, cell in enumerate(cells)
                ])  # fmt: skip
            yield replace(chunk, columns={**chunk.columns, **made}, refused=refused)

    return replace(table, chunks=chunks, beginning=None)


def _are_lists(cells: Sequence[Any]) -> bool:
    """Whether most filled cells are texts of lists of names."""
    first = next((cell for cell in cells if not is_missing(cell)), None)
    if not isinstance(first, str) or first.lstrip()[:1] not in BRACKETS:
        return False
    filled = [cell for cell in cells if not is_missing(cell)]
    lists = [cell for cell in filled if isinstance(cell, str) and read_list(cell)]
    quoted = any(QUOTED.search(text) or "," in text for text in lists)  # not tags such as {XY}
    return quoted and MOST * len(filled) <= len(lists)


def read_list(text: str) -> list[str] | None:
    """The names of the text of a list; None for another text.

    >>> read_list("['Ben' 'Cleo']"), read_list("{Ben,Cleo}"), read_list("[[A]]"), read_list("[1]")
    (['Ben', 'Cleo'], ['Ben', 'Cleo'], None, None)
    """
    text = text.strip()
    if len(text) < 2 or BRACKETS.get(text[0]) != text[-1]:
        return None
    import json

    inside = text[1:-1]
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, list):
        return found if found and all(isinstance(each, str) for each in found) else None
    if OF_QUOTED.fullmatch(inside):
        return [ESCAPED.sub(r"\1", each[1:-1]) for each in QUOTED.findall(inside)]
    names = [name.strip() for name in inside.split(",")]
    bare = text[0] != "(" and not set("[](){}'\"") & {*inside}
    return names if bare and all(map(is_word, names)) else None


def _split(cell: Any, row: int, refused: dict[int, InvalidValue]) -> Any:
    if not isinstance(cell, str) or cell.lstrip()[:1] not in BRACKETS:
        return cell
    if (found := read_list(cell)) is None:
        refused.setdefault(
            row,
            InvalidValue(f"{quote(cell)} is no list of names", MEND, code="not_a_list_of_names"),
        )
    return found
