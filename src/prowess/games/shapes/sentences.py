"""Results in sentences that begin with a side: `Melton won by 6 wickets`, `Syston conceded`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from prowess.games.cells.not_played import reason_not_played
from prowess.games.cells.outcome_words import DRAWN
from prowess.games.layout import NONE
from prowess.games.names import is_bye
from prowess.games.roles.evidence import MOST
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import fold_text, is_missing, plain_word
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.roles.roles import LayoutFinder

WON, LOST, CONCEDED = words_for("beats"), words_for("loses"), words_for("concedes")
ABOUT = words_for("match")


def read_sentences(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table with a column of winners made of sentences; None for another table.

    Scores beside them that are no numbers, such as 187/6 in cricket, are not used.
    """
    if len(finder.pairs) != 1 or finder.evidence is None or "winner" in finder.guessed:
        return None
    a, b = finder.pairs[0]
    rows = finder.evidence.rows
    found = [
        name for name in finder.names
        if name not in {a, b}
        and any(" " in str(cell).strip() for cell in rows[name][:20])
        and _are_sentences(zip(rows[name], rows[a], rows[b], strict=True))
    ]  # fmt: skip
    if len(found) != 1:
        return None
    told = found[0]
    winner = name_column(table, f"{told}, winner")
    roles = {"winner": winner}
    points = finder.points_of_both("result", a, b)
    if points and any(finder.evidence[name].points < MOST for name in points):
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
    words = [word for word in re.split(r"[\s,.;:()-]+", folded) if word not in ABOUT and word]
    words = [word for word in words if not word.isdigit()]  # 1-1-1 Draw
    if not words:
        return None
    if plain_word(words[0]) in DRAWN:
        return "draw"
    for text_of in (folded, " ".join(words[:2]), words[0]):
        if reason_not_played(text_of):
            return text_of
    return None
