"""Who won, as tables say it in eight languages: words, letters, numbers and scorelines.

A cell is read by itself where it can mean one thing only. What letters (`V`, `N`, `P`) and numbers
above 1 mean depends on the other cells of the column: see `decide_letters` and `decide_numbers`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

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
    contradicts_word,
    count_signed_sets,
    parse_decided,
    parse_scoreline,
    split_word,
)
from prowess.games.errors import MEND, InvalidValue, NoGame, Question, quote
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
from prowess.games.vocabulary import SIDE_WORDS, WORDS_IN_ORDER, tell_apart

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
        self.met = set[str]()  # of these words, those that stood in a cell
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
        self.points_first: dict[str, str] = {}  # whose points stand first, by result
        self.order = ""  # the one of them that the first rows with such results have more often
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
                raise InvalidValue.of("not_a_known_result", value=value, known=known)
            return self.numbers[score]
        if not 0.0 <= score <= 1.0:
            raise InvalidValue.of("score_out_of_range", value=value)
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
            if line.first:
                self.points_first[text] = line.first
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
        if contradicts_word(text):
            what = f"the word of {quote(text)} contradicts its score"
            raise InvalidValue(what, MEND, code="points_contradict")
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
        word = next(_words_with_margin(folded), None)
        return WON.get(word, DRAWN.get(word)) if word else None

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
                raise InvalidValue.of("not_a_scoreline", value=value)
            found = SCORELINE.fullmatch(self.as_scoreline(str(value)))
            if found:
                return float(found[1 + side])
            if line := parse_scoreline(str(value)):
                return line.points[side]
            raise InvalidValue.of("not_a_scoreline", value=value)

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
        """The score that the caller gives for a word, also beside points or a margin; raises
        NoGame for none.
        """
        text = "" if is_missing(value) else str(value).strip().casefold()
        first, _, points = text.partition(" ")  # also a word with digits or marks: `H2`, `n.V.`
        led = [first] if SCORELINE.fullmatch(as_scoreline(points)) else []
        words = (text, text.removesuffix(".0"), *led, *find_words(fold_text(text)))
        told = (word for word in words if word in self.own)
        if (key := next(told, None)) is None:
            return None
        self.met.add(key)
        score = self.own[key]
        if score is None:
            raise NoGame(f"{quote(value)}: no game, as outcomes= says", "not played")
        return score

    def score_beside_own(self, parse: Callable[[Any], float], value: Any) -> float:
        """The score of a cell; raises InvalidValue for a word or number of which the caller says
        nothing, but gives its opposite the same score: `L` beside `W=0`. Points hang on no word.
        """
        score = parse(value)
        if self._own(value) is not None:
            return score
        known = {"1": 1.0, "0": 0.0, **self.winners, **self.results}
        whole = str(value).strip()
        told = (
            word for word in (whole, *find_words(fold_text(whole)))
            if NUMBER.fullmatch(word) or plain_word(word) in known
        )  # fmt: skip
        if (text := next(told, None)) is None:
            return score
        for word, own in self.own.items():
            if own == score and known.get(plain_word(word)) == 1.0 - score != 0.5:
                facts = {"word": word, "text": text, "score": score, "other": 1.0 - score}
                raise InvalidValue.of("opposite_open", **facts)
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
            raise InvalidValue.of("side_missing", first=self.first, second=self.second)
        text = str(value).strip(" \t")
        if NUMBER.fullmatch(text) and float(text) in {-1.0, 0.0, 1.0}:
            return float(text)
        if plain_form(text) in {"none", "neutral", "n"}:
            return 0.0
        if (first := self.sides.get(plain_word(text))) is not None:
            return 2.0 * first - 1.0
        raise InvalidValue.of("unknown_side", value=value, first=self.first, second=self.second)


def find_words(folded: str) -> Iterator[str]:
    """The words that tell a result together with points or with how it came about, each once.

    >>> [*find_words("w 3-1 ot")], [*find_words("otl")], [*find_words("won 3&2")]
    (['w'], ['l'], ['won'])
    """
    words = *(word for word, _ in split_word(folded)), *_words_with_margin(folded)
    yield from dict.fromkeys(words)


def _words_with_margin(folded: str) -> Iterator[str]:
    for pattern in (LATE, HOLES, METHODS_OF_WIN):
        if found := pattern.fullmatch(folded):
            yield found["word"]


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
    return InvalidValue.of(
        "winner_missing", shown=quote(word) if word else "missing", word=word, option=option
    )


# What letters and numbers mean in a column of results, decided by all of its cells.
#
# `V`, `N` and `P` are of one language or another, and 2 may be a win or the second side.


ALPHABETS = WORDS_IN_ORDER["result_letters"]  # won, drawn, lost
OF_COLOURS = {"w": 1.0, "b": 0.0}
IN_DRAWS = "dtxur="  # beside letters of the sides
VERSUS_CELLS = frozenset({"v", "v.", "vs", "vs.", "VS"})  # stands where a result will stand
SHORTEST = 3  # letters of a heading that may shorten a word of the cells
SAYS = {1.0: "first side won", 0.5: "draw", 0.0: "second side won"}


def decide_outcomes(parser: OutcomeParser, role: str, texts: Collection[Any]) -> str | None:
    """Find what letters and numbers mean in a column that holds these cells, and take note of
    it; what was found in words, None where nothing changes. Raises Question.
    """
    words = {str(text).strip(" \t"): text for text in texts if not is_blank(text)}
    words = {word: text for word, text in words.items() if not reason_not_played(word)}
    between = words.keys() & VERSUS_CELLS
    if (
        between
        and role != "winner"
        and all(any(map(str.isdigit, w)) for w in words.keys() - between)
    ):
        parser.own = {**parser.own, **{word.casefold(): None for word in between}}
        return f"{min(between)} = not played"
    plain = words.keys() - parser.own.keys()
    if (sides := name_sides(plain, parser.first, parser.second)) and any(
        parser.winners.get(word) != score for word, score in sides.items()
    ):
        parser.take_letters(sides)
        return ", ".join(list_meanings(sides))
    if stones := decide_stones(plain, parser):
        parser.take_letters(stones)
        return ", ".join(list_meanings({letter.upper(): stones[letter] for letter in stones}))
    if {word.casefold() for word in plain} == {"true", "false"}:
        parser.take_letters({"true": 1.0, "false": 0.0})
        return "True = first side won, False = second side won"
    if parser.notation is None and (notation := find_notation(plain)):
        parser.notation, parser.mixed = notation, False  # 1/2 is no half
        return READ_AS[notation]
    known = parser.winners if role == "winner" else parser.results
    by_letter = all(len(word) == 1 or plain_word(word) in known for word in plain)
    by_number = all(NUMBER.fullmatch(word) or COMMA.fullmatch(word) or word in "xX"
                    for word in plain)  # fmt: skip
    if len(plain) < 2 or not (by_letter or by_number):
        return None  # one odd cell tells nothing
    letters = {plain_word(word) for word in words if len(word) == 1 and not word.isdigit()}
    letters = {letter for letter in letters if letter.isalpha()} - parser.own.keys()
    if letters == {"x"} and not by_number:
        return None
    numbers = {
        float(word.replace(",", ".")) for word in words
        if (NUMBER.fullmatch(word) or COMMA.fullmatch(word)) and word not in parser.own
    }  # fmt: skip
    meant = decide_letters(letters - {"x"} if numbers else letters, parser, role)
    drawn_x = {"x": 0.5} if "x" in letters and numbers & {1.0, 2.0} else {}
    changed = {**meant, **drawn_x}
    if any(known.get(letter) != score for letter, score in changed.items()):
        parser.take_letters(changed)
    else:
        changed = {}
    scale = decide_numbers(numbers, role, bool(drawn_x), parser.first, parser.second)
    if scale:
        parser.numbers = scale
    told = list_meanings({letter.upper(): score for letter, score in changed.items()})
    told += list_meanings({f"{n:g}": score for n, score in scale.items() if n in numbers})
    return ", ".join(told) or None


def list_meanings(meant: Mapping[str, float]) -> list[str]:
    """`W = first side won` of each word, what the first side gets the most of first."""
    ordered = sorted(meant.items(), key=lambda one: (-one[1], one[0]))
    return [f"{word} = {SAYS[score]}" for word, score in ordered]


def is_read_otherwise(
    so_far: OutcomeParser, whole: OutcomeParser, role: str, texts: Collection[str], coded: bool
) -> bool:
    """Whether a new parser, `whole`, that decides what these cells mean together reads one
    otherwise than they were read `so_far`; `coded` says whether they have a meaning of their own.

    Raises Question.
    """
    if decide_outcomes(whole, role, texts) is None and not coded:
        return False
    so_far = copy(so_far)  # it takes note of what it reads
    return any(_score_of(so_far, role, text) != _score_of(whole, role, text) for text in texts)


def _score_of(parser: OutcomeParser, role: str, text: str) -> float | type[InvalidValue]:
    """The score that a cell says, or the kind of its refusal."""
    try:
        if role == "own result":
            return parser.own_result(text)
        return parser.winner(text) if role == "winner" else parser.result(text)
    except InvalidValue as refusal:
        return type(refusal)


def name_sides(words: Collection[str], first: str, second: str) -> dict[str, float]:
    """The score that each word tells, where all but draws name a side as its heading does, or as
    a shorter form of it does; empty for other words, and where one side is never named.

    >>> name_sides({"Aff", "Neg", "draw"}, "Affirmative Team", "Negative Team")
    {'aff': 1.0, 'neg': 0.0}
    """
    a, b = ((plain_word(whole), plain_word(apart)) for whole, apart in
            zip((first, second), tell_apart(first, second), strict=True))  # fmt: skip
    plain = sorted({plain_word(word) for word in words} - DRAWN.keys())
    told = {word: (_may_mean(word, *a), _may_mean(word, *b)) for word in plain}
    if not plain or any(one == other for one, other in told.values()):
        return {}
    letters = {word for word in plain if len(word) == 1}
    if letters and (len(letters) < len(plain) or any(letters <= {*each} for each in ALPHABETS)):
        return {}
    found = {word: float(one) for word, (one, _) in told.items()}
    return found if {*found.values()} == {0.0, 1.0} else {}


def _ends(first: str, second: str) -> str:
    """The numbers of two headings, `01` of model_0 and model_1, `12` of 1st and 2nd."""
    return "".join(word[-1:] for word in tell_apart(first, second))


def _may_mean(word: str, whole: str, apart: str) -> bool:
    """Whether a word is the heading of a side, or that by which headings differ, or begins it, or
    is longer than one that is short.
    """
    if not word or word.isdigit():
        return False
    if word == whole:
        return True
    return apart.startswith(word) or (len(apart) >= SHORTEST and word.startswith(apart))


def letters_in(heading: str) -> list[str]:
    """The letters that a heading such as `Result (G/U/V)` names."""
    found = re.search(r"\b([A-Za-z])\s?/\s?([A-Za-z])\s?/\s?([A-Za-z])\b", heading)
    return list(found.groups()) if found else []


READ_AS: Mapping[Notation, str] = {
    "slashes": "a slash stands between the points of both sides",
    "goals and points": "1-12 is a goal, which counts 3, and 12 points: 15",
    "signed sets": "8, -9, 7, 5 are the points of the loser of each set: 3:1",
    "times": "times such as 03:02:00 are scores that a spreadsheet changed, 3:2",
    "matches": "three numbers are the games won, lost and drawn",
}


def _are_goals_and_points(word: str) -> bool:
    """Whether a cell may be the goals and points of both sides; there are more points."""
    found = GOALS_AND_POINTS.fullmatch(word.strip())
    a, b, c, d = map(int, found.groups()) if found else (1, 0, 1, 0)
    return a <= b and c <= d


def find_notation(words: Collection[str]) -> Notation | None:
    """The notation of a column of scorelines that look like fractions or like times."""
    if len(words) > 1 and all(map(_are_goals_and_points, words)):
        return "goals and points"
    signed = any("-" in word.replace("−", "-") for word in words)
    if signed and len(words) > 1 and all(map(count_signed_sets, words)):
        return "signed sets"
    for notation, pattern in NOTATIONS.items():
        bare = [as_scoreline(word) for word in words]
        plain = notation == "matches" and all(map(SCORELINE.fullmatch, bare))
        if len(bare) > 1 and not plain and all(map(pattern.fullmatch, bare)):
            return notation
    return None


def say_outcomes(*readings: Mapping[str, float]) -> str:
    """The remedy that tells what words of results mean, one for each reading."""
    python = " or ".join(
        "outcomes={" + ", ".join(f'"{word}": {score:g}' for word, score in each.items()) + "}"
        for each in readings
    )
    word, score = next(iter(readings[0].items()))
    return f"say what they mean with {python} (--outcome {word}={score:g} ...)"


@cache
def _alphabets(
    family: str, own: tuple[tuple[str, float], ...], colours: tuple[tuple[str, float], ...]
) -> tuple[Mapping[str, float], ...]:
    """What single letters may mean: the words of a language, or those of the sides."""
    known = [{word[0]: 1.0, word[1]: 0.5, word[2]: 0.0} for word in ALPHABETS]
    of_sides = [{**SIDE_LETTERS[family], **dict(own)}]
    of_sides += [dict(colours), OF_COLOURS] if colours else []
    known += [{**each, draw: 0.5} for each in of_sides for draw in IN_DRAWS if draw not in each]
    return tuple(known)


def decide_letters(
    letters: Collection[str], parser: OutcomeParser, role: str
) -> Mapping[str, float]:
    """What single letters of a column mean: all languages that have all of them must agree.

    Unknown letters are left out. Raises Question.
    """
    if not letters or set(letters) <= {"d"} or set(letters) <= {"t"}:
        return {}
    own = tuple((word, score) for word, score in parser.named.items() if len(word) == 1)
    of_sides = parser.sides.keys() | parser.colours.keys()
    fitting = [
        each for each in _alphabets(parser.family, own, tuple(parser.colours.items()))
        if each.keys() >= set(letters) and (role != "winner" or each.keys() & of_sides)
    ]  # fmt: skip
    readings = list({tuple(each[letter] for letter in sorted(letters)): each for each in fitting}
                    .values())  # fmt: skip
    if len(readings) > 1:
        shown = ", ".join(letter.upper() for letter in sorted(letters))
        raise Question(
            f"the letters {shown} have several meanings",
            say_outcomes(*({letter.upper(): each[letter] for letter in sorted(letters)}
                           for each in readings[:2])),
            letters, code="letters_ambiguous",
        )  # fmt: skip
    return {letter: readings[0][letter] for letter in letters} if readings else {}


def decide_stones(words: Collection[str], parser: OutcomeParser) -> Mapping[str, float]:
    """What the letters of results of go such as `N+R` mean: those of Black and White, or of the
    colours in the language of the headings; empty for other results. Raises Question.
    """
    found = {word: match for word in words if (match := STONES.fullmatch(fold_text(word)))}
    letters = {match[1] for match in found.values() if len(match[1]) == 1}
    if not letters or not parser.colours:
        return {}
    fitting = [each for each in (OF_COLOURS, parser.colours) if letters <= each.keys()]
    if len(fitting) == 2 and any(fitting[0][letter] != fitting[1][letter] for letter in letters):
        shown = sorted(word for word, match in found.items() if len(match[1]) == 1)
        remedy = say_outcomes(*(dict.fromkeys(shown, score) for score in (1.0, 0.0)))
        facts = {"word": shown[0], "first": parser.first, "remedy": remedy}
        raise Question.of("b_or_black", cell={shown[0]}, **facts)
    return fitting[0] if fitting else {}


class NumberScale(NamedTuple):
    """What the numbers of a column may mean: their scores in each of the `readings`."""

    readings: tuple[Mapping[float, float], ...]
    has: frozenset[float] = frozenset()  # numbers that all stand in the column
    ends: str = ""  # the ends of the two headings
    drawn_x: bool = False  # whether an X among the numbers is a draw
    also: frozenset[float] = frozenset()  # numbers that may stand beside those of the readings
    question: str = ""  # what is asked where there are several readings

    def fits(self, found: frozenset[float], ends: str, drawn_x: bool) -> bool:
        """Whether a column of these numbers, and of such headings, is on this scale."""
        known = self.also.union(*self.readings)
        told = self.ends in {"", ends} and (drawn_x or not self.drawn_x)
        return told and self.has <= found <= known


SCORES_OF_SIDES = {1.0: 1.0, 2.0: 0.0}
WHO_WON = {0.0: 0.5, 1.0: 1.0, 2.0: 0.0}
POINTS_OF_DRAWS = {2.0: 1.0, 1.0: 0.5, 0.0: 0.0}
FROM_ZERO = {-1.0: 0.5, 0.0: 1.0, 1.0: 0.0}
SCORES_OF_SIGNS = {-1.0: 0.0, 0.0: 0.5, 1.0: 1.0}
YES_OR_NO = {0.0: 0.0, 1.0: 1.0}
BOTH_SIDES = frozenset(SCORES_OF_SIDES)  # as points, these would show no loss
SCALES_OF_RESULTS = (
    NumberScale((SCORES_OF_SIDES,), drawn_x=True),
    NumberScale((SCORES_OF_SIDES,), BOTH_SIDES),
    NumberScale((WHO_WON,), frozenset(WHO_WON), "12"),
    NumberScale((POINTS_OF_DRAWS, WHO_WON), question=(
        "the numbers 0, 1 and 2 may say who won (1 the first side, 2 the second, 0 a draw) or "
        "count points (2 a win, 1 a draw)"
    )),
    NumberScale(({3.0: 1.0, 1.0: 0.5, 0.0: 0.0},)),
    NumberScale((SCORES_OF_SIGNS,)),
)  # fmt: skip
OPEN_SIGN = (
    "the winners {shown} may be counted from 0 ({first} is 0, {second} is 1) or tell whether "
    "{first} won"
)
SCALES_OF_WINNERS = (
    NumberScale(({1.0: 1.0, 1.5: 0.5, 2.0: 0.0},), frozenset({1.5})),
    NumberScale((FROM_ZERO,), ends="01"),
    NumberScale((SCORES_OF_SIDES,), BOTH_SIDES),
    NumberScale((SCORES_OF_SIDES,), ends="12"),
    NumberScale((SCORES_OF_SIDES,), drawn_x=True),
    NumberScale((YES_OR_NO, {0.0: 1.0, 1.0: 0.0}, {0.0: 0.5, 1.0: 1.0}), frozenset(YES_OR_NO), "12",
                question="the winners 0 and 1 may tell whether {first} won, be counted from 0 "
                "({first} is 0, {second} is 1), or from 1 (0 is a draw)"),
    NumberScale((WHO_WON,), ends="12"),
    NumberScale((WHO_WON, {0.0: 1.0, 1.0: 0.0, 2.0: 0.5}), frozenset(WHO_WON), question=(
        "the winners 0, 1 and 2 may be counted from 1 (0 is a draw) or from 0 ({first} is 0, 2 is "
        "a draw)"
    )),
    NumberScale((WHO_WON,), frozenset({2.0})),
    NumberScale(({-1.0: 0.0, 1.0: 1.0},), frozenset({-1.0, 1.0})),
    NumberScale((FROM_ZERO, SCORES_OF_SIGNS), frozenset({-1.0}), also=BOTH_SIDES,
                question=OPEN_SIGN),
    NumberScale((FROM_ZERO, YES_OR_NO), question=OPEN_SIGN),
)  # fmt: skip


def decide_numbers(
    numbers: Collection[float], role: str, drawn_x: bool, first: str, second: str
) -> Mapping[float, float]:
    """What the numbers of a column mean, where they are no shares; empty where they are, or where
    that is not known. Raises Question.
    """
    found, of_winners = frozenset(numbers), role == "winner"
    shares = not (of_winners or drawn_x) and all(0.0 <= number <= 1.0 for number in found)
    scales = SCALES_OF_WINNERS if of_winners else SCALES_OF_RESULTS
    ends = _ends(first, second)
    scale = next((scale for scale in scales if scale.fits(found, ends, drawn_x)), None)
    if scale is None or shares or not found:
        return {}
    if not scale.question:
        return scale.readings[0]
    shown = ", ".join(f"{number:g}" for number in sorted(found))
    told = [{f"{n:g}": each[n] for n in each if n in found} for each in scale.readings]
    raise Question(
        scale.question.format(shown=shown, first=first, second=second), say_outcomes(*told), found,
        code="winners_ambiguous" if of_winners else "numbers_ambiguous",
    )  # fmt: skip
