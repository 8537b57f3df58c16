"""Games in any number, as a folder of Parquet or CSV files, the same for the same seed.

python benchmarks/large/make.py FOLDER GAMES PLAYERS '{"ids": true, "csv": false, "files": 4}'
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

ROW_GROUP = 1 << 20
FILE = 5_000_000  # games
START = 1_356_998_400_000  # 2013-01-01 UTC, in milliseconds
STEP = 315  # milliseconds from game to game: 10^8 games a year
DRAWN = 0.25  # beside exp(x / 2) for a win and exp(-x / 2) for a loss
ADVANTAGE = 0.1  # of the first player, in natural units


class Population:
    """Players with hidden strengths, and the names by which they sign.

    Strengths are normal, one natural unit (174 points) wide. Player k of n takes part with a
    density that falls as k^(-2/3): few play often, and the last plays a third of the average.
    """

    def __init__(self, players: int, seed: int, ids: bool) -> None:
        random = np.random.default_rng(seed)
        self.players = players
        self.strength = random.normal(0.0, 1.0, players).astype(np.float32)
        self.label = random.permutation(players).astype(np.int32)  # activity shows in no name
        self.names = None if ids else make_names(self.label)

    def draw(self, random: np.random.Generator, rows: int) -> Any:
        """Who plays: small numbers often."""
        u = random.random(rows)
        return (self.players * (u * u * u)).astype(np.int32)

    def column(self, player: Any) -> pa.Array:
        """Names of 11 characters, or integers."""
        if self.names is None:
            return pa.array(self.label[player])
        return self.names.take(pa.array(player))


def make_names(label: Any) -> pa.Array:
    """`user0000000` and on: 11 characters each, from the digits of their labels."""
    text = np.empty((len(label), 11), np.uint8)
    text[:, :4] = np.frombuffer(b"user", np.uint8)
    rest = label.copy()
    for place in range(10, 3, -1):
        text[:, place] = ord("0") + rest % 10
        rest //= 10
    ends = np.arange(0, 11 * len(label) + 1, 11, dtype=np.int32)
    return pa.StringArray.from_buffers(len(label), pa.py_buffer(ends), pa.py_buffer(text))


def make_table(population: Population, seed: int, first: int, rows: int) -> pa.Table:
    """Games `first` to `first + rows`; the seed belongs to the piece."""
    random = np.random.default_rng([seed, first])
    a, b = population.draw(random, rows), population.draw(random, rows)
    b[a == b] = (a[a == b] + 1) % population.players  # nobody plays alone
    half = np.exp(0.5 * (population.strength[a] - population.strength[b] + ADVANTAGE))
    u = random.random(rows, np.float32) * (half + DRAWN + 1.0 / half)
    score = np.where(u < half, 1.0, np.where(u < half + DRAWN, 0.5, 0.0))
    time = START + STEP * np.arange(first, first + rows, dtype=np.int64)
    return pa.table(
        {
            "player_a": population.column(a),
            "player_b": population.column(b),
            "score": score,
            "time": pa.array(time).cast(pa.timestamp("ms")),
        }
    )


def write_file(
    population: Population, folder: Path, csv: bool, seed: int, number: int, first: int, last: int
) -> Path:
    """Write one file, a row group at a time, under another name until it is whole."""
    file = folder / f"games-{number:04d}.{'csv' if csv else 'parquet'}"
    beside = file.with_suffix(".part")
    writer: Any = None
    for at in range(first, last, ROW_GROUP):
        table = make_table(population, seed, at, min(ROW_GROUP, last - at))
        if writer is None:
            writer = (
                pyarrow.csv.CSVWriter(beside, table.schema)
                if csv
                else pq.ParquetWriter(beside, table.schema, compression="zstd")
            )
        writer.write_table(table)
    writer.close()
    beside.rename(file)
    return file


def make_games(
    folder: Path,
    games: int,
    players: int,
    *,
    ids: bool = False,
    csv: bool = False,
    files: int | None = None,
    seed: int = 7,
) -> list[Path]:
    """Write `games` games of `players` players in ascending time; the files, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    population = Population(players, seed, ids)
    files = files or -(-games // FILE)
    cuts = [games * k // files for k in range(files + 1)]
    write = partial(write_file, population, folder, csv, seed)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(write, range(files), cuts[:-1], cuts[1:]))


if __name__ == "__main__":
    to, games, players, form = sys.argv[1:]
    made = make_games(Path(to), int(games), int(players), **json.loads(form))
    size = sum(file.stat().st_size for file in made) / 1e6
    print(f"{int(games):,} games, {int(players):,} players, {len(made)} files, {size:,.0f} MB")
