"""Pairs of players: who met whom how often, and which should meet next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prowess.engine.system import Unratable
from prowess.present.views.meetings import meeting, met_by
from prowess.present.views.remembered import remembered
from prowess.study.pairings import Goal, Pair, PairingTable, next_battles, pairing_table

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


MOST_SQUARED = 500  # players of whom all pairs are told at once


def pairings(ratings: Ratings) -> PairingTable:
    """Every pair that met and those that did not; kept with the ratings.

    Raises Unratable for contests and for more than `MOST_SQUARED` players.
    """
    if len(ratings) > MOST_SQUARED:
        raise Unratable(
            f"{len(ratings):,} players have too many pairs for one answer: name one of them, "
            f"or choose a category of at most {MOST_SQUARED}"
        )
    return remembered(ratings, "pairings", lambda: pairing_table(ratings))


def pair(one: Pair) -> dict[str, Any]:
    """Two players who met, the higher one first."""
    row = one._asdict()
    names = {"a": row.pop("player"), "b": row.pop("opponent")}
    return names | row | {"surprising": one.surprising}


def opponents(ratings: Ratings, k: int) -> list[dict[str, Any]]:
    """Everyone a player has met, the most met first; raises Unratable for contests."""
    return [meeting(ratings, one) for one in met_by(ratings, k)]


def wanted(ratings: Ratings, goal: Goal, budget: int, k: int | None) -> list[dict[str, Any]]:
    """The games worth playing next towards a goal, the best first, each with the reason."""
    name = None if k is None else ratings.players[k]
    found = remembered(
        ratings, ("wanted", goal, budget, k), lambda: next_battles(ratings, budget, name, goal)
    )
    return [one._asdict() for one in found]
