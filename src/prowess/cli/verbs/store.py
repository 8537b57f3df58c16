"""Check, back up, restore and upgrade the store of a live ladder; make its tokens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AnswerOptions, AsJson, Quiet
from prowess.cli.rating import Day
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from prowess.live.journal.stored_log import Served, Verification
    from prowess.live.store.access import TokenRow

Store = Annotated[
    str,
    Option(metavar="FILE|URL", envvar="PROWESS_STORE"),
    "The store: a file, or postgresql://user:password@host/database.",
]
STORE = "ladder.db"
BackupFile = Annotated[str, Argument(type=click.Path(dir_okay=False))]
SECOND = 1_000_000  # microseconds
MOST_DIFFERENCES = 10  # that are printed one by one
ANOTHER = "give the address of the server that keeps this store, and its --token if it is private"
TOKEN_COLUMNS = ["id", "name", "start", "scopes", "source", "review", "made", "expires", "state"]


@verb("check")
def check_verb(
    *,
    store: Store = STORE,
    url: Annotated[
        str | None,
        Option("Compare the values of this running server, not those of the store.", "URL"),
    ] = None,
    token: Annotated[
        str | None, Option("For a server that is private.", "SECRET", envvar="PROWESS_TOKEN")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Replay the whole log of every category with the batch program and compare every value.

    Works while a server runs, and on a store that is read-only. Exit code 0: all equal to the last
    bit (whole-table fits to 1e-9), or a log that cannot be rated, and why; 1: something differs,
    and what, or the store is damaged or holds no category.
    """
    from prowess.cli.output import format_json, print_text
    from prowess.live.errors import StoreDamaged, StoreEmpty
    from prowess.live.journal.journal import verify_store

    try:
        found = verify_store(store, None if url is None else read_server_values(url, token))
    except (StoreDamaged, StoreEmpty) as error:
        raise click.ClickException(str(error)) from None  # exit code 1: the check failed
    if as_json:
        print_text(format_json([proof_data(one) for one in found]))
    else:
        for proof in found:
            click.echo(format_proof(proof))
            for one in proof.differences[:MOST_DIFFERENCES]:
                click.echo(
                    f"  {one.player}: {one.column} is shown as {one.shown!r}, the log gives "
                    f"{one.replayed!r}"
                )
    return int(any(one.differences for one in found))


def format_proof(proof: Verification) -> str:
    """One category in one line."""
    head = f"{proof.category}: {format_count(proof.results, 'result')}"
    if proof.trouble is not None:
        return f"{head}: cannot be rated: {proof.trouble}"
    count = len(proof.differences)
    verdict = (
        f"{format_count(count, 'value')} differ{'s' if count == 1 else ''}" if count else "equal"
    )
    return f"{head}, {format_count(proof.players, 'player')}: {verdict}"


def proof_data(proof: Verification) -> dict[str, Any]:
    """One category as plain data."""
    return {
        "category": proof.category,
        "results": proof.results,
        "players": proof.players,
        "equal": None if proof.trouble is not None else not proof.differences,
        "trouble": proof.trouble,
        "differences": [one._asdict() for one in proof.differences],
    }


def read_server_values(url: str, token: str | None) -> Served:
    """A function that reads the revision and the values by player of a category from a server."""
    from prowess.live.client import Away, Client, Problem

    try:
        client = Client(url, token)
    except ValueError as error:
        raise click.UsageError(str(error)) from None

    def read_values(category: str) -> tuple[int, dict[str, dict[str, float]]]:
        try:
            with client:  # its connections are closed; those of the next category open again
                revision = client.revision()
                rows = client.leaderboard(category, revision=revision, everyone=True)
            return revision, {row["player"]: row["values"] for row in rows}
        except Away as error:
            raise click.UsageError(f"start the server, or give its address: {error}") from None
        except Problem as error:
            raise click.UsageError(f"{ANOTHER}: {url}: {error.detail}") from None
        except (KeyError, TypeError, ValueError):
            raise click.UsageError(f"{ANOTHER}: {url} does not answer as Prowess does") from None

    return read_values


@verb("backup")
def backup_verb(*, file: BackupFile, store: Store = STORE, quiet: Quiet = False) -> None:
    """Write all that the store holds at this moment into a new FILE, while the server runs.

    Nothing is written into the store, which may be read-only.

    FILE is a store of SQLite itself, also if the store is PostgreSQL. It holds secrets of
    webhooks: protect it as you protect the store.
    """
    from prowess.cli.output import print_note
    from prowess.live.store.backup import write_backup
    from prowess.live.store.reading import NO_CATEGORY, open_to_read

    with open_to_read(store) as source:
        source.check_sound(quick=True)  # what can be read of a damaged one is no backup
        counts = write_backup(source, file)
    print_note(f"{file}: {format_sizes(counts)}", quiet)
    if not counts["category"]:
        print_note(f"check --store: {NO_CATEGORY}, {store}", quiet=False)


