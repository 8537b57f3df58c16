"""Markov games: solved right, exact, linear in log X, and refused in words (Theorem 7)."""

from __future__ import annotations

from math import comb, exp

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.numeric import logistic
from prowess.games.arguments import BadArgument
from prowess.theory.markov import (
    MODELS,
    BadGame,
    MarkovGame,
    ahead_then_streak,
    markov_game,
    match,
    parse_ratio,
)
from tests.refusals import refused

P, Q = "X / (X + Y)", "Y / (X + Y)"
EVERY_GAME = [*(make() for make in MODELS.values()), match(5, 3), ahead_then_streak(3, 2)]


def solved(game: MarkovGame, x: float) -> dict[str, float]:
    """(I - T) u = b by NumPy's solver, built from the texts of the chances."""
    states = list(game.moves)
    T, b = np.zeros((len(states), len(states))), np.zeros(len(states))
    for i, row in enumerate(game.moves.values()):
        for to, chance in row.items():
            value = chance(exp(x))
            if to in states:
                T[i, states.index(to)] += value
            elif to == game.win:
                b[i] += value
    u = np.linalg.solve(np.eye(len(states)) - T, b)
    return dict(zip(states, u.tolist(), strict=True))


@pytest.mark.parametrize("game", EVERY_GAME, ids=lambda game: game.name)
@given(x=st.floats(-3, 3))
def test_chances(game, x):
    """The chances from every state are those of the linear equations, by an independent solver."""
    assert game.chances(x) == approx(solved(game, x), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("game", EVERY_GAME, ids=lambda game: game.name)
@given(x=st.floats(-90, 90))
def test_formula(game, x):
    """The exact formula and the chain in floats agree, in the lower tail to all digits."""
    wp = game.win_probability()
    assert wp(x) == approx(game.chances(x)[game.start], rel=1e-11)
    if x < 0:
        assert exp(wp.log_value(x)) == approx(game.chances(x)[game.start], rel=1e-11)


@pytest.mark.parametrize("game", EVERY_GAME, ids=lambda game: game.name)
def test_fair_games(game):
    """wp(x) + wp(-x) = 1 exactly for every ready game."""
    assert game.symmetric()


# The closed forms of the specification, from the chance p of a point.
FORMS = {
    "point": lambda p, q: p,
    "two_ahead": lambda p, q: p**2 / (p**2 + q**2),
    "best_of_three": lambda p, q: p**2 * (3 - 2 * p),
    "tennis_game": lambda p, q: (
        p**4 * (1 + 4 * q + 10 * q**2) + 20 * p**3 * q**3 * p**2 / (p**2 + q**2)
    ),
    "streak": lambda p, q: p**7 / (q + p**6) / (1 - p * q / (q + p**6) - p * q / (p + q**6)),
}


@pytest.mark.parametrize("name", MODELS)
@given(x=st.floats(-5, 5))
def test_closed_forms(name, x):
    """Every ready game is its closed form by hand."""
    wanted = FORMS[name](logistic(x), logistic(-x))
    assert MODELS[name]().win_probability()(x) == approx(wanted, rel=1e-9)


@given(p=st.floats(0.05, 0.95))
def test_gamblers_ruin(p):
    """n ahead from every state is the gambler's ruin: (1 - r^k) / (1 - r^2n), r = q / p."""
    n, x = 4, float(np.log(p / (1 - p)))
    chances, r = match(n, n).chances(x), (1 - p) / p
    for state, chance in chances.items():
        k = n + int(state.split("-")[0]) - int(state.split("-")[1])
        ruin = k / (2 * n) if abs(r - 1) < 1e-9 else (1 - r**k) / (1 - r ** (2 * n))
        assert chance == approx(ruin, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "m", "c"),
    [("two_ahead", 2, 1), ("tennis_game", 4, 15), ("best_of_three", 2, 3), ("streak", 7, 1)],
)
def test_tails(name, m, c):
    """Claim 12: wp ~ C e^(m x), by hand: C counts the shortest ways to win."""
    tail = MODELS[name]().tail()
    assert (tail.exponential, tail.slope, tail.constant) == (True, m, c)


def test_ways_of_a_long_match():
    """Table tennis: 11 points with k <= 9 lost, the last one won, can be had in C(10 + k, k) ways.

    Each has the order t^11; by way of 10-10 the game takes 12 points or more.
    """
    assert match(11, 2).tail().slope == 11
    assert match(11, 2).formula.leading() == sum(comb(10 + k, k) for k in range(10))


def test_unit_and_slope():
    """R = log X / q: the curve is stretched by 1 / q, its slope is that of central differences."""
    wp, stretched = (
        MODELS["tennis_game"]().win_probability(),
        MODELS["tennis_game"]().win_probability(0.01),
    )
    for x in (-1.0, 0.0, 0.4):
        assert stretched(100 * x) == approx(wp(x), rel=1e-14)
        chord = (stretched(100 * x + 0.01) - stretched(100 * x - 0.01)) / 0.02
        assert stretched.slope(100 * x) == approx(chord, rel=1e-7)


