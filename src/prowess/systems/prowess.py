"""Prowess: strengths with their uncertainty, learnt game by game, without tuning.

Nothing has to be tuned: it runs 36 versions of itself and trusts each by how well it has forecast
so far. It uses draws, margins, sides, contexts, shared members, days of rest, and who has played
whom how often.

Formula   gap of two sides, in logits; a side is the mean of its players and the sum of what stands
          beside them, each with a share x that has the factor f of its role, V the sum of their
          variances:
              d = theta_a - theta_b + side advantages + context + shared + rest
                  + experience + matchup
              kappa = 1 / sqrt(1 + pi V / 8)
          result r: 0 a draw, +-j a win by a margin of class j; cut points c_-j = -c_(j-1)
              P(r <= j) = sigma(kappa (c_j - d)),  P(win) = sigma(b kappa (d - c_0))
              g = kappa (F_r + F_(r-1) - 1)
              I = kappa^2 (F_r (1 - F_r) + F_(r-1) (1 - F_(r-1)))
              m <- m + v x g,  v <- v / (1 + v x^2 I)
          c_0 of a game is c_0 exp(f (u_a + u_b)), u learnt alike from the derivative by log c_0
          idle for t days: m <- m e^(-k t), v <- v_0 + (v - v_0) e^(-2 k t) + walk t
          newcomers come in at the level n <- n + 0.05 max(1, size / 2) u g / max(1, (U / 2)^2),
          alone against a known opponent at n + rho (m_opponent - n)
          c_j (rate 0.03), f and rho (rate 0.05) climb the log likelihood of the results by AdaGrad,
          b by a Kalman step
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

from collections.abc import Callable, Iterator
from math import exp, log, pi, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from prowess.engine.graded_games import (
    add_game_members,
    grade_games,
    kinds_of,
    note_uses,
    opening_of,
    set_contests,
    set_games,
)
from prowess.engine.numeric import both_logistic
from prowess.engine.params import Prepared
from prowess.engine.streams.prepared_pieces import PreparedPieces, prepare_pieces
from prowess.engine.system import Chances, Common, Dynamic, Range, complement, negated, same
from prowess.games.game_members import GameMembers, Told
from prowess.games.games import Games
from prowess.games.result_classes import CLASSES, find_classes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CENTRE, SCALE = 1500.0, 400.0 / log(10.0)  # points; points a logit
SQUARED_SCALE = SCALE * SCALE
POINT, SQUARED_POINT = 1.0 / SCALE, 1.0 / SQUARED_SCALE  # logits
PI_8 = pi / 8.0 * SQUARED_POINT
VARIANCES = (0.15, 0.5, 1.6, 5.0)  # of strengths, squared logits
CONTEST_VARIANCES = (0.02, 0.08, 0.3, 1.2)
SLOW, FAST = (2e-5, 2e-4, 2e-3), (6e-5, 6e-4, 6e-3)  # reversions a day
LEVEL_RATE, STEP_RATE, CUT_RATE = 0.05, 0.05, 0.03  # STEP_RATE: of factors, of slopes in contests
LONGEST, FIRST_SQUARE = 0.1, 1e-2  # of the steps of a cut point: one at most, all at first
APART, SLOPES = 0.02, (0.3, 3.0)  # two cut points, at least; slopes within
SLOPE_VARIANCE, SLOPE_WALK = 0.02, 1e-6  # of the slope of games; the walk is one a game
LEVEL, SLOPE, OVER, UNDER, DRAW = range(5)  # the fields of `Learnt`
TAUGHT = ("level", "slope", "over", "under")
FAR, LEAST = 1e9, 1e-9  # the cut point above the highest class, and a chance that divides
WIDEST = 3.0  # of the logarithm by which sides widen a draw
CONTEXT, MOST_IN_CONTEXT = 0.15, 1.0  # share of a player's variance, at most of so much
MATCHUP, MOST_IN_MATCHUP = 0.1, 2.0
FIRST_FACTORS = (  # their first values and squares, by number
    ("context", 1.0, 1.0),
    ("own side", 1.0, 1.0),
    ("league side", 1.0, 1.0),
    ("with", 1.0, 1.0),
    ("voter side", 1.0, 1.0),
    ("recent side", 0.5, 1.0),
    ("matchup", 0.5, 1.0),
    ("draws", 1.0, FIRST_SQUARE),
    ("company", 0.0, 1.0),
)
NUMBER_OF = {name: float(number) for number, (name, *_) in enumerate(FIRST_FACTORS)}
Cut = Annotated[float, Prepared(0, 100, "logits; of class 0 half the width of a draw")]


class Params(NamedTuple):
    variance: Annotated[float, Range(1e-6, 1e3, "squared logits"), "scatter of strengths"] = 0.8
    reversion: Annotated[
        float, Range(0, 1, "a day"), "how fast idle strengths return to the mean"
    ] = 2e-4
    walk: Annotated[
        float, Range(0, 1, "squared logits a day"), "how much a strength wanders with time"
    ] = 0.0
    experience: Annotated[float, Range(0, 1), "1: who has played more may be better"] = 1.0
    rich: Annotated[float, Range(0, 1), "1: with recent sides, sides of a league, matchups"] = 1.0
    opening: Annotated[
        float, Range(0, 1e9, "games; 0: a fifth"), "first games, whose margins make the classes"
    ] = 0.0
    own: Annotated[float, Prepared(0, 1e3, "of the variance, what a member has")] = 1.0
    shared: Annotated[float, Prepared(0, 1, "and one that players share")] = 1.0
    level: Annotated[float, Prepared(0, 1, "1: newcomers come in at the learnt level")] = 1.0
    known: Annotated[float, Prepared(0, 1e9, "1 / variance of a newcomer who plays, logits")] = 1.25
    centre: Annotated[float, Prepared(0, 4000, "points")] = CENTRE
    gap: Annotated[float, Prepared(0, 1, "1: takes part in the gap of two sides")] = 1.0
    uncertain: Annotated[float, Prepared(0, 1, "1: and its variance in theirs")] = 1.0
    widens: Annotated[float, Prepared(0, 1, "1: makes draws more or less likely")] = 0.0
    damped: Annotated[float, Prepared(0, 1, "1: moves by the variance after a contest")] = 0.0
    factor: Annotated[float, Prepared(-1, 99, "by number; -1: none")] = -1.0
    least: Annotated[float, Prepared(-1, 1, "value of the factor")] = 0.0
    most: Annotated[float, Prepared(0, 5, "value of the factor")] = 2.0
    dated: Annotated[float, Prepared(0, 1, "1: games have dates")] = 1.0
    contest: Annotated[float, Prepared(0, 1, "1: the table is of contests")] = 0.0
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
    unknown: float = 0.0  # of the players, the sum of variances as parts of those of newcomers
    lean: float = 0.0  # towards draws, points


class Evidence(NamedTuple):
    surprise: Annotated[float, negated] = 0.0  # g, a point
    information: Annotated[float, same] = 0.0  # I, a point squared
    lean: Annotated[float, same] = 0.0  # h, a point
    lean_information: Annotated[float, same] = 0.0  # a point squared


class Graded(NamedTuple):
    score: Annotated[float, complement] = 0.5
    result: Annotated[float, negated] = 0.0  # 1: a win, -1: a loss, 0: see `drawn`
    smaller: Annotated[float, same] = 0.0  # how many classes of margins are smaller
    larger: Annotated[float, same] = 0.0
    drawn: Annotated[float, same] = 0.0  # 1: the table has draws
    kind: Annotated[float, same] = 0.0  # of the game, by number
    crew: Annotated[float, same] = 0.0  # players of the larger side; 0: one


class Learnable(NamedTuple):
    value: float = 0.0
    square: float = 0.0  # the sum of squared gradients; of the slope of games its variance


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
    slope_information: float = 0.0
    over: float = 0.0
    under: float = 0.0


def prior(p: Params) -> float:
    """The variance of a member without a game, points squared."""
    return p.own * p.variance * SQUARED_SCALE


def newcomer(p: Params, common: Learnt) -> Rating:
    """The rating of a member without a game."""
    return Rating(p.centre + p.level * common.level.value, prior(p))


def fade(p: Params, elapsed: float) -> float:
    """What idle days leave of the distance from the mean."""
    return exp(-p.reversion * elapsed)


def drift(p: Params, me: Rating, elapsed: float) -> Rating:
    """The rating after idle days."""
    return drift_by(p, me, elapsed, fade(p, elapsed))


def drift_by(p: Params, me: Rating, elapsed: float, kept: float) -> Rating:
    """The rating after idle days that leave so much of the distance from the mean."""
    variance = me.variance + (prior(p) - me.variance) * (1.0 - kept * kept)
    variance += p.walk * SQUARED_SCALE * elapsed
    return Rating(me.rating + (p.centre - me.rating) * (1.0 - kept), variance)


def part(p: Params, me: Rating, share: float) -> Side:
    """A member's part of a side."""
    mean, variance = share * (me.rating - p.centre), share * me.variance
    unknown = p.known * SQUARED_POINT * variance
    return Side(p.gap * mean, p.uncertain * share * variance, unknown, p.widens * mean)


