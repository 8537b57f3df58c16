"""The figure of a finding, from its numbers alone."""

from __future__ import annotations

from prowess.present.figures.refusal import Undrawable
from prowess.present.findings import about_players, about_ratings, about_results
from prowess.present.findings.about_players import Drawer, worst
from prowess.present.findings.told import Told
from prowess.study.diagnosis.findings import Finding


def figure_of(finding: Finding) -> Told:
    """What was found, drawn; raises Undrawable where there is nothing to draw."""
    draw = DRAWN.get(finding.name)
    if draw is None:
        raise Undrawable(f"{finding.name!r} has no figure; there are {', '.join(DRAWN)}")
    return draw(finding)


DRAWN: dict[str, Drawer] = {
    "step": about_ratings.step,
    "noise of ratings": about_ratings.noise,
    "inflation": about_ratings.inflation,
    "matched inflation": about_ratings.matched_inflation,
    "learning by rating": about_ratings.learning,
    "distribution": about_ratings.distribution,
    "form of the curve": about_results.form,
    "residuals by gap": about_results.gaps,
    "side advantage": about_results.side,
    "side advantage over time": about_results.side_over_time,
    "draws by rating": about_results.draws,
    "sudden jumps": worst(
        "The most surprising runs of games", "score", "scored", "expected",
        "Bars: what was scored.",
    ),
    "points from one opponent": worst(
        "Who takes most from one opponent", "score beyond expectation", "surplus", None,
        "Bars: score of the first beyond expectation against the second; those whom chance "
        "explains least.",
    ),
    "points from newcomers": worst(
        "Who takes most from newcomers", "score beyond what others take", "surplus", None,
        "Bars: score beyond what others take from newcomers; those whom chance explains least.",
    ),
    "repeated pairs": worst(
        "Pairs that meet often", "games", "games", "expected", "Bars: games.",
    ),
    "isolated pools": about_players.pools,
    "thin bridges": about_players.bridges,
    "wins by turns": worst(
        "Pairs that win by turns", "runs", "runs", "expected", "Bars: runs of wins of one player.",
    ),
    "draws of a pair": worst(
        "Pairs that draw", "draws", "draws", "expected", "Bars: draws.",
    ),
}  # fmt: skip
