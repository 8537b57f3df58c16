"""`prowess rate`: tables, starting ratings and forms of the answer."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections import Counter
from textwrap import dedent

import pytest
from click.testing import CliRunner

import prowess as library
from prowess.cli.commands import prowess as command
from prowess.cli.options import SECTION_OF
from prowess.engine.streams import file_sources
from prowess.engine.system import Unratable
from prowess.verbs.tables import DEFAULT_SYSTEM
from tests.cli.command import GAMES, answered, prowess, refused

OWN_SYSTEM = dedent("""\
    '''Count: a point a win.'''

    from typing import Annotated, NamedTuple

    from prowess import Dynamic, Range


    class Params(NamedTuple):
        step: Annotated[float, Range(0, 10, "points")] = 1.0


    class Rating(NamedTuple):
        rating: float = 0.0


    class Evidence(NamedTuple):
        points: float = 0.0


    def expected(p, me, opponent, game):
        return 0.5


    def evidence(p, me, opponent, game):
        return Evidence(p.step * game.score)


    def absorb(p, me, total):
        return Rating(me.rating + total.points)


    COUNT = Dynamic(
        name="count",
        params=Params(),
        rating=Rating(),
        evidence_zero=Evidence(),
        expected=expected,
        evidence=evidence,
        absorb=absorb,
    )
""")


def board(text: str) -> dict[str, dict[str, str]]:
    """The rows of a CSV leaderboard by player."""
    return {row["player"]: row for row in csv.DictReader(io.StringIO(text))}


def test_table_is_the_answer_and_talk_is_not(games):
    """The table is all of stdout; how it was read, the system and the counts are told on stderr."""
    done = prowess("rate", games)
    header, *rows = done.stdout.splitlines()
    assert header.split() == ["rank", "player", "rating", "deviation", "games"]
    assert len(rows) == 3
    first, second, title = done.stderr.splitlines()
    assert first.startswith("read as   games between two, 4 rows, 3 players")
    assert second.startswith("columns   player_a   player_b   result")
    assert title.startswith(f"{DEFAULT_SYSTEM}, 4 games, 3 players")


def test_verbose_says_the_rest(games):
    """-v adds the columns that were not used, the system, and what it takes from the table."""
    text = games.read_text(encoding="utf-8").splitlines()
    games.write_text("\n".join(f"{row},hall" for row in text), encoding="utf-8")
    short, long = (prowess("rate", games, *more).stderr.splitlines() for more in ([], ["-v"]))
    assert [line for line in long if line not in short] == [
        "not used  hall",
        f"system {DEFAULT_SYSTEM}, the default (--system chooses)",
        f"note: {DEFAULT_SYSTEM} uses draws, dates",
    ]
    assert [line for line in short if line not in long] == []


def test_help_begins_with_what_most_people_give():
    """Six options stand first, each other one once, under the heading of its kind."""
    _, *parts = re.split(r"^(Options.*):\n", answered("rate", "--help"), flags=re.MULTILINE)
    names = [re.findall(r"^  (?:-\w, )?(--[\w-]+)", part, re.MULTILINE) for part in parts[1::2]]
    assert names[0] == ["--system", "--period", "--by", "--top", "--min-games", "--output"]
    assert max(Counter(name for part in names for name in part).values()) == 1
    assert SECTION_OF.keys() <= {name for part in names for name in part}  # none that is gone


def test_quiet(games):
    """--quiet leaves stderr empty and the table as it is."""
    done = prowess("rate", games, "--quiet")
    assert done.stderr == ""
    assert done.stdout == prowess("rate", games).stdout


def test_one_win_between_equals(tmp_path):
    """A win between equals moves half of K: 16 points with K = 32, by Elo's formula."""
    file = tmp_path / "one.csv"
    file.write_text("player_a,player_b,result\nada,ben,1\n", encoding="utf-8")
    rows = board(answered("rate", file, "--system", "elo", "--set", "k=32", "--csv"))
    assert {name: float(row["rating"]) for name, row in rows.items()} == {"ada": 1516, "ben": 1484}


