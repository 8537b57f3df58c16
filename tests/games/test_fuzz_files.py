"""Spoilt files of every format are read or refused in one line, within little memory and time."""

from __future__ import annotations

import gzip
import io
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from prowess.games import BadData, read_games
from prowess.games.formats.pages import TableParser, drop_silent
from tests.games.workbooks import MAKERS
from tests.refusals import refused

TABLES = Path(__file__).parents[1] / "door" / "tables"
SEEDS = (
    "sqlite_keys.db", "duckdb_one.duckdb", "columns.parquet", "categories.feather", "stream.arrow",
    "zip_seasons.zip", "packed_gzip.csv.gz", "packed_xz.csv.xz", "en_page.html", "en_markdown.md",
    "fide_trf16.trf", "cutechess.log", "openfootball_v.txt", "lichess_games.pgn", "preflib.soi",
    "lichess_export.ndjson", "challonge.json", "codeforces_changes.json", "startgg_sets.json",
    "codeforces_standings.json", "espn_scoreboard.json", "mongo_export.json", "columns_split.json",
    "en_crosstable.txt", "de_schach_verein.tsv", "scores_lowest_flagged.csv",
    "en_utf16_no_mark.csv",
)  # fmt: skip
PIECES = (
    b"9" * 400, b"<", b">", b'"', b"\0\0\0\0", b"\xff\xff\xff\xff", b"<![x>", b"{", b"[" * 2000,
    b"\n", b",", b"\t", b"1e999", b"NaN", b"\\ud800", b'{"a":' * 2000, b"\x97", b"9999-99-99",
    b"\x00\x00\x00\x80", b"&#x110000;", b"'", b"-",
)  # fmt: skip
READINGS = 30  # of each file


def spoil(content: bytes, chance: random.Random) -> bytes:
    """A file that is cut off, or in which a few bytes are changed, lost or added."""
    data = bytearray(content)
    if chance.random() < 0.15:
        return bytes(data[: chance.randrange(len(data))])
    for _ in range(chance.randint(1, 5)):
        at, how = chance.randrange(len(data)), chance.random()
        if how < 0.4:
            data[at] = chance.choice((0, 255, chance.randrange(256), data[at] ^ 1 << at % 8))
        elif how < 0.6:
            del data[at : at + chance.choice((1, 2, 8, 50))]
        else:
            data[at:at] = chance.choice(PIECES)
    return bytes(data)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*SEEDS, *MAKERS])
def test_spoilt_files(name):
    """Whatever is spoilt, nothing but BadData is raised, and what is read has games."""
    content = MAKERS[name]() if name in MAKERS else (TABLES / name).read_bytes()
    chance = random.Random(name)
    for at in range(READINGS):
        file = io.BytesIO(spoil(content, chance))
        file.name = chance.choice(("a.csv", "a.json", "a.xls")) if at % 10 == 9 else name
        try:
            games = read_games(file, skip_bad=chance.choice((False, True, "all")), warn=False)
        except BadData as error:
            assert str(error).isprintable()  # noqa: PT017 - any other error fails the test
        else:
            assert len(games) > 0


LONG = {
    "a.html": (b"<!" * 50_000, b"<a " * 50_000, b"</" * 50_000, b"<!--" * 50_000, b"<![x>" * 999,
               b'<a "' * 50_000, b"<?" * 50_000, b"<table><tr><td>" * 5000, b"<script>" * 50_000),
    "a.json": (b"[" * 200_000, b'{"a":' * 100_000, b'[{"home":"A","result":' + b"9" * 5000 + b"}]"),
    "a.csv": (b"home,away,result\nA,B,1\n" + b"x" * 300_000, b'home,away,result\nA,"B,1\n' * 5000,
              b",".join(b"c%d" % n for n in range(100_000)) + b"\n1,2,3\n"),
    "a.md": (b"a|b|c\n" + b"--|" * 50_000 + b"x\n",),
    "a.pgn": (b'[White "' * 50_000, b'[White "A"]\n' * 9000),
    "a.txt": (b"Started game 1 of 2 (A vs B)\n" * 999, b"= League 2020\n" + b"Round 1\n" * 999),
}  # fmt: skip


