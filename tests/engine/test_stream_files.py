"""Checkpoints and files of forecasts: whole or not there, and the same after a run that stopped."""

from __future__ import annotations

import errno
import os
import sys
import threading
from contextlib import suppress
from subprocess import PIPE, Popen
from typing import Any

import numpy as np
import pytest

from prowess.engine import losses
from prowess.engine.rate import DynamicRatings, rate
from prowess.engine.streams import checkpoint, forecast_files
from prowess.engine.streams.checkpoint import BadCheckpoint, Checkpoints, hold_folder
from prowess.engine.streams.forecast_files import ForecastFile
from prowess.engine.streams.further_games import rate_on_stream
from prowess.engine.streams.memory import MemoryLimit, machine_memory, parse_memory
from prowess.engine.streams.rate_stream import StreamRun, rate_stream
from prowess.engine.streams.resuming import ResumableRun
from prowess.engine.system import Unratable
from prowess.engine.table import join_tables
from prowess.games.arguments import BadArgument
from prowess.games.errors import BadData
from prowess.games.stream import open_stream
from prowess.systems.arimaa import ARIMAA
from prowess.systems.elo import ELO
from prowess.systems.glicko2 import GLICKO2
from prowess.systems.prowess import PROWESS
from prowess.systems.trueskill import TRUESKILL
from prowess.verbs import saving
from prowess.verbs.rating import rate as rate_files, rate_on
from prowess.verbs.saving import BadSave, load, save
from tests.cli.command import environment
from tests.engine.pieces import Stopped, TablePieces
from tests.engine.tables import games
from tests.refusals import refused

ROWS = [("Ann", "Bob", 1.0), ("Bob", "Cid", 0.5), ("Cid", "Ann", 1.0), ("Dan", "Ann", 0.0)]
TABLE = games(ROWS, time=[18_000.0, 18_001.0, 18_002.0, 18_040.0])


