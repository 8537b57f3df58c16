"""Fit comparisons with covariates: ratings, effects of covariates, and errors by cluster.

Formula   z = a_first - a_second + sum_k b_k x_k, x changing sign when the sides are exchanged
          half         log L = w (s log wp(z) + (1 - s) log wp(-z)), wp(z) = 1 / (1 + e^-z)
          davidson     win : draw : loss = e^(z/2) : e^t : e^(-z/2)
          rao_kupper   P(win) = wp(z - t), P(loss) = wp(-z - t), the rest is drawn, t > 0
          ridge:  less precision / 2 sum a^2;  Firth:  plus log det I / 2
          random effects:  a ~ N(0, v), v by the restricted likelihood of the linearised model,
          whose slope, with l, q the eigenvalues and eigenvectors of the ratings' information and
          c = q' (information a + gradient), is -1/2 sum (l / (1 + v l) - c^2 / (1 + v l)^2)
          With A the inverse information and u_k the score of a row, the covariance is
          A (sum_k u_k u_k') A, and of rows in clusters c
          A (sum_c (sum of u_k in c) (sum of u_k in c)') A G / (G - 1), plus the prior's precision
          in the middle; for several groupings
          the sums over each, less those over the rows that share two, and so on.
          Few clusters: without cluster c the unknowns move by (1 - A I_c)^-1 A u_c, with u_c the
          sum of its scores and I_c its information; the covariance is (G - 1) / G times the sum of
          the squares. Student's distribution then has (sum s_c)^2 / sum s_c^2 - 1 degrees of
          freedom, s_c the part of the cluster in the variance A I_c A of an unknown or difference;
          of differences that are compared together, whose tails decide, in A (f I_c + w I_c I_c) A
          with f the dispersion of single scores, w by moments what those of a cluster share.
Source    R. A. Bradley, M. E. Terry, Biometrika 39 (1952) 324; R. R. Davidson, JASA 65 (1970) 317;
          P. V. Rao, L. L. Kupper, JASA 62 (1967) 194; H. Turner, D. Firth, JSS 48 no. 9 (2012);
          D. Firth, Biometrika 80 (1993) 27; K.-Y. Liang, S. Zeger, Biometrika 73 (1986) 13;
          A. C. Cameron, J. B. Gelbach, D. L. Miller, JBES 29 (2011) 238; L. A. Mancl, T. A.
          DeRouen, Biometrics 57 (2001) 126, and A. V. Carter, K. T. Schnepel, D. G. Steigerwald,
          Review of Economics and Statistics 99 (2017) 698, G. W. Imbens, M. Kolesár, the same 98
          (2016) 701 (few and unequal clusters); D. Firth, R. X. de Menezes, Biometrika 91 (2004)
          65; N. E. Breslow, D. G. Clayton, JASA 88 (1993) 9 (penalised quasi-likelihood). A step of
          Newton's method that moves no z by more than 1 raises the likelihood: F. Bach, Electronic
          J. of Statistics 4 (2010) 384.
Units     ratings and effects: natural units (log odds); 400 / ln 10 makes points of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.engine.fits.covariance import DENSE_PLAYERS, inverse_information
from prowess.engine.fits.fit_rows import MergedRows
from prowess.engine.fits.likelihood import DAVIDSON, FITTED_DRAWS, HALF, RAO_KUPPER
from prowess.engine.fits.newton import has_matrix
from prowess.engine.system import Unratable
from prowess.engine.whole_table import Draws, Normal
from prowess.games.arguments import BadArgument
from prowess.games.tally import Tally, share_score

if TYPE_CHECKING:
    from prowess.engine.fits.newton import Maximum
    from prowess.games.games import Games


MAX_PLAYERS = 3_000  # of a dense information matrix
MAX_LEVELS = 16  # distinct values of a covariate up to which equal rows are merged
LEVEL_SAMPLE = 10_000  # rows in which all values of such a covariate are looked for
MAX_CELLS = 1 << 22  # of rows that are merged, before the empty ones are dropped
CELL_STRIDE = 16  # every so manieth cell makes the start of a long fit
LONG_FIT = 200_000  # cells
CELL_BLOCK = 1 << 17  # cells whose slopes stay in the cache of a processor
START_STEPS = 8
MAX_NEWTON_STEPS = 60
MAX_FIRTH_STEPS = 500
Z_TOLERANCE = 1e-5  # of a step of Newton, whose error is about the square
FIRTH_TOLERANCE = 1e-13  # of a step of scoring, whose error is about the step
MAX_Z_STEP = 1.0
MAX_FIRTH_HALVINGS = 30  # of a step of scoring under Firth's correction
SURE_Z = 30.0  # beyond, a result is certain to 13 digits: no finite value was found
SINGULAR = 1e-9  # least eigenvalue of a scaled information matrix
EVERY_ROW = slice(None)
MOST_LEFT_OUT = 5e9  # operations, a few seconds, for covariances without each cluster
OF_A_CLUSTER = 1e6  # of them, beside those on matrices
TOLD_ALONE = 1.5  # clusters in effect, below which one tells an unknown alone
CLUSTER_SUMS = 1 << 20  # numbers of the sums over clusters that are kept at a time: 8 MB
FIRST_VARIANCE = 0.1  # of random effects, where their search begins
RATING_VARIANCES = (
    1e-6,
    1e3,
)  # between which it is sought: ratings that are one, and ones without a prior
VARIANCE_STEPS = 200
VARIANCE_TOLERANCE = 1e-8  # of a relative step


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Comparisons of two players a row: ids [rows], scores of the first, covariates [rows, k]."""

    players: int
    a: Ids
    b: Ids
    score: Floats
    x: Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.a)

    @property
    def effects(self) -> int:
        """The number of covariates."""
        return int(self.x.shape[1])

    def select(self, rows: Truths | Ids) -> Comparisons:
        """These rows, of the same players."""
        names = ("a", "b", "score", "x", "weight")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def reweigh(self, weight: Floats) -> Comparisons:
        """The same rows with other weights, merged as they are."""
        again = replace(self, weight=weight)
        vars(again)["cells"] = self.cells._replace(weight=self.cells.merge(weight))
        return again

    @cached_property
    def cells(self) -> Cells:
        """The rows, equal ones merged where covariates have few values."""
        known, pair = _number(self.a * self.players + self.b, self.players**2)
        first, second = np.divmod(known, self.players)
        plain = Cells(
            self.players, first, second, pair, self.score, np.asfortranarray(self.x), self.weight
        )  # columns of x are contiguous
        levels, code = len(known), pair
        for column in (*self.x.T, self.score):
            values = np.unique(column[:LEVEL_SAMPLE])
            if len(values) > MAX_LEVELS or levels * len(values) > MAX_CELLS:
                return plain
            place = np.searchsorted(values, column).clip(max=len(values) - 1)
            if (values[place] != column).any():  # further values below the sample
                return plain
            levels *= len(values)
            code = code * len(values) + place
        used, cell = _number(code, levels)
        row = np.empty(len(used), dtype=np.int64)
        row[cell] = np.arange(len(self), dtype=np.int64)  # a row of each cell
        merged = plain.cut(row)._replace(cell=cell)
        return merged._replace(weight=merged.merge(self.weight))