def logit_gap(mine: Side, theirs: Side) -> tuple[float, float]:
    """d in logits, and kappa."""
    kappa = 1.0 / sqrt(1.0 + PI_8 * (mine.variance + theirs.variance))
    return POINT * (mine.mean - theirs.mean), kappa


def half_width(mine: Side, theirs: Side, game: Graded, common: Learnt) -> float:
    """c_0 of a game: half the width of a draw, which both sides widen; 0 where there is none."""
    if game.drawn == 0.0:
        return 0.0
    lean = min(max(POINT * (mine.lean + theirs.lean), -WIDEST), WIDEST)
    return common.draw.value * exp(lean)


def chances(p: Params, mine: Side, theirs: Side, game: Graded, common: Learnt) -> Chances:
    """The chances of win and draw."""
    d, kappa = logit_gap(mine, theirs)
    steep, half = common.slope.value * kappa, half_width(mine, theirs, game, common)
    win, _ = both_logistic(steep * (d - half))
    loss, _ = both_logistic(steep * (-d - half))
    return Chances(win, 0.0 if game.drawn == 0.0 else max(1.0 - win - loss, LEAST))


def is_graded(game: Graded) -> bool:
    """Whether the result is one of the classes, and not a score alone."""
    return game.drawn != 0.0 or game.result != 0.0


