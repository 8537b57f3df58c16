"""Forecasts with players who have no game yet."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx
from scipy.special import ndtri

import prowess
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from tests.every_system import CATALOGUE
from tests.refusals import refused

GAMES = [
    ("Ann", "Bob", 1), ("Bob", "Cid", 1), ("Ann", "Cid", 0), ("Ann", "Dee", 1), ("Dee", "Bob", 1),
]  # fmt: skip


def read(games):
    """Games with all columns that a system may ask for."""
    a, b, result = map(list, zip(*games, strict=True))
    columns = {"a": a, "b": b, "result": result, "margin": [2 * s - 1 for s in result],
               "length": [10] * len(games), "round": list(range(len(games)))}  # fmt: skip
    return prowess.read_games(columns, warn=False)


@pytest.mark.parametrize("name", CATALOGUE)
def test_who_has_starting_values_is_foreseen_with_them(name):
    """The forecast of a player without a game is that of the first game, played next from the same
    values; nobody else is rated otherwise, and a note names the player.
    """
    period = {"period": "round"} if CATALOGUE[name].rounds == "period" else {}
    try:
        plain = prowess.rate(read(GAMES), name, **period)
        own = {"Zorro": {"rating": plain["Ann"].rating}}
        ratings = prowess.rate(read(GAMES), name, initial=own, **period)
        longer = read([*GAMES, ("Zorro", "Bob", 1)])
        played = prowess.rate(longer, name, initial=own, forecasts=True, **period)
    except Unratable as error:
        pytest.skip(str(error))
    expected = ratings.forecast("Zorro", "Bob").expected
    assert played.forecasts[-1] == approx(expected, abs=1e-9)
    assert prowess.forecast(ratings, ("Zorro", "Bob")).new == ()
    assert ratings.leaderboard().rows() == plain.leaderboard().rows()
    assert [note for note in ratings.notes if "Zorro" in note]
    with refused(UnknownPlayer, "unknown_player", about="did you mean 'Ann'"):
        prowess.rate(read(GAMES), name, initial={"ann": own["Zorro"]}, **period)


def test_a_prior_of_a_player_without_a_game():
    """A fit of the whole table foresees a player at the prior, by Elo's formula on its scale."""
    own = {"Zorro": {"rating": 1900.0, "deviation": 50.0}}
    ratings = prowess.rate(GAMES, "bradley_terry", initial=own)
    ahead = 1900.0 - ratings["Ann"].rating
    assert ratings.forecast("Zorro", "Ann").expected == approx(1 / (1 + 10 ** (-ahead / 400)))
    assert (ratings["Zorro"].deviation, ratings["Zorro"].games) == (50.0, 0)
    plain = prowess.rate(GAMES, "bradley_terry")
    assert ratings.leaderboard().rows() == plain.leaderboard().rows()


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_newcomer_is_foreseen_as_before_their_first_game(name):
    """The forecast of a name that is not in the table is that of its first game, played next."""
    period = {"period": "round"} if CATALOGUE[name].rounds == "period" else {}
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


@pytest.mark.parametrize("name", ["bradley_terry", "davidson", "colley", "batch_elo"])
def test_fits_without_a_prior_know_their_players_alone(name):
    """A system that has only what results say refuses a newcomer, and asks about a look-alike."""
    ratings = prowess.rate([*GAMES, ("Bob", "Ann", 1), ("Bob", "Ann", 0.5)], name)
    assert not ratings.takes_newcomers
    with refused(UnknownPlayer, "no_newcomers", about=("Zorro", name)):
        prowess.forecast(ratings, ("Ann", "Zorro"))
    with refused(UnknownPlayer, "look_alike", about="Bob"):
        prowess.forecast(ratings, ("Ann", "Bib"))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("map", {}),
        ("map", {"draws": "rao_kupper", "curve": "normal"}),
        ("map", {"prior": "extreme_value"}),
        ("map", {"prior": "extreme_value", "c8": 2.0}),
        ("iterated_mean", {}),
    ],
)
def test_a_newcomer_of_a_fit_is_as_one_whose_game_hardly_counts(name, params):
    """With a game of weight 1e-7 a player has the forecast that they had as a newcomer."""
    rows = [*GAMES, ("Bob", "Ann", 0.5)]
    columns = [[*column] for column in zip(*[*rows, ("Zorro", "Ann", 1)], strict=True)]
    given = dict(zip(("a", "b", "result"), columns, strict=True))
    given["weight"] = [1.0] * len(rows) + [1e-7]
    ratings, there = prowess.rate(rows, name, **params), prowess.rate(given, name, **params)
    found = prowess.forecast(ratings, [("Zorro", "Ann"), ("Bob", "Zorro"), ("Yuri", "Zorro")])
    assert found.new == ("Zorro", "Yuri")
    known = [there.forecast(a, b) for a, b in (("Zorro", "Ann"), ("Bob", "Zorro"))]
    assert found["expected"] == approx([*(one.expected for one in known), 0.5], abs=1e-5)
    many = prowess.forecast(ratings, ("Zorro", "Ann", "Bob"))
    assert many["new"] == [True, False, False]


def test_a_newcomer_of_joint_draws_is_as_uncertain_as_the_prior():
    """Their chance is the mean over the prior and the draws of the opponent, by a double sum."""
    ratings = prowess.rate(GAMES, "posterior_mean")
    draws = ratings.fit.model[:, ratings.index("Ann")]
    drawn = 1500.0 + 350.0 * ndtri((np.arange(4000) + 0.5) / 4000)
    apart = drawn[:, None] - draws[None, :]
    slow = float((1.0 / (1.0 + 10.0 ** (-apart / 400.0))).mean())
    found = prowess.forecast(ratings, [("Zorro", "Ann"), ("Zorro", "Yuri")])
    assert found["expected"] == approx([slow, 0.5], abs=0.015)  # 2,000 draws of each
    others = prowess.forecast(ratings, [("Yuri", "Ann"), ("Ann", "Zorro"), ("Yuri", "Zorro")])
    mine = found["expected"][0]
    assert others["expected"] == approx([mine, 1.0 - mine, 0.5], abs=1e-12)  # newcomers are alike
    assert found["expected"][1] == approx(0.5, abs=1e-12)


@pytest.mark.parametrize("name", ["rumble_elo", "rumble_glicko"])
def test_a_newcomer_of_a_whole_field_begins_where_all_do(name):
    """A level game against a player whose rating is that at the beginning."""
    ratings = prowess.rate([("Ann", "Bob", 0.5)], name)
    assert ratings["Ann"].rating == approx(ratings.params["start"])
    assert prowess.forecast(ratings, ("Zorro", "Ann"))["expected"] == approx([0.5])
    ahead = prowess.rate([("Ann", "Bob", 1)], name)
    assert prowess.forecast(ahead, ("Ann", "Zorro"))["expected"][0] > 0.5


def test_a_name_is_compared_with_those_of_players():
    """A question about a name offers no member that the system has added, such as a matchup."""
    ratings = prowess.rate([("Ann", "Bob", 1), ("Ann", "Eve", 0.5), ("Bob", "Eve", 0)] * 4)
    assert {*ratings} == {"Ann", "Bob", "Eve"} < {*ratings.players}
    with refused(UnknownPlayer, "look_alike", about="did you mean 'Ann'?"):
        prowess.forecast(ratings, [("Anne", "Bob")])
    with refused(UnknownPlayer, "unknown_player", about="did you mean 'Ann'?"):
        _ = ratings["Anne"]
