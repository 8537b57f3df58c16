"""The reading of a table: what was read as what, what was left out, and what to look at.

read as   games between two, 40 rows, 6 players, 2024-01-05 to 2024-09-30
columns   Heim = home (side advantage)   Gast = away   Datum = time (day first)
not used  Halle, Zuschauer      look at   "Ann" and "ann" look alike, 3 rows left out: byes
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from prowess.games.errors import Suspicion, escape_unprintable

COLUMNS_SHOWN = 20  # columns without a role that a line names
READING_GAP = "   "  # between the columns of a line
WIDE = "      "  # between `not used` and `look at` in one line
COUNTED_NAME = re.compile(r"(.*?)([0-9]+)([^0-9]*)")
MOST_COLUMNS_NAMED = 4  # columns of one role that are named one by one
USUAL = 120  # characters of a line where no width is given
PLAIN = {("player_a", ("a",)), ("player_b", ("b",)), ("result", ("score",))}  # no guesses
LABEL = 10  # characters of the label of a line


class ReadColumns(NamedTuple):
    """Columns of a table that make one role together."""

    role: str
    columns: tuple[str, ...]
    detail: str = ""  # how the cells were read, such as "day first"

    def __str__(self) -> str:
        """`Heim = home (side advantage)`."""
        said = f" ({self.detail})" if self.detail else ""
        both = self.role == "score" and len(self.columns) == 2
        names = " : ".join(self.columns) if both else join_columns(self.columns)
        same = names.casefold() == self.role
        return f"{names}{said}" if same else f"{names} = {self.role}{said}"


NO_DAY = float("-inf")


class UnplayedGame(NamedTuple):
    """A game between two that stands in a table with its date, and has no result there."""

    player_a: str
    player_b: str
    time: float  # days since 1970; NO_DAY: the table has days, and none that can be read for it
    side: float  # 1: the first has the side advantage, -1: the second, 0: neither, or not known
    line: int | None = None  # of its row, where no day can be read
    day: str = ""  # what stands there in its place


WHOLE_NUMBERS = "whole numbers"  # of points, whose marks are those of thousands
NOT_PLANNED = frozenset(
    {"facts", "league", "context", "variant", "voter"}
)  # kept where rows tell apart


@dataclass(frozen=True)
class ReadingPlan:
    """How a table is read, as a value: what `plan=` of `read_games` takes, and `--plan` of a verb.

    Two tables that are read alike have equal plans. `kind`, `shape`, `columns` and `options` are
    those of `Reading`.

    >>> import prowess
    >>> first = prowess.look({"Heim": ["Ann"], "Gast": ["Ben"], "Ergebnis": ["2:1"]}).plan
    >>> first == prowess.look({"Heim": ["Cid"], "Gast": ["Dee"], "Ergebnis": ["0:2"]}).plan
    True
    """

    kind: str
    shape: str
    columns: tuple[ReadColumns, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data."""
        columns = [one._asdict() | {"columns": list(one.columns)} for one in self.columns]
        return {
            "kind": self.kind, "shape": self.shape, "columns": columns,
            "options": dict(self.options),
        }  # fmt: skip

    def to_json(self) -> str:
        """The plan as a text of JSON."""
        return f"{json.dumps(self.to_dict(), indent=2, ensure_ascii=False)}\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan to a file of JSON; raises OSError."""
        from prowess.games.whole_files import replace_file

        with replace_file(os.fspath(path)) as part:
            part.write_text(self.to_json(), encoding="utf-8")

    def find_columns(self, detail: str) -> frozenset[str]:
        """The columns of roles whose cells are read so."""
        return frozenset(
            name for one in self.columns if detail in one.detail for name in one.columns
        )

    def find_contradiction(
        self, columns: Sequence[ReadColumns], reading: Reading | None = None
    ) -> str:
        """What is otherwise in a table whose columns are read so, in a sentence; empty where there
        is nothing. Once all rows are read there is a `reading`, too.
        """
        if reading and _describe_rows(reading) != _describe_rows(self):
            return f"these are {_describe_rows(reading)}; the plan is of {_describe_rows(self)}"
        planned, roles = _roles_by_column(self.columns), _roles_by_column(columns)
        for name, (role, detail) in planned.items():
            other, told = roles.get(name, ("", ""))
            if not other:
                return f'the plan reads column "{name}" as {role}, and the table does not'
            if other != role:
                return f'column "{name}" is read as {other}, and as {role} in the plan'
            if detail and told and detail != told:
                return f'column "{name}" is read as {told}, and as {detail} in the plan'
        further = [name for name in roles if name not in planned] if reading else []
        for name in further:
            return f'column "{name}" is read as {roles[name][0]}, and has no role in the plan'
        return ""


def _describe_rows(read: ReadingPlan | Reading) -> str:
    """What rows are: `games`, of two or of teams, `contests`, and how they stood in the source."""
    return ": ".join(filter(None, (read.kind.partition(" ")[0], read.shape)))


def _roles_by_column(columns: Sequence[ReadColumns]) -> dict[str, tuple[str, str]]:
    """The role and the detail of each column; a result may turn out to name winners."""
    return {
        name: ("result" if one.role == "winner" else one.role, one.detail)
        for one in columns
        for name in one.columns
        if one.role not in NOT_PLANNED
    }


