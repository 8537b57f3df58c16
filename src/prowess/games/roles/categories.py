"""Columns of facts: those that the caller names, and the categories of a game.

A category tells kinds of games apart: the league of a game, the context in which players may be
better or worse (a surface, a map, a time control), and its variant (best of three or of five). The
reader keeps one column of each under these names. In tables of games it looks for a context and a
variant; a league is a column that the caller names, as most tables forecast worse with a side
advantage of each league than with one of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from prowess.games.errors import quote
from prowess.games.games import CATEGORIES
from prowess.games.layout import NONE, Kind, Layout
from prowess.games.roles.forecasts import find_forecasts
from prowess.games.values import plain_form
from prowess.games.words import WORDS_IN_ORDER

if TYPE_CHECKING:
    from prowess.games.roles.headings import Headings

HEADINGS = {  # of categories, the first the most certain
    "context": WORDS_IN_ORDER["context"], "variant": WORDS_IN_ORDER["variant"],
}  # fmt: skip
MOST_VALUES = 1_000  # of a category that is guessed
LEAST_GAMES = 10  # a value, on average; fewer tell games apart rather than kinds of games


def find_facts(headings: Headings, kind: Kind) -> dict[str, object]:
    """The columns of facts by name, which are kept as text and which guessed; and of forecasts."""
    options = headings.options
    found: dict[str, str] = {}
    text: set[str] = set()
    if not (options.facts == (NONE,) and NONE not in headings.names):
        found = {name: headings.column(name, "facts") for name in options.facts}
        if prefix := options.fact_prefix:
            other = options.columns_with_role()
            text = {
                name
                for name in headings.names
                if name.startswith(prefix) and name != prefix and name not in other
            }
            found |= {name: name for name in headings.names if name in text}
    guess = kind == "games" and not options.fact_prefix
    categories: dict[str, str | None] = {}
    for name in CATEGORIES:
        if name in options.roles:
            categories[name] = headings.named_column(name)
            if name in found and categories[name]:
                what = f"facts= names {quote(name)}, and so does {name}="
                raise headings.bad(what, "name it once", code="column_twice")
        elif guess and name not in found:
            categories[name] = _guess_column(headings, HEADINGS.get(name, ()))
    kept = {name: column for name, column in categories.items() if column}
    return {
        "facts": (*found.items(), *kept.items()),
        "text_facts": frozenset({*text, *kept}),
        "guessed_facts": frozenset(kept.keys() - options.roles.keys()),
        "forecasts": find_forecasts(headings, kind),
    }


def _guess_column(headings: Headings, words: Sequence[str]) -> str | None:
    """The first column with one of these headings that the caller uses for nothing else."""
    plain = headings.plain
    if plain.keys().isdisjoint(words):
        return None
    other = {plain_form(name) for name in headings.options.columns_with_role()}
    return next((plain[word] for word in words if word in plain and word not in other), None)


def is_category(values: int, games: int) -> bool:
    """Whether a column of so many values in so many games tells kinds of games apart."""
    return 1 < values <= min(MOST_VALUES, games // LEAST_GAMES)


def category_notes(layout: Layout, labels: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Notes on categories that the caller names and that tell nothing apart."""
    for name, column in layout.facts:
        if name in CATEGORIES and name in layout.text_facts and len(labels[name]) == 1:
            yield f"{name} = {column} has one value only and tells no games apart"
