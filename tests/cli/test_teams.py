"""Teams and members of other roles on the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from pytest import approx

from tests.cli.command import ROOT, answered, prowess, refused
from tests.study.davidson import NU, by_hand
from tests.study.teams import doubles, relays

SYSTEM = ("-s", f"{ROOT / 'tests' / 'study' / 'davidson.py'}:TEAM_ELO")
ROWS = doubles(40)
RATING, TOLD = by_hand([(*row[:3], 0.0) for row in ROWS])


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Games of pairs, one a day."""
    file = tmp_path / "doubles.csv"
    lines = [
        f"2024-{1 + k // 28:02}-{1 + k % 28:02},{' & '.join(one)},{' & '.join(other)},{score}"
        for k, (one, other, score, _) in enumerate(ROWS)
    ]
    file.write_text("\n".join(["date,player_a,player_b,score", *lines]), encoding="utf-8")
    return file


@pytest.fixture
def races(tmp_path: Path) -> Path:
    """Races of three pairs, a row a pair."""
    file = tmp_path / "relays.csv"
    lines = [
        f"2024-{1 + k // 28:02}-{1 + k % 28:02},{k},{' & '.join(members)},{place:g}"
        for k, field in enumerate(relays(30))
        for members, place in field
    ]
    file.write_text("\n".join(["date,race,player,place", *lines]), encoding="utf-8")
    return file


@pytest.fixture
def tennis(tmp_path: Path) -> Path:
    """Four games on two surfaces."""
    file = tmp_path / "tennis.csv"
    file.write_text(
        "date,player_a,player_b,surface,result\n2024-01-01,Ann,Bob,clay,1\n"
        "2024-01-02,Bob,Cid,grass,1\n2024-01-03,Ann,Cid,clay,1\n2024-01-04,Cid,Ann,grass,1\n",
        encoding="utf-8",
    )
    return file


TEAMS = ("--teams", "members", *SYSTEM)


def test_the_leaderboard_shows_members(pairs):
    """Members are rated, as a loop over the rows does it."""
    told = json.loads(answered("rate", pairs, *TEAMS, "--json"))
    assert {row["player"]: row["rating"] for row in told["leaderboard"]} == approx(RATING)


def test_a_history_names_partners_and_opponents(pairs):
    """For people, as CSV, as JSON, and in sentences; changes and forecasts are Davidson's."""
    games = [(k, row) for k, row in enumerate(ROWS) if "Ann" in row[0] or "Ann" in row[1]]
    lines = answered("history", pairs, "Ann", *TEAMS).splitlines()
    assert lines[0].split() == [
        "date", "with", "opponent", "their", "rating", "score", "expected", "chance", "before",
        "after", "change",
    ]  # fmt: skip
    assert len(lines) == 1 + len(games)
    rows = list(csv.DictReader(answered("history", pairs, "Ann", *TEAMS, "--csv").splitlines()))
    for row, (k, (one, other, score, _)) in zip(rows, games, strict=True):
        mine, theirs = (one, other) if "Ann" in one else (other, one)
        win, draw, _ = TOLD[k] if "Ann" in one else TOLD[k][::-1]
        assert row["partners"] == next(name for name in mine if name != "Ann")
        assert row["opponent"] == " & ".join(theirs)
        assert float(row["expected"]) == approx(win + draw / 2, rel=1e-12)
        assert float(row["score"]) == (score if "Ann" in one else 1 - score)
    told = json.loads(answered("history", pairs, "Ann", *TEAMS, "--why", "--json"))["games"]
    assert [one["partners"] for one in told] == [row["partners"] for row in rows]
    assert all(sum(one["terms"].values()) == approx(one["change"]) for one in told)
    first = answered("history", pairs, "Ann", *TEAMS, "--why").splitlines()[0]
    assert f" with {rows[0]['partners']}, {float(rows[0]['expected']):.2f} was expected" in first


def test_a_history_between_players_has_no_partners(games):
    """The columns stay as they are."""
    assert answered("history", games, "ada", "-s", "elo", "--csv").startswith("time,opponent,")
    assert "partners" not in answered("history", games, "ada", "-s", "elo", "--json")


def test_two_line_ups_meet(pairs):
    """Win, draw and loss by Davidson's formula of the mean ratings, once and in a series."""
    gap = (RATING["Ann"] + RATING["Bob"] - RATING["Cid"] - RATING["Dee"]) / 2.0
    s = 10.0 ** (gap / 800.0)
    chances = (s / (s + NU + 1 / s), NU / (s + NU + 1 / s), 1 / s / (s + NU + 1 / s))
    asked = ("forecast", pairs, "Ann & Bob", "Dee & Cid", *TEAMS)
    told = json.loads(answered(*asked, "--best-of", "1", "--json"))
    assert (told["a"], told["b"]) == ("Ann & Bob", "Dee & Cid")
    assert (told["win"], told["draw"], told["loss"]) == approx(chances)
    found = told["series"]
    assert (found["win"], found["level"], found["loss"]) == approx(chances)
    assert answered(*asked).startswith("Ann & Bob against Dee & Cid: expected score ")


