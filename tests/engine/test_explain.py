"""Why a rating moved: terms by name, in points."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from pytest import approx

from prowess.compile import worth
from prowess.engine import replay
from prowess.engine.explain import find_alternatives
from prowess.engine.inflation import Redistribution
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.rate import rate
from prowess.engine.steps import OF_TIME, REWEIGHED, describe_contrary, settle_terms
from prowess.present.rendering import why
from prowess.systems.catalogue import find
from tests.engine.tables import START, contests, games
from tests.refusals import refused

ELO = find("elo")
ROWS = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 1.0)]
DAYS = [START, START + 1, START + 40]


def test_one_game_is_one_term():
    """Between equals with K = 32 a win is 16 points and a loss costs them."""
    ratings = rate(games(ROWS[:1]), ELO)
    for player, points in (("Ada", 16.0), ("Ben", -16.0)):
        (step,) = ratings.history(player)
        assert step.terms == {"game": points}
        assert (step.before, step.after) == (1500.0, 1500.0 + points)
        assert (step.expected, step.score) == (0.5, points / 32 + 0.5)


def test_the_opponent_is_as_he_was_before():
    """Every step tells who was met, how he was rated then, and what was expected."""
    ratings = rate(games(ROWS, time=DAYS), ELO, forecasts=True)
    first, second = ratings.history("Ada")
    assert (first.opponent, second.opponent) == ("Ben", "Cleo")
    assert (first.row, second.row, second.round) == (0, 2, 2)
    assert second.opponent_rating == ratings.history("Cleo")[0].after
    assert ratings.forecasts is not None
    assert second.expected == approx(1 - ratings.forecasts[2])
    assert (second.score, second.time) == (0.0, DAYS[2])
    assert second.as_dict()["time"] == "2020-02-10"


def test_games_of_a_round_share_its_change():
    """The steps of a round lead through it, all judged by the rating before it."""
    rows = [("Ada", "Ben", 1.0), ("Ada", "Cleo", 1.0), ("Dan", "Ada", 1.0)]
    ratings = rate(games(rows, time=[START] * 3), ELO, period="1d")
    steps = list(ratings.history("Ada"))
    assert [step.terms["game"] for step in steps] == [16.0, 16.0, -16.0]
    assert [step.expected for step in steps] == [0.5] * 3
    assert [step.round for step in steps] == [0] * 3
    assert [(step.before, step.after) for step in steps] == [
        (1500.0, 1516.0),
        (1516.0, 1532.0),
        (1532.0, 1516.0),
    ]


def test_a_contest_is_explained_by_opponents():
    """Every other of the field is one step; with a share of 1 / (n - 1) first of three gets 16."""
    field = contests([[("Ada", 1), ("Ben", 2), ("Cleo", 2)]], time=[START])
    ratings = rate(field, ELO)
    steps = list(ratings.history("Ada"))
    assert [step.opponent for step in steps] == ["Ben", "Cleo"]
    assert [step.terms["game"] for step in steps] == [8.0, 8.0]
    assert [step.score for step in ratings.history("Cleo")] == [0.0, 0.5]
    assert ratings["Ada"].rating == 1516.0
    assert steps[0].time == START


def test_histories_together_are_those_of_each_alone():
    """One replay for several players, in any order, tells of each what a replay of his own does."""
    race = contests(
        [[("Ada", 1), ("Ben", 2)], [("Cleo", 1), ("Dan", 1)], [("Ben", 1), ("Dan", 2)]],
        time=DAYS,
    )
    played = games(ROWS, time=DAYS, weight=[1.0, 2.0, 1.0])
    for table, period, steps in ((played, None, 2), (played, "1mo", 2), (race, None, 1)):
        ratings = rate(table, find("glicko"), period=period)
        names = [ratings.players[-1], "Ada"]
        alone = [ratings.history(name) for name in names]
        together = ratings.histories([len(ratings) - 1, 0])
        assert [one.player for one in together] == names
        assert [one.steps for one in together] == [one.steps for one in alone]
        assert len(together[1]) == steps


@pytest.mark.parametrize("system", ["elo", "glicko", "prowess"])
@pytest.mark.parametrize("rounds", [1, 2, 9])
def test_the_last_rounds_are_those_of_the_whole(system, rounds):
    """What is explained of the last rounds is the end of the whole history, to the bit."""
    days = [START + day for day in (0, 0, 3, 9, 9, 40)]
    played = games(ROWS * 2, time=days)
    race = contests(
        [[("Ada", 1), ("Ben", 2)], [("Ada", 1)], [("Ben", 1), ("Ada", 2), ("Cleo", 3)]],
        time=DAYS,
    )
    period = "1d" if system == "elo" else None
    for table, grouped in ((played, None), (played, period), (race, None)):
        ratings = rate(table, find(system), period=grouped)
        whole = ratings.history("Ada").steps
        numbers = sorted({step.round for step in whole})[-rounds:]
        (found,) = ratings.histories([0], rounds)
        assert ratings.players[0] == "Ada"
        assert found.steps == tuple(step for step in whole if step.round in numbers)


def test_who_was_alone_has_no_step():
    """A contest of one is not rated, and nothing has to be explained."""
    field = contests([[("Ada", 1)], [("Ada", 1), ("Ben", 2)]])
    (step,) = rate(field, ELO).history("Ada")
    assert (step.round, step.opponent) == (1, "Ben")


def test_the_leagues_pull_is_a_term_of_its_own():
    """In a league the correction towards the target mean stands beside the game."""
    table = games([("Ada", "Ben", 1.0), ("Cleo", "Dan", 0.5)])
    ratings = rate(table, find("ics"), params={"established": 1})
    (step,) = ratings.history("Cleo")
    mean = (ratings["Ada"].rating + ratings["Ben"].rating) / 2
    assert step.terms["correction towards the target mean"] == approx(
        (1720 - mean) / 10, abs=1e-9
    )  # as the server says
    assert fsum(step.terms.values()) == step.change


def test_a_floor_is_a_term_of_its_own():
    """What a floor gives back is not said to come from the game."""
    params = {"floor_drop": 10.0, "k": 32.0}
    (step,) = rate(games([("Ada", "Ben", 0.0)]), find("federation_elo"), params=params).history(
        "Ada"
    )
    assert step.terms == {"game": -16.0, "floor": 6.0}
    assert step.change == -10.0


def test_what_happened_between_games_is_a_term():
    """A share of one who left, handed out by a rule, is told apart from the game."""
    table = games([*ROWS, ("Ben", "Cleo", 1.0)], time=[*DAYS, START + 60])
    rule = Redistribution(departures=(("Ada", START + 50),))
    ratings = rate(table, ELO, rules=[rule])
    last = ratings.history("Ben")[-1]
    (event,) = ratings.events
    assert last.terms["between games"] == approx(event.points)
    assert fsum(last.terms.values()) == last.change


def test_a_weight_counts_in_the_term():
    """A game of weight two brings two games' points."""
    (step,) = rate(games(ROWS[:1], weight=[2.0]), ELO).history("Ada")
    assert step.terms == {"game": 32.0}


