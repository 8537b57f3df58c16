"""Views of judged systems: a comparison, a search, a stack, rankings, as plain data and as tables.

What is for people is a list of parts: texts, tables (rows, the header first), and tuples of such
that stand together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, isnan
from textwrap import fill
from typing import TYPE_CHECKING, Any

from prowess.study.backtest import slices
from prowess.study.compare import (
    Calibration,
    calibration,
    calibration_of_places,
    find_calibration,
    finite_or_none,
    recalibrate,
)
from prowess.study.judging import format_settings

if TYPE_CHECKING:
    from prowess.engine.system import Chances
    from prowess.engine.text_table import Rows
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison
    from prowess.study.diagnosis.diagnose import Diagnosis
    from prowess.study.rankings import RankingComparison, SystemRanking
    from prowess.study.scores import MeanInterval
    from prowess.study.sequential import SequentialTest
    from prowess.study.stack import Stack
    from prowess.study.tuning.outcome import TuningResult

    Part = str | Rows | tuple[str | Rows, ...]
    Parts = list[Part]
    Names = Mapping[str, str]

FURTHER_SCORES = (
    "log_loss", "brier", "accuracy", "log_loss_3", "ranked_probability", "log_loss_winner",
    "log_loss_order", "log_loss_pairs", "concordance",
)  # fmt: skip
TOLD_SCORES = (  # in words, of a benchmark
    "log_loss", "log_loss_3", "brier", "accuracy", "log_loss_pairs", "log_loss_winner",
)  # fmt: skip
NO_NAMES: Names = {}
LINE_WIDTH = 100  # letters
INDENT = "  "  # of all lines of a paragraph but the first


def comparison_data(
    comparison: Comparison, calibrated: bool = False, split: str | None = None
) -> dict[str, Any]:
    """A comparison as plain data, with the calibration and the scores of parts that are asked."""
    rows = comparison.rows()
    for row, entry in zip(rows, comparison, strict=True):
        if split:
            row[split] = [
                {"part": part.label, "judged": part.judged}
                | {name: finite_or_none(score) for name, score in part.scores.items()}
                for part in slices(entry.test, split)
            ]
        if calibrated:
            row["calibration"] = calibration_data(entry.test, calibration)
            if not entry.test.table.pairwise:
                places = calibration_data(entry.test, calibration_of_places)
                row["calibration_of_places"] = places
    return {
        "metric": comparison.metric,
        "judged": comparison.count,
        "blocks": comparison.blocks,
        "level": comparison.level,
        "interval_of": comparison.target,
        "notes": list(comparison.notes),
        "systems": rows,
    }


def calibration_data(
    test: Backtest, measure: Callable[[Backtest], Calibration]
) -> dict[str, Any] | None:
    """The calibration of a backtest as plain data; None of too few games."""
    found, _ = find_calibration(test, measure)
    return None if found is None else found.as_dict()


def describe_comparison(comparison: Comparison) -> str:
    """What was judged and what stands in the columns, in lines of a hundred letters."""
    better = "larger" if comparison.metric == "accuracy" else "smaller"
    interval = f"the {100.0 * comparison.level:g} % interval for"
    about = f"{interval} more games of these players. It says nothing about other leagues."
    if comparison.folds is not None:
        about = f"{interval} {comparison.target}."
    return fill(
        f"{comparison.count:,} forecasts judged; the {better} the {to_words(comparison.metric)} "
        f"the better; behind: the difference from {comparison.reference or 'the first'}; group: "
        "not significantly behind its first; slope: best factor on the log odds, below 1 too sure "
        f"(standard deviation). \u00b1 is {about}",
        width=LINE_WIDTH,
    )


def to_words(name: str) -> str:
    """A score as it is written in a text."""
    return {"ranked_probability": "ranked prob."}.get(name, name.replace("_", " "))


def with_reach(one: MeanInterval | None, digits: int) -> str:
    """A mean and how far its interval reaches; nothing where there is none."""
    if one is None or not isfinite(one.mean):
        return ""
    reach = one.high - one.mean
    return f"{one.mean:.{digits}f}" + (f" \u00b1{reach:.{digits}f}" if isfinite(reach) else "")


def comparison_tables(comparison: Comparison) -> Parts:
    """The systems from best to worst by the deciding score, then their other scores, if any."""
    metric = comparison.metric
    rows = [["name", "group", to_words(metric), "behind", "slope"]]
    known = {name for one in comparison for name in one.intervals} - {metric}
    names = [name for name in FURTHER_SCORES if name in known]
    further = [["name", *map(to_words, names)]]
    for entry in comparison:
        slope, deviation = entry.slope
        name, found = entry.test.name, entry.intervals
        behind = "" if entry is comparison.origin else with_reach(entry.behind, 5)
        sure = f"{slope:.3f} ({deviation:.3f})" if isfinite(deviation) else ""
        rows.append([name, str(entry.group), with_reach(found[metric], 4), behind, sure])
        further.append([name, *(with_reach(found.get(one), 4) for one in names)])
    parts: Parts = [rows, further] if names else [rows]
    if comparison.reference:
        parts.append((f"behind {comparison.reference}, by score", lag_table(comparison)))
    return parts


def benchmark_data(comparison: Comparison) -> dict[str, Any]:
    """A benchmark as plain data."""
    about = {"reference": comparison.reference, "left_out": dict(comparison.refused)}
    return comparison_data(comparison) | about | {"findings": describe_lags(comparison)}


def benchmark_parts(comparison: Comparison) -> Parts:
    """What is won and lost, the scores, and the settings that were found."""
    won = "\n".join(fill(f"{one}.", LINE_WIDTH) for one in describe_lags(comparison))
    settings = settings_table(comparison)
    found: Parts = [("settings", settings)] if len(settings) > 1 else []
    return [won, *comparison_tables(comparison), *found]


def settings_table(comparison: Comparison, called: Names = NO_NAMES) -> Rows:
    """The settings that were found, a row a system, which `called` may name."""
    rows = [
        [called.get(one.test.name, one.test.name), format_settings(one.test.params)]
        for one in comparison
        if one.test.params and one is not comparison.origin
    ]
    return [["name", "settings"], *rows]


def lag_table(comparison: Comparison, called: Names = NO_NAMES) -> Rows:
    """How far each system is behind the reference by every score; a minus is ahead.

    `called` names systems and scores.
    """
    names = [name for name in FURTHER_SCORES if name in comparison.origin.lags]
    others = [one for one in comparison if one is not comparison.origin]
    return [
        ["name", *(called.get(name, to_words(name)) for name in names)],
        *(
            [
                called.get(one.test.name, one.test.name),
                *(with_reach(one.lags.get(n), 4) for n in names),
            ]
            for one in others
        ),
    ]


def describe_lags(comparison: Comparison, called: Names = NO_NAMES) -> list[str]:
    """A sentence a score: which systems the reference is ahead of, level with and behind.

    The base rate, which knows no player, is none of them. `called` names systems and scores.
    """
    own = called.get(comparison.reference or "", comparison.reference)
    said = []
    for score in TOLD_SCORES:
        won, level, lost = weigh_lags(comparison, score)
        count = len(won) + len(level) + len(lost)
        behind = [
            f"{called.get(name, name)} by {with_reach(lag, 4).lstrip('-')}"
            for name, lag in lost.items()
        ]
        parts = [
            ("better than", [called.get(name, name) for name in won]),
            ("not told apart from", [called.get(name, name) for name in level]),
        ]
        parts = [part for part in parts if part[1]] + [("worse than", behind)]
        text = ", ".join(f"{verb} {list_names(names, count)}" for verb, names in parts)
        if count:
            said.append(f"{called.get(score, to_words(score))}: {own} is {text}")
    return said


def weigh_lags(comparison: Comparison, score: str) -> tuple[dict[str, MeanInterval], ...]:
    """The distances of the tuned systems that the reference beats, is level with, and loses to."""
    beside = (comparison.reference, "base_rate")
    lags = {e.test.name: e.lags[score] for e in comparison if score in e.lags}
    rivals = {name: lag for name, lag in lags.items() if name not in beside}
    won = {name: lag for name, lag in rivals.items() if lag.low > 0.0}
    lost = {name: lag for name, lag in rivals.items() if lag.high < 0.0}
    level = {name: lag for name, lag in rivals.items() if not lag.told_apart}
    return won, level, lost


def list_names(names: Sequence[str], of: int) -> str:
    """How many of all, and which."""
    return f"{len(names)} of {of} ({', '.join(names)})" if names else "none"


def split_table(comparison: Comparison, split: str) -> Rows:
    """A row a part of the games, a column a system: the score that decides."""
    every = [slices(entry.test, split) for entry in comparison]
    labels = list(dict.fromkeys(part.label for one in every for part in one))
    rows = [[split, "games", *(entry.test.name for entry in comparison)]]
    for label in sorted(labels) if split == "year" else labels:
        parts = [{part.label: part for part in one}.get(label) for one in every]
        games = max((part.judged for part in parts if part), default=0)
        scores = [f"{part.scores[comparison.metric]:.4f}" if part else "" for part in parts]
        rows.append([label, f"{games:,}", *scores])
    return rows


def calibration_parts(test: Backtest) -> Parts:
    """The calibration of a system, and of contests that of its chances of places."""
    parts = [calibration_part(test, calibration, "score")]
    if not test.table.pairwise:
        parts.append(calibration_part(test, calibration_of_places, "this place or better"))
    return parts


def calibration_part(
    test: Backtest, measure: Callable[[Backtest], Calibration], happened: str
) -> Part:
    """A calibration: a headline and its curve as a table, or why there is none."""
    found, why = find_calibration(test, measure)
    if found is None:
        return f"{test.name}: {why}"
    rows = [["forecast", happened, "interval", f"{test.table.unit}s"]]
    for one in found.rows():
        interval = f"{one['low']:.3f} to {one['high']:.3f}"
        rows.append(
            [f"{one['forecast']:.3f}", f"{one['score']:.3f}", interval, f"{one['games']:,}"]
        )
    sure = "too sure" if found.scale < 1.0 else "too timid"
    head = (
        f"{found.name}: forecasts miss by {found.error:.4f} on average "
        f"({found.by_chance:.4f} would be chance); best scale of the log odds "
        f"{found.scale:.3f} +- {found.scale_deviation:.3f} ({sure})"
    )
    if (score := "log_loss") in test.scores:
        better = recalibrate(test).scores[score]
        head += f"; log loss {test.scores[score]:.4f}, scaled by the past alone {better:.4f}"
    return head, rows


def describe_search(tuned: TuningResult) -> str:
    """What a search tried, in a line."""
    judged = f"; {tuned.later.judged:,} later ones judge" if tuned.later else ""
    return (
        f"{tuned.system}: {tuned.evaluations:,} settings tried on {tuned.searched:,} forecasts, "
        f"{tuned.metric.replace('_', ' ')} {tuned.score_before:.5f} before, {tuned.score:.5f} "
        f"now{judged}"
    )


def search_parts(tuned: TuningResult) -> Parts:
    """The best value of each parameter, then what is to be said of them."""
    from prowess.study.tuning.outcome import format_value

    rows = [["parameter", "before", "best", "interval", "serves as well", "searched", "unit"]]
    for one in tuned.parameters:
        interval = f"{format_value(one.low, one)} to {format_value(one.high, one)}"
        if one.undetermined:
            interval = "not known"
        elif one.edge:
            interval = f"at its {'lower' if one.edge == 'low' else 'upper'} end"
        serves = f"{format_value(one.serves_low, one)} to {format_value(one.serves_high, one)}"
        searched = f"{one.range_low:g} to {one.range_high:g}"
        numbers = [f"{one.default:g}", f"{one.value:.10g}"]
        rows.append([one.name, *numbers, interval, serves, searched, one.unit])
    return [rows, "\n".join(tuned.sentences()), *([tuned.line()] if tuned.better else [])]


def stack_data(stacked: Stack) -> dict[str, Any]:
    """The weights of a stack as plain data."""
    return {"weights": [one._asdict() for one in stacked.weights()], "terms": stacked.terms}


def weights_part(stacked: Stack) -> Part:
    """The weights of a stack, a row a member, and what their last column means."""
    rows = [["name", "weight", "deviation", "for draws", "deviation", "alone"]]
    for name, *numbers in stacked.weights():
        rows.append([name, *("" if x is None else f"{x:.2f}" for x in numbers)])
    rows = rows if stacked.draws is not None else [[*row[:3], row[5]] for row in rows]
    mixed = f"mixed by these weights: {stacked.shares[0]:.0%} of the forecast"
    return rows, f"{mixed}; alone: that of a member by itself"


def chances_by_outcome(chances: Chances) -> dict[str, float]:
    """Expected score, and chances of win, draw and loss, by name."""
    draw = chances.draw or 0.0
    return {"expected": chances.expected, "win": chances.win, "draw": draw, "loss": chances.loss}


def rankings_data(
    comparison: RankingComparison, top: int | None = None, player: int | None = None
) -> dict[str, Any]:
    """Rankings of one league as plain data; with a player also how far they are behind."""
    rankings, names = comparison.rankings, [one.name for one in comparison.rankings]
    data: dict[str, Any] = {
        "systems": {one.name: one.ratings.params for one in rankings},
        "players": [
            {"player": comparison.players[k]}
            | {one.name: one.entry(k)._asdict() for one in rankings}
            for k in comparison.order[:top]
        ],
    }
    for word, matrix in (("kendall", comparison.tau), ("spearman", comparison.rho)):
        data[word] = {
            name: {other: None if isnan(x) else x for other, x in zip(names, row, strict=True)}
            for name, row in zip(names, matrix.tolist(), strict=True)
        }
    if player is not None:
        gaps = {one.name: one.gap(player)._asdict() for one in rankings}
        data["gap"] = {"player": comparison.players[player], "to_the_leader": gaps}
    return data


def ranking_parts(comparison: RankingComparison, top: int | None, player: int | None) -> Parts:
    """Places and values, then the correlations, then the gap of one player."""
    rankings = comparison.rankings
    names = [one.name for one in rankings]
    body = [
        [comparison.players[k], *(text for one in rankings for text in place_and_value(one, k))]
        for k in comparison.order[:top]
    ]
    parts: Parts = [[["player", *(text for name in names for text in ("#", name))], *body]]
    if len(rankings) > 1:
        rows = [["name", *names]]
        for i, name in enumerate(names):
            pairs = enumerate(zip(comparison.tau[i], comparison.rho[i], strict=True))
            numbers = [tau if j <= i else rho for j, (tau, rho) in pairs]
            rows.append([name, *("-" if isnan(x) else f"{x:.3f}" for x in numbers)])
        parts += [
            "rank correlation: Kendall's tau-b below the diagonal, Spearman's rho above",
            rows,
        ]
    if player is not None:
        rows = [["name", "#", "value", "leader's", "behind", "expected score against the leader"]]
        for one in rankings:
            gap = one.gap(player)
            chance = gap.reason or "-" if gap.chance is None else f"{gap.chance:.3f}"
            leader = place_and_value(one, comparison.players.index(gap.leader))[1]
            rows.append([one.name, *place_and_value(one, player), leader, f"{gap.gap:.6g}", chance])
        parts += [f"{comparison.players[player]} and the leader under each system", rows]
    return parts


def place_and_value(one: SystemRanking, player: int) -> tuple[str, str]:
    """Place and value as text: 2= is shared, levels are named as such."""
    entry = one.entry(player)
    place = f"{entry.place}=" if entry.tied else str(entry.place)
    if one.column == "level":
        return place, f"level {entry.value:.0f}"
    return place, f"{entry.value:.1f}" if abs(entry.value) >= 100 else f"{entry.value:.4g}"


def diagnosis_parts(found: Diagnosis, whole: bool) -> Parts:
    """Each finding as a paragraph, the severity first, then the checks that were skipped."""
    parts: Parts = []
    for one in found:
        says = f"{one.severity}: {one.name}. {one.says}"
        lines = [fill(says, LINE_WIDTH, subsequent_indent=INDENT)]
        if whole:
            chance = "" if one.adjusted is None else f" p = {one.p:.2g}, {one.adjusted:.2g} of all."
            text = f"How: {one.method}.{chance} False alarms: {one.error_rate}."
            lines.append(fill(text, LINE_WIDTH, initial_indent=INDENT, subsequent_indent=INDENT))
        parts.append("\n".join(lines))
    if whole and found.skipped:
        parts.append("\n".join(f"skipped: {one.name} ({one.why})" for one in found.skipped))
    elif found.skipped:
        names = ", ".join(one.name for one in found.skipped)
        parts.append(f"skipped: {names} (--all says why)")
    return parts


# -- sequential tests --


def sequential_data(test: SequentialTest) -> dict[str, Any]:
    """A sequential test as plain data."""
    hypotheses, estimate, outlook = test.hypotheses, test.estimate, test.outlook
    return {
        "verdict": test.verdict,
        "llr": test.llr,
        "lower": test.lower,
        "upper": test.upper,
        "hypotheses": hypotheses and hypotheses._asdict(),
        "unit": "pairs" if test.paired else "games",
        "counts": list(test.counts),
        "games": test.games,
        "estimate": estimate
        and {
            name: None if value is None else finite_or_none(value)
            for name, value in estimate._asdict().items()
        },
        "outlook": outlook and outlook._asdict(),
    }


def sequential_parts(test: SequentialTest) -> Parts:
    """The verdict in words, and what the results say of the difference."""
    one, estimate, outlook = test.hypotheses, test.estimate, test.outlook
    assert one is not None
    unit = "normalised Elo" if one.model == "normalised" else "Elo"
    verdicts = {
        "elo1": f"Accepted: better by {one.elo1:g} {unit} rather than by {one.elo0:g}",
        "elo0": f"Rejected: better by {one.elo0:g} {unit} rather than by {one.elo1:g}",
        "continue": "Play on: no bound is reached",
    }
    bounds = f"LLR {test.llr:.2f}, bounds {test.lower:.2f} and {test.upper:.2f}"
    parts: Parts = [f"{verdicts[test.verdict]}. {bounds}."]
    if estimate is None or outlook is None:
        return parts
    outcomes = "pairs with 0, 1/2, 1, 3/2, 2" if test.paired else "lost, drawn, won"
    rows = [
        ["quantity", "value"],
        ["games", f"{test.games:,}"],
        [outcomes, "  ".join(f"{count:,}" for count in test.counts)],
        ["Elo", f"{estimate.elo:+.1f}, 95 % {estimate.low:+.1f} to {estimate.high:+.1f}"],
        ["normalised Elo", f"{estimate.normalised_elo:+.1f}"],
    ]
    if estimate.pair_elo is not None:
        rows.append(["Elo of pairs", f"{estimate.pair_elo:+.1f}"])
    rows.append(["probability of being better", f"{estimate.los:.2%}"])
    rows.append(["pairs that were split" if test.paired else "draws", f"{estimate.draws:.1%}"])
    if test.verdict == "continue":
        rows.append(
            [
                "if it goes on so",
                f"about {outlook.games:,.0f} more games, {outlook.accepts:.1%} to accept elo1",
            ]
        )
    return [*parts, rows]
