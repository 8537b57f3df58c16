"""A table of results and a whole-table system: ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from prowess.arguments import brief
from prowess.engine.advantage import idle_advantage
from prowess.engine.check import check_fit
from prowess.engine.fitted import Fitted, NoModel
from prowess.engine.leaderboard import found, refuse_absent
from prowess.engine.params import BadSetting, settings
from prowess.engine.system import Unratable
from prowess.engine.table import appearances, assumptions, refuse_unratable, up_to
from prowess.engine.whole_table import BALLOTS, GAMES, WholeTable
from prowess.games.games import Games

MEAN = "mean"  # the reference that is no player
SURELY = 1e-6  # the surest and the least sure interval that can be told from all and nothing
LARGEST = 1e9  # of weights and points; beyond, sums of small and large ones lose digits


def fitted(
    table: Games,
    system: WholeTable,
    *,
    as_of: float | None = None,
    anchors: Mapping[str, float] | None = None,
    level: float = 0.95,
    reference: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> Fitted:
    """Fit a whole-table system to all games up to `as_of` (days since 1970).

    `anchors` are players with a known rating that stays. `level` is the probability of the
    intervals, `reference` the player from whom differences are measured, or `mean` for the mean
    of all players (None: the zero of the system itself: the mean, the anchors or the prior).
    Raises Unratable, BadSetting, UnknownPlayer, NoModel.
    """
    p = settings(system, params or {})
    table = up_to(table, as_of)
    refuse_table(system, table)
    if not SURELY <= level <= 1.0 - SURELY:
        raise BadSetting(f"level = {brief(level)}: a probability between 0 and 1, such as 0.95")
    fixed = {found(table.players, name): value for name, value in (anchors or {}).items()}
    _refuse_anchors(system, table, fixed)
    games, last = appearances(table)
    for known in fixed:
        refuse_absent(table.players, games, known)
    fit = system.fit(p, table, fixed)
    check_fit(system, fit, len(table.players))
    if reference is not None and fit.uncertainty is None:
        raise NoModel(f"{system.name} does not say how sure it is: a reference has no meaning")
    about_mean = reference == MEAN and MEAN not in table.players
    if about_mean and fit.uncertainty is not None:
        fit = replace(fit, uncertainty=fit.uncertainty.centred(np.flatnonzero(games)))
    player = None if reference is None or about_mean else found(table.players, reference)
    if player is not None:
        refuse_absent(table.players, games, player)
    day = as_of if as_of is not None or table.time is None else float(table.time.max())
    return Fitted(
        system=system,
        p=p,
        players=table.players,
        game_counts=games,
        last=last,
        table=table,
        day=day,
        notes=(*assumptions(system, table), *idle_advantage(system, p, table), *fit.notes),
        fit=fit,
        anchors=fixed,
        level=level,
        reference=player,
    )


def refuse_table(system: WholeTable, table: Games) -> None:
    """Raise Unratable for a table that the system cannot read."""
    kind = BALLOTS if not table.pairwise else GAMES
    if kind not in system.reads:
        what = "contests of many" if kind == BALLOTS else "games between two"
        raise Unratable(f"{system.name} reads {' and '.join(system.reads)}, not {what}")
    refuse_unratable(system, table)
    for name in ("weight", "points_a", "points_b", "margin"):
        column = getattr(table, name, None)
        if column is None or not len(column):
            continue
        if np.abs(column).max() > LARGEST or (name == "weight" and column.min() < 1.0 / LARGEST):
            raise Unratable(
                f"{name} from {column.min():g} to {column.max():g}: whole-table systems take sizes "
                f"up to {LARGEST:g} (weights from {1.0 / LARGEST:g}); scale them"
            )
    absent = [name for name in system.needs if getattr(table, name, None) is None]
    if absent:
        raise Unratable(
            f"{system.name} needs the {' and '.join(absent)} of every game, and the table has none"
        )


def _refuse_anchors(system: WholeTable, table: Games, anchors: Mapping[int, float]) -> None:
    if anchors and not system.anchored:
        raise Unratable(f"{system.name} cannot hold players at a known rating")
    for player, rating in anchors.items():
        if not isfinite(rating):
            raise Unratable(f"{table.players[player]!r} is held at {rating}: not a finite number")
    if anchors and len(anchors) == len(np.unique(_who(table))):
        raise Unratable("every player is held at a known rating: nothing is left to rate")


def _who(table: Games) -> Any:
    return table.player if not table.pairwise else np.concatenate((table.a, table.b))
