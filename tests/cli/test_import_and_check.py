"""`prowess import` and `prowess check`: tables into a store, and the proof of what it shows."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from sqlalchemy import func, select, update

from prowess.live.store.store import open_store
from prowess.live.store.tables import category, result, version
from tests.cli.command import CONTESTS, FOOTBALL, GAMES, answered, prowess, refused


@pytest.fixture
def games(tmp_path):
    """A table of four games."""
    path = tmp_path / "games.csv"
    path.write_text(GAMES)
    return path


@pytest.fixture
def store(tmp_path):
    """Where a store will be."""
    return tmp_path / "ladder.db"


def test_a_table_is_taken_once(games, store):
    """The first import records every row, the second none."""
    first = answered("import", games, "--store", store, "--system", "glicko2")
    assert first == "4 recorded, 0 there already, revision 1\n"
    second = answered("import", games, "--store", store)
    assert second == "0 recorded, 4 there already, revision 1\n"
    assert answered("check", "--store", store) == "main: 4 results, 3 players: equal\n"


def test_how_the_columns_were_read_is_told(games, store):
    """Each role with its column, and the columns that play none; --quiet says nothing."""
    games.write_text("Datum,Heim,Gast,Tore1,Tore2,Ort\n2024-01-01,Ada,Ben,2,1,Ulm\n")
    options = ("--player-a", "Heim", "--player-b", "Gast", "--score-a", "Tore1", "--score-b",
               "Tore2", "--time", "Datum", "--sides", "a")  # fmt: skip
    done = prowess("import", games, *options, "--store", store)
    assert (
        "columns   Heim = home (side advantage)   Gast = away   Tore1 : Tore2 = score"
        "   Datum = date\nnot used  Ort\n"
    ) in done.stderr
    quiet = prowess("import", games, *options, "--store", store, "--quiet")
    assert quiet.stderr == ""


def test_dry_run_makes_nothing(games, store):
    """A dry run says what would be recorded, and leaves no store behind."""
    said = answered("import", games, "--store", store, "--dry-run")
    assert said == "4 would be recorded, 0 there already\n"
    assert list(store.parent.iterdir()) == [games]


def test_bad_table_makes_nothing(games, store):
    """A row that cannot be read ends with 3 and its place; no store is made."""
    games.write_text(GAMES.replace("cy,ada,0", "cy,ada,7"))
    assert "line 4" in refused(3, "import", games, "--store", store)
    assert "there is no store" in refused(4, "check", "--store", store)


FUTURE = """date,white,black,result
2026-01-05,Ada,Ben,1-0
2962-01-01,Cleo,Dan,1-0
2026-01-03,Eve,Ben,1-0
"""


def test_refused_rows_are_found_again(games, store):
    """A refusal of the journal names players and date; --skip-bad leaves the result out."""
    games.write_text(FUTURE)
    told = "Cleo, Dan on 2962-01-01: time: give the time at which it was played"
    said = refused(3, "import", games, "--store", store)
    assert f"1 of 3 rows cannot be taken, the first: {told}" in said
    done = prowess("import", games, "--store", store, "--skip-bad")
    assert done.stdout == "2 recorded, 0 there already, revision 1\n"
    assert f"left out: {told}" in done.stderr
    assert "1 row was left out" in done.stderr
    assert answered("check", "--store", store) == "main: 2 results, 3 players: equal\n"


def test_a_list_of_fixtures(games, store):
    """Without any result, and without a column of results where all days are to come."""
    day = datetime.now(UTC).date() + timedelta(days=3)
    games.write_text(f"date,home,away,score\n{day},Ann,Ben,\n{day},Cid,Dee,\n")
    assert "2 games without a result" in refused(3, "rate", games)
    counts = "0 recorded, 0 there already"
    done = prowess("import", games, "--store", store)
    assert done.stdout == f"{counts}, 2 games to come added, revision 1\n"
    assert "home (side advantage)" in done.stderr
    assert "a new category main, rated by prowess, which keeps no points" in done.stderr
    games.write_text(f"day,home,away\n{day},Cid,Dee\n{day},Ben,Ann\n{day + timedelta(9)},Ann,Ben\n")
    changed = "1 game to come added, 1 game to come moved to another time"
    assert answered("import", games, "--store", store) == f"{counts}, {changed}, revision 2\n"
    games.write_text(f"day,home,away\n{day},Eve,Dee\n2020-01-01,Eve,Ann\n")
    assert "no column that looks like a result" in refused(3, "import", games, "--store", store)
    games.write_text("date,home,away,score\n2020-01-01,Ann,Ben,\n")
    said = refused(3, "import", games, "--store", store)
    assert "no row is a game that was played" in said
    assert "prowess import" not in said
    games.write_text("date,home,away,winner\n2020-01-01,Ann,Ben,\n")
    assert "whether such games are draws" in refused(3, "import", games, "--store", store)
    games.write_text(f"date,home,away,winner\n{day},Ann,Ed,\n")
    assert ", 1 game to come added, " in answered("import", games, "--store", store)


@pytest.mark.parametrize("heading", ["", ",winner", ",score"])
def test_a_fault_in_a_list_of_fixtures_is_named(games, store, heading):
    """It is the row's own, not that there are no results."""
    day, rest = datetime.now(UTC).date() + timedelta(days=3), "," * bool(heading)
    games.write_text(f"date,home,away{heading}\n{day},Ann,Ben{rest}\n{day},Cid,Cid{rest}\n")
    said = refused(3, "import", games, "--store", store)
    assert '"Cid" plays against themselves' in said
    assert "line 3" in said


