"""Laws of the whole catalogue, from the declarations alone: a new system is covered unasked.

A law that a system breaks on purpose is looked up in its own `breaks`, and then a reason must
stand there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import fsum
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import Phase, assume, given, strategies as st
from pytest import approx

from prowess.engine.check import check_system
from prowess.engine.params import parameters, settings
from prowess.engine.periods import Rounds, parse_period, rounds_of
from prowess.engine.rate import rate, rate_on
from prowess.engine.replay import play
from prowess.engine.state import State, initial_state
from prowess.engine.system import Choice, Dynamic, Game, Unratable
from prowess.systems.catalogue import catalogue
from tests.engine.fold import Fold, rated
from tests.engine.tables import (
    ROSTER,
    contests,
    games,
    kinds,
    some_contests,
    some_games,
    some_params,
    some_table,
    taken,
)
from tests.oracle import foreseen, mirrored, played

CATALOGUE = {name: system for name, system in catalogue().items() if isinstance(system, Dynamic)}
LAWS = {
    "win_never_lowers",
    "loss_never_raises",
    "monotone",
    "symmetric",
    "order_in_round",
    "finite",
    "sum",
}


def every(keep: Callable[[Dynamic], bool] = lambda system: True) -> Any:
    """The test, once for each system of the catalogue that is kept."""
    chosen = [system for system in CATALOGUE.values() if keep(system)]
    assert chosen
    return pytest.mark.parametrize("system", chosen, ids=[system.name for system in chosen])


def excused(system: Dynamic, law: str) -> bool:
    """Whether a system says itself, with a reason, that it breaks a law."""
    if law not in system.breaks:
        return False
    assert_reason(system, law)
    return True


def assert_reason(system: Dynamic, law: str) -> None:
    """A reason is a sentence: several words."""
    assert len(system.breaks[law].split()) > 4, f"{system.name}: why does it break {law}?"


@st.composite
def met(draw: st.DrawFn, system: Dynamic) -> tuple[Any, Any, Any, Any]:
    """Parameters, two players as a few games left them, and the league's sum."""
    fold = Fold(system, settings(system, draw(st.just({}) | some_params(system))))
    for _ in range(draw(st.integers(0, 8))):
        a, b = draw(st.permutations((0, 1, 2)))[:2]
        score = draw(st.sampled_from((0.0, 0.5, 1.0)))
        many = draw(st.sampled_from((1, 1, 10)))  # some players have played a lot
        for _ in range(many):
            fold.play([(a, b, Game(score, length=15.0), 1.0)], None)
    a, b = draw(st.permutations((0, 1, 2)))[:2]
    lost = not np.isfinite((fold.of(a), fold.of(b))).all()
    assert not lost or excused(system, "finite")
    assume(not lost)
    return fold.p, fold.of(a), fold.of(b), fold.league(0.0)


def after(system: Dynamic, me: Any, opponent: Any, game: Game, p: Any, league: Any) -> float:
    """The rating of `me` after a game; a number, unless the system says why it may be none."""
    rating: float = played(system, me, opponent, game, p, league)[0].rating
    assert np.isfinite(rating) or excused(system, "finite")
    assume(bool(np.isfinite(rating)))
    return rating


sides = st.sampled_from((-1.0, 0.0, 1.0))
results = st.builds(Game, st.just(1.0), sides, st.floats(0, 20), st.sampled_from((0.0, 5.0, 60.0)))


# --- what one game does ------------------------------------------------------------------


@every()
@given(data=st.data(), game=results)
def test_a_win_never_lowers(system, data, game):
    """Whoever wins a game is not rated lower for it."""
    p, me, opponent, league = data.draw(met(system))
    if not excused(system, "win_never_lowers"):
        assert after(system, me, opponent, game, p, league) >= me.rating


@every()
@given(data=st.data(), game=results)
def test_a_loss_never_raises(system, data, game):
    """Whoever loses a game is not rated higher for it."""
    p, me, opponent, league = data.draw(met(system))
    if not excused(system, "loss_never_raises"):
        assert after(system, me, opponent, mirrored(game), p, league) <= me.rating


@every()
@given(data=st.data(), scores=st.tuples(st.floats(0, 1), st.floats(0, 1)), side=sides)
def test_more_score_more_rating(system, data, scores, side):
    """Of two scores in the same game the larger never leads to the lower rating."""
    p, me, opponent, league = data.draw(met(system))
    low, high = (
        after(system, me, opponent, Game(score, side), p, league) for score in sorted(scores)
    )
    assert high >= low or excused(system, "monotone")


