"""The figures of win probabilities, games, bounds and noise: numbers of the theory as charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, inf, isfinite, nan
from typing import TYPE_CHECKING

from prowess.present.figures.scales import bounds
from prowess.present.theory_chart import Axis, Chart, Line, Panel

if TYPE_CHECKING:
    from prowess.theory.markov import MarkovGame
    from prowess.theory.noise import PlayerLife
    from prowess.theory.wp import Tail, WinProbability

POINTS = 120  # of a curve
FLOOR = 1e-12  # of chances on a logarithmic axis
NEARLY = 0.999  # of the largest h, which is excluded
BODY, OUTSKIRTS = 5.0, 15.0  # natural units: where curves differ little, and where much


def evenly(low: float, high: float, count: int = POINTS) -> list[float]:
    """So many equal parts from one value to another."""
    return [low + (high - low) * k / count for k in range(count + 1)]


def by_factors(low: float, high: float, count: int = POINTS) -> list[float]:
    """So many equal factors from one value to another."""
    return [low * (high / low) ** (k / count) for k in range(count + 1)]


def curve(name: str, xs: list[float], function: Callable[[float], float]) -> Line:
    """A function at these places."""
    return Line(name, tuple((x, function(x)) for x in xs))


def unit_of(scale: float | None) -> str:
    """The unit of a rating difference in words."""
    return "natural units" if scale is None else "points"


def chances(
    curves: Mapping[str, WinProbability], unit: float, said: str, tail: Tail | None = None
) -> Chart:
    """wp(x) by the difference, and log wp of the weaker player with the tail he tends to."""
    near = evenly(-BODY * unit, BODY * unit)
    far = evenly(0.0, OUTSKIRTS * unit)
    difference = f"rating difference ({said})"
    body = Panel(
        Axis(difference, near[0], near[-1]),
        Axis("chance to win", 0.0, 1.0, percent=True),
        tuple(curve(name, near, wp) for name, wp in curves.items()),
    )

    def losing(wp: WinProbability) -> Callable[[float], float]:
        return lambda x: exp(max(wp.log_value(-x), -700.0))

    lines = [curve(name, far, losing(wp)) for name, wp in curves.items()]
    if tail is not None and tail.constant is not None:
        c, m = tail.constant, tail.slope
        limit = curve(f"{c:.4g} e^({m:.4g} x), its tail", far, lambda x: c * exp(-m * x))
        lines.insert(0, limit)  # below the curve that it is the tail of
    outskirts = Panel(
        Axis(f"how far behind ({said})", 0.0, far[-1]),
        Axis("chance of the weaker player, by factors", FLOOR, 1.0, log=True),
        tuple(lines),
    )
    at = 0.5 * BODY * unit
    ends = ", ".join(f"{name} {wp(at):.2%}" for name, wp in curves.items())
    return Chart(
        "Win probability by rating difference",
        f"Left: the chance to win. {at:.4g} {said} ahead it is: {ends}. Right: the chance of who "
        "is far behind, every step of the axis a factor; an exponential tail is a straight line.",
        (body, outskirts),
    )


def steps(wp: WinProbability, widest: float, said: str, bent: bool) -> Chart:
    """The bounds on h by the difference (EQ 77 to 79)."""
    from prowess.theory.updates import bounds_at, largest_slope

    steepest = largest_slope(wp)
    rows = [bounds_at(wp, x, steepest) for x in evenly(0.0, widest, 48)]
    lines = [Line("exact, EQ 77", tuple((row.x, row.exact) for row in rows))]
    if not bent:
        lines.append(Line("concave, EQ 78", tuple((row.x, row.concave) for row in rows)))
    lines.append(Line("everywhere, EQ 79", tuple((row.x, row.flat) for row in rows)))
    top = max(y for one in lines for _, y in one.points)
    panel = Panel(
        Axis(f"rating difference ({said})", 0.0, widest),
        Axis(f"h below ({said})", 0.0, bounds(0.0, top)[1]),
        tuple(lines),
    )
    return Chart(
        f"How far may one game move the ratings: {wp.name}",
        f"The bound on h, below which a game is expected to help, is {rows[0].exact:.4g} {said} "
        f"between equals and {rows[-1].exact:.4g} for a difference of {widest:.4g}; "
        f"{rows[0].flat:.4g} does for all differences.",
        (panel,),
    )


def errors(who: PlayerLife, h: float) -> Chart:
    """The error of a rating by h under the three models, the best h of each as a dot."""
    from prowess.theory.noise import MODELS, best_h, noise
    from prowess.theory.updates import largest_h

    most = largest_h(who.wp)
    hs = by_factors(min(most / 500.0, h), NEARLY * most)
    lines, best = [], []
    for model in MODELS:
        lines.append(Line(model, tuple((at, noise(who, at, model).total) for at in hs)))
        if hs[0] < (at := best_h(who, model)) < most:
            best.append(Line(model, ((at, noise(who, at, model).total),), dots=True))
    least = [one.points[0] for one in best]
    top = 1.1 * max([who.first_error, *(total for _, total in least)])
    panel = Panel(
        Axis("h, by factors (points)", hs[0], hs[-1], log=True),
        Axis("error of a rating (points)", 0.0, bounds(0.0, top)[1]),
        (*lines, *best),
        upright=(h, f"h = {h:g}"),
    )
    told = ", ".join(
        f"{one.name} {total:.1f} at h = {at:.1f}"
        for one, (at, total) in zip(best, least, strict=True)
    )
    return Chart(
        f"Error of a rating by step size, games in a life: {who.games:g}",
        "With small h ratings do not arrive, with large h chance moves them. Least error (dots), "
        f"in points: {told or 'none at any h'}. Dashed: h = {h:g}.",
        (panel,),
    )


def best_steps(careers: Callable[[float], PlayerLife], games: list[float]) -> Chart:
    """The h with the least noise, and that noise, by the games of a life."""
    from prowess.theory.noise import MODELS, best_h, noise
    from prowess.theory.updates import largest_h

    low, high = min(games), max(games)
    low, high = (low, high) if high >= 2.0 * low else (max(1.0, low / 3.0), 3.0 * high)
    most = largest_h(careers(low).wp)

    def least(count: float, model: str) -> tuple[float, float]:
        who = careers(count)
        h = best_h(who, model)
        return (h, noise(who, h, model).total) if 0.0 < h < most else (nan, nan)

    counts = by_factors(low, high, 48)
    found = {model: [least(count, model) for count in counts] for model in MODELS}
    asked = {model: [least(count, model) for count in games] for model in MODELS}
    along = Axis("games in a life, by factors", low, high, log=True)
    panels = []
    for k, name in enumerate(("best h, by factors (points)", "its error, by factors (points)")):
        lines = [
            Line(model, tuple((x, row[k]) for x, row in zip(xs, rows[model], strict=True)), dots)
            for model in MODELS
            for xs, rows, dots in ((counts, found, False), (games, asked, True))
        ]
        panels.append(Panel(along, spanned(name, [y for one in lines for _, y in one.points]),
                            tuple(lines)))  # fmt: skip
    told = ", ".join(f"{model} {asked[model][0][0]:.3g}" for model in MODELS)
    return Chart(
        "How far one game should move the ratings",
        f"The more games, the smaller the best h (left) and the error that is left (right). Best h "
        f"for {games[0]:g} games: {told}.".replace("nan", "none"),
        tuple(panels),
    )


def spanned(name: str, values: list[float]) -> Axis:
    """A logarithmic axis a little wider than the values."""
    seen = [value for value in values if isfinite(value) and 0.0 < value < inf] or [1.0]
    return Axis(name, min(seen) / 1.15, max(seen) * 1.15, log=True)


def game_chances(game: MarkovGame, q: float, said: str) -> Chart:
    """A game beside one of its points, with the tail of Theorem 7."""
    from prowess.theory.wp import find_curve

    curves = {game.name: game.win_probability(q), "one point": find_curve("logistic", q)}
    return chances(curves, 1.0 / q, said, game.tail(q))
