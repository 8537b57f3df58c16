"""`prowess`: the verbs, each loaded only when it is asked for."""

from __future__ import annotations

from collections import Counter
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
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing:
            refuse_repeated(command, verb, rest, ctx)
        return name, command, rest


def refuse_repeated(
    command: click.Command, name: str, args: list[str], parent: click.Context
) -> None:
    """Refuse an option that takes one value and is given twice: Click would take the last."""
    from prowess.cli.columns import with_values

    within = click.Context(command, parent, name, resilient_parsing=True)
    _, rest, order = command.make_parser(within).parse_args(with_values(args))
    for option, times in Counter(order).items():
        if times > 1 and isinstance(option, click.Option) and not (
            option.multiple or option.count or option.is_flag
        ):  # fmt: skip
            word = "twice" if times == 2 else f"{times} times"
            raise click.UsageError(f"give {option.opts[0]} once: it is given {word}", within)
    if isinstance(command, click.Group) and rest:
        below = command.get_command(within, rest[0])
        if below is not None:
            refuse_repeated(below, rest[0], rest[1:], within)


@click.group(
    cls=Door,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: prowess demo",
)
@click.version_option(__version__, prog_name="prowess", message="%(prog)s %(version)s")
def door() -> None:
    """Turn game results into ratings."""
