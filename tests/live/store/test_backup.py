"""A backup is one moment of the store, and becomes a store of either kind again."""

from __future__ import annotations

import hashlib
import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from threading import Event, Thread

import pytest
from sqlalchemy import func, insert, select

from prowess.live.errors import StoreInUse, StoreOutOfReach, WrongUse
from prowess.live.store import access, backup
from prowess.live.store.backup import (
    COPIED,
    BackupPlan,
    list_backups,
    name_of,
    restore_backup,
    write_backup,
    write_due_backup,
)
from prowess.live.store.store import open_store, save_log
from prowess.live.store.tables import TABLES, result, revision, setting, version
from tests.live.store.facts import Book, line, targets
from tests.refusals import refused


@pytest.fixture(params=["sqlite", "postgresql"])
def other_url(request, tmp_path, new_postgres):
    """Where to restore to: an empty store of either kind."""
    return str(tmp_path / "other.db") if request.param == "sqlite" else new_postgres()


def written(connection):
    """A little of everything, with values that are easily bent on the way."""
    book = Book(connection)
    main = book.begin("main")
    ada, ben, cleo = book.enrol("Ada"), book.enrol("Bén 🏓 'x'"), book.enrol("Cleo")
    book.merge(ada, cleo)  # into one with a later number
    number = book.record(main, ada, ben, 0.1 + 0.2)
    book.record(main, None, None, None, places={ada: 1.0, ben: 2.5})
    book.revisit(number, "void", "void", ada, ben, 5e-324)
    _, number = access.make_token(connection, "Ada", ["submit"], now=2**52 + 1)
    access.begin_session(connection, number, 2**52 + 1)
    line("x\n" * 3)(connection)
    save_log(connection, main, 1, "f", b"\0cache", now=1)
    connection.execute(insert(setting), {"key": "cookies", "value": "ü"})
    return main


def contents(store):
    """Every row of every table."""
    with store.read() as connection:
        return {
            table.name: [
                tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))
            ]
            for table in TABLES.sorted_tables
        }


def test_there_and_back(store, other_url, tmp_path):
    """Every row arrives as it was; caches, and who is signed in, stay behind."""
    store.writer.do(written)
    counts = write_backup(store, tmp_path / "copy.db")
    assert restore_backup(tmp_path / "copy.db", other_url) == counts
    with closing(open_store(other_url)) as other:
        before, after = contents(store), contents(other)
        for name in ("checkpoint", "session"):
            assert before.pop(name)
            assert after.pop(name) == []
        assert after == before
        assert counts == {name: len(rows) for name, rows in before.items()}
        assert counts["placing"] == 2


def test_numbering_goes_on(store, other_url, tmp_path):
    """What is added after a restore gets the next number, as it would have in the old store."""
    main = store.writer.do(written)
    write_backup(store, tmp_path / "copy.db")
    restore_backup(tmp_path / "copy.db", other_url)

    def add(connection):
        book = Book(connection)
        return book.record(main, book.enrol("Dan"), 2, 1.0), book.begin("second")

    with closing(open_store(other_url)) as other:
        assert other.writer.do(add) == store.writer.do(add)


def test_one_moment_under_load(store, other_url, tmp_path, monkeypatch):
    """Backed up while results pour in, the copy is the store at exactly one revision."""
    monkeypatch.setattr(backup, "CHUNK", 10)  # many questions to one snapshot
    stop, halfway = Event(), Event()

    def begin(connection):
        book = Book(connection)
        return book.begin("main"), book.enrol("Ada"), book.enrol("Ben")

    main, ada, ben = store.writer.do(begin)

    def pour():
        while not stop.is_set():
            store.writer.do(lambda c: [Book(c).record(main, ada, ben, 1.0) for _ in range(3)])
            halfway.set()

    thread = Thread(target=pour)
    thread.start()
    try:
        for turn in range(3):
            halfway.clear()
            assert halfway.wait(30)
            counts = write_backup(store, tmp_path / f"{turn}.db")
    finally:
        stop.set()
        thread.join()
    restore_backup(tmp_path / "2.db", other_url)
    with closing(open_store(other_url)) as other, other.read() as c, store.read() as now:
        last = c.scalar(select(func.max(revision.c.id)))
        assert counts["revision"] == last  # without gaps
        assert (last - 3) % 3 == 0  # whole jobs only
        assert counts["result"] == counts["version"] == last - 3
        for table, column in ((version, version.c.revision), (result, result.c.revision)):
            rows = select(table).order_by(column)
            assert c.execute(rows).all() == now.execute(rows.where(column <= last)).all()
        assert now.scalar(select(func.max(revision.c.id))) > last


