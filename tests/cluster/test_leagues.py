"""Leagues that a cluster of two processes rates: the numbers of one process."""

from __future__ import annotations

import prowess
from tests.engine.test_by_league import TABLE


def test_leagues_on_a_cluster(client):
    """Each by a worker, in the order of the leagues, with the reasons of those not rated."""
    table = {**TABLE, "score": [1, 0.5, 0, 0.5, 1]}
    here = prowess.rate_leagues(table, "bradley_terry", by="division")
    there = prowess.rate_leagues(table, "bradley_terry", by="division", cluster=client)
    assert there.to_json() == here.to_json()
