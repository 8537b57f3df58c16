"""Measure the structure of the source: `make house` prints the counts, `--list` what they count.


    python tests/house.py [PLACE] [--list] [--source SRC]

Files, code lines, names that break the rule of names, modules that only one other imports, circles
of imports, and how many functions one row of a CSV and one posted result with its page pass.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket

SRC = Path(__file__).parent.parent / "src"
SYSTEMS = "prowess.systems."  # every system declares classes of these names
VERSION = "prowess.__version__"  # a constant, defined before anything is imported
BY_CONTRACT = frozenset({"Params", "Rating", "Side", "Evidence", "Room"})
PARTICIPLES = frozenset(
    """arisen asked beaten begun bent borne bought bound broken brought built caught chosen dealt
    done drawn driven eaten fallen fed felt forgiven forgotten found foreseen fought given gone
    ground grown heard held hidden kept known laid led left lent lost made meant met overdrawn paid
    proven risen said seen sent shaken shown sold sought spent spoken stolen struck stuck swept
    sworn taken taught thought thrown told torn undone unknown unseen understood untaken untold
    withdrawn won worn woven written""".split()
)
NOUNS = frozenset(
    {"bed", "feed", "hundred", "red", "seed", "shed", "speed", "swapped"}
)  # the last: a mirror
REFUSALS = frozenset(  # errors whose text is for users, and begins with what they can do
    """BadArgument BadCluster BadFolds BadPeriod BadRounds BadSetting NoForecast NoModel NotAnUpdate
    Undrawable Unidentifiable UnknownCurve UnknownPlayer UnknownSystem Unratable Untunable
    UsageError BadParameter ValueError""".split()
)
REMEDIES = frozenset(
    """add ask choose compare correct count cross-validate diagnose did draw end give hold install
    keep leave lower make move name pass pip play put rate read remove rename run save say scale set
    slice split stack start take try tune use wait write""".split()
)
REMEDY_NAMES = frozenset({"ANOTHER", "REMEDY", "hint", "remedy"})  # texts that are one
VERBS = frozenset({"embed", "exceed", "need", "proceed", "succeed"})


@dataclass
class Module:
    """One source file: what it defines and what it imports."""

    path: Path
    name: str
    tree: ast.Module
    imports: set[str] = field(default_factory=set)  # run when the module or a function of it runs
    typing_imports: set[str] = field(default_factory=set)  # under `if TYPE_CHECKING`

    @property
    def code_lines(self) -> int:
        """Lines that hold code."""
        return count_code_lines(self.path.read_text(encoding="utf-8"))


def load_modules(src: Path) -> dict[str, Module]:
    """Every module below `src` by its dotted name, with its imports of the others."""
    modules = {}
    for path in sorted(src.rglob("*.py")):
        parts = path.relative_to(src).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = Module(path, name, ast.parse(path.read_text(encoding="utf-8")))
    for module in modules.values():
        typing = {
            inner
            for node in ast.walk(module.tree)
            if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
            for child in node.body
            for inner in ast.walk(child)
        }
        for node in ast.walk(module.tree):
            target = module.typing_imports if node in typing else module.imports
            target.update(find_imported(node, modules) - {module.name})
    return modules


def find_imported(node: ast.AST, modules: dict[str, Module]) -> set[str]:
    """The modules of ours that an import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names} & modules.keys()
    if isinstance(node, ast.ImportFrom) and node.module:
        inner = {f"{node.module}.{alias.name}" for alias in node.names} - {VERSION}
        plain = any(name not in modules for name in inner)
        return (inner | ({node.module} if plain else set())) & modules.keys()
    return set()


def count_code_lines(text: str) -> int:
    """Lines that hold code: no blank line, no comment, no docstring."""
    skipped = {
        tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
        tokenize.ENDMARKER,
    }  # fmt: skip
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                lines.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines)


def find_functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function, method and inner function of a module."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def is_lone_participle(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the name is a past participle alone, and the function neither a field nor a truth."""
    name = function.name.strip("_")
    marks = {ast.unparse(mark).rpartition(".")[2] for mark in function.decorator_list}
    if marks & {"property", "cached_property", "setter"} or "_" in name:
        return False
    if function.returns is not None and ast.unparse(function.returns) == "bool":
        return False
    return name in PARTICIPLES or (name.endswith("ed") and name not in NOUNS | VERBS)


def find_lone_participles(modules: dict[str, Module]) -> list[str]:
    """Functions whose name is neither an act with its object nor the quantity returned."""
    return [
        f"{module.path.relative_to(SRC.parent)}:{function.lineno} {function.name}"
        if module.path.is_relative_to(SRC.parent)
        else f"{module.path}:{function.lineno} {function.name}"
        for module in modules.values()
        for function in find_functions(module)
        if is_lone_participle(function)
    ]


