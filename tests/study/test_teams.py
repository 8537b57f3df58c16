"""Games of teams and contests of many teams, in everything that studies a table."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.rate import rate
from prowess.engine.system import Unratable
from prowess.present.report import report
from prowess.present.report_board import connection, find_streaks, sides, upsets
from prowess.study.backtest import backtest, experience, slices
from prowess.study.compare import calibration, compare
from prowess.study.diagnosis.diagnose import diagnose
from prowess.study.forecasting.contenders import contenders
from prowess.study.forecasting.knockout import forecast_knockout, scores_met
from prowess.study.forecasting.performance import assess_game, performances
from prowess.study.forecasting.season import round_robin, simulate_season, with_results
from prowess.study.lineups import members_of, side_names, sides_entered, sides_played
from prowess.study.pairings import merge_pairs
from prowess.study.tuning.tune import tune
from prowess.systems.catalogue import find
from tests.refusals import refused
from tests.study.davidson import NU, TEAM_ELO, by_hand
from tests.study.teams import NAMES, doubles, relays, team_contests, team_games

ROWS = doubles(150)
TABLE = team_games(ROWS)
RATING, TOLD = by_hand(ROWS)
FIELDS = relays(60)
RELAYS = team_contests(FIELDS)


def test_the_forecasts_of_teams_are_judged():
    """A game is an entry, as between two players; the three scores are Davidson's."""
    test = backtest(TABLE, TEAM_ELO, warm_up=0.2)
    assert test.expected == approx([win + draw / 2 for win, draw, _ in TOLD], rel=1e-12)
    assert test.draw == approx([draw for _, draw, _ in TOLD], rel=1e-12)
    assert test.count == 120
    chances = [one[{1.0: 0, 0.5: 1, 0.0: 2}[row[2]]] for one, row in zip(TOLD, ROWS, strict=True)]
    assert test.scores["log_loss_3"] == approx(-np.mean(np.log(chances[30:])), rel=1e-12)
    assert calibration(test).games.sum() == 120


def test_the_entries_of_a_contest_are_its_sides():
    """Of three pairs: the share of the two others beaten, weighed a third, forecast by Elo sums."""
    test = backtest(RELAYS, TEAM_ELO, warm_up=0.5)
    assert len(test.outcome) == len(test.expected) == 3 * len(FIELDS)
    places = [place for field in FIELDS for _, place in field]
    assert test.outcome.tolist() == [(3.0 - place) / 2.0 for place in places]
    assert test.judged.tolist() == [False] * 90 + [True] * 90
    assert test.weight == approx(1.0 / 3.0)
    assert test.expected.reshape(-1, 3).sum(axis=1) == approx(1.5)  # of each pair, 1
    errors = (test.outcome - test.expected)[90:] ** 2
    assert test.scores["brier"] == approx(errors.mean(), rel=1e-12)


def test_systems_are_compared_on_teams():
    """Other constants of one system, paired by game, and by contest."""
    for table in (TABLE, RELAYS):
        tests = [backtest(table, TEAM_ELO, params={"k": k}) for k in (8.0, 24.0)]
        found = compare(tests)
        assert found.metric == ("log_loss" if table is TABLE else "brier")
        assert {one.test.params["k"] for one in found} == {8.0, 24.0}


def test_slices_of_team_games():
    """By experience: that of the least experienced of the four; contests by year only."""
    played: dict[str, int] = {}
    by_hand_ = []
    for one, other, *_ in ROWS:
        four = [*one, *other]
        by_hand_.append(min(played.get(name, 0) for name in four))
        played |= {name: played.get(name, 0) + 1 for name in four}
    assert experience(TABLE).tolist() == by_hand_
    test = backtest(TABLE, TEAM_ELO)
    for kind in ("year", "experience", "gap"):
        assert sum(part.judged for part in slices(test, kind)) == test.count
    with refused(Unratable, "slices_of_contests"):
        slices(backtest(RELAYS, TEAM_ELO), "experience")


