"""Compiled functions in the cache: hits, misses, spoilt files, other processes and threads."""

from __future__ import annotations

import ast
import dis
import io
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import exp, floor
from pathlib import Path
from threading import Barrier
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np
import pytest

from prowess.compile import cache, kernel
from prowess.compile.kernel import compile_function
from prowess.compile.tree import global_names
from prowess.engine import replay
from prowess.engine.rate import rate
from prowess.games import read_games
from prowess.games.cells.loops import loops
from prowess.systems.catalogue import catalogue, find
from tests.engine.tables import contests, games
from tests.test_kernel import TREE, module_of

SOURCE = Path(__file__).parent.parent / "src"
TABLE = games([("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 0.0)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache folder that is in use."""
    monkeypatch.setenv("PROWESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def hit(function: Any, *arguments: Any) -> bool:
    """Whether compiling and calling a function afresh was served from the cache."""
    compiled = compile_function(function)
    assert compiled(*arguments) == function(*arguments)
    assert compiled.hits + compiled.misses == 1
    return compiled.hits > 0


# --- the cache ---------------------------------------------------------------------------


def plus(step: float) -> Any:
    """A function with a closure cell."""

    def added(x: float) -> float:
        return floor(x) + exp(step)

    return added


def test_what_was_compiled_once_hits(folder):
    """The second compilation of the same function is read from the folder."""
    assert not hit(plus(1.0), 2.5)
    assert len(list(folder.iterdir())) == 1
    assert hit(plus(1.0), 2.5)


def test_another_closure_misses(folder):
    """A function over another constant gives its own number, not the cached one."""
    assert not hit(plus(1.0), 2.5)
    assert not hit(plus(2.0), 2.5)  # `hit` holds the number against plain Python's


def test_an_edited_helper_misses(folder):
    """After an edit three calls away the new number is computed."""
    assert not hit(module_of(TREE).whole, 3.0)
    assert hit(module_of(TREE).whole, 3.0)
    assert not hit(module_of(TREE.replace("x / SCALE", "x * SCALE")).whole, 3.0)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda code: b"", lambda code: b"no code", lambda code: code[:-1], lambda code: b"{}\n{}\n",
        lambda code: code.replace(b"\n", b"", 1), lambda code: code + b"\0",
        lambda code: code.replace(b'["', b'["not ', 1),
    ],
)  # fmt: skip
def test_a_spoilt_cache_is_no_cache(folder, spoil):
    """A truncated or foreign file is passed over, and the number is right."""
    hit(plus(1.0), 2.5)
    (file,) = folder.iterdir()
    file.write_bytes(spoil(file.read_bytes()))
    assert not hit(plus(1.0), 2.5)


@pytest.mark.parametrize("place", ["/proc/prowess", "{tmp}/a file/prowess"])
def test_an_unwritable_folder_is_no_cache(tmp_path, monkeypatch, place):
    """Where nothing can be written, everything is compiled and nothing is said."""
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("PROWESS_CACHE", place.format(tmp=tmp_path))
    assert not hit(plus(1.0), 2.5)
    assert not hit(plus(1.0), 2.5)


def test_a_folder_that_becomes_read_only(folder, monkeypatch):
    """A folder that may be read but not written is passed over."""
    hit(plus(1.0), 2.5)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert not hit(plus(2.0), 2.5)
    assert len(list(folder.iterdir())) == 1


def test_no_home_is_no_cache(monkeypatch):
    """A user without a home folder has no cache and no error."""
    monkeypatch.delenv("PROWESS_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert cache.cache_folder() is None
    assert not hit(plus(1.0), 2.5)


def test_where_the_folder_is(monkeypatch, tmp_path):
    """An own folder goes before the user's cache folder, and `off` keeps nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PROWESS_CACHE", "")
    assert cache.cache_folder() == tmp_path / "prowess"
    monkeypatch.setenv("PROWESS_CACHE", str(tmp_path / "own"))
    assert cache.cache_folder() == tmp_path / "own"
    monkeypatch.setenv("PROWESS_CACHE", "off")
    assert cache.cache_folder() is None


def test_the_folder_is_size_capped(folder, monkeypatch):
    """Above the limit the oldest files go, and the newest stay."""
    hit(plus(1.0), 2.5)
    for file in folder.iterdir():
        os.utime(file, (1e9, 1e9))
    foreign = folder / "notes.txt"
    foreign.write_text("of somebody else")
    os.utime(foreign, (1e8, 1e8))
    old = set(folder.glob("*.code"))
    size = sum(file.stat().st_size for file in old)
    monkeypatch.setattr(cache, "CACHE_LIMIT", int(1.5 * size))
    monkeypatch.setattr(cache, "FILES_BETWEEN_CHECKS", 1)
    hit(plus(2.0), 2.5)
    left = set(folder.glob("*.code"))
    assert foreign.exists()
    assert sum(file.stat().st_size for file in left) <= 1.5 * size
    assert left - old
    assert hit(plus(2.0), 2.5)


# --- other processes ---------------------------------------------------------------------

COUNTING = """
import json, sys
from prowess.compile import kernel
made = []
plainly = kernel.compile_function
kernel.compile_function = lambda function: made.append(plainly(function)) or made[-1]
from prowess.engine.rate import rate
from prowess.systems.catalogue import find
from tests.engine.tables import games
ratings = rate(games([("Ada", "Ben", 1.0)]), find(sys.argv[1]), compiled=True)
count = lambda name: sum(getattr(one, name) for one in made)
print(json.dumps([count("hits"), count("misses"), ratings["Ada"].rating]))
"""

MINE = """
from prowess.systems.elo import ELO, Evidence, Params, Rating
from dataclasses import replace

K = 20.0

def share(x):
    return K * x

def evidence(p, me, opponent, game):
    return Evidence(share(game.score - expected(p, me, opponent, game)))

def expected(p, me, opponent, game):
    return 0.5

MINE = replace(ELO, name="mine", evidence=evidence, expected=expected)
"""


def run(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a new process that sees the library and the tests."""
    path = os.pathsep.join((str(SOURCE), str(SOURCE.parent)))
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
        cwd=SOURCE.parent,
    )


def counted(system: str, folder: Path) -> list[float]:
    """Hits, misses and a rating, from a new process."""
    done = run(COUNTING, system, PROWESS_CACHE=str(folder))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_a_second_process_compiles_nothing(tmp_path):
    """The loop of a built-in system is compiled by the first process only."""
    assert counted("elo", tmp_path)[:2] == [0, 1]
    before = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert counted("elo", tmp_path)[:2] == [1, 0]
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == before


def test_a_users_file_hits_until_it_is_edited(tmp_path):
    """FILE.py:NAME is compiled once; an edited constant of it compiles again and counts."""
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    name, folder = f"{file}:MINE", tmp_path / "cache"
    assert counted(name, folder) == [0, 1, 1510.0]
    assert counted(name, folder) == [1, 0, 1510.0]
    file.write_text(MINE.replace("20.0", "40.0"))
    assert counted(name, folder) == [0, 1, 1520.0]


PLAINLY = """
import sys
sys.modules["llvmlite"] = None  # as if it were not installed
from prowess.compile import kernel, worth
assert not kernel.available()
worth.MIN_TURNS_TO_COMPILE = 0  # all tables are large
from prowess.engine.rate import rate
from prowess.systems.catalogue import find
from tests.engine.tables import games
table = games([("Ada", "Ben", 1.0)] * 5000, time=range(5000))
print(rate(table, find("glicko"), as_of=6000.0)["Ada"].rating)
try:
    rate(table, find("glicko"), compiled=True)
except ModuleNotFoundError as error:
    print(error)
"""


def test_without_a_compiler_everything_runs():
    """Without llvmlite a large table is rated plainly, and asking for it names the extra."""
    done = run(PLAINLY)
    assert done.returncode == 0, done.stderr
    rating, message = done.stdout.splitlines()
    assert float(rating) > 1500
    assert "prowess[fast]" in message


def test_compiling_can_be_forbidden(monkeypatch):
    """PROWESS_COMPILE=never rates everything plainly."""
    monkeypatch.setenv("PROWESS_COMPILE", "never")
    kernel.available.cache_clear()
    try:
        assert not kernel.available()
        with pytest.raises(ModuleNotFoundError):
            rate(TABLE, find("elo"), compiled=True)
        assert rate(TABLE, find("elo"))["Ada"].rating > 1500
    finally:
        monkeypatch.undo()
        kernel.available.cache_clear()
    assert kernel.available()


THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from prowess.engine.rate import rate
from prowess.systems.catalogue import find
from tests.engine.tables import games

table = games([("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 0.0)])
systems = [find(name) for name in ("elo", "glicko", "glicko2", "elo", "glicko", "glicko2")]
together = Barrier(len(systems))
sys.setswitchinterval(1e-5)  # seconds

def rated(system):
    together.wait(60)
    return rate(table, system, compiled=True).values.tolist()

with ThreadPoolExecutor(len(systems)) as pool:
    found = list(pool.map(rated, systems))
assert found == [rate(table, system, compiled=False).values.tolist() for system in systems]
"""


def test_threads_may_be_the_first_to_compile(tmp_path):
    """Threads of a new process that all compile at once wait for one another."""
    for _ in range(3):
        done = run(THREADS, PROWESS_CACHE=str(tmp_path))
        assert done.returncode == 0, done.stderr


def test_who_finds_no_code_waits_for_the_one_who_makes_it(folder, monkeypatch):
    """Two that look for code at once, as processes do, make it once, and leave its file alone."""
    both, load = Barrier(2), cache.load_code
    looked = threading.local()

    def look(*marks: str) -> Any:
        found = load(*marks)
        if not hasattr(looked, "once"):
            looked.once = both.wait(60)  # both have found nothing
        return found

    monkeypatch.setattr(kernel, "load_code", look)
    functions = [compile_function(plus(1.0)) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        assert len({*pool.map(lambda function: function(2.5), functions)}) == 1
    assert sorted((one.hits, one.misses) for one in functions) == [(0, 1), (1, 0)]
    assert len(list(folder.iterdir())) == 1


def test_work_leaves_a_mark(folder, monkeypatch):
    """The folder knows which work was done here; without a folder none is known."""
    assert not cache.was_done("pages of elo")
    cache.note_done("pages of elo")  # no folder yet: nothing is kept, nothing fails
    folder.mkdir()
    cache.note_done("pages of elo")
    assert cache.was_done("pages of elo")
    assert not cache.was_done("pages of glicko")
    monkeypatch.setenv("PROWESS_CACHE", "off")
    assert not cache.was_done("pages of elo")


def test_globals_are_those_of_dis():
    """The names of globals are read from code as Python's own disassembler reads them."""
    codes = [one.__code__ for one in vars(ast).values() if isinstance(one, FunctionType)]
    codes.append(compile("".join(f"a{k} = b{k}\n" for k in range(300)), "", "exec"))  # extended
    for code in codes:
        loads, inner = list[str](), [code]
        while inner:
            first = inner.pop()
            steps = dis.get_instructions(first)
            loads += [each.argval for each in steps if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
            inner += [each for each in reversed(first.co_consts) if isinstance(each, CodeType)]
        assert list(global_names(code)) == loads


DATED = "date,a,b,score\n2024-01-05,Ada,Ben,1\n2024-01-06,Ben,Ada,0.5\n"


def test_every_loop_of_the_reader_is_kept(folder):
    """What reading compiles is in the cache, so that no later process compiles it again."""
    loops.cache_clear()
    try:
        with recorded() as made:
            table = read_games(io.BytesIO(DATED.encode()), format="csv", compiled=True)
        assert table.score.tolist() == [1.0, 0.5]
        called = {one.function.__name__ for one in made if one.misses}
        assert {"days", "numbers", "intern"} <= called
        assert {file.name.split("-")[0] for file in folder.iterdir()} >= called
    finally:
        loops.cache_clear()


class Pair(NamedTuple):
    """Two values of a tuple."""

    first: Any
    second: float


def weigh(rows: Any, pair: Pair, more: Any, sign: bool, index: int) -> float:
    """A function of arguments of many kinds."""
    total = pair.second
    for k in range(rows.shape[0]):
        total += rows[k, index] * pair.first[k] + more[k]
    return total if sign else -total


@pytest.mark.parametrize("rows", [np.eye(3), np.asfortranarray(np.arange(9.0).reshape(3, 3)),
                                  np.arange(36.0).reshape(6, 6)[::2, ::2]])  # fmt: skip
@pytest.mark.parametrize("sign", [True, False])
def test_arguments_of_many_kinds(folder, rows, sign):
    """Matrices in any order of memory, tuples, truths and numbers reach the code unchanged."""
    fixed = np.array([1.0, 2.0, 3.0])
    fixed.flags.writeable = False
    pair, more = Pair(fixed, 0.25), np.arange(6, dtype=np.uint32)[::2]
    for _ in range(2):
        compiled = compile_function(weigh)
        arguments = (rows, pair, more, sign, np.int64(2))
        assert compiled(*arguments) == weigh(*arguments)
    assert compiled.hits == 1


def test_orders_of_memory_are_kept_apart(folder):
    """Code for rows that stand together is not run on rows that do not."""
    whole = np.arange(36.0).reshape(6, 6)
    pair, more = Pair(np.array([1.0, 2.0, 3.0]), 0.25), np.arange(3, dtype=np.uint32)
    for _ in range(2):
        compiled = compile_function(weigh)
        for rows in (whole[:3, :3].copy(), np.asfortranarray(whole[:3, :3]), whole[::2, ::2]):
            arguments = (rows, pair, more, True, np.int64(2))
            assert compiled(*arguments) == weigh(*arguments)
    assert (compiled.hits, compiled.misses) == (2, 0)  # rows together, rows in another order


WHOLE = [name for name, one in catalogue().items() if getattr(one, "contest", None) is not None]


@pytest.mark.parametrize("name", WHOLE)
def test_a_contest_judged_at_once_is_kept(name):
    """A process that finds the compiled contests of a system in the folder compiles nothing."""
    table = contests([[("Ada", 1), ("Ben", 2), ("Cleo", 2)], [("Ben", 1), ("Ada", 2), ("Cleo", 3)]])
    found = []
    for _ in range(2):  # the first compiles unless an earlier run did
        replay.compiled_loop.cache_clear()
        with recorded() as made:
            found.append(rate(table, find(name), compiled=True).values.tolist())
    assert [sum(one.misses for one in made), sum(one.hits for one in made)] == [0, 1]
    assert found[0] == found[1] == rate(table, find(name), compiled=False).values.tolist()


@contextmanager
def recorded():
    """The functions that are compiled meanwhile."""
    made: list[Any] = []
    plainly = kernel.compile_function

    def record(*arguments):
        made.append(plainly(*arguments))
        return made[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kernel, "compile_function", record)
        yield made


ROADS = """
import json, sys
from prowess.compile import kernel, worth
worth.LINKED = 0  # small tables too
made = []
plainly = kernel.compile_function
kernel.compile_function = lambda *given: made.append(plainly(*given)) or made[-1]
import prowess
from prowess.engine.system import Dynamic
from prowess.games import read_games
from prowess.systems.catalogue import catalogue
from tests.engine.tables import contests, games

rounds = [1, 1, 2, 2]
duels = games(
    [("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 0.0), ("Ada", "Ben", 0.5)],
    round=rounds, time=[1.0, 2.0, 3.0, 4.0],
)
races = contests([[("Ada", 1), ("Ben", 2), ("Cleo", 2)], [("Ben", 1), ("Ada", 2), ("Cleo", 3)]])
sides = {"winner": ["Ada & Ben", "Ada & Cleo"], "loser": ["Cleo & Dan", "Ben & Dan"]}
teams = read_games(sides, teams="members")
compiled = set()
loops = 0
for name, system in catalogue().items():
    needed = {"compiled": True} if isinstance(system, Dynamic) else {}
    for road, table in {"games": duels, "contests": races, "teams": teams}.items():
        made.clear()
        try:
            ratings = prowess.rate(table, name, **needed)
            ratings.history("Ada")
        except prowess.errors.ProwessError:  # some systems rate games alone, or have no history
            pass
        loops += len(made)
        compiled.update(f"{name} {road}" for one in made if one.misses)
print(json.dumps([loops, sorted(compiled)]))
"""


def test_every_road_is_compiled_by_the_first_process_only():
    """Games, contests, teams and histories of the whole catalogue: the next process finds all."""
    for _ in range(2):  # the first compiles unless an earlier run did
        done = run(ROADS)
        assert done.returncode == 0, done.stderr
        loops, compiled = json.loads(done.stdout)
    assert compiled == []
    assert loops > 60  # of 40 systems and more, on the roads that each has
