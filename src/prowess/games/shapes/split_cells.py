"""Cells that hold several things: lists of names, names with points, sentences with a winner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from prowess.games.cells.not_played import reason_not_played
from prowess.games.cells.outcome_words import DRAWN
from prowess.games.columns import InputTable
from prowess.games.errors import MEND, InvalidValue, quote
from prowess.games.layout import NONE
from prowess.games.names import is_bye
from prowess.games.roles.evidence import MOST_FIT, is_word
from prowess.games.roles.pairs import find_points_of_both, has_result
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import fold_text, is_missing, lazy_pattern, plain_word
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.roles.headings import Headings


# Cells that are the text of a list: `["Ben", "Cleo"]`, as files without lists keep them.


_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
QUOTED = re.compile(_QUOTED)
OF_QUOTED = re.compile(rf"\s*{_QUOTED}(?:[\s,]+{_QUOTED})*\s*,?\s*")  # no commas in those of NumPy
LIST_BRACKETS = {"[": "]", "(": ")", "{": "}"}
MOST_LISTS = 0.5  # of the cells are lists; others may be single names
ESCAPED = lazy_pattern(r"\\(.)")


def split_list_texts(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with lists where all texts of a column are those of lists of names; None where no
    column holds such texts.
    """
    rows = headings.evidence.rows
    columns = {name for name, cells in rows.items() if _are_lists(cells)}
    if not columns:
        return None

    return derive_columns(table, {name: DerivedColumn((name,), _split) for name in columns}, {})


def _are_lists(cells: Sequence[Any]) -> bool:
    """Whether most filled cells are texts of lists of names."""
    first = next((cell for cell in cells if not is_missing(cell)), None)
    if not isinstance(first, str) or first.lstrip()[:1] not in LIST_BRACKETS:
        return False
    filled = [cell for cell in cells if not is_missing(cell)]
    lists = [cell for cell in filled if isinstance(cell, str) and read_list(cell)]
    quoted = any(QUOTED.search(text) or "," in text for text in lists)  # not tags such as {XY}
    return quoted and MOST_LISTS * len(filled) <= len(lists)


def read_list(text: str) -> list[str] | None:
    """The names of the text of a list; None for another text.

    >>> read_list("['Ben' 'Cleo']"), read_list("{Ben,Cleo}"), read_list("[[A]]"), read_list("[1]")
    (['Ben', 'Cleo'], ['Ben', 'Cleo'], None, None)
    """
    text = text.strip()
    if len(text) < 2 or LIST_BRACKETS.get(text[0]) != text[-1]:
        return None
    import json

    inside = text[1:-1]
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, list):
        return found if found and all(isinstance(each, str) for each in found) else None
    if OF_QUOTED.fullmatch(inside):
        return [ESCAPED.sub(r"\1", each[1:-1]) for each in QUOTED.findall(inside)]
    names = [name.strip() for name in inside.split(",")]
    bare = text[0] != "(" and not set("[](){}'\"") & {*inside}
    return names if bare and all(map(is_word, names)) else None


def _split(cell: Any) -> Any:
    if not isinstance(cell, str) or cell.lstrip()[:1] not in LIST_BRACKETS:
        return cell
    if (found := read_list(cell)) is None:
        raise InvalidValue(f"{quote(cell)} is no list of names", MEND, code="not_a_list_of_names")
    return found


# Names with their points in brackets: `Spirit (13)`, `Ann (87)`.


NAME_POINTS = lazy_pattern(
    r"(?P<name>.*[^\W\d_].*?)\s*[\[(]\s*(?P<points>[-−]?\d{1,3}(?:[.,]\d{1,2})?)\s*[\])]"
)


RATINGS_FROM = 300.0  # numbers from here on may be ratings


def parse_name_points(cell: Any) -> tuple[str, str]:
    """The name and the points of a cell; raises InvalidValue.

    >>> parse_name_points("Spirit (13)")
    ('Spirit', '13')
    """
    found = NAME_POINTS.fullmatch(str(cell).strip())
    if found is None:
        raise InvalidValue(
            f"{quote(cell)} is no name with points in brackets", MEND, code="not_a_name_with_points"
        )
    return found["name"].strip(), found["points"].replace("−", "-")


