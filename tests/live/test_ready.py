"""Ready is a server that can take results: its store can be read and written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prowess.live.store import store
from tests.live.api.site import Site

GAME = {"player_a": "Ada", "player_b": "Ben", "score": 1}


def asked(site: Site) -> Any:
    """The answer of /readyz."""
    return site.client.get("/readyz")


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question is a trial of its own."""
    monkeypatch.setattr(store, "PROVED", 0.0)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 16 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here: needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(disk: Path, at_once: None) -> None:
    """While the disk is full the server is not ready, with the remedy; then it is by itself."""
    with Site(str(disk / "ladder.db")) as site:
        assert asked(site).status_code == 200
        site.secret("submit")
        ballast = disk / "ballast"
        try:
            with ballast.open("wb", buffering=0) as file:
                while file.write(b"-" * 4096):
                    pass
        except OSError:
            pass
        answer = asked(site)
        assert answer.status_code == 503
        assert answer.json()["code"] == "store_out_of_reach"
        assert "make room on the disk" in answer.json()["detail"]
        assert int(answer.headers["retry-after"]) > 0
        many = [GAME | {"external_id": f"{k:0100}"} for k in range(2000)]
        refused = site.ask("POST", "/results:batch", "submit", json=many)
        assert refused.status_code == 503
        assert site.get("/results")["items"] == []
        ballast.unlink()
        assert asked(site).status_code == 200
        assert site.ask("POST", "/results:batch", "submit", json=many).status_code == 200


def test_a_store_that_is_read_only(sqlite_url: str, at_once: None) -> None:
    """A store that can be read and not written is not ready either."""
    with Site(sqlite_url) as site:
        do = site.journal.store.writer.do
        assert asked(site).status_code == 200
        do(lambda connection: connection.exec_driver_sql("PRAGMA query_only=ON"))
        answer = asked(site)
        assert answer.status_code == 503
        assert "check that file and folder may be written to" in answer.json()["detail"]
        assert site.client.get("/healthz").status_code == 200
        do(lambda connection: connection.exec_driver_sql("PRAGMA query_only=OFF"))
        assert asked(site).status_code == 200


def test_asking_often_writes_seldom(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks without pause does not make the server write without pause."""
    with Site(sqlite_url) as site:
        jobs = []
        do = site.journal.store.writer.do

        def counted(*given: Any) -> Any:
            jobs.append(given)
            return do(*given)

        monkeypatch.setattr(site.journal.store.writer, "do", counted)
        for _ in range(20):
            assert asked(site).status_code == 200
        assert 1 <= len(jobs) <= 3
