"""The audit of votes: who is best and how sure, and what the answer hangs on.

Formula   A Bradley-Terry fit with effects of position and covariates; errors by voter
          (`engine.fits.comparisons`). 400 / ln 10 points are a natural unit.
          Ranks: a player counts as above another with probability (1 + level) / 2; simultaneous
          ranks hold for all pairs together: the least p of all pairs that are not told apart yet,
          drawn from the joint normal distribution of all gaps, is as small by chance with
          probability 1 - level (min-p, step by step; max-t where all pairs have the same degrees of
          freedom). Holm's ranks and those of a bootstrap of clusters stand beside them. A tier ends
          before the first player who is told apart from its first one, simultaneously.
          Fragility: votes are left out in order of their influence on the gap between the first
          and another player, -(e_1 - e_j)' A u_k, until a fit without them has another first.
          Further votes on a pair: ((z_a + z_b)^2 / d^2 - 1 / v) D / (p (1 - p)), with d the gap, v
          its variance, D the variance by votes of the gap over that of the model.
          Told apart at any time: |d| >= sqrt(v (v + r^2) / r^2 log((v + r^2) / (v alpha^2))), the
          boundary of a normal mixture with deviation r.
          Categories: ratings of a category are those of all plus N(0, tau^2), tau by restricted
          likelihood; the test of a difference is the score at the ratings of all, over the
          dispersion of the scores.
Source    Arena audits: arXiv 2508.11847 (fragility), 2510.02306 (draws), 2412.18407 (style);
          P. H. Westfall, S. S. Young, Resampling-Based Multiple Testing (1993), algorithm 2.8;
          S. Holm, Scandinavian J. of Statistics 6 (1979) 65; H. Robbins, Annals of Mathematical
          Statistics 41 (1970) 1397 (mixtures).
Units     points; effects of covariates in points for one standard deviation of the covariate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log, nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.cluster.machine import one_thread
from prowess.engine.fits.comparisons import (
    FIRST_VARIANCE,
    Collinear,
    ComparisonFit,
    Comparisons,
    FitCertainty,
    expect_outcomes,
    find_quasi_variances,
    find_rating_variance,
    fit_comparisons,
    fit_random_effects,
    measure_gaps,
)
from prowess.engine.fits.connectivity import Unidentifiable, groups
from prowess.engine.fits.likelihood import DAVIDSON, HALF, RAO_KUPPER
from prowess.engine.numeric import LN10
from prowess.engine.pairings import pairings
from prowess.engine.system import Unratable
from prowess.engine.table import OF_GAMES, number_clusters, take_column
from prowess.engine.tabular import Columns, ResultTable, Tabular, json_value, refuse_path
from prowess.games.arguments import BadArgument
from prowess.games.by_league import cut_by_league
from prowess.games.dates import format_day
from prowess.games.layout import SIDE_ENDS
from prowess.games.reading import find_heading, format_count, list_some
from prowess.games.roles.roles import find_voters
from prowess.games.tally import tally
from prowess.study.backtest import Backtest
from prowess.study.compare import Calibration, Comparison, compare, find_calibration
from prowess.study.cross_validation import cross_validate_base_rate
from prowess.study.cycles import CyclicShare, find_triangles, measure_cycles
from prowess.study.diagnosis.evidence import holm
from prowess.study.folds import Folds, folds_by_column, random_folds
from prowess.study.lineups import check_duels
from prowess.study.voters import (
    VoterTable,
    describe_named,
    fit_habits,
    judge_voters,
    krippendorff_alpha,
    name_values,
)

if TYPE_CHECKING:
    from prowess.games.games import Games


UNIT_POINTS = 400.0 / LN10  # of a natural unit
MEAN_POINTS = 1500.0
POSITION = "position"
MOST_COVARIATES_NAMED = 3  # in the name of the board's model
PAIR_WEIGHTS = "pairs"  # every pair counts alike
MAX_AUDITED = 1_000  # players
MIN_VOTES = 20
BY_VOTES = "fitted"  # a ridge that the votes tell
BY_HEADING = "auto"  # voters: the column whose heading says so
MAX_RIDGE = 1e6  # all ratings are then one, up to rounding
FEW_CLUSTERS = 10
MIN_VOTERS = 3  # for the scatter of forecasts between folds of them
MIN_CIRCLE = 3  # players
MAX_CATEGORIES = 50  # of a column of categories
POWER = 0.8  # of telling neighbours apart by the votes that are still needed
MAX_FREEDOM = 1e9  # of Student's distribution, which is then the normal one
MIN_DRAWS, MAX_DRAWS = 500, 20_000  # of all gaps together
DRAWN_GAPS = 100_000_000  # of all draws together: a second
DRAW_BLOCK = 1 << 20  # gaps that are drawn at a time
MIXTURE = 0.3  # natural units: gaps of that size are told apart soonest at any time
MAX_RIVALS = 5  # players who may take the first place
ROUNDS = 40  # of leaving out further votes
FOLD_RIDGE = 0.1  # at least, in fits without a fold: a player may have won all the other votes
CATEGORY_PASSES = 30
CATEGORY_TOLERANCE = 1e-3  # of the variance of categories
HELD_PRECISION = 1e8  # precision of an effect that stays
TREATMENTS = {  # of draws, with the number of `likelihood.DRAWS`; None: left out
    "draws as halves": HALF, "draws left out": None, "draws by Davidson": DAVIDSON,
    "draws by Rao and Kupper": RAO_KUPPER,
}  # fmt: skip


class AuditRequest(NamedTuple):
    """What an audit is asked, and how."""

    controls: Sequence[str] = ()
    voter: str | None = None
    clusters: Sequence[str] = ()
    by: str | None = None
    balance: str | None = None
    ridge: float | str = 0.0
    level: float = 0.95
    folds: int = 10
    seed: int = 0
    bootstrap: int = 0  # resamplings
    blocks: str | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of the table that are needed beside the controls."""
        own = (self.voter, *self.clusters, self.by, self.blocks)
        named = [one for one in own if one not in (None, BY_HEADING)]
        if self.balance not in (None, PAIR_WEIGHTS):
            named.append(str(self.balance))
        return list(dict.fromkeys(named))


