"""Participants, fixtures and results so far, from files and options of `prowess tournament`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prowess.cli.reading import NOTHING, Reading, read_header, read_table, split_csv

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games
    from prowess.study.lineups import Side

BYES = ("bye", "-", "")
YES = ("1", "true", "yes", "y", "t")


def parse_entrants(text: str) -> list[str]:
    """Names from `A,B,C`, or from a file with a name a line."""
    if Path(text).is_file():
        return [name for name in read_names(text) if name.lower() not in BYES]
    return [name.strip() for name in split_csv(text) if name.strip()]


def read_names(file: str) -> list[str]:
    """The lines of a bracket or a list of names; empty ones are byes."""
    from prowess.games import BadData

    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except OSError as error:
        what = error.strerror or str(error)
        raise BadData(what, file=file, remedy="name a file that can be read") from None
    except UnicodeDecodeError:
        raise BadData("not text in UTF-8", file=file, remedy="save it as such") from None
    return [line.strip() for line in text.rstrip().split("\n")]


def read_bracket(file: str) -> tuple[list[str], list[int]]:
    """The names in a bracket from top to bottom, and its slots: their numbers, -1 for a bye."""
    lines = ["" if line.lower() in BYES else line for line in read_names(file)]
    names = [name for name in lines if name]
    numbers = iter(range(len(names)))
    return names, [next(numbers) if name else -1 for name in lines]


def read_fixtures(file: str, neutral: bool) -> tuple[list[str], list[tuple[int, int, float]]]:
    """Names and games (a, b, side) of a CSV of fixtures: two columns of names, such as home, away.

    Where the headings name sides (home and away, White and Black), games have a side advantage
    unless a column `neutral` or the option says otherwise. Raises BadData.
    """
    from prowess.games import BadData
    from prowess.games.headings import NEUTRAL, SIDED

    pairs = sorted(SIDED | NEUTRAL)

    def plain_names(header: list[str]) -> list[str]:
        return ["".join(c for c in name.lower() if c not in " _-") for name in header]

    def check(header: list[str]) -> tuple[str, str, str | None] | None:
        if any(set(pair) <= set(plain_names(header)) for pair in pairs):
            return None
        remedy = "call the columns of the two players home and away, or player_a and player_b"
        return "no two columns of players", remedy, None

    header, rows = read_header(file, check)
    plain = plain_names(header)
    pair = next(pair for pair in pairs if set(pair) <= set(plain))
    columns = [header[plain.index(name)] for name in pair]
    ground = header[plain.index("neutral")] if "neutral" in plain else None
    number: dict[str, int] = {}
    games = []
    for row in rows:
        a, b = (row.values[column].strip() for column in columns)
        if not a or not b or a == b:
            raise row.fault("mend the row", "a fixture is between two different players")
        on_neutral = ground is not None and row.values[ground].strip().lower() in YES
        sided = pair in SIDED and not neutral and not on_neutral
        ids = [number.setdefault(name, len(number)) for name in (a, b)]
        games.append((ids[0], ids[1], float(sided)))
    if not games:
        raise BadData("no fixtures", file=file, remedy="write one a row")
    return list(number), games


def select_participants(
    ratings: Ratings, named: str | None, best: int | None, played: Games | None
) -> Sequence[Side]:
    """The participants: those named, the best rated, or those who played, best rated first."""
    from prowess.study.lineups import members_of, side_text, sides_played

    if named is not None:
        return parse_entrants(named)
    if best is not None:
        return [row["player"] for row in ratings.leaderboard(best).rows()]
    if played is None:
        raise click.UsageError(
            "give --entrants NAME,NAME or FILE, or --best N, or --since DATE for the players since"
        )
    strength = {
        side: sum(map(float, ratings.strength[list(ids)])) / len(ids)
        for side in sides_played(played)
        if (ids := members_of(ratings.players, side))
    }
    seen: dict[str, str] = {}
    for side in strength:
        for member in side:
            if member in seen:
                raise click.UsageError(
                    f"give --entrants: {member!r} has played as {seen[member]!r} and as "
                    f"{side_text(side)!r}"
                )
            seen[member] = side_text(side)
    return sorted(strength, key=lambda side: (-strength[side], side_text(side)))


def read_results(
    ratings: Ratings, file: str | None, since: float | None, reading: Reading
) -> Games | None:
    """The results so far: a file of games, or the table's own games since a day."""
    if file is not None and since is not None:
        raise click.UsageError("choose --played or --since: both give the results so far")
    if file is not None:
        table = read_table(reading._replace(files=(file,), where=NOTHING, exclude=NOTHING))
        if not table.pairwise:
            raise click.UsageError(f"give --played games of two sides: {file} has contests of many")
        return table  # type: ignore[no-any-return]
    if since is None:
        return None
    games = ratings.table
    if not games.pairwise or games.time is None:
        raise click.UsageError("give --since with a table of games of two sides, with dates")
    return games.select(games.time >= since)


def parse_numbers(text: str, count: int) -> Sequence[float]:
    """So many numbers with commas between."""
    try:
        given = [float(part) for part in text.split(",")]
    except ValueError:
        given = []
    if len(given) != count or not all(map(isfinite, given)):
        raise click.BadParameter(f"write {count} numbers such as 3,1,0, not {text!r}")
    return given
