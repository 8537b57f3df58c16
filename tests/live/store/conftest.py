"""An open store of either kind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from prowess.live.store.opening import Store, opened


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store, once of each kind."""
    store = opened(store_url)
    yield store
    store.close()
