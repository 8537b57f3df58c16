"""A server without a network: the application, asked directly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.api.site import Site


@pytest.fixture
def site(sqlite_url: str) -> Iterator[Site]:
    """The API of a new store with one category, `main`, rated by Elo."""
    with Site(sqlite_url) as one:
        yield one
