"""Which machines compute the same numbers, and linear algebra that does not depend on their cores.

Floating-point sums depend on their order. OpenBLAS chooses it by the processor and by the number of
threads, and `exp` comes from the C library, so processes that share a computation are compared. A
worker runs a group of items where it is a machine with the same numbers.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from math import exp, log1p
from pathlib import Path
from traceback import format_exc
from typing import Any, NamedTuple

from prowess.games.errors import WordedError
from prowess.version import __version__

Machine = tuple[tuple[str, str], ...]  # the name and the version of all that makes numbers


class BadCluster(WordedError, ValueError):
    """A cluster that is not there, computes other numbers, or lost its workers."""


class OneThread:
    """Lets linear algebra use one thread while anybody is inside: its sums depend on the number."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.limit: Any = None

    def __enter__(self) -> None:
        with self.lock:
            self.inside += 1
            if self.inside == 1:
                _let_any_thread_limit()
                self.limit = _linear_algebra().limit(limits=1)

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                _let_any_thread_limit()
                self.limit.restore_original_limits()
                _let_any_thread_limit()


one_thread = OneThread()
if hasattr(os, "register_at_fork"):  # threads that are inside stay behind
    os.register_at_fork(after_in_child=lambda: OneThread.__init__(one_thread))


@cache
def _linear_algebra() -> Any:
    import numpy as np  # noqa: F401 - the library is found once it is loaded
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def _let_any_thread_limit() -> None:
    """Let the next thread that limits the threads of OpenBLAS do so.

    From version 3.8 on, threadpoolctl silently ignores all threads but the first that did.
    """
    for library in _linear_algebra().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@cache
def digest_source() -> str:
    """A digest of the package's source files: checkouts of one version may differ."""
    folder = Path(__file__).parents[2]
    digest = sha256()
    for path in sorted(folder.rglob("*.py"), key=Path.as_posix):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:16]


@cache
def describe_machine() -> Machine:
    """The versions of all that makes numbers here, and a digest of numbers that machines differ in.

    The digest is of `exp` and `log` of the C library and of NumPy, and of products and a solution
    of OpenBLAS; both libraries have other code for other processors.
    """
    import numpy as np

    x = np.linspace(-20.0, 20.0, 1000)
    square = np.exp(-np.abs(x[:100, None] - x[None, :100]))
    with one_thread:
        parts = [
            np.array([exp(value) + log1p(exp(value)) for value in x.tolist()]),  # of the C library
            np.exp(x),
            np.log(np.abs(x)),
            square @ x[:100],
            square @ square,
            np.linalg.solve(square, x[:100]),
        ]
    digest = sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]
    versions = {name: _version(name) for name in ("numpy", "scipy", "llvmlite")}
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    known = {
        "prowess": __version__, "source files": digest_source(), "python": python, **versions,
        "exp, log and products": digest,
    }  # fmt: skip
    return tuple(known.items())


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    with suppress(PackageNotFoundError):
        return version(name)
    return "none"


def check_worker(machine: Machine) -> None:
    """Raise BadCluster where this process, a worker, is unlike the machine that gives it tasks."""
    refuse_difference(describe_machine(), machine, "a worker")


def refuse_difference(theirs: Machine, ours: Machine, where: str) -> None:
    """Raise BadCluster for the first thing in which two machines differ."""
    known = dict(theirs)
    for name, value in ours:
        if known.get(name) == value:
            continue
        if name.startswith("exp"):
            raise BadCluster.of("other_processor", where=where, name=name)
        if name == "source files":
            raise BadCluster.of("other_source", where=where, version=known["prowess"])
        raise BadCluster.of(
            "other_version", name=name, value=value, where=where, other=known.get(name)
        )


# --- what a worker does ---------------------------------------------------------------------------


class Computed(NamedTuple):
    """The results of a group of items, and the error that ended it."""

    results: list[Any]
    error: Exception | None = None

    def take(self) -> Iterator[Any]:
        """The results one by one, then the error is raised."""
        yield from self.results
        if self.error is not None:
            raise self.error


class Parcel(NamedTuple):
    """What tasks share: its key, the file that holds it, or what the file holds."""

    key: str
    file: str
    data: bytes | None = None


NO_PARCEL = Parcel("", "")
# what is shared, by its key: of this process and its forks
SHARED_VALUES: dict[str, Any] = {"": None}
_unpacked: dict[str, Any] = {}  # the last that came by file


def run_group(
    some: Sequence[Any], machine: Machine, function: Callable[..., Any], shared: Any
) -> Computed:
    """`function(shared, item)` of each item up to the first error; here is where workers begin."""
    check_worker(machine)
    results: list[Any] = []
    with one_thread:
        for item in some:
            try:
                results.append(function(shared, item))
            except Exception as error:
                return Computed(results, _prepare_to_travel(error))
    return Computed(results)


def _prepare_to_travel(error: Exception) -> Exception:
    """The error with its traceback as a note; where it cannot be pickled, one with its text."""
    trace = format_exc()
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(trace)
    return error


def unpack_and_run(
    machine: Machine, function: Callable[..., Any], parcel: Parcel, some: Sequence[Any]
) -> Computed | None:
    """The same with what is in a parcel; None where this process does not see the file."""
    if parcel.key in SHARED_VALUES:
        return run_group(some, machine, function, SHARED_VALUES[parcel.key])
    if parcel.key not in _unpacked:
        try:
            data = parcel.data or Path(parcel.file).read_bytes()
        except OSError:
            return None
        _unpacked.clear()
        _unpacked[parcel.key] = pickle.loads(data)
    return run_group(some, machine, function, _unpacked[parcel.key])


def return_value(value: Any) -> Any:
    """The value: a task that makes it."""
    return value


def cut_into_groups(items: Iterable[Any], size: int) -> list[list[Any]]:
    """So many neighbouring items at a time."""
    given = list(items)
    return [given[first : first + size] for first in range(0, len(given), size)]
