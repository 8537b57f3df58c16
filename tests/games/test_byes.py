"""Byes are no games, and unplayed games are none."""

from __future__ import annotations

import io

import pytest

from prowess import rate
from prowess.compile import kernel
from prowess.engine.system import Unratable
from prowess.games import BadData, read_games
from prowess.games.names import BYES
from tests.cli.command import prowess
from tests.games.sides import members_of, sides_of
from tests.refusals import refused

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]
TABLE = "round,a,b,result\n0,Zed,bye,1\n1,Ann,Bob,1\n1,Cy,{bye},{result}\n2,Cy,Ann,0\n"


def read(text, compiled=False, **options):
    """A table in CSV."""
    return read_games(io.BytesIO(text.encode()), format="csv", compiled=compiled, **options)


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("result", ["1", "", "+", "what"])
@pytest.mark.parametrize("bye", ["BYE", " Exempt ", "wolny  los", "-"])
def test_byes_are_left_out(compiled, bye, result):
    """A row against a bye is left out whatever its result, counted, and said in a note."""
    games = read(TABLE.format(bye=bye, result=result), compiled)
    assert games.players == ["Ann", "Bob", "Cy"]  # as the rows that are left name them
    assert [games.players[index] for index in games.a] == ["Ann", "Cy"]
    assert [games.players[index] for index in games.b] == ["Bob", "Ann"]
    assert games.score.tolist() == [1.0, 0.0]
    assert games.round.tolist() == [0, 1]
    assert games.reading.left_out == {"bye": 2}


@pytest.mark.parametrize("compiled", READERS)
def test_a_word_for_a_bye_as_a_result(compiled):
    """A row whose result is a bye is left out as well."""
    games = read("a,b,result\nAnn,Bob,1\nCy,nobody,bye\n", compiled)
    assert (len(games), games.left_out) == (1, 1)


@pytest.mark.parametrize("compiled", READERS)
def test_only_the_whole_cell_counts(compiled):
    """Names that contain such a word are names."""
    games = read("a,b,result\nDon Bye,Byerly,1\nRiposo Rossi,Goodbye,1\n", compiled)
    assert (len(games.players), games.left_out, games.notes) == (4, 0, NO_DATES)


NO_DATES = read("a,b,result\nA,B,1\nC,D,1\n").notes


@pytest.mark.parametrize("compiled", READERS)
def test_players_of_that_name(compiled):
    """An option takes the word for a name."""
    games = read("a,b,result\nBye,Ann,1\n", compiled, byes="players")
    assert (games.players, games.left_out) == (["Bye", "Ann"], 0)
    with refused(BadData, "unknown_option_value", about="no"):
        read("a,b,result\nBye,Ann,1\n", compiled, byes="no")


@pytest.mark.parametrize("compiled", READERS)
def test_nothing_but_byes(compiled):
    """A table of byes has no game."""
    with refused(BadData, "no_games", about="played"):
        read("a,b,result\nAnn,bye,1\nBob,bye,\n", compiled)


@pytest.mark.parametrize("write", [str, str.upper, str.title])
def test_every_word(write):
    """Each word is found in small letters, in capitals and with an initial capital."""
    tables = {word: {"a": ["Ann"] * 2, "b": ["Bob", write(word)], "score": [1, 1]} for word in BYES}
    found = {word: read_games(table) for word, table in tables.items()}
    assert [word for word, one in found.items() if (len(one), one.left_out) != (1, 1)] == []


def test_unplayed_games(tmp_path):
    """A game of chess whose termination says that it was not played is left out and counted."""
    file = tmp_path / "games.pgn"
    file.write_text(
        '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1-0\n\n'
        '[White "Ann"]\n[Black "Cy"]\n[Result "1-0"]\n[Termination "Unplayed"]\n\n1-0\n',
        encoding="utf-8",
    )
    told: list[BadData] = []
    games = read_games(file, report=told.append)
    assert (len(games), games.players, games.left_out) == (1, ["Ann", "Bob"], 1)
    assert "was not played" in str(told[0])
    assert games.reading.left_out == {"unfinished": 1}


def test_byes_on_the_command_line(tmp_path):
    """The count stands on stderr, and the option keeps the name."""
    file = tmp_path / "games.csv"
    file.write_text("a,b,result\nAnn,Bob,1\nCy,bye,1\n", encoding="utf-8")
    done = prowess("rate", file, "--csv")
    assert "look at   1 row left out: bye" in done.stderr
    assert "bye" not in done.stdout.lower()
    done = prowess("rate", file, "--csv", "--byes", "players")
    assert "bye" in done.stdout
    assert "left out" not in done.stderr