def hold_points(columns: Sequence[Sequence[Any]]) -> bool:
    """Whether all cells of columns are names with numbers that vary, as seeds do not, and are
    no ratings.
    """
    pairs = set()
    for cell in chain(*columns):
        if is_missing(cell):
            continue
        if NAME_POINTS.fullmatch(text := str(cell).strip()) is None:
            return False
        pairs.add(parse_name_points(text))
    if not pairs or min(float(points.replace(",", ".")) for _, points in pairs) >= RATINGS_FROM:
        return False
    return 2 * len(pairs) >= 3 * len({name for name, _ in pairs})


def split_name_points(table: InputTable, headings: Headings, *pair: str) -> InputTable | None:
    """The table with columns for the names and the points of both sides; None for others."""
    if not hold_points([headings.evidence.rows[name] for name in pair]) or has_result(
        headings, *pair
    ):
        return None
    derived: dict[str, DerivedColumn] = {}
    roles: dict[str, str] = {}
    for side, heading in zip("ab", pair, strict=True):
        name, points = (name_column(table, f"{heading}, {what}") for what in ("name", "points"))
        derived[name] = DerivedColumn((heading,), lambda cell: parse_name_points(cell)[0])
        derived[points] = DerivedColumn((heading,), lambda cell: parse_name_points(cell)[1])
        roles |= {f"player_{side}": name, f"score_{side}": points}
    shown = " and ".join(map(quote, pair))
    note = f"columns {shown} hold names with their points in brackets"
    return derive_columns(table, derived, roles, notes=[note])


# Results in sentences that begin with a side: `Melton won by 6 wickets`, `Syston conceded`.


WON, LOST, CONCEDED = words_for("beats"), words_for("loses"), words_for("concedes")
MATCH_WORDS = words_for("match")


def read_sentences(table: InputTable, headings: Headings, a: str, b: str) -> InputTable | None:
    """The table with a column of winners made of sentences; None for another table.

    Scores beside them that are no numbers, such as 187/6 in cricket, are not used.
    """
    rows = headings.evidence.rows
    found = [
        name for name in headings.names
        if name not in {a, b}
        and any(" " in str(cell).strip() for cell in rows[name][:20])
        and _are_sentences(zip(rows[name], rows[a], rows[b], strict=True))
    ]  # fmt: skip
    if len(found) != 1:
        return None
    told = found[0]
    winner = name_column(table, f"{told}, winner")
    roles = {"winner": winner}
    points = find_points_of_both(headings, "result", a, b)
    if points and any(headings.evidence[name].points < MOST_FIT for name in points):
        roles |= {"score_a": NONE, "score_b": NONE}

    def name_winner(cell: Any, one: Any, other: Any) -> Any:
        return cell if is_missing(cell) else _winner_of(str(cell), str(one), str(other)) or cell

    return derive_columns(table, {winner: DerivedColumn((told, a, b), name_winner)}, roles)


def _are_sentences(rows: Any) -> bool:
    """Whether cells tell of their games who won, and some of them for each side."""
    wins = set()
    for cell, one, other in rows:
        if is_missing(cell):
            continue
        sides = str(one), str(other)
        winner = _winner_of(str(cell), *sides)
        if winner is None:
            return False
        if winner in sides:
            wins.add(winner == sides[0])
    return len(wins) == 2


def _winner_of(text: str, one: str, other: str) -> str | None:
    """The winner of a sentence, or the word for a draw or for a game that was not played."""
    folded = " ".join(fold_text(text).split())
    for side, opponent in sorted(((one, other), (other, one)), key=lambda each: -len(each[0])):
        name = " ".join(fold_text(side).split())
        if name and folded.startswith(f"{name} "):
            verb = re.split(r"[\s.,]+", folded[len(name) :].strip())[0]
            if verb in CONCEDED:
                return "walkover"
            if is_bye(folded.split()[-1]):
                return "bye"
            return side if verb in WON else opponent if verb in LOST else None
    words = [word for word in re.split(r"[\s,.;:()-]+", folded) if word not in MATCH_WORDS and word]
    words = [word for word in words if not word.isdigit()]  # 1-1-1 Draw
    if not words:
        return None
    if plain_word(words[0]) in DRAWN:
        return "draw"
    for text_of in (folded, " ".join(words[:2]), words[0]):
        if reason_not_played(text_of):
            return text_of
    return None
