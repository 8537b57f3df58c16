"""Examples of Hypothesis: the same on every run, fewer with QUICK=1, new ones with SEARCH=1."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

# The programs under test run as they do for a user: a variable such as PYTHONUNBUFFERED on the
# developer's machine would hide what everybody else sees.
for name in [name for name in os.environ if name.startswith("PYTHON") and name != "PYTHONPATH"]:
    del os.environ[name]
sys.dont_write_bytecode = False  # each worker would compile all tests again

# Files of tests are kept in memory where the system has a folder for it: a store waits for no disk.
MEMORY = Path("/dev/shm")
if MEMORY.is_dir():
    place = os.statvfs(MEMORY)
    if place.f_bavail * place.f_frsize > 4 << 30 and not place.f_flag & os.ST_NOEXEC:
        tempfile.tempdir = os.environ.setdefault("TMPDIR", str(MEMORY))

# One thread a process: tests run side by side, and small matrices wait for threads that are busy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest  # noqa: E402 - after the environment is set
from hypothesis import HealthCheck, core, settings  # noqa: E402

from prowess.cli import COLLECTING  # noqa: E402

# Circles of objects are looked for as seldom as by the command: thirteen thousand tests stay.
gc.set_threshold(COLLECTING)

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("same", PATIENT, max_examples=25, derandomize=True, database=None)
settings.register_profile("search", PATIENT, max_examples=30)
settings.register_profile("few", PATIENT, max_examples=10, derandomize=True, database=None)
PROFILE = "few" if os.environ.get("QUICK") else "same"
settings.load_profile("search" if os.environ.get("SEARCH") else PROFILE)
if not os.environ.get("SEARCH"):  # no key of a database either: each would read the test's source
    core.global_force_seed = 0  # type: ignore[assignment]

# Compiled loops stay inside the checkout, so that a test run leaves nothing elsewhere.
CACHE = Path(__file__).parent.parent / ".cache" / "prowess"
os.environ.setdefault("PROWESS_CACHE", str(CACHE))

TOGETHER = ("wheels", "cluster")  # folders whose files share what takes long to make

SLOW = frozenset(
    line
    for line in (Path(__file__).parent / "slow.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for circles of objects not among modules and tests: that would take an eighth of all."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of `slow.txt` as slow, and order the files for `--dist worksteal`.

    Each worker begins with an equal run of the tests; who has done all takes the last half of what
    another has left. So a run begins with whole files that have slow tests, about as many in each
    run, and ends with quick tests: they may leave the file whose server or browser they share.
    """
    files: dict[Path, list[pytest.Item]] = {}
    slow: Counter[Path] = Counter()
    for item in items:
        path = item.path.parent if item.path.parent.name in TOGETHER else item.path
        files.setdefault(path, []).append(item)
        if item.nodeid.partition("[")[0] in SLOW:
            item.add_marker("slow")
            slow[path] += 1
    counts = [0] * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    runs: list[list[pytest.Item]] = [[] for _ in counts]
    for path, count in slow.most_common():
        least = counts.index(min(counts))
        runs[least] += files.pop(path)
        counts[least] += count
    quick = [item for file in files.values() for item in file]
    left, items[:] = len(items), []
    for number, run in enumerate(runs):
        share = left // (len(runs) - number)
        left -= share
        take = max(0, share - len(run))
        items += [*run, *quick[:take]]
        del quick[:take]
    items += quick
