"""Fair timings on a machine that does other things too; run alone, it names the machine.

What is compared runs interleaved, one round of everything after the other, so that a busy spell
hits all alike. The minimum is what the work costs; the median shows how noisy the machine was.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Timing(NamedTuple):
    """Seconds of one thing over several rounds."""

    minimum: float
    median: float


def peak_memory() -> float:
    """The peak memory of this process in MiB; nan where the system does not say."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return float("nan")
    used: float = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1024 * 1024 if sys.platform == "darwin" else 1024)


def interleaved(runs: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, Timing]:
    """Time runs that return their own seconds, round by round.

    A first round, of which caches are filled, counts only where there is no other.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(1 + rounds):
        for name, run in runs.items():
            seconds[name].append(run())
    counted = {name: of[1:] or of for name, of in seconds.items()}
    return {name: Timing(min(of), median(of)) for name, of in counted.items()}


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; all columns but the first are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def machine() -> dict[str, str]:
    """Processor, cores, load and versions, in words that mean something elsewhere."""
    facts = {"processor": processor(), "cores": str(os.cpu_count())}
    if hasattr(os, "getloadavg"):
        facts["load"] = f"{os.getloadavg()[0]:.1f}"
    facts["Python"] = platform.python_version()
    for package in ("numpy", "numba", "llvmlite"):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "missing"
    facts["compiler"] = compiler()
    return facts


def processor() -> str:
    """The name, family and model that the processor gives itself, and its vectors."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    facts = {
        line.partition(":")[0].strip(): line.partition(":")[2].strip()
        for line in text.split("\n\n")[0].splitlines()
    }
    vectors = "AVX-512" if "avx512f" in facts.get("flags", "") else "no AVX-512"
    family, model = facts.get("cpu family", "?"), facts.get("model", "?")
    return (
        f"{facts.get('model name', platform.machine())}, family {family} model {model}, {vectors}"
    )


def compiler() -> str:
    """The first line of `gcc --version`."""
    try:
        said = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "missing"
    return said.stdout.splitlines()[0]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{name}: {fact}\n" for name, fact in machine().items()))
