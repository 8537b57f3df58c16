"""The forms of an answer, which all verbs share: JSON with the reading, CSV, files by suffix."""

from __future__ import annotations

import csv
import io
import json

import click
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from prowess.cli.commands import prowess as command
from tests.cli.command import prowess, refused

VERBS = {  # verb: its further arguments, and a heading of its table
    "rate": ([], "rating"),
    "history": (["ada"], "opponent"),
    "forecast": (["ada", "ben"], "expected"),
    "assess": (["ada", "ben"], "result"),
    "performance": ([], "exact"),
    "table": (["--systems", "elo,colley"], "colley_place"),
    "pairings": ([], "surplus"),
    "triangles": (["--draws", "5"], ""),
    "tournament": (["--best", "3", "--round-robin", "1", "--runs", "10"], "player"),
    "compare": (["--systems", "elo,base_rate", "--warm-up", "0"], "log_loss_low"),
}
ROWS = [f"2024-01-{day:02},{a},{b},{day % 3 / 2}" for day in range(1, 13)
        for a, b in [["ada ben", "ben cy", "cy ada"][day % 3].split()]]  # fmt: skip
WITHOUT_SYSTEM = ("table", "triangles", "compare")


@pytest.fixture
def dozen(tmp_path):
    """Twelve games of three players."""
    file = tmp_path / "dozen.csv"
    file.write_text("\n".join(["date,player_a,player_b,result", *ROWS]), encoding="utf-8")
    return file


def run(verb, games, *more):
    """Run a verb in this process: the answer on stdout."""
    arguments, _ = VERBS[verb]
    system = [] if verb in WITHOUT_SYSTEM else ["--system", "elo"]
    done = CliRunner().invoke(command, [verb, str(games), *arguments, *system, *map(str, more)])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_json_says_how_the_table_was_read(dozen, verb):
    """--json of every verb has the reading of the table, as `prowess look` has it."""
    data = json.loads(run(verb, dozen, "--json"))
    assert data["reading"]["games"] == 12
    assert data["reading"]["last"] == "2024-01-12"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_writes_files(dozen, tmp_path, verb):
    """-o writes JSON and CSV as --json and --csv print them, and tables for people."""
    for form in ("csv", "json"):
        file = tmp_path / f"answer.{form}"
        assert run(verb, dozen, "-o", file) == ""
        printed = run(verb, dozen, f"--{form}")
        if verb == "compare":  # seconds differ from run to run
            continue
        assert file.read_text(encoding="utf-8") == printed
    header = next(csv.reader(io.StringIO(run(verb, dozen, "--csv"))), [])
    assert VERBS[verb][1] in ["", *header]
    run(verb, dozen, "-o", tmp_path / "answer.md")
    assert (tmp_path / "answer.md").stat().st_size > 0


WITHOUT_TABLES = {  # verbs that print JSON of something else than a table
    "check",  # whether stores are sound
    "doctor",  # the installation
    "plot",  # a figure, which -o writes
    "upgrade",  # the store
}


def walk_commands(command, path=()):
    """Every command below a group, by its path."""
    for name in command.list_commands(None):
        one = command.get_command(None, name)
        if isinstance(one, click.Group):
            yield from walk_commands(one, (*path, name))
        yield (*path, name), one


def test_every_verb_with_a_table_writes_it():
    """A verb that has --json has -o, so its table becomes a file of any form."""
    for path, one in walk_commands(command):
        options = {name for option in one.params for name in option.opts}
        if "--json" in options and path[-1] not in WITHOUT_TABLES:
            assert "-o" in options, path


@pytest.mark.parametrize(
    ("arguments", "header"),
    [
        (["systems"], "name,rates,summary"),
        (["systems", "elo"], "name,default,meaning,low,high,unit"),
        (["theory", "bounds", "logistic"], "x,exact,concave,flat,other"),
        (["theory", "check", "logistic"], "name,holds,says,at"),
        (["theory", "markov", "tennis_game"], "x,wp"),
        (["theory", "population"], "below,rating,density"),
        (["theory", "development"], "time,rating,learning"),
        (["theory", "tables"], "rating,players,learning,deviation,printed_learning"),
        (["simulate", "preset"], "name,claim,source,system"),
    ],
)
def test_verbs_without_games_write_their_table(arguments, header, tmp_path):
    """Theory, systems and claims answer in CSV and in files as verbs with games do."""
    csv_file, sheet = tmp_path / "table.csv", tmp_path / "table.parquet"
    run = CliRunner().invoke
    assert run(command, [*arguments, "--csv"]).stdout.splitlines()[0] == header
    for file in (csv_file, sheet):
        done = run(command, [*arguments, "-o", str(file)])
        assert (done.exit_code, done.stdout) == (0, "")
    with csv_file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))
    assert parquet.read_table(sheet).num_rows == len(rows) - 1 > 0


def test_columns_of_several_kinds_become_text(tmp_path):
    """A parameter is a number or a word: Parquet, whose columns have one kind, gets words."""
    file = tmp_path / "table.parquet"
    CliRunner().invoke(command, ["systems", "bradley_terry", "-o", str(file)])
    assert parquet.read_table(file)["default"].to_pylist()[:3] == ["400.0", "1500.0", "half"]


def test_look_writes_the_games(dozen, tmp_path):
    """The first games of `look` are a table of their own, as many as --first says."""
    file = tmp_path / "first.csv"
    done = CliRunner().invoke(command, ["look", str(dozen), "--first", "12", "-o", str(file)])
    assert done.exit_code == 0
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    assert [row["date"] for row in rows] == [row[:10] for row in ROWS]


def test_one_form_at_a_time(games):
    """Two forms are refused before anything is read."""
    assert "choose --json or --csv" in refused(2, "history", "none.csv", "ada", "--json", "--csv")
    assert "leave --json" in refused(2, "rate", "none.csv", "--json", "-o", "x.csv")


def test_a_narrow_table_names_what_it_leaves_out(games):
    """--width leaves columns out, and a note says which and what width they need."""
    done = prowess("rate", games, "--system", "glicko2", "--width", 30)
    assert done.stdout.splitlines()[0].split() == ["rank", "player", "rating", "games"]
    assert "note: --width 50 also shows deviation, volatility" in done.stderr
    assert "volatility" in prowess("rate", games, "--system", "glicko2", "--width", 50).stdout
