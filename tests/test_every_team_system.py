"""Laws of every system that rates teams, from the declarations alone."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings as examples, strategies as st
from pytest import approx

from prowess.engine.rate import rate, rate_on
from prowess.engine.rows import make_mirror as mirror_of
from prowess.engine.system import Dynamic, Game
from prowess.games.games import Games
from prowess.systems.catalogue import catalogue
from tests import oracle
from tests.engine.tables import one_setting, some_params
from tests.engine.team_tables import (
    ROSTER,
    some_sides,
    some_team_contests,
    some_team_games,
    some_team_table,
    team_games,
)
from tests.every_system import excused, plain_settings
from tests.systems.team_fold import played, rated, side_of

TEAMS = {
    name: system
    for name, system in catalogue().items()
    if isinstance(system, Dynamic) and system.teams
}


def of_those(keep: Callable[[Dynamic], Any]) -> Any:
    """The test, once for each system for teams that is kept."""
    chosen = {name: system for name, system in TEAMS.items() if keep(system)}
    assert chosen
    return pytest.mark.parametrize("system", chosen.values(), ids=chosen)


every = of_those(lambda system: True)
few = examples(max_examples=15)
CLOSE = {"rel": 1e-9, "abs": 1e-9, "nan_ok": True}  # sums round
SPREAD = st.tuples(st.floats(-2, 2), st.floats(0.2, 1.0))


def states(system: Dynamic, table: Games, period: str | None, **options: Any) -> Any:
    """The state after a table, of all of the roster."""
    options.setdefault("compiled", False)
    options.setdefault("params", one_setting(system))
    return rate(table, system, period=period, **options).state.rating[: len(table.players)]


@st.composite
def known(draw: st.DrawFn, system: Dynamic, p: Any) -> Any:
    """A player's rating, of whom something is known."""
    me = oracle.newcomer(system, p)
    shift, part = draw(SPREAD)
    wide = me.deviation if "deviation" in me._fields else 200.0
    me = me._replace(rating=me.rating + shift * wide)
    return me._replace(deviation=me.deviation * part) if "deviation" in me._fields else me


@st.composite
def lined_up(draw: st.DrawFn, system: Dynamic, p: Any, count: int = 2) -> list[list[Any]]:
    """Sides of known players with shares."""
    return [
        [(draw(known(system, p)), draw(st.sampled_from((1.0, 0.5)))) for _ in side]
        for side in draw(some_sides(count))
    ]


def some_p(system: Dynamic) -> st.SearchStrategy[Any]:
    """Parameters in their ranges."""
    return (st.just({}) | some_params(system)).map(lambda given_: plain_settings(system, given_))


# --- the loop --------------------------------------------------------------------------------


@of_those(lambda system: system.common is None)
@few
@given(data=st.data())
def test_the_loop_is_a_fold(system, data):
    """Games, contests and rounds of sides: the loop is the contract word for word."""
    table, period = data.draw(some_team_table(system))
    params = data.draw(st.just({}) | some_params(system))
    options = {"forecasts": True, "params": params}
    ratings = rate(table, system, period=period, compiled=False, **options)
    rating, forecasts = rated(table, system, period, params)
    assert ratings.state.rating.tolist() == [approx(list(one), **CLOSE) for one in rating]
    assert ratings.forecasts.tolist() == approx(forecasts, **CLOSE)


@every
@few
@given(data=st.data())
def test_compiled_is_plain(system, data):
    """Compiled and as plain Python the loop gives the same bits.

    Every second system has games, the others contests: the loops know no system.
    """
    kind = ("games", "contests")[list(TEAMS).index(system.name) % 2]
    table, period = data.draw(some_team_table(system, weights=False, kind=kind))
    table = table.replace(  # one compilation serves all tables
        time=18_262.0 + np.arange(len(table)) if table.time is None else table.time,
        share=np.ones(len(table.player)) if table.share is None else table.share,
        weight=np.ones(len(table)) if system.weights else None,
    )
    params = one_setting(system) | data.draw(st.just({}) | some_params(system))
    plain, compiled = (
        rate(table, system, period=period, compiled=way, forecasts=True, params=params)
        for way in (False, True)
    )
    assert np.array_equal(plain.state.rating, compiled.state.rating)
    assert np.array_equal(plain.forecasts, compiled.forecasts, equal_nan=True)
    assert (plain.draws is None) == (compiled.draws is None)
    if plain.draws is not None:
        assert np.array_equal(plain.draws, compiled.draws, equal_nan=True)


