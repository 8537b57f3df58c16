"""What is wrong with a system that is not complete: one sentence each, naming the system."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, NamedTuple

import pytest

from prowess.engine.check import check_system
from prowess.engine.system import (
    BadSystem,
    Chances,
    Choice,
    Dynamic,
    League,
    Range,
    complement,
    negated,
    same,
    swapped,
)
from prowess.systems.elo import ELO, Evidence, Side
from prowess.systems.ics import ICS
from prowess.systems.trueskill import TRUESKILL
from tests.refusals import refused


class Low(NamedTuple):
    """A default below its range."""

    k: Annotated[float, Range(0, 200, "points")] = -1.0


class Word(NamedTuple):
    """A default that is no word."""

    curve: Annotated[int, Choice("logistic", "normal")] = 2


class Elsewhere(NamedTuple):
    """The rating does not come first."""

    deviation: float = 350.0
    rating: float = 1500.0


class Other(NamedTuple):
    """Some other tuple."""

    rating: float = 1500.0


class Infinite(NamedTuple):
    """A newcomer who is no number."""

    rating: float = float("nan")


def four(p, me, opponent, game):
    return 1.5


def fails(p, me, opponent, game):
    return me.strength


def other(p, me, total):
    return Other(me.rating)


def whole(p, me, total):
    return type(me)(1500)


def three(p, me, opponent):
    return 0.5


def standing(p, me):
    return ICS.league.empty._replace(players=1.0)


def drift(p, me, elapsed):
    return me


CASES = [
    ({"params": {"k": 32}}, ("not_a_tuple", "NamedTuple", "elo", "dict")),
    ({"params": None}, ("not_a_tuple", "NamedTuple", "params")),
    ({"rating": 1500.0}, ("not_a_tuple", "NamedTuple", "elo", "rating")),
    ({"rating": Infinite()}, ("not_finite", "finite")),
    ({"rating": Elsewhere()}, ("no_field_rating", "rating", "Elsewhere")),
    ({"evidence_zero": (0.0,)}, ("not_a_tuple", "evidence_zero", "NamedTuple")),
    ({"evidence_zero": Other()}, ("not_zero", "0.0")),
    ({"expected": None}, ("function_missing", "expected")),
    ({"evidence": max}, ("function_missing", "Python", "evidence")),
    ({"expected": three}, ("wrong_arguments", "opp")),
    ({"params": Low()}, ("default_out_of_range", "200")),
    ({"params": Word()}, ("default_out_of_range", "curve")),
    ({"rounds": "period "}, ("unknown_rounds", "period")),
    ({"clock": "weekly"}, ("bad_clock", "elo")),
    ({"expected": four}, ("not_a_chance", "1.5", "number")),
    ({"evidence": fails}, ("function_fails", "AttributeError", "evidence")),
    ({"absorb": other}, ("wrong_return", "Other", "Rating")),
    ({"absorb": whole}, ("not_a_float", "rating=", "1500", "0.0")),
    ({"newcomer": lambda p: None}, ("function_fails", "None")),
    ({"newcomer": lambda p: p.none}, ("function_fails", "newcomer")),
    ({"drift": lambda p, me, elapsed: None}, ("wrong_return", "None", "Rating")),
    ({"credit": lambda p, me, after, one: one.nothing}, ("function_fails", "credit")),
]


@pytest.mark.parametrize(("change", "message"), CASES, ids=[message[0] for _, message in CASES])
def test_an_incomplete_system_is_told(change, message):
    """One wrong part gives one error that names it."""
    with refused(BadSystem, message[0], about=message[1:]) as said:
        check_system(replace(ELO, **change))
    assert str(said.value).startswith("elo")


class Unmirrored(NamedTuple):
    """A game of which one fact says nothing of the other side."""

    score: Annotated[float, complement] = 0.5
    rest: float = 0.0


class Lone(NamedTuple):
    """A fact that is swapped with one that is not there."""

    score: Annotated[float, complement] = 0.5
    rest: Annotated[float, swapped("rest_theirs")] = 0.0


class OneWay(NamedTuple):
    """Two facts of which only one names the other."""

    score: Annotated[float, complement] = 0.5
    mine: Annotated[float, swapped("theirs")] = 0.0
    theirs: Annotated[float, same] = 0.0


class Late(NamedTuple):
    """The score does not come first."""

    side: Annotated[float, negated] = 0.0
    score: Annotated[float, complement] = 0.5


class Same(NamedTuple):
    """Evidence that says the wrong thing of its mirror."""

    change: Annotated[float, same] = 0.0


def fills(p, sides, place, out):
    out.change[0] = 1


TEAM_CASES = [
    ({"part": None}, ("no_part", "elo", "side")),
    ({"part": None, "side": None}, ("no_part", "elo", "due")),
    ({"side": None}, ("no_side", "side=", "Side", "elo")),
    ({"side": Side(1.0, 0.0)}, ("not_zero", "0.0", "elo", "side")),
    ({"side": 0.0}, ("not_a_tuple", "NamedTuple", "elo", "side")),
    ({"part": lambda p, me: me}, ("wrong_arguments", "part")),
    ({"part": lambda p, me, share: me}, ("wrong_return", "Rating", "elo", "Side")),
    ({"part": lambda p, me, share: Side(me.rating, 1)}, ("not_a_float", "members=")),
    ({"due": lambda p, me, share, one: one}, ("wrong_arguments", "due")),
    ({"due": lambda p, me, share, mine, one: me}, ("wrong_return", "Rating", "Evidence")),
    ({"chances": lambda p, mine, theirs, game: 0.5}, ("wrong_return", "0.5", "Chances")),
    ({"chances": lambda p, mine, theirs, game: Chances(0.5)}, ("not_a_chance", "draw=", "None")),
    ({"chances": lambda p, mine, theirs, game: Chances(1.5, 0.0)}, ("not_a_chance", "win=", "1.5")),
    ({"chances": lambda p, mine, theirs, game: Chances(0.9, 0.2)}, ("chances_above_one",)),
    ({"contest": lambda p, sides, place: None}, ("wrong_arguments", "place")),
    ({"contest": lambda p, sides, place, out: out}, ("wrong_return", "out")),
    ({"contest": fills}, ("not_a_float", "change=")),
    ({"contest": lambda p, sides, place, out: sides.skill}, ("function_fails", "contest")),
    ({"game": Unmirrored()}, ("fields_not_mirrored", "how")),
    ({"game": Late()}, ("fields_not_mirrored", "put")),
    ({"game": Lone()}, ("unknown_field", "rest_theirs", "Lone")),
    ({"game": OneWay()}, ("fields_not_mirrored", "OneWay")),
    ({"game": None}, ("not_a_tuple", "NamedTuple")),
    ({"roles": ["surface"]}, ("roles_no_functions", "dict")),
    (
        {"roles": {"surface": lambda p: p._replace(k=float("nan"))}},
        ("not_finite", "surface", "Params"),
    ),
    ({"roles": {"surface": 0.1}}, ("roles_no_functions", "surface")),
    ({"roles": {"surface": lambda p: 1.0}}, ("wrong_return", "surface", "1.0", "Params")),
    ({"roles": {"surface": lambda p: p.none}}, ("function_fails", "surface")),
    (
        {
            "evidence_zero": Same(),
            "evidence": lambda p, mine, theirs, game: Same(game.score - 0.5),
            "due": None,
        },
        ("fields_not_mirrored", "0.5", "Same"),
    ),
]


@pytest.mark.parametrize(("change", "message"), TEAM_CASES, ids=[text[0] for _, text in TEAM_CASES])
def test_what_rates_teams_is_checked(change, message):
    """Sides, chances, contests, games and roles that are not right give one error each."""
    with refused(BadSystem, message[0], about=message[1:]) as said:
        check_system(replace(ELO, **change))
    assert str(said.value).startswith("elo")


def test_evidence_may_be_left_out_beside_contest():
    """A system that judges whole contests needs no evidence of two sides."""
    alone = replace(TRUESKILL, name="whole_contests", evidence=None)
    assert check_system(alone) is alone
    with refused(BadSystem, "function_missing", about="evidence"):
        check_system(replace(TRUESKILL, name="neither", evidence=None, contest=None))


def test_an_expected_score_is_made_of_chances():
    """A system with chances needs no function for the expected score."""
    assert Evidence() == ELO.evidence_zero
    alone = replace(TRUESKILL, name="by_chances", expected=None)
    assert check_system(alone) is alone


def test_other_chances_make_another_expected_score():
    """A system made from another by `replace` forecasts by its own chances."""
    other = replace(
        TRUESKILL, name="other", chances=lambda p, mine, theirs, game: Chances(0.2, 0.3)
    )
    side = TRUESKILL.alone(TRUESKILL.params, TRUESKILL.rating)
    assert other.expected(other.params, side, side, TRUESKILL.game) == 0.35
    with refused(BadSystem, "function_missing", about="expected"):
        check_system(replace(TRUESKILL, name="none", chances=None))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drift": drift}, "league_with_drift"),
        ({"absorb": ELO.absorb}, "wrong_arguments"),
        (
            {"league": League(ICS.league.empty, standing)},
            "newcomers_not_zero",
        ),
        ({"clock": "30d"}, "league_without_clock"),
    ],
)
def test_a_league_is_checked(change, message):
    """What a league needs of its system is asked for."""
    with refused(BadSystem, message):
        check_system(replace(ICS, **change))


@pytest.mark.parametrize("value", ["elo", None, Dynamic, 3])
def test_a_system_is_a_value(value):
    """Anything that is not a system says what a system is."""
    with refused(BadSystem, "not_a_system", about="Dynamic"):
        check_system(value)


def test_a_complete_system_is_returned():
    """Checking gives the very same system back."""
    assert check_system(ELO) is ELO
    assert check_system(ICS) is ICS
