"""Corrections anywhere in a log: benchmarks/corrections.py does the same with a million games."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal, verify_store
from prowess.live.journal.stored_log import collect_values
from prowess.live.store.tables import checkpoint
from tests.live.load_corrections import CATEGORY, CONSOLE, Log, corrected, imported

GAMES, PLAYERS = 20_000, 500


@pytest.mark.parametrize("system", ["elo", "glicko2", "prowess"])
def test_corrected(sqlite_url: str, system: str):
    """After every correction all ratings equal the batch run, as the preview said; so after a
    restart, with a checkpoint and without.
    """
    log = Log(GAMES, PLAYERS)
    journal = Journal.open(sqlite_url)
    journal.commit(NewCategory(CATEGORY, system=system), CONSOLE)
    imported(journal, log)
    costs = list(corrected(journal, log, list(range(1, GAMES + 1)), 0))
    assert len(costs) == 9
    shown = collect_values(journal.ratings(CATEGORY))
    journal.close()
    for kept in (True, False):
        again = Journal.open(sqlite_url)
        if not kept:
            again.store.writer.do(lambda connection: connection.execute(delete(checkpoint)))
        assert collect_values(again.ratings(CATEGORY)) == shown
        again.close()
    (proof,) = verify_store(sqlite_url)
    assert (proof.results, proof.differences) == (GAMES, ())
