"""`prowess compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prowess.cli.commands import prowess as command
from prowess.study import cross_validation, judging
from prowess.study.judging import group_refusals
from tests.cli.command import FOOTBALL, GAMES, ROOT, answered, prowess

LEAGUE = str(ROOT / "examples" / "league_football.csv.gz")
SEASON = ("--where", "league=Premier League", "--where", "season=2015-16")


def test_systems_with_settings_and_periods():
    """Systems are named with settings and periods, and the best stands first."""
    chosen = "elo,elo:k=40,advantage=80,glicko2@1mo"
    found = json.loads(answered("compare", FOOTBALL, "--systems", chosen, "--json"))
    names = [row["system"] for row in found["systems"]]
    assert set(names) == {  # what was not named is fitted
        "base_rate", "elo:advantage=99.8", "elo:k=40,advantage=80", "glicko2:advantage=106@1mo"
    }  # fmt: skip
    losses = [row["log_loss"] for row in found["systems"]]
    assert losses == sorted(losses)
    assert found["judged"] == 39_616  # four fifths of 49,520 matches
    named = found["systems"][names.index("elo:k=40,advantage=80")]
    assert (named["params"]["k"], named["params"]["advantage"]) == (40.0, 80.0)


def test_the_interval_says_what_it_is_of():
    """Above the table and in JSON: other games of the same players, not other leagues."""
    of = "other games of the same players, forecast from the ratings as they stood"
    chosen = ("compare", LEAGUE, *SEASON, "--systems", "elo")
    done = prowess(*chosen)
    told = "95 % interval for more games of these players. It says nothing about other leagues."
    assert told in " ".join(done.stderr.split())
    found = json.loads(answered(*chosen, "--json"))
    assert found["interval_of"].startswith(of)
    for row in found["systems"]:
        for name in ("log_loss", "brier", "accuracy"):
            assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]
    best = found["systems"][0]
    reach = best["log_loss_high"] - best["log_loss"]
    assert f"{best['log_loss']:.4f} \u00b1{reach:.4f}" in done.stdout


def test_the_slope_stands_in_every_output():
    """In the table, in JSON and in CSV, with its deviation; the same as under --calibration."""
    chosen = ("compare", LEAGUE, *SEASON, "--systems", "elo")
    found = json.loads(answered(*chosen, "--calibration", "--json"))
    for row in found["systems"]:
        assert row["slope"] == row["calibration"]["scale"]
        assert row["slope_deviation"] == row["calibration"]["scale_deviation"]
    best = found["systems"][0]
    assert f"{best['slope']:.3f} ({best['slope_deviation']:.3f})" in answered(*chosen)
    header, first = answered(*chosen, "--csv").splitlines()[:2]
    cells = dict(zip(header.split(","), first.split(","), strict=True))
    assert float(cells["slope"]) == best["slope"]


def test_forecasts_of_others_and_what_is_written(tmp_path):
    """Written forecasts of systems, read back as columns, get the same scores; the seed is said."""
    file = tmp_path / "forecasts.csv"
    chosen = ("compare", LEAGUE, *SEASON, "--systems", "elo:k=20,advantage=60", "--json")
    found = json.loads(answered(*chosen, "--save-forecasts", file, "--seed", "7"))
    assert found["seed"] == 7
    first = {row["system"]: row for row in found["systems"]}
    again = json.loads(
        answered(
            "compare", file, "--warm-up", "0", "--systems", "base_rate", "--json",
            "--forecast", '"elo:k=20,advantage=60"', "--forecast", "base_rate,base_rate draw",
        )
    )  # fmt: skip
    second = {row["system"].removesuffix(" (column)"): row for row in again["systems"][:2]}
    for name in ("elo:k=20,advantage=60", "base_rate"):
        for score in ("log_loss", "log_loss_low", "brier", "accuracy", "slope"):
            assert second[name][score] == first[name][score], (name, score)
    assert second["base_rate"]["log_loss_3"] == first["base_rate"]["log_loss_3"]


def test_odds_are_one_more_entry(tmp_path):
    """Their overround is said, the label is what the columns share, empty games are left out."""
    file = played(tmp_path, "odds.csv", True)
    head, *lines = file.read_text(encoding="utf-8").splitlines()
    odds = [f"{line},{'1.5,3.0' if k % 5 else ','}" for k, line in enumerate(lines)]
    file.write_text("\n".join([f"{head},book_h,book_a", *odds]), encoding="utf-8")
    done = prowess("compare", file, "--systems", "elo", "--odds", "book_h,book_a", "--json",
                   "--warm-up", "0.2")  # fmt: skip
    found = json.loads(done.stdout)
    assert "book" in systems(found)
    assert found["judged"] == 256  # four of five of 320
    assert "64 games are left out for all: without a forecast by book 64" in done.stderr
    assert "overround (0.0 % on average" in done.stderr
    wrong = prowess("compare", file, "--systems", "elo", "--odds", "book_h")
    assert wrong.returncode == 2
    assert "name WIN,DRAW,LOSS or WIN,LOSS" in wrong.stderr


def test_the_table_fits_into_a_hundred_columns():
    """Names as long as those of fitted systems included."""
    text = answered("compare", LEAGUE, *SEASON, "--systems", "map:draws=davidson")
    assert max(map(len, text.splitlines())) <= 100


def test_a_scale_that_no_forecast_tells_is_null(tmp_path):
    """Forecasts that are all one half, as the base rate's of contests, have no best scale."""
    places = ("ABC", "BCA", "CAB", "ACB", "BAC")
    rows = [f"{race},{name},{place}" for race in range(40)
            for place, name in enumerate(places[race % 5], 1)]  # fmt: skip
    file = tmp_path / "races.csv"
    file.write_text("\n".join(["race,driver,position", *rows]), encoding="utf-8")
    found = json.loads(answered("compare", file, "--systems", "elo", "--calibration", "--json"))
    curves = {row["system"]: row["calibration"] for row in found["systems"]}
    assert (curves["base_rate"]["scale"], curves["base_rate"]["scale_deviation"]) == (1.0, None)
    assert curves["elo"]["scale_deviation"] > 0.0


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
    assert lines[0].startswith("system,group,log_loss,brier,accuracy")
    assert {"log_loss_low", "log_loss_high", "slope", "slope_deviation"} <= {*lines[0].split(",")}
    assert len(lines) == 4


