"""The games of two players, as their page lists them."""

from __future__ import annotations

from prowess import rate
from prowess.present.listing import Listing
from prowess.present.players import build_profiles, find_notable, list_games

GAMES = {
    "home_team": ["Ann", "Ben", "Ann", "Cid"],
    "away_team": ["Ben", "Ann", "Cid", "Ben"],
    "home_goals": [2, 0, 1, 1],
    "away_goals": [1, 3, 1, 0],
}


def test_who_was_at_home_stands_first():
    """Games of a pair are the newest first, home before away, with what the first player got."""
    ratings = rate(GAMES, "elo")
    ann, ben = (build_profiles(ratings, (k,), Listing())[k] for k in (0, 1))
    games = list_games(ann, ben)
    assert [[one.name for one in game.sides] for game in games] == [["Ben", "Ann"], ["Ann", "Ben"]]
    assert [game.points for game in games] == [(0.0, 3.0), (2.0, 1.0)]
    assert [game.line["score"] for game in games] == [1.0, 1.0]
    other = list_games(ben, ann)
    assert [game.points for game in other] == [(0.0, 3.0), (2.0, 1.0)]
    assert [game.line["score"] for game in other] == [0.0, 0.0]
    # Elo, K = 32, no advantage: the first game moves each by 32 (1 - 1/2) = 16.
    assert [round(one[-1].line["change"], 6) for one in (games, other)] == [16.0, -16.0]
    assert find_notable(games, "Ann", "Ben") == [
        ("Last win of Ann", games[0]), ("Largest win of Ann", games[0])
    ]  # fmt: skip
