"""`prowess tournament`: chances of every place in a round robin, season, bracket or Swiss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.rating import RatingOptions, parse_first_day, rate_table
from prowess.cli.reading import ReadingOptions, read_table, split_names
from prowess.cli.selection import NO_WORKERS
from prowess.cli.verbs.forecast import SeriesOptions, find_series

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games
    from prowess.study.forecasting.contenders import Contenders
    from prowess.study.forecasting.prospects import Prospects
    from prowess.study.lineups import Side


TOURNAMENT_EXAMPLES = """\b
prowess tournament games.csv --round-robin 2 --best 10
prowess tournament league.csv --round-robin 2 --since 2025-08-01 --award 3,1,0 --ties wins
prowess tournament games.csv --bracket seeds --entrants Ada,Ben,Cleo,Dan --best-of 3
prowess tournament games.csv --swiss 7 --entrants players.txt --ties buchholz,wins
"""


class TournamentOptions(NamedTuple):
    """The form of a tournament, who takes part, and how points are counted."""

    round_robin: Annotated[
        int | None, Option("Each pair meets so many times.", "TIMES", click.IntRange(1, 50))
    ] = None
    fixtures: Annotated[
        str | None, Option("Exactly these games: columns home, away or the like.", "CSV")
    ] = None
    bracket: Annotated[
        str | None,
        Option(metavar="seeds|FILE"),
        "Knock-out: seeded in the order of the entrants, or in that of a file, a name a line.",
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
        Option(metavar="RULE,RULE"),
        "Tie-breaks in order: wins, head_to_head, berger, buchholz. Other ties share places.",
    ] = None
    no_side: Annotated[bool, Option("No game has a side advantage.")] = False
    shoot_out: Annotated[bool, Option("Level ties of a bracket: even chances, no replay.")] = False


@verb("tournament", epilog=TOURNAMENT_EXAMPLES)
def tournament_verb(
    options: RatingOptions,
    *,
    plan: TournamentOptions,
    series: SeriesOptions,
    top: Annotated[
        int,
        Option("Also show the chance of a place among the first K.", "K", click.IntRange(min=1)),
    ] = 3,
    answer: AnswerOptions,
) -> None:
    """Rate FILE... and compute the chances of every participant of a tournament.

    Seasons and Swiss tournaments are simulated --runs times (--seed), which --jobs and --cluster
    share; brackets are computed. Where a system gives the uncertainty of ratings, strengths are
    sampled once a simulated tournament.
    """
    forms = [name for name in TOURNAMENT_FORMS if getattr(plan, name) is not None]
    if len(forms) != 1:
        raise click.UsageError("choose one of --round-robin, --fixtures, --bracket, --swiss")
    if forms != ["bracket"]:
        given = {**series._asdict(), "shoot_out": plan.shoot_out}
        for name in ("best_of", "first_to", "side_order", "replay_draws", "shoot_out"):
            if given[name]:
                flag = name.removeprefix("side_").replace("_", "-")
                raise click.UsageError(f"leave --{flag} out: it belongs to a --bracket")
    alone = options if options.bootstrap else options._replace(workers=NO_WORKERS)
    if forms == ["bracket"] and alone != options:
        raise click.UsageError("leave --jobs and --cluster out: a --bracket is not simulated")
    ratings = rate_table(alone)
    found = TOURNAMENT_FORMS[forms[0]](Tournament(ratings, options, plan, series))
    head = {"system": ratings.system.name, "form": forms[0].replace("_", "-")}

    notes = [ratings.head(), *(f"note: {one}" for one in (*found.notes, found.certainty))]
    cells = found.place_cells(min(top, len(found.names)))
    data, reading = head | found.as_dict(), ratings.table.reading
    answer.give(lambda: data, lambda: found, lambda: [cells], reading, notes=notes)


class Tournament(NamedTuple):
    """Ratings, and what the options ask of a tournament."""

    ratings: Ratings
    options: RatingOptions
    plan: TournamentOptions
    series: SeriesOptions

    def field(self, names: Sequence[Side] | None = None) -> tuple[Contenders, Games | None]:
        """The contenders, and the games they have played."""
        from prowess.study.forecasting.contenders import contenders

        plan, series = self.plan, self.series
        played = read_results(self.ratings, plan.played, plan.since, self.options.reading)
        names = names or select_participants(self.ratings, plan.entrants, plan.best, played)
        how: dict[str, Any] = {"worlds": series.runs, "draws": series.draws}
        return contenders(self.ratings, names, seed=self.options.seed, **how), played

    def counting(self) -> dict[str, Any]:
        """Points, tie-breaks, runs and seed."""
        from prowess.study.forecasting.season import PointScale

        ties = [rule.strip() for rule in (self.plan.ties or "").split(",") if rule.strip()]
        scale = PointScale(*parse_numbers(self.plan.award, 3))
        how = {"runs": self.series.runs, "seed": self.options.seed}
        return {"scale": scale, "ties": ties, **how}

    def simulate(self, simulation: Callable[..., Prospects], *given: Any, **how: Any) -> Prospects:
        """What a simulation gives, whose runs the workers share."""
        from prowess.engine.cluster.workers import workers_of

        with workers_of(self.options.workers.choice) as workers:
            return simulation(*given, **self.counting(), **how, workers=workers)

    def refuse_participants(self, form: str) -> None:
        """Raise UsageError for options that name participants beside a file that does."""
        for name in ("entrants", "best"):
            if getattr(self.plan, name) is not None:
                raise click.UsageError(f"leave --{name} out: --{form} names the participants")


def run_round_robin(asked: Tournament) -> Prospects:
    """A round robin, some of it played."""
    from prowess.study.forecasting.season import round_robin, simulate_season, with_results

    field, played = asked.field()
    sided = field.sided and not asked.plan.no_side
    planned = round_robin(len(field), asked.plan.round_robin or 1, sided)
    if played is not None:
        planned = with_results(planned, played, field.sides)
    return asked.simulate(simulate_season, field, planned)


def run_fixtures(asked: Tournament) -> Prospects:
    """A season of given fixtures, some of them played."""
    from prowess.games.formats.small_files import read_fixtures
    from prowess.study.forecasting.season import fixtures, simulate_season, with_results

    asked.refuse_participants("fixtures")
    told = read_fixtures(asked.plan.fixtures or "", 0.0 if asked.plan.no_side else None, two=True)
    number: dict[str, int] = {}
    pairs = [[number.setdefault(name, len(number)) for name in game] for game in told.games]
    field, played = asked.field([*number])
    planned = fixtures([(a, b, side) for (a, b), side in zip(pairs, told.sides, strict=True)])
    if played is not None:
        planned = with_results(planned, played, field.sides)
    return asked.simulate(simulate_season, field, planned)


def run_bracket(asked: Tournament) -> Prospects:
    """A knock-out bracket, computed exactly."""
    from prowess.games.formats.small_files import read_bracket
    from prowess.study.forecasting.knockout import (
        ONE_GAME,
        Tie,
        forecast_knockout,
        scores_met,
        seed_bracket,
    )

    plan, series = asked.plan, asked.series
    course = find_series(series, series.side_order or "n")
    if course is None and (series.side_order or series.replay_draws):
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

    field, played = asked.field()
    if asked.plan.no_side:
        field = replace(field, sided=False)
    return asked.simulate(simulate_swiss, field, asked.plan.swiss or 1, played=played)


TOURNAMENT_FORMS = {
    "round_robin": run_round_robin,
    "fixtures": run_fixtures,
    "bracket": run_bracket,
    "swiss": run_swiss,
}

# participants, fixtures and results so far, from files and options


def parse_entrants(text: str) -> list[str]:
    """Names from `A,B,C`, or from a file with a name a line."""
    from prowess.games.formats.small_files import WORDS_OF_BYE, read_names

    if Path(text).is_file():
        return [name for name in read_names(text) if name.lower() not in WORDS_OF_BYE]
    return split_names(text)


def select_participants(
    ratings: Ratings, named: str | None, best: int | None, played: Games | None
) -> Sequence[Side]:
    """The participants: those named, the best rated, or those who played, best rated first."""
    from prowess.study.lineups import members_of, side_text, sides_played

    if named is not None:
        return parse_entrants(named)
    if best is not None:
        return [row["player"] for row in ratings.leaderboard(best).rows()]
    if played is None:
        raise click.UsageError(
            "give --entrants NAME,NAME or FILE, or --best N, or --since DATE for the players since"
        )
    strength = {
        side: sum(map(float, ratings.strength[list(ids)])) / len(ids)
        for side in sides_played(played)
        if (ids := members_of(ratings.players, side))
    }
    seen: dict[str, str] = {}
    for side in strength:
        for member in side:
            if member in seen:
                raise click.UsageError(
                    f"give --entrants: {member!r} has played as {seen[member]!r} and as "
                    f"{side_text(side)!r}"
                )
            seen[member] = side_text(side)
    return sorted(strength, key=lambda side: (-strength[side], side_text(side)))


def read_results(
    ratings: Ratings, file: str | None, since: float | None, reading: ReadingOptions
) -> Games | None:
    """The results so far: a file of games, or the table's own games since a day."""
    if file is not None and since is not None:
        raise click.UsageError("choose --played or --since: both give the results so far")
    if file is not None:
        given = {**reading.given, "where": None, "exclude": None}
        table = read_table(reading._replace(files=(file,), given=given))
        if not table.pairwise:
            raise click.UsageError(f"give --played games of two sides: {file} has contests of many")
        return table
    if since is None:
        return None
    games = ratings.table
    if not games.pairwise or games.time is None:
        raise click.UsageError("give --since with a table of games of two sides, with dates")
    return games.select(games.time >= since)


def parse_numbers(text: str, count: int) -> Sequence[float]:
    """So many numbers with commas between."""
    try:
        given = [float(part) for part in text.split(",")]
    except ValueError:
        given = []
    if len(given) != count or not all(map(isfinite, given)):
        raise click.BadParameter(f"write {count} numbers such as 3,1,0, not {text!r}")
    return given