@pytest.mark.parametrize(
    ("a", "b", "code", "said"),
    [
        (
            "Ann & Bob",
            "Ann & Cid",
            3,
            "name 'Ann' on one side: the name stands in 'Ann & Bob' and in 'Ann & Cid'",
        ),
        ("Ann & Bob", "Bob & Ann", 3, "name 'Bob' on one side"),
        ("Ann & Ann", "Cid", 3, "name 'Ann' once in 'Ann & Ann'"),
        ("Ann & Bod", "Cid", 2, "did you mean 'Bob'"),
        ("Ann & Bob", "Ann & Bob", 2, "two players"),
    ],
)
def test_line_ups_that_cannot_meet(pairs, a, b, code, said):
    """A member on both sides, twice on one, or unknown."""
    assert said in refused(code, "forecast", pairs, a, b, *TEAMS)


def test_names_with_a_mark_are_players_where_they_are(pairs):
    """Rated as names the pairs are players; a system without teams says so of a line-up."""
    one, other = (" & ".join(side) for side in ROWS[0][:2])
    more = ("--teams", "names", "-s", "codechef")
    assert "against" in answered("forecast", pairs, one, other, *more)
    file = pairs.with_name("games.csv")
    file.write_text("player_a,player_b,score\nAnn,Bob,1\nBob,Cid,1\nCid,Dee,1\n", encoding="utf-8")
    said = refused(3, "forecast", file, "Ann & Bob", "Cid & Dee", "-s", "codechef")
    assert "choose a system for teams" in said
    assert "codechef rates sides of one player each" in said


def test_line_ups_with_other_marks(pairs):
    """A slash, a plus or a word joins players who are known."""
    asked = [
        json.loads(answered("forecast", pairs, one, "Cid & Dee", *TEAMS, "--json"))["win"]
        for one in ("Ann & Bob", "Ann/Bob", "Bob + Ann", "Ann and Bob")
    ]
    assert asked == [asked[0]] * 4
    assert "If 'Ann/Zed' is new" in refused(2, "forecast", pairs, "Ann/Zed", "Cid", *TEAMS)


def test_a_tournament_of_line_ups(pairs):
    """Those who have played since a day take part, and what they played stands."""
    told = json.loads(
        answered("tournament", pairs, *TEAMS, "--bracket", "seeds", "--json",
                 "--entrants", "Ann & Bob,Cid & Dee")
    )  # fmt: skip
    names = {one["player"] for one in told["players"]}
    assert names == {"Ann & Bob", "Cid & Dee"}
    one, other, score, _ = ROWS[-1]
    since = ("--since", "2024-02-12", "--round-robin", "1")  # the day of the last game
    done = prowess("tournament", pairs, *TEAMS, *since)
    assert "1 of 1 games are played" in done.stderr
    winner = one if score >= 0.5 else other
    assert done.stdout.splitlines()[1].startswith(" & ".join(winner)) or score == 0.5


def test_names_with_the_mark_stand_in_line_ups(tmp_path):
    """A player R&D in a forecast and in a tournament of those who have played."""
    file = tmp_path / "k2.csv"
    file.write_text(
        "date,a1,a2,b1,b2,result\n2024-01-01,R&D,Bob,Cid,Dan,1\n2024-01-02,Cid,Dan,R&D,Bob,1\n",
        encoding="utf-8",
    )
    asked = ("forecast", file, "R&D & Bob", "Cid & Dan", "--system", "trueskill")
    assert answered(*asked).startswith("R&D & Bob against Cid & Dan: expected score ")
    since = ("--round-robin", "3", "--since", "2024-01-01")
    done = prowess("tournament", file, *since, "-s", "trueskill", "--runs", "50")
    assert "2 of 3 games are played" in done.stderr
    assert {line.rpartition("  ")[0].split("  ")[0] for line in done.stdout.splitlines()[1:]} == {
        "R&D & Bob", "Cid & Dan",
    }  # fmt: skip


