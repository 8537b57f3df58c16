"""Laws of every system that looks at the whole table at once, from the declarations alone.

A law that a system breaks on purpose is looked up in its own `breaks`, where a reason must stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import assume, strategies as st

from prowess.engine.check import check_system
from prowess.engine.fit import NoModel, WholeTableRatings, fit_table
from prowess.engine.params import parameters
from prowess.engine.system import Unratable
from prowess.engine.whole_table import BALLOTS, GAMES, WholeTable
from prowess.games.games import Games
from prowess.systems.catalogue import catalogue
from tests.engine.tables import ROSTER, games, some_contests, some_games, some_params, taken
from tests.refusals import refused

CATALOGUE = {n: s for n, s in catalogue().items() if isinstance(s, WholeTable)}
LAWS = {
    "names",  # of the players are irrelevant
    "order",  # of the rows is irrelevant; a system that is `ordered` need not excuse itself
    "sides",  # which of two players stands first in a row is irrelevant
    "monotone",  # a win instead of a loss never lowers the winner among the others
    "weights",  # a game of weight 2 is two games
    "parameters",  # in their ranges give finite numbers
}
CLOSE = 1e-6  # relative; solvers stop somewhere
FEW = hypothesis.settings(max_examples=6)  # of each law and system: there are hundreds of pairs


def given(**strategies: Any) -> Any:
    """Hypothesis's given, with few examples."""
    return lambda test: FEW(hypothesis.given(**strategies)(test))


def every(keep: Callable[[WholeTable], bool] = lambda system: True) -> Any:
    """The test, once for each system that is kept."""
    chosen = [system for system in CATALOGUE.values() if keep(system)]
    assert chosen
    return pytest.mark.parametrize("system", chosen, ids=[system.name for system in chosen])


def excused(system: WholeTable, law: str) -> bool:
    """Whether a system says itself, with a reason, that it breaks a law."""
    if law not in system.breaks:
        return False
    assert len(system.breaks[law].split()) > 4, f"{system.name}: why does it break {law}?"
    return True


@st.composite
def some_table(draw: st.DrawFn, system: WholeTable, **options: Any) -> Games:
    """A table that a system can read."""
    if draw(st.sampled_from(system.reads)) == BALLOTS:
        return draw(some_contests(**options))
    return draw(some_games(size=16, **options))


def lawful(system: WholeTable, table: Games, **options: Any) -> WholeTableRatings:
    """The ratings of a table; one that the system refuses in words is no example."""
    known = parameters(system)
    if "samples" in known:  # who draws at random draws as little as he may, so that all is quick
        options["params"] = {**options.get("params", {}), "samples": known["samples"].domain.low}
    try:
        return fit_table(table, system, **options)
    except Unratable as refusal:
        words = len(str(refusal).split())
    assert words > 3
    assume(False)
    raise AssertionError


def close(
    one: WholeTableRatings, other: WholeTableRatings, names: Mapping[str, str] | None = None
) -> bool:
    """Whether two fits give the same players (by name) the same values."""
    named = names or {name: name for name in one.players}
    there = [other.index(named[name]) for name in one.players if named[name] in other]
    here = [k for k, name in enumerate(one.players) if named[name] in other]
    played = one.game_counts[here] > 0
    for field in one.fields:
        mine = np.asarray(one.columns[field], dtype=np.float64)[here][played]
        theirs = np.asarray(other.columns[field], dtype=np.float64)[there][played]
        if not np.allclose(mine, theirs, rtol=CLOSE, atol=CLOSE, equal_nan=True):
            return False
    return True


def renamed(table: Any, roster: list[str]) -> Any:
    """The same results of players with other names."""
    return table.replace(players=tuple(roster))


def renumbered(table: Any, order: list[int]) -> Any:
    """The same results with the roster in another order."""
    place = np.argsort(order)
    ids = {c: place[getattr(table, c)].astype(np.uint32) for c in ("a", "b") if hasattr(table, c)}
    if not table.pairwise:
        ids["player"] = place[table.player].astype(np.uint32)
    return table.replace(players=tuple(table.players[k] for k in order), **ids)


def mirrored(table: Games, rows: Any) -> Games:
    """The same games, some of them seen from the other side."""
    columns: dict[str, Any] = {
        "a": np.where(rows, table.b, table.a),
        "b": np.where(rows, table.a, table.b),
        "score": np.where(rows, 1.0 - table.score, table.score),
    }
    for name in ("side", "margin"):
        column = getattr(table, name)
        columns[name] = np.where(rows, -column, column)
    columns["points_a"] = np.where(rows, table.points_b, table.points_a)
    columns["points_b"] = np.where(rows, table.points_a, table.points_b)
    return table.replace(**columns)


# --- what must not matter ----------------------------------------------------------------


