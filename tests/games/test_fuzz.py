"""Whatever a file holds, nothing but BadData is raised, in one line that can be shown."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from prowess.compile import kernel
from prowess.games import BadData, Games, read_games

CSV = (
    "date,home_team,away_team,home_score,away_score,neutral\n"
    '2020-01-02,Ann,"B, C",1,0,TRUE\n2020-01-01,"B, C",Çelik,2,2,FALSE\n'
).encode()
PGN = (
    '[Event "A \\"cup\\""]\n[White "Ann"]\n[Black "Çelik"]\n[Result "1-0"]\n'
    '[UTCDate "2020.01.02"]\n[UTCTime "10:00:00"]\n\n1. e4 { [%clk 0:01:00] } e5 1-0\n\n'
    '[White "Cy"]\n[Black "Ann"]\n[Result "*"]\n[Date "2020.??.??"]\n\n*\n'
).encode()
ROWS = [
    {"player_a": "Ann", "player_b": "Bob", "score": 0.5, "date": "2020-01-01"},
    {"player_a": "Bob", "player_b": "Cy", "score": 1, "date": "2020-01-02T03:04:05Z"},
]
LINES = "\n".join(map(json.dumps, ROWS)).encode()
ARRAY = json.dumps(ROWS).encode()
MEMBERS = (
    b"date,a1,a2,b1,b2,score,a_car,b_car,surface\n2020-01-01,Ann,Bob,Cid,,1,F,M,clay\n"
    b"2020-01-02,Ann & Cid,,Bob,-,0.5,F,F,\n"
)
TEAMS = (
    b"match,team,player,place,minutes,car,surface\n1,R,Ann,1,90,F,clay\n1,R,Bob,1,0,M,clay\n"
    b"1,B,Cid & Dan,2,45,F,clay\n2,R,Ann,1,9,F,\n2,B,Bob,1,8,F,\n"
)
SEEDS = [
    CSV, PGN, LINES, ARRAY, gzip.compress(CSV), bz2.compress(CSV), lzma.compress(CSV),
    gzip.compress(PGN), MEMBERS, TEAMS,
]  # fmt: skip
FORMATS = st.sampled_from([None, "csv", "tsv", "jsonl", "json", "pgn"])
COMPILED = [False, True] if kernel.available() else [False]


def looked_at(data: bytes, **options) -> None:
    """Read; the outcome is a table or one line of refusal."""
    for compiled in COMPILED:
        try:
            table = read_games(io.BytesIO(data), compiled=compiled, warn=False, **options)
        except BadData as fault:
            shown(fault)
        else:
            sound(table)


def shown(fault: BadData) -> None:
    """A refusal is one line that can be shown."""
    assert str(fault).isprintable(), repr(str(fault))


def sound(table: Games) -> None:
    """What stands behind the door is promised by it."""
    assert all(name.strip(" \t") == name != "" for name in table.players)
    assert len(set(table.players)) == len(table.players)
    assert len(table) > 0
    assert table.player.max() < len(table.players)
    assert table.start[0] == table.ends[0] == 0
    assert table.start[-1] == len(table.ends) - 1 == len(table.place)
    assert table.ends[-1] == len(table.player)
    assert (np.diff(table.start) > 0).all()
    assert (np.diff(table.ends) > 0).all()
    assert (np.isfinite(table.place) & (table.place >= 1.0)).all()
    own = np.ones(len(table.player), bool) if table.role is None else table.role[table.player] == 0
    met = np.stack((table.contest_of_member[own], table.player[own]))
    assert len(np.unique(met, axis=1).T) == own.sum()  # nobody stands twice in a contest
    if table.duels:
        assert (table.a != table.b).all()
    if table.pairwise:
        assert ((table.score >= 0) & (table.score <= 1)).all()
        assert (np.diff(table.start) == 2).all()
    if table.share is not None:
        assert ((table.share > 0.0) & (table.share <= 1.0)).all()
    if table.time is not None:
        assert (table.time[1:] >= table.time[:-1]).all()
        assert (abs(table.time) < 1e7).all()


@given(st.binary(max_size=300), FORMATS, st.booleans())
def test_any_bytes(data, form, skip_bad):
    """Bytes of no sense are refused."""
    looked_at(data, format=form, skip_bad=skip_bad)


@given(st.data(), st.sampled_from(SEEDS), st.booleans())
@settings(max_examples=120)
def test_spoilt_files(data, seed, skip_bad):
    """A good file of any format with a few bytes changed, lost or added is read or refused."""
    content = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        piece = data.draw(st.binary(max_size=3) | st.sampled_from([b'"', b"[", b"{", b"\n", b"\0"]))
        content[at : at + data.draw(st.integers(0, 4))] = piece
    looked_at(bytes(content), skip_bad=skip_bad)


OF_SIDES = [
    (MEMBERS, {}),
    (MEMBERS, {"teams": "members", "facts": ("surface", "a_car"), "per": "surface"}),
    (MEMBERS, {"teams": "members", "with_": "car", "per": ("surface", "date")}),
    (TEAMS, {}),
    (TEAMS, {"team": "team", "teams": "members", "facts": "surface", "with_": "car"}),
    (TEAMS, {"team": "none", "share": "minutes", "per": "surface", "with_": ("car", "team")}),
]


@given(st.data(), st.sampled_from(OF_SIDES), st.booleans())
@settings(max_examples=120)
def test_spoilt_sides(data, chosen, skip_bad):
    """So is one of sides, shares, facts and roles, in which a few cells hold something else."""
    seed, options = chosen
    content = bytearray(seed)
    pieces = [b",", b"\n", b"Ann", b" & ", b"-", b"bye", b"F", b"0", b"-1", b"1e-300", b"1e300"]
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(content)))
        piece = data.draw(st.binary(max_size=2) | st.sampled_from(pieces))
        content[at : at + data.draw(st.integers(0, 4))] = piece
    looked_at(bytes(content), skip_bad="all" if skip_bad else False, format="csv", **options)


@given(st.data(), st.booleans())
@settings(max_examples=100)
def test_spoilt_parquet(data, skip_bad):
    """A Parquet file with a few bytes changed is read or refused."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), file)
    content = bytearray(file.getvalue())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    looked_at(bytes(content), skip_bad=skip_bad)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.dates(),
    st.datetimes(), st.decimals(), st.binary(max_size=3), st.lists(st.integers(), max_size=2),
    st.complex_numbers(),
)  # fmt: skip


