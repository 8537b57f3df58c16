"""Checks for anomalies of players and pairs: jumps, farming, and patterns in the results of a pair.

Jumps: runs of successive games of established players. The score above the calibrated forecasts of
a run is a sum whose tail has a bound (`findings.log_chernoff`); it holds although ratings follow
the results, because each forecast was made before its game. Bonferroni covers all runs.

Farming: if ratings are right, scores above expectation against one opponent (or against newcomers,
beyond what all players gain from newcomers) are sums with the same bound.

Patterns: two players who win by turns lift each other in leagues that count wins. The order of wins
and losses of a pair under like conditions (the same player has the side, or neither) is tested
exactly by its number of runs. Draws are compared with the share among games with like forecasts.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.study.diagnosis.curve import CalibratedCurve, TooFew, expected_on_curve, fit_curve
from prowess.study.diagnosis.findings import (
    Observation,
    best_of,
    log_chernoff,
    log_cumulants,
    runs_tail,
    sum_by_group,
)
from prowess.study.diagnosis.history import ESTABLISHED, LeagueHistory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]


RUNS = (20, 40)  # games; ten wins in a row happen by chance among many players
SHOWN = 5
SURE = log(0.05)


def check_jumps(history: LeagueHistory, calibration: CalibratedCurve) -> Observation:
    """Find the runs of games that chance explains least, up or down."""
    who = history.appearances
    keep = who.age >= ESTABLISHED
    player, row, age = who.player[keep], who.row[keep], who.age[keep]
    sign = np.where(who.first[keep], 1.0, -1.0)
    surplus = sign * calibration.surplus[row]
    chance = np.where(sign > 0.0, calibration.expected[row], 1.0 - calibration.expected[row])
    if len(player) <= RUNS[0]:
        raise TooFew("no player has enough games")
    up, down = log_cumulants(chance), log_cumulants(1.0 - chance)
    bounds, places, lengths, tries = [], [], [], 0
    for run in RUNS:
        here = np.flatnonzero(player[run - 1 :] == player[: len(player) - run + 1])
        # starts every quarter of a run: more overlap adds little and costs in Bonferroni
        here = here[(age[here] - ESTABLISHED) % (run // 4) == 0]
        if not len(here):
            continue
        tries += 2 * len(here)
        total = _window(surplus[None, :], run)[0, here]
        bound = np.minimum(
            log_chernoff(_window(up, run)[:, here], total),
            log_chernoff(_window(down, run)[:, here], -total),
        )
        bounds.append(bound)
        places.append(here)
        lengths.append(np.full(len(here), run))
    if not tries:
        raise TooFew(f"no player has {RUNS[0]} games as an established player")
    bound, place, length = (np.concatenate(part) for part in (bounds, places, lengths))
    order = np.argsort(bound, kind="stable")
    worst: list[dict[str, Any]] = []
    named: set[int] = set()
    for k in order[: 200 * SHOWN].tolist():
        if bound[k] + log(tries) > SURE and worst:
            break
        who_played = int(player[place[k]])
        if who_played in named:
            continue
        named.add(who_played)
        part = slice(int(place[k]), int(place[k] + length[k]))
        worst.append({
            "player": history.games.players[who_played], "games": int(length[k]),
            "scored": float((surplus[part] + chance[part]).sum()),
            "expected": float(chance[part].sum()), "first_row": int(row[part][0]),
            "when": history.day(int(row[part][0])), "p": exp(min(0.0, bound[k] + log(tries))),
        })  # fmt: skip
        if len(worst) == SHOWN:
            break
    p = exp(min(0.0, float(bound[order[0]]) + log(tries)))
    sure = [one for one in worst if one["p"] <= exp(SURE)]
    one = worst[0]
    detail = (
        f"{one['player']} scored {one['scored']:.1f} in {one['games']} games"
        f"{'' if one['when'] is None else ' from ' + one['when']} where {one['expected']:.1f} "
        "were expected"
    )
    return Observation(
        name="sudden jumps",
        calm="No player's results depart from their rating more suddenly than chance allows.",
        alarm=f"{len(sure) if len(sure) < SHOWN else f'{SHOWN} or more'} "
        f"player{'s' if len(sure) != 1 else ''} suddenly departed from their level; "
        f"the clearest: {detail}.",
        numbers={"runs": tries // 2, "worst": worst},
        method=(
            f"runs of {', '.join(map(str, RUNS))} successive games of established players; a "
            "conservative Chernoff bound, and Bonferroni over all runs"
        ),
        p=p,
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def _window(values: Floats, run: int) -> Floats:
    """Sum over `run` successive columns, [rows, n - run + 1]."""
    total = np.cumsum(np.concatenate((np.zeros((len(values), 1)), values), axis=1), axis=1)
    found: Floats = total[:, run:] - total[:, :-run]
    return found


LEAST_MET = 5  # games of a pair, or of a player against newcomers
NEWCOMERS_NEEDED = 200
LEAST_SERIES = 8  # decided games of a pair
STRATA = 20  # of games with like forecasts
LEAST_DRAWS = 50


def check_one_opponent(history: LeagueHistory, calibration: CalibratedCurve) -> Observation:
    """Find players who score more against one opponent than the ratings of both explain."""
    n = len(history.final)
    a, b = history.games.a.astype(np.int64), history.games.b.astype(np.int64)
    chance = calibration.expected
    winner = np.concatenate((a, b))
    loser = np.concatenate((b, a))
    up = np.concatenate((chance, 1.0 - chance))
    surplus = np.concatenate((calibration.surplus, -calibration.surplus))
    old = history.ages
    settled = np.concatenate((old[0], old[1])) >= ESTABLISHED  # the player who gains is established
    codes, pair, count = np.unique(
        (winner * n + loser)[settled], return_inverse=True, return_counts=True
    )
    many = np.flatnonzero(count >= LEAST_MET)
    if not len(many):
        raise TooFew(f"no player met an opponent {LEAST_MET} times")
    total = np.bincount(pair, surplus[settled], len(codes)).astype(np.float64)
    points = 0.5 * history.unit_step * total
    worst: list[dict[str, Any]] = [
        {
            "player": history.games.players[int(codes[k] // n)],
            "opponent": history.games.players[int(codes[k] % n)],
            "games": int(count[k]), "surplus": float(total[k]), "points": float(points[k]),
            "p": p,
        }
        for k, p in _most_surprising(up[settled], pair, total, many)
    ]  # fmt: skip
    one = worst[0]
    return Observation(
        name="points from one opponent",
        calm="No player scores more against one opponent than both ratings and chance allow.",
        alarm=(
            f"{one['player']} scored {one['surplus']:.1f} points more than expected in "
            f"{one['games']} games against {one['opponent']}: farming, a style that suits, or a "
            "rating that is wrong."
        ),
        numbers={"pairs": len(many), "worst": worst},
        method=(
            f"pairs with {LEAST_MET} games or more; calibrated forecasts, a Chernoff bound and "
            "Bonferroni over pairs"
        ),
        p=worst[0]["p"],
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def check_newcomers(history: LeagueHistory, calibration: CalibratedCurve) -> Observation:
    """Find players who score more against newcomers than established players usually do."""
    old_a, old_b = (age >= ESTABLISHED for age in history.ages)
    met = np.flatnonzero(old_a != old_b)
    if len(met) < NEWCOMERS_NEEDED:
        raise TooFew(f"{len(met):,} games against newcomers, {NEWCOMERS_NEEDED} are needed")
    sign = np.where(old_a[met], 1.0, -1.0)
    player = np.where(old_a[met], history.games.a[met], history.games.b[met]).astype(np.int64)
    score = np.where(sign > 0.0, history.games.score[met], 1.0 - history.games.score[met])
    chance = np.where(sign > 0.0, calibration.expected[met], 1.0 - calibration.expected[met])
    odds = np.log(chance / (1.0 - chance))
    usual = fit_curve(0, np.column_stack((odds, np.ones(len(met)))), score, history.weight[met])
    fair = expected_on_curve(0, np.column_stack((odds, np.ones(len(met)))) @ usual.theta)
    n = len(history.final)
    count = np.bincount(player, minlength=n)
    many = np.flatnonzero(count >= LEAST_MET)
    total = np.bincount(player, score - fair, n).astype(np.float64)
    worst: list[dict[str, Any]] = [
        {
            "player": history.games.players[k], "games": int(count[k]),
            "of": int((history.appearances.player == k).sum()), "surplus": float(total[k]),
            "points": float(0.5 * history.unit_step * total[k]),
            "p": p,
        }
        for k, p in _most_surprising(fair, player, total, many)
    ]  # fmt: skip
    one = worst[0]
    return Observation(
        name="points from newcomers",
        calm="No player scores more against newcomers than others do.",
        alarm=(
            f"{one['player']} scored {one['surplus']:.1f} points more than others would have in "
            f"{one['games']} games against newcomers "
            f"({one['games'] / one['of']:.0%} of all their games)."
        ),
        numbers={"players": len(many), "worst": worst},
        method=(
            f"established players against opponents with fewer than {ESTABLISHED} games; forecasts "
            "calibrated on such games, a Chernoff bound and Bonferroni over players"
        ),
        p=worst[0]["p"],
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def _most_surprising(
    chance: Floats, group: Ids, surplus: Floats, many: Ids
) -> list[tuple[int, float]]:
    """Return the groups, of those in `many`, whose surplus chance explains least, and their p.

    chance [n]: of a win in each game; group [n]; surplus [groups]: sum of score - chance. p
    is a Chernoff bound with Bonferroni over `many`.
    """
    bound = log_chernoff(sum_by_group(log_cumulants(chance), group, len(surplus)), surplus)[many]
    order = np.argsort(bound, kind="stable")[:SHOWN]
    return [(int(many[k]), exp(min(0.0, float(bound[k]) + log(len(many))))) for k in order]


def check_turns(history: LeagueHistory) -> Observation:
    """Find pairs who win by turns."""
    games = history.games
    decided = np.flatnonzero((games.score == 1.0) | (games.score == 0.0))
    n = len(history.final)
    a, b = games.a[decided].astype(np.int64), games.b[decided].astype(np.int64)
    swapped = a > b
    side = np.where(swapped, -history.side[decided], history.side[decided])
    won = np.where(swapped, 1.0 - games.score[decided], games.score[decided]) == 1.0
    code = (np.minimum(a, b) * n + np.maximum(a, b)) * 3 + side.astype(np.int64) + 1
    order = np.argsort(code, kind="stable")
    edges = np.flatnonzero(np.diff(code[order])) + 1
    series = [part for part in np.split(order, edges) if len(part) >= LEAST_SERIES]
    if not series:
        raise TooFew(f"no pair has {LEAST_SERIES} decided games under like conditions")
    found = []
    for part in series:
        wins = won[part]
        first, second = int(wins.sum()), int((~wins).sum())
        if first and second:
            runs = 1 + int((wins[1:] != wins[:-1]).sum())
            if runs > 1 + len(wins) // 2:  # fewer runs are no pattern
                found.append((runs_tail(first, second, runs), runs, part))
    found.sort(key=lambda one: one[0])
    worst: list[dict[str, Any]] = [
        {"player": games.players[int(min(a[part[0]], b[part[0]]))],
         "opponent": games.players[int(max(a[part[0]], b[part[0]]))], "games": len(part),
         "runs": runs, "expected": 1.0 + 2.0 * float(won[part].mean() * (~won[part]).sum()),
         "p": best_of(p, len(series))}
        for p, runs, part in found[:SHOWN]
    ]  # fmt: skip
    detail = ""
    if worst:
        one = worst[0]
        detail = (
            f"{one['player']} and {one['opponent']} win by turns: {one['runs']} changes in "
            f"{one['games']} decided games."
        )
    return Observation(
        name="wins by turns",
        calm="No two players win by turns more than chance does.",
        alarm=detail,
        numbers={"series": len(series), "worst": worst},
        method=(
            f"runs test of pairs with {LEAST_SERIES} decided games or more, apart by who had the "
            "side; Bonferroni over pairs"
        ),
        p=worst[0]["p"] if worst else 1.0,
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def check_draws_of_a_pair(history: LeagueHistory, calibration: CalibratedCurve) -> Observation:
    """Find pairs who draw more often than others with like forecasts."""
    drawn = (history.games.score == 0.5).astype(np.float64)
    if min(drawn.sum(), len(drawn) - drawn.sum()) < LEAST_DRAWS:
        raise TooFew(f"{int(drawn.sum()):,} draws in {len(drawn):,} games")
    level = 0.5 * (history.rating_a + history.rating_b)
    share = _usual_share(drawn, np.abs(calibration.expected - 0.5), level)
    n = len(history.final)
    a, b = history.games.a.astype(np.int64), history.games.b.astype(np.int64)
    codes, pair, count = np.unique(
        np.minimum(a, b) * n + np.maximum(a, b), return_inverse=True, return_counts=True
    )
    many = np.flatnonzero(count >= LEAST_SERIES)
    if not len(many):
        raise TooFew(f"no pair has {LEAST_SERIES} games")
    total = np.bincount(pair, drawn - share, len(codes)).astype(np.float64)
    draws = np.bincount(pair, drawn, len(codes))
    expected = np.bincount(pair, share, len(codes))
    worst: list[dict[str, Any]] = [
        {"player": history.games.players[int(codes[k] // n)],
         "opponent": history.games.players[int(codes[k] % n)], "games": int(count[k]),
         "draws": int(draws[k]), "expected": float(expected[k]), "p": p}
        for k, p in _most_surprising(share, pair, total, many)
    ]  # fmt: skip
    one = worst[0]
    return Observation(
        name="draws of a pair",
        calm="No pair draws more often than its ratings and chance explain.",
        alarm=(
            f"{one['player']} and {one['opponent']} drew {one['draws']} of {one['games']} games, "
            f"where {one['expected']:.1f} draws were expected."
        ),
        numbers={"pairs": len(many), "worst": worst},
        method=(
            f"share of draws among {STRATA} times 4 strata of games with like forecasts and mean "
            "ratings; a Chernoff bound and Bonferroni over pairs"
        ),
        p=one["p"],
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def _usual_share(drawn: Any, gap: Any, level: Any) -> Any:
    """Return the share of draws among games of like gap and like mean rating, [n]."""
    n = len(drawn)
    stratum = np.empty(n, np.int64)
    stratum[np.argsort(gap, kind="stable")] = np.arange(n) * STRATA // n
    order = np.lexsort((level, stratum))
    cell = np.empty(n, np.int64)
    cell[order] = np.arange(n) * (4 * STRATA) // n
    return (np.bincount(cell, drawn) / np.bincount(cell))[cell]
