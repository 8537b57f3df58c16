"""The API of a journal for tests, and tokens for every scope."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

from prowess.live.api.application import build_application
from prowess.live.api.middleware import ServerSettings
from prowess.live.journal.journal import Journal
from prowess.live.store import access
from tests.live.journal.journals import open_journal

API = "/api/v1"
GAMES = (  # a made-up club: everybody meets, some draws
    ("Ada", "Ben", 1.0),
    ("Ben", "Cleo", 0.5),
    ("Cleo", "Ada", 0.0),
    ("Dan", "Ada", 1.0),
    ("Ben", "Dan", 1.0),
    ("Eve", "Cleo", 0.5),
)


class Site:
    """A client with tokens; `ask` speaks JSON."""

    def __init__(self, url: str, settings: ServerSettings | None = None, **method: Any) -> None:
        self.journal: Journal = open_journal(url, **method)
        self.app = build_application(self.journal, settings or ServerSettings())
        self.client = TestClient(self.app)
        self.secrets: dict[str, str] = {}

    def __enter__(self) -> Site:
        self.client.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.client.__exit__(None, None, None)
        self.journal.close()

    def secret(self, scope: str, **more: Any) -> str:
        """A token with one scope; `more` as `tokens.made` takes it."""

        def job(connection: Any) -> str:
            return access.make_token(connection, scope, [scope], now=self.journal.clock(), **more)[
                0
            ]

        if scope not in self.secrets or more:
            self.secrets[scope] = self.journal.store.writer.do(job)
        return self.secrets[scope]

    def ask(self, method: str, path: str, scope: str | None = None, **more: Any) -> Any:
        """A request, with the token of a scope."""
        headers = dict(more.pop("headers", {}))
        if scope is not None:
            headers["Authorization"] = f"Bearer {self.secret(scope)}"
        return self.client.request(method, API + path, headers=headers, **more)

    def get(self, path: str, status: int = 200, **more: Any) -> Any:
        """What an address says, as data."""
        answer = self.ask("GET", path, **more)
        assert answer.status_code == status, answer.text
        return answer.json()

    def report(self, a: str, b: str, score: float = 1.0, **more: Any) -> Any:
        """Report a game; the answer as data."""
        sent = {"player_a": a, "player_b": b, "score": score, **more}
        answer = self.ask("POST", "/results", "submit", json=sent)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def filled(self) -> list[dict[str, Any]]:
        """Report the games of the club, a day each; what was sent."""
        sent = [
            {"player_a": a, "player_b": b, "score": s, "time": f"2024-01-0{day + 1}T12:00:00Z"}
            for day, (a, b, s) in enumerate(GAMES)
        ]
        answer = self.ask("POST", "/results:batch", "submit", json=sent)
        assert answer.status_code == 200, answer.text
        return sent

    def ratings(self, **limits: Any) -> dict[str, float]:
        """The leaderboard as it is told."""
        rows = self.get("/categories/main/leaderboard?limit=1000&include=all", **limits)["items"]
        return {row["player"]: row["rating"] for row in rows}
