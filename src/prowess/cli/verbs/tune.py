"""`prowess tune`: the constants of a system that forecast these games best, and how sure it is."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand, reading_options, table_of
from prowess.cli.fitting import probability
from prowess.cli.output import json_option
from prowess.cli.rating import chosen, default_for, settings, system_names

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from prowess.study.tuning.evaluation import Evaluated
    from prowess.study.tuning.outcome import TuningResult

EXAMPLES = """\b
prowess tune games.csv --system elo
prowess tune games.csv --system glicko2 --period 1mo --over tau,start_volatility=0.01:0.2
"""


def ranges(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> dict[str, tuple[float, float] | None] | None:
    """`NAME,NAME=LOW:HIGH` as the range of each, None for the declared one."""
    if value is None:
        return None
    found: dict[str, tuple[float, float] | None] = {}
    for text in filter(None, (part.strip() for part in value.split(","))):
        name, sign, given = text.partition("=")
        low, colon, high = given.partition(":")
        try:
            found[name.strip()] = (float(low), float(high)) if sign else None
        except ValueError:
            raise click.BadParameter(f"{text!r} is not NAME=LOW:HIGH, as in k=5:100") from None
        if sign and not colon:
            raise click.BadParameter(f"{text!r} is not NAME=LOW:HIGH, as in k=5:100")
    if not found:
        raise click.BadParameter("name at least one parameter")
    return found


@click.command(
    "tune",
    short_help="Which constants forecast these games best?",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True)
)
@click.option(
    "--system", "-s", metavar="NAME", shell_complete=system_names,
    help="A name from `prowess systems`, or a system of your own, FILE.py:NAME.",
)  # fmt: skip
@click.option(
    "--over", metavar="LIST", callback=ranges,
    help="NAME or NAME=LOW:HIGH, separated by commas. All that matter when left out.",
)  # fmt: skip
@click.option(
    "--set", "params", multiple=True, metavar="NAME=VALUE", callback=settings,
    help="A value that stays; of a parameter in --over, where to begin.",
)  # fmt: skip
@click.option("--period", metavar="7d|1mo|round", help="Judge the games of a period together.")
@click.option("--by", metavar="SCORE", help="What to minimise: log_loss (default), brier, ...")
@click.option(
    "--warm-up", type=click.FloatRange(0.0, 1.0, max_open=True), default=0.2, show_default=True,
    help="Share of the games, the first ones, that only play.",
)  # fmt: skip
@click.option(
    "--until", type=click.FloatRange(0.0, 1.0, min_open=True), default=0.6, show_default=True,
    help="Share of the games up to which they decide; the later ones judge.",
)  # fmt: skip
@click.option(
    "--search", type=click.Choice(["descent", "optuna"]), default="descent", show_default=True,
    help="How to look for the best place.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Of the search.")  # fmt: skip
@click.option(
    "--budget", type=click.IntRange(min=1), default=1000, show_default=True,
    help="Settings to try at most.",
)  # fmt: skip
@click.option(
    "--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True,
    help="Processes that evaluate settings; the answer is the same.",
)  # fmt: skip
@click.option(
    "--resume", metavar="FILE", type=click.Path(dir_okay=False),
    help="Keep what was evaluated here (JSON lines), and take from it what was before.",
)  # fmt: skip
@click.option(
    "--level", type=float, default=0.95, show_default=True, callback=probability,
    help="Probability of the intervals.",
)  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
@json_option
@reading_options
def command(
    files: tuple[str, ...],
    system: str | None,
    over: dict[str, tuple[float, float] | None] | None,
    params: dict[str, str],
    period: str | None,
    by: str | None,
    warm_up: float,
    until: float,
    search: str,
    seed: int,
    budget: int,
    jobs: int,
    resume: str | None,
    level: float,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the constants with which a system forecasts the games of FILE... best.

    The first games only play, the next decide, the last ones judge what was found.
    """
    from prowess.cli.output import json_text, put
    from prowess.cli.rating import check_settings
    from prowess.cli.table import drawn, screen
    from prowess.cli.talk import say
    from prowess.study.backtest import NoForecast
    from prowess.study.tuning.evaluation import Untunable
    from prowess.study.tuning.tune import tune

    found = None if system is None else chosen(system)
    if found is not None:
        check_settings(found, params, period)
    table = table_of(files, options, quiet)
    if found is None:
        found = default_for(table)
        check_settings(found, params, period)
        say(f"system {found.name}, the default for such a table (--system chooses)", quiet)
    with ExitStack() as stack:
        executor = None
        if jobs > 1:
            from concurrent.futures import ProcessPoolExecutor

            executor = stack.enter_context(ProcessPoolExecutor(jobs))
        memory = Memory(resume, budget, quiet)
        try:
            tuned = tune(
                table,
                found,
                over=over,
                params=params,
                period=period,
                by=by,
                warm_up=warm_up,
                until=until,
                search=search,
                seed=seed,
                budget=budget,
                level=level,
                executor=executor,
                jobs=jobs,
                known=memory.recalled,
                heard=memory.keep,
            )
        except (NoForecast, Untunable) as error:
            raise click.UsageError(str(error)) from None
        finally:
            memory.close()
    if as_json:
        put(json_text(tuned.plain()))
        return
    say(headline(tuned), quiet)
    put(drawn(cells(tuned), screen()))
    put("\n" + "\n".join(tuned.sentences()) + f"\n\n{tuned.line()}")


