"""Ladders of a system that prepares its table: what is played again, and who is shown."""

from __future__ import annotations

import gc
from math import ceil
from typing import Any
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine.explain import find_alternatives
from prowess.engine.rate import rate
from prowess.engine.state import mix_rows, mixture, weights_of
from prowess.engine.system import Unratable
from prowess.games.game_members import KeyTable, Numbers
from prowess.live.ladder import ratings as kept, state as states
from prowess.live.ladder.loading import load_ladder, pack_log
from prowess.live.ladder.prepared import MemberRows
from prowess.live.result import DAY_US, GAMES, LiveResult
from prowess.study.forecasting.performance import assess_game
from prowess.systems.catalogue import find
from tests.live.ladder.logs import (
    START,
    changed,
    columns_of,
    game,
    named,
    play_changes,
    preview_changes,
    shown,
    table_of,
)
from tests.refusals import refused

OPENING = 8
SETTINGS: dict[str, Any] = {"variance": [0.4, 1.6], "reversion": [2e-4], "opening": OPENING}
MARGINS = (0.0, 1.0, 3.0, 2.0, 1.0)


def result(number: int, day: float | None = None, first: int | None = None) -> LiveResult:
    """A game, drawn or won by a margin, with a side advantage, between some of six players."""
    margin = MARGINS[number % 5]
    score = 0.5 if not margin else float(number % 3 > 0)
    a = 1 + number % 6 if first is None else first
    return game(
        number, START + round((number if day is None else day) * DAY_US), a, 7 + number % 4, score,
        side=float(number % 4 > 0), margin=margin if score else -margin,
    )  # fmt: skip


def batch(facts: dict[int, LiveResult]) -> dict[str, Any]:
    """What rating the whole table gives."""
    return shown(rate(table_of(facts, GAMES, ("margin",)), find("prowess"), params=SETTINGS))


def test_appended_results_are_played_alone():
    """After the opening a result behind all others is one game, even of a newcomer."""
    ladder = load_ladder({}, "prowess", SETTINGS, None, GAMES, ("margin",), named)
    facts: dict[int, LiveResult] = {}
    alone = []
    changes: list[dict[int, Any]] = [{k: result(k)} for k in range(1, 25)]
    changes += [
        {25: result(25, first=40)},  # a newcomer: the rows of all members move
        {26: result(26, day=20.5)},  # late
        {22: None},
        {2: result(2)._replace(score=0.5, margin=0.0)},  # within the opening
        {27: result(27)},
    ]
    for revision, change in enumerate(changes):
        preview = preview_changes(ladder, change)
        play_changes(ladder, revision, change)
        facts = changed(facts, change)
        assert shown(ladder.ratings()) == batch(facts)
        alone.append(preview.replayed == 1)
    assert sum(alone[OPENING:25]) > 14  # all but those by which another class of margins comes in
    assert alone[-1]
    assert not any(alone[25:-1])
    again = load_ladder(
        pack_log(ladder.published), "prowess", SETTINGS, None, GAMES, ("margin",), named
    )
    assert shown(again.ratings()) == batch(facts)


def test_ratings_are_in_no_circle():
    """They go with their last reader: what a correction made anew is not kept until a search."""
    ladder = load_ladder(
        columns_of({k: result(k) for k in range(1, 25)}, GAMES), "prowess", SETTINGS, None, GAMES,
        ("margin",), named,
    )  # fmt: skip
    ladder.publish(1)
    ratings = ladder.ratings()
    assert ratings.whole.whole is ratings.whole
    assert ratings.whole is not ratings
    seen = ref(ratings), ref(ratings.whole), ref(ratings.whole.state)
    gc.disable()
    try:
        del ratings, ladder
        assert [one() for one in seen] == [None] * 3
    finally:
        gc.enable()


def test_a_preview_saves_no_states(monkeypatch):
    """What is shown once and thrown away needs no states from which to go on, and no ratings before
    its results.
    """
    monkeypatch.setattr(states, "SPACING", 2)
    facts = {k: result(k) for k in range(1, 25)}
    ladder = load_ladder(
        columns_of(facts, GAMES), "prowess", SETTINGS, None, GAMES, ("margin",), named
    )
    change = {11: result(11)._replace(score=0.0, margin=-1.0)}
    known = ladder.published
    later = {row.row for row in known.saved if row.row > 10}
    assert later
    with monkeypatch.context() as unread:
        unread.delattr(states, "read_watched")
        shown = states.advance(known.apart({}), change, keep_prior=False)
    assert {one.row for one in shown.saved} == {one.row for one in known.saved} - later
    kept = states.advance(known.apart({}), change)
    assert {one.row for one in kept.saved} - {one.row for one in shown.saved}
    assert (shown.engine.mix() == kept.engine.mix()).all()