def test_staying_takes_time_only():
    """A state that may lead to itself changes nothing but how long the game lasts."""
    half = {"won": "X / (2*X + 2*Y)", "lost": "Y / (2*X + 2*Y)", "on": "1/2"}
    assert markov_game("slow", "on", "won", "lost", {"on": half}).formula == parse_ratio(P)


def test_abbreviations():
    """A chance may be written with names for others, which may be written with names before."""
    points = {"p": P, "q": "1 - p"}
    game = markov_game("point", "on", "won", "lost", {"on": {"won": "p", "lost": "q"}}, points)
    assert game.formula == parse_ratio(P)


def test_a_game_inside_a_game():
    """A set of games two ahead: the chance of a game may stand where a point's chance does."""
    inner = str(match(2, 2).formula)
    game = {"p": inner, "q": f"1 - ({inner})"}
    states = {
        "level": {"up": "p", "down": "q"},
        "up": {"won": "p", "level": "q"},
        "down": {"level": "p", "lost": "q"},
    }
    # WM^2 of WM^2 is WM^4
    formula = markov_game("set", "level", "won", "lost", states, game).formula
    assert formula == parse_ratio("X^4 / (X^4 + Y^4)")


GOOD = {"level": {"ahead": P, "lost": Q}, "ahead": {"won": P, "level": Q}}


def broken(**states: dict[str, str]) -> dict[str, dict[str, str]]:
    """The good game with some states replaced or added."""
    return {**GOOD, **states}


@pytest.mark.parametrize(
    ("states", "told"),
    [
        (broken(level={"ahaed": P, "lost": Q}), "did you mean 'ahead'"),
        (
            broken(ahead={"won": P, "level": P}),
            "'ahead': the chances of its moves sum to 2 X / (X + Y)",
        ),
        (broken(ahead={}), "sum to 0, not 1 (none)"),
        (broken(ahead={"won": "X / (X^2 + Y^2)", "level": Q}), "degree -1"),
        (broken(ahead={"won": "X^2 + Y", "level": Q}), "degree 2 and 1"),
        (
            broken(ahead={"won": "2*X / (X + Y)", "level": "(Y - X) / (X + Y)"}),
            "chances are 0 to 1",
        ),
        (broken(ahead={"won": "X / (X - Y)", "level": "Y / (Y - X)"}), "chances are 0 to 1"),
        (broken(ahead={"won": "(X^2 - Y^2) / (X - Y)^2", "level": Q}), "X / Y"),
        (
            broken(ahead={"loop": P, "level": Q}, loop={"loop": "1"}),
            "no moves lead from state 'loop'",
        ),
        (broken(alone={"won": P, "lost": Q}), "from the start to state 'alone'"),
        (broken(won={"level": "1"}), "'won' is an end"),
        (broken(ahead={"lost": P, "level": Q}), "start to 'won'"),
    ],
)
def test_bad_games(states, told):
    """What is wrong with a game is said, with the state where it is."""
    with pytest.raises(BadGame) as caught:
        markov_game("bad", "level", "won", "lost", states)
    assert told in str(caught.value)


def test_bad_frames():
    """A start that is no state, two ends of one name, and abbreviations called X are refused."""
    with refused(BadGame, "unknown_state", about=("levle", "level")):
        markov_game("bad", "levle", "won", "lost", GOOD)
    with refused(BadGame, "ends_alike"):
        markov_game("bad", "level", "won", "won", GOOD)
    with refused(BadGame, "not_a_name", about="X"):
        markov_game("bad", "level", "won", "lost", GOOD, {"X": P})


@pytest.mark.parametrize(
    ("game", "states"), [(match(2, 2), 3), (match(4, 2), 15), (match(3, 1), 9), (match(5, 5), 9)]
)
def test_scores_that_differ(game, states):
    """Scores from which the same is needed are one state: 3-3 in tennis is 2-2, 16 - 1 are left."""
    assert len(game.moves) == states


@pytest.mark.parametrize("arguments", [(0, 1), (3, 4), (31, 1), (5, 0)])
def test_impossible_matches(arguments):
    """A match that cannot be played, or not be solved in time, is refused."""
    with refused(BadGame, "points_out_of_range"):
        match(*arguments)
    with refused(BadGame, "points_out_of_range"):
        ahead_then_streak(arguments[0], 21)


def test_far_differences():
    """Beyond 100 natural units the chain in floats is refused; the formula still has its tail."""
    game = MODELS["two_ahead"]()
    with refused(BadArgument, "difference_out_of_range", about="100"):
        game.chances(101.0)
    assert game.win_probability().log_value(-1000.0) == approx(-2000.0)
