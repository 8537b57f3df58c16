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
    from prowess.live.desk.entries.methods import NewCategory

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
    dry_run: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Read FILES as `prowess rate` does and enter every row in the books, all or none.

    A category that is not there yet is made. Reading the same file again doubles nothing. A store
    that a server has open takes results from that server only: send them to its API.
    """
    from prowess.cli.talk import Omissions, say
    from prowess.live.desk.desk import Desk
    from prowess.live.desk.entries.methods import Opening
    from prowess.live.desk.entries.record import Record
    from prowess.live.desk.imports import named, submissions
    from prowess.live.desk.refusals import Refused
    from prowess.live.store.tokens import Actor

    table = table_of(files, options, quiet)
    on_error: Literal["stop", "skip"] = "skip" if options["skip_bad"] else "stop"
    entry: Opening | Record
    with ExitStack() as stack:
        if dry_run and not there(store):
            store = f"{stack.enter_context(TemporaryDirectory())}/ladder.db"
        desk = stack.enter_context(closing(Desk.opened(store)))
        if category not in desk.books.categories:
            new = opening(category, table, system, params, period)
            say(f"a new category {category}, rated by {new.system}", quiet)
            record = Record(tuple(submissions(table, new.category(1, 0), source)), on_error)
            entry = Opening(new, record)
        elif system or params or period:
            raise click.UsageError(
                f"there is a category {category} already: --system, --set and --period are for a "
                "new one"
            )
        else:
            rows = tuple(submissions(table, desk.category(category), source))
            entry = record = Record(rows, on_error)
        try:
            receipt = desk.commit(entry, Actor.console(), dry_run=dry_run)
        except Refused as error:
            raise named(error, record.submissions) from None
    omissions = Omissions(quiet)
    for one in receipt.results:
        if one.error is not None:
            omissions(named(one.error, record.submissions))
    omissions.close()
    count = Counter(one.status for one in receipt.results)
    verb = "would be recorded" if dry_run else "recorded"
    revision = "" if dry_run else f", revision {receipt.revision}"
    click.echo(f"{count['recorded']:,} {verb}, {count['already']:,} there already{revision}")


def there(store: str) -> bool:
    """Whether there is such a store; a database is."""
    from prowess.live.store.addresses import SQLITE, kind_of, located, path_of

    address = located(store)
    return kind_of(address) != SQLITE or path_of(address).exists()


def opening(
    key: str, table: Any, system: str | None, params: dict[str, str], period: str | None
) -> NewCategory:
    """A category for such a table."""
    from prowess.engine.params import settings as checked, shown
    from prowess.games.games import Contests
    from prowess.live.desk.entries.methods import NewCategory
    from prowess.live.desk.imports import extras
    from prowess.live.facts import CONTESTS, GAMES
    from prowess.systems.catalogue import find

    chosen = find(system or "elo")
    values = shown(chosen, checked(chosen, params))
    return NewCategory(
        key,
        plays=CONTESTS if isinstance(table, Contests) else GAMES,
        system=chosen.name,
        params={one: values[one] for one in params},
        period=period,
        extra=() if isinstance(table, Contests) else extras(table),
    )
