"""Facts as cells of a table: what is written is read back, and only numbers become numbers."""

from __future__ import annotations

import pytest

from prowess.games import read_games
from prowess.live.errors import Refused
from prowess.live.journal.fact_columns import mark_facts
from prowess.live.journal.imports import fact_as_typed, read_fact, stored_names, write_fact

HEAD = "date,player_a,player_b,result"


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("3", 3.0), ("2.5", 2.5), ("-4", -4.0), ("1e+20", 1e20), ("0", 0.0),
        ("007", "007"), ("nan", "nan"), ("inf", "inf"), ("1.50", "1.50"), ("1_000", "1_000"),
        ("12345678901234567891", "12345678901234567891"),  # no float has these digits
        ("clay", "clay"), ("'3", "3"), ("'=x", "=x"), ("'abc", "'abc"),
    ],
)  # fmt: skip
def test_what_a_cell_says(cell, value):
    """A finite number in its usual form is one; anything else is a text."""
    found = read_fact(cell)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "value",
    [3.0, -2.5, 1e22, 1e-7, 100_000_000.0, 123456789.25, "3", "'3", "-3", "'-3", "+3", "'+3",
     "007", "nan", "=x", "'=x", "''=x", "-x", "clay", "'", "3.0", "1e5", "1e+22"],
)  # fmt: skip
def test_every_fact_comes_back(value):
    """In files and in forms."""
    for cell in (str(write_fact(value)), fact_as_typed(value)):
        found = read_fact(cell)
        assert (found, type(found)) == (value, type(value)), cell


def test_names_of_columns():
    """The prefix goes, and what is no name is made one; two of one name are refused."""
    assert stored_names(["fact_surface", "Best Of"]) == {
        "fact_surface": "surface",
        "Best Of": "best_of",
    }
    for headings in (["fact_map", "Map"], ["42"], ["fact_"]):
        with pytest.raises(Refused, match="rename"):
            stored_names(headings)


def test_each_cell_stands_for_itself(tmp_path):
    """Empty cells are no facts, 007 stays, filters see the cells as they are written."""
    path = tmp_path / "games.csv"
    path.write_text(
        f"{HEAD},fact_code,fact_sets\n2024-01-01,Ann,Bob,1,007,2\n2024-01-02,Bob,Ann,1,,\n"
        '2024-01-03,Ann,Bob,1,"a, ""b""\nc",3\n'
    )
    marked = mark_facts([path], {})
    table = marked.unmarked(read_games(marked.files[0], **marked.options))
    assert list(table.labels["fact_code"]) == ["007", "", 'a, "b"\nc']
    assert list(table.labels["fact_sets"]) == ["2", "", "3"]
    marked = mark_facts([path], {"where": {"fact_code": ["007"]}})
    assert len(read_games(marked.files[0], **marked.options)) == 1


@pytest.mark.parametrize("options", [{"facts": "none"}, {"weight": "fact_sets"}])
def test_columns_that_are_no_facts(tmp_path, options):
    """Facts may be left out, and a column that is named as something else is that."""
    path = tmp_path / "games.csv"
    path.write_text(f"{HEAD},fact_sets\n2024-01-01,Ann,Bob,1,2\n")
    marked = mark_facts([path], options)
    assert (marked.files, marked.columns) == ((path,), ())
    table = read_games(marked.files[0], **marked.options)
    assert not table.facts
    if "weight" in options:
        assert table.weight.tolist() == [2.0]


def test_lines_stay_where_they_are(tmp_path):
    """What is wrong with a row is told with its file and line."""
    path = tmp_path / "games.csv"
    path.write_text(f'{HEAD},fact_map\n\n2024-01-01,Ann,Bob,1,"a\nb"\n2024-01-01,Ann,Bob,7,c\n')
    marked = mark_facts([path], {})
    with pytest.raises(ValueError, match=r"games.csv, line 5, column .result"):
        read_games(marked.files[0], **marked.options)
