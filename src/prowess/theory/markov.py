"""Markov games: the chance of winning a game from the chances of its points.

A game starts in one state and moves until one of two ends is reached, each move with a chance that
is a ratio of homogeneous forms of the same degree in X = e^R1 and Y = e^R2. With the block T of
the moves between states and the chances b of ending with a win, (I - T) u = b gives the chance u
of winning from each state. u depends on X / Y alone, so R = log X makes every such game linear:
wp(x) = u(start) at X = e^x, Y = 1, with an exponential tail of whole slope (Theorems 3 and 7).

States are eliminated one after another with sums, products and quotients only, without differences.
So the same code gives floats with full relative accuracy however unequal the players are, and the
exact ratio of forms.

Ready games (`MODELS`); `match(points, lead)` makes others, such as table tennis, match(11, 2):

    point          one point
    two_ahead      first to be two points ahead: p^2 / (p^2 + q^2), WM^2
    best_of_three  first to two points: p^2 (3 - 2p)
    tennis_game    first to four points and two ahead
    streak         two points ahead and then five in a row; any lost point of the streak leads back
                   to one ahead (section 3.4 leaves open where it leads; this is ours)

A game as a file, TOML or JSON.

    name   = "two ahead"
    start  = "level"            # where the game begins
    win    = "won"              # the two ends; nothing moves on from them
    lose   = "lost"
    points = {p = "X / (X + Y)", q = "Y / (X + Y)"}  # abbreviations; X = e^R1 is the player

    [states]                    # where each state leads, and with what chance
    level  = {ahead = "p", behind = "q"}
    ahead  = {won = "p", level = "q"}
    behind = {level = "p", lost = "q"}

A chance is any ratio of two homogeneous forms of the same degree, written with X, Y, numbers,
+ - * / ^, brackets and the abbreviations. A JSON file has the same keys.

A form of degree d is Y^d times a polynomial in t = X / Y, so a ratio is stored as its degree and
two integer polynomials in t without a common factor. Degree 0 means a function of X / Y alone,
which every chance is (Theorem 3).

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 3.4; elimination without differences: W. K. Grassmann,
          M. I. Taksar, D. P. Heyman, Operations Research 33 (1985).
"""

from __future__ import annotations

import ast
import json
import operator
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from math import exp, gcd, log, log1p, prod
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from prowess.games import BadData
from prowess.games.arguments import BadArgument
from prowess.games.errors import WordedError
from prowess.theory.wp import Tail, WinProbability

# --- exact ratios of homogeneous forms in X and Y, such as "X^2 / (X^2 + Y^2)" ---

Polynomial = tuple[int, ...]  # in t; coefficients, the constant first; the last is not 0


def add(p: Polynomial, q: Polynomial) -> Polynomial:
    """p + q."""
    return _trim([a + b for a, b in zip_longest(p, q, fillvalue=0)])


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """p q."""
    if not p or not q:
        return ()
    product = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        if a:
            for k, b in enumerate(q):
                product[i + k] += a * b
    return tuple(product)


def common_factor(p: Polynomial, q: Polynomial) -> Polynomial:
    """Return the greatest common divisor without numeric factors, by Euclid's algorithm."""
    p, q = _primitive(p), _primitive(q)
    while q:
        p, q = q, _primitive(_remainder(p, q))
    return p


def divide(p: Polynomial, q: Polynomial) -> Polynomial:
    """p / q for a q that divides p and has no numeric factor."""
    left, quotient = list(p), [0] * (len(p) - len(q) + 1)
    for k in reversed(range(len(quotient))):
        quotient[k] = left[k + len(q) - 1] // q[-1]
        for i, c in enumerate(q):
            left[k + i] -= quotient[k] * c
    return tuple(quotient)


def evaluate(p: Polynomial, t: float) -> float:
    """p(t), by Horner's rule."""
    total = 0.0
    for c in reversed(p):
        total = total * t + c
    return total


def derivative(p: Polynomial) -> Polynomial:
    """dp / dt."""
    return tuple(k * c for k, c in enumerate(p))[1:]


