"""Options for several games between two: shared by `prowess forecast` and `prowess tournament`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from prowess.study.forecasting.knockout import SeriesFormat

F = TypeVar("F", bound=Callable[..., Any])


def series_options(function: F) -> F:
    """The options, as keywords of the same names."""
    options = [
        click.option(
            "--best-of", type=click.IntRange(1, 999), metavar="N",
            help="A series of at most N games, over when one has more than half of the points.",
        ),
        click.option(
            "--first-to", type=click.IntRange(1, 500), metavar="N",
            help="A series until one has N points.",
        ),
        click.option(
            "--order", metavar="LETTERS",
            help="Who has the side, game by game, over and over: a, b or n; ab is by turns.",
        ),
        click.option(
            "--replay-draws", is_flag=True,
            help="Drawn games of a series are played again; else they count half a point each.",
        ),
        click.option(
            "--draws", type=click.FloatRange(0.0, 0.999), metavar="SHARE",
            help="How often equals draw, where the system has no model of draws; else measured.",
        ),
        click.option(
            "--runs", type=click.IntRange(1, 1_000_000), default=10_000, show_default=True,
            metavar="N", help="Simulated tournaments, or draws of strengths.",
        ),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def course(
    best_of: int | None, first_to: int | None, order: str, replay_draws: bool
) -> SeriesFormat | None:
    """The series asked for; None where none is."""
    from prowess.study.forecasting import knockout

    if best_of is not None and first_to is not None:
        raise click.UsageError("--best-of and --first-to are two kinds of series: choose one")
    if best_of is not None:
        return knockout.best_of(best_of, replay_draws, order)
    if first_to is not None:
        return knockout.first_to(first_to, replay_draws, order)
    return None
