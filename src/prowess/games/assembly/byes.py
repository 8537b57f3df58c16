"""Rows in which a player has no opponent: a word for a bye stands there, or a name for nobody.

`None` and `nan` of programs, `nobody` and `keiner` of people may be names: as the opponent in few
rows, always in one column and never a winner, such a word says that there was no opponent. Where
it stands on both sides with results of its own, it is a player.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.errors import BadData, Suspicion, quote
from prowess.games.names import EMPTY_NAMES, Roster, is_bye

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.cells.validation import RowValidation
    from prowess.games.layout import Layout
    from prowess.games.roles.lineups import CellReader, Lineup

    Mask = NDArray[np.bool_]


def finder_of_byes(
    rows: RowValidation, layout: Layout, sides: Sequence[Sequence[Lineup]], cells: CellReader
) -> Callable[[int, bool], bool]:
    """A test for byes: whether a side of a row is nothing else, or (where that is asked) its
    result is one.
    """
    players = [] if sides else [rows.columns[layout.a], rows.columns[layout.b]]
    results = [rows.columns[layout.result]] if layout.result else []
    names: list[frozenset[str]] = []  # for nobody, in one of the columns of players only

    def words(row: int) -> Iterator[Any]:
        """A dash is no word: it may be a draw."""
        found = (column.cell(row) for column in results)
        return (cell for cell in found if any(map(str.isalpha, str(cell))))

    def is_nobody(cell: Any) -> bool:
        if not isinstance(cell, str) or cell.strip() not in EMPTY_NAMES:
            return False
        if not names:
            held = [{str(column.cell(row)).strip() for row in range(rows.chunk.count)}
                    for column in players]  # fmt: skip
            names.append(EMPTY_NAMES & (held[0] ^ held[1]))
        return cell.strip() in names[0]

    return lambda row, by_result: (
        any(is_bye(cell) or is_nobody(cell) for cell in (each.cell(row) for each in players))
        or (by_result and any(map(is_bye, words(row))))
        or any(cells.is_bye(side[row]) for side in sides)
    )


def find_nobody(
    players: Roster, columns: Mapping[str, Any], names: Sequence[str], file: str
) -> tuple[list[int], list[Suspicion]]:
    """The ids of names that stand for nobody, and the notes on them.

    `names` are the headings of both players. Raises BadData where that is open.
    """
    found, notes = [], []
    for word in sorted(EMPTY_NAMES):
        if word not in players:
            continue
        who = players.index(word)
        stands = [columns["a"] == who, columns["b"] == who]
        score = columns["score"]
        own = np.concatenate((score[stands[0]], 1.0 - score[stands[1]]))
        of_column = [name for name, rows in zip(names, stands, strict=True) if rows.any()]
        if len(of_column) == 2 and np.any(own > 0.0):
            continue
        if len(of_column) == 2 or 2 * len(own) > len(score) or np.any(own == 1.0):
            raise _ask(word, of_column, file)
        found.append(who)
        notes.append(_say(word))
    return found, notes


def find_nobody_in_contests(
    players: Roster, rows: Mapping[str, Any], contest: NDArray[np.int64], name: str, file: str
) -> tuple[list[int], list[Suspicion]]:
    """The ids of names that stand for nobody, and the notes on them: they are always last.

    `name` is the heading of the players. Raises BadData where that is open.
    """
    found, notes = [], []
    for word in sorted(EMPTY_NAMES):
        if word not in players:
            continue
        who = players.index(word)
        stands = rows["player"] == who
        if "place" not in rows:
            raise _ask(word, [name], file)
        last = np.zeros(int(contest.max()) + 1)
        np.maximum.at(last, contest, np.where(stands, 0.0, rows["place"]))
        if np.any(rows["place"][stands] <= last[contest[stands]]):
            raise _ask(word, [name], file)
        found.append(who)
        notes.append(_say(word))
    return found, notes


def _say(word: str) -> Suspicion:
    return Suspicion(
        f'{quote(word)} is read as nobody (byes="players", --byes players, as a player)',
        f"{quote(word)} is nobody",
    )


def _ask(word: str, names: Sequence[str], file: str) -> BadData:
    python = ", ".join(f"{quote(name)}: {quote(word)}" for name in names)
    shell = " ".join(f'--exclude "{name}={word}"' for name in names)
    return BadData(
        f"{quote(word)} may be a player, or say that there was no opponent",
        file=file or None,
        remedy=f'say byes="players" (--byes players) if it is a player, or leave the rows out with '
        f"exclude={{{python}}} ({shell})",
    )
