"""How fast large tables become games: seconds, rows a second, memory, beside whole-table readers.

    python benchmarks/reading.py [--rows 20000000] [--players 1000000] [--folder FOLDER]

The tables are made first (in a temporary folder unless one is named, where they are kept): games
of players with names such as `p_12345`, in CSV and Parquet, with dates in order, shuffled,
and without dates. Every reader runs alone in a process of its own; its peak memory is the
resident set of that process. `busy` is the processor time of that process with all it imports:
on a machine that does nothing else it is near the time that passes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from stopwatch import peak_memory

PART = 1_000_000  # rows made at a time
DAYS = 20_000  # about 55 years


def parts(rows: int, players: int, in_order: bool) -> Iterator[Any]:
    """The games of a made-up table, part by part, as Arrow tables."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(1)
    for start in range(0, rows, PART):
        count = min(PART, rows - start)
        a = random.integers(0, players, count)
        b = (a + random.integers(1, players, count)) % players
        day = (np.arange(start, start + count) * DAYS) // rows
        if not in_order:
            day = random.integers(0, DAYS, count)
        score = random.choice([0.0, 0.5, 1.0], count)
        yield pa.table({
            "date": pa.array(day.astype(np.int32), pa.date32()),
            "player_a": names(a),
            "player_b": names(b),
            "score": pa.array(score),
        })  # fmt: skip


def names(ids: Any) -> Any:
    """The names of players: some eight letters, so that a row takes 25 to 35 bytes."""
    import numpy as np
    import pyarrow as pa

    return pa.array(np.char.add("p_", np.char.mod("%d", ids)))


def made(folder: Path, rows: int, players: int) -> dict[str, Path]:
    """The tables, made where they are not there yet."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    tables = {}
    for kind, in_order, dated in [
        ("undated", True, False), ("dated", True, True), ("shuffled", False, True),
    ]:  # fmt: skip
        for suffix in ("csv", "parquet"):
            path = folder / f"{kind}_{rows}_{players}.{suffix}"
            tables[f"{kind} {suffix}"] = path
            if path.exists():
                continue
            writer: Any = None
            for part in parts(rows, players, in_order):
                table = part if dated else part.drop_columns(["date"])
                if writer is None:
                    options = {"write_options": pc.WriteOptions(quoting_style="none")}
                    writer = (
                        pc.CSVWriter(path, table.schema, **options)
                        if suffix == "csv"
                        else pq.ParquetWriter(path, table.schema)
                    )
                writer.write_table(table)
            writer.close()
    return tables


def by_prowess(path: str) -> int:
    """Names to ids, dates to days, scores, in order of time."""
    from prowess.games import read_games

    return len(read_games(path))


def by_pyarrow(path: str) -> int:
    """The whole table, names as ids."""
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    pa.set_cpu_count(1)
    if path.endswith("csv"):
        table = pc.read_csv(path, read_options=pc.ReadOptions(use_threads=False))
    else:
        table = pq.read_table(path, use_threads=False)
    both = pa.chunked_array([*table["player_a"].chunks, *table["player_b"].chunks])
    return len(both.dictionary_encode()) // 2


def by_polars(path: str) -> int:
    """The whole table, names as ids."""
    import polars as pl

    table = (
        pl.read_csv(path, try_parse_dates=True) if path.endswith("csv") else pl.read_parquet(path)
    )
    both = pl.concat([table["player_a"], table["player_b"].rename("player_a")])
    return len(both.cast(pl.Categorical).to_physical()) // 2


def by_pandas(path: str) -> int:
    """The whole table, names as ids."""
    import pandas as pd

    table = pd.read_csv(path) if path.endswith("csv") else pd.read_parquet(path)
    codes, _ = pd.factorize(pd.concat([table["player_a"], table["player_b"]]))
    return len(codes) // 2


READERS: dict[str, Callable[[str], int]] = {
    "prowess": by_prowess,
    "pyarrow": by_pyarrow,
    "polars": by_polars,
    "pandas": by_pandas,
}


def child(reader: str, path: str) -> None:
    """Read once and print seconds, rows, seconds of processor time, and peak memory in MB."""
    began = time.perf_counter()
    rows = READERS[reader](path)
    seconds = time.perf_counter() - began
    print(seconds, rows, time.process_time(), peak_memory())


def measured(reader: str, path: Path, runs: int) -> tuple[float, int, float, float]:
    """The best of some runs, each in a process of its own: what `child` prints."""
    results = []
    for _ in range(runs):
        command = ["taskset", "-c", "0"] if Path("/usr/bin/taskset").exists() else []
        done = subprocess.run(
            [*command, sys.executable, __file__, "--child", reader, str(path)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or [f"exit {done.returncode}"]
            print(f"{reader:8} {path.name}: {last[0]}")
            return 0.0, 0, 0.0, 0.0
        seconds, rows, busy, peak = done.stdout.split()
        results.append((float(seconds), int(rows), float(busy), float(peak)))
    return min(results)


def main() -> None:
    """Make the tables, let every reader read them, print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--readers", default=",".join(READERS))
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--child", nargs=2)
    parser.add_argument("--smallest", action="store_true", help="only whether it runs")
    chosen = parser.parse_args()
    if chosen.smallest:
        chosen.rows, chosen.players, chosen.runs = 2_000, 50, 1
    if chosen.child:
        child(*chosen.child)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        tables = made(folder, chosen.rows, chosen.players)
        heads = f"{'s':>6} {'M rows/s':>8} {'busy s':>6} {'peak MB':>8}"
        print(f"{'table':18} {'MB':>5}  {'reader':8} {heads}")
        for name, path in list(tables.items())[-2 if chosen.smallest else 0 :]:
            for reader in chosen.readers.split(","):
                seconds, rows, busy, peak = measured(reader, path, chosen.runs)
                if seconds:
                    print(
                        f"{name:18} {path.stat().st_size / 1e6:5.0f}  {reader:8} {seconds:6.2f} "
                        f"{rows / seconds / 1e6:8.2f} {busy:6.2f} {peak:8.0f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
