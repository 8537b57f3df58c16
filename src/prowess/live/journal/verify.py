"""Verify ladders: the ratings shown equal a batch run over the log, to the last bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.periods import BadRounds
from prowess.engine.system import Dynamic, Unratable
from prowess.games.columns import number_by_appearance
from prowess.games.games import Games, gather_runs
from prowess.live.journal.registry import Category
from prowess.live.result import CONTESTS, days

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

Served = Callable[[str], tuple[int, dict[str, dict[str, float]]]]
CLOSE = 1e-9  # of whole-table fits, which add up in another order


class RatingDifference(NamedTuple):
    """A served value that differs from the replay of the log."""

    player: str
    column: str
    shown: float | None
    replayed: float | None


class Verification(NamedTuple):
    """The comparison of one category."""

    category: str
    results: int
    players: int
    differences: tuple[RatingDifference, ...]
    trouble: str | None = None  # why the log cannot be rated


def verify_category(
    category: Category,
    log: Mapping[str, Any],
    shown: Mapping[str, Mapping[str, float]],
    name: Callable[[int], str],
) -> Verification:
    """Compare what is shown (values by player) with a replay of the log by the batch program.

    If the log cannot be rated, nothing is compared, and `trouble` says why.
    """
    try:
        ratings = rate_log(category, log, name)
    except (Unratable, BadRounds) as error:
        return Verification(category.key, len(log["id"]), 0, (), str(error))
    replayed = collect_values(ratings)
    exact = ratings is None or isinstance(ratings.system, Dynamic)
    found = []
    for player in sorted({*shown, *replayed}):
        one, other = shown.get(player, {}), replayed.get(player, {})
        for column in one or other:
            a, b = one.get(column), other.get(column)
            if not (_same(a, b) or (not exact and _close(a, b))):
                found.append(RatingDifference(player, column, a, b))
    return Verification(category.key, len(log["id"]), len(replayed), tuple(found))


def collect_values(ratings: Ratings | None) -> dict[str, dict[str, float]]:
    """Every column of every player with a game, by name."""
    if ratings is None:
        return {}
    played = np.flatnonzero(ratings.game_counts)
    columns = {name: column[played].tolist() for name, column in ratings.columns.items()}
    return {
        ratings.players[row]: {name: float(column[k]) for name, column in columns.items()}
        for k, row in enumerate(played.tolist())
    }


def rate_log(
    category: Category, log: Mapping[str, Any], name: Callable[[int], str]
) -> Ratings | None:
    """The ratings of a category by the batch program; None without a result."""
    from prowess.rating import rate

    if not len(log["id"]):
        return None
    constants: dict[str, Any] = dict(category.params)
    return rate(
        build_log_table(category, log, name), category.system, period=category.period, **constants
    )


def build_log_table(
    category: Category, log: Mapping[str, Any], name: Callable[[int], str]
) -> Games:
    """The log as a table: in order of time, and of entry where times are equal."""
    order = np.lexsort((log["id"], log["time"]))
    time = np.asarray(days(log["time"][order]), dtype=np.float64)
    weight = log["weight"][order]
    contests = category.kind == CONTESTS
    count = len(order)
    player = log.get("player")
    if player is None:  # games of one player against one
        player = np.stack((log["a"], log["b"]), axis=1).ravel()
    start = log["start"] if contests else np.arange(0, 2 * count + 1, 2)
    ends = log.get("ends", np.arange(int(start[-1]) + 1))
    share = log.get("share", np.ones(len(player)))
    sides, start = gather_runs(start, order)
    members, ends = gather_runs(ends, sides)
    roster, number = build_roster(player[members], name)
    given: dict[str, Any] = {}
    if len(members) > len(sides) or (share != 1.0).any():
        given = {
            "player": number,
            "ends": ends,
            "share": drop_usual(share[members], 1.0),
        }
    elif contests:
        given = {"player": number}
    else:
        given = {n: np.ascontiguousarray(number[at::2]) for at, n in enumerate(("a", "b"))}
    if contests:
        given |= {"start": start, "place": log["place"][sides]}
        return Games(players=roster, time=time, weight=drop_usual(weight, 1.0), **given)
    extra = {one: log[one][order] for one in ("margin", "length", "points_a", "points_b")}
    labels = log["round"]
    return Games(
        players=roster,
        score=log["score"][order],
        time=time,
        round=None if labels is None else number_labels(labels[order]),
        side=drop_usual(log["side"][order], 0.0),
        weight=drop_usual(weight, 1.0),
        **given,
        **{one: column for one, column in extra.items() if not np.isnan(column).any()},
    )


def build_roster(players: Any, name: Callable[[int], str]) -> tuple[list[str], Any]:
    """A roster in order of first appearance, and its numbers."""
    found, number = number_by_appearance(players)
    return [name(one) for one in found.tolist()], number.astype(np.uint32)


def number_labels(labels: Any) -> Any:
    """Labels as numbers in order of first appearance."""
    codes: dict[Any, int] = {}
    return np.array([codes.setdefault(one, len(codes)) for one in labels], dtype=np.int32)


def drop_usual(column: Any, value: float) -> Any:
    """The column, or None if all its values are the usual one."""
    return None if np.all(column == value) else column


def _same(a: float | None, b: float | None) -> bool:
    """Equal to the last bit."""
    if a is None or b is None:
        return a is b
    return a == b or (isnan(a) and isnan(b))


def _close(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return False
    return abs(a - b) <= CLOSE * max(1.0, abs(a), abs(b))


def verify_store(url: str, served: Served | None = None) -> list[Verification]:
    """Verify every category of a store, while a server may be running on it.

    `served` gives what a server shows of a category and at which revision; None compares what a
    server would show if it were started now. Raises StoreError.
    """
    from prowess.live.journal.journal import Journal
    from prowess.live.journal.log_queries import read_log_columns

    journal = Journal.open(url, claim=False)
    try:
        found = []
        for category in journal.categories():
            if served is None:
                revision = journal.revision
                ladder = journal.ladder(category.key)
                ladder.settle()
                shown = collect_values(ladder.ratings())
            else:
                revision, shown = served(category.key)
            with journal.store.read() as connection:
                log = read_log_columns(connection, category, journal.registry.people, revision)
            found.append(verify_category(category, log, shown, journal.name))
        return found
    finally:
        journal.store.close()
