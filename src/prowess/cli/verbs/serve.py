"""`prowess serve`: a live ladder, with its API and pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from prowess.cli.options import NOTHING, Option, verb
from prowess.cli.selection import Period, Settings as Params, SystemName, parse_settings
from prowess.cli.verbs.store import STORE, Store

if TYPE_CHECKING:
    from fastapi import FastAPI

    from prowess.live.api.middleware import ServerSettings
    from prowess.live.journal.journal import Journal
    from prowess.live.journal.registry import Category

BURST_SECONDS = 10.0  # of an allowance at once


def allow_each_second(rate: float) -> Any:
    """An allowance of requests per second."""
    from prowess.live.api.middleware import Allowance

    return Allowance(rate, max(1, round(BURST_SECONDS * rate)))


CATEGORY, SYSTEM = "main", "elo"  # of a new store
SAMPLE = Path(__file__).parent.parent / "data" / "football.csv"
SLOW = "the loops of the ladders are being compiled, once on this machine"
PATIENCE = 10.0  # seconds for an import that has the store open
MAX_LIMIT = 1e12
SERVER_LIMITS: Mapping[str, Callable[[float], Any]] = {  # fields of ServerSettings
    "body_limit": int,
    "batch_limit": int,
    "batch_rows": int,
    "patience": float,
    "head_patience": float,
    "streams": int,
    "streams_by_address": int,
    "by_address": allow_each_second,
    "by_token": allow_each_second,
}
LIBRARIES = ("fastapi", "uvicorn", "sqlalchemy", "jinja2", "python_multipart")
EXAMPLES = """\b
prowess serve --sample
prowess serve --store club.db --category chess --system glicko2 --host 0.0.0.0
prowess serve --store postgresql://prowess@localhost/ladder --private
"""


class CategoryOptions(NamedTuple):
    """The category that the store should have, and how it is rated if it is new."""

    category: Annotated[
        str | None, Option(f"A category, made if it does not exist: {CATEGORY}.", "KEY")
    ] = None
    system: Annotated[SystemName, f"The system of a new category: {SYSTEM}."] = None
    params: Annotated[Params, "Another value for a parameter of that system."] = NOTHING
    period: Annotated[Period, "The rating period of a new category."] = None
    side_size: Annotated[
        int | None,
        Option("Players that a side of a new category may have: 1.", "N", click.IntRange(1)),
    ] = None
    name: Annotated[str | None, Option("The name of a new category on its pages.", "TITLE")] = None
    sample: Annotated[bool, Option("Fill an empty store with example games.")] = False


@verb("serve", epilog=EXAMPLES)
def serve_verb(
    *,
    store: Store = STORE,
    host: Annotated[str, Option("The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, Option("0 takes a free one.", type=click.IntRange(0, 65535))] = 8000,
    private: Annotated[bool, Option("Reading needs a token too.")] = False,
    asked: CategoryOptions,
    trust_proxy: Annotated[bool, Option("Take addresses from X-Forwarded-For.")] = False,
    connections: Annotated[
        int,
        Option(
            "Connections of one address at a time; --trust-proxy lifts this limit.",
            "N",
            click.IntRange(1),
        ),
    ] = 250,
    limits: Annotated[
        Mapping[str, str],
        Option(
            f"Another limit: {', '.join(SERVER_LIMITS)}. May be given more than once.",
            "NAME=VALUE",
            names=("--limit",),
            multiple=True,
            parse=parse_settings,
        ),
    ] = NOTHING,
    allow_origin: Annotated[
        str | None,
        Option("The site whose pages may read what anybody may; * for all.", "ORIGIN"),
    ] = None,
    backups: Annotated[
        Path | None,
        Option(
            "Write backups into this folder.",
            "FOLDER",
            type=click.Path(file_okay=False),
            parse=Path,
        ),
    ] = None,
    backup_hours: Annotated[
        float, Option("Hours between two backups.", "N", click.FloatRange(1.0))
    ] = 24.0,
    backups_kept: Annotated[
        int, Option("Backups that are kept, the newest.", "N", click.IntRange(1))
    ] = 14,
    open_uploads: Annotated[bool, Option("RoboRumble clients need no token.")] = False,
    audit_days: Annotated[
        int, Option("Days for which the audit log is kept.", "N", click.IntRange(1))
    ] = 90,
    quiet: Annotated[
        bool, Option("Write no line for each request.", names=("--quiet", "-q"))
    ] = False,
) -> None:
    """Serve a ladder until Ctrl-C: pages for people, an API for programs.

    The store is made if it does not exist, with one category and a token for its administrator,
    which is printed only once. A file that is there and holds no ladder needs --category.
    """
    check_libraries()
    from prowess.cli.output import print_note
    from prowess.live.api.middleware import ServerSettings
    from prowess.live.api.server import configure_logging, open_socket, serve, socket_url
    from prowess.live.journal.journal import Journal
    from prowess.live.store.backup import BackupPlan
    from prowess.live.store.reading import check_begun
    from prowess.live.web.first_requests import compile_first_requests

    chosen = ServerSettings(
        private=private,
        trust_proxy=trust_proxy,
        connections_by_address=connections,
        open_uploads=open_uploads,
        audit_days=audit_days,
        allow_origin=allow_origin,
        backups=None if backups is None else BackupPlan(backups, backup_hours, backups_kept),
        **read_limits(limits),
    )
    if asked.category is None:
        check_begun(store)
    try:
        socket = open_socket(host, port)
    except OSError as error:
        raise click.ClickException(
            f"choose another --port or --host: cannot listen at {host}, port {port}: "
            f"{error.strerror or error}"
        ) from None
    try:
        journal = Journal.open(store, patience=PATIENCE)
        try:
            journal.store.check_sound(quick=True)
            for note in prepare_store(journal, asked):
                print_note(note)
            configure_logging(not quiet)
            address = f"Prowess serves {journal.store} at {socket_url(socket)}"
            app, end = build_application(journal, chosen)
            try:
                serve(
                    app,
                    journal,
                    socket,
                    lambda: print_note(address),
                    lambda: print_note(SLOW),
                    lambda: compile_first_requests(journal, build_application),
                )
            finally:
                end()
        finally:
            journal.close()
    finally:
        socket.close()


def read_limits(limits: Mapping[str, str]) -> dict[str, Any]:
    """The fields of the settings of a server that limits change; raises BadParameter."""
    found: dict[str, Any] = {}
    for name, text in limits.items():
        if name not in SERVER_LIMITS:
            known = ", ".join(SERVER_LIMITS)
            raise click.BadParameter(f"name one of {known}, not {name}", param_hint="--limit")
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0.0 < value < MAX_LIMIT:
            raise click.BadParameter(f"give {name} a number above 0", param_hint="--limit")
        found[name] = SERVER_LIMITS[name](value)
    return found


def check_libraries() -> None:
    """Raise ModuleNotFoundError, with the remedy, if a library of the server is missing."""
    from importlib.util import find_spec

    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"pip install 'prowess[server]': a live ladder needs {', '.join(missing)}"
        )


def build_application(
    journal: Journal, chosen: ServerSettings
) -> tuple[FastAPI, Callable[[], None]]:
    """Build the application with API, uploads and pages; also returns the function that ends it."""
    from prowess.live.api import rumble
    from prowess.live.api.application import build_application
    from prowess.live.web import routes as pages

    app = build_application(journal, chosen)
    rumble.add_rumble_routes(app, journal, chosen)
    return app, pages.add_page_routes(app, journal, chosen)


def prepare_store(journal: Journal, asked: CategoryOptions) -> list[str]:
    """Make the category, the token and the example games that the store lacks; returns notes."""
    notes = make_category(journal, asked)
    notes += make_token(journal)
    if asked.sample:
        notes.append(add_sample(journal, asked.category or journal.categories()[0].key))
    trouble = journal.clock_trouble()
    return notes if trouble is None else [*notes, trouble]


def make_category(journal: Journal, asked: CategoryOptions) -> list[str]:
    """Make the category that is asked for; of one that exists, list how it differs."""
    from prowess.live.journal.categories import NewCategory
    from prowess.live.store.access import Actor

    key = asked.category
    known = {one.key: one for one in journal.categories()}
    if key in known or (known and key is None):
        names = ("system", "params", "period", "name", "side_size")
        given = [option_of(name) for name in names if getattr(asked, name)]
        if not given:
            return []
        if key is None and len(known) > 1:
            remedy = f"name the category with --category ({', '.join(known)}): "
            return [remedy + f"{', '.join(sorted(given))} changed nothing"]
        return list_differences(known[key] if key else next(iter(known.values())), asked)
    name = asked.system or SYSTEM
    entry = NewCategory(
        key or CATEGORY, asked.name or "", system=name, params=read_params(name, asked.params),
        period=asked.period, side_size=asked.side_size or 1,
    )  # fmt: skip
    journal.commit(entry, Actor.console())
    return [f"new category {entry.key}, rated by {name}"]


def option_of(name: str) -> str:
    """The option that gives a field of `CategoryOptions`."""
    return "--set" if name == "params" else f"--{name.replace('_', '-')}"


def read_params(system: str, params: Mapping[str, str]) -> dict[str, Any]:
    """The texts of parameters as numbers and words."""
    from prowess.engine.params import parameters
    from prowess.engine.system import Choice
    from prowess.systems.catalogue import find

    domains = {one: value.domain for one, value in parameters(find(system)).items()}
    return {
        one: text if isinstance(domains.get(one), Choice) else _number(text)
        for one, text in params.items()
    }


def list_differences(kept: Category, asked: CategoryOptions) -> list[str]:
    """The settings that were given and differ from those of the store, with the remedy.

    Raises what a new category with these settings would raise.
    """
    from dataclasses import replace

    from prowess.engine.params import display_settings, settings
    from prowess.live.journal.categories import check_method
    from prowess.systems.catalogue import find

    _, system, params, period, side_size, title, _ = asked
    name = system or kept.system
    given = read_params(name, params)
    size = side_size or kept.side_size
    check_method(
        replace(kept, system=name, params=given, period=period or kept.period, side_size=size)
    )
    now = display_settings(find(kept.system), settings(find(kept.system), dict(kept.params)))
    wanted = display_settings(find(name), settings(find(name), given))
    found = [
        (f"--system {system}", kept.system, system in (None, kept.system)),
        (f"--period {period}", f"period {kept.period or 'none'}", period in (None, kept.period)),
        (f"--side-size {side_size}", f"side_size {kept.side_size}", size == kept.side_size),
        (f"--name {title!r}", f"the name {kept.name!r}, which stays", title in (None, kept.name)),
    ]
    found += [
        (f"--set {one}={params[one]}", f"{one}={now.get(one, 'none')}", now.get(one) == wanted[one])
        for one in params
    ]
    apart = [f"{there}, not {option}" for option, there, same in found if not same]
    if not apart:
        return []
    return [
        f"to change how {kept.key} is rated use its page in the administration, or "
        f"PATCH /api/v1/categories/{kept.key}; the store has " + "; ".join(apart)
    ]


def make_token(journal: Journal) -> list[str]:
    """Make a token for the administrator of a store that has none; returns notes."""
    from prowess.live.store import access

    with journal.store.read() as connection:
        if access.list_tokens(connection):
            return []
    now = journal.clock()

    def job(connection: Any) -> str:
        secret, number = access.make_token(connection, "admin", [access.ADMIN_SCOPE], now=now)
        console = access.Actor.console()
        access.add_line(connection, console, "token made", f"token {number}", now=now)
        return secret

    secret = journal.store.writer.do(job)
    return [f"token of the administrator, shown this once: {secret}"]


def add_sample(journal: Journal, key: str) -> str:
    """Record example games in a category that has no results; returns a note."""
    from prowess.games import read_games
    from prowess.games.reading import format_count
    from prowess.live.journal.imports import read_submissions
    from prowess.live.journal.record import RecordResults
    from prowess.live.store.access import Actor

    category = journal.category(key)
    if len(journal.ladder(key)):
        return f"{key} has results of its own: --sample adds none"
    table = read_games(SAMPLE, warn=False)
    rows = tuple(read_submissions(table, category, "sample"))
    journal.commit(RecordResults(rows), Actor.console())
    return f"{key} has {format_count(len(rows), 'example game')}"


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
