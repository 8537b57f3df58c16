"""Series, tournaments, performances and assessments, as a shell sees them."""

from __future__ import annotations

import json

import pytest
from pytest import approx

from tests.cli.command import answered, prowess, refused

EVEN = ("-s", "elo", "--set", "k=0", "--draws", "0")


def test_series_of_equals(games):
    """Between equals best of three is even, takes 2.5 games, and ends 2:0 or 2:1 either way."""
    told = json.loads(answered("forecast", games, "ada", "ben", *EVEN, "--best-of", "3", "--json"))
    found = told["series"]
    assert (found["win"], found["level"], found["loss"]) == approx((0.5, 0.0, 0.5))
    assert found["games"] == approx(2.5)
    assert {(one["a"], one["b"]): one["chance"] for one in found["scores"]} == approx(
        {(2.0, 0.0): 0.25, (2.0, 1.0): 0.25, (1.0, 2.0): 0.25, (0.0, 2.0): 0.25}
    )
    text = answered("forecast", games, "ada", "ben", *EVEN, "--first-to", "2")
    assert "first to 2: ada wins 50.0%, ben wins 50.0%" in text


def test_series_with_sides(games):
    """100 points of advantage in turns: by Elo's formula for each of two games."""
    home = 1 / (1 + 10**-0.25)
    more = ("--set", "advantage=100", "--best-of", "2", "--order", "ab", "--json")
    found = json.loads(answered("forecast", games, "ada", "ben", *EVEN, *more))["series"]
    assert found["win"] == approx(home * (1 - home))
    assert found["level"] == approx(home * home + (1 - home) ** 2)


def test_scores(tmp_path):
    """A system of goals prints goals and scores; JSON has the grid, whose sums are the chances."""
    cup = tmp_path / "cup.csv"
    rows = (
        "home,away,home_goals,away_goals",
        "A,B,2,1",
        "B,C,1,1",
        "C,A,0,2",
        "B,A,1,3",
        "C,B,2,1",
    )
    cup.write_text("\n".join(rows) + "\n", encoding="utf-8")
    asked = ("forecast", cup, "A", "B", "--system", "poisson_goals", "--set", "sd=1", "--side", "a")
    told = json.loads(answered(*asked, "--json"))
    scores, grid = told["scores"], told["scores"]["grid"]
    assert sum(map(sum, grid)) == approx(1.0)
    draw = sum(row[k] for k, row in enumerate(grid) if k < len(row))
    win = sum(sum(row[:k]) for k, row in enumerate(grid))
    assert (told["win"], told["draw"]) == approx((win, draw))
    both = sum(sum(row[1:]) for row in grid[1:])
    assert scores["both_score"] == approx(both)
    text = answered(*asked)
    assert f"both score {both:.1%}, more than {scores['line']:g} goals" in text
    assert "grid" not in answered(*asked, "--csv")


def test_round_robin_of_equals(games):
    """Three equals have a third of every place, and 2 points of 4 games."""
    told = json.loads(
        answered("tournament", games, *EVEN, "--round-robin", "2", "--best", "3", "--json")
    )
    assert len(told["players"]) == 3
    for player in told["players"]:
        assert player["places"] == approx([1 / 3] * 3, abs=4.5 * told["largest_error"])
        assert player["points"] == approx(2.0, abs=0.05)  # 4.5 errors of 10,000 runs


def test_results_since_a_day(games):
    """The table's own games count: what is over is told with certainty."""
    text = prowess("tournament", games, *EVEN, "--round-robin", "1", "--since", "2024-01-02")
    assert "3 of 3 games are played" in text.stderr
    assert "exact" in text.stderr
    first = text.stdout.splitlines()[1].split()
    assert (first[0], first[2]) == ("ben", "1.5")  # half a point off cy, a win against ada


