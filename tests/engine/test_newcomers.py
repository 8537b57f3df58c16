"""Forecasts with players who have no game yet."""

from __future__ import annotations

import pytest
from pytest import approx

import prowess
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.systems.catalogue import catalogue
from tests.every_system import CATALOGUE
from tests.refusals import refused

GAMES = [
    ("Ann", "Bob", 1), ("Bob", "Cid", 1), ("Ann", "Cid", 0), ("Ann", "Dee", 1), ("Dee", "Bob", 1),
]  # fmt: skip


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_newcomer_is_foreseen_as_before_their_first_game(name):
    """The forecast of a name that is not in the table is that of its first game, played next."""
    period = {"period": "round"} if CATALOGUE[name].rounds == "period" else {}

    def read(games):
        a, b, result = map(list, zip(*games, strict=True))
        rounds = list(range(len(games)))
        columns = {"a": a, "b": b, "result": result, "margin": [2 * s - 1 for s in result],
                   "length": [10] * len(games), "round": rounds}  # fmt: skip
        return prowess.read_games(columns, warn=False)

    try:
        ratings = prowess.rate(read(GAMES), name, **period)
        played = prowess.rate(read([*GAMES, ("Zorro", "Ann", 1)]), name, forecasts=True, **period)
    except Unratable as error:
        pytest.skip(str(error))
    expected = ratings.forecast("Zorro", "Ann", new=[]).expected
    assert played.forecasts[-1] == approx(expected, abs=1e-9)
    found = prowess.forecast(ratings, [("Zorro", "Ann"), ("Ann", "Bob")])
    assert found.new == ("Zorro",)
    assert found["new"] == ["Zorro", ""]
    many = prowess.forecast(ratings, ("Zorro", "Ann", "Bob"))
    assert many["new"] == [True, False, False]
    assert many.places.sum(axis=0) == approx([1.0] * 3)


def test_two_newcomers_are_equals():
    """Two newcomers have even chances, as have three, and the newcomer of a team counts."""
    ratings = prowess.rate(GAMES, "trueskill")
    assert prowess.forecast(ratings, ("Yuri", "Zorro", "Wilma")).win == approx([1 / 3] * 3)
    alone = ratings.performances(ratings.find_sides(["Bob", ["Yuri", "Zorro"]], []))
    assert alone.mean[1] == approx(50.0)  # the paper's newcomer, twice
    assert alone.deviation[1] ** 2 == approx(2 * ((25 / 3) ** 2 + (25 / 6) ** 2))


def test_a_context_of_a_newcomer_is_not_known():
    """Under the default system a newcomer has no member for a surface, and members keep theirs."""
    rows = {
        "a": ["Ann", "Ann", "Ben", "Ben"], "b": ["Ben", "Cid", "Ann", "Cid"],
        "result": ["1-0", "1-0", "1-0", "1-0"], "surface": ["clay", "clay", "grass", "grass"],
    }  # fmt: skip
    ratings = prowess.rate(prowess.read_games(rows, context="surface", warn=False), "prowess")
    clay = ratings.forecast("Ann", "Zorro", context="clay", new=[])
    assert clay.expected > ratings.forecast("Ann", "Zorro", context="grass", new=[]).expected


def test_a_look_alike_is_a_question():
    """A name like a player's is refused until it is called new; without `new` all unknown are."""
    ratings = prowess.rate(GAMES, "elo")
    with refused(UnknownPlayer, "look_alike", about=("Bib", "Bob")):
        prowess.forecast(ratings, ("Ann", "Bib"))
    assert prowess.forecast(ratings, ("Ann", "Bib"), new=["Bib"]).new == ("Bib",)
    with refused(UnknownPlayer, "unknown_player", about="Zorro"):
        ratings.forecast("Ann", "Zorro")
    with refused(BadArgument, "player_twice"):
        prowess.forecast(ratings, ("Zorro", "Zorro"))


def test_fits_know_their_players_alone():
    """A system that fits the whole table has no newcomers."""
    assert not prowess.rate(GAMES, catalogue()["colley"]).takes_newcomers
    ratings = prowess.rate([*GAMES, ("Bob", "Ann", 1)], "bradley_terry")
    with refused(UnknownPlayer, "unknown_player", about="Zorro"):
        prowess.forecast(ratings, ("Ann", "Zorro"))
