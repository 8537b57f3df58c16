"""How the columns of a table were read, in a sentence."""

from __future__ import annotations

import prowess


def reading(**columns: list[object]) -> str:
    """What is said about a table of these columns."""
    return prowess.read_games(columns).reading


def test_games() -> None:
    """Each role has its column, in the words of the options."""
    assert (
        reading(
            date=["2024-01-01"], home_team=["Ada"], away_team=["Ben"], winner=["Ada"], city=["Ulm"]
        )
        == "read as games: player_a = home_team (with the side advantage), player_b = away_team, "
        "winner = winner, time = date; not used: city"
    )
    assert reading(winner=["a"], loser=["b"]) == "read as games: winner = winner, loser = loser"


def test_contests() -> None:
    """Contests have players, places and points."""
    told = prowess.read_games(
        {"race": ["x", "x"], "driver": ["a", "b"], "laps": [3, 2], "crew": ["c", "d"]},
        contest="race", player="driver", points="-laps",
    ).reading  # fmt: skip
    assert (
        told == "read as contests: contest = race, player = driver, points = -laps; not used: crew"
    )


def test_many_columns_are_counted() -> None:
    """Of many columns without a role the first are named."""
    more = {f"c{k}": [1] for k in range(30)}
    told = reading(player_a=["a"], player_b=["b"], result=["1"], **more)
    assert told.endswith("c18, c19 and 10 more")
