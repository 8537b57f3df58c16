"""Categories: ladders of their own, other constants, seasons and published lists."""

from __future__ import annotations

import pytest

from prowess.live.errors import Conflict, Refused, StoreError
from prowess.live.journal.categories import ChangeMethod, NewCategory, NewSeason, Publish
from prowess.live.journal.corrections import (
    Correct,
    Merge,
    Void,
)
from prowess.live.journal.stored_log import collect_values
from prowess.live.journal.submission import Submission
from prowess.live.journal.unit_of_work import write_units
from prowess.live.result import DAY_US
from tests.live.journal.journals import (
    CONSOLE,
    NOW,
    game,
    is_verified,
    open_journal,
    read_values,
    record_games,
)
from tests.refusals import refused


def test_change_of_constants(journal):
    """Other constants are a replay: the preview says whom they move, and the ratings follow."""
    record_games(journal, game("Ada", "Ben", day=1), game("Ben", "Ada", day=2))
    change = ChangeMethod("main", params={"k": 10.0})
    outlook = journal.preview(change, CONSOLE)
    before = read_values(journal)
    journal.commit(change, CONSOLE)
    after = read_values(journal)
    movers = {journal.name(m.player): (m.before, m.after) for m in outlook.previews["main"].movers}
    assert movers == {p: (before[p], after[p]) for p in after}
    assert is_verified(journal)
    with refused(Refused, "bad_setting"):
        journal.commit(ChangeMethod("main", params={"kk": 1.0}), CONSOLE)
    with refused(Refused, "no_such_system"):
        journal.commit(ChangeMethod("main", system="own.py:MINE"), CONSOLE)
    with refused(Refused, "bad_extra", about="a category with extra points"):
        journal.commit(ChangeMethod("main", system="poisson_goals"), CONSOLE)
    journal.commit(ChangeMethod("main", system="glicko2", period="1mo"), CONSOLE)
    assert "deviation" in read_values(journal)["Ada"]
    assert is_verified(journal)


def test_another_system_is_shown_once_it_is_durable(sqlite_url, monkeypatch):
    """While it is written, and where that fails, readers have the ratings that they had."""
    seen, fails = [], [False]

    def watch(connection, units):
        seen.append(set(read_values(journal)["Ada"]))
        if fails[0]:
            raise OSError("no space left")
        write_units(connection, units)

    journal = open_journal(sqlite_url)
    record_games(journal, game("Ada", "Ben", day=1))
    monkeypatch.setattr("prowess.live.journal.journal.write_units", watch)
    before = set(read_values(journal)["Ada"])
    change = ChangeMethod("main", system="glicko2")
    fails[0] = True
    with pytest.raises(StoreError):
        journal.commit(change, CONSOLE)
    fails[0] = False
    journal.commit(change, CONSOLE)
    assert seen == [before, before]
    assert "deviation" in read_values(journal)["Ada"]
    record_games(journal, game("Ada", "Ben", day=2))
    journal.close()
    assert is_verified(journal)


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("system", ["glicko2", "colley"])
def test_others_write_while_a_category_is_rated_otherwise(journal, monkeypatch, system, merged):
    """What is entered and corrected before the new ladder takes over is in it, to the last bit."""
    first, _ = record_games(journal, game("Ada", "Ben", day=1), game("Ben", "Cy", day=2))
    rate_ahead = journal.ladders.rate_ahead

    def rate_slowly(*asked):
        made = rate_ahead(*asked)
        record_games(journal, game("Ada", "Dee", day=1), game("Cy", "Ben", day=3))
        journal.commit(Void((first,)), CONSOLE)
        if merged:
            journal.commit(Merge("Cy", "Dee"), CONSOLE)
        return made

    monkeypatch.setattr(journal.ladders, "rate_ahead", rate_slowly)
    journal.commit(ChangeMethod("main", system=system), CONSOLE)
    journal.ladder("main").settle()
    assert set(read_values(journal)) == {"Ada", "Ben", "Cy", "Dee"} - ({"Cy"} if merged else set())
    assert journal.category().system == system
    assert is_verified(journal)
    record_games(journal, game("Dee", "Ben", day=2))
    assert is_verified(journal)


def test_published_lists_stay(journal):
    """A published list is what it was, after any correction."""
    from sqlalchemy import select

    from prowess.live.store.tables import published_row

    (number,) = record_games(journal, game("Ada", "Ben", day=1))
    journal.commit(Publish("main", "week-1", "First week"), CONSOLE)
    journal.commit(Void((number,)), CONSOLE)
    with journal.store.read() as connection:
        rows = connection.execute(select(published_row)).mappings().all()
    assert [(row["rank"], row["name"]) for row in rows] == [(1, "Ada"), (2, "Ben")]
    with refused(Conflict, "key_taken"):
        journal.commit(Publish("main", "week-1", "Again"), CONSOLE)
    journal.commit(NewSeason("main", "2024", "Season 2024", NOW - 100 * DAY_US, NOW), CONSOLE)
    with refused(Refused, "bad_span"):
        journal.commit(NewSeason("main", "2025", "Season 2025", NOW, NOW), CONSOLE)


def test_categories_are_ladders_of_their_own(journal):
    """A result belongs to one category; where there are several, it has to say which."""
    journal.commit(NewCategory("blitz", system="glicko2"), CONSOLE)
    with refused(Refused, "missing"):
        record_games(journal, game("Ada", "Ben"))
    record_games(journal, game("Ada", "Ben", category="blitz"))
    assert read_values(journal) == {}
    assert set(collect_values(journal.ratings("blitz"))) == {"Ada", "Ben"}
    with pytest.raises(Conflict):
        journal.commit(NewCategory("blitz"), CONSOLE)


def test_contests(store_url):
    """A category of contests: recorded, corrected, void, merged, and equal to the batch run."""
    journal = open_journal(store_url, plays="contests", system="codechef")
    races = [
        Submission(
            placings=tuple((name, float(place + 1), None) for place, name in enumerate(order)),
            time=NOW - (10 - k) * DAY_US,
        )
        for k, order in enumerate(["ABCD", "DCBA", "BADC", "CAB", "EDA"])
    ]
    numbers = record_games(journal, *races)
    assert is_verified(journal)
    journal.commit(
        Correct(numbers[1], Submission(placings=(("D", 1.0, None), ("A", 1.0, None)))), CONSOLE
    )
    journal.commit(Void((numbers[0],)), CONSOLE)
    assert is_verified(journal)
    with pytest.raises(Conflict):
        journal.commit(Merge("A", "B"), CONSOLE)
    journal.commit(Merge("E", "B"), CONSOLE)
    assert is_verified(journal)
    journal.close()
    again = open_journal(store_url)
    assert is_verified(again)
    again.close()
