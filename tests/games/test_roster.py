"""Names of players in one buffer."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.games import Roster

NAMES = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True)


@given(names=NAMES)
def test_a_roster_is_its_names(names):
    """A roster holds the names it was given, in order, one by one, as a slice and pickled."""
    roster = Roster(names)
    assert list(roster) == names
    assert [roster[at] for at in range(len(names))] == names
    assert roster[1:-1] == names[1:-1]
    assert pickle.loads(pickle.dumps(roster)) == names


@given(names=NAMES)
def test_every_name_is_found_where_it_stands(names):
    """`find` and `index` return the id of a name, although others contain it."""
    roster = Roster(names)
    assert [roster.find(name) for name in names] == list(range(len(names)))
    assert [roster.index(name) for name in names] == list(range(len(names)))
    assert all(name in roster for name in names)


@given(names=NAMES, data=st.data())
def test_words_that_are_names_are_found(names, data):
    """Of words those that are names come with their ids, in order of the words."""
    some = st.sampled_from(names) if names else st.nothing()
    words = {word for word in data.draw(st.sets(some | st.text("xyé\0", max_size=2))) if word}
    found = Roster(names).find_words(words)
    assert found == [(word, names.index(word)) for word in sorted(words) if word in names]


def test_a_name_inside_another_is_not_a_name():
    """Parts of names, and names that run from one into the next, are not found."""
    roster = Roster(["Anna", "Bob"])
    assert "Ann" not in roster
    assert "aB" not in roster
    assert "" not in roster
    assert "AnnaBob" not in roster
    with pytest.raises(ValueError, match="Ann"):
        roster.index("Ann")


def test_an_unknown_name_brings_near_misses():
    """An unknown name is refused with names that look like it."""
    with pytest.raises(KeyError, match=r"no player 'Magnus Carlson' among 2; .*'Magnus Carlsen'"):
        Roster(["Magnus Carlsen", "Hikaru Nakamura"]).find("Magnus Carlson")


def test_ids_out_of_range_are_refused():
    """There is no name before the first and none after the last."""
    roster = Roster(["A", "B"])
    assert roster[-1] == "B"
    for index in (2, -3):
        with pytest.raises(IndexError):
            roster[index]


@given(names=NAMES, data=st.data())
def test_players_are_taken_from_a_roster(names, data):
    """The names of some players in any order, also more than are gathered at a time."""
    ids = data.draw(st.lists(st.sampled_from(range(len(names)))) if names else st.just([]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("prowess.games.names.TAKEN", 2)
        assert list(Roster(names).take(np.array(ids, np.int64))) == [names[at] for at in ids]


@given(names=NAMES)
def test_a_roster_is_an_arrow_column(names):
    """Arrow reads the names where they stand, as the type it makes of a list or another."""
    arrow = pytest.importorskip("pyarrow")
    assert arrow.array(Roster(names)).equals(arrow.array(names, arrow.string()))
    wide = arrow.array(Roster(names), arrow.large_string())
    assert wide.equals(arrow.array(names, arrow.large_string()))