def lowest_power(p: Polynomial) -> int:
    """The power of the first coefficient that is not 0."""
    return next(k for k, c in enumerate(p) if c)


def format_form(p: Polynomial, degree: int) -> str:
    """Format the form Y^degree p(X / Y), highest power of X first."""
    terms = []
    for k in reversed(range(len(p))):
        if p[k]:
            powers = [_power("X", k), _power("Y", degree - k)]
            factor = str(abs(p[k])) if abs(p[k]) != 1 or k == degree == 0 else ""
            sign = "- " if p[k] < 0 else "+ "
            terms.append(sign + " ".join(filter(None, [factor, *powers])))
    text = " ".join(terms)
    return "-" + text[2:] if text.startswith("- ") else text[2:]


def _power(letter: str, exponent: int) -> str:
    return "" if exponent == 0 else letter if exponent == 1 else f"{letter}^{exponent}"


def reverse(p: Polynomial, size: int) -> Polynomial:
    """t^(size - 1) p(1 / t)."""
    return _trim([*[0] * (size - len(p)), *p[::-1]])


def _remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    left = list(p)
    while len(left) >= len(q):
        factor = left[-1]
        left = [c * q[-1] for c in left]
        for i, c in enumerate(q):
            left[len(left) - len(q) + i] -= factor * c
        left = list(_trim(left))
    return tuple(left)