def _number(code: Ids, most: int) -> tuple[Ids, Ids]:
    """The distinct codes below `most`, ascending, and the place of each row's among them."""
    if most <= MAX_CELLS:
        there = np.zeros(most, dtype=bool)
        there[code] = True
        return np.flatnonzero(there), (np.cumsum(there, dtype=np.int64) - 1)[code]
    known, place = np.unique(code, return_inverse=True)
    return known, place


class Cells(NamedTuple):
    """Comparisons of pairs; `cell` is that of each row, EVERY_ROW where rows are cells."""

    players: int
    first: Ids  # [pairs]
    second: Ids
    pair: Ids  # [cells]
    score: Floats
    x: Floats  # [cells, k]
    weight: Floats
    cell: Ids | slice = EVERY_ROW

    def cut(self, cells: Ids | slice) -> Cells:
        """Some of the cells, without rows."""
        return Cells(
            self.players, self.first, self.second, self.pair[cells], self.score[cells],
            self.x[cells], self.weight[cells],
        )  # fmt: skip

    def merge(self, values: Floats) -> Floats:
        """The sums of values [rows] over the rows of each cell."""
        if isinstance(self.cell, slice):
            return values
        return np.asarray(np.bincount(self.cell, values, len(self.pair)), dtype=np.float64)

    def differences(self, unknown: Floats) -> Floats:
        """The z of each cell."""
        z: Floats = (unknown[self.first] - unknown[self.second])[self.pair]
        k = self.x.shape[1]
        return z + self.x @ unknown[self.players : self.players + k] if k else z

    def sum_pairs(self, values: Floats) -> Floats:
        """The sums of values [cells] over the cells of each pair."""
        return np.asarray(np.bincount(self.pair, values, len(self.first)), dtype=np.float64)

    def scatter(self, sums: Floats) -> Floats:
        """Sums of pairs, added to the first player and taken from the second, [n]."""
        n = self.players
        found = np.bincount(self.first, sums, n) - np.bincount(self.second, sums, n)
        return np.asarray(found, dtype=np.float64)

    def gradient(self, z: Floats, t: Floats | None) -> Floats:
        """The sum of scores, from the slopes by z and t of each cell."""
        parts = [self.scatter(self.sum_pairs(z)), z @ self.x]
        return np.concatenate((*parts, [] if t is None else [t.sum()]))

    def products(self, zz: Floats, zt: Floats | None, tt: Floats | None) -> Floats:
        """The sum over cells of the matrix with zz by z and z, zt by z and t, tt by t and t."""
        n, k = self.players, self.x.shape[1]
        whole = np.zeros((n + k + (zt is not None),) * 2)
        own = self.sum_pairs(zz)
        whole[self.first, self.second] = -own
        whole[:n, :n] += whole[:n, :n].T.copy()
        both = np.bincount(self.first, own, n) + np.bincount(self.second, own, n)
        whole[np.diag_indices(n)] = both
        for j in range(k):
            slopes = self.x[:, j] * zz
            whole[:n, n + j] = self.scatter(self.sum_pairs(slopes))
            whole[n + j, n : n + k] = slopes @ self.x
        whole[n : n + k, :n] = whole[:n, n : n + k].T
        if zt is not None and tt is not None:
            whole[-1] = whole[:, -1] = self.gradient(zt, tt)
        return whole

    def spread(self, a: Floats) -> Floats:
        """The variance of the z of each cell where `a` is the covariance of the unknowns."""
        own, n, k = np.diagonal(a), self.players, self.x.shape[1]
        pairs = own[self.first] + own[self.second] - 2.0 * a[self.first, self.second]
        found: Floats = pairs[self.pair]
        cross = (a[self.first] - a[self.second])[:, n : n + k]
        for j in range(k):
            rest = self.x @ a[n + j, n : n + k]
            found += self.x[:, j] * (2.0 * cross[self.pair, j] + rest)
        return found


