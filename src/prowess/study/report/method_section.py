"""The section about the method: the system, its constants, the words of this page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prowess import __version__
from prowess.engine.params import parameters
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Range
from prowess.study.report.markup import Content, Markup, joined, paragraph, table, tag

if TYPE_CHECKING:
    from prowess.study.report.about import Report

GLOSSARY = (
    ("Rating", "The number a system gives a player for all results so far; the higher the better."),
    ("Score", ("1 for a win, 1/2 for a draw, 0 for a loss; in contests the share of the field "
     "beaten.")),
    ("Expected score", ("The forecast of a score: the chance of a win and half the chance of a "
     "draw.")),
    ("Deviation", ("The standard deviation of a rating: how far off it may be. It shrinks with "
     "games and grows with time, in systems that know it.")),
    ("Interval", "Where a number would lie with the probability given, if the model were right."),
    ("Upset", "A win of a player whose expected score was small."),
)  # fmt: skip


def _shown(value: float | str | list[float | str]) -> str:
    """A parameter as people read it; of a bank its values."""
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return value if isinstance(value, str) else f"{value:.10g}"


def method_section(report: Report) -> Markup:
    """System, parameters, period, words, credit."""
    ratings, system = report.ratings, report.ratings.system
    period = f" in rating periods of {ratings.period}" if ratings.period else ""
    mode = (
        f"played through the table in order{period}"
        if isinstance(ratings, DynamicRatings)
        else "fitted to all games at once"
    )
    head = paragraph(
        "The ratings are those of ", tag("b", system.name), f", {mode}, with the parameters below."
    )
    notes = [paragraph(f"Note: {note}.", class_="how") for note in report.notes]
    known = parameters(system)
    rows: list[list[Content]] = []
    for name, value in ratings.params.items():
        domain = known[name].domain if name in known else None
        unit = domain.unit if isinstance(domain, Range) else ""
        rows.append([name, _shown(value), unit])
    settings = table(
        "Parameters", ["parameter", "value", "unit"], rows, words=("parameter", "unit")
    )
    terms = [tag("div", tag("dt", name), tag("dd", meaning)) for name, meaning in GLOSSARY]
    return joined(
        head,
        *notes,
        settings if rows else "",
        tag("pre", system.doc.strip(), tabindex="0", role="region", aria_label="The formulas"),
        tag("h3", "Words of this page"),
        tag("dl", *terms, class_="words"),
        tag("h3", "Source of the data"),
        paragraph(report.credit or "Not stated: nobody gave a credit line when this was made."),
        paragraph(
            f"Made by Prowess {__version__}. All numbers come from the table and the settings "
            "named here; the same ones give the same page.",
            class_="how",
        ),
    )
