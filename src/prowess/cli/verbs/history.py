"""`prowess history`: every game of a player, and why the rating moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.rating import Count, RatingOptions

if TYPE_CHECKING:
    from prowess.engine.steps import History, Step
    from prowess.engine.tabular import ResultTable

COLUMNS = (
    "time", "partners", "place", "sides", "expected_place", "opponent", "opponent_rating", "score",
    "margin", "expected", "at_least", "at_most", "before", "after", "change",
)  # fmt: skip
WHERE_KNOWN = ("partners", "margin", "at_least", "at_most")
SMALL = 0.05  # points: a smaller term would be printed as 0.0
EXAMPLES = """\b
prowess history games.csv "Ada Lovelace" --why --last 10
"""


@verb("history", epilog=EXAMPLES)
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
    from prowess.cli.output import print_note, print_table, print_text
    from prowess.cli.rating import rate_table

    ratings = rate_table(options)
    (history,) = ratings.histories((ratings.index(name),), last)
    steps = choose_last(history.steps, last, ratings.table.pairwise)
    history = replace(history, steps=tuple(steps))

    def data() -> dict[str, Any]:
        games = []
        for step, row in rows_of(steps):
            parts = {"parts": dict(step.parts)} if len(step.parts) > 1 else {}
            terms = {"terms": dict(step.terms)} if why else {}
            games.append(row | parts | terms | {"sentence": step.sentence})
        return {"player": name, "system": history.system, "games": games}

    def render() -> None:
        print_note(ratings.head(), options.quiet)
        if not steps:
            print_note("no game of two or more to show", options.quiet)
        elif why:
            print_text("\n".join(map(format_step, steps)))
        else:
            print_table(history.cells())

    answer.give(data, lambda: make_table(history, why), render, reading=ratings.table.reading)


def choose_last(steps: Sequence[Step], last: int | None, pairwise: bool) -> Sequence[Step]:
    """The steps of the last games; of a table of contests, of the last contests."""
    if not last or not steps:
        return steps
    if pairwise:
        return steps[-last:]
    contests = list(dict.fromkeys(step.round for step in steps))[-last:]
    return [step for step in steps if step.round >= contests[0]]


def rows_of(steps: Sequence[Step]) -> Iterator[tuple[Step, dict[str, Any]]]:
    """Each game with its row of the table, at full precision."""
    columns = shown_columns(steps)
    for step in steps:
        data = step._asdict() | step.as_dict()
        yield step, {name: data[name] for name in columns}


def shown_columns(steps: Sequence[Step]) -> list[str]:
    """The columns of these games: some only where they are known of a game."""
    placed = any(step.placing is not None for step in steps)
    absent = {"opponent"} if placed else {"place", "sides", "expected_place"}
    absent |= {
        name for name in WHERE_KNOWN if all(getattr(step, name) in (None, "") for step in steps)
    }
    return [name for name in COLUMNS if name not in absent]


def make_table(history: History, why: bool) -> ResultTable:
    """The games as a table: columns of each part, with --why of each term."""
    from prowess.engine.tabular import ResultTable

    steps = history.steps
    terms = list(dict.fromkeys(name for step in steps for name in step.terms)) if why else []
    parts = list(dict.fromkeys(name for step in steps for name in step.parts))
    parts = parts if len(parts) > 1 else []
    rows = [
        row
        | {f"part: {name}": step.parts.get(name, 0.0) for name in parts}
        | {name: step.terms.get(name, 0.0) for name in terms}
        for step, row in rows_of(steps)
    ]
    return ResultTable.of_rows(rows, history.caption)


def format_step(step: Step) -> str:
    """One game as a sentence: result, expected score, change of the rating, and what made it.

    Of a contest that was judged as a whole: the place and the place that was expected.
    """
    from prowess.engine.text_table import format_signed
    from prowess.games.errors import escape_unprintable

    when = step.as_dict()["time"]
    beside = f" with {escape_unprintable(step.partners)}" if step.partners else ""
    if step.placing is not None:
        deed = f"{step.placing}{beside}, {step.placing.expected:.1f}th was expected"
    else:
        deed = {1.0: "beat", 0.5: "drew with", 0.0: "lost to"}.get(step.score, "met")
        share = "" if step.score in (0.0, 0.5, 1.0) else f" and scored {step.score:.2f}"
        opponent = f"{escape_unprintable(step.opponent)} ({step.opponent_rating:.1f})"
        deed += f" {opponent}{beside}{share}, {step.expected:.2f} was expected"
    return (
        f"{f'{when}: ' if when else ''}{deed}: "
        f"{step.before:.1f} {format_signed(step.change)} = {step.after:.1f}"
        f"{escape_unprintable(describe_terms(step))}"
    )


def describe_terms(step: Step) -> str:
    """What made the change, where that is more than the game: `; -8.9 for a draw that ...; ...`.

    Members of other roles, such as a side advantage, moved beside the player, not as a part of it.

    Terms below 0.05 points are left out.
    """
    from prowess.engine.steps import GENERAL, OF_TIME, REWEIGHED, describe_parts, describe_surprise
    from prowess.engine.text_table import format_signed

    terms = dict(step.terms)
    of_game = terms.pop("game", 0.0)
    apart = {
        name: terms.pop(key)
        for key, name in ((OF_TIME, "time"), (REWEIGHED, "other results"))
        if abs(terms.get(key, 0.0)) >= SMALL
    }
    pieces = [f"{format_signed(sum(apart.values()))} for {' and '.join(apart)}"] if apart else []
    pieces += [
        f"{format_signed(points)} for {name}"
        for name, points in terms.items()
        if abs(points) >= SMALL
    ]
    others = {name: points for name, points in step.parts.items() if name != GENERAL}
    parts = f" (beside it {describe_parts(others)})" if others else ""
    if not pieces and not parts:
        return ""
    return "; ".join(
        ["", f"{format_signed(of_game)} for {describe_surprise(step)}{parts}", *pieces]
    )
