"""`prowess serve`: a live ladder, with its API and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prowess.cli.rating import settings, system_names
from prowess.cli.stores import store_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI

    from prowess.live.api.limits import Settings
    from prowess.live.journal.journal import Journal
    from prowess.live.journal.registry import Category

CATEGORY, SYSTEM = "main", "elo"  # of a new store
SAMPLE = "football.csv"
NEEDED = ("fastapi", "uvicorn", "sqlalchemy", "jinja2", "python_multipart")
EXAMPLES = """\b
prowess serve --sample
prowess serve --store club.db --category chess --system glicko2 --host 0.0.0.0
prowess serve --store postgresql://prowess@localhost/ladder --private
"""


@click.command("serve", short_help="Run a live ladder: results in, ratings out.", epilog=EXAMPLES)
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
    help="0 takes a free one.",
)  # fmt: skip
@click.option("--private", is_flag=True, help="Reading needs a token too.")
@click.option(
    "--category", metavar="KEY", help=f"A category, made where there is none: {CATEGORY}."
)
@click.option(
    "--system", "-s", metavar="NAME", shell_complete=system_names,
    help=f"By which a new category is rated: {SYSTEM}.",
)  # fmt: skip
@click.option(
    "--set", "params", multiple=True, metavar="NAME=VALUE", callback=settings,
    help="Another value for a parameter of that system.",
)  # fmt: skip
@click.option("--period", metavar="7d|1mo|round", help="The rating period of a new category.")
@click.option(
    "--side-size", type=click.IntRange(1), metavar="N",
    help="Players that a side of a new category may have: 1.",
)  # fmt: skip
@click.option("--name", metavar="TITLE", help="What a new category is called on its pages.")
@click.option("--sample", is_flag=True, help="Fill an empty store with example games.")
@click.option("--trust-proxy", is_flag=True, help="Take addresses from X-Forwarded-For.")
@click.option(
    "--connections", type=click.IntRange(1), default=250, show_default=True, metavar="N",
    help="Connections of one address at a time; --trust-proxy lifts this limit.",
)  # fmt: skip
@click.option("--open-uploads", is_flag=True, help="RoboRumble clients need no token.")
@click.option("--quiet", "-q", is_flag=True, help="Write no line for each request.")
def command(
    store: str,
    host: str,
    port: int,
    private: bool,
    category: str | None,
    system: str | None,
    params: dict[str, str],
    period: str | None,
    side_size: int | None,
    name: str | None,
    sample: bool,
    trust_proxy: bool,
    connections: int,
    open_uploads: bool,
    quiet: bool,
) -> None:
    """Serve a ladder until Ctrl-C: pages for people, an API for programs.

    The store is made where there is none, with one category and a token for its administrator,
    which is printed this once.
    """
    needed()
    from prowess.cli.talk import say
    from prowess.live.api.limits import Settings
    from prowess.live.api.server import configure_logging, open_socket, run, socket_url
    from prowess.live.journal.journal import Journal

    try:
        socket = open_socket(host, port)
    except OSError as error:
        raise click.ClickException(
            f"cannot listen at {host}, port {port}: {error.strerror or error}; choose a --port"
        ) from None
    try:
        desk = Journal.opened(store)
        try:
            for note in prepared(desk, category, system, params, sample, period, name, side_size):
                say(note, False)
            chosen = Settings(
                private=private,
                trust_proxy=trust_proxy,
                connections_by_address=connections,
                open_uploads=open_uploads,
            )
            configure_logging(not quiet)
            told = f"Prowess serves {desk.store} at {socket_url(socket)}"
            app, end = built(desk, chosen)
            try:
                run(app, desk, socket, lambda: say(told, False))
            finally:
                end()
        finally:
            desk.close()
    finally:
        socket.close()


def needed() -> None:
    """Raise ModuleNotFoundError, with the remedy, where a library of the server is missing."""
    from importlib.util import find_spec

    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"a live ladder needs {', '.join(missing)}: pip install 'prowess[server]'"
        )


def built(desk: Journal, chosen: Settings) -> tuple[FastAPI, Callable[[], None]]:
    """The application with all its rooms, and what ends them."""
    from prowess.live.api import rumble
    from prowess.live.api.application import application
    from prowess.live.pages import routes as pages

    app = application(desk, chosen)
    rumble.add_rumble_routes(app, desk, chosen)
    return app, pages.mounted(app, desk, chosen)


def prepared(
    desk: Journal,
    category: str | None,
    system: str | None,
    params: dict[str, str],
    sample: bool,
    period: str | None = None,
    name: str | None = None,
    side_size: int | None = None,
) -> list[str]:
    """A store with what it needs at least; what was done, in sentences."""
    notes = made_category(desk, category, system, params, period, name, side_size)
    notes += made_token(desk)
    if sample:
        notes.append(filled(desk, category or desk.categories()[0].key))
    trouble = desk.clock_trouble()
    return notes if trouble is None else [*notes, trouble]


def made_category(
    desk: Journal,
    key: str | None,
    system: str | None,
    params: dict[str, str],
    period: str | None,
    title: str | None,
    side_size: int | None,
) -> list[str]:
    """The category that is asked for, made where there is none; else how it differs."""
    from prowess.live.journal.categories import NewCategory
    from prowess.live.store.access import Actor

    asked = {
        "--system": system, "--set": params, "--period": period, "--name": title,
        "--side-size": side_size,
    }  # fmt: skip
    given = {option for option, value in asked.items() if value}
    known = {one.key: one for one in desk.categories()}
    if key in known or (known and key is None):
        if not given:
            return []
        if key is None and len(known) > 1:
            told = f"name the category with --category ({', '.join(known)}): "
            return [told + f"{', '.join(sorted(given))} changed nothing"]
        one = known[key] if key is not None else next(iter(known.values()))
        return list_differences(one, system, params, period, title, side_size)
    name = system or SYSTEM
    values = read_params(name, params)
    entry = NewCategory(
        key or CATEGORY, title or "", system=name, params=values, period=period,
        side_size=side_size or 1,
    )  # fmt: skip
    desk.commit(entry, Actor.console())
    return [f"new category {entry.key}, rated by {name}"]


def read_params(system: str, params: dict[str, str]) -> dict[str, Any]:
    """Parameters as they were typed, as numbers and words."""
    from prowess.engine.params import parameters
    from prowess.engine.system import Choice
    from prowess.systems.catalogue import find

    domains = {one: value.domain for one, value in parameters(find(system)).items()}
    return {
        one: text if isinstance(domains.get(one), Choice) else _number(text)
        for one, text in params.items()
    }


def list_differences(
    kept: Category,
    system: str | None,
    params: dict[str, str],
    period: str | None,
    title: str | None,
    side_size: int | None,
) -> list[str]:
    """In which of the settings that were given the store has something else, and the remedy.

    Raises what a new category with these settings would raise.
    """
    from dataclasses import replace

    from prowess.engine.params import display_settings, settings as checked
    from prowess.live.journal.categories import check_method
    from prowess.systems.catalogue import find

    name = system or kept.system
    given = read_params(name, params)
    size = side_size or kept.side_size
    check_method(
        replace(kept, system=name, params=given, period=period or kept.period, side_size=size)
    )
    now = display_settings(find(kept.system), checked(find(kept.system), dict(kept.params)))
    wanted = display_settings(find(name), checked(find(name), given))
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
    apart = [f"{there}, not {asked}" for asked, there, same in found if not same]
    if not apart:
        return []
    return [
        f"to change how {kept.key} is rated use its page in the administration, or "
        f"PATCH /api/v1/categories/{kept.key}; the store has " + "; ".join(apart)
    ]


def made_token(desk: Journal) -> list[str]:
    """A token for the administrator of a store that has none."""
    from prowess.live.store import access

    with desk.store.read() as connection:
        if access.list_tokens(connection):
            return []
    now = desk.clock()

    def job(connection: Any) -> str:
        secret, number = access.make_token(connection, "admin", [access.ADMIN], now=now)
        console = access.Actor.console()
        access.add_line(connection, console, "token made", f"token {number}", now=now)
        return secret

    secret = desk.store.writer.do(job)
    return [f"token of the administrator, shown this once: {secret}"]


def filled(desk: Journal, key: str) -> str:
    """Example games for a category that has none."""
    from pathlib import Path

    from prowess.games import read_games
    from prowess.games.games import format_count
    from prowess.live.journal.imports import read_submissions
    from prowess.live.journal.record import Record
    from prowess.live.store.access import Actor

    category = desk.category(key)
    if len(desk.ladder(key)):
        return f"{key} has results of its own: --sample adds none"
    table = read_games(Path(__file__).parent.parent / "data" / SAMPLE, warn=False)
    rows = tuple(read_submissions(table, category, "sample"))
    desk.commit(Record(rows), Actor.console())
    return f"{key} has {format_count(len(rows), 'example game')}"


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
