"""Measure the structure of the source: `make house` prints the counts, `--list` what they count.

    python tests/house.py [--list] [--trace] [--write] [--source SRC]

Files and code lines of each room, what the rules of names and imports forbid, and with `--trace`
how many functions one row of a CSV and one posted result with its page pass. `tests/house.toml` is
the budget: none of these numbers may rise. `--write` lowers it to what is counted; without it a
number that differs ends the command with 1.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket

SRC = Path(__file__).parent.parent / "src"
BUDGET = Path(__file__).with_suffix(".toml")
ORDER = "compile < games < engine < theory < systems | study < present < verbs < live < cli"
FLOORS = {
    room: floor for floor, rooms in enumerate(ORDER.split(" < ")) for room in rooms.split(" | ")
}
ROOT = "root"  # the room of the files that stand in no folder, above all others
VERSION = "prowess.version"  # of them, but below all rooms: it imports nothing
LONG_LIST = 12  # words
WORD = re.compile(r"[^\W\d_]+(?:[ '’.-]+[^\W\d_]+){0,2}\.?")  # letters; no names with underscores
SYSTEMS = "prowess.systems."  # every system declares classes of these names
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
    keep leave lower make move name pass pip play plot put rate read remove rename run save say
    scale set slice split stack start take try tune use wait write""".split()
)
REMEDY_NAMES = frozenset({"ANOTHER", "REMEDY", "hint", "remedy"})  # texts that are one
RUNS = "prowess.games.runs"  # gives NumPy counts and places of the machine's size
SHORT = frozenset({"int", "np.int_", "np.intp", "np.uint"})
VERBS = frozenset({"embed", "exceed", "need", "proceed", "succeed"})


@dataclass
class Module:
    """One source file: what it defines and what it imports."""

    path: Path
    name: str
    tree: ast.Module
    imports: set[str] = field(default_factory=set)  # run when the module or a function of it runs
    typing_imports: set[str] = field(default_factory=set)  # under `if TYPE_CHECKING`
    late_imports: set[str] = field(default_factory=set)  # by `import_module("...")`

    @property
    def code_lines(self) -> int:
        """Lines that hold code."""
        return count_code_lines(self.path.read_text(encoding="utf-8"), self.tree)


def load_modules(src: Path) -> dict[str, Module]:
    """Every module below `src` by its dotted name, with its imports of the others."""
    modules = {}
    for path in sorted(src.rglob("*.py")):
        parts = path.relative_to(src).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = Module(path, name, ast.parse(path.read_text(encoding="utf-8")))
    for module in modules.values():
        typing = find_typing_nodes(module.tree)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                target = module.typing_imports if node in typing else module.imports
                target.update(find_imported(node, modules) - {module.name})
            elif isinstance(node, ast.Call):
                module.late_imports.update(find_late_import(node, modules))
    return modules


def find_typing_nodes(tree: ast.Module) -> set[ast.AST]:
    """What stands under `if TYPE_CHECKING`."""
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If)
        and getattr(node.test, "id", getattr(node.test, "attr", "")) == "TYPE_CHECKING"
        for child in node.body
        for inner in ast.walk(child)
    }


def find_imported(node: ast.AST, modules: dict[str, Module]) -> set[str]:
    """The modules of ours that an import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names} & modules.keys()
    if isinstance(node, ast.ImportFrom) and node.module:
        inner = {f"{node.module}.{alias.name}" for alias in node.names}
        plain = any(name not in modules for name in inner)
        return (inner | ({node.module} if plain else set())) & modules.keys()
    return set()


def find_late_import(node: ast.AST, modules: dict[str, Module]) -> set[str]:
    """The module of ours that a call of `import_module` names in full."""
    match node:
        case ast.Call(
            func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return {name} & modules.keys()
    return set()


def find_room(module: str) -> str:
    """The room that a module stands in: `prowess.engine.numeric` in `engine`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 2 or parts[-1] in FLOORS else ROOT


def find_floor(module: str) -> int:
    """The floor of a module: it may import its own room, and what stands on lower floors."""
    return -1 if module == VERSION else FLOORS.get(find_room(module), len(FLOORS))


def points_down(importer: str, imported: str) -> bool:
    """Whether an import stays in its room or leads to a lower floor."""
    return find_room(importer) == find_room(imported) or find_floor(importer) > find_floor(imported)


def find_upward_imports(modules: dict[str, Module]) -> list[str]:
    """Imports of what does not stand on a lower floor."""
    return [
        f"{name} -> {imported}"
        for name, module in modules.items()
        for imported in sorted(module.imports | module.typing_imports | module.late_imports)
        if not points_down(name, imported)
    ]


