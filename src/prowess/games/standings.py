"""Rows of a table as contests of many players."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games import headings
from prowess.games.cells import Names, PlainNames, Table
from prowess.games.crosstable import refuse_crosstable
from prowess.games.games import Contests, counted
from prowess.games.growth import Growing, numbered
from prowess.games.judgement import Judgement, Lookups, Report
from prowess.games.layout import Layout, Options
from prowess.games.outcomes import plain
from prowess.games.places import FROM_ONE, LAST, OUT
from prowess.games.refusal import SKIP, BadData, Refusal, quoted
from prowess.games.results import fitting, labelling

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

FILE = "file"  # what tells contests apart where no column does
DECIDING = ("place", "points ")  # columns that say who was better
SHOWN = 3  # players of a contest that a question names


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
                plainly = layout.best == "heading" and sign > 0.0  # no times in a column of points
                lookup = lookups.numbers(name) if plainly else lookups.amounts(name)
                columns[f"points {at}"] = rows.judged(name, lookup)
            keep = self._placed(rows.settled(self.report, self.skip_bad), columns)
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

    def _placed(self, keep: Mask | None, columns: dict[str, NDArray[Any]]) -> Mask | None:
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

    def contests(self) -> Contests:
        """All contests, in order of time; raises BadData."""
        rows: dict[str, NDArray[Any]] = {
            name: column.whole() for name, column in self.columns.items()
        }
        layout = self.files[0][1]
        keys = self._keys(rows)
        contest = numbered(list(keys.values()))
        if layout.guessed:
            self._refuse_single(rows, keys, contest)
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
        place = self._read_places(kept, start) if "place" in kept else None
        found = Contests(
            players=self.names.roster(),
            start=start,
            player=kept["player"],
            place=_places(kept, start, layout) if place is None else place,
            time=rows["time"][first] if "time" in rows else None,
            weight=rows["weight"][first] if "weight" in rows else None,
            points=_points(kept),
        )
        if layout.best == "nobody":
            raise self._open(found, layout.points[0][0])
        return replace(found, notes=self._notes(found, list(keys)))

    def _keys(self, rows: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """What tells contests apart, by name; of guesses only those that do."""
        layout = self.files[0][1]
        keys = {name: rows[f"label {at}"] for at, name in enumerate(layout.contest)}
        if not layout.guessed:
            return keys or {FILE: rows["file"]}
        if layout.time:
            keys = {layout.time: rows["time"], **keys}
        within = numbered([rows["file"], *keys.values()])
        if len(np.unique(within)) == len(np.unique(rows["file"])):
            return {FILE: rows["file"]}  # each file is one contest, whatever it says beside that
        telling: dict[str, NDArray[Any]] = {}
        apart = np.zeros(len(within), np.int64)
        for name, key in keys.items():
            more = numbered([apart, key])
            if more.max() > apart.max():
                telling[name], apart = key, more
        return telling

    def _refuse_single(
        self,
        rows: dict[str, NDArray[Any]],
        keys: dict[str, NDArray[Any]],
        contest: NDArray[np.int64],
    ) -> None:
        """Refuse guesses that leave most contests to a single player."""
        sizes = np.bincount(contest)
        single = int((sizes == 1).sum())
        if list(keys) == [FILE] or self.options.where or self.options.exclude:
            return
        if len(sizes) < 2 or single * 2 <= len(sizes):
            return
        shared = [name for name, key in keys.items() if len(np.unique(key)) * 2 <= len(contest)]
        example = _option("contest", shared if 0 < len(shared) < len(keys) else ["none"])
        raise BadData(
            f"told apart by {_listed(list(keys))}, {single:,} of {len(sizes):,} contests have one "
            "player only",
            file=self.files[0][0].file or None,
            remedy=f"name the columns that tell contests apart, such as {example}",
        )

    def _open(self, found: Contests, column: str) -> BadData:
        """Which end of a column is the better one, as a question."""
        sizes = np.diff(found.start)
        first = int(np.argmax(sizes > 1))
        rows = slice(int(found.start[first]), int(found.start[first + 1]))
        assert found.points is not None
        points, ids = found.points[rows], found.player[rows]
        readings = []
        for sign in (-1.0, 1.0):
            best = np.argsort(np.where(np.isnan(points), np.inf, sign * points), kind="stable")
            readings.append(" > ".join(
                f"{found.players[int(ids[at])]} ({points[at]:g})" for at in best[:SHOWN]
            ))  # fmt: skip
        return BadData(
            f"it is open which end of {quoted(column)} is better: the first contest begins "
            f"{readings[0]} if more is, {readings[1]} if less is",
            file=self.files[0][0].file or None,
            column=column,
            remedy=f"say {_option('points', [column])} if more is better, "
            f"{_option('points', ['-' + column])} if less is",
        )

    def _read_places(
        self, kept: dict[str, NDArray[Any]], start: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The places of the table; who has none is behind all who have one."""
        place: NDArray[np.float64] = kept["place"]
        last = place == LAST
        if not last.any():
            return place
        contest = np.repeat(np.arange(len(start) - 1), np.diff(start))
        placed = np.bincount(contest, ~last, len(start) - 1)
        worst = np.zeros(len(start) - 1)
        np.maximum.at(worst, contest, np.where(last, 0.0, place))
        return np.where(last, np.maximum(placed, worst)[contest] + 1.0, place)

    def _notes(self, found: Contests, keys: list[str]) -> tuple[str, ...]:
        """What was guessed about the contests, and what looks odd; raises BadData."""
        layout = self.files[0][1]
        sizes = np.diff(found.start)
        least, most = int(sizes.min()), int(sizes.max())
        size = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        many = f"{counted(len(found), 'contest')} of {size} {'player' if most == 1 else 'players'}"
        if layout.guessed and keys == [FILE] and len(found) == 1:
            notes = [f"one contest of {counted(most, 'player')}: nothing tells contests apart"]
        else:
            by = "as named" if not layout.guessed else "told apart"
            notes = [f"contests {by} by {_listed(keys)}: {many}"]
        notes += self._about_points(layout)
        notes += self._about_places(found, keys, layout)
        return tuple(notes)

    def _about_points(self, layout: Layout) -> list[str]:
        notes = []
        if layout.best == "heading":
            name, sign = layout.points[0]
            more, less = ("less", "more") if sign < 0.0 else ("more", "less")
            option = _option("points", [f"-{name}" if sign > 0.0 else name])
            notes.append(f"{quoted(name)}: {more} is better; {option} says that {less} is")
        elif not layout.place:
            for name, sign in layout.points:
                if sign > 0.0 and plain(name) not in headings.MORE:
                    option = _option("points", ["-" + name])
                    notes.append(
                        f"{quoted(name)}: more is better, as named; {option} says that less is"
                    )
        if self.last:
            rows = "1 row shares" if self.last == 1 else f"{self.last:,} rows share"
            notes.append(f"{rows} the last place of a contest (DNF and its like)")
        if self.left_out:
            rows = "1 row is" if self.left_out == 1 else f"{self.left_out:,} rows are"
            notes.append(f"{rows} left out: no place (DNS and its like)")
        return notes

    def _about_places(self, found: Contests, keys: list[str], layout: Layout) -> list[str]:
        count, sizes = len(found), np.diff(found.start)
        best = np.minimum.reduceat(found.place, found.start[:-1])
        worst = np.maximum.reduceat(found.place, found.start[:-1])
        headless = int((best > 1.0).sum())
        chosen = not layout.guessed or self.options.where or self.options.exclude
        if headless * 2 >= count > 1 and not chosen:
            raise BadData(
                f"told apart by {_listed(keys)}, {headless:,} of {count:,} contests have nobody "
                "in place 1",
                file=self.files[0][0].file or None,
                remedy="name the columns that tell contests apart with contest= (--contest)",
            )
        contest = np.repeat(np.arange(count), sizes)
        winners = np.bincount(contest, found.place == 1.0, count)
        seconds = np.bincount(contest, found.place == 2.0, count)  # after two winners: place 3
        said = {
            "nobody is in place 1": headless,
            "there is one player only": int((sizes == 1).sum()),
            "all players share a place": int(((best == worst) & (sizes > 1)).sum()),
            "several players are in place 1 and others in place 2 (are they several contests?)":
                int(((winners > 1) & (seconds > 0)).sum()),
        }  # fmt: skip
        return [
            f"in {number:,} of {counted(count, 'contest')} {what}"
            for what, number in said.items()
            if number
        ]

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
                f"name the columns that tell contests apart with contest= (--contest), or {SKIP}",
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


def _points(rows: dict[str, NDArray[Any]]) -> NDArray[np.float64] | None:
    """The first column that decides, nan where a word stands for no place."""
    points = rows.get("points 0")
    return None if points is None else np.where(points == LAST, np.nan, points)


def _listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _option(role: str, names: list[str]) -> str:
    """How columns are named, in Python and on the command line."""
    named = f'"{names[0]}"' if len(names) == 1 else str(names).replace("'", '"')
    return f"{role}={named} (--{role} {','.join(names)})"
