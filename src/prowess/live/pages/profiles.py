"""One player as plain values: rating and rank, how it came about, against whom."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.explain import Step
from prowess.engine.fitted import NoModel
from prowess.engine.replayed import Replayed
from prowess.engine.uncertainty import normal_quantile
from prowess.games.games import Contests, Games
from prowess.live.pages.boards import Record, marks, roster
from prowess.live.pages.meetings import Meeting, Person, meeting
from prowess.live.pages.wording import why
from prowess.live.views.profiles import steps
from prowess.study.figures.thinning import thinned
from prowess.study.figures.unit import shown_column

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.study.figures.certainty import Certainty
    from prowess.study.figures.listing import Listing

COLUMNS = 600  # of the chart: what is between two of them cannot be told apart on a screen


class Line(NamedTuple):
    """One game (of contests: one contest) of the player."""

    row: int  # of the table; of contests the number of the contest
    number: int  # 1 is the first
    time: float | None
    opponent: Person | None  # None: the field of a contest
    field: int  # opponents
    their_rating: float | None
    score: float
    expected: float | None
    before: float | None
    after: float | None
    change: float | None
    why: str


class Peak(NamedTuple):
    """A highest number, and after which game it was reached."""

    value: float
    number: int
    time: float | None


class Profile(NamedTuple):
    """Everything a player's page says."""

    who: Person
    rank: int | None  # None: not listed
    ranks: tuple[int, int] | None
    listed: int
    marks: tuple[str, ...]
    rating: float
    low: float | None
    high: float | None
    values: dict[str, float]  # the system's other numbers
    games: int
    record: Record | None
    first: float | None
    last: float | None
    peak: Peak | None
    surest: Peak | None  # the highest lower end of the interval
    lines: tuple[Line, ...]  # the newest first
    opponents: tuple[Meeting, ...]  # the most met first
    best: Line | None  # the win against the strongest
    worst: Line | None  # the loss against the weakest
    chart: dict[str, list[float | None]] | None


def profile(ratings: Ratings, k: int, listing: Listing, sure: Certainty) -> Profile:
    """The page of player k; `sure` are the intervals of those listed."""
    name = ratings.players[k]
    listed = listing.chosen(ratings)
    strength = ratings.strength
    here = bool(np.isin(k, listed))
    low, high = sure.interval(k)
    lines, values = lines_of(ratings, k)
    opponents = opponents_of(ratings, k)
    wins = [one for one in lines if one.opponent and one.score == 1.0 and one.their_rating]
    losses = [one for one in lines if one.opponent and one.score == 0.0 and one.their_rating]
    record = None
    if isinstance(ratings.table, Games):
        record = Record(*np.sum([one.record for one in opponents], axis=0, dtype=int).tolist())
    low_ends = _low_ends(values, sure.level)
    return Profile(
        who=Person(k, name),
        rank=1 + int((strength[listed] > strength[k]).sum()) if here else None,
        ranks=sure.ranks(k) if here else None,
        listed=len(listed),
        marks=marks(ratings, k, listing),
        rating=float(shown_column(ratings)[k]),
        low=low,
        high=high,
        values=_others(ratings, k),
        games=int(ratings.games[k]),
        record=record,
        first=lines[-1].time if lines else None,
        last=lines[0].time if lines else None,
        peak=_peak(lines, [one.after for one in reversed(lines)]),
        surest=_peak(lines, low_ends),
        lines=tuple(lines),
        opponents=tuple(opponents),
        best=max(wins, key=lambda one: one.their_rating or 0.0, default=None),
        worst=min(losses, key=lambda one: one.their_rating or 0.0, default=None),
        chart=chart(lines, values, sure.level),
    )


def lines_of(ratings: Ratings, k: int) -> tuple[list[Line], list[Any]]:
    """The games of a player, the newest first, and his values after each, the oldest first.

    A system that looks at the whole table at once knows no changes: there are no values.
    """
    if not isinstance(ratings, Replayed):
        return list(_static_lines(ratings, k))[::-1], []
    places = roster(ratings)
    history = steps(ratings, k)
    if isinstance(ratings.table, Contests):
        grouped = [_contest_line(n, steps) for n, steps in enumerate(_by_contest(history), 1)]
        return [line for line, _ in grouped][::-1], [values for _, values in grouped]
    lines = [
        Line(
            row=step.row,
            number=n,
            time=step.time,
            opponent=Person(places[step.opponent], step.opponent),
            field=1,
            their_rating=step.opponent_rating,
            score=step.score,
            expected=step.expected,
            before=step.before,
            after=step.after,
            change=step.change,
            why=why(step),
        )
        for n, step in enumerate(history, 1)
    ]
    return lines[::-1], [step.values for step in history]


def _by_contest(history: Iterable[Step]) -> Iterable[list[Step]]:
    """The steps of each contest, one an opponent."""
    return (list(steps) for _, steps in groupby(history, key=lambda step: step.round))


