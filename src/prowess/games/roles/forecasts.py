"""Columns of facts: categories of a game, and forecasts from elsewhere, as chances or odds.

A forecast becomes two facts of a table: under its label the expected score of the first side, and,
where draws have a chance, under `LABEL draw` that chance. Both are nan where a cell is empty. The
chances behind odds o are 1/o; they add up to more than 1, by the overround, and are divided by
their sum (proportional normalisation; E. Strumbelj, "On determining probability forecasts from
betting odds", International Journal of Forecasting 30 (2014), section 2.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from prowess.games.arguments import check_mapping
from prowess.games.cells.validation import RowError, RowValidation
from prowess.games.errors import BadData, InvalidValue, quote
from prowess.games.games import CATEGORIES
from prowess.games.layout import (
    NONE,
    SIDE_ENDS,
    Columns,
    ForecastColumns,
    Kind,
    Layout,
    columns_of,
)
from prowess.games.roles.pairs import find_spare
from prowess.games.values import plain_form
from prowess.games.vocabulary import WORDS_IN_ORDER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.columns import Floats, Mask
    from prowess.games.roles.headings import Headings


CHANCE_ROUNDING = 1e-6  # chances may exceed their bounds by so much, through rounding
LEAST_PERCENT = 10.0  # mean chance of a column in percent; odds are less
ROUNDED_CHANCES = 0.02  # three chances may miss 1 by so much
UNDER, OVER = 0.8, 2.0  # the sums of 1 / odds that all outcomes of a game may have
WANTED = {
    "chance": {1: "one column", 2: "EXPECTED,DRAW", 3: "WIN,DRAW,LOSS"},
    "odds": {3: "WIN,DRAW,LOSS", 2: "WIN,LOSS"},
}  # columns by their number
LABEL_SEPARATORS = " _-.:/"


def forecasts_of(
    kind: Literal["chance", "odds"], given: Columns | Mapping[str, Columns] | None
) -> tuple[ForecastColumns, ...]:
    """The forecasts that an option names: a column, the columns of one, or several by label.

    Raises BadData for another number of columns than a forecast has.
    """
    option = "forecast" if kind == "chance" else "odds"
    if given is None or (isinstance(given, tuple) and not given):
        return ()
    if not isinstance(given, Mapping):
        columns = columns_of(option, given)
        given = {label_columns(kind, list(columns)) if columns else option: columns}
    known = check_mapping(option, given, '{"bookmaker": ("home", "draw", "away")}')
    found = []
    for label, chosen in known.items():
        columns = columns_of(option, chosen)
        if len(columns) not in WANTED[kind] or len({*columns}) < len(columns):
            raise BadData(
                f"{option}= names {', '.join(map(quote, columns)) or 'no column'}",
                remedy=f"name {' or '.join(WANTED[kind].values())}",
                code="not_that_many_columns",
            )
        found.append(ForecastColumns(label, kind, columns))
    return tuple(found)


def find_forecasts(headings: Headings, kind: Kind) -> tuple[ForecastColumns, ...]:
    """The forecasts that the caller names, with the columns as the table calls them."""
    if kind != "games":
        raise headings.bad(
            "forecasts are of games of two sides, and the rows are those of contests",
            "leave forecast= and odds= (--forecast, --odds) out",
            code="forecasts_of_contests",
        )
    return tuple(
        one._replace(columns=tuple(headings.column(name, one.option) for name in one.columns))
        for one in headings.options.forecasts
    )


def label_columns(kind: Literal["chance", "odds"], columns: Sequence[str]) -> str:
    """The name of a forecast after its columns: of B365H, B365D and B365A it is B365."""
    if len(columns) == 1:
        return columns[0]
    if len(columns) == 2 and kind == "chance":
        return columns[0]  # the second is its chance of a draw
    before = _common_start(columns).strip(LABEL_SEPARATORS)
    behind = _common_start([name[::-1] for name in columns])[::-1].strip(LABEL_SEPARATORS)
    return before or behind or ("odds" if kind == "odds" else ",".join(columns))


def _common_start(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)  # what these share, all share
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((at for at, (a, b) in pairs if a != b), min(len(first), len(last)))]


def parse_forecasts(rows: RowValidation, layout: Layout) -> dict[str, Floats]:
    """The numbers of the forecasts of some rows, with what is wrong noted in `rows`."""
    return {
        key: rows.parse(column, one.kind)
        for one in layout.forecasts
        for key, column in zip(one.keys, one.columns, strict=True)
    }


def settle_forecasts(
    columns: dict[str, NDArray[Any]], layout: Layout
) -> tuple[dict[int, RowError], list[str]]:
    """Turn the numbers of all rows into expected scores and chances of a draw, as columns.

    Returns the rows whose numbers contradict one another as faults, and notes on what was assumed.
    """
    faults: dict[int, RowError] = {}
    notes = []
    for one in layout.forecasts:
        numbers = np.stack([columns.pop(key) for key in one.keys], axis=1)
        known = np.asarray((numbers >= 0.0).all(axis=1), np.bool_)
        numbers = np.where(known[:, None], numbers, np.nan)
        settle = _settle_odds if one.kind == "odds" else _settle_chances
        found = settle(one, numbers)
        for row in np.flatnonzero(found.wrong & known).tolist():
            faults.setdefault(row, RowError(one.columns[0], found.refusal(row)))
        columns[f"forecast {one.label}"] = found.expected
        if found.draw is not None:
            columns[f"forecast {one.label} draw"] = found.draw
        empty = len(known) - int(known.sum())
        notes.append(
            f"forecast {quote(one.label)} of {layout.sides_in_words()}: {found.note}"
            + (f"; {empty:,} of {len(known):,} rows are empty" if empty else "")
        )
    return faults, notes


def pop_forecasts(columns: dict[str, NDArray[Any]], layout: Layout) -> dict[str, Floats]:
    """The forecasts as facts by label; `columns` give them up. Raises BadData for a name twice."""
    found = {}
    for one in layout.forecasts:
        for name in (one.label, f"{one.label} draw"):
            values = columns.pop(f"forecast {name}", None)
            if values is None:
                continue
            if name in columns or name in found or name in dict(layout.facts):
                raise BadData(
                    f"forecast {quote(one.label)} has the name of another column",
                    remedy='give it another: forecast={"LABEL": COLUMNS}',
                    code="label_is_a_column",
                )
            found[name] = values
    return found


class _Settled(NamedTuple):
    """The expected scores of a forecast, and which rows contradict themselves and why."""

    expected: Floats
    draw: Floats | None
    wrong: Mask
    refusal: Any  # of a row
    note: str


def _settle_odds(one: ForecastColumns, odds: Floats) -> _Settled:
    """Divide the chances 1 / odds of each game by their sum."""
    chances = 1.0 / odds
    total = chances.sum(axis=1)
    wrong = (total < UNDER) | (total > OVER)

    def refusal(row: int) -> InvalidValue:
        return InvalidValue(
            f"1 / odds add up to {total[row]:.2f}",
            "name the decimal odds of all outcomes of a game, of the draw too, or leave them empty",
            code="odds_add_up_wrong",
        )

    over = 100.0 * (total[~wrong & np.isfinite(total)] - 1.0)
    size = "none"
    if len(over):
        size = f"{over.mean():.1f} % on average, {over.min():.1f} to {over.max():.1f} %"
    outcomes = "win, draw and loss" if odds.shape[1] == 3 else "win and loss"
    note = f"decimal odds of {outcomes}; their overround ({size}) is removed proportionally"
    expected, draw = _of_outcomes(chances / total[:, None])
    return _Settled(expected, draw, wrong, refusal, note)


def _settle_chances(one: ForecastColumns, numbers: Floats) -> _Settled:
    """Divide percentages by 100, and check that chances fit together."""
    with np.errstate(invalid="ignore"):
        above = np.asarray((numbers > 1.0).any(axis=1), np.bool_)
    known = np.asarray(np.isfinite(numbers).all(axis=1), np.bool_)
    percent = bool(above.any())
    if percent and above.sum() < 0.5 * known.sum():
        return _Settled(
            numbers[:, 0], None, above,
            lambda row: InvalidValue(
                f"{numbers[row].max():g} is above 1, and most of the column is not",
                "write it from 0 to 1, or the whole column in percent", code="percent_and_shares",
            ),
            "",
        )  # fmt: skip
    if percent and numbers[known].max(axis=1).mean() < LEAST_PERCENT:
        raise BadData(
            f"the values of {quote(one.columns[0])} are {numbers[known].max(axis=1).mean():.2g} on "
            "average, too few for percent",
            remedy="name decimal odds with odds= (--odds)",
            code="not_percent",
        )
    chances = numbers / 100.0 if percent else numbers
    scale = "in percent" if percent else "from 0 to 1"
    count = numbers.shape[1]
    if count == 1:
        return _Settled(
            chances[:, 0], None, ~known, None, f"chance of a win, or expected score, {scale}"
        )
    if count == 2:
        return _settle_expected_and_draw(one, chances, known, scale)
    total = chances.sum(axis=1)
    wrong = np.abs(total - 1.0) > ROUNDED_CHANCES

    def refusal(row: int) -> InvalidValue:
        return InvalidValue(
            f"win, draw and loss add up to {total[row]:.4g}",
            "mend them so that they add up to 1, or leave them empty",
            code="chances_add_up_wrong",
        )

    expected, draw = _of_outcomes(chances / total[:, None])
    off = float(np.nanmax(np.abs(total - 1.0), initial=0.0))
    divided = f", divided by their sum (off by up to {off:.2g})" if off > CHANCE_ROUNDING else ""
    note = f"chances of win, draw and loss, {scale}{divided}"
    return _Settled(expected, draw, wrong, refusal, note)


def _settle_expected_and_draw(
    one: ForecastColumns, chances: Floats, known: Mask, scale: str
) -> _Settled:
    expected, draw = chances[:, 0], chances[:, 1]
    if known.sum() > 1 and bool((np.abs(expected + draw - 1.0)[known] < CHANCE_ROUNDING).all()):
        raise BadData(
            f"{' and '.join(map(quote, one.columns))} add up to 1 in every row: chances of win and "
            "loss, not expected score and chance of a draw",
            remedy=f"name the first alone: forecast={quote(one.columns[0])}",
            code="win_and_loss_not_draw",
        )
    wrong = draw > 2.0 * np.minimum(expected, 1.0 - expected) + CHANCE_ROUNDING

    def refusal(row: int) -> InvalidValue:
        return InvalidValue(
            f"a chance of a draw of {draw[row]:.4g} does not fit an expected score of "
            f"{expected[row]:.4g}",
            "name EXPECTED,DRAW (a draw counts half a win) or WIN,DRAW,LOSS, or mend the row",
            code="draw_does_not_fit",
        )

    return _Settled(expected, draw, wrong, refusal, f"expected score and chance of a draw, {scale}")


def _of_outcomes(chances: Floats) -> tuple[Floats, Floats | None]:
    """Expected score and chance of a draw from chances of win, draw and loss, or win and loss."""
    if chances.shape[1] == 2:
        return chances[:, 0], None
    return chances[:, 0] + 0.5 * chances[:, 1], chances[:, 1]


# Columns of facts: those that the caller names, and the categories of a game.
#
# A category tells kinds of games apart: the league of a game, the context in which players may be
# better or worse (a surface, a map, a time control), and its variant (best of three or of five).
# The reader keeps one column of each under these names. In tables of games it looks for a context
# and a variant; a league is a column that the caller names, as most tables forecast worse with a
# side advantage of each league than with one of all. Voters are looked for where facts ask for
# `voter?`.


HEADINGS = {  # of categories, the first the most certain
    "context": WORDS_IN_ORDER["context"], "variant": WORDS_IN_ORDER["variant"],
}  # fmt: skip
VOTER = "voter"
ASKED_VOTER = "voter?"  # a fact: the column of voters, if a heading says which it is
OF_VOTERS = tuple(
    f"{word}{end}" for word in WORDS_IN_ORDER["voter"] for end in ("", "id", "name", "hash")
)
MOST_VALUES = 1_000  # of a category that is guessed
LEAST_GAMES_A_VALUE = 10  # a value, on average; fewer tell games apart rather than kinds of games


def find_facts(headings: Headings, kind: Kind) -> dict[str, object]:
    """The columns of facts by name, which are kept as text and which guessed; and of forecasts."""
    options = headings.options
    found: dict[str, str] = {}
    text: set[str] = set()
    if not (options.facts == (NONE,) and NONE not in headings.names):
        for name in options.facts:
            if name == ASKED_VOTER:
                continue
            pair = [f"{name}{end}" for end in SIDE_ENDS]
            there = name not in headings.names and {*pair} <= {*headings.names}
            role = "season" if name == options.season else "facts"
            found |= {one: headings.column(one, role) for one in (pair if there else [name])}
        if prefix := options.fact_prefix:
            other = options.columns_with_role()
            text = {
                name
                for name in headings.names
                if name.startswith(prefix) and name != prefix and name not in other
            }
            found |= {name: name for name in headings.names if name in text}
    guess = kind == "games" and not options.fact_prefix and find_spare(headings)
    taken = {*map(plain_form, options.columns_with_role())} if guess else set()
    categories: dict[str, str | None] = {}
    for name in CATEGORIES:
        if name in options.roles:
            categories[name] = headings.named_column(name)
            if name in found and categories[name]:
                what = f"facts= names {quote(name)}, and so does {name}="
                raise headings.bad(what, "name it once", code="column_twice")
        elif guess and name not in found:
            words = (word for word in HEADINGS.get(name, ()) if word in headings.plain)
            categories[name] = next(
                (headings.plain[word] for word in words if word not in taken), None
            )
    kept = {name: column for name, column in categories.items() if column}
    return {
        "facts": (*found.items(), *kept.items()),
        "text_facts": frozenset({*text, *kept}),
        "guessed_facts": frozenset(kept.keys() - options.roles.keys()),
        "forecasts": find_forecasts(headings, kind) if options.forecasts else (),
    }


def keep_voters(headings: Headings, layout: Layout) -> Layout:
    """The layout with a column of voters, where a free heading names it."""
    if VOTER in dict(layout.facts):
        return layout
    taken = replace(layout, where={}, exclude={}).columns()  # a filter may look at voters, too
    found = find_voters(name for name in headings.names if name not in taken)
    if found is None:
        return layout
    facts, words = (*layout.facts, (VOTER, found)), layout.text_facts | {VOTER}
    return replace(layout, facts=facts, text_facts=words)


def find_voters(names: Iterable[str]) -> str | None:
    """The name that says most surely that a column holds who voted."""
    plain = {plain_form(name): name for name in names}
    return next((plain[word] for word in OF_VOTERS if word in plain), None)


def is_category(values: int, games: int) -> bool:
    """Whether a column of so many values in so many games tells kinds of games apart."""
    return 1 < values <= min(MOST_VALUES, games // LEAST_GAMES_A_VALUE)


def category_notes(layout: Layout, labels: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Notes on categories that the caller names and that tell nothing apart."""
    for name, column in layout.facts:
        if name in CATEGORIES and name in layout.text_facts and len(labels[name]) == 1:
            yield f"{name} = {column} has one value only and tells no games apart"
