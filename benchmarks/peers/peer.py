"""One other program on games that Prowess made, run by the Python that has that program.

    python benchmarks/peers/peer.py NAME FOLDER ROUNDS

reads `FOLDER/games.npz` (a, b, score, players), writes `FOLDER/NAME.npy` (ratings) and prints
JSON: seconds of every round, the program's version. Only the rating is timed; whatever the program
wants its input to be is prepared before.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

Run = Callable[[], Callable[[], list[float]]]  # prepares; the result is timed and gives ratings


def riix_elo(a: Any, b: Any, score: Any, players: int) -> Run:
    """riix, Elo: a Python loop over NumPy arrays."""
    from riix.models.elo import Elo

    pairs = np.stack((a, b), axis=1).astype(np.int64)

    def prepared() -> Callable[[], list[float]]:
        model = Elo(list(range(players)))
        return lambda: (model.iterative_update(pairs, score), model.ratings.tolist())[1]

    return prepared


def riix_glicko2(a: Any, b: Any, score: Any, players: int) -> Run:
    """riix, Glicko-2, all games in one call; its deviations grow differently, so ratings differ."""
    from riix.models.glicko2 import Glicko2

    pairs = np.stack((a, b), axis=1).astype(np.int64)

    def prepared() -> Callable[[], list[float]]:
        model = Glicko2(list(range(players)))
        return lambda: (model.iterative_update(pairs, score, 0), model.mus.tolist())[1]

    return prepared


def evalica_elo(a: Any, b: Any, score: Any, players: int) -> Run:
    """evalica, Elo: a loop in Rust, behind an index of names that it builds itself."""
    import pandas as pd
    from evalica import Winner, elo

    words = {1.0: Winner.X, 0.0: Winner.Y, 0.5: Winner.Draw}
    winners = [words[one] for one in score.tolist()]
    xs, ys = a.tolist(), b.tolist()
    index = pd.Index(range(players))

    def prepared() -> Callable[[], list[float]]:
        def run() -> list[float]:
            found = elo(xs, ys, winners, index=index, initial=1500.0, k=32.0).scores
            return found.reindex(range(players)).tolist()  # type: ignore[no-any-return]

        return run

    return prepared


def elote_elo(a: Any, b: Any, score: Any, players: int) -> Run:
    """elote, Elo: an object a player."""
    from elote import EloCompetitor

    return _bouts(a, b, score, [lambda: EloCompetitor(initial_rating=1500, k_factor=32)] * players)


def elote_glicko2(a: Any, b: Any, score: Any, players: int) -> Run:
    """elote, Glicko-2: an object a player."""
    from elote import Glicko2Competitor

    return _bouts(a, b, score, [lambda: Glicko2Competitor(initial_rating=1500)] * players)


def _bouts(a: Any, b: Any, score: Any, makers: list[Callable[[], Any]]) -> Run:
    games = list(zip(a.tolist(), b.tolist(), score.tolist(), strict=True))

    def prepared() -> Callable[[], list[float]]:
        player = [make() for make in makers]

        def run() -> list[float]:
            for i, j, won in games:
                if won == 1.0:
                    player[i].beat(player[j])
                elif won == 0.0:
                    player[j].beat(player[i])
                else:
                    player[i].tied(player[j])
            return [one.rating for one in player]

        return run

    return prepared


def openskill_full(a: Any, b: Any, score: Any, players: int) -> Run:
    """openskill, Bradley-Terry with full pairing, tau 0: the formula of `weng_lin`."""
    from openskill.models import BradleyTerryFull

    games = list(zip(a.tolist(), b.tolist(), score.tolist(), strict=True))

    def prepared() -> Callable[[], list[float]]:
        model = BradleyTerryFull(tau=0.0)
        player = [model.rating() for _ in range(players)]

        def run() -> list[float]:
            for i, j, won in games:
                (player[i],), (player[j],) = model.rate([[player[i]], [player[j]]], [-won, won - 1])
            return [one.mu for one in player]

        return run

    return prepared


def trueskill_pairs(a: Any, b: Any, score: Any, players: int) -> Run:
    """trueskill, games of two."""
    import trueskill

    games = list(zip(a.tolist(), b.tolist(), score.tolist(), strict=True))

    def prepared() -> Callable[[], list[float]]:
        player = [trueskill.Rating() for _ in range(players)]

        def run() -> list[float]:
            for i, j, won in games:
                if won == 0.0:
                    player[j], player[i] = trueskill.rate_1vs1(player[j], player[i])
                else:
                    player[i], player[j] = trueskill.rate_1vs1(player[i], player[j], won == 0.5)
            return [one.mu for one in player]

        return run

    return prepared


PEERS: dict[str, tuple[str, Callable[..., Run]]] = {
    "riix elo": ("riix", riix_elo),
    "evalica elo": ("evalica", evalica_elo),
    "elote elo": ("elote", elote_elo),
    "riix glicko2": ("riix", riix_glicko2),
    "elote glicko2": ("elote", elote_glicko2),
    "openskill weng_lin": ("openskill", openskill_full),
    "trueskill": ("trueskill", trueskill_pairs),
}


def main(name: str, folder: Path, rounds: int) -> dict[str, Any]:
    """Time one peer; `missing` is the answer where it is not installed."""
    package, make = PEERS[name]
    try:
        known = version(package)
        with np.load(folder / "games.npz") as games:
            prepared = make(games["a"], games["b"], games["score"], int(games["players"]))
    except ImportError:
        return {"missing": package}
    seconds = []
    for _ in range(rounds):
        run = prepared()
        began = time.perf_counter()
        ratings = run()
        seconds.append(time.perf_counter() - began)
    np.save(folder / f"{name}.npy", np.array(ratings))
    return {"package": package, "version": known, "seconds": seconds}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
