"""The page itself: one file, no script, nothing loaded, a content security policy that says so."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from prowess.study.figures.theme import RULES, variables
from prowess.study.report.data_section import data_section
from prowess.study.report.forecast_sections import calibration_section, comparison_section
from prowess.study.report.game_sections import pairs_section, streak_section, upset_section
from prowess.study.report.markup import Markup, joined, paragraph, tag
from prowess.study.report.method_section import method_section
from prowess.study.report.rating_sections import (
    distribution_section,
    history_section,
    leaderboard_section,
)

if TYPE_CHECKING:
    from prowess.study.report.about import Report

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
    css = style()
    digest = b64encode(sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    shown = [one for one in SECTIONS if one[0] != "systems" or report.comparison is not None]
    links = [tag("li", tag("a", heading, href=f"#{key}")) for key, heading, _ in shown]
    body = tag(
        "body",
        tag("a", "To the leaderboard", href="#leaderboard", class_="skip"),
        tag("header", tag("h1", tag("bdi", report.title)), paragraph(report.ratings.head() + ".")),
        tag("nav", tag("ul", *links), aria_label="Sections"),
        tag(
            "main",
            *(
                tag(
                    "section",
                    tag("h2", heading, id=f"{key}-heading"),
                    section(report),
                    id=key,
                    aria_labelledby=f"{key}-heading",
                )
                for key, heading, section in shown
            ),
        ),
    )
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        _meta(http_equiv="Content-Security-Policy", content=policy),
        _meta(name="viewport", content="width=device-width, initial-scale=1"),
        _meta(name="color-scheme", content="light dark"),
        _meta(name="referrer", content="no-referrer"),
        _meta(name="generator", content="Prowess"),
        tag("title", report.title),
        tag("style", Markup(css)),
    )
    return f"<!doctype html>\n{joined(tag('html', head, body, lang='en'))}\n"


def style() -> str:
    """The style sheet: colours and figures as they are everywhere, then the page."""
    own = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    on_paper = variables("light")
    return f"{variables('both')}{RULES}{own}@media print{{{on_paper}}}\n"


def _meta(**attributes: str) -> Markup:
    """A void element has no end."""
    return Markup(tag("meta", **attributes).removesuffix("</meta>"))
