"""Headings of two sides that differ in one word."""

from __future__ import annotations

from prowess.games.vocabulary import HeadingMeaning, read_heading


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
