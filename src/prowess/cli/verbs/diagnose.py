"""`prowess diagnose`: diagnose a league, from noise and inflation to farming and pools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.options import NOTHING, Option, verb
from prowess.cli.output import FILES, IMAGES, PAGES, AsJson, check_folder
from prowess.cli.rating import Level, Seed
from prowess.cli.reading import FileSource, ReadingOptions
from prowess.cli.selection import Period, Settings, SystemName

if TYPE_CHECKING:
    from prowess.study.diagnosis.diagnose import Diagnosis, Finding

EXAMPLES = """\b
prowess diagnose games.csv
prowess diagnose games.csv --system elo --set k=20 --set advantage=60 --all
prowess diagnose games.csv -o diagnosis.html
prowess diagnose games.csv --plot "draws by rating" -o draws.svg
"""
WIDTH = 100


@verb("diagnose", epilog=EXAMPLES)
def diagnose_verb(
    reading: ReadingOptions,
    *,
    system: Annotated[SystemName, "A system that rates game by game."] = "elo",
    params: Settings = NOTHING,
    period: Period = None,
    level: Annotated[
        Level, "The probability of any false alarm in a league without faults."
    ] = 0.05,
    seed: Annotated[Seed, "Of resamplings."] = 0,
    output: Annotated[
        str | None,
        Option(
            "Write a page (.html), a table of findings (.csv, .json, .parquet, .xlsx, .md), or "
            "with --plot an image (.svg, .png), and print nothing.",
            "FILE",
            click.Path(),
            ("--output", "-o"),
            parse=check_folder,
        ),
    ] = None,
    plot: Annotated[
        str | None, Option('Draw one finding, such as "draws by rating".', "CHECK")
    ] = None,
    title: Annotated[
        str | None, Option("Heading of the page. Default: the file's name.", "TEXT")
    ] = None,
    whole: Annotated[
        bool, Option("Also the methods, and why checks were skipped.", names=("--all",))
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the league of FILE... for faults, as a system rates it."""
    from prowess.cli.output import format_json, print_note, print_text, write_file, write_table
    from prowess.cli.verbs.report import make_title
    from prowess.verbs.judge import diagnose

    check_output(output, plot, title, as_json)
    source = FileSource(reading)
    found = diagnose(
        source, system, period=period, params=params, level=level, seed=seed, **reading.given
    )
    suffix = Path(output).suffix.lower() if output else ""
    if as_json or suffix == ".json":
        data = found.as_dict() | {"period": period, "seed": seed}
        data["reading"] = source.table.reading.to_dict()
        text = format_json(replace_infinite(data))
        if output is None:
            print_text(text)
        else:
            write_file(output, text + "\n")
        return
    print_note(found.head(), reading.quiet)
    if output is None:
        texts = [format_finding(one, whole) for one in found]
        print_text("\n\n".join([*texts, *format_skipped(found, whole)]))
    elif suffix in FILES and suffix not in PAGES:
        write_table(output, found)
    elif plot is None:
        from prowess.present.report import render_diagnosis

        write_file(output, render_diagnosis(found, title or make_title(reading.files, "Diagnosis")))
    else:
        write_finding(found, plot, output, reading.quiet)


def check_output(output: str | None, plot: str | None, title: str | None, as_json: bool) -> None:
    """Refuse options of which no file can be made, before any work is done."""
    from prowess.present.finding_charts import FINDING_CHARTS

    if output is None:
        for name, value in (("--plot", plot), ("--title", title)):
            if value is not None:
                raise click.UsageError(f"name a file with -o FILE: {name} is for one")
        return
    if as_json:
        raise click.UsageError("leave --json or -o out: one prints, the other writes a file")
    suffix = Path(output).suffix.lower()
    if plot is None and suffix not in (*PAGES, *FILES):
        what = "; for an image of one finding add --plot" if suffix in IMAGES else ""
        raise click.UsageError(f"end the name in {' or '.join(FILES)}, not {output!r}{what}")
    if title is not None and suffix not in (*PAGES, *IMAGES):
        raise click.UsageError("leave --title out: it is for a page (.html)")
    if plot is not None and suffix not in IMAGES:
        raise click.UsageError(f"end the name of an image in {' or '.join(IMAGES)}, not {output!r}")
    if plot is not None and title is not None:
        raise click.UsageError("leave --title or --plot out: an image has no title of yours")
    if plot is not None and plot not in FINDING_CHARTS:
        raise click.UsageError(f"choose --plot from {', '.join(FINDING_CHARTS)}, not {plot!r}")


def write_finding(found: Diagnosis, name: str, output: str, quiet: bool) -> None:
    """Write the figure of one finding, and its description on stderr."""
    from prowess.cli.output import write_figure
    from prowess.present.finding_charts import finding_chart
    from prowess.present.svg import Undrawable

    for one in found.skipped:
        if one.name == name:
            raise click.UsageError(f"choose another --plot: {name} was skipped: {one.why}")
    try:
        figure = finding_chart(found[name])
    except Undrawable as error:
        raise click.UsageError(f"choose another --plot than {name}: {error}") from None
    write_figure(output, figure, quiet)


def format_finding(one: Finding, whole: bool) -> str:
    """A finding as a paragraph, the severity first."""
    from textwrap import fill

    lines = [fill(f"{one.severity}: {one.name}. {one.says}", WIDTH, subsequent_indent="  ")]
    if whole:
        chance = "" if one.adjusted is None else f" p = {one.p:.2g}, {one.adjusted:.2g} of all."
        text = f"How: {one.method}.{chance} False alarms: {one.error_rate}."
        lines.append(fill(text, WIDTH, initial_indent="  ", subsequent_indent="  "))
    return "\n".join(lines)


def format_skipped(found: Diagnosis, whole: bool) -> list[str]:
    """The checks that were skipped."""
    if not found.skipped:
        return []
    if whole:
        return ["\n".join(f"skipped: {one.name} ({one.why})" for one in found.skipped)]
    names = ", ".join(one.name for one in found.skipped)
    return [f"skipped: {names} (--all says why)"]


def replace_infinite(data: Any) -> Any:
    """The same plain data with None for infinities and not-a-number."""
    from math import isfinite

    if isinstance(data, dict):
        return {key: replace_infinite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [replace_infinite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data
