"""The options of the reader, each declared once: its keyword, type, default, and what it means.

`read_games`, streams, the command line and the form of the import page take their options, checks
and texts from `ReaderOptions`.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

from prowess.games.arguments import check_callable, check_flag, check_mapping, check_text, refuse
from prowess.games.cells.skipped_rows import SkipBad, SkippedRows, parse_skip_bad
from prowess.games.dates import parse_day_of_year
from prowess.games.errors import BadData, quote
from prowess.games.formats.sources import ReaderSettings, take_format
from prowess.games.layout import (
    Columns,
    ForecastColumns,
    ForecastKind,
    Options,
    check_choice,
    columns_by_role,
    columns_of,
    filters,
    names_once,
    scores_of_words,
)
from prowess.games.reading import WHOLE_NUMBERS, Reading, ReadingPlan, load_columns


class ReaderOption(NamedTuple):
    """What a type and a default do not say of an option of the reader."""

    help: str
    box: str = ""  # its label in a form; forms have no box for others
    hint: str = ""  # beside the box
    such_as: str = ""  # a value, where it is a text
    metavar: str | None = None
    role: bool = False  # it names columns with a role in games or contests
    parse: Callable[[str, Any], Any] | None = None  # takes keyword and value; raises for a bad one


column = partial(ReaderOption, role=True)  # an option that names the columns of a role


WANTED = {
    "chance": {1: "one column", 2: "EXPECTED,DRAW", 3: "WIN,DRAW,LOSS"},
    "odds": {3: "WIN,DRAW,LOSS", 2: "WIN,LOSS"},
}  # columns by their number
LABEL_SEPARATORS = " _-.:/"


def parse_forecasts(option: str, given: Any) -> tuple[ForecastColumns, ...]:
    """The forecasts that `forecast` or `odds` names: a column, the columns of one, or several by
    label. Raises BadData for another number of columns than a forecast has.
    """
    kind: ForecastKind = "chance" if option == "forecast" else "odds"
    if given is None or (isinstance(given, tuple) and not given):
        return ()
    if not isinstance(given, Mapping):
        columns = columns_of(option, given)
        given = {label_columns(kind, list(columns)) if columns else option: columns}
    known = check_mapping(option, given, '{"bookmaker": ("home", "draw", "away")}')
    found = []
    for label, chosen in known.items():
        columns = columns_of(option, chosen)
        if len(columns) not in WANTED[kind] or len({*columns}) < len(columns):
            raise BadData.of(
                "not_that_many_columns.option",
                option=option,
                named=", ".join(map(quote, columns)) or "no column",
                wanted=" or ".join(WANTED[kind].values()),
            )
        found.append(ForecastColumns(label, kind, columns))
    return tuple(found)


def label_columns(kind: ForecastKind, columns: Sequence[str]) -> str:
    """The name of a forecast after its columns: of B365H, B365D and B365A it is B365."""
    if len(columns) == 1 or (len(columns) == 2 and kind == "chance"):
        return columns[0]  # the second is its chance of a draw
    before = _common_start(columns).strip(LABEL_SEPARATORS)
    behind = _common_start([name[::-1] for name in columns])[::-1].strip(LABEL_SEPARATORS)
    return before or behind or ("odds" if kind == "odds" else ",".join(columns))


def _common_start(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)  # what these share, all share
    return next(first[:end] for end in range(len(first), -1, -1) if last.startswith(first[:end]))


@dataclass(frozen=True, kw_only=True)
class ReaderOptions:
    """How a table is read; None leaves a choice to headings and cells."""

    # fmt: off
    format: Annotated[str | None, ReaderOption(
        "Format of a file whose suffix does not name it: csv, jsonl, pgn, ...", such_as="csv"
    )] = None
    table: Annotated[str | None, ReaderOption(
        "The sheet, table or file, if there are several.", "Sheet or table",
        "of a workbook or database with several", "Results", "NAME"
    )] = None
    sql: Annotated[str | None, ReaderOption(
        "A query of a database.", such_as="SELECT * FROM games", metavar="QUERY")] = None
    delimiter: Annotated[str | None, ReaderOption(
        "The character between values: , ; | tab.", "Delimiter", "; or , or | or tab", "\";\"",
        "CHARACTER")] = None
    encoding: Annotated[str | None, ReaderOption(
        "Of the text, if it is not UTF-8.", "Encoding", "utf-8, latin-1, cp1252, utf-16", "utf-8",
        "NAME")] = None
    kind: Annotated[Literal["games", "contests"] | None, ReaderOption("What the rows are.")] = None
    player_a: Annotated[Columns | None, column(
        "The first player, or the members of the first side.", "First player")] = None
    player_b: Annotated[Columns | None, column("The second.", "Second player")] = None
    result: Annotated[str | None, column(
        "The result: 1-0, 0-1, 1/2-1/2, a score from 0 to 1, ...", "Result")] = None
    score_a: Annotated[str | None, column(
        "Points of the first player.", "Points of the first")] = None
    score_b: Annotated[str | None, column("Points of the second.", "Points of the second")] = None
    winner: Annotated[Columns | None, column("The winner, by name or by side.", "Winner")] = None
    loser: Annotated[Columns | None, column("The loser.", "Loser")] = None
    draw: Annotated[str | None, column(
        "Whether a game was drawn, beside a winner.", "Drawn")] = None
    time: Annotated[str | None, column("The date, with or without a time.", "Date")] = None
    round: Annotated[Columns | None, column(
        "The table's own rounds, for --period round.", "Round")] = None
    neutral: Annotated[str | None, column(
        "Whether the ground was neutral.", "Neutral ground")] = None
    weight: Annotated[str | None, column("How much a game counts.", "Weight")] = None
    margin: Annotated[str | None, column("The margin of the first player's win.", "Margin")] = None
    length: Annotated[str | None, column("How long a game was.", "Length")] = None
    league: Annotated[str | None, column("The league of a game.")] = None
    context: Annotated[str | None, column(
        "Where players may be better or worse: surface, map, ...")] = None
    variant: Annotated[str | None, column("The kind of a game: best of 3 or 5, ...")] = None
    voter: Annotated[str | None, column("Who judged a game: a voter, an annotator.")] = None
    contest: Annotated[Columns | None, column("The contest of a row.", "Contest")] = None
    player: Annotated[Columns | None, column(
        "In a table of contests, the player.", "Player")] = None
    team: Annotated[str | None, column(
        "In a table of contests, the side of the player.", "Team of a player")] = None
    share: Annotated[str | None, column(
        "How much of a contest the player took part in.", "Share of a player")] = None
    place: Annotated[str | None, column(
        "In a table of contests, the place, 1 the best.", "Place")] = None
    points: Annotated[Columns | None, column(
        "In a table of contests, what decides: more is better, -COLUMN: less is.", "Points")] = None
    facts: Annotated[Columns, ReaderOption(
        "Further columns to keep, numbers or words.", "Facts beside those in fact_ columns",
        parse=names_once)] = ()
    fact_prefix: Annotated[str | None, ReaderOption(
        "How the headings of further facts begin.", such_as="fact_")] = None
    forecast: Annotated[Columns | Mapping[str, Columns], ReaderOption(
        "Forecasts of others: chances.", parse=parse_forecasts)] = ()
    odds: Annotated[Columns | Mapping[str, Columns], ReaderOption(
        "Forecasts of others: decimal odds.", parse=parse_forecasts)] = ()
    per: Annotated[Columns, ReaderOption(
        "Each player gets a member for each value: Nadal@clay.", parse=names_once)] = ()
    with_: Annotated[Columns | Mapping[str, Columns], ReaderOption(
        "Members that players share: car, of columns car_a and car_b.",
        parse=columns_by_role)] = ()
    family: Annotated[bool, ReaderOption(
        "Members of families, from names: Stockfish of 'Stockfish 17.1'.",
        parse=check_flag)] = False
    unplaced: Annotated[Literal["last", "skip"] | None, ReaderOption(
        "In a table of contests, rows without a place (DNF, ...): last place, or left out.",
        "Without a place (DNF)", "last, skip")] = None
    teams: Annotated[Literal["members", "commas", "names"] | None, ReaderOption(
        "Whether 'Ann & Bob' is two members of a side (with commas: also 'Ann, Bob') or "
        "one name.", "Names such as A & B", "members: two players; names: one player")] = None
    side: Annotated[str | None, ReaderOption(
        "The side that has White, or is at home.", "Side with the advantage",
        such_as="a, none, or the name of a column", metavar="a|none|COLUMN")] = None
    score: Annotated[Literal["share"] | None, ReaderOption(
        "share: the score is the share of the points.")] = None
    date_format: Annotated[str | None, ReaderOption(
        "How dates are written: %d/%m/%Y, ...", "Date format",
        "%d.%m.%Y, %m/%d/%Y, excel, seconds", "%d/%m/%Y", "FORMAT")] = None
    byes: Annotated[Literal["players", "names", "wins"] | None, ReaderOption(
        "players: a name such as bye or spielfrei is a player's; names: only one such as "
        "None is; wins: a bye is a point in a table of points.")] = None
    walkovers: Annotated[Literal["wins"] | None, ReaderOption(
        "wins: a walkover counts; else it is left out.")] = None
    order: Annotated[str | None, ReaderOption(
        "The order of undated rows.", "Order of the rows", "file, reversed, or a column",
        "reversed", "file|reversed|COLUMN")] = None
    outcomes: Annotated[Mapping[str, float | None] | None, ReaderOption(
        "What a word of a result means: 1, 0.5 or 0 for the first side, none for no game.",
        parse=scores_of_words)] = None
    names: Annotated[Any, ReaderOption(
        "Synonyms: two columns, name in the table and name to use.")] = None
    season: Annotated[str | None, ReaderOption(
        "When a season begins: the column that names it, or a day such as 07-01.",
        such_as="07-01", metavar="COLUMN|MM-DD")] = None
    player_facts: Annotated[Any, ReaderOption(
        "Facts of players: player, perhaps date, and birth year, K, games before, ...")] = None
    plan: Annotated[Any, ReaderOption(
        "Read as an earlier table: the file that `prowess look --save-plan` wrote.")] = None
    where: Annotated[Mapping[str, Any] | None, ReaderOption(
        "Keep only rows with one of these values.", parse=filters)] = None
    exclude: Annotated[Mapping[str, Any] | None, ReaderOption(
        "Leave such rows out.", parse=filters)] = None
    skip_bad: Annotated[SkipBad, ReaderOption(
        "Leave out rows that cannot be read, and name them: a few, or so many.")] = False
    report: Annotated[Callable[[BadData], Any] | None, ReaderOption(
        "What is told of each row left out.", parse=check_callable)] = None
    compiled: Annotated[bool | None, ReaderOption(
        "Which reader; None chooses by size.", parse=check_flag)] = None
    warn: Annotated[bool, ReaderOption(
        "Whether what is probably not meant so is warned of.", parse=check_flag)] = True
    # fmt: on

    def follow(self, plan: ReadingPlan) -> ReaderOptions:
        """These options and, where they leave a choice open, those of a plan; raises BadData."""
        declared, found = declare_options(), dict[str, Any](plan=plan)
        for name, value in plan.options.items():
            if name not in declared or name in OF_ONE_TABLE:
                what = f"the plan has an option {quote(name)}, which is none"
                raise BadData.of("not_a_plan", what=what)
            if (own := getattr(self, name)) == declared[name].default:
                found[name] = value
            elif name == "outcomes":
                found[name] = {**value, **own}
        return replace(self, **found)


OF_ONE_TABLE = frozenset(
    {"compiled", "names", "plan", "player_facts", "report", "skip_bad", "warn"}
)


def make_plain(value: Any) -> Any:
    """A value of an option as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): make_plain(each) for key, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [*map(make_plain, sorted(value, key=str) if isinstance(value, Set) else value)]
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def load_plan(given: Any) -> ReadingPlan:
    """The plan of a reading, of plain data or of a file; raises BadData for another value."""
    if isinstance(given, ReadingPlan | Reading):
        return given if isinstance(given, ReadingPlan) else given.plan
    if not isinstance(given, Mapping | str | os.PathLike):
        raise refuse("give plan as a path, or as the plan of a reading", given, code="not_a_plan")
    file = None if isinstance(given, Mapping) else os.fspath(given)
    plain: Any = given
    try:
        if file is not None:
            plain = json.loads(Path(file).read_text(encoding="utf-8"))
        return ReadingPlan(plain["kind"], plain["shape"], load_columns(plain), {**plain["options"]})
    except OSError as error:
        what = f"the plan cannot be read: {error.strerror}"
        raise BadData.of("not_a_plan", file=file, what=what) from None
    except (KeyError, TypeError, ValueError):
        raise BadData.of("not_a_plan", file=file, what="this is no plan of a reading") from None


