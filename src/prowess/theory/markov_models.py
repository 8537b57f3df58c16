"""Ready Markov games, and Markov games as TOML or JSON files.

In the ready games a point is won with p = X / (X + Y), lost with q = Y / (X + Y):

    point          one point
    two_ahead      first to be two points ahead: p^2 / (p^2 + q^2), WM^2
    best_of_three  first to two points: p^2 (3 - 2p)
    tennis_game    first to four points and two ahead
    streak         two points ahead and then five in a row; any lost point of the streak leads back
                   to one ahead (section 3.4 leaves open where it leads; this is ours)

`match(points, lead)` makes others of their kind, for example table tennis, match(11, 2).

A game as a file, TOML or JSON.

    name  = "two ahead"
    start = "level"             # where the game begins
    win   = "won"               # the two ends; nothing moves on from them
    lose  = "lost"

    [points]                    # abbreviations, as many as you like
    p = "X / (X + Y)"           # X = e^R1 is the player, Y = e^R2 the opponent
    q = "Y / (X + Y)"

    [states.level]              # one table a state: where it leads, and with what chance
    ahead  = "p"
    behind = "q"

    [states.ahead]
    won   = "p"
    level = "q"

    [states.behind]
    level = "p"
    lost  = "q"

A chance is any ratio of two homogeneous forms of the same degree, written with X, Y, numbers,
+ - * / ^, brackets and the abbreviations. A JSON file has the same keys.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from prowess.games import BadData
from prowess.theory.markov import BadGame, MarkovGame, markov_game

POINT = MappingProxyType({"p": "X / (X + Y)", "q": "Y / (X + Y)"})
LONGEST = 30  # points; the exact formula of a longer match takes minutes


def match(points: int, lead: int = 1, name: str = "") -> MarkovGame:
    """Build a match that the first to `points` points with a lead of at least `lead` wins.

    lead = points: that many points ahead. Raises BadGame unless 1 <= lead <= points <= 30.
    """
    if not 1 <= lead <= points <= LONGEST:
        raise BadGame(
            f"give 1 <= lead <= points <= {LONGEST}, not {points} points with a lead of {lead}"
        )

    def after(mine: int, theirs: int) -> str:
        if mine >= points and mine - theirs >= lead:
            return "won"
        if theirs >= points and theirs - mine >= lead:
            return "lost"
        # once both have points - lead, only the difference matters
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
    """Build a game won by a lead of `lead` points and then `streak` points in a row.

    A point lost in the streak leads back to a lead of one less.

    Raises BadGame unless both are 1 to 20.
    """
    if not (1 <= lead <= 20 and 1 <= streak <= 20):
        raise BadGame(f"give a lead and a streak of 1 to 20, not {lead} and {streak}")

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


KEYS = ("name", "start", "win", "lose", "points", "states")
REMEDY = "`prowess theory markov two_ahead --toml` prints a file to begin with"


def read_game(file: str | Path) -> MarkovGame:
    """Read a game from a TOML or JSON file; raises BadData with the file and the fault."""
    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except FileNotFoundError:
        raise BadData("no such file", file=str(file), remedy=REMEDY) from None
    except OSError as error:
        raise BadData(f"cannot be read: {error.strerror}", file=str(file)) from None
    except RecursionError:
        raise BadData("nested too deeply", file=str(file), remedy=REMEDY) from None
    except ValueError as error:  # of the decoder, of TOML and of JSON
        raise BadData(f"neither TOML nor JSON: {error}", file=str(file), remedy=REMEDY) from None
    try:
        return parse_game(data, path.stem)
    except BadGame as error:
        raise BadData(str(error), file=str(file)) from None


def parse_game(data: Any, name: str = "game") -> MarkovGame:
    """Parse the data of a game file; raises BadGame."""
    if not isinstance(data, dict):
        raise BadGame(f"a game is a table with the keys {', '.join(KEYS)}")
    for key in data:
        if key not in KEYS:
            raise BadGame(f"use the keys {', '.join(KEYS)}: {key!r} is none of them")
    for key in ("start", "win", "lose", "states"):
        if key not in data:
            raise BadGame(f"the key {key!r} is missing; {REMEDY}")
    for key in ("name", "start", "win", "lose"):
        if not isinstance(data.get(key, ""), str):
            raise BadGame(f"{key} = {data[key]!r} is not a text in quotes")
    states = data["states"]
    if not isinstance(states, dict) or not states:
        raise BadGame("states is a table of states, [states.NAME], with one at least")
    for state, row in states.items():
        _check_texts(f"state {state!r}", row)
    points = data.get("points", {})
    _check_texts("points", points)
    ends = data["start"], data["win"], data["lose"]
    return markov_game(data.get("name", name), *ends, states, points)


def _check_texts(place: str, row: Any) -> None:
    if not isinstance(row, dict):
        raise BadGame(f'{place} is {row!r}, not a table of lines such as won = "X / (X + Y)"')
    for to, chance in row.items():
        if not isinstance(chance, str):
            raise BadGame(f"{place}: {to} = {chance!r}; write chances in quotes, as {chance!r:.20}")


def format_toml(game: MarkovGame) -> str:
    """Format a game as a TOML file."""
    heads = {"name": game.name, "start": game.start, "win": game.win, "lose": game.lose}
    blocks = ["\n".join(f"{key} = {json.dumps(text)}" for key, text in heads.items())]
    for state, row in game.moves.items():
        lines = [f"[states.{json.dumps(state)}]"]
        lines += [f"{json.dumps(to)} = {json.dumps(str(chance))}" for to, chance in row.items()]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"
