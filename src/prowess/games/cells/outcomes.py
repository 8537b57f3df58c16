"""Who won, as tables say it in eight languages: words, letters, numbers and scorelines.

A cell is read by itself where it can mean one thing only. What letters (`V`, `N`, `P`) and numbers
above 1 mean depends on the other cells of the column: see `decide_letters` and `decide_numbers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from prowess.games.cells.outcome_words import (
    CERTAIN,
    CHESS_SCORES,
    DRAWN,
    GOALS_AND_POINTS,
    HOLES,
    LATE,
    METHODS_OF_WIN,
    NOTATIONS,
    NOUNS,
    SCORELINE,
    SIDE_LETTERS,
    SIDE_OUTCOMES,
    STONES,
    UNFINISHED,
    WON,
    Notation,
    as_scoreline,
    has_no_winner,
    is_score_so_far,
    parse_own_result,
    parse_verdict,
    reason_not_played,
    refuse_word,
)
from prowess.games.cells.scorelines import (
    Scoreline,
    count_signed_sets,
    parse_decided,
    parse_scoreline,
)
from prowess.games.errors import MEND, SKIP, InvalidValue, NoGame, quote
from prowess.games.values import (
    COMMA,
    NUMBER,
    fold_text,
    is_blank,
    is_missing,
    parse_decimal,
    plain_form,
    plain_word,
)
from prowess.games.vocabulary import SIDE_WORDS, tell_apart

# Whether the names of winners count, where a player is called as a side or a draw may be.


@dataclass
class WinnerNames:
    """What the winners of a table are, as far as its rows were read."""

    asked: bool = False  # whether the caller says that winners are named
    words_met: bool = False  # whether one was no player of its row
    names_met: bool = False  # whether one was a name that is no word for an outcome
    judged: bool = False  # whether rows whose winner is a name and another outcome were read
    overturned: bool = False  # whether rows after these would have judged them otherwise

    @property
    def prevail(self) -> bool:
        """Whether a name counts as such, also where it is a word for another outcome."""
        return not self.words_met and (self.asked or self.names_met)

    def note_winners(self, *, words: bool, names: bool, doubtful: bool = False) -> None:
        """Take note of further winners: whether there are words, names that are no words, and
        names that are words for another outcome.
        """
        before = self.prevail
        self.words_met |= words
        self.names_met |= names
        self.overturned |= self.judged and self.prevail is not before
        self.judged |= doubtful


Outcomes = Mapping[str, float | None]


class OutcomeParser:
    """Parses results and winners, given what the two columns of players are called.

    `outcomes` are words of the caller with their scores, None: no game.
    """

    def __init__(
        self,
        column_a: str,
        column_b: str,
        family: tuple[str, str] | None = None,
        outcomes: Outcomes | None = None,
        walkovers: bool = False,
    ) -> None:
        a, b = plain_word(column_a), plain_word(column_b)
        starting = next((word for word in SIDE_LETTERS if word and a.startswith(word)), "")
        self.family = starting or (family[0] if family and family[0] in SIDE_LETTERS else "")
        self.colours = _colours(column_a, column_b) if family == ("white", "black") else {}
        if self.colours.get("b"):
            self.family = "blanc"
        self.words = {
            word: 1.0 - at
            for at, side in enumerate(family or ())
            for word in SIDE_WORDS[side]
            if len(word) > 1
        }
        if family == ("zero", "first"):
            self.words |= {f"{noun}{at}": 1.0 - at for noun in NOUNS for at in (0, 1)}
        self.named = {a: 1.0, b: 0.0} if a != b else {}
        self.own = {key.strip().casefold(): score for key, score in (outcomes or {}).items()}
        self.walkovers = walkovers  # whether they count as wins
        self.numbers: Mapping[float, float] = {}  # and numbers
        self.first, self.second = column_a, column_b
        self.winner_names = WinnerNames()
        self.scored = False  # whether a result was a scoreline that no game of chess has
        self.nil = False  # whether one was 0-0
        self.mixed = False  # whether one was no scoreline at all
        self.notation: Notation | None = None  # of scorelines that look like something else
        self.open_bracket = ""  # a level score with a bracket that may be a shoot-out
        self.half_time = False  # whether other brackets hold the score at half time
        self.take_letters({})

    def take_letters(self, letters: Mapping[str, float]) -> None:
        """Read single letters of the column as these from now on."""
        self.letters = letters
        self.sides = {**SIDE_OUTCOMES, **self.words, **SIDE_LETTERS[self.family], **self.named}
        self.winners = {**DRAWN, **self.sides, **self.letters}
        self.results = {**WON, **DRAWN, **self.sides, **self.letters}

    def result(self, value: Any) -> float:
        """The score of the first side; raises NoGame for a game that was not played."""
        if self.own and (own := self._own(value)) is not None:
            has_points = self._find_points(value, own) is not None
            self.scored |= has_points
            self.mixed |= not has_points
            return own
        if is_blank(value):
            raise NoGame("the result is missing", "not played")
        text = value.strip(" \t") if isinstance(value, str) else ""
        if not isinstance(value, str) or NUMBER.fullmatch(text) or COMMA.fullmatch(text):
            return self._number(value)
        bare = self.as_scoreline(text)
        if (score_or_none := None if self.notation else CERTAIN.get(bare)) is not None:
            self.mixed |= bare not in CHESS_SCORES
            return score_or_none
        if (score_or_none := self.results.get(plain_word(text))) is not None:
            self.mixed = True
            return score_or_none
        if points := SCORELINE.fullmatch(bare):
            a, b = int(points[1]), int(points[2])
            self.nil |= a == b == 0
            self.scored |= a + b > 1
            return 0.5 * ((a > b) + 1.0 - (a < b))
        if text == UNFINISHED:
            raise NoGame('the game is unfinished ("*")', "not played")
        return self._rare_result(text)

    def _number(self, value: Any) -> float:
        """The score that a number says."""
        if self.letters and str(value) in {"True", "False"}:
            self.mixed = True
            return self.letters[str(value).casefold()]
        score = parse_decimal(value)
        self.mixed = True
        if self.numbers:
            if score not in self.numbers:
                known = ", ".join(f"{number:g}" for number in self.numbers)
                raise InvalidValue(
                    f"{quote(value)} is none of {known}", MEND, code="not_a_known_result"
                )
            return self.numbers[score]
        if not 0.0 <= score <= 1.0:
            raise InvalidValue(
                f"a score of {quote(value)} is not between 0 and 1",
                "give the points of both sides with score_a= and score_b=, "
                f"name another column with result=, or {SKIP}", code="score_out_of_range"
            )  # fmt: skip
        return score

    def _rare_result(self, text: str) -> float:
        """The score that a longer notation says: `3:0 n.V.`, `6-4 3-6 7-5`, `1-0F`."""
        if reason := reason_not_played(text):
            return self._without_play(text, reason, WALKOVER_SCORES.get(as_scoreline(text)[:1]))
        if is_score_so_far(text):
            raise NoGame(f"{quote(text)}: the game was not played to its end", "not played")
        if line := parse_scoreline(text):
            if line.walkover:
                return self._without_play(text, "walkover", line.score)
            self.half_time |= line.half_time
            if line.maybe_shootout:
                self.open_bracket = text
            self.scored = True
            return line.score
        score = self._with_margin(text)
        if score is None:
            score = parse_verdict(text, self.sides)
        if score is not None:
            self.mixed = True
            return score
        what = (
            f"unknown outcome {quote(text)}; known: 1-0, 0-1, 1/2-1/2, 3:2, win, loss, draw, "
            f"{self.first}, {self.second}, a number from 0 to 1"
        )
        raise refuse_word(what, {text: None}, "result", code="unknown_outcome")

    def _with_margin(self, text: str) -> float | None:
        """The score of a word with the margin behind it: `B+3.5`, `Won 3&2`, `OTL`, `L/SO`."""
        folded = fold_text(text.replace("½", ".5"))
        if stones := STONES.fullmatch(folded):
            of_colours = {"b", "w"} <= self.sides.keys() or self.letters or len(stones[1]) > 1
            score = {**self.sides, **self.letters}.get(stones[1]) if of_colours else None
            if score is not None and (stones[2] or "").startswith("f"):
                return self._without_play(text, "walkover", score)
            return score
        tried = (pattern.fullmatch(folded) for pattern in (LATE, HOLES, METHODS_OF_WIN))
        if found := next(filter(None, tried), None):
            return WON.get(found["word"], DRAWN.get(found["word"]))
        return None

    def as_scoreline(self, text: str) -> str:
        """A result without blanks, with plain dashes, in the notation of the column."""
        bare = as_scoreline(text)
        if self.notation == "goals and points":
            found = GOALS_AND_POINTS.fullmatch(text.strip())
            a, b, c, d = map(int, found.groups()) if found else (0, 0, 0, 0)
            return f"{3 * a + b}-{3 * c + d}" if found else bare
        if self.notation == "signed sets":
            return count_signed_sets(text) or bare
        if self.notation and (found := NOTATIONS[self.notation].fullmatch(bare)):
            return f"{int(found[1])}-{int(found[2])}"
        return bare

    def points_parser(self, side: int) -> Callable[[Any], float]:
        """The parser of the points of the first (0) or second (1) side of a scoreline."""

        def points(value: Any) -> float:
            if self.own and (score := self._own(value)) is not None:
                if decided := self._find_points(value, score):
                    return decided.points[side]
                raise InvalidValue(f"{quote(value)} is no scoreline", MEND, code="not_a_scoreline")
            found = SCORELINE.fullmatch(self.as_scoreline(str(value)))
            if found:
                return float(found[1 + side])
            if line := parse_scoreline(str(value)):
                return line.points[side]
            raise InvalidValue(f"{quote(value)} is no scoreline", MEND, code="not_a_scoreline")

        return points

    def _without_play(self, text: str, reason: str, score: float | None) -> float:
        if self.walkovers and reason == "walkover" and score is not None and score != 0.5:
            self.mixed = True
            return score
        raise NoGame(f"{quote(text)}: the game was not played", reason)

    def own_result(self, value: Any) -> float:
        """The score of the side that a row is of."""
        if self.own and (own := self._own(value)) is not None:
            return own
        text = "" if is_missing(value) else str(value).strip(" \t")
        score = self.letters.get(plain_word(text)) if text else None
        if score is None and self.numbers and NUMBER.fullmatch(text):
            score = self.numbers.get(float(text))
        return parse_own_result(value) if score is None else score

    def _own(self, value: Any) -> float | None:
        """The score that the caller gives for a word; raises NoGame for none."""
        key = "" if is_missing(value) else str(value).strip().casefold()
        if key not in self.own:
            key = key.removesuffix(".0")
            if key not in self.own:
                return None
        score = self.own[key]
        if score is None:
            raise NoGame(f"{quote(value)}: no game, as outcomes= says", "not played")
        return score

    @staticmethod
    def _find_points(value: Any, score: float) -> Scoreline | None:
        """The points in a text for which the caller gives a score."""
        return parse_decided(value, score) if isinstance(value, str) else None

    def winner(self, value: Any) -> float:
        """The score of the first side, where a word names the side that won."""
        if self.own and (own := self._own(value)) is not None:
            return own
        if has_no_winner(value):
            raise _ask_about_missing("" if is_missing(value) else str(value).strip())
        text = str(value).strip(" \t")
        score = self.winners.get(plain_word(text))
        if score is None and self.numbers and NUMBER.fullmatch(text):
            score = self.numbers.get(float(text))
        if score is None:
            score = parse_verdict(text, self.sides)
        if score is None and (exact := CERTAIN.get(as_scoreline(text))) == 0.5:
            score = exact
        if score is None and any(map(str.isalpha, text)) and (reason := reason_not_played(text)):
            raise NoGame(f"{quote(text)}: the game was not played", reason)
        if score is None:
            what = (
                f"the winner {quote(text)} is neither of the two players nor a known word; "
                f"known: {self.first}, {self.second}, tie, draw"
            )
            raise refuse_word(what, {text: None}, "winner", code="unknown_winner")
        return score

    def side(self, value: Any) -> float:
        """+1 the first side has the advantage, -1 the second, 0 neither."""
        if is_missing(value):
            raise InvalidValue(
                "the side is missing", f"write {self.first}, {self.second} or neutral",
                code="side_missing"
            )  # fmt: skip
        text = str(value).strip(" \t")
        if NUMBER.fullmatch(text) and float(text) in {-1.0, 0.0, 1.0}:
            return float(text)
        if plain_form(text) in {"none", "neutral", "n"}:
            return 0.0
        if (first := self.sides.get(plain_word(text))) is not None:
            return 2.0 * first - 1.0
        raise InvalidValue(
            f"{quote(value)} does not say who has the side advantage",
            f"write {self.first}, {self.second}, neutral, 1, -1 or 0", code="unknown_side"
        )  # fmt: skip


def _colours(white: str, black: str) -> dict[str, float]:
    """The letters of the two colours in the language of the headings: `B` and `N` of Blanc, Noir.

    >>> _colours("Joueur blanc", "Joueur noir")
    {'b': 1.0, 'n': 0.0}
    """
    one, other = (plain_word(word)[:1] for word in tell_apart(white, black))
    return {one: 1.0, other: 0.0} if one and other and one != other else {}


WALKOVER_SCORES = {"+": 1.0, "1": 1.0, "-": 0.0, "0": 0.0}  # by how they begin: `+:-`, `1-0F`


def _as_option(text: str) -> str:
    return f'"{text}"' if " " in text else text


def _ask_about_missing(word: str) -> InvalidValue:
    option = _as_option(word)
    return InvalidValue(
        f"the winner is {quote(word) if word else 'missing'}",
        f'say whether such games are draws, outcomes={{"{word}": 0.5}} (--outcome {option}=0.5), '
        f'or were not played, outcomes={{"{word}": None}} (--outcome {option}=none)',
        code="winner_missing",
    )
