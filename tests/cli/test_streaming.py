"""`prowess rate` of files that are read as a stream: options, refusals, checkpoints."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import pytest
from click import NoSuchOption
from click.testing import CliRunner

import prowess as library
from prowess.cli.commands import prowess as command
from prowess.cli.exits import describe_usage
from prowess.cli.output import name_options
from prowess.engine.rate import DynamicRatings
from prowess.engine.streams import file_sources
from prowess.errors import BadArgument, BadSetting
from prowess.games.formats import stream_files
from tests.cli.command import GAMES, prowess
from tests.refusals import refused

ELO = ("--system", "elo")


@pytest.fixture
def folder(tmp_path):
    """Two files of games."""
    rows = GAMES.splitlines(keepends=True)
    there = tmp_path / "games"
    there.mkdir()
    (there / "one.csv").write_text("".join(rows[:3]))
    (there / "two.csv").write_text("".join([rows[0], *rows[3:]]))
    return there


def run(*arguments):
    """The command in this process."""
    return CliRunner().invoke(command, [*map(str, arguments)])


@pytest.mark.parametrize("system", ["elo", "glicko2", "prowess", "map", "copeland"])
def test_a_stream_prints_the_same_leaderboard(folder, system):
    """A folder read as a stream, and read into memory."""
    whole = run("rate", folder, "--system", system, "--csv", "-q")
    stream = run("rate", folder, "--system", system, "--csv", "-q", "--memory", "1GB")
    assert stream.exit_code == 0
    assert stream.stdout == whole.stdout


def test_large_files_of_stores_are_streams(folder, monkeypatch):
    """Their size decides, as that of local files does."""
    pytest.importorskip("fsspec")
    address = f"file://{folder}"
    small: Any = library.rate(address, "elo")
    monkeypatch.setattr("prowess.engine.streams.file_sources.PART_OF_MEMORY", 1 << 60)
    large: Any = library.rate(address, "elo")
    assert (small.streamed, large.streamed.contests) == (None, small.contests)
    assert run("rate", address, "--system", "copeland").exit_code == 0


def test_a_run_goes_on_with_further_files(folder, tmp_path):
    """The second run plays the new file alone, and refuses another setting."""
    further = folder / "two.csv"
    kept = further.read_text()
    further.unlink()
    options = ("--system", "elo", "--resume", tmp_path / "run", "--csv", "-q")
    assert run("rate", folder, *options).exit_code == 0
    further.write_text(kept)
    said = run("rate", folder, *options[:-1]).stderr
    assert f"note: goes on after 2 games ({tmp_path / 'run'})" in said
    stream = run("rate", folder, *options)
    assert stream.stdout == run("rate", folder, "--system", "elo", "--csv", "-q").stdout
    other = run("rate", folder, *options, "--set", "k=11")
    assert "settings k 32.0" in str(other.exception)
    (folder / "one.csv").write_text(GAMES)
    changed = run("rate", folder, *options)
    assert "one.csv is not what it was" in str(changed.exception)


def test_ratings_of_a_stream_are_saved_and_go_on(folder, tmp_path):
    """`--save-state` of a stream, `--continue` with a further file."""
    state, last = tmp_path / "r.prowess", folder / "two.csv"
    whole = run("rate", folder, "--system", "glicko2", "--csv", "-q")
    asked = ("--system", "glicko2", "--memory", "1GB", "--save-state", state, "-q")
    assert run("rate", folder / "one.csv", *asked).exit_code == 0
    again = run("rate", last, "--continue", state, "--csv", "-q")
    assert again.stdout == whole.stdout
    one = run("rate", folder / "one.csv", "--system", "glicko2", "--csv", "-q")
    assert run("rate", "--continue", state, "--csv", "-q").stdout == one.stdout
    best, second, *_ = (row.split(",")[1] for row in one.stdout.splitlines()[1:])
    forecasts = [
        json.loads(run("forecast", *source, best, second, "--json", "-q").stdout)["expected"]
        for source in (("--continue", state), (folder / "one.csv", "--system", "glicko2"))
    ]
    assert forecasts[0] == forecasts[1] > 0.5
    refused = run("rate", "--continue", state, "--forecasts", tmp_path / "f.csv")
    assert "name FILE..., the further games" in refused.output
    stream = run("rate", last, "--continue", state, "--memory", "1GB", "--csv")
    assert stream.stdout == whole.stdout
    assert f"{state}: glicko2, 2 games, 3 players" in stream.stderr
    assert "; 2 more here" in stream.stderr
    refused = run("rate", last, "--continue", state, "--resume", tmp_path / "run")
    assert "leave --resume out" in refused.output
    assert run("rate", last, *ELO, "--save-state", state, "-q").exit_code == 0
    refused = run("rate", last, "--continue", state, "--memory", "1GB")
    assert "has its games in memory" in refused.output
    assert run("rate", folder / "one.csv", *asked).exit_code == 0
    refused = run("rate", last, "--continue", state, "--forecasts", tmp_path / "f.csv")
    assert "end the name of the forecasts in .parquet" in str(refused.exception)


def test_a_run_keeps_its_order(folder, tmp_path):
    """A run goes on sorted or not as it was begun, with the files that it has sorted."""
    pytest.importorskip("duckdb")
    plain, ordered = (("--system", "elo", "--resume", tmp_path / name, "-q") for name in "ab")
    assert run("rate", folder, *plain).exit_code == 0
    assert "leave sort out (--sort)" in str(run("rate", folder, *plain, "--sort").exception)
    assert run("rate", folder, *ordered, "--sort").exit_code == 0
    assert run("rate", folder, *ordered, "--sort").exit_code == 0
    assert "sort again" in str(run("rate", folder, *ordered).exception)
    other = run("rate", folder, *ordered, "--sort", "--time", "date")
    assert "sorted with reading none, not time date" in str(other.exception)
    (folder / "three.csv").write_text(GAMES)
    assert "three.csv is new" in str(run("rate", folder, *ordered, "--sort").exception)


@pytest.mark.parametrize(
    "options",
    [
        ["--cluster", "local"], ["--jobs", "2"], ["--bootstrap", "9"],
        ["--cluster", "local", "--memory", "1GB"],
    ],
)  # fmt: skip
def test_what_cannot_be_shared_is_refused_before_reading(options):
    """Elo game by game, of a file that is not there."""
    refused = run("rate", "nowhere.csv", "--system", "elo", *options)
    said = refused.output + str(refused.exception)
    assert "give a period" in said or "give --bootstrap with a whole-table system" in said


def test_a_message_for_a_shell_has_its_options():
    """Keywords of the library give way to flags, dicts too."""
    said = 'leave them out with exclude={"a": "NA"} (--exclude "a=NA"), or give temp= (--temp)'
    assert name_options(said) == 'leave them out with --exclude "a=NA", or give --temp'
    said = "read the table in memory with read_games (--in-memory), or leave sort out (--sort)"
    assert name_options(said) == "read the table in memory with --in-memory, or leave --sort out"
    said = 'leave them out with exclude={"league": ""} (--exclude league=): no league'
    assert name_options(said) == "leave them out with --exclude league=: no league"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--memory", "8 apples"], 'such as "8GB"'),
        (["--resume", "run", "--system", "map"], "leave resume out (--resume): map"),
        (["--memory", "1GB", "--system", "map", "--forecasts", "f.parquet"], "leave --forecasts"),
        (["--memory", "1GB", "--system", "elo", "--anchor", "ada=1500"], "leave --anchor out"),
        (["--memory", "1GB", "--system", "map", "--jobs", "2"], "give --in-memory with --jobs"),
        (["--memory", "1GB", "--newcomers-mean", "1500"], "leave --newcomers-mean out"),
        (["--memory", "1GB", "--system", "elo", "--forecasts", "f.csv"], "in .parquet"),
        (
            ["--memory", "1GB", "--system", "elo", "--per", "result"],
            "with read_games (--in-memory)",
        ),
        (["--memory", "1GB", "--in-memory"], "leave --in-memory out"),
        (["--memory", "1GB", "--save-state", "s"], "leave --save-state out, or give --in-memory"),
        (["--memory", "1GB", "--system", "map", "--save-state", "s"], "leave --save-state out"),
        (
            ["--memory", "1GB", "--system", "elo", "--period", "round", "--save-state", "s"],
            "leave --save-state out",
        ),
        (["--sort", "--temp", "nowhere", "--system", "elo"], "make the folder 'nowhere' first"),
        (["--resume", "", "--system", "elo"], "give resume as a folder"),
    ],
)
def test_what_a_stream_has_not_is_refused(folder, options, message):
    """With the remedy first."""
    refused = run("rate", folder, *options)
    assert refused.exit_code != 0
    assert message in refused.output + str(refused.exception)


def test_resamplings_of_a_stream_are_shared(folder):
    """Processes draw them, and the bits are those of a table in memory."""
    wanted = "rate", folder, "--system", "rao_kupper", "--bootstrap", "4", "--csv", "-q"
    shared = run(*wanted, "--memory", "1GB", "--jobs", "2")
    assert shared.exit_code == 0
    assert shared.stdout == run(*wanted).stdout


def test_verbs_that_read_in_memory_say_so():
    """In place of another option of a like name."""
    said = describe_usage(NoSuchOption("--memory", possibilities=["--metric"]), [])
    assert said.startswith("leave it out (prowess rate takes files larger than memory): ")


def test_games_that_a_state_may_have_are_named(folder, tmp_path):
    """The state of a stream keeps no games in which a repeated one could be found."""
    state, again = tmp_path / "state", tmp_path / "again.csv"
    run("rate", folder, "--memory", "1GB", "--system", "elo", "--save-state", state)
    header, *rows = GAMES.splitlines(keepends=True)
    again.write_text(header + rows[-1])
    day = rows[-1].split(",")[0]
    said = run("rate", again, "--continue", state).stderr
    assert f"{state} keeps no games: look whether it has those of {day}; all are rated" in said
    again.write_text(header + rows[-1].replace(day, "2099-01-01"))
    assert "keeps no games" not in run("rate", again, "--continue", state).stderr


def test_a_folder_that_holds_no_temporary_files_is_named(folder, tmp_path, monkeypatch):
    """It is there, and cannot be written to; a run with checkpoints says the same."""
    pytest.importorskip("duckdb")

    def refuse(**options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(stream_files, "TemporaryDirectory", refuse)
    for resumed in ((), ("--resume", tmp_path / "run")):
        refused = run("rate", folder, "--sort", "--temp", folder, "--system", "elo", *resumed)
        assert isinstance(refused.exception, BadArgument)
        assert str(refused.exception) == (
            f"name another folder for temporary files (temp=, --temp): {str(folder)!r} cannot be "
            "written to (Permission denied)"
        )
    assert [one.name for one in (tmp_path / "run").iterdir()] == ["run.lock"]


def test_a_sort_that_fails_leaves_nothing(tmp_path):
    """Dates that no sort puts in order, in a run that would keep the sorted files."""
    pytest.importorskip("duckdb")
    file = tmp_path / "games.csv"
    file.write_text("a,b,score,date\nAnn,Bob,1,2020-01-02\nBob,Cid,0,01.02.2020\n")
    refused = run("rate", file, "--sort", "--resume", tmp_path / "run", "--system", "elo")
    assert "texts that no sort puts in order" in str(refused.exception)
    assert [one.name for one in (tmp_path / "run").iterdir()] == ["run.lock"]


SYSTEM = """
from typing import NamedTuple
from prowess.engine.system import Dynamic, Game

