"""`prowess serve`: a live ladder, with its API and pages."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.options import NO_VALUES, Option, OptionsOf, verb
from prowess.cli.selection import Period, Settings as Params, SystemName, parse_settings
from prowess.cli.verbs import SAMPLE_GAMES
from prowess.cli.verbs.store import STORE, Store
from prowess.live.journal.preparing import (
    CATEGORY,
    CategoryAsked,
    SampleLadder,
    prepare_store,
)

if TYPE_CHECKING:
    from fastapi import FastAPI

    from prowess.live.api.middleware import ServerSettings
    from prowess.live.journal.journal import Journal

BURST_SECONDS = 10.0  # of an allowance at once


def allow_each_second(rate: float) -> Any:
    """An allowance of requests per second."""
    from prowess.live.api.middleware import Allowance

    return Allowance(rate, max(1, round(BURST_SECONDS * rate)))


NOTE_OF_COMPILING = "the loops of the ladders are being compiled, once on this machine"
SAMPLE_LADDERS = [
    SampleLadder(key, name, icon, noun, SAMPLE_GAMES.with_name(f"{key}.csv.gz"))
    for key, name, icon, noun in (
        ("bundesliga", "Bundesliga", "ball", "team"),
        ("engines", "Chess engines", "chip", "engine"),
        ("bots", "Bot league", "robot", "bot"),
    )
]
SECONDS_FOR_STORE = 10.0  # seconds for an import that has the store open
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
# First parts of the server's own addresses, below which no proxy may put it.
OWN_PATHS = {
    "admin", "api", "brand", "c", "categories", "embed", "healthz", "imprint", "login", "logout",
    "metrics", "readyz", "results", "rumble", "static", "theme",
}  # fmt: skip
ORIGIN = re.compile(r"https?://[A-Za-z0-9.*-]+(:[0-9]{1,5})?")


def parse_origins(texts: Sequence[str]) -> tuple[str, ...]:
    """The origins of sites; raises BadParameter."""
    for text in texts:
        if not ORIGIN.fullmatch(text):
            raise click.BadParameter(
                f"give scheme and host, such as https://club.example, not {text!r}"
            )
    return tuple(texts)


ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")


def parse_root_path(text: str) -> str:
    """A path without a slash at its end; raises BadParameter for one of the server's own."""
    path = text.rstrip("/")
    if path and not ROOT_PATH.fullmatch(path):
        raise click.BadParameter(f"give a path such as /ladder, not {text!r}")
    first = path[1:].partition("/")[0]
    if first in OWN_PATHS:
        raise click.BadParameter(f"choose another path: the server itself has pages below /{first}")
    return path


YOUNG_OBJECTS = 20_000  # between two collections: a request makes thousands, which end with it
LIBRARIES = ("fastapi", "uvicorn", "httptools", "sqlalchemy", "jinja2", "python_multipart")
SERVE_EXAMPLES = """\b
prowess serve --sample
prowess serve --store club.db --category chess --system glicko2 --host 0.0.0.0
prowess serve --store postgresql://prowess@localhost/ladder --private
"""


CATEGORY_OPTIONS = OptionsOf(
    CategoryAsked,
    category=Option(f"A category, made if it does not exist: {CATEGORY}.", "KEY"),
    system=(SystemName, "The system of a new category (default prowess)."),
    params=(Params, "Another value for a parameter of that system."),
    period=(Period, "The rating period of a new category."),
    side_size=(
        int,
        Option("Players that a side of a new category may have: 1.", "N", click.IntRange(1)),
    ),
    name=Option("The name of a new category on its pages.", "TITLE"),
    sample=(bool, "Fill an empty store with example games."),
)


@verb("serve", epilog=SERVE_EXAMPLES)
def serve_verb(
    *,
    store: Store = STORE,
    host: Annotated[str, Option("The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, Option("0 takes a free one.", type=click.IntRange(0, 65535))] = 8000,
    private: Annotated[bool, Option("Reading needs a token too.")] = False,
    asked: Annotated[dict[str, Any], CATEGORY_OPTIONS],
    trust_proxy: Annotated[bool, Option("Take addresses from X-Forwarded-For.")] = False,
    connections: Annotated[
        int,
        Option(metavar="N", type=click.IntRange(1)),
        "Connections of one address at a time; --trust-proxy lifts this limit.",
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
    ] = NO_VALUES,
    allow_origin: Annotated[
        str | None,
        Option("The site whose pages may read what anybody may; * for all.", "ORIGIN"),
    ] = None,
    root_path: Annotated[
        str,
        Option("The path below which a proxy serves it.", "/PATH", parse=parse_root_path),
    ] = "",
    embed_on: Annotated[
        tuple[str, ...],
        Option(
            "A site whose frames may show /embed/c/KEY. May be given more than once.",
            "ORIGIN",
            multiple=True,
            parse=parse_origins,
        ),
    ] = (),
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
    gc.set_threshold(YOUNG_OBJECTS)
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
        embed_on=embed_on,
        root_path=root_path,
        backups=None if backups is None else BackupPlan(backups, backup_hours, backups_kept),
        **read_limits(limits),
    )
    alone = not any(value for name, value in asked.items() if name != "sample")
    sample = (SAMPLE_LADDERS if alone else SAMPLE_GAMES) if asked["sample"] else None
    wanted = CategoryAsked(**asked | {"sample": sample})
    if wanted.category is None:
        check_begun(store)
    try:
        socket = open_socket(host, port)
    except OSError as error:
        raise click.ClickException(
            f"choose another --port or --host: cannot listen at {host}, port {port}: "
            f"{error.strerror or error}"
        ) from None
    try:
        journal = Journal.open(store, patience=SECONDS_FOR_STORE)
        try:
            journal.store.check_sound(quick=True)
            for note in prepare_store(journal, wanted):
                print_note(note, quiet=False)
            configure_logging(not quiet)
            address = f"Prowess serves {journal.store} at {socket_url(socket)}{root_path}"
            app, end = build_application(journal, chosen)
            try:
                serve(
                    app, journal, socket, lambda: print_note(address, quiet=False),
                    lambda: print_note(NOTE_OF_COMPILING, quiet=False),
                    lambda: compile_first_requests(journal, build_application),
                )  # fmt: skip
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
