"""The verbs beside `rate`."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
import subprocess
from collections import Counter
from itertools import pairwise
from math import fsum

import pytest
from click.shell_completion import BashComplete
from pytest import approx

import prowess as library
from prowess.cli.commands import prowess as command
from prowess.engine.params import parameters
from prowess.present.evidence import describe_terms
from tests.cli.command import answered, environment, prowess, refused


def test_forecast_of_equals_and_of_a_hundred_points(tmp_path, games):
    """Equals expect 0.5; 100 points more expect 1 / (1 + 10^(-100/400)) = 0.640, Elo's formula."""
    start = tmp_path / "start.csv"
    start.write_text("player,rating\nada,1600\nben,1500\ncy,1500\n", encoding="utf-8")
    still = ("-s", "elo", "--set", "k=0", "--start", start, "--json")
    ada = json.loads(answered("forecast", games, "ada", "ben", *still))
    assert ada["expected"] == approx(1 / (1 + 10**-0.25), abs=1e-12)
    ben = json.loads(answered("forecast", games, "ben", "cy", *still))
    assert (ben["a"], ben["b"], ben["expected"]) == ("ben", "cy", 0.5)


def test_forecast_shape(games):
    """Of a table with draws the chances of win, draw and loss are those of a system with a model
    of draws, and sum to 1; another gives the expected score alone.
    """
    model = json.loads(answered("forecast", games, "ada", "ben", "--json"))
    assert model["win"] + model["draw"] + model["loss"] == approx(1.0, abs=1e-12)
    data = json.loads(answered("forecast", games, "ada", "ben", "-s", "elo", "--json"))
    assert not {"win", "draw", "loss"} & {*data}
    text = answered("forecast", games, "ada", "ben", "-s", "elo")
    assert f"{data['expected']:.3f}" in text


def test_forecast_side(games):
    """The side advantage helps the side that has it, and mirrors when it changes hands."""
    home = ("-s", "elo", "--set", "advantage=100", "--set", "k=0", "--json")
    told = {
        side: json.loads(answered("forecast", games, "ada", "ben", "--side", side, *home))
        for side in ("a", "none", "b")
    }
    chance = {side: data["expected"] for side, data in told.items()}
    assert chance["none"] == 0.5
    assert chance["a"] == approx(1 / (1 + 10**-0.25), abs=1e-12)  # 100 points, as above
    assert chance["a"] + chance["b"] == approx(1.0, abs=1e-12)


def test_history_leads_from_start_to_now(games):
    """Each game begins where the one before ended, and the last ends at the rating now."""
    data = json.loads(answered("history", games, "ada", "-s", "elo", "--json"))
    steps = data["games"]
    assert [step["opponent"] for step in steps] == ["ben", "cy", "ben"]
    assert [step["score"] for step in steps] == [1.0, 1.0, 0.0]
    assert [step["time"] for step in steps] == ["2024-01-01", "2024-01-09", "2024-02-01"]
    assert steps[0]["before"] == 1500.0
    assert all(one["after"] == two["before"] for one, two in pairwise(steps))
    rated = json.loads(answered("rate", games, "-s", "elo", "--json"))
    ada = next(row for row in rated["leaderboard"] if row["player"] == "ada")
    assert steps[-1]["after"] == ada["rating"]
    assert "terms" not in steps[0]


def test_why_adds_up(games):
    """The terms of --why sum to the change of each game, exactly."""
    data = json.loads(answered("history", games, "ada", "-s", "glicko2", "--why", "--json"))
    for step in data["games"]:
        assert fsum(step["terms"].values()) == step["change"]


def test_why_in_words(games):
    """--why says of each game what happened, what was expected and what it brought."""
    lines = answered("history", games, "ada", "-s", "elo", "--why").splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("2024-01-01: beat ben (1500.0), 0.50 was expected: 1500.0 +")
    assert "lost to ben" in lines[2]


def test_a_side_advantage_moves_beside_the_player():
    """The points of a game are the player's own; those of a side advantage are no part of them."""
    rows = {"white": ["Ada", "Ben", "Cy"], "black": ["Ben", "Cy", "Ada"], "result": [1, 0.5, 0]}
    steps = library.rate(rows, "prowess").history("Ada").steps
    assert any(len(step.parts) > 1 for step in steps)
    for step in steps:
        text = describe_terms(step)
        assert step.parts["general"] == approx(step.terms["game"])
        own, _, others = text.partition(" (beside it ")
        assert bool(others) == (len(step.parts) > 1)
        assert "side advantage" not in own


