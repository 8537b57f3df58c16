"""Results that can be read in two ways are asked about; a word and its score must not differ."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from prowess import BadData, read_games
from prowess.games.errors import NothingPlayed
from tests.refusals import refused


def read_scores(folder: Path, text: str, **options: Any) -> list[float]:
    file = folder / "games.csv"
    file.write_text(text)
    scores: list[float] = read_games(file, **options).score.tolist()
    return scores


def test_word_decides_where_the_winners_points_stand_first(tmp_path: Path) -> None:
    """Won or lost decides where the winner's points stand first."""
    table = "Player,Opponent,Result\nAnn,Bob,Won 3-1\nAnn,Cid,Lost 3-0\nBob,Cid,Lost 3-2\n"
    assert read_scores(tmp_path, table) == [1, 0, 0]
    own = "Player,Opponent,Result\nAnn,Bob,Won 3-1\nAnn,Cid,Lost 0-3\nBob,Cid,Lost 2-3\n"
    assert read_scores(tmp_path, own) == [1, 0, 0]


@pytest.mark.parametrize("heading", ["Player,Opponent,Result", "p1,p2,result", "Home,Away,Score"])
@pytest.mark.parametrize("odd", ["Won 2-3", "Lost 3-2"])
def test_word_against_its_score_is_refused(tmp_path: Path, heading: str, odd: str) -> None:
    """A word that the order of its column does not explain is refused with its line."""
    rows = f"Ann,Bob,Won 3-1\nAnn,Cid,Lost 0-3\nBob,Cid,Lost 2-3\nAnn,Dee,{odd}\n"
    with refused(BadData, "points_contradict", about=odd):
        read_scores(tmp_path, f"{heading}\n{rows}")


def test_rows_decide_the_order_of_points_not_their_texts(tmp_path: Path) -> None:
    """Three rows of one text outweigh two rows of two."""
    rows = "Ann,Bob,Lost 1-3\n" * 3 + "Ann,Cid,Lost 3-2\nAnn,Cid,Lost 5-2\n"
    table = f"Player,Opponent,Result\n{rows}"
    with refused(BadData, "points_contradict", about="Lost 3-2"):
        read_scores(tmp_path, table)
    assert read_scores(tmp_path, table, skip_bad=True, warn=False) == [0, 0, 0]


@pytest.mark.parametrize("heading", ["result", "Outcome"])
def test_results_are_names_of_players(tmp_path: Path, heading: str) -> None:
    """A column of results that names the row's own players names the winner."""
    table = f"p1,p2,{heading}\nAnn,Bob,Ann\nBob,Cid,cid\nCid,Ann,draw\n"
    assert read_scores(tmp_path, table) == [1, 0, 0.5]


@pytest.mark.parametrize(("rows", "by_name", "by_side"), [
    ("A,B,A\nB,C,B\nC,A,A\n", [1, 1, 0], [1, 0, 1]),
    ("1,2,2\n2,3,2\n3,1,1\n", [0, 1, 0], [0, 0, 1]),
])  # fmt: skip
def test_names_that_may_be_sides_are_asked_about(
    tmp_path: Path, rows: str, by_name: list[float], by_side: list[float]
) -> None:
    """Players called A and B: the result may name a player or a side."""
    table = "p1,p2,result\n" + rows
    with refused(BadData, "player_or_side", about=("result", "winner=")):
        read_scores(tmp_path, table)
    assert read_scores(tmp_path, table, winner="result") == by_name
    assert read_scores(tmp_path, table, result="result") == by_side


@pytest.mark.parametrize("heading", ["winner", "winner_index"])
def test_winners_0_and_1_are_asked_about(tmp_path: Path, heading: str) -> None:
    """Winners 0 and 1 may be flags, or count the players from 0 or from 1."""
    table = f"p1,p2,{heading}\nAnn,Bob,0\nBob,Cid,1\nCid,Ann,1\n"
    with refused(BadData, "winners_ambiguous"):
        read_scores(tmp_path, table)
    assert read_scores(tmp_path, table, outcomes={"0": 1, "1": 0}) == [1, 0, 0]


def test_numbers_0_1_and_2_are_asked_about(tmp_path: Path) -> None:
    """They may be points or say who won; what is offered first begins with a win."""
    with refused(BadData, "numbers_ambiguous", about='outcomes={"2": 1, "1": 0.5, "0": 0}'):
        read_scores(tmp_path, "home,away,result\nAnn,Bob,0\nBob,Cid,1\nCid,Ann,2\n")


def test_points_that_are_places_are_asked_about(tmp_path: Path) -> None:
    """Points that are the places of each race may be better low or high."""
    file = tmp_path / "races.csv"
    file.write_text("Race,Boat,Points\n1,Gull,1\n1,Tern,2\n1,Auk,3\n2,Tern,1\n2,Gull,2\n2,Auk,3\n")
    with refused(BadData, "better_end_unknown", about=("-Points", "points=")):
        read_games(file)
    assert read_games(file, points="-Points").place is not None
    file.write_text("Race,Boat,Points\n1,Gull,9\n1,Tern,6\n1,Auk,4\n2,Tern,9\n2,Gull,6\n2,Auk,4\n")
    assert read_games(file).place is not None


def test_score_that_a_sheet_made_a_date_says_so() -> None:
    """A date in place of a score is called one, with the remedy."""
    rows = [{"Home": "Ann", "Away": "Bob", "Score": date(2025, 3, 1)}]
    with refused(BadData, "score_became_date", about="2025-03-01"):
        read_games(rows)


