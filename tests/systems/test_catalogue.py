"""How a system is found by its name."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pytest import approx

from prowess.engine.system import Dynamic, Game
from prowess.systems.catalogue import UnknownSystem, catalogue, find
from tests.oracle import learnt
from tests.refusals import refused

SCRIPT = """
import sys
from prowess.systems.catalogue import find
system = find(sys.argv[1])
print(system.name, system.home, *sorted(
    name for name in sys.modules
    if name.startswith("prowess.systems.") and name != "prowess.systems.catalogue"
))
"""


@pytest.mark.parametrize("name", ["elo", "weng_lin_pl", "normal_elo", "schulze", "rumble_glicko"])
def test_one_system_imports_its_own_module(name):
    """Finding one system imports the module that declares it and what that builds on."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, name], capture_output=True, text=True, check=True
    )
    found, home, *imported = done.stdout.split()
    assert found == name
    builds_on = set()
    if name == "rumble_glicko":
        builds_on = {"prowess.systems.glicko", "prowess.systems.glicko2"}
    assert set(imported) == {home, *builds_on}


def test_every_system_is_found():
    """The system that is found is the very one of the catalogue."""
    assert [name for name, system in catalogue().items() if find(name) is not system] == []


@pytest.mark.parametrize("name", ["elo2", "Params", "", "no such thing", "../elo", "name"])
def test_what_is_not_there_is_not_found(name):
    """A name nobody has gives one error that tells which there are."""
    with refused(UnknownSystem, "unknown_system", about="elo"):
        find(name)


def test_expected_scores_are_those_of_the_chances():
    """Of unequal sides too: a win and half a draw, in every system that foresees draws."""
    systems = [one for one in catalogue().values() if isinstance(one, Dynamic) and one.chances]
    assert {one.name for one in systems} >= {"trueskill", "weng_lin_tm", "weng_lin_tm_partial"}
    for system in systems:
        p, me = system.params, system.rating
        better = me._replace(rating=me.rating + 3.0)
        mine, theirs = (system.alone(p, one) for one in (better, me))
        common = learnt(system, p, Game())
        chances = system.chances(p, mine, theirs, system.game, *common)
        expected = system.expected(p, mine, theirs, system.game, *common)
        assert expected == approx(chances.expected, rel=1e-12)