def test_json_is_one_object_at_full_precision(games):
    """--json says system, parameters and counts, and the numbers are the library's own."""
    data = json.loads(
        answered("rate", games, "--system", "glicko2", "--json"),
        parse_constant=lambda word: pytest.fail(f"{word} is no JSON"),
    )
    assert {"system", "params", "games", "players", "leaderboard"} <= data.keys()
    assert (data["system"], data["games"], data["players"]) == ("glicko2", 4, 3)
    ratings = library.rate(library.read_games(games), "glicko2")
    assert [row["player"] for row in data["leaderboard"]] == ratings.leaderboard().columns["player"]
    for row in data["leaderboard"]:
        standing = ratings[row["player"]]
        assert row["rating"] == standing.rating
        assert row["deviation"] == standing.deviation
        assert row["volatility"] == standing.volatility
        assert (row["rank"], row["games"]) == (standing.rank, standing.games)
    ratings_down = [row["rating"] for row in data["leaderboard"]]
    assert ratings_down == sorted(ratings_down, reverse=True)


def test_setting_reaches_the_system(games):
    """--set changes what the ratings are made with, and the answer says so."""
    data = json.loads(answered("rate", games, "-s", "elo", "--set", "k=0", "--json"))
    assert data["params"]["k"] == 0
    assert {row["rating"] for row in data["leaderboard"]} == {1500.0}


def test_top_and_min_games(games):
    """--top cuts the list, --min-games leaves players out before ranks are given."""
    assert len(answered("rate", games, "--top", 2).splitlines()) == 1 + 2
    rows = board(answered("rate", games, "--min-games", 3, "--csv"))
    assert sorted(rows) == ["ada", "ben"]
    assert {row["rank"] for row in rows.values()} == {"1", "2"}


def test_since_and_lower(games):
    """--since leaves out who has not played from that day on; --lower ranks by a lower bound."""
    everyone = board(answered("rate", games, "-s", "glicko2", "--csv"))
    some = board(answered("rate", games, "-s", "glicko2", "--since", "2024-01-10", "--csv"))
    assert (set(everyone), set(some)) == ({"ada", "ben", "cy"}, {"ada", "ben"})
    ranked = board(answered("rate", games, "-s", "glicko2", "--lower", 2, "--csv"))
    assert list(ranked) == sorted(ranked, key=lambda name: -float(ranked[name]["lower"]))
    for row in ranked.values():
        assert float(row["lower"]) == float(row["rating"]) - 2.0 * float(row["deviation"])


def test_frozen_forecasts(games, tmp_path):
    """--frozen writes the forecasts that a week's start allows; alone it is refused."""
    out = tmp_path / "forecasts.csv"
    answered("rate", games, "-s", "elo", "--frozen", "7d", "--forecasts", out)
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    # ada beats ben and ben draws cy in the first week: nobody had a game before it
    assert [float(row["expected"]) for row in rows[:2]] == [0.5, 0.5]
    assert float(rows[2]["expected"]) != 0.5
    assert "--judge" in refused(2, "rate", games, "-s", "elo", "--frozen", "7d")


@pytest.mark.parametrize(
    ("verb", "asked"),
    [
        ("rate", ("--frozen", "week", "--judge")),
        ("rate", ("--frozen", "week", "--judge", "--memory", "1GB")),
        ("compare", ("--frozen", "week")),
        ("compare", ("--by-column", "week")),
        ("compare", ("--row-order", "week")),
        ("rate", ("--sides", "week")),
        ("rate", ("--by", "week")),
        ("rate", ("--by", "week", "--memory", "1GB")),
        ("rate", ("--by", "date", "--facts", "week")),
    ],
)
def test_the_option_that_names_no_column_is_blamed(games, verb, asked):
    """A column that is not there is the fault of the option that names it, not of --facts."""
    said = refused(3, verb, games, *asked)
    flag = asked[asked.index("week") - 1]
    assert f'{flag} names column "week"' in said
    assert ("--facts" in said) == (flag == "--facts")
    assert ("a span such as 7d" in said) == (flag == "--frozen")


