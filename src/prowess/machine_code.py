"""Compiled functions on disk: saved by the process that compiles, called without the compiler.

A file holds the object code of one function for arguments of some kinds, under the fingerprint of
the function, the kinds and the processor. LLVM links it in some milliseconds; importing Numba,
which made it, takes half a second. The code is called as Numba calls it: an array is passed as two
empty pointers, its number of items, their size, their place, its shape and its strides, a tuple
as its items (`numba/core/callconv.py` and `numba/core/datamodel/packer.py`).

What is not known here, such as other kinds of arguments or symbols of Numba's own, is not saved.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import pickle
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CACHE_LIMIT = 256 * 1024 * 1024  # bytes; a compiled loop takes 50 to 100 kB
SUFFIX = ".code"
OLDER = (".nbi", ".nbc")  # of files that earlier versions kept
NOTHING = -2  # the status of a function that returns None; 0: a number; others: an exception
RETURNS = {
    "none": ctypes.c_void_p, "float64": ctypes.c_double, "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64, "bool": ctypes.c_uint8,
}  # fmt: skip
ARRAY = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
NUMBERS = {
    "b": ctypes.c_int8, "B": ctypes.c_uint8, "h": ctypes.c_int16, "H": ctypes.c_uint16,
    "i": ctypes.c_int32, "I": ctypes.c_uint32, "l": ctypes.c_int64, "L": ctypes.c_uint64,
    "q": ctypes.c_int64, "Q": ctypes.c_uint64, "f": ctypes.c_float, "d": ctypes.c_double,
    bool: ctypes.c_bool, int: ctypes.c_int64, float: ctypes.c_double,
}  # fmt: skip
IN_LLVM = {
    ctypes.c_int8: "i8", ctypes.c_uint8: "i8", ctypes.c_int16: "i16", ctypes.c_uint16: "i16",
    ctypes.c_int32: "i32", ctypes.c_uint32: "i32", ctypes.c_int64: "i64", ctypes.c_uint64: "i64",
    ctypes.c_float: "float", ctypes.c_double: "double", ctypes.c_void_p: "*",
    ctypes.c_bool: "i1 i8",
}  # fmt: skip
OF_ENTRIES = {  # symbols that only Numba's own entries to the code use, which are never called
    "NRT_Free", "NRT_MemInfo_call_dtor", "NRT_adapt_ndarray_from_python", "numba_gil_ensure",
    "NRT_adapt_ndarray_to_python_acqref", "numba_unpickle", "numba_gil_release",
    "numba_do_raise", "numba_runtime_build_excinfo_struct",
}  # fmt: skip
OF_PROCESSES = (  # how symbols begin that every Python process has
    "Py", "_Py", "llvm.", "mem", "exp", "log", "pow", "sqrt", "erf", "fmod", "floor", "ceil",
)  # fmt: skip

_linking = RLock()
_engines: list[Any] = []  # own the linked code


class NativeFunction(NamedTuple):
    """Linked machine code, for arguments of certain kinds."""

    function: Any
    returns: str

    def __call__(self, *arguments: Any) -> Any:
        """Call it; raises what the function raises."""
        result: Any = RETURNS[self.returns]()
        failure = ctypes.POINTER(Failure)()
        flat = flatten_values(arguments)
        status = self.function(ctypes.byref(result), ctypes.byref(failure), *flat)
        if status not in (0, NOTHING):
            raise make_exception(failure)
        if self.returns == "none":
            return None
        return bool(result.value) if self.returns == "bool" else result.value


class Failure(ctypes.Structure):
    """What the code tells of an exception: its class and arguments, pickled."""

    _fields_ = (
        ("pickled", ctypes.c_void_p), ("size", ctypes.c_int32), ("digest", ctypes.c_void_p),
        ("values", ctypes.c_void_p), ("allocated", ctypes.c_int32),
    )  # fmt: skip


def make_exception(failure: Any) -> BaseException:
    """The exception that a function has raised."""
    with suppress(Exception):
        cause = failure.contents
        kind, arguments, _ = pickle.loads(ctypes.string_at(cause.pickled, cause.size))
        return kind(*arguments)  # type: ignore[no-any-return]
    return RuntimeError("a compiled function failed; PROWESS_COMPILE=never says where")


# --- arguments ---------------------------------------------------------------------------


def kinds_of(arguments: Sequence[Any]) -> str | None:
    """The kinds of arguments as a text; None if one of them is not known here."""
    kinds = [_kind_of(value) for value in arguments]
    return None if None in kinds else " ".join(map(str, kinds))


def _kind_of(value: Any) -> str | None:
    if isinstance(value, np.ndarray):
        flags, dtype = value.flags, value.dtype
        if not (flags.aligned and value.ndim and dtype.isnative and dtype.char in f"?{_CHARS}"):
            return None
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return f"{dtype.char}{value.ndim}{layout}{'' if flags.writeable else 'r'}"
    if isinstance(value, np.generic):
        return value.dtype.char if value.dtype.char in _CHARS else None
    if isinstance(value, tuple):
        inside, kind = kinds_of(value), type(value)
        name = f"{kind.__module__}.{kind.__qualname__}{getattr(kind, '_fields', '')}"
        return None if inside is None else f"{name}({inside})"
    if type(value) is int and not -(2**63) <= value < 2**63:
        return None
    return type(value).__name__ if type(value) in NUMBERS else None


_CHARS = "".join(key for key in NUMBERS if isinstance(key, str))


def flatten_values(arguments: Sequence[Any]) -> Iterator[Any]:
    """The arguments as the numbers and places that the code takes."""
    for value in arguments:
        if isinstance(value, np.ndarray):
            place = value.__array_interface__["data"][0]
            yield from (None, None, value.size, value.itemsize, place, *value.shape, *value.strides)
        elif isinstance(value, tuple):
            yield from flatten_values(value)
        else:
            yield value.item() if isinstance(value, np.generic) else value


def flatten_types(arguments: Sequence[Any]) -> Iterator[Any]:
    """The C types of `flatten_values`."""
    for value in arguments:
        if isinstance(value, np.ndarray):
            yield from (*ARRAY, *(ctypes.c_int64,) * (2 * value.ndim))
        elif isinstance(value, tuple):
            yield from flatten_types(value)
        else:
            yield NUMBERS[value.dtype.char if isinstance(value, np.generic) else type(value)]


# --- files -------------------------------------------------------------------------------


def file_of(folder: Path, name: str, mark: str, kinds: str) -> Path:
    """The file of a function with a fingerprint, for arguments of these kinds, on this machine."""
    digest = hashlib.sha256(f"{kinds} {describe_machine()}".encode()).hexdigest()[:16]
    return folder / f"{name}-{mark}-{digest}{SUFFIX}"


@cache
def describe_machine() -> str:
    """The processor, what makes code for it, and how that is set."""
    import llvmlite.binding as llvm

    processor = (llvm.get_process_triple(), llvm.get_host_cpu_name())
    features = llvm.get_host_cpu_features().flatten()
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    return repr((processor, features, _describe_compiler(), llvm.llvm_version_info, settings))


def _describe_compiler() -> str:
    """The release of Numba, which is not imported."""
    spec = find_spec("numba")
    if spec is not None and spec.origin is not None:
        with suppress(OSError):  # its file: the metadata of packages take 14 ms to import
            return Path(spec.origin).with_name("_version.py").read_text(encoding="utf-8")
    from importlib.metadata import version

    return version("numba")


def load(file: Path, arguments: Sequence[Any]) -> NativeFunction | None:
    """The function of a file; None without one, or with a spoilt one."""
    try:
        digest, _, content = file.read_bytes().partition(b"\n")
        if hashlib.sha256(content).hexdigest().encode() != digest:
            return None
        head, _, code = content.partition(b"\n")
        header = json.loads(head)
        address = _link(code, header["symbol"], header["unresolved"])
        returns = header["returns"]
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, AttributeError):
        return None
    pointers = (ctypes.c_void_p, ctypes.c_void_p)  # to the result and to what was raised
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *pointers, *flatten_types(arguments))
    return NativeFunction(prototype(address), returns)


def _link(code: bytes, symbol: str, unresolved: Sequence[str]) -> int:
    """Link object code into this process; returns the address of a function."""
    import llvmlite.binding as llvm

    with _linking:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        for name in unresolved:  # Numba, if it is loaded later, says what they are
            if name in OF_ENTRIES and llvm.address_of_symbol(name) is None:
                anything = ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p)
                llvm.add_symbol(name, anything.value)
        target = llvm.Target.from_triple(llvm.get_process_triple())
        machine = target.create_target_machine(codemodel="jitdefault", jit=True)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _engines.append(engine)
        return int(engine.get_function_address(symbol))


def save(file: Path, result: Any, arguments: Sequence[Any]) -> None:
    """Save what Numba compiled for these arguments, if it can be called from here."""
    unresolved = _find_foreign_symbols(result.library)
    returns = str(result.signature.return_type)
    if unresolved is None or returns not in RETURNS or not _takes(result, arguments):
        return
    code = result.library._get_compiled_object()
    header = {"symbol": result.fndesc.llvm_func_name, "returns": returns, "unresolved": unresolved}
    content = json.dumps(header).encode() + b"\n" + code
    file.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(file.parent, os.W_OK):
        return
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile(dir=file.parent, delete=False) as whole:  # never half a file
        whole.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
    Path(whole.name).replace(file)
    _shrink(file.parent)


def _takes(result: Any, arguments: Sequence[Any]) -> bool:
    """Whether the compiled function takes its arguments as they are passed from here."""
    packer = result.target_context.get_arg_packer(result.fndesc.argtypes)
    taken = ["*" if str(one).endswith("*") else str(one) for one in packer.argument_types]
    given = list(flatten_types(arguments))
    return len(taken) == len(given) and all(
        kind in IN_LLVM[each].split() for kind, each in zip(taken, given, strict=True)
    )


def _find_foreign_symbols(library: Any) -> list[str] | None:
    """The symbols that only Numba's entries need; None if the code itself needs such."""
    if library.has_dynamic_globals:  # addresses, which differ in every process
        return None
    module = library._final_module
    parts = (*module.functions, *module.global_variables)
    names = [one.name for one in parts if one.is_declaration]
    foreign = [name for name in names if not name.startswith(OF_PROCESSES)]
    return foreign if OF_ENTRIES.issuperset(foreign) else None


def _shrink(folder: Path) -> None:
    """Drop the files written longest ago until the folder is below its limit."""
    ours = [path for path in folder.iterdir() if path.suffix in (SUFFIX, *OLDER)]
    files = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in ours)
    excess = sum(size for _, size, _ in files) - CACHE_LIMIT
    for _, size, path in files:
        if excess <= 0:
            break
        path.unlink(missing_ok=True)
        excess -= size
