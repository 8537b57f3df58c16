"""`prowess plot`: one figure of a rated table as SVG or PNG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.output import json_option
from prowess.cli.rating import day, rating_options
from prowess.cli.verbs.report import compared, forecasting, judged, listing, name_list, written

if TYPE_CHECKING:
    from prowess.present.chart import Chart

FIGURES = ("history", "leaderboard", "distribution", "calibration", "compare", "pairs", "activity")
IMAGES = (".svg", ".png")
EXAMPLES = """\b
prowess plot history games.csv --players "Ada,Ben" -o history.svg
prowess plot leaderboard games.csv --system glicko2 --period 1mo -o leaders.png
prowess plot calibration games.csv --system glicko2 --period 1mo -o calibration.svg
"""


def image_name(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Check the suffix before any work is done."""
    if value is not None and Path(value).suffix.lower() not in IMAGES:
        raise click.BadParameter(f"{value}: the suffix says the form: {', '.join(IMAGES)}")
    return value


@click.command(
    "plot",
    short_help="Draw one figure as SVG or PNG.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@click.argument("what", metavar="|".join(FIGURES), type=click.Choice(FIGURES))
@rating_options
@click.option(
    "--output", "-o", metavar="FILE", type=click.Path(), callback=image_name,
    help="Where to draw: .svg or .png.",
)  # fmt: skip
@click.option(
    "--players", metavar="NAME,NAME", callback=name_list,
    help="Whom history and pairs show; the best when left out.",
)  # fmt: skip
@click.option(
    "--by", type=click.Choice(["date", "game"]), help="What history runs along (default: date)."
)
@click.option("--top", type=click.IntRange(1, 100), metavar="N", help="How many players are shown.")
@click.option(
    "--min-games", type=click.IntRange(min=0), metavar="N",
    help="Show who played N games; a tenth of the mean number when left out.",
)  # fmt: skip
@click.option(
    "--since", metavar="DATE", callback=day,
    help="Show who played since that day; in the last two years when left out.",
)  # fmt: skip
@click.option("--systems", metavar="LIST", help="What compare compares, as `prowess compare` does.")
@click.option(
    "--width", type=click.IntRange(240, 4000), default=720, show_default=True, metavar="PIXELS"
)
@click.option(
    "--theme", type=click.Choice(["both", "light", "dark"]), default="both", show_default=True,
    help="both: an SVG follows the reader's device, a PNG is light.",
)  # fmt: skip
@json_option
def command(
    what: str, output: str | None, width: int, theme: Any, as_json: bool, **options: Any
) -> None:
    """Rate FILE... and draw one figure; what it shows is said in words on stderr."""
    from prowess.cli.output import json_text, put
    from prowess.cli.table import safe
    from prowess.cli.talk import say
    from prowess.present.svg import Undrawable

    if (output is None) == (not as_json):
        raise click.UsageError("say where to draw with -o FILE, or print the numbers with --json")
    try:
        figure = drawn(what, options)
        if as_json:
            put(json_text({"title": figure.title, "data": figure.data}))
            return
        assert output is not None
        if Path(output).suffix.lower() == ".png":
            written(output, figure.to_png(width, theme=theme))
        else:
            written(output, figure.to_svg(width, theme).encode())
    except Undrawable as error:
        raise click.UsageError(str(error)) from None
    say(f"{output}: {safe(figure.title)}. {safe(figure.description)}", options["quiet"])


def drawn(what: str, options: dict[str, Any]) -> Chart:
    """The figure asked for."""
    from prowess.cli.rating import rated
    from prowess.cli.selection import selections
    from prowess.present import figures
    from prowess.present.svg import Undrawable

    players, top, level = options.pop("players"), options.pop("top"), options["level"]
    by, min_games, since = (options.pop(name) for name in ("by", "min_games", "since"))
    systems = options.pop("systems")
    for name, value, of in (
        ("--players", players, ("history", "pairs")),
        ("--by", by, ("history",)),
        ("--systems", systems, ("compare",)),
    ):
        if value is not None and what not in of:
            raise click.UsageError(f"{name} belongs to {' and '.join(of)}, not to {what}")
    if what in ("calibration", "compare"):
        chosen = None if systems is None else selections(systems)
        ratings = forecasting(options)
        own = judged(ratings, options)
        if what == "compare":
            comparison = compared(ratings, own, chosen, options["quiet"])
            if comparison is None:
                raise Undrawable("there is nothing to compare on this table")
            return figures.behind_the_best(comparison)
        if own is None:
            raise Undrawable(f"{ratings.system.name} gives no forecasts of this table to judge")
        return figures.reliability(own, level=level)
    ratings = rated(options)
    rule = listing(ratings, min_games, since)
    if what == "history":
        names = players or rule.board(ratings, top or 6).columns["player"]
        return figures.histories(ratings, names, by=by, level=level)
    if what == "pairs":
        names = players or rule.board(ratings, top or 12).columns["player"]
        return figures.head_to_head(ratings, players=names)
    if what == "leaderboard":
        return figures.leaders(ratings, top or 20, listing=rule, level=level)
    if what == "distribution":
        return figures.distribution(ratings, min_games=min_games or 0)
    return figures.activity(ratings.table)
