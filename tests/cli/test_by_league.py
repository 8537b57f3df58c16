"""`prowess rate --by COLUMN`: every league of a table by itself."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from prowess.cli.commands import prowess as command
from tests.cli.command import GAMES, refused

TABLE = """\
date,league,home,away,result
2024-01-01,Premier,Ann,Bob,1-0
2024-01-02,Second,Cid,Dan,1-1
2024-01-03,Premier,Bob,Ann,0-2
2024-01-04,Second,Ann,Cid,0-0
2024-01-05,Third,Eve,Fay,2-0
"""


@pytest.fixture
def run(tmp_path):
    """The verb on the table, with some options."""
    file = tmp_path / "games.csv"
    file.write_text(TABLE)
    return lambda *options: CliRunner().invoke(command, ["rate", str(file), *options])


def test_the_leaderboard_has_a_column_of_the_league(run):
    """Each league has its ranks, and `--top` counts within it."""
    done = run("--by", "league", "--system", "elo", "--top", "1")
    assert done.stdout.splitlines() == [
        "league   rank  player  rating  games",
        "Premier     1  Ann     1530.5      2",
        "Second      1  Cid     1500.0      2",
        "Third       1  Eve     1516.0      1",
    ]
    assert "elo, 3 leagues, 5 games, 7 ratings" in done.stderr
    assert "Second,1,Cid,1500.0,2" in run("--by", "league", "--system", "elo", "--csv").stdout


def test_a_league_is_rated_as_where_rates_it(run):
    """`--by league` and `--where league=...` print the same digits, of the default system too."""
    for system in ("prowess", "glicko2", "map"):
        every = json.loads(run("--by", "league", "--system", system, "--json").stdout)
        alone = run("--where", "league=Second", "--system", system, "--json")
        expected = [{"league": "Second", **row} for row in json.loads(alone.stdout)["leaderboard"]]
        assert [row for row in every["leaderboard"] if row["league"] == "Second"] == expected


def test_a_league_that_cannot_be_rated_is_named(run):
    """With its reason, on stderr and in JSON; the others are rated."""
    done = run("--by", "league", "--system", "bradley_terry", "--json")
    assert "not rated: Premier: take the system map" in done.stderr
    found = json.loads(done.stdout)
    assert [one["league"] for one in found["unrated"]] == ["Premier", "Third"]
    assert found["leagues"] == [{"league": "Second", "games": 2, "players": 3}]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "league", "--start", "x.csv"], "leave --start out, or rate one league (--where"),
        (["--by", "league", "--forecasts", "x.csv"], "leave --forecasts out, or rate one league"),
        (["--by", "league", "--role", "car", "-s", "elo"], "choose --role from player"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run, options, message):
    """The remedy first."""
    done = run(*options)
    assert done.exit_code != 0
    assert message in done.stderr


def test_jobs_share_the_leagues(run):
    """The option reaches the workers; the answer is the same."""
    options = ("--by", "league", "--system", "map", "--json")
    alone = run(*options).stdout
    assert "Third" in alone
    assert run(*options, "--jobs", "2").stdout == alone
    both = run(*options, "--jobs", "2", "--cluster", "local")
    assert "leave --jobs out: --cluster has workers" in both.stderr


def test_a_column_that_is_not_there_is_refused():
    """By the name of the option."""
    message = refused(3, "rate", "-", "--by", "day", stdin=GAMES)
    assert '--by names column "day", which is not there' in message


def test_a_stream_prints_what_the_table_prints(run):
    """With --memory the file is read as a stream."""
    options = ("--by", "league", "--system", "glicko2", "--csv")
    done = run(*options, "--memory", "1GB")
    assert done.stdout == run(*options).stdout
    assert "read as a stream" in done.stderr
    assert "Premier" in done.stdout
    shared = run(*options, "--memory", "1GB", "--jobs", "2").stderr
    assert "leave --jobs and --cluster out" in shared
    refusal = run("--by", "league", "--system", "map", "--memory", "1GB").stderr
    assert "give --in-memory: map needs all games" in refusal


def test_json_of_a_stream_names_leagues_that_begin_later(run):
    """With --as-of they are in `unrated`, with the words and the reason of the table in memory."""
    options = ("--by", "league", "--system", "elo", "--as-of", "2024-01-04", "--json")
    whole, stream = (json.loads(run(*options, *how).stdout) for how in ((), ("--memory", "1GB")))
    assert [one["league"] for one in stream["unrated"]] == ["Third"]
    for part in ("leagues", "unrated", "leaderboard"):
        assert stream[part] == whole[part]


def test_one_season_in_two_spellings_is_told(tmp_path):
    """98/99 and 1998/99 stay two leagues, as a note says, from memory and from a stream."""
    file = tmp_path / "games.csv"
    rows = ("98/99,Ann,Bob,1-0", "1998/99,Bob,Ann,1-0", "1999/00,Ann,Bob,1-0", "2000,Ann,Bob,1-0")
    file.write_text("\n".join(("season,home,away,result", *rows)))
    for way in ((), ("--memory", "1GB")):
        done = CliRunner().invoke(command, ["rate", str(file), "--by", "season", "-s", "elo", *way])
        assert done.stderr.count("are one season in two spellings") == 1
        assert '"98/99" and "1998/99"' in done.stderr
