"""From options to ratings: what `rate`, `forecast` and `history` have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from prowess.cli.banks import bank, check_bank, with_bank
from prowess.cli.columns import reading_options, table_of
from prowess.cli.fitting import fitting_options
from prowess.cli.inflation import inflation_options, rules_of

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games

F = TypeVar("F", bound=Callable[..., Any])

WATCHED = 50_000  # games; for fewer there is nothing to watch


def settings(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    """`NAME=VALUE` pairs, a name once."""
    given: dict[str, str] = {}
    for text in values:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE")
        if name.strip() in given:
            raise click.BadParameter(f"give {name.strip()} once: it is set twice")
        given[name.strip()] = value.strip()
    return given


def day(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """A date as the end of that day, in days since 1970."""
    if value is None:
        return None
    from prowess.rating import end_of_day

    try:
        return end_of_day(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def system_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """Completions of a system's name; the files are read, not run, which is much quicker."""
    from click.shell_completion import CompletionItem

    if "/" in begun or ".py" in begun:
        return [CompletionItem(begun, type="file")]
    import re
    from pathlib import Path

    room = Path(__file__).parent.parent / "systems"
    named = re.compile(r"""^(?:[A-Z0-9_]+ = .*|\s+)\bname=["']([\w-]+)["']""", re.MULTILINE)
    found = {
        name
        for file in room.glob("*/*.py")
        for name in named.findall(file.read_text(encoding="utf-8"))
    }
    return [CompletionItem(name) for name in sorted(found) if name.startswith(begun)]


def rating_options(function: F) -> F:
    """FILES and all options of reading and rating."""
    options = [
        click.argument(
            "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True)
        ),
        click.option(
            "--system", "-s", metavar="NAME", shell_complete=system_names,
            help="A name from `prowess systems`, or a system of your own, FILE.py:NAME.",
        ),
        click.option(
            "--set", "params", multiple=True, metavar="NAME=VALUE", callback=settings,
            help="Another value for a parameter of the system.",
        ),
        click.option(
            "--bank", multiple=True, metavar="NAME=VALUE,VALUE", callback=bank,
            help="Several values of a parameter at once, mixed by how well each forecasts.",
        ),
        click.option(
            "--period", metavar="7d|1mo|round",
            help="Judge the games of a period together: 12h, 7d, 2w, 1mo, 1y, or round.",
        ),
        click.option(
            "--as-of", metavar="DATE", callback=day, help="Leave out all games after that day."
        ),
        click.option(
            "--start", metavar="CSV", type=click.Path(),
            help="Ratings to begin with: player, rating, deviation, ...",
        ),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors."),
    ]  # fmt: skip
    function = inflation_options(fitting_options(reading_options(function)))
    for option in reversed(options):
        function = option(function)
    return function


def rated(options: dict[str, Any], forecasts: bool = False) -> Ratings:
    """Read and rate as the options say, and tell on stderr what was assumed."""
    from prowess.cli.talk import progress, say
    from prowess.engine.periods import BadRounds
    from prowess.engine.system import Dynamic
    from prowess.engine.whole_table import WholeTable
    from prowess.rating import rate

    quiet = options["quiet"]
    rules = rules_of(options)
    params = with_bank(options["params"], options["bank"])
    system = None if options["system"] is None else chosen(options["system"])
    if system is not None:
        check_settings(system, params, options["period"])
        check_bank(options["bank"])
    table = table_of(options["files"], options, quiet)
    if system is None:
        system = default_for(table)
        check_settings(system, params, options["period"])
        check_bank(options["bank"])
        say(f"system {system.name}, the default for such a table (--system chooses)", quiet)
    start = None
    if options["start"]:
        from prowess.cli.starting import starting_ratings

        if isinstance(system, WholeTable):
            raise click.UsageError(f"--start: {system.name} looks at the whole table at once")
        start = starting_ratings(options["start"], table.players, system, quiet)
    try:
        ratings = rate(
            table,
            system,
            period=options["period"],
            as_of=options["as_of"],
            initial=start,
            rules=rules,
            forecasts=forecasts,
            anchors=options["anchors"],
            level=options["level"],
            reference=options["reference"],
            progress=progress() if len(table) > WATCHED and not quiet else None,
            **params,
        )
    except BadRounds as error:
        asked = options["period"]
        if (
            asked is None
            or not table.pairwise
            or (isinstance(system, Dynamic) and system.rounds == "game")
        ):
            raise click.UsageError(str(error)) from None
        raise
    if options["bootstrap"]:
        ratings = resampled(ratings, options["bootstrap"], options["seed"])
    for note in ratings.notes:
        say(f"note: {note}", quiet)
    return ratings


def resampled(ratings: Ratings, count: int, seed: int) -> Ratings:
    """The ratings with intervals from so many resamplings."""
    from prowess.engine.fit import WholeTableRatings

    if not isinstance(ratings, WholeTableRatings):
        raise click.UsageError(
            f"--bootstrap: {ratings.system.name} rates game by game; a whole-table system such as "
            "bradley_terry can be resampled"
        )
    return ratings.bootstrapped(count, seed)


def chosen(name: str) -> System:
    """A system by name or `FILE.py:NAME`."""
    from prowess.systems.catalogue import find

    return find(name)


def default_for(table: Games) -> System:
    """The system that is taken where none is named."""
    from prowess.rating import default_for as name_for

    return chosen(name_for(table))


def check_settings(system: System, params: dict[str, Any], period: str | None) -> None:
    """Refuse wrong settings and periods before a long file is read."""
    from prowess.engine.params import settings as checked
    from prowess.engine.periods import BY_LABEL, parse_period

    checked(system, params)
    if period not in (None, BY_LABEL):
        parse_period(period)
