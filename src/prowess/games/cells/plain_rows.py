"""Rows that are games as they stand: two names, a score from 0 to 1, a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.arrow_columns import ArrowColumn
from prowess.games.cells.fields import Fields, HashedNames
from prowess.games.cells.integer_names import IntegerNames
from prowess.games.cells.plain_loops import LETTER, plain_loops

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from prowess.games.cells.validation import CellParsers
    from prowess.games.columns import NameIndex
    from prowess.games.layout import Layout

    Texts = tuple[NDArray[np.uint8], NDArray[Any], NDArray[Any]]


def read_plain_scores(
    columns: Mapping[str, Any], layout: Layout, parsers: CellParsers
) -> dict[str, NDArray[np.float64]] | None:
    """The scores of rows, and their times where there are any; None where a cell needs a look."""
    found: dict[str, NDArray[np.float64]] = {}
    for name, role, looks in (("score", "result", "score"), ("time", "time", "date")):
        if (heading := getattr(layout, role)) is None:
            continue
        column, values = columns[heading], None
        if isinstance(column, ArrowColumn):
            values = column.plain_days() if role == "time" else column.plain_floats()
        elif isinstance(column, Fields) and parsers[role, heading].looks == looks:
            values = column.plain_numbers(looks)
        if values is None:
            return None
        found[name] = values
    return found if plain_loops().are_scores(found["score"]) else None


def number_plain_names(names: NameIndex, a: Any, b: Any) -> Sequence[NDArray[np.uint32]] | None:
    """The ids [2, rows] of the players of rows; None where a name needs a look."""
    columns = a, b
    if isinstance(names, IntegerNames):
        whole = all(isinstance(each, ArrowColumn) and not each.array.null_count for each in columns)
        return names.ids(a, b) if whole else None
    if not isinstance(names, HashedNames):
        return None
    texts = [found for each in columns if (found := find_plain_texts(each)) is not None]
    if len(texts) < len(columns):
        return None
    content, begins, stops = zip(*texts, strict=True)
    places = np.result_type(*stops)  # a column of large strings has wider ones
    begins = tuple(each.astype(places, copy=False) for each in begins)
    stops = tuple(each.astype(places, copy=False) for each in stops)
    return list(names.number(content, begins, stops))


def find_plain_texts(column: Any) -> Texts | None:
    """The bytes of a column of texts, where its cells begin and where they end; None where a text
    is no name as it stands.
    """
    if isinstance(column, Fields):
        begin, stop = column.begin, column.begin + column.length
        fine = column.valid and plain_loops().are_names(column.data, begin, stop)
        return (column.data, begin, stop) if fine else None
    if not isinstance(column, ArrowColumn) or column.array.null_count:
        return None
    if (texts := column.texts()) is None:
        return None
    ends, content = texts
    if not plain_loops().are_names(content, ends[:-1], ends[1:]):
        return None
    own = content[int(ends[0]) : int(ends[-1])] if len(ends) else content[:0]
    if own.max(initial=0) >= LETTER and not is_utf8(own.tobytes()):
        return None
    return content, ends[:-1], ends[1:]


def is_utf8(content: bytes) -> bool:
    """Whether bytes are text in UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
