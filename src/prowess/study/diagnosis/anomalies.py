"""Checks of players and pairs: jumps, farming, patterns in results, pools, repeats, double rows.

Jumps: runs of successive games of established players. The score above the calibrated forecasts of
a run is a sum whose tail has a bound (`evidence.log_chernoff`); it holds although ratings follow
the results, because each forecast was made before its game. Bonferroni covers all runs.

Farming: if ratings are right, scores above expectation against one opponent (or against newcomers,
beyond what all players gain from newcomers) are sums with the same bound.

Patterns: two players who win by turns lift each other in leagues that count wins. The order of wins
and losses of a pair under like conditions (the same player has the side, or neither) is tested
exactly by its number of runs. Draws are compared with the share among games with like forecasts.

Pools have few or no games between them. A pool is found by a sweep along the second eigenvector of
the games' graph (M. Fiedler, "A property of eigenvectors of nonnegative symmetric matrices and its
application to graph theory", Czechoslovak Mathematical Journal 25, 1975): of all cuts along it the
one with the least conductance, the games across divided by the appearances within the smaller part.
n games across, each with variance p q of its score, determine the difference of two pools to 1 / (Q
sqrt(sum p q)) points at best.

Repeated pairs: if opponents are drawn at random, a pair's number of games in a span of time is
nearly Poisson with the mean g_1 g_2 / 2 m: g games of each player, m games in all in that span. The
check runs only if pairs seem random: the sum of N (N - 1) over pairs must be near the sum of
squared means, without the clearest pairs. Leagues with a schedule are skipped.

Duplicated rows follow the rule of the reader (`prowess.games.repetition`).
"""

from __future__ import annotations

from math import exp, inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.fits.connectivity import groups
from prowess.games.reading import format_count
from prowess.games.repetition import USUALLY, find_repeated_rows
from prowess.games.tally import tally
from prowess.study.diagnosis.evidence import (
    best_of,
    expected_on_curve,
    fit_curve,
    log_chernoff,
    log_cumulants,
    poisson_tail,
    runs_tail,
    sum_by_group,
)
from prowess.study.diagnosis.history import (
    ESTABLISHED,
    TIME_SPANS,
    LeagueHistory,
    Observation,
    TooFew,
)

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
        raise TooFew.of("too_few.runs", games=RUNS[0])
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
        raise TooFew.of("too_few.met", least=LEAST_MET)
    total = np.bincount(pair, surplus, len(codes))
    worst = [
        history.name_pair(codes[k])
        | {"games": int(count[k]), "surplus": float(total[k]),
           "points": 0.5 * history.unit_step * float(total[k]), "p": p}
        for k, p in _most_surprising(up, pair, total, many)
    ]  # fmt: skip
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
        games = format_count(len(met), "game")
        raise TooFew.of("too_few.newcomers", games=games, least=NEWCOMERS_NEEDED)
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
        raise TooFew.of("too_few.decided", least=LEAST_SERIES)
    found = []
    for part in series:
        wins = won[part]
        first, second = int(wins.sum()), int((~wins).sum())
        runs = 1 + int((wins[1:] != wins[:-1]).sum())
        if first and second and runs > 1 + len(wins) // 2:  # fewer runs are no pattern
            found.append((runs_tail(first, second, runs), runs, part))
    found.sort(key=lambda one: one[0])
    worst = [
        history.name_pair(pair[part[0]])
        | {"games": len(part), "runs": runs,
           "expected": 1.0 + 2.0 * float(won[part].mean() * (~won[part]).sum()),
           "p": best_of(p, len(series))}
        for p, runs, part in found[:MAX_ROWS_SHOWN]
    ]  # fmt: skip
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
        raise TooFew.of("too_few.draws", draws=int(drawn.sum()), games=len(drawn))
    level = 0.5 * (history.rating_a + history.rating_b)
    share = _usual_share(drawn, np.abs(history.calibration.expected - 0.5), level)
    codes, pair, count = np.unique(history.pair, return_inverse=True, return_counts=True)
    many = np.flatnonzero(count >= LEAST_SERIES)
    if not len(many):
        raise TooFew.of("too_few.series", least=LEAST_SERIES)
    total = np.bincount(pair, drawn - share, len(codes))
    draws = np.bincount(pair, drawn, len(codes))
    expected = np.bincount(pair, share, len(codes))
    worst = [
        history.name_pair(codes[k])
        | {"games": int(count[k]), "draws": int(draws[k]), "expected": float(expected[k]), "p": p}
        for k, p in _most_surprising(share, pair, total, many)
    ]
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


