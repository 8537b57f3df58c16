"""Everything that is looked for in a league, asked once and judged together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from prowess.study.diagnosis.theory import Theory
from prowess.study.diagnosis.trends import check_inflation, check_learning, check_matched_inflation
from prowess.study.duels import check_duels

LEVEL = 0.05

Check = Callable[[], Observation]


def diagnose(
    games: Games,
    system: Dynamic | WholeTable,
    *,
    period: str | None = None,
    params: Mapping[str, Any] | None = None,
    theory: Theory | None = None,
    level: float = LEVEL,
    seed: int = 0,
) -> Diagnosis:
    """Look for everything that is wrong with a league as a system rates it.

    `theory` are the formulas to hold it against; without it the checks that need one are left
    out. `level`: the chance that a league without fault is accused of anything. `seed` is that of
    resamplings. Raises Unratable for other than games between two players and for whole-table
    systems, ValueError for a level outside (0, 1), and whatever rating raises.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"a level of {level:g}: it is a chance between 0 and 1, such as 0.05")
    check_duels(games, "a diagnosis")
    if not isinstance(system, Dynamic):
        raise Unratable(
            f"{system.name} looks at the whole table at once; a diagnosis follows ratings from "
            "game to game: choose a system such as elo or glicko"
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


def checks(played: LeagueHistory, theory: Theory | None, seed: int) -> dict[str, Check]:
    """Every check by the name of its observation, in the order in which they are told."""
    known: list[CalibratedCurve] = []

    def curve() -> CalibratedCurve:
        """Fitted once, for whoever asks first."""
        if not known:
            known.append(calibrate(played))
        return known[0]

    return {
        "step": lambda: check_step(_enough(played, curve), theory),
        "noise of ratings": lambda: check_noise(played, curve(), theory),
        "inflation": lambda: check_inflation(played),
        "matched inflation": lambda: check_matched_inflation(played),
        "learning by rating": lambda: check_learning(played, theory),
        "distribution": lambda: check_distribution(played, _needed(theory), seed),
        "form of the curve": lambda: check_form(_differing(played), curve(), seed),
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


def _enough(played: LeagueHistory, curve: Callable[[], CalibratedCurve]) -> LeagueHistory:
    """The course, where its judged games allow a calibration at all."""
    curve()
    return played


def _needed(theory: Theory | None) -> Theory:
    if theory is None:
        raise TooFew("no theory was handed in")
    return theory


def _differing(played: LeagueHistory) -> LeagueHistory:
    if not played.by_difference:
        raise TooFew(f"{played.system.name} does not forecast by differences of ratings")
    return played
