"""A simulated league as text: tables that `prowess rate` reads unasked, and the truth beside them.

Numbers are written so that reading gives the same bits; times are whole seconds, UTC.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.study.simulated.league import League
from prowess.study.simulated.settings import SECONDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 65_536  # rows turned into text at a time
FORMS = ("csv", "jsonl")
RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


def game_lines(league: League, form: str = "csv") -> Iterator[str]:
    """The games, many rows a piece: date, players, result, and what else the table has."""
    games = league.games
    names, side = list(games.players), games.side
    one, other = ("player_a", "player_b") if side is None else ("white", "black")
    assert games.time is not None
    header = ["date", one, other, "result"]
    also: dict[str, NDArray[Any]] = {}
    if games.round is not None:
        also["round"] = games.round + 1
    if side is not None and not side.all():
        also["neutral"] = np.array(["true", "false"])[side.astype(np.int64)]
    if games.margin is not None:
        also["margin"] = games.margin
    yield from _header([*header, *also], form)
    for rows in _blocks(len(games)):
        columns = {
            "date": dates(games.time[rows]),
            one: [names[player] for player in games.a[rows].tolist()],
            other: [names[player] for player in games.b[rows].tolist()],
            "result": [RESULTS[score] for score in games.score[rows].tolist()],
        }
        columns |= {name: values[rows].tolist() for name, values in also.items()}
        yield _text(columns, form)


def player_lines(league: League, form: str = "csv") -> Iterator[str]:
    """The truth about every player: strengths in points, dates of birth and death, style, games."""
    truth = league.truth
    alive = np.isnan(truth.died)
    died = dates(np.where(alive, 0.0, truth.died))
    columns: dict[str, list[Any]] = {
        "player": list(league.games.players),
        "strength": truth.strength.tolist(),
        "strength_at_birth": truth.at_birth.tolist(),
        "born": dates(truth.born),
        "died": ["" if lives else day for lives, day in zip(alive.tolist(), died, strict=True)],
        "style": truth.style.tolist(),
        "activity": truth.activity.tolist(),
        "games": truth.games.tolist(),
    }
    yield from _header(columns, form)
    yield _text(columns, form)


def true_game_lines(league: League, form: str = "csv") -> Iterator[str]:
    """The truth about every game: both strengths in points, and the expected score of the first."""
    games = league.games
    names = list(games.players)
    assert games.time is not None
    names_of = ["date", "player_a", "player_b", "strength_a", "strength_b", "expected", "score"]
    yield from _header(names_of, form)
    for rows in _blocks(len(games)):
        values: list[list[Any]] = [
            dates(games.time[rows]),
            [names[player] for player in games.a[rows].tolist()],
            [names[player] for player in games.b[rows].tolist()],
            league.strength_a[rows].tolist(),
            league.strength_b[rows].tolist(),
            league.expected[rows].tolist(),
            games.score[rows].tolist(),
        ]
        yield _text(dict(zip(names_of, values, strict=True)), form)


def dates(days: NDArray[np.float64]) -> list[str]:
    """Days since 1970 as ISO text, to the second."""
    seconds = np.rint(days * SECONDS).astype("datetime64[s]")
    return np.datetime_as_string(seconds, unit="s").tolist()  # type: ignore[no-any-return]


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(low, low + BLOCK) for low in range(0, rows, BLOCK))


def _header(names: Any, form: str) -> Iterator[str]:
    if form == "csv":
        yield ",".join(names) + "\n"


def _text(columns: Mapping[str, list[Any]], form: str) -> str:
    rows = zip(*columns.values(), strict=True)
    if form == "csv":
        return "".join(",".join(map(str, row)) + "\n" for row in rows)
    return "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)
