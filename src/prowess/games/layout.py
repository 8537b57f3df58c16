"""What the caller says about a table, and which role each of its columns plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["games", "contests"]
Form = Literal["result", "winner", "points", "winner and loser"]
Best = Literal["named", "heading", "nobody"]
Columns = str | Sequence[str]
NONE = "none"
SHOWN = 20  # columns without a role that are named


@dataclass(frozen=True)
class Options:
    """What the caller says about a table; None leaves it to the headings.

    `roles` maps a role to a column, or to several; the value "none" (or False) means that the
    table has no such column.
    """

    kind: str | None = None
    roles: Mapping[str, Columns] = field(default_factory=dict)
    side: str | None = None
    share: bool = False
    date_format: str | None = None
    unplaced: str | None = None  # what becomes of DNF and its like: last or skip
    teams: str | None = None  # names: a text such as `Ann & Bob` is a name
    byes: bool = True  # leave out games against a bye
    where: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exclude: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def named(self) -> set[str]:
        """Every column that the caller names."""
        columns = {*self.where, *self.exclude, *([self.side] if self.side else [])}
        for chosen in self.roles.values():
            columns.update(each.lstrip("-") for each in several(chosen))
        return columns - {NONE}


@dataclass(frozen=True)
class Layout:
    """The roles of a table's columns; None or empty: there is no such column."""

    kind: Kind
    time: str | None = None
    maybe_time: bool = False  # its first cell tells whether it holds dates at all
    years: bool = False  # it holds years only
    weight: str | None = None
    where: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exclude: Mapping[str, frozenset[str]] = field(default_factory=dict)
    # games
    form: Form = "result"
    a: str = ""
    b: str = ""
    result: str = ""
    draw: str | None = None
    outcome: bool = False  # `draw` is the result beside a winner and a loser
    level_draws: bool = False  # a winner with as many points as the loser has drawn
    points_a: str | None = None
    points_b: str | None = None
    share: bool = False
    round: tuple[str, ...] = ()
    side: str | None = None  # a column
    turned: bool = False  # the column of b stands before that of a
    sided: bool = False  # a has the advantage unless `neutral` says otherwise
    neutral: str | None = None
    margin: str | None = None
    length: str | None = None
    # contests
    clock: str | None = None  # times of the day that are not used
    # contests
    contest: tuple[str, ...] = ()
    guessed: bool = False  # `contest` is what the headings suggest: the date tells apart as well
    player: str = ""
    place: str | None = None
    points: tuple[tuple[str, float], ...] = ()  # a column and +1 more is better, -1 less is
    best: Best = "named"  # who says which end of the points is the better one
    numbered: tuple[str, ...] = ()  # columns 1, 2, 3, ...: of rounds, or of opponents

    def facts(self) -> tuple[object, ...]:
        """What two files must agree on to be read as one table."""
        return (
            self.kind, self.form, self.time is None, self.weight is None, self.margin is None,
            self.length is None, self.points_a is None, not self.round, self.place is None,
            self.sided, self.side is None, len(self.points), len(self.contest),
        )  # fmt: skip

    def columns(self) -> list[str]:
        """Every column that has to be read."""
        single = (
            self.a, self.b, self.result, self.draw, self.points_a, self.points_b, self.time,
            self.side, self.neutral, self.weight, self.margin, self.length, self.player, self.place,
        )  # fmt: skip
        points = [name for name, _ in self.points]
        return list(dict.fromkeys(
            name
            for name in (
                *self.where, *self.exclude, *single, *self.round, *self.contest, *points,
                *self.numbered,
            )
            if name
        ))  # fmt: skip

    def describe(self, names: Sequence[str]) -> str:
        """Which column plays which role, in the words of the options, and which play none."""
        if self.kind == "contests":
            roles = [
                ("contest", ", ".join(self.contest)), ("player", self.player),
                ("place", self.place),
                ("points", ", ".join(f"{'-' * (sign < 0.0)}{name}" for name, sign in self.points)),
            ]  # fmt: skip
        else:
            pair = (
                ("winner", "loser") if self.form == "winner and loser" else ("player_a", "player_b")
            )
            first = f"{self.a} (with the side advantage)" if self.sided else self.a
            roles = [
                (pair[0], first), (pair[1], self.b),
                ("winner" if self.form == "winner" else "result", self.result),
                ("score_a", self.points_a), ("score_b", self.points_b),
                ("round", ", ".join(self.round)), ("side", self.side), ("neutral", self.neutral),
                ("margin", self.margin), ("length", self.length),
            ]  # fmt: skip
        roles += [("time", self.time), ("weight", self.weight)]
        used = ", ".join(f"{role} = {column}" for role, column in roles if column)
        rest = [name for name in names if name not in self.columns()]
        more = f" and {len(rest) - SHOWN} more" if len(rest) > SHOWN else ""
        unused = f"; not used: {', '.join(rest[:SHOWN])}{more}" if rest else ""
        return f"read as {self.kind}: {used}{unused}"


def several(chosen: Columns | None) -> tuple[str, ...]:
    """One column or several, as a tuple."""
    if chosen is None:
        return ()
    return (chosen,) if isinstance(chosen, str) else tuple(chosen)
