"""Apterous: the paper's factors, the two formulas and where they meet."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.system import Game
from prowess.systems.apterous import APTEROUS, Params, Rating, factors
from tests.oracle import absorbed, mirrored, newcomer, played

P = Params()
FULL = 50.0  # games: any number from omega on

games = st.builds(
    lambda margin, length: Game(
        score=1.0 if margin > 0 else 0.0 if margin < 0 else 0.5, margin=margin, length=length
    ),
    st.integers(-200, 200).map(float),
    st.integers(1, 1000).map(float),
)
numbers = st.floats(0, 2000)
full_players = st.builds(Rating, numbers, st.just(FULL))
newcomers = st.builds(
    lambda wins, losses, draws, mean: Rating(
        mean + 133 * log(wins / losses) if wins * losses else 600.0,
        wins + losses + draws,
        wins,
        losses,
        mean * (wins + losses + draws),
    ),
    *[st.integers(0, 3).map(float)] * 3,
    st.floats(300, 1500),
)


# C. Reams, "Apterous Rating System", section 2: "if the two players enter the game with the same
# rating, we simply take c = w - 1/2"; "n = 15 gives l = 1"; b = 20 + |m| / 2.
def test_even_game():
    """Between equals a 15-round win by 40 is worth half of 20 + 40 / 2."""
    me = Rating(1000, FULL)
    after = absorbed(APTEROUS, me, [(me, Game(1.0, margin=40.0, length=15.0))])
    assert after.rating == approx(1020)


def test_length_is_capped():
    """l is 1 at 15 rounds, and 2 from 255 rounds on, not from 256."""
    # mu ln 256 = ln 256 / ln 16 = 2: the paper says "all games of over 256 rounds"
    me = Rating(800, FULL)
    lengths = [factors(P, me, me, Game(length=n)).l for n in (15.0, 254.0, 255.0, 256.0, 1e6)]
    assert lengths[0] == approx(1)
    assert lengths[1] < 1.9986
    assert lengths[2:] == approx([2, 2, 2])


def test_unknown_length_is_ordinary():
    """A game whose length the table does not tell counts as one of `rounds` rounds."""
    me = Rating(800, FULL)
    assert factors(P, me, me, Game()).l == factors(P, me, me, Game(length=15.0)).l
    short = P._replace(rounds=9.0)
    assert factors(short, me, me, Game()).l == factors(P, me, me, Game(length=9.0)).l


def test_provisionality_never_divides_by_zero():
    """p runs from 1/11 against a first-timer to 1 against one with ten games, and stays 1."""
    me = Rating(1000, FULL)
    p = [factors(P, me, Rating(600, float(g)), Game()).p for g in range(14)]
    assert p == approx(
        [1 / 11, 1 / 10, 1 / 9, 1 / 8, 1 / 7, 1 / 6, 1 / 5, 1 / 4, 1 / 3, 1 / 2] + [1] * 4
    )


@given(full_players, full_players, games)
def test_full_players_exchange_points(a, b, game):
    """Between full players the winner gains what the loser loses."""
    after_a, after_b = played(APTEROUS, a, b, game)
    gain, loss = after_a.rating - a.rating, after_b.rating - b.rating
    assert gain == approx(-loss, abs=1e-9)
    assert gain * (game.score - 0.5) >= 0 or game.score == 0.5


@given(full_players, full_players, games)
def test_more_margin_never_earns_less(a, b, game):
    """A larger margin never moves the winner less."""
    wider = game._replace(margin=2 * game.margin)
    gain = absorbed(APTEROUS, a, [(b, game)]).rating - a.rating
    more = absorbed(APTEROUS, a, [(b, wider)]).rating - a.rating
    assert abs(more) >= abs(gain) - 1e-9


def test_sigma_until_both_kinds():
    """Without a win, or without a loss, the rating is sigma whoever the opponents were."""
    strong = Rating(1400, FULL)
    for scores in ([], [1.0] * 5, [0.0] * 5, [0.5, 0.5], [1.0, 0.5]):
        me = newcomer(APTEROUS, P)
        for score in scores:
            me = absorbed(APTEROUS, me, [(strong, score)])
        assert me.rating == 600
        assert me.games == len(scores)


def test_first_full_game_is_the_twelfth():
    """Games 1 to 11 are rated by the first formula, game 12 by the second."""
    me, other = newcomer(APTEROUS, P), Rating(700, FULL)
    for game in range(11):
        me = absorbed(APTEROUS, me, [(other, float(game % 2))])
    assert me.rating == approx(700 + 133 * log(5 / 6))
    after = absorbed(APTEROUS, me, [(other, 1.0)])
    c = 1 - 1 / (1 + 2.718281828459045 ** (0.00575 * (700 - me.rating)))
    assert after.rating == approx(me.rating + 20 * c)


def test_draws():
    """A draw counts as a game and for the opponents, and as half of each kind on request."""
    other, half = Rating(800, FULL), P._replace(draws=1)
    ignored = counted = Rating(600.0, 2.0, 1.0, 1.0, 1200.0)
    ignored = absorbed(APTEROUS, ignored, [(other, 0.5), (other, 1.0)], P)
    counted = absorbed(APTEROUS, counted, [(other, 0.5), (other, 1.0)], half)
    assert (ignored.games, ignored.wins, ignored.losses) == (4, 2, 1)
    assert (counted.games, counted.wins, counted.losses) == (4, 2.5, 1.5)
    assert ignored.rating == approx(700 + 133 * log(2 / 1))
    assert counted.rating == approx(700 + 133 * log(2.5 / 1.5))


def test_status_before_the_round():
    """A newcomer's whole period is rated as provisional, even past his eleventh game."""
    other = Rating(700, FULL)
    period = [(other, float(game % 3 > 0)) for game in range(15)]
    me = absorbed(APTEROUS, newcomer(APTEROUS, P), period)
    assert me.rating == approx(700 + 133 * log(10 / 5))


