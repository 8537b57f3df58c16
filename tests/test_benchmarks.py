"""Every benchmark runs to its end at its smallest size; at full size before a figure is cited."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.command import ROOT, environment


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(file.stem for file in (ROOT / "benchmarks").glob("*.py")))
def test_benchmark_runs_to_its_end(name):
    """The script, with its smallest size, ends with 0 and prints figures."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / f"{name}.py", "--smallest"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert any(letter.isdigit() for letter in done.stdout)
