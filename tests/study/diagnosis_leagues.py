"""Leagues for the diagnosis: clean ones, and ones in which something was planted.

`python -m tests.study.diagnosis_leagues SEEDS` counts how often which finding speaks.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.study.diagnosis.diagnose import Diagnosis, diagnose
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.systems.catalogue import find

ADVANTAGE = 60.0
OPEN = {"draws": 0.3, "births": 0.3, "life": 300, "beginning": "settled"}


def diagnosed(games: Games, name: str = "elo", **params: Any) -> Diagnosis:
    """The diagnosis of a league as the command line makes it."""
    system = find(name)
    return diagnose(games, system, params=params, theory=True)


def league(seed: int, games: int = 10_000, players: int = 100, **given: Any) -> Games:
    """A simulated league."""
    return simulate(league_settings(games=games, players=players, **given), seed).games


def joined(games: Games, more: list[tuple[float, str, str, float]]) -> Games:
    """A league with further games (share of its time, player, player, score), without sides."""
    assert games.time is not None
    names = list(games.players)
    known = {name: k for k, name in enumerate(names)}
    for _, a, b, _ in more:
        for name in (a, b):
            if name not in known:
                known[name] = len(names)
                names.append(name)
    first, last = float(games.time[0]), float(games.time[-1])
    day = np.array([first + share * (last - first) for share, _, _, _ in more])
    time = np.concatenate((games.time, day))
    order = np.argsort(time, kind="stable")
    side = np.zeros(len(games)) if games.side is None else games.side
    return games.replace(
        players=Roster(names),
        a=np.concatenate((games.a, [known[a] for _, a, _, _ in more])).astype(np.uint32)[order],
        b=np.concatenate((games.b, [known[b] for _, _, b, _ in more])).astype(np.uint32)[order],
        score=np.concatenate((games.score, [score for *_, score in more]))[order],
        side=np.concatenate((side, np.zeros(len(more))))[order],
        time=time[order],
    )


def closed(seed: int) -> Games:
    """A hundred players of constant strength."""
    return league(seed)


def opened(seed: int) -> Games:
    """Players come and go, a third of the games are drawn, the first side has 60 points."""
    return league(seed, advantage=ADVANTAGE, days=730, **OPEN)


def uneven(seed: int) -> Games:
    """Some play much, opponents are sought by rating."""
    return league(seed, activity="pareto", matchmaking="rating")


def walking(seed: int) -> Games:
    """Strengths walk, at a pace for which K = 32 is about right."""
    return league(seed, drift=12)


def wide(seed: int) -> Games:
    """Large differences, many games, a small step."""
    return league(seed, games=30_000, players=200, spread=300)


CLEAN: dict[str, tuple[Callable[[int], Games], dict[str, Any]]] = {
    "closed": (closed, {}),
    "open, draws, sides": (opened, {"advantage": ADVANTAGE}),
    "uneven activity, paired by rating": (uneven, {}),
    "strengths that walk": (walking, {}),
    "large differences, k = 8": (wide, {"k": 8.0}),
}


def learnt(seed: int) -> Games:
    """Everybody learns 0.5 points a day until he leaves, and takes his points along."""
    return league(
        seed, games=30_000, days=1500, births=0.3, life=400, beginning="settled", learning=0.5,
        learning_form="constant",
    )  # fmt: skip


def normal(seed: int) -> Games:
    """Results of a normal curve, under a system that believes in a logistic one."""
    return league(seed, games=50_000, players=200, spread=300, curve="normal")


def timesharing(seed: int) -> Games:
    """Results of a timesharing curve."""
    return league(seed, games=50_000, players=200, spread=300, curve="timesharing")


def two_pools(seed: int) -> Games:
    """Two leagues of fifty, ten games between them."""
    one, other = league(seed, 6000, 50), league(seed + 1000, 6000, 50)
    assert other.time is not None
    width = float(other.time[-1] - other.time[0])
    rows = [
        (float(t - other.time[0]) / width, f"x{other.players[a]}", f"x{other.players[b]}", float(s))
        for t, a, b, s in zip(other.time, other.a, other.b, other.score, strict=True)
    ]
    rng = np.random.default_rng(seed)
    bridges = [
        (0.1 + 0.08 * k, str(one.players[k]), f"x{other.players[k]}", float(rng.random() < 0.5))
        for k in range(10)
    ]
    return joined(one, rows + bridges)


def fed(seed: int) -> Games:
    """Ada loses like others, then wins sixty games in a row against Ben, whose account is new."""
    return joined(closed(seed), [*_ordinary(seed), *_wins(0.4, 60, "Ada", lambda k: "Ben")])


def fresh(seed: int) -> Games:
    """Ada wins ninety games against thirty accounts that play only her."""
    more = _wins(0.4, 90, "Ada", lambda k: f"new {k // 3:02d}")
    others = [  # newcomers whom the others meet, as strong as anybody
        (0.3 + 0.006 * k + 0.0001 * j, f"guest {k:02d}", f"P{(7 * k + j) % 100 + 1:03d}",
         float((k + j) % 2))
        for k in range(80) for j in range(6)
    ]  # fmt: skip
    return joined(closed(seed), [*_ordinary(seed), *more, *others])


def swapped(seed: int) -> Games:
    """From one day on somebody much stronger sits in Ada's chair: she wins forty in a row."""
    games = closed(seed)
    wins = [(0.6 + 0.001 * k, "Ada", f"P{(11 * k) % 100 + 1:03d}", 1.0) for k in range(40)]
    return joined(games, [*_ordinary(seed), *wins])