class Fragility(NamedTuple):
    """The least number of votes found whose absence gives another first place.

    `votes` is None where none was found; `rows` are their numbers from 0 in the table as it was
    read: in the order of dates, without the rows that were left out.
    """

    first: str
    rival: str | None
    votes: int | None
    share: float
    rows: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Design:
    """The covariates of a table: their columns [rows, k], names, and a deviation of each."""

    x: Floats
    names: tuple[str, ...]
    scale: Floats  # standard deviations; 1 for position and categories
    of_position: Truths  # position, and what a category of the row adds to it
    notes: tuple[str, ...] = ()

    def drop(self, number: int) -> Design:
        """Without a covariate that follows from others; raises Unidentifiable for a control."""
        name = self.names[number]
        if not self.of_position[number]:
            raise Unidentifiable.of("collinear.arena", name=name)
        keep = np.arange(len(self.names), dtype=np.int64) != number
        return self.select(keep, "the players or other covariates tell it")

    def find_tellers(self, score: Floats) -> Truths:
        """Which covariates tell every result by their sign, [k]."""
        sign = np.sign(self.x)
        agreed = np.abs((2.0 * score - 1.0) @ sign)
        return np.asarray((agreed == np.abs(sign).sum(axis=0)) & (agreed > 0.0))

    def drop_winners(self, score: Floats) -> Design:
        """Without position where it tells every result, as in a table of winners and losers."""
        told = bool(self.find_tellers(score)[0])
        return self.select(~self.of_position, "it tells every result") if told else self

    def select(self, keep: Truths, why: str) -> Design:
        """Some of the covariates; a note says why each of the others is left out."""
        names = tuple(one for one, stays in zip(self.names, keep, strict=True) if stays)
        notes = [
            f"{one} is left out: {why}" for one, stays in zip(self.names, keep, strict=True)
            if not stays
        ]  # fmt: skip
        return Design(
            self.x[:, keep], names, self.scale[keep], self.of_position[keep], (*self.notes, *notes)
        )


@dataclass(frozen=True, eq=False, repr=False)
class Arena(Tabular):
    """An audit of votes; as a table it is the board, the best first.

    `certainty` has the pairs that each method tells apart, `effects` are those of position and
    covariates, `voters`, `categories` and `draws` have a row each; `deciding` has the votes of
    `fragility`, `needed` counts those that would tell neighbours of the board apart. `forecasts`
    compares models by folds of votes, `forecasts_by_voter` by folds of voters. What was not asked
    is None.
    """

    board: ResultTable
    certainty: ResultTable
    effects: ResultTable
    fragility: Fragility
    deciding: ResultTable
    needed: ResultTable
    draws: ResultTable
    forecasts: Comparison
    forecasts_by_voter: Comparison | None
    calibration: Calibration | None
    voters: ResultTable | None
    agreement: float | None
    cycles: CyclicShare | None
    triangles: ResultTable | None
    categories: ResultTable | None
    category_tests: ResultTable | None
    question: AuditRequest
    votes: int
    notes: tuple[str, ...]
    findings: tuple[str, ...]

    @property
    def headline(self) -> str:
        """What was audited, in a line."""
        players = format_count(len(self.board), "player")
        return f"Audit of {format_count(self.votes, 'vote')} on {players}"

    def to_columns(self) -> Columns:
        """See Tabular: the board."""
        return self.board.columns

    def shows(self, name: str) -> bool:
        """See Tabular."""
        return name not in ("deviation", "quasi_deviation", "rating_without")

    def tables(self) -> dict[str, Tabular]:
        """All tables of the audit by name."""
        named: dict[str, Tabular | None] = {
            "board": self.board, "certainty": self.certainty, "effects": self.effects,
            "deciding": self.deciding,
            "needed": self.needed, "draws": self.draws, "forecasts": self.forecasts,
            "forecasts_by_voter": self.forecasts_by_voter, "voters": self.voters,
            "triangles": self.triangles, "categories": self.categories,
            "category_tests": self.category_tests,
        }  # fmt: skip
        return {name: one for name, one in named.items() if one is not None}

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        cycles = self.cycles
        found: dict[str, Any] = {
            "votes": self.votes,
            "question": self.question._asdict(),
            "findings": self.findings,
            "fragility": {k: v for k, v in self.fragility._asdict().items() if k != "rows"},
            "agreement": self.agreement,
            "cycles": cycles and {"share": cycles.share, "p": cycles.likelihood},
            **{name: one.rows() for name, one in self.tables().items()},
            "calibration": self.calibration and self.calibration.rows(),
            "notes": self.notes,
        }
        return {name: json_value(value) for name, value in found.items()}

    def to_json(self, path: None = None) -> str:
        """All of it as one JSON object."""
        from json import dumps

        refuse_path("to_json", path)
        return dumps(self.as_dict(), ensure_ascii=False, allow_nan=False)


# -- from a table to comparisons --


def design_covariates(table: Games, controls: Sequence[str]) -> Design:
    """Position and the covariates of the columns that the controls name.

    NAME is a column of numbers that change sign with the sides, or columns NAME_a and NAME_b: of
    numbers their relative difference (a - b) / (a + b), else their difference over its deviation;
    of categories a contrast for each but the commonest. A category of the row is a contrast of the
    position. Raises BadArgument and Unidentifiable.
    """
    columns: list[Floats] = [np.ones(len(table)) if table.side is None else table.side]
    names, scale, of_position = [POSITION], [1.0], [True]
    for name in controls:
        pair, of_row = [f"{name}{end}" for end in SIDE_ENDS], False
        if all(one in table.facts for one in pair):
            one, other = (table.facts[one] for one in pair)
            words = [table.labels.get(one) for one in pair]
            if all(one is not None for one in words):
                made = contrast_sides(name, one, other, *words)  # type: ignore[arg-type]
            elif any(words):
                raise BadArgument.of("mixed_covariate", pair=" and ".join(pair))
            else:
                made = {name: relate(one, other)}
        elif name in table.facts or (name in OF_GAMES and getattr(table, name) is not None):
            found, labels = take_column(table, name)
            made = {name: found} if labels is None else contrast_rows(name, found, labels)
            of_row = labels is not None
        else:
            raise BadArgument.of("column_not_kept.arena", name=name, pair=" and ".join(pair))
        if not made or not all(float(np.ptp(column)) for column in made.values()):
            raise Unidentifiable.of("constant_covariate", name=name)
        for title, column in made.items():
            plain = float(column.std()) if title == name else 1.0
            columns.append(column / plain)
            names.append(title)
            scale.append(plain)
            of_position.append(of_row)
    x = np.stack(columns, axis=1)
    return Design(x, tuple(names), np.array(scale), np.array(of_position))


def relate(a: Floats, b: Floats) -> Floats:
    """(a - b) / (a + b), 0 where both are 0; of numbers below 0 their difference."""
    if min(float(a.min()), float(b.min())) < 0.0:
        return a - b
    total = a + b
    found: Floats = np.where(total > 0.0, (a - b) / np.where(total > 0.0, total, 1.0), 0.0)
    return found


