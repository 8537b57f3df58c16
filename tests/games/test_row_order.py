"""The order of rows: newest games first, and what `order` says."""

from __future__ import annotations

import pytest

from prowess.games import BadData, read_games
from prowess.games.errors import DataWarning
from tests.refusals import refused

FOUR = ["4", "3", "2", "1"]
PLAYED = {"a": ["Ann", "Ben", "Ann", "Cleo"], "b": ["Ben", "Cleo", "Cleo", "Ben"]}
WON = ["Ann", "Ben", "Ann", "Cleo"]


def winners(table, **options):
    """The winners in the order in which the games are taken."""
    games = read_games(table, warn=False, **options)
    sides = zip(games.score.tolist(), games.a.tolist(), games.b.tolist(), strict=True)
    return [games.players[a if score == 1.0 else b] for score, a, b in sides]


@pytest.mark.parametrize("heading", ["Match", "Game", "id", "#", "Nr.", "No", "Spiel", "lfd. Nr."])
@pytest.mark.parametrize("cell", ["{}", "#{}", "{}."])
def test_numbers_that_fall_turn_the_rows(heading, cell):
    """Without dates the game with the least number is the first, and a note says so."""
    table = {heading: [cell.format(number) for number in FOUR], **PLAYED, "winner": WON}
    assert winners(table) == WON[::-1]
    assert any("falls" in note for note in read_games(table, warn=False).notes)


def test_numbers_that_rise_or_jump_change_nothing():
    """Only numbers that fall from each row to the next tell that the newest stand first."""
    for numbers in (FOUR[::-1], ["4", "2", "3", "1"]):
        assert winners({"Match": numbers, **PLAYED, "winner": WON}) == WON


def test_numbers_turn_games_of_one_day_where_dates_fall():
    """Dates order the days; falling numbers order the games of a day."""
    dates = ["2024-03-02", "2024-03-02", "2024-03-01", "2024-03-01"]
    table = {"Match": FOUR, **PLAYED, "winner": WON}
    assert winners({"date": dates, **table}) == WON[::-1]
    assert winners({**table, "date": dates[::-1]}) == WON  # ids that fall while dates rise


@pytest.mark.parametrize(
    ("order", "expected"),
    [("file", WON), ("reversed", WON[::-1]), ("Board", ["Ben", "Ann", "Ann", "Cleo"])],
)
def test_the_caller_says_the_order(order, expected):
    """`order` goes before what falling numbers tell."""
    table = {"Match": FOUR, "Board": [2, 1, 3, 4], **PLAYED, "winner": WON}
    assert winners(table, order=order) == expected


def test_dates_go_before_the_order():
    """`order` is that of games of one time."""
    dates = ["2024-03-01", "2024-03-02", "2024-03-02", "2024-03-02"]
    table = {"date": dates, **PLAYED, "winner": WON}
    assert winners(table, order="reversed") == ["Ann", "Cleo", "Ann", "Ben"]


def test_a_column_that_counts_nothing_is_refused_as_order():
    """The message names the column and both other values."""
    with refused(BadData, "not_an_order"):
        read_games({**PLAYED, "winner": WON, "Hall": list("wxyz")}, order="Hall")


def test_rounds_named_r1_to_r17_are_numbers():
    """R16 is a round of sixteen only where there is no R17."""
    rounds = ["R17", "R16", "R15", "R14"]
    assert winners({"round": rounds, **PLAYED, "winner": WON}) == WON[::-1]


def test_games_of_one_day_of_a_player_are_asked_about_where_the_newest_stand_first():
    """Days fall from row to row, and nothing tells the order of two games of one day."""
    dates = ["2024-03-02", "2024-03-02", "2024-03-01", "2024-03-01"]
    table = {"date": dates, **PLAYED, "winner": WON}
    with pytest.warns(DataWarning, match="newest"):
        read_games(table)
    for options in ({"order": "file"}, {"order": "reversed"}):
        assert not read_games(table, warn=False, **options).reading.briefs
    once = {"a": list("ACEG"), "b": list("BDFH"), "winner": list("ACEG")}
    assert not read_games({"date": dates, **once}, warn=False).reading.briefs
    assert not read_games({**table, "date": dates[::-1]}, warn=False).reading.briefs


def test_fractions_are_rounds_before_the_final():
    """1/8, 1/4 and 1/2 finals are played in this order."""
    rounds = ["F", "1/2", "1/4", "1/8"]
    assert winners({"Round": rounds, **PLAYED, "winner": WON}) == WON[::-1]


@pytest.mark.parametrize(
    ("season", "within", "expected"),
    [
        (["2024", "2024", "2023", "2023"], {"Round": [2, 1, 2, 1]}, [3, 2, 1, 0]),
        (["2024/25", "2024/25", "2023/24", "2023/24"], {"Round": [1, 2, 1, 2]}, [2, 3, 0, 1]),
        (["23-24", "23-24", "24-25", "24-25"], {"id": [4, 3, 2, 1]}, [1, 0, 3, 2]),
        (["98/99", "98/99", "00/01", "00/01"], {"Round": [1, 2, 1, 2]}, [0, 1, 2, 3]),
        (["23/24", "23/24", "1998/99", "1998/99"], {"Round": [1, 2, 1, 2]}, [2, 3, 0, 1]),
        ([70, 70, 68, 68], {"Round": [1, 2, 1, 2]}, [2, 3, 0, 1]),  # numbered
        ([2023, 2023, 2024, 2024], {"Round": [1, 2, 1, 2]}, [0, 1, 2, 3]),
    ],
)
def test_seasons_order_games_without_dates(season, within, expected):
    """The earlier season is first, and its rounds or numbers, where they fall, are turned."""
    order = winners({"Season": season, **within, **PLAYED, "winner": WON})
    assert order == [WON[at] for at in expected]


def test_numbers_of_contests_that_fall_turn_the_contests():
    """A table of races whose last race stands first begins with the first race."""
    games = read_games({"race": [2, 2, 1, 1], "player": ["Ann", "Ben", "Cleo", "Ann"],
                        "place": [1, 2, 1, 2]}, warn=False)  # fmt: skip
    assert [games.players[index] for index in games.player.tolist()] == [
        "Cleo",
        "Ann",
        "Ann",
        "Ben",
    ]


@pytest.mark.parametrize("day", ["2204-03-02", "1970-01-01"])
def test_a_date_years_from_all_others_is_pointed_out(day):
    """A slip of the pen, and a date that stands for none, change the order of the games."""
    dates = ["2024-03-01", "2024-03-02", day, "2024-03-04"]
    table = {**PLAYED, "winner": WON}
    assert any(day in note for note in read_games({"date": dates, **table}, warn=False).notes)
    dates = ["2001-03-01", "2009-03-02", "2016-03-03", "2024-03-04"]
    assert not read_games({"date": dates, **table}, warn=False).reading.briefs


def test_years_and_weeks_that_fall_are_turned():
    """Weeks that fall within years that fall are turned, and nothing asks about their order."""
    table = {"Year": [2024, 2024, 2023, 2023], "Week": [2, 1, 50, 49], **PLAYED, "winner": WON}
    games = read_games(table, warn=False)
    assert winners(table) == [WON[at] for at in (3, 2, 1, 0)]
    assert not games.reading.briefs
    assert not any("file" in note for note in games.notes)
