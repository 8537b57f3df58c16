"""Marks behind results, such as `2:0*`, that a note below the table explains."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from prowess.games.cells.not_played import NOT_PLAYED, WALKOVERS
from prowess.games.cells.scorelines import OVERTIME, SHOOTOUT
from prowess.games.columns import InputTable
from prowess.games.errors import quote
from prowess.games.roles.evidence import is_outcome, is_scoreline
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns
from prowess.games.values import fold_text, lazy_pattern

NOTE = lazy_pattern(r"(?P<mark>[*†‡§¹²³⁴]+|[1-9a-d]\))[\s:=-]*(?P<text>\S.*)")
SHORT_NOTE = 2  # letters of words such as `na`, which mean something else in a sentence
MARKED_CELL = lazy_pattern(r"(?P<result>.*[^\s*†‡§¹²³⁴])\s*(?P<mark>[*†‡§¹²³⁴]+|(?<=\s)[1-9a-d]\))")


def read_footnotes(texts: Sequence[str]) -> dict[str, str]:
    """The notes below a table by their marks.

    >>> read_footnotes(["* kampflos gewertet", "Stand: 1.5.2024"])
    {'*': 'kampflos gewertet'}
    """
    found = (NOTE.fullmatch(text.strip()) for text in texts)
    return {match["mark"]: match["text"] for match in found if match}


def explain_marks(table: InputTable) -> InputTable:
    """The table with results that say in words what a note below the table says of their marks."""
    explain = partial(_explain, footnotes=table.footnotes)
    said: dict[str, None] = {}
    derived: dict[str, DerivedColumn] = {}
    for name, cells in table.sample(sys.maxsize).items():
        for cell in cells:
            if found := _marked_result(cell, table.footnotes):
                derived[name] = DerivedColumn((name,), explain)
                note = table.footnotes[found["mark"]]
                said[f"{quote(cell)} is read as {quote(explain(cell))}, as the "
                     f"note {quote(note)} explains"] = None  # fmt: skip
    return derive_columns(table, derived, {}, notes=[*said])


def _marked_result(cell: Any, footnotes: Mapping[str, str]) -> re.Match[str] | None:
    """The result and the mark of a cell, None for another cell."""
    found = MARKED_CELL.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if found is None or found["mark"] not in footnotes:
        return None
    return found if is_scoreline(found["result"]) or is_outcome(found["result"]) else None


def _explain(cell: Any, footnotes: Mapping[str, str]) -> Any:
    """The result with the word of the note that matters, or alone where none does."""
    found = _marked_result(cell, footnotes)
    if found is None:
        return cell
    words = re.findall(r"[^\W\d_]+", fold_text(footnotes[found["mark"]]))
    joined = {word for word in words if len(word) > SHORT_NOTE} | {
        a + b for a, b in pairwise(words)
    }
    if joined & WALKOVERS:
        return f"{found['result']} w/o"
    if joined & NOT_PLAYED:
        return next(word for word in joined if word in NOT_PLAYED)
    for known in (SHOOTOUT, OVERTIME):
        long = [word for word in joined if word in known and len(word) > SHORT_NOTE]
        if long:
            return f"{found['result']} {long[0]}"
    return found["result"]
