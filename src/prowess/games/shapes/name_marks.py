"""Marks at names that are no part of them: ratings, records, seeds, titles.

`Olga Fern (1812)` and `Olga Fern (1804)` are one player. Ratings and records that stand at nearly
every name and change are taken off; other marks make names look alike. `Guest`
may be several people.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from prowess.games.columns import Chunk, InputTable, Values, as_name
from prowess.games.errors import Suspicion, quote
from prowess.games.patterns import lazy_pattern
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.layout import Layout
    from prowess.games.roles.headings import Headings

_RATING = r"(?:(?:elo|dwz|rtg|rating|r)\W{0,2})?(?P<rating>[1-9]\d{2,3})\??(?:\s?(?:elo|dwz))?"
RATED = lazy_pattern(
    rf"(?P<name>.*?\S)\s*[\[(]\s*{_RATING}\s*[\])]|(?P<bare>\D*[^\W\d]\D*?)\s+(?P<number>\d{{4}})",
    re.IGNORECASE,
)
RECORD = lazy_pattern(r"(?P<name>.*?\S)\s*[\[(]\s*\d{1,3}[-–:]\d{1,3}(?:[-–:]\d{1,3})?\s*[\])]")
MOST_NAMES = 50_000  # of a roster in which names are looked at
FIRST = 20  # rows that tell whether names may have such marks
NEARLY_ALL = 0.8  # of the names have such a mark
MOST_RUNS = 1.5  # of one mark of a player, on average: the levels of a program come back often
STEP = 200.0  # by which a rating may change from one game of a player to the next


def take_off_marks(table: InputTable, headings: Headings, layout: Layout) -> InputTable | None:
    """The table with names without their ratings or records, where these change for one player;
    None for a table without such marks, or where they tell two players apart.
    """
    if headings.options.teams is not None:
        return None
    if not any(map(_may_be_marked, headings.evidence.rows.values())):
        return None
    sides = [layout.player] if layout.kind == "contests" else [layout.a, layout.b]
    rows = headings.evidence.rows
    if layout.sides or not all(name in rows for name in sides):
        return None
    names = [[as_name(cell) for cell in rows[name]] for name in sides]
    kind = next(
        (what for what, form in KINDS.items() if _changes(form, names, what == "ratings")), None
    )
    if kind is None:
        return None
    form = KINDS[kind]
    columns = {*sides, *([layout.result] if layout.form == "winner" else [])}

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in table.chunks(wanted):
            cleaned: dict[str, Any] = {}
            for name in columns & {*wanted}:
                cell = chunk.columns[name].cell
                cleaned[name] = Values([_bare_name(form, cell(row)) for row in range(chunk.count)])
            yield replace(chunk, columns={**chunk.columns, **cleaned})

    example = next(name for column in names for name in column if form.fullmatch(name))
    note = (
        f"{kind} at names are taken off: {quote(example)} is {quote(_bare_name(form, example))} "
        '(teams="names", --teams names, keeps them)'
    )
    details: Mapping[str, str] = dict.fromkeys(sides, f"without {kind}")
    return replace(
        table, chunks=chunks, beginning=None, notes=(*table.notes, note),
        details={**table.details, **details},
    )  # fmt: skip


def _may_be_marked(cells: Sequence[Any]) -> bool:
    """Whether most of the first cells of a column have such a mark."""
    first = [cell for cell in cells[:FIRST] if isinstance(cell, str)]
    marked = sum(bool(RATED.fullmatch(text) or RECORD.fullmatch(text)) for text in first)
    return 2 * marked > len(first)


KINDS = {"ratings": RATED, "records": RECORD}


def _bare_name(form: re.Pattern[str], cell: Any) -> Any:
    found = form.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if found is None:
        return cell
    return found["name"] or found.groupdict().get("bare")


def _changes(form: re.Pattern[str], names: Sequence[Sequence[str]], rated: bool) -> bool:
    """Whether such marks stand at nearly all names, and change for most players of several games,
    who never meet another of their name.
    """
    met = [tuple(str(_bare_name(form, name)).casefold() for name in row)
           for row in zip(*names, strict=True)]  # fmt: skip
    marked = [name for column in names for name in column if form.fullmatch(name)]
    if not marked or len(marked) < NEARLY_ALL * sum(map(len, names)):
        return False
    if any(len({*row}) < len(row) for row in met):
        return False
    seen: dict[str, list[str]] = defaultdict(list)
    for row, bare in zip(zip(*names, strict=True), met, strict=True):
        for name, player in zip(row, bare, strict=True):
            seen[player].append(name)
    several = [each for each in seen.values() if len(each) > 1]
    different = sum(len({*each}) for each in several)
    runs = sum(1 + sum(a != b for a, b in pairwise(each)) for each in several)
    if 2 * sum(len({*each}) > 1 for each in several) < max(len(several), 1):
        return False
    if runs > MOST_RUNS * different:
        return False
    steps = [abs(a - b) for each in several for a, b in pairwise(_ratings(each))]
    return not rated or max(steps, default=0.0) <= STEP


def _ratings(names: Sequence[str]) -> list[float]:
    found = [match for name in names if (match := RATED.fullmatch(name))]
    return [float(each["rating"] or each["number"]) for each in found]


# Names that stand for whoever played: several people as one player.


STAND_INS = words_for("stand_in")


def stand_in_note(players: Sequence[str]) -> Suspicion | None:
    """The note on names that may stand for several people; None where there are none."""
    if len(players) > MOST_NAMES:
        return None
    found = [name for name in players if name.casefold() in STAND_INS]
    if not found:
        return None
    shown = ", ".join(map(quote, found))
    return Suspicion(
        f"{shown} may stand for several people and is one player: exclude= (--exclude) leaves "
        "the rows out",
        f"{shown} may be several people",
    )
