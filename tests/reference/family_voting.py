"""The reference cases of the voting methods on a league's pairing scores."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from prowess.engine.fit import WholeTableRatings, fit_table
from prowess.games.games import Games
from prowess.systems.borda import BORDA, BORDA_TALLY
from prowess.systems.copeland import COPELAND
from prowess.systems.ranked_pairs import RANKED_PAIRS
from prowess.systems.schulze import SCHULZE


def league(bots: list[str], pair: dict[str, float]) -> Games:
    """One game a pairing, its score the pairing score."""
    met = [(a, b) for a in range(len(bots)) for b in range(a) if bots[a] + bots[b] in pair]
    return Games(
        players=bots,
        a=np.array([a for a, _ in met], dtype=np.uint32),
        b=np.array([b for _, b in met], dtype=np.uint32),
        score=np.array([pair[bots[a] + bots[b]] for a, b in met]),
    )


def by_name(ratings: WholeTableRatings, column: str) -> dict[str, Any]:
    """One column as numbers by name."""
    return dict(zip(ratings.players, ratings.column(column).tolist(), strict=True))


def level_sets(ratings: WholeTableRatings) -> list[list[str]]:
    """The players of each level."""
    level = by_name(ratings, "level")
    return [sorted(b for b in level if level[b] == k) for k in sorted(set(level.values()))]


def condorcet(inputs: dict[str, Any]) -> dict[str, Any]:
    bots, pair = inputs["bots"], inputs["pair"]
    table = league(bots, pair)
    schulze, ranked = fit_table(table, SCHULZE), fit_table(table, RANKED_PAIRS)
    copeland = fit_table(table, COPELAND)
    path, locked = schulze.fit.model.path, ranked.fit.model.locked
    majorities = [bots[a] + bots[b] for a, b in zip(locked.winner, locked.loser, strict=True)]
    tally = by_name(fit_table(table, BORDA_TALLY), "points")
    answer: dict[str, Any] = {
        "aps": {bot: points / (len(bots) - 1) for bot, points in tally.items()},
        "pl_points": {b: round(2 * points) for b, points in by_name(copeland, "points").items()},
        "schulze_paths": {a + b: float(path[bots.index(a), bots.index(b)])
                          for a in bots for b in bots if a != b},
        "schulze_levels": level_sets(schulze),
        "ranked_pairs_order": majorities,
        "ranked_pairs_skipped": [m for m, out in zip(majorities, locked.skipped, strict=True)
                                 if out],
        "ranked_pairs_levels": level_sets(ranked),
        "borda_pairwise": tally,
        "borda_voters": by_name(fit_table(table, BORDA), "points"),
    }  # fmt: skip
    if not copeland.column("even").any():
        # a triple is not circular exactly if one of the three beats both others
        wins = copeland.column("won").tolist()
        answer["circular_triads"] = comb(len(bots), 3) - sum(comb(won, 2) for won in wins)
    return answer


FAMILIES = {"roborumble.condorcet": condorcet}
