"""Rows of a table: which of them count, for how many games, in what order; years of their dates.

Where each pair and result stands once, a column says how often it occurred: `model_a, model_b,
winner, count` of votes that were grouped. The newest games may stand first: rounds or numbers of
games that fall from row to row tell it, and `order=` says it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.cells.date_columns import (
    FIRST_WORD,
    MONTHS,
    decide_form,
    order_in_heading,
    split_cell,
)
from prowess.games.cells.outcome_words import parser_of_counts, tell_count
from prowess.games.columns import InputTable, WholeRows, as_name, as_text
from prowess.games.dates import is_year, parse_date, whole_year
from prowess.games.errors import BadData, InvalidValue, NoGame, Question, Suspicion, quote
from prowess.games.roles.contests import group_values
from prowess.games.roles.evidence import (
    NO_WORDS,
    SHARED,
    YES_WORDS,
    ColumnEvidence,
    choose_only,
    is_number,
)
from prowess.games.roles.roles import is_of_kind
from prowess.games.shapes.operators import (
    derive_role,
    leave_out_rows,
    rearrange_rows,
)
from prowess.games.values import fold_text, is_missing, lazy_pattern, parse_decimal, parse_or_none
from prowess.games.vocabulary import is_match, read_heading, slots_for, words_for

if TYPE_CHECKING:
    from prowess.games.layout import Layout
    from prowess.games.roles.headings import Headings


OFTEN = 2  # rows of a pair, on average, where the heading may say something else


def weigh_counted_rows(table: InputTable, headings: Headings, layout: Layout) -> InputTable | None:
    """The table with counts of games as weights; None where no column counts them.

    Raises BadData where a column of counts may count something else.
    """
    evidence = headings.evidence
    told = {name: tell_count(name) for name in headings.names}
    names = [name for name, sure in told.items() if sure and _may_count(evidence[name], sure)]
    if len(names) != 1 or layout.kind != "games" or layout.sides or names[0] in layout.columns():
        return None
    name, (rows, pairs) = names[0], _count_rows(headings, layout)
    grouped = max(rows.values()) == 1 and not layout.time
    total = sum(pairs.values())
    if told[name] == "maybe" and (not grouped or total == len(pairs)):
        return None
    whole = len(_read_whole(evidence[name])) == evidence.count
    if not (grouped and whole) or (told[name] == "maybe" and total < OFTEN * len(pairs)):
        raise headings.bad("count_ambiguous", name=name)

    def count_none(cell: Any) -> NoGame | None:
        none = as_text(cell) in {"0", "0.0"}
        return NoGame(f"column {quote(name)} is 0", "not played") if none else None

    note = f'column {quote(name)} counts the games of each row (weight="none" if it does not)'
    roles = {**table.roles, "weight": (name,)}
    return leave_out_rows(table, {name: count_none}, [note], beginning=None, roles=roles)


def _may_count(column: ColumnEvidence, sure: str) -> bool:
    """Whether all cells are whole numbers, or most are numbers where the heading is `surely` that
    of counts; not all 1 and not those of the rows.
    """
    numbers = _read_whole(column)
    of_numbers = sure == "surely" and column.numbers * column.filled >= SHARED * column.rows
    if len(numbers) < column.rows and not of_numbers:
        return False
    numbered = [*range(len(numbers))], [*range(1, len(numbers) + 1)]
    return {*numbers} != {1} and (not numbers or numbers not in numbered)


def _read_whole(column: ColumnEvidence) -> list[int]:
    """The cells that are whole numbers."""
    parse = parser_of_counts(column.texts)
    numbers = (parse_or_none(parse, cell) for cell in column.texts)
    return [number for number in numbers if number is not None]


def _count_rows(headings: Headings, layout: Layout) -> tuple[Counter[object], Counter[object]]:
    """How often each pair stands with one result, and with any."""
    told = [name for name in (layout.result, layout.draw, layout.points_a, layout.points_b) if name]
    columns = [headings.evidence.rows[name] for name in (layout.a, layout.b, *told)]
    rows: Counter[object] = Counter()
    pairs: Counter[object] = Counter()
    for a, b, *result in zip(*columns, strict=True):
        pair = as_name(a), as_name(b)
        rows[pair, tuple(map(as_text, result))] += 1
        pairs[frozenset(pair)] += 1
    return rows, pairs


# Rows that do not count, as a column of theirs says: deleted in an app, cancelled, not valid.
#
# `is_deleted` is true, `deleted_at` has a date, `valid` is no: such rows are left out and
# counted. Columns such as `rated` may mean as much; a note asks about them.


VOID_KINDS = {
    **dict.fromkeys(words_for("row_void"), "void"),
    **dict.fromkeys(words_for("row_counted"), "counted"),
    **dict.fromkeys(words_for("row_played"), "played"),
    **dict.fromkeys(words_for("row_open"), "open"),
    **dict.fromkeys(words_for("row_open_if_not"), "open if not"),
}


def leave_out_void(table: InputTable, headings: Headings) -> InputTable | None:
    """The table without the rows that do not count, None where no column says so."""
    asked = headings.options.named_columns()
    tests: dict[str, Callable[[Any], NoGame | None]] = {}
    notes: list[str] = []
    for name in table.names:
        words = {*read_heading(name).words}
        told = words & VOID_KINDS.keys()
        if len(told) != 1 or name in asked:
            continue
        if not words <= told | words_for("row", "when_or_who"):
            continue
        word, cells = told.pop(), headings.evidence.rows[name]
        kind = VOID_KINDS[word]
        test = _find_test(word, words, cells)
        if test is None or (kind == "played" and not is_of_kind(headings, "games")):
            continue
        if kind.startswith("open"):
            if {test(cell) for cell in cells} == {True, False}:
                notes.append(_ask(name, cells, test))
        else:
            reason = "not played" if kind == "played" else "void"
            tests[name] = partial(_find_void, name, reason, test)
    if not (tests or notes):
        return None
    return leave_out_rows(table, tests, notes, telling=(*table.telling, *tests))


def _find_void(name: str, reason: str, is_void: Callable[[Any], bool], cell: Any) -> NoGame | None:
    """Why the row of a cell does not count, None where it does."""
    return NoGame(f"column {quote(name)} is {quote(cell)}", reason) if is_void(cell) else None


def _find_test(word: str, words: set[str], cells: Sequence[Any]) -> Callable[[Any], bool] | None:
    """What tells of a cell whether its row does not count; None where the cells do not tell it."""
    filled = [_plain(cell) for cell in cells if not is_missing(cell)]
    if all(text in YES_WORDS | NO_WORDS | {word} for text in filled):
        negated = VOID_KINDS[word] in {"counted", "played", "open if not"}
        void = NO_WORDS if negated else YES_WORDS | {word}
        return lambda cell: not is_missing(cell) and _plain(cell) in void
    if VOID_KINDS[word] == "void" and (
        words & words_for("when_or_who") or len(filled) < len(cells)
    ):
        return lambda cell: not is_missing(cell) and _plain(cell) not in NO_WORDS
    return None


def _plain(cell: Any) -> str:
    return fold_text(str(cell)).strip()


def _ask(name: str, cells: Sequence[Any], is_void: Callable[[Any], bool]) -> Suspicion:
    """The note on rows that may not count, though nothing says that they do not."""
    first = next(cell for cell in cells if is_void(cell))
    value = str(first).strip()
    return Suspicion(
        f"rows with {value} in column {quote(name)} count as games: "
        f'exclude={{"{name}": "{value}"}} (--exclude "{name}={value}") leaves them out',
        f"rows with {name} = {value} count",
    )


FINAL = 1_000.0  # above all numbers of rounds
KNOCKOUT = {  # rounds before the final, as their names say
    **{f"1/{2**number}": number for number in range(1, 7)},
    **{word: number for number, words in enumerate(slots_for("knockout_rounds")) for word in words},
}
AS_IN_FILE, REVERSED = "file", "reversed"  # values of order= beside names of columns
FEWEST_NUMBERS = 3  # rows of a column of numbers, whatever they count, that tell the order
COUNTERS = words_for("list_number")
YEAR_CELL = re.compile(r"((?:19|20)?[0-9]{2})([-–/](?:[0-9]{2}){1,2})?")
NUMBERED_CELL = re.compile(r"(?P<what>[^\W\d_]{0,12}|#)\.?(?P<number>\d+)\.?")


def put_oldest_first(table: InputTable, headings: Headings, layout: Layout) -> InputTable | None:
    """The table in order of its seasons, and of its rounds or the numbers of its games or contests,
    where these fall and no dates tell the order; None for others.

    Rows of one round keep their order.
    """
    rows, of_games = headings.evidence.rows, layout.kind == "games"
    if headings.options.order or (layout.time and not of_games):
        return None
    season = None if layout.time else _find_season(headings)
    outer = season or layout.time
    groups = [*map(str, rows[outer])] if outer else [""] * headings.evidence.count
    newest_first = layout.time is not None and _is_newest_first(rows[layout.time])
    numbered = filter(_numbers_games, headings.names if of_games else ())
    found: dict[str, int] = {}
    for name in dict.fromkeys((*layout.round, *layout.contest, *numbered)):
        falls = _fall_within(groups, rows.get(name, ()))
        if falls is None and not season:
            return None
        if falls:
            found[name] = len({*map(str, rows[name])})
    if of_games and (not layout.time or (newest_first and len({*groups}) < len(groups))):
        used = {*layout.columns(), *found}
        counted = [name for name in headings.names if name not in used and _may_count_rows(name)]
        within = groups if season else [""] * len(groups)
        if len(groups) >= FEWEST_NUMBERS:
            falling = (name for name in counted if _fall_within(within, rows[name], strictly=True))
            found |= dict.fromkeys(falling, len(groups))
    name = max(found, key=found.__getitem__, default="")  # the finest of them
    years = [read_season(cell) or 0.0 for cell in rows[season]] if season else []
    if not name and all(a <= b for a, b in pairwise(years)):
        return None
    day = layout.time if newest_first else None
    names = [each for each in (season, day, name) if each]
    order = partial(_order_by_rounds, name=name, day=day, season=season)
    what = "the games" if of_games else "contests"
    note = f"column {quote(name)} falls from row to row: {what} are taken in its order"
    if season:
        note = f"the games are taken in the order of {' and '.join(map(quote, names))}"
    return rearrange_rows(table, names, order, notes=[note])


def _fall_within(
    groups: Sequence[str], cells: Sequence[Any], strictly: bool = False
) -> bool | None:
    """Whether numbers of rounds or games fall from row to row within the groups of the rows; None
    where they rise.
    """
    if (values := read_rounds(cells)) is None:
        return False
    pairs = [pair for group in group_values(groups, values) for pair in pairwise(group)]
    if any(a < b or (strictly and a == b) for a, b in pairs):
        return None
    return any(a > b for a, b in pairs)


def _find_season(headings: Headings) -> str | None:
    """The column of seasons, where it names several."""
    meanings = map(read_heading, headings.names)
    season = choose_only(m.name for m in meanings if m.subjects == {"season"} and not m.unknown)
    years = {read_season(cell) for cell in headings.evidence.rows[season]} if season else {None}
    return season if len(years) > 1 and None not in years else None


def read_season(cell: Any) -> float | None:
    """The year in which a season of two years begins; another year, or number, as it stands.

    >>> read_season("2023/24"), read_season("23-24"), read_season("98/99"), read_season("12")
    (2023.0, 2023.0, 1998.0, 12.0)
    """
    found = YEAR_CELL.fullmatch(write_whole(cell).strip())
    if found is None:
        return None
    return float(whole_year(int(found[1])) if found[2] else found[1])


def put_in_order(table: InputTable, headings: Headings) -> InputTable | None:
    """The table in the order that the caller says; raises BadData for a column that counts nothing.

    Dates still go before it: it is the order of games of one time.
    """
    order = headings.options.order
    if order in {None, AS_IN_FILE}:
        return None
    if order == REVERSED:
        return rearrange_rows(table, [], lambda rows: range(rows.count - 1, -1, -1))
    name = headings.column(str(order), "order")
    return rearrange_rows(table, [name], partial(_order_by_cells, name=name, file=table.file))


def _numbers_games(name: str) -> bool:
    """Whether a heading is that of numbers of games: `Game no.`, `Game #`."""
    heading = read_heading(name)
    counted = "id" in heading.subjects or name.strip().endswith("#")
    return is_match(name) and counted and not heading.unknown


def _may_count_rows(name: str) -> bool:
    """Whether a heading may be that of numbers of games or rows: `Game`, `id`, `Nr.`, `#`."""
    heading = read_heading(name)
    if heading.sides or heading.unknown or heading.spoiled:
        return False
    numbered = is_match(name) or heading.subjects == {"id"}
    return numbered or name.strip().casefold() in COUNTERS


def _is_newest_first(cells: Sequence[Any]) -> bool:
    """Whether dates or years fall from row to row, or are one day."""
    if all(map(is_year, cells)):
        return all(float(a) >= float(b) for a, b in pairwise(cells))
    try:
        form = decide_form(cells)
        days = map(form.parse if form else parse_date, cells)  # until one rises
        return all(a >= b for a, b in pairwise(days))
    except (InvalidValue, Question):
        return False


def read_rounds(cells: Sequence[Any]) -> list[float] | None:
    """The numbers of rounds or games, of a knock-out by their names; None where one is not known.

    Of a column `R15, R16, R17` none is the round of sixteen.
    """
    if len(cells) < 2 or any(map(is_missing, cells)):
        return None
    texts = [re.sub(r"[\s\-_]", "", fold_text(write_whole(cell))) for cell in cells]
    numbers = [NUMBERED_CELL.fullmatch(text) for text in texts]
    plain = [found for found in numbers if found is not None]
    named = [KNOCKOUT.get(text) for text in texts]
    counted = len(plain) == len(texts) and len({found["what"] for found in plain}) == 1
    if counted and None in named:
        return [float(found["number"]) for found in plain]
    values = [
        FINAL - before if before is not None else float(found["number"]) if found else -1.0
        for before, found in zip(named, numbers, strict=True)
    ]
    return values if min(values) >= 0.0 else None


def write_whole(cell: Any) -> str:
    """A cell as text, a whole number without a fraction."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _order_by_rounds(
    rows: WholeRows, name: str, day: str | None = None, season: str | None = None
) -> Sequence[int]:
    """The rows in order of their rounds; those whose round is not known stay at the front.

    The rows of a column of days that fall are turned round day by day; seasons go before rounds.
    """
    cells = rows.cells[name] if name else [""] * rows.count
    values = read_rounds(cells) or [(read_rounds([cell, cell]) or [-1.0])[0] for cell in cells]
    if season:
        groups = [read_season(cell) or 0.0 for cell in rows.cells[season]]
    else:
        days = [*map(str, rows.cells[day])] if day else [""] * rows.count
        last = {each: -at for at, each in reversed([*enumerate(days)])}
        groups = [float(last[each]) for each in days]
    return sorted(range(rows.count), key=lambda row: (groups[row], values[row]))


