"""The options of reading, by `prowess rate`: files, columns, rows that are kept or left out."""

from __future__ import annotations

import csv
import json

import pytest

from tests.cli.command import GAMES, answered, prowess, refused
from tests.cli.test_rate import board


def test_stdin(games):
    """`-` reads what is piped in."""
    assert answered("rate", "-", stdin=GAMES) == answered("rate", games)


def test_several_files(games, tmp_path):
    """Several files are one table."""
    header, *rows = GAMES.splitlines(keepends=True)
    files = []
    for number, part in enumerate([rows[2:], rows[:2]]):
        files.append(tmp_path / f"part{number}.csv")
        files[-1].write_text(header + "".join(part), encoding="utf-8")
    rated = board(answered("rate", *files, "--csv"))
    whole = board(answered("rate", games, "--csv"))
    assert {name: row["rating"] for name, row in rated.items()} == {
        name: row["rating"] for name, row in whole.items()
    }


def test_columns_can_be_named(tmp_path, games):
    """Options name columns that nobody would guess, and give the same ratings."""
    file = tmp_path / "odd.csv"
    file.write_text(GAMES.replace("date,player_a,player_b,result", "t,x,y,z"), encoding="utf-8")
    named = ("--player-a", "x", "--player-b", "y", "--result", "z", "--time", "t")
    assert answered("rate", file, *named) == answered("rate", games)
    assert "--result" in refused(3, "rate", file)  # the players are found by their cells


@pytest.mark.parametrize(("sides", "home"), [("a", "ada"), ("none", ""), ("host", "ben")])
def test_sides(tmp_path, sides, home):
    """--sides says who is at home: at equal ratings the side at home loses points by a draw."""
    file = tmp_path / "games.csv"
    file.write_text("player_a,player_b,result,host\nada,ben,0.5,b\n", encoding="utf-8")
    advantage = ("-s", "elo", "--set", "advantage=100", "--sides", sides, "--csv")
    rating = {
        name: float(row["rating"])
        for name, row in board(answered("rate", file, *advantage)).items()
    }
    assert [name for name in ("ada", "ben") if rating[name] < 1500] == ([home] if home else [])


def test_where_and_exclude(tmp_path):
    """--where keeps rows and --exclude drops them, several values at once and with commas."""
    file = tmp_path / "games.csv"
    file.write_text(
        'player_a,player_b,result,cup\nada,ben,1,A\nada,ben,1,"B, late"\nada,ben,1,C\n',
        encoding="utf-8",
    )
    count = [
        json.loads(answered("rate", file, *options, "--json"))["games"]
        for options in [
            (),
            ("--where", "cup=A,C"),
            ("--where", "cup=A", "--where", "cup=C"),
            ("--where", 'cup="B, late"'),
            ("--exclude", "cup=A,C"),
            ("--exclude", "cup=A"),
        ]
    ]
    assert count == [3, 2, 2, 1, 1, 2]


def test_skip_bad_names_and_counts(tmp_path):
    """--skip-bad rates the rest, names each row left out with its line, and counts them."""
    file = tmp_path / "games.csv"
    file.write_text(GAMES + "2024-03-01,ada,ben,maybe\n2024-03-02,ada,ada,1\n", encoding="utf-8")
    message = refused(3, "rate", file)
    assert "line 6" in message
    assert "maybe" in message
    done = prowess("rate", file, "--skip-bad", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["games"] == 4
    assert "line 6" in done.stderr
    assert "line 7" in done.stderr
    assert "look at   2 rows left out: bad" in done.stderr


def test_columns_named_in_turn(tmp_path):
    """A key of two columns is given in one option or in two; the lines say what was read."""
    file = tmp_path / "games.csv"
    file.write_text(
        "day,number,player,points\n1,1,ada,5\n1,1,ben,4\n1,2,ben,1\n1,2,ada,0\n", encoding="utf-8"
    )
    said = []
    for named in (["day,number"], ["day", "number"]):
        options = [part for column in named for part in ("--contest", column)]
        done = prowess("rate", file, *options)
        assert done.returncode == 0
        said.append(done.stderr.splitlines()[:2])
    assert (
        said[0]
        == said[1]
        == [
            "read as   2 contests, 4 rows, 2 players, no dates: order of the file",
            "columns   day and number = contest   player   points (more is better)",
        ]
    )
    assert prowess("rate", file, "--contest", "day", "--contest", "number", "-q").stderr == ""


def test_those_without_a_place(tmp_path):
    """DNF shares the last place, as a note says, or is left out, as an option says."""
    file = tmp_path / "race.csv"
    file.write_text("driver,position\nada,1\nben,DNF\ncy,2\n", encoding="utf-8")
    done = prowess("rate", file, "--csv")
    assert [row["player"] for row in csv.DictReader(done.stdout.splitlines())] == [
        "ada", "cy", "ben",
    ]  # fmt: skip
    assert "--unplaced skip" in done.stderr
    skipped = answered("rate", file, "--unplaced", "skip", "--csv")
    assert [row["player"] for row in csv.DictReader(skipped.splitlines())] == ["ada", "cy"]


def test_a_file_given_twice(games):
    """The same file twice is rated as asked, and the lines say what that is."""
    done = prowess("rate", games, games)
    assert done.returncode == 0
    assert done.stderr.count("4 rows stand twice") == 1


def test_doubles(tmp_path):
    """Teams in one column are refused; the remedy is an option."""
    file = tmp_path / "doubles.csv"
    file.write_text("a,b,score\nAnn & Bob,Cid & Dan,1\nBob & Ann,Dan & Eve,0\n", encoding="utf-8")
    assert "--teams names" in refused(3, "rate", file)
    assert "Bob & Ann" in answered("rate", file, "--teams", "names")


def test_families(tmp_path):
    """--family rates the families of engines, which a note counts, beside the engines."""
    file = tmp_path / "engines.csv"
    file.write_text(
        "white,black,result\nStockfish 16,Komodo 9.3x,1-0\nKomodo 14,Stockfish 17.1,0-1\n",
        encoding="utf-8",
    )
    done = prowess("rate", file, "-s", "elo", "--family", "--role", "family", "--csv")
    ranked = [row["player"] for row in csv.DictReader(done.stdout.splitlines())]
    assert ranked == ["Stockfish", "Komodo"]
    note = "2 families of the names of 4 players, the largest Stockfish (2) and Komodo (2)"
    assert note in done.stderr


def test_categories_of_a_game(tmp_path):
    """--league, --context and --variant name columns; what is not there is refused."""
    file = tmp_path / "games.csv"
    file.write_text("a,b,score,cup,ground,sets\nAnn,Bob,1,X,clay,3\n", encoding="utf-8")
    named = ("--league", "cup", "--context", "ground", "--variant", "sets")
    done = prowess("rate", file, *named, "-s", "elo")
    assert done.returncode == 0
    for category, column in (("league", "cup"), ("context", "ground"), ("variant", "sets")):
        note = f"{category} = {column} has one value only and tells no games apart"
        assert note in done.stderr
        assert f"--{category} names column" in refused(3, "rate", file, f"--{category}", "x")
    assert "tells no games apart" not in prowess("rate", file, "--league", "none").stderr
