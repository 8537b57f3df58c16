"""`prowess report`: a page about a rated table, in one file that needs nothing beside itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.rating import day, rating_options

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.present.listing import Listing
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison

FAST = {  # what the comparison holds when nobody names systems: one pass each, well known
    "games": ("elo", "glicko2@1mo", "weng_lin"),
    "contests": ("elo", "codechef", "weng_lin"),
}
PAGES = (".html", ".htm")
EXAMPLES = """\b
prowess report games.csv -o report.html
prowess report games.csv -o report.html --system glicko2 --period 1mo --title "Our league"
prowess report games.csv -o report.html --players "Ada,Ben" --systems elo,elo:k=20,bradley_terry
"""


def name_list(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[str] | None:
    """Names separated by commas; quotes keep a comma within a name."""
    if value is None:
        return None
    import csv

    found = [name.strip() for name in next(csv.reader([value], skipinitialspace=True), [])]
    if not any(found):
        raise click.BadParameter("name at least one player")
    return [name for name in found if name]


def page_name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check the suffix before any work is done."""
    if Path(value).suffix.lower() not in PAGES:
        raise click.BadParameter(f"{value}: a report is a page: end the name in .html")
    return value


@click.command(
    "report",
    short_help="Write a page: leaderboard, histories, calibration, comparison.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@rating_options
@click.option(
    "--output", "-o", required=True, metavar="FILE.html", type=click.Path(), callback=page_name,
    help="Where to write the page.",
)  # fmt: skip
@click.option("--title", metavar="TEXT", help="Heading of the page; the file's name if left out.")
@click.option("--credit", default="", metavar="TEXT", help="Source and licence of the data.")
@click.option(
    "--players", metavar="NAME,NAME", callback=name_list,
    help="Whose histories are drawn; the best when left out.",
)  # fmt: skip
@click.option(
    "--top", type=click.IntRange(1, 500), default=25, show_default=True, metavar="N",
    help="Rows of the leaderboard.",
)  # fmt: skip
@click.option(
    "--min-games", type=click.IntRange(min=0), metavar="N",
    help="List who played N games; a tenth of the mean number when left out.",
)  # fmt: skip
@click.option(
    "--since", metavar="DATE", callback=day,
    help="List who played since that day; in the last two years when left out.",
)  # fmt: skip
@click.option(
    "--systems", metavar="LIST",
    help="Compare these: NAME[:SETTING=VALUE,...][@PERIOD], separated by commas.",
)  # fmt: skip
@click.option("--no-compare", is_flag=True, help="Leave the comparison of systems out.")
def command(
    output: str,
    title: str | None,
    credit: str,
    players: list[str] | None,
    top: int,
    min_games: int | None,
    since: float | None,
    systems: str | None,
    no_compare: bool,
    **options: Any,
) -> None:
    """Rate FILE... and write a page that works offline, on paper and on a phone."""
    from prowess.cli.selection import selections
    from prowess.cli.talk import say
    from prowess.present.report import report

    if systems is not None and no_compare:
        raise click.UsageError("--systems names what to compare: leave --no-compare out")
    chosen = None if systems is None else selections(systems)
    ratings = forecasting(options)
    own = judged(ratings, options)
    comparison = None
    if not no_compare:
        comparison = compared(ratings, own, chosen, options["quiet"])
    page = report(
        ratings,
        title=title or heading(options["files"]),
        top=top,
        players=players,
        listing=listing(ratings, min_games, since),
        forecasts=own,
        comparison=comparison,
        level=options["level"],
        credit=credit,
    )
    written(output, page.to_html().encode())
    say(f"{output}: {ratings.head()}", options["quiet"])


def forecasting(options: dict[str, Any]) -> Ratings:
    """The ratings as the options say, with forecasts where the system makes them on its way."""
    from prowess.cli.rating import chosen, rated
    from prowess.engine.whole_table import WholeTable

    name = options["system"]
    at_once = name is not None and isinstance(chosen(name), WholeTable)
    return rated(options, forecasts=not at_once)


def judged(ratings: Ratings, options: dict[str, Any]) -> Backtest | None:
    """The system's own forecasts under the name it was asked for; None, and why, without any."""
    from dataclasses import replace

    from prowess.cli.banks import label_of, with_bank
    from prowess.cli.talk import say
    from prowess.engine.system import Unratable
    from prowess.present.report import own_forecasts

    try:
        found = own_forecasts(ratings)
    except Unratable as reason:
        say(f"no forecasts: {reason}", options["quiet"])
        return None
    if found is None or not found.count:
        return None
    settings = label_of(with_bank(options["params"], options["bank"]))
    label = found.name + (f":{settings}" if settings else "")
    return replace(found, name=f"{label}@{ratings.period}" if ratings.period else label)


def compared(
    ratings: Ratings, own: Backtest | None, chosen: list[Any] | None, quiet: bool
) -> Comparison | None:
    """The systems named, or some fast ones, beside the system of the page; None if too few."""
    import numpy as np

    from prowess.cli.selection import selections
    from prowess.cli.talk import say
    from prowess.cli.verbs.compare import tested
    from prowess.engine.periods import BadRounds
    from prowess.engine.system import Unratable
    from prowess.study.compare import compare

    table = ratings.table
    tests = [] if own is None else [own]
    if chosen is None:
        labels = FAST[f"{table.unit}s"]
        wanted = [one for label in labels for one in selections(label)]
    else:
        wanted = chosen
    base = tested(table, [], 0.2)
    for one in wanted:
        try:
            (test,) = tested(table, [one], 0.2)[len(base) :]
        except (Unratable, BadRounds) as reason:
            if chosen is not None:
                raise
            say(f"left out of the comparison: {one.label}: {reason}", quiet)
            continue
        if not any(np.array_equal(test.expected, other.expected) for other in tests):
            tests.append(test)  # the same forecasts would be the same system twice
    try:
        return compare([*base, *tests])
    except ValueError as reason:
        say(f"no comparison: {reason}", quiet)
        return None


def listing(ratings: Ratings, min_games: int | None, since: float | None) -> Listing:
    """Who is listed; a day is given as its end, and whoever played on it has played since."""
    from math import floor

    from prowess.present.listing import usual_listing

    return usual_listing(ratings, min_games, None if since is None else float(floor(since)))


def heading(files: tuple[str, ...], what: str = "Ratings") -> str:
    """What the page is called when nobody says."""
    if files == ("-",):
        return what
    stem = Path(files[0]).name.partition(".")[0].replace("_", " ").replace("-", " ").strip()
    return f"{what}: {stem}" if stem else what


def written(file: str, content: bytes) -> None:
    """Write a file, or say why not."""
    try:
        Path(file).write_bytes(content)
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror or error}") from None
