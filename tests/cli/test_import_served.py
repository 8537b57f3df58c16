"""`prowess import` while a server runs: the server takes the results, once each."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from prowess.live.journal.corrections import MOST_ADDED
from tests.cli.command import CONTESTS, GAMES, answered, prowess, refused
from tests.live.api.test_server import Running

FUTURE = """date,white,black,result
2026-01-05,Ada,Ben,1-0
2962-01-01,Cleo,Dan,1-0
2026-01-03,Eve,Ben,1-0
"""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A table of four games."""
    path = tmp_path / "games.csv"
    path.write_text(GAMES)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where the store of the server is."""
    return tmp_path / "ladder.db"


@pytest.fixture
def server(store: Path) -> Iterator[Running]:
    """The real command, serving a new store."""
    one = Running("--store", str(store), "--category", "main", "--quiet")
    yield one
    if one.process.poll() is None:
        assert one.ended() == 0


def imported(store: Path, *arguments: object) -> tuple[str, str]:
    """What `prowess import` says on stdout and on stderr, where it is done."""
    done = prowess("import", *arguments, "--store", store)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_without_a_token_the_command_is_told(games: Path, store: Path, server: Running) -> None:
    """The refusal begins with what to add, and names the server and the way to a token."""
    said = refused(2, "import", games, "--store", store)
    assert "add --token SECRET: the server at " + server.url in said
    command = f"prowess token add NAME --scope submit --source import --store {store}"
    assert f"`{command}`" in said
    secret = answered(*command.split()[1:]).strip()
    assert imported(store, games, "--token", secret)[0].startswith("4 recorded, 0 there already")


def test_results_are_taken_once(games: Path, store: Path, server: Running) -> None:
    """The server has them at once; again, and after it has ended, the same file doubles nothing.

    A row of today without a result is a game to come, once.
    """
    games.write_text(f"{GAMES}{datetime.now(UTC):%Y-%m-%d},ben,cy,\n")
    out, said = imported(store, games, "--token", server.secret, "--dry-run")
    assert out == "4 would be recorded, 0 there already, up to 1 game to come added\n"
    out, said = imported(store, games, "--token", server.secret)
    assert out == "4 recorded, 0 there already, 1 game to come added, revision 3\n"
    assert f"sent to the server at {server.url}" in said
    assert "read as   games between two" in said
    out, _ = imported(store, games, "--token", server.secret)
    assert out == "0 recorded, 4 there already, revision 3\n"
    check = ("check", "--store", store, "--url", server.url)
    assert answered(*check) == "main: 4 results, 3 players: equal\n"
    assert server.ended() == 0
    assert imported(store, games)[0] == "0 recorded, 4 there already, revision 3\n"
    assert answered("check", "--store", store) == "main: 4 results, 3 players: equal\n"


def test_a_table_brings_no_game_back(games: Path, store: Path, server: Running) -> None:
    """A game of it that was settled or struck does not come again, whatever it is sent with.

    A token that may submit alone records the results; the command says what is left out, and ends
    as without games to come. A row of a day before today goes with them, and adds nothing.
    """
    today, past = (f"{datetime.now(UTC) - timedelta(days):%Y-%m-%d}" for days in (0, 3))
    games.write_text(f"{GAMES}{past},ada,ben,\n{today},ben,cy,\n{today},cy,ada,\n")
    make = ("token", "add", "Club", "--scope", "submit", "--source", "import", "--store", store)
    secret = answered(*make).strip()
    for counts in ("4 recorded, 0", "0 recorded, 4"):
        out, said = imported(store, games, "--token", secret)
        assert out.startswith(f"{counts} there already, revision ")
        assert "2 games to come left out: your key may not add them" in said
    whole = ("--token", server.secret)
    assert ", 2 games to come added, " in imported(store, games, *whole)[0]
    bearer = {"Authorization": f"Bearer {server.secret}"}
    with httpx2.Client(base_url=f"{server.url}/api/v1", headers=bearer) as client:
        sent = {"category": "main", "player_a": "ben", "player_b": "cy", "score": 1}
        client.post("/results", json=sent).raise_for_status()
        (one,) = client.get("/categories/main/fixtures").json()["items"]
        client.delete(f"/fixtures/{one['number']}").raise_for_status()
    assert "to come" not in imported(store, games, *whole)[0]


def test_parts(games: Path, store: Path, server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long table goes in parts; the sums are those of the whole."""
    from prowess.games import read_games
    from prowess.live.api import sending
    from prowess.live.errors import StoreInUse
    from prowess.live.journal.imports import read_submissions

    monkeypatch.setattr(sending, "RESULTS_OF_REQUEST", 3)
    kept_by = sending.find_server(str(store), "main", StoreInUse("in use"))
    rows = tuple(read_submissions(read_games(games), kept_by.category, "import"))
    how = {"skip": False, "dry_run": False, "look_alikes": False}
    sent = sending.send_results(kept_by, server.secret, rows, **how)
    assert (sent.counts, sent.revision) == ({"recorded": 4}, 3)
    assert imported(store, games, "--token", server.secret)[0].startswith("0 recorded, 4 there")


