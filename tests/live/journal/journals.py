"""A journal with a few players, for tests."""

from __future__ import annotations

from itertools import count

from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal, verify_store
from prowess.live.journal.record import RecordResults
from prowess.live.journal.stored_log import collect_values
from prowess.live.journal.submission import Submission
from prowess.live.result import DAY_US
from prowess.live.store.access import Actor

NOW = 20_000 * DAY_US  # 2024-10-04
CONSOLE = Actor.console()


class Clock:
    """A clock that moves a second at each look."""

    def __init__(self) -> None:
        self.seconds = count()

    def __call__(self) -> int:
        return NOW + next(self.seconds) * 1_000_000


def open_journal(url: str, **method) -> Journal:
    """A journal with one category `main`."""
    journal = Journal.open(url, clock=Clock())
    if not journal.categories():
        journal.commit(NewCategory("main", **({"system": "elo"} | method)), CONSOLE)
    return journal


def game(a: str, b: str, score: float = 1.0, day: float | None = None, **more) -> Submission:
    """A game between two on a day before now."""
    time = None if day is None else NOW - 1000 * DAY_US + round(day * DAY_US)
    return Submission(player_a=a, player_b=b, score=score, time=time, **more)


def record_games(journal: Journal, *games: Submission, actor: Actor = CONSOLE) -> list[int]:
    """Report games; the numbers they got."""
    return [one.id for one in journal.commit(RecordResults(games), actor).results]


def read_values(journal: Journal) -> dict[str, dict[str, float]]:
    """Every value of every player of `main`, by name."""
    return collect_values(journal.ratings("main"))


def is_verified(journal: Journal) -> bool:
    """Whether everything shown equals the replay of the log."""
    return not any(
        proof.differences for proof in verify_store(journal.store.address.render_as_string(False))
    )
