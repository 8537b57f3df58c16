"""Fingerprints of functions, what cannot be compiled, and functions put in the place of others."""

from __future__ import annotations

import textwrap
import types
from math import exp
from typing import Any

import numpy as np
import pytest

from prowess.compile import Uncompilable, kernel, worth
from prowess.compile.intrinsics import byte_finder, isolator, lowest_bit, prefetch
from prowess.compile.kernel import compile_function
from prowess.compile.source import remember_source
from prowess.compile.tree import fingerprint, has_loop, rebuild
from prowess.engine.rate import rate
from prowess.systems.catalogue import find
from tests.engine.tables import games
from tests.refusals import refused

TABLE = games([("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 0.0)])


def module_of(source: str, name: str = "fresh") -> types.ModuleType:
    """A module with this source, as if its file had just been read."""
    module = types.ModuleType(name)
    text = textwrap.dedent(source)
    exec(compile(text, remember_source(name, text), "exec"), vars(module))
    return module


# --- what a fingerprint tells apart ------------------------------------------------------

TREE = """
    from math import exp
    from typing import NamedTuple

    SCALE = 400.0
    WEIGHTS = (1.0, 2.0)

    class Pair(NamedTuple):
        first: float = 1.0
        second: float = 2.0

    def deep(x):
        return x / SCALE

    def helper(x, power=3.0):
        return deep(x) * WEIGHTS[1] + power

    def bound(step):
        def inner(x):
            return x + step
        return inner

    closure = bound(5.0)

    def whole(x):
        pair = Pair(x, 2.0)
        return helper(x) + closure(pair.first) + pair.second + exp(0.5)
"""


def marked(source: str = TREE) -> str:
    """The fingerprint of `whole`."""
    return fingerprint(module_of(source).whole)


def test_the_same_source_has_the_same_fingerprint():
    """Reading a file again changes nothing."""
    assert marked() == marked()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SCALE = 400.0", "SCALE = 401.0"),
        ("WEIGHTS = (1.0, 2.0)", "WEIGHTS = (1.0, 3.0)"),
        ("return x / SCALE", "return SCALE / x"),
        ("power=3.0", "power=4.0"),
        ("power=3.0", "*, power=4.0"),
        ("bound(5.0)", "bound(6.0)"),
        ("x + step", "x - step"),
        ("second: float = 2.0", "second: float = 7.0"),
        ("exp(0.5)", "exp(0.25)"),
        ("+ exp(0.5)", "- exp(0.5)"),
        ("SCALE = 400.0", "SCALE = 400"),
    ],
)
def test_any_edit_in_the_tree_is_another_fingerprint(before, after):
    """A constant, helper, default, closure or field three calls away is part of the mark."""
    assert before in TREE
    assert marked(TREE.replace(before, after)) != marked()


def test_names_are_part_of_the_fingerprint():
    """Equal bytecode over other attributes or other functions is another function."""
    one = module_of("def f(p): return p.first - p.second").f
    other = module_of("def f(p): return p.second - p.first").f
    assert one.__code__.co_code == other.__code__.co_code
    assert fingerprint(one) != fingerprint(other)
    up = module_of("from math import ceil as whole\ndef f(x): return whole(x)").f
    down = module_of("from math import floor as whole\ndef f(x): return whole(x)").f
    assert up.__code__.co_code == down.__code__.co_code
    assert fingerprint(up) != fingerprint(down)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (1, True), (0.0, -0.0), (1.0, 1.0 + 2**-52), (np.int64(1), np.int64(2))],
)
def test_constants_are_told_apart_by_type_and_bit(one, other):
    """Values that compare equal but compile otherwise are other constants."""
    source = module_of("def f(x): return x + K").f
    marks = set()
    for value in (one, other):
        source.__globals__["K"] = value
        marks.add(fingerprint(source))
    assert len(marks) == 2


def test_values_behind_a_module_are_seen():
    """A constant that is read as `constants.K` is part of the mark."""
    constants = types.ModuleType("constants")
    function = module_of("def f(x): return x + constants.K").f
    function.__globals__["constants"] = constants
    marks = set()
    for value in (1.0, 2.0):
        constants.K = value  # type: ignore[attr-defined]
        marks.add(fingerprint(function))
    assert len(marks) == 2


