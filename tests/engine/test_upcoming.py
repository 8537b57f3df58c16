"""Games to come with all their members; players ranked with what they share."""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.engine.system import LineUp
from prowess.games.arguments import BadArgument
from prowess.present.listing import certainty
from tests.refusals import refused

ENGINES = {
    "white": ["Fish 1", "Fish 2", "Dragon 1", "Fish 2", "Dragon 2"],
    "black": ["Dragon 1", "Dragon 1", "Fish 2", "Dragon 2", "Crab 1"],
    "result": ["1-0", "1-0", "0-1", "1-0", "1-0"],
}


def test_players_are_ranked_with_their_family():
    """The first column is the own rating and that of the family, whose centre is 0."""
    ratings = prowess.rate(prowess.read_games(ENGINES, family=True, warn=False), "prowess")
    board = ratings.leaderboard().columns
    assert list(board)[:5] == ["rank", "player", "with family", "rating", "deviation"]
    shared = {"Fish": ratings["Fish"].rating, "Dragon": ratings["Dragon"].rating}
    for name, whole, own in zip(
        board["player"], board["with family"], board["rating"], strict=True
    ):
        family = shared.get(name.split()[0], ratings["Crab"].rating)
        assert whole == approx(own + family, abs=1e-9)
    assert board["with family"] == sorted(board["with family"], reverse=True)
    assert board["player"][0].startswith("Fish")
    sure = certainty(ratings)
    k = ratings.index("Fish 2")
    assert sure.low is not None
    assert sure.low[k] < ratings.strength[k] - 1.9 * ratings["Fish 2"].deviation


def test_one_setting_adds_variances():
    """Under one setting the deviation of the sum is the root of the sum of squares."""
    table = prowess.read_games(ENGINES, family=True, warn=False)
    ratings = prowess.rate(table, "prowess", variance=[0.8], reversion=[2e-4])
    k, own, family = ratings.index("Fish 2"), ratings["Fish 2"], ratings["Fish"]
    assert ratings.rank_deviation is not None
    assert ratings.rank_deviation[k] ** 2 == approx(own.deviation**2 + family.deviation**2)
    assert list(prowess.rate(table, "elo").columns) == ["rating"]


def test_a_forecast_names_its_context():
    """On clay, where Ann won, more is expected of Ann than on grass; other words are refused."""
    rows = {
        "a": ["Ann", "Ann", "Ben", "Ben"], "b": ["Ben", "Ben", "Ann", "Ann"],
        "result": ["1-0", "1-0", "1-0", "1-0"], "surface": ["clay", "clay", "grass", "grass"],
    }  # fmt: skip
    ratings = prowess.rate(prowess.read_games(rows, context="surface", warn=False), "prowess")
    clay, grass = (ratings.forecast("Ann", "Ben", context=word) for word in ("clay", "grass"))
    assert clay.expected > ratings.forecast("Ann", "Ben").expected > grass.expected
    with refused(BadArgument, "not_that_many_names", about="clay"):
        ratings.forecast("Ann", "Ben", context="mud")
    with refused(BadArgument, "not_that_many_names"):
        ratings.forecast("Ann", "Ben", variant="best of 3")


def test_the_side_advantage_of_a_league_is_in_its_forecasts():
    """Where home sides won all games, the home side of a game to come is ahead by more."""
    rows = {
        "home": ["Ann", "Ben"] * 8, "away": ["Ben", "Ann"] * 8, "home_score": [1] * 16,
        "away_score": [0] * 16, "league": ["North"] * 16,
    }  # fmt: skip
    ratings = prowess.rate(prowess.read_games(rows, league="league", warn=False), "prowess")
    assert "side advantage: North" in ratings.players
    at_home, neutral = (ratings.forecast("Ann", "Ben", side) for side in (1.0, 0.0))
    assert at_home.expected > neutral.expected + 0.1


@pytest.mark.parametrize(
    ("name", "options"), [("prowess", {"family": True}), ("elo", {}), ("map", {})]
)
def test_many_games_are_forecast_as_each_alone(name, options):
    """Games that are forecast at once have the chances of each by itself, sides included."""
    ratings = prowess.rate(prowess.read_games(ENGINES, warn=False, **options), name)
    chosen = [ratings.index(each) for each in ("Fish 1", "Fish 2", "Dragon 1", "Dragon 2")]
    games = [(i, j, side) for i, j in permutations(chosen, 2) for side in (-1.0, 0.0, 1.0)]
    alone = [ratings.chances(*game).expected for game in games]
    assert ratings.expected_scores(games) == approx(alone, abs=1e-14)
    assert len(ratings.expected_scores([])) == 0


@pytest.mark.parametrize("name", ["prowess", "trueskill", "elo"])
@pytest.mark.parametrize("contests", [False, True])
def test_many_games_of_line_ups_are_forecast_as_each_alone(name, contests):
    """Line-ups, known and new, with shares, in one pass have the chances of each game by itself."""
    chance = Random(3)
    names = ["Ann", "Ben", "Cid", "Dee", "Eve", "Flo"]
    rows = []
    for day in range(1, 29):
        chosen = chance.sample(names, 4)
        teams = [" & ".join(chosen[:2]), " & ".join(chosen[2:])]
        if contests:
            rows += [
                {"date": f"2024-01-{day:02}", "game": day, "player": one, "place": place}
                for place, one in enumerate(teams, 1)
            ]
        else:
            score = chance.choice([0.0, 0.5, 1.0])
            rows.append({"date": f"2024-01-{day:02}", "a": teams[0], "b": teams[1], "score": score})
    options = {"contest": "game"} if contests else {}
    ratings = prowess.rate(prowess.read_games(rows, teams="members", warn=False, **options), name)
    newcomer = len(ratings.players)
    sides: list[LineUp] = [0, [(0, 1.0)], [(1, 1.0), (2, 0.5)], [(3, 1.0), (newcomer, 1.0)], 4]
    i, j = np.array(list(permutations([0, 2, 3, 4], 2))).T
    side = np.zeros(len(i)) if contests else np.array([chance.choice([-1.0, 0.0, 1.0]) for _ in i])
    expected, draws = ratings.forecast_pairs(sides, i, j, side)
    alone = [ratings.chances(sides[a], sides[b], k) for a, b, k in zip(i, j, side, strict=True)]
    assert expected == approx([one.expected for one in alone], abs=1e-9)
    if draws is not None and not contests:
        assert draws == approx([one.draw for one in alone], abs=1e-9)


def test_places_of_line_ups_know_their_matchups():
    """Of a contest of line-ups each pair is foreseen with what is between the two alone."""
    ring = ["Ann & Ben", "Cid & Dee", "Eve & Flo"]
    rows = [{"a": ring[k], "b": ring[k - 2], "score": 1} for k in range(3)] * 30
    ratings = prowess.rate(prowess.read_games(rows, teams="members", warn=False), "prowess")
    teams = [["Ann", "Ben"], ["Cid", "Dee"], ["Eve", "Flo"]]
    found = ratings.forecast_contest(teams)
    pairs = np.array(
        [[0.5 if x is y else ratings.forecast(x, y).expected for y in teams] for x in teams]
    )
    assert min(pairs[0, 1], pairs[1, 2], pairs[2, 0]) > 0.6  # which no order of ratings says
    strength = np.log(pairs / pairs.T).mean(axis=1)
    assert found.win == approx(np.exp(strength) / np.exp(strength).sum(), abs=1e-9)
