"""Folds for cross-validation: parts of a table, each of which is forecast from all others.

Rows (games or contests) are dealt at random, or by a column, so that all rows of one voter stay in
one fold: otherwise the other votes of a voter help to forecast theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.compile.numbers import AnyArray, Ids
from prowess.games.errors import WordedError
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from prowess.games.games import Games


FOLDS = 10
MIN_FOLDS = 2
PARTS_OF_FOLDS = 60  # of all folds together, for intervals


class BadFolds(WordedError, ValueError):
    """Folds into which a table cannot be cut."""


@dataclass(frozen=True, eq=False)
class Folds:
    """A cut of a table into folds.

    `number` is the fold of each row, [rows]; `block` the part that varies as one from sample to
    sample, of which intervals take the scatter: a random part of a fold, or of folds by column the
    number of the value. `how` says how the rows were
    dealt, `about` what intervals over the blocks are about.
    """

    number: Ids
    block: Ids
    how: str
    about: str

    @property
    def count(self) -> int:
        """How many folds there are."""
        return int(self.number.max()) + 1


def deal_folds(table: Games, count: int | None, column: str | None, seed: int) -> Folds:
    """Folds at random, or where a column is named by its values; raises BadFolds."""
    if column is None:
        return random_folds(table, count or FOLDS, seed)
    return folds_by_column(table, column, count or FOLDS, seed)


def random_folds(table: Games, count: int = FOLDS, seed: int = 0) -> Folds:
    """Deal the rows of a table at random into folds of equal size; raises BadFolds.

    Equal seeds deal equally. Of fewer than 60 folds each is cut into parts of equal size for the
    intervals.
    """
    rows = len(table)
    _check_count(count, rows, f"the table has {format_count(rows, 'row')}")
    place = np.empty(rows, dtype=np.int64)
    place[np.random.default_rng(seed).permutation(rows)] = np.arange(rows, dtype=np.int64)
    parts = count * max(1, min(PARTS_OF_FOLDS, rows) // count)  # as many in each fold
    return Folds(
        place % count,
        place % parts,
        f"{count} folds, rows dealt at random (seed {seed}), each forecast from the others",
        f"other {table.unit}s like these between these players (scatter of {parts} random parts)",
    )


def folds_by_column(table: Games, column: str, count: int = FOLDS, seed: int = 0) -> Folds:
    """Deal the values of a column (voters) into folds, so that the rows of one stay together.

    The values come in random order, those with most rows first, each to the fold that has fewest
    rows. With no more values than folds each value is a fold. Raises BadFolds for a column that
    the table lacks, with one value only, or with empty cells.
    """
    value = _values(table, column)
    known, block = np.unique(value, return_inverse=True)
    _check_count(count, max(count, len(known)), "")
    if len(known) < MIN_FOLDS:
        raise BadFolds.of("one_value.folds", column=column)
    size = np.bincount(block)
    if len(known) <= count:
        return Folds(
            block,
            block,
            f"{len(known)} folds, one for each {column}, each forecast from the others",
            _about(table, column, len(known)),
        )
    drawn = np.random.default_rng(seed).permutation(len(known))
    fold_of, load = np.empty(len(known), dtype=np.int64), np.zeros(count, dtype=np.int64)
    for one in drawn[np.argsort(-size[drawn], kind="stable")].tolist():
        fold_of[one] = lightest = int(load.argmin())
        load[lightest] += size[one]
    return Folds(
        fold_of[block],
        block,
        f"{count} folds, the rows of each of the {len(known):,} values of {column} together, dealt "
        f"at random (seed {seed}), each forecast from the others",
        _about(table, column, len(known)),
    )


def _about(table: Games, column: str, values: int) -> str:
    return (
        f"{table.unit}s like these between these players, of other values of {column} (scatter of "
        f"its {values:,} values)"
    )


def _check_count(count: int, most: int, reason: str) -> None:
    if count < MIN_FOLDS:
        raise BadFolds.of("too_few_folds", fewest=MIN_FOLDS, count=count)
    if count > most:
        raise BadFolds.of("too_many_folds", most=most, count=count, reason=reason)


def _values(table: Games, column: str) -> AnyArray:
    """The values of a column, [rows], as numbers."""
    columns = {**table.columns, **table.facts}
    found = columns.get(column)
    if found is None or len(found) != len(table):
        raise BadFolds.of("column_not_kept.folds", column=column)
    words = table.labels.get(column)
    if words is not None and "" in words:
        empty = int((found == words.index("")).sum())
        raise BadFolds.of("value_missing.folds", column=column, empty=empty)
    return found
