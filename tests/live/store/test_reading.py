"""Stores that are copied, empty, damaged, old or read-only: each is named as such, none changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from prowess.live.errors import StoreDamaged, StoreEmpty, StoreError
from prowess.live.journal.journal import verify_store
from prowess.live.store import migrations
from prowess.live.store.backup import write_backup
from prowess.live.store.reading import check_begun, open_to_read
from prowess.live.store.store import open_store
from tests.live.journal.journals import game, open_journal, record_games
from tests.live.store.facts import line, targets
from tests.live.store.first_tables import make_old_store
from tests.refusals import refused

PAGE = 4096  # bytes of a page of SQLite


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {one.name: one.read_bytes() for one in folder.iterdir()}


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    """The file of a store with a category of 3,000 games, closed."""
    path = tmp_path / "club.db"
    journal = open_journal(str(path))
    record_games(journal, *(game(f"p{k % 50}", f"p{50 + k % 37}", k % 2) for k in range(3_000)))
    journal.close()
    path.with_name("club.db.lock").unlink()
    return path


def test_a_copy_of_an_idle_store_has_everything(tmp_path: Path) -> None:
    """A second after the last result a plain copy of the file, without its log, has them all."""
    path, copy = tmp_path / "club.db", tmp_path / "copy.db"
    store = open_store(str(path))
    with store.read() as connection:  # an earlier moment, which the file need not lack for
        connection.exec_driver_sql("SELECT count(*) FROM audit").scalar()
        store.writer.do(line("a"))
    store.writer.do(line("b"))
    assert path.with_name("club.db-wal").stat().st_size > 0
    found: list[str] = []
    for _ in range(100):
        time.sleep(0.1)
        shutil.copyfile(path, copy)
        with closing(open_store(str(copy))) as copied:
            found = targets(copied)
        if found == ["a", "b"]:
            break
    assert found == ["a", "b"]
    store.writer.do(line("c"))
    store.writer.close()  # readers may still have it open
    shutil.copyfile(path, copy)
    with closing(open_store(str(copy))) as copied:
        assert targets(copied) == ["a", "b", "c"]
    store.close()


def test_no_category(tmp_path: Path) -> None:
    """An empty file, and tables without a category, are no ladder; nothing is written into them."""
    path = tmp_path / "club.db"
    path.touch()
    with refused(StoreEmpty, "store_empty", about=["no category in this store", str(path)]):
        verify_store(str(path))
    with refused(StoreEmpty, "store_empty", about=["--category", str(path)]):
        check_begun(str(path))
    assert files_of(tmp_path) == {"club.db": b""}
    open_store(str(path)).close()
    before = files_of(tmp_path)
    with refused(StoreEmpty, "store_empty", about=["no category in this store", str(path)]):
        verify_store(str(path))
    with refused(StoreEmpty, "store_empty", about=["--category", str(path)]):
        check_begun(str(path))
    assert files_of(tmp_path) == before


def test_what_may_be_begun(ladder: Path, tmp_path: Path, new_postgres) -> None:
    """A new file, a ladder and an empty database of a server are no mistakes."""
    check_begun(str(tmp_path / "new.db"))
    assert not (tmp_path / "new.db").exists()
    check_begun(str(ladder))
    check_begun(new_postgres())


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_zeros(ladder: Path, share: float) -> None:
    """Zeros anywhere in the file are damage, and the remedy is the backup."""
    content = bytearray(ladder.read_bytes())
    start = round(share * len(content) / PAGE) * PAGE
    content[start : start + 4 * PAGE] = bytes(4 * PAGE)
    ladder.write_bytes(content)
    with refused(StoreDamaged, "store_damaged", about=["restore the backup", str(ladder)]):
        verify_store(str(ladder))
    assert ladder.read_bytes() == content


def test_half_a_file(ladder: Path) -> None:
    """A file that was copied in part is damaged."""
    content = ladder.read_bytes()
    ladder.write_bytes(content[: len(content) // 2])
    with refused(StoreDamaged, "store_damaged", about="restore the backup"):
        verify_store(str(ladder))


def test_damage_is_found_by_writers(ladder: Path) -> None:
    """A job that meets damage fails with the remedy, not with the words of SQL."""
    with closing(sqlite3.connect(ladder)) as raw:
        page = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = 'audit'").fetchone()[0]
    content = bytearray(ladder.read_bytes())
    content[PAGE * (page - 1) : PAGE * page] = bytes(PAGE)
    ladder.write_bytes(content)
    with (
        closing(open_store(str(ladder))) as store,
        refused(StoreDamaged, "store_damaged", about="restore the backup"),
    ):
        store.writer.do(line("a"))


def test_earlier_tables_are_read_from_a_copy(tmp_path: Path) -> None:
    """A store of an earlier version is read as it would be after its migration, which waits."""
    path = tmp_path / "old.db"
    old = make_old_store(str(path))
    old.writer.do(line("kept"))
    old.close()
    with open_to_read(str(path)) as store:
        assert targets(store) == ["kept"]
        assert str(store) == str(path)
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]


def test_earlier_tables_of_a_database_server(postgres_url: str) -> None:
    """A database of an earlier version is brought up to date by its server, not by a reader."""
    make_old_store(postgres_url).close()
    with (
        refused(StoreError, "store_too_old", about=["prowess serve", "0001"]),
        open_to_read(postgres_url),
    ):
        pass
    with closing(open_store(postgres_url)) as store, store.read() as connection:
        assert migrations.read_version(connection, "") == migrations.LAST_MIGRATION


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A disk; `lock_disk` makes it read-only."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here: needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def lock_disk(place: Path) -> None:
    """Make a disk read-only."""
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)


def test_a_read_only_disk(read_only: Path, ladder: Path, tmp_path: Path) -> None:
    """A store on a disk that is read-only is checked and backed up."""
    path = Path(shutil.copy(ladder, read_only / "club.db"))
    lock_disk(read_only)
    (proof,) = verify_store(str(path))
    assert (proof.results, proof.differences) == (3_000, ())
    with open_to_read(str(path)) as store:
        assert write_backup(store, tmp_path / "backup.db")["result"] == 3_000


@pytest.mark.parametrize("index", [True, False])
def test_a_log_on_a_read_only_disk(
    read_only: Path, ladder: Path, tmp_path: Path, index: bool
) -> None:
    """What only the log beside the file has is read too, with its index or without."""
    with closing(open_store(str(ladder))) as store:
        store.writer.do(line("in the log"))
        for one in ladder.parent.glob("club.db*"):
            if index or not one.name.endswith("-shm"):
                shutil.copy(one, read_only / one.name)
    lock_disk(read_only)
    path = read_only / "club.db"
    with open_to_read(str(path)) as store:
        assert "in the log" in targets(store)
        assert str(store) == str(path)
        write_backup(store, tmp_path / "backup.db")
    with open_to_read(str(tmp_path / "backup.db")) as store:
        assert "in the log" in targets(store)