def chances_below(
    d: float, kappa: float, half: float, game: Graded, common: Learnt
) -> tuple[float, float]:
    """F_r and F_(r-1): the chances of at most this result and of a worse one.

    Of a score alone both are the chance of a loss.
    """
    _, not_won = both_logistic(kappa * (d - half))
    lost, _ = both_logistic(kappa * (-d - half))
    upper = not_won if game.result == 0.0 else lost if game.result < 0.0 else 1.0
    lower = not_won if game.result > 0.0 else lost if game.result == 0.0 else 0.0
    won = game.result > 0.0
    if game.larger > 0.0:
        beyond, _ = both_logistic(kappa * ((common.over.value if won else -common.under.value) - d))
        upper, lower = (beyond, lower) if won else (upper, beyond)
    if game.smaller > 0.0:
        inside, _ = both_logistic(kappa * ((common.under.value if won else -common.over.value) - d))
        upper, lower = (upper, inside) if won else (inside, lower)
    return upper, lower


def at_least(p: Params, mine: Side, theirs: Side, game: Graded, common: Learnt) -> float:
    """The chance of this result or a better one: 1 - F_(r-1), without margins that of the score."""
    if p.classes == 1.0 or not is_graded(game):
        return chances(p, mine, theirs, game, common).at_least(game.score)
    half = half_width(mine, theirs, game, common)
    _, below = chances_below(*logit_gap(mine, theirs), half, game, common)
    return 1.0 - below


def evidence(p: Params, mine: Side, theirs: Side, game: Graded, common: Learnt) -> Evidence:
    """The surprise and the information of a result, and what it says about draws."""
    d, kappa = logit_gap(mine, theirs)
    half = half_width(mine, theirs, game, common)
    upper, lower = chances_below(d, kappa, half, game, common)
    surprise, information = game.score + upper - 1.0, upper * (1.0 - upper)
    if is_graded(game):
        surprise, information = upper + lower - 1.0, information + lower * (1.0 - lower)
    a_point = POINT * kappa
    known, lean, lean_known = a_point * a_point, 0.0, 0.0
    if game.drawn != 0.0:
        win, not_won = both_logistic(kappa * (d - half))
        loss, not_lost = both_logistic(kappa * (-d - half))
        both = win * not_won + loss * not_lost
        of_draw = both / max(1.0 - win - loss, LEAST)
        of_result = -not_won if game.result > 0.0 else -not_lost if game.result < 0.0 else of_draw
        lean = a_point * half * of_result
        decided = win * not_won * not_won + loss * not_lost * not_lost
        lean_known = known * half * half * (decided + both * of_draw)
    return Evidence(a_point * surprise, known * information, lean, lean_known)


