"""Pages of players replay nothing: the runs of the engine are counted while pages are asked for."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

import prowess
from prowess.engine.played import PlayedTable
from prowess.engine.replay import Replay
from prowess.live.api.middleware import ServerSettings
from prowess.live.journal.corrections import Void
from prowess.live.journal.record import RecordResults
from prowess.live.ladder.ratings import LadderRatings
from prowess.live.store.access import Actor
from prowess.present.histories import careers
from prowess.present.home import expect_members
from tests.live.pages.club import club, submissions
from tests.live.whole import ANY

ME = Actor.console()
PAGES = (
    "/c/club/players/{a}",
    "/c/club/players/{a}.csv",
    "/api/v1/categories/club/players/Ada",
    "/api/v1/categories/club/players/Ada/history",
)


class Counts:
    """How often results were played by the engine, and ratings before them read from memory."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.played = self.reads = 0
        read = LadderRatings.play_again

        def count_runs(play: Any) -> Any:
            def play_and_count(run: Any, low: int, high: int, *more: Any) -> Any:
                first, last = run.contests(low, high)
                self.played += last - first
                return play(run, low, high, *more)

            return play_and_count

        def count_read(ratings: Any, *more: Any, **named: Any) -> None:
            self.reads += 1
            read(ratings, *more, **named)

        for name in ("play_plain", "play_compiled"):
            patch.setattr(Replay, name, count_runs(getattr(Replay, name)))
        patch.setattr(LadderRatings, "play_again", count_read)


@pytest.mark.parametrize("method", [{"system": "elo"}, {"system": "glicko", "period": "7d"}])
def test_pages_of_players_replay_nothing(sqlite_url, monkeypatch, method):
    """After a result, and after a correction, pages read what the ladder kept as it played."""
    settings = ServerSettings(by_address=ANY)
    with club(sqlite_url, settings, **method) as (app, journal), TestClient(app) as client:
        people = journal.registry.people
        numbers = {"a": people.find("Ada"), "b": people.find("Ben")}
        counts = Counts(monkeypatch)
        for entry in (
            RecordResults(submissions([("Ada", "Ben", 1.0, 19_100)])),
            RecordResults(submissions([("Cleo", "Dan", 0.0, 19_101)])),
            Void((7,), reason="a mistake"),
        ):
            journal.commit(entry, ME)
            assert counts.played > 0  # the ladder itself
            counts.played = counts.reads = 0
            for page in PAGES:
                address = page.format(**numbers)
                answer = client.get(address)
                assert answer.status_code == 200, (address, answer.text[:200])
                assert counts.played == 0, address
            assert client.get("/c/club/pairs/{a}/{b}".format(**numbers)).status_code == 200
            if "period" not in method:
                assert counts.played == 3  # what a win, a draw and a loss would change
            counts.played = 0
            assert counts.reads > 0 or entry.kind == "record"


def test_replays_are_counted(sqlite_url, monkeypatch):
    """Of a large log, too, ratings are read; without that it would be replayed, and counted."""
    monkeypatch.setattr(LadderRatings, "kept_bytes", -1)
    with club(sqlite_url) as (_, journal):
        counts = Counts(monkeypatch)
        state = journal.ladder("club").published
        ratings: Any = state.ratings()
        read = ratings.histories((0,))
        assert (counts.played, counts.reads) == (0, 1)
        monkeypatch.setattr(LadderRatings, "play_again", PlayedTable.play_again)
        again: Any = state.ratings()
        assert again.histories((0,))[0].steps == read[0].steps
        assert counts.played == len(ratings.table)


def test_tables_replay_nothing_under_the_default_system(sqlite_url, monkeypatch):
    """The ladder keeps what ratings were before each result, as careers of the library have it."""
    with club(sqlite_url, system="prowess") as (app, journal), TestClient(app) as client:
        counts = Counts(monkeypatch)
        for entry in (
            RecordResults(submissions([("Ada", "Ben", 1.0, 19_100)])),
            Void((7,), reason="a mistake"),
            RecordResults(submissions([("Cleo", "Dan", 0.0, 19_050)])),
        ):
            journal.commit(entry, ME)
            counts.played = 0
            for address in ("/", "/c/club", "/c/club?moves=year"):
                assert client.get(address).status_code == 200
            assert counts.played == 0
        ratings = journal.ratings("club")
        params = dict(journal.category("club").params)
        batch = prowess.rate(ratings.table, "prowess", params=params)
        for name in ("Ada", "Ben", "Cleo"):
            (kept,), (again,) = careers(ratings, [name]), careers(batch, [name])
            assert kept.rating.tolist() == again.rating.tolist()
            assert kept.deviation.tolist() == again.deviation.tolist()
            expected = [step.expected for step in batch.history(name).steps]
            mine = ratings.table.player == ratings.index(name)
            assert expect_members(ratings, ())[mine].tolist() == pytest.approx(expected, abs=1e-12)