K = 32.0
KS = [32.0, 16.0]
OLD = {"a": 8.0, "b": 4.0}
WORDS = {"ann", "ben", "cid", "dan"}

def step(games: float) -> float:
    return K + KS[0] + OLD["a"] if str(games) in {"0.0", "b", "c", "d"} else len(WORDS) * 2.0

class Params(NamedTuple):
    start: float = 1500.0

class Rating(NamedTuple):
    rating: float = 1500.0
    games: float = 0.0

class Evidence(NamedTuple):
    surprise: float = 0.0
    games: float = 0.0

def expected(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    return min(1.0, max(0.0, 0.5 + (me.rating - opponent.rating) / 800.0))

def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    return Evidence(game.score - expected(p, me, opponent, game), 1.0)

def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    return Rating(me.rating + step(me.games) * total.surprise, me.games + total.games)

MINE = Dynamic(name="mine", params=Params(), rating=Rating(), evidence_zero=Evidence(),
               expected=expected, evidence=evidence, absorb=absorb, clock="30d")
"""


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A run of a system in a file, begun by a process with other hashes of texts."""
    there = tmp_path_factory.mktemp("begun")
    (there / "games.csv").write_text(GAMES)
    (there / "mine.py").write_text(SYSTEM)
    begun = ("rate", "games.csv", "-s", "mine.py", "--resume", "run", "-q")
    seed = os.environ.get("PYTHONHASHSEED", "random")
    done = prowess(*begun, cwd=there, PYTHONHASHSEED="2" if seed == "1" else "1")
    assert done.returncode == 0, done.stderr
    return there


def test_a_run_goes_on_in_another_process(begun):
    """The functions of a system file are the same there, whose sets have another order."""
    asked = ("rate", begun / "games.csv", "-s", begun / "mine.py", "--resume", begun / "run")
    assert "note: goes on after 4 games" in run(*asked).stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("K = 32.0", "K = 33.0"),
        ("+ KS[0] +", "+ KS[1] +"),
        ("[32.0, 16.0]", "[31.0, 16.0]"),
        ('"a": 8.0', '"a": 9.0'),
        ('{"ann", "ben"', '{"ann", "bob"'),
        ('{"0.0", "b"', '{"0.0", "e"'),
        ("/ 800.0", "/ 900.0"),
        ('clock="30d"', 'clock="7d"'),
    ],
)
def test_a_run_of_another_system_file_is_refused(begun, monkeypatch, old, new):
    """A helper, a constant or a declaration of the file has changed since the run was begun."""
    file = begun / "mine.py"
    assert old in SYSTEM
    file.write_text(SYSTEM.replace(old, new))
    for name in [name for name in sys.modules if name.endswith("_mine")]:
        monkeypatch.delitem(sys.modules, name)  # as in a new process
    asked = ("rate", begun / "games.csv", "-s", file, "--resume", begun / "run", "-q")
    refused = str(run(*asked).exception)
    file.write_text(SYSTEM)
    assert refused == (
        f"name another folder, or rate as before: {begun / 'run'} was begun with other functions"
    )