# --- pairings -------------------------------------------------------------------------------------


ITERATIONS = 600  # of the power method; a thin bridge needs far fewer
MIN_POOL_SHARE = 0.05  # of the games
THIN = 0.02  # games across a bridge for one within the smaller pool
BRIDGE_DEVIATION_POINTS = 40.0


def check_isolated_pools(history: LeagueHistory) -> Observation:
    """Find groups of players that no chain of games connects."""
    met = groups(tally(history.games, sides=False)).met
    if len(met) != len(history.final):
        raise TooFew.of("too_few.of_roster")
    size = np.bincount(met)
    played = np.bincount(met[history.a], minlength=len(size))
    order = np.argsort(-played, kind="stable")
    outside = 1.0 - float(played[order[0]]) / len(history.games)
    apart = [
        {"players": int(size[g]), "games": int(played[g]), "one_of_them": history.games.players[
            int(np.flatnonzero(met == g)[0])]}
        for g in order[1 : 1 + MAX_ROWS_SHOWN].tolist()
    ]  # fmt: skip
    example = f", such as that of {apart[0]['one_of_them']}" if apart else ""
    few = "1 small group" if len(size) == 2 else f"{len(size) - 1} small groups"
    return Observation(
        calm=(
            "All players are connected by games."
            if not apart
            else f"{few}{example}, never met the others ({outside:.1%} of the games)."
        ),
        alarm=(
            f"The league falls into {len(size)} groups that never met; {outside:.1%} of the games "
            f"are outside the largest{example}. Ratings of different groups cannot be compared."
        ),
        numbers={
            "groups": len(size), "games_outside": outside, "apart": apart,
            "largest": {"players": int(size[order[0]]), "games": int(played[order[0]])},
        },
        method="connected components of the graph of games",
        size=outside,
    )  # fmt: skip


class Bridge(NamedTuple):
    """A cut of the largest group of players into two pools."""

    inside: Truths  # [players]
    across: int  # games
    within: int  # games inside the smaller pool
    elsewhere: int  # games inside the other
    conductance: float  # games across, per game side inside the smaller pool
    deviation: float  # of the difference of the two pools, points, at best


def check_thin_bridges(history: LeagueHistory) -> Observation:
    """Find the cut of the league that the fewest games cross."""
    bridge = thinnest(history)
    if bridge is None:
        raise TooFew.of("too_few.pools")
    members = np.flatnonzero(bridge.inside)
    played = np.bincount(history.appearances.player, minlength=len(history.final))
    known = members[np.argsort(-played[members], kind="stable")][:3]
    names = ", ".join(history.games.players[int(k)] for k in known)
    detail = (
        f"{len(members):,} players ({names}, ...) meet the others in {bridge.across:,} games only; "
        f"what the pools are worth against each other is known to +- {bridge.deviation:.0f} "
        "points at best"
    )
    numbers: dict[str, Any] = {
        "players": len(members), "across": bridge.across, "conductance": bridge.conductance,
        "deviation": bridge.deviation, "some": names, "within": bridge.within,
        "elsewhere": bridge.elsewhere,
    }  # fmt: skip
    thin = bridge.conductance < THIN
    size = 0.0 if not thin else 2.0 if bridge.deviation > BRIDGE_DEVIATION_POINTS else 1.0
    return Observation(
        calm=(
            "No large part of the league plays nearly only within itself: across the thinnest "
            f"bridge found go {bridge.across:,} games, {bridge.conductance:.0%} of those of the "
            "smaller side."
        ),
        alarm=f"The league has a thin bridge: {detail}.",
        numbers=numbers,
        method=(
            "spectral sweep for the cut of least conductance with at least "
            f"{MIN_POOL_SHARE:.0%} of the games on either side; no chance is involved"
        ),
        size=size,
    )