def test_csv_names_every_column_once():
    """A system with a model of draws brings further scores, each under one heading."""
    text = answered("compare", LEAGUE, *SEASON, "--systems", "elo,map:draws=davidson", "--csv")
    header = text.splitlines()[0].split(",")
    assert "log_loss_3" in header
    assert len(header) == len(set(header))


def systems(found: dict[str, Any]) -> list[str]:
    """The names of what was compared, without settings."""
    return [row["system"].partition(":")[0] for row in found["systems"]]


def played(tmp_path: Path, name: str, later_home_wins: bool, sides: bool = True) -> Path:
    """A league of 400 games that the first side mostly wins, at first; then as is said."""
    players = [f"P{k}" for k in range(8)]
    pairs = [(a, b) for a in players for b in players if a != b] * 8
    lines = ["home,away,result" if sides else "player_a,player_b,result"]
    for k, (a, b) in enumerate(pairs[:400]):
        home_wins = k % 4 != 0 if k < 80 or later_home_wins else k % 4 == 0
        lines.append(f"{a},{b},{'1-0' if home_wins else '0-1'}")
    file = tmp_path / name
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_the_advantage_is_fitted_before_anything_is_judged(tmp_path):
    """Whatever happens in the games that are judged: the advantage is that of the warm-up."""
    names = []
    for later in (True, False):
        file = played(tmp_path, f"{later}.csv", later)
        done = prowess("compare", file, "--systems", "elo,elo:advantage=7,codechef", "--json",
                       "--warm-up", "0.2")  # fmt: skip
        found = json.loads(done.stdout)
        names.append({row["system"] for row in found["systems"]})
        assert "fitted to the 80 games of the warm-up" in done.stderr
        said = [line.removeprefix("note: ") for line in done.stderr.splitlines()]
        assert [note for note in found["notes"] if "advantage" in note] == [
            line for line in said if "advantage" in line and not line.startswith("columns")
        ]
    assert names[0] == names[1]
    fitted = next(
        name for name in names[0] if name not in {"base_rate", "codechef"} and name[-1] != "7"
    )
    assert float(fitted.removeprefix("elo:advantage=")) > 100.0  # 3 of 4 are 191 points
    assert "elo:advantage=7" in names[0]


