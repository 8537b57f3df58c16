"""Games in shards: write them, find them, and rate them by periods on several processes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess.games.arguments import BadArgument, refuse

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.ratings import Ratings
    from prowess.engine.streams.file_sources import StreamOptions
    from prowess.engine.system import Dynamic
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import Games
    from prowess.games.shards import Shards

SHARDS = 16  # of games that are in memory; the number does not change the ratings


def shard(
    games: Any,
    folder: Any,
    shards: int = 32,
    *,
    memory: str | float | None = None,
    sort: bool = False,
    temp: str | Path | None = None,
    **columns: Any,
) -> Shards:
    """Write games of two players to a new folder, cut by players into so many shards (1 to 256).

    A game goes to the shards of both its players, in the order of the table, so that a shard knows
    all of its players' games. `rate` takes the folder, or what this returns, with a `period`, and
    gives the numbers of the whole table to the last bit, with any number of shards. `columns` as
    `read_games` takes them; large files are read as a stream, with `memory`, `sort` and `temp` as
    `rate` takes them. Raises BadData, and BadArgument for teams, contests, or a folder with files
    in it.

    >>> import prowess, tempfile
    >>> games = prowess.simulate(players=6, games=60, seed=3)
    >>> shards = prowess.shard(games, tempfile.mkdtemp(), 4)
    >>> shards.count, len(shards), len(shards.players)
    (4, 60, 6)
    """
    from prowess.games.shards import check_new_folder, cut_pieces, write_shards
    from prowess.verbs.streaming import check_stream_options
    from prowess.verbs.tables import take_games

    if not isinstance(folder, str | Path) or not str(folder):
        raise refuse('name a folder such as "out"', folder, code="not_a_folder")
    check_new_folder(folder)
    streaming = check_stream_options(memory, sort=sort, temp=temp)
    if streaming.apply_to(games):
        return shard_files(games, folder, shards, streaming, columns)
    return write_shards(cut_pieces(take_games(games, columns)), folder, shards)


def shard_files(
    source: Any, folder: Any, shards: int, streaming: StreamOptions, reading: Mapping[str, Any]
) -> Shards:
    """Write the games of files, which are read as a stream, as shards."""
    from prowess.engine.streams.file_sources import sort_source
    from prowess.games.shards import write_shards

    with sort_source(source, streaming, reading) as open_games:
        stream = open_games()

        def finish(last: Games) -> Games:
            return last.replace(players=stream.roster(), reading=stream.reading)

        with closing(stream.pieces()) as pieces:
            return write_shards((one.games for one in pieces), folder, shards, finish)


def find_shards(games: Any) -> Shards | None:
    """The shards that a folder holds, or that are given as such; None: they are none."""
    if isinstance(games, str | Path):
        from prowess.games.shards import holds_shards

        if not holds_shards(games):
            return None
        from prowess.games.shards import read_shards

        return read_shards(games)
    from prowess.games.shards import Shards

    return games if isinstance(games, Shards) else None


def check_sharing(system: System, params: Mapping[str, Any], period: str | None) -> Dynamic:
    """The system, if workers can share its rating periods; raises BadArgument and Unratable."""
    from prowess.engine.params import settings
    from prowess.engine.streams.owners import check_ownable
    from prowess.engine.whole_table import WholeTable

    if isinstance(system, WholeTable):
        raise BadArgument(
            f"give the games, not shards: {system.name} fits the whole table",
            code="shards_not_taken",
        )
    check_ownable(system, settings(system, params), period)
    return system


def rate_on_workers(
    games: Shards | Games | None, system: System, cluster: Any, streaming: StreamOptions, **how: Any
) -> Ratings:
    """Ratings by rating periods on what `cluster` stands for; None: files larger than memory.

    `how` as `streams.owners.rate_shards` takes it. Raises BadArgument, BadCheckpoint, BadCluster,
    Unratable.
    """
    from prowess.engine.cluster.workers import workers_of
    from prowess.engine.streams.owners import rate_shards
    from prowess.games.shards import Shards, shard_table

    shared = check_sharing(system, how["params"], how["period"])
    if games is None:
        raise BadArgument(
            "make shards of the games first (prowess shard): they are large", code="shards_needed"
        )
    how |= {"resume": streaming.resume, "every": streaming.checkpoint_every}
    with streaming.hold_folder(), workers_of(cluster) as workers:
        shards = games if isinstance(games, Shards) else shard_table(games, SHARDS)
        return rate_shards(shards, shared, workers=workers, **how)


def fit_on_workers(table: Games, system: WholeTable, cluster: Any, **how: Any) -> Ratings:
    """A fit whose rows are held by the workers of a Dask cluster; `how` as `fit_table` takes it.

    Rows that are few, or merged by pair, are fitted here, and a note says so.
    """
    from dataclasses import replace

    from prowess.engine.cluster.dask import Dask
    from prowess.engine.cluster.workers import workers_of
    from prowess.engine.fit import fit_table
    from prowess.engine.fits.leaf_parts import hold_leaves

    with workers_of(cluster) as workers:
        if isinstance(workers, Dask):
            with hold_leaves(workers) as home:
                found = fit_table(table, system, **how)
            if home.held:
                return found
        else:
            found = fit_table(table, system, **how)
    note = f"fitted in one process: {system.name} has nothing to share of this table"
    return replace(found, notes=(*found.notes, note))
