"""Which loop plays, from what the players begin, and what is said when numbers are lost."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from pytest import approx

from prowess.compile import worth
from prowess.engine import replay
from prowess.engine.fits.connectivity import met_sizes
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.rate import rate, rate_on
from prowess.engine.system import Unratable
from prowess.engine.table import join_tables
from prowess.systems.catalogue import find
from tests.engine.tables import START, contests, games
from tests.refusals import refused

ELO, GLICKO = find("elo"), find("glicko")
ROWS = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 1.0)]
DAYS = [START, START + 1, START + 40]
TABLE = games(ROWS, time=DAYS)
ROOT = Path(__file__).parents[2]

SMALL = """
import sys
from prowess.engine.rate import rate
from prowess.systems.catalogue import find
from tests.engine.tables import games
table = games([("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.0)] * 500, time=range(1000))
for system in ("elo", "glicko2", "ics"):
    rate(table, find(system), forecasts=True).history("Ada")
print("llvmlite" in sys.modules, "scipy" in sys.modules, "pandas" in sys.modules)
"""


def test_a_small_table_never_waits_for_a_compiler():
    """A thousand games are rated and explained without importing a compiler or anything heavy."""
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", SMALL],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False"] * 3


@pytest.fixture
def loops(monkeypatch):
    """Which loops were called, in order."""
    called: list[str] = []
    for name in ("play_plain", "play_compiled"):
        plainly = getattr(replay.Replay, name)

        def noted(self, *arguments, name=name, plainly=plainly):
            called.append(name)
            return plainly(self, *arguments)

        monkeypatch.setattr(replay.Replay, name, noted)
    return called


MANY = games([("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.0)] * 4000)


def test_a_large_table_is_compiled(loops, monkeypatch):
    """Where it would take longer than compiling; the numbers are the same."""
    compiled = rate(MANY, ELO)
    assert loops == ["play_compiled"]
    loops.clear()
    for name in ("MIN_TURNS_TO_COMPILE", "LINKED"):
        monkeypatch.setattr(worth, name, len(MANY) + 1)
    plain = rate(MANY, ELO)
    assert loops == ["play_plain"]
    assert compiled.state.rating.tolist() == plain.state.rating.tolist()


def test_a_loop_that_is_loaded_costs_little(loops, monkeypatch):
    """Where a loop has run compiled in this process, the next table need not be so large."""
    monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", len(MANY) + 1)
    system = replace(ELO, name="not run yet")
    rate(MANY, system)
    assert loops == ["play_plain"]
    rate(MANY, system, compiled=True)
    loops.clear()
    rate(MANY, system)
    assert loops == ["play_compiled"]


def test_what_cannot_be_compiled_runs_plainly(loops):
    """A user's system that uses more of Python runs all the same, and a note says where and why."""

    def evidence(p, me, opponent, game):
        return ELO.evidence(p, me, opponent, game)._replace(change={"a": game.score - 0.5}["a"])

    system = replace(ELO, name="mine", evidence=evidence)
    found = rate(MANY, system)
    assert loops == ["play_compiled", "play_plain"]
    assert found.state.rating.tolist() == rate(MANY, system, compiled=False).state.rating.tolist()
    (note,) = [note for note in found.notes if "test_replay.py" in note]
    assert f":{evidence.__code__.co_firstlineno + 1})" in note
    assert not any("plain Python" in note for note in rate(TABLE, system).notes)  # small


class Everything(NamedTuple):
    change: float = 0.0  # of one side: the other is asked


def reading_everything(p, me, opponent, game):
    """Evidence of all that a game can tell."""
    change = game.score + 2.0 * game.side + 3.0 * game.margin + 5.0 * game.length
    return Everything(change + 7.0 * game.mine + 11.0 * game.theirs)


EVERYTHING = replace(
    ELO,
    name="everything",
    evidence=reading_everything,
    evidence_zero=Everything(),
    keeps_sum=False,
)
COLUMNS = {"side": 1.0, "margin": 2.0, "length": 9.0, "points_a": 4.0, "points_b": 2.0}


@pytest.mark.parametrize("absent", [(), ("side", "points_a"), ("margin", "length"), tuple(COLUMNS)])
def test_what_a_table_does_not_tell_is_zero(absent):
    """Compiled or not, a column the table lacks reads as 0, and the others as they are."""
    told = {name: value for name, value in COLUMNS.items() if name not in absent}
    table = games([("Ada", "Ben", 1.0)], **{name: [value] for name, value in told.items()})
    side, margin, length, mine, theirs = (told.get(name, 0.0) for name in COLUMNS)
    ada = 1500 + 1 + 2 * side + 3 * margin + 5 * length + 7 * mine + 11 * theirs
    ben = 1500 + 0 - 2 * side - 3 * margin + 5 * length + 7 * theirs + 11 * mine
    for compiled in (False, True):
        assert rate(table, EVERYTHING, compiled=compiled).state.rating[:, 0].tolist() == [ada, ben]


def test_progress_is_told_to_the_end():
    """Progress goes up to the number of rounds, in steps, and changes nothing."""
    told: list[tuple[int, int]] = []
    watched = rate(MANY, ELO, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(MANY), len(MANY))
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert watched.state.rating.tolist() == rate(MANY, ELO).state.rating.tolist()


# --- as of a day -------------------------------------------------------------------------


def test_as_of_leaves_later_games_out():
    """Ratings as of a day are those of the games up to it."""
    early = rate(TABLE, ELO, as_of=START + 2)
    assert early["Ada"].rating == 1516.0
    assert len(early.table) == 2
    assert rate(TABLE, ELO, as_of=START + 40)["Ada"].rating == rate(TABLE, ELO)["Ada"].rating
    with refused(Unratable, "empty_table", about="as_of"):
        rate(TABLE, ELO, as_of=START - 1)


def test_as_of_lets_idle_players_age():
    """Between the last game and the day asked for deviations grow as drift says."""
    last = rate(TABLE, GLICKO, as_of=DAYS[-1])
    later = rate(TABLE, GLICKO, as_of=DAYS[-1] + 60)  # two periods of 30 days
    for player, seen in (("Ada", DAYS[2]), ("Ben", DAYS[1])):
        raw = last.state.player(last.index(player))
        elapsed = (DAYS[-1] + 60 - seen) / 30
        assert later[player].deviation == approx(
            GLICKO.drift(GLICKO.params, raw, elapsed).deviation
        )
        assert later[player].rating == last[player].rating
        assert later[player].deviation > last[player].deviation


def test_ageing_for_display_changes_no_state():
    """The state keeps what it was after the last game: looking at it later is not a game."""
    ratings = rate(TABLE, GLICKO, as_of=DAYS[-1] + 600)
    before = ratings.state.rating.copy()
    assert (ratings.values[:, 1] > before[:, 1]).all()
    assert np.array_equal(ratings.state.rating, before)


@pytest.mark.parametrize("large", [False, True])
def test_ageing_compiled_is_ageing_plain(monkeypatch, large):
    """A large roster is aged by compiled code, to the same bit."""
    ratings = rate(TABLE, GLICKO)
    plain = ratings.state.mix(now=900.0)
    monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", 0 if large else 10**9)
    assert np.array_equal(ratings.state.mix(now=900.0), plain)


# --- what players begin with -------------------------------------------------------------


def test_players_begin_with_given_values():
    """A start replaces a newcomer's values by name, the others stay a newcomer's."""
    start = {"Ada": {"rating": 1700.0}, "Ben": {"rating": 1400.0, "deviation": 50.0}}
    ratings = rate(TABLE, GLICKO, start=start)
    first = ratings.history("Ada")[0]
    assert (first.before, first.opponent_rating) == (1700.0, 1400.0)
    assert ratings.history("Cleo")[0].before == 1500.0
    surer = {"Ada": {"rating": 1700.0}, "Ben": {"rating": 1400.0, "deviation": 350.0}}
    assert rate(TABLE, GLICKO, start=surer)["Ada"].rating != ratings["Ada"].rating


def test_a_start_must_fit():
    """A value the system does not have, or a player's name in other letters, is refused."""
    with refused(Unratable, "unknown_start", about="elo"):
        rate(TABLE, ELO, start={"Ada": {"deviation": 50.0}})
    with refused(UnknownPlayer, "unknown_player", about="ADA"):
        rate(TABLE, ELO, start={"ADA": {"rating": 1700.0}})
    with refused(Unratable, "start_not_finite", about="Ada"):
        rate(TABLE, ELO, start={"Ada": {"rating": float("nan")}})


# --- lost numbers ------------------------------------------------------------------------

TINY = {"Dan": {"rating": 5.0}, "Eve": {"rating": 5.0}}


@pytest.mark.parametrize(
    ("table", "period", "where"),
    [
        (games([*ROWS, ("Eve", "Dan", 1.0), ("Ada", "Ben", 1.0)]), None, "game 4"),
        (
            games([*ROWS, ("Eve", "Dan", 1.0)], time=[START, START, START + 1, START + 2]),
            "1d",
            "round 3",
        ),
        (
            contests(
                [[("Ada", 1), ("Ben", 2)], [("Dan", 2), ("Eve", 1)], [("Ada", 1), ("Ben", 2)]]
            ),
            None,
            "contest 2",
        ),
    ],
)
def test_lost_numbers_are_told(table, period, where):
    """A rating that is no number any more is an error that names player, game and reason."""
    with refused(Unratable, "no_finite_rating", about=("ratio_elo", str(where))):
        rate(table, find("ratio_elo"), period=period, start=TINY, params={"k": 30})


# --- going on ----------------------------------------------------------------------------


def test_going_on_wants_a_later_table():
    """Games before the last one, without dates beside dates, or of another kind are refused."""
    ratings = rate(TABLE, ELO)
    with refused(Unratable, "games_too_early"):
        rate_on(ratings, games(ROWS[:1], time=[START]))
    with refused(Unratable, "dates_of_one_table"):
        rate_on(ratings, games(ROWS[:1]))
    with refused(Unratable, "kinds_not_joined"):
        rate_on(ratings, contests([[("Ada", 1), ("Ben", 2)]], time=[START + 90]))


@pytest.mark.parametrize("system", ["glicko", "ics"])
@pytest.mark.parametrize("who", ["Dan", "Ben"])
def test_going_on_leaves_the_old_ratings_alone(system, who):
    """New games give new ratings; those they begin from stay as they were."""
    ratings = rate(TABLE, find(system), params={"established": 1} if system == "ics" else {})
    state = ratings.state
    arrays = [state.rating, state.seen, *(state.league or ())]
    before = [array.copy() for array in arrays]
    more = rate_on(ratings, games([(who, "Ada", 1.0)], time=[START + 50]))
    assert all(np.array_equal(*pair, equal_nan=True) for pair in zip(arrays, before, strict=True))
    assert more[who].rating != (ratings[who].rating if who in ratings else 1500)
    assert more.game_counts.sum() == ratings.game_counts.sum() + 2


def test_joined_tables_fill_what_one_lacks():
    """A column that only one table has holds what the other says by its silence."""
    first = games(ROWS[:1], time=[START], side=[1.0])
    second = games([("Cleo", "Ben", 0.0)], time=[START + 1], weight=[3.0], length=[9.0])
    both = join_tables(first, second)
    assert list(both.players) == ["Ada", "Ben", "Cleo"]
    assert (both.a.tolist(), both.b.tolist()) == ([0, 2], [1, 1])
    assert both.side.tolist() == [1.0, 0.0]
    assert both.weight.tolist() == [1.0, 3.0]
    assert both.length.tolist() == [0.0, 9.0]
    assert both.a.dtype == np.uint32


def test_a_roster_without_newcomers_stays_itself():
    """Whatever keeps the names of a table keeps those of the joined one, unless somebody is new."""

    class Book(tuple[str, ...]):
        """A roster of another kind, which names alone do not make."""

        __slots__ = ()

        def __new__(cls, names, made):
            return super().__new__(cls, names)

    book = Book(("Ada", "Ben"), made=True)
    first = games(ROWS[:1], time=[START]).replace(players=book)
    again = games([("Ben", "Ada", 1.0)], time=[START + 1]).replace(players=("Ben", "Ada"))
    assert join_tables(first, first.replace(time=np.array([START + 1]))).players is book
    both = join_tables(first, again)
    assert both.players is book
    assert (both.a.tolist(), both.b.tolist()) == ([0, 1], [1, 0])
    new = again.replace(players=("Ben", "Cleo"))
    assert list(join_tables(first, new).players) == ["Ada", "Ben", "Cleo"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS, None),
        ([*ROWS, ("Dan", "Eve", 1.0)], "2 groups (3 and 2 players) that never met"),
        ([*ROWS, ("Dan", "Eve", 1.0), ("Fay", "Gus", 0.0)], "3 groups (3 and 2, ... players)"),
    ],
)
def test_groups_that_never_met(rows, said: str | None):
    """Ratings of players that no chain of games connects are said to be apart."""
    found = [note for note in rate(games(rows), ELO).notes if "never met" in note]
    assert len(found) == (said is not None)
    assert all(str(said) in note for note in found)


def test_contests_that_never_met():
    """The players of a contest have met; who has no game is in no group."""
    table = contests([[("Ann", 1), ("Ben", 2), ("Cleo", 3)], [("Cleo", 1), ("Dan", 2)]])
    assert met_sizes(table) == (4,)
    assert met_sizes(contests([[("Ann", 1), ("Ben", 2)], [("Cleo", 1), ("Dan", 2)]])) == (2, 2)
    assert met_sizes(games(ROWS)) == (3,)
