"""What the cells of a column are, from the first rows of a table.

Headings alone decide only where they are exact; elsewhere a column has a role if its cells fit it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from prowess.games.cells.date_columns import MONTHS, WEEKDAYS, split_cell
from prowess.games.cells.outcome_words import (
    CERTAIN,
    DRAWN,
    SIDE_OUTCOMES,
    STONES,
    WON,
    as_scoreline,
    parse_verdict,
    reason_not_played,
    reason_of_line,
)
from prowess.games.cells.places import parse_ordinal
from prowess.games.cells.scorelines import parse_retired, parse_scoreline
from prowess.games.dates import EXCEL_EPOCH, is_date_like, is_year, parse_date
from prowess.games.errors import InvalidValue
from prowess.games.names import is_bye, normal_name
from prowess.games.team_names import split_members
from prowess.games.values import (
    HALF,
    NUMBER,
    SAYS_NO,
    SAYS_YES,
    fold_text,
    is_blank,
    is_long,
    is_missing,
    lazy_pattern,
    parse_decimal,
    parse_or_none,
    parse_total,
    plain_word,
)
from prowess.games.vocabulary import HeadingMeaning, read_heading, words_for

if TYPE_CHECKING:
    from prowess.games.columns import InputTable


Value = TypeVar("Value")
MOST_ROWS_SEEN = 2_000  # of a table that are looked at
MOST_FIT = 0.9  # of the cells that are filled: so many fit where a column is called of a kind
SHARED = 0.5  # of the names of one column that stand in another, where both hold players
THIS_CENTURY = (10_957.0, 25_567.0)  # 2000 to 2039, in days since 1970
LARGEST_POINTS = 1_000  # points of a side; larger numbers are ids, years or ratings
_POINTS = r"(?:[0-9]{1,3}(?:[.,][05])?½?|½|[+-])"
SCORELINE_CELL = re.compile(rf"\(?{_POINTS}\s*[-–—−:/x]\s*{_POINTS}\)?(?:[\s(;,].*)?")
VERSION = re.compile(r"([^\W\d_]+)(?:[-_.][^\W\d_]+)*[-_.]?\d")  # o1-2024-12-17 is a name
OF_MATCH = re.compile(r"[0-9]-[0-9]-[0-9]")  # games won, lost and drawn
CLOCK = re.compile(
    r"[0-2]?[0-9][:.h][0-5][0-9](?::[0-5][0-9])?(?:\s*(?:[ap]\.?m\.?|uhr|h))?", re.IGNORECASE
)
OUTCOME_LETTERS = frozenset("wldtsunrgvpezahbx")  # of ALPHABETS, and of sides
LETTER = re.compile(r"[^\W\d_]")
YES_MARKS = SAYS_YES | {"x", "✓", "✔", "1.0"}
NO_MARKS = SAYS_NO | {"", "-", "0.0"}
YES_WORDS = YES_MARKS | words_for("yes")
NO_WORDS = NO_MARKS | words_for("no")


def choose_only(found: Iterable[Value]) -> Value | None:
    """The only one of what was found; None where nothing or several were."""
    first, *others = (*found, None)
    return first if len(others) == 1 else None


class ColumnEvidence:
    """The filled cells of a column: what share of them is of each kind."""

    def __init__(self, cells: Sequence[Any]) -> None:
        self.rows = len(cells)
        self.missing = [*map(is_missing, cells)]
        self.cells = [cell for cell, gone in zip(cells, self.missing, strict=True) if not gone]
        self.filled = len(self.cells)
        self.shares: dict[Any, float] = {}  # by tests

    @cached_property
    def counts(self) -> Sequence[tuple[Any, int]]:
        """The different cells, but texts too long for any kind, and how often each stands."""
        try:
            different = Counter(zip(map(type, self.cells), self.cells, strict=True)).items()
        except TypeError:  # a list
            return [(cell, 1) for cell in self.cells if not is_long(cell)]
        return [(cell, count) for (_, cell), count in different if not is_long(cell)]

    def share(self, is_of_kind: Any) -> float:
        """The share of filled cells for which the test is true, each different cell tested once;
        of no text that is too long for any kind.
        """
        if is_of_kind not in self.shares:
            found = sum(count for cell, count in self.counts if is_of_kind(cell))
            self.shares[is_of_kind] = found / max(1, self.filled)
        return self.shares[is_of_kind]

    @cached_property
    def results_only(self) -> ColumnEvidence:
        """The column without cells such as `postponed` and `w/o`, which tell no result, and where
        others are scores without `dq`.
        """
        reason_of = reason_of_line if self.share(is_scoreline) else reason_not_played
        empty = {
            text
            for text, _ in self.counts
            if isinstance(text, str)
            and not is_number(text)
            and (is_blank(text) or reason_not_played(text) or reason_of(text))
        }
        if not empty:
            return self
        return ColumnEvidence(
            [cell for cell in self.cells if not (isinstance(cell, str) and cell in empty)]
        )

    @cached_property
    def texts(self) -> list[str]:
        """The filled cells as texts."""
        return [normal_name(cell) if isinstance(cell, str) else str(cell) for cell in self.cells]

    @cached_property
    def names(self) -> frozenset[str]:
        """The different texts, whatever their case, without byes."""
        return frozenset(text.casefold() for text in {*self.texts} if not is_bye(text))

    @cached_property
    def members(self) -> frozenset[str]:
        """The different names of members, where nearly all cells are lists of two or more."""
        words = sum(count for cell, count in self.counts if is_word(cell))
        if words + sum(map(is_long, self.cells)) < MOST_FIT * self.filled:
            return frozenset()
        found = [split_members(cell, commas=True) for cell in self.cells if isinstance(cell, str)]
        lists = [[*filter(LETTER.match, names)] for names in found]
        several = [names for names in lists if len(names) > 1]
        if len(several) < MOST_FIT * self.rows:
            return frozenset()
        return frozenset(name.casefold() for names in several for name in names)

    @property
    def dates(self) -> float:
        """The share of dates, which numbers without a mark between them are not."""
        return self.share(is_date)

    @property
    def numbers(self) -> float:
        """The share of numbers."""
        return self.share(is_number)

    @property
    def points(self) -> float:
        """The share of numbers that may be the points of a side."""
        return self.results_only.share(is_points)

    @cached_property
    def scorelines(self) -> float:
        """The share of scorelines such as 2-1 and ½-½, or a word such as RET in place of one."""
        column = self.results_only
        found = column.share(is_scoreline)
        if not 0.0 < found < 1.0:
            return found
        return found + column.share(lambda cell: not is_scoreline(cell) and is_retired(cell))

    @property
    def words(self) -> float:
        """The share of texts with a letter that are neither dates, numbers nor results."""
        return self.share(is_word)

    @cached_property
    def may_be_names(self) -> bool:
        """Whether the cells may be names of players: words or whole numbers, not all different."""
        return self.filled > 0 and (self.words >= MOST_FIT or self.share(is_id) >= MOST_FIT)


def is_date(cell: Any) -> bool:
    """Whether a cell looks like a date; a plain number does not."""
    if isinstance(cell, date):
        return True
    if isinstance(cell, str):
        return not (is_number(cell) or is_scoreline(cell)) and is_written_date(cell)
    return type(cell).__name__ in {"datetime64", "Timestamp"}


def is_written_date(text: str) -> bool:
    """Whether a text is a date in any form, or begins as one."""
    if not any(map(str.isdigit, text)):
        return False
    version = VERSION.match(text.strip())
    if version and fold_text(version[1]) not in MONTHS.keys() | WEEKDAYS.keys():
        return False
    if is_date_like(text):
        return True
    try:
        found = split_cell(text.strip())
    except InvalidValue:  # a date with a time that is not known
        return True
    return found is not None and found.has_month


def is_moment_or_count(cell: Any) -> bool:
    """Whether a cell is a date, or a time counted since 1970 in this century."""
    if is_date(cell):
        return True
    if isinstance(cell, bool) or not is_number(cell):
        return False
    days = parse_or_none(parse_date, cell)
    return days is not None and THIS_CENTURY[0] <= days < THIS_CENTURY[1]


def is_points(cell: Any) -> bool:
    """Whether a cell may be the points of a side."""
    if isinstance(cell, str) and parse_total(cell) is not None:
        return True
    of_half = isinstance(cell, str) and HALF.fullmatch(cell.strip()) is not None
    number = parse_or_none(parse_decimal, cell) if of_half or is_number(cell) else None
    return number is not None and abs(number) < LARGEST_POINTS


def is_moment(cell: Any) -> bool:
    """Whether a cell may be a date, also a number that counts seconds, or a year."""
    return is_date(cell) or is_date_like(cell) or is_year(cell)


def is_number(cell: Any) -> bool:
    """Whether a cell is a number, also with a decimal comma."""
    if isinstance(cell, str):
        text = cell.strip()
        return NUMBER.fullmatch(text.replace(",", ".", 1)) is not None
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def is_serial(cell: Any) -> bool:
    """Whether a cell may be a day from 2000 to 2039, as Excel counts days."""
    if isinstance(cell, bool) or not is_number(cell):
        return False
    days = read_decimal(cell) + EXCEL_EPOCH
    return THIS_CENTURY[0] <= days < THIS_CENTURY[1]


def is_whole(cell: Any) -> bool:
    """Whether a number has no fraction."""
    return read_decimal(cell).is_integer()


def read_decimal(cell: Any) -> float:
    """The number in a cell that `is_number`; a comma is that of decimals."""
    return float(cell.strip().replace(",", ".", 1) if isinstance(cell, str) else cell)


def has_digit(cell: Any) -> bool:
    """Whether a cell holds a digit, as numbers, ordinals and times do."""
    return any(map(str.isdigit, str(cell)))


def may_be_place(cell: Any) -> bool:
    """Whether a cell holds a digit and is no time."""
    return has_digit(cell) and ":" not in str(cell)


def is_first(cell: Any) -> bool:
    """Whether a cell is the first place: 1, 1st, =1, winner."""
    return parse_ordinal(str(cell)) == 1.0


def is_id(cell: Any) -> bool:
    """Whether a cell is a whole number that is not negative, or a word."""
    if isinstance(cell, float):
        return cell.is_integer() and cell >= 0.0
    if isinstance(cell, str):
        return cell.strip().isdigit() or is_word(cell)
    return isinstance(cell, int) and not isinstance(cell, bool) and cell >= 0


def is_scoreline(cell: Any) -> bool:
    """Whether a cell is a scoreline such as 2-1, 3:0 n.V. or 1/2-1/2."""
    if not isinstance(cell, str) or is_number(cell):
        return False
    text = cell.strip()
    if SCORELINE_CELL.fullmatch(text) is not None or as_scoreline(text) in CERTAIN:
        return True
    if OF_MATCH.fullmatch(text):
        return True
    return has_digit(text) and parse_scoreline(text) is not None


def is_retired(cell: Any) -> bool:
    """Whether a cell says that a match was given up."""
    return isinstance(cell, str) and parse_retired(cell) is not None


def is_outcome(cell: Any) -> bool:
    """Whether a cell is a word for who won, a share of a point, or a truth value."""
    if isinstance(cell, str):
        text = cell.strip()
        if len(text) == 1 and text.casefold() in OUTCOME_LETTERS:
            return True
        if plain_word(text) in WON or plain_word(text) in DRAWN or as_scoreline(text) in CERTAIN:
            return True
        if text[1:2] == "+" and (stones := STONES.fullmatch(fold_text(text))) and stones[2]:
            return text[0].casefold() in OUTCOME_LETTERS
        if not is_number(text):
            return False
        return 0.0 <= float(text.replace(",", ".", 1)) <= 1.0
    return isinstance(cell, int | float) and 0.0 <= cell <= 1.0


def is_result_mark(cell: Any) -> bool:
    """Whether a cell is a word or letter for who won, or 1, X or 2."""
    if isinstance(cell, str):
        return (not is_number(cell) and is_outcome(cell)) or cell.strip() in {"1", "2"}
    return cell in (1, 2)


SIDE_SCORES = {**DRAWN, **SIDE_OUTCOMES, "a": 1.0, "b": 0.0}


def names_a_side(cell: Any) -> bool:
    """Whether a cell of judgments is a word for a side or a tie."""
    text = str(cell).strip()
    return plain_word(text) in SIDE_SCORES or parse_verdict(text, SIDE_SCORES) is not None


def tells_sides(column: ColumnEvidence) -> bool:
    """Whether the cells of a column of judgments name sides, some the first and some the second:
    A and B, left and right, [[A]] and [[B]], 1 and 2.
    """
    texts = [text.strip() for text in column.texts]
    numbers = {read_decimal(text) for text in texts if is_number(text)}
    told = [
        SIDE_SCORES.get(plain_word(text), parse_verdict(text, SIDE_SCORES))
        for text in texts
        if not is_number(text)
    ]
    known = 2 * told.count(None) <= len(told)
    if numbers:
        return known and len(numbers) > 1 and numbers <= {-1.0, 0.0, 1.0, 1.5, 2.0}
    return known and {0.0, 1.0} <= {*told}


def scores_of_words(column: ColumnEvidence, shortest: int = 1) -> set[float]:
    """The scores that words such as win and loss tell, of so many letters; empty where a cell holds
    another word.
    """
    words = {plain_word(text) for text in column.results_only.names}
    told = {WON[word] for word in words if word in WON and len(word) >= shortest}
    return told if words <= {*WON, *DRAWN} else set()


def is_marked(cell: Any) -> bool | None:
    """Whether a cell is a mark; None for a cell that is neither a mark nor its absence."""
    word = "" if is_missing(cell) else str(cell).strip().casefold()
    return True if word in YES_MARKS else False if word in NO_MARKS else None


def is_clock(cell: Any) -> bool:
    """Whether a cell is a time of the day."""
    return isinstance(cell, str) and CLOCK.fullmatch(cell.strip()) is not None


def is_word(cell: Any) -> bool:
    """Whether a cell is a text with a letter that is neither a date nor a result."""
    return (
        isinstance(cell, str)
        and LETTER.search(cell) is not None
        and not is_number(cell)
        and not is_scoreline(cell)
        and not is_clock(cell)
        and not is_date(cell)
    )


class TableEvidence(dict[str, ColumnEvidence]):
    """The evidence of each column of a table, gathered once it is asked for."""

    def __init__(self, table: InputTable) -> None:
        super().__init__()
        self.table = table

    @cached_property
    def rows(self) -> Mapping[str, Sequence[Any]]:
        """The first rows, column by column."""
        return self.table.sample(MOST_ROWS_SEEN)

    @property
    def count(self) -> int:
        """How many rows were looked at."""
        return len(next(iter(self.rows.values()), ()))

    def __missing__(self, name: str) -> ColumnEvidence:
        self[name] = found = ColumnEvidence(self.rows[name])
        return found

    def share_names(self, one: str, other: str) -> bool:
        """Whether both columns hold the same players: half of the names of one stand in the other.

        In a small table it is enough that two do.
        """
        a, b = self[one].names, self[other].names
        if not a or not b:
            return False
        both = len(a & b)
        return both >= SHARED * min(len(a), len(b)) or (both >= 2 and self.count < 4 * len(a))


# Columns whose cells name one of the two players of their row.
#
# Such a column tells the winner only where its heading says so: it may be the loser as well, or who
# was at home, served first or kept the score.


WON_WORDS = words_for("won", "winner", "picked")
LOST = words_for("lost", "loser")
BESIDE_WON = words_for("beside_won")  # words that may stand beside such a one


OFFICIALS = words_for("official")


def is_of_official(heading: HeadingMeaning) -> bool:
    """Whether a heading is that of judges, referees or scorers, who may be players of other games:
    `Judge 1`, `ref_a`.
    """
    of_other = heading.subjects - {"player", "id", "short"}
    return bool(OFFICIALS & {*heading.words}) and not of_other


WIN_LOSS = lazy_pattern(  # W/L, Win-Loss, S/N/U
    r"(?i)(?:[wsgv]|win|won|sieg)\s?[-/|]\s?(?:[lnpd]|loss|lose|lost|niederlage)"
    r"(?:\s?[-/|]\s?(?:[dtueunx]|draw|tie))?|wl|wld"
)


def tells_winner(name: str) -> bool:
    """Whether a heading says that its column names winners, or tells results."""
    heading = read_heading(name)
    told = heading.sides == {"winner"} or bool(heading.subjects & {"result", "verdict"})
    return _is_plain(heading) if told else _is_said(heading, WON_WORDS)


def tells_loser(name: str) -> bool:
    """Whether a heading says that its column names losers."""
    heading = read_heading(name)
    of_players = heading.subjects <= {"player", "id", "short", "match"}
    if heading.sides == {"loser"} and _is_plain(heading) and of_players:
        return True
    return heading.subjects.isdisjoint({"points", "games", "sets"}) and _is_said(heading, LOST)


def _is_plain(heading: HeadingMeaning) -> bool:
    return not heading.unknown and not heading.spoiled


def _is_said(heading: HeadingMeaning, words: frozenset[str]) -> bool:
    """Whether one of these words stands in a heading, and no other word that means something."""
    found = {*heading.words}
    return bool(found & words) and found <= words | BESIDE_WON


def names_winners(cells: Sequence[Any], a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether the cells name one of the two players of their row, or nobody, nearly always.

    A column that always names the same side says whose row it is, not who won.
    """
    if not any(isinstance(cell, str) and cell.strip() for cell in cells):
        return False
    firsts = seconds = total = 0
    for cell, one, other in zip(cells, a, b, strict=True):
        if is_missing(cell):
            continue
        total += 1
        text = str(cell).strip().casefold()
        if reason_not_played(text):
            total -= 1
            continue
        firsts += text == str(one).strip().casefold()
        seconds += text == str(other).strip().casefold()
        total -= plain_word(text) in DRAWN
    both = firsts > 0 and seconds > 0  # else it may be the player whose row this is
    return both and firsts + seconds >= MOST_FIT * total


