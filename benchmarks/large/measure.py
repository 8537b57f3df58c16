"""A command in a process of its own: seconds, processor seconds, peak memory, what it printed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"


class Measured(NamedTuple):
    """One process, with the children that it waited for."""

    seconds: float
    busy: float  # of the processor
    memory: float  # peak resident set in GB
    output: str


class Best(NamedTuple):
    """Several runs of one command: the least and the median of the clock, the greatest memory."""

    seconds: float
    median: float
    busy: float
    memory: float
    output: str


def environment() -> dict[str, str]:
    """The environment of a measured process, with our sources first."""
    path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def command_prowess(*arguments: object) -> list[str]:
    """`prowess ...` by this interpreter."""
    start = "import sys; from prowess.cli import main; sys.exit(main())"
    return [sys.executable, "-c", start, *map(str, arguments)]


def command_script(name: str, *arguments: object) -> list[str]:
    """A script of this folder by this interpreter."""
    return [sys.executable, str(HERE / f"{name}.py"), *map(str, arguments)]


def measure(command: Sequence[str]) -> Measured:
    """Run a command to its end; RuntimeError with its last words where it fails. Unix only."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        began = time.perf_counter()
        child = subprocess.Popen(command, stdout=output, stderr=errors, env=environment())
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        for said in (output, errors):
            said.seek(0)
        if child.returncode:
            raise RuntimeError(f"ended with {child.returncode}: {errors.read()[-500:].strip()}")
        unit = 1e9 if sys.platform == "darwin" else 1e6  # bytes or kilobytes
        return Measured(
            seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / unit, output.read()
        )


def measure_all(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Best | str]:
    """Run all commands one after the other, round by round; the reason where one fails."""
    runs: dict[str, list[Measured]] = {name: [] for name in commands}
    failed: dict[str, str] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            if name not in failed:
                try:
                    runs[name].append(measure(command))
                except RuntimeError as error:
                    failed[name] = str(error).splitlines()[-1]
    return {name: failed.get(name) or _summary(of) for name, of in runs.items()}


def _summary(runs: Sequence[Measured]) -> Best:
    clock = [run.seconds for run in runs]
    return Best(
        min(clock),
        median(clock),
        min(run.busy for run in runs),
        max(run.memory for run in runs),
        runs[-1].output.strip(),
    )