def test_played_in_pieces_as_at_once(monkeypatch):
    """However a log is cut, and wherever it is corrected, it has the bits of the whole table.

    Roles that are left out in a part of the settings are kept without it.
    """
    monkeypatch.setattr(states, "PLAYED_AT_ONCE", 50)
    monkeypatch.setattr(states, "SHOWN_AT_ONCE", 20)
    monkeypatch.setattr(states, "SPACING", 20)
    facts = {k: result(k) for k in range(1, 302)}
    ladder = load_ladder(columns_of(facts, GAMES), "prowess", {}, None, GAMES, (), named)
    narrow = {role.pages[0].shape[1] for role in ladder.published.prepared.known.rows}
    assert {1 + 2 * 36, 1 + 2 * (36 - 8), 1 + 2 * 12} <= narrow  # 36 settings, left out by eights
    for revision, change in enumerate(({}, {299: None}, {200: None, 302: result(302)}, {2: None})):
        play_changes(ladder, revision, change)
        some = np.array([3, 1, 2, 4, 0], np.int64)  # in any order
        assert (ladder.published.values(some) == ladder.ratings().values[some]).all()
        facts = changed(facts, change)
        whole = rate(table_of(facts, GAMES, ()), find("prowess"))
        assert shown(ladder.ratings()) == shown(whole)
    assert ladder.published.replayed == len(facts)
    before = ladder.published.prior["shown"]
    monkeypatch.undo()
    uncut = load_ladder(columns_of(facts, GAMES), "prowess", {}, None, GAMES, (), named)
    assert before.tolist() == uncut.published.prior["shown"].tolist()


