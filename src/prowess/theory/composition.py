"""How chances compose: from A against B and B against C to A against C.

On a linear system A's chance against C follows from the other two,

    wp(x + y) = law(wp(x), wp(y))

and each curve has its own law (Theorems 4 to 6): timesharing  2 (a + b - a b) - 1 for a, b >= 1/2
(EQ 18, 19), logistic  a b / (a b + (1-a)(1-b)), the odds multiply (EQ 23). WM^n of EQ 26 to 31
has the logistic law for every n.
"""

from __future__ import annotations

from collections.abc import Callable

from prowess.engine.win_probability import rating_difference, win_probability
from prowess.theory.finding import Finding
from prowess.theory.wp import WinProbability, curve_number, grid, reach

Law = Callable[[float, float], float]

POINTS = 41
TOLERANCE = 1e-10


def timesharing_law(a: float, b: float) -> float:
    """EQ 18, 19: twice the chances of losing multiply; for a and b of at least 1/2."""
    return 2.0 * (a + b - a * b) - 1.0


def logistic_law(a: float, b: float) -> float:
    """EQ 23: the odds multiply."""
    won, lost = a * b, (1.0 - a) * (1.0 - b)
    return won / (won + lost)


LAWS: dict[str, Law] = {"logistic": logistic_law, "timesharing": timesharing_law}


def chained(curve: str, a: float, b: float) -> float:
    """A's chance against C when A beats B with chance a and B beats C with chance b.

    By the curve itself, whatever its law; chances strictly between 0 and 1.
    """
    for chance in (a, b):
        if not 0.0 < chance < 1.0:
            raise ValueError(f"{chance!r} is no chance between 0 and 1")
    number = curve_number(curve)
    x = rating_difference(number, a, 1.0) + rating_difference(number, b, 1.0)
    return win_probability(number, x, 1.0)


def composes(wp: WinProbability, law: Law, name: str = "law") -> Finding:
    """Whether wp(x + y) = law(wp(x), wp(y)) for all x, y >= 0 of a grid."""
    xs = [x for x in grid(reach(wp) / 2.0, 2 * POINTS - 1) if x >= 0.0]
    worst, x, y = max((abs(wp(x + y) - law(wp(x), wp(y))), x, y) for x in xs for y in xs)
    if worst <= TOLERANCE:
        return Finding(name, True, f"wp(x + y) follows from wp(x) and wp(y) within {worst:.1e}")
    a, b = wp(x), wp(y)
    says = f"{a:.6g} and {b:.6g} give {law(a, b):.6g}, wp({x + y:.6g}) is {wp(x + y):.6g}"
    return Finding(name, False, says, (x, y))
