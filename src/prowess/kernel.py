"""The one place where a function is compiled.

`compile_function(function)` takes a plain Python function and compiles it together with every plain
function it reaches through globals and closure cells, so no decorator is needed and
the same source runs as plain Python. Results are kept in the user's cache folder under
a fingerprint of the whole function tree: editing a helper or a constant three calls away
misses the cache, which Numba's own `cache=True` does not notice. What is in the cache runs without
the compiler (`machine_code`). A cache that cannot be written is no cache, never an error.

Threads may compile at once. Whatever imports the compiler calls `load` first: its modules import
one another in circles, so two threads that import it at once find it half made.
"""

from __future__ import annotations

import dis
import hashlib
import os
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from functools import cache, cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from prowess.code_cache import ahead, announce, cache_folder
from prowess.refusals import ProwessError

OPTIONS = {
    "error_model": "numpy",
    "fastmath": False,
    "forceinline": True,  # a call costs more than most formulas; Glicko-2 gains a third
    "nogil": True,  # lets imports overlap
}
CALLED_BY_OTHERS = {  # only by compiled functions: a third less to compile
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
LOAD_GLOBAL, LOAD_NAME, EXTENDED_ARG = map(
    dis.opmap.__getitem__, ("LOAD_GLOBAL", "LOAD_NAME", "EXTENDED_ARG")
)

_loading = threading.RLock()  # held while the compiler is imported


class Uncompilable(ProwessError, TypeError):
    """A function that uses more of Python than can be compiled."""


@cache
def available() -> bool:
    """Whether a compiler is installed (it is not imported)."""
    return find_spec("numba") is not None and os.environ.get("PROWESS_COMPILE") != "never"


def load() -> None:
    """Import the compiler with all that it imports later; threads wait for the first of them."""
    with _loading:
        _load()


@cache
def _load() -> None:
    with _without_linear_algebra():
        from numba.core import registry

        # the rest is imported here, else at a compilation
        registry.cpu_target.target_context.refresh()


@contextmanager
def _without_linear_algebra() -> Iterator[None]:
    """Hide SciPy's linear algebra from the compiler: loading it would take a third longer.

    No loop uses it. Other threads would miss it, so it is hidden only where there are none.
    """
    hidden = threading.active_count() == 1 and "scipy.linalg" not in sys.modules
    if hidden:
        sys.modules["scipy.linalg"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if hidden:
            del sys.modules["scipy.linalg"]


def loaded() -> bool:
    """Whether the compiler is imported, so that using it costs no more than compiling."""
    return _load.cache_info().currsize > 0


def is_worth_compiling(work: float, least: float) -> bool:
    """Whether work takes less time compiled: from `least` on, and always under `compile_ahead`."""
    return available() and (work >= least or ahead.get())


class Intrinsic:
    """What the compiler is given in place of a function, made when it is needed.

    `make(*arguments)` imports the compiler and returns what Numba calls an intrinsic.
    """

    def __init__(self, make: Callable[..., Any], *arguments: Any) -> None:
        self.make, self.arguments = make, arguments

    @cached_property
    def numba_intrinsic(self) -> Any:
        """The intrinsic as Numba has it."""
        load()
        return self.make(*self.arguments)


class CompiledFunction:
    """A function that is compiled, or linked from the cache, for the arguments it is called with.

    `hits` and `misses` count how often the cache had what was needed.
    """

    def __init__(self, function: Callable[..., Any], substitutes: Mapping[Any, Any]) -> None:
        self.function, self.substitutes = function, substitutes
        self.hits = self.misses = 0
        self.announced = ""  # said where it must be compiled, which takes seconds
        self.by_kinds: dict[str | None, Callable[..., Any]] = {}
        self.lock = threading.RLock()

    def __call__(self, *arguments: Any) -> Any:
        """Call it; the numbers are those of the plain function to the last bit."""
        from prowess.machine_code import kinds_of

        kinds = kinds_of(arguments)
        return (self.by_kinds.get(kinds) or self.prepare(kinds, arguments))(*arguments)

    def prepare(self, kinds: str | None, arguments: Sequence[Any]) -> Callable[..., Any]:
        """The function for arguments of these kinds."""
        from prowess import machine_code

        with self.lock:
            if kinds in self.by_kinds:
                return self.by_kinds[kinds]
            folder = cache_folder()
            found: Any = None
            if folder is not None and kinds is not None:
                file = machine_code.file_of(folder, self.function.__name__, self.digest, kinds)
                found = machine_code.load(file, arguments)
            if found is not None:
                self.hits += 1
            else:
                self.misses += 1
                announce(self.announced)
                found = self.dispatcher
                if folder is not None and kinds is not None:
                    self.keep(file, arguments)
            self.by_kinds[kinds] = found
            return self.by_kinds[kinds]

    def keep(self, file: Path, arguments: Sequence[Any]) -> None:
        """Compile the function for these arguments and save it; without a folder nothing is."""
        from numba import typeof

        from prowess import machine_code

        types_of = tuple(map(typeof, arguments))
        self.dispatcher.compile(types_of)
        with suppress(OSError, ImportError, AttributeError):  # no folder, or another Numba
            machine_code.save(file, self.dispatcher.overloads[types_of], arguments)

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the function and its substitutes."""
        return fingerprint(self.function, self.substitutes)

    @cached_property
    def dispatcher(self) -> Any:
        """The function as Numba has it, compiled when it is called."""
        load()
        from numba import njit

        tree = _Tree(njit(**OPTIONS, **CALLED_BY_OTHERS), self.substitutes)
        return tree.rebuild(self.function, njit(**OPTIONS))


def compile_function(
    function: Callable[..., Any], substitutes: Mapping[Any, Any] = MappingProxyType({})
) -> CompiledFunction:
    """`function` and all it calls, compiled when it is called; the same numbers to the last bit.

    `substitutes` maps functions to what is compiled in their place, wherever they are called.
    """
    return CompiledFunction(function, substitutes)


def is_compile_error(error: Exception) -> bool:
    """Whether a call failed because something in it cannot be compiled: not all that the compiler
    raises is an error of its own. A tuple made without all of its fields ends in a TypeError.
    """
    trace = error.__traceback__
    while trace is not None:
        if {"numba", "llvmlite"} & set(Path(trace.tb_frame.f_code.co_filename).parts):
            return not isinstance(error, MemoryError)
        trace = trace.tb_next
    return isinstance(error, Uncompilable)


def rebuild(function: Callable[..., Any], substitutes: Mapping[Any, Any]) -> Callable[..., Any]:
    """`function` and all it calls with others in the place of some, as plain Python."""
    plain: Callable[..., Any] = _Tree(None, substitutes).rebuild(function)
    return plain


def fingerprint(value: Any, substitutes: Mapping[Any, Any] = MappingProxyType({})) -> str:
    """A digest that changes with anything a function, or a value with functions in it, can reach,
    and with how it is compiled; the same in every process.
    """
    digest = hashlib.sha256(repr(OPTIONS).encode())
    seen: set[int] = set()
    parts = [value, *(one for pair in substitutes.items() for one in pair)]
    for part in parts:
        for text in _describe(part, seen):
            digest.update(text.encode())
            digest.update(b"\0")
    return digest.hexdigest()[:32]


def loops(function: Callable[..., Any]) -> bool:
    """Whether a function, or one it reaches, goes round in a loop."""
    return any(
        step.opname == "FOR_ITER" or "BACKWARD" in step.opname
        for one in _functions(function, {})
        for step in dis.get_instructions(one.__code__)
    )


# --- the function tree -------------------------------------------------------------------


def _references(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Every (name, value) that the code of a function refers to outside itself."""
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        yield name, cell.cell_contents
    for name, value in _globals(function.__code__, function.__globals__):
        yield name, value
        if isinstance(value, types.ModuleType):  # `constants.K` is frozen into the code as well
            yield from _attributes(value, function.__code__)


def _functions(function: Any, seen: dict[int, Any]) -> Iterator[types.FunctionType]:
    """A function and all plain ones it reaches."""
    if isinstance(function, types.FunctionType) and id(function) not in seen:
        seen[id(function)] = function
        yield function
        for _, value in _references(function):
            yield from _functions(value, seen)


def _globals(code: types.CodeType, scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in global_names(code):
        if name in scope:
            yield name, scope[name]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals(constant, scope)


def global_names(code: types.CodeType) -> Iterator[str]:
    """The names of the globals that code loads; `dis` would take ten times as long."""
    extension = 0
    for step, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = extension << 8 | low
        extension = argument if step == EXTENDED_ARG else 0
        if step == LOAD_GLOBAL:
            yield code.co_names[argument >> 1]  # the lowest bit is about the stack
        elif step == LOAD_NAME:
            yield code.co_names[argument]


def _attributes(module: types.ModuleType, code: types.CodeType) -> Iterator[tuple[str, Any]]:
    """Whatever of a module, and of modules in it, the code may refer to."""
    names, modules = sorted(_names(code)), [module]
    for place in modules:
        for name in names:
            value = getattr(place, name, None)
            if not isinstance(value, types.ModuleType):
                yield f"{place.__name__}.{name}", value
            elif value not in modules:
                modules.append(value)


def _names(code: types.CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


class _Tree:
    """Builds each function of a tree once, for a compiler callees first."""

    def __init__(self, compiler: Any, substitutes: Mapping[Any, Any]) -> None:
        self.compiler = compiler  # None: plain Python
        self.substitutes = {id(one): other for one, other in substitutes.items()}
        self.done: dict[int, Any] = {}

    def rebuild(self, function: Any, compiler: Any = None) -> Any:
        if id(function) in self.done:
            if self.done[id(function)] is None:
                raise Uncompilable(
                    f"{function.__qualname__} calls itself", code="recursive_function"
                )
            return self.done[id(function)]
        code, scope = function.__code__, dict(function.__globals__)
        cells = [types.CellType() for _ in function.__closure__ or ()]
        copy = types.FunctionType(
            code, scope, function.__name__, function.__defaults__, tuple(cells)
        )
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__module__ = function.__module__
        copy.__qualname__ = function.__qualname__
        self.done[id(function)] = copy if self.compiler is None else None  # on the way
        for name, value in _globals(code, function.__globals__):
            scope[name] = self.replace_value(value, code)
        for cell, given in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self.replace_value(given.cell_contents, code)
        if self.compiler is not None:
            self.done[id(function)] = (compiler or self.compiler)(copy)
        return self.done[id(function)]

    def replace_value(self, value: Any, code: types.CodeType) -> Any:
        value = self.substitutes.get(id(value), value)
        if isinstance(value, Intrinsic):
            return value.numba_intrinsic
        if isinstance(value, types.FunctionType):
            return self.rebuild(value)
        if isinstance(value, types.ModuleType) and self.substitutes:
            return self.with_substitutes(value, code)
        return value

    def with_substitutes(self, module: types.ModuleType, code: types.CodeType) -> Any:
        """A module as this code is to see it: `math.exp` may be another function."""
        found = {
            name: getattr(module, name)
            for name in _names(code)
            if id(getattr(module, name, None)) in self.substitutes
        }
        if not found:
            return module
        copy = types.ModuleType(module.__name__)
        vars(copy).update(vars(module))
        vars(copy).update((name, self.replace_value(one, code)) for name, one in found.items())
        return copy


def _describe(value: Any, seen: set[int]) -> Iterator[str]:
    """Yield a text for every part of a value that can change what compiled code does."""
    if isinstance(value, types.FunctionType):
        if id(value) in seen:
            return
        seen.add(id(value))
        yield value.__qualname__
        yield from _described_code(value.__code__)
        yield from _describe((value.__defaults__, value.__kwdefaults__), seen)
        for name, reached in _references(value):
            yield name
            yield from _describe(reached, seen)
    elif isinstance(value, Intrinsic):
        yield from _describe((value.make, *value.arguments), seen)
    elif isinstance(value, type):
        yield f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
        yield repr(getattr(value, "_field_defaults", ""))
    elif isinstance(value, types.ModuleType | types.BuiltinFunctionType):
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


def _described_code(code: types.CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _described_code(constant)
        elif isinstance(constant, frozenset):  # in another order in each process
            yield repr(sorted(constant, key=repr))
        else:
            yield repr(constant)
