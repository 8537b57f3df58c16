"""The guide for contributors shows a system and its test; both run as printed."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from prowess.engine.system import Dynamic
from tests.oracle import added, newcomer

GUIDE = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"<!-- file: (\S+) -->\n```python\n(.*?)```", GUIDE, flags=re.DOTALL))
SYSTEM, TEST = SHOWN  # in the order of the steps


def run(path: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that a block of the guide would be, were it in its file."""
    module = ModuleType(path.removeprefix("src/").removesuffix(".py").replace("/", "."))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(SHOWN[path], path, "exec", dont_inherit=True), module.__dict__)
    return module


def test_the_shown_test_passes_on_the_shown_system(monkeypatch):
    """The test of step 2 passes on the system of step 1."""
    run(SYSTEM, monkeypatch)
    laws = [law for name, law in vars(run(TEST, monkeypatch)).items() if name.startswith("test_")]
    assert laws
    for law in laws:
        law()


def test_the_shown_test_can_fail(monkeypatch):
    """The test of step 2 notices when the formula of step 1 is wrong."""
    monkeypatch.setitem(SHOWN, SYSTEM, SHOWN[SYSTEM].replace("(4.0 * p.c)", "(2.0 * p.c)"))
    run(SYSTEM, monkeypatch)
    law = run(TEST, monkeypatch).test_sixteen_and_four_percent
    with pytest.raises(AssertionError):
        law()


def test_the_shown_system_keeps_the_contract(monkeypatch):
    """The system of step 1 has the headings, and functions that fit its own declaration."""
    module = run(SYSTEM, monkeypatch)
    system = module.LINEAR_ELO
    assert isinstance(system, Dynamic)
    assert re.findall(r"^([A-Z][a-z]+)  ", system.doc, flags=re.MULTILINE) == [
        "Formula",
        "Source",
        "Units",
        "Differs",
    ]
    assert newcomer(system, system.params) == system.rating
    assert added(system.evidence_zero, system.evidence_zero) == system.evidence_zero


def test_the_map_names_rooms_and_functions_that_exist():
    """Every room, file and function of the map is there, and no room is missing."""
    plan = GUIDE.partition("## Map of the source")[2].partition("\n## ")[0]
    source = Path(__file__).parent.parent / "src" / "prowess"
    rooms = {f"{path.parent.relative_to(source)}/" for path in source.rglob("*.py")} - {"./"}
    written = set(re.findall(r"^\| `([\w/]+/)` \|", plan, flags=re.MULTILINE))
    grouped = {"cli/verbs/", "live/"}
    assert rooms - written - grouped == set()
    assert all((source / room).is_dir() for room in written)
    steps = re.findall(r"`([\w/]+\.py)`((?:,? `\w+`)*)", plan)
    assert len(steps) > 20
    for file, names in steps:
        path = source / file if (source / file).exists() else source.parent.parent / file
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"\w+", names):
            assert re.search(rf"^ *(?:async )?(?:def|class) {name}\b", text, re.MULTILINE), (
                file,
                name,
            )
