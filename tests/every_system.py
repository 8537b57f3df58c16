"""The catalogue of dynamic systems for tests of its laws, and what those tests share.

A law that a system breaks on purpose is looked up in its own `breaks`, and then a reason must
stand there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, strategies as st

from prowess.engine.params import settings
from prowess.engine.rate import rate
from prowess.engine.system import Dynamic, Game, Unratable
from prowess.systems.catalogue import catalogue
from tests.engine.fold import Fold
from tests.engine.tables import games, one_setting, some_params
from tests.oracle import played

CATALOGUE = {name: system for name, system in catalogue().items() if isinstance(system, Dynamic)}
LAWS = {
    "win_never_lowers",
    "loss_never_raises",
    "monotone",
    "symmetric",
    "order_in_round",
    "finite",
    "two_waits",
    "either_side",
    "sum",
}


def every(keep: Callable[[Dynamic], bool] = lambda system: True) -> Any:
    """The test, once for each system of the catalogue that is kept."""
    chosen = [system for system in CATALOGUE.values() if keep(system)]
    assert chosen
    return pytest.mark.parametrize("system", chosen, ids=[system.name for system in chosen])


def excused(system: Dynamic, law: str) -> bool:
    """Whether a system says itself, with a reason, that it breaks a law."""
    if law not in system.breaks:
        return False
    assert_reason(system, law)
    return True


def assert_reason(system: Dynamic, law: str) -> None:
    """A reason is a sentence: several words."""
    assert len(system.breaks[law].split()) > 4, f"{system.name}: why does it break {law}?"


def plain_settings(system: Dynamic, given: dict[str, Any]) -> Any:
    """The settings under which a table of plain games is played, without a bank."""
    p = settings(system, one_setting(system) | given)
    return p if system.prepare is None else system.prepare(p, games([("Ada", "Ben", 1.0)]))[0]


@st.composite
def met(draw: st.DrawFn, system: Dynamic) -> tuple[Any, Any, Any, Any]:
    """Parameters, two players as a few games left them, and the league's sum."""
    fold = Fold(system, plain_settings(system, draw(st.just({}) | some_params(system))))
    for _ in range(draw(st.integers(0, 8))):
        a, b = draw(st.permutations((0, 1, 2)))[:2]
        score = draw(st.sampled_from((0.0, 0.5, 1.0)))
        many = draw(st.sampled_from((1, 1, 10)))  # some players have played a lot
        for _ in range(many):
            fold.play([(a, b, Game(score, length=15.0), 1.0)], None)
    a, b = draw(st.permutations((0, 1, 2)))[:2]
    lost = not np.isfinite((fold.of(a), fold.of(b))).all()
    assert not lost or excused(system, "finite")
    assume(not lost)
    return fold.p, fold.of(a), fold.of(b), fold.league(0.0)


def after(system: Dynamic, me: Any, opponent: Any, game: Game, p: Any, league: Any) -> float:
    """The rating of `me` after a game; a number, unless the system says why it may be none."""
    rating: float = played(system, me, opponent, game, p, league)[0].rating
    assert np.isfinite(rating) or excused(system, "finite")
    assume(bool(np.isfinite(rating)))
    return rating


sides = st.sampled_from((-1.0, 0.0, 1.0))
results = st.builds(Game, st.just(1.0), sides, st.floats(0, 20), st.sampled_from((0.0, 5.0, 60.0)))


def lawful(system: Dynamic, table: Any, period: str | None, **options: Any) -> Any:
    """The ratings, or None where a system that says so lost its numbers.

    A system that is a bank by itself is played under one of its settings.
    """
    options.setdefault("compiled", False)
    options["params"] = one_setting(system) | options.get("params", {})
    try:
        return rate(table, system, period=period, **options)
    except Unratable:
        if excused(system, "finite"):
            return None
        raise


def same(one: Any, other: Any) -> bool:
    """Equal to the last bit, nan included."""
    return bool(np.array_equal(one, other, equal_nan=True))
