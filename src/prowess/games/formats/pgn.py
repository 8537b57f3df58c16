"""The tags of chess games in Portable Game Notation; the moves are skipped.

A game whose result is `*` is unfinished and is left out, as is one whose termination is
`unplayed`. The date is UTCDate and UTCTime, else Date; where the day is not known (`2020.??.??`)
the game has none. If no game of a file has a known day, the file has no dates at all.
"""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from prowess.games.cells.outcome_words import UNFINISHED
from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.errors import BadData, InvalidValue
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.encodings import find_encoding, refuse_binary
from prowess.games.formats.sources import ReaderSettings
from prowess.games.values import lazy_pattern, plain_form

ONE_TAG = r'\[[ \t]*([A-Za-z0-9_]+)[ \t]+"((?:[^"\\]|\\.)*)"[ \t]*\]'
TAGS = lazy_pattern(rf"(?:[ \t]*{ONE_TAG})+[ \t]*")
TAG = lazy_pattern(ONE_TAG)
CARELESS = lazy_pattern(r'[ \t]*\[[ \t]*([A-Za-z0-9_]+)[ \t]+"(.*)"[ \t]*\][ \t]*')
BEGUN = lazy_pattern(r'[ \t]*\[[ \t]*[A-Za-z0-9_]+[ \t]*"')
ESCAPED = lazy_pattern(r"\\(.)")
NO_TAGS = {"", "?", "-"}
OF_KINDS = ("timecontrol", "variant")  # tags that tell kinds of games apart, where they are known
UNPLAYED = "unplayed"
GAMES_A_CHUNK = 50_000
BLOCK = 1 << 20  # bytes
LINE_LIMIT = 1 << 24  # bytes; no line of a game is that long


class PgnGame:
    """The tags of one game, and the line of the first."""

    __slots__ = ("first", "line", "refused", "tags")

    def __init__(self, line: int) -> None:
        self.line = line
        self.first = ""
        self.tags: dict[str, str] = {}
        self.refused: InvalidValue | None = None

    def add(self, name: str, value: str) -> None:
        """Take note of a tag."""
        name = name.lower()
        self.first = self.first or name
        if name in self.tags and self.tags[name] != value:
            self.refused = InvalidValue.of("tag_twice", name=name)
        self.tags.setdefault(name, ESCAPED.sub(r"\1", value) if "\\" in value else value)


