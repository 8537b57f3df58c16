"""`prowess report` and `site`: a page about a rated table in one file, or a folder of pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import click

from prowess.cli.options import Option, verb
from prowess.cli.output import PAGES, output_file
from prowess.cli.rating import Day, RatingOptions
from prowess.cli.selection import Systems

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.present.listing import Listing
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison

# compared when no systems are named: well known, one pass each
FAST = {"games": "elo,glicko2@1mo,weng_lin", "contests": "elo,codechef,weng_lin"}
REPORTS = """\b
prowess report games.csv --open
prowess report games.csv -o report.html --system glicko2 --period 1mo --title "Our league"
prowess report games.csv -o report.html --players "Ada,Ben" --systems elo,elo:k=20,bradley_terry
"""
SITES = """\b
prowess site games.csv -o pages --system glicko2
prowess site games.csv -o pages --title "Our league" --top 500
"""


def parse_names(value: str) -> list[str]:
    """Names separated by commas; quotes keep a comma within a name."""
    import csv

    found = [name.strip() for name in next(csv.reader([value], skipinitialspace=True), [])]
    if not any(found):
        raise click.BadParameter("name at least one player")
    return [name for name in found if name]


Players = Annotated[list[str] | None, Option(metavar="NAME,NAME", parse=parse_names)]
Title = Annotated[str | None, Option("Heading of the page. Default: the file's name.", "TEXT")]


class ListingOptions(NamedTuple):
    """Which players are listed."""

    min_games: Annotated[
        int | None,
        Option(
            "List players with N games or more. Default: a tenth of the mean number.",
            "N",
            click.IntRange(min=0),
        ),
    ] = None
    since: Annotated[
        Day, "List players with a game since that day. Default: in the last two years."
    ] = None


def make_listing(ratings: Ratings, rule: ListingOptions) -> Listing:
    """The rule of who is listed; games on the day `since` count."""
    from math import floor

    from prowess.present.listing import usual_listing

    since = None if rule.since is None else float(floor(rule.since))
    return usual_listing(ratings, rule.min_games, since)


@verb("report", epilog=REPORTS)
def report_verb(
    options: RatingOptions,
    *,
    output: Annotated[
        str | None, output_file(PAGES, "Where to write the page."), Option(metavar="FILE.html")
    ] = None,
    open_page: Annotated[
        bool,
        Option("Open the page in a browser; a temporary one without -o.", names=("--open",)),
    ] = False,
    title: Title = None,
    credit: Annotated[str, Option("Source and licence of the data.", "TEXT")] = "",
    players: Annotated[Players, "The players whose histories are drawn. Default: the best."] = None,
    top: Annotated[int, Option("Rows of the leaderboard.", "N", click.IntRange(1, 500))] = 25,
    rule: ListingOptions,
    systems: Annotated[
        Systems, "Compare these: NAME[:SETTING=VALUE,...][@PERIOD], separated by commas."
    ] = None,
    no_compare: Annotated[bool, Option("Leave the comparison of systems out.")] = False,
) -> None:
    """Rate FILE... and write a page that works offline, on paper and on a phone."""
    from prowess.cli.output import print_note, write_file
    from prowess.cli.rating import rate_with_forecasts
    from prowess.present.report import report
    from prowess.verbs.selections import parse_selections

    if output is None and not open_page:
        raise click.UsageError("say where to write the page with -o FILE.html, or add --open")
    if systems is not None and no_compare:
        raise click.UsageError("leave --no-compare out: --systems names what to compare")
    if systems is not None:
        parse_selections(systems)  # wrong ones are refused before a long file is read
    ratings = rate_with_forecasts(options)
    own = backtest_own(ratings, options)
    page = report(
        ratings,
        title=title or make_title(options.sources),
        top=top,
        players=players,
        listing=make_listing(ratings, rule),
        forecasts=own,
        comparison=None if no_compare else compare_own(ratings, own, systems, options.quiet),
        level=options.level,
        credit=credit,
    )
    if output is None:
        from tempfile import mkdtemp

        output = str(Path(mkdtemp(prefix="prowess-")) / "report.html")
    write_file(output, page.to_html())
    print_note(f"{output}: {ratings.head()}", options.quiet)
    if open_page:
        show_page(output)


def show_page(file: str) -> None:
    """Open a page in the browser; raises ClickException where there is none."""
    import webbrowser

    if not webbrowser.open(Path(file).resolve().as_uri()):
        raise click.ClickException(f"open {file} in a browser: none was found to open it with")


def backtest_own(ratings: Ratings, options: RatingOptions) -> Backtest | None:
    """The system's own forecasts under its label; None, with a note, where there are none."""
    from dataclasses import replace

    from prowess.cli.output import print_note
    from prowess.cli.selection import merge_bank
    from prowess.engine.system import Unratable
    from prowess.present.report import own_forecasts
    from prowess.study.judging import format_settings

    try:
        found = own_forecasts(ratings)
    except Unratable as reason:
        print_note(f"no forecasts: {reason}", options.quiet)
        return None
    if found is None or not found.count:
        return None
    settings = format_settings(merge_bank(options.params, options.bank))
    label = found.name + (f":{settings}" if settings else "")
    return replace(found, name=f"{label}@{ratings.period}" if ratings.period else label)


