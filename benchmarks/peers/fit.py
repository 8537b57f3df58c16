"""Another program's Bradley-Terry ratings of merged votes, by the Python that has that program.

    python benchmarks/peers/fit.py NAME FOLDER ROUNDS

reads `FOLDER/votes.npz` (a, b, up, down of every pair, or a, b, score and covariates x of every
vote; players), writes `FOLDER/NAME.npy` (natural
logarithms of strengths) and prints JSON: seconds of every round, the program's version. Merging
votes to pairs is done before and not counted; what is compiled at the first call is not counted.
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

Run = Callable[[], Any]
DENSE = 2_000  # players for whom a matrix of all pairs is asked for
CELLS = 10_000_000  # of a dense table of pairs by players


class TooLarge(Exception):
    """A table that the program would need a matrix of all pairs for."""


def choix_ilsr(a: Any, b: Any, up: Any, down: Any, players: int) -> Run:
    """choix, iterative Luce spectral ranking on the matrix of wins, to 1e-10."""
    import choix

    wins = square(a, b, up, down, players)
    return lambda: choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-10)


def evalica_newman(a: Any, b: Any, up: Any, down: Any, players: int) -> Run:
    """evalica, Newman's iteration in Rust on weighted results, to 1e-10."""
    import evalica
    import pandas as pd

    if players > DENSE:
        raise TooLarge
    xs, ys = np.concatenate((a, a)).tolist(), np.concatenate((b, b)).tolist()
    winners = [evalica.Winner.X] * len(a) + [evalica.Winner.Y] * len(a)
    weights = np.concatenate((up, down)).tolist()
    index = pd.Index(range(players))

    def run() -> Any:
        found = evalica.newman(
            xs, ys, winners, index=index, weights=weights, tolerance=1e-10, limit=100_000
        )
        return np.log(found.scores.reindex(range(players)).to_numpy())

    return run


def arena_rank_bt(a: Any, b: Any, up: Any, down: Any, players: int) -> Run:
    """arena-rank, L-BFGS in JAX on merged pairs; its own tolerances and a ridge of nothing."""
    import jax.numpy as jnp
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    count = jnp.asarray(np.concatenate((up, down)))
    one = jnp.ones(len(count))
    pairs = jnp.asarray(np.stack((np.tile(a, 2), np.tile(b, 2)), axis=1).astype(np.int32))
    outcome = jnp.asarray(np.repeat([1.0, 0.0], len(a)))
    names = [str(k) for k in range(players)]
    data = PairDataset(names, pairs, outcome, count, one, count)

    def run() -> Any:
        model = BradleyTerry(players, ftol=1e-14, gtol=1e-10)
        model.fit(data)
        return np.asarray(model.params["ratings"])

    return run


def arena_rank_covariates(a: Any, b: Any, score: Any, x: Any, players: int) -> Run:
    """arena-rank with covariates: its fit, without a ridge, and its errors of single votes."""
    import jax.numpy as jnp
    from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
    from arena_rank.utils.data_utils import ContextualPairDataset

    pairs = jnp.asarray(np.stack((a, b), axis=1).astype(np.int32))
    names = [str(k) for k in range(players)]
    one = jnp.ones(len(a))
    data = ContextualPairDataset(names, pairs, jnp.asarray(score), jnp.asarray(x), one)

    def run() -> Any:
        model = ContextualBradleyTerry(players, x.shape[1], reg=0.0)
        model.fit(data)
        model.compute_ratings_and_cis(data)["variances"].block_until_ready()
        return np.asarray(model.params["ratings"])

    return run


def scikit_learn(a: Any, b: Any, up: Any, down: Any, players: int) -> Run:
    """scikit-learn, logistic regression, no penalty: Newton if small, else L-BFGS."""
    from scipy.sparse import csr_matrix, vstack
    from sklearn.linear_model import LogisticRegression

    row = np.tile(np.arange(len(a)), 2)
    sign = np.repeat([1.0, -1.0], len(a))
    x: Any = csr_matrix((sign, (row, np.concatenate((a, b)))), shape=(len(a), players))
    dense = players * len(a) <= CELLS
    x = x.toarray()[:, 1:] if dense else x[:, 1:]
    both = np.vstack((x, x)) if dense else vstack((x, x), format="csr")
    won, weight = np.repeat([1, 0], len(a)), np.concatenate((up, down))
    keep = weight > 0
    both, won, weight = both[keep], won[keep], weight[keep]
    solver, steps = ("newton-cholesky", 100) if dense else ("lbfgs", 10_000)

    def run() -> Any:
        model = LogisticRegression(
            C=np.inf, fit_intercept=False, solver=solver, tol=1e-8, max_iter=steps
        )
        return np.append(0.0, model.fit(both, won, sample_weight=weight).coef_[0])

    return run


def square(a: Any, b: Any, up: Any, down: Any, players: int) -> Any:
    """Wins of row over column."""
    if players > DENSE:
        raise TooLarge
    wins = np.zeros((players, players))
    np.add.at(wins, (a, b), up)
    np.add.at(wins, (b, a), down)
    return wins


PEERS: dict[str, tuple[Any, str]] = {
    "choix": (choix_ilsr, "choix"),
    "evalica": (evalica_newman, "evalica"),
    "arena-rank": (arena_rank_bt, "arena-rank"),
    "arena-rank covariates": (arena_rank_covariates, "arena-rank"),
    "scikit-learn": (scikit_learn, "scikit-learn"),
}


def main(name: str, folder: Path, rounds: int) -> None:
    """Time one program and say it in JSON."""
    with np.load(folder / "votes.npz") as votes:
        columns = [votes[key] for key in votes.files if key != "players"]
        players = int(votes["players"])
    prepared, package = PEERS[name]
    try:
        run = prepared(*(column.astype(np.int64) for column in columns[:2]), *columns[2:], players)
    except (ImportError, TooLarge) as error:
        why = "not installed" if isinstance(error, ImportError) else "wants all pairs at once"
        print(json.dumps({"failed": why}))
        return
    seconds, worked = [], []
    for _ in range(rounds + 1):
        began, of_processor = time.perf_counter(), time.process_time()
        ratings = run()
        seconds.append(time.perf_counter() - began)
        worked.append(time.process_time() - of_processor)
    np.save(folder / f"{name}.npy", ratings - ratings.mean())
    best = {"seconds": min(seconds[1:]), "of the processor": min(worked[1:])}
    print(json.dumps(best | {"version": version(package)}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
