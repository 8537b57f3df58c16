"""`prowess restore`: a backup becomes a store again."""

from __future__ import annotations

import click

from prowess.cli.stores import store_option


@click.command("restore", short_help="Fill an empty store from a backup.")
@click.argument("file", type=click.Path(dir_okay=False))
@store_option
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
def command(file: str, store: str, quiet: bool) -> None:
    """Fill an empty store with what `prowess backup` wrote into FILE, all or nothing.

    The store may be of the other kind: from SQLite to PostgreSQL and back. It is made if it is
    not there; FILE stays as it is.
    """
    from prowess.cli.talk import say
    from prowess.cli.verbs.backup import sizes
    from prowess.live.store.backup import restore_backup

    say(f"{file}: {sizes(restore_backup(file, store))}", quiet)
