"""Diagnose a league: run every check and adjust the p-values together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from prowess.engine.params import display_settings
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.whole_table import WholeTable
from prowess.games.games import Games
from prowess.study.diagnosis.anomalies import (
    check_draws_of_a_pair,
    check_jumps,
    check_newcomers,
    check_one_opponent,
    check_turns,
)
from prowess.study.diagnosis.connections import (
    check_duplicates,
    check_isolated_pools,
    check_repeats,
    check_thin_bridges,
)
from prowess.study.diagnosis.curve import CalibratedCurve, TooFew, calibrate
from prowess.study.diagnosis.distribution import check_distribution
from prowess.study.diagnosis.findings import Diagnosis, Observation, Skipped, judge_observations
from prowess.study.diagnosis.history import LeagueHistory, replay_league
from prowess.study.diagnosis.results import (
    check_advantage,
    check_change_of_side,
    check_draws_by_rating,
    check_form,
    check_gaps,
)
from prowess.study.diagnosis.steps import check_noise, check_step
from prowess.study.diagnosis.trends import check_inflation, check_learning, check_matched_inflation
from prowess.study.lineups import check_duels

LEVEL = 0.05

Check = Callable[[], Observation]


def diagnose(
    games: Games,
    system: Dynamic | WholeTable,
    *,
    period: str | None = None,
    params: Mapping[str, Any] | None = None,
    theory: bool = False,
    level: float = LEVEL,
    seed: int = 0,
) -> Diagnosis:
    """Run every check on a league as a system rates it.

    `theory` also compares the league with the formulas of `prowess.theory`; without it the checks
    that need them are skipped. `level`: the chance that any check alarms in a league without
    fault. `seed` is that of resamplings. Raises Unratable for other than games between two players
    and for whole-table systems, ValueError for a level outside (0, 1), and whatever rating raises.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"give a level between 0 and 1, such as 0.05, not {level:g}")
    check_duels(games, "a diagnosis")
    if not isinstance(system, Dynamic):
        raise Unratable(
            "choose a system such as elo or glicko: a diagnosis follows ratings from game to game, "
            f"and {system.name} fits the whole table at once"
        )
    played = replay_league(games, system, period=period, params=params)
    observations: list[Observation] = []
    skipped: list[Skipped] = []
    for name, check in checks(played, theory, seed).items():
        try:
            observations.append(check())
        except TooFew as reason:
            skipped.append(Skipped(name, str(reason)))
    return Diagnosis(
        system=system.name,
        params=display_settings(system, played.p),
        games=len(played.games),
        players=len(played.final),
        judged=int(played.judged.sum()),
        level=level,
        findings=judge_observations(observations, level),
        skipped=tuple(skipped),
    )


def checks(played: LeagueHistory, theory: bool, seed: int) -> dict[str, Check]:
    """Return every check by the name of its observation, in the order of the report."""

    @cache
    def curve() -> CalibratedCurve:
        return calibrate(played)

    return {
        "step": lambda: check_step(played, curve(), theory),
        "noise of ratings": lambda: check_noise(played, curve(), theory),
        "inflation": lambda: check_inflation(played),
        "matched inflation": lambda: check_matched_inflation(played),
        "learning by rating": lambda: check_learning(played, theory),
        "distribution": lambda: check_distribution(played, theory, seed),
        "form of the curve": lambda: check_form(played, curve(), seed),
        "residuals by gap": lambda: check_gaps(played, curve()),
        "side advantage": lambda: check_advantage(played, curve()),
        "side advantage over time": lambda: check_change_of_side(played, curve()),
        "draws by rating": lambda: check_draws_by_rating(played, curve()),
        "sudden jumps": lambda: check_jumps(played, curve()),
        "points from one opponent": lambda: check_one_opponent(played, curve()),
        "points from newcomers": lambda: check_newcomers(played, curve()),
        "repeated pairs": lambda: check_repeats(played),
        "isolated pools": lambda: check_isolated_pools(played),
        "thin bridges": lambda: check_thin_bridges(played),
        "duplicated rows": lambda: check_duplicates(played),
        "wins by turns": lambda: check_turns(played),
        "draws of a pair": lambda: check_draws_of_a_pair(played, curve()),
    }
