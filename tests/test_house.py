"""The structure of the source: names, files and imports, as `make house` counts them."""

from __future__ import annotations

import pytest

from tests import house

MOST_LINES = 410  # a refusal has a line for its code
READ_WITH_A_PLACE = (  # a file, a row or a field stands before what is wrong with it
    "prowess.games", "prowess.live", "prowess.theory.forms", "prowess.theory.markov",
)  # fmt: skip


@pytest.fixture(scope="module")
def modules():
    """Every module of the package, parsed."""
    return house.load_modules(house.SRC)


def test_functions_are_named_by_act_or_quantity(modules):
    """No function is named by a lone past participle, unless it is a field or a truth."""
    assert house.find_lone_participles(modules) == []


def test_class_names_have_one_meaning(modules):
    """No two modules define a class of one name, but for what the contract of systems asks for."""
    assert house.find_double_classes(modules) == []


def test_imports_make_no_circle(modules):
    """No module imports itself by way of others, also for types alone."""
    assert house.find_circles(modules, types=True) == []


def test_files_are_short(modules):
    """A file of the source has at most 410 lines."""
    lines = {
        name: module.path.read_text(encoding="utf-8").count("\n")
        for name, module in modules.items()
    }
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_errors_begin_with_the_remedy(modules):
    """What a refusal says begins with what to do, but where it is told with a place."""
    own = {name: one for name, one in modules.items() if not name.startswith(READ_WITH_A_PLACE)}
    assert house.find_faults_first(own) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("'give k as a number'", 0),
        ("f'leave {name} out: it is no date'", 0),
        ("f'{hint} no such name'", 0),
        ("str(error)", 0),
        ("f'{name}: outside its range'", 1),
        ("'the table has no dates'", 1),
    ],
)
def test_faults_first_are_found(tmp_path, text, wrong):
    """An error that begins with the fault is found (so the law can fail)."""
    (tmp_path / "one.py").write_text(f"raise Unratable({text})", encoding="utf-8")
    assert len(house.find_faults_first(house.load_modules(tmp_path))) == wrong


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("def shown(): ...", 1),
        ("class A:\n    def _settled(self): ...", 1),
        ("def f():\n    async def asked(): ...", 1),
        ("def seed(): ...\ndef read(): ...\ndef fit(): ...\ndef rank_players(): ...", 0),
        ("class A:\n    @property\n    def rated(self): ...", 0),
        ("def established() -> bool: ...", 0),
    ],
)
def test_participles_are_found(tmp_path, source, wrong):
    """The rule of names finds functions, methods and inner functions (so the law can fail)."""
    (tmp_path / "one.py").write_text(source, encoding="utf-8")
    assert len(house.find_lone_participles(house.load_modules(tmp_path))) == wrong


def test_circles_and_doubles_are_found(tmp_path):
    """Circles by way of a third module and of types alone, and doubled classes, are found."""
    (tmp_path / "a.py").write_text("import b\nclass One: ...\n")
    (tmp_path / "b.py").write_text("def f():\n    import c\n")
    (tmp_path / "c.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\nclass One: ...\n"
    )
    modules = house.load_modules(tmp_path)
    assert house.find_circles(modules) == []
    assert house.find_circles(modules, types=True) == ["a <-> b <-> c"]
    assert house.find_double_classes(modules) == ["One: a, c"]
    assert house.find_single_imports(modules) == ["a <- c", "b <- a", "c <- b"]
