"""Checks for anomalies of players and pairs: jumps, farming, and patterns in the results of a pair.

Jumps: runs of successive games of established players. The score above the calibrated forecasts of
a run is a sum whose tail has a bound (`evidence.log_chernoff`); it holds although ratings follow
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

from prowess.games.reading import format_count
from prowess.study.diagnosis.evidence import (
    best_of,
    expected_on_curve,
    fit_curve,
    log_chernoff,
    log_cumulants,
    runs_tail,
    sum_by_group,
)
from prowess.study.diagnosis.history import ESTABLISHED, LeagueHistory, Observation, TooFew

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]


RUNS = (20, 40)  # games; ten wins in a row happen by chance among many players
MAX_ROWS_SHOWN = 5
LOG_SIGNIFICANCE = log(0.05)


def check_jumps(history: LeagueHistory) -> Observation:
    """Find the runs of games that chance explains least, up or down."""
    curve, who = history.calibration, history.appearances
    keep = who.age >= ESTABLISHED
    player, row, age = who.player[keep], who.row[keep], who.age[keep]
    first = who.first[keep]
    surplus = np.where(first, curve.surplus[row], -curve.surplus[row])
    chance = np.where(first, curve.expected[row], 1.0 - curve.expected[row])
    up, down = log_cumulants(chance), log_cumulants(1.0 - chance)
    bounds, places = [], []
    for run in RUNS:
        here = np.flatnonzero(player[run - 1 :] == player[: len(player) - run + 1])
        # starts every quarter of a run: more overlap adds little and costs in Bonferroni
        here = here[(age[here] - ESTABLISHED) % (run // 4) == 0]
        total = _window(surplus[None, :], run)[0, here]
        bounds.append(
            np.minimum(
                log_chernoff(_window(up, run)[:, here], total),
                log_chernoff(_window(down, run)[:, here], -total),
            )
        )
        places.append(np.stack((here, here + run), axis=1))
    bound, place = np.concatenate(bounds), np.concatenate(places)
    if not len(bound):
        raise TooFew(f"no player has {RUNS[0]} games as an established player")
    tries = 2 * len(bound)
    order = np.argsort(bound, kind="stable")
    worst: dict[int, dict[str, Any]] = {}
    for k in order[: 200 * MAX_ROWS_SHOWN].tolist():
        if len(worst) == MAX_ROWS_SHOWN or (bound[k] + log(tries) > LOG_SIGNIFICANCE and worst):
            break
        begin, end = place[k].tolist()
        if int(player[begin]) in worst:
            continue
        worst[int(player[begin])] = {
            "player": history.games.players[int(player[begin])], "games": end - begin,
            "scored": float((surplus[begin:end] + chance[begin:end]).sum()),
            "expected": float(chance[begin:end].sum()), "first_row": int(row[begin]),
            "when": history.day(int(row[begin])), "p": exp(min(0.0, bound[k] + log(tries))),
        }  # fmt: skip
    sure = sum(one["p"] <= exp(LOG_SIGNIFICANCE) for one in worst.values())
    one = next(iter(worst.values()))
    when = "" if one["when"] is None else f" from {one['when']}"
    return Observation(
        calm="No player's results depart from their rating more suddenly than chance allows.",
        alarm=f"{sure if sure < MAX_ROWS_SHOWN else f'{MAX_ROWS_SHOWN} or more'} "
        f"player{'s' if sure != 1 else ''} suddenly departed from their level; the clearest: "
        f"{one['player']} scored {one['scored']:.1f} in {one['games']} games{when} where "
        f"{one['expected']:.1f} were expected.",
        numbers={"runs": tries // 2, "worst": list(worst.values())},
        method=(
            f"runs of {', '.join(map(str, RUNS))} successive games of established players; a "
            "conservative Chernoff bound, and Bonferroni over all runs"
        ),
        p=one["p"],
    )


def _window(values: Floats, run: int) -> Floats:
    """Sum over `run` successive columns, [rows, n - run + 1]."""
    total = np.cumsum(
        np.concatenate((np.zeros((len(values), 1)), values), axis=1), axis=1, dtype=np.float64
    )
    found: Floats = total[:, run:] - total[:, :-run]
    return found


LEAST_MET = 5  # games of a pair, or of a player against newcomers
NEWCOMERS_NEEDED = 200
LEAST_SERIES = 8  # decided games of a pair
STRATA = 20  # of games with like forecasts
LEAST_DRAWS = 50


def check_one_opponent(history: LeagueHistory) -> Observation:
    """Find players who score more against one opponent than the ratings of both explain."""
    n, a, b, curve = len(history.final), history.a, history.b, history.calibration
    settled = np.concatenate(history.ages) >= ESTABLISHED  # the player who gains is established
    up = np.concatenate((curve.expected, 1.0 - curve.expected))[settled]
    surplus = np.concatenate((curve.surplus, -curve.surplus))[settled]
    codes, pair, count = np.unique(
        np.concatenate((a * n + b, b * n + a))[settled], return_inverse=True, return_counts=True
    )
    many = np.flatnonzero(count >= LEAST_MET)
    if not len(many):
        raise TooFew(f"no player met an opponent {LEAST_MET} times")
    total = np.bincount(pair, surplus, len(codes))
    worst: list[dict[str, Any]] = []
    for k, p in _most_surprising(up, pair, total, many):
        player, opponent = history.names(codes[k])
        worst.append(
            {"player": player, "opponent": opponent, "games": int(count[k]),
             "surplus": float(total[k]), "points": 0.5 * history.unit_step * float(total[k]),
             "p": p}
        )  # fmt: skip
    one = worst[0]
    return Observation(
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
        p=one["p"],
    )


def check_newcomers(history: LeagueHistory) -> Observation:
    """Find players who score more against newcomers than established players usually do."""
    old_a, old_b = (age >= ESTABLISHED for age in history.ages)
    met = np.flatnonzero(old_a != old_b)
    if len(met) < NEWCOMERS_NEEDED:
        raise TooFew(
            f"{format_count(len(met), 'game')} against newcomers, {NEWCOMERS_NEEDED} are needed"
        )
    home, score = old_a[met], history.games.score[met]
    chance = history.calibration.expected[met]
    player = np.where(home, history.a[met], history.b[met])
    score = np.where(home, score, 1.0 - score)
    chance = np.where(home, chance, 1.0 - chance)
    x = np.column_stack((np.log(chance / (1.0 - chance)), np.ones(len(met))))
    usual = fit_curve(0, x, score, history.weight[met])
    fair = expected_on_curve(0, x @ usual.theta)
    n = len(history.final)
    count = np.bincount(player, minlength=n)
    many = np.flatnonzero(count >= LEAST_MET)
    total = np.bincount(player, score - fair, n)
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
        p=one["p"],
    )


def _most_surprising(
    chance: Floats, group: Ids, surplus: Any, many: Ids
) -> list[tuple[int, float]]:
    """Return the groups, of those in `many`, whose surplus chance explains least, and their p.

    chance [n]: of a win in each game; group [n]; surplus [groups]: sum of score - chance. p
    is a Chernoff bound with Bonferroni over `many`.
    """
    bound = log_chernoff(sum_by_group(log_cumulants(chance), group, len(surplus)), surplus)[many]
    order = np.argsort(bound, kind="stable")[:MAX_ROWS_SHOWN]
    return [(int(many[k]), exp(min(0.0, float(bound[k]) + log(len(many))))) for k in order]


def check_turns(history: LeagueHistory) -> Observation:
    """Find pairs who win by turns."""
    games = history.games
    decided = np.flatnonzero((games.score == 1.0) | (games.score == 0.0))
    swapped = history.a[decided] > history.b[decided]
    side = np.where(swapped, -history.side[decided], history.side[decided])
    won = np.where(swapped, 1.0 - games.score[decided], games.score[decided]) == 1.0
    pair = history.pair[decided]
    code = pair * 3 + side.astype(np.int64) + 1
    order = np.argsort(code, kind="stable")
    edges = np.flatnonzero(np.diff(code[order])) + 1
    series = [part for part in np.split(order, edges) if len(part) >= LEAST_SERIES]
    if not series:
        raise TooFew(f"no pair has {LEAST_SERIES} decided games under like conditions")
    found = []
    for part in series:
        wins = won[part]
        first, second = int(wins.sum()), int((~wins).sum())
        runs = 1 + int((wins[1:] != wins[:-1]).sum())
        if first and second and runs > 1 + len(wins) // 2:  # fewer runs are no pattern
            found.append((runs_tail(first, second, runs), runs, part))
    found.sort(key=lambda one: one[0])
    worst: list[dict[str, Any]] = []
    for p, runs, part in found[:MAX_ROWS_SHOWN]:
        player, opponent = history.names(pair[part[0]])
        expected = 1.0 + 2.0 * float(won[part].mean() * (~won[part]).sum())
        worst.append(
            {"player": player, "opponent": opponent, "games": len(part), "runs": runs,
             "expected": expected, "p": best_of(p, len(series))}
        )  # fmt: skip
    detail = "".join(
        f"{one['player']} and {one['opponent']} win by turns: {one['runs']} changes in "
        f"{one['games']} decided games."
        for one in worst[:1]
    )
    return Observation(
        calm="No two players win by turns more than chance does.",
        alarm=detail,
        numbers={"series": len(series), "worst": worst},
        method=(
            f"runs test of pairs with {LEAST_SERIES} decided games or more, apart by who had the "
            "side; Bonferroni over pairs"
        ),
        p=worst[0]["p"] if worst else 1.0,
    )


def check_draws_of_a_pair(history: LeagueHistory) -> Observation:
    """Find pairs who draw more often than others with like forecasts."""
    drawn = (history.games.score == 0.5).astype(np.float64)
    if min(drawn.sum(), len(drawn) - drawn.sum()) < LEAST_DRAWS:
        raise TooFew(f"{int(drawn.sum()):,} draws in {len(drawn):,} games")
    level = 0.5 * (history.rating_a + history.rating_b)
    share = _usual_share(drawn, np.abs(history.calibration.expected - 0.5), level)
    codes, pair, count = np.unique(history.pair, return_inverse=True, return_counts=True)
    many = np.flatnonzero(count >= LEAST_SERIES)
    if not len(many):
        raise TooFew(f"no pair has {LEAST_SERIES} games")
    total = np.bincount(pair, drawn - share, len(codes))
    draws = np.bincount(pair, drawn, len(codes))
    expected = np.bincount(pair, share, len(codes))
    worst: list[dict[str, Any]] = []
    for k, p in _most_surprising(share, pair, total, many):
        player, opponent = history.names(codes[k])
        worst.append(
            {"player": player, "opponent": opponent, "games": int(count[k]),
             "draws": int(draws[k]), "expected": float(expected[k]), "p": p}
        )  # fmt: skip
    one = worst[0]
    return Observation(
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
    )


def _usual_share(drawn: Any, gap: Any, level: Any) -> Any:
    """Return the share of draws among games of like gap and like mean rating, [n]."""
    n = len(drawn)
    stratum = np.empty(n, np.int64)
    stratum[np.argsort(gap, kind="stable")] = np.arange(n, dtype=np.int64) * STRATA // n
    order = np.lexsort((level, stratum))
    cell = np.empty(n, np.int64)
    cell[order] = np.arange(n, dtype=np.int64) * (4 * STRATA) // n
    return (np.bincount(cell, drawn) / np.bincount(cell))[cell]
