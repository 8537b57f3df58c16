"""Errors and warnings about tables: what is wrong, where, and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from numbers import Real
from string import Formatter
from typing import Any, Self

from prowess.compile.refusals import ProwessError

SKIP = "skip bad rows with skip_bad=True (--skip-bad)"
NO_GAME = "no row is a game that was played"
IN_MEMORY = "read the table in memory with read_games (--in-memory)"
MEND = f"correct the row, or {SKIP}"
PLACE_FIELDS = ("file", "line", "row", "column")  # where something is wrong
IN_SENTENCES = {"SKIP": SKIP, "MEND": MEND, "IN_MEMORY": IN_MEMORY, "NO_GAME": NO_GAME}


NAME_FILE = "name a file that is there"
NO_FILE = "no_such_file"  # the code of a file that is not there


class WordedError(ProwessError):
    """An error whose sentence the `refusals.toml` of a room has."""

    @classmethod
    def of(cls, sentence: str, /, **facts: Any) -> Self:
        """The refusal of this name with these facts; its code is the name up to the dot."""
        return cls(word_message(sentence, facts), code=sentence.partition(".")[0])


class BadData(WordedError, ValueError):
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
        code: str | None = None,
    ) -> None:
        self.what, self.remedy, self.cell = what, remedy, cell
        self.file, self.line, self.row, self.column = file, line, row, column
        super().__init__(what, code=code)

    @classmethod
    def of(cls, sentence: str, /, **facts: Any) -> Self:
        """The refusal that `refusals.toml` has under this name, with these facts and this place:
        `file`, `line`, `row` and `column`.

        >>> str(BadData.of("encrypted.archive", file="games.zip"))
        'unpack it first: the archive is encrypted (games.zip)'
        """
        what, remedy = word_refusal(sentence, facts)
        place = {name: facts.get(name) for name in PLACE_FIELDS}
        place["file"] = place["file"] or None  # "" where a table comes from no file
        return cls(what, remedy=remedy, code=sentence.partition(".")[0], **place)

    def reword(self, what: str, remedy: str | None, code: str | None = None) -> BadData:
        """The same refusal in other words, or one of another code, of the same place."""
        place = {name: getattr(self, name) for name in PLACE_FIELDS}
        return BadData(what, remedy=remedy, code=code or self.code, **place)

    def __str__(self) -> str:
        """One line: `the remedy: what is wrong (results.csv, line 17, column "result")`.

        Of a file that is not there: `There is no file result.csv here. Did you mean results.csv?`
        """
        if self.code == NO_FILE and self.file:
            return escape_unprintable(_describe_missing_file(self.file, self.remedy or ""))
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


class NothingPlayed(BadData):
    """A table of games of which none has a result yet: `table` is empty, its reading has them."""

    table: Any


class SentenceFormatter(Formatter):
    """Fills facts in: `{name}` as it stands, `{name:q}` in quotes, `{name:brief}` in a few
    characters, `{names:list}` with commas between, `{name:type}` by the name of its type.
    """

    def format_field(self, value: Any, form: str) -> str:
        """A fact in the form that its sentence asks for."""
        return SHORT_FORMS[form](value) if form in SHORT_FORMS else format(value, form)


def word_refusal(sentence: str, facts: dict[str, Any]) -> tuple[str, str | None]:
    """What is wrong and the remedy, as the table of refusals says them, with the facts filled in.

    Where the table has no remedy, it is the fact `remedy`, if there is one.
    """
    what, remedy = load_sentences()[sentence]
    fill, known = SentenceFormatter().vformat, IN_SENTENCES | facts
    return fill(what, (), known), fill(remedy, (), known) if remedy else facts.get("remedy")


def word_message(sentence: str, facts: dict[str, Any]) -> str:
    """The message of a refusal without a place: the remedy, if there is one, then what is wrong."""
    what, remedy = word_refusal(sentence, facts)
    return f"{remedy}: {what}" if remedy else what


@cache
def load_sentences() -> dict[str, tuple[str, str | None]]:
    """What is wrong, and the remedy, by the name of each refusal in the rooms' `refusals.toml`.

    A sentence that stands alone is the whole message.
    """
    import tomllib
    from pathlib import Path

    sentences: dict[str, tuple[str, str | None]] = {}
    for file in Path(__file__).parent.parent.glob("*/refusals.toml"):
        for code, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
            words = entry if isinstance(entry, dict) else {}
            for word, one in {"": entry, **words}.items():
                name = f"{code}.{word}" if word else code
                if isinstance(one, str) and word not in ("what", "remedy"):
                    sentences[name] = one, None
                elif isinstance(one, dict) and "what" in one:
                    sentences[name] = one["what"], one.get("remedy")
    return sentences


def _describe_missing_file(name: str, remedy: str) -> str:
    """The fact, and the remedy, such as the question about a file of nearly that name."""
    here = "" if "/" in name or "\\" in name else " here"
    if remedy in ("", NAME_FILE):  # which the fact alone says
        return f"There is no file {name}{here}."
    end = "" if remedy.endswith(("?", ".")) else "."
    return f"There is no file {name}{here}. {remedy[:1].upper()}{remedy[1:]}{end}"


class DataWarning(UserWarning):
    """Results that can be read hold what is probably not meant so, as names that look alike."""


class Detail(str):
    """A note that says what was taken as it stood; a shell prints it with --verbose alone."""

    __slots__ = ()


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


class FavouredSide(Suspicion):
    """The note that one of two sides scores more than the other."""

    __slots__ = ()


class InvalidValue(WordedError):
    """A cell that cannot be read; the caller adds file, line and column."""

    def __init__(self, what: str, remedy: str | None = None, *, code: str | None = None) -> None:
        super().__init__(what, code=code)
        self.what, self.remedy = what, remedy

    @classmethod
    def of(cls, sentence: str, /, **facts: Any) -> InvalidValue:
        """The refusal that `refusals.toml` has under this name, with these facts."""
        what, remedy = word_refusal(sentence, facts)
        return InvalidValue(what, remedy, code=sentence.partition(".")[0])

    def place_in(self, file: str, *, line: int | None = None) -> BadData:
        """The same refusal with the file that the cell stands in, and its line."""
        return BadData(self.what, file=file or None, line=line, remedy=self.remedy, code=self.code)


class NoGame(InvalidValue):
    """A row that is no game; `reason` says why: a walkover, or not played."""

    def __init__(self, what: str, reason: str, *, code: str | None = None) -> None:
        super().__init__(what, code=code)
        self.reason = reason


class Question(InvalidValue):
    """A column that can be read in two ways; `cell` is one that shows it."""

    def __init__(self, what: str, remedy: str, cell: Any, *, code: str | None = None) -> None:
        super().__init__(what, remedy, code=code)
        self.cell = cell

    @classmethod
    def of(cls, sentence: str, /, **facts: Any) -> Question:
        """The question that `refusals.toml` has under this name; the fact `cell` shows it."""
        what, remedy = word_refusal(sentence, facts)
        return cls(what, remedy or "", facts["cell"], code=sentence.partition(".")[0])


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


def brief(value: object) -> str:
    """A value in a few characters: simple ones as they are written, others by their type."""
    if value is None or isinstance(value, Real | complex | str | bytes):
        try:
            text = repr(value)
        except ValueError:  # a whole number of more digits than Python writes
            return "a number of thousands of digits"
        return text if len(text) <= 40 else f"{text[:37]}..."
    return f"a value of type {type(value).__name__}"


def escape_unprintable(text: str) -> str:
    """A text on one line, with escapes for what cannot be shown."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


SHORT_FORMS: dict[str, Callable[[Any], str]] = {  # of facts in sentences
    "q": quote, "brief": brief, "list": ", ".join, "type": lambda value: type(value).__name__,
}  # fmt: skip
