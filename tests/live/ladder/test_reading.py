"""What readers hold while results come in, and what tables leave out."""

from __future__ import annotations

from threading import Thread
from typing import Any

import numpy as np
import pytest

from prowess.engine.rate import rate
from prowess.engine.system import Unratable
from prowess.games.games import Games
from prowess.live.ladder import ladder as ladder_module
from prowess.live.ladder.loading import load_ladder
from prowess.live.ladder.state import advance
from prowess.live.result import DAY_US, FIELD_DEFAULTS, LiveResult
from prowess.systems.catalogue import find
from tests.live.ladder import logs
from tests.live.ladder.logs import (
    START,
    by_name,
    changed,
    named,
    play_changes,
    preview_changes,
    shown,
    table_of,
)
from tests.refusals import refused


def game(number: int, a: int, b: int, score: float, day: float = 0.0, **said: float) -> LiveResult:
    """A game on a day of 2020."""
    points = said.pop("points_a", None), said.pop("points_b", None)
    time = START + int(day * DAY_US)
    return logs.game(number, time, a, b, score, points, **said)


def test_an_empty_ladder_has_no_ratings():
    """Nothing is no table: there are no ratings before the first result and after the last."""
    ladder = load_ladder({}, "glicko2", {}, None, "games", (), named)
    assert (ladder.ratings(), ladder.as_of(20_000.0), len(ladder)) == (None, None, 0)
    play_changes(ladder, 1, {1: game(1, 7, 8, 1.0)})
    assert ladder.ratings() is not None
    preview = preview_changes(ladder, {1: None})
    assert [mover.after for mover in preview.movers] == [None, None]
    assert preview.leader_changed
    play_changes(ladder, 2, {1: None})
    assert (ladder.ratings(), ladder.as_of(20_000.0), len(ladder)) == (None, None, 0)


@pytest.mark.parametrize("period", [None, "7d"])
def test_what_was_handed_out_stays(period):
    """Ratings, tables and rounds in a reader's hands are not touched by what comes later."""
    ladder: Any = load_ladder({}, "glicko", {}, period, "games", (), named)
    facts: dict[int, LiveResult] = {}
    held = []
    rng = np.random.default_rng(5)
    for number in range(1, 300):
        a, b = rng.choice(40, 2, replace=False).tolist()
        late = number % 7 == 0
        changes = {number: game(number, a, b, 1.0, 1.0 if late else number)}
        play_changes(ladder, number, changes)
        facts = changed(facts, changes)
        ratings = ladder.ratings()
        held.append((ratings, by_name(ratings), arrays(ratings)))
    for ratings, values, copies in held:
        again = rate(ratings.table, ratings.system, period=period)
        assert by_name(ratings) == values == by_name(again)
        for array, copy, other in zip(arrays(ratings), copies, arrays(again), strict=True):
            assert np.array_equal(array, copy, equal_nan=True)
            assert np.array_equal(array, other, equal_nan=True)
    last = rate(table_of(facts, "games"), find("glicko"), period=period)
    assert by_name(held[-1][0]) == by_name(last)


class SlowThread(Thread):
    """A thread that does not end: who waits for it waits as long as they say."""

    def __init__(self, moments: list[float]) -> None:
        super().__init__()
        self.moments = moments

    def join(self, timeout: float | None = None) -> None:
        """Move the clock on."""
        assert timeout is not None
        self.moments.append(self.moments[-1] + timeout)


def test_a_ladder_is_waited_for_no_longer_than_asked(monkeypatch):
    """Its two threads share the seconds, of which the first may take all."""
    moments = [100.0]
    monkeypatch.setattr(ladder_module, "monotonic", lambda: moments[-1])
    ladder = load_ladder({}, "glicko2", {}, None, "games", (), named)
    ladder._player, ladder._worker = SlowThread(moments), SlowThread(moments)
    ladder.join(5.0)
    assert moments == [100.0, 105.0, 105.0]


def arrays(ratings: Any) -> list[Any]:
    """Copies of what a reader may look into."""
    bounds = ratings.rounds.bounds
    return [
        ratings.table.a.copy(),
        ratings.game_counts.copy(),
        ratings.last.copy(),
        ratings.rounds.clock.copy(),
        np.empty(0) if bounds is None else bounds.copy(),
    ]


def test_readers_beside_a_writer():
    """Whoever reads while results are applied and taken back sees published ratings, whole."""
    ladder = load_ladder({}, "elo", {}, None, "games", (), named)
    play_changes(ladder, 1, {n: game(n, n % 9, 9 + n % 5, 1.0, n) for n in range(1, 60)})
    torn: list[Any] = []
    done: list[bool] = []

    def read() -> None:
        while not done:
            ratings = ladder.ratings()
            assert ratings is not None
            if abs(ratings.column("rating").sum() - 1500.0 * len(ratings)) > 1e-6:
                torn.append(ratings)  # Elo keeps the sum, so half a result would show
            preview_changes(ladder, {5: None})

    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(60, 400):
        play_changes(ladder, number, {number: game(number, number % 11, 20, 0.0, number)})
    done.append(True)
    for reader in readers:
        reader.join()
    assert not torn


