"""`prowess tune`: the constants of a system that forecast these games best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import click

from prowess.cli.options import NOTHING, Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.rating import Level, Seed, WarmUp
from prowess.cli.reading import FileSource, ReadingOptions
from prowess.cli.selection import Period, RatedSystem, Settings
from prowess.cli.workers import WorkerOptions

if TYPE_CHECKING:
    from prowess.study.tuning.outcome import TuningResult

Ranges = dict[str, tuple[float, float] | None]
EXAMPLES = """\b
prowess tune games.csv --system elo
prowess tune games.csv --system glicko2 --period 1mo --over tau,start_volatility=0.01:0.2
"""


def parse_ranges(value: str) -> Ranges:
    """`NAME,NAME=LOW:HIGH` as the range of each, None for the declared one."""
    found: Ranges = {}
    for text in filter(None, (part.strip() for part in value.split(","))):
        name, sign, given = text.partition("=")
        low, colon, high = given.partition(":")
        try:
            found[name.strip()] = (float(low), float(high)) if sign else None
        except ValueError:
            colon = ""
        if sign and not colon:
            raise click.BadParameter(f"write NAME=LOW:HIGH, as in k=5:100, not {text!r}")
    if not found:
        raise click.BadParameter("name at least one parameter")
    return found


@verb("tune", epilog=EXAMPLES)
def tune_verb(
    reading: ReadingOptions,
    *,
    system: RatedSystem = None,
    over: Annotated[
        Ranges | None,
        Option(
            "NAME or NAME=LOW:HIGH, separated by commas. Default: all that matter.",
            "LIST",
            parse=parse_ranges,
        ),
    ] = None,
    params: Annotated[
        Settings, "A value that stays; of a parameter in --over, where to begin."
    ] = NOTHING,
    period: Period = None,
    metric: Annotated[
        str | None, Option("The score to minimise: log_loss (default), brier, ...", "SCORE")
    ] = None,
    warm_up: Annotated[WarmUp, "Share of the games, the first ones, that are only played."] = 0.2,
    until: Annotated[
        float,
        Option(
            "Share of the games up to which they decide; the later ones judge.",
            type=click.FloatRange(0.0, 1.0, min_open=True),
        ),
    ] = 0.6,
    search: Annotated[Literal["descent", "optuna"], "The method of the search."] = "descent",
    seed: Annotated[Seed, "Of the search."] = 0,
    starts: Annotated[
        int,
        Option(
            "Local searches, from places far apart; 1: from --set alone.", type=click.IntRange(1)
        ),
    ] = 5,
    budget: Annotated[int, Option("Settings to try at most.", type=click.IntRange(min=1))] = 3000,
    workers: WorkerOptions,
    resume: Annotated[
        str | None,
        Option(
            "Keep evaluated settings in this file (JSON lines), and reuse those it has.",
            "FILE",
            click.Path(dir_okay=False),
        ),
    ] = None,
    level: Level = 0.95,
    answer: AnswerOptions,
) -> None:
    """Find the constants with which a system forecasts the games of FILE... best.

    The first games are only played, the next decide, the last ones judge what was found.
    """
    from prowess.cli.output import make_progress_meter, print_note, print_table, print_text
    from prowess.cli.selection import find_system
    from prowess.verbs.judge import tune

    quiet, source = reading.quiet, FileSource(reading)
    found = find_system(system, quiet, "elo", "as prowess has no constants to tune")
    tuned = tune(
        source, found, over=over, params=params, period=period, metric=metric, warm_up=warm_up,
        until=until, search=search, seed=seed, starts=starts, budget=budget, level=level,
        resume=resume, cluster=workers.chosen, progress=make_progress_meter(quiet),
        **reading.given,
    )  # fmt: skip
    if tuned.reused:
        print_note(f"{tuned.reused:,} settings were evaluated before", quiet)

    def render() -> None:
        print_note(format_headline(tuned), quiet)
        print_table(parameter_rows(tuned))
        advice = f"\n\n{tuned.line()}" if tuned.better else ""
        print_text("\n" + "\n".join(tuned.sentences()) + advice)

    answer.give(tuned.plain, lambda: tuned, render, reading=source.table.reading)


def format_headline(tuned: TuningResult) -> str:
    """What was tried, in a line."""
    metric = tuned.metric.replace("_", " ")
    judged = f"; {tuned.later.judged:,} later ones judge" if tuned.later else ""
    return (
        f"{tuned.system}: {tuned.evaluations:,} settings tried on {tuned.searched:,} forecasts, "
        f"{metric} {tuned.score_before:.5f} before, {tuned.score:.5f} now{judged}"
    )


def parameter_rows(tuned: TuningResult) -> list[list[str]]:
    """The table of parameters as text."""
    from prowess.study.tuning.outcome import format_value

    rows = [["parameter", "before", "best", "interval", "serves as well", "searched", "unit"]]
    for one in tuned.parameters:
        interval = f"{format_value(one.low, one)} to {format_value(one.high, one)}"
        if one.undetermined:
            interval = "not known"
        elif one.edge:
            interval = f"at its {'lower' if one.edge == 'low' else 'upper'} end"
        rows.append(
            [
                one.name,
                f"{one.default:g}",
                f"{one.value:.10g}",
                interval,
                f"{format_value(one.serves_low, one)} to {format_value(one.serves_high, one)}",
                f"{one.range_low:g} to {one.range_high:g}",
                one.unit,
            ]
        )
    return rows