def test_as_of_leaves_later_games_out(games, tmp_path):
    """--as-of DATE gives what a table that ends on that day gives."""
    earlier = tmp_path / "earlier.csv"
    earlier.write_text("".join(GAMES.splitlines(keepends=True)[:3]), encoding="utf-8")
    options = ("--system", "elo", "--min-games", 1, "--csv")
    assert answered("rate", games, "--as-of", "2024-01-02", *options) == answered(
        "rate", earlier, *options
    )


def test_start_goes_on_where_an_answer_ended(games, tmp_path):
    """The CSV of a first half, given to --start, makes the second half end as the whole does."""
    header, *rows = GAMES.splitlines(keepends=True)
    halves = []
    for name, part in [("first", rows[:2]), ("second", rows[2:])]:
        halves.append(tmp_path / f"{name}.csv")
        halves[-1].write_text(header + "".join(part), encoding="utf-8")
    middle = tmp_path / "middle.csv"
    middle.write_text(answered("rate", halves[0], "-s", "elo", "--csv"), encoding="utf-8")
    whole = board(answered("rate", games, "-s", "elo", "--csv"))
    late = board(answered("rate", halves[1], "-s", "elo", "--start", middle, "--csv"))
    assert {name: row["rating"] for name, row in late.items()} == {
        name: row["rating"] for name, row in whole.items()
    }


def run(*arguments):
    """Run the command in this process."""
    return CliRunner().invoke(command, list(map(str, arguments)))


@pytest.mark.parametrize("system", ["glicko2", "prowess"])
def test_a_saved_state_continues_exactly(games, tmp_path, system):
    """Half a table, saved and continued with the other half, is the whole bit for bit."""
    header, *rows = GAMES.splitlines(keepends=True)
    files = {"first": rows[:2], "second": rows[2:], "last": rows[-1:]}
    for name, part in files.items():
        (tmp_path / f"{name}.csv").write_text(header + "".join(part), encoding="utf-8")
    state = tmp_path / "league.prowess"
    run("rate", tmp_path / "first.csv", "-s", system, "--save-state", state)
    more = ("rate", tmp_path / "second.csv", "--continue", state)
    assert "leave --system out" in run(*more, "-s", system).stderr
    whole = run("rate", games, "-s", system, "--csv").stdout
    assert run(*more, "--csv", "--save-state", state).stdout == whole
    assert isinstance(run(*more).exception, Unratable)  # they are rated already
    again = run("rate", tmp_path / "last.csv", "--continue", state)
    assert f"1 game stands in {state} already" in again.stderr


def test_a_continued_state_keeps_its_season(tmp_path):
    """The column of seasons need not be named again."""
    head = "date,season,a,b,score"
    rows = [f"2020-0{k}-01,{'x' if k < 4 else 'y'},Ann,Bob,1" for k in range(1, 6)]
    files = {"whole": rows, "first": rows[:2], "second": rows[2:]}
    for name, some in files.items():
        (tmp_path / name).write_text("\n".join([head, *some, ""]))
    about, state = ("--system", "season_elo", "--season", "season", "-q"), tmp_path / "a.prowess"
    whole = run("rate", tmp_path / "whole", *about).stdout
    run("rate", tmp_path / "first", *about, "--save-state", state)
    assert run("rate", tmp_path / "second", "--continue", state, "-q").stdout == whole