def gradient(
    p: Params, mine: Side, theirs: Side, game: Graded, common: Learnt, of: Chances, one: Evidence
) -> Gradient:
    """What the log likelihood of a game says about the learnt numbers."""
    d, kappa = logit_gap(mine, theirs)
    half = half_width(mine, theirs, game, common)
    surprise = max(1.0, 0.5 * game.crew) * SCALE * one.surprise
    level, unknown = (mine.unknown - theirs.unknown) * surprise, mine.unknown + theirs.unknown
    steep, won, lost = common.slope.value * kappa, kappa * (d - half), kappa * (-d - half)
    win, not_won = both_logistic(steep * (d - half))
    slope, known = (game.score - win) * won, win * not_won * won * won
    if game.drawn != 0.0:
        loss, not_lost = both_logistic(steep * (-d - half))
        of_win, of_loss = not_won * won, not_lost * lost
        both = win * of_win + loss * of_loss
        of_draw = both / max(1.0 - win - loss, LEAST)
        slope = of_win if game.result > 0.0 else of_loss if game.result < 0.0 else -of_draw
        known = win * of_win * of_win + loss * of_loss * of_loss + both * of_draw
    if not is_graded(game):
        return Gradient(level, unknown, slope, known, 0.0, 0.0)
    upper, lower = chances_below(d, kappa, half, game, common)
    per_chance = kappa / max(upper - lower, LEAST)
    over, under = per_chance * upper * (1.0 - upper), per_chance * lower * (1.0 - lower)
    over = -over if game.result < 0.0 else over
    under = -under if game.result > 0.0 else under
    return Gradient(level, unknown, slope, known, over, under)


