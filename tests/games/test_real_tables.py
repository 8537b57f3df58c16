"""The tables in `examples/` are read as what they are."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from pathlib import Path

import pytest

from prowess.compile import kernel
from prowess.games import read_games

EXAMPLES = Path(__file__).parents[2] / "examples"
READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table, by the standard library alone."""
    with gzip.open(EXAMPLES / name, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("compiled", READERS)
def test_international_football(compiled):
    """Every match is there, from the first one on; points, places and neutral grounds agree."""
    name = "international_football_results.csv.gz"
    games = read_games(EXAMPLES / name, compiled=compiled)
    table = rows(name)
    assert games.duels
    assert len(games) == len(table) == 49_520  # rows, as examples/README.md says
    assert games.time is not None
    first = games.players[games.a[0]], games.players[games.b[0]], games.score[0], games.time[0]
    assert first == ("Scotland", "England", 0.5, -35460.0)  # 0-0 at Glasgow, 30 November 1872
    assert sum(games.points_a) == sum(int(row["home_score"]) for row in table)
    assert sum(games.side == 0.0) == sum(row["neutral"] == "TRUE" for row in table)
    homes = Counter(row["home_team"] for row in table)
    assert Counter(games.players[a] for a in games.a.tolist()) == homes
    assert games.players[:2] == [table[0]["home_team"], table[0]["away_team"]]
    friendly = read_games(EXAMPLES / name, where={"tournament": "Friendly"}, compiled=compiled)
    assert len(friendly) == sum(row["tournament"] == "Friendly" for row in table)


@pytest.mark.parametrize("compiled", READERS)
def test_league_football(compiled):
    """Home, away, goals and rounds of three leagues are found without a word."""
    name = "league_football.csv.gz"
    games = read_games(EXAMPLES / name, round=["league", "season", "round"], compiled=compiled)
    table = rows(name)
    assert len(games) == len(table) == 16_006
    labels = {(row["league"], row["season"], row["round"]) for row in table}
    assert len(set(games.round.tolist())) == len(labels)
    draws = sum(row["home_goals"] == row["away_goals"] for row in table)
    assert sum(games.score == 0.5) == draws
    assert set(games.side.tolist()) == {1.0}


@pytest.mark.parametrize("compiled", READERS)
def test_formula_1(compiled):
    """Races are contests of their drivers; those who did not start are left out by their word, and
    the better place counts of drivers who shared cars in the 1950s and stand twice.
    """
    name = "f1_race_results.csv.gz"
    options = {
        "place": "display_order", "exclude": {"position": ["DNQ", "DNPQ", "DNS"]},
        "compiled": compiled,
    }  # fmt: skip
    raced = [row for row in rows(name) if row["position"] not in {"DNQ", "DNPQ", "DNS"}]
    again = len(raced) - len({(row["date"], row["race"], row["driver"]) for row in raced})
    races = read_games(EXAMPLES / name, **options)
    assert not races.pairwise
    assert f"{again} times a player stands twice in a contest" in " ".join(races.notes)
    monza = races.select(slice(6, 7))  # Ascari was second in Serafini's car, and retired his own
    places = {
        monza.players[who]: place for who, place in zip(monza.player, monza.place, strict=True)
    }
    assert places["alberto-ascari"] == 3.0  # of the order in which the table lists them
    assert len(races.player) == len(raced) - again
    assert len(races) == len({(row["date"], row["race"]) for row in raced})
    assert races.time is not None
    assert races.time[0] == -7173.0  # Silverstone, 13 May 1950
    winner = races.players[races.player[0]]
    assert (winner, races.place[0]) == ("nino-farina", 1.0)