def test_history_table_and_last(games):
    """The plain table has a row a game; --last keeps the end of it; CSV has the same numbers."""
    assert len(answered("history", games, "ada").splitlines()) == 1 + 3
    assert len(answered("history", games, "ada", "--last", 1).splitlines()) == 1 + 1
    assert len(answered("history", games, "ada", "--last", 1, "--why").splitlines()) == 1
    text = answered("history", games, "ada", "-s", "elo", "--csv")
    data = json.loads(answered("history", games, "ada", "-s", "elo", "--json"))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [float(row["after"]) for row in rows] == [step["after"] for step in data["games"]]


def test_history_of_contests(contests):
    """A driver's history names every opponent of every race, and ends at the rating now."""
    steps = json.loads(answered("history", contests, "ada", "--why", "--json"))["games"]
    assert sorted(step["opponent"] for step in steps) == ["ben", "cy", "cy", "dot"]
    board = json.loads(answered("rate", contests, "--json"))["leaderboard"]
    ada = next(row for row in board if row["player"] == "ada")
    assert steps[-1]["after"] == approx(ada["rating"], rel=1e-12)


@pytest.mark.parametrize(("system", "rows"), [("trueskill", 1), ("elo", 2)])
def test_the_last_contest_is_a_contest(contests, system, rows):
    """--last 1 is the last contest: a row where it is judged as a whole, else one a pair."""
    told = answered("history", contests, "ada", "-s", system, "--last", 1, "--csv")
    board = json.loads(answered("rate", contests, "-s", system, "--json"))["leaderboard"]
    lines = list(csv.DictReader(io.StringIO(told)))
    assert len(lines) == rows
    ada = next(row for row in board if row["player"] == "ada")
    assert float(lines[-1]["after"]) == approx(ada["rating"], rel=1e-12)


def test_why_parts_the_change(games):
    """What time and other results made stands apart from the game, in words."""
    told = answered("history", games, "ada", "-s", "prowess", "--why").splitlines()
    assert "for a loss that was" in told[-1]
    assert "for time and other results" in told[-1]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("glicko", "Time          in units of 30 days; of a rating period where one is given"),
        ("arimaa", "Time          in units of 7 days"),
        ("ics", "Time          in units of 1 day"),
        ("elo", None),
    ],
)
def test_a_system_says_in_what_unit_time_passes(name, line):
    """On its page and in JSON; who does not age has none."""
    page = answered("systems", name).splitlines()
    assert [one for one in page if one.startswith("Time")] == ([] if line is None else [line])
    data = json.loads(answered("systems", name, "--json"))
    assert data["clock"] == {"glicko": "30d", "arimaa": "7d", "ics": "1d", "elo": None}[name]
    assert data["follows_period"] == (name == "glicko")


def test_systems_are_the_catalogue():
    """The list holds every system of the library and says in a line what it is."""
    rows = json.loads(answered("systems", "--json"))
    assert [row["name"] for row in rows] == list(library.systems())
    assert all(row["summary"] and row["rates"] for row in rows)
    first, listed = (re.findall(r"^    (\w+)", part, re.MULTILINE)
                     for part in answered("systems").split("\n\n"))  # fmt: skip
    assert listed == list(library.systems())
    assert len(first) == 6
    assert set(first) <= set(listed)


def test_no_two_systems_are_described_alike():
    """Every system says in a line of its own what it is, and of each parameter what it means."""
    known = library.systems()
    lines = Counter(system.line for system in known.values())
    assert [line for line, times in lines.items() if times > 1 or not line.endswith(".")] == []
    for system in known.values():
        assert [one.name for one in parameters(system).values() if not one.meaning] == []