def test_a_backup_is_a_store(store, tmp_path):
    """The copy is one file, and can be opened as it is."""
    store.writer.do(written)
    (tmp_path / "there").mkdir()
    write_backup(store, tmp_path / "there" / "copy.db")
    assert [file.name for file in (tmp_path / "there").iterdir()] == ["copy.db"]
    # "The SQLite database file format", 1.3: 1 in bytes 18 and 19 is a journal, 2 a log beside it
    assert (tmp_path / "there" / "copy.db").read_bytes()[18:20] == b"\x01\x01"
    with closing(open_store(str(tmp_path / "there" / "copy.db"))) as copy:
        assert targets(copy) == targets(store)


@pytest.mark.skipif(os.name == "nt", reason="files have no such rights there")
def test_nobody_else_may_read(tmp_path):
    """Stores and backups, which hold keys and secrets, are for their owner only."""
    before = os.umask(0o022)
    try:
        with closing(open_store(str(tmp_path / "ladder.db"))) as store:
            store.writer.do(written)
            write_backup(store, tmp_path / "copy.db")
            modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.glob("*.db*")}
    finally:
        os.umask(before)
    assert set(modes) == {"ladder.db", "ladder.db-wal", "ladder.db-shm", "copy.db"}
    assert set(modes.values()) == {0o600}


def test_nothing_is_overwritten(store, tmp_path):
    """A file that is there already stays as it is."""
    file = tmp_path / "copy.db"
    file.write_text("precious", encoding="utf-8")
    with refused(WrongUse, "file_exists"):
        write_backup(store, file)
    assert file.read_text(encoding="utf-8") == "precious"


def test_no_half_backups(store, tmp_path, monkeypatch):
    """A backup that fails on its way leaves no file, and says what was wrong."""
    (tmp_path / "there").mkdir()
    with refused(StoreOutOfReach, "file_not_written", about="no/such/folder"):
        write_backup(store, tmp_path / "no/such/folder/copy.db")

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "copy_tables", fails)
    with refused(StoreOutOfReach, "file_not_written", about="space"):
        write_backup(store, tmp_path / "there" / "copy.db")
    assert list((tmp_path / "there").iterdir()) == []


@pytest.fixture
def copy(tmp_path):
    """A backup."""
    with closing(open_store(str(tmp_path / "first.db"))) as store:
        store.writer.do(written)
        write_backup(store, tmp_path / "copy.db")
    return tmp_path / "copy.db"


def test_only_into_an_empty_store(copy, store_url):
    """A store that holds anything is left as it is."""
    with closing(open_store(store_url)) as store:
        store.writer.do(line("a"))
        with refused(WrongUse, "store_not_empty"):
            restore_backup(copy, store_url)
        assert targets(store) == ["a"]


def test_not_under_a_server(copy, store_url):
    """A store that a server keeps is not restored into."""
    with closing(open_store(store_url)) as store:
        store.claim()
        with pytest.raises(StoreInUse):
            restore_backup(copy, store_url)
        assert contents(store) == {table.name: [] for table in TABLES.sorted_tables}


def test_all_or_nothing(copy, store_url, monkeypatch):
    """A restore that fails at the last table leaves the store empty."""
    monkeypatch.setattr(backup, "COPIED", [*COPIED, None])
    with pytest.raises(AttributeError):
        restore_backup(copy, store_url)
    monkeypatch.undo()
    with closing(open_store(store_url)) as store:
        assert contents(store) == {table.name: [] for table in TABLES.sorted_tables}
    restore_backup(copy, store_url)


