"""`prowess tune` as a shell runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytest import approx

from tests.cli.command import answered, prowess, refused
from tests.study.test_tuning import drawn_by_elo


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thousand games that Elo drew with K = 40 and 60 points for the first side."""
    file = tmp_path_factory.mktemp("tune") / "games.csv"
    games = drawn_by_elo(1_000, 3)
    rows = zip(games.a.tolist(), games.b.tolist(), games.score.tolist(), strict=True)
    text = "".join(f"P{a},P{b},{score:g}\n" for a, b, score in rows)
    file.write_text(f"white,black,result\n{text}", encoding="utf-8")
    return file


def test_the_line_can_be_pasted(league):
    """The last line is options for `rate`, and `compare` finds the loss that was promised."""
    text = answered("tune", league, "-s", "elo", "--quiet")
    options = text.splitlines()[-1].split()
    assert options[0] == "--set"
    answered("rate", league, "-s", "elo", *options)
    data = json.loads(answered("tune", league, "-s", "elo", "--json"))
    assert data["line"] == " ".join(options)
    given = ",".join(word for word in options if word != "--set")
    other = json.loads(
        answered("compare", league, "--systems", f"elo:{given}", "--warm-up", "0.6", "--json")
    )
    row = next(row for row in other["systems"] if row["system"] != "base_rate")
    assert data["later"]["score"] == approx(row["log_loss"], rel=1e-12)


def test_table_and_sentences(league):
    """A row a parameter, then what it is worth in words; stderr says what was done."""
    done = prowess("tune", league, "-s", "elo", "--over", "k=5:100,advantage")
    rows = done.stdout.splitlines()
    assert rows[0].split()[:3] == ["parameter", "before", "best"]
    assert [row.split()[0] for row in rows[1:3]] == ["k", "advantage"]
    assert "5 to 100" in rows[1]
    assert "later games log loss" in done.stdout
    assert "k anywhere from" in done.stdout
    assert "settings tried" in done.stderr


def test_quiet(league):
    """With --quiet nothing is said on stderr."""
    assert prowess("tune", league, "--system", "elo", "--over", "k", "-q").stderr == ""


def test_jobs_change_nothing(league, tmp_path):
    """Two processes give the very same answer, with a system of one's own too."""
    own = tmp_path / "own.py"
    own.write_text(
        "from dataclasses import replace\n"
        "from prowess.systems.elo import ELO, Params, expected_score as theirs\n"
        "def expected(p, me, opponent, game):\n"
        "    return theirs(p, me, opponent, game)\n"
        'MINE = replace(ELO, name="mine", expected=expected)\n',
        encoding="utf-8",
    )
    for system in ("elo", f"{own}:MINE"):
        once = answered("tune", league, "-s", system, "--over", "k", "--json")
        assert answered("tune", league, "-s", system, "--over", "k", "--json", "-j", 2) == once


def test_resume(league, tmp_path):
    """A search that was stopped goes on from its file and gives the same answer."""
    file = tmp_path / "settings.jsonl"
    options = ("tune", league, "-s", "elo", "--json")
    whole = answered(*options)
    stopped = json.loads(answered(*options, "--resume", file, "--budget", 9))
    assert (stopped["evaluations"], stopped["finished"]) == (9, False)
    lines = file.read_text("utf-8").splitlines()
    assert len(lines) == 9
    file.write_text("\n".join(lines[:8]) + "\n" + lines[8][:20], encoding="utf-8")  # killed
    done = prowess(*options, "--resume", file)
    assert done.stdout == whole
    assert "8 settings were evaluated before" in done.stderr
    total = len(file.read_text("utf-8").splitlines())
    assert total == json.loads(whole)["evaluations"]
    assert answered(*options, "--resume", file) == whole
    assert len(file.read_text("utf-8").splitlines()) == total  # nothing was left to evaluate


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--over", "k=5"), "LOW:HIGH"),
        (("--over", "k=a:b"), "LOW:HIGH"),
        (("--over", ","), "at least one"),
        (("--over", "kk"), "did you mean k"),
        (("--over", "k=5:500"), "give k as a number from 0 to 200"),
        (("--until", "0.1"), "warm-up"),
        (("--metric", "accuracy"), "jumps"),
        (("-s", "borda"), "borda"),
        (("--set", "k=x"), "give k as a number from 0 to 200"),
        (("--period", "1mo"), ""),
    ],
)
def test_wrong_use(league, options, words):
    """Wrong options end with a message, never with a traceback."""
    system = () if "-s" in options else ("-s", "elo")
    done = prowess("tune", league, *system, *options)
    assert done.returncode in (2, 3)
    assert words in done.stderr
    assert "bug" not in done.stderr


def test_a_file_of_something_else_is_not_written_over(league, tmp_path):
    """--resume refuses a file that it did not write, and leaves it."""
    file = tmp_path / "notes.txt"
    file.write_text("my notes\nand more\n", encoding="utf-8")
    assert "line 1" in refused(
        2, "tune", league, "--system", "elo", "--over", "k", "--resume", file
    )
    assert file.read_text("utf-8") == "my notes\nand more\n"
    nowhere = tmp_path / "none" / "file"
    assert str(nowhere) in refused(
        2, "tune", league, "--system", "elo", "--over", "k", "--resume", nowhere
    )


def test_a_small_table_is_refused(games):
    """Four games decide nothing, and that is bad data."""
    assert "4 are too few" in refused(3, "tune", games, "-s", "elo")


def test_help():
    """The help names the split."""
    text = answered("tune", "--help")
    assert "--until" in text
    assert "--warm-up" in text
