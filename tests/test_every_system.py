"""Laws of parameters, docstrings, explanations and ranks, for every dynamic system.

The tests read the declarations alone, so a new system is covered without a line of its own.
"""

from __future__ import annotations

from math import fsum

import numpy as np
from hypothesis import given, strategies as st

from prowess.engine.check import check_system
from prowess.engine.params import parameters
from prowess.engine.state import initial_state
from prowess.engine.system import Choice
from tests.engine.tables import (
    ROSTER,
    kinds,
    some_params,
    some_table,
    taken,
)
from tests.every_system import (
    CATALOGUE,
    LAWS,
    assert_reason,
    every,
    lawful,
    same,
)


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
        assert parameter.meaning, f"{parameter.name}: what does it do?"  # a pure number has no unit
        if not isinstance(parameter.domain, Choice):
            assert parameter.domain.low < parameter.domain.high


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


@every(lambda system: "sum" in system.breaks)
def test_who_does_not_keep_the_sum_does_not_say_so(system):
    """A system either keeps the sum of ratings or tells why not."""
    assert not system.keeps_sum


@every()
@given(data=st.data())
def test_ratings_tell_how_they_came_about(system, data):
    """Their parameters give them again, changes lead to them, and ranks follow their order."""
    table, period = data.draw(some_table(system))
    params = data.draw(st.just({}) | some_params(system))
    ratings = lawful(system, table, period, params=params)
    if ratings is None:
        return
    if params:
        assert ratings.params == params or system.prepare is not None  # some are the table's
        again = lawful(system, table, period, params=ratings.params)
        assert same(again.values, ratings.values)
    check_terms(system, ratings)
    check_ranks(ratings, table.players)


def check_terms(system, ratings):
    """The terms of every change add up to it exactly, and changes lead to the rating."""
    for index, player in enumerate(ratings):
        history = ratings.history(player)
        rating = initial_state(system, ratings.p, 1, {}).rating[0, 0]
        if system.common is not None and history:  # newcomers come in at a level that is learnt
            rating = history[0].before
        for step in history:
            assert step.before == rating
            rating = step.after
            assert step.change == step.after - step.before
            assert fsum(step.terms.values()) == step.change
        assert rating == ratings.state.rating[index, 0]


def check_ranks(ratings, players):
    """A rank is one more than the number of players rated higher: 1, 2, 2, 4."""
    rows = ratings.leaderboard().rows()
    assert sorted(row["player"] for row in rows) == sorted(players)
    for row in rows:
        better = [other for other in rows if other["rating"] > row["rating"]]
        assert row["rank"] == 1 + len(better) == ratings[row["player"]].rank


def test_every_way_of_rating_is_met():
    """Each system can be asked in at least one way, and all ways occur."""
    ways = {kind for system in CATALOGUE.values() for kind in kinds(system)}
    assert ways == {"games", "7d", "1mo", "round", "contests"}
    assert len(ROSTER) > 4
