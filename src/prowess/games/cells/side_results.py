"""What single cells say beside a named side: its points, its own result, and whether it drew."""

from __future__ import annotations

import re
from typing import Any

from prowess.games.cells.not_played import reason_not_played, reason_of_line
from prowess.games.cells.outcome_words import CERTAIN, DRAWN, HALVES, LEVEL, WON, refuse_word
from prowess.games.errors import MEND, InvalidValue, NoGame, quote
from prowess.games.values import (
    NUMBER,
    is_blank,
    is_missing,
    parse_bool,
    parse_decimal,
    parse_total,
    plain_word,
)


def as_scoreline(text: str) -> str:
    """A result without blanks, with plain dashes and dots."""
    return text.translate(_AS_SCORELINE)


_AS_SCORELINE = {
    ord(" "): None, ord("\t"): None, 0xA0: None, 0x202F: None, ord("–"): "-", ord("—"): "-",
    ord("−"): "-", ord("‐"): "-", ord("‑"): "-", ord(":"): "-", ord("："): "-", ord(","): ".",
    **{ord("０") + digit: str(digit) for digit in range(10)}, ord("－"): "-",
}  # fmt: skip


def parse_side_points(value: Any) -> float:
    """The points of one side; raises NoGame where the game was not played."""
    if is_blank(value):
        raise NoGame("the score is missing", "not played")
    if isinstance(value, str) and (reason := reason_not_played(value)):
        raise NoGame(f"{quote(value)}: the game was not played", reason)
    total = parse_total(value) if isinstance(value, str) else None
    return parse_decimal(value) if total is None else total


def parse_draw_result(value: Any, walkovers: bool = False) -> float:
    """1.0 where the result beside a winner and a loser is a draw, else 0.0; raises NoGame for a
    game that was not played, but for one of the `walkovers` that count.
    """
    if not isinstance(value, str):
        return float(not is_missing(value) and value == 0.5)
    text = value.strip(" \t")
    level = LEVEL.fullmatch(text)
    exact = CERTAIN.get(as_scoreline(text))
    if DRAWN.get(plain_word(text)) or exact == 0.5 or text in {"0.5", "0,5"}:
        return 1.0
    if level:
        return float(level[1] == level[2])
    reason = (reason_not_played(text) or reason_of_line(text)) if text else None
    if reason and not (walkovers and reason == "walkover"):
        raise NoGame(f"{quote(text)}: the game was not played", reason)
    return 0.0


def parse_draw_flag(value: Any) -> float:
    """1.0 where a column of draws says that a game was drawn, else 0.0."""
    try:
        return parse_bool(value)
    except InvalidValue as refusal:
        remedy = 'write TRUE or FALSE, or say with draw="none" (--draw none) that it tells no draws'
        raise InvalidValue(refusal.what, remedy, code=refusal.code) from None


def parse_own_result(value: Any) -> float:
    """The score of the side that a row is of: 1 won, 0.5 drawn, 0 lost, or between."""
    if is_missing(value):
        raise InvalidValue("the result is missing", MEND, code="result_missing")
    text = str(value).strip(" \t")
    if (score := {**WON, **DRAWN}.get(plain_word(text))) is not None:
        return score
    if text in HALVES:
        return 0.5
    if NUMBER.fullmatch(text) and 0.0 <= float(text) <= 1.0:
        return float(text)
    try:
        return parse_bool(value)
    except InvalidValue:
        what = (
            f"{quote(value)} does not say how the team of this row fared; known: win, loss, draw, "
            "yes, no, a number from 0 to 1"
        )
        raise refuse_word(what, {text: None}, "result", code="unknown_own_result") from None


# Points of a side with marks of thousands: 1.008 is 1008 where all points are so written.


WITH_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+|\d{1,3}(?:,\d{3})+|\d{1,3}")
THOUSANDS_MARKS = str.maketrans("", "", ".,")


def are_thousands(cells: list[Any]) -> bool:
    """Whether all texts of a column may be whole numbers with marks of thousands."""
    texts = {cell.strip() for cell in cells if isinstance(cell, str)}
    return all(map(WITH_THOUSANDS.fullmatch, texts - {""}))


def find_marked(cells: list[Any]) -> str | None:
    """The first number with a mark of thousands, where the whole column is so written."""
    marked = (cell.strip() for cell in cells if isinstance(cell, str) and {*cell} & {".", ","})
    return next(marked, None) if are_thousands(cells) else None


def parse_whole_points(cell: Any) -> float:
    """The points of one side in such a column; raises InvalidValue for a text of another."""
    if not isinstance(cell, str) or not cell.strip():
        return parse_side_points(cell)
    if not WITH_THOUSANDS.fullmatch(cell.strip()):
        raise InvalidValue(f"{quote(cell)} is no whole number", MEND, code="not_a_whole_number")
    return parse_side_points(cell.translate(THOUSANDS_MARKS))