def test_a_large_file_that_is_no_table_is_not_measured(folder):
    """A film beside the games, whose size is no reason to read them as a stream."""
    with (folder / "film.mov").open("wb") as file:
        file.truncate(1 << 40)
    tables = [folder / "one.csv", folder / "two.csv"]
    assert file_sources.measure_source(str(folder)) == sum(one.stat().st_size for one in tables)
    found: Any = library.rate(str(folder), "elo")
    assert (found.streamed, len(found.table)) == (None, 4)


def test_the_library_takes_the_same(folder):
    """`memory`, `progress`, and what it refuses."""
    seen = []
    stream = library.rate(
        str(folder), "elo", memory="1GB", progress=lambda done, rows: seen.append((done, rows))
    )
    assert stream.leaderboard().columns == library.rate(str(folder), "elo").leaderboard().columns
    assert seen[-1] == (4, 0)  # CSV tells no rows
    with refused(BadArgument, "not_files"):
        library.rate([("Ann", "Bob", 1)], "elo", memory="1GB")
    judged: Any = library.rate(str(folder), "elo", memory="1GB", forecasts=True)
    kept: Any = library.rate(str(folder), "elo", forecasts=True)
    assert judged.forecast_scores == kept.forecast_scores


def test_the_library_writes_forecasts_of_a_stream(folder, tmp_path):
    """A file instead of a column, and only of a stream."""
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "f.parquet"
    library.rate(str(folder), "elo", memory="1GB", forecasts=file)
    kept: Any = library.rate(str(folder), "elo", forecasts=True)
    assert parquet.read_table(file).column("expected").to_pylist() == kept.forecasts.tolist()
    learnt: Any = library.rate(str(folder), memory="1GB", forecasts=file)
    kept = library.rate(str(folder), forecasts=True)
    assert learnt.forecast_scores == kept.forecast_scores
    assert learnt.forecast_scores["games"] == 4
    with refused(BadArgument, "not_a_stream", about=("forecasts=", "True")):
        library.rate(str(folder), "elo", forecasts=file)
    with refused(BadArgument, "wrong_suffix"):
        library.rate(str(folder), "elo", memory="1GB", forecasts=tmp_path / "f.csv")


