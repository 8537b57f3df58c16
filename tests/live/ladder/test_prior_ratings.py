"""The trail of a ladder: histories are those of the batch, and nothing is played for them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from prowess.engine import rate as engine
from prowess.engine.explain import histories
from prowess.engine.rate import rate
from prowess.engine.steps import separate_meetings
from prowess.engine.system import Dynamic
from prowess.live.ladder import state
from prowess.live.ladder.loading import load_ladder, pack_log
from prowess.live.result import CONTESTS, DAY_US, LiveResult
from prowess.present import boards
from prowess.present.listing import Listing
from prowess.present.players import build_line, build_profiles, player_steps
from prowess.systems.catalogue import catalogue, find
from tests.live.ladder.logs import (
    EXTRA,
    START,
    changed,
    columns_of,
    contest,
    every_mode,
    examples,
    few_settings,
    game,
    named,
    play_changes,
    some_changes,
    table_of,
)

DYNAMIC = [system for system in catalogue().values() if isinstance(system, Dynamic)]
FIRST_DAY = START / 86_400e6
MINUTE = 60_000_000  # microseconds


@pytest.fixture(autouse=True, scope="module")
def dense():
    """Checkpoints everywhere, so that short logs have some."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(state, "SPACING", 1)
        yield


def explained(ratings: Any) -> dict[str, Any]:
    """All steps of each player who has some."""
    if ratings is None:
        return {}
    found = ratings.histories(range(len(ratings.table.players)))
    return {one.player: separate_meetings(one.steps) for one in found if one.steps}