@pytest.mark.parametrize("name", ["elo", "glicko2", "apterous", "smith"])
def test_system_page(name):
    """The page of a system holds its docstring and every parameter with default and range."""
    system = library.systems()[name]
    page = answered("systems", name)
    assert system.doc.strip() in page
    data = json.loads(answered("systems", name, "--json"))
    assert [one["name"] for one in data["parameters"]] == list(system.params._fields)
    for one in data["parameters"]:
        assert re.search(rf"^ +{one['name']}=", page, re.MULTILINE)
        assert one["meaning"] in " ".join(page.split())
        assert {"low", "high", "unit"} <= one.keys() or one["words"]
    for law, reason in system.breaks.items():
        assert f"{law}: {reason}" in page


def test_doctor_is_content():
    """On an installation that works the doctor ends with 0 and has rated a published example."""
    done = prowess("doctor")
    assert done.returncode == 0, done.stdout
    assert "1464" in done.stdout
    assert "BAD" not in done.stdout
    rows = json.loads(answered("doctor", "--json"))
    assert {"python", "numpy", "llvmlite", "compiled loops"} <= {row["what"] for row in rows}


def test_doctor_finds_what_is_wrong(tmp_path):
    """A package that is not what it should be makes the doctor say so and end with 1."""
    (tmp_path / "narwhals").mkdir()
    text = 'import sys; sys.modules["prowess.systems.glicko"] = None\n'
    (tmp_path / "sitecustomize.py").write_text(text, encoding="utf-8")
    path = environment()["PYTHONPATH"] + ":" + str(tmp_path)
    done = prowess("doctor", PYTHONPATH=path)
    assert done.returncode == 1
    assert "BAD" in done.stdout


def test_doctor_without_a_folder_to_write(tmp_path):
    """A cache that cannot be written is told and is no error."""
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    done = prowess("doctor", PROWESS_CACHE=str(file / "cache"))
    assert done.returncode == 0
    assert "not writable" in done.stdout


def test_demo():
    """The demo shows a leaderboard, a forecast, a reason, and commands that work."""
    text = answered("demo")
    for word in ("rank", "expected score", "was expected", "prowess systems"):
        assert word in text
    command = re.search(r"^  prowess (rate .*football\.csv .*)$", text, re.MULTILINE)
    assert command is not None
    assert "209 players" in text  # of the 600 rows: cut -d, -f2,3 | tr , '\n' | sort -u | wc -l
    answered(*command[1].split())


def test_demo_shows_what_its_commands_print():
    """Every command that the demo prints, typed anywhere, prints what stands below it."""
    _, *shown = re.split(r"^\$ prowess (.*)\n", answered("demo"), flags=re.MULTILINE)
    assert len(shown) == 6
    for words, output in zip(shown[::2], shown[1::2], strict=True):
        answer = answered(*shlex.split(words))
        assert output.startswith(answer + "\n"), words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell):
    """Each shell gets a script that calls us, and where the shell is here it accepts the script."""
    script = answered("completion", shell)
    assert "_PROWESS_COMPLETE" in script
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=script, text=True, check=False)
        assert done.returncode == 0


def completed(*words: str) -> list[str]:
    """What is offered for the last of some words."""
    text = answered(
        COMP_WORDS=" ".join(["prowess", *words]),
        COMP_CWORD=str(len(words)),
        _PROWESS_COMPLETE="bash_complete",
    )
    return [line.partition(",")[2] for line in text.splitlines()]


def test_completion():
    """Verbs, options and the names of all systems are completed."""
    assert completed("ra") == ["rate"]
    assert "--system" in completed("rate", "--sy")
    assert completed("rate", "--format", "ba") == ["ballots"]
    assert completed("rate", "--system", "glicko") == ["glicko", "glicko2"]
    assert sorted(completed("systems", "")) == sorted(library.systems())


def offered(*words: object) -> list[str]:
    """What is offered for the last of some words, found in this process."""
    *before, begun = map(str, words)
    shell = BashComplete(command, {}, "prowess", "_PROWESS_COMPLETE")
    return [item.value for item in shell.get_completions(before, begun) if item.type == "plain"]


def test_completion_of_parameters(games):
    """After --set the parameters of the chosen system, after `solver=` its words."""
    assert offered("rate", games, "-s", "elo", "--set", "k") == ["k="]
    words = offered("rate", games, "--system", "glicko2", "--set", "solver=")
    assert words == ["solver=halley", "solver=illinois"]
    assert offered("rate", games, "--system", "no_such", "--set", "k") == []


