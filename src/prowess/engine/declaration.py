"""Checks of the parts of a declared system: tuples, signatures, and what a call returns."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any

from prowess.refusals import ProwessError

if TYPE_CHECKING:
    from prowess.engine.system import Dynamic

EMPTY = {"evidence_zero": "evidence of nothing", "side": "a side without members"}


class BadSystem(ProwessError, TypeError):
    """A system that is not complete."""


def check_tuple(name: str, part: str, value: Any) -> None:
    if not hasattr(value, "_fields"):
        raise BadSystem(
            f"{name}: {part} is a NamedTuple with defaults, such as Params(); it is "
            f"{type(value).__name__}"
        )
    for field_name, number in value._asdict().items():
        if not isinstance(number, int | float) or not isfinite(number):
            raise BadSystem(f"{name}: {part}.{field_name} = {number!r} is not a finite number")
    if part in EMPTY and any(value):
        raise BadSystem(f"{name}: {part} is {EMPTY[part]}: all its fields are 0.0")


def check_arguments(name: str, role: str, function: Any, arguments: tuple[str, ...]) -> None:
    wanted = f"{role}({', '.join(arguments)})"
    if not inspect.isfunction(function):
        raise BadSystem(f"{name}: {wanted} is missing: give a plain Python function")
    given = inspect.signature(function).parameters
    if len(given) != len(arguments):
        raise BadSystem(f"{name}: {role} is called as {wanted}, but takes ({', '.join(given)})")


def attempt_call(system: Dynamic, role: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        raise BadSystem(
            f"{system.name}: {role} failed on its first game: {type(error).__name__}: {error}"
        ) from error


def check_shape(system: Dynamic, role: str, value: Any, shape: Any) -> None:
    if type(value) is not type(shape):
        raise BadSystem(
            f"{system.name}: {role} returned {value!r:.60}, not a {type(shape).__name__}"
        )
    for name, number in value._asdict().items():
        if not isinstance(number, float):
            raise BadSystem(
                f"{system.name}: {role} returned {name}={number!r}; every field is a float, "
                "so that it compiles: write 0.0, not 0"
            )
