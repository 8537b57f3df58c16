"""One game or contest without a table: the numbers of rating a table of it alone, to the last bit.

The loop that would play such a table runs as plain Python over lists of its few members, so that a
bot pays microseconds. Which loop that is, is found out once for each form, from an example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.refusals import ProwessError
from prowess.engine.game_forecast import AskedGame, foresee_game, foresee_sides, game_to_come
from prowess.engine.loops import make_age
from prowess.engine.periods import BY_LABEL, Rounds, parse_period, rounds_of
from prowess.engine.places import ContestForecast
from prowess.engine.replay import plain_loop, play
from prowess.engine.rows import common_at, first_rows, game_rules, sum_parts
from prowess.engine.run import AHEAD, TableRun
from prowess.engine.state import State, initial_state, newcomer, stored_values
from prowess.engine.system import Chances, Dynamic, Unratable, no_finite_rating
from prowess.engine.table import refuse_unratable
from prowess.games.games import Games

MOST_RATED = 2_000  # players of a contest that a server rates at once
MOST_LISTED = 64  # sides; the pairs of more are played as a table is, compiled where it pays


class Contest(NamedTuple):
    """One contest: members side by side, with the result where it is known.

    `starts` are the values of each member, as they are displayed; None for a newcomer. `result` is
    the score of the first of two sides, or the places of more. `idle` are the days since each
    member's last game, where time passes.
    """

    names: Sequence[str]
    sizes: tuple[int, ...]  # members of each side
    shares: Sequence[float]
    starts: Sequence[Mapping[str, float] | None]
    result: Any = None
    side: float = 0.0
    idle: Sequence[float] | None = None

    @property
    def pairwise(self) -> bool:
        """Whether it is a game of two sides."""
        return len(self.sizes) == 2

    @property
    def form(self) -> ContestForm:
        """What decides how it is played."""
        shared = any(share != 1.0 for share in self.shares)
        return ContestForm(self.sizes, self.idle is not None, shared)

    def last_seen(self, unit: float) -> list[float]:
        """The system's clock at each member's last game, now being 0; nan for a newcomer."""
        if self.idle is None:
            return [nan] * len(self.names)
        return [
            nan if start is None else -(days if unit == 1.0 else days / unit)
            for start, days in zip(self.starts, self.idle, strict=True)
        ]

    def to_table(self) -> Games:
        """A table of this contest alone."""
        sides, count = len(self.sizes), len(self.names)
        columns: dict[str, Any] = {"time": None if self.idle is None else np.zeros(1)}
        who = np.arange(count, dtype=np.uint32)
        if count == 2:
            columns |= {"a": who[:1].copy(), "b": who[1:].copy()}
        else:
            columns |= {"player": who, "ends": np.cumsum([0, *self.sizes], dtype=np.int64)}
            if any(share != 1.0 for share in self.shares):
                columns["share"] = np.array(self.shares, dtype=np.float64)
        if self.pairwise:
            columns |= {"score": np.array([self.result]), "round": np.zeros(1, dtype=np.int32)}
            columns["side"] = np.array([self.side]) if self.side else None
        else:
            columns |= {"place": np.array(self.result, dtype=np.float64)}
            columns["start"] = np.array([0, sides])
        return Games(list(self.names), **columns)


class ContestForm(NamedTuple):
    """What decides how a contest is played."""

    sizes: tuple[int, ...]
    timed: bool
    shared: bool

    def example(self) -> Games:
        """A table of a contest of this form."""
        count = sum(self.sizes)
        pairwise = len(self.sizes) == 2
        return Contest(
            names=[str(k) for k in range(count)],
            sizes=self.sizes,
            shares=[0.5 if self.shared else 1.0] * count,
            starts=[None] * count,
            result=0.5 if pairwise else [1.0] * len(self.sizes),
            idle=[0.0] * count if self.timed else None,
        ).to_table()


class ContestPlan(NamedTuple):
    """The loop that plays contests of one form, and where their sides begin."""

    kind: str
    loop: Callable[..., None]
    ends: list[int]


def rounds_of_one(system: Dynamic, table: Games) -> Rounds:
    """The one round of a table of one contest."""
    by_round = system.rounds == "period" and table.pairwise
    return rounds_of(system, table, BY_LABEL if by_round else None)


def plan_contest(system: Dynamic, p: Any, form: ContestForm) -> ContestPlan:
    """The plan for contests of this form; raises Unratable where the system takes none."""
    table = form.example()
    refuse_unratable(system, table)
    rounds = rounds_of_one(system, table)
    run = TableRun(State.empty(system, p), table, rounds, np.empty(1), None, None)
    loop = plain_loop(run.kind, system, run.flags, True)
    return ContestPlan(run.kind, loop, [0, *accumulate(form.sizes)])


@contextmanager
def refuse_extremes(system: Dynamic) -> Iterator[None]:
    """Raise Unratable where numbers are so far from those of players that arithmetic fails."""
    try:
        yield
    except ProwessError:
        raise
    except (ArithmeticError, ValueError):
        raise Unratable.of("values_too_extreme", system=system.name) from None


class SingleContests:
    """Contests under one system and its settings, each without a table."""

    def __init__(self, system: Dynamic, p: Any) -> None:
        self.system, self.p = system, p
        self.newcomer = newcomer(system, p)
        self.plan = lru_cache(maxsize=256)(partial(plan_contest, system, p))
        self.unit = parse_period(system.clock).days
        self.age = make_age(system, 0.0) if system.drift is not None else None
        # sums over all players, or numbers that games teach, need the state of a table
        self.with_state = system.league is not None or system.common is not None
        columns = list(game_rules(system.game).columns.values())
        self.blank = [0.0] * len(columns)
        self.side_at = columns.index("side") if "side" in columns else 0

    def begin(self, values: Mapping[str, float] | None) -> Any:
        """The rating with these values; raises Unratable for one that the system does not have."""
        if not values:
            return self.newcomer
        return self.newcomer._replace(**stored_values(self.system, values))

    def play(self, contest: Contest) -> tuple[list[Any], list[Any], list[float]]:
        """Ratings of the members before and after, and the expected score of every side.

        That of a side of many is the mean against the others. Raises Unratable.
        """
        plan = self.plan(contest.form)
        before = [self.begin(one) for one in contest.starts]
        if self.with_state or len(contest.sizes) > MOST_LISTED:
            after, expected = self.play_table(contest)
        else:
            after, expected = self.play_listed(contest, plan, before)
        for name, rating in zip(contest.names, after, strict=True):
            if not all(map(isfinite, rating)):
                raise no_finite_rating(self.system, name)
        if contest.pairwise:
            expected = [expected[0], 1.0 - expected[0]]
        return before, after, expected

    def play_listed(
        self, contest: Contest, plan: ContestPlan, before: Sequence[Any]
    ) -> tuple[list[Any], list[float]]:
        """Play by the loop of the plan over lists."""
        system, p, count, sides = self.system, self.p, len(before), len(contest.sizes)
        state, seen, clock = list(before), contest.last_seen(self.unit), [0.0]
        who, bounds, games = list(range(count)), [0, 1], None
        if contest.pairwise:
            game = self.blank.copy()
            game[self.side_at], game[0] = contest.side, contest.result
            games = [system.game._make(game)]
        if plan.kind == "sides":
            found: dict[tuple[int, int], float] = {}
            plan.loop(
                p, [0], state, seen, None, [None] * count, [-1] * count, [0] * count, state.copy(),
                [None] * sides, [None] * count, [0.0] * sides,
                *(system.make_room(sides) or (None,)), who, contest.shares, plan.ends, [0, sides],
                contest.result, games, bounds, clock, None, *([], [], []), found, None, None, None,
                0, 1,
            )  # fmt: skip
            return state, [found[k, 0] for k in range(1 if contest.pairwise else sides)]
        expected = [nan]
        watched = (clock, None, expected, None, None, None, 0, 1, AHEAD)
        if plan.kind == "games":
            plan.loop(p, state, seen, None, [0], [1], games, *watched)
        else:
            pool = ([None, None], [-1, -1], [0, 0])
            plan.loop(p, state, seen, None, *pool, [0], [1], games, bounds, *watched, 0, 2)
        return state, expected

    def play_table(self, contest: Contest) -> tuple[list[Any], list[float]]:
        """Play as a table of this contest is played."""
        system, table = self.system, contest.to_table()
        starts = {k: values for k, values in enumerate(contest.starts) if values}
        state = initial_state(system, self.p, len(contest.names), starts, table)
        for k, seen in enumerate(contest.last_seen(self.unit)):
            if seen == seen:  # noqa: PLR0124 - not nan
                state.seen[k] = seen
        expected = np.full(len(table.outcome), nan)
        with np.errstate(all="ignore"):
            play(state, table, rounds_of_one(system, table), forecasts=expected)
        return list(map(system.rating._make, state.rating.tolist())), expected.tolist()

    def ask(self, contest: Contest) -> AskedGame:
        """The contest before it is played, as the functions of the system take it."""
        system, p = self.system, self.p
        plan = self.plan(contest.form)
        members = [self.begin(one) for one in contest.starts]
        if self.age is not None:
            seen = contest.last_seen(self.unit)
            members = [self.age(p, me, at, 0.0) for me, at in zip(members, seen, strict=True)]
        if system.part is not None:
            members = [
                system.part(p, me, share) for me, share in zip(members, contest.shares, strict=True)
            ]
        sides = [sum_parts(members[a:b]) for a, b in pairwise(plan.ends)]
        game = game_to_come(system, p, contest.side)
        learnt = first_rows(system, (p,))
        common = () if learnt is None else common_at(system, p, learnt, game)
        return AskedGame(p, game, sides, common)

    def chances(self, contest: Contest) -> Chances:
        """The chances of the first of two sides; raises Unratable."""
        return foresee_game(self.system, self.ask(contest))

    def forecast_many(self, contest: Contest, named: tuple[Any, ...]) -> ContestForecast:
        """The chances of a contest of many, whose sides are called so; raises Unratable."""
        with np.errstate(all="ignore"):
            shown = foresee_sides(self.system, [self.ask(contest)])
            return ContestForecast.of_many(named, shown)
