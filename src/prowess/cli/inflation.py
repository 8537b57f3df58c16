"""Options for the rules against inflation, and the file that says who left when."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from prowess.cli.starting import numbered

if TYPE_CHECKING:
    from prowess.engine.inflation import Rule

F = TypeVar("F", bound=Callable[..., Any])


def inflation_options(function: F) -> F:
    """The options, as keywords of the same names."""
    options = [
        click.option(
            "--departed-after", metavar="SPAN",
            help="Who is idle so long (1y, 6mo) has left: what he gained goes to the others.",
        ),
        click.option(
            "--departures", metavar="CSV", type=click.Path(),
            help="Who left when: player, date.",
        ),
        click.option(
            "--newcomers-mean", type=float, metavar="RATING",
            help="Shift the newcomers of every month to this mean.",
        ),
        click.option(
            "--rules-every", metavar="SPAN", default="1mo", show_default=True,
            help="How often departures and newcomers are looked at.",
        ),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def rules_of(options: dict[str, Any]) -> list[Rule]:
    """The rules that the options ask for."""
    from prowess.engine.inflation import NewcomersMean, Redistribution
    from prowess.engine.periods import parse_period

    every = options["rules_every"]
    for span in (every, options["departed_after"]):
        if span is not None:
            parse_period(span)
    rules: list[Rule] = []
    if options["newcomers_mean"] is not None:
        rules.append(NewcomersMean(options["newcomers_mean"], every))
    if options["departed_after"] or options["departures"]:
        departures = departed(options["departures"]) if options["departures"] else ()
        rules.append(Redistribution(options["departed_after"], every, departures))
    return rules


def departed(file: str) -> tuple[tuple[str, float], ...]:
    """(player, day since 1970) of every row; raises BadData with line and column."""
    from prowess.games import BadData
    from prowess.rating import end_of_day

    rows = numbered(file)
    first, header = next(rows, (1, []))
    if sorted(header) != ["date", "player"]:
        what, remedy = "the columns are not player and date", "write player,date in the first line"
        raise BadData(what, file=file, line=first, remedy=remedy)
    departures = []
    for line, row in rows:
        if len(row) != 2:
            what = f"{len(row)} values where the header has 2"
            raise BadData(what, file=file, line=line, remedy="mend the row")
        values = dict(zip(header, row, strict=True))
        try:
            departures.append((values["player"].strip(" \t"), end_of_day(values["date"])))
        except ValueError as error:
            remedy = "write 2024-06-30"
            raise BadData(str(error), file=file, line=line, column="date", remedy=remedy) from None
    return tuple(departures)
