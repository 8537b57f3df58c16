"""Rows of a table as games between two sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells import Column, Judged, Lookup, Names, PlainNames, Table, Values, as_text
from prowess.games.games import Games
from prowess.games.growth import Growing, ascending, numbered
from prowess.games.judgement import Judgement, Lookups, Report
from prowess.games.layout import Layout, Options
from prowess.games.outcomes import plain
from prowess.games.refusal import SKIP, Refusal, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


MANY = 1_000_000  # rows; from here on sorting is compiled


class Results:
    """Games that are being gathered, chunk by chunk and file by file."""

    def __init__(self, options: Options, report: Report, skip_bad: bool) -> None:
        self.options, self.report, self.skip_bad = options, report, skip_bad
        self.seen = 0  # rows, judged or filtered out
        self.names: Names = PlainNames()
        self.labels: list[Names] = []  # of the columns that make a round
        self.columns: dict[str, Growing] = {}

    def add(self, table: Table, layout: Layout) -> None:
        """Judge all rows of a table; raises BadData."""
        lookups = Lookups(layout, self.options)
        for chunk in table.chunks(layout.columns()):
            self.seen += chunk.count
            rows = Judgement(chunk, lookups, table.file, table.unit)
            columns: dict[str, NDArray[Any]] = dict(_columns(rows, layout, lookups))
            keep = rows.settled(self.report, self.skip_bad)
            kept = rows.chunk if keep is None else rows.chunk.taken(keep)
            if keep is not None:
                columns = {name: values[keep] for name, values in columns.items()}
            self.names = fitting(self.names, kept.columns[layout.a])
            columns["a"], columns["b"] = self.names.ids(
                kept.columns[layout.a], kept.columns[layout.b]
            )
            for at, name in enumerate(layout.round):
                if at == len(self.labels):
                    self.labels.append(PlainNames())
                column = labelling(kept.columns[name])
                self.labels[at] = fitting(self.labels[at], column)
                (columns[f"round {at}"],) = self.labels[at].ids(column)
            for name, values in columns.items():
                self.columns.setdefault(name, Growing(table.expected)).append(values)

    def __len__(self) -> int:
        return self.columns["a"].count if "a" in self.columns else 0

    def games(self) -> Games:
        """All games, in order of time; what was gathered is given up."""
        players = self.names.roster()
        self.names = PlainNames()
        columns: dict[str, Any] = {}
        for name in list(self.columns):
            columns[name] = self.columns.pop(name).whole()
        labels = [columns.pop(f"round {at}") for at in range(len(self.labels))]
        if labels:
            columns["round"] = numbered(list(labels)).astype(np.int32)
        time = columns.get("time")
        if time is not None and not ascending(time):
            del time
            in_order(columns)
        return Games(players=players, **columns)


def _columns(rows: Judgement, layout: Layout, lookups: Lookups) -> dict[str, Floats]:
    """The numbers of the games, with what is wrong noted in `rows`."""
    a, b = rows.column(layout.a), rows.column(layout.b)
    columns: dict[str, Floats] = {}
    rows.named(layout.a, layout.b)
    rows.refuse_where(
        a.equals(b),
        layout.b,
        lambda row: Refusal(f"{quoted(a.shown(row))} plays against himself", SKIP),
    )
    if layout.points_a and layout.points_b:
        columns["points_a"] = rows.judged(layout.points_a, lookups.numbers(layout.points_a))
        columns["points_b"] = rows.judged(layout.points_b, lookups.numbers(layout.points_b))
    columns["score"] = _score(rows, layout, lookups, columns)
    if layout.time:
        columns["time"] = rows.judged(layout.time, lookups.time)
    if layout.side:
        columns["side"] = rows.judged(layout.side, lookups.side)
    elif layout.sided:
        columns["side"] = np.ones(rows.chunk.count)
        if layout.neutral:
            columns["side"] -= rows.judged(layout.neutral, lookups.neutral)
    if layout.weight:
        columns["weight"] = rows.judged(layout.weight, lookups.numbers(layout.weight, True))
    if layout.length:
        columns["length"] = rows.judged(layout.length, lookups.numbers(layout.length, True))
    margin = _margin(rows, layout, lookups, columns)
    if margin is not None:
        columns["margin"] = margin
    return columns


def _score(rows: Judgement, layout: Layout, lookups: Lookups, columns: dict[str, Floats]) -> Floats:
    """The score of the first side."""
    if layout.form == "winner and loser":
        return np.ones(rows.chunk.count)
    if layout.form == "winner":
        winner = rows.column(layout.result)
        values, wrong = winners(
            winner, rows.column(layout.a), rows.column(layout.b), lookups.winner, lookups.outcomes
        )
        rows.refuse(layout.result, wrong)
        return values
    if layout.form == "result":
        return rows.judged(layout.result, lookups.result)
    a, b = columns["points_a"], columns["points_b"]
    if not layout.share:
        return np.asarray(0.5 * ((a > b) + 1.0 - (a < b)), np.float64)
    for name, values in ((layout.points_a, a), (layout.points_b, b)):
        rows.refuse_where(
            values < 0.0, name, lambda _: Refusal("negative points cannot be shared", SKIP)
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = a + b
        halves = np.isinf(total)  # only of numbers near the largest there are
        total = np.where(halves, a / 2.0 + b / 2.0, total)
        share: Floats = np.where(halves, a / 2.0, a)
    return np.divide(share, total, out=np.full_like(a, 0.5), where=total > 0.0)


def winners(winner: Column, a: Column, b: Column, lookup: Lookup, outcomes: Any) -> Judged:
    """The score of the first side where a column names the winner, by name or by side."""
    if not isinstance(winner, Values):
        return winner.winners(a, b, lookup, outcomes)  # type: ignore[attr-defined, no-any-return]
    assert isinstance(a, Values)
    assert isinstance(b, Values)
    scores = np.empty(len(winner))
    wrong: dict[int, Refusal] = {}
    cells = zip(winner.names, winner.values, a.names, b.names, strict=True)
    for row, (name, cell, first, second) in enumerate(cells):
        by_name = None if not name else 1.0 if name == first else 0.0 if name == second else None
        if by_name is None:
            scores[row] = lookup[cell if isinstance(cell, str) else name or None]
            if scores[row] != scores[row]:
                wrong[row] = lookup.refused[cell if isinstance(cell, str) else name or None]
            continue
        scores[row] = by_name
        if outcomes.winners.get(plain(name), by_name) != by_name:
            wrong[row] = two_meanings(name)
    return Judged(scores, wrong)


def two_meanings(name: str) -> Refusal:
    """A winner's name that is also a word for another outcome."""
    return Refusal(
        f"{quoted(name)} is a player here and also a word for another outcome",
        f"give results as 1-0 or 0-1, or {SKIP}",
    )