@every()
@given(data=st.data())
def test_the_roster_is_irrelevant(system, data):
    """Players may be numbered in any order and called otherwise; one without a game changes
    nobody's values and is not shown.
    """
    table = data.draw(some_table(system))
    one = lawful(system, table)
    order = data.draw(st.permutations(range(len(table.players))))
    assert close(one, lawful(system, renumbered(table, order)))
    other_names = dict(zip(table.players, data.draw(st.permutations(table.players)), strict=True))
    other = lawful(system, renamed(table, [other_names[name] for name in table.players]))
    assert close(one, other, other_names) or excused(system, "names")
    more = lawful(system, table.replace(players=(*table.players, "Nobody")))
    if BALLOTS not in system.reads:  # on a ballot, who is not ranked may stand below the others
        assert close(one, more)
    assert "Nobody" not in more.leaderboard().columns["player"]


@every(lambda system: GAMES in system.reads and not system.ordered)
@given(data=st.data())
def test_order_of_the_rows_is_irrelevant(system, data):
    """Games may stand in any order."""
    table = data.draw(some_games(size=16, timed=False))
    rows = np.array(data.draw(st.permutations(range(len(table)))))
    one = lawful(system, table)
    assert close(one, lawful(system, taken(table, rows))) or excused(system, "order")


@every(lambda system: GAMES in system.reads)
@given(data=st.data())
def test_sides_of_a_row_are_irrelevant(system, data):
    """Ada against Ben is Ben against Ada with the score mirrored."""
    table = data.draw(some_games(size=16))
    rows = data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table)))
    one = lawful(system, table)
    assert close(one, lawful(system, mirrored(table, np.array(rows)))) or excused(system, "sides")


@every(lambda system: GAMES in system.reads and system.weights and not system.ordered)
@given(data=st.data())
def test_weights_count_games(system, data):
    """A game of weight 2 is two games."""
    table = data.draw(some_games(size=12, timed=False))
    count = data.draw(st.lists(st.integers(1, 3), min_size=len(table), max_size=len(table)))
    weighted = table.replace(weight=np.array(count, dtype=np.float64))
    one = lawful(system, weighted)
    other = lawful(system, taken(table, np.repeat(np.arange(len(table)), count)))
    assert close(one, other) or excused(system, "weights")


# --- what must ----------------------------------------------------------------------------


@every()
@given(data=st.data())
def test_facts_of_a_fit(system, data):
    """Every fit has numbers, ranks and intervals, and no history: see the four checks."""
    ratings = lawful(system, data.draw(some_table(system)))
    check_numbers(ratings)
    check_ranks(ratings)
    check_intervals(ratings)
    with pytest.raises(NoModel):  # there is no history of a rating that comes from all games
        ratings.history(ratings.players[0])


def check_numbers(ratings):
    """Every value of a player who has played is finite."""
    for column in ratings.columns.values():
        assert np.isfinite(column[ratings.game_counts > 0].astype(np.float64)).all()
    assert ratings.to_json()


def check_ranks(ratings):
    """A rank is one more than the number of players ranked higher: 1, 2, 2, 4."""
    rows = ratings.leaderboard().rows()
    strength = dict(zip(ratings.players, ratings.strength.tolist(), strict=True))
    for row in rows:
        better = [other for other in rows if strength[other["player"]] > strength[row["player"]]]
        assert row["rank"] == 1 + len(better) == ratings[row["player"]].rank


def check_intervals(ratings):
    """low <= rating <= high, ranks inside their interval, superiority adds up to 1."""
    if ratings.fit.uncertainty is None:
        with pytest.raises(NoModel):
            ratings.superiority()
        return
    played = ratings.game_counts > 0
    if "deviation" in ratings.columns:
        assert (ratings.column("deviation")[played] >= 0.0).all()
    low, high = ratings.column("low")[played], ratings.column("high")[played]
    assert (low <= high).all()
    assert (ratings.column("rank_low") <= ratings.column("rank_high"))[played].all()
    names = [p for p, count in zip(ratings.players, played, strict=True) if count]
    better = ratings.superiority(names)
    np.testing.assert_allclose(better + better.T, 1.0, atol=1e-12)
    np.testing.assert_allclose(np.diagonal(better), 0.5)


@every()
@given(data=st.data())
def test_parameters_in_range_give_numbers(system, data):
    """Whatever parameters are allowed, values are finite or the table is refused in words."""
    table = data.draw(some_table(system))
    ratings = lawful(system, table, params=data.draw(some_params(system)))
    for column in ratings.columns.values():
        finite = np.isfinite(column[ratings.game_counts > 0].astype(np.float64)).all()
        assert finite or excused(system, "parameters")


