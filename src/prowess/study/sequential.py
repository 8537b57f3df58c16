"""Sequential tests of two programs: is one better by `elo1`, or only by `elo0`?

Formula:
    The results are counts of pairs of games that score 0, 1/2, 1, 3/2, 2, or of games that are
    lost, drawn, won; no count is below 0.001. With values a_i from 0 to 1, shares p_i, N = sum:
    LLR = N sum p_i log(q1_i / q0_i), where q0 and q1 are the most likely laws under both
    hypotheses. The test ends at LLR <= log(beta / (1 - alpha)) or >= log((1 - beta) / alpha).
    `logistic`: q has the mean s = 1 / (1 + 10^(-elo/400)): q_i = p_i / (1 + x (a_i - s)).
    `normalised`: q has (mean - 1/2) / sd = t = elo ln 10 / 800, sqrt(2) times for pairs.
    `bayeselo`: games alone; P(win) = 1 / (1 + 10^((d - elo)/400)), P(loss) = 1 / (1 + 10^((d +
    elo)/400)), with d from the shares of wins and losses.

Source: A. Wald, Sequential Analysis (1947); M. Van den Bergh, The Generalized Maximum Likelihood
    Ratio for the Expectation Value of a Distribution, and Normalized Elo (documents of fishtest);
    D. Siegmund, Sequential Analysis (1985), 8.33, for overshoot; R. Coulom, Bayesian Elo Rating.
    How long a test lasts is Brownian motion between two bounds (Wald's identity).

Units: Elo, or normalised Elo with `normalised`; lengths in games.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log, log10, sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.numeric import normal_below
from prowess.engine.tabular import ResultTable
from prowess.games.arguments import BadArgument

if TYPE_CHECKING:
    from prowess.games.games import Games


EloModel = Literal["logistic", "normalised", "bayeselo"]
LEAST_COUNT, LEAST_SHARE = 1e-3, 1e-9  # in place of 0
MAX_STEPS = 100  # of the search of a root
X_TOLERANCE = 1e-9  # of a step of Newton, whose error is about the square
MAX_PASSES = 100  # until a law has its ratio of mean and deviation
LAW_TOLERANCE = 1e-12
NORMALISED_SCALE = 800.0 / log(10.0)  # normalised Elo of (mean - 1/2) / sd of a game
EDGE = 1e-3  # a mean score is cut to [EDGE, 1 - EDGE] before it becomes Elo
Z95 = 1.959963984540054
ACCEPTED, REJECTED, RUNNING = "elo1", "elo0", "continue"
UNITS = ("pairs", "games")
TEST_MODELS: dict[str, tuple[EloModel, bool | None]] = {  # whether of pairs; None: of either
    "logistic": ("logistic", None),
    "normalised": ("normalised", None),
    "bayeselo": ("bayeselo", False),
    "fishtest": ("normalised", True),
    "fastchess": ("normalised", True),
}
MAX_ELO: dict[EloModel, float] = {"logistic": 2_000.0, "normalised": 200.0, "bayeselo": 2_000.0}
OBSERVATIONS_AT_ONCE = 1_000  # whose LLR is looked at together


class Hypotheses(NamedTuple):
    """Two differences of strength, the probabilities of error, and the model of a difference."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # of accepting elo1 where elo0 holds
    beta: float = 0.05  # of accepting elo0 where elo1 holds
    model: EloModel = "logistic"

    @property
    def bounds(self) -> tuple[float, float]:
        """The values of LLR at which elo0 and elo1 are accepted."""
        return log(self.beta / (1.0 - self.alpha)), log((1.0 - self.beta) / self.alpha)

    def ratios(self, shares: Floats) -> Floats:
        """log(q1 / q0) of each outcome, [rows, outcomes], for observed shares of outcomes."""
        low, high = (fit_law(shares, elo, self.model) for elo in (self.elo0, self.elo1))
        found: Floats = np.log(high / low)
        return found

    def measure(self, counts: Any) -> Floats:
        """The LLR of each row of counts, [rows, outcomes]."""
        counts = np.maximum(np.asarray(counts, dtype=np.float64), LEAST_COUNT)
        shares = counts / counts.sum(axis=1, keepdims=True)
        found: Floats = (counts * self.ratios(shares)).sum(axis=1)
        return found

    def measure_path(self, sequence: Floats) -> Iterator[Floats]:
        """The LLR after each observation, in parts of OBSERVATIONS_AT_ONCE.

        `sequence` has the counts after each observation, [observations, outcomes].
        """
        for begin in range(0, len(sequence), OBSERVATIONS_AT_ONCE):
            yield self.measure(sequence[begin : begin + OBSERVATIONS_AT_ONCE])