def thinnest(history: LeagueHistory) -> Bridge | None:
    """Return the sweep cut of least conductance within the largest group; None if too small."""
    met = groups(tally(history.games, sides=False)).met
    a, b = history.a, history.b
    largest = int(np.bincount(met[a]).argmax())
    rows = np.flatnonzero(met[a] == largest)
    a, b = a[rows], b[rows]
    n = len(history.final)
    degree = np.bincount(a, minlength=n) + np.bincount(b, minlength=n)
    if (degree > 0).sum() < 4:
        return None
    score = _fiedler(a, b, degree.astype(np.float64))
    order = np.argsort(np.where(degree > 0, score, inf), kind="stable")[: int((degree > 0).sum())]
    place = np.empty(n, np.int64)
    place[order] = np.arange(len(order), dtype=np.int64)
    low, high = np.minimum(place[a], place[b]), np.maximum(place[a], place[b])
    # a cut after place k is crossed by the games that begin at or before k and end after it
    crossed = np.cumsum(
        np.bincount(low, minlength=len(order)) - np.bincount(high, minlength=len(order)),
        dtype=np.int64,
    )[:-1]
    below = np.cumsum(degree[order], dtype=np.int64)[:-1]
    smaller = np.minimum(below, degree.sum() - below)
    allowed = smaller >= MIN_POOL_SHARE * degree.sum()
    if not allowed.any():
        return None
    conductance = np.where(allowed, crossed / smaller, inf)
    cut = int(conductance.argmin())
    first = place[a] <= cut
    across = np.flatnonzero(first != (place[b] <= cut))
    inside = np.zeros(n, np.bool_)
    inside[order[: cut + 1] if below[cut] <= smaller[cut] else order[cut + 1 :]] = True
    chance = history.expected[rows[across]]
    known = float((chance * (1.0 - chance)).sum())
    deviation = history.unit / sqrt(known) if known > 0.0 else inf
    within = int((inside[a] & inside[b]).sum())
    elsewhere = len(rows) - within - len(across)
    share = float(conductance[cut])
    return Bridge(inside, len(across), within, elsewhere, share, deviation)


def _fiedler(a: Ids, b: Ids, degree: Floats) -> Floats:
    """Return the second eigenvector of D^-1 A by the power method on (1 + D^-1 A) / 2, [n]."""
    n = len(degree)
    codes, weight = np.unique(a * n + b, return_counts=True)
    one, other = codes // n, codes % n
    total = degree.sum()
    safe = np.maximum(degree, 1.0)
    x = np.random.default_rng(0).standard_normal(n) * (degree > 0.0)
    for _ in range(ITERATIONS):
        x = x - (degree * x).sum() / total  # orthogonal to the first, which is constant
        around = np.bincount(one, weight * x[other], n) + np.bincount(other, weight * x[one], n)
        x = 0.5 * (x + around / safe) * (degree > 0.0)
        x = x / np.sqrt((degree * x * x).sum())
    return x


PAIRS_LEFT_OUT = 10  # the clearest, ignored in the test for random pairing
RANDOM = 1.5  # times as many repetitions as chance makes, at most
LEAST_REPEATS = 20.0  # expected, needed for that test


