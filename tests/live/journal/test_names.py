"""Who a name leads to: one way of writing it, letters that are seen, names that look alike."""

from __future__ import annotations

from contextlib import closing
from itertools import count
from threading import Thread

import pytest
from sqlalchemy import update

from prowess.live.errors import Conflict, Refused, RefusedMany
from prowess.live.journal import registry
from prowess.live.journal.corrections import AddPlayers, Alias, Anonymise, Correct, Merge, Rename
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.registry import PlayerRegistry
from prowess.live.names import nearness, skeleton, unseen_letter
from prowess.live.store import tables
from tests.live.journal.journals import CONSOLE, game, open_journal, record_games
from tests.refusals import refused

CYRILLIC_ADA = "\u0410da"  # a Cyrillic A, then Latin letters


@pytest.fixture
def journal(sqlite_url):
    """A journal on which Ada, Zoë and Ben have played."""
    one = open_journal(sqlite_url)
    record_games(one, game("Ada", "Ben", day=1), game("Zo\u00eb", "Ada L", day=2))
    yield one
    one.close()


def people(journal: Journal) -> set[str]:
    """Everybody's name."""
    return set(journal.registry.people.shown.values())


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Zoe\u0308", "Zo\u00eb"),
        (" Ada ", "Ada"),
        ("Ada  L", "Ada L"),
        ("Ada\u00a0L", "Ada L"),
        ("\u2003Ada\u3000 L", "Ada L"),
    ],
)
def test_a_name_has_one_spelling(journal, name, known):
    """Accents and blanks may be written in any way: they make no new player."""
    record_games(journal, game(name, "Cleo", day=3))
    assert people(journal) == {"Ada", "Ben", "Zo\u00eb", "Ada L", "Cleo"}
    assert journal.registry.people.find(name) == journal.registry.people.names[known]


def test_a_new_name_is_written_in_one_way(journal):
    """A new player is kept under the composed name with single blanks, and found under both."""
    record_games(
        journal, game("Rene\u0301\u00a0  C", "Ben", day=3), game("Ren\u00e9 C", "Ada", day=4)
    )
    assert people(journal) - {"Ada", "Ben", "Zo\u00eb", "Ada L"} == {"Ren\u00e9 C"}


@pytest.mark.parametrize(
    "letter",
    ["\u200b", "\u202e", "\u2066", "\u00ad", "\ufeff", "\u3164", "\u115f", "\u1160", "\uffa0",
     "\u2800", "\u034f", "\ufe0f", "\u200d", "\u200c", "\n", "\x9f", "\u2028", "\U000e0001"],
)  # fmt: skip
def test_letters_that_nobody_sees_are_refused(journal, letter):
    """The remedy comes first, then the number of the character; nothing is written."""
    before = people(journal)
    for name in (f"Ad{letter}a", f"{letter}Ada", f"Ada{letter}", letter):
        if not name.strip():
            continue
        with refused(Refused, "bad_letter", about=("player_a", f"{ord(letter):04X}")) as caught:
            record_games(journal, game(name, "Ben", day=3))
        assert caught.value.code == "bad_letter"
    assert people(journal) == before


@pytest.mark.parametrize(
    "name",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
        "\u0915\u094d\u200d\u0937",  # Devanagari, with a joiner
        "\u845b\U000e0100\u57ce",  # an ideograph in a form of its own
        "\u2764\ufe0f",  # a heart as a picture
        "\u0634\u0637\u0631\u0646\u062c",
        "O'Neil-\u00c5str\u00f6m, Jr. 2nd",
    ],
)
def test_letters_that_a_script_needs_are_good(journal, name):
    """Joiners within Persian and Indian words, and forms of ideographs and symbols, are seen."""
    assert unseen_letter(name) is None
    record_games(journal, game(name, "Ben", day=3))
    assert name in people(journal)


