"""Facts as cells of a table: a number where it is written as one is, anything else a text.

    3, 2.5, 1e+20      numbers
    007, nan, 1.50     texts: as a number they would be written otherwise
    '3                 the text 3

Texts that a spreadsheet could run are guarded as names are. What is written is read back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from prowess.games.names import guard_cell, unguard_cell
from prowess.live.desk.refusals import Refused
from prowess.live.desk.submission import FACT

if TYPE_CHECKING:
    from prowess.games.games import Games

PREFIX = "fact_"  # of the headings of facts
QUOTE = "'"
ODD = re.compile(r"[^a-z0-9]+")


def read_fact(cell: str) -> float | str:
    """What a cell says."""
    number = _number(cell)
    if number is not None:
        return number
    return cell[1:] if _is_quoted(cell) else unguard_cell(cell)


def write_fact(value: float | str) -> float | str:
    """The cell of a fact; a text that would be read as a number gets a quote in front."""
    if not isinstance(value, str):
        return value
    if _number(value) is not None or _is_quoted(value):
        return QUOTE + value
    text: str = guard_cell(value)
    return text


def fact_as_typed(value: float | str) -> str:
    """A fact as a form shows it, and reads it back."""
    if isinstance(value, str):
        return str(write_fact(value))
    short = f"{value:g}"
    return short if read_fact(short) == value else repr(value)


def facts_by_row(table: Games) -> list[dict[str, float | str]]:
    """The facts of each contest of a table, by the names under which they are stored.

    An empty cell is no fact. Raises Refused for a heading that can be no name.
    """
    found: list[dict[str, float | str]] = [{} for _ in range(len(table))]
    names = stored_names(list(table.facts))
    for heading in sorted(names, key=names.__getitem__):
        column, words = table.facts[heading].tolist(), table.labels.get(heading)
        for facts, value in zip(found, column, strict=True):
            if words is None:
                facts[names[heading]] = value
            elif words[int(value)]:
                facts[names[heading]] = read_fact(words[int(value)])
    return found


def stored_names(headings: Sequence[str]) -> Mapping[str, str]:
    """The name of the fact in each column: `fact_surface` is surface, `Best Of` is best_of."""
    names: dict[str, str] = {}
    for heading in headings:
        name = heading.removeprefix(PREFIX)
        if not FACT.fullmatch(name):
            name = ODD.sub("_", name.casefold()).strip("_")
        if not FACT.fullmatch(name):
            raise Refused(
                "bad_fact",
                f"rename the column {heading!r}: a fact has a name of up to 40 letters a to z, "
                "digits and _, a letter first",
                field="facts",
            )
        if name in names.values():
            raise Refused("bad_fact", f"rename one of two columns of {name!r}", field="facts")
        names[heading] = name
    return names


def _number(cell: str) -> float | None:
    """A finite number that is written as we write it, or as a whole one."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if isfinite(number) and cell in (repr(number), f"{number:.0f}") else None


def _is_quoted(cell: str) -> bool:
    """Whether there are quotes before a number."""
    return cell.startswith(QUOTE) and _number(cell.lstrip(QUOTE)) is not None
