"""Corrections in a long log, each compared with the batch run over a table of our own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from prowess.live.journal.corrections import Correct, Void
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.registry import Category
from prowess.live.journal.stored_log import collect_values, rate_log
from prowess.live.journal.submission import Submission
from prowess.live.journal.unit_of_work import WriteAct
from prowess.live.ladder.ladder import Preview
from prowess.live.result import DAY_US
from prowess.live.store.access import Actor

CATEGORY = "main"
CONSOLE = Actor.console()
AT_ONCE = 50_000  # results of an entry
FIRST_DAY, DAYS = 12_000, 8_000  # since 1970: from 2002 to 2024
SPREAD = 200.0  # of the players' strength, in points
PLACES = {"start": 0.0005, "middle": 0.5, "end": 0.9995}  # shares of the log
CHANGES = ("void", "change", "insert")

Values = dict[str, dict[str, float]]


class Log:
    """Our own idea of what counts: rows by number, in the order of entry."""

    def __init__(self, games: int, players: int, seed: int = 1) -> None:
        """Games between random players with fixed strengths, a few at the same moment."""
        random = np.random.default_rng(seed)
        strength = random.normal(0.0, SPREAD, players)
        a = random.integers(players, size=games)
        b = (a + random.integers(1, players, size=games)) % players
        chance = 1.0 / (1.0 + 10.0 ** ((strength[b] - strength[a]) / 400.0))
        moments = np.sort(random.integers(DAYS * 86_400, size=games)) * 1_000_000
        self.time = (FIRST_DAY * DAY_US + moments).tolist()
        self.a, self.b = a.tolist(), b.tolist()
        self.score = (random.random(games) < chance).astype(np.float64).tolist()
        self.counts = [True] * games

    def __len__(self) -> int:
        return len(self.time)

    def submission(self, row: int) -> Submission:
        """A row as it is reported."""
        return Submission(
            player_a=called(self.a[row]),
            player_b=called(self.b[row]),
            score=self.score[row],
            time=self.time[row],
            source="corrections",
            external_id=str(row),
        )

    def add(self, time: int, a: int, b: int, score: float) -> int:
        """A further row; its place in the list."""
        for column, value in (
            (self.time, time), (self.a, a), (self.b, b), (self.score, score), (self.counts, True),
        ):  # fmt: skip
            column.append(value)
        return len(self) - 1

    def rated(self, category: Category) -> Values:
        """What the batch program makes of it."""
        rows = np.flatnonzero(self.counts)
        size = len(rows)
        log: dict[str, Any] = {
            name: np.array(getattr(self, name))[rows] for name in ("time", "a", "b", "score")
        }
        log |= {"id": rows, "weight": np.ones(size), "side": np.zeros(size), "round": None}
        unknown = np.full(size, np.nan)
        log |= dict.fromkeys(("margin", "length", "points_a", "points_b"), unknown)
        return collect_values(rate_log(category, log, called))


class Cost(NamedTuple):
    """Seconds of one correction, and what it took."""

    place: str
    change: str
    preview: float
    commit: float
    replayed: int  # games
    movers: int


def called(number: int) -> str:
    """A player's name."""
    return f"player {number}"


def imported(journal: Journal, log: Log) -> None:
    """Enter the whole log; results get the numbers of its rows and one."""
    for start in range(0, len(log), AT_ONCE):
        rows = range(start, min(start + AT_ONCE, len(log)))
        journal.commit(RecordResults(tuple(map(log.submission, rows))), CONSOLE)


def corrected(journal: Journal, log: Log, numbers: list[int], turn: int) -> Iterator[Cost]:
    """Void, change and insert at each place; raises AssertionError where a bit differs.

    `numbers` are the results' by row; `turn` chooses other rows than another turn.
    """
    category = journal.category(CATEGORY)
    for place, share in PLACES.items():
        for step, change in enumerate(CHANGES):
            row = int(share * len(numbers)) + 3 * turn + step
            entry = edited(log, numbers, change, row)
            before = collect_values(journal.ratings(CATEGORY))
            began = time.perf_counter()
            preview = journal.preview(entry, CONSOLE).previews[CATEGORY]
            told = time.perf_counter()
            receipt = journal.commit(entry, CONSOLE)
            after_commit = time.perf_counter()
            after = collect_values(journal.ratings(CATEGORY))
            if change == "insert":
                (one,) = receipt.results
                assert one.id is not None
                numbers.append(one.id)
            foretold(journal, preview, before, after)
            assert after == log.rated(category), f"{change} at the {place}"
            movers = len(preview.movers)
            yield Cost(place, change, told - began, after_commit - told, preview.replayed, movers)


def edited(log: Log, numbers: list[int], change: str, row: int) -> WriteAct:
    """A correction at a row, done in our own log already."""
    if change == "void":
        log.counts[row] = False
        return Void((numbers[row],), "a test")
    if change == "change":
        log.score[row] = 1.0 - log.score[row]
        return Correct(numbers[row], log.submission(row), "a test")
    added = log.add(log.time[row], log.b[row], log.a[row], 0.5)
    return RecordResults((log.submission(added),))


def foretold(journal: Journal, preview: Preview, before: Values, after: Values) -> None:
    """What happened is what the preview said, and nothing else happened."""
    moved = {journal.name(one.player): one for one in preview.movers}
    assert before != after
    for player in {*before, *after}:
        if player in moved:
            assert moved[player].before == before.get(player)
            assert moved[player].after == after.get(player)
        else:
            assert before[player] == after[player]
