"""What compiled code is found by, and which arrays it takes."""

from __future__ import annotations

import sys
from subprocess import run
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from prowess.compile import Uncompilable
from prowess.compile.kernel import compile_function
from prowess.compile.source import source_lines, source_of
from prowess.compile.tree import fingerprint
from tests.cli.command import ROOT, environment
from tests.refusals import refused

pytest.importorskip("llvmlite")


def write_module(path, text):
    """A module that is read from this text."""
    path.write_text(text)
    module = ModuleType(path.stem)
    exec(compile(text, str(path), "exec"), vars(module))
    return module


METHOD = """
from typing import NamedTuple
class Pair(NamedTuple):
    x: float
    def value(self):
        return self.x {}
def f(pair):
    return pair.value()
"""


def test_an_edited_method_of_an_argument_is_compiled_anew(tmp_path, monkeypatch):
    """The cache knows methods of NamedTuples that are arguments."""
    monkeypatch.setenv("PROWESS_CACHE", str(tmp_path / "cache"))
    for edit in ("+ 1", "* 5"):
        module = write_module(tmp_path / "methods.py", METHOD.format(edit))
        pair = module.Pair(2.0)
        assert compile_function(module.f)(pair) == module.f(pair)


def test_two_classes_of_one_name_are_told_apart(tmp_path, monkeypatch):
    """In one process as well."""
    monkeypatch.setenv("PROWESS_CACHE", "off")
    first = write_module(tmp_path / "methods.py", METHOD.format("+ 1"))
    compiled = compile_function(first.f)
    assert compiled(first.Pair(2.0)) == 3
    second = write_module(tmp_path / "methods.py", METHOD.format("* 5"))
    assert compiled(second.Pair(2.0)) == 10


class Constants:
    K = 3


settings = SimpleNamespace(k=3)


def of_class(x):
    return x * Constants.K


def of_object(x):
    return x * settings.k


@pytest.mark.parametrize(("owner", "name", "function"),
                         [(Constants, "K", of_class), (settings, "k", of_object)])  # fmt: skip
def test_attributes_are_in_the_fingerprint(owner, name, function, monkeypatch):
    """What a function reads of a class or an object is part of its mark."""
    before = fingerprint(function)
    monkeypatch.setattr(owner, name, 4)
    assert fingerprint(function) != before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return a - b", "return b - a"),
        ("return a > 1 and b > 1", "return a > 1 or b > 1"),
        ("if a:\n        b = 1\n        a = 2\n    return a + b",
         "if a:\n        b = 1\n    a = 2\n    return a + b"),
    ],
)  # fmt: skip
def test_a_text_edited_after_it_was_read_is_refused(before, after, tmp_path):
    """A function is never compiled from another text than the one it was made of."""
    path = tmp_path / "edited.py"
    module = write_module(path, f"def f(a, b):\n    {before}\n")
    path.write_text(f"def f(a, b):\n    {after}\n")
    with refused(Uncompilable, "file_edited"):
        source_of(module.f)


def set_first(a):
    a[0] = 5.0
    return a[1]


def read_first(a):
    return a[0]


@pytest.mark.parametrize("array", [
    np.broadcast_to(np.array([1.0]), (4,)), np.frombuffer(bytes(16)),
])  # fmt: skip
def test_arrays_that_are_read_only_are_read_and_not_written(array):
    """Compiled code reads them and refuses to set their items."""
    assert compile_function(read_first)(array) == array[0]
    before = array.tolist()
    with refused(Uncompilable, "argument_kind"):
        compile_function(set_first)(array)
    assert array.tolist() == before


def test_masked_arrays_are_refused():
    """Their masked items would be read as numbers."""
    with refused(Uncompilable, "argument_kind"):
        compile_function(read_first)(np.ma.masked_array([1.0, 2.0], [True, False]))


@pytest.mark.parametrize("function", [len, int, None])
def test_what_is_no_plain_function_is_refused(function):
    """A builtin or None is refused, and nothing runs."""
    with refused(Uncompilable, "not_compilable"):
        compile_function(function)(2.0)


def ending_in_a_call(seen: list[float], x: float) -> None:
    """Its last statement is a call over several lines."""
    if x > 0.0:
        seen.append(
            x
        )  # fmt: skip


def test_text_of_a_function_ends_with_its_last_bracket():
    """Code without columns (`-X no_debug_ranges`, and in a browser) has the same text."""
    assert source_lines(ending_in_a_call.__code__)[-1].strip() == ")  # fmt: skip"
    shown = f"from {__name__} import *; print(source_lines(ending_in_a_call.__code__)[-1])"
    command = [sys.executable, "-X", "no_debug_ranges", "-c", shown]
    done = run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert done.stdout.strip() == ")  # fmt: skip", done.stderr
