"""One cluster of two processes for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from prowess.engine.cluster.dask import start_local


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client of a cluster of two processes on this machine, whose files stay in one folder."""
    pytest.importorskip("distributed")
    import dask

    folder = str(tmp_path_factory.mktemp("dask"))
    with dask.config.set({"temporary-directory": folder}), start_local(2) as client:
        yield client
