"""Every road on which a loop runs: the catalogue over small tables of each kind, and the readers.

What the roads compile is what wheels bring as kernels; `tests/wheels` walks them again where no
compiler is.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from typing import Any

import numpy as np

import prowess
from prowess.compile import kernel, prebuilt
from prowess.compile.cache import compile_ahead
from prowess.compile.prebuilt import Kernel
from prowess.engine import large_contest, run
from prowess.errors import ProwessError
from prowess.games.games import Games
from prowess.systems.catalogue import catalogue

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay")
GAMES, CONTESTS = 60, 20
LARGE_CONTESTS = 12  # each takes long; ten lead to all loops, eight do not
DAYS = 200  # from the first game to the last

Act = Callable[[Games, str], object]
Columns = dict[str, list[Any]]


def duels(
    *,
    dates: bool = False,
    margins: bool = False,
    side: bool = False,
    draws: bool = True,
    weights: bool = False,
) -> Columns:
    """Games of two players, with some columns or without."""
    chance = np.random.default_rng(1)
    a = chance.integers(0, len(NAMES), GAMES)
    b = (a + chance.integers(1, len(NAMES), GAMES)) % len(NAMES)
    points = chance.integers(0, 5, (2, GAMES))
    if not draws:
        points[0] += points[0] == points[1]
    first, second = ("home", "away") if side else ("player_a", "player_b")
    columns: Columns = {first: [NAMES[k] for k in a], second: [NAMES[k] for k in b]}
    if margins:
        columns |= {f"{first}_score": points[0].tolist(), f"{second}_score": points[1].tolist()}
    else:
        columns["result"] = (np.sign(points[0] - points[1]) / 2 + 0.5).tolist()
    if weights:
        columns["weight"] = [1.0 + k % 2 for k in range(GAMES)]
    if dates:
        columns["date"] = days(chance, GAMES)
    return columns


def contests(*, dates: bool, count: int = CONTESTS) -> Columns:
    """Contests of many players."""
    chance = np.random.default_rng(2)
    columns: Columns = {"contest": [], "player": [], "place": []}
    for number in range(count):
        players = chance.permutation(NAMES)[: chance.integers(3, len(NAMES) + 1)].tolist()
        columns["contest"] += [number] * len(players)
        columns["player"] += players
        columns["place"] += range(1, len(players) + 1)
    if dates:
        when = days(chance, count)
        columns["date"] = [when[number] for number in columns["contest"]]
    return columns


def teams(*, dates: bool) -> Columns:
    """Games of teams of two, whose members are rated."""
    columns: Columns = {
        "winner": ["Ada & Ben", "Ada & Cleo"] * 5,
        "loser": ["Cleo & Dan", "Ben & Dan"] * 5,
    }
    return columns | ({"date": days(np.random.default_rng(3), 10)} if dates else {})


def days(chance: np.random.Generator, count: int) -> list[str]:
    """Dates in order."""
    numbers = np.sort(chance.integers(0, DAYS, count))
    return [str(np.datetime64("2024-01-01") + number) for number in numbers]


def list_tables(*, half: bool = False) -> Iterator[Games]:
    """A table of each kind; by `half` those of duels in which every three columns meet in each way,
    with and without each of them.
    """
    for dates, margins, side, draws in product((False, True), repeat=4):
        if half and (dates + margins + side + draws) % 2:
            continue
        yield read(duels(dates=dates, margins=margins, side=side, draws=draws))
    for dates in (False, True):
        yield read(duels(dates=dates, weights=True))
        yield read(contests(dates=dates))
        yield read(teams(dates=dates), teams="members")


def read(columns: Columns, **options: Any) -> Games:
    """A table of columns."""
    return prowess.read_games(columns, warn=False, **options)


ACTS: tuple[Act, ...] = (
    lambda table, name: prowess.rate(table, name).leaderboard(),
    lambda table, name: prowess.rate(table, name).history("Ada"),
    lambda table, name: prowess.rate(table, name, period="1mo"),
    prowess.backtest,
)


def walk_roads(
    systems: Sequence[str] = (), acts: Sequence[Act] = (), *, half: bool = False
) -> None:
    """Do with each table, under each system, what a loop is for; also what pays for large ones.

    `half` chooses the tables, see `list_tables`.
    """
    with compile_ahead():
        tables = list(list_tables(half=half))
        leagues = {**duels(dates=True), "league": ["one", "two"] * (GAMES // 2)}
        for name in systems or catalogue():
            for act, table in product(acts or ACTS, tables):
                walk(act, table, name)
            walk(lambda table, each: prowess.rate_leagues(table, each, by="league"), leagues, name)
            for dates in (False, True):
                with large_states():
                    walk(prowess.rate, read(duels(dates=dates)), name)
                    for act in ACTS:
                        walk(act, read(contests(dates=dates, count=LARGE_CONTESTS)), name)
        walk_readers()


def walk(act: Callable[..., object], table: Any, name: str) -> None:
    """Do something with a table under a system, if it can."""
    with suppress(ProwessError):  # some systems rate games alone, or have no history
        act(table, name)


def walk_without_compiler(systems: Sequence[str] = (), *, half: bool = False) -> set[str]:
    """Walk the roads by kernels alone; returns the names of the loops that have none."""
    assert kernel.available(), "there are no kernels"
    assert not kernel.has_compiler(), "there is a compiler"
    find, missing = prebuilt.find_kernel, set[str]()

    def note_missing(name: str, digest: str, kinds: str) -> Kernel | None:
        found = find(name, digest, kinds)
        if found is None:
            missing.add(name)
        return found

    prebuilt.find_kernel = note_missing
    try:
        walk_roads(systems, half=half)
    finally:
        prebuilt.find_kernel = find
    return missing


@contextmanager
def large_states() -> Iterator[None]:
    """Rate as if ratings did not fit into the cache, and a contest of a few were one of many."""
    before = run.CACHED_STATE, large_contest.LARGE_FIELD
    run.CACHED_STATE, large_contest.LARGE_FIELD = 0, 4
    try:
        yield
    finally:
        run.CACHED_STATE, large_contest.LARGE_FIELD = before


def walk_readers() -> None:
    """Read tables as files: CSV with delimiters, quotes, line ends and dates of several kinds."""
    dated = duels(dates=True, margins=True)
    for delimiter, quote, end in product(",;\t", ("", '"'), ("\n", "\r\n")):
        for columns in (dated, contests(dates=True)):
            rows = [
                [f"{quote}{cell}{quote}" for cell in row]
                for row in zip(*columns.values(), strict=True)
            ]
            text = end.join(delimiter.join(row) for row in [[*columns], *rows])
            prowess.read_games(io.BytesIO(text.encode()), format="csv", compiled=True, warn=False)
