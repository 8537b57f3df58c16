"""Which files the page for imports takes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather
from starlette.testclient import TestClient

from prowess.live.web.imports import in_form_words
from tests.games.workbooks import make_ods, make_xlsx
from tests.live.pages.club import Elements, club, secret

TEXT = "date,player_a,player_b,score\n2024-05-01,Ada,Gus,1\n"
GRID = [["date", "player_a", "player_b", "score"], ["2024-05-01", "Ada", "Gus", 1]]
COLUMNS = {"date": ["2024-05-01"], "player_a": ["Ada"], "player_b": ["Gus"], "score": [1.0]}
Upload = Callable[[str, bytes], Any]


@pytest.fixture(scope="module")
def upload(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upload]:
    """Sends a file to the page for imports of a club."""
    url = f"sqlite:///{tmp_path_factory.mktemp('club') / 'ladder.db'}"
    with club(url) as (app, journal), TestClient(app) as client:
        word = Elements(client.get("/login").text).field("csrf")
        client.post("/login", data={"csrf": word, "token": secret(journal, "admin")})

        def send(called: str, sent: bytes, **options: str) -> Any:
            word = Elements(client.get("/admin/import").text).field("csrf")
            return client.post(
                "/admin/import:batch",
                data={"csrf": word, "category": "club", "source": "file"} | options,
                files={"file": (called, sent)},
            )

        yield send


def parquet(columns: dict[str, list[Any]]) -> bytes:
    """A Parquet file of these columns."""
    target = io.BytesIO()
    pq.write_table(pa.table(columns), target)
    return target.getvalue()


def arrow() -> bytes:
    """A Feather file."""
    target = io.BytesIO()
    feather.write_feather(pa.table(COLUMNS), target)
    return target.getvalue()


def database() -> bytes:
    """A SQLite database with a table of games."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE TABLE games (date TEXT, player_a TEXT, player_b TEXT, score REAL)"
        )
        connection.execute("INSERT INTO games VALUES ('2024-05-01', 'Ada', 'Gus', 1)")
        connection.commit()
        return connection.serialize()


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("games.txt", TEXT.encode),
        ("games.csv.bz2", lambda: bz2.compress(TEXT.encode())),
        ("games.tab.xz", lambda: lzma.compress(TEXT.replace(",", "\t").encode())),
        ("games.xlsx", lambda: make_xlsx(GRID)),
        ("games.ods", lambda: make_ods(GRID)),
        ("games.parquet", lambda: parquet(COLUMNS)),
        ("games.feather", arrow),
        ("games.db", database),
        ("games.db.gz", lambda: gzip.compress(database())),
    ],
)
def test_every_format_of_the_command_line(upload, name, make):
    """The page takes what the reader takes, packed or not: the same game from each."""
    answer = upload(name, make())
    assert answer.status_code == 200, answer.text
    assert "recorded" in answer.text
    assert "Gus" in answer.text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("games.parquet", b"PAR1"), ("games.csv.bz2", b"BZh cut"), ("games.exe", b"MZ"),
        ("games.xlsx", b"PK\x03\x04" + bytes(100)),
        ("games.db", b"SQLite format 3\x00" + bytes(100)),
    ],
)  # fmt: skip
def test_damaged_files_and_others(upload, name, content):
    """A damaged file, or one that holds no table, is refused with a sentence."""
    answer = upload(name, content)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize(
    "said",
    [
        'say with outcomes={"w.o.": None} that there is no result, or with 1 or 0 who won',
        'leave them out with exclude={"round": ""} (--exclude round=)',
        'say byes="names" if it is a player, or leave the rows out with exclude={"b": "bye"}',
        'say whether such games are draws, outcomes={"x": 0.5}, or were not played',
        "name the column with player_a=COLUMN (--player-a), or skip_bad=True (--skip-bad)",
    ],
)
def test_the_page_speaks_no_python(said):
    """What the library says in keywords is said on the page by its boxes, or of the file."""
    assert re.search(r"[=({]|--", in_form_words(said)) is None, in_form_words(said)


def test_a_file_that_unfolds_to_many_rows(upload):
    """A Parquet file whose columns repeat one value three million times is refused."""
    value = pa.array(["x" * 40])
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int8()), value)
    target = io.BytesIO()
    many = pa.table({"player_a": column, "player_b": column, "score": pa.array([1.0] * 1_000_000)})
    with pq.ParquetWriter(target, many.schema) as writer:
        for _ in range(3):
            writer.write_table(many)
    answer = upload("games.parquet", target.getvalue())
    assert answer.status_code == 422
    assert "send the file in parts: it has more than 2,000,000 rows" in answer.text
