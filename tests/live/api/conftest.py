"""A server without a network: the application, asked directly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_json

from prowess.live.api import encoding
from tests.live.api.site import Site


def to_plain_json(data: Any, **asked: Any) -> bytes:
    """What `encode_json` writes; raises where Python's own writer refuses or says something else.

    The quick writer takes sets, bytes and keys of None, which no schema of an answer has.
    """
    made = to_json(data, **asked)
    plain = json.dumps(encoding._finite(data))
    assert json.loads(made) == json.loads(plain)
    return made


@pytest.fixture(autouse=True)
def plain_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that holds more than plain data fails the test that asked for it."""
    monkeypatch.setattr(encoding, "to_json", to_plain_json)


@pytest.fixture
def site(sqlite_url: str) -> Iterator[Site]:
    """The API of a new store with one category, `main`, rated by Elo."""
    with Site(sqlite_url) as one:
        yield one


@pytest.fixture
def teams(sqlite_url: str) -> Iterator[Site]:
    """A category of Elo whose sides have up to two players."""
    with Site(sqlite_url, system="elo", side_size=2) as site:
        yield site


@pytest.fixture
def heats(tmp_path: Path) -> Iterator[Site]:
    """A category of contests between sides of up to three."""
    url = f"sqlite:///{tmp_path / 'heats.db'}"
    with Site(url, system="trueskill", plays="contests", side_size=3) as site:
        yield site
