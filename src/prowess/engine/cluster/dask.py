"""Tasks on a cluster of dask.distributed: one whose worker was lost is computed again.

Rounds of shards (`play_graph`) are one task a shard and round. A task takes the rows of all players
and returns those of its own; the rows go from worker to worker and not through the client. When a
worker is lost, the cluster makes its rows again from those before them, and these from theirs. So
that this does not go back to the first round, rows are gathered now and then, and the next rounds
begin with what was gathered.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from time import monotonic, perf_counter
from typing import Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.cluster.machine import (
    BadCluster,
    Computed,
    Machine,
    check_worker,
    cut_into_groups,
    describe_machine,
    refuse_difference,
    return_value,
    run_group,
)
from prowess.games.formats.byte_streams import count_cores
from prowess.version import __version__

ANSWER = 10  # seconds for a scheduler to answer
ARRIVAL = 60  # seconds for a first worker to arrive: a cluster that adapts starts with none
LOGGERS = "distributed.client", "distributed.comm.tcp", "distributed.protocol.core"
RETRIES = 3  # of a task whose worker was lost
MOST_EDGES = 16  # shards; where there are more, one task puts the rows of all in a row
MOST_ROUNDS_APART = 10  # between two gatherings
GATHERING_PAUSE = 30.0  # seconds between two gatherings, about


class Dask:
    """Computes tasks on a cluster of dask.distributed; one that lost its worker is repeated."""

    def __init__(self, client: Any) -> None:
        if client.status in ("closing", "closed"):
            raise BadCluster.of("client_closed")
        if client.asynchronous:
            raise BadCluster.of("client_asynchronous")
        self.client = client
        self.sent: tuple[Any, Any] | None = None  # what is shared, and its future
        with name_losses(client):
            check_workers(client)

    def map(
        self,
        function: Callable[..., Any],
        items: Iterable[Any],
        *,
        shared: Any = None,
        group: int = 1,
    ) -> Iterator[Any]:
        """See Workers."""
        futures: list[Any] = []
        try:
            with allow_large_values(), name_losses(self.client):
                futures = self.client.map(
                    run_group, cut_into_groups(items, group), machine=describe_machine(),
                    function=function, shared=self.share(shared), pure=False, retries=RETRIES,
                )  # fmt: skip
            number = {future.key: k for k, future in enumerate(futures)}
            arrived: dict[int, Computed] = {}
            following = 0
            for future, computed in self._gather(futures):
                arrived[number[future.key]] = computed
                while following in arrived:
                    yield from arrived.pop(following).take()
                    following += 1
        finally:
            if self.client.status == "running":
                self.client.cancel(futures, force=True)

    def _gather(self, futures: list[Any]) -> Iterator[tuple[Any, Computed]]:
        """The futures and what they computed, as they come."""
        from distributed import as_completed

        with name_losses(self.client), watch_workers(self.client, futures):
            # in the loop of this client: without it in that of the newest, whose thread is
            # another, and an answer may never come
            for some in as_completed(futures, loop=self.client.loop).batches():
                # asked here and not in that loop, which would wait for ever for what is lost
                yield from zip(some, self.client.gather(some), strict=True)

    def share(self, value: Any) -> Any:
        """A future of a value, which workers pass on to one another.

        A task makes it, so that it is made again where its worker is lost; scattered data is not.
        """
        if value is None:
            return None
        if self.sent is None or self.sent[0] is not value:
            with allow_large_values():
                self.sent = value, self.client.submit(return_value, value, pure=False)
        return self.sent[1]

    def close(self) -> None:
        """Forget what was shared; the client is its owner's."""
        self.sent = None


def check_workers(client: Any) -> None:
    """Raise BadCluster if there are no workers, or one that computes other numbers."""
    address = client.scheduler.address
    if not list_workers(client):
        try:
            client.wait_for_workers(1, timeout=ARRIVAL)
        except TimeoutError:
            raise BadCluster.of("no_workers", address=address, seconds=ARRIVAL) from None
    ours = describe_machine()
    for worker, theirs in client.run(describe_machine, on_error="return").items():
        if isinstance(theirs, BaseException):
            raise BadCluster.of(
                "worker_without_prowess", version=__version__, worker=worker, theirs=theirs
            )
        refuse_difference(theirs, ours, worker)


def list_workers(client: Any) -> list[str]:
    """The addresses of the workers that live; raises BadCluster where no scheduler tells."""
    with name_losses(client):
        known = client.scheduler_info(n_workers=-1)
        # what was known last is given where the scheduler does not answer
        if client.status != "running" or "workers" not in known:
            raise BadCluster.of("cluster_ended")
        return sorted(known["workers"])


@contextmanager
def allow_large_values() -> Iterator[None]:
    """Let values of some megabytes be part of a task, which is meant here."""
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "10 GB"}):
        yield


