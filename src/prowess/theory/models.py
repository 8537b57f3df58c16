"""Ready Markov games. A point is won with p = X / (X + Y), lost with q = Y / (X + Y).

    point          one point
    two_ahead      whoever is two points ahead: p^2 / (p^2 + q^2), WM^2
    best_of_three  first to two points: p^2 (3 - 2p)
    tennis_game    first to four points and two ahead
    streak         two points ahead and then five in a row; any lost point of the streak leads back
                   to one ahead (section 3.4 leaves open where it leads; this is ours)

`match(points, lead)` makes the others of their kind, for example table tennis, match(11, 2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from prowess.theory.markov import BadGame, MarkovGame, markov_game

POINT = MappingProxyType({"p": "X / (X + Y)", "q": "Y / (X + Y)"})
LONGEST = 30  # points; the exact formula of a longer match takes minutes


def match(points: int, lead: int = 1, name: str = "") -> MarkovGame:
    """Whoever has `points` points first and leads by `lead` at least.

    lead = points: so many points ahead. Raises BadGame unless 1 <= lead <= points <= 30.
    """
    if not 1 <= lead <= points <= LONGEST:
        raise BadGame(
            f"a match of {points} points with a lead of {lead}: "
            f"1 <= lead <= points <= {LONGEST} is what can be played"
        )

    def after(mine: int, theirs: int) -> str:
        if mine >= points and mine - theirs >= lead:
            return "won"
        if theirs >= points and theirs - mine >= lead:
            return "lost"
        # from so many points of both on only the difference matters
        level = max(0, min(mine, theirs) - (points - lead))
        return f"{mine - level}-{theirs - level}"

    states: dict[str, dict[str, str]] = {}
    new = ["0-0"]
    for state in new:
        mine, theirs = map(int, state.split("-"))
        states[state] = {after(mine + 1, theirs): "p", after(mine, theirs + 1): "q"}
        new += [to for to in states[state] if "-" in to and to not in {*states, *new}]
    return markov_game(name or f"match({points}, {lead})", "0-0", "won", "lost", states, POINT)


def ahead_then_streak(lead: int, streak: int, name: str = "") -> MarkovGame:
    """Lead by `lead` points, then win `streak` in a row; else back to a lead of one less.

    Raises BadGame unless both are 1 to 20.
    """
    if not (1 <= lead <= 20 and 1 <= streak <= 20):
        raise BadGame(f"a lead of {lead} and a streak of {streak}: 1 to 20 are what can be played")

    def level(difference: int) -> str:
        return f"{difference:+d}" if difference else "level"

    states: dict[str, dict[str, str]] = {}
    for d in range(1 - lead, lead):
        up = "lead 0" if d + 1 == lead else level(d + 1)
        down = "behind 0" if d - 1 == -lead else level(d - 1)
        states[level(d)] = {up: "p", down: "q"}
    for k in range(streak):
        last = k + 1 == streak
        states[f"lead {k}"] = {"won" if last else f"lead {k + 1}": "p", level(lead - 1): "q"}
        states[f"behind {k}"] = {"lost" if last else f"behind {k + 1}": "q", level(1 - lead): "p"}
    name = name or f"ahead_then_streak({lead}, {streak})"
    return markov_game(name, level(0), "won", "lost", states, POINT)


MODELS: Mapping[str, Callable[[], MarkovGame]] = MappingProxyType(
    {
        "point": lambda: match(1, 1, "point"),
        "two_ahead": lambda: match(2, 2, "two_ahead"),
        "best_of_three": lambda: match(2, 1, "best_of_three"),
        "tennis_game": lambda: match(4, 2, "tennis_game"),
        "streak": lambda: ahead_then_streak(2, 5, "streak"),
    }
)
