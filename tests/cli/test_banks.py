"""Banks: several values of a parameter at once, `--bank k=8,16,32` and `elo:k=8/16/32`."""

from __future__ import annotations

import json
from itertools import product
from math import exp, log

import pytest
from pytest import approx

import prowess as library
from tests.cli.command import GAMES, ROOT, answered, refused

LEAGUE = str(ROOT / "examples" / "league_football.csv.gz")
SEASON = ("--where", "league=Premier League", "--where", "season=2015-16")
ROWS = [(a, b, float(score)) for _, a, b, score in (line.split(",") for line in GAMES.split()[1:])]
FORGET = 0.9998  # the power of a weight that a game leaves


def mixed(values, scales=(400.0,)):
    """Elo under every setting, and the weights by how well each foresaw the results."""
    settings = list(product(values, scales))
    ratings = [dict.fromkeys(("ada", "ben", "cy"), 1500.0) for _ in settings]
    logs = [0.0] * len(settings)
    for a, b, score in ROWS:
        for n, (k, scale) in enumerate(settings):
            of = ratings[n]
            expected = 1.0 / (1.0 + 10.0 ** ((of[b] - of[a]) / scale))
            logs[n] = FORGET * logs[n] + score * log(expected) + (1 - score) * log(1 - expected)
            change = k * (score - expected)
            of[a], of[b] = of[a] + change, of[b] - change
    raised = [exp(x) for x in logs]
    weights = [x / sum(raised) for x in raised]
    board = {
        name: sum(w * of[name] for w, of in zip(weights, ratings, strict=True))
        for name in ratings[0]
    }
    forecast = sum(
        w / (1.0 + 10.0 ** ((of["ben"] - of["ada"]) / scale))
        for w, of, (_, scale) in zip(weights, ratings, settings, strict=True)
    )
    return board, forecast


def test_the_leaderboard_of_a_bank(games):
    """Ratings are the mean over the settings, weighed by their forecasts; params has the values."""
    told = json.loads(answered("rate", games, "-s", "elo", "--bank", "k=8,16,32", "--json"))
    assert told["params"]["k"] == [8.0, 16.0, 32.0]
    found = {row["player"]: row["rating"] for row in told["leaderboard"]}
    assert found == approx(mixed((8.0, 16.0, 32.0))[0], rel=1e-12)
    same = library.rate(str(games), "elo", k=[8, 16, 32])
    assert {row["player"]: row["rating"] for row in same.leaderboard().rows()} == found


def test_several_parameters_make_a_grid(games):
    """Every value of one with every value of the other; a forecast is the mean of theirs."""
    grid = ("--bank", "k=10,40", "--bank", "scale=300,500")
    told = json.loads(answered("forecast", games, "ada", "ben", "-s", "elo", *grid, "--json"))
    assert told["expected"] == approx(mixed((10.0, 40.0), (300.0, 500.0))[1], rel=1e-12)


def test_tournaments_and_series_of_a_bank(games):
    """Chances of one game decide a final of two, and a series of one."""
    expected = mixed((8.0, 32.0))[1]
    bank = ("-s", "elo", "--bank", "k=8,32", "--draws", "0", "--json")
    final = ("--bracket", "seeds", "--entrants", "ada,ben")
    told = json.loads(answered("tournament", games, *bank, *final))["players"]
    assert {one["player"]: one["winner"] for one in told}["ada"] == approx(expected, rel=1e-12)
    told = json.loads(answered("forecast", games, "ada", "ben", *bank, "--best-of", "1"))
    assert told["series"]["win"] == approx(expected, rel=1e-12)


def test_a_history_says_what_new_weights_brought(games):
    """It is a term of its own; the terms make the change, and the last rating is the board's."""
    bank = ("-s", "elo", "--bank", "k=8,16,32", "--json")
    told = json.loads(answered("history", games, "ada", *bank, "--why"))["games"]
    assert any("settings weighed anew" in one["terms"] for one in told)
    assert all(sum(one["terms"].values()) == approx(one["change"], rel=1e-12) for one in told)
    assert told[-1]["after"] == approx(mixed((8.0, 16.0, 32.0))[0]["ada"], rel=1e-12)


def test_pages_and_figures_of_a_bank(games, tmp_path):
    """A report names all values; histories are drawn."""
    bank = ("-s", "elo", "--bank", "k=8,32")
    page = tmp_path / "page.html"
    answered("report", games, *bank, "-o", page, "--no-compare")
    assert "8 or 32" in page.read_text(encoding="utf-8")
    answered("plot", "history", games, *bank, "-o", tmp_path / "figure.svg")
    said = refused(2, "performance", games, *bank)
    assert "a bank of elo has no expected score of any rating" in said


def test_a_bank_is_compared():
    """The label of a system carries its values, with other settings beside them."""
    chosen = "elo,elo:k=8/16/32,advantage=60"
    found = json.loads(answered("compare", LEAGUE, *SEASON, "--systems", chosen, "--json"))
    by_name = {row["system"]: row for row in found["systems"]}
    assert by_name["elo:k=8/16/32,advantage=60"]["params"]["k"] == [8.0, 16.0, 32.0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("k",), "NAME=VALUE,VALUE,..., not 'k'"),
        (("k=",), "give several values, as in k=8,16,32, not 'k='"),
        (("k=8",), "give --bank 'k=8' several values, as in k=8,16,32"),
        (("k=8",), "or one by --set k=8"),
        (("zz=8",), "elo has no parameter 'zz'"),
        (("k=8,",), "give several values, as in k=8,16,32, not 'k=8,'"),
        (("k=8,16", "k=32,64"), "give k once"),
        (("k=8,8",), "none of them twice"),
        (("k=8,-1",), "give k as a number from 0 to 10000 (points), not '-1'"),
        (("k=8,x",), "give k as a number from 0 to 10000 (points), not 'x'"),
        (("kk=8,16",), "did you mean k? elo has no parameter 'kk'"),
    ],
)
def test_banks_that_are_none(given, said):
    """Before any file is read."""
    options = [part for text in given for part in ("--bank", text)]
    assert said in refused(2, "rate", "nothing.csv", "-s", "elo", *options)


def test_banks_beside_settings_and_whole_tables(games):
    """A parameter is set or banked; a system of the whole table has one setting."""
    both = ("--set", "k=20", "--bank", "k=8,16")
    assert "give k by --set or by --bank" in refused(2, "rate", games, *both)
    whole = ("-s", "bradley_terry", "--bank", "scale=400,800")
    assert "looks at the whole table at once" in refused(2, "rate", games, *whole)
    for verb in ("compare", "table"):
        said = refused(2, verb, games, "--systems", "elo:k=8/")
        assert "give several values, as in k=8/16/32, not 'k=8/'" in said


def test_a_bank_in_a_table_of_systems(games):
    """The same values as --bank takes, with a slash between."""
    asked = ("table", games, "--systems", "elo:k=8/16/32,elo:k=8", "--json")
    told = json.loads(answered(*asked, "-q"))
    found = {row["player"]: row["elo:k=8/16/32"]["value"] for row in told["players"]}
    assert found == approx(mixed((8.0, 16.0, 32.0))[0], rel=1e-12)
