"""The comparison on a report's page is that of `compare`."""

from __future__ import annotations

import numpy as np

import prowess
from prowess.games.games import Games
from prowess.study.judging import compare_beside
from prowess.verbs.tables import parse_selections


def test_a_report_judges_as_compare_does():
    """Scores and notes are those of `compare`; without dates both name the order of the file."""
    rng = np.random.default_rng(4)
    names = ["Ann", "Bob", "Cleo", "Dan"]
    pairs = [rng.choice(names, 2, replace=False).tolist() for _ in range(200)]
    scores = rng.integers(2, size=200).astype(float).tolist()
    table: Games = prowess.read_games(
        {"player_a": [a for a, _ in pairs], "player_b": [b for _, b in pairs], "score": scores}
    )
    asked = prowess.compare(table, ["elo", "weng_lin"], warm_up=0.2)
    own = prowess.backtest(table, "glicko2")
    found, left_out = compare_beside(table, own, parse_selections("elo,weng_lin,trueskill:tau=0"))
    assert left_out == []
    assert found is not None
    judged = {one.test.name: one.scores["log_loss"] for one in found}
    for one in asked:
        assert judged[one.test.name] == one.scores["log_loss"]
    assert "glicko2" in judged
    assert [note for note in found.notes if note.startswith("no dates: games are judged forward")]
    assert set(asked.notes) <= set(found.notes)