@every()
@given(data=st.data(), margins=st.tuples(st.floats(0, 99), st.floats(0, 99)))
def test_more_margin_more_rating(system, data, margins):
    """Of two wins the clearer never leads to the lower rating."""
    p, me, opponent, league = data.draw(met(system))
    low, high = (
        after(system, me, opponent, Game(1.0, margin=margin), p, league)
        for margin in sorted(margins)
    )
    assert high >= low or excused(system, "monotone")


@every()
@given(data=st.data(), game=results)
def test_forecasts_of_a_game_are_one(system, data, game):
    """What both players are expected to score adds up to one, whoever has the advantage."""
    p, me, opponent, _ = data.draw(met(system))
    both = foreseen(system, me, opponent, game, p)
    both += foreseen(system, opponent, me, mirrored(game), p)
    assert both == approx(1.0, abs=1e-12) or excused(system, "symmetric")


# --- time --------------------------------------------------------------------------------

timed = every(lambda system: system.drift is not None)
spans = st.floats(0, 100)


@timed
@given(data=st.data())
def test_no_time_changes_nothing(system, data):
    """A drift of zero time returns the same player."""
    p, me, _, _ = data.draw(met(system))
    assert system.drift(p, me, 0.0) == me


@timed
@given(data=st.data(), elapsed=spans, more=spans)
def test_time_never_makes_surer(system, data, elapsed, more):
    """The longer a player has been idle, the less is known of him."""
    p, me, _, _ = data.draw(met(system))
    unsure = [name for name in me._fields if name in ("deviation", "k")]
    assert unsure, "what grows in this system?"
    later, latest = system.drift(p, me, elapsed), system.drift(p, me, elapsed + more)
    for name in unsure:
        assert getattr(me, name) <= getattr(later, name) <= getattr(latest, name)


@timed
@given(data=st.data(), first=spans, then=spans)
def test_two_waits_are_one(system, data, first, then):
    """Drifting twice is drifting once for the sum of both times."""
    p, me, _, _ = data.draw(met(system))
    twice = system.drift(p, system.drift(p, me, first), then)
    assert twice == approx(system.drift(p, me, first + then), abs=1e-6)


# --- rounds ------------------------------------------------------------------------------


@every(lambda system: system.rounds != "game")
@given(table=some_games(timed=False), data=st.data())
def test_order_within_a_round(system, table, data):
    """The games of one round may be shuffled: no rating moves."""
    if excused(system, "order_in_round"):
        return
    order = data.draw(st.permutations(range(len(table))))
    table = table.replace(round=np.zeros(len(table), dtype=np.int32))
    one = rate(table, system, period="round", compiled=False)
    other = rate(taken(table, order), system, period="round", compiled=False)
    assert other.state.rating == approx(one.state.rating, rel=1e-9, abs=1e-9)  # sums round


@every()
@given(table=some_contests(size=1), data=st.data())
def test_order_within_a_contest(system, table, data):
    """The rows of one contest may be shuffled: no rating moves."""
    if excused(system, "order_in_round"):
        return
    order = data.draw(st.permutations(range(len(table.player))))
    shuffled = table.replace(player=table.player[order], place=table.place[order])
    one, other = (rate(t, system, compiled=False).state.rating for t in (table, shuffled))
    assert other == approx(one, rel=1e-9, abs=1e-9)  # sums round


@every()
@given(data=st.data())
def test_names_play_no_part(system, data):
    """Players may be renamed and renumbered: everybody keeps his rating to the last bit."""
    table, period = data.draw(some_table(system))
    order = data.draw(st.permutations(range(len(table.players))))
    number = np.array(order, dtype=np.uint32)
    roster = tuple(f"player {index}" for index in range(len(order)))
    if not table.pairwise:
        renamed: Any = table.replace(players=roster, player=number[table.player])
    else:
        renamed = table.replace(players=roster, a=number[table.a], b=number[table.b])
    one, other = (lawful(system, t, period) for t in (table, renamed))
    if one is not None and other is not None:
        assert np.array_equal(other.state.rating[number], one.state.rating)


@every(lambda system: system.rounds != "period")
@given(table=some_games())
def test_which_side_is_called_a(system, table):
    """A game may be written down from either side."""
    if system.rounds == "game" and table.time is None:
        table = table.replace(time=np.arange(len(table), dtype=np.float64))
    turned = table.replace(
        a=table.b,
        b=table.a,
        score=1.0 - table.score,
        side=-table.side,
        margin=-table.margin,
        points_a=table.points_b,
        points_b=table.points_a,
    )
    one, other = (lawful(system, t, None) for t in (table, turned))
    if one is not None and other is not None:
        assert other.state.rating == approx(one.state.rating, rel=1e-9, abs=1e-9)


