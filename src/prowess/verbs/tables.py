"""What the public functions take: tables in any form, ratings or a table, names of systems.

Columns and parameters stand in one call: `rate(df, player_a="p", k=40)`. A keyword that both the
reader and the system know is refused; `params` has parameters only, whatever they are called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast
from warnings import warn

from prowess.games.arguments import (
    BadArgument,
    check_given,
    check_mapping,
    check_series,
    check_text,
    is_number,
    refuse,
)
from prowess.games.errors import brief

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.ratings import Ratings
    from prowess.games.by_league import LeagueTables
    from prowess.games.games import Games
    from prowess.study.judging import Selection


DEFAULT_SYSTEM = "prowess"
LIKELY = ("elo", "glicko2", "glicko", "trueskill")  # where parameters are named, but no system
Keywords = dict[str, Any]
R = TypeVar("R", bound="Ratings")
PAIRS = '[("Ann", "Bob"), ("Cleo", "Dan")]'
SIDE_HEADINGS = (("home", "away"), ("white", "black"), ("player_a", "player_b"), ("a", "b"))
SPAN_REMEDY = "give frozen= (--frozen) a span such as 7d or 1mo, or another column"
TUPLES = 'give a path, a dict of columns, a DataFrame, or games such as [("Ann", "Bob", 1)]'


@cache
def reader_options() -> frozenset[str]:
    """The keywords of `read_games`."""
    from prowess.games.formats.reader_options import declare_options

    return frozenset(declare_options()) - {"compiled"}


def take_keywords(
    games: Any, system: Any, keywords: Mapping[str, Any], params: Mapping[str, Any] | None = None
) -> tuple[System, Keywords, Keywords]:
    """The system, the keywords that are options of the reader, and those that are parameters.

    `params` are parameters, also where the reader has an option of that name; beside them a keyword
    that both know is the reader's. Else, of games that are read already it is a parameter, and of
    others it is refused.

    Where no system is named and `prowess` lacks a parameter that is given, the first of LIKELY that
    has all of them is taken, with a warning. Raises BadArgument, UnknownSystem and BadSystem.
    """
    from prowess.games import Games

    own = check_mapping("params", {} if params is None else params, '{"k": 40}')
    given = [name for name in keywords if name not in reader_options()]
    chosen = take_system(system)
    if system is None and not {*given, *own} <= {*chosen.params._fields}:
        chosen = guess_system([*given, *own], chosen)
    both = sorted({*chosen.params._fields} & reader_options() & {*keywords})
    if isinstance(games, Games):
        given += both
    elif both and params is None:
        name = both[0]
        raise BadArgument.of("option_and_parameter", name=name, chosen=chosen.name)
    if twice := sorted(own.keys() & {*given}):
        raise BadArgument.of("setting_twice.params", name=twice[0])
    reading = {name: value for name, value in keywords.items() if name not in given}
    return chosen, reading, {name: keywords[name] for name in given} | own


def guess_system(given: Sequence[str], default: System) -> System:
    """The first of LIKELY with all these parameters, with a warning; or else the default."""
    for system in map(take_system, LIKELY):
        if {*given} <= {*system.params._fields}:
            names = ", ".join(given)
            message = f'name the system, as in "{system.name}", which is taken because of {names}'
            warn(f"{message}: the default, {default.name}, has no such parameter", stacklevel=4)
            return system
    return default


class ResultsReader(Protocol):
    """Results that are read in a way of their own, once the other arguments are checked."""

    def read_games(self, **options: Any) -> Games:
        """Read the results; options as of `prowess.read_games`."""


def take_games(games: Any, reading: Mapping[str, Any] | None = None) -> Games:
    """A table that was read, a ResultsReader, or anything `read_games` reads.

    Raises BadData and BadArgument.
    """
    from prowess.games import Games, read_games

    options = dict(reading or {})
    if isinstance(games, Games):
        if (facts := options.pop("player_facts", None)) is not None:
            from prowess.games.formats.small_files import read_player_facts

            table = games.replace(player_facts=read_player_facts(facts))
            return take_games(table, options)
        if options:
            names = " and ".join(options)
            raise BadArgument.of("already_read", names=names)
        return games
    if callable(getattr(type(games), "read_games", None)):
        return cast("ResultsReader", games).read_games(**options)
    if games is None or isinstance(games, bool | int | float | complex | bytes | set | type):
        raise refuse(TUPLES, games, code="not_a_table")
    try:
        return read_games(games, **options)
    except TypeError as error:
        unknown = set(options) - reader_options()
        if unknown:
            raise BadArgument.of(
                "unknown_option", options=" and ".join(sorted(unknown)), error=error
            ) from None
        raise


def idle_facts(reading: Mapping[str, Any]) -> dict[str, Any]:
    """The facts among the keywords of the reader, for a system that reads none."""
    facts = reading.get("facts") or None
    return {"facts": None if facts == "none" else facts}


def note_reading(ratings: R, source: Any) -> R:
    """The ratings with the notes of the reading first, where their source was read for them.

    The notes of a table that the caller read are in the caller's hands.
    """
    from dataclasses import replace

    from prowess.games import Games

    notes = () if isinstance(source, Games) else ratings.table.notes
    return replace(ratings, notes=(*map(str, notes), *ratings.notes)) if notes else ratings


def check_by(by: Any) -> list[str]:
    """The columns that tell leagues apart; raises BadArgument."""
    names = [by] if isinstance(by, str) else check_series("by", by, '["country", "division"]')
    for name in names:
        check_text("by", name, "league")
    if not names or len(set(names)) < len(names):
        raise BadArgument.of("columns_twice", by=str(by))
    return names


def take_leagues(games: Any, by: Sequence[str], reading: Mapping[str, Any]) -> LeagueTables:
    """A table cut by one or several columns, which are read as facts of it; raises BadData."""
    from prowess.games import Games
    from prowess.games.by_league import cut_by_league

    if not isinstance(games, Games):
        reading = {**reading, "facts": keep_facts(reading, by)}
    with name_columns(by=by):
        return cut_by_league(take_games(games, reading), by)


def keep_facts(reading: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The facts of these keywords of the reader, and further columns that no other one names."""
    from prowess.games.games import CATEGORIES

    given = reading.get("facts") or ()
    facts = [given] if isinstance(given, str) else list(given)
    categories = {*reading} & {*CATEGORIES}
    return list(dict.fromkeys((*facts, *(name for name in names if name not in categories))))


