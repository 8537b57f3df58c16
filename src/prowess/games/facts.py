"""Further columns of a table: numbers as they are, anything else as categories.

A column is one of numbers where every cell is, and then none may be empty. Other columns hold
words: they are numbered by first appearance, and an empty cell is a word of its own, "".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.growth import appeared
from prowess.games.judgement import Fault
from prowess.games.numbers import decimal
from prowess.games.refusal import MEND, BadData, Refusal, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.labels import Labels
    from prowess.games.layout import Layout

    Floats = NDArray[np.float64]

SHOWN = 3  # words that a note names
NO_NUMBER = Refusal("a number is missing", MEND)


class Facts:
    """The facts of a table, once all its rows are gathered.

    `ids` of a fact are the numbers of its words, row by row, in the column `fact NAME`.
    """

    def __init__(self) -> None:
        self.words: dict[str, Sequence[str]] = {}
        self.numbers: dict[str, Floats | None] = {}  # what the words are worth, if numbers

    def settle(
        self, labels: Labels, columns: Mapping[str, NDArray[Any]], layout: Layout
    ) -> dict[int, Fault]:
        """Find out which facts are numbers; the rows that lack one are returned as faults."""
        faults: dict[int, Fault] = {}
        for name, column in layout.facts:
            self.words[name] = words = labels.words(f"fact {name}")
            self.numbers[name] = numbers = _numbers(words)
            if numbers is not None and "" in words:
                lacking = columns[f"fact {name}"] == words.index("")
                for row in np.flatnonzero(lacking).tolist():
                    faults.setdefault(row, Fault(column, NO_NUMBER))
        return faults

    def columns(
        self, columns: dict[str, NDArray[Any]]
    ) -> tuple[dict[str, Floats], dict[str, list[str]]]:
        """The facts as columns of a table, and the words of those that are categories; `columns`
        give up those of facts. Raises BadData for a fact that has the name of another column.
        """
        found, labels = {}, {}
        for name, words in self.words.items():
            ids, numbers = columns.pop(f"fact {name}"), self.numbers[name]
            if name in columns:
                raise BadData(
                    f"facts= names {quoted(name)}, which the table has as a column of its own",
                    remedy=f'leave it out, or say {name}="none" (--{name} none)',
                )
            if numbers is not None:
                found[name] = numbers[ids]
                continue
            known, fresh = appeared(ids.astype(np.int64))
            found[name] = fresh.astype(np.float64)
            labels[name] = [words[each] for each in known.tolist()]
        return found, labels

    def notes(self) -> list[str]:
        """What is said of columns that hold words and numbers."""
        notes = []
        for name, words in self.words.items():
            odd = [word for word in words if word and np.isnan(_number(word))]
            if 0 < len(odd) < len([word for word in words if word]):
                shown = ", ".join(map(quoted, odd[:SHOWN]))
                notes.append(f"{quoted(name)} holds numbers and words ({shown}): read as words")
        return notes


def _numbers(words: Sequence[str]) -> Floats | None:
    """What words are worth if all that are not empty are numbers, nan for an empty one."""
    values = np.array([_number(word) for word in words])
    empty = np.array([word == "" for word in words], np.bool_)
    return None if empty.all() or np.isnan(values[~empty]).any() else values


def _number(word: str) -> float:
    try:
        return decimal(word)
    except Refusal:
        return nan
