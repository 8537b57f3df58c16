"""Kernels of the browser, run by Node: the numbers are those of this machine's code."""

from __future__ import annotations

import base64
import ctypes
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import playwright

from tests.wheels.calls import Outcome, arguments_of, check_outcomes, read_arrays
from wheels.kernels import make_kernels

NODE = Path(playwright.__file__).parent / "driver" / "node"
SCRIPT = Path(__file__).with_name("run_kernels.mjs")


def pack(argument: tuple[Any, Any]) -> dict[str, str]:
    """An argument as JSON has it."""
    value, kind = argument
    if isinstance(value, np.ndarray):
        return {"bytes": base64.b64encode(value.tobytes()).decode()}
    if kind in (ctypes.c_double, ctypes.c_float):
        number = repr(float(value)).replace("inf", "Infinity").replace("nan", "NaN")
        return {"number": number, "kind": "f64"}
    return {"number": str(int(value)), "kind": "i64" if ctypes.sizeof(kind) == 8 else "i32"}


def test_node_gives_the_same_numbers(texts, tmp_path):
    """The first call of each loop: the default system to the bit, others to 1e-13."""
    library = make_kernels("wasm32", texts, tmp_path)
    index = json.loads(library.with_suffix(".json").read_bytes())
    calls = [
        {"symbol": index[mark][0], "arguments": list(map(pack, arguments_of(text.given)))}
        for mark, text in texts.items()
    ]
    file = tmp_path / "calls.json"
    file.write_text(json.dumps(calls))
    done = subprocess.run([NODE, SCRIPT, library, file], capture_output=True, text=True, check=True)
    outcomes = [
        Outcome(read_arrays(text, list(map(base64.b64decode, one["arrays"]))), one["result"])
        for text, one in zip(texts.values(), json.loads(done.stdout), strict=True)
    ]
    check_outcomes(texts, outcomes)
