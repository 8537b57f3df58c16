"""Poisson goals: attack and defence of every side, and the chance of every score.

Formula   a scores X, b scores Y goals, h = 1 for the side at home, 0 for the other and for both on
          neutral ground
          log lambda = mean + home h_a + attack_a - defence_b
          log mu     = mean + home h_b + attack_b - defence_a
          poisson_goals     X ~ Poisson(lambda), Y ~ Poisson(mu), independent
          dixon_coles       the same times tau: tau(0,0) = 1 - lambda mu rho,
                            tau(0,1) = 1 + lambda rho, tau(1,0) = 1 + mu rho, tau(1,1) = 1 - rho,
                            else 1
          bivariate_poisson X = A + C, Y = B + C, Poisson with the means lambda, mu and lambda3
          rating = attack + defence; maximum likelihood; sum attack = sum defence = 0
Source    M. J. Maher, Statistica Neerlandica 36 (1982) 109; M. J. Dixon and S. G. Coles, Applied
          Statistics 46 (1997) 265; D. Karlis and I. Ntzoufras, The Statistician 52 (2003) 381.
Units     rating, deviation, attack, defence, mean, home, sd: logarithms of goals a game (0.1 is
          about a tenth more); rho: none; lambda3: goals a game.
Differs   sd gives attacks and defences a normal prior about 0; 0, the default, is none, and then
          players who never scored, or never conceded, are refused. home = ignored fits none.
          Dixon and Coles let games count less with age: half_life does. Their rho is fitted where
          tau of every game's own score is above 0; a forecast whose means do not allow it takes
          the nearest rho that they do, and says so. Without games of few goals rho is 0. Where
          the goals of both sides do not go together, lambda3 is 0.
          Win, draw and loss are sums over the grid of scores, of which 1e-15 is cut off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.fits.connectivity import Unidentifiable, strong_components
from prowess.engine.fits.newton import STEPS, upward_step
from prowess.engine.places import Scores
from prowess.engine.system import Choice, Range, Unratable
from prowess.engine.whole_table import Fit, Normal, Points, WholeTable
from prowess.games.games import Games
from prowess.games.reading import list_some

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

POISSON, DIXON_COLES, BIVARIATE = range(3)
FITTED, IGNORED = range(2)
MOST_SCORERS = 2_000  # whose information matrix has 128 MB
MOST_GOALS = 1_000.0  # of a side in a game
MOST_FORESEEN = 1_500.0  # mean goals of a side; a grid of scores then has at most 26 MB
SMALLEST_STEP = 1e-10  # log goals
ROUNDED_STEP = 1e-5  # log goals; a shorter step that is no shorter than the last one is of rounding
LEAST_SD = 1e-4  # log goals; a narrower prior leaves a fit no digits
LARGEST_NUMBER = 8.0  # log goals; what is larger is on the way to infinity
NO_STRENGTH = 1e-12  # log goals; what is smaller is a rounding of zero
BLURRED = 1e-9  # of what games at home say; less says nothing about the advantage
CUT_OFF = 1e-15  # of the chances of all scores
FIRST_SHARE = 0.2  # of the way from rho = 0 to where tau is 0; its likelihood may have two tops
LEAST_SHARED = 0.01  # goals a game that both score together, at the start of a fit
GIVE_PRIOR = "give attacks and defences a prior (--set sd=0.5)"


class Params(NamedTuple):
    law: Annotated[
        int, Choice("poisson", "dixon_coles", "bivariate"), "how the goals of both go together"
    ] = POISSON
    home: Annotated[int, Choice("fitted", "ignored"), "whether home advantage is fitted"] = FITTED
    sd: Annotated[float, Range(0, 10, "log goals; 0: none"), "deviation of the prior"] = 0.0


class ScoreSlopes(NamedTuple):
    """Of each game the log-likelihood and its slopes in (log lambda, log mu, further number)."""

    value: Floats  # [games]
    first: Floats  # [3, games]
    second: Floats  # [6, games], negative: 00, 11, 01, 02, 12, 22


def independent_slopes(x: Floats, y: Floats, u: Floats, v: Floats, further: float) -> ScoreSlopes:
    """Two Poisson numbers of goals with the means e^u and e^v."""
    from scipy.special import gammaln

    first, second, none = np.exp(u), np.exp(v), np.zeros(len(x))
    value = x * u - first + y * v - second - gammaln(x + 1.0) - gammaln(y + 1.0)
    return ScoreSlopes(
        value,
        np.stack((x - first, y - second, none)),
        np.stack((first, second, none, none, none, none)),
    )


def tau_terms(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """The sign of rho in tau, 0 where tau is 1, and the powers of lambda and mu beside it."""
    few = (x <= 1.0) & (y <= 1.0)
    return np.where(few, np.where(x == y, -1.0, 1.0), 0.0), few * (1.0 - x), few * (1.0 - y)


def few_goals_slopes(x: Floats, y: Floats, u: Floats, v: Floats, rho: float) -> ScoreSlopes:
    """The same times tau; a value is -inf where tau is not above 0."""
    found, (sign, i, j) = independent_slopes(x, y, u, v, rho), tau_terms(x, y)
    term = sign * np.exp(i * u + j * v)
    tau = 1.0 + term * rho
    with np.errstate(divide="ignore", invalid="ignore"):
        value = found.value + np.where(tau > 0.0, np.log(tau), -np.inf)
        slope = term / tau
    w = slope * rho  # of log tau by a log mean; its own slope is w (1 - w)
    bent, mixed = w * (1.0 - w), slope * (1.0 - w)
    return ScoreSlopes(
        value,
        found.first + np.stack((i * w, j * w, slope)),
        found.second
        - np.stack((i * bent, j * bent, i * j * bent, i * mixed, j * mixed, -(slope**2))),
    )


def shared_goals_slopes(
    x: Floats, y: Floats, u: Floats, v: Floats, log_shared: float
) -> ScoreSlopes:
    """A + C and B + C goals. Given the score, C has a law of its own: slopes are its moments."""
    from scipy.special import gammaln

    few = np.minimum(x, y)
    k = np.arange(few.max(initial=0.0) + 1.0, dtype=np.float64)[:, None]
    mine, theirs = np.maximum(x - k, 0.0), np.maximum(y - k, 0.0)
    terms = mine * u + theirs * v + k * log_shared
    terms -= gammaln(mine + 1.0) + gammaln(theirs + 1.0) + gammaln(k + 1.0)
    terms = np.where(k <= few, terms, -np.inf)
    top = terms.max(axis=0)
    chance = np.exp(terms - top)
    total = chance.sum(axis=0)
    chance /= total
    shared = (k * chance).sum(axis=0)
    varied = ((k - shared) ** 2 * chance).sum(axis=0)
    means = np.exp(u), np.exp(v), np.full(len(x), np.exp(log_shared))
    return ScoreSlopes(
        top + np.log(total) - sum(means),
        np.stack((x - shared - means[0], y - shared - means[1], shared - means[2])),
        np.stack((*means[:2], 0.0 * shared, 0.0 * shared, 0.0 * shared, means[2]))
        + np.stack((-varied, -varied, -varied, varied, varied, -varied)),
    )


LAWS = (independent_slopes, few_goals_slopes, shared_goals_slopes)


@dataclass(frozen=True, eq=False)
class Rows:
    """The games of a fit: goals, weights, and the unknowns whose sum is each log mean.

    Unknowns are the attacks, the defences, the mean, the home advantage, and a further number.
    """

    x: Floats  # [games]
    y: Floats
    weight: Floats
    of_x: csr_matrix  # [games, unknowns]
    of_y: csr_matrix
    players: int
    precision: float  # of the prior of attacks and defences

    @classmethod
    def of(
        cls, table: Games, goals: tuple[Floats, Floats], a: Ids, b: Ids, n: int, p: Params
    ) -> Rows:
        """The games of a table, of n players with these numbers."""
        from scipy.sparse import csr_matrix

        count = len(table)
        side = np.zeros(count) if table.side is None or p.home == IGNORED else table.side

        def design(scorer: Ids, keeper: Ids, at_home: Floats) -> csr_matrix:
            places = scorer, n + keeper, np.full(count, 2 * n), np.full(count, 2 * n + 1)
            values = np.ones(count), -np.ones(count), np.ones(count), np.maximum(at_home, 0.0)
            which = np.arange(0, 4 * count + 1, 4, dtype=np.int64)
            return csr_matrix(
                (np.stack(values, 1).ravel(), np.stack(places, 1).ravel(), which),
                (count, 2 * n + 3),
            )

        return cls(
            *goals,
            np.ones(count) if table.weight is None else table.weight,
            design(a, b, side),
            design(b, a, -side),
            n,
            max(p.sd, LEAST_SD) ** -2.0 if p.sd else 0.0,
        )

    def slopes(self, law: int, unknown: Floats) -> ScoreSlopes:
        """Of each game."""
        with np.errstate(over="ignore", invalid="ignore"):
            u, v = self.of_x @ unknown, self.of_y @ unknown
            return LAWS[law](self.x, self.y, u, v, float(unknown[-1]))

    def value(self, slopes: ScoreSlopes, unknown: Floats) -> float:
        """The log-likelihood, with the prior of attacks and defences; -inf where it has none."""
        prior = (
            0.5 * self.precision * float(unknown[: 2 * self.players] @ unknown[: 2 * self.players])
        )
        found = float(self.weight @ slopes.value) - prior
        return found if np.isfinite(found) else -np.inf

    def gradient(self, slopes: ScoreSlopes, unknown: Floats) -> Floats:
        """Of the same, [unknowns]."""
        u, v, further = slopes.first * self.weight
        found: Floats = self.of_x.T @ u + self.of_y.T @ v
        found[-1] += further.sum()
        found[: 2 * self.players] -= self.precision * unknown[: 2 * self.players]
        return found

    def information(self, slopes: ScoreSlopes) -> Floats:
        """The negative second slopes, [unknowns, unknowns], with the sums of attacks and of
        defences pinned, which only the mean would take up.
        """
        xx, yy, xy, xz, yz, zz = slopes.second * self.weight
        half = self.of_x.T @ self.of_y.multiply(xy[:, None])
        h = self.of_x.T @ self.of_x.multiply(xx[:, None])
        h = (h + self.of_y.T @ self.of_y.multiply(yy[:, None]) + half + half.T).toarray()
        beside = self.of_x.T @ xz + self.of_y.T @ yz
        h[-1] += beside
        h[:, -1] += beside
        h[-1, -1] += zz.sum()
        n = self.players
        pin = max(float(np.trace(h[: 2 * n, : 2 * n])) / (2 * n), 1e-280) / n
        for low in (0, n):
            h[low : low + n, low : low + n] += pin
        own = np.arange(2 * n, dtype=np.int64)
        h[own, own] += self.precision
        return np.asarray(h, dtype=np.float64)


def maximum(rows: Rows, law: int, start: Floats, free: NDArray[np.bool_]) -> Floats:
    """Newton's method; a step is halved until the likelihood does not fall.

    Raises Unidentifiable where it rises without end.
    """
    here, chosen = start, np.flatnonzero(free)
    slopes = rows.slopes(law, here)
    value, before = rows.value(slopes, here), np.inf
    for _ in range(STEPS):
        step = np.zeros(len(here))
        step[chosen] = upward_step(
            rows.information(slopes)[np.ix_(chosen, chosen)],
            rows.gradient(slopes, here)[chosen],
        )
        size = float(np.abs(step).max(initial=0.0))
        part = min(1.0, 2.0 / max(size, 1e-280))
        there, slack = here, 1e-13 * abs(value)
        while part * size > 0.1 * SMALLEST_STEP:
            there = here + part * step
            slopes = rows.slopes(law, there)
            risen = rows.value(slopes, there)
            if risen >= value - slack:
                break
            part *= 0.5
        else:
            there, slopes, risen = here, rows.slopes(law, here), value
        here, value = there, risen
        if part * size <= SMALLEST_STEP or np.abs(here[chosen]).max(initial=0.0) > LARGEST_NUMBER:
            return here
        if before <= size <= ROUNDED_STEP:
            return here
        before = size
    raise runaway_error(rows)


def highest(rows: Rows, law: int, starts: Sequence[Floats], free: NDArray[np.bool_]) -> Floats:
    """The highest maximum that is found from these; raises Unidentifiable where none is."""
    tops: list[Floats] = []
    for start in starts:
        with suppress(Unidentifiable):
            tops.append(maximum(rows, law, start, free))
    if not tops:
        raise runaway_error(rows)
    return max(tops, key=lambda top: rows.value(rows.slopes(law, top), top))


def runaway_error(rows: Rows) -> Unidentifiable:
    """The error where the likelihood rises without end."""
    remedy = "leave out games of next to no goals or weight" if rows.precision else GIVE_PRIOR
    return Unidentifiable.of("likelihood_unbounded.goals", remedy=remedy)


def refuse_one_sided(goals: Sequence[Floats], a: Ids, b: Ids, names: Sequence[str]) -> None:
    """Raise Unidentifiable where goals fix no finite attacks and defences.

    Each attack scores against each defence that it met; with a goal both are comparable, without
    one the defence is only known to be as strong. All must be comparable with all.
    """
    n = len(names)
    scorer, keeper = np.concatenate((a, b)), np.concatenate((b, a)) + n
    scored = np.concatenate(goals) > 0.0
    tail = np.concatenate((scorer, keeper[scored]))
    group = strong_components(2 * n, tail, np.concatenate((keeper, scorer[scored])))
    if not group.any():
        return
    largest = np.bincount(group).argmax()
    silent = [
        np.flatnonzero(np.bincount(who, minlength=n) == 0).tolist()
        for who in (scorer[scored], keeper[scored] - n)
    ]
    reasons = [
        f"{what}: {list_some([names[k] for k in players])}"
        for what, players in zip(("never scored", "never conceded"), silent, strict=True)
        if players
    ]
    others = np.unique(np.flatnonzero(group != largest) % n).tolist()
    reasons = reasons or [
        f"goals do not connect the others with: {list_some([names[k] for k in others])}"
    ]
    raise Unidentifiable.of(
        "no_finite_ratings.goals", remedy=GIVE_PRIOR, reasons="; ".join(reasons)
    )


def start_further(rows: Rows, law: int, start: Floats) -> tuple[list[float], str]:
    """Values from which the further number is fitted; none, and why, where goals leave it open."""
    if law == DIXON_COLES:
        sign, i, j = tau_terms(rows.x, rows.y)
        term = sign * np.exp(i * (rows.of_x @ start) + j * (rows.of_y @ start))
        if term.max() > 0.0 > term.min():
            return [-FIRST_SHARE / float(term.max()), -FIRST_SHARE / float(term.min())], ""
        return [], "rho is 0: too few games ended 0:0 or 1:1, and 1:0 or 0:1"
    if law == BIVARIATE:
        first, second = np.exp(rows.of_x @ start), np.exp(rows.of_y @ start)
        apart = rows.weight * (rows.x - first) * (rows.y - second)
        together = float(apart.sum() / rows.weight.sum())
        most = 0.5 * float(min(rows.weight @ first, rows.weight @ second) / rows.weight.sum())
        return [float(np.log(min(max(together, LEAST_SHARED), most)))], ""
    return [], ""


class GoalModel(NamedTuple):
    """What a fit found beside attacks and defences."""

    law: int
    mean: float
    home: float
    further: float  # rho, or lambda3


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Maximum-likelihood attacks and defences. Raises Unidentifiable where they are not finite."""
    assert table.points_a is not None  # `needs` says so
    assert table.points_b is not None
    goals = table.points_a, table.points_b
    both = np.concatenate((table.a, table.b)).astype(np.int64)
    place, number = np.unique(both, return_inverse=True)
    n, names = len(place), [table.players[k] for k in place.tolist()]
    if n > MOST_SCORERS:
        raise Unratable.of("too_many_players.goals", most=MOST_SCORERS, n=n)
    a, b = number.reshape(2, -1)
    if not p.sd:
        refuse_one_sided(goals, a, b, names)
    rows = Rows.of(table, goals, a, b, n, p)
    free = np.ones(2 * n + 3, dtype=bool)
    free[-1] = False
    notes: tuple[str, ...] = ()
    if p.home == FITTED and (table.side is None or not table.side.any()):
        notes = ("the table does not say who is at home: no advantage is fitted",)
    free[-2] = not notes and p.home == FITTED
    start = np.zeros(2 * n + 3)
    total = rows.weight @ (rows.x + rows.y)
    start[2 * n] = np.log(max(total / (2.0 * rows.weight.sum()), 1e-3))
    if free[-2]:
        refuse_fixed_sides(rows, start)
    best, law = maximum(rows, POISSON, start, free), POISSON
    firsts, note = start_further(rows, p.law, best)
    if firsts:
        free[-1], law = True, p.law
        top = highest(rows, law, [np.append(best[:-1], one) for one in firsts], free)
        if law == BIVARIATE and top[-1] < -LARGEST_NUMBER:
            note, law, free[-1] = (
                "lambda3 is 0: the goals of both do not go together",
                POISSON,
                False,
            )
        else:
            best = top
    notes = (*notes, note) if note else notes
    if np.abs(best[free]).max() > LARGEST_NUMBER:
        raise runaway_error(rows)
    return describe(rows, law, best, free, place, len(table.players), p.law, notes)


