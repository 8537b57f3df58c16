"""Markov games as files, TOML or JSON; `prowess.theory.markov` shows one."""

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
    """Read a game from a TOML or JSON file; raises BadData with the file and the fault."""
    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except FileNotFoundError:
        raise BadData(
            "there is no such file", file=str(file), remedy=REMEDY, code="no_such_file"
        ) from None
    except OSError as error:
        raise BadData(
            f"cannot be read: {error.strerror}", file=str(file), code="unreadable_file"
        ) from None
    except RecursionError:
        raise BadData(
            "nested too deeply", file=str(file), remedy=REMEDY, code="nested_too_deeply"
        ) from None
    except ValueError as error:  # of the decoder, of TOML and of JSON
        raise BadData(
            f"neither TOML nor JSON: {error}",
            file=str(file),
            remedy=REMEDY,
            code="not_toml_or_json",
        ) from None
    try:
        return parse_game(data, path.stem)
    except BadGame as error:
        raise BadData(str(error), file=str(file), code=error.code) from None


def parse_game(data: Any, name: str = "game") -> MarkovGame:
    """Parse the data of a game file; raises BadGame."""
    if not isinstance(data, dict):
        raise BadGame(f"a game is a table with the keys {', '.join(KEYS)}", code="not_a_game")
    for key in data:
        if key not in KEYS:
            raise BadGame(
                f"use the keys {', '.join(KEYS)}: {key!r} is none of them", code="unknown_key"
            )
    for key in ("start", "win", "lose", "states"):
        if key not in data:
            raise BadGame(f"the key {key!r} is missing; {REMEDY}", code="key_missing")
    for key in ("name", "start", "win", "lose"):
        if not isinstance(data.get(key, ""), str):
            raise BadGame(f"{key} = {data[key]!r} is not a text in quotes", code="not_a_text")
    states = data["states"]
    if not isinstance(states, dict) or not states:
        raise BadGame(
            "states is a table of states, [states.NAME], with one at least", code="no_states"
        )
    for state, row in states.items():
        _check_texts(f"state {state!r}", row)
    points = data.get("points", {})
    _check_texts("points", points)
    ends = data["start"], data["win"], data["lose"]
    return markov_game(data.get("name", name), *ends, states, points)


def _check_texts(place: str, row: Any) -> None:
    if not isinstance(row, dict):
        raise BadGame(
            f'{place} is {row!r}, not a table of lines such as won = "X / (X + Y)"',
            code="not_a_game",
        )
    for to, chance in row.items():
        if not isinstance(chance, str):
            raise BadGame(
                f"{place}: {to} = {chance!r}; write chances in quotes, as {chance!r:.20}",
                code="not_a_text",
            )


def format_toml(game: MarkovGame) -> str:
    """Format a game as a TOML file."""
    heads = {"name": game.name, "start": game.start, "win": game.win, "lose": game.lose}
    blocks = ["\n".join(f"{key} = {json.dumps(text)}" for key, text in heads.items())]
    for state, row in game.moves.items():
        lines = [f"[states.{json.dumps(state)}]"]
        lines += [f"{json.dumps(to)} = {json.dumps(str(chance))}" for to, chance in row.items()]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"
