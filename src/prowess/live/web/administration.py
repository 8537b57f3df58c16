"""Administration pages: overview, queue, results, players, categories, tokens, webhooks, audit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from secrets import token_urlsafe
from shutil import disk_usage
from tempfile import TemporaryDirectory
from threading import Lock, Timer
from typing import Any, NamedTuple
from urllib.parse import urlencode

from sqlalchemy import Connection, text
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from prowess.engine.params import parameters
from prowess.games.reading import format_count
from prowess.live.api.administration import TOKENS, WEBHOOKS, SecretKind
from prowess.live.api.category_view import find_fixtures
from prowess.live.errors import Busy, Conflict, NotAllowed, NotFound, Refused
from prowess.live.journal.corrections import Cancel, Schedule
from prowess.live.journal.imports import fact_as_typed
from prowess.live.journal.journal import Journal, verify_store
from prowess.live.journal.registry import CATEGORY_LOOKS, Setting
from prowess.live.journal.stored_log import collect_values
from prowess.live.journal.unit_of_work import describe_games_to_come
from prowess.live.result import DAY_US, HELD, LiveResult, ResultSide
from prowess.live.store import access, queries, webhooks
from prowess.live.store.access import hash_secret
from prowess.live.store.backup import find_last_backup, write_download, write_due_backup
from prowess.live.store.database import SQLITE, path_of
from prowess.live.store.queries import RevisionRow
from prowess.live.store.tables import read_setting, write_setting
from prowess.live.store.visibility import KEEPER, may_change
from prowess.live.web.forms import optional_text, parse_date, required_text
from prowess.live.web.page_request import PageRequest
from prowess.live.web.results import (
    describe_result,
    find_versions,
    format_exact,
    format_member,
    format_time_of_result,
)
from prowess.present.brand import describe_accent
from prowess.present.declarations import summary_of
from prowess.present.rendering import omit_options
from prowess.present.svg import isolate_name
from prowess.verbs.tables import DEFAULT_SYSTEM

PAGE_LINES = 100
FOUND = 50  # players
STATE_TABS = ("counts", "held", "void", "rejected")


# The overview: what needs a person, whether all is well, what happened.


WEEKS = 26
SHOWN_PAIRS = 3
LONG_WITHOUT_BACKUP = 7 * DAY_US
PROOF = "proof"  # a setting: when the ratings were last proven equal to the results
PROVING = Lock()
TRIES = 5  # to read ratings and their revision while results come in


class Need(NamedTuple):
    """Something that needs a person, with the button that leads there."""

    what: str
    more: str
    button: str
    address: str


class Proof(NamedTuple):
    """When all ratings were compared with a replay of the results, and whether they were equal."""

    at: int
    results: int
    equal: bool


def show_overview(request: PageRequest) -> Response:
    """What needs a person, whether all is well, what happened; for reporters what they may do."""
    actor = request.require_scope("submit", "correct")
    if not actor.may("correct"):
        return request.render("admin/welcome.html")
    journal, now = request.journal, request.journal.clock()
    this_week = now // queries.WEEK_US
    first = this_week - WEEKS + 1
    with journal.store.read() as connection:
        counts = queries.count_by_state(connection)
        changes = queries.list_revisions(connection, limit=20, newest=True)
        weeks = queries.count_by_week(connection, first * queries.WEEK_US)
        feed = queries.find_last_report(connection, actor.token)
        proof = read_proof(connection)
        about = [one.detail["result"] for one in changes if "result" in one.detail]
        results = {one.id: one for one in queries.find_results(connection, about)}
    backup = find_last_backup(journal.store, request.settings.backups)
    last_backup = None if backup is None else round(backup.timestamp() * 1_000_000)
    return request.render(
        "admin/overview.html",
        counts=counts,
        needs=list_needs(request, counts, last_backup),
        weeks=[weeks.get(week, 0) for week in range(first, this_week + 1)],
        total=sum(counts.values()),
        categories=journal.categories(),
        changes=[(one, describe_revision(request, one, results)) for one in changes],
        proof=proof,
        last_backup=last_backup,
        folder=request.settings.backups is not None,
        space=measure_space(journal),
        feed=feed,
    )


def list_needs(request: PageRequest, counts: Mapping[str, int], backup: int | None) -> list[Need]:
    """What needs a person."""
    journal, actor = request.journal, request.require_scope("correct")
    found = []
    if counts[HELD]:
        waits = "result waits" if counts[HELD] == 1 else "results wait"
        what = f"{counts[HELD]:,} {waits} to be confirmed"
        found.append(Need(what, "They do not count before that.", "Look", "/admin/queue"))
    for category in journal.categories():
        trouble = journal.ladder(category.key).view().trouble
        if trouble is not None:
            what = f"{category.name} cannot be rated"
            more, address = omit_options(trouble), f"/admin/categories/{category.key}"
            found.append(Need(what, more, "Settings", address))
    clock = journal.clock_trouble()
    if clock is not None:
        found.append(Need("The clock of the machine is behind", clock, "Results", "/admin/results"))
    if actor.may("admin"):
        for one, other in journal.registry.people.find_look_alikes(SHOWN_PAIRS):
            address = f"/admin/players?{urlencode({'q': one})}"
            more = f"{isolate_name(one)} and {isolate_name(other)}"
            found.append(Need("Two names look like one player", more, "Compare", address))
        if backup is None or backup < journal.clock() - LONG_WITHOUT_BACKUP:
            more = "A copy on another machine survives this one."
            found.append(Need("There is no backup of this week", more, "Back up", "#backup"))
    return found


def measure_space(journal: Journal) -> tuple[int, int | None]:
    """The bytes that the store takes, and those that are free on its disk (None: not known)."""
    store = journal.store
    if store.kind != SQLITE:
        with store.read() as connection:
            return connection.scalar(text("SELECT pg_database_size(current_database())")) or 0, None
    path = path_of(store.address)
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(one.stat().st_size for one in files if one.exists()), disk_usage(path.parent).free


def describe_revision(
    request: PageRequest, one: RevisionRow, results: Mapping[int, LiveResult]
) -> str:
    """A revision as a sentence; `results` are those that it may be about."""
    detail, names = one.detail, request.names
    category = request.journal.registry.categories.get(one.category or 0)
    where = "" if category is None else category.name
    nouns = {"results": "result", "players": "player", "fixtures": "game"}
    games = ", ".join(describe_games_to_come(detail)) if one.kind != Cancel.kind else ""
    counted = ((detail[key], noun) for key, noun in nouns.items() if key in detail)
    what = format_count(*next(counted, (1, "result")))
    if detail.get("result") in results:
        what = format_result(request, results[detail["result"]])
    player = isolate_name(names.get(detail.get("player", 0), "a player"))
    into = isolate_name(names.get(detail.get("into", 0), "another"))
    if one.kind == "record" and "results" in detail and where:
        what = f"{where}: {what}"
    if one.kind == "add_players" and "player" in detail:
        what = player
    if one.kind == "change_site":
        what = " and ".join(detail.get("changed", ["name"]))
    said = WHAT_HAPPENED.get(one.kind, one.kind.replace("_", " ")).format(
        what=what, where=where, player=player, into=into, games=games
    )
    return f"{said}, {games}" if games and one.kind != Schedule.kind else said


WHAT_HAPPENED = {  # by kind of revision
    "record": "{what} recorded", "opening": "{where} opened with {what}",
    "correct": "{what}: corrected", "void": "{what}: struck", "restore": "{what}: counted again",
    "accept": "{what}: confirmed", "reject": "{what}: sent back",
    "add_players": "{what} added to {where}",
    "schedule": "{where}: {games}", "cancel": "{where}: {what} to come struck",
    "alias": "{player} has a further name", "rename": "{player} is called so now",
    "merge": "{player} joined with {into}", "split": "{player} taken apart again",
    "anonymise": "The names of {player} forgotten", "new_category": "{where} opened",
    "rename_category": "{where}: name, address, icon or noun changed",
    "change_method": "{where} is rated another way",
    "change_site": "The site: other {what}", "new_season": "{where} has a new season",
    "publish": "{where}: table published",
}  # fmt: skip


def prove_ratings(request: PageRequest) -> Response:
    """Replay all results and compare with what the server shows; note when, and whether equal."""
    journal = request.journal
    if not PROVING.acquire(blocking=False):
        raise Busy.of("proving", wait=60)
    try:
        found = verify_store(
            journal.store.address.render_as_string(False), partial(collect_shown, journal)
        )
    finally:
        PROVING.release()
    proof = Proof(
        journal.clock(),
        sum(one.results for one in found),
        not any(one.differences for one in found),
    )
    journal.store.writer.do(lambda connection: write_setting(connection, PROOF, json.dumps(proof)))
    request.write_audit_line("prove", "", access.AUDIT_DONE if proof.equal else "differs")
    return RedirectResponse("/admin", 303)


def collect_shown(journal: Journal, key: str) -> tuple[int, dict[str, dict[str, float]]]:
    """What the server shows of a category, and at which revision."""
    for _ in range(TRIES):
        revision = journal.revision
        journal.ladder(key).settle()
        shown = collect_values(journal.ratings(key))
        if journal.revision == revision:
            return revision, shown
    return revision, collect_values(journal.ratings(key, revision=revision))


def read_proof(connection: Connection) -> Proof | None:
    """The last proof; None before the first."""
    noted = read_setting(connection, PROOF)
    return None if noted is None else Proof(*json.loads(noted))


def save_backup(request: PageRequest) -> Response:
    """Write a backup into the folder of backups, or send it to the browser."""
    store, now = request.journal.store, datetime.now(UTC)
    plan = request.settings.backups
    if request.field("where") == "folder":
        if plan is None:
            raise Refused.of("no_folder", field="where")
        file = write_due_backup(store, plan, now, at_once=True)
        request.write_audit_line("back up", "" if file is None else file.name)
        return RedirectResponse("/admin", 303)
    folder = TemporaryDirectory(prefix="prowess-")
    try:
        path = write_download(store, Path(folder.name), now)
    except BaseException:
        folder.cleanup()
        raise
    request.write_audit_line("back up", f"{path.name}, downloaded")
    return FileResponse(
        path, media_type="application/vnd.sqlite3", filename=path.name,
        background=BackgroundTask(folder.cleanup),
    )  # fmt: skip


def list_queue(request: PageRequest) -> Response:
    """List the results that wait for acceptance."""
    return _result_list(request, "admin/queue.html", state=HELD)


def list_results(request: PageRequest) -> Response:
    """List results by player, state, source and category."""
    state = request.query("state")
    return _result_list(request, "admin/results.html", state=state if state in STATE_TABS else None)


def _result_list(request: PageRequest, template: str, *, state: str | None) -> Response:
    key, player, source = (
        request.query("category"),
        request.query("player"),
        request.query("source"),
    )
    people = request.journal.registry.people
    with request.journal.store.read() as connection:
        rows = queries.list_results(
            connection,
            category=request.journal.category(key).id if key else None,
            players=people.group(people.find(player)) if player else (),
            state=state,
            source=source or None,
            limit=PAGE_LINES + 1,
            after=request.before(),
        )
    more = rows[PAGE_LINES - 1].id if len(rows) > PAGE_LINES else None
    return request.render(
        template,
        rows=[(one, format_result(request, one)) for one in rows[:PAGE_LINES]],
        more=more,
        chosen={"category": key, "player": player, "source": source, "state": state or ""},
        states=STATE_TABS,
        fixtures=[
            (one, category)
            for category in request.journal.categories()
            for one in find_fixtures(request.journal, category, None)
        ],
    )


def format_result(request: PageRequest, one: LiveResult) -> str:
    """Format a result on one line, each name for itself in its direction of writing."""
    return describe_result(one, {at: isolate_name(request.names[at]) for at in one.players})


def edit_result(request: PageRequest) -> Response:
    """Show the form to correct, void or restore a result."""
    actor = request.require_scope("submit", "correct")
    found = find_versions(request, request.path_number("number"))
    if not may_change(actor, found[0].revision, found[-1].revision, request.journal.clock()):
        raise NotAllowed.of("not_yours.hour")
    one = found[-1].result
    called = request.names
    category = request.journal.registry.categories[one.category]
    teams = category.side_size > 1 or not one.single
    sides = [
        [format_member(called[member.player], member.share) for member in side.members]
        for side in (one.sides if one.score is not None else one.ranked)
    ]
    values: dict[str, Any] = {
        "sides": ["\n".join(side) for side in sides],
        "placings": "\n".join(
            "\t".join([f"{side.place:g}", *_points_cell(side, teams), *members])
            for side, members in zip(one.ranked, sides, strict=True)
        )
        if one.score is None
        else "",
        "facts": "\n".join(f"{name}={fact_as_typed(v)}" for name, v in (one.facts or {}).items()),
        "time": format_time_of_result(one.time).removesuffix(" UTC"),
    }
    numbers = {name: getattr(one, name) for name in ("score", "side", "weight", "margin", "length")}
    numbers |= zip(("points_a", "points_b"), one.points, strict=True)
    for name, value in numbers.items():
        values[name] = "" if value is None else format_exact(value)
    return request.render(
        "admin/result.html",
        result=one,
        keeper=actor.may(KEEPER),
        values=values,
        category=category,
        teams=teams,
        kept=[
            n for e in category.extra for n in (("points_a", "points_b") if e == "points" else (e,))
        ],
    )


def _points_cell(side: ResultSide, teams: bool) -> list[str]:
    """The cell of points; of teams it is present even if empty."""
    return [""] * teams if side.points is None else [format_exact(side.points)]


def list_players(request: PageRequest) -> Response:
    """List players by any part of a name."""
    people = request.journal.registry.people
    asked = request.query("q")
    found: dict[int, list[str]] = {}
    for name, number in people.names.items():
        if not asked or asked.casefold() in name.casefold():
            found.setdefault(people.canonical(number), []).append(name)
            if len(found) > FOUND:
                break
    rows = [
        (number, people.shown[number], [n for n in spelt if n != people.shown[number]])
        for number, spelt in list(found.items())[:FOUND]
    ]
    return request.render(
        "admin/players.html",
        rows=rows,
        asked=asked,
        more=len(found) > FOUND,
    )


def edit_player(request: PageRequest) -> Response:
    """Show the forms of a player: rename, add a name, merge, split, anonymise."""
    people = request.journal.registry.people
    number = request.path_number("number")
    if number not in people.shown:
        raise NotFound.of("no_such_player.number", number=number)
    number = people.canonical(number)
    merged = people.group(number)[1:]
    spelt = sorted(name for name, at in people.names.items() if at == number)
    return request.render(
        "admin/player.html",
        number=number,
        name=people.shown[number],
        spelt=spelt,
        merged=[(one, people.shown[one]) for one in merged],
    )


def list_categories(request: PageRequest) -> Response:
    """List categories, with the forms of the site and of a new category."""
    accent = request.journal.registry.brand.accent
    return request.render(
        "admin/categories.html",
        systems=list_systems(DEFAULT_SYSTEM),
        accent_note=describe_accent(accent) if accent else "",
    )


def list_systems(first: str) -> list[tuple[str, str]]:
    """Every system of the catalogue with what it is in a line; the `first` one leads the list."""
    from prowess.systems.catalogue import catalogue

    found = [(one.name, summary_of(one)["summary"].rstrip(".")) for one in catalogue().values()]
    return sorted(found, key=lambda one: one[0] != first)


def edit_category(request: PageRequest) -> Response:
    """Show the forms of a category: method, seasons, lists."""
    from prowess.systems.catalogue import find

    one = request.category
    return request.render(
        "admin/category.html",
        category=one,
        nouns=CATEGORY_LOOKS["noun"],
        systems=list_systems(one.system),
        params="\n".join(f"{name}={_setting_text(value)}" for name, value in one.params.items()),
        settings=list(parameters(find(one.system)).values()),
    )


def _setting_text(value: Setting) -> str:
    """Format a parameter for the form."""
    return str(value) if isinstance(value, float | int | str) else ",".join(map(str, value))


# Tokens, webhooks, and the audit log.


AUDIT_ROWS = 200
DELIVERIES = 20


CLICK_SECONDS = 60.0  # for which a second click is told the secret of the first
SECRET_LOCK = Lock()
SECRETS_OF_CLICKS: dict[str, str] = {}  # of the latest clicks on a button


def make_secret(request: PageRequest, kind: SecretKind, **given: Any) -> str:
    """Make a token or a webhook as the form says: its secret; a second click has the same answer.

    Raises Conflict for a second click of long ago, whose secret is known no more.
    """
    click = hash_secret(repr((request.field("click") or token_urlsafe(16), given)))
    with SECRET_LOCK:
        secret, _ = kind.make(request.call, click, click, **given)
        if secret is not None:
            SECRETS_OF_CLICKS[click] = secret
            forget = Timer(CLICK_SECONDS, SECRETS_OF_CLICKS.pop, (click, None))
            forget.daemon = True
            forget.start()
        secret = SECRETS_OF_CLICKS.get(click)
    if secret is None:
        raise Conflict.of("made_before")
    return secret


def list_tokens(request: PageRequest, secret: str = "") -> Response:
    """List tokens, with the secret of a new one."""
    with request.journal.store.read() as connection:
        rows = access.list_tokens(connection)
    return request.render(
        "admin/tokens.html",
        rows=rows,
        scopes=access.TOKEN_SCOPES,
        secret=secret,
        click=token_urlsafe(16),
    )


def make_token(request: PageRequest) -> Response:
    """Make a token."""
    name, expires = required_text(request, "name"), parse_date(request, "expires", ends=True)
    scopes = [scope for scope in request.form.getlist("scope") if isinstance(scope, str)]
    secret = make_secret(
        request, TOKENS, name=name, scopes=scopes, source=optional_text(request, "source"),
        review=bool(request.field("review")), expires=expires,
    )  # fmt: skip
    return list_tokens(request, secret)


def list_webhooks(request: PageRequest, secret: str = "") -> Response:
    """List webhooks with their latest deliveries and the secret of a new one."""
    with request.journal.store.read() as connection:
        rows = [
            (one, webhooks.list_deliveries(connection, one.id, DELIVERIES))
            for one in webhooks.list_webhooks(connection)
        ]
    return request.render(
        "admin/webhooks.html",
        rows=rows,
        shapes=webhooks.SHAPES,
        secret=secret,
        click=token_urlsafe(16),
    )


def make_webhook(request: PageRequest) -> Response:
    """Register a webhook."""
    secret = make_secret(
        request, WEBHOOKS, url=required_text(request, "url"),
        events=request.field("events").split() or [webhooks.ALL_EVENTS],
        shape=request.field("shape", "prowess"),
    )  # fmt: skip
    return list_webhooks(request, secret)


def end_secret(request: PageRequest, kind: SecretKind) -> Response:
    """Revoke a token, or stop a webhook."""
    kind.end(request.call, request.path_number("number"))
    return RedirectResponse(f"/admin/{kind.name}s", 303)


def read_audit(request: PageRequest) -> Response:
    """List the audit log, newest first."""
    with request.journal.store.read() as connection:
        rows = access.read_lines(connection, AUDIT_ROWS, request.before())
    return request.render(
        "admin/audit.html",
        rows=rows,
        more=rows[-1].id if len(rows) == AUDIT_ROWS else None,
    )
