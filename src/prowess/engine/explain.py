"""Why did my rating move? Every game of a player, with terms that add up to the change.

The games are replayed once more, keeping the ratings before each game of this player; then the
system's own functions are asked again, in plain Python, what they made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum, isclose
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.engine.leaderboard import aligned
from prowess.engine.meetings import Meeting, bytes_watched, rounds, watched
from prowess.engine.periods import date_text
from prowess.engine.replay import Watch
from prowess.engine.rows import added, game_rules, mirrored, scaled

if TYPE_CHECKING:
    from prowess.engine.replayed import Replayed

KEPT_AT_MOST = 2**28  # bytes of ratings before every game that are kept with the ratings
TRACE = 1e-9  # a remainder below this part of the change is rounding and belongs to the game


class Step(NamedTuple):
    """One game of one player (of a contest: against one opponent of the field).

    `terms` are points; their exact sum (`math.fsum`) is `change` = `after` - `before`. In a round
    of several games the steps lead from the rating before the round to the one after it.
    """

    row: int  # of the table as it was played
    round: int
    time: float | None  # days since 1970
    opponent: str
    opponent_rating: float
    score: float
    expected: float
    before: float
    after: float
    change: float
    terms: dict[str, float]
    values: Any  # the system's Rating after the round

    def as_dict(self) -> dict[str, Any]:
        """Plain data, the time as an ISO date."""
        data = self._asdict()
        data["time"] = None if self.time is None else date_text(self.time)
        data["values"] = self.values._asdict()
        return data


@dataclass(frozen=True, eq=False)
class History:
    """All steps of a player in order of play."""

    player: str
    system: str
    steps: tuple[Step, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __getitem__(self, index: int) -> Step:
        return self.steps[index]

    def cells(self) -> list[list[str]]:
        """Rows of texts, the header first."""
        header = [
            "date",
            "opponent",
            "their rating",
            "score",
            "expected",
            "before",
            "after",
            "change",
        ]
        dated = any(step.time is not None for step in self.steps)
        body = [
            [
                "" if step.time is None else date_text(step.time),
                step.opponent,
                f"{step.opponent_rating:.1f}",
                f"{step.score:g}",
                f"{step.expected:.3f}",
                f"{step.before:.1f}",
                f"{step.after:.1f}",
                f"{step.change:+.1f}",
            ]
            for step in self.steps
        ]
        return [header, *body] if dated else [row[1:] for row in (header, *body)]

    def __str__(self) -> str:
        return aligned(self.cells())

    __repr__ = __str__


class Formulas(NamedTuple):
    """What is done with evidence, made once for all steps."""

    add: Callable[..., Any]
    weigh: Callable[..., Any]
    opposite: Callable[..., Any]


def histories(ratings: Replayed, players: Sequence[int]) -> tuple[History, ...]:
    """The histories of players by number, in that order, from one replay of the whole table.

    The replay is kept for the next who asks, unless it is too large.
    """
    keep = "watch" in vars(ratings) or bytes_watched(ratings) <= KEPT_AT_MOST
    seen = ratings.watch if keep else watched(ratings, players)
    shape = ratings.system.evidence_zero
    formulas = Formulas(added(shape), scaled(shape), mirrored(shape, ratings.system.mirrors))
    return tuple(_history(ratings, player, seen, formulas) for player in players)


def _history(ratings: Replayed, player: int, seen: Watch, formulas: Formulas) -> History:
    steps: list[Step] = []
    rating: float | None = None
    for number, me, meetings, league in rounds(ratings, player, seen):
        steps += _steps(ratings, formulas, number, rating, me, meetings, league)
        rating = steps[-1].after
    return History(ratings.players[player], ratings.system.name, tuple(steps))


def _steps(
    ratings: Replayed,
    formulas: Formulas,
    number: int,
    earlier: float | None,
    me: Any,
    meetings: list[Meeting],
    league: Any,
) -> list[Step]:
    """The steps of one round: what each game brought, and last what no single game brought."""
    system, p = ratings.system, ratings.p
    pieces = [
        formulas.weigh(_evidence(ratings, formulas, me, meeting), meeting.weight)
        for meeting in meetings
    ]
    total = system.evidence_zero
    for piece in pieces:
        total = formulas.add(total, piece)
    after = system.absorb(p, me, total, *(() if system.league is None else (league,)))
    between = 0.0 if earlier is None else me.rating - earlier
    rating = me.rating if earlier is None else earlier
    steps = []
    for k, (meeting, piece) in enumerate(zip(meetings, pieces, strict=True)):
        terms = {"between games": between} if k == 0 and between else {}
        mine, theirs = system.alone(p, me), system.alone(p, meeting.rating)
        points = 0.0 if system.credit is None else float(system.credit(p, me, after, piece))
        if k < len(meetings) - 1:
            target = fsum((rating, *terms.values(), points))
        else:
            target = after.rating
        change = target - rating
        rest = fsum((change, -points, *(-term for term in terms.values())))
        if system.credit is None or isclose(rest, 0.0, abs_tol=TRACE * max(1.0, abs(target))):
            points = fsum((change, *(-term for term in terms.values())))
            rest = 0.0
        terms["game"] = points
        if rest:
            terms[system.rest] = rest
        _settle(terms, change)
        steps.append(
            Step(
                row=meeting.row,
                round=number,
                time=_time(ratings, meeting.row, number),
                opponent=ratings.players[meeting.opponent],
                opponent_rating=meeting.rating.rating,
                score=meeting.game.score,
                expected=float(system.expected(p, mine, theirs, meeting.game)),
                before=rating,
                after=target,
                change=change,
                terms=terms,
                values=after,
            )
        )
        rating = target
    return steps


def _settle(terms: dict[str, float], change: float) -> None:
    """Put the last bits of rounding into the largest term, so that the sum is exact.

    A change far smaller than its terms is not reached so: what is left is a term of its own.
    """
    for _ in range(8):
        error = fsum((change, *(-term for term in terms.values())))
        if error == 0.0:
            return
        largest = max(terms, key=lambda name: abs(terms[name]))
        if terms[largest] + error == terms[largest]:
            largest = "rounding"
        terms[largest] = terms.get(largest, 0.0) + error


def _evidence(ratings: Replayed, formulas: Formulas, me: Any, meeting: Meeting) -> Any:
    """What the loop computed: where a side's is derived, from the first side."""
    system, p = ratings.system, ratings.p
    mine, theirs = system.alone(p, me), system.alone(p, meeting.rating)
    if not meeting.derived:
        one = system.evidence(p, mine, theirs, meeting.game)
    else:
        mirror = game_rules(system.game).mirror
        one = formulas.opposite(system.evidence(p, theirs, mine, mirror(meeting.game)))
    return one if system.due is None else system.due(p, me, 1.0, mine, one)


def _time(ratings: Replayed, row: int, number: int) -> float | None:
    time = ratings.table.time
    if time is None:
        return None
    return float(time[number if not ratings.table.pairwise else row])
