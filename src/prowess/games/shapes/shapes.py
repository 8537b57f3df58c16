"""Tables of other shapes, made into tables with a column for each role: a table of the shapes, and
those that make a column of others.

Each shape is a row: what has to be there, and the function that makes the columns that such a
table lacks, or None of a table of another shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.cells.date_columns import MONTHS
from prowess.games.cells.places import is_unplaced
from prowess.games.columns import as_name, as_text
from prowess.games.dates import is_year
from prowess.games.errors import InvalidValue, quote
from prowess.games.roles.contests import find_contestant
from prowess.games.roles.evidence import MOST_FIT, SHARED
from prowess.games.roles.headings import AT_HOME, NEUTRAL_PAIRS, Headings
from prowess.games.roles.pairs import find_only_pair, has_sides
from prowess.games.roles.roles import find_plain_layout, names_roles
from prowess.games.shapes.fold import (
    find_first_players,
    find_marks,
    join_later_parts,
    join_sets,
)
from prowess.games.shapes.operators import derive_role, find_roles, find_whole_layout
from prowess.games.shapes.pair import (
    find_home,
    find_log,
    find_twins,
    join_results,
    merge_twins,
    pair_rows,
    refuse_contradictions,
    split_opponents,
)
from prowess.games.shapes.row_order import (
    add_years,
    leave_out_void,
    put_in_order,
    put_oldest_first,
    weigh_counted_rows,
)
from prowess.games.shapes.split import (
    explain_marks,
    read_sentences,
    split_list_texts,
    split_matchups,
    split_name_points,
    take_off_marks,
)
from prowess.games.values import fold_text, is_blank, is_missing, plain_form
from prowess.games.vocabulary import read_heading, words_for

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.layout import Layout, Options


# Roles that a table tells by several columns: players by first and last names, the side at home
# by name, winners by ids or marks, missing places by words elsewhere, dates by their parts or by
# the year of a season.


# Players whose first and last names stand in columns of their own.


FIRST, LAST = words_for("first_name"), words_for("last_name")


def join_full_names(table: InputTable, headings: Headings) -> InputTable | None:
    """The table of contests with a column of whole names; None where first or last names lack."""
    first = [name for form, name in headings.plain.items() if form in FIRST]
    last = [name for form, name in headings.plain.items() if form in LAST]
    if len(first) != 1 or len(last) != 1:
        return None

    def join(*cells: Any) -> str:
        return " ".join(as_text(cell) for cell in cells if not is_missing(cell))

    return derive_role(table, "player", f"{first[0]} {last[0]}", [first[0], last[0]], join)


# A column beside two players that names the one of them who was at home, or had white.


HOST_SIDES = frozenset({"home", "white"})
HOSTS = words_for("host")
NOWHERE = words_for("neutral") | {"none", "n"}


def name_hosts(table: InputTable, headings: Headings, layout: Layout) -> InputTable | None:
    """The table with the side that a column names as the one at home; None for another table."""
    named = [name for name in headings.names if _may_name_hosts(name)]
    if not named or table.side or headings.options.side:
        return None
    used = {*layout.columns()} - {*layout.leftover}
    if layout.kind != "games" or layout.sided or layout.side:
        return None
    rows = headings.evidence.rows
    players = [*zip(rows[layout.a], rows[layout.b], strict=True)]
    for name in named:
        if name in used or not headings.evidence[name].filled:
            continue
        try:
            sides = [_side_of(cell, *who) for cell, who in zip(rows[name], players, strict=True)]
        except InvalidValue:
            continue
        if not any(sides):
            continue
        note = f"column {quote(name)} names the side that has the advantage"
        sources = name, layout.a, layout.b
        return derive_role(table, "side", f"{name}, side", sources, _side_of, note)
    return None


def _may_name_hosts(name: str) -> bool:
    heading = read_heading(name)
    return bool(heading.sides & HOST_SIDES or {*heading.words} & HOSTS) and not heading.spoiled


def _side_of(cell: Any, a: Any, b: Any) -> int:
    """1 where a cell names the first player, -1 the second, 0 neither; raises InvalidValue."""
    if is_blank(cell) or plain_form(str(cell)) in NOWHERE:
        return 0
    who, one, other = (as_name(each).casefold() for each in (cell, a, b))
    if who not in {one, other}:
        raise InvalidValue.of("host_not_a_player", text=cell)
    return 1 if who == one else -1


# Rows without a place whose reason stands in another column: `DQ` under Mark, `R` in a text.


UNPLACED = "DNF"


def fill_places(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with words such as DNF in place of missing places, where another column has them;
    None where no place is missing or nothing says why.
    """
    place, evidence = headings.guessed["place"], headings.evidence
    places = evidence.rows[place]
    without = [row for row, cell in enumerate(places) if is_missing(cell)]
    if not without or len(without) == len(places) or not find_contestant(headings):
        return None
    for name in headings.names:
        cells = evidence.rows[name]
        if name != place and (_tells(cells, without) or _repeats(cells, places, without)):
            shown = ", ".join(sorted({quote(cells[row]) for row in without}))
            note = (
                f"rows without {quote(place)} are unplaced: column {quote(name)} has {shown} there"
            )
            return derive_role(table, "place", place, [place, name], _fill, note)
    return None


