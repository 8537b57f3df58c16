"""Uploads of a server that was killed are deleted by the next one, and nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from prowess.live.web.imports import OWNED, ClaimedFolder
from tests.cli.command import environment

HOLDS = """
import time
from prowess.live.web.imports import ClaimedFolder
folder = ClaimedFolder()
(folder.path / "games.csv").write_text("a,b")
print(folder.path, flush=True)
time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are, here and in processes of the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_uploads_of_a_killed_server(place: Path) -> None:
    """A folder stays while its process lives, and is gone at the first start after its death."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True,
        env=environment(TMPDIR=str(place)),
    )  # fmt: skip
    assert child.stdout is not None
    held = Path(child.stdout.readline().strip())
    assert held.parent == place
    first = ClaimedFolder()
    assert (held / "games.csv").exists()
    child.kill()
    child.communicate()
    second = ClaimedFolder()
    assert not held.exists()
    assert first.path.exists()
    for one in (first, second):
        one.cleanup()
    assert list(place.iterdir()) == []


def test_folders_of_others(place: Path) -> None:
    """Links, other names, and folders that are being made stay as they are."""
    for name in ("other", f"{OWNED}new"):
        (place / name).mkdir()
    (place / f"{OWNED}link").symlink_to(place / "other", target_is_directory=True)
    (place / f"{OWNED}file").touch()
    if os.geteuid() == 0:
        (place / f"{OWNED}anothers").mkdir()
        os.chown(place / f"{OWNED}anothers", 12_345, 12_345)
        os.utime(place / f"{OWNED}anothers", (0, 0))
    before = set(place.iterdir())
    ClaimedFolder().cleanup()
    assert set(place.iterdir()) == before
    os.utime(place / f"{OWNED}new", (0, 0))
    ClaimedFolder().cleanup()
    assert set(place.iterdir()) == before - {place / f"{OWNED}new"}
