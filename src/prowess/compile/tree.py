"""The functions that a function reaches: what it refers to, a copy with others in their place, and
a fingerprint of all.
"""

from __future__ import annotations

import dis
import hashlib
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MappingProxyType,
    ModuleType,
)
from typing import Any

import numpy as np

from prowess.compile import Uncompilable
from prowess.compile.numbers import Intrinsic
from prowess.compile.source import source_lines

LOAD_GLOBAL, LOAD_NAME, EXTENDED_ARG = map(
    dis.opmap.__getitem__, ("LOAD_GLOBAL", "LOAD_NAME", "EXTENDED_ARG")
)
# the instructions that only a loop has
LOOP_STEPS = {step for name, step in dis.opmap.items() if name == "FOR_ITER" or "BACK" in name}
OPAQUE = (  # types described by their values, or by their text, but not by attributes
    FunctionType, BuiltinFunctionType, Intrinsic, partial, int, float, str, bytes, type(None),
    tuple, list, dict, MappingProxyType, set, frozenset, np.ndarray, np.generic,
)  # fmt: skip
IN_ALL = frozenset(vars(namedtuple("Bare", ())))
NO_SUBSTITUTES: Mapping[Any, Any] = MappingProxyType({})


def has_loop(function: Callable[..., Any]) -> bool:
    """Whether a function, or one it reaches, has a loop."""
    reached: list[Any] = [function]
    for one in reached:
        if not LOOP_STEPS.isdisjoint(one.__code__.co_code[::2]):
            return True
        named = [value for _, value in _references(one) if isinstance(value, FunctionType)]
        reached += [value for value in named if not any(value is known for known in reached)]
    return False


def rebuild(function: Callable[..., Any], substitutes: Mapping[Any, Any]) -> Callable[..., Any]:
    """`function` and all it calls with others in the place of some, as plain Python."""
    return _copy(function, {id(one): other for one, other in substitutes.items()}, {})


def fingerprint(value: Any, substitutes: Mapping[Any, Any] = NO_SUBSTITUTES) -> str:
    """A digest that changes with anything a function, or a value with functions in it, can reach,
    and with the compiler; the same in every process and under every release of Python.
    """
    digest = hashlib.sha256(digest_of_compiler().encode())
    seen: set[int] = set()
    for part in (value, *(one for pair in substitutes.items() for one in pair)):
        for text in _describe(part, seen):
            digest.update(text.encode())
            digest.update(b"\0")
    return digest.hexdigest()[:32]


@cache
def digest_of_compiler() -> str:
    """A digest of the source of this package."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _references(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Every (name, value) that the code of a function refers to outside itself, by name."""
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        yield name, cell.cell_contents
    scope = function.__globals__
    for name in sorted({*global_names(function.__code__)} & scope.keys()):
        value = scope[name]
        yield name, value
        if not isinstance(value, OPAQUE):  # `constants.K` is frozen into the code as well
            yield from _attributes(value, function.__code__)


def global_names(code: CodeType) -> Iterator[str]:
    """The names of the globals that code and code in it load; `dis` takes ten times as long."""
    extension = 0
    for step, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = extension << 8 | low
        extension = argument if step == EXTENDED_ARG else 0
        if step == LOAD_GLOBAL:
            yield code.co_names[argument >> 1]  # the lowest bit is about the stack
        elif step == LOAD_NAME:
            yield code.co_names[argument]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from global_names(constant)


def _attributes(owner: Any, code: CodeType) -> Iterator[tuple[str, Any]]:
    """Whatever of a module, class or other object, and of those in it, the code may refer to."""
    names, owners = sorted(_names(code)), [owner]
    for place in owners:
        for name in names:
            value = getattr(place, name, None)
            if not isinstance(value, ModuleType):
                yield f"{getattr(place, '__name__', '')}.{name}", value
            if not isinstance(value, OPAQUE) and not any(value is one for one in owners):
                owners.append(value)