def contrast_sides(
    name: str, a: Floats, b: Floats, words_a: Sequence[str], words_b: Sequence[str]
) -> dict[str, Floats]:
    """1 where the first side is of a category, -1 where the second is; for each but the first."""
    known = sorted({*words_a, *words_b} - {""})
    refuse_categories(name, known)
    first, second = (
        np.array(words, dtype=object)[column.astype(np.int64)]
        for words, column in ((words_a, a), (words_b, b))
    )
    return {
        f"{name}: {word}": (first == word).astype(float) - (second == word) for word in known[1:]
    }


def contrast_rows(name: str, column: Floats, words: Sequence[str]) -> dict[str, Floats]:
    """What a category of the row adds to the first side, for each but the commonest."""
    refuse_categories(name, words)
    count = np.bincount(column.astype(np.int64), minlength=len(words))
    most = int(count.argmax())
    return {
        f"{POSITION}, {name}: {word or 'none'}": (column == k).astype(float)
        for k, word in enumerate(words)
        if k != most and count[k]
    }


def refuse_categories(name: str, words: Sequence[Any]) -> None:
    """Raise BadArgument for too many categories."""
    if len(words) > MAX_CATEGORIES:
        raise BadArgument.of(
            "too_many_categories", most=MAX_CATEGORIES, name=name, words=len(words)
        )


def weigh_votes(table: Games, balance: str | None) -> Floats:
    """The weights of votes: pairs count alike, or the values of a column do; 1 on average."""
    weight = np.ones(len(table)) if table.weight is None else table.weight
    if balance is None:
        return weight
    if balance == PAIR_WEIGHTS:
        low, high = np.minimum(table.a, table.b), np.maximum(table.a, table.b)
        group = low.astype(np.int64) * len(table.players) + high
    else:
        group = number_values(table, balance)
    place = np.unique(group, return_inverse=True)[1]
    found = weight / np.bincount(place, weight)[place]
    return np.asarray(found / found.mean())


def number_values(table: Games, column: str) -> Ids:
    """The values of a column as numbers from 0, [rows]; raises Unratable."""
    return np.asarray(np.unique(take_column(table, column)[0], return_inverse=True)[1])


# -- the audit --


def audit_votes(table: Games, question: AuditRequest) -> Arena:
    """Audit a table of votes; raises Unratable, Unidentifiable, BadArgument and BadFolds."""
    refuse_votes(table)
    notes: list[str] = []
    settled = settle_voter(table, question, notes)
    with one_thread:  # so that no digit depends on the number of cores
        made = answer_questions(table, settled, notes)
    return replace(made, findings=tuple(state_findings(made)))


def audit_categories(table: Games, question: AuditRequest) -> tuple[dict[str, Arena], list[str]]:
    """An audit of the votes of each category alone, and notes why others have none.

    Raises BadData for a table without the column of categories.
    """
    assert question.by is not None
    parts = cut_by_league(table, [question.by])
    refuse_categories(question.by, parts.leagues)
    alone = question._replace(
        by=None, controls=[name for name in question.controls if name != question.by]
    )
    found: dict[str, Arena] = {}
    notes: list[str] = []
    for k, name in enumerate(map(str, parts.leagues)):
        try:
            found[name] = audit_votes(parts.table_of(k), alone)
        except (Unratable, Unidentifiable, BadArgument) as reason:
            notes.append(f"no page of {name or 'none'}: {reason}")
    return found, notes


def refuse_votes(table: Games) -> None:
    """Raise Unratable for a table that cannot be audited."""
    check_duels(table, "an audit of votes")
    if len(table) < MIN_VOTES:
        raise Unratable.of("too_few_votes", fewest=MIN_VOTES, votes=len(table))
    if len(table.players) > MAX_AUDITED:
        raise Unratable.of("too_many_players.audited", players=len(table.players), most=MAX_AUDITED)
    if (table.score == 0.5).all():
        raise Unratable.of("all_drawn.arena")


def settle_voter(table: Games, question: AuditRequest, notes: list[str]) -> AuditRequest:
    """The question with the column of voters by its heading, where that is to be guessed."""
    if question.voter != BY_HEADING:
        return question
    named = {*question.columns, *question.controls}
    found = find_voters(name for name in table.facts if name not in named)
    if found is None or not 1 < len(np.unique(table.facts[found])) < len(table):
        return question._replace(voter=None)
    read = find_heading(table.reading.columns, found)
    try:
        number_clusters(table, found)
    except Unratable as reason:
        notes.append(f"{read} is not taken for the voters: {reason}")
        return question._replace(voter=None)
    what = "voters are judged" if question.clusters else "errors are by voter"
    notes.append(f"{what} (column {read}): voter= (--voter) names another column, or none")
    return question._replace(voter=found)


def answer_questions(table: Games, question: AuditRequest, notes: list[str]) -> Arena:
    """The audit without its findings in words."""
    fit, design = fit_votes(table, question, notes)
    clusters = find_clusters(table, question, notes)
    sure = fit.certainty([one for _, one in clusters])
    note_rough_errors(table, sure, clusters, notes)
    drawn = resample_blocks(table, fit, question)
    board, certainty = rank_players(table, fit, sure, question, drawn)
    folds = random_folds(table, min(question.folds, len(table)), question.seed)
    voter = None if question.voter is None else number_values(table, question.voter)
    tests = forecast_folds(table, fit, design, folds, notes, voter)
    voters, agreement, forecasts_by_voter = None, None, None
    if question.voter is not None:
        voters, agreement = table_voters(table, fit, question)
        forecasts_by_voter = forecast_voters(table, fit, design, question, notes)
    cycles, triangles = find_cycles(table, question)
    categories, category_tests = None, None
    if question.by is not None:
        categories, category_tests = rate_categories(table, fit, question)
    own = next(test for test in tests if test.name == own_name(design))
    fragility = find_fragility(table, fit)
    return Arena(
        board=board,
        certainty=certainty,
        effects=list_effects(fit, design, sure, question.level),
        fragility=fragility,
        deciding=list_votes(table, fragility.rows, question),
        needed=count_needed(table, fit, sure.covariance, question.level),
        draws=compare_draws(table, fit, board, tests),
        forecasts=compare(tests, metric="log_loss", level=question.level),
        forecasts_by_voter=forecasts_by_voter,
        calibration=find_calibration(own, level=question.level)[0],
        voters=voters,
        agreement=agreement,
        cycles=cycles,
        triangles=triangles,
        categories=categories,
        category_tests=category_tests,
        question=question,
        votes=len(table),
        notes=(*notes, *design.notes),
        findings=(),
    )


