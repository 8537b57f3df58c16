"""`prowess import`: a table of results into a store, or to the server that has it open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar

import click

from prowess.cli.options import NOTHING, Option, verb
from prowess.cli.reading import ReadingOptions
from prowess.cli.selection import Period, Settings, SystemName
from prowess.cli.verbs.store import STORE, Store

if TYPE_CHECKING:
    from prowess.live.client import Client, Problem
    from prowess.live.errors import Refused, StoreInUse
    from prowess.live.journal.categories import NewCategory
    from prowess.live.journal.registry import Category
    from prowess.live.journal.submission import LineUp, Submission
    from prowess.live.journal.unit_of_work import CommitResult

T = TypeVar("T")
PART = 100_000  # results in one request, which takes them whole or not at all
PATIENCE = 300.0  # seconds for the answer to one part
OPENING = 20.0  # seconds for another program to leave the store, or to say where it serves
STARTING = 120.0  # seconds for a server to begin
PAUSE = 0.2  # seconds between two attempts
COMMAND = "prowess token add NAME --scope submit --source SOURCE --store STORE"
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
    params: Annotated[Settings, "Another value for a parameter of its system."] = NOTHING
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
    reading: ReadingOptions,
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
    from prowess.cli.output import SkippedRowNotes, print_note
    from prowess.cli.reading import name_flag, read_table
    from prowess.live.errors import StoreInUse
    from prowess.live.journal.imports import FACT_OF, name_error, read_submissions

    quiet, skip = reading.quiet, bool(reading.given.get("skip_bad"))
    for keyword in ("per", "with_", "family"):
        if keyword in reading.given:
            raise click.UsageError(
                f"leave {name_flag(keyword)} out: a live ladder has no members but players"
            )
    table = read_table(reading, fact_prefix=FACT_OF)
    try:
        receipt, rows = wait_for_store(lambda: record_table(table, target, skip, quiet), target)
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
    skipped = SkippedRowNotes(quiet)
    for one in refused:
        skipped(one)
    skipped.print_summary()
    recorded = "would be recorded" if target.dry_run else "recorded"
    waiting = f", {count['held']:,} waiting for acceptance" if count["held"] else ""
    known = "" if target.dry_run else f", revision {revision}"
    click.echo(
        f"{count['recorded']:,} {recorded}{waiting}, {count['already']:,} there already{known}"
    )


def wait_for_store(record: Callable[[], T], target: Target) -> T:
    """What `record` returns; while another program has the store open, wait until it is done or
    says where it serves. Raises StoreInUse.
    """
    from prowess.live.errors import StoreInUse

    def is_passing(error: Exception) -> bool:
        return isinstance(error, StoreInUse) and find_address(target.store) is None

    return try_again(record, OPENING, is_passing)


def try_again(act: Callable[[], T], seconds: float, is_passing: Callable[[Exception], bool]) -> T:
    """What `act` returns; it is called again for so long while what it raises is passing."""
    end = monotonic() + seconds
    while True:
        try:
            return act()
        except Exception as error:
            if monotonic() > end or not is_passing(error):
                raise
        sleep(PAUSE)


def record_table(
    table: Any, target: Target, skip: bool, quiet: bool
) -> tuple[CommitResult, tuple[Submission, ...]]:
    """Record a table in a store that no server has open; raises StoreInUse."""
    from prowess.cli.output import print_note
    from prowess.live.errors import Refused
    from prowess.live.journal.categories import Opening
    from prowess.live.journal.imports import name_error, read_submissions
    from prowess.live.journal.journal import Journal
    from prowess.live.journal.record import RENUMBER, RecordResults
    from prowess.live.store.access import Actor

    store, key = target.store, target.category
    on_error: Literal["stop", "skip"] = "skip" if skip else "stop"
    entry: Opening | RecordResults
    with ExitStack() as stack:
        made, is_new = "", not has_store(store)
        if is_new and target.dry_run:
            store = f"{stack.enter_context(TemporaryDirectory())}/ladder.db"
        journal = stack.enter_context(closing(Journal.open(store, patience=0)))
        if key not in journal.registry.categories:
            new = make_category(table, target)
            rows = tuple(read_submissions(table, new.category(1, 0), target.source))
            entry = Opening(new, RecordResults(rows, on_error, target.look_alikes))
            made = f"a new category {key}, rated by {new.system}"
        else:
            target.check_new()
            rows = tuple(read_submissions(table, journal.category(key), target.source))
            entry = RecordResults(rows, on_error, target.look_alikes)
        try:
            receipt = journal.commit(entry, Actor.console(), dry_run=target.dry_run)
        except Refused as error:
            named = name_error(error, rows)
            if named.code == "duplicate":
                said = named.message.replace(f"external_id: {RENUMBER}: ", "")
                raise click.UsageError(f"give --source NAME, another than before: {said}") from None
            raise named from None
        if is_new and not target.dry_run:
            print_note(f"a new store {store} (--store chooses)", quiet)
        if made:
            print_note(made, quiet)
        return receipt, rows


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


# a store that a server has open: only that server may write there


class SentResults(NamedTuple):
    """The server's answer to all parts of an import."""

    counts: Counter[str]  # by status
    revision: int
    refused: list[Refused]  # rows that were left out


class StoreServer(NamedTuple):
    """The server that has a store open, and the category of the store that is asked for."""

    address: str
    category: Category


