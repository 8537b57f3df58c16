"""Makes the tables that are no plain text: data bases, columnar files, packed files, folders.

The games are drawn from a fixed seed; only what DuckDB itself writes beside them differs each time.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parent / "tables"
CLUBS = ("Ajax", "Feyenoord", "PSV", "Twente", "Utrecht")
VOTES = {"model_a": 1, "model_b": 0, "tie": 0.5, "tie (bothbad)": 0.5}
Rows = list[tuple[date, str, str, int, int]]


def draw_season(clubs: tuple[str, ...], start: str, seed: int) -> Rows:
    """Each club at home to each other once, a day apart."""
    chance = random.Random(seed)
    pairs = [(home, away) for home in clubs for away in clubs if home != away]
    chance.shuffle(pairs)
    first = date.fromisoformat(start)
    return [
        (first + timedelta(at), home, away, chance.randint(0, 4), chance.randint(0, 3))
        for at, (home, away) in enumerate(pairs)
    ]


def list_games(rows: Rows, home: str = "a", clock: str = "") -> list[dict[str, Any]]:
    """The games of a truth."""
    return [
        {
            "a": host,
            "b": guest,
            "score": 1 if goals > against else 0 if goals < against else 0.5,
            "date": f"{day}{clock}",
            "points": [goals, against],
            "home": home,
        }
        for day, host, guest, goals, against in rows
    ]


def write_truth(name: str, what: str, games: list[dict[str, Any]], **more: Any) -> None:
    """`NAME.truth.json`, one game a line."""
    truth = {"what": what, "answer": "read", **more}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in truth.items()]
    listed = ",\n  ".join(json.dumps(game, ensure_ascii=False) for game in games)
    text = "{\n" + ",\n".join([*lines, f'"games": [\n  {listed}\n]']) + "\n}\n"
    (TABLES / f"{name}.truth.json").write_text(text, encoding="utf-8")


def format_csv(rows: Rows, head: str = "date,home,away,home_goals,away_goals") -> str:
    """The season as CSV."""
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n"


def make_packed() -> None:
    """One CSV in each packing."""
    import zstandard

    rows = draw_season(CLUBS, "2023-08-01", 1)
    data = format_csv(rows).encode()
    packed = {
        "packed_gzip.csv.gz": gzip.compress(data, mtime=0),
        "packed_bzip2.csv.bz2": bz2.compress(data),
        "packed_xz.csv.xz": lzma.compress(data),
        "packed_zstandard.csv.zst": zstandard.ZstdCompressor().compress(data),
        "packed_unnamed": gzip.compress(data, mtime=0),
    }
    for file, content in packed.items():
        (TABLES / file).write_bytes(content)
        write_truth(file.split(".")[0], f"a CSV, packed: {file}", list_games(rows))


def pack_zip(name: str, files: dict[str, bytes]) -> None:
    """A zip archive with these files, dated always alike."""
    with zipfile.ZipFile(TABLES / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(zipfile.ZipInfo(file, (2024, 1, 1, 0, 0, 0)), content)


def make_zips() -> None:
    """Archives of one file, of several alike, with a note beside."""
    first, second = draw_season(CLUBS, "2022-08-01", 2), draw_season(CLUBS, "2023-08-01", 3)
    one, two = format_csv(first).encode(), format_csv(second).encode()
    pack_zip("zip_one.zip", {"results.csv": one})
    write_truth("zip_one", "a zip of one CSV", list_games(first))
    pack_zip("zip_seasons.zip", {"2023-24/E0.csv": two, "2022-23/E0.csv": one})
    write_truth("zip_seasons", "a zip of two seasons, the later first", list_games(first + second))
    note = b"Results of the league.\nSource: the club.\n"
    junk = {"__MACOSX/._results.csv": b"\x00\x05\x16\x07", "README.txt": note}
    pack_zip("zip_readme.zip", {**junk, "results.csv": one, "LICENSE": note})
    write_truth("zip_readme", "a zip with README, LICENSE and __MACOSX", list_games(first))
    table = b"pos,team,pld,w,d,l,pts\n1,Ajax,8,6,1,1,19\n2,PSV,8,5,1,2,16\n"
    pack_zip("zip_table_beside.zip", {"standings.csv": table, "results.csv": one})
    write_truth(
        "zip_table_beside",
        "a zip of results and standings: which file is meant is said",
        list_games(first),
        options={"table": "results.csv"},
    )


def make_folders() -> None:
    """A folder of season files, files in a list, headings that differ from file to file."""
    seasons = [draw_season(CLUBS, f"{year}-08-01", year) for year in (2020, 2021, 2022)]
    folder = TABLES / "folder_seasons"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for rows in seasons:
        (folder / f"season-{rows[0][0].year}.csv").write_text(format_csv(rows), encoding="utf-8")
    (folder / "README.md").write_text("# Results\n\nOne file a season.\n", encoding="utf-8")
    every = [row for rows in seasons for row in rows]
    write_truth("folder_seasons", "a folder of three seasons with a README", list_games(every))
    files = [f"folder_seasons/season-{year}.csv" for year in (2022, 2020)]
    write_truth(
        "files_listed",
        "a list of two files, the later first",
        list_games(seasons[0] + seasons[2]),
        source=files,
    )
    write_truth(
        "files_glob",
        "files by a pattern",
        list_games(every),
        source="folder_seasons/season-*.csv",
    )
    folder = TABLES / "folder_headings"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    old, new = seasons[0], seasons[1]
    head = "Date,HomeTeam,AwayTeam,FTHG,FTAG"
    (folder / "2020.csv").write_text(format_csv(old, head), encoding="utf-8")
    columns = [f"{at};{day:%d.%m.%Y};{h};{a};{x};{y}" for at, (day, h, a, x, y) in enumerate(new)]
    text = "\n".join(["no;date;home;away;hg;ag", *columns]) + "\n"
    (folder / "2021.csv").write_text(text, encoding="utf-8")
    write_truth(
        "folder_headings",
        "a folder whose files differ in headings, delimiter and dates",
        list_games(old + new),
    )


def make_columnar() -> None:
    """Parquet, Feather and Arrow with dates, categories and lists."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    rows = draw_season(CLUBS, "2023-08-01", 4)
    days, hosts, guests, goals, against = (list(column) for column in zip(*rows, strict=True))
    plain = {"home_team": hosts, "away_team": guests, "home_goals": goals, "away_goals": against}
    table = pa.table({"date": pa.array(days, pa.date32()), **plain})
    parquet.write_table(table, TABLES / "columns.parquet")
    write_truth("columns", "Parquet with days", list_games(rows))
    zone = timezone(timedelta(hours=2))
    times = [datetime(day.year, day.month, day.day, 20, 45, tzinfo=zone) for day in days]
    coded = {
        "kickoff": pa.array(times, pa.timestamp("us", "+02:00")),
        "home": pa.array(hosts).dictionary_encode(),
        "away": pa.array(guests).dictionary_encode(),
        "hg": pa.array(goals, pa.int8()),
        "ag": pa.array(against, pa.int8()),
    }
    feather.write_feather(pa.table(coded), TABLES / "categories.feather")
    write_truth(
        "categories",
        "Feather with categories and times of a zone",
        list_games(rows, clock="T18:45:00"),
    )
    text = pa.table({"date": list(map(str, days)), **plain, "note": [None] * len(rows)})
    with pa.ipc.new_file(TABLES / "stream.arrow", text.schema) as sink:
        sink.write_table(text)
    write_truth("stream", "Arrow file, days as texts, a column of nulls", list_games(rows))
    whole = [float(each) if at != 3 else None for at, each in enumerate(goals)]
    floats = pa.table({"date": days, **plain, "home_goals": whole})
    parquet.write_table(floats, TABLES / "floats.parquet")
    played = rows[:3] + rows[4:]
    write_truth("floats", "Parquet, goals as 2.0, one null", list_games(played), left_out=1)
    sides = [["Ann", "Bob"], ["Cleo", "Dirk"], ["Ann", "Cleo"], ["Bob", "Dirk"]]
    pairs = {
        "date": days[:4],
        "team_a": [sides[0], sides[2], sides[1], sides[3]],
        "team_b": [sides[1], sides[3], sides[0], sides[2]],
        "winner": ["a", "b", "b", "draw"],
    }
    parquet.write_table(pa.table(pairs), TABLES / "lists.parquet")
    scores = {"a": 1, "b": 0, "draw": 0.5}
    games = [
        {"a": a, "b": b, "score": scores[won], "date": str(day)}
        for day, a, b, won in zip(*pairs.values(), strict=True)
    ]
    write_truth("lists", "Parquet with lists of members", games, home_open=True)


