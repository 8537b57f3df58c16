"""Reference cases of the likeliest ratings under a flat prior."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from prowess.engine.fit import fit_table
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.games.games import Games
from prowess.systems.bradley_terry import BRADLEY_TERRY


def mle_zermelo(inputs: dict[str, Any]) -> dict[str, Any]:
    """Ratings from a table of wins, in natural units and on Elo's scale."""
    pairs = [
        (i, j, wins) for i, row in enumerate(inputs["T"]) for j, wins in enumerate(row) if wins
    ]
    winner, loser, count = np.array(pairs).T
    table = Games(
        players=tuple(f"P{k}" for k in range(len(inputs["T"]))),
        a=winner.astype(np.uint32),
        b=loser.astype(np.uint32),
        score=np.ones(len(pairs)),
        weight=count.astype(np.float64),
    )
    try:
        found = fit_table(table, BRADLEY_TERRY, params={"mean": 0.0})
    except Unidentifiable:
        return {"exists": False}
    elo = found.column("rating").tolist()
    natural = [log(10) / 400 * rating for rating in elo]
    return {"V": [exp(rating) for rating in natural], "R": natural, "R_elo": elo}


FAMILIES = {"smith.mle_zermelo": mle_zermelo}
