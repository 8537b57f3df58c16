"""Win, draw and loss of a system that follows games, as a shell sees them."""

from __future__ import annotations

import csv
import json

from pytest import approx

from tests.cli.command import GAMES, ROOT, answered, refused
from tests.study.davidson import NU, by_hand

SYSTEM = ("-s", f"{ROOT / 'tests' / 'study' / 'davidson.py'}:DAVIDSON_ELO")
ROWS = [
    ([a], [b], float(score), 0.0)
    for _, a, b, score in (line.split(",") for line in GAMES.split()[1:])
]
RATING, TOLD = by_hand(ROWS)


def odds(a: str, b: str) -> tuple[float, float, float]:
    """Davidson's chances on neutral ground."""
    s = 10.0 ** ((RATING[a] - RATING[b]) / 800.0)
    return s / (s + NU + 1 / s), NU / (s + NU + 1 / s), 1 / s / (s + NU + 1 / s)


def test_forecast(games):
    """In JSON win, draw and loss; for people a line of three chances."""
    told = json.loads(answered("forecast", games, "ada", "ben", *SYSTEM, "--json"))
    assert (told["win"], told["draw"], told["loss"]) == approx(odds("ada", "ben"), rel=1e-12)
    win, draw, loss = odds("ada", "ben")
    text = answered("forecast", games, "ada", "ben", *SYSTEM)
    assert f"ada wins {win:.1%}, draw {draw:.1%}, ben wins {loss:.1%}" in text


def test_series_and_tournaments(games):
    """Games of a series, and of a round robin, are drawn as often as the system says."""
    win, draw, loss = odds("ada", "ben")
    more = (*SYSTEM, "--json")
    told = json.loads(answered("forecast", games, "ada", "ben", *more, "--best-of", "1"))
    found = told["series"]
    assert (found["win"], found["level"], found["loss"]) == approx((win, draw, loss), rel=1e-12)
    final = ("--bracket", "seeds", "--entrants", "ada,ben")
    told = json.loads(answered("tournament", games, *more, *final))
    assert told["players"][0]["winner"] == approx(win + draw * win / (win + loss), rel=1e-12)
    said = refused(3, "tournament", games, *SYSTEM, *final, "--draws", "0.3")
    assert "davidson_elo has a model of draws" in said


def test_compare():
    """Three-way columns beside those of the base rate."""
    league = ROOT / "examples" / "league_football.csv.gz"
    season = ("--where", "league=Premier League", "--where", "season=2015-16")
    found = json.loads(answered("compare", league, *season, "--systems", SYSTEM[1], "--json"))
    assert len(found["systems"]) == 2
    for row in found["systems"]:
        assert {"log_loss_3", "brier_3", "ranked_probability"} <= row.keys()
    by = ("--systems", SYSTEM[1], "--metric", "log_loss_3")
    assert "log loss 3" in answered("compare", league, *season, *by)


def test_forecasts_before_each_game(games, tmp_path):
    """The file has the chance of a draw in a column of its own; without draws it has none."""
    file = tmp_path / "forecasts.csv"
    answered("rate", games, *SYSTEM, "--forecasts", file)
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert [float(row["draw"]) for row in rows] == approx([draw for _, draw, _ in TOLD], rel=1e-12)
    assert [float(row["expected"]) for row in rows] == approx(
        [win + draw / 2 for win, draw, _ in TOLD], rel=1e-12
    )
    answered("rate", games, "-s", "elo", "--forecasts", file)
    assert file.read_text(encoding="utf-8").splitlines()[0].endswith("score,expected")


def test_report_and_systems(games, tmp_path):
    """The page judges three outcomes; the description of the system says that it forecasts them."""
    league = ROOT / "examples" / "league_football.csv.gz"
    season = ("--where", "league=Premier League", "--where", "season=2015-16")
    page = tmp_path / "page.html"
    answered("report", league, *season, *SYSTEM, "-o", page, "--no-compare")
    assert "log loss with draws" in page.read_text(encoding="utf-8")
    assert "Forecasts     win, draw and loss" in answered("systems", SYSTEM[1])
    assert "win, draw and loss" not in answered("systems", "elo")
