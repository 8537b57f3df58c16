"""Every benchmark runs to its end at its smallest size; at full size before a figure is cited."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.cli.command import ROOT, environment

STARTING = {"live", "live_beside", "scale", "soak", "startup", "visitors"}  # processes
# What `kills` does is one function, with which tests/live/test_killed.py kills as well.
NAMES = {file.stem for file in (ROOT / "benchmarks").glob("*.py")} - {"kills"}
RUN = """
import runpy, sys, traceback
failed = False
for path in sys.argv[1:]:
    print(end="\\0")
    sys.argv, sys.path[0] = [path, "--smallest"], path.rpartition("/")[0]
    try:
        runpy.run_path(path, run_name="__main__")
    except (Exception, SystemExit) as end:
        if getattr(end, "code", True):
            traceback.print_exc()
            failed = True
sys.exit(failed)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [*([name] for name in sorted(STARTING)), sorted(NAMES - STARTING)], ids=" ".join
)
def test_benchmark_runs_to_its_end(names):
    """The script, with its smallest size, ends with 0 and prints figures.

    One process runs those that start none: importing takes longer than most.
    """
    paths = [ROOT / "benchmarks" / f"{name}.py" for name in names]
    command = [sys.executable, "-c", RUN, *paths]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = zip(names, done.stdout.split("\0")[1:], strict=True)
    assert [name for name, text in told if not re.search(r"\d", text)] == []
