"""Where the answer goes: stdout, or a file whose suffix says in which form."""

from __future__ import annotations

import sys
from collections.abc import Callable
from errno import EPIPE
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from prowess.engine.leaderboard import Leaderboard

F = TypeVar("F", bound=Callable[..., Any])

FORMS = (".json", ".csv", ".parquet")


def json_option(function: F) -> F:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(function)


def csv_option(function: F) -> F:
    """`--csv`."""
    return click.option("--csv", "as_csv", is_flag=True, help="Print CSV at full precision.")(
        function
    )


def put(text: str) -> None:
    """A text and a newline on stdout; a reader that has gone away ends the run quietly."""
    if sys.stdout is None:
        return
    if not text.endswith("\n"):
        text += "\n"
    try:
        sys.stdout.buffer.write(text.encode(errors="surrogateescape"))
        sys.stdout.buffer.flush()
    except OSError as error:
        if error.errno == EPIPE:
            raise click.exceptions.Exit(0) from None
        raise click.ClickException(f"cannot write the answer: {error.strerror}") from None


def json_text(data: Any) -> str:
    """Strictly valid JSON, floats at full precision."""
    import json

    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def form_of(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Check that the suffix of an output file is known, before any work is done."""
    if value is not None and Path(value).suffix.lower() not in FORMS:
        raise click.BadParameter(f"{value}: the suffix says the form: {', '.join(FORMS)}")
    return value


def saved(file: str, board: Leaderboard, summary: Callable[[], dict[str, Any]]) -> None:
    """Write a leaderboard in the form that the suffix of the file says."""
    path = Path(file)
    form = path.suffix.lower()
    try:
        if form == ".parquet":
            try:
                import pyarrow.parquet as pq
            except ModuleNotFoundError:
                raise click.UsageError(
                    "Parquet files need pyarrow: pip install 'prowess[files]'"
                ) from None
            pq.write_table(board.to_arrow(), path)
        else:
            text = board.to_csv() if form == ".csv" else json_text(summary()) + "\n"
            path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror or error}") from None
