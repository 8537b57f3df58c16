"""Weng-Lin's reference cases: one contest of all pairs."""

from __future__ import annotations

from typing import Any

from prowess.systems.weng_lin import WENG_LIN, Params, Rating
from tests.oracle import absorbed


def bt_full(inputs: dict[str, Any]) -> dict[str, Any]:
    """Everyone after the contest; players are [mu, sigma, rank]."""
    p = Params(beta=inputs["beta"], kappa=inputs["kappa"])
    field = [(Rating(mu, sigma), rank) for mu, sigma, rank in inputs["players"]]
    after = []
    for k, (me, rank) in enumerate(field):
        others = [
            (other, 1.0 if rank < place else 0.5 if rank == place else 0.0)
            for j, (other, place) in enumerate(field)
            if j != k
        ]
        new = absorbed(WENG_LIN, me, others, p)
        after.append([new.rating, new.deviation])
    return {"players": after}


FAMILIES = {"wenglin.bt_full": bt_full}