class CellSlopes(NamedTuple):
    """Derivatives of a log-likelihood, [cells]; of second derivatives the negative."""

    z: Floats
    zz: Floats
    t: Floats | None = None
    zt: Floats | None = None
    tt: Floats | None = None

    def weigh(self, weight: Floats, among: Ids | slice = EVERY_ROW) -> CellSlopes:
        """Those of some cells, of some weight."""
        return CellSlopes(*(None if one is None else weight * one[among] for one in self))  # type: ignore[arg-type]


def find_slopes(draws: int, z: Floats, t: float, score: Floats) -> CellSlopes:
    """The derivatives of one comparison each by z and the draw parameter."""
    from scipy.special import expit

    if draws == HALF:
        chance = expit(z)
        return CellSlopes(score - chance, chance * (1.0 - chance))
    drawn = score == 0.5
    if draws == DAVIDSON:
        top = np.maximum(0.5 * np.abs(z), t)
        win, draw, loss = np.exp(0.5 * z - top), np.exp(t - top), np.exp(-0.5 * z - top)
        total = win + draw + loss
        draw = draw / total
        lead = 0.5 * (win - loss) / total
        return CellSlopes(
            score - 0.5 - lead, 0.25 * (1.0 - draw) - lead * lead,
            drawn - draw, -draw * lead, draw * (1.0 - draw),
        )  # fmt: skip
    up, down = expit(t - z), expit(t + z)  # not won, not lost
    won, lost = score >= 0.5, score <= 0.5  # P(draw) = P(win) P(loss) (e^2t - 1)
    bend_up, bend_down = won * up * (1.0 - up), lost * down * (1.0 - down)
    rest = -np.expm1(-2.0 * t)
    return CellSlopes(
        won * up - lost * down, bend_up + bend_down,
        drawn * (2.0 / rest) - won * up - lost * down, bend_down - bend_up,
        bend_up + bend_down + drawn * (4.0 * np.exp(-2.0 * t) / rest**2),
    )  # fmt: skip


def expect_outcomes(draws: int, z: Floats, t: Floats) -> tuple[Floats, Floats]:
    """The expected score (wins and half the draws) and the chance of a draw at differences."""
    from scipy.special import expit

    if draws == HALF:
        return np.asarray(expit(z)), np.zeros(len(z))
    if draws == DAVIDSON:
        win, draw, loss = np.exp(0.5 * z), np.exp(t), np.exp(-0.5 * z)
        total = win + draw + loss
        return np.asarray((win + 0.5 * draw) / total), np.asarray(draw / total)
    win, loss = expit(z - t), expit(-z - t)
    return np.asarray(0.5 * (win + 1.0 - loss)), np.asarray(1.0 - win - loss)


def log_likelihoods(draws: int, z: Floats, t: float, score: Floats) -> Floats:
    """The log-likelihood of one comparison each."""
    found: Floats
    if draws == HALF:
        found = score * z - np.logaddexp(0.0, z)
    elif draws == DAVIDSON:
        total = np.logaddexp(np.logaddexp(0.5 * z, -0.5 * z), t)
        found = (score - 0.5) * z + t * (score == 0.5) - total
    else:
        up, down = np.logaddexp(0.0, t - z), np.logaddexp(0.0, t + z)
        found = -up * (score >= 0.5) - down * (score <= 0.5)
        found += np.log(np.expm1(2.0 * t)) * (score == 0.5)
    return found


class FitCertainty(NamedTuple):
    """A covariance [p, p], with Student's degrees of freedom of each unknown [p] and gap [n, n].

    `of_tails` are those of gaps that are compared together, where scores have much in common.
    """

    covariance: Floats
    of_unknowns: Floats
    of_gaps: Floats
    of_tails: Floats


def measure_gaps(covariance: Floats) -> Floats:
    """The deviations of all differences, [n, n]."""
    own = np.diagonal(covariance)
    found: Floats = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2.0 * covariance, 0.0))
    return found


