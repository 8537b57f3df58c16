"""Everything that is looked for in a league, asked once and judged together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from prowess.engine.params import display_settings
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.whole_table import WholeTable
from prowess.games.games import Games
from prowess.study.diagnosis.calibrated import Calibrated, TooFew, calibrated
from prowess.study.diagnosis.course import Course, course
from prowess.study.diagnosis.distribution import distribution
from prowess.study.diagnosis.draws import draws_by_rating
from prowess.study.diagnosis.duplicates import duplicates
from prowess.study.diagnosis.farming import newcomers, one_opponent
from prowess.study.diagnosis.finding import Diagnosis, Observation, Skipped, judged
from prowess.study.diagnosis.forms import form, gaps
from prowess.study.diagnosis.inflation import inflation, matched_inflation
from prowess.study.diagnosis.jumps import jumps
from prowess.study.diagnosis.learning import gain_by_rating
from prowess.study.diagnosis.noise import wandering
from prowess.study.diagnosis.patterns import draws_of_a_pair, turns
from prowess.study.diagnosis.pools import isolated, thin_bridges
from prowess.study.diagnosis.repeats import repeats
from prowess.study.diagnosis.sides import advantage, change_of_side
from prowess.study.diagnosis.step import step
from prowess.study.diagnosis.theory import Theory
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
    played = course(games, system, period=period, params=params)
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
        findings=judged(observations, level),
        skipped=tuple(skipped),
    )


def checks(played: Course, theory: Theory | None, seed: int) -> dict[str, Check]:
    """Every check by the name of its observation, in the order in which they are told."""
    known: list[Calibrated] = []

    def curve() -> Calibrated:
        """Fitted once, for whoever asks first."""
        if not known:
            known.append(calibrated(played))
        return known[0]

    return {
        "step": lambda: step(_enough(played, curve), theory),
        "noise of ratings": lambda: wandering(played, curve(), theory),
        "inflation": lambda: inflation(played),
        "matched inflation": lambda: matched_inflation(played),
        "learning by rating": lambda: gain_by_rating(played, theory),
        "distribution": lambda: distribution(played, _needed(theory), seed),
        "form of the curve": lambda: form(_differing(played), curve(), seed),
        "residuals by gap": lambda: gaps(played, curve()),
        "side advantage": lambda: advantage(played, curve()),
        "side advantage over time": lambda: change_of_side(played, curve()),
        "draws by rating": lambda: draws_by_rating(played, curve()),
        "sudden jumps": lambda: jumps(played, curve()),
        "points from one opponent": lambda: one_opponent(played, curve()),
        "points from newcomers": lambda: newcomers(played, curve()),
        "repeated pairs": lambda: repeats(played),
        "isolated pools": lambda: isolated(played),
        "thin bridges": lambda: thin_bridges(played),
        "duplicated rows": lambda: duplicates(played),
        "wins by turns": lambda: turns(played),
        "draws of a pair": lambda: draws_of_a_pair(played, curve()),
    }


def _enough(played: Course, curve: Callable[[], Calibrated]) -> Course:
    """The course, where its judged games allow a calibration at all."""
    curve()
    return played


def _needed(theory: Theory | None) -> Theory:
    if theory is None:
        raise TooFew("no theory was handed in")
    return theory


def _differing(played: Course) -> Course:
    if not played.by_difference:
        raise TooFew(f"{played.system.name} does not forecast by differences of ratings")
    return played
