"""The whole server as `prowess serve` puts it together, and how tests ask it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from prowess.cli.verbs.serve import build_application
from prowess.live.api.middleware import Allowance, ServerSettings
from prowess.live.api.server import build_server, open_socket, socket_url
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal, verify_store
from prowess.live.journal.record import RecordResults
from prowess.live.journal.stored_log import Verification
from prowess.live.journal.submission import Submission
from prowess.live.result import DAY_US
from prowess.live.store import access
from prowess.live.store.access import Actor

CONSOLE = Actor.console()
NAMES = ("Ada", "Ben", "Cleo", "Dan")
ANY = Allowance(1e9, 10**9)
FREELY = ServerSettings(by_address=ANY, by_token=ANY)
API = "/api/v1"


@contextmanager
def whole(
    url: str, settings: ServerSettings = FREELY, **more: Any
) -> Iterator[tuple[FastAPI, Journal]]:
    """(application, journal) of a store with twelve games of chess, a contest and a rumble."""
    journal = Journal.open(url, **more)
    try:
        journal.commit(NewCategory("chess", system="glicko2"), CONSOLE)
        journal.commit(NewCategory("race", plays="contests", system="codechef"), CONSOLE)
        journal.commit(NewCategory("rumble", system="aps", extra=("points",)), CONSOLE)
        journal.commit(RecordResults(games()), CONSOLE)
        app, end = build_application(journal, settings)
        try:
            yield app, journal
        finally:
            end()
    finally:
        journal.close()


def games() -> tuple[Submission, ...]:
    """Everybody against everybody, a day each, from 2022-01-07 on; and a race of three."""
    pairs = [(a, b) for a in NAMES for b in NAMES if a != b]
    return (
        *(
            Submission("chess", a, b, (k % 3) / 2, time=(19_000 + k) * DAY_US)
            for k, (a, b) in enumerate(pairs)
        ),
        Submission(
            "race", placings=tuple((name, k + 1.0, None) for k, name in enumerate(NAMES[:3]))
        ),
    )


def secret(journal: Journal, *scopes: str, **more: Any) -> str:
    """A new token."""
    found: str = journal.store.writer.do(
        lambda connection: access.make_token(
            connection, " ".join(scopes), scopes, now=journal.clock(), **more
        )
    )[0]
    return found


def bearer(given: str) -> dict[str, str]:
    """The header that shows a token."""
    return {"Authorization": f"Bearer {given}"}


def proof_fails(url: str) -> list[Verification]:
    """Where what is shown is not what the log says; the server may be running."""
    return [one for one in verify_store(url) if one.differences]


class Place:
    """A server with its store, asked directly."""

    def __init__(self, url: str, app: Any, journal: Journal) -> None:
        self.url, self.journal = url, journal
        self.client = TestClient(app, raise_server_exceptions=False)
        self.paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
        self.admin = bearer(secret(journal, "admin"))

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """An answer, which is no fault of ours and, if it refuses, a problem."""
        headers = more.pop("headers", self.admin)
        answer = self.client.request(method, API + path, headers=headers, **more)
        assert answer.status_code < 500, (method, path, more, answer.text)
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["code"]
        return answer

    def send(self, method: str, path: str, data: object) -> Any:
        """The same with a body of JSON, whatever it holds: halves of letters too."""
        headers = self.admin | {"Content-Type": "application/json"}
        return self.ask(method, path, content=json.dumps(data).encode(), headers=headers)

    def operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """(method, path as described, description) of everything there is."""
        for path, methods in self.paths.items():
            for method, told in methods.items():
                yield method.upper(), path.removeprefix(API), told

    def sound(self) -> bool:
        """Whether the log replays to what is shown."""
        return proof_fails(self.url) == []


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address at which a real uvicorn answers, on the loopback."""
    opened = open_socket("127.0.0.1", 0)
    server = build_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield socket_url(opened)
    finally:
        app.state.streams.close()
        server.should_exit = True
        thread.join(30)
        opened.close()