@every
@few
@given(data=st.data())
def test_further_games_are_the_same_table(system, data):
    """Ratings of the first contests, then the others, are the ratings of all, bit for bit."""
    table = data.draw(some_team_games() | some_team_contests())
    assume(len(table) > 1)
    cut = data.draw(st.integers(1, len(table) - 1))
    first, second = table.first(cut), table.select(slice(cut, None))
    both = rate_on(rate(first, system, compiled=False, params=one_setting(system)), second)
    players = both.state.rating[: len(table.players)]
    assert np.array_equal(players, states(system, table, None))


@every
@few
@given(data=st.data())
def test_terms_add_up(system, data):
    """The terms of every change of a member add up to it, and changes lead to the rating."""
    table, period = data.draw(some_team_table(system))
    params = one_setting(system)
    ratings = rate(table, system, period=period, compiled=False, params=params)
    for index, player in enumerate(ratings):
        rating = None
        for step in ratings.history(player):
            assert rating is None or step.before == rating
            rating = step.after
            assert fsum(step.terms.values()) == step.change == step.after - step.before
        assert rating is None or rating == ratings.state.rating[index, 0]


# --- what plays no part ----------------------------------------------------------------------


@every
@few
@given(data=st.data())
def test_order_of_members(system, data):
    """Who is named first in a side changes nothing."""
    table, period = data.draw(some_team_table(system))
    order = np.concatenate(
        [
            data.draw(st.permutations(range(table.ends[s], table.ends[s + 1])))
            for s in range(len(table.ends) - 1)
        ]
    )
    share = None if table.share is None else table.share[order]
    other = table.replace(player=table.player[order], share=share)
    assert states(system, other, period) == approx(states(system, table, period), **CLOSE)


@every
@few
@given(table=some_team_games())
def test_which_side_is_named_first(system, table):
    """A game may be written down from either side."""
    order = np.arange(len(table.ends) - 1).reshape(-1, 2)[:, ::-1].ravel()
    size = np.diff(table.ends)[order]
    members = np.concatenate([np.arange(table.ends[s], table.ends[s + 1]) for s in order])
    turned = table.replace(
        player=table.player[members],
        share=None if table.share is None else table.share[members],
        ends=np.concatenate(([0], np.cumsum(size))),
        score=1.0 - table.score,
        side=-table.side,
        margin=-table.margin,
    )
    close = approx(states(system, table, None), **CLOSE)
    assert states(system, turned, None) == close or excused(system, "either_side")


@every
@few
@given(data=st.data())
def test_order_of_sides_in_a_contest(system, data):
    """The sides of a contest may stand in any order."""
    table = data.draw(some_team_contests(size=1))
    order = np.array(data.draw(st.permutations(range(len(table.place)))))
    members = np.concatenate([np.arange(table.ends[s], table.ends[s + 1]) for s in order])
    other = table.replace(
        player=table.player[members],
        share=None if table.share is None else table.share[members],
        ends=np.concatenate(([0], np.cumsum(np.diff(table.ends)[order]))),
        place=table.place[order],
    )
    close = {"rel": 1e-7, "abs": 1e-7}  # messages end within a part in 10^12 of their limit
    assert states(system, other, None) == approx(states(system, table, None), **close)


@of_those(lambda system: system.rounds != "game")
@few
@given(data=st.data())
def test_order_within_a_round(system, data):
    """The games of one round may be shuffled: no rating moves."""
    table = data.draw(some_team_games(timed=False, weighted=system.weights))
    table = table.replace(round=np.zeros(len(table), dtype=np.int32))
    shuffled = table.select(np.array(data.draw(st.permutations(range(len(table))))))
    one, other = (states(system, each, "round") for each in (table, shuffled))
    assert other == approx(one, **CLOSE)


@every
@few
@given(data=st.data())
def test_names_play_no_part(system, data):
    """Players may be renumbered: everybody keeps the rating to the last bit."""
    table, period = data.draw(some_team_table(system))
    number = np.array(data.draw(st.permutations(range(len(ROSTER)))), dtype=np.uint32)
    other = states(system, table.replace(player=number[table.player]), period)
    assert np.array_equal(other[number], states(system, table, period))


