"""Formats of files, and input bytes: files, standard input and streams, compressed or not.

One row of `FORMATS` declares a format. Another package adds one by an entry point `prowess.formats`
that names a `FileFormat`; such packages are looked for where no row of `FORMATS` fits.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import PACKED_SUFFIXES, PACKERS, ByteStream, unpack
from prowess.games.layout import Layout, Options
from prowess.games.reading import format_count
from prowess.games.values import lazy_pattern

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.reading import Reading, ReadingPlan

STDIN = "-"
MANY = 300_000  # rows; longer tables are read by compiled code, where there is a compiler
FAST_FROM_BYTES = 8_000_000  # bytes; a longer table is scanned by compiled code


class FileFormat(NamedTuple):
    """A format of files of results: how it is recognised, and what reads it.

    Args:
        suffixes: how the names of its files end.
        reader: a function that takes a ByteStream and ReaderSettings, or its name in this package
            ("parquet.read_parquet"). It returns an InputTable, or whatever `read_games` takes: a
            dict of columns, a list of dicts, a DataFrame.
        is_text: whether its files are texts, so that their size is that of what they hold.
        begins: how its files begin, of which one is enough whatever the name says; `at` is the
            byte where that stands.
        looks: how a text of this format begins, blanks aside, as a regular expression. It is tried
            where a name says nothing, in the order of the formats.
        inside: what its files hold if they are zip archives, as a regular expression.
        is_page: whether a text that begins as a web page may be one of this format.

    >>> import prowess
    >>> prowess.FileFormat(suffixes=(".beat",), reader=lambda file, settings: []).suffixes
    ('.beat',)
    """

    suffixes: tuple[str, ...] = ()
    reader: str | Callable[[ByteStream, ReaderSettings], Any] = ""
    is_text: bool = True
    begins: tuple[bytes, ...] = ()
    at: int = 0
    looks: bytes = b""
    inside: bytes = b""
    is_page: bool = False


PIPES = r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*"  # below headings
FORMATS = {  # in the order in which the beginnings of texts are tried
    "csv": FileFormat((".csv",), "delimited.read_csv"),
    "tsv": FileFormat((".tsv", ".tab"), "delimited.read_tsv"),
    "jsonl": FileFormat((".jsonl", ".ndjson", ".json"), "documents.read_json",
                        looks=rb"\{|\[\s*[{\]]"),
    "json": FileFormat((), "documents.read_json"),
    "html": FileFormat((".html", ".htm"), "pages.read_html", looks=b"<", is_page=True),
    "trf": FileFormat((".trf", ".trfx"), "transcripts.read_trf",
                      looks=rb"(?:(?:0[1-9]2|1[0-9]2|001|###) [^\r\n]*[\r\n]+){2}"),
    "cutechess": FileFormat((), "transcripts.read_engine_log", looks=
                            rb"(?s).*?(?:Started|Finished) game \d+ (?:of \d+ )?\(.+? vs "),
    "football": FileFormat((), "transcripts.read_football",
                           looks=rb"=+ [^=\r\n]*(?:19|20)\d\d[^=\r\n]*[\r\n]"),
    "logfmt": FileFormat((), "transcripts.read_logfmt", looks=
                         rb"(?:[^\r\n,;\t=]*\s)?(?:[A-Za-z_][\w.-]*=(?:\"[^\"\r\n]*\"|[^\s\"]+)"
                         rb"[ \t]+){2}[A-Za-z_][\w.-]*="),
    "markdown": FileFormat((".md", ".markdown"), "pages.read_markdown", is_page=True, looks=
                           rb"(?=[|#]|(?s:.*?)\n\|)(?:[^\n]*\n)*?[^\n]*\|[^\n]*\n(?=[^\n]*\|)"
                           + PIPES.encode() + rb"\r?(?:\n|\Z)"),
    "pgn": FileFormat((".pgn",), "pgn.read_pgn", looks=rb"[\[%;]"),
    "parquet": FileFormat((".parquet", ".pq"), "parquet.read_parquet", False, (b"PAR1",)),
    "sheet": FileFormat((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "sheets.read_sheet", False,
                        (b"\xd0\xcf\x11\xe0",), inside=
                        rb"xl/|\[Content_Types\]\.xml|mimetypeapplication/vnd\.oasis|_rels/"),
    "arrow": FileFormat((".feather", ".arrow", ".ipc"), "parquet.read_arrow", False,
                        (b"ARROW1", b"FEA1")),
    "sqlite": FileFormat((".sqlite", ".sqlite3", ".db"), "databases.read_sqlite", False,
                         (b"SQLite format 3\x00",)),
    "duckdb": FileFormat((".duckdb", ".ddb"), "databases.read_duckdb", False, (b"DUCK",), 8),
    "zip": FileFormat((".zip",), "", False, (b"PK\x03\x04", b"PK\x05\x06")),  # of files
    "ballots": FileFormat((".ballots", ".soc", ".soi", ".toc", ".toi")),  # `read_games` reads them
}  # fmt: skip
KNOWN_SUFFIXES = frozenset(suffix for form in FORMATS.values() for suffix in form.suffixes)
ANY_TEXT = ".txt"  # may be of any format
NO_DATA = (".md", ".pdf", ".doc", ".docx", ".png", ".jpg", ".html")  # files that hold no games


def file_name(given: Any) -> str | None:
    """The name of a path, `-` or an open stream; None for what is no file."""
    if isinstance(given, str | os.PathLike):
        return "standard input" if given == STDIN else os.fsdecode(given)
    if not hasattr(given, "read"):
        return None
    name = getattr(given, "name", None)
    return name if isinstance(name, str) else "the stream"


def find_format(name: str) -> str | None:
    """The format that the name of a file suggests, packed or not."""
    suffix, known = known_formats(name)
    return next((form for form, each in known.items() if suffix in each.suffixes), None)


def is_table_file(name: str) -> bool:
    """Whether a file of an archive or a folder may be a table, by its name."""
    last = name.rsplit("/", 1)[-1]
    if last.startswith((".", "~$", "readme", "license", "licence")) or "__MACOSX" in name:
        return False
    lower = last.lower()
    if lower.startswith(("readme", "license", "licence", "copying")) or lower.endswith(NO_DATA):
        return False
    return find_format(last) is not None or lower.endswith((ANY_TEXT, *PACKED_SUFFIXES))


# Formats of other packages


ENTRY_POINTS = "prowess.formats"  # their group


def known_formats(name: str) -> tuple[str, Mapping[str, FileFormat]]:
    """How the name of a file ends, packed or not, and the formats that it may be of: where no row
    of `FORMATS` has that suffix, also those of other packages, which takes a moment to look for.
    """
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122 - a path takes ten times as long
    if suffix in PACKED_SUFFIXES:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122
    return suffix, FORMATS if not suffix or suffix in KNOWN_SUFFIXES else all_formats()


@cache
def all_formats() -> Mapping[str, FileFormat]:
    """The formats of this package and of those that are installed beside it; raises BadData."""
    from importlib.metadata import entry_points

    added = {each.name: _load_format(each) for each in entry_points(group=ENTRY_POINTS)}
    return {**added, **FORMATS}


def _load_format(entry: Any) -> FileFormat:
    try:
        found = entry.load()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    else:
        if isinstance(found, FileFormat):
            return found
        reason = f"{entry.value} is no FileFormat"
    raise BadData.of(
        "format_not_loaded",
        name=entry.name,
        reason=reason,
        package=entry.dist.name if entry.dist else entry.value,
    )


def take_format(name: str) -> FileFormat:
    """The format of a name; raises BadData for one that no package has."""
    if (found := FORMATS.get(name) or all_formats().get(name)) is not None:
        return found
    *names, last = all_formats()
    raise BadData.of("unknown_option_value.format", name=name, names=", ".join(names), last=last)


# What the first bytes of a file tell


HEAD = 512  # bytes in which the format of a file shows
CONTROL = lazy_pattern(rb"\A(?!\xff\xfe|\xfe\xff).*?[\x00-\x08\x0e-\x1a]", re.DOTALL)
LINES = lazy_pattern(rb"[^\r\n][\r\n]|\A\s*<")
PAGE = lazy_pattern(rb"(?i)(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|table)\b")
PICTURE, CSV, ARCHIVE, UNPACK = "a picture", "export it as CSV", "an archive", "unpack it first"
FOREIGN = (  # how files begin that hold no table, and where; what they are, and what helps
    (b"%PDF", 0, "a PDF", CSV), (b"\x89PNG", 0, PICTURE, CSV), (b"\xff\xd8\xff", 0, PICTURE, CSV),
    (b"GIF8", 0, PICTURE, CSV), (b"7z\xbc\xaf\x27\x1c", 0, ARCHIVE, UNPACK),
    (b"Rar!", 0, ARCHIVE, UNPACK), (b"ustar", 257, "an archive (tar)", UNPACK),
    *((mark, 0, "packed twice", UNPACK) for mark in PACKERS),
)  # fmt: skip


def recognize_format(stream: ByteStream, settings: ReaderSettings) -> str:
    """The format of a file: as the caller says, as its first bytes or its name tell."""
    if settings.format is not None:
        return settings.format
    head, named = stream.look(HEAD), find_format(stream.name)
    if (binary := sniff_binary(stream.name, named, head)) is not None:
        return binary
    form = known_formats(stream.name)[1][named] if named else FileFormat(is_page=True)
    if not form.is_text:
        if not head:
            raise BadData.of("empty_file.file", file=stream.name)
        if LINES.search(head) and not CONTROL.search(head):
            named = None  # such as a page or TSV that is called xls
    elif not form.is_page and PAGE.match(head):
        return "html"
    return named or sniff_text(stream.name, head)


def sniff_binary(name: str, named: str | None, head: bytes) -> str | None:
    """The format of a file that begins as no text does; raises BadData for a picture."""
    for mark, at, what, remedy in FOREIGN:
        if head.startswith(mark, at):
            raise BadData.of("not_a_table.file", file=name, what=what, remedy=remedy)
    known, found = known_formats(name)[1], None
    for form, each in known.items():
        if head.startswith(each.begins, each.at):
            found = form
            break
    if found != "zip" or head.startswith(b"PK\x05\x06"):
        return found
    packed = {form: re.compile(each.inside) for form, each in known.items() if each.inside}
    if named in packed:
        return named
    told = (form for form, inside in packed.items() if inside.match(head, 30))
    shown = (form for form, inside in packed.items() if named != "zip" and inside.search(head))
    return next(told, None) or next(shown, found)


def sniff_text(name: str, head: bytes) -> str:
    """The format of a text whose name does not say it."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    known = known_formats(name)[1].items()
    return next((form for form, each in known if each.looks and re.match(each.looks, start)), "csv")


