"""Who entered a result may mend it for an hour, with the same token."""

from __future__ import annotations

import pytest

from prowess.live.errors import NotAllowed
from prowess.live.journal.corrections import Correct, Restore, Void
from prowess.live.store.access import Actor
from prowess.live.store.queries import RevisionRow
from prowess.live.store.visibility import MENDING_US, may_change
from tests.live.journal.journals import CONSOLE, NOW, game, is_verified, record_games
from tests.refusals import refused

HOUR = 3_600 * 1_000_000  # microseconds


NOBODY = Actor(None, "nobody", frozenset({"submit"}), None, review=False)


def holder(token: int, *scopes: str) -> Actor:
    """The holder of a token."""
    return Actor(token, f"holder {token}", frozenset(scopes), None, review=False)


def entered(token: int | None, at: int = NOW) -> RevisionRow:
    """A revision by a token."""
    return RevisionRow(1, at, "record", token, "holder", 1, None, {})


@pytest.mark.parametrize(
    ("actor", "made", "latest", "now", "may"),
    [
        (holder(1, "submit"), entered(1), entered(1), NOW + HOUR, True),
        (holder(1, "submit"), entered(1), entered(1), NOW + HOUR + 1, False),  # too late
        (holder(2, "submit"), entered(1), entered(1), NOW, False),  # another token
        (holder(1, "submit"), entered(1), entered(2), NOW, False),  # a keeper has changed it
        (holder(1, "read"), entered(1), entered(1), NOW, False),  # reads only
        (holder(2, "correct"), entered(1), entered(1), NOW + 9 * HOUR, True),  # a keeper
        (holder(2, "admin"), entered(1), entered(2), NOW + 9 * HOUR, True),
        (holder(1, "submit"), entered(None), entered(None), NOW, False),  # the console entered it
        (NOBODY, entered(None), entered(None), NOW, False),
    ],
)  # fmt: skip
def test_the_rule(actor, made, latest, now, may):
    """The rule, from the requirement: an hour, the same token, nobody else; or a keeper."""
    assert may_change(actor, made, latest, now) == may
    assert MENDING_US == HOUR


def test_for_an_hour(journal):
    """Within the hour a result is corrected and struck by its reporter, later by keepers alone."""
    clock = {"ahead": 0}
    inner = journal.clock
    journal.clock = lambda: inner() + clock["ahead"]

    def make(connection):
        from prowess.live.store import access

        return [access.make_token(connection, n, ["submit"], now=NOW)[1] for n in ("ann", "ben")]

    ann, ben = (holder(number, "submit") for number in journal.store.writer.do(make))
    first, second = record_games(
        journal, game("Ada", "Ben", day=1), game("Ada", "Ben", day=2), actor=ann
    )
    journal.commit(Correct(first, game("Ada", "Ben", 0.5)), ann)
    with refused(NotAllowed, "not_yours"):
        journal.commit(Correct(first, game("Ada", "Ben", 0.0)), ben)
    with refused(NotAllowed, "not_yours"):
        journal.preview(Void((first, second)), ben)
    journal.commit(Void((second,)), ann)
    with refused(NotAllowed, "scope"):
        journal.commit(Restore((second,)), ann)
    journal.commit(Restore((second,)), CONSOLE)
    with refused(NotAllowed, "not_yours"):  # a keeper has changed it
        journal.commit(Void((second,)), ann)
    clock["ahead"] = HOUR
    with refused(NotAllowed, "not_yours"):
        journal.commit(Void((first,)), ann)
    assert is_verified(journal)
