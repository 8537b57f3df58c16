"""What a stream says of its files is what `read_games` says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prowess.games.errors import BadData
from prowess.games.formats import parquet as formats_parquet
from prowess.games.read import read_games
from prowess.games.stream import NOT_SOUGHT, GameStream, open_stream
from tests.refusals import refused


def write_games(path: Path, *rows: str) -> str:
    """A file of these rows, the first of which are headings."""
    path.write_text("\n".join([*rows, ""]))
    return str(path)


def read_stream(source: Any, **options: Any) -> GameStream:
    """A stream of which all pieces are read."""
    stream = open_stream(source, **options)
    for _ in stream.pieces():
        pass
    return stream


def check_reading(source: Any, **options: Any) -> GameStream:
    """The reading of a stream is that of the table, but for what a stream does not seek."""
    stream = read_stream(source, rows_a_piece=7, **options)
    table = read_games(source, warn=False, **options)
    for name in ("kind", "columns", "unused", "games", "players", "first", "last", "left_out"):
        assert getattr(stream.reading, name) == getattr(table.reading, name), name
    assert [*stream.notes] == [*table.notes, NOT_SOUGHT]
    return stream


def test_a_category_that_tells_nothing_apart_is_not_used(tmp_path: Path):
    """Three surfaces in five games are a column that is not used; in fifty they are a context."""
    for games, unused in ((5, ("surface",)), (50, ())):
        rows = [f"p{at % 3},q{at % 4},1,{'ABC'[at % 3]},{1900 + at}-01-01" for at in range(games)]
        stream = check_reading(write_games(tmp_path / "g.csv", "a,b,score,surface,date", *rows))
        assert stream.reading.unused == unused
        assert any(each.role == "context" for each in stream.reading.columns) == (not unused)


DAYS = [f"2020-01-{day:02}" for day in range(1, 31)]


def test_a_category_of_one_value_is_said(tmp_path: Path):
    """The caller names it, so that it is kept."""
    rows = [f"{day},p{at % 3},q{at % 4},1,x" for at, day in enumerate(DAYS)]
    stream = check_reading(write_games(tmp_path / "g.csv", "date,a,b,score,v", *rows), variant="v")
    assert stream.notes[0] == "variant = v has one value only and tells no games apart"


def test_facts_of_numbers_and_words_are_said(tmp_path: Path):
    """A column that is read as words."""
    rows = [f"{day},p{at % 3},q{at % 4},1,{at or 'x'}" for at, day in enumerate(DAYS)]
    stream = check_reading(write_games(tmp_path / "g.csv", "date,a,b,score,v", *rows), facts="v")
    assert stream.notes[0] == '"v" holds numbers and words ("x"): read as words'


def test_names_that_are_not_split_are_said(tmp_path: Path):
    """No name is joined: games between two; some hold a comma."""
    rows = [f'{day},"p, {at % 3}",q{at % 4},1' for at, day in enumerate(DAYS)]
    path = write_games(tmp_path / "g.csv", "date,a,b,score", *rows)
    stream = check_reading(path, teams="members")
    assert stream.reading.kind == "games between two"
    assert "splits no name" in stream.notes[0]
    assert '3 names such as "p, 0" hold a comma' in stream.notes[1]


def test_names_that_are_split_make_teams(tmp_path: Path):
    """The kind of the table, and no note."""
    rows = [f"{day},p{at % 3} & r{at % 5},q{at % 4},1" for at, day in enumerate(DAYS)]
    path = write_games(tmp_path / "g.csv", "date,a,b,score", *rows)
    assert check_reading(path, teams="members").reading.kind == "games of teams"


def test_a_run_that_goes_on_knows_that_a_name_was_split(tmp_path: Path, monkeypatch: Any):
    """The only joined name stands in rows that are not read again."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(formats_parquet, "ROWS_A_CHUNK", 10)
    sides = {f"player_{side}{at}": [f"{side}{at}"] * 40 for side in "ab" for at in (1, 2)}
    sides["player_a1"][15] = "Ann & Bob"
    path = tmp_path / "g.parquet"
    parquet.write_table(pa.table({**sides, "score": [1.0] * 40}), path, row_group_size=10)
    options: dict[str, Any] = {"teams": "members", "rows_a_piece": 10}
    first = open_stream(path, **options)
    pieces = first.pieces()
    ends = [next(pieces).end for _ in range(3)]
    resumed = open_stream(path, **options)
    resumed.restore(first.arrays())
    assert sum(len(piece.games) for piece in resumed.pieces(ends[-1])) == 10
    assert resumed.reading.kind == "games of teams"
    assert resumed.notes == (NOT_SOUGHT,) == read_stream(path, **options).notes


@pytest.mark.parametrize("players", [1, 40])
def test_names_that_look_like_teams_name_the_first_file(tmp_path: Path, players: int):
    """They are those of all files, found when names are twice as many, or at the end."""
    single = [f"p{at},q{at},1" for at in range(players)]
    joined = ["Ann / Bob,Cid / Dan,1", "Ann / Cid,Bob / Dan,1"]
    paths = [
        write_games(tmp_path / f"{at}.csv", "a,b,score", *rows)
        for at, rows in enumerate((single, joined, ["p0,r0,1"]))
    ]
    said = []
    for read in (read_games, read_stream):
        with refused(BadData, "changing_teams", about="common") as caught:
            read(paths)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert caught.value.file == paths[0]