def fit_law(shares: Floats, elo: float, model: EloModel) -> Floats:
    """The most likely law of outcomes under a difference, for observed shares, [rows, outcomes]."""
    values = outcome_values(shares.shape[1])
    if model == "logistic":
        return tilt(shares, values - expected_score(elo))
    if model == "normalised":
        ratio = elo / NORMALISED_SCALE * (sqrt(2.0) if shares.shape[1] == 5 else 1.0)
        return fit_ratio(shares, values, ratio)
    loss, win = shares[:, 0], shares[:, 2]
    return bayes_law(elo, 200.0 * np.log10((1.0 - loss) / loss * (1.0 - win) / win))


def bayes_law(elo: float, draw_elo: Floats) -> Floats:
    """The law of losses, draws and wins of a difference by BayesElo, [rows, 3]."""
    wins, losses = (expected_score(sign * elo - draw_elo) for sign in (1.0, -1.0))
    return np.stack((losses, 1.0 - wins - losses, wins), axis=1)


def outcome_values(count: int) -> Floats:
    """The share of the points of each outcome, worst first."""
    return np.arange(count, dtype=np.int64) / (count - 1.0)


def expected_score(elo: Any) -> Any:
    """The expected score of a difference."""
    return 1.0 / (1.0 + 10.0 ** (-np.asarray(elo, dtype=np.float64) / 400.0))


def tilt(shares: Floats, surplus: Floats) -> Floats:
    """shares / (1 + x surplus), with the x for which it sums to 1; surpluses of both signs.

    The sum of shares surplus / (1 + x surplus) falls with x: its root is found by Newton's method,
    or by halving where a step would leave the interval that holds it.
    """
    surplus = np.broadcast_to(surplus, shares.shape)
    low, high = -1.0 / surplus.max(axis=1), -1.0 / surplus.min(axis=1)
    x = np.zeros(len(shares))
    for _ in range(MAX_STEPS):
        part = surplus / (1.0 + x[:, None] * surplus)
        value, slope = (shares * part).sum(axis=1), (shares * part**2).sum(axis=1)
        low, high = np.where(value > 0.0, x, low), np.where(value > 0.0, high, x)
        before, x = x, x + value / slope
        x = np.where((low < x) & (x < high), x, (low + high) / 2.0)
        if (np.abs(x - before) <= X_TOLERANCE * (1.0 + np.abs(x))).all():
            break
    found: Floats = shares / (1.0 + x[:, None] * surplus)
    return found


def fit_ratio(shares: Floats, values: Floats, ratio: float) -> Floats:
    """The most likely law with (mean - 1/2) / sd = ratio."""
    law = np.full(shares.shape, 1.0 / shares.shape[1])
    for _ in range(MAX_PASSES):
        mean = (law * values).sum(axis=1, keepdims=True)
        sd = np.sqrt((law * (values - mean) ** 2).sum(axis=1, keepdims=True))
        surplus = values - 0.5 - ratio * sd * (1.0 + ((mean - values) / sd) ** 2) / 2.0
        before, law = law, tilt(shares, surplus)
        if np.abs(law - before).max() < LAW_TOLERANCE:
            break
    return law


# -- estimates --


