"""Fits whose rows lie on a cluster: the bits of one process, also when a worker is killed."""

from __future__ import annotations

import os
import pickle
import signal

import numpy as np
import pytest

import prowess
from prowess.engine.cluster.dask import Dask
from prowess.engine.fits import leaves, strengths
from prowess.engine.fits.leaves import Leaf, LeafParts
from prowess.engine.fits.likelihood import OutcomeModel
from tests.engine.leagues import league

TABLE = league(50, 900, seed=8, drawn=0.2, home=30.0)


@pytest.fixture(autouse=True)
def small_leaves(monkeypatch):
    """Leaves of 64 rows, and no merging."""
    monkeypatch.setattr(leaves, "leaf_size", lambda players: 64)
    monkeypatch.setattr(strengths, "is_worth_merging", lambda players, a, b: False)


def fitted(cluster=None, system="bradley_terry", **params):
    """Ratings and deviations of the table."""
    found = prowess.rate(TABLE, system, cluster=cluster, **params)
    return found, np.stack(list(found.columns.values())).tobytes()


@pytest.mark.parametrize("params", [{}, {"draws": "davidson", "advantage": "fitted"}])
def test_a_cluster_gives_the_same_bits(client, params):
    """Ratings, deviations and resamplings are those of one process to the last bit."""
    whole, bits = fitted(**params)
    found, others = fitted(client, **params)
    assert others == bits
    assert "one process" not in " ".join(found.notes)
    again, once = (one.bootstrap(3, seed=1) for one in (found, whole))  # the cluster is given back
    assert (again.columns["deviation"] == once.columns["deviation"]).all()
    assert len(pickle.loads(pickle.dumps(found)).players) == 50


def test_a_client_beside_a_newer_one(client):
    """Parts are held by the cluster that was given, also where a later client has another."""
    from distributed import Client, LocalCluster

    empty = LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0")
    with empty as other, Client(other):
        _, bits = fitted(client)
    assert bits == fitted()[1]


def test_a_killed_worker_changes_nothing(client, monkeypatch):
    """A worker that is killed between two products: its part is made again elsewhere."""
    client.wait_for_workers(2, timeout=120)  # one that another test killed is there again
    _, bits = fitted()
    calls, add_up = [], LeafParts.add_up

    def kill_at_third(parts, method, *given):
        if method is Leaf.times:
            calls.append(len(parts.parts))
            if len(calls) == 3:
                os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
        return add_up(parts, method, *given)

    monkeypatch.setattr(LeafParts, "add_up", kill_at_third)
    assert fitted(client)[1] == bits
    assert len(calls) > 3
    assert calls[0] == 2


def test_parts_of_any_number_have_the_same_sums(monkeypatch):
    """Leaves in 1, 2 or 3 parts, here: the same bits of every sum."""
    model = OutcomeModel(0, 0, np.log(10) / 400)
    point = np.random.default_rng(3).normal(size=52) * 100
    sums = set()
    for most in (1, 2, 3, 100):
        parts = LeafParts(TABLE, 50, False, None)
        parts._cut(most)
        questions = (Leaf.at, model, point), (Leaf.times, point)
        sums.add(b"".join(parts.add_up(*question).tobytes() for question in questions))
    assert len(sums) == 1


def test_what_is_not_shared_is_said(client):
    """A system without leaves is fitted in one process, and a note says so."""
    found = prowess.rate(TABLE, "colley", cluster=client)
    assert "fitted in one process: colley has nothing to share of this table" in found.notes
    assert isinstance(Dask(client), Dask)
