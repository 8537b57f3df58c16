"""`prowess theory`."""

from __future__ import annotations

import json
from math import log

import pytest
from pytest import approx

from tests.cli.command import answered, prowess, refused


def test_words():
    """The help names the words that are there, and each of them explains itself."""
    text = answered("theory", "--help")
    for word in ("wp", "markov", "bounds", "check"):
        assert f"\n  {word} " in text
        assert "--json" in answered("theory", word, "--help")


def test_wp():
    """400 points are odds of ten to one on the logistic curve, 1 / (1 + e^-1) is one unit."""
    data = json.loads(
        answered("theory", "wp", "logistic", "--scale", 400, "--at", "0,400", "--json")
    )
    assert [row["logistic"] for row in data["rows"]] == approx([0.5, 10 / 11])
    assert data["slope_at_0"]["logistic"] == approx(log(10) / 1600)
    assert "0.731058579" in answered("theory", "wp")


def test_chain():
    """Odds of 7/3 and 3/2 make 7/2 on the logistic curve; twice losing chances multiply: 0.76."""
    data = json.loads(answered("theory", "wp", "--chain", 0.7, 0.6, "--json"))
    assert data["chain"]["logistic"] == approx(7 / 9)
    assert data["chain"]["timesharing"] == approx(0.76)
    assert "0.777777778" in answered("theory", "wp", "logistic", "tennis_game", "--chain", 0.7, 0.6)


def test_markov():
    """A tennis game has the tail 15 e^(4x), slope 5/8 at 0 and the specification's chances."""
    data = json.loads(answered("theory", "markov", "tennis-game", "--at=-2,1", "--json"))
    assert data["tail"] == {"slope": 4, "constant": 15}
    assert data["slope_at_0"] == approx(0.625)
    # specification of the Markov examples, table of x = -2 and 1
    assert [row["wp"] for row in data["rows"]] == approx([0.002895993, 0.933390771], abs=1e-9)
    assert data["symmetric"] is True
    text = answered("theory", "markov", "two_ahead")
    assert "X^2 / (X^2 + Y^2)" in text
    assert "yes, exactly" in text


def test_states():
    """From 1-1 of best of three, one point decides: its chance is that of a point."""
    asked = ("theory", "markov", "--points", 2, "--states", "--at", "0,1")
    data = json.loads(answered(*asked, "--json"))
    assert data["rows"][1]["1-1"] == approx(0.731058579, abs=1e-9)
    assert "1-1" in answered(*asked)


@pytest.mark.parametrize("game", ["streak", "tennis_game"])
def test_own_file(tmp_path, game):
    """The file that --toml prints is the game it was printed from."""
    file = tmp_path / "own.toml"
    file.write_text(answered("theory", "markov", game, "--toml"), encoding="utf-8")
    assert answered("theory", "markov", file) == answered("theory", "markov", game)
    rows = [json.loads(answered("theory", "wp", name, "--json"))["rows"] for name in (file, game)]
    assert [list(row.values()) for row in rows[0]] == [list(row.values()) for row in rows[1]]


def test_bounds():
    """The bound on the scale of 400 points is the report's 1390, kappa the specification's 6.59."""
    data = json.loads(answered("theory", "bounds", "logistic", "--scale", 400, "--json"))
    assert data["largest_h"] == approx(1390, abs=0.5)
    assert data["kappa"] == approx(6.590102, abs=1e-6)
    assert data["rows"][0]["exact"] == approx(data["largest_h"])
    assert "1389.74" in answered("theory", "bounds", "logistic", "--scale", 400)


def test_bounds_need_a_win_probability(tmp_path):
    """What is no win probability has no bounds; one that bends upwards above 0 has no EQ 78."""
    (tmp_path / "own.py").write_text(
        "from math import exp\n"
        "def flat(x):\n    return 0.5\n"
        "def bent(x):\n    return 1 / (1 + exp(-x - x**3))\n"
    )
    assert "check own.py:flat" in refused(2, "theory", "bounds", "own.py:flat", cwd=tmp_path)
    text = answered("theory", "bounds", "own.py:bent", "--json", cwd=tmp_path)
    assert {row["concave"] for row in json.loads(text)["rows"]} == {None}