def check_repeats(history: LeagueHistory) -> Observation:
    """Find the pairs whose number of games chance explains least."""
    n, span = len(history.final), history.span
    place = np.concatenate((history.a * TIME_SPANS + span, history.b * TIME_SPANS + span))
    played = np.bincount(place, minlength=n * TIME_SPANS).reshape(n, TIME_SPANS)
    games = np.bincount(span, minlength=TIME_SPANS).astype(np.float64)
    codes, pair, count = np.unique(history.pair, return_inverse=True, return_counts=True)
    one, other = codes // n, codes % n
    # a player does not meet themselves: those shares go to the others
    share = played / np.sqrt(np.maximum(2.0 * games, 1.0))
    own = np.divide((played**2).sum(axis=0), (2.0 * games) ** 2, where=games > 0,
                    out=np.zeros(TIME_SPANS))  # fmt: skip
    share = share / np.sqrt(np.maximum(1.0 - own, 1e-9))
    mean = (share[one] * share[other]).sum(axis=1)
    _refuse_schedules(history, share, pair, span, len(codes), count / np.maximum(mean, 1e-12))
    tries = n * (n - 1) // 2
    surprising = np.argsort(mean - count * np.log(np.maximum(count / mean, 1.0)) + count - 2 * mean)
    worst = [
        history.name_pair(codes[k])
        | {"games": int(count[k]), "expected": float(mean[k]),
           "p": best_of(poisson_tail(int(count[k]), float(mean[k])), tries)}
        for k in surprising[:MAX_ROWS_SHOWN].tolist()
    ]  # fmt: skip
    worst.sort(key=lambda seen: seen["p"])
    first = worst[0]
    return Observation(
        calm="No pair meets more often than chance brings together.",
        alarm=(
            f"{first['player']} and {first['opponent']} met {first['games']} times, where chance "
            f"would have brought them together {first['expected']:.1f} times."
        ),
        numbers={"pairs": len(codes), "games": len(history.games), "worst": worst},
        method=(
            f"Poisson's law for the games of a pair, given how much each played in {TIME_SPANS} "
            "spans of time; Bonferroni over all pairs"
        ),
        p=first["p"],
    )


def _refuse_schedules(
    history: LeagueHistory, share: Floats, pair: Any, span: Any, pairs: int, ratio: Floats
) -> None:
    """Raise TooFew unless pairs repeat within spans about as often as by chance."""
    left_out = PAIRS_LEFT_OUT if pairs > 10 * PAIRS_LEFT_OUT else 0
    odd = np.argsort(-ratio, kind="stable")[:left_out]
    usual = np.ones(pairs, np.bool_)
    usual[odd] = False
    within = np.unique(pair[usual[pair]] * TIME_SPANS + span[usual[pair]], return_counts=True)[1]
    seen = float((within * (within - 1.0)).sum())
    squares, fourths = (share**2).sum(axis=0), (share**4).sum(axis=0)
    chance = float((squares * squares - fourths).sum() / 2.0)
    if chance < LEAST_REPEATS:
        raise TooFew.of("too_few.repeats")
    if not 1.0 / RANDOM <= seen / chance <= RANDOM:
        raise TooFew.of("too_few.at_random")


def check_duplicates(history: LeagueHistory) -> Observation:
    """Count rows that repeat another row."""
    games = history.games
    if games.time is None:
        raise TooFew.of("too_few.dates")
    found = find_repeated_rows(games)
    count, several = len(found.rows), found.several
    shown: list[dict[str, Any]] = [
        {"player": games.players[int(games.a[row])],
         "opponent": games.players[int(games.b[row])],
         "score": float(games.score[row]), "when": history.day(row)}
        for row in found.rows[:MAX_ROWS_SHOWN].tolist()
    ]  # fmt: skip
    example = "".join(f" ({one['player']} - {one['opponent']}, {one['when']})" for one in shown[:1])
    rows = f"{'1 row repeats' if count == 1 else f'{count:,} rows repeat'} pair, moment and result"
    many = count >= max(10.0, 1e-3 * len(games))
    return Observation(
        calm=(
            f"{rows} of another, which is usual here: {several:.0%} of the meetings have several "
            "different games."
            if count
            else "No row is duplicated."
        ),
        alarm=f"{rows} of another{example}.",
        numbers={"rows": count, "meetings_of_several_games": several, "some": shown},
        method=(
            "rows alike in players, moment, result and whatever else the table says of a game; "
            f"silent where more than {USUALLY:.0%} of the meetings have several different games"
        ),
        size=0.0 if found.usual or not count else 2.0 if many else 1.0,
    )