def test_games_to_come_are_not_left_out(games, store):
    """Rows without a result are added or left out, not both."""
    day = datetime.now(UTC).date() + timedelta(days=3)
    rows = f"2020-01-01,Ann,Ben,1-0\n{day},Ann,Ben,\n{day},Cid,Dee,\n"
    games.write_text(f"date,home,away,score\n{rows}")
    done = prowess("import", games, "--store", store, "--dry-run")
    assert "2 games to come added" in done.stdout
    assert "left out" not in done.stderr
    games.write_text(f"date,home,away,score\n{rows}2020-01-02,Dee,Cid,\n")
    done = prowess("import", games, "--store", store, "--dry-run")
    assert "2 games to come added" in done.stdout
    assert "1 row left out: not played" in done.stderr


def test_two_games_of_one_day_are_two_games_to_come(games, store):
    """Without an hour each row of two players is a game; with one, a row that is repeated is not.
    The same table adds nothing again.
    """
    day = datetime.now(UTC).date() + timedelta(days=3)
    twice = f"{day},Ann,Ben,\n" * 2 + f"{day} 19:30,Cid,Dee,\n" * 2
    games.write_text(f"date,home,away,score\n2020-01-01,Ann,Ben,1-0\n{twice}")
    assert ", 3 games to come added, " in answered("import", games, "--store", store)
    assert "added" not in answered("import", games, "--store", store)


@pytest.mark.parametrize("heading", ["", ",winner"])
def test_a_list_of_fixtures_from_standard_input(store, heading):
    """It is looked at twice, and read once."""
    day, rest = datetime.now(UTC).date() + timedelta(days=3), "," * bool(heading)
    text = f"date,home,away{heading}\n{day},Ann,Ben{rest}\n{day},Cid,Dee{rest}\n"
    done = answered("import", "-", "--store", store, stdin=text)
    assert done.startswith("0 recorded, 0 there already, 2 games to come added, ")


def test_contests(tmp_path, store):
    """A table of contests makes a category of contests."""
    races = tmp_path / "races.csv"
    races.write_text(CONTESTS)
    assert answered("import", races, "--store", store, "--category", "races").startswith("2 rec")
    assert answered("check", "--store", store) == "races: 2 results, 4 players: equal\n"
    said = refused(3, "import", FOOTBALL, "--store", store, "--category", "races")
    assert "races holds contests" in said


