"""Workbooks of every kind: cells without a value, far cells, damage, macros, other programs."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import Any

import pytest

from prowess.games import BadData, read_games
from tests.games.workbooks import (
    MAKERS,
    ROWS,
    SHEET,
    XLS,
    XLS_TIMES,
    make_ods,
    make_xlsb,
    make_xlsx,
    pack,
    record,
)
from tests.refusals import refused

ERROR = b't="e"><f>NA()</f><v>#N/A</v>'
ODS_ERROR = (
    b'<table:table-cell table:formula="of:=NA()" office:value-type="string" '
    b'office:string-value="" calcext:value-type="error"><text:p>#N/A</text:p></table:table-cell>'
)


def read(content: bytes, **options: Any) -> Any:
    """A workbook that is no file."""
    return read_games(io.BytesIO(content), format="sheet", warn=False, **options)


@pytest.mark.parametrize("make", [make_xlsx, make_ods, make_xlsb])
def test_every_kind(make):
    """The same games come out of xlsx, ods and xlsb."""
    games = read(make())
    assert games.players == ["Ann", "Bob", "Cid"]
    assert games.score.tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "content",
    [
        make_xlsx([*ROWS[:3], ["Cid", "Ann", ERROR]]),
        make_ods([*ROWS[:3], ["Cid", "Ann", ODS_ERROR]]),
        make_xlsb([*ROWS[:3], ["Cid", "Ann", 0x2A]]),
    ],
)
def test_an_error_is_no_empty_cell(content):
    """An error where the result should stand is refused under its own text, with its row."""
    with refused(BadData, "no_value", about="result", row=4):
        read(content)
    assert len(read(content, skip_bad=True)) == 2


def test_an_error_in_xls():
    """So it is in a workbook of Excel 97, and in the right row of the right sheet."""
    with refused(BadData, "no_value", about=("Spiele", "result"), row=5):
        read(XLS)
    assert len(read(XLS, skip_bad=True)) == 3


def test_dates_and_times_in_xls():
    """Days are dates, also in merged cells; a score that became a time is what the sheet shows."""
    games = read(XLS_TIMES)
    assert games.score.tolist() == [1.0, 1.0, 0.0]
    assert games.time.tolist() == [19727.0, 19727.0, 19728.0]  # 45296 - 25569, as Excel counts


def test_other_errors():
    """#REF! and #DIV/0! are errors too; one in a column that is not used does not count."""
    rows = [[*ROWS[0], "odds"], ["Ann", "Bob", "1-0", b't="e"><v>#DIV/0!</v>'], [*ROWS[2], 2]]
    assert len(read(make_xlsx(rows))) == 2
    rows[1] = ["Ann", b't="e"><v>#REF!</v>', "1-0", 3]
    with refused(BadData, "no_value", about=("away", "REF"), row=2):
        read(make_xlsx(rows))


def test_scores_that_are_missing():
    """Where both scores are #N/A the game is one to come, as a note says; one alone is refused."""
    rows: list[list[Any]] = [
        ["home", "away", "hg", "ag"],
        ["Ann", "Bob", 2, 1],
        ["Bob", "Ann", ERROR, ERROR],
    ]
    games = read(make_xlsx(rows))
    assert len(games) == 1
    assert "several cells of #N/A are read as empty: row 3" in games.notes
    rows[2][2] = 3
    with refused(BadData, "no_value", about="ag", row=3):
        read(make_xlsx(rows))


def test_formulas_that_were_never_computed():
    """They are refused with the remedy, also where they are the last column of all rows."""
    formula = b"><f>IF(1=1,1,0)</f><v></v>"
    with refused(BadData, "no_value", about="file", row=2):
        read(make_xlsx([ROWS[0], ["Ann", "Bob", formula], ["Bob", "Ann", b"><f>A1</f>"]]))
    empty = b't="str"><f>IF(1=1,&quot;&quot;,0)</f><v></v>'  # computed, as an empty text
    assert len(read(make_xlsx([*ROWS, ["Cid", "Bob", empty]]))) == 3


