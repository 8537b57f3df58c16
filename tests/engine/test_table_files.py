"""Tables of results in files of every form."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from prowess.engine.tabular import WRITERS, ResultTable
from prowess.games.arguments import BadArgument
from tests.refusals import refused

WHEN = datetime.fromisoformat("2024-03-05 12:30")
TABLE = ResultTable(
    {
        "player": ["=1+1", "a|b <i>", "Ñandú"],
        "rating": [1500.123456789, float("nan"), -2.0],
        "games": [1, 2, 3],
        "time": [WHEN, datetime.fromisoformat("1872-11-30"), None],
    },
    "Ratings",
)


@pytest.fixture(params=WRITERS)
def file(request, tmp_path):
    """A file of the table in one of the forms."""
    path = tmp_path / f"table{request.param.upper()}"
    TABLE.write(path)
    return path


def test_every_form_has_every_row(file):
    """All players are in the file, numbers at full precision where programs read it."""
    form = file.suffix.lower()
    if form == ".parquet":
        rows = pytest.importorskip("pyarrow.parquet").read_table(file).to_pylist()
        assert [row["player"] for row in rows] == TABLE["player"]
        assert rows[0]["rating"] == 1500.123456789
    elif form == ".xlsx":
        sheet = pytest.importorskip("openpyxl").load_workbook(file).active
        rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
        assert rows[0] == list(TABLE.columns)
        assert [row[0] for row in rows[1:]] == TABLE["player"]
        assert sheet["A2"].data_type == "s"  # a text, no formula
        assert rows[1][1:] == [1500.123456789, 1, WHEN]
        assert rows[2][1:] == [None, 2, "1872-11-30 00:00:00"]  # before the first day of a sheet
    elif form == ".json":
        rows = json.loads(file.read_text(encoding="utf-8"))
        assert rows[1] == {
            "player": "a|b <i>", "rating": None, "games": 2, "time": "1872-11-30T00:00:00"
        }  # fmt: skip
    else:
        text = file.read_text(encoding="utf-8")
        assert "Ñandú" in text
        named = {".md": r"| a\|b \<i> |", ".html": "a|b &lt;i&gt;", ".csv": "a|b <i>,nan,2,"}
        assert named[form] in text
        assert text.count("\n") >= 4 or form == ".html"


def test_html_and_markdown_show_all_rows(tmp_path):
    """A notebook shows both ends of a long table, a file all of it."""
    long = ResultTable({"player": [f"p{k}" for k in range(100)]}, "Many")
    assert "p50" not in long._repr_html_()
    assert "p50" in long.to_html()
    assert long.to_markdown().count("\n") == 102


def test_other_suffixes_are_refused(tmp_path):
    """The error names the suffixes there are."""
    with refused(BadArgument, "wrong_suffix", about="html"):
        TABLE.write(tmp_path / "table.doc")


def test_a_sheet_that_is_too_long_is_refused():
    """A spreadsheet would lose the rows beyond its last silently."""
    with refused(BadArgument, "too_many_rows"):
        ResultTable({"k": range(1_048_576)}).to_xlsx()