def test_two_line_ups():
    """The forecast is that of the mean ratings; the order of the members does not matter."""
    ratings = prowess.rate(TABLE, TEAM_ELO)
    found = ratings.forecast(["Ann", "Bob"], ["Cid", "Dee"])
    gap = (RATING["Ann"] + RATING["Bob"] - RATING["Cid"] - RATING["Dee"]) / 2.0
    s = 10.0 ** (gap / 800.0)
    assert [found.win, found.draw] == approx([s / (s + NU + 1 / s), NU / (s + NU + 1 / s)])
    field = contenders(ratings, ("Bob & Ann", "Dee & Cid", "Eve"))
    odds = field.odds(np.array(0), np.array(0), np.array([1, 2]), np.array(0.0))
    assert odds.win[0] == approx(found.win, rel=1e-12)
    assert odds.draw[0] == approx(found.draw, rel=1e-12)
    assert odds.win[1] == approx(ratings.forecast(["Ann", "Bob"], "Eve").win, rel=1e-12)
    assert field.rating[0] == approx((RATING["Ann"] + RATING["Bob"]) / 2.0)


def test_tournaments_of_line_ups():
    """What two line-ups played stands, in whatever order their members are named."""
    rows = [(("Bob", "Ann"), ("Cid", "Dee"), 1.0, 0.0), (("Eve", "Fay"), ("Ann", "Bob"), 0.5, 0.0)]
    played = team_games(rows)
    names = ("Ann & Bob", "Dee & Cid", "Eve & Fay")
    assert sides_entered(played, names) == [(0, 1), (2, 0)]
    assert scores_met(played, names) == {(0, 1): [1.0], (0, 2): [0.5]}
    assert sides_played(played) == [("Bob", "Ann"), ("Cid", "Dee"), ("Eve", "Fay")]
    field = contenders(rate(TABLE, TEAM_ELO), names)
    found = simulate_season(field, with_results(round_robin(3), played, names), runs=4_000)
    odds = field.odds(np.array(0), np.array(1), np.array(2), np.array(0.0))
    assert found.points is not None
    assert found.points[0] == 1.5
    assert found.points[1] == approx(float(odds.win + odds.draw / 2.0), abs=0.03)
    final = forecast_knockout(contenders(rate(TABLE, TEAM_ELO), names[:2]), [0, 1])
    assert final.stages["winner"].sum() == approx(1.0)


def test_line_ups_that_cannot_meet():
    """A member on two sides or twice on one; several members under a system without teams."""
    ratings = rate(TABLE, TEAM_ELO)
    with refused(Unratable, "player_on_both_sides", about=("Ann", "Ann & Bob", "Ann & Cid")):
        contenders(ratings, ("Ann & Bob", "Ann & Cid"))
    with refused(Unratable, "player_twice", about=("Ann", "Ann & Ann")):
        contenders(ratings, ("Ann & Ann", "Cid"))
    with refused(UnknownPlayer, "unknown_player", about="Zed"):
        contenders(ratings, ("Ann & Zed", "Cid"))


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("R&D", ["R&D"]),
        ("R&D & Bob", ["R&D", "Bob"]),
        ("Bob&R&D", ["Bob", "R&D"]),
        ("R&D/Bob", ["R&D", "Bob"]),
        ("Mo & Jo", ["Mo & Jo"]),
        ("Bob & Mo & Jo", ["Bob", "Mo & Jo"]),
        ("Mo & Jo & Kim & Bob", ["Mo & Jo & Kim", "Bob"]),  # rather than Mo & Jo and Kim
        ("Kim&Mo & Jo", ["Kim", "Mo & Jo"]),
    ],
)
def test_names_with_the_mark_are_members(text, members):
    """A text is cut into players: at spaced marks first, long names first."""
    players = ["Bob", "R&D", "Mo & Jo", "Mo & Jo & Kim", "Kim"]
    assert [players[k] for k in members_of(players, text)] == members
    assert [players[k] for k in members_of(players, members)] == members


@pytest.mark.parametrize(
    ("text", "unknown"),
    [("R&D & Zed", "Zed"), ("Mo & Jo & Zed", "Zed"), ("R&X", "R&X"), ("Bob&Zed", "Zed")],
)
def test_who_is_unknown_is_named(text, unknown):
    """Not a part of a player's name."""
    with refused(UnknownPlayer, "unknown_player", about=str(unknown)):
        members_of(["Bob", "R&D", "Mo & Jo"], text)


