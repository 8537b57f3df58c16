"""Marks that tell who won, marks at names that are no part of them, and marks behind results.

`Olga Fern (1812)` and `Olga Fern (1804)` are one player. Ratings and records that stand at nearly
every name and change are taken off; other marks make names look alike. `Guest`
may be several people.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from prowess.games.cells.outcome_words import DRAWS, LOSSES, NOT_PLAYED, WALKOVERS, WINS
from prowess.games.cells.scorelines import OVERTIME, SHOOTOUT
from prowess.games.columns import Chunk, InputTable, Values, as_name
from prowess.games.errors import MEND, InvalidValue, Suspicion, quote
from prowess.games.roles.evidence import (
    ColumnEvidence,
    TableEvidence,
    is_marked,
    is_number,
    is_outcome,
    is_scoreline,
)
from prowess.games.roles.pairs import find_groups, find_pairs, find_points_of_both
from prowess.games.shapes.operators import DerivedColumn, derive_columns, name_column
from prowess.games.values import fold_text, is_missing, lazy_pattern, plain_form
from prowess.games.vocabulary import read_heading
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.layout import Layout
    from prowess.games.roles.headings import Headings


# Results that stand in columns of their own: a mark for who won, or counts of wins and losses.


SCORES_OF_MARKS = {"a": 1.0, "draw": 0.5, "b": 0.0}
LONGEST_MATCH = 9  # games of a match


def find_marks(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with a column of results made of marks or counts; None where there are none.

    Beside the points of both sides a mark tells who won: the points may be kills, or goals before
    a shoot-out.
    """
    sides = [each.sides for each in find_groups(headings) if not each.won]
    found = find_pairs(headings) or [(first[0], second[0]) for first, second in sides]
    if len(found) != 1:
        return None
    a, b = found[0]
    points = find_points_of_both(headings, "result", a, b)
    if headings.guessed.keys() & {"result", "winner", *([] if points else ["score"])}:
        return None
    marks: dict[str, str] = {}
    counts: dict[str, str] = {}
    wins: dict[str, str] = {}
    for name in headings.names:
        side, column = _marked_side(name, a, b), headings.evidence[name]
        if side and fits_marks(column):
            marks.setdefault(side, name)
        if side and _fits_counts(column):
            wins.setdefault(side, name)
        counted = _count_of(name)
        if counted and _fits_counts(column):
            counts.setdefault(counted, name)
    if {"a", "b"} <= counts.keys() and not marks and not points:
        return _expand_counts(table, counts)
    if {"a", "b"} <= wins.keys() and not {"a", "b"} <= marks.keys() and not points:
        return _take_wins(table, headings, wins)
    if "a" in marks or "b" in marks:
        return _join_marks(table, marks, points or (), headings.evidence)
    return None


def _take_wins(table: InputTable, headings: Headings, wins: dict[str, str]) -> InputTable:
    """The table with the games that each side won as the points of a match.

    A match ends when one side has won so many, nearly always the same number. Raises BadData where
    they may count games that were played at other times.
    """
    sides = [side for side in SCORES_OF_MARKS if side in wins]
    columns = [[int(float(cell)) for cell in headings.evidence.rows[wins[side]]] for side in sides]
    rows = list(zip(*columns, strict=True))
    most = [max(row[0], row[-1]) for row in rows]
    counted = max(map(sum, rows)) > LONGEST_MATCH
    if counted or 2 * most.count(max(most)) < len(most) or max(most) < 2:
        raise headings.bad(
            f"columns {quote(wins['a'])} and {quote(wins['b'])} may count games, or be the score "
            "of a match",
            "call the columns wins and losses if each counts, or say "
            f'score_a="{wins["a"]}", score_b="{wins["b"]}" (--score-a, --score-b)',
            code="wins_or_score",
        )
    roles = {**table.roles, "score_a": (wins["a"],), "score_b": (wins["b"],)}
    note = f"columns {quote(wins['a'])} and {quote(wins['b'])} are the score of a match"
    return replace(table, roles=roles, notes=(*table.notes, note))