def test_game_by_game_is_one_round_for_newcomers():
    """Against full players who stand still, a newcomer's rounds may be cut anywhere."""
    others = [Rating(500 + 40 * k, FULL) for k in range(9)]
    results = [(other, float(k % 2)) for k, other in enumerate(others)]
    me = newcomer(APTEROUS, P)
    for result in results:
        me = absorbed(APTEROUS, me, [result])
    assert me == approx(absorbed(APTEROUS, newcomer(APTEROUS, P), results))


@given(
    newcomers,
    st.lists(st.tuples(full_players, games), min_size=1, max_size=6),
    st.sampled_from([P, P._replace(draws=1)]),
)
def test_credits_are_the_change(me, opponents, p):
    """What the games of a round brought adds up to the change, provisional or full."""
    for player in (me, me._replace(rating=777.0), Rating(me.rating, FULL)):
        after = absorbed(APTEROUS, player, opponents, p)
        brought = sum(
            APTEROUS.credit(p, player, after, APTEROUS.evidence(p, player, other, game))
            for other, game in opponents
        )
        assert brought == approx(after.rating - player.rating, abs=1e-6)


def test_credit_tells_who():
    """In a newcomer's period the win pays and the loss costs."""
    me, other = Rating(600.0, 4.0, 2.0, 2.0, 2400.0), Rating(600.0, FULL)
    results = [(other, Game(1.0)), (other, Game(0.0)), (other, Game(1.0))]
    after = absorbed(APTEROUS, me, results)
    pays, costs, again = (
        APTEROUS.credit(P, me, after, APTEROUS.evidence(P, me, rival, game))
        for rival, game in results
    )
    assert costs < 0 < pays == again


def test_credit_by_hand():
    """A newcomer's game brings its part of the new mean and of the new ratio."""
    me = Rating(600.0, 4.0, 2.0, 2.0, 2400.0)  # after six games the mean is 600, 3 are won
    results = [(Rating(720.0, FULL), Game(1.0)), (Rating(480.0, FULL), Game(0.0))]
    after = absorbed(APTEROUS, me, results)
    assert after.rating == approx(600)
    won, lost = (
        APTEROUS.credit(P, me, after, APTEROUS.evidence(P, me, rival, game))
        for rival, game in results
    )
    assert won == approx(120 / 6 + 133 * log(3 / 2))
    assert lost == approx(-120 / 6 - 133 * log(3 / 2))


def test_scores_between():
    """Any score above a half is a win, any below it a loss, and c takes the score itself."""
    other, full = Rating(600, FULL), Rating(600, FULL)
    new = newcomer(APTEROUS, P)
    assert absorbed(APTEROUS, new, [(other, 0.51)]) == Rating(600, 1, 1, 0, 600)
    assert absorbed(APTEROUS, new, [(other, 0.49)]) == Rating(600, 1, 0, 1, 600)
    assert absorbed(APTEROUS, full, [(other, 0.7)]).rating == approx(600 + 20 * 0.2)


def test_laws_it_breaks():
    """What the system says it breaks it does break: each reason has its example."""
    me = Rating(900.0, 4.0, 2.0, 2.0, 3600.0)
    weak, strong = Rating(0.0, FULL), Rating(2000.0, FULL)
    assert absorbed(APTEROUS, me, [(weak, 1.0)]).rating < me.rating  # win_never_lowers
    assert absorbed(APTEROUS, me, [(strong, 0.0)]).rating > me.rating  # loss_never_raises
    unbeaten = Rating(600.0, 3.0, 3.0, 0.0, 3000.0)
    won = absorbed(APTEROUS, unbeaten, [(Rating(1000, FULL), 1.0)]).rating
    lost = absorbed(APTEROUS, unbeaten, [(Rating(1000, FULL), 0.0)]).rating
    assert lost > won  # monotone
    assert set(APTEROUS.breaks) == {"win_never_lowers", "loss_never_raises", "monotone"}


@given(full_players, full_players)
def test_forecast_is_shared(me, opponent):
    """Both players' forecasts add up to one."""
    mine = APTEROUS.expected(P, me, opponent, Game())
    assert mine + APTEROUS.expected(P, opponent, me, mirrored(Game())) == approx(1)


@pytest.mark.parametrize("omega", [0.0, 1.0, 10.5, 100.0])
def test_newcomers_by_the_parameters(omega):
    """A newcomer has sigma, and is full at once when omega is 0."""
    p = P._replace(sigma=450.0, omega=omega)
    me = newcomer(APTEROUS, p)
    assert me == Rating(450, 0, 0, 0, 0)
    after = absorbed(APTEROUS, me, [(me, Game(1.0))], p)
    assert after.rating == (approx(450 + 20 * 0.5) if omega == 0 else 450)