def test_the_library_rates_further_files_as_a_stream(folder):
    """Onto ratings of a stream alone."""
    first, last = (str(folder / name) for name in ("one.csv", "two.csv"))
    whole = library.rate(str(folder), "elo")
    further = library.rate_on(library.rate(first, "elo", memory="1GB"), [last], memory="1GB")
    assert further.leaderboard().columns == whole.leaderboard().columns
    with refused(BadArgument, "games_in_memory"):
        library.rate_on(library.rate(first, "elo"), last, memory="1GB")


def test_scores_of_forecasts_are_printed(folder, tmp_path):
    """The same of a stream, of a table in memory, of two runs, and by `compare`."""
    pytest.importorskip("pyarrow.parquet")
    stream = run("rate", folder, *ELO, "--memory", "1GB", "--forecasts", tmp_path / "a.parquet")
    whole = run("rate", folder, *ELO, "--forecasts", tmp_path / "a.csv")
    state, file = tmp_path / "r.prowess", tmp_path / "b.parquet"
    saved = ("--memory", "1GB", "--save-state", state, "--forecasts", file)
    assert run("rate", folder / "one.csv", *ELO, *saved).exit_code == 0
    further = run("rate", folder / "two.csv", "--continue", state, "--forecasts", file)
    judged = [run("rate", folder, *ELO, *more, "--judge") for more in ((), ("--memory", "1GB"))]
    test = library.backtest(str(folder), "elo", warm_up=0.0)
    means = ", ".join(f"{name} {score:.4f}" for name, score in test.scores.items())
    for one in (stream, whole, further, *judged):
        assert f"forecasts of 4 games: {means}\n" in one.stderr
    quiet = run("rate", folder, *ELO, "--forecasts", tmp_path / "a.csv", "-q", "--json")
    assert json.loads(quiet.stdout)["forecasts"] == {
        "games": 4, **{name: pytest.approx(score) for name, score in test.scores.items()}
    }  # fmt: skip
    assert quiet.stderr == ""