def test_a_continued_state_writes_the_forecasts_of_its_games(games, tmp_path):
    """--forecasts with --continue has the new games, forecast as in a run of the whole table."""
    header, *rows = GAMES.splitlines(keepends=True)
    for name, part in {"first": rows[:2], "second": rows[2:]}.items():
        (tmp_path / f"{name}.csv").write_text(header + "".join(part), encoding="utf-8")
    state, part, whole = (tmp_path / name for name in ("s.prowess", "part.csv", "whole.csv"))
    run("rate", tmp_path / "first.csv", "-s", "elo", "--save-state", state)
    run("rate", tmp_path / "second.csv", "--continue", state, "--forecasts", part)
    run("rate", games, "-s", "elo", "--forecasts", whole)
    head, *lines = whole.read_text(encoding="utf-8").splitlines()
    assert part.read_text(encoding="utf-8").splitlines() == [head, *lines[2:]]


def test_what_is_no_state_is_refused(games, tmp_path):
    """A file that is no state, and a folder that is missing, are refused without a traceback."""
    assert "name a file that prowess.save wrote" in refused(3, "rate", games, "--continue", games)
    assert "no/such" in refused(2, "rate", games, "-s", "elo", "--save-state", "no/such/x.prowess")


def test_history_on_days(tmp_path):
    """--at shows the ratings of days, as --as-of has them."""
    table = tmp_path / "dated.csv"
    rows = ("a,b,score,date", "ada,ben,1,2024-01-01", "ben,ada,1,2024-03-01")
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    days = ("--at", "2024-02-01", "--at", "2024-04-01")
    told = json.loads(answered("history", table, "ada", "-s", "glicko2", *days, "--json"))["path"]
    for row, day in zip(told, days[1::2], strict=True):
        whole = json.loads(answered("rate", table, "-s", "glicko2", "--as-of", day, "--json"))
        (mine,) = [one for one in whole["leaderboard"] if one["player"] == "ada"]
        assert (row["rating"], row["deviation"]) == (mine["rating"], mine["deviation"])
    refused(2, "history", table, "ada", "-s", "glicko2", *days, "--why")


def test_start_of_contexts(tmp_path):
    """A column @clay begins the ratings of PLAYER@clay; an empty cell is a newcomer's."""
    table, start = tmp_path / "tennis.csv", tmp_path / "board.csv"
    table.write_text(
        "winner,loser,surface\nAnn,Ben,clay\nBen,Cid,grass\nCid,Ann,clay\n", encoding="utf-8"
    )
    more = (table, "-q", "-s", "elo", "--per", "surface")
    start.write_text(answered("rate", *more, "--csv"), encoding="utf-8")
    still = ("--start", start, "--set", "k=0", "--csv")
    assert answered("rate", *more, *still) == start.read_text(encoding="utf-8")
    start.write_text("player,rating,@clay,@ice\nAnn,1600,1700,\nBen,1500,,1400\n", encoding="utf-8")
    done = prowess("rate", table, "-s", "elo", "--per", "surface", *still)
    assert "no player has games @ice here" in done.stderr
    found = board(done.stdout)
    assert float(found["Ann"]["@clay"]) == 1700.0
    assert float(found["Ben"]["@clay"]) == 1500.0
    said = refused(3, "rate", table, "-s", "elo", "--start", start)
    assert 'column "@clay"' in said
    assert "give --per COLUMN as in the earlier run" in said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("player,rating\nada,strong\n", 'line 2, column "rating"'),
        ("player,elo\nada,1500\n", 'column "elo"'),
        ("name,rating\nada,1500\n", "player"),
        ("player,rating\nada,1500\nada,1600\n", "line 3"),
        ("player,rating\nada\n", "line 2"),
        ("player,rating\nada,nan\n", "line 2"),
    ],
)
def test_bad_start_is_refused(games, tmp_path, text, told):
    """A table of starting ratings with a mistake is refused, naming file and place."""
    start = tmp_path / "start.csv"
    start.write_text(text, encoding="utf-8")
    message = refused(3, "rate", games, "-s", "elo", "--start", start)
    assert told in message
    assert "start.csv" in message


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_output_file(games, tmp_path, suffix):
    """-o writes the form its suffix says, stdout stays empty, and nothing is lost."""
    file = tmp_path / f"board.{suffix}"
    if suffix == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
    assert answered("rate", games, "-s", "elo", "-o", file) == ""
    if suffix == "csv":
        assert file.read_text(encoding="utf-8") == answered("rate", games, "-s", "elo", "--csv")
        return
    if suffix == "parquet":
        rows = parquet.read_table(file).to_pylist()
    else:
        rows = json.loads(file.read_text(encoding="utf-8"))["leaderboard"]
    assert rows == json.loads(answered("rate", games, "-s", "elo", "--json"))["leaderboard"]


