"""Who takes part and who is to meet whom, from files and options of `prowess tournament`."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.starting import numbered

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games
    from prowess.study.lineups import Side

NOBODY = ("bye", "-", "")
YES = ("1", "true", "yes", "y", "t")


def entrants(text: str) -> list[str]:
    """Names from `A,B,C`, or from a file with a name a line."""
    if Path(text).is_file():
        return [name for name in lines(text) if name.lower() not in NOBODY]
    return [name.strip() for name in next(csv.reader([text]), []) if name.strip()]


def lines(file: str) -> list[str]:
    """The lines of a bracket or a list of names; empty ones stand for nobody."""
    from prowess.games import BadData

    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except OSError as error:
        what = error.strerror or str(error)
        raise BadData(what, file=file, remedy="name a file that can be read") from None
    except UnicodeDecodeError:
        raise BadData("not text in UTF-8", file=file, remedy="save it as such") from None
    return [line.strip() for line in text.rstrip().split("\n")]


def bracket(file: str) -> tuple[list[str], list[int]]:
    """The names in a bracket from top to bottom, and its slots: their numbers, -1 for a bye."""
    stands = ["" if line.lower() in NOBODY else line for line in lines(file)]
    names = [name for name in stands if name]
    numbers = iter(range(len(names)))
    return names, [next(numbers) if name else -1 for name in stands]


def paired_rows(file: str, neutral: bool) -> tuple[list[str], list[tuple[int, int, float]]]:
    """Names and games (a, b, side) of a CSV of fixtures: two columns of names, such as home, away.

    Where the headings say who has the side (home and away, White and Black), games have one
    unless a column `neutral` or the option says otherwise. Raises BadData.
    """
    from prowess.games import BadData
    from prowess.games.headings import NEUTRAL, SIDED

    rows = numbered(file)
    first, header = next(rows, (1, []))
    plain = ["".join(c for c in name.lower() if c not in " _-") for name in header]
    for pair in sorted(SIDED | NEUTRAL):
        if set(pair) <= set(plain):
            break
    else:
        remedy = "call the columns of the two players home and away, or player_a and player_b"
        raise BadData("no two columns of players", file=file, line=first, remedy=remedy)
    columns = plain.index(pair[0]), plain.index(pair[1])
    ground = plain.index("neutral") if "neutral" in plain else None
    number: dict[str, int] = {}
    games = []
    for line, row in rows:
        if len(row) != len(header):
            what = f"{len(row)} values where the header has {len(header)}"
            raise BadData(what, file=file, line=line, remedy="mend the row")
        a, b = (row[column].strip() for column in columns)
        if not a or not b or a == b:
            what = "a fixture is between two different players"
            raise BadData(what, file=file, line=line, remedy="mend the row")
        sided = pair in SIDED and not neutral
        if ground is not None and row[ground].strip().lower() in YES:
            sided = False
        ids = [number.setdefault(name, len(number)) for name in (a, b)]
        games.append((ids[0], ids[1], float(sided)))
    if not games:
        raise BadData("no fixtures", file=file, line=first, remedy="write one a row")
    return list(number), games


def chosen(
    ratings: Ratings, named: str | None, best: int | None, played: Games | None
) -> Sequence[Side]:
    """The participants: those named, the best rated, or those who played, best rated first."""
    from prowess.study.lineups import members_of, side_text, sides_played

    if named is not None:
        return entrants(named)
    if best is not None:
        return [row["player"] for row in ratings.leaderboard(best).rows()]
    if played is None:
        raise click.UsageError(
            "say who takes part: --entrants NAME,NAME or FILE, --best N, or --since DATE for those "
            "who have played since"
        )
    strength = {
        side: sum(map(float, ratings.strength[list(ids)])) / len(ids)
        for side in sides_played(played)
        if (ids := members_of(ratings.players, side))
    }
    where: dict[str, str] = {}
    for side in strength:
        for member in side:
            if member in where:
                raise click.UsageError(
                    f"say who takes part with --entrants: {member!r} has played as "
                    f"{where[member]!r} and as {side_text(side)!r}"
                )
            where[member] = side_text(side)
    return sorted(strength, key=lambda side: (-strength[side], side_text(side)))


def results(ratings: Ratings, file: str | None, since: float | None, options: Any) -> Games | None:
    """What was played of the tournament: a file of games, or the table's own games since a day."""
    if file is not None and since is not None:
        raise click.UsageError("--played and --since both say what was played: choose one")
    if file is not None:
        from prowess.cli.columns import table_of

        plainly = {**options, "where": {}, "exclude": {}}
        table = table_of((file,), plainly, options["quiet"])
        if not table.pairwise:
            raise click.UsageError(f"--played: {file} has contests of many, not games of two sides")
        return table  # type: ignore[no-any-return]
    if since is None:
        return None
    games = ratings.table
    if not games.pairwise or games.time is None:
        raise click.UsageError("--since needs a table of games of two sides, with dates")
    return games.select(games.time >= since)


def numbers(text: str, count: int) -> Sequence[float]:
    """So many numbers with commas between."""
    try:
        given = [float(part) for part in text.split(",")]
    except ValueError:
        given = []
    if len(given) != count or not all(map(isfinite, given)):
        raise click.BadParameter(f"{text!r}: write {count} numbers such as 3,1,0")
    return given
