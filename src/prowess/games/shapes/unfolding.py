"""Find tables whose columns hold what rows should, and unfold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prowess.games.roles import headings
from prowess.games.values import plain_form

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.layout import Options


def unfold_table(table: InputTable, options: Options) -> InputTable:
    """The table, with rows in place of columns where its headings or cells hold what rows do.

    A table of which the caller names columns is left as it is.
    """
    if table.beginning is not None or not _may_be_wide(table.names, options):
        return table  # long, or with columns of two players
    from prowess.games.shapes.crosstables import unfold_crosstable
    from prowess.games.shapes.race_columns import unfold_races
    from prowess.games.shapes.rankings import unfold_rankings
    from prowess.games.shapes.wall_charts import unfold_wall_chart
    from prowess.games.shapes.wide_contests import find_places, unfold_contests
    from prowess.games.shapes.wide_tables import LEAST, MOST_BALLOTS, MOST_ROWS, gather_cells

    ballots = options.kind != "games" and len(find_places(table.names)) >= LEAST
    most = MOST_BALLOTS if ballots else MOST_ROWS
    wide = gather_cells(table, most) if table.expected <= most else None
    if wide is None or not wide.lines:
        return table
    if len(wide.lines) > MOST_ROWS:
        return unfold_contests(wide) or table
    games = (unfold_crosstable, unfold_wall_chart) if options.kind != "contests" else ()
    contests = (unfold_rankings, unfold_races, unfold_contests) if options.kind != "games" else ()
    found = (unfold(wide) for unfold in (*games, *contests))
    return next(filter(None, found), table)


def _may_be_wide(names: Sequence[str], options: Options) -> bool:
    """Whether headings may be players, rounds or places, as far as they alone tell."""
    plain = {plain_form(name) for name in names}
    if {plain_form(name) for name in options.named_columns()} & plain:
        return False
    pairs: list[tuple[str, str]] = [*headings.SIDED, *headings.NEUTRAL, ("winner", "loser")]
    known = any(a in plain and b in plain and not _third(a, b) & plain for a, b in pairs)
    return not known


def _third(first: str, second: str) -> set[str]:
    """What the heading of a third player would be: player3 after player1 and player2."""
    return {first.replace("1", "3")} if first.replace("1", "2") == second else set()
