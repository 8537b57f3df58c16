"""What makes two spellings one player, and which names are said to look alike."""

from __future__ import annotations

import io
import random
import string
import unicodedata
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import prowess as face
from prowess import DataWarning
from prowess.compile import kernel
from prowess.games import BadData, read_games
from prowess.games.names import Roster, normal_name
from prowess.games.numbering import normalize_names
from prowess.games.repetition import look_alikes
from tests.cli.command import prowess
from tests.refusals import refused

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]
WINNERS = "a,b,winner\nAnn Lee,Bob,{winner}\nBob,Ann Lee,{winner}\n"
SPELLINGS = [
    "José Ruiz",
    "Jose\u0301 Ruiz",
    "José\u00a0Ruiz",
    " José  Ruiz ",
    "José\u2009 Ruiz",
]


def read(text, compiled=False, **options):
    """A table in CSV."""
    return read_games(io.BytesIO(text.encode()), format="csv", compiled=compiled, **options)


@pytest.mark.parametrize("compiled", READERS)
def test_spellings_of_one_name(compiled):
    """Names that differ by blanks or by the form of Unicode are one player."""
    text = "a,b,winner\n" + "".join(f'{name},Bob,"{name}"\n' for name in SPELLINGS)
    games = read(text + "Zed  Y,Bob,Zed Y\n", compiled)
    assert games.players == ["José Ruiz", "Bob", "Zed Y"]
    assert games.a.tolist() == [0, 0, 0, 0, 0, 2]
    assert games.score.tolist() == [1.0] * 6


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("winner", ["ann lee", "ANN LEE", "Ann\u00a0Lee", "ann  lee"])
def test_winners_in_other_spelling(compiled, winner):
    """A winner is recognised whatever the case and the blanks of the name."""
    assert read(WINNERS.format(winner=winner), compiled).score.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("compiled", READERS)
def test_winners_that_may_be_either(compiled):
    """A winner who may be either player by the letters alone is refused."""
    with refused(BadData, "unknown_winner", about="ANN", line=2, column="winner"):
        read("a,b,winner\nAnn,ann,ANN\n", compiled)
    assert read("a,b,winner\nAnn,ann,ann\n", compiled).score.tolist() == [0.0]


@pytest.mark.parametrize("compiled", READERS)
def test_two_spellings_in_one_game(compiled):
    """Nobody plays against another spelling of their own name; a blank of any kind is no name."""
    with refused(BadData, "self_play", about="A B", line=3, column="b"):
        read("a,b,score\nA,B,1\nA B,A\u00a0B,1\n", compiled)
    with refused(BadData, "not_a_name", line=3, column="b"):
        read("a,b,score\nA,B,1\nA B,\u00a0,1\n", compiled)


@pytest.mark.parametrize("compiled", READERS)
def test_spellings_of_rounds(compiled):
    """The labels of rounds are compared in the same form."""
    games = read("round,a,b,score\nR 1,A,B,1\nR\u00a01,A,B,1\nR 2,A,B,1\n", compiled)
    assert games.round.tolist() == [0, 0, 1]


@pytest.mark.parametrize("compiled", READERS)
def test_spellings_in_contests(compiled):
    """In contests, too, they are one player, who may not stand twice in one."""
    contests = read("event,player,place\nE,A B,1\nE,C,2\nF,A\u00a0B,1\nF\u00a0,C,2\n", compiled)
    assert contests.players == ["A B", "C"]
    assert len(contests) == 2
    with refused(BadData, "player_twice", about="A B", line=3, column="player"):
        read("event,player,place\nE,A B,1\nE,A\u00a0B,2\n", compiled)


@given(st.lists(st.text(min_size=1).filter(normal_name), max_size=8))
def test_normal_rosters(names):
    """A roster in its normal form has every normal name once, in order of first appearance."""
    bare = list(dict.fromkeys(name.strip(" \t") or "x" for name in names))
    try:
        roster = Roster(bare)
    except UnicodeEncodeError:
        return
    normal = [normal_name(name) for name in bare]
    found, (ids,) = normalize_names(roster, np.arange(len(roster), dtype=np.uint32))
    assert list(found) == list(dict.fromkeys(normal))
    assert [found[index] for index in ids.tolist()] == normal
    assert all(unicodedata.is_normalized("NFC", name) for name in found)


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_player_is_found_in_any_spelling(name):
    """Who is asked for in another spelling of the name is found."""
    roster = read(f"a,b,score\nBob,{SPELLINGS[0]},1\n").players
    assert roster.find(name) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann", "ann"), ("Müller", "Muller"), ("ŁUKASZ", "łukasz"), ("Straße", "strasse"),
        ("Johansson", "Johanson"), ("Carlsen", "Carlson"), ("Ann-Lee", "Ann Lee"),
        ("Real Madrid", "Real Madrids"), ("Ravens", "Raven"), ("Ann", "Ann\u200b"),
        ("John Smith", "Smith, John"), ("José Ruiz", "Ruiz Jose"),
    ],
)  # fmt: skip
def test_names_that_look_alike(one, other):
    """Names that differ by case, accents, hidden characters, order or one letter look alike."""
    assert look_alikes(["Zed", one, "Someone else", other]) == [(1, 3)]


