"""The sections of a report, in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prowess.present.report.data_section import data_section
from prowess.present.report.forecast_sections import calibration_section, comparison_section
from prowess.present.report.frame import Section, framed
from prowess.present.report.game_sections import pairs_section, streak_section, upset_section
from prowess.present.report.method_section import method_section
from prowess.present.report.rating_sections import (
    distribution_section,
    history_section,
    leaderboard_section,
)

if TYPE_CHECKING:
    from prowess.present.report.about import Report

SECTIONS = (
    ("leaderboard", "Leaderboard", leaderboard_section),
    ("data", "The data", data_section),
    ("histories", "Histories", history_section),
    ("distribution", "Distribution", distribution_section),
    ("calibration", "Are the forecasts right?", calibration_section),
    ("systems", "Systems compared", comparison_section),
    ("pairs", "Head to head", pairs_section),
    ("upsets", "Biggest upsets", upset_section),
    ("streaks", "Best streaks", streak_section),
    ("method", "Method", method_section),
)


def page(report: Report) -> str:
    """The whole document."""
    shown = [one for one in SECTIONS if one[0] != "systems" or report.comparison is not None]
    sections = [Section(key, heading, section(report)) for key, heading, section in shown]
    return framed(report.title, report.ratings.head() + ".", sections, "To the leaderboard")
