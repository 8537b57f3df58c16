"""Rating periods by owner: every shard of players adds up what concerns its own players.

In a period all games are judged by the ratings before it, so what one player learns does not
depend on what another learns. A shard has all games of its players in the order of the table
(`games.shards`): it ages everyone its players met, asks for the evidence about its own players
alone, adds it in that order, and returns the rows of its own players. All shards' rows in a row are
the ratings of everyone before the next period.

The numbers are those of `rate` to the last bit, with any number of shards on any workers. What is
a sum over more than a player's own games cannot be cut so, and `check_ownable` refuses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.compile.worth import part_of
from prowess.engine.cluster.dask import Dask
from prowess.engine.cluster.workers import Serial, Workers
from prowess.engine.leaderboard import find_player
from prowess.engine.params import Bank, settings
from prowess.engine.periods import BY_LABEL, LABEL_GAP, BadRounds, Rounds, parse_period, rounds_of
from prowess.engine.rate import DynamicRatings, moment, run_notes
from prowess.engine.rater import Seen, check_finite, refuse_impossible
from prowess.engine.ratings import Streamed
from prowess.engine.replay import play
from prowess.engine.rows import game_rules
from prowess.engine.state import State, initial_state
from prowess.engine.streams.checkpoint import Checkpoints, digest_mark
from prowess.engine.streams.resuming import describe_run
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.table import empty_table, refuse_unratable
from prowess.games.games import Games
from prowess.games.shards import Block, Part, Shards
from prowess.games.totals import Ends, widen_ends

if TYPE_CHECKING:
    from pathlib import Path


PERIOD_COLUMNS = frozenset({"a", "b", "score", "round", "time"})  # of a look for periods
ROWS_AT_ONCE = 1 << 22  # rows of a shard that are looked at together


def check_ownable(system: Dynamic, p: Any, period: str | None) -> None:
    """Raise Unratable where a player's rating needs more than the games of their own."""
    why = ""
    if system.prepare is not None:
        why = "looks at the whole table before the first game"
    elif system.league is not None:
        why = "needs a sum over all players before each period"
    elif system.common is not None:
        why = "learns numbers that all games share"
    elif system.passes > 1:
        why = "judges the games of a period again by what opponents have after it"
    elif isinstance(p, Bank):
        why = "would be a bank, whose weights follow from all forecasts"
    elif system.rounds == "game":
        why = "rates game by game"
    if why:
        raise Unratable.of("not_shareable.system", system=system.name, why=why)
    if period is None:
        raise Unratable.of("not_shareable.games")


# --- which games of each shard are a period -------------------------------------------------------


class Survey(NamedTuple):
    """The rating periods of a shard, and the games of its players."""

    number: Ids  # [periods] ascending
    first: Floats  # [periods] the day of the first game; nan without days
    low: Ids  # [periods + 1] where the rows of each begin
    games: Ids  # [own players], where a day was given
    last: Floats  # [own players] the day of the last game; nan: none
    ends: Ends


class SurveyTask(NamedTuple):
    """What a survey is to find out about a shard."""

    part: Part
    shard: int
    shards: int
    own: int  # players
    period: str
    until: float | None


def survey_shard(shared: None, task: SurveyTask) -> Survey:
    """Find the periods of a shard; up to a day also the games of its players until then.

    Without a day only blocks in which a period begins are read.
    """
    part, shard, count, own, period, until = task
    numbers, firsts, lows = [np.empty(0, np.int64)], [np.empty(0)], [np.empty(0, np.int64)]
    counted, rows = (0, len(part)) if until is None else (own, 0)
    games, last, column_ends = np.zeros(counted, np.int64), np.full(counted, np.nan), Ends()
    known = None
    cuts = range(0, len(part), ROWS_AT_ONCE)
    wide = [Block(low, min(len(part), low + ROWS_AT_ONCE), {}) for low in cuts]
    for low, high, ends in part.blocks() if until is None else wide:
        if until is None:
            label, time = np.array(ends.get("round", ())), np.array(ends.get("time", (np.nan,)))
            if period != BY_LABEL:
                label = parse_period(period).number(time)
            if label[0] != label[-1]:
                label, time = _label_rows(part.cut(low, high).load(PERIOD_COLUMNS), period)
        else:
            wanted = PERIOD_COLUMNS | {"weight", "side"}
            table = part.cut(low, high).load(wanted).before(until)
            if not len(table):
                break
            rows = low + len(table)
            label, time = _label_rows(table, period)
            widen_ends(column_ends, table)
            for ids in (table.a, table.b):
                mine = ids % count == shard
                place = ids[mine] // count
                games += np.bincount(place, minlength=own)
                latest = np.full(own, np.nan)
                latest[place] = time[mine]  # ascending, so the latest is written last
                last = np.fmax(last, latest)
        at = np.flatnonzero(np.diff(label, prepend=label[0] - 1))
        if label[0] == known:
            at = at[1:]
        known = label[-1]
        numbers.append(label[at].astype(np.int64))
        firsts.append(time[at])
        lows.append(at + low)
    begins = np.concatenate((*lows, [rows]))
    return Survey(np.concatenate(numbers), np.concatenate(firsts), begins, games, last, column_ends)


