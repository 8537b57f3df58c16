"""Columns whose cells tell things apart (rounds, contests, facts), as numbers of their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells import (
    NOT_UNICODE,
    Chunk,
    Column,
    Names,
    PlainNames,
    Values,
    as_text,
    lone,
    with_normal_names,
)
from prowess.games.refusal import Refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.judgement import Judgement
    from prowess.games.layout import Layout


NO_TEXT = Refusal("a value is not UTF-8", NOT_UNICODE.remedy)


class Labels:
    """The texts of some columns by a key for each, gathered chunk by chunk.

    Several columns of one key, such as the car of each side, share their numbers: the key of each
    has its place behind it.
    """

    def __init__(self) -> None:
        self.known: dict[str, Names] = {}
        self.keys: dict[str, list[str]] = {}  # of the columns of a key

    def ids(
        self, chunk: Chunk, columns: Iterable[tuple[str, Sequence[str]]]
    ) -> Iterator[tuple[str, NDArray[np.uint32]]]:
        """Keys of columns, each with the numbers of its texts."""
        for key, chosen in columns:
            cells = [labelling(chunk.columns[name]) for name in chosen]
            names = self.known.get(key, PlainNames())
            for each in cells:
                names = fitting(names, each)
            self.known[key] = names
            many = len(cells) > 1
            self.keys[key] = [f"{key} {at}" if many else key for at in range(len(cells))]
            yield from zip(self.keys[key], names.ids(*cells), strict=True)

    def empty(self, key: str, ids: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """The rows in which a column has no text."""
        ends = self.known[key].roster().ends
        none: NDArray[np.bool_] = np.diff(ends, prepend=0)[ids] == 0
        return none

    def settle(self, columns: dict[str, Any]) -> None:
        """Make spellings of one text one number, in the columns of all rows."""
        for key, names in self.known.items():
            keys = self.keys[key]
            self.known[key], ids = with_normal_names(names, *(columns[each] for each in keys))
            columns.update(zip(keys, ids, strict=True))

    def refuse(self, rows: Judgement, columns: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Refuse rows in which one of some columns holds no text."""
        for _, chosen in columns:
            for name in chosen:
                rows.refuse(name, dict.fromkeys(_rows_not_utf8(rows.column(name)), NO_TEXT))

    def words(self, key: str) -> list[str]:
        """The texts of a column, in order of their numbers."""
        return list(self.known[key].roster())


def further_columns(layout: Layout) -> Iterator[tuple[str, Sequence[str]]]:
    """The columns of facts and roles, by the keys under which they are gathered."""
    yield from ((f"fact {name}", (column,)) for name, column in layout.facts)
    yield from ((f"per {role}", (column,)) for role, column in layout.per)
    yield from ((f"with {role}", columns) for role, columns in layout.along)


def _rows_not_utf8(column: Column) -> list[int]:
    """The rows whose cell is not UTF-8."""
    cells = labelling(getattr(column, "cells", column))
    if isinstance(cells, Values):
        try:
            "".join(cells.values).encode()
        except UnicodeEncodeError:
            return [row for row, cell in enumerate(cells.values) if lone(cell)]
    elif not getattr(cells, "valid", True):
        return [row for row in range(len(cells)) if lone(str(cells.shown(row)))]
    return []


def fitting(names: Names, column: Column) -> Names:
    """Something that can number this kind of column, and goes on from what `names` has."""
    if isinstance(column, Values) or not isinstance(names, PlainNames):
        return names
    return column.interner(names.roster())  # type: ignore[attr-defined, no-any-return]


def labelling(column: Column) -> Column:
    """A column whose cells tell rounds or contests apart: any value is as good as a name."""
    held = getattr(column, "cells", column)  # of an Arrow column
    if isinstance(held, Values) and not held.text:
        return Values([as_text(value) for value in held.values])
    return column