@every(lambda system: system.weights and system.rounds != "game")
@given(table=some_games(weighted=False, timed=True), data=st.data())
def test_a_weight_of_two_is_two_games(system, table, data):
    """A game of weight two counts as the same game played twice in one round."""
    row = data.draw(st.integers(0, len(table) - 1))
    twice = taken(table, sorted([*range(len(table)), row]))
    weight = np.ones(len(table))
    weight[row] = 2.0
    one = lawful(system, table.replace(weight=weight), "1y")
    other = lawful(system, twice, "1y")
    if one is not None and other is not None:
        assert one.state.rating == approx(other.state.rating, rel=1e-9, abs=1e-9)


@every(lambda system: not system.weights)
def test_weights_are_refused(system):
    """A system that counts whole games says so when it is given weights."""
    if system.rounds == "game":
        table: Any = contests([[("Ada", 1), ("Ben", 2)]], weight=[2.0])
    else:
        table = games([("Ada", "Ben", 1.0)], weight=[2.0])
    with pytest.raises(Unratable, match="weights"):
        rate(table, system, period=None)
    unweighted = rate(table.replace(weight=None), system)
    with pytest.raises(Unratable, match="weights"):
        rate_on(unweighted, table)


@every(lambda system: system.keeps_sum)
@given(data=st.data())
def test_the_sum_is_kept(system, data):
    """What one player gains others lose."""
    table, period = data.draw(some_table(system))
    ratings = lawful(system, table, period)
    if ratings is not None:
        start = initial_state(system, ratings.p, len(table.players), {}).rating[:, 0]
        assert fsum(ratings.state.rating[:, 0]) == approx(fsum(start), rel=1e-12)


# --- the loop ----------------------------------------------------------------------------


def lawful(system: Dynamic, table: Any, period: str | None, **options: Any) -> Any:
    """The ratings, or None where a system that says so lost its numbers."""
    options.setdefault("compiled", False)
    try:
        return rate(table, system, period=period, **options)
    except Unratable:
        if excused(system, "finite"):
            return None
        raise


@every()
@given(data=st.data())
def test_the_loop_is_a_fold(system, data):
    """Games, periods and contests, with time, sides and weights: the loop is the obvious fold."""
    table, period = data.draw(some_table(system))
    params = data.draw(st.just({}) | some_params(system))
    ratings = lawful(system, table, period, forecasts=True, params=params)
    if ratings is not None:
        rating, forecasts = rated(table, system, period, params)
        tolerance = {"rel": 1e-9, "abs": 1e-9, "nan_ok": True}  # sums round
        assert ratings.state.rating.tolist() == [approx(list(r), **tolerance) for r in rating]
        assert ratings.forecasts.tolist() == approx(forecasts, **tolerance)


def all_columns(system: Dynamic, table: Any, period: str | None) -> Any:
    """The table with times and, where they may be, weights: one compilation serves all tables."""
    rounds = len(table)
    if table.time is None:
        table = table.replace(time=18_262.0 + np.arange(rounds))
    if table.weight is None and system.weights:
        table = table.replace(weight=np.ones(rounds))
    return table


def onto(system: Dynamic, table: Any, period: str | None, p: Any) -> tuple[State, Rounds, Any]:
    """A state of newcomers, the rounds, and the table in the order of play."""
    rounds = rounds_of(system, table, period)
    if rounds.order is not None:
        table = table.select(rounds.order)
    return initial_state(system, p, len(table.players), {}), rounds, table


def forecasts_of(table: Any) -> Any:
    """Room for the forecasts of a table."""
    return np.full(len(table.player) if not table.pairwise else len(table), np.nan)


def same(one: Any, other: Any) -> bool:
    """Equal to the last bit, nan included."""
    return bool(np.array_equal(one, other, equal_nan=True))


def assert_same(one: State, other: State) -> None:
    """Two states are equal to the last bit."""
    assert same(one.rating, other.rating)
    assert same(one.seen, other.seen)
    if one.league is not None and other.league is not None:
        assert all(map(same, one.league, other.league))


