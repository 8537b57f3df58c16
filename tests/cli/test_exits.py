"""How runs end: exit codes, messages that help, pipes that close, interruptions."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from prowess.cli.commands import prowess as command
from prowess.compile import kernel
from tests.cli.command import environment, prowess, refused


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ratee"], "did you mean rate?"),
        (["rate"], "FILE"),
        (["rate", "games.csv", "--sytem", "elo"], "--system"),
        (["rate", "games.csv", "--system", "gliko"], "did you mean glicko"),
        (["rate", "games.csv", "--system", "missing.py:MINE"], "missing.py"),
        (["rate", "games.csv", "--system", "elo", "--set", "kk=1"], "did you mean k?"),
        (["rate", "games.csv", "-s", "elo", "--set", "k=1e9"], "as a number from 0 to 10000"),
        (["rate", "games.csv", "-s", "elo", "--set", "k=strong"], "give k as a number"),
        (["rate", "games.csv", "--set", "k"], "NAME=VALUE"),
        (["rate", "games.csv", "--period", "3 weeks"], "2w"),
        (
            ["rate", "missing.csv", "--system", "elo", "--set", "k=-1"],
            "as a number from 0 to 10000",
        ),
        (["rate", "missing.csv", "--system", "elo", "--period", "1x"], "1mo"),
        (["rate", "games.csv", "--format", "cvs"], "csv"),
        (["rate", "games.csv", "--as-of", "yesterday"], "2024-06-30"),
        (["rate", "games.csv", "--top", "0"], "--top"),
        (["rate", "games.csv", "--where", "cup"], "COLUMN=VALUE"),
        (["rate", "games.csv", "--json", "--csv"], "choose"),
        (["rate", "games.csv", "-o", "board.doc"], ".parquet"),
        (["rate", "games.csv", "--departed-after", "1y", "--system", "glicko"], "keeps the sum"),
        (["rate", "games.csv", "-s", "elo", "--newcomers-mean", "nan"], "newcomers"),
        (["rate", "games.csv", "--period", "7d"], "name a system that takes one, such as glicko2"),
        (
            ["tune", "games.csv", "--system", "prowess"],
            "name a system with constants (--system elo)",
        ),
        (["rate", "games.csv", "--system", "tournament_elo"], "period"),
        (["rate", "games.csv", "--system", "codechef", "--period", "7d"], "leave the period out"),
        (["rate", "races.csv", "--period", "7d"], "leave the period out"),
        (["forecast", "games.csv", "ada"], "write prowess forecast FILE... A B"),
        (["forecast", "ada", "ben"], "write prowess forecast FILE... A B"),
        (["rate", "games.csv", "--k", "20"], "write --set k=20"),
        (["compare", "games.csv", "--k=20"], "write --systems SYSTEM:k=20"),
        (["rate", "games.csv", "--elo"], "write --system elo"),
        (["rate", "games.csv", "--top", "x"], "give --top a whole number of 1 or more, not 'x'"),
        (["history", "games.csv", "ada", "--level", "2"], "between 0 and 1"),
        (["forecast", "games.csv", "ada", "bem"], "ben"),
        (["forecast", "games.csv", "ada", "ada"], "two players"),
        (["forecast", "games.csv", "ada", "ben", "--side", "c"], "none"),
        (["history", "games.csv", "adda"], "did you mean 'ada'"),
        (["systems", "gliko"], "did you mean glicko"),
        (["completion", "tcsh"], "bash"),
        (["rate", "games.csv", "--result", "a", "--result", "b"], "give --result once"),
        (["rate", "games.csv", "--set", "k=10", "--set", "k=20"], "give k once"),
        (["rate", "games.csv", "-s", "elo", "--system=glicko"], "give --system once"),
        (
            ["compare", "games.csv", "--metric", "brier", "--metric", "brier", "--metric", "brier"],
            "3 times",
        ),
        (["theory", "wp", "--scale", "300", "--scale", "400"], "give --scale once"),
        (["token", "list", "--store", "a", "--store", "b"], "give --store once"),
        (["simulate"], "name one of league, preset: prowess simulate --help"),
        (["tournament", "games.csv", "--swiss"], "give --swiss a value"),
    ],
)
def test_wrong_use(games, contests, arguments, told):
    """Wrong use of the command ends with 2 and a message that says what would be right."""
    said = refused(2, *arguments, cwd=games.parent)
    error = said[said.index("Error: ") :]
    assert told in error
    assert error.count("\n") <= 2
    assert not re.search(r"\w=[ ,)]", error)  # keywords of Python


def test_the_bare_command_prints_its_help():
    """`prowess` alone lists the verbs on standard output, without an error; the code stays 2."""
    done = prowess()
    assert (done.returncode, done.stderr) == (2, "")
    assert "Usage: prowess" in done.stdout
    assert " rate " in done.stdout


def test_a_missing_file_is_named_first(tmp_path):
    """What is not there, then a file of nearly that name; a folder is none."""
    (tmp_path / "results").mkdir()
    said = refused(3, "rate", "results.csv", cwd=tmp_path)
    assert said.splitlines()[-1].endswith("There is no file results.csv here.")
    (tmp_path / "result.csv").write_text("a,b,result\n")
    assert refused(3, "rate", "results.csv", cwd=tmp_path).endswith("Did you mean result.csv?\n")


@pytest.mark.parametrize("option", ["-o", "--forecasts"])
def test_answers_that_cannot_be_written(games, option):
    """A folder that is missing is refused before any work; a file that cannot be written after."""
    said = refused(2, "rate", "none.csv", option, "no/such/folder/f.csv")
    assert "make the folder 'no/such/folder' first" in said
    (games.parent / "taken.csv").mkdir()
    said = refused(1, "rate", games, option, games.parent / "taken.csv")
    assert "Error: name another file: " in said
    assert "taken.csv" in said


@pytest.mark.skipif(not kernel.available(), reason="needs the compiler")
def test_systems_that_do_not_compile(tmp_path):
    """A user's system that plain Python runs and the compiler does not runs, and that is said."""
    own = tmp_path / "own.py"
    own.write_text(UNCOMPILABLE, encoding="utf-8")
    table = tmp_path / "many.csv"
    rows = "".join(f"p{k % 97},q{k % 89},1\n" for k in range(6_000))
    table.write_text(f"player_a,player_b,score\n{rows}", encoding="utf-8")
    answer = prowess("rate", table, "--system", own)
    assert answer.returncode == 0
    assert "own runs as plain Python" in answer.stderr
    assert "own.py:" in answer.stderr


