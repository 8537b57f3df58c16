"""A server without a network: the application, asked directly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.api.site import Site


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
