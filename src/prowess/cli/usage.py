"""Wrong use of the command, in a line or two: the remedy first, then what is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click


def describe_usage(error: click.UsageError, arguments: Sequence[str]) -> str:
    """The message of an error in the use of the command; `arguments` are those of the run."""
    path = "prowess" if error.ctx is None else error.ctx.command_path
    if isinstance(error, click.NoSuchOption):
        return f"{suggest_option(error, arguments)} {path} has no option {error.option_name}"
    if isinstance(error, click.MissingParameter) and error.ctx and error.param is not None:
        pieces = error.ctx.command.collect_usage_pieces(error.ctx)[1:]  # but [OPTIONS]
        if isinstance(error.param, click.Option):
            pieces += [error.param.opts[0], error.param.make_metavar(error.ctx)]
        return f"write {path} {' '.join(pieces)}\n{path} --help shows more"
    if error.ctx and isinstance(error.ctx.command, click.Group) and error.message[:6] == "Usage:":
        verbs = ", ".join(error.ctx.command.list_commands(error.ctx))
        return f"name one of {verbs}: {path} --help describes them"
    if isinstance(error, click.BadParameter) and error.param is not None:
        return describe_value(error.message, error.param)
    if isinstance(error, click.BadOptionUsage):
        if error.message.endswith("requires an argument."):
            return f"give {error.option_name} a value: it stands without one"
        return f"give {error.option_name} what it takes: {error.message}"
    return error.format_message()


def suggest_option(error: click.NoSuchOption, arguments: Sequence[str]) -> str:
    """What to write in place of an option that does not exist."""
    name = error.option_name.lstrip("-").replace("-", "_")
    known = {option for one in error.ctx.command.params for option in one.opts} if error.ctx else {}
    if "--set" in known or "--systems" in known:
        from prowess.systems.catalogue import catalogue

        systems = catalogue()
        value = find_value(error.option_name, arguments)
        if any(name in system.params._fields for system in systems.values()):
            if "--set" in known:
                return f"write --set {name}={value}, a parameter of the system:"
            return f"write --systems SYSTEM:{name}={value}, a parameter of a system:"
        if name in systems:
            return f"write --system{'' if '--system' in known else 's'} {name}:"
    if name in ("memory", "resume", "in_memory"):
        return "leave it out (prowess rate takes files larger than memory):"
    if error.possibilities:
        return f"did you mean {' or '.join(error.possibilities)}?"
    path = "prowess" if error.ctx is None else error.ctx.command_path
    return f"{path} --help lists the options:"


def find_value(option: str, arguments: Sequence[str]) -> str:
    """What stands after an option in the arguments; VALUE where nothing does."""
    for place, one in enumerate(arguments):
        if one.startswith(f"{option}="):
            return one.partition("=")[2]
        if one == option and place + 1 < len(arguments):
            return arguments[place + 1]
    return "VALUE"


def describe_value(message: str, parameter: click.Parameter) -> str:
    """A wrong value of an option: what it takes, and what came instead."""
    name = next((one for one in parameter.opts if one.startswith("--")), "")
    wanted = describe_kind(parameter.type)
    value = re.match(r"(.+?) is not (?:a valid|in the range|one of)", message)
    if wanted is None or value is None:
        return f"{name}: {message}" if name else message
    return " ".join(filter(None, ("give", name, f"{wanted}, not {value[1]}")))


def describe_kind(kind: Any) -> str | None:
    """What an option of numbers or words takes; None for other kinds."""
    if isinstance(kind, click.Choice):
        return f"one of {', '.join(map(str, kind.choices))}"
    if isinstance(kind, click.IntRange | click.FloatRange):
        number = "a whole number" if isinstance(kind, click.IntRange) else "a number"
        least = "" if kind.min is None else f"above {kind.min:g}"
        if kind.min is not None and not kind.min_open:
            least = f"from {kind.min:g}" if kind.max is not None else f"of {kind.min:g} or more"
        most = "" if kind.max is None else f"{'below' if kind.max_open else 'to'} {kind.max:g}"
        return " ".join(filter(None, (number, least, most)))
    if kind is click.INT or kind is click.FLOAT:
        return "a whole number" if kind is click.INT else "a number"
    return None