def test_completion_from_the_file(games):
    """Columns of the file after options that take one, players where a player stands."""
    assert offered("rate", games, "--player-a", "pl") == ["player_a", "player_b"]
    assert offered("rate", games, "--where", "d") == ["date="]
    assert offered("history", games, "") == ["ada", "ben", "cy"]
    assert offered("forecast", games, "ada", "b") == ["ben"]
    assert offered("performance", games, "--of", "c") == ["cy"]
    assert offered("history", "no_such_file.csv", "a") == []  # files alone


def test_completion_quotes_names_for_bash(games, monkeypatch):
    """Bash puts a name on the line as it comes; the other shells quote by themselves."""
    games.write_text("player_a,player_b,result\nAda L,Bo,1\n", encoding="utf-8")
    assert offered("history", games, "Ada") == ["Ada L"]
    monkeypatch.setenv("_PROWESS_COMPLETE", "bash_complete")
    assert offered("history", games, "Ada") == ["Ada\\ L"]


def test_version():
    """--version says the version of the package."""
    assert answered("--version").split() == ["prowess", library.__version__]


@pytest.mark.parametrize("name", list(library.systems()))
def test_every_system_rates_or_refuses(capfd, games, contests, name):
    """Every system rates games and contests, or says in a message what it needs instead."""
    from prowess.cli.exits import run

    for file in (games, contests):
        with pytest.raises(SystemExit) as end:
            run(["rate", str(file), "--system", name, "--json"])
        out, err = capfd.readouterr()
        if end.value.code == 0:
            assert json.loads(out)["system"] == name
        else:
            assert end.value.code in (2, 3)
            assert name in err
            assert "bug" not in err


def test_unknown_player_everywhere(games):
    """No verb invents a player; a forecast says that a newcomer is one, and asks about a name."""
    assert "'zoe'" in refused(2, "history", games, "zoe")
    assert json.loads(answered("forecast", games, "zoe", "ada", "--json"))["new"] == ["zoe"]
    assert "'ada'" in refused(2, "forecast", games, "adA", "bob")


def test_look(tmp_path):
    """The three lines, the first games and the JSON of a table; a question ends with code 3."""
    file = tmp_path / "spiele.csv"
    file.write_text(
        "Datum;Heim;Gast;Tore Heim;Tore Gast;Halle\n"
        "05.01.2024;Ann;Bob;2;1;A\n13.01.2024;Bob;Ann;;;A\n",
        encoding="utf-8",
    )
    lines = answered("look", file).splitlines()
    assert lines[0] == "read as   games between two, 1 row, 2 players, 2024-01-05"
    assert "Heim = home (side advantage)" in lines[1]
    assert "Datum = date (day first)" in lines[1]
    assert lines[2] == "not used  Halle      look at   1 row left out: not played (line 3)"
    assert lines[-1].split() == ["2024-01-05", "Ann", "Bob", "1", "2:1", "Ann"]
    data = json.loads(answered("look", file, "--json"))
    assert data["first_games"][0]["player"] == "Ann"
    assert data["left_out"] == {"not played": 1}
    file.write_text("a,b,winner,count\nAnn,Bob,a,12\nAnn,Bob,b,7\n", encoding="utf-8")
    assert answered("look", file).splitlines()[-1].split() == ["Ann", "Bob", "0", "7"]
    file.write_text(
        "a,b,result,date\nAnn,Bob,1,03/04/2024\nAnn,Cy,1,05/04/2024\n", encoding="utf-8"
    )
    assert "3 April 2024 (day first) or 4 March 2024 (month first)" in refused(3, "look", file)


def test_an_audit_has_settled_the_position(tmp_path):
    """That one position is favoured is said where votes are rated, not where an audit fits it."""
    votes = tmp_path / "votes.csv"
    rows = [
        f"{a},{b},{'left' if k % 5 else 'right'}"
        for k in range(160)
        for a, b in (("Ann", "Bob"), ("Bob", "Ann"), ("Bob", "Cid"), ("Cid", "Bob"))
    ]
    votes.write_text("\n".join(["left,right,winner", *rows]) + "\n", encoding="utf-8")
    assert '"left" is favoured' in prowess("rate", votes, "-s", "davidson").stderr
    done = prowess("arena", votes)
    assert done.returncode == 0, done.stderr
    assert "favoured" not in done.stderr