@pytest.mark.parametrize("most", [None, 1, 3])
def test_forecasts_are_written(tmp_path, monkeypatch, most):
    """All rows once, in row groups of one size, also where the run stopped between."""
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(forecast_files, "ROWS", 2)
    monkeypatch.setattr(losses, "SUM_GAMES", 2)
    run = StreamRun(forecasts=ForecastFile(tmp_path / "f.parquet"))
    if most is not None:
        pieces = TablePieces(TABLE, [1, 2, 3])
        pieces.most = most
        resume = tmp_path / "run"
        file = ForecastFile(tmp_path / "f.parquet", resume)
        run = StreamRun(forecasts=file, resume=resume, every=0.0)
        with suppress(Stopped):
            rate_stream(pieces, ELO, run=run)
        assert not (tmp_path / "f.parquet").exists()
        run.forecasts = ForecastFile(tmp_path / "f.parquet", resume)
    ratings = rate_stream(TablePieces(TABLE, [1, 2, 3]), ELO, run=run)
    found = parquet.ParquetFile(tmp_path / "f.parquet")
    table = found.read()
    whole = rate(TABLE, ELO, forecasts=True)
    assert table.column("expected").to_pylist() == whole.forecasts.tolist()
    assert ratings.forecast_scores == whole.forecast_scores
    assert ratings.summary() == whole.summary()
    assert table.column("player_a").to_pylist() == ["Ann", "Bob", "Cid", "Dan"]
    known = rate(TABLE, ELO).games().columns
    for name in ("rating_a", "rating_b"):
        assert table.column(name).to_pylist() == known[name].tolist()
    assert [found.metadata.row_group(k).num_rows for k in range(2)] == [2, 2]


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_a_run_that_stops_in_an_open_period_goes_on(tmp_path, most):
    """Rows that a checkpoint holds have their names again, also those of starting values."""
    parquet = pytest.importorskip("pyarrow.parquet")
    options = {"period": "30d", "start": {"Ann": {"rating": 1700.0}}}
    whole = StreamRun(forecasts=ForecastFile(tmp_path / "whole.parquet"))
    once = rate_stream(TablePieces(TABLE, [1, 2, 3]), GLICKO2, run=whole, **options)
    pieces, resume = TablePieces(TABLE, [1, 2, 3]), tmp_path / "run"
    pieces.most = most
    for source in (pieces, TablePieces(TABLE, [1, 2, 3])):
        file = ForecastFile(tmp_path / "f.parquet", resume)
        run = StreamRun(forecasts=file, resume=resume, every=0.0)
        with suppress(Stopped):
            again = rate_stream(source, GLICKO2, run=run, **options)
    assert again.leaderboard().columns == once.leaderboard().columns
    assert again.forecast_scores == once.forecast_scores
    found = parquet.read_table(tmp_path / "f.parquet")
    assert found.to_pydict() == parquet.read_table(tmp_path / "whole.parquet").to_pydict()


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    """What cannot be written is refused with the remedy, and the checkpoint before is whole."""
    kept = Checkpoints(tmp_path, {}, 0.0)
    kept.save({"end": 1}, {"rating": np.ones(3)})

    def refuse(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with refused(BadCheckpoint, "full_disk"):
        kept.save({"end": 2}, {"rating": np.zeros(3)})
    found = Checkpoints(tmp_path, {}, 0.0).load()
    assert found is not None
    assert found.header["end"] == 1
    assert found.arrays["rating"].tolist() == [1.0, 1.0, 1.0]
    assert [one.name for one in tmp_path.iterdir()] == ["checkpoint-00000001"]


def test_a_full_disk_before_the_first_checkpoint_promises_none(tmp_path, monkeypatch):
    """The message says that the last one is whole only where there is one."""

    def refuse(file, array, **options):
        raise OSError("4 requested and 0 written")  # NumPy's words for it

    kept = Checkpoints(tmp_path / "run", {}, 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(np, "save", refuse)
        with refused(BadCheckpoint, "full_disk"):
            kept.save({"end": 1}, {"rating": np.ones(3)})
    assert [*(tmp_path / "run").iterdir()] == []
    kept.save({"end": 1}, {"rating": np.ones(3)})
    monkeypatch.setattr(np, "save", refuse)
    with refused(BadCheckpoint, "full_disk", about="whole"):
        kept.save({"end": 2}, {"rating": np.ones(3)})


@pytest.mark.parametrize("resume", [None, "run"])
def test_an_error_leaves_no_part_of_forecasts(tmp_path, monkeypatch, resume):
    """A game out of order after rows that are written already; forecasts of before stay."""
    pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(forecast_files, "ROWS", 2)
    for name, year in (("g", 2020), ("h", 2019)):
        rows = [f"a{k % 3},b{k},1,{year}-01-01" for k in range(9)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,score,date", *rows]))
    (tmp_path / "out").mkdir()
    file = tmp_path / "out" / "f.parquet"
    file.write_bytes(b"of before")
    written, whole = list[Any](), ForecastFile._write_table

    def write(*given):
        written.append(given)
        whole(*given)

    monkeypatch.setattr(ForecastFile, "_write_table", write)
    parts = None if resume is None else tmp_path / resume
    with refused(BadData, "games_out_of_order", about="2019"):
        rate_files(
            [tmp_path / "g.csv", tmp_path / "h.csv"], "elo", memory="1GB", forecasts=file,
            resume=parts,
        )  # fmt: skip
    assert written
    assert [one.name for one in file.parent.iterdir()] == ["f.parquet"]
    assert file.read_bytes() == b"of before"
    assert [*tmp_path.rglob("*.part")] == []


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes")
@pytest.mark.parametrize("resume", [None, "run"])
def test_forecasts_keep_a_link_and_its_mode(tmp_path, resume):
    """The file that a link leads to is replaced, and is read by those who could read it."""
    pytest.importorskip("pyarrow.parquet")
    link, target = tmp_path / "f.parquet", tmp_path / "far.parquet"
    target.write_bytes(b"of before")
    target.chmod(0o640)
    link.symlink_to(target)
    parts = None if resume is None else tmp_path / resume
    run = StreamRun(forecasts=ForecastFile(link, parts), resume=parts)
    rate_stream(TablePieces(TABLE, [2]), ELO, run=run)
    assert link.is_symlink()
    assert target.read_bytes().startswith(b"PAR1")
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("system", [ELO, PROWESS])
def test_no_thread_outlives_the_error_of_a_rating(tmp_path, system):
    """The reader of a stream, which waits for a place in its queue, ends with the ratings."""
    file = tmp_path / "g.csv"
    file.write_text("a,b,score\n" + "".join(f"a{k % 3},b{k},1\n" for k in range(50)))

    def stop(now):
        raise Stopped

    def again():
        return open_stream(file, rows_a_piece=1)

    before = {*threading.enumerate()}
    with pytest.raises(Stopped) as held:
        rate_stream(again(), system, run=StreamRun(progress=stop, again=again))
    for thread in {*threading.enumerate()} - before:
        thread.join(5.0)
        assert not thread.is_alive()
    assert held.value.args == ()


@pytest.mark.parametrize("resume", [None, "run"])
@pytest.mark.parametrize("method", ["write_table", "close"])
def test_forecasts_on_a_full_disk_are_refused(tmp_path, monkeypatch, resume, method):
    """With the remedy; what is not finished is removed."""
    parquet = pytest.importorskip("pyarrow.parquet")

    whole = getattr(parquet.ParquetWriter, method)
    calls = []

    def refuse(*values, **options):
        calls.append(method)
        if len(calls) == 1:
            raise OSError(errno.ENOSPC, "Error writing bytes to file")
        return whole(*values, **options)

    parts = None if resume is None else tmp_path / resume
    remedy = "make room, or name another file" if parts is None else "make room, then run again"
    run = StreamRun(forecasts=ForecastFile(tmp_path / "f.parquet", parts), resume=parts, every=0.0)
    with monkeypatch.context() as patch:
        patch.setattr(parquet.ParquetWriter, method, refuse)
        with refused(Unratable, "full_disk", about=str(remedy)):
            rate_stream(TablePieces(TABLE, [2]), ELO, run=run)
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == []
    run.forecasts = ForecastFile(tmp_path / "f.parquet", parts)
    rate_stream(TablePieces(TABLE, [2]), ELO, run=run)
    assert parquet.read_table(tmp_path / "f.parquet").num_rows == 4


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (None, ("checkpoint_incomplete", "000000.parquet")),
        (b"PAR1", ("damaged_checkpoint", "000000.parquet")),
    ],
)
def test_a_lost_part_of_forecasts_is_named(tmp_path, content, named):
    """The run cannot go on without it, and leaves nothing half written."""
    parts, file = tmp_path / "run", tmp_path / "f.parquet"
    run = StreamRun(resume=parts, every=0.0, forecasts=ForecastFile(file, parts))
    rate_stream(TablePieces(TABLE, [2]), ELO, run=run)
    file.unlink()
    part = parts / "forecasts-000000.parquet"
    part.unlink() if content is None else part.write_bytes(content)
    run.forecasts = ForecastFile(file, parts)
    with refused(BadCheckpoint, named[0], about=named[1:]):
        rate_stream(TablePieces(TABLE, [2]), ELO, run=run)
    assert [one.name for one in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("every", [0.0, 60.0])
def test_a_run_up_to_a_day_is_that_of_the_table(tmp_path, every):
    """Run again it rates no game twice; players who come later are known, as in memory."""
    file, folder = tmp_path / "games.csv", tmp_path / "run"
    days = [f"2020-01-{day:02}" for day in range(1, 31)]
    rows = [f"{day},a{k % 7},b{k // 2},1" for k, day in enumerate(days)]
    file.write_text("\n".join(["date,a,b,score", *rows]))
    whole: Any = rate_files(file, "elo", as_of="2020-01-16")
    for _ in range(3):
        run = StreamRun(resume=folder, every=every)
        found = rate_stream(open_stream(file, rows_a_piece=5), ELO, as_of=whole.day, run=run)
        assert list(found.players) == list(whole.players)
        assert found.state.rating.tobytes() == whole.state.rating.tobytes()
        assert found.table.reading.lines(80) == whole.table.reading.lines(80)


@pytest.mark.parametrize(
    ("skip_bad", "bad", "said"),
    [(10, 8, "16 of 800 rows would be"), (True, 3, '6 rows with "oops" would be')],
)
def test_rows_left_out_before_a_checkpoint_count(tmp_path, skip_bad, bad, said):
    """With those after it they are too many, each time that the run is asked to go on."""
    write_bad_rows(tmp_path / "1.csv", bad, "2020-01-01")
    asked = {"resume": tmp_path / "run", "skip_bad": skip_bad, "checkpoint_every": 0.0}
    rate_files(tmp_path, "elo", **asked)
    write_bad_rows(tmp_path / "2.csv", bad, "2020-02-01")
    for _ in range(2):
        with refused(BadData, "too_many_bad_rows", about=str(said)):
            rate_files(tmp_path, "elo", **asked)


def test_a_resumed_run_counts_a_row_left_out_once(tmp_path):
    """What was left out is that of one run."""
    asked = {"resume": tmp_path / "run", "skip_bad": "all", "checkpoint_every": 0.0}
    for month in (1, 2, 3):
        write_bad_rows(tmp_path / f"{month}.csv", month, f"2020-0{month}-01")
        found: Any = rate_files(tmp_path, "elo", **asked)
        found = rate_files(tmp_path, "elo", **asked)
    assert found.table.reading.left_out == {"bad": 1 + 2 + 3}


def write_bad_rows(file, bad, day):
    """A file of 400 games, of which so many have no score that can be read."""
    rows = [f"p{k % 5},q{k % 7},{'oops' if k % 49 < bad and k < 49 else k % 2}" for k in range(400)]
    file.write_text("\n".join(["a,b,score,date", *(f"{row},{day}" for row in rows)]))


@pytest.mark.parametrize("system", ["elo", "prowess"])
def test_a_guessed_category_lets_a_run_go_on(tmp_path, system):
    """A first file with few games for its surfaces guesses another meaning than all games."""
    for month, (count, surfaces) in enumerate([(40, 2), (400, 10), (400, 10)], 1):
        rows = [
            f"p{k % 5},q{k % 7},{k % 2},2020-0{month}-01,{'ABCDEFGHIJ'[k % surfaces]}"
            for k in range(count)
        ]
        (tmp_path / f"{month}.csv").write_text("\n".join(["a,b,score,date,surface", *rows]))
    whole: Any = rate_files(tmp_path, system, memory="1GB")
    asked = {"resume": tmp_path / "run", "checkpoint_every": 0.0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ResumableRun, "save_if_due", stop_after_the_second_file)
        with pytest.raises(Stopped):
            rate_files(tmp_path, system, **asked)
    again: Any = rate_files(tmp_path, system, **asked)
    assert again.contests == 840
    assert again.state.rating.tobytes() == whole.state.rating.tobytes()


def stop_after_the_second_file(run, end):
    """In place of a method of a run."""
    run.end = end
    run.save()
    if end.file == 1:
        raise Stopped


def test_sets_of_an_option_have_no_order(tmp_path):
    """A run goes on with an equal set, whose elements another process may have in another order."""
    file, sets = tmp_path / "games.csv", [{0, 8}, {8, 0}]
    file.write_text("a,b,score,cup\nAnn,Bob,1,8\nBob,Cid,0,0\nCid,Ann,1,3\n")
    assert [*sets[0]] != [*sets[1]]
    for cups in sets:
        found: Any = rate_files(file, "elo", resume=tmp_path / "run", where={"cup": cups})
        assert found.contests == 2
    with refused(BadCheckpoint, "another_run", about="reading"):
        rate_files(file, "elo", resume=tmp_path / "run", where={"cup": {0, 3}})


def test_another_spelling_of_a_path_goes_on(tmp_path, monkeypatch):
    """A relative path, one from the root on, one with a detour: it is the same file."""
    file, folder = tmp_path / "games.csv", tmp_path / "run"
    file.write_text("a,b,score\nAnn,Bob,1\nBob,Cid,0\n")
    monkeypatch.chdir(tmp_path)
    rate_files("games.csv", "elo", resume=folder)
    (tmp_path / "sub").mkdir()
    monkeypatch.setattr(Checkpoints, "save", None)  # nothing is rated, so nothing is saved
    for path in (file, "./games.csv", f"{tmp_path}/sub/../games.csv"):
        assert len(rate_files(path, "elo", resume=folder).players) == 3


def test_a_folder_is_for_one_run(tmp_path):
    """Another one waits or takes another folder; afterwards it is free."""
    file, folder = tmp_path / "games.csv", tmp_path / "run"
    file.write_text("a,b,score\nAnn,Bob,1\n")
    with hold_folder(folder), refused(BadCheckpoint, "folder_in_use", about=str(folder)):
        rate_files(file, "elo", resume=folder)
    assert len(rate_files(file, "elo", resume=folder).players) == 2
    with refused(BadCheckpoint, "folder_not_writable"):
        hold_folder(folder / "run.lock").__enter__()


FORKED = """
import os, sys
from prowess.engine.streams.checkpoint import hold_folder
with hold_folder(sys.argv[1]):
    if os.fork():
        os._exit(9)  # as if it were killed
    print("forked", flush=True)
    sys.stdin.read()
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here")
def test_a_killed_run_leaves_its_folder(tmp_path):
    """The processes that it started do not keep it, should they live longer."""
    asked = [sys.executable, "-c", FORKED, str(tmp_path)]
    with Popen(asked, stdin=PIPE, stdout=PIPE, env=environment()) as run:
        assert run.stdout is not None
        assert (run.stdout.readline(), run.wait()) == (b"forked\n", 9)
        with hold_folder(tmp_path):
            pass


def test_two_checkpoints_are_kept(tmp_path):
    """The last two."""
    kept = Checkpoints(tmp_path, {}, 0.0)
    for end in range(4):
        kept.save({"end": end}, {})
    assert sorted(one.name[-1] for one in tmp_path.iterdir()) == ["3", "4"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("0.npy", np.float64(1500.0).tobytes(), np.float64(1501.0).tobytes()),
        ("0.npy", b"<f8", b"<i8"),
        ("checkpoint.json", b'"end": 17', b'"end": 18'),
    ],
    ids=["number", "type", "header"],
)
def test_a_changed_checkpoint_is_refused(tmp_path, file, old, new):
    """A number, the type of numbers or the place where the run goes on."""
    Checkpoints(tmp_path, {}, 0.0).save(
        {"end": 17, "best": float("nan")}, {"rating": np.array([1500.0]), "none": np.zeros((0, 2))}
    )
    found = Checkpoints(tmp_path, {}, 0.0).load()
    assert found is not None
    assert found.arrays["rating"].tolist() == [1500.0]
    path = tmp_path / "checkpoint-00000001" / file
    before = path.read_bytes()
    path.write_bytes(before.replace(old, new))
    assert path.read_bytes() != before
    with refused(BadCheckpoint, "damaged_checkpoint", about=("0001", str(file))):
        Checkpoints(tmp_path, {}, 0.0).load()
    Checkpoints(tmp_path, {}, 0.0).save({"end": 18}, {})
    (tmp_path / "checkpoint-00000002" / "checkpoint.json").write_text("{}")
    with refused(BadCheckpoint, "damaged_checkpoint", about="0002"):
        Checkpoints(tmp_path, {}, 0.0).load()


def test_a_checkpoint_that_cannot_be_read_is_kept(tmp_path, monkeypatch):
    """It may be whole, and is not called damaged."""
    Checkpoints(tmp_path, {}, 0.0).save({"end": 17}, {"rating": np.array([1500.0])})

    def refuse(file):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(checkpoint, "file_checksum", refuse)
    with refused(BadCheckpoint, "unreadable_file", about="0001"):
        Checkpoints(tmp_path, {}, 0.0).load()


def test_a_checkpoint_without_its_header_is_passed_over(tmp_path):
    """The run goes on from the one before, and removes it when the next one is saved."""
    kept = Checkpoints(tmp_path, {}, 0.0)
    for end in (1, 2):
        kept.save({"end": end}, {"rating": np.ones(1)})
    (tmp_path / "checkpoint-00000002" / "checkpoint.json").unlink()
    kept = Checkpoints(tmp_path, {}, 0.0)
    found = kept.load()
    assert found is not None
    assert found.header["end"] == 1
    kept.save({"end": 3}, {"rating": np.ones(1)})
    assert sorted(one.name[-1] for one in tmp_path.iterdir()) == ["1", "3"]


@pytest.mark.parametrize(
    ("system", "params", "named"),
    [(GLICKO2, {}, ("another_run", "glicko2", "elo")), (ELO, {"k": 11}, ("another_run", "32.0"))],
)
def test_another_run_is_refused(tmp_path, system, params, named):
    """What differs is named."""
    run = StreamRun(resume=tmp_path, every=0.0)
    rate_stream(TablePieces(TABLE, [2]), ELO, run=run)
    with refused(BadCheckpoint, named[0], about=named[1:]):
        rate_stream(TablePieces(TABLE, [2]), system, params=params, run=run)


def test_players_beyond_the_memory_are_refused():
    """Before the machine swaps."""
    with refused(Unratable, "memory_too_small"):
        rate_stream(TablePieces(TABLE, [2]), ELO, run=StreamRun(memory=MemoryLimit(500)))


def test_rows_of_an_open_period_beyond_the_memory_are_refused():
    """Four games of one year are held."""
    run = StreamRun(memory=MemoryLimit(150))
    with refused(Unratable, "period_too_large", about="--memory"):
        rate_stream(TablePieces(TABLE, [1, 2]), GLICKO2, period="100y", run=run)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("8GB", 8 * 10**9),
        ("2 GB", 2 * 10**9),
        ("512 MiB", 2**29),
        (1e9, 10**9),
        ("1.5tb", 15 * 10**11),
        ("2G", 2**31),
        ("2GiB", 2**31),
        ("500m", 500 * 2**20),
        ("70000K", 70_000 * 2**10),
    ],
)
def test_memory_is_read(text, count):
    """GB counts in thousands; GiB and G count in 1,024, as `head -c` and its kin do."""
    assert parse_memory(text) == count


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("8 apples", "not_a_size"),
        ("1MB", "memory_too_small"),
        (True, "not_a_size"),
        (None, "not_a_size"),
        ("-1GB", "not_a_size"),
    ],
)
def test_other_memory_is_refused(text, code):
    """Also too little for any ratings."""
    with refused(BadArgument, code, about="8GB"):
        parse_memory(text)


def test_the_machine_has_memory():
    """More than the least, and less than a petabyte."""
    assert 10**8 < machine_memory() < 10**15


def test_what_needs_games_says_so():
    """A stream keeps none."""
    found = rate_stream(TablePieces(TABLE, [2]), ELO)
    for ask in (found.history, found.games, lambda: found.history("Ann")):
        with refused(Unratable, "no_games_kept"):
            ask()
    assert found.forecast("Ann", "Bob") == rate(TABLE, ELO).forecast("Ann", "Bob")
    assert found.summary() == rate(TABLE, ELO).summary()


@pytest.mark.parametrize(
    ("system", "period"),
    [(ELO, None), (GLICKO2, None), (GLICKO2, "7d"), (TRUESKILL, None), (ARIMAA, None)],
)
def test_ratings_of_a_stream_go_on(tmp_path, system, period):
    """Kept or saved and loaded, they take further games: the bits of all games at once."""
    whole = rate(TABLE, system, period=period)
    first = rate_stream(TablePieces(TABLE.select(slice(3)), [1]), system, period=period)
    save(first, tmp_path / "r.prowess")
    loaded = load(tmp_path / "r.prowess")
    assert loaded.summary() == first.summary()
    assert loaded.forecast("Ann", "Bob") == first.forecast("Ann", "Bob")
    for before in (first, loaded, loaded):  # the same a second time: nothing is played onto it
        found = rate_on(before, TABLE.select(slice(3, None)))
        assert isinstance(found, DynamicRatings)
        assert found.leaderboard().columns == whole.leaderboard().columns
        assert (found.contests, found.span, found.day) == (4, whole.span, whole.day)
        assert np.array_equal(found.state.rating, whole.state.rating)


@pytest.mark.parametrize(("system", "period"), [(ELO, None), (TRUESKILL, None), (GLICKO2, "7d")])
def test_forecasts_of_games_after_a_stream(tmp_path, monkeypatch, system, period):
    """They are written, and their scores joined to those before: the bits of all games at once."""
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(losses, "SUM_GAMES", 2)
    whole = rate(TABLE, system, period=period, forecasts=True)
    run = StreamRun(forecasts=ForecastFile(tmp_path / "a.parquet"))
    first = rate_stream(TablePieces(TABLE.select(slice(3)), [1]), system, period=period, run=run)
    save(first, tmp_path / "r.prowess")
    loaded = load(tmp_path / "r.prowess")
    assert loaded.summary() == first.summary()
    last, file = TABLE.select(slice(3, None)), tmp_path / "b.parquet"
    found: list[Any] = [rate_on(loaded, last, forecasts=file), rate_on(first, last), whole]
    assert found[0].forecast_scores == found[1].forecast_scores == found[2].forecast_scores
    row = parquet.read_table(file).to_pylist()[0]
    assert [row["player_a"], row["player_b"]] == ["Dan", "Ann"]
    assert row["expected"] == found[2].forecasts[3]
    assert parquet.read_table(file).num_rows == 1
    plain = rate_stream(TablePieces(TABLE.select(slice(3)), [1]), system, period=period)
    found = [rate_on(plain, last), rate_on(plain, last, forecasts=file)]
    assert found[0].forecast_scores is None
    assert found[1].forecast_scores["games"] == 1
    assert found[1].forecast_scores["brier"] == (last.score[0] - row["expected"]) ** 2


@pytest.mark.parametrize(("system", "period"), [(ELO, None), (TRUESKILL, None), (GLICKO2, "7d")])
@pytest.mark.parametrize("cuts", [[], [1, 2], [1, 2, 3, 4, 5]])
def test_further_games_are_a_stream_too(tmp_path, system, period, cuts):
    """Their players have other numbers and newcomers among them; weights begin with them."""
    rows = [*ROWS[3:], ("Eve", "Dan", 1.0), ("Cid", "Eve", 0.5), ("Ann", "Fay", 0.0), *ROWS[:2]]
    time = [18_040.0, 18_040.5, 18_047.0, 18_048.0, 18_055.0, 18_055.0]
    weight = [2.0, 1.0, 3.0, 1.0, 1.0, 0.5] if system.weights else None
    columns = {"time": time} | ({} if weight is None else {"weight": weight})
    further = games(rows, **columns)
    before = TABLE.select(slice(3))
    weighted = before if weight is None else before.replace(weight=np.ones(3))
    whole = rate(join_tables(weighted, further), system, period=period, forecasts=True)
    run = StreamRun(forecasts=ForecastFile(tmp_path / "a.parquet"))
    first = rate_stream(TablePieces(before, [1]), system, period=period, run=run)
    save(first, tmp_path / "r.prowess")
    seen = list[Any]()
    run = StreamRun(begun=lambda some: seen.append(some.time), memory=MemoryLimit(10**9))
    found = rate_on_stream(load(tmp_path / "r.prowess"), TablePieces(further, cuts), run=run)
    assert list(found.players) == list(whole.players)
    assert np.array_equal(found.state.rating, whole.state.rating)
    assert found.leaderboard().columns == whole.leaderboard().columns
    assert found.forecast_scores == whole.forecast_scores
    assert (found.contests, found.span) == (9, whole.span)
    assert [times[0] for times in seen] == [18_040.0]
    with refused(Unratable, "games_too_early"):
        rate_on_stream(found, TablePieces(further, cuts))


def test_what_cannot_follow_a_stream_is_refused(tmp_path):
    """Games that are too early, a period that is closed, settings of the whole table."""
    first = rate_stream(TablePieces(TABLE, [1]), GLICKO2, period="30d")
    for day, what in ((17_000.0, "games_too_early"), (18_041.0, "period_closed")):
        with refused(Unratable, what):
            rate_on(first, games(ROWS[:1], time=[day]))
    again = StreamRun(again=lambda: TablePieces(TABLE, [1]))
    learnt = rate_stream(TablePieces(TABLE, [1]), PROWESS, run=again)
    with refused(Unratable, "not_continued", about="takes"):
        save(learnt, tmp_path / "r.prowess")


def test_a_starting_value_waits_for_its_player(tmp_path):
    """A player who comes with the further games begins with the value that was given."""
    start = {"Dan": {"rating": 1900.0}}
    first = rate_stream(TablePieces(TABLE.select(slice(3)), [1]), ELO, start=start, absent=True)
    save(first, tmp_path / "r.prowess")
    found = rate_on(load(tmp_path / "r.prowess"), TABLE.select(slice(3, None)))
    assert found.leaderboard().columns == rate(TABLE, ELO, start=start).leaderboard().columns


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_a_starting_value_reaches_a_bank_with_members(tmp_path, rows):
    """At home and away a player has members of their own; all bits are those of the table."""
    file = tmp_path / "games.csv"
    file.write_text("\n".join(["date,home,away,score", *home_games(40)]))
    start = {"Ann": {"rating": 2500.0}, "P5": {"rating": 1200.0}}
    whole: Any = rate_files(file, "prowess", initial=start)
    plain = rate_files(file, "prowess").leaderboard().columns
    assert plain["rating"] != whole.leaderboard().columns["rating"]
    run = StreamRun(again=lambda: open_stream(file))
    found = rate_stream(open_stream(file, rows_a_piece=rows), PROWESS, start=start, run=run)
    assert found.leaderboard().columns == whole.leaderboard().columns
    assert found.state.rating.shape == whole.state.rating.shape
    assert (
        np.sort(found.state.rating, axis=0).tobytes()
        == np.sort(whole.state.rating, axis=0).tobytes()
    )


def home_games(count, players=("P0", "P1", "P2", "P3", "P4", "P5", "P6", "Ann"), **more):
    """Rows of games between players, the first of whom is at home; Ann comes late."""
    rng = np.random.default_rng(8)
    for k in range(count):
        some = players if k > count // 3 else players[:4]
        a, b = rng.choice(len(some), 2, replace=False)
        row = f"2020-01-{1 + k * 28 // count:02},{some[a]},{some[b]},{rng.integers(0, 2)}"
        yield ",".join([row, *more.values()])


def test_a_run_whose_games_get_another_form_is_refused(tmp_path):
    """A bank that decides by all games whether there are sides; the message is for people."""
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    first.write_text("\n".join(["date,home,away,score,neutral", *home_games(99, neutral="1")]))
    asked = {"resume": tmp_path / "run"}
    rate_files(tmp_path, "prowess", **asked)
    rows = [row.replace("2020", "2021") for row in home_games(99, neutral="0")]
    second.write_text("\n".join(["date,home,away,score,neutral", *rows]))
    with pytest.raises(BadCheckpoint) as caught:
        rate_files(tmp_path, "prowess", **asked)
    assert str(caught.value) == (
        f"name another folder, or rate as before: {tmp_path / 'run'} was begun with other sides, "
        "draws and margins in all games"
    )


def test_categories_of_some_files_are_refused_where_they_count(tmp_path):
    """A guessed context that a later file has not; Elo does not rate by it."""
    for name, more in (("1", ",A"), ("2", "")):
        rows = [f"2020-0{name}-01,p{k % 5},q{k % 7},{k % 2}{more}" for k in range(40)]
        heading = "date,a,b,score,surface" if more else "date,a,b,score"
        rows[1] = rows[1].replace(",A", ",B")
        (tmp_path / f"{name}.csv").write_text("\n".join([heading, *rows]))
    with refused(Unratable, "column_of_some_files", about=("none", "--context", "context=")):
        rate_files(tmp_path, "prowess", memory="1GB")
    found: Any = rate_files(tmp_path, "prowess", memory="1GB", context="none")
    whole = rate_files(tmp_path, "prowess", context="none")
    assert found.leaderboard().columns == whole.leaderboard().columns
    assert len(rate_files(tmp_path, "elo", memory="1GB").players) == 12


def test_saved_ratings_of_another_version_are_refused(tmp_path, monkeypatch):
    """They have no results that could be rated again; a damaged file is refused too."""
    file = tmp_path / "r.prowess"
    monkeypatch.setattr(saving, "__version__", "0.0.1")
    save(rate_stream(TablePieces(TABLE, [2]), ELO), file)
    monkeypatch.undo()
    with refused(BadSave, "older_version", about="0.0.1"):
        load(file)
    save(rate_stream(TablePieces(TABLE, [2]), ELO), file)
    content = file.read_bytes()
    file.write_bytes(content[:-200] + bytes(100) + content[-100:])
    with pytest.raises(BadSave):
        load(file)
