from __future__ import annotations

from collections.abc import Iterator

import pytest

from prowess.live.client import Client
from tests.live.client.fake import Fake, served


@pytest.fixture
def fake() -> Iterator[Fake]:
    """A server that fails on demand."""
    with served(Fake()) as one:
        yield one


@pytest.fixture
def client(fake: Fake) -> Iterator[Client]:
    """A client of that server."""
    with Client(fake.url, "prw_secret", timeout=5.0) as one:
        yield one