def _primitive(p: Polynomial) -> Polynomial:
    content = gcd(*p)
    return tuple(c // content for c in p) if content > 1 else p


def _trim(p: list[int]) -> Polynomial:
    size = len(p)
    while size and p[size - 1] == 0:
        size -= 1
    return tuple(p[:size])


HIGHEST_POWER = 100
OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
BLANK = re.compile(r"(?<=[\w)])\s+(?=[\w(])")  # between two factors


class BadForm(WordedError, ValueError):
    """The text is not a ratio of homogeneous forms in X and Y."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Y^degree above(t) / below(t), t = X / Y; in lowest terms, made by `ratio`."""

    degree: int
    above: Polynomial
    below: Polynomial

    def __add__(self, other: Ratio) -> Ratio:
        """The sum of two ratios of the same degree; BadForm if it is not the same."""
        if not self.above or not other.above:
            return self if self.above else other
        if self.degree != other.degree:
            raise BadForm.of(
                "unequal_degrees", one=self, other=other, a=self.degree, b=other.degree
            )
        above = add(multiply(self.above, other.below), multiply(other.above, self.below))
        return ratio(self.degree, above, multiply(self.below, other.below))

    def __neg__(self) -> Ratio:
        """The ratio with the other sign."""
        return Ratio(self.degree, tuple(-c for c in self.above), self.below)

    def __sub__(self, other: Ratio) -> Ratio:
        """The difference of two ratios of the same degree."""
        return self + -other

    def __mul__(self, other: Ratio) -> Ratio:
        """The product."""
        above, below = multiply(self.above, other.above), multiply(self.below, other.below)
        return ratio(self.degree + other.degree, above, below)

    def __truediv__(self, other: Ratio) -> Ratio:
        """The quotient; BadForm for a division by 0."""
        if not other.above:
            raise BadForm.of("divided_by_zero.form", form=self)
        above, below = multiply(self.above, other.below), multiply(self.below, other.above)
        return ratio(self.degree - other.degree, above, below)

    def __bool__(self) -> bool:
        """Whether it is not 0 everywhere."""
        return bool(self.above)

    def __call__(self, t: float) -> float:
        """The value at X / Y = t >= 0, of degree 0."""
        return evaluate(self.above, t) / evaluate(self.below, t)

    def mirror(self) -> Ratio:
        """The same with X and Y exchanged, of degree 0."""
        size = max(len(self.above), len(self.below))
        return ratio(0, reverse(self.above, size), reverse(self.below, size))

    def rise(self) -> Ratio:
        """t d/dt, of degree 0: the slope along R = log t."""
        up = add(
            multiply(derivative(self.above), self.below),
            tuple(-c for c in multiply(self.above, derivative(self.below))),
        )
        return ratio(0, multiply((0, 1), up), multiply(self.below, self.below))

    def order(self) -> int:
        """m of the tail C t^m for t -> 0."""
        return lowest_power(self.above) - lowest_power(self.below)

    def leading(self) -> Fraction:
        """C of the tail C t^m for t -> 0."""
        return Fraction(self.above[lowest_power(self.above)], self.below[lowest_power(self.below)])

    def log_near_0(self, log_t: float, t: float) -> float:
        """The logarithm at t = e^log_t, finite however small t is."""
        above, below = (p[lowest_power(p) :] for p in (self.above, self.below))
        return self.order() * log_t + log(evaluate(above, t)) - log(evaluate(below, t))

    def __str__(self) -> str:
        """Format it as X^2 / (X^2 + Y^2)."""
        top = max(len(self.above), len(self.below)) - 1
        if len(self.below) == 1 and self.degree == 0 and len(self.above) <= 1:
            return str(Fraction(self.above[0], self.below[0])) if self.above else "0"
        above = format_form(self.above, top + max(self.degree, 0))
        below = format_form(self.below, top + max(-self.degree, 0))
        if below == "1":
            return above
        return f"{_bracket(above)} / {_bracket(below)}"


def ratio(degree: int, above: Polynomial, below: Polynomial) -> Ratio:
    """Return a ratio in lowest terms, the last coefficient below positive."""
    if not above:
        return Ratio(0, (), (1,))
    factor = common_factor(above, below)
    above, below = divide(above, factor), divide(below, factor)
    content = gcd(*above, *below) * (1 if below[-1] > 0 else -1)
    return Ratio(degree, tuple(c // content for c in above), tuple(c // content for c in below))


X, Y = ratio(1, (0, 1), (1,)), ratio(1, (1,), (1,))
ONE, ZERO = ratio(0, (1,), (1,)), ratio(0, (), (1,))


def constant(value: Fraction) -> Ratio:
    """A constant, of degree 0."""
    return ratio(0, (value.numerator,) if value else (), (value.denominator,))


def parse_ratio(text: str, names: Mapping[str, Ratio] | None = None) -> Ratio:
    """Parse a ratio of X, Y, `names`, numbers, + - * / ^ and brackets.

    A blank multiplies, as in 3 X^2 Y. Decimals are exact: 0.1 is one tenth. Raises BadForm.
    """
    known = {"X": X, "Y": Y, **(names or {})}
    try:
        plain = BLANK.sub("*", text.strip()).replace("^", "**")
        return _evaluate_node(ast.parse(plain, mode="eval").body, known, text)
    except BadForm:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadForm.of("not_an_expression.unread", text=text) from None


def _evaluate_node(node: ast.expr, known: Mapping[str, Ratio], text: str) -> Ratio:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            return constant(Fraction(repr(value)))
        case ast.Name(id=name):
            if name in known:
                return known[name]
            raise BadForm.of("unknown_symbol", text=text, name=name, known=known)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_evaluate_node(inner, known, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)):
            if not 0 <= power <= HIGHEST_POWER:
                raise BadForm.of("power_out_of_range", text=text, power=power, most=HIGHEST_POWER)
            return prod([_evaluate_node(left, known, text)] * power, start=ONE)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            first, second = (_evaluate_node(one, known, text) for one in (left, right))
            result: Ratio = OPERATORS[type(op)](first, second)
            return result
    raise BadForm.of("not_an_expression.other_terms", text=text)


def _bracket(text: str) -> str:
    return f"({text})" if " + " in text or " - " in text else text


# --- games ---

Number = TypeVar("Number", float, Ratio)
LOOKED_AT = [2.0 ** (k / 4.0) for k in range(-80, 81)]  # X / Y where chances are checked
FARTHEST = 100.0  # natural units; powers of e^x are float64 up to there


class BadGame(WordedError, ValueError):
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
            raise BadArgument.of("difference_out_of_range", low=-FARTHEST, high=FARTHEST, x=x)
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
            raise BadGame.of("not_a_name.markov", point=point)
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
        raise BadGame(f"{place}: {error}", code="bad_chance") from None
    if chance and chance.degree != 0:
        raise BadGame.of("not_a_chance.markov", place=place, text=text, degree=chance.degree)
    for t in LOOKED_AT:
        try:
            value = chance(t)
        except ZeroDivisionError:
            raise BadGame.of("divided_by_zero.move", place=place, text=text, t=t) from None
        if not -1e-12 <= value <= 1.0 + 1e-12:
            raise BadGame.of("chance_out_of_range", place=place, text=text, value=value, t=t)
    return chance


def _check_names(game: MarkovGame) -> None:
    ends = {game.win, game.lose}
    if len(ends) == 1:
        raise BadGame.of("ends_alike", win=game.win)
    for end in ends & game.moves.keys():
        raise BadGame.of("end_moves_on", end=end)
    known = [*game.moves, game.win, game.lose]
    named = [(f"state {state!r} moves to", to) for state, row in game.moves.items() for to in row]
    for place, name in (("the start", game.start), *named):
        if name not in known or (place == "the start" and name in ends):
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
            raise BadGame.of("unknown_state", place=place, name=name, hint=hint)


def _check_row(state: str, row: Mapping[str, Ratio]) -> None:
    total = sum(row.values(), ZERO)
    if total != ONE:
        moves = ", ".join(f"{to}: {chance}" for to, chance in row.items()) or "none"
        raise BadGame.of("chances_add_up_wrong.markov", state=state, total=total, moves=moves)


def _check_ways(game: MarkovGame) -> None:
    met = reachable_states(game)
    leads = {state: {to for to, chance in game.moves[state].items() if chance} for state in met}
    for state in game.moves:
        if state not in leads:
            raise BadGame.of("state_not_reached", state=state)
    ending = {game.win, game.lose}
    while more := {state for state in leads.keys() - ending if leads[state] & ending}:
        ending |= more
    for state in met:
        if state not in ending:
            raise BadGame.of("end_not_reached.state", state=state)
    for end in (game.win, game.lose):
        if not any(end in reached for reached in leads.values()):
            raise BadGame.of("end_not_reached.start", end=end)


# Ready games: a point is won with p = X / (X + Y), lost with q = Y / (X + Y).


POINT = MappingProxyType({"p": "X / (X + Y)", "q": "Y / (X + Y)"})
RACE_POINTS = 30  # points; the exact formula of a longer match takes minutes


def match(points: int, lead: int = 1, name: str = "") -> MarkovGame:
    """Build a match that the first to `points` points with a lead of at least `lead` wins.

    lead = points: that many points ahead. Raises BadGame unless 1 <= lead <= points <= 30.
    """
    if not 1 <= lead <= points <= RACE_POINTS:
        raise BadGame.of("points_out_of_range.race", most=RACE_POINTS, points=points, lead=lead)

    def after(mine: int, theirs: int) -> str:
        if mine >= points and mine - theirs >= lead:
            return "won"
        if theirs >= points and theirs - mine >= lead:
            return "lost"
        # once both have points - lead, only the difference matters
        level = max(0, min(mine, theirs) - (points - lead))
        return f"{mine - level}-{theirs - level}"

    states: dict[str, dict[str, str]] = {}
    new = ["0-0"]
    for state in new:
        mine, theirs = map(int, state.split("-"))
        states[state] = {after(mine + 1, theirs): "p", after(mine, theirs + 1): "q"}
        new += [to for to in states[state] if "-" in to and to not in {*states, *new}]
    return markov_game(name or f"match({points}, {lead})", "0-0", "won", "lost", states, POINT)


def ahead_then_streak(lead: int, streak: int, name: str = "") -> MarkovGame:
    """Build a game won by a lead of `lead` points and then `streak` points in a row.

    A point lost in the streak leads back to a lead of one less.

    Raises BadGame unless both are 1 to 20.
    """
    if not (1 <= lead <= 20 and 1 <= streak <= 20):
        raise BadGame.of("points_out_of_range.streak", lead=lead, streak=streak)

    def level(difference: int) -> str:
        return f"{difference:+d}" if difference else "level"

    states: dict[str, dict[str, str]] = {}
    for d in range(1 - lead, lead):
        up = "lead 0" if d + 1 == lead else level(d + 1)
        down = "behind 0" if d - 1 == -lead else level(d - 1)
        states[level(d)] = {up: "p", down: "q"}
    for k in range(streak):
        last = k + 1 == streak
        states[f"lead {k}"] = {"won" if last else f"lead {k + 1}": "p", level(lead - 1): "q"}
        states[f"behind {k}"] = {"lost" if last else f"behind {k + 1}": "q", level(1 - lead): "p"}
    name = name or f"ahead_then_streak({lead}, {streak})"
    return markov_game(name, level(0), "won", "lost", states, POINT)


MODELS: Mapping[str, Callable[[], MarkovGame]] = MappingProxyType(
    {
        "point": lambda: match(1, 1, "point"),
        "two_ahead": lambda: match(2, 2, "two_ahead"),
        "best_of_three": lambda: match(2, 1, "best_of_three"),
        "tennis_game": lambda: match(4, 2, "tennis_game"),
        "streak": lambda: ahead_then_streak(2, 5, "streak"),
    }
)


# games as files, TOML or JSON

FILE_KEYS = ("name", "start", "win", "lose", "points", "states")
FILE_REMEDY = "`prowess theory markov two_ahead --toml` prints a file to begin with"


def read_game(file: str | Path) -> MarkovGame:
    """Read a game from a TOML or JSON file; raises BadData with the file and the fault."""
    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except FileNotFoundError:
        raise BadData.of("no_such_file", file=str(file), remedy=FILE_REMEDY) from None
    except OSError as error:
        raise BadData.of("unreadable_file.game", file=str(file), error=error.strerror) from None
    except RecursionError:
        raise BadData.of("nested_too_deeply.game", file=str(file), remedy=FILE_REMEDY) from None
    except ValueError as error:  # of the decoder, of TOML and of JSON
        raise BadData.of(
            "not_toml_or_json", file=str(file), error=error, remedy=FILE_REMEDY
        ) from None
    try:
        return parse_game(data, path.stem)
    except BadGame as error:
        raise BadData(str(error), file=str(file), code=error.code) from None


def parse_game(data: Any, name: str = "game") -> MarkovGame:
    """Parse the data of a game file; raises BadGame."""
    if not isinstance(data, dict):
        raise BadGame.of("not_a_game.keys", keys=FILE_KEYS)
    for key in data:
        if key not in FILE_KEYS:
            raise BadGame.of("unknown_key", keys=FILE_KEYS, key=key)
    for key in ("start", "win", "lose", "states"):
        if key not in data:
            raise BadGame.of("key_missing", key=key, hint=FILE_REMEDY)
    for key in ("name", "start", "win", "lose"):
        if not isinstance(data.get(key, ""), str):
            raise BadGame.of("not_a_text.key", key=key, value=data[key])
    states = data["states"]
    if not isinstance(states, dict) or not states:
        raise BadGame.of("no_states")
    for state, row in states.items():
        _check_texts(f"state {state!r}", row)
    points = data.get("points", {})
    _check_texts("points", points)
    ends = data["start"], data["win"], data["lose"]
    return markov_game(data.get("name", name), *ends, states, points)


def _check_texts(place: str, row: Any) -> None:
    if not isinstance(row, dict):
        raise BadGame.of("not_a_game.state", place=place, row=row)
    for to, chance in row.items():
        if not isinstance(chance, str):
            raise BadGame.of("not_a_text.chance", place=place, to=to, chance=chance)


def format_toml(game: MarkovGame) -> str:
    """Format a game as a TOML file."""
    heads = {"name": game.name, "start": game.start, "win": game.win, "lose": game.lose}
    blocks = ["\n".join(f"{key} = {json.dumps(text)}" for key, text in heads.items())]
    for state, row in game.moves.items():
        lines = [f"[states.{json.dumps(state)}]"]
        lines += [f"{json.dumps(to)} = {json.dumps(str(chance))}" for to, chance in row.items()]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"