def _contest_line(number: int, steps: list[Step]) -> tuple[Line, Any]:
    """All opponents of one contest as one line: the share of the field that was beaten."""
    n = len(steps)
    terms: dict[str, float] = {}
    for step in steps:
        for name, value in step.terms.items():
            terms[name] = terms.get(name, 0.0) + value
    whole = steps[-1]._replace(
        score=fsum(step.score for step in steps) / n,
        expected=fsum(step.expected for step in steps) / n,
        before=steps[0].before,
        change=fsum(step.change for step in steps),
        terms=terms,
    )
    line = Line(
        row=whole.round,
        number=number,
        time=whole.time,
        opponent=None,
        field=n,
        their_rating=fsum(step.opponent_rating for step in steps) / n,
        score=whole.score,
        expected=whole.expected,
        before=whole.before,
        after=whole.after,
        change=whole.change,
        why=why(whole),
    )
    return line, whole.values


def _static_lines(ratings: Ratings, k: int) -> Iterable[Line]:
    """Games with what today's ratings expect of them."""
    table = ratings.table
    if not isinstance(table, Games):
        return
    rating = shown_column(ratings)
    rows = np.flatnonzero((table.a == k) | (table.b == k))
    for number, row in enumerate(rows.tolist(), 1):
        mine = int(table.a[row]) == k
        other = int(table.b[row] if mine else table.a[row])
        side = 0.0 if table.side is None else float(table.side[row])
        try:
            expected: float | None = ratings.chances(k, other, side if mine else -side).expected
        except NoModel:
            expected = None
        score = float(table.score[row])
        yield Line(
            row=row,
            number=number,
            time=None if table.time is None else float(table.time[row]),
            opponent=Person(other, ratings.players[other]),
            field=1,
            their_rating=float(rating[other]),
            score=score if mine else 1.0 - score,
            expected=expected,
            before=None,
            after=None,
            change=None,
            why="",
        )


def opponents_of(ratings: Ratings, k: int) -> list[Meeting]:
    """Everyone the player met, the most met first; empty for contests."""
    table = ratings.table
    if not isinstance(table, Games):
        return []
    rows = np.flatnonzero((table.a == k) | (table.b == k))
    other = np.where(table.a[rows] == k, table.b[rows], table.a[rows]).astype(np.int64)
    order = np.argsort(other, kind="stable")
    cuts = np.flatnonzero(np.diff(other[order])) + 1
    found = [
        meeting(ratings, k, int(part_other[0]), part)
        for part, part_other in zip(
            np.split(rows[order], cuts), np.split(other[order], cuts), strict=True
        )
        if len(part)
    ]
    return sorted(found, key=lambda one: (-one.games, one.b.name))


def _others(ratings: Ratings, k: int) -> dict[str, float]:
    """The system's own numbers beside the first, for people."""
    names = [n for n in ratings.fields[1:] if n not in ratings.inner]
    columns = ratings.columns
    return {n: columns[n][k].item() for n in names if n in columns}


def _low_ends(values: list[Any], level: float) -> list[float | None]:
    """The lower end of the interval after each game; empty without a deviation."""
    if not values or "deviation" not in values[0]._fields:
        return []
    z = normal_quantile(level)
    return [one.rating - z * one.deviation for one in values]


def _peak(lines: list[Line], heights: list[float | None]) -> Peak | None:
    """Where a number was highest, of lines the newest first and heights the oldest first."""
    known = [(height, n) for n, height in enumerate(heights) if height is not None]
    if not known:
        return None
    height, n = max(known, key=lambda one: (one[0], -one[1]))
    line = lines[len(lines) - 1 - n]
    return Peak(height, line.number, line.time)


def chart(
    lines: list[Line], values: list[Any], level: float
) -> dict[str, list[float | None]] | None:
    """Columns for the drawing, the oldest first: number, day, rating, low and high.

    Points that no screen could show apart are left out, peaks never; None for under two points.
    """
    drawn = [one for one in reversed(lines) if one.after is not None]
    if len(drawn) < 2:
        return None
    number = np.array([one.number for one in drawn], dtype=np.float64)
    rating = np.array([one.after for one in drawn], dtype=np.float64)
    kept = thinned(number, rating, COLUMNS)
    columns: dict[str, list[float | None]] = {
        "number": number[kept].tolist(),
        "rating": rating[kept].round(6).tolist(),
    }
    if drawn[0].time is not None:
        columns["day"] = [drawn[k].time for k in kept.tolist()]
    if "deviation" in values[0]._fields:
        z = normal_quantile(level)
        reach = z * np.array([one.deviation for one in values], dtype=np.float64)[kept]
        columns["low"] = (rating[kept] - reach).round(6).tolist()
        columns["high"] = (rating[kept] + reach).round(6).tolist()
    return columns
