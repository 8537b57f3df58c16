"""Exit codes: every exception becomes a code and a message, never a traceback.

0  success         1  a check failed (doctor, ...)  2  wrong use of the command
3  bad data        4  the store is out of reach     70  a bug in Prowess
130  interrupted
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Sequence
from errno import EIO, ENOSPC
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

NO = 1
USAGE = 2
BAD_DATA = 3
NO_STORE = 4
BUG = 70
INTERRUPTED = 130
SERVER = {"sqlalchemy", "fastapi", "uvicorn", "jinja2"}  # packages of the extra `server`


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with the code that fits how it went."""
    try:
        from prowess.cli.commands import prowess

        result = prowess.main(arguments, prog_name="prowess", standalone_mode=False)
        code = result if isinstance(result, int) else 0
    except click.UsageError as error:
        context = error.ctx
        if context and context.parent is None and error.message.startswith("Usage:"):
            click.echo(context.get_help())  # of the command without a verb
            exit_quietly(error.exit_code)
        print_error(describe_usage(error, sys.argv[1:] if arguments is None else arguments))
        code = error.exit_code
    except click.ClickException as error:
        print_error(error.format_message())
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except Exception as error:  # everything else becomes a message here
        if os.environ.get("PROWESS_TRACEBACK"):
            raise
        code, message = classify_error(error)
        print_error(message)
    exit_quietly(code)


def exit_quietly(code: int) -> NoReturn:
    """Exit without an error for output that cannot be flushed (a closed pipe)."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            discard_output(stream.fileno())
    if "_duckdb" not in sys.modules:  # which tells of all objects that are left
        gc.freeze()  # the interpreter searches all objects for circles once more: 30 ms
    sys.exit(code)


def discard_output(descriptor: int) -> None:
    """Send everything still written there to the null device."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)


def print_error(message: str) -> None:
    """One message on stderr."""
    from prowess.cli.output import has_color, name_options

    mark = click.style("Error:", fg="red", bold=True) if has_color(sys.stderr) else "Error:"
    click.echo(f"{mark} {name_options(message)}", err=True)


def classify_error(error: Exception) -> tuple[int, str]:
    """The exit code and the message of an exception."""
    from prowess.compile.refusals import ProwessError
    from prowess.engine.periods import BadRounds
    from prowess.engine.streams.checkpoint import BadCheckpoint
    from prowess.engine.system import Unratable
    from prowess.games import BadData
    from prowess.live.errors import Refused, StoreError, WrongUse
    from prowess.verbs.saving import BadSave

    if isinstance(error, BadData) and error.file is not None:  # else it is about an option
        return BAD_DATA, "\n".join((str(error), *getattr(error, "__notes__", ())))
    if isinstance(error, BadCheckpoint | BadRounds | BadSave | Refused | Unratable):
        return BAD_DATA, str(error)
    if isinstance(error, StoreError) and not isinstance(error, WrongUse):
        return NO_STORE, str(error)
    if isinstance(error, ProwessError):
        return USAGE, str(error)
    if isinstance(error, ModuleNotFoundError) and error.name in SERVER:
        return USAGE, f"pip install 'prowess[server]': a live ladder needs {error.name}"
    if isinstance(error, ModuleNotFoundError) and "pip install" in str(error):
        return USAGE, str(error)
    if isinstance(error, MemoryError):
        return NO, f"not enough memory for this table {error}".rstrip()
    if isinstance(error, OSError) and error.errno in (ENOSPC, EIO):
        return NO, f"cannot write the answer: {error.strerror}"
    text = describe_user_error(error)
    if text:
        return USAGE, text
    return BUG, (
        f"this is a bug in Prowess, please report it: {type(error).__name__}: {error}\n"
        "(PROWESS_TRACEBACK=1 in the environment shows where)"
    )


def describe_user_error(error: Exception) -> str | None:
    """The place and message of an error in a user's own system file, None for others."""
    trace, place = error.__traceback__, None
    while trace is not None:
        frame: FrameType = trace.tb_frame
        if frame.f_globals.get("__name__", "").startswith("prowess_file_"):
            place = f"{Path(frame.f_code.co_filename).name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    place = place or _find_place_in_notes(error)
    if place:
        return f"{place}: {type(error).__name__}: {error}"
    return None


def _find_place_in_notes(error: Exception) -> str | None:
    """The last place in a user's own system file of a traceback that came with an error from
    another process.
    """
    own = {
        Path(str(module.__file__)).resolve()
        for name, module in sys.modules.items()
        if name.startswith("prowess_file_")
    }
    for note in reversed(getattr(error, "__notes__", [])):
        for file, line in reversed(re.findall(r'File "(.+)", line (\d+)', note)):
            if Path(file).resolve() in own:
                return f"{Path(file).name}, line {line}"
    return None


# Wrong use of the command, in a line or two: the remedy first, then what is wrong.


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
