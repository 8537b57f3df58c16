"""`prowess plot`: one figure of a rated table as SVG or PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import IMAGES, AsJson, output_file
from prowess.cli.rating import RatingOptions
from prowess.cli.selection import Systems
from prowess.cli.verbs.report import ListingOptions, Players

if TYPE_CHECKING:
    from prowess.present.chart import Chart

FIGURES = ("history", "leaderboard", "distribution", "calibration", "compare", "pairs", "activity")
EXAMPLES = """\b
prowess plot history games.csv --players "Ada,Ben" -o history.svg
prowess plot leaderboard games.csv --system glicko2 --period 1mo -o leaders.png
prowess plot calibration games.csv --system glicko2 --period 1mo -o calibration.svg
"""


@verb("plot", epilog=EXAMPLES)
def plot_verb(
    *,
    what: Annotated[str, Argument("|".join(FIGURES), click.Choice(FIGURES))],
    options: RatingOptions,
    output: Annotated[
        str | None, output_file(IMAGES, "The file of the figure: .svg or .png.")
    ] = None,
    players: Annotated[
        Players, "The players that history and pairs show. Default: the best."
    ] = None,
    against: Annotated[
        Literal["date", "game"] | None, "The axis of history (default: date)."
    ] = None,
    top: Annotated[
        int | None, Option("How many players are shown.", "N", click.IntRange(1, 100))
    ] = None,
    rule: ListingOptions,
    systems: Annotated[
        Systems, "The systems that compare compares, as `prowess compare` names them."
    ] = None,
    width: Annotated[int, Option("Of the figure.", "PIXELS", click.IntRange(240, 4000))] = 720,
    theme: Annotated[
        Literal["both", "light", "dark"],
        "both: an SVG follows the reader's device, a PNG is light.",
    ] = "both",
    credit: Annotated[str, Option("Source and licence of the data.", "TEXT")] = "",
    as_json: AsJson = False,
) -> None:
    """Rate FILE... and draw one figure; stderr describes it in words."""
    from dataclasses import replace

    from prowess.cli.output import format_json, print_text, write_figure

    if (output is None) == (not as_json):
        raise click.UsageError("name a file with -o FILE, or print the numbers with --json")
    for name, value, figures in (
        ("--players", players, ("history", "pairs")),
        ("--against", against, ("history",)),
        ("--systems", systems, ("compare",)),
    ):
        if value is not None and what not in figures:
            raise click.UsageError(f"leave {name} out: it is for {' and '.join(figures)}")
    if what in ("calibration", "compare"):
        figure = make_judged_figure(what, options, systems)
    else:
        figure = make_figure(what, options, rule, players, top, against)
    if output is None:
        print_text(format_json({"title": figure.title, "data": figure.data}))
    else:
        figure = replace(figure, source=credit)
        write_figure(output, figure, options.quiet, width=width, theme=theme)


def make_figure(
    what: str,
    options: RatingOptions,
    rule: ListingOptions,
    players: list[str] | None,
    top: int | None,
    against: Any,
) -> Chart:
    """A figure of the ratings."""
    from prowess.cli.output import print_note
    from prowess.cli.rating import rate_table
    from prowess.cli.verbs.report import make_listing
    from prowess.present import figures

    ratings = rate_table(options)
    listing = make_listing(ratings, rule)
    if what == "history":
        names = players or listing.board(ratings, top or 6).columns["player"]
        if players is None and top is None:
            rest = len(listing.board(ratings).columns["player"]) - len(names)
            if rest > 0:
                left = f"{rest:,} {'is' if rest == 1 else 'are'} left out"
                print_note(
                    f"note: the best {len(names)} are drawn, {left} (--top or --players chooses)",
                    options.quiet,
                )
        return figures.histories(ratings, names, against=against, level=options.level)
    if what == "pairs":
        names = players or listing.board(ratings, top or 12).columns["player"]
        return figures.head_to_head(ratings, players=names)
    if what == "leaderboard":
        return figures.leaders(ratings, top or 20, listing=listing, level=options.level)
    if what == "distribution":
        return figures.distribution(ratings, min_games=rule.min_games or 0)
    return figures.activity(ratings.table)


def make_judged_figure(what: str, options: RatingOptions, systems: str | None) -> Chart:
    """A figure of the forecasts."""
    from prowess.cli.rating import rate_with_forecasts
    from prowess.cli.verbs.report import backtest_own, compare_own
    from prowess.present import figures
    from prowess.present.svg import Undrawable
    from prowess.verbs.selections import parse_selections

    if systems is not None:
        parse_selections(systems)  # wrong ones are refused before a long file is read
    ratings = rate_with_forecasts(options)
    own = backtest_own(ratings, options)
    if what == "compare":
        comparison = compare_own(ratings, own, systems, options.quiet)
        if comparison is None:
            raise Undrawable(
                "give a longer table: there is nothing to compare on this one",
                code="nothing_to_compare",
            )
        return figures.behind_the_best(comparison)
    if own is None:
        raise Undrawable(
            f"choose a system that forecasts, such as elo: {ratings.system.name} gives none "
            "of this table",
            code="no_forecasts",
        )
    return figures.reliability(own, level=options.level)
