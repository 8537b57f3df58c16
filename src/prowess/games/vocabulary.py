"""Words of tables by what they mean, in all languages, and what headings mean by their words.

`words.toml` holds the words. Readers ask for a meaning and never for a language: a word that is
added there is known to all. The file is read when the first reader is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from prowess.games.values import fold_letters, fold_text, lazy_pattern, plain_form

FILE = Path(__file__).with_name("words.toml")
ABOUT = "about"  # the line that says what a meaning is
HEADING_LINE = "heading"  # and the one that says what its words are in a heading
STAR = "*"  # behind the beginning of a word
LINE = re.compile(r'(\w+) = "+\n?([^"]+)')
ENTRIES = {  # the lines of each meaning: `tomllib` would take thirty times as long
    meaning: {name: text.replace("\n", " ") for name, text in LINE.findall(lines)}
    for meaning, lines in (
        entry.split("]\n", 1) for entry in FILE.read_text(encoding="utf-8").split("\n[")[1:]
    )
}
IN_HEADINGS = {
    meaning: lines.pop(HEADING_LINE) for meaning, lines in ENTRIES.items() if HEADING_LINE in lines
}
# The words of each meaning, each followed by the same without accents; and beginnings of words.
WORDS_IN_ORDER: dict[str, tuple[str, ...]] = {}
WORD_STEMS: dict[str, tuple[str, ...]] = {}

for _meaning, _lines in ENTRIES.items():
    _words: list[str] = []
    for _name, _text in _lines.items():
        if _name == ABOUT:
            continue
        if _text.isascii():
            _words += _text.split(", ")
        else:  # a single letter is a mark: ø is no o
            for _word in _text.split(", "):
                _words += (_word, fold_text(_word)) if len(_word) > 1 else (_word,)
    if STAR in "".join(_lines.values()):
        WORD_STEMS[_meaning] = tuple(word[:-1] for word in _words if word[-1] == STAR)
        _words = [word for word in _words if word[-1] != STAR]
    WORDS_IN_ORDER[_meaning] = tuple(_words)


@cache
def words_for(*meanings: str) -> frozenset[str]:
    """The words of meanings: `words_for("home", "white")`."""
    return frozenset().union(*map(WORDS_IN_ORDER.__getitem__, meanings))


def alternatives(*meanings: str) -> str:
    """A regular expression for one word of these meanings; the longest are tried first.

    >>> alternatives("blue")
    'niebieski|blauw|azul|blau|bleu|blue|blu'
    """
    words = sorted(words_for(*meanings)) + [
        word + STAR for meaning in meanings for word in WORD_STEMS.get(meaning, ())
    ]
    return "|".join(
        word if word.isalpha() else re.escape(word).replace(r"\*", r"\w*")
        for word in sorted(words, key=len, reverse=True)
    )


def slots_for(meaning: str) -> tuple[frozenset[str], ...]:
    """The words of each place of a list, such as the twelve months."""
    found: list[set[str]] = []
    for name, text in ENTRIES[meaning].items():
        if name != ABOUT:
            places = [part.split() for part in text.split(", ")]
            found += [set() for _ in places[len(found) :]]
            for place, words in zip(found, places, strict=False):
                place.update(words, map(fold_text, words))
    return tuple(map(frozenset, found))


def pairs_for(meaning: str) -> tuple[tuple[str, str], ...]:
    """Pairs of headings, such as those of goals for and goals against."""
    pairs = (pair.split() for pair in WORDS_IN_ORDER[meaning])
    return tuple((first, second) for first, second in pairs)


# What a heading means by its words, which stand in `words.toml`.
#
# A heading is split into words without case and accents: `Tore Heim`, `heim_tore`, `HeimTore` and
# `Heimtore` have the same two. Each word means a side (home, the first, the winner, ...), a subject
# (a player, points, a date, ...), or nothing of use; a heading of other subjects is spoiled: `Heim
# Rating` is neither a player nor points.


HEADING_WORDS: dict[str, dict[str, frozenset[str]]] = {}  # of sides, of subjects, and others
for _meaning, _said in IN_HEADINGS.items():
    _kind, _, _name = _said.partition(" ")
    _named = HEADING_WORDS.setdefault(_kind, {})
    _named[_name] = words_for(_meaning).union(_named.get(_name, ()))
SIDE_WORDS, SUBJECT_WORDS = HEADING_WORDS["side"], HEADING_WORDS["subject"]
SPOILERS, FILLERS = HEADING_WORDS["other"][""], HEADING_WORDS["filler"][""]
FAMILIES = (  # pairs of sides
    ("home", "away"), ("white", "black"), ("winner", "loser"), ("blue", "red"), ("red", "blue"),
    ("white", "blue"), ("blue", "orange"), ("orange", "blue"), ("radiant", "dire"),
    ("zero", "first"), ("first", "second"),
)  # fmt: skip
LETTER_OF = {"red": "r", "blue": "b"}  # a letter that may stand for a side, where both do
SIDED = frozenset({("home", "away"), ("white", "black")})
WEAK = frozenset(
    {"zero", "first", "second"}
)  # their letters and numbers stand beside other sides, too
ANSWERS = frozenset({"response", "answer", "text"})  # of which a judge says that one is better
BESIDE_OTHERS = frozenset({"player", "match"})  # subjects that another one in a heading overrules
SHORTEST = 3  # letters of a word within a compound such as Heimtore
_SPLIT = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+|½")


class HeadingMeaning(NamedTuple):
    """What a heading means by its words: sides and subjects, of which a word may have several."""

    name: str
    words: tuple[str, ...]
    sides: frozenset[str]
    subjects: frozenset[str]
    unknown: int  # words that mean nothing known
    spoiled: bool  # it has a word of another subject

    def is_of(self, subject: str) -> bool:
        """Whether the heading may mean this subject."""
        return subject in self.subjects and not self.spoiled

    @property
    def vague(self) -> int:
        """How little the heading is understood: words that mean nothing, shortened names, ids."""
        return 4 * self.unknown + 2 * ("id" in self.subjects) + ("short" in self.subjects)


class _Word(NamedTuple):
    sides: frozenset[str]
    subjects: frozenset[str]
    spoils: bool = False


MEANS_NOTHING = _Word(frozenset(), frozenset())
KNOWN_WORDS = dict.fromkeys(SPOILERS, MEANS_NOTHING._replace(spoils=True))
KNOWN_WORDS |= dict.fromkeys(FILLERS, MEANS_NOTHING)
_MEANINGS: dict[str, tuple[set[str], set[str]]] = {}  # of a word: sides, subjects
for _at, _of_kind in enumerate((SIDE_WORDS, SUBJECT_WORDS)):
    for _meaning, _known in _of_kind.items():
        for _word in _known:
            _MEANINGS.setdefault(_word, (set(), set()))[_at].add(_meaning)
KNOWN_WORDS |= {word: _Word(frozenset(a), frozenset(b)) for word, (a, b) in _MEANINGS.items()}


def split_heading(name: str) -> list[str]:
    """The words of a heading, compounds such as Heimtore split into what is known."""
    found = [word.casefold() for word in _SPLIT.findall(fold_letters(name))]
    words: list[str] = []
    for word in found:
        both = words[-1] + word if words else ""
        letter = len(word) == 1 and words and words[-1] in KNOWN_WORDS  # Jugador A, no Jugadora
        if not letter and len(both) > SHORTEST and both in KNOWN_WORDS:
            words[-1] = both
        elif word in KNOWN_WORDS or word.isdigit():
            words.append(word)
        else:
            words += _split_compound(word) or [word]
    return words


def _split_compound(word: str) -> list[str]:
    """The known words that a compound consists of; empty where something is left."""
    for end in range(len(word) - SHORTEST, SHORTEST - 1, -1):
        if word[:end] in KNOWN_WORDS:
            for rest in (word[end:], word[end + 1 :] if word[end] == "s" else ""):
                if rest in KNOWN_WORDS and len(rest) >= SHORTEST:
                    return [word[:end], rest]
                if len(rest) > 2 * SHORTEST and (more := _split_compound(rest)):
                    return [word[:end], *more]
    return []


LETTER_CHOICE = lazy_pattern(r"[A-Za-z]\s?/\s?[A-Za-z]\s?/\s?[A-Za-z]|1\s?[/-]?\s?[xX]\s?[/-]?\s?2")
BRACKETS = lazy_pattern(r"[(\[][^()\[\]]*[)\]]")


@lru_cache(4096)
def read_heading(name: str) -> HeadingMeaning:
    """What a heading means."""
    words = split_heading(name)
    if LETTER_CHOICE.fullmatch(name.strip()):  # S/U/N
        return HeadingMeaning(name, ("result",), frozenset(), frozenset({"result"}), 0, False)
    if (outside := BRACKETS.sub(" ", name)) != name:
        plain = split_heading(outside)
        within = [word for part in BRACKETS.findall(name) for word in split_heading(part)]
        if plain and not any(word in KNOWN_WORDS for word in within):
            words = plain
    sides: set[str] = set()
    subjects: set[str] = set()
    unknown, spoiled = 0, False
    for word in words:
        if (found := KNOWN_WORDS.get(word)) is None:
            unknown += 1
            continue
        sides |= found.sides
        subjects |= found.subjects
        spoiled |= found.spoils
    spoiled |= "is" in words and "result" in words  # whether there is one
    if "time" in words and sides:  # Portuguese: a team
        subjects.add("player")
    if not sides <= WEAK:
        sides -= WEAK
    if "time" not in words:
        subjects = subjects - BESIDE_OTHERS or subjects
    return HeadingMeaning(
        name, tuple(words), frozenset(sides), frozenset(subjects), unknown, spoiled
    )


def is_spoiled(heading: HeadingMeaning) -> bool:
    """Whether a heading has a word of another subject, apart from the answers of models."""
    return (
        heading.spoiled
        and read_heading(" ".join(word for word in heading.words if word not in ANSWERS)).spoiled
    )


# Headings of dates by single words, whatever stands beside them.


OTHER_DATES = words_for("other_date")  # beside one of them: a date of something else than a game


def words_of(heading: str) -> set[str]:
    """The words of a heading: `GAME_DATE_EST`, `game date (EST)` and `gameDateEST` have three."""
    return {*read_heading(heading).words}


def is_date(heading: str) -> bool:
    """Whether a heading is that of dates by one of its words; `update` and `birth_date` are not."""
    words = words_of(heading)
    return not words.isdisjoint(words_for("date_word")) and words.isdisjoint(OTHER_DATES)


def is_numbered(words: Collection[str], subject: str) -> bool:
    """Whether words of a heading are of a subject and its number: `Spiel-Nr.`, `PlayerId`."""
    known = SUBJECT_WORDS[subject]
    return not known.isdisjoint(words) and known | SUBJECT_WORDS["id"] >= {*words}


def is_match(heading: str) -> bool:
    """Whether a heading tells matches apart: `Spiel-Nr.`, but not `match winner` or `matches`."""
    words = {*split_heading(heading)}
    return words.isdisjoint({"games", "matches"}) and is_numbered(words, "match")


def tells_contests(heading: str) -> bool:
    """Whether a heading tells contests apart by its words: `Sessão`, `Race no.`, `Turnier`."""
    meaning = read_heading(heading)
    apart = {"match", "occasion", "league", "season", "round"}
    plural = not {"games", "matches", "rounds", "sets"}.isdisjoint(meaning.words)
    return (
        not meaning.subjects.isdisjoint(apart)
        and meaning.subjects <= apart | {"id", "date", "place", "clock"}
        and not (meaning.unknown or meaning.spoiled or meaning.sides or plural)
    )


# Headings of two sides that differ in one word.


def marks_of_twins(one: HeadingMeaning, other: HeadingMeaning) -> tuple[str, str] | None:
    """The words in which two headings of as many words differ, if that is one of each."""
    if len(one.words) != len(other.words):
        return None
    pairs = zip(one.words, other.words, strict=True)
    differing = [(x, y) for x, y in pairs if x != y]
    return differing[0] if len(differing) == 1 else None


def tell_apart(first: str, second: str) -> tuple[str, str]:
    """The words in which two headings differ, where it is one of each; else both whole.

    >>> tell_apart("Team Red", "Team Blue"), tell_apart("sys1", "sys2"), tell_apart("A", "An X")
    (('red', 'blue'), ('1', '2'), ('A', 'An X'))
    """
    return marks_of_twins(read_heading(first), read_heading(second)) or (first, second)


# Headings of contests and of standings, in plain form: without case, spaces and separators.


TIMES = WORDS_IN_ORDER["heading_time_taken"]
PLACE = WORDS_IN_ORDER["heading_place"]
CONTEST = WORDS_IN_ORDER["contest"]  # all that a table has tell its contests apart, with the date
TOTALS = words_for("total", "final_sum")
_MORE, _FEWER = slots_for("amounts")
MORE = _MORE | words_for("heading_points")
FEWER = _FEWER | words_for("heading_time_taken", "heading_place")
PLAYED = words_for("played_count")
GAMES = words_for("counted_thing")  # counted, where nothing else is told
STANDINGS = pairs_for("pair_of_sums")
SUMS = words_for("in_standings", "heading_points", "heading_place")  # beside those in standings
TASKS = words_for("task")  # what several are given to do, each once


def is_task(heading: str) -> bool:
    """Whether a heading is that of tasks or of judges: `question_id`, `prompt`, `judge`."""
    words = {*split_heading(heading)}
    whole = plain_form(heading) in TASKS  # data and set are words of other subjects
    return whole or (not words.isdisjoint(TASKS) and words <= TASKS | SUBJECT_WORDS["id"])