def _marked_side(name: str, a: str, b: str) -> str | None:
    """Whose win the marks of a column tell: a, b, or draw; None for another column."""
    heading = read_heading(name)
    words = [word for word in heading.words if word not in WINS]
    if "draw" in heading.subjects and not heading.unknown:
        return "draw"
    if len(words) == len(heading.words):
        return None
    if not words:  # of the row's own player
        return "a" if "opponent" in read_heading(b).sides else None
    rest = read_heading(" ".join(words))
    first, second = ({*read_heading(name).words} for name in (a, b))
    for side, own in (("a", first - second), ("b", second - first)):
        if {*words} <= own:  # blue_win beside blue_p1 and orange_p1
            return side
    for side, player in (("a", a), ("b", b)):
        if rest.sides & read_heading(player).sides or plain_form(" ".join(words)) == plain_form(
            player
        ):
            return side
    return None


def fits_marks(column: ColumnEvidence) -> bool:
    """Whether the cells are marks: yes or no, 1 or 0, x or empty."""
    return all(is_marked(cell) is not None for cell in column.cells)


def _join_marks(
    table: InputTable, marks: dict[str, str], points: Sequence[str], evidence: TableEvidence
) -> InputTable:
    """The table with the result that marks tell.

    Where some marks say no, an empty cell says nothing. A game of equal points is a draw if no
    side is marked, or if the marks of one side are at none of these games.
    """
    sides, columns = list(marks), tuple(marks.values())
    says_no = any(is_marked(cell) is False for name in columns for cell in evidence[name].cells)
    single = not {"a", "b"} <= marks.keys()
    level = _find_level(evidence, points)
    drawn = bool(level) and not any(
        is_marked(evidence.rows[name][row]) for row in level for name in columns
    )

    def score(*cells: Any) -> float | None:
        told, of_points = cells[: len(columns)], cells[len(columns) :]
        if says_no and all(map(is_missing, told)):
            return None
        marked = [is_marked(cell) for cell in told]
        if None in marked:
            cell = told[marked.index(None)]
            raise InvalidValue(
                f"{quote(cell)} is neither yes nor no", "write 1 or 0", code="not_yes_or_no"
            )
        won = [side for side, each in zip(sides, marked, strict=True) if each]
        if len(won) == 1:
            return SCORES_OF_MARKS[won[0]]
        if not won and of_points and (drawn or not single):
            if all(map(is_missing, of_points)):
                return None
            if _are_level(*of_points):
                return SCORES_OF_MARKS["draw"]
        if not won and single:
            return SCORES_OF_MARKS["a" if "b" in sides else "b"]
        shown = " and ".join(map(quote, columns))
        raise InvalidValue(
            f"{'several' if won else 'none'} of {shown} is marked", MEND, code="not_one_mark"
        )

    result = name_column(table, "result of " + ", ".join(columns))
    notes = []
    if single:
        notes.append(f"column {quote(columns[0])} tells who won: no is a win of the other side")
    if single and drawn:
        notes[-1] += ", or a draw where the points are equal"
    derived = {result: DerivedColumn((*columns, *points), score)}
    made = derive_columns(table, derived, {"result": result}, notes=notes)
    return replace(made, names=[name for name in made.names if name not in columns])


def _find_level(evidence: TableEvidence, points: Sequence[str]) -> list[int]:
    """The rows in which both sides have the same points."""
    if not points:
        return []
    rows = zip(*(evidence.rows[name] for name in points), strict=True)
    return [row for row, (a, b) in enumerate(rows) if _are_level(a, b)]


def _are_level(a: Any, b: Any) -> bool:
    return is_number(a) and is_number(b) and float(a) == float(b)


def _count_of(name: str) -> str | None:
    """What a column counts of a pair of players: wins of a, wins of b (losses), or draws."""
    words = set(read_heading(name).words)
    if len(words) != 1:
        return None
    if words <= WINS:
        return "a"
    if words <= LOSSES:
        return "b"
    return "draw" if words <= DRAWS or "draw" in read_heading(name).subjects else None


def _fits_counts(column: ColumnEvidence) -> bool:
    return (
        column.filled == column.rows
        and column.share(
            lambda cell: is_number(cell) and float(cell) >= 0.0 and float(cell).is_integer()
        )
        == 1.0
    )


