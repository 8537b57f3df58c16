"""A server as browsers see it: a stranger's, and that of a keeper who is signed in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from starlette.testclient import TestClient

from prowess.live.journal.journal import Journal
from tests.live.pages.club import Elements
from tests.live.whole import secret, whole


class House(NamedTuple):
    """A server, and two browsers that run no script."""

    journal: Journal
    stranger: TestClient
    keeper: TestClient


def signed_in(client: TestClient, given: str, **more: str) -> Any:
    """Sign in; the answer."""
    word = Elements(client.get("/login").text).field("csrf")
    data = {"csrf": word, "token": given, **more}
    return client.post("/login", data=data, follow_redirects=False)


@contextmanager
def housed(url: str) -> Iterator[House]:
    """The server of a new store."""
    with whole(url) as (app, journal):
        stranger, keeper = (TestClient(app, raise_server_exceptions=False) for _ in range(2))
        assert signed_in(keeper, secret(journal, "admin")).status_code == 303
        yield House(journal, stranger, keeper)
