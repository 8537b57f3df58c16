"""`prowess history`: every game of a player, and why the rating moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.output import csv_option, json_option
from prowess.cli.rating import rating_options

if TYPE_CHECKING:
    from prowess.engine.explain import History, Step
    from prowess.engine.ratings import Ratings

ROW = (
    "time", "opponent", "opponent_rating", "score", "expected", "before", "after", "change",
)  # fmt: skip
TEAM_ROW = (*ROW[:1], "partners", *ROW[1:])  # where some side had several members
NO_CONTEXTS: Mapping[str, float] = MappingProxyType({})
EXAMPLES = """\b
prowess history games.csv "Ada Lovelace" --why --last 10
"""


@click.command(
    "history",
    short_help="Every game of a player, and why the rating moved.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@rating_options
@click.argument("name", metavar="PLAYER")
@click.option("--why", is_flag=True, help="Say for each game what made the rating move.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N games.")
@json_option
@csv_option
def command(
    name: str, why: bool, last: int | None, as_json: bool, as_csv: bool, **options: Any
) -> None:
    """Rate FILE... and show every game of PLAYER with the ratings before and after."""
    from prowess.cli.output import json_text, put
    from prowess.cli.rating import rated
    from prowess.cli.table import drawn, screen
    from prowess.cli.talk import say

    if as_json and as_csv:
        raise click.UsageError("choose --json or --csv")
    ratings = rated(options)
    history = ratings.history(name)
    steps = history.steps[-last:] if last else history.steps
    contexts = context_changes(ratings, name)
    if as_json:
        games = [plain(step, why, columns_of(steps)) for step in steps]
        put(json_text({"player": name, "system": history.system, "games": games}))
    elif as_csv:
        put(csv_text(steps, why))
    else:
        say(ratings.head(), options["quiet"])
        if not steps:
            say("no game of two or more to show", options["quiet"])
        elif why:
            put("\n".join(sentence(step, contexts.get(step.row, {})) for step in steps))
        else:
            put(drawn(cells_of(history, len(steps)), screen()))


def cells_of(history: History, count: int) -> list[list[str]]:
    """The header and the last rows of the table."""
    header, *body = history.cells()
    return [header, *body[len(body) - count :]]


def columns_of(steps: Sequence[Step]) -> tuple[str, ...]:
    """What is told of a game."""
    return TEAM_ROW if any(step.partners for step in steps) else ROW


def plain(step: Step, why: bool, columns: Sequence[str] = ROW) -> dict[str, Any]:
    """A game as plain data, at full precision."""
    data = {"partners": "", **step.as_dict()}
    row: dict[str, Any] = {name: data[name] for name in columns}
    if why:
        row["terms"] = dict(step.terms)
    return row


def csv_text(steps: Sequence[Step], why: bool) -> str:
    """The games as CSV, with --why a column for each term."""
    import csv
    import io

    terms = list(dict.fromkeys(name for step in steps for name in step.terms)) if why else []
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    columns = columns_of(steps)
    rows.writerow([*columns, *terms])
    for step in steps:
        row = plain(step, why, columns)
        rows.writerow(
            [*(row[name] for name in columns), *(step.terms.get(name, 0.0) for name in terms)]
        )
    return text.getvalue()


def context_changes(ratings: Ratings, name: str) -> dict[int, dict[str, float]]:
    """What each game brought to the members for contexts of a player (`Nadal@clay`), by row."""
    if ratings.table.role is None or not ratings.table.pairwise:
        return {}
    members = [one for one in ratings.players if one.rpartition("@")[0] == name]
    found: dict[int, dict[str, float]] = {}
    for member in members:
        for step in ratings.history(member):
            found.setdefault(step.row, {})[member] = step.change
    return found


def sentence(step: Step, contexts: Mapping[str, float] = NO_CONTEXTS) -> str:
    """One game in words: what happened, what was expected, what it brought and by which terms.

    `contexts` are the changes of the player's members for contexts in this game.
    """
    from prowess.cli.table import safe

    when = step.as_dict()["time"]
    deed = {1.0: "beat", 0.5: "drew with", 0.0: "lost to"}.get(step.score, "met")
    share = "" if step.score in (0.0, 0.5, 1.0) else f" and scored {step.score:.2f}"
    beside = f" with {safe(step.partners)}" if step.partners else ""
    parts = ", ".join(f"{name} {points:+.2f}" for name, points in step.terms.items())
    besides = "".join(f"; {safe(name)} {points:+.1f}" for name, points in contexts.items())
    return (
        f"{f'{when}: ' if when else ''}{deed} {safe(step.opponent)} ({step.opponent_rating:.1f})"
        f"{beside}{share}, {step.expected:.2f} was expected: "
        f"{step.before:.1f} {step.change:+.1f} = {step.after:.1f} ({parts}){besides}"
    )
