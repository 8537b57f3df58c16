"""A diagnosis as a page: in words first, then numbers, and a figure of every finding."""

from __future__ import annotations

from prowess import __version__
from prowess.present.figures.refusal import Undrawable
from prowess.present.findings.figures import figure_of
from prowess.present.findings.told import plain
from prowess.present.report.frame import Section, framed
from prowess.present.report.markup import (
    Content,
    Markup,
    figure,
    how,
    joined,
    paragraph,
    table,
    tag,
)
from prowess.study.diagnosis.findings import SEVERITIES, Diagnosis, Finding

HEADINGS = {"warning": "Warnings", "notice": "Notices", "fine": "Fine"}


def page(found: Diagnosis, title: str) -> str:
    """The whole document."""
    sections = [Section("summary", "In short", _summary(found))]
    for severity in reversed(SEVERITIES):
        told = [_told(one) for one in found if one.severity == severity]
        if told:
            heading = f"{HEADINGS[severity]} ({len(told)})"
            sections.append(Section(severity, heading, joined(*told)))
    sections.append(Section("method", "Method", _method(found)))
    return framed(title, found.head() + ".", sections, "To what was found")


def _summary(found: Diagnosis) -> Markup:
    """What is wrong, in a table that leads to each finding."""
    rows: list[list[Content]] = [
        [one.severity, tag("a", one.name, href=f"#{_key(one.name)}"), plain(one.says)]
        for one in found
        if one.severity != "fine"
    ]
    if not rows:
        return paragraph("Nothing was found that should worry anybody.")
    header = ["severity", "finding", "in words"]
    return table("What was found", header, rows, words=header, name="finding", hidden=True)


def _told(one: Finding) -> Markup:
    """A finding: words, figure, method."""
    chance = "" if one.adjusted is None else f" p = {one.p:.2g}, {one.adjusted:.2g} of all."
    drawn: Markup
    try:
        shown = figure_of(one)
        drawn = figure(shown, told=shown.reading)
    except Undrawable:
        drawn = _listed(one)
    return joined(
        tag("h3", one.name[0].upper() + one.name[1:], id=_key(one.name)),
        paragraph(tag("strong", f"{one.severity[0].upper()}{one.severity[1:]}: "), plain(one.says)),
        drawn,
        how(f"How: {one.method}.{chance} False alarms: {one.error_rate}."),
    )


def _listed(one: Finding) -> Markup:
    """The examples of a finding that has no figure."""
    some = one.numbers.get("some") or []
    if not some:
        return Markup()
    header = list(some[0])
    rows: list[list[Content]] = [[_cell(row[name]) for name in header] for row in some]
    return table("Some of them", header, rows, words=("player", "opponent", "when"))


def _cell(value: object) -> Content:
    if isinstance(value, str):
        return tag("bdi", value)
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _method(found: Diagnosis) -> Markup:
    """The system, its constants, and what was not looked at."""
    constants: list[list[Content]] = [
        [name, value if isinstance(value, str) else f"{value:.10g}"]
        for name, value in found.params.items()
    ]
    skipped: list[list[Content]] = [[one.name, one.why] for one in found.skipped]
    settings = table(
        f"Parameters of {found.system}", ["parameter", "value"], constants, words=("parameter",)
    )
    left = table("Not looked at", ["check", "why"], skipped, words=("check", "why"))
    return joined(
        paragraph(
            "A finding is a reason to look, never a proof. Established are players with 30 games "
            "before; judged are games of two such players after the first fifth of the table."
        ),
        settings if constants else "",
        left if skipped else "",
        how(f"Made by Prowess {__version__}. The same table and settings give the same page."),
    )


def _key(name: str) -> str:
    return name.replace(" ", "-")
