"""`prowess diagnose`: what is the matter with this league?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand, reading_options
from prowess.cli.fitting import probability
from prowess.cli.output import json_option
from prowess.cli.rating import settings, system_names
from prowess.cli.verbs.plot import IMAGES
from prowess.cli.verbs.report import PAGES, heading, written

if TYPE_CHECKING:
    from prowess.study.diagnosis.findings import Diagnosis, Finding

EXAMPLES = """\b
prowess diagnose games.csv
prowess diagnose games.csv --system elo --set k=20 --set advantage=60 --all
prowess diagnose games.csv -o diagnosis.html
prowess diagnose games.csv --plot "draws by rating" -o draws.svg
"""
WIDTH = 100


@click.command(
    "diagnose",
    short_help="What is the matter with this league: noise, inflation, farming, pools, ...",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True)
)
@click.option(
    "--system", "-s", metavar="NAME", default="elo", show_default=True,
    shell_complete=system_names, help="A system that rates game by game.",
)  # fmt: skip
@click.option(
    "--set", "params", multiple=True, metavar="NAME=VALUE", callback=settings,
    help="Another value for a parameter of the system.",
)  # fmt: skip
@click.option("--period", metavar="7d|1mo|round", help="Judge the games of a period together.")
@click.option(
    "--level", type=float, default=0.05, show_default=True, callback=probability,
    help="The chance that a league without any fault is accused of one.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of resamplings."
)
@click.option(
    "--output", "-o", metavar="FILE", type=click.Path(),
    help="Write a page (.html), or with --plot an image (.svg, .png), and print nothing.",
)  # fmt: skip
@click.option("--plot", metavar="CHECK", help='Draw one finding, such as "draws by rating".')
@click.option("--title", metavar="TEXT", help="Heading of the page; the file's name if left out.")
@click.option("--all", "whole", is_flag=True, help="Also the methods, and what was not looked at.")
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
@reading_options
def command(
    files: tuple[str, ...],
    system: str,
    params: dict[str, str],
    period: str | None,
    level: float,
    seed: int,
    output: str | None,
    plot: str | None,
    title: str | None,
    whole: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Look for what is wrong with the league of FILE..., as a system rates it."""
    from prowess.cli.columns import table_of
    from prowess.cli.output import json_text, put
    from prowess.cli.talk import say
    from prowess.engine.params import settings as checked
    from prowess.study.diagnosis.diagnose import diagnose
    from prowess.systems.catalogue import find

    checked_output(output, plot, title, as_json)
    chosen = find(system)
    checked(chosen, params)
    table = table_of(files, options, quiet)
    found = diagnose(
        table, chosen, period=period, params=params, theory=True, level=level, seed=seed
    )
    if as_json:
        put(json_text(finite(found.as_dict() | {"period": period, "seed": seed})))
        return
    say(found.head(), quiet)
    if output is not None:
        from prowess.present.diagnosis import render_diagnosis

        if plot is None:
            written(output, render_diagnosis(found, title or heading(files, "Diagnosis")).encode())
        else:
            draw(found, plot, output, quiet)
        return
    put("\n\n".join([*(told(one, whole) for one in found), *rest(found, whole)]))


def checked_output(output: str | None, plot: str | None, title: str | None, as_json: bool) -> None:
    """Refuse before any work is done what no file can be made of."""
    from prowess.present.finding_charts import FINDING_CHARTS

    if output is None:
        for name, value in (("--plot", plot), ("--title", title)):
            if value is not None:
                raise click.UsageError(f"{name}: say where to with -o FILE")
        return
    if as_json:
        raise click.UsageError("--json prints and -o writes a file: leave one of them out")
    suffix = Path(output).suffix.lower()
    if plot is None and suffix not in PAGES:
        what = "; to draw one finding say which with --plot" if suffix in IMAGES else ""
        raise click.UsageError(f"{output}: a page's name ends in .html{what}")
    if plot is not None and suffix not in IMAGES:
        raise click.UsageError(f"{output}: an image's name ends in {' or '.join(IMAGES)}")
    if plot is not None and title is not None:
        raise click.UsageError("--title is that of a page: leave it or --plot out")
    if plot is not None and plot not in FINDING_CHARTS:
        raise click.UsageError(f"--plot {plot}: there are {', '.join(FINDING_CHARTS)}")


def draw(found: Diagnosis, name: str, output: str, quiet: bool) -> None:
    """Write the figure of one finding, and say what it shows."""
    from prowess.cli.table import safe
    from prowess.cli.talk import say
    from prowess.present.finding_charts import finding_chart
    from prowess.present.svg import Undrawable

    for one in found.skipped:
        if one.name == name:
            raise click.UsageError(f"{name} was not looked at: {one.why}")
    try:
        figure = finding_chart(found[name])
        png = Path(output).suffix.lower() == ".png"
        written(output, figure.to_png() if png else figure.to_svg().encode())
    except Undrawable as error:
        raise click.UsageError(f"{name}: {error}") from None
    say(f"{output}: {safe(figure.title)}. {safe(figure.description)}", quiet)


def told(one: Finding, whole: bool) -> str:
    """A finding in words, first how bad it is."""
    from textwrap import fill

    lines = [fill(f"{one.severity}: {one.name}. {one.says}", WIDTH, subsequent_indent="  ")]
    if whole:
        chance = "" if one.adjusted is None else f" p = {one.p:.2g}, {one.adjusted:.2g} of all."
        text = f"How: {one.method}.{chance} False alarms: {one.error_rate}."
        lines.append(fill(text, WIDTH, initial_indent="  ", subsequent_indent="  "))
    return "\n".join(lines)


def rest(found: Diagnosis, whole: bool) -> list[str]:
    """What was not looked at."""
    if not found.skipped:
        return []
    if whole:
        return ["\n".join(f"not looked at: {one.name} ({one.why})" for one in found.skipped)]
    names = ", ".join(one.name for one in found.skipped)
    return [f"not looked at: {names} (--all says why)"]


def finite(data: Any) -> Any:
    """The same plain data with None for what is no finite number."""
    from math import isfinite

    if isinstance(data, dict):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data
