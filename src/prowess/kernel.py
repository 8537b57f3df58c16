"""The one place where a function is compiled.

`compile_function(function)` takes a plain Python function and compiles it together with every plain
function it reaches through globals and closure cells, so no decorator is needed and
the same source runs as plain Python. Results are kept in the user's cache folder under
a fingerprint of the whole function tree: editing a helper or a constant three calls away
misses the cache, which Numba's own `cache=True` does not notice. A cache that cannot be
written is no cache, never an error.

The folder is `$PROWESS_CACHE`, else `$XDG_CACHE_HOME/prowess`, else `~/.cache/prowess`;
`PROWESS_CACHE=off` keeps nothing. It is emptied, oldest first, above `CACHE_LIMIT` bytes.

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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

CACHE_LIMIT = 256 * 1024 * 1024  # bytes; a compiled loop takes 50 to 150 kB
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


_loading = threading.RLock()  # held while the compiler is imported


class Uncompilable(TypeError):
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


def cache_folder() -> Path | None:
    """Where compiled functions are kept, or None when nothing is kept."""
    chosen = os.environ.get("PROWESS_CACHE", "")
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen)
    with suppress(RuntimeError):  # no home folder
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "prowess"
    return None


def compile_function(
    function: Callable[..., Any], substitutes: Mapping[Any, Any] = MappingProxyType({})
) -> Callable[..., Any]:
    """`function` and all it calls, compiled; the same numbers to the last bit.

    `substitutes` maps functions to what is compiled in their place, wherever they are called.
    """
    load()
    from numba import njit

    tree = _Tree(njit(**OPTIONS, **CALLED_BY_OTHERS), substitutes)
    dispatcher = tree.rebuild(function, njit(**OPTIONS))
    _keep_results(dispatcher, fingerprint(function, substitutes))
    return dispatcher  # type: ignore[no-any-return]


def rebuild(function: Callable[..., Any], substitutes: Mapping[Any, Any]) -> Callable[..., Any]:
    """`function` and all it calls with others in the place of some, as plain Python."""
    plain: Callable[..., Any] = _Tree(None, substitutes).rebuild(function)
    return plain


def fingerprint(
    function: Callable[..., Any], substitutes: Mapping[Any, Any] = MappingProxyType({})
) -> str:
    """A digest that changes with anything the function can reach, and with how it is compiled."""
    digest = hashlib.sha256(repr(OPTIONS).encode())
    seen: set[int] = set()
    parts = [function, *(one for pair in substitutes.items() for one in pair)]
    for part in parts:
        for text in _describe(getattr(part, "_defn", part), seen):  # an intrinsic's own code
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
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in scope:
            yield step.argval, scope[step.argval]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals(constant, scope)


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
                raise Uncompilable(f"{function.__qualname__} calls itself")
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
        yield repr(value.__defaults__)
        for name, reached in _references(value):
            yield name
            yield from _describe(reached, seen)
    elif isinstance(value, type):
        yield f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
        yield repr(getattr(value, "_field_defaults", ""))
    elif isinstance(value, types.ModuleType | types.BuiltinFunctionType):
        yield f"{getattr(value, '__name__', '')}"
    elif isinstance(value, bool | int | float | str | bytes | None):
        yield repr(value)
    elif isinstance(value, tuple):
        yield f"{type(value).__qualname__}{len(value)}"
        for item in value:
            yield from _describe(item, seen)
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
        else:
            yield repr(constant)


# --- keeping results ---------------------------------------------------------------------


def _keep_results(dispatcher: Any, mark: str) -> None:
    folder = cache_folder()
    if folder is None:
        return
    with suppress(OSError, ImportError, AttributeError):  # no folder, or another Numba: no cache
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            dispatcher._cache = _cache_class()(dispatcher.py_func, folder, mark)


@cache
def _cache_class() -> Any:
    from numba import __version__ as numba_version
    from numba.core.caching import Cache, CompileResultCacheImpl, IndexDataCacheFile

    from prowess import __version__

    class Locator:
        """Give Numba the cache folder in place of a source file's."""

        def __init__(self, folder: Path) -> None:
            self.folder = folder

        def ensure_cache_path(self) -> None:
            self.folder.mkdir(parents=True, exist_ok=True)

    class Results(CompileResultCacheImpl):  # type: ignore[misc]
        def __init__(self, folder: Path) -> None:
            self._locator = Locator(folder)

        def check_cachable(self, result: Any) -> bool:
            return not result.library.has_dynamic_globals  # addresses differ in every process

    class FingerprintCache(Cache):  # type: ignore[misc]
        def __init__(self, function: Any, folder: Path, mark: str) -> None:
            self._name = function.__qualname__
            self._py_func = function
            self._impl = Results(folder)
            self._cache_path = str(folder)
            self._cache_file = IndexDataCacheFile(
                cache_path=str(folder),
                filename_base=f"{function.__name__}-{mark}",
                source_stamp=(__version__, numba_version),
            )
            self._mark = mark
            self.enable()

        def _index_key(self, signature: Any, codegen: Any) -> Any:
            return signature, codegen.magic_tuple(), self._mark

        @contextmanager
        def _guard_against_spurious_io_errors(self) -> Iterator[None]:
            with suppress(Exception):  # a spoilt or unwritable cache is no cache
                yield

        def _save_overload(self, signature: Any, data: Any) -> None:
            super()._save_overload(signature, data)
            _shrink(Path(self._cache_path))

    return FingerprintCache


def mark_compiled(loop: str) -> None:
    """Note in the cache folder that a loop has been compiled on this machine."""
    if (folder := cache_folder()) is not None:
        with suppress(OSError):
            (folder / _mark_name(loop)).touch()


def compiled_before(loop: str) -> bool:
    """Whether a loop has been compiled on this machine; this only estimates a time."""
    folder = cache_folder()
    return folder is not None and (folder / _mark_name(loop)).exists()


def _mark_name(loop: str) -> str:
    from prowess import __version__

    return f"mark-{hashlib.sha256(f'{__version__} {loop}'.encode()).hexdigest()[:32]}"


def _shrink(folder: Path) -> None:
    """Drop the files written longest ago until the folder is below its limit."""
    files = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in folder.iterdir())
    excess = sum(size for _, size, _ in files) - CACHE_LIMIT
    for _, size, path in files:
        if excess <= 0:
            break
        path.unlink(missing_ok=True)
        excess -= size