@verb("restore")
def restore_verb(*, file: BackupFile, store: Store = STORE, quiet: Quiet = False) -> None:
    """Fill an empty store with what `prowess backup` wrote into FILE, all or nothing.

    The store may be of the other kind: from SQLite to PostgreSQL and back. It is made if it does
    not exist; FILE stays as it is.
    """
    from prowess.cli.output import print_note
    from prowess.live.store.backup import restore_backup

    print_note(f"{file}: {format_sizes(restore_backup(file, store))}", quiet)


@verb("upgrade")
def upgrade_verb(
    *,
    store: Store = STORE,
    dry_run: Annotated[
        bool, Option("Run every step and take it back: the store stays as it is.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the tables of a store that an earlier Prowess wrote up to date, all or nothing.

    `prowess serve` does so as it starts. Stop the server and make a backup first: an earlier
    Prowess cannot open the store any more.
    """
    from prowess.cli.output import format_json, print_text
    from prowess.live.store.reading import upgrade_store

    found = upgrade_store(store, dry_run=dry_run)
    if as_json:
        print_text(format_json(found._asdict() | {"dry_run": dry_run}))
        return
    if found.steps and dry_run:
        outcome = f"every step ran and was taken back, tables of version {found.found}"
    else:
        outcome = f"up to date, tables of version {found.latest}"
    print_text("\n".join((*found.steps, f"{store}: {outcome}")))


def format_sizes(counts: dict[str, int]) -> str:
    """How many rows each table has, the empty ones left out."""
    sizes = [f"{rows:,} in {table}" for table, rows in counts.items() if rows]
    return format_count(sum(counts.values()), "row") + (f" ({', '.join(sizes)})" if sizes else "")


@click.group("token")
def token_verb() -> None:
    """Make, list and revoke the tokens that give programs and people access to a live ladder."""


@verb("add", epilog="Example: prowess token add 'Club evening' --scope submit", group=token_verb)
def add_verb(
    *,
    name: Annotated[str, Argument()],
    scopes: Annotated[
        tuple[str, ...],
        Option(
            type=click.Choice(["read", "submit", "correct", "metrics", "admin"]),
            names=("--scope",),
            multiple=True,
        ),
        "What it may do; may be given more than once. admin includes the others.",
    ],
    source: Annotated[
        str | None, Option("Its results come in under this source only. Default: its NAME.", "NAME")
    ] = None,
    review: Annotated[bool, Option("Hold its results until they are accepted.")] = False,
    expires: Annotated[Day, "Its last day (UTC)."] = None,
    store: Store = STORE,
) -> None:
    """Make a token for NAME and print its secret, which is not stored and never shown again."""
    from contextlib import closing

    from prowess.cli.output import print_text
    from prowess.live.store import access
    from prowess.live.store.store import open_store

    end = None if expires is None else round(expires * 86_400) * SECOND
    now = read_clock()

    def job(connection: Connection) -> str:
        secret, number = access.make_token(connection, name, scopes, source, review, end, now=now)
        console = access.Actor.console()
        connection.execute(access.build_line(console, "token made", f"token {number}", now=now))
        return secret

    with closing(open_store(store, create=False)) as ladder:
        print_text(ladder.writer.do(job))


@verb("list", group=token_verb)
def list_verb(*, store: Store = STORE, answer: AnswerOptions) -> None:
    """List all tokens ever made, without their secrets."""
    from prowess.live.store import access
    from prowess.live.store.reading import open_to_read

    now = read_clock()
    with open_to_read(store) as ladder, ladder.read() as connection:
        rows = access.list_tokens(connection)
    data = [row._asdict() | {"state": row.state(now)} for row in rows]
    cells = [TOKEN_COLUMNS, *(token_cells(row, now) for row in rows)]
    answer.give_rows(data, data, lambda _: [cells])


@verb("revoke", group=token_verb)
def revoke_verb(*, number: Annotated[int, Argument("ID", int)], store: Store = STORE) -> None:
    """Close the token with this ID for good."""
    from contextlib import closing

    from prowess.cli.output import print_note
    from prowess.live.store import access
    from prowess.live.store.store import open_store

    now, what = read_clock(), f"token {number}"

    def job(connection: Connection) -> None:
        line = access.build_line(access.Actor.console(), "token revoked", what, now=now)
        if access.revoke_token(connection, number, now):
            connection.execute(line)

    with closing(open_store(store, create=False)) as ladder:
        ladder.writer.do(job)
    print_note(f"{what} is revoked")


def read_clock() -> int:
    """Microseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1000


def token_cells(row: TokenRow, now: int) -> list[str]:
    """A line of the list."""
    from prowess.games.dates import format_day

    def day_of(moment: int | None) -> str:
        return "" if moment is None else format_day(moment // (86_400 * SECOND))

    return [
        str(row.id), row.name, f"{row.start}...", ", ".join(row.scopes), row.source or "any",
        "held" if row.review else "no", day_of(row.created),
        day_of(row.expires and row.expires - 1), row.state(now),
    ]  # fmt: skip
