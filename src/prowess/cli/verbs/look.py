"""`prowess look`: how a table is understood, before anything is rated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.reading import ReadingOptions

if TYPE_CHECKING:
    from prowess.games.games import Games

FIRST = 5  # games that are shown
EXAMPLES = """\b
prowess look games.csv
prowess look results.xlsx --table Results
prowess look season.csv --first 1000 -o season.html
prowess look season.csv --time Datum --date-format "day first"
"""


@verb("look", epilog=EXAMPLES)
def look_verb(
    reading: ReadingOptions,
    *,
    first: Annotated[int, Option("Show so many games as they are read.", "N")] = FIRST,
    answer: AnswerOptions,
) -> None:
    """Show how the table in FILE... is understood: columns, what is left out, the first games."""
    from prowess.cli.output import print_note, print_table, print_text
    from prowess.cli.reading import read_table
    from prowess.engine.tabular import ResultTable

    table = read_table(reading._replace(quiet=True))
    games = describe_games(table, first)

    def render() -> None:
        print_text(str(table.reading))
        for note in table.reading.guesses:
            print_note(f"note: {note}", reading.quiet)
        print_text("")
        if games:
            names = list(games[0])
            print_table([names, *([str(game[name]) for name in names] for game in games)])

    answer.give(
        lambda: table.reading.to_dict() | {"first_games": games},
        lambda: ResultTable.of_rows(games, "First games"),
        render,
    )


def describe_games(table: Games, count: int) -> list[dict[str, Any]]:
    """The first games as plain data: the sides, the result, and what else the table tells."""
    from prowess.games.dates import format_day
    from prowess.games.games import side_name

    rows = []
    for at in range(min(count, len(table))):
        sides = range(int(table.start[at]), int(table.start[at + 1]))
        row: dict[str, Any] = {}
        if table.time is not None:
            row["date"] = format_day(table.time[at])
        if table.pairwise:
            row["player"], row["opponent"] = (side_name(table, side) for side in sides)
            row["score"] = f"{table.score[at]:g}"
            if table.points_a is not None and table.points_b is not None:
                row["points"] = f"{table.points_a[at]:.15g}:{table.points_b[at]:.15g}"
            if table.side is not None:
                row["side advantage"] = {1: row["player"], -1: row["opponent"], 0: ""}[
                    int(table.side[at])
                ]
        else:
            order = sorted(sides, key=lambda side: float(table.place[side]))
            row["contest"] = ", ".join(
                f"{table.place[side]:g}. {side_name(table, side)}" for side in order
            )
        rows.append(row)
    return rows
