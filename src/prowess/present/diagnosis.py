"""The page of a diagnosis: the findings in words, numbers and figures, the worst first."""

from __future__ import annotations

from collections.abc import Iterator

from prowess import __version__
from prowess.present.documents import (
    Column,
    Figure,
    Heading,
    Paragraph,
    Part,
    Section,
    Table,
    render_document,
)  # fmt: skip
from prowess.present.finding_charts import finding_chart, strip_controls
from prowess.present.svg import Undrawable
from prowess.study.diagnosis.findings import SEVERITIES, Diagnosis, Finding

HEADINGS = {"warning": "Warnings", "notice": "Notices", "fine": "Fine"}


def render_diagnosis(found: Diagnosis, title: str) -> str:
    """The whole document."""
    sections = [Section("summary", "In short", [_summary(found)])]
    for severity in reversed(SEVERITIES):
        chosen = [one for one in found if one.severity == severity]
        if chosen:
            parts = [part for one in chosen for part in _finding_parts(one)]
            sections.append(Section(severity, f"{HEADINGS[severity]} ({len(chosen)})", parts))
    sections.append(Section("method", "Method", list(_method_parts(found))))
    return render_document(title, found.head() + ".", sections, "To what was found")


def _summary(found: Diagnosis) -> Part:
    """The warnings and notices, each with a link."""
    chosen = [one for one in found if one.severity != "fine"]
    if not chosen:
        return Paragraph("Nothing suspicious was found.")
    return Table(
        "What was found",
        [
            Column("severity", [one.severity for one in chosen], "words"),
            Column("finding", [(one.name, _key(one.name)) for one in chosen], "link", leads=True),
            Column("in words", [strip_controls(one.says) for one in chosen], "words"),
        ],
        hidden=True,
    )


def _finding_parts(one: Finding) -> Iterator[Part]:
    """A finding: words, figure or examples, method."""
    yield Heading(one.name[0].upper() + one.name[1:], _key(one.name))
    yield Paragraph(strip_controls(one.says), strong=one.severity.capitalize())
    try:
        chart = finding_chart(one)
        yield Figure(chart, chart.reading)
    except Undrawable:
        if some := one.numbers.get("some"):
            yield _examples(some)
    chance = "" if one.adjusted is None else f" p = {one.p:.2g}, {one.adjusted:.2g} of all."
    yield Paragraph(f"How: {one.method}.{chance} False alarms: {one.error_rate}.", quiet=True)


def _examples(some: list[dict[str, object]]) -> Table:
    """The examples of a finding that has no figure."""
    columns = [
        Column(
            name,
            [_format_cell(row[name]) for row in some],
            "name" if name in ("player", "opponent", "when") else "number",
            leads=k == 0,
        )
        for k, name in enumerate(some[0])
    ]
    return Table("Some of them", columns)


def _format_cell(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _method_parts(found: Diagnosis) -> Iterator[Part]:
    """The system, its constants, and the checks that were left out."""
    yield Paragraph(
        "A finding is a reason to look, never a proof. Established are players with 30 games "
        "before; judged are games of two such players after the first fifth of the table."
    )
    if found.params:
        values = [v if isinstance(v, str) else f"{v:.10g}" for v in found.params.values()]
        names = Column("parameter", list(found.params), "words", leads=True)
        yield Table(f"Parameters of {found.system}", [names, Column("value", values)])
    if found.skipped:
        yield Table(
            "Not looked at",
            [
                Column("check", [one.name for one in found.skipped], "words", leads=True),
                Column("why", [one.why for one in found.skipped], "words"),
            ],
        )
    yield Paragraph(
        f"Made by Prowess {__version__}. The same table and settings give the same page.",
        quiet=True,
    )


def _key(name: str) -> str:
    return name.replace(" ", "-")
