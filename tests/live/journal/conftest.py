"""An open journal with one category, once with a store of each kind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from prowess.live.journal.journal import Journal
from tests.live.journal.journals import open_journal


@pytest.fixture
def journal(store_url: str) -> Iterator[Journal]:
    """A journal with the category `main`."""
    journal = open_journal(store_url)
    yield journal
    journal.close()
