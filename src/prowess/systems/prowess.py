"""The rating system of Prowess: strengths with their uncertainty, learnt game by game.

Nothing has to be tuned: it runs 42 versions of itself and trusts each by how well it has forecast
so far. It uses draws, margins, sides, contexts, shared members and days of rest.

Formula   gap of two sides, in logits; a side is the sum of its members, V the sum of variances:
              d = theta_a - theta_b + the side's advantage + context + parent + rest
              kappa = 1 / sqrt(1 + pi V / 8)
          result r: 0 a draw, +-j a win by a margin of class j; cut points c_-j = -c_(j-1)
              P(r <= j) = sigma(kappa (c_j - d)),  P(win) = sigma(b kappa (d - c_0))
              g = kappa (F_r + F_(r-1) - 1)
              I = kappa^2 (F_r (1 - F_r) + F_(r-1) (1 - F_(r-1)))
              m <- m + v x g,  v <- v / (1 + v x^2 I)
          idle for t days: m <- m e^(-k t), v <- v_0 + (v - v_0) e^(-2 k t) + walk t
          newcomers come in at the level n <- n + 0.05 g sum(x v) / v_0
          c_j (rate 0.03) and b (rate 0.05) climb the log likelihood of the results by AdaGrad
          a contest of n sides is its pairs, each of weight 3 / (n + 1)
Source    docs/prowess_system.md. Draws: P. V. Rao and L. L. Kupper, J. Amer. Stat. Assoc. 62
          (1967); margins: P. McCullagh, J. Royal Stat. Soc. B 42 (1980), ordered logits; one step
          of a Gaussian belief: M. E. Glickman, Applied Statistics 48 (1999); kappa: D. J.
          Spiegelhalter and S. L. Lauritzen, Networks 20 (1990); AdaGrad: J. Duchi and others, JMLR
          12 (2011).
Units     ratings and deviations are points, 1500 + 400 / ln 10 theta; prior variances are squared
          logits, time is days.
Differs   The sources give the parts; how they are put together is Prowess's.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, pi, sqrt
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from prowess.engine.graded_games import (
    grade_games,
    kinds_of,
    note_uses,
    opening_of,
    set_contests,
    set_games,
    words_of,
)
from prowess.engine.numeric import logistic
from prowess.engine.params import Prepared
from prowess.engine.streams.prepared_pieces import prepare_pieces
from prowess.engine.system import Chances, Common, Dynamic, Range, complement, negated, same
from prowess.games.game_members import members_of_games
from prowess.games.games import Games
from prowess.games.result_classes import CLASSES, find_classes
from prowess.games.role_members import add_members

CENTRE, SCALE = 1500.0, 400.0 / log(10.0)  # points; points a logit
SQUARED_SCALE = SCALE * SCALE
PI_8 = pi / 8.0 / SQUARED_SCALE
VARIANCES = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)  # of strengths, squared logits
REVERSIONS = (2e-5, 6e-5, 2e-4, 6e-4, 2e-3, 6e-3)  # a day
LEVEL_RATE, SLOPE_RATE, CUT_RATE = 0.05, 0.05, 0.03
LONGEST, FIRST_SQUARE = 0.1, 1e-2  # of the steps of a cut point: one at most, all at first
APART, SLOPES = 0.02, (0.3, 3.0)  # two cut points, at least; slopes within
LEVEL, SLOPE, OVER, UNDER, DRAW = range(5)  # the fields of `Learnt`
TAUGHT = ("level", "slope", "over", "under")
FAR, LEAST = 1e9, 1e-9  # the cut point above the highest class, and a chance that divides
CONTEXT, MOST_IN_CONTEXT = 0.15, 1.0  # share of a player's variance, at most of so much
Cut = Annotated[float, Prepared(0, 100, "logits; of class 0 half the width of a draw")]


class Params(NamedTuple):
    variance: Annotated[float, Range(1e-6, 1e3, "squared logits, of a player's strength")] = 0.8
    reversion: Annotated[float, Range(0, 1, "a day, towards the mean")] = 2e-4
    walk: Annotated[float, Range(0, 1, "squared logits a day")] = 0.0
    opening: Annotated[float, Range(0, 1e9, "games that set margin classes; 0: a fifth")] = 0.0
    own: Annotated[float, Prepared(1e-3, 1, "the player's own share of the variance")] = 1.0
    shared: Annotated[float, Prepared(0, 1, "and of a member that players share")] = 1.0
    level: Annotated[float, Prepared(0, 1, "1: newcomers come in at the learnt level")] = 1.0
    centre: Annotated[float, Prepared(0, 4000, "points")] = CENTRE
    drawn: Annotated[float, Prepared(0, 1, "1: the table has draws")] = 0.0
    classes: Annotated[float, Prepared(1, CLASSES, "of margins")] = 1.0
    kinds: Annotated[float, Prepared(1, 1000, "of games")] = 1.0
    cut0: Cut = 0.0
    cut1: Cut = 0.0
    cut2: Cut = 0.0
    cut3: Cut = 0.0
    cut4: Cut = 0.0
    cut5: Cut = 0.0
    cut6: Cut = 0.0
    cut7: Cut = 0.0


class Rating(NamedTuple):
    rating: float = CENTRE  # mean, points
    variance: float = 0.8 * SQUARED_SCALE  # points squared


class Side(NamedTuple):
    mean: float = 0.0
    variance: float = 0.0
    unknown: float = 0.0  # the sum of variances of the players


class Evidence(NamedTuple):
    surprise: Annotated[float, negated] = 0.0  # g, a point
    information: Annotated[float, same] = 0.0  # I, a point squared


class Graded(NamedTuple):
    score: Annotated[float, complement] = 0.5
    result: Annotated[float, negated] = 0.0  # +-j: a win by a margin of class j; 0: see `drawn`
    drawn: Annotated[float, same] = 0.0  # 1: the table has draws
    kind: Annotated[float, same] = 0.0  # of the game, by number


class Learnable(NamedTuple):
    value: float = 0.0
    square: float = 0.0  # the sum of squared gradients


class Learnt(NamedTuple):
    level: Learnable = Learnable()
    slope: Learnable = Learnable()
    over: Learnable = Learnable()  # the cut point above the result
    under: Learnable = Learnable()  # the one below it, without its sign
    draw: Learnable = Learnable()


class Places(NamedTuple):
    level: int
    slope: int
    over: int
    under: int
    draw: int


class Gradient(NamedTuple):
    surprise: float = 0.0  # sum of g and the unknown part of a side
    unknown: float = 0.0
    slope: float = 0.0
    over: float = 0.0
    under: float = 0.0


def newcomer(p: Params, common: Learnt) -> Rating:
    """The rating of a member without a game."""
    return Rating(p.centre + p.level * common.level.value, p.own * p.variance * SQUARED_SCALE)


def drift(p: Params, me: Rating, elapsed: float) -> Rating:
    """The rating after idle days."""
    kept = exp(-p.reversion * elapsed)
    prior = p.own * p.variance * SQUARED_SCALE
    variance = me.variance + (prior - me.variance) * (1.0 - kept * kept)
    variance += p.walk * SQUARED_SCALE * elapsed
    return Rating(me.rating + (p.centre - me.rating) * (1.0 - kept), variance)


def part(p: Params, me: Rating, share: float) -> Side:
    """A member's part of a side."""
    variance = share * me.variance
    return Side(share * (me.rating - p.centre), share * variance, p.level * variance)


