"""`prowess compare`: systems, and forecasts of others, judged on the same games, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from prowess.cli.exits import INTERRUPTED
from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions, output_file
from prowess.cli.rating import Level, Metric, Seed, WarmUp
from prowess.cli.reading import FileSource, ReadingOptions, split_csv
from prowess.cli.selection import Systems
from prowess.cli.workers import WorkerOptions
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison
    from prowess.study.intervals import MeanInterval

SCORES = (
    "log_loss", "brier", "accuracy", "log_loss_3", "ranked_probability", "log_loss_winner",
    "log_loss_order", "log_loss_pairs", "concordance",
)  # fmt: skip
EXAMPLES = """\b
prowess compare games.csv
prowess compare games.csv --systems elo,elo:k=20,advantage=80,glicko2@1mo,bradley_terry
prowess compare games.csv --systems elo,glicko2 --odds B365H,B365D,B365A --forecast our_chance
prowess compare votes.csv --folds 10 --by-column voter
"""


def parse_forecasts(values: tuple[str, ...]) -> list[list[str]]:
    """`COLUMN` or `COLUMN,COLUMN,...` each time the option is given; quotes keep a comma."""
    return [split_csv(value) for value in values]


Forecasts = Annotated[
    Any, Option(metavar="COLUMN[,COLUMN...]", multiple=True, parse=parse_forecasts)
]


@verb("compare", epilog=EXAMPLES)
def compare_verb(
    reading: ReadingOptions,
    *,
    systems: Annotated[
        Systems,
        "NAME[:SETTING=VALUE,...][@PERIOD], separated by commas; k=8/16/32 is a bank. Default: all "
        "that apply.",
    ] = None,
    metric: Metric = None,
    warm_up: Annotated[
        WarmUp, "Share of the games, the first ones, that are played and not judged."
    ] = 0.2,
    folds: Annotated[
        int | None,
        Option(
            "Cross-validate: forecast each of so many parts of the rows from all others.",
            type=click.IntRange(min=2),
        ),
    ] = None,
    by_column: Annotated[
        str | None,
        Option("Keep rows with one value of this column, a voter, in one fold.", "COLUMN"),
    ] = None,
    level: Level = 0.95,
    calibration: Annotated[
        bool, Option("Also the calibration of each system: how often forecasts of 70 % come true.")
    ] = False,
    split: Annotated[
        Literal["year", "experience", "gap"] | None,
        "Also the scores by year, by games played before, or by expected score.",
    ] = None,
    forecast: Annotated[
        Forecasts,
        "Judge this forecast too: a column with the chance of the first side (0 to 1, or "
        "percent), or EXPECTED,DRAW, or WIN,DRAW,LOSS.",
    ] = (),
    odds: Annotated[
        Forecasts, "Judge these decimal odds too: WIN,DRAW,LOSS, or WIN,LOSS without draws."
    ] = (),
    save_forecasts: Annotated[
        str | None,
        output_file((".csv",), "Write every judged game with all forecasts to this CSV file."),
        Option(names=("--save-forecasts",)),
    ] = None,
    seed: Annotated[
        Seed, "Of the folds, and of the test whether the order of a day's games tells results."
    ] = 0,
    workers: WorkerOptions,
    answer: AnswerOptions,
) -> int:
    """Judge systems by their forecasts of the games of FILE..., made only from earlier games.

    Intervals are about other games of the same players. Forecasts of others and bookmakers' odds
    (--forecast, --odds) are judged on the same games. Ctrl-C shows what is judged so far.
    """
    from prowess.cli.output import (
        format_csv,
        make_progress_meter,
        print_note,
        print_notes,
        print_text,
        render_table,
        write_file,
    )
    from prowess.study.judging import group_refusals
    from prowess.verbs.judge import compare

    quiet, source = reading.quiet, FileSource(reading)
    columns = {**reading.given, **label_forecasts(forecast, odds)}
    comparison = compare(
        source, systems, metric=metric, warm_up=warm_up, folds=folds, by_column=by_column,
        level=level, seed=seed, cluster=workers.chosen, progress=make_progress_meter(quiet),
        **columns,
    )  # fmt: skip
    for label, reason in group_refusals(comparison.refused):
        print_note(f"left out {label}: {reason}", quiet)
    print_notes(comparison.notes, quiet)
    if save_forecasts:
        from prowess.study.given import forecast_rows

        tests = [one.test for one in comparison]
        write_file(save_forecasts, format_csv(forecast_rows(tests)))
        print_note(
            f"{save_forecasts}: {format_count(comparison.count, 'forecast')} of "
            f"{format_count(len(tests), 'system')}",
            quiet,
        )

    def data() -> dict[str, Any]:
        found_data = comparison_data(comparison, calibration, split)
        return found_data | {"seed": seed, "left_out": dict(comparison.refused)}

    def render() -> None:
        print_comparison(comparison, quiet)
        seconds = ", ".join(f"{one.test.name} {one.test.seconds:.2f}" for one in comparison)
        print_note(f"seconds: {seconds}", quiet)
        if split:
            print_text("\n" + render_table(split_rows(comparison, split)))
        if calibration:
            curves = (format_calibration(one.test) for one in comparison)
            print_text("\n" + "\n\n".join(curves))

    answer.give(data, lambda: comparison, render, reading=source.table.reading)
    return INTERRUPTED if comparison.interrupted else 0


def label_forecasts(forecast: Sequence[Any], odds: Sequence[Any]) -> dict[str, Any]:
    """The columns of --forecast and --odds by label, as `read_games` takes them."""
    from prowess.games.roles.forecasts import label_columns

    given: dict[str, Any] = {"forecast": {}, "odds": {}}
    seen: set[str] = set()
    for option, chosen in (("forecast", forecast), ("odds", odds)):
        for columns in chosen:
            label = label_columns("odds" if option == "odds" else "chance", columns)
            if label in seen:
                raise click.UsageError(f"name the forecast of {label!r} once")
            seen.add(label)
            given[option][label] = tuple(columns)
    return {name: some for name, some in given.items() if some}


def print_comparison(comparison: Comparison, quiet: bool) -> None:
    """Print what was judged, the systems from best to worst, and their other scores."""
    from prowess.cli.output import print_note, print_table, print_text

    print_note(format_headline(comparison), quiet)
    print_table(comparison_rows(comparison))
    if len((further := score_rows(comparison))[0]) > 1:
        print_text("")
        print_table(further)


def format_headline(comparison: Comparison) -> str:
    """What was judged and what stands in the columns, in lines of a hundred letters."""
    from textwrap import fill

    better = "larger" if comparison.metric == "accuracy" else "smaller"
    return fill(
        f"{comparison.count:,} forecasts judged; the {better} the {to_words(comparison.metric)} "
        f"the better; behind: the difference from the first; group: not significantly behind its "
        f"first; slope: best factor on the log odds, below 1 too sure (standard deviation). "
        f"\u00b1 is {describe_interval(comparison)}",
        width=100,
    )


def describe_interval(comparison: Comparison) -> str:
    """What the intervals of the scores are about, in a sentence or two."""
    interval = f"the {100.0 * comparison.level:g} % interval for"
    if comparison.folds is not None:
        return f"{interval} {comparison.target}."
    return f"{interval} more games of these players. It says nothing about other leagues."


def to_words(name: str) -> str:
    """A score as it is written in a text."""
    return {"ranked_probability": "ranked prob."}.get(name, name.replace("_", " "))


def with_reach(one: MeanInterval, digits: int) -> str:
    """A mean and how far its interval reaches; nothing where there is none."""
    from math import isfinite

    if not isfinite(one.mean):
        return ""
    reach = one.high - one.mean
    return f"{one.mean:.{digits}f}" + (f" \u00b1{reach:.{digits}f}" if isfinite(reach) else "")


def comparison_rows(comparison: Comparison) -> list[list[str]]:
    """The table of systems as text: the deciding score, the distance from the first, the slope."""
    from math import isfinite

    rows = [["name", "group", to_words(comparison.metric), "behind", "slope"]]
    for entry in comparison:
        slope, deviation = entry.slope
        rows.append([
            entry.test.name,
            str(entry.group),
            with_reach(entry.intervals[comparison.metric], 4),
            "" if entry is comparison.entries[0] else with_reach(entry.behind, 5),
            f"{slope:.3f} ({deviation:.3f})" if isfinite(deviation) else "",
        ])  # fmt: skip
    return rows


def score_rows(comparison: Comparison) -> list[list[str]]:
    """The other scores with their intervals, a row a system."""
    names = [
        name
        for name in SCORES
        if name != comparison.metric and any(name in one.intervals for one in comparison)
    ]
    rows = [["name", *map(to_words, names)]]
    for entry in comparison:
        found = (entry.intervals.get(name) for name in names)
        rows.append([entry.test.name, *(with_reach(one, 4) if one else "" for one in found)])
    return rows


def split_rows(comparison: Comparison, split: str) -> list[list[str]]:
    """A row a part of the games, a column a system: the score that decides."""
    from prowess.study.backtest import slices

    every = [slices(entry.test, split) for entry in comparison]
    labels = list(dict.fromkeys(part.label for one in every for part in one))
    rows = [[split, "games", *(entry.test.name for entry in comparison)]]
    for label in sorted(labels) if split == "year" else labels:
        parts = [{part.label: part for part in one}.get(label) for one in every]
        games = max((part.judged for part in parts if part), default=0)
        scores = [f"{part.scores[comparison.metric]:.4f}" if part else "" for part in parts]
        rows.append([label, f"{games:,}", *scores])
    return rows


def comparison_data(
    comparison: Comparison, calibrated: bool, split: str | None = None
) -> dict[str, Any]:
    """All of it as plain data."""
    from prowess.study.backtest import slices
    from prowess.study.compare import calibration, finite_or_none as number

    rows = comparison.rows()
    for row, entry in zip(rows, comparison, strict=True):
        if split:
            row[split] = [
                {"part": part.label, "judged": part.judged}
                | {name: number(score) for name, score in part.scores.items()}
                for part in slices(entry.test, split)
            ]
        if calibrated:
            row["calibration"] = None
            try:
                found = calibration(entry.test)
            except ValueError:  # too few games
                continue
            fields = ("error", "by_chance", "scale", "scale_deviation")
            values = {name: getattr(found, name) for name in fields}
            row["calibration"] = values | {"bins": found.rows()}
    return {
        "metric": comparison.metric,
        "judged": comparison.count,
        "blocks": comparison.blocks,
        "level": comparison.level,
        "interval_of": comparison.target,
        "notes": list(comparison.notes),
        "systems": rows,
    }


def format_calibration(test: Backtest) -> str:
    """The calibration curve of a system as a table with a headline."""
    from prowess.cli.output import render_table
    from prowess.study.compare import calibration, recalibrate

    try:
        found = calibration(test)
    except ValueError as reason:
        return f"{test.name}: {reason}"
    rows = [["forecast", "score", "interval", "games"]]
    for one in found.rows():
        interval = f"{one['low']:.3f} to {one['high']:.3f}"
        rows.append(
            [f"{one['forecast']:.3f}", f"{one['score']:.3f}", interval, f"{one['games']:,}"]
        )
    sure = "too sure" if found.scale < 1.0 else "too timid"
    head = (
        f"{found.name}: forecasts miss by {found.error:.4f} on average "
        f"({found.by_chance:.4f} would be chance); best scale of the log odds "
        f"{found.scale:.3f} +- {found.scale_deviation:.3f} ({sure})"
    )
    if (score := "log_loss") in test.scores:
        better = recalibrate(test).scores[score]
        head += f"; log loss {test.scores[score]:.4f}, scaled by the past alone {better:.4f}"
    return f"{head}\n{render_table(rows)}"
