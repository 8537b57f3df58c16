"""Build wheel and sdist, and try them as a user would: `make dist`.

Each is installed into a fresh environment of its own, the wheel without extras and with all of
them, the sdist without. Every version is that of `constraints.txt`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
GAMES = ROOT / "examples" / "international_football_results.csv.gz"


def run(*command: object, status: int = 0, cwd: Path | None = None) -> str:
    """Run a command and return what it prints; raises RuntimeError at another exit status."""
    environment = {
        name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ
    }
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


def build() -> tuple[Path, Path]:
    """The wheel and the sdist, made anew below `dist/`."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    run(sys.executable, "-m", "hatchling", "build", cwd=ROOT)
    (wheel,) = (ROOT / "dist").glob("*.whl")
    (source,) = (ROOT / "dist").glob("*.tar.gz")
    return wheel, source


def check_contents(wheel: Path) -> None:
    """Raise RuntimeError where the wheel lacks a file of the package or holds another."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith("prowess/")}
    tracked = run("git", "ls-files", "src/prowess", cwd=ROOT).splitlines()
    expected = {name.removeprefix("src/") for name in tracked}
    if held != expected:
        raise RuntimeError(f"the wheel differs from the source: {sorted(held ^ expected)[:10]}")


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
    leaderboard = run(prowess, "rate", GAMES, "--top", "3")
    if "Spain" not in leaderboard:
        raise RuntimeError(f"no leaderboard:\n{leaderboard}")
    run(prowess, "report", GAMES, "--output", work / "report.html")
    refusal = run(prowess, "serve", "--store", work / "none.db", "--sample", status=2)
    if "prowess[server]" not in refusal:
        raise RuntimeError(f"serve does not name its extra:\n{refusal}")


def check_extras(programs: Path, work: Path) -> None:
    """With all extras: the compiled loop, and a server that answers."""
    run(programs / "prowess", "rate", GAMES, "--top", "3", "--system", "glicko2")
    command = [
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
    wheel, source = build()
    check_contents(wheel)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        versions = work / "versions.txt"
        locked = re.findall(
            r"^(\S+==\S+(?: ; [^\\\n]+)?)", (ROOT / "constraints.txt").read_text(), re.MULTILINE
        )
        versions.write_text("\n".join(locked), encoding="utf-8")
        check_core(install(work / "wheel", str(wheel), versions), work)
        print(f"{wheel.name}: works without extras")
        check_extras(install(work / "all", f"{wheel}[all]", versions), work)
        print(f"{wheel.name}: works with all extras")
        check_core(install(work / "source", str(source), versions), work)
        print(f"{source.name}: works without extras")


if __name__ == "__main__":
    main()
