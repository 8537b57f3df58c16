"""The page of a diagnosis: findings with charts and numbers, the most severe first."""

from __future__ import annotations

from collections.abc import Iterator

from prowess import __version__
from prowess.present.documents import (  # fmt: skip
    DocumentTable,
    Figure,
    Heading,
    Paragraph,
    Part,
    Section,
    TableColumn,
    render_document,
)
from prowess.present.finding_charts import finding_chart
from prowess.present.svg import Undrawable, strip_controls
from prowess.study.diagnosis.diagnose import SEVERITIES, Diagnosis, Finding

HEADINGS = {"warning": "Warnings", "notice": "Notices", "fine": "Fine"}


def render_diagnosis(found: Diagnosis, title: str) -> str:
    """Render the page as HTML."""
    sections = [Section("summary", "Summary", [_summary(found)])]
    for severity in reversed(SEVERITIES):
        selected = [one for one in found if one.severity == severity]
        if selected:
            parts = [part for one in selected for part in _finding_parts(one)]
            sections.append(Section(severity, f"{HEADINGS[severity]} ({len(selected)})", parts))
    sections.append(Section("method", "Method", list(_method_parts(found))))
    return render_document(title, found.head() + ".", sections, "To the findings")


def _summary(found: Diagnosis) -> Part:
    """A table of the warnings and notices with links."""
    selected = [one for one in found if one.severity != "fine"]
    if not selected:
        return Paragraph("Nothing suspicious was found.")
    return DocumentTable(
        "Findings",
        [
            TableColumn("severity", [one.severity for one in selected], "words"),
            TableColumn(
                "finding", [(one.name, _key(one.name)) for one in selected], "link", leads=True
            ),
            TableColumn("in words", [strip_controls(one.says) for one in selected], "words"),
        ],
        hidden=True,
    )


def _finding_parts(one: Finding) -> Iterator[Part]:
    """One finding: text, chart or examples, method and rate of false alarms."""
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


def _examples(some: list[dict[str, object]]) -> DocumentTable:
    """The examples of a finding that has no figure."""
    columns = [
        TableColumn(
            name,
            [_format_cell(row[name]) for row in some],
            "name" if name in ("player", "opponent", "when") else "number",
            leads=k == 0,
        )
        for k, name in enumerate(some[0])
    ]
    return DocumentTable("Some of them", columns)


def _format_cell(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _method_parts(found: Diagnosis) -> Iterator[Part]:
    """The system, its parameters and the checks that were left out."""
    yield Paragraph(
        "A finding is a reason to look, not a proof. Established players have 30 earlier games; "
        "judged games are those of two established players after the first fifth of the table."
    )
    if found.params:
        values = [v if isinstance(v, str) else f"{v:.10g}" for v in found.params.values()]
        names = TableColumn("parameter", list(found.params), "words", leads=True)
        yield DocumentTable(f"Parameters of {found.system}", [names, TableColumn("value", values)])
    if found.skipped:
        yield DocumentTable(
            "Checks left out",
            [
                TableColumn("check", [one.name for one in found.skipped], "words", leads=True),
                TableColumn("why", [one.why for one in found.skipped], "words"),
            ],
        )
    yield Paragraph(
        f"Made by Prowess {__version__}. The same table and settings give the same page.",
        quiet=True,
    )


def _key(name: str) -> str:
    return name.replace(" ", "-")
