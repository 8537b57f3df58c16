"""`prowess theory noise`, `best-step`, `population`, `development`, `tables`."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from pytest import approx

from prowess.theory.learning import Gompertz
from tests.cli.command import answered, refused


def test_noise_of_the_server():
    """h = 64, 35 games, spread 324: 28.8 published, 54.4 corrected, 233.7 by lives (spec, 6.9)."""
    data = json.loads(answered("theory", "noise", "--json"))
    totals = {row["model"]: row["total"] for row in data["models"]}
    assert totals["published"] == approx(28.784650, abs=1e-5)
    assert totals["corrected"] == approx(54.43, abs=5e-3)
    assert totals["lifetime"] == approx(233.6809, abs=1e-3)
    assert data["difference_deviation"] == approx(74.558, abs=5e-4)
    text = answered("theory", "noise")
    assert re.search(r"published +13\.5 +25\.4 +0\.0 +28\.8 +53\.0", text)


def test_noise_among_equals():
    """Footnote 13: among equals the published noise is 39.7 and the best h 41.0."""
    data = json.loads(answered("theory", "noise", "--difference", 0, "--json"))
    (published,) = (row for row in data["models"] if row["model"] == "published")
    assert published["total"] == approx(39.7, abs=0.05)
    assert published["best_h"] == approx(41.0, abs=0.05)


def test_best_steps():
    """Lives of 35, 160, 1000 games: 307.74, 144.19, 57.67 by the lifetime model (spec, 6.9)."""
    data = json.loads(answered("theory", "best-step", "--games", "35,160,1000", "--json"))
    assert [row["lifetime"]["h"] for row in data["rows"]] == [
        approx(307.74, abs=5e-3),
        approx(144.19, abs=5e-3),
        approx(57.67, abs=5e-3),
    ]
    assert data["largest_h"] == approx(1389.742342, abs=1e-6)
    text = answered("theory", "best-step", "--games", 35)
    assert re.search(r"35 +32\.6 +46\.1 +53\.0 +28\.3 +307\.7 +163\.6", text)


def test_no_step_where_starts_are_perfect():
    """Where games can only spoil a start the best h is 0, and there is no noise to state."""
    row = json.loads(answered("theory", "best-step", "--games", 35, "--start-error", 0, "--json"))
    assert row["rows"][0]["lifetime"] == {"h": 0.0, "noise": None}


def test_law_of_a_population():
    """EQ 60 with c8 = .02, born at 1000: mean 1594.545216 and mode 1679.588002 (spec, 6.7)."""
    data = json.loads(answered("theory", "population", "--json"))
    assert data["mean"] == approx(1594.5452155, abs=1e-6)
    assert data["mode"] == approx(1679.5880017, abs=1e-6)
    assert "mean 1594.5" in answered("theory", "population")


@pytest.fixture
def league(tmp_path):
    """20,000 ratings that EQ 60 spreads."""
    file = tmp_path / "league.csv"
    ratings = Gompertz(0.02, np.log(10) / 400, 1000.0).sample(20_000, seed=4)
    lines = "\n".join(f"p{k},{rating}" for k, rating in enumerate(ratings.tolist()))
    file.write_text(f"player,rating\n{lines}\n", encoding="utf-8")
    return file


def test_learning_rate_of_a_file(league):
    """Of ratings that follow the model, learning is found to fall e times in 174 points."""
    arguments = ("theory", "population", league, "--low", 1000, "--high", 1800, "--bin", 25)
    data = json.loads(answered(*arguments, "--json"))
    # a slope over bins of 1/7 of 174 and 20,000 players: a few percent
    assert data["points_per_e"] == approx(data["model"], rel=0.08)
    assert data["model"] == approx(173.7178, abs=1e-4)
    counted = sum(row["players"] for row in data["rows"]) + data["above"]
    assert counted == 20_000
    for row in data["rows"]:
        # L / D = 1 / (Q c8) e^-y at the middle; 4 standard errors, and the bend within a bin
        y = (row["rating"] + 12.5 - 1000.0) / data["model"]
        expected = data["model"] / 0.02 * np.exp(-y)
        assert row["learning"] == approx(expected, abs=4 * row["deviation"] + 0.02 * expected)
    assert "the model says 174" in answered(*arguments)


def test_development_curves():
    """log(1 + .4 t) at 0, 1, 5, 20; and p(t) of the spec's section 6.7 where God errs."""
    scale = ("--scale", np.log(10.0))  # Q = 1
    data = json.loads(
        answered("theory", "development", "--c7", 0.4, *scale, "--times", "0,1,5,20", "--json")
    )
    ratings = [row["rating"] for row in data["rows"]]
    assert ratings == approx([0.0, 0.3364722366, 1.0986122887, 2.1972245773], abs=1e-9)
    told = answered(
        "theory", "development", "--law", "fallible", *scale, "--times", "100,1000", "--json"
    )
    chances = [1.0 / (1.0 + np.exp(-row["rating"])) for row in json.loads(told)["rows"]]
    assert chances == approx([0.614285714, 0.82], abs=1e-9)
    assert answered("theory", "development", "--law", "linear").startswith("time")


def test_tables_name_their_errata():
    """The tables come with what follows from them and what is wrong in print."""
    data = json.loads(answered("theory", "tables", "--json"))
    assert sum(row["players"] for row in data["population"]) == 7030
    assert data["mean_learning"] == approx(4.98, abs=5e-3)
    assert data["days_per_death"] == approx(1818, abs=0.5)
    text = answered("theory", "tables")
    assert "53.9" in text
    assert "563.9" in text


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("noise", "--h", "2000"), "EQ 79"),
        (("noise", "--games", "0"), "games"),
        (("noise", "--scale", "0"), "--scale"),
        (("noise", "--wp", "straight"), "straight"),
        (("best-step", "--games", "ten"), "ten"),
        (("population", "--c8", "0"), "c8"),
        (("population", "--scale", "nan"), "--scale"),
        (("development", "--times", "-1"), "times of at least 0"),
        (("development", "--law", "fallible", "--p-max", "1.5"), "p_max"),
    ],
)
def test_wrong_use(arguments, word):
    """A setting that makes no sense ends with one message that names it."""
    assert word in refused(2, "theory", *arguments)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("player,points\nada,1\n", "--column"),
        ("player,rating\nada,1500\nben,?\n", "line 3"),
        ("player,rating\nada,1500\nben\n", "line 3"),
    ],
)
def test_bad_files(tmp_path, text, word):
    """A file without the column or with a value that is no number is refused with its place."""
    file = tmp_path / "bad.csv"
    file.write_text(text, encoding="utf-8")
    assert word in refused(3, "theory", "population", file)
    assert "none.csv" in refused(3, "theory", "population", tmp_path / "none.csv").lower()


def test_sparse_ends(league):
    """Bins that hold nobody are refused, and the message says what to do about it."""
    said = refused(2, "theory", "population", league, "--bin", 0.01)
    assert "take wider" in said
