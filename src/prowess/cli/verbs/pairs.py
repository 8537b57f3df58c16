"""`prowess pairings` and `triangles`: results pair by pair, and circles among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from prowess.cli.completion import complete_players
from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.rating import Count, RatingOptions, Seed
from prowess.cli.reading import ReadingOptions
from prowess.cli.workers import WorkerOptions
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from prowess.study.cycles import CyclicShare, Triangles
    from prowess.study.pairings import PairingTable, PairRecord, SuggestedGame

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
    from prowess.cli.output import is_terminal, print_note, print_text
    from prowess.cli.rating import rate_table
    from prowess.engine.tabular import ResultTable
    from prowess.study.pairings import next_battles, pairing_table

    ratings = rate_table(options)
    found = pairing_table(ratings, of, options.level)
    battles = next_battles(ratings, budget, of)
    if sort == "surplus":
        found.pairs.sort(key=lambda pair: -abs(pair.surplus or 0.0))
    pairs = [pair._asdict() | {"surprising": pair.surprising} for pair in found.pairs[:top]]

    def render() -> None:
        print_note(ratings.head(), options.quiet)
        rows = top or (SCREENFUL if is_terminal() else None)
        print_text("\n\n".join(format_pairings(found, battles, rows)))

    answer.give(
        lambda: {
            "system": ratings.system.name,
            "level": found.level,
            "pairs": pairs,
            "never_met": [list(names) for names in found.holes],
            "next": [one._asdict() for one in battles],
        },
        lambda: ResultTable.of_rows(pairs, "Pairs"),
        render,
        reading=ratings.table.reading,
    )


def format_pairings(
    found: PairingTable, battles: list[SuggestedGame], top: int | None
) -> list[str]:
    """The pairs, those that never met, the battles to play next."""
    from prowess.cli.output import render_table
    from prowess.games.errors import escape_unprintable

    parts = []
    if found.pairs:
        header = ["player", "opponent", "battles", "score", "low", "high", "expected", "surplus"]
        rows = [pair_cells(pair) for pair in found.pairs[:top]]
        parts.append(render_table([header, *rows]))
        surprising = sum(pair.surprising for pair in found.pairs)
        text = f"{format_count(len(found.pairs), 'pair')} met"
        if found.pairs[0].expected is None:
            text += "; the system has no model of a game, so it gives no expected scores"
        else:
            text += f"; the expected score of {surprising:,} lies outside the {found.level:g} "
            text += "interval (*)"
        parts.append(text)
    if found.holes:
        named = found.holes[: min(top or 5, 5)]
        some = "; ".join(f"{escape_unprintable(a)} - {escape_unprintable(b)}" for a, b in named)
        more = len(found.holes) - len(named)
        tail = f"; and {more:,} more" if more > 0 else ""
        parts.append(f"{format_count(len(found.holes), 'pair')} never met: {some}{tail}")
    else:
        parts.append("every pair met")
    if battles:
        rows = [["player", "opponent", "battles", "expected", "why"]]
        for one in battles:
            chance = "-" if one.expected is None else f"{one.expected:.3f}"
            rows.append([one.player, one.opponent, f"{one.battles:g}", chance, one.why])
        parts += ["worth playing next", render_table(rows)]
    return parts


def pair_cells(pair: PairRecord) -> list[str]:
    """A row of the table of pairs."""
    mark = " *" if pair.surprising else "  "
    expected = "-" if pair.expected is None else f"{pair.expected:.3f}"
    surplus = "-" if pair.surplus is None else f"{pair.surplus:+.3f}"
    numbers = [f"{x:.3f}" for x in (pair.score, pair.low, pair.high)]
    return [pair.player, pair.opponent, f"{pair.battles:g}", *numbers, expected, surplus + mark]


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
        Option(
            "Count a pair only where a sign test is significant at this level.",
            "P",
            click.FloatRange(0.0, 1.0, min_open=True),
        ),
    ] = None,
    scale: Annotated[
        Literal["share", "log_odds"],
        "What is split into ratings and circles: scores less 1/2, or their log-odds.",
    ] = "share",
    draws: Annotated[
        int,
        Option("Random leagues that show what chance alone makes.", "N", click.IntRange(min=1)),
    ] = 200,
    seed: Annotated[Seed, "Of these leagues."] = 0,
    workers: WorkerOptions,
    answer: AnswerOptions,
) -> None:
    """List the triangles of FILE... and split the results into ratings and circles."""
    from prowess.cli.output import print_note, print_text
    from prowess.cli.reading import read_table
    from prowess.engine.cluster.workers import workers_of
    from prowess.engine.pairings import pairings
    from prowess.study.cycles import find_triangles, measure_cycles
    from prowess.study.lineups import check_duels

    table = read_table(reading)
    check_duels(table, "a list of triangles")
    found = find_triangles(pairings(table, by_points=False), top, significance)
    with workers_of(workers.chosen) as chosen:
        parts = measure_cycles(table, scale=scale, draws=draws, seed=seed, workers=chosen)

    def render() -> None:
        counts = format_count(len(table), "game"), format_count(len(parts.players), "player")
        print_note(", ".join(counts), reading.quiet)
        print_text("\n\n".join([*format_triangles(found), *format_cycles(parts, top)]))

    settings = {"scale": scale, "draws": draws, "seed": seed}
    answer.give(
        lambda: triangle_data(found) | cycle_data(parts) | settings,
        found.to_table,
        render,
        reading=table.reading,
    )


def format_triangles(found: Triangles) -> list[str]:
    """The number of triangles, and the strongest."""
    from prowess.cli.output import render_table

    first = (
        f"{found.count:,} of {found.triples:,} triples are circular; of random results "
        f"{found.random:,.1f} would be\n"
    )
    if found.consistency is not None:
        first += f"Kendall's coefficient of consistency {found.consistency:.3f} (1: none are)"
    else:
        first += "no coefficient of consistency: some pairs are even, undecided or never met"
    if not found.strongest:
        return [first]
    rows = [["player", "opponent", "name", "1 v 2", "2 v 3", "3 v 1", "weakest - 1/2"]]
    for one in found.strongest:
        scores = [f"{share:.3f}" for share in one.shares]
        rows.append([*one.players, *scores, f"{one.strength:.3f}"])
    return [first, render_table(rows)]


def format_cycles(parts: CyclicShare, top: int) -> list[str]:
    """How much of the results is circles, for the league and for the players with the most."""
    import numpy as np

    from prowess.cli.output import render_table

    low, high = np.quantile(parts.by_chance, [0.025, 0.975])
    share = (
        f"no rating explains {parts.share:.1%} of the results; of a league in which ratings "
        f"explain everything it would be {parts.expected:.1%} by chance "
        f"({low:.1%} to {high:.1%} in 19 of 20 of {len(parts.by_chance):,} drawn leagues, seed "
        f"{parts.seed})\n"
        f"as much or more by chance: p = {parts.likelihood:.3g}"
    )
    if not top:
        return [share]
    likely, usual = parts.player_likelihood, parts.player_by_chance.mean(axis=0)
    order = np.argsort(usual - parts.by_player, kind="stable")[:top]
    rows = [["player", "missed by", "by chance", "p"]]
    rows += [
        [parts.players[k], f"{parts.by_player[k]:.3f}", f"{usual[k]:.3f}", f"{likely[k]:.3g}"]
        for k in order.tolist()
    ]
    what = "by how much a rating misses the margins of a player, root mean square"
    return [share, what, render_table(rows)]


def triangle_data(found: Triangles) -> dict[str, Any]:
    """The triangles as plain data at full precision."""
    return {
        "circular": found.count,
        "triples": found.triples,
        "circular_if_random": found.random,
        "consistency": found.consistency,
        "triangles": [one._asdict() | {"strength": one.strength} for one in found.strongest],
    }


def cycle_data(parts: CyclicShare) -> dict[str, Any]:
    """The share of circles as plain data at full precision."""
    usual = parts.player_by_chance.mean(axis=0).tolist()
    rows = zip(
        parts.players, parts.by_player.tolist(), usual, parts.player_likelihood.tolist(),
        strict=True,
    )  # fmt: skip
    return {
        "cyclic_share": parts.share,
        "cyclic_share_by_chance": parts.expected,
        "p": parts.likelihood,
        "players": [
            {"player": name, "missed_by": share, "by_chance": chance, "p": p}
            for name, share, chance, p in rows
        ],
    }
