"""`prowess history`: every game of a player, and why the rating moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AsCsv, AsJson
from prowess.cli.rating import Count, RatingOptions
from prowess.cli.reading import NOTHING

if TYPE_CHECKING:
    from prowess.engine.explain import Step
    from prowess.engine.ratings import Ratings

COLUMNS = (
    "time", "opponent", "opponent_rating", "score", "expected", "before", "after", "change",
)  # fmt: skip
TEAM_COLUMNS = (*COLUMNS[:1], "partners", *COLUMNS[1:])  # where some side had several members
EXAMPLES = """\b
prowess history games.csv "Ada Lovelace" --why --last 10
"""


@verb("history", epilog=EXAMPLES)
def history_verb(
    options: RatingOptions,
    *,
    name: Annotated[str, Argument("PLAYER")],
    why: Annotated[bool, Option("Show for each game the terms of the change.")] = False,
    last: Annotated[Count, "Only the last N games."] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Rate FILE... and show every game of PLAYER with the ratings before and after."""
    from prowess.cli.output import format_csv, format_json, print_note, print_table, print_text
    from prowess.cli.rating import rate_table

    if as_json and as_csv:
        raise click.UsageError("choose --json or --csv")
    ratings = rate_table(options)
    history = ratings.history(name)
    steps = history.steps[-last:] if last else history.steps
    contexts = find_context_changes(ratings, name)
    if as_json:
        games = [row | ({"terms": dict(step.terms)} if why else {}) for step, row in rows_of(steps)]
        print_text(format_json({"player": name, "system": history.system, "games": games}))
    elif as_csv:
        print_text(format_csv(csv_rows(steps, why)))
    else:
        print_note(ratings.head(), options.quiet)
        if not steps:
            print_note("no game of two or more to show", options.quiet)
        elif why:
            lines = (format_step(step, contexts.get(step.row, {})) for step in steps)
            print_text("\n".join(lines))
        else:
            header, *body = history.cells()
            print_table([header, *body[len(body) - len(steps) :]])


def rows_of(steps: Sequence[Step]) -> Iterator[tuple[Step, dict[str, Any]]]:
    """Each game with its row of the table, at full precision."""
    columns = TEAM_COLUMNS if any(step.partners for step in steps) else COLUMNS
    for step in steps:
        data = {"partners": "", **step.as_dict()}
        yield step, {name: data[name] for name in columns}


def csv_rows(steps: Sequence[Step], why: bool) -> Iterator[list[Any]]:
    """The games as rows of CSV, with --why a column for each term."""
    terms = list(dict.fromkeys(name for step in steps for name in step.terms)) if why else []
    yield [*(TEAM_COLUMNS if any(step.partners for step in steps) else COLUMNS), *terms]
    for step, row in rows_of(steps):
        yield [*row.values(), *(step.terms.get(name, 0.0) for name in terms)]


def find_context_changes(ratings: Ratings, name: str) -> dict[int, dict[str, float]]:
    """The change of each member for a context of a player (`Nadal@clay`), by row of the table."""
    if ratings.table.role is None or not ratings.table.pairwise:
        return {}
    members = [one for one in ratings.players if one.rpartition("@")[0] == name]
    found: dict[int, dict[str, float]] = {}
    for member in members:
        for step in ratings.history(member):
            found.setdefault(step.row, {})[member] = step.change
    return found


def format_step(step: Step, contexts: Mapping[str, float] = NOTHING) -> str:
    """One game as a sentence: result, expected score, change of the rating and its terms.

    `contexts` are the changes of the player's members for contexts in this game.
    """
    from prowess.cli.output import escape_controls

    when = step.as_dict()["time"]
    deed = {1.0: "beat", 0.5: "drew with", 0.0: "lost to"}.get(step.score, "met")
    share = "" if step.score in (0.0, 0.5, 1.0) else f" and scored {step.score:.2f}"
    beside = f" with {escape_controls(step.partners)}" if step.partners else ""
    parts = ", ".join(f"{name} {points:+.2f}" for name, points in step.terms.items())
    others = "".join(
        f"; {escape_controls(name)} {points:+.1f}" for name, points in contexts.items()
    )
    opponent = escape_controls(step.opponent)
    return (
        f"{f'{when}: ' if when else ''}{deed} {opponent} ({step.opponent_rating:.1f})"
        f"{beside}{share}, {step.expected:.2f} was expected: "
        f"{step.before:.1f} {step.change:+.1f} = {step.after:.1f} ({parts}){others}"
    )