def test_ratings_are_made_once_between_publishings():
    """Ratings are one object until the next publishing, which also makes renamed players show."""
    names = {7: "Ada", 8: "Ben"}
    ladder = load_ladder({}, "elo", {}, None, "games", (), names.__getitem__)
    play_changes(ladder, 1, {1: game(1, 7, 8, 1.0)})
    first = ladder.ratings()
    assert ladder.ratings() is first
    names[7] = "Cleo"
    ladder.publish(2)
    second: Any = ladder.ratings()
    assert second is not first
    assert list(second.players) == ["Cleo", "Ben"]
    assert [int(player) for player in second.players.ids] == [7, 8]
    assert second.players.find_rows((8, 9)) == {8: 1}
    assert second["Cleo"].rank == 1


def test_usual_columns_are_left_out_and_change_nothing():
    """A column that says only the usual is not in the table, and rates as if it were."""
    rng = np.random.default_rng(3)
    pairs = [rng.choice(9, 2, replace=False).tolist() for _ in range(49)]
    facts = {n: game(n, a, b, 1.0, n) for n, (a, b) in enumerate(pairs, 1)}
    for name in ("elo", "glicko2", "weng_lin"):
        ladder = load_ladder({}, name, {}, None, "games", (), named)
        play_changes(ladder, 1, facts)
        ratings: Any = ladder.ratings()
        assert ratings.table.side is None is ratings.table.weight
        said = {column: np.full(len(facts), value) for column, value in FIELD_DEFAULTS.items()}
        full = Games(
            players=ratings.table.players, a=ratings.table.a, b=ratings.table.b,
            score=ratings.table.score, time=ratings.table.time, **said,
        )  # fmt: skip
        assert by_name(rate(full, find(name))) == by_name(ratings)
        for change in (
            {3: game(3, 1, 2, 0.5, 3, side=1.0)},
            {4: game(4, 1, 2, 0.5, 4, weight=2.0)},
        ):
            play_changes(ladder, 2, change)
            later = changed(facts, change)
            assert shown(ladder.ratings()) == by_name(rate(table_of(later, "games"), find(name)))
            play_changes(ladder, 3, {number: facts[number] for number in change})
            again: Any = ladder.ratings()
            table = again.table
            assert table.side is None is table.weight


def test_no_day():
    """A day that is no number is refused."""
    ladder = load_ladder({}, "elo", {}, None, "games", (), named)
    with refused(Unratable, "not_a_day", remedy=False):
        ladder.as_of(float("nan"))


def test_lost_numbers_name_the_player():
    """Results that would drive a rating out of the numbers are refused, by name, and not kept."""
    ladder = load_ladder({}, "glicko2", {}, None, "games", (), named)
    play_changes(ladder, 1, {1: game(1, 7, 8, 1.0)})
    before, change = shown(ladder.ratings()), {2: game(2, 7, 9, 1.0, 1.0, weight=1e308)}
    with refused(Unratable, "no_finite_rating", about="glicko2"):
        advance(ladder.published, change)
    play_changes(ladder, 2, change)
    assert (shown(ladder.ratings()), len(ladder), ladder.waiting) == (before, 1, 1)


def test_equal_times_go_by_number():
    """Results of one moment are played by their numbers, in whatever order they come."""
    orders = []
    for order in ((1, 2, 3), (3, 1, 2), (2, 3, 1)):
        ladder = load_ladder({}, "elo", {}, None, "games", (), named)
        for number in order:
            play_changes(ladder, 1, {number: game(number, number, number + 1, 1.0)})
        orders.append(shown(ladder.ratings()))
    assert orders[0] == orders[1] == orders[2]


def test_a_state_is_read_whatever_was_played_since():
    """The first to ask after new results, a correction and newer results sees none of them."""
    ladder = load_ladder({}, "elo", {}, None, "games", (), named)
    facts = {n: game(n, n % 4, 4 + n % 3, 1.0, n) for n in range(1, 30)}
    play_changes(ladder, 1, facts)
    state = ladder.published
    for number, later in enumerate(({30: (1, 5)}, {}, {31: (9, 1)}, {32: (9, 2)}), 2):
        played = {n: game(n, a, b, 0.0, float(n)) for n, (a, b) in later.items()}
        play_changes(ladder, number, played or {7: None})
    assert shown(state.ratings()) == by_name(rate(table_of(facts, "games"), find("elo")))


def test_weights_of_contests_are_left_out_when_they_are_gone():
    """Once no contest has a weight of its own the table has none, as one that never had."""
    ladder: Any = load_ladder({}, "elo", {}, None, "contests", (), named)
    field = {1: 1.0, 2: 2.0, 3: 3.0}
    play_changes(
        ladder, 1, {n: logs.contest(n, START + n, field, weight=float(n)) for n in (1, 2, 3)}
    )
    assert ladder.ratings().table.weight.tolist() == [1.0, 2.0, 3.0]
    play_changes(ladder, 2, {2: None, 3: logs.contest(3, START, field)})
    assert ladder.ratings().table.weight is None


def test_what_a_system_takes_is_known_beforehand():
    """Facts are checked without playing: a whole table's system looks at each, others at none."""
    heavy = {1: logs.game(1, START, 1, 2, weight=2.0)}
    assert load_ladder({}, "elo", {}, None, "games", (), named).takes_all
    labelled = load_ladder({}, "glicko2", {}, "round", "games", (), named)
    assert not labelled.takes_all
    with refused(Unratable, "round_missing"):
        labelled.check(heavy)
    labelled.check({1: heavy[1]._replace(round="1")})
    assert len(labelled) == 0
