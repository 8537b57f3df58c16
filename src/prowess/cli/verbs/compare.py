"""`prowess compare`: systems judged by their forecasts, with intervals of the differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from prowess.cli.options import Option, verb
from prowess.cli.output import AsCsv, AsJson
from prowess.cli.rating import Level, Seed, WarmUp
from prowess.cli.reading import Reading
from prowess.cli.selection import Systems

if TYPE_CHECKING:
    from prowess.games.games import Games
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison
    from prowess.study.folds import Folds

SCORES = (
    "log_loss", "brier", "accuracy", "log_loss_3", "ranked_probability", "log_loss_pairs",
    "concordance",
)  # fmt: skip
EXAMPLES = """\b
prowess compare games.csv
prowess compare games.csv --systems elo,elo:k=20,advantage=80,glicko2@1mo,bradley_terry
prowess compare votes.csv --folds 10 --by-column voter
"""


@verb("compare", epilog=EXAMPLES)
def compare_verb(
    reading: Reading,
    *,
    systems: Annotated[
        Systems,
        "NAME[:SETTING=VALUE,...][@PERIOD], separated by commas; k=8/16/32 is a bank. Default: all "
        "that apply.",
    ] = None,
    by: Annotated[
        str | None, Option("The deciding score: log_loss (default), brier, accuracy, ...", "SCORE")
    ] = None,
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
    seed: Annotated[Seed, "Of the folds."] = 0,
    level: Level = 0.95,
    calibration: Annotated[
        bool, Option("Also the calibration of each system: how often forecasts of 70 % come true.")
    ] = False,
    split: Annotated[
        Literal["year", "experience", "gap"] | None,
        "Also the scores by year, by games played before, or by expected score.",
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Judge systems by their forecasts of the games of FILE..., made only from earlier games."""
    from dataclasses import replace

    from prowess.cli.output import (
        format_csv,
        format_json,
        format_table,
        print_note,
        print_notes,
        print_table,
        print_text,
        terminal_width,
    )
    from prowess.cli.reading import read_table
    from prowess.cli.selection import parse_selections
    from prowess.study.backtest import WARM_UP
    from prowess.study.compare import compare
    from prowess.study.cross_validation import run_folds
    from prowess.study.judging import run_trials, select_forecasters
    from prowess.systems.catalogue import catalogue

    quiet = reading.quiet
    if as_json and as_csv:
        raise click.UsageError("choose --json or --csv")
    chosen = None if systems is None else parse_selections(systems, beside=("base_rate",))
    if (folds or by_column) and warm_up != WARM_UP:
        raise click.UsageError("leave --warm-up out: with --folds every row is judged")
    table = read_table(reading if by_column is None else keep_column(reading, by_column))
    if chosen == [] and not table.pairwise:
        raise click.UsageError("name a system in --systems: base_rate judges games of two sides")
    selected = select_forecasters(catalogue()) if chosen is None else chosen
    if folds or by_column:
        found = run_folds(table, selected, deal_folds(table, folds, by_column, seed))
    else:
        found = run_trials(table, selected, warm_up)
    for label, reason in found.refused.items():
        print_note(f"left out {label}: {reason}", quiet)
    try:
        comparison = compare(found.tests, by=by, level=level)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    comparison = replace(comparison, notes=(*found.notes, *comparison.notes))
    print_notes(comparison.notes, quiet)
    if as_json:
        data = comparison_data(comparison, calibration, split)
        print_text(format_json(data | {"left_out": found.refused}))
    elif as_csv:
        print_text(format_csv(csv_rows(comparison)))
    else:
        print_note(format_headline(comparison), quiet)
        print_table(comparison_rows(comparison))
        seconds = ", ".join(f"{one.test.name} {one.test.seconds:.2f}" for one in comparison)
        print_note(f"seconds: {seconds}", quiet)
        if split:
            print_text("\n" + format_table(split_rows(comparison, split), terminal_width()))
        if calibration:
            curves = (format_calibration(one.test) for one in comparison)
            print_text("\n" + "\n\n".join(curves))


