"""Matches whose later parts stand in columns of their own: extra time, a shoot-out, a tie-break.

Such a part decides the games whose score before it is level. The winner of a shoot-out wins, and
the points are the goals before it; the score of extra time is that of the whole match, or that of
the extra time alone where it is lower than the score before. A column is known by its heading, by
words in its cells, or because it is filled only where the score is level.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from prowess.games.cells.scorelines import parse_scoreline
from prowess.games.columns import as_name
from prowess.games.errors import MEND, BadData, InvalidValue, quote
from prowess.games.layout import NONE
from prowess.games.patterns import lazy_pattern
from prowess.games.reading import join_columns
from prowess.games.roles.evidence import MOST, is_number
from prowess.games.roles.roles import find_layout
from prowess.games.shapes.derived_columns import (
    DerivedColumn,
    derive_columns,
    find_roles,
    name_column,
)
from prowess.games.values import fold_text, is_missing
from prowess.games.vocabulary import read_heading
from prowess.games.words import WORD_STEMS, words_for

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.layout import Layout
    from prowess.games.roles.headings import Headings

Kind = Literal["extra time", "shoot-out", "later part"]
Pair = tuple[float, float]
ORDER: tuple[Kind, ...] = ("extra time", "later part", "shoot-out")  # in which they are played
WORDS: Mapping[str, Kind] = {
    **dict.fromkeys(words_for("shootout", "shootout_column"), ORDER[2]),
    **dict.fromkeys(words_for("overtime"), ORDER[0]),
    **dict.fromkeys(words_for("last_part"), ORDER[1]),
}
STEMS: Mapping[str, Kind] = {
    **dict.fromkeys(WORD_STEMS["shootout"], ORDER[2]),
    **dict.fromkeys(WORD_STEMS["overtime"], ORDER[0]),
    **dict.fromkeys(WORD_STEMS["last_part"], ORDER[1]),
}
BESIDE = lazy_pattern("pim$|xg$|" + "|".join(WORD_STEMS["not_of_shootout"]))  # of penalties
HALF_TIME = words_for("half_time")
LETTERS_ONLY = re.compile(r"[^a-z]")
SCORE = re.compile(r"(?<![\d.:])(\d{1,3})\s*[-–:]\s*(\d{1,3})(?![\d:])")
FEWEST = 2  # rows that tell a column without a word
LEAST_SHOTS = 2  # of the winner of a shoot-out
MOST_REMARKS = 4096  # different texts that are remembered as they were read
MOST_SHOTS = 60


class LaterPart(NamedTuple):
    """The column of a later part, or its two columns, of the first and of the second side."""

    kind: Kind
    columns: tuple[str, ...]
    held: bool = False  # whether the score before holds the shoot-out already


def join_later_parts(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with a column of final results, where later parts of matches stand in columns of
    their own; None where they do not.
    """
    kinds = {name: kind for name in headings.names if (kind := kind_of_heading(name))}
    evidence = headings.evidence
    if not kinds and all(evidence[name].filled == evidence.count for name in headings.names):
        return None
    try:
        rest = replace(table, names=[name for name in table.names if name not in kinds])
        layout = find_layout(find_roles(rest, headings.options, evidence))
    except BadData:
        return None  # said where the table is read
    main = _columns_of_score(headings, layout) if layout.kind == "games" else ()
    parts = _find_parts(headings, layout, main, kinds) if main else []
    if not parts:
        return None
    columns = (*main, *(name for part in parts for name in part.columns))
    of_winners = layout.form == "winner and loser"
    result = main[0] if of_winners else name_column(table, join_columns(columns))

    def join(*cells: Any) -> Any:
        return _join_cells(dict(zip((layout.a, layout.b, *columns), cells, strict=True)),
                           layout, main, parts)  # fmt: skip

    derived = {result: DerivedColumn((layout.a, layout.b, *columns), join)}
    roles = {} if of_winners else {"result": result, "score_a": NONE, "score_b": NONE}
    notes = [
        f"where the score is level, {join_columns(part.columns)} decides"
        + (f" ({part.kind})" if part.kind != "later part" else "")
        for part in parts
    ]
    made = derive_columns(table, derived, roles, notes=notes)
    used = {*columns} - {result}
    return replace(made, names=[name for name in made.names if name not in used])


