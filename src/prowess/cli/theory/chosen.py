"""Which win probability is meant: a curve, a ready game, a file of a game, a function of a file."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from prowess.theory.markov import MarkovGame
    from prowess.theory.wp import WinProbability

F = TypeVar("F", bound=Callable[..., Any])

GAME_FILES = {".toml", ".json"}


def scale_option(function: F) -> F:
    """`--scale`."""
    return click.option(
        "--scale",
        type=float,
        metavar="POINTS",
        help="Differences in points of such a scale (chess: 400); natural units without it.",
    )(function)


def at_option(default: str) -> Callable[[F], F]:
    """`--at`."""
    return click.option(
        "--at",
        default=None,
        metavar="X,X,...",
        callback=differences,
        help=f"Rating differences, with commas; without it {default}.",
    )


def differences(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[float] | None:
    """Numbers with commas between them."""
    if value is None:
        return None
    try:
        numbers = [float(text) for text in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r}: numbers with commas between, as in 0,100") from None
    if not all(map(isfinite, numbers)):
        raise click.BadParameter(f"{value!r}: only finite numbers are differences")
    return numbers


def chosen(text: str, scale: float | None) -> WinProbability:
    """The win probability that a text names; the user's mistakes end with 2 or 3."""
    from prowess.engine.numeric import LN10
    from prowess.engine.win_probability import CURVES, steepness
    from prowess.theory.markov_models import MODELS
    from prowess.theory.wp import curve_number, find_curve, wrap_function

    if scale is not None and not 0.0 < scale < float("inf"):
        raise click.UsageError(f"--scale {scale:g} is not above 0")
    place, _, name = text.rpartition(":")
    if place.endswith(".py"):
        function = of_file(place, name)
        return wrap_function(function, name, 1.0 if scale is None else scale / LN10)
    if text in MODELS or Path(text).suffix.lower() in GAME_FILES:
        return game(text).win_probability(1.0 if scale is None else LN10 / scale)
    if text not in CURVES:
        raise click.UsageError(
            f"no win probability {text!r}. Curves: {', '.join(CURVES)}; games: "
            f"{', '.join(MODELS)}; or FILE.toml of a game, or FILE.py:FUNCTION of x"
        )
    return find_curve(text, 1.0 if scale is None else steepness(curve_number(text), scale))


def game(text: str) -> MarkovGame:
    """A ready game or the game of a file."""
    from prowess.theory.markov_models import MODELS, read_game

    if Path(text).suffix.lower() in GAME_FILES:
        return read_game(text)
    if text.replace("-", "_") not in MODELS:
        raise click.UsageError(
            f"no game {text!r}. There are: {', '.join(MODELS)}; or FILE.toml, FILE.json"
        )
    return MODELS[text.replace("-", "_")]()


def of_file(place: str, name: str) -> Callable[[float], float]:
    """A function of a user's own file."""
    from importlib.util import module_from_spec, spec_from_file_location

    file = Path(place)
    if not file.is_file():
        raise click.UsageError(f"{place}: no such file")
    # the name tells the door that errors in there are the user's
    spec = spec_from_file_location(f"prowess_file_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise click.UsageError(f"{place}: not a Python file")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise click.UsageError(f"{place}: {type(error).__name__}: {error}") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise click.UsageError(f"{place} has no function {name}")
    found: Callable[[float], float] = function
    return found


def shown(value: float) -> str:
    """A number of a table, nine digits that count."""
    return f"{value:.9g}"
