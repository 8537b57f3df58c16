"""The one place where a function is compiled.

`compile_function(function)` takes a plain Python function and compiles it together with every plain
function that it calls, so no decorator is needed and the same source runs as plain Python. The
numbers are the same to the last bit. Machine code is kept in the user's cache folder under a
fingerprint of the whole function tree: editing a helper or a constant three calls away misses the
cache. A cache that cannot be written is no cache, never an error. Threads may compile at once.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from types import FunctionType
from typing import TYPE_CHECKING, Any

from prowess.compile import Uncompilable, prebuilt
from prowess.compile.cache import MachineCode, load_code, lock_code, save_code
from prowess.compile.tree import NO_SUBSTITUTES, fingerprint

if TYPE_CHECKING:
    from prowess.compile.emitter import Emitted


@cache
def available() -> bool:
    """Whether loops run as machine code: a compiler is installed, or kernels are."""
    if os.environ.get("PROWESS_COMPILE") == "never":
        return False
    return has_compiler() or prebuilt.load_kernels() is not None


@cache
def has_compiler() -> bool:
    """Whether a compiler is installed, for what has no kernel (it is not imported)."""
    return find_spec("llvmlite") is not None


def loaded() -> bool:
    """Whether the compiler is imported, so that linking a loop costs a millisecond."""
    return "llvmlite.binding" in sys.modules


class CompiledFunction:
    """A function that is compiled, or linked from the cache, for the arguments it is called with.

    `hits` and `misses` count how often the cache had what was needed.
    """

    def __init__(self, function: Callable[..., Any], substitutes: Mapping[Any, Any]) -> None:
        self.function, self.substitutes = function, substitutes
        self.hits = self.misses = 0
        self.by_kinds: dict[str, Any] = {}
        self.lock = threading.RLock()

    def __call__(self, *arguments: Any) -> Any:
        """Call it; raises Uncompilable, before anything has run, for what cannot be compiled."""
        from prowess.compile.link import kinds_of

        kinds = kinds_of(arguments)
        return (self.by_kinds.get(kinds) or self.prepare(kinds, arguments))(*arguments)

    def prepare(self, kinds: str, arguments: Sequence[Any]) -> Any:
        """The machine code for arguments of these kinds."""
        from prowess.compile.link import link_kernel, link_object

        if not isinstance(self.function, FunctionType):
            raise Uncompilable(
                f"give a plain function, no {type(self.function).__name__}", code="not_compilable"
            )
        with self.lock:
            if kinds in self.by_kinds:
                return self.by_kinds[kinds]
            made = prebuilt.find_kernel(self.function.__name__, self.digest, kinds)
            linked: Any
            if made is not None:
                linked = link_kernel(made, arguments)
            elif has_compiler():
                linked = link_object(self.code(kinds, arguments), arguments)
            else:
                raise Uncompilable(
                    "pip install 'prowess[fast]': no compiler is installed", code="no_compiler"
                )
            self.by_kinds[kinds] = linked
            return linked

    def code(self, kinds: str, arguments: Sequence[Any]) -> MachineCode:
        """The object code for arguments of these kinds, kept for other processes."""
        from prowess.compile.link import describe_machine

        marks = (self.function.__name__, self.digest, f"{kinds} {describe_machine()}")
        if (code := load_code(*marks)) is None:
            with lock_code(*marks):
                if (code := load_code(*marks)) is None:  # nor has another process made it meanwhile
                    self.misses += 1
                    code = self.make_code(arguments)
                    save_code(*marks, code)
                    return code
        self.hits += 1
        return code

    def make_code(self, arguments: Sequence[Any]) -> MachineCode:
        """Compile the function for arguments of the kinds of these."""
        from prowess.compile.link import make_object, native_machine

        made = self.emit(arguments)
        code = make_object(made.text, native_machine())
        return MachineCode(self.function.__name__, made.returns, made.writes, code)

    def emit(self, arguments: Sequence[Any]) -> Emitted:
        """The LLVM text of the function for arguments of the kinds of these."""
        from prowess.compile.emitter import emit_function
        from prowess.compile.flatten import flatten_function
        from prowess.compile.link import flatten_arguments

        flat = flatten_function(self.function, self.substitutes, arguments)
        return emit_function(flat, list(flatten_arguments(arguments)))

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the function and its substitutes."""
        return fingerprint(self.function, self.substitutes)


def compile_function(
    function: Callable[..., Any], substitutes: Mapping[Any, Any] = NO_SUBSTITUTES
) -> CompiledFunction:
    """`function` and all it calls, compiled when it is called; the same numbers to the last bit.

    `substitutes` maps functions to what is compiled in their place, wherever they are called.
    """
    return CompiledFunction(function, substitutes)


def compile_if_possible(
    function: Callable[..., Any], substitutes: Mapping[Any, Any] = NO_SUBSTITUTES
) -> Callable[..., Any]:
    """`compile_function`, but what cannot be compiled here runs as plain Python, with the same
    numbers: a loop without a kernel where no compiler is installed.
    """
    compiled = compile_function(function, substitutes)

    def call(*arguments: Any) -> Any:
        try:
            return compiled(*arguments)
        except Uncompilable:  # nothing has run
            import numpy as np

            with np.errstate(over="ignore"):  # as in machine code
                return function(*arguments)

    return call
