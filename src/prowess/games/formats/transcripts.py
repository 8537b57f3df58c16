"""Texts that tell games line by line: logs of engine matches, football in plain text, games that
somebody typed, and logs of events of which only some are games.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

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
from prowess.games.formats.records import Row, absent, record_table, refuse_row, told_table
from prowess.games.formats.sites import CHESS_SIDES, result_of_points
from prowess.games.formats.sources import ReaderSettings
from prowess.games.reading import format_count
from prowess.games.shapes.split import GAME_PATTERNS, SENTENCES, home_side
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
        raise BadData(
            "the log has no finished games", file=stream.name,
            remedy="keep the lines that begin with Finished game", code="no_games",
        )  # fmt: skip
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
                raise BadData(
                    fault.what, file=stream.name, line=at, remedy=fault.remedy, code=fault.code
                ) from None
        elif (row := football_row(line, when)) is not None:
            told.append((at, row))
    if not told:
        raise BadData(
            "the text has no matches", file=stream.name,
            remedy="write a match as `Ann v Bob  2-1 (1-0)`", code="no_games",
        )  # fmt: skip
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
            raise InvalidValue(f"{quote(found[0])} has no year", remedy, code="dates_without_year")
        try:
            when = date(years[0], month, day)
        except ValueError:
            raise InvalidValue(
                f"{quote(found[0])} is not a date", remedy, code="not_a_date"
            ) from None
        if weekday and when.weekday() not in WEEKDAYS[weekday.lower()]:
            raise InvalidValue(f"{when} is not a {weekday}", remedy, code="wrong_weekday")
        self.last = when
        return when.isoformat()


# Games that somebody typed, one a line, under lines with their round or day

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
        raise BadData("the log has no lines of key=value", file=stream.name, code="no_fields")
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
