"""The robot league's reference cases; the Condorcet methods stand in family_voting."""

from __future__ import annotations

from math import log, log10
from typing import Any

import numpy as np

from prowess.engine.battles import Revision, play_battles
from prowess.engine.fit import fit_table
from prowess.engine.pairings import pairings as merged
from prowess.games.games import Games
from prowess.systems import aps, batch_elo, rumble_elo, rumble_glicko
from tests.engine.tables import games

ELO = rumble_elo.Params()


def league(battles: Any) -> Games:
    """Battles [bot, bot, points, points] as a table."""
    a, b, mine, theirs = zip(*battles, strict=True)
    points = {"points_a": np.array(mine, dtype=float), "points_b": np.array(theirs, dtype=float)}
    scores = 0.5 + 0.5 * np.sign(points["points_a"] - points["points_b"])
    return games(list(zip(a, b, scores.tolist(), strict=True)), **points)


def pairings(inputs: dict[str, Any]) -> dict[str, Any]:
    table, p = league(inputs["battles"]), {"pairing": inputs["mode"]}
    met = merged(table, running=inputs["mode"] == "running")
    names = met.players
    league_table, averages = fit_table(table, aps.PL, params=p), fit_table(table, aps.APS, params=p)
    words = {"won": "wins", "tied": "ties", "lost": "losses", "points": "points"}
    return {
        "pair": {
            names[i] + names[j]: float(met.share[i, j])
            for i, j in zip(*met.met.nonzero(), strict=True)
        },
        "aps": dict(zip(names, averages.column("aps").tolist(), strict=True)),
        "pl": {
            name: {word: int(league_table.column(ours)[k]) for ours, word in words.items()}
            for k, name in enumerate(names)
        },
    }


def ratings(inputs: dict[str, Any]) -> dict[str, Any]:
    systems = {
        "elo": rumble_elo.RUMBLE_ELO,
        "glicko": rumble_glicko.RUMBLE_GLICKO,
        "glicko2": rumble_glicko.RUMBLE_GLICKO2,
    }
    stages = []
    for count in range(1, len(inputs["battles"]) + 1):
        table, stage = league(inputs["battles"][:count]), {}
        for word, system in systems.items():
            p = {"pairing": inputs["mode"]} | ({"k": inputs["k"]} if word == "elo" else {})
            after = fit_table(table, system, params=p)
            rows = np.column_stack([after.columns[name] for name in after.fields]).tolist()
            stage[word] = {
                name: row[0] if word == "elo" else row
                for name, row in zip(after.players, rows, strict=True)
            }
        stages.append(stage)
    return {"after_each_battle": stages}


def expected(inputs: dict[str, Any]) -> dict[str, Any]:
    step = rumble_elo.EloConstants(ELO.k, rumble_elo.q(ELO.base, ELO.scale))
    a, b = rumble_elo.Rating(inputs["a"]), rumble_elo.Rating(inputs["b"])
    chance, printed = rumble_elo.expected_score(step, a, b), rumble_elo.expected_score(step, b, a)
    return {"E": chance, "E_as_printed": printed}


def scale(inputs: dict[str, Any]) -> dict[str, Any]:
    q = rumble_elo.q(ELO.base, ELO.scale)
    return {
        "equivalent_400_base10_scale": log(10.0) / q,
        "factor_to_400_scale": 400.0 * q / log(10.0),
        "Q": q,
        "max_stable_opponents": 2.0 * rumble_elo.overshoots_beyond(ELO),
    }


def sign(inputs: dict[str, Any]) -> dict[str, Any]:
    """The printed sign is our formula with the two bots exchanged in E."""
    right = rumble_elo.make_revision(ELO.start)

    def misprinted(p: Any, me: Any, opponent: Any, game: Any) -> Any:
        return rumble_elo.Evidence(game.score - rumble_elo.expected_score(p, opponent, me))

    def after(revision: Revision, battles: int) -> list[float]:
        table = league([["A", "B", inputs["pair"], 1.0 - inputs["pair"]]] * battles)
        step = rumble_elo.EloConstants(ELO.k, rumble_elo.q(ELO.base, ELO.scale))
        field = play_battles(revision, step, table, table.points_a)
        return [float(rating) for rating in field.rating[:, 0]]

    odds = inputs["pair"] / (1.0 - inputs["pair"])
    return {
        "printed": after(right._replace(evidence=misprinted), inputs["battles_printed"]),
        "right": after(right, inputs["battles_right"]),
        "limit_difference": log10(odds) / log10(ELO.base) * ELO.scale,
    }


def repeated(inputs: dict[str, Any]) -> dict[str, Any]:
    table = league(inputs["battles"] * inputs["repeats"])
    elo = fit_table(table, rumble_elo.RUMBLE_ELO).column("rating")
    glicko = fit_table(table, rumble_glicko.RUMBLE_GLICKO)
    names = table.players
    both = zip(glicko.column("rating").tolist(), glicko.column("deviation").tolist(), strict=True)
    return {
        "elo_minus_A": dict(zip(names, (elo - elo[0]).tolist(), strict=True)),
        "elo_mean": float(elo.mean()),
        "glicko": dict(zip(names, map(list, both), strict=True)),
    }


def batch(inputs: dict[str, Any]) -> dict[str, Any]:
    """Win rates as weights: of one battle a share W was won, and 1 - W lost."""
    rates = inputs.get("wins_of_10") or inputs["W"]
    names = "ABCDEFGH"[: len(rates)]
    rows = [
        (names[i], names[j], 1.0, rates[i][j])
        for i in range(len(names))
        for j in range(len(names))
        if rates[i][j]  # none: never met; 0: the other won all
    ]
    a, b, score, weight = zip(*rows, strict=True)
    table = games(list(zip(a, b, score, strict=True)), list(names), weight=weight)
    p = {"base": inputs["base"], "scale": inputs["scale"], "mean": inputs["mean"]}
    rating = fit_table(table, batch_elo.BATCH_ELO, params=p).column("rating")
    answer = {"ratings": rating.tolist()}
    if rates is inputs["W"] and in_tenths(rates):  # the one case that states its totals
        step = rumble_elo.EloConstants(0.0, rumble_elo.q(inputs["base"], inputs["scale"]))
        bots = list(map(rumble_elo.Rating, rating.tolist()))
        answer["total_scores"] = [
            sum(rumble_elo.expected_score(step, bot, other) for other in bots if other is not bot)
            for bot in bots
        ]
    return answer


def in_tenths(rates: list[list[float | None]]) -> bool:
    """Whether every pair has met, and has a win rate of ten battles."""
    given = [rate for i, row in enumerate(rates) for j, rate in enumerate(row) if i != j]
    return all(rate is not None and abs(10 * rate - round(10 * rate)) < 1e-9 for rate in given)


FAMILIES = {
    "roborumble.pairings": pairings,
    "roborumble.ratings": ratings,
    "roborumble.expected": expected,
    "roborumble.scale": scale,
    "roborumble.sign": sign,
    "roborumble.repeated": repeated,
    "roborumble.batch_elo": batch,
}