def refuse_fixed_sides(rows: Rows, unknown: Floats) -> None:
    """Raise Unidentifiable where goals do not separate the home advantage from the ratings."""
    h = rows.information(rows.slopes(POISSON, unknown))[:-1, :-1]
    beside = h[:-1, -1]
    seen = h[-1, -1] - float(beside @ np.linalg.lstsq(h[:-1, :-1], beside, rcond=None)[0])
    if seen <= BLURRED * h[-1, -1]:
        raise Unidentifiable.of("sides_not_separable.goals")


def describe(
    rows: Rows, law: int, best: Floats, free: NDArray[np.bool_], place: Ids, roster: int,
    asked: int, notes: tuple[str, ...],
) -> Fit:  # fmt: skip
    """The fit by player, with its figures and the uncertainty of the ratings."""
    n, slopes, chosen = rows.players, rows.slopes(law, best), np.flatnonzero(free)
    inverse = np.linalg.inv(rows.information(slopes)[np.ix_(chosen, chosen)])
    own = inverse[:n, :n] + inverse[n : 2 * n, n : 2 * n]
    own += inverse[:n, n : 2 * n] + inverse[n : 2 * n, :n]
    own -= own.mean(axis=0)  # the sums are a convention, so they have no uncertainty
    own -= own.mean(axis=1)[:, None]
    whole = np.full((roster, roster), np.nan)
    whole[np.ix_(place, place)] = 0.5 * (own + own.T)
    spread = Normal(whole)

    def of_roster(values: Floats) -> Floats:
        found = np.full(roster, np.nan)
        found[place] = values
        return found

    strengths = best[: 2 * n]
    attack, defence = np.where(np.abs(strengths) < NO_STRENGTH, 0.0, strengths).reshape(2, n)
    figures = {"mean": float(best[2 * n])}
    if free[-2]:
        figures["home"] = float(best[-2])
    further = float(best[-1]) if free[-1] else 0.0
    if law == BIVARIATE:
        further = float(np.exp(further))
    if asked != POISSON:
        figures["rho" if asked == DIXON_COLES else "lambda3"] = further
    figures["log_posterior" if rows.precision else "log_likelihood"] = rows.value(slopes, best)
    return Fit(
        {
            "rating": of_roster(attack + defence),
            "deviation": spread.deviations(),
            "attack": of_roster(attack),
            "defence": of_roster(defence),
        },
        notes=notes,
        figures=figures,
        uncertainty=spread,
        model=GoalModel(law, float(best[2 * n]), float(best[-2]), further),
    )