def find_double_classes(modules: dict[str, Module]) -> list[str]:
    """Class names that several modules define, but for those the contract of systems asks for."""
    homes: dict[str, set[str]] = defaultdict(set)
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef) and not (
                node.name in BY_CONTRACT and module.name.startswith(SYSTEMS)
            ):
                homes[node.name].add(module.name)
    return [
        f"{name}: {', '.join(sorted(home))}"
        for name, home in sorted(homes.items())
        if len(home) > 1
    ]


def find_single_imports(modules: dict[str, Module]) -> list[str]:
    """Modules that exactly one other imports."""
    importers: dict[str, set[str]] = defaultdict(set)
    for module in modules.values():
        for imported in module.imports | module.typing_imports:
            importers[imported].add(module.name)
    return [
        f"{name} <- {next(iter(importers[name]))}"
        for name in sorted(modules)
        if len(importers[name]) == 1 and not name.startswith(SYSTEMS)
    ]


def is_sentence(text: ast.expr) -> bool:
    """Whether a message ends with a full stop: such a sentence has the fact first, in few words."""
    last = text.values[-1] if isinstance(text, ast.JoinedStr) else text
    return isinstance(last, ast.Constant) and str(last.value).endswith(".")


def find_faults_first(modules: dict[str, Module]) -> list[str]:
    """Errors for users whose text does not begin with a remedy: a verb that says what to do.

    Where that makes odd English, a whole sentence begins with the fact.
    """
    found = []
    for module in modules.values():
        for node in ast.walk(module.tree):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
                continue
            function, texts = node.exc.func, node.exc.args
            name = getattr(function, "id", getattr(function, "attr", ""))
            if name not in REFUSALS or not texts:
                continue
            if is_sentence(texts[0]):
                continue
            first = texts[0].values[0] if isinstance(texts[0], ast.JoinedStr) else texts[0]
            if isinstance(first, ast.FormattedValue):
                named = isinstance(first.value, ast.Name) and first.value.id in REMEDY_NAMES
            elif isinstance(first, ast.Constant):
                word = str(first.value).partition(" ")[0].rstrip(",:")
                named = word in REMEDIES or word.startswith("--")
            else:  # another error's text
                continue
            if not named:
                found.append(f"{module.name}:{node.lineno} {ast.unparse(texts[0])[:80]}")
    return sorted(found)


def find_matched_sentences(folder: Path, errors: Set[str]) -> list[str]:
    """Tests that match a sentence of our own errors, whose codes and data are to be asserted."""
    found = []
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "match=" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.raises"):
                continue
            named = {
                getattr(part, "id", getattr(part, "attr", ""))
                for kind in node.args
                for part in ast.walk(kind)
            }
            if named & errors and any(one.arg == "match" for one in node.keywords):
                found.append(f"{file.relative_to(folder)}:{node.lineno} {ast.unparse(node)[:80]}")
    return found


def find_uncoded_refusals(modules: dict[str, Module], errors: Set[str]) -> list[str]:
    """Raised errors of ours that have no code of their own."""
    return [
        f"{module.name}:{node.lineno} {ast.unparse(node.exc)[:80]}"
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        if getattr(node.exc.func, "id", "") in errors
        if not any(one.arg in {"code", None} for one in node.exc.keywords)
    ]


def find_circles(modules: dict[str, Module], types: bool = False) -> list[str]:
    """Sets of modules that import one another: the strong components of more than one module."""
    edges = {
        name: (module.imports | (module.typing_imports if types else set())) & modules.keys()
        for name, module in modules.items()
    }
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    circles: list[str] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in sorted(edges[name]):
            if other not in order:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], order[other])
        if lowest[name] == order[name]:
            members = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(members) > 1:
                circles.append(" <-> ".join(sorted(members)))

    sys.setrecursionlimit(10_000)
    for name in edges:
        if name not in order:
            visit(name)
    return circles


# Functions that a row and a result pass

TRACER = """
import json, os, signal, sys, threading
passed, root, out = set(), sys.argv[1], sys.argv[2]
def note(frame, event, _):
    if event == "call":
        passed.add(frame.f_code)
def write(*_):
    names = sorted({
        code.co_filename[len(root) + 1:] + ":" + code.co_qualname for code in set(passed)
        if code.co_filename.startswith(root) and not code.co_name.startswith("<")
        and code.co_flags & 1  # a function: the body of a class runs when its module is imported
    })
    passed.clear()
    with open(out + ".part", "w") as file:
        json.dump(names, file)
    os.replace(out + ".part", out)
signal.signal(signal.SIGUSR1, write)
sys.path.insert(0, root)
from prowess.cli import main
sys.argv = ["prowess", *sys.argv[3:]]
threading.setprofile(note)
sys.setprofile(note)
try:
    main()
finally:
    sys.setprofile(None)
    write()
"""
ROW = "player_a,player_b,score\nAda,Ben,1\n"