@pytest.mark.parametrize(
    "content",
    [make_xlsx(more='<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
     make_xlsx(more='<row r="9"><c><v>1</v></c><c r="AAAAAAA9"><v>1</v></c></row>'),
     make_ods(more='<table:table-row table:number-rows-repeated="1000000"><table:table-cell '
                   'table:number-columns-repeated="900" office:value-type="float" '
                   'office:value="1"/></table:table-row>'),
     make_ods(more='<table:table-row table:number-rows-repeated="1000000"><table:table-cell '
                   'table:number-columns-repeated="16000"/></table:table-row><table:table-row>'
                   '<table:table-cell table:number-columns-repeated="999"/><table:table-cell '
                   'office:value-type="float" office:value="1"/></table:table-row>'),
     make_xlsb(more=record(0, struct.pack("<II9x", 1 << 20, 0))
               + record(6, struct.pack("<III", 16383, 0, 1) + b"x\0"))],
)  # fmt: skip
def test_a_far_cell_is_refused_at_once(content):
    """A value far from the table would take all memory: the message names the cell."""
    with refused(BadData, "too_many_cells", about="10"):
        read(content)


def test_a_far_cell_without_a_value():
    """A cell that only has a format does not count, however far it is."""
    assert len(read(make_xlsx(more='<row r="1048576"><c r="XFD1048576" s="1"/></row>'))) == 3
    far = ('<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
           'table:number-columns-repeated="16384"/></table:table-row>')  # fmt: skip
    assert len(read(make_ods(more=far))) == 3


def test_more_cells_than_the_sheet_says():
    """An archive that holds more than it says is refused before anything is made of it."""
    content = bytearray(
        make_xlsx(parts={"xl/sharedStrings.xml": "<sst>" + "<si/>" * 999 + "</sst>"})
    )
    at = content.rfind(b"xl/sharedStrings.xml") - 46  # of its entry in the directory
    assert content[at : at + 4] == b"PK\x01\x02"
    content[at + 24 : at + 28] = struct.pack("<I", 10)
    with refused(BadData, "damaged_file", about="long"):
        read(bytes(content))


def test_types_of_documents():
    """XML that declares entities is refused."""
    sheet = '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData/></worksheet>'
    with refused(BadData, "damaged_file", about="type"):
        read(make_xlsx(parts={SHEET: sheet}))


def test_macros_are_not_run():
    """A workbook with macros is read, and a note says that they are not run."""
    games = read(make_xlsx(parts={"xl/vbaProject.bin": b"\xd0\xcf\x11\xe0 macros"}))
    assert games.notes == ("the macros of the workbook are not run",)


@pytest.mark.parametrize(
    ("part", "what"),
    [("word/document.xml", "a Word document"), ("Index/Document.iwa", "of Numbers or Pages")],
)
def test_documents_of_other_programs(tmp_path, part, what):
    """A document of a text program is called by its name."""
    path = tmp_path / "results.xlsx"
    path.write_bytes(pack({"[Content_Types].xml": "<Types/>", part: "<a/>"}))
    with refused(BadData, "not_a_table", about=("CSV", str(what))):
        read_games(path)


def rename_stream(content: bytes, old: str, new: str) -> bytes:
    """A compound file in which a stream has another name."""
    entry = bytearray(
        new.encode("utf-16-le").ljust(64, b"\0") + struct.pack("<H", 2 * len(new) + 2)
    )
    at = content.index(old.encode("utf-16-le") + b"\0\0")
    return content[:at] + bytes(entry) + content[at + len(entry) :]


@pytest.mark.parametrize(
    ("stream", "what"),
    [("EncryptedPackage", ("encrypted",)),
     ("WordDocument", ("not_a_table", "Word")),
     ("Anything", ("damaged_file",))],
)  # fmt: skip
def test_compound_files_that_are_no_workbooks(stream, what):
    """An encrypted workbook and a document of Word look like xls at first."""
    with refused(BadData, what[0], about=what[1:]):
        read(rename_stream(XLS, "Workbook", stream))


def test_other_encrypted_workbooks():
    """A password in xls and in ods is said as well."""
    start = XLS.index(b"\x09\x08\x10\x00\x00\x06\x05\x00")  # the first record of a workbook
    content = bytearray(XLS)
    second = start + 4 + struct.unpack_from("<H", XLS, start + 2)[0]
    content[second : second + 2] = struct.pack("<H", 0x2F)  # the record behind the first
    content[second + 4] = 1
    with refused(BadData, "encrypted"):
        read(bytes(content))
    manifest = "<manifest><encryption-data/></manifest>"
    with refused(BadData, "encrypted"):
        read(pack({"content.xml": b"\x00\x01", "META-INF/manifest.xml": manifest}))


def test_a_chain_without_an_end():
    """A compound file whose sectors lead in a circle is refused at once (MS-CFB 2.3, 2.6.1)."""
    entry = XLS.index("Workbook".encode("utf-16-le") + b"\0\0")
    start = struct.unpack_from("<I", XLS, entry + 116)[0]
    table = 512 * (struct.unpack_from("<I", XLS, 76)[0] + 1)
    content = bytearray(XLS)
    struct.pack_into("<I", content, table + 4 * (start + 1), start)
    with refused(BadData, "damaged_file"):
        read(bytes(content))


def test_sheets_that_are_all_one():
    """Sheets of xls may name the same records again and again: their cells count each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("prowess.games.formats.sheets.SHEET_CELLS", 10)
        with refused(BadData, "too_many_cells"):
            read(XLS, table="Spiele")


@pytest.mark.parametrize("name", [*MAKERS])
def test_cut_off(name):
    """A workbook that is cut off anywhere is refused, never read in part."""
    content = MAKERS[name]()
    for end in range(0, len(content) - 1, max(len(content) // 40, 1)):
        with pytest.raises(BadData):
            read(content[:end])


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing(how):
    """A workbook that is packed in a way that its programs do not know is refused."""
    parts = zipfile.ZipFile(io.BytesIO(make_xlsx()))
    with refused(BadData, "damaged_file", about="workbook"):
        read(pack({name: parts.read(name) for name in parts.namelist()}, how))
