"""Imports point one way: each room imports only rooms on lower floors (ORDER of house.py)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house import FLOORS, find_room, find_typing_nodes, points_down

SRC = Path(__file__).parent.parent / "src"

ROOMS_OF_GAMES = {  # the rooms of the reader -> those that they import beside the modules of games
    "cells": set(),
    "roles": {"cells"},
    "shapes": {"cells", "roles"},
    "formats": {"cells", "roles", "shapes"},
    "assembly": {"cells", "roles"},
}
READERS = {  # import every room
    "prowess.games",
    "prowess.games.read",
    "prowess.games.stream",
}
TOP_OF_ENGINE = "prowess.engine.streams"  # no other module of the engine imports it
FOOT_OF_ENGINE = "prowess.engine.cluster"  # it imports no other module of the engine
VARIES = {  # the module of a variant -> the modules of the systems it varies
    "prowess.systems.rumble_glicko": {"prowess.systems.glicko", "prowess.systems.glicko2"},
    "prowess.systems.batch_elo": {"prowess.systems.rumble_elo"},
    "prowess.systems.glicko2": {"prowess.systems.glicko"},  # sides
    "prowess.systems.iterated_mean": {"prowess.systems.posterior_mean"},
    "prowess.systems.smith_complete": {"prowess.systems.smith", "prowess.systems.iterated_mean"},
}
CATALOGUE = "prowess.systems.catalogue"  # finds the others; the only one that may know them
POSIX = {"crypt", "fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMED = re.compile(rf"^\s*(?:from|import)\b.*\b(?:{'|'.join(POSIX)})\b", re.MULTILINE)
HEAVY = {"numpy", "llvmlite", "narwhals", "pandas", "polars", "pyarrow", "rich", "scipy"}


class Import(NamedTuple):
    """One import of one of our modules by another."""

    importer: str
    imported: str
    line: int
    for_types: bool  # under `if TYPE_CHECKING`

    def __str__(self) -> str:
        """Where it stands and what it says."""
        return f"{self.importer} line {self.line} imports {self.imported}"


def modules(src: Path) -> dict[str, Path]:
    """Every module below `src` by its dotted name."""
    found = {}
    for path in sorted(src.rglob("*.py")):
        parts = path.relative_to(src).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, source: str, known: set[str]) -> list[Import]:
    """What a module imports from ours, wherever in the file that stands."""

    def named(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif node.level:
            pytest.fail(f"{name} line {node.lineno}: write imports in full")
        else:
            origin = node.module or ""
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                yield inner if inner in known else origin

    tree = ast.parse(source)
    typing = find_typing_nodes(tree)
    return [
        Import(name, imported, node.lineno, node in typing)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for imported in named(node)
        if imported.split(".")[0] == "prowess"
    ]


def wrong_way(one: Import) -> str | None:
    """What is wrong with an import, or None."""
    if find_room(one.importer) == find_room(one.imported) == "systems":
        return beside(one)
    if points_down(one.importer, one.imported):
        return None
    return f"{one}, which does not stand below it"


def beside(one: Import) -> str | None:
    """What is wrong with an import between two modules of systems, or None."""
    system = one.imported not in ("prowess.systems", CATALOGUE)
    if not system or one.importer == CATALOGUE or one.imported in VARIES.get(one.importer, ()):
        return None
    return f"{one}: systems do not know one another"


@cache
def all_imports() -> list[Import]:
    """The imports of all modules; parsed by the first test, since every worker loads this file."""
    found = modules(SRC)
    return [
        one
        for name, path in found.items()
        for one in imports(name, path.read_text(encoding="utf-8"), set(found))
    ]


def test_imports_point_down():
    """No module imports one that stands on its own floor or above."""
    assert len(all_imports()) > 10
    assert [wrong for one in all_imports() if (wrong := wrong_way(one))] == []


def test_every_folder_has_a_floor():
    """Every folder of modules is a room of the order, and the order has no others."""
    assert {file.parent.name for file in (SRC / "prowess").glob("*/__init__.py")} == {*FLOORS}


def room_of_games(module: str) -> str:
    """The room of a module of games, or nothing: `prowess.games.cells.places` stands in `cells`."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["prowess", "games"] and len(parts) > 3 else ""