def _order_by_cells(rows: WholeRows, name: str, file: str) -> Sequence[int]:
    """The rows in order of numbers, rounds or dates; raises BadData."""
    cells = rows.cells[name]
    values = read_rounds(cells)
    if values is None:
        try:
            if all(map(is_number, cells)):
                values = [parse_decimal(cell) for cell in cells]
            else:
                form = decide_form(cells, heading=order_in_heading(name))
                values = [(form.parse if form else parse_date)(cell) for cell in cells]
        except InvalidValue as fault:
            raise BadData.of("not_an_order", file=file, name=name, fault=fault.what) from None
    return sorted(range(rows.count), key=values.__getitem__)


# Dates without a year, `27.08.`, where the title, the file or a column of seasons says it.


SEASON_IN_TITLE = lazy_pattern(r"(?<!\d)((?:19|20)\d\d)\s?[-/–_]\s?((?:19|20)?\d\d)(?!\d|[-./]\d)")
YEAR_OF_FOUR_DIGITS = lazy_pattern(r"(?<![\d./-])(?:19|20)\d\d(?![\d/]|[-.]\d)")
TWO_NUMBERS = lazy_pattern(r"(\d{1,2})\s?([./-])\s?(\d{1,2})(?!\d)\.?(?=$|[\s,])")
DAY_AND_MONTH_NAME = lazy_pattern(
    r"(\d{1,2})\.?[\s-]?([^\W\d]{3,})\.?|([^\W\d]{3,})\.?[\s-]?(\d{1,2})\.?(?!\d)"
)
DAY_AND_MONTH = ("day first", "month first")
FEWEST_DATES_IN_ORDER = 8  # different dates whose order in time is evidence
JULY = 7  # from here on dates are of the first year of a season


