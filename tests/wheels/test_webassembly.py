"""Kernels of the browser, run by Node: the numbers are those of this machine's code."""

from __future__ import annotations

import base64
import ctypes
import json
import subprocess
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import playwright
import pytest
from wheels.kernels import Text, make_kernels, note_texts

from prowess.compile.link import flatten_arguments, flatten_types, flatten_values

SYSTEMS = ("elo", "glicko2", "trueskill", "prowess", "bradley_terry")
NODE = Path(playwright.__file__).parent / "driver" / "node"
SCRIPT = Path(__file__).with_name("run_kernels.mjs")


@pytest.fixture(scope="module")
def texts() -> dict[str, Text]:
    """The loops of some systems and of the readers."""
    return note_texts(SYSTEMS)


@pytest.fixture(scope="module")
def called(texts: dict[str, Text], tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Mark, text, arrays and result natively and in WebAssembly, of each loop's first call."""
    folder = tmp_path_factory.mktemp("kernels")
    library = make_kernels("wasm32", texts, folder)
    index = json.loads(library.with_suffix(".json").read_bytes())
    calls = [
        {"symbol": index[mark][0], "arguments": list(map(pack, arguments_of(text.given)))}
        for mark, text in texts.items()
    ]
    file = folder / "calls.json"
    file.write_text(json.dumps(calls))
    done = subprocess.run([NODE, SCRIPT, library, file], capture_output=True, text=True, check=True)
    return [
        (mark, text, call_natively(text), (unpack(text, one["arrays"]), one["result"]))
        for (mark, text), one in zip(texts.items(), json.loads(done.stdout), strict=True)
    ]


def arguments_of(given: Any) -> list[tuple[Any, Any]]:
    """The values that the code takes and their C types; of an array itself for its place."""
    laid = tuple(lay_out(one) for one in given)
    arrays = iter([one for one in flatten_arguments(laid) if isinstance(one, np.ndarray)])
    return [
        (next(arrays) if kind is ctypes.c_void_p else value, kind)
        for value, kind in zip(flatten_values(laid), flatten_types(laid), strict=True)
    ]


def lay_out(value: Any) -> Any:
    """An argument with its arrays one item after the other."""
    if isinstance(value, tuple):
        items = [lay_out(one) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value


def pack(argument: tuple[Any, Any]) -> dict[str, str]:
    """An argument as JSON has it."""
    value, kind = argument
    if isinstance(value, np.ndarray):
        return {"bytes": base64.b64encode(value.tobytes()).decode()}
    if kind in (ctypes.c_double, ctypes.c_float):
        number = repr(float(value)).replace("inf", "Infinity").replace("nan", "NaN")
        return {"number": number, "kind": "f64"}
    return {"number": str(int(value)), "kind": "i64" if ctypes.sizeof(kind) == 8 else "i32"}


def call_natively(text: Text) -> tuple[list[Any], Any]:
    """The arrays after a call of this machine's code, and its result."""
    given = tuple(lay_out(one) for one in deepcopy(text.given))
    result = text.compiled(*given)
    return [one for one in flatten_arguments(given) if isinstance(one, np.ndarray)], result


def unpack(text: Text, arrays: list[str]) -> list[Any]:
    """The arrays that came back."""
    before = [one for one in flatten_arguments(text.given) if isinstance(one, np.ndarray)]
    return [
        np.frombuffer(base64.b64decode(packed), one.dtype).reshape(one.shape)
        for packed, one in zip(arrays, before, strict=True)
    ]


def test_loops_give_the_same_numbers(called):
    """Whole numbers are equal, floats to 1e-13: exp, log, log1p and erfc are others there."""
    for mark, _, (native, result), (found, returned) in called:
        for one, other in zip(native, found, strict=True):
            if one.dtype.kind == "f":
                scale = np.abs(one[np.isfinite(one)]).max(initial=1e-300)
                np.testing.assert_allclose(other, one, rtol=1e-13, atol=1e-13 * scale, err_msg=mark)
            else:
                np.testing.assert_array_equal(other, one, err_msg=mark)
        assert returned is None or float(returned) == pytest.approx(float(result), rel=1e-13), mark


def test_loops_without_a_library_give_the_same_bits(called):
    """The default system has its own exp and log, so that its bits are the same everywhere."""
    banks = 0
    for mark, text, (native, _), (found, _) in called:
        if not any(f"@{name}" in text.text for name in ("llvm.exp", "llvm.log", "log1p", "erfc")):
            banks += len(native) > 20
            for one, other in zip(native, found, strict=True):
                np.testing.assert_array_equal(other, one, err_msg=mark)
    assert banks >= 10