@pytest.mark.parametrize("name", ["Bye 1", "(bye)", "*BYE*", "Freilos 2", "spielfrei.", "bye-2"])
def test_byes_with_a_number_or_marks(name):
    """A number or marks round the word change nothing; letters do."""
    text = f"white,black,result\nAnn,Bob,1-0\nCid,{name},1-0\nByeford,Ann,0-1\n"
    games = read_games(io.StringIO(text), format="csv")
    assert list(games.players) == ["Ann", "Bob", "Byeford"]
    assert games.left_out == 1


SIDES = "date,a1,a2,b1,b2,result\n2024-01-01,Ann,Bob,Cid,Dan,1-0\n"


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("bye", ["bye", "-", "Freilos", "(bye)"])
def test_a_bye_beside_a_player_is_no_member(compiled, bye):
    """Only a side of nothing but byes makes a row one that was not played."""
    games = read(f"{SIDES}2024-01-02,Ann,{bye},Cid,Dan,1/2-1/2\n", compiled)
    assert sides_of(games) == [[["Ann", "Bob"], ["Cid", "Dan"]], [["Ann"], ["Cid", "Dan"]]]
    assert games.score.tolist() == [1.0, 0.5]
    assert games.left_out == 0
    both = read(f"{SIDES}2024-01-02,Ann,{bye},Cid,{bye},0-1\n", compiled)
    assert sides_of(both)[1] == [["Ann"], ["Cid"]]
    for rest, result in ((bye, "1-0"), (bye, ""), ("", "1-0"), ("", "")):
        left = read(f"{SIDES}2024-01-02,Ann,Bob,{bye},{rest},{result}\n", compiled)
        assert sides_of(left) == [[["Ann", "Bob"], ["Cid", "Dan"]]]
        assert left.left_out == 1
    unplayed = read(f"{SIDES}2024-01-02,{bye},Ann,Cid,Dan,\n", compiled)
    assert unplayed.reading.left_out == {"not played": 1}


@pytest.mark.parametrize("compiled", READERS)
def test_a_bye_beside_a_name_in_one_text(compiled):
    """So it is where names are joined, also where the winner is told by that text."""
    text = "a,b,winner\nAnn & Bob,Cid & bye,Cid & bye\nAnn & W/O,Cid / Dan,Ann\nAnn & Bob,bye,Ann\n"
    games = read(text, compiled, teams="members")
    assert sides_of(games) == [[["Ann", "Bob"], ["Cid"]], [["Ann"], ["Cid", "Dan"]]]
    assert games.score.tolist() == [0.0, 1.0]
    assert games.left_out == 1
    dash = read(text.replace("W/O", "-"), compiled, teams="members")
    assert sides_of(dash) == sides_of(games)


def test_members_of_that_name():
    """The option takes the word for a member; a dash in a column of members stays an empty cell."""
    games = read(f"{SIDES}2024-01-02,Ann,bye,Cid,-,1-0\n", byes="players")
    assert sides_of(games)[1] == [["Ann", "bye"], ["Cid"]]
    assert games.left_out == 0


def test_the_share_of_a_bye():
    """Nobody asks for the share of a bye, and names joined in a text have the share beside it."""
    text = (
        "a1,a1_share,a2,a2_share,b1,result\nAnn,1,bye,,Bob,1\nbye,,,,Bob,1\n"
        "Cid & Dan,2,Eve,1,Bob,1\n"
    )
    games = read(text, teams="members")
    assert members_of(games) == [
        [[("Ann", 1.0, "player")], [("Bob", 1.0, "player")]],
        [[("Cid", 1.0, "player"), ("Dan", 1.0, "player"), ("Eve", 0.5, "player")],
         [("Bob", 0.5, "player")]],
    ]  # fmt: skip
    assert games.left_out == 1