@dataclass(frozen=True, eq=False)
class ComparisonFit:
    """A fit: `unknown` has the ratings [n], the effects [k] and a fitted draw parameter."""

    rows: Comparisons
    draws: int
    unknown: Floats
    inverse: Floats  # of the information; ratings about their mean where no prior holds them
    precision: Floats  # of the prior of each unknown
    center: Floats  # of that prior
    firth: bool = False

    @property
    def ridge(self) -> float:
        """The precision of the prior of a rating."""
        return float(self.precision[0])

    @property
    def ratings(self) -> Floats:
        """The ratings, [n]."""
        return self.unknown[: self.rows.players]

    @property
    def effects(self) -> Floats:
        """The effects of the covariates, [k]."""
        return self.unknown[self.rows.players :][: self.rows.effects]

    @property
    def draw(self) -> float:
        """The draw parameter t; 0 where draws are halves."""
        return float(self.unknown[-1]) if self.draws in FITTED_DRAWS else 0.0

    @cached_property
    def slopes(self) -> CellSlopes:
        """The derivatives of each cell, of weight 1."""
        cells = self.rows.cells
        return find_slopes(self.draws, cells.differences(self.unknown), self.draw, cells.score)

    @property
    def log_likelihood(self) -> float:
        """That of all rows, without the prior."""
        cells = self.rows.cells
        z = cells.differences(self.unknown)
        return float(cells.weight @ log_likelihoods(self.draws, z, self.draw, cells.score))

    def slope_likelihood(self) -> tuple[Floats, Floats]:
        """The information and the gradient of the likelihood alone, [p, p] and [p]."""
        cells = self.rows.cells
        one = self.slopes.weigh(cells.weight)
        return cells.products(one.zz, one.zt, one.tt), cells.gradient(one.z, one.t)

    def differences(self, rows: Comparisons) -> Floats:
        """The z of each row."""
        return self.ratings[rows.a] - self.ratings[rows.b] + rows.x @ self.effects

    @cached_property
    def scores(self) -> RowScores:
        """The scores of the rows."""
        return RowScores(self.rows, self.slopes.z, self.slopes.t)

    def covariance(self, clusters: Sequence[Ids] = ()) -> Floats:
        """The sandwich, [p, p]: of single rows, or of rows in clusters (numbers, [rows] each)."""
        # a prior counts as an observation of each unknown
        total = np.diag(self.precision) + self.scores.square(clusters)
        return self.inverse @ total @ self.inverse

    def certainty(self, clusters: Sequence[Ids] = ()) -> FitCertainty:
        """The sandwich with what is due to few clusters, and degrees of freedom.

        Clusters that take long to leave out are so many that nothing is due. Where one cluster
        tells an unknown alone, clusters have no scatter: the variance of the model is added.
        """
        p, n = len(self.unknown), self.rows.players
        total = self.covariance(clusters)
        effective = [np.full(p, np.inf), *np.full((2, n, n), np.inf)]
        for values in clusters:
            group = np.unique(values, return_inverse=True)[1]
            size = np.bincount(group)
            found = [np.full(one.shape, float(len(size))) for one in effective]
            if (p * p * np.minimum(size, p) + OF_A_CLUSTER).sum() <= MOST_LEFT_OUT:
                square, *found = self.leave_out(group)
                total += square - self.inverse @ self.scores.square_groups(group) @ self.inverse
                alone = np.flatnonzero(found[0] < TOLD_ALONE)
                total[alone, alone] += self.inverse[alone, alone]
            effective = list(map(np.minimum, effective, found))
        of_unknowns, of_gaps, of_tails = (np.maximum(1.0, one - 1.0) for one in effective)
        return FitCertainty(total, of_unknowns, of_gaps, of_tails)

    def leave_out(self, group: Ids) -> tuple[Floats, Floats, Floats, Floats]:
        """The covariance [p, p] by leaving each group out, numbers from 0 on [rows].

        Also the effective number of groups behind each unknown [p], behind each gap of ratings
        [n, n], and behind its tails, where scores of a group have something in common.
        """
        n, p = self.rows.players, len(self.unknown)
        scores = self.scores.sum_groups(group)
        steps = scores @ self.inverse
        parts = np.split(
            np.argsort(group, kind="stable"), np.cumsum(np.bincount(group), dtype=np.int64)[:-1]
        )
        sums, squares = (np.zeros((2, p)), np.zeros((2, n, n))), np.zeros(2)
        products = np.zeros((2, 2, p)), np.zeros((2, 2, n, n))
        for k, rows in enumerate(parts):
            root = self.root_information(rows)
            spread = root @ self.inverse
            rest = np.eye(len(root)) - spread @ root.T
            inverse = np.linalg.pinv(rest, SINGULAR, hermitian=True)
            steps[k] += spread.T @ (inverse @ (root @ steps[k]))
            own = root[:, :n]
            squares += (own**2).sum(), ((own @ own.T) ** 2).sum()
            both = [one.T @ one for one in (spread, own.T @ spread)]
            shares = (
                np.stack([np.diagonal(one) for one in both]),
                np.stack([measure_gaps(one[:n, :n]) ** 2 for one in both]),
            )
            for total, product, share in zip(sums, products, shares, strict=True):
                np.add(total, share, out=total)
                np.add(product, share[:, None] * share, out=product)
        single = 2.0 * float(self.scores.of_rows[0] @ self.scores.of_rows[0])
        common = max(0.0, float((scores[:, :n] ** 2).sum()) - single)
        f, w = np.array([single, common]) / squares
        square = (1.0 - 1.0 / len(parts)) * steps.T @ steps
        (own, apart), (own_squares, apart_squares) = sums, products
        effective = (
            np.divide(one**2, two, out=np.ones_like(one), where=two > 0.0)
            for one, two in (
                (own[0], own_squares[0, 0]),
                (apart[0], apart_squares[0, 0]),
                (f * apart[0] + w * apart[1],
                 f * f * apart_squares[0, 0] + 2.0 * f * w * apart_squares[0, 1]
                 + w * w * apart_squares[1, 1]),
            )
        )  # fmt: skip
        of_unknowns, of_gaps, of_tails = effective
        return square, of_unknowns, of_gaps, of_tails

    def root_information(self, rows: Ids) -> Floats:
        """A matrix [k, p] whose square is the information of some rows, k no more than p."""
        cells, weight = self.rows.cells, self.rows.weight[rows]
        among = rows if isinstance(cells.cell, slice) else cells.cell[rows]
        one, part = self.slopes.weigh(weight, among), cells.cut(among)
        if one.tt is None and len(rows) < len(self.unknown):
            apart = np.zeros((len(rows), cells.players))
            each = np.arange(len(rows), dtype=np.int64)
            apart[each, cells.first[part.pair]] = 1.0
            apart[each, cells.second[part.pair]] = -1.0
            return np.asarray(np.sqrt(one.zz)[:, None] * np.hstack((apart, part.x)))
        value, axis = np.linalg.eigh(part.products(one.zz, one.zt, one.tt))
        return np.asarray(np.sqrt(np.maximum(value, 0.0))[:, None] * axis.T)

    def influence(self, contrast: Floats) -> Floats:
        """How much each row adds to a sum of unknowns: contrast' A u_k, [rows]."""
        return self.scores.along(self.inverse @ contrast)