def test_arrays_are_told_apart_by_their_numbers():
    """An array among the globals is frozen into the code, so its numbers are part of the mark."""
    function = module_of("def f(x): return x + table[1]").f
    marks = set()
    for last in (2.0, 3.0):
        function.__globals__["table"] = np.array([1.0, last])
        marks.add(fingerprint(function))
    assert len(marks) == 2


# --- what cannot be compiled -------------------------------------------------------------


def factorial(n: float) -> float:
    """A function that calls itself."""
    return 1.0 if n < 1.0 else n * factorial(n - 1.0)


def test_recursion_is_refused():
    """A function that calls itself is named, instead of an endless walk."""
    assert fingerprint(factorial) == fingerprint(factorial)
    with refused(Uncompilable, "recursive_function"):
        compile_function(factorial)(3.0)


def system_of(evidence: str) -> Any:
    """Elo with another evidence."""
    from dataclasses import replace

    module = module_of(
        "from prowess.systems.elo import Evidence, Rating\n"
        f"def evidence(p, me, opponent, game):\n    {evidence}\n"
        "    return Evidence(game.score - 0.5)"
    )
    return replace(find("elo"), name="mine", evidence=module.evidence)


@pytest.mark.parametrize(
    "line",
    [
        "text = f'{me!r}'",
        "print({1: me}.setdefault(2, object))",
        "game = max([game], key=lambda one: one.score if one else None)",
        "me = type(me)(me.rating) if me is opponent else Rating()",
    ],
)
def test_an_uncompilable_system_says_so(line):
    """The error names the system, and the remedy, and the same system runs plainly."""
    system = system_of(line)
    if "print" not in line:
        assert rate(TABLE, system, compiled=False)["Ada"].rating > 1500
    with refused(Uncompilable, "not_compilable", about="PROWESS_COMPILE"):
        rate(TABLE, system, compiled=True)


# --- others in the place of functions ----------------------------------------------------


def tenfold(x: float) -> float:
    """Stands for exp."""
    return 10.0 * x


SUBSTITUTES: dict[Any, Any] = {exp: tenfold}
BY_NAME = "from math import exp\ndef g(x): return exp(x)\ndef f(x): return g(x) + 1.0"
BY_MODULE = "import math\ndef g(x): return math.exp(x)\ndef f(x): return g(x) + math.sqrt(1.0)"


@pytest.mark.parametrize("source", [BY_NAME, BY_MODULE])
def test_substitutes_reach_the_whole_tree(source):
    """A function is another wherever it is called, compiled or not; the original stays."""
    function = module_of(source).f
    assert rebuild(function, SUBSTITUTES)(2.0) == 21.0
    assert kernel.compile_function(function, SUBSTITUTES)(2.0) == 21.0
    assert function(2.0) == exp(2.0) + 1.0


def test_substitutes_are_part_of_the_fingerprint():
    """What is compiled with others in place of some is another result."""
    function = module_of(BY_NAME).f
    marks = {
        fingerprint(function),
        fingerprint(function, SUBSTITUTES),
        fingerprint(function, {exp: factorial}),
    }
    assert len(marks) == 3


def test_a_function_that_calls_itself_may_be_rebuilt():
    """Plain Python has no need to know callees first."""
    assert rebuild(factorial, SUBSTITUTES)(5.0) == 120.0


def test_loops_are_found_below():
    """A loop three calls away is a loop; a choice is none."""
    looping = "def g(x):\n    while x > 1.0:\n        x /= 2.0\n    return x\ndef f(x): return g(x)"
    assert has_loop(module_of(looping).f)
    assert not has_loop(module_of("def f(x): return x if x > 0.0 else -x").f)


def test_prefetching_changes_no_number():
    """Asking for a row ahead of time reads nothing and writes nothing."""
    ask = prefetch()

    def touched(matrix: Any, row: int) -> float:
        ask(matrix, row)
        return matrix[row, 0]  # type: ignore[no-any-return]

    matrix = np.arange(12.0).reshape(4, 3)
    assert compile_function(touched)(matrix, np.uint32(2)) == 6.0
    assert matrix.tolist() == np.arange(12.0).reshape(4, 3).tolist()


