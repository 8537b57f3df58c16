"""`prowess plot`."""

from __future__ import annotations

import json
import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from prowess.cli.commands import prowess as command_line
from prowess.cli.verbs.pages import FIGURES
from tests.cli.command import FOOTBALL, answered, prowess, refused

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("what", [w for w in FIGURES if w not in ("calibration", "compare")])
def test_plot_draws(tmp_path, games, what):
    """Every figure is drawn as SVG, and told in words on stderr."""
    file = tmp_path / "figure.svg"
    done = prowess("plot", what, games, "-o", file, "--width", 500)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    svg = ET.parse(file).getroot()
    assert svg.get("width") == "500"
    assert str(svg.findtext("{http://www.w3.org/2000/svg}title")) in done.stderr


def test_plot_numbers(games):
    """--json gives the numbers of the figure, those of the leaderboard."""
    data = json.loads(answered("plot", "leaderboard", games, "--json"))["data"]
    board = json.loads(answered("rate", games, "--json"))["leaderboard"]
    assert [(row["player"], row["rating"]) for row in data] == [
        (row["player"], row["rating"]) for row in board
    ]


def test_plot_forecasts():
    """Calibration and comparison are those of the forecasts that `compare` judges."""
    elo = ("--systems", "elo:advantage=0", "--json", "-q")
    judged = json.loads(answered("compare", FOOTBALL, *elo, "--calibration"))["systems"]
    drawn = json.loads(answered("plot", "compare", FOOTBALL, "-s", "elo", *elo))["data"]
    assert [row["log_loss"] for row in drawn] == [row["log_loss"] for row in judged]
    curve = json.loads(answered("plot", "calibration", FOOTBALL, "-s", "elo", "--json", "-q"))
    (elo_alone,) = [row for row in judged if row["system"] == "elo:advantage=0"]
    assert curve["data"] == elo_alone["calibration"]["bins"]


def test_plot_png(tmp_path, games):
    """A PNG is written where the extra is there."""
    pytest.importorskip("resvg_py", reason="PNG needs the extra report")
    file = tmp_path / "figure.png"
    answered("plot", "distribution", games, "-o", file, "-q")
    assert file.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_wrong_plots(tmp_path, games):
    """What cannot be drawn is refused with a remedy, and nothing is written."""
    file = tmp_path / "figure.svg"
    assert ".svg" in refused(2, "plot", "history", games, "-o", tmp_path / "figure.gif")
    assert "-o FILE" in refused(2, "plot", "history", games)
    assert "history" in refused(2, "plot", "nonsense", games, "-o", file)
    assert "no history" in refused(2, "plot", "history", games, "-o", file, "-q", "-s", "map")
    assert "play more games" in refused(2, "plot", "calibration", games, "-o", file, "-q")
    assert "--against" in refused(2, "plot", "pairs", games, "-o", file, "--against", "game")
    assert not file.exists()


@pytest.mark.parametrize(
    ("page", "picture"), [("club", "club"), ("arena", "arena"), ("analyst", "calibration")]
)
def test_pictures_of_tutorials_are_fresh(page, picture, tmp_path, monkeypatch):
    """The picture beside a tutorial is what the command of the tutorial draws."""
    folder = ROOT / "docs" / "tutorials"
    text = (folder / f"{page}.md").read_text(encoding="utf-8")
    for name, content in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL):
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(rf"^\$ prowess (.* -o {picture}.svg)$", text, re.MULTILINE)
    command_line.main([*shlex.split(command), "-q"], standalone_mode=False)
    drawn = (tmp_path / f"{picture}.svg").read_bytes()
    assert drawn == (folder / f"{picture}.svg").read_bytes(), f"run in docs/tutorials: {command}"
