"""Diagnose a league: run every check and adjust the p-values together.

A check that can err by chance gives a p-value. With k checks the smallest would be below 0.05 far
too often, so Holm's step-down procedure adjusts them: the probability of any alarm in a league
without fault is at most `level` over all checks together (S. Holm, "A simple sequentially rejective
multiple test procedure", Scandinavian Journal of Statistics 6, 1979).

An effect must also be large enough: in a large table the smallest effect is significant. Each check
has the sizes of an effect that make a notice and a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from prowess.engine.params import Bank, display_settings, settings
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.tabular import Columns, Tabular
from prowess.engine.whole_table import WholeTable
from prowess.games.arguments import BadArgument
from prowess.games.games import Games
from prowess.games.reading import format_count
from prowess.study.diagnosis.anomalies import (
    check_draws_of_a_pair,
    check_duplicates,
    check_isolated_pools,
    check_jumps,
    check_newcomers,
    check_one_opponent,
    check_repeats,
    check_thin_bridges,
    check_turns,
)
from prowess.study.diagnosis.evidence import holm
from prowess.study.diagnosis.history import LeagueHistory, Observation, TooFew, replay_league
from prowess.study.diagnosis.results import (
    check_advantage,
    check_change_of_side,
    check_draws_by_rating,
    check_form,
    check_gaps,
    check_voters,
)
from prowess.study.diagnosis.trends import (
    check_distribution,
    check_inflation,
    check_learning,
    check_matched_inflation,
    check_noise,
    check_step,
)
from prowess.study.lineups import check_duels

FINE, NOTICE, WARNING = "fine", "notice", "warning"
SEVERITIES = (FINE, NOTICE, WARNING)


@dataclass(frozen=True)
class Finding:
    """One check: severity, text, numbers, method and rate of false alarms.

    `p` is the check's own p-value and `adjusted` Holm's p-value among all checks, None if nothing
    was tested.
    """

    name: str
    severity: str
    says: str
    numbers: dict[str, Any]
    method: str
    error_rate: str
    p: float | None = None
    adjusted: float | None = None
    advice: bool = False


@dataclass(frozen=True)
class Skipped:
    """A check that could not be run, and why."""

    name: str
    why: str


class UnknownFinding(BadArgument, KeyError):
    """The name of no finding of a diagnosis."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, repr=False)
class Diagnosis(Tabular):
    """All findings on one league, the worst first, and the checks that were skipped."""

    system: str
    params: dict[str, Any]
    games: int
    players: int
    judged: int  # games of two established players after the warm-up
    level: float
    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    seed: int = 0

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __getitem__(self, name: Any) -> Finding:
        """Return the finding of that name; UnknownFinding (a KeyError) if there is none."""
        for one in self.findings:
            if isinstance(name, str) and one.name == name:
                return one
        raise UnknownFinding.of(
            "unknown_finding", names=", ".join(one.name for one in self.findings), name=name
        )

    def to_columns(self) -> Columns:
        """See Tabular: a row a finding."""
        names = ("severity", "name", "says", "p", "adjusted", "advice")
        return {name: [getattr(one, name) for one in self.findings] for name in names}

    def shows(self, name: str) -> bool:
        """See Tabular."""
        return name in ("severity", "name", "says")

    @property
    def headline(self) -> str:
        """See Tabular."""
        return self.head()

    def head(self) -> str:
        """Summarise what was diagnosed in one line."""
        return (
            f"{self.system}: {format_count(self.games, 'game')} of "
            f"{format_count(self.players, 'player')}, of which {self.judged:,} between "
            f"established ones are judged; {len(self.findings)} checks, "
            f"all together with a chance of at most {self.level:g} of any false alarm "
            f"(resamplings by seed {self.seed})"
        )

    @property
    def worst(self) -> str:
        """The highest severity among the findings."""
        return max((one.severity for one in self.findings), key=SEVERITIES.index, default=FINE)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return vars(self) | {
            "worst": self.worst,
            "findings": [dict(vars(one)) for one in self.findings],
            "skipped": [dict(vars(one)) for one in self.skipped],
        }


class Check(NamedTuple):
    """A check and the sizes of an effect that make a notice and a warning.

    `judged`: it needs enough judged games for a calibrated curve. `advice`: it is about the
    constants chosen, not about the results.
    """

    name: str
    run: Callable[[LeagueHistory], Observation]
    notice: float = 1.0
    warning: float = 1.0
    judged: bool = False
    advice: bool = False


