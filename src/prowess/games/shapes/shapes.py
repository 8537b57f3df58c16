"""Tables of other shapes, made into tables with a column for each role.

Both players in one column, a log in which each game stands once for each team, winners marked in
columns of their own: `shape_table` derives the columns that such a table lacks, and says which
roles they have.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from prowess.games.shapes.counted_rows import weigh_counted_rows
from prowess.games.shapes.date_parts import join_dates
from prowess.games.shapes.derived_columns import find_roles
from prowess.games.shapes.footnotes import explain_marks
from prowess.games.shapes.full_names import join_full_names
from prowess.games.shapes.hosts import name_hosts
from prowess.games.shapes.later_parts import join_later_parts
from prowess.games.shapes.list_texts import split_list_texts
from prowess.games.shapes.marks import find_marks
from prowess.games.shapes.matchups import split_matchups
from prowess.games.shapes.name_marks import take_off_marks
from prowess.games.shapes.name_points import split_name_points
from prowess.games.shapes.paired_rows import pair_rows
from prowess.games.shapes.row_order import put_in_order, put_oldest_first
from prowess.games.shapes.sentences import read_sentences
from prowess.games.shapes.set_columns import join_sets
from prowess.games.shapes.team_logs import merge_log, refuse_contradictions
from prowess.games.shapes.unfolding import unfold_table
from prowess.games.shapes.unplaced import fill_places
from prowess.games.shapes.void_rows import leave_out_void
from prowess.games.shapes.winner_ids import name_marked_winners, name_winners
from prowess.games.shapes.years import add_years

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.layout import Options
    from prowess.games.roles.roles import LayoutFinder


def shape_table(table: InputTable, options: Options) -> tuple[InputTable, LayoutFinder]:
    """The table with the columns that its shape lacks, and the finder of its layout."""
    table = unfold_table(explain_marks(table), options)
    finder = find_roles(table, options)
    for reshape in (split_list_texts, put_in_order, leave_out_void):
        if (shaped := reshape(table, finder)) is not None:
            table, finder = shaped, find_roles(shaped, options)
    if finder.is_asked:
        if (joined := join_later_parts(table, finder)) is not None:
            named = {
                role: names for role, names in options.roles.items() if role not in joined.roles
            }
            options = replace(options, roles=named)
            table, finder = joined, find_roles(joined, options)
        if (bare := take_off_marks(table, finder)) is not None:
            table, finder = bare, find_roles(bare, options)
        return table, finder
    for reshape in (
        split_name_points,
        split_matchups,
        merge_log,
        pair_rows,
        join_sets,
        find_marks,
        name_winners,
        name_marked_winners,
        read_sentences,
        join_later_parts,
        weigh_counted_rows,
        fill_places,
        join_full_names,
        name_hosts,
        join_dates,
        add_years,
        put_oldest_first,
        take_off_marks,
    ):
        if (shaped := reshape(table, finder)) is not None:
            table, finder = shaped, find_roles(shaped, options)
    refuse_contradictions(table, finder)
    return table, finder
