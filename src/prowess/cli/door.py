"""`prowess`: the verbs, each loaded only when it is asked for."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

import click

from prowess import __version__

VERBS = (
    "rate",
    "forecast",
    "tournament",
    "performance",
    "assess",
    "history",
    "compare",
    "report",
    "plot",
    "site",
    "tune",
    "table",
    "pairings",
    "triangles",
    "diagnose",
    "systems",
    "simulate",
    "theory",
    "serve",
    "import",
    "check",
    "token",
    "backup",
    "restore",
    "demo",
    "doctor",
    "completion",
)

ROOM = "prowess.cli.verbs"
FILES = {"import": "importing"}  # a verb that cannot be the name of a module


class Door(click.Group):
    """A group that knows its verbs by name and imports one when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of the help text."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or None."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"{ROOM}.{FILES.get(cmd_name, cmd_name)}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in Click, but an unknown verb is met with the nearest known ones."""
        verb = args[0]
        if verb not in VERBS and not verb.startswith("-"):
            near = get_close_matches(verb, VERBS, n=2)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"no verb {verb!r}{hint} There are: {', '.join(VERBS)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Door,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: prowess demo",
)
@click.version_option(__version__, prog_name="prowess", message="%(prog)s %(version)s")
def door() -> None:
    """Turn game results into ratings."""
