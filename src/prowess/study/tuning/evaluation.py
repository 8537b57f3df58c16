"""Evaluate settings of a system: losses on the searched part of a table, here or by workers.

Only the part of the table that is searched reaches an evaluation, so later games cannot affect the
optimum. A line of a record holds the key of its task (results, system, period and split), a setting
and its score, so that an interrupted search continues. Lines of other tasks are ignored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.compile.tree import fingerprint
from prowess.compile.worth import MIN_TURNS_TO_COMPILE, is_worth_compiling, part_of
from prowess.engine.cluster.machine import cut_into_groups
from prowess.engine.cluster.workers import SERIAL, Workers
from prowess.engine.losses import brier, log_loss
from prowess.engine.params import Bank, display_settings, settings
from prowess.engine.replay import TOGETHER, forecast_apart, pays_apart
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.table import count_pairs
from prowess.games.arguments import BadArgument
from prowess.games.errors import WordedError
from prowess.study.backtest import Backtest, after_warm_up, backtest
from prowess.study.scores import weighted_mean
from prowess.version import __version__

if TYPE_CHECKING:
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import Games


DIRECT = {"log_loss": log_loss, "brier": brier}
REPLAYS = 10  # at least, of a search


class Evaluated(NamedTuple):
    """One setting and its mean loss; infinite where ratings are not finite."""

    setting: dict[str, float]
    score: float


class Untunable(WordedError, ValueError):
    """The split, the score or the search cannot be used."""


class BudgetSpent(Exception):
    """The budget of settings is spent."""


@dataclass(frozen=True, eq=False)
class EvaluationTask:
    """What an evaluation needs beside the setting: `table` is the part that is searched.

    The first `warm_up` share of it only plays. `fixed` holds the settings that are not searched.
    """

    table: Games
    system: Dynamic | WholeTable
    period: str | None
    fixed: Mapping[str, Any]
    metric: str
    warm_up: float

    def test(self, setting: Mapping[str, float]) -> Backtest:
        """Return the forecasts of a setting."""
        with part_of(self.turns):
            return backtest(
                self.table,
                self.system,
                period=self.period,
                params={**self.fixed, **setting},
                warm_up=self.warm_up,
            )

    @cached_property
    def turns(self) -> int:
        """The pairs of opponents of a short search."""
        return REPLAYS * count_pairs(self.table)

    @cached_property
    def outcome(self) -> Floats:
        """The outcome of every entry, cached because contests take long."""
        return self.table.outcome

    def losses_of(self, test: Backtest) -> Floats:
        """Return the losses of the judged entries; raises Untunable for an unusable score."""
        if self.metric in DIRECT:
            return DIRECT[self.metric](self.outcome[test.judged], test.expected[test.judged])
        if self.metric != "accuracy" and self.metric in test.losses_at_hand:
            return test.losses_at_hand[self.metric]
        if self.metric == "accuracy" or self.metric not in test.losses:
            known = sorted(test.losses.keys() - {"accuracy"})
            why = "moves in jumps" if self.metric == "accuracy" else "is no loss of this system"
            raise Untunable.of("metric_not_taken", known=known, metric=self.metric, why=why)
        return test.losses[self.metric]

    @cached_property
    def together(self) -> bool:
        """Whether several settings are replayed in one pass; forecasts agree to 1e-9."""
        return (
            isinstance(self.system, Dynamic)
            and self.metric in DIRECT
            and is_worth_compiling(self.turns)
            and pays_apart(self.system, self.table, self.period)
            and not isinstance(settings(self.system, self.fixed), Bank)
        )

    def tests(self, given: Sequence[Mapping[str, float]]) -> Iterator[Backtest | None]:
        """Return the forecasts of each setting; None where ratings are not finite."""
        if self.together:
            yield from self._tested_together(given)
            return
        for setting in given:
            try:
                yield self.test(setting)
            except Unratable:
                yield None

    def _tested_together(self, given: Sequence[Mapping[str, float]]) -> Iterator[Backtest | None]:
        assert isinstance(self.system, Dynamic)
        rows = [settings(self.system, {**self.fixed, **setting}) for setting in given]
        late = after_warm_up(self.table, self.warm_up)
        for first in range(0, len(rows), TOGETHER):
            some = rows[first : first + TOGETHER]
            for p, expected in zip(
                some, forecast_apart(self.table, self.system, some).T, strict=True
            ):
                known = np.isfinite(expected)
                if not known.any():
                    yield None
                    continue
                yield Backtest(
                    name=self.system.name,
                    params=display_settings(self.system, p),
                    table=self.table,
                    expected=expected,
                    judged=late & known,
                )

    def losses(self, given: Sequence[Mapping[str, float]]) -> list[Floats]:
        """Return the loss of every judged entry under each setting; infinite without ratings."""
        return [
            np.array([inf]) if test is None else self.losses_of(test) for test in self.tests(given)
        ]

    def scores(self, given: Sequence[Mapping[str, float]]) -> list[float]:
        """Return the mean loss under each setting; infinite where ratings are not finite."""
        return [
            inf if test is None else weighted_mean(self.losses_of(test), test.weight)
            for test in self.tests(given)
        ]

    @property
    def at_once(self) -> int:
        """The settings of a task of workers: those of one pass, or several that take no time."""
        short = isinstance(self.system, Dynamic) and self.turns < MIN_TURNS_TO_COMPILE
        return TOGETHER if self.together or short else 1

    def score(self, setting: Mapping[str, float]) -> float:
        """Return the mean loss of one setting."""
        return self.scores([setting])[0]

    def key(self) -> str:
        """Return a digest of all that determines a score: results, system, period, split."""
        digest = hashlib.sha256(repr((__version__, self.system.name, self.metric)).encode())
        digest.update(repr((self.period, sorted(self.fixed.items()), self.warm_up)).encode())
        league = getattr(self.system, "league", None)
        parts = {**vars(self.system), "standing": league and league.standing}
        for name, part in parts.items():
            if callable(part):
                digest.update(f"{name} {fingerprint(part)}".encode())
        columns = {**self.table.columns, **self.table.facts}  # names do not matter
        for name, values in columns.items():
            digest.update(f"{name} {len(values)}".encode())
            digest.update(np.ascontiguousarray(values).data)
        return digest.hexdigest()[:16]


class Evaluations:
    """Evaluates settings, each once, several at a time by workers.

    `known` are scores of an earlier run; `heard` is called with every new one.
    """

    def __init__(
        self,
        task: EvaluationTask,
        budget: int,
        workers: Workers = SERIAL,
        known: Sequence[Evaluated] = (),
        heard: Callable[[Evaluated], None] | None = None,
    ) -> None:
        self.task, self.budget, self.workers = task, budget, workers
        self.earlier = {_tuple(one.setting): one.score for one in known}
        self.heard = heard
        self.seen: dict[tuple[tuple[str, float], ...], Evaluated] = {}

    @property
    def best(self) -> Evaluated:
        """The lowest score so far, of equal ones the first."""
        return min(self.seen.values(), key=lambda one: one.score)

    def scores(self, settings: Sequence[dict[str, float]]) -> list[float]:
        """The mean loss of each setting; raises BudgetSpent where the budget ends."""
        new = {_tuple(one): one for one in settings if _tuple(one) not in self.seen}
        left = self.budget - len(self.seen)
        wanted = list(new)[:left]
        unknown = [one for one in wanted if one not in self.earlier]
        found = self._map_settings(EvaluationTask.scores, [new[one] for one in unknown])
        for one in wanted:
            first = one not in self.earlier
            self.seen[one] = Evaluated(new[one], next(found) if first else self.earlier[one])
            if self.heard is not None and first:
                self.heard(self.seen[one])
        if len(wanted) < len(new):
            raise BudgetSpent
        return [self.seen[_tuple(one)].score for one in settings]

    def losses(self, settings: Sequence[dict[str, float]]) -> list[Floats]:
        """Return the loss of every judged entry under each setting; not counted or kept."""
        return list(self._map_settings(EvaluationTask.losses, settings))

    def _map_settings(
        self, work: Callable[..., list[Any]], settings: Sequence[dict[str, float]]
    ) -> Iterator[Any]:
        tasks = cut_into_groups(settings, self.task.at_once)
        for some in self.workers.map(work, tasks, shared=self.task):
            yield from some


def _tuple(setting: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(setting.items()))


class BadRecord(WordedError, ValueError):
    """The file does not hold evaluated settings."""


class EvaluationFile:
    """A file of evaluated settings, lines of JSON, which a later search reuses."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.key = Path(path), ""

    def load(self, key: str) -> list[Evaluated]:
        """The settings that an earlier run evaluated; raises BadArgument."""
        self.key = key
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
            known = parse_records(lines, key)
            if lines and not lines[-1].endswith("\n"):  # a run that was cut off in a line
                self.path.write_text("".join(lines[:-1]), encoding="utf-8")
        except FileNotFoundError:
            return []
        except (BadRecord, UnicodeDecodeError, OSError) as error:
            raise self.refuse(error) from None
        return known

    def append(self, one: Evaluated) -> None:
        """Write down a new one; raises BadArgument."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(format_record(self.key, one))
        except OSError as error:
            raise self.refuse(error) from None

    def refuse(self, error: Exception) -> BadArgument:
        """The error to raise for a file that cannot be used."""
        why = error.strerror if isinstance(error, OSError) else error
        return BadArgument.of("unusable_record", path=self.path, why=why)


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
            raise BadRecord.of("not_a_record", number=number) from None
        if of_this:
            found.append(Evaluated(setting, score))
    return found
