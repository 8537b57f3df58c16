"""Files that are not what their names say, archives in archives, and what holds no table."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile

import pytest

from prowess.games import BadData, read_games
from prowess.games.formats import opened_tables
from prowess.games.formats.small_files import read_anchors, read_names
from tests.games.workbooks import make_xlsx, pack
from tests.refusals import refused

TEXT = "home,away,result\nAnn,Bob,1-0\nBob,Cid,0-1\n"
PAGE = (
    "<html><body><table><tr><th>home</th><th>away</th><th>result</th></tr>"
    "<tr><td>Ann</td><td>Bob</td><td>1-0</td></tr><tr><td>Bob</td><td>Cid</td><td>0-1</td></tr>"
    "</table></body></html>"
)
LOGIN = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Sign in</body></html>"
XML = (
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-'
    'microsoft-com:office:spreadsheet"><Worksheet><Table><Row/></Table></Worksheet></Workbook>'
)


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [("a.xls", PAGE.encode(), "html"), ("a.xls", TEXT.encode(), "csv"),
     ("a.xls", TEXT.replace(",", "\t").encode(), "csv"),
     ("a.xls", TEXT.replace(",", "\t").encode("utf-16"), "csv"),
     ("a.xlsx", b'{"home": "Ann", "away": "Bob", "result": "1-0"}\n' * 2, "jsonl"),
     ("a.csv", make_xlsx(), "sheet"), ("a.csv", PAGE.encode(), "html"),
     ("a.zip", make_xlsx(), "sheet"), ("a.parquet", TEXT.encode(), "csv"),
     ("a.json", PAGE.encode(), "html")],
)  # fmt: skip
def test_content_before_name(tmp_path, name, content, form):
    """What a file holds decides where its name says something else, and a note says so."""
    path = tmp_path / name
    path.write_bytes(content)
    games = read_games(path, warn=False)
    assert len(games) >= 2
    assert f"the file holds {form}, not what its name says" in games.notes


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [("a.csv", LOGIN.encode(), "no_table"),
     ("a.html", LOGIN.encode(), "no_table"),
     ("a.xls", XML.encode(), "is_xml_of_excel"),
     ("a.csv", b"7z\xbc\xaf'\x1c\0\0", "not_a_table"),
     ("a.rar", b"Rar!\x1a\x07\0", "not_a_table"),
     ("a.csv.gz", gzip.compress(gzip.compress(TEXT.encode(), mtime=0), mtime=0),
      "not_a_table"),
     ("a.parquet", b"", "empty_file"), ("a.xlsx", b"", "empty_file"),
     ("a.sqlite", b"", "empty_file"), ("a.zip", b"", "empty_file"),
     ("a.json", b"", "empty_table"), ("a.pgn", b"", "no_games"),
     ("a.ods", b"\0" * 900, "damaged_file"),
     ("a.db", b"\1" * 900, "damaged_file")],
)  # fmt: skip
def test_files_without_a_table(tmp_path, name, content, what):
    """A login page, XML, archives of other kinds and empty files are refused in one line."""
    path = tmp_path / name
    path.write_bytes(content)
    with refused(BadData, what):
        read_games(path)


def test_tar(tmp_path):
    """A tar archive, packed or not, is called by its name."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo("a.csv")
        entry.size = len(TEXT)
        archive.addfile(entry, io.BytesIO(TEXT.encode()))
    for name, content in [("a.tar", file.getvalue()), ("a.tgz", gzip.compress(file.getvalue()))]:
        (tmp_path / name).write_bytes(content)
        with refused(BadData, "not_a_table", about="tar"):
            read_games(tmp_path / name)


