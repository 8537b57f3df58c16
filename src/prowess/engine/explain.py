"""Explanations of rating changes: every game of a player, with terms that add up to the change.

The games are replayed, recording the ratings before each game of this player; then the system's
own functions compute each change again, in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum, isclose
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.leaderboard import format_table
from prowess.engine.meetings import (
    Meeting,
    PlayedTable,
    Round,
    bytes_watched,
    rounds,
    watch_players,
)
from prowess.engine.rows import common_kept, game_rules, make_mirror, make_scaling, make_sum
from prowess.engine.run import Watch
from prowess.engine.state import displayed, displayed_tuple, mixture, parameters_of, weights_of
from prowess.games.dates import format_date

if TYPE_CHECKING:
    from prowess.engine.system import Dynamic

KEPT_AT_MOST = 2**28  # bytes of ratings before every game that are kept with the ratings
REWEIGHED = "settings weighed anew"  # the part of a change that a bank's new weights made
TRACE = 1e-9  # a remainder below this part of the change is rounding and belongs to the game


class Step(NamedTuple):
    """One game of one player (of a contest: against one opponent of the field).

    `terms` are points; their exact sum (`math.fsum`) is `change` = `after` - `before`. In a round
    of several games the steps lead from the rating before the round to the one after it.
    """

    row: int  # of the table as it was played; in a contest (its number: `round`) the member's
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
    partners: str = ""  # the other members of the player's side

    def as_dict(self) -> dict[str, Any]:
        """Plain data, the time as an ISO date; partners only where there are some."""
        data = self._asdict()
        if not self.partners:
            del data["partners"]
        data["time"] = None if self.time is None else format_date(self.time)
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
        """Rows of texts, the header first; dates and partners only where there are some."""
        columns = {
            "date": ["" if s.time is None else format_date(s.time) for s in self.steps],
            "with": [step.partners for step in self.steps],
            "opponent": [step.opponent for step in self.steps],
            "their rating": [f"{step.opponent_rating:.1f}" for step in self.steps],
            "score": [f"{step.score:g}" for step in self.steps],
            "expected": [f"{step.expected:.3f}" for step in self.steps],
            "before": [f"{step.before:.1f}" for step in self.steps],
            "after": [f"{step.after:.1f}" for step in self.steps],
            "change": [f"{step.change:+.1f}" for step in self.steps],
        }
        shown = [name for name in columns if name not in {"date", "with"} or any(columns[name])]
        return [shown, *map(list, zip(*(columns[name] for name in shown), strict=True))]

    def __str__(self) -> str:
        return format_table(self.cells(), ("with", "opponent"))

    __repr__ = __str__


class Formulas(NamedTuple):
    """The functions of evidence, made once for all steps."""

    add: Callable[..., Any]
    weigh: Callable[..., Any]
    opposite: Callable[..., Any]
    mirror: Callable[..., Any]
    of_side: tuple[Any, ...]  # see _side_parameters


def histories(ratings: PlayedTable, players: Sequence[int]) -> tuple[History, ...]:
    """The histories of players by number, in that order, from one replay of the whole table.

    The replay is kept for further calls, unless it is too large.
    """
    keep = "watch" in vars(ratings) or bytes_watched(ratings) <= KEPT_AT_MOST
    seen = ratings.watch if keep else watch_players(ratings, players)
    system = ratings.system
    shape = system.evidence_zero
    formulas = Formulas(
        make_sum(shape),
        make_scaling(shape),
        make_mirror(shape, system.mirrors),
        game_rules(system.game).mirror,
        _side_parameters(ratings),
    )
    return tuple(_history(ratings, player, seen, formulas) for player in players)


def _history(ratings: PlayedTable, player: int, seen: Watch, formulas: Formulas) -> History:
    steps: list[Step] = []
    rating: float | None = None
    for one in rounds(ratings, player, seen):
        steps += _steps(ratings, formulas, rating, one)
        rating = steps[-1].after
    return History(ratings.players[player], ratings.system.name, tuple(steps))


class _Outcome(NamedTuple):
    """What a round made of a player, as displayed."""

    before: float
    after: float
    values: Any  # the system's Rating after the round
    points: list[float]  # that each meeting brought
    expected: list[float]
    reweighed: float  # of the change, what the new weights of a bank made


def _steps(
    ratings: PlayedTable, formulas: Formulas, earlier: float | None, one: Round
) -> list[Step]:
    """The steps of one round: what each game brought, and last what no single game brought."""
    system, meetings = ratings.system, one.meetings
    found = _outcome(ratings, formulas, one)
    between = 0.0 if earlier is None else found.before - earlier
    rating = found.before if earlier is None else earlier
    steps = []
    for k, meeting in enumerate(meetings):
        terms = {"between games": between} if k == 0 and between else {}
        points = found.points[k]
        if k < len(meetings) - 1:
            target = fsum((rating, *terms.values(), points))
        else:
            target = found.after
            if found.reweighed:
                terms[REWEIGHED] = found.reweighed
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
                round=one.number,
                time=_time(ratings, meeting.row, one.number),
                opponent=_names(ratings, meeting.opponents),
                opponent_rating=meeting.opponent_rating,
                score=meeting.game.score,
                expected=found.expected[k],
                before=rating,
                after=target,
                change=change,
                terms=terms,
                values=found.values,
                partners=_names(ratings, meeting.partners),
            )
        )
        rating = target
    return steps


def _names(ratings: PlayedTable, players: tuple[int, ...]) -> str:
    """The members of a side, as one text."""
    return " & ".join(ratings.players[player] for player in players)


def _outcome(ratings: PlayedTable, formulas: Formulas, one: Round) -> _Outcome:
    """What the functions of the system made of a round; of a bank the mean of its settings."""
    system = ratings.system
    found = [_of_setting(ratings, formulas, one, lane) for lane in range(len(one.before))]
    if one.logs is None:
        ((after, points, expected),) = found
        return _Outcome(one.before[0].rating, after.rating, after, points, expected, 0.0)
    assert one.later is not None
    weights = weights_of(one.logs)
    later = weights_of(one.later)

    def mean(numbers: Sequence[float]) -> float:
        return fsum(w * number for w, number in zip(weights.tolist(), numbers, strict=True))

    rows = np.array([after for after, _, _ in found]).T.reshape(1, -1)
    mixed = displayed(system, mixture(system.rating._fields, rows, later))
    values = displayed_tuple(system, mixed[0].tolist())
    ratings_after = [after.rating for after, _, _ in found]
    return _Outcome(
        mean([before.rating for before in one.before]),
        values.rating,
        values,
        [mean(points) for points in zip(*(points for _, points, _ in found), strict=True)],
        [mean(each) for each in zip(*(expected for _, _, expected in found), strict=True)],
        values.rating - mean(ratings_after),
    )


def _side_parameters(ratings: PlayedTable) -> tuple[Any, ...]:
    """The parameters by which games are judged, one entry a setting: those of the first role."""
    roles = ratings.state.roles
    return parameters_of(ratings.system, ratings.p, roles)[:: len(roles)]


def _of_setting(
    ratings: PlayedTable, formulas: Formulas, one: Round, lane: int
) -> tuple[Any, list[float], list[float]]:
    """Under one setting: the rating after a round, and of each meeting points and forecast."""
    system, me, p = ratings.system, one.before[lane], one.parameters[lane]
    of_side = p if len(ratings.state.roles) == 1 else formulas.of_side[lane]
    learnt = _learnt(ratings, one, lane)
    expected = [
        float(system.expected(of_side, m.mine[lane], m.theirs[lane], m.game, *learnt[0]))
        for m in one.meetings
    ]
    if one.field is not None:
        pieces = _pieces_of_contest(system, of_side, me, p, one, lane, formulas)
    else:
        pieces = [_piece(system, formulas, (of_side, p), me, m, lane, learnt) for m in one.meetings]
    total = system.evidence_zero
    for piece in pieces:
        total = formulas.add(total, piece)
    after = system.absorb(p, me, total, *(() if system.league is None else (one.league,)))
    points = [0.0] * len(pieces)
    if system.credit is not None:
        points = [float(system.credit(p, me, after, piece)) for piece in pieces]
    return after, points, expected


def _learnt(ratings: PlayedTable, one: Round, lane: int) -> tuple[Any, Any]:
    """The last argument of the functions as both sides saw the game; () for none."""
    system, lanes, bank = ratings.system, ratings.state.lanes, ratings.state.logs is not None
    if system.common is None:
        return (), ()
    mine, theirs = (
        common_kept(system, lanes, bank, one.kept, lane, second)
        for second in (one.second, not one.second)
    )
    return mine, theirs


def _piece(
    system: Dynamic,
    formulas: Formulas,
    ps: tuple[Any, Any],
    me: Any,
    meeting: Meeting,
    lane: int,
    learnt: tuple[Any, Any] = ((), ()),
) -> Any:
    """What the loop computed of a meeting for this member; a derived one from the first side."""
    of_side, p = ps
    mine, theirs, game = meeting.mine[lane], meeting.theirs[lane], meeting.game
    if meeting.derived:
        back = formulas.mirror(game)
        one = formulas.opposite(system.evidence(of_side, theirs, mine, back, *learnt[1]))
    else:
        one = system.evidence(of_side, mine, theirs, game, *learnt[0])
    if system.due is not None:
        one = system.due(p, me, meeting.share, mine, one)
    return formulas.weigh(one, meeting.weight)


def _pieces_of_contest(
    system: Dynamic, of_side: Any, me: Any, p: Any, one: Round, lane: int, formulas: Formulas
) -> list[Any]:
    """The evidence of a contest judged at once: that of a side stands with its last meeting."""
    assert one.field is not None
    assert system.contest is not None
    sides = one.field.sides[lane]
    columns = type(sides[0])(*map(list, zip(*sides, strict=True)))
    zero = system.evidence_zero
    out = type(zero)(*([0.0] * len(sides) for _ in zero))
    system.contest(of_side, columns, list(one.field.place), out)
    pieces = [zero] * len(one.meetings)
    for k, meeting in enumerate(one.meetings):
        if k + 1 < len(one.meetings) and one.meetings[k + 1].at == meeting.at:
            continue
        whole = type(zero)(*(column[meeting.at] for column in out))
        weight = meeting.weight / system.pair_weight(float(len(sides)))
        if system.due is not None:
            whole = system.due(p, me, meeting.share, meeting.mine[lane], whole)
        pieces[k] = formulas.weigh(whole, weight)
    return pieces


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


def _time(ratings: PlayedTable, row: int, number: int) -> float | None:
    time = ratings.played.time
    if time is None:
        return None
    return float(time[number if not ratings.played.pairwise else row])
