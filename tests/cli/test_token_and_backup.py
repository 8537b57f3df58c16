"""`prowess token`, `backup`, `restore` and `upgrade`: the books of a live ladder."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from prowess.live.store.store import open_store
from tests.cli.command import answered, prowess, refused
from tests.live.store.first_tables import make_old_store


@pytest.fixture
def books(tmp_path):
    """A store without facts."""
    open_store(str(tmp_path / "ladder.db")).close()
    return tmp_path / "ladder.db"


def listed(store):
    """The tokens there are."""
    return json.loads(answered("token", "list", "--json", "--store", store))


def test_a_token_is_shown_once(books):
    """`token add` prints the secret and nothing else; no list shows it again."""
    secret = answered("token", "add", "Ada", "--scope", "submit", "--scope", "read", "--source",
                      "club", "--review", "--expires", "2999-01-01", "--store", books)  # fmt: skip
    assert secret.startswith("prw_")
    assert len(secret) == 4 + 43 + 1
    (row,) = listed(books)
    assert (row["name"], row["scopes"], row["source"], row["review"], row["state"]) == (
        "Ada", ["read", "submit"], "club", True, "good",
    )  # fmt: skip
    assert row["expires"] == 32_472_230_400_000_000  # date -u -d 2999-01-02 +%s
    shown = answered("token", "list", "--store", books)
    assert "Ada" in shown
    assert "2999-01-01" in shown
    assert secret.strip() not in shown


def test_revoked(books):
    """A revoked token says so; revoking one that is not there is wrong use."""
    answered("token", "add", "Ada", "--scope", "admin", "--store", books)
    assert answered("token", "revoke", 1, "--store", books) == ""
    assert [row["state"] for row in listed(books)] == ["revoked"]
    assert "no token 7" in refused(2, "token", "revoke", 7, "--store", books)


def test_the_store_by_environment(books):
    """Without --store it is PROWESS_STORE, and without that ladder.db here."""
    answered("token", "add", "Ada", "--scope", "read", PROWESS_STORE=str(books))
    done = prowess("token", "list", "--json", cwd=books.parent)
    assert [row["name"] for row in json.loads(done.stdout)] == ["Ada"]


def test_backup_while_a_server_runs(books, tmp_path):
    """A store is backed up under its server, and comes back with all its rows."""
    answered("token", "add", "Ada", "--scope", "read", "--store", books)
    with closing(open_store(str(books))) as server:
        server.claim()
        done = prowess("backup", tmp_path / "copy.db", "--store", books)
        assert (done.returncode, done.stdout) == (0, "")
        assert "1 in token" in done.stderr
        assert "in use" in refused(4, "restore", tmp_path / "copy.db", "--store", books)
    answered("restore", tmp_path / "copy.db", "--store", tmp_path / "new.db")
    assert listed(tmp_path / "new.db") == listed(books)
    told = refused(2, "restore", tmp_path / "copy.db", "--store", tmp_path / "new.db")
    assert "not empty" in told
    assert "exists already" in refused(2, "backup", tmp_path / "copy.db", "--store", books)


def test_upgrade(tmp_path):
    """A dry run leaves every byte of the tables; the upgrade brings them up to date once."""
    store = tmp_path / "old.db"
    make_old_store(str(store)).close()
    before = read_tables(store)
    words = ["upgrade", "--store", store]
    told = answered(*words, "--dry-run")
    assert [line[:12] for line in told.splitlines()[:2]] == ["0001 to 0002", "0002 to 0003"]
    assert "was taken back, tables of version 0001" in told
    assert read_tables(store) == before
    found = json.loads(answered(*words, "--json"))
    assert (found["found"], found["latest"], len(found["steps"])) == ("0001", "0006", 5)
    assert read_tables(store) != before
    assert answered(*words) == f"{store}: up to date, tables of version 0006\n"


def test_upgrade_refuses_a_store_in_use(tmp_path):
    """Nothing is upgraded under a server, nor what is no store."""
    store = tmp_path / "old.db"
    with closing(make_old_store(str(store))) as server:
        server.claim()
        for more in ([], ["--dry-run"]):
            assert "stop the other server" in refused(4, "upgrade", "--store", store, *more)
    assert "0001 to 0002" in answered("upgrade", "--store", store, "--dry-run")
    assert "prowess serve" in refused(4, "upgrade", "--store", tmp_path / "missing.db")
    assert not (tmp_path / "missing.db").exists()


def read_tables(path):
    """The tables of a file, as the database describes them, and their version."""
    with closing(sqlite3.connect(path)) as file:
        tables = file.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()
        return tables, file.execute("SELECT version_num FROM alembic_version").fetchall()


@pytest.mark.parametrize(
    ("code", "arguments", "told"),
    [
        (4, ["token", "list", "--store", "missing.db"], "no store missing.db"),
        (4, ["backup", "b.db", "--store", "missing.db"], "prowess serve"),
        (4, ["restore", "missing.db", "--store", "new.db"], "prowess backup"),
        (4, ["token", "list", "--store", "postgresql://me:secret@127.0.0.1:1/db"], "server runs"),
        (2, ["token", "list", "--store", "mysql://me:secret@host/db"], "mysql"),
        (2, ["token", "add", "Ada"], "--scope"),
        (2, ["token", "add", "Ada", "--scope", "write"], "submit"),
        (2, ["token", "add", "Ada", "--scope", "read", "--expires", "1999-01-01"], "expired"),
        (2, ["token", "add", "Ada", "--scope", "read", "--expires", "soon"], "2024-06-30"),
    ],
)
def test_refusals(books, code, arguments, told):
    """A store out of reach ends with 4, wrong use with 2; no password is ever shown."""
    said = refused(code, *arguments, cwd=books.parent)
    assert told in said
    assert "secret" not in said
    assert [file.name for file in books.parent.iterdir()] == ["ladder.db"]