def find_double_constants(modules: dict[str, Module]) -> list[str]:
    """Names in capitals that several modules define at their top, with several values."""
    values: dict[str, dict[str, str]] = defaultdict(dict)  # name -> module -> value
    for module in modules.values():
        for node in module.tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name) and target.id.isupper() and target.id[1:]:
                        values[target.id][module.name] = ast.unparse(node.value)
    return [
        f"{name}: {', '.join(homes)}"
        for name, homes in sorted(values.items())
        if len({*homes.values()}) > 1
    ]


def find_word_lists(modules: dict[str, Module]) -> list[str]:
    """Lists, tuples, sets and dicts with at least 12 words, and texts of as many that are split.

    Those of `games` alone: elsewhere such lists are names of fields. A word is a literal text of
    letters, or of up to three words of letters.
    """
    found = []
    for module in modules.values():
        if find_room(module.name) != "games":
            continue
        nodes: list[ast.AST] = [module.tree]
        while nodes:
            node = nodes.pop()
            if isinstance(node, ast.expr) and (count := count_words(node)) >= LONG_LIST:
                found.append(f"{module.name}:{node.lineno} {count} words")
            else:
                nodes += ast.iter_child_nodes(node)
    return sorted(found)


def count_words(node: ast.expr) -> int:
    """How many words a list, or a text that is split, holds; 0 for anything else."""
    match node:
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
            texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
            return sum(isinstance(text, str) and bool(WORD.fullmatch(text)) for text in texts)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            return sum(bool(WORD.fullmatch(word)) for word in text.split())
    return 0


def count_code_lines(text: str, tree: ast.Module) -> int:
    """Lines that hold code: no blank line, no comment, no docstring."""
    lines = {
        number
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr):  # what stands in a text is code
            lines.update(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                docstrings.update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines - docstrings)


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
    from prowess.games.errors import load_sentences

    found = []
    for module in modules.values():
        for node in ast.walk(module.tree):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
                continue
            function, texts = node.exc.func, node.exc.args
            name = getattr(function, "id", getattr(function, "attr", ""))
            match node.exc:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="of"),
                    args=[ast.Constant(value=str(sentence))],
                ) if name in REFUSALS:  # its text stands in a table, with facts in braces
                    texts = [ast.parse(f"f{load_sentences()[sentence][0]!r}", mode="eval").body]
            if name not in REFUSALS or not texts or is_sentence(texts[0]):
                continue
            if any(fact.arg == "remedy" for fact in node.exc.keywords):
                continue  # it stands before the text
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
            if not (isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "raises"):
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


def find_short_integers(modules: dict[str, Module]) -> list[str]:
    """Calls whose integers have 64 bits on a computer and 32 in a browser, outside RUNS."""
    return [
        f"{module.name}:{node.lineno} {ast.unparse(node)[:60]}"
        for module in modules.values()
        if module.name != RUNS
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and is_short(node)
    ]


def is_short(call: ast.Call) -> bool:
    """Whether a call makes, repeats or sums by integers of the size of the machine's places."""
    called = ast.unparse(call.func)
    given = {word.arg: ast.unparse(word.value) for word in call.keywords}
    places = [ast.unparse(one) for one in call.args]
    match called.rpartition(".")[2]:
        case "arange" | "cumsum":
            return given.get("dtype", "int") in SHORT
        case "reduceat":
            return True
        case "repeat" if called.startswith("np."):
            return not isinstance(call.args[1], ast.Constant)
        case "view":
            return places == ["np.uint64"] and "np.float64" not in called
        case "zeros" | "ones" | "empty" | "full" | "array" | "asarray" | "astype" | "fromiter":
            return not SHORT.isdisjoint([*places, given.get("dtype")])
    return False


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
    once a start does not count. Two more follow: what only one of them passes, and what the server
    does without a request, is left out.
    """
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    out, url = folder / "result.json", f"http://127.0.0.1:{port}"
    process = trace(
        src,
        out,
        "serve",
        "--store",
        "trace.db",
        "--category",
        "club",
        "--system",
        "elo",
        "--port",
        str(port),
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
        posted, pages = [], []
        for number in range(3):
            body = {"player_a": "Ada", "player_b": "Ben", "score": 1, "external_id": str(number)}
            ask(f"{url}/api/v1/results", token, json.dumps(body).encode())
            posted.append({*read_window(process, out)})
            ask(f"{url}/c/club", "")
            pages.append({*read_window(process, out)})
        idle = {*read_window(process, out, 6.0)}
        return sorted(posted[1] & posted[2] - idle), sorted(pages[1] & pages[2] - idle)
    finally:
        process.terminate()
        process.communicate(timeout=30)  # closes what it wrote


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


def read_window(process: subprocess.Popen[str], out: Path, seconds: float = 2.0) -> list[str]:
    """The functions that are called from the last window until some seconds from now.

    What follows an answer belongs to it: the writer of a store waits for one second.
    """
    time.sleep(seconds)
    out.unlink(missing_ok=True)
    process.send_signal(signal.SIGUSR1)
    for _ in range(200):
        if out.exists():
            return list(json.loads(out.read_text(encoding="utf-8")))
        time.sleep(0.05)
    raise RuntimeError("the server did not say what it called")


# The budget

Budget = dict[str, dict[str, int]]  # section -> name -> number
ROSE = """What rose: simplify until the number is back; `make house` prints all numbers, `python
tests/house.py --list` names what `counts` has. A feature that needs more lines: write the higher
numbers, also those of `all`, into tests/house.toml, and say in the commit what users get."""
FELL = "What fell: run `python tests/house.py --write`, with --trace for functions_passed."
HEAD = "# What `make house` counts. It may only fall: `python tests/house.py --write` lowers it.\n"


def count_rooms(modules: dict[str, Module]) -> Budget:
    """Files and code lines of each room, and of all."""
    files: dict[str, int] = defaultdict(int)
    lines: dict[str, int] = defaultdict(int)
    for name, module in modules.items():
        count = module.code_lines
        for room in (find_room(name), "all"):
            files[room] += 1
            lines[room] += count
    return {"files": dict(sorted(files.items())), "code_lines": dict(sorted(lines.items()))}


def find_faults(modules: dict[str, Module]) -> dict[str, list[str]]:
    """What there should be less of, by the name of its number in the budget."""
    return {
        "modules_with_one_importer": find_single_imports(modules),
        "constants_with_several_values": find_double_constants(modules),
        "word_lists": find_word_lists(modules),
        "circles": find_circles(modules, types=True),
        "upward_imports": find_upward_imports(modules),
    }


def trace_functions(src: Path) -> dict[str, list[str]]:
    """The functions that a row, a posted result and its page pass."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        row = trace_row(src, place)
        result, page = trace_result(src, place)
    return {"row": row, "result": result, "page": page}


