"""What is wrong with a system that is not complete: one sentence each, naming the system."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, NamedTuple

import pytest

from prowess.engine.check import check_system
from prowess.engine.declaration import BadSystem
from prowess.engine.system import (
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
    ({"params": {"k": 32}}, "elo: params is a NamedTuple with defaults.*it is dict"),
    ({"params": None}, "params is a NamedTuple with defaults"),
    ({"rating": 1500.0}, "elo: rating is a NamedTuple.*it is float"),
    ({"rating": Infinite()}, "rating.rating = nan is not a finite number"),
    ({"rating": Elsewhere()}, "the first field of Elsewhere is 'rating'"),
    ({"evidence_zero": (0.0,)}, "evidence_zero is a NamedTuple.*it is tuple"),
    ({"evidence_zero": Other()}, "all its fields are 0.0"),
    ({"expected": None}, r"expected\(p, mine, theirs, game\) is missing"),
    ({"evidence": max}, r"evidence\(p, mine, theirs, game\) is missing: give a plain Python func"),
    ({"expected": three}, r"called as expected\(p, mine, theirs, game\), but takes \(p, me, opp"),
    ({"params": Low()}, "the default of k, -1, is outside its own range, 0 to 200 points"),
    ({"params": Word()}, r"the default of curve, 2, is outside.*logistic \| normal"),
    ({"rounds": "period "}, "rounds is any, game or period, not 'period '"),
    ({"clock": "weekly"}, "elo: clock: give period as a count and a unit"),
    ({"expected": four}, "expected returned 1.5, not a number in 0..1"),
    ({"evidence": fails}, "evidence failed on its first game: AttributeError"),
    ({"absorb": other}, "absorb returned Other.*not a Rating"),
    ({"absorb": whole}, "rating=1500; every field is a float.*write 0.0, not 0"),
    ({"newcomer": lambda p: None}, "newcomer returned None, not a Rating|newcomer failed"),
    ({"newcomer": lambda p: p.none}, "newcomer failed"),
    ({"drift": lambda p, me, elapsed: None}, "drift returned None, not a Rating"),
    ({"credit": lambda p, me, after, one: one.nothing}, "credit failed on its first game"),
]


@pytest.mark.parametrize(("change", "message"), CASES, ids=[message for _, message in CASES])
def test_an_incomplete_system_is_told(change, message):
    """One wrong part gives one error that names it."""
    with pytest.raises(BadSystem, match=message) as said:
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
    ({"part": None}, "elo: side is for teams: declare part"),
    ({"part": None, "side": None}, "elo: due is for teams: declare part"),
    ({"side": None}, r"elo: part needs side=Side\(\)"),
    ({"side": Side(1.0, 0.0)}, "elo: side is a side without members: all its fields are 0.0"),
    ({"side": 0.0}, "elo: side is a NamedTuple"),
    ({"part": lambda p, me: me}, r"part is called as part\(p, me, share\), but takes \(p, me\)"),
    ({"part": lambda p, me, share: me}, "elo: part returned Rating.*not a Side"),
    ({"part": lambda p, me, share: Side(me.rating, 1)}, "part returned members=1; every field"),
    ({"due": lambda p, me, share, one: one}, r"due is called as due\(p, me, share, mine, one\)"),
    ({"due": lambda p, me, share, mine, one: me}, "due returned Rating.*not a Evidence"),
    ({"chances": lambda p, mine, theirs, game: 0.5}, "chances returned 0.5, not Chances"),
    ({"chances": lambda p, mine, theirs, game: Chances(0.5)}, "chances returned draw=None"),
    ({"chances": lambda p, mine, theirs, game: Chances(1.5, 0.0)}, "chances returned win=1.5"),
    ({"chances": lambda p, mine, theirs, game: Chances(0.9, 0.2)}, "more than 1 in all"),
    ({"contest": lambda p, sides, place: None}, r"contest is called as contest\(p, sides, place, "),
    ({"contest": lambda p, sides, place, out: out}, "contest fills the columns of out and returns"),
    ({"contest": fills}, "contest returned change=1; every field is a float"),
    ({"contest": lambda p, sides, place, out: sides.skill}, "contest failed on its first game"),
    ({"game": Unmirrored()}, "put the field score first, and annotate each field with how it mirr"),
    ({"game": Late()}, "put the field score first"),
    ({"game": Lone()}, "Lone.rest is swapped with 'rest_theirs', which is no field"),
    ({"game": OneWay()}, "OneWay.mine mirrored twice is another number"),
    ({"game": None}, "game is a NamedTuple with defaults"),
    ({"roles": ["surface"]}, "roles is a dict"),
    (
        {"roles": {"surface": lambda p: p._replace(k=float("nan"))}},
        r"roles\['surface'\] returned Params.*a value is no number",
    ),
    ({"roles": {"surface": 0.1}}, r"roles\['surface'\] is a function of p"),
    ({"roles": {"surface": lambda p: 1.0}}, r"roles\['surface'\] returned 1.0, not a Params"),
    ({"roles": {"surface": lambda p: p.none}}, r"roles\['surface'\] failed on its first game"),
    (
        {
            "evidence_zero": Same(),
            "evidence": lambda p, mine, theirs, game: Same(game.score - 0.5),
            "due": None,
        },
        "Same.change does not mirror as it says: the other side's is -0.5, not 0.5",
    ),
]


@pytest.mark.parametrize(("change", "message"), TEAM_CASES, ids=[text for _, text in TEAM_CASES])
def test_what_rates_teams_is_checked(change, message):
    """Sides, chances, contests, games and roles that are not right give one error each."""
    with pytest.raises(BadSystem, match=message) as said:
        check_system(replace(ELO, **change))
    assert str(said.value).startswith("elo")


def test_evidence_may_be_left_out_beside_contest():
    """A system that judges whole contests needs no evidence of two sides."""
    alone = replace(TRUESKILL, name="whole_contests", evidence=None)
    assert check_system(alone) is alone
    with pytest.raises(BadSystem, match=r"evidence.* is missing"):
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
