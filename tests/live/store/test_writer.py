"""The writer: many callers, one commit, and nobody is told what is not durable."""

from __future__ import annotations

from threading import Event, Thread
from time import monotonic, sleep

import pytest
from sqlalchemy import event, func, insert, select, text

from prowess.live.errors import StoreError, StoreInUse, StoreOutOfReach
from prowess.live.store.store import open_store
from prowess.live.store.tables import audit, player, revision
from prowess.live.store.writer import WriteTask
from tests.live.store.facts import line, targets, together
from tests.refusals import refused

DEFER = {"sqlite": "PRAGMA defer_foreign_keys=ON", "postgresql": "SET CONSTRAINTS ALL DEFERRED"}


def spoils_the_commit(connection):
    """A player merged into nobody, which both databases find out at the commit."""
    connection.execute(text(DEFER[connection.dialect.name]))
    row = {"id": 1, "at": 1, "kind": "player", "detail": {}}
    connection.execute(insert(revision), row)
    row = {"name": "Ada", "anonymous": False, "merged_into": 99, "created_revision": 1}
    connection.execute(insert(player), row)


def test_many_callers(store):
    """Of jobs from many threads each is done exactly once, and gets its own answer."""
    answers = {}

    def ask(caller):
        for turn in range(25):
            number = f"{caller}/{turn}"
            answers[number] = store.writer.do(lambda c, number=number: (line(number)(c), number)[1])

    threads = [Thread(target=ask, args=(caller,)) for caller in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: number for number in targets(store)}
    assert len(targets(store)) == len(answers) == 200


def test_one_commit_for_all_who_wait(store):
    """Jobs that wait while one runs share its commit, in the order in which they came."""
    commits: list[object] = []
    event.listen(store.writer._engine, "commit", commits.append)
    together(store, *map(line, "abcde"))
    assert len(commits) == 1
    assert targets(store) == list("abcde")


def test_as_many_as_the_last_commit_held_are_waited_for(store):
    """Those who come one after the other are written together; after a while, whoever is there."""
    writer = store.writer
    writer.close()  # its thread takes no task from here on
    writer._together = 3

    def come():
        for name in "abc":
            sleep(0.01)
            writer._tasks.put(WriteTask(line(name)))

    comer, group = Thread(target=come), list[WriteTask]()
    comer.start()
    writer._gather(group, monotonic() + 60.0)
    comer.join()
    assert len(group) == 3
    writer._tasks.put(WriteTask(line("d")))
    writer._gather(late := list[WriteTask](), monotonic() + 0.01)
    assert len(late) == 1


def test_a_failing_job_is_undone_alone(store):
    """A job that raises leaves nothing, raises in its caller, and harms no other of its commit."""

    def fails(connection):
        line("half done")(connection)
        raise ValueError("no such player")

    def breaks(connection):
        line("half done")(connection)
        connection.execute(text("SELECT nonsense"))

    answers = together(store, line("a"), fails, line("b"), breaks, line("c"))
    assert targets(store) == ["a", "b", "c"]
    assert isinstance(answers[1], ValueError)
    assert "nonsense" in str(answers[3])


def test_a_failed_commit_reaches_all(store):
    """When the commit fails every caller hears it, nothing is kept, and memory is drawn anew."""
    lost: list[list[str]] = []
    told: list[object] = []
    store.writer.on_lost = lambda: lost.append(targets(store))
    answers = together(store, (line("a"), told.append), spoils_the_commit, line("b"))
    assert [type(answer) for answer in answers] == [StoreError] * 3
    assert len({id(answer) for answer in answers}) == 3
    assert all("nothing was written" in str(answer) for answer in answers)
    assert (targets(store), lost, told) == ([], [[]], [])
    store.writer.do(line("later"))
    assert targets(store) == ["later"]


def test_answers_follow_the_commit(store):
    """`after` sees the job durable on another connection, before the answer."""
    seen = []
    store.writer.do(line("a"), lambda _: seen.append(targets(store)))
    assert seen == [["a"]]


def test_an_after_that_fails(store):
    """An `after` that raises is heard by its caller, and memory is drawn anew; the job stays."""
    lost = []
    store.writer.on_lost = lambda: lost.append(True)

    def fails(_):
        raise ValueError("memory")

    answers = together(store, (line("a"), fails), line("b"))
    assert (str(answers[0]), lost, targets(store)) == ("memory", [True], ["a", "b"])
    assert not isinstance(answers[1], Exception)


def test_a_loss_that_cannot_be_mended(store):
    """If memory cannot be read again, callers are told and nothing is written until it can."""
    mended = []

    def fails():
        raise ValueError("no memory")

    store.writer.on_lost = fails
    answers = together(store, line("a"), spoils_the_commit)
    assert all(isinstance(answer, StoreError) for answer in answers)
    with refused(StoreError, "nothing_written", about="no memory", remedy=False):
        store.writer.do(line("a"))
    store.writer.on_lost = lambda: mended.append(targets(store))
    store.writer.do(line("b"))
    store.writer.do(line("c"))
    assert (targets(store), mended) == (["b", "c"], [[]])


def test_jobs_do_not_wait_for_jobs(store):
    """A job that asks the writer is told so instead of waiting for ever."""
    with pytest.raises(RuntimeError, match="for ever"):
        store.writer.do(lambda _: store.writer.do(line("a")))


