"""Kernels for ARM, run by an emulator where there is one: the numbers are those of this machine.

A C program calls the objects, linked without a library of the system: what the emulator does not
show is how the shared library is loaded there.
"""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.wheels.calls import Outcome, arguments_of, check_outcomes, list_arrays, read_arrays
from wheels.kernels import Text, make_objects

EMULATOR = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
TYPES: dict[Any, str] = {
    None: "void", ctypes.c_void_p: "void *", ctypes.c_double: "double", ctypes.c_float: "float",
    ctypes.c_int8: "int8_t", ctypes.c_uint8: "uint8_t", ctypes.c_int16: "int16_t",
    ctypes.c_uint16: "uint16_t", ctypes.c_int32: "int32_t", ctypes.c_uint32: "uint32_t",
    ctypes.c_int64: "int64_t", ctypes.c_uint64: "uint64_t",
}  # fmt: skip
RESULTS = {"": "void", "d": "double", "q": "int64_t", "Q": "uint64_t", "?": "uint8_t"}
HEAD = """
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *take(size_t size) {
    void *array = aligned_alloc(64, (size + 64) / 64 * 64);
    if (fread(array, 1, size, stdin) != size) exit(1);
    return array;
}
"""


def literal(value: Any, kind: Any) -> str:
    """A number in C."""
    if kind in (ctypes.c_double, ctypes.c_float):
        if math.isfinite(value):
            return float(value).hex()
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
    return f"({TYPES[kind]}){int(value) % 2**64}u"


def write_call(symbol: str, text: Text) -> str:
    """The C function that reads the arrays of a call, makes it, and prints what it left."""
    given = arguments_of(text.given)
    arrays = {place: one for place, (one, _) in enumerate(given) if isinstance(one, np.ndarray)}
    values = [
        f"a{place}" if place in arrays else literal(value, kind)
        for place, (value, kind) in enumerate(given)
    ]
    kinds = ", ".join(TYPES[kind] for _, kind in given)
    result = "double result = " if text.returns else ""
    return "\n".join([
        f"extern {RESULTS[text.returns]} {symbol}({kinds});",
        f"static void call_{symbol}(void) {{",
        *(f"void *a{place} = take({one.nbytes});" for place, one in arrays.items()),
        f"{result}{symbol}({', '.join(values)});",
        *(f"fwrite(a{place}, 1, {one.nbytes}, stdout);" for place, one in arrays.items()),
        "fwrite(&result, 1, 8, stdout);" if text.returns else "",
        "}",
    ])  # fmt: skip


def cut(texts: dict[str, Text], output: bytes) -> list[Outcome]:
    """What the program printed, call by call."""
    outcomes, at = [], 0
    for text in texts.values():
        parts = []
        for one in list_arrays(text.given):
            parts.append(output[at : at + one.nbytes])
            at += one.nbytes
        result = np.frombuffer(output[at : at + 8])[0] if text.returns else None
        at += 8 if text.returns else 0
        outcomes.append(Outcome(read_arrays(text, parts), result))
    assert at == len(output)
    return outcomes


@pytest.mark.skipif(EMULATOR is None, reason="qemu-user is not installed")
def test_arm_gives_the_same_numbers(texts, tmp_path):
    """The first call of each loop: the default system to the bit, others to 1e-13."""
    symbols = {mark: f"k{number}" for number, mark in enumerate(texts)}
    objects = make_objects("aarch64", texts, symbols, tmp_path)
    calls = "\n".join(write_call(symbols[mark], text) for mark, text in texts.items())
    each = "\n".join(f"call_{symbol}();" for symbol in symbols.values())
    source = tmp_path / "calls.c"
    source.write_text(f"{HEAD}{calls}\nint main(void) {{ {each} return 0; }}\n")
    program = tmp_path / "calls"
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl", "-static"]
    subprocess.run([*compiler, source, *objects, "-lm", "-o", program], check=True)
    given = b"".join(one.tobytes() for text in texts.values() for one in list_arrays(text.given))
    assert EMULATOR is not None
    done = subprocess.run([EMULATOR, program], input=given, capture_output=True, check=True)
    check_outcomes(texts, cut(texts, done.stdout))
