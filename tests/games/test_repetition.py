"""Rows that repeat other rows are named in a note."""

from __future__ import annotations

import io

import numpy as np
import pytest

from prowess.games import Games, read_games
from prowess.games.repetition import MOST_ROWS_COMPARED
from tests.games.test_real_tables import EXAMPLES

pytestmark = pytest.mark.filterwarnings("ignore::prowess.games.errors.DataWarning")


def season(games: int = 30, dated: bool = True) -> list[str]:
    """Rows of different games of different pairs, a day each."""
    rng = np.random.default_rng(5)
    rows = []
    for at in range(games):
        a, b = rng.permutation(12)[:2]
        when = f"2024-{at // 28 + 1:02d}-{at % 28 + 1:02d}," if dated else ""
        rows.append(f"{when}P{a},P{b},{rng.integers(5)},{rng.integers(5)}")
    return rows


def read(rows: list[str], heading: str = "date,player1,player2,score1,score2") -> Games:
    """A table of these rows."""
    time = None if heading.startswith("date") else "none"  # no note about the order
    games = read_games(io.StringIO("\n".join([heading, *rows])), format="csv", time=time)
    assert games.duels
    return games


def test_rows_that_stand_twice():
    """Equal rows of one day are counted, the first are named, and all are rated."""
    rows = season()
    games = read([*rows, *rows[3:8]])
    (note,) = games.notes
    assert note.startswith("5 rows repeat another row (P")
    assert note.endswith("; every row is rated")
    assert " on 2024-01-04; " in note
    assert len(games) == 35
    assert read([*rows, rows[0]]).notes[0].startswith("1 row repeats another row (P")
    assert read(rows).notes == ()


def test_another_side_or_result_is_another_game():
    """On one day a pair may play at both homes, or with another result."""
    rows = ["2024-01-01,A,B,1,0", "2024-01-01,B,A,0,1", "2024-01-01,A,B,2,0"]
    assert read(rows, "date,home,away,home_goals,away_goals").notes == ()


def test_several_games_of_a_day_are_usual():
    """Where pairs meet several times a day with other results, equal rows are no surprise."""
    rng = np.random.default_rng(1)
    rows = [
        f"2024-01-{day:02d},A,B,{int(won)},{int(not won)}"
        for day in range(1, 29) for won in rng.random(3) < 0.5
    ]  # fmt: skip
    assert read(rows).notes == ()


@pytest.mark.parametrize("copies", [2, 4])
def test_a_whole_table_twice(copies):
    """A table that holds every row twice is told, also where several games a day are usual."""
    rng = np.random.default_rng(1)
    rows = [
        f"2024-01-{day:02d},A,B,{result},{day}"
        for day in range(1, 29) for result in rng.permutation(30)[:3]
    ]  # fmt: skip
    assert read(rows).notes == ()
    count = len(rows) * (copies - 1)
    assert read(rows * copies).notes[0].startswith(f"{count} rows repeat")


def test_a_file_given_twice(tmp_path):
    """The same file twice is told, with dates or without, whatever its length."""
    for dated in (True, False):
        file = tmp_path / f"{dated}.csv"
        heading = "date," * dated + "player1,player2,score1,score2"
        file.write_text("\n".join([heading, *season(4, dated)]), encoding="utf-8")
        time = None if dated else "none"
        assert read_games(file, time=time).notes == ()
        (note,) = read_games([file, file], time=time).notes
        if dated:
            assert note.startswith("4 rows repeat another row")
        else:
            assert note == f"{file} repeats {file} row by row; every row is rated"


def test_runs_without_dates():
    """Without dates equal rows are games of their own, unless a whole run of rows comes again."""
    heading = "player1,player2,score1,score2"
    rows = season(40, dated=False)
    assert read([*rows, *rows[7:17]], heading).notes == ()
    assert read(rows[:1] * 100, heading).notes == ()
    note = "rows 41 to {} repeat rows 1 to {}; every row is rated"
    assert read(rows * 2, heading).notes == (note.format(80, 40),)
    assert read(rows * 3, heading).notes == (note.format(80, 40),)
    assert read([*rows, *rows[:25]], heading).notes == (note.format(65, 25),)
    assert read([*rows, *rows[:25], *season(3, False)], heading).notes == (note.format(65, 25),)


def turned(row: str) -> str:
    """The same game seen from the other player."""
    *when, a, b, of_a, of_b = row.split(",")
    return ",".join([*when, b, a, of_b, of_a])


@pytest.mark.parametrize("dated", [True, False])
def test_every_game_once_from_each_side(dated):
    """A log that holds each game once for each side is recognised, in any order of rows."""
    heading = "date," * dated + "player1,player2,score1,score2"
    rows = season(30, dated)
    both = [*rows, *map(turned, reversed(rows))]
    (note,) = read(both, heading).notes
    assert note.startswith("nearly every game stands twice, it seems, once from each side (P")
    assert "keep one row a game, such as with where= (--where)" in note
    nearly = [*rows, *map(turned, reversed(rows[:28]))]
    assert bool(read(nearly, heading).notes) is dated  # without dates only the whole table
    by_turns = [row if at % 2 else turned(row) for at, row in enumerate(rows)]
    assert read(by_turns, heading).notes == ()


def test_contests_that_stand_twice():
    """Contests of one day with the same places are told; without dates where all stand twice."""
    rows = [f"2024-01-{day:02d},{p},{(p * day) % 5 + 1}" for day in (1, 2, 3) for p in range(5)]
    text = "\n".join(["date,game,player,place", *(row.replace(",", ",1,", 1) for row in rows)])
    assert len(read_games(io.StringIO(text), format="csv").notes) == 1
    twice = text + "".join("\n" + row.replace(",", ",2,", 1) for row in reversed(rows[:5]))
    notes = read_games(io.StringIO(twice), format="csv").notes
    assert notes[1] == ("1 contest repeats another one player by player; every contest is rated")


def test_a_file_of_one_contest_given_twice():
    """Two files of the same contest are told."""
    text = "player,place\nA,1\nB,2\nC,3\n"
    notes = read_games([io.StringIO(text), io.StringIO(text)], format="csv").notes
    assert notes[-1].startswith("1 contest repeats")
    other = "player,place\nA,1\nC,2\nB,3\n"
    notes = read_games([io.StringIO(text), io.StringIO(other)], format="csv", time="none").notes
    assert len(notes) == 1


def test_real_tables():
    """Of the real tables one has a game twice: as a friendly and as one of a tournament."""
    (note,) = read_games(EXAMPLES / "international_football_results.csv.gz").notes
    example = "Japan - China 0:2 on 1925-05-20"
    assert note == f"1 row repeats another row ({example}); every row is rated"
    for name in ("league_football", "axelrod_bot_rumble", "llmfao_votes"):
        notes = read_games(EXAMPLES / f"{name}.csv.gz").notes
        assert not [note for note in notes if "again" in note or "twice" in note]


def test_long_tables_are_not_compared():
    """Above the stated number of rows nothing is compared, which would take time."""
    for count, told in ((MOST_ROWS_COMPARED, 1), (MOST_ROWS_COMPARED + 1, 0)):
        a, b = np.arange(count) % 900, 900 + np.arange(count) % 800
        table = {"a": a, "b": b, "score": a % 2, "date": np.full(count, "2024-01-01")}
        assert len(read_games(table).notes) == told
