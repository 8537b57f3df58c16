"""Apterous: Elo for a word game, weighted by margin and length; newcomers get a performance rating.

Formula   the first omega games     r = a + tau ln(w / l);  r = sigma when w = 0 or l = 0
          afterwards                r' = r + b c p l
              b = alpha + beta |m|
              c = s - 1 / (1 + e^(gamma (r_him - r_me)))
              p = 1 against a full player, else 1 / (omega - g)
              l = min(lambda, mu ln(1 + n))
          a: mean rating of the opponents so far, each as rated before the game; w, l: games won
          and lost; g: games the opponent has played before; m: margin; n: rounds of the game
Source    C. Reams, "Apterous Rating System", 25 October 2008.
Units     rating, alpha, sigma, tau: points; beta: points per point of margin; gamma: 1 / points
          (0.00575 is nearly ln 10 / 400); omega: games; l, lambda, mu: 1 is a game of 15 rounds.
          Time plays no part.
Differs   lambda is spelt lamda. "First omega games" and "from the omega-th game onwards" are
          reconciled so: games 1 to omega are rated by the first formula, the next by the
          second. g does not count the present game, so p runs 1/11 ... 1 and divides by no
          zero. A draw counts in a and g, not in w and l; with draws = half it adds 1/2 to both.
          A score above 1/2 is a win, below it a loss. A game of unknown length has `rounds`
          rounds (15: l = 1), one of unknown margin has none. Games of one rating period are all
          rated by the status before it. The paper's "over 256 rounds" is 255: there l = lambda.
"""

from __future__ import annotations

from math import log
from types import MappingProxyType
from typing import Annotated, NamedTuple

from prowess.engine.numeric import logistic
from prowess.engine.system import Choice, Dynamic, Game, Range


class Params(NamedTuple):
    """Settings; the defaults are the site's."""

    alpha: Annotated[float, Range(0.0, 200.0, "points"), "points of a game without a margin"] = 20.0
    beta: Annotated[float, Range(0.0, 20.0, "points a point"), "further points by the margin"] = 0.5
    gamma: Annotated[float, Range(0.0, 0.1, "1 / points"), "how steeply a lead counts"] = 0.00575
    lamda: Annotated[float, Range(0, 20, "games of 15 rounds"), "most that a long game counts"] = (
        2.0
    )
    mu: Annotated[float, Range(0, 10, "games of 15 rounds"), "how the length of a game counts"] = (
        1.0 / log(16.0)
    )
    sigma: Annotated[
        float, Range(-10000, 10000, "points"), "rating of a newcomer who has won or lost all games"
    ] = 600.0
    tau: Annotated[float, Range(0, 1000, "points"), "spread of a newcomer's performance rating"] = (
        133.0
    )
    omega: Annotated[float, Range(0, 100, "games"), "games that a newcomer's rating takes"] = 11.0
    rounds: Annotated[float, Range(1, 1000, "rounds"), "length of a game of unknown length"] = 15.0
    draws: Annotated[int, Choice("ignored", "half"), "how a newcomer's draws count"] = 0


class Rating(NamedTuple):
    """A player's rating and the counts that rate a newcomer."""

    rating: float = 600.0
    games: float = 0.0
    wins: float = 0.0
    losses: float = 0.0
    opponents: float = 0.0  # sum of the opponents' ratings before each game


class Evidence(NamedTuple):
    """Sums over the games of a round, for both formulas."""

    change: float = 0.0  # sum of b c p l, 0 for a provisional player
    games: float = 0.0
    wins: float = 0.0
    losses: float = 0.0
    opponents: float = 0.0  # sum of their ratings


class Factors(NamedTuple):
    """The four factors of a full player's change."""

    b: float  # points
    c: float
    p: float
    l: float


def is_provisional(p: Params, player: Rating) -> bool:
    """Whether a player's next game is one of the first omega."""
    return player.games < p.omega


def factors(p: Params, me: Rating, opponent: Rating, game: Game) -> Factors:
    """b, c, p and l of one game of a full player."""
    rounds = game.length if game.length > 0.0 else p.rounds
    missing = max(1.0, p.omega - opponent.games) if is_provisional(p, opponent) else 1.0
    return Factors(
        p.alpha + p.beta * abs(game.margin),
        game.score - expected_score(p, me, opponent, game),
        1.0 / missing,
        min(p.lamda, p.mu * log(1.0 + rounds)),
    )


def provisional_rating(p: Params, wins: float, losses: float, mean: float) -> float:
    """a + tau ln(w / l), or sigma where that is undefined."""
    if wins <= 0.0 or losses <= 0.0:
        return p.sigma
    return mean + p.tau * log(wins / losses)


def newcomer(p: Params) -> Rating:
    """The rating of a player without a game."""
    return Rating(p.sigma, 0.0, 0.0, 0.0, 0.0)


def expected_score(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """The expected score that c compares with."""
    return logistic(p.gamma * (me.rating - opponent.rating))


def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """The change of a full player, and the counts that rate a provisional one."""
    change = 0.0
    if not is_provisional(p, me):
        it = factors(p, me, opponent, game)
        change = it.b * it.c * it.p * it.l
    win = 1.0 if game.score > 0.5 else 0.0
    loss = 1.0 if game.score < 0.5 else 0.0
    if p.draws == 1 and game.score == 0.5:
        win = loss = 0.5
    return Evidence(change, 1.0, win, loss, opponent.rating)


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """The new counts, and the rating by the formula for the status before the round."""
    games, opponents = me.games + total.games, me.opponents + total.opponents
    wins, losses = me.wins + total.wins, me.losses + total.losses
    rating = me.rating + total.change
    if is_provisional(p, me) and total.games > 0.0:
        rating = provisional_rating(p, wins, losses, opponents / games)
    return Rating(rating, games, wins, losses, opponents)


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points that one game contributed."""
    return provisional_credit(p, me, after, one) if is_provisional(p, me) else one.change


def provisional_credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """A game's part in the new a and in tau ln(w / l); the rest, and what sigma does, by games."""
    games = after.games - me.games
    change = after.rating - me.rating
    if me.wins <= 0.0 or me.losses <= 0.0:
        return change * one.games / games
    won, lost = p.tau * log(after.wins / me.wins), p.tau * log(after.losses / me.losses)
    part = one.opponents / after.games
    if one.wins > 0.0:
        part += won * one.wins / (after.wins - me.wins)
    if one.losses > 0.0:
        part -= lost * one.losses / (after.losses - me.losses)
    rest = change - (after.opponents - me.opponents) / after.games - won + lost
    return part + rest * one.games / games


NEWCOMERS = "a newcomer's rating is the mean of the opponents plus a term of wins over losses: "

APTEROUS = Dynamic(
    name="apterous",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    evidence=evidence,
    absorb=absorb,
    newcomer=newcomer,
    credit=credit,
    inner=("opponents",),
    weights=False,  # games are counted, and decide when a player is full
    uses=("margin", "length"),
    breaks=MappingProxyType(
        {
            "win_never_lowers": NEWCOMERS + "beating a weak one lowers the mean by more.",
            "loss_never_raises": NEWCOMERS + "meeting a strong one raises the mean by more.",
            "monotone": NEWCOMERS + "sigma replaces it while one of the two is 0, so a first "
            "loss can end above an unbeaten record, and margins count only later.",
        }
    ),
)