@given(
    st.sampled_from([["a", "b", "score"], ["a", "b", "winner", "date"], ["player", "place"],
                     ["home", "away", "home_score", "away_score", "neutral"]]),
    st.data(), st.booleans(),
)  # fmt: skip
def test_any_values(names, data, skip_bad):
    """A dict of columns with any values is read or refused."""
    rows = data.draw(st.integers(1, 4))
    columns = {
        name: data.draw(st.lists(VALUES, min_size=rows, max_size=rows), label=name)
        for name in names
    }
    try:
        sound(read_games(columns, skip_bad=skip_bad, warn=False))
    except BadData as fault:
        shown(fault)


HEADINGS = [
    "home", "away", "result", "score", "home_score", "away_score", "winner", "status", "pens", "et",
    "date", "round", "player1", "player2", "team", "opponent", "blue_1", "red_1", "set 1", "count",
    "place", "points", "match_id", "draw", "n.V.", "note",
]  # fmt: skip
PEOPLE = st.sampled_from(["Ann", "Ben", "Cleo", "Ann & Ben", "None", "bye", "GM Ann", "Ann (1812)"])
PHRASES = st.sampled_from(
    ["Ann won by 2", "draw", "1-0", "2:1 n.V.", "HT", "postponed", "W", "L", "2024-01-05", "5.1.24",
     "6-4 3-6 10-7", "1/2", "Ann - Ben 2:1", "x", "", "1", "0", "3", "tie", "Ann > Ben"]
)  # fmt: skip


@given(
    st.lists(st.sampled_from(HEADINGS), min_size=2, max_size=6, unique=True), st.integers(1, 6),
    st.data(),
)  # fmt: skip
def test_any_shape(names, rows, data):
    """A dict of any columns, with lists in cells as well, is read or refused."""
    lists = st.lists(st.one_of(PEOPLE, PHRASES), max_size=2)
    kinds = [PEOPLE, PHRASES, lists, VALUES, st.one_of(PEOPLE, PHRASES, lists, VALUES)]
    columns = {
        name: data.draw(
            st.lists(data.draw(st.sampled_from(kinds)), min_size=rows, max_size=rows), label=name
        )
        for name in names
    }
    try:
        sound(read_games(columns, warn=False))
    except BadData as fault:
        shown(fault)


CELLS = st.sampled_from(
    ["1", "2", "3", "0", "T2", "1st", "DNF", "DNS", "1:02.5", "", "x", "2024-01-01", "A", "A & B",
     "B & A", "4w1", "½"]
)  # fmt: skip


@given(
    st.lists(st.sampled_from(["date", "season", "game", "player", "team", "place", "points",
                              "score", "strokes", "1", "2", "3", "weight", "opponent", "W", "L"]),
             min_size=2, max_size=7, unique=True),
    st.integers(1, 6), st.data(), st.sampled_from([None, "last", "skip"]), st.booleans(),
)  # fmt: skip
@settings(max_examples=120)
def test_any_contests(names, count, data, unplaced, skip_bad):
    """A table that may be one of contests is read or refused, by both readers alike."""
    rows = [",".join(data.draw(CELLS) for _ in names) for _ in range(count)]
    text = "\n".join([",".join(names), *rows])
    looked_at(text.encode(), format="csv", unplaced=unplaced, skip_bad=skip_bad)
    looked_at(text.encode(), format="csv", kind="contests", unplaced=unplaced, points="points")


@given(st.dictionaries(st.text(max_size=8), st.lists(VALUES, max_size=3), max_size=4))
def test_any_columns(columns):
    """A dict of any columns is read or refused."""
    with pytest.raises(BadData):
        raise_or_read(columns)


def raise_or_read(columns: Any) -> None:
    """Read what may by chance be a table, and be content with that too."""
    sound(read_games(columns, warn=False))
    raise BadData("it was a table")
