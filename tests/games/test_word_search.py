"""Words are found in long texts as they are in short ones."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from prowess.compile import kernel
from prowess.games import names
from prowess.games.names import BYE_STEMS, WordFinder


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
@given(
    st.lists(st.text("ab &\x00\xff", min_size=1, max_size=4), min_size=1, max_size=6),
    st.text("ab &c\x00\xff", max_size=60),
)
@example(["a"], "aaaa")
@example(["a"], "a\xff")
@example(["a\x00"], "a")
def test_words_are_found_where_they_stand(words, text):
    """Compiled code finds the places at which the text goes on with a word."""
    coded, encoded = text.encode("latin-1"), [word.encode("latin-1") for word in words]
    expected = [at for at in range(len(coded)) if coded.startswith(tuple(encoded), at)]
    before = names.LONG_TEXT, names.PLACES_AT_A_TIME
    try:
        names.LONG_TEXT, names.PLACES_AT_A_TIME = 0, 3
        assert list(WordFinder(encoded).find_places(coded)) == expected
    finally:
        names.LONG_TEXT, names.PLACES_AT_A_TIME = before
    assert sorted({*WordFinder(encoded).find_places(coded)}) == expected


def test_stems_of_byes_are_found():
    """Every stem is found at both ends of a long text, and nothing else is."""
    for stem in BYE_STEMS.words:
        text = stem + b"\n" * names.LONG_TEXT + stem
        assert set(BYE_STEMS.find_places(text)) == {0, len(text) - len(stem)}
    assert not BYE_STEMS.occurs_in(b"user0682642" * 20_000)