def find_heading(columns: Sequence[ReadColumns], role: str) -> str:
    """The first heading of a role in the table that was read; the role itself without one."""
    return next((one.columns[0] for one in columns if one.role == role), role)


def load_columns(plain: Mapping[str, Any]) -> tuple[ReadColumns, ...]:
    """The columns of plain data."""
    columns = (ReadColumns(**one) for one in plain["columns"])
    return tuple(one._replace(columns=tuple(one.columns)) for one in columns)


@dataclass(frozen=True, repr=False)
class Reading:
    """How a table was understood.

    Its text is three lines: what the rows are, the column of each role, and what was not used or
    should be looked at. `lines(width)` fits them to a width, `to_dict()` is plain data.

    Args:
        kind: `games between two`, `games of teams`, `contests` or `ballots`; empty for a table
            that was made and not read.
        shape: how the games stood in the source, such as "each game stood twice", where that is
            not one game a row.
        games: the number of games or contests.
        rows: of the source, those that were read into them.
        players: the number of players.
        first, last: the dates of the first and the last game; empty without dates.
        order: what stands in place of dates where there are none.
        columns: the columns of each role.
        options: keywords of `read_games` by which a further table is read like this one: those that
            were given, and what its cells decided, such as the order of day and month.
        unused: columns that have no role.
        left_out: rows of the source that are not in the table, by reason.
        examples: where the first of them stands, by reason, and what says that it is no game.
        unplayed: of the games between two that were not played, those that have a date, the latest
            10,000; plain data has no list of them.
        notes: what was guessed, and what looks suspicious (`Suspicion`).

    >>> import prowess
    >>> games = prowess.read_games({"Heim": ["Ann"], "Gast": ["Ben"], "Ergebnis": ["2:1"]})
    >>> games.reading.games, games.reading.unused
    (1, ())
    """

    kind: str = ""
    shape: str = ""
    games: int = 0
    rows: int = 0
    players: int = 0
    first: str = ""
    last: str = ""
    order: str = ""
    columns: tuple[ReadColumns, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    unplayed: tuple[UnplayedGame, ...] = field(default=(), compare=False)
    notes: tuple[str, ...] = ()

    @property
    def plan(self) -> ReadingPlan:
        """How the table was read, without what is true of its rows alone."""
        return ReadingPlan(self.kind, self.shape, self.columns, self.options)

    @property
    def briefs(self) -> dict[str, str]:
        """The notes on what is probably not meant so, each with the same in few words."""
        return {note: note.brief for note in self.notes if isinstance(note, Suspicion)}

    @property
    def guesses(self) -> tuple[str, ...]:
        """The other notes."""
        return tuple(note for note in self.notes if not isinstance(note, Suspicion))

    @property
    def look_at(self) -> tuple[str, ...]:
        """What the reader of the lines should look at: what looks odd, and rows left out."""
        left = (describe_left_out(self.left_out, self.examples),) if self.left_out else ()
        return (*self.briefs.values(), *left)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return str(self) or "<Reading: of a table that was not read>"

    def lines(self, width: int | None = None) -> list[str]:
        """The lines `read as`, `columns` and, if there is anything, `not used` and `look at`.

        Where `width` is given, what does not fit is counted ("and 5 more"); what to look at is
        never cut, and stands in lines of its own.
        """
        if not self.kind:
            return []
        lines, rest = [f"{'read as':{LABEL}}{', '.join(self.parts())}"], []
        if self.columns:
            columns = fit_items([*map(str, self.columns)], READING_GAP, width)
            lines.append(f"{'columns':{LABEL}}{columns}")
        if self.unused:
            rest.append(f"{'not used':{LABEL}}{fit_items(self.unused, ', ', width, COLUMNS_SHOWN)}")
        if look := ", ".join(self.look_at):
            rest.append(f"{'look at':{LABEL}}{look}")
        if len(rest) == 2 and sum(map(len, rest)) + len(WIDE) <= (width or USUAL):
            rest = [f"{rest[0]}{WIDE}{rest[1]}"]
        return [escape_unprintable(line) for line in (*lines, *rest)]

    def brief(self) -> str:
        """What was guessed, in a line: columns of another heading than their role, and notes."""
        renamed = [one for one in self.columns if (one.role, one.columns) not in PLAIN]
        guessed = [text for text in map(str, renamed) if " = " in text]
        said = f"read as   {fit_items(guessed, READING_GAP, USUAL)}" if guessed else ""
        if not self.notes:
            return escape_unprintable(said)
        notes = f"{format_count(len(self.notes), 'note')} in .notes"
        return escape_unprintable(f"{said}{WIDE if said else ''}{notes}")

    def parts(self) -> Iterator[str]:
        """What the rows are, their number, the number of players, and the dates."""
        shape = f" ({self.shape})" if self.shape else ""
        if not self.players:  # of a table of which a cell is refused
            yield self.kind
            return
        if self.kind.startswith("games"):
            yield f"{self.kind}{shape}"
            if self.games != self.rows:
                yield format_count(self.games, "game")
            yield format_count(self.rows, "row")
        else:
            yield f"{format_count(self.games, self.kind[:-1])}{shape}"
            if self.games != self.rows:
                yield format_count(self.rows, "row")
        yield format_count(self.players, "player")
        if self.first:
            yield self.first if self.first == self.last else f"{self.first} to {self.last}"
        if self.order:
            yield self.order

    def to_dict(self) -> dict[str, Any]:
        """The reading as plain data, as JSON outputs have it."""
        plain = asdict(replace(self, unplayed=())) | {
            "left_out": dict(self.left_out),
            "examples": dict(self.examples),
            "look_at": list(self.look_at),
        }
        plain |= self.plan.to_dict()
        del plain["unplayed"]
        return plain | {"unused": list(self.unused), "notes": list(map(str, self.notes))}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], briefs: Mapping[str, str]) -> Reading:
        """The reading of plain data; the notes among `briefs` are suspicions, in those words."""
        given = {name: plain[name] for name in cls.__dataclass_fields__ if name in plain}
        notes = (Suspicion(one, briefs[one]) if one in briefs else one for one in plain["notes"])
        return cls(**given | {
            "columns": load_columns(plain),
            "unused": tuple(plain["unused"]),
            "notes": tuple(notes),
        })  # fmt: skip

    def _repr_html_(self) -> str:
        """The lines as a table, for notebooks."""
        from html import escape

        rows = (
            f"<tr><th style='text-align:left'>{escape(line[:LABEL].strip())}</th>"
            f"<td style='text-align:left'>{escape(line[LABEL:])}</td></tr>"
            for line in self.lines()
        )
        return f"<table>{''.join(rows)}</table>"

    def join(self, other: Reading) -> Reading:
        """The reading of this table and of a further one that follows it."""
        if not (self.kind and other.kind):
            return self if self.kind else other
        reasons = dict.fromkeys((*self.left_out, *other.left_out))
        left = {why: self.left_out.get(why, 0) + other.left_out.get(why, 0) for why in reasons}
        return replace(
            self,
            games=self.games + other.games,
            rows=self.rows + other.rows,
            last=other.last or self.last,
            left_out=left,
            examples={**other.examples, **self.examples},
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
        )


