"""The options that say how often players play and how far apart they are, for noise and steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from prowess.cli.theory.chosen import chosen

if TYPE_CHECKING:
    from prowess.theory.noise import PlayerLife

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS = (
    click.option("--spread", type=float, default=324.0, show_default=True, metavar="POINTS",
                 help="The typical difference of two players."),
    click.option("--wp", "name", default="logistic", show_default=True, metavar="WP",
                 help="The win probability, as in `prowess theory wp`."),
    click.option("--scale", type=float, default=400.0, show_default=True, metavar="POINTS",
                 help="Points of the rating scale."),
    click.option("--difference", type=float, metavar="POINTS",
                 help="The difference of two who meet; without it the spread, 0 for equals."),
    click.option("--start-error", type=float, metavar="POINTS",
                 help="The error of a newcomer's rating, for `lifetime`; without it the spread."),
    click.option("--triangle", type=float, default=0.0, metavar="POINTS",
                 help="Noise of players who cannot be put in a line."),
)  # fmt: skip


def career_options(function: F) -> F:
    """All of them."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def career(options: dict[str, Any], games: float) -> PlayerLife:
    """The career that the options describe, for players of so many games."""
    from prowess.theory.noise import PlayerLife

    return PlayerLife(
        games,
        options["spread"],
        chosen(options["name"], options["scale"]),
        options["difference"],
        options["start_error"],
        options["triangle"],
    )


def described(options: dict[str, Any]) -> dict[str, Any]:
    """The options as plain data, under the names of the command line."""
    return {"wp" if name == "name" else name: value for name, value in options.items()}