CHECKS = (  # in the order of the report
    Check("step", check_step, 0.001, 0.02, judged=True, advice=True),  # nats a game
    Check("noise of ratings", check_noise, 0.25, 1.0, judged=True),  # off theory
    Check("inflation", check_inflation, 0.15, 0.5),  # of the deviation of ratings, whole table
    Check("matched inflation", check_matched_inflation, 0.15, 0.5),
    Check("learning by rating", check_learning),
    Check("distribution", check_distribution),
    Check("form of the curve", check_form, 1e-4, 1e-3, judged=True),  # nats a game
    Check("residuals by gap", check_gaps, 0.1, 0.4, judged=True),  # natural units
    Check("side advantage", check_advantage, 0.1, 0.3, judged=True, advice=True),  # natural units
    Check("side advantage over time", check_change_of_side, 0.1, 0.5, judged=True),
    Check("draws by rating", check_draws_by_rating, 0.02, inf, judged=True),  # of all games
    Check("sudden jumps", check_jumps, judged=True),
    Check("points from one opponent", check_one_opponent, judged=True),
    Check("points from newcomers", check_newcomers, judged=True),
    Check("repeated pairs", check_repeats),
    Check("isolated pools", check_isolated_pools, 0.01, 0.05),  # of the games
    Check("thin bridges", check_thin_bridges, 1.0, 2.0),
    Check("duplicated rows", check_duplicates, 1.0, 2.0),
    Check("wins by turns", check_turns),
    Check("draws of a pair", check_draws_of_a_pair, judged=True),
)


def diagnose(
    games: Games,
    system: Dynamic | WholeTable,
    *,
    period: str | None = None,
    params: Mapping[str, Any] | None = None,
    theory: bool = False,
    level: float = 0.05,
    seed: int = 0,
    voter: str | None = None,
) -> Diagnosis:
    """Run every check on a league as a system rates it.

    `theory` also compares the league with the formulas of `prowess.theory`; without it the checks
    that need them are skipped. `level`: the chance that any check alarms in a league without
    fault. `seed` is that of resamplings. `voter` is a column of those who judged the games: they
    are checked as well. Raises Unratable for other than games between two players
    and for whole-table systems, ValueError for a level outside (0, 1), and whatever rating raises.
    """
    if not 0.0 < level < 1.0:
        raise BadArgument.of("not_a_level.diagnose", level=level)
    check_duels(games, "a diagnosis")
    if not isinstance(system, Dynamic):
        raise Unratable.of("not_followed", system=system.name)
    if isinstance(settings(system, params or {}), Bank):
        raise Unratable.of("no_bank.diagnose", system=system.name)
    played = replay_league(games, system, period=period, params=params, theory=theory, seed=seed)
    observations: list[tuple[Check, Observation]] = []
    skipped: list[Skipped] = []
    checks: tuple[Check, ...] = CHECKS
    if voter is not None:

        def run(_: LeagueHistory) -> Observation:
            return check_voters(games, voter, seed, level)

        checks = (*CHECKS, Check("voters", run))
    for check in checks:
        try:
            if check.judged:
                played.refuse_few_judged()
            observations.append((check, check.run(played)))
        except TooFew as reason:
            skipped.append(Skipped(check.name, str(reason)))
    return Diagnosis(
        system=system.name,
        params=display_settings(system, played.p),
        games=len(played.games),
        players=len(played.final),
        judged=int(played.judged.sum()),
        level=level,
        findings=judge_observations(observations, level),
        skipped=tuple(skipped),
        seed=seed,
    )


def judge_observations(
    observations: Sequence[tuple[Check, Observation]], level: float
) -> tuple[Finding, ...]:
    """Adjust the p-values of all checks; return findings, the worst first, else in order."""
    raised = iter(holm([one.p for _, one in observations if one.p is not None]))
    findings = []
    for check, one in observations:
        adjusted = None if one.p is None else next(raised)
        severity, size = FINE, -inf if one.size is None else one.size
        if adjusted is None or adjusted <= level:
            severity = (
                WARNING if size >= check.warning else NOTICE if size >= check.notice else FINE
            )
        if adjusted is not None:
            rate = f"at most {level:g} over all checks together (Holm)"
        elif one.size is not None:
            rate = "none by chance: it is counted, not estimated"
        else:
            rate = "none: a description, it never alarms"
        says = one.calm if severity == FINE else one.alarm
        findings.append(
            Finding(check.name, severity, says, one.numbers, one.method, rate, one.p, adjusted,
                    check.advice)
        )  # fmt: skip
    return tuple(sorted(findings, key=lambda one: -SEVERITIES.index(one.severity)))
