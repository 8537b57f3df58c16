"""Who is told of what, and when it is tried again."""

from __future__ import annotations

import pytest

from prowess.live.store import webhooks
from prowess.live.store.webhooks import NoWebhook
from tests.live.store.facts import Book
from tests.refusals import refused

SECOND = 1_000_000


def hooked(connection, *events, **how):
    """A webhook that wants some events."""
    return webhooks.register_webhook(
        connection, "https://example.org/hook", "s3cret", events, now=1, **how
    )


def test_who_wants_it_is_told(store):
    """A revision is queued for those who asked for its kind, and for those who asked for all."""

    def job(connection):
        one = hooked(connection, "result.recorded")
        hooked(connection, "list.published")
        every = hooked(connection, "*", shape="slack")
        gone = hooked(connection, "*")
        webhooks.stop_webhook(connection, gone, 2)
        at = Book(connection).revise("record")
        assert webhooks.queue_deliveries(connection, [(at, "result.recorded")], 100).total() == 2
        assert webhooks.find_due(connection, 99) == []
        return [one, every, at, webhooks.find_due(connection, 100)]

    one, every, at, due = store.writer.do(job)
    assert [(row.webhook, row.revision, row.shape, row.attempts) for row in due] == [
        (one, at, "prowess", 0), (every, at, "slack", 0),
    ]  # fmt: skip
    assert {row.secret for row in due} == {"s3cret"}


def test_waits_grow(store):
    """Waits are tripled from 10 seconds to 6 hours; the twelfth failure is the last."""

    def job(connection):
        hook = hooked(connection, "*")
        webhooks.queue_deliveries(connection, [(Book(connection).revise("record"), "x")], 0)
        now, waits = 0, []
        while due := webhooks.find_due(connection, now):
            assert webhooks.find_due(connection, now - 1) == []
            webhooks.note_attempt(connection, due[0].id, "status 500", now)
            (row,) = webhooks.list_deliveries(connection, hook)
            waits.append(row.next_at and row.next_at - now)
            now = row.next_at or 10**18
        return waits, row

    waits, row = store.writer.do(job)
    # 10 s tripled, held at 6 h = 21600 s; by hand
    seconds = [10, 30, 90, 270, 810, 2430, 7290, 21600, 21600, 21600, 21600]
    assert waits == [*(one * SECOND for one in seconds), None]
    assert (row.attempts, row.next_at, row.outcome) == (12, None, "status 500")


def test_news_are_told_in_order(store):
    """While the oldest message waits for its next attempt the younger ones wait, and once it is
    given up, after twelve attempts, the next goes on.
    """

    def job(connection):
        hook = hooked(connection, "*")
        for at in (0, 1, 2):
            webhooks.queue_deliveries(connection, [(Book(connection).revise("record"), "x")], at)
        first, second, third = (one.id for one in webhooks.find_due(connection, 5))
        assert first < second < third
        webhooks.note_attempt(connection, first, "status 500", 5)
        assert webhooks.find_due(connection, 5 + 10 * SECOND - 1) == []
        for _ in range(11):
            assert webhooks.find_due(connection, 10**18)[0].id == first
            webhooks.note_attempt(connection, first, "status 500", 5)
        assert [one.id for one in webhooks.find_due(connection, 5)] == [second, third]
        return webhooks.list_deliveries(connection, hook)[-1]

    assert store.writer.do(job).next_at is None


def test_a_backlog_is_its_own(store):
    """However many messages wait for one webhook, those of another are due as well."""

    def job(connection):
        slow = hooked(connection, "*")
        for _ in range(150):
            webhooks.queue_deliveries(connection, [(Book(connection).revise("record"), "x")], 0)
        other = hooked(connection, "*")
        webhooks.queue_deliveries(connection, [(Book(connection).revise("record"), "x")], 9)
        found = webhooks.find_due(connection, 9, each=7)
        return slow, other, [one.webhook for one in found]

    slow, other, found = store.writer.do(job)
    assert found == [slow] * 7 + [other]


def test_delivered_once(store):
    """What was delivered is not sent again, and one revision is queued once for each webhook."""

    def job(connection):
        hook = hooked(connection, "*")
        at = Book(connection).revise("record")
        webhooks.queue_deliveries(connection, [(at, "x")], 0)
        webhooks.note_attempt(connection, webhooks.find_due(connection, 0)[0].id, None, 5)
        assert webhooks.find_due(connection, 10**18) == []
        return at, webhooks.list_deliveries(connection, hook)

    at, (row,) = store.writer.do(job)
    assert (row.attempts, row.next_at, row.outcome) == (1, None, "delivered")
    with pytest.raises(Exception, match=r"(?i)unique"):
        store.writer.do(lambda c: webhooks.queue_deliveries(c, [(at, "x")], 9))


def test_stopped(store):
    """A stopped webhook is sent nothing more, not even what waits."""

    def job(connection):
        hook = hooked(connection, "*")
        webhooks.queue_deliveries(connection, [(Book(connection).revise("record"), "x")], 0)
        assert webhooks.stop_webhook(connection, hook, 7)
        assert not webhooks.stop_webhook(connection, hook, 8)
        assert webhooks.find_due(connection, 10**18) == []
        at = Book(connection).revise("record")
        assert webhooks.queue_deliveries(connection, [(at, "x")], 9).total() == 0
        return webhooks.list_webhooks(connection)

    (row,) = store.writer.do(job)
    assert (row.stopped, row.events) == (7, ("*",))
    assert "s3cret" not in repr(row)


def test_webhooks_that_make_no_sense(store):
    """An address that is none, an unknown shape, no events and an unknown number are refused."""
    for how, told in (
        ({"url": "ftp://example.org"}, "not_an_address"),
        ({"shape": "teams"}, "unknown_shape"),
        ({"events": ()}, "no_events"),
    ):
        asked = {"url": "https://example.org", "secret": "s", **how}
        with refused(NoWebhook, told):
            store.writer.do(lambda c, asked=asked: webhooks.register_webhook(c, **asked, now=1))
    with refused(NoWebhook, "no_such_webhook"):
        store.writer.do(lambda c: webhooks.stop_webhook(c, 5, 1))
