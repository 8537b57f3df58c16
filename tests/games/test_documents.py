"""JSON documents of sites and of any nesting; the games are those that a reader of them sees."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from prowess.games import BadData, Games, read_games
from tests.refusals import refused


def read_json(document: Any, **options: Any) -> Games:
    """A document as a table."""
    text = document if isinstance(document, str) else json.dumps(document)
    return read_games(io.StringIO(text), format="json", warn=False, **options)


def list_games(games: Games) -> list[tuple[str, str, float]]:
    """The players and the score of each game."""
    names = games.players
    pairs = zip(games.a, games.b, games.score, strict=True)
    return [(names[a], names[b], float(score)) for a, b, score in pairs]


def list_contests(games: Games) -> list[dict[str, float]]:
    """The places of the players of each contest."""
    return [
        {
            games.players[games.player[member]]: float(games.place[side])
            for side in range(games.start[at], games.start[at + 1])
            for member in range(games.ends[side], games.ends[side + 1])
        }
        for at in range(len(games))
    ]


def lichess(white: Any, black: Any, status: str, winner: str | None = None) -> dict[str, Any]:
    """A game as Lichess exports it; a player is a name, or the level of the computer."""
    side = {
        colour: {"aiLevel": who} if isinstance(who, int) else {"user": {"name": who}}
        for colour, who in (("white", white), ("black", black))
        if who is not None
    }
    game = {"id": "x", "perf": "blitz", "status": status, "createdAt": 86400000, "players": side}
    return game | ({"winner": winner} if winner else {})


def test_lichess():
    """A game without a winner is a draw; what was not played and anonymous players are left out."""
    games = read_json(
        "\n".join(
            json.dumps(game)
            for game in (
                lichess("Ann", "Bob", "mate", "white"), lichess("Bob", 3, "outoftime"),
                lichess("Bob", "Ann", "aborted"), lichess("Ann", None, "resign", "white"),
            )
        )
    )  # fmt: skip
    assert list_games(games) == [("Ann", "Bob", 1.0), ("Bob", "Stockfish level 3", 0.5)]
    assert games.left_out == 2
    assert games.time.tolist() == [1.0, 1.0]  # a day after 1970-01-01
    assert "read as Lichess games" in games.notes


@pytest.mark.parametrize(
    ("white", "black", "score"),
    [("win", "timeout", 1.0), ("checkmated", "win", 0.0), ("timevsinsufficient",) * 2 + (0.5,)],
)
def test_chesscom(white, black, score):
    """The code of each side says how the game ended for it."""
    game = {
        "white": {"username": "Ann", "result": white}, "end_time": 86400,
        "black": {"username": "Bob", "result": black},
    }  # fmt: skip
    assert list_games(read_json({"games": [game]})) == [("Ann", "Bob", score)]


def test_an_unknown_code_is_refused():
    """Nobody knows who won with codes that are none of chess.com's."""
    game = {"white": {"username": "Ann", "result": "x"}, "black": {"username": "B", "result": "y"}}
    with refused(BadData, "unknown_outcome"):
        read_json({"games": [game]})


def challonge(first: int, second: int, score: str, winner: int | None) -> dict[str, Any]:
    """A match of Challonge."""
    match = {"player1_id": first, "player2_id": second, "scores_csv": score, "winner_id": winner}
    return {"match": match | {"state": "complete", "completed_at": "2024-05-01T10:00:00Z"}}


def test_challonge():
    """Participants are named by the list beside; -1 is a forfeit; sets are counted."""
    people = [{"participant": {"id": 7, "name": "Ann"}}, {"participant": {"id": 8, "name": "Bob"}}]
    matches = [challonge(7, 8, "3-1", 7), challonge(8, 7, "11-9,5-11,4-11", 7),
               challonge(7, 8, "0--1", 7)]  # fmt: skip
    games = read_json({"tournament": {"participants": people, "matches": matches}})
    assert list_games(games) == [("Ann", "Bob", 1.0), ("Bob", "Ann", 0.0)]
    assert games.points_a.tolist() == [3.0, 1.0]
    assert games.points_b.tolist() == [1.0, 2.0]
    assert games.left_out == 1