def test_closing_finishes_what_waits(store):
    """Jobs given before the end are done, jobs given after it are refused."""
    blocked, ready = Event(), Event()

    def gate(_):
        blocked.set()
        assert ready.wait(30)

    threads = [Thread(target=store.writer.do, args=(job,)) for job in (gate, line("a"))]
    threads[0].start()
    assert blocked.wait(30)
    threads[1].start()
    while store.writer._tasks.qsize() < 1:
        threads[1].join(0.001)
    ender = Thread(target=store.writer.close)
    ender.start()
    while not store.writer._closed:
        ender.join(0.001)
    with refused(StoreError, "store_closed"):
        store.writer.do(line("b"))
    ready.set()
    for thread in [*threads, ender]:
        thread.join()
    assert targets(store) == ["a"]


def test_readers_and_the_writer_do_not_wait(store):
    """A snapshot stays what it was while the writer commits, and neither waits for the other."""
    store.writer.do(line("a"))
    with store.read() as connection:
        count = select(func.count()).select_from(text("audit"))
        assert connection.scalar(count) == 1
        store.writer.do(line("b"))
        assert connection.scalar(count) == 1
        assert targets(store) == ["a", "b"]

        # and readers come through while a job is half done
        def job(connection):
            line("c")(connection)
            return targets(store)

        assert store.writer.do(job) == ["a", "b"]


def test_two_writers_take_turns(store, store_url):
    """What a job reads is still so when it writes, though the console writes too."""
    console = open_store(store_url)

    def add(connection):
        if connection.dialect.name != "sqlite":  # one writer is the rule there; here there are two
            connection.execute(text("LOCK TABLE audit IN EXCLUSIVE MODE"))
        line(connection.scalar(select(func.count()).select_from(audit)))(connection)

    def ask(writer):
        for _ in range(20):
            writer.do(add)

    threads = [Thread(target=ask, args=(one.writer,)) for one in (store, console)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    console.close()
    assert targets(store) == [str(number) for number in range(40)]


def test_readers_cannot_write(store):
    """What reads cannot write, on either database."""
    with store.read() as connection, pytest.raises(Exception, match=r"read-?\s?only"):
        line("a")(connection)


def test_commits_are_durable(store):
    """The database itself is told to wait for the disk."""
    if store.kind == "sqlite":
        asked = [("PRAGMA synchronous", 2), ("PRAGMA journal_mode", "wal"),
                 ("PRAGMA foreign_keys", 1)]  # fmt: skip
    else:
        asked = [("SHOW synchronous_commit", "on")]
    for question, answer in asked:
        assert store.writer.do(lambda c, question=question: c.scalar(text(question))) == answer


def test_durable_even_where_the_database_is_not(postgres_url):
    """A database that does not wait for the disk by default does so for us."""
    store = open_store(postgres_url)
    store.writer.do(lambda c: c.execute(text("ALTER ROLE postgres SET synchronous_commit = off")))
    store.close()
    store = open_store(postgres_url)
    try:
        assert store.writer.do(lambda c: c.scalar(text("SHOW synchronous_commit"))) == "on"
        with store.read() as connection:
            assert connection.scalar(text("SHOW synchronous_commit")) == "off"
    finally:
        store.writer.do(lambda c: c.execute(text("ALTER ROLE postgres RESET synchronous_commit")))
        store.close()


def test_a_full_disk(tmp_path):
    """On a full disk those who were answered are kept and those who were not are not."""
    store = open_store(str(tmp_path / "small.db"))
    pages = store.writer.do(lambda c: c.scalar(text("PRAGMA page_count")))
    store.writer.do(lambda c: c.scalar(text(f"PRAGMA max_page_count={pages + 6}")))
    answers = together(store, line("a"), line("x" * 100_000), line("b"))
    kept = [
        target[0] for target, answer in zip("axb", answers, strict=True)
        if not isinstance(answer, Exception)
    ]  # fmt: skip
    assert "full" in str(answers[1])
    assert targets(store) == kept
    store.writer.do(line("c"))
    assert targets(store) == [*kept, "c"]
    store.close()


def cut(url):
    """End all other sessions of a database, as its administrator may."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_connection_cut_while_idle(postgres_url):
    """Connections that died while nothing was asked are replaced; nobody notices."""
    store = open_store(postgres_url)
    store.claim()
    store.writer.do(line("a"))
    assert targets(store) == ["a"]
    cut(postgres_url)
    store.writer.do(line("b"))
    assert targets(store) == ["a", "b"]
    store.close()


def test_a_connection_cut_at_work(postgres_url):
    """When the connection dies under the jobs all callers are told and nothing is kept."""
    store = open_store(postgres_url)
    lost = []
    store.writer.on_lost = lambda: lost.append(True)
    answers = together(store, line("a"), lambda _: cut(postgres_url), line("b"))
    assert [type(answer) for answer in answers[:2]] == [StoreOutOfReach] * 2
    assert lost
    store.writer.do(line("c"))
    assert targets(store)[-1] == "c"
    assert "a" not in targets(store)
    store.close()


def test_a_claim_lost_with_its_connection(postgres_url):
    """A server that lost its connection, and with it its claim to another, writes no more."""
    store, other = open_store(postgres_url), open_store(postgres_url)
    store.claim()
    store.writer.do(line("a"))
    cut(postgres_url)
    other.claim()
    with refused(StoreInUse, "store_in_use"):
        store.writer.do(line("b"))
    assert targets(other) == ["a"]
    other.close()
    store.writer.do(line("c"))
    assert targets(store) == ["a", "c"]
    store.close()