def test_what_cannot_be_judged_says_so(folder, tmp_path):
    """A fit of the whole table, contests of many, leagues, and a run that was begun without."""
    places = tmp_path / "places.csv"
    places.write_text("race,player,place\n1,ada,1\n1,ben,2\n1,cleo,3\n")
    resumed = ("rate", folder, *ELO, "--resume", tmp_path / "run", "-q")
    assert run(*resumed).exit_code == 0
    for asked, said in (
        (("rate", folder, "--system", "map"), "map fits the whole table at once"),
        (("rate", places, *ELO), "these are contests"),
        (("rate", folder, *ELO, "--by", "date"), "--judge"),
        (resumed, "scores False, not True"),
    ):
        refused = run(*asked, "--judge")
        assert refused.exit_code != 0
        assert said in refused.output + str(refused.exception)


def test_a_fit_of_files_keeps_no_games(folder):
    """The options of a fit, and what is refused."""
    whole = run("rate", folder, "--system", "map", "--anchor", "ada=1600", "--json", "-q")
    asked = ("--system", "map", "--anchor", "ada=1600", "--sort", "--json", "-q")
    stream = run("rate", folder, *asked)
    assert stream.exit_code == 0, stream.output
    board = json.loads(stream.stdout)["leaderboard"]
    assert board == json.loads(whole.stdout)["leaderboard"]
    seen = []
    fitted = library.rate(str(folder), "map", memory="1GB", progress=lambda *now: seen.append(now))
    assert (len(fitted.table), fitted.contests, seen[-1]) == (0, 4, (4, 0))
    with refused(BadArgument, "nothing_to_resume"):
        library.rate(str(folder), "map", resume="run")
    with refused(BadSetting, "option_not_taken", about="cluster"):
        library.rate(str(folder), "map", memory="1GB", cluster=2)


def test_larger_files_are_streamed(folder, monkeypatch):
    """Without an option the size of the files decides, and the numbers stay."""
    whole = library.rate(str(folder), "elo")
    monkeypatch.setattr("prowess.engine.streams.memory.machine_memory", lambda: 400)
    monkeypatch.setattr("prowess.engine.streams.memory.MIN_MEMORY", 0)
    monkeypatch.setattr("prowess.engine.streams.memory.NAME", 0)
    monkeypatch.setattr("prowess.engine.streams.memory.MemoryLimit.check", lambda *given: None)
    stream = library.rate(str(folder), "elo")
    assert isinstance(stream, DynamicRatings)
    assert stream.streamed is not None
    notes = [run("rate", folder, "--system", "elo", *more).stderr for more in ([], ["--in-memory"])]
    assert ["read as a stream" in note for note in notes] == [True, False]
    assert stream.leaderboard().columns == whole.leaderboard().columns
