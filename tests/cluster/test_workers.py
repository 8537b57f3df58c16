"""Tasks on executors: the same numbers as one after the other, and clear ends."""

from __future__ import annotations

import errno
import logging
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import islice
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest

import prowess
from prowess.engine.cluster import dask, machine
from prowess.engine.cluster.dask import silence_tracebacks
from prowess.engine.cluster.machine import (
    BadCluster,
    describe_machine,
    one_thread,
    refuse_difference,
)
from prowess.engine.cluster.workers import Pool, Serial, workers_of
from prowess.engine.fits import leaves, strengths
from prowess.games.arguments import BadArgument
from tests.cli.command import environment
from tests.cluster.tasks import count_letters, draw_sum, end_at_three, refuse_five
from tests.engine.leagues import league
from tests.refusals import refused

TABLE = np.random.default_rng(1).normal(size=100_000)


def test_all_workers_give_the_same_bits():
    """One after the other, threads and processes, in groups of any size."""
    expected = list(Serial().map(draw_sum, range(20), shared=TABLE))
    with ThreadPoolExecutor(2) as threads, workers_of(2) as processes, workers_of(threads) as pool:
        for workers in (pool, processes):
            for group in (1, 7, 50):
                assert list(workers.map(draw_sum, range(20), shared=TABLE, group=group)) == expected


def test_the_first_error_is_raised_in_its_place():
    """What comes before an error arrives, and the error is that of the function."""
    for cluster in (None, 2):
        with workers_of(cluster) as workers:
            results = workers.map(refuse_five, range(9), group=4)
            assert list(islice(results, 5)) == [0, 1, 2, 3, 4]
            with pytest.raises(ValueError, match="no five"):
                next(results)


def test_what_is_shared_is_the_last_that_was_given():
    """Another value travels anew; nothing of it stays behind."""
    with ProcessPoolExecutor(1) as executor:
        with workers_of(executor) as workers:
            assert list(workers.map(count_letters, range(2), shared="abc")) == [3, 4]
            assert list(workers.map(count_letters, range(2), shared="defgh")) == [5, 6]
            assert isinstance(workers, Pool)
            assert workers.parcel is not None
            file = Path(workers.parcel.file)
            assert file.exists()
        assert not file.exists()


def hide_files() -> None:
    """Let no file of this process be read."""
    setattr(Path, "read_bytes", no_file)  # noqa: B010


def no_file(path: Path) -> bytes:
    raise FileNotFoundError(path)


def test_workers_that_do_not_see_our_files():
    """What is shared comes with the task where the file cannot be read."""
    with ProcessPoolExecutor(1) as executor:
        executor.submit(len, "").result()  # forked before anything is shared
        with workers_of(executor) as workers:
            executor.submit(hide_files).result()
            assert list(workers.map(count_letters, [1, 2], shared="other")) == [6, 7]


def test_a_process_that_ends_is_named():
    """A broken pool says what to do."""
    with refused(BadCluster, "worker_died"), workers_of(2) as workers:
        list(workers.map(end_at_three, range(9)))


def interrupt_at_first(results):
    """As Ctrl-C after the first result."""
    next(results)
    raise KeyboardInterrupt


def test_an_interrupt_leaves_no_process():
    """Ctrl-C in the block ends the processes that it started."""
    before = len(active_children())
    with pytest.raises(KeyboardInterrupt), workers_of(2) as workers:
        interrupt_at_first(workers.map(refuse_five, range(4)))
    assert len(active_children()) == before


def test_another_machine_is_refused():
    """The first difference is named: a version, or the numbers themselves."""
    ours = describe_machine()
    refuse_difference(ours, ours, "worker 1")
    other = [(name, "0.0" if name == "numpy" else value) for name, value in ours]
    with refused(BadCluster, "other_version", about="0.0"):
        refuse_difference(tuple(other), ours, "worker 1")
    other = [(name, "0.0" if name == "source files" else value) for name, value in ours]
    with refused(BadCluster, "other_source"):
        refuse_difference(tuple(other), ours, "worker 1")
    other = [(name, "0.0" if name.startswith("exp") else value) for name, value in ours]
    with refused(BadCluster, "other_processor"):
        refuse_difference(tuple(other), ours, "worker 1")


