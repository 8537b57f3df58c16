"""`prowess pairings` and `triangles`: results pair by pair, and circles among them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import click

from prowess.cli.completion import complete_players
from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions, is_terminal
from prowess.cli.rating import Count, RatingOptions, Seed, rate_table
from prowess.cli.reading import ReadingOptions, read_table
from prowess.cli.workers import WorkerOptions
from prowess.games.reading import format_count

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
    with workers_of(workers.chosen) as chosen:
        parts = measure_cycles(table, **settings, workers=chosen)
    counts = format_count(len(table), "game"), format_count(len(parts.players), "player")
    answer.give(
        lambda: evidence.triangle_data(found) | evidence.cycle_data(parts) | settings,
        found.to_table,
        lambda: [*evidence.triangle_parts(found), *evidence.cycle_parts(parts, top)],
        table.reading,
        notes=[", ".join(counts)],
    )