def test_bracket_file(games, tmp_path):
    """A bracket with a bye: ben waits in the final for the winner of two equals."""
    file = tmp_path / "draw.txt"
    file.write_text("ben\nbye\nada\ncy\n", encoding="utf-8")
    told = json.loads(answered("tournament", games, *EVEN, "--bracket", file, "--json"))
    for stage, chances in (("final", (1.0, 0.5, 0.5)), ("winner", (0.5, 0.25, 0.25))):
        found = {one["player"]: one[stage] for one in told["players"]}
        assert [found[name] for name in ("ben", "ada", "cy")] == approx(chances)
    assert told["runs"] == 0


def test_fixtures_and_results(games, tmp_path):
    """Fixtures from a file, results from another: ada's two wins are there, one game is open."""
    plan, done = tmp_path / "plan.csv", tmp_path / "done.csv"
    plan.write_text("Home,Away\nada,ben\ncy,ada\nben,cy\n", encoding="utf-8")
    done.write_text("player_a,player_b,result\nada,ben,1\nada,cy,1\n", encoding="utf-8")
    told = json.loads(
        answered("tournament", games, *EVEN, "--fixtures", plan, "--played", done, "--json")
    )
    assert told["players"][0]["player"] == "ada"
    assert told["players"][0]["places"] == [1.0, 0.0, 0.0]
    assert told["players"][0]["points"] == 2.0


def test_swiss(games):
    """Two rounds of three players: everybody plays or has a bye, a point and a half are awarded."""
    told = json.loads(
        answered("tournament", games, *EVEN, "--swiss", "2", "--entrants", "cy,ada,ben", "--json")
    )
    assert sum(one["points"] for one in told["players"]) == approx(4.0)
    assert sum(one["places"][0] for one in told["players"]) == approx(1.0)


def test_the_same_seed_the_same_numbers(games):
    """A seed makes a run repeatable to the last digit; another one gives other numbers."""
    ask = ("tournament", games, "-s", "glicko", "--round-robin", "2", "--best", "3", "--runs", "50")
    one, again = (answered(*ask, "--seed", "4", "--json") for _ in range(2))
    assert one == again
    assert one != answered(*ask, "--seed", "5", "--json")


def test_jobs_share_runs(games):
    """Processes share the simulated runs and change nothing; a bracket has none."""
    ask = ("tournament", games, "-s", "glicko", "--best", "3", "--runs", "2000", "--json")
    for form in (("--round-robin", "2"), ("--swiss", "2")):
        assert answered(*ask, *form, "--jobs", "2") == answered(*ask, *form)
    said = refused(2, *ask, "--bracket", "seeds", "--jobs", "2")
    assert "a --bracket is not simulated" in said


def test_performance(games):
    """ada won twice, then lost: 2 of 3 against 1500 are odds of two, 400 log10(2) points."""
    text = answered("performance", games, "-s", "elo", "--set", "k=0", "--of", "ada")
    assert text.splitlines()[0].split()[:2] == ["player", "games"]
    assert text.splitlines()[1].split()[:5] == ["ada", "3", "2", "1500.0", "1620.4"]
    some = ("--since", "2024-01-09", "--until", "2024-02-01", "--json")
    told = json.loads(answered("performance", games, "-s", "elo", "--set", "k=0", *some))
    assert {one["player"]: one["games"] for one in told["players"]} == {"ada": 2, "ben": 1, "cy": 1}


def test_a_performance_on_another_scale(games):
    """Under TrueSkill's 25 points Elo's additions are left out, in JSON null."""
    header = answered("performance", games, "-s", "trueskill").splitlines()[0]
    assert header.split() == ["player", "games", "score", "opponents", "performance"]
    told = json.loads(answered("performance", games, "-s", "trueskill", "--json"))
    assert {(one["table"], one["linear"]) for one in told["players"]} == {(None, None)}


