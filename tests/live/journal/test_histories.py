"""Any history of entries: the ladder equals the batch run, and every preview came true."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from prowess.live.errors import Refused
from prowess.live.journal import stored_log
from prowess.live.journal.categories import ChangeMethod, NewCategory
from prowess.live.journal.corrections import (
    Anonymise,
    Correct,
    Merge,
    Rename,
    Restore,
    Split,
    Void,
    VoidWhere,
)
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.stored_log import collect_values, read_log_columns, verify_category
from tests.live.journal.journals import CONSOLE, Clock, game

NAMES = "ABCDE"
names = st.sampled_from(NAMES)
scores = st.sampled_from([0.0, 0.5, 1.0])
days = st.integers(0, 40)
numbers = st.integers(1, 12)
games = st.builds(game, names, names, scores, days)
entries = st.one_of(
    st.builds(lambda them: RecordResults(tuple(them)), st.lists(games, min_size=1, max_size=4)),
    st.builds(Correct, numbers, games),
    st.builds(lambda n: Void((n,)), numbers),
    st.builds(lambda n: Restore((n,)), numbers),
    st.builds(lambda name: VoidWhere(player=name), names),
    st.builds(Merge, names, names),
    st.builds(Split, names),
    st.builds(lambda name: Rename(name, name + "'"), names),
    st.builds(Anonymise, names),
    st.builds(lambda k: ChangeMethod("main", params={"k": k}), st.sampled_from([16.0, 40.0])),
)
METHODS = [
    {"system": "elo"},
    {"system": "glicko2", "period": "7d"},
    {"system": "glicko", "period": "1mo"},
    {"system": "arimaa"},
]


@pytest.fixture(autouse=True, scope="module")
def _read_in_parts():
    """Two results in memory at a time, so that a short log is read in several parts."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stored_log, "CHUNK", 2)
        yield


def shown(journal: Journal) -> dict[str, dict[str, float]]:
    return collect_values(journal.ratings("main"))


def differences(journal: Journal) -> tuple[object, ...]:
    """Where what is shown is not what the batch program makes of the log."""
    category = journal.category("main")
    with journal.store.read() as connection:
        log = read_log_columns(connection, category, journal.registry.people)
    return verify_category(category, log, shown(journal), journal.name).differences


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m["system"])
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(history=st.lists(entries, min_size=1, max_size=10))
def test_any_history(method, history):
    """After every entry and a restart ratings equal the batch run, as the preview said."""
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder) / "ladder.db")
        journal = Journal.open(url, clock=Clock())
        journal.commit(NewCategory("main", **method), CONSOLE)
        before = by_number(journal)
        for entry in history:
            if isinstance(entry, ChangeMethod) and method["system"] != "elo":
                continue
            revision = journal.revision
            try:
                outlook = journal.preview(entry, CONSOLE)
                journal.commit(entry, CONSOLE)
            except Refused:
                assert (journal.revision, by_number(journal)) == (revision, before)
                continue
            after = by_number(journal)
            said = {} if "main" not in outlook.previews else {
                journal.registry.people.number_as_entered(outlook.names[one.player]): (
                    one.before, one.after
                )
                for one in outlook.previews["main"].movers
            }  # fmt: skip
            assert said == {
                player: (before.get(player), after.get(player))
                for player in {*before, *after}
                if before.get(player) != after.get(player)
            }
            assert differences(journal) == ()
            before = after
        now = shown(journal)
        journal.close()
        again = Journal.open(url, clock=Clock())
        assert shown(again) == now
        again.store.writer.do(forget_checkpoints)
        again.store.close()
        anew = Journal.open(url, clock=Clock())
        assert shown(anew) == now
        anew.close()


def by_number(journal: Journal) -> dict[int, dict[str, float]]:
    """What is shown of every player, by number: names may change."""
    people = journal.registry.people
    return {people.find(name): row for name, row in shown(journal).items()}


def forget_checkpoints(connection):
    """Checkpoints may be deleted at any time."""
    from prowess.live.store.tables import checkpoint

    connection.execute(checkpoint.delete())
