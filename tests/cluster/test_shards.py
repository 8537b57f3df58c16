"""Shards: every game stands in those of both its players, in the order of the table."""

from __future__ import annotations

import errno
import json
import threading
from shutil import rmtree
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import prowess
from prowess.games import BadData, shards, stream
from prowess.games.arguments import BadArgument
from prowess.games.games import Games
from prowess.games.shards import cut_pieces, read_shards, shard_table, write_shards
from tests.engine.tables import START, contests, games, some_games
from tests.refusals import refused

ROWS = [("Ada", "Ben", 1.0), ("Cleo", "Ada", 0.5), ("Ben", "Cleo", 0.0), ("Dan", "Eve", 1.0)]


def rows_of(table: Games) -> list[tuple[Any, ...]]:
    """The games of a table with all that is known of each."""
    known = {**table.columns, **table.facts}
    return list(zip(*(known[name].tolist() for name in sorted(known)), strict=True))


@given(some_games(weighted=True), st.integers(1, 6))
def test_a_shard_has_the_games_of_its_players(table: Games, count: int):
    """A shard has the rows of the table with a player of its own, and no other; none moves."""
    made = shard_table(table, count)
    for shard, part in enumerate(made.parts):
        own = (table.a % count == shard) | (table.b % count == shard)
        assert rows_of(part.load()) == rows_of(table.select(own))


@given(some_games(), st.integers(1, 6))
def test_players_of_a_shard_stand_together(table: Games, count: int):
    """In a row of shards every player has one place, between the bounds of their shard."""
    made = shard_table(table, count)
    ids = np.arange(len(table.players))
    places = made.places(ids)
    assert sorted(places.tolist()) == ids.tolist()
    shard = np.searchsorted(made.bounds, places, side="right") - 1
    assert (shard[places.argsort()] == np.sort(shard)).all()
    assert (made.bounds[ids % count] <= places).all()
    assert (places < made.bounds[ids % count + 1]).all()


@pytest.mark.parametrize("piece", [1, 3, 1000])
def test_files_hold_the_same_rows(tmp_path, monkeypatch, piece):
    """Written in pieces and in groups of two rows, read in any cut: the rows are the same."""
    monkeypatch.setattr(shards, "ROWS_OF_GROUP", 2)
    monkeypatch.setattr(shards, "ROWS_HANDED_ON", piece)
    table = games(
        ROWS * 3,
        ("Ada", "Ben", "Cleo", "Dan", "Eve"),
        time=[START + k / 3 for k in range(12)],
        round=[4] * 5 + [2] * 7,
        weight=[0.1 * k for k in range(1, 13)],
    ).replace(facts={"league": np.arange(12) % 2.0}, labels={"league": ("north", "south")})
    made, held = write_shards(cut_pieces(table), tmp_path / "out", 3), shard_table(table, 3)
    assert (made.players, len(made), made.labels) == (table.players, 12, table.labels)
    assert made.columns == held.columns
    for one, other in zip(made.parts, held.parts, strict=True):
        assert rows_of(one.load()) == rows_of(other.load())
        assert rows_of(one.cut(1, 4).cut(1, 3).load()) == rows_of(other.load())[2:4]
        assert set(one.load(frozenset({"a", "b", "score"})).columns) == {"a", "b", "score"}


@pytest.mark.parametrize("piece", [1, 2, 1000])
def test_rounds_are_numbered_as_they_begin(monkeypatch, tmp_path, piece):
    """Labels of rounds become 0, 1, ... by their first game; the longest pause within is known."""
    monkeypatch.setattr(shards, "ROWS_HANDED_ON", piece)
    days = [START, START + 2, START + 9, START + 10]
    table = games(ROWS, time=days, round=[7, 7, 3, 3])
    made = write_shards(cut_pieces(table), tmp_path / "out", 1)
    assert made.parts[0].load().round.tolist() == [0, 0, 1, 1]
    assert (made.rounds_apart, made.longest_pause) == (True, 2.0)
    overlapping = write_shards(
        cut_pieces(table.replace(round=np.array([7, 3, 7, 3], np.int32))), tmp_path / "over", 1
    )
    assert overlapping.rounds_apart is False


def test_what_cannot_be_cut_is_refused(tmp_path):
    """Contests, teams, a folder in use and a number of shards out of range are refused."""
    table = games(ROWS)
    with refused(BadArgument, "not_shareable"):
        shard_table(contests([[("Ada", 1), ("Ben", 2)]]), 2)
    with refused(BadArgument, "not_a_count", about="256"):
        shard_table(table, 257)
    (tmp_path / "file").touch()
    with refused(BadArgument, "folder_not_empty", about="empty"):
        write_shards(cut_pieces(table), tmp_path, 2)


def test_nothing_is_left_of_shards_that_are_not_whole(tmp_path, monkeypatch):
    """A full disk leaves no folder, and what a killed run left gives way; other files stay."""
    table, out = games(ROWS), tmp_path / "out"

    def refuse(*given):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shards, "_write_players", refuse)
        with pytest.raises(OSError, match="No space left"):
            write_shards(cut_pieces(table), out, 2)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "out.part").mkdir()
    (tmp_path / "out.part" / "shard-031.parquet").write_bytes(b"PAR1 and no more")
    assert len(write_shards(cut_pieces(table), out, 2)) == 4
    assert list(tmp_path.iterdir()) == [out]
    assert len(list(out.iterdir())) == 4
    (tmp_path / "new.part").mkdir()
    (tmp_path / "new.part" / "letter.txt").touch()
    with refused(BadArgument, "folder_not_empty", about="where"):
        write_shards(cut_pieces(table), tmp_path / "new", 2)