def test_assess(tmp_path):
    """Between equals K = 32 moves 16 points, nothing for a draw; the answer says who gets what."""
    drawn = tmp_path / "drawn.csv"
    drawn.write_text("player_a,player_b,result\nada,ben,0.5\n", encoding="utf-8")
    told = json.loads(answered("assess", drawn, "ada", "ben", "-s", "elo", "--json"))
    assert told["expected"] == 0.5
    moved = {one["result"]: (one["a"]["rating"], one["b"]["rating"]) for one in told["changes"]}
    assert moved == {"win": (16.0, -16.0), "draw": (0.0, 0.0), "loss": (-16.0, 16.0)}
    lines = answered("assess", drawn, "ada", "ben", "-s", "elo").splitlines()
    assert lines[2].split() == ["win", "ada", "+16.00"]
    assert lines[3].split() == ["loss", "ben", "-16.00"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tournament", "--swiss", "2", "--round-robin", "1"], "choose one"),
        (["tournament", "--round-robin", "1"], "--entrants"),
        (["tournament", "--round-robin", "1", "--best", "2", "--best-of", "3"], "--bracket"),
        (["tournament", "--round-robin", "1", "--best", "2", "--award", "3,1"], "3 numbers"),
        (["tournament", "--round-robin", "1", "--best", "2", "--ties", "goals"], "berger"),
        (["tournament", "--swiss", "9", "--best", "3"], "1 to 3 rounds"),
        (["tournament", "--round-robin", "1", "--entrants", "ada,bem"], "ben"),
        (["tournament", "-s", "copeland", "--swiss", "1", "--best", "2"], "no model"),
        (["forecast", "ada", "ben", "--best-of", "3", "--first-to", "2"], "choose --best-of"),
        (["forecast", "ada", "ben", "--best-of", "3", "--order", "xy"], "aabba"),
        (["forecast", "ada", "ben", "--order", "ab"], "--best-of"),
        (["performance", "--since", "soon"], "2024-06-30"),
        (["assess", "ada", "ada"], "two players"),
    ],
)
def test_wrong_use(games, arguments, said):
    """What makes no sense is refused with the remedy."""
    verb, *rest = arguments
    assert said in refused(2, verb, games, *rest)


def test_bad_files(games, tmp_path):
    """Files that are no fixtures, and brackets that are none, are refused with their place."""
    file = tmp_path / "plan.csv"
    file.write_text("when,who\n1,ada\n", encoding="utf-8")
    assert "plan.csv, line 1" in refused(3, "tournament", games, "--fixtures", file)
    file.write_text("home,away\nada,ada\n", encoding="utf-8")
    assert "line 2" in refused(3, "tournament", games, "--fixtures", file)
    file.write_text("ada\nben\ncy\n", encoding="utf-8")
    assert "2, 4, 8" in refused(3, "tournament", games, "--bracket", file)


def test_places_of_many_sides(games, tmp_path):
    """Three equals take every place with a third, by names, as --lineup, and from a file."""
    third = approx([1 / 3] * 3)
    for sides in (("ada", "ben", "cy"), ("--lineup", "ada", "--lineup", "ben", "--lineup", "cy")):
        told = json.loads(answered("forecast", games, *sides, *EVEN[:-2], "--json"))
        assert told["sides"] == ["ada", "ben", "cy"]
        assert told["win"] == third
        assert all(one == third for one in told["places"])
        assert told["expected_place"] == approx([2.0] * 3)
    plan = tmp_path / "next.csv"
    plan.write_text("date,one,two,three\n2024-05-01,ada,ben,\n2024-05-02,ada,ben,cy\n", "utf-8")
    told = json.loads(answered("forecast", games, "--fixtures", plan, *EVEN[:-2], "--json"))
    assert [one["sides"] for one in told["games"]] == [["ada", "ben"], ["ada", "ben", "cy"]]
    assert told["games"][0]["places"] == [[0.5, 0.5], [0.5, 0.5]]
    text = answered("forecast", games, "ada", "ben", "cy", *EVEN[:-2]).splitlines()
    assert text[0].split() == ["side", "win", "expected_place", "place_1", "place_2", "place_3"]