def _names(code: CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _methods(kind: type) -> Iterator[FunctionType]:
    """The functions of a NamedTuple, besides those that all have."""
    for one in kind.__mro__:
        for name, value in vars(one).items():
            if isinstance(value, FunctionType) and name not in IN_ALL:
                yield value


def _copy(function: Any, others: Mapping[int, Any], done: dict[int, FunctionType]) -> FunctionType:
    """A copy of a function in which values, by their ids, are others; each is copied once."""
    if id(function) in done:
        return done[id(function)]
    code, scope = function.__code__, dict(function.__globals__)
    cells = tuple(CellType() for _ in function.__closure__ or ())
    copy = FunctionType(code, scope, function.__name__, function.__defaults__, cells)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    done[id(function)] = copy
    for name in scope.keys() & {*global_names(code)}:
        scope[name] = _replace(scope[name], code, others, done)
    for cell, given in zip(cells, function.__closure__ or (), strict=True):
        cell.cell_contents = _replace(given.cell_contents, code, others, done)
    return copy


def _replace(
    value: Any, code: CodeType, others: Mapping[int, Any], done: dict[int, FunctionType]
) -> Any:
    """What stands in the place of a value that code refers to."""
    value = others.get(id(value), value)
    if isinstance(value, FunctionType):
        return _copy(value, others, done)
    if not isinstance(value, ModuleType):
        return value
    found = {  # `math.exp` may be another function to this code
        name: getattr(value, name)
        for name in _names(code)
        if id(getattr(value, name, None)) in others
    }
    if not found:
        return value
    copy = ModuleType(value.__name__)
    vars(copy).update(vars(value))
    vars(copy).update((name, _replace(one, code, others, done)) for name, one in found.items())
    return copy


def _describe(value: Any, seen: set[int]) -> Iterator[str]:
    """Yield a text for every part of a value that can change what compiled code does."""
    if isinstance(value, FunctionType):
        if id(value) in seen:
            return
        seen.add(id(value))
        yield value.__qualname__
        yield from source_lines(value.__code__)
        yield from _describe((value.__defaults__, value.__kwdefaults__), seen)
        for name, reached in _references(value):
            yield name
            yield from _describe(reached, seen)
    elif isinstance(value, Intrinsic):
        yield from _describe((value.emit, *value.constants), seen)
    elif isinstance(value, type):
        yield f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
        yield repr(getattr(value, "_field_defaults", ""))
        if hasattr(value, "_fields"):
            for method in _methods(value):
                with suppress(Uncompilable):  # of no known text: it is not compiled either
                    yield from _describe(method, seen)
    elif isinstance(value, ModuleType | BuiltinFunctionType):
        yield f"{getattr(value, '__name__', '')}"
    elif isinstance(value, bool | int | float | str | bytes | None):
        yield repr(value)
    elif isinstance(value, partial):
        yield from _describe((partial.__name__, value.func, value.args, value.keywords), seen)
    elif is_dataclass(value):
        known = {one.name: getattr(value, one.name) for one in fields(value)}
        yield from _describe((type(value).__qualname__, known), seen)
    elif isinstance(value, list | dict) and id(value) in seen:  # it may hold itself
        return
    elif isinstance(value, tuple | list | dict | MappingProxyType):
        seen.update([id(value)] if isinstance(value, list | dict) else ())
        yield f"{type(value).__qualname__}{len(value)}"
        for item in value.items() if hasattr(value, "items") else value:
            yield from _describe(item, seen)
    elif isinstance(value, set | frozenset):  # in another order in each process
        yield f"{type(value).__qualname__}{sorted(map(repr, value))}"
    elif hasattr(value, "tobytes") and hasattr(value, "dtype"):  # NumPy's numbers and arrays
        yield f"{value.dtype}{value.shape}{value.tobytes().hex()}"
    else:
        yield type(value).__qualname__ + str(getattr(value, "__name__", ""))