def test_refusals_are_those_of_the_console(games: Path, store: Path, server: Running) -> None:
    """A refusal of the journal names players and date; nothing is recorded, or the rest is."""
    games.write_text(FUTURE)
    options = ("--store", store, "--token", server.secret)
    told = "Cleo, Dan on 2962-01-01: time: give the time at which it was played: this one is more"
    said = refused(3, "import", games, *options)
    assert f"1 of 3 rows cannot be taken, the first: {told}" in said
    done = prowess("import", games, *options, "--skip-bad")
    assert done.stdout == "2 recorded, 0 there already, revision 2\n"
    assert f"left out: {told}" in done.stderr
    assert "1 row was left out" in done.stderr
    games.write_text("date,white,black,result\n2026-01-06,\u0410da,Ben,1-0\n")
    said = refused(3, "import", games, *options)
    assert "write 'Ada', or confirm with --look-alikes that" in said
    assert imported(store, games, *options[2:], "--look-alikes")[0].startswith("1 recorded")


def test_what_the_server_cannot_take(games: Path, store: Path, server: Running) -> None:
    """A wrong token, another category and other columns end with the remedy."""
    said = refused(2, "import", games, "--store", store, "--token", "prw_wrong")
    assert "give a --token that may submit" in said
    options = ("--store", store, "--token", server.secret)
    said = refused(2, "import", games, *options, "--category", "chess")
    assert "make the category chess first" in said
    assert f"{server.url}/admin/categories" in said
    assert "--system" in refused(2, "import", games, *options, "--system", "glicko2")
    games.write_text(CONTESTS)
    assert "main holds games, the table contests" in refused(3, "import", games, *options)


def test_a_server_that_was_killed_is_not_asked(games: Path, store: Path, server: Running) -> None:
    """Where nobody has the store open the console writes itself, whatever is noted there."""
    assert server.ended(signal.SIGKILL) == -signal.SIGKILL
    assert imported(store, games)[0] == "4 recorded, 0 there already, revision 2\n"


def test_players_are_added_by_the_server_or_without_one(games: Path, store: Path) -> None:
    """Names join the ladder before they play; those who are there stay, bad ones are refused."""
    imported(store, games)
    out = answered("add-players", "Ann Ek", "ada", "--store", store)
    assert out == "1 added, revision 2\n"  # ada has games there
    out = answered("add-players", "Ann Ek", "--store", store)
    assert out == "0 added: main has all of them already\n"
    assert "Ann Ek" in refused(3, "add-players", "ANN EK", "--store", store)
    server = Running("--store", str(store), "--category", "main", "--quiet")
    said = refused(2, "add-players", "Cy Ek", "--store", store)
    assert f"add --token SECRET: the server at {server.url}" in said
    told = ("--store", store, "--token", server.secret)
    assert answered("add-players", "Cy Ek", *told) == "1 added, revision 3\n"
    assert answered("add-players", "Cy Ek", *told).startswith("0 added: ")
    assert "Ann Ek" in refused(3, "add-players", "ANN EK", *told)
    assert answered("add-players", "ANN EK", "--look-alikes", *told) == "1 added, revision 4\n"
    many = "\n".join(f"member {number}" for number in range(MOST_ADDED + 1))
    listed = prowess("add-players", "-", *told, stdin=f"\ufeffCy Ek\n{many}")
    assert listed.stdout == "1,001 added, revision 6\n", listed.stderr
    assert answered("add-players", *many.split("\n")[-3:], *told).startswith("0 added: ")
    assert "correct" in refused(2, "add-players", "Di Ek", "--store", store, "--token", "prw_x")
    assert server.ended() == 0


def test_a_list_of_players_that_cannot_be_read(games: Path, store: Path) -> None:
    """A dash among names, and a list in another encoding, are told with the remedy."""
    imported(store, games)
    assert "give - alone" in refused(2, "add-players", "-", "Zed", "--store", store)
    done = prowess("add-players", "-", "--store", store, stdin=b"Zed\nJos\xe9\n")
    assert (done.returncode, "save it as UTF-8" in done.stderr) == (3, True)
    assert "line 2" in done.stderr
    assert "give at least one name" in refused(2, "add-players", "-", "--store", store)


def test_no_store_is_made_for_players(tmp_path: Path) -> None:
    """A mistyped store is told, and nothing is made."""
    store = tmp_path / "none.db"
    assert "no store" in refused(4, "add-players", "Ann", "--store", store)
    assert not store.exists()
