"""Forecast the games of whole tables with other people's programs and write how good they were.

    python -m venv others
    others/bin/pip install elote==1.5.1 riix==0.0.6
    others/bin/python tests/independent/forecasts_by_others.py

Constants that a program rounds are given to it exactly, as in `ratings_by_others.py`. elote's own
expected score of Glicko leaves the player's deviation out; here its ratings and deviations before
each game stand in the forecast of the paper ("The Glicko system", section "expected outcome").
"""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections.abc import Iterator
from datetime import date, datetime, time
from importlib import import_module
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Q = math.log(10) / 400
WARM_UP = 0.2
LAST = 10
RESULTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
Game = tuple[date, str, str, float]


def engines() -> list[Game]:
    """(day, White, Black, score of White) of the engine games, in the order of the file."""
    with gzip.open(HERE / "tcec_2018.csv.gz", "rt", encoding="utf-8", newline="") as text:
        return [
            (date.fromisoformat(r["date"]), r["white"], r["black"], RESULTS[r["result"]])
            for r in csv.DictReader(text)
        ]


def met(a: Any, b: Any, score: float, **when: Any) -> None:
    """One game in elote."""
    if score == 0.5:
        a.tied(b, **when)
    elif score == 1.0:
        a.beat(b, **when)
    else:
        b.beat(a, **when)


def elo(games: list[Game]) -> Iterator[float]:
    """Elo by elote, game by game, K = 20."""
    competitor = import_module("elote").EloCompetitor
    players: dict[str, Any] = {}
    for _, first, second, score in games:
        a, b = (
            players.setdefault(name, competitor(initial_rating=1500, k_factor=20))
            for name in (first, second)
        )
        yield a.expected_score(b)
        met(a, b, score)


def glicko(games: list[Game]) -> Iterator[float]:
    """Glicko by elote, game by game, a period of 30 days without steps."""
    competitor = import_module("elote").GlickoCompetitor
    competitor._q, competitor._rating_period_days = Q, 30.0
    competitor._minimum_rating = -math.inf
    players: dict[str, Any] = {}
    for day, first, second, score in games:
        a, b = (players.setdefault(name, competitor()) for name in (first, second))
        now = datetime.combine(day, time())
        for one in (a, b):
            one.update_rd_for_inactivity(now)
            one._last_activity = now  # or the game would let the same time pass once more
        g = 1 / math.sqrt(1 + 3 * Q**2 * (a.rd**2 + b.rd**2) / math.pi**2)
        yield 1 / (1 + 10 ** (-g * (a.rating - b.rating) / 400))
        met(a, b, score, match_time=now)


def glicko2(games: list[Game]) -> Iterator[float]:
    """Glicko-2 by riix, all games of a calendar month together; epsilon = 1e-13."""
    numpy = import_module("numpy")
    names = list(dict.fromkeys(name for _, a, b, _ in games for name in (a, b)))
    number = {name: k for k, name in enumerate(names)}
    model = import_module("riix.models.glicko2").Glicko2
    start = 350 * Q * 173.7178  # so that its phi is 350 points of ln 10 / 400
    system = model(names, initial_rd=start, epsilon=1e-13, update_method="batched")
    by_month = {
        month: list(rows)
        for month, rows in groupby(games, key=lambda game: 12 * game[0].year + game[0].month)
    }
    for step, month in enumerate(range(min(by_month), max(by_month) + 1)):
        rows = by_month.get(month, [])  # in a month without games deviations only grow
        pairs = numpy.array([(number[a], number[b]) for _, a, b, _ in rows], int).reshape(-1, 2)
        yield from system.predict(pairs).tolist()
        system.update(pairs, numpy.array([score for *_, score in rows]), time_step=step)


def judged(games: list[Game], forecasts: list[float]) -> dict[str, Any]:
    """Mean log loss and Brier score after the first fifth, by their formulas."""
    first = math.ceil(WARM_UP * len(games))
    pairs = [(game[3], e) for game, e in zip(games, forecasts, strict=True)][first:]
    losses = [-(s * math.log(e) + (1 - s) * math.log(1 - e)) for s, e in pairs]
    return {
        "judged": len(pairs),
        "log_loss": math.fsum(losses) / len(pairs),
        "brier": math.fsum((s - e) ** 2 for s, e in pairs) / len(pairs),
        "last": [e for _, e in pairs[-LAST:]],
    }


def main() -> None:
    """Write one file with the scores of each table and program."""
    football = import_module("results").football()
    tables = {"football": football, "engines": engines()}
    made = [
        ("football", elo, "elote"),
        ("football", glicko, "elote"),
        ("engines", elo, "elote"),
        ("engines", glicko, "elote"),
        ("engines", glicko2, "riix"),
    ]
    found = {
        f"{table} {forecast.__name__}": {
            "origin": f"{program} {version(program)}, by {Path(__file__).name}: {forecast.__doc__}",
            **judged(tables[table], list(forecast(tables[table]))),
        }
        for table, forecast, program in made
    }
    text = json.dumps(found, indent=1) + "\n"
    (HERE / "forecasts" / "elote_and_riix.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