def test_packed_tables_in_an_archive(tmp_path):
    """A table that is packed within a zip archive is unpacked too; a second archive is refused."""
    path = tmp_path / "a.zip"
    path.write_bytes(pack({"one.csv.gz": gzip.compress(TEXT.encode()), "two.csv": TEXT}))
    assert len(read_games(path, warn=False)) == 4
    path.write_bytes(pack({"one.csv.gz": gzip.compress(pack({"two.csv": TEXT}))}))
    with refused(BadData, "nested_archive"):
        read_games(path)
    path.write_bytes(pack({"one.zip": pack({"two.csv": TEXT})}))
    with refused(BadData, "nested_archive"):
        read_games(path)


def test_each_member_is_opened_once(tmp_path, monkeypatch):
    """Of an archive whose files differ each is unpacked once."""
    path = tmp_path / "a.zip"
    path.write_bytes(pack({"games.csv": TEXT, "venues.csv": "venue,seats\nMain,100\n"}))
    opened = []
    whole = opened_tables.member_pieces

    def count_pieces(archive, member):
        opened.append(member.filename)
        return whole(archive, member)

    monkeypatch.setattr(opened_tables, "member_pieces", count_pieces)
    games = read_games(path)
    assert len(games) == 2
    assert games.notes == ('file "games.csv" is read, not "venues.csv"',)
    assert opened == ["games.csv", "venues.csv"]


def test_names_that_lead_out_of_an_archive(tmp_path):
    """Nothing is written and no link is followed, whatever the names in an archive are."""
    inside = tmp_path / "inside"
    inside.mkdir()
    path = inside / "a.zip"
    path.write_bytes(pack({"../../evil.csv": TEXT, "/etc/games.csv": TEXT}))
    assert len(read_games(path, warn=False)) == 4
    link = zipfile.ZipInfo("link.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, str(tmp_path / "secret.csv"))
    (tmp_path / "secret.csv").write_text(TEXT)
    with pytest.raises(BadData):
        read_games(path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["inside", "secret.csv"]


def test_one_bad_file_of_several(tmp_path):
    """A file that cannot be read stops the reading of its folder or archive, and is named."""
    (tmp_path / "a.csv").write_text(TEXT)
    (tmp_path / "b.csv").write_bytes(TEXT.encode() + b"\0\0")
    with refused(BadData, "not_text", about=("b.csv", "NUL"), line=4):
        read_games(tmp_path)
    (tmp_path / "b.csv").unlink()
    (tmp_path / "b.csv").symlink_to(tmp_path / "nowhere.csv")
    assert len(read_games(tmp_path)) == 2
    with refused(BadData, "no_such_file"):
        read_games([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_a_query_of_what_is_no_database(tmp_path):
    """A query is for databases only, and the remedy says what else selects rows."""
    path = tmp_path / "a.csv"
    path.write_text(TEXT)
    with refused(BadData, "query_without_database", about=("SQLite", "DuckDB", "where=")):
        read_games(path, sql="SELECT * FROM games")


@pytest.mark.parametrize("write", [str.encode, lambda text: text.encode("utf-16"),
                                   lambda text: gzip.compress(text.encode())])  # fmt: skip
def test_small_files_are_unpacked(tmp_path, write):
    """Anchors and names are read as tables are: packed ones too, and those with a mark."""
    file = tmp_path / "anchors.csv"
    file.write_bytes(write('player,rating\n"Ann, B.",1500\n\nCid,1400\n'))
    assert read_anchors(str(file)) == {"Ann, B.": 1500.0, "Cid": 1400.0}
    assert read_names(str(file))[-1] == "Cid,1400"


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (b'player,rating\nAnn,1\n"Bob,2\n', "broken_quotes", 3),
        (b"player,rating\nJos\xe9,1\n", "not_utf_8", None),
        (b"player,rating\nAnn,1,2\n", "wrong_row", 2),
    ],
)
def test_small_files_that_cannot_be_read(tmp_path, content, code, line):
    """What is wrong with a file of anchors is said with its line."""
    file = tmp_path / "anchors.csv"
    file.write_bytes(content)
    with refused(BadData, code, file=str(file), line=line):
        read_anchors(str(file))
