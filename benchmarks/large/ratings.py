"""Ratings of a folder in memory, and the digest of ratings by the names of the players.

python benchmarks/large/ratings.py FOLDER SYSTEM [PERIOD]    # the digest of rating in memory
python benchmarks/large/ratings.py RATINGS.parquet           # of a leaderboard that was written
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def digest_table(table: pa.Table) -> str:
    """The first digits of SHA-256 of names, ratings and games, in the order of the names."""
    table = table.drop_columns(["rank"]).sort_by("player").combine_chunks()
    digest = hashlib.sha256("\n".join(table["player"].to_pylist()).encode())
    for name in sorted(set(table.column_names) - {"player"}):
        digest.update(name.encode() + table[name].to_numpy().tobytes())
    return digest.hexdigest()[:16]


def rate_in_memory(folder: Path, system: str, period: str | None) -> pa.Table:
    """The leaderboard of the whole table, read and rated at once."""
    import prowess

    games = prowess.read_games(sorted(folder.glob("*.parquet")))
    board = prowess.rate(games, system, period=period).leaderboard()
    return pa.table(dict(board.to_columns()))


if __name__ == "__main__":
    source = Path(sys.argv[1])
    if source.is_dir():
        table = rate_in_memory(source, sys.argv[2], (sys.argv[3:] or [None])[0])
    else:
        table = pq.read_table(source)
    print(digest_table(table))
