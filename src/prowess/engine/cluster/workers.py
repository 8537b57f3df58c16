"""Workers: where tasks that do not need one another are computed.

    workers_of(None)               Serial(): here, one after the other
    workers_of(4)                  Pool of 4 processes
    workers_of(executor)           Pool of any executor of `concurrent.futures`
    workers_of("local")            Dask: the cores of this machine
    workers_of("tcp://head:8786")  Dask: a cluster that is running
    workers_of(client)             Dask, by a client of one's own

All give the same numbers to the last bit, because nothing of a task depends on its worker:

- results are taken in the order of the items, and a random number comes from a seed of its item;
- a task computes with one thread of linear algebra: sums of OpenBLAS depend on their number;
- a worker with other versions, or another `exp`, is refused (`describe_machine`).
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Protocol

from prowess.engine.cluster.machine import (
    NO_PARCEL,
    SHARED_VALUES,
    BadCluster,
    Computed,
    Parcel,
    cut_into_groups,
    describe_machine,
    one_thread,
    unpack_and_run,
)
from prowess.games.arguments import BadArgument

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from prowess.engine.cluster.dask import Dask


class Workers(Protocol):
    """What computes tasks."""

    def map(
        self,
        function: Callable[..., Any],
        items: Iterable[Any],
        *,
        shared: Any = None,
        group: int = 1,
    ) -> Iterator[Any]:
        """`function(shared, item)` of each item, in the order of the items.

        The function has a name in a module. `shared` travels once to each worker. `group` items
        make a task: give a number that takes 50 ms or more. The first error is raised in its place.
        """
        ...


class Serial:
    """Computes tasks here, one after the other."""

    def map(
        self,
        function: Callable[..., Any],
        items: Iterable[Any],
        *,
        shared: Any = None,
        group: int = 1,
    ) -> Iterator[Any]:
        """See Workers."""
        for item in items:
            with one_thread:
                result = function(shared, item)
            yield result


SERIAL = Serial()


class Pool:
    """Computes tasks on an executor of `concurrent.futures`: processes, threads, or a cluster's."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.parcel: Parcel | None = None

    def map(
        self,
        function: Callable[..., Any],
        items: Iterable[Any],
        *,
        shared: Any = None,
        group: int = 1,
    ) -> Iterator[Any]:
        """See Workers."""
        groups = cut_into_groups(items, group)
        with closing(self._compute(function, groups, self._pack(shared))) as computed:
            for one in computed:
                yield from one.take()

    def _compute(
        self, function: Callable[..., Any], groups: list[list[Any]], parcel: Parcel
    ) -> Generator[Computed]:
        """What is computed of each group, in order; what was not taken is cancelled."""
        machine = describe_machine()
        futures: list[Future[Computed | None]] = []
        try:
            with name_ends(self.executor):
                futures += [self._submit(machine, function, parcel, some) for some in groups]
                for some, future in zip(groups, futures, strict=True):
                    computed = future.result()
                    if computed is None:  # the worker does not see our files
                        whole = parcel._replace(data=Path(parcel.file).read_bytes())
                        computed = self._submit(machine, function, whole, some).result()
                    assert computed is not None
                    yield computed
        finally:
            for future in futures:
                future.cancel()

    def _submit(self, *given: Any) -> Future[Computed | None]:
        """Begin `unpack_and_run` of what is given."""
        from concurrent.futures import BrokenExecutor

        try:
            return self.executor.submit(unpack_and_run, *given)
        except BrokenExecutor:
            raise
        except RuntimeError as error:
            raise BadCluster.of("executor_closed.before", error=error) from None

    def _pack(self, shared: Any) -> Parcel:
        """Keep a value for tasks of this process and those to come, by file for all others."""
        if shared is None:
            return NO_PARCEL
        if self.parcel is None or SHARED_VALUES[self.parcel.key] is not shared:
            self.close()
            try:
                with tempfile.NamedTemporaryFile(prefix="prowess-", delete=False) as stream:
                    self.parcel = Parcel(token_hex(8), stream.name)
                    SHARED_VALUES[self.parcel.key] = shared
                    pickle.dump(shared, stream, pickle.HIGHEST_PROTOCOL)
            except OSError as error:
                self.close()
                raise BadCluster.of(
                    "full_disk.workers", folder=tempfile.gettempdir(), strerror=error.strerror
                ) from None
        return self.parcel

    def close(self) -> None:
        """Forget what was shared; the executor is its owner's."""
        if self.parcel is not None:
            del SHARED_VALUES[self.parcel.key]
            Path(self.parcel.file).unlink(missing_ok=True)
            self.parcel = None


@contextmanager
def name_ends(executor: Any) -> Iterator[None]:
    """Raise BadCluster where an executor, or one of its processes, ended."""
    from concurrent.futures import BrokenExecutor, CancelledError
    from multiprocessing import get_start_method

    from prowess.engine.cluster.dask import name_losses

    of_dask = type(executor).__module__.startswith("distributed.")  # `get_executor()` of a client
    try:
        with name_losses(executor._client) if of_dask else nullcontext():
            yield
    except BrokenExecutor as error:
        remedy = "run it again with fewer jobs or more memory"
        if get_start_method() != "fork":  # processes begin by running the caller's program
            remedy = f'put the call under `if __name__ == "__main__":` in the program, or {remedy}'
        raise BadCluster.of("worker_died", hint=remedy, error=error) from None
    except CancelledError:
        raise BadCluster.of("executor_closed.meanwhile") from None


@contextmanager
def workers_of(cluster: Any) -> Iterator[Workers]:
    """The workers that `cluster` stands for; those that are started here end with the block.

    Raises BadArgument, BadCluster.
    """
    if cluster is None or (type(cluster) is int and cluster == 1):
        yield Serial()
        return
    from prowess.engine.cluster.dask import Dask, connect

    if isinstance(cluster, Serial | Pool | Dask):
        yield cluster
    elif type(cluster) is int and cluster > 1:
        with start_processes(cluster) as executor:
            yield from _closing(Pool(executor))
    elif isinstance(cluster, str) and (cluster == "local" or "://" in cluster):
        with connect(cluster) as client:
            yield from _closing(Dask(client))
    elif hasattr(cluster, "scheduler_info") and hasattr(cluster, "submit"):
        yield from _closing(Dask(cluster))
    elif hasattr(cluster, "submit") and hasattr(cluster, "shutdown"):
        yield from _closing(Pool(cluster))
    else:
        raise refuse_cluster(cluster)


def _closing(workers: Pool | Dask) -> Iterator[Workers]:
    try:
        yield workers
    finally:
        workers.close()


def refuse_cluster(given: Any) -> BadArgument:
    """The error of a value that stands for no workers."""
    return BadArgument.of("not_a_cluster", given=given)


@contextmanager
def start_processes(count: int) -> Iterator[Executor]:
    """A pool of processes; an error or an interrupt (Ctrl-C) ends them where they are."""
    from concurrent.futures import ProcessPoolExecutor

    executor = ProcessPoolExecutor(count, initializer=follow_starter)
    try:
        yield executor
    except BaseException:
        for process in list((executor._processes or {}).values()):
            process.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def follow_starter() -> None:
    """Leave Ctrl-C to the process that started this one, and end when that ends.

    Else workers of a process that was killed wait for tasks for ever.
    """
    import signal
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_starter, daemon=True).start()


def _end_with_starter() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    starter = parent_process()
    assert starter is not None
    wait([starter.sentinel])
    os._exit(1)