def test_sides_of_fixtures(games, tmp_path):
    """Home has the advantage in a file as with --side a, but on neutral ground; Elo's 400 points
    are odds of 10 to 1 between equals.
    """
    plan, elo = tmp_path / "next.csv", ["-s", "elo", "--set", "k=0", "--set", "advantage=400"]
    plan.write_text(
        "date,league,home,away,neutral\n2024-05-01,x,ada,ben,no\n2024-05-02,x,ben,cy,TRUE\n",
        "utf-8",
    )

    def foresee(*words):
        told = answered("forecast", games, "--fixtures", plan, *elo, *words, "--json")
        return [(one["side"], approx(one["places"][0][0])) for one in json.loads(told)["games"]]

    assert foresee() == [("a", 10 / 11), ("none", 0.5)]
    assert foresee("--side", "b") == [("b", 1 / 11), ("none", 0.5)]
    said = prowess("forecast", games, "--fixtures", plan, *elo).stderr
    assert '"home" has the advantage in 1 game, 1 game without one' in said
    plan.write_text("home,away,neutral\nada,ben,maybe\n", "utf-8")
    assert "line 2" in refused(3, "forecast", games, "--fixtures", plan, *elo)


@pytest.mark.parametrize("day", ["2024-99-01", "2023-02-29", "31/02/2024", "32.01.2024"])
def test_days_of_fixtures_exist(games, tmp_path, day):
    """A day that no calendar has is refused with its line; dates are not used otherwise."""
    plan = tmp_path / "plan.csv"
    plan.write_text(f"date,home,away\n01/02/2024,ada,ben\n{day},ben,ada\n", encoding="utf-8")
    said = refused(3, "forecast", games, "--fixtures", plan, *EVEN[:-2])
    assert f'"{day}" is no day of the calendar' in said
    assert "line 3" in said
    plan.write_text("date,home,away\nsoon,ada,ben\n,ben,ada\n", encoding="utf-8")
    assert answered("forecast", games, "--fixtures", plan, *EVEN[:-2])


def test_scores_of_fixtures(tmp_path):
    """A game of a file has the same goals, totals and grid as the game asked for alone."""
    table, plan = tmp_path / "goals.csv", tmp_path / "next.csv"
    table.write_text(
        "home,away,home_goals,away_goals\nada,ben,3,1\nben,cy,2,0\ncy,ada,1,2\nben,ada,1,1\n",
        "utf-8",
    )
    plan.write_text("home,away\nada,cy\nben,ada\n", "utf-8")
    goals = ["-s", "poisson_goals", "--set", "sd=0.5"]
    told = json.loads(answered("forecast", table, "--fixtures", plan, *goals, "--json"))["games"]
    alone = json.loads(answered("forecast", table, "ada", "cy", "--side", "a", *goals, "--json"))
    assert told[0]["scores"] == alone["scores"]
    first = answered("forecast", table, "--fixtures", plan, *goals, "--csv").splitlines()[:2]
    row = dict(zip(*(line.split(",") for line in first), strict=True))
    assert float(row["goals_a"]) == approx(alone["scores"]["goals"][0])
    assert float(row["over"]) == approx(alone["scores"]["over"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--lineup", "ada"], "two or more"),
        (["--lineup", "ada", "--lineup", "ben", "--fixtures", "x.csv"], "choose"),
        (["ada", "ben", "cy", "--best-of", "3"], "two sides"),
        (["ada", "ben", "cy", "--side", "a"], "side"),
    ],
)
def test_wrong_sides(games, arguments, said):
    """Contests that make no sense are refused with the remedy."""
    assert said in refused(2, "forecast", games, "-s", "elo", *arguments)


def test_newcomers(games, tmp_path):
    """An unknown name is a newcomer, said once; one like a player's needs --new."""
    done = prowess("forecast", games, "ada", "zorro", "-s", "elo")
    assert done.stderr.count("zorro") == 1
    told = json.loads(answered("forecast", games, "ada", "ben", "bem", "--new", "bem", "--json"))
    assert told["new"] == ["bem"]
    file = tmp_path / "forecast.csv"
    prowess("forecast", games, "ada", "zorro", "-s", "elo", "-o", file)
    assert file.read_text("utf-8").splitlines()[1].endswith(",zorro")
    said = refused(2, "forecast", games, "ada", "bem", "-s", "elo")
    assert "--new 'bem'" in said
