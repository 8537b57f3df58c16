"""Draws in tables that name a winner: columns of draws, and equal points."""

from __future__ import annotations

import io

import pytest

from prowess.compile import kernel
from prowess.games import BadData, read_games
from tests.cli.command import prowess
from tests.refusals import refused

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]


def read(text, compiled, **options):
    """A table in CSV."""
    return read_games(io.BytesIO(text.encode()), format="csv", compiled=compiled, **options)


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("heading", ["draw", "Drawn", "is_draw", "tie", "Remis", "empate"])
@pytest.mark.parametrize(("yes", "no"), [("True", "False"), ("1", "0"), ("yes", "no")])
def test_a_column_of_draws(compiled, heading, yes, no):
    """A game is a draw where a column of draws says so, whatever the winner's column says."""
    games = read(f"winner,loser,{heading}\nA,B,{yes}\nA,B,{no}\nB,A,{yes}\n", compiled)
    assert games.score.tolist() == [0.5, 1.0, 0.5]


@pytest.mark.parametrize("compiled", READERS)
def test_a_named_column_of_draws(compiled):
    """Any column may be named as that of draws, and none of them."""
    text = "winner,loser,draw,even\nA,B,0,1\nA,B,0,0\n"
    assert read(text, compiled, draw="even").score.tolist() == [0.5, 1.0]
    assert read(text.replace("0,1", "1,1"), compiled, draw="none").score.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("compiled", READERS)
def test_equal_points_of_winner_and_loser(compiled):
    """Winner and loser with equal points have drawn, and a note says so."""
    text = "winner,loser,winner_score,loser_score\nA,B,2,2\nA,B,3,1\nB,A,0,0\n"
    games = read(text, compiled)
    assert games.score.tolist() == [0.5, 1.0, 0.5]
    assert any("2 games with equal points of winner and loser: a draw" in n for n in games.notes)
    games = read(text, compiled, draw="none")
    assert games.score.tolist() == [1.0, 1.0, 1.0]
    assert not any("equal points" in note for note in games.notes)


@pytest.mark.parametrize("compiled", READERS)
def test_a_column_of_draws_is_believed(compiled):
    """Where a column says that a game with equal points was no draw, the winner has won."""
    text = "winner,loser,winner_score,loser_score,draw\nA,B,2,2,no\nA,B,2,2,yes\nA,B,3,1,no\n"
    assert read(text, compiled).score.tolist() == [1.0, 0.5, 1.0]


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "winner,loser,winner_score,loser_score,draw\nA,B,3,1,yes\n",
            ("draw_with_margin", "line 2", 'column "draw"'),
        ),
        ("winner,loser,margin,draw\nA,B,3,yes\n", ("draw_with_margin",)),
        ("a,b,winner,draw\nA,B,A,yes\n", ("draw_contradicts", "yes", "A")),
        ("a,b,winner,draw\nA,B,tie,no\n", ("draw_contradicts", "no", "tie")),
        ("a,b,winner,draw\nA,B,,no\n", ("winner_missing",)),
        ("winner,loser,draw\nA,B,perhaps\n", ("not_yes_or_no", "perhaps", "--draw")),
    ],
)
def test_contradictions_about_draws(compiled, text, what):
    """A row that contradicts itself about a draw is refused."""
    with refused(BadData, what[0], about=what[1:]):
        read(text, compiled)


@pytest.mark.parametrize("compiled", READERS)
def test_a_draw_has_no_winner(compiled):
    """Beside two players a drawn game may leave the winner empty."""
    games = read("a,b,winner,draw\nA,B,,yes\nA,B,B,no\nA,B,tie,yes\n", compiled)
    assert games.score.tolist() == [0.5, 0.0, 0.5]


def test_draws_on_the_command_line(tmp_path):
    """The option names the column, and the note about equal points stands on stderr."""
    file = tmp_path / "games.csv"
    file.write_text("winner,loser,level\nA,B,1\nB,A,0\n", encoding="utf-8")
    done = prowess("rate", file, "--draw", "level", "--csv", "--system", "elo", "--set", "k=20")
    assert done.returncode == 0
    assert "B,1510" in done.stdout  # one draw from level ratings, then one win: half of K
    file.write_text("winner,loser,winner_score,loser_score\nA,B,1,1\n", encoding="utf-8")
    assert "note: 1 game with equal points" in prowess("rate", file).stderr


@pytest.mark.parametrize("heading", ["result", "outcome", "score", "Draw?", "is_tied"])
def test_draws_beside_winner_and_loser(heading):
    """What a table of winners says of the result is heard, and a note tells of the draws."""
    words = ("TRUE", "FALSE") if heading in {"Draw?", "is_tied"} else ("2-2", "3-1")
    text = f"winner,loser,{heading}\nAnn,Bob,{words[0]}\nBob,Cid,{words[1]}\n"
    games = read_games(io.StringIO(text), format="csv")
    assert games.score.tolist() == [0.5, 1.0]
    other = text.replace(words[0], words[0] if heading in {"Draw?", "is_tied"} else "tie")
    assert read_games(io.StringIO(other), format="csv").score.tolist() == [0.5, 1.0]
    if heading in {"result", "outcome", "score"}:
        assert any("calls a draw" in note for note in games.notes)


def test_a_draw_size_is_no_draw():
    """A heading that only holds the word tells no draws."""
    text = "winner,loser,draw_size\nAnn,Bob,32\n"
    assert read_games(io.StringIO(text), format="csv").score.tolist() == [1.0]


@pytest.mark.parametrize(("heading", "row"), [
    ("away,home,result", "Ann,Bob,1-0"),
    ("date,time,home,away,result", "2020-01-01,late,Ann,Bob,1-0"),
])  # fmt: skip
def test_what_is_easily_misread_is_said(heading, row):
    """The order of the sides and times of the day that are not used are told in a note."""
    games = read_games(io.StringIO(f"{heading}\n{row}\n"), format="csv")
    told = "is not used: games of one day" if "time" in heading else 'those of "home" first'
    assert any(told in note for note in games.notes)
