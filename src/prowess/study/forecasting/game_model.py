"""Expected scores of games between sides of known strength, many games at once.

The system's own function of one game is evaluated for every row, compiled for many rows. A
deviation is not part of a strength (`contenders` samples with it), so here it is 0. The strength of
a side is the sum of the parts of its members; without teams it is a rating.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.worth import run_loop
from prowess.engine.fit import WholeTableRatings
from prowess.engine.fits.likelihood import FITTED_DRAWS, OutcomeModel, win_and_draw
from prowess.engine.fits.strengths import Strengths
from prowess.engine.game_forecast import AskedGame, forecast_sides, game_to_come
from prowess.engine.params import Bank
from prowess.engine.rate import DynamicRatings
from prowess.engine.rows import make_function
from prowess.engine.system import Dynamic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

SD_FIELD = "deviation"  # of a rating


def _identity(ratings: Floats) -> Floats:
    return ratings


@dataclass(frozen=True, eq=False)
class GameModel:
    """`ask(sides, mine, theirs, side)` gives expected scores and chances of a draw, [games].

    `sides` is [sides, numbers of a side]; `mine`, `theirs` are rows of it. Draws are None if
    the system has no model of them. `parts(ratings)` are the contributions of players, of ratings
    [players, fields]; without teams it is the rating itself. Both are picklable.
    """

    fields: tuple[str, ...]
    ask: Callable[[Floats, Ids, Ids, Floats], tuple[Floats, Floats | None]]
    parts: Callable[[Floats], Floats] = _identity


def game_model_of(ratings: Ratings) -> GameModel | None:
    """Return the game model of a system, or None if only its own players have chances.

    That is so in a bank, with roles that have parameters of their own, and if a system learns
    numbers that all games share.
    """
    if isinstance(ratings, DynamicRatings):
        system = ratings.system
        with_roles = bool(system.roles) and ratings.table.role is not None
        if isinstance(ratings.p, Bank) or with_roles or system.common is not None:
            return None
        return _dynamic_model(system, ratings.p)
    if isinstance(ratings, WholeTableRatings) and isinstance(ratings.fit.model, Strengths):
        return GameModel(ratings.fields[:1], partial(_ask_fitted, ratings.fit.model))
    return None


def _dynamic_model(system: Dynamic, p: Any) -> GameModel:
    parts = partial(_parts_of_players, system, p) if system.teams else _identity
    return GameModel(tuple(system.rating._fields), partial(_ask_system, system, p), parts)


def _ask_system(
    system: Dynamic, p: Any, sides: Floats, mine: Ids, theirs: Ids, side: Floats
) -> tuple[Floats, Floats | None]:
    asked = AskedGame(p, game_to_come(system, p), sides, ())
    return forecast_sides(system, [asked], None, mine, theirs, side)


def _parts_of_players(system: Dynamic, p: Any, ratings: Floats) -> Floats:
    brought = np.empty((len(ratings), len(system.side)))
    flat = brought.ravel()
    run_loop(parts_loop(system), len(ratings), p, len(ratings), ratings.ravel(), flat)
    return brought


def _strength_of(shape: Any) -> Callable[..., Any]:
    """Return a function (flat, row) -> that row of numbers as a NamedTuple of this shape."""
    width = len(shape)
    read = ", ".join(f"flat[{width} * row + {k}]" for k in range(width))
    return make_function("strength(flat, row)", f"return Shape({read})", shape)


@cache
def parts_loop(system: Dynamic) -> Callable[..., None]:
    """Return a loop for the part of every player in a side, present all of the time."""
    assert system.part is not None
    part, strength, width = system.part, _strength_of(system.rating), len(system.side)

    def loop(p: Any, count: int, flat: Any, out: Any) -> None:
        for k in range(count):
            brought = part(p, strength(flat, k), 1.0)
            for field in range(width):
                out[width * k + field] = brought[field]

    return loop


def _ask_fitted(
    model: Strengths, values: Floats, mine: Ids, theirs: Ids, side: Floats
) -> tuple[Floats, Floats | None]:
    known = model.model
    apart = values[mine, 0] - values[theirs, 0] + model.advantage * side
    expected, draw = np.empty(len(side)), np.zeros(len(side))
    run_loop(likelihood_loop, len(side), known, model.draw, apart, expected, draw)
    draws = known.draws in FITTED_DRAWS or model.drawless
    return expected, draw if draws else None


def likelihood_loop(model: OutcomeModel, t: float, apart: Any, expected: Any, drawn: Any) -> None:
    """Fill in the chances of `likelihood.win_and_draw` at every difference of points."""
    for k in range(len(apart)):
        win, draw = win_and_draw(model, apart[k], t)
        expected[k], drawn[k] = win + 0.5 * draw, draw
