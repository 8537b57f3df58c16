"""An open store of either kind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from prowess.live.store.store import Store, open_store


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store, once of each kind."""
    store = open_store(store_url)
    yield store
    store.close()
