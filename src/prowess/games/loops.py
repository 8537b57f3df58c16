"""The loops of the fast reader, compiled when they are first called."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

from prowess import kernel
from prowess.games import hashing, numerals, radix, scanner


@cache
def loops() -> SimpleNamespace:
    """The loops by name."""
    word = hashing.word_loader()
    plain = (
        scanner.mark, scanner.split, scanner.scan, scanner.unescape, scanner.trim,
        numerals.numbers, numerals.dating(word), hashing.same, hashing.rehash,
        hashing.interning(word, kernel.prefetch()), radix.spread, radix.gather,
    )  # fmt: skip
    return SimpleNamespace(**{loop.__name__: kernel.compiled(loop) for loop in plain})