@pytest.mark.parametrize("pair", [(2, 8), (9, 3), (1, 2)])  # the last two have not met
def test_what_one_more_game_changes(pair: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is what rating the longer table changes, also where the first draw has all played again;
    a long ladder leaves that result out.
    """
    facts = {k: result(k)._replace(margin=None) for k in range(1, 90)}
    for drawn in (True, False):
        if not drawn:
            facts = {k: one._replace(score=1.0) for k, one in facts.items() if one.score != 0.5}
        ladder = load_ladder(columns_of(facts, GAMES), "prowess", {}, None, GAMES, (), named)
        ladder.publish(1)
        ratings = ladder.ratings()
        assert ratings is not None
        names = [named(one) for one in pair]
        found = assess_game(ratings, *names)
        for effect, score in zip(found, (1.0, 0.5, 0.0), strict=True):
            last = game(90, max(one.time for one in facts.values()), *pair, score, side=0.0)
            table = table_of({**facts, 90: last}, GAMES, ())
            later = rate(table, find("prowess"))
            for name, own in zip(names, (effect.a, effect.b), strict=True):
                before, after = ratings[name], later[name]
                fields = ratings.fields
                assert own == {f: getattr(after, f) - getattr(before, f) for f in fields}
        monkeypatch.setattr(kept, "MOST_PLAYED_AGAIN", len(facts))
        shorter = [one for one in found if drawn or one.result != "draw"]
        assert assess_game(ratings, *names) == shorter
        monkeypatch.undo()


def test_a_replay_that_ends_early_changes_nothing(monkeypatch):
    """Where a later piece cannot be rated, the ladder stays, and goes on with other results."""
    monkeypatch.setattr(states, "PLAYED_AT_ONCE", 20)
    ladder = load_ladder({}, "prowess", SETTINGS, None, GAMES, (), named)
    facts = {k: result(k) for k in range(1, 81)}
    play_changes(ladder, 1, facts)
    before, turns = shown(ladder.ratings()), iter((False, False, True))

    def refuse(*_: Any) -> None:
        if next(turns):
            raise Unratable("lost", code="no_finite_rating")

    change = {3: None, 90: result(90, day=1.5, first=50)}
    with monkeypatch.context() as lost:
        lost.setattr(states, "refuse_lost_numbers", refuse)
        with refused(Unratable, "no_finite_rating", remedy=False):
            states.advance(ladder.published, change)
    assert shown(ladder.ratings()) == before
    for revision, more in enumerate(({91: result(91, first=60)}, change), 2):
        play_changes(ladder, revision, more)
        facts = changed(facts, more)
        whole = rate(table_of(facts, GAMES, ()), find("prowess"), params=SETTINGS)
        assert shown(ladder.ratings()) == shown(whole)


@pytest.mark.parametrize(
    ("system", "params", "count"), [("prowess", {}, 0), ("elo", {"k": [16, 32]}, 0), ("elo", {}, 2)]
)
def test_another_result_changes_what_it_says_or_nothing_is_said(system, params, count):
    """Of a prepared table and of a bank the change of one game does not stand alone."""
    ladder = load_ladder({}, system, params, None, GAMES, (), named)
    play_changes(
        ladder, 1, {k: game(k, START + k * DAY_US, k % 5, 5 + k % 4, 1.0) for k in range(1, 21)}
    )
    assert len(find_alternatives(ladder.ratings(), 19, [1.0, 0.0])) == count


def test_everything_is_played_again_when_the_opening_grows():
    """Of a table below 125 games the opening is a fifth, so at every fifth game it is another."""
    settings = {name: value for name, value in SETTINGS.items() if name != "opening"}
    ladder = load_ladder({}, "prowess", settings, None, GAMES, (), named)
    replayed = []
    for k in range(1, 31):
        play_changes(
            ladder,
            k,
            {k: game(k, START + k * DAY_US, k % 5, 5 + k % 4, 0.5 if k % 3 == 1 else 1.0)},
        )
        replayed.append(ladder.published.replayed)
    begins = {n for n in range(1, 31) if ceil(n / 5) > ceil((n - 1) / 5)}
    assert {n for n, count in enumerate(replayed, 1) if count == n} == begins
    assert {count for n, count in enumerate(replayed, 1) if n not in begins} == {1}


def test_rows_of_earlier_versions_stay():
    """A change of some rows is seen by the new version alone, which shares the other pages."""
    first = MemberRows(4).write(np.arange(12), np.arange(24.0).reshape(-1, 2))
    at = np.array([5, 16])
    second = first.write(at, np.full((2, 2), -1.0))
    assert first.count_known(at) == 1
    assert first.read(at[:1]).tolist() == [[10.0, 11.0]]
    assert second.read(np.array([4, 5, 16])).tolist() == [[8.0, 9.0], *[[-1.0, -1.0]] * 2]
    assert np.isnan(second.read(np.array([15, 17]))).all()
    assert second.count_known(np.array([15, 19, 20, 99])) == 2
    assert [a is b for a, b in zip(first.pages, second.pages, strict=False)] == [True, False, True]
    assert first.bytes_beside(second) == first.pages[1].nbytes


def test_numbers_of_a_copy_that_was_taken_back():
    """A key that a newer copy added is new to the older one, which gives its number away."""
    older = Numbers(KeyTable(np.array([7, 5])), 2)
    newer = older.copy(apart=False)
    aside = older.copy(apart=True)
    assert newer.of(np.array([9, 5, 4])).tolist() == [2, 1, 3]
    assert older.of(np.array([4, 9]), learn=False).tolist() == [2, 3]
    assert aside.of(np.array([4])).tolist() == [2]
    assert older.copy(apart=False).of(np.array([4, 7, 9])).tolist() == [2, 0, 3]
    assert older.keys.tolist() == [7, 5]
    assert aside.keys.tolist() == [7, 5, 4]


@given(steps=st.lists(st.tuples(st.sampled_from(["learn", "ask", "copy", "drop", "apart"]),
                                st.lists(st.integers(0, 30)), st.booleans())))  # fmt: skip
def test_numbers_are_those_of_a_dictionary(steps):
    """Whatever is learnt, asked, copied and taken back: a number is that of first appearance."""
    stack: list[tuple[Numbers, dict[int, int]]] = [(Numbers(), {})]
    for what, given_keys, far in steps:
        numbers, known = stack[-1]
        keys = [(key << 32) + 3 if far else key for key in given_keys]
        if what == "copy":
            stack.append((numbers.copy(apart=False), dict(known)))
        elif what == "drop":
            stack = stack[:-1] or stack
        elif what == "apart":
            stack = [(numbers.copy(apart=True), known)]
        else:
            found = known if what == "learn" else dict(known)
            expected = [found.setdefault(key, len(found)) for key in keys]
            assert numbers.of(np.array(keys, np.int64), what == "learn").tolist() == expected
            assert numbers.keys.tolist() == list(known)


@pytest.mark.parametrize("lanes", [2, 7, 8, 36, 128])
@pytest.mark.parametrize("spread", ["variance", "deviation"])
def test_many_rows_are_mixed_as_few(lanes, spread):
    """The loop that mixes many rows of a bank has the bits of NumPy, which mixes few."""
    rng = np.random.default_rng(lanes)
    rows, logs = rng.normal(size=(50, 2 * lanes)), 20 * rng.normal(size=(50, lanes))
    for some in (logs, logs[:1]):
        found = np.empty((50, 2))
        mix_rows(rows, some, lanes, 1, spread == "deviation", np.empty(2 * lanes), found)
        assert found.tolist() == mixture(("rating", spread), rows, weights_of(some)).tolist()


def test_members_by_role_are_no_players():
    """A preview, the count of players and a history name players alone."""
    ladder = load_ladder({}, "prowess", SETTINGS, None, GAMES, ("margin",), named)
    play_changes(ladder, 1, {k: result(k) for k in range(1, 13)})
    ratings: Any = ladder.ratings()
    assert "side advantage" in ratings.whole.players
    players = {named(k) for k in range(1, 11)}
    assert {row["player"] for row in ratings.leaderboard().rows()} == players
    assert all(one.player > 0 for one in preview_changes(ladder, {13: result(13)}).movers)
    for step in ratings.history(named(7)):
        assert step.opponent in players
        assert not step.partners
        assert 1000 < step.opponent_rating < 2000
    steps = ratings.history(named(7)).steps
    assert any("settings weighed anew" in step.terms for step in steps)


def play_beside_whole(count: int) -> tuple[Any, Any]:
    """A ladder that played so many results, and the ratings of the whole table."""
    ladder = load_ladder({}, "prowess", SETTINGS, None, GAMES, ("margin",), named)
    facts = {k: result(k) for k in range(1, count + 1)}
    play_changes(ladder, 1, facts)
    return ladder, rate(table_of(facts, GAMES, ("margin",)), find("prowess"), params=SETTINGS)


def test_the_last_game_alone_has_the_ratings_of_its_members(monkeypatch):
    """What a server loads at its start plays it once more, of which the ladder knows nothing."""
    ladder, whole = play_beside_whole(12)
    played = []
    with monkeypatch.context() as watched:
        watched.setattr(states, "play", lambda state, game, *_, **__: played.append((state, game)))
        ladder.load_compiled()
    ((state, game),) = played
    assert len(state.rating) == len(set(game.player.tolist())) < len(ladder.ratings().players)
    ours = game.player[game.role[game.player] == 0]
    rows = state.rating[ours], whole.state.rating[[whole.table.a[-1], whole.table.b[-1]]]
    one, other = (each.reshape(2, 2, -1)[:, :, :2] for each in rows)  # two settings
    assert np.array_equal(one, other)
    ladder.load_compiled()
    play_changes(ladder, 2, {13: result(13)})
    assert shown(ladder.ratings()) == batch({k: result(k) for k in range(1, 14)})


def test_a_game_to_come_needs_the_state_of_its_members_alone():
    """A forecast has the bits of that by the whole table, also of a newcomer, without `whole`."""
    ladder, whole = play_beside_whole(24)
    ratings: Any = ladder.ratings()
    players, newcomer = len(whole.table.players), len(whole.players)
    pairs = [(a, b) for a in range(players) for b in (*range(players), newcomer) if a != b]
    for side in (0.0, 1.0, -1.0):
        for a, b in pairs[::3]:
            assert ratings.chances(a, b, side) == whole.chances(a, b, side)
    line_ups = [*range(players), newcomer]
    first, second = np.minimum(np.array(pairs).T, players)
    for one, other in zip(
        ratings.forecast_pairs(line_ups, first, second),
        whole.forecast_pairs(line_ups, first, second),
        strict=True,
    ):
        assert np.array_equal(one, other)
    assert "whole" not in vars(ratings)


def test_a_new_name_is_in_the_names_of_members():
    """A player's own side advantage follows the name, which a forecast looks up."""
    called = {k: named(k) for k in range(1, 20)}
    ladder = load_ladder({}, "prowess", SETTINGS, None, GAMES, (), called.__getitem__)
    play_changes(ladder, 1, {k: result(k) for k in range(1, 10)})
    before: Any = ladder.ratings()
    expected = before.forecast(named(1), named(7), side=1)
    called[1] = "Ann"
    ladder.rename()
    after: Any = ladder.ratings()
    assert "Ann, own side advantage" in after.whole.players
    assert after.forecast("Ann", named(7), side=1).expected == expected.expected


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_a_single_player_is_their_side_whatever_their_share(share: float):
    """A side is the mean of its players, by their shares: of one player the player."""
    from prowess.games.games import Games

    table = Games(
        players=["a", "b"], player=np.array([0, 1], np.uint32), ends=np.array([0, 1, 2]),
        share=np.array([share, 1.0]), score=np.ones(1),
    )  # fmt: skip
    values = [0.4, 0.4 + 1e-12]
    plainly = {"reversion": 0.0, "experience": 0.0, "rich": 0.0}
    bank = rate(table, find("prowess"), params={"variance": values, **plainly})
    one = rate(table, find("prowess"), params={"variance": [0.4], **plainly})
    plain = rate(table, find("prowess"), params={"variance": [0.4, 0.4001], **plainly})
    assert np.allclose(bank.values, one.values, rtol=1e-9)
    assert np.allclose(plain.values, one.values, rtol=1e-3)
    v = 0.4
    kappa = 1 / np.sqrt(1 + np.pi / 8 * 2 * v)
    gain = v * kappa * 0.5 * 400 / np.log(10)
    assert bank.values[0, 0] == pytest.approx(1500 + gain, rel=1e-9)
