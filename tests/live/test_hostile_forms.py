"""Questions and forms of pages, filled in by whoever means harm."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import process_time

import pytest

from prowess.live import web
from prowess.live.web.page_request import PageRequest
from prowess.live.web.routes import IMPORT_PATH
from tests.live.house import House, housed
from tests.live.pages.club import Elements


@pytest.fixture
def house(sqlite_url: str) -> Iterator[House]:
    """A server with a keeper."""
    with housed(sqlite_url) as one:
        yield one


def test_no_question_breaks_a_page(house: House, monkeypatch: pytest.MonkeyPatch):
    """Every page takes every question: an answer, or a page that says what is wrong. Hostile
    values are given to what a page reads, which shows when it is asked every question once.
    """
    query, read = PageRequest.query, set[str]()

    def note_query(self: PageRequest, name: str, usual: str = "") -> str:
        read.add(name)
        return query(self, name, usual)

    monkeypatch.setattr(PageRequest, "query", note_query)
    values = ("9" * 5000, "9" * 30, "\0", "nan", "<b>", "9999-12-31T23:59:59-23:59", "0001-01-01")
    names = sorted(asked_names())
    assert len(names) > 8
    addresses = (
        "/", "/c/chess", "/c/chess/leaderboard.csv", "/c/chess/pairings", "/c/chess/players/1",
        "/c/chess/pairs/1/2", "/c/chess/lists", "/c/race", "/c/rumble",
        "/results/1", "/login", "/admin/results", "/admin/queue", "/admin/players", "/admin/audit",
    )  # fmt: skip

    def ask(page: str, name: str, value: str) -> None:
        answer = house.keeper.get(page, params={name: value})
        assert answer.status_code in (200, 303, 404, 422), (page, name, value)

    asked = set[str]()
    for page in addresses:
        read.clear()
        for name in names:
            ask(page, name, "1")
        asked |= read
        for name, value in product(sorted(read), values):
            ask(page, name, value)
    assert len(asked) > 8


def asked_names() -> set[str]:
    """The words that pages read from their addresses, as their source names them."""
    found: set[str] = set()
    for file in Path(web.__path__[0]).rglob("*.py"):
        found |= set(re.findall(r"query\(\"(\w+)\"", file.read_text(encoding="utf-8")))
    return found


def test_half_letters(house: House):
    """A form in an encoding that makes halves of letters is refused."""
    word = Elements(house.stranger.get("/login").text).field("csrf")
    for charset, half in (("utf-7", "+2AA-"), ("unicode_escape", "\\ud800"), ("rot13", "x")):
        body = "".join(
            f'--X\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in {"csrf": word, "token": half, "next": f"/{half}"}.items()
        )
        head = {"Content-Type": f"multipart/form-data; boundary=X; charset={charset}"}
        answer = house.stranger.post("/login", content=f"{body}--X--\r\n", headers=head)
        assert answer.status_code == 415


def test_hostile_files(house: House):
    """A file that is none is refused with a sentence, and nothing of it is taken."""
    word = Elements(house.keeper.get("/admin").text).field("csrf")
    revision = house.journal.revision
    for name, content in (
        ("deep.json", b"[" * 200_000), ("deep.jsonl", b'{"a":' * 100_000),
        ("bin.csv", b"\xff\xfe\0"),
        ("x.pgn", b"\0\xff"), ("x.csv.gz", b"not gzip"), ("quote.csv", b'"' * 100_000),
        ("nul.csv", b"player_a,player_b,score\nA\0,B,1\n"), ("../../x.csv", b""), ("x.exe", b"MZ"),
        ("bomb.csv.gz", gzip.compress(bytes(80 << 20), 1)),
        ("cut.csv.gz", gzip.compress(b"a")[:-4]),
        ("inf.csv", b"player_a,player_b,score\nA,B,1e999\n"), (".csv", b"x"),
        ("half.json", b'[{"player_a":"\\ud800","player_b":"B","score":1}]'),
        ("far.csv", b"time,player_a,player_b,score\n1e300,A,B,1\n"),
        ("long.csv", b"player_a,player_b,score\n" + b"A" * 10**6 + b",B,1\n"),
    ):  # fmt: skip
        answer = house.keeper.post(
            IMPORT_PATH, data={"csrf": word, "category": "chess"},
            files={"file": (name, content)},
        )  # fmt: skip
        assert answer.status_code == 422, name
        assert 'role="alert"' in answer.text
        assert "/tmp" not in answer.text
    assert house.journal.revision == revision


def test_sign_in_is_a_short_form(house: House):
    """Signing in takes at most 64 kB and 1,000 fields, which cost little to refuse."""
    part = '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
    multipart = {"Content-Type": "multipart/form-data; boundary=X"}
    plain = {"Content-Type": "application/x-www-form-urlencoded"}
    for body, head, status in (
        (part * 15_000 + "--X--\r\n", multipart, 413),
        (part * 1_100 + "--X--\r\n", multipart, 400),
        ("a&" * 32_000, plain, 400),
        ("a=" + "x" * 70_000, plain, 413),
    ):
        for path in ("/login", "/logout"):
            spent = []
            for _ in range(3):  # the machine may be busy once
                began = process_time()
                answer = house.stranger.post(path, content=body, headers=head)
                spent.append(process_time() - began)
                assert answer.status_code == status, (path, len(body))
            assert min(spent) < 0.3
