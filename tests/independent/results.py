"""The example tables read the shortest way, so that other programs and ours rate the same rows."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from datetime import date
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def rows(name: str) -> Iterator[dict[str, str]]:
    """The rows of an example table."""
    with gzip.open(EXAMPLES / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as text:
        yield from csv.DictReader(text)


def football() -> list[tuple[date, str, str, float]]:
    """(day, home, away, score of home) in order of days; rows of one day keep theirs."""
    games = []
    for row in rows("international_football_results"):
        home, away = int(row["home_score"]), int(row["away_score"])
        score = 1.0 if home > away else 0.0 if home < away else 0.5
        games.append((date.fromisoformat(row["date"]), row["home_team"], row["away_team"], score))
    return sorted(games, key=lambda game: game[0])


def races() -> list[list[str]]:
    """Per Formula 1 race the classified drivers, winner first.

    Only numbered positions count, and of drivers who shared a car or stand twice the first row.
    """
    fields: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows("f1_race_results"):
        if row["position"].isdigit():
            field = fields.setdefault((row["season"], row["round"]), {})
            if row["driver"] not in field and int(row["position"]) not in field.values():
                field[row["driver"]] = int(row["position"])
    return [sorted(field, key=field.__getitem__) for field in fields.values()]
