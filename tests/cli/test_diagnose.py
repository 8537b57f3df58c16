"""`prowess diagnose` as a shell runs it."""

from __future__ import annotations

import json

import pytest

from prowess.study.simulation.league import game_lines, simulate
from prowess.study.simulation.settings import league_settings
from tests.cli.command import FOOTBALL, answered, prowess, refused


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """Forty players, 4,000 games."""
    file = tmp_path_factory.mktemp("league") / "league.csv"
    made = simulate(league_settings(players=40, games=4000), 1)
    file.write_text("".join(game_lines(made)), encoding="utf-8")
    return file


def test_words_first(league):
    """Every finding begins with how bad it is, and the headline says what was judged."""
    done = prowess("diagnose", league)
    assert done.returncode == 0
    assert "4,000 games of 40 players" in done.stderr
    findings = [part for part in done.stdout.split("\n\n") if not part.startswith("skipped: ")]
    assert len(findings) >= 14
    assert {part.split(":")[0] for part in findings} <= {"fine", "notice", "warning"}
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_json_says_the_same(league):
    """The JSON has the findings of the words, with numbers, method and error rate."""
    data = json.loads(answered("diagnose", league, "--json", "--seed", "3"))
    words = answered("diagnose", league, "--quiet", "--seed", "3")
    assert (data["system"], data["games"], data["players"], data["seed"]) == ("elo", 4000, 40, 3)
    for one in data["findings"]:
        assert f"{one['severity']}: {one['name']}." in words
        assert one["method"]
        assert one["error_rate"]
        assert isinstance(one["numbers"], dict)
    assert len(data["findings"]) + len(data["skipped"]) == 20


def test_all_adds_methods_and_reasons(league):
    """With --all every finding has its method, and what was left out its reason."""
    text = answered("diagnose", league, "--all")
    data = json.loads(answered("diagnose", league, "--json"))
    assert text.count("  How: ") == len(data["findings"])
    assert text.count("skipped: ") == len(data["skipped"])


def test_football():
    """Home advantage is found in football, and is taken for set when it is."""
    plain = json.loads(answered("diagnose", FOOTBALL, "--json"))
    side = next(one for one in plain["findings"] if one["name"] == "side advantage")
    assert side["severity"] == "warning"
    points = side["numbers"]["points"]
    again = json.loads(answered("diagnose", FOOTBALL, "--json", "--set", f"advantage={points:.0f}"))
    side = next(one for one in again["findings"] if one["name"] == "side advantage")
    assert side["severity"] == "fine"


def test_refusals(league, contests):
    """Wrong systems, levels and tables are one error each."""
    assert "from game to game" in refused(3, "diagnose", league, "--system", "bradley_terry")
    assert "games between two" in refused(3, "diagnose", contests)
    assert "a probability between 0 and 1" in refused(2, "diagnose", league, "--level", "5")
    assert "has no parameter" in refused(2, "diagnose", league, "--set", "kay=3")
