"""What is wrong with a system that is not complete: one sentence each, naming the system."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, NamedTuple

import pytest

from prowess.engine.check import BadSystem, checked
from prowess.engine.system import Choice, Dynamic, League, Range
from prowess.systems.dynamic.elo import ELO
from prowess.systems.dynamic.ics import ICS


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
    ({"params": {"k": 32}}, "elo: params is a NamedTuple with defaults.*it is dict"),
    ({"params": None}, "params is a NamedTuple with defaults"),
    ({"rating": 1500.0}, "elo: rating is a NamedTuple.*it is float"),
    ({"rating": Infinite()}, "rating.rating = nan is not a finite number"),
    ({"rating": Elsewhere()}, "the first field of Elsewhere is 'rating'"),
    ({"evidence_zero": (0.0,)}, "evidence_zero is a NamedTuple.*it is tuple"),
    ({"evidence_zero": Other()}, "all its fields are 0.0"),
    ({"expected": None}, r"expected\(p, me, opponent, game\) is missing"),
    ({"evidence": max}, r"evidence\(p, me, opponent, game\) is missing: give a plain Python func"),
    ({"expected": three}, r"called as expected\(p, me, opponent, game\), but takes \(p, me, opp"),
    ({"params": Low()}, "the default of k, -1, is outside its own range, 0 to 200 points"),
    ({"params": Word()}, r"the default of curve, 2, is outside.*logistic \| normal"),
    ({"rounds": "period "}, "rounds is any, game or period, not 'period '"),
    ({"clock": "weekly"}, "elo: clock: period 'weekly'"),
    ({"expected": four}, "expected returned 1.5, not a number in 0..1"),
    ({"evidence": fails}, "evidence failed on its first game: AttributeError"),
    ({"absorb": other}, "absorb returned Other.*not a Rating"),
    ({"absorb": whole}, "rating=1500; every field is a float.*write 0.0, not 0"),
    ({"newcomer": lambda p: None}, "newcomer returned None, not a Rating|newcomer failed"),
    ({"newcomer": lambda p: p.none}, "newcomer failed"),
    ({"drift": lambda p, me, elapsed: None}, "drift returned None, not a Rating"),
    ({"credit": lambda p, me, after, one: one.nothing}, "credit failed on its first game"),
    ({"side": None}, "side is a NamedTuple with defaults"),
    ({"part": lambda p, me: me}, r"part is called as part\(p, me, share\), but takes \(p, me\)"),
    ({"part": lambda p, me, share: me}, "part returned Rating.*not a Side"),
    ({"due": lambda p, me, share, mine, one: one.nothing}, "due failed on its first game"),
    (
        {"chances": lambda p, mine, theirs: None},
        r"chances is called as chances\(p, mine, theirs, g",
    ),
]


@pytest.mark.parametrize(("change", "message"), CASES, ids=[message for _, message in CASES])
def test_an_incomplete_system_is_told(change, message):
    """One wrong part gives one error that names it."""
    with pytest.raises(BadSystem, match=message) as said:
        checked(replace(ELO, **change))
    assert str(said.value).startswith("elo")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drift": drift}, "a system with a league has no drift"),
        ({"absorb": ELO.absorb}, r"absorb\(p, me, total, league\), but takes \(p, me, total\)"),
        (
            {"league": League(ICS.league.empty, standing)},
            "a newcomer's standing in the league must be zero",
        ),
        ({"clock": "30d"}, "counts idle days"),
    ],
)
def test_a_league_is_checked(change, message):
    """What a league needs of its system is asked for."""
    with pytest.raises(BadSystem, match=message):
        checked(replace(ICS, **change))


@pytest.mark.parametrize("value", ["elo", None, Dynamic, 3])
def test_a_system_is_a_value(value):
    """Anything that is not a system says what a system is."""
    with pytest.raises(BadSystem, match=r"^give a system .* as a value made by Dynamic\(...\)"):
        checked(value)


def test_a_complete_system_is_returned():
    """Checking gives the very same system back."""
    assert checked(ELO) is ELO
    assert checked(ICS) is ICS
