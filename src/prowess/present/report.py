"""Pages in one file: the report of a rated table, a diagnosis, a benchmark.

from prowess.present.report import report

page = report(ratings, title="Our league")
page.to_html()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from prowess.engine.periods import has_order
from prowess.engine.tabular import Columns, Tabular
from prowess.engine.whole_table import two_sided_quantile
from prowess.games.reading import format_count, to_plural
from prowess.present import report_sections as parts
from prowess.present.document import (
    DocumentTable,
    Download,
    Figure,
    Heading,
    Headline,
    Paragraph,
    Part,
    Section,
    TableColumn,
    made_by,
    render_document,
    sentence,
)
from prowess.present.figures import distribution, name_system
from prowess.present.finding_charts import finding_chart
from prowess.present.highlights import (
    describe_streak,
    describe_upset,
    last_parts,
    streak_parts,
    upset_parts,
)
from prowess.present.judged import describe_lags, lag_table, settings_table, weigh_lags
from prowess.present.listing import Listing, Words, usual_listing
from prowess.present.methods import own_forecasts
from prowess.present.rendering import ago
from prowess.present.report_board import (
    PlayerList,
    car_parts,
    describe_span,
    history_parts,
    leaderboard_parts,
    versus_part,
)
from prowess.present.report_sections import find_headline
from prowess.present.svg import Undrawable, element, strip_controls

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.engine.text_table import Rows
    from prowess.games.games import Games
    from prowess.present.chart import Chart
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison
    from prowess.study.diagnosis.diagnose import Diagnosis, Finding


__all__ = ["Report", "own_forecasts", "report"]

LEADERBOARD_ROWS = 25
DISTRIBUTION_PLAYERS = 12
PANELS, PANELS_A_ROW = 12, 4  # histories where `players` is None
SCRIPTS = ("static/tables.js", "templates/report.js")


class Audience(NamedTuple):
    """Those for whom a report is written: their words, and what they read first, in order."""

    words: Words
    headings: frozenset[str]  # words of columns that tell of them
    suits: Callable[[Games], bool]  # a table that has none of these
    sections: tuple[str, ...]

    def is_told(self, table: Games) -> bool:
        """Whether headings of the table tell of them."""
        read = [name for one in table.reading.columns for name in (*one.columns, one.role)]
        names = " ".join((*read, *table.reading.unused)).casefold()
        return bool(self.headings.intersection(HEADING_WORD.findall(names)))


AUDIENCES = {  # those who are told by headings first, then the first that a table suits
    "races": Audience(
        Words("driver", "race"), frozenset({"driver", "drivers", "rider", "race", "constructor"}),
        lambda table: not table.pairwise,
        ("leaderboard", "cars", "last", "histories", "compare", "upsets"),
    ),
    "arena": Audience(
        Words("model", "vote"),
        frozenset({"model", "models", "vote", "votes", "voter", "worker", "annotator", "prompt"}),
        lambda _: False,
        ("leaderboard", "pairs", "compare"),
    ),
    "bots": Audience(
        Words("bot", "game"), frozenset({"bot", "bots", "engine", "program", "battle"}),
        lambda _: False,
        ("leaderboard", "pairs", "compare", "histories"),
    ),
    "league": Audience(
        Words("team", "match"), frozenset({"team", "teams", "goals"}),
        lambda table: table.side is not None and table.points_a is not None,
        ("leaderboard", "last", "histories", "upsets", "compare", "streaks"),
    ),
    "club": Audience(
        Words("player", "game"), frozenset(),
        lambda _: True,
        ("last", "leaderboard", "pairs", "next", "histories", "compare", "upsets"),
    ),
}  # fmt: skip
HEADING_WORD = re.compile(r"[^\W\d_]+")


def choose_audience(table: Games) -> str:
    """For whom a report of a table is, by the words of its headings, else by its games."""
    told = [name for name, one in AUDIENCES.items() if one.is_told(table)]
    suited = [name for name, one in AUDIENCES.items() if one.suits(table)]
    return (told or suited)[0]


class SectionKind(NamedTuple):
    """A section that reports may have; its title states what it shows, where that can be said."""

    heading: str
    parts: Callable[[Report], Iterable[Part]]
    title: Callable[[Report], str] = lambda _: ""
    gloss: Callable[[Report], str] = lambda _: ""


STATISTICS = (  # of those that an audience does not read first
    "histories", "compare", "pairs", "upsets", "streaks", "calibration", "systems", "distribution",
    "data", "method",
)  # fmt: skip
SECTIONS = {
    "leaderboard": SectionKind(
        "Table", lambda one: leaderboard_parts(one.roster, one.top)
    ),
    "last": SectionKind(
        "Last results", lambda one: last_parts(one.roster, one.forecasts),
        gloss=lambda one: ago(one.ratings.day),
    ),
    "cars": SectionKind(
        "", lambda one: car_parts(one.roster),
        lambda one: " and ".join(map(to_plural, one.roster.cars)).capitalize(),
    ),
    "next": SectionKind(
        "Next", lambda one: parts.next_parts(one.ratings, one.best, one.words),
        lambda one: f"{to_plural(one.words.game).capitalize()} worth playing next",
    ),
    "histories": SectionKind(
        "Histories",
        lambda one: history_parts(one.roster, one.players_drawn, two_sided_quantile(one.level)),
        lambda one: "" if one.players else describe_span(one.roster, len(one.players_drawn)),
    ),
    "compare": SectionKind("Compare two", lambda one: filter(None, [versus_part(one.roster)])),
    "pairs": SectionKind(
        "Head to head", lambda one: parts.pair_parts(one.ratings, one.best, one.words)
    ),
    "upsets": SectionKind(
        "Upsets", lambda one: upset_parts(one.forecasts, one.words),
        lambda one: describe_upset(one.forecasts),
    ),
    "streaks": SectionKind(
        "Streaks",
        lambda one: streak_parts(one.table, one.words) if has_order(one.table) else [],
        lambda one: describe_streak(one.table, one.words),
    ),
    "calibration": SectionKind(
        "Forecasts", lambda one: parts.calibration_parts(one.forecasts, one.level),
        lambda one: parts.describe_calibration(one.forecasts),
    ),
    "systems": SectionKind(
        "Systems compared", lambda one: parts.comparison_parts(one.comparison),
        lambda one: parts.describe_best(one.comparison),
    ),
    "distribution": SectionKind(
        "Distribution", lambda one: parts.chart_parts(one.draw_distribution)
    ),
    "data": SectionKind(
        "The data", lambda one: parts.data_parts(one.ratings, one.level, one.words)
    ),
    "method": SectionKind(
        "How it is done", lambda one: parts.method_parts(one.ratings, one.notes)
    ),
}  # fmt: skip


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
    audience: str

    @property
    def table(self) -> Games:
        """The games."""
        return self.ratings.table

    @property
    def words(self) -> Words:
        """What readers call players and games; plain words where nothing tells of other ones."""
        asked = AUDIENCES[self.audience]
        if self.table.pairwise or asked.is_told(self.table):
            return asked.words
        return Words(game=self.table.unit)

    @cached_property
    def roster(self) -> PlayerList:
        """The players of the page, their intervals and histories."""
        return PlayerList(self.ratings, self.listing, self.level, self.words)

    @property
    def best(self) -> list[str]:
        """The players of a table of all against all."""
        return self.roster.ranked[: parts.PAIRING_PLAYERS]

    @property
    def players_drawn(self) -> tuple[str, ...]:
        """The players whose histories are drawn: the best in full rows of pictures."""
        if self.players is not None:
            return self.players
        found = self.roster.ranked[:PANELS]
        return tuple(found[: len(found) // PANELS_A_ROW * PANELS_A_ROW or None])

    def sections(self) -> list[Section]:
        """The sections of the audience in reading order, then the statistics, folded.

        One without content is left out.
        """
        first = AUDIENCES[self.audience].sections
        keys = [*first, *(key for key in STATISTICS if key not in first)]
        made = (self._build_section(key, key not in first) for key in keys)
        return [one for one in made if one.parts]

    def _build_section(self, key: str, folded: bool) -> Section:
        """A section by its key; without parts where there is nothing to show."""
        kind = SECTIONS[key]
        found = list(kind.parts(self))
        title = kind.title(self) if found else ""
        return Section(key, kind.heading or title, found, title, kind.gloss(self), folded)

    def draw_distribution(self) -> Chart:
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
        counted = int(self.ratings.has_played().sum()), self.words.player
        lead = [format_count(len(self.table), self.words.game), format_count(*counted)]
        made = "Works without a connection"
        if self.table.time is not None and len(self.table):
            days = map(ago, (self.table.time[0], self.table.time[-1]))
            lead.append(" to ".join(dict.fromkeys(days)))
            made = f"Report of {ago(self.ratings.day)} · works without a connection"
        board = Download.of("leaderboard", self.listing.board(self.ratings))
        return render_document(
            self.title, ", ".join(lead), self.sections(), "To the content",
            find_headline(self.roster, self.forecasts), SCRIPTS, made=made,
            credit=self.credit, download=board,
        )  # fmt: skip

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
    audience: str | None = None,
) -> Report:
    """Build a report of ratings.

    `players` get a history chart, the best players where None; raises UnknownPlayer for a
    name that is not in the table. `forecasts` are the system's own (`own_forecasts`), for
    calibration and upsets; `comparison` is a comparison of systems. The page leaves out what is
    missing. `credit` names source and licence of the data; `notes` are
    sentences for the section about the method. Intervals have probability `level`. `audience` is
    one of `AUDIENCES`; None: that of the table.
    """
    listing = listing or usual_listing(ratings)
    for name in players or ():
        ratings.index(name)
    unique = None if players is None else tuple(dict.fromkeys(players))
    remarks = (*ratings.notes, *notes)
    return Report(
        ratings, title, listing, top, unique, forecasts, comparison, level, credit, remarks,
        audience or choose_audience(ratings.table),
    )  # fmt: skip


# The page of a diagnosis: findings with charts and numbers, the most severe first.


PART_TITLES = {"warning": "Warnings", "notice": "Notices", "fine": "Fine"}


def render_diagnosis(found: Diagnosis, title: str) -> str:
    """Render the page as HTML."""
    sections = [Section("summary", "Summary", [_summary(found)])]
    for severity, words in PART_TITLES.items():
        if selected := [one for one in found if one.severity == severity]:
            parts = [part for one in selected for part in _finding_parts(one)]
            sections.append(Section(severity, f"{words} ({len(selected)})", parts))
    sections.append(Section("method", "Method", list(_method_parts(found))))
    return render_document(title, found.head() + ".", sections, "To the findings")


def render_benchmark(found: Comparison, title: str) -> str:
    """Render a benchmark as a page: wins and losses in words, the scores, how they were made."""
    called = parts.SCORINGS | {one.test.name: name_system(one.test.name) for one in found}
    own, metric = (called.get(name or "", name) for name in (found.reference, found.metric))
    told = [sentence(text) for text in describe_lags(found, called)]
    won, level, lost = map(len, weigh_lags(found, found.metric))
    rivals = format_count(won + level + lost, "tuned system")
    headline = (
        f"Untuned, {own} forecasts better than {won or 'none'} of {rivals} and worse than "
        f"{lost or 'none'}"
        if won or lost
        else f"Untuned, {own} forecasts as well as {rivals}, as far as these games tell"
    )
    lags = _show_rows(f"Behind {own}, by score (a minus is ahead)", lag_table(found, called))
    chosen = [[name, text.replace(",", ", ")] for name, text in settings_table(found, called)]
    settings = _show_rows("What was found for each", chosen, "words")
    sections = [
        Section("summary", "Won and lost", [*told, lags]),
        Section("scores", "Scores", list(parts.comparison_parts(found))),
        Section("settings", "Settings", [settings, made_by("games and settings")]),
    ]
    judged = f"{format_count(found.count, 'forecast')} judged by {metric}."
    return render_document(title, judged, sections, "To the scores", Headline(headline))


def _show_rows(caption: str, rows: Rows, kind: str = "number") -> DocumentTable:
    """A printed table as one of a page: its first column names the rows, the others are `kind`."""
    head, *body = rows
    columns = [
        TableColumn(name, [row[k] for row in body], kind if k else "name", leads=k == 0)
        for k, name in enumerate(head)
    ]
    return DocumentTable(caption, columns)


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
    yield made_by("table and settings")


def _key(name: str) -> str:
    return name.replace(" ", "-")