UNCOMPILABLE = """
from typing import NamedTuple

from prowess import Dynamic

WORTH = {1.0: 16.0}


class Params(NamedTuple):
    k: float = 32.0


class Rating(NamedTuple):
    rating: float = 1500.0


class Evidence(NamedTuple):
    change: float = 0.0


def expected(p, me, opponent, game):
    return 0.5


def evidence(p, me, opponent, game):
    return Evidence(WORTH.get(game.score, -16.0))


def absorb(p, me, total):
    return Rating(me.rating + total.change)


OWN = Dynamic("own", Params(), Rating(), Evidence(), expected, evidence, absorb)
"""


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("raise RuntimeError('too far')", "too far"),
        ("raise Two(1, 2)", "Two: 1 and 2"),
        ("raise type('Local', (RuntimeError,), {})('too far')", "Local: too far"),
    ],
)
def test_errors_of_systems_in_other_processes(games, tmp_path, error, told):
    """The line of the user's file, also of an error that cannot be handed over."""
    own = tmp_path / "own.py"
    place = "    return Evidence(WORTH.get(game.score, -16.0))\n"
    assert place in UNCOMPILABLE
    later = f"    if me.rating > 1500.0:\n        {error}\n{place}"
    own.write_text(UNCOMPILABLE.replace(place, later) + TWO, encoding="utf-8")
    with games.open("a", encoding="utf-8") as stream:
        stream.write("2024-03-01,ada,cy,1\n" * 30)
    line = 2 + UNCOMPILABLE[: UNCOMPILABLE.index(place)].count("\n")
    asked = ("compare", games, "--systems", f"elo,{own}", "--jobs", "2", "--quiet")
    assert refused(2, *asked) == f"Error: own.py, line {line}: RuntimeError: {told}\n"


