"""A temporary folder that the next server deletes where this one was killed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir
from time import time

from prowess.live.errors import StoreError
from prowess.live.store.store import claim_file

PREFIX = "prowess-uploads-"  # of the names of such folders
NEW = 60.0  # seconds in which a new folder is claimed
CLAIM = "claim"  # claim.lock is free when its owner is dead


class ClaimedFolder:
    """A folder in the system's place for temporary files; those of dead owners are deleted."""

    def __init__(self) -> None:
        delete_abandoned_folders()
        self.folder = TemporaryDirectory(prefix=PREFIX)
        self.path = Path(self.folder.name)
        self.claim: sqlite3.Connection = claim_file(self.path / CLAIM)

    def cleanup(self) -> None:
        """Delete the folder with all that is in it."""
        self.claim.close()
        self.folder.cleanup()


def delete_abandoned_folders() -> None:
    """Delete the folders of this user that no process claims."""
    for path in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError, StoreError):
            if is_own_folder(path) and not is_being_made(path):
                claim_file(path / CLAIM).close()  # raises StoreInUse while its owner lives
                rmtree(path)


def is_being_made(path: Path) -> bool:
    """Whether a folder may belong to a process that has not claimed it yet."""
    return not (path / f"{CLAIM}.lock").exists() and time() - path.stat().st_mtime < NEW


def is_own_folder(path: Path) -> bool:
    """Whether a folder, and no link to one, belongs to the user of this process."""
    if path.is_symlink() or not path.is_dir():
        return False
    return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()
