"""Kernels: machine code that a wheel brings, made ahead of time, so that no compiler is needed.

A folder holds, for each kind of processor, one shared library and the JSON of what is in it: for
the mark of each function (its name, its fingerprint, the kinds of its arguments) the symbol, the
kind of the result, and the arguments that are written to. A function that was edited has another
fingerprint, so that stale code is not found.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import platform
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).with_name("kernels")
V2 = frozenset({"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"})  # as Linux names them
V3 = V2 | {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}


class Kernel(NamedTuple):
    """A function of a library that is loaded."""

    library: ctypes.CDLL
    symbol: str
    returns: str  # the kind of its result, "" for none
    writes: list[int]  # the places of the arguments whose items it sets


class Kernels(NamedTuple):
    """A library that is loaded, and what is in it."""

    target: str
    library: ctypes.CDLL
    loops: dict[str, list[Any]]  # mark: symbol, returns, writes


def mark_of(name: str, digest: str, kinds: str) -> str:
    """The mark of a function with a fingerprint, for arguments of some kinds."""
    return f"{name}-{digest}-{hashlib.sha256(kinds.encode()).hexdigest()[:16]}"


def find_kernel(name: str, digest: str, kinds: str) -> Kernel | None:
    """The kernel of a function with a fingerprint; None where the wheel brings none."""
    if (kernels := load_kernels()) is None:
        return None
    found = kernels.loops.get(mark_of(name, digest, kinds))
    return None if found is None else Kernel(kernels.library, *found)


@cache
def load_kernels() -> Kernels | None:
    """The kernels for this processor; None where the installation has none that load."""
    target = find_target()
    file = FOLDER / f"{target}.so"
    if not target or not file.exists():
        return None
    with suppress(OSError, ValueError):
        _load_mathematics()
        index = json.loads(file.with_suffix(".json").read_bytes())
        return Kernels(target, ctypes.CDLL(str(file)), index)
    return None


def find_target() -> str:
    """The target of this processor, as wheels name it; "" for one that has none."""
    machine = platform.machine().lower()
    if sys.platform == "emscripten":
        return "wasm32"
    if sys.platform != "linux":
        return ""
    if machine == "aarch64":
        return machine
    flags = _processor_flags() if machine == "x86_64" else frozenset[str]()
    return "x86-64-v3" if flags >= V3 else "x86-64-v2" if flags >= V2 else ""


def _processor_flags() -> frozenset[str]:
    """What the first processor of the machine can do, as Linux names it."""
    with suppress(OSError), Path("/proc/cpuinfo").open(encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith("flags"):
                return frozenset(line.partition(":")[2].split())
    return frozenset()


def _load_mathematics() -> None:
    """Make the functions of C's mathematics known to libraries that are loaded later."""
    if sys.platform == "linux":
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