class DeclaredOption(NamedTuple):
    """An option of the reader as it is declared."""

    kind: Any  # the type, without what is said of it
    default: Any
    said: ReaderOption
    words: tuple[str, ...]  # among which it chooses


@cache
def declare_options() -> dict[str, DeclaredOption]:
    """All options of the reader by their keywords."""
    hints = get_type_hints(ReaderOptions, include_extras=True)
    parts = {one.name: (*get_args(hints[one.name]), one.default) for one in fields(ReaderOptions)}
    return {
        name: DeclaredOption(
            kind, default, said,
            tuple(one for each in get_args(kind) for one in get_args(each) if isinstance(one, str)),
        )
        for name, (kind, said, default) in parts.items()
    }  # fmt: skip


def make_signature(returned: str) -> Signature:
    """The signature of a function of a source and the options of the reader."""
    found = [Parameter("source", Parameter.POSITIONAL_OR_KEYWORD, annotation="Any")]
    for one in fields(ReaderOptions):
        hint = ast.parse(str(one.type), mode="eval").body  # Annotated[TYPE, ...]
        kind = ast.unparse(hint.slice.elts[0])  # type: ignore[attr-defined]
        found.append(
            Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=kind)
        )
    return Signature(found, return_annotation=returned)


def make_settings(
    function: str, options: Mapping[str, Any]
) -> tuple[ReaderOptions, ReaderSettings]:
    """The options that are keywords of a function, and the settings of the readers of files.

    Raises BadData, BadArgument, and TypeError for an unknown keyword.
    """
    from prowess.games.formats.small_files import read_player_facts

    for name in (one for one in options if one not in declare_options()):
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
    given = ReaderOptions(**options)
    if given.plan is not None:
        given = given.follow(load_plan(given.plan))
    beside = {"season": given.season, "player_facts": given.player_facts}
    if given.player_facts is not None:
        beside["player_facts"] = read_player_facts(given.player_facts)
    parsed = parse_options(given)
    further = {  # of these options what a further table needs as well, as plain data
        name: make_plain(getattr(given, name)) for name, one in declare_options().items()
        if name not in OF_ONE_TABLE and getattr(given, name) != one.default
    }  # fmt: skip
    return given, ReaderSettings(
        parsed, given.format, given.delimiter, given.encoding, given.compiled,
        given.table, given.sql, given.plan, further, beside=beside,
    )  # fmt: skip


