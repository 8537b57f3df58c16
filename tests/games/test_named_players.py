"""Columns beside two players whose cells name one of them: the winner, the loser, or neither."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import prowess
from prowess.games import BadData, Games
from prowess.games.roles.evidence import tells_loser, tells_winner
from tests.refusals import refused

if TYPE_CHECKING:
    from collections.abc import Sequence

PAIRS = ("Ann", "Ann", "Bob"), ("Bob", "Cid", "Cid")
NAMED = "Bob", "Ann", "Bob"


def read_named(heading: str, scores: Sequence[str] = (), **options: str) -> Games:
    """Games of three pairs with a column that names Bob, Ann and Bob."""
    table = {"Player 1": PAIRS[0], "Player 2": PAIRS[1], heading: NAMED}
    return prowess.read_games(table | ({"Score": scores} if scores else {}), **options)


@pytest.mark.parametrize(
    "heading",
    ["Loser", "Verlierer", "Runner-up", "Losing player", "Lost", "Lost by", "Who lost", "Loses",
     "Perdant", "Perdedor", "Perdente", "Verliezer", "Przegrany", "Verloren von"],
)  # fmt: skip
def test_loser_has_lost(heading: str) -> None:
    """A column whose heading means the loser names who lost."""
    assert read_named(heading).score.tolist() == [1.0, 0.0, 0.0]
    games = read_named(heading, ["3-1", "3-0", "3-2"])
    assert games.score.tolist() == [1.0, 0.0, 0.0]
    assert games.points_a is not None
    assert games.points_a.tolist() == [3.0, 0.0, 2.0]
    assert "winner" not in str(games.reading)


@pytest.mark.parametrize(
    "heading",
    ["Winner", "Won by", "Sieger", "Gewonnen von", "Who won?", "Victor", "Champion", "Verdict",
     "Decision", "Judgment", "Preferred", "Vote", "Choice", "Gagnant", "Ganador", "Vincitore",
     "Vencedor", "Winnaar", "Zwycięzca"],
)  # fmt: skip
def test_winner_has_won(heading: str) -> None:
    """A column whose heading means the winner names who won."""
    assert read_named(heading).score.tolist() == [0.0, 1.0, 1.0]
    assert read_named(heading, ["3-1", "3-0", "3-2"]).score.tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "heading",
    ["Server", "Toss", "Home", "Referee", "First move", "MVP", "Favourite", "Host", "Umpire",
     "Toss winner", "Expected winner", "Schreiber", "Absent", "Paid by"],
)  # fmt: skip
def test_other_names_decide_nothing(heading: str) -> None:
    """Names of players under another heading, such as MVP, are asked about."""
    for scores in ([], ["3-1", "3-0", "3-2"]):
        with pytest.raises(BadData) as caught:
            read_named(heading, scores)
        told = re.findall(r'(winner|loser)="(.*?)"', str(caught.value.remedy))
        assert scores == [] or told == [("winner", heading), ("loser", heading)]
    assert read_named(heading, ["3-1", "0-3", "3-2"]).score.tolist() == [1.0, 0.0, 1.0]


def test_remedies_decide() -> None:
    """The remedies of that question give the winner, the loser, or neither."""
    scores = ["3-1", "3-0", "3-2"]
    assert read_named("MVP", scores, winner="MVP").score.tolist() == [0.0, 1.0, 1.0]
    assert read_named("MVP", scores, loser="MVP").score.tolist() == [1.0, 0.0, 0.0]
    assert read_named("MVP", scores, result="Score").score.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "heading", ["W/L", "Win/Loss", "W-L", "W/L/D", "Won", "Won?", "win", "Erfolg", "Result", "Res"]
)
@pytest.mark.parametrize("scores", [["3-1", "3-0", "3-2"], ["6-2 6-1", "6-3 6-3", "6-1 6-7 6-2"]])
def test_letter_decides_beside_winner_first(heading: str, scores: Sequence[str]) -> None:
    """W or L decides where the winner's points stand first."""
    table = {
        "Player": ["Me"] * 3, "Opponent": ["Tom", "Tim", "Tom"],
        heading: ["W", "L", "L"], "Score": scores,
    }  # fmt: skip
    assert prowess.read_games(table).score.tolist() == [1.0, 0.0, 0.0]
    if heading in {"Won", "Won?", "win", "Erfolg"}:
        table[heading] = ["Yes", "No", "No"]
        assert prowess.read_games(table).score.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("heading", "cells"),
    [("Lost?", ["No", "Yes", "Yes"]), ("Lost", ["0", "1", "1"]), ("Loser", ["2", "1", "1"]),
     ("Loser", ["Player 2", "Player 1", "Player 1"]), ("Verloren", ["nein", "ja", "ja"])],
)  # fmt: skip
def test_loser_by_side_or_flag(heading: str, cells: list[str]) -> None:
    """The loser may be named by side, by number or by a flag."""
    table = {"Player 1": PAIRS[0], "Player 2": PAIRS[1], heading: cells}
    if cells[0] == "nein":  # no word for a flag: never read as anything else
        with pytest.raises(BadData):
            prowess.read_games(table)
        return
    for scores in ({}, {"Score": ["3-1", "3-0", "3-2"]}):
        assert prowess.read_games(table | scores).score.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("heading", ["L", "l", "L."])
