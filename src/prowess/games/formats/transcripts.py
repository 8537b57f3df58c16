"""Texts that tell games line by line: logs of engine matches, football in plain text, typed
lists of games, logs of events of which only some are games, and reports of Swiss tournaments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import count
from typing import Any, NamedTuple

from prowess.games.cells.date_columns import MONTHS, WEEKDAYS
from prowess.games.columns import InputTable
from prowess.games.dates import is_date_like
from prowess.games.errors import BadData, InvalidValue, quote
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.encodings import DELIMITERS, decode_guessed
from prowess.games.formats.grid_rows import (
    AS_OF,
    DAY_HEADING as DATE,
    ROUND,
    Leftovers,
    PlacedRow,
    read_section,
)
from prowess.games.formats.nested_records import flatten
from prowess.games.formats.records import (
    ABSENCE_KEY,
    Row,
    absent,
    record_table,
    refuse_row,
    told_table,
)
from prowess.games.formats.sites import CHESS_SIDES, DRAWN, LOST, WON, result_of_points
from prowess.games.formats.sources import ReaderSettings
from prowess.games.reading import format_count
from prowess.games.shapes.split import GAME_PATTERNS, SENTENCES, find_form, home_side
from prowess.games.values import fold_text, is_missing
from prowess.games.vocabulary import read_heading


def text_lines(stream: ByteStream, settings: ReaderSettings) -> tuple[list[str], tuple[str, ...]]:
    """The lines of a text, and notes on its encoding."""
    text, notes = decode_guessed(stream.name, stream.readall(), settings.encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), notes


# cutechess-cli, fastchess, c-chess-cli

FINISH = re.compile(r"Finished game ([0-9]+) \((.+)\): (1-0|0-1|1/2-1/2|\*)(?:\s*\{(.*)\})?\s*$")
VERSUS = " vs "


def read_engine_log(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The games of a log of cutechess-cli or of fastchess, White first."""
    lines, notes = text_lines(stream, settings)
    found = [
        (at, match)
        for at, line in enumerate(lines, 1)
        if len(line) <= LONGEST_LINE and (match := FINISH.search(line))
    ]
    if not found:
        raise BadData.of("no_games.log", file=stream.name)
    certain = {
        name for _, match in found if match[2].count(VERSUS) == 1 for name in match[2].split(VERSUS)
    }
    told = [(at, engine_row(match, certain)) for at, match in found]
    return told_table(stream.name, told, (*notes, "read as games of an engine log"))


def engine_row(match: re.Match[str], certain: set[str]) -> Row:
    """A finished game; `certain` are names that hold no vs themselves."""
    if match[3] == "*":
        return absent("the game has no result")
    parts = match[2].split(VERSUS)
    splits = [(VERSUS.join(parts[:at]), VERSUS.join(parts[at:])) for at in range(1, len(parts))]
    if len(splits) > 1:
        splits = [pair for pair in splits if certain.intersection(pair)]
    if len(splits) != 1:
        return refuse_row(f"{quote(match[2])} are not two engines")
    return {CHESS_SIDES[0]: splits[0][0], CHESS_SIDES[1]: splits[0][1], "result": match[3]}


# Football in plain text, as openfootball writes it

WEEKDAY_STARTS = "mon|tue|wed|thu|fri|sat|sun"
MONTH_STARTS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
SEASON_IN_TEXT = re.compile(r"\b((?:19|20)[0-9]{2})(?:[/-]([0-9]{2,4}))?\b")
DAY_LINE = re.compile(
    rf"\[?\(?(?:(?P<weekday>{WEEKDAY_STARTS})[a-z]*\.?,?\s+)?"
    rf"(?:(?P<month>{MONTH_STARTS})[a-z]*\.?[ /]+(?P<day>[0-9]{{1,2}})|"
    rf"(?P<day2>[0-9]{{1,2}})\.?[ /]+(?P<month2>{MONTH_STARTS})[a-z]*\.?)"
    r"(?:[ ,/]+(?P<year>[12][0-9]{3}))?\]?\)?\s*$",
    re.IGNORECASE,
)
CLOCK_BEFORE = re.compile(r"(?:\([0-9]+\)\s+)?(?:[0-2]?[0-9][:.][0-5][0-9](?:\s+UTC\S*)?\s+)?")
SCORE = (
    r"[0-9]{1,2}-[0-9]{1,2}"
    r"(?:,?\s*(?:pen\.?|aet|a\.e\.t\.|\([^()]*\)|[0-9]{1,2}-[0-9]{1,2}(?=\s*(?:pen|aet|a\.e\.t))))*"
)
VERSUS_LINE = re.compile(rf"(?P<a>\S.*?)\s+v\s+(?P<b>\S.*?)(?:\s{{2,}}(?P<rest>{SCORE}|\[.*\]|-))?")
SCORE_LINE = re.compile(rf"(?P<a>\S.*?)\s+(?P<rest>{SCORE}|-|\[.*\])\s+(?P<b>\S.*)")
VENUE = re.compile(r"\s+@\s.*$|\s+##?\s.*$")
SHOOTOUT_SCORE = re.compile(r"([0-9]{1,2})-([0-9]{1,2})\s*pen")
GOALS_OF_BOTH = re.compile(r"([0-9]{1,2})-([0-9]{1,2})(?!\s*pen)")
LONGEST_LINE = 500  # letters of a line, so that no text takes long
HALF_A_YEAR = 6  # months; a season that began in one year goes on in the next


