"""The members of sides, row by row: in several columns, in a list, or in a text such as `A & B`.

Sides may be of any size, and uneven: an empty cell, or a dash, is no member where a side has
several columns, and a bye is none beside players; a side of nothing but byes keeps one of them.
A side without members is refused, and so is a player who stands twice in a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.validation import RowError, RowValidation
from prowess.games.columns import (
    ARRAYS,
    BLANKS,
    CellParser,
    Growing,
    InputColumn,
    ParsedColumn,
    PlainNames,
    Values,
    as_name,
    is_not_utf8,
    not_a_name,
)
from prowess.games.errors import InvalidValue
from prowess.games.games import LEAST_SHARE, gather_runs
from prowess.games.names import EMPTY_NAMES, is_bye
from prowess.games.numbering import GrowingNumbers
from prowess.games.reading import join_columns
from prowess.games.roles.member_columns import name_left_over, players_of
from prowess.games.runs import bounds_of, reduce_runs, repeat_rows
from prowess.games.team_names import split_members
from prowess.games.values import DASHES, NUMBER, is_blank, is_missing, parse_decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.layout import Layout


Lineup = tuple[str, ...]
Shares = tuple[float, ...]


def as_values(column: InputColumn) -> Values:
    """A column of any kind as Python values."""
    cells: Any = getattr(column, "cells", column)  # of an Arrow column
    if isinstance(cells, Values):
        return cells
    from prowess.games.cells.fields import Texts

    texts, ids = Texts().texts(cells)
    return Values([texts[each] for each in ids.tolist()])


class CellReader:
    """Reads the names that stand in a cell, each text once; what a list holds is never split."""

    def __init__(self, split: bool, byes: bool, commas: bool = False) -> None:
        self.split, self.leaves_byes, self.commas = split, byes, commas
        self.known: dict[str, Lineup] = {}
        self.byes: set[str] = set()  # the names that are words for a bye
        self.joined = False  # whether a cell held several names

    def names(self, cell: Any) -> Lineup:
        """The names in a cell, none in an empty one; raises InvalidValue."""
        if isinstance(cell, str):
            found = self.known.get(cell)
            if found is None:
                found = self.known[cell] = self._read(cell, self.split)
            return found
        if isinstance(cell, ARRAYS):
            self.joined = True
            return tuple(name for each in cell for name in self._read(each, False))
        return self._read(cell, self.split)

    def _read(self, cell: Any, split: bool) -> Lineup:
        if is_missing(cell):
            return ()
        name = as_name(cell)
        if not name:
            raise not_a_name(cell)
        if is_not_utf8(name):
            raise InvalidValue.of("not_utf_8.name")
        parts = split_members(name, self.commas) if split and not is_bye(name) else (name,)
        if "" in parts:
            raise InvalidValue.of("mark_without_name", name=name)
        self.joined |= len(parts) > 1
        if self.leaves_byes:
            self.byes.update(filter(is_bye, parts))
        return parts

    def without_byes(self, names: Sequence[str]) -> Lineup:
        """The names of a side without byes; of nothing but byes the first."""
        if self.byes.isdisjoint(names):
            return tuple(names)
        return tuple(name for name in names if name not in self.byes) or (names[0],)

    def is_bye(self, side: Lineup) -> bool:
        """Whether a side is nothing but a bye."""
        return len(side) == 1 and side[0] in self.byes


def read_lineups(
    rows: RowValidation, sides: Sequence[Sequence[str]], cells: CellReader
) -> list[list[Lineup]]:
    """For each side of a row its members, row by row; what is wrong is noted in `rows`."""
    found = []
    for columns in sides:
        held = [(name, as_values(rows.columns[name]).values) for name in columns]
        found.append([
            _lineup(rows, row, [(name, values[row]) for name, values in held], cells)
            for row in range(rows.chunk.count)
        ])  # fmt: skip
    for row, of_row in enumerate(zip(*found, strict=True)):
        names = [name for side in of_row for name in side]
        if len(set(names)) < len(names):
            side, refusal = _twice(names, of_row)
            rows.refuse(sides[side][0], {row: refusal})
    return found


def read_shares(
    rows: RowValidation,
    sides: Sequence[Sequence[str]],
    columns: Sequence[Sequence[str | None]],
    found: list[list[Lineup]],
    cells: CellReader,
) -> list[list[Shares]]:
    """The shares of the members that `lineups` found; who has a share of 0 is no member."""
    shares = []
    for number, (side, of_shares) in enumerate(zip(sides, columns, strict=True)):
        held = [
            (as_values(rows.columns[name]).values, column)
            for name, column in zip(side, of_shares, strict=True)
        ]
        parts = [as_values(rows.columns[column]).values if column else None for _, column in held]
        of_side: list[Shares] = []
        for row, names in enumerate(found[number]):
            if not names or cells.is_bye(names):
                of_side.append((1.0,) * len(names))
                continue
            taken: list[tuple[str, float]] = []
            playing = frozenset(names)
            for (values, column), part in zip(held, parts, strict=True):
                if stands := [name for name in cells.names(values[row]) if name in playing]:
                    share = 1.0 if part is None else _share(rows, row, column, part[row])
                    taken += [(name, share) for name in stands if share > 0.0]
            if not taken:
                column = next(name for name in of_shares if name)
                rows.refuse(
                    column,
                    {row: InvalidValue.of("no_shares.side")},
                )
            found[number][row] = tuple(name for name, _ in taken)
            of_side.append(tuple(share for _, share in taken))
        shares.append(of_side)
    return shares


def _share(rows: RowValidation, row: int, column: str | None, cell: Any) -> float:
    """The share in a cell; what is none is refused, and counts 1 here."""
    try:
        if is_missing(cell):
            raise InvalidValue.of("share_missing")
        share = parse_decimal(cell)
        if share != 0.0 and share < LEAST_SHARE:
            raise InvalidValue.of("share_too_small", least=LEAST_SHARE)
    except InvalidValue as refusal:
        rows.refuse(column, {row: refusal})
        return 1.0
    return share


def relative_shares(share: NDArray[np.float64], contest: NDArray[np.int64]) -> Any:
    """Shares of at most 1: as they are, or divided by the largest of the contest."""
    if (share <= 1.0).all():
        return share
    most = np.zeros(int(contest.max()) + 1)
    np.maximum.at(most, contest, share)
    return np.maximum(share / most[contest], LEAST_SHARE)


def _lineup(
    rows: RowValidation, row: int, cells: list[tuple[str, Any]], read: CellReader
) -> Lineup:
    """The members of one side of one row."""
    names: list[str] = []
    nobody: list[str] = []
    for column, cell in cells:
        if len(cells) > 1 and read.leaves_byes and isinstance(cell, str) and cell in EMPTY_NAMES:
            nobody.append(cell)
            continue
        if len(cells) > 1 and not read.leaves_byes and isinstance(cell, str) and cell in DASHES:
            continue
        try:
            names += read.names(cell)
        except InvalidValue as refusal:
            rows.refuse(column, {row: refusal})
            return ()
    if not names and nobody:
        names = nobody[:1]
        read.byes.update(names)
    if not names:
        lacking = "name_missing.player" if len(cells) == 1 else "side_without_players"
        rows.refuse(cells[0][0], {row: InvalidValue.of(lacking)})
        return ()
    return read.without_byes(names)


def _twice(names: Sequence[str], sides: Sequence[Lineup]) -> tuple[int, InvalidValue]:
    """The error of a row in which a player stands twice, and the number of the side."""
    name = next(name for name in names if names.count(name) > 1)
    standing = [number for number, side in enumerate(sides) if name in side]
    where = "on both sides" if len(standing) > 1 else "twice on one side"
    return standing[-1], InvalidValue.of("player_twice.side", name=name, where=where)


def refuse_leftover(rows: RowValidation, layout: Layout, byes: bool) -> None:
    """Refuse a table in which a column that is left over holds a name; raises BadData.

    A number is none where the player of its row has no number for a name; nor is a dash, nor a bye
    where `byes` are left out.
    """
    player = as_values(rows.columns[layout.sides[0][0] if layout.sides else players_of(layout)[0]])
    for name in layout.leftover:
        for row, cell in enumerate(as_values(rows.columns[name]).values):
            if is_missing(cell) or (isinstance(cell, str) and cell.strip(BLANKS) in DASHES):
                continue
            if byes and (is_bye(cell) or is_blank(cell)):
                continue
            if _is_number(cell) and not _is_number(player.values[row]):
                continue
            many = len(layout.leftover) > 1
            columns = (
                f"column{'s' * many} {join_columns(layout.leftover)} {'are' if many else 'is'}"
            )
            remedy = name_left_over(layout)
            fault = InvalidValue.of("members_left_out", text=cell, columns=columns, remedy=remedy)
            raise rows.bad(rows.chunk.line(row), RowError(name, fault))


def _is_number(cell: Any) -> bool:
    return NUMBER.fullmatch(str(cell).strip(" \t")) is not None


def winning_sides(
    winner: InputColumn, a: Sequence[Lineup], b: Sequence[Lineup], lookup: CellParser
) -> ParsedColumn:
    """The score of the first side where a column names the winner: by a side, by some of its
    members, or by all of them in one text; in any case of letters.
    """
    values = as_values(winner).values
    scores, wrong = np.empty(len(values)), {}
    for row, cell in enumerate(values):
        first, second = (_bears(side, cell) for side in (a[row], b[row]))
        if first is not second:
            scores[row] = float(first)
            continue
        try:
            scores[row] = lookup.parse(cell)
        except InvalidValue as refusal:
            scores[row], wrong[row] = np.nan, refusal
    return ParsedColumn(scores, wrong)


def _bears(side: Lineup, cell: Any) -> bool:
    """Whether a cell is the name of a member of a side, or holds names of such members."""
    members = {name.casefold() for name in side}
    text = as_name(cell)
    joined = [as_name(each) for each in cell] if isinstance(cell, ARRAYS) else split_members(text)
    named = {name.casefold() for name in joined if len(joined) == 1 or not is_bye(name)}
    return text.casefold() in members or (bool(named) and named <= members)


@dataclass(eq=False)
class GrowingLineups:
    """The members of games that are being gathered, two sides a game."""

    size: Growing = field(default_factory=Growing)
    player: Growing = field(default_factory=Growing)
    share: Growing = field(default_factory=Growing)

    def add(
        self,
        found: Sequence[Sequence[Lineup]],
        shares: Sequence[Sequence[Shares]],
        keep: Any,
        names: PlainNames,
    ) -> None:
        """Take the members of those rows of a chunk that are kept; no shares: all are 1."""
        stay = range(len(found[0])) if keep is None else np.flatnonzero(keep).tolist()
        members = [found[side][row] for row in stay for side in (0, 1)]
        flat = [name for each in members for name in each]
        ids = [names.setdefault(name, len(names)) for name in flat]
        self.size.append(np.fromiter(map(len, members), np.int64, len(members)))
        self.player.append(np.array(ids, np.uint32))
        if shares:
            parts = [part for row in stay for side in (0, 1) for part in shares[side][row]]
            self.share.append(np.array(parts, np.float64))

    def take(self) -> Members:
        """The members of all rows, which are given up."""
        ends = bounds_of(self.size.whole())
        share = self.share.whole() if self.share.count else None
        found = Members(ends, self.player.whole(), share)
        self.size, self.player, self.share = Growing(), Growing(), Growing()
        return found


@dataclass
class Members:
    """The members of both sides of games: where those of each side begin, all, their shares."""

    ends: NDArray[np.int64]
    player: NDArray[np.uint32]
    share: NDArray[np.float64] | None = None  # None: all are 1

    def having(self, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The games in which one of some players stands."""
        found: NDArray[np.bool_] = reduce_runs(np.logical_or, among[self.player], self.ends[:-1:2])
        return found

    def renumber(self, rows: NDArray[np.int64], numbers: GrowingNumbers) -> None:
        """Number the players of some games by first appearance in them."""
        members, _ = gather_runs(self.ends[::2], rows)
        self.player[members] = numbers.number(self.player[members])

    def columns(self, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The columns of a table of these games, in this order."""
        members, _ = gather_runs(self.ends[::2], rows)
        sizes = np.diff(self.ends).reshape(-1, 2)[rows].ravel()
        player = self.player[members]
        share = None
        if self.share is not None:
            game = repeat_rows(np.arange(len(sizes), dtype=np.int64) // 2, sizes)
            share = relative_shares(self.share[members], game)
        if share is not None and (share != 1.0).any():
            return {
                "ends": bounds_of(sizes),
                "player": player,
                "share": share,
            }
        if (sizes == 1).all():
            return {"a": player[::2].copy(), "b": player[1::2].copy()}
        return {"ends": bounds_of(sizes), "player": player}
