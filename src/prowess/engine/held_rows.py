"""Rows of a rating period that may go on in the next piece of a stream: kept until it is closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.periods import BY_LABEL, BadRounds, parse_period
from prowess.engine.system import Unratable
from prowess.engine.table import join_columns
from prowess.games.dates import format_date
from prowess.games.errors import IN_MEMORY
from prowess.games.games import Games
from prowess.games.names import Roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.system import Dynamic


class HeldRows:
    """The rows of the open period: `add` gives those of periods that are closed.

    Game by game, and in contests, no row is held back. `most` is the number of bytes that may be.
    """

    def __init__(self, system: Dynamic, period: str | None, most: int | None) -> None:
        self.period, self.most = period, most
        self.by_label = period == BY_LABEL
        self.span = None if period is None or self.by_label else parse_period(period)
        self.takes_periods = system.rounds != "game"  # else `rounds_of` refuses it
        self.open: list[Games] = []
        self.number: int | None = None  # of the open period
        self.closed: set[int] = set()  # labels of rounds that are played

    def add(self, piece: Games) -> Games | None:
        """The rows of closed periods, with those of this piece; None where there are none."""
        number = self._number(piece)
        if number is None:
            return piece
        changes = np.flatnonzero(np.diff(number)) + 1
        if self.by_label:
            self._refuse_return(piece, number, changes)
        begins = self.open and int(number[0]) != self.number
        self.number = int(number[-1])
        if not len(changes) and not begins:
            self._hold(piece)
            return None
        cut = int(changes[-1]) if len(changes) else 0
        ready = join_pieces([*self.open, piece.select(slice(cut))] if cut else self.open)
        self.open = []
        self._hold(piece.select(slice(cut, None)))
        return ready

    def take(self) -> Games:
        """The rows that are held, at the end of a stream; there are some."""
        pieces, self.open = self.open, []
        return join_pieces(pieces)

    def name_players(self, players: Sequence[str]) -> None:
        """Give rows from a checkpoint, which have numbers for names, the names of their players."""
        for at, one in enumerate(self.open):
            known: Any = one.players
            if isinstance(known, range):
                self.open[at] = one.replace(players=first_names(players, len(known)))

    def _number(self, piece: Games) -> NDArray[Any] | None:
        """The period of each row; None where rows need not wait."""
        if not piece.pairwise or not self.takes_periods:
            return None
        if self.by_label:
            return piece.round
        if self.span is None or piece.time is None:
            return None
        return self.span.number(piece.time)

    def _hold(self, piece: Games) -> None:
        self.open.append(piece)
        if self.most is None:
            return
        held = sum(table_bytes(one) for one in self.open)
        if held > self.most:
            games = sum(map(len, self.open))
            raise Unratable(
                f"give more --memory, or a shorter period: {games:,} games of one {self.words} "
                f"are held until it is closed, {held / 1e9:.2g} GB",
                code="period_too_large",
            )

    @property
    def words(self) -> str:
        """What a period is called in messages."""
        return "round" if self.span is None else f"period of {self.span.words}"

    def _refuse_return(
        self, piece: Games, number: NDArray[Any], changes: NDArray[np.int64]
    ) -> None:
        """Raise BadRounds where a label stands again after other rounds."""
        first = np.concatenate(([0], changes))
        for row, label in zip(first.tolist(), number[first].tolist(), strict=True):
            if label == self.number and self.open and row == 0:
                continue
            if label in self.closed:
                day = "" if piece.time is None else f" on {format_date(float(piece.time[row]))}"
                raise BadRounds(
                    f"give the games of a round one after the other, or {IN_MEMORY}: a round goes "
                    f"on{day} after games of other rounds",
                    code="round_interrupted",
                )
            self.closed.add(label)


def first_names(players: Any, count: int) -> Sequence[str]:
    """The names of the first players of a roster."""
    names = players.roster() if hasattr(players, "roster") else players
    return (
        names.take(np.arange(count, dtype=np.int64))
        if isinstance(names, Roster)
        else list(names[:count])
    )


def table_bytes(table: Games) -> int:
    """The bytes of the columns of a table."""
    columns = [*table.columns.values(), *table.facts.values()]
    return sum(int(column.nbytes) for column in columns)


def join_pieces(pieces: list[Games]) -> Games:
    """Pieces of one table of games as one; they number their players alike."""
    if len(pieces) == 1:
        return pieces[0]
    names = dict.fromkeys(name for one in pieces for name in one.facts)
    facts = {
        name: np.concatenate([one.facts.get(name, np.zeros(len(one))) for one in pieces])
        for name in names
    }
    return pieces[-1].replace(**join_columns(pieces), facts=facts)
