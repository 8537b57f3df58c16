"""Which system forecasts these games best, and is the difference more than luck?

All systems are judged on the same games. The difference of two systems is a mean of paired
differences of losses, game by game; games close in time share form and line-ups, so whole blocks
of consecutive games are resampled (H. R. Kuensch, "The jackknife and the bootstrap for general
stationary observations", Annals of Statistics 17, 1989), not single ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.uncertainty import normal_quantile
from prowess.study.backtest import Backtest, mean
from prowess.study.entries import deciding, of_entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BLOCKS = 60  # of consecutive games; fewer games than this: one block each
RESAMPLINGS = 2_000
FEWEST = 10  # blocks; fewer say nothing about how much a mean scatters


@dataclass(frozen=True)
class Difference:
    """How much larger the mean loss of one system is than that of another, with its interval."""

    mean: float
    low: float
    high: float

    @property
    def told_apart(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True)
class Entry:
    """One system in a comparison; each group those not told apart from its first."""

    test: Backtest
    scores: dict[str, float]
    behind: Difference  # than the best
    group: int


@dataclass(frozen=True)
class Comparison:
    """Systems by the mean of one score on the same games, the best first."""

    by: str
    count: int
    blocks: int
    level: float
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Any:
        return iter(self.entries)

    @property
    def target(self) -> str:
        """What the intervals are about, and what they are not."""
        return (
            f"games like these between these players ({self.blocks} blocks of these games "
            "resampled), not in other leagues"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One dict a system, at full precision."""
        return [
            {
                "system": entry.test.name,
                "group": entry.group,
                **{name: plain(score) for name, score in entry.scores.items()},
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
    """Put backtests of one table in order by a score (`log_loss`; in contests `brier`).

    Only games that every system forecasts are judged. Raises ValueError where the tests are of
    different tables, none is left to judge, or a system does not have the score asked for.
    """
    if not tests:
        raise ValueError("nothing to compare: give at least one backtest")
    table = tests[0].table
    if any(test.table is not table for test in tests):
        raise ValueError("these backtests are of different tables")
    by = by or deciding(table)
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
            raise ValueError(f"no game says anything about {by}: it cannot decide")
    sign = -1.0 if by == "accuracy" else 1.0
    tests = sorted(tests, key=lambda test: sign * test.scores[by])
    blocks = consecutive_blocks(tests[0])
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, blocks.max() + 1, (RESAMPLINGS, int(blocks.max()) + 1))

    def behind(test: Backtest, best: Backtest) -> Difference:
        return difference(
            sign * test.losses[by], sign * best.losses[by], test.weight, blocks, picks, level
        )

    entries: list[Entry] = []
    group, leader = 1, tests[0]
    for test in tests:
        if behind(test, leader).told_apart:
            group, leader = group + 1, test
        entries.append(Entry(test, test.scores, behind(test, tests[0]), group))
    count = int(common.sum())
    return Comparison(by, count, int(blocks.max()) + 1, level, tuple(entries), tuple(notes))


def plain(score: float) -> float | None:
    """The score, None where no game could be scored."""
    return score if np.isfinite(score) else None


def difference(
    loss: Floats,
    other: Floats,
    weight: Floats,
    blocks: NDArray[np.int64],
    picks: NDArray[np.int64],
    level: float,
) -> Difference:
    """The mean of paired differences and its interval over resampled blocks, about the mean.

    The interval is the mean -+ z standard deviations of the resampled means.
    """
    apart = loss - other
    known = np.isfinite(apart)
    size = int(blocks.max()) + 1
    total = np.bincount(blocks[known], (apart * weight)[known], size)
    count = np.bincount(blocks[known], weight[known], size)
    with np.errstate(invalid="ignore"):
        drawn = total[picks].sum(axis=1) / count[picks].sum(axis=1)
    centre = mean(apart, weight)
    # blocks know their own mean: without the factor the spread would be (B - 1) / B too small
    spread = float(np.nanstd(drawn)) * np.sqrt(size / max(size - 1, 1))
    reach = normal_quantile(level) * float(spread)
    return Difference(centre, centre - reach, centre + reach)


def consecutive_blocks(test: Backtest) -> NDArray[np.int64]:
    """The block of each judged entry: equal numbers of consecutive games (or contests)."""
    contest = of_entries(test.table, np.arange(len(test.table)))[test.judged]
    rows = np.cumsum(np.append(False, contest[1:] != contest[:-1]))
    count = int(rows.max()) + 1
    return (rows * min(BLOCKS, count)) // count