FACTS = """\
date,player_a,player_b,result,fact_surface,Best Of
2024-01-01,ada,ben,1,clay,3
2024-01-02,ben,ada,0.3,,5
"""


def stored(store, key):
    """What the results of a category say: score and facts."""
    book = open_store(str(store))
    with book.read() as connection:
        rows = connection.execute(
            select(version.c.score, version.c.facts)
            .join(result, result.c.id == version.c.result_id)
            .join(category, category.c.id == result.c.category_id)
            .where(category.c.key == key)
            .order_by(version.c.result_id)
        ).all()
    book.close()
    return [tuple(row) for row in rows]


def test_facts_are_stored(games, store):
    """Columns fact_NAME are facts unasked, others where they are named; none leaves them out."""
    games.write_text(FACTS)
    into = ("import", games, "--store", store, "--category")
    answered(*into, "plain")
    assert stored(store, "plain") == [(1.0, {"surface": "clay"}), (0.3, None)]
    other = (*into[:-1], "--source", "archive", "--category")
    answered(*other, "more", "--facts", "Best Of")
    assert stored(store, "more") == [
        (1.0, {"best_of": 3.0, "surface": "clay"}), (0.3, {"best_of": 5.0}),
    ]  # fmt: skip
    answered(*into[:-1], "--source", "third", "--category", "none", "--facts", "none")
    assert stored(store, "none") == [(1.0, None), (0.3, None)]


def test_facts_of_contests(tmp_path, store):
    """A contest has the facts of its rows; rows that contradict one another are refused."""
    races = tmp_path / "races.csv"
    races.write_text(CONTESTS.replace("position", "position,fact_track").replace("\n2", ",wet\n2"))
    text = races.read_text().replace("track,wet", "track").rstrip("\n") + ",wet\n"
    races.write_text(text)
    answered("import", races, "--store", store)
    assert stored(store, "main") == [(None, {"track": "wet"})] * 2
    races.write_text(text.replace("wet", "dry", 1))
    assert "one contest has two values" in refused(3, "import", races, "--store", store)


@pytest.mark.parametrize("option", [("--per", "car"), ("--with", "car"), ("--family",)])
def test_members_by_role_are_refused(tmp_path, store, option):
    """Cars would be ranked among the drivers: nothing is taken, and no store is made."""
    races = tmp_path / "races.csv"
    races.write_text("driver,car,race,place\nada,x,1,1\nben,y,1,2\n")
    said = refused(2, "import", races, "--store", store, *option)
    assert f"leave {option[0]} out" in said
    assert not store.exists()


def test_categories_are_left_out_unless_named(tmp_path, store):
    """A league that nobody names is not used, as a note says; one that is named is a fact."""
    football = tmp_path / "football.csv"
    rows = "".join(f"2024-01-{1 + at % 28:02d},Ann,Bob,1-0,{'AB'[at % 2]}\n" for at in range(40))
    football.write_text(f"date,home,away,result,league\n{rows}", encoding="utf-8")
    done = prowess("import", football, "--store", store)
    assert "not used  league" in done.stderr
    assert {facts for _, facts in stored(store, "main")} == {None}
    done = prowess("import", football, "--store", store, "--league", "league", "--category", "two",
                   "--source", "two")  # fmt: skip
    assert "   league   " in done.stderr
    found = [facts["league"] for _, facts in stored(store, "two")]
    assert sorted(found) == ["A"] * 20 + ["B"] * 20


def test_the_same_table_in_two_categories(games, store):
    """A row counts once in each category; with another source it is another result."""
    into = ("import", games, "--store", store, "--category")
    for key in ("first", "second"):
        assert answered(*into, key).startswith("4 recorded, 0 there already")
    for key in ("first", "second"):
        assert answered(*into, key).startswith("0 recorded, 4 there already")
    assert answered(*into, "second", "--source", "archive").startswith("4 recorded, 0")