def _tells(cells: Sequence[Any], without: Sequence[int]) -> bool:
    """Whether the cells of all rows without a place are words for that."""
    return all(is_unplaced(cells[row]) for row in without)


def _repeats(cells: Sequence[Any], places: Sequence[Any], without: Sequence[int]) -> bool:
    """Whether the cells repeat the places, and hold letters where there is none."""
    missing = {*without}
    return all(
        as_text(cell).isalpha() if row in missing else as_text(cell) == as_text(places[row])
        for row, cell in enumerate(cells)
    )


def _fill(place: Any, code: Any) -> Any:
    if not is_missing(place):
        return place
    return code if is_unplaced(code) or is_missing(code) else UNPLACED


# Winners that stand as ids, `winner_id`, beside players that stand by id and by name, or as the
# marks before the names: `A` where Ada is written `A: Ada`.


def name_winners(table: InputTable, headings: Headings, a: str, b: str) -> InputTable | None:
    """The table with the names of winners in place of their ids, which two further columns hold, or
    of the marks before their names; None for another table.
    """
    guessed, rows = headings.guessed, headings.evidence.rows
    winner = guessed.get("winner") or guessed["result"]
    cells, players = rows[winner], [rows[a], rows[b]]
    if any(_same(cell, one) or _same(cell, other)
           for cell, one, other in zip(cells, *players, strict=True)):  # fmt: skip
        return None
    ids: tuple[str, ...] = ()
    where = "before the colon of the winner, both: a draw"
    marks = [[find_mark(name) for name in names] for names in players]
    if _share_named(cells, *marks) < SHARED:
        others = [name for name in headings.names if name not in {a, b, winner}]
        found = [
            pair for pair in permutations(others if "result" not in guessed else (), 2)
            if _share_named(cells, *(rows[name] for name in pair)) >= MOST_FIT
            and all(_is_id_of(rows[name], names) for name, names in zip(pair, players, strict=True))
        ]  # fmt: skip
        if len({*map(frozenset, found)}) != 1:
            return None
        ids, where = found[0], f"in {' and '.join(map(quote, found[0]))}"

    def name_of(cell: Any, first: Any, second: Any, *of_ids: Any) -> Any:
        one, other = of_ids or (find_mark(first), find_mark(second))
        if is_missing(cell) or _same(one, other):
            return cell
        if not ids and str(cell).strip() in {one + other, other + one}:
            return "draw"
        return first if _same(cell, one) else second if _same(cell, other) else cell

    note = f"column {quote(winner)} holds what stands {where}"
    return derive_role(table, "winner", f"{winner}, name", [winner, a, b, *ids], name_of, note)


def find_mark(cell: Any) -> str:
    """What stands before the colon of a name such as `A: Ada`; empty for another."""
    mark, colon, name = str(cell).partition(":")
    return mark.strip() if colon and name.strip() else ""


def _same(one: Any, other: Any) -> bool:
    return str(one).strip().removesuffix(".0") == str(other).strip().removesuffix(".0")


def _share_named(cells: Sequence[Any], one: Sequence[Any], other: Sequence[Any]) -> float:
    """The share of cells that stand in one of two columns, 0.0 where one of them is never named."""
    told = [row for row in zip(cells, one, other, strict=True) if not is_missing(row[0])]
    firsts = sum(_same(cell, x) and not _same(x, y) for cell, x, y in told)
    seconds = sum(_same(cell, y) and not _same(x, y) for cell, x, y in told)
    return (firsts + seconds) / len(told) if firsts and seconds else 0.0


def _is_id_of(ids: Sequence[Any], names: Sequence[Any]) -> bool:
    """Whether each id stands for one name, and each name has one id."""
    pairs = {(str(one), str(name)) for one, name in zip(ids, names, strict=True)}
    return len({one for one, _ in pairs}) == len(pairs) == len({name for _, name in pairs})


# Dates whose year, month and day stand in columns of their own.


DATE_PARTS = ("year", "month", "day")


