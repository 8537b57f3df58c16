"""`prowess compare`."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import FOOTBALL, ROOT, answered, prowess

LEAGUE = str(ROOT / "examples" / "league_football.csv.gz")
SEASON = ("--where", "league=Premier League", "--where", "season=2015-16")


def test_systems_with_settings_and_periods():
    """Systems are named with settings and periods, and the best stands first."""
    chosen = "elo,elo:k=40,advantage=80,glicko2@1mo"
    found = json.loads(answered("compare", FOOTBALL, "--systems", chosen, "--json"))
    names = [row["system"] for row in found["systems"]]
    assert names[0] == "elo:k=40,advantage=80"
    assert set(names) == {"base_rate", "elo", "elo:k=40,advantage=80", "glicko2@1mo"}
    losses = [row["log_loss"] for row in found["systems"]]
    assert losses == sorted(losses)
    assert found["judged"] == 39_616  # four fifths of 49,520 matches
    assert found["systems"][0]["params"]["k"] == 40.0


def test_calibration_is_part_of_it_when_asked_for():
    """Every system has a curve of ten bins."""
    found = json.loads(answered("compare", LEAGUE, "--systems", "elo", "--calibration", "--json"))
    for row in found["systems"]:
        bins = row["calibration"]["bins"]
        assert len(bins) == 10
        assert sum(one["games"] for one in bins) == found["judged"]
    assert "forecast  score" in answered("compare", LEAGUE, "--systems", "elo", "--calibration")


def test_csv_has_a_row_a_system():
    """Full precision, one header."""
    lines = answered("compare", LEAGUE, "--systems", "elo,glicko", "--csv").splitlines()
    assert lines[0].startswith("system,group,log_loss")
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--systems", "massey"), "no model of a game"),
        (("--systems", "elo:k=-3"), "outside its range"),
        (("--systems", "elo:k"), "not SETTING=VALUE"),
        (("--systems", "map@7d"), "no period"),
        (("--systems", "ello"), "did you mean elo"),
        (("--systems", ","), "at least one system"),
        (("--by", "luck"), "has no luck"),
        (("--level", "95"), "no probability"),
        (("--warm-up", "1"), "not in the range"),
        (("--systems", "elo", "--warm-up", "0.99"), "too few to compare"),
    ],
)
def test_wrong_use(options, words):
    """Wrong use ends with code 2 and says what is wrong."""
    done = prowess("compare", LEAGUE, *SEASON, *options)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
