"""What decides contests without places and points: problems solved, strokes, times, profits."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from prowess.games.cells.places import is_unplaced, parse_amount, parse_duration, parse_ordinal
from prowess.games.dates import is_year
from prowess.games.roles.evidence import MOST_FIT, ColumnEvidence, is_number
from prowess.games.values import plain_form
from prowess.games.vocabulary import (
    CONTEST,
    FEWER,
    MORE,
    PLACE,
    TOTALS,
    HeadingMeaning,
    is_task,
    read_heading,
    split_heading,
    tells_contests,
)
from prowess.games.words import slots_for, words_for

if TYPE_CHECKING:
    from prowess.games.roles.evidence import TableEvidence

MEASURES = {  # of those who are given tasks, and which end is better
    word: sign
    for sign, found in zip((1.0, -1.0), slots_for("measures"), strict=True)
    for word in found
}
BESIDE_MEASURES = words_for("beside_measure")
OF_ONE_CONTEST = words_for("one_contest")
OF_DAY = re.compile(r"([01]?[0-9]|2[0-3])[:.][0-5][0-9]")  # or minutes and seconds

Deciding = tuple[tuple[str, float], ...]  # columns, +1.0 where more is better, -1.0 where less is


def find_deciding(names: Sequence[str], evidence: TableEvidence) -> Deciding:
    """The columns that decide the contests of a table of players, empty where none is certain.

    A sign of 0.0 leaves it to the cells which end is better: less of times is.
    """
    words = {name: {*split_heading(name)} for name in names}
    solved = _of_words(words, words_for("solved"), evidence)
    if len(solved) == 1:
        penalty = _of_words(words, words_for("solving_time"), evidence)
        return ((solved[0], 1.0), *((name, -1.0) for name in penalty[:1]))
    if strokes := _choose(_of_words(words, words_for("strokes"), evidence)):
        return ((strokes, -1.0),)
    if par := _choose(
        [name for name in names if words[name] <= BESIDE_MEASURES and "par" in words[name]]
    ):
        return ((par, -1.0),)
    spans = [
        name for name in names if _may_be_span(read_heading(name)) and are_spans(evidence[name])
    ]
    if time := _choose(spans):
        return ((time, 0.0),)
    totals = [name for name in names if words[name] <= TOTALS and _are_amounts(evidence[name])]
    if len(totals) == 1:
        return ((totals[0], 0.0),)
    measured = [
        name for name in names
        if words[name] & {*MEASURES} and words[name] <= MEASURES.keys() | BESIDE_MEASURES
        and _are_amounts(evidence[name])
    ]  # fmt: skip
    if len(measured) == 1 and any(map(is_task, names)):
        sign = min(MEASURES[word] for word in words[measured[0]] & {*MEASURES})
        return ((measured[0], sign),)
    gains = [
        name for name in names if words[name] & words_for("gain") and _are_amounts(evidence[name])
    ]
    if len(gains) == 1:
        return ((gains[0], 1.0),)
    return _find_amounts(names, evidence)


def _find_amounts(names: Sequence[str], evidence: TableEvidence) -> Deciding:
    """The only column of amounts that is no key, no year and no time; its better end is open where
    the heading does not say it.
    """
    found = [
        name
        for name in names
        if not _tells_no_amount(read_heading(name))
        and not tells_contests(name)
        and plain_form(name) not in CONTEST
        and evidence[name].filled
        and (_are_amounts(evidence[name]) or are_spans(evidence[name]))
        and evidence[name].share(is_year) < 1.0
    ]
    if len(found) != 1:
        return ()
    plain = plain_form(found[0])
    if any(plain_form(name) in FEWER - {*PLACE} for name in names if name != found[0]):
        return ()  # a gap beside laps
    sign = 1.0 if plain in MORE else -1.0 if plain in FEWER else 0.0
    keys = [name for name in names if tells_contests(name) or plain_form(name) in CONTEST]
    repeated = any(evidence[name].filled > len(evidence[name].names) for name in keys)
    return ((found[0], sign),) if repeated or plain in OF_ONE_CONTEST else ()


def _tells_no_amount(heading: HeadingMeaning) -> bool:
    """Whether a heading says that its column holds something else than points."""
    other = heading.subjects - {"points", "result", "games", "sets"}
    return heading.spoiled or bool(heading.sides) or bool(other)


def _of_words(
    words: Mapping[str, set[str]], wanted: frozenset[str], evidence: TableEvidence
) -> list[str]:
    """The columns of numbers whose headings have one of these words, and no number of a round."""
    return [
        name
        for name, found in words.items()
        if found & wanted
        and not any(map(str.isdigit, found))
        and evidence[name].share(lambda cell: is_number(cell) or is_unplaced(cell)) >= MOST_FIT
    ]


def _choose(found: Sequence[str]) -> str | None:
    """The only column, or the only one whose heading says that it is a total."""
    totals = [name for name in found if TOTALS & {*split_heading(name)}]
    chosen = totals or found
    return chosen[0] if len(chosen) == 1 else None


def _may_be_span(heading: HeadingMeaning) -> bool:
    """Whether less of what a heading says is better; of a hold time it is not."""
    words = {*heading.words} - words_for("span_of_time") - TOTALS - BESIDE_MEASURES
    of_result = all(
        read_heading(word).subjects & {"result", "points", "occasion"} for word in words
    )
    return of_result and not heading.sides and not heading.spoiled


def are_spans(column: ColumnEvidence) -> bool:
    """Whether the cells are spans of time, and not all of them may be times of the day."""
    placed = [cell for cell in column.cells if not is_unplaced(cell)]
    if not any(map(_is_span, placed)) or not all(
        _is_span(cell) or is_number(cell) for cell in placed
    ):
        return False
    if len(placed) < column.filled:
        return True
    return not all(isinstance(cell, str) and OF_DAY.fullmatch(cell.strip()) for cell in placed)


def _is_span(cell: Any) -> bool:
    if isinstance(cell, dt.timedelta):
        return True
    if isinstance(cell, dt.time):
        return bool(cell.second or cell.microsecond)
    text = str(cell).strip().removeprefix("+").lstrip() if isinstance(cell, str) else ""
    return not is_number(text) and parse_duration(text) is not None


def _are_amounts(column: ColumnEvidence) -> bool:
    return column.share(lambda cell: is_unplaced(cell) or parse_amount(cell) is not None) == 1.0


def find_places(names: Sequence[str], evidence: TableEvidence, player: str) -> list[str]:
    """The columns of places that differ, without those whose place a player has in all contests."""
    found: list[str] = []
    for name in names:
        heading = read_heading(name)
        plain = plain_form(name) in PLACE or (heading.is_of("place") and not heading.unknown)
        if plain and not heading.sides and evidence[name].share(_is_ordinal) >= MOST_FIT:
            cells = evidence.rows[name]
            if not any(_say_the_same(cells, evidence.rows[other]) for other in found):
                found.append(name)
    if len(found) > 1:
        found = [name for name in found if not _is_kept(evidence, name, player)] or found
    return found


def _is_ordinal(cell: Any) -> bool:
    return is_unplaced(cell) or parse_ordinal(str(cell)) is not None


def _say_the_same(cells: Sequence[Any], others: Sequence[Any]) -> bool:
    known = [
        (parse_ordinal(str(one)), parse_ordinal(str(other)))
        for one, other in zip(cells, others, strict=True)
    ]
    return all(one == other for one, other in known if one is not None and other is not None)


def _is_kept(evidence: TableEvidence, name: str, player: str) -> bool:
    """Whether each player has one value in all rows, and some player has several rows."""
    rows = list(zip(evidence.rows[player], evidence.rows[name], strict=True))
    players = {who for who, _ in rows}
    return len(players) < len(rows) and len({*rows}) == len(players)
