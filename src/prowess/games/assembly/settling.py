"""Gathered rows become games: all at once, or piece by piece as they are read.

What only all rows of a table tell, such as whether a further column holds numbers, is decided by
the first piece that is taken. A later piece that says otherwise is refused.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.assembly.byes import (
    GamesToCome,
    ask_about_nobody,
    find_nobody,
    find_played,
    with_byes,
)
from prowess.games.columns import Floats, Mask, PlainNames, is_ascending
from prowess.games.dates import format_day
from prowess.games.errors import IN_MEMORY, BadData, FallBackToSlowReader, Suspicion, quote
from prowess.games.games import UNPLAYED, Games
from prowess.games.names import Roster, byes_in
from prowess.games.numbering import GrowingGroups, PlayerNumbers
from prowess.games.role_members import RoleColumn, with_role_members
from prowess.games.roles.forecasts import (
    category_notes,
    is_category,
    pop_forecasts,
    settle_forecasts,
)
from prowess.games.team_names import split_notes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.assembly.gathered import GatheredGames
    from prowess.games.layout import Layout
    from prowess.games.roles.lineups import Members


COLUMNS_OF_PIECE = "the columns of the games"


@dataclass(eq=False)
class GameSettler:
    """Makes games of gathered rows; `whole` says that they are all rows of the table."""

    rows: GatheredGames
    whole: bool = True
    players: PlayerNumbers = field(default_factory=PlayerNumbers)
    rounds: GrowingGroups = field(default_factory=GrowingGroups)
    to_come: GamesToCome = field(default_factory=GamesToCome)
    byes: list[int] = field(default_factory=list)  # numbers of names that are words for a bye
    names_of_byes: set[str] = field(default_factory=set)  # of those whose games are kept
    decided: dict[str, object] = field(default_factory=dict)  # by what the first piece says
    taken: int = 0  # games so far
    places: NDArray[np.int64] | None = None  # of the games in the last piece; None: as gathered

    def take(self, place: Callable[[int], Mapping[str, Any]] | None = None) -> Games:
        """What was gathered since the last time, as games; raises BadData.

        A whole table is put in order of time, the games of a piece stay as they stand. The
        `players` of a piece are the names that are new in it, and `place` says where a row of it
        stands.
        """
        rows, known = self.rows, self.players.seen
        columns: dict[str, Any] = {}
        for name in list(rows.columns):
            columns[name] = rows.columns.pop(name).whole()
        fresh = self.players.look_at_names(rows.names)
        whole = fresh
        if self.whole:
            if rows.names.are_plain:
                whole = rows.names.roster()
            rows.names = PlainNames()  # gives up what is no longer needed
        if rows.layout.has_labels:
            rows.labels.settle(columns)
        lineups = rows.members.take() if rows.members else None
        if lineups is not None:
            columns["row"] = np.arange(len(columns["score"]), dtype=np.int64)
        elif (spelt := self.players.spelt) is not None:
            columns["a"], columns["b"] = spelt[columns["a"]], spelt[columns["b"]]
            if (columns["a"] == columns["b"]).any():
                raise FallBackToSlowReader  # two spellings of one name in one game
        if rows.scorelines.points or rows.scorelines.nil:
            columns |= rows.scorelines.take()
        if "points_a" in columns and "margin" not in columns:
            columns["margin"] = columns["points_a"] - columns["points_b"]
        self.places = None
        assumed: list[str] = []
        if rows.layout.facts or rows.layout.forecasts:
            faults, assumed = settle_forecasts(columns, rows.layout)
            faults |= rows.facts.settle(rows.labels, columns, rows.layout)
            keep = rows.lines.refuse_rows(faults, columns, rows.report, rows.skip_bad)
            for name in ("line", "file"):
                columns.pop(name, None)
            if keep is not None:
                self._keep(columns, keep, known)
        if rows.options.byes:
            assumed = [*assumed, *self._leave_out_byes(columns, lineups, fresh, known, place)]
        if rows.strays:
            self.players.count_games(known)
        if lineups is None:
            columns["a"], columns["b"] = self.players.number(columns["a"], columns["b"])
        elif self.players.by_game is not None:
            lineups.renumber(columns["row"], self.players.by_game)
        groups = [columns.pop(f"round {at}") for at in range(len(rows.layout.round))]
        if groups:
            columns["round"] = self.rounds.number(groups).astype(np.int32)
        self.taken += len(columns["score"])
        if self.whole:
            return self._finish(columns, lineups, self.players.roster(whole), assumed)
        return self._make_piece(columns, lineups, fresh)

    def _keep(self, columns: dict[str, Any], keep: Mask, known: int) -> None:
        """Keep some games only; players are then numbered by those, after the `known` ones."""
        for name, values in columns.items():
            columns[name] = values[keep]
        self.places = np.flatnonzero(keep) if self.places is None else self.places[keep]
        self.players.count_games(known)

    def _leave_out_byes(
        self, columns: dict[str, Any], lineups: Members | None, fresh: Roster, known: int,
        place: Callable[[int], Mapping[str, Any]] | None,
    ) -> list[Suspicion]:  # fmt: skip
        """Leave out games against nobody, and those of places to come; notes on them."""
        rows, said = self.rows, list[Suspicion]()
        self.byes += (byes_in(fresh) + known).tolist()
        if lineups is not None:
            self.byes += [known + fresh.index(name) for name in rows.cells.byes if name in fresh]
        if lineups is None and rows.options.nobody:
            names = (rows.layout.a, rows.layout.b)
            if place is not None:
                ask_about_nobody(fresh, known, columns, names, place)
            else:
                nobody, said = find_nobody(fresh, columns, names, rows.file)
                self.byes += nobody
        if self.byes and lineups is None:
            name_of = fresh.__getitem__ if self.whole else rows.names.name
            played = find_played(self.byes, name_of, columns)
            if not self.whole:
                for who in self.byes:
                    if ((columns["a"] == who) | (columns["b"] == who)).any():
                        self._decide(f"whether {quote(name_of(who))} is a bye", who not in played)
            self.byes = [who for who in self.byes if who not in played]
        if self.byes:
            some = np.array(sorted({*self.byes}))
            keep = ~players_among(some, columns, self.players.seen, lineups)
            if rows.options.bye_wins and lineups is None:
                if not self.whole:
                    raise BadData(
                        "byes count as wins in a whole table only",
                        remedy=IN_MEMORY, code="byes_in_stream",
                    )  # fmt: skip
                self.names_of_byes = {name_of(who) for who in self.byes}
                byes = [np.isin(columns[side], some) for side in ("a", "b")]
                keep = ~(byes[0] & byes[1])
            if not keep.all():
                example = self._describe_place(int(np.argmin(keep)), place)
                rows.report.note_byes(len(keep) - int(keep.sum()), example)
                self._keep(columns, keep, known)
        if lineups is None:
            name_of = fresh.__getitem__ if self.whole else rows.names.name
            to_come = self.to_come.find(fresh, self.players.seen, name_of, columns)
            if to_come is not None:
                rows.report.absent["not played"] += int(to_come.sum())
                self._keep(columns, ~to_come, known)
        return said

    def _describe_place(self, row: int, place: Callable[[int], Mapping[str, Any]] | None) -> str:
        """Where a game stands in its source: `line 7`; empty where that is not known."""
        at = row if self.places is None else int(self.places[row])
        if place is not None:
            return next((f"{unit} {line}" for unit, line in place(at).items()
                         if unit in {"line", "row"}), "")  # fmt: skip
        return self.rows.place(at) if self.rows.place else ""

    def _finish(
        self, columns: dict[str, Any], lineups: Members | None, players: Roster, assumed: list[str]
    ) -> Games:
        """The games of a whole table, in order of time."""
        rows = self.rows
        time = columns.get("time")
        if time is not None and (far := note_far_dates(time)):
            assumed = [*assumed, far]
        if "points_a" in columns:
            points = columns["points_a"], columns["points_b"]
            found = note_nil_end(*points), _note_negative(*points, rows.layout)
            assumed = [*assumed, *filter(None, found)]
        if time is not None and not is_ascending(time):
            newest = note_newest_first(columns) if rows.options.order is None else None
            assumed = [*assumed, *([newest] if newest else [])]
            del time
            order_by_time(columns)
        rows.rows = self.taken
        if lineups is not None:
            columns.update(lineups.columns(columns.pop("row")))
        facts, words = self._facts(columns) if rows.layout.facts else ({}, {})
        layout = rows.layout
        if layout.forecasts:
            facts |= pop_forecasts(columns, layout)
        if UNPLAYED in columns:
            facts.setdefault(UNPLAYED, columns.pop(UNPLAYED))
        notes = [*rows.notes(), *assumed, *self.late_notes(lambda: players)]
        rows.layout = self.used_layout()
        keys = [*(f"per {role}" for role, _ in layout.per)]
        keys += [key for role, _ in layout.along for key in rows.labels.keys[f"with {role}"]]
        of_roles = {key: columns.pop(key) for key in keys}
        table = Games(players=players, notes=tuple(notes), facts=facts, labels=words, **columns)
        table = self._add_roles(table, of_roles) if of_roles or rows.options.family else table
        return with_byes(table, self.names_of_byes) if self.names_of_byes else table

    def _facts(self, columns: dict[str, Any]) -> tuple[dict[str, Floats], dict[str, list[str]]]:
        """The facts and their words, without guessed ones that tell no kinds of games apart."""
        facts, words = self.rows.facts.columns(columns)
        for name in self.rows.layout.guessed_facts.difference(self._categories()):
            del facts[name], words[name]
        return facts, words

    def _categories(self) -> list[str]:
        """The guessed facts that tell kinds of games apart, in all games so far."""
        labels, guessed = self.rows.facts.labels, self.rows.layout.guessed_facts
        return [name for name in guessed if is_category(len(labels[name]), self.taken)]

    def used_layout(self) -> Layout:
        """The layout without columns that headings suggest, and that the cells show to be others:
        guessed facts, and dates.
        """
        layout = self.rows.layout
        if layout.guessed_facts:
            layout = layout.with_guessed_facts(self._categories())
        unused = layout.maybe_time and not self.rows.dated
        return replace(layout, time=None) if unused else layout

    def late_notes(self, roster: Callable[[], Roster]) -> Iterator[str]:
        """Notes on what only all games tell: on facts, and on names that were to be split.

        The `roster` of all players is asked for where it is looked into.
        """
        rows = self.rows
        if rows.layout.facts:
            yield from rows.facts.notes()
            yield from category_notes(self.used_layout(), rows.facts.labels)
        if rows.options.splits_teams:
            yield from split_notes(rows.cells.joined, roster())

    def _add_roles(self, table: Games, columns: dict[str, Any]) -> Games:
        """The table with its members by role, which `columns` give for each game."""
        rows, sides = self.rows, np.arange(2 * len(table), dtype=np.int64)
        texts, keys = rows.labels.texts, rows.labels.keys
        per = [
            RoleColumn(role, texts[f"per {role}"], columns[f"per {role}"][table.contest_of_member])
            for role, _ in rows.layout.per
        ]
        along = []
        for role, _ in rows.layout.along:
            ids = np.stack([columns[key] for key in keys[f"with {role}"]], axis=1).ravel()
            along.append(RoleColumn(role, texts[f"with {role}"], ids, sides))
        return with_role_members(table, per, along, rows.options.family)

    # -- pieces --

    def _make_piece(self, columns: dict[str, Any], lineups: Members | None, fresh: Roster) -> Games:
        """Some games of a table, whose first piece decided what their columns are."""
        rows = self.rows
        if lineups is not None:
            columns |= lineups.columns(columns.pop("row"))
        facts, words = rows.facts.columns(columns) if rows.layout.facts else ({}, {})
        if UNPLAYED in columns:
            facts.setdefault(UNPLAYED, columns.pop(UNPLAYED))
        categories = self._categories()
        for name in rows.layout.guessed_facts:
            used = name in categories
            option = f'{name}="{name}" or {name}="none" (--{name})'
            self._decide(f"whether {name} tells kinds of games apart", used, f"say {option}")
            if not used:
                del facts[name], words[name]
        for name, _ in rows.layout.facts:
            kind = "numbers" if rows.facts.numbers[name] is not None else "words"
            self._decide(f"whether {quote(name)} holds numbers", kind)
        self._decide(COLUMNS_OF_PIECE, sorted(columns))
        return Games(players=fresh, facts=facts, labels=words, **columns)

    @property
    def has_teams(self) -> bool:
        """Whether the games of the pieces are between sides of several members."""
        columns = self.decided[COLUMNS_OF_PIECE]
        return isinstance(columns, list) and "ends" in columns

    def _decide(self, what: str, found: object, remedy: str = IN_MEMORY) -> None:
        """Refuse what the first piece said otherwise."""
        if self.decided.setdefault(what, found) != found:
            raise BadData(
                f"these rows change {what}, and the rows before them are rated",
                remedy=remedy,
                code="rows_change_reading",
            )


def _note_negative(a: Floats, b: Floats, layout: Layout) -> Suspicion | None:
    """The note on few games with negative points among others: they may be disqualifications."""
    below = (a < 0.0) | (b < 0.0)
    count = int(below.sum())
    if not 0 < 2 * count <= len(below):
        return None
    games = "1 game has" if count == 1 else f"{count:,} games have"
    remedy = ""
    if layout.points_a and layout.points_b:
        names = (layout.points_a, layout.points_b)
        python = ", ".join(f'"{name}": "-1"' for name in names)
        shell = " ".join(f"--exclude {shlex.quote(f'{name}=-1')}" for name in names)
        remedy = (
            f": if -1 is a disqualification, leave them out with exclude={{{python}}} ({shell})"
        )
    return Suspicion(
        f"{games} negative points beside games without{remedy}", f"{games} negative points"
    )


# Columns of gathered games: which games stay, and their order in time.


FEWEST_DATES = 3  # different ones, of which one may lie far from the others
FAR = 5.0 * 365.25  # days
MANY_ROWS = 1_000_000  # rows; from here on sorting is compiled
FEWEST_NIL, SHARE_NIL = 3, 0.2  # games 0:0 in a row at one end, and their share of the others


def players_among(
    some: NDArray[np.int64], columns: dict[str, Any], players: int, lineups: Members | None
) -> Mask:
    """The games in which one of some of so many players stands."""
    among = np.zeros(players, np.bool_)
    among[some] = True
    found: Mask = (
        among[columns["a"]] | among[columns["b"]]
        if lineups is None
        else lineups.having(among)[columns["row"]]
    )
    return found


def note_newest_first(columns: dict[str, NDArray[Any]]) -> Suspicion | None:
    """The note on a table whose times fall from row to row, and in which a player has several
    games of one time: it is open which of these was the first.
    """
    time = columns["time"]
    if "a" not in columns or not is_ascending(-time) or len(time) > MANY_ROWS:
        return None
    players = np.concatenate((columns["a"], columns["b"])).astype(np.int64)
    same = np.concatenate((time, time))
    order = np.lexsort((same, players))
    twice = (players[order][1:] == players[order][:-1]) & (same[order][1:] == same[order][:-1])
    if not twice.any():
        return None
    return Suspicion(
        "the newest games stand first, and a player has several of one time, which are taken in "
        'the order of the file: say order="reversed" (--row-order reversed) or order="file"',
        'newest first: games of one time as in the file (order="reversed", --row-order reversed?)',
    )


def note_far_dates(time: Floats) -> Suspicion | None:
    """The note on a first or last date that lies years from all others: a slip, or no date."""
    days = np.sort(time)
    days = days[np.diff(days, prepend=-np.inf) > 0.0]  # np.unique imports masked arrays
    if len(days) < FEWEST_DATES:
        return None
    for at, gap, span in (
        (0, days[1] - days[0], days[-1] - days[1]), (-1, days[-1] - days[-2], days[-2] - days[0]),
    ):  # fmt: skip
        if gap > max(FAR, 2.0 * span):
            day = format_day(float(days[at]))
            return Suspicion(
                f"the date {day} lies {gap / 365.25:.0f} years from all others", f"the date {day}"
            )
    return None


def note_nil_end(a: Floats, b: Floats) -> Suspicion | None:
    """The note on games at the end, or the beginning, that are all 0:0, as fixtures are."""
    nil = (a == 0.0) & (b == 0.0)
    for rows in (nil, nil[::-1]):
        decided = np.flatnonzero(~rows)
        count = int(decided[0]) if len(decided) else 0
        others = rows[count:]
        if count >= FEWEST_NIL and len(others) > count and others.mean() < SHARE_NIL:
            return Suspicion(
                f"{count:,} games in a row are 0:0, as if they were not played yet: clear the "
                "scores of those that were not",
                f"{count:,} games in a row are 0:0",
            )
    return None


def order_by_time(columns: dict[str, NDArray[Any]]) -> None:
    """Put the rows of all columns in order of time, rows of equal time as they stand."""
    if len(columns["time"]) >= MANY_ROWS:
        from prowess.compile import kernel
        from prowess.games.cells.loops import reorder, sort_by_time

        if kernel.available():
            order = sort_by_time(columns["time"])
            for name in list(columns):  # one at a time: the old one is given up at once
                columns[name] = reorder(columns[name], order)
            return
    order = np.argsort(columns["time"], kind="stable")
    for name, values in columns.items():
        columns[name] = values[order]
