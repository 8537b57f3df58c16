"""Addresses: every name leads to its own player, and HEAD is the head of GET."""

from __future__ import annotations

from urllib.parse import quote

import pytest

ODD = ("a/history", "..", ".", "a%2Fb", ":merge", "a:rename", "a", "a/b", "/", "?x=1#y", "a.csv")


def part(name: str) -> str:
    """A name in a path; dots too, which clients would take out."""
    return quote(name, safe="").replace(".", "%2E")


@pytest.mark.parametrize("name", ODD)
def test_every_name_leads_to_its_player(site, name):
    """Reading, history and entries by a name are about the player of that name, and of no other."""
    other = "Zoe"
    for one in ODD:
        site.report(one, other)
    assert site.get(f"/players/{part(name)}")["player"] == name
    told = site.get(f"/categories/main/players/{part(name)}")
    assert (told["player"], told["games"]) == (name, 1)
    history = site.get(f"/categories/main/players/{part(name)}/history")
    assert (history["player"], len(history["items"])) == (name, 1)
    page = site.client.get(f"/api/v1/categories/main/players/{part(name)}/history?limit=1")
    assert page.json()["next"] is None
    new = {"name": "Ann/Bea"}
    made = site.ask("POST", f"/players/{part(name)}:alias", "admin", json=new)
    assert made.json()["player"]["player"] == name
    assert site.get("/players/Ann%2FBea")["player"] == name
    again = site.ask("GET", "/players/Ann/Bea")
    assert (again.status_code, again.json()["code"]) == (404, "no_such_address")


def test_head(site):
    """HEAD answers as GET, without the body."""
    site.filled()
    for path in (
        "/categories/main/leaderboard", "/results", "/players/Ada", "/openapi.json", "/revisions",
        "/categories/main/leaderboard.csv", "/results/1", "/players/Nobody",
    ):  # fmt: skip
        plain = {"Accept-Encoding": "identity"}
        whole, head = (site.ask(how, path, headers=plain) for how in ("GET", "HEAD"))
        assert head.status_code == whole.status_code
        assert head.content == b""
        for name in ("content-type", "content-length", "etag"):
            assert head.headers.get(name) == whole.headers.get(name)
    for path, kind in (("/events", "text/event-stream"), ("/export", "text/csv")):
        head = site.ask("HEAD", path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"].startswith(kind)
