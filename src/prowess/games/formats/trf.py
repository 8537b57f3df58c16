"""Reports of Swiss tournaments in FIDE's format (TRF16, TRF26): one line a player, games by round.

Columns    as FIDE's handbook has them: 1-3 `001`, 5-8 the player's number, 15-47 the name, and from
           92 on ten for each round: the opponent's number, the colour, the result; record `132` has
           the dates of the rounds in the same columns.
Results    1 = 0 of rated games, W D L of games that are not rated, + - of forfeits, F H U Z of
           byes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from prowess.games.columns import InputTable
from prowess.games.errors import BadData, InvalidValue, quote
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.records import ABSENCE_KEY, Row, told_table
from prowess.games.formats.sites import CHESS_SIDES, DRAWN, LOST, WON
from prowess.games.formats.sources import ReaderSettings
from prowess.games.formats.transcripts import text_lines

NUMBER, NAME = slice(4, 8), slice(14, 47)
FIRST_ROUND, WIDTH = 91, 10  # where the rounds begin, and the columns of each
OPPONENT, COLOUR, RESULT = slice(0, 4), 5, 7  # within a round
TRF_SCORES = {"1": 1.0, "=": 0.5, "0": 0.0, "W": 1.0, "D": 0.5, "L": 0.0}
FORFEIT_MARKS = frozenset("+-")
NO_OPPONENT = frozenset({"0000", "0", ""})
DATE = re.compile(r"([0-9]{2}|[0-9]{4})[/.-]([0-9]{2})[/.-]([0-9]{2})")
TITLE, DATES, PLAYER = "012", "132", "001"
TRF_TEXTS = {1.0: WON, 0.5: DRAWN, 0.0: LOST}


class RoundEntry(NamedTuple):
    """What stands in a player's line for a round."""

    opponent: int
    colour: str  # w, b or -
    result: str
    line: int


@dataclass
class SwissReport:
    """The players of a tournament, their rounds, and the dates of these."""

    title: str = ""
    names: dict[int, str] = field(default_factory=dict)
    entries: dict[tuple[int, int], RoundEntry] = field(default_factory=dict)  # by round and number
    dates: dict[int, str] = field(default_factory=dict)
    byes: int = 0


