"""Examples of Hypothesis: the same on every run, fewer with QUICK=1, new ones with SEARCH=1."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
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
from hypothesis import HealthCheck, settings  # noqa: E402

from prowess.cli import COLLECTING  # noqa: E402

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("same", PATIENT, max_examples=25, derandomize=True, database=None)
settings.register_profile("search", PATIENT, max_examples=30)
settings.register_profile("few", PATIENT, max_examples=10, derandomize=True, database=None)
PROFILE = "few" if os.environ.get("QUICK") else "same"
settings.load_profile("search" if os.environ.get("SEARCH") else PROFILE)

# Compiled loops stay inside the checkout, so that a test run leaves nothing elsewhere.
CACHE = Path(__file__).parent.parent / ".cache" / "prowess"
os.environ.setdefault("PROWESS_CACHE", str(CACHE))

SLOW = frozenset(
    line
    for line in (Path(__file__).parent / "slow.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for circles of objects as seldom as the command does, and not among modules and tests.

    Otherwise an eighth of the time goes to searching the ten thousand tests again and again.
    """
    gc.freeze()
    gc.set_threshold(COLLECTING)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of `slow.txt` as slow; files that have some go first, so that no worker is
    left alone with one at the end. Tests of a file stay together: they share what they set up.
    """
    for item in items:
        if item.nodeid.partition("[")[0] in SLOW:
            item.add_marker("slow")
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)