def test_shootouts_of_football():
    """The winner of a shoot-out wins; the goals are those before it."""
    score = {
        "winner": "AWAY_TEAM", "duration": "PENALTY_SHOOTOUT", "fullTime": {"home": 5, "away": 6},
        "regularTime": {"home": 1, "away": 1}, "extraTime": {"home": 1, "away": 1},
    }  # fmt: skip
    match = {
        "status": "FINISHED", "utcDate": "2024-07-01T19:00:00Z", "homeTeam": {"name": "Ann"},
        "awayTeam": {"name": "Bob"}, "score": score,
    }  # fmt: skip
    planned = match | {"status": "SCHEDULED"}
    games = read_json({"matches": [match, planned]})
    assert list_games(games) == [("Ann", "Bob", 0.0)]
    assert games.points_a == games.points_b == [2.0]
    assert games.left_out == 1


def test_codeforces():
    """Places are ranks; virtual participants are left out."""
    rows = [
        {"party": {"members": [{"handle": who}], "participantType": kind}, "rank": rank}
        for who, kind, rank in [("ann", "CONTESTANT", 1), ("bob", "CONTESTANT", 2),
                                ("cy", "VIRTUAL", 0), ("dee", "OUT_OF_COMPETITION", 2)]
    ]  # fmt: skip
    contest = {"id": 1, "startTimeSeconds": 86400}
    games = read_json({"status": "OK", "result": {"contest": contest, "rows": rows}})
    assert list_contests(games) == [{"ann": 1.0, "bob": 2.0, "dee": 2.0}]
    assert games.left_out == 1


def bgstats(*scores: tuple[int, str, bool, str], game: int = 1) -> dict[str, Any]:
    """A play of BGStats: player, score, whether they won, team."""
    held = [
        {"playerRefId": who, "score": score, "winner": won, "rank": 0, "team": team}
        for who, score, won, team in scores
    ]
    return {"playDate": "2024-05-01 20:00:00", "gameRefId": game, "playerScores": held}


def test_bgstats():
    """Scores decide, the fewest where the game says so; else who won; teams share a place."""
    plays = [
        bgstats((1, "10", False, ""), (2, "20", True, "")),
        bgstats((1, "10", True, ""), (2, "20", False, ""), game=2),
        bgstats((1, "", False, ""), (2, "", True, ""), (3, "", False, "")),
        bgstats((1, "", True, "x"), (2, "", True, "x"), (3, "", False, "y"), (4, "", False, "y")),
        bgstats((1, "", True, ""), (2, "", True, "")),  # together against the game
    ]
    for at, play in enumerate(plays):
        play["uuid"] = f"p{at}"
    people = [{"id": at, "name": name} for at, name in enumerate(("Ann", "Bob", "Cy", "Di"), 1)]
    kinds = [{"id": 1, "name": "Most"}, {"id": 2, "name": "Fewest", "highestWins": False}]
    games = read_json({"players": people, "games": kinds, "plays": plays})
    assert list_contests(games) == [
        {"Ann": 2.0, "Bob": 1.0}, {"Ann": 1.0, "Bob": 2.0}, {"Ann": 2.0, "Bob": 1.0, "Cy": 2.0},
        {"Ann": 1.0, "Bob": 1.0, "Cy": 2.0, "Di": 2.0},
    ]  # fmt: skip
    assert games.left_out == 1


ROWS = [
    {"home": "Ann", "away": "Bob", "home_score": 2, "away_score": 1, "date": "2024-05-01"},
    {"home": "Bob", "away": "Ann", "home_score": 3, "away_score": 0, "date": "2024-05-02"},
]