def test_numbers_that_named_no_category(games, store):
    """Rows that were numbered by their content alone, as once, are known again in their category,
    and are new in another.
    """
    into = ("import", games, "--store", store, "--category")
    answered(*into, "first")
    book = open_store(str(store))
    book.writer.do(
        lambda c: c.execute(
            update(result).values(external_id=func.replace(result.c.external_id, "@first", ""))
        )
    )
    book.close()
    assert answered(*into, "first").startswith("0 recorded, 4 there already")
    assert answered(*into, "second").startswith("4 recorded, 0 there already")
    assert answered(*into, "first").startswith("0 recorded, 4 there already")


def test_constants_belong_to_a_new_category(games, store):
    """--system for a category that is there is refused."""
    answered("import", games, "--store", store, "--system", "elo", "--set", "k=20")
    assert "leave --system, --set and --period out" in refused(
        2, "import", games, "--store", store, "--set", "k=20"
    )
    other = ("import", games, "--store", store, "--category", "other")
    assert "no parameter" in refused(2, *other, "--system", "elo", "--set", "kk=20")


def test_whole_real_table(store):
    """All international football matches go in and are proved equal to the batch program."""
    assert answered("import", FOOTBALL, "--store", store).startswith("49,520 recorded")
    (found,) = json.loads(answered("check", "--store", store, "--json"))
    assert (found["results"], found["equal"]) == (49_520, True)


def test_a_shown_value_that_the_log_does_not_give(games, store):
    """A log changed behind the ladder's back is found: exit code 1 and the values."""
    answered("import", games, "--store", store)
    book = open_store(str(store))
    book.writer.do(
        lambda c: c.execute(update(version).where(version.c.result_id == 1).values(score=0.0))
    )
    book.close()
    done = prowess("check", "--store", store)
    assert done.returncode == 1
    assert "values differ" in done.stdout
    assert "the log gives" in done.stdout


def test_a_log_that_cannot_be_rated(games, store):
    """A category that has no fit (Ada never lost, so no maximum exists) is told, and why; the
    others are proved all the same, before it and after it.
    """
    for key, system in (("first", "elo"), ("second", "bradley_terry"), ("third", "glicko")):
        games.write_text("date,white,black,result\n2026-01-05,Ada,Ben,1-0\n")
        answered(
            "import", games, "--store", store, "--category", key, "--system", system,
            "--source", key,
        )  # fmt: skip
    first, second, third = answered("check", "--store", store).splitlines()
    assert first == "first: 1 result, 2 players: equal"
    assert second.startswith("second: 1 result: cannot be rated: ")
    assert third == "third: 1 result, 2 players: equal"
    found = json.loads(answered("check", "--store", store, "--json"))
    assert [one["equal"] for one in found] == [True, None, True]


def test_the_server_of_another_store(games, store):
    """A server that does not know the store's categories, answers otherwise or not at all is a
    wrong use of --url, told in one line.
    """
    answered("import", games, "--store", store)
    said: list[tuple[int, bytes]] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            status, body = said[0] if "leaderboard" in self.path else (200, b'{"revision": 1}')
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Quiet."""

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        for status, body in ((404, b'{"detail": "no category"}'), (200, b"{}"), (200, b"<html>")):
            said[:] = [(status, body)]
            told = refused(2, "check", "--store", store, "--url", url)
            assert "the server that keeps this store" in told
        server.shutdown()
    assert "start the server" in refused(2, "check", "--store", store, "--url", url)
    refused(2, "check", "--store", store, "--url", "nonsense")


def test_no_store(tmp_path):
    """A store out of reach ends with 4 and one line."""
    said = refused(4, "check", "--store", "postgresql://nobody@127.0.0.1:1/none")
    assert said.count("\n") == 1