def trace(src: Path, out: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start `prowess` with these arguments and note in `out` which functions of ours it calls."""
    return subprocess.Popen(
        [sys.executable, "-c", TRACER, str(src), str(out), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=out.parent,
    )


def trace_row(src: Path, folder: Path) -> list[str]:
    """The functions that one row of a CSV passes on its way to a leaderboard."""
    (folder / "row.csv").write_text(ROW, encoding="utf-8")
    process = trace(src, folder / "row.json", "rate", "row.csv")
    output, _ = process.communicate(timeout=120)
    if process.returncode:
        raise RuntimeError(output)
    return list(json.loads((folder / "row.json").read_text(encoding="utf-8")))


def trace_result(src: Path, folder: Path) -> tuple[list[str], list[str]]:
    """The functions that a posted result passes, and then those that the leaderboard's page passes.

    The real server answers both; a first result and a first page come before, so that what happens
    once a start does not count.
    """
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    out, url = folder / "result.json", f"http://127.0.0.1:{port}"
    process = trace(
        src, out, "serve", "--store", "trace.db", "--category", "club", "--port", str(port)
    )
    try:
        token = ""
        while not token:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                raise RuntimeError("the server ended before it printed a token")
            found = re.search(r"\bprw_[\w-]+", line)
            token = found.group() if found else ""
        wait_until_ready(url)
        windows = []
        for number in (1, 2):
            body = {"player_a": "Ada", "player_b": "Ben", "score": 1, "external_id": str(number)}
            ask(f"{url}/api/v1/results", token, json.dumps(body).encode())
            posted = read_window(process, out)
            ask(f"{url}/c/club", "")
            windows = [posted, read_window(process, out)]
        return windows[0], windows[1]
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_until_ready(url: str) -> None:
    """Wait until a server has loaded, or compiled, the loops of its ladders."""
    end = time.monotonic() + 300
    while True:
        try:
            return ask(f"{url}/readyz", "")
        except urllib.error.URLError:  # it does not listen yet, or it is starting
            if time.monotonic() > end:
                raise
        time.sleep(0.2)


def ask(url: str, token: str, body: bytes | None = None) -> None:
    """Send one request and read its answer; raises `urllib.error.URLError`."""
    headers = {"Content-Type": "application/json", "Accept": "text/html"}
    if token:
        headers |= {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=120) as answer:
        answer.read()


def read_window(process: subprocess.Popen[str], out: Path) -> list[str]:
    """The functions that were called since the last window was read."""
    time.sleep(1.0)  # what follows an answer belongs to it
    out.unlink(missing_ok=True)
    process.send_signal(signal.SIGUSR1)
    for _ in range(200):
        if out.exists():
            return list(json.loads(out.read_text(encoding="utf-8")))
        time.sleep(0.05)
    raise RuntimeError("the server did not say what it called")


def main() -> None:
    """Print the counts of a source tree."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("place", nargs="?", default="", help="count below src/prowess/PLACE only")
    parser.add_argument("--list", action="store_true", help="list what is counted")
    parser.add_argument("--source", type=Path, default=SRC, help="another tree's src")
    parser.add_argument("--trace", action="store_true", help="count the functions passed, too")
    arguments = parser.parse_args()
    modules = load_modules(arguments.source.resolve())
    prefix = ".".join(["prowess", *Path(arguments.place).parts])
    below = {
        name: m
        for name, m in modules.items()
        if name == prefix or name.startswith(prefix + ".") or prefix == "prowess"
    }
    print(f"{len(below):6,} files")
    print(f"{sum(module.code_lines for module in below.values()):6,} code lines")
    counts = {
        "functions that are a lone participle": find_lone_participles(below),
        "class names with two meanings": [
            x for x in find_double_classes(modules) if prefix == "prowess" or prefix in x
        ],
        "modules imported by exactly one other": [
            x for x in find_single_imports(modules) if x.startswith(prefix)
        ],
        "circles of imports (types included)": find_circles(below, types=True),
        "files of more than 410 lines": [
            f"{m.path}: {n}"
            for m in below.values()
            if (n := len(m.path.read_text(encoding="utf-8").splitlines())) > 410
        ],
    }
    if arguments.trace:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder).resolve()
            counts["functions passed by one row of a CSV"] = trace_row(
                arguments.source.resolve(), place
            )
            posted, page = trace_result(arguments.source.resolve(), place)
            counts["functions passed by one posted result"] = posted
            counts["functions passed by its page"] = page
    for subject, found in counts.items():
        print(f"{len(found):6,} {subject}")
        if arguments.list:
            print("".join(f"           {line}\n" for line in found), end="")


if __name__ == "__main__":
    main()
