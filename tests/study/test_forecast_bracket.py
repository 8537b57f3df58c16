"""Brackets against every way in which they can end."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.engine.system import Unratable
from prowess.study.forecasting.knockout import (
    EMPTY_SLOT,
    Tie,
    best_of,
    forecast_knockout,
    scores_met,
    seed_bracket,
)
from tests.engine.tables import games
from tests.refusals import refused
from tests.study.tournaments import chances, field


def slow_bracket(slots, table):
    """Chances [rounds + 1, n] of being there after each round, by trying all results."""
    n = len(table)
    rounds = len(slots).bit_length() - 1
    reached = np.zeros((rounds + 1, n))

    def play(round_now, standing, chance):
        for player in standing:
            if player != EMPTY_SLOT:
                reached[round_now, player] += chance
        if len(standing) == 1:
            return
        ties = list(zip(standing[::2], standing[1::2], strict=True))
        for number in range(2 ** len(ties)):
            winners, part = [], chance
            for k, (a, b) in enumerate(ties):
                first = bool(number >> k & 1)
                winners.append(a if first else b)
                if EMPTY_SLOT in (a, b):
                    part *= float(winners[-1] != EMPTY_SLOT)
                else:
                    part *= table[a, b] if first else table[b, a]
            if part:
                play(round_now + 1, winners, part)

    play(0, slots, 1.0)
    return reached


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8])
def test_enumeration(n):
    """Brackets of 2 to 8, byes and all, have exactly the chances of all results tried."""
    table = chances(n, seed=n)
    slots = seed_bracket(n)
    slow = slow_bracket(slots, table)
    told = forecast_knockout(field(table), slots)
    assert list(told.stages.values())[::-1] == [approx(row) for row in slow[:0:-1]]
    assert told.places[:, 0] == approx(slow[-1])
    assert told.places.sum(axis=0) == approx(1.0)
    assert told.places.sum(axis=1) == approx(1.0)
    assert told.runs == 0
    assert told.errors.max() == approx(0.0, abs=1e-9)


def test_seeds():
    """Seeds 1 and 2 can only meet in the final; the best have the byes (draw of a bracket of 8)."""
    assert seed_bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert seed_bracket(6) == [0, EMPTY_SLOT, 3, 4, 1, EMPTY_SLOT, 2, 5]


def test_certain_winner():
    """Who wins every tie for certain wins the bracket with chance 1; the chances sum to 1."""
    sure = chances(8, seed=1)
    sure[5, :], sure[:, 5] = 1.0, 0.0
    told = forecast_knockout(field(sure), seed_bracket(8))
    assert told.chance("F") == 1.0
    assert told.places[:, 0].sum() == approx(1.0)


def test_names_do_not_matter():
    """The same players under other numbers, in the same places of the bracket, do as well."""
    order = np.array([3, 1, 0, 2])
    table = chances(4, seed=4)
    one = forecast_knockout(field(table), [0, 1, 2, 3])
    other = forecast_knockout(field(table[np.ix_(order, order)]), np.argsort(order).tolist())
    assert other.places == approx(one.places[order])


def test_a_drawn_tie_is_replayed():
    """With draws replayed the chances are those without draws; a shoot-out pulls to 1/2."""
    table = chances(4, seed=6)
    replayed = forecast_knockout(field(table, draw=0.4), [0, 1, 2, 3])
    assert replayed.places == approx(forecast_knockout(field(table), [0, 1, 2, 3]).places)
    lots = forecast_knockout(field(table, draw=0.4), [0, 1, 2, 3], tie=Tie(shoot_out=True))
    pulled = 0.6 * table + 0.2
    assert lots.places == approx(forecast_knockout(field(pulled), [0, 1, 2, 3]).places)


def test_best_of_three():
    """Ties of three games are won with p^2 (3 - 2p)."""
    table = chances(4, seed=7)
    told = forecast_knockout(field(table), [0, 1, 2, 3], tie=Tie(best_of(3)))
    longer = table**2 * (3 - 2 * table)
    assert told.places == approx(forecast_knockout(field(longer), [0, 1, 2, 3]).places)


def test_played_ties_stand():
    """Who was knocked out is out, and a tie half played goes on from its score."""
    table = chances(4, seed=3)
    done = scores_met(
        games([("Ben", "Ada", 1.0), ("Eve", "Ada", 0.0)]), ("Ada", "Ben", "Cleo", "Dan")
    )
    told = forecast_knockout(field(table), [0, 1, 2, 3], played=done)
    assert told.stages["final"][:2] == approx([0.0, 1.0])
    half = forecast_knockout(field(table), [0, 1, 2, 3], tie=Tie(best_of(3)), played=done)
    assert half.stages["final"][0] == approx(table[0, 1] ** 2)  # 0:1, two games to win


def test_a_drawn_game_may_go_on():
    """A single game that was drawn leaves its tie to the next one."""
    table = chances(2, seed=3)
    told = forecast_knockout(field(table), [0, 1], played={(0, 1): [0.5]})
    assert told.places[:, 0] == approx([table[0, 1], table[1, 0]])


def test_errors_of_a_rating_are_shared():
    """Either the best or the worst: he wins half of the time, as no mean chance would have it."""
    up, down = chances(4, seed=9), chances(4, seed=9)
    up[0, :], up[:, 0] = 1.0, 0.0
    down[0, :], down[:, 0] = 0.0, 1.0
    told = forecast_knockout(field(up, down), [0, 1, 2, 3])
    assert told.chance("Ada") == approx(0.5)
    assert told.errors[0, 0] == approx(0.5 / 2**0.5)  # two worlds, 1 and 0


def test_refusals():
    """What is no bracket is refused: 3 lines, somebody twice, two byes, a tie played too often."""
    three = field(chances(3, 1))
    with refused(Unratable, "not_a_bracket"):
        forecast_knockout(three, [0, 1, 2])
    with refused(BadSetting, "player_twice"):
        forecast_knockout(three, [0, 1, 2, 2])
    with refused(Unratable, "byes_meet"):
        forecast_knockout(
            three, [0, 1, EMPTY_SLOT, EMPTY_SLOT, 2, EMPTY_SLOT, EMPTY_SLOT, EMPTY_SLOT]
        )
    with refused(Unratable, "too_many_results"):
        forecast_knockout(three, seed_bracket(3), played={(0, 1): [1.0, 1.0]})
    with refused(Unratable, "shares_not_taken"):
        forecast_knockout(three, seed_bracket(3), played={(0, 1): [0.7]})
