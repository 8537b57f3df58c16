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

from tests.browser.test_try import load_builder
from tests.wheels.calls import Outcome, arguments_of, check_outcomes, read_arrays
from wheels.kernels import Text, make_kernels

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


def call_in_node(library: Path, texts: dict[str, Text], folder: Path) -> list[Outcome]:
    """What the first call of each loop of a library leaves."""
    index = json.loads(library.with_suffix(".json").read_bytes())
    calls = [
        {"symbol": index[mark][0], "arguments": list(map(pack, arguments_of(text.given)))}
        for mark, text in texts.items()
    ]
    file = folder / "calls.json"
    file.write_text(json.dumps(calls))
    done = subprocess.run([NODE, SCRIPT, library, file], capture_output=True, text=True, check=True)
    return [
        Outcome(read_arrays(text, list(map(base64.b64decode, one["arrays"]))), one["result"])
        for text, one in zip(texts.values(), json.loads(done.stdout), strict=True)
    ]


def test_node_gives_the_same_numbers(texts, tmp_path):
    """The first call of each loop: the default system to the bit, others to 1e-13.

    Loops of the page into which one drops a file are those that it brings.
    """
    builder = load_builder()
    of_page = builder.fetch_kernels(builder.SYSTEMS[:1]) / "wasm32.so"
    brought = json.loads(of_page.with_suffix(".json").read_bytes()).keys() & texts.keys()
    assert len(brought) > len(texts) / 4
    shared = {mark: text for mark, text in texts.items() if mark in brought}
    others = {mark: text for mark, text in texts.items() if mark not in brought}
    outcomes = call_in_node(of_page, shared, tmp_path)
    outcomes += call_in_node(make_kernels("wasm32", others, tmp_path), others, tmp_path)
    check_outcomes(shared | others, outcomes)
