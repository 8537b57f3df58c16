"""`prowess look` and `systems`: how a table is understood, and what there is to rate it with."""

from __future__ import annotations

from typing import Annotated

import click

from prowess.cli.completion import complete_systems
from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.reading import ReadingOptions

GAMES_SHOWN = 5  # games that are shown
LOOK_EXAMPLES = """\b
prowess look games.csv
prowess look results.xlsx --table Results
prowess look season.csv --first 1000 -o season.html
prowess look season.csv --time Datum --date-format "day first"
prowess look week1.csv --save-plan plan.json
"""


@verb("look", epilog=LOOK_EXAMPLES)
def look_verb(
    reading: ReadingOptions,
    *,
    first: Annotated[int, Option("Show so many games as they are read.", "N")] = GAMES_SHOWN,
    save_plan: Annotated[
        str | None, Option("Write how it is read, for --plan.", "JSON", type=click.Path())
    ] = None,
    answer: AnswerOptions,
) -> None:
    """Show how the table in FILE... is understood: columns, what is left out, the first games."""
    from prowess.cli.output import write_file
    from prowess.cli.reading import read_table
    from prowess.engine.tabular import ResultTable
    from prowess.games.games import describe_games

    table = read_table(reading._replace(quiet=True))
    games = describe_games(table, first)
    if save_plan is not None:
        write_file(save_plan, table.reading.plan.to_json())
    names = list(games[0]) if games else []
    rows = [names, *([str(game[name]) for name in names] for game in games)]
    answer.give(
        lambda: table.reading.to_dict() | {"first_games": games},
        lambda: ResultTable.of_rows(games, "First games"),
        lambda: [str(table.reading), rows if games else ""],
        notes=(f"note: {note}" for note in table.reading.guesses),
    )


@verb("systems")
def systems_verb(
    *,
    name: Annotated[str | None, Argument(complete=complete_systems)] = None,
    answer: AnswerOptions,
) -> None:
    """List the rating systems, or show formula, source and parameters of NAME.

    NAME may be a system of your own, FILE.py:NAME.
    """
    from functools import partial

    from prowess.cli.output import format_definitions
    from prowess.present.declarations import format_system, summary_of, system_data
    from prowess.systems.catalogue import BY_USE, catalogue, find

    if name is not None:
        data = system_data(find(name))
        page = partial(format_system, render=format_definitions)
        answer.give_rows(data, data["parameters"], lambda found: [page(found)])
        return
    rows = [summary_of(system) for system in catalogue().values()]
    listed = [(row["name"], f"{row['summary']} [{row['rates']}]") for row in rows]
    taken = ("By use:", format_definitions([*BY_USE.items()]))
    answer.give_rows(rows, rows, lambda _: [taken, ("All:", format_definitions(listed))])