def read_pgn(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The games of a file as a table with the columns white, black, result, date, round, event
    and whatever other tags the caller names.
    """
    name, named = stream.name, settings.options.named_columns()
    parts = _parts(parse_games(name, io.BufferedReader(stream, BLOCK), settings.encoding))
    try:
        first = next(parts)
    except StopIteration:
        raise BadData.of("no_games.pgn", file=name) from None
    dated = any(known_day(game.tags) for game in first)
    rounds = any(game.tags.get("round", "") not in NO_TAGS for game in first)
    known = {tag for game in first for tag in OF_KINDS if game.tags.get(tag, "") not in NO_TAGS}
    kinds = [tag for tag in OF_KINDS if tag in known]
    own = ["white", "black", "result", *["date"] * dated, *["round"] * rounds, *kinds, "event"]
    names = list(dict.fromkeys([*own, *(plain_form(tag) for tag in named)]))
    if not dated:
        names = [tag for tag in names if tag != "date"]

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        yield _chunk(first, wanted, True)
        for part in parts:
            if not dated and "date" not in wanted:
                _refuse_late_dates(name, part)
            yield _chunk(part, wanted, dated)

    return InputTable(name, names, chunks, beginning=lambda: None)


def known_day(tags: dict[str, str]) -> str:
    """When a game was played, as far as the day is known; else empty."""
    for name in ("utcdate", "date"):
        text = tags.get(name, "").strip()
        if text and "?" not in text and text not in NO_TAGS:
            time = tags.get("utctime", "").strip()
            return f"{text} {time}" if name == "utcdate" and time and "?" not in time else text
    return ""


def _refuse_late_dates(name: str, part: list[PgnGame]) -> None:
    for game in part:
        if known_day(game.tags):
            raise BadData.of("dates_too_late", file=name, line=game.line, column="date")


def _chunk(part: list[PgnGame], wanted: Sequence[str], dated: bool) -> Chunk:
    columns = {}
    for tag in wanted:
        if tag == "date":
            columns[tag] = Values([
                known_day(game.tags) or game.tags.get("utcdate") or game.tags.get("date", "")
                for game in part
            ])  # fmt: skip
        else:
            missing = NO_TAGS if tag in {"white", "black", *OF_KINDS} else ()
            texts = (game.tags.get(tag, "") for game in part)
            columns[tag] = Values(["" if text.strip() in missing else text for text in texts])
    refused = {at: game.refused for at, game in enumerate(part) if game.refused}
    no_result = InvalidValue.of("result_missing.pgn")
    refused |= {at: no_result for at, game in enumerate(part) if not game.tags.get("result")}
    absent = {
        at: why
        for at, game in enumerate(part)
        if at not in refused and (why := _never_played(game.tags))
    }
    return Chunk(columns, len(part), lambda row: part[row].line, refused, absent)


def _never_played(tags: dict[str, str]) -> InvalidValue | None:
    """The reason for which a game never counts, None if it may."""
    if tags.get("result", "").strip() == UNFINISHED:
        return InvalidValue.of("game_unfinished")
    if tags.get("termination", "").strip().casefold() == UNPLAYED:
        return InvalidValue.of("game_not_played")
    return None


def _parts(games: Iterator[PgnGame]) -> Iterator[list[PgnGame]]:
    part: list[PgnGame] = []
    for game in games:
        part.append(game)
        if len(part) == GAMES_A_CHUNK:
            yield part
            part = []
    if part:
        yield part


def parse_games(name: str, stream: BinaryIO, encoding: str | None) -> Iterator[PgnGame]:
    """The games of a file, one after the other."""
    game: PgnGame | None = None
    moves = comment = False  # whether a move has been seen since the tags; inside braces
    for at, line in enumerate(_lines(name, stream, encoding), 1):
        if comment:
            closed = line.find("}")
            if closed < 0:
                continue
            comment, moves = _left_open(line[closed + 1 :]), True
            continue
        if line.startswith("%"):
            continue
        stripped = line.strip(" \t")
        if not stripped:
            continue
        if stripped[0] == "[" and (tags := _tags(stripped)) is not None:
            if game is None or moves or (tags and tags[0][0].lower() == game.first):
                if game is not None:
                    yield game
                game, moves = PgnGame(at), False
            for tag, value in tags:
                game.add(tag, value)
            if not tags:
                game.refused = InvalidValue.of("broken_tag", at=at)
            continue
        if game is None:
            game = PgnGame(at)
        moves = True
        comment = _left_open(stripped)
    if game is not None:
        yield game


def _tags(line: str) -> list[tuple[str, str]] | None:
    """The tags of a line; empty if they are broken, None if it holds none."""
    if line.endswith('"]'):  # by far the most common form
        name, between, value = line[1:-2].partition(' "')
        if between and name.isascii() and name.isidentifier() and '"' not in value:
            return [(name, value)]
    if TAGS.fullmatch(line):
        return TAG.findall(line)
    if found := CARELESS.fullmatch(line):
        return [(found[1], found[2])]
    return [] if BEGUN.match(line) else None


def _left_open(line: str) -> bool:
    """Whether a comment in braces is still open at the end of a line of moves."""
    if "{" not in line:
        return False
    if ";" not in line:
        return line.rfind("{") > line.rfind("}")
    at = 0
    while True:
        brace, remark = line.find("{", at), line.find(";", at)
        if brace < 0 or 0 <= remark < brace:
            return False
        at = line.find("}", brace) + 1
        if not at:
            return True


def _lines(name: str, stream: BinaryIO, encoding: str | None) -> Iterator[str]:
    at = 1
    while block := stream.read(BLOCK):
        rest = b"" if block.endswith(b"\n") else stream.readline(LINE_LIMIT)
        if len(rest) == LINE_LIMIT:
            raise BadData.of("line_too_long", file=name, line=at)
        block = block + rest if at > 1 else (block + rest).removeprefix(BOM_UTF8)
        refuse_binary(name, block, at - 1)
        lines = _decode(name, block, at, encoding).replace("\r\n", "\n").split("\n")
        if not lines[-1]:
            del lines[-1]
        yield from lines
        at += len(lines)


def _decode(name: str, block: bytes, at: int, encoding: str | None) -> str:
    """UTF-8 where it is UTF-8, else Latin-1, as the standard has it, line by line."""
    if encoding is None:
        try:
            return block.decode()
        except UnicodeDecodeError:
            return "\n".join(map(_decode_line, block.split(b"\n")))
    try:
        return block.decode(find_encoding(encoding))
    except UnicodeError as error:
        raise BadData.of(
            "wrong_encoding.pgn", file=name, line=at, encoding=encoding, error=error
        ) from None


def _decode_line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")
