"""Where tables come from."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prowess.compile import kernel
from prowess.games import BadData, read_games
from prowess.games.formats import byte_streams
from prowess.games.formats.byte_streams import BUFFER, ByteStream, unpack
from tests.games.refusing import place_first
from tests.refusals import refused

TEXT = b"white,black,result,date\nAnn,Bob,1-0,2020-01-02\nCy,Ann,1/2-1/2,2020-01-01\n"
READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]


def zstd(content: bytes) -> Any:
    """Content packed with zstd."""
    return pytest.importorskip("zstandard").ZstdCompressor(write_checksum=True).compress(content)


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    ("suffix", "packed"),
    [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress),
     (".zst", zstd)],
)  # fmt: skip
def test_packed_files(tmp_path, suffix, packed, compiled):
    """Files may be packed; what they hold decides, not the name."""
    for name in (f"results.csv{suffix}", "results.csv", "results"):
        path = tmp_path / name
        path.write_bytes(packed(TEXT))
        games = read_games(path, compiled=compiled)
        assert games.players == ["Ann", "Bob", "Cy"]
        assert games.score.tolist() == [0.5, 1.0]


@pytest.mark.parametrize("long", [byte_streams.LONG_STREAM, 0])
@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress, lzma.compress, zstd])
@pytest.mark.parametrize("compiled", READERS)
def test_damaged_files(tmp_path, monkeypatch, packed, compiled, long):
    """A packed file that is cut off or spoilt is refused, also where a thread unpacks it ahead."""
    monkeypatch.setattr(byte_streams, "LONG_STREAM", long)
    content = bytearray(packed(TEXT * 50))
    path = tmp_path / "results.csv.gz"
    path.write_bytes(content[:-15])
    with refused(BadData, "damaged_file", about="results.csv"):
        read_games(path, compiled=compiled)
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with refused(BadData, "damaged_file", about="results.csv"):
        read_games(path, compiled=compiled)


@pytest.mark.parametrize("packed", [gzip.compress, zstd])
def test_a_long_file_is_unpacked_ahead(tmp_path, packed):
    """What a thread unpacks is what was packed; who leaves it before the end, ends the thread.

    More is left than may wait, so the thread cannot end before somebody reads on or leaves it.
    """
    left = (byte_streams.DEPTH + 3) * BUFFER
    content = np.random.default_rng(1).bytes(byte_streams.LONG_STREAM + left + 70_017)
    path = tmp_path / "noise"
    path.write_bytes(packed(content))
    for whole in (True, False):
        before = set(threading.enumerate())
        with path.open("rb") as file:
            unpacked = unpack(ByteStream("noise", path, file))
            assert unpacked.look(1000) == content[:1000]
            stream = io.BufferedReader(unpacked)
            assert (
                stream.read(byte_streams.LONG_STREAM + 70_000)
                == content[: byte_streams.LONG_STREAM + 70_000]
            )
            (thread,) = set(threading.enumerate()) - before
            assert not whole or stream.read() == content[byte_streams.LONG_STREAM + 70_000 :]
            del stream, unpacked
        thread.join(20.0)
        assert not thread.is_alive()


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_an_error_stays_one(tmp_path, packed):
    """Who reads on behind an error of unpacking does not meet the end of the file."""
    path = tmp_path / "games"
    path.write_bytes(packed(TEXT * 1000)[:-12])
    with path.open("rb") as file:
        unpacked = unpack(ByteStream("games", path, file))
        for _ in range(3):
            with refused(BadData, "damaged_file", about="incomplete"):
                unpacked.readall()


def test_a_cut_off_file_is_not_read_as_a_shorter_one(tmp_path):
    """Of a packed file that ends too early nothing is taken for the whole."""
    path = tmp_path / "results.csv.zst"
    path.write_bytes(zstd(TEXT + b"Bob,Cy,1-0,2020-01-03\n" * 100_000)[:-4])
    with refused(BadData, "damaged_file", about="incomplete"):
        read_games(path)


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".txt", ""])
@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("delimiter", [b"\t", b";", b"|", b","])
def test_delimiters(tmp_path, suffix, delimiter, compiled):
    """The delimiter is found in the headings; TSV has tabs."""
    path = tmp_path / f"results{suffix}"
    path.write_bytes(TEXT.replace(b",", b"\t" if suffix == ".tsv" else delimiter))
    assert len(read_games(path, compiled=compiled)) == 2


@pytest.mark.parametrize(("suffix", "pack"), [("bz2", bz2.compress), ("xz", lzma.compress)])
def test_rows_behind_a_damaged_stream_are_not_lost(tmp_path, suffix, pack):
    """Python's library takes what is no stream for the end of the file."""
    path = tmp_path / f"games.csv.{suffix}"
    half = len(TEXT) // 2
    first, second = pack(TEXT[:half]), pack(TEXT[half:])
    path.write_bytes(first + bytes(8) + second + bytes(4))  # zeros pad streams
    assert len(read_games(path)) == 2
    path.write_bytes(first + b"?" + second[1:])
    with refused(BadData, "damaged_file", about="incomplete"):
        read_games(path)
    path.write_bytes(first + second[:2])
    with refused(BadData, "damaged_file", about="too"):
        read_games(path)