def test_the_backup_stays_as_it_is(copy, store_url):
    """Restoring changes no byte of the backup, and leaves nothing beside it."""
    before = hashlib.sha256(copy.read_bytes()).digest()
    beside = set(copy.parent.iterdir())
    restore_backup(copy, store_url)
    assert hashlib.sha256(copy.read_bytes()).digest() == before
    assert {file.name for file in set(copy.parent.iterdir()) - beside} <= {
        "ladder.db", "ladder.db.lock",
    }  # fmt: skip


def test_no_whole_backups(copy, store_url):
    """A file cut short, one of something else and one that is not there are refused."""
    whole = copy.read_bytes()
    for wrong in (whole[: len(whole) // 2], b"date,player_a\n" * 500, b"", whole[:100]):
        copy.write_bytes(wrong)
        with refused(StoreOutOfReach, "damaged_backup"):
            restore_backup(copy, store_url)
    copy.unlink()
    with refused(StoreOutOfReach, "no_such_file"):
        restore_backup(copy, store_url)


DAWN = datetime(2026, 3, 8, 4, 30, tzinfo=UTC)


def test_backups_by_schedule(store, tmp_path):
    """One a day, whole, the newest three kept; files of others in the folder stay."""
    store.writer.do(written)
    plan = BackupPlan(tmp_path / "backups" / "club", hours=24.0, kept=3)
    name = name_of(store)
    first = write_due_backup(store, plan, DAWN)
    assert first.name == f"{name}-20260308T043000Z.db"
    others = [plan.folder / f"{name}-mine.db", plan.folder / "other-20260307T043000Z.db"]
    for other in others:
        other.write_text("mine")
    assert write_due_backup(store, plan, DAWN + timedelta(hours=23.9)) is None
    for day in range(1, 5):
        assert write_due_backup(store, plan, DAWN + timedelta(days=day)) is not None
    kept = list_backups(plan.folder, name)
    assert list(kept.values()) == [DAWN + timedelta(days=day) for day in (2, 3, 4)]
    assert [other.read_text() for other in others] == ["mine"] * 2
    with closing(open_store(str(max(kept)))) as copy:
        assert contents(copy)["result"] == contents(store)["result"]


@pytest.mark.parametrize("kept", [1, 4, 14])
def test_as_many_backups_are_kept_as_are_asked_for(tmp_path, monkeypatch, kept):
    """Never fewer than there are to keep, whatever their number; a clock set back stops nothing."""
    monkeypatch.setattr(backup, "write_backup", lambda _, file: file.write_text(""))
    with closing(open_store(str(tmp_path / "club.db"))) as store:
        plan = BackupPlan(tmp_path / "backups", kept=kept)
        for day in range(40):
            assert write_due_backup(store, plan, DAWN + timedelta(days=day)) is not None
            assert len(list_backups(plan.folder, "club")) == min(kept, day + 1)
        ahead = list_backups(plan.folder, "club")
        assert write_due_backup(store, plan, min(ahead.values()) - timedelta(days=1)) is not None


def test_a_backup_that_fails_deletes_none(store, tmp_path, monkeypatch):
    """Where the new one cannot be written, the old ones stay, and the error names the folder."""
    store.writer.do(written)
    plan = BackupPlan(tmp_path, kept=1)
    write_due_backup(store, plan, DAWN)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "sync_path", fail)
    with refused(StoreOutOfReach, "file_not_written"):
        write_due_backup(store, plan, DAWN + timedelta(days=1))
    assert list(list_backups(tmp_path, name_of(store)).values()) == [DAWN]
    (tmp_path / "file").write_text("")
    with refused(StoreOutOfReach, "file_not_written"):
        write_due_backup(store, BackupPlan(tmp_path / "file" / "deep"), DAWN)