class DifferenceEstimate(NamedTuple):
    """What results say of the difference of two programs."""

    elo: float
    low: float  # of 95 %
    high: float
    los: float  # likelihood of superiority
    normalised_elo: float
    pair_elo: float | None  # of pairs that were won and lost; None without pairs
    draws: float  # share of the games; of pairs, of the pairs that were split

    @classmethod
    def of(cls, counts: Sequence[float]) -> DifferenceEstimate:
        """The estimates of counts of pairs or of games."""
        known = np.maximum(np.asarray(counts, dtype=np.float64), LEAST_COUNT)
        paired, shares = len(known) == 5, known / known.sum()
        values = outcome_values(len(known))
        mean = float(shares @ values)
        deviation = sqrt(float(shares @ (values - mean) ** 2) * (2.0 if paired else 1.0))
        error = deviation / sqrt(known.sum() * (2.0 if paired else 1.0))
        low, high = (elo_of(mean + sign * Z95 * error) for sign in (-1.0, 1.0))
        return cls(
            elo_of(mean),
            low,
            high,
            normal_below((mean - 0.5) / error),
            (mean - 0.5) / deviation * NORMALISED_SCALE,
            find_pair_elo(counts) if paired else None,
            float(counts[len(known) // 2] / max(sum(counts), 1.0)),
        )


def elo_of(score: float) -> float:
    """The difference of an expected score, which is cut to [EDGE, 1 - EDGE]."""
    return -400.0 * log10(1.0 / min(max(score, EDGE), 1.0 - EDGE) - 1.0)


def find_pair_elo(counts: Sequence[float]) -> float:
    """100 log10((2 WW + WD + DW) / (2 LL + LD + DL)): infinite where one side won no pair."""
    won, lost = 2.0 * counts[4] + counts[3], 2.0 * counts[0] + counts[1]
    if not won and not lost:
        return 0.0
    return 100.0 * log10(won / lost) if won and lost else inf if won else -inf


# -- how long a test lasts --


class TestOutlook(NamedTuple):
    """How a test goes on from here: the probability of accepting elo1, and further games."""

    accepts: float
    games: float


def foresee(
    hypotheses: Hypotheses, law: Floats, llr: float = 0.0, bounds: tuple[float, float] | None = None
) -> TestOutlook:
    """How a test goes on from an LLR if outcomes follow a law, as Brownian motion.

    With drift m and variance v of LLR an observation, the upper bound b is met before the lower
    one a with probability (1 - e^(-2 m (llr - a) / v)) / (1 - e^(-2 m (b - a) / v)).
    """
    low, high = bounds or hypotheses.bounds
    if not low < llr < high:
        return TestOutlook(float(llr >= high), 0.0)
    step = hypotheses.ratios(law[None])[0]
    drift = float(law @ step)
    variance = float(law @ step**2) - drift**2
    slope = -2.0 * drift / variance
    if abs(slope) * (high - low) < 1e-9:
        accepts = (llr - low) / (high - low)
        pairs = (llr - low) * (high - llr) / variance
    else:
        accepts = share_of_exponentials(slope, llr - low, high - low)
        pairs = (accepts * (high - llr) + (1.0 - accepts) * (low - llr)) / drift
    return TestOutlook(accepts, max(pairs, 0.0) * (2.0 if len(law) == 5 else 1.0))


def share_of_exponentials(slope: float, part: float, whole: float) -> float:
    """(1 - e^(slope part)) / (1 - e^(slope whole)) without overflow."""
    if slope > 0.0:  # both times e^(-slope whole)
        return (exp(-slope * (whole - part)) - exp(-slope * whole)) / (1.0 - exp(-slope * whole))
    return (1.0 - exp(slope * part)) / (1.0 - exp(slope * whole))


def law_of_games(elo: float, draws: float, *, paired: bool, model: EloModel) -> Floats:
    """A law of outcomes of independent games with a share of draws, at a difference."""
    side = (1.0 - draws) / 2.0
    law = np.array([side, draws, side])
    law = np.maximum(np.convolve(law, law) if paired else law, LEAST_SHARE)
    found: Floats = fit_law(law[None] / law.sum(), elo, model)[0]
    return found


# -- the test --


@dataclass(frozen=True, repr=False)
class SequentialTest(ResultTable):
    """The state of a sequential test: a row for each quantity.

    `counts` are those of pairs (five) or games (three), `verdict` is `elo1` (accepted), `elo0` or
    `continue`, `outlook` what follows if the programs differ as they did so far.
    """

    hypotheses: Hypotheses | None = None
    counts: tuple[int, ...] = ()
    llr: float = 0.0
    lower: float = 0.0
    upper: float = 0.0
    verdict: str = RUNNING
    games: int = 0
    estimate: DifferenceEstimate | None = None  # None before the first game
    outlook: TestOutlook | None = None
    notes: tuple[str, ...] = ()

    @property
    def paired(self) -> bool:
        """Whether the counts are those of pairs of games."""
        return len(self.counts) == 5


def run_test(
    hypotheses: Hypotheses,
    counts: Sequence[int],
    bounds: tuple[float, float] | None = None,
    notes: Sequence[str] = (),
) -> SequentialTest:
    """The test of counts; `bounds` in place of Wald's where they are corrected for overshoot."""
    low, high = bounds or hypotheses.bounds
    games = sum(counts) * (2 if len(counts) == 5 else 1)
    llr, estimate, outlook = 0.0, None, None
    if games:
        llr = float(hypotheses.measure([counts])[0])
        estimate = DifferenceEstimate.of(counts)
        shares = np.maximum(np.asarray(counts, dtype=np.float64), LEAST_COUNT)
        outlook = foresee(hypotheses, shares / shares.sum(), llr, (low, high))
    verdict = ACCEPTED if llr >= high else REJECTED if llr <= low else RUNNING
    rows: dict[str, Any] = {"verdict": verdict, "llr": llr, "lower": low, "upper": high}
    rows["games"] = games
    if estimate is not None and outlook is not None:
        rows |= estimate._asdict()
        rows |= {"accepts_elo1": outlook.accepts, "further_games": outlook.games}
    kept = {name: value for name, value in rows.items() if value is not None}
    return SequentialTest(
        {"quantity": list(kept), "value": list(kept.values())},
        "Sequential test",
        hypotheses,
        tuple(counts),
        llr,
        low,
        high,
        verdict,
        games,
        estimate,
        outlook,
        tuple(notes),
    )


def end_test(test: SequentialTest, observations: int, verdict: str) -> SequentialTest:
    """The test with the verdict with which it ended; its numbers are those of all games."""
    unit, count = ("pairs", 2) if test.paired else ("games", 1)
    notes = test.notes
    if observations * count < test.games:
        after = f"{observations:,} of {test.games // count:,} {unit}"
        notes = (*notes, f"the test ended after {after}; its numbers are those of all")
    values = [verdict, *test.columns["value"][1:]]
    return replace(test, columns=test.columns | {"value": values}, verdict=verdict, notes=notes)


def find_end(path: Iterable[Floats], bounds: tuple[float, float]) -> tuple[int, str] | None:
    """After how many observations a test ended, and with which verdict; None where it goes on.

    `path` has the parts of `measure_path`, of which those behind the end are not asked for.
    """
    low, high = bounds
    before = 0
    for part in path:
        over = np.flatnonzero((part <= low) | (part >= high))
        if len(over):
            first = int(over[0])
            return before + first + 1, ACCEPTED if part[first] >= high else REJECTED
        before += len(part)
    return None


def correct_bounds(bounds: tuple[float, float], path: Iterable[Floats]) -> tuple[float, float]:
    """Wald's bounds, each nearer by the mean overshoot of the records of LLR (Siegmund, 8.33).

    `path` has the parts of `measure_path`.
    """
    low, high = bounds
    path = np.concatenate(([0.0], *path))
    falls = -np.diff(np.minimum.accumulate(path))
    rises = np.diff(np.maximum.accumulate(path))
    below, above = (
        float((steps**2).sum() / (2.0 * steps.sum())) if steps.any() else 0.0
        for steps in (falls, rises)
    )
    return low + below, high - above


class PlannedTest(NamedTuple):
    """A test before its first game: what it answers, and how long, at some true differences."""

    elo: float
    accepts: float  # probability of accepting elo1
    games: float  # expected


def plan_test(
    hypotheses: Hypotheses, draws: float, at: Sequence[float], *, paired: bool
) -> list[PlannedTest]:
    """What a test will answer at true differences, if games are drawn so often at even strength."""
    plans = []
    for elo in at:
        law = law_of_games(elo, draws, paired=paired, model=hypotheses.model)
        plans.append(PlannedTest(elo, *foresee(hypotheses, law)))
    return plans


# -- outcomes of a table of games --


def count_outcomes(games: Games, mine: int, *, paired: bool | None) -> tuple[Floats, list[str]]:
    """Counts of a player's outcomes, [observations, outcomes], after each observation.

    Pairs are two games of the same two players with their places exchanged: of one round where
    each round has two such games, else neighbours. `paired` None takes pairs where all games but
    the last are in one. Raises BadArgument.
    """
    rows = np.flatnonzero((games.a == mine) | (games.b == mine))
    first = games.a[rows] == mine
    score = np.where(first, games.score[rows], 1.0 - games.score[rows])
    if not np.isin(score, (0.0, 0.5, 1.0)).all():
        raise BadArgument.of("shared_score")
    other = np.where(first, games.b[rows], games.a[rows])
    place = first if games.side is None else np.where(first, games.side[rows], -games.side[rows])
    rounds = None if games.round is None else games.round[rows]
    notes: list[str] = []
    if paired is not False:
        pairs, alone = find_pairs(other, place, rounds)
        if paired or (pairs and len(alone) <= 1):
            if len(alone):
                notes.append(f"{len(alone)} of {len(rows)} games left out: in no pair")
            points = np.array(
                [round(2.0 * (score[i] + score[j])) for i, j in pairs], dtype=np.int64
            )
            return accumulate_counts(points, 5), notes
        notes.append(f"by games: {len(alone)} of {len(rows)} games are in no pair")
    return accumulate_counts(np.round(2.0 * score).astype(np.int64), 3), notes


def find_pairs(other: Any, place: Any, rounds: Any) -> tuple[list[tuple[int, int]], list[int]]:
    """Pairs of games by row, in the order of their second game, and rows that are in none."""
    if rounds is not None:
        _, sizes = np.unique(np.stack((rounds, other)), axis=1, return_counts=True)
        if (sizes > 2).any() or (sizes == 2).mean() < 0.5:
            rounds = None
    keys = list(map(tuple, np.stack((other, other if rounds is None else rounds), axis=1).tolist()))
    waiting: dict[Any, int] = {}
    pairs, alone = [], []
    for row, key in enumerate(keys):
        before = waiting.pop(key, None)
        if before is not None and place[before] != place[row]:
            pairs.append((before, row))
            continue
        if before is not None:
            alone.append(before)
        waiting[key] = row
    return pairs, sorted([*alone, *waiting.values()])


def accumulate_counts(outcome: Any, count: int) -> Floats:
    """The counts after each observation, [observations, outcomes]."""
    found: Floats = np.cumsum(np.eye(count)[outcome], axis=0, dtype=np.float64)
    return found