def test_tabs_between_quoted_values(tmp_path):
    """Where all values are quoted, nothing but tabs stands outside the quotes."""
    path = tmp_path / "games.csv"
    path.write_text('"player_a"\t"player_b"\t"score"\n"Ann"\t"Bob, jr"\t"1"\n')
    assert list(read_games(path).players) == ["Ann", "Bob, jr"]


def test_a_named_delimiter():
    """A delimiter that nobody would guess can be named; it is one character."""
    assert len(read_games(io.BytesIO(TEXT.replace(b",", b"~")), delimiter="~", format="csv")) == 2
    with refused(BadData, "bad_delimiter"):
        read_games(io.BytesIO(TEXT), delimiter="::", format="csv")


@pytest.mark.parametrize("compiled", READERS)
def test_line_ends(compiled):
    """Any kind of line end, a mark at the beginning, no end at the last line."""
    for content in (TEXT.replace(b"\n", b"\r\n"), TEXT.replace(b"\n", b"\r"), TEXT.rstrip(b"\n")):
        for mark in (b"", b"\xef\xbb\xbf"):
            games = read_games(io.BytesIO(mark + content), format="csv", compiled=compiled)
            assert games.players == ["Ann", "Bob", "Cy"]


@pytest.mark.parametrize("compiled", READERS)
def test_quotes(compiled):
    """Quoted values may hold delimiters, doubled quotes and line breaks."""
    text = 'white,"black",result\n"A, B","C ""D""\nE",1-0\n" F ","C ""D""\nE","0-1"\n'
    games = read_games(io.StringIO(text), format="csv", compiled=compiled)
    assert games.players == ["A, B", 'C "D"\nE', "F"]
    assert games.score.tolist() == [1.0, 0.0]


def test_several_files(tmp_path):
    """Files are read one after the other as one table; faults name the file."""
    (tmp_path / "one.csv").write_bytes(TEXT)
    (tmp_path / "two.jsonl").write_text('{"white": "Di", "black": "Bob", "result": "0-1", '
                                        '"date": "2020-01-01"}\n')  # fmt: skip
    paths = [tmp_path / "one.csv", str(tmp_path / "two.jsonl")]
    games = read_games(paths)
    assert games.players == ["Ann", "Bob", "Cy", "Di"]
    assert [games.players[a] for a in games.a] == ["Cy", "Di", "Ann"]
    (tmp_path / "three.csv").write_bytes(TEXT.replace(b"Cy", b""))
    with refused(BadData, "name_missing", about="three.csv", line=3, column="white"):
        read_games([*paths, tmp_path / "three.csv"])


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
def test_readers_may_take_turns(tmp_path):
    """Players keep their ids when a small file is read with care and the next one compiled."""
    names = [f"p{n}" for n in range(400_000)]
    big = tmp_path / "big.csv"
    big.write_text("a,b,score\n" + "".join(
        f"{one},{two},1\n" for one, two in zip(names, names[1:] + names[:1], strict=True)
    ))  # fmt: skip
    small = tmp_path / "small.csv"
    small.write_text("a,b,score\nZoe,p7,0\np3,Zoe,1\n")
    games = read_games([small, big, small], format="csv", warn=False)
    assert games.players[:3] == ["Zoe", "p7", "p3"]
    assert len(games.players) == 400_001
    assert [games.players[a] for a in games.a[[0, 1, 2, -2, -1]]] == [
        "Zoe",
        "p3",
        "p0",
        "Zoe",
        "p3",
    ]
    assert games.players.index("p399999") == games.a[-3]


