"""`prowess compare`: which system forecasts these games best, and is it more than luck?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from prowess.cli.columns import TableCommand, reading_options, table_of
from prowess.cli.fitting import probability
from prowess.cli.output import csv_option, json_option

if TYPE_CHECKING:
    from prowess.cli.selection import Selection
    from prowess.games.games import Games
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison

SLOW = {"posterior_mean", "iterated_mean", "smith_complete"}  # only when named: seconds a fit
EXAMPLES = """\b
prowess compare games.csv
prowess compare games.csv --systems elo,elo:k=20,advantage=80,glicko2@1mo,bradley_terry
"""


@click.command(
    "compare",
    short_help="Which system forecasts these games best?",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True)
)
@click.option(
    "--systems", metavar="LIST",
    help="NAME[:SETTING=VALUE,...][@PERIOD], separated by commas; k=8/16/32 is a bank. All that "
    "apply when left out.",
)  # fmt: skip
@click.option(
    "--by", metavar="SCORE", help="What decides: log_loss (default), brier, accuracy, ..."
)
@click.option(
    "--warm-up", type=click.FloatRange(0.0, 1.0, max_open=True), default=0.2, show_default=True,
    help="Share of the games, the first ones, that are played and not judged.",
)  # fmt: skip
@click.option(
    "--level", type=float, default=0.95, show_default=True, callback=probability,
    help="Probability of the intervals.",
)  # fmt: skip
@click.option("--calibration", is_flag=True, help="Also: does 70 % mean 70 %, for each system?")
@click.option(
    "--split", type=click.Choice(["year", "experience", "gap"]),
    help="Also: the same scores by year, by games played before, by what was expected.",
)  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
@json_option
@csv_option
@reading_options
def command(
    files: tuple[str, ...],
    systems: str | None,
    by: str | None,
    warm_up: float,
    level: float,
    calibration: bool,
    split: str | None,
    quiet: bool,
    as_json: bool,
    as_csv: bool,
    **options: Any,
) -> None:
    """Judge systems by their forecasts of the games of FILE..., made only from earlier games."""
    from dataclasses import replace

    from prowess.cli.output import json_text, put
    from prowess.cli.selection import selections
    from prowess.cli.table import drawn, screen
    from prowess.cli.talk import say
    from prowess.study.compare import compare

    if as_json and as_csv:
        raise click.UsageError("choose --json or --csv")
    chosen = None if systems is None else selections(systems, beside=("base_rate",))
    table = table_of(files, options, quiet)
    if chosen == [] and not table.pairwise:
        raise click.UsageError("--systems: base_rate judges games of two sides; name a system")
    found = tested_with_sides(table, chosen, warm_up, quiet)
    try:
        comparison = compare(found.tests, by=by, level=level)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    comparison = replace(comparison, notes=(*found.notes, *comparison.notes))
    for note in comparison.notes:
        say(f"note: {note}", quiet)
    if as_json:
        put(json_text(plain(comparison, calibration, split) | {"left_out": found.refused}))
    elif as_csv:
        put(csv_text(comparison))
    else:
        say(headline(comparison), quiet)
        put(drawn(cells(comparison), screen()))
        took = ", ".join(f"{entry.test.name} {entry.test.seconds:.2f}" for entry in comparison)
        say(f"seconds: {took}", quiet)
        if split:
            put("\n" + drawn(parts(comparison, split), screen()))
        if calibration:
            put("\n" + "\n\n".join(curve(entry.test) for entry in comparison))


class Tests(NamedTuple):
    """Backtests, what the reader of them must know, and what refused the table, with reasons."""

    tests: list[Backtest]
    notes: list[str]
    refused: dict[str, str]  # by the name asked for


def tested(table: Games, chosen: Sequence[Selection], warm_up: float) -> list[Backtest]:
    """The base rate of games of two sides, and the systems named, as they are."""
    from dataclasses import replace

    from prowess.study.backtest import backtest, base_rate_backtest

    tests = [base_rate_backtest(table, warm_up)] if table.pairwise else []
    for one in chosen:
        test = backtest(table, one.system, period=one.period, params=one.params, warm_up=warm_up)
        tests.append(replace(test, name=one.label))
    return tests


def tested_with_sides(
    table: Games, chosen: list[Selection] | None, warm_up: float, quiet: bool
) -> Tests:
    """The systems named, or all that can judge such a table, with side advantages fitted.

    An advantage that is named stays. A system that refuses the table is left out and said; where
    all that were named do, the reason of the first is raised.
    """
    from math import ceil

    from prowess.cli.talk import say
    from prowess.engine.forecast import advantage_parameter, has_sides, idle_advantage
    from prowess.engine.params import settings
    from prowess.engine.periods import BadRounds
    from prowess.engine.system import Unratable
    from prowess.study.backtest import NoForecast
    from prowess.study.tuning.evaluation import fit_advantage

    tests = tested(table, [], warm_up)
    refused: dict[str, str] = {}
    unfitted: dict[str, list[str]] = {}  # the systems, by the reason
    fitted = False
    idle: list[str] = []
    asked = every_system() if chosen is None else chosen
    first: Exception | None = None
    for one in asked:
        try:
            sides = fit_advantage(
                table, one.system, params=one.params, period=one.period, warm_up=warm_up
            )
            tests += tested(table, [one.with_settings(sides.setting)], warm_up)[-1:]
        except (Unratable, BadRounds, NoForecast) as reason:
            first = first or reason
            refused[one.label] = str(reason)
            say(f"left out {one.label}: {reason}", quiet)
            continue
        fitted = fitted or bool(sides.setting)
        given = settings(one.system, one.params)
        idle += [f"{one.label}: {note}" for note in idle_advantage(one.system, given, table)]
        if sides.why_not:
            unfitted.setdefault(sides.why_not, []).append(one.label)
        elif has_sides(table) and advantage_parameter(one.system) is None:
            unfitted.setdefault("the system has none", []).append(one.label)
    if first is not None and chosen and len(refused) == len(asked):
        raise first
    notes = idle
    if fitted:
        count = f"{ceil(warm_up * len(table)):,}"
        notes.append(
            f"side advantages that were not named are fitted to the {count} games of the warm-up, "
            "none of which is judged (advantage=fitted: to all games before each fit)"
        )
    notes += [f"side advantage 0: {', '.join(who)}: {why}" for why, who in unfitted.items()]
    return Tests(tests, notes, refused)


def every_system() -> list[Selection]:
    """Every system that forecasts games."""
    from prowess.cli.selection import Selection
    from prowess.engine.system import Dynamic
    from prowess.systems.catalogue import catalogue

    found = []
    for name, system in catalogue().items():
        if isinstance(system, Dynamic):
            period = "1mo" if system.rounds == "period" else None
            found.append(Selection(f"{name}@{period}" if period else name, system, {}, period))
        elif system.chances is not None and name not in SLOW:
            found.append(Selection(name, system, {}, None))
    return found


def headline(comparison: Comparison) -> str:
    """What was judged, in a line."""
    better = "larger" if comparison.by == "accuracy" else "smaller"
    return (
        f"{comparison.count:,} forecasts judged, the {better} the {words(comparison.by)} the "
        f"better; behind the first, with the {comparison.level:.0%} interval of the difference of "
        f"mean losses over {comparison.target}; a group holds those not told apart from its first"
    )


def words(name: str) -> str:
    """A score as people say it."""
    return name.replace("_", " ")


SHOWN = ("log_loss", "brier", "accuracy", "log_loss_3", "ranked_probability", "concordance")


def cells(comparison: Comparison) -> list[list[str]]:
    """The table for people."""
    import numpy as np

    shown = [name for name in SHOWN if any(name in entry.scores for entry in comparison.entries)]
    rows = [["name", "group", *(words(n) for n in shown), "behind", "interval"]]
    for entry in comparison:
        known = [entry.scores.get(n, np.nan) for n in shown]
        numbers = [f"{score:.4f}" if np.isfinite(score) else "" for score in known]
        gap = entry.behind
        first = entry is comparison.entries[0]
        interval = "" if first else f"{gap.low:.5f} to {gap.high:.5f}"
        rows.append(
            [
                entry.test.name,
                str(entry.group),
                *numbers,
                "" if first else f"{gap.mean:.5f}",
                interval,
            ]
        )
    return rows


def parts(comparison: Comparison, split: str) -> list[list[str]]:
    """A row a part of the games, a column a system: the score that decides."""
    from prowess.study.compare import slices

    every = [slices(entry.test, split) for entry in comparison]
    labels = list(dict.fromkeys(part.label for one in every for part in one))
    order = sorted(labels) if split == "year" else labels
    rows = [[split, "games", *(entry.test.name for entry in comparison)]]
    for label in order:
        known = [{part.label: part for part in one}.get(label) for one in every]
        games = max((part.judged for part in known if part), default=0)
        shown = [f"{part.scores[comparison.by]:.4f}" if part else "" for part in known]
        rows.append([label, f"{games:,}", *shown])
    return rows


def plain(comparison: Comparison, calibrated: bool, split: str | None = None) -> dict[str, Any]:
    """All of it as plain data."""
    from prowess.study.calibration import BINS, calibration
    from prowess.study.compare import finite_or_none as number, slices

    rows = comparison.rows()
    if split:
        for row, entry in zip(rows, comparison, strict=True):
            row[split] = [
                {"part": part.label, "judged": part.judged}
                | {name: number(score) for name, score in part.scores.items()}
                for part in slices(entry.test, split)
            ]
    if calibrated:
        for row, entry in zip(rows, comparison, strict=True):
            row["calibration"] = None
            if entry.test.count < BINS:
                continue
            found = calibration(entry.test)
            row["calibration"] = {
                "error": found.error,
                "by_chance": found.by_chance,
                "scale": found.scale,
                "scale_deviation": found.scale_deviation,
                "bins": found.rows(),
            }
    return {
        "by": comparison.by,
        "judged": comparison.count,
        "blocks": comparison.blocks,
        "level": comparison.level,
        "interval_of": f"difference of mean losses over {comparison.target}",
        "notes": list(comparison.notes),
        "systems": rows,
    }


def csv_text(comparison: Comparison) -> str:
    """One row a system, at full precision."""
    import csv
    import io

    rows = comparison.rows()
    first = [n for n in rows[0] if n not in ("params", "notes", "period")]
    names = list(dict.fromkeys((*first, *(n for row in rows for n in row if n in SHOWN))))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def curve(test: Backtest) -> str:
    """A reliability curve for people."""
    from prowess.cli.table import drawn
    from prowess.study.calibration import BINS, calibration, recalibrate

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
        mended = recalibrate(test).scores[score]
        head += f"; log loss {test.scores[score]:.4f}, scaled by the past alone {mended:.4f}"
    return f"{head}\n{drawn(rows)}"