def test_no_thread_outlives_shards_that_are_not_whole(tmp_path, monkeypatch):
    """What reads a stream ahead ends though the error is still held."""
    whole, rows = stream.open_stream, [f"{a},{b},{score}" for a, b, score in ROWS * 5]
    (tmp_path / "games.csv").write_text("\n".join(("player_a,player_b,result", *rows)))
    monkeypatch.setattr(
        stream, "open_stream", lambda *given, **how: whole(*given, rows_a_piece=1, **how)
    )

    def refuse(*given):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shards._PartWriter, "add", refuse)
    before = {*threading.enumerate()}
    with pytest.raises(OSError, match="No space left") as held:
        prowess.shard(tmp_path / "games.csv", tmp_path / "out", 2, memory="1GB")
    for thread in {*threading.enumerate()} - before:
        thread.join(5.0)
        assert not thread.is_alive()
    assert held.value.errno == errno.ENOSPC
    assert [one.name for one in tmp_path.iterdir()] == ["games.csv"]


def test_a_shard_is_no_table(tmp_path):
    """A file of the folder, and the folder without its contents: every game stands there twice."""
    out = tmp_path / "out"
    write_shards(cut_pieces(games(ROWS)), out, 2)
    (out / "shards.json").unlink()
    for source in (out, out / "shard-001.parquet"):
        with refused(BadData, "part_of_shards"):
            prowess.read_games(source)
        with refused(BadData, "part_of_shards"):
            prowess.rate(source, "elo", memory="1GB")


@pytest.mark.parametrize(
    "damage", ["contents", "missing", "short", "changed", "unfinished", "players"]
)
def test_a_damaged_folder_is_refused(tmp_path, damage):
    """A folder that is not what was written is refused, with the file and the remedy."""
    folder = tmp_path / "out"
    made = write_shards(cut_pieces(games(ROWS)), folder, 2)
    contents, first = folder / "shards.json", folder / "shard-000.parquet"
    if damage == "contents":
        contents.write_text("{}")
    elif damage == "players":
        (folder / "players.parquet").unlink()
    elif damage == "missing":
        first.unlink()
    elif damage == "short":
        first.write_bytes(first.read_bytes()[:-20])
    elif damage == "changed":
        first.write_bytes((folder / "shard-001.parquet").read_bytes())
        told = json.loads(contents.read_text())
        told["files"]["shard-000.parquet"] += 1
        contents.write_text(json.dumps(told))
    else:
        contents.unlink()
    code = "shards_changed" if damage == "changed" else "damaged_shards"
    named = "players.parquet" if damage == "players" else "cut the games into shards again"
    with refused(BadData, code, about=named):
        read_shards(folder)
    if damage in ("missing", "short"):
        with refused(BadData, "no_such_file" if damage == "missing" else "damaged_shards"):
            made.parts[0].load()


def test_a_stream_gives_the_same_files(tmp_path):
    """Files that are read as a stream become the shards of the same games read into memory."""
    file = tmp_path / "games.csv"
    rows = [f"2024-01-{1 + k:02d},{a},{b},{score}" for k, (a, b, score) in enumerate(ROWS * 5)]
    file.write_text("\n".join(("date,player_a,player_b,result", *rows)))
    held = prowess.shard(file, tmp_path / "held", 3)
    streamed = prowess.shard(file, tmp_path / "streamed", 3, memory="1GB")
    assert (streamed.players, len(streamed), streamed.columns) == (held.players, 20, held.columns)
    assert streamed.reading.columns == held.reading.columns
    for one, other in zip(streamed.parts, held.parts, strict=True):
        assert rows_of(one.load()) == rows_of(other.load())
    with refused(BadData, "folder_of_shards"):
        prowess.read_games(tmp_path / "held")


def test_shards_that_are_cut_again_are_others(tmp_path):
    """In one process, at the same path and of the same size: with the dates of the new games."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 40, 2000)
    b = (a + rng.integers(1, 40, 2000)) % 40
    score = rng.integers(0, 2, 2000)
    sizes = set()
    for day in range(9, 30, 3):  # of the last games, in another period each week
        rows = [
            (f"P{one}", f"P{other}", float(won), f"2024-03-{2 if at < 1900 else day:02}")
            for at, (one, other, won) in enumerate(zip(a, b, score, strict=True))
        ]
        table = prowess.read_games(rows)
        folder = tmp_path / "shards"
        made = write_shards(cut_pieces(table), folder, 2)
        sizes.add(tuple(file.stat().st_size for file in folder.glob("shard-*")))
        found: Any = prowess.rate(folder, "glicko2", period="7d", compiled=False)
        whole: Any = prowess.rate(table, "glicko2", period="7d", compiled=False)
        assert found.state.rating.tobytes() == whole.state.rating.tobytes()
        rmtree(folder)
    assert len(sizes) < 7  # some had the size of others
    again = write_shards(cut_pieces(table), folder, 2)
    with refused(BadData, "damaged_shards", about="changed"):
        made.parts[0].load()
    assert len(again.parts[0].load()) == len(again.parts[0])
