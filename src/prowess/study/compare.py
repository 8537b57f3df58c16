"""Compare systems by a score on the same games, with intervals of the differences.

The difference of two systems is a mean of paired differences of losses, game by game. Games close
in time share form and line-ups, so blocks of consecutive games are resampled, not single games
(H. R. Kuensch, "The jackknife and the bootstrap for general stationary observations", Annals of
Statistics 17, 1989).

Slices are the same scores over parts of the games:

    year         of the game
    experience   games that the least experienced of the players had played before
    gap          the expected score of the favourite
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.system import Unratable
from prowess.engine.whole_table import normal_quantile
from prowess.games.games import Games
from prowess.study.backtest import Backtest, weighted_mean
from prowess.study.scores import column_of_entries, deciding_score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    from prowess.games.games import Games


BLOCKS = 60  # of consecutive games; fewer games than this: one block each
RESAMPLINGS = 2_000
FEWEST = 10  # blocks; fewer do not measure the scatter of a mean


@dataclass(frozen=True)
class LossDifference:
    """The mean loss of one system minus that of another, with its interval."""

    mean: float
    low: float
    high: float

    @property
    def told_apart(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True)
class ComparedSystem:
    """One system in a comparison; a group differs from its first by no clear margin."""

    test: Backtest
    scores: dict[str, float]
    behind: LossDifference  # than the best
    group: int


@dataclass(frozen=True)
class Comparison:
    """Systems by the mean of one score on the same games, the best first."""

    by: str
    count: int
    blocks: int
    level: float
    entries: tuple[ComparedSystem, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Any:
        return iter(self.entries)

    @property
    def target(self) -> str:
        """The population that the intervals refer to."""
        return (
            f"games like these between these players ({self.blocks} blocks of these games "
            "resampled), not in other leagues"
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one dict a system, at full precision."""
        return [
            {
                "system": entry.test.name,
                "group": entry.group,
                **{name: finite_or_none(score) for name, score in entry.scores.items()},
                "behind": entry.behind.mean,
                "behind_low": entry.behind.low,
                "behind_high": entry.behind.high,
                "seconds": entry.test.seconds,
                "params": entry.test.params,
                "period": entry.test.period,
                "notes": list(entry.test.notes),
            }
            for entry in self.entries
        ]