def join_dates(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with a column of dates made of those of years and months, and of days if there
    are some; None for others.
    """
    found: dict[str, str] = {}
    for part in DATE_PARTS:
        named = [
            name for name in headings.names
            if part in read_heading(name).subjects and len(read_heading(name).words) == 1
            and headings.evidence[name].filled
            and headings.evidence[name].share(DATE_TESTS[part]) == 1.0
        ]  # fmt: skip
        if len(named) == 1:
            found[part] = named[0]
    if not found.keys() >= {"year", "month"}:
        return None

    def join(*cells: Any) -> str:
        parts = [*map(_number, cells)]
        if None in parts:
            shown = " ".join(str(cell) for cell in cells if not is_missing(cell))
            raise InvalidValue.of("not_a_date.cells", shown=shown)
        return "-".join(f"{part:02d}" for part in parts)

    return derive_role(table, "time", "-".join(found.values()), [*found.values()], join)


def _number(cell: Any) -> int | None:
    """The number of a year, a day or a month, which may be a name."""
    text = "" if is_missing(cell) else str(cell).strip().removesuffix(".0")
    if text.isdigit():
        return int(text)
    return MONTHS.get(fold_text(text).rstrip("."))


DATE_TESTS = {
    "year": is_year,
    "month": lambda cell: 1 <= (_number(cell) or 0) <= 12,
    "day": lambda cell: 1 <= (_number(cell) or 0) <= 31,
}


# The table of shapes.


def find_no_sides(headings: Headings) -> tuple[()] | None:
    """Nothing, where no columns tell the two sides of games, else None."""
    return None if has_sides(headings) else ()


class Shape(NamedTuple):
    """A shape of tables: when a table may have it, and what it becomes then."""

    reshape: Callable[..., InputTable | None]  # of the table, its headings, and what is needed
    needs: Callable[[Headings], tuple[Any, ...] | None] | None = None
    has: frozenset[str] = frozenset()  # roles of which one has a column as headings tell them
    without: frozenset[str] = frozenset()  # roles that no column has as headings tell them
    unless: frozenset[str] = frozenset()  # roles that neither the caller nor a shape gives
    always: bool = False  # also where the caller names the columns of players or results

    def apply(self, table: InputTable, headings: Headings) -> InputTable | None:
        """The table as it becomes, None for a table of another shape."""
        if self.has and self.has.isdisjoint(headings.guessed):
            return None
        if self.without & headings.guessed.keys() or self.unless & headings.options.roles.keys():
            return None
        needed = self.needs(headings) if self.needs else ()
        return None if needed is None else self.reshape(table, headings, *needed)


TIME, PLAYERS = frozenset({"time"}), frozenset({"player_a"})
DATE_ROLES = frozenset({"date", "maybe date"})
RESULT, WINNER, WEIGHT = frozenset({"result"}), frozenset({"winner"}), frozenset({"weight"})
TABLE_SHAPES = (
    Shape(split_list_texts, always=True),
    Shape(put_in_order, always=True),
    Shape(leave_out_void, always=True),
    Shape(split_name_points, find_only_pair, without=RESULT | WINNER),
    Shape(split_matchups, find_no_sides),
    Shape(split_opponents, find_log, unless=PLAYERS),
    Shape(find_home, find_log),
    Shape(merge_twins, find_twins),
    Shape(pair_rows),
    Shape(join_sets, find_first_players),
    Shape(find_marks, find_first_players),
    Shape(join_results, find_only_pair, without=RESULT | WINNER),
    Shape(name_winners, find_only_pair, has=RESULT | WINNER),
    Shape(read_sentences, find_only_pair, without=WINNER),
    Shape(join_later_parts, always=True),
    Shape(weigh_counted_rows, find_whole_layout, without=WEIGHT, unless=WEIGHT),
    Shape(fill_places, find_no_sides, has=frozenset({"place"})),
    Shape(join_full_names, find_no_sides, unless=frozenset({"player"})),
    Shape(name_hosts, find_whole_layout),
    Shape(join_dates, without=DATE_ROLES, unless=TIME),
    Shape(add_years, has=DATE_ROLES, unless=TIME),
    Shape(put_oldest_first, find_whole_layout, unless=TIME),
    Shape(take_off_marks, find_whole_layout, always=True),
    Shape(refuse_contradictions, find_whole_layout),
)


def shape_table(table: InputTable, options: Options) -> tuple[InputTable, Headings]:
    """The table with the columns that its shape lacks, and its headings."""
    headings = find_roles(table, options)
    if not (table.footnotes or headings.by_shape) and find_plain_layout(headings):
        return table, headings
    unfolded = unfold_table(explain_marks(table) if table.footnotes else table, options)
    if unfolded is not table:
        table, headings = unfolded, find_roles(unfolded, options)
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
    return table, headings


def unfold_table(table: InputTable, options: Options) -> InputTable:
    """The table, with rows in place of columns where its headings or cells hold what rows do.

    A table of which the caller names columns is left as it is.
    """
    if table.beginning is not None or not _may_be_wide(table.names, options):
        return table  # long, or with columns of two players
    from prowess.games.shapes.melt import unfold_wide

    return unfold_wide(table, options)


def _may_be_wide(names: Sequence[str], options: Options) -> bool:
    """Whether headings may be players, rounds or places, as far as they alone tell."""
    plain = {plain_form(name) for name in names}
    if {plain_form(name) for name in options.named_columns()} & plain:
        return False
    pairs: list[tuple[str, str]] = [*AT_HOME, *NEUTRAL_PAIRS, ("winner", "loser")]
    known = [(a, b) for a, b in pairs if a in plain and b in plain]
    return all(a.replace("1", "2") == b and a.replace("1", "3") in plain for a, b in known)