def threads() -> set[int]:
    """The numbers of threads of NumPy's linear algebra; that of SciPy makes no numbers."""
    return {one["num_threads"] for one in machine._linear_algebra().info()}


def test_linear_algebra_has_one_thread_inside():
    """Blocks may lie in one another; the last one gives the threads back."""
    before = threads()
    with one_thread:
        with one_thread:
            pass
        assert threads() == {1}
    assert threads() == before


def test_linear_algebra_has_one_thread_inside_any_thread():
    """Also in one that is not the first: threadpoolctl lets the first alone set limits."""
    from threadpoolctl import threadpool_limits

    def enter() -> set[int]:
        with one_thread:
            return threads()

    with threadpool_limits(3, user_api="blas"):  # also on a machine of one core
        with one_thread:
            pass
        before = threads()
        with ThreadPoolExecutor(1) as executor:
            assert executor.submit(enter).result() == {1}
        assert threads() == before == {3}
        with one_thread:
            assert threads() == {1}
        assert threads() == before


def test_what_stands_for_workers():
    """None and 1 are this process; nonsense is refused with what may be given."""
    for cluster in (None, 1):
        with workers_of(cluster) as workers:
            assert isinstance(workers, Serial)
    with ThreadPoolExecutor(1) as executor:
        kept: Executor = executor
        with workers_of(kept) as workers, workers_of(workers) as same:
            assert isinstance(workers, Pool)
            assert same is workers
    nonsense: object
    for nonsense in (0, -1, True, "everywhere", 2.0, []):
        with refused(BadArgument, "not_a_cluster"), workers_of(nonsense):
            pass


def test_a_lost_scheduler_leaves_no_traceback():
    """Dask's client logs as errors what is then raised in a line."""
    logger = logging.getLogger("distributed.client")
    with silence_tracebacks():
        assert not logger.isEnabledFor(logging.ERROR)
    assert logger.isEnabledFor(logging.ERROR)


KILLED = """
import os, signal, time
from prowess.engine.cluster.workers import start_processes
if __name__ == "__main__":
    with start_processes(2) as executor:
        print(executor.submit(abs, -1).result(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes end otherwise here")
def test_processes_end_with_the_one_that_started_them(tmp_path):
    """Also where it is killed: nobody holds the output open any more."""
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    run = subprocess.run(
        [sys.executable, script], env=environment(), stdout=subprocess.PIPE, timeout=60, check=False
    )
    assert (run.stdout, run.returncode) == (b"1\n", -signal.SIGKILL)


def test_a_full_folder_of_temporary_files_is_named(tmp_path, monkeypatch):
    """Nothing is left there of what processes were to share."""

    def refuse(value, stream, protocol):
        stream.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ThreadPoolExecutor(1) as threads, workers_of(threads) as workers:
        monkeypatch.setattr("pickle.dump", refuse)
        with refused(BadCluster, "full_disk", about=str(tmp_path)):
            list(workers.map(draw_sum, range(3), shared=TABLE))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("work", ["periods", "fit"])
def test_a_worker_that_joins_later_is_looked_at(client, monkeypatch, work):
    """Each task compares versions: a worker may come when the others have been compared."""
    other = tuple({**dict(describe_machine()), "llvmlite": "0.1"}.items())
    table = league(20, 300, seed=4)
    if work == "fit":
        monkeypatch.setattr(leaves, "leaf_size", lambda players: 64)
        monkeypatch.setattr(strengths, "is_worth_merging", lambda players, a, b: False)
        monkeypatch.setattr(leaves, "describe_machine", lambda: other)
        asked: tuple[str, str | None] = "bradley_terry", None
    else:
        monkeypatch.setattr(dask, "describe_machine", lambda: other)
        table = table.replace(time=np.arange(len(table)) / 10.0)
        asked = "glicko2", "7d"
    with refused(BadCluster, "other_version", about=("0.1", "llvmlite")):
        prowess.rate(table, asked[0], period=asked[1], cluster=client, compiled=False)
