"""Every reference case: what the library computes equals what the sources and papers say.

`cases.json` holds the cases. A module `family_NOUN.py` beside this file holds
`FAMILIES = {"elo.update": update}`: for each family of cases a function that takes the inputs
and returns a dict shaped like the expected one. Modules are found, none is listed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = json.loads((HERE / "cases.json").read_text("utf-8"))["cases"]
Family = Callable[[dict[str, Any]], dict[str, Any]]


def families() -> dict[str, Family]:
    """All functions that answer a family of cases."""
    found: dict[str, Family] = {}
    for path in sorted(HERE.glob("family_*.py")):
        for name, answer in import_module(f"tests.reference.{path.stem}").FAMILIES.items():
            assert name not in found, f"{path.name} answers {name}, which another module answers"
            found[name] = answer
    return found


def differences(
    expected: Any, answer: Any, tolerance: float, where: str = "answer"
) -> Iterator[str]:
    """Every place where an answer is not what was expected."""
    if isinstance(expected, dict):
        if not isinstance(answer, dict) or set(expected) != set(answer):
            yield f"{where}: {answer!r} has not exactly the keys {sorted(expected)}"
            return
        for key, value in expected.items():
            yield from differences(value, answer[key], tolerance, f"{where}.{key}")
    elif isinstance(expected, list):
        if not isinstance(answer, list | tuple) or len(expected) != len(answer):
            yield f"{where}: {answer!r} is not a list of {len(expected)}"
            return
        for k, (value, got) in enumerate(zip(expected, answer, strict=True)):
            yield from differences(value, got, tolerance, f"{where}[{k}]")
    elif isinstance(expected, int | float) and not isinstance(expected, bool):
        number = isinstance(answer, int | float) and not isinstance(answer, bool)
        # `not <=` and not `>`: a nan must count as a difference
        if not number or not abs(answer - expected) <= tolerance:
            yield f"{where}: {answer!r}, expected {expected!r} within {tolerance}"
    elif answer != expected or type(answer) is not type(expected):
        yield f"{where}: {answer!r}, expected {expected!r}"


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    """The library gives the numbers of the case, within its tolerance."""
    answers = families()
    assert case["family"] in answers, f"no family_*.py answers {case['family']}"
    answer = answers[case["family"]](case["inputs"])
    assert not list(differences(case["expected"], answer, case["tolerance"])), case["note"]


def test_every_function_has_a_case() -> None:
    """No function answers a family that has no case, so a misspelt name is noticed."""
    assert not set(families()) - {case["family"] for case in CASES}


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ({"r": 1.0}, {"r": 1.1}),
        ({"r": 1.0}, {"r": float("nan")}),
        ({"r": 1.0}, {}),
        ({"r": 1.0}, {"r": 1.0, "s": 2.0}),
        ({"r": [1.0, 2.0]}, {"r": [1.0]}),
        ({"r": {"s": [3.0]}}, {"r": {"s": [4.0]}}),
        ({"r": "a"}, {"r": "b"}),
        ({"r": None}, {"r": 0.0}),
        ({"r": True}, {"r": 1}),
        ({"r": 1}, {"r": True}),
    ],
)
def test_differences_are_noticed(expected: Any, answer: Any) -> None:
    """A wrong number, nan, word, type, length or key is a difference."""
    assert list(differences(expected, answer, 0.01))