def read(ratings: Any) -> dict[str, Any]:
    """The same of a ladder's ratings, which play nothing for it."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a table is played again")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine, "play", refuse)
        found = explained(ratings)
        if ratings is not None:  # what is kept of a player's games is what they are worth now
            kept = {name: player_steps(ratings, k) for k, name in enumerate(ratings.players)}
            assert {name: some for name, some in kept.items() if some} == found
            for k, name in enumerate(ratings.players if ratings.table.pairwise else ()):
                steps = found.get(name, ())
                for row in {step.row for step in steps}:  # of one game alone
                    (history,) = histories(ratings.whole, (k,), 1, row)
                    some = [step for step in separate_meetings(history.steps) if step.row == row]
                    assert some == [step for step in steps if step.row == row]
        return found


def batch(facts: Any, system: Dynamic, kind: str, period: str | None, day: Any = None) -> Any:
    """What the batch program says of the exported table."""
    table = table_of(facts, kind, EXTRA)
    if not len(table) or (day is not None and table.time[0] > day):
        return {}
    params = few_settings(system)
    return explained(rate(table, system, period=period, as_of=day, params=params))


@every_mode(DYNAMIC)
@examples(3)
@given(data=st.data())
def test_histories_are_those_of_the_batch(system, kind, period, data):
    """After changes, on earlier days, and in a restored ladder."""
    terms: Any = (system, few_settings(system), period, kind, EXTRA, named)
    ladder: Any = load_ladder({}, *terms)
    facts: dict[int, LiveResult] = {}
    earlier, before = ladder.ratings(), dict[str, Any]()
    revisions = data.draw(st.integers(1, 4))
    looked = data.draw(st.integers(1, revisions))  # when an earlier day is looked at
    for revision in range(1, revisions + 1):
        changes = data.draw(some_changes(facts, kind, period, system.weights))
        play_changes(ladder, revision, changes)
        facts = changed(facts, changes)
        now = batch(facts, system, kind, period)
        assert read(ladder.ratings()) == now
        assert read(earlier) == before  # what was handed out stays
        if revision == looked:
            day = FIRST_DAY + data.draw(st.integers(-2, 240)) / 2
            assert read(ladder.as_of(day)) == batch(facts, system, kind, period, day)
        earlier, before = ladder.ratings(), now
    again = load_ladder(pack_log(ladder.published), *terms)
    fresh = load_ladder(columns_of(facts, kind), *terms)
    changes = data.draw(some_changes(facts, kind, period, system.weights))
    then = batch(changed(facts, changes), system, kind, period)
    for one in (again, fresh):
        assert read(one.ratings()) == now
        play_changes(one, 99, changes)
        assert read(one.ratings()) == then


@every_mode(DYNAMIC)
def test_kept_steps_grow_with_the_results(system, kind, period):
    """Results that come in one by one, each read at once, lead to the steps of the batch."""
    ladder: Any = load_ladder({}, system, few_settings(system), period, kind, EXTRA, named)
    facts: dict[int, LiveResult] = {}
    for number in range(1, 21):
        a, b = number % 3, 3 + number % 2
        time, mark = START + number * DAY_US * 3, f"round {number // 4}"
        if kind == CONTESTS:
            places = {p: float(n) for n, p in enumerate((a, b, 9), 1)}
            facts[number] = contest(number, time, places)
        else:
            score = 0.5 * (number % 3)
            label = mark if period == "round" else None
            points, margin = (2 * score, 1.0), 2 * score - 1
            facts[number] = game(
                number, time, a, b, score, points, margin=margin, length=9.0, round=label
            )
        play_changes(ladder, number, {number: facts[number]})
        ratings = ladder.ratings()
        kept = {name: player_steps(ratings, k) for k, name in enumerate(ratings.players)}
    steps = batch(facts, system, kind, period)
    assert kept == {name: steps[name] for name in kept}
    assert period == "round" or kind == CONTESTS or len(boards._own[ratings.lineage]) == 5


@pytest.mark.parametrize("period", [None, "7d"])
def test_results_at_the_end_are_appended_to_the_trail(period):
    """A new result copies nothing of the trail, neither game by game nor in an open period."""
    ladder: Any = load_ladder({}, "glicko2", {}, period, "games", (), named)
    games = {n: game(n, START + n * MINUTE, n % 7, 7 + n % 5, 1.0) for n in range(1, 300)}
    play_changes(ladder, 1, games)
    play_changes(ladder, 2, {300: game(300, START + 300 * MINUTE, 1, 2, 0.0)})
    memory = ladder.ratings().prior.held["rating"]
    play_changes(ladder, 3, {301: game(301, START + 301 * MINUTE, 2, 1, 0.0)})
    trail = ladder.ratings().prior
    assert trail.held["rating"] is memory
    assert trail.count == 2 * 301


@pytest.mark.parametrize(
    ("system", "period"), [("elo", None), ("glicko2", "7d"), ("prowess", None)]
)
def test_the_line_of_one_result_is_that_of_the_profile(system: str, period: str | None):
    """The page of a game explains no other one, and says what the page of the player says."""
    facts = {
        n: game(n, START + n * DAY_US, 1 + n % 3, 4 + n % 2, (n % 3) / 2.0) for n in range(1, 25)
    }
    ladder = load_ladder(columns_of(facts, "games"), system, {}, period, "games", (), named)
    ratings: Any = ladder.ratings()
    for k in range(len(ratings.players)):
        lines = build_profiles(ratings, (k,), Listing())[k].lines[::-1]
        assert lines == tuple(build_line(ratings, k, place) for place in range(len(lines)))


def test_names_are_those_of_now():
    """After players are renamed the games of their opponents show the new names."""
    names = {1: "Ada", 2: "Ben", 3: "Cleo"}
    ladder: Any = load_ladder({}, "elo", {}, None, "games", (), names.__getitem__)
    play_changes(ladder, 1, {1: game(1, START, 1, 2, 1.0), 2: game(2, START, 2, 3, 1.0)})
    assert [one.opponent for one in player_steps(ladder.ratings(), 0)] == ["Ben"]
    names[2] = "Benjamin"
    ladder.rename()
    assert [one.opponent for one in player_steps(ladder.ratings(), 0)] == ["Benjamin"]
    play_changes(ladder, 3, {3: game(3, START + DAY_US, 3, 2, 1.0)})
    kept = player_steps(ladder.ratings(), 0)
    play_changes(ladder, 4, {4: game(4, START + 2 * DAY_US, 3, 2, 1.0)})
    assert player_steps(ladder.ratings(), 0) is kept  # a game of others leaves it alone
    play_changes(ladder, 5, {3: None})
    assert player_steps(ladder.ratings(), 0) is not kept


def test_what_nobody_asks_for_is_dropped():
    """What was asked for since the last call stays."""
    ladder: Any = load_ladder({}, "elo", {}, None, "games", (), named)
    play_changes(ladder, 1, {1: game(1, START, 0, 1, 1.0)})
    ratings = ladder.ratings()
    first, second = (player_steps(ratings, k) for k in (0, 1))
    boards.drop_unasked_values()
    assert player_steps(ratings, 0) is first
    boards.drop_unasked_values()
    assert player_steps(ratings, 0) is first
    assert player_steps(ratings, 1) is not second


def test_what_is_kept_of_players_is_bounded(monkeypatch):
    """Of so many games something is kept; what was kept first goes."""
    monkeypatch.setattr(boards, "MOST_GAMES", 10)
    ladder: Any = load_ladder({}, "elo", {}, None, "games", (), named)
    games = {n: game(n, START + n * DAY_US, 2 * n, 2 * n + 1, 1.0) for n in range(1, 31)}
    play_changes(ladder, 1, games)
    ratings = ladder.ratings()
    first = player_steps(ratings, 0)
    for k in range(1, 60):
        player_steps(ratings, k)
    assert len(boards._own[ratings.lineage]) == 10
    assert player_steps(ratings, 0) is not first
    assert player_steps(ratings, 0) == first


@pytest.mark.parametrize("period", [None, "7d"])
@pytest.mark.parametrize("system", ["elo", "glicko2"])
def test_tables_of_all_players_are_those_of_the_batch(system, period):
    """A ladder keeps the ratings before each result alone; those after it are played again."""
    facts = {n: game(n, START + n * DAY_US, n % 3, 3 + n % 2, 0.5 * (n % 3)) for n in range(1, 30)}
    ladder: Any = load_ladder({}, system, {}, period, "games", (), named)
    play_changes(ladder, 1, facts)
    found, expected = ladder.ratings(), rate(table_of(facts, "games"), find(system), period=period)
    for one, other in ((found.history(), expected.history()), (found.games(), expected.games())):
        assert {name: column.tolist() for name, column in one.columns.items()} == {
            name: column.tolist() for name, column in other.columns.items()
        }


@pytest.mark.parametrize("days", [1.0, boards.WEEK_DAYS, 3650.0])
@pytest.mark.parametrize(("late", "is_new"), [(2, True), (12, False)])
def test_the_leader_is_new_for_a_week(days, late, is_new):
    """By the ranks of a week before the last game, whatever time the page's moves of rank span."""
    ladder: Any = load_ladder({}, "elo", {}, None, "games", (), named)
    wins = [(1, 2, 0), (2, 1, 20), (2, 1, 20), (3, 4, 20 + late)]  # the second leads from day 20 on
    play_changes(
        ladder, 1, {n: game(n, START + at * DAY_US, a, b, 1.0) for n, (a, b, at) in enumerate(wins)}
    )
    ratings = ladder.ratings()
    board = boards.build_board(ratings, Listing(), days=days)
    assert board.rows[0]["player"] == named(2)
    assert ("new leader" in board.finding) == is_new
