"""Stores in trouble at the console: copied, empty, damaged, or wanted by two programs at once."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from prowess.live.store.store import open_store
from tests.cli.command import GAMES, answered, environment, refused
from tests.live.api.test_server import Running, running


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A table of four games."""
    path = tmp_path / "games.csv"
    path.write_text(GAMES)
    return path


@pytest.fixture
def store(games: Path, tmp_path: Path) -> Path:
    """A store of those games."""
    path = tmp_path / "club.db"
    answered("import", games, "--store", path)
    return path


def test_a_copy_beside_a_running_server(games: Path, store: Path, tmp_path: Path) -> None:
    """`cp` of the file of a server that has nothing to do is a ladder with all results."""
    copy = tmp_path / "copy.db"
    with running("--store", str(store), "--quiet") as server:
        games.write_text("date,white,black,result\n2026-03-01,Fay,Gus,1-0\n")
        answered("import", games, "--store", store, "--token", server.secret)
        for _ in range(100):
            shutil.copyfile(store, copy)
            said = answered("check", "--store", copy)
            if "5 results" in said:
                break
            time.sleep(0.1)
        assert said == "main: 5 results, 5 players: equal\n"


@pytest.mark.parametrize("made", [False, True])
def test_a_store_without_a_ladder(tmp_path: Path, made: bool) -> None:
    """A file that holds no ladder is named by `check`, and begun where that is asked."""
    path = tmp_path / "club.db"
    path.touch()
    if made:
        open_store(str(path)).close()
    content = path.read_bytes()
    assert "no category in this store" in refused(1, "check", "--store", path)
    assert "no category in this store" in refused(1, "check", "--store", path, "--json")
    said = refused(4, "serve", "--store", path, "--port", "0")
    assert "restore its backup" in said
    assert "--category main" in said
    assert path.read_bytes() == content
    with running("--store", str(path), "--category", "main", "--quiet") as server:
        assert any("new category main" in line for line in server.said)


def test_damage(games: Path, store: Path, tmp_path: Path) -> None:
    """Every verb says of a damaged store that its backup is to be restored; `check` fails."""
    content = bytearray(store.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 8 * 4096] = bytes(8 * 4096)
    store.write_bytes(content)
    for code, words in (
        (1, ["check"]),
        (4, ["backup", tmp_path / "backup.db"]),
        (4, ["serve", "--port", "0"]),
    ):
        assert "restore the backup" in refused(code, *words, "--store", store)
    assert not (tmp_path / "backup.db").exists()


def test_a_server_waits_for_an_import(store: Path) -> None:
    """A store that another program has open for a moment is served afterwards."""
    with closing(open_store(str(store))) as other:
        other.claim()
        Timer(1.0, other.close).start()
        with running("--store", str(store), "--quiet") as server:
            assert server.url


def test_an_import_waits_for_a_server(games: Path, store: Path) -> None:
    """An import at the moment at which a server starts is done, or told where the server is."""
    games.write_text("date,white,black,result\n2026-03-01,Fay,Gus,1-0\n")
    words = [sys.executable, "-m", "prowess", "import", str(games), "--store", str(store)]
    imports = []
    for pause in (0.0, 0.8, 1.2, 1.6):
        Timer(
            pause,
            lambda: imports.append(
                subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment())
            ),
        ).start()
    server = Running("--store", str(store), "--quiet")
    try:
        assert server.url
        for _ in range(100):
            if len(imports) == 4:
                break
            time.sleep(0.1)
        for one in imports:
            _, said = one.communicate(timeout=60)
            assert one.returncode == 0 or "add --token" in said, said
    finally:
        assert server.ended() == 0
