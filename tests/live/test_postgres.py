"""The stores that the other tests stand on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

ROOT = Path(__file__).parents[2]
HOLDS_ONE = """
import sys, time
from tests.live.postgres import served
with served("fsync=off") as url:
    print(url, flush=True)
    time.sleep(600)
"""


def test_empty(store_url: str):
    """Every test gets an empty store, on either database."""
    engine = sa.create_engine(store_url.replace("postgresql:", "postgresql+psycopg:"))
    try:
        assert sa.inspect(engine).get_table_names() == []
        with engine.begin() as connection:
            connection.execute(sa.text("CREATE TABLE t (n INTEGER)"))
    finally:
        engine.dispose()


def test_another_is_empty_too(postgres_url: str, new_postgres):
    """What one database holds, the next does not."""
    assert postgres_url != new_postgres()
    test_empty(postgres_url)


@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_behind(way: signal.Signals):
    """Killed in whatever way, a test run takes its PostgreSQL along."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS_ONE], cwd=ROOT, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": f"src{os.pathsep}."},
    )  # fmt: skip
    folder = Path(holder.stdout.readline().partition("host=")[2].strip())
    postmaster = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    os.kill(postmaster, 0)  # it runs
    holder.send_signal(way)
    holder.communicate()
    for _ in range(200):
        if not folder.exists():  # removed after the server has ended
            break
        time.sleep(0.05)
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(postmaster, 0)