@dataclass(frozen=True, eq=False)
class RowScores:
    """The scores of rows, [p] each: slopes z of ratings and effects, and t of a draw parameter.

    Both are those of a row of weight 1 in each cell of the rows.
    """

    rows: Comparisons
    z: Floats
    t: Floats | None = None

    @property
    def unknowns(self) -> int:
        """How many: p."""
        return self.rows.players + self.rows.effects + (self.t is not None)

    @cached_property
    def of_rows(self) -> tuple[Floats, Floats | None]:
        """The slopes of each row by z and t, by weight."""
        cell, weight = self.rows.cells.cell, self.rows.weight
        return weight * self.z[cell], None if self.t is None else weight * self.t[cell]

    def along(self, direction: Floats) -> Floats:
        """The score of each row along a direction [p], [rows]."""
        rows, n = self.rows, self.rows.players
        z, t = self.of_rows
        moved = direction[rows.a] - direction[rows.b]
        found = z * (moved + rows.x @ direction[n : n + rows.effects])
        return found if t is None else found + t * direction[-1]

    def square(self, clusters: Sequence[Ids] = ()) -> Floats:
        """The sum of the products of scores, [p, p]: of rows, or of their sums over clusters."""
        if not clusters:
            return self.square_rows(np.ones(len(self.rows)))
        total = np.zeros((self.unknowns,) * 2)
        for size in range(1, len(clusters) + 1):
            for chosen in combinations(clusters, size):
                shared = np.stack(chosen)
                group = np.unique(shared, axis=1, return_inverse=True)[1] if size > 1 else chosen[0]
                total += (-1.0) ** (size + 1) * self.square_groups(group)
        if len(clusters) > 1:  # a difference of sums may be negative in some direction
            value, axis = np.linalg.eigh(total)
            total = (axis * np.maximum(value, 0.0)) @ axis.T
        return total

    def square_groups(self, group: Ids) -> Floats:
        """The sum over groups of the products of their summed scores, G / (G - 1) times."""
        size = np.bincount(group)
        count = int((size > 0).sum())
        if count < 2:
            raise Unidentifiable.of("one_cluster.comparisons")
        alone = size == 1  # rows by themselves need no sums
        if not alone.any():
            return self._square_sums(EVERY_ROW, group, len(size)) * (count / (count - 1.0))
        single = alone[group]
        total = self.square_rows(single.astype(np.float64))
        rest = np.flatnonzero(~single)
        if len(rest):
            number = (np.cumsum(size > 1, dtype=np.int64) - 1)[group[rest]]
            total += self._square_sums(rest, number, int((size > 1).sum()))
        return np.asarray(total * (count / (count - 1.0)))

    def square_rows(self, part: Floats) -> Floats:
        """The sum of the products of the scores of rows, each as often as its part says."""
        cells = self.rows.cells
        weight = cells.merge(part * self.rows.weight**2)
        mixed = None if self.t is None else weight * self.z * self.t
        own = None if self.t is None else weight * self.t**2
        return cells.products(weight * self.z**2, mixed, own)

    def _square_sums(self, rows: Ids | slice, number: Ids, count: int) -> Floats:
        """The same of sums over groups 0 to count - 1, of `number` [rows]."""
        many = max(1, CLUSTER_SUMS // self.unknowns)
        block = number // many
        blocks = (count - 1) // many + 1
        more = self.sum_effects(number, rows, count)
        if blocks > 1:
            small = block.astype(np.uint16) if blocks <= 1 << 16 else block  # sorted by digits
            order = np.argsort(small, kind="stable")
            rows = order if isinstance(rows, slice) else rows[order]
            number = (number - many * block)[order]
        end = np.cumsum(np.bincount(block, minlength=blocks), dtype=np.int64).tolist()
        total = np.zeros((self.unknowns,) * 2)
        for k, (begin, stop) in enumerate(pairwise([0, *end])):
            among = slice(begin, stop) if isinstance(rows, slice) else rows[begin:stop]
            beside = more[many * k : many * (k + 1)]
            sums = self.sum_ratings(number[begin:stop], among, len(beside))
            total += (both := np.hstack((sums, beside))).T @ both
        return total

    def resample(self, count: int, seed: int, group: Ids) -> Floats:
        """The sums of the scores of resampled groups, numbers from 0 on [rows]: [count, p].

        The k-th is drawn by `[seed, k]`; the sum of all scores is taken from each.
        """
        cells, size = self.rows.cells, int(group.max()) + 1
        found = np.empty((count, self.unknowns))
        for k in range(count):
            drawn = np.random.default_rng([seed, k]).integers(0, size, size)
            more = np.bincount(drawn, minlength=size) - 1.0
            weight = cells.merge(self.rows.weight * more[group])
            t = None if self.t is None else weight * self.t
            found[k] = cells.gradient(weight * self.z, t)
        return found

    def sum_groups(self, group: Ids, among: Ids | slice = EVERY_ROW) -> Floats:
        """The sums of the scores of rows over groups from 0 on, [groups, p]."""
        count = int(group.max()) + 1
        return np.hstack(
            (self.sum_ratings(group, among, count), self.sum_effects(group, among, count))
        )

    def sum_ratings(self, group: Ids, among: Ids | slice, count: int) -> Floats:
        """The part of the ratings in these sums, [groups, n]."""
        rows, z, place = self.rows, self.of_rows[0][among], group * self.rows.players
        size = count * rows.players
        sums = np.bincount(place + rows.a[among], z, size)
        sums -= np.bincount(place + rows.b[among], z, size)
        return np.asarray(sums, dtype=np.float64).reshape(count, rows.players)

    def sum_effects(self, group: Ids, among: Ids | slice, count: int) -> Floats:
        """The part of the other unknowns, [groups, p - n]."""
        z, t = self.of_rows
        k = self.rows.effects
        found = np.empty((count, self.unknowns - self.rows.players))
        for j in range(k):
            found[:, j] = np.bincount(group, (z * self.rows.x[:, j])[among], count)
        if t is not None:
            found[:, k] = np.bincount(group, t[among], count)
        return found


def fit_comparisons(
    rows: Comparisons,
    draws: int = HALF,
    *,
    ridge: float | Floats = 0.0,
    center: Floats | None = None,
    firth: bool = False,
    start: Floats | None = None,
) -> ComparisonFit:
    """Fit ratings, effects and a draw parameter; `draws` is a number of `likelihood.DRAWS`.

    `ridge` is the precision of a normal prior of the ratings about 0, or with `center` one of each
    rating and effect, [n + k]; without a prior the mean of the ratings is 0. `firth` adds Jeffreys'
    prior, with draws as halves. `start` is where the search begins. Raises Unidentifiable for what
    has no finite value.
    """
    if rows.players > MAX_PLAYERS:
        raise Unidentifiable.of("too_many_players.compared", players=rows.players, most=MAX_PLAYERS)
    if firth and draws != HALF:
        raise BadArgument.of("firth_and_draws")
    cells, fitted = rows.cells, draws in FITTED_DRAWS
    if fitted:
        _refuse_scores(cells)
    unknown, precision = np.zeros((2, rows.players + rows.effects + fitted))
    precision[: rows.players if isinstance(ridge, float) else len(ridge)] = ridge
    if center is not None:
        unknown[: len(center)] = center
    middle = unknown.copy()
    if fitted:
        share = float(cells.weight @ (cells.score == 0.5) / cells.weight.sum())
        # between equals: nu / (2 + nu), or (theta - 1) / (theta + 1)
        unknown[-1] = np.log(2.0 * share / (1.0 - share)) if draws == DAVIDSON else (
            np.log((1.0 + share) / (1.0 - share)))  # fmt: skip
    if start is not None:
        unknown = start.copy()
    search = Search(cells, draws, precision, middle, firth)
    if start is None and len(cells.score) > LONG_FIT:
        thin = search._replace(
            cells=cells.cut(np.arange(0, len(cells.pair), CELL_STRIDE, dtype=np.int64))
        )
        unknown, _ = thin.run(unknown, START_STEPS)
    check = start is None and not precision[rows.players :].any()
    unknown, done = search.run(unknown, MAX_FIRTH_STEPS if firth else MAX_NEWTON_STEPS, check)
    if not done:
        raise Unidentifiable.of("separated.comparisons")
    inverse = search.invert(unknown)
    return ComparisonFit(rows, draws, unknown, inverse, precision, middle, firth)


def fit_random_effects(rows: Comparisons, draws: int = HALF) -> ComparisonFit:
    """Fit ratings that are drawn from N(0, v), v by penalised quasi-likelihood.

    Effects of covariates have no prior. A variance at the lower end of RATING_VARIANCES means that
    ratings do not differ beyond them. Raises Unidentifiable as `fit_comparisons` does.
    """
    variance, start = FIRST_VARIANCE, None
    for _ in range(VARIANCE_STEPS):
        fit = fit_comparisons(rows, draws, ridge=1.0 / variance, start=start)
        before, variance = variance, find_rating_variance([fit])
        if abs(variance - before) <= VARIANCE_TOLERANCE * before:
            break
        start = fit.unknown
    return fit


def find_rating_variance(fits: Sequence[ComparisonFit]) -> float:
    """The variance of the ratings of all fits about the centers of their priors.

    It is that of largest restricted likelihood of the model that is linear at the fits. Effects
    with a prior are held.
    """
    from scipy.optimize import brentq

    values, loads = [], []
    for fit in fits:
        n = fit.rows.players
        information, gradient = fit.slope_likelihood()
        whole = information @ (fit.unknown - fit.center) + gradient
        free = n + np.flatnonzero(fit.precision[n:] == 0.0)
        share = np.linalg.solve(information[np.ix_(free, free)], information[free, :n]).T
        value, axis = np.linalg.eigh(information[:n, :n] - share @ information[free, :n])
        values.append(np.maximum(value, 0.0))
        loads.append((axis.T @ (whole[:n] - share @ whole[free])) ** 2)
    value, load = np.concatenate(values), np.concatenate(loads)

    def slope(variance: float) -> float:
        part = 1.0 / (1.0 + variance * value)
        return float((part * (value - load * part)).sum())

    least, most = RATING_VARIANCES
    if slope(least) >= 0.0 or slope(most) <= 0.0:
        return least if slope(least) >= 0.0 else most
    return float(brentq(slope, least, most, xtol=0.1 * VARIANCE_TOLERANCE * least))


def _refuse_scores(cells: Cells) -> None:
    """Raise Unidentifiable for scores that are no win, draw or loss, and for tables of one kind."""
    score = cells.score[cells.weight > 0.0]
    drawn = score == 0.5
    if not (drawn | (score == 0.0) | (score == 1.0)).all():
        raise Unidentifiable.of("scores_between")
    if drawn.all() or not drawn.any():
        what = "every comparison was drawn" if drawn.any() else "no comparison was drawn"
        raise Unidentifiable.of("all_drawn.comparisons", what=what)


class Collinear(Unidentifiable):
    """A covariate that ratings and earlier covariates determine; `number` is its place."""

    number: int


class Search(NamedTuple):
    """Newton's method on the likelihood of cells, under a prior."""

    cells: Cells
    draws: int
    precision: Floats  # of a normal prior of each unknown
    center: Floats
    firth: bool

    @property
    def floating(self) -> bool:
        """Whether only differences of ratings are known."""
        return not self.precision[: self.cells.players].any()

    def run(self, unknown: Floats, steps: int, check: bool = False) -> tuple[Floats, bool]:
        """The best unknowns, and whether the search ended by itself.

        With `check` it raises Collinear for a covariate that others determine.
        """
        cells, n = self.cells, self.cells.players
        widest = np.maximum(cells.x.max(axis=0), -cells.x.min(axis=0))
        fitted = self.draws in FITTED_DRAWS
        for number in range(steps):
            try:
                information, gradient = self.look(unknown)
                if check and number == 0:
                    self.refuse_collinear(information)
                step = np.linalg.solve(information, gradient)
            except np.linalg.LinAlgError:
                return unknown, False
            if self.floating:
                step[:n] -= step[:n].mean()
            reach = float(np.ptp(step[:n]) + np.abs(step[n : n + len(widest)]) @ widest)
            reach += abs(float(step[-1])) if fitted else 0.0
            if not np.isfinite(reach):
                return unknown, False
            share = min(1.0, MAX_Z_STEP / max(reach, 1e-300))
            if self.draws == RAO_KUPPER:  # t stays above 0
                share = min(share, 0.5 * unknown[-1] / max(abs(float(step[-1])), 1e-300))
            before, unknown = unknown, unknown + share * step
            if self.firth and reach > Z_TOLERANCE:  # scoring is no ascent by itself
                best, halvings = self.penalised_likelihood(before), 0
                while self.penalised_likelihood(unknown) < best and halvings < MAX_FIRTH_HALVINGS:
                    unknown, halvings = 0.5 * (before + unknown), halvings + 1
            if reach < (FIRTH_TOLERANCE * n if self.firth else Z_TOLERANCE):
                return unknown, bool(np.abs(cells.differences(unknown)).max() < SURE_Z)
        return unknown, False

    def look(self, unknown: Floats) -> tuple[Floats, Floats]:
        """The information, of full rank, and the gradient, Firth's part in it."""
        n, t = self.cells.players, float(unknown[-1]) if self.draws in FITTED_DRAWS else 0.0
        information, gradient = np.diag(self.precision), self.precision * (self.center - unknown)
        if self.floating:  # fixes the mean, which results leave open
            information[:n, :n] += self.cells.weight.sum() / n**2
        size = max(CELL_BLOCK, len(unknown) ** 2)
        for begin in range(0, len(self.cells.pair), size):
            cells = self.cells.cut(slice(begin, begin + size))
            one = find_slopes(self.draws, cells.differences(unknown), t, cells.score)
            one = one.weigh(cells.weight)
            information += cells.products(one.zz, one.zt, one.tt)
            gradient += cells.gradient(one.z, one.t)
        if self.firth:
            cells, inverse = self.cells, np.asarray(np.linalg.inv(information), dtype=np.float64)
            plain = find_slopes(self.draws, cells.differences(unknown), t, cells.score)
            leverage = cells.weight * plain.zz * cells.spread(inverse)
            gradient += cells.gradient(leverage * (0.5 - (cells.score - plain.z)), None)
        return information, gradient

    def penalised_likelihood(self, unknown: Floats) -> float:
        """The log-likelihood with Jeffreys' prior, but for a constant."""
        cells = self.cells
        z = cells.differences(unknown)
        spread = find_slopes(self.draws, z, 0.0, cells.score).zz
        information = cells.products(cells.weight * spread, None, None)
        n = cells.players
        information[:n, :n] += 1.0  # on the direction that results leave open
        sign, size = np.linalg.slogdet(information)
        value = float(cells.weight @ log_likelihoods(self.draws, z, 0.0, cells.score))
        return value + 0.5 * float(size) if sign > 0.0 else -np.inf

    def refuse_collinear(self, information: Floats) -> None:
        """Raise Collinear for a covariate of which the ones before it leave nothing."""
        n = self.cells.players
        for j in range(n, n + self.cells.x.shape[1]):
            cross, own = information[:j, j], information[j, j]
            left = own - cross @ np.linalg.lstsq(information[:j, :j], cross, rcond=None)[0]
            if not left > SINGULAR * own:
                error = Collinear.of("collinear.comparisons", number=j - n + 1)
                error.number = j - n
                raise error

    def invert(self, unknown: Floats) -> Floats:
        """The inverse of the information at the unknowns, ratings about their mean."""
        n = self.cells.players
        inverse = np.linalg.inv(self.look(unknown)[0])
        if self.floating:
            inverse[:n] -= inverse[:n].mean(axis=0)
            inverse[:, :n] -= inverse[:, :n].mean(axis=1)[:, None]
        return 0.5 * (inverse + inverse.T)


@dataclass(frozen=True, eq=False)
class ScoredRatings:
    """Ratings of a roster, and the scores of the games that they were fitted to.

    The scores are of the ratings that have games, the advantage and the draw parameter where they
    are fitted; `inverse` [p, p] is that of their information, `of_prior` [n] the prior's part.
    """

    ratings: Floats  # [roster]; nan without a game
    scores: RowScores
    inverse: Floats
    of_prior: Floats

    @property
    def place(self) -> Ids:
        """Where the players who have games stand in the roster."""
        return np.flatnonzero(np.isfinite(self.ratings))

    def sandwich(self, groups: Sequence[Ids]) -> Normal:
        """How sure the ratings are, by clusters: numbers [games] of each grouping."""
        total, n = self.scores.square(groups), len(self.of_prior)
        total[np.diag_indices(n)] += self.of_prior  # a prior counts as an observation
        whole = np.full((len(self.ratings),) * 2, np.nan)
        whole[np.ix_(self.place, self.place)] = (self.inverse @ total @ self.inverse)[:n, :n]
        return Normal(whole)

    def resample(self, count: int, seed: int, block: Ids) -> Draws:
        """The ratings of resampled blocks of games, numbers [games], by one step of Newton each."""
        step = self.scores.resample(count, seed, block) @ self.inverse
        draws = np.full((count, len(self.ratings)), np.nan)
        draws[:, self.place] = self.ratings[self.place] + step[:, : len(self.of_prior)]
        return Draws(draws)


def score_games(table: Games, best: Maximum, place: Ids, ratings: Floats) -> ScoredRatings:
    """The scores of games at a fit; raises Unratable for more players than a matrix holds."""
    n, posterior = len(place), best.posterior
    if not has_matrix(posterior, DENSE_PLAYERS):
        raise Unratable.of("too_many_players.clusters", n=n, most=DENSE_PLAYERS)
    number = np.zeros(len(ratings), dtype=np.int64)
    number[place] = np.arange(n, dtype=np.int64)
    with_side = bool(posterior.free[n]) and table.side is not None
    x = np.zeros((len(table), 0)) if not with_side else np.asarray(table.side)[:, None]
    weight = np.ones(len(table)) if table.weight is None else table.weight
    rows = Comparisons(n, number[table.a], number[table.b], table.score, x, weight)
    cells = rows.cells
    side = cells.x[:, 0] if with_side else np.zeros(len(cells.pair))
    shares = share_score(cells.score)
    first, second = (one[cells.pair].astype(np.uint32) for one in (cells.first, cells.second))
    each = MergedRows(Tally(n, first, second, side, *shares))
    by_x, by_t = each.outcome_slopes(posterior.model, best.unknown)
    fitted = [with_side, bool(posterior.free[n + 1])]
    kept = np.flatnonzero(np.append(np.ones(n, dtype=bool), fitted))
    t = (by_t * shares).sum(axis=0) if fitted[1] else None
    return ScoredRatings(
        ratings, RowScores(rows, (by_x * shares).sum(axis=0), t),
        inverse_information(best)[np.ix_(kept, kept)], best.slopes.of_prior,
    )  # fmt: skip


def find_quasi_variances(covariance: Floats) -> Floats:
    """The q [n] with q_i + q_j near the variance of each difference, on the scale of logarithms.

    Minimises sum (log(q_i + q_j) - log var(a_i - a_j))^2 over pairs by steps of Gauss and Newton;
    nan where the variance of a difference is 0.
    """
    apart, n = measure_gaps(covariance) ** 2, len(covariance)
    other = ~np.eye(n, dtype=bool)
    if not (apart[other] > 0.0).all():
        return np.full(n, np.nan)
    target = np.log(np.where(other, apart, 1.0))
    q = np.full(n, 0.5 * apart[other].mean() if n > 1 else 0.0)

    def misfit(q: Floats) -> tuple[float, Floats, Floats]:
        sums = np.where(other, q[:, None] + q[None, :], 1.0)
        if (sums <= 0.0).any():
            return np.inf, sums, sums
        rest = np.where(other, np.log(sums) - target, 0.0)
        return float((rest**2).sum()), rest, sums

    best, rest, sums = misfit(q)
    for _ in range(200):
        part = np.where(other, 1.0 / sums, 0.0)
        curve = part**2
        step = np.linalg.lstsq(
            curve + np.diag(curve.sum(axis=1)), -(rest * part).sum(axis=1), rcond=None
        )[0]
        for _ in range(60):
            found = misfit(q + step)
            if found[0] <= best:
                break
            step = 0.5 * step
        else:
            break
        q = q + step
        best, rest, sums = found
        if np.abs(step).max(initial=0.0) <= 1e-12 * np.abs(q).max(initial=0.0):
            break
    return q
