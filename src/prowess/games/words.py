"""Words of tables by what they mean, in all languages: `words.toml` holds them.

Readers ask for a meaning and never for a language: a word that is added there is known to all. The
file is read when the first reader is loaded.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from prowess.games.values import fold_text

FILE = Path(__file__).with_name("words.toml")
ABOUT = "about"  # the line that says what a meaning is
STAR = "*"  # behind the beginning of a word
LINE = re.compile(r'(\w+) = "+\n?([^"]+)')
ENTRIES = {  # the lines of each: `tomllib` would take thirty times as long
    meaning: {name: text.replace("\n", " ") for name, text in LINE.findall(lines)}
    for meaning, lines in (
        entry.split("]\n", 1) for entry in FILE.read_text(encoding="utf-8").split("\n[")[1:]
    )
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