@pytest.mark.parametrize("name", [*LONG])
def test_long_nonsense(name):
    """Texts without an end, deep nesting, long numbers and endless headings are refused."""
    for content in LONG[name]:
        file = io.BytesIO(b"<html>" * (name == "a.html") + content)
        file.name = name
        with pytest.raises(BadData):
            read_games(file, warn=False)


def test_cells_that_reach_far(monkeypatch):
    """A page whose cells reach over thousands of rows and columns is refused early."""
    monkeypatch.setattr("prowess.games.formats.pages.SHEET_CELLS", 10_000)
    cell = b"<td colspan=900 rowspan=900>x"
    with refused(BadData, "too_many_columns", about="5,000"):
        read_games(io.BytesIO(b"<table><tr>" + cell * 6), format="html")
    with refused(BadData, "too_many_cells", about=("CSV", "too")):
        read_games(io.BytesIO(b"<table><tr>" + cell + b"<tr>" * 20), format="html")


def test_markup_of_pages():
    """Quotes may hold `>`, and what is no text of a cell is left out of it."""
    parser = TableParser("a.html")
    parser.read_content(drop_silent(
        '<table>\n<tr><td data-x="a>b" TITLE=\'<b>\'>A<sup>1</sup><td ROWSPAN=" 2 ">B &amp; C<!-- '
        "x --><br>D</td></tr>\n<tr><td>3 < 4<script>x='</td>'</script>"
    ))  # fmt: skip
    assert [(table.rows, table.lines) for table in parser.tables] == [
        ([["A", "B & C D"], ["3 < 4", "B & C D"]], [2, 3])
    ]


def test_bombs_are_refused(monkeypatch):
    """What unpacks to more than many times its size is refused, however it is packed."""
    monkeypatch.setattr("prowess.games.limits.FREE", 1 << 20)
    table = b"home,away,result\n" + b"Ann,Bob,1\n" * 300_000
    with refused(BadData, "unpacks_too_large", about="200"):
        read_games(io.BytesIO(gzip.compress(table)), format="csv")
    for how in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", how) as archive:
            archive.writestr("a.csv", table)
        with refused(BadData, "unpacks_too_large", about="200"):
            read_games(io.BytesIO(file.getvalue()), format="zip")
        with refused(BadData, "unpacks_too_large", about="200"):
            read_games(io.BytesIO(file.getvalue()), format="sheet")
    within = io.BytesIO()
    with zipfile.ZipFile(within, "w") as archive:
        archive.writestr("a.csv.gz", gzip.compress(table))
    with refused(BadData, "unpacks_too_large", about=("a.csv", "200")):
        read_games(io.BytesIO(within.getvalue()), format="zip")


PROGRAM = """
import io, resource, sys, zlib
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))  # 1.5 GB
from prowess.games import BadData, read_games
from tests.games.workbooks import make_ods, make_xlsx
far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
rows = '<table:table-row table:number-rows-repeated="1048576"><table:table-cell office:value-type='\
       '"string" table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'\
       '</table:table-row>'
pack = zlib.compressobj(9, wbits=31)
gz = b"".join(pack.compress(bytes(1 << 24)) for _ in range(20)) + pack.flush()  # zeros
for content, form in ((make_xlsx(more=far), "sheet"), (make_ods(more=rows), "sheet"), (gz, "csv")):
    try:
        read_games(io.BytesIO(content), format=form)
    except BadData as error:
        print(error.what[:40])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_memory_stays_bounded():
    """A far cell and a few hundred megabytes of zeros are refused by a process that has 1.5 GB."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [
        "the workbook has more than 10 million ce", "the workbook has more than 10 million ce",
        "it unpacks to more than 200 times its si",
    ]  # fmt: skip