def logit_gap(mine: Side, theirs: Side) -> tuple[float, float]:
    """d in logits, and kappa."""
    kappa = 1.0 / sqrt(1.0 + PI_8 * (mine.variance + theirs.variance))
    return (mine.mean - theirs.mean) / SCALE, kappa


def chances(p: Params, mine: Side, theirs: Side, game: Graded, common: Learnt) -> Chances:
    """The chances of win and draw."""
    d, kappa = logit_gap(mine, theirs)
    steep, half = common.slope.value * kappa, common.draw.value
    win, loss = logistic(steep * (d - half)), logistic(steep * (-d - half))
    return Chances(win, 0.0 if game.drawn == 0.0 else max(1.0 - win - loss, LEAST))


def is_graded(game: Graded) -> bool:
    """Whether the result is one of the classes, and not a score alone."""
    return game.drawn != 0.0 or game.result != 0.0


def chances_below(d: float, kappa: float, game: Graded, common: Learnt) -> tuple[float, float]:
    """F_r and F_(r-1): the chances of at most this result and of a worse one.

    Without a class both are the chance of a loss, as the cut points are 0.
    """
    above = -common.over.value if game.result < 0.0 else common.over.value
    below = -common.under.value if game.result <= 0.0 else common.under.value
    return logistic(kappa * (above - d)), logistic(kappa * (below - d))


