"""Updates dyn(x) of ratings after a game: their conditions and bounds on h.

After a game the winner gets + dyn(x) / 2 and the loser - dyn(x) / 2, x = R_winner - R_loser
(EQ 66); at true difference y a player of apparent difference x is moved by dyn(x) with chance
wp(y) and by -dyn(-x) with chance wp(-y).

    WSC   right ratings are expected to stay: dyn(x) wp(x) = dyn(-x) wp(-x) (67), which is
          dyn(x) = h(|x|) wp(-x) (68)
    SSC   wrong ones are expected to move the right way: dyn(x) wp(y) - dyn(-x) wp(-y) has the
          sign of y - x (69); with 68 the same as h > 0
    error decrease   and not past the goal by more than they were off (73); with 68 the same as
          0 < h(|x|) < 2 / (steepest chord of wp from x) (76, 77)

Two bounds are easier to compute, and the larger may be used: |x| / (wp(|x|) - 1/2) where wp is
concave for x > 0 (78), and 2 / max wp' (79).

The report's "dyn is monotonically increasing" (its advantage 2) is an erratum: h wp(-x) falls in
x, an upset moves more. |dyn| < h holds. h may depend on |x| only, not on its sign.

`update_of` gives wp(x) and dyn(x) of a rating system: two newcomers of ratings start + x / 2 and
start - x / 2 play one game on neutral ground; dyn(x) is how much their difference grows when the
first wins, wp(x) what the system expected.

`stationary_points` finds the peaks of a posterior. With a prior that is not log-concave the
report's remark in brackets at Theorem 9 fails: a prior of one peak and a concave log likelihood can
make a posterior of two.

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 6.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import inf, sqrt
from typing import Any, NamedTuple

from prowess.engine.params import settings
from prowess.engine.state import newcomer
from prowess.engine.system import Dynamic, Game
from prowess.games.arguments import BadArgument
from prowess.games.errors import WordedError
from prowess.theory.properties import (
    COMPOSITION_LAWS,
    PropertyCheck,
    check_ahead_match,
    check_assumptions,
    check_composition,
    check_first_to_match,
)
from prowess.theory.wp import WinProbability, grid, reach, tail, wrap_function


class NotAnUpdate(WordedError, ValueError):
    """The system's change after a game depends on more than the two players."""


def update_of(
    system: Dynamic,
    p: Any,
    known: Mapping[str, float] | None = None,
    unit: float = 100.0,
) -> tuple[WinProbability, Dyn]:
    """Return (wp, dyn) of a dynamic system with parameters p; `unit`: a typical difference.

    `known` replaces values of a newcomer, such as {"deviation": 50}. Raises NotAnUpdate for
    systems that depend on the whole league or rate whole rounds only, and for unknown fields.
    """
    if system.league is not None or system.rounds == "period":
        why = "depends on the whole league" if system.league else "is made for whole rounds"
        raise NotAnUpdate.of("not_an_update", system=system.name, why=why)
    fresh = newcomer(system, p)
    for name in known or {}:
        if name not in fresh._fields:
            fields = ", ".join(fresh._fields)
            raise NotAnUpdate.of(
                "unknown_field.updates", fields=fields, system=system.name, name=name
            )
    fresh = fresh._replace(**(known or {}))

    def player_at(x: float) -> Any:
        return fresh._replace(rating=fresh.rating + 0.5 * x)

    def alone(x: float) -> Any:
        return system.alone(p, player_at(x))

    def wp(x: float) -> float:
        return system.expected(p, alone(x), alone(-x), Game())

    def change(x: float, score: float) -> float:
        me, mine = player_at(x), alone(x)
        one = system.evidence(p, mine, alone(-x), Game(score))
        after = system.absorb(
            p, me, one if system.due is None else system.due(p, me, 1.0, mine, one)
        )
        return float(after.rating - me.rating)

    def dyn(x: float) -> float:
        return change(x, 1.0) - change(-x, 0.0)

    return wrap_function(wp, system.name, unit), dyn


Dyn = Callable[[float], float]

ZERO_H = 1e-9  # of h: a smaller change counts as 0
GRID_POINTS = 81  # of the grid in each direction
CHORDS = 801  # points of the grid on which maxima are searched


class Bounds(NamedTuple):
    """Bounds on h at one rating difference, in rating units; the largest one may be used."""

    x: float
    exact: float  # EQ 77
    concave: float  # EQ 78; inf at x = 0 stands for no bound of its own there
    flat: float  # EQ 79
    other: float  # y, the other end of the steepest chord


def update_function(h: float | Callable[[float], float], wp: WinProbability) -> Dyn:
    """dyn(x) = h(|x|) wp(-x) (EQ 68); h is a number or a function of |x|, in rating units."""
    if callable(h):
        return lambda x: h(abs(x)) * wp(-x)
    return lambda x: h * wp(-x)


