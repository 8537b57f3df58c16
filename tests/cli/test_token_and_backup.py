"""`prowess token`, `prowess backup`, `prowess restore`: the books of a live ladder."""

from __future__ import annotations

import json
from contextlib import closing

import pytest

from prowess.live.store.store import open_store
from tests.cli.command import answered, prowess, refused


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
