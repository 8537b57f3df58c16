"""Words of tables by what they mean, in all languages: `words.toml` holds them.

Readers ask for a meaning and never for a language: a word that is added there is known to all.
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


@cache
def read_entries() -> dict[str, str]:
    """The lines of each meaning.

    The file is TOML of texts alone: `tomllib` would take thirty times as long to split it.
    """
    _, *entries = FILE.read_text(encoding="utf-8").split("\n[")
    return dict(entry.split("]\n", 1) for entry in entries)


def lines_of(meaning: str) -> dict[str, str]:
    """What stands in the lines of a meaning, by language; and what it is about."""
    return {name: text.replace("\n", " ") for name, text in LINE.findall(read_entries()[meaning])}


def words_by_language(meaning: str) -> dict[str, list[str]]:
    """The words of a meaning as they are written in the file."""
    lines = lines_of(meaning)
    return {name: text.split(", ") for name, text in lines.items() if name != ABOUT}


@cache
def words_in_order(meaning: str) -> tuple[str, ...]:
    """The words of a meaning, as they are written and without accents, in the order of the file.

    >>> words_in_order("year")[:4]
    ('year', 'jahr', 'année', 'annee')
    """
    found: dict[str, None] = {}
    for written in words_by_language(meaning).values():
        found |= dict.fromkeys(_with_forms(written))
    return tuple(found)


def _with_forms(written: list[str]) -> list[str]:
    """Words, each followed by the same without accents; a single letter is a mark."""
    if "".join(written).isascii():
        return written
    return [
        form for word in written for form in ((word, fold_text(word)) if len(word) > 1 else (word,))
    ]


@cache
def words_for(*meanings: str) -> frozenset[str]:
    """The whole words of meanings: `words_for("home", "white")`."""
    found = frozenset().union(*map(words_in_order, meanings))
    stars = [word for word in found if word[-1] == STAR]
    return found.difference(stars) if stars else found


def stems_for(*meanings: str) -> tuple[str, ...]:
    """The beginnings of words of meanings, which stand with a star in the file."""
    words = (word for meaning in meanings for word in words_in_order(meaning))
    return tuple(word[:-1] for word in words if word[-1] == STAR)


def alternatives(*meanings: str) -> str:
    """A regular expression for one word of these meanings; the longest are tried first.

    >>> alternatives("blue")
    'niebieski|blauw|azul|blau|bleu|blue|blu'
    """
    found = sorted({word for meaning in meanings for word in words_in_order(meaning)})
    return "|".join(
        word if word.isalpha() else re.escape(word).replace(r"\*", r"\w*")
        for word in sorted(found, key=len, reverse=True)
    )


def slots_for(meaning: str) -> tuple[frozenset[str], ...]:
    """The words of each place of a list, such as the twelve months."""
    found: list[set[str]] = []
    for parts in words_by_language(meaning).values():
        found += [set() for _ in parts[len(found) :]]
        for place, part in zip(found, parts, strict=False):
            place.update(_with_forms(part.split()))
    return tuple(map(frozenset, found))


def pairs_for(meaning: str) -> tuple[tuple[str, str], ...]:
    """Pairs of headings, such as those of goals for and goals against."""
    found = (part.split() for parts in words_by_language(meaning).values() for part in parts)
    return tuple((first, second) for first, second in found)
