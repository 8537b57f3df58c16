"""Rate each league of a stream by itself, in one pass over files that need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.by_league import collect_players, keeps_players_apart
from prowess.engine.league_ratings import LeagueRatings
from prowess.engine.params import settings
from prowess.engine.periods import BY_LABEL, Rounds
from prowess.engine.streams.rate_stream import StreamRun, rate_stream
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.table import explain_empty, refuse_empty
from prowess.games.by_league import LeagueTables, RenamedRoster
from prowess.games.errors import IN_MEMORY
from prowess.games.runs import bounds_of, reduce_runs

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.games.by_league import League
    from prowess.games.stream import LeagueStream


def rate_league_stream(
    source: LeagueStream,
    system: Dynamic,
    *,
    rate_alone: Callable[[League], Ratings],
    period: str | None = None,
    as_of: float | None = None,
    compiled: bool | None = None,
    params: Mapping[str, Any] | None = None,
    run: StreamRun | None = None,
) -> LeagueRatings:
    """The ratings of each league of a stream; the arguments are those of `rate_stream`.

    `rate_alone` reads one league again. Raises what `rate_stream` raises, and Unratable for a
    system that does not rate all leagues in one pass.
    """
    p = settings(system, params or {})
    if not keeps_players_apart(system, p):
        raise Unratable(
            f"name a system such as elo or glicko2, or {IN_MEMORY}: "
            f"{system.name} rates one league after the other",
            code="leagues_not_streamed",
        )
    by_clock = period is not None and system.drift is not None and not system.follows_period
    if by_clock or period == BY_LABEL:
        raise Unratable(
            f"leave --period out, or {IN_MEMORY}: rounds of {system.name} begin at other times in "
            "each league",
            code="period_of_leagues",
        )
    try:
        found = rate_stream(
            source, system, period=period, as_of=as_of, compiled=compiled, params=params, run=run
        )
    except Unratable:
        refuse_empty(len(source.leagues), min(source.later.values(), default=None), as_of)
        raise
    league = source.find_leagues()
    order = np.argsort(league, kind="stable")
    ends = np.searchsorted(league[order], np.arange(len(source.leagues) + 1, dtype=np.int64))
    last = None if found.last is None else found.last[order]
    days = None if last is None else reduce_runs(np.maximum, last, ends[:-1])
    tables = LeagueTables(
        found.table.replace(players=RenamedRoster(found.players, order)),
        source.by,
        tuple(source.leagues),
        bounds_of(source.games),
        ends,
    )
    state = replace(found.state, rating=found.state.rating[order], seen=found.state.seen[order])
    rounds = Rounds(None, None, None if found.now is None else np.zeros(1))
    return LeagueRatings(
        system=system,
        p=p,
        period=period,
        tables=tables,
        rated=tuple(range(len(tables))),
        unrated={league: explain_empty(day, as_of) for league, day in source.later.items()},
        players=collect_players(
            state, rounds, period, tables,
            days if as_of is None else np.full(len(tables), as_of),
            (found.game_counts[order], last),
        ),
        rate_alone=rate_alone,
        notes=found.notes,
    )  # fmt: skip