@pytest.mark.parametrize(
    ("name", "like"),
    [
        (CYRILLIC_ADA, "Ada"),
        ("\u0391da", "Ada"),  # Greek
        ("\uff21\uff44\uff41", "Ada"),  # of full width
        ("\u0412\u0435n", "Ben"),
        ("Z\u043e\u00eb", "Zo\u00eb"),
    ],
)
def test_a_name_that_looks_like_another_is_refused(journal, name, like):
    """A twin in other letters is no new player unless it is confirmed; the known one is named."""
    with refused(Conflict, "look_alike", about=("player_b", str(like))) as caught:
        record_games(journal, game("Cleo", name, day=3))
    assert caught.value.code == "look_alike"
    assert people(journal) == {"Ada", "Ben", "Zo\u00eb", "Ada L"}
    journal.commit(RecordResults((game("Cleo", name, day=3),), look_alikes=True), CONSOLE)
    assert {name, like} <= people(journal)
    record_games(journal, game("Dan", name, day=4))  # who is known is known


def test_newcomers_that_look_alike(journal):
    """Two new names of one entry that look the same are refused too; with `skip` only the row."""
    rows = (game("Eve", "Ben", day=3), game("\u0415ve", "Ben", day=4))
    with refused(RefusedMany, "look_alike"):
        record_games(journal, *rows)
    receipt = journal.commit(RecordResults(rows, "skip"), CONSOLE)
    assert [one.status for one in receipt.results] == ["recorded", "refused"]
    assert people(journal) == {"Ada", "Ben", "Zo\u00eb", "Ada L", "Eve"}


def test_corrections_and_names_of_players(journal):
    """A correction, a rename and a further name are looked at in the same way."""
    number = record_games(journal, game("Ben", "Ada L", day=3))[0]
    with refused(Conflict, "look_alike"):
        journal.commit(Correct(number, game(CYRILLIC_ADA, "Ben", day=3)), CONSOLE)
    for entry in (Rename, Alias):
        with refused(Conflict, "look_alike"):
            journal.commit(entry("Ben", CYRILLIC_ADA), CONSOLE)
    journal.commit(Alias("Ada", CYRILLIC_ADA), CONSOLE)  # it may lead to the player it looks like
    assert journal.registry.people.find(CYRILLIC_ADA) == journal.registry.people.find("Ada")
    journal.commit(Rename("Ben", "Ben\u00a0 B"), CONSOLE)
    assert "Ben B" in people(journal)


def test_old_names_stay(sqlite_url):
    """A store of earlier days opens; its names stay, lead to whom they led, and get results."""
    journal = open_journal(sqlite_url)
    record_games(journal, game("Ada", "Ben", day=1), game("Ben", "Zoe", day=2))
    ratings = journal.ratings("main").strength.tolist()
    old = {"Ben": "Be\u200bn", "Zoe": "Zoe\u0308"}

    def written(connection):
        for new, name in old.items():
            for table in (tables.player, tables.name):
                connection.execute(update(table).where(table.c.name == new).values(name=name))

    journal.store.writer.do(written)
    journal.close()
    journal = open_journal(sqlite_url)
    assert journal.ratings("main").strength.tolist() == ratings
    assert people(journal) == {"Ada", *old.values()}
    record_games(journal, game("Be\u200bn", "Zo\u00eb", day=3), game("Zoe\u0308", "Ada", day=4))
    assert people(journal) == {"Ada", *old.values()}
    with refused(Conflict, "look_alike"):
        record_games(journal, game("Ben", "Ada", day=5))
    journal.commit(Rename("Be\u200bn", "Ben"), CONSOLE)
    assert people(journal) == {"Ada", "Ben", "Zoe\u0308"}
    journal.close()


