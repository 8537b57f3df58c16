"""`prowess triangles`: who beats whom in a circle, and how much of the results is circles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand, reading_options
from prowess.cli.output import json_option

if TYPE_CHECKING:
    from prowess.study.cycles import CyclicShare, Triangles

EXAMPLES = """\b
prowess triangles battles.csv
prowess triangles battles.csv --score share --significance 0.05
"""


@click.command(
    "triangles",
    short_help="Circles A > B > C > A, and how much of the results no rating can explain.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True)
)
@reading_options
@click.option(
    "--top", type=click.IntRange(min=0), default=10, show_default=True, metavar="N",
    help="List the N strongest triangles, and as many players.",
)  # fmt: skip
@click.option(
    "--significance", type=click.FloatRange(0.0, 1.0, min_open=True), metavar="P",
    help="Count a pair only where a sign test tells it from chance with this probability.",
)  # fmt: skip
@click.option(
    "--scale", type=click.Choice(["share", "log_odds"]), default="share", show_default=True,
    help="What is split into ratings and circles: scores less 1/2, or their log-odds.",
)  # fmt: skip
@click.option(
    "--draws", type=click.IntRange(min=1), default=200, show_default=True, metavar="N",
    help="Leagues drawn to see what chance alone makes.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of these leagues."
)
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
def command(
    files: tuple[str, ...],
    top: int,
    significance: float | None,
    scale: str,
    draws: int,
    seed: int,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """List the triangles of FILE... and split the results into ratings and circles."""
    from prowess.cli.columns import table_of
    from prowess.cli.output import json_text, put
    from prowess.cli.talk import say
    from prowess.engine.pairings import pairings
    from prowess.study.cycles import find_triangles, measure_cycles
    from prowess.study.duels import check_duels

    table = table_of(files, options, quiet)
    check_duels(table, "a list of triangles")
    found = find_triangles(pairings(table, by_points=False), top, significance)
    parts = measure_cycles(table, scale=scale, draws=draws, seed=seed)
    if as_json:
        put(json_text(plain(found, parts) | {"scale": scale, "draws": draws, "seed": seed}))
        return
    say(f"{len(table):,} games, {len(parts.players):,} players", quiet)
    put("\n\n".join([*circles(found), *shares(parts, top)]))


def circles(found: Triangles) -> list[str]:
    """How many triangles there are, and the strongest."""
    from prowess.cli.table import drawn, screen

    lines = [f"{found.count:,} of {found.triples:,} triples are circular"]
    lines[0] += f"; of random results {found.random:,.1f} would be"
    if found.consistency is not None:
        lines.append(f"Kendall's coefficient of consistency {found.consistency:.3f} (1: none are)")
    else:
        lines.append("no coefficient of consistency: some pairs are even, unproved or never met")
    parts = ["\n".join(lines)]
    if found.strongest:
        rows = [["player", "opponent", "name", "1 v 2", "2 v 3", "3 v 1", "weakest - 1/2"]]
        for one in found.strongest:
            scores = [f"{share:.3f}" for share in one.shares]
            rows.append([*one.players, *scores, f"{one.strength:.3f}"])
        parts.append(drawn(rows, screen()))
    return parts


def shares(parts: CyclicShare, top: int) -> list[str]:
    """How much of the results is circles, of the league and of the players with the most."""
    import numpy as np

    from prowess.cli.table import drawn, screen

    low, high = np.quantile(parts.by_chance, [0.025, 0.975])
    told = (
        f"no rating explains {parts.share:.1%} of the results; of a league in which ratings "
        f"explain everything it would be {parts.expected:.1%} by chance "
        f"({low:.1%} to {high:.1%} in 19 of 20)\n"
        f"as much or more by chance: p = {parts.likelihood:.3g}"
    )
    texts = [told]
    likely, usual = parts.player_likelihood, parts.player_by_chance.mean(axis=0)
    order = np.argsort(usual - parts.by_player, kind="stable")[:top]
    rows = [["player", "missed by", "by chance", "p"]]
    rows += [
        [parts.players[k], f"{parts.by_player[k]:.3f}", f"{usual[k]:.3f}", f"{likely[k]:.3g}"]
        for k in order.tolist()
    ]
    if top:
        texts.append("by how much a rating misses the margins of a player, root mean square")
        texts.append(drawn(rows, screen()))
    return texts


def plain(found: Triangles, parts: CyclicShare) -> dict[str, Any]:
    """The same as plain data at full precision."""
    usual = parts.player_by_chance.mean(axis=0).tolist()
    rows = zip(
        parts.players, parts.by_player.tolist(), usual, parts.player_likelihood.tolist(),
        strict=True,
    )  # fmt: skip
    return {
        "circular": found.count,
        "triples": found.triples,
        "circular_if_random": found.random,
        "consistency": found.consistency,
        "triangles": [one._asdict() | {"strength": one.strength} for one in found.strongest],
        "cyclic_share": parts.share,
        "cyclic_share_by_chance": parts.expected,
        "p": parts.likelihood,
        "players": [
            {"player": name, "missed_by": share, "by_chance": chance, "p": p}
            for name, share, chance, p in rows
        ],
    }
