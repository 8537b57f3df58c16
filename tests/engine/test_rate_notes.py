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