def _label_rows(table: Games, period: str) -> tuple[AnyArray, Floats]:
    """The number of the period of each row, and its day (nan: none)."""
    time = np.full(len(table), np.nan) if table.time is None else table.time
    if period == BY_LABEL:
        assert table.round is not None
        return table.round, time
    return parse_period(period).number(time), time


@dataclass(frozen=True, eq=False)
class Plan:
    """All rating periods of a table in order, and the rows of each in each shard."""

    shards: Shards
    rounds: Rounds
    low: Ids  # [periods, shards]
    high: Ids
    games: Ids  # [players]
    last: Floats | None
    ends: Ends

    def __len__(self) -> int:
        return len(self.low)


def plan_periods(
    system: Dynamic, shards: Shards, period: str, until: float | None, workers: Workers
) -> Plan:
    """The plan of a table; raises BadRounds, BadPeriod."""
    timed = "time" in shards.columns
    nobody, no_games = np.empty(0, np.uint32), np.empty(0)
    if period == BY_LABEL and not shards.rounds_apart and shards.rounds_apart is not None:
        raise BadRounds.of("round_overlaps.shared")
    if period == BY_LABEL and shards.longest_pause > LABEL_GAP:
        raise BadRounds.of("round_overlaps.dates", longest_pause=shards.longest_pause)
    labels = np.empty(0, np.int32) if "round" in shards.columns else None
    nothing = Games((), nobody, nobody, no_games, time=no_games if timed else None, round=labels)
    rounds_of(system, nothing, period)  # refuses a period that the columns do not give
    own = np.diff(shards.bounds).tolist()
    readers = workers if shards.folder else Serial()  # games in memory need not travel twice
    found = list(
        readers.map(
            survey_shard,
            [
                SurveyTask(part, shard, shards.count, own[shard], period, until)
                for shard, part in enumerate(shards.parts)
            ],
        )
    )
    number = np.unique(np.concatenate([one.number for one in found]))
    first = np.full(len(number), np.inf)
    low = np.zeros((len(number), shards.count), np.int64)
    high = np.zeros_like(low)
    for shard, one in enumerate(found):
        at = np.searchsorted(number, one.number)
        first[at] = np.fmin(first[at], one.first)
        low[at, shard], high[at, shard] = one.low[:-1], one.low[1:]
    some = np.zeros(len(number), np.uint32)
    firsts = Games(
        (), some, some, np.zeros(len(number)),
        time=first if timed else None, round=np.arange(len(number), dtype=np.int32),
    )  # fmt: skip
    games, last, ends = shards.counts.games, shards.counts.last, shards.ends
    if until is not None:
        place = shards.places(np.arange(len(shards.players), dtype=np.uint32))
        games = np.concatenate([one.games for one in found])[place]
        last = np.concatenate([one.last for one in found])[place]
        ends = _merge_ends([one.ends for one in found])
    rounds = rounds_of(system, firsts, period)
    return Plan(shards, rounds, low, high, games, last if timed else None, ends)


def _merge_ends(each: list[Ends]) -> Ends:
    """The ends of all of them together."""
    return {
        name: (min(one[name][0] for one in each if one), max(one[name][1] for one in each if one))
        for name in dict.fromkeys(name for one in each for name in one)
    }


# --- one period of one shard ----------------------------------------------------------------------


class OwnRules(NamedTuple):
    """By what a table is rated, and where each shard's players stand."""

    system: Dynamic
    p: Any
    bounds: tuple[int, ...]
    games: int  # in all
    compiled: bool | None = None


class OwnPeriod(NamedTuple):
    """The games of a rating period that a shard has."""

    rules: OwnRules
    shard: int
    part: Part
    clock: float | None


