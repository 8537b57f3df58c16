"""Further columns that are kept, as numbers or as categories."""

from __future__ import annotations

import io

import pytest

from prowess.compile import kernel
from prowess.games import BadData, read_games
from tests.games.refusing import place_first
from tests.games.sides import facts_of
from tests.refusals import refused

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]
TEXT = (
    "date,a,b,score,surface,best_of,level\n2020-01-02,Ann,Bob,1,grass,3,A\n"
    "2020-01-01,Bob,Cid,0,,5,250\n2020-01-03,Cid,Ann,1,grass,2.5,A\n"
)


def read(text: str, **options):
    """A table of games."""
    return read_games(io.BytesIO(text.encode()), format="csv", warn=False, **options)


@pytest.mark.parametrize("compiled", READERS)
def test_numbers_and_words(compiled):
    """Facts stand in the order of the games; words are numbered by first appearance there."""
    games = read(TEXT, facts=("surface", "best_of", "level"), compiled=compiled)
    assert games.duels
    assert facts_of(games) == {
        "surface": ["", "grass", "grass"], "best_of": [5, 3, 2.5], "level": ["250", "A", "A"],
    }  # fmt: skip
    assert games.facts["surface"].tolist() == [0, 1, 1]
    assert {name: list(words) for name, words in games.labels.items()} == {
        "surface": ["", "grass"], "level": ["250", "A"],
    }  # fmt: skip
    assert '"level" holds numbers and words ("A"): read as words' in games.notes
    assert "surface, best_of and level = facts" in str(games.reading)
    assert "surface" in repr(games)


def test_one_fact():
    """A single name needs no list; it is read without regard to case and separators."""
    assert facts_of(read(TEXT, facts="Best Of")) == {"Best Of": [5, 3, 2.5]}
    assert not read(TEXT).facts


@pytest.mark.parametrize("compiled", READERS)
def test_a_missing_number(compiled):
    """A number that is missing is refused with its line, or its row left out."""
    text = TEXT.replace("grass,2.5", "grass,")
    with pytest.raises(BadData) as error:
        read(text, facts="best_of", compiled=compiled)
    assert 'line 4, column "best_of": a number is missing' in place_first(error.value)
    games = read(text, facts=("best_of", "surface"), compiled=compiled, skip_bad=True)
    assert facts_of(games) == {"best_of": [5, 3], "surface": ["", "grass"]}
    assert games.left_out == 1
    lonely = text + "2020-01-04,Dan,Ann,1,grass,,A\n"
    assert "Dan" not in read(lonely, facts="best_of", compiled=compiled, skip_bad="all").players


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ("ground", 'facts= names column "ground", which is not there'),
        (("surface", "surface"), "facts= names a column twice"),
        (7, "facts= names a column, and 7 is no name"),
    ],
)
def test_facts_that_are_not_there(facts, said):
    """One clear error."""
    with pytest.raises(BadData) as error:
        read(TEXT, facts=facts)
    assert said in place_first(error.value)


def test_a_fact_that_is_a_column_already():
    """What the table has as a column of its own is no fact beside it."""
    text = TEXT.replace("level", "round")
    with pytest.raises(BadData) as error:
        read(text, facts="round")
    assert 'facts= names "round", which the table has as a column of its own' in place_first(
        error.value
    )
    assert facts_of(read(text, facts="round", round="none")) == {"round": ["250", "A", "A"]}


def test_facts_of_contests():
    """All rows of a contest say the same."""
    text = (
        "race,player,place,track,laps,date\n2,Ann,1,wet,50,2020-01-02\n2,Bob,2,wet,50,2020-01-02\n"
        "1,Ann,2,dry,40,2020-01-01\n1,Bob,1,dry,40,2020-01-01\n"
    )
    contests = read(text, facts=("track", "laps"), contest="race")
    assert facts_of(contests) == {"track": ["dry", "wet"], "laps": [40, 50]}
    with refused(BadData, "contest_contradicts", line=3, column="laps"):
        read(text.replace("Bob,2,wet,50", "Bob,2,wet,49"), facts="laps", contest="race")
    with refused(BadData, "number_missing", line=2, column="laps"):
        read(text.replace("wet,50", "wet,"), facts="laps", contest="race")


def test_facts_of_several_files(tmp_path):
    """Words of all files are numbered together."""
    paths = [tmp_path / "1.csv", tmp_path / "2.csv"]
    paths[0].write_text("a,b,score,map\nAnn,Bob,1,x\n")
    paths[1].write_text("a,b,score,map\nAnn,Cid,1,y\nBob,Cid,1,x\n")
    games = read_games(paths, facts="map", time="none", warn=False)
    assert facts_of(games) == {"map": ["x", "y", "x"]}
    paths[1].write_text("a,b,score,ground\nAnn,Cid,1,y\n")
    with refused(BadData, "no_such_column", about=("map", "facts=")):
        read_games(paths, facts="map")


def test_facts_of_chess_games():
    """The tags of a PGN file."""
    pgn = (
        '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n[ECO "B20"]\n[TimeControl "60+0"]\n\n1-0\n\n'
        '[White "Bob"]\n[Black "Ann"]\n[Result "0-1"]\n[ECO "C42"]\n[TimeControl "300+0"]\n\n0-1\n'
    )
    games = read_games(
        io.BytesIO(pgn.encode()), facts="eco", per="timecontrol", warn=False, format="pgn"
    )
    assert facts_of(games) == {"eco": ["B20", "C42"]}
    assert "Ann@300+0" in games.players