def kind_of_heading(name: str) -> Kind | None:
    """The later part that a heading names; None for another heading.

    >>> kind_of_heading("n.E."), kind_of_heading("home_goals_et"), kind_of_heading("Gast")
    ('shoot-out', 'extra time', None)
    """
    folded = fold_text(name)
    letters = LETTERS_ONLY.sub("", folded.replace("ß", "ss"))
    for stem, kind in STEMS.items():
        if stem in letters:
            return kind
    if letters in WORDS:
        return WORDS[letters]
    words = [LETTERS_ONLY.sub("", word) for word in folded.replace("_", " ").split()]
    words += read_heading(name).words
    found = {WORDS[word] for word in words if len(word) > 1 and word in WORDS}
    if BESIDE.search(letters):
        return None
    return found.pop() if len(found) == 1 else None


def _columns_of_score(headings: Headings, layout: Layout) -> tuple[str, ...]:
    """The column of scorelines, or of the points of both sides, that tells who won."""
    if layout.form == "points" and layout.points_a and layout.points_b and not layout.share:
        return layout.points_a, layout.points_b
    if layout.form == "result" and headings.evidence[layout.result].scorelines >= MOST:
        return (layout.result,)
    if layout.form == "winner and loser" and layout.outcome and layout.draw:
        return (layout.draw,)
    return ()


def _score_before(cells: Sequence[Any]) -> Pair | None:
    """The score before any later part; None where it is none, or decided already."""
    if len(cells) == 2:
        if not all(is_number(cell) for cell in cells):
            return None
        a, b = (float(str(cell).replace(",", ".")) for cell in cells)
        return a, b
    line = parse_scoreline(str(cells[0])) if isinstance(cells[0], str) else None
    return line.points if line and not (line.shootout or line.walkover or line.sets) else None


def _read_part(kind: Kind | None, names: tuple[str, str], cells: Sequence[Any]) -> Pair | None:
    """The score of a later part, 1-0 or 0-1 where only the winner is named; None for none.

    `names` are those of both sides, folded. Without a kind a text has to hold a word of a later
    part, unless it is a scoreline or a name.
    """
    if len(cells) == 2:
        found = _score_before(cells)
        return None if found == (0.0, 0.0) and kind == "shoot-out" else found
    if not isinstance(cells[0], str) or is_missing(cells[0]):
        return None
    text, score, known = _read_remark(cells[0])
    if kind is None and not known and text not in names:
        return None
    named = [_is_named(name, text) for name in names]
    if score:
        x, y = score
        if named[0] is not named[1]:
            x, y = (max(x, y), min(x, y)) if named[0] else (min(x, y), max(x, y))
        return x, y
    return (float(named[0]), float(named[1])) if named[0] is not named[1] else None


@lru_cache(MOST_REMARKS)
def _read_remark(cell: str) -> tuple[str, Pair | None, bool]:
    """A text folded, its last score, and whether it is a score alone or names a later part."""
    text = fold_text(cell)
    scores = SCORE.findall(text)
    rest = SCORE.sub(" ", text)
    known = not rest.strip(" ()") or _kind_of_text(rest) is not None
    return text, (float(scores[-1][0]), float(scores[-1][1])) if scores else None, known


def _is_named(name: str, text: str) -> bool:
    """Whether a text names a player; both are folded."""
    found = bool(name) and name in text
    return found and re.search(rf"\b{re.escape(name)}\b", text) is not None


def _fold_names(a: Any, b: Any) -> tuple[str, str]:
    """The names of both sides as texts of remarks are compared with them."""
    return fold_text(as_name(a)), fold_text(as_name(b))


def _kind_of_text(text: str) -> Kind | None:
    """The later part that a remark such as `Ann won 4-3 on penalties` names."""
    words = [LETTERS_ONLY.sub("", word) for word in text.split()]
    found = [WORDS.get(word) if len(word) > 1 else None for word in words]
    found += [kind for stem, kind in STEMS.items() if stem in "".join(words)]
    return next((kind for kind in found if kind), None)


def _find_parts(
    headings: Headings, layout: Layout, main: Sequence[str], kinds: Mapping[str, Kind]
) -> list[LaterPart]:
    """The later parts of a table in the order in which they are played."""
    evidence, rows = headings.evidence, headings.evidence.rows
    taken = {*layout.columns()} - {
        *layout.leftover,
        *layout.status,
        *layout.states,
        *layout.endings,
    }
    numbers: dict[tuple[Kind | None, tuple[bool, ...]], list[str]] = defaultdict(list)
    open_: list[tuple[Kind | None, tuple[str, ...]]] = []
    for name in headings.names:
        column, kind = evidence[name], kinds.get(name)
        if name in taken or not column.filled:
            continue
        if kind is None and (
            column.filled == column.rows or HALF_TIME & {*read_heading(name).words}
        ):
            continue
        if column.numbers == 1.0:
            numbers[kind, tuple(column.missing)].append(name)
        else:
            open_.append((kind, (name,)))
    for (kind, _), names in numbers.items():
        if len(names) == 2:
            open_.append((kind, _in_order(names, layout, main)))
    before = [_score_before(cells) for cells in zip(*(rows[name] for name in main), strict=True)]
    players = [*map(_fold_names, rows[layout.a], rows[layout.b])]
    found = []
    for kind, columns in open_:
        cells = zip(*(rows[name] for name in columns), strict=True)
        told = [
            _read_part(kind, names, each) if score is not None else None
            for names, each, score in zip(players, cells, before, strict=True)
        ]
        held = kind == "shoot-out" and _are_held(before, told)
        if held or _decides(kind, before, told):
            texts = " ".join(fold_text(str(cell)) for cell in evidence[columns[0]].cells)
            found.append(LaterPart(kind or _kind_of_text(texts) or "later part", columns, held))
    return sorted(found, key=lambda part: ORDER.index(part.kind))