def due(p: Params, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    """A member's part of the evidence."""
    known = p.gap * one.information + p.widens * one.lean_information
    return Evidence(share * said_to(p, one), share * share * known)


def said_to(p: Params, one: Evidence) -> float:
    """What a result says to members: about the gap, or about draws."""
    return p.gap * one.surprise + p.widens * one.lean


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """The rating after the evidence of a game or contest."""
    after = me.variance / (1.0 + me.variance * total.information)
    moving = me.variance + p.damped * (after - me.variance)
    return Rating(me.rating + moving * total.surprise, after)


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points of a piece of evidence; a readiness to draw is none."""
    return p.gap * me.variance * one.surprise


def pair_weight(sides: float) -> float:
    """The games that a pair in a contest of so many sides is worth."""
    return 3.0 / (sides + 1.0)


def start(p: Params) -> list[Learnable]:
    """The slope of each kind of game, the level, the cut points between rows that stay, factors."""
    cuts = p[p._fields.index("cut0") :][: int(p.classes)]
    lowest = -0.5 * APART if p.drawn else -APART  # keeps c_0 above 0.01, without draws at 0
    slope = Learnable(1.0, 1.0 if p.contest else SLOPE_VARIANCE)
    return [
        *(slope for _ in range(int(p.kinds))),
        Learnable(0.0, 0.0),
        Learnable(lowest, 0.0),
        *(Learnable(cut, FIRST_SQUARE) for cut in cuts),
        Learnable(FAR, FIRST_SQUARE),
        Learnable(2.0 * FAR, 0.0),
        *(Learnable(value, square) for _, value, square in FIRST_FACTORS),
    ]


def named_rows(p: Params, game: Graded) -> Places:
    """The rows that a game reads and teaches."""
    level = int(p.kinds)
    draw = level + 2
    if not is_graded(game):
        return Places(level, int(game.kind), -1, -1, -1)  # a score between has no draw beside it
    nearer = draw + int(game.smaller) if game.drawn != 0.0 or game.smaller > 0.0 else -1
    further = draw + int(game.smaller) + 1 if game.larger > 0.0 else -1
    over = further if game.result > 0.0 else nearer
    under = further if game.result < 0.0 else nearer
    return Places(level, int(game.kind), over, under, draw)


def learn(
    p: Params, which: int, row: Learnable, below: Learnable, above: Learnable, total: Gradient,
    sides: float,
) -> Learnable:  # fmt: skip
    """A row after a game or contest of so many sides."""
    if which == LEVEL:
        half = 0.5 * total.unknown / ((sides - 1.0) * pair_weight(sides))
        known = half if p.contest != 0.0 else half * half
        step = SCALE * LEVEL_RATE * total.surprise / max(1.0, known)
        return Learnable(row.value + step, 0.0)
    if which == SLOPE:
        climb = 2.0 / sides * total.slope
        square = max(row.square, FIRST_SQUARE) + climb * climb
        step = STEP_RATE * climb / sqrt(square)
        if p.contest == 0.0:
            wide = row.square + SLOPE_WALK
            square = wide / (1.0 + wide * total.slope_information)
            step = square * total.slope
        return Learnable(min(max(row.value + step, SLOPES[0]), SLOPES[1]), square)
    climb = total.over if which == OVER else total.under
    square = max(row.square, FIRST_SQUARE) + climb * climb
    step = min(max(CUT_RATE * climb / sqrt(square), -LONGEST), LONGEST)
    return Learnable(min(max(row.value + step, below.value + APART), above.value - APART), square)


def row_of_factor(p: Params) -> float:
    """The row of the factor of members with these parameters; -1: none."""
    if p.factor < 0.0 or p.contest != 0.0:
        return -1.0
    return p.kinds + p.classes + 4.0 + p.factor


def pull(p: Params, me: Rating, share: float, one: Evidence) -> float:
    """What the log likelihood of a game says about the factor of a member."""
    return share * (me.rating - p.centre) * said_to(p, one)


def learn_factor(p: Params, row: Learnable, total: float) -> Learnable:
    """A factor after a game."""
    square = row.square + total * total
    value = row.value + STEP_RATE * total / sqrt(square)
    return Learnable(min(max(value, p.least), p.most), square)


# --- what is taken from a table -------------------------------------------------------------------
# Margin classes and first cut points come from the opening: forecasts know no later result.


def prepare(
    p: Any,
    table: Games,
    members: GameMembers | None = None,
    *,
    taught: NDArray[np.bool_] | None = None,
    span: NDArray[np.float64] | None = None,
) -> tuple[Any, Games, Games]:
    """The settings, the table as it is played, with a note on what was used, and as its games are
    foreseen.

    `members` are those of the games before, where the table is of games to come; `taught` and
    `span` are as of `GameMembers.add`. Games that are not taught come last in the opening.
    """
    dated, shared = table.time is not None, "with" in table.role_kinds
    rule, kinds = None, 0
    if table.pairwise:
        first = table if taught is None else table.select((~taught).argsort(kind="stable"))
        rule, kinds = find_classes(first, opening_of(p, len(table))), kinds_of(table)
        p = set_games(p, rule, kinds, dated, shared)
        table = grade_games(table, rule)
    else:
        p = set_contests(p, CONTEST_BANK, dated, shared)
    told = Told.of(table, rule)
    table = note_uses(table, told, rule, kinds)
    return p, *add_game_members(
        table, members or GameMembers(told), learn=members is None, taught=taught, span=span
    )


def remember_games(p: Any, table: Games) -> GameMembers:
    """What `prepare` has to know of a rated table for games to come."""
    rule = find_classes(table, opening_of(p, len(table))) if table.pairwise else None
    members = GameMembers(Told.of(table, rule))
    members.add(table)
    return members


def prepare_stream(
    p: Any, pieces: Callable[[], Iterator[Games]], planned: int | None
) -> PreparedPieces:
    """What prepares the pieces of a stream."""
    return prepare_pieces(p, CONTEST_BANK, pieces, planned)


def of_crew(p: Params, size: int) -> Params:
    """The parameters of players who first played in a side of so many: each is a part of it."""
    return p._replace(own=p.own * size, known=p.known / size)


def of_shared(p: Params) -> Params:
    """The parameters of a member that players share, such as an engine family."""
    return p._replace(own=p.shared, level=0.0, known=0.0, centre=0.0, factor=NUMBER_OF["with"])


def of_context(p: Params) -> Params:
    """The parameters of a player in one context, such as clay."""
    variance = CONTEXT * min(p.variance, MOST_IN_CONTEXT)
    return by_itself("context", variance, p.reversion, 0.0, p._replace(dated=1.0))


def of_matchup(p: Params) -> Params:
    """The parameters of what is between two sides alone."""
    variance = MATCHUP * min(p.variance, MOST_IN_MATCHUP) * p.rich
    return by_itself("matchup", variance, p.reversion, 0.0, p._replace(dated=1.0))


def of_experience(p: Params) -> Params:
    """The parameters of what it is worth to have played more."""
    found = by_itself("", 0.01 * p.experience, 0.0, 0.0, p)
    return found._replace(uncertain=1.0 - p.contest, damped=p.contest)


def is_absent(p: Params) -> bool:
    """Whether members with these parameters are known to be 0: left out in a part of the bank."""
    return prior(p) == 0.0


def is_still(p: Params) -> bool:
    """Whether members with these parameters do not age."""
    return p.reversion == 0.0 and p.walk == 0.0


def by_itself(
    factor: str, variance: float, reversion: float, walk: float, p: Params, **others: float
) -> Params:
    """The parameters of a member that is the same in all settings of the bank, with its factor.

    Without dates it does not age.
    """
    return p._replace(
        variance=variance, reversion=reversion * p.dated, walk=walk * p.dated, own=1.0,
        level=0.0, known=0.0, centre=0.0, factor=NUMBER_OF.get(factor, -1.0), **others,
    )  # fmt: skip


def of_draws(variance: float, reversion: float, p: Params) -> Params:
    """The parameters of a readiness to draw."""
    return by_itself(
        "draws", variance, reversion, 0.0, p, gap=0.0, uncertain=0.0, widens=1.0, most=5.0
    )


CONTEST_BANK = tuple(
    MappingProxyType(
        {"experience": (known,), "rich": (0.0,), "reversion": SLOW, "variance": CONTEST_VARIANCES}
    )
    for known in (0.0, 1.0)
)
BANK = tuple(
    MappingProxyType(
        {"experience": (known,), "rich": (rich,), "reversion": reversions, "variance": VARIANCES}
    )
    for known, rich, reversions in ((0.0, 0.0, SLOW), (1.0, 0.0, SLOW), (1.0, 1.0, FAST))
)

PROWESS = Dynamic(
    name="prowess",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    game=Graded(),
    side=Side(),
    newcomer=newcomer,
    drift=drift,
    fading=(fade, drift_by),
    part=part,
    chances=chances,
    at_least=at_least,
    evidence=evidence,
    due=due,
    absorb=absorb,
    credit=credit,
    pair_weight=pair_weight,
    common=Common(
        Learnable(),
        Learnt(),
        Gradient(),
        start,
        named_rows,
        gradient,
        learn,
        TAUGHT,
        factor=row_of_factor,
        pull=pull,
        learn_factor=learn_factor,
        company="company",
    ),
    prepare=prepare,
    remember=remember_games,
    prepare_pieces=prepare_stream,
    roles=MappingProxyType(
        {
            "per": of_context,
            "with": of_shared,
            "side": lambda p: by_itself("", 0.1, 0.0, 1e-5, p),
            "recent side": lambda p: by_itself("recent side", 0.2 * p.rich, 0.1, 0.0, p),
            "league side": lambda p: by_itself("league side", 0.05 * p.rich, 2e-4, 0.0, p),
            "own side": lambda p: by_itself("own side", 0.02, 2e-4, 0.0, p),
            "rest": lambda p: by_itself("", 0.05, 0.0, 1e-6, p),
            "voter side": lambda p: by_itself("voter side", 0.1, 0.0, 0.0, p),
            "experience": of_experience,
            "matchup": of_matchup,
            "draws": lambda p: of_draws(0.003, 2e-4, p),
            "voter draws": lambda p: of_draws(0.1, 0.0, p),
            "company": lambda p: by_itself("company", 1.0, 0.0, 0.0, p, least=-0.5, most=1.0),
        }
    ),
    crew=of_crew,
    absent=is_absent,
    still=is_still,
    bank=BANK,
    clock="1d",
    untimed=1.0,
    follows_period=False,
    rounds="game",
    breaks={
        "two_waits": "a walk beside a reversion is not damped; in the system one of them is 0",
        "either_side": "of two cut points beside a result the upper one learns before the lower",
    },
)
