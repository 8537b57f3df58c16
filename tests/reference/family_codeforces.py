"""Codeforces' reference cases: one contest."""

from __future__ import annotations

from typing import Any

from prowess.systems import codeforces


def contest(inputs: dict[str, Any]) -> dict[str, Any]:
    """All numbers on the way to the change of a contest."""
    p, place = codeforces.Params(), list(map(float, inputs["ranks"]))
    ratings: Any = list(map(float, inputs["ratings"]))
    changes: Any = [0.0] * len(ratings)
    sides, out = codeforces.Rating(ratings), codeforces.Evidence(changes)
    room: Any = codeforces.Room(*([0.0] * (codeforces.HIGHEST + 1) for _ in codeforces.Room()))
    codeforces.contest(p, sides, place, out, room)
    last = room.last[: len(place)]
    count = codeforces.count_ratings(p, sides, place, room)
    seed = [codeforces.seed_with_self(p, room, count, r) - 0.5 for r in ratings]
    need = [
        codeforces.deserved_rating(p, room, count, mine, (last[i] * seed[i]) ** 0.5)
        for i, mine in enumerate(ratings)
    ]
    first = [codeforces.truncate(0.5 * (r - mine)) for r, mine in zip(need, ratings, strict=True)]
    inc = codeforces.truncate(-sum(first) / len(first)) - 1.0
    return {
        "place": last,
        "seed": seed,
        "need": need,
        "first_change": first,
        "change": changes,
        "corrections": [inc, changes[0] - first[0] - inc],
    }


FAMILIES = {"codeforces.contest": contest}