class Memory:
    """The file of evaluated settings, and the meter that counts them."""

    def __init__(self, file: str | None, budget: int, quiet: bool) -> None:
        from prowess.cli.talk import progress

        self.file, self.budget, self.quiet, self.count = file, budget, quiet, 0
        self.key = ""
        self.meter: Callable[[int, int], None] | None = None if quiet else progress()

    def recalled(self, key: str) -> list[Evaluated]:
        """What an earlier run evaluated."""
        from prowess.cli.talk import say
        from prowess.study.tuning.outcome import BadRecord, parse_records

        self.key = key
        if self.file is None:
            return []
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
            known = parse_records(lines, key)
            if lines and not lines[-1].endswith("\n"):  # a run that was cut off in a line
                self.path.write_text("".join(lines[:-1]), encoding="utf-8")
        except FileNotFoundError:
            return []
        except (BadRecord, UnicodeDecodeError) as error:
            raise click.UsageError(f"--resume {self.file}: {error}") from None
        except OSError as error:
            raise click.UsageError(f"--resume {self.file}: {error.strerror}") from None
        say(f"{len(known):,} settings were evaluated before", self.quiet)
        return known

    def keep(self, one: Evaluated) -> None:
        """Note a new one."""
        from prowess.study.tuning.outcome import format_record

        self.count += 1
        if self.meter:
            self.meter(min(self.count, self.budget - 1), self.budget)
        if self.file is not None:
            try:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(format_record(self.key, one))
            except OSError as error:
                raise click.UsageError(f"--resume {self.file}: {error.strerror}") from None

    @property
    def path(self) -> Path:
        """Where the file is."""
        from pathlib import Path

        return Path(self.file or "")

    def close(self) -> None:
        """Wipe the meter."""
        if self.meter:
            self.meter(self.budget, self.budget)


def headline(tuned: TuningResult) -> str:
    """What was done, in a line."""
    by = tuned.by.replace("_", " ")
    judged = f"; {tuned.later.judged:,} later ones judge" if tuned.later else ""
    return (
        f"{tuned.system}: {tuned.evaluations:,} settings tried on {tuned.searched:,} forecasts, "
        f"{by} {tuned.score_before:.5f} before, {tuned.score:.5f} now{judged}"
    )


def cells(tuned: TuningResult) -> list[list[str]]:
    """The table for people."""
    from prowess.study.tuning.outcome import format_value

    rows = [["parameter", "before", "best", "interval", "serves as well", "searched", "unit"]]
    for one in tuned.parameters:
        interval = (
            f"at its {'lower' if one.edge == 'low' else 'upper'} end"
            if one.edge
            else f"{format_value(one.low, one)} to {format_value(one.high, one)}"
        )
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
