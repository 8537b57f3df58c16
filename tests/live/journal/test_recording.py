"""Recording results: what is acknowledged is durable, counted once, and rated as a batch run."""

from __future__ import annotations

import pytest

from prowess.engine import table
from prowess.live.errors import Conflict, NotAllowed, NotFound, Refused, RefusedMany
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.corrections import (
    Accept,
    Correct,
    Reject,
    Restore,
    Void,
)
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.journal.unit_of_work import JournalEvent
from prowess.live.result import DAY_US
from prowess.live.store import access
from tests.live.journal.journals import (
    CONSOLE,
    NOW,
    game,
    open_journal,
    read_values,
    record_games,
)
from tests.refusals import refused


def test_elo_by_hand(journal):
    """Two equal players: the winner of a game at K = 32 gains 16 points (Elo's formula)."""
    record_games(journal, game("Ada", "Ben"))
    k = 32.0
    assert {p: v["rating"] for p, v in read_values(journal).items()} == {
        "Ada": 1500.0 + k / 2, "Ben": 1500.0 - k / 2
    }  # fmt: skip


def test_nothing_is_lost_over_a_restart(journal, store_url):
    """Closed and opened again, a journal shows the same, with its checkpoint or without."""
    record_games(journal, game("Ada", "Ben", day=1), game("Ben", "Cleo", 0.5, day=2))
    before, revision = read_values(journal), journal.revision
    journal.close()
    for _ in range(2):
        again = open_journal(store_url)
        assert (read_values(again), again.revision) == (before, revision)
        again.close()


def test_same_external_number_counts_once(journal):
    """Sent again, a result is acknowledged as the same; otherwise filled in, it is a conflict."""
    one = game("Ada", "Ben", external_id="g1", source="club")
    (first,) = journal.commit(RecordResults((one,)), CONSOLE).results
    again = journal.commit(RecordResults((one,)), CONSOLE)
    assert (again.results[0].id, again.results[0].status) == (first.id, "already")
    assert len(journal.ladder("main")) == 1
    with refused(Conflict, "duplicate"):
        journal.commit(
            RecordResults((game("Ada", "Ben", 0.0, external_id="g1", source="club"),)), CONSOLE
        )
    journal.commit(Correct(first.id, game("Ada", "Ben", 0.0)), CONSOLE)
    assert journal.commit(RecordResults((one,)), CONSOLE).results[0].status == "already"


def test_keys_are_worked_out_once(journal, monkeypatch):
    """What a result is looked up by among those that wait is what it is staged by."""
    asked: list[RecordResults] = []
    identify = RecordResults.identify

    def note(act, actor):
        asked.append(act)
        return identify(act, actor)

    monkeypatch.setattr(RecordResults, "identify", note)
    record_games(journal, game("Ada", "Ben", external_id="1"), game("Ben", "Ada"))
    assert len(asked) == 1


def test_external_number_twice_in_one_bulk(journal):
    """The second of two equal rows of one bulk is acknowledged as the first."""
    one = game("Ada", "Ben", day=3, external_id="g1")
    results = journal.commit(RecordResults((one, one)), CONSOLE).results
    assert [r.status for r in results] == ["recorded", "already"]
    assert results[0].id == results[1].id


def test_bulk_is_all_or_nothing(journal):
    """One bad row and nothing is written, not even a player; the row and field are named."""
    rows = (game("Ada", "Ben"), game("Ada", "Ada"), game("Cleo", "Dan", 1.5))
    revision = journal.revision
    with pytest.raises(RefusedMany) as caught:
        journal.commit(RecordResults(rows), CONSOLE)
    assert [(e.row, e.code, e.field) for e in caught.value.errors] == [
        (1, "self_play", "player_b"), (2, "bad_score", "score")
    ]  # fmt: skip
    assert journal.revision == revision
    with pytest.raises(NotFound):
        journal.registry.people.find("Ada")


def test_bulk_may_skip(journal):
    """With on_error=skip the good rows are taken and every bad one is told."""
    rows = (game("Ada", "Ben"), game("Ada", "Ada"), game("Cleo", "Dan"))
    receipt = journal.commit(RecordResults(rows, "skip"), CONSOLE)
    assert [one.status for one in receipt.results] == ["recorded", "refused", "recorded"]
    assert len(journal.ladder("main")) == 2


def test_dry_run_writes_nothing(journal):
    """A dry run says what would be, and leaves store, ladders and names as they were."""
    revision = journal.revision
    receipt = journal.commit(RecordResults((game("Ada", "Ben"),)), CONSOLE, dry_run=True)
    assert receipt.results[0].status == "recorded"
    assert journal.revision == revision
    assert read_values(journal) == {}
    assert "Ada" not in journal.registry.people.names


def test_held_results_wait(journal):
    """What a token under review reports counts only when it is accepted."""
    newcomer = access.Actor(None, "newcomer", frozenset({"submit"}), None, review=True)
    first, second = record_games(journal, game("Ada", "Ben"), game("Ada", "Cleo"), actor=newcomer)
    assert read_values(journal) == {}
    with pytest.raises(NotAllowed):
        journal.commit(Accept((first,)), newcomer)
    journal.commit(Accept((first,)), CONSOLE)
    journal.commit(Reject((second,), "never played"), CONSOLE)
    assert set(read_values(journal)) == {"Ada", "Ben"}