def test_two_old_spellings_are_two_players(sqlite_url):
    """Where an old store has two players of one name in two spellings, neither is guessed."""
    journal = open_journal(sqlite_url)
    record_games(journal, game("Ada", "Ben", day=1), game("Eve", "Ben", day=2))

    def written(connection):
        for new, name in (("Ada", "A  L"), ("Eve", "A\u00a0L")):
            for table in (tables.player, tables.name):
                connection.execute(update(table).where(table.c.name == new).values(name=name))

    journal.store.writer.do(written)
    journal.close()
    journal = open_journal(sqlite_url)
    with refused(Conflict, "look_alike"):
        record_games(journal, game("A L", "Ben", day=3))
    journal.commit(Merge("A\u00a0L", "A  L"), CONSOLE)
    record_games(journal, game("A L", "Ben", day=3))
    assert len(journal.registry.people.shown) == 3
    journal.commit(Anonymise("A  L"), CONSOLE)
    record_games(journal, game("A L", "Ben", day=4))
    assert len(journal.registry.people.shown) == 4
    journal.close()


def test_near_names():
    """Case and accents make names near, not alike."""
    assert skeleton("Zoe") != skeleton("Zo\u00eb")
    assert skeleton("ada") != skeleton("Ada")
    assert nearness("ZO\u00cb") == nearness("Zoe") == nearness("z\u043ee")


@pytest.mark.parametrize(
    ("known", "name"),
    [
        ("\u0410da", "Ada"),  # the Cyrillic one was entered first
        ("Ida", "lda"), ("lda", "Ida"), ("Ida", "1da"), ("Ada", "ADA"), ("ADA", "Ada"),
        ("ILIA", "ilia"), ("ilia", "Ilia"), ("Ilia", "llia"), ("Otto", "0tt0"), ("Tom", "Torn"),
        ("Ada", "\uab7ada"),  # a small Cherokee letter
        ("Ada", "\u13aada"),  # a Cherokee A
        ("ADA", "\ua4ee\ua4d3\ua4ee"),  # three letters of Lisu
        ("Ada", "\ua4eeda"), ("Eve", "\U0001d404ve"), ("Zo\u00eb", "ZO\u00cb"),
        ("Anna Lind", "Anna L\u0456nd"),
    ],
)  # fmt: skip
def test_a_name_like_a_known_one_is_a_question(sqlite_url, known, name):
    """A name that looks like a known one, or differs in case, is asked about, and can be meant."""
    journal = open_journal(sqlite_url)
    journal.commit(RecordResults((game(known, "Ben", day=1),), look_alikes=True), CONSOLE)
    with pytest.raises(Conflict) as caught:
        record_games(journal, game(name, "Ben", day=2))
    assert caught.value.code == "look_alike"
    assert f"write {known!r}, or confirm" in caught.value.message
    journal.commit(RecordResults((game(name, "Ben", day=2),), look_alikes=True), CONSOLE)
    assert people(journal) == {known, name, "Ben"}
    record_games(journal, game(name, "Ben", day=3), game(known, "Ben", day=3))  # both are known
    journal.close()


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("\u0410da", "Cyrillic (U+0410) and Latin (U+0064)"),
        ("Max M\u03bcller", "Latin (U+004D) and Greek (U+03BC)"),
        ("J\u13beck", "Latin (U+004A) and Cherokee (U+13BE)"),
        ("\u041b\u0438n-\u041b\u0438", "Cyrillic (U+041B) and Latin (U+006E)"),
    ],
)
def test_a_word_that_mixes_scripts_is_a_question(journal, name, scripts):
    """Letters of two scripts in one word are asked about, and can be meant."""
    with pytest.raises(Conflict) as caught:
        record_games(journal, game(name, "Eve", day=3))
    assert caught.value.code in {"mixed_scripts", "look_alike"}
    assert caught.value.code == "look_alike" or scripts in caught.value.message
    journal.commit(RecordResults((game(name, "Eve", day=3),), look_alikes=True), CONSOLE)
    assert name in people(journal)