def make_votes() -> None:
    """Votes on language models, as Parquet with nested columns."""
    import pyarrow as pa
    from pyarrow import parquet

    votes = random.Random(5)
    models = ["gpt-4o", "claude-3", "gemini-1.5", "llama-3"]
    drawn = [(*votes.sample(models, 2), votes.choice(list(VOTES))) for _ in range(30)]
    start = 1707000000.25
    nested = {
        "model_a": [a for a, _, _ in drawn],
        "model_b": [b for _, b, _ in drawn],
        "winner": [vote for _, _, vote in drawn],
        "tstamp": [start + 60.0 * at for at in range(30)],
        "conv_metadata": [{"turns": 1, "hard": {"x": True}} for _ in drawn],
    }
    parquet.write_table(pa.table(nested), TABLES / "arena_nested.parquet")
    games = [
        {"a": a, "b": b, "score": VOTES[vote], "date": date_of(start + 60.0 * at)}
        for at, (a, b, vote) in enumerate(drawn)
    ]
    write_truth("arena_nested", "votes as Parquet with nested columns", games)


def date_of(seconds: float) -> str:
    """Seconds since 1970 as a time."""
    moment = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return moment.isoformat(timespec="milliseconds")


def make_data_bases() -> None:
    """SQLite files with one table and with several."""
    rows = draw_season(CLUBS, "2023-08-01", 6)
    text = [(str(day), *rest) for day, *rest in rows]
    create = "create table {} (date text, home text, away text, home_goals int, away_goals int)"
    insert = "insert into {} values (?, ?, ?, ?, ?)"

    with open_sqlite("sqlite_one.db") as base:
        base.execute(create.format("games"))
        base.executemany(insert.format("games"), text)
    write_truth("sqlite_one", "SQLite with one table", list_games(rows))

    with open_sqlite("sqlite_several.sqlite") as base:
        for name, share in (("cup", text[:6]), ("league", text[6:])):
            base.execute(create.format(name))
            base.executemany(insert.format(name), share)
        base.execute("create table clubs (name text, city text)")
        base.executemany("insert into clubs values (?, 'x')", [(club,) for club in CLUBS])
    write_truth(
        "sqlite_several",
        "SQLite with a table of the cup, one of the league, one of clubs",
        list_games(rows[6:]),
        options={"table": "league"},
    )


