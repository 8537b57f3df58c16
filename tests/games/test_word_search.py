"""Words are found in the names of many players."""

from __future__ import annotations

from hypothesis import example, given, strategies as st

from prowess.games.names import BYE_STEMS, WordFinder


@given(
    st.lists(st.text("ab &\x00\xff", min_size=1, max_size=4), min_size=1, max_size=6),
    st.text("ab &c\x00\xff", max_size=60),
)
@example(["a"], "aaaa")
@example(["a"], "a\xff")
@example(["a\x00"], "a")
def test_words_are_found_where_they_stand(words, text):
    """The places at which the text goes on with a word are found, each once and in order."""
    coded, encoded = text.encode("latin-1"), [word.encode("latin-1") for word in words]
    expected = [at for at in range(len(coded)) if coded.startswith(tuple(encoded), at)]
    assert WordFinder(tuple(encoded)).find_places(coded) == expected


def test_stems_of_byes_are_found():
    """Every stem is found at both ends of a long text, and nothing else is."""
    for stem in BYE_STEMS.words:
        text = stem + b"\n" * 100_000 + stem
        assert set(BYE_STEMS.find_places(text)) == {0, len(text) - len(stem)}
    assert not BYE_STEMS.find_places(b"user0682642" * 20_000)