def test_forecasts_file(games, tmp_path):
    """--forecasts writes a row a game; the first game of newcomers is expected to be even."""
    file = tmp_path / "forecasts.csv"
    answered("rate", games, "-s", "elo", "--forecasts", file)
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    assert [(row["date"], row["player_a"], row["player_b"]) for row in rows] == [
        ("2024-01-01", "ada", "ben"),
        ("2024-01-02", "ben", "cy"),
        ("2024-01-09", "cy", "ada"),
        ("2024-02-01", "ben", "ada"),
    ]
    assert float(rows[0]["expected"]) == 0.5
    assert 0 < float(rows[3]["expected"]) < 0.5  # ada won twice before


def test_forecasts_by_round(tmp_path):
    """With --period round a forecast stands beside its game, in the order of play."""
    games, file = tmp_path / "games.csv", tmp_path / "forecasts.csv"
    games.write_text(
        "round,player_a,player_b,result\n1,ada,ben,1\n2,ada,ben,1\n1,cy,dot,1\n", encoding="utf-8"
    )
    answered("rate", games, "-s", "elo", "--period", "round", "--forecasts", file)
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    assert [row["player_a"] for row in rows] == ["ada", "cy", "ada"]
    even = [float(row["expected"]) == 0.5 for row in rows]
    assert even == [True, True, False]  # by the third game ada has won one


def test_forecasts_of_contests(contests, tmp_path):
    """For contests there is a row a player, and the newcomers of a contest are equals."""
    file = tmp_path / "forecasts.csv"
    answered("rate", contests, "-s", "elo", "--forecasts", file)
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    assert [float(row["expected"]) for row in rows if row["contest"] == "1"] == [0.5] * 3
    assert len(rows) == 6


def test_contests_have_the_same_default(contests):
    """A table of contests is rated by the same system, and stderr says so."""
    done = prowess("rate", contests)
    assert done.returncode == 0
    assert f"{DEFAULT_SYSTEM}, 2 contests" in done.stderr
    assert done.stdout.split()[:2] == ["rank", "player"]


def test_own_system(games, tmp_path):
    """A system in a file of the user's own rates like any other."""
    file = tmp_path / "mine.py"
    file.write_text(OWN_SYSTEM, encoding="utf-8")
    rows = board(answered("rate", games, "--system", f"{file}:COUNT", "--set", "step=2", "--csv"))
    # by hand: ada won twice, ben won once and drew once, cy drew once; two points a win
    assert {name: float(row["rating"]) for name, row in rows.items()} == {
        "ada": 4.0,
        "ben": 3.0,
        "cy": 1.0,
    }


@pytest.mark.parametrize("name", ["margin", "length", "round", "level", "memory", "games"])
def test_settings_are_of_the_system_whatever_they_are_called(name, games, tmp_path):
    """--set reaches a parameter that is called as a column, an option or an argument is."""
    file = tmp_path / f"own_{name}.py"
    file.write_text(OWN_SYSTEM.replace("step", name), encoding="utf-8")
    rows = board(answered("rate", games, "-s", f"{file}:COUNT", "--set", f"{name}=2", "--csv"))
    assert float(rows["ada"]["rating"]) == 4.0  # two wins of two points, by hand