def _margin(
    rows: Judgement, layout: Layout, lookups: Lookups, columns: dict[str, Floats]
) -> Floats | None:
    """By how much the first side won."""
    score = columns["score"]
    if layout.margin:
        name: str | None = layout.margin
        margin = rows.judged(layout.margin, lookups.numbers(layout.margin))
        if layout.form in {"winner", "winner and loser"}:  # tables of winners write no signs
            margin = np.where((score < 0.5) & (margin > 0.0), -margin, margin)
    elif "points_a" in columns:
        name = layout.points_a
        with np.errstate(over="ignore", invalid="ignore"):
            margin = columns["points_a"] - columns["points_b"]
        rows.refuse_where(
            np.isinf(margin), name, lambda _: Refusal("points too large to be compared", SKIP)
        )
        if layout.share:
            return margin
    else:
        return None
    rows.refuse_where(
        ((score > 0.5) & (margin < 0.0)) | ((score < 0.5) & (margin > 0.0)),
        name,
        lambda row: Refusal(
            f"a margin of {margin[row]:g} contradicts a score of {score[row]:g}",
            f"margins count from the first side, negative when it lost; {SKIP}",
        ),
    )
    return margin


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


def in_order(columns: dict[str, NDArray[Any]]) -> None:
    """Put the rows of all columns in order of time, rows of equal time as they stand."""
    if len(columns["time"]) >= MANY:
        from prowess import kernel
        from prowess.games.sorting import arranged, order_of

        if kernel.available():
            order = order_of(columns["time"])
            for name in list(columns):  # one at a time: the old one is given up at once
                columns[name] = arranged(columns[name], order)
            return
    order = np.argsort(columns["time"], kind="stable")
    for name, values in columns.items():
        columns[name] = values[order]
