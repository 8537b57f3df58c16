"""Files for the import page that hold more than they seem, and options that are none."""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from starlette.testclient import TestClient

from prowess.live.errors import Refused
from prowess.live.web import upload_reader
from prowess.live.web.imports import MAX_FILES_KEPT, Uploads
from tests.live.pages.club import Elements, club, secret
from tests.refusals import refused

GAMES = b"date,player_a,player_b,score\n2024-05-01,Ada,Gus,1\n"
MB = 1 << 20
Send = Callable[..., Any]


def zipped(content: bytes, files: int = 1) -> bytes:
    """An archive of files with this content."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for at in range(files):
            archive.writestr(f"games{at}.csv", content)
    return target.getvalue()


@pytest.fixture(scope="module")
def send(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Sends a file to the page for imports, with options of the form."""
    url = f"sqlite:///{tmp_path_factory.mktemp('club') / 'ladder.db'}"
    with club(url) as (app, journal), TestClient(app, raise_server_exceptions=False) as client:
        word = Elements(client.get("/login").text).field("csrf")
        client.post("/login", data={"csrf": word, "token": secret(journal, "admin")})

        def post(name: str, content: bytes, **options: str) -> Any:
            word = Elements(client.get("/admin/import").text).field("csrf")
            return client.post(
                "/admin/import:batch",
                data={"csrf": word, "category": "club", "source": "file"} | options,
                files={"file": (name, content)},
            )

        post("games.csv", GAMES)  # whatever is loaded once is loaded
        yield post


def forget_peak() -> int:
    """Begin to count anew the most memory that this process has; returns what it has now."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    """The most memory that this process has had since, in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)


LINE = b"2024-05-01,Ada,Gus,1\n"
LARGE = cache(lambda: zipped(GAMES + LINE * 10_000_000))
BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "zip of 200 MB": ("a.csv.zip", LARGE),
    "zip named csv": ("a.csv", LARGE),
    "zip of many files": ("a.csv.zip", lambda: zipped(GAMES, 2000)),
    "commas": ("a.csv.gz", lambda: gzip.compress(b"," * (60 * MB), 1)),
    "commas in quotes": ("a.csv.gz", lambda: gzip.compress(GAMES + b'"' + b'"",' * (20 * MB), 1)),
    "lines of one comma": ("a.csv.gz", lambda: gzip.compress(b",\n" * (30 * MB), 1)),
    "empty lists": ("a.json.gz", lambda: gzip.compress(b"[" + b"[]," * (20 * MB) + b"[]]", 1)),
    "empty objects": ("a.json.gz", lambda: gzip.compress(b"[" + b"{}," * (20 * MB) + b"{}]", 1)),
    "numbers": ("a.json.gz", lambda: gzip.compress(b"[" + b"1," * (30 * MB) + b"1]", 1)),
    "commas as text": ("a.txt.gz", lambda: gzip.compress(b",,,,,,,\n" * (7 * MB), 1)),
    "tabs": ("a.tsv.gz", lambda: gzip.compress(b"\t" * (60 * MB), 1)),
    "tags": ("a.html.gz", lambda: gzip.compress(b"<table>" + b"<tr><td>" * (7 * MB), 1)),
    "parquet named csv": ("a.csv", lambda: b"PAR1" + bytes(100)),
    "damaged zip": ("a.csv", lambda: b"PK\x03\x04" + bytes(100)),
}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux tells it")
@pytest.mark.parametrize("kind", BOMBS)
def test_bombs_are_refused_and_cost_the_server_nothing(send: Send, kind: str):
    """A file that holds far more than its results is refused; the server keeps its memory.

    It goes on answering: all tests of this file ask one server.
    """
    name, make = BOMBS[kind]
    content = make()
    before, began = forget_peak(), monotonic()
    answer = send(name, content)
    assert answer.status_code == 422, answer.text
    assert 'role="alert"' in answer.text
    assert peak() - before < 150 * MB
    assert monotonic() - began < 40.0


def test_a_table_that_takes_too_much_memory_or_time(send: Send, monkeypatch: pytest.MonkeyPatch):
    """What only the limits of the process stop is refused with the remedy, too."""
    many = GAMES + LINE * 90_000
    monkeypatch.setattr(upload_reader, "TIME_LIMIT_S", 0.05)
    answer = send("games.csv", many)
    assert answer.status_code == 422
    assert "send the file in parts" in answer.text
    assert "takes more than" in answer.text


def test_a_zip_of_games_is_read(send: Send):
    """An archive within the limits is read as it was."""
    answer = send("games.csv.zip", zipped(GAMES))
    assert answer.status_code == 200, answer.text
    assert "recorded" in answer.text


@pytest.mark.parametrize("encoding", ["punycode", "base64", "utf-8\0", "x" * 10_000])
def test_encodings_that_are_none(send: Send, encoding: str):
    """An encoding that is none of text is refused at once; test_encodings.py has all of them."""
    began = monotonic()
    answer = send("games.csv", GAMES + b"2024-05-02,Ada,Gus\xfc,1\n" * 40_000, encoding=encoding)
    assert answer.status_code == 422
    assert "unknown encoding" in answer.text
    assert monotonic() - began < 10.0


@pytest.mark.parametrize("encoding", ["utf-8", "UTF8", "latin-1", "cp1252", "mac_roman", "ascii"])
def test_encodings_that_people_use(send: Send, encoding: str):
    """An encoding of text may be written in any usual way."""
    assert send("games.csv", GAMES, encoding=encoding).status_code == 200


def test_a_page_that_declares_an_encoding_that_is_none(send: Send):
    """The encoding in the head of a page is looked at in the same way."""
    began = monotonic()
    page = b"<html><meta charset=punycode><table>" + b"<tr><td>\xfca-b" * 80_000
    assert send("games.html", page).status_code == 422
    assert monotonic() - began < 15.0


@pytest.mark.parametrize(
    "name", ["delimiter", "date_format", "order", "player_a", "facts", "teams"]
)
def test_options_with_a_nul(send: Send, name: str):
    """A NUL in any box is refused, and no fault of the server."""
    assert send("games.csv", GAMES, **{name: "a\0b"}).status_code == 422


def test_uploads_leave_no_file(tmp_path, monkeypatch):
    """A kept file has no name on the disk, so that a killed server leaves none; only who sent it
    gets it back, and only the latest are kept.
    """
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    uploads = Uploads()
    words = [uploads.keep(1, "Games.CSV", b"a,b\n%d" % n) for n in range(1 + MAX_FILES_KEPT)]
    assert list(tmp_path.iterdir()) == []
    assert uploads.read_file(1, words[-1]) == ("the file.csv", b"a,b\n8")
    for token, word in ((2, words[-1]), (1, words[0])):
        with refused(Refused, "gone"):
            uploads.read_file(token, word)
    uploads.close()
