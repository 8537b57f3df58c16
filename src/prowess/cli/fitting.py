"""Options for systems that look at the whole table at once: anchors and how sure they are."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, nan
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def probability(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """A number between 0 and 1, or percent written as such by mistake: refused."""
    if not 1e-6 <= value <= 1.0 - 1e-6:
        raise click.BadParameter(f"{value:g} is no probability between 0 and 1, such as 0.95")
    return value


def fitting_options(function: F) -> F:
    """The options, as keywords of the same names."""
    options = [
        click.option(
            "--anchor", "anchors", multiple=True, metavar="NAME=RATING", callback=known,
            help="A player whose rating is known and stays (whole-table systems).",
        ),
        click.option(
            "--level", type=float, default=0.95, show_default=True, callback=probability,
            help="Probability of the intervals (whole-table systems).",
        ),
        click.option(
            "--reference", metavar="NAME",
            help="How sure are differences from this player, or from the mean of all (mean)?",
        ),
        click.option(
            "--bootstrap", type=click.IntRange(min=2), metavar="N",
            help="Intervals from N resamplings of the results.",
        ),
        click.option(
            "--seed", type=click.IntRange(min=0), default=0, show_default=True,
            help="Of the resampling.",
        ),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def known(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, float]:
    """`NAME=RATING` pairs, or CSV files with the columns player and rating."""
    anchors: dict[str, float] = {}
    for text in values:
        name, sign, value = text.rpartition("=")
        if not sign and text.lower().endswith(".csv"):
            anchors |= listed(text)
            continue
        if not sign or not name:
            raise click.BadParameter(
                f"{text!r} is not NAME=RATING, nor a CSV file with player and rating"
            )
        if name.strip() in anchors:
            raise click.BadParameter(f"{name.strip()!r} is held at two ratings")
        anchors[name.strip()] = _number(value, text)
    return anchors


def listed(file: str) -> dict[str, float]:
    """The ratings of a CSV file with the columns player and rating; raises BadData."""
    from prowess.cli.starting import numbered
    from prowess.games import BadData

    rows = numbered(file)
    first, header = next(rows, (1, []))
    if not {"player", "rating"} <= set(header):
        what, remedy = "no columns player and rating", "write player,rating in the first line"
        raise BadData(what, file=file, line=first, remedy=remedy)
    anchors = {}
    for line, row in rows:
        if len(row) != len(header):
            what = f"{len(row)} values where the header has {len(header)}"
            raise BadData(what, file=file, line=line, remedy="mend the row")
        values = dict(zip(header, row, strict=True))
        try:
            rating = _number(values["rating"], values["rating"])
        except click.BadParameter as error:
            remedy = "give a number such as 1500"
            raise BadData(
                error.message, file=file, line=line, column="rating", remedy=remedy
            ) from None
        if values["player"].strip(" \t") in anchors:
            what, remedy = f'"{values["player"]}" stands here twice', "keep one row a player"
            raise BadData(what, file=file, line=line, column="player", remedy=remedy)
        anchors[values["player"].strip(" \t")] = rating
    return anchors


def _number(text: str, shown: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise click.BadParameter(f"{shown!r}: {text!r} is not a number")
    return number