@pytest.mark.parametrize("compiled", READERS)
def test_byes_in_rows_of_teams(compiled):
    """A bye in a team is no member; a match against nothing but a bye was not played."""
    text = (
        "match,team,player,result\n1,r,Ann,win\n1,r,bye,win\n1,b,Cid,loss\n1,b,bye,loss\n"
        "2,r,Ann,win\n2,b,bye,loss\n"
    )
    games = read(text, compiled)
    assert sides_of(games) == [[["Ann"], ["Cid"]]]
    assert list(games.players) == ["Ann", "Cid"]
    assert games.score.tolist() == [1.0]
    assert games.left_out == 1
    assert games.reading.left_out == {"bye": 1}
    kept = read(text.replace("1,b,bye,loss\n", ""), compiled, byes="players")
    assert sides_of(kept)[0] == [["Ann", "bye"], ["Cid"]]
    with refused(BadData, "no_games", about="played"):
        read("match,team,player,result\n1,r,Ann,win\n1,b,bye,loss\n", compiled)


@pytest.mark.parametrize("compiled", READERS)
def test_byes_in_contests(compiled):
    """A bye among many is nobody; who is left alone with one has met nobody."""
    text = "race,player,place\n1,Ann,1\n1,bye,2\n1,Cid,3\n2,Cid,1\n2,Bye,2\n3,Bob,1\n3,Ann,2\n"
    contests = read(text, compiled, kind="contests")
    assert sides_of(contests) == [[["Ann"], ["Cid"]], [["Bob"], ["Ann"]]]
    assert list(contests.players) == ["Ann", "Cid", "Bob"]
    assert contests.left_out == 2


NOBODY = "one,two,winner\nAnn,Bob,Ann\nCy,{word},{won}\nBob,Cy,Cy\n"


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("won", ["Cy", ""])
@pytest.mark.parametrize("word", ["None", "nan", "NULL", "Nobody", "keiner"])
def test_a_name_for_nobody_in_one_column_is_a_bye(compiled, word, won):
    """It never wins and stands on one side in few rows; a note names it."""
    pair = {"player_a": "one", "player_b": "two", "warn": False}
    games = read(NOBODY.format(word=word, won=won), compiled, **pair)
    assert games.players == ["Ann", "Bob", "Cy"]
    assert games.reading.left_out == {"bye": 1}
    assert won == "" or any(f'"{word}" is read as no' in note for note in games.notes)
    kept = read(NOBODY.format(word=word, won="Cy"), compiled, byes="players", **pair)
    assert word in kept.players


@pytest.mark.parametrize("compiled", READERS)
def test_a_name_for_nobody_with_results_of_its_own_is_a_player_or_asked_about(compiled):
    """A player on both sides who has won; a question where it always loses, or wins as a guest."""
    text = "a,b,result\nNull,Ann,1\nAnn,Null,1\nAnn,Bob,1\nBob,Ann,1\nBob,Ann,0\n"
    assert "Null" in read(text, compiled).players
    for other in (
        text.replace("Null,Ann,1", "Null,Ann,0"),
        text.replace("Null,Ann,1", "Ann,Null,0"),
    ):
        with refused(BadData, "bye_or_player", about="Null"):
            read(other, compiled)
        assert "Null" in read(other, compiled, byes="players").players
        left = read(other, compiled, exclude={"a": "Null", "b": "Null"})
        assert left.players == ["Ann", "Bob"]


def test_nobody_in_teams_and_contests():
    """An empty place of a side, and what is last in every contest."""
    sides = read(
        "a1,a2,b1,b2,winner\nAnn,Bob,Cy,Di,Ann\nCy,None,Bob,nan,Bob\nBob,Di,None,NULL,Bob\n"
    )
    assert sides.players == ["Ann", "Bob", "Cy", "Di"]
    assert sides.reading.left_out == {"bye": 1}
    contests = read(
        "race,player,place\n1,Ann,1\n1,Bob,2\n1,None,3\n2,Bob,1\n2,Ann,2\n2,None,3\n", warn=False
    )
    assert contests.players == ["Ann", "Bob"]
    with refused(BadData, "bye_or_player", about="None"):
        read("race,player,place\n1,Ann,1\n1,None,2\n1,Bob,3\n2,Bob,1\n2,Ann,2\n")
    with refused(
        BadData, "bye_or_player", about="None"
    ):  # who is as good as the last of the others is none
        read("race,player,place\n1,Ann,1\n1,Bob,2\n1,None,2\n2,Bob,1\n2,Ann,2\n")


def test_a_result_that_is_not_there_is_no_bye():
    """`n/a` in place of a result is a game that was not played, in place of a player a bye."""
    games = read("a,b,result\nAnn,Bob,1\nBob,Cy,n/a\nCy,n/a,1\nCy,Ann,0\n")
    assert games.reading.left_out == {"not played": 1, "bye": 1}