def expected_change(dyn: Dyn, wp: WinProbability, x: float, y: float) -> float:
    """Return the mean change of the difference x when y is the true one."""
    return dyn(x) * wp(y) - dyn(-x) * wp(-y)


def check_update(
    dyn: Dyn, wp: WinProbability, widest: float | None = None
) -> tuple[PropertyCheck, ...]:
    """Check WSC, SSC, error decrease, and that dyn falls, for differences up to `widest`.

    Without `widest`, the difference at which the better player wins 999 of 1000 games.
    """
    xs = grid(reach(wp) if widest is None else widest, GRID_POINTS)
    # pairs of the grid share few values
    dyn, wp = cache(dyn), replace(wp, value=cache(wp.value))
    return (
        check_wsc(dyn, wp, xs),
        check_ssc(dyn, wp, xs),
        check_error_decrease(dyn, wp, xs),
        check_upsets(dyn, xs),
    )


def check_wsc(dyn: Dyn, wp: WinProbability, xs: list[float]) -> PropertyCheck:
    """Check WSC (EQ 67): right ratings are not expected to change."""
    size = max(abs(dyn(x)) for x in xs)
    worst, x = max((abs(expected_change(dyn, wp, x, x)), x) for x in xs)
    if worst <= ZERO_H * size:
        return PropertyCheck("WSC", True, "right ratings are expected to stay")
    change = expected_change(dyn, wp, x, x)
    says = f"right ratings that differ by {x:.6g} are expected to differ by {change:+.6g} more"
    return PropertyCheck("WSC", False, says, (x,))


def check_ssc(dyn: Dyn, wp: WinProbability, xs: list[float]) -> PropertyCheck:
    """Check SSC (EQ 69): wrong ratings are expected to move towards the truth."""
    size = max(abs(dyn(x)) for x in xs)
    for x in xs:
        for y in xs:
            change = expected_change(dyn, wp, x, y)
            away = change <= 0.0 if y > x else change >= 0.0
            # at x = y WSC decides; elsewhere the change may vanish by rounding only
            if x != y and away and abs(change) + abs(wp(y) - wp(x)) * size > ZERO_H * size:
                says = f"shown {x:.6g}, true {y:.6g}: the expected change is {change:+.6g}"
                return PropertyCheck("SSC", False, says, (x, y))
    return PropertyCheck("SSC", True, "wrong ratings are expected to move towards the truth")


def check_error_decrease(dyn: Dyn, wp: WinProbability, xs: list[float]) -> PropertyCheck:
    """Check EQ 73: the expected error after the game is smaller than the error before."""
    close = (xs[1] - xs[0]) / 100.0  # true differences beside the shown one matter most
    for x in xs:
        for y in (x - close, x + close, *xs):
            change = expected_change(dyn, wp, x, y)
            if x != y and abs(y - x - change) > abs(y - x) * (1.0 + ZERO_H):
                says = (
                    f"shown {x:.6g}, true {y:.6g}: an error of {y - x:+.6g} is expected "
                    f"to become {y - x - change:+.6g}"
                )
                return PropertyCheck("error decrease", False, says, (x, y))
    return PropertyCheck("error decrease", True, "errors are expected to shrink")


def check_upsets(dyn: Dyn, xs: list[float]) -> PropertyCheck:
    """Check that dyn(x) falls in x = winner minus loser: greater upsets move more."""
    for x, y in pairwise(xs):
        if dyn(y) > dyn(x):
            says = f"dyn rises from {dyn(x):.6g} at {x:.6g} to {dyn(y):.6g} at {y:.6g}"
            return PropertyCheck("upsets move more", False, says, (x, y))
    return PropertyCheck("upsets move more", True, "dyn falls from an upset to a favourite's win")


def bounds_at(wp: WinProbability, x: float, steepest: float | None = None) -> Bounds:
    """Return EQ 77, 78 and 79 at x; 78 is a bound only if wp is concave."""
    chord, other = steepest_chord(wp, x)
    size = abs(x)
    most = largest_slope(wp) if steepest is None else steepest
    concave = size / (wp(size) - 0.5) if size else 1.0 / wp.slope(0.0)
    return Bounds(x, 2.0 / chord, concave, 2.0 / most, other)


def largest_h(wp: WinProbability) -> float:
    """2 / max wp' (EQ 79): a constant h below it fulfils everything (claim 18)."""
    return 2.0 / largest_slope(wp)


def largest_slope(wp: WinProbability) -> float:
    """max wp'."""
    slope, _ = highest(wp.slope, grid(reach(wp), CHORDS))
    return slope


def steepest_chord(wp: WinProbability, x: float) -> tuple[float, float]:
    """Return (largest slope of a chord of wp from x to another point y, that y).

    The tangent at x counts as a chord; wp is smooth.
    """

    def chord(y: float) -> float:
        # close to x the quotient loses digits; the tangent is its limit
        return (wp(y) - wp(x)) / (y - x) if abs(y - x) > near else wp.slope(x)

    widest = max(reach(wp), 1.5 * abs(x))
    near = 1e-4 * widest
    return highest(chord, grid(widest, CHORDS))


