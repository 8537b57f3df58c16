"""Kernels of this machine, without a compiler: nothing is missing, and the bits are the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import prowess
from prowess.compile import prebuilt
from prowess.compile.cache import compile_ahead
from prowess.compile.link import kinds_of
from prowess.errors import ProwessError
from tests.wheels.calls import SYSTEMS
from wheels.kernels import make_kernels
from wheels.roads import list_tables

ROOT = Path(__file__).parent.parent.parent
WITHOUT_COMPILER = """
import json, sys
from pathlib import Path
sys.modules["llvmlite"] = None  # as if it were not installed
from prowess.compile import prebuilt
folder, target, walks, systems = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4].split()
prebuilt.FOLDER, prebuilt.find_target = Path(folder), lambda: target
asked, find = set(), prebuilt.find_kernel
def note(*loop):
    asked.add(prebuilt.mark_of(*loop))
    return find(*loop)
prebuilt.find_kernel = note
from tests.wheels.test_native import rate_all
from wheels.roads import walk_without_compiler
ratings = rate_all(systems)
prebuilt.find_kernel = find
kernels = prebuilt.load_kernels()
missing = {*asked} - {*kernels.loops}
if walks:
    missing |= walk_without_compiler(systems, half=True)
print(json.dumps([kernels.target, sorted(missing), sorted(asked), ratings]))
"""

pytestmark = pytest.mark.skipif(
    not prebuilt.find_target().startswith("x86-64"), reason="the machine is no x86-64 with Linux"
)


def rate_all(systems: list[str]) -> list[Any]:
    """The ratings of every kind of table under each system, by compiled loops where they pay."""
    found = []
    with compile_ahead():
        for table in list_tables(half=True):
            for name in systems:
                try:
                    found.append([*prowess.rate(table, name).leaderboard().columns["rating"]])
                except ProwessError as error:  # some systems rate games alone
                    found.append(error.code)
    return found


def test_without_a_compiler_the_bits_are_the_same(texts, tmp_path):
    """Every loop of the roads is found, and the ratings are those of the compiler's loops.

    Libraries of all targets are made of the same texts: one that is not optimised is asked for each
    of them; of the others, with AVX2 where the processor has it, those of the ratings are compared.
    """
    compiled = json.loads(json.dumps(rate_all(list(SYSTEMS))))
    asked, targets = list(texts), sorted({"x86-64-v2", prebuilt.find_target()})
    for target, speed in [("x86-64-v2", 0), *((one, 3) for one in targets)]:
        make_kernels(target, {mark: texts[mark] for mark in asked}, tmp_path, speed=speed)
        walks = "" if speed else "walks"
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_COMPILER, tmp_path, target, walks, " ".join(SYSTEMS)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))},
            capture_output=True, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        loaded, missing, asked, ratings = json.loads(done.stdout)
        assert (loaded, missing) == (target, [])
        assert str(ratings) == str(compiled)


def test_kernels_of_edited_functions_are_not_used(texts, tmp_path, monkeypatch):
    """A kernel is found under the fingerprint of its source alone."""
    mark, text = next(iter(texts.items()))
    make_kernels(prebuilt.find_target(), {mark: text}, tmp_path)
    monkeypatch.setattr(prebuilt, "FOLDER", tmp_path)
    prebuilt.load_kernels.cache_clear()
    try:
        digest, name = text.compiled.digest, text.name
        kinds = kinds_of(text.given)
        assert prebuilt.find_kernel(name, digest, kinds) is not None
        assert prebuilt.find_kernel(name, digest[::-1], kinds) is None
        assert prebuilt.find_kernel(name, digest, f"{kinds} d1C") is None
    finally:
        prebuilt.load_kernels.cache_clear()


@pytest.mark.parametrize("content", [b"", b"no library", b"\x7fELF"])
def test_a_library_that_does_not_load_is_none(content, tmp_path, monkeypatch):
    """A damaged or foreign library leaves the compiler, or plain Python."""
    monkeypatch.setattr(prebuilt, "FOLDER", tmp_path)
    file = tmp_path / f"{prebuilt.find_target()}.so"
    file.write_bytes(content)
    file.with_suffix(".json").write_text("{}")
    prebuilt.load_kernels.cache_clear()
    try:
        assert prebuilt.load_kernels() is None
    finally:
        prebuilt.load_kernels.cache_clear()