@contextmanager
def name_losses(client: Any) -> Iterator[None]:
    """Raise BadCluster where a task was lost with its workers, or with scheduler or client."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except BadCluster:
        raise
    except KilledWorker as error:
        raise BadCluster.of("worker_out_of_memory", count=error.allowed_failures + 1) from None
    except Exception as error:
        if "deserialization of the task graph" in str(error):  # workers have not what it imports
            raise BadCluster.of("system_not_loaded", why=error.__cause__ or "see there") from None
        if client.status == "running" and not isinstance(error, CancelledError | CommClosedError):
            raise
        raise BadCluster.of("cluster_ended") from None


@contextmanager
def watch_workers(client: Any, futures: list[Any]) -> Iterator[None]:
    """Raise BadCluster where futures wait for a cluster that had no worker for `ARRIVAL` s."""
    from distributed import CancelledError

    ended, lost = threading.Event(), threading.Event()

    def watch() -> None:
        lived = monotonic()
        while not ended.wait(min(5, ARRIVAL / 4)):
            try:
                if list_workers(client):
                    lived = monotonic()
            except BadCluster:
                return  # who waits for the futures is told
            if monotonic() - lived > ARRIVAL:
                lost.set()
                client.cancel(futures, force=True)
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except CancelledError:
        if not lost.is_set():
            raise
        raise BadCluster.of("workers_lost.dask", address=client.scheduler.address) from None
    finally:
        ended.set()


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Let processes that are started here ignore Ctrl-C: else a client waits for dead workers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A client of the cluster at an address, or of one of all cores here (`local`)."""
    try:
        import distributed  # noqa: F401 - it is an extra
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"pip install 'prowess[cluster]': a cluster needs {error.name}", name=error.name
        ) from None
    if address == "local":
        with start_local(count_cores()) as client:
            yield client
        return
    with silence_tracebacks(), open_client(address) as client:
        yield client


def open_client(address: str) -> Any:
    """A client of the scheduler at an address, where one answers."""
    from distributed import Client

    try:
        if address.startswith("tcp://"):
            # in a thread: the caller's may run a loop of its own, as in a notebook
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, await_scheduler(address)).result()
        return Client(address, timeout=ANSWER)
    except (OSError, ValueError) as error:
        raise BadCluster(
            f"start a scheduler (dask scheduler) or name another address: none answered at "
            f"{address} in {ANSWER} s ({str(error) or 'something else may listen there'})",
            code="no_scheduler",
        ) from None
    except Exception as error:  # whatever Dask makes of the words of another program
        raise BadCluster.of(
            "bad_scheduler", address=address, why=str(error) or type(error).__name__
        ) from None


async def await_scheduler(address: str) -> None:
    """Ask a scheduler who it is; raises OSError where none answers in `ANSWER` seconds.

    A client would wait for ever for a program that takes its first words and says nothing.
    """
    from distributed import rpc

    async with rpc(address, timeout=ANSWER) as scheduler:
        # where nobody listens, the limit of `rpc` ends first, and its error has the reason
        await asyncio.wait_for(scheduler.identity(n_workers=0), 1.1 * ANSWER)


@contextmanager
def silence_tracebacks() -> Iterator[None]:
    """Keep Dask from logging what is lost or odd: an error of ours says it in a line."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


# Dask lets the C library give back every array at once, and a task then waits for its pages to be
# made again: resamplings took 1.6 times as long. These are the limits glibc finds by itself.
# A worker that died is begun again on the spot, which takes a busy machine more than the 15 seconds
# after which Dask would go on without it for good.
LOCAL = {
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 32 << 20,
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 64 << 20,
    "distributed.deploy.lost-worker-timeout": "1h",
}


@contextmanager
def start_local(count: int) -> Iterator[Any]:
    """A client of a new cluster of so many processes of this machine."""
    import dask
    from distributed import Client, LocalCluster

    with dask.config.set(LOCAL), ExitStack() as started:
        try:
            with ignore_interrupts():
                local = started.enter_context(
                    LocalCluster(
                        n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0"
                    )
                )
        except RuntimeError as error:  # a worker began by running the caller's program
            raise BadCluster.of("main_not_guarded", error=error) from None
        yield started.enter_context(Client(local))


def play_graph(
    workers: Dask,
    step: Callable[[Floats, Any], Floats],
    tasks_of: Callable[[int], Iterable[Any]],
    whole: Floats,
    bounds: Sequence[int],
    rounds: int,
    done: int = 0,
) -> Iterator[tuple[int, Floats]]:
    """Play so many rounds, of which some are `done`; each time that rows are gathered, how many
    are played and the rows.

    `step(rows of all, task)` gives the rows of one shard, which stand between two `bounds`;
    `tasks_of(round)` has a task for each shard, in order. Raises BadCluster.
    """
    client, options = workers.client, {"pure": False, "retries": RETRIES}
    machine, block = describe_machine(), 1
    while done < rounds:
        began, stop = perf_counter(), min(rounds, done + block)
        with allow_large_values(), name_losses(client):
            parts = [
                client.submit(return_value, part, **options)
                for part in np.split(whole, bounds[1:-1])
            ]
            for number in range(done, stop):
                if len(parts) > MOST_EDGES:
                    parts = [client.submit(join_rows, *parts, **options)]
                parts = [
                    client.submit(step_of_parts, machine, step, task, *parts, **options)
                    for task in tasks_of(number)
                ]
            with watch_workers(client, parts):
                whole = join_rows(*client.gather(parts))
        seconds_each = (perf_counter() - began) / (stop - done)
        block = max(1, min(MOST_ROUNDS_APART, 2 * block, int(GATHERING_PAUSE / seconds_each)))
        done = stop
        yield done, whole


def join_rows(*parts: Floats) -> Floats:
    """The rows of all shards in a row."""
    return np.concatenate(parts)


def step_of_parts(
    machine: Machine, step: Callable[[Floats, Any], Floats], task: Any, *parts: Floats
) -> Floats:
    """A step, of the rows of each shard; here is where a worker begins, of the same `machine`."""
    check_worker(machine)
    return step(parts[0] if len(parts) == 1 else join_rows(*parts), task)