def are_winner_first(cells: Sequence[Any]) -> bool:
    """Whether no scoreline has the larger number behind, and one has it first."""
    lines = [parse_scoreline(text) for text in {cell for cell in cells if isinstance(cell, str)}]
    leads = [line.points[0] - line.points[1] for line in lines if line is not None]
    return bool(leads) and min(leads) >= 0.0 < max(leads)


def may_tell_own_win(name: str) -> bool:
    """Whether a heading may be that of how the first player fared."""
    heading = read_heading(name)
    if WIN_LOSS.fullmatch(name.strip()) is not None:
        return True
    if heading.is_of("points") and heading.words != ("result",):
        return False
    return "result" in heading.subjects or _is_said(heading, WON_WORDS)


def tells_own_win(name: str, column: ColumnEvidence) -> bool:
    """Whether a column whose heading may be such a one says by a word or a flag whether the first
    player won: `W/L`, `Won?`.
    """
    flagged = is_flag_of_win(name, column) and not tells_loser(name)
    return flagged or bool(scores_of_words(column))


def is_flag_of_win(name: str, column: ColumnEvidence) -> bool:
    """Whether a column says with yes and no whether the first player won, or lost."""
    if not (_is_said(read_heading(name), WON_WORDS) or tells_loser(name)):
        return False
    words = column.results_only.names
    return bool(words) and words <= SAYS_YES | SAYS_NO