def test_who_has_played_alone_and_in_a_pair_must_be_entered(tmp_path):
    """Nobody can be on two sides, so the error names the option that says who takes part."""
    file = tmp_path / "mixed.csv"
    file.write_text(
        "date,player_a,player_b,result\n2024-01-01,Ann & Bob,Cid & Dan,1\n2024-01-02,Ann,Cid,1\n",
        encoding="utf-8",
    )
    asked = ("tournament", file, "--round-robin", "1", "--since", "2024-01-01", "-s", "trueskill")
    said = refused(2, *asked, "--teams", "members")
    assert "give --entrants: 'Ann' has played as 'Ann & Bob' and as 'Ann'" in said


def test_forecasts_and_comparisons_of_teams(pairs, races, tmp_path):
    """A game, or a side of a contest, a row; the base rate is beside a system."""
    file = tmp_path / "forecasts.csv"
    answered("rate", pairs, *TEAMS, "--forecasts", file)
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert [(row["player_a"], row["player_b"]) for row in rows] == [
        (" & ".join(one), " & ".join(other)) for one, other, *_ in ROWS
    ]
    assert [float(row["draw"]) for row in rows] == approx([draw for _, draw, _ in TOLD])
    answered("rate", races, *TEAMS, "--forecasts", file)
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert [row["player"] for row in rows] == [
        " & ".join(members) for field in relays(30) for members, _ in field
    ]
    for table in (pairs, races):
        more = ("--teams", "members", "--systems", SYSTEM[1], "--split", "year", "--json")
        told = json.loads(answered("compare", table, *more))
        assert {row["system"].partition(":advantage")[0] for row in told["systems"]} == {
            "base_rate", SYSTEM[1],
        }  # fmt: skip


@pytest.mark.parametrize("figure", ["history", "leaderboard", "distribution", "calibration",
                                    "activity"])  # fmt: skip
def test_figures_of_teams(pairs, races, tmp_path, figure):
    """Everything is drawn but pairs, which says why not."""
    for table in (pairs, races):
        answered("plot", figure, table, *TEAMS, "-o", tmp_path / "figure.svg")
    said = refused(2, "plot", "pairs", pairs, *TEAMS, "-o", tmp_path / "figure.svg")
    assert "give games between two players" in said


def test_a_page_of_teams(pairs, races, tmp_path):
    """Every section of a report is made but head to head, which needs games between two players."""
    for table in (pairs, races):
        page = tmp_path / "page.html"
        answered("report", table, *TEAMS, "-o", page)
        assert "Head to head" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "verb", [("performance",), ("assess", "Ann", "Cid"),
             ("assess", "Ann & Bob", "Cid"), ("pairings",), ("triangles",),
             ("diagnose",)],
)  # fmt: skip
def test_what_needs_two_players_refuses_teams(pairs, verb):
    """With one and the same reason."""
    name, *rest = verb
    system = () if name == "triangles" else SYSTEM
    said = refused(3, name, pairs, *rest, "--teams", "members", *system)
    assert "needs them, and here sides have several members" in said


def test_a_member_that_both_sides_have_is_left_out(tennis):
    """The car of two drivers says nothing of who wins; a player on both sides is refused."""
    file = tennis.with_name("races.csv")
    file.write_text(
        "date,player_a,player_b,car_a,car_b,result\n2024-01-01,Ann,Bob,Red,Blue,1\n"
        "2024-01-02,Bob,Cid,Blue,Red,1\n2024-01-03,Ann,Cid,Red,Red,1\n",
        encoding="utf-8",
    )
    more = ("--with", "car", *SYSTEM, "--json")
    same = json.loads(answered("forecast", file, "Ann & Red", "Cid & Red", *more))
    alone = json.loads(answered("forecast", file, "Ann", "Cid", *more))
    assert same["win"] == alone["win"]
    apart = json.loads(answered("forecast", file, "Ann & Red", "Cid & Blue", *more))
    assert apart["win"] != alone["win"]
    assert "name 'Ann' on one side" in refused(3, "forecast", file, "Ann & Red", "Ann", *more)


def test_leaderboards_and_histories_of_other_roles(tennis):
    """Players alone, unless another role is asked for; members have histories by their names."""
    more = ("--per", "surface", *SYSTEM)
    told = json.loads(answered("rate", tennis, *more, "--json"))
    assert {row["player"] for row in told["leaderboard"]} == {"Ann", "Bob", "Cid"}
    assert (told["players"], told["roles"]) == (3, {"player": 3, "surface": 6})
    told = json.loads(answered("rate", tennis, *more, "--role", "surface", "--json"))
    assert {row["player"].partition("@")[2] for row in told["leaderboard"]} == {"clay", "grass"}
    assert told["leaderboard"][0]["rank"] == 1
    assert len(answered("history", tennis, "Ann@clay", *more, "--csv").splitlines()) == 3
    said = refused(2, "rate", tennis, *more, "--role", "car")
    assert "choose --role from player, surface: the table has no 'car'" in said
