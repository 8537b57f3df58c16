"""Did somebody suddenly play much better or worse than his rating: another person, or on purpose?

Runs of so many successive games of established players are looked at. What one scored above
the calibrated forecasts of games that were open when he played them is a sum whose tail has a
bound (`chance.log_chernoff`); it holds although ratings follow the results, because each
forecast was made before its game. The smallest of all runs is judged by Bonferroni.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.study.diagnosis.calibrated import Calibrated, TooFew
from prowess.study.diagnosis.chance import log_chernoff, log_cumulants
from prowess.study.diagnosis.course import ESTABLISHED, Course
from prowess.study.diagnosis.finding import Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RUNS = (20, 40)  # games; ten wins in a row are no wonder among so many players
SHOWN = 5
SURE = log(0.05)


def jumps(course: Course, calibration: Calibrated) -> Observation:
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