@pytest.mark.parametrize(
    "document",
    [
        {"meta": {"players": ["Ann", "Bob"]}, "data": {"season": {"matches": ROWS}}},
        {key: [row[key] for row in ROWS] for key in ROWS[0]},
        {key: {str(at): row[key] for at, row in enumerate(ROWS)} for key in ROWS[0]},
        {"first": ROWS[0], "second": ROWS[1]},
        {"columns": [*ROWS[0]], "data": [[*row.values()] for row in ROWS]},
        [[*ROWS[0]], *([*row.values()] for row in ROWS)],
        {"rounds": [{"nr": 1, "games": ROWS[:1]}, {"nr": 2, "games": ROWS[1:]}]},
        [{"game": row} for row in ROWS],
        [{"date": {"$date": row["date"]}, "competitors": [
            {"name": row["home"], "score": row["home_score"]},
            {"name": row["away"], "score": row["away_score"]}]} for row in ROWS],
        [{"finishedAt": row["date"], "home": {"name": row["home"], "score": row["home_score"]},
          "away": {"name": row["away"], "score": row["away_score"]}} for row in ROWS],
        {"teams": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}], "matches": [
            {"home_id": 1, "away_id": 2, "home_score": 2, "away_score": 1, "date": "2024-05-01"},
            {"home_id": 2, "away_id": 1, "home_score": 3, "away_score": 0, "date": "2024-05-02"}]},
    ],
)  # fmt: skip
def test_forms_of_documents(document):
    """The same two games in any form that a program writes them in."""
    for text in (json.dumps(document), json.dumps(document, indent=1)):
        games = read_json(text)
        assert list_games(games) == [("Ann", "Bob", 1.0), ("Bob", "Ann", 1.0)]
        assert games.time.tolist() == [19844.0, 19845.0]  # 2024-05-01: 54 years and 13 leap days


def test_several_lists_of_games_are_a_question():
    """Two lists of games are not mixed; the caller names one."""
    document = {"a": {"cup": ROWS}, "b": {"league": ROWS[:1]}}
    with pytest.raises(BadData) as error:
        read_json(document)
    assert 'table="a.cup"' in str(error.value)
    assert len(read_json(document, table="b.league")) == 1


def test_ballots_in_lists():
    """Lists of names in order are ballots; names in a list of their own are tied."""
    games = read_json([["Ann", "Bob", "Cy"], [["Bob", "Cy"], "Ann"], ["Cy", "Ann"]])
    assert list_contests(games) == [
        {"Ann": 1.0, "Bob": 2.0, "Cy": 3.0}, {"Bob": 1.0, "Cy": 1.0, "Ann": 3.0},
        {"Cy": 1.0, "Ann": 2.0},
    ]  # fmt: skip


def test_deep_nesting_is_refused():
    """Objects within a hundred thousand objects are refused, whatever reads them."""
    for text in ('{"a":' * 100_000 + "1" + "}" * 100_000, "[" * 100_000 + "]" * 100_000,
                 '{"a":' * 200 + "1" + "}" * 200):  # fmt: skip
        with pytest.raises(BadData):
            read_json(text)