@every(lambda system: GAMES in system.reads)
@given(data=st.data())
def test_a_win_for_a_loss_never_lowers(system, data):
    """Who won a game that he had lost does not fall behind anybody he was ahead of."""
    table = data.draw(some_games(size=16))
    row = data.draw(st.integers(0, len(table) - 1))
    ends = {}
    for score, mine, theirs in ((0.0, 1.0, 3.0), (1.0, 3.0, 1.0)):
        columns = {"score": score, "margin": mine - theirs, "points_a": mine, "points_b": theirs}
        changed = {}
        for name, value in columns.items():
            changed[name] = getattr(table, name).copy()
            changed[name][row] = value
        ends[score] = lawful(system, table.replace(**changed))
    who = int(table.a[row])
    others = np.flatnonzero(ends[0.0].game_counts > 0)

    def lead(score: float) -> Any:
        strength = ends[score].strength.astype(np.float64)
        slack = CLOSE * (1.0 + np.abs(strength).max(initial=0.0, where=np.isfinite(strength)))
        return np.sign(np.where(np.abs(d := strength[who] - strength[others]) < slack, 0.0, d))

    assert (lead(1.0) >= lead(0.0)).all() or excused(system, "monotone")


@every(lambda system: system.chances is not None)
@given(data=st.data())
def test_forecasts_are_mirrored(system, data):
    """Chances lie in [0, 1], add up to 1, and are mirrored for the other side; without a model of
    draws there is the expected score alone where games were drawn.
    """
    ratings = lawful(system, data.draw(some_games(size=16)))
    players = [p for p, count in zip(ratings.players, ratings.game_counts, strict=True) if count]
    a, b = data.draw(st.permutations(players))[:2]
    side = data.draw(st.sampled_from((-1.0, 0.0, 1.0)))
    one, other = ratings.forecast(a, b, side), ratings.forecast(b, a, -side)
    if one.draw is None and (ratings.table.score == 0.5).any():
        assert (one.win, one.loss) == (None, None)
    else:
        assert one.win + (one.draw or 0.0) + one.loss == pytest.approx(1.0)
        assert min(one.win, one.loss, one.draw or 0.0) >= 0.0
    assert one.expected == pytest.approx(1.0 - other.expected, abs=1e-12)


@every(lambda system: system.chances is None)
def test_who_has_no_model_gives_no_forecast(system):
    """A system without a model of a game refuses to forecast one, in words."""
    table = games([("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Cleo", "Ada", 1.0)])
    columns = {name: np.array([2.0, 2.0, 2.0]) for name in ("points_a", "margin")}
    table = table.replace(**columns, points_b=np.ones(3), length=np.ones(3))
    with refused(NoModel, "no_model", about=system.name):
        fit_table(table, system).forecast("Ada", "Ben")


@every(lambda system: system.anchored)
@given(data=st.data())
def test_anchors_stay(system, data):
    """A player whose rating is known keeps it, whatever he plays, and is sure."""
    table = data.draw(some_games(size=16))
    assume(len(set(table.a.tolist()) | set(table.b.tolist())) > 1)
    name = table.players[int(table.a[0])]
    ratings = lawful(system, table, anchors={name: 1234.5})
    assert ratings[name].rating == pytest.approx(1234.5, abs=1e-9)


@every(lambda system: not system.anchored)
def test_who_cannot_hold_anchors_says_so(system):
    """Anchors are refused by a system that would leave them out."""
    table = games([("Ada", "Ben", 1.0)], points_a=[2.0], points_b=[1.0], margin=[1.0])
    with refused(Unratable, "anchors_unknown"):
        fit_table(table, system, anchors={"Ada": 1500.0})


# --- declarations -------------------------------------------------------------------------


@every()
def test_defaults_are_in_range(system):
    """The declaration is complete and every default is a value that may be given."""
    assert check_system(system) is system
    for parameter in parameters(system).values():
        assert parameter.parse(parameter.display(parameter.default)) == parameter.default


@every()
def test_the_docstring_says_all(system):
    """Formula, source, units and differences are stated."""
    lines = system.doc.splitlines()
    for heading in ("Formula", "Source", "Units", "Differs"):
        assert [line for line in lines if line.startswith(f"{heading} ")], heading


@every()
def test_broken_laws_have_a_reason(system):
    """What a system breaks is a law of this file, and the reason is a sentence."""
    assert set(system.breaks) <= LAWS
    assert all(excused(system, law) for law in system.breaks)


@every(lambda system: bool(system.needs))
def test_what_a_system_needs_is_asked_for(system):
    """A table without a column that the system needs is refused, and the column named."""
    with refused(Unratable, "column_needed", about=system.needs[0].split("_")[0]):
        fit_table(games([("Ada", "Ben", 1.0)]), system)


def test_ways_of_reading_occur():
    """Some systems read games, some ballots."""
    ways = {way for system in CATALOGUE.values() for way in system.reads}
    assert ways == {GAMES, BALLOTS}
    assert len(ROSTER) > 4
