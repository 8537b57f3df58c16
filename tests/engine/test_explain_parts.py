"""What a game gave to whom, and how good its result was for what was foreseen."""

from __future__ import annotations

from math import exp, fsum, log, nan, pi, sqrt
from typing import Any

import numpy as np
from pytest import approx

import prowess
from prowess.engine.check import check_system
from prowess.engine.params import rows_of
from prowess.engine.rate import rate
from prowess.engine.steps import describe_chance, describe_game
from prowess.engine.system import BadSystem, Chances
from prowess.systems.catalogue import find
from tests.engine.tables import games
from tests.refusals import refused

SCALE = 400.0 / log(10.0)
WHITE = ["Ann", "Ben", "Ann", "Ann"]
BLACK = ["Ben", "Ann", "Ben", "Ben"]
SURFACE = ["clay", "clay", "grass", "clay"]
WON = [1.0, 1.0, 1.0, 0.0]
VARIANCES = (0.4, 1.6)


def sigmoid(x):
    return 1.0 / (1.0 + exp(-x))


def ann_by_hand():
    """Each game of Ann as the formulas of docs/prowess_system.md have it, under two settings
    without experience and what is rich.

    White's advantage v = 0.1, White's own 0.02, a context 0.15 of the player's variance; the last
    two have learnt factors. Players and contexts age by a day a game.
    """
    lanes: list[Any] = [
        {
            "v": v,
            "known": {},
            "slope": 1.0,
            "square": 0.02,
            "log": 0.0,
            "factor": {"@": 1.0, "own": 1.0},
            "climbed": {"@": 1.0, "own": 1.0},
        }
        for v in VARIANCES
    ]
    found = []
    for white, black, surface, score in zip(WHITE, BLACK, SURFACE, WON, strict=True):
        members = (
            [white, f"{white}@{surface}", "side", f"{white} own side"],
            [black, f"{black}@{surface}"],
        )
        top = max(lane["log"] for lane in lanes)
        weight = [exp(lane["log"] - top) for lane in lanes]
        weight = [w / sum(weight) for w in weight]
        moved, chance = [], []
        for lane in lanes:
            first = {"side": 0.1}
            for name in members[0] + members[1]:
                v = lane["v"]
                if "@" in name:
                    v = 0.15 * min(v, 1.0)
                elif "own side" in name:
                    v = 0.02
                v = first.get(name, v)
                m, had = lane["known"].get(name, (0.0, v))
                if name in lane["known"] and "side" not in name:
                    m, had = m * exp(-2e-4), v + (had - v) * exp(-4e-4)
                lane["known"][name] = m, had
            kinds = {
                n: "@" if "@" in n else "own" if "own" in n else "" for n in members[0] + members[1]
            }
            factor = {n: lane["factor"].get(kind, 1.0) for n, kind in kinds.items()}
            d = sum(factor[n] * lane["known"][n][0] for n in members[0])
            d -= sum(factor[n] * lane["known"][n][0] for n in members[1])
            known = sum(factor[n] ** 2 * lane["known"][n][1] for n in members[0] + members[1])
            kappa = 1.0 / sqrt(1.0 + pi * known / 8.0)
            e = sigmoid(kappa * d)
            win = sigmoid(lane["slope"] * kappa * d)
            chance.append(win if score else 1.0 - win)
            before = dict(lane["known"])
            for kind in ("@", "own"):
                toward = sum(
                    sign * lane["known"][n][0]
                    for side, sign in zip(members, (1.0, -1.0), strict=True)
                    for n in side
                    if kinds[n] == kind
                )
                toward *= kappa * (score - e)
                lane["climbed"][kind] += toward * toward
                lane["factor"][kind] += 0.05 * toward / sqrt(lane["climbed"][kind])
            for side, sign in zip(members, (1.0, -1.0), strict=True):
                for name in side:
                    m, v = lane["known"][name]
                    information = kappa * kappa * e * (1.0 - e)
                    lane["known"][name] = (
                        m + v * factor[name] * sign * kappa * (score - e),
                        v / (1.0 + v * factor[name] ** 2 * information),
                    )  # fmt: skip
            moved.append({n: SCALE * (lane["known"][n][0] - before[n][0]) for n in before})
            wide = lane["square"] + 1e-6
            lane["square"] = wide / (1.0 + wide * win * (1.0 - win) * (kappa * d) ** 2)
            lane["slope"] += lane["square"] * (score - win) * kappa * d
            lane["log"] = 0.9998 * lane["log"] + log(chance[-1])
        side = members[0 if white == "Ann" else 1]
        names = dict(zip(side, ("general", f"on {surface}", "side advantage",
                                "own side advantage"), strict=False))  # fmt: skip
        parts = {
            names[n]: sum(w * one[n] for w, one in zip(weight, moved, strict=True)) for n in side
        }
        given = sum(w * one for w, one in zip(weight, chance, strict=True))
        found.append((parts, given))
    weight = [exp(lane["log"]) for lane in lanes]
    rating = sum(w * lane["known"]["Ann"][0] for w, lane in zip(weight, lanes, strict=True))
    return found, 1500.0 + SCALE * rating / sum(weight)


def read(**more):
    columns = {"white": WHITE, "black": BLACK, "result": WON, "surface": SURFACE, **more}
    return prowess.read_games(columns, context="surface", warn=False)


