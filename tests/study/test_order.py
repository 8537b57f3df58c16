"""Does the order of the games of one day tell their results?"""

from __future__ import annotations

import numpy as np
import pytest

from prowess.games import read_games
from prowess.games.games import Games
from prowess.study.order import LIMITS, RANDOM_ORDERS, check_order
from tests.cli.command import ROOT

STRENGTH = np.sort(np.random.default_rng(4).normal(0.0, 200.0, 64))[::-1]
DAYS = 30


class Days:
    """Tournaments of one day each, among players of known strengths."""

    def __init__(self, seed: int = 1) -> None:
        self.random = np.random.default_rng(seed)
        self.rows: list[tuple[int, int, float, float]] = []

    def meet(self, a: int, b: int, day: int) -> bool:
        """Play a game; whether the first won."""
        won = self.random.random() < 1.0 / (1.0 + 10.0 ** ((STRENGTH[b] - STRENGTH[a]) / 400.0))
        self.rows.append((a, b, float(won), float(day)))
        return bool(won)

    def field(self, size: int) -> list[int]:
        """Players of a day."""
        return [int(k) for k in self.random.permutation(64)[:size]]

    def games(self) -> Games:
        """All games as a table."""
        a, b, score, time = map(np.array, zip(*self.rows, strict=True))
        roster = tuple(f"P{k}" for k in range(64))
        return Games(roster, a.astype(np.uint32), b.astype(np.uint32), score, time=time)


def knock_outs(favourite_first: bool = False) -> Games:
    """A knock-out a day, round by round."""
    days = Days()
    for day in range(DAYS):
        alive = days.field(32)
        while len(alive) > 1:
            pairs = list(zip(alive[::2], alive[1::2], strict=True))
            pairs = [(min(p), max(p)) for p in pairs] if favourite_first else pairs
            alive = [a if days.meet(a, b, day) else b for a, b in pairs]
    return days.games()


def round_robins(listed: bool = False) -> Games:
    """All against all a day: in rounds, or listed player by player, the strongest first."""
    days = Days()
    for day in range(DAYS):
        field = days.field(8)
        if listed:
            field = sorted(field)
            for place, a in enumerate(field):
                for b in field[place + 1 :]:
                    days.meet(a, b, day)
            continue
        for _ in range(7):
            for k in range(4):
                days.meet(field[k], field[7 - k], day)
            field = [field[0], field[-1], *field[1:-1]]
    return days.games()


def winners_first(games: Games) -> Games:
    """The same games as winner and loser."""
    won = games.score > 0.5
    a, b = np.where(won, games.a, games.b), np.where(won, games.b, games.a)
    return games.replace(a=a, b=b, score=np.ones(len(games)))


def by(games: Games, key: np.ndarray) -> Games:
    """The games of each day sorted by a key."""
    return games.select(np.lexsort((key, games.time)))


IN_ORDER = {
    "knock-outs": knock_outs(),
    "knock-outs, favourites first": knock_outs(favourite_first=True),
    "knock-outs, winners first": winners_first(knock_outs()),
    "rounds": round_robins(),
    "rounds, winners first": winners_first(round_robins()),
    "listed by strength": round_robins(listed=True),
}


@pytest.mark.parametrize("name", IN_ORDER)
def test_no_alarm_for_tables_in_order(name):
    """Rounds one after the other, and lists by strength, tell nothing that counts."""
    assert check_order(IN_ORDER[name]).signs == {}


@pytest.mark.parametrize("seed", range(5))
def test_no_alarm_for_random_order(seed):
    """A random order within days tells nothing."""
    games = round_robins()
    shuffled = by(games, np.random.default_rng(seed).random(len(games)))
    assert check_order(shuffled, seed).signs == {}


@pytest.mark.parametrize("name", ["knock-outs", "rounds", "listed by strength"])
def test_sorted_results_are_found(name):
    """Wins of the first side first, or last."""
    for sign in (1.0, -1.0):
        games = by(IN_ORDER[name], sign * IN_ORDER[name].score)
        assert check_order(games).signs["results"] > LIMITS["results"]


@pytest.mark.parametrize("name", IN_ORDER)
def test_a_table_sorted_by_winner_is_found(name):
    """Also where winners stand first, so that all results are equal."""
    games = IN_ORDER[name]
    winner = np.where(games.score > 0.5, games.a, games.b)
    assert check_order(by(games, winner)).signs["winner"] > LIMITS["winner"]


def test_rounds_from_the_last_to_the_first_are_found():
    """The final of a knock-out stands first."""
    games = knock_outs()
    found = check_order(by(games, -np.arange(len(games))))
    assert found.signs["reversed"] > LIMITS["reversed"]
    (note,) = [note for note in found.notes() if "last round first" in note]
    assert note.startswith("put the file in order of play")
    assert f"permutation test of {RANDOM_ORDERS} orders, seed 0" in note


def test_games_of_one_day_are_counted():
    """By hand: of three games, the second has a player who has played that day, the third none."""
    ids = (np.array(side, np.uint32) for side in ([0, 0, 2], [1, 2, 1]))
    time = np.array([1.0, 1.0, 2.0])
    games = Games(("Ada", "Ben", "Cy"), *ids, np.array([1.0, 0.0, 0.5]), time=time)
    found = check_order(games)
    assert (found.informed, found.games) == (1, 3)
    assert found.notes()[0].startswith("1 of 3 games follows another game")


@pytest.mark.parametrize(
    "name", ["international_football_results", "league_football", "axelrod_bot_rumble"]
)
def test_no_alarm_for_real_tables(name):
    """None of the tables that come with Prowess is sorted by result."""
    games = read_games(str(ROOT / "examples" / f"{name}.csv.gz"), warn=False)
    assert check_order(games).signs == {}
