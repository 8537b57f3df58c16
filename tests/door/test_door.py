"""Every table of the corpus is read as its truth says, asked about, or refused with a remedy."""

from __future__ import annotations

import pytest

from tests.door.truth import TRUTH, check_table, list_tables

REFUSED: frozenset[str] = frozenset()  # tables that an expert could read and Prowess refuses
MOST_REFUSED = 0.05  # of all tables


@pytest.mark.parametrize("name", [path.name.removesuffix(TRUTH) for path in list_tables()])
def test_table(name):
    """No table is silently wrong; what cannot be read is refused, and known to be."""
    verdict = check_table(next(path for path in list_tables() if path.name == f"{name}{TRUTH}"))
    assert verdict.kind in ({"refused"} if name in REFUSED else {"right", "asked"}), verdict.detail


def test_few_tables_are_refused():
    """The corpus is large, and 95 % of it are read or asked about as they should be."""
    tables = {path.name.removesuffix(TRUTH) for path in list_tables()}
    assert len(tables) >= 240
    assert tables >= REFUSED
    assert len(REFUSED) <= MOST_REFUSED * len(tables)