def fit_votes(
    table: Games, question: AuditRequest, notes: list[str]
) -> tuple[ComparisonFit, Design]:
    """The fit of the board; Firth's correction holds players whom results leave without a value."""
    found = groups(tally(table, sides=False))
    apart = found.words(table.players)
    if len(np.unique(found.met[found.took | found.lost])) > 1 and not question.ridge:
        raise Unidentifiable.of("groups_apart", apart="; ".join(apart))
    design = design_covariates(table, question.controls).drop_winners(table.score)
    weight = weigh_votes(table, question.balance)
    a, b = table.a.astype(np.int64), table.b.astype(np.int64)
    rows = Comparisons(len(table.players), a, b, table.score, design.x, weight)
    firth = bool(apart) and not question.ridge
    while True:
        try:
            if question.ridge == BY_VOTES:
                fit = fit_random_effects(rows)
            else:
                fit = fit_comparisons(rows, ridge=float(question.ridge), firth=firth)
            break
        except Collinear as reason:
            design = design.drop(reason.number)
            rows = replace(rows, x=design.x)
        except Unidentifiable as reason:
            if reason.code != "separated":
                raise
            told = [design.names[k] for k in np.flatnonzero(design.find_tellers(table.score))]
            if told:
                raise Unidentifiable.of("separated.arena", told=told) from None
            if firth or question.ridge:
                raise
            firth = True
    if question.ridge == BY_VOTES:
        spread = UNIT_POINTS / sqrt(fit.ridge)
        notes.append(f"ratings are drawn from a normal distribution of {spread:.0f} points")
    if firth:
        why = "; ".join(apart) or "covariates tell all results apart"
        notes.append(f"Firth's correction keeps values finite: {why}")
    return fit, design


def find_clusters(table: Games, question: AuditRequest, notes: list[str]) -> list[tuple[str, Ids]]:
    """The columns whose values are clusters, numbered: those asked for, else the voters."""
    named = question.clusters or ([question.voter] if question.voter else [])
    for name in named:
        if name in question.controls:
            raise BadArgument.of("control_is_cluster", name=name)
    found = [(name, number_clusters(table, name)) for name in named]
    for name, one in found:
        count = len(np.unique(one))
        if count < 2:
            raise Unidentifiable.of("one_cluster.voters", name=name)
    if not found:
        notes.append("errors take votes as independent: name the voters with voter= (--voter)")
    return found


def note_rough_errors(
    table: Games, sure: FitCertainty, clusters: Sequence[tuple[str, Ids]], notes: list[str]
) -> None:
    """Note where clusters are few: in all votes, or in those on a player."""
    few = [(len(np.unique(one)), name) for name, one in clusters]
    notes += [
        f"{count} values of {name} are few: errors by cluster are rough"
        for count, name in few
        if count < FEW_CLUSTERS
    ]
    rough = np.flatnonzero(sure.of_unknowns[: len(table.players)] <= 1.0).tolist()
    if rough and few and min(few)[0] >= FEW_CLUSTERS:
        named = list_some([table.players[k] for k in rough])
        of = " or ".join(name for _, name in few)
        notes.append(
            f"errors of {named} are rough: one or two values of {of} have most of their votes"
        )


class PairVerdicts(NamedTuple):
    """Which players stand above which, [n, n]: one pair at a time, and all pairs together."""

    marginal: Truths
    together: Truths  # max-t
    holm: Truths