def at_least(p: Params, mine: Side, theirs: Side, game: Graded, common: Learnt) -> float:
    """The chance of this result or a better one: 1 - F_(r-1), without margins that of the score."""
    if p.classes == 1.0 or not is_graded(game):
        return chances(p, mine, theirs, game, common).at_least(game.score)
    _, below = chances_below(*logit_gap(mine, theirs), game, common)
    return 1.0 - below


def evidence(p: Params, mine: Side, theirs: Side, game: Graded, common: Learnt) -> Evidence:
    """The surprise and the information of a result."""
    d, kappa = logit_gap(mine, theirs)
    upper, lower = chances_below(d, kappa, game, common)
    surprise, information = game.score + upper - 1.0, upper * (1.0 - upper)
    if is_graded(game):
        surprise, information = upper + lower - 1.0, information + lower * (1.0 - lower)
    return Evidence(kappa * surprise / SCALE, kappa * kappa * information / SQUARED_SCALE)


def gradient(
    p: Params, mine: Side, theirs: Side, game: Graded, common: Learnt, of: Chances, one: Evidence
) -> Gradient:
    """What the log likelihood of a game says about the learnt numbers."""
    d, kappa = logit_gap(mine, theirs)
    upper, lower = chances_below(d, kappa, game, common)
    likelihood = max(upper - lower, LEAST)
    over = kappa * upper * (1.0 - upper) / likelihood
    under = kappa * lower * (1.0 - lower) / likelihood
    over = -over if game.result < 0.0 else over
    under = -under if game.result > 0.0 else under
    if game.drawn == 0.0:  # c_0 stays 0
        over = 0.0 if game.result == -1.0 else over
        under = 0.0 if game.result == 1.0 else under
    known, surprise = 1.0 / (p.own * p.variance * SQUARED_SCALE), SCALE * one.surprise
    level = (mine.unknown - theirs.unknown) * known * surprise
    unknown = (mine.unknown + theirs.unknown) * known
    win, draw, half = of.win, of.draw, common.draw.value
    loss = 1.0 - win - draw  # type: ignore[operator]
    won, lost = kappa * (d - half), kappa * (-d - half)
    if game.drawn == 0.0:
        slope = (game.score - win) * won
    elif game.result > 0.0:
        slope = (1.0 - win) * won
    elif game.result < 0.0:
        slope = (1.0 - loss) * lost
    else:
        slope = -(win * (1.0 - win) * won + loss * (1.0 - loss) * lost) / draw  # type: ignore[operator]
    return Gradient(level, unknown, slope, over, under)


