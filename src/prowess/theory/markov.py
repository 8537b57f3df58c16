"""Markov games: the chance of winning a game from the chances of its points.

A game starts in one state and moves until one of two ends is reached, each move with a chance that
is a ratio of homogeneous forms of the same degree in X = e^R1 and Y = e^R2. With the block T of
the moves between states and the chances b of ending with a win, (I - T) u = b gives the chance u
of winning from each state. u depends on X / Y alone, so R = log X makes every such game linear:
wp(x) = u(start) at X = e^x, Y = 1, with an exponential tail of whole slope (Theorems 3 and 7).

States are eliminated one after another with sums, products and quotients only, without differences.
So the same code gives floats with full relative accuracy however unequal the players are, and the
exact ratio of forms.

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 3.4; elimination without differences: W. K. Grassmann,
          M. I. Taksar, D. P. Heyman, Operations Research 33 (1985).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from math import exp, log1p
from typing import TypeVar

from prowess.theory.forms import ONE, ZERO, BadForm, Ratio, parse_ratio
from prowess.theory.wp import Tail, WinProbability

Number = TypeVar("Number", float, Ratio)
LOOKED_AT = [2.0 ** (k / 4.0) for k in range(-80, 81)]  # X / Y where chances are checked
FARTHEST = 100.0  # natural units; powers of e^x are float64 up to there


class BadGame(ValueError):
    """The description does not define a Markov game."""


@dataclass(frozen=True)
class MarkovGame:
    """A game: `moves[state][next state]` is a chance; `win` and `lose` are its two ends.

    Build it with `markov_game`, which checks it.
    """

    name: str
    start: str
    win: str
    lose: str
    moves: Mapping[str, Mapping[str, Ratio]]

    @cached_property
    def formula(self) -> Ratio:
        """wp as an exact ratio of forms in X and Y."""
        return solve_chain(self, self.moves, ONE, ZERO)[self.start]

    def chances(self, x: float) -> dict[str, float]:
        """The chance of winning from each state, x being R1 - R2 in natural units, |x| <= 100."""
        if not abs(x) <= FARTHEST:
            raise ValueError(f"give x from {-FARTHEST:g} to {FARTHEST:g} natural units, not {x!r}")
        t = exp(-abs(x))
        moves = {
            state: {to: (chance if x <= 0.0 else chance.mirror())(t) for to, chance in row.items()}
            for state, row in self.moves.items()
        }
        return solve_chain(self, moves, 1.0, 0.0)

    def win_probability(self, q: float = 1.0) -> WinProbability:
        """wp as a function of the rating difference, with R = log X / q; exact tails."""
        wins, losses = self.formula, (ONE - self.formula).mirror()

        def log_value(x: float) -> float:
            if x <= 0.0:
                return wins.log_near_0(q * x, exp(q * x))
            return log1p(-exp(losses.log_near_0(-q * x, exp(-q * x))))

        def value(x: float) -> float:
            t = exp(-abs(q * x))
            return wins(t) if x <= 0.0 else 1.0 - losses(t)

        rise, fall = wins.rise(), losses.rise()

        def slope(x: float) -> float:
            t = exp(-abs(q * x))
            return q * (rise(t) if x <= 0.0 else fall(t))

        return WinProbability(self.name, value, log_value, slope)

    def tail(self, q: float = 1.0) -> Tail:
        """The exact tail: wp(x) ~ C e^(m q x) with a whole number m."""
        m, c = self.formula.order(), float(self.formula.leading())
        return Tail(True, m * q, c, (m * q,), f"wp(x) ~ {c:.6g} e^({m * q:.6g} x)")

    def symmetric(self) -> bool:
        """Whether wp(x) + wp(-x) = 1 exactly: neither player is favoured by the game."""
        return self.formula + self.formula.mirror() == ONE


def solve_chain(
    game: MarkovGame, moves: Mapping[str, Mapping[str, Number]], one: Number, zero: Number
) -> dict[str, Number]:
    """Solve (I - T) u = b for every state, in floats or exact ratios."""
    rows: dict[str, dict[str, Number]] = {state: dict(row) for state, row in moves.items()}
    order = list(reversed(reachable_states(game)))
    sources: dict[str, set[str]] = {state: set() for state in order}
    for state, row in rows.items():
        for to in row.keys() & sources.keys():
            sources[to].add(state)
    gone: set[str] = set()
    for state in order:
        row = rows[state]
        row.pop(state, None)  # staying does not change who wins
        leaving = sum(row.values(), zero)
        for to in row:
            row[to] = row[to] / leaving
        gone.add(state)
        for source in sources[state] - gone:
            share = rows[source].pop(state)
            for to, chance in row.items():
                rows[source][to] = rows[source].get(to, zero) + share * chance
                if to in sources:
                    sources[to].add(source)
        for to in row.keys() & sources.keys():
            sources[to].discard(state)
    u: dict[str, Number] = {game.win: one, game.lose: zero}
    for state in reversed(order):
        u[state] = sum((chance * u[to] for to, chance in rows[state].items()), zero)
    return {state: u[state] for state in moves}


def reachable_states(game: MarkovGame) -> list[str]:
    """Return the states in breadth-first order from the start."""
    met = [game.start]
    for state in met:
        row = game.moves[state]
        met += [to for to, chance in row.items() if chance and to in game.moves and to not in met]
    return met


def markov_game(
    name: str,
    start: str,
    win: str,
    lose: str,
    states: Mapping[str, Mapping[str, str]],
    points: Mapping[str, str] | None = None,
) -> MarkovGame:
    """Build a game from texts: `states[state][next state]` is a chance such as "X / (X + Y)".

    `points` are abbreviations for use in chances. Raises BadGame for a form that cannot be parsed
    or is not of degree 0, an unknown state, chances that do not sum to 1 or leave [0, 1], an
    unreachable state, a state from which no end can be reached.
    """
    names: dict[str, Ratio] = {}
    for point, text in (points or {}).items():
        if point in {"X", "Y"} or not point.isidentifier():
            raise BadGame(f"points: {point!r} is no name for a chance; p and q are")
        names[point] = _chance(f"points: {point}", text, names)
    moves = {
        state: {
            to: _chance(f"state {state!r}, move to {to!r}", text, names) for to, text in row.items()
        }
        for state, row in states.items()
    }
    game = MarkovGame(name, start, win, lose, moves)
    _check_names(game)
    for state, row in moves.items():
        _check_row(state, row)
    _check_ways(game)
    return game


def _chance(place: str, text: str, names: Mapping[str, Ratio]) -> Ratio:
    try:
        chance = parse_ratio(text, names)
    except BadForm as error:
        raise BadGame(f"{place}: {error}") from None
    if chance and chance.degree != 0:
        raise BadGame(
            f"{place}: {text!r} is of degree {chance.degree}; a chance is a ratio of two forms "
            "of the same degree, such as X / (X + Y)"
        )
    for t in LOOKED_AT:
        try:
            value = chance(t)
        except ZeroDivisionError:
            raise BadGame(f"{place}: {text!r} divides by 0 at X / Y = {t:.6g}") from None
        if not -1e-12 <= value <= 1.0 + 1e-12:
            raise BadGame(
                f"{place}: {text!r} is {value:.6g} at X / Y = {t:.6g}; chances are 0 to 1"
            )
    return chance


def _check_names(game: MarkovGame) -> None:
    if game.win == game.lose:
        raise BadGame(f"winning and losing are both called {game.win!r}; give the ends two names")
    for end in (game.win, game.lose):
        if end in game.moves:
            raise BadGame(f"{end!r} is an end of the game, but moves go on from it; leave them out")
    if game.start not in game.moves:
        raise BadGame(_describe_unknown_state("the start", game.start, game))
    for state, row in game.moves.items():
        for to in row:
            if to not in game.moves and to not in {game.win, game.lose}:
                raise BadGame(_describe_unknown_state(f"state {state!r} moves to", to, game))


def _describe_unknown_state(who: str, name: str, game: MarkovGame) -> str:
    known = [*game.moves, game.win, game.lose]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
    return f"{who} {name!r}, which is no state; {hint}"


def _check_row(state: str, row: Mapping[str, Ratio]) -> None:
    total = sum(row.values(), ZERO)
    if total != ONE:
        moves = ", ".join(f"{to}: {chance}" for to, chance in row.items()) or "none"
        raise BadGame(f"state {state!r}: the chances of its moves sum to {total}, not 1 ({moves})")


def _check_ways(game: MarkovGame) -> None:
    met = reachable_states(game)
    for state in game.moves:
        if state not in met:
            raise BadGame(f"no moves lead from the start to state {state!r}; mend or remove it")
    ending = {game.win, game.lose}
    while more := {
        state for state in met if state not in ending and _leads(game.moves[state], ending)
    }:
        ending |= more
    for state in met:
        if state not in ending:
            raise BadGame(f"no moves lead from state {state!r} to an end of the game")
    reached = {to for state in met for to, chance in game.moves[state].items() if chance}
    for end in (game.win, game.lose):
        if end not in reached:
            raise BadGame(f"no moves lead from the start to {end!r}: one player cannot get there")


def _leads(row: Mapping[str, Ratio], ends: set[str]) -> bool:
    return any(chance and to in ends for to, chance in row.items())