def compare_own(
    ratings: Ratings, own: Backtest | None, systems: str | None, quiet: bool
) -> Comparison | None:
    """The systems named, or some fast ones, beside the system of the page; None if too few."""
    from functools import partial

    from prowess.cli.output import print_note
    from prowess.study.cross_validation import run_folds
    from prowess.study.folds import random_folds
    from prowess.study.judging import compare_beside
    from prowess.study.order import has_order
    from prowess.verbs.selections import parse_selections

    table = ratings.table
    usual = FAST[f"{table.unit}s"]
    if table.time is None:
        usual = usual.replace("@1mo", "")  # a month needs dates
    selections = parse_selections(systems or usual)
    if has_order(table) or not table.pairwise:
        comparison, notes = compare_beside(table, own, selections)
    else:  # votes: the order of the file is none, and forecasts by it judge Elo too well
        folds = (own and own.folds) or random_folds(table)
        judge = partial(run_folds, folds=folds)
        comparison, notes = compare_beside(table, own, selections, judge)
    for note in notes:
        print_note(note, quiet)
    return comparison


def make_title(files: Sequence[str], what: str = "Ratings") -> str:
    """The heading of a page without --title, from the name of the file."""
    if tuple(files) == ("-",):
        return what
    stem = Path(files[0]).name.partition(".")[0].replace("_", " ").replace("-", " ").strip()
    return f"{what}: {stem}" if stem else what


@verb("site", epilog=SITES)
def site_verb(
    options: RatingOptions,
    *,
    output: Annotated[
        str,
        Option(
            "A new folder, an empty one, or one that an earlier run wrote.",
            "FOLDER",
            click.Path(),
            ("--output", "-o"),
        ),
    ],
    title: Title = None,
    top: Annotated[
        int,
        Option("Pages of the N best players; the leaderboard has all.", "N", click.IntRange(min=1)),
    ] = 100,
    pairs: Annotated[
        int, Option("Pages of the N pairs of them that met most.", "N", click.IntRange(min=0))
    ] = 100,
    rule: ListingOptions,
) -> None:
    """Rate FILE... and write pages that need no server and no network."""
    from prowess.cli.output import print_note, refuse_file
    from prowess.cli.rating import rate_with_forecasts
    from prowess.present.rendering import environment
    from prowess.present.site import Limits, Site, files
    from prowess.verbs.pages import read_record, write_folder

    folder = Path(output)
    earlier = read_record(folder)
    environment()  # a missing library is reported before a long file is read
    ratings = rate_with_forecasts(options)
    site = Site(
        forecasting=ratings,
        title=title or make_title(options.sources),
        listing=make_listing(ratings, rule),
        limits=Limits(top, pairs),
    )
    try:
        count = write_folder(folder, files(site), earlier)
    except OSError as error:
        raise refuse_file(error.filename or folder, error) from None
    print_note(f"{folder / 'index.html'}: {ratings.head()}; {count:,} files", options.quiet)
    everyone = int(ratings.has_played().sum())
    if everyone > top:
        note = f"pages of the best {top:,} of {everyone:,} players (--top {everyone})"
        print_note(note, options.quiet)
