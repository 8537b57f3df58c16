"""`prowess stack`: several systems' forecasts mixed into one, and judged beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.exits import INTERRUPTED
from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions, check_suffix
from prowess.cli.rating import Level, Metric, WarmUp
from prowess.cli.reading import ReadingOptions
from prowess.cli.selection import Systems
from prowess.cli.verbs.compare import Forecasts
from prowess.cli.verbs.forecast import Side
from prowess.cli.workers import WorkerOptions

if TYPE_CHECKING:
    from prowess.engine.system import Chances
    from prowess.study.stack import Stack

MEMBERS = "prowess,elo:k=8,elo,elo:k=64,glicko,glicko2@1mo,trueskill,weng_lin"
EXAMPLES = """\b
prowess stack games.csv
prowess stack games.csv --systems elo,glicko2@1mo,trueskill --save-forecasts mixed.csv
prowess stack games.csv --game "Ada Lovelace" "Alan Turing" --side a
"""


@verb("stack", epilog=EXAMPLES)
def stack_verb(
    reading: ReadingOptions,
    *,
    systems: Annotated[
        Systems,
        "The members: NAME[:SETTING=VALUE,...][@PERIOD], separated by commas. Default: "
        f"{MEMBERS}; glicko2 without a period in contests and without dates.",
    ] = None,
    forecast: Annotated[
        Forecasts,
        "A member too: a column with the chance of the first side, or EXPECTED,DRAW, or "
        "WIN,DRAW,LOSS.",
    ] = (),
    odds: Annotated[
        Forecasts, "A member too: decimal odds WIN,DRAW,LOSS, or WIN,LOSS without draws."
    ] = (),
    game: Annotated[
        tuple[str, str] | None,
        Option("Forecast a further game between two players.", "A B"),
    ] = None,
    side: Side = "none",
    save_forecasts: Annotated[
        str | None,
        Option(
            "Write the forecasts of all games to this file.",
            "CSV",
            parse=lambda name: check_suffix(name, (".csv",)),
        ),
    ] = None,
    metric: Metric = None,
    warm_up: Annotated[
        WarmUp, "Share of the games, the first ones, that are learnt from and not judged."
    ] = 0.2,
    level: Level = 0.95,
    workers: WorkerOptions,
    answer: AnswerOptions,
) -> int:
    """Mix the forecasts of several systems, with weights learnt game by game from earlier games.

    The mixture is judged beside its members on the same games of FILE..., and forecasts a further
    game with --game.
    """
    from dataclasses import replace

    from prowess.cli.output import (
        format_csv,
        make_progress_meter,
        print_note,
        print_notes,
        print_text,
        render_table,
        write_file,
    )
    from prowess.cli.reading import read_table
    from prowess.cli.verbs.compare import (
        comparison_data,
        label_forecasts,
        print_comparison,
    )
    from prowess.cli.verbs.forecast import SIDES, check_two, format_game
    from prowess.games.errors import escape_unprintable
    from prowess.study.compare import compare
    from prowess.study.judging import group_refusals
    from prowess.study.lineups import members_of
    from prowess.study.stack import forecast_by_members, forecast_rows
    from prowess.verbs.judge import stack_trials
    from prowess.verbs.selections import parse_selections

    quiet = reading.quiet
    if game is None and side != "none":
        raise click.UsageError("add --game A B: --side is of that game")
    if game is not None:
        check_two(game[0] == game[1], game[0])
        if answer.as_csv:
            raise click.UsageError("choose --game or --csv: --json has both")
        if forecast or odds:
            raise click.UsageError("leave --game out: columns have no forecast of a further game")
    chosen = None if systems is None else parse_selections(systems, beside=("base_rate",))
    if chosen == []:
        raise click.UsageError("name a system in --systems: the base rate takes part anyway")
    given = label_forecasts(forecast, odds)
    table = read_table(reading, **given)
    if game is not None and not table.pairwise:
        raise click.UsageError("leave --game out: these are contests of many sides")
    for name in game or ():
        members_of(table.players, name)
    monthly = table.pairwise and table.time is not None
    default = MEMBERS if monthly else MEMBERS.replace("@1mo", "")
    labels = [label for one in given.values() for label in one]
    selected = chosen or parse_selections(default)
    found, stacked = stack_trials(
        table, selected, labels, warm_up, workers.chosen, make_progress_meter(quiet)
    )
    for label, reason in group_refusals(found.refused):
        print_note(f"left out {label}: {reason}", quiet)
    tests = [*found.tests, stacked.test]
    if metric in stacked.test.losses:
        for test in found.tests:
            if metric not in test.losses:
                tests.remove(test)
                print_note(f"left out of the comparison: {test.name} has no {metric}", quiet)
    comparison = compare(tests, metric=metric, level=level)
    comparison = replace(comparison, notes=(*found.notes, *comparison.notes))
    print_notes(comparison.notes, quiet)
    if save_forecasts is not None:
        write_file(save_forecasts, format_csv(forecast_rows(stacked)))
    further: dict[str, float] = {}
    if game is not None:
        by_member = forecast_by_members(table, found.played, *game, SIDES[side])
        further = chances_by_outcome(stacked.forecast(by_member, SIDES[side]))

    def data() -> dict[str, Any]:
        found_data = comparison_data(comparison, calibrated=False) | stack_data(stacked)
        if game is not None:
            found_data["forecast"] = {"a": game[0], "b": game[1], **further, "side": side}
        return found_data | {"left_out": found.refused}

    def render() -> None:
        print_comparison(comparison, quiet)
        print_text("\n" + render_table(weight_rows(stacked)))
        print_text(format_shares(stacked))
        if game is not None:
            a, b = (escape_unprintable(name) for name in game)
            print_text("\n" + "\n".join(format_game(a, b, side, further)))

    answer.give(data, lambda: comparison, render, reading=table.reading)
    return INTERRUPTED if found.interrupted else 0


def chances_by_outcome(chances: Chances) -> dict[str, float]:
    """Expected score, and chances of win, draw and loss, by name."""
    win, draw = chances.win, chances.draw or 0.0
    return {"expected": chances.expected, "win": win, "draw": draw, "loss": 1.0 - win - draw}


def stack_data(stacked: Stack) -> dict[str, Any]:
    """The weights as plain data."""
    return {
        "weights": [one._asdict() for one in stacked.weights()],
        "terms": stacked.terms,
    }


def weight_rows(stacked: Stack) -> list[list[str]]:
    """The table of weights as text."""
    rows = [["name", "weight", "deviation", "for draws", "deviation", "alone"]]
    for name, *numbers in stacked.weights():
        rows.append([name, *("" if x is None else f"{x:.2f}" for x in numbers)])
    return rows if stacked.draws is not None else [[*row[:3], row[5]] for row in rows]


def format_shares(stacked: Stack) -> str:
    """What the last column of the weights means, in a line."""
    mixed = stacked.shares[0]
    return f"mixed by these weights: {mixed:.0%} of the forecast; alone: that of a member by itself"
