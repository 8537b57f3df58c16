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

import numpy as np

from prowess.engine.periods import has_order
from prowess.engine.tabular import Columns, Tabular
from prowess.engine.whole_table import two_sided_quantile
from prowess.games.games import Games
from prowess.games.reading import format_count, to_plural
from prowess.present.boards import WEEK_DAYS, find_leader
from prowess.present.chart import Chart
from prowess.present.document import (
    Crosstable,
    DocumentTable,
    Download,
    Facts,
    Figure,
    Formula,
    Heading,
    Headline,
    KeyFact,
    Paragraph,
    Part,
    Section,
    TableColumn,
    made_by,
    note,
    render_document,
    sentence,
)
from prowess.present.figures import (
    activity,
    behind_the_best,
    calibration_chart,
    distribution,
    name_period,
    name_system,
)
from prowess.present.finding_charts import finding_chart
from prowess.present.home import find_movers
from prowess.present.judged import describe_lags, lag_table, settings_table, weigh_lags
from prowess.present.layers import YEAR_DAYS
from prowess.present.listing import Listing, Words, usual_listing
from prowess.present.methods import method, own_forecasts
from prowess.present.pairs import build_square
from prowess.present.rendering import ago, percent, sign_change
from prowess.present.report_board import (
    PlayerList,
    car_parts,
    connection,
    describe_span,
    describe_streak,
    describe_upset,
    draws,
    history_parts,
    last_parts,
    leaderboard_parts,
    players_a_contest,
    sides,
    streak_parts,
    upset_parts,
    upsets,
    versus_part,
)
from prowess.present.svg import Undrawable, element, isolate_name, strip_controls
from prowess.study.compare import find_calibration
from prowess.study.lineups import explain_missing_pairs
from prowess.study.pairings import next_battles
from prowess.version import __version__

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.engine.text_table import Rows
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison
    from prowess.study.diagnosis.diagnose import Diagnosis, Finding
    from prowess.study.diagnosis.evidence import Estimate


__all__ = ["Report", "own_forecasts", "report"]

