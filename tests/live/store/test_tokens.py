"""Tokens: a secret that only its owner has."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import select

from prowess.live.store import access
from prowess.live.store.access import Actor, NoToken
from prowess.live.store.tables import token
from tests.refusals import refused


def made(store, *scopes, **more):
    """A token made at moment 10."""
    return store.writer.do(
        lambda c: access.make_token(c, "Ada", scopes or ["submit"], now=10, **more)
    )


def known(store, secret, now=20):
    """Whom the store takes the owner of a secret for."""
    return store.actors.find(secret, now)


def test_a_token_opens_what_it_says(store):
    """Whoever shows the secret is the actor the token was made for."""
    secret, number = made(store, "submit", "read", source="club", review=True)
    actor = known(store, secret)
    assert actor == Actor(number, "Ada", frozenset({"read", "submit"}), "club", review=True)
    assert [actor.may(scope) for scope in access.SCOPES] == [True, True, False, False]


def test_admin_includes_the_others(store):
    """The scope admin, and the console, may do everything; the other scopes only themselves."""
    secret, _ = made(store, "admin")
    for actor in (known(store, secret), Actor.console()):
        assert all(actor.may(scope) for scope in access.SCOPES)
    secret, _ = made(store, "correct")
    assert [known(store, secret).may(scope) for scope in access.SCOPES] == [
        False,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "wrong", ["", "prw_", "Ada", "prw_" + "x" * 43, "\x00", "ü\udcff", "' OR 1"]
)
def test_other_secrets_open_nothing(store, wrong):
    """Only the very secret is known."""
    secret, _ = made(store)
    assert known(store, wrong) is None
    assert known(store, secret[:-1]) is None
    assert known(store, secret.upper()) is None


def test_expiry_and_revocation(store):
    """A token opens nothing from its last moment on, or once revoked; revoking twice is once."""
    secret, number = made(store, expires=30)
    assert known(store, secret, 29) is not None
    assert known(store, secret, 30) is None
    assert store.writer.do(lambda c: access.revoke_token(c, number, 25))
    assert not store.writer.do(lambda c: access.revoke_token(c, number, 28))
    assert known(store, secret, 26) is None
    with store.read() as connection:
        assert [(row.id, row.revoked, row.scopes) for row in access.list_tokens(connection)] == [
            (number, 25, ("submit",))
        ]


def test_an_actor_is_known_for_a_second(store, monkeypatch):
    """A secret that was found is known without the store, for a second or until one is revoked;
    after half of it one caller looks it up. One that opens nothing is looked up each time.
    """
    now = [100.0]
    monkeypatch.setattr("prowess.live.store.store.monotonic", lambda: now[0])
    secret, number = made(store)
    actors = store.actors
    assert actors.recall(secret) is None
    assert actors.find("prw_other", 20) is None
    assert actors.recall("prw_other") is None
    actor = actors.find(secret, 20)
    assert actor.token == number
    now[0] += 0.4
    assert [actors.recall(secret) for _ in range(3)] == [actor, actor, actor]
    now[0] += 0.2
    assert [actors.recall(secret) for _ in range(3)] == [None, actor, actor]
    now[0] += 0.5
    assert [actors.recall(secret) for _ in range(2)] == [None, None]
    actors.find(secret, 20)
    store.writer.do(lambda c: access.revoke_token(c, number, 25))
    assert actors.recall(secret) == actor  # another program revoked it
    actors.forget()
    assert actors.recall(secret) is None
    assert actors.find(secret, 26) is None


def test_an_actor_found_before_a_revocation_is_not_recalled(store, monkeypatch):
    """Where a token is revoked while it is looked up, it is not known from then on."""
    secret, _ = made(store)
    of_row = access.actor_of

    def find_slowly(row):
        store.actors.forget()
        return of_row(row)

    monkeypatch.setattr("prowess.live.store.store.actor_of", find_slowly)
    assert store.actors.find(secret, 20) is not None
    assert store.actors.recall(secret) is None


def test_the_secret_is_nowhere(tmp_path: Path):
    """No file of the store holds the secret; it holds the SHA-256 of it."""
    from prowess.live.store.store import open_store

    store = open_store(str(tmp_path / "ladder.db"))
    secret, _ = made(store)
    with store.read() as connection:
        assert connection.scalar(select(token.c.hash)) == sha256(secret.encode()).hexdigest()
    during = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    store.close()
    after = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for held in (during, after):
        assert b"Ada" in held
        assert secret[len("prw_") + 4 :].encode() not in held
    assert len(secret) == len("prw_") + 43  # 32 bytes in base 64


def test_secrets_differ(store):
    """No two tokens share a secret."""
    assert len({made(store)[0] for _ in range(20)}) == 20


@pytest.mark.parametrize(
    ("name", "scopes", "expires", "told"),
    [
        ("Ada", ["sumbit"], None, "unknown_scope"),
        ("Ada", [], None, "unknown_scope"),
        (" ", ["read"], None, "token_without_name"),
        ("Ada", ["read"], 10, "token_expired"),
    ],
)
def test_tokens_that_make_no_sense(store, name, scopes, expires, told):
    """A token without scope, name or future is refused with a reason."""
    with refused(NoToken, told):
        store.writer.do(lambda c: access.make_token(c, name, scopes, expires=expires, now=10))
    with refused(NoToken, "no_such_token"):
        store.writer.do(lambda c: access.revoke_token(c, 7, 10))


@pytest.mark.parametrize("letter", ["\u202e", "\u2066", "\u200b", "\x00", "\n", "\x9f", "\ufeff"])
def test_names_and_sources_are_seen(letter):
    """A name or a source with a character that is not seen makes no token; the remedy names it."""
    for name, source in ((f"Ada{letter}neb", None), ("Ada", f"cl{letter}ub")):
        with pytest.raises(NoToken) as caught:
            access.check_labels(name, source)
        assert str(caught.value).startswith(f"remove U+{ord(letter):04X}")