WORDS = (
    "players white black user name result status perf username slots entrant match winner_id "
    "player1_id player2_id scores_csv playerScores playDate party members rank home away score "
    "opponents participant data 0 id date"
)
KEYS = st.sampled_from(WORDS.split())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(["", "Ann", "1-0", "win"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.booleans())
@settings(max_examples=150)
def test_any_document_is_read_or_refused(document, lines):
    """Whatever a document holds, nothing but BadData is raised."""
    text = "\n".join(map(json.dumps, [document] * 2)) if lines else json.dumps([document])
    with suppress(BadData):
        read_json(text)


SEEDS = [
    lichess("Ann", "Bob", "mate", "white"), challonge(7, 8, "3-1", 7),
    bgstats((1, "10", False, ""), (2, "20", True, "")),
    {"slots": [{"entrant": {"name": "Ann"}}, {"entrant": {"name": "Bob"}}], "winnerId": 1},
    {"party": {"members": [{"handle": "ann"}]}, "rank": 1},
    {"competitions": [{"competitors": [{"homeAway": "home"}, {"homeAway": "away"}]}]},
    {"attributes": {"points_by_participant": [{"scores": [1]}, {"scores": [2]}]}},
    {"team1": "Ann", "team2": "Bob", "score": {"ft": [1, 0]}},
    {"Results": [{"Driver": {"driverId": "ann"}, "position": "1"}], "round": 1},
]  # fmt: skip


@given(st.sampled_from(SEEDS), st.data())
@settings(max_examples=150)
def test_broken_games_of_sites_are_refused(game, data):
    """A game of a site with any value anywhere is read or refused."""

    def replace(value: Any) -> Any:
        if data.draw(st.integers(0, 7)) == 0:
            return data.draw(VALUES)
        if isinstance(value, dict):
            return {key: replace(each) for key, each in value.items()}
        return [replace(each) for each in value] if isinstance(value, list) else value

    with suppress(BadData):
        read_json([game, replace(game)])


@pytest.mark.parametrize(
    ("record", "more"),
    [
        (
            {"agents": ["Ann", "Bob"], "scores": [12, 7]},
            {"agents": ["Bob", "Cid"], "scores": [3, 3]},
        ),
        ({"bots": ["Ann", "Bob"], "winner": "Ann"}, {"bots": ["Bob", "Cid"], "winner": "draw"}),
        (
            {"players": ["Ann", "Bob"], "ranks": [1, 2]},
            {"players": ["Bob", "Cid"], "ranks": [1, 1]},
        ),
        ({"bots": ["Ann", "Bob"], "result": "1-0"}, {"bots": ["Bob", "Cid"], "result": "½-½"}),
    ],
)
def test_parallel_lists(record, more):
    """A list of names and one of what each achieved, or a result beside two names, are a game."""
    assert list_games(read_json([record, more])) == [("Ann", "Bob", 1.0), ("Bob", "Cid", 0.5)]


def test_parallel_lists_of_many():
    """Three names or more are a contest; lists of names are teams."""
    found = read_json([{"agents": ["Ann", "Bob", "Cid"], "rewards": [1.5, -1, 3]}])
    assert list_contests(found) == [{"Ann": 2.0, "Bob": 3.0, "Cid": 1.0}]
    teams = read_json([{"teams": [["Ann", "Bob"], ["Cid", "Dan"]], "scores": [0, 2]}])
    assert teams.score.tolist() == [0.0]
    assert teams.ends.tolist() == [0, 2, 4]


def test_events_without_a_result():
    """Of a stream of events those are games that have a result; others are counted in a note."""
    lines = [
        {"event": "start", "id": 1, "bots": ["Ann", "Bob"]},
        {"event": "end", "id": 1, "bots": ["Ann", "Bob"], "winner": "Bob"},
    ]
    found = read_json("\n".join(map(json.dumps, lines)))
    assert list_games(found) == [("Ann", "Bob", 0.0)]
    assert any("1 other without a result" in note for note in found.notes)
    lines[1]["event"] = "start"  # then the first game lacks its winner
    with refused(BadData, "winner_missing"):
        read_json("\n".join(map(json.dumps, lines)))


def test_lists_of_members_beside_sentences():
    """Members of sides may stand in lists beside a column of sentences."""
    rows = [
        {"team_a": ["Ann", "Bob"], "team_b": ["Cid", "Dan"], "a_won": True, "note": "a fine game"}
    ]
    assert read_json(rows * 2).score.tolist() == [1.0, 1.0]


def test_events_with_an_empty_result_are_games():
    """Kinds of games are no events: where some have an empty winner, it is asked about."""
    rows = [{"type": "cup", "white": "Ann", "black": "Bob", "winner": "Bob"},
            {"type": "league", "white": "Ann", "black": "Bob", "winner": None}]  # fmt: skip
    with refused(BadData, "winner_missing"):
        read_json(rows)
