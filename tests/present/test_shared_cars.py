"""The report of races in cars: the forecast of two drivers counts the cars of their last race."""

from __future__ import annotations

import re

from pytest import approx

import prowess
from prowess.present.listing import usual_listing
from prowess.present.report_board import PlayerList, find_shared_members, versus_part

RACES = [
    {"race": race, "date": f"2026-03-{race:02}", "driver": driver, "car": car, "place": place}
    for race in range(1, 9)
    for place, (driver, car) in enumerate(
        [("Ann", "Red"), ("Bob", "Red"), ("Cid", "Blue" if race < 8 else "Red"), ("Dee", "Blue")], 1
    )
]


def test_drivers_are_forecast_with_the_car_of_their_last_race():
    """Ann (Red) against Dee (Blue) is the forecast with both cars; without them it is another."""
    table = prowess.read_games(RACES, contest="race", player="driver", with_="car", warn=False)
    ratings = prowess.rate(table, "elo")
    cars = find_shared_members(ratings)
    named = {
        ratings.players[player]: [ratings.players[member] for member, _ in members]
        for player, members in cars.items()
    }
    assert named == {"Ann": ["Red"], "Bob": ["Red"], "Cid": ["Red"], "Dee": ["Blue"]}
    roster = PlayerList(ratings, usual_listing(ratings), 0.95)
    made = versus_part(roster)
    names = roster.names
    at = names.index("Ann"), names.index("Dee")
    assert at == (0, 3)
    number = 2  # of the pairs (0, 1), (0, 2), (0, 3)
    whole = 100 * ratings.forecast(["Ann", "Red"], ["Dee", "Blue"]).expected
    alone = 100 * ratings.forecast("Ann", "Dee").expected
    assert int(made.beside[2 * number : 2 * number + 2]) == approx(whole, abs=0.5)
    assert int(made.chances[2 * number : 2 * number + 2]) == approx(alone, abs=0.5)
    assert whole > alone + 1
    page = prowess.report(ratings).to_html()
    assert re.search(r'<input type="checkbox" class="beside"', page)
    assert "With the car of their last race" in page


def test_players_alone_have_nothing_to_switch():
    """Without shared members there is one forecast and no switch."""
    ratings = prowess.rate([("Ann", "Bob", 1), ("Bob", "Cid", 1)], "elo")
    assert find_shared_members(ratings) == {}
    assert 'class="beside"' not in prowess.report(ratings).to_html()