def test_tournaments_of_names_with_the_mark():
    """Those who have played are looked up by their members, in what was played as well."""
    rows = [
        (("R&D", "Bob"), ("Cid", "Dee"), 1.0, 0.0),
        (("Cid", "Dee"), ("R", "D & Bob"), 0.0, 0.0),
    ]
    played = team_games(rows)
    sides = sides_played(played)
    assert sides == [("R&D", "Bob"), ("Cid", "Dee"), ("R", "D & Bob")]
    field = contenders(rate(played, TEAM_ELO), sides)
    assert field.names == ("R&D & Bob", "Cid & Dee", "R & D & Bob")
    assert scores_met(played, field.sides) == {(0, 1): [1.0], (1, 2): [0.0]}


def test_what_needs_two_players_says_so():
    """One error, which names what cannot be done and why."""
    ratings = rate(TABLE, TEAM_ELO)
    for ask in (
        lambda: performances(ratings),
        lambda: assess_game(ratings, "Ann", "Cid"),
        lambda: merge_pairs(ratings),
        lambda: diagnose(TABLE, TEAM_ELO),
    ):
        with refused(Unratable, "no_duels"):
            ask()


@pytest.mark.parametrize("table", [TABLE, RELAYS], ids=["games", "contests"])
def test_constants_are_tuned_on_teams(table):
    """The search ends, and finds no worse a place than it began at."""
    found = tune(table, TEAM_ELO, over={"k": (1.0, 100.0)}, until=1.0, budget=60)
    assert found.score <= found.score_before


def test_a_report_of_teams():
    """Every section is there but head to head, which needs games between two players."""
    for table, unit in ((TABLE, "Games"), (RELAYS, "Contests")):
        ratings = rate(table, TEAM_ELO, forecasts=True)
        test = backtest(table, TEAM_ELO)
        page = report(ratings, forecasts=test, comparison=compare([test])).to_html()
        assert f">{unit}<" in page
        assert "Head to head" not in page
        assert "Longest winning streaks" in page
        assert upsets(test, 1)[0].winner.replace("&", "&amp;") in page


def test_facts_and_highlights_of_teams():
    """Who is connected, what the side is worth, who won against expectation, and runs."""
    apart = team_games(
        [(("Ann", "Bob"), ("Cid",), 1.0, 1.0), (("Dee",), ("Eve", "Fay"), 0.0, -1.0)]
    )
    assert connection(apart).sizes == (3, 3)
    worth = sides(apart)
    assert worth is not None
    assert (worth.games.value, worth.pairs) == (1.0, None)
    assert side_names(apart) == ["Ann & Bob", "Cid", "Dee", "Eve & Fay"]
    test = backtest(TABLE, TEAM_ELO, warm_up=0.0)
    found = upsets(test, 1)[0]
    decided = [
        (one[0] + one[1] / 2 if row[2] == 1.0 else one[2] + one[1] / 2, row)
        for one, row in zip(TOLD, ROWS, strict=True)
        if row[2] != 0.5
    ]
    least, row = min(decided, key=lambda one: one[0])
    winner, loser = (row[0], row[1]) if row[2] == 1.0 else (row[1], row[0])
    assert found.expected == approx(least, rel=1e-12)
    assert (found.winner, found.loser) == (" & ".join(winner), " & ".join(loser))
    best = 0
    for name in NAMES:
        run = 0
        for one, other, score, _ in ROWS:
            if name in one or name in other:
                run = run + 1 if score == (1.0 if name in one else 0.0) else 0
                best = max(best, run)
    assert find_streaks(TABLE, 1)[0].games == best


def test_a_system_without_teams_refuses_the_table():
    """The error names the system and what it does not do; so does one of the whole table."""
    for name in ("codechef", "bradley_terry"):
        with refused(Unratable, "no_teams", about=str(name)):
            backtest(TABLE, find(name))
    with refused(Unratable, "no_teams", about="codechef"):
        contenders(rate(ALONE, find("codechef")), ("Ann & Bob", "Cid"))


ALONE = team_games([(("Ann",), ("Bob",), 1.0, 0.0), (("Bob",), ("Cid",), 1.0, 0.0)])
