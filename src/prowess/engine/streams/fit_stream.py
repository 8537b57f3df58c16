"""Fit a whole-table system to a stream: of each game only what the system reads is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from prowess.compile.numbers import AnyArray
from prowess.engine.fit import (
    FitCounts,
    WholeTableRatings,
    check_level,
    fit_counted,
    refuse_table,
)
from prowess.engine.params import settings
from prowess.engine.ratings import Streamed
from prowess.engine.streams.memory import MemoryLimit
from prowess.engine.streams.rate_stream import StreamProgress, StreamSource
from prowess.engine.system import Unratable
from prowess.engine.table import ADVANTAGE, before_day, empty_table, seat_starters
from prowess.engine.whole_table import WholeTable
from prowess.games.games import Games
from prowess.games.totals import PlayerCounts

COPIES = 2  # of the columns: a fit has its rows in an order of their own
CURVATURE = 8  # bytes of a row of a fit, where draws have a parameter
AGED = 32  # with a half-life: weights, and what they are computed from
PLAYER_BYTES = 64  # bytes of a player's counts and values, beside the name


def fit_stream(
    source: StreamSource,
    system: WholeTable,
    *,
    as_of: float | None = None,
    anchors: Mapping[str, float] | None = None,
    initial: Mapping[str, Mapping[str, float]] | None = None,
    level: float = 0.95,
    reference: str | None = None,
    params: Mapping[str, Any] | None = None,
    memory: MemoryLimit | None = None,
    progress: Callable[[StreamProgress], None] | None = None,
) -> WholeTableRatings:
    """The ratings of a stream: bit for bit those of the whole table, see `fit_table`.

    The result has the players and no games. Raises what `fit_table` raises, and Unratable for games
    that need more than `memory` or are not of one player against one.
    """
    p = settings(system, params or {})
    check_level(level)
    days = getattr(p, "half_life", 0.0) if system.has_half_life else 0.0
    kept = KeptColumns(0 if as_of is not None else source.rows or 0)
    counts = PlayerCounts()
    form: Games | None = None
    first = last = None
    for piece in source.pieces():  # to the end: later games may bring players
        here = before_day(piece.games, as_of)
        if form is None:
            refuse_table(system, here)
            _refuse_many(system, here)
            kept.names = columns_of_fit(system, p, here)
            if piece.games.time is not None and len(piece.games):
                first = float(piece.games.time[0])
        form = here.select(slice(0))
        counts.add(here)
        kept.add(here)
        if here.time is not None and len(here):
            last = float(here.time[-1])
        if memory is not None:
            each = COPIES * kept.bytes_a_game + CURVATURE + (AGED if days else 0)
            memory.check_games(max(kept.rows, kept.planned), each, len(here.players), PLAYER_BYTES)
        if progress is not None:
            progress(StreamProgress(kept.rows, source.rows, len(here.players), last))
    if not kept.rows:
        raise empty_table(first, as_of)
    assert form is not None
    form = form.replace(players=source.roster(), reading=source.reading, notes=None)
    form, seated = seat_starters(form, initial or {})
    counts.grow(len(form.players), dated=counts.dated)
    table = kept.collect(form)
    refuse_table(system, table)  # the weights of all pieces
    known = FitCounts(counts.games, counts.last, last if as_of is None else as_of)
    found = fit_counted(
        table, system, p, known, anchors=anchors or {}, initial=initial or {}, level=level,
        reference=reference, further_notes=seated,
    )  # fmt: skip
    span = None if first is None or last is None else (first, last)
    return replace(found, table=form, streamed=Streamed(kept.rows, span))


def _refuse_many(system: WholeTable, games: Games) -> None:
    if not games.duels:
        raise Unratable.of("needs_whole_table.fit_stream", system=system.name, unit=games.unit)


def columns_of_fit(system: WholeTable, p: Any, games: Games) -> tuple[str, ...]:
    """The names of the columns that a fit with these parameters reads, of those there are."""
    there = (*games.columns, *games.facts)
    if not system.narrow:
        return there
    named = {"a", "b", "score", "weight", *system.needs, *system.uses}
    if getattr(p, ADVANTAGE, True):
        named.add("side")
    if getattr(p, "half_life", 0.0):
        named.add("time")
    return tuple(name for name in there if name in named)


@dataclass(eq=False)
class KeptColumns:
    """Columns that grow with a stream, without copies; `planned` games are expected."""

    planned: int = 0
    names: Sequence[str] = ()
    rows: int = 0
    columns: dict[str, AnyArray] = field(default_factory=dict)

    @property
    def bytes_a_game(self) -> int:
        """The bytes of one game in these columns."""
        return sum(column.itemsize for column in self.columns.values())

    def add(self, games: Games) -> None:
        """Add the rows of a piece, which has all the columns."""
        end = self.rows + len(games)
        given = {**games.columns, **games.facts}
        for name in self.names:
            column = self.columns.get(name)
            if column is None:
                column = np.empty(max(self.planned, end), given[name].dtype)
                self.columns[name] = column
            if end > len(column):  # large blocks of memory grow in place
                column.resize(end + end // 8, refcheck=False)
            column[self.rows : end] = given[name]
        self.rows = end

    def collect(self, form: Games) -> Games:
        """The columns as a table of such a form, and give them up."""
        whole = dict.fromkeys(form.columns)
        whole |= self.columns
        self.columns = {}
        for column in whole.values():
            if column is not None:
                column.resize(self.rows, refcheck=False)
        facts = {name: whole.pop(name) for name in form.facts if name in whole}
        labels = {name: words for name, words in form.labels.items() if name in facts}
        return form.replace(**whole, facts=facts, labels=labels)
