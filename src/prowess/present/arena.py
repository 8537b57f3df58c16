"""The audit of votes as a page and as text: the answers first, then the numbers behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.tabular import ResultTable, Tabular, list_rows
from prowess.games.reading import format_count
from prowess.present.chart import Chart
from prowess.present.document import (
    DocumentTable,
    Download,
    Figure,
    Headline,
    KeyFact,
    Paragraph,
    Part,
    Section,
    TableChoice,
    TableColumn,
    made_by,
    note,
    render_document,
    sentence,
)
from prowess.present.figures import behind_the_best, calibration_chart, draw_intervals
from prowess.present.layers import Label
from prowess.present.site import player_file
from prowess.present.svg import isolate_name

if TYPE_CHECKING:
    from prowess.study.arena import Arena

DRAWN_ROWS = 40  # of a figure
UNFOLDED_ROWS = 25  # of a table, before the rest is unfolded
NAME_COLUMNS = ("player", "opponent", "rival", "first", "voter")
COLUMN_FORMATS = {
    "rating": ".0f", "bootstrap_low": ".0f", "bootstrap_high": ".0f", "share": ".1%",
    "low": ".0f", "high": ".0f", "rating_without": ".0f", "points": "+.1f",
    "agreement": ".1%", "theta": ".2f", "theta_low": ".2f", "theta_high": ".2f", "alone": ".2f",
    "side": "+.0f",
    "side_low": "+.0f", "side_high": "+.0f", "draws": ".1%", "p": ".2g", "adjusted": ".2g",
    "gap": ".1f", "further_votes": ",.0f", "z": ".2f", "change": "+.0f", "deviation": ".1f",
    "quasi_deviation": ".1f", "log_loss": ".4f", "log_loss_3": ".4f", "behind": ".4f",
    "behind_low": ".4f",
    "behind_high": ".4f", "slope": ".2f", "coefficient": ".4f", "votes": ",.0f",
    "chi_squared": ".1f", "share_1": ".0%",
    "share_2": ".0%", "share_3": ".0%",
}  # fmt: skip
MANY_VOTES = 1e6  # a million further votes are said as more than that
AUDIT_SCRIPTS = ("static/tables.js",)
BOARD_COLUMNS = (
    "rank", "player", "rating", "low", "high", "rank_low", "rank_high", "sure_rank_low",
    "sure_rank_high", "tier", "votes", "rank_without", "bootstrap_low", "bootstrap_high",
)  # fmt: skip
SPARE = ("low", "high", "votes", "tier", "theta_low", "theta_high", "side_low", "side_high", "p")
EFFECT_COLUMNS = ("covariate", "points", "low", "high", "p", "coefficient")
FORECAST_COLUMNS = (
    "system", "log_loss", "behind", "behind_low", "behind_high", "slope", "log_loss_3",
)  # fmt: skip
WORST_VOTERS = 5  # of a terminal
VOTER_COLUMNS = (
    "voter",
    "votes",
    "agreement",
    "theta",
    "alone",
    "side",
    "draws",
    "adjusted",
    "named",
)


def render_audit(found: Arena, title: str, tabs: Sequence[tuple[str, str]] = ()) -> str:
    """The page as one HTML file that loads nothing; `tabs` lead to the pages beside it."""
    sections = [
        Section(key, heading, parts, question)
        for key, heading, question, content in (
            ("board", "Board", "Who is best, and how sure?", board_parts(found)),
            ("first-place", "First place", "Is the first place solid?", fragility_parts(found)),
            ("covariates", "Effects", "What else decides?", effect_parts(found)),
            ("voters", "Voters", "Are the voters good?", voter_parts(found)),
            ("circles", "Circles", "Are there circles?", cycle_parts(found)),
            ("draws", "Draws", "What do draws do?", draw_parts(found)),
            ("needed", "Votes needed", "Which votes are still needed?", needed_parts(found)),
            ("categories", "Categories", "Does it differ by category?", category_parts(found)),
            ("forecasts", "Forecasts", "Does it forecast?", forecast_parts(found)),
            ("method", "Method", "How it is done", method_parts(found)),
        )
        if (parts := list(content))
    ]
    first, *more = found.findings
    headline = Headline(first.removesuffix("."), " ".join(more), key_facts(found))
    return render_document(
        title, f"{found.headline}.", sections, "To the board", headline, AUDIT_SCRIPTS, tabs
    )


def audit_files(
    found: Arena, categories: Mapping[str, Arena], title: str
) -> Iterator[tuple[str, bytes]]:
    """The page of all votes and that of each category, by their names; tabs lead to the others."""
    pages = {"All": ("index.html", found)}
    for k, (name, one) in enumerate(categories.items()):
        pages[name or "none"] = f"{player_file(k, name)}.html", one
    for name, (file, one) in pages.items():
        tabs = [(other, "" if other == name else place) for other, (place, _) in pages.items()]
        heading = title if one is found else f"{title}, {name}"
        yield file, render_audit(one, heading, tabs).encode()


def audit_parts(found: Arena) -> list[Any]:
    """The findings, the board and the other tables, for a terminal."""
    parts: list[Any] = [
        "\n".join(found.findings),
        choose_columns(found.board, BOARD_COLUMNS, UNFOLDED_ROWS),
    ]
    if len(found.effects):
        parts.append(("position and covariates", choose_columns(found.effects, EFFECT_COLUMNS)))
    if found.voters is not None:
        rows = choose_columns(found.voters, VOTER_COLUMNS, WORST_VOTERS)
        parts.append(("the voters who agree least", rows))
    if found.category_tests is not None:
        tests = found.category_tests
        parts.append(
            (f"ratings by {found.question.by}", choose_columns(tests, tuple(tests.columns)))
        )
    parts.append(("forecasts by folds of votes", choose_columns(found.forecasts, FORECAST_COLUMNS)))
    return parts


def choose_columns(
    table: Tabular, names: Sequence[str], most: int | None = None
) -> list[list[str]]:
    """The heading and the first rows of a result, numbers as the page has them."""
    columns = table.to_columns()
    shown = [name for name in names if name in columns]
    cells = ([format_cell(name, value) for value in columns[name][:most]] for name in shown)
    return [shown, *map(list, zip(*cells, strict=True))]


def key_facts(found: Arena) -> list[KeyFact]:
    """The first player, their ranks, what the first place hangs on, and the forecasts."""
    board, one = found.board, found.fragility
    low, high = int(board["sure_rank_low"][0]), int(board["sure_rank_high"][0])
    ranks = f"ranks {low} to {high}" if low < high else f"rank {low}"
    first = KeyFact("First", board["player"][0], ("", ""), f"{ranks}, all together")
    facts = [first]
    if one.votes is not None:
        share = f"{one.share:.2%} of all; then {one.rival} is first"
        facts.append(KeyFact("Hangs on", format_count(one.votes, "vote"), ("", ""), share))
    best = found.forecasts.entries[0]
    loss = f"log loss {best.scores['log_loss']:.4f}"
    facts.append(KeyFact("Best forecasts", best.test.name, ("", ""), loss))
    return facts


# -- sections --


def board_parts(found: Arena) -> Iterator[Part]:
    """The figure of ratings, and the board."""
    level, board = found.question.level, found.board
    yield Figure(
        draw_rows(
            "Ratings with intervals", board, "player", "rating", ("low", "high"), "points",
            f"{isolate_name(board['player'][0])} leads with {board['rating'][0]:.0f} points.",
        ),
        numbers=False,
    )  # fmt: skip
    yield show_table("The board", board, BOARD_COLUMNS, key="ratings", leads="player")
    yield Download.of("board", board)
    yield show_table("Pairs told apart", found.certainty, tuple(found.certainty.columns))
    yield note(
        f"Intervals of probability {level:.0%}. The ranks from rank low to rank high hold for each "
        "pair by itself, those from sure rank low to sure rank high for all pairs together (max-t: "
        "the joint distribution of all gaps). A tier ends before the first player who is told "
        "apart from its first one."
        + (" Rank without is the rank without covariates." if found.question.controls else "")
    )


def fragility_parts(found: Arena) -> Iterator[Part]:
    """How few votes the first place hangs on."""
    one = found.fragility
    if one.votes is None:
        yield Paragraph(f"No set of votes was found without which {one.first} is not first.")
        return
    yield Paragraph(
        f"Without {format_count(one.votes, 'vote')} of {found.votes:,} ({one.share:.2%}), the ones "
        f"with most influence, {one.rival} is first in place of {one.first}; a fit without them "
        "has confirmed it. There may be fewer: influence is a first approximation."
    )
    yield Download.of("votes-of-the-first-place", found.deciding)


def effect_parts(found: Arena) -> Iterator[Part]:
    """Position and covariates."""
    effects = found.effects
    if not len(effects):
        return
    yield Figure(
        draw_rows(
            "What position and covariates are worth", effects, "covariate", "points",
            ("low", "high"), "points", "Effects whose interval excludes 0 decide.", zero=True,
        ),
        numbers=False,
    )  # fmt: skip
    yield show_table("Position and covariates", effects, EFFECT_COLUMNS, leads="covariate")
    yield Download.of("covariates", effects)
    yield note(
        "Points by which one standard deviation of a covariate (or the first place, or a category) "
        "raises a side; coefficient: natural units for one unit of it."
    )


def voter_parts(found: Arena) -> Iterator[Part]:
    """The voters who agree least, and all of them."""
    voters = found.voters
    if voters is None:
        return
    yield Figure(
        draw_rows(
            "Voters who agree least with all others", voters, "voter", "theta",
            ("theta_low", "theta_high"), "theta", "At 1 a voter tells players apart as all do, "
            "at 0 they vote at random, below 0 against the others.", zero=True, most=20,
        ),
        numbers=False,
    )  # fmt: skip
    yield show_table(
        "Voters", voters, VOTER_COLUMNS, key="voter-table", leads="voter", finds="voter"
    )
    yield Download.of("voters", voters)
    _, named, without = voters.title.partition("; ")
    if named:
        yield sentence(without)
    if found.agreement is not None:
        yield Paragraph(
            f"Krippendorff's alpha, the agreement of votes on the same pair, is "
            f"{found.agreement:.3f}: 1 is agreement in everything, 0 what chance gives."
        )
    yield note(
        "agreement: share of decided votes for the higher rated; side: points that the voter adds "
        "to the first side. Ratings are those without the voter's votes. adjusted: the probability "
        "by permutation that a voter who is as good as the others agrees so little, for all voters "
        "together (Holm). theta is drawn towards 1, alone is theta by the voter's votes alone. A "
        "voter is named where adjusted is small and alone below 1/2."
    )


def cycle_parts(found: Arena) -> Iterator[Part]:
    """Circles, where there are more than chance makes."""
    if found.cycles is None or found.triangles is None:
        return
    yield Paragraph(
        f"{found.cycles.share:.1%} of the variation of results goes in circles that no rating "
        f"explains, more than chance makes (p = {found.cycles.likelihood:.2g})."
    )
    if len(found.triangles):
        yield show_table("The strongest circles", found.triangles, tuple(found.triangles.columns))


def draw_parts(found: Arena) -> Iterator[Part]:
    """The board under each treatment of draws."""
    if len(found.draws) < 2:
        return
    yield show_table("Treatments of draws", found.draws, tuple(found.draws.columns), leads="draws")
    yield Download.of("draws", found.draws)
    yield note(
        "Moved: players with another rank than on the board; log loss: of the expected score of "
        "all votes, by folds. Without draws, forecasts are surer than scores with draws can be."
    )


def needed_parts(found: Arena) -> Iterator[Part]:
    """Votes that tell neighbours apart."""
    shown = ("player", "opponent", "gap", "z", "votes", "further_votes", "sure_at_any_time")
    yield show_table("Neighbours of the board", found.needed, shown, key="pairs")
    yield Download.of("needed", found.needed)
    yield note(
        "Further votes: on this pair, so that the two are told apart with a probability of 80%, if "
        "the gap is as it is. Sure at any time: the gap is beyond a bound that holds however often "
        "one looks, so that voting on the pair may stop."
    )


def category_parts(found: Arena) -> Iterator[Part]:
    """Whether categories differ, and the first of each."""
    tests, boards = found.category_tests, found.categories
    if tests is None or boards is None:
        return
    yield show_table(
        "Tests of a difference from the whole", tests, tuple(tests.columns), leads="category"
    )
    shown = ("rank", "player", "rating", "change", "deviation", "differs")
    tables = []
    for name in tests["category"]:
        rows = [row for row in boards.rows() if row["category"] == name]
        one = ResultTable({column: [row[column] for row in rows] for column in shown})
        tables.append(show_table(f"Ratings of {name or 'none'}", one, shown, leads="player"))
    yield TableChoice(
        "category", found.question.by or "", [one or "none" for one in tests["category"]], tables
    )
    yield Download.of("categories", boards)
    yield note(f"{boards.title} votes, towards which they are drawn.")


def forecast_parts(found: Arena) -> Iterator[Part]:
    """Models by folds of votes and of voters, and the calibration of the board's own."""
    yield Figure(behind_the_best(found.forecasts))
    yield Download.of("forecasts", found.forecasts)
    yield note(f"By folds of votes: {found.forecasts.target}.")
    if found.forecasts_by_voter is not None:
        by_voter = behind_the_best(found.forecasts_by_voter)
        yield Figure(replace(by_voter, title=f"{by_voter.title}, by folds of voters"))
        yield Download.of("forecasts-by-voter", found.forecasts_by_voter)
        yield note(f"By folds of voters: {found.forecasts_by_voter.target}.")
    if found.calibration is not None:
        yield Figure(calibration_chart(found.calibration, found.question.level))
        points = ResultTable.of_rows(found.calibration.rows(), "Calibration")
        yield Download.of("calibration", points)