def test_parts_are_the_means_of_a_bank_by_hand():
    """General, side and context get what the formulas give them, weighed before the game."""
    ratings = prowess.rate(
        read(), "prowess", variance=list(VARIANCES), reversion=2e-4, experience=0, rich=0
    )
    steps = ratings.history("Ann").steps
    by_hand, last = ann_by_hand()
    for step, (parts, given) in zip(steps, by_hand, strict=True):
        assert dict(step.parts) == approx(parts, abs=1e-9)
        assert step.terms["game"] == step.parts["general"]
        assert fsum(step.terms.values()) == step.change
        won = step.score == 1.0
        assert (step.at_least if won else step.at_most) == approx(given, abs=1e-12)
        assert (step.at_most if won else step.at_least) == 1.0
        assert (step.opponent, step.partners) == ("Ben", "")
    assert steps[-1].after == approx(last, abs=1e-9)
    assert "settings weighed anew" in steps[2].terms
    assert list(steps[2].parts) == ["general", "side advantage", "own side advantage", "on grass"]


def test_a_margin_lies_in_a_part_of_the_forecast():
    """Chances of at least and of at most a margin are those of ordered logits: both have it."""
    margins = [2.0, 1.0, 3.0, -1.0, 0.0] * 4
    table = games([("Ann", "Ben", 1.0 if m > 0 else 0.5 if m == 0 else 0.0) for m in margins])
    ratings = rate(table.replace(margin=np.array(margins)), find("prowess"))
    pairs: Any = zip(ratings.history("Ann"), ratings.history("Ben"), strict=True)
    for one, other in pairs:
        assert one.margin == -other.margin == margins[one.row]
        assert one.at_least == approx(other.at_most, abs=1e-12)
        assert one.at_least + one.at_most > 1.0
    assert "won by 2 (26 % chance of that or better)" in ratings.history("Ann")[0].sentence


def test_chances_of_a_first_margin():
    """The chances of classes from a first game: the cut points are the settings' own."""
    margins = [1.0, -1.0, 2.0, -2.0, 3.0, -3.0]
    table = games([("Ann", "Ben", float(m > 0)) for m in margins]).replace(margin=np.array(margins))
    ratings = rate(
        table, find("prowess"), params={"variance": [0.8], "reversion": [2e-4], "opening": 6,
                                        "experience": 0.0, "rich": 0.0},
    )  # fmt: skip
    step = ratings.history("Ann")[0]  # won by 1: at least 1 is half, at most 1 all but the rest
    kappa = 1.0 / sqrt(1.0 + pi * 1.6 / 8.0)
    assert step.at_least == approx(0.5, abs=1e-12)
    (p,) = rows_of(ratings.p)
    assert step.at_most == approx(sigmoid(kappa * p.cut1), abs=1e-12)


def test_players_alone_are_named():
    """Opponents and partners are players; a context of another on the side belongs to them."""
    rows = {"a": ["Ann"], "a2": ["Bob"], "b": ["Cid"], "b2": ["Dee"], "result": ["1-0"]}
    table = prowess.read_games(
        rows | {"surface": ["clay"]}, player_a=("a", "a2"), player_b=("b", "b2"),
        context="surface", warn=False,
    )  # fmt: skip
    step = prowess.rate(table, "prowess").history("Ann")[0]
    assert (step.opponent, step.partners) == ("Cid & Dee", "Bob")
    assert step.opponent_rating == 1500.0
    assert list(step.parts) == ["general", "on clay", "matchup"]


def test_games_and_histories_of_all_name_players_alone():
    """The sides of the games table are players, and so are the players of all histories."""
    ratings = prowess.rate(read(), "prowess")
    told = ratings.games().columns
    assert (told["a"].tolist(), told["b"].tolist()) == (WHITE, BLACK)
    everyone = ratings.history().columns
    assert set(everyone["player"]) == {"Ann", "Ben"}
    assert "deviation" in everyone


def test_sentences():
    """Worked by hand: the smaller end of the forecast is told."""
    parts = {"general": 7.0, "on clay": 2.0}
    assert describe_game(1.0, 12.0, 0.31, 0.73, parts) == (
        "won by 12 (31 % chance of that or better): +9.0, of which +7.0 general, +2.0 on clay"
    )
    assert describe_game(0.0, -2.0, 0.9, 0.25, {"general": -3.0}) == (
        "lost by 2 (25 % chance of that or worse): -3.0"
    )
    assert describe_game(0.75, None, None, None, {"general": 1.0}) == "scored 0.75: +1.0"
    assert describe_chance(0.004, 1.0) == "upper 0.4 %"


def test_chances_of_a_score_or_better():
    """Without a model of draws a draw has none."""
    assert Chances(0.5, 0.25).at_least(0.5) == 0.75
    assert Chances(0.5, 0.25).at_least(1.0) == 0.5
    assert Chances(0.5).at_least(0.0) == 1.0
    assert Chances(0.5).at_least(0.5) == approx(nan, nan_ok=True)


def test_a_chance_outside_its_range_is_refused():
    """A system whose at_least is no chance is not complete."""
    from dataclasses import replace

    def at_least(p, mine, theirs, game, common):
        return 1.5

    with refused(BadSystem, "not_a_chance", about=("1.5", "at_least")):
        check_system(replace(find("prowess"), at_least=at_least))
