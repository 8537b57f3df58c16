"""`prowess backup`: a copy of a live ladder's store, taken while it is served."""

from __future__ import annotations

import click

from prowess.cli.stores import store_option


@click.command("backup", short_help="Copy the store of a live ladder into one file.")
@click.argument("file", type=click.Path(dir_okay=False))
@store_option
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
def command(file: str, store: str, quiet: bool) -> None:
    """Write all that the store holds at this moment into a new FILE, while the server runs.

    FILE is a store of SQLite itself, also if the store is PostgreSQL. It holds secrets of
    webhooks: keep it as you keep the store.
    """
    from contextlib import closing

    from prowess.cli.talk import say
    from prowess.live.store.backup import write_backup
    from prowess.live.store.store import open_store

    with closing(open_store(store, create=False)) as books:
        counts = write_backup(books, file)
    say(f"{file}: {sizes(counts)}", quiet)


def sizes(counts: dict[str, int]) -> str:
    """How many rows each table has, the empty ones left out."""
    told = [f"{rows:,} in {table}" for table, rows in counts.items() if rows]
    return f"{sum(counts.values()):,} rows" + (f" ({', '.join(told)})" if told else "")
