"""`prowess pairings`: pair by pair, what happened, what was expected, and what to play next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.output import json_option
from prowess.cli.rating import rating_options

if TYPE_CHECKING:
    from prowess.study.pairings import Battle, Pair, PairingTable

SCREENFUL = 20  # pairs on a terminal when nobody says how many
EXAMPLES = """\b
prowess pairings battles.csv --system elo
prowess pairings games.csv --system glicko --of "Ada Lovelace" --budget 5
"""


@click.command(
    "pairings",
    short_help="Pair by pair: score, expected score, holes, and what to play next.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@rating_options
@click.option("--of", "of", metavar="NAME", help="Only the pairs of this player.")
@click.option(
    "--sort", type=click.Choice(["standing", "surplus"]), default="standing", show_default=True,
    help="By the leaderboard, or the largest surplus either way first.",
)  # fmt: skip
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the first N pairs.")
@click.option(
    "--budget", type=click.IntRange(min=0), default=5, show_default=True, metavar="N",
    help="How many battles to propose.",
)  # fmt: skip
@json_option
def command(
    of: str | None, sort: str, top: int | None, budget: int, as_json: bool, **options: Any
) -> None:
    """Rate FILE... and compare the score of every pair with the expected one.

    The interval is Wilson's at --level; * marks pairs whose expected score lies outside it.
    With --level 0.95 chance alone does that to about one pair in twenty.
    """
    from prowess.cli.output import json_text, put
    from prowess.cli.rating import rated
    from prowess.cli.table import screen
    from prowess.cli.talk import say
    from prowess.study.pairings import next_battles, pairing_table

    ratings = rated(options)
    found = pairing_table(ratings, of, options["level"])
    battles = next_battles(ratings, budget, of)
    if sort == "surplus":
        found.pairs.sort(key=lambda pair: -abs(pair.surplus or 0.0))
    if as_json:
        put(json_text({"system": ratings.system.name, **plain(found, battles, top)}))
        return
    say(ratings.head(), options["quiet"])
    rows = top or (SCREENFUL if screen() is not None else None)
    put("\n\n".join(shown(found, battles, rows)))


def shown(found: PairingTable, battles: list[Battle], top: int | None) -> list[str]:
    """The pairs, the holes, the battles to play next."""
    from prowess.cli.table import drawn, safe, screen

    columns = screen()
    parts = []
    if found.pairs:
        header = ["player", "opponent", "battles", "score", "low", "high", "expected", "surplus"]
        cells = [_cells(pair) for pair in found.pairs[:top]]
        parts.append(drawn([header, *cells], columns))
        odd = sum(pair.surprising for pair in found.pairs)
        text = f"{len(found.pairs):,} pairs met"
        if found.pairs[0].expected is None:
            text += "; the system has no model of a game, so nothing was expected"
        else:
            text += f"; the expected score of {odd:,} lies outside the {found.level:g} interval (*)"
        parts.append(text)
    if found.holes:
        some = "; ".join(f"{safe(a)} - {safe(b)}" for a, b in found.holes[: top or 5][:5])
        more = len(found.holes) - 5
        tail = f"; and {more:,} more" if more > 0 else ""
        parts.append(f"{len(found.holes):,} pairs never met: {some}{tail}")
    else:
        parts.append("every pair met")
    if battles:
        rows = [["player", "opponent", "battles", "expected", "why"]]
        for one in battles:
            chance = "-" if one.expected is None else f"{one.expected:.3f}"
            rows.append([one.player, one.opponent, f"{one.battles:g}", chance, one.why])
        parts.append("worth playing next")
        parts.append(drawn(rows, columns))
    return parts


def plain(found: PairingTable, battles: list[Battle], top: int | None) -> dict[str, Any]:
    """The same as plain data at full precision."""
    return {
        "level": found.level,
        "pairs": [pair._asdict() | {"surprising": pair.surprising} for pair in found.pairs[:top]],
        "never_met": [list(names) for names in found.holes],
        "next": [one._asdict() for one in battles],
    }


def _cells(pair: Pair) -> list[str]:
    """A pair as people read it."""
    mark = " *" if pair.surprising else "  "
    expected = "-" if pair.expected is None else f"{pair.expected:.3f}"
    surplus = "-" if pair.surplus is None else f"{pair.surplus:+.3f}"
    numbers = [f"{x:.3f}" for x in (pair.score, pair.low, pair.high)]
    return [pair.player, pair.opponent, f"{pair.battles:g}", *numbers, expected, surplus + mark]
