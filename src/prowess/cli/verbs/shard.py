"""`prowess shard`: games cut by players, for rating periods on a cluster."""

from __future__ import annotations

from typing import Annotated

import click

from prowess.cli.options import Argument, Option, verb
from prowess.cli.reading import ReadingOptions
from prowess.cli.streaming import LargeOptions

EXAMPLES = """\b
prowess shard games/ out/ --shards 32
prowess rate out/ --system glicko2 --period 1mo
prowess rate out/ --system glicko2 --period 1mo --cluster tcp://head:8786
"""


@verb("shard", epilog=EXAMPLES)
def shard_verb(
    reading: ReadingOptions,
    *,
    out: Annotated[str, Argument("OUT", click.Path())],
    shards: Annotated[
        int,
        Option(
            "How many; each is work for one worker at a time.",
            "N",
            click.IntRange(1, 256),
        ),
    ] = 32,
    large: LargeOptions,
) -> None:
    """Write the games of FILE... to a new folder OUT, cut by players into shards (Parquet).

    A game goes to the shards of both its players. `prowess rate OUT --period 1mo` then rates shard
    by shard, in this process or on a cluster, with the same numbers.
    """
    from prowess.cli.output import print_note, refuse_file
    from prowess.cli.reading import read_table
    from prowess.cli.streaming import follow_stream, print_reading
    from prowess.games.shard_files import check_new_folder
    from prowess.verbs.sharding import shard, shard_files

    check_new_folder(out)  # before a long table is read
    streaming = large.stream_options(reading.files)
    try:
        if streaming is None:
            made = shard(read_table(reading), out, shards)
        else:
            with follow_stream(reading, streaming) as (how, _):
                made = shard_files(list(reading.files), out, shards, streaming, how)
            print_reading(made.reading, reading.quiet)
    except OSError as error:
        raise refuse_file(out, error) from None
    print_note(f"{out} is written: {len(made):,} games in {made.count} shards", reading.quiet)
