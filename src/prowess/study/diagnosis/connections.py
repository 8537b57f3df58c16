"""Checks of pairings: pools with few or no games between them, repeated pairs, duplicated rows.

A pool is found by a sweep along the second eigenvector of the games' graph (M. Fiedler, "A property
of eigenvectors of nonnegative symmetric matrices and its application to graph theory", Czechoslovak
Mathematical Journal 25, 1975): of all cuts along it the one with the least conductance, the games
across divided by the appearances within the smaller part. n games across, each with variance p q of
its score, determine the difference of two pools to 1 / (Q sqrt(sum p q)) points at best.

Repeated pairs: if opponents are drawn at random, a pair's number of games in a span of time is
nearly Poisson with the mean g_1 g_2 / 2 m: g games of each player, m games in all in that span. The
check runs only if pairs seem random: the sum of N (N - 1) over pairs must be near the sum of
squared means, without the clearest pairs. Leagues with a schedule are skipped.

Duplicated rows follow the rule of the reader (`prowess.games.repetition`).
"""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fits.connectivity import groups
from prowess.games.repetition import USUALLY, find_repeated_rows
from prowess.games.tally import tally
from prowess.study.diagnosis.evidence import best_of, poisson_tail
from prowess.study.diagnosis.history import TIME_SPANS, LeagueHistory, Observation, TooFew

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]
    Truths = NDArray[np.bool_]


ITERATIONS = 600  # of the power method; a thin bridge needs far fewer
MIN_POOL_SHARE = 0.05  # of the games
THIN = 0.02  # games across a bridge for one within the smaller pool
BRIDGE_DEVIATION_POINTS = 40.0
MAX_ROWS_SHOWN = 5


def check_isolated_pools(history: LeagueHistory) -> Observation:
    """Find groups of players that no chain of games connects."""
    met = groups(tally(history.games, sides=False)).met
    if len(met) != len(history.final):
        raise TooFew("some players of the roster have no game")
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
        raise TooFew("too few players for pools")
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
    worst: list[dict[str, Any]] = []
    for k in surprising[:MAX_ROWS_SHOWN].tolist():
        player, opponent = history.names(codes[k])
        p = best_of(poisson_tail(int(count[k]), float(mean[k])), tries)
        worst.append(
            {"player": player, "opponent": opponent, "games": int(count[k]),
             "expected": float(mean[k]), "p": p}
        )  # fmt: skip
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
        raise TooFew("pairs rarely meet twice, which allows no test of repeats")
    if not 1.0 / RANDOM <= seen / chance <= RANDOM:
        raise TooFew("opponents are not drawn at random here (a schedule, pools, or seeding)")


def check_duplicates(history: LeagueHistory) -> Observation:
    """Count rows that repeat another row."""
    games = history.games
    if games.time is None:
        raise TooFew("without dates equal rows may be two games")
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