@every
@few
@given(table=some_team_games(most=1, shared=False, weighted=True))
def test_a_side_of_one_is_the_player(system, table):
    """Sides of one member are the players themselves, to the last bit."""
    ids = table.player.reshape(-1, 2)
    facts = ("time", "side", "margin", "length", "weight")
    duels = Games(
        ROSTER,
        a=np.ascontiguousarray(ids[:, 0]),
        b=np.ascontiguousarray(ids[:, 1]),
        score=table.score,
        **{name: getattr(table, name) for name in facts},
    )
    assert np.array_equal(states(system, table, None), states(system, duels, None))


@every
@few
@given(data=st.data())
def test_a_whole_share_need_not_be_said(system, data):
    """Members without shares take part in all of it."""
    table, period = data.draw(some_team_table(system))
    table = table.replace(share=None)
    whole = table.replace(share=np.ones(len(table.player)))
    assert np.array_equal(states(system, table, period), states(system, whole, period))


@of_those(lambda system: system.weights and system.rounds != "game")
@few
@given(data=st.data())
def test_a_weight_of_two_is_two_games(system, data):
    """A game of weight two counts as the same game played twice in one round."""
    table = data.draw(some_team_games(timed=False))
    table = table.replace(round=np.zeros(len(table), dtype=np.int32))
    row = data.draw(st.integers(0, len(table) - 1))
    weight = np.ones(len(table))
    weight[row] = 2.0
    twice = table.select(np.array(sorted([*range(len(table)), row])))
    one = states(system, table.replace(weight=weight), "round")
    assert one == approx(states(system, twice, "round"), **CLOSE)


# --- what a game does ------------------------------------------------------------------------


@every
@given(data=st.data())
def test_a_win_lowers_no_member(system, data):
    """No member of a winning side is rated lower for it, none of a losing side higher."""
    p = data.draw(some_p(system))
    sides = data.draw(lined_up(system, p))
    for side, after, sign in zip(sides, played(system, p, sides, (1, 2)), (1, -1), strict=True):
        for (me, _), one in zip(side, after, strict=True):
            assert sign * (one.rating - me.rating) >= -1e-9 * (1.0 + abs(me.rating))


@every
@given(data=st.data())
def test_forecasts_of_a_game_are_one(system, data):
    """What both sides are expected to score adds up to one."""
    p = data.draw(some_p(system))
    mine, theirs = (side_of(system, p, side) for side in data.draw(lined_up(system, p)))
    game = Game(side=data.draw(st.sampled_from((-1.0, 0.0, 1.0))))
    both = oracle.expected_of(system, p, mine, theirs, game)
    both += oracle.expected_of(system, p, theirs, mine, oracle.mirrored(game))
    assert both == approx(1.0, abs=1e-12)


@of_those(lambda system: system.mirrors)
@given(data=st.data(), score=st.sampled_from((0.0, 0.5, 1.0)))
def test_derived_evidence_is_asked_evidence(system, data, score):
    """Where evidence says how it mirrors, the other side's is what asking would give."""
    p = data.draw(some_p(system))
    mine, theirs = (side_of(system, p, side) for side in data.draw(lined_up(system, p)))
    game = Game(score, data.draw(st.sampled_from((-1.0, 0.0, 1.0))))
    derived = mirror_of(system.evidence_zero, system.mirrors)(
        oracle.evidence_of(system, p, mine, theirs, game)
    )
    asked = oracle.evidence_of(system, p, theirs, mine, oracle.mirrored(game))
    assert tuple(derived) == approx(tuple(asked), rel=1e-9, abs=1e-12)


@of_those(lambda system: system.keeps_sum)
@given(data=st.data(), size=st.integers(1, 3))
def test_sides_of_equal_size_keep_the_sum(system, data, size):
    """What the members of one side gain the members of the other lose."""
    p = data.draw(some_p(system))
    sides = [[(data.draw(known(system, p)), 1.0) for _ in range(size)] for _ in "ab"]
    after = played(system, p, sides, (1, 2))
    before = fsum(me.rating for side in sides for me, _ in side)
    assert fsum(me.rating for side in after for me in side) == approx(before, rel=1e-12)


@every
def test_equal_members_change_alike(system):
    """Newcomers of one side, all there from start to end, end with the same rating."""
    table = team_games([[[0, 1, 2], [3, 4]]], [1.0])
    rating = states(system, table, None)
    assert (rating[0] == rating[1]).all()
    assert (rating[1] == rating[2]).all()
    assert (rating[3] == rating[4]).all()
    assert rating[0, 0] > rating[3, 0]
    assert np.array_equal(rating[5], rating[6])
