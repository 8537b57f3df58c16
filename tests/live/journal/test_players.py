"""Players are added before their first game; categories and the site change their names."""

from __future__ import annotations

from contextlib import closing

import pytest
from sqlalchemy import select, text

from prowess.live.api.category_view import find_unplayed, view_category
from prowess.live.errors import Conflict, NotFound, Refused, RefusedMany
from prowess.live.journal.categories import ChangeSite, NewCategory, RenameCategory
from prowess.live.journal.corrections import AddPlayers, Alias, Anonymise, Merge, Rename, Void
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import LineUp, Submission
from prowess.live.store.backup import restore_backup, write_backup
from prowess.live.store.store import open_store
from prowess.live.store.tables import member
from tests.live.journal.journals import (
    CONSOLE,
    game,
    is_verified,
    open_journal,
    read_values,
    record_games,
)
from tests.refusals import refused


def unplayed(journal: Journal, key: str = "main", revision: int | None = None) -> list[str]:
    """The names of the players without a game."""
    return [
        journal.name(one)
        for one in find_unplayed(journal, view_category(journal, key, None, revision))
    ]


def test_players_are_added_before_their_first_game(journal):
    """Who is added is listed until they have a game that counts, and again when it is void."""
    done = journal.commit(AddPlayers(("Ben", " Ada ", "Ada", "Cleo")), CONSOLE)
    assert done.numbers == {"players": 3}
    assert unplayed(journal) == ["Ada", "Ben", "Cleo"]
    (number,) = record_games(journal, game("Ada", "Ben"))
    assert unplayed(journal) == ["Cleo"]
    assert set(read_values(journal)) == {"Ada", "Ben"}
    assert unplayed(journal, revision=done.revision) == ["Ada", "Ben", "Cleo"]
    journal.commit(Void((number,)), CONSOLE)
    assert unplayed(journal) == ["Ada", "Ben", "Cleo"]
    assert is_verified(journal)


def test_who_plays_there_is_there_already(journal):
    """Who has a counted game in the category is not added, under any name, alone or in a team."""
    journal.commit(NewCategory("teams", system="elo", side_size=2), CONSOLE)
    record_games(journal, game("Ada", "Ben")._replace(category="main"))
    team = [LineUp((("Ada", 1.0), ("Cleo", 1.0)), 1.0), LineUp((("Dan", 1.0), ("Eve", 1.0)))]
    journal.commit(RecordResults((Submission(category="teams", sides=tuple(team)),)), CONSOLE)
    journal.commit(Alias("Ada", "Adele"), CONSOLE)
    done = journal.commit(AddPlayers(("Adele", "Ben", "Cleo"), "main"), CONSOLE)
    assert (done.numbers, unplayed(journal)) == ({"players": 1}, ["Cleo"])
    with refused(Conflict, "nothing_changes"):
        journal.commit(AddPlayers(("Adele", "Cleo", "Eve"), "teams"), CONSOLE)
    assert journal.commit(AddPlayers(("Ben",), "teams"), CONSOLE).numbers == {"players": 1}


def test_a_list_is_added_whole_or_not_at_all(journal):
    """A bad name is told with its row; of a list that is there already nothing is to be done."""
    with refused(RefusedMany, "look_alike") as error:
        journal.commit(AddPlayers(("Ada", "Ben", "\u0410da")), CONSOLE)
    assert [one.row for one in error.value.errors] == [2]
    assert unplayed(journal) == []
    journal.commit(AddPlayers(("Ada", "\u0410da"), look_alikes=True), CONSOLE)
    with refused(Conflict, "nothing_changes"):
        journal.commit(AddPlayers(("Ada",)), CONSOLE)
    with refused(Refused, "missing"):
        journal.commit(AddPlayers(()), CONSOLE)


def test_added_players_are_renamed_merged_and_forgotten(journal):
    """A player without a game takes the acts that any player takes."""
    journal.commit(AddPlayers(("Ada", "Ben", "Cleo", "Dan")), CONSOLE)
    journal.commit(Rename("Dan", "Eve"), CONSOLE)
    record_games(journal, game("Fay", "Gus"))
    journal.commit(Merge("Ada", "Ben"), CONSOLE)
    journal.commit(Merge("Cleo", "Fay"), CONSOLE)
    assert unplayed(journal) == ["Ben", "Eve"]
    with refused(Conflict, "nothing_changes"):
        journal.commit(AddPlayers(("Ada",)), CONSOLE)
    journal.commit(Anonymise("Eve"), CONSOLE)
    assert unplayed(journal) == ["anonymous-4", "Ben"]
    assert is_verified(journal)


