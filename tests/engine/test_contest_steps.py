"""Histories of contests: a step for each contest, with the place and the place expected."""

from math import fsum

import pytest
from pytest import approx

from prowess.engine.rate import rate
from prowess.systems.catalogue import find
from tests.engine.tables import START, contests

FIELD = [
    [("Ann", 2), ("Bob", 1), ("Cid", 3), ("Dee", 4)],
    [("Ann", 1), ("Bob", 2), ("Cid", 4), ("Dee", 3)],
    [("Ann", 3), ("Bob", 2), ("Cid", 1), ("Dee", 4)],
    [("Ann", 2), ("Bob", 1), ("Cid", 3), ("Dee", 3)],
]


@pytest.mark.parametrize("system", ["codeforces", "trueskill", "weng_lin_pl"])
def test_a_contest_judged_as_a_whole_is_one_step(system):
    """Four contests are four steps with their places; each leads on to the next, and adds up."""
    ratings = rate(contests(FIELD, time=[START + 7 * k for k in range(4)]), find(system))
    history = ratings.history("Ann")
    assert [(s.placing.place, s.placing.of) for s in history] == [(2, 4), (1, 4), (3, 4), (2, 4)]
    assert all(fsum(step.terms.values()) == step.change != 0.0 for step in history)
    assert all(
        one.after == two.before for one, two in zip(history, history.steps[1:], strict=False)
    )
    assert history[-1].after == approx(ratings["Ann"].rating, rel=1e-12)
    assert [m.opponent for m in history[0].meetings] == ["Bob", "Cid", "Dee"]
    assert "4 contests" in history.caption
    assert len(history.cells()) == 1 + 4


def test_the_expected_place_is_one_and_the_chances_to_be_beaten():
    """Codeforces, 1400 against 1800 (they win 10 of 11) and twice 1400: 1 + 10/11 + 1/2 + 1/2."""
    field = contests([[("Ann", 2), ("Bob", 1), ("Cid", 3), ("Dee", 3)]])
    ratings = rate(field, find("codeforces"), start={"Bob": {"rating": 1800.0}})
    step = ratings.history("Ann")[0]
    assert step.placing.expected == approx(1 + 10 / 11 + 1 / 2 + 1 / 2)
    assert step.sentence.startswith("2nd of 4, 2.9th was expected: ")


def test_a_shared_place_is_marked():
    """Cid and Dee share the third place: 3rd= of 4 for both."""
    ratings = rate(contests(FIELD), find("trueskill"))
    assert [str(ratings.history(name)[-1].placing) for name in ("Cid", "Dee")] == ["3rd= of 4"] * 2