def wrong_room(one: Import) -> bool:
    """Whether a module of games imports from a room of the reader that it must not know."""
    importer, imported = room_of_games(one.importer), room_of_games(one.imported)
    within_games = find_room(one.importer) == find_room(one.imported) == "games"
    if not within_games or imported in ("", importer) or one.importer in READERS:
        return False
    return imported not in ROOMS_OF_GAMES.get(importer, set())


def test_rooms_of_the_reader_point_one_way():
    """Cells know no roles, roles no shapes, shapes no formats; the table `Games` knows none."""
    assert [str(one) for one in all_imports() if wrong_room(one)] == []


def test_roles_validate_no_rows():
    """What columns hold is decided by evidence; rows are validated where they become games."""
    of_roles = [one for one in all_imports() if room_of_games(one.importer) == "roles"]
    assert of_roles
    assert [str(one) for one in of_roles if one.imported == "prowess.games.cells.validation"] == []


@pytest.mark.parametrize(
    ("importer", "imported", "wrong"),
    [
        ("prowess.games.cells.places", "prowess.games.roles.evidence", True),
        ("prowess.games.games", "prowess.games.cells.places", True),
        ("prowess.games.roles.pairs", "prowess.games.cells.places", False),
        ("prowess.games.read", "prowess.games.shapes.shapes", False),
        ("prowess.games.shapes.shapes", "prowess.games.values", False),
    ],
)
def test_a_wrong_room_is_seen(importer: str, imported: str, wrong: bool):
    """The law itself is tested."""
    assert wrong_room(Import(importer, imported, 1, for_types=False)) is wrong


def wrong_room_of_engine(one: Import) -> bool:
    """Whether an import leads from the engine to its top, or from its foot to the engine."""
    importer, imported = (".".join(name.split(".")[:3]) for name in (one.importer, one.imported))
    within_engine = find_room(one.importer) == find_room(one.imported) == "engine"
    if not within_engine or importer == imported:
        return False
    return imported == TOP_OF_ENGINE or importer == FOOT_OF_ENGINE


def test_rooms_of_the_engine_point_one_way():
    """A rating of one table knows no streams; a task on a cluster knows no ratings."""
    assert [str(one) for one in all_imports() if wrong_room_of_engine(one)] == []


@pytest.mark.parametrize(
    ("importer", "imported", "wrong"),
    [
        ("prowess.engine.rate", "prowess.engine.streams.memory", True),
        ("prowess.engine.cluster.machine", "prowess.engine.rate", True),
        ("prowess.engine.streams.rate_stream", "prowess.engine.rate", False),
        ("prowess.engine.rate", "prowess.engine.cluster.machine", False),
        ("prowess.systems.prowess", "prowess.engine.streams.prepared_pieces", False),
        ("prowess.engine.cluster.dask", "prowess.engine.cluster.machine", False),
    ],
)
def test_a_wrong_room_of_the_engine_is_seen(importer: str, imported: str, wrong: bool):
    """The law itself is tested."""
    assert wrong_room_of_engine(Import(importer, imported, 1, for_types=False)) is wrong


