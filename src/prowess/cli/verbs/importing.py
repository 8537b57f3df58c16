"""`prowess import`: a table of results into a store."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, closing
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from prowess.cli.options import Option, verb
from prowess.cli.reading import NOTHING, Reading
from prowess.cli.selection import Period, Settings, SystemName
from prowess.cli.verbs.store import STORE, Store

if TYPE_CHECKING:
    from prowess.live.journal.categories import NewCategory
    from prowess.live.journal.outcomes import CommitResult
    from prowess.live.journal.submission import Submission

EXAMPLES = """\b
prowess import games.csv --system glicko2
prowess import season.csv --store league.db --category league --source archive
prowess import games.csv --dry-run
"""


class Target(NamedTuple):
    """The category that results join, how it is rated if it is new, and what is accepted."""

    store: Store = STORE
    category: Annotated[str, Option("The category that the results join.", "KEY")] = "main"
    system: Annotated[SystemName, "The system of a new category (default elo)."] = None
    params: Annotated[Settings, "Another value for a parameter of a new category's system."] = (
        NOTHING
    )
    period: Annotated[Period, "The rating period of a new category."] = None
    source: Annotated[str, Option("The source of the results.", "NAME")] = "import"
    look_alikes: Annotated[
        bool, Option("Accept new names that look like other players' names.")
    ] = False
    dry_run: Annotated[bool, Option("Print what would be recorded, and write nothing.")] = False

    def check_new(self) -> None:
        """Raise UsageError for options of a new category: there is one."""
        if self.system or self.params or self.period:
            raise click.UsageError(
                f"leave --system, --set and --period out: there is a category {self.category} "
                "already"
            )


@verb("import", epilog=EXAMPLES)
def import_verb(
    reading: Reading,
    *,
    target: Target,
    token: Annotated[
        str | None,
        Option(
            "For the server that has the store open: it takes the results.",
            "SECRET",
            envvar="PROWESS_TOKEN",
        ),
    ] = None,
) -> None:
    """Read FILES as `prowess rate` does and record every row in a store, all or none.

    A category that does not exist is made. Importing the same file again doubles nothing. A store
    that a server has open takes results from that server only: they are sent to it, with a --token
    that may submit, in parts of 100,000 rows.
    """
    from prowess.cli.output import SkippedRows, print_note
    from prowess.cli.reading import read_table
    from prowess.cli.verbs.server_import import COMMAND, find_server, send_results
    from prowess.live.errors import StoreInUse
    from prowess.live.journal.imports import PREFIX, name_error, read_submissions

    quiet, skip = reading.quiet, bool(reading.skip_bad)
    for option, given in (("--per", reading.per), ("--with", reading.with_)):
        if given:
            raise click.UsageError(f"leave {option} out: a live ladder has no members but players")
    table = read_table(reading, fact_prefix=PREFIX)
    if table.reading:
        print_note(table.reading, quiet)
    try:
        receipt, rows = record_table(table, target, skip, quiet)
        count = Counter(one.status for one in receipt.results)
        refused = [name_error(one.error, rows) for one in receipt.results if one.error is not None]
        revision = receipt.revision
    except StoreInUse as error:
        server = find_server(target.store, target.category, error)
        target.check_new()
        if not token:
            command = COMMAND.replace("SOURCE", target.source).replace("STORE", target.store)
            raise click.UsageError(
                f"add --token SECRET: the server at {server.address} has the store open and takes "
                f"the results; `{command}` makes a token for it"
            ) from None
        rows = tuple(read_submissions(table, server.category, target.source))
        sent = send_results(
            server, token, rows, skip=skip, dry_run=target.dry_run, look_alikes=target.look_alikes
        )
        print_note(f"sent to the server at {server.address}", quiet)
        count, revision, refused = sent.counts, sent.revision, sent.refused
    skipped = SkippedRows(quiet)
    for one in refused:
        skipped(one)
    skipped.print_summary()
    recorded = "would be recorded" if target.dry_run else "recorded"
    waiting = f", {count['held']:,} waiting for acceptance" if count["held"] else ""
    known = "" if target.dry_run else f", revision {revision}"
    click.echo(
        f"{count['recorded']:,} {recorded}{waiting}, {count['already']:,} there already{known}"
    )


def record_table(
    table: Any, target: Target, skip: bool, quiet: bool
) -> tuple[CommitResult, tuple[Submission, ...]]:
    """Record a table in a store that no server has open; raises StoreInUse."""
    from prowess.cli.output import print_note
    from prowess.live.errors import Refused
    from prowess.live.journal.categories import Opening
    from prowess.live.journal.imports import name_error, read_submissions
    from prowess.live.journal.journal import Journal
    from prowess.live.journal.record import Record
    from prowess.live.store.access import Actor

    store, key = target.store, target.category
    on_error: Literal["stop", "skip"] = "skip" if skip else "stop"
    entry: Opening | Record
    with ExitStack() as stack:
        if target.dry_run and not has_store(store):
            store = f"{stack.enter_context(TemporaryDirectory())}/ladder.db"
        desk = stack.enter_context(closing(Journal.opened(store)))
        if key not in desk.registry.categories:
            new = make_category(table, target)
            print_note(f"a new category {key}, rated by {new.system}", quiet)
            rows = tuple(read_submissions(table, new.category(1, 0), target.source))
            entry = Opening(new, Record(rows, on_error, target.look_alikes))
        else:
            target.check_new()
            rows = tuple(read_submissions(table, desk.category(key), target.source))
            entry = Record(rows, on_error, target.look_alikes)
        try:
            return desk.commit(entry, Actor.console(), dry_run=target.dry_run), rows
        except Refused as error:
            raise name_error(error, rows) from None


def has_store(store: str) -> bool:
    """Whether the store exists; a database does."""
    from prowess.live.store.database import SQLITE, kind_of, parse_address, path_of

    address = parse_address(store)
    return kind_of(address) != SQLITE or path_of(address).exists()


def make_category(table: Any, target: Target) -> NewCategory:
    """A new category for such a table."""
    from prowess.cli.selection import find_system
    from prowess.engine.params import display_settings, settings
    from prowess.live.journal.categories import NewCategory
    from prowess.live.journal.imports import find_extras, find_side_size
    from prowess.live.result import CONTESTS, GAMES

    system = find_system(target.system or "elo")
    values = display_settings(system, settings(system, target.params))
    return NewCategory(
        target.category,
        plays=CONTESTS if not table.pairwise else GAMES,
        system=system.name,
        params={one: values[one] for one in target.params},
        period=target.period,
        extra=() if not table.pairwise else find_extras(table),
        side_size=find_side_size(table),
    )
