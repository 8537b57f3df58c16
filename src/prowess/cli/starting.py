"""Ratings to begin with, from a CSV such as `prowess rate --csv` writes."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING

from prowess.cli.talk import say

if TYPE_CHECKING:
    from prowess.engine.system import Dynamic

IGNORED = {"rank", "games"}  # a leaderboard has them; they are no part of where somebody starts


def starting_ratings(
    file: str, players: Sequence[str], system: Dynamic, quiet: bool = False
) -> dict[str, dict[str, float]]:
    """Values by name for the players of a table; the others are counted on stderr.

    Raises BadData with line and column.
    """
    from prowess.games import BadData

    known = set(players)
    start: dict[str, dict[str, float]] = {}
    seen: set[str] = set()
    try:
        with open(file, encoding="utf-8-sig", newline="") as lines:  # noqa: PTH123
            rows = csv.reader(lines, strict=True)
            header = [name.strip() for name in next(rows, [])]
            columns = _columns(file, header, system)
            for row in rows:
                line = rows.line_num
                if not row:
                    continue
                if len(row) != len(header):
                    raise BadData(
                        f"{len(row)} values where the header has {len(header)}",
                        file=file, line=line, remedy="mend the row",
                    )  # fmt: skip
                name = row[header.index("player")]
                if name in seen:
                    raise BadData(
                        f"{name!r} stands here a second time",
                        file=file, line=line, column="player", remedy="keep one row a player",
                    )  # fmt: skip
                seen.add(name)
                values = {
                    column: _number(file, line, column, row[header.index(column)])
                    for column in columns
                }
                if name in known:
                    start[name] = values
    except OSError as error:
        raise BadData(error.strerror or str(error), file=file, remedy="name a file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadData(f"not CSV in UTF-8: {error}", file=file, remedy="save it as such") from None
    away = len(seen) - len(start)
    if away:
        say(f"note: {away:,} of {len(seen):,} players in {file} play no game here", quiet)
    return start


def _columns(file: str, header: list[str], system: Dynamic) -> list[str]:
    """The columns that hold values of the system."""
    from prowess.games import BadData

    fields = system.rating._fields
    remedy = f"{system.name} can start from player, {', '.join(fields)}"
    if len(set(header)) != len(header):
        raise BadData("two columns have one name", file=file, line=1, remedy=remedy)
    if "player" not in header:
        raise BadData('no column "player"', file=file, line=1, remedy=remedy)
    for name in header:
        if name not in {"player", *fields, *IGNORED}:
            raise BadData(
                f"{system.name} has no {name!r}",
                file=file, line=1, column=name, remedy=remedy,
            )  # fmt: skip
    return [name for name in header if name in fields]


def _number(file: str, line: int, column: str, text: str) -> float:
    from math import isfinite

    from prowess.games import BadData

    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise BadData(
            f"{text!r} is not a number", file=file, line=line, column=column,
            remedy="give a number such as 1500",
        )  # fmt: skip
    return number