@pytest.mark.parametrize(
    "names",
    [
        ["Player 1", "Player 2", "Player 12"], ["Team A", "Team B"], ["Zed", "Zet"],
        ["Smith, J.", "Smith, K."], ["v1.10", "v1.11"], ["p_1000", "p_1001"], ["Alice", "Bob"],
        ["bot aa", "bot ab", "bot ac", "bot ad"], ["Zambia", "Gambia"], ["Bravens", "Ravens"], [],
        ["Ann"], ["Team A B", "Team B A"], ["Ann & Bob", "Bob & Ann"],
    ],
)  # fmt: skip
def test_names_that_do_not(names):
    """Digits, letters that stand alone, short names and series are no reason for suspicion."""
    assert look_alikes(names) == []


def test_names_one_letter_apart_are_all_found():
    """The pairs are those that a comparison of every two names finds."""
    source = random.Random(5)
    names = {"x" + "".join(source.choices("abcd", k=source.choice([6, 7]))) for _ in range(150)}
    roster = sorted(names)

    def near(one, other):
        if len(one) == len(other):
            return sum(a != b for a, b in zip(one, other, strict=True)) == 1
        one, other = sorted((one, other), key=len)
        return len(other) == len(one) + 1 and any(
            other[:at] + other[at + 1 :] == one for at in range(len(other))
        )

    pairs = [
        (a, b) for a in range(len(roster)) for b in range(a + 1, len(roster))
        if near(roster[a], roster[b])
    ]  # fmt: skip
    twins = [sum(at in pair for pair in pairs) for at in range(len(roster))]
    assert pairs
    expected = [(a, b) for a, b in pairs if max(twins[a], twins[b]) <= 2]
    assert look_alikes(roster) == expected


def test_a_large_roster_is_not_searched():
    """Above 50,000 names no look-alikes are sought."""
    letters = string.ascii_lowercase[4:]
    names = [f"{a}{b}{c}{d}" for a in letters for b in letters for c in letters for d in "xyz"]
    assert look_alikes([*names, "Xaxa", "xaxa"])
    assert look_alikes([*names, "Xaxa", "xaxa"] + [str(n) for n in range(50_000)]) == []


def test_the_note_and_the_warning():
    """Names that look alike are noted and warned about, in the caller's line; never merged."""
    table = {"a": ["Ann", "Bob"], "b": ["Cid", "ann"], "score": [1, 0]}
    with pytest.warns(DataWarning, match='look alike and count as .*: "Ann"/"ann"') as caught:
        games = read_games(table)
    assert caught[0].filename == __file__
    assert games.players == ["Ann", "Cid", "Bob", "ann"]
    assert any('"Ann"/"ann"' in note for note in games.notes)
    with pytest.warns(DataWarning) as caught:
        face.rate(table)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_games(table, warn=False).notes == games.notes


def test_players_who_met_are_two():
    """Names that look alike are no reason for suspicion where they played each other."""
    read_games({"a": ["Ann", "Ann"], "b": ["ann", "Bob"], "score": [1, 0]})
    read_games({"event": ["E", "E"], "player": ["Ann", "ann"], "place": [1, 2]})
    with pytest.warns(DataWarning):
        read_games({"event": ["E", "E", "F", "F"], "player": ["Ann", "x", "ann", "y"],
                    "place": [1, 2, 1, 2]})  # fmt: skip


def test_many_pairs_are_counted():
    """A note names five pairs."""
    names = ["Anna", "Berta", "Carla", "Doris", "Emil", "Franz", "Gerda"]
    both = [*names, *map(str.lower, names)]
    with pytest.warns(DataWarning, match=r'"Emil"/"emil" and 2 more$'):
        read_games({"a": both, "b": ["x"] * 14, "score": [1] * 14})


def test_look_alikes_on_the_command_line(tmp_path):
    """The note stands once on stderr; no warning of Python beside it."""
    file = tmp_path / "games.csv"
    file.write_text("a,b,result\nAnn,Bob,1\nann,Cid,1\n", encoding="utf-8")
    done = prowess("rate", file)
    assert done.stderr.count('"Ann"/"ann"') == 1
    assert '"Ann"/"ann"' not in prowess("rate", file, "--quiet").stderr
