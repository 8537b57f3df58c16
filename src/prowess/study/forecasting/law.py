"""What a system expects of games between players whose strength is known, many games at once.

The system's own function of one game is asked for every row, compiled where there are many. A
deviation is no part of a strength: it says how a strength is drawn (`contenders`), so here it is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.fits.likelihood import DAVIDSON, RAO_KUPPER, Model, davidson_chances
from prowess.engine.fits.strengths import Strengths
from prowess.engine.fitted import Fitted
from prowess.engine.replayed import Replayed
from prowess.engine.rows import generated
from prowess.engine.scalar_loops import run
from prowess.engine.system import Dynamic, Game
from prowess.engine.win_probability import win_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

UNSURE = "deviation"  # the field of a rating that says how sure it is


@dataclass(frozen=True, eq=False)
class Law:
    """`ask(values, mine, theirs, side)` gives expected scores and chances of a draw, [games].

    `values` is [strengths, fields]; `mine`, `theirs` are rows of it. Draws are None where the
    system has no model of them.
    """

    fields: tuple[str, ...]
    ask: Callable[[Floats, Ids, Ids, Floats], tuple[Floats, Floats | None]]


def law_of(ratings: Ratings) -> Law | None:
    """The law of a system; None where only its own players can be asked about."""
    if isinstance(ratings, Replayed):
        return Law(ratings.fields, _dynamic(ratings.system, ratings.p))
    if isinstance(ratings, Fitted) and isinstance(ratings.fit.model, Strengths):
        return Law(ratings.fields[:1], _fitted(ratings.fit.model))
    return None


def _dynamic(system: Dynamic, p: Any) -> Callable[..., tuple[Floats, Floats | None]]:
    def ask(values: Floats, mine: Ids, theirs: Ids, side: Floats) -> tuple[Floats, None]:
        expected = np.empty(len(side))
        run(expected_loop(system), len(side), p, values.ravel(), mine, theirs, side, expected)
        return expected, None

    return ask


@cache
def expected_loop(system: Dynamic) -> Callable[..., None]:
    """A loop that asks a system for the expected score of every row."""
    width = len(system.rating)
    read = ", ".join(f"flat[{width} * row + {k}]" for k in range(width))
    strength = generated("strength(flat, row)", f"Shape({read})", system.rating)
    expected = system.expected

    def loop(p: Any, flat: Any, mine: Any, theirs: Any, side: Any, out: Any) -> None:
        for k in range(len(side)):
            game = Game(0.5, side[k], 0.0, 0.0, 0.0, 0.0)
            out[k] = expected(p, strength(flat, mine[k]), strength(flat, theirs[k]), game)

    return loop


def _fitted(model: Strengths) -> Callable[..., tuple[Floats, Floats | None]]:
    known = model.model
    draws = known.draws in (DAVIDSON, RAO_KUPPER) or model.drawless

    def ask(values: Floats, mine: Ids, theirs: Ids, side: Floats) -> tuple[Floats, Floats | None]:
        apart = values[mine, 0] - values[theirs, 0] + model.advantage * side
        expected, draw = np.empty(len(side)), np.zeros(len(side))
        run(likelihood_loop, len(side), known, model.draw, apart, expected, draw)
        return expected, draw if draws else None

    return ask


def likelihood_loop(model: Model, t: float, apart: Any, expected: Any, drawn: Any) -> None:
    """Fill in what `likelihood.chances` says at every difference of points."""
    for k in range(len(apart)):
        x = apart[k]
        if model.draws == DAVIDSON:
            win, draw, _ = davidson_chances(model.q, x, t)
            expected[k], drawn[k] = win + 0.5 * draw, draw
        elif model.draws == RAO_KUPPER:
            win = win_probability(model.curve, x - t, model.q)
            drawn[k] = max(0.0, 1.0 - win - win_probability(model.curve, -x - t, model.q))
            expected[k] = win + 0.5 * drawn[k]
        else:
            expected[k] = win_probability(model.curve, x, model.q)
