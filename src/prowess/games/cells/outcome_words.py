"""The words of results, and the notations that need no other cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from prowess.games.patterns import lazy_pattern
from prowess.games.words import WORDS_IN_ORDER, alternatives, slots_for, words_for

EXACT = {
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
CHESS = frozenset({"1-0", "0-1"})  # scorelines, too
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
SIDES = {word: score for word, score in _SIDES.items() if len(word) > 1} | _NUMBERED
LETTERS = {  # what single letters mean hangs on what the sides are called
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
SIGNED = lazy_pattern(r"[+-]?\d{1,2}")
SIGNED_SETS = lazy_pattern(r"[+-]?\d{1,2}(?:(?:\s*[,;/]\s*|\s+)[+-]?\d{1,2}){1,6}")
STONES = lazy_pattern(  # go: who won, by a letter or a word, and by how much
    rf"([^\W\d_]+) ?\+ ?({alternatives('end_of_go')}|{_MARGIN})?"
)
LATE = lazy_pattern(r"(?:ot|so)?(?P<word>[wl]) ?[/-]? ?\(?(?:ot|so)?\)?")  # `OTL`, `W/SO`
_METHOD = alternatives("method_of_win")
METHODS = lazy_pattern(  # of fights: `W-KO`, `L UD 12`, `Win (TKO, R3)`
    rf"(?P<word>[a-z]+)[\s,:;/()-]+(?:{_METHOD})\b"
    rf"(?:[\s,:;/()-]+(?:{_METHOD}|r?\d{{1,2}}(?:/\d{{1,2}})?)\b)*\)?"
)
HOLES = lazy_pattern(  # match play
    r"(?P<word>[a-z]+) (?:by )?(?:[0-9]{1,2} ?(?:&|and) ?[0-9]|[0-9]{1,2} ?(?:up|down|holes?))"
)


# Words of headings over marks at those who won, and over counts of wins and losses.


WINS, LOSSES, DRAWS = words_for("won", "winning"), words_for("lost"), words_for("draw")
