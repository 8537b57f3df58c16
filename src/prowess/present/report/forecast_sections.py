"""The sections about forecasts: calibration, and systems beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prowess.present.figures.comparison import behind_the_best
from prowess.present.figures.refusal import Undrawable
from prowess.present.figures.reliability_curve import reliability
from prowess.present.report.markup import (  # fmt: skip
    Content,
    Markup,
    figure,
    how,
    joined,
    paragraph,
    player,
    table,
)

if TYPE_CHECKING:
    from prowess.present.report.about import Report

SCORES = {
    "log_loss": "log loss",
    "brier": "Brier score",
    "accuracy": "accuracy",
    "log_loss_3": "log loss with draws",
    "ranked_probability": "ranked probability",
    "concordance": "concordance",
}


def calibration_section(report: Report) -> Markup:
    """Whether forecasts of the system mean what they say."""
    test = report.forecasts
    if test is None:
        return paragraph(
            f"Not judged: there are no forecasts of {report.ratings.system.name} for this table."
        )
    try:
        drawing = reliability(test, level=report.level)
    except Undrawable as reason:
        return paragraph(f"Not drawn: {reason}.")
    scored = ", ".join(
        f"{SCORES[name]} {value:.4f}" for name, value in test.scores.items() if name in SCORES
    )
    one = drawing.calibration
    mended = (
        f"Forecasts would have served best with their log odds multiplied by {one.scale:.3f} "
        f"(\N{PLUS-MINUS SIGN} {one.scale_deviation:.3f}): they were a little too "
        f"{'sure' if one.scale < 1.0 else 'timid'}. "
        if abs(one.scale - 1.0) > 2.0 * one.scale_deviation
        else "No scaling of the log odds would have mended them notably. "
    )
    return joined(
        figure(drawing),
        how(
            f"Every game was forecast before its result was known, and the last {test.count:,} "
            f"forecasts are judged; the first games of a table, when everybody is new, are not. "
            f"Seen from the favourite, so that every forecast is at least 50%. {mended}"
            f"Scores: {scored}."
        ),
    )


def comparison_section(report: Report) -> Markup:
    """Systems by their forecasts of the same games."""
    comparison = report.comparison
    if comparison is None:
        return paragraph("Left out.")
    entries = comparison.entries
    least = min(2, len(entries))  # a score of one system alone compares nothing
    names = [n for n in SCORES if sum(n in one.scores for one in entries) >= least]
    header = [
        "system",
        "group",
        *(SCORES[n] for n in names),
        "behind",
        f"{comparison.level:.0%} interval",
    ]
    rows: list[list[Content]] = []
    for k, one in enumerate(entries):
        numbers = [f"{one.scores[n]:.4f}" if n in one.scores else "" for n in names]
        gap = one.behind
        behind = [f"{gap.mean:.5f}", f"{gap.low:.5f} to {gap.high:.5f}"] if k else ["", ""]
        rows.append([player(one.test.name), str(one.group), *numbers, *behind])
    by = SCORES.get(comparison.by, comparison.by)
    spare = ["behind", *(SCORES[n] for n in names if n != comparison.by)]
    told = (
        f"All systems forecast the same {comparison.count:,} games from earlier games only, and "
        f"are judged by {by}: {MEANING.get(comparison.by, '')}behind is the difference from the "
        f"best, its {comparison.level:.0%} interval comes from resampling {comparison.blocks} "
        "blocks of consecutive games. Systems of one group cannot be told apart. base_rate knows "
        "no player: it forecasts the mean score of the games so far. Settings are the defaults "
        "where the name does not say otherwise."
    )
    notes = [f"{one.test.name}: {note}." for one in entries for note in one.test.notes]
    return joined(
        figure(behind_the_best(comparison), numbers=False),
        table("Scores of the systems", header, rows, words=("system",), spare=spare),
        how(" ".join([told, *(f"{note}." for note in comparison.notes), *notes])),
    )


MEANING = {
    "log_loss": "the mean surprise of a result, the smaller the better, 0.6931 for who always "
    "says 50%; ",
    "brier": "the mean squared distance of forecast and score, the smaller the better; ",
    "accuracy": "the share of decided games won by the favourite, the larger the better; ",
}
