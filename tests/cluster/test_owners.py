"""Rating periods by owner of the player give the bits of one process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import prowess
from prowess.engine.periods import BadRounds
from prowess.engine.rate import rate
from prowess.engine.streams.checkpoint import BadCheckpoint
from prowess.engine.streams.owners import rate_shards
from prowess.engine.system import Dynamic, Unratable
from prowess.games import shards
from prowess.games.arguments import BadArgument
from prowess.games.shards import shard_table
from prowess.systems.catalogue import find
from tests.cli.command import prowess as run
from tests.engine.leagues import league
from tests.engine.tables import START, games, kinds, one_setting, some_games, some_params
from tests.every_system import every, lawful, same
from tests.refusals import refused

NEEDS_ALL = {"ics"}  # a sum over all players before each period
ROWS = [("Ada", "Ben", 1.0), ("Cleo", "Ada", 0.5), ("Ben", "Cleo", 0.0), ("Dan", "Eve", 1.0)]


def takes_periods(system: Dynamic) -> bool:
    """Whether a system rates periods."""
    return "7d" in kinds(system)


@every(takes_periods)
@given(data=st.data())
def test_every_system_gives_the_same_bits(system: Dynamic, data: st.DataObject):
    """In any number of shards: ratings, clocks, counts and days are those of the whole table."""
    period = data.draw(st.sampled_from(("7d", "1mo", "round")))
    labelled = period == "round"
    timed = None if labelled else True
    table = data.draw(some_games(weighted=system.weights, timed=timed, labelled=labelled, size=20))
    params = one_setting(system) | data.draw(st.just({}) | some_params(system))
    whole = lawful(system, table, period, params=params)
    assume(whole is not None)
    shards = shard_table(table, data.draw(st.integers(1, 6)))
    options = {"period": period, "compiled": False, "params": params}
    if system.name in NEEDS_ALL:
        with refused(Unratable, "not_shareable", about=str(system.name)):
            rate_shards(shards, system, **options)
        return
    if labelled and whole.rounds.order is not None:
        with refused(BadRounds, "round_overlaps", about="overlap"):
            rate_shards(shards, system, **options)
        return
    parts = rate_shards(shards, system, **options)
    assert parts.state.rating.tobytes() == whole.state.rating.tobytes()
    assert same(parts.state.seen, whole.state.seen)
    assert parts.values.tobytes() == whole.values.tobytes()
    assert same(parts.game_counts, whole.game_counts)
    assert (parts.last is None) == (whole.last is None)
    assert parts.last is None or same(parts.last, whole.last)
    at_once = tuple(note for note in whole.notes if not note.startswith("players form"))
    assert (parts.head(), parts.notes) == (whole.head(), at_once)


@pytest.mark.parametrize("name", ["elo", "glicko2"])  # an exchange, and two evidences a game
def test_compiled_loops_give_the_same_bits(name):
    """Compiled, own sides alone: the bits of the compiled loop over both sides."""
    table = league(40, 600, seed=3)
    table = table.replace(time=START + np.sort(np.random.default_rng(1).random(len(table))) * 90)
    system = find(name)
    whole = rate(table, system, period="7d", compiled=True)
    parts = rate_shards(shard_table(table, 3), system, period="7d", compiled=True)
    assert parts.state.rating.tobytes() == whole.state.rating.tobytes()


def test_as_of_and_starting_values():
    """Games after a day are left out, and players begin with the values they are given."""
    table = games(ROWS * 4, time=[START + 3 * k for k in range(16)])
    given_values = {"Ben": {"rating": 1900.0, "deviation": 40.0}}
    options = {"period": "7d", "as_of": START + 20, "start": given_values}
    glicko2 = find("glicko2")
    whole = rate(table, glicko2, **options)
    parts = rate_shards(shard_table(table, 2), glicko2, **options)
    assert parts.values.tobytes() == whole.values.tobytes()
    assert (parts.head(), len(parts.start)) == (whole.head(), 1)
    with refused(Unratable, "empty_table", about="as_of"):
        rate_shards(shard_table(table, 2), glicko2, period="7d", as_of=START - 1)


def test_what_needs_one_process_is_refused():
    """Game by game, a prepared system, a bank, or a period without dates: the remedy is said."""
    shards = shard_table(games(ROWS), 2)
    for name, period, remedy in (
        ("elo", None, (Unratable, "not_shareable", "period")),
        ("prowess", "7d", (Unratable, "not_shareable", "looks")),
        ("elo", "7d", (BadRounds, "no_dates")),
        ("elo", "round", (BadRounds, "no_rounds")),
    ):
        with refused(remedy[0], remedy[1], about=remedy[2:]):
            rate_shards(shards, find(name), period=period)
    with refused(Unratable, "not_shareable", about="bank"):
        rate_shards(shards, find("elo"), period="7d", params={"k": (8.0, 16.0)})
    days = [START, START + 200, START + 201, START + 202]
    paused = shard_table(games(ROWS, time=days, round=[1, 1, 1, 1]), 2)
    with refused(BadRounds, "round_overlaps", about="200"):
        rate_shards(paused, find("elo"), period="round")


def test_a_rating_that_is_lost_is_reported_by_name():
    """A rating that is no finite number is an error with the name of the player."""
    table = games([("Ada", "Ben", 1.0)] * 2000, time=[START] * 2000)
    for count in (1, 2):
        with refused(Unratable, "no_finite_rating", about=("Ben", "ratio_elo")):
            rate_shards(shard_table(table, count), find("ratio_elo"), period="7d")


def test_a_folder_is_rated_as_its_games(tmp_path):
    """`prowess.rate` takes a folder of shards; what asks for the games of it is refused."""
    table = games(ROWS * 3, time=[START + 3 * k for k in range(12)])
    prowess.shard(table, tmp_path / "out", 2)
    whole = prowess.rate(table, "glicko", period="7d")
    parts = prowess.rate(tmp_path / "out", "glicko", period="7d")
    assert parts.leaderboard().cells() == whole.leaderboard().cells()
    assert parts.forecast("Ada", "Ben") == whole.forecast("Ada", "Ben")
    for ask in (parts.games, parts.history, lambda: parts.history("Ada")):
        with refused(Unratable, "no_games_kept"):
            ask()
    with refused(BadArgument, "shards_in_order"):
        prowess.rate(tmp_path / "out", "glicko", period="7d", memory="1GB")
    with refused(BadArgument, "shards_not_taken", about="bradley_terry"):
        prowess.rate(tmp_path / "out", "bradley_terry")


class StopHere(Exception):
    """Ends a run between two periods."""


def test_a_run_over_shards_goes_on(tmp_path):
    """Stopped after any period and begun again: the bits of one run; another run is refused."""
    folder, days = tmp_path / "out", [START + 3 * k for k in range(12)]
    prowess.shard(games(ROWS * 3, time=days), folder, 3)
    about: dict[str, Any] = {"period": "7d", "tau": 0.6}
    whole: Any = prowess.rate(folder, "glicko2", **about)
    last = 6  # periods
    for stop in range(1, last + 1):
        about["resume"] = tmp_path / f"run-{stop}"
        played: list[int] = []

        def watch(done: int, _: int, stop: int = stop, played: list[int] = played) -> None:
            played.append(done)
            if len(played) == stop:
                raise StopHere

        with pytest.raises(StopHere):
            prowess.rate(folder, "glicko2", checkpoint_every=0, progress=watch, **about)
        again: Any = prowess.rate(folder, "glicko2", progress=watch, **about)
        assert played == list(range(1, last + 1))  # none twice
        assert again.state.rating.tobytes() == whole.state.rating.tobytes()
        assert same(again.state.seen, whole.state.seen)
        assert again.leaderboard().cells() == whole.leaderboard().cells()
    given_values = {"Ada": {"rating": 1900.0}}
    for other in ({"tau": 0.7}, {"period": "1d"}, {"as_of": 1e5}, {"initial": given_values}):
        with refused(BadCheckpoint, "another_run"):
            prowess.rate(folder, "glicko2", **about | other)
    prowess.shard(games(ROWS * 3, time=days), tmp_path / "other", 3)
    with refused(BadCheckpoint, "another_run", about="shards"):
        prowess.rate(tmp_path / "other", "glicko2", **about)
    asked = ["--system", "glicko2", "--period", "7d", "--resume", str(tmp_path / "run")]
    first = run("rate", str(folder), *asked)
    assert (first.returncode, run("rate", str(folder), *asked).stdout) == (0, first.stdout)


@pytest.mark.parametrize("period", ["7d", "round"])
def test_periods_that_fill_groups_of_rows(tmp_path, monkeypatch, period):
    """Groups of a file within a period are not read to find it: the bits are those of the table."""
    monkeypatch.setattr(shards, "ROWS_OF_GROUP", 4)
    days = [START + 0.2 * k + 9 * (k // 30) for k in range(96)]
    table = games(ROWS * 24, time=days, round=[k // 20 for k in range(96)])
    glicko2 = find("glicko2")
    whole = rate(table, glicko2, period=period)
    parts = rate_shards(shards.write_shards([table], tmp_path / "out", 2), glicko2, period=period)
    assert parts.values.tobytes() == whole.values.tobytes()
    assert same(parts.last, whole.last)
    assert same(parts.game_counts, whole.game_counts)
    assert (parts.head(), len(parts.rounds.bounds)) == (whole.head(), len(whole.rounds.bounds))


def test_the_command_line_rates_shards(tmp_path):
    """`prowess shard` writes a folder that `prowess rate` rates as the file itself."""
    file, out = tmp_path / "games.csv", tmp_path / "out"
    rows = [f"2024-{1 + k % 12:02d}-03,{a},{b},{score}" for k, (a, b, score) in enumerate(ROWS * 3)]
    file.write_text("\n".join(("date,player_a,player_b,result", *rows)))
    assert "12 games in 3 shards" in run("shard", file, out, "--shards", 3).stderr
    shown = [
        run("rate", one, "--system", "glicko", "--period", "1mo").stdout for one in (file, out)
    ]
    assert shown[0] == shown[1] != ""