def test_request_repeated_is_answered_again(journal):
    """The same Idempotency-Key brings the same receipt and writes nothing."""
    secret, number = journal.store.writer.do(
        lambda c: access.make_token(c, "club", ["submit"], now=NOW)
    )
    actor = journal.store.actors.find(secret, NOW)
    entry = RecordResults((game("Ada", "Ben"),))
    key = access.IdempotencyKey(number, "k1", "POST /results sha")
    first = journal.commit(entry, actor, answer=key)
    again = journal.commit(entry, actor, answer=key)
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.revision, again.results) == (first.revision, first.results)
    assert len(journal.ladder("main")) == 1
    assert number == actor.token


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"player_a": ""}, "empty_name"),
        ({"player_a": "\u00a0 "}, "empty_name"),
        ({"player_a": "\u0301"}, "empty_name"),
        ({"player_a": "A" * 201}, "too_long"),
        ({"player_a": "A\x00B"}, "bad_letter"),
        ({"player_a": "A\ud800"}, "bad_letter"),
        ({"player_a": None}, "missing"),
        ({"score": float("nan")}, "bad_score"),
        ({"score": None}, "missing"),
        ({"weight": 0.0}, "bad_weight"),
        ({"side": 0.5}, "bad_side"),
        ({"margin": 3.0}, "not_kept"),
        ({"time": NOW + 2 * DAY_US}, "future"),
        ({"external_id": ""}, "empty"),
        ({"category": "chess"}, "no_such_category"),
        ({"placings": (("Ada", 1.0, None),)}, "not_a_game"),
    ],
)
def test_bad_submissions(sqlite_url, given, code):
    """Every kind of bad value is refused under its code, and nothing is written."""
    journal = open_journal(sqlite_url)
    one = {"player_a": "Ada", "player_b": "Ben", "score": 1.0} | given
    with pytest.raises(Refused) as caught:
        journal.commit(RecordResults((Submission(**one),)), CONSOLE)
    assert caught.value.code == code
    assert read_values(journal) == {}
    journal.close()


def test_events_follow_commits(journal):
    """Every entry that took effect is told, in order, and a refused one is not."""
    told: list[JournalEvent] = []
    stop = journal.listen(told.append)
    (number,) = record_games(journal, game("Ada", "Ben"))
    with pytest.raises(Refused):
        record_games(journal, game("Ada", "Ada"))
    journal.commit(Void((number,)), CONSOLE)
    stop()
    record_games(journal, game("Ada", "Ben"))
    assert [(e.kind, e.results, e.category) for e in told] == [
        ("record", (number,), "main"), ("void", (number,), "main")
    ]  # fmt: skip
    assert [e.revision for e in told] == [journal.revision - 2, journal.revision - 1]


def test_wall_clock_that_goes_back(store_url):
    """Revisions keep their order in time when the machine's clock is set back."""
    times = iter([NOW, NOW, NOW - DAY_US, NOW - 2 * DAY_US])
    journal = Journal.open(store_url, clock=lambda: next(times, NOW - 3 * DAY_US))
    journal.commit(NewCategory("main"), CONSOLE)
    receipts = [journal.commit(RecordResults((game("Ada", "Ben"),)), CONSOLE) for _ in range(3)]
    assert [r.at for r in receipts] == sorted(r.at for r in receipts)
    journal.close()


def test_receipts_say_what_became_of_results(journal):
    """A correction's receipt says corrected, a restoration's restored, and so on."""
    newcomer = access.Actor(None, "newcomer", frozenset({"submit"}), None, review=True)
    first, second = record_games(journal, game("Ada", "Ben"), game("Ada", "Cleo"), actor=newcomer)
    for entry, word in (
        (Accept((first,)), "accepted"),
        (Reject((second,)), "rejected"),
        (Correct(first, game("Ada", "Ben", 0.5)), "corrected"),
        (Void((first,)), "void"),
        (Restore((first,)), "restored"),
    ):
        assert [one.status for one in journal.commit(entry, CONSOLE).results] == [word]


def test_all_bad_rows_are_counted(journal):
    """A refusal of many rows says how many they are, and names the first hundred."""
    bad = [game("Ada", "Ada")] * 150
    with refused(RefusedMany, "self_play", about=("150", "151")) as caught:
        record_games(journal, game("Ada", "Ben"), *bad)
    assert [one.row for one in caught.value.errors] == list(range(1, 101))


def test_groups_are_not_looked_for_in_a_server(sqlite_url, monkeypatch):
    """Ratings of a revision look at no group of players: that takes a look at every game."""

    def look(_: object) -> None:
        raise AssertionError("a look at every game")

    monkeypatch.setattr(table, "met_sizes", look)
    journal = open_journal(sqlite_url)
    record_games(journal, game("Ada", "Ben"), game("Cem", "Dan"))  # two groups
    assert len(journal.ratings("main")) == 4
    journal.close()