def kappa(wp: WinProbability) -> float:
    """max wp(z) wp(-z) / sqrt(wp'(z)) (EQ 97), in square roots of rating units."""
    most, _ = highest(lambda z: wp(z) * wp(-z) / sqrt(wp.slope(z)), grid(reach(wp), CHORDS))
    return most


def spread(wp: WinProbability, z: float = 0.0) -> float:
    """Return wp(z) wp(-z) / (4 wp'(z)): a player's variance per h in games at difference z.

    This is the corrected form of the noise; EQ 91 differs.
    """
    return wp(z) * wp(-z) / (4.0 * wp.slope(z))


def largest_spread(wp: WinProbability) -> float:
    """Return sup over z of `spread` where chances are above 1e-15; inf where the slope is 0."""
    widest = reach(wp)
    while wp(-widest) > 1e-15 and widest < 2.0**60:
        widest *= 2.0
    zs = [z for z in grid(widest, CHORDS) if z >= 0.0 and wp(-z) > 1e-16]
    return max((spread(wp, z) if wp.slope(z) > 0.0 else inf) for z in zs)


def highest(function: Callable[[float], float], xs: list[float]) -> tuple[float, float]:
    """Return (largest value, where): the best point of a grid, refined between its neighbours."""
    from scipy.optimize import minimize_scalar

    values = [function(x) for x in xs]
    k = max(range(len(xs)), key=values.__getitem__)
    bounds = xs[max(0, k - 1)], xs[min(len(xs) - 1, k + 1)]
    found = minimize_scalar(
        lambda x: -function(x), bounds=bounds, method="bounded", options={"xatol": 1e-9 * xs[-1]}
    )
    x, value = float(found.x), -float(found.fun)
    return (value, x) if value > values[k] else (values[k], xs[k])


class Stationary(NamedTuple):
    """A local maximum or minimum."""

    x: float
    kind: str  # max | min


def stationary_points(
    slope: Callable[[float], float], low: float, high: float, cells: int = 4000
) -> list[Stationary]:
    """Find where the slope of a function changes its sign between low and high, in order.

    Two such places within one of the cells are missed. Raises ValueError for an empty interval.
    """
    if not low < high:
        raise BadArgument.of("range_upside_down.updates", low=low, high=high)
    from scipy.optimize import brentq

    xs = [low + (high - low) * k / cells for k in range(cells + 1)]
    found: list[Stationary] = []
    before, rise = low, 0.0
    for x in xs:
        after = slope(x)
        if rise * after < 0.0:
            kind = "max" if rise > 0.0 else "min"
            found.append(Stationary(brentq(slope, before, x, xtol=1e-15), kind))
        if after != 0.0:  # a slope of 0 does not tell the next sign
            before, rise = x, after
    return found


# All that the theory needs of a curve or of a system, and what is known beside it.

NEEDED_PROPERTIES = {
    "defined", "symmetric", "rising", "differentiable", "limits", "WSC", "SSC", "error decrease",
}  # fmt: skip
MATCH_POINTS = (2, 3)  # points of the matches tried


def check_curve(
    wp: WinProbability, h: float | None, widest: float | None
) -> tuple[list[PropertyCheck], list[PropertyCheck]]:
    """The findings about a win probability: those the theory needs, and further ones."""
    found = list(check_assumptions(wp, widest))
    if found[0].name != "defined":
        found.append(find_tail(wp))
        found += [
            check_composition(wp, law, f"{name} law") for name, law in COMPOSITION_LAWS.items()
        ]
        found += [check_ahead_match(wp, n) for n in MATCH_POINTS]
        found += [check_first_to_match(wp, n) for n in MATCH_POINTS]
        if h is not None:
            found += check_update(update_function(h, wp), wp, widest)
    return split_findings(found)


def check_system(
    system: Dynamic, params: Mapping[str, Any], known: Mapping[str, float], widest: float | None
) -> tuple[list[PropertyCheck], list[PropertyCheck]]:
    """The findings about a system's forecast and update, as `check_curve` gives them."""
    wp, dyn = update_of(system, settings(system, params), known)
    found = list(check_assumptions(wp, widest))
    if found[0].name != "defined":
        found += [find_tail(wp), *check_update(dyn, wp, widest)]
    return split_findings(found)


def find_tail(wp: WinProbability) -> PropertyCheck:
    """The exponential tail as a finding."""
    try:
        found = tail(wp)
    except ValueError as error:
        return PropertyCheck("exponential tail", False, str(error))
    return PropertyCheck("exponential tail", found.exponential, found.says)


def split_findings(found: list[PropertyCheck]) -> tuple[list[PropertyCheck], list[PropertyCheck]]:
    """The findings that the theory needs, and the rest."""
    needed = [one for one in found if one.name in NEEDED_PROPERTIES]
    return needed, [one for one in found if one not in needed]