def test_what_cannot_be_fitted_is_said_above_the_table(tmp_path):
    """Without a warm-up the advantage stays at 0; a table without sides has nothing to fit."""
    file = played(tmp_path, "home.csv", True)
    done = prowess("compare", file, "--systems", "elo,codechef", "--warm-up", "0")
    assert "side advantage 0: elo: the warm-up has 0 games with sides, 30 are needed" in done.stderr
    assert "side advantage 0: codechef: the system has none" in done.stderr
    neutral = played(tmp_path, "neutral.csv", True, sides=False)
    done = prowess("compare", neutral, "--sides", "none", "--systems", "elo,elo:advantage=80")
    assert "fitted" not in done.stderr
    assert "note: elo:advantage=80: advantage = 80 moves nothing: the table has no" in done.stderr


@pytest.mark.parametrize(
    ("module", "function", "folds"),
    [(judging, "backtest_selection", ()), (cross_validation, "play_out", ("--folds", "3"))],
)
def test_an_interrupt_shows_what_is_judged(games, monkeypatch, capsys, module, function, folds):
    """Ctrl-C in the second system prints the table of the first, names the rest, ends with 130."""
    whole = getattr(module, function)

    def interrupt(*given):
        if "glicko" in (getattr(given[0], "name", ""), getattr(given[1], "label", "")):
            raise KeyboardInterrupt
        return whole(*given)

    monkeypatch.setattr(module, function, interrupt)
    games.write_text(GAMES + "2024-03-01,ada,cy,1\n" * 30, encoding="utf-8")
    options = ["--systems", "elo,glicko,colley", *folds]
    code = command.main(["compare", str(games), *options], standalone_mode=False)
    said = capsys.readouterr()
    assert code == 130
    assert {line.split()[0] for line in said.out.splitlines() if line} == {
        "name", "base_rate", "elo"
    }  # fmt: skip
    assert "not judged are glicko, colley" in said.err


def test_without_dates_rows_are_forecast_from_all_others(games):
    """It is said, with the option that judges forward, in the order of the file."""
    rows = ["player_a,player_b,result", *["ada,ben,1", "ben,cy,1", "cy,ada,0"] * 10]
    games.write_text("\n".join(rows), encoding="utf-8")
    said = prowess("compare", games, "--systems", "elo").stderr
    assert (
        "no dates: each part of the rows is forecast from all others; --warm-up 0.2 judges" in said
    )
    assert "10 folds" in said
    for option in (["--warm-up", "0.2"], ["--row-order", "file"]):
        said = prowess("compare", games, "--systems", "elo", *option).stderr
        assert "judged forward, in the order of the rows as read (--folds 10" in said
        assert "10 folds" not in said


def test_too_few_games_are_refused_at_once(games):
    """One game: one error with the numbers, and no list of systems; tuning says it likewise."""
    games.write_text("white,black,result\nAnn,Bob,1-0\n", encoding="utf-8")
    for verb in (["compare"], ["stack"]):
        done = prowess(*verb, games)
        assert done.returncode == 3
        assert "left out" not in done.stderr
        assert " 1; " in done.stderr.splitlines()[-1]
        assert "30" in done.stderr.splitlines()[-1]
    done = prowess("tune", games, "--system", "elo")
    assert "100" in done.stderr.splitlines()[-1]


def test_systems_left_out_for_one_reason_share_a_note():
    """Three that rank only and one that needs dates are two notes, each with its reason once."""
    found = group_refusals(
        {"massey": "leave massey out: it ranks", "colley": "leave colley out: it ranks",
         "elo@1mo": "needs dates", "keener": "leave keener out: it ranks"}
    )  # fmt: skip
    assert [who for who, _ in found] == ["massey, colley, keener", "elo@1mo"]
    assert found[0][1].count("it ranks") == 1


