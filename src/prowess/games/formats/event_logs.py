"""Logs of events, of which only some are games: lines of key=value, or records of JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from prowess.games.columns import InputTable
from prowess.games.dates import is_date_like
from prowess.games.errors import BadData, quote
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.nested_records import flatten
from prowess.games.formats.records import record_table
from prowess.games.formats.sources import ReaderSettings
from prowess.games.formats.transcripts import LONGEST, text_lines
from prowess.games.reading import format_count
from prowess.games.values import is_missing
from prowess.games.vocabulary import read_heading

PAIR = re.compile(r'(?:^|(?<=\s))([A-Za-z_][\w.-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)')
EVENTS = frozenset({"event", "type", "kind", "msg", "message", "action", "eventtype"})

Record = dict[str, Any]


def read_logfmt(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The games of a log with lines of key=value, and a date in front of them or none."""
    lines, notes = text_lines(stream, settings)
    records: list[Record] = []
    places: list[int] = []
    for at, line in enumerate(lines, 1):
        pairs = list(PAIR.finditer(line)) if len(line) <= LONGEST else []
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
