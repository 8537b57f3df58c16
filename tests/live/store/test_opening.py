"""Opening a store: tables up to date, one server at a time, and errors of one line."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from threading import Thread, Timer

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, inspect, select, text
from sqlalchemy.sql.ddl import SchemaGenerator

from prowess.live.errors import (
    StoreDamaged,
    StoreError,
    StoreInUse,
    StoreOutOfReach,
    StoreTooNew,
    WrongUse,
)
from prowess.live.store import migrations
from prowess.live.store.database import format_address, parse_address
from prowess.live.store.store import open_store
from prowess.live.store.tables import TABLES, session, setting
from tests.live.store.facts import line, targets
from tests.live.store.first_tables import make_old_store
from tests.refusals import refused

ROOT = Path(__file__).parents[3]
CLAIMS = """
import sys, time
from prowess.live.store.store import open_store
store = open_store(sys.argv[1])
store.claim()
print("claimed", flush=True)
time.sleep(600)
"""


def environment():
    """Ours, with the sources first."""
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}


def test_head_is_the_tables(store):
    """A new store has exactly the tables that the program knows."""
    check_tables(store)


def test_each_database_indexes_only_the_deliveries_that_wait(store):
    """What one database makes of the tables is not written into those that all share."""
    made = {
        "sqlite": "SELECT sql FROM sqlite_master WHERE name = 'ix_delivery_waiting'",
        "postgresql": "SELECT indexdef FROM pg_indexes WHERE indexname = 'ix_delivery_waiting'",
    }
    with store.read() as connection:
        told = connection.scalar(text(made[connection.dialect.name]))
    assert "WHERE" in told
    assert "next_at IS NOT NULL" in told
    (shared,) = (one for one in TABLES.tables["delivery"].indexes)
    assert [*shared.dialect_kwargs] == ["sqlite_where"]


def check_tables(store):
    """The tables of a store, as the database describes them, are those of the program."""
    with store.read() as connection:
        assert migrations.read_version(connection, "") == migrations.LAST_MIGRATION
        found = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(found, TABLES) == []
        looks = inspect(connection)
        for name, table in TABLES.tables.items():  # what Alembic does not compare
            assert set(looks.get_pk_constraint(name)["constrained_columns"]) == {
                column.name for column in table.primary_key
            }
        keys = looks.get_foreign_keys("player")
        assert [one["options"].get("deferrable") for one in keys
                if one["constrained_columns"] == ["merged_into"]] == [True]  # fmt: skip


def test_what_was_written_is_there_again(store_url):
    """Closing and opening keeps everything and changes nothing."""
    store = open_store(store_url)
    store.writer.do(line("a"))
    store.close()
    store = open_store(store_url, create=False)
    assert targets(store) == ["a"]
    store.close()


def test_a_new_file_that_another_writes_to_is_waited_for(tmp_path):
    """SQLite itself refuses at once to change the journal of such a file."""
    other = sqlite3.connect(tmp_path / "new.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = Timer(0.3, other.close)
    release.start()
    open_store(str(tmp_path / "new.db")).close()
    release.join()


def test_many_open_at_once(store_url):
    """Those who open an empty store at the same moment find one set of tables."""
    stores = []
    threads = [Thread(target=lambda: stores.append(open_store(store_url))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, store in enumerate(stores):
        store.writer.do(line(number))
    assert sorted(targets(stores[0])) == list("0123")
    for store in stores:
        store.close()


def test_one_server(store_url):
    """A second server is refused until the first has closed; readers and writers are not."""
    first, second = open_store(store_url), open_store(store_url)
    first.claim()
    with refused(StoreInUse, "store_in_use") as error:
        second.claim()
    assert "\n" not in str(error.value)
    second.writer.do(line("a token made at the console"))
    assert targets(first) == ["a token made at the console"]
    first.close()
    second.claim()
    second.close()


def test_a_claim_dies_with_its_process(store_url):
    """A server that is killed leaves the store free at once, in whatever state it was."""
    child = subprocess.Popen(
        [sys.executable, "-c", CLAIMS, store_url], stdout=subprocess.PIPE, env=environment()
    )
    assert child.stdout.readline() == b"claimed\n"
    store = open_store(store_url)
    with pytest.raises(StoreInUse):
        store.claim()
    child.send_signal(signal.SIGKILL)
    child.communicate()
    claimed(store)
    store.close()


def claimed(store):
    """PostgreSQL hears of a death a moment later."""
    for _ in range(500):
        try:
            return store.claim()
        except StoreInUse:
            time.sleep(0.01)
    return store.claim()


def test_too_new(store_url):
    """Tables of a later program are left alone, and the message says so."""
    store = open_store(store_url)
    store.writer.do(lambda c: c.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    store.close()
    with refused(StoreTooNew, "store_too_new", about="9999") as error:
        open_store(store_url)
    assert "\n" not in str(error.value)


def test_tables_of_something_else(store_url):
    """A database with other tables in it is not touched."""
    store = open_store(store_url)
    store.writer.do(lambda c: c.execute(text("DROP TABLE alembic_version")))
    store.close()
    with refused(StoreError, "not_a_store"):
        open_store(store_url)


def test_files_of_others_stay_as_they_are(tmp_path):
    """Not a byte of a database of something else is changed."""
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE game (a, b)")
    before = file.read_bytes()
    with refused(StoreError, "not_a_store"):
        open_store(str(file))
    assert file.read_bytes() == before


def test_opening_waits_for_nobody(store_url):
    """A store is opened and read while a job of its server goes on."""
    store = open_store(store_url)

    def job(connection):
        line("half done")(connection)
        other = open_store(store_url)
        seen = targets(other)
        other.close()
        return seen

    assert store.writer.do(job) == []
    store.close()


def test_a_store_of_the_first_version(store_url):
    """A store with the first tables opens with all it holds, and without the key of cookies."""
    old = make_old_store(store_url)
    old.writer.do(line("kept"))
    for key in ("cookie_key", "rumble.retired.main"):
        row = {"key": key, "value": "x"}
        old.writer.do(lambda connection, row=row: connection.execute(insert(setting), row))
    old.close()
    store = open_store(store_url, create=False)
    assert targets(store) == ["kept"]
    check_tables(store)
    with store.read() as connection:
        assert connection.scalars(select(setting.c.key)).all() == ["rumble.retired.main"]
        assert connection.execute(select(session)).all() == []
    store.close()


def test_migrations_are_all_or_nothing(store_url, monkeypatch):
    """Where the making of tables or a migration fails on its way, the store stays as it was."""

    def fails(*_, **__):
        raise ValueError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(SchemaGenerator, "visit_index", fails)
        with pytest.raises(ValueError, match="power cut"):
            open_store(store_url)
    old = make_old_store(store_url)  # would find tables that are there already
    old.close()
    with monkeypatch.context() as patch:
        patch.setitem(migrations.MIGRATIONS, "0002", fails)
        with pytest.raises(ValueError, match="power cut"):
            open_store(store_url)
    with old.read() as connection:
        assert migrations.read_version(connection, "") == "0001"
        assert "session" not in inspect(connection).get_table_names()
    old.close()
    open_store(store_url).close()


@pytest.mark.parametrize(
    ("url", "error", "told"),
    [
        ("", WrongUse, ("no_store_named",)),
        ("sqlite://", WrongUse, ("store_in_memory",)),
        ("sqlite:///:memory:", WrongUse, ("store_in_memory",)),
        ("mysql://me:secret@host/db", WrongUse, ("unknown_kind_of_store",)),
        ("postgresql://me:secret@host:port/db", WrongUse, ("bad_store_address",)),
        ("postgresql://me:secret@127.0.0.1:1/db", StoreOutOfReach, ("store_out_of_reach", "runs")),
        (
            "postgresql://me:secret@nowhere.invalid/db",
            StoreOutOfReach,
            ("store_out_of_reach", "right"),
        ),
        ("no/such/folder/ladder.db", StoreOutOfReach, ("store_out_of_reach", "exists")),
    ],
)
def test_errors_of_one_line(url, error, told, tmp_path, monkeypatch):
    """An address that leads nowhere is one line that helps and never shows the password."""
    monkeypatch.chdir(tmp_path)
    with refused(error, told[0], about=told[1:]) as caught:
        open_store(url)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_no_file(tmp_path):
    """Without `create` a store that is not there is an error, and still not there."""
    with refused(StoreOutOfReach, "no_store"):
        open_store(str(tmp_path / "ladder.db"), create=False)
    assert list(tmp_path.iterdir()) == []


def test_no_database(tmp_path):
    """A file that is something else is not touched."""
    file = tmp_path / "games.csv"
    file.write_text("date,player_a,player_b,result\n" * 100, encoding="utf-8")
    with refused(StoreDamaged, "store_damaged", about="games.csv"):
        open_store(str(file))
    assert file.read_text(encoding="utf-8").startswith("date,")


def test_wrong_password(new_postgres):
    """A wrong password and a missing database are told apart, in one line."""
    url = new_postgres()
    missing = url.replace("@/test_", "@/missing_")
    with refused(StoreOutOfReach, "store_out_of_reach", about="does") as error:
        open_store(missing)
    assert "\n" not in str(error.value)
    import psycopg

    folder = Path(url.partition("host=")[2])
    rules = folder / "data" / "pg_hba.conf"
    before = rules.read_text(encoding="utf-8")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE ada LOGIN PASSWORD 'right'")
        try:
            rules.write_text(f"local all ada scram-sha-256\n{before}", encoding="utf-8")
            connection.execute("SELECT pg_reload_conf()")
            with refused(StoreOutOfReach, "store_out_of_reach", about="password") as error:
                open_store(url.replace("postgres@", "ada:geheim@"))
            assert "geheim" not in str(error.value)
            assert "\n" not in str(error.value)
        finally:
            rules.write_text(before, encoding="utf-8")
            connection.execute("SELECT pg_reload_conf()")


def test_no_right_to_make_tables(new_postgres):
    """Somebody who may not create tables is told which right is missing, in one line."""
    import psycopg

    url = new_postgres()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE ben LOGIN")
    with refused(StoreOutOfReach, "store_out_of_reach", about="denied") as error:
        open_store(url.replace("postgres@", "ben@"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "kind", "shows"),
    [
        ("ladder.db", "sqlite", "ladder.db"),
        ("sqlite:///ladder.db", "sqlite", "ladder.db"),
        ("sqlite:////srv/ladder.db", "sqlite", "/srv/ladder.db"),
        ("postgresql://ada:secret@host/db", "postgresql", "postgresql://ada:***@host/db"),
        ("postgres://ada@host/db", "postgresql", "postgresql://ada@host/db"),
        ("postgresql+psycopg://ada@host/db", "postgresql", "postgresql://ada@host/db"),
    ],
)
def test_addresses(text, kind, shows):
    """Files and databases are told apart by their address, which is shown without its password."""
    url = parse_address(text)
    assert (url.get_backend_name(), format_address(url)) == (kind, shows)


def test_an_empty_table_of_versions(tmp_path):
    """A database with a table of versions that holds none is empty, and becomes a store."""
    file = tmp_path / "empty.db"
    with closing(sqlite3.connect(file)) as raw:
        raw.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        raw.commit()
    open_store(str(file)).close()
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (migrations.LAST_MIGRATION,)
        ]