def method_parts(found: Arena) -> Iterator[Part]:
    """The model, the errors, and what a reader should know."""
    asked = found.question
    by = " and each ".join(asked.clusters) or asked.voter
    errors = f"errors by leaving out each {by}" if by else "errors of independent votes (sandwich)"
    yield Paragraph(
        "Ratings are those of a Bradley-Terry model with effects of position and covariates, 400 "
        f"points for odds of ten to one, 1500 on average; draws are halves; {errors}. "
        "All votes count alike, in whatever order: a report by a system that follows them one by "
        "one has other ratings, and leaves other ranks open."
    )
    yield from map(sentence, found.notes)
    yield made_by("votes and options")


# -- tables and figures --


def show_table(
    caption: str,
    table: Tabular,
    names: Sequence[str],
    *,
    key: str = "",
    leads: str = "",
    finds: str = "player",
) -> DocumentTable:
    """Columns of a result as a table of the page; one with a key can be searched and sorted."""
    columns = table.to_columns()
    shown = [name for name in names if name in columns]
    return DocumentTable(
        caption,
        [
            TableColumn(
                name.replace("_", " "),
                [format_cell(name, value) for value in columns[name]],
                kind_of(name, columns[name]),
                spare=name in SPARE,
                leads=name == (leads or shown[0]),
            )
            for name in shown
        ],
        key=key,
        first=UNFOLDED_ROWS if key else 0,
        finds=f"Find a {finds}",
    )


