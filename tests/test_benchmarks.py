"""Every benchmark runs to its end at its smallest size; at full size before a figure is cited."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.command import ROOT, environment

SMALLEST = {
    "banks": ["--smallest"],
    "corrections": ["--games", "20000", "--players", "20"],
    "fits": ["--smallest", "--rounds", "1"],
    "forecasts": ["--quick", "lichess", "races"],
    "intervals": ["--smallest"],
    "kills": ["--count", "2"],
    "live": ["--games", "300", "--seconds", "0.5"],
    "live_beside": ["--commit", "HEAD", "--smallest", "--seconds", "0.3"],
    "matches": ["--runs", "1"],
    "reading": ["--rows", "2000", "--players", "50", "--runs", "1"],
    "rumble": ["--bots", "20", "--battles", "500"],
    "scale": ["--smallest", "--system", "elo"],
    "soak": ["--minutes", "0.1", "--life", "4"],
    "stack": ["--smallest"],
    "startup": ["--smallest"],
    "stopwatch": [],
    "throughput": ["--smallest", "--rounds", "1"],
    "visitors": [
        "--games",
        "1000",
        "--longest",
        "1000",
        "--visitors",
        "2",
        "--addresses",
        "2",
        "--seconds",
        "0.2",
        "--rest",
        "0.1",
        "--watch",
        "0.2",
    ],
    "wide_tables": ["--smallest"],
}

# of few games by ten systems, compiling takes most of the time
PLAIN = {"forecasts": {"PROWESS_COMPILE": "never"}}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(file.stem for file in (ROOT / "benchmarks").glob("*.py")))
def test_benchmark_runs_to_its_end(name):
    """The script, with its smallest size, ends with 0 and prints figures."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / f"{name}.py", *SMALLEST[name]],
        capture_output=True,
        text=True,
        env=environment(**PLAIN.get(name, {})),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert any(letter.isdigit() for letter in done.stdout)
