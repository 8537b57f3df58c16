"""Answers are written whole or not at all, and where they are asked for."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import prowess
from prowess.engine.tabular import WRITERS, ResultTable
from prowess.games.whole_files import replace_file, replace_folder
from tests.cli.command import GAMES, environment, prowess as command

TABLE = ResultTable(
    {"player": [f"p{k}" for k in range(5000)], "rating": [k / 7 for k in range(5000)]}
)
FULL = 1000  # bytes


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond some bytes here, as on a disk that is full then."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


LEAGUE = prowess.rate([("Ann", "Bob", 1), ("Bob", "Cid", 1)], "elo")


def write_state(file: Path) -> None:
    """Ratings to go on from."""
    games = [(f"p{k}", f"q{k * k % 97}", 1) for k in range(300)]
    prowess.save(prowess.rate(games, "elo"), file)


FILES: dict[str, Any] = {
    **{f"table{suffix}": TABLE.write for suffix in WRITERS},
    "figure.svg": lambda file: prowess.plot.leaderboard(LEAGUE).save(file),
    "page.html": lambda file: prowess.report(LEAGUE, file),
    "state.prowess": write_state,
}


@pytest.mark.parametrize("name", FILES)
def test_a_full_disk_leaves_the_file_of_before(tmp_path: Path, name: str):
    """Every kind of file is as it was after an error, with nothing beside it."""
    for library in {".xlsx": ["openpyxl"], ".parquet": ["pyarrow"]}.get(Path(name).suffix, []):
        pytest.importorskip(library)
    file, write = tmp_path / name, FILES[name]
    write(file)
    assert file.stat().st_size > FULL
    file.write_bytes(b"of before")
    with full_disk(), pytest.raises(OSError, match="File too large"):
        write(file)
    assert file.read_bytes() == b"of before"
    assert [one.name for one in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("suffix", ["csv", "json", "html", "csv.gz"])
def test_the_command_says_that_a_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
):
    """With the name of the file that was asked for, which is as it was."""
    games, file = tmp_path / "games.csv", tmp_path / f"board.{suffix}"
    games.write_text(GAMES)
    file.write_bytes(b"of before")

    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    asked = {
        "html": ("report", games, "-q"),
        "csv.gz": ("simulate", "league", "--players", 3, "--games", 3),
    }.get(suffix, ("rate", games, "-s", "elo", "-q"))
    done = command(*asked, "-o", file)
    assert done.returncode != 0
    assert f"make room, or name another file: {file} cannot be written: No space" in done.stderr
    assert file.read_bytes() == b"of before"
    assert sorted(one.name for one in tmp_path.iterdir()) == [file.name, "games.csv"]


STDOUT = """
import sys
from prowess.games.whole_files import replace_file
with replace_file(sys.argv[1]) as part:
    part.write_bytes(b"an answer")
"""


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="stdout has no name here")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_stdout_is_written_to(tmp_path: Path, name: str):
    """Also where it is a pipe, and where it is a file that another program goes on to write to."""
    asked = [sys.executable, "-c", STDOUT, name]
    done = subprocess.run(asked, capture_output=True, check=False, env=environment())
    assert (done.stdout, done.stderr) == (b"an answer", b"")
    with (tmp_path / "all").open("ab") as out:
        subprocess.run(asked, stdout=out, check=True, env=environment())
        out.write(b" and more")
    assert (tmp_path / "all").read_bytes() == b"an answer and more"


def test_a_link_stays_a_link(tmp_path: Path):
    """The file that it leads to is replaced, in its own folder; one that is not there is made."""
    (tmp_path / "far").mkdir()
    link, target = tmp_path / "board.csv", tmp_path / "far" / "board.csv"
    link.symlink_to(target)
    for content in (b"one", b"two"):
        with replace_file(link) as part:
            part.write_bytes(content)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert [one.name for one in target.parent.iterdir()] == ["board.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes")
def test_modes_stay(tmp_path: Path):
    """A file keeps who may read it; a new one gets what the process gives."""
    file = tmp_path / "board.csv"
    with replace_file(file) as part:
        part.write_bytes(b"one")
    (tmp_path / "plain").touch()
    assert file.stat().st_mode == (tmp_path / "plain").stat().st_mode
    file.chmod(0o640)
    with replace_file(file) as part:
        part.write_bytes(b"two")
    assert (file.stat().st_mode & 0o777, file.read_bytes()) == (0o640, b"two")


@pytest.mark.parametrize("kept", ["board.csv", ""])
def test_what_cannot_be_replaced_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
):
    """A read-only file is refused by the system, and one of a read-only folder is written."""
    file = tmp_path / "board.csv"
    file.write_bytes(b"of before")
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path / kept)
    with replace_file(file) as part:
        assert part == file


def test_a_folder_is_whole_or_not_there(tmp_path: Path):
    """What a killed process left gives way, and an error leaves nothing."""
    folder = tmp_path / "run"
    (tmp_path / "run.part").mkdir()
    (tmp_path / "run.part" / "old").touch()

    def stop() -> None:
        with replace_folder(folder) as part:
            assert [*part.iterdir()] == []
            (part / "new").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert [*tmp_path.iterdir()] == []
    with replace_folder(folder) as part:
        (part / "new").touch()
    assert [*tmp_path.rglob("*")] == [folder, folder / "new"]