@contextmanager
def name_columns(**asked: Any) -> Iterator[None]:
    """Name in an error of the reader the keyword that asked for a column, which it takes as a fact.

    `asked` are keywords with a column, several columns or None.
    """
    from prowess.games import BadData
    from prowess.games.errors import quote

    try:
        yield
    except BadData as error:
        for keyword, names in asked.items():
            columns = [names] if isinstance(names, str) else names or ()
            if any(
                f"facts= names {of}{quote(name)}" in error.what
                for name in columns
                for of in ("column ", "")
            ):
                flag = f"{keyword}= (--{keyword.replace('_', '-')})"
                other = SPAN_REMEDY if keyword == "frozen" else f"name another with {flag}"
                remedy = other if "facts=" in str(error.remedy) else error.remedy
                raise error.reword(error.what.replace("facts=", flag), remedy) from None
        raise


def take_system(system: Any) -> System:
    """A system by name or as a value, None for the default; raises UnknownSystem and BadSystem."""
    from prowess.systems.catalogue import find

    if isinstance(system, bytes):
        raise BadArgument.of("name_not_a_text.tables", system=system)
    return find(DEFAULT_SYSTEM if system is None else system)


def take_selections(systems: Any, beside: Sequence[str] = ()) -> list[Selection]:
    """Systems as texts (`elo:k=20`, `glicko2@1mo`, or several with commas), values, or both.

    Names in `beside` are left out; raises BadArgument where there is nothing beside them, either.
    """
    from prowess.study.judging import Selection

    if isinstance(systems, str):
        return parse_selections(systems, beside)
    if isinstance(systems, Mapping | bytes) or not isinstance(systems, Iterable):
        raise BadArgument.of("not_a_list.tables", systems=systems)
    found: list[Selection] = []
    for one in systems:
        if isinstance(one, str):
            found += parse_selections(one, beside)
        elif isinstance(one, tuple) and len(one) == 2 and isinstance(one[1], Mapping):
            from prowess.study.judging import format_settings

            raise BadArgument.of(
                "pair_as_system", system=one[0], settings=format_settings(one[1]), one=one
            )
        else:
            system = take_system(one)
            found.append(Selection(system.name, system, {}, None))
    if not found:
        raise BadArgument.of("no_systems.tables")
    return found