def find_server(store: str, key: str, in_use: StoreInUse) -> StoreServer:
    """The server of a store; raises `in_use` where the store has no address of one."""
    from prowess.live.journal.registry import categories_at
    from prowess.live.store.reading import open_to_read

    address = find_address(store)
    with open_to_read(store) as ladder, ladder.read() as connection:
        found = {one.key: one for one in categories_at(connection)}
    if address is None:
        raise in_use
    if key not in found:
        known = ", ".join(found) or "none yet"
        raise click.UsageError(
            f"make the category {key} first, on the page {address}/admin/categories: the server "
            f"there has the store open, and knows {known}"
        )
    return StoreServer(address, found[key])


def find_address(store: str) -> str | None:
    """Where the server of a store answers; None before it has said so."""
    from prowess.live.errors import StoreEmpty
    from prowess.live.store.reading import open_to_read
    from prowess.live.store.store import noted_address

    try:
        with open_to_read(store) as ladder, ladder.read() as connection:
            return noted_address(connection)
    except StoreEmpty:  # the other program is making its tables
        return None


def send_results(
    server: StoreServer,
    token: str,
    rows: Sequence[Submission],
    *,
    skip: bool,
    dry_run: bool,
    look_alikes: bool,
) -> SentResults:
    """Send results to a server in parts; raises Refused, StoreOutOfReach, UsageError.

    The number of a result follows from its values, so a part that is sent again doubles nothing.
    """
    from prowess.live.client import Away, Client, Problem
    from prowess.live.errors import Refused, StoreOutOfReach
    from prowess.live.journal.imports import name_error

    count: Counter[str] = Counter()
    refused: list[Refused] = []
    revision, done = 0, 0
    with closing(Client(server.address, token, timeout=PATIENCE)) as client:
        for part in split_parts(rows):
            try:
                answer = send_once_ready(client, part, skip, dry_run, look_alikes)
            except Away as error:
                raise StoreOutOfReach(
                    f"run the same command again, which doubles nothing: {error}, and "
                    f"{done:,} of {len(rows):,} results are acknowledged",
                    code="sending_stopped",
                ) from None
            except Problem as error:
                if error.status in (401, 403) and not error.errors:
                    raise click.UsageError(
                        f"give a --token that may submit: the server at {server.address} says: "
                        f"{error.detail}"
                    ) from None
                raise refusal_of(error, part, 0 if dry_run else done) from None
            for row in answer["results"]:
                count[row["status"]] += 1
                if "error" in row:
                    fault = row["error"]
                    one = Refused(
                        fault["code"], fault["message"], row=row["row"], field=fault.get("field")
                    )
                    refused.append(name_error(one, part))
            revision, done = answer["revision"], done + len(part)
    return SentResults(count, revision, refused)


def split_parts(rows: Sequence[Submission]) -> Iterator[Sequence[Submission]]:
    """The rows in parts that one request takes."""
    for start in range(0, len(rows), PART):
        yield rows[start : start + PART]


def send_once_ready(
    client: Client, part: Sequence[Submission], skip: bool, dry_run: bool, look_alikes: bool
) -> Any:
    """The server's answer to one part; a server that is starting is asked again."""
    from prowess.live.client import Problem

    return try_again(
        lambda: send_part(client, part, skip, dry_run, look_alikes),
        STARTING,
        lambda error: isinstance(error, Problem) and error.code == "starting",
    )


def send_part(
    client: Client, part: Sequence[Submission], skip: bool, dry_run: bool, look_alikes: bool
) -> Any:
    """The server's answer to one part; with `skip` also where every row of it is refused."""
    from prowess.live.client import Problem

    try:
        return client.submit_many(
            map(result_data, part),
            on_error="skip" if skip else "stop",
            dry_run=dry_run,
            look_alikes=look_alikes,
        )
    except Problem as error:
        if not (skip and error.code == "bad_rows"):
            raise
        faults = {one.row: one for one in error.errors}
        return {
            "revision": client.revision(),
            "results": [
                {"row": row, "status": "refused", "error": faults[row]._asdict()} for row in faults
            ],
        }


def result_data(one: Submission) -> Any:
    """A result as the API takes it, without the fields that are not given."""
    from prowess.live.api.encoding import format_time

    data = {name: value for name, value in one._asdict().items() if value not in (None, ())}
    if one.placings:
        data["placings"] = [
            {"player": player, "place": place}
            | ({} if points is None else {"points": points})
            for player, place, points in one.placings
        ]  # fmt: skip
    if one.sides:
        data["sides"] = [side_data(side) for side in one.sides]
    if one.time is not None:
        data["time"] = format_time(one.time)
    return data


def side_data(side: LineUp) -> Any:
    """A side as the API takes it."""
    players = [
        name if share == 1.0 else {"player": name, "share": share} for name, share in side.players
    ]
    data = {name: value for name, value in side._asdict().items() if value is not None}
    return data | {"players": players}


def refusal_of(error: Problem, part: Sequence[Submission], done: int) -> Refused:
    """The server's refusal, by players and date, and how much it had recorded before."""
    from prowess.live.errors import Refused
    from prowess.live.journal.imports import name_error

    text = error.detail
    if error.errors:
        first = error.errors[0]
        one = Refused(first.code, first.message, row=first.row, field=first.field)
        count, several, _ = text.partition(", the first")
        text = (
            f"{count}{several}: {name_error(one, part)}" if several else str(name_error(one, part))
        )
    if done:
        results = "result before it is" if done == 1 else "results before it are"
        text += f" ({done:,} {results} recorded; run the command again when mended)"
    return Refused(error.code, text)