def kind_of(name: str, column: Sequence[Any]) -> str:
    """The kind of a column of the page."""
    if name in NAME_COLUMNS or name.startswith("player"):
        return "name"
    return "words" if len(column) and isinstance(column[0], str | bool | np.bool_) else "number"


def format_cell(name: str, value: Any) -> str:
    """A cell as the page shows it."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else ""
    if not isinstance(value, int | float | np.number):
        return "" if value is None else str(value)
    if not np.isfinite(value):
        return ""
    if name == "further_votes" and value > MANY_VOTES:
        return "over a million"
    return format(float(value), COLUMN_FORMATS[name]) if name in COLUMN_FORMATS else f"{value:g}"


def draw_rows(
    title: str,
    table: ResultTable,
    names: str,
    values: str,
    ends: tuple[str, str],
    unit: str,
    says: str,
    *,
    zero: bool = False,
    most: int = DRAWN_ROWS,
) -> Chart:
    """A dot for each of the first rows, with its interval."""
    count = min(most, len(table))
    columns = table.columns
    value, low, high = ([float(x) for x in columns[name][:count]] for name in (values, *ends))
    labels = tuple(Label(str(name)) for name in columns[names][:count])
    reach = list(zip(low, high, strict=True))
    panel = draw_intervals(unit, labels, value, reach, zero=zero)
    shown = {names: [label.text for label in labels], values: value, ends[0]: low, ends[1]: high}
    left_out = f" The first {count} of {len(table):,}." if count < len(table) else ""
    return Chart(title, f"{says}{left_out}", (panel,), list_rows(shown), "Bars: intervals.")
