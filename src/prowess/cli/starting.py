"""Ratings to begin with, from a CSV such as `prowess rate --csv` writes."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING

from prowess.cli.talk import say

if TYPE_CHECKING:
    from prowess.engine.system import Dynamic

IGNORED = {"rank", "games"}  # a leaderboard has them; they are no part of where somebody starts


def starting_ratings(
    file: str, players: Sequence[str], system: Dynamic, quiet: bool = False
) -> dict[str, dict[str, float]]:
    """Values by name for the players of a table; the others are counted on stderr.

    A column `@clay` has the ratings of the members `PLAYER@clay`, empty for a newcomer. Raises
    BadData with line and column.
    """
    from prowess.games import BadData
    from prowess.games.roster import unguard_names

    rows = numbered(file)
    first, header = next(rows, (1, []))
    known = set(players)
    contexts = _contexts(known)
    columns = ["player", *system.rating._fields, *(["@CONTEXT"] if contexts else [])]
    remedy = f"{system.name} can start from the columns {', '.join(columns)}"
    if "player" not in header:
        raise BadData('there is no column "player"', file=file, line=first, remedy=remedy)
    for place, name in enumerate(header):
        if name in header[:place]:
            raise BadData(f'two columns are called "{name}"', file=file, line=first, remedy=remedy)
        if contexts and name.startswith("@"):
            if name[1:] not in contexts:
                say(f"note: nobody plays {name} here, which {file} has", quiet)
        elif name not in {"player", *IGNORED, *system.rating._fields}:
            what = f"{system.name} keeps no such value"
            if name.startswith("@"):
                remedy = "say --per COLUMN, as when the ratings were made, or leave the column out"
            raise BadData(what, file=file, line=first, column=name, remedy=remedy)
    start: dict[str, dict[str, float]] = {}
    inside: dict[str, dict[str, float]] = {}  # ratings by `@context`, of each player
    header_names = set(header)
    for line, row in rows:
        if len(row) != len(header):
            what = f"{len(row)} values where the header has {len(header)}"
            raise BadData(what, file=file, line=line, remedy="mend the row")
        values = dict(zip(header, row, strict=True))
        player = values.pop("player").strip(" \t")
        if not set(system.inner) <= header_names:
            values.pop("games", None)  # of a leaderboard, without what the system kept beside it
        if player in start:
            what, remedy = f'"{player}" stands here a second time', "keep one row a player"
            raise BadData(what, file=file, line=line, column="player", remedy=remedy)
        start[player] = {
            column: _number(text, file, line, column)
            for column, text in values.items()
            if column in system.rating._fields
        }
        inside[player] = {
            column: _number(text, file, line, column)
            for column, text in values.items()
            if column.startswith("@") and text.strip()
        }
    names = unguard_names(list(start))
    if names is not None:
        start = dict(zip(names, start.values(), strict=True))
    rating = system.rating._fields[0]
    of_members = {
        f"{player}{context}": {rating: value}
        for player, of_contexts in zip(start, inside.values(), strict=True)
        for context, value in of_contexts.items()
    }
    away = len(start.keys() - known)
    if away:
        say(f"note: {away:,} of {len(start):,} players in {file} play no game here", quiet)
    start = of_members | start
    return {player: values for player, values in start.items() if player in known}


def _contexts(players: set[str]) -> set[str]:
    """The contexts of members such as `Ann@clay`, where Ann is a player."""
    parts = (name.rpartition("@") for name in players if "@" in name)
    return {context for player, _, context in parts if player in players}


def numbered(file: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file that are not empty, each with its line."""
    from prowess.games import BadData

    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.reader(lines, strict=True)
            for row in rows:
                if row:
                    yield rows.line_num, row
    except OSError as error:
        what = error.strerror or str(error)
        raise BadData(what, file=file, remedy="name a file that can be read") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadData(f"not CSV in UTF-8: {error}", file=file, remedy="save it as such") from None


def _number(text: str, file: str, line: int, column: str) -> float:
    from prowess.games import BadData

    try:
        number = float(text)
    except ValueError:
        number = nan
    if not isfinite(number):
        what, remedy = f'"{text}" is not a number', "give a number such as 1500"
        raise BadData(what, file=file, line=line, column=column, remedy=remedy)
    return number
