"""Claims about whole leagues, tested by simulation: what a source says, what is measured.

A claim receives its rating system as a value; every league is made by `simulate`.

Sources   W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994; "Arimaa Rating System", arimaa.com.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import expm1, sqrt
from typing import NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.inflation import Lifetimes, Redistribution, play_with_rules
from prowess.engine.numeric import LN10
from prowess.engine.params import BadSetting, settings
from prowess.engine.periods import rounds_of
from prowess.engine.rate import rate
from prowess.engine.replay import play
from prowess.engine.state import State, initial_state
from prowess.engine.system import Dynamic
from prowess.study.simulation.league import SimulatedLeague, simulate
from prowess.study.simulation.settings import LeagueSettings, league_settings

REPORT = "W. D. Smith, technical report 93-104-3-0058-5 (1994), "
Q = LN10 / 400.0  # per point


class ClaimCheck(NamedTuple):
    """One number of a claim and the number measured."""

    what: str
    claimed: float
    found: float
    tolerance: float  # for chance, and for "about" in a source

    @property
    def holds(self) -> bool:
        """Whether the found number is the claimed one, within the tolerance."""
        return bool(abs(self.found - self.claimed) <= self.tolerance)


@dataclass(frozen=True)
class Claim:
    """A statement of a source about a league, and its test."""

    name: str
    says: str
    source: str
    system: str  # by its name in the catalogue
    tried: Callable[[Dynamic, int], tuple[ClaimCheck, ...]]  # (system, seed)


def check_stable_pair(system: Dynamic, seed: int) -> tuple[ClaimCheck, ...]:
    """Test two players of whom one always wins, in one day because K grows again over weeks."""
    far_apart = (1e5, -1e5)
    league = simulate(league_settings(players=2, games=200, days=1), seed, strengths=far_apart)
    winner = int(np.argmax(league.truth.strength))
    k = system.rating._fields.index("k")
    ratings = np.array(
        [state.rating.copy() for _, state in snapshots(league, system, {}, range(1, 201))]
    )
    high, low = ratings[:, winner, 0], ratings[:, 1 - winner, 0]
    return (
        ClaimCheck(
            "games until K is 30", 70, 1.0 + float(np.argmax(ratings[:, winner, k] <= 30.0)), 0.5
        ),
        ClaimCheck("winner settles at", 1755, float(high[-1]), 0.5),
        ClaimCheck("loser settles at", 1046, float(low[-1]), 0.5),
    )


GENERATION = 100  # players born at a time, and the same number of old ones
CLAIM_YEARS = 5


def check_generations(system: Dynamic, seed: int) -> tuple[ClaimCheck, ...]:
    """Test a league whose old half is stronger by one, dies and is replaced by newcomers at 1.

    One unit is 2 / Q points, so that the logistic curve has Q = 2 in it, as in the report.
    """
    unit, zero = 2.0 / Q, 1500.0
    young, old = np.ones(GENERATION), np.ones(GENERATION)
    findings = []
    for g in range(1, CLAIM_YEARS + 1):
        league = simulate(
            league_settings(players=2 * GENERATION, games=1000 * GENERATION),
            seed + g,
            strengths=[0.0] * GENERATION + [unit] * GENERATION,
        )
        players = league.games.players
        start = {
            name: {"rating": zero + unit * points}
            for name, points in zip(sorted(players), [*young, *old], strict=True)
        }
        ratings = rate(league.games, system, start=start, params={"k": 8.0})
        found = dict(zip(players, (ratings.state.rating[:, 0] - zero) / unit, strict=True))
        values = np.array([found[name] for name in sorted(players)])
        findings += [
            ClaimCheck(f"generation {g}: mean", 2.0**-g + 0.5, float(values.mean()), 0.03),
            ClaimCheck(f"generation {g}: young", 2.0**-g, float(values[:GENERATION].mean()), 0.05),
        ]
        old, young = values[:GENERATION], np.ones(GENERATION)
    return tuple(findings)


def check_redistribution(system: Dynamic, seed: int) -> tuple[ClaimCheck, ...]:
    """Test a league with learning and deaths that starts with right ratings, as do newcomers."""
    p = league_settings(
        players=300, games=300_000, days=4000, spread=0, beginning="settled", life=800,
        births=300 / 800, learning=0.15, learning_form="constant",
    )  # fmt: skip
    league = simulate(p, seed)
    truth = league.truth
    right = truth.at_birth + p.learning * np.maximum(0.0, p.first_day - truth.born)
    alive = np.isnan(truth.died)

    def mean_error(*rules: Redistribution) -> float:
        start = {player: {"rating": rating} for player, rating in enumerate(right.tolist())}
        state = initial_state(system, system.params, len(right), start)
        population = Lifetimes()
        population.grow(truth.at_birth)  # the first players had these before the first game
        rounds = rounds_of(system, league.games, None)
        play_with_rules(state, population, rules, league.games, rounds)
        return float((state.rating[:, 0] - truth.strength)[alive].mean())

    rule = Redistribution(departures=league.departures())
    return (
        ClaimCheck("mean error without: minus the mean learnt", -120.0, mean_error(), 25.0),
        ClaimCheck("mean error with", 0.0, mean_error(rule), 25.0),
    )


def settled_errors(p: LeagueSettings, system: Dynamic, h: float, seed: int) -> Floats:
    """Return errors of constant players, one row a look, two games a player between looks."""
    games, every = int(p.games), int(p.players)
    moments = range(games // 10, games + 1, every)
    return np.array(list(errors_over_time(simulate(p, seed), system, {"h": h}, moments)))


def check_noise(system: Dynamic, seed: int) -> tuple[ClaimCheck, ...]:
    """Test how far ratings of equal players differ in the long run."""
    h, n = 64.0, 30
    errors = settled_errors(league_settings(players=n, games=200_000, spread=0), system, h, seed)
    # the errors of a look sum to 0, so the variance of a difference is 2 n / (n - 1) theirs
    found = sqrt(2.0 * n / (n - 1) * float((errors * errors).mean()))
    return (
        ClaimCheck("deviation of a difference, EQ 91 as printed", sqrt(h / (4.0 * Q)), found, 4.0),
        ClaimCheck("the same, corrected: sqrt(h / 2Q)", sqrt(h / (2.0 * Q)), found, 5.0),
    )


def check_error_figure(system: Dynamic, seed: int) -> tuple[ClaimCheck, ...]:
    """Test how often the error figure F = sum (R - S)^2 is below N h kappa^2."""
    h, n = 16.0, 30
    errors = settled_errors(league_settings(players=n, games=200_000, spread=0), system, h, seed)
    figure, bound = (errors * errors).sum(axis=1), n * h / (4.0 * Q)
    return (
        ClaimCheck(
            "share of the time that F is below it", 1.0, float((figure < bound).mean()), 0.01
        ),
        ClaimCheck(
            "mean of F / ((N - 1) h kappa^2)", 1.0, float(figure.mean() / bound * n / (n - 1)), 0.1
        ),
    )


MEAN_SLOPE = 0.000726673388  # per point: E wp'(D), D normal with deviation 324 sqrt 2


def check_lifetimes(system: Dynamic, seed: int) -> tuple[ClaimCheck, ...]:
    """Test the error of ratings where all players play 35 games and begin at the mean."""
    s, h, lived = 324.0, 64.0, 35
    p = league_settings(
        players=300, games=60_000, spread=s, life=lived, life_law="fixed", age="games",
        births=2 * 60_000 / lived / 365, beginning="settled",
    )  # fmt: skip
    league = simulate(p, seed)
    looks = errors_over_time(league, system, {"h": h}, range(10_000, 60_001, 1000))
    found = sqrt(float(np.mean(np.concatenate(list(looks)) ** 2)))
    u = h * MEAN_SLOPE * lived
    anew = sqrt(s * s * -expm1(-u) / u + h / (4.0 * Q))
    return (
        ClaimCheck("root mean square error, EQ 98", 28.8, found, 3.0),
        ClaimCheck("the same, the way to the right rating counted anew", anew, found, 0.07 * anew),
    )


CLAIMS = {
    claim.name: claim
    for claim in (
        Claim(
            "stable_pair",
            "Where one of two always wins, they settle at 1755 and 1046, K at 30 after about 70.",
            '"Arimaa Rating System", arimaa.com',
            "arimaa",
            check_stable_pair,
        ),
        Claim(
            "generations",
            "Deaths of the old pull the mean of ratings down to 2^-g + 1/2, and then it stays.",
            REPORT + "section 8.3",
            "elo",
            check_generations,
        ),
        Claim(
            "redistribution",
            "Handing on the points of the dead stops the deflation that learning brings.",
            REPORT + "section 8.3",
            "elo",
            check_redistribution,
        ),
        Claim(
            "noise",
            "The noise of a difference of ratings is given by EQ 91.",
            REPORT + "section 6.2, EQ 91",
            "smith",
            check_noise,
        ),
        Claim(
            "error_figure",
            "The error figure is almost surely below N h kappa^2 in the end.",
            REPORT + "Claim 10, EQ 96 and 97",
            "smith",
            check_error_figure,
        ),
        Claim(
            "lifetimes",
            "With h = 64 and lives of 35 games ratings err by 28.8 points.",
            REPORT + "sections 6.2 and 7, EQ 98",
            "smith",
            check_lifetimes,
        ),
    )
}


def snapshots(
    league: SimulatedLeague, system: Dynamic, params: Mapping[str, float], moments: Iterable[int]
) -> Iterator[tuple[int, State]]:
    """Yield (games played, state) at each of these ascending numbers of games."""
    table = league.games
    state = initial_state(system, settings(system, params), len(table.players), {})
    rounds = rounds_of(system, table, None)
    done = 0
    for moment in moments:
        play(state, table, rounds, span=(done, moment))
        done = moment
        yield moment, state


def errors_over_time(
    league: SimulatedLeague, system: Dynamic, params: Mapping[str, float], moments: Iterable[int]
) -> Iterator[Floats]:
    """Yield rating minus true strength of all living players, points; unseen ones as newcomers.

    Raises BadSetting if strengths change: the truth is known for the end only.
    """
    if league.settings.drift or league.settings.learning:
        raise BadSetting.of("strengths_not_constant")
    truth, time = league.truth, league.games.time
    assert time is not None
    for moment, state in snapshots(league, system, params, moments):
        now = time[moment - 1]
        alive = (truth.born <= now) & ~(truth.died <= now)
        yield state.rating[alive, 0] - truth.strength[alive]