def _expand_counts(table: InputTable, counts: dict[str, str]) -> InputTable:
    """A table with a row for each result of a table that counts them, weighted by the count."""
    result = name_column(table, "result of " + ", ".join(counts.values()))
    weight = name_column(table, "count of " + ", ".join(counts.values()))
    by_side = [(side, counts[side]) for side in SCORES_OF_MARKS if side in counts]

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        sources = [name for name in wanted if name not in {result, weight}]
        for chunk in table.chunks(list(dict.fromkeys([*sources, *counts.values()]))):
            rows, scores, weights = [], [], []
            for row in range(chunk.count):
                for side, name in by_side:
                    times = 0 if row in chunk.refused else int(float(chunk.columns[name].cell(row)))
                    if times:
                        rows.append(row)
                        scores.append(SCORES_OF_MARKS[side])
                        weights.append(times)
            columns = {
                name: Values([chunk.columns[name].cell(row) for row in rows]) for name in sources
            }
            made = {result: Values(scores), weight: Values(weights)}
            columns.update((name, cells) for name, cells in made.items() if name in wanted)
            lines = [chunk.line(row) for row in rows]
            yield Chunk(columns, len(rows), lines.__getitem__)

    note = f"columns {', '.join(map(quote, counts.values()))} count the games of each row"
    return replace(
        table, names=[*table.names, result, weight], chunks=chunks, beginning=None,
        roles={**table.roles, "result": (result,), "weight": (weight,)},
        sources={**table.sources, **dict.fromkeys((result, weight), tuple(counts.values()))},
        notes=(*table.notes, note),
    )  # fmt: skip


_RATING = r"(?:(?:elo|dwz|rtg|rating|r)\W{0,2})?(?P<rating>[1-9]\d{2,3})\??(?:\s?(?:elo|dwz))?"
RATED = lazy_pattern(
    rf"(?P<name>.*?\S)\s*[\[(]\s*{_RATING}\s*[\])]|(?P<bare>\D*[^\W\d]\D*?)\s+(?P<number>\d{{4}})",
    re.IGNORECASE,
)
RECORD_OF_GAMES = lazy_pattern(
    r"(?P<name>.*?\S)\s*[\[(]\s*\d{1,3}[-–:]\d{1,3}(?:[-–:]\d{1,3})?\s*[\])]"
)
MOST_NAMES = 50_000  # of a roster in which names are looked at
NAMES_TRIED = 20  # rows that tell whether names may have such marks
NEARLY_ALL = 0.8  # of the names have such a mark
MOST_RUNS = 1.5  # of one mark of a player, on average: the levels of a program come back often
RATING_STEP = 200.0  # by which a rating may change from one game of a player to the next


def take_off_marks(table: InputTable, headings: Headings, layout: Layout) -> InputTable | None:
    """The table with names without their ratings or records, where these change for one player;
    None for a table without such marks, or where they tell two players apart.
    """
    if headings.options.teams is not None:
        return None
    if not any(map(_may_be_marked, headings.evidence.rows.values())):
        return None
    sides = [layout.player] if layout.kind == "contests" else [layout.a, layout.b]
    rows = headings.evidence.rows
    if layout.sides or not all(name in rows for name in sides):
        return None
    names = [[as_name(cell) for cell in rows[name]] for name in sides]
    kind = next(
        (what for what, form in KINDS.items() if _changes(form, names, what == "ratings")), None
    )
    if kind is None:
        return None
    form = KINDS[kind]
    columns = [*sides, *([layout.result] if layout.form == "winner" else [])]
    example = next(name for column in names for name in column if form.fullmatch(name))
    note = (
        f"{kind} at names are taken off: {quote(example)} is {quote(_bare_name(form, example))} "
        '(teams="names", --teams names, keeps them)'
    )
    derived = {name: DerivedColumn((name,), partial(_bare_name, form)) for name in columns}
    made = derive_columns(table, derived, {}, notes=[note])
    return replace(made, details={**table.details, **dict.fromkeys(sides, f"without {kind}")})


def _may_be_marked(cells: Sequence[Any]) -> bool:
    """Whether most of the first cells of a column have such a mark."""
    first = [cell for cell in cells[:NAMES_TRIED] if isinstance(cell, str)]
    marked = sum(bool(RATED.fullmatch(text) or RECORD_OF_GAMES.fullmatch(text)) for text in first)
    return 2 * marked > len(first)


KINDS = {"ratings": RATED, "records": RECORD_OF_GAMES}


def _bare_name(form: re.Pattern[str], cell: Any) -> Any:
    found = form.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if found is None:
        return cell
    return found["name"] or found.groupdict().get("bare")


