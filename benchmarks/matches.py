"""Time of one match without a table, in plain Python: `python benchmarks/matches.py`.

The least of many short runs, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from timeit import repeat

import prowess

CALLS = 50  # of a run
TEAMS = [["Ann", "Bob"], ["Cid", "Dee", "Eve"]]


def microseconds(call: Callable[[], object], runs: int) -> float:
    """The time of a call after the first."""
    call()
    return min(repeat(call, number=CALLS, repeat=runs)) / CALLS * 1e6


def main() -> None:
    """Print microseconds of `update` and `forecast`, of two players and of two teams."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--smallest", action="store_true", help="one run: only whether it runs")
    given = parser.parse_args()
    runs = 1 if given.smallest else given.runs
    print(f"{'system':<12}{'update of two':>15}{'forecast':>10}{'update of teams':>17}")
    for name in ("elo", "glicko2", "trueskill", "weng_lin"):
        system = prowess.system(name)
        two, five = system.update(["Ann", "Bob"], 1), system.update(TEAMS, places=[1, 2])
        times = (
            microseconds(partial(system.update, two, 1), runs),
            microseconds(partial(system.forecast, two), runs),
            microseconds(partial(system.update, TEAMS, 1, ratings=five), runs),
        )
        print(f"{name:<12}{times[0]:>12.0f} us{times[1]:>7.0f} us{times[2]:>14.0f} us")


if __name__ == "__main__":
    main()
