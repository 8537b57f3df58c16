"""Markov games as files, TOML or JSON.

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
from pathlib import Path
from typing import Any

from prowess.games import BadData
from prowess.theory.markov import BadGame, MarkovGame, markov_game

KEYS = ("name", "start", "win", "lose", "points", "states")
REMEDY = "`prowess theory markov two_ahead --toml` prints a file to begin with"


def read_game(file: str | Path) -> MarkovGame:
    """The game that a file describes. Raises BadData with the file and what is wrong in it."""
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
        return game_of(data, path.stem)
    except BadGame as error:
        raise BadData(str(error), file=str(file)) from None


def game_of(data: Any, name: str = "game") -> MarkovGame:
    """The game that such data describe; raises BadGame."""
    if not isinstance(data, dict):
        raise BadGame(f"a game is a table with the keys {', '.join(KEYS)}")
    for key in data:
        if key not in KEYS:
            raise BadGame(f"{key!r} is no key of a game; there are: {', '.join(KEYS)}")
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


def as_toml(game: MarkovGame) -> str:
    """The file that describes a game."""
    heads = {"name": game.name, "start": game.start, "win": game.win, "lose": game.lose}
    blocks = ["\n".join(f"{key} = {json.dumps(text)}" for key, text in heads.items())]
    for state, row in game.moves.items():
        lines = [f"[states.{json.dumps(state)}]"]
        lines += [f"{json.dumps(to)} = {json.dumps(str(chance))}" for to, chance in row.items()]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"
