"""A store of the second version, written with the SQL of its day, opens with all it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sqlalchemy import select, text

from prowess.games.games import Games
from prowess.live.journal.corrections import Correct
from prowess.live.journal.journal import Journal, verify_store
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.result import DAY_US
from prowess.live.store import migrations
from prowess.live.store.tables import placing
from tests.live.journal.journals import CONSOLE
from tests.live.store.first_tables import make_old_store

PLAYERS = ("Ada", "Ben", "Cleo", "Dan")
GAMES = [  # day, a, b, score, side, weight
    (day, 1 + day % 4, 1 + (day + 1 + day // 4) % 4, (day % 3) / 2, (-1.0, 0.0, 1.0)[day % 3], 1.0)
    for day in range(1, 30)
    if day % 4 != (day + 1 + day // 4) % 4
]
RACES = [(40, {3: 1.0, 1: 2.0, 4: 2.0}), (41, {2: 3.0, 4: 1.0, 1: 2.0, 3: 4.0})]
AT = 19_000  # days since 1970


def fill_old_store(url: str) -> None:
    """A store with the tables of the second version and the rows that it would have written."""
    old = make_old_store(url, "0002")

    def job(connection: Any) -> None:
        def say(sql: str, **values: Any) -> None:
            connection.execute(text(sql), values)

        for at in (1, 2):
            say(
                "INSERT INTO revision (id, at, kind, detail) "
                "VALUES (:at, :at, 'new_category', '{}')", at=at,
            )  # fmt: skip
        for number, key, kind in ((1, "chess", "games"), (2, "race", "contests")):
            say(
                "INSERT INTO category (id, key, name, kind, extra, created_revision) "
                "VALUES (:n, :key, :key, :kind, '[]', :n)", n=number, key=key, kind=kind,
            )  # fmt: skip
            say(
                "INSERT INTO method (category_id, revision, system, params, provisional_games, "
                "inactive_days) VALUES (:n, :n, 'elo', '{}', 10, 365)", n=number,
            )  # fmt: skip
        say("INSERT INTO revision (id, at, kind, detail) VALUES (3, 3, 'record', '{}')")
        for number, name in enumerate(PLAYERS, 1):
            say(
                "INSERT INTO player (id, name, anonymous, created_revision) "
                "VALUES (:n, :name, false, 3)", n=number, name=name,
            )  # fmt: skip
            say("INSERT INTO name (name, player_id) VALUES (:name, :n)", n=number, name=name)
        result = (
            "INSERT INTO result (id, category_id, source, external_id, created_revision, revision) "
            "VALUES (:n, :category, 'test', :x, 3, 3)"
        )
        for number, (day, a, b, score, side, weight) in enumerate(GAMES, 1):
            say(result, n=number, category=1, x=f"x{number}")
            say(
                "INSERT INTO version (result_id, revision, state, time, a, b, score, side, weight) "
                "VALUES (:n, 3, 'counts', :time, :a, :b, :score, :side, :weight)",
                n=number, time=(AT + day) * DAY_US, a=a, b=b, score=score, side=side, weight=weight,
            )  # fmt: skip
        for number, (day, places) in enumerate(RACES, 100):
            say(result, n=number, category=2, x=f"x{number}")
            say(
                "INSERT INTO version (result_id, revision, state, time, weight) "
                "VALUES (:n, 3, 'counts', :time, 1.0)", n=number, time=(AT + day) * DAY_US,
            )  # fmt: skip
            for player, place in places.items():
                say(
                    'INSERT INTO "placing" (result_id, revision, player_id, place) '
                    "VALUES (:n, 3, :player, :place)", n=number, player=player, place=place,
                )  # fmt: skip

    old.writer.do(job)
    old.close()


@pytest.fixture
def journal(store_url):
    """The journal of a store that was written by the second version."""
    fill_old_store(store_url)
    journal = Journal.open(store_url)
    yield journal
    journal.close()


def bits(ratings: Any) -> dict[str, bytes]:
    return {ratings.players[k]: ratings.strength[k].tobytes() for k in range(len(ratings.players))}


def test_ratings_are_the_same_to_the_last_bit(journal):
    """Games and contests of the old store are rated as their tables always were."""
    from prowess.verbs.rating import rate

    ids = dict.fromkeys(number for _, a, b, *_ in GAMES for number in (a, b))
    row = {number: k for k, number in enumerate(ids)}
    table = Games(
        [PLAYERS[number - 1] for number in ids],
        np.array([row[a] for _, a, *_ in GAMES], dtype=np.uint32),
        np.array([row[b] for _, _, b, *_ in GAMES], dtype=np.uint32),
        np.array([score for _, _, _, score, *_ in GAMES]),
        time=np.array([float(AT + day) for day, *_ in GAMES]),
        side=np.array([side for *_, side, _ in GAMES]),
    )
    assert bits(journal.ratings("chess")) == bits(rate(table, "elo"))
    # The rows of a contest were played in the order of the players' numbers.
    rows = [(number, places[number]) for _, places in RACES for number in sorted(places)]
    ids = dict.fromkeys(number for number, _ in rows)
    row = {number: k for k, number in enumerate(ids)}
    races = Games(
        [PLAYERS[number - 1] for number in ids],
        start=np.array([0, 3, 7]),
        player=np.array([row[number] for number, _ in rows], dtype=np.uint32),
        place=np.array([place for _, place in rows]),
        time=np.array([float(AT + day) for day, _ in RACES]),
    )
    assert bits(journal.ratings("race")) == bits(rate(races, "elo"))


def test_tables_after_the_upgrade(journal):
    """Each placing is a side of its own, in the order in which contests were played."""
    with journal.store.read() as connection:
        assert migrations.read_version(connection, "") == migrations.LAST_MIGRATION
        rows = connection.execute(
            select(placing.c.result_id, placing.c.player_id, placing.c.side, placing.c.share)
            .order_by(placing.c.result_id, placing.c.player_id)
        ).all()  # fmt: skip
    assert [tuple(one) for one in rows] == [
        (100, 1, 0, 1.0), (100, 3, 1, 1.0), (100, 4, 2, 1.0),
        (101, 1, 0, 1.0), (101, 2, 1, 1.0), (101, 3, 2, 1.0), (101, 4, 3, 1.0),
    ]  # fmt: skip
    assert {one.side_size for one in journal.categories()} == {1}


def test_an_upgraded_store_goes_on(journal):
    """New results and corrections of old ones are taken, and the proof of the ladder holds."""
    journal.commit(RecordResults((Submission("chess", "Ada", "Eve", 1.0),)), CONSOLE)
    places = (("Ada", 1.0, None), ("Dan", 2.0, None))
    journal.commit(Correct(100, Submission(placings=places)), CONSOLE)
    again = Submission("race", placings=(("Cleo", 1.0, None),), external_id="x101", source="test")
    full = [(PLAYERS[n - 1], place, None) for n, place in RACES[1][1].items()]
    again = again._replace(placings=tuple(full), time=(AT + RACES[1][0]) * DAY_US)
    (one,) = journal.commit(RecordResults((again,)), CONSOLE).results
    assert (one.id, one.status) == (101, "already")
    proofs = verify_store(journal.store.address.render_as_string(False))
    assert [proof.differences for proof in proofs] == [(), ()]
    assert [proof.results for proof in proofs] == [len(GAMES) + 1, 2]
