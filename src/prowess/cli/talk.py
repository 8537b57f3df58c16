"""What is said on stderr while the answer goes to stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic

import click

SHOWN = 20  # rows left out that are named one by one
SILENCE = 1.0  # seconds of work before progress is shown


def say(text: str, quiet: bool = False) -> None:
    """One line on stderr."""
    if not quiet:
        click.echo(text, err=True)


class Omissions:
    """Counts the rows that --skip-bad leaves out and keeps the first of them."""

    def __init__(self, quiet: bool = False) -> None:
        self.count = 0
        self.quiet = quiet
        self.first: list[object] = []

    def __call__(self, problem: object) -> None:
        """Take note of one row."""
        self.count += 1
        if self.count <= SHOWN:
            self.first.append(problem)

    def name_rows(self) -> None:
        """Name the first of them, each with its reason."""
        for problem in self.first:
            say(f"left out: {problem}", self.quiet)

    def close(self) -> None:
        """Name the first of them, and say how many there are."""
        self.name_rows()
        if self.count:
            rows = "row was" if self.count == 1 else "rows were"
            say(f"{self.count:,} {rows} left out", self.quiet)


def progress() -> Callable[[int, int], None] | None:
    """A meter for stderr that appears when work takes long; None where nobody watches."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    began = monotonic()
    shown = False

    def meter(done: int, total: int) -> None:
        nonlocal shown
        if done >= total:
            if shown:
                click.echo("\r\x1b[K", nl=False, err=True)
        elif monotonic() - began > SILENCE:
            shown = True
            click.echo(f"\r{done:,} of {total:,} ({done / total:.0%})", nl=False, err=True)

    return meter