def read_trf(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The games of a tournament's report; raises BadData with the line of a player."""
    name = stream.name
    lines, notes = text_lines(stream, settings)
    report = parse_report(name, lines)
    if not report.names:
        raise BadData(
            "the report has no players",
            file=name,
            remedy="export it with its records 001",
            code="no_players",
        )
    told: list[tuple[int, Row]] = []
    dated = all(nr in report.dates for nr, _ in report.entries)
    for nr, white, black in pair_players(report):
        row: Row = {
            CHESS_SIDES[0]: report.names.get(white), CHESS_SIDES[1]: report.names.get(black),
            "result": None, "round": nr,
            "date": report.dates.get(nr) if dated else None, "event": report.title or None,
        }  # fmt: skip
        try:
            score, sided = find_score(report, nr, white, black)
            row |= {"result": TRF_TEXTS[score], "neutral": None if sided else True}
        except InvalidValue as fault:
            row[ABSENCE_KEY] = fault
        entry = report.entries.get((nr, white)) or report.entries[nr, black]
        told.append((entry.line, row))
    if not told:
        raise BadData("no game of the report was played", file=name, code="no_games")
    said = ["read as the report of a tournament (TRF)"]
    if report.byes:
        said.append(f"{report.byes:,} byes and rounds without a game are left out")
    if report.dates and not dated:
        said.append("the rounds have no dates, since some of them lack one")
    return told_table(name, told, (*notes, *said), asked={*CHESS_SIDES, "result"})


def parse_report(name: str, lines: Sequence[str]) -> SwissReport:
    """The records of a report; raises BadData for a line of a player that is broken."""
    report = SwissReport()
    for at, line in enumerate(lines, 1):
        record = line[:3]
        if record == TITLE and not report.title:
            report.title = line[4:].strip()
        elif record == DATES:
            for nr, cell in split_rounds(line):
                if found := DATE.fullmatch(cell.strip()):
                    year = found[1] if len(found[1]) == 4 else f"20{found[1]}"
                    report.dates[nr] = f"{year}-{found[2]}-{found[3]}"
        elif record == PLAYER:
            try:
                parse_player(report, line, at)
            except InvalidValue:
                # some programs count bytes, not letters
                as_bytes = line.encode("utf-8", "surrogateescape").decode("latin-1")
                try:
                    parse_player(report, as_bytes, at)
                except InvalidValue as fault:
                    raise BadData(
                        fault.what, file=name, line=at, remedy=fault.remedy, code=fault.code
                    ) from None
    return report


def split_rounds(line: str) -> Iterator[tuple[int, str]]:
    """The columns of each round, with its number."""
    for nr in count(1):
        start = FIRST_ROUND + (nr - 1) * WIDTH
        if start >= len(line):
            return
        yield nr, line[start : start + WIDTH - 1]


def parse_player(report: SwissReport, line: str, at: int) -> None:
    """Take note of a player and their rounds; raises InvalidValue where the columns are broken."""
    remedy = "export the report again, with the columns of FIDE's handbook"
    if not (number := line[NUMBER].strip()).isascii() or not number.isdigit():
        raise InvalidValue(
            f"{quote(number)} is not the number of a player", remedy, code="not_a_player_number"
        )
    own = int(number)
    if own in report.names:
        raise InvalidValue(f"two players have the number {own}", remedy, code="player_twice")
    entries = {}
    byes = 0
    for nr, cell in split_rounds(line):
        opponent, rest = cell[OPPONENT].strip(), cell[4:].strip()
        if opponent in NO_OPPONENT:
            byes += bool(rest)
            continue
        colour, result = cell[COLOUR : COLOUR + 1].lower(), cell[RESULT : RESULT + 1].upper()
        in_columns = colour in {"w", "b", "-"} and not (cell[4] + cell[6:7]).strip()
        if not in_columns or not opponent.isascii() or not opponent.isdigit():
            raise InvalidValue(f"{quote(cell)} is not a round {nr}", remedy, code="not_a_round")
        entries[nr, own] = RoundEntry(int(opponent), colour, result, at)
    name = line[NAME].strip()
    if not line.isascii() and all(ord(letter) < 256 for letter in name):
        with suppress(UnicodeError):  # of a line that was taken by bytes
            name = name.encode("latin-1").decode("utf-8")
    report.names[own] = name
    report.entries |= entries
    report.byes += byes


def pair_players(report: SwissReport) -> list[tuple[int, int, int]]:
    """Round, White and Black of each pairing, round by round."""
    found: dict[tuple[int, int, int], None] = {}
    for nr, own in sorted(report.entries):
        entry = report.entries[nr, own]
        other = report.entries.get((nr, entry.opponent))
        black = entry.colour == "b" or (entry.colour != "w" and other is not None and (
            other.colour == "w" or (other.colour != "b" and own > entry.opponent)))  # fmt: skip
        pair = (nr, entry.opponent, own) if black else (nr, own, entry.opponent)
        if (nr, pair[2], pair[1]) not in found:
            found[pair] = None
    return list(found)


def find_score(report: SwissReport, nr: int, white: int, black: int) -> tuple[float, bool]:
    """White's score as both lines have it, and whether the colours are known.

    Raises InvalidValue, with a remedy if the lines contradict each other, without one if the game
    was not played.
    """
    mine, theirs = report.entries.get((nr, white)), report.entries.get((nr, black))
    first, second = report.names.get(white, str(white)), report.names.get(black, str(black))
    remedy = f"correct round {nr} of {quote(first)} and {quote(second)}"
    if mine is None or theirs is None or (mine.opponent, theirs.opponent) != (black, white):
        raise InvalidValue("only one of two lines has the game", remedy, code="half_a_game")
    if mine.result in FORFEIT_MARKS or theirs.result in FORFEIT_MARKS:
        raise InvalidValue("the game was forfeited", code="game_forfeited")
    if not mine.result.strip() and not theirs.result.strip():
        raise InvalidValue("the game has no result", code="result_missing")
    score, other = TRF_SCORES.get(mine.result), TRF_SCORES.get(theirs.result)
    if score is None or other is None:
        raise InvalidValue(
            f"{quote(mine.result)} and {quote(theirs.result)} are no result",
            remedy,
            code="not_a_known_result",
        )
    if score == other == 0.0:
        raise InvalidValue("both players lost", code="both_lost")
    if score + other != 1.0:
        raise InvalidValue(
            f"the lines say {mine.result} and {theirs.result}", remedy, code="results_contradict"
        )
    if mine.colour == theirs.colour and mine.colour in "wb":
        raise InvalidValue("both players have the same colour", remedy, code="same_color")
    return score, {mine.colour, theirs.colour} == {"w", "b"}
