"""Pages in one file: the report of a rated table, and a diagnosis.

from prowess.present.report import report

page = report(ratings, title="Our league")
page.to_html()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from prowess.engine.periods import has_order
from prowess.engine.tabular import Columns, Tabular
from prowess.engine.whole_table import normal_quantile
from prowess.present import report_sections as parts
from prowess.present.document import (
    DocumentTable,
    Figure,
    Heading,
    Paragraph,
    Part,
    Section,
    TableColumn,
    render_document,
)
from prowess.present.figures import distribution
from prowess.present.finding_charts import finding_chart
from prowess.present.headline import find_headline
from prowess.present.highlights import streak_parts, upset_parts
from prowess.present.listing import Listing, usual_listing
from prowess.present.methods import own_forecasts
from prowess.present.report_board import (
    PlayerList,
    history_parts,
    leaderboard_parts,
    versus_part,
)
from prowess.present.svg import Undrawable, element, strip_controls
from prowess.study.diagnosis.diagnose import SEVERITIES, Diagnosis, Finding
from prowess.version import __version__

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.present.chart import Chart
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison


__all__ = ["Report", "own_forecasts", "report"]

LEADERBOARD_ROWS = 25
DISTRIBUTION_PLAYERS = 12
PANELS = 12  # histories where `players` is None
SCRIPTS = ("static/tables.js", "templates/report.js")


@dataclass(frozen=True, eq=False, repr=False)
class Report(Tabular):
    """The values of a report; see `report`. As a table it is its leaderboard."""

    ratings: Ratings
    title: str
    listing: Listing
    top: int
    players: tuple[str, ...] | None  # whose histories are drawn; None: the best
    forecasts: Backtest | None
    comparison: Comparison | None
    level: float
    credit: str
    notes: tuple[str, ...]

    @cached_property
    def roster(self) -> PlayerList:
        """The players of the page, their intervals and histories."""
        return PlayerList(self.ratings, self.listing, self.level)

    def sections(self) -> list[Section]:
        """The sections in reading order; one without content is left out."""
        ratings, level, test, roster = self.ratings, self.level, self.forecasts, self.roster
        drawn = self.players if self.players is not None else tuple(roster.ranked[:PANELS])
        z = normal_quantile(level)
        pair = versus_part(roster)
        best = roster.ranked[: parts.PAIRING_PLAYERS]
        ordered = has_order(ratings.table)
        made: list[tuple[str, str, Iterable[Part]]] = [
            ("leaderboard", "Leaderboard", leaderboard_parts(roster, self.top)),
            ("histories", "Histories", history_parts(roster, drawn, z)),
            ("compare", "Compare two", [pair] if pair else []),
            ("calibration", "Forecasts", parts.calibration_parts(test, level)),
            ("systems", "Systems compared", parts.comparison_parts(self.comparison)),
            ("upsets", "Biggest upsets", upset_parts(test)),
            ("streaks", "Best streaks", streak_parts(ratings.table) if ordered else []),
            ("pairs", "Head to head", parts.pair_parts(ratings, best)),
            ("distribution", "Distribution", parts.chart_parts(self._draw_distribution)),
            ("data", "The data", parts.data_parts(ratings, level)),
            ("method", "How it is done", parts.method_parts(ratings, self.notes, self.credit)),
        ]
        found = ((key, heading, list(content)) for key, heading, content in made)
        return [Section(*one) for one in found if one[2]]

    def _draw_distribution(self) -> Chart:
        """The distribution of the ratings; raises Undrawable for a handful of players."""
        if self.ratings.has_played().sum() < DISTRIBUTION_PLAYERS:
            raise Undrawable(
                f"rate {DISTRIBUTION_PLAYERS} players or more: fewer have no distribution",
                code="too_few_players",
            )
        return distribution(self.ratings)

    @property
    def headline(self) -> str:
        """The title and what was rated."""
        return f"{self.title}: {self.ratings.head()}"

    def to_columns(self) -> Columns:
        """See Tabular: the leaderboard of those listed."""
        return self.listing.board(self.ratings, self.top).columns

    def to_html(self) -> str:  # type: ignore[override]
        """Render one self-contained HTML page."""
        lead = self.ratings.head() + "."
        headline = find_headline(self.roster, self.forecasts)
        return render_document(
            self.title, lead, self.sections(), "To the leaderboard", headline, SCRIPTS
        )

    def _repr_html_(self) -> str:
        """Render the page in a frame, for notebooks."""
        return element("iframe", " ", srcdoc=self.to_html(), width="100%", height=600.0)


def report(
    ratings: Ratings,
    *,
    title: str = "Ratings",
    top: int = LEADERBOARD_ROWS,
    players: Sequence[str] | None = None,
    listing: Listing | None = None,
    forecasts: Backtest | None = None,
    comparison: Comparison | None = None,
    level: float = 0.95,
    credit: str = "",
    notes: Sequence[str] = (),
) -> Report:
    """Build a report of ratings.

    `players` get a history chart, the best players where None; raises UnknownPlayer for a
    name that is not in the table. `forecasts` are the system's own (`own_forecasts`), for
    calibration and upsets; `comparison` is a comparison of systems. The page leaves out what is
    missing. `credit` names source and licence of the data; `notes` are
    sentences for the section about the method. Intervals have probability `level`.
    """
    listing = listing or usual_listing(ratings)
    for name in players or ():
        ratings.index(name)
    unique = None if players is None else tuple(dict.fromkeys(players))
    remarks = (*ratings.notes, *notes)
    return Report(
        ratings, title, listing, top, unique, forecasts, comparison, level, credit, remarks
    )


# The page of a diagnosis: findings with charts and numbers, the most severe first.


PART_TITLES = {"warning": "Warnings", "notice": "Notices", "fine": "Fine"}


def render_diagnosis(found: Diagnosis, title: str) -> str:
    """Render the page as HTML."""
    sections = [Section("summary", "Summary", [_summary(found)])]
    for severity in reversed(SEVERITIES):
        selected = [one for one in found if one.severity == severity]
        if selected:
            parts = [part for one in selected for part in _finding_parts(one)]
            sections.append(Section(severity, f"{PART_TITLES[severity]} ({len(selected)})", parts))
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
