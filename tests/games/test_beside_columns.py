"""Columns beside a result that say that a game was not played, and points of which some decide."""

from __future__ import annotations

import pytest

from prowess import BadData, read_games
from tests.refusals import refused

CHESS = {"White": ["Ann", "Ben", "Cleo"], "Black": ["Ben", "Cleo", "Ann"]}
PAIRS = {"Spieler 1": ["Ann", "Ben"], "Spieler 2": ["Ben", "Cleo"]}


@pytest.mark.parametrize("heading", ["Termination", "Decided by", "Method", "Grund"])
@pytest.mark.parametrize("word", ["forfeit", "no-show", "walkover", "Kampflos"])
def test_games_that_ended_without_play_are_left_out(heading, word):
    """Games that ended without play are left out."""
    table = {**CHESS, "Winner": ["Ann", "Ben", "Ann"], heading: ["mate", word, "time"]}
    games = read_games(table, warn=False)
    assert (len(games), games.left_out) == (2, 1)


@pytest.mark.parametrize("word", ["Time forfeit", "resignation", "default"])
def test_games_that_were_played_to_an_end_count(word):
    """Games that were played to an end count."""
    table = {**CHESS, "Winner": ["Ann", "Ben", "Ann"], "Termination": ["mate", word, "time"]}
    assert len(read_games(table, warn=False)) == 3


def test_sets_decide_beside_legs():
    """The loser of the sets may have won more legs."""
    sets = {"Sätze 1": [2, 3], "Sätze 2": [3, 1]}
    games = read_games({**PAIRS, **sets, "Legs 1": [12, 9], "Legs 2": [9, 6]}, warn=False)
    assert (games.points_a.tolist(), games.points_b.tolist()) == ([2.0, 3.0], [3.0, 1.0])
    with refused(BadData, "points_ambiguous", about=("Legs", "Frames")):
        read_games({**PAIRS, "Legs 1": [1, 2], "Legs 2": [2, 1], "Frames 1": [2, 1],
                    "Frames 2": [1, 2]})  # fmt: skip


def test_the_visited_team_is_at_home():
    """The visited team is at home."""
    games = read_games(
        {"Visitado": ["Ann", "Ben"], "Visitante": ["Ben", "Ann"], "Resultado": ["2-1", "0-0"]},
        warn=False,
    )
    assert games.side.tolist() == [1.0, 1.0]


def test_who_won_and_who_lost():
    """Who won and who lost."""
    games = read_games(
        {"Who won?": ["Ann", "Ben", "Cleo", "Dan"], "Who lost?": ["Ben", "Cleo", "Dan", "Ann"]},
        warn=False,
    )
    assert games.score.tolist() == [1.0] * 4


STATES = {
    "home": ["Ann", "Ben", "Cleo", "Ann"], "away": ["Ben", "Cleo", "Ann", "Cleo"],
    "home_goals": [2, 1, 0, 3], "away_goals": [1, 1, 0, 0],
}  # fmt: skip


@pytest.mark.parametrize(("heading", "words"), [
    ("Status", ["FT", "PST", "HT", "AET"]),
    ("strStatus", ["Match Finished", "Not Started", "2H", "Match Finished"]),
    ("state", ["post", "pre", "in", "post"]),
    ("Spielstatus", ["beendet", "verlegt", "laufend", "n.V."]),
    ("Estado", ["Finalizado", "Aplazado", "En juego", "Finalizado"]),
    ("Statut", ["terminé", "reporté", "en cours", "terminé"]),
    ("inning", ["Final", "Top 5th", "Bottom 3rd", "Final/10"]),
    ("elapsed", ["FT", "34'", "45+2'", "FT"]),
])  # fmt: skip
def test_games_that_are_being_played_are_left_out(heading, words):
    """A score so far is no result, whatever the column of states is called."""
    games = read_games({**STATES, heading: words}, warn=False)
    assert games.score.tolist() == [1.0, 1.0]
    assert games.reading.left_out == {"not played": 2}


def test_an_unknown_state_is_asked_about():
    """Where other words say what became of the games; both answers of the remedy work."""
    table = {**STATES, "status": ["FT", "XYZ", "LIVE", "FT"]}
    with refused(BadData, "state_ambiguous", about="XYZ", row=2, column="status"):
        read_games(table)
    assert len(read_games(table, exclude={"status": "XYZ"})) == 2
    assert len(read_games(table, where={"status": ["FT", "XYZ"]})) == 3


@pytest.mark.parametrize("words", [["NY", "OK", "CA", "TX"], ["rated", "rated", "odd", "rated"]])
def test_other_columns_of_that_name_are_not_asked_about(words):
    """A state of America, a kind of game."""
    assert len(read_games({**STATES, "State": words}, warn=False)) == 4


def test_a_moved_game_with_a_result_was_played():
    """A remark that a game was postponed outweighs no result, but for 0-0."""
    table = {
        "Heim": ["A", "B", "C", "A"], "Gast": ["B", "C", "A", "C"],
        "Ergebnis": ["2:1", "3:1", "", "0:0"], "Bemerkung": ["", "verlegt", "verlegt", "verlegt"],
    }  # fmt: skip
    games = read_games(table, warn=False)
    assert games.score.tolist() == [1.0, 1.0]
    assert games.reading.left_out == {"not played": 2}
    assert any('"verlegt"' in note for note in games.notes)


@pytest.mark.parametrize("heading", ["Home Team", "Host", "Heimmannschaft"])
def test_a_column_names_the_team_that_is_at_home(heading):
    """Team A and team B stand in any order, and a column names the one at home."""
    table = {"Team A": ["Lions", "Bears", "Cubs"], "Team B": ["Bears", "Cubs", "Lions"],
             heading: ["Lions", "cubs", ""], "Winner": ["Lions", "Bears", "Cubs"]}  # fmt: skip
    side = read_games(table, warn=False).side
    assert side is not None
    assert side.tolist() == [1.0, -1.0, 0.0]
    assert read_games(table, warn=False, side="none").side is None
    other = {**table, heading: ["Lions", "Foxes", ""]}
    assert read_games(other, warn=False).side is None
