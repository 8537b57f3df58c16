"""Checks of the parts of a declared system: tuples, signatures, and what a call returns."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.refusals import ProwessError
from prowess.engine.params import rows_of, settings
from prowess.engine.system import Common
from prowess.games.arguments import brief

if TYPE_CHECKING:
    from prowess.engine.system import Dynamic

LEARNING = {
    "start": ("p",),
    "named": ("p", "game"),
    "gradient": ("p", "mine", "theirs", "game", "common", "of", "one"),
    "learn": ("p", "which", "row", "below", "above", "total", "sides"),
}
STEERING = {
    "factor": ("p",),
    "pull": ("p", "me", "share", "one"),
    "learn_factor": ("p", "row", "total"),
}
EMPTY = {"evidence_zero": "evidence of nothing", "side": "a side without members"}


class BadSystem(ProwessError, TypeError):
    """A system that is not complete."""


def check_tuple(name: str, part: str, value: Any) -> None:
    if not hasattr(value, "_fields"):
        raise BadSystem(
            f"{name}: {part} is a NamedTuple with defaults, such as Params(); it is "
            f"{type(value).__name__}",
            code="not_a_tuple",
        )
    for field_name, number in value._asdict().items():
        if not isinstance(number, int | float) or not isfinite(number):
            raise BadSystem(
                f"{name}: {part}.{field_name} = {number!r} is not a finite number",
                code="not_finite",
            )
    if part in EMPTY and any(value):
        raise BadSystem(f"{name}: {part} is {EMPTY[part]}: all its fields are 0.0", code="not_zero")


def check_arguments(name: str, role: str, function: Any, arguments: tuple[str, ...]) -> None:
    wanted = f"{role}({', '.join(arguments)})"
    if not inspect.isfunction(function):
        raise BadSystem(
            f"{name}: {wanted} is missing: give a plain Python function", code="function_missing"
        )
    given = inspect.signature(function).parameters
    if len(given) != len(arguments):
        raise BadSystem(
            f"{name}: {role} is called as {wanted}, but takes ({', '.join(given)})",
            code="wrong_arguments",
        )


def attempt_call(system: Dynamic, role: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        raise BadSystem(
            f"{system.name}: {role} failed on its first game: {type(error).__name__}: {error}",
            code="function_fails",
        ) from error


def check_shape(system: Dynamic, role: str, value: Any, shape: Any) -> None:
    if type(value) is not type(shape):
        raise BadSystem(
            f"{system.name}: {role} returned {value!r:.60}, not a {type(shape).__name__}",
            code="wrong_return",
        )
    for name, number in value._asdict().items():
        if not isinstance(number, float):
            raise BadSystem(
                f"{system.name}: {role} returned {name}={number!r}; every field is a float, "
                "so that it compiles: write 0.0, not 0",
                code="not_a_float",
            )


def check_common(system: Dynamic, games: Sequence[Any]) -> None:
    """Raise BadSystem where what all games share is not declared as the engine needs it."""
    common, name = system.common, system.name
    if common is None:
        return
    if not isinstance(common, Common):
        raise BadSystem(
            f"{name}: common is Common(row, shape, gradient_zero, start, named, gradient, "
            "learn, taught)", code="not_common"
        )  # fmt: skip
    if system.rounds != "game":
        raise BadSystem(
            f'{name}: say rounds="game": what all games share is learnt game by game',
            code="common_in_rounds",
        )
    if system.chances is None:
        raise BadSystem(
            f"{name}: declare chances: what all games share is learnt from them",
            code="common_without_chances",
        )
    check_tuple(name, "common.row", common.row)
    check_tuple(name, "common.gradient_zero", common.gradient_zero)
    if not hasattr(common.shape, "_fields"):
        raise BadSystem(
            f"{name}: common.shape is a NamedTuple with a field for each row of a game",
            code="not_a_tuple",
        )
    for role, arguments in LEARNING.items():
        check_arguments(name, f"common.{role}", getattr(common, role), arguments)
    for role, arguments in STEERING.items():
        if common.factor is not None:
            check_arguments(name, f"common.{role}", getattr(common, role), arguments)
    p = rows_of(settings(system, {}))[0]
    started = attempt_call(system, "common.start", common.start, p)
    rows = attempt_call(system, "common.start", partial(np.array, dtype=np.float64), started)
    if rows.shape[1:] != (len(common.row),) or not len(rows) or not np.isfinite(rows).all():
        raise BadSystem(
            f"{name}: common.start returns a list of rows, each a {type(common.row).__name__} of "
            f"finite numbers, not {brief(started)}", code="wrong_return"
        )  # fmt: skip
    for game in games:
        places = attempt_call(system, "common.named", common.named, p, game)
        if common.shape._fields != getattr(places, "_fields", None):
            raise BadSystem(
                f"{name}: common.named returns a tuple with the fields of common.shape",
                code="wrong_return",
            )
        for field, at in places._asdict().items():
            if not -1 <= int(at) < len(rows):
                raise BadSystem(
                    f"{name}: common.named returned {field}={at!r}, and common.start has "
                    f"{len(rows)} rows, 0 to {len(rows) - 1}", code="row_out_of_range"
                )  # fmt: skip