TWO = """

class Two(RuntimeError):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")
"""


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "games.csv"),
        (b"", "games.csv"),
        (b"player_a,player_b,result\n", "games.csv"),
        (b"player_a,player_b,result\nada,ben,won't say\n", "line 2"),
        (b"player_a,player_b,result\nada,ada,1\n", "line 2"),
        (b"player_a,player_b,result\nada,ben\n", "line 2"),
        (b"\x00\x01\x02\xff\xfe binary", "games.csv"),
        (b"colour,taste\nred,sweet\n", "colour"),
    ],
)
def test_bad_data(tmp_path, content, told):
    """A table that cannot be read ends with 3 and a message with file, place and remedy."""
    if content is not None:
        (tmp_path / "games.csv").write_bytes(content)
    message = refused(3, "rate", "games.csv", cwd=tmp_path)
    assert "games.csv" in message
    assert told in message


def test_period_without_dates(tmp_path):
    """A period for a table without dates is the table's fault: 3, and it says that dates miss."""
    (tmp_path / "games.csv").write_text("player_a,player_b,result\nada,ben,1\n", encoding="utf-8")
    assert "dates" in refused(3, "rate", "games.csv", "-s", "elo", "--period", "7d", cwd=tmp_path)


def test_nothing_left_to_rate(games):
    """A day before the first game leaves nothing to rate: 3."""
    assert "no game is as old as 1999-01-01" in refused(3, "rate", games, "--as-of", "1999-01-01")


@pytest.mark.parametrize("arguments", [["rate", "games.csv", "--quiet"], ["systems"]])
def test_reader_that_goes_away(games, arguments):
    """When the reader of stdout closes the pipe, the run ends quietly."""
    command = [sys.executable, "-m", "prowess", *arguments]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=games.parent,
    ) as run:
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 0


def test_full_disk(games):
    """When stdout cannot be written, the run says so and does not end with 0."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no device that is always full")
    with full.open("wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "prowess", "rate", str(games)],
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )
    assert done.returncode == 1
    assert b"cannot be written" in done.stderr
    assert b"Traceback" not in done.stderr


HEEDS_INTERRUPTS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a shell starts behind it
from prowess.cli import main
main()
"""


def test_interrupted(games, tmp_path):
    """Ctrl-C ends the run with 130 and without a traceback."""
    slow = tmp_path / "slow.py"
    slow.write_text("import time\nprint('begun', flush=True)\ntime.sleep(60)\n", encoding="utf-8")
    run = subprocess.Popen(
        [sys.executable, "-c", HEEDS_INTERRUPTS, "rate", str(games), "--system", f"{slow}:SLOW"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert run.stdout is not None
    assert run.stdout.readline() == b"begun\n"
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=30)
    assert run.returncode == 130
    assert b"Traceback" not in told


BROKEN = """
import prowess.engine.rate
def rate(*args, **kwargs):
    raise RuntimeError("the sky fell")
prowess.engine.rate.rate = rate
from prowess.cli import main
main()
"""


@pytest.mark.parametrize("wanted", [False, True])
def test_bug_is_called_one(games, wanted):
    """An unforeseen error is called a bug, and shows where only when that is asked for."""
    more = {"PROWESS_TRACEBACK": "1"} if wanted else {}
    done = subprocess.run(
        [sys.executable, "-c", BROKEN, "rate", str(games)],
        capture_output=True,
        text=True,
        env=environment(**more),
        check=False,
    )
    assert "the sky fell" in done.stderr
    assert ("Traceback" in done.stderr) is wanted
    assert done.returncode == (1 if wanted else 70)
    if not wanted:
        assert "this is a bug" in done.stderr
        assert "PROWESS_TRACEBACK=1" in done.stderr


def test_no_stdout_at_all(games):
    """A closed stdout is no error of ours."""
    done = subprocess.run(
        f"exec '{sys.executable}' -m prowess rate '{games}' >&-",
        shell=True,
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


def test_help_names_every_verb():
    """The help text names every verb, and each verb explains itself."""
    text = prowess("--help").stdout
    assert {"rate", "forecast", "history", "systems", "completion"} <= set(command.commands_of)
    for verb in command.commands_of:
        assert f"\n  {verb} " in text
        assert "Usage: prowess " + verb in prowess(verb, "--help").stdout
