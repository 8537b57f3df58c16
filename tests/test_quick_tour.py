"""The shortest honest tour: results in, ratings out, and why."""

from __future__ import annotations

from math import fsum

import prowess

RESULTS = """date,white,black,result
2024-01-05,Ada,Ben,1-0
2024-01-06,Ben,Cleo,1/2-1/2
2024-02-03,Cleo,Ada,0-1
2024-02-04,Ada,Ben,0-1
"""


def test_the_tour(tmp_path):
    """A file is read, rated, asked for a forecast and a reason, and rated on."""
    (tmp_path / "results.csv").write_text(RESULTS)
    games = prowess.read_games(tmp_path / "results.csv")
    assert (len(games), list(games.players)) == (4, ["Ada", "Ben", "Cleo"])

    elo = prowess.rate(games.before(19_728), "elo", k=20)  # 2024-01-06
    assert elo.leaderboard().rows()[0] == {
        "rank": 1, "player": "Ada", "rating": 1510.0, "games": 1,  # half of K, among equals
    }  # fmt: skip
    assert elo.forecast("Ada", "Cleo").expected > 0.5

    glicko2 = prowess.rate(games, "glicko2", period="1mo", as_of="2024-12-31")
    assert [row["rank"] for row in glicko2.leaderboard(min_games=2).rows()] == [1, 2, 3]
    assert glicko2["Ada"].deviation < 350 < glicko2["Ada"].rating

    for step in glicko2.history("Ben"):
        assert fsum(step.terms.values()) == step.change == step.after - step.before

    race = prowess.read_games([{"player": "Cleo", "place": 1}, {"player": "Ada", "place": 2}])
    assert prowess.rate(race, "weng_lin")["Cleo"].rank == 1
    assert {"elo", "glicko2", "weng_lin"} <= set(prowess.systems())
