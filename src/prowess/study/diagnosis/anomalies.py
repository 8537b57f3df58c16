"""Did somebody suddenly play much better or worse than his rating: another person, or on purpose?

Runs of so many successive games of established players are looked at. What one scored above
the calibrated forecasts of games that were open when he played them is a sum whose tail has a
bound (`chance.log_chernoff`); it holds although ratings follow the results, because each
forecast was made before its game. The smallest of all runs is judged by Bonferroni.

Does somebody live off a few weak opponents, or off newcomers, or meet one of them too often?

Where ratings are right, nobody gains from anybody in the long run: scores above expectation
against one opponent (or against newcomers, beyond what all gain from newcomers) are sums that
chance bounds, see `chance.log_chernoff`.

Do the results of two players follow a pattern: by turns, or always drawn?

Winning by turns is how two players lift each other in leagues that count wins. Within the games of
a pair in which the same one had the side, or nobody, the order of wins and losses is judged by
its number of runs, exactly. Draws are held against the share among games with like forecasts.
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


RUNS = (20, 40)  # games; ten wins in a row are no wonder among so many players
SHOWN = 5
SURE = log(0.05)


def check_jumps(course: LeagueHistory, calibration: CalibratedCurve) -> Observation:
    """The runs of games that chance explains least, up or down."""
    who = course.appearances
    keep = who.age >= ESTABLISHED
    player, row, age = who.player[keep], who.row[keep], who.age[keep]
    sign = np.where(who.first[keep], 1.0, -1.0)
    surplus = sign * calibration.surplus[row]
    chance = np.where(sign > 0.0, calibration.expected[row], 1.0 - calibration.expected[row])
    if len(player) <= RUNS[0]:
        raise TooFew("nobody has enough games")
    up, down = log_cumulants(chance), log_cumulants(1.0 - chance)
    bounds, places, lengths, tries = [], [], [], 0
    for run in RUNS:
        here = np.flatnonzero(player[run - 1 :] == player[: len(player) - run + 1])
        # begun every quarter of a run: more would say little new and raise the price of looking
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
        raise TooFew(f"nobody has {RUNS[0]} games as an established player")
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
            "player": course.games.players[who_played], "games": int(length[k]),
            "scored": float((surplus[part] + chance[part]).sum()),
            "expected": float(chance[part].sum()), "first_row": int(row[part][0]),
            "when": course.day(int(row[part][0])), "p": exp(min(0.0, bound[k] + log(tries))),
        })  # fmt: skip
        if len(worst) == SHOWN:
            break
    p = exp(min(0.0, float(bound[order[0]]) + log(tries)))
    sure = [one for one in worst if one["p"] <= exp(SURE)]
    one = worst[0]
    told = (
        f"{one['player']} scored {one['scored']:.1f} in {one['games']} games"
        f"{'' if one['when'] is None else ' from ' + one['when']} where {one['expected']:.1f} "
        "were expected"
    )
    return Observation(
        name="sudden jumps",
        calm="Nobody's results leave his rating so suddenly that chance could not do it.",
        alarm=f"{len(sure) if len(sure) < SHOWN else f'{SHOWN} or more'} "
        f"player{'s' if len(sure) != 1 else ''} suddenly left their level; the clearest: {told}.",
        numbers={"runs": tries // 2, "worst": worst},
        method=(
            f"runs of {', '.join(map(str, RUNS))} successive games of established players; a "
            "Chernoff bound, which errs on the side of silence, and Bonferroni over all runs"
        ),
        p=p,
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def _window(values: Floats, run: int) -> Floats:
    """Sums over so many successive columns, [rows, n - run + 1]."""
    total = np.cumsum(np.concatenate((np.zeros((len(values), 1)), values), axis=1), axis=1)
    found: Floats = total[:, run:] - total[:, :-run]
    return found


SHOWN_FARMING = 5
LEAST_MET = 5  # games of a pair, or of a player against newcomers
NEWCOMERS_NEEDED = 200


def check_one_opponent(course: LeagueHistory, calibration: CalibratedCurve) -> Observation:
    """Who takes more from one opponent than both ratings say, whether or not he is new."""
    n = len(course.final)
    a, b = course.games.a.astype(np.int64), course.games.b.astype(np.int64)
    chance = calibration.expected
    winner = np.concatenate((a, b))
    loser = np.concatenate((b, a))
    up = np.concatenate((chance, 1.0 - chance))
    surplus = np.concatenate((calibration.surplus, -calibration.surplus))
    old = course.ages
    settled = np.concatenate((old[0], old[1])) >= ESTABLISHED  # whoever gains is no newcomer
    codes, pair, count = np.unique(
        (winner * n + loser)[settled], return_inverse=True, return_counts=True
    )
    many = np.flatnonzero(count >= LEAST_MET)
    if not len(many):
        raise TooFew(f"nobody met an opponent {LEAST_MET} times")
    total = np.bincount(pair, surplus[settled], len(codes)).astype(np.float64)
    bound = log_chernoff(sum_by_group(log_cumulants(up[settled]), pair, len(codes)), total)[many]
    points = 0.5 * course.unit_step * total
    worst: list[dict[str, Any]] = [
        {
            "player": course.games.players[int(codes[k] // n)],
            "opponent": course.games.players[int(codes[k] % n)],
            "games": int(count[k]), "surplus": float(total[k]), "points": float(points[k]),
            "p": exp(min(0.0, float(value) + log(len(many)))),
        }
        for k, value in _least(bound, many)
    ]  # fmt: skip
    one = worst[0]
    return Observation(
        name="points from one opponent",
        calm="Nobody takes more from one opponent than both ratings and chance allow.",
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


def check_newcomers(course: LeagueHistory, calibration: CalibratedCurve) -> Observation:
    """Who takes more from newcomers than established players usually do."""
    old_a, old_b = (age >= ESTABLISHED for age in course.ages)
    met = np.flatnonzero(old_a != old_b)
    if len(met) < NEWCOMERS_NEEDED:
        raise TooFew(f"{len(met):,} games against newcomers, {NEWCOMERS_NEEDED} are needed")
    sign = np.where(old_a[met], 1.0, -1.0)
    player = np.where(old_a[met], course.games.a[met], course.games.b[met]).astype(np.int64)
    score = np.where(sign > 0.0, course.games.score[met], 1.0 - course.games.score[met])
    chance = np.where(sign > 0.0, calibration.expected[met], 1.0 - calibration.expected[met])
    odds = np.log(chance / (1.0 - chance))
    usual = fit_curve(0, np.column_stack((odds, np.ones(len(met)))), score, course.weight[met])
    fair = expected_on_curve(0, np.column_stack((odds, np.ones(len(met)))) @ usual.theta)
    n = len(course.final)
    count = np.bincount(player, minlength=n)
    many = np.flatnonzero(count >= LEAST_MET)
    total = np.bincount(player, score - fair, n).astype(np.float64)
    bound = log_chernoff(sum_by_group(log_cumulants(fair), player, n), total)[many]
    worst: list[dict[str, Any]] = [
        {
            "player": course.games.players[k], "games": int(count[k]),
            "of": int((course.appearances.player == k).sum()), "surplus": float(total[k]),
            "points": float(0.5 * course.unit_step * total[k]),
            "p": exp(min(0.0, float(value) + log(len(many)))),
        }
        for k, value in _least(bound, many)
    ]  # fmt: skip
    one = worst[0]
    return Observation(
        name="points from newcomers",
        calm="Nobody takes more from newcomers than others do.",
        alarm=(
            f"{one['player']} scored {one['surplus']:.1f} points more than others would have in "
            f"{one['games']} games against newcomers ({one['games'] / one['of']:.0%} of all his)."
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


def _least(bound: Floats, many: Ids) -> list[tuple[int, float]]:
    """The numbers with the smallest bounds, and those."""
    order = np.argsort(bound, kind="stable")[:SHOWN_FARMING]
    return [(int(many[k]), float(bound[k])) for k in order]


LEAST_SERIES = 8  # decided games of a pair
STRATA = 20
LEAST_DRAWS = 50
SHOWN_PATTERNS = 5


def check_turns(course: LeagueHistory) -> Observation:
    """Pairs who win by turns."""
    games = course.games
    decided = np.flatnonzero((games.score == 1.0) | (games.score == 0.0))
    n = len(course.final)
    a, b = games.a[decided].astype(np.int64), games.b[decided].astype(np.int64)
    swapped = a > b
    side = np.where(swapped, -course.side[decided], course.side[decided])
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
            if runs > 1 + len(wins) // 2:  # fewer are no pattern, and cost time
                found.append((runs_tail(first, second, runs), runs, part))
    found.sort(key=lambda one: one[0])
    worst: list[dict[str, Any]] = [
        {"player": games.players[int(min(a[part[0]], b[part[0]]))],
         "opponent": games.players[int(max(a[part[0]], b[part[0]]))], "games": len(part),
         "runs": runs, "expected": 1.0 + 2.0 * float(won[part].mean() * (~won[part]).sum()),
         "p": best_of(p, len(series))}
        for p, runs, part in found[:SHOWN_PATTERNS]
    ]  # fmt: skip
    told = ""
    if worst:
        one = worst[0]
        told = (
            f"{one['player']} and {one['opponent']} win by turns: {one['runs']} changes in "
            f"{one['games']} decided games."
        )
    return Observation(
        name="wins by turns",
        calm="No two players win by turns more than chance does.",
        alarm=told,
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


def check_draws_of_a_pair(course: LeagueHistory, calibration: CalibratedCurve) -> Observation:
    """Pairs who draw more than others with like forecasts."""
    drawn = (course.games.score == 0.5).astype(np.float64)
    if min(drawn.sum(), len(drawn) - drawn.sum()) < LEAST_DRAWS:
        raise TooFew(f"{int(drawn.sum()):,} draws in {len(drawn):,} games")
    level = 0.5 * (course.rating_a + course.rating_b)
    share = _usual_share(drawn, np.abs(calibration.expected - 0.5), level)
    n = len(course.final)
    a, b = course.games.a.astype(np.int64), course.games.b.astype(np.int64)
    codes, pair, count = np.unique(
        np.minimum(a, b) * n + np.maximum(a, b), return_inverse=True, return_counts=True
    )
    many = np.flatnonzero(count >= LEAST_SERIES)
    if not len(many):
        raise TooFew(f"no pair has {LEAST_SERIES} games")
    total = np.bincount(pair, drawn - share, len(codes)).astype(np.float64)
    bound = log_chernoff(sum_by_group(log_cumulants(share), pair, len(codes)), total)[many]
    worst: list[dict[str, Any]] = [
        {"player": course.games.players[int(codes[many[k]] // n)],
         "opponent": course.games.players[int(codes[many[k]] % n)], "games": int(count[many[k]]),
         "draws": int(np.bincount(pair, drawn, len(codes))[many[k]]),
         "expected": float(np.bincount(pair, share, len(codes))[many[k]]),
         "p": exp(min(0.0, float(bound[k]) + log(len(many))))}
        for k in np.argsort(bound, kind="stable")[:SHOWN_PATTERNS].tolist()
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
    """The share of draws among games alike in gap, and of those in mean rating, [n]."""
    n = len(drawn)
    stratum = np.empty(n, np.int64)
    stratum[np.argsort(gap, kind="stable")] = np.arange(n) * STRATA // n
    order = np.lexsort((level, stratum))
    cell = np.empty(n, np.int64)
    cell[order] = np.arange(n) * (4 * STRATA) // n
    return (np.bincount(cell, drawn) / np.bincount(cell))[cell]
