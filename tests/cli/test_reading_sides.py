"""The options about sides, facts and roles reach the reader."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from prowess.cli.options import verb
from prowess.cli.reading import ReadingOptions, read_table
from tests.games.sides import facts_of, sides_of

GAMES = "x,y,z,won,surface,one,other,car_a,car_b\nAnn,Bob,Cid & Dan,1,clay,Red,Blue,Up,Down\n"
TEAMS = "match,crew,player,won,part\n1,r,Ann,1,0.5\n1,r,Bob,1,1\n1,b,Cid,0,1\n"


def read(text: str, tmp_path: Any, *options: str) -> Any:
    """The table that a command reads with such options."""
    found: list[Any] = []

    @verb("read")
    def command(reading: ReadingOptions) -> None:
        found.append(read_table(reading))

    path = tmp_path / "table.csv"
    path.write_text(text)
    told = CliRunner().invoke(command, [str(path), *options])
    if told.exception is not None and not isinstance(told.exception, SystemExit):
        raise told.exception
    assert found, told.output
    return found[0]


def test_sides_of_columns(tmp_path):
    """Several columns of one side, names in one cell, facts and roles."""
    table = read(
        GAMES, tmp_path, "--player-a", "x,y", "--player-b", "z", "--result", "won", "--teams",
        "members", "--facts", "surface", "--per", "surface", "--with", "car=one,other", "--with",
        "oil=car_a,car_b",
    )  # fmt: skip
    assert sides_of(table) == [[
        ["Ann", "Bob", "Ann@clay", "Bob@clay", "Red", "Up"],
        ["Cid", "Dan", "Cid@clay", "Dan@clay", "Blue", "Down"],
    ]]  # fmt: skip
    assert facts_of(table) == {"surface": ["clay"]}
    assert table.roles == ("player", "surface", "car", "oil")
    again = read(GAMES, tmp_path, "--player-a", "x", "--player-a", "y", "--player-b", "z",
                 "--result", "won", "--teams", "names", "--with", "car")  # fmt: skip
    assert sides_of(again) == [[["Ann", "Bob", "Up"], ["Cid & Dan", "Down"]]]


def test_sides_of_rows(tmp_path):
    """The column of teams and that of shares."""
    table = read(TEAMS, tmp_path, "--team", "crew", "--share", "part")
    assert sides_of(table) == [[["Ann", "Bob"], ["Cid"]]]
    assert table.share.tolist() == [0.5, 1.0, 1.0]


@pytest.mark.parametrize("option", ["--with==x", "--teams=both"])
def test_wrong_use(option, tmp_path):
    """What is no role, or no choice, is refused."""
    with pytest.raises(AssertionError, match="Invalid value"):
        read(TEAMS, tmp_path, "--team", "crew", option)