def compare(
    tests: Sequence[Backtest],
    *,
    by: str | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Order backtests of one table by a score (`log_loss`; in contests `brier`).

    Only games that every system forecasts are judged. Raises ValueError for tests of different
    tables, without common games, or without the requested score.
    """
    if not tests:
        raise ValueError("give at least one backtest")
    table = tests[0].table
    if any(test.table is not table for test in tests):
        raise ValueError("give backtests of one table: these are of different tables")
    by = by or deciding_score(table)
    common = np.logical_and.reduce([test.judged for test in tests])
    if not common.any():
        raise ValueError("no game is forecast by all of these systems")
    notes = []
    most = max(test.count for test in tests)
    if common.sum() < most:
        notes.append(f"{most - int(common.sum()):,} games that some system cannot forecast are out")
    tests = [test.only(common) for test in tests]
    if len(np.unique(consecutive_blocks(tests[0]))) < FEWEST:
        raise ValueError(
            f"{int(common.sum()):,} forecasts are too few to compare systems by: at least "
            f"{FEWEST} games (or contests) are needed"
        )
    for test in tests:
        if by not in test.losses:
            raise ValueError(f"{test.name} has no {by}; it has {', '.join(test.losses)}")
        if not np.isfinite(test.scores[by]):
            raise ValueError(f"choose another score: no game has a {by}")
    sign = -1.0 if by == "accuracy" else 1.0
    tests = sorted(tests, key=lambda test: sign * test.scores[by])
    blocks = consecutive_blocks(tests[0])
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, blocks.max() + 1, (RESAMPLINGS, int(blocks.max()) + 1))

    def behind(test: Backtest, best: Backtest) -> LossDifference:
        return difference(
            sign * test.losses[by], sign * best.losses[by], test.weight, blocks, picks, level
        )

    entries: list[ComparedSystem] = []
    group, leader = 1, tests[0]
    for test in tests:
        if behind(test, leader).told_apart:
            group, leader = group + 1, test
        entries.append(ComparedSystem(test, test.scores, behind(test, tests[0]), group))
    count = int(common.sum())
    return Comparison(by, count, int(blocks.max()) + 1, level, tuple(entries), tuple(notes))


def finite_or_none(score: float) -> float | None:
    """Return the score, or None if it is not finite."""
    return score if np.isfinite(score) else None


def difference(
    loss: Floats,
    other: Floats,
    weight: Floats,
    blocks: NDArray[np.int64],
    picks: NDArray[np.int64],
    level: float,
) -> LossDifference:
    """Return the mean of paired differences and its interval over resampled blocks.

    The interval is the mean -+ z standard deviations of the resampled means.
    """
    apart = loss - other
    known = np.isfinite(apart)
    size = int(blocks.max()) + 1
    total = np.bincount(blocks[known], (apart * weight)[known], size)
    count = np.bincount(blocks[known], weight[known], size)
    with np.errstate(invalid="ignore"):
        drawn = total[picks].sum(axis=1) / count[picks].sum(axis=1)
    centre = weighted_mean(apart, weight)
    # centred blocks lose one degree of freedom: the factor corrects the spread
    spread = float(np.nanstd(drawn)) * np.sqrt(size / max(size - 1, 1))
    reach = normal_quantile(level) * float(spread)
    return LossDifference(centre, centre - reach, centre + reach)


def consecutive_blocks(test: Backtest) -> NDArray[np.int64]:
    """Return the block of each judged entry: equally many consecutive games (or contests)."""
    contest = column_of_entries(test.table, np.arange(len(test.table)))[test.judged]
    rows = np.cumsum(np.append(False, contest[1:] != contest[:-1]))
    count = int(rows.max()) + 1
    return (rows * min(BLOCKS, count)) // count


KINDS = ("year", "experience", "gap")
EXPERIENCE = (0, 1, 5, 20, 100)  # games from which each class begins
GAPS = (0.5, 0.6, 0.7, 0.8, 0.9)  # expected scores from which each class begins


class Slice(NamedTuple):
    """A part of the judged games."""

    label: str
    judged: int
    scores: dict[str, float]


def slices(test: Backtest, kind: str) -> list[Slice]:
    """Return the scores of a backtest over parts of its judged games, without empty parts.

    Raises Unratable if the table lacks dates or two sides, ValueError for another kind.
    """
    if kind == "year":
        part, labels = _years(test)
    elif kind == "experience":
        part, labels = _classes(experience(_games(test)), EXPERIENCE)
    elif kind == "gap":
        _games(test)
        part, labels = _classes(np.maximum(test.expected, 1.0 - test.expected), GAPS)
    else:
        raise ValueError(f"no slices by {kind!r}: {', '.join(KINDS)}")
    found = []
    for number, label in enumerate(labels):
        here = test.only(part == number)
        if here.count:
            found.append(Slice(label, here.count, here.scores))
    return found


def experience(games: Games) -> NDArray[np.int64]:
    """Return the games that the least experienced player of each game had played before, [n]."""
    who = games.player.astype(np.int64)
    order = np.argsort(who, kind="stable")  # members are in order of play
    chain, entry = who[order], np.arange(len(who))
    first = np.maximum.accumulate(np.where(np.append(True, chain[1:] != chain[:-1]), entry, 0))
    before = np.empty(len(who), dtype=np.int64)
    before[order] = entry - first
    return np.minimum.reduceat(before, games.ends[games.start[:-1]])


def _games(test: Backtest) -> Games:
    if not test.table.pairwise:
        raise Unratable("slice contests of many by year: they have no other slices")
    return test.table


def _years(test: Backtest) -> tuple[NDArray[np.int64], list[str]]:
    time = test.table.time
    if time is None:
        raise Unratable("give a table with dates to slice by year")
    year = time.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    year = column_of_entries(test.table, year)
    known, part = np.unique(year, return_inverse=True)
    return part, [str(one) for one in known.tolist()]


def _classes(
    value: NDArray[np.float64] | NDArray[np.int64], starts: Sequence[float]
) -> tuple[NDArray[np.int64], list[str]]:
    """Return the class of each value and the labels of the classes."""
    part = np.searchsorted(np.array(starts), value, side="right") - 1
    whole = all(isinstance(start, int) for start in starts)
    labels = []
    for low, high in pairwise(starts):
        last = high - 1 if whole else high
        labels.append(f"{low:g}" if last == low else f"{low:g} to {last:g}")
    return part, [*labels, f"{starts[-1]:g} and more"]
