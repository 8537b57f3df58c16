"""One match at a time: the numbers of a rated table of it alone, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import prowess
from prowess import errors
from prowess.engine.periods import BY_LABEL
from prowess.engine.rate import rate
from prowess.engine.state import VARIANCE, displayed_fields
from prowess.engine.system import Dynamic
from prowess.games.games import Games
from tests.every_system import CATALOGUE, every
from tests.refusals import refused

NAMES = ("Ann", "Bob", "Cid", "Dee", "Eve")
START = {"Ann": 1612.5, "Cid": 1433.25}


def alone(system: Dynamic) -> bool:
    """Whether a match needs nothing but the ratings of its players."""
    return system.prepare is None and not system.bank


def teams(system: Dynamic) -> bool:
    """Whether it rates sides of several members as well."""
    return alone(system) and system.teams


def rate_one(system: Dynamic, known: dict[str, float], /, **columns: Any) -> Any:
    """The ratings of a table of one contest, written column by column."""
    table = Games(list(NAMES), **columns)
    period = BY_LABEL if system.rounds == "period" and table.pairwise else None
    given = {name: {"rating": value} for name, value in known.items()}
    return rate(table, system, start=given, period=period, forecasts=True)


def check_same(found: Any, rated: Any) -> None:
    """All values of all players, to the last bit."""
    assert found
    for name, one in found.items():
        assert one.values == rated[name].values._asdict(), name


def ids(*numbers: int) -> Any:
    return np.array(numbers, dtype=np.uint32)


@every(alone)
@pytest.mark.parametrize("score", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("side", [0.0, 1.0])
def test_a_game_of_two_is_a_table_of_it(system, score, side):
    """A game of two has the bits of a rated table, with its side, also from given ratings."""
    made = prowess.system(system)
    for start in ({}, START):
        columns = {"a": ids(0), "b": ids(2), "score": np.array([score])}
        columns |= {"round": np.zeros(1, np.int32), "side": np.array([side])}
        rated = rate_one(system, start, **columns)
        found = made.update(["Ann", "Cid"], score, ratings=start, side=side)
        check_same(found, rated)
        assert found["Ann"].expected == rated.forecasts[0]
        assert made.update({"Ann": ..., "Cid": ...} | start, score, side=side) == found
        before = 1612.5 if start else rate_newcomer(system)
        assert found["Ann"].change == found["Ann"].rating - before


def rate_newcomer(system: Dynamic) -> float:
    """The rating of a player without a game: one who looks on while others play."""
    columns = {"a": ids(0), "b": ids(1), "score": np.array([0.5]), "round": np.zeros(1, np.int32)}
    return float(rate_one(system, {}, **columns).value(3).rating)


@every(alone)
def test_a_contest_of_many_is_a_table_of_it(system):
    """A contest of players with ties has the bits of a rated table, also from given ratings."""
    made = prowess.system(system)
    for start in ({}, START):
        columns = {"player": ids(0, 1, 2, 3), "place": np.array([2.0, 1.0, 2.0, 4.0])}
        rated = rate_one(system, start, **columns, start=np.array([0, 4]))
        found = made.update(NAMES[:4], places=[2, 1, 2, 4], ratings=start)
        check_same(found, rated)
        assert [one.expected for one in found.values()] == rated.forecasts.tolist()


@every(teams)
def test_teams_with_shares_are_a_table_of_them(system):
    """Sides of several members, with shares of playing time, have the bits of a rated table."""
    made = prowess.system(system)
    share = np.array([1.0, 0.5, 1.0, 0.25, 1.0])
    for start in ({}, START):
        columns = {"player": ids(0, 1, 2, 3, 4), "share": share, "ends": np.array([0, 2, 5])}
        columns |= {"round": np.zeros(1, np.int32), "score": np.array([0.0])}
        sides: Any = [["Ann", ("Bob", 0.5)], ["Cid", ("Dee", 0.25), "Eve"]]
        check_same(
            made.update(sides, places=[2, 1], ratings=start), rate_one(system, start, **columns)
        )
        columns = {"player": ids(0, 1, 2, 3, 4), "share": share, "ends": np.array([0, 2, 3, 5])}
        columns |= {"start": np.array([0, 3]), "place": np.array([1.0, 2.0, 1.0])}
        sides = [["Ann", ("Bob", 0.5)], "Cid", [("Dee", 0.25), "Eve"]]
        found = made.update(sides, places=[1, 2, 1], ratings=start)
        check_same(found, rate_one(system, start, **columns))


@every(lambda system: alone(system) and system.rounds != "period" and system.league is None)
def test_time_passes_as_in_a_table(system):
    """The second of two games, with the days between them, has the bits of the table of both."""
    made = prowess.system(system)
    rows = {"a": ids(0, 0), "b": ids(2, 2), "score": np.array([1.0, 0.0])}
    for days in (0.0, 45.0, 400.0):
        both = rate(Games(list(NAMES), **rows, time=np.array([0.0, days])), system)
        first = made.update(["Ann", "Cid"], 1.0)
        found = made.update(["Ann", "Cid"], 0.0, ratings=first, days={"Ann": days, "Cid": days})
        near = 1e-12 if VARIANCE in system.rating._fields else 0.0  # a root, and its square
        for name in ("Ann", "Cid"):
            for part, value in both[name].values._asdict().items():
                assert found[name].values[part] == pytest.approx(value, rel=near, abs=0.0)
        assert made.update(["Ann", "Cid"], 0.0, ratings=first, days=days) == found


@every(alone)
def test_a_forecast_is_that_of_a_table(system):
    """The forecast of the next match is that of the ratings after a table of one."""
    made = prowess.system(system)
    columns = {"a": ids(0), "b": ids(2), "score": np.array([1.0]), "round": np.zeros(1, np.int32)}
    rated = rate_one(system, {}, **columns)
    first = made.update(["Ann", "Cid"], 1.0)
    close = pytest.approx if VARIANCE in system.rating._fields else lambda value: value
    asked, known = made.forecast(["Ann", "Bob"], ratings=first), rated.forecast("Ann", "Bob")
    assert (asked.expected, asked.win) == close((known.expected, known.win))
    assert (asked.draw is None) == (known.draw is None)
    three = made.forecast(["Ann", "Bob", "Cid"], ratings=first)
    many = rated.forecast_contest(["Ann", "Bob", "Cid"])
    np.testing.assert_allclose(three.places, many.places, rtol=1e-9, atol=1e-12)


def test_many_sides_take_the_way_of_tables():
    """A contest of more sides than lists are kept for has the bits of a rated table."""
    names = [f"P{k}" for k in range(90)]
    places = [float(k // 2) for k in range(90)]
    table = Games(
        names,
        player=np.arange(90, dtype=np.uint32),
        place=np.array(places),
        start=np.array([0, 90]),
    )
    rated = rate(table, CATALOGUE["elo"], forecasts=True)
    found = prowess.system("elo").update(names, places=places)
    check_same(found, rated)
    assert [one.expected for one in found.values()] == rated.forecasts.tolist()


def test_quality_is_the_distance_from_even_chances():
    """1 for equals, 0.5 for chances of 3 : 1 (Elo's curve, by hand), 0 for a sure win."""
    elo = prowess.system("elo")
    assert elo.quality(["Ann", "Bob"]) == 1.0
    apart = 400.0 * np.log10(3.0)
    assert elo.quality({"Ann": 1500.0 + apart, "Bob": 1500.0}) == pytest.approx(0.5)
    assert elo.quality({"Ann": 9000.0, "Bob": 0.0}) == pytest.approx(0.0, abs=1e-9)
    assert elo.quality({"Ann": 1500, "Bob": 1500, "Cid": 1500}) == pytest.approx(1.0)


def test_ratings_go_out_and_in_as_json():
    """What `to_json` writes is what `ratings` takes."""
    trueskill = prowess.system("trueskill")
    after = trueskill.update([["Ann", "Bob"], ["Cid", "Dee", "Eve"]], places=[1, 2])
    text = after.to_json()
    assert json.loads(text)["Ann"] == dict(after["Ann"].values)
    sides = ["Ann & Bob", ["Cid", "Dee", "Eve"]]
    again = trueskill.update(sides, 0, ratings=text)
    assert again == trueskill.update(sides, 0, ratings=after)
    assert again == trueskill.update(sides, 0, ratings=after.to_dict()["ratings"])


def test_a_joined_name_is_one_player_only_where_it_is_known():
    """`Ann & Bob` are two members, unless the ratings have a player of that name."""
    elo = prowess.system("elo")
    assert list(elo.update(["Ann & Bob", "Cid"], 1)) == ["Ann", "Bob", "Cid"]
    known = {"Ann & Bob": 1500}
    assert list(elo.update(["Ann & Bob", "Cid"], 1, ratings=known)) == ["Ann & Bob", "Cid"]


BAD = errors.BadArgument
ELO = prowess.system("elo")
KNOWN = {"Ann Lee": 1500.0, "Bob": 1400.0}
REFUSED: dict[str, tuple[Any, Any, str]] = {
    "one side": (lambda: ELO.update([["Ann", "Bob"]], 1), BAD, "too_few_players"),
    "nobody": (lambda: ELO.update(result=1), BAD, "too_few_players"),
    "twice": (lambda: ELO.update([["Ann"], ["Bob", "Ann"]], 1), BAD, "player_twice"),
    "empty": (lambda: ELO.update([["Ann"], []], 1), BAD, "not_a_side"),
    "nan": (lambda: ELO.update({"Ann": float("nan"), "Bob": 1}, 1), BAD, "not_a_number"),
    "deviation": (
        lambda: prowess.system("glicko").update({"Ann": {"deviation": 0}, "Bob": ...}, 1),
        errors.Unratable,
        "start_out_of_range",
    ),
    "value": (
        lambda: ELO.update({"Ann": {"sigma": 3}, "Bob": ...}, 1),
        errors.Unratable,
        "unknown_start",
    ),
    "look-alike": (
        lambda: ELO.update(["Ann Le", "Bob"], 1, ratings=KNOWN),
        errors.UnknownPlayer,
        "look_alike",
    ),
    "new twins": (lambda: ELO.update(["ann", "Ann"], 1), errors.UnknownPlayer, "look_alike"),
    "no result": (lambda: ELO.update(["Ann", "Bob"]), BAD, "result_needed"),
    "two results": (lambda: ELO.update(["Ann", "Bob"], 1, places=[1, 2]), BAD, "result_needed"),
    "score": (lambda: ELO.update(["Ann", "Bob"], 2), BAD, "not_a_result"),
    "places": (lambda: ELO.update(["Ann", "Bob", "Cid"], places=[1, 2]), BAD, "not_places"),
    "place": (lambda: ELO.update(["A", "B", "C"], places=[1, 2, "x"]), BAD, "not_a_number"),
    "share": (lambda: ELO.update([["Ann", ("Bob", 0.0)], "Cid"], 1), BAD, "not_a_share"),
    "side": (
        lambda: ELO.update(["Ann", "Bob", "Cid"], places=[1, 2, 3], side=1),
        BAD,
        "side_of_contest",
    ),
    "days": (lambda: ELO.update(["Ann", "Bob"], 1, days={"Ann": 3}), BAD, "days_of_newcomer"),
    "past": (lambda: ELO.update({"Ann": 1500, "Bob": 1}, 1, days=-1), BAD, "negative_days"),
    "json": (lambda: ELO.update(["Ann", "Bob"], 1, ratings="Ann=1"), BAD, "not_json"),
    "values": (lambda: ELO.update({"Ann": [1], "Bob": 2}, 1), BAD, "not_values"),
    "text": (lambda: ELO.update("Ann", 1), BAD, "not_a_list"),
    "extreme": (
        lambda: prowess.system("trueskill").forecast({"A": 1e308, "B": -1e308, "C": 0}),
        errors.Unratable,
        "values_too_extreme",
    ),
    "no variance": (
        lambda: prowess.system("weng_lin").update(
            {"A": {"deviation": 1e-300}, "B": {"deviation": 1e-300}}, 1
        ),
        errors.Unratable,
        "values_too_extreme",
    ),
    "no teams": (
        lambda: prowess.system("arimaa").update([["A", "B"], "C"], 1),
        errors.Unratable,
        "no_teams",
    ),
    "table": (lambda: prowess.system("prowess"), BAD, "learns_from_a_table"),
    "whole": (lambda: prowess.system("colley"), BAD, "learns_from_a_table"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_match_is_refused(case):
    """Each mistake has one error, which names it."""
    call, kind, code = REFUSED[case]
    with refused(kind, code):
        call()


def test_a_name_like_another_is_new_where_it_is_said():
    """`new` settles the question of a look-alike."""
    found = ELO.update(["Ann Le", "Bob"], 1, ratings=KNOWN, new=["Ann Le"])
    assert list(found) == ["Ann Le", "Bob"]


def test_fields_are_those_that_are_displayed():
    """The values of a match have the names of a leaderboard."""
    for name in ("elo", "glicko2", "trueskill"):
        found = prowess.system(name).update(["Ann", "Bob"], 1)
        assert tuple(found["Ann"].values) == displayed_fields(CATALOGUE[name])
