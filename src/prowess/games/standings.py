"""Rows of a table as contests of many players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells import Names, PlainNames, Table, with_normal_names
from prowess.games.contest_keys import contest_keys, refuse_headless, refuse_lonely
from prowess.games.contest_notes import (
    key_note,
    place_notes,
    points_notes,
    unplaced_notes,
    which_end,
)
from prowess.games.crosstable import refuse_crosstable
from prowess.games.games import Games
from prowess.games.growth import Growing, numbered
from prowess.games.judgement import Judgement, Lookups, Report
from prowess.games.layout import Layout, Options
from prowess.games.places import FROM_ONE, LAST, OUT
from prowess.games.refusal import SKIP, BadData, Refusal, quoted
from prowess.games.results import fitting, labelling

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

DECIDING = ("place", "points ")  # columns that say who was better


class Standings:
    """Contests that are being gathered, chunk by chunk and file by file."""

    def __init__(self, options: Options, report: Report, skip_bad: bool) -> None:
        self.options, self.report, self.skip_bad = options, report, skip_bad
        self.seen = 0  # rows, judged or filtered out
        self.names: Names = PlainNames()
        self.labels: list[Names] = []  # of the columns that tell contests apart
        self.columns: dict[str, Growing] = {}
        self.files: list[tuple[Table, Layout]] = []
        self.last = self.left_out = 0  # rows without a place

    def add(self, table: Table, layout: Layout) -> None:
        """Judge all rows of a table; raises BadData."""
        lookups = Lookups(layout, self.options)
        self.files.append((table, layout))
        for chunk in table.chunks(layout.columns()):
            self.seen += chunk.count
            rows = Judgement(chunk, lookups, table.file, table.unit)
            columns: dict[str, NDArray[Any]] = {}
            rows.named(layout.player)
            if layout.time:
                columns["time"] = rows.judged(layout.time, lookups.time)
            if layout.weight:
                columns["weight"] = rows.judged(layout.weight, lookups.numbers(layout.weight, True))
            if layout.place:
                columns["place"] = place = rows.judged(layout.place, lookups.place)
                rows.refuse_where((place < 1.0) & (place > OUT), layout.place, lambda _: FROM_ONE)
            for at, (name, sign) in enumerate(layout.points):
                times = layout.best != "heading" or sign < 0.0  # in a column of points are none
                columns[f"points {at}"] = rows.judged(name, lookups.amounts(name, times))
            keep = self._rows_with_place(rows.settled(self.report, self.skip_bad), columns)
            kept = rows.chunk
            if keep is not None:
                columns = {name: values[keep] for name, values in columns.items()}
                kept = kept.taken(keep)
            if not len(self):
                refuse_crosstable(table, layout, kept)
            column = kept.columns[layout.player]
            self.names = fitting(self.names, column)
            (columns["player"],) = self.names.ids(column)
            for at, name in enumerate(layout.contest):
                if at == len(self.labels):
                    self.labels.append(PlainNames())
                column = labelling(kept.columns[name])
                self.labels[at] = fitting(self.labels[at], column)
                (columns[f"label {at}"],) = self.labels[at].ids(column)
            columns["line"] = np.fromiter(map(kept.line, range(kept.count)), np.int64, kept.count)
            columns["file"] = np.full(kept.count, len(self.files) - 1, np.int32)
            for name, values in columns.items():
                self.columns.setdefault(name, Growing()).append(values)

    def __len__(self) -> int:
        return self.columns["player"].count if "player" in self.columns else 0

    def _rows_with_place(self, keep: Mask | None, columns: dict[str, NDArray[Any]]) -> Mask | None:
        """Which rows stay once those without a place are left out."""
        deciding = [values for name, values in columns.items() if name.startswith(DECIDING)]
        out = np.logical_or.reduce([values == OUT for values in deciding])
        last = np.logical_or.reduce([values == LAST for values in deciding])
        if not (out.any() or last.any()):
            return keep
        stays = np.ones(len(out), np.bool_) if keep is None else keep
        self.left_out += int((out & stays).sum())
        self.last += int((last & stays & ~out).sum())
        placed: Mask = stays & ~out
        return placed

    def contests(self) -> Games:
        """All contests, in order of time; raises BadData."""
        rows: dict[str, NDArray[Any]] = {
            name: column.whole() for name, column in self.columns.items()
        }
        table, layout = self.files[0]
        file = table.file or None
        for at, labels in enumerate(self.labels):
            _, (rows[f"label {at}"],) = with_normal_names(labels, rows[f"label {at}"])
        self.names, (rows["player"],) = with_normal_names(self.names, rows["player"])
        keys = contest_keys(layout, rows)
        contest = numbered(list(keys.values()))
        judged = layout.guessed and not (self.options.where or self.options.exclude)
        if judged:
            refuse_lonely(keys, contest, file)
        rows, contest = self._without_faulty(rows, contest)
        first = np.unique(contest, return_index=True)[1]
        of_contest = np.arange(len(first))
        if "time" in rows:
            of_contest = np.argsort(rows["time"][first], kind="stable")
        rank = np.empty(len(first), np.int64)
        rank[of_contest] = np.arange(len(first))
        order = np.argsort(rank[contest], kind="stable")
        first = first[of_contest]
        counts = np.bincount(rank[contest], minlength=len(first))
        start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        kept = {name: values[order] for name, values in rows.items()}
        place = _last_places(kept["place"], start) if "place" in kept else None
        found = Games(
            players=self.names.roster(),
            start=start,
            player=kept["player"],
            place=_places(kept, start, layout) if place is None else place,
            time=rows["time"][first] if "time" in rows else None,
            weight=rows["weight"][first] if "weight" in rows else None,
            points=_points(kept),
        )
        if layout.best == "nobody":
            raise which_end(found, layout.points[0][0], file)
        if judged:
            refuse_headless(found, list(keys), file)
        notes = (
            key_note(found, list(keys), layout),
            *points_notes(layout),
            *unplaced_notes(self.last, self.left_out),
            *place_notes(found),
        )
        return found.replace(notes=notes)

    def _without_faulty(
        self, rows: dict[str, NDArray[Any]], contest: NDArray[np.int64]
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
        """The rows without those that contradict an earlier row of their contest."""
        faults: dict[int, tuple[str | None, Refusal]] = {}
        layouts = [layout for _, layout in self.files]
        seen = numbered([contest, rows["player"]])
        again = np.ones(len(seen), np.bool_)
        again[np.unique(seen, return_index=True)[1]] = False
        roster = self.names.roster() if again.any() else None
        for row in np.flatnonzero(again).tolist():
            name = roster[int(rows["player"][row])] if roster else ""
            faults[row] = (layouts[int(rows["file"][row])].player, Refusal(
                f"{quoted(name)} stands twice in one contest",
                "name the columns that tell contests apart with contest= (--contest), leave one of "
                f"the rows out with exclude= (--exclude), or {SKIP}",
            ))  # fmt: skip
        first = np.unique(contest, return_index=True)[1]
        for fact, what in (("time", "dates"), ("weight", "weights")):
            if fact in rows:
                differs = rows[fact] != rows[fact][first][contest]
                for row in np.flatnonzero(differs).tolist():
                    faults.setdefault(row, (getattr(layouts[int(rows["file"][row])], fact), Refusal(
                        f"one contest has two {what}",
                        "name the columns that tell contests apart with contest= (--contest)",
                    )))  # fmt: skip
        if not faults:
            return rows, contest
        for row, (column, refusal) in sorted(faults.items(), key=lambda fault: fault[0]):
            table = self.files[int(rows["file"][row])][0]
            bad = BadData(
                refusal.what,
                file=table.file,
                column=column,
                remedy=refusal.remedy,
                **{table.unit: int(rows["line"][row])},
            )
            if not self.skip_bad:
                raise bad
            self.report(bad)
        keep = np.ones(len(contest), np.bool_)
        keep[list(faults)] = False
        rows = {name: values[keep] for name, values in rows.items()}
        self._forget_unplaced(rows)
        return rows, numbered([contest[keep]])

    def _forget_unplaced(self, rows: dict[str, NDArray[Any]]) -> None:
        """Leave out of the roster whoever stands in no row any more."""
        used, first = np.unique(rows["player"], return_index=True)
        if len(used) == len(self.names):
            return
        in_order = used[np.argsort(first)]
        new = np.zeros(len(self.names), np.uint32)
        new[in_order] = np.arange(len(in_order), dtype=np.uint32)
        roster = self.names.roster()
        names = PlainNames()
        names.known = {roster[int(old)]: at for at, old in enumerate(in_order)}
        self.names = names
        rows["player"] = new[rows["player"]]


def _places(
    rows: dict[str, NDArray[Any]], start: NDArray[np.int64], layout: Layout
) -> NDArray[np.float64]:
    """Places by points: 1 plus the number of players in the contest who did better."""
    count = len(rows["player"])
    contest = np.repeat(np.arange(len(start) - 1), np.diff(start))
    keys = [
        np.where(rows[f"points {at}"] == LAST, np.inf, -sign * rows[f"points {at}"])
        for at, (_, sign) in enumerate(layout.points)
    ]
    order = np.lexsort((*reversed(keys), contest))
    tied = np.ones(count, np.bool_)
    for key in (contest, *keys):
        tied[1:] &= key[order][1:] == key[order][:-1]
    tied[:1] = False
    place = np.arange(count) - start[contest[order]] + 1.0
    place = np.maximum.accumulate(np.where(tied, 0.0, place + start[contest[order]]))
    placed = np.empty(count)
    placed[order] = place - start[contest[order]]
    return placed


def _last_places(place: NDArray[np.float64], start: NDArray[np.int64]) -> NDArray[np.float64]:
    """The places of a table; who has none is behind all who have one."""
    last = place == LAST
    if not last.any():
        return place
    contest = np.repeat(np.arange(len(start) - 1), np.diff(start))
    worst = np.bincount(contest, ~last, len(start) - 1)
    np.maximum.at(worst, contest, np.where(last, 0.0, place))
    return np.where(last, worst[contest] + 1.0, place)


def _points(rows: dict[str, NDArray[Any]]) -> NDArray[np.float64] | None:
    """The first column that decides, nan where a word stands for no place."""
    points = rows.get("points 0")
    return None if points is None else np.where(points == LAST, np.nan, points)