def test_a_letter_counts_losses(heading: str) -> None:
    """A number below L is no flag of a loser, beside scores and without; a name there is one."""
    players = {"Player 1": PAIRS[0], "Player 2": PAIRS[1]}
    losses, counts = {heading: [0, 1, 0]}, {"W": [1, 0, 0], "D": [0, 0, 1]}
    points = {"HG": [2, 0, 1], "AG": [1, 3, 1]}
    for table in (
        losses | points, points | losses, points | counts | losses,
        losses | {"Result": ["2-1", "0-3", "1-1"]}, losses | {"Result": ["1-0", "0-1", "1/2"]},
    ):  # fmt: skip
        assert prowess.read_games(players | table).score.tolist() == [1.0, 0.0, 0.5]
    counted = {**players, "W": [5, 4, 2], "D": [2, 1, 0], heading: [1, 2, 1]}
    if heading == "L.":
        with refused(BadData, "no_result_found"):
            prowess.read_games(counted)
    else:  # one of three letters that count games together
        assert prowess.read_games(counted).weight.tolist() == [5, 2, 1, 4, 1, 2, 2, 1]
    assert read_named(heading).score.tolist() == [1.0, 0.0, 0.0]


def test_loser_contradicts_points() -> None:
    """A loser with more points than the winner is refused."""
    table = {
        "Player 1": PAIRS[0], "Player 2": PAIRS[1], "Loser": NAMED,
        "Points 1": [21, 15, 21], "Points 2": [15, 21, 19],
    }  # fmt: skip
    with refused(BadData, "margin_contradicts"):
        prowess.read_games(table)


def test_unexplained_letter_is_refused() -> None:
    """A letter that no order of the points explains is refused."""
    table = {
        "Player": ["Me"] * 4, "Opponent": ["Tom", "Tim", "Tom", "Tim"],
        "W/L": ["W", "L", "L", "W"], "Score": ["3-1", "3-0", "1-3", "3-2"],
    }  # fmt: skip
    with refused(BadData, "points_contradict", about=("3-0", "L")):
        prowess.read_games(table)


def test_headings() -> None:
    """Which headings tell the winner, and which do not."""
    assert not any(map(tells_winner, ["Toss winner", "Loser", "Home", "Prize", "Favourite to win"]))
    assert not any(map(tells_loser, ["Winner", "Second", "Lost property", "Second serve"]))


def test_sources_of_derived_columns_are_used() -> None:
    """Columns of which a result was made do not stand under `not used`."""
    sets = {
        "Player A": ["Ann", "Cid", "Bob"], "Player B": ["Bob", "Ann", "Cid"],
        "Set 1": ["6-3", "6-3", "3-6"], "Set 2": ["6-2", "4-6", "2-6"], "Set 3": ["", "6-1", ""],
        "Court": ["x", "x", "y"],
    }  # fmt: skip
    assert prowess.read_games(sets).reading.unused == ("Court",)
    matches = {"Paarung": ["Ann - Bob", "Cid - Ann", "Bob - Cid"], "Result": ["3-1", "0-2", "1-1"]}
    assert prowess.read_games(matches).reading.unused == ()


@pytest.mark.parametrize(
    ("sides", "officials"),
    [
        (("Player 1", "Player 2"), ("Scorer 1", "Scorer 2")),
        (("Challenger", "Holder"), ("Umpire 1", "Umpire 2")),
        (("Red corner", "Blue corner"), ("Judge A", "Judge B")),
        (("Heim", "Gast"), ("Schiedsrichter 1", "Schiedsrichter 2")),
    ],
)
def test_officials_are_no_players(sides: tuple[str, str], officials: tuple[str, str]) -> None:
    """Judges, referees and scorers, who play other games, are on no side."""
    columns = ("Ann Ben Cem Dan", "Ben Cem Ann Ann", "Cem Dan Ben Ben", "Dan Ann Dan Cem")
    table = dict(zip((*sides, *officials), map(str.split, columns), strict=True))
    reading = prowess.read_games(table | {"Score": ["3-1", "1-3", "3-0", "3-2"]}).reading
    assert reading.unused == officials


def test_marks_of_judges_are_no_players() -> None:
    """Numbers under `Judge 1`, `Judge 2`, ... are the marks of those in the rows."""
    table = {"Bout": ["a", "a", "b", "b"], "Skater": ["Ann", "Ben", "Ann", "Ben"],
             "Judge 1": [5.4, 5.3, 5.0, 5.6], "Judge 2": [5.5, 5.4, 5.2, 5.7],
             "Judge 3": [5.6, 5.3, 5.1, 5.5], "Total": [16.5, 16.0, 15.3, 16.8]}  # fmt: skip
    with refused(BadData, "better_end_unknown", about=("Total", "Ann")):
        prowess.read_games(table)
