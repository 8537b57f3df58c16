"""`prowess stack`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from pytest import approx

from tests.cli.command import ROOT, answered, prowess, refused

LEAGUE = str(ROOT / "examples" / "league_football.csv.gz")
SEASON = ("--where", "league=Premier League", "--where", "season=2015-16,2016-17")
MEMBERS = ("--systems", "elo,trueskill")


def write_results(file: Path, later: str) -> Path:
    """A league of six players and 300 games, whose last 100 results are all `later`."""
    players = "abcdef"
    pairs = [(a, b) for a in players for b in players if a != b] * 10
    results = [
        "1-0" if a < b else "1/2-1/2" if (k * k) % 3 else "0-1" for k, (a, b) in enumerate(pairs)
    ]
    results[200:] = [later] * 100
    rows = [f"{a},{b},{result}" for (a, b), result in zip(pairs, results, strict=True)]
    file.write_text("\n".join(["white,black,result", *rows]), encoding="utf-8")
    return file


def test_the_stack_is_judged_beside_its_members():
    """JSON has the stack among its members, their weights, and a further game."""
    further = ("--game", "Arsenal FC", "Chelsea FC", "--side", "a")
    found = json.loads(answered("stack", LEAGUE, *SEASON, *MEMBERS, *further, "--json"))
    names = [row["system"].partition(":")[0] for row in found["systems"]]
    assert sorted(names) == ["base_rate", "elo", "stack", "trueskill"]
    assert found["judged"] == 608  # four fifths of 760 matches
    (mixed,) = (row for row in found["systems"] if row["system"] == "stack")
    assert {"log_loss", "log_loss_3", "behind_low", "group"} <= mixed.keys()
    assert [one["name"].partition(":")[0] for one in found["weights"]] == ["elo", "trueskill"]
    assert [one["draw"] is None for one in found["weights"]] == [True, False]
    game = found["forecast"]
    assert (game["a"], game["b"], game["side"]) == ("Arsenal FC", "Chelsea FC", "a")
    assert game["win"] + game["draw"] + game["loss"] == approx(1.0, abs=1e-12)
    assert game["expected"] == approx(game["win"] + 0.5 * game["draw"], abs=1e-12)


def test_the_text_shows_comparison_weights_and_forecast():
    """Four parts, apart by empty lines."""
    text = answered("stack", LEAGUE, *SEASON, *MEMBERS, "--game", "Arsenal FC", "Chelsea FC")
    table, _, weights, game = text.split("\n\n")
    assert table.startswith("name")
    assert "stack" in table
    header, *_, last = weights.splitlines()
    assert header.split() == ["name", "weight", "deviation", "for", "draws", "deviation", "alone"]
    assert last.startswith("mixed by these weights: ")
    assert game.startswith("Arsenal FC against Chelsea FC: expected score 0.")
    assert "draw" in game


def test_forecasts_of_others_are_members(tmp_path):
    """A column of chances is stacked with the systems; a further game then has no forecast."""
    games = write_results(tmp_path / "games.csv", "1-0")
    lines = games.read_text(encoding="utf-8").splitlines()
    rows = [f"{line},{0.8 if line < 'c' else 0.4}" for line in lines[1:]]
    games.write_text("\n".join([f"{lines[0]},our_chance", *rows]), encoding="utf-8")
    options = ("stack", games, "--systems", "elo", "--forecast", "our_chance")
    found = json.loads(answered(*options, "--json"))
    names = [one["name"].partition(":")[0] for one in found["weights"]]
    assert sorted(names) == ["elo", "our_chance"]
    assert "leave --game out: columns" in refused(2, *options, "--game", "a", "b")


def test_later_results_leave_the_written_forecasts(tmp_path):
    """Files of forecasts agree to the last digit up to the first game with another result."""
    files = []
    for later in ("1-0", "0-1"):
        games = write_results(tmp_path / f"games{later}.csv", later)
        files.append(tmp_path / f"forecasts{later}.csv")
        answered("stack", games, *MEMBERS, "--save-forecasts", files[-1])
    one, other = (
        list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8")))) for file in files
    )
    assert len(one) == len(other) == 300
    assert one[:200] == other[:200]
    forecast = {name: value for name, value in one[200].items() if name != "score"}
    assert forecast == {name: value for name, value in other[200].items() if name != "score"}
    assert one[201] != other[201]
    assert [row["judged"] for row in one[58:62]] == ["0", "0", "1", "1"]
    assert all(sum(float(row[x]) for x in ("win", "draw", "loss")) == approx(1.0) for row in one)


def test_members_by_default(tmp_path):
    """Without dates Glicko-2 plays game by game."""
    games = write_results(tmp_path / "games.csv", "1-0")
    found = json.loads(answered("stack", games, "--json"))
    names = [one["name"].partition(",advantage")[0] for one in found["weights"]]
    assert [name.partition(":advantage")[0] for name in names] == [
        "prowess", "elo:k=8", "elo", "elo:k=64", "glicko", "glicko2", "trueskill", "weng_lin"
    ]  # fmt: skip
    assert found["left_out"] == {}


def test_members_without_a_score_are_members_all_the_same():
    """By a score of three outcomes only those with a model of draws are compared."""
    done = prowess("stack", LEAGUE, *SEASON, *MEMBERS, "--metric", "log_loss_3", "--json")
    assert "left out of the comparison: elo" in done.stderr
    found = json.loads(done.stdout)
    names = [row["system"].partition(":")[0] for row in found["systems"]]
    assert (found["metric"], names[0], sorted(names[1:])) == (
        "log_loss_3", "stack", ["base_rate", "trueskill"]
    )  # fmt: skip
    assert [one["name"].partition(":")[0] for one in found["weights"]] == ["elo", "trueskill"]


def test_csv_is_that_of_a_comparison():
    """A header and a row a system, at full precision."""
    lines = answered("stack", LEAGUE, *SEASON, *MEMBERS, "--csv").splitlines()
    assert lines[0].startswith("system,group,log_loss")
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--json", "--csv"), "choose --json or --csv"),
        (("--side", "a"), "add --game A B"),
        (("--game", "Chelsea FC", "Chelsea FC"), "name two players"),
        (("--game", "Arsenal FC", "Chelsee FC"), "mean 'Chelsea FC'"),
        (("--game", "Arsenal FC", "Chelsea FC", "--csv"), "choose --game or --csv"),
        (("--save-forecasts", "file.txt"), "end the name in .csv"),
        (("--systems", "base_rate"), "name a system in --systems"),
        (("--systems", "massey"), "no model of a game"),
        (("--metric", "luck"), "give --metric one of"),
    ],
)
def test_wrong_use(options, words):
    """Wrong use ends with code 2 and the remedy."""
    assert words in refused(2, "stack", LEAGUE, *SEASON, *options)


def test_contests(tmp_path):
    """Contests of many sides are judged by the share of the field beaten; no game is forecast."""
    file = tmp_path / "races.csv"
    rows = [
        f"2024-{1 + race // 28:02d}-{1 + race % 28:02d},{race},{driver},{1 + (at * 7 + race) % 5}"
        for race in range(80)
        for at, driver in enumerate("abcde")
    ]
    file.write_text("\n".join(["date,race,driver,position", *rows]), encoding="utf-8")
    options = ("--contest", "race", "--player", "driver")
    found = json.loads(answered("stack", file, *options, "--json"))
    (mixed,) = (row for row in found["systems"] if row["system"] == "stack")
    assert {"brier", "concordance"} <= mixed.keys()
    assert "log_loss" not in mixed
    assert found["left_out"] == {}
    assert {one["draw"] for one in found["weights"]} == {None}
    text = answered("stack", file, *options).split("\n\n")[2]
    assert text.splitlines()[0].split() == ["name", "weight", "deviation", "alone"]
    words = refused(2, "stack", file, *options, "--game", "a", "b")
    assert "leave --game out: these are contests of many sides" in words
