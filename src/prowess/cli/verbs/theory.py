"""`prowess theory`: why rating systems behave as they do, in tables."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec

import click

WORDS = (
    "wp",
    "markov",
    "bounds",
    "check",
    "noise",
    "best_step",
    "population",
    "development",
    "tables",
)


def module_of(word: str) -> str:
    """The module that answers a word."""
    return f"prowess.cli.theory.{word.replace('-', '_')}"


class Shelf(click.Group):
    """A group whose words are files, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The words in the order of the help text."""
        return [word.replace("_", "-") for word in WORDS if find_spec(module_of(word))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a word, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(module_of(cmd_name)).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in Click, but an unknown word is met with the nearest known ones."""
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-"):
            near = get_close_matches(args[0], known, n=2)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"theory knows no {args[0]!r}{hint} There are: {', '.join(known)}")
        return super().resolve_command(ctx, args)


@click.group("theory", cls=Shelf, short_help="Why rating systems behave as they do, in tables.")
def command() -> None:
    """Tables from the theory of rating systems; every one of them takes --json."""
