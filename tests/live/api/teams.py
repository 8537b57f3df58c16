"""Results of teams for tests, and their reports."""

from __future__ import annotations

from typing import Any

from prowess.live.journal.journal import verify_store
from tests.live.api.site import Site

WHEN = "2024-01-0{}T12:00:00Z"
DOUBLES = [{"players": ["Ann", "Bob"], "score": 1}, {"players": ["Cid", "Dee"]}]
SHARED = [
    {"players": ["Ann", {"player": "Bob", "share": 0.5}], "score": 1},
    {"players": ["Cid", "Dee"]},
]


def report(site: Site, status: int = 201, **sent: Any) -> Any:
    """Report one result; the answer as data."""
    answer = site.ask("POST", "/results", "submit", json=sent)
    assert answer.status_code == status, answer.text
    return answer.json()


def proved(site: Site) -> bool:
    """Whether what is shown is what the batch program makes of the log."""
    url = site.journal.store.address.render_as_string(False)
    return not any(proof.differences for proof in verify_store(url))
