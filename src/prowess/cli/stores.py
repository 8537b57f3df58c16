"""`--store`: which ladder's books a verb opens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

STORE = "ladder.db"


def store_option(function: F) -> F:
    """`--store`, or PROWESS_STORE in the environment."""
    return click.option(
        "--store",
        default=STORE,
        envvar="PROWESS_STORE",
        metavar="FILE|URL",
        show_default=True,
        help="The store: a file, or postgresql://user:password@host/database.",
    )(function)
