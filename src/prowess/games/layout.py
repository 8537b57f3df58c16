"""Options of the reader, and the roles of a table's columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from prowess.games.arguments import check_mapping, check_text, is_number
from prowess.games.errors import BadData
from prowess.games.games import CATEGORIES
from prowess.games.reading import ReadColumns, join_columns

if TYPE_CHECKING:
    from prowess.games.columns import InputTable

Kind = Literal["games", "contests"]
Form = Literal["result", "winner", "points", "winner and loser", "to come"]
StateKind = Literal["forfeit", "status", "state", "ending"]
ForecastKind = Literal["chance", "odds"]
Best = Literal["named", "heading", "times", "unknown"]
Columns = str | Sequence[str]
NONE = "none"
SIDE_ENDS = ("_a", "_b")  # of the headings of both sides
NO_DETAILS: Mapping[str, str] = MappingProxyType({})


class ForecastColumns(NamedTuple):
    """The columns of one forecast, and whether they hold chances or odds."""

    label: str
    kind: ForecastKind
    columns: tuple[str, ...]

    @property
    def option(self) -> str:
        """The option of the reader that names such columns."""
        return "forecast" if self.kind == "chance" else "odds"

    @property
    def keys(self) -> list[str]:
        """The keys of the columns while rows are gathered."""
        return [f"forecast {self.label} {at}" for at in range(len(self.columns))]


@dataclass(frozen=True)
class Options:
    """The options of a caller about a table; None leaves a choice to the headings.

    `roles` maps a role to its columns; the column "none" means that the table has no such column.
    """

    kind: str | None = None
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    side: str | None = None
    share: bool = False
    date_format: str | None = None
    unplaced: str | None = None  # what becomes of DNF and its like: last or skip
    teams: str | None = None  # a text such as `Ann & Bob` is a name, or holds the names of members
    facts: tuple[str, ...] = ()  # further columns that are kept
    season: str | None = None  # the one of them that names the season
    fact_prefix: str | None = None  # columns whose headings begin so are facts, kept as text
    forecasts: tuple[ForecastColumns, ...] = ()  # forecasts of the games from elsewhere
    per: tuple[str, ...] = ()  # columns by which each player has a member of their own
    along: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # columns of members by role
    family: bool = False  # the names of players tell the families to which they belong
    byes: bool = True  # leave out games against a bye
    nobody: bool = True  # and against names for nobody, such as None
    bye_wins: bool = False  # such games are kept, as points for who has the bye
    outcomes: Mapping[str, float | None] = field(default_factory=dict)  # words of results
    walkovers: bool = False  # whether they count as wins
    order: str | None = None  # of the rows: file, reversed, or a column
    whole_points: frozenset[str] = frozenset()  # columns of points with marks of thousands
    where: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exclude: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def splits_teams(self) -> bool:
        """Whether a text such as `Ann & Bob` holds the names of members."""
        return self.teams in {"members", "commas"}

    def named_columns(self) -> set[str]:
        """Every column that the caller names, and those of both sides that a fact may stand for."""
        facts = {f"{name}{end}" for name in self.facts for end in ("", *SIDE_ENDS)}
        return self.columns_with_role() | {*self.where, *self.exclude, *facts} - {NONE}

    def columns_with_role(self) -> set[str]:
        """Every column that the caller names as something other than a fact or a filter."""
        columns = {*self.per, *([self.side] if self.side else [])}
        for chosen in self.roles.values():
            columns.update(each.lstrip("-") for each in chosen)
        for role, pair in self.along.items():
            columns.update(pair or (role,))
        for one in self.forecasts:
            columns.update(one.columns)
        return columns - {NONE}


@dataclass(frozen=True)
class Layout:
    """The roles of a table's columns; None or empty: there is no such column."""

    kind: Kind
    time: str | None = None
    maybe_time: bool = False  # its first cell tells whether it holds dates at all
    other_dates: str | None = None  # another column that could be `time`
    years: bool = False  # it holds years only
    dates_by_cells: bool = False  # its heading does not say that it holds dates
    weight: str | None = None
    counted: bool = False  # `weight` counts the games of a row
    where: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exclude: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sides: tuple[tuple[str, ...], ...] = ()  # columns of the members of each side a row holds
    shares: tuple[tuple[str | None, ...], ...] = ()  # columns of their shares, where some have one
    leftover: tuple[str, ...] = ()  # columns that look like those of players on neither side
    facts: tuple[tuple[str, str], ...] = ()  # name and column
    text_facts: frozenset[str] = frozenset()  # facts whose cells are kept as they are written
    forecasts: tuple[ForecastColumns, ...] = ()
    guessed_facts: frozenset[str] = frozenset()  # facts that the headings suggest
    per: tuple[tuple[str, str], ...] = ()  # role and column
    along: tuple[tuple[str, tuple[str, ...]], ...] = ()  # role and a column for each side of a row
    said: tuple[str, ...] = ()  # how it was decided, for notes
    # games
    form: Form = "result"
    a: str = ""
    b: str = ""
    result: str = ""
    draw: str | None = None
    outcome: bool = False  # `draw` is the result beside a winner and a loser
    line: str | None = None  # scorelines beside a winner
    flagged: bool = False  # the result is a flag: yes where the first side won
    names_loser: bool = False  # the column of winners names the loser
    has_kicks: bool = False  # a heading speaks of kicks from the mark
    # columns that say whether games were played: flags of forfeits, words among others (`status`),
    # a word for each game (`state`), how it ended
    states: tuple[tuple[str, StateKind], ...] = ()
    kicks: tuple[str, ...] = ()  # flags of games that a shoot-out decided
    marks: str | None = None  # a result beside the points
    reasons: str | None = None  # why a game has no winner
    level_draws: bool = False  # a winner with as many points as the loser has drawn
    points_a: str | None = None
    points_b: str | None = None
    share: bool = False
    round: tuple[str, ...] = ()
    side: str | None = None  # a column
    turned: bool = False  # the column of b stands before that of a
    family: tuple[str, str] | None = None  # the two sides by name: home and away, white and black
    sided: bool = False  # a has the advantage unless `neutral` says otherwise
    neutral: str | None = None
    margin: str | None = None
    length: str | None = None
    # contests
    clock: str | None = None  # times of the day that are not used
    guessed_sides: bool = False  # `sides` is what the headings suggest
    # contests
    contest: tuple[str, ...] = ()
    guessed: bool = False  # `contest` is what the headings suggest: the date tells apart as well
    player: str = ""
    place: str | None = None
    points: tuple[tuple[str, float], ...] = ()  # a column and +1 more is better, -1 less is
    best: Best = "named"  # what says which end of the points is the better one
    numbered: tuple[str, ...] = ()  # columns 1, 2, 3, ...: of rounds, or of opponents
    team: str | None = None  # rows of one contest and one team are one side
    guessed_team: bool = False  # `team` is what the headings suggest
    taken_part: str | None = None  # how much of the contest a player took part in

    def kinds(self) -> tuple[object, ...]:
        """The properties that files share if they are read as one table."""
        return (
            self.kind, self.form, self.time is None, self.weight is None, self.margin is None,
            self.length is None, self.points_a is None, not self.round, self.place is None,
            self.sided, self.side is None, len(self.points), len(self.contest), bool(self.sides),
            bool(self.shares),
            self.team is None, self.taken_part is None,
            [name for name, _ in self.facts if name not in self.guessed_facts],
            [name for name, _ in self.per], [name for name, _ in self.along],
            [(one.label, len(one.columns)) for one in self.forecasts],
        )  # fmt: skip

    @cached_property
    def has_labels(self) -> bool:
        """Whether there are columns of rounds, facts, or members by role."""
        return bool(self.round or self.facts or self.per or self.along)

    def with_guessed_facts(self, keep: Collection[str]) -> Layout:
        """The layout with these of its guessed facts only."""
        kept = self.guessed_facts.intersection(keep)
        if kept == self.guessed_facts:
            return self
        gone = self.guessed_facts - kept
        facts = tuple(each for each in self.facts if each[0] not in gone)
        return replace(self, facts=facts, text_facts=self.text_facts - gone, guessed_facts=kept)

    def columns(self) -> list[str]:
        """Every column that has to be read."""
        held = (
            *self.where, *self.exclude, *(name for _, group in self._roles() for name in group),
            self.draw, self.clock, *self.numbered, *self.leftover,
        )  # fmt: skip
        return list(dict.fromkeys(filter(None, held)))

    def sides_in_words(self) -> str:
        """The columns of both sides of a game."""
        first, second = self.sides or ((self.a,), (self.b,))
        return f"{join_columns(first)} against {join_columns(second)}"

    def read_columns(
        self, details: Mapping[str, str] = NO_DETAILS, telling: tuple[str, ...] = ()
    ) -> tuple[ReadColumns, ...]:
        """The columns of each role.

        `details` says of a column how its cells were read; `telling` say which rows count.
        """
        found = []
        for role, columns in (*self._roles(), ("rows that count", telling)):
            if given := tuple(filter(None, columns)):
                word, _, detail = role.partition(", ")
                said = [detail, *(details.get(name, "") for name in given)]
                found.append(ReadColumns(word, given, ", ".join(filter(None, dict.fromkeys(said)))))
        return tuple(found)

    def unused_columns(self, table: InputTable) -> tuple[str, ...]:
        """The columns of a table that have no role, and of which no column that has one is derived,
        and those that were left out as it was made.
        """
        idle = {*self.leftover, *self.numbered}.difference(*(group for _, group in self._roles()))
        taken = {*self.columns(), *table.telling} - idle
        for name in reversed([*table.sources]):  # derived columns may be derived of others
            taken |= {*table.sources[name]} if name in taken else set()
        known = taken | {*table.sources}
        return (*(name for name in table.names if name not in known), *table.unread)

    def _roles(self) -> Iterator[tuple[str, tuple[str | None, ...]]]:
        """Roles and their columns, None where there is none."""
        if self.kind == "contests":
            yield "contest", self.contest
            yield "team", (self.team,)
            yield "player", tuple(name for side in self.sides for name in side) or (self.player,)
            yield "share", (self.taken_part,)
            yield "place", (self.place,)
            yield "result", (self.result,)
            for name, sign in self.points:
                if name != self.result:
                    yield f"points, {'less' if sign < 0.0 else 'more'} is better", (name,)
        else:
            names = ("home", "away") if self.sided else ("player_a", "player_b")
            names = ("winner", "loser") if self.form == "winner and loser" else names
            first, second = self.sides or ((self.a,), (self.b,))
            yield f"{names[0]}, side advantage" if self.sided else names[0], first
            yield names[1], second
            yield "shares", tuple(name for group in self.shares for name in group)
            told = "winner" if self.form == "winner" else "result"
            yield "loser" if self.names_loser else told, (self.result,)
            yield "score", (self.line,)
            yield "forfeit", tuple(name for name, kind in self.states if kind == "forfeit")
            yield "status", tuple(name for name, kind in self.states if kind != "forfeit")
            yield "shoot-out", self.kicks
            yield "result", (self.marks,)
            yield "result without a winner", (self.reasons,)
            if self.points_a and self.points_b:
                yield ("score, share of the points" if self.share else "score"), (
                    self.points_a, self.points_b,
                )  # fmt: skip
            yield "round", self.round
            yield "side", (self.side,)
            yield "neutral", (self.neutral,)
            yield "margin", (self.margin,)
            yield "length", (self.length,)
        named = {*CATEGORIES} & self.text_facts
        yield from ((name, (column,)) for name, column in self.facts if name in named)
        yield "facts", tuple(column for name, column in self.facts if name not in named)
        yield from ((f"forecast {one.label}", one.columns) for one in self.forecasts)
        yield "per", tuple(column for _, column in self.per)
        yield from ((f"with {role}", columns) for role, columns in self.along)
        yield "date", (self.time,)
        yield "weight", (self.weight,)