def test_files_must_agree(tmp_path):
    """Files with different kinds of columns are not read as one table."""
    (tmp_path / "one.csv").write_bytes(TEXT)
    (tmp_path / "two.csv").write_text("white,black,result\nA,B,1-0\n")
    with refused(BadData, "other_columns", about=("two.csv", "one.csv"), line=1):
        read_games([tmp_path / "one.csv", tmp_path / "two.csv"])


def test_streams():
    """Open files are read from where they stand, bytes or text, and stay open."""
    for stream in (io.BytesIO(TEXT), io.StringIO(TEXT.decode())):
        assert len(read_games(stream)) == 2
        assert not stream.closed


def test_standard_input():
    """A minus sign is standard input."""
    program = "from prowess.games import read_games; print(len(read_games('-')))"
    done = subprocess.run(
        [sys.executable, "-c", program], input=TEXT, capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )  # fmt: skip
    assert done.stdout.strip() == b"2", done.stderr


def test_missing_files(tmp_path):
    """A file that is not there is refused, with one of a similar name."""
    (tmp_path / "results.csv").write_bytes(TEXT)
    with pytest.raises(BadData) as error:
        read_games(tmp_path / "result.csv")
    assert place_first(error.value) == (
        f"{tmp_path / 'result.csv'}: there is no such file; "
        f"did you mean {tmp_path / 'results.csv'}?"
    )
    (tmp_path / "results.csv").rename(tmp_path / "g.csv")
    with pytest.raises(BadData) as error:
        read_games(tmp_path / "nofile.csv")
    assert not error.value.remedy.endswith("?")  # an ending alone makes no name near
    (tmp_path / "games").mkdir()
    with pytest.raises(BadData) as error:
        read_games(tmp_path / "games.csv")
    assert not error.value.remedy.endswith("?")  # a folder is no file of nearly that name
    with refused(BadData, "no_such_file"):
        read_games("nowhere/at/all.csv")
    with refused(BadData, "text_not_a_file", about="StringIO") as error:
        read_games("a,b,result\nAda,Ben,1\n" * 500)
    assert len(str(error.value)) < 120
    with refused(BadData, "text_not_a_file", remedy=False):
        read_games("a\0b")


def test_folders(tmp_path):
    """A folder stands for the tables in it, whatever else it holds; one without is refused."""
    with refused(BadData, "no_table", about="holds"):
        read_games(tmp_path)
    (tmp_path / "README.md").write_text("notes")
    for season in ("2023", "2024"):
        (tmp_path / f"{season}.csv").write_text(f"a,b,score,date\nA,B,1,{season}-01-01\n")
    assert len(read_games(tmp_path)) == 2
    assert len(read_games(f"{tmp_path}/202*.csv")) == 2


@pytest.mark.parametrize(
    ("content", "what"),
    [(b"%PDF-1.7", "a PDF"),
     (b"\x89PNG\r\n\x1a\n", "a picture")],
)  # fmt: skip
def test_foreign_files(tmp_path, content, what):
    """Well-known files that are no tables are called by their name."""
    path = tmp_path / "results.csv"
    path.write_bytes(content)
    with refused(BadData, "not_a_table", about=("CSV", str(what))):
        read_games(path)


def test_closed_streams():
    """A stream that cannot be read is refused."""
    stream = io.BytesIO(TEXT)
    stream.close()
    with refused(BadData, "damaged_file", about="closed"):
        read_games(stream)


def test_a_small_file_loads_little(tmp_path):
    """A small table is read without any of the large libraries."""
    path = tmp_path / "results.csv"
    path.write_bytes(TEXT)
    program = (
        "import sys; from prowess.games import read_games; read_games(sys.argv[1]);"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    large = {"llvmlite", "pyarrow", "pandas", "polars", "narwhals", "scipy"}
    assert large & set(done.stdout.split()) == set()
