"""How tables say who won."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from prowess.games.numbers import COMMA, NOT_PLAYED, NUMBER, decimal, missing, truth
from prowess.games.refusal import MEND, SKIP, Refusal, quoted

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
WON = {"win": 1.0, "won": 1.0, "w": 1.0, "loss": 0.0, "lost": 0.0, "lose": 0.0, "l": 0.0}
DRAWN = dict.fromkeys(
    ("draw", "drawn", "d", "tie", "tied", "t", "both", "bothbad", "tiebothbad", "tie(bothbad)"),
    0.5,
)
HALVES = frozenset({"½", "1/2", "0,5"})
CHESS = frozenset({"1-0", "0-1"})  # scorelines, too
SCORELINE = re.compile(r"([0-9]{1,3})-([0-9]{1,3})")
LEVEL = re.compile(r"(\d+)\s*[-–:]\s*(\d+)")  # a scoreline, of which both may be equal
UNFINISHED = "*"
_FIRST = "white left home playera modela teama bota sidea enginea player1 model1 team1 bot1 engine1"
_SECOND = (
    "black right away playerb modelb teamb botb sideb engineb player2 model2 team2 bot2 engine2"
)
SIDES = {**dict.fromkeys(_FIRST.split(), 1.0), **dict.fromkeys(_SECOND.split(), 0.0)}
LETTERS = {  # what single letters mean hangs on what the sides are called
    "home": {"h": 1.0, "a": 0.0},
    "white": {"w": 1.0, "b": 0.0},
    "": {"a": 1.0, "b": 0.0},
}


def plain(text: str) -> str:
    """A word without case, spaces, underscores and hyphens."""
    return text.casefold().translate(_NO_SEPARATORS)


_NO_SEPARATORS = {ord(letter): None for letter in " \t_-"}
_AS_SCORELINE = {ord(" "): None, ord("\t"): None, ord("–"): "-", ord(":"): "-", ord(","): "."}


def points_of(side: int) -> Callable[[Any], float]:
    """What reads the points of the first (0) or second (1) side off a scoreline such as 2-1."""

    def points(value: Any) -> float:
        found = SCORELINE.fullmatch(str(value).translate(_AS_SCORELINE))
        if not found:
            raise Refusal(f"{quoted(value)} is no scoreline", MEND)
        return float(found[1 + side])

    return points


def says_draw(value: Any) -> float:
    """1.0 where the result beside a winner and a loser is a draw, else 0.0."""
    if isinstance(value, str):
        text = value.strip(" \t")
        level = LEVEL.fullmatch(text)
        exact = EXACT.get(text.replace(" ", "").replace("–", "-"))
        drawn = DRAWN.get(plain(text)) or exact == 0.5 or text in {"0.5", "0,5"}
        return float(bool(drawn or (level and level[1] == level[2])))
    return float(not missing(value) and value == 0.5)


def draw_flag(value: Any) -> float:
    """1.0 where a column of draws says that a game was drawn, else 0.0."""
    try:
        return truth(value)
    except Refusal as refusal:
        remedy = 'write TRUE or FALSE, or say with draw="none" (--draw none) that it tells no draws'
        raise Refusal(refusal.what, remedy) from None


def own_result(value: Any) -> float:
    """The score of the side that a row is of: 1 won, 0.5 drawn, 0 lost, or between."""
    if missing(value):
        raise Refusal("the result is missing", NOT_PLAYED)
    text = str(value).strip(" \t")
    if (score := {**WON, **DRAWN}.get(plain(text))) is not None:
        return score
    if text in HALVES:
        return 0.5
    if NUMBER.fullmatch(text) and 0.0 <= float(text) <= 1.0:
        return float(text)
    try:
        return truth(value)
    except Refusal:
        raise Refusal(
            f"{quoted(value)} does not say how the team of this row fared; known: win, loss, draw, "
            "yes, no, a number from 0 to 1",
            f"name another column with result=... (--result), or {SKIP}",
        ) from None


class Outcomes:
    """What the words of one table mean, given what its two columns of players are called."""

    def __init__(self, column_a: str, column_b: str) -> None:
        a, b = plain(column_a), plain(column_b)
        family = next((word for word in ("home", "white") if a.startswith(word)), "")
        named = {a: 1.0, b: 0.0} if a != b else {}
        self.sides = {**SIDES, **LETTERS[family], **named}
        self.winners = {**DRAWN, **self.sides}
        self.results = {**WON, **DRAWN, **self.sides}
        self.first, self.second = column_a, column_b
        self.scored = False  # whether a result was a scoreline that no game of chess has
        self.nil = False  # whether one was 0-0
        self.mixed = False  # whether one was no scoreline at all

    def result(self, value: Any) -> float:
        """The score of the first side."""
        if missing(value):
            raise Refusal("the result is missing", NOT_PLAYED)
        text = value.strip(" \t") if isinstance(value, str) else ""
        if not isinstance(value, str) or NUMBER.fullmatch(text) or COMMA.fullmatch(text):
            score = decimal(value)
            if not 0.0 <= score <= 1.0:
                raise Refusal(
                    f"a score of {quoted(value)} is not between 0 and 1",
                    "give the points of both sides with score_a= and score_b=, "
                    f"name another column with result=, or {SKIP}",
                )
            self.mixed = True
            return score
        bare = text.translate(_AS_SCORELINE)
        if (score_or_none := EXACT.get(bare)) is not None:
            self.mixed |= bare not in CHESS
            return score_or_none
        if (score_or_none := self.results.get(plain(text))) is not None:
            self.mixed = True
            return score_or_none
        if points := SCORELINE.fullmatch(bare):
            a, b = int(points[1]), int(points[2])
            self.nil |= a == b == 0
            self.scored |= a + b > 1
            return 0.5 * ((a > b) + 1.0 - (a < b))
        if text == UNFINISHED:
            raise Refusal('the game is unfinished ("*")', MEND)
        raise Refusal(
            f"unknown outcome {quoted(value)}; known: 1-0, 0-1, 1/2-1/2, 3:2, win, loss, draw, "
            f"{self.first}, {self.second}, a number from 0 to 1",
            f"name another column with result=... (--result), or {SKIP}",
        )

    def winner(self, value: Any) -> float:
        """The score of the first side, where a word names the side that won."""
        if missing(value):
            raise Refusal("the winner is missing", NOT_PLAYED)
        score = self.winners.get(plain(value)) if isinstance(value, str) else None
        if score is None:
            raise Refusal(
                f"the winner {quoted(value)} is neither of the two players nor a known word; "
                f"known: {self.first}, {self.second}, tie, draw",
                f"name another column with winner=... (--winner), or {SKIP}",
            )
        return score

    def side(self, value: Any) -> float:
        """+1 the first side has the advantage, -1 the second, 0 neither."""
        if missing(value):
            raise Refusal("the side is missing", f"write {self.first}, {self.second} or neutral")
        text = str(value).strip(" \t")
        if NUMBER.fullmatch(text) and float(text) in {-1.0, 0.0, 1.0}:
            return float(text)
        if plain(text) in {"none", "neutral", "n"}:
            return 0.0
        if (first := self.sides.get(plain(text))) is not None:
            return 2.0 * first - 1.0
        raise Refusal(
            f"{quoted(value)} does not say who has the side advantage",
            f"write {self.first}, {self.second}, neutral, 1, -1 or 0",
        )
