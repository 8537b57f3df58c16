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
from errno import EIO, ENOSPC
from pathlib import Path
from types import FrameType
from typing import NoReturn

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
        if asks_nothing(error):
            click.echo(error.ctx.get_help())  # type: ignore[union-attr]
            exit_quietly(error.exit_code)
        from prowess.cli.usage import describe_usage

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


def asks_nothing(error: click.UsageError) -> bool:
    """Whether an error is that of the bare command, without a verb."""
    root = error.ctx is not None and error.ctx.parent is None
    return root and error.message.startswith("Usage:")


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
