"""Reading back: results with their versions, players under all their names, page by page."""

from __future__ import annotations

import pytest

from prowess.live.journal.registry import PlayerRegistry
from prowess.live.store import queries
from tests.live.store.facts import Book


@pytest.fixture
def club(store):
    """Two categories, four players of whom two are one, games, a contest, a correction, a void."""

    def job(connection):
        book = Book(connection)
        ids = {"main": book.begin("main"), "quick": book.begin("quick")}
        for called in ("Ada", "Ben", "A. Lovelace", "Cleo"):
            ids[called] = book.enrol(called)
        book.spell(ids["Ada"], "Countess")
        ada, ben, lovelace, cleo = (ids[one] for one in ("Ada", "Ben", "A. Lovelace", "Cleo"))
        ids["g1"] = book.record(ids["main"], ada, ben, 1.0)
        ids["g2"] = book.record(ids["main"], ben, lovelace, 0.0)
        ids["g3"] = book.record(ids["quick"], ben, cleo, 0.5, source="other")
        ids["g4"] = book.record(ids["main"], ada, cleo, 1.0)
        ids["c5"] = book.record(ids["quick"], None, None, None, places={cleo: 2.0, ada: 1.0})
        book.merge(lovelace, ada)
        book.revisit(ids["g4"], "correct", "counts", ben, cleo, 0.25)  # it was Ben who played
        book.revisit(ids["g3"], "void", "void", ben, cleo, 0.5)
        return ids

    return store.writer.do(job)


def numbers(store, club, **asked):
    """The results a question finds, by name."""
    names = {
        number: name for name, number in club.items() if name[0] in "gc" and name[1:].isdigit()
    }
    with store.read() as connection:
        return [names[row.id] for row in queries.list_results(connection, **asked)]


def test_results_by_what_they_are(store, club):
    """Results are found by category, player, state and source, the newest first."""
    assert numbers(store, club) == ["c5", "g4", "g3", "g2", "g1"]
    assert numbers(store, club, newest=False) == ["g1", "g2", "g3", "g4", "c5"]
    assert numbers(store, club, category=club["main"]) == ["g4", "g2", "g1"]
    assert numbers(store, club, state="void") == ["g3"]
    assert numbers(store, club, source="other") == ["g3"]
    assert numbers(store, club, state="counts", category=club["quick"]) == ["c5"]


def test_results_of_a_player(store, club):
    """A player has the results of all he stands for, as they are told today."""
    assert numbers(store, club, players=[club["Ada"], club["A. Lovelace"]]) == [
        "c5",
        "g2",
        "g1",
    ]  # g4 was corrected
    assert numbers(store, club, players=[club["Ben"]]) == ["g4", "g3", "g2", "g1"]
    assert numbers(store, club, players=[club["Cleo"]], category=club["quick"]) == ["c5", "g3"]


@pytest.mark.parametrize("newest", [True, False])
def test_pages(store, club, newest):
    """Pages put together are the whole, whatever their size, and a new result breaks none."""
    with store.read() as connection:
        whole = queries.list_results(connection, newest=newest)
        for size in (1, 2, 3):
            pages, after = [], None
            while page := queries.list_results(connection, limit=size, after=after, newest=newest):
                pages += page
                after = page[-1].id
            assert pages == whole


def test_chosen(store, club):
    """Results are found by their numbers, in order, each once; unknown numbers are left out."""
    with store.read() as connection:
        rows = queries.find_results(connection, [club["g2"], 10**6, club["g1"], club["g2"]])
    assert [row.id for row in rows] == [club["g1"], club["g2"]]


def test_history_of_a_result(store, club):
    """A result has all its versions in order, each with the change that brought it and why."""
    with store.read() as connection:
        told = queries.find_versions(connection, club["g4"])
        assert queries.find_versions(connection, 10**6) == []
    assert [(one.revision.kind, one.result.players[0], one.result.score) for one in told] == [
        ("record", club["Ada"], 1.0), ("correct", club["Ben"], 0.25),
    ]  # fmt: skip
    assert [one.revision.reason for one in told] == [None, "because"]
    assert told[0].result.revision == told[0].result.created == told[1].result.created
    assert told[1].result.players == (club["Ben"], club["Cleo"])


def test_contests_have_their_placings(store, club):
    """A contest comes with everyone's place, the best first."""
    with store.read() as connection:
        (row,) = queries.find_results(connection, [club["c5"]])
    assert [(side.members, side.place) for side in row.ranked] == [
        (((club["Ada"], 1.0),), 1.0),
        (((club["Cleo"], 1.0),), 2.0),
    ]
    assert row.players == (club["Ada"], club["Cleo"])
    assert row.sides[0].points is None  # not kept


def test_revisions(store, club):
    """The changes are numbered without gaps and read in either direction."""
    with store.read() as connection:
        rows = queries.list_revisions(connection)
        assert [row.id for row in rows] == list(range(1, len(rows) + 1))
        assert queries.list_revisions(connection, newest=True) == rows[::-1]
        assert queries.list_revisions(connection, after=3, limit=2) == rows[3:5]
        assert queries.list_revisions(connection, after=3, newest=True) == rows[1::-1]
        kinds = [row.kind for row in queries.list_revisions(connection, category=club["quick"])]
    assert kinds == ["record", "record"]
    assert rows[-1].name is None  # the command line


def test_counts(store, club):
    """Every result is counted once, in the state it is in today."""
    with store.read() as connection:
        assert queries.count_by_state(connection) == {
            "counts": 4, "held": 0, "void": 1, "rejected": 0,
        }  # fmt: skip
        assert queries.count_by_state(connection, club["main"])["counts"] == 3


def test_every_spelling_leads_to_the_player(store, club):
    """Names, aliases and names of merged players lead to the player with their results."""
    with store.read() as connection:
        people = PlayerRegistry.read(connection)
        group = people.group(club["Ada"])
        assert queries.find_names(connection, group) == ["Ada", "A. Lovelace", "Countess"]
    for spelling in ("Ada", "Countess", "A. Lovelace"):
        assert people.find(spelling) == club["Ada"]
    assert people.number_of("ada") is None
    assert group == [club["Ada"], club["A. Lovelace"]]


def test_chains_of_mergers(store, club):
    """A player merged into one who was merged has the results of the last of them."""
    store.writer.do(lambda c: Book(c).merge(club["Ada"], club["Cleo"]))
    with store.read() as connection:
        people = PlayerRegistry.read(connection)
    assert people.find("A. Lovelace") == club["Cleo"]
    assert people.group(club["Cleo"]) == [club["Cleo"], club["Ada"], club["A. Lovelace"]]
    found = numbers(store, club, players=people.group(club["Cleo"]))
    assert found == ["c5", "g4", "g3", "g2", "g1"]


def test_players(store, club):
    """Players are listed by name, merged ones under the name they have now, and found by any."""

    def found(query=None, **asked):
        with store.read() as connection:
            canonical = PlayerRegistry.read(connection).canonical
            return [row.name for row in queries.list_players(connection, canonical, query, **asked)]

    assert found() == ["Ada", "Ben", "Cleo"]
    assert found(limit=2) == ["Ada", "Ben"]
    assert found(after="Ben") == ["Cleo"]
    assert found("LOVE") == ["Ada"]
    assert found("count") == ["Ada"]
    assert found("e") == ["Ada", "Ben", "Cleo"]  # Countess, Lovelace
    assert found("%") == found("_") == found("'") == []