@every()
@given(data=st.data())
def test_compiled_is_plain(system, data):
    """Compiled and as plain Python the loop gives the same state and forecasts, bit for bit."""
    table, period = data.draw(some_table(system))
    table = all_columns(system, table, period)
    p = settings(system, data.draw(st.just({}) | some_params(system)))
    outcomes = []
    for compiled in (False, True):
        state, rounds, in_order = onto(system, table, period, p)
        forecasts = forecasts_of(table)
        with np.errstate(all="ignore"):
            play(state, in_order, rounds, forecasts=forecasts, compiled=compiled)
        outcomes.append((state, forecasts))
    (plain, plain_forecasts), (compiled_state, compiled_forecasts) = outcomes
    assert_same(plain, compiled_state)
    assert same(plain_forecasts, compiled_forecasts)


@every()
@given(data=st.data())
def test_live_is_batch(system, data):
    """Played round by round, by either loop, a table gives the state it gives at once."""
    table, period = data.draw(some_table(system))
    table = all_columns(system, table, period)
    p = settings(system, {})
    batch, rounds, table = onto(system, table, period, p)
    with np.errstate(all="ignore"):
        play(batch, table, rounds, compiled=False, forecasts=forecasts_of(table))
        live = State.empty(system, p)  # knows nobody: players join as they appear
        count = len(table) if rounds.bounds is None else len(rounds.bounds) - 1
        for r in range(count):
            live = live.with_players(newest(table, rounds, r) + 1)
            compiled = data.draw(st.booleans())
            forecasts = forecasts_of(table)
            play(live, table, rounds, span=(r, r + 1), forecasts=forecasts, compiled=compiled)
    assert_same(live.with_players(len(table.players)), batch)


def newest(table: Any, rounds: Rounds, r: int) -> int:
    """The largest player number up to a round."""
    last = r + 1 if rounds.bounds is None else int(rounds.bounds[r + 1])
    if not table.pairwise:
        return int(table.player[:last].max())
    return int(max(table.a[:last].max(), table.b[:last].max()))


@every()
@given(data=st.data())
def test_further_games_are_the_same_table(system, data):
    """Ratings of the first part `then` the second are the ratings of the whole, bit for bit."""
    table, period = data.draw(some_table(system))
    assume(period != "round")  # labels of two tables are two tables' labels
    assume(len(table) > 1)
    cut = data.draw(st.integers(1, len(table) - 1))
    whole = lawful(system, table, period)
    first, second = halves(table, cut)
    begin = lawful(system, first, period)
    if whole is None or begin is None:
        return
    if period and len(set(parse_period(period).number(table.time[cut - 1 : cut + 1]))) == 1:
        with pytest.raises(Unratable, match="already closed"):
            rate_on(begin, second)
        return
    both = rate_on(begin, second)
    assert_same(both.state, whole.state)
    assert same(both.values, whole.values)
    assert (both.game_counts.tolist(), both.day) == (whole.game_counts.tolist(), whole.day)


def halves(table: Any, cut: int) -> tuple[Any, Any]:
    """The table before and after a row (or contest), each with its own roster."""
    if table.duels:
        ends: Iterable[Any] = (slice(0, cut), slice(cut, len(table)))
        first, second = (taken(table, rows) for rows in ends)
        return first, second
    row = int(table.start[cut])
    return tuple(
        table.replace(
            start=table.start[starts] - table.start[starts][0],
            player=table.player[rows],
            place=table.place[rows],
            time=None if table.time is None else table.time[which],
            weight=None if table.weight is None else table.weight[which],
        )
        for starts, rows, which in (
            (slice(0, cut + 1), slice(0, row), slice(0, cut)),
            (slice(cut, None), slice(row, None), slice(cut, None)),
        )
    )


# --- parameters --------------------------------------------------------------------------


@every()
@given(data=st.data())
def test_parameters_in_range_give_numbers(system, data):
    """Whatever parameters are allowed, ratings are finite and forecasts are in [0, 1]."""
    table, period = data.draw(some_table(system))
    if table.duels and data.draw(st.booleans()):  # many games a round
        table = taken(table, np.repeat(np.arange(len(table)), 30))
    params = data.draw(some_params(system))
    ratings = lawful(system, table, period, forecasts=True, params=params)
    if ratings is not None:
        assert np.isfinite(ratings.values).all()
        forecasts = ratings.forecasts
        alone = [np.diff(table.start) == 1] if not table.pairwise else []
        assert np.isnan(forecasts).sum() == sum(map(np.sum, alone))
        assert ((forecasts >= 0) & (forecasts <= 1) | np.isnan(forecasts)).all()


@every()
def test_defaults_are_in_range(system):
    """The declaration is complete and every default is a value that may be given."""
    assert check_system(system) is system
    for parameter in parameters(system).values():
        assert parameter.parse(parameter.display(parameter.default)) == parameter.default
        if not isinstance(parameter.domain, Choice):
            assert parameter.domain.low < parameter.domain.high
            assert parameter.domain.unit, f"{parameter.name}: in what unit?"


