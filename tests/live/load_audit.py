"""What is in a store against what was meant, read without the server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import func, select

from prowess.live.store import access
from prowess.live.store.store import open_store
from prowess.live.store.tables import audit, category, name, result, revision, version
from tests.live.load_ledger import Ledger, Meant

COLUMNS = (
    result.c.id, result.c.external_id, result.c.created_revision, result.c.revision,
    category.c.key, version.c.revision.label("since"), version.c.state, version.c.time,
    version.c.score, version.c.a, version.c.b,
)  # fmt: skip

MADE = "token made"


class Found(NamedTuple):
    """How much was compared."""

    results: int
    versions: int
    revisions: int


def audited(url: str, ledger: Ledger, *, whole: bool = False) -> Found:
    """Compare every result with all its versions; a server may be running.

    What was acknowledged must be there once, by the number that was said; what is there must be
    meant; with `whole` everything meant must be there. Revisions and numbers have no gaps, and
    every correction has its one line in the audit log.
    """
    must = ledger.copied()  # before reading: what is acknowledged later need not be there
    store = open_store(url, create=False)
    try:
        with store.read() as connection:
            rows = connection.execute(
                select(*COLUMNS)
                .join(version, version.c.result_id == result.c.id)
                .join(category, category.c.id == result.c.category_id)
                .order_by(result.c.id, version.c.revision)
            ).all()
            named = {number: called for called, number in connection.execute(select(name)).all()}
            changes = (
                connection.execute(
                    select(revision.c.id).where(revision.c.kind.in_(("correct", "void", "restore")))
                )
                .scalars()
                .all()
            )
            lines = (
                connection.execute(
                    select(audit.c.target).where(
                        audit.c.outcome == access.AUDIT_DONE, audit.c.action != MADE
                    )
                )
                .scalars()
                .all()
            )
            count, last = connection.execute(
                select(func.count(), func.max(revision.c.id)).select_from(revision)
            ).one()
    finally:
        store.close()
    assert count == last, f"{count} revisions up to {last}"
    said = [line.rpartition(", ")[2] for line in lines]  # after the numbers of results
    assert sorted(said) == sorted(f"revision {number}" for number in changes)
    found = defaultdict(list)
    for row in rows:
        found[row.time].append(row)
    numbers = {row.id for row in rows}
    assert numbers == set(range(1, len(found) + 1)), "numbers of results with gaps, or doubled"
    for time, those in found.items():
        assert time in ledger.meant, f"{those} was meant by nobody"
        same_as_meant(ledger.meant[time], those, named)
    for one, acknowledged, number in must:
        there = found.get(one.time, [])
        least = len(one.versions) if whole else acknowledged
        assert len(there) >= least, f"{one}: of {least} versions there are {len(there)}"
        assert number is None or there[0].id == number, f"{one} has another number: {there}"
    return Found(len(found), len(rows), count)


def same_as_meant(one: Meant, there: Sequence[Any], named: dict[int, str]) -> None:
    """Compare one result: versions may be fewer than meant, never other ones."""
    first, said = there[0], one.said
    assert {row.id for row in there} == {first.id}, f"{one} is there twice: {there}"
    assert [(row.state, row.score) for row in there] == one.versions[: len(there)], (one, there)
    assert first.created_revision == first.since
    assert first.revision == there[-1].since, f"{one}: another version counts: {there}"
    assert first.external_id == said.get("external_id"), (one, there)
    assert first.key == said["category"], (one, there)
    for row in there:
        assert (named[row.a], named[row.b]) == (said["player_a"], said["player_b"]), (one, row)
