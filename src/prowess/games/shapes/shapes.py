"""Tables of other shapes, made into tables with a column for each role: a table of the shapes.

Each shape is a row: what has to be there, and the function that makes the columns that such a
table lacks, or None of a table of another shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.errors import BadData
from prowess.games.roles.headings import AT_HOME, NEUTRAL_PAIRS, Headings
from prowess.games.roles.pairs import find_pairs, find_spare, has_sides
from prowess.games.roles.roles import find_layout, names_roles
from prowess.games.shapes.later_parts import join_later_parts, join_sets
from prowess.games.shapes.name_marks import explain_marks, find_marks, take_off_marks
from prowess.games.shapes.operators import (
    fill_places,
    find_roles,
    join_dates,
    join_full_names,
    name_hosts,
    name_marked_winners,
    name_winners,
)
from prowess.games.shapes.row_order import (
    add_years,
    leave_out_void,
    put_in_order,
    put_oldest_first,
    weigh_counted_rows,
)
from prowess.games.shapes.split_cells import (
    read_sentences,
    split_list_texts,
    split_matchups,
    split_name_points,
)
from prowess.games.shapes.team_logs import merge_log, pair_rows, refuse_contradictions
from prowess.games.values import plain_form

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.layout import Layout, Options


def find_only_pair(headings: Headings) -> tuple[str, str] | None:
    """The two columns of players, None where there are none or several."""
    found = find_pairs(headings)
    return found[0] if len(found) == 1 else None


def find_no_sides(headings: Headings) -> tuple[()] | None:
    """Nothing, where no columns tell the two sides of games, else None."""
    return None if has_sides(headings) else ()


def find_whole_layout(headings: Headings) -> tuple[Layout] | None:
    """The layout, None where it is refused, which is said where the table is read."""
    try:
        return (find_layout(headings),)
    except BadData:
        return None


class Shape(NamedTuple):
    """A shape of tables: when a table may have it, and what it becomes then."""

    reshape: Callable[..., InputTable | None]  # of the table, its headings, and what is needed
    needs: Callable[[Headings], tuple[Any, ...] | None] | None = None
    has: frozenset[str] = frozenset()  # roles of which one has a column as headings tell them
    asked: str = ""  # an option that the caller gives
    spare: bool = True  # a column beside players, a result in numbers and dates
    without: frozenset[str] = frozenset()  # roles that no column has as headings tell them
    unless: frozenset[str] = frozenset()  # roles that neither the caller nor a shape gives
    always: bool = False  # also where the caller names the columns of players or results

    def apply(self, table: InputTable, headings: Headings) -> InputTable | None:
        """The table as it becomes, None for a table of another shape."""
        if self.spare and not {*find_spare(headings)} - {headings.guessed.get("date")}:
            return None
        if self.asked and not getattr(headings.options, self.asked):
            return None
        if self.has and self.has.isdisjoint(headings.guessed):
            return None
        if self.without & headings.guessed.keys() or self.unless & headings.options.roles.keys():
            return None
        needed = self.needs(headings) if self.needs else ()
        return None if needed is None else self.reshape(table, headings, *needed)


TIME = frozenset({"time"})
DATE_ROLES = frozenset({"date", "maybe date"})
RESULT, WINNER, WEIGHT = frozenset({"result"}), frozenset({"winner"}), frozenset({"weight"})
TABLE_SHAPES = (
    Shape(split_list_texts, spare=False, always=True),
    Shape(put_in_order, asked="order", spare=False, always=True),
    Shape(leave_out_void, always=True),
    Shape(split_name_points, find_only_pair, without=RESULT | WINNER),
    Shape(split_matchups, find_no_sides),
    Shape(merge_log, spare=False),
    Shape(pair_rows),
    Shape(join_sets),
    Shape(find_marks),
    Shape(name_winners, find_only_pair, has=WINNER, without=RESULT),
    Shape(name_marked_winners, find_only_pair, has=RESULT | WINNER),
    Shape(read_sentences, find_only_pair, without=WINNER),
    Shape(join_later_parts, always=True),
    Shape(weigh_counted_rows, without=WEIGHT, unless=WEIGHT),
    Shape(fill_places, find_no_sides, has=frozenset({"place"})),
    Shape(join_full_names, find_no_sides, unless=frozenset({"player"})),
    Shape(name_hosts, find_whole_layout),
    Shape(join_dates, without=DATE_ROLES, unless=TIME),
    Shape(add_years, has=DATE_ROLES, spare=False, unless=TIME),
    Shape(put_oldest_first, find_whole_layout, unless=TIME),
    Shape(take_off_marks, find_whole_layout, spare=False, always=True),
)


def shape_table(table: InputTable, options: Options) -> tuple[InputTable, Headings]:
    """The table with the columns that its shape lacks, and its headings."""
    table = unfold_table(explain_marks(table) if table.footnotes else table, options)
    headings = find_roles(table, options)
    asked = names_roles(headings)
    for shape in TABLE_SHAPES:
        if asked and not shape.always:
            continue
        if (shaped := shape.apply(table, headings)) is not None:
            if asked:  # what later parts decide goes before the result that is named
                made = shaped.roles.keys() - table.roles.keys()
                named = {role: n for role, n in options.roles.items() if role not in made}
                options = replace(options, roles=named)
            table, headings = shaped, find_roles(shaped, options)
    if not asked and "gameid" in headings.plain:
        refuse_contradictions(table, headings)
    return table, headings


def unfold_table(table: InputTable, options: Options) -> InputTable:
    """The table, with rows in place of columns where its headings or cells hold what rows do.

    A table of which the caller names columns is left as it is.
    """
    if table.beginning is not None or not _may_be_wide(table.names, options):
        return table  # long, or with columns of two players
    from prowess.games.shapes.crosstables import unfold_crosstable, unfold_wall_chart
    from prowess.games.shapes.wide_contests import find_places, unfold_contests, unfold_races
    from prowess.games.shapes.wide_tables import (
        LEAST,
        MOST_BALLOTS,
        MOST_ROWS,
        gather_cells,
        unfold_rankings,
    )

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
    pairs: list[tuple[str, str]] = [*AT_HOME, *NEUTRAL_PAIRS, ("winner", "loser")]
    known = [(a, b) for a, b in pairs if a in plain and b in plain]
    return all(a.replace("1", "2") == b and a.replace("1", "3") in plain for a, b in known)
