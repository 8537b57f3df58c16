"""A whole history in the room of a word."""

from __future__ import annotations

import numpy as np

from prowess.engine.periods import date_text
from prowess.present.figures.careers import Career
from prowess.present.figures.marks import dot, element, isolated, polyline
from prowess.present.figures.scales import Scale
from prowess.present.figures.thinning import thinned

WIDTH, HEIGHT = 110.0, 26.0
INSET = 3.0


def sparkline(career: Career, low: float, high: float, first: float, last: float) -> str:
    """The course of one rating between two levels and two moments shared with its neighbours.

    Moments are days since 1970, or numbers of games where the table has no dates.
    """
    at = career.time if career.time is not None else np.arange(len(career.rating), dtype=np.float64)
    x = Scale(first, max(last, first + 1e-9), INSET, WIDTH - INSET)
    y = Scale(low, max(high, low + 1e-9), HEIGHT - INSET, INSET)
    points = [
        (x(float(at[k])), y(float(career.rating[k])))
        for k in thinned(at, career.rating, int(WIDTH / 2.0)).tolist()
    ]
    best = int(career.rating.argmax())
    when = "" if career.time is None else f" on {date_text(float(career.time[best]))[:10]}"
    return element(
        "svg", polyline(points, "curve"), dot(*points[-1], 2.0, "dot"),
        class_="figure spark", role="img", viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        width=WIDTH, height=HEIGHT,
        aria_label=f"{isolated(career.player)}: highest {career.rating.max():.1f}{when}",
    )  # fmt: skip
