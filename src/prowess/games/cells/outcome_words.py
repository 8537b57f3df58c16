"""What a cell says of a result by itself: words, notations, verdicts, games that were not played,
points and results of one side; and words that are unknown.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from prowess.games.columns import as_text
from prowess.games.errors import MEND, SKIP, InvalidValue, NoGame, Question, quote
from prowess.games.values import (
    DASHES,
    NUMBER,
    fold_text,
    is_blank,
    is_long,
    is_missing,
    lazy_pattern,
    parse_bool,
    parse_decimal,
    parse_or_none,
    parse_positive,
    parse_total,
    plain_form,
    plain_word,
)
from prowess.games.vocabulary import (
    WORDS_IN_ORDER,
    alternatives,
    read_heading,
    slots_for,
    words_for,
)

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
    side: dict(zip(letters, (1.0, 0.0), strict=False))
    for side, letters in (
        ("home", "ha"), ("white", "wb"), ("heim", "hg"), ("weiss", "ws"),
        ("blanc", ""),  # B may be Blanc or Black
        ("", "ab"),
    )
}  # fmt: skip


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


# Words for games that were not played, or that nobody won: walkovers, postponed, no winner.


Reason = Literal["walkover", "not played"]
WALKOVERS = words_for("forfeit", "walkover")
DEFAULTED = words_for("defaulted")
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
    if word in DEFAULTED and not any(map(str.isdigit, text)):
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


# What single cells say beside a named side: its points, its own result, and whether it drew.


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


# Whole numbers with marks of thousands: 1.008 is 1008 where all of a column is so written.


WITH_THOUSANDS = re.compile(
    r"[1-9]\d{0,2}(?P<mark>[., \xa0\u202f'’])\d{3}(?:(?P=mark)\d{3})*|\d{1,3}"
)
THOUSANDS_MARKS = str.maketrans("", "", "., \xa0\u202f'’")
COUNT_WORDS = words_for("count")  # they say that rows are counted
MAY_COUNT = words_for("number")  # beside what is counted
COUNTED_THINGS = words_for("counted_thing")


def are_thousands(cells: Collection[Any]) -> bool:
    """Whether all texts of a column may be whole numbers with marks of thousands."""
    texts = {cell.strip() for cell in cells if isinstance(cell, str)}
    return all(map(WITH_THOUSANDS.fullmatch, texts - {""}))


def find_marked(cells: Collection[Any]) -> str | None:
    """The first number with a mark of thousands, where the whole column is so written."""
    texts = (cell.strip() for cell in cells if isinstance(cell, str))
    marked = next((text for text in texts if text and not text.isdigit()), None)
    return marked if marked and are_thousands(cells) else None


def find_open_marks(cells: Collection[Any]) -> dict[str, Question]:
    """The questions about counts such as 1.500 and 1,500, by cell: they may be decimals, too.

    Two marks in one number of the column, as in 1.234.567, prove that the mark is one of thousands.
    """
    if find_marked(cells) is None:
        return {}
    texts = {cell: cell.strip() for cell in cells if isinstance(cell, str)}
    proven = {mark for mark in ".," if any(text.count(mark) > 1 for text in texts.values())}
    found = {}
    for cell, text in texts.items():
        whole, mark, point = text.replace(",", ".").partition(".")
        if mark and not proven & {*text}:
            facts = {"whole": whole + point, "point": f"{whole}.{point}0"}
            found[cell] = Question.of("comma_ambiguous", cell=cell, **facts)
    return found


def note_marked(column: str, marked: str) -> str:
    """What is said of a column that is so written."""
    return f"column {quote(column)}: {quote(marked)} is read as a whole number"


def parse_whole_points(cell: Any) -> float:
    """The points of one side in such a column; raises InvalidValue for a text of another."""
    if not isinstance(cell, str) or not cell.strip():
        return parse_side_points(cell)
    if not WITH_THOUSANDS.fullmatch(cell.strip()):
        raise InvalidValue(f"{quote(cell)} is no whole number", MEND, code="not_a_whole_number")
    return parse_side_points(cell.translate(THOUSANDS_MARKS))


def parse_whole_weight(cell: Any) -> float:
    """How many games a row of such a column counts for, above 0."""
    return parse_positive(parse_whole_points(cell))


def parser_of_counts(cells: Collection[Any]) -> Callable[[Any], int]:
    """The parser of a column that counts games; it raises InvalidValue for what counts none."""
    parse = parse_whole_points if find_marked(cells) else parse_decimal

    def parse_count(cell: Any) -> int:
        number = parse_or_none(parse, cell)
        if number is None or number < 0.0 or not number.is_integer():
            raise InvalidValue.of("not_a_whole_number", text=cell)
        return int(number)

    return parse_count


def tell_count(heading: str) -> Literal["surely", "maybe", ""]:
    """Whether a heading says that games are counted; "" for another one.

    >>> tell_count("count"), tell_count("n votes"), tell_count("weight")
    ('surely', 'maybe', '')
    """
    words = {*read_heading(heading).words}
    if not words <= COUNT_WORDS | MAY_COUNT | COUNTED_THINGS | {"of", "total", "der"}:
        return ""
    counted = words & COUNTED_THINGS
    return "surely" if words & COUNT_WORDS else "maybe" if counted or words == {"n"} else ""