LEADERBOARD_ROWS = 25
DISTRIBUTION_PLAYERS = 12
PANELS, PANELS_A_ROW = 12, 4  # histories where `players` is None
SCRIPTS = ("static/tables.js", "static/charts.js", "templates/report.js")


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
        "Next", lambda one: next_parts(one.ratings, one.best, one.words),
        lambda one: f"{to_plural(one.words.game).capitalize()} worth playing next",
    ),
    "histories": SectionKind(
        "Histories",
        lambda one: history_parts(one.roster, one.players_drawn, two_sided_quantile(one.level)),
        lambda one: "" if one.players else describe_span(one.roster, len(one.players_drawn)),
    ),
    "compare": SectionKind("Compare two", lambda one: filter(None, [versus_part(one.roster)])),
    "pairs": SectionKind(
        "Head to head", lambda one: pair_parts(one.ratings, one.best, one.words)
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
        "Forecasts", lambda one: calibration_parts(one.forecasts, one.level),
        lambda one: describe_calibration(one.forecasts),
    ),
    "systems": SectionKind(
        "Systems compared", lambda one: comparison_parts(one.comparison),
        lambda one: describe_best(one.comparison),
    ),
    "distribution": SectionKind(
        "Distribution", lambda one: chart_parts(one.draw_distribution)
    ),
    "data": SectionKind(
        "The data", lambda one: data_parts(one.ratings, one.level, one.words)
    ),
    "method": SectionKind(
        "How it is done", lambda one: method_parts(one.ratings, one.notes)
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
        return self.roster.ranked[:PAIRING_PLAYERS]

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
            raise Undrawable.of("too_few_players.distribution", least=DISTRIBUTION_PLAYERS)
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


# The sections of a report as plain values, and the finding above them: who leads and how surely,
# who rose and fell most, what surprised.


NUMBER_LETTERS = 12  # of a value that may stand in a column of numbers
NOTE_LETTERS = 100  # of a line about the reading of the table
PAIRING_PLAYERS = 12  # of the pairing table
NEXT_LISTED = 6  # worth playing
MANY_GAMES = 100  # of a pair, from which its score is written in percent
SCORINGS = {
    "log_loss": "log loss",
    "brier": "Brier score",
    "accuracy": "accuracy",
    "log_loss_3": "log loss with draws",
    "ranked_probability": "ranked probability",
    "concordance": "concordance",
    "log_loss_pairs": "log loss of pairs",
    "log_loss_winner": "log loss of the winner",
    "log_loss_order": "log loss of the order",
}
MEANING = {
    "log_loss": "the mean surprise of a result, the smaller the better, 0.6931 for a forecast of "
    "50% every time; ",
    "brier": "the mean squared distance of forecast and score, the smaller the better; ",
    "accuracy": "the share of decided games won by the favourite, the larger the better; ",
}
GLOSSARY = {
    "Rating": "The number a system gives a player for all results so far; the higher the better.",
    "Score": "1 for a win, 1/2 for a draw, 0 for a loss; in contests the share beaten.",
    "Expected score": "The forecast of a score: the chance of a win and half that of a draw.",
    "Deviation": "The standard deviation of a rating: how far off it may be. It shrinks with games "
    "and grows with time, in systems that know it.",
    "Interval": "Where a number would lie with the probability given, if the model were right.",
    "Upset": "A win of a player whose expected score was small.",
}
BEST_PLAYERS = 30  # among whom those who rose and fell most are sought


def chart_parts(make: Callable[[], Chart]) -> Iterator[Part]:
    """A chart, or nothing where there is nothing to draw."""
    try:
        yield Figure(make())
    except Undrawable:
        return


def data_parts(ratings: Ratings, level: float, words: Words) -> Iterator[Part]:
    """Counts, dates, draws, side advantage, connectivity and activity of a table."""
    table, players = ratings.table, to_plural(words.player).capitalize()
    what = to_plural(words.game).capitalize()
    facts = [(what, f"{len(table):,}"), (players, f"{int(ratings.has_played().sum()):,}")]
    if table.time is not None and len(table):
        facts += [
            (f"First {words.game}", ago(table.time[0])),
            (f"Last {words.game}", ago(table.time[-1])),
        ]
    games = ratings.game_counts[ratings.has_played()]
    if len(games):
        facts.append((f"{what} of a {words.player}", f"{np.median(games):,.0f} (median)"))
    remarks: list[str] = []
    if not table.duels:
        facts.append((f"{players} of a {words.game}", f"{players_a_contest(table):.1f} (mean)"))
    if table.pairwise and len(table):
        facts.append(("Drawn", percent(draws(table))))
        facts += _side_facts(table, level, remarks)
    facts.append(("Connection", _connection_text(table, remarks, words)))
    yield Facts(facts)
    if remarks:
        yield note(" ".join(remarks))
    yield from chart_parts(lambda: activity(table))


def _side_facts(table: Games, level: float, remarks: list[str]) -> Iterator[tuple[str, str]]:
    """The size of the side advantage; adds its method to the remarks."""
    worth = sides(table)
    if worth is None:
        remarks.append("The table has no side advantages (home, White).")
        return
    yield "Score at home", _format_mean(worth.games, level)
    remarks.append(
        f"Score at home (or with White): the mean score of the side that had the "
        f"advantage in {format_count(worth.games.parts, 'game')}, with its {level:.0%} interval."
    )
    if worth.pairs is not None:
        yield "The same, pair by pair", _format_mean(worth.pairs, level)
        remarks.append(
            f"Pair by pair: over {format_count(worth.pairs.parts, 'pair')} of players who each had "
            "the advantage against the other, the mean of both ways round, so that it "
            "does not matter who is stronger; 50% would be no advantage."
        )


def _format_mean(one: Estimate, level: float) -> str:
    if one.parts < 2:
        return f"{one.value:.1%}"
    low, high = one.interval(two_sided_quantile(level))
    return f"{one.value:.1%} ({low:.1%} to {high:.1%})"


def _connection_text(table: Games, remarks: list[str], words: Words) -> str:
    """A summary of the groups of connected players; adds the consequences to the remarks."""
    found = connection(table)
    if len(found.sizes) > 1:
        remarks.append(
            "Players of different groups never met, not even by way of others: how they compare "
            "rests on the system's assumptions alone."
        )
    if found.words:
        remarks.append(
            "Results alone cannot fix the rating of every player: " + "; ".join(found.words) + "."
        )
    if not found.sizes:
        return "no games"
    if len(found.sizes) == 1:
        return f"all {to_plural(words.player)}, by {to_plural(words.game)} with one another"
    largest = format_count(found.sizes[0], words.player)
    return f"{len(found.sizes)} groups that never met; the largest has {largest}"


def describe_calibration(test: Backtest | None) -> str:
    """Whether the forecasts were too sure, in words; empty where few are judged."""
    one = find_calibration(test)[0] if test is not None and test.count else None
    if one is None:
        return ""
    if abs(one.scale - 1.0) <= 2.0 * one.scale_deviation:
        return "The forecasts were as sure as they should be"
    return f"The forecasts were a little too {'sure' if one.scale < 1.0 else 'timid'}"


def describe_best(comparison: Comparison | None) -> str:
    """Which system forecast best, in words; empty without a comparison."""
    if comparison is None:
        return ""
    best, *others = comparison.entries
    if any(one.group == best.group for one in others):
        return f"{name_system(best.test.name)} forecast best, and others were as good"
    return f"{name_system(best.test.name)} forecast best"


def calibration_parts(test: Backtest | None, level: float) -> Iterator[Part]:
    """Calibration and scores of the forecasts of the system; no curve where few are judged."""
    if test is None or not test.count:
        return
    scored = ", ".join(
        f"{SCORINGS[name]} {value:.4f}" for name, value in test.scores.items() if name in SCORINGS
    )
    order = "" if test.table.time is not None else ", in the order of the file"
    judged = (
        f"Every {test.table.unit} was forecast before its result was known{order}, and the last "
        f"{format_count(test.count, 'forecast')} count; the first of a table, when all players are "
        "new, do not. "
    )
    if test.folds is not None:
        judged = (
            f"The table has no dates, so it was dealt into {test.folds.count} parts at random, and "
            f"each part was forecast from all others: {format_count(test.count, 'forecast')}. "
        )
    one, why = find_calibration(test, level=level)
    if one is None:
        yield note(f"{judged}There is no curve of calibration: {why}. Scores: {scored}.")
        return
    yield Figure(calibration_chart(one, level))
    scaling = "No scaling of the log odds would have improved them notably. "
    if abs(one.scale - 1.0) > 2.0 * one.scale_deviation:
        scaling = (
            f"Forecasts would have served best with their log odds multiplied by {one.scale:.3f} "
            f"(\N{PLUS-MINUS SIGN} {one.scale_deviation:.3f}): they were a little too "
            f"{'sure' if one.scale < 1.0 else 'timid'}. "
        )
    yield note(
        f"{judged}Seen from the favourite, so that every forecast is at least 50%. {scaling}"
        f"Scores: {scored}."
    )


def comparison_parts(comparison: Comparison | None) -> Iterator[Part]:
    """Scores of several systems on the same games."""
    if comparison is None:
        return
    entries = comparison.entries
    least = min(2, len(entries))  # a score of one system alone compares nothing
    names = [n for n in SCORINGS if sum(n in one.scores for one in entries) >= least]
    gaps = [None if one is comparison.origin else one.behind for one in entries]
    columns = [
        TableColumn("system", [name_system(one.test.name) for one in entries], "name", leads=True),
        TableColumn("group", [one.group for one in entries]),
        *(
            TableColumn(
                SCORINGS[name],
                [f"{one.scores[name]:.4f}" if name in one.scores else "" for one in entries],
                spare=name != comparison.metric,
            )
            for name in names
        ),
        TableColumn("behind", [f"{gap.mean:.5f}" if gap else "" for gap in gaps], spare=True),
        TableColumn(
            f"{comparison.level:.0%} interval",
            [f"{gap.low:.5f} to {gap.high:.5f}" if gap else "" for gap in gaps],
        ),
    ]
    yield Figure(behind_the_best(comparison), numbers=False)
    yield DocumentTable("Scores of the systems", columns)
    metric, unit = SCORINGS.get(comparison.metric, comparison.metric), entries[0].test.table.unit
    base = ""
    if any(one.test.name == "base_rate" for one in entries):
        base = "Base rate ignores players: it forecasts the mean score of those games. "
    known = f"earlier {unit}s only"
    if comparison.folds is not None:
        known = f"other {unit}s, each of {comparison.folds.count} parts from all others"
    settings = "Settings are the defaults unless the name gives others."
    origin = "the best"
    if comparison.reference:
        origin = name_system(comparison.reference)
        settings = f"All but {origin} are tuned on games before those that judge."
    reading = (
        f"All systems make the same {format_count(comparison.count, 'forecast')} from {known}, "
        f"and are judged by {metric}: {MEANING.get(comparison.metric, '')}behind "
        f"is the difference from {origin}, "
        f"with its {comparison.level:.0%} interval for other {unit}s of the same players. "
        f"Systems of one group are not significantly different. {base}"
        f"{settings}"
    )
    yield note(reading)
    own = [f"{name_system(one.test.name)}: {text}" for one in entries for text in one.test.notes]
    for text in (*comparison.notes, *own):
        yield note(f"Note: {text}.")


def pair_parts(ratings: Ratings, players: Sequence[str], words: Words) -> Iterator[Part]:
    """Points or scores of these players against one another; nothing unless games are of two."""
    if explain_missing_pairs(ratings.table) or len(players) < 2:
        return
    square = build_square(ratings, [ratings.index(name) for name in players])
    met = [cell["battles"] for row in square.cells for cell in row if cell]
    if not met:
        return
    points = max(met) < MANY_GAMES
    yield Crosstable(square, words.player.capitalize(), points)
    what, worth = "the score, in percent,", "wins count 100, draws 50"
    if points:
        what, worth = f"points and {to_plural(words.game)}", "a win is 1, a draw ½"
    yield note(
        f"A cell is {what} of the {words.player} of the row against the {words.player} of the "
        f"column, who is named by their number; {worth}. Blue is more than half, orange less, the "
        "stronger the farther from it; grey pairs never met."
    )


def next_parts(ratings: Ratings, players: Sequence[str], words: Words) -> Iterator[Part]:
    """Games worth playing next; nothing unless games are between two."""
    if explain_missing_pairs(ratings.table) or len(players) < 2:
        return
    among = [ratings.index(name) for name in players]
    found = next_battles(ratings, NEXT_LISTED, among=among)
    today = ratings.day or 0.0
    met = [None if one.days is None else today - one.days for one in found]
    yield DocumentTable(
        f"{to_plural(words.game).capitalize()} worth playing next",
        [
            TableColumn("First", [one.player for one in found], "name", leads=True),
            TableColumn("Second", [one.opponent for one in found], "name"),
            TableColumn("First is given", [percent(one.expected) for one in found]),
            TableColumn("Met", [f"{one.battles:g}" for one in found]),
            TableColumn("Last met", met, "day", spare=True),
        ],
        hidden=True,
    )


def method_parts(ratings: Ratings, notes: Sequence[str]) -> Iterator[Part]:
    """System, parameters, rating period, and glossary."""
    one = method(ratings, None)
    period = f" {name_period(one.period)}" if one.period else ""
    mode = (
        f"played through the table in order{period}"
        if one.game_by_game
        else "fitted to all games at once"
    )
    yield Paragraph(f"The ratings are those of {name_system(one.system)}, {mode}. {one.summary}")
    for text in notes:
        yield note(f"Note: {text}.")
    if one.settings:
        values = [row.value for row in one.settings]
        yield DocumentTable(
            "Parameters",
            [
                TableColumn("parameter", [row.name for row in one.settings], "words", leads=True),
                TableColumn(
                    "value", values, "words" if max(map(len, values)) > NUMBER_LETTERS else "number"
                ),
                TableColumn("unit", [row.unit for row in one.settings], "words"),
            ],
        )
    for heading, lines in one.parts:
        yield Heading(heading)
        yield Formula(heading, lines)
    yield Heading("Terms")
    yield Facts(list(GLOSSARY.items()), words=True)
    if read := ratings.table.reading.lines(NOTE_LETTERS):
        yield Heading("How the table was read")
        yield Formula("How the table was read", "\n".join(read))
    yield note(
        f"Made by Prowess {__version__}. All numbers come from the table and the settings "
        "named here; the same ones give the same page."
    )


def find_headline(players: PlayerList, test: Backtest | None) -> Headline:
    """The first sentence that the ratings bear out, a second one, and up to four key facts."""
    if not players.ranked:
        return Headline("")
    is_new = _is_new(players, players.ranked[0])
    lead = find_leader(players.ratings, players.listed, players.digits, is_new=is_new)
    return Headline(lead, " ".join(_more(players, test)), list(_key_facts(players, test)))


def _is_new(players: PlayerList, leader: str) -> bool:
    """Whether another of the best players had a higher rating a week before the end."""
    last = players.ratings.last
    if last is None or leader not in players.careers:
        return False
    since = float(np.nanmax(last)) - WEEK_DAYS
    now, then = {}, {}
    for name in players.ranked[:BEST_PLAYERS]:
        one = players.careers.get(name)
        if one is not None and one.time is not None and one.time[0] <= since:
            now[name] = float(one.rating[-1])
            then[name] = float(one.rating[int(np.searchsorted(one.time, since, "right"))])
    if leader not in then or max(now, key=now.__getitem__) != leader:
        return False
    return max(then, key=then.__getitem__) != leader


def _more(players: PlayerList, test: Backtest | None) -> Iterator[str]:
    """Who rose and fell most, and how often the favourite won."""
    if moved := _movers(players):
        (rose, _), (fell, _) = moved
        yield f"{isolate_name(rose)} rose most in a year, {isolate_name(fell)} fell most."
    if test is not None and test.count and "accuracy" in test.scores:
        decided = test.count - int((test.judged & (test.table.outcome == 0.5)).sum())
        few = test.table.pairwise and 0 < decided < 100
        base = decided if few else 100
        right = f"{round(base * test.scores['accuracy'])} {'of' if few else 'in'} {base}"
        yield f"The forecasts named the winner of {right} decided {to_plural(players.words.game)}."
    elif test is not None and test.count and np.isfinite(test.scores.get("concordance", np.nan)):
        right = f"{round(100 * test.scores['concordance'])} in 100"
        yield f"The forecasts put {right} pairs of rivals in the right order."


def _movers(players: PlayerList) -> tuple[tuple[str, float], tuple[str, float]] | None:
    """Of the best, who rose most and who fell most in a year; None where neither happened."""
    best = {n: players.changes[n] for n in players.ranked[:BEST_PLAYERS] if n in players.changes}
    moved = find_movers(best, 1, least=1e-9)
    return (moved[0], moved[1]) if len(moved) == 2 else None


def _key_facts(players: PlayerList, test: Backtest | None) -> Iterator[KeyFact]:
    """Leader, who rose and fell most, and the biggest surprise of the last year."""
    leader, *others = players.rows[: len(players.ranked)]
    text = f"{players.write(leader['rating'])} {players.reach(leader)}".rstrip()
    if others:
        gap = players.write(abs(leader["rating"] - others[0]["rating"]))
        text = f"{text}, {gap} ahead of {isolate_name(players.ranked[1])}"
    yield KeyFact("Leader", players.ranked[0], ("", ""), text)
    if moved := _movers(players):
        for title, (name, change), class_ in zip(
            ("Rose most", "Fell most"), moved, ("up", "down"), strict=True
        ):
            gloss = f"12 months, best {min(BEST_PLAYERS, len(players.ranked))}"
            text = sign_change(change, players.change_digits)
            yield KeyFact(title, name, (text, class_), gloss)
    last = players.ratings.last
    since = None if last is None else float(np.nanmax(last)) - YEAR_DAYS
    if test is not None and (found := upsets(test, 1, since)):
        (one,) = found
        beaten = f"beat {isolate_name(one.loser)}" if one.loser else "won"
        when = f", {ago(one.time)}" if one.time is not None else ""
        gloss = f"{beaten}, given {percent(one.expected)}{when}"
        yield KeyFact("Biggest surprise", one.winner, ("", ""), gloss)


# The page of a diagnosis: findings with charts and numbers, the most severe first.


PART_TITLES = {"warning": "Warnings", "notice": "Notices", "fine": "Fine"}


def render_diagnosis(found: Diagnosis, title: str) -> str:
    """Render the page as HTML."""
    sections = [Section("summary", "Summary", [_summary(found)])]
    for severity, words in PART_TITLES.items():
        if selected := [one for one in found if one.severity == severity]:
            parts = [part for one in selected for part in _finding_parts(one)]
            sections.append(Section(severity, f"{words} ({len(selected)})", parts))
    sections.append(Section("method", "Method", list(_check_parts(found))))
    return render_document(title, found.head() + ".", sections, "To the findings")


def render_benchmark(found: Comparison, title: str) -> str:
    """Render a benchmark as a page: wins and losses in words, the scores, how they were made."""
    called = SCORINGS | {one.test.name: name_system(one.test.name) for one in found}
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
        Section("scores", "Scores", list(comparison_parts(found))),
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


def _check_parts(found: Diagnosis) -> Iterator[Part]:
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