def keep_column(reading: Reading, column: str) -> Reading:
    """The reading with a further column as a fact, unless the table has it anyway."""
    from prowess.engine.table import OF_GAMES

    known = reading.facts or []
    facts = [known] if isinstance(known, str) else list(known)
    there = column in facts or column in OF_GAMES
    return reading if there else reading._replace(facts=[*facts, column])


def deal_folds(table: Games, folds: int | None, by_column: str | None, seed: int) -> Folds:
    """The folds that the options ask for; raises UsageError."""
    from prowess.study.folds import FOLDS, BadFolds, folds_by_column, random_folds

    try:
        if by_column is None:
            return random_folds(table, folds or FOLDS, seed)
        return folds_by_column(table, by_column, folds or FOLDS, seed)
    except BadFolds as error:
        raise click.UsageError(str(error)) from None


def format_headline(comparison: Comparison) -> str:
    """What was judged, in a line."""
    better = "larger" if comparison.by == "accuracy" else "smaller"
    return (
        f"{comparison.count:,} forecasts judged, the {better} the {to_words(comparison.by)} the "
        f"better; behind the first, with the {comparison.level:.0%} interval of the difference of "
        f"mean losses over {comparison.target}; systems of one group do not differ significantly "
        "from its first"
    )


def to_words(name: str) -> str:
    """A score as it is written in a text."""
    return name.replace("_", " ")


def comparison_rows(comparison: Comparison) -> list[list[str]]:
    """The table of systems as text."""
    import numpy as np

    names = [name for name in SCORES if any(name in one.scores for one in comparison.entries)]
    rows = [["name", "group", *map(to_words, names), "behind", "interval"]]
    for entry in comparison:
        scores = [entry.scores.get(name, np.nan) for name in names]
        numbers = [f"{score:.4f}" if np.isfinite(score) else "" for score in scores]
        gap = [f"{entry.behind.mean:.5f}", f"{entry.behind.low:.5f} to {entry.behind.high:.5f}"]
        first = entry is comparison.entries[0]
        rows.append([entry.test.name, str(entry.group), *numbers, *(["", ""] if first else gap)])
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
        scores = [f"{part.scores[comparison.by]:.4f}" if part else "" for part in parts]
        rows.append([label, f"{games:,}", *scores])
    return rows


def comparison_data(
    comparison: Comparison, calibrated: bool, split: str | None = None
) -> dict[str, Any]:
    """All of it as plain data."""
    from prowess.study.backtest import slices
    from prowess.study.compare import BINS, calibration, finite_or_none as number

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
            if entry.test.count >= BINS:
                found = calibration(entry.test)
                fields = ("error", "by_chance", "scale", "scale_deviation")
                values = {name: getattr(found, name) for name in fields}
                row["calibration"] = values | {"bins": found.rows()}
    return {
        "by": comparison.by,
        "judged": comparison.count,
        "blocks": comparison.blocks,
        "level": comparison.level,
        "interval_of": f"difference of mean losses over {comparison.target}",
        "notes": list(comparison.notes),
        "systems": rows,
    }


def csv_rows(comparison: Comparison) -> Iterator[list[Any]]:
    """A header, then a row a system, at full precision."""
    rows = comparison.rows()
    first = [n for n in rows[0] if n not in ("params", "notes", "period")]
    names = list(dict.fromkeys((*first, *(n for row in rows for n in row if n in SCORES))))
    yield names
    for row in rows:
        yield [row.get(name, "") for name in names]


def format_calibration(test: Backtest) -> str:
    """The calibration curve of a system as a table with a headline."""
    from prowess.cli.output import format_table
    from prowess.study.compare import BINS, calibration, recalibrate

    if test.count < BINS:
        return f"{test.name}: {test.count} forecasts are too few for a calibration curve"
    found = calibration(test)
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
    return f"{head}\n{format_table(rows)}"
