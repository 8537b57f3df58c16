"""CodeChef's reference cases: every quantity of a contest, as each player sees it."""

from __future__ import annotations

from typing import Any

from prowess.engine.system import Game
from prowess.systems import codechef
from prowess.systems.codechef import CODECHEF, Evidence, Params, Rating
from tests.oracle import added


def contest(inputs: dict[str, Any]) -> dict[str, Any]:
    """The field's totals and every player's line."""
    capped = inputs["options"].get("vol_uses_capped", True)
    p = Params(volatility_from=0 if capped else 1)
    rows = inputs["players"]
    field = [Rating(row["R"], row["V"], row["times"]) for row in rows]
    totals = [seen_by(p, k, field, rows) for k in range(len(field))]
    n = len(field)
    return {
        "N": n,
        "Ravg": field[0].rating + totals[0].gap / n,
        "Cf": codechef.competition_factor(field[0], totals[0]),
        "players": [
            line(p, row["name"], me, total)
            for row, me, total in zip(rows, field, totals, strict=True)
        ],
    }


def seen_by(p: Params, k: int, field: list[Rating], rows: list[dict[str, Any]]) -> Evidence:
    """All evidence of the contest for player k."""
    total = Evidence()
    for j, other in enumerate(field):
        if j != k:
            mine, theirs = rows[k]["rank"], rows[j]["rank"]
            score = 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0
            total = added(total, codechef.evidence(p, field[k], other, Game(score)))
    return total


def line(p: Params, name: str, me: Rating, total: Evidence) -> dict[str, Any]:
    """What the case wants to know of one player."""
    after = CODECHEF.absorb(p, me, total)
    n = total.others + 1
    raw = codechef.change(me, total)
    change = after.rating - me.rating
    return {
        "name": name,
        "ERank": codechef.erank(total),
        "ARank": codechef.arank(total),
        "EPerf": codechef.performance(codechef.erank(total), n),
        "APerf": codechef.performance(codechef.arank(total), n),
        "RW": codechef.rating_weight(me.times),
        "VW": codechef.volatility_weight(me.times),
        "cap": codechef.cap(me),
        "raw_change": raw,
        "change": change,
        "new_rating": after.rating,
        "new_volatility_unclamped": codechef.unbounded_volatility(
            me, change if p.volatility_from == 0 else raw
        ),
        "new_volatility": after.volatility,
        "times": after.times,
    }


def pairwise(inputs: dict[str, Any]) -> dict[str, Any]:
    """The chance that a does worse than b."""
    a, b = Rating(inputs["Ra"], inputs["Va"]), Rating(inputs["Rb"], inputs["Vb"])
    return {"E_ab": codechef.evidence(Params(), a, b, Game()).worse}


def weights(inputs: dict[str, Any]) -> dict[str, Any]:
    """What depends on the number of contests alone, and the cap."""
    times = inputs["times"]
    return {
        "RW": codechef.rating_weight(times),
        "VW": codechef.volatility_weight(times),
        "cap": codechef.cap(Rating(inputs["R"], 125.0, times)),
    }


FAMILIES = {
    "codechef.contest": contest,
    "codechef.pairwise": pairwise,
    "codechef.weights": weights,
}
