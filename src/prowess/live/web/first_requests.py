"""Compile ahead of requests what the first of them would compile: pages of every ladder.

Which loops a page needs depends on the system and on the kind of results, and no list of them would
stay true. So every page that visitors may ask for is asked for once, in this process, before
requests are accepted, and of a category made later soon after: of the ladder itself, or of one with
made-up results where it is small or empty. All that runs meanwhile is compiled, also what pays only
for ladders of another size. What was compiled is kept on disk: that it was done is noted there too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from prowess.compile import kernel
from prowess.compile.cache import compile_ahead, note_done, was_done
from prowess.games.dates import format_day
from prowess.live.api.middleware import ServerSettings
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import LineUp, Submission
from prowess.live.ladder.ladder import player_ids
from prowess.live.result import CONTESTS, DAY_US
from prowess.live.store.access import Actor

if TYPE_CHECKING:
    from fastapi import FastAPI

    from prowess.live.journal.registry import Category

Build = Callable[[Journal, ServerSettings], "tuple[FastAPI, Callable[[], None]]"]

ADDRESSES = (  # {a} and {b} are names of players, {1} and {2} their numbers
    "/c/{key}", "/c/{key}/players/{1}", "/c/{key}/pairs/{1}/{2}", "/c/{key}/pairings",
    "/c/{key}/method", "/api/v1/categories/{key}/leaderboard",
    "/api/v1/categories/{key}/leaderboard?as_of={day}",
    "/api/v1/categories/{key}/players/{a}/history",
    "/api/v1/categories/{key}/forecast?a={a}&b={b}", "/api/v1/categories/{key}/next",
    "/api/v1/categories/{key}/calibration",
)  # fmt: skip
RESULTS, PLAYERS = 1000, 25  # of a ladder that is made up; larger ladders are their own
HOUR = DAY_US // 24
FIRST_TIME = 19_000 * DAY_US  # of the made-up results
_walked: set[str] = set()  # by this process, as nothing may be kept on disk


def compile_first_requests(journal: Journal, build: Build) -> None:
    """Ask for every page of every ladder once, unless that was done on this machine before.

    `build` builds the application of a journal, and a function that ends it.
    """
    if not kernel.available():
        return
    for category in journal.categories():
        count = len(journal.ladder(category.key))
        mark = describe_work(category, count)
        if mark in _walked or was_done(mark):
            continue
        with compile_ahead():
            if count < RESULTS:
                # games with draws and games without have loops of their own; contests have places
                for draws in (False,) if category.kind == CONTESTS else (False, True):
                    with open_sample(category, draws) as sample:
                        walk_pages(sample, category.key, build)
            else:
                walk_pages(journal, category.key, build)
        note_done(mark)
        _walked.add(mark)


def describe_work(category: Category, count: int) -> str:
    """What decides which loops the pages of a ladder need, as a text."""
    size = len(str(count)) if count >= RESULTS else 0
    method = (category.system, category.period, category.kind, category.extra, category.side_size)
    return f"pages {' '.join(map(str, method))} {size}"


def walk_pages(journal: Journal, key: str, build: Build) -> list[int]:
    """Ask for every page of a ladder with results; returns the status of each answer."""
    ladder = journal.ladder(key)
    ladder.settle()
    ladder.load_compiled()
    ratings = ladder.view().ratings
    if ratings is None:
        return []
    one, other = player_ids(ratings)[:2].tolist()
    words = {
        "key": key, "1": one, "2": other, "a": journal.name(one), "b": journal.name(other),
        "day": format_day(journal.registry.at // DAY_US),
    }  # fmt: skip
    app, end = build(journal, ServerSettings())
    try:
        return asyncio.run(ask_all(app, [fill(address, words) for address in ADDRESSES]))
    finally:
        app.state.streams.close()
        end()


def fill(address: str, words: dict[str, Any]) -> str:
    """An address with words in the place of their names."""
    for name, word in words.items():
        address = address.replace(f"{{{name}}}", str(word))
    return address


async def ask_all(app: FastAPI, addresses: list[str]) -> list[int]:
    """Ask an application for some addresses, one after the other."""
    return [await ask(app, address) for address in addresses]


async def ask(app: FastAPI, address: str) -> int:
    """The status of the answer to a request, as ASGI has it; no connection is made."""
    path, _, query = address.partition("?")
    statuses: list[int] = []
    never = asyncio.Event()
    sent: list[dict[str, Any]] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not sent:
            await never.wait()  # the client stays
        return sent.pop()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await app(
        {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
            "scheme": "http", "path": unquote(path), "raw_path": path.encode(),
            "query_string": query.encode(), "headers": [(b"host", b"localhost")],
            "client": ("127.0.0.1", 0), "server": ("127.0.0.1", 80), "root_path": "",
        },
        receive, send,
    )  # fmt: skip
    return statuses[0]


# Made-up results.


@contextmanager
def open_sample(category: Category, draws: bool = False) -> Iterator[Journal]:
    """The journal of a store with a category of the same kind, and made-up results."""
    with (
        TemporaryDirectory(prefix="prowess-") as folder,
        closing(Journal.open(str(Path(folder) / "sample.db"))) as journal,
    ):
        new = NewCategory(
            category.key, plays=category.kind, system=category.system, params=category.params,
            period=category.period, extra=category.extra, side_size=category.side_size,
        )  # fmt: skip
        console = Actor.console()
        journal.commit(new, console)
        chance = Random(1)
        rows = tuple(make_result(category, number, chance, draws) for number in range(RESULTS))
        journal.commit(RecordResults(rows), console)
        yield journal


def make_result(category: Category, number: int, chance: Random, draws: bool) -> Submission:
    """A made-up result as a category takes it; sides have all sizes that it allows."""
    size = 1 + number % category.side_size
    names = [f"player {k}" for k in chance.sample(range(PLAYERS + 2 * size), 3 * size)]
    teams = [tuple((name, 1.0) for name in names[k::3]) for k in range(3)]
    time = FIRST_TIME + number * HOUR
    points = "points" in category.extra
    if category.kind == CONTESTS:
        sides = tuple(
            LineUp(team, place=place, points=4.0 - place if points else None)
            for place, team in enumerate(teams, 1)
        )
        return Submission(time=time, sides=sides)
    won = chance.choice((0.0, 0.5, 1.0) if draws else (0.0, 1.0))
    sides = tuple(
        LineUp(team, score=mine, points=1.0 + mine if points else None)
        for team, mine in zip(teams, (won, 1.0 - won), strict=False)
    )
    return Submission(
        time=time,
        sides=sides,
        margin=2.0 * won - 1.0 if "margin" in category.extra else None,
        length=1.0 if "length" in category.extra else None,
        round=f"round {number // 50}" if category.period == "round" else None,
    )
