"""Words for games that were not played, or that nobody won: walkovers, postponed, no winner."""

from __future__ import annotations

import re
from typing import Any, Literal

from prowess.games.cells.outcome_words import DRAWN, WON
from prowess.games.values import DASHES, fold_text, is_blank, is_long, lazy_pattern, plain_form
from prowess.games.words import alternatives, words_for

Reason = Literal["walkover", "not played"]
WALKOVERS = words_for("forfeit", "walkover")
NOT_PLAYED = words_for("not_played", "moved", "no_score")
MOVED = words_for("moved")
MARKS_ONLY = lazy_pattern(r"[-:?._–—−/ ]+|x ?: ?x|[?x] ?[-:] ?[?x]")
PLUS_MINUS = lazy_pattern(
    r"\+|[+-] ?[:/-]? ?\+|\+ ?[:/-]? ?[+-]|[01] ?f|½ ?f|f ?- ?f|"
    r"(?:ff|wo|w/o|dq|dsq) ?[-:] ?(?:w|win|ff|wo|w/o|dq)|(?:w|win) ?[-:] ?(?:ff|wo|w/o|dq|dsq)"
)
NO_EVENT = lazy_pattern(rf"\b(?:{alternatives('no_event')})\b")  # in a cell in place of a winner
LETTERS_ONLY = re.compile(r"[^a-z/]")
UNFINISHED_WORDS = words_for("unfinished")
FINISHED = words_for("finished")
ENDINGS = DRAWN.keys() | WON.keys()
RUNNING = lazy_pattern(  # 67', 45+2', 1H, 2nd half, Q3, Top 5th
    r"\d{1,3}(?:\+\d{1,2})? ?(?:'|’|′|min\.?)|[12] ?h|q[1-4]|(?:top|bot|bottom|mid|end) "
    rf"(?:of )?(?:the )?\d{{1,2}}(?:st|nd|rd|th)?|(?:\d(?:st|nd|rd|th|\.|er|e|o|a)?|first|second|"
    rf"third|fourth|erste|zweite|primer|segundo|primo|secondo) ?(?:{alternatives('part_of_game')})"
)
State = Literal["walkover", "not played", "finished"]


def reason_not_played(text: str) -> Reason | None:
    """Why a game whose result is this text was not played; None where it may have been.

    The whole text has to be such a word: a score with a word behind it is not looked at.

    >>> reason_not_played("abgesagt"), reason_not_played("W/O"), reason_not_played("2-1")
    ('not played', 'walkover', None)
    """
    if is_long(text):
        return None
    folded = fold_text(text)
    if MARKS_ONLY.fullmatch(folded):
        return "not played"
    if PLUS_MINUS.fullmatch(folded):
        return "walkover"
    word = LETTERS_ONLY.sub("", folded)
    if any(map(str.isdigit, folded)) or "+" in folded:
        return None
    if word in WALKOVERS or word.replace("/", "") in WALKOVERS:
        return "walkover"
    return "not played" if word in NOT_PLAYED else None


def parse_walkover(value: Any) -> float:
    """1 where a result says that one side did not play, else 0."""
    return float(not is_blank(value) and reason_not_played(str(value)) == "walkover")


def is_moved(text: str) -> bool:
    """Whether a text says that a game was moved to another day, and no more."""
    return LETTERS_ONLY.sub("", fold_text(text)) in MOVED


def state_of_game(text: str) -> State | None:
    """What a word in a column of states says of a game; None where that is not known.

    >>> state_of_game("2nd half"), state_of_game("AET"), state_of_game("PST")
    ('not played', 'finished', 'not played')
    """
    if is_long(text):
        return None
    if reason := reason_not_played(text):
        return reason
    folded = fold_text(text)
    word = LETTERS_ONLY.sub("", folded).replace("/", "")
    if word in UNFINISHED_WORDS or RUNNING.fullmatch(folded):
        return "not played"
    return "finished" if word in FINISHED or plain_form(folded) in ENDINGS else None


_ONE_SCORE = r"\d{1,3} ?[-:] ?\d{1,3}(?!\d)(?: ?[(\[]\d{1,2}[)\]])?"  # a set may have a tie-break
SCORE_SO_FAR = lazy_pattern(rf"(?P<before>[^\d]*){_ONE_SCORE}(?:[,;/ ]+{_ONE_SCORE})*(?P<after>.*)")
MINUTE = lazy_pattern(r"\d{1,3}(?:\+\d{1,2})? ?(?:'|’|′|min\.?)")


def is_score_so_far(text: str) -> bool:
    """Whether a score has a word for a game that was not finished: `1-0 HT`, `6-4 3-2 ABD`.

    >>> is_score_so_far("1-0 (67')"), is_score_so_far("2-1 aet"), is_score_so_far("2:1 (HT 1:0)")
    (True, False, False)
    """
    found = SCORE_SO_FAR.fullmatch(fold_text(text))
    if found is None:
        return False
    words = f"{found['before']} {found['after']}".strip(" ()[],;.")
    rest = MINUTE.sub("", words).strip(" ()[],;.")
    if not any(map(str.isalpha, rest)):
        return not rest and bool(words)
    return not any(map(str.isdigit, rest)) and state_of_game(rest) == "not played"


NO_SCORE = words_for("no_score")  # beside a winner: it is not known


def reason_of_line(text: str) -> Reason | None:
    """Why a game with this text in place of a scoreline beside its winner is none; None where the
    score alone is missing.

    >>> reason_of_line("W/O"), reason_of_line("6-4 3-2 ABD"), reason_of_line("6-4 2-1 RET")
    ('walkover', 'not played', None)
    """
    if is_score_so_far(text):
        return "not played"
    word = LETTERS_ONLY.sub("", fold_text(text))
    if word == "def" and not any(map(str.isdigit, text)):  # elsewhere it may be the defense
        return "walkover"
    return None if word.strip("/") in {"", *NO_SCORE} else reason_not_played(text)


def tells_no_event(text: str) -> bool:
    """Whether a text in place of a winner says that there was none: Not held, Cancelled (COVID).

    >>> tells_no_event("Not held"), tells_no_event("kein Turnier"), tells_no_event("Northam")
    (True, True, False)
    """
    return reason_not_played(text) is not None or NO_EVENT.search(fold_text(text)) is not None


NO_WINNER = words_for("nobody")


def has_no_winner(cell: Any) -> bool:
    """Whether a cell names no winner: it is empty, a dash, or a word such as `nobody`."""
    if is_blank(cell):
        return True
    text = cell.strip() if isinstance(cell, str) else ""
    return text in DASHES or plain_form(fold_text(text)) in NO_WINNER
