"""Build the wheels and the sdist, and try them as a user would: `make dist`.

There is a wheel for Linux on x86-64, one for Linux on ARM, and one for everything else; each brings
its kernels. That of this machine is installed into fresh environments, without extras and with all
of them, the sdist without. Every version is that of `constraints.txt`.
"""

from __future__ import annotations

import gzip
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from wheels.hook import WHEELS

ROOT = Path(__file__).parent.parent
GAMES = ROOT / "examples" / "international_football_results.csv.gz"
LARGEST = 3_000_000  # bytes of a wheel with its kernels
EMPTY: Mapping[str, str] = MappingProxyType({})
ROWS = (300, 1_000, 49_520)  # of the games whose first rating is timed


WALK = """
import sys
import prowess
from wheels.roads import walk_without_compiler
assert "site-packages" in prowess.__file__
missing = walk_without_compiler()
assert not missing, missing
assert "llvmlite" not in sys.modules
"""


def run(
    *command: object, status: int = 0, cwd: Path | None = None, variables: Mapping[str, str] = EMPTY
) -> str:
    """Run a command and return what it prints; raises RuntimeError at another exit status."""
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    environment = {**kept, **variables}
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd=cwd,
        env=environment,
    )
    if done.returncode != status:
        words = " ".join(str(part) for part in command)
        raise RuntimeError(f"{words}: exit status {done.returncode}, not {status}\n{done.stdout}")
    return done.stdout


def build() -> tuple[dict[str, Path], Path]:
    """The wheels by name, and the sdist, made anew below `dist/`."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    for name in WHEELS:
        chosen = {"PROWESS_WHEEL": name}
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", cwd=ROOT, variables=chosen)
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", cwd=ROOT)
    wheels = {name: next((ROOT / "dist").glob(f"*{tag}.whl")) for name, (tag, _) in WHEELS.items()}
    (source,) = (ROOT / "dist").glob("*.tar.gz")
    return wheels, source


def check_contents(wheel: Path, targets: tuple[str, ...]) -> None:
    """Raise RuntimeError where a wheel lacks a file, holds another, or is too large."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith("prowess/")}
    tracked = run("git", "ls-files", "src/prowess", cwd=ROOT).splitlines()
    expected = {name.removeprefix("src/") for name in tracked}
    for target in targets:
        expected |= {f"prowess/compile/kernels/{target}{suffix}" for suffix in (".so", ".json")}
    if held != expected:
        raise RuntimeError(f"the wheel differs from the source: {sorted(held ^ expected)[:10]}")
    if wheel.stat().st_size > LARGEST:
        raise RuntimeError(f"{wheel.name} has {wheel.stat().st_size:,} bytes")


def install(folder: Path, package: str, versions: Path) -> Path:
    """A fresh environment that holds a package; returns its folder of programs."""
    run(sys.executable, "-m", "venv", folder)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    run(python, "-m", "pip", "install", "--quiet", "hatchling", "-c", versions)
    run(python, "-m", "pip", "install", "--quiet", package, "-c", versions, "--no-build-isolation")
    return programs


def check_core(programs: Path, work: Path) -> None:
    """Without extras: ratings and reports work, and what an extra is for names that extra."""
    prowess = programs / "prowess"
    run(prowess, "--help")
    leaderboard = run(prowess, "rate", GAMES, "--top", "3", "--system", "elo")
    if "Spain" not in leaderboard:
        raise RuntimeError(f"no leaderboard:\n{leaderboard}")
    run(prowess, "report", GAMES, "--system", "elo", "--output", work / "report.html")
    refusal = run(prowess, "serve", "--store", work / "none.db", "--sample", status=2)
    if "prowess[server]" not in refusal:
        raise RuntimeError(f"serve does not name its extra:\n{refusal}")


def check_kernels(programs: Path, work: Path) -> None:
    """Without a compiler: every system of the catalogue runs by kernels, and none is missing."""
    run(programs / "python", "-c", WALK, cwd=ROOT, variables={"HOME": str(work / "home")})
    seconds = {0: time_command(programs / "prowess", "--version")}
    with gzip.open(GAMES, "rt", encoding="utf-8") as file:
        lines = file.readlines()
    for rows in ROWS:
        table = work / f"{rows}.csv"
        table.write_text("".join(lines[: rows + 1]), encoding="utf-8")
        home = tempfile.mkdtemp(dir=work)
        seconds[rows] = time_command(programs / "prowess", "rate", table, home=home)
        more = seconds[rows] - seconds[0]
        print(f"first rating of {rows:,} games: {more:.2f} s of CPU more than --version")


def time_command(*command: object, home: str = "") -> float:
    """The seconds of CPU that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*command, variables={"HOME": home} if home else EMPTY)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check_extras(programs: Path, work: Path) -> None:
    """With all extras: the compiled loop, and a server that answers."""
    run(programs / "prowess", "rate", GAMES, "--top", "3", "--system", "glicko2")
    command: list[str | Path] = [
        programs / "prowess",
        "serve",
        "--sample",
        "--store",
        work / "live.db",
        "--port",
        "0",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        try:
            for line in server.stdout or ():
                found = re.search(r"http://127\.0\.0\.1:\d+", line)
                if found:
                    with urllib.request.urlopen(f"{found.group()}/readyz", timeout=60) as answer:
                        answer.read()
                    return
            raise RuntimeError("the server ended before it said where it answers")
        finally:
            server.terminate()


def main() -> None:
    """Build, check and try; the first failure ends it."""
    wheels, source = build()
    for name, (_, targets) in WHEELS.items():
        check_contents(wheels[name], targets)
        print(f"{wheels[name].name}: {wheels[name].stat().st_size / 1e6:.2f} MB")
    wheel = wheels.get(platform.machine() if sys.platform == "linux" else "any", wheels["any"])
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        versions = work / "versions.txt"
        locked = re.findall(
            r"^(\S+==\S+(?: ; [^\\\n]+)?)", (ROOT / "constraints.txt").read_text(), re.MULTILINE
        )
        versions.write_text("\n".join(locked), encoding="utf-8")
        programs = install(work / "wheel", str(wheel), versions)
        check_core(programs, work)
        check_kernels(programs, work)
        print(f"{wheel.name}: works without extras")
        check_extras(install(work / "all", f"{wheel}[all]", versions), work)
        print(f"{wheel.name}: works with all extras")
        check_core(install(work / "source", str(source), versions), work)
        print(f"{source.name}: works without extras")


if __name__ == "__main__":
    main()