# --- forecasts ------------------------------------------------------------------------------------


def scores(p: Params, fit: Fit, a: int, b: int, side: float) -> Scores:
    """The chance of every score of a game, with the fitted home advantage."""
    known: GoalModel = fit.model
    attack, defence = fit.columns["attack"], fit.columns["defence"]
    first = known.mean + known.home * max(side, 0.0) + attack[a] - defence[b]
    second = known.mean + known.home * max(-side, 0.0) + attack[b] - defence[a]
    return score_chances(known.law, float(np.exp(first)), float(np.exp(second)), known.further)


def score_chances(law: int, first: float, second: float, further: float = 0.0) -> Scores:
    """The chance of every score at these means; `further` is rho of tau, or lambda3.

    Raises Unratable for a mean above MOST_FORESEEN.
    """
    shared = further if law == BIVARIATE else 0.0
    mine, theirs = (foreseen_goals(mean + shared) for mean in (first, second))
    grid = np.outer(poisson_chances(first, mine), poisson_chances(second, theirs))
    note = ""
    if law == BIVARIATE:
        apart, grid = grid, np.zeros_like(grid)
        both = mine if len(mine) < len(theirs) else theirs
        for k, chance in enumerate(poisson_chances(shared, both).tolist()):
            grid[k:, k:] += chance * apart[: len(mine) - k, : len(theirs) - k]
    elif law == DIXON_COLES and further:
        low = max(-1.0 / first, -1.0 / second)
        rho = min(max(further, low), 1.0 / (first * second), 1.0)
        if rho != further:
            note = f"rho {further:.3g} is taken as {rho:.3g}, the nearest that these means allow"
        sign, i, j = tau_terms(*np.indices((2, 2), dtype=np.float64))
        grid[:2, :2] *= np.maximum(1.0 + rho * sign * first**i * second**j, 0.0)
    return Scores(grid / grid.sum(), note)


