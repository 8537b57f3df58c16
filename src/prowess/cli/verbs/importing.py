"""`prowess import`: a table of results into a store."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, closing
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import click

from prowess.cli.columns import TableCommand, reading_options, table_of
from prowess.cli.rating import settings, system_names
from prowess.cli.stores import store_option

if TYPE_CHECKING:
    from prowess.live.journal.categories import NewCategory
    from prowess.live.journal.outcomes import CommitResult
    from prowess.live.journal.submission import Submission

NO_ROLES = "leave {} out: a live ladder has no members but players"
THERE = "there is a category {} already: --system, --set and --period are for a new one"

EXAMPLES = """\b
prowess import games.csv --system glicko2
prowess import season.csv --store league.db --category league --source archive
prowess import games.csv --dry-run
"""


@click.command(
    "import",
    short_help="Bring a table of results into the store of a live ladder.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True)
)
@store_option
@click.option(
    "--category", default="main", metavar="KEY", show_default=True, help="Which ladder they join."
)
@click.option(
    "--system", "-s", metavar="NAME", shell_complete=system_names,
    help="How a new category is rated (default elo).",
)  # fmt: skip
@click.option(
    "--set", "params", multiple=True, metavar="NAME=VALUE", callback=settings,
    help="Another value for a parameter of a new category's system.",
)  # fmt: skip
@click.option("--period", metavar="7d|1mo|round", help="The rating period of a new category.")
@click.option(
    "--source", default="import", metavar="NAME", show_default=True, help="Who reports them."
)
@click.option(
    "--token", envvar="PROWESS_TOKEN", metavar="SECRET",
    help="For the server that has the store open: it takes the results.",
)  # fmt: skip
@click.option(
    "--look-alikes", is_flag=True,
    help="Take new names that look like other players' names.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Say what would be taken, and write nothing.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
@reading_options
def command(
    files: tuple[str, ...],
    store: str,
    category: str,
    system: str | None,
    params: dict[str, str],
    period: str | None,
    source: str,
    token: str | None,
    look_alikes: bool,
    dry_run: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Read FILES as `prowess rate` does and enter every row in the books, all or none.

    A category that is not there yet is made. Reading the same file again doubles nothing. A store
    that a server has open takes results from that server only: it gets them, with a --token that
    may submit, in parts of 100,000 rows.
    """
    from prowess.cli.handover import COMMAND, find_keeper, hand_over
    from prowess.cli.talk import Omissions, say
    from prowess.live.errors import StoreInUse
    from prowess.live.journal.imports import PREFIX, name_error, read_submissions

    for option, given in (("--per", options["per"]), ("--with", options["with_"])):
        if given:
            raise click.UsageError(NO_ROLES.format(option))
    table = table_of(files, options, quiet, fact_prefix=PREFIX)
    if table.reading:
        say(table.reading, quiet)
    skip = bool(options["skip_bad"])
    made = system, params, period
    try:
        receipt, rows = enter(
            table, store, category, made, source, skip, look_alikes, dry_run, quiet
        )
        count = Counter(one.status for one in receipt.results)
        refused = [name_error(one.error, rows) for one in receipt.results if one.error is not None]
        revision = receipt.revision
    except StoreInUse as error:
        keeper = find_keeper(store, category, error)
        if any(made):
            raise click.UsageError(THERE.format(category)) from None
        if not token:
            command = COMMAND.replace("SOURCE", source).replace("STORE", store)
            raise click.UsageError(
                f"add --token SECRET: the server at {keeper.address} has the store open and takes "
                f"the results; `{command}` makes a token for it"
            ) from None
        rows = tuple(read_submissions(table, keeper.category, source))
        handed = hand_over(keeper, token, rows, skip=skip, dry_run=dry_run, look_alikes=look_alikes)
        say(f"handed to the server at {keeper.address}", quiet)
        count, revision, refused = handed.counts, handed.revision, handed.refused
    omissions = Omissions(quiet)
    for one in refused:
        omissions(one)
    omissions.close()
    verb = "would be recorded" if dry_run else "recorded"
    waiting = f", {count['held']:,} waiting for acceptance" if count["held"] else ""
    known = "" if dry_run else f", revision {revision}"
    click.echo(f"{count['recorded']:,} {verb}{waiting}, {count['already']:,} there already{known}")


def enter(
    table: Any,
    store: str,
    category: str,
    made: tuple[str | None, dict[str, str], str | None],
    source: str,
    skip: bool,
    look_alikes: bool,
    dry_run: bool,
    quiet: bool,
) -> tuple[CommitResult, tuple[Submission, ...]]:
    """Enter a table in the books of a store that no server has open; raises StoreInUse.

    `made` says how a category that is not there yet is rated.
    """
    from prowess.cli.talk import say
    from prowess.live.errors import Refused
    from prowess.live.journal.categories import Opening
    from prowess.live.journal.imports import name_error, read_submissions
    from prowess.live.journal.journal import Journal
    from prowess.live.journal.record import Record
    from prowess.live.store.access import Actor

    on_error: Literal["stop", "skip"] = "skip" if skip else "stop"
    entry: Opening | Record
    with ExitStack() as stack:
        if dry_run and not there(store):
            store = f"{stack.enter_context(TemporaryDirectory())}/ladder.db"
        desk = stack.enter_context(closing(Journal.opened(store)))
        if category not in desk.registry.categories:
            new = opening(category, table, *made)
            say(f"a new category {category}, rated by {new.system}", quiet)
            rows = tuple(read_submissions(table, new.category(1, 0), source))
            entry = Opening(new, Record(rows, on_error, look_alikes))
        elif any(made):
            raise click.UsageError(THERE.format(category))
        else:
            rows = tuple(read_submissions(table, desk.category(category), source))
            entry = Record(rows, on_error, look_alikes)
        try:
            return desk.commit(entry, Actor.console(), dry_run=dry_run), rows
        except Refused as error:
            raise name_error(error, rows) from None


def there(store: str) -> bool:
    """Whether there is such a store; a database is."""
    from prowess.live.store.database import SQLITE, kind_of, parse_address, path_of

    address = parse_address(store)
    return kind_of(address) != SQLITE or path_of(address).exists()


def opening(
    key: str, table: Any, system: str | None, params: dict[str, str], period: str | None
) -> NewCategory:
    """A category for such a table."""
    from prowess.engine.params import settings as checked, shown
    from prowess.live.journal.categories import NewCategory
    from prowess.live.journal.imports import find_extras, find_side_size
    from prowess.live.result import CONTESTS, GAMES
    from prowess.systems.catalogue import find

    chosen = find(system or "elo")
    values = shown(chosen, checked(chosen, params))
    return NewCategory(
        key,
        plays=CONTESTS if not table.pairwise else GAMES,
        system=chosen.name,
        params={one: values[one] for one in params},
        period=period,
        extra=() if not table.pairwise else find_extras(table),
        side_size=find_side_size(table),
    )