def read_football(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The matches of a text of openfootball; dates without a year are those of the season."""
    lines, notes = text_lines(stream, settings)
    told: list[tuple[int, Row]] = []
    calendar = Calendar()
    when: str | None = None
    for at, raw in enumerate(lines, 1):
        line = VENUE.sub("", raw).strip()
        if line.startswith("="):
            calendar.take_title(line)
        elif not line or line.startswith(("#", "(", "▪", "»", "|")) or _is_about_goals(line):
            continue
        elif found := DAY_LINE.fullmatch(line):
            try:
                when = calendar.find_date(found)
            except InvalidValue as fault:
                raise fault.place_in(stream.name, line=at) from None
        elif (row := football_row(line, when)) is not None:
            told.append((at, row))
    if not told:
        raise BadData.of("no_games.transcript", file=stream.name)
    return told_table(stream.name, told, (*notes, "read as football in plain text"))


def _is_about_goals(line: str) -> bool:
    """Whether a line goes on telling who scored."""
    return "'" in line and re.search(r"[0-9]'", line) is not None


def football_row(line: str, when: str | None) -> Row | None:
    """A match; None for a line that is none."""
    if len(line) > LONGEST_LINE:
        return refuse_row("the line is too long for a match")
    start = CLOCK_BEFORE.match(line)
    body = line[start.end() :] if start else line
    found = VERSUS_LINE.fullmatch(body) or SCORE_LINE.fullmatch(body)
    if found is None:
        if re.search(r"\s{2,}|\sv\s", body) and re.search(r"[0-9]-[0-9]", body):
            return refuse_row(f"{quote(line)} is not a match")
        return None
    rest = found["rest"] or ""
    goals = GOALS_OF_BOTH.search(rest)
    if goals is None:
        return absent("the match was not played")
    shootout = SHOOTOUT_SCORE.search(rest)
    decided = shootout or goals
    return {
        "home": found["a"].strip(), "away": found["b"].strip(), "date": when,
        "result": result_of_points(decided[1], decided[2]), "score_a": int(goals[1]),
        "score_b": int(goals[2]),
    }  # fmt: skip


class Calendar:
    """The year of dates that are written without one."""

    def __init__(self) -> None:
        self.last: date | None = None
        self.years: list[int] = []  # of the season

    def take_title(self, line: str) -> None:
        """The years of a season, from a title such as `League 2023/24`."""
        if found := SEASON_IN_TEXT.search(line):
            first = int(found[1])
            self.years = [first] if found[2] is None else [first, first + 1]
            self.last = None

    def find_date(self, found: re.Match[str]) -> str:
        """The date of a line; raises InvalidValue where it is none or has no year."""
        month = MONTHS[(found["month"] or found["month2"]).lower()]
        day = int(found["day"] or found["day2"])
        given = found["year"]
        if given:
            years = [int(given)]
        elif self.last is not None:
            over = self.last.month - month >= HALF_A_YEAR
            back = month - self.last.month >= HALF_A_YEAR
            years = [self.last.year + over - back]
        elif len(self.years) == 2:
            years = [self.years[0] if month > HALF_A_YEAR else self.years[1]]
        else:
            years = self.years
        weekday = found["weekday"]
        remedy = "write the year with the date, such as Sat Aug 12 2023"
        if not years:
            raise InvalidValue.of("dates_without_year", text=found[0], remedy=remedy)
        try:
            when = date(years[0], month, day)
        except ValueError:
            raise InvalidValue.of("not_a_date.player", text=found[0], remedy=remedy) from None
        if weekday and when.weekday() not in WEEKDAYS[weekday.lower()]:
            raise InvalidValue.of("wrong_weekday", when=when, weekday=weekday, remedy=remedy)
        self.last = when
        return when.isoformat()


# Typed lists of games, one a line, under lines with their round or day

LEAST_GAMES_TOLD = 3
MOST_BESIDE = 6  # lines above the games, or below them, that are no games
_WEEKDAY = rf"(?:{WEEKDAY_STARTS})[a-z]*"
SAID = re.compile(rf"{ROUND.pattern}|{DATE.pattern}|\b{_WEEKDAY}\b", re.IGNORECASE)
OWN_DAY = re.compile(  # a game with its day before it
    rf"(?:[^\W\d_]{{2,10}}\.?,?\s)?(?P<day>{DATE.pattern}|\d{{1,2}}\.\d{{1,2}}\.)"
    r"(?:,?\s(?P<clock>\d{1,2}[:.]\d{2})(?:\s?(?:uhr|h))?)?\s?[:,;–-]?\s(?P<game>\S.*)",
    re.IGNORECASE,
)


def typed_table(name: str, content: str, lone: bool) -> InputTable | None:
    """The games of a text, each with the day before it, or with the round and the day that the line
    above its block names; None for a text with other lines between the games.

    `lone` says whether it is a column as well: then it is read so, unless there are days or rounds.
    """
    lines = [(at, " ".join(line.split())) for at, line in enumerate(content.splitlines(), 1)]
    told: list[tuple[int, Row]] = []
    current: dict[str, Any] = {}
    titles: list[str] = []
    left = Leftovers("line")
    beside: list[PlacedRow] = []
    apart = False
    for at, line in lines:
        if not line:
            apart = True
            continue
        short = len(line) <= LONGEST_LINE
        own = OWN_DAY.fullmatch(line) if short else None
        game = own["game"] if own else line
        section = read_section([line]) if short and not AS_OF.match(fold_text(line)) else None
        tried = (each.fullmatch(game) for each in GAME_PATTERNS if short)
        found = next(filter(None, tried), None)
        is_game = found is not None
        if found and not lone and any(mark in found["a"] for mark in DELIMITERS):
            return None  # values before the game
        if own and is_game and ROUND.search(game):
            return None  # a game with its own round
        if section and is_game and not own and re.search(r"[^\W\d_]{3}", SAID.sub("", line)):
            return None  # a game with its own day
        if is_game and (own or not section):
            if told and beside:
                return None
            titles += [str(row.cells[0]) for row in beside]
            day = " ".join(filter(None, own.group("day", "clock"))) if own else None
            row = {SENTENCES: game, "date": None, "round": None, **current}
            told.append((at, row | ({"date": day} if own else {})))
            beside, apart = [], False
        elif section:
            current |= section
        else:
            beside.append(PlacedRow.of(at, [line]))
            if len(beside) > MOST_BESIDE or (told and not apart):
                return None  # a game in other words
            left.add(f"{'below' if told else 'above'} the games", beside[-1])
    owned = sum(row["date"] is not None for _, row in told)
    if len(told) < (1 if lone and current else LEAST_GAMES_TOLD):
        return None
    if not current and (owned != len(told) if owned else lone and len(titles) < 2):
        return None
    sides = next(filter(None, map(home_side, titles)), 0)
    heading = {1: "home - away", -1: "away - home"}.get(sides, SENTENCES)
    if find_form(heading, [row[SENTENCES] for _, row in told]) is None:
        return None  # what stands beside the results may be no players
    told = [(at, {heading: row.pop(SENTENCES), **row}) for at, row in told]
    what = "games one a line, below lines of rounds or days" if current else "games one a line"
    return replace(told_table(name, told, (*left.notes(), f"read as {what}")), titles=titles)


# Logs of events: lines of key=value, or records of JSON


PAIR = re.compile(r'(?:^|(?<=\s))([A-Za-z_][\w.-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)')
EVENTS = frozenset({"event", "type", "kind", "msg", "message", "action", "eventtype"})

Record = dict[str, Any]


def read_logfmt(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The games of a log with lines of key=value, and a date in front of them or none."""
    lines, notes = text_lines(stream, settings)
    records: list[Record] = []
    places: list[int] = []
    for at, line in enumerate(lines, 1):
        pairs = list(PAIR.finditer(line)) if len(line) <= LONGEST_LINE else []
        if pairs:
            records.append(
                _date_in(line[: pairs[0].start()]) | {pair[1]: _value(pair[2]) for pair in pairs}
            )
            places.append(at)
    if not records:
        raise BadData.of("no_fields", file=stream.name)
    kept, said = choose_games(records)
    return record_table(
        stream.name, [records[at] for at in kept], [places[at] for at in kept],
        notes=(*notes, "read as a log of key=value", *said),
    )  # fmt: skip


def _date_in(text: str) -> Record:
    """The date at the beginning of a text, in brackets or not."""
    parts = [part.strip("[](),") for part in text.split()[:2]]
    dates = (date for date in (" ".join(parts), *parts[:1]) if is_date_like(date))
    date = next(dates, None)
    return {"date": date} if date else {}


def _value(text: str) -> str | None:
    bare = text[1:-1].replace('\\"', '"') if text.startswith('"') else text
    return bare or None


def choose_games(records: Sequence[Any]) -> tuple[list[int], tuple[str, ...]]:
    """Which of the records of a log are games, and a note on it: those of the events that have a
    result, where all others have none.
    """
    every = list(range(len(records)))
    if not all(isinstance(each, Mapping) for each in records):
        return every, ()
    flat = [flatten(each) for each in records]
    keys = dict.fromkeys(key for each in flat for key in each)
    results = [key for key in keys if _is_result(key)]
    has_result = [any(not is_missing(each.get(key)) for key in results) for each in flat]
    if all(has_result) or not any(has_result):
        return every, ()
    for key in keys:
        if key.rpartition(".")[2].casefold().replace("_", "") not in EVENTS:
            continue
        events = [each.get(key) for each in flat]
        if not all(isinstance(event, str) for event in events):
            continue
        told = {str(event) for event, has in zip(events, has_result, strict=True) if has}
        kept = [at for at in every if events[at] in told]
        others = {*events} - told
        if any(key in flat[at] for at in every if events[at] in others for key in results):
            continue  # a game whose result is empty
        if others and all(any(has_result[at] for at in kept if events[at] == e) for e in told):
            shown = ", ".join(map(quote, sorted(told)))
            count = len(every) - len(kept)
            return kept, (
                f"records of {quote(key)} {shown}: {format_count(count, 'other')} without a result",
            )
    return every, ()


def _is_result(key: str) -> bool:
    meaning = read_heading(key)
    of_result = meaning.subjects & {"result", "points"} or "winner" in meaning.sides
    return bool(of_result) and not meaning.spoiled


# Reports of Swiss tournaments in FIDE's format (TRF16, TRF26): one line a player, games by round.
#
# Columns    as FIDE's handbook has them: 1-3 `001`, 5-8 the player's number, 15-47 the name, and
#            from 92 on ten for each round: the opponent's number, the colour, the result; record
#            `132` has the dates of the rounds in the same columns.
# Results    1 = 0 of rated games, W D L of games that are not rated, + - of forfeits, F H U Z of
#            byes.


NUMBER, NAME = slice(4, 8), slice(14, 47)
FIRST_ROUND, WIDTH = 91, 10  # where the rounds begin, and the columns of each
OPPONENT, COLOUR, RESULT = slice(0, 4), 5, 7  # within a round
TRF_SCORES = {"1": 1.0, "=": 0.5, "0": 0.0, "W": 1.0, "D": 0.5, "L": 0.0}
FORFEIT_MARKS = frozenset("+-")
NO_OPPONENT = frozenset({"0000", "0", ""})
ROUND_DATE = re.compile(r"([0-9]{2}|[0-9]{4})[/.-]([0-9]{2})[/.-]([0-9]{2})")
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
        raise BadData.of("no_players.report", file=name)
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
        raise BadData.of("no_games.report", file=name)
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
                if found := ROUND_DATE.fullmatch(cell.strip()):
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
                    raise fault.place_in(name, line=at) from None
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
        raise InvalidValue.of("not_a_player_number", number=number, remedy=remedy)
    own = int(number)
    if own in report.names:
        raise InvalidValue.of("player_twice.number", own=own, remedy=remedy)
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
            raise InvalidValue.of("not_a_round", text=cell, nr=nr, remedy=remedy)
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
        raise InvalidValue.of("half_a_game", remedy=remedy)
    if mine.result in FORFEIT_MARKS or theirs.result in FORFEIT_MARKS:
        raise InvalidValue.of("game_forfeited")
    if not mine.result.strip() and not theirs.result.strip():
        raise InvalidValue.of("result_missing.report")
    score, other = TRF_SCORES.get(mine.result), TRF_SCORES.get(theirs.result)
    if score is None or other is None:
        raise InvalidValue.of(
            "not_a_known_result.report", mine=mine.result, theirs=theirs.result, remedy=remedy
        )
    if score == other == 0.0:
        raise InvalidValue.of("both_lost")
    if score + other != 1.0:
        raise InvalidValue.of(
            "results_contradict.lines", mine=mine.result, theirs=theirs.result, remedy=remedy
        )
    if mine.colour == theirs.colour and mine.colour in "wb":
        raise InvalidValue.of("same_color", remedy=remedy)
    return score, {mine.colour, theirs.colour} == {"w", "b"}
