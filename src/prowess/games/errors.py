"""Errors and warnings about tables: what is wrong, where, and the remedy."""

from __future__ import annotations

from typing import Any

SKIP = "skip bad rows with skip_bad=True (--skip-bad)"
IN_MEMORY = "read the table in memory with read_games (--in-memory)"
NO_GAME = "no row is a game that was played"
MEND = f"correct the row, or {SKIP}"


class BadData(ValueError):
    """Results that cannot be read: file, line (or row), column, what is wrong, and a remedy.

    `line` counts from 1 as an editor does; `row` counts the rows of a table that has no lines.
    `cell` is what stands there, where that alone makes the row bad.
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | None = None,
        line: int | None = None,
        row: int | None = None,
        column: str | None = None,
        remedy: str | None = None,
        cell: Any = None,
    ) -> None:
        self.what, self.remedy, self.cell = what, remedy, cell
        self.file, self.line, self.row, self.column = file, line, row, column
        super().__init__(what)

    def reword(self, what: str, remedy: str | None) -> BadData:
        """Another error about the same place."""
        place = {"file": self.file, "line": self.line, "row": self.row, "column": self.column}
        return BadData(what, remedy=remedy, **place)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """One line: `the remedy: what is wrong (results.csv, line 17, column "result")`."""
        place = [self.file] if self.file else []
        if self.line is not None:
            place.append(f"line {self.line}")
        elif self.row is not None:
            place.append(f"row {self.row}")
        if self.column is not None:
            place.append(f"column {quote(self.column)}")
        mark = " " if self.remedy and self.remedy.endswith("?") else ": "
        message = f"{self.remedy}{mark}{self.what}" if self.remedy else self.what
        return escape_unprintable(f"{message} ({', '.join(place)})" if place else message)


class MissingFile(BadData):
    """A file that is not there; the remedy, if any, names a file of nearly that name."""

    def __init__(self, file: str, remedy: str | None = None) -> None:
        super().__init__("there is no such file", file=file, remedy=remedy)

    def __str__(self) -> str:
        """The fact first: `There is no file result.csv here. Did you mean results.csv?`"""
        name = self.file or ""
        here = "" if "/" in name or "\\" in name else " here"
        remedy = f" {self.remedy[:1].upper()}{self.remedy[1:]}" if self.remedy else ""
        return escape_unprintable(f"There is no file {name}{here}.{remedy}")


class DataWarning(UserWarning):
    """Results that can be read hold what is probably not meant so, as names that look alike."""


class Suspicion(str):
    """A note about what is probably not meant so; other notes say what was guessed or left out.

    `brief` says it in a few words; `warns` is false for a guess that needs no DataWarning.
    """

    __slots__ = ("brief", "warns")
    brief: str
    warns: bool

    def __new__(cls, text: str, brief: str = "", *, warns: bool = True) -> Suspicion:
        """The note, and its short form; without one it is short itself."""
        made = super().__new__(cls, text)
        made.brief, made.warns = brief or text, warns
        return made


class InvalidValue(Exception):
    """A cell that cannot be read; the caller adds file, line and column."""

    def __init__(self, what: str, remedy: str | None = None) -> None:
        super().__init__(what)
        self.what, self.remedy = what, remedy


class NoGame(InvalidValue):
    """A row that is no game; `reason` says why: a walkover, or not played."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what)
        self.reason = reason


class Question(InvalidValue):
    """A column that can be read in two ways; `cell` is one that shows it."""

    def __init__(self, what: str, remedy: str, cell: Any) -> None:
        super().__init__(what, remedy)
        self.cell = cell


class FallBackToSlowReader(Exception):
    """The compiled reader met something that only the plain reader can decide."""


class ChangingTeams(Exception):
    """The names of a table are teams whose members change; the text says so, for a note, and
    `teams` is the option that splits them.
    """

    def __init__(self, note: str, teams: str) -> None:
        super().__init__(note)
        self.teams = teams


def quote(value: object) -> str:
    """A value as it is shown in a message: in double quotes, on one line, not too long."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:  # a whole number of more digits than Python writes
        text = type(value).__name__
    text = text if len(text) <= 60 else text[:57] + "..."
    return f'"{escape_unprintable(text)}"' if isinstance(value, str) else escape_unprintable(text)


def escape_unprintable(text: str) -> str:
    """A text on one line, with escapes for what cannot be shown."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )
