"""Columns whose cells name one of the two players of their row.

Such a column tells the winner only where its heading says so: it may be the loser as well, or who
was at home, served first or kept the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prowess.games.cells.not_played import reason_not_played
from prowess.games.cells.outcome_words import DRAWN, WON as WORDS
from prowess.games.cells.scorelines import parse_scoreline
from prowess.games.roles.evidence import MOST_FIT, ColumnEvidence
from prowess.games.values import SAYS_NO, SAYS_YES, is_missing, lazy_pattern, plain_word
from prowess.games.vocabulary import HeadingMeaning, read_heading
from prowess.games.words import words_for

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
    """Whether a column says by a word or a flag whether the first player won: `W/L`, `Won?`."""
    if not may_tell_own_win(name):
        return False
    words = {plain_word(text) for text in column.results_only.names}
    told = {WORDS[word] for word in words if word in WORDS}
    of_words = bool(told) and words <= {*WORDS, *DRAWN}
    return of_words or (is_flag_of_win(name, column) and not tells_loser(name))


def is_flag_of_win(name: str, column: ColumnEvidence) -> bool:
    """Whether a column says with yes and no whether the first player won, or lost."""
    words = column.results_only.names
    told = _is_said(read_heading(name), WON_WORDS) or tells_loser(name)
    return told and bool(words) and words <= SAYS_YES | SAYS_NO
