"""Which files the page for imports takes."""

from __future__ import annotations

import bz2
import lzma

import pytest
from starlette.testclient import TestClient

from tests.live.pages.club import Elements, club, secret

TEXT = "date,player_a,player_b,score\n2024-05-01,Ada,Gus,1\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("games.txt", TEXT.encode()),
        ("games.csv.bz2", bz2.compress(TEXT.encode())),
        ("games.tab.xz", lzma.compress(TEXT.replace(",", "\t").encode())),
    ],
)
def test_every_text_format(sqlite_url, name, content):
    """The page takes what the reader takes, packed or not, but no Parquet file."""
    with club(sqlite_url) as (app, journal), TestClient(app) as client:
        word = Elements(client.get("/login").text).field("csrf")
        client.post("/login", data={"csrf": word, "token": secret(journal, "admin")})

        def upload(called: str, sent: bytes):
            word = Elements(client.get("/admin/import").text).field("csrf")
            return client.post(
                "/admin/import:batch",
                data={"csrf": word, "category": "club", "source": "file"},
                files={"file": (called, sent)},
            )

        answer = upload(name, content)
        assert answer.status_code == 200, answer.text
        assert "recorded" in answer.text
        assert upload("games.parquet", b"PAR1").status_code == 422
        assert upload("games.csv.bz2", b"BZh cut").status_code == 422