NOT_READ = Reading()  # of tables that were made


def describe_left_out(left_out: Mapping[str, int], examples: Mapping[str, str]) -> str:
    """`3 rows left out: 2 bye (line 7), 1 walkover (line 4 "W/O")`."""
    total = sum(left_out.values())
    told = {why: f" ({examples[why]})" if why in examples else "" for why in left_out}
    if len(left_out) == 1:
        why = next(iter(left_out))
        return f"{format_count(total, 'row')} left out: {why}{told[why]}"
    each = ", ".join(f"{count:,} {why}{told[why]}" for why, count in left_out.items())
    return f"{format_count(total, 'row')} left out: {each}"


def fit_items(items: Sequence[str], gap: str, width: int | None, most: int | None = None) -> str:
    """At most so many items side by side; those that do not fit beside the label are counted."""
    count = min(most or len(items), len(items))
    while True:
        text = list_some(items, count, gap)
        if width is None or LABEL + len(text) <= width or count == 1:
            return text
        count -= 1


def format_count(number: int, thing: str) -> str:
    """`1 game`, `2 games`, `2 matches`."""
    if number == 1:
        return f"{number:,} {thing}"
    return f"{number:,} {thing}{'es' if thing.endswith('ch') else 's'}"


NAMED = 3  # players, voters or leagues in a sentence


def list_some(names: Sequence[str], most: int = NAMED, gap: str = ", ") -> str:
    """The first names, and how many more there are.

    >>> list_some(["Ann", "Ben", "Cid", "Dan"])
    'Ann, Ben, Cid and 1 more'
    """
    more = len(names) - most
    return gap.join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def to_plural(thing: str) -> str:
    """`game` as `games`, `match` as `matches`."""
    return format_count(0, thing).removeprefix("0 ")


def join_columns(names: Sequence[str]) -> str:
    """Join names of columns: many counted ones are `a1 to a9`, others are cut short."""
    if len(names) <= MOST_COLUMNS_NAMED:
        return join_names(names)
    if counted := COUNTED_NAME.fullmatch(names[0]):
        stem, first, behind = counted.groups()
        if list(names) == [f"{stem}{int(first) + at}{behind}" for at in range(len(names))]:
            return f"{names[0]} to {names[-1]}"
    return list_some(names, MOST_COLUMNS_NAMED)


def join_names(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def format_option(role: str, names: Sequence[str]) -> str:
    """The option that names these columns, in Python and on the command line.

    >>> format_option("player_a", ["home"])
    'player_a="home" (--player-a home)'
    """
    shown = [f'"{name}"' for name in names]
    given = shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"
    return f"{role}={given} (--{role.replace('_', '-')} {shlex.quote(','.join(names))})"


def format_options(**columns: str) -> str:
    """The options that name one column each: `player_a="x" (--player-a x) and ...`."""
    return " and ".join(format_option(role, [name]) for role, name in columns.items())
