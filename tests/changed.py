"""List the files of tests that a change can reach: `make quick CHANGED=1` runs no others.

    python tests/changed.py [--since REVISION]

Imports point one way (`ORDER` of house.py, which test_layers.py proves), so a change in a room
reaches the files whose imports, also by way of other files of the tests, lead to its floor or
above. A file that starts the command stands on the highest floor. The files beside this one look
at the whole and always run. A change of anything but rooms, tests and texts reaches all.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
sys.path.insert(0, str(ROOT))

from tests.house import FLOORS, find_floor  # noqa: E402 - the path is set first

TOP = len(FLOORS)
PUBLIC = FLOORS["verbs"]  # `import prowess` finds its names there and below
IMPORT = re.compile(
    r"^\s*(?:import ([\w.]+)|from ([\w.]+) import\s+(?:\(([^)]*)\)|([^\n]*)))", re.MULTILINE
)
COMMAND = re.compile(r'"-m",\s*"prowess"')
TEXT = re.compile(r"docs/|examples/README|[^/]+\.md$")
OF_TEXTS = TESTS / "browser"  # shows them as a site
OF_ALL = {"src/prowess/__init__.py", "tests/conftest.py"}  # run before whatever else


def list_changes(since: str) -> set[str]:
    """Files that differ from where this branch left a revision, and new ones."""
    commands = (
        ["git", "diff", "--name-only", "--merge-base", since],
        ["git", "ls-files", "--others", "--exclude-standard"],
    )
    return {
        line
        for command in commands
        for line in subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    }


def find_imports(text: str) -> Iterator[str]:
    """The modules that a file may import: `from a import b` names `a` and `a.b`."""
    for module, package, *names in IMPORT.findall(text):
        yield module or package
        yield from (f"{package}.{name}" for name in re.findall(r"\w+", "".join(names)) if package)


@cache
def read_file(path: Path) -> tuple[int, frozenset[Path]]:
    """The highest floor of ours that a file of the tests names, and the others that it names."""
    text = path.read_text(encoding="utf-8")
    floors, files = [TOP if COMMAND.search(text) else -1], set()
    for name in find_imports(text):
        place = name.replace(".", "/")
        if (ROOT / f"{place}.py").exists() and name.startswith("tests."):
            files.add(ROOT / f"{place}.py")
        elif name == "prowess":
            floors.append(PUBLIC)
        elif name.startswith("prowess.") and any(
            (ROOT / "src" / one).exists() for one in (place, f"{place}.py")
        ):
            floors.append(find_floor(name))
    folders = [one for one in path.parents if one.is_relative_to(TESTS) and one != TESTS]
    fixtures = {one / "conftest.py" for one in folders if (one / "conftest.py").exists()}
    return max(floors), frozenset(files | fixtures)


def find_reach(path: Path) -> tuple[int, set[Path]]:
    """The highest floor that a file of the tests leads to, and all files that it leads to."""
    highest, seen, left = -1, {path}, [path]
    while left:
        floor, files = read_file(left.pop())
        highest = max(highest, floor)
        left += files - seen
        seen |= files
    return highest, seen


def select_tests(changes: Iterable[str], tests: Iterable[Path]) -> list[Path]:
    """The files of tests that changes of these files can reach."""
    changed = set(changes)
    rooms = {one for one in changed if one.startswith("src/prowess/")}
    texts = {one for one in changed if TEXT.match(one)}
    own = {ROOT / one for one in changed if one.startswith("tests/")}
    if changed & OF_ALL or changed - rooms - texts - {str(one.relative_to(ROOT)) for one in own}:
        return [*tests]
    modules = [Path(one).relative_to("src").with_suffix("").parts for one in rooms]
    lowest = min((find_floor(".".join(parts)) for parts in modules), default=TOP + 1)
    data = {one.parent for one in own if one.suffix != ".py"} - {TESTS}
    found = []
    for path in tests:
        floor, files = find_reach(path)
        beside = any(folder.is_relative_to(path.parent) for folder in data)
        of_texts = bool(texts) and path.parent == OF_TEXTS
        if path.parent == TESTS or floor >= lowest or files & own or beside or of_texts:
            found.append(path)
    return found


def main() -> None:
    """Print the files of tests that the changes since a revision can reach."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--since", default="main", help="a revision of git; default: main")
    changes = list_changes(parser.parse_args().since)
    found = select_tests(changes, sorted(TESTS.rglob("test_*.py")))
    print(*(path.relative_to(ROOT).as_posix() for path in found))


if __name__ == "__main__":
    main()