def test_own_system_that_fails(games, tmp_path):
    """An error inside a user's system names his file and line, and is not called our bug."""
    file = tmp_path / "mine.py"
    broken = OWN_SYSTEM.replace("return 0.5", "return 0.5 if me.rating < 0.4 else 1 / 0")
    file.write_text(broken, encoding="utf-8")
    message = refused(2, "rate", games, "--system", f"{file}:COUNT", "--forecasts", file)
    line = 1 + broken[: broken.index("1 / 0")].count("\n")
    assert f"mine.py, line {line}" in message
    assert "ZeroDivisionError" in message


def test_periods_by_round(tmp_path):
    """--period round judges the games of a round by the ratings before it."""
    file = tmp_path / "rounds.csv"
    file.write_text("round,player_a,player_b,result\n1,ada,ben,1\n1,ada,cy,1\n", encoding="utf-8")
    rows = board(answered("rate", file, "-s", "elo", "--set", "k=32", "--period", "round", "--csv"))
    assert float(rows["ada"]["rating"]) == 1532  # 16 points from each of two equals


def test_names_do_not_steer_the_terminal(tmp_path):
    """Control characters in names are written out in tables for people."""
    file = tmp_path / "games.csv"
    file.write_text("player_a,player_b,result\nada\x1b[31m,ben,1\n", encoding="utf-8")
    done = prowess("rate", file)
    assert "\x1b" not in done.stdout + done.stderr
    assert done.returncode in (0, 3)


def test_large_files_are_read_into_memory_for_a_fit(tmp_path, monkeypatch):
    """A fit needs all games: no size of the files makes a stream that was not asked for."""
    monkeypatch.setattr(file_sources, "PART_OF_MEMORY", 1 << 60)
    file = tmp_path / "games.csv"
    file.write_text("a,b,score\nAnn,Bob,1\nBob,Ann,1\n", encoding="utf-8")
    assert len(library.rate(str(file), "bradley_terry").table) == 2
    assert len(library.rate(str(file), "bradley_terry", memory="1GB").table) == 0
    run = CliRunner().invoke(command, ["rate", str(file), "--system", "bradley_terry"])
    assert run.exit_code == 0, run.stderr


def test_anchors_with_deviations_are_refused(tmp_path):
    """An anchor stays where it is: a deviation beside it was ignored without a word."""
    (tmp_path / "anchors.csv").write_text("player,rating,deviation\nHero,2500,50\n")
    (tmp_path / "games.csv").write_text(
        "a,b,result\nHero,Ann,1\nAnn,Hero,1\nAnn,Bob,1\nBob,Ann,1\n"
    )
    said = refused(3, "rate", "games.csv", "--system", "bradley_terry", "--anchor", "anchors.csv",
                   cwd=tmp_path)  # fmt: skip
    assert "deviation" in said
    assert "line 1" in said


def test_packed_anchors(tmp_path):
    """A file of anchors may be packed, as a table may."""
    (tmp_path / "anchors.csv.gz").write_bytes(gzip.compress(b"player,rating\nHero,2500\n"))
    (tmp_path / "games.csv").write_text(
        "a,b,result\nHero,Ann,1\nAnn,Hero,1\nAnn,Bob,1\nBob,Ann,1\n"
    )
    rows = answered("rate", "games.csv", "--system", "bradley_terry", "--anchor", "anchors.csv.gz",
                    "--csv", cwd=tmp_path)  # fmt: skip
    found = {row["player"]: float(row["rating"]) for row in csv.DictReader(io.StringIO(rows))}
    assert found["Hero"] == 2500.0


def test_a_fit_of_the_whole_table_says_what_goes_on_from_it(games, tmp_path):
    """Its saved state serves forecasts; without priors of players it takes no starting values."""
    state = tmp_path / "colley.prowess"
    said = run("rate", games, "-s", "colley", "--save-state", state).stderr
    assert f"prowess forecast --continue {state}" in said
    start = tmp_path / "start.csv"
    for heading in ("player,rating,attack", "player,rating,deviation"):
        start.write_text(f"{heading}\nAda,1,1\n", encoding="utf-8")
        assert "leave initial (--start) out" in refused(
            2, "rate", games, "-s", "colley", "--start", start
        )