def parse_options(given: ReaderOptions) -> Options:
    """The options as the readers of tables take them; raises BadData and BadArgument."""
    from prowess.games.role_members import FAMILY, check_roles

    made: dict[str, Any] = {}
    for name, one in declare_options().items():
        if (value := getattr(given, name)) is None or value is one.default:
            continue
        if one.said.such_as:
            check_text(name, value, one.said.such_as)
        if one.words:
            check_choice(name, value, one.words)
        made[name] = value if one.said.parse is None else one.said.parse(name, value)
    if given.format is not None:
        take_format(given.format)
    if given.skip_bad is not False:
        parse_skip_bad(given.skip_bad)
    along, family, per = made.get("with_", {}), given.family, made.get("per", ())
    if per or along or family:
        check_roles(per, (*along, *[FAMILY] * family))
    if given.byes == "wins" and (per or along or family):
        raise BadData.of("byes_of_roles")
    facts = made.get("facts", ())
    if given.season is not None and parse_day_of_year(given.season) is None:
        facts = tuple(dict.fromkeys((*facts, given.season)))
    roles = [name for name, one in declare_options().items() if one.said.role]
    same = {one.name for one in fields(Options)}.difference(roles)
    return Options(**{name: value for name, value in made.items() if name in same} | {
        "roles": {role: columns_of(role, made[role]) for role in roles if role in made},
        "share": given.score is not None,
        "facts": facts,
        "forecasts": (*made.get("forecast", ()), *made.get("odds", ())),
        "along": along,
        "byes": given.byes != "players",
        "nobody": given.byes in {None, "wins"},
        "bye_wins": given.byes == "wins",
        "walkovers": given.walkovers is not None,
        "whole_points": given.plan.find_columns(WHOLE_NUMBERS) if given.plan else frozenset(),
    })  # fmt: skip


# The keywords of a stream: those of `read_games` that need no more than one row after another.


def parse_settings(function: str, options: Mapping[str, Any]) -> tuple[ReaderSettings, SkippedRows]:
    """The settings of a reader that sees a table once; raises BadData and TypeError."""
    given, settings = make_settings(function, options)
    _refuse_whole_tables(settings.options, given)
    return settings, SkippedRows(given.skip_bad, given.report)


def _refuse_whole_tables(options: Options, given: ReaderOptions) -> None:
    """Refuse options that need all rows of a table; raises BadData."""
    needs = {
        "per": options.per, "with_": options.along, "family": options.family,
        "forecast": given.forecast, "odds": given.odds, "names": given.names,
        "sql": given.sql, "share": "share" in options.roles,
        "order": options.order not in {None, "file"},
    }  # fmt: skip
    for name, needed in needs.items():
        if needed:
            raise BadData.of("needs_whole_table.option", name=name)
