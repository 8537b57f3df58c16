"""Facts as cells of a table: what is written is read back, and only numbers become numbers."""

from __future__ import annotations

import pytest

from prowess.games import read_games
from prowess.live.errors import Refused
from prowess.live.journal.imports import (
    FACT_OF,
    fact_as_typed,
    read_fact,
    stored_names,
    write_fact,
)
from tests.refusals import refused

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
        with refused(Refused, "bad_fact"):
            stored_names(headings)


def test_each_cell_stands_for_itself(tmp_path):
    """Empty cells are no facts, 007 stays, filters see the cells as they are written."""
    path = tmp_path / "games.csv"
    path.write_text(
        f"{HEAD},fact_code,fact_sets\n2024-01-01,Ann,Bob,1,007,2\n2024-01-02,Bob,Ann,1,,\n"
        '2024-01-03,Ann,Bob,1,"a, ""b""\nc",3\n'
    )
    table = read_games(path, fact_prefix=FACT_OF)
    assert list(table.labels["fact_code"]) == ["007", "", 'a, "b"\nc']
    assert list(table.labels["fact_sets"]) == ["2", "", "3"]
    assert not any("fact_" in note for note in table.notes)
    assert len(read_games(path, fact_prefix=FACT_OF, where={"fact_code": ["007"]})) == 1


@pytest.mark.parametrize("options", [{"facts": "none"}, {"weight": "fact_sets"}])
def test_columns_that_are_no_facts(tmp_path, options):
    """Facts may be left out, and a column that is named as something else is that."""
    path = tmp_path / "games.csv"
    path.write_text(f"{HEAD},fact_sets\n2024-01-01,Ann,Bob,1,2\n")
    table = read_games(path, fact_prefix=FACT_OF, **options)
    assert not table.facts
    if "weight" in options:
        assert table.weight.tolist() == [2.0]


def test_columns_named_beside_the_prefix(tmp_path):
    """A fact that is named and has the prefix is kept once, as text; others as they are named."""
    path = tmp_path / "games.json"
    path.write_text(
        '[{"white": "Ann", "black": "Bob", "result": 1, "fact_code": "007", "sets": 3}]'
    )
    table = read_games(path, fact_prefix=FACT_OF, facts=["fact_code", "sets"])
    assert list(table.facts) == ["fact_code", "sets"]
    assert (list(table.labels["fact_code"]), table.facts["sets"].tolist()) == (["007"], [3.0])
    assert list(read_games(path, fact_prefix="FACT", facts=["sets"]).facts) == ["sets"]