def test_they_are_there_after_a_restart_and_in_a_backup(store_url, tmp_path):
    """Players without a game, former keys and the name of the site outlive the server."""
    with closing(open_journal(store_url)) as journal:
        journal.commit(AddPlayers(("Ada", "Ben")), CONSOLE)
        journal.commit(RenameCategory("main", "chess", "Chess"), CONSOLE)
        journal.commit(ChangeSite("Northgate"), CONSOLE)
        write_backup(journal.store, tmp_path / "backup.db")
    restore_backup(tmp_path / "backup.db", f"sqlite:///{tmp_path / 'again.db'}")
    for url in (store_url, f"sqlite:///{tmp_path / 'again.db'}"):
        with closing(Journal.open(url)) as journal:
            assert unplayed(journal, "main") == ["Ada", "Ben"]
            assert journal.category("main").name == "Chess"
            assert journal.registry.brand.name == "Northgate"
            assert is_verified(journal)


def test_a_store_of_the_version_before_is_brought_up_to_date(store_url):
    """A store without tables of members, former keys and games to come gets them; ratings stay."""
    with closing(open_journal(store_url)) as journal:
        record_games(journal, game("Ada", "Ben", day=1), game("Ben", "Cleo", day=2))
        before = read_values(journal)

        def job(connection):
            for table in ("fixture", "member", "category_key"):
                connection.execute(text(f"DROP TABLE {table}"))
            connection.execute(text("UPDATE alembic_version SET version_num = '0003'"))

        journal.store.writer.do(job)
    with closing(Journal.open(store_url)) as journal:
        assert read_values(journal) == before
        journal.commit(AddPlayers(("Dan",)), CONSOLE)
        assert unplayed(journal) == ["Dan"]
        assert is_verified(journal)


def test_a_former_key_leads_to_its_category(journal):
    """Results, corrections and earlier revisions go on under the new key and under the old one."""
    record_games(journal, game("Ada", "Ben", day=1))
    then = journal.revision
    journal.commit(RenameCategory("main", "chess"), CONSOLE)
    assert [one.key for one in journal.categories()] == ["chess"]
    record_games(journal, game("Ada", "Ben", day=2, category="main"))
    record_games(journal, game("Ben", "Ada", day=3, category="chess"))
    assert len(journal.ladder("main")) == len(journal.ladder("chess")) == 3
    assert len(journal.ratings("main", revision=then).table) == 1
    with refused(Conflict, "key_taken", about="chess"):
        journal.commit(NewCategory("main"), CONSOLE)
    journal.commit(RenameCategory("main", "main"), CONSOLE)  # back again
    journal.commit(RenameCategory("main", "board"), CONSOLE)
    assert journal.category("chess") is journal.category("main") is journal.category("board")
    assert is_verified(journal)


def test_names_that_cannot_be(journal):
    """Keys that are taken, bad or the same, and a long name of the site, are refused."""
    journal.commit(NewCategory("blitz"), CONSOLE)
    with refused(Conflict, "key_taken"):
        journal.commit(RenameCategory("main", "blitz"), CONSOLE)
    with refused(Refused, "bad_key"):
        journal.commit(RenameCategory("main", "Blitz!"), CONSOLE)
    with refused(Conflict, "nothing_changes"):
        journal.commit(RenameCategory("main", "main"), CONSOLE)
    with pytest.raises(NotFound):
        journal.commit(RenameCategory("none", "one"), CONSOLE)
    with refused(Refused, "too_long"):
        journal.commit(ChangeSite("x" * 41), CONSOLE)
    journal.commit(ChangeSite("Northgate"), CONSOLE)
    with refused(Conflict, "nothing_changes"):
        journal.commit(ChangeSite("Northgate"), CONSOLE)


def test_nothing_of_an_act_that_failed_is_left(journal):
    """What a killed or refused act would have written is not in the store."""
    with pytest.raises(RefusedMany):
        journal.commit(AddPlayers(("Ada", "")), CONSOLE)
    address = journal.store.address.render_as_string(False)
    with closing(open_store(address)) as store, store.read() as connection:
        assert connection.execute(select(member)).all() == []
