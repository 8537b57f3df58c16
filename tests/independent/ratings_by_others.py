"""Rate the example tables with other people's programs and write what they say.

    python -m venv others
    others/bin/pip install elote==1.5.1 riix==0.0.6 openskill==6.2.0
    others/bin/python tests/independent/ratings_by_others.py

Where a program rounds a constant of the paper (elote takes q = 0.0057565, riix converts its units
by 173.7178), the exact one is given to it, so that all digits can be compared.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from datetime import datetime, time
from importlib import import_module
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TOP = 30
Q = math.log(10) / 400
Players = dict[str, dict[str, float]]

# Found beside this file: some of the programs install a package that is called `tests` too.
results = import_module("results")


def elo_by_elote() -> Players:
    """Game by game, K = 20."""
    competitor = import_module("elote").EloCompetitor
    players: dict[str, Any] = {}
    for _, home, away, score in results.football():
        a, b = (
            players.setdefault(name, competitor(initial_rating=1500, k_factor=20))
            for name in (home, away)
        )
        met(a, b, score)
    return {name: {"rating": player.rating} for name, player in players.items()}


def glicko_by_elote() -> Players:
    """Game by game, a period of 30 days without steps."""
    competitor = import_module("elote").GlickoCompetitor
    competitor._q, competitor._rating_period_days = Q, 30.0
    competitor._minimum_rating = -math.inf
    players: dict[str, Any] = {}
    for day, home, away, score in results.football():
        a, b = (players.setdefault(name, competitor()) for name in (home, away))
        met(a, b, score, match_time=datetime.combine(day, time()))
    return {
        name: {"rating": player.rating, "deviation": player.rd} for name, player in players.items()
    }


def met(a: Any, b: Any, score: float, **when: Any) -> None:
    """One game in elote."""
    if score == 0.5:
        a.tied(b, **when)
    elif score == 1.0:
        a.beat(b, **when)
    else:
        b.beat(a, **when)


def glicko_by_riix() -> Players:
    """All games of a calendar year together."""
    model = import_module("riix.models.glicko").Glicko
    system, names = by_years(lambda names: model(names, c=34.6, update_method="batched"))
    return {
        name: {"rating": float(system.ratings[k]), "deviation": float(system.rating_devs[k])}
        for k, name in enumerate(names)
    }


def glicko2_by_riix() -> Players:
    """All games of a calendar year together; epsilon = 1e-13 for the volatility."""
    model = import_module("riix.models.glicko2").Glicko2
    start = 350 * Q * 173.7178  # so that its phi is 350 points of ln 10 / 400
    system, names = by_years(
        lambda names: model(names, initial_rd=start, epsilon=1e-13, update_method="batched")
    )
    return {
        name: {
            "rating": 1500 + float(system.mus[k]) / Q,
            "deviation": float(system.phis[k]) / Q,
            "volatility": float(system.sigmas[k]),
        }
        for k, name in enumerate(names)
    }


def by_years(made: Callable[[list[str]], Any]) -> tuple[Any, list[str]]:
    """A riix system after all years, and its players."""
    numpy = import_module("numpy")
    games = results.football()
    names = list(dict.fromkeys(name for _, home, away, _ in games for name in (home, away)))
    number = {name: k for k, name in enumerate(names)}
    system = made(names)
    for step, (year, of_year) in enumerate(groupby(games, key=lambda game: game[0].year)):
        if year != games[0][0].year + step:
            raise SystemExit(f"no games in the year before {year}: its steps of time need care")
        rows = list(of_year)
        pairs = numpy.array([(number[home], number[away]) for _, home, away, _ in rows])
        system.update(pairs, numpy.array([score for *_, score in rows]), time_step=step)
    return system, names


def weng_lin_by_openskill() -> Players:
    """Race by race, Bradley-Terry with full pairing, the program's own defaults."""
    model = import_module("openskill.models").BradleyTerryFull()
    players: dict[str, Any] = {}
    for field in results.races():
        if len(field) > 1:
            teams = [[players.get(name) or model.rating(name=name)] for name in field]
            for name, [player] in zip(field, model.rate(teams), strict=True):
                players[name] = player
    return {name: {"rating": one.mu, "deviation": one.sigma} for name, one in players.items()}


MADE = {
    "elo": (elo_by_elote, "elote"),
    "glicko": (glicko_by_elote, "elote"),
    "glicko_by_year": (glicko_by_riix, "riix"),
    "glicko2_by_year": (glicko2_by_riix, "riix"),
    "weng_lin": (weng_lin_by_openskill, "openskill"),
}


def main() -> None:
    """Write one file per calculation, the best players of each first."""
    for name in sys.argv[1:] or MADE:
        rated, program = MADE[name]
        players = rated()
        best = sorted(players, key=lambda player: -players[player]["rating"])[:TOP]
        made = {
            "origin": f"{program} {version(program)}, by {Path(__file__).name}: {rated.__doc__}",
            "players": len(players),
            "best": {player: players[player] for player in best},
        }
        text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
        (HERE / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
