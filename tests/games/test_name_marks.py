"""Ratings, records, seeds and titles at names."""

from __future__ import annotations

import pytest

from prowess.games import BadData, read_games

RATED = {
    "White": ["Ann (1812)", "Ben (1690)", "Cleo (1500?)", "Ann (1804)"],
    "Black": ["Ben (1704)", "Cleo (1512)", "Ann (1820)", "Ben [1698]"],
    "Result": ["1-0", "0-1", "1/2-1/2", "1-0"],
}


def test_ratings_that_change_from_game_to_game_are_taken_off():
    """Three players with the ratings of the day are three players, as the reading says."""
    games = read_games(RATED)
    assert list(games.players) == ["Ann", "Ben", "Cleo"]
    assert not games.reading.briefs
    assert any('"Ann (1812)" is "Ann"' in note for note in games.notes)
    assert "White = home (side advantage, without ratings)" in str(games.reading)
    assert len(read_games(RATED, teams="names", warn=False).players) == 8


def test_winners_and_players_of_contests_lose_their_ratings_too():
    """The winner is named with the rating that stands at the player."""
    names = {"White": RATED["White"], "Black": RATED["Black"]}
    games = read_games({**names, "Winner": ["Ann (1812)", "Ben", "draw", "Ann (1804)"]})
    assert games.score.tolist() == [1.0, 1.0, 0.5, 1.0]
    contests = {"race": [1, 1, 2, 2], "place": [1, 2, 1, 2],
                "player": ["Ann (1812)", "Ben (1704)", "Ben (1710)", "Ann (1804)"]}  # fmt: skip
    assert list(read_games(contests, warn=False).players) == ["Ann", "Ben"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["Bot (1100)", "Bot (1200)"] * 3, ["Ann (1500)", "Ann (1510)"] * 3),  # levels come back
        (["Bot (1100)", "Bot (1150)", "Cleo (900)"], ["Bot (1150)", "Ann (1500)", "Ann (1510)"]),
        (["Smith (1800)", "Smith (2300)"], ["Ann (1500)", "Ann (1510)"]),  # two of one name
        (["Union (Berlin)", "Rapid (Wien)"], ["Union (Wien)", "Rapid (Wels)"]),
    ],
)
def test_marks_that_tell_players_apart_stay(one, other):
    """Levels of a program, namesakes, towns: each name is a player of its own."""
    games = read_games({"a": one, "b": other, "result": ["1-0"] * len(one)}, warn=False)
    assert {*games.players} == {*one, *other}


@pytest.mark.parametrize(
    ("name", "same"),
    [("[1] Ana", "[2] Ana"), ("Ana (WC)", "Ana"), ("GM Alder", "Alder"), ("Ana (1)", "Ana (2)"),
     ("#3 Duke", "Duke"), ("Ana*", "Ana"), ("Dr. Alder", "alder")],
)  # fmt: skip
def test_names_that_differ_by_a_mark_look_alike(name, same):
    """Two names of players who never met are pointed out, those of players who met are not."""
    table = {"a": [name, same], "b": ["Ben", "Cleo"], "result": ["1-0", "0-1"]}
    assert f'"{name}"/"{same}" look alike' in str(read_games(table, warn=False).reading)
    met = {"a": [name, same, name], "b": ["Ben", "Cleo", same], "result": ["1-0", "0-1", "1-0"]}
    assert not read_games(met, warn=False).reading.briefs


def test_towns_and_levels_do_not_look_alike():
    """Words that tell two players apart are no marks."""
    table = {"a": ["Union (Berlin)", "Bot (v2)"], "b": ["Rapid (Wien)", "Bot (v1)"]}
    table |= {"result": ["1-0", "1-0"]}
    assert not read_games(table, warn=False).reading.briefs
    assert not read_games({**table, "b": ["Union (Wien)", "Ann"]}, warn=False).reading.briefs


def test_a_name_that_may_be_several_people_is_pointed_out():
    """`Guest` and a deleted account are one player each, and the reading asks to look at them."""
    table = {"a": ["Ann", "Ben", "Ann"], "b": ["Guest", "[deleted]", "Ben"], "result": ["1-0"] * 3}
    assert '"Guest", "[deleted]" may be several people' in str(
        read_games(table, warn=False).reading
    )


@pytest.mark.parametrize("word", ["---", "?", "TBD", "N.N.", "n/a"])
def test_a_name_to_come_is_no_player(word):
    """A row against nobody yet is left out and counted as a bye is."""
    games = read_games({"a": ["Ann", "Ann"], "b": ["Ben", word], "result": ["1-0", "1-0"]})
    assert list(games.players) == ["Ann", "Ben"]
    assert games.left_out == 1


def test_points_in_brackets_are_no_ratings():
    """Numbers in brackets that vary are points where nothing else tells the result; ratings and
    seeds are none.
    """
    names = [("Ann", "Ben"), ("Ben", "Cem"), ("Cem", "Ann"), ("Ann", "Ben")]

    def table(*numbers):
        pairs = zip(names, numbers, strict=True)
        return [{"A": f"{a} ({x})", "B": f"{b} ({y})"} for (a, b), (x, y) in pairs]

    games = read_games(table((112, 108), (99, 101), (120, 97), (13, 9)))
    assert list(games.players) == ["Ann", "Ben", "Cem"]
    assert games.points_b is not None
    assert games.points_b.tolist() == [108, 101, 97, 9]
    for other in (
        table((812, 790), (801, 640), (655, 820), (831, 805)),
        table((1, 2), (2, 3), (3, 1), (1, 2)),
    ):
        with pytest.raises(BadData):
            read_games(other, player_a="A", player_b="B")
