"""Every verb with random numbers has --seed, and says in its output which seed it took."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import ROOT, answered, prowess

SEASON = (
    ROOT / "examples" / "league_football.csv.gz",
    "--where", "league=Bundesliga", "--where", "season=2018-19",
)  # fmt: skip
BOTS = (ROOT / "examples" / "axelrod_bot_rumble.csv.gz",)
FIT = ("--system", "davidson")
PAIR = ("Bayern München", "FC Augsburg")
SEEDED = {
    "rate": ("rate", *SEASON, *FIT, "--bootstrap", 20, "--top", 1),
    "compare": ("compare", *SEASON, "--systems", "elo", "--folds", 10),
    "tune": ("tune", *SEASON, "--system", "elo", "--over", "k"),
    "diagnose": ("diagnose", *SEASON),
    "triangles": ("triangles", *BOTS, "--draws", 5),
    "forecast": ("forecast", *SEASON, *PAIR, *FIT, "--best-of", 3, "--runs", 100),
    "season": ("tournament", *SEASON, *FIT, "--round-robin", 1, "--best", 4, "--runs", 100),
    "elo season": ("tournament", *SEASON, "--round-robin", 1, "--best", 4, "--runs", 100),
    "swiss": ("tournament", *SEASON, "--swiss", 2, "--best", 4, "--runs", 100),
    "bracket": ("tournament", *SEASON, *FIT, "--bracket", "seeds", "--best", 4, "--runs", 100),
    "simulate": ("simulate", "league", "--players", 5, "--games", 20),
}


@pytest.mark.parametrize("words", SEEDED.values(), ids=SEEDED)
def test_the_seed_is_an_option_and_is_stated(words):
    """With --seed 7 the output says so, in notes or in the text."""
    done = prowess(*words, "--seed", 7)
    assert done.returncode == 0, done.stderr
    assert "seed 7" in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["tune", "diagnose", "triangles", "season"])
def test_json_has_the_seed(name):
    """Machine-readable output has the seed, the default too."""
    for seed in (0, 7):
        data = json.loads(answered(*SEEDED[name], "--json", *(("--seed", 7) if seed else ())))
        assert data["seed"] == seed


def test_what_is_exact_names_no_seed():
    """Nothing is drawn for a bracket of ratings that are taken as known."""
    words = ("tournament", *SEASON, "--bracket", "seeds", "--best", 4, "--seed", 7)
    assert "seed 7" not in prowess(*words).stderr
