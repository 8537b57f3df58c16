"""Results of a search as numbers, sentences and JSON lines.

A line of a record holds the key of its task (results, system, period and split), a setting and its
score, so that an interrupted search continues. Lines of other tasks are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import inf, isfinite
from typing import Any

from prowess.study.compare import LossDifference
from prowess.study.tuning.evaluation import Evaluated


@dataclass(frozen=True)
class TunedParameter:
    """One parameter: `low` to `high` is its interval, `serves_low` to `serves_high` where it may
    stand, the others answering, before the losses are certainly higher.

    `range_low` to `range_high` was searched. `edge` is `low` or `high` where the best value
    stands at an end of that, which `declared` says to be the system's own.
    """

    name: str
    value: float
    default: float
    low: float
    high: float
    serves_low: float
    serves_high: float
    range_low: float
    range_high: float
    unit: str = ""
    edge: str | None = None
    declared: bool = True

    @property
    def undetermined(self) -> bool:
        """Whether every value in the range is as good."""
        return self.serves_low <= self.range_low and self.serves_high >= self.range_high


@dataclass(frozen=True)
class LaterGames:
    """Games after the search: how many, the mean loss tuned and before, and the gain.

    The gain is the loss before minus the loss tuned, above 0 where tuning helped.
    """

    judged: int
    score: float
    score_before: float
    gain: LossDifference


@dataclass(frozen=True)
class TuningResult:
    """The best setting of a search, judged on later games.

    `searched` games decided it with the mean loss `score` (`score_before` with the values there
    were before); `judged` later games, which it never saw, say what it is worth: `later` and
    `later_before` are mean losses, `gain` their difference, above 0 where tuning helped; nan and
    None where no game was kept for it. `correlated` are pairs of parameters and the correlation
    of their errors, `flat` groups that can move together at no cost, `stays` says of each
    parameter that was left as it was why.
    """

    system: str
    period: str | None
    by: str
    given: dict[str, Any]
    parameters: tuple[TunedParameter, ...]
    searched: int
    score: float
    score_before: float
    later: LaterGames | None
    level: float
    correlated: tuple[tuple[str, str, float], ...]
    flat: tuple[tuple[str, ...], ...]
    stays: dict[str, str]
    evaluations: int
    finished: bool

    @property
    def setting(self) -> dict[str, float]:
        """The best values by name, rounded to what the games can tell."""
        return {one.name: one.value for one in self.parameters}

    def line(self) -> str:
        """Return the setting as options of the command line."""
        return " ".join(f"--set {name}={value!r}" for name, value in self.setting.items())

    def plain(self) -> dict[str, Any]:
        """Return plain data; None for numbers that are not finite."""
        return _finite({**asdict(self), "setting": self.setting, "line": self.line()})  # type: ignore[no-any-return]

    def sentences(self) -> list[str]:
        """Describe the result in sentences."""
        sentences = [self._worth()]
        for one in self.parameters:
            sentences += _edge(one)
            sentences.append(_serves(one))
        for first, second, together in self.correlated:
            way = "in the same direction" if together > 0.0 else "in opposite directions"
            sentences.append(
                f"{first} and {second} are known together, not apart: their errors go {way} "
                f"(correlation {together:.2f})."
            )
        for group in self.flat:
            sentences.append(
                f"{' and '.join(group)} can be moved together at no cost: fix one with --set."
                if len(group) > 1
                else f"{group[0]} has little effect near its best value."
            )
        if not self.finished:
            sentences.append(
                f"The search was stopped after {self.evaluations:,} settings, before it had "
                "settled: allow more with --budget."
            )
        return sentences

    def _worth(self) -> str:
        name = self.by.replace("_", " ")
        if self.later is None:
            return (
                f"No later games were kept to judge it: {name} {self.score:.5f} in place of "
                f"{self.score_before:.5f} on the {self.searched:,} games that chose it flatters it."
            )
        gain = self.later.gain
        head = (
            f"On {self.later.judged:,} later games {name} {self.later.score:.5f} in place of "
            f"{self.later.score_before:.5f}: "
        )
        interval = f"({self.level:.0%}: {gain.low:.5f} to {gain.high:.5f})"
        if gain.low > 0.0:
            return f"{head}better by {gain.mean:.5f} {interval}."
        if gain.high < 0.0:
            return f"{head}worse by {-gain.mean:.5f} {interval}: keep the values there were."
        return f"{head}a gain of {gain.mean:.5f} {interval}, which is not certain to be one."


def _edge(one: TunedParameter) -> list[str]:
    if one.edge is None:
        return []
    end = one.range_low if one.edge == "low" else one.range_high
    side = "lower" if one.edge == "low" else "upper"
    if one.declared:
        return [f"{one.name} stands at the {side} end of what the system takes, {end:g}."]
    where = f"{one.name} stands at the {side} end of the range searched, {end:g}"
    return [f"{where}: the best value may lie outside; widen --over."]


def _serves(one: TunedParameter) -> str:
    low, high = format_value(one.serves_low, one), format_value(one.serves_high, one)
    if one.undetermined:
        return f"{one.name}: these games cannot tell any value from {low} to {high} from the best."
    return f"{one.name} anywhere from {low} to {high} serves as well."


def format_value(value: float, one: TunedParameter) -> str:
    """Format a value with three figures of the width of its interval, or of its own."""
    width = one.serves_high - one.serves_low
    places = 0
    for size in (width / 10.0, abs(value) / 100.0):
        while 0.0 < size < 10.0**-places and places < 9:
            places += 1
        if places:
            break
    return f"{value:.{places}f}" if abs(value) < 1e6 else f"{value:g}"


def round_to_deviation(value: float, deviation: float) -> float:
    """Round a value to the first decimal place below a tenth of its deviation."""
    if not isfinite(deviation) or deviation <= 0.0:
        return float(f"{value:.3g}") if deviation == inf else value
    places = 0
    while 10.0**-places > deviation / 5.0 and places < 15:
        places += 1
    return round(value, places)


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data


class BadRecord(ValueError):
    """The file does not hold evaluated settings."""


def format_record(key: str, one: Evaluated) -> str:
    """Format one evaluation as a line of JSON; an infinite score is null."""
    score = one.score if isfinite(one.score) else None
    return json.dumps({"key": key, "setting": one.setting, "score": score}) + "\n"


def parse_records(lines: Iterable[str], key: str) -> list[Evaluated]:
    """Parse the evaluations of a task; an incomplete last line is ignored.

    Raises BadRecord, naming the line.
    """
    found = []
    texts = list(lines)
    for number, text in enumerate(texts, 1):
        try:
            data = json.loads(text)
            of_this = data["key"] == key
            score = inf if data["score"] is None else float(data["score"])
            setting = {str(name): float(value) for name, value in data["setting"].items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            if number == len(texts) and not text.endswith("\n"):
                break
            raise BadRecord(
                f"name a file that tune wrote, or a new one: line {number} is no evaluated setting"
            ) from None
        if of_this:
            found.append(Evaluated(setting, score))
    return found