def make_keyed_bases() -> None:
    """SQLite files whose games name players by keys of another table."""
    names = ["Ann", "Bob", "Cleo", "Dirk"]
    chance = random.Random(7)
    played = [(at, *chance.sample(range(4), 2), chance.choice([0, 1, 2])) for at in range(20)]
    with open_sqlite("sqlite_keys.db") as base:
        base.execute("create table players (id integer primary key, name text not null)")
        base.executemany("insert into players values (?, ?)", [*enumerate(names, 41)])
        base.execute(
            "create table matches (id integer primary key, played_at integer, player1_id integer"
            " references players(id), player2_id integer references players(id),"
            " winner_id integer references players(id))"
        )
        base.executemany(
            "insert into matches values (?, ?, ?, ?, ?)",
            [
                (at, 1707000000 + at * 86400, 41 + a, 41 + b, (41 + a, 41 + b, None)[won])
                for at, a, b, won in played
            ],
        )
    write_truth(
        "sqlite_keys",
        "SQLite: keys of a table of players, no winner_id in a draw, or no game: that is asked",
        [
            {
                "a": names[a],
                "b": names[b],
                "score": (1, 0, 0.5)[won],
                "date": date_of(1707000000 + at * 86400),
            }
            for at, a, b, won in played
            if won != 2
        ],
        answer="ask",
        options={"table": "matches"},
        remedy={"exclude": {"winner_id": ""}},
    )
    decided = [each for each in played if each[3] != 2]
    with open_sqlite("sqlite_winner_keys.db") as base:
        base.execute("create table players (id integer primary key, name text not null)")
        base.executemany("insert into players values (?, ?)", [*enumerate(names, 41)])
        base.execute(
            "create table matches (id integer primary key, winner integer references players(id),"
            " loser integer references players(id), on_day text)"
        )
        base.executemany(
            "insert into matches values (?, ?, ?, ?)",
            [
                (at, 41 + (a, b)[won], 41 + (b, a)[won], f"2024-03-{at + 1:02d}")
                for at, a, b, won in decided
            ],
        )
    write_truth(
        "sqlite_winner_keys",
        "SQLite: winner and loser are keys of a table of players, which is no table of games",
        [
            {
                "a": names[(a, b)[won]],
                "b": names[(b, a)[won]],
                "score": 1,
                "date": f"2024-03-{at + 1:02d}",
            }
            for at, a, b, won in decided
        ],
    )


def make_duckdb_files() -> None:
    """DuckDB files with one table and with two."""
    import duckdb

    rows = draw_season(CLUBS, "2023-08-01", 6)
    text = [(str(day), *rest) for day, *rest in rows]
    for name, tables in (("duckdb_one", ["games"]), ("duckdb_several", ["games", "friendlies"])):
        path = TABLES / f"{name}.duckdb"
        path.unlink(missing_ok=True)
        with duckdb.connect() as session:
            session.execute(f"attach '{path}' as made (block_size 16384)")
            for at, table in enumerate(tables):
                columns = "date date, home text, away text, home_goals int, away_goals int"
                session.execute(f"create table made.{table} ({columns})")
                session.executemany(f"insert into made.{table} values (?, ?, ?, ?, ?)", text[at:])
            session.execute("detach made")
    write_truth("duckdb_one", "DuckDB file with one table", list_games(rows))
    write_truth(
        "duckdb_several",
        "DuckDB file with two tables",
        list_games(rows[1:]),
        options={"table": "friendlies"},
    )


@contextmanager
def open_sqlite(name: str) -> Iterator[sqlite3.Connection]:
    """A new data base of this name, written at the end."""
    path = TABLES / name
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path)
    base.execute("pragma page_size = 1024")
    yield base
    base.commit()
    base.close()


def main() -> None:
    """Write all files again."""
    TABLES.mkdir(exist_ok=True)
    make_packed()
    make_zips()
    make_folders()
    make_columnar()
    make_votes()
    make_data_bases()
    make_keyed_bases()
    make_duckdb_files()


if __name__ == "__main__":
    main()
