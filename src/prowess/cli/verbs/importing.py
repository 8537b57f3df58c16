"""`prowess import` and `add-players`: into a store, or to the server that has it open."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack, closing
from io import BytesIO
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from prowess.cli.options import NO_VALUES, Argument, Option, name_flag, verb
from prowess.cli.reading import ReadingOptions
from prowess.cli.selection import Period, Settings, SystemName
from prowess.cli.verbs.store import STORE, Store

if TYPE_CHECKING:
    from prowess.games import Games
    from prowess.live.journal.categories import NewCategory
    from prowess.live.journal.registry import Category
    from prowess.live.journal.submission import PlannedGame, Submission
    from prowess.live.journal.unit_of_work import CommitResult

COMMAND = "prowess token add NAME --scope submit --source SOURCE --store STORE"
LookAlikes = Annotated[bool, Option("Accept new names that look like other players' names.")]
ServerToken = Annotated[
    str | None,
    Option(metavar="SECRET", envvar="PROWESS_TOKEN"),
    "For the server that has the store open: it takes what is sent.",
]
IMPORT_EXAMPLES = """\b
prowess import games.csv --system glicko2
prowess import season.csv --store league.db --category league --source archive
prowess import games.csv --dry-run
"""


class Target(NamedTuple):
    """The category that results join, how it is rated if it is new, and what is accepted."""

    store: Store = STORE
    category: Annotated[str, Option("The category that the results join.", "KEY")] = "main"
    system: Annotated[SystemName, "The system of a new category (default prowess)."] = None
    params: Annotated[Settings, "Another value for a parameter of its system."] = NO_VALUES
    period: Annotated[Period, "The rating period of a new category."] = None
    source: Annotated[str, Option("The source of the results.", "NAME")] = "import"
    look_alikes: LookAlikes = False
    dry_run: Annotated[bool, Option("Print what would be recorded, and write nothing.")] = False

    def check_new(self) -> None:
        """Raise UsageError for options of a new category: there is one."""
        if self.system or self.params or self.period:
            raise click.UsageError(
                f"leave --system, --set and --period out: there is a category {self.category} "
                "already"
            )


@verb("import", epilog=IMPORT_EXAMPLES)
def import_verb(
    reading: ReadingOptions,
    *,
    target: Target,
    token: ServerToken = None,
) -> None:
    """Read FILES as `prowess rate` does and record every row in a store, all or none.

    Rows of today or later that have no result yet become games to come. A category that does not
    exist is made. Importing the same file again doubles nothing. A store
    that a server has open takes results from that server only: they are sent to it, with a --token
    that may submit, in parts of 100,000 rows. Games to come need a --token that may correct.
    """
    from prowess.cli.output import SkippedRowNotes, print_note
    from prowess.cli.reading import FileSource, print_reading
    from prowess.games.reading import format_count
    from prowess.live.api.sending import find_server, send_games, send_results, wait_for_store
    from prowess.live.errors import StoreInUse, WrongUse
    from prowess.live.journal.imports import (
        FACT_OF,
        keep_games_to_come,
        name_error,
        read_submissions,
        read_table,
    )
    from prowess.live.journal.unit_of_work import ADDED, SETTLED, describe_games_to_come

    skip = bool(reading.given.get("skip_bad"))
    for keyword in ("per", "with_", "family"):
        if keyword in reading.given:
            raise click.UsageError(
                f"leave {name_flag(keyword)} out: a live ladder has no members but players"
            )
    for keyword in ("player_facts", "season"):
        if keyword in reading.given:
            raise click.UsageError(
                f"leave {name_flag(keyword)} out: a live ladder keeps results alone, neither facts "
                "of players nor seasons"
            )
    files: Any = tuple(map(hold_file, reading.files))
    reading = reading._replace(files=files, verbose=True)  # what is read is to last

    def read_files(**further: Any) -> Games:
        for one in files:
            if not isinstance(one, str):
                one.seek(0)
        quiet = reading.quiet or bool(further)  # a second reading is printed if it is taken
        source = FileSource(reading._replace(quiet=quiet), retell=keep_games_to_come)
        return source.read_games(**{**reading.given, **further}, fact_prefix=FACT_OF)

    table = read_table(read_files)
    if not len(table):
        print_reading(table.reading, reading)
    at_most = ""
    try:
        receipt, rows = wait_for_store(lambda: record_table(table, target, skip), target.store)
        count = Counter(one.status for one in receipt.results)
        refused = [name_error(one.error, rows) for one in receipt.results if one.error is not None]
        revision, numbers = receipt.revision, Counter(receipt.numbers)
    except StoreInUse as error:
        server = find_server(target.store, target.category, error)
        target.check_new()
        if not token:
            command = COMMAND.replace("SOURCE", target.source).replace("STORE", target.store)
            raise click.UsageError(
                f"add --token SECRET: the server at {server.address} has the store open and takes "
                f"the results; `{command}` makes a token for it"
            ) from None
        results = tuple(read_submissions(table, server.category, target.source))
        sent = send_results(
            server, token, results,
            skip=skip, dry_run=target.dry_run, look_alikes=target.look_alikes,
        )  # fmt: skip
        to_come, ahead = plan_games(table, server.category)
        numbers, later = Counter({ADDED: ahead}), 0
        if target.dry_run:
            at_most = "up to "  # the server may have some, or the token not add them
        else:
            try:
                numbers, later = send_games(server, token, to_come, target.look_alikes)
            except WrongUse:
                numbers = Counter()
                left = format_count(ahead, "game")
                print_note(
                    f"{left} to come left out: your key may not add them; a --token that may "
                    "correct does"
                )  # fmt: skip
        print_note(f"sent to the server at {server.address}")
        count, revision, refused = sent.counts, max(sent.revision, later), sent.refused
        numbers[SETTLED] = count[SETTLED]
    skipped = SkippedRowNotes()
    for one in refused:
        skipped(one)
    skipped.print_summary()
    recorded = "would be recorded" if target.dry_run else "recorded"
    waiting = f", {count['held']:,} waiting for acceptance" if count["held"] else ""
    planned = "".join(f", {at_most}{one}" for one in describe_games_to_come(numbers))
    known = "" if target.dry_run else f", revision {revision}"
    click.echo(
        f"{count['recorded']:,} {recorded}{waiting}, {count['already']:,} there already{planned}"
        f"{known}"
    )


ADD_EXAMPLES = """\b
prowess add-players "Ann Ek" "Bo Ek" --store club.db
prowess add-players - --store club.db --category blitz < members.txt
"""


@verb("add-players", epilog=ADD_EXAMPLES)
def add_players_verb(
    *,
    names: Annotated[tuple[str, ...], Argument("NAME...", nargs=-1)],
    store: Store = STORE,
    category: Annotated[
        str | None, Option("The category; not needed if it is the only one.", "KEY")
    ] = None,
    look_alikes: LookAlikes = False,
    token: ServerToken = None,
) -> None:
    """Add players to a category before their first game; NAME - reads one a line from stdin.

    They stand at the end of the leaderboard until they play. Those who are there already stay as
    they are. While a server has the store open, they are sent to it, with a --token that may
    correct.
    """
    from functools import partial

    from prowess.live.api.sending import find_server, send_additions, wait_for_store
    from prowess.live.client import Client
    from prowess.live.errors import Conflict, Refused, StoreInUse
    from prowess.live.journal.corrections import MOST_ADDED

    if "-" in names and len(names) > 1:
        raise click.UsageError("give - alone: it reads the names from stdin, one a line")
    lines = read_names(sys.stdin.buffer.read()) if names == ("-",) else names
    called = tuple(one.strip() for one in lines if one.strip())
    if not called:
        raise click.UsageError("give at least one name")
    try:
        try:
            count, revision = wait_for_store(
                lambda: enter_players(store, category, called, look_alikes), store
            )
        except StoreInUse as error:
            server = find_server(store, category, error)
            if not token:
                raise click.UsageError(
                    f"add --token SECRET: the server at {server.address} has the store open; "
                    f"`prowess token add NAME --scope correct --store {store}` makes one"
                ) from None
            add = partial(Client.add_players, look_alikes=look_alikes)
            added, revision = send_additions(server, token, called, MOST_ADDED, add)
            count = added["players"]
            if not count:
                key = server.category.key
                raise Conflict("nothing_changes", f"{key} has all of them already") from None
    except Refused as error:
        if error.code != "nothing_changes":
            raise
        click.echo(f"0 added: {error.message}")
        return
    click.echo(f"{count:,} added, revision {revision}")


def read_names(data: bytes) -> list[str]:
    """The lines of a list of names; raises BadData."""
    from prowess.games import BadData
    from prowess.games.formats.encodings import decode_text

    lines = decode_text("stdin", data, None).splitlines()
    for number, line in enumerate(lines, 1):
        if not line.isascii() and any("\udc80" <= letter <= "\udcff" for letter in line):
            raise BadData("the list is not UTF-8", file="stdin", line=number,
                          remedy="save it as UTF-8", code="not_utf8")  # fmt: skip
    return lines


def enter_players(
    store: str, category: str | None, names: tuple[str, ...], look_alikes: bool
) -> tuple[int, int]:
    """Add players to a store that no server has open; raises StoreInUse, Refused."""
    from prowess.live.journal.corrections import AddPlayers
    from prowess.live.journal.journal import Journal
    from prowess.live.store.access import Actor
    from prowess.live.store.reading import parse_present

    parse_present(store)
    with closing(Journal.open(store, patience=0)) as journal:
        entry = AddPlayers(names, category, look_alikes=look_alikes)
        done = journal.commit(entry, Actor.console())
    return done.numbers["players"], done.revision


def hold_file(file: str) -> str | BytesIO:
    """A file as it is; what comes from standard input or the web, to be read more than once."""
    from prowess.games.formats.locations import WEB, fetch
    from prowess.games.formats.sources import STDIN, file_name

    if file.lower().startswith(WEB):
        return fetch(file)
    if file != STDIN:
        return file
    held = BytesIO(sys.stdin.buffer.read())
    held.name = file_name(STDIN)
    return held


def record_table(
    table: Any, target: Target, skip: bool
) -> tuple[CommitResult, tuple[Submission | PlannedGame, ...]]:
    """Record a table in a store that no server has open, and its rows; raises StoreInUse."""
    from prowess.cli.output import print_note
    from prowess.live.errors import Refused
    from prowess.live.journal.categories import Opening
    from prowess.live.journal.corrections import RecordTable
    from prowess.live.journal.imports import name_error, read_submissions
    from prowess.live.journal.journal import Journal
    from prowess.live.store.access import Actor

    store, key = target.store, target.category
    on_error: Literal["stop", "skip"] = "skip" if skip else "stop"
    entry: Opening | RecordTable
    with ExitStack() as stack:
        made, is_new = "", not has_store(store)
        if is_new and target.dry_run:
            store = f"{stack.enter_context(TemporaryDirectory())}/ladder.db"
        journal = stack.enter_context(closing(Journal.open(store, patience=0)))
        new = None
        if key not in journal.registry.keys:
            new = make_category(table, target)
            kept = "" if len(table) else ", which keeps no points of its games"
            made = f"a new category {key}, rated by {new.system}{kept}"
        else:
            target.check_new()
        category = journal.category(key) if new is None else new.category(1, 0)
        rows = tuple(read_submissions(table, category, target.source))
        planned, _ = plan_games(table, category)
        entry = results = RecordTable(rows, on_error, target.look_alikes, planned=planned,
                                      category=key)  # fmt: skip
        if new is not None:
            entry = Opening(new, results)
        try:
            receipt = journal.commit(entry, Actor.console(), dry_run=target.dry_run)
        except Refused as error:
            raise name_error(error, (*rows, *planned)) from None
        if is_new and not target.dry_run:
            print_note(f"a new store {store} (--store chooses)")
        if made:
            print_note(made)
        return receipt, (*rows, *planned)


def plan_games(table: Any, category: Category) -> tuple[tuple[PlannedGame, ...], int]:
    """What `plan_unplayed` makes of a table for a category of games between two."""
    from time import time_ns

    from prowess.cli.output import print_note
    from prowess.live.journal.imports import plan_unplayed

    if not category.duels:
        return (), 0
    planned, ahead, notes = plan_unplayed(table.reading.unplayed, time_ns() // 1000)
    for note in notes:
        print_note(note)
    return planned, ahead


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

    system = find_system(target.system)
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
