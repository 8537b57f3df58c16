"""Machine code of LLVM text, and its call: places, sizes and strides as plain numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from prowess.compile import Uncompilable
from prowess.compile.cache import MachineCode
from prowess.compile.numbers import kind_of_char
from prowess.compile.prebuilt import Kernel
from prowess.compile.tree import fingerprint

C_NUMBER_TYPES: dict[Any, Any] = {
    "b": ctypes.c_int8, "B": ctypes.c_uint8, "h": ctypes.c_int16, "H": ctypes.c_uint16,
    "i": ctypes.c_int32, "I": ctypes.c_uint32, "l": ctypes.c_long, "L": ctypes.c_ulong,
    "q": ctypes.c_int64, "Q": ctypes.c_uint64, "f": ctypes.c_float, "d": ctypes.c_double,
    "?": ctypes.c_uint8, bool: ctypes.c_uint8, int: ctypes.c_int64, float: ctypes.c_double,
}  # fmt: skip
C_RESULT_TYPES = {"": None, "d": ctypes.c_double, "q": ctypes.c_int64, "Q": ctypes.c_uint64,
           "?": ctypes.c_uint8}  # fmt: skip

UNROLLED = 4_000  # lines; unrolling longer loops takes seconds, and they are no faster

_linking = RLock()
_engines: list[Any] = []  # own the linked code


class NativeFunction(NamedTuple):
    """Linked machine code for arguments of certain kinds."""

    function: Any
    returns: str
    writes: list[int]  # the places of the arguments whose items it sets

    def __call__(self, *arguments: Any) -> Any:
        """Call it; raises Uncompilable where it would write to an array that is read only."""
        given = flatten_arguments(arguments)
        if not all(given[place].flags.writeable for place in self.writes):
            raise Uncompilable(
                "give arrays that may be written: one is read only", code="argument_kind"
            )
        result = self.function(*flatten_values(given))
        return bool(result) if self.returns == "?" else result


def kinds_of(arguments: Sequence[Any]) -> str:
    """The kinds of arguments as a text; raises Uncompilable for one that code does not take."""
    return " ".join(map(kind_of, arguments))


def kind_of(value: Any) -> str:
    """The kind of an argument: of a number, an array or a tuple of such."""
    if type(value) in (np.ndarray, np.memmap):  # the items of others may mean something else
        flags, char = value.flags, value.dtype.char
        if flags.aligned and value.ndim and value.dtype.isnative and char in C_NUMBER_TYPES:
            return f"{kind_of_char(char)}{value.ndim}{'C' if flags.c_contiguous else 'A'}"
    elif isinstance(value, np.generic):
        if value.dtype.char in C_NUMBER_TYPES:
            return kind_of_char(value.dtype.char)
    elif isinstance(value, tuple):
        kind = type(value)
        return f"{describe_kind(kind)}({kinds_of(value)})"
    elif type(value) in C_NUMBER_TYPES and (type(value) is not int or -(2**63) <= value < 2**63):
        return type(value).__name__
    raise Uncompilable(
        f"give numbers, arrays and tuples: compiled code takes no {type(value).__name__}",
        code="argument_kind",
    )  # fmt: skip


@cache
def describe_kind(kind: type) -> str:
    """A class of tuples as a text; with its methods, which are compiled where they are called."""
    mark = fingerprint(kind) if hasattr(kind, "_fields") else ""
    return f"{kind.__module__}.{kind.__qualname__}{mark}"


def flatten_arguments(arguments: Sequence[Any]) -> list[Any]:
    """The numbers and arrays of arguments, tuples by their items."""
    found: list[Any] = []
    for value in arguments:
        found += flatten_arguments(value) if isinstance(value, tuple) else (value,)
    return found


def flatten_values(given: Sequence[Any]) -> list[Any]:
    """What the code takes for `flatten_arguments`: of an array its place, shape and strides."""
    found: list[Any] = []
    for value in given:
        if isinstance(value, np.ndarray):
            found += (value.ctypes.data, *value.shape, *value.strides)
        else:
            found.append(value.item() if isinstance(value, np.generic) else value)
    return found


def flatten_types(arguments: Sequence[Any]) -> Iterator[Any]:
    """The C types of `flatten_values`."""
    for value in arguments:
        if isinstance(value, np.ndarray):
            yield from (ctypes.c_void_p, *(ctypes.c_int64,) * (2 * value.ndim))
        elif isinstance(value, tuple):
            yield from flatten_types(value)
        else:
            yield C_NUMBER_TYPES[value.dtype.char if isinstance(value, np.generic) else type(value)]


@cache
def native_machine() -> Any:
    """The processor of this machine, as LLVM makes code for it."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=3, reloc="static",
        codemodel="jitdefault", jit=True,
    )  # fmt: skip


@cache
def describe_machine() -> str:
    """The processor, and what makes code for it."""
    import llvmlite.binding as llvm

    processor = (llvm.get_process_triple(), llvm.get_host_cpu_name())
    features = llvm.get_host_cpu_features().flatten()
    return repr((processor, features, llvm.llvm_version_info))


def make_object(text: str, machine: Any, *, unrolled: int = UNROLLED, speed: int = 3) -> bytes:
    """Object code of LLVM text for a processor; below `unrolled` lines loops are unrolled.

    `speed` is 0 to 3: at 0 it is made in a fraction of the time, and gives the same numbers.
    """
    import llvmlite.binding as llvm

    with _linking:
        module = llvm.parse_assembly(text)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        module.verify()
        options = llvm.create_pipeline_tuning_options(speed_level=speed)
        options.loop_vectorization, options.slp_vectorization = True, False
        options.loop_unrolling = text.count("\n") < unrolled
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        code: bytes = machine.emit_object(module)
        return code


def link_object(made: MachineCode, arguments: Sequence[Any]) -> NativeFunction:
    """Link object code into this process; the call of its function for such arguments."""
    import llvmlite.binding as llvm

    with _linking:
        native_machine()
        target = llvm.Target.from_triple(llvm.get_process_triple())
        machine = target.create_target_machine(codemodel="jitdefault", jit=True)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(made.code))
        engine.finalize_object()
        _engines.append(engine)
        address = int(engine.get_function_address(made.symbol))
    return call_at(address, made, arguments)


def link_kernel(made: Kernel, arguments: Sequence[Any]) -> NativeFunction:
    """The call of a function made ahead of time, for such arguments."""
    return call_at((made.symbol, made.library), made, arguments)


def call_at(place: Any, made: MachineCode | Kernel, arguments: Sequence[Any]) -> NativeFunction:
    """The call of the code at an address, or under a name in a library."""
    prototype = ctypes.CFUNCTYPE(C_RESULT_TYPES[made.returns], *flatten_types(arguments))
    return NativeFunction(prototype(place), made.returns, made.writes)
