"""`prowess teams`, `next`, `pairings` and `triangles`: teams, games to play, pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from prowess.cli.completion import complete_players
from prowess.cli.options import Option, OptionsOf, verb
from prowess.cli.output import AnswerOptions, is_terminal
from prowess.cli.rating import Count, PlayerName, RatingOptions, Seed, rate_table
from prowess.cli.reading import ReadingOptions, read_table, split_names
from prowess.cli.selection import WorkerOptions
from prowess.cli.verbs.forecast import is_file
from prowess.games.reading import format_count
from prowess.verbs.predict import balance, next_games

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.study.matchmaking import FairTeams


def parse_groups(texts: Sequence[str]) -> tuple[list[str], ...]:
    """Lists of names with commas between them."""
    return tuple(map(split_names, texts))


def join_groups(texts: Sequence[str]) -> list[str]:
    """The names of all lists."""
    return [name for one in texts for name in split_names(one)]


GroupsOption = Option(
    metavar="NAME,NAME", type=str, multiple=True, parse=parse_groups, complete=complete_players
)
Groups = Annotated[Sequence[list[str]], GroupsOption]
Names = Annotated[Sequence[str], GroupsOption, Option(parse=join_groups)]

TEAM_OPTIONS = OptionsOf(
    balance,
    into=(Count, "How many teams. [2]"),
    size=(Count, "How many players each team has."),
    together=(Groups, "Players of one team; may be repeated."),
    apart=(Groups, "Players of different teams; may be repeated."),
    captains=(Names, "One player for each team, in this order."),
    new=(
        tuple[str, ...],
        Option("A newcomer, where the name looks like a player's.", "NAME", multiple=True),
    ),
)
FAIR_TEAMS = """\b
prowess teams games.csv Ann,Bob,Cid,Dee,Eve,Flo,Gil,Hal,Ida,Jon
prowess teams games.csv Ann,Bob,Cid,Dee,Eve,Flo --into 3 --apart Ann,Bob --captains Ann,Bob,Cid
prowess teams --continue state.prowess Ann,Bob,Cid,Dee --together Ann,Dee --system trueskill
"""


@verb("teams", epilog=FAIR_TEAMS)
def teams_verb(
    options: RatingOptions,
    *,
    asked: Annotated[dict[str, Any], TEAM_OPTIONS],
    answer: AnswerOptions,
) -> None:
    """Rate FILE... and split players into the teams whose chances to win are nearest to even.

    NAMES are those of the players, with commas between them (and quotes around a name that has
    one). Up to 12 players every split is looked
    at; more are split by search (--seed), and the answer says how much better another split could
    be at most.
    """
    from prowess.cli.output import print_note, print_text, render_table

    options, names = take_names(options)
    ratings = rate_or_take_list(options)
    found = balance(ratings, names, **asked, seed=options.seed)

    def render() -> None:
        print_note(describe_source(ratings))
        print_text(render_table(found.cells()))
        print_note(found.note)

    answer.give(
        lambda: describe_teams(found) | {"system": ratings.system.name},
        lambda: found,
        render,
        reading=ratings.table.reading,
    )


next(one for one in teams_verb.params if one.name == "files").metavar = "FILE... NAMES"


def take_names(options: RatingOptions) -> tuple[RatingOptions, list[str]]:
    """The options with the files alone, and the names of players; raises UsageError."""
    words = list(options.reading.files)
    names = split_names(words.pop()) if words and not is_file(words[-1]) else []
    if not names or not (words or options.continued):
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    return options._replace(reading=options.reading._replace(files=tuple(words))), names


def rate_or_take_list(options: RatingOptions) -> Ratings:
    """The ratings of FILE..., or those that stand in it: a CSV of player, rating, deviation, ...

    The system of such a list is glicko where there is a deviation, else elo, unless it is named.
    """
    from prowess.cli.rating import rate_table, read_starting_values
    from prowess.cli.selection import find_system
    from prowess.engine.rate import rate_nothing
    from prowess.engine.system import Dynamic
    from prowess.verbs.tables import check_settings

    header = None if len(options.reading.files) != 1 else read_list_header(options.reading.files[0])
    if header is None or options.continued:
        return rate_table(options)
    likely = "glicko" if "deviation" in header else "elo"
    system = find_system(options.system or likely, quiet=False)
    if not isinstance(system, Dynamic):
        raise click.UsageError(
            f"choose a system such as glicko: {system.name} fits a table of results"
        )
    check_settings(system, options.params, options.period, options.bank)
    start = read_starting_values(options.reading.files[0], None, system)
    return rate_nothing(system, start, options.params)


def describe_source(ratings: Ratings) -> str:
    """One line on the ratings, also on those of a list."""
    if ratings.contests:
        return ratings.head()
    return f"{ratings.system.name}, the ratings of {format_count(len(ratings), 'player')} as given"


def read_list_header(file: str) -> list[str] | None:
    """The columns of a CSV of players and their ratings; None for any other file."""
    if not file.lower().endswith(".csv") or not Path(file).is_file():
        return None
    from prowess.games.formats.small_files import read_lines

    _, header = next(read_lines(file), (1, []))
    return header if {"player", "rating"} <= {*header} else None


NEXT = """\b
prowess next games.csv --for Ann
prowess next games.csv --goal closeness --top 20
prowess next games.csv --among Ann,Bob,Cid,Dee,Eve --rounds 3
prowess next ratings.csv --rounds 5
"""


NEXT_OPTIONS = OptionsOf(
    next_games,
    goal=(
        Literal["ranking", "closeness", "rest", "coverage", "balance"],
        Option(
            "ranking: informative games; closeness: even ones; rest: not met for long; coverage: "
            "met least; balance: everybody once first."
        ),
    ),
    top=Option("How many games.", "N", click.IntRange(min=1)),
    among=(Names, "The players who are there. Default: all with games."),
    rounds=(Count, "Plan N rounds: everybody plays once in each, no pair twice."),
)


@verb("next", epilog=NEXT)
def next_verb(
    options: RatingOptions,
    *,
    whom: Annotated[PlayerName, Option("Only the games of this player.", names=("--for",))] = None,
    asked: Annotated[dict[str, Any], NEXT_OPTIONS],
    answer: AnswerOptions,
) -> None:
    """Rate FILE... and list the games worth playing next, each with its reason.

    FILE may also be a CSV of ratings: player, rating, and deviation if it is known.
    """
    from prowess.cli.output import print_note, print_text, render_table

    ratings = rate_or_take_list(options)
    found = next_games(ratings, whom, **asked)

    def render() -> None:
        print_note(describe_source(ratings))
        print_text(render_table(found.cells()))

    answer.give(
        lambda: {"system": ratings.system.name, "goal": asked["goal"], "games": found.rows()},
        lambda: found,
        render,
        reading=ratings.table.reading,
    )


def describe_teams(found: FairTeams) -> dict[str, object]:
    """The teams as plain data."""
    return {
        "teams": [
            {"players": list(team), "chance": chance}
            for team, chance in zip(found.teams, found.chances, strict=True)
        ],
        "quality": found.quality,
        "worst": found.worst,
        "exact": found.exact,
        "splits": found.splits,
        **({"new": list(found.new)} if found.new else {}),
    }


# Results pair by pair, and circles among them.


SCREENFUL = 20  # pairs on a terminal without --top
PAIRINGS = """\b
prowess pairings battles.csv --system elo
prowess pairings games.csv --system glicko --of "Ada Lovelace" --budget 5
"""
TRIANGLES = """\b
prowess triangles battles.csv
prowess triangles battles.csv --score share --significance 0.05
"""


@verb("pairings", epilog=PAIRINGS)
def pairings_verb(
    options: RatingOptions,
    *,
    of: Annotated[
        str | None, Option("Only the pairs of this player.", "NAME", complete=complete_players)
    ] = None,
    sort: Annotated[
        Literal["standing", "surplus"],
        "By the leaderboard, or the largest surplus either way first.",
    ] = "standing",
    top: Annotated[Count, "Only the first N pairs."] = None,
    budget: Annotated[int, Option("How many battles to propose.", "N", click.IntRange(min=0))] = 5,
    answer: AnswerOptions,
) -> None:
    """Rate FILE... and compare the score of every pair with the expected one.

    The interval is Wilson's at --level; * marks pairs whose expected score lies outside it.
    With --level 0.95 chance alone does that to about one pair in twenty.
    """
    from prowess.engine.tabular import ResultTable
    from prowess.present.evidence import pairing_data, pairing_parts
    from prowess.study.pairings import next_battles, pairing_table

    ratings = rate_table(options)
    found = pairing_table(ratings, of, options.level)
    battles = next_battles(ratings, budget, of)
    if sort == "surplus":
        found.pairs.sort(key=lambda pair: -abs(pair.surplus or 0.0))
    pairs = [pair._asdict() | {"surprising": pair.surprising} for pair in found.pairs[:top]]
    answer.give(
        lambda: {"system": ratings.system.name} | pairing_data(found, pairs, battles),
        lambda: ResultTable.of_rows(pairs, "Pairs"),
        lambda: pairing_parts(found, battles, top or (SCREENFUL if is_terminal() else None)),
        ratings.table.reading,
        notes=[ratings.head()],
    )


@verb("triangles", epilog=TRIANGLES)
def triangles_verb(
    reading: ReadingOptions,
    *,
    top: Annotated[
        int,
        Option("List the N strongest triangles, and as many players.", "N", click.IntRange(min=0)),
    ] = 10,
    significance: Annotated[
        float | None,
        Option(metavar="P", type=click.FloatRange(0.0, 1.0, min_open=True)),
        "Count a pair only where a sign test is significant at this level.",
    ] = None,
    scale: Annotated[
        Literal["share", "log_odds"],
        "What is split into ratings and circles: scores less 1/2, or their log-odds.",
    ] = "share",
    draws: Annotated[
        int, Option("Random leagues that show what chance alone makes.", "N", click.IntRange(min=1))
    ] = 200,
    seed: Annotated[Seed, "Of these leagues."] = 0,
    workers: WorkerOptions,
    answer: AnswerOptions,
) -> None:
    """List the triangles of FILE... and split the results into ratings and circles."""
    from prowess.engine.cluster.workers import workers_of
    from prowess.engine.pairings import pairings
    from prowess.present import evidence
    from prowess.study.cycles import find_triangles, measure_cycles
    from prowess.study.lineups import check_duels

    table = read_table(reading)
    check_duels(table, "a list of triangles")
    found = find_triangles(pairings(table, by_points=False), top, significance)
    settings: dict[str, Any] = {"scale": scale, "draws": draws, "seed": seed}
    with workers_of(workers.choice) as chosen:
        parts = measure_cycles(table, **settings, workers=chosen)
    counts = format_count(len(table), "game"), format_count(len(parts.players), "player")
    answer.give(
        lambda: evidence.triangle_data(found) | evidence.cycle_data(parts) | settings,
        found.to_table,
        lambda: [*evidence.triangle_parts(found), *evidence.cycle_parts(parts, top)],
        table.reading,
        notes=[", ".join(counts)],
    )