def _in_order(names: Sequence[str], layout: Layout, main: Sequence[str]) -> tuple[str, ...]:
    """Two columns in the order of the sides: as their headings say, else as they stand."""
    first = read_heading(layout.a).sides | read_heading(main[0]).sides
    second = read_heading(layout.b).sides | read_heading(main[-1]).sides
    one, other = (read_heading(name).sides for name in names)
    turned = bool(other & first - second) and bool(one & second - first)
    return (names[1], names[0]) if turned else tuple(names)


def _decides(kind: Kind | None, before: Sequence[Pair | None], told: Sequence[Pair | None]) -> bool:
    """Whether a column tells a later part of games whose score before is level."""
    both = [
        (score, part) for score, part in zip(before, told, strict=True)
        if score is not None and part is not None
    ]  # fmt: skip
    if kind == "extra time":  # the score of the match beside others
        both = [(score, part) for score, part in both if score[0] == score[1] or score != part]
    inside = [part for score, part in both if score[0] == score[1]]
    outside = len(both) - len(inside)
    decided = sum(score is not None and score[0] != score[1] for score in before)
    if kind is None:
        return (
            len(inside) >= FEWEST and not outside and decided > 0
            and all(a != b and max(a, b) <= MOST_SHOTS for a, b in inside)
        )  # fmt: skip
    if not inside or 2 * outside <= len(inside):
        return bool(inside)
    seldom = 2 * outside < decided  # the second leg of a tie; penalties in the match are more
    return seldom and all(a != b and max(a, b) >= LEAST_SHOTS for _, (a, b) in both)


def _are_held(before: Sequence[Pair | None], told: Sequence[Pair | None]) -> bool:
    """Whether each score holds the shoot-out beside it: 5-4 beside 4-3."""
    both = [
        (score, part) for score, part in zip(before, told, strict=True)
        if score is not None and part is not None
    ]  # fmt: skip
    return bool(both) and all(
        score[0] - part[0] == score[1] - part[1] >= 0.0 and part[0] != part[1]
        and max(part) >= LEAST_SHOTS
        for score, part in both
    )  # fmt: skip


def _join_cells(
    row: Mapping[str, Any], layout: Layout, main: Sequence[str], parts: Sequence[LaterPart]
) -> Any:
    """The result of a match with what decided it: `1-2`, or `1-1 (4-3 p)`."""
    cells = [row[name] for name in main]
    score = _score_before(cells)
    if score is None:
        missing = [is_missing(cell) for cell in cells]
        if len(cells) == 1 or all(missing):
            return cells[0]
        if any(missing):
            what = f"the score is missing beside {quote(cells[missing.index(False)])}"
            raise InvalidValue(what, MEND, code="parts_contradict")
        return next((cell for cell in cells if not is_number(cell)), cells[0])
    shown = cells[0] if len(cells) == 1 else f"{score[0]:g}-{score[1]:g}"
    names = _fold_names(row[layout.a], row[layout.b])
    for part in parts:
        told = [row[name] for name in part.columns]
        pair = _read_part(part.kind, names, told)
        if pair is None or (part.kind == "extra time" and pair[0] == pair[1]):
            continue
        if score[0] != score[1] and not part.held:
            continue
        if pair[0] == pair[1]:
            what = f"{quote(_show(told))} does not tell who won the {part.kind}"
            raise InvalidValue(what, MEND, code="parts_contradict")
        if part.kind != "extra time":
            return f"{score[0]:g}-{score[1]:g} ({pair[0]:g}-{pair[1]:g} p)"
        whole = min(pair) >= score[0]
        score = pair if whole else (score[0] + pair[0], score[1] + pair[1])
        shown = f"{score[0]:g}-{score[1]:g}"
    return shown


def _show(cells: Sequence[Any]) -> str:
    return "-".join(str(cell).strip() for cell in cells)
