"""Games as files."""

from __future__ import annotations

import json
import tomllib

import pytest

from prowess.games import BadData
from prowess.theory import markov
from prowess.theory.markov import MODELS, BadGame, format_toml, parse_game, parse_ratio, read_game
from tests.refusals import refused

P, Q = "X / (X + Y)", "Y / (X + Y)"
POINT = {"start": "on", "win": "won", "lose": "lost", "states": {"on": {"won": P, "lost": Q}}}


def test_documented_file(tmp_path):
    """The file that the documentation shows is the game it is said to be: two ahead."""
    text = (markov.__doc__ or "").partition("JSON.\n\n")[2].partition("\nA chance is")[0]
    file = tmp_path / "game.toml"
    file.write_text("\n".join(line.removeprefix("    ") for line in text.splitlines()), "utf-8")
    game = read_game(file)
    assert game.name == "two ahead"
    assert game.formula == parse_ratio("X^2 / (X^2 + Y^2)")


@pytest.mark.parametrize("name", MODELS)
def test_round_trip(tmp_path, name):
    """A game written as TOML, or the same as JSON, is read as the same game."""
    game = MODELS[name]()
    toml, json_file = tmp_path / "game.toml", tmp_path / "game.json"
    toml.write_text(format_toml(game), encoding="utf-8")
    json_file.write_text(json.dumps(tomllib.loads(format_toml(game))), encoding="utf-8")
    assert read_game(toml) == read_game(json_file) == game


def test_a_file_without_a_name(tmp_path):
    """A game without a name is called by its file."""
    file = tmp_path / "golf.json"
    file.write_text(json.dumps(POINT), encoding="utf-8")
    assert read_game(file).name == "golf"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"state": {}}, "'state' is none"),
        ({"start": None}, "is not a text"),
        ({"start": "off"}, "'off', which is no state"),
        ({"states": {}}, "with one at least"),
        ({"states": {"on": P}}, "state 'on' is"),
        ({"states": {"on": {"won": 0.5, "lost": "0.5"}}}, "write chances in quotes"),
        ({"points": {"p": 1}}, "points: p = 1"),
        ({"states": {"on": {"won": P, "lost": P}}}, "sum to 2 X / (X + Y)"),
    ],
)
def test_bad_data(tmp_path, change, told):
    """What is wrong in a file is said together with the file's name."""
    file = tmp_path / "game.json"
    file.write_text(json.dumps({**POINT, **change}), encoding="utf-8")
    with pytest.raises(BadData) as caught:
        read_game(file)
    assert told in str(caught.value)
    assert str(caught.value).endswith(f"({file})")


@pytest.mark.parametrize("key", ["start", "win", "lose", "states"])
def test_missing_keys(key):
    """Each key that a game needs is asked for by name."""
    with refused(BadGame, "key_missing", about=str(key)):
        parse_game({name: value for name, value in POINT.items() if name != key})


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[" * 100_000, b"a = ", b"3", b'"text"'])
@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_other_files(tmp_path, content, suffix):
    """A file that is no TOML or JSON, or no table, is refused by name, never by a traceback."""
    file = tmp_path / f"game.{suffix}"
    file.write_bytes(content)
    with pytest.raises(BadData) as caught:
        read_game(file)
    assert caught.value.code in {"not_toml_or_json", "nested_too_deeply", "not_a_game"}
    assert caught.value.file == str(file)
    with refused(BadData, "no_such_file"):
        read_game(tmp_path / "none.toml")
