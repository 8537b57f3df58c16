"""`prowess tournament`: everybody's chances in a round robin, season, bracket or Swiss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.output import json_option
from prowess.cli.rating import rating_options
from prowess.cli.series import series_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prowess.engine.ratings import Ratings
    from prowess.study.forecasting.prospects import Prospects
    from prowess.study.lineups import Side

EXAMPLES = """\b
prowess tournament games.csv --round-robin 2 --best 10
prowess tournament league.csv --round-robin 2 --since 2025-08-01 --award 3,1,0 --ties wins
prowess tournament games.csv --bracket seeds --entrants Ada,Ben,Cleo,Dan --best-of 3
prowess tournament games.csv --swiss 7 --entrants players.txt --ties buchholz,wins
"""


@click.command(
    "tournament",
    short_help="Chances of every place in a round robin, season, bracket or Swiss.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@rating_options
@click.option(
    "--round-robin",
    type=click.IntRange(1, 50),
    metavar="TIMES",
    help="Everybody meets everybody so many times.",
)
@click.option(
    "--fixtures", metavar="CSV", help="Exactly these games: columns home, away or the like."
)
@click.option(
    "--bracket",
    metavar="seeds|FILE",
    help="Knock-out: seeded in the order of the entrants, or as a file has it, a name a line.",
)
@click.option("--swiss", type=click.IntRange(1, 100), metavar="ROUNDS", help="A Swiss tournament.")
@click.option("--entrants", metavar="NAMES|FILE", help="Who takes part: A,B,C or a name a line.")
@click.option("--best", type=click.IntRange(min=2), metavar="N", help="The N best rated take part.")
@click.option("--played", metavar="FILE", help="Results so far: they stand, the rest is simulated.")
@click.option("--since", metavar="DATE", help="The table's games since that day are the results.")
@click.option(
    "--award",
    default="1,0.5,0",
    show_default=True,
    metavar="W,D,L",
    help="Points for a win, a draw, a loss.",
)
@click.option(
    "--ties",
    metavar="RULE,RULE",
    help="Tie-breaks in order: wins, head_to_head, berger, buchholz. Who stays level shares.",
)
@click.option("--no-side", is_flag=True, help="Nobody has the side in any game.")
@click.option("--shoot-out", is_flag=True, help="Level ties of a bracket: even chances, no replay.")
@series_options
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="K",
    help="Also show the chance of a place among the first K.",
)
@json_option
def command(as_json: bool, top: int, **options: Any) -> None:
    """Rate FILE... and say what a tournament may bring for everybody who takes part.

    Seasons and Swiss tournaments are simulated --runs times (--seed); brackets are computed. Where
    a system says how sure ratings are, strengths are drawn once for each simulated tournament.
    """
    from prowess.cli.output import json_text, put
    from prowess.cli.rating import rated
    from prowess.cli.table import drawn, screen
    from prowess.cli.talk import say

    forms = [name for name in FORMS if options[name] is not None]
    if len(forms) != 1:
        raise click.UsageError("choose one of --round-robin, --fixtures, --bracket, --swiss")
    if forms != ["bracket"]:
        for name in ("best_of", "first_to", "order", "replay_draws", "shoot_out"):
            if options[name]:
                raise click.UsageError(f"--{name.replace('_', '-')} belongs to a --bracket")
    ratings = rated(options)
    found = FORMS[forms[0]](ratings, options)
    if as_json:
        head = {"system": ratings.system.name, "form": forms[0].replace("_", "-")}
        put(json_text(head | found.as_dict()))
        return
    say(ratings.head(), options["quiet"])
    for note in (*found.notes, found.certainty):
        say(f"note: {note}", options["quiet"])
    put(drawn(found.cells(min(top, len(found.names))), screen()))


def _field(ratings: Ratings, options: dict[str, Any], names: Sequence[Side] | None = None) -> Any:
    """Contenders and what was played between them."""
    from prowess.cli.participants import chosen, results
    from prowess.study.forecasting.contenders import contenders

    played = results(ratings, options["played"], _day(options["since"]), options)
    names = names or chosen(ratings, options["entrants"], options["best"], played)
    known = {"worlds": options["runs"], "seed": options["seed"], "draws": options["draws"]}
    return contenders(ratings, names, **known), played


def _day(text: str | None) -> float | None:
    """The beginning of a day in days since 1970."""
    if text is None:
        return None
    from prowess.rating import end_of_day

    try:
        end = end_of_day(text)
    except ValueError as error:
        raise click.UsageError(f"--since: {error}") from None
    return float(end // 1) if len(text.strip()) <= len("2024-06-30") else end


def _counting(options: dict[str, Any]) -> dict[str, Any]:
    """Points, tie-breaks, runs and seed."""
    from prowess.cli.participants import numbers
    from prowess.study.forecasting.prospects import Scale

    ties = [rule.strip() for rule in (options["ties"] or "").split(",") if rule.strip()]
    scale = Scale(*numbers(options["award"], 3))
    return {"scale": scale, "ties": ties, "runs": options["runs"], "seed": options["seed"]}


def _round_robin(ratings: Ratings, options: dict[str, Any]) -> Prospects:
    from prowess.study.forecasting.season import round_robin, simulate_season, with_results

    counting = _counting(options)
    field, played = _field(ratings, options)
    sided = field.sided and not options["no_side"]
    planned = round_robin(len(field), options["round_robin"], sided)
    if played is not None:
        planned = with_results(planned, played, field.sides)
    return simulate_season(field, planned, **counting)


def _fixtures(ratings: Ratings, options: dict[str, Any]) -> Prospects:
    from prowess.cli.participants import paired_rows
    from prowess.study.forecasting.season import fixtures, simulate_season, with_results

    counting = _counting(options)
    _refuse(options, "fixtures", "entrants", "best")
    names, rows = paired_rows(options["fixtures"], options["no_side"])
    field, played = _field(ratings, options, names)
    planned = fixtures(rows)
    if played is not None:
        planned = with_results(planned, played, field.sides)
    return simulate_season(field, planned, **counting)


def _bracket(ratings: Ratings, options: dict[str, Any]) -> Prospects:
    from prowess.cli.participants import bracket
    from prowess.cli.series import course
    from prowess.study.forecasting.knockout import (
        ONE_GAME,
        Tie,
        forecast_knockout,
        scores_met,
        seed_bracket,
    )

    asked = options["best_of"], options["first_to"], options["order"] or "n"
    course_asked = course(*asked, options["replay_draws"])
    if course_asked is None and (options["order"] or options["replay_draws"]):
        raise click.UsageError("--order and --replay-draws belong to a series: --best-of")
    names, slots = None, None
    if options["bracket"] != "seeds":
        _refuse(options, "bracket FILE", "entrants", "best")
        names, slots = bracket(options["bracket"])
    field, played = _field(ratings, options, names)
    scores = None if played is None else scores_met(played, field.sides)
    tie = Tie(course_asked or ONE_GAME, options["shoot_out"])
    return forecast_knockout(field, slots or seed_bracket(len(field)), tie=tie, played=scores)


def _swiss(ratings: Ratings, options: dict[str, Any]) -> Prospects:
    from dataclasses import replace

    from prowess.study.forecasting.swiss import simulate_swiss

    counting = _counting(options)
    field, played = _field(ratings, options)
    if options["no_side"]:
        field = replace(field, sided=False)
    return simulate_swiss(field, options["swiss"], played=played, **counting)


def _refuse(options: dict[str, Any], form: str, *names: str) -> None:
    for name in names:
        if options[name] is not None:
            raise click.UsageError(f"--{form} says who takes part: leave --{name} out")


FORMS = {
    "round_robin": _round_robin,
    "fixtures": _fixtures,
    "bracket": _bracket,
    "swiss": _swiss,
}