def test_only_an_isolated_array_is_said_to_be_alone():
    """The code of a loop says so of that array, and the loop adds the same numbers."""
    isolate = isolator()

    def add(one: Any, other: Any) -> None:
        one = isolate(one)
        for k in range(len(one)):
            one[k] += other[k]

    made, numbers = compile_function(add), np.arange(6.0)
    made(numbers, np.ones(6))
    assert numbers.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert made.emit((numbers, np.ones(6))).text.count("noalias") == 1


def with_defaults(text):
    """A function made anew of a text, so that all in it stands elsewhere in memory."""
    scope: dict[str, Any] = {}
    exec(compile(text, remember_source("defaults", text), "exec"), scope)
    return scope["f"]


def test_a_fingerprint_knows_defaults():
    """Functions as defaults count by what they do, not by where they stand; so do named ones."""
    text = "def g(x):\n    return x\ndef f(a, law=g, *, k=1, of=(1, [2])):\n    return law(a) * k\n"
    mark = fingerprint(with_defaults(text))
    assert fingerprint(with_defaults(text)) == mark
    changed = [("return x", "return -x"), ("k=1", "k=2"), ("[2]", "[3]")]
    marks = {fingerprint(with_defaults(text.replace(*one))) for one in changed}
    assert len(marks | {mark}) == 4


def fill_with_texts(out):
    """A loop that no compiler takes: it makes a number of a text that is made while it runs."""
    for k in range(len(out)):
        out[k] = float(f"{k}.{k}".format_map({}))


def test_a_loop_that_cannot_be_compiled_stays_plain(monkeypatch):
    """However often it is called; the numbers are those of plain Python."""
    monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", 100 / worth.LIGHT)
    for _ in range(5):
        out = np.zeros(3)
        worth.run_loop(fill_with_texts, 60, out)
        assert out.tolist() == [0.0, 1.1, 2.2]


def test_where_no_compiler_is_needed_fewer_turns_are_enough(monkeypatch):
    """Kernels are there at once, so tables of a club are played by them."""
    monkeypatch.setattr(kernel, "available", lambda: True)
    for compiler in (True, False):
        monkeypatch.setattr(kernel, "has_compiler", lambda found=compiler: found)
        assert worth.is_worth_compiling(1_000) is not compiler
        assert worth.is_worth_compiling(2_000)
        assert not worth.is_worth_compiling(100)


def test_a_loop_that_is_called_often_is_compiled(monkeypatch):
    """Terms that it took plainly count; the numbers stay."""

    def fill(out):
        for k in range(len(out)):
            out[k] = 1.5 * k

    monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", 100 / worth.LIGHT)
    for _ in range(3):
        out = np.zeros(3)
        worth.run_loop(fill, 60, out)
        assert out.tolist() == [0.0, 1.5, 3.0]
    assert fill in worth._loaded


FINDERS = {"==": byte_finder(), "<": byte_finder("<")}


@pytest.mark.parametrize("comparison", FINDERS)
def test_bytes_are_found_by_plain_python_as_by_code(comparison):
    """Where code cannot be made, intrinsics run as plain Python."""
    find = FINDERS[comparison]

    def find_all(data, byte, found):
        for at in range(len(found)):
            found[at] = find(data, at, byte)

    data = np.random.default_rng(3).integers(0, 256, 96).astype(np.uint8)
    data[5] = data[63] = 44
    compiled, plain = np.zeros(32, np.uint64), np.zeros(32, np.uint64)
    for byte in (44, 0, 200):
        compile_function(find_all)(data, byte, compiled)
        find_all(data, byte, plain)
        assert compiled.tolist() == plain.tolist()
    assert [int(lowest_bit()(np.uint64(bits))) for bits in (1, 12, 2**63)] == [0, 2, 63]


def test_loops_run_plainly_where_no_code_can_be_had(monkeypatch):
    """A loop without a kernel gives the same numbers where no compiler is installed."""

    def sum_wrapped(values, out):
        for k in range(len(values)):
            out[0] += values[k] * values[k]

    values, found = np.arange(2**40, 2**40 + 9, dtype=np.uint64), []
    for installed in (True, False):
        monkeypatch.setattr(kernel, "has_compiler", lambda installed=installed: installed)
        out = np.zeros(1, np.uint64)
        kernel.compile_if_possible(sum_wrapped)(values, out)
        found.append(int(out[0]))
    assert found[0] == found[1] == sum(int(x) ** 2 for x in values) % 2**64