def test_the_base_rate_may_be_named():
    """It stands in the table anyway: once."""
    found = json.loads(answered("compare", LEAGUE, *SEASON, "--systems", "elo,base_rate", "--json"))
    assert sorted(row["system"].partition(":")[0] for row in found["systems"]) == [
        "base_rate",
        "elo",
    ]


def test_a_system_that_refuses_is_left_out():
    """The others are compared; what refused is said, with its reason, on stderr and in JSON."""
    chosen = ("--systems", "elo,massey,map", "--json")
    done = prowess("compare", LEAGUE, *SEASON, *chosen)
    assert done.returncode == 0, done.stderr
    (note,) = [line for line in done.stderr.splitlines() if "left out massey" in line]
    assert "ranks players and has no model of a game" in note
    found = json.loads(done.stdout)
    assert {row["system"].partition(":")[0] for row in found["systems"]} == {
        "base_rate",
        "elo",
        "map",
    }
    assert found["left_out"].keys() == {"massey"}
    assert "no model of a game" in found["left_out"]["massey"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--systems", "massey,points"), "no model of a game"),
        (("--systems", "massey"), "no model of a game"),
        (("--systems", "elo:k=-3"), "give k as a number from 0 to 10000"),
        (("--systems", "elo:k"), "write SETTING=VALUE"),
        (("--systems", "map@7d"), "leave @7d out"),
        (("--systems", "ello"), "did you mean elo"),
        (("--systems", ","), "at least one system"),
        (("--metric", "luck"), "give --metric one of"),
        (("--level", "95"), "a probability between 0 and 1"),
        (("--warm-up", "1"), "a number from 0 below 1, not 1"),
        (("--systems", "elo", "--warm-up", "0.99"), "must be judged to compare systems"),
    ],
)
def test_wrong_use(options, words):
    """Wrong use ends with code 2 and says what is wrong."""
    done = prowess("compare", LEAGUE, *SEASON, *options)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr


def test_a_benchmark_tells_wins_and_losses(tmp_path):
    """Sentences, scores and settings on the terminal; the same distances in JSON and on a page."""
    chosen = ("benchmark", LEAGUE, *SEASON, "--systems", "elo", "--budget", "20")
    text = answered(*chosen)
    data = json.loads(answered(*chosen, "--json"))
    rows = {row["system"]: row for row in data["systems"]}
    assert set(rows) == {"prowess", "elo", "base_rate"}
    assert data["reference"] == "prowess"
    assert data["judged"] == 152  # two fifths of 380 matches
    assert any("start of each 7d" in note for note in data["notes"])
    for score in ("log_loss", "log_loss_3", "brier", "accuracy"):
        apart = rows["elo"][score] - rows["prowess"][score]
        sign = -1.0 if score == "accuracy" else 1.0
        assert rows["elo"][f"{score}_behind"] == pytest.approx(sign * apart, abs=1e-12)
        assert rows["prowess"][f"{score}_behind"] == 0.0
    assert data["findings"][0].startswith("log loss: prowess is ")
    assert data["findings"][0] in " ".join(text.split())
    assert f"k={rows['elo']['params']['k']:g}" in text
    page = tmp_path / "page.html"
    answered(*chosen, "-o", page, "--title", "Who forecasts best?")
    written = page.read_text(encoding="utf-8")
    assert "<title>Who forecasts best?</title>" in written
    finding = data["findings"][0].removeprefix("log loss: ")
    named = finding.replace("prowess", "Prowess").replace("elo", "Elo")  # systems by their names
    assert f"<p>Log loss: {named}" in written  # a sentence there
    assert f"{rows['elo']['log_loss_behind']:.4f}" in written


def test_options_of_a_benchmark_that_do_not_fit():
    """A title without a page, a file and --json, the default alone, a span without dates."""
    for more, said in (
        (("--title", "Ours"), "leave --title out"),
        (("-o", "page.html", "--json"), "leave --json or -o out"),
        (("--systems", "prowess"), "name another system"),
    ):
        assert said in prowess("benchmark", GAMES, *more).stderr