def due(p: Params, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    """A member's part of the evidence."""
    return Evidence(share * one.surprise, share * share * one.information)


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """The rating after the evidence of a game or contest."""
    v = me.variance
    return Rating(me.rating + v * total.surprise, v / (1.0 + v * total.information))


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points of a piece of evidence."""
    return me.variance * one.surprise


def pair_weight(sides: float) -> float:
    """The games that a pair in a contest of so many sides is worth."""
    return 3.0 / (sides + 1.0)


def start(p: Params) -> list[Learnable]:
    """The slope of each kind of game, the level, and the cut points between rows that stay."""
    cuts = p[p._fields.index("cut0") :][: int(p.classes)]
    lowest = -0.5 * APART if p.drawn else -APART  # keeps c_0 above 0.01, without draws at 0
    return [
        *(Learnable(1.0, 1.0) for _ in range(int(p.kinds))),
        Learnable(0.0, 0.0),
        Learnable(lowest, 0.0),
        *(Learnable(cut, FIRST_SQUARE) for cut in cuts),
        Learnable(FAR, FIRST_SQUARE),
        Learnable(2.0 * FAR, 0.0),
    ]


def named_rows(p: Params, game: Graded) -> Places:
    """The rows that a game reads and teaches."""
    level = int(p.kinds)
    draw = level + 2
    if not is_graded(game):
        return Places(level, int(game.kind), -1, -1, -1)  # a score between has no draw beside it
    over = under = draw + int(abs(game.result))
    if game.result > 0.0:
        under -= 1
    elif game.result < 0.0:
        over -= 1
    return Places(level, int(game.kind), over, under, draw)


def learn(
    p: Params, which: int, row: Learnable, below: Learnable, above: Learnable, total: Gradient,
    sides: float,
) -> Learnable:  # fmt: skip
    """A row after a game or contest of so many sides."""
    if which == LEVEL:
        unknown = total.unknown / ((sides - 1.0) * pair_weight(sides))
        step = SCALE * LEVEL_RATE * total.surprise / max(1.0, 0.5 * unknown)
        return Learnable(row.value + step, 0.0)
    if which == SLOPE:
        climb = 2.0 / sides * total.slope
        square = row.square + climb * climb
        slope = row.value + SLOPE_RATE * climb / sqrt(square)
        return Learnable(min(max(slope, SLOPES[0]), SLOPES[1]), square)
    climb = total.over if which == OVER else total.under
    square = row.square + climb * climb
    step = min(max(CUT_RATE * climb / sqrt(square), -LONGEST), LONGEST)
    return Learnable(min(max(row.value + step, below.value + APART), above.value - APART), square)


# --- what is taken from a table -------------------------------------------------------------------
# Margin classes and first cut points come from the opening: forecasts know no later result.


def prepare(p: Any, table: Games) -> tuple[Any, Games]:
    """The settings and the table as they are played, with a note on what was used."""
    if not table.pairwise:
        used = ["places"]
        return set_contests(p, "with" in table.role_kinds), note_uses(table, used)
    added, used = members_of_games(table)
    rule = find_classes(table, opening_of(p, len(table)))
    kinds = kinds_of(table)
    played = note_uses(grade_games(table, rule), [*used, *words_of(rule, kinds)])
    p = set_games(p, rule, kinds, "with" in table.role_kinds)
    return p, add_members(played, added) if added else played


def of_shared(p: Params) -> Params:
    """The parameters of a member that players share, such as an engine family."""
    return p._replace(own=p.shared, level=0.0, centre=0.0)


def of_context(p: Params) -> Params:
    """The parameters of a player in one context, such as clay."""
    variance = CONTEXT * min(p.variance, MOST_IN_CONTEXT)
    return p._replace(variance=variance, own=1.0, level=0.0, centre=0.0)


def by_itself(variance: float, reversion: float, walk: float) -> Callable[[Params], Params]:
    """A function of p: the parameters of a member that is the same in all settings of the bank."""
    own = {"variance": variance, "reversion": reversion, "walk": walk}
    return lambda p: p._replace(**own, own=1.0, level=0.0, centre=0.0)


PROWESS = Dynamic(
    name="prowess",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    game=Graded(),
    side=Side(),
    newcomer=newcomer,
    drift=drift,
    part=part,
    chances=chances,
    at_least=at_least,
    evidence=evidence,
    due=due,
    absorb=absorb,
    credit=credit,
    pair_weight=pair_weight,
    common=Common(Learnable(), Learnt(), Gradient(), start, named_rows, gradient, learn, TAUGHT),
    prepare=prepare,
    prepare_pieces=prepare_pieces,
    roles=MappingProxyType(
        {
            "per": of_context,
            "with": of_shared,
            "side": by_itself(0.1, 0.0, 1e-5),
            "own side": by_itself(0.02, 2e-4, 0.0),
            "rest": by_itself(0.05, 0.0, 1e-6),
        }
    ),
    bank=MappingProxyType({"variance": VARIANCES, "reversion": REVERSIONS}),
    clock="1d",
    follows_period=False,
    rounds="game",
    breaks={
        "two_waits": "a walk beside a reversion is not damped; in the system one of them is 0",
        "either_side": "of two cut points beside a result the upper one learns before the lower",
    },
)