def play_own(whole: Floats, one: OwnPeriod) -> Floats:
    """The rows of a shard's players after a period, of the rows of all players before it.

    A row holds the fields of a rating, then the clock at which the player was last seen.
    """
    system, p, bounds, games, compiled = one.rules
    low, high = bounds[one.shard], bounds[one.shard + 1]
    if not len(one.part):
        return whole[low:high]
    # a copy: what came by the network may be slow to gather from, and nobody may write to it
    state = State(system, p, np.array(whole[:, :-1], order="C"), np.array(whole[:, -1]))
    columns = {*game_rules(system.game).columns.values(), "a", "b", "score", "weight"}
    table = one.part.load(frozenset(columns))
    count = len(bounds) - 1
    begins = np.array(bounds[:-1], np.uint32)
    a, b = (begins[ids % count] + ids // np.uint32(count) for ids in (table.a, table.b))
    table = table.replace(a=a, b=b, time=None, round=None)
    clock = None if one.clock is None else np.array([one.clock])
    rounds = Rounds(None, np.array([0, len(table)]), clock)
    # what is not finite is reported by name at the end
    with part_of(games), np.errstate(all="ignore"):
        play(state, table, rounds, own=(low, high), compiled=compiled)
    return np.column_stack((state.rating[low:high], state.seen[low:high]))


def own_periods(plan: Plan, rules: OwnRules, number: int) -> Iterator[OwnPeriod]:
    """The shards' games of a period."""
    clock = plan.rounds.clock
    now = None if clock is None else float(clock[number])
    for shard, part in enumerate(plan.shards.parts):
        low, high = int(plan.low[number, shard]), int(plan.high[number, shard])
        yield OwnPeriod(rules, shard, part.cut(low, high), now)


def play_periods(
    plan: Plan, rules: OwnRules, whole: Floats, workers: Workers, done: int
) -> Iterator[tuple[int, Floats]]:
    """Play all periods but those `done`; now and then, how many are played and the rows of all
    players.
    """

    def tasks_of(number: int) -> Iterator[OwnPeriod]:
        return own_periods(plan, rules, number)

    if isinstance(workers, Dask):
        from prowess.engine.cluster.dask import play_graph

        yield from play_graph(workers, play_own, tasks_of, whole, rules.bounds, len(plan), done)
        return
    for number in range(done, len(plan)):
        whole = np.concatenate(list(workers.map(play_own, tasks_of(number), shared=whole)))
        yield number + 1, whole


def rate_shards(
    shards: Shards,
    system: Dynamic,
    *,
    period: str | None,
    workers: Workers | None = None,
    as_of: float | None = None,
    start: Mapping[str, Mapping[str, float]] | None = None,
    compiled: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
    params: Mapping[str, Any] | None = None,
    resume: str | Path | None = None,
    every: float = 60.0,
) -> DynamicRatings:
    """Rate a table in shards by rating periods: to the last bit the ratings of `rate`.

    The ratings hold no games. `resume` is a folder of checkpoints, of which one is saved `every` so
    many seconds; a run that was stopped goes on from the last one. Raises Unratable, BadRounds,
    BadPeriod, BadSetting, UnknownPlayer, BadCheckpoint.
    """
    workers = Serial() if workers is None else workers
    p = settings(system, params or {})
    check_ownable(system, p, period)
    assert period is not None
    form = shards.without_games()
    refuse_unratable(system, form)
    plan = plan_periods(system, shards, period, as_of, workers)
    first, _ = shards.ends.get("time", (None, None))
    if not len(plan):
        raise empty_table(first, as_of)
    table = Seen(form, plan.ends).table
    for name, values in (start or {}).items():
        refuse_impossible(name, values)
    given = {
        find_player(shards.players, name): dict(values) for name, values in (start or {}).items()
    }
    state = initial_state(system, p, len(shards.players), given)
    place = shards.places(np.arange(len(shards.players), dtype=np.uint32))
    rules = OwnRules(system, p, tuple(shards.bounds.tolist()), len(shards), compiled)
    whole = np.empty((len(place), len(system.rating) + 1))
    whole[place] = np.column_stack((state.rating, state.seen))
    done, checkpoints = 0, None
    if resume is not None:
        marks = {
            **describe_run(system, p, period, start or {}, as_of),
            "shards": digest_mark(repr(shards.describe_files())),
        }
        checkpoints = Checkpoints(resume, marks, every)
        if (found := checkpoints.load()) is not None:
            done, whole = found.header["periods"], found.arrays["rows"]
    for newest, rows in play_periods(plan, rules, whole, workers, done):
        done, whole = newest, rows
        due = checkpoints is not None and (checkpoints.is_due or done == len(plan))
        if checkpoints is not None and due and np.isfinite(whole[:, :-1]).all():
            checkpoints.save({"periods": done}, {"rows": whole})
        if progress is not None:
            progress(done, len(plan))
    whole = whole[place]
    state.rating, state.seen = np.ascontiguousarray(whole[:, :-1]), whole[:, -1].copy()
    check_finite(state, table, plan.rounds, given, whole=False)
    now, day = moment(system, table, plan.rounds, period, as_of)
    contests = int(plan.games.sum()) // 2
    return DynamicRatings(
        system=system,
        p=p,
        players=shards.players,
        state=state,
        game_counts=plan.games,
        last=plan.last,
        table=table,
        asked=p,
        rounds=plan.rounds,
        period=period,
        now=now,
        day=day,
        start=given,
        notes=run_notes(state, table, period, contests, plan.ends.get("time")),
        streamed=Streamed(contests, plan.ends.get("time")),
    )
