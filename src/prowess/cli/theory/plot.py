"""`--plot FILE`: what a word of `prowess theory` prints, also as a figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from prowess.cli.verbs.plot import image_name

if TYPE_CHECKING:
    from prowess.present.chart import Chart

F = TypeVar("F", bound=Callable[..., Any])


def plot_option(function: F) -> F:
    """`--plot`."""
    return click.option(
        "--plot",
        metavar="FILE",
        type=click.Path(),
        callback=image_name,
        help="Also draw it: .svg or .png.",
    )(function)


def save(file: str, figure: Chart) -> None:
    """Draw a figure into a file and say on stderr what it shows."""
    from pathlib import Path

    from prowess.cli.table import safe
    from prowess.cli.talk import say
    from prowess.cli.verbs.report import written
    from prowess.present.svg import Undrawable

    try:
        png = Path(file).suffix.lower() == ".png"
        written(file, figure.to_png() if png else figure.to_svg().encode())
    except Undrawable as error:
        raise click.UsageError(str(error)) from None
    say(f"{file}: {safe(figure.title)}. {safe(figure.description)}")
