"""A machine's clock that jumped: what was entered then, and what is entered after it was set."""

from __future__ import annotations

import time

import httpx2
import pytest

from prowess.live.errors import Refused
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.corrections import Correct
from prowess.live.journal.journal import Journal, machine_clock, verify_store
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.journal.unit_of_work import SET_BACK
from prowess.live.result import DAY_US
from prowess.live.store import queries
from tests.live.api.test_server import report, running
from tests.live.journal.journals import CONSOLE, NOW, game, record_games
from tests.refusals import refused

SECOND = 1_000_000  # microseconds
YEARS = 730 * DAY_US


class Set:
    """A clock that shows what it is set to."""

    def __init__(self, now: int) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


def times(journal: Journal, numbers: list[int]) -> list[int]:
    """The times of results."""
    with journal.store.read() as connection:
        return [one.time for one in queries.find_results(connection, numbers)]


@pytest.mark.parametrize("period", [None, "1mo"])
def test_results_after_a_jump_get_the_time_of_the_clock(store_url, period):
    """One entry stamped two years ahead leaves the times of later ones alone; live is batch."""
    clock = Set(NOW)
    journal = Journal.open(store_url, clock=clock)
    journal.commit(NewCategory("main", system="glicko2", period=period), CONSOLE)
    first = record_games(journal, game("Ada", "Ben"))
    clock.now = NOW + YEARS
    wrong = record_games(journal, game("Ben", "Cleo"))
    clock.now = NOW + SECOND
    later = record_games(journal, game("Cleo", "Ada"))
    clock.now = NOW + 2 * SECOND
    last = record_games(journal, game("Ada", "Ben"), game("Ben", "Cleo"))
    assert times(journal, [*first, *wrong, *later, *last]) == [
        NOW, NOW + YEARS, NOW + SECOND, NOW + 2 * SECOND, NOW + 2 * SECOND
    ]  # fmt: skip
    ratings = journal.ratings("main")
    played = sorted(ratings.table.time.tolist())
    assert ratings.table.time.tolist() == played
    with refused(Refused, "future"):
        record_games(
            journal, Submission(player_a="Ada", player_b="Ben", score=1.0, time=NOW + 2 * DAY_US)
        )
    mended = Submission(player_a="Ben", player_b="Cleo", score=1.0, time=NOW)
    journal.commit(Correct(wrong[0], mended), CONSOLE)
    assert times(journal, wrong) == [NOW]
    assert journal.ratings("main").day == pytest.approx((NOW + 2 * SECOND) / DAY_US)
    journal.close()
    assert not any(one.differences for one in verify_store(store_url))


def test_a_clock_that_is_set_back_a_little_keeps_the_order(sqlite_url):
    """Within a minute results that say no time are played in the order in which they came."""
    clock = Set(NOW)
    journal = Journal.open(sqlite_url, clock=clock)
    journal.commit(NewCategory("main"), CONSOLE)
    first = record_games(journal, game("Ada", "Ben"))
    clock.now = NOW - SET_BACK
    second = record_games(journal, game("Ben", "Ada"))
    assert times(journal, [*first, *second]) == [NOW, NOW]
    clock.now = NOW - SET_BACK - 1
    third = record_games(journal, game("Ben", "Ada"))
    assert times(journal, third) == [NOW - SET_BACK - 1]
    journal.close()


def test_the_server_tells_of_a_clock_that_is_behind_its_store(tmp_path):
    """The started server says so on stderr, and takes results with the time of its clock."""
    store = tmp_path / "club.db"
    journal = Journal.open(f"sqlite:///{store}", clock=lambda: machine_clock() + YEARS)
    journal.commit(NewCategory("main"), CONSOLE)
    journal.commit(RecordResults((game("Ada", "Ben"),)), CONSOLE)
    journal.close()
    with running("--store", str(store), "--quiet") as server, httpx2.Client(timeout=20) as client:
        (told,) = [line for line in server.said if "clock" in line]
        assert told.startswith("check the machine's clock: it is 730 days behind revision ")
        report(server, client, "Cleo", "Dan")
        found = client.get(f"{server.url}/api/v1/results?limit=10").json()["items"]
        (one,) = [each for each in found if each["player_a"] == "Cleo"]
        assert one["time"][:4] == time.strftime("%Y", time.gmtime())
        assert server.ended() == 0
    assert not any(one.differences for one in verify_store(f"sqlite:///{store}"))