@pytest.mark.parametrize(
    "name",
    ["Ada \u041b\u0438", "\u041b\u0438-Smith", "\u5c71\u7530\u30bf\u30ed\u30a6",
     "AKB\u30e1\u30f3\u30d0\u30fc", "\u6f22\ud55c\uae00",
     "Zo\u00eb \u0160\u00fc\u00df", "\u0928\u093f\u0924\u093f\u0928",
     "\u0645\u062d\u0645\u062f", "\u0e2a\u0e21\u0e0a\u0e32\u0e22", "Team \u03b1", "X \u00c6 A-12",
     "Bj\u00f6rk Gu\u00f0mundsd\u00f3ttir", "Nguy\u1ec5n V\u0103n", "\uff21da", "O\u2019Neil"],
)  # fmt: skip
def test_names_in_their_own_scripts_are_no_question(sqlite_url, name):
    """Two words of two scripts, and scripts of one language in a word, are names like any other."""
    journal = open_journal(sqlite_url)
    record_games(journal, game(name, "Ben", day=1))
    assert name in people(journal)
    journal.close()


@pytest.mark.parametrize(
    "letter", ["\uffff", "\ufffe", "\ufdd0", "\ufdef", "\U0001ffff", "\U0010fffe"]
)
def test_numbers_of_no_character_are_refused(journal, letter):
    """What Unicode gives to no character is in no name."""
    with pytest.raises(Refused) as caught:
        record_games(journal, game(f"Ad{letter}a", "Ben", day=3))
    assert caught.value.code == "bad_letter"


def test_a_player_may_have_names_that_look_alike(journal):
    """A rename that changes the case, or a further name, of the same player is no question."""
    journal.commit(Rename("Ada", "ADA"), CONSOLE)
    journal.commit(Alias("ADA", "ada"), CONSOLE)
    assert journal.registry.people.find("ada") == journal.registry.people.find("Ada")
    with pytest.raises(Conflict):
        journal.commit(Rename("Ben", "aDA"), CONSOLE)
    journal.commit(Anonymise("ADA"), CONSOLE)
    record_games(journal, game("aDa", "Ben", day=3))  # the names are gone, so nothing is like it


def test_names_that_look_alike_are_searched_while_names_come(sqlite_url):
    """Pairs are searched after a change of names only; no name is lost to a reader meanwhile."""
    with closing(open_journal(sqlite_url)) as journal:
        people = journal.registry.people
        journal.commit(AddPlayers(tuple(f"Player {k}" for k in range(300))), CONSOLE)
        people.looks = {}  # as after a start

        def read() -> None:
            for _ in range(200):
                people.looks = {}
                people.find_look_alikes(3)
                assert people.look_alike("player 7") == "Player 7"

        thread = Thread(target=read)
        thread.start()
        for k in range(100):
            people.add_name(f"Other {k}", k + 1)
        thread.join()
        assert people.look_alike("other 99") == "Other 99"
        people.replace_names({1: "ANN", 2: "Ann"})
        assert people.find_look_alikes(3) == [("ANN", "Ann")]
        people.look_alike = None  # type: ignore[assignment, method-assign]  # not asked again
        assert people.find_look_alikes(3) == [("ANN", "Ann")]


def test_the_index_of_look_alikes_ends_while_names_come(monkeypatch):
    """Each building of it brings a newcomer; it is built once, with those who came meanwhile."""
    people, came = PlayerRegistry(), count(3)
    people.add_name("Ada", 1)
    people.add_name("Ben", 2)
    add = registry.add_looks

    def add_slowly(looks, name):
        if name == "Ada":
            number = next(came)
            assert number < 6, "built again and again"
            people.add_name(f"Newcomer {number}", number)
        add(looks, name)

    monkeypatch.setattr(registry, "add_looks", add_slowly)
    assert people.look_alike("NEWCOMER 3") == "Newcomer 3"
    assert people.look_alike("BEN") == "Ben"
    assert next(came) == 4