class Day(NamedTuple):
    """A day and a month as they stand in a cell, and what stands before and behind them."""

    before: str
    numbers: tuple[int, int]  # day and month, or as they stand where they are in numbers
    mark: str  # between numbers, empty for the name of a month
    behind: str


def add_years(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with a column of whole dates made of dates without a year; None for others, or
    where nothing tells the year.
    """
    name = headings.guessed.get("date") or headings.guessed["maybe date"]
    found: list[Day] = []
    for cell in headings.evidence[name].cells:
        if (day := read_day(cell)) is None:
            return None
        found.append(day)
    if not found:
        return None
    beside = [
        each for each in headings.names
        if read_heading(each).subjects & {"season", "year"} and each != name
        and headings.evidence[each].filled == headings.evidence[each].rows
        and headings.evidence[each].share(lambda cell: find_years([str(cell)]) is not None) == 1.0
    ]  # fmt: skip
    years = find_years(table.titles) or find_years([PurePath(table.file.split(", ")[0]).stem])
    if not beside and years is None:
        return None
    order = _find_order(found, headings)
    if not beside and years and not _fits(found, order, years):
        return None

    def join(cell: Any, *seasons: Any) -> str:
        if is_missing(cell):
            return ""
        day = read_day(cell)
        of_row = find_years([str(season) for season in seasons]) or years
        if day is None or of_row is None:
            raise InvalidValue.of("not_a_date.year", text=cell)
        return _write(day, order, of_row)

    told = (
        f"column {quote(beside[0])}" if beside else "-".join(map(str, dict.fromkeys(years or ())))
    )
    note = f"dates of column {quote(name)} without a year are of {told}"
    return derive_role(table, "time", f"{name} with years", [name, *beside[:1]], join, note)


def find_years(texts: Iterable[str]) -> tuple[int, int] | None:
    """The first and the last year of the only season, or of the only year, that texts name."""
    texts = [*texts]
    seasons = {
        (int(found[1]), int(found[1][:2] + found[2][-2:]))
        for text in texts for found in SEASON_IN_TITLE.finditer(text)
    }  # fmt: skip
    seasons = {(first, last) for first, last in seasons if last == first + 1}
    if seasons:
        return seasons.pop() if len(seasons) == 1 else None
    years = {int(year) for text in texts for year in YEAR_OF_FOUR_DIGITS.findall(text)}
    return (*years, *years) if len(years) == 1 else None  # type: ignore[return-value]


def read_day(cell: Any) -> Day | None:
    """The day and the month of a date without a year; None for another cell."""
    if not isinstance(cell, str):
        return None
    text = cell.strip()
    weekday = FIRST_WORD.match(fold_text(text))
    start = weekday.end() if weekday and weekday[1] not in MONTHS else 0
    if found := TWO_NUMBERS.match(text, start):
        day = Day(text[:start], (int(found[1]), int(found[3])), found[2], text[found.end() :])
    elif found := DAY_AND_MONTH_NAME.match(text, start):
        month = MONTHS.get(fold_text(found[2] or found[3]))
        if month is None:
            return None
        day = Day(text[:start], (int(found[1] or found[4]), month), "", text[found.end() :])
    else:
        return None
    try:
        whole = split_cell(_write(day, 0 if day.numbers[1] <= 12 else 1, (2000, 2000)))
    except InvalidValue:
        return None
    return None if whole is None or YEAR_OF_FOUR_DIGITS.search(text) else day


def _find_order(days: Sequence[Day], headings: Headings) -> int:
    """Where the day stands in dates of two numbers, 0 or 1; raises BadData where that is open."""
    if headings.options.date_format in DAY_AND_MONTH:
        return DAY_AND_MONTH.index(headings.options.date_format)
    numbers = [day.numbers for day in days if day.mark]
    fits = [at for at in (0, 1) if all(pair[1 - at] <= 12 for pair in numbers)]
    if len(fits) == 2 and all(day.mark in {"", "."} for day in days):
        return 0
    if len(fits) == 2 and len({*numbers}) >= FEWEST_DATES_IN_ORDER:
        months = [[(pair[1 - at] - JULY) % 12 for pair in numbers] for at in fits]
        fits = [at for at in fits if months[at] == sorted(months[at])]
    if len(fits) != 1:
        one, other = numbers[0]
        raise headings.bad("day_or_month_first", one=one, other=other)
    return fits[0]


def _fits(days: Sequence[Day], order: int, years: tuple[int, int]) -> bool:
    """Whether dates may all be of one year: December is not followed by January."""
    months = [day.numbers[1 - order if day.mark else 1] for day in days]
    return years[0] < years[1] or not any(before > after + 6 for before, after in pairwise(months))


def _write(day: Day, order: int, years: tuple[int, int]) -> str:
    number = day.numbers[order if day.mark else 0]
    month = day.numbers[1 - order if day.mark else 1]
    year = years[0] if month >= JULY else years[1]
    return f"{day.before}{year}-{month:02d}-{number:02d}{day.behind}"
