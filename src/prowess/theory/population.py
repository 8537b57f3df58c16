"""A population of players on the rating axis, as a fluid: births, learning and deaths.

Formula   dp/dt = p_in - D p - d(L p)/dx                                    (EQ 51, 99)
          along the way of an average player, dx/dt = L(x), this is solved by
          L(x) p(x, t) = L(w_0) p(w_0, 0) S(w_0, x) + integral from w_0 to x of p_in(w) S(w, x) dw
          S(w, x) = exp(- integral from w to x of D / L): the share that survives from w to x
          w_0: the rating at time 0 of a player who is now at x
          t = inf is the limit                                               (EQ 53, 100)
          L(x) = (1 / p(x)) integral from x up of D p                        (EQ 54)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), sections 5.1 and 8.3.
Units     x: points; p: players per point; p_in: births per unit of time and point;
          L: points per unit of time; D: 1 / unit of time.
Differs   Errata: EQ 99 is printed with + d(L p)/dx; the additive constant that is printed in
          EQ 100 is 0, for nothing flows in from below. Births at one point (EQ 52) are `inflow`.

Integrals use Gauss-Legendre quadrature on panels, many panels at once. A rule of 16 points is exact
for polynomials up to degree 31, so a function that is smooth on every panel is integrated to
rounding; where it jumps or has a kink, a panel must end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.params import BadSetting

INVERSION_STEPS = 60  # at most, to invert t(x); halving alone needs 52


def no_players(x: Floats) -> Floats:
    """Return 0 everywhere: a population without players."""
    return np.zeros_like(x)


class Flow(NamedTuple):
    """Time, deaths and arrivals between one rating and another."""

    time: Floats  # of an average player
    deaths: Floats  # the integral of D / L: the share e^-deaths arrives
    arrivals: Floats  # of those born on the way, per unit of time


@dataclass(frozen=True)
class Population:
    """Births, learning and deaths as functions of arrays of ratings.

    learning, death, births   L(x) > 0, D(x) >= 0, p_in(x) >= 0
    edges                     rising ratings from the lowest to the highest: the functions are
                              smooth between two of them. A jump of a function stands on an edge.
    inflow                    births per unit of time at the first edge itself (EQ 52)
    """

    learning: Curve
    death: Curve
    edges: Floats
    births: Curve = no_players
    inflow: float = 0.0

    def __post_init__(self) -> None:
        """Check edges and functions; raises BadSetting."""
        edges = np.asarray(self.edges, np.float64)
        object.__setattr__(self, "edges", edges)
        if edges.ndim != 1 or len(edges) < 2 or not np.all(np.diff(edges) > 0.0):
            raise BadSetting.of("edges_not_rising")
        if not 0.0 <= self.inflow < inf:
            raise BadSetting.of("inflow_out_of_range", inflow=self.inflow)
        inside, _ = quadrature_points(edges[:-1], edges[1:])
        for name, function, least in (
            ("learning", self.learning, np.nextafter(0.0, 1.0)),
            ("death", self.death, 0.0),
            ("births", self.births, 0.0),
        ):
            bad = inside[~(function(inside) >= least)]
            if len(bad):
                word = "above" if name == "learning" else "at least"
                raise BadSetting.of("function_out_of_range", name=name, word=word, at=bad[0])

    def density(self, x: Floats, time: float = inf, before: Curve = no_players) -> Floats:
        """Return p(x, t): players per point, `time` after the density `before(x)`.

        x: ratings within the edges, any shape. time = inf does not depend on
        `before`: EQ 100, with `inflow` alone EQ 53.
        """
        x = np.asarray(x, np.float64)
        low, high = self.edges[0], self.edges[-1]
        if not np.all((x >= low) & (x <= high)):
            raise BadSetting.of("rating_out_of_range", low=low, high=high)
        if not time >= 0.0:
            raise BadSetting.of("negative_time.population", time=time)
        clock, deaths, flow = self._from_below(x)
        learning = self.learning(x)
        if time == inf:
            return (flow + self.inflow * np.exp(-deaths)) / learning
        old = clock > time  # these players were on the axis at time 0
        origin = self._rating_at(np.where(old, clock - time, 0.0))
        _, deaths_there, flow_there = self._from_below(origin)
        kept = np.exp(deaths_there - deaths)
        inherited = kept * (self.learning(origin) * before(origin) - flow_there)
        return (flow + np.where(old, inherited, self.inflow * np.exp(-deaths))) / learning

    def total(self, time: float = inf, before: Curve = no_players) -> float:
        """Return the number of players, `time` after the density `before(x)`."""
        breaks = self.edges
        if time < inf:  # jumps and kinks travel with the players
            later = self._edges.time + time
            breaks = np.union1d(breaks, self._rating_at(later[later < self._edges.time[-1]]))
        return integral(lambda x: self.density(x, time, before), breaks)

    @cached_property
    def _edges(self) -> Flow:
        """The flow from the first edge to every edge: a fold over the panels."""
        way = self._within(self.edges[:-1], self.edges[1:])
        flow = [0.0]
        for survivors, arrivals in zip(np.exp(-way.deaths), way.arrivals, strict=True):
            flow.append(flow[-1] * survivors + arrivals)
        time, deaths = (
            np.concatenate([[0.0], np.cumsum(part, dtype=np.float64)]) for part in way[:2]
        )
        return Flow(time, deaths, np.array(flow))

    def _from_below(self, x: Floats) -> Flow:
        """Return the flow from the first edge to x."""
        panel = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.edges) - 2)
        below = Flow(*(part[panel] for part in self._edges))
        rest = self._within(self.edges[panel], x)
        flow = below.arrivals * np.exp(-rest.deaths) + rest.arrivals
        return Flow(below.time + rest.time, below.deaths + rest.deaths, flow)

    def _within(self, start: Floats, end: Floats) -> Flow:
        """Return the flow from `start` to `end` of the same panel."""
        w, weights = quadrature_points(start, end)
        time = (weights / self.learning(w)).sum(axis=-1)
        deaths = integrals(self._deaths, start, end)
        left = integrals(self._deaths, w, np.broadcast_to(end[..., None], w.shape))
        return Flow(time, deaths, (weights * self.births(w) * np.exp(-left)).sum(axis=-1))

    def _deaths(self, x: Floats) -> Floats:
        return self.death(x) / self.learning(x)

    def _rating_at(self, time: Floats) -> Floats:
        """Return the rating of an average player `time` after the first edge.

        Newton's method with dt/dx = 1 / L, bisection where a step would leave the bracket.
        """
        panel = np.searchsorted(self._edges.time, time, side="right") - 1
        panel = np.clip(panel, 0, len(self.edges) - 2)
        low, high = self.edges[panel], self.edges[panel + 1]
        start, wanted = low, time - self._edges.time[panel]
        x = low
        for _ in range(INVERSION_STEPS):
            w, weights = quadrature_points(start, x)
            ahead = wanted - (weights / self.learning(w)).sum(axis=-1)
            low, high = np.where(ahead >= 0.0, x, low), np.where(ahead <= 0.0, x, high)
            step = x + ahead * self.learning(x)
            next_x = np.where((step >= low) & (step <= high), step, 0.5 * (low + high))
            if np.array_equal(next_x, x):
                break
            x = next_x
        return x


def learning_rate(density: Curve, death: Curve, x: Floats, edges: Floats) -> Floats:
    """Return L(x) = (1 / p(x)) times the integral of D p from x to the last edge (EQ 54).

    x: ratings within the edges, any shape; nan where p = 0. `density` is in players or shares. The
    functions are smooth between two edges and p = 0 above the last.
    """
    x, edges = np.asarray(x, np.float64), np.asarray(edges, np.float64)
    if not np.all((x >= edges[0]) & (x <= edges[-1])):
        raise BadSetting.of("rating_out_of_range", low=edges[0], high=edges[-1])

    def leaving(u: Floats) -> Floats:
        return death(u) * density(u)

    panels = integrals(leaving, edges[:-1], edges[1:])
    above = np.concatenate([np.cumsum(panels[::-1], dtype=np.float64)[::-1][1:], [0.0]])
    panel = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 2)
    flow = above[panel] + integrals(leaving, x, edges[panel + 1])
    here = np.asarray(density(x), np.float64)
    return np.divide(flow, here, out=np.full_like(flow, np.nan), where=here > 0.0)


Curve = Callable[[Floats], Floats]  # any shape in, the same shape out

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(16)  # on [-1, 1]


def quadrature_points(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return (points, weights) on the intervals from `low` to `high`, with one axis more."""
    half = 0.5 * (high - low)[..., None]
    middle = 0.5 * (high + low)[..., None]
    return middle + half * POINTS, half * WEIGHTS


def integrals(function: Curve, low: Floats, high: Floats) -> Floats:
    """Integrate `function` over each interval, one panel each."""
    x, weights = quadrature_points(low, high)
    result: Floats = (function(x) * weights).sum(axis=-1)
    return result


def integral(function: Curve, edges: Floats) -> float:
    """Integrate `function` from the first edge to the last, a panel between neighbours."""
    return float(integrals(function, edges[:-1], edges[1:]).sum())