@pytest.mark.parametrize("word", ["None", "-", "No winner", "kein Sieger"])
def test_a_game_that_nobody_won_is_asked_about(word):
    """Both answers of the remedy work."""
    table = NOBODY.format(word="Bob", won=word)
    with refused(BadData, "winner_missing", about=("outcomes=", "0.5", str(word))):
        read(table, player_a="one", player_b="two")
    assert 0.5 in read(table, outcomes={word: 0.5}, player_a="one", player_b="two").score
    assert len(read(table, outcomes={word: None}, player_a="one", player_b="two")) == 2


def two_columns(*games, result=("2-0", "1-2", "2-1")):
    a, b = zip(*games, strict=True)
    return {"Player 1": [*a], "Player 2": [*b], "Result": [*result][: len(a)]}


@pytest.mark.parametrize("word", ["FREE", "x", "Ghost", "Dummy"])
def test_a_word_for_nobody_is_no_player_or_is_asked_about(word):
    """FREE and x are nobody where all speaks for it; Ghost and Dummy may be names, too."""
    table = two_columns(("Cid", word), ("Ann", "Ben"), ("Ben", "Cid"))
    if word in {"Ghost", "Dummy"}:
        with refused(BadData, "bye_or_player", about=("names", "byes=")):
            read_games(table, warn=False)
    else:
        assert len(read_games(table, warn=False)) == 2
    kept = read_games({**table, "Player 1": ["Cid", "bye", "Ben"]}, warn=False, byes="names")
    assert (len(kept), kept.left_out) == (2, 1)
    won = two_columns(("Ann", "Ben"), ("Cid", word), ("Ben", "Cid"))
    if word == "FREE":
        with refused(BadData, "bye_or_player"):
            read_games(won, warn=False)
    else:
        assert len(read_games(won, warn=False)) == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [("Sieger HF1", "Sieger HF2"), ("Winner of QF 3", "Cid"), ("W41", "L42"),
     ("1st Group A", "Ann"), ("Winner Match 7", "Loser Match 8")],
)  # fmt: skip
def test_places_to_come_without_a_result_are_no_players(one, other):
    """A game between the winners of games to come was not played; its 0-0 is no draw."""
    games = [("Ann", "Ben"), ("Ben", "Cid"), (one, other)]
    table = two_columns(*games, result=("2-0", "1-2", "0-0"))
    games_read = read_games(table, warn=False)
    assert (len(games_read), games_read.left_out) == (2, 1)
    assert len(read_games({**table, "Result": ["2-0", "1-2", "2-1"]}, warn=False)) == 3


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("result", ["1", "", "+", "what"])
def test_byes_are_wins_where_asked_for(compiled, result):
    """Who has a bye gets the result that stands there, and a win without one."""
    rows = f"a,b,result\nAnn,Bob,1\nCy,bye,{result}\nbye,Ann,\nBob,-,0.5\nCy,Ann,0\n"
    games = read(rows, compiled, byes="wins")
    named = [(games.players[a], games.players[b]) for a, b in zip(games.a, games.b, strict=True)]
    assert named == [("Ann", "Bob"), ("Cy", "bye"), ("bye", "Ann"), ("Bob", "-"), ("Cy", "Ann")]
    assert games.score.tolist() == [1.0, 1.0, 0.0, 0.5, 0.0]
    assert games.facts["unplayed"].tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]
    assert [games.players[k] for k in range(5) if not games.role[k]] == ["Ann", "Bob", "Cy"]
    assert games.left_out == 0


@pytest.mark.parametrize("system", ["elo", "prowess", "bradley_terry"])
def test_byes_are_points_and_no_games(system):
    """A system that rates games refuses them."""
    games = read(TABLE.format(bye="bye", result="1"), byes="wins")
    with refused(Unratable, "bye_is_no_game"):
        rate(games, system)


def test_two_byes_are_no_win():
    """A row of nobody against nobody is left out."""
    games = read("a,b,result\nAnn,Bob,1\nbye,-,1\n", byes="wins")
    assert (len(games), games.players, games.left_out) == (1, ["Ann", "Bob"], 1)


def test_byes_of_roles_are_no_wins():
    """Beside members of other roles a bye has no points."""
    with refused(BadData, "byes_of_roles"):
        read("a,b,surface,result\nAnn,Bob,clay,1\nCy,bye,clay,1\n", byes="wins", per="surface")