@pytest.mark.parametrize("h", [7.9, 8.3])
def test_check(h):
    """Below 8 / Q the logistic update fulfils everything, above it ends with 1 and says why."""
    done = prowess("theory", "check", "logistic", "--h", h)
    assert done.returncode == (0 if h < 8 else 1)
    assert ("is expected to become" in done.stdout) is (h > 8)
    data = json.loads(prowess("theory", "check", "logistic", "--h", h, "--json").stdout)
    failed = [one["name"] for one in data["needed"] if not one["holds"]]
    assert failed == ([] if h < 8 else ["error decrease"])


def test_check_of_a_function(tmp_path):
    """A function of one's own is judged, and what it lacks is said in words."""
    (tmp_path / "own.py").write_text("def lucky(x):\n    return 0.5 + x / (2 + 4 * abs(x))\n")
    done = prowess("theory", "check", "own.py:lucky", cwd=tmp_path)
    assert done.returncode == 1
    assert "not 0 and 1" in done.stdout


def test_check_of_a_system():
    """Elo fulfils what the theory needs; with what a player brings, so does a settled Apterous."""
    assert "elo fulfils" in answered("theory", "check", "-s", "elo", "--set", "k=20")
    settled = ("--rating", "games=100")
    assert "apterous fulfils" in answered("theory", "check", "-s", "apterous", *settled)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["theory", "marcov"], "did you mean markov"),
        (["theory", "wp", "logistics"], "name a curve (logistic"),
        (["theory", "wp", "--at", "1;2"], "commas"),
        (["theory", "wp", "--at", "nan"], "finite"),
        (["theory", "wp", "--scale", "0"], "above 0"),
        (["theory", "wp", "--chain", "1", "0.5"], "between 0 and 1"),
        (["theory", "wp", "none.py:f"], "name a file that is there"),
        (["theory", "wp", "bad.py:f"], "ZeroDivisionError"),
        (["theory", "wp", "good.py:g"], "name a function of good.py"),
        (["theory", "wp", "good.py:f"], "KeyError"),
        (["theory", "markov"], "GAME or --points"),
        (["theory", "markov", "chess"], "tennis_game"),
        (["theory", "markov", "--points", "99"], "lead <= points"),
        (["theory", "markov", "point", "--states", "--at", "1000"], "-100 to 100"),
        (["theory", "check"], "WP or --system"),
        (["theory", "check", "logistic", "--h", "-1"], "above 0"),
        (["theory", "check", "logistic", "--set", "k=1"], "--system"),
        (["theory", "check", "-s", "ics"], "league"),
        (["theory", "check", "-s", "elo", "--rating", "games=many"], "many"),
        (["theory", "check", "-s", "elo", "--rating", "sigma=1"], "elo keeps no"),
    ],
)
def test_wrong_use(tmp_path, arguments, told):
    """Wrong use ends with 2 and a message that says what would be right."""
    (tmp_path / "bad.py").write_text("1 / 0\n", encoding="utf-8")
    (tmp_path / "good.py").write_text("def f(x):\n    return {}[x]\n", encoding="utf-8")
    assert told in refused(2, *arguments, cwd=tmp_path)


def test_bad_files(tmp_path):
    """A file that describes no game ends with 3 and says what is wrong with it."""
    text = answered("theory", "markov", "two_ahead", "--toml")
    (tmp_path / "bad.toml").write_text(text.replace("X / (X + Y)", "X / (X + 2 Y)"), "utf-8")
    told = refused(3, "theory", "markov", "bad.toml", cwd=tmp_path)
    assert "state '0-0'" in told
    assert "(bad.toml)" in told
    assert "sum to" in told
    assert "none.toml" in refused(3, "theory", "markov", "none.toml", cwd=tmp_path)
