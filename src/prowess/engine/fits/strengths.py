"""Fit ratings of largest likelihood or posterior density to a table of games.

The steps: merge the games, check that results determine every rating, maximise, and compute the
uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, log, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.fits.comparisons import score_games
from prowess.engine.fits.connectivity import SideForest, Unidentifiable
from prowess.engine.fits.covariance import make_resampler, uncertainty
from prowess.engine.fits.fit_rows import FitRows, MergedRows, is_worth_merging
from prowess.engine.fits.likelihood import DAVIDSON, FITTED_DRAWS, HALF, OutcomeModel, chances
from prowess.engine.fits.newton import Maximum, maximum, start_of
from prowess.engine.fits.posterior import FLAT, Posterior, Prior
from prowess.engine.system import Chances
from prowess.engine.whole_table import Fit
from prowess.engine.win_probability import rating_difference
from prowess.games.tally import tally

if TYPE_CHECKING:
    from prowess.games.games import Games


REMEDY = "take the system map (--system map), whose prior gives all players a finite rating"


Priors = Mapping[int, tuple[float, float]]  # of single players: mean and deviation, points
NO_PRIORS: Priors = MappingProxyType({})


class Strengths(NamedTuple):
    """A fitted model of games, enough to forecast one."""

    model: OutcomeModel
    ratings: Floats  # points, of the roster
    advantage: float  # of the first side, points
    draw: float  # parameter of `likelihood`, points
    drawless: bool  # a model of draws met a table without any

    def chances(self, apart: float, side: float) -> Chances:
        """The chances of a player who is so many points ahead; side is +1 for the advantage."""
        x = apart + self.advantage * side
        known = chances(self.model, x, self.draw)
        return Chances(known.expected, 0.0) if self.drawless else known


@dataclass(frozen=True, eq=False)
class Solved:
    """A maximum, and where its players stand in the roster."""

    best: Maximum
    place: Ids  # of each player of the fit
    roster: int
    shift: float  # points added to every rating
    notes: tuple[str, ...]

    @property
    def ratings(self) -> Floats:
        """Of the roster; nan for players without a game."""
        whole = np.full(self.roster, np.nan)
        whole[self.place] = self.best.unknown[: len(self.place)] + self.shift
        return whole


def fitted_chances(p: Any, fit: Fit, a: int, b: int, side: float) -> Chances:
    """The chances by the fitted model, with the fitted advantage of the side."""
    rating, known = fit.columns["rating"], fit.model
    found: Chances = known.chances(float(rating[a] - rating[b]), side)
    return found


def strengths(
    table: Games,
    anchors: Mapping[int, float],
    model: OutcomeModel,
    prior: Prior,
    *,
    mean: float,
    advantage: bool,
    priors: Priors = NO_PRIORS,
) -> Fit:
    """Fit a model of games. `mean` is that of all players where only differences are known.

    `priors` are the mean and deviation of a normal prior of single players, by number. Raises
    Unidentifiable where a parameter has no finite value.
    """
    solved = solve(table, anchors, model, prior, mean=mean, advantage=advantage, priors=priors)
    best, n = solved.best, len(solved.place)
    spread, extra = uncertainty(best, solved.place, solved.roster)
    fitted = best.posterior
    what = "log_likelihood" if fitted.likelihood_alone else "log_posterior"
    figures = {what: fitted.value(best.unknown)}
    settled, t = fitted.model, float(best.unknown[n + 1])
    if advantage:
        figures["advantage"] = float(best.unknown[n])
        figures["advantage_deviation"] = sqrt(extra[0])
    if settled.draws in FITTED_DRAWS:
        nu = settled.draws == DAVIDSON
        figures["draw"] = exp(settled.q * t) if nu else t
        figures["draw_deviation"] = sqrt(extra[1]) * (settled.q * exp(settled.q * t) if nu else 1.0)
    model_of_draws = model.draws in FITTED_DRAWS
    ratings = solved.ratings
    found = Strengths(
        settled, ratings, float(best.unknown[n]), t, model_of_draws and settled.draws == HALF
    )
    if found.drawless:
        figures["draw"] = 0.0
    notes = solved.notes
    if settled.draws in FITTED_DRAWS:
        notes = (*notes, "points are odds of decided games: draws move no rating apart")
    elif (
        settled.draws == HALF
        and prior.kind == FLAT
        and not (isinstance(fitted.rows, MergedRows) and fitted.likelihood_alone)
        and fitted.rows.totals()[0]
    ):
        why = "with so many pairs" if fitted.likelihood_alone else "beside priors of players"
        notes = (*notes, f"{why}, deviations take draws as half games: too wide")
    return Fit(
        columns={"rating": ratings, "deviation": spread.deviations()},
        notes=notes,
        figures=figures,
        uncertainty=spread,
        # under a prior, resampled results would not show what the results leave open
        resampled=make_resampler(best, solved.place, solved.roster, solved.shift)
        if fitted.likelihood_alone
        else None,
        scored=partial(score_games, best=best, place=solved.place, ratings=ratings),
        model=found,
    )


def solve(
    table: Games,
    anchors: Mapping[int, float],
    model: OutcomeModel,
    prior: Prior,
    *,
    mean: float,
    advantage: bool,
    priors: Priors = NO_PRIORS,
) -> Solved:
    """Merge the games, check connectivity and maximise. Raises Unidentifiable."""
    rows = gather_rows(table, sides=advantage)
    return solve_rows(
        rows, table.players, anchors, model, prior, mean=mean, advantage=advantage, priors=priors
    )


def solve_rows(
    rows: FitRows,
    players: Sequence[str],
    anchors: Mapping[int, float],
    model: OutcomeModel,
    prior: Prior,
    *,
    mean: float,
    advantage: bool,
    priors: Priors = NO_PRIORS,
) -> Solved:
    """The same of rows that were gathered, of a roster of players."""
    outline = rows.outline(sides=advantage)
    place = np.flatnonzero(outline.graph.took | outline.graph.lost)
    rows, graph = rows.select(place), outline.graph.select(place)
    names = _Names(players, place)
    held = np.full(len(place), np.nan)
    for player, rating in anchors.items():
        held[place == player] = rating
    given, precision = held.copy(), np.zeros(len(place))
    for player, (middle, deviation) in priors.items():
        given[place == player], precision[place == player] = middle, deviation**-2.0
    model, notes = _usable_model(model, rows)
    apart = graph.groups(np.flatnonzero(~np.isnan(given)).tolist()).words(names)
    if apart and prior.kind == FLAT:
        raise Unidentifiable.of("no_finite_ratings", hint=REMEDY, apart="; ".join(apart))
    if apart:
        notes = (*notes, "held together by the prior: " + "; ".join(apart))
    if outline.sides is not None:
        _refuse_sides(outline.sides, prior)
    n = len(place)
    free = np.append(np.isnan(held), (advantage, model.draws in FITTED_DRAWS))
    posterior = Posterior(rows, model, prior, free, np.nan_to_num(given), precision)
    start = start_of(posterior, given)
    start[n + 1] = _draw_start(model, rows)
    best = maximum(posterior, start, names)
    shift = mean - float(best.unknown[:n].mean()) if posterior.floating else 0.0
    pressed = int((posterior.free[:n] & ~best.moving[:n]).sum())
    if pressed:
        lowest = f"at the lowest rating that the prior allows: {pressed:,} of {n:,} players"
        notes = (*notes, lowest)
    return Solved(best, place, len(players), shift, notes)


def gather_rows(table: Games, *, sides: bool) -> FitRows:
    """The games of a table as rows of a fit; `sides`: also who had the advantage.

    They are merged by pair, but where pairs are nearly as many as games and both are many.
    """
    if is_worth_merging(len(table.players), table.a, table.b):
        return MergedRows(tally(table, sides=sides))
    # a small fit does not load what it has no use for
    from prowess.engine.fits.leaves import LeafRows, gather_leaves

    return LeafRows(gather_leaves(table, sides=sides), len(table.players))


class _Names(Sequence[str]):
    """The names of the players of a fit."""

    def __init__(self, roster: Sequence[str], place: Ids) -> None:
        self.roster, self.place = roster, place

    def __len__(self) -> int:
        return len(self.place)

    def __getitem__(self, k):  # type: ignore[no-untyped-def]
        return self.roster[int(self.place[k])]


def _usable_model(model: OutcomeModel, rows: FitRows) -> tuple[OutcomeModel, tuple[str, ...]]:
    """The model that the table allows: without draws there is no draw parameter to fit."""
    if model.draws not in FITTED_DRAWS:
        return model, ()
    draws, games = rows.totals().tolist()
    if not draws:
        note = "no game was drawn, so the chance of a draw is 0"
        return model._replace(draws=HALF), (note,)
    if draws == games:
        raise Unidentifiable.of("all_drawn.strengths")
    return model, ()


def _refuse_sides(sides: SideForest, prior: Prior) -> None:
    """Raise Unidentifiable where the results do not separate the advantage from the ratings."""
    if not sides.seen:
        raise Unidentifiable.of("no_sides")
    if prior.kind == FLAT and sides.pinned:
        raise Unidentifiable.of("sides_not_separable", hint=REMEDY)


def _draw_start(model: OutcomeModel, rows: FitRows) -> float:
    """The draw parameter at which equals draw as often as all games did."""
    if model.draws not in FITTED_DRAWS:
        return 0.0
    draws, games = rows.totals().tolist()
    share = draws / games
    if model.draws == DAVIDSON:  # nu / (2 + nu) = share
        return log(2.0 * share / (1.0 - share)) / model.q
    # wp(t) - wp(-t) = share
    return rating_difference(model.curve, 0.5 * (1.0 + share), model.q)