def keep_column(columns: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Keywords of the reader with a further column as a fact, unless the table has it anyway."""
    from prowess.engine.table import OF_GAMES

    given = columns.get("facts", ())
    facts = [given] if isinstance(given, str) else list(given)
    there = name in facts or name in OF_GAMES
    return dict(columns) if there else {**columns, "facts": [*facts, name]}


def keep_facts_apart(columns: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Keywords of the reader with columns as facts, which the table then has as nothing else.

    A column that the caller names for the table stays: `round="week"` beside a fact `week`.
    """
    from prowess.engine.table import OF_GAMES

    apart = {*names} & OF_GAMES & reader_options() - {"score"}  # without one there are no games
    facts = {"facts": keep_facts(columns, names)} if names else {}
    return {**dict.fromkeys(apart, "none"), **columns, **facts}


def keep_span(columns: Mapping[str, Any], frozen: str | None, games: Any = None) -> dict[str, Any]:
    """Keywords of the reader with the column that `frozen` names, if it names one, as a fact.

    A table that was read has it already, or `number_spans` refuses it.
    """
    from prowess.engine.periods import BY_LABEL, SPAN_BY_TABLE, BadPeriod, parse_period
    from prowess.games import Games

    named = check_given(check_text, "frozen", frozen, "7d") not in (None, BY_LABEL, SPAN_BY_TABLE)
    if not named or isinstance(games, Games):
        return dict(columns)
    try:
        parse_period(str(frozen))
    except BadPeriod:
        return keep_column(columns, str(frozen))
    return dict(columns)


def take_pairs(name: str, games: Any) -> list[tuple[Any, Any]]:
    """Pairs of players or of line-ups; raises BadArgument, with the remedy for a frame."""
    return [(a, b) for a, b in take_sides(name, games, most=2)]


def take_sides(name: str, games: Any, most: int | None = None) -> list[tuple[Any, ...]]:
    """Games of two or more players or line-ups; raises BadArgument, with the remedy for a frame."""
    columns = getattr(games, "columns", None)
    if columns is None and isinstance(games, Mapping):
        columns = games
    if columns is not None:
        names = [str(one) for one in columns]
        a, b = find_pair_columns(names)
        raise BadArgument.of("frame_of_fixtures", name=name, a=a, b=b, names=names)
    pairs = []
    for number, pair in enumerate(check_series(name, games, PAIRS), 1):
        if not isinstance(pair, list | tuple) or not 2 <= len(pair) <= (most or len(pair)):
            raise BadArgument(
                f"{name.removesuffix('s').capitalize()} {number} should be two names"
                f"{'' if most else ' or more'}, such as "
                f'("Ann", "Bob"), not {show_start(pair)}.',
                code="not_a_pair",
            )
        pairs.append(tuple(map(check_side_names, pair)))
    return pairs


def find_pair_columns(names: Sequence[str]) -> tuple[str, str]:
    """The headings that are probably those of the two sides: home and away, or the first two."""
    for a, b in SIDE_HEADINGS:
        found = [[one for one in names if one.casefold().startswith(side)] for side in (a, b)]
        if all(found):
            return found[0][0], found[1][0]
    return (names[0], names[1]) if len(names) > 1 else ("home", "away")


def show_start(value: Any) -> str:
    """The start of a list, other values in a few characters."""
    if isinstance(value, list | tuple) and value:
        return f"[{brief(value[0])}{', …' if len(value) > 1 else ''}]"
    return brief(value)


def refuse_repeated(names: Sequence[str]) -> None:
    """Raise BadArgument for a player who is named twice."""
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadArgument.of("player_twice.name", name=twice)


def check_side_names(one: Any) -> Any:
    """A player or a line-up, members with their shares as tuples; raises BadArgument."""
    if isinstance(one, str):
        return one
    if has_share(one):
        return [tuple(one)]
    members = one if isinstance(one, list | tuple) else ()
    if members and all(isinstance(name, str) or has_share(name) for name in members):
        return [name if isinstance(name, str) else tuple(name) for name in members]
    raise BadArgument.of("not_a_side.tables", one=one)


def has_share(one: Any) -> bool:
    """Whether this is a name with a share; raises BadArgument for a share outside (0, 1]."""
    if not (isinstance(one, list | tuple) and len(one) == 2 and isinstance(one[0], str)):
        return False
    if not is_number(one[1]):
        return False
    if not 0.0 < one[1] <= 1.0:
        remedy = f"give {one[0]!r} a share of the game above 0, at most 1"
        raise refuse(remedy, one[1], code="not_a_share")
    return True


# Systems as texts: `elo:k=20,advantage=60,glicko2@1mo`, a bank `elo:k=8/16/32`.


def parse_selections(text: str, beside: Sequence[str] = ()) -> list[Selection]:
    """NAME[:SETTING=VALUE,...][@PERIOD], separated by commas; settings and periods are checked.

    SETTING=VALUE/VALUE/... is a bank, and a colon may stand between settings. Names in `beside`
    may be named too and are left out: they are no systems and take part anyway. Raises
    UnknownSystem, BadSetting, BadPeriod.
    """
    from prowess.engine.params import BadSetting

    entries = split_entries(text)
    if not entries:
        raise BadSetting.of("no_systems.stack")
    return [parse_selection(label) for label in entries if label not in beside]


def parse_selection(label: str) -> Selection:
    """One system of the list."""
    from prowess.engine.params import BadSetting
    from prowess.engine.whole_table import WholeTable
    from prowess.study.judging import Selection
    from prowess.systems.catalogue import find

    rest, at, period = label.partition("@")
    parts = rest.split(":")
    own = parts[0].endswith(".py") and len(parts) > 1 and "=" not in parts[1]  # FILE.py:NAME
    name = ":".join(parts[: 1 + own]).strip()
    params: dict[str, Any] = {}
    for pair in filter(None, ",".join(parts[1 + own :]).split(",")):
        setting, sign, value = pair.partition("=")
        if not sign:
            raise BadSetting.of("not_a_setting", label=label, pair=pair)
        params[setting.strip()] = split_values(pair, value, "/") if "/" in value else value.strip()
    system = find(name)
    check_settings(system, params, period or None)
    if at and isinstance(system, WholeTable):
        raise BadSetting.of("no_periods.tables", period=period, label=label, name=name)
    return Selection(label, system, params, period or None)


def split_entries(text: str) -> list[str]:
    """The entries of the list; `SETTING=VALUE` after a comma belongs to the system before it."""
    entries: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        setting = "=" in part and ":" not in part.partition("=")[0]
        if setting and entries and ":" in entries[-1]:
            entries[-1] += f",{part}"
        else:
            entries.append(part)
    return entries


def split_values(text: str, listed: str, mark: str) -> list[str]:
    """The values of a list, none of them empty; `text` is what an error repeats."""
    from prowess.engine.params import BadSetting

    values = [value.strip() for value in listed.split(mark)]
    if not all(values):
        raise BadSetting.of("one_value.tables", mark=mark, text=text)
    return values


def check_settings(
    system: System,
    params: Mapping[str, Any],
    period: str | None,
    bank: Mapping[str, list[str]] | None = None,
) -> None:
    """Refuse wrong settings, periods and banks before a long file is read."""
    from prowess.engine.params import BadSetting, settings
    from prowess.engine.periods import BY_LABEL, parse_period

    settings(system, params)
    if period not in (None, BY_LABEL):
        parse_period(period)
    for name, values in (bank or {}).items():
        if len(values) == 1:
            one = f"{name}={values[0]}"
            raise BadSetting.of("setting_twice.bank", one=one)