def test_a_change_far_smaller_than_its_terms():
    """Near zero a floor may leave a change of which the terms have no such small part."""
    params = {"start": 0.0, "floor_drop": 1e-7}
    (step,) = rate(games([("Ada", "Ben", 0.0)]), find("federation_elo"), params=params).history(
        "Ada"
    )
    assert step.change == -1e-7
    assert fsum(step.terms.values()) == step.change


@pytest.mark.parametrize("seed", range(20))
def test_terms_of_any_size_add_up(seed):
    """However small a change is beside its terms, they add up to it exactly."""
    random = np.random.default_rng(seed)
    large = float(random.normal() * 1000)
    change = float(random.normal() * 10.0 ** -random.integers(0, 12))
    terms = {"game": large, "rest": change - large, "between games": float(random.normal())}
    settle_terms(terms, change)
    assert fsum(terms.values()) == change


@pytest.mark.parametrize("seed", range(20))
def test_a_term_called_rounding_is_like_any_other(seed):
    """A system may call what is left of its change rounding, as arimaa does."""
    random = np.random.default_rng(seed)
    change, game = float(random.uniform(0.001, 0.03)), float(-random.uniform(0.01, 0.03))
    terms = {"game": game, "rounding": change - game}
    settle_terms(terms, change)
    assert fsum(terms.values()) == change


