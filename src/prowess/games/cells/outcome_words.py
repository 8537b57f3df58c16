"""The words of results, notations that need no other cell, verdicts, and words that are unknown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any, Literal

from prowess.games.columns import as_text
from prowess.games.errors import SKIP, InvalidValue
from prowess.games.values import fold_text, lazy_pattern, plain_word
from prowess.games.words import WORDS_IN_ORDER, alternatives, slots_for, words_for

CERTAIN = {
    "1-0": 1.0,
    "1.0-0.0": 1.0,
    "0-1": 0.0,
    "0.0-1.0": 0.0,
    "1/2-1/2": 0.5,
    "½-½": 0.5,
    "0.5-0.5": 0.5,
    "1/2": 0.5,
    "½": 0.5,
}
WIN, LOSS = words_for("won") | {"w"}, words_for("lost") | {"l"}
DRAW = words_for("draw", "drawn") | {"d", "t", "=", "==", "~"}
WON = {
    **dict.fromkeys([*WIN, *"○◯〇"], 1.0), **dict.fromkeys([*LOSS, *"●⚫"], 0.0),
}  # fmt: skip
DRAWN = dict.fromkeys(DRAW, 0.5) | {"△": 0.5}
HALVES = frozenset({"½", "1/2", "0,5"})
CHESS_SCORES = frozenset({"1-0", "0-1"})  # scorelines, too
SCORELINE = lazy_pattern(r"([0-9]{1,3})-([0-9]{1,3})")
LEVEL = lazy_pattern(r"(\d+)\s*[-–:]\s*(\d+)")  # a scoreline, of which both may be equal
UNFINISHED = "*"
NOUNS = WORDS_IN_ORDER["noun_of_side"]  # before a letter or number of a side
_FIRST_WON, _SECOND_WON = slots_for("side_won")
_SIDES = {  # letters hang on what the sides are called
    **dict.fromkeys(words_for("home", "white", "first") | _FIRST_WON, 1.0),
    **dict.fromkeys(words_for("away", "black", "second") | _SECOND_WON, 0.0),
}
_NUMBERED = {f"{noun}{mark}": 1.0 - at % 2 for noun in NOUNS for at, mark in enumerate("ab12")}
SIDE_OUTCOMES = {word: score for word, score in _SIDES.items() if len(word) > 1} | _NUMBERED
SIDE_LETTERS = {  # what single letters mean hangs on what the sides are called
    "home": {"h": 1.0, "a": 0.0},
    "white": {"w": 1.0, "b": 0.0},
    "heim": {"h": 1.0, "g": 0.0},
    "weiss": {"w": 1.0, "s": 0.0},
    "blanc": {},  # B may be Blanc or Black
    "": {"a": 1.0, "b": 0.0},
}


Notation = Literal["slashes", "times", "matches", "goals and points", "signed sets"]
NOTATIONS: Mapping[Notation, re.Pattern[str]] = {  # of 3-2, as `as_scoreline` leaves it
    "slashes": lazy_pattern(r"([0-9]{1,2})/([0-9]{1,2})"),
    "times": lazy_pattern(r"([0-9]{1,2})-([0-9]{2})-00"),  # a spreadsheet made 03:02:00 of it
    "matches": lazy_pattern(r"([0-9])-([0-9])(?:-[0-9])?"),  # games won, lost and drawn
}
GOALS_AND_POINTS = lazy_pattern(  # of Gaelic games, as they are written: 1-12 0-14
    r"(\d)-(\d{1,2})(?:\s*[,;:/–]\s*|\s+(?:(?:v|vs|to|-)\.?\s+)?)(\d)-(\d{1,2})"
)
_MARGIN = r"[0-9]+(?:[.,][0-9]+)? ?(?:p|pts?|points?|punkte|puntos|punti|moku)?\.?"
SIGNED_NUMBER = lazy_pattern(r"[+-]?\d{1,2}")
SIGNED_SETS = lazy_pattern(r"[+-]?\d{1,2}(?:(?:\s*[,;/]\s*|\s+)[+-]?\d{1,2}){1,6}")
STONES = lazy_pattern(  # go: who won, by a letter or a word, and by how much
    rf"([^\W\d_]+) ?\+ ?({alternatives('end_of_go')}|{_MARGIN})?"
)
LATE = lazy_pattern(r"(?:ot|so)?(?P<word>[wl]) ?[/-]? ?\(?(?:ot|so)?\)?")  # `OTL`, `W/SO`
_METHOD = alternatives("method_of_win")
METHODS_OF_WIN = lazy_pattern(  # of fights: `W-KO`, `L UD 12`, `Win (TKO, R3)`
    rf"(?P<word>[a-z]+)[\s,:;/()-]+(?:{_METHOD})\b"
    rf"(?:[\s,:;/()-]+(?:{_METHOD}|r?\d{{1,2}}(?:/\d{{1,2}})?)\b)*\)?"
)
HOLES = lazy_pattern(  # match play
    r"(?P<word>[a-z]+) (?:by )?(?:[0-9]{1,2} ?(?:&|and) ?[0-9]|[0-9]{1,2} ?(?:up|down|holes?))"
)


# Words of headings over marks at those who won, and over counts of wins and losses.


WINS, LOSSES, DRAWS = words_for("won", "winning"), words_for("lost"), words_for("draw")


# Who won, in the words of a judge: `[[A]]`, `A>>B`, `Ann wins`, `A is slightly better`.


JUDGED = lazy_pattern(r"\[\[(.+)\]\]")  # the form that models are asked to judge in
COMPARED = lazy_pattern(r"([^<>=≈~]+)(>+|<+|=+|≈|~)([^<>=≈~]+)")  # A>>B
NAMES_WINNER = lazy_pattern(
    rf"(?:{alternatives('winning')})[: ]+(?:de |of |fur )?(.+)|"
    rf"(?:{alternatives('wins')}) (?:las? |los? |il |i |o |os |as |les? )?(.+)|"
    rf"(.+?) (?:{alternatives('wins')})\b.*"
)
_DEGREE = rf"(?:(?:{alternatives('degree')}) )*"
BETTER = lazy_pattern(
    rf"(?:i )?{_DEGREE}prefer(?:s|red)?:? (?:the )?(.+)|"
    rf"{_DEGREE}better:? (?:is )?(?:the )?(.+)|"
    rf"(?:the )?(.+?) (?:is |was |ist |est |es |e )?{_DEGREE}"
    rf"(?:{alternatives('better')})"
)


def parse_verdict(text: str, sides: Mapping[str, float]) -> float | None:
    """The score of the first side that a judge tells, such as A>>B, [[B]] and [[C]] for a draw.

    None for another text; `sides` are words for the two sides.

    >>> parse_verdict("B>A", {"a": 1.0, "b": 0.0}), parse_verdict("[[C]]", {"a": 1.0, "b": 0.0})
    (0.0, 0.5)
    >>> parse_verdict("A is much better", {"a": 1.0}), parse_verdict("A_WINS", {"a": 1.0})
    (1.0, 1.0)
    """
    judged = JUDGED.fullmatch(text.strip())
    bare = judged[1] if judged else text
    if compared := COMPARED.fullmatch(bare):
        first, second = (sides.get(plain_word(compared[at])) for at in (1, 3))
        if first is None or second is None or first == second:
            return None
        mark = compared[2][0]
        return first if mark == ">" else second if mark == "<" else 0.5
    if judged:
        word = plain_word(bare)
        return 0.5 if word == "c" else sides.get(word, DRAWN.get(word))
    name = winner_in_words(text.replace("_", " "))
    return sides.get(plain_word(name)) if name else None


def winner_in_words(text: str) -> str | None:
    """The name in `Ann wins`, `Sieg Ann` and `Ann is better`, None where there is no such word."""
    folded = fold_text(text)
    found = NAMES_WINNER.fullmatch(folded) or BETTER.fullmatch(folded)
    return next(filter(None, found.groups())) if found else None


# Words of results that are not known: what they may mean is asked of all of a column at once.


UNKNOWN = frozenset({"unknown_outcome", "unknown_winner", "unknown_own_result"})
MOST_WORDS = 12  # that a remedy names


def refuse_word(what: str, words: Mapping[str, None], role: str, code: str) -> InvalidValue:
    """The refusal of a word of a result, with the options that say what all such `words` mean.

    >>> refuse_word("?", {"abc": None}, "result", "unknown_outcome").remedy.partition(", where")[0]
    'say what it means with outcomes={"abc": None} (--outcome abc=none)'
    """
    shown = [*words][:MOST_WORDS]
    python = ", ".join(f'"{word}": None' for word in shown)
    shell = " ".join(f"--outcome {shlex.quote(f'{word}=none')}" for word in shown)
    more = f" and {len(words) - len(shown):,} more" if len(words) > len(shown) else ""
    each = "it means" if len(words) == 1 else "they mean"
    say = (
        f"say what {each} with outcomes={{{python}}} ({shell}){more}, where none is no game and "
        "1, 0.5 or 0 the score of the first side"
    )
    other = f"name another column with {role}=... (--{role})"
    first, second = (other, say) if more else (say, other)
    return InvalidValue(what, f"{first}, {second}, or {SKIP}", code=code)


def ask_about_all(
    wrong: Mapping[int, InvalidValue], cell: Callable[[int], Any]
) -> Mapping[int, InvalidValue]:
    """The refusals of a column, in which that of an unknown word names all such words."""
    odd = sorted(row for row, refusal in wrong.items() if refusal.code in UNKNOWN)
    words = dict.fromkeys(as_text(cell(row)).strip() for row in odd)
    if len(words) < 2:
        return wrong
    role = "winner" if wrong[odd[0]].code == "unknown_winner" else "result"
    first = wrong[odd[0]]
    return {**wrong, odd[0]: refuse_word(first.what, words, role, first.code)}