def count_each(found: dict[str, list[str]]) -> dict[str, int]:
    """How many there are of each."""
    return {name: len(each) for name, each in found.items()}


def read_budget() -> Budget:
    """The numbers of `tests/house.toml`."""
    return tomllib.loads(BUDGET.read_text(encoding="utf-8"))


def compare_with_budget(counted: Budget, budget: Budget) -> list[str]:
    """Numbers that rose, and then numbers that fell and are still higher in the budget."""
    rose, fell = [], []
    for section, numbers in counted.items():
        allowed = budget.get(section, {})
        for name in sorted({*numbers, *allowed}):
            number, most = numbers.get(name, 0), allowed.get(name, 0)
            if number > most:
                rose.append(f"{section}.{name} rose from {most} to {number}")
            elif number < most:
                fell.append(f"{section}.{name} fell from {most} to {number}")
    return [*rose, *fell]


def explain_differences(differences: list[str]) -> str:
    """The numbers that differ from the budget, a line each, and what to do about them."""
    remedies = {" rose ": ROSE, " fell ": FELL}
    told = [remedy for word, remedy in remedies.items() if word in " ".join(differences)]
    return "\n".join([*differences, *told])


def lower_budget(counted: Budget, budget: Budget) -> Budget:
    """The budget with the lower of both numbers; what is not counted stays."""
    return {
        section: {
            name: min(most, counted[section].get(name, 0)) if section in counted else most
            for name, most in allowed.items()
            if section not in counted or name in counted[section]
        }
        for section, allowed in budget.items()
    }


def format_budget(budget: Budget) -> str:
    """The text of `tests/house.toml`."""
    parts = [HEAD]
    for section, numbers in budget.items():
        lines = "".join(f"{name} = {number}\n" for name, number in numbers.items())
        parts.append(f"[{section}]\n{lines}")
    return "\n".join(parts)


def main() -> None:
    """Print the counts of a source tree beside the budget."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="list what is counted")
    parser.add_argument("--source", type=Path, default=SRC, help="another tree's src")
    parser.add_argument("--trace", action="store_true", help="count the functions passed, too")
    parser.add_argument("--write", action="store_true", help="lower the budget to what is counted")
    arguments = parser.parse_args()
    src = arguments.source.resolve()
    modules = load_modules(src)
    found = {"counts": find_faults(modules)}
    if arguments.trace:
        found["functions_passed"] = trace_functions(src)
    counted = count_rooms(modules) | {name: count_each(each) for name, each in found.items()}
    for section, numbers in counted.items():
        print(section)
        for name, number in numbers.items():
            print(f"{number:8,} {name}")
            if arguments.list:
                lines = found.get(section, {}).get(name, [])
                print("".join(f"             {line}\n" for line in lines), end="")
    budget = read_budget()
    differences = compare_with_budget(counted, budget)
    print(explain_differences(differences) or "all as in tests/house.toml")
    if arguments.write:
        BUDGET.write_text(format_budget(lower_budget(counted, budget)), encoding="utf-8")
    elif differences:
        sys.exit(1)


if __name__ == "__main__":
    main()