def test_no_circles():
    """No module is imported by what it imports, not even inside a function."""
    graph: dict[str, set[str]] = {}
    for one in all_imports():
        if not one.for_types and one.imported != one.importer:
            graph.setdefault(one.importer, set()).add(one.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail("a circle of imports: " + " <- ".join(circle.args[1]))


def find_hidden_names(name: str, tree: ast.Module, known: set[str]) -> set[str]:
    """The functions and classes of a package that one of its modules replaces once imported."""
    defined = {one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    return {one for one in defined if f"{name}.{one}" in known}


def test_no_function_has_the_name_of_a_module_beside_it():
    """`prowess.cli.main` is the same before and after the modules of its package are imported."""
    found = modules(SRC)
    for name, path in found.items():
        if path.name != "__init__.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert find_hidden_names(name, tree, set(found)) == set()
    command = ast.parse("def main(): ...")
    assert find_hidden_names("prowess.cli", command, {"prowess.cli.main"}) == {"main"}


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("prowess.games.read", "from prowess.engine import numeric"),
        (
            "prowess.games.read",
            "def late():\n    import prowess.compile.kernel, prowess.engine.rate",
        ),
        ("prowess.engine.rate", "from prowess.systems.elo import ELO"),
        ("prowess.engine.rate", "import prowess"),
        ("prowess.engine.rate", "from prowess import __version__"),
        ("prowess.cli.verbs.pages", "from prowess.plot import history"),
        ("prowess.theory.wp", "from prowess.study.folds import BadFolds"),
        ("prowess.version", "from prowess.compile import kernel"),
        ("prowess.study.tune", "from prowess.systems import elo"),
        ("prowess.systems.glicko", "from prowess.systems.elo import expected"),
        ("prowess.verbs.rating", "from prowess.cli import main"),
        ("prowess.engine.rate", "from prowess.utils import chunks"),
        (
            "prowess.games.read",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from prowess.engine import a",
        ),
    ],
)
def test_wrong_imports_are_seen(importer, source):
    """Each kind of import that points the wrong way is found (so the law above can fail)."""
    known = {"prowess.systems.elo", "prowess.engine.rate"}
    assert any(wrong_way(one) for one in imports(importer, source, known))


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        (
            "prowess.engine.rate",
            "from prowess.games import Games\nfrom prowess.compile import kernel",
        ),
        ("prowess.systems.elo", "from prowess.engine.numeric import logistic"),
        ("prowess.systems.catalogue", "from prowess.systems import elo"),
        ("prowess", "from prowess.verbs.rating import rate"),
        ("prowess.compile.kernel", "from prowess.version import __version__"),
        ("prowess.cli.rate", "import numpy\nfrom prowess.live.store import Store"),
    ],
)
def test_right_imports_pass(importer, source):
    """Imports that point down are not complained of."""
    known = {"prowess.systems.elo"}
    assert [wrong for one in imports(importer, source, known) if (wrong := wrong_way(one))] == []


def find_unguarded(tree: ast.Module) -> Iterator[str]:
    """Modules of POSIX alone that are imported without `try` or `suppress(ImportError)`."""
    guarded = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        or (isinstance(node, ast.With) and "suppress(ImportError" in ast.unparse(node.items[0]))
        for child in node.body
        for inner in ast.walk(child)
    }
    for node in ast.walk(tree):
        if node not in guarded and isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            yield from POSIX & {*names, getattr(node, "module", None)}


@pytest.mark.parametrize("room", ["src", "tests", "benchmarks"])
def test_posix_is_guarded(room):
    """Windows lacks some modules of the standard library: each is imported under a guard."""
    found = {
        str(path.relative_to(SRC.parent)): names
        for path in (SRC.parent / room).rglob("*.py")
        if NAMED.search(text := path.read_text(encoding="utf-8"))
        and (names := list(find_unguarded(ast.parse(text))))
    }
    assert found == {}
    unguarded = "def f():\n    import fcntl"
    assert NAMED.search(unguarded)
    assert list(find_unguarded(ast.parse(unguarded))) == ["fcntl"]


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import prowess", HEAVY),
        ("from prowess.cli import main", HEAVY),
        ("from prowess.live.web.upload_reader import main", {"sqlalchemy", "fastapi"}),
    ],
)
def test_light_start(statement, heavy):
    """The library, the command line and who reads an upload load nothing that takes them long."""
    program = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SRC), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "prowess" in loaded
    assert loaded & heavy == set()
