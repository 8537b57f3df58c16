"""`prowess tournament`: chances of every place in a round robin, season, bracket or Swiss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from prowess.cli.options import Option, verb
from prowess.cli.output import AsJson
from prowess.cli.rating import Rating, parse_first_day
from prowess.cli.verbs.forecast import Series, find_series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games
    from prowess.study.forecasting.contenders import Contenders
    from prowess.study.forecasting.prospects import Prospects
    from prowess.study.lineups import Side

EXAMPLES = """\b
prowess tournament games.csv --round-robin 2 --best 10
prowess tournament league.csv --round-robin 2 --since 2025-08-01 --award 3,1,0 --ties wins
prowess tournament games.csv --bracket seeds --entrants Ada,Ben,Cleo,Dan --best-of 3
prowess tournament games.csv --swiss 7 --entrants players.txt --ties buchholz,wins
"""


class Plan(NamedTuple):
    """The form of a tournament, who takes part, and how points are counted."""

    round_robin: Annotated[
        int | None, Option("Each pair meets so many times.", "TIMES", click.IntRange(1, 50))
    ] = None
    fixtures: Annotated[
        str | None, Option("Exactly these games: columns home, away or the like.", "CSV")
    ] = None
    bracket: Annotated[
        str | None,
        Option(
            "Knock-out: seeded in the order of the entrants, or in that of a file, a name a line.",
            "seeds|FILE",
        ),
    ] = None
    swiss: Annotated[
        int | None, Option("A Swiss tournament.", "ROUNDS", click.IntRange(1, 100))
    ] = None
    entrants: Annotated[
        str | None, Option("The participants: A,B,C or a file, a name a line.", "NAMES|FILE")
    ] = None
    best: Annotated[
        int | None, Option("The N best rated take part.", "N", click.IntRange(min=2))
    ] = None
    played: Annotated[
        str | None, Option("Results so far: they stand, the rest is simulated.", "FILE")
    ] = None
    since: Annotated[
        float | None,
        Option(
            "The table's games since that day are the results.", "DATE", str, parse=parse_first_day
        ),
    ] = None
    award: Annotated[str, Option("Points for a win, a draw, a loss.", "W,D,L")] = "1,0.5,0"
    ties: Annotated[
        str | None,
        Option(
            "Tie-breaks in order: wins, head_to_head, berger, buchholz. Other ties share places.",
            "RULE,RULE",
        ),
    ] = None
    no_side: Annotated[bool, Option("No game has a side advantage.")] = False
    shoot_out: Annotated[bool, Option("Level ties of a bracket: even chances, no replay.")] = False


@verb("tournament", epilog=EXAMPLES)
def tournament_verb(
    options: Rating,
    *,
    plan: Plan,
    series: Series,
    top: Annotated[
        int,
        Option("Also show the chance of a place among the first K.", "K", click.IntRange(min=1)),
    ] = 3,
    as_json: AsJson = False,
) -> None:
    """Rate FILE... and compute the chances of every participant of a tournament.

    Seasons and Swiss tournaments are simulated --runs times (--seed); brackets are computed. Where
    a system gives the uncertainty of ratings, strengths are sampled once a simulated tournament.
    """
    from prowess.cli.output import format_json, print_note, print_notes, print_table, print_text
    from prowess.cli.rating import rate_table

    forms = [name for name in FORMS if getattr(plan, name) is not None]
    if len(forms) != 1:
        raise click.UsageError("choose one of --round-robin, --fixtures, --bracket, --swiss")
    if forms != ["bracket"]:
        given = {**series._asdict(), "shoot_out": plan.shoot_out}
        for name in ("best_of", "first_to", "order", "replay_draws", "shoot_out"):
            if given[name]:
                raise click.UsageError(f"--{name.replace('_', '-')} belongs to a --bracket")
    ratings = rate_table(options)
    found = FORMS[forms[0]](Tournament(ratings, options, plan, series))
    if as_json:
        head = {"system": ratings.system.name, "form": forms[0].replace("_", "-")}
        print_text(format_json(head | found.as_dict()))
        return
    print_note(ratings.head(), options.quiet)
    print_notes((*found.notes, found.certainty), options.quiet)
    print_table(found.cells(min(top, len(found.names))))


class Tournament(NamedTuple):
    """Ratings, and what the options ask of a tournament."""

    ratings: Ratings
    options: Rating
    plan: Plan
    series: Series

    def field(self, names: Sequence[Side] | None = None) -> tuple[Contenders, Games | None]:
        """The contenders, and the games they have played."""
        from prowess.cli.verbs.participants import read_results, select_participants
        from prowess.study.forecasting.contenders import contenders

        plan, series = self.plan, self.series
        played = read_results(self.ratings, plan.played, plan.since, self.options.reading)
        names = names or select_participants(self.ratings, plan.entrants, plan.best, played)
        how: dict[str, Any] = {"worlds": series.runs, "draws": series.draws}
        return contenders(self.ratings, names, seed=self.options.seed, **how), played

    def counting(self) -> dict[str, Any]:
        """Points, tie-breaks, runs and seed."""
        from prowess.cli.verbs.participants import parse_numbers
        from prowess.study.forecasting.prospects import Scale

        ties = [rule.strip() for rule in (self.plan.ties or "").split(",") if rule.strip()]
        scale = Scale(*parse_numbers(self.plan.award, 3))
        how = {"runs": self.series.runs, "seed": self.options.seed}
        return {"scale": scale, "ties": ties, **how}

    def refuse_participants(self, form: str) -> None:
        """Raise UsageError for options that name participants beside a file that does."""
        for name in ("entrants", "best"):
            if getattr(self.plan, name) is not None:
                raise click.UsageError(f"leave --{name} out: --{form} names the participants")


def run_round_robin(asked: Tournament) -> Prospects:
    """A round robin, some of it played."""
    from prowess.study.forecasting.season import round_robin, simulate_season, with_results

    counting = asked.counting()
    field, played = asked.field()
    sided = field.sided and not asked.plan.no_side
    planned = round_robin(len(field), asked.plan.round_robin or 1, sided)
    if played is not None:
        planned = with_results(planned, played, field.sides)
    return simulate_season(field, planned, **counting)


def run_fixtures(asked: Tournament) -> Prospects:
    """A season of given fixtures, some of them played."""
    from prowess.cli.verbs.participants import read_fixtures
    from prowess.study.forecasting.season import fixtures, simulate_season, with_results

    counting = asked.counting()
    asked.refuse_participants("fixtures")
    names, rows = read_fixtures(asked.plan.fixtures or "", asked.plan.no_side)
    field, played = asked.field(names)
    planned = fixtures(rows)
    if played is not None:
        planned = with_results(planned, played, field.sides)
    return simulate_season(field, planned, **counting)


def run_bracket(asked: Tournament) -> Prospects:
    """A knock-out bracket, computed exactly."""
    from prowess.cli.verbs.participants import read_bracket
    from prowess.study.forecasting.knockout import (
        ONE_GAME,
        Tie,
        forecast_knockout,
        scores_met,
        seed_bracket,
    )

    plan, series = asked.plan, asked.series
    course = find_series(series, series.order or "n")
    if course is None and (series.order or series.replay_draws):
        raise click.UsageError("add --best-of: --order and --replay-draws are for a series")
    names, slots = None, None
    if plan.bracket not in (None, "seeds"):
        asked.refuse_participants("bracket FILE")
        names, slots = read_bracket(plan.bracket)
    field, played = asked.field(names)
    scores = None if played is None else scores_met(played, field.sides)
    tie = Tie(course or ONE_GAME, plan.shoot_out)
    return forecast_knockout(field, slots or seed_bracket(len(field)), tie=tie, played=scores)


def run_swiss(asked: Tournament) -> Prospects:
    """A Swiss tournament, some of it played."""
    from dataclasses import replace

    from prowess.study.forecasting.swiss import simulate_swiss

    counting = asked.counting()
    field, played = asked.field()
    if asked.plan.no_side:
        field = replace(field, sided=False)
    return simulate_swiss(field, asked.plan.swiss or 1, played=played, **counting)


FORMS = {
    "round_robin": run_round_robin,
    "fixtures": run_fixtures,
    "bracket": run_bracket,
    "swiss": run_swiss,
}