@pytest.mark.parametrize(
    ("cell", "score", "points"),
    [
        ("3-1 xy", 1, 3.0),
        ("1-1 xy", 1, 1.0),  # decided otherwise
        ("3-1 xy", 0, None),
        ("protest", 1, None),
        ("protest", None, 0.0),  # no game: the next row
    ],
)
def test_a_word_of_the_caller_keeps_the_points(
    cell: str, score: int | None, points: float | None
) -> None:
    """What `outcomes` says of one cell takes no points from the other rows, else it is said."""
    rows = [("Ann", "Bob", "2-1"), ("Bob", "Cid", cell), ("Cid", "Ann", "0-2")]
    games = read_games(rows, outcomes={cell: score})
    if points is None:
        assert games.points_a is None
        assert any(f'not used: "{cell}"' in note for note in games.notes)
    else:
        assert games.points_a is not None
        assert games.points_a[1] == points
        assert not games.notes


DAYS = {date(2026, 12, 5): ("Ann", "Ben"), date(2026, 12, 13): ("Cid", "Dee")}
FIXTURES = {  # lists of these two games, the first named at home
    "results": "date,home,away,score\n2026-12-05,Ann,Ben,\n2026-12-13,Cid,Dee,\n",
    "marks": "Date,Home,Away,Result\n2026-12-05,Ann,Ben,-:-\n2026-12-13,Cid,Dee,vs\n",
    "goals": "Datum;Heim;Gast;Tore Heim;Tore Gast\n05.12.2026;Ann;Ben;;\n13.12.2026;Cid;Dee;;\n",
    "half": "Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR\n05/12/2026,Ann,Ben,,,\n13/12/2026,Cid,Dee,,,\n",
}


def open_games(error: NothingPlayed) -> dict[date, tuple[str, str]]:
    """The games without a result, by their day."""
    found = error.table.reading.unplayed
    assert [one.side for one in found] == [1.0] * len(found)
    return {date.fromordinal(EPOCH + int(one.time)): (one.player_a, one.player_b) for one in found}


EPOCH = date(1970, 1, 1).toordinal()


@pytest.mark.parametrize("kind", FIXTURES)
def test_a_list_of_fixtures_is_no_table_of_results(tmp_path: Path, kind: str) -> None:
    """The refusal says so, and holds the games for those who want them."""
    with refused(NothingPlayed, "no_games", about=("2 games", "without a result")) as caught:
        read_scores(tmp_path, FIXTURES[kind])
    assert open_games(caught.value) == DAYS
    assert len(caught.value.table) == 0
    assert [*caught.value.table.players] == ["Ann", "Ben", "Cid", "Dee"]
    synonyms = {"Ann": "Ann Ek"}
    with refused(NothingPlayed, "no_games") as caught:
        read_scores(tmp_path, FIXTURES[kind], names=synonyms)
    assert open_games(caught.value)[date(2026, 12, 5)] == ("Ann Ek", "Ben")


@pytest.mark.parametrize(("year", "ahead"), [(2020, False), (9000, True)])
def test_games_of_days_gone_by_are_not_to_come(tmp_path: Path, year: int, ahead: bool) -> None:
    """Import is named only where it would take one of them."""
    table = f"date,home,away,score\n2020-01-01,Ann,Ben,\n{year}-12-13,Cid,Dee,\n"
    with refused(NothingPlayed, "no_games", about="2 games without a result") as caught:
        read_scores(tmp_path, table)
    assert ("prowess import" in str(caught.value)) is ahead


def test_winners_that_are_missing_are_asked_about(tmp_path: Path) -> None:
    """Also where no row has one: all may be draws."""
    table = "date,home,away,winner\n2020-12-05,Ann,Ben,\n2020-12-13,Cid,Dee,\n"
    with refused(BadData, "winner_missing", line=2, column="winner"):
        read_scores(tmp_path, table)
    assert read_scores(tmp_path, table, outcomes={"": 0.5}) == [0.5, 0.5]


@pytest.mark.parametrize("skip", [True, "all"])
def test_bad_rows_beside_games_to_come_are_told(tmp_path: Path, skip: bool | str) -> None:
    """Where no row can be read and some are left out as bad, the first of these is why."""
    table = "date,white,black,score\n2026-01-01,Ann,Ben,50\n2026-01-02,Ben,Cid,100\n"
    with refused(BadData, "score_out_of_range", about='"50"', line=2):
        read_scores(tmp_path, f"{table}2027-05-01,Ann,Cid,postponed\n", skip_bad=skip)


def test_a_table_without_a_column_of_results_is_asked_about(tmp_path: Path) -> None:
    """It may have one that is not known; that it has none can be said."""
    table = "Date,Home Team,Away Team\n2026-12-05,Ann,Ben\n2026-12-13,Cid,Dee\n"
    with refused(BadData, "no_result_found"):
        read_scores(tmp_path, table)
    with refused(NothingPlayed, "no_games") as caught:
        read_scores(tmp_path, table, result="none")
    assert open_games(caught.value) == DAYS


def test_fixtures_without_a_day_are_none(tmp_path: Path) -> None:
    """Nobody could say when they are to come."""
    with refused(BadData, "no_games"):
        read_scores(tmp_path, "home,away,score\nAnn,Ben,\nCid,Dee,\n")