def tell_apart(
    rating: Floats, covariance: Floats, freedom: Any, level: float, seed: int = 0, tails: Any = None
) -> PairVerdicts:
    """Who is better than whom with the probability of a level, by Student's distribution.

    `freedom` has its degrees for all gaps, or for each, [n, n]; `tails` has those of gaps that are
    compared together.
    """
    from scipy.special import ndtri

    n = len(rating)
    gap, deviation = rating[:, None] - rating[None, :], measure_gaps(covariance[:n, :n])
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(np.where(gap == 0.0, 0.0, gap / deviation))
    upper = np.triu_indices(n, 1)
    p = 2.0 * tail_of(z, freedom if tails is None else tails)[upper]
    value, axis = np.linalg.eigh(covariance[:n, :n])
    count = max(MIN_DRAWS, min(MAX_DRAWS, DRAWN_GAPS // max(1, n * (n - 1) // 2)))
    random = np.random.default_rng([seed, n])
    draws = random.normal(size=(count, n)) @ (axis * np.sqrt(np.maximum(value, 0.0))).T
    together = exceed_together(-ndtri(0.5 * p), draws, deviation[upper])
    return PairVerdicts(
        (gap > 0.0) & (2.0 * tail_of(z, freedom) <= 1.0 - level),
        stand_above(gap, together, level),
        stand_above(gap, holm(p), level),
    )


def tell_pairs_apart(rating: Floats, deviation: Floats, draws: Floats, level: float) -> Truths:
    """Who is better than whom, all together, from deviations of gaps and draws of errors."""
    gap, upper = rating[:, None] - rating[None, :], np.triu_indices(len(rating), 1)
    scale = deviation[upper]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(scale > 0.0, np.abs(gap[upper]) / scale, 0.0)
    return stand_above(gap, exceed_together(z, draws, scale), level)


def stand_above(gap: Floats, p: Any, level: float) -> Truths:
    """Who is better than whom, [n, n], by the p-values of the pairs above the diagonal."""
    adjusted = np.ones_like(gap)
    adjusted[np.triu_indices(len(gap), 1)] = p
    return np.asarray((gap > 0.0) & (np.minimum(adjusted, adjusted.T) <= 1.0 - level))


def exceed_together(z: Floats, draws: Floats, deviation: Floats) -> Floats:
    """The p-value of each pair [pairs], all together, from `draws` [count, n] of errors alone.

    Of a pair it is the chance that any pair that is told apart no more surely is drawn as far out,
    and no less than that of a pair told apart more surely. Pairs are those above the diagonal.
    """
    first, second = np.triu_indices(draws.shape[1], 1)
    sure = np.flatnonzero(deviation > 0.0)
    order = sure[np.argsort(z[sure], kind="stable")]  # the least sure first
    first, second, scale = first[order], second[order], 1.0 / deviation[order]
    hits = np.zeros(len(order), dtype=np.int64)
    many = max(1, DRAW_BLOCK // max(1, len(order)))
    for begin in range(0, len(draws), many):
        block = draws[begin : begin + many]
        far = np.abs(block[:, first] - block[:, second]) * scale
        np.maximum.accumulate(far, axis=1, out=far)
        hits += (far >= z[order]).sum(axis=0)
    found = np.ones(len(z))
    p = (1.0 + hits) / (1.0 + len(draws))
    found[order] = np.maximum.accumulate(p[::-1])[::-1]
    return found


def tail_of(z: Any, freedom: Any) -> Any:
    """The probability beyond z of Student's distribution; without end of freedom the normal one."""
    from scipy.special import stdtr

    return stdtr(np.minimum(freedom, MAX_FREEDOM), -z)


def reach_of(level: float, freedom: Any) -> Any:
    """The number of deviations of an interval."""
    from scipy.special import stdtrit

    return stdtrit(np.minimum(freedom, MAX_FREEDOM), 0.5 + 0.5 * level)


def resample_blocks(table: Games, fit: ComparisonFit, question: AuditRequest) -> Floats | None:
    """The errors of the ratings [bootstrap, n] in resampled blocks of votes, by a step of Newton.

    Blocks are those asked for, else the first clusters, else single votes; None: not asked.
    """
    if not question.bootstrap:
        return None
    named = [question.blocks, *question.clusters, question.voter]
    name = next((one for one in named if one is not None), None)
    block = np.arange(len(table), dtype=np.int64) if name is None else number_clusters(table, name)
    if block.max() < 1:
        raise Unidentifiable.of("one_cluster.blocks", name=name)
    drawn = fit.scores.resample(question.bootstrap, question.seed, block)
    return np.asarray((drawn @ fit.inverse)[:, : len(table.players)])


def list_certainty(verdicts: dict[str, Truths], first: int) -> ResultTable:
    """By method: the pairs that are told apart, and the players who may be first."""
    n = len(next(iter(verdicts.values())))
    return ResultTable.of_rows(
        [
            {
                "method": name,
                "told_apart": int(above.sum()),
                "share": float(above.sum()) / (n * (n - 1) // 2),
                "may_be_first": int((above.sum(axis=0) == 0).sum()),
                "not_below_first": n - int(above[first].sum()),
            }
            for name, above in verdicts.items()
        ],
        "Pairs told apart",
    )


def rank_players(
    table: Games,
    fit: ComparisonFit,
    sure: FitCertainty,
    question: AuditRequest,
    drawn: Floats | None,
) -> tuple[ResultTable, ResultTable]:
    """The board, and how many pairs each method tells apart.

    The board has ratings, intervals, both intervals of ranks, tiers, and ranks without controls.
    """
    n = len(table.players)
    rating, covariance = fit.ratings, sure.covariance
    above = tell_apart(
        rating, covariance, sure.of_gaps, question.level, question.seed, sure.of_tails
    )
    order = np.argsort(-rating, kind="stable")
    deviation = np.sqrt(np.maximum(np.diagonal(covariance)[:n], 0.0))
    quasi = np.sqrt(np.maximum(find_quasi_variances(covariance[:n, :n]), 0.0))
    z = reach_of(question.level, sure.of_unknowns[:n])
    votes = np.bincount(fit.rows.a, minlength=n) + np.bincount(fit.rows.b, minlength=n)
    points = MEAN_POINTS + UNIT_POINTS * rating
    columns: dict[str, Any] = {
        "rank": np.arange(1, n + 1, dtype=np.int64),
        "player": [table.players[k] for k in order.tolist()],
        "rating": points[order],
        "low": (points - z * UNIT_POINTS * deviation)[order],
        "high": (points + z * UNIT_POINTS * deviation)[order],
        "rank_low": 1 + above.marginal.sum(axis=0)[order],
        "rank_high": n - above.marginal.sum(axis=1)[order],
        "sure_rank_low": 1 + above.together.sum(axis=0)[order],
        "sure_rank_high": n - above.together.sum(axis=1)[order],
        "tier": cut_tiers(above.together[np.ix_(order, order)]),
        "votes": votes[order],
        "deviation": UNIT_POINTS * deviation[order],
        "quasi_deviation": UNIT_POINTS * quasi[order],
    }
    if question.controls:
        rows = replace(fit.rows, x=fit.rows.x[:, :0])
        plain = fit_comparisons(rows, ridge=fit.ridge, firth=fit.firth)
        place = np.empty(n, dtype=np.int64)
        place[np.argsort(-plain.ratings, kind="stable")] = np.arange(1, n + 1, dtype=np.int64)
        columns["rank_without"] = place[order]
        columns["rating_without"] = (MEAN_POINTS + UNIT_POINTS * plain.ratings)[order]
    verdicts = {"each pair by itself": above.marginal, "all together, max-t": above.together,
                "all together, Holm": above.holm}  # fmt: skip
    if drawn is not None:
        ends = np.quantile(drawn, [0.5 - 0.5 * question.level, 0.5 + 0.5 * question.level], axis=0)
        low, high = points + UNIT_POINTS * ends
        columns |= {"bootstrap_low": low[order], "bootstrap_high": high[order]}
        verdicts["all together, bootstrap"] = tell_pairs_apart(
            rating, measure_gaps(covariance[:n, :n]), drawn, question.level
        )
    return ResultTable(columns, "Board"), list_certainty(verdicts, int(order[0]))


def cut_tiers(above: Truths) -> Ids:
    """The tier of each player, the best first: a tier ends before who is told from its first."""
    tier, first = np.ones(len(above), dtype=np.int64), 0
    for k in range(1, len(above)):
        tier[k] = tier[k - 1]
        if above[first, k]:
            tier[k], first = tier[k] + 1, k
    return tier


def refit(fit: ComparisonFit, weight: Floats) -> ComparisonFit:
    """The fit of the same rows with other weights."""
    start = None if fit.draws != HALF else fit.unknown
    rows = fit.rows.reweigh(weight)
    return fit_comparisons(rows, ridge=fit.ridge, firth=fit.firth, start=start)


def list_effects(
    fit: ComparisonFit, design: Design, sure: FitCertainty, level: float
) -> ResultTable:
    """Position and covariates: points of one deviation, interval, p, and the effect of one unit."""
    own = slice(fit.rows.players, fit.rows.players + len(design.names))
    freedom, deviation = sure.of_unknowns[own], np.sqrt(np.diagonal(sure.covariance)[own])
    z = reach_of(level, freedom)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2.0 * tail_of(np.abs(fit.effects / deviation), freedom)
    return ResultTable(
        {
            "covariate": list(design.names),
            "points": UNIT_POINTS * fit.effects,
            "low": UNIT_POINTS * (fit.effects - z * deviation),
            "high": UNIT_POINTS * (fit.effects + z * deviation),
            "p": p,
            "one_deviation": design.scale,
            "coefficient": fit.effects / design.scale,
        },
        "Position and covariates",
    )


# -- fragility --


def find_fragility(table: Games, fit: ComparisonFit) -> Fragility:
    """The fewest votes found whose absence gives another first place, checked by a refit."""
    order = np.argsort(-fit.ratings, kind="stable")
    first, rivals = int(order[0]), order[1 : 1 + MAX_RIVALS].tolist()
    best: tuple[int, Ids, int] | None = None
    for rival in rivals:
        most = len(table) - 1 if best is None else best[0] - 1
        found = overtake(fit, first, rival, most)
        if found is not None:
            best = len(found), found, rival
    name = table.players[first]
    if best is None:
        return Fragility(name, None, None, 1.0, ())
    count, rows, rival = best
    share = count / len(table)
    return Fragility(name, table.players[rival], count, share, tuple(sorted(rows.tolist())))


def list_votes(table: Games, rows: Sequence[int], question: AuditRequest) -> ResultTable:
    """Some votes: both sides, the result, the date, and the columns of the question."""
    chosen = table.select(np.array(rows, dtype=np.int64))
    columns: dict[str, Any] = {
        "player_a": [table.players[k] for k in chosen.a.tolist()],
        "player_b": [table.players[k] for k in chosen.b.tolist()],
        "score": chosen.score,
    }
    if chosen.time is not None:
        columns["date"] = [format_day(day) for day in chosen.time.tolist()]
    for name in question.columns:
        number, words = number_values(table, name), name_values(table, name)
        columns[name] = [words[k] for k in number[list(rows)].tolist()]
    return ResultTable(columns, "Votes on which the first place hangs")


def overtake(fit: ComparisonFit, first: int, rival: int, most: int) -> Ids | None:
    """Votes, at most so many, without which a rival is above the first; None where none do."""
    contrast = np.zeros(len(fit.unknown))
    contrast[first], contrast[rival] = 1.0, -1.0
    gone = np.zeros(0, dtype=np.int64)
    now, weight = fit, fit.rows.weight.copy()
    for _ in range(ROUNDS):  # leave out what the present fit says is enough
        gap = float(now.unknown @ contrast)
        if gap < 0.0:
            break
        pull = now.influence(contrast) * correct_leverage(now)
        pull[gone] = -np.inf
        order = np.argsort(-pull, kind="stable")
        falls = np.cumsum(np.maximum(pull[order], 0.0), dtype=np.float64)
        enough = 1 + int(np.searchsorted(falls, gap, side="right"))
        enough = max(1, min(enough, most - len(gone), int((pull > 0.0).sum())))
        if len(gone) + enough > most or pull[order[0]] <= 0.0:
            return None
        gone = np.concatenate((gone, order[:enough]))
        weight[gone] = 0.0
        try:
            now = refit(fit, weight)
        except Unidentifiable:
            return None
    else:
        return None

    def is_overtaken(rows: Ids) -> bool:
        weight = fit.rows.weight.copy()
        weight[rows] = 0.0
        try:
            return float(refit(fit, weight).unknown @ contrast) < 0.0
        except Unidentifiable:
            return False

    low, high = 0, len(gone)  # the order is by influence: fewer of the first may be enough
    while low + 1 < high:
        middle = (low + high) // 2
        if is_overtaken(gone[:middle]):
            high = middle
        else:
            low = middle
    return gone[:high]


def correct_leverage(fit: ComparisonFit) -> Floats:
    """1 / (1 - h) of each row, h its part of the information in its own z."""
    cells = fit.rows.cells
    share = fit.slopes.zz * cells.spread(fit.inverse)
    found: Floats = 1.0 / np.maximum(1.0 - fit.rows.weight * share[cells.cell], 0.1)
    return found


# -- forecasts and draws --


def own_name(design: Design) -> str:
    """The name of the model of the board among the forecasts."""
    if len(design.names) > MOST_COVARIATES_NAMED:
        return f"ratings, {len(design.names)} covariates"
    return ", ".join(("ratings", *design.names))


def forecast_folds(
    table: Games,
    fit: ComparisonFit,
    design: Design,
    folds: Folds,
    notes: list[str],
    voter: Ids | None = None,
) -> list[Backtest]:
    """Forecasts of every vote from the other folds, by models; the base rate first.

    With `voter`, numbers [rows], also by the habits of voters (by Davidson's model with draws).
    A treatment of draws is left out where a fold has all of them: the others tell no chance.
    """
    models: dict[str, ComparisonFit] = {own_name(design): fit}
    habits = "habits of voters"
    if design.names:
        models["ratings alone"] = replace(fit, rows=replace(fit.rows, x=fit.rows.x[:, :0]))
    drawn = table.score == 0.5
    plain = bool((drawn | (table.score == 0.0) | (table.score == 1.0)).all())
    if drawn.any() and plain:
        kept = np.where(drawn, 0.0, fit.rows.weight)
        models["draws left out"] = replace(fit, rows=fit.rows.reweigh(kept))
        models["draws by Davidson"] = replace(fit, draws=DAVIDSON)
        models["draws by Rao and Kupper"] = replace(fit, draws=RAO_KUPPER)
    if voter is not None:
        models[habits] = models.get("draws by Davidson", fit)
    tests = [replace(cross_validate_base_rate(table, folds), seconds=nan)]  # no page shows them
    for name, model in models.items():
        try:
            expected, draw = forecast_model(model, folds, voter if name == habits else None)
        except Unidentifiable as reason:
            if reason.code != "all_drawn":
                raise
            notes.append(f"no forecasts with {name}: one of {folds.how.partition(',')[0]} has all")
            continue
        judged = np.isfinite(expected)
        tests.append(Backtest(name, table, expected, judged, draw, seconds=nan, folds=folds))
    return tests


def forecast_voters(
    table: Games, fit: ComparisonFit, design: Design, question: AuditRequest, notes: list[str]
) -> Comparison | None:
    """The models by folds of voters; None, with a note, for fewer than MIN_VOTERS."""
    assert question.voter is not None
    folds = folds_by_column(table, question.voter, question.folds, question.seed)
    if int(folds.block.max()) + 1 < MIN_VOTERS:
        notes.append(f"fewer than {MIN_VOTERS} voters: no forecasts by folds of voters")
        return None
    tests = forecast_folds(table, fit, design, folds, notes)
    return compare(tests, metric="log_loss", level=question.level)


def forecast_model(
    model: ComparisonFit, folds: Folds, voter: Ids | None = None
) -> tuple[Floats, Floats | None]:
    """The expected score and the chance of a draw of each row, from a fit to the other folds.

    With the numbers of voters, [rows], their habits in the other folds count.
    """
    rows, expected = model.rows, np.empty(len(model.rows))
    drawn = np.empty(len(rows)) if model.draws != HALF else None
    ridge = np.full(rows.players + rows.effects, max(model.ridge, FOLD_RIDGE))
    start = None
    for fold in range(folds.count):
        held = folds.number == fold
        others = rows.reweigh(np.where(held, 0.0, rows.weight))
        found = fit_comparisons(others, model.draws, ridge=ridge, start=start)
        start, z, t = found.unknown, found.differences(rows), np.full(len(rows), found.draw)
        if voter is not None:
            apart = found.ratings[rows.a] - found.ratings[rows.b]
            given = rows.score, others.weight
            theta, side, *ready = (
                one.mode[voter]
                for one in fit_habits(
                    (model.draws, found.draw), given, apart, z - apart, voter, int(voter.max()) + 1
                )
            )
            z = theta * apart + (z - apart) + side
            t = t + ready[0] if ready else t
        expected[held], draw = expect_outcomes(model.draws, z[held], t[held])
        if drawn is not None:
            drawn[held] = draw
    return expected, drawn


def compare_draws(
    table: Games, fit: ComparisonFit, board: ResultTable, tests: Sequence[Backtest]
) -> ResultTable:
    """What draws do to the board: the first player, ranks that move, the loss of forecasts."""
    drawn = table.score == 0.5
    by_name = {test.name: test.scores["log_loss"] for test in tests}
    rank = {name: k for k, name in enumerate(board["player"])}
    found: list[dict[str, Any]] = []
    for name, draws in TREATMENTS.items():
        other = fit
        if draws != HALF:
            if name not in by_name:
                continue
            rows = fit.rows.reweigh(np.where(drawn, 0.0, fit.rows.weight)) if draws is None else (
                fit.rows)  # fmt: skip
            prior = max(fit.ridge, FOLD_RIDGE if fit.firth else 0.0)
            try:
                other = fit_comparisons(
                    rows, draws or HALF, ridge=np.full(rows.players + rows.effects, prior)
                )
            except Unidentifiable:
                continue
        order = np.argsort(-other.ratings, kind="stable").tolist()
        moves = [abs(k - rank[table.players[one]]) for k, one in enumerate(order)]
        found.append(
            {
                "draws": name,
                "first": table.players[order[0]],
                "moved": sum(move > 0 for move in moves),
                "largest_move": max(moves),
                "log_loss": by_name.get(name, tests[1].scores["log_loss"]),
            }
        )
    return ResultTable.of_rows(found, "What draws do")


# -- votes that are still needed --


def count_needed(table: Games, fit: ComparisonFit, covariance: Floats, level: float) -> ResultTable:
    """Further votes on each pair of neighbours of the board that tell the two apart."""
    from scipy.special import expit, ndtri

    order = np.argsort(-fit.ratings, kind="stable").tolist()
    goal = (float(ndtri(0.5 + 0.5 * level)) + float(ndtri(POWER))) ** 2
    met = pairings(table, by_points=False).battles
    found: list[dict[str, Any]] = []
    for i, j in pairwise(order):
        gap = float(fit.ratings[i] - fit.ratings[j])
        v, own = (
            float(one[i, i] + one[j, j] - 2.0 * one[i, j]) for one in (covariance, fit.inverse)
        )
        chance = float(expit(gap))
        apart = gap / sqrt(v) if v > 0.0 else 0.0
        further, sure = np.inf, False
        if gap > 0.0 and v > 0.0:
            information = max(0.0, goal / gap**2 - 1.0 / v)
            further = information * (v / own) / (chance * (1.0 - chance))
            mixed = v + MIXTURE**2
            spread = log(mixed / (v * (1.0 - level) ** 2))
            sure = gap >= sqrt(v * mixed / MIXTURE**2 * spread)
        found.append(
            {
                "player": table.players[i], "opponent": table.players[j],
                "gap": UNIT_POINTS * gap, "z": apart, "votes": float(met[i, j]),
                "further_votes": further, "sure_at_any_time": sure,
            }
        )  # fmt: skip
    return ResultTable.of_rows(found, "Votes that tell neighbours apart")


# -- voters, cycles, categories --


def table_voters(
    table: Games, fit: ComparisonFit, question: AuditRequest
) -> tuple[ResultTable, float | None]:
    """The table of voters, the least agreeing first, and Krippendorff's alpha."""
    assert question.voter is not None
    voter = number_values(table, question.voter)
    found = judge_voters(fit, voter, level=question.level, seed=question.seed)
    names = name_values(table, question.voter)
    bad = np.isin(voter, found.voter[found.bad(question.level)])
    first = rank_without(table, fit, bad) if bad.any() else None
    listed = replace(list_voters(found, names, question.level), title=f"Voters{first or ''}")
    return listed, measure_agreement(table, fit, question)


def rank_without(table: Games, fit: ComparisonFit, rows: Truths) -> str:
    """What is first, and how many ranks change, in a fit without these votes."""
    try:
        other = refit(fit, np.where(rows, 0.0, fit.rows.weight))
    except Unidentifiable:
        return ""
    one, two = (np.argsort(-x.ratings, kind="stable") for x in (fit, other))
    moved = format_count(int((one != two).sum()), "rank")
    return f"; without those named {table.players[int(two[0])]} is first, and {moved} change"


def list_voters(found: VoterTable, names: Sequence[str], level: float) -> ResultTable:
    """A row a voter, the least agreeing first."""
    order = np.lexsort((found.theta, found.p))
    columns: dict[str, Any] = {"voter": [names[k] for k in found.voter[order].tolist()]}
    for name in ("votes", "agreement", "theta", "theta_low", "theta_high", "alone"):
        columns[name] = getattr(found, name)[order]
    for name in ("side", "side_low", "side_high"):
        columns[name] = UNIT_POINTS * getattr(found, name)[order]
    columns |= {name: getattr(found, name)[order] for name in ("draws", "p", "adjusted")}
    return ResultTable(columns | {"named": found.bad(level)[order]}, "Voters")


def measure_agreement(table: Games, fit: ComparisonFit, question: AuditRequest) -> float | None:
    """Krippendorff's alpha of votes on one pair (and one value of the other clusters)."""
    low = np.minimum(fit.rows.a, fit.rows.b)
    item = low * fit.rows.players + np.maximum(fit.rows.a, fit.rows.b)
    for name in question.clusters:
        if name != question.voter:
            other = number_values(table, name)
            item = np.unique(item * (int(other.max()) + 1) + other, return_inverse=True)[1]
    value = np.where(fit.rows.a == low, fit.rows.score, 1.0 - fit.rows.score)
    return krippendorff_alpha(
        np.concatenate((2 * item, 2 * item + 1)), np.concatenate((value, 1.0 - value))
    )


def find_cycles(
    table: Games, question: AuditRequest
) -> tuple[CyclicShare | None, ResultTable | None]:
    """The cyclic share of the results against chance, and the triangles where it is more."""
    if len(table.players) < MIN_CIRCLE:
        return None, None
    try:
        found = measure_cycles(table, seed=question.seed)
    except Unratable:
        return None, None
    if found.likelihood > 1.0 - question.level:
        return found, None
    most, level = 5, 1.0 - question.level
    return found, find_triangles(pairings(table, by_points=False), most, level).to_table()


def rate_categories(
    table: Games, fit: ComparisonFit, question: AuditRequest
) -> tuple[ResultTable, ResultTable]:
    """The board of each category, drawn towards that of all, and whether each differs."""
    from scipy.special import gammaincc

    assert question.by is not None
    number, names = number_values(table, question.by), name_values(table, question.by)
    refuse_categories(question.by, names)
    if len(names) < 2:
        raise Unidentifiable.of("one_category", by=question.by)
    surplus, own = fit.scores.of_rows[0], fit.slopes.zz[fit.rows.cells.cell]
    scatter = min(1.0, float((surplus**2).sum() / (fit.rows.weight**2 * own).sum()))
    n = fit.rows.players
    tests: list[dict[str, Any]] = []
    for k, name in enumerate(names):
        part = fit.rows.reweigh(np.where(number == k, fit.rows.weight, 0.0))
        slopes, cells = fit.slopes, part.cells
        score = cells.gradient(cells.weight * slopes.z, None)[:n]
        whole = cells.products(cells.weight * slopes.zz, None, None)
        spread = (whole - whole @ fit.inverse @ whole)[:n, :n]
        value, axis = np.linalg.eigh(spread)
        used = value > 1e-8 * max(float(value[-1]), 1e-300)
        chi = float((((axis.T @ score)[used] ** 2) / value[used]).sum()) / scatter
        freedom = int(used.sum())
        tests.append(
            {"category": name, "votes": int((number == k).sum()), "chi_squared": chi,
             "freedom": freedom, "p": float(gammaincc(0.5 * freedom, 0.5 * chi))}
        )  # fmt: skip
    adjusted = holm([one["p"] for one in tests])
    tests = [one | {"adjusted": p} for one, p in zip(tests, adjusted, strict=True)]
    fits, tau = shrink_categories(fit, number, len(names))
    rows: list[dict[str, Any]] = []
    z = reach_of(question.level, np.inf)
    for name, one in zip(names, fits, strict=True):
        deviation = np.sqrt(np.diagonal(one.inverse)[:n])
        for rank, k in enumerate(np.argsort(-one.ratings, kind="stable").tolist(), 1):
            change = float(one.ratings[k] - fit.ratings[k])
            rows.append(
                {
                    "category": name, "rank": rank, "player": table.players[k],
                    "rating": MEAN_POINTS + UNIT_POINTS * float(one.ratings[k]),
                    "change": UNIT_POINTS * change,
                    "deviation": UNIT_POINTS * float(deviation[k]),
                    "differs": abs(change) > z * float(deviation[k]),
                }
            )  # fmt: skip
    title = f"Ratings of a category differ by {UNIT_POINTS * tau:.1f} points from those of all"
    return ResultTable.of_rows(rows, title), ResultTable.of_rows(tests, "Tests of categories")


def shrink_categories(
    fit: ComparisonFit, number: Ids, count: int
) -> tuple[list[ComparisonFit], float]:
    """The ratings of each category under a prior about those of all, and the prior's deviation.

    The effects of the covariates are those of all.
    """
    rows, n = fit.rows, fit.rows.players
    parts = [rows.reweigh(np.where(number == k, rows.weight, 0.0)) for k in range(count)]
    precision, variance = np.full(len(fit.unknown), HELD_PRECISION), FIRST_VARIANCE
    for _ in range(CATEGORY_PASSES):
        precision[:n] = 1.0 / variance
        fits = [fit_comparisons(part, ridge=precision, center=fit.unknown) for part in parts]
        before, variance = variance, find_rating_variance(fits)
        if abs(variance - before) <= CATEGORY_TOLERANCE * before:
            break
    return fits, sqrt(variance)


# -- what the numbers say --


def state_findings(found: Arena) -> list[str]:
    """Sentences by rules from the numbers, the answers to the first questions first."""
    board, level = found.board, found.question.level
    names, ends = board["player"], board["sure_rank_high"]
    said = []
    if int(ends[0]) == 1:
        said.append(f"{names[0]} is first, told apart from all others together")
    else:
        said.append(
            f"{names[0]} is first, but {format_count(int(ends[0]) - 1, 'other')} may be as good "
            f"({level:.0%}, all pairs together)"
        )
    one = found.fragility
    if one.votes is not None:
        said.append(
            f"Without {format_count(one.votes, 'vote')} of {found.votes:,} ({one.share:.2%}) "
            f"{one.rival} would be first"
        )
    effects = found.effects
    for k, name in enumerate(effects["covariate"]):
        if effects["p"][k] <= 1.0 - level:
            points = float(effects["points"][k])
            said.append(
                f"The effect of {name} is {points:+.0f} points ({effects['low'][k]:+.0f} to "
                f"{effects['high'][k]:+.0f})"
            )
    if "rank_without" in board.columns:
        moved = int((board["rank"] != board["rank_without"]).sum())
        who = format_count(moved, "player") if moved else "no player"
        said.append(f"The covariates move {who} to another rank")
    if found.voters is not None:
        named = [
            name for name, bad in zip(found.voters["voter"], found.voters["named"], strict=True)
            if bad
        ]  # fmt: skip
        if named:
            said.append(describe_named(named, len(found.voters)))
        else:
            voters = format_count(len(found.voters), "voter")
            said.append(f"None of {voters} agrees less than chance explains")
    if found.triangles is not None and found.cycles is not None:
        said.append(
            f"Results go in circles: {found.cycles.share:.1%} of their variation, more than chance "
            f"makes (p = {found.cycles.likelihood:.2g})"
        )
    if found.category_tests is not None:
        tests = found.category_tests
        differ = [
            name for name, p in zip(tests["category"], tests["adjusted"], strict=True)
            if p <= 1.0 - level
        ]  # fmt: skip
        said.append(
            f"Ratings differ by {found.question.by} in {', '.join(differ)}"
            if differ
            else f"Ratings do not differ by {found.question.by} beyond chance"
        )
    return [f"{one}." for one in said]
