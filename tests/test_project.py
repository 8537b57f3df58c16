"""What holds for the project as a whole: its files, its names, its lock, its package."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import prowess

ROOT = Path(__file__).parent.parent
ROOMS = (".ci", ".github", "benchmarks", "deploy", "docs", "examples", "src", "tests")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "constraints.txt").read_text(encoding="utf-8")

MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:work|home|root|Users)/\w|\b[A-Z]:\\Users\\")
REGISTRIES = [  # put together here, so that this file does not name them either
    ".".join(parts)
    for parts in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("pypi", "python", "org"),
        ("anaconda", "org"),
        ("npmjs", "org"),
        ("crates", "io"),
    ]
]
NAMELESS = {"utils", "util", "common", "core", "base", "helpers", "helper", "misc", "manager"}
OF_OTHERS = {"get_n_splits"}  # names that other libraries ask for
IDLE_VERBS = ("get_", "compute_", "do_", "handle_", "process_")


def files() -> Iterator[Path]:
    """Every file of the project, without what the tools leave behind."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name != ".git")
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def sources(*rooms: str) -> list[Path]:
    """Every Python file of some rooms."""
    return sorted(path for room in rooms for path in (ROOT / room).rglob("*.py"))


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of every file that is a text."""
    for path in files():
        try:
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            of_door = ROOT / "tests/door/tables" in path.parents  # of any encoding and format
            assert of_door or path.suffix in {
                ".gz",
                ".zst",
                ".parquet",
                ".png",
                ".otf",
                ".woff2",
            }, path


def foreign(text: str) -> list[str]:
    """Paths of one machine and addresses of registries in a text."""
    named = [host for host in REGISTRIES if host in text]
    return named + [found.group() for found in MACHINE_PATH.finditer(text)]


def definitions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function that a Python file defines under a name of its own choice."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inherited = {  # a method of another's class is called what that class calls it
        id(method)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.bases
        for method in node.body
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and id(node) not in inherited:
            yield node


def test_files_belong_to_no_machine():
    """No file names a path of somebody's machine or the address of a package registry."""
    found = {name: words for name, text in texts() if (words := foreign(text))}
    assert found == {}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("open('/" + "home/ada/games.csv')", True),
        ("see /" + "work/x", True),
        ("--index-url https://" + REGISTRIES[0] + "/simple", True),
        ("https://example.org/home/ada", False),
        ("PYTHON=/path/to/python3", False),
    ],
)
def test_foreign_words_are_seen(text, seen):
    """A path of one machine and a registry's address are found, a web page's path is not."""
    assert bool(foreign(text)) is seen


def test_rooms_have_names():
    """No folder or module is called by a word that says nothing."""
    rooms = [path.relative_to(ROOT).with_suffix("") for path in sources("src", "tests")]
    assert [room for room in rooms if NAMELESS & set(room.parts)] == []


def test_functions_have_names():
    """No function begins with a verb that says nothing."""
    idle = [
        f"{path.name}: {function.name}"
        for path in sources("src")
        if re.search(rf"\bdef _*(?:{'|'.join(IDLE_VERBS)})", path.read_text(encoding="utf-8"))
        for function in definitions(path)
        if function.name.lstrip("_").startswith(IDLE_VERBS) and function.name not in OF_OTHERS
    ]
    assert idle == []


def test_tests_state_their_law():
    """Every test has a docstring: the law it checks."""
    silent = [
        f"{path.relative_to(ROOT)}: {function.name}"
        for path in sources("tests")
        for function in definitions(path)
        if function.name.startswith("test_") and not ast.get_docstring(function)
    ]
    assert silent == []


def test_version_stands_in_both_places():
    """The package and its metadata state one version, in three numbers."""
    assert prowess.__version__ == PROJECT["project"]["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", prowess.__version__)


def locked() -> dict[str, list[str]]:
    """The versions that the lock allows for each package."""
    versions: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", LOCK, flags=re.MULTILINE):
        versions.setdefault(canonicalize_name(name), []).append(version)
    return versions


def test_lock_has_every_dependency():
    """The lock pins every package the project asks for, at a version it accepts."""
    extras = PROJECT["project"]["optional-dependencies"]
    asked = [
        Requirement(line)
        for lines in [
            PROJECT["build-system"]["requires"],
            PROJECT["project"]["dependencies"],
            *(lines for extra, lines in extras.items() if extra != "bench"),
        ]
        for line in lines
    ]
    versions = locked()
    unmet = [
        str(one)
        for one in asked
        if one.name != "prowess"
        and not any(version in one.specifier for version in versions.get(one.name, []))
    ]
    assert len(asked) > 10
    assert unmet == []


def test_demonstration_has_what_it_needs():
    """The lock of `make demo` is the part of the lock that the core and the compiler need."""
    pattern = re.compile(r"^(?:[\w.-]+)==.*\n(?:    --hash.*\n?)+", re.MULTILINE)
    small = pattern.findall((ROOT / "demo-constraints.txt").read_text(encoding="utf-8"))
    assert set(small) <= set(pattern.findall(LOCK))
    asked = PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["fast"]
    needed = {canonicalize_name(Requirement(one).name) for one in asked}
    while needed:  # and what these ask for
        assert needed <= (held := {one.partition("==")[0] for one in small})
        wants = {Requirement(one) for name in needed for one in requires(name) or []}
        needed = {
            canonicalize_name(one.name)
            for one in wants
            if one.marker is None or one.marker.evaluate({"extra": ""})
        } - needed
    assert len(held) < 15


def test_lock_has_digests_only():
    """Every line of the lock is a pinned package or a SHA-256 digest, and none an address."""
    line = re.compile(
        r"#.*"
        r"|[\w.-]+==[\w.+!]+( ; [^\\]+)?( \\)?"
        r"|    --hash=sha256:[0-9a-f]{64}( \\)?"
    )
    lines = LOCK.splitlines()
    assert [text for text in lines if not line.fullmatch(text)] == []
    pinned = [at for at, text in enumerate(lines) if "==" in text and not text.startswith("#")]
    assert all("--hash=sha256:" in lines[at + 1] for at in pinned)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """The names of the files in the built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_wheel_is_whole(shipped):
    """The wheel holds every file of the package, the mark that it is typed, and the licence."""
    package = ROOT / "src" / "prowess"
    expected = {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "prowess/py.typed" in expected
    assert expected - shipped == set()
    assert any(name.endswith("/licenses/LICENSE") for name in shipped)


def test_wheel_holds_nothing_else(shipped):
    """Nothing but the package and its metadata is installed."""
    assert {name.split("/")[0] for name in shipped if ".dist-info" not in name} == {"prowess"}


def test_suite_can_be_started():
    """The command that runs the whole suite on a fresh clone is executable."""
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_hooks_are_commands_of_the_project():
    """What `pre-commit` runs is installed with the project and downloads nothing."""
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"repo: (\S+)", text)) == {"local"}
    assert set(re.findall(r"language: (\S+)", text)) == {"system"}
    entries = [line.split() for line in re.findall(r"entry: (.*)", text)]
    assert [Path(words[0]).parent.as_posix() for words in entries] == [".venv/bin"] * 3
    assert all((ROOT / word).exists() for words in entries for word in words if "tests/" in word)


def test_slow_tests_exist():
    """Every name in the list of slow tests is a test, in alphabetical order and once."""
    lines = (ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if not line.startswith("#")]
    assert names == sorted(set(names))
    for name in names:
        file, _, function = name.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), name
