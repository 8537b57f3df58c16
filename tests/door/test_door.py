"""The tables of the corpus: read as their truths say, or asked about with a remedy that helps.

`refused.txt` lists tables that an expert could read and Prowess still refuses. None is silently
wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.door.truth import TRUTH, check_table, list_tables

REFUSED = frozenset(Path(__file__).with_name("refused.txt").read_text(encoding="utf-8").split())
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_tables(part):
    """Each table is right or asked about, unless it is known to be refused."""
    faults = []
    for path in list_tables()[part::PARTS]:
        name = path.name.removesuffix(TRUTH)
        verdict = check_table(path)
        known = {"refused"} if name in REFUSED else set()
        if verdict.kind not in {"right", "asked"} | known:
            faults.append(f"{verdict.kind} {name}: {verdict.detail[:200]}")
    assert not faults, "\n".join(faults)


def test_lists_of_known_faults():
    """The lists name tables that exist, and most tables stand on none of them."""
    names = {path.name.removesuffix(TRUTH) for path in list_tables()}
    assert names >= REFUSED
    assert len(REFUSED) < 0.25 * len(names)
