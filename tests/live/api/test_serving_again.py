"""`prowess serve` with the settings of a store that is there: the same ones, and others."""

from __future__ import annotations

import subprocess
import sys

import httpx2

from tests.live.api.test_server import running

CHESS = ("--category", "chess", "--system", "glicko2", "--set", "tau=0.6", "--period", "1mo")


def notes(server) -> list[str]:
    """What it said before it was ready, but for the token, the address, and that it compiles."""
    other = ("prw_", "http://", "are being compiled")
    return [one.strip() for one in server.said if not any(word in one for word in other)]


def method(server) -> dict[str, object]:
    """How the category is rated."""
    (one,) = httpx2.get(f"{server.url}/api/v1/categories").json()["items"]
    return {name: one[name] for name in ("key", "system", "period", "params")}


def test_the_same_command_starts_again(tmp_path):
    """The command that made a store starts it again, and says nothing about its settings."""
    store = ("--store", str(tmp_path / "club.db"), "--quiet")
    with running(*store, *CHESS, "--name", "Chess") as server:
        assert notes(server) == ["new category chess, rated by glicko2"]
        made = method(server)
        assert server.ended() == 0
    for again in ((*CHESS, "--name", "Chess"), ("--set", "tau=0.60", "--period", "1mo")):
        with running(*store, *again) as server:
            assert notes(server) == []
            assert method(server) == made
            assert server.ended() == 0


def test_other_settings_start_and_are_told(tmp_path):
    """Other settings change nothing; what differs is said, and how to change it."""
    store = ("--store", str(tmp_path / "club.db"), "--quiet")
    with running(*store, *CHESS) as server:
        made = method(server)
        assert server.ended() == 0
    other = ("--system", "elo", "--set", "k=20", "--period", "7d", "--name", "Schach")
    with running(*store, *other) as server:
        (told,) = notes(server)
        assert told.startswith("to change how chess is rated use its page in the administration")
        assert "PATCH /api/v1/categories/chess" in told
        for part in (
            "glicko2, not --system elo", "period 1mo, not --period 7d", "k=none, not --set k=20",
            "the name 'chess', which stays, not --name 'Schach'",
        ):  # fmt: skip
            assert part in told
        assert method(server) == made
        assert server.ended() == 0
    with running(*store, "--set", "tau=0.5") as server:
        assert notes(server)[0].endswith("the store has tau=0.6, not --set tau=0.5")
        assert server.ended() == 0
    with running(*store, "--category", "go") as server:
        assert notes(server) == ["new category go, rated by prowess"]
        assert server.ended() == 0
    with running(*store, "--system", "elo") as server:
        assert notes(server) == [
            "name the category with --category (chess, go): --system changed nothing"
        ]
        assert server.ended() == 0


def test_what_no_category_could_have_is_an_error(tmp_path):
    """A misspelt setting ends the command with one error, also where the store is there."""
    words = [sys.executable, "-m", "prowess", "serve", "--store", str(tmp_path / "club.db")]
    with running(*words[4:], *CHESS) as server:
        assert server.ended() == 0
    for wrong in (("--system", "glico2"), ("--set", "taau=1"), ("--period", "x")):
        done = subprocess.run(
            [*words, "--port", "0", *wrong], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode in (2, 3)  # bad usage, or refused as for a new category
        assert "Traceback" not in done.stderr
        assert wrong[1].partition("=")[0] in done.stderr