@every(lambda system: len(system.params) > 0)
@given(data=st.data())
def test_parameters_are_echoed(system, data):
    """Rating again with the parameters that ratings report gives the same ratings."""
    table, period = data.draw(some_table(system))
    params = data.draw(some_params(system))
    ratings = lawful(system, table, period, params=params)
    if ratings is not None:
        assert ratings.params == params
        again = lawful(system, table, period, params=ratings.params)
        assert same(again.values, ratings.values)


# --- what people read --------------------------------------------------------------------


@every()
def test_the_docstring_says_all(system):
    """Formula, source, units and differences are stated, each with some text."""
    head, *parts = system.doc.split("\n\n", 1)
    assert head.strip().endswith((".", "rating"))
    lines = "".join(parts).splitlines()
    for heading in ("Formula", "Source", "Units", "Differs"):
        assert [line for line in lines if line.startswith(f"{heading} ")], heading


@every()
def test_broken_laws_have_a_reason(system):
    """What a system breaks is a law of this file, and the reason is a sentence."""
    assert set(system.breaks) <= LAWS
    for law in system.breaks:
        assert_reason(system, law)


def broken(system: Dynamic, law: str) -> st.SearchStrategy[Any]:
    """Situations, each with whether it breaks one of the laws of a single game."""

    @st.composite
    def situation(draw: st.DrawFn) -> bool:
        p, me, opponent, league = draw(met(system))
        margins = sorted(draw(st.tuples(st.floats(0, 99), st.floats(0, 99))))
        low, high = (
            (
                after(system, me, opponent, Game(0.0, margin=-margin), p, league),
                after(system, me, opponent, Game(1.0, margin=margin), p, league),
            )
            for margin in margins
        )
        seen: dict[str, bool] = {
            "win_never_lowers": high[1] < me.rating,
            "loss_never_raises": low[0] > me.rating,
            "monotone": high[1] < low[1] or high[1] < high[0],
        }
        return seen[law]

    return situation()


ONE_GAME = ("win_never_lowers", "loss_never_raises", "monotone")
EXCUSES = [(s, law) for s in CATALOGUE.values() for law in s.breaks if law in ONE_GAME]


@pytest.mark.parametrize(("system", "law"), EXCUSES, ids=[f"{s.name}-{law}" for s, law in EXCUSES])
def test_excuses_are_needed(system, law):
    """A law that a system says it breaks is one that it really breaks."""
    search = hypothesis.settings(
        max_examples=2000, derandomize=True, database=None, deadline=None, phases=[Phase.generate]
    )
    hypothesis.find(broken(system, law), bool, settings=search)


@every(lambda system: "sum" in system.breaks)
def test_who_does_not_keep_the_sum_does_not_say_so(system):
    """A system either keeps the sum of ratings or tells why not."""
    assert not system.keeps_sum


@every()
@given(data=st.data())
def test_terms_add_up(system, data):
    """The terms of every change add up to it exactly, and changes lead to the rating."""
    table, period = data.draw(some_table(system))
    params = data.draw(st.just({}) | some_params(system))
    ratings = lawful(system, table, period, params=params)
    if ratings is None:
        return
    for index, player in enumerate(ratings):
        history = ratings.history(player)
        rating = initial_state(system, ratings.p, 1, {}).rating[0, 0]
        for step in history:
            assert step.before == rating
            rating = step.after
            assert step.change == step.after - step.before
            assert fsum(step.terms.values()) == step.change
        assert rating == ratings.state.rating[index, 0]


@every()
@given(data=st.data())
def test_equal_ratings_share_a_rank(system, data):
    """A rank is one more than the number of players rated higher: 1, 2, 2, 4."""
    table, period = data.draw(some_table(system))
    ratings = lawful(system, table, period)
    if ratings is None:
        return
    rows = ratings.leaderboard().rows()
    assert sorted(row["player"] for row in rows) == sorted(table.players)
    for row in rows:
        better = [other for other in rows if other["rating"] > row["rating"]]
        assert row["rank"] == 1 + len(better) == ratings[row["player"]].rank


def test_every_way_of_rating_is_met():
    """Each system can be asked in at least one way, and all ways occur."""
    ways = {kind for system in CATALOGUE.values() for kind in kinds(system)}
    assert ways == {"games", "7d", "1mo", "round", "contests"}
    assert len(ROSTER) > 4
