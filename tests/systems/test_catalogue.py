"""How a system is found by its name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from prowess.systems.catalogue import UnknownSystem, catalogue, find

SCRIPT = """
import sys
from prowess.systems.catalogue import find
system = find(sys.argv[1])
print(system.name, system.home, *sorted(
    name for name in sys.modules
    if name.startswith("prowess.systems.") and name.count(".") == 3
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
    builds_on = {"prowess.systems.dynamic.glicko"} if name == "rumble_glicko" else set()
    assert set(imported) == {home, *builds_on}


@pytest.mark.parametrize("name", catalogue())
def test_every_system_is_found(name):
    """The system that is found is the very one of the catalogue."""
    assert find(name) is catalogue()[name]


@pytest.mark.parametrize("name", ["elo2", "Params", "", "no such thing", "../elo", "name"])
def test_what_is_not_there_is_not_found(name):
    """A name nobody has gives one error that tells which there are."""
    with pytest.raises(UnknownSystem, match=r"no system .* There are: .*elo"):
        find(name)