LONGEST_NAME = 4096  # characters


@dataclass
class ReaderSettings:
    """The caller's settings for reading, and the streams that were opened."""

    options: Options
    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    compiled: bool | None = None
    table: str | None = None  # the name of the sheet, table or file that is meant
    sql: str | None = None  # a query of a database
    plan: ReadingPlan | None = None  # how a table was read that this one is to be read like
    plain: Mapping[str, Any] = field(default_factory=dict)  # the options for further tables
    rename: Callable[[Any], Any] | None = None  # gives the players of a table one name each
    beside: Mapping[str, Any] = field(default_factory=dict)  # what goes with the table, unread
    long: bool = False  # whether all files together are worth compiled code, if each is short
    table_used: bool = False  # whether there was a choice of tables
    streams: list[tuple[Any, int | None]] = field(default_factory=list)  # and where they began
    said: list[str] = field(default_factory=list)  # why it is read once more, for notes

    def check_plan(self, table: InputTable, layout: Layout) -> None:
        """Refuse a table whose headings are read otherwise than its plan says; raises BadData."""
        if self.plan is not None:
            what = self.plan.find_contradiction(layout.read_columns(table.details, table.telling))
            refuse_other_reading(what, table.file, table.heading)

    def check_reading(self, reading: Reading, file: str, line: int | None = None) -> None:
        """Refuse a table that was read otherwise than its plan says; raises BadData."""
        if self.plan is not None:
            refuse_other_reading(self.plan.find_contradiction(reading.columns, reading), file, line)

    def join_options(self, decided: Mapping[str, Any]) -> dict[str, Any]:
        """The options by which a further table is read like this one; cells `decided` some."""
        found = {**decided, **self.plain}
        if "outcomes" in found:
            found["outcomes"] = decided.get("outcomes", {}) | self.plain.get("outcomes", {})
        if self.options.teams is not None:  # names may have told it
            found["teams"] = self.options.teams
        return found

    @property
    def can_rewind(self) -> bool:
        """Whether the streams can be read by the slow reader as well, and have not been."""
        return self.compiled is not False and all(start is not None for _, start in self.streams)

    def rewind_streams(self) -> None:
        """Go back to where the streams began, for the slow reader; raises BadData where that
        cannot be done.
        """
        self.compiled = False
        for stream, start in self.streams:
            if start is None:
                raise BadData.of("stream_not_rewound")
            stream.seek(start)
        self.streams.clear()


