"""`prowess history`: every game of a player, and why the rating moved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AnswerOptions, print_note
from prowess.cli.rating import Count, RatingOptions, rate_table
from prowess.cli.selection import find_system

if TYPE_CHECKING:
    from prowess.cli.output import Part

HISTORY_EXAMPLES = """\b
prowess history games.csv "Ada Lovelace" --why --last 10
"""


@verb("history", epilog=HISTORY_EXAMPLES)
def history_verb(
    options: RatingOptions,
    *,
    name: Annotated[str, Argument("PLAYER")],
    why: Annotated[bool, Option("Show for each game the terms of the change.")] = False,
    last: Annotated[Count, "Only the last N games or contests."] = None,
    answer: AnswerOptions,
) -> None:
    """Rate FILE... and show every game of PLAYER with the ratings before and after.

    Where the system gives chances, `chance` says in which part of the forecast the result lies; of
    which: the points of the player, and of each member beside them (a context, the side advantage).
    A contest is one row, unless the system judges it in pairs.
    """
    from prowess.engine.fit import refuse_history
    from prowess.engine.whole_table import WholeTable
    from prowess.present import evidence

    if options.system is not None and isinstance(system := find_system(options.system), WholeTable):
        refuse_history(system)  # before a long file is read
    ratings = rate_table(options)
    (history,) = ratings.histories((ratings.index(name),), last)
    steps = evidence.choose_last(history.steps, last, ratings.table.pairwise)
    history = replace(history, steps=tuple(steps))

    def render() -> list[Part]:
        if not steps:
            print_note("no game of two or more to show")
            return []
        return ["\n".join(map(evidence.format_step, steps)) if why else history.cells()]

    answer.give(
        lambda: evidence.history_data(history, why),
        lambda: evidence.history_table(history, why),
        render,
        ratings.table.reading,
        notes=[ratings.head()],
    )
