"""What a worker does: run a group of items, where it is a machine with the same numbers."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from traceback import format_exc
from typing import Any, NamedTuple

from prowess.engine.cluster.machine import Machine, check_worker, one_thread


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