def _changes(form: re.Pattern[str], names: Sequence[Sequence[str]], rated: bool) -> bool:
    """Whether such marks stand at nearly all names, and change for most players of several games,
    who never meet another of their name.
    """
    met = [tuple(str(_bare_name(form, name)).casefold() for name in row)
           for row in zip(*names, strict=True)]  # fmt: skip
    marked = [name for column in names for name in column if form.fullmatch(name)]
    if not marked or len(marked) < NEARLY_ALL * sum(map(len, names)):
        return False
    if any(len({*row}) < len(row) for row in met):
        return False
    seen: dict[str, list[str]] = defaultdict(list)
    for row, bare in zip(zip(*names, strict=True), met, strict=True):
        for name, player in zip(row, bare, strict=True):
            seen[player].append(name)
    several = [each for each in seen.values() if len(each) > 1]
    different = sum(len({*each}) for each in several)
    runs = sum(1 + sum(a != b for a, b in pairwise(each)) for each in several)
    if 2 * sum(len({*each}) > 1 for each in several) < max(len(several), 1):
        return False
    if runs > MOST_RUNS * different:
        return False
    steps = [abs(a - b) for each in several for a, b in pairwise(_ratings(each))]
    return not rated or max(steps, default=0.0) <= RATING_STEP


def _ratings(names: Sequence[str]) -> list[float]:
    found = [match for name in names if (match := RATED.fullmatch(name))]
    return [float(each["rating"] or each["number"]) for each in found]


# Names that stand for whoever played: several people as one player.


STAND_INS = words_for("stand_in")


def stand_in_note(players: Sequence[str]) -> Suspicion | None:
    """The note on names that may stand for several people; None where there are none."""
    if len(players) > MOST_NAMES:
        return None
    found = [name for name in players if name.casefold() in STAND_INS]
    if not found:
        return None
    shown = ", ".join(map(quote, found))
    return Suspicion(
        f"{shown} may stand for several people and is one player: exclude= (--exclude) leaves "
        "the rows out",
        f"{shown} may be several people",
    )


# Marks behind results, such as `2:0*`, that a note below the table explains.


NOTE = lazy_pattern(r"(?P<mark>[*†‡§¹²³⁴]+|[1-9a-d]\))[\s:=-]*(?P<text>\S.*)")
SHORT_NOTE = 2  # letters of words such as `na`, which mean something else in a sentence
MARKED_CELL = lazy_pattern(r"(?P<result>.*[^\s*†‡§¹²³⁴])\s*(?P<mark>[*†‡§¹²³⁴]+|(?<=\s)[1-9a-d]\))")


def read_footnotes(texts: Sequence[str]) -> dict[str, str]:
    """The notes below a table by their marks.

    >>> read_footnotes(["* kampflos gewertet", "Stand: 1.5.2024"])
    {'*': 'kampflos gewertet'}
    """
    found = (NOTE.fullmatch(text.strip()) for text in texts)
    return {match["mark"]: match["text"] for match in found if match}


def explain_marks(table: InputTable) -> InputTable:
    """The table with results that say in words what a note below the table says of their marks."""
    explain = partial(_explain, footnotes=table.footnotes)
    said: dict[str, None] = {}
    derived: dict[str, DerivedColumn] = {}
    for name, cells in table.sample(sys.maxsize).items():
        for cell in cells:
            if found := _marked_result(cell, table.footnotes):
                derived[name] = DerivedColumn((name,), explain)
                note = table.footnotes[found["mark"]]
                said[f"{quote(cell)} is read as {quote(explain(cell))}, as the "
                     f"note {quote(note)} explains"] = None  # fmt: skip
    return derive_columns(table, derived, {}, notes=[*said])


def _marked_result(cell: Any, footnotes: Mapping[str, str]) -> re.Match[str] | None:
    """The result and the mark of a cell, None for another cell."""
    found = MARKED_CELL.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if found is None or found["mark"] not in footnotes:
        return None
    return found if is_scoreline(found["result"]) or is_outcome(found["result"]) else None


def _explain(cell: Any, footnotes: Mapping[str, str]) -> Any:
    """The result with the word of the note that matters, or alone where none does."""
    found = _marked_result(cell, footnotes)
    if found is None:
        return cell
    words = re.findall(r"[^\W\d_]+", fold_text(footnotes[found["mark"]]))
    joined = {word for word in words if len(word) > SHORT_NOTE} | {
        a + b for a, b in pairwise(words)
    }
    if joined & WALKOVERS:
        return f"{found['result']} w/o"
    if joined & NOT_PLAYED:
        return next(word for word in joined if word in NOT_PLAYED)
    for known in (SHOOTOUT, OVERTIME):
        long = [word for word in joined if word in known and len(word) > SHORT_NOTE]
        if long:
            return f"{found['result']} {long[0]}"
    return found["result"]