def foreseen_goals(mean: float) -> Floats:
    """The numbers of goals of a side, from 0 to what it passes with half the chance CUT_OFF."""
    from scipy.special import pdtrc

    if mean > MOST_FORESEEN:
        raise Unratable.of("too_many_goals", mean=mean, most=MOST_FORESEEN)
    goals = np.arange(mean + 12.0 * np.sqrt(mean) + 40.0, dtype=np.float64)
    last = int(np.argmax(pdtrc(goals, mean) < 0.5 * CUT_OFF))
    return goals[: max(last, 1) + 1]  # 0 and 1 at least, which tau changes


def poisson_chances(mean: float, goals: Floats) -> Floats:
    """The chance of each number of goals, [goals]."""
    from scipy.special import gammaln, xlogy

    return np.asarray(np.exp(xlogy(goals, mean) - mean - gammaln(goals + 1.0)))


POISSON_GOALS = WholeTable(
    name="poisson_goals",
    family="goals",
    params=Params(),
    columns=("rating", "deviation", "attack", "defence"),
    fit=fit,
    scores=scores,
    needs=("points_a", "points_b"),
    points=Points("goals", MOST_GOALS, whole=True),
    uses=("side",),
)
DIXON_AND_COLES = replace(
    POISSON_GOALS,
    name="dixon_coles",
    summary="Dixon-Coles: Poisson goals with another chance of 0:0, 1:0, 0:1 and 1:1.",
    params=Params(law=DIXON_COLES),
)
BIVARIATE_POISSON = replace(
    POISSON_GOALS,
    name="bivariate_poisson",
    summary="Bivariate Poisson: Poisson goals, some of which both sides score together.",
    params=Params(law=BIVARIATE),
    breaks={
        "monotone": "goals that both sides score together are fitted with all games, so a result "
        "between two changes what the goals of all others are worth"
    },
)
