"""Pages of every kind of ladder are asked for before the server accepts requests."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from prowess.cli.verbs.serve import build_application
from prowess.compile import kernel, worth
from prowess.engine import replay
from prowess.live.api.category_view import view_category
from prowess.live.api.server import load_roads
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal
from prowess.live.result import CONTESTS
from prowess.live.store.access import Actor
from prowess.live.web import first_requests
from prowess.live.web.first_requests import ADDRESSES, compile_first_requests, open_sample
from prowess.present.players import build_profiles

KINDS = {
    "games": NewCategory("games"),
    "months": NewCategory("months", system="glicko2", period="1mo"),
    "rounds": NewCategory("rounds", system="glicko2", period="round"),
    "pairs": NewCategory("pairs", system="trueskill", side_size=2),
    "contests": NewCategory("contests", plays=CONTESTS, system="weng_lin"),
    "teams": NewCategory("teams", plays=CONTESTS, system="trueskill", side_size=3),
    "points": NewCategory("points", extra=("points",)),
    "margins": NewCategory("margins", extra=("margin", "length")),
    "fitted": NewCategory("fitted", system="bradley_terry"),
}
OF_TWO = {
    "/c/{key}/pairs/{1}/{2}", "/c/{key}/pairings", "/api/v1/categories/{key}/next",
}  # fmt: skip
ABSENT = {  # pages that such a ladder does not have
    "pairs": OF_TWO, "contests": OF_TWO, "teams": OF_TWO,
    "fitted": {"/api/v1/categories/{key}/players/{a}/history"},
}  # fmt: skip


@pytest.mark.parametrize("key", KINDS)
def test_pages_of_made_up_results(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ladder of every kind can be made up, and all its pages are there."""
    monkeypatch.setattr(first_requests, "RESULTS", 400)
    with closing(Journal.open(str(tmp_path / "ladder.db"))) as journal:
        journal.commit(KINDS[key], Actor.console())
        with open_sample(journal.category(key)) as sample:
            assert len(sample.ladder(key)) == 400
            found = first_requests.walk_pages(sample, key, build_application)
    answered = zip(ADDRESSES, found, strict=True)
    assert {address for address, status in answered if status != 200} == ABSENT.get(key, set())


def test_later_starts_load_what_few_games_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start with nothing left to compile links the loops of small requests all the same."""
    if not kernel.available():
        pytest.skip("needs a compiler")
    monkeypatch.setattr(first_requests, "RESULTS", 400)
    monkeypatch.setattr(replay, "_LOADED", set())
    with closing(Journal.open(str(tmp_path / "ladder.db"))) as journal:
        journal.commit(KINDS["games"], Actor.console())
        with open_sample(journal.category("games")) as sample:
            load_roads(sample)
            monkeypatch.setattr(replay.Replay, "play_plain", None)
            view = view_category(sample, "games")
            assert view.ratings is not None
            for k in range(1, 6):
                assert build_profiles(view.ratings, (k,), view.rule, view.among)[k].opponents


@pytest.mark.parametrize("key", ["games", "fitted"])
def test_loops_of_larger_ladders(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops that pay only for ladders of another size are compiled too."""
    if not kernel.available():
        pytest.skip("needs a compiler")
    cache = tmp_path / "cache"
    monkeypatch.setenv("PROWESS_CACHE", str(cache))
    monkeypatch.setattr(first_requests, "_walked", set())
    monkeypatch.setattr(replay, "_LOADED", set())
    replay.compiled_loop.cache_clear()  # as in a new process
    with closing(Journal.open(str(tmp_path / "ladder.db"))) as journal:
        journal.commit(KINDS[key], Actor.console())
        compile_first_requests(journal, build_application)
        known = {path.name for path in cache.glob("*.code")}
        monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", 1)
        with open_sample(journal.category(key)) as sample:
            first_requests.walk_pages(sample, key, build_application)
    assert known
    assert {path.name for path in cache.glob("*.code")} == known


def test_done_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was done on this machine is not done again, unless a ladder has grown tenfold."""
    if not kernel.available():
        pytest.skip("needs a compiler")
    monkeypatch.setenv("PROWESS_CACHE", str(tmp_path))
    monkeypatch.setattr(first_requests, "RESULTS", 60)
    monkeypatch.setattr(first_requests, "_walked", set())
    walked: list[int] = []

    def walk(journal: Journal, key: str, _: object) -> list[int]:
        walked.append(len(journal.ladder(key)))
        return []

    monkeypatch.setattr(first_requests, "walk_pages", walk)
    with closing(Journal.open(str(tmp_path / "ladder.db"))) as journal:
        journal.commit(KINDS["games"], Actor.console())
        for _ in range(2):
            compile_first_requests(journal, build_application)
        assert walked == [60, 60]
    with open_sample(journal.category("games")) as sample:
        for _ in range(2):
            compile_first_requests(sample, build_application)
        assert walked == [60, 60, 60]
