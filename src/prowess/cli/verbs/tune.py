"""`prowess tune`: the constants of a system that forecast these games best."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.rating import Level, Seed, WarmUp
from prowess.cli.reading import NOTHING, ReadingOptions
from prowess.cli.selection import Period, RatedSystem, Settings
from prowess.cli.workers import WorkerOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from prowess.study.tuning.evaluation import Evaluated
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
    from prowess.cli.output import print_note, print_table, print_text
    from prowess.cli.reading import read_table
    from prowess.cli.selection import find_system
    from prowess.engine.cluster.workers import workers_of
    from prowess.study.backtest import NoForecast
    from prowess.study.tuning.evaluation import Untunable
    from prowess.study.tuning.tune import tune
    from prowess.verbs.selections import check_settings

    quiet = reading.quiet
    if system is not None:
        check_settings(find_system(system), params, period)
    table = read_table(reading)
    found = find_system(system, quiet, "elo", "as prowess has no constants to tune")
    if system is None:
        check_settings(found, params, period)
    record = EvaluationFile(resume, budget, quiet)
    try:
        with workers_of(workers.chosen) as chosen:
            tuned = tune(
                table,
                found,
                over=over,
                params=params,
                period=period,
                metric=metric,
                warm_up=warm_up,
                until=until,
                search=search,
                seed=seed,
                starts=starts,
                budget=budget,
                level=level,
                workers=chosen,
                known=record.load,
                heard=record.append,
            )
    except (NoForecast, Untunable) as error:
        raise click.UsageError(str(error)) from None
    finally:
        record.close()

    def render() -> None:
        print_note(format_headline(tuned), quiet)
        print_table(parameter_rows(tuned))
        advice = f"\n\n{tuned.line()}" if tuned.better else ""
        print_text("\n" + "\n".join(tuned.sentences()) + advice)

    answer.give(tuned.plain, lambda: tuned, render, reading=table.reading)


class EvaluationFile:
    """The file of evaluated settings, and the progress meter that counts them."""

    def __init__(self, file: str | None, budget: int, quiet: bool) -> None:
        from prowess.cli.output import make_progress_meter

        self.path = None if file is None else Path(file)
        self.budget, self.quiet, self.count = budget, quiet, 0
        self.key = ""
        self.meter: Callable[[int, int], None] | None = None if quiet else make_progress_meter()

    def load(self, key: str) -> list[Evaluated]:
        """The settings that an earlier run evaluated."""
        from prowess.cli.output import print_note
        from prowess.study.tuning.evaluation import BadRecord, parse_records

        self.key = key
        if self.path is None:
            return []
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
            known = parse_records(lines, key)
            if lines and not lines[-1].endswith("\n"):  # a run that was cut off in a line
                self.path.write_text("".join(lines[:-1]), encoding="utf-8")
        except FileNotFoundError:
            return []
        except (BadRecord, UnicodeDecodeError) as error:
            raise click.UsageError(
                f"name another file with --resume, not {self.path}: {error}"
            ) from None
        except OSError as error:
            raise click.UsageError(
                f"name another file with --resume, not {self.path}: {error.strerror}"
            ) from None
        print_note(f"{len(known):,} settings were evaluated before", self.quiet)
        return known

    def append(self, one: Evaluated) -> None:
        """Count a new one and write it down."""
        from prowess.study.tuning.evaluation import format_record

        self.count += 1
        if self.meter:
            self.meter(min(self.count, self.budget - 1), self.budget)
        if self.path is not None:
            try:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(format_record(self.key, one))
            except OSError as error:
                raise click.UsageError(
                    f"name another file with --resume, not {self.path}: {error.strerror}"
                ) from None

    def close(self) -> None:
        """Clear the meter."""
        if self.meter:
            self.meter(self.budget, self.budget)


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