# Options as the caller gives them


def check_choice(name: str, given: Any, known: Sequence[str]) -> None:
    """Check that an option is one of a few words; raises BadData."""
    if check_text(name, given, " or ".join(known)) not in known:
        choice = " or ".join(filter(None, [", ".join(known[:-1]), known[-1]]))
        raise BadData.of("unknown_option_value.option", name=name, given=given, choice=choice)


def columns_of(role: str, chosen: Any) -> tuple[str, ...]:
    """The columns that an option names, "none" for none. Raises BadData."""
    named = NONE if chosen is False else chosen
    parts = (named,) if isinstance(named, str) else named
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) for part in parts):
        raise BadData.of("name_not_a_text", role=role, chosen=chosen)
    return tuple(parts)


def names_once(role: str, given: Any) -> tuple[str, ...]:
    """The columns that an option names, each once; raises BadData."""
    if given is None or (isinstance(given, tuple) and not given):
        return ()
    named = columns_of(role, given)
    if len(set(named)) < len(named):
        raise BadData.of("column_twice.option", role=role)
    return named


def columns_by_role(option: str, given: Any) -> dict[str, tuple[str, ...]]:
    """Roles and the columns that name their members, none where headings are to say it."""
    if isinstance(given, Mapping):
        named = check_mapping(option, given, '{"car": ("car_a", "car_b")}')
        return {role: columns_of(option, columns) for role, columns in named.items()}
    return dict.fromkeys(names_once(option, given), ())


def scores_of_words(option: str, given: Any) -> dict[str, float | None]:
    """The scores that a caller gives to words of results, None for no game; raises BadData."""
    if not isinstance(given, Mapping) or not all(
        score is None or (is_number(score) and 0.0 <= score <= 1.0) for score in given.values()
    ):
        raise BadData.of("bad_outcomes", option=option, given=given)
    return {str(word): None if score is None else float(score) for word, score in given.items()}


def filters(role: str, given: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """The values of columns by which rows are chosen. Raises BadData."""
    if not isinstance(given, Mapping):
        raise BadData.of("not_a_dict", role=role, kind=type(given).__name__)
    check_mapping(role, given, '{"league": "A"}')
    return {
        column: frozenset(
            str(value).strip(" \t")
            for value in (
                [values] if isinstance(values, str) or not isinstance(values, Iterable) else values
            )
        )
        for column, values in given.items()
    }
