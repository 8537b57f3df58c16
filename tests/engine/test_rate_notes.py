"""Notes that a reader of ratings must have."""

from __future__ import annotations

import prowess


def test_order_of_rows_of_one_day():
    """On one day the order of the rows decides; games of two days need no such note."""
    rows = [("Ann", "Bob", 1), ("Bob", "Cid", 1), ("Cid", "Ann", 1)]
    columns = dict(
        zip(("a", "b", "score"), (list(one) for one in zip(*rows, strict=True)), strict=True)
    )
    one_day = prowess.rate({**columns, "date": ["2026-03-01"] * 3})
    assert any("order of the rows" in note for note in one_day.notes)
    days = prowess.rate({**columns, "date": ["2026-03-01", "2026-03-02", "2026-03-02"]})
    assert not any("order of the rows" in note for note in days.notes)


def test_chance_to_win_is_empty_where_games_are_drawn():
    """A quarter of the games is drawn: an expected score is no chance to win."""
    drawn = prowess.rate([("Ann", "Bob", x) for x in (1, 0.5, 0, 1)], "glicko2")
    found = drawn.forecast("Ann", "Bob")
    assert (found.win, found.draw, found.loss) == (None, None, None)
    assert 0.5 < found.expected < 1.0
    decided = prowess.rate([("Ann", "Bob", x) for x in (1, 1, 0, 1)], "glicko2")
    found = decided.forecast("Ann", "Bob")
    assert found.win == found.expected