@pytest.mark.parametrize(
    ("table", "system", "period"),
    [
        (games(ROWS * 3, time=sorted(DAYS * 3)), "ics", None),
        (games(ROWS * 3, time=sorted(DAYS * 3)), "elo", "1d"),
        (contests([[("Ada", 1), ("Ben", 2), ("Cleo", 2)]] * 3), "elo", None),
    ],
    ids=["games", "rounds", "contests"],
)
def test_reasons_of_a_large_table(monkeypatch, table, system, period):
    """The compiled loop remembers for a history what the plain one remembers."""
    ratings = rate(table, find(system), period=period)
    plain = ratings.history("Ada").steps
    monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", 0)
    played = []
    monkeypatch.setattr(replay.Replay, "play_plain", lambda *arguments: played.append(arguments))
    assert ratings.history("Ada").steps == plain
    assert not played


def test_a_table_for_people():
    """A history is a table with dates where there are any."""
    dated, undated = (
        rate(games(ROWS).replace(time=time), ELO).history("Ada") for time in (np.array(DAYS), None)
    )
    assert str(dated).splitlines()[0].split()[:2] == ["date", "opponent"]
    assert str(undated).splitlines()[0].split()[0] == "opponent"
    assert str(dated).splitlines()[1].split() == [
        "2020-01-01", "Ben", "1500.0", "1", "0.500", "1500.0", "1516.0", "+16.0"
    ]  # fmt: skip
    assert len(dated) == 2


def test_an_unknown_player_has_no_history():
    """Asking for one who never played names the nearest who did."""
    with refused(UnknownPlayer, "unknown_player", about="Ada"):
        rate(games(ROWS), ELO).history("Ad")


@pytest.mark.parametrize("name", ["elo", "glicko2", "trueskill", "weng_lin", "federation_elo"])
def test_another_result_changes_what_a_replay_says(name):
    """What a game would have changed with another score is what playing the table so changes."""
    draw, system, players = np.random.default_rng(5), find(name), list("ABCDE")
    pairs = [draw.choice(players, 2, replace=False).tolist() for _ in range(40)]
    rows = [
        (*pair, float(score))
        for pair, score in zip(pairs, draw.choice([0, 0.5, 1], 40), strict=True)
    ]
    days = [START + day for day in range(40)]
    ratings = rate(games(rows, time=days), system)
    for row in (20, 39):
        before = rate(games(rows[:row], time=days[:row]), system)
        found = find_alternatives(ratings, row, [1.0, 0.5, 0.0])
        for score, changes in zip([1.0, 0.5, 0.0], found, strict=True):
            last = [*rows[:row], (*pairs[row], score)]
            after = rate(games(last, time=days[: row + 1]), system)
            apart = [after[player].rating - before[player].rating for player in pairs[row]]
            assert list(changes) == approx(apart, abs=1e-9)


def test_games_of_a_period_have_no_other_result_alone():
    """Where games are rated together, none of them alone has made the change."""
    ratings = rate(games(ROWS, time=DAYS), ELO, period="1mo")
    assert find_alternatives(ratings, 0, [1.0, 0.0]) == []


@pytest.mark.parametrize(
    ("score", "change", "terms", "told"),
    [
        (1.0, -1.0, {"game": 9.0, OF_TIME: -11.0, REWEIGHED: 1.0}, "more than this game"),
        (0.0, 2.0, {"game": -3.0, REWEIGHED: 5.0}, "more than this game"),
        (1.0, -1.0, {"game": -1.0}, "the win was by less than expected"),
        (0.0, 1.0, {"game": 2.0, OF_TIME: -1.0}, "the loss was by less than expected"),
        (1.0, 1.0, {"game": 2.0, OF_TIME: -1.0}, ""),
        (0.0, -1.0, {"game": -1.0}, ""),
        (1.0, -0.01, {"game": 0.5, OF_TIME: -0.51}, ""),
    ],
)
def test_a_change_against_the_result_has_a_reason(score, change, terms, told):
    """A fall after a win and a rise after a loss are told apart by what the game itself gave.

    The page of a player and the shell have one sentence.
    """
    found = describe_contrary(score, 0.6, change, terms)
    assert told in found
    assert bool(told) == bool(found)
    entry = {"score": score, "expected": 0.6, "change": change, "terms": terms}
    assert why(entry).endswith(found)