def bogey(seed: int) -> Games:
    """Two ordinary players meet eighty times, and always the same one wins."""
    games = closed(seed)
    wins = [(0.3 + 0.008 * k, "P001", "P002", 1.0) for k in range(80)]
    return joined(games, wins)


def doubled(seed: int) -> Games:
    """Twenty rows stand twice."""
    games = closed(seed)
    assert games.time is not None
    rows = np.sort(np.concatenate((np.arange(len(games)), np.arange(100, 8100, 400))))
    return games.replace(
        **{
            name: getattr(games, name)[rows]
            for name in ("a", "b", "score", "time", "side")
            if getattr(games, name) is not None
        },
    )


def by_turns(seed: int) -> Games:
    """Ada and Ben win forty games against each other, by turns."""
    turns = [(0.4 + 0.01 * k, "Ada", "Ben", float(k % 2)) for k in range(40)]
    return joined(closed(seed), [*_ordinary(seed), *turns])


def agreed(seed: int) -> Games:
    """Two players draw all their thirty games, in a league in which a third is drawn."""
    draws = [(0.4 + 0.01 * k, "Ada", "Ben", 0.5) for k in range(30)]
    return joined(opened(seed), [*_ordinary(seed), *draws])


def drawn_at_the_top(seed: int) -> Games:
    """Strong pairs draw, weak ones do not."""
    made = simulate(league_settings(games=20_000, players=100, spread=200), seed)
    level = 0.5 * (made.strength_a + made.strength_b)
    chance = np.clip(0.3 + (level - 1500.0) / 1000.0, 0.0, 0.6)
    draw = np.random.default_rng(seed).random(len(level)) < chance
    # both, so that the expected score stays as it is on even terms
    even = np.abs(made.expected - 0.5) < 0.25
    return made.games.replace(score=np.where(draw & even, 0.5, made.games.score))


def growing_side(seed: int) -> Games:
    """The first side is worth nothing at the beginning and 120 points at the end."""
    parts = [league(seed, 20_000, 100, advantage=value) for value in (0.0, 120.0)]
    late = np.random.default_rng(seed).random(20_000) < np.linspace(0.0, 1.0, 20_000)
    return parts[0].replace(score=np.where(late, parts[1].score, parts[0].score))


PLANTED: dict[str, tuple[Callable[[int], Games], dict[str, Any], tuple[str, ...]]] = {
    "learning and leaving": (learnt, {}, ("matched inflation",)),
    "normal curve": (normal, {}, ("form of the curve", "residuals by gap")),
    "timesharing curve": (timesharing, {}, ("form of the curve", "residuals by gap")),
    "two pools": (two_pools, {}, ("thin bridges",)),
    "a feeder": (fed, {}, ("repeated pairs",)),
    "always the same winner": (bogey, {}, ("points from one opponent", "repeated pairs")),
    "fresh accounts": (fresh, {}, ("points from newcomers",)),
    "another in the chair": (swapped, {}, ("sudden jumps",)),
    "rows twice": (doubled, {}, ("duplicated rows",)),
    "wins by turns": (by_turns, {}, ("wins by turns",)),
    "agreed draws": (agreed, {"advantage": ADVANTAGE}, ("draws of a pair",)),
    "draws at the top": (drawn_at_the_top, {}, ("draws by rating",)),
    "a side that grows": (growing_side, {}, ("side advantage over time",)),
    "a side not set": (opened, {}, ("side advantage",)),
}


def _ordinary(seed: int) -> list[tuple[float, str, str, float]]:
    """Sixty games of Ada against everybody, by chance, before anything happens."""
    rng = np.random.default_rng(seed)
    return [
        (0.005 * k, "Ada", f"P{(13 * k) % 100 + 1:03d}", float(rng.random() < 0.5))
        for k in range(60)
    ]


def _wins(
    start: float, count: int, winner: str, loser: Callable[[int], str]
) -> list[tuple[float, str, str, float]]:
    return [(start + 0.4 * k / count, winner, loser(k), 1.0) for k in range(count)]


def speaking(found: Diagnosis) -> set[str]:
    """The names of the findings that are not fine."""
    return {one.name for one in found if one.severity != "fine"}


def main(seeds: int, only: str) -> None:
    """Print how often which finding speaks, league by league."""
    kinds: dict[str, tuple[Callable[[int], Games], dict[str, Any]]] = dict(CLEAN)
    kinds |= {name: (make, params) for name, (make, params, _) in PLANTED.items()}
    for name, (make, params) in kinds.items():
        if only and only not in name:
            continue
        count: Counter[str] = Counter()
        accused = 0
        for seed in range(1, seeds + 1):
            found = diagnosed(make(seed), **params)
            count.update(speaking(found))
            accused += any(one.severity != "fine" and not one.advice for one in found)
        sys.stdout.write(f"{name}: {accused} of {seeds} leagues accused; {dict(count)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")
