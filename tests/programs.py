"""Programs that tests start: those of the machine, installed first where it is a Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir


def find_program(names: Sequence[str], package: str) -> str | None:
    """The first of these programs that the machine has, or gets with a package of Debian.

    None elsewhere. Workers install one after the other.
    """
    if (found := look_up(names)) is not None:
        return found
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    unasked = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with (Path(gettempdir()) / "prowess-tests-apt.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if (found := look_up(names)) is None:
            for words in (["update"], ["install", "--yes", "--no-install-recommends", package]):
                line = ["apt-get", "--quiet", *words]
                with suppress(subprocess.TimeoutExpired):
                    subprocess.run(line, check=False, timeout=600, env=unasked, capture_output=True)
            found = look_up(names)
    return found


def look_up(names: Sequence[str]) -> str | None:
    """The first of these programs on the path, or among those of administrators."""
    paths = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin"))
    return next(filter(None, (shutil.which(name, path=paths) for name in names)), None)
