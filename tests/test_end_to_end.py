"""The main job as a user does it, on a real table; and what the documents show."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

import prowess as library
from prowess.cli.commands import VERB_GROUPS
from tests.cli.command import FOOTBALL, ROOT, answered, prowess

CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
DOCUMENTS = [
    str(page.relative_to(ROOT))
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if CONSOLE.search(page.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="module")
def football():
    """The rows of the table, read by the standard library alone."""
    with gzip.open(FOOTBALL, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def rated():
    """What the command says of the table."""
    return json.loads(answered("rate", FOOTBALL, "--system", "elo", "--json"))


def test_every_match_is_rated(football, rated):
    """All 49,520 matches of the table and all their teams are rated, as a plain count finds."""
    assert rated["games"] == len(football) == 49_520  # as examples/README.md says
    played = Counter(row[side] for row in football for side in ("home_team", "away_team"))
    assert rated["players"] == len(played)
    assert {row["player"]: row["games"] for row in rated["leaderboard"]} == played
    assert rated["as_of"] == max(row["date"] for row in football)


def test_leaderboard_is_in_order(rated):
    """Ratings descend and ranks ascend, and the best of the list are known to be good."""
    board = rated["leaderboard"]
    ratings = [row["rating"] for row in board]
    assert ratings == sorted(ratings, reverse=True)
    assert [row["rank"] for row in board] == sorted(row["rank"] for row in board)
    # finalists of the last match in the table, and the nation with the most titles
    assert {"Spain", "Argentina", "Brazil"} <= {row["player"] for row in board[:20]}


def test_points_are_passed_on(rated):
    """Elo hands points from one side to the other: the mean stays at 1500, where all begin."""
    ratings = [row["rating"] for row in rated["leaderboard"]]
    assert sum(ratings) / len(ratings) == pytest.approx(1500.0, abs=1e-6)


def test_against_an_obvious_loop(football, rated):
    """The ratings are those of Elo's formula written as a loop over the rows of the file."""
    k, start = rated["params"]["k"], 1500.0
    assert rated["params"]["advantage"] == 0.0
    rating: dict[str, float] = {}
    for row in sorted(football, key=lambda row: row["date"]):  # stable, as the reader sorts
        home, away = row["home_team"], row["away_team"]
        goals = int(row["home_score"]) - int(row["away_score"])
        score = 1.0 if goals > 0 else 0.0 if goals < 0 else 0.5
        a, b = rating.get(home, start), rating.get(away, start)
        change = k * (score - 1 / (1 + 10 ** ((b - a) / 400)))
        rating[home], rating[away] = a + change, b - change
    for row in rated["leaderboard"]:
        assert row["rating"] == pytest.approx(rating[row["player"]], abs=1e-6)


def test_library_and_command_agree(rated):
    """The library gives the command's numbers to the last bit."""
    ratings = library.rate(library.read_games(FOOTBALL), "elo")
    assert ratings.leaderboard().rows() == rated["leaderboard"]


def test_home_side_is_known(football):
    """Home games and neutral ground are told apart as the table says."""
    games = library.read_games(FOOTBALL)
    assert games.side is not None
    assert int((games.side == 0).sum()) == sum(row["neutral"] == "TRUE" for row in football)
    assert set(games.side.tolist()) == {0.0, 1.0}


@pytest.fixture
def folder(tmp_path):
    """A folder with the example tables."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def laid_out(document: str, folder: Path) -> None:
    """Put the files into the folder that a document shows."""
    text = (ROOT / document).read_text(encoding="utf-8")
    shown_files = re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL)
    for name, content in shown_files:
        (folder / name).write_text(content, encoding="utf-8")


def shown(document: str) -> list[tuple[str, str]]:
    """Every command that a document shows, and the answer below it."""
    found = []
    for block in CONSOLE.findall((ROOT / document).read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, answer = part.partition("\n")
            found.append((command, answer.strip("\n")))
    return found


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if "/tutorials/" not in d])
def test_shown_commands_answer_as_shown(folder, document):
    """The commands of a document, one after another, print what stands below them.

    Those of tutorials run as notebooks: tests/test_notebook.py.
    """
    laid_out(document, folder)
    for command, answer in shown(document):
        words = shlex.split(command)
        assert words[0] == "prowess"
        done = prowess(*words[1:], cwd=folder)
        assert done.returncode == 0, (command, done.stderr)
        printed = [line.rstrip() for line in done.stdout.splitlines()]
        assert printed == answer.splitlines(), command


def test_shown_python_prints_what_is_shown(monkeypatch):
    """The example of the README prints the text below it."""
    monkeypatch.chdir(ROOT)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(import prowess.*?)```\n\n```text\n(.*?)```", readme, re.DOTALL)
    assert found is not None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(found[1], "README.md", "exec"), {})
    assert printed.getvalue() == found[2]


def test_documents_show_commands():
    """The main documents show commands, so that the law above has something to say."""
    assert {"README.md", "docs/command_line.md"} <= set(DOCUMENTS)
    assert all(shown(document) for document in DOCUMENTS)


def test_every_option_of_rate_is_in_the_document():
    """The document on the command line names every option that `prowess rate` has."""
    text = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    options = set(re.findall(r"--[a-z-]+", answered("rate", "--help"))) - {"--help"}
    assert len(options) > 30
    assert sorted(option for option in options if option not in text) == []


def test_every_verb_is_in_the_document():
    """The table of the document on the command line has a row of every verb."""
    text = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    rows = "\n".join(line for line in text.splitlines() if line.startswith("| `prowess "))
    verbs = [verb for group in VERB_GROUPS.values() for verb in group]
    without = [verb for verb in verbs if not re.search(rf"`prowess {verb}\b", rows)]
    assert without == [], "give each a row in the table of docs/command_line.md"


def test_package_data_is_small():
    """What the demo brings along stays small, and says where it is from."""
    folder = Path(library.__file__).parent / "cli" / "data"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 100_000
    assert "CC0" in (folder / "README.md").read_text(encoding="utf-8")
