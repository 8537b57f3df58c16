"""Audits, checkpoints and answers: what is kept beside the facts."""

from __future__ import annotations

from prowess.live.errors import Conflict
from prowess.live.result import DAY_US
from prowess.live.store import access
from prowess.live.store.access import Actor, Answers, IdempotencyKey
from prowess.live.store.store import find_saved_log, save_log
from tests.live.store.facts import Book
from tests.refusals import refused


def token(connection):
    """Somebody with a token."""
    return access.make_token(connection, "Ada", ["submit"], now=1)[1]


def test_audits(store):
    """The log names who acted, newest first, and is read page by page."""

    def job(connection):
        ada = Actor(token(connection), "Ada", frozenset({"submit"}), None, review=False)
        for turn, actor in enumerate((ada, Actor.console(), None)):
            line = access.build_line(
                actor, "submit", f"result {turn}", "done" if actor else "no token", "127.0.0.1",
                "abc", now=turn,
            )  # fmt: skip
            connection.execute(line)
        return access.read_lines(connection)

    rows = store.writer.do(job)
    assert [(row.at, row.name, row.outcome) for row in rows] == [
        (2, None, "no token"), (1, None, "done"), (0, "Ada", "done"),
    ]  # fmt: skip
    assert (rows[2].target, rows[2].address, rows[2].request_id) == ("result 0", "127.0.0.1", "abc")
    with store.read() as connection:
        assert access.read_lines(connection, 1) == rows[:1]
        assert access.read_lines(connection, 5, before=rows[0].id) == rows[1:]


def test_checkpoints(store):
    """A category has one checkpoint, and it is found only by the fingerprint it was made with."""

    def job(connection):
        main = Book(connection).begin("main")
        save_log(connection, main, 1, "old", b"1", now=5)
        save_log(connection, main, 7, "new", bytes(range(256)), now=6)
        return main

    main = store.writer.do(job)
    with store.read() as connection:
        assert find_saved_log(connection, main, "new") == (7, bytes(range(256)))
        assert find_saved_log(connection, main, "old") is None
        assert find_saved_log(connection, main + 1, "new") is None


def test_answers(store):
    """The same request under the same key gets its first answer; another request is refused."""
    receipt = {"revision": 3, "results": [[1, "recorded"]], "pi": 0.1 + 0.2}

    def job(connection):
        one, two = token(connection), token(connection)
        keep_answer(connection, IdempotencyKey(one, "k", "hash"), receipt)
        return one, two

    one, two = store.writer.do(job)
    keys = [
        IdempotencyKey(*key)
        for key in ((one, "k", "hash"), (two, "k", "hash"), (one, "K", "hash"), (one, "k", "other"))
    ]
    with store.read() as connection:
        answers = Answers(connection, keys)
    assert [answers.find(key) for key in keys[:3]] == [receipt, None, None]
    with refused(Conflict, "key_reused", about="k"):
        answers.find(keys[3])


def test_an_answer_is_found_before_it_is_kept(store):
    """A request that comes twice before the commit gets one answer."""
    with store.read() as connection:
        answers = Answers(connection, [])
    answers.add(IdempotencyKey(1, "k", "hash"), {"revision": 1}, 10)
    assert answers.find(IdempotencyKey(1, "k", "hash")) == {"revision": 1}


def keep_answer(connection, key, receipt):
    """Keep a receipt at 10 us."""
    answers = Answers(connection, [])
    answers.add(key, receipt, 10)
    answers.keep(connection)


def test_answers_are_kept_for_a_day(store):
    """Answers are forgotten after a day, not before."""

    def job(connection):
        key = IdempotencyKey(token(connection), "k", "hash")
        keep_answer(connection, key, {})
        kept = access.delete_expired_answers(connection, 10 + DAY_US)
        forgotten = access.delete_expired_answers(connection, 11 + DAY_US)
        return kept, forgotten, Answers(connection, [key]).find(key)

    assert store.writer.do(job) == (0, 1, None)