def refuse_other_reading(what: str, file: str, line: int | None = None) -> None:
    """Refuse a table that contradicts its plan; raises BadData where there is such a thing."""
    if what:
        raise BadData.of("other_than_planned", file=file, line=line, what=what)


def open_bytes(given: Any) -> ByteStream:
    """Open a path, `-` or an open stream, and unpack it; raises BadData, also while it is read."""
    name = file_name(given) or ""
    path = Path(name) if isinstance(given, str | os.PathLike) and given != STDIN else None
    stream = ByteStream(name, path, None)
    with stream.blame():
        if path is not None:
            if "\n" in name or len(name) > LONGEST_NAME:
                lines = name.count("\n") + 1
                raise BadData.of("text_not_a_file.text", count=format_count(lines, "line"))
            try:
                stream.stream = path.open("rb")
            except ValueError as error:  # a name with a NUL in it
                raise BadData.of("text_not_a_file.name", name=name, error=error) from None
        else:
            stream.stream = sys.stdin.buffer if given == STDIN else _as_binary(name, given)
    try:
        return unpack(stream)
    except BadData:
        stream.close()
        raise


def _as_binary(name: str, stream: Any) -> Any:
    """An open stream of bytes, or the text of one in UTF-8."""
    try:
        if isinstance(stream.read(0), str):
            return io.BytesIO(stream.read().encode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        raise BadData.of("not_utf_8.open_file", file=name) from None
    return stream


def stream_position(stream: Any) -> int | None:
    """The position of an open stream, None if it cannot go back there."""
    try:
        return stream.tell() if stream.seekable() else None
    except (AttributeError, OSError, ValueError):
        return None


def is_of_files(source: Any) -> bool:
    """Whether a source may be a folder or a pattern: it has no suffix of a file, or a wildcard."""
    if not isinstance(source, str | os.PathLike) or source == STDIN:
        return False
    name = os.fsdecode(source)
    return any(mark in name for mark in "*?[") or find_format(name) is None
