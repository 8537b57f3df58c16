"""Careers: the ratings of players before each of their games."""

from __future__ import annotations

import re

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.games.games import Games
from prowess.present.drawings import BarScale, HistoryGrid
from prowess.present.histories import careers, histories, last_members
from prowess.present.layers import Text
from prowess.present.svg import Undrawable
from tests.refusals import refused


@pytest.mark.parametrize("system", ["elo", "prowess"])
def test_a_career_is_what_the_history_says(system):
    """Members beside the players and settings of a bank change no entry."""
    games = prowess.read_games({
        "white": ["Ada", "Ben", "Cleo", "Ada"], "black": ["Ben", "Cleo", "Ada", "Ben"],
        "result": ["1-0", "1/2-1/2", "0-1", "0-1"],
        "date": ["2024-01-05", "2024-01-06", "2024-02-03", "2024-02-04"],
    })  # fmt: skip
    ratings = prowess.rate(games, system)
    for career in careers(ratings, ["Ada", "Ben", "Cleo"]):
        steps = ratings.history(career.player).steps
        before = [step.before + step.terms.get("between games", 0.0) for step in steps]
        assert career.rating.tolist() == approx([*before, ratings[career.player].rating])


@pytest.mark.parametrize(
    ("days", "against"),
    [("01 02 03 04 05 06", "date"), ("01 01 01 02 03 04", "game"), ("01 01 01 01 01 01", "game")],
)
def test_games_of_one_day_are_drawn_by_number(days, against):
    """Where half of the games are of one day, no axis of dates draws them as one upright line."""
    games = prowess.read_games({
        "white": ["Ada", "Ben"] * 3, "black": ["Ben", "Ada"] * 3, "result": ["1-0"] * 6,
        "date": [f"2024-01-{day}" for day in days.split()],
    })  # fmt: skip
    ratings = prowess.rate(games, "elo")
    assert (
        f"by {against if against == 'date' else 'number of the game'}" in histories(ratings).title
    )
    assert "by date" in histories(ratings, against="date").title
    grid = HistoryGrid.around(careers(ratings, ["Ada", "Ben"]))
    assert grid.against == against
    assert (
        grid.ends
        == {"date": ("1 Jan 2024", "6 Jan 2024"), "game": ("first game", "game 6")}[against]
    )


def test_players_share_a_panel_between_two_days():
    """One panel, a line and a name at its end for each; no rating from beyond the days asked."""
    league = prowess.simulate(players=4, games=240, seed=2)
    ratings = prowess.rate(league, "elo")
    names = list(ratings.leaderboard().columns["player"])
    first, last = (float(np.quantile(league.time, share)) for share in (0.3, 0.7))
    chart = histories(ratings, names, against="date", together=True, since=first, until=last)
    (panel,) = chart.panels
    assert [one.name for one in panel.lines] == [
        one.text for one in panel.layers if isinstance(one, Text)
    ]
    assert min(min(one.x) for one in panel.lines) >= first
    assert max(max(one.x) for one in panel.lines) <= last
    then = prowess.rate(league.select(np.asarray(league.time) <= last), "elo")
    assert {one.name: one.y[-1] for one in panel.lines} == {
        name: approx(then[name].rating) for name in names
    }
    ahead = sorted((then[name].rating for name in names), reverse=True)
    assert f" is {ahead[0] - ahead[1]:.0f} ahead of " in chart.title
    with refused(Undrawable, "too_many_players", about="9"):
        ten = prowess.rate(prowess.simulate(players=10, games=90, seed=3), "elo")
        histories(ten, list(ten.players), together=True)


@pytest.mark.parametrize("system", ["elo", "glicko2", "prowess"])
def test_a_career_from_a_day_on_is_the_end_of_the_whole(system):
    """Reading the later games alone gives the very ratings of the whole history."""
    league = prowess.simulate(players=6, games=200, seed=4)
    ratings = prowess.rate(league, system)
    since = float(np.quantile(league.time, 0.6))
    names = list(ratings.players)
    for whole, late in zip(careers(ratings, names), careers(ratings, names, since), strict=True):
        assert whole.time is not None
        count = int((whole.time[: whole.games] >= since).sum())
        assert 0 < count == late.games < whole.games
        assert late.rating.tolist() == whole.rating[-count - 1 :].tolist()


def test_who_has_not_played_for_long_can_be_drawn():
    """A player named whose last game is twenty years old stands beside those of today."""
    rows = [("1999-05-01", "Old", "Ann", 1), ("1999-06-01", "Ann", "Old", 1)]
    rows += [(f"20{year}-05-01", "Ann", "Bob", year % 2) for year in range(10, 25)]
    games = prowess.read_games(
        dict(zip(("date", "a", "b", "score"), map(list, zip(*rows, strict=True)), strict=True))
    )
    page = prowess.report(prowess.rate(games, "elo"), players=["Ann", "Old"], no_compare=True)
    (section,) = [one for one in page.sections() if one.key == "histories"]
    assert [one.player for one in section.parts[0].pictures] == ["Ann", "Old"]


@pytest.mark.parametrize("ends", [(1200.0, 1900.0), (1100.0, 2000.0), (1380.0, 1820.0), (0.0, 3e3)])
def test_values_above_intervals_stand_apart(ends):
    """At the least width, 98 pixels, two values of four digits (30 pixels) do not touch."""
    words = str(BarScale(*ends).draw_head(0.95))
    places = [float(one) for one in re.findall(r'x="([0-9.]+)%', words)]
    assert len(places) > 1
    assert min(np.diff(places)) * 0.98 > 30.0


def test_last_members_are_the_last_rows_of_each_player():
    """A walk through the rows of a table gives the same, in the order asked for."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 40, 300).astype(np.uint32)
    b = (a + rng.integers(1, 40, 300).astype(np.uint32)) % 41
    table = Games([f"p{k}" for k in range(42)], a, b, np.ones(300))
    for players in ([7, 3, 41, 40], [*range(42)][::-1], []):
        found = last_members(table, players, 5)
        assert list(found) == players
        for k in players:
            rows = [row for row, one in enumerate(table.player.tolist()) if one == k]
            assert found[k].tolist() == rows[-5:]
