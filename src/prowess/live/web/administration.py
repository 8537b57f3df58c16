"""Administration pages: overview, queue, results, players, categories, tokens, webhooks, audit."""

from __future__ import annotations

from math import isnan
from secrets import token_urlsafe
from typing import Any

from starlette.responses import RedirectResponse, Response

from prowess.engine.params import parameters
from prowess.live.errors import NotAllowed, NotFound
from prowess.live.journal.imports import fact_as_typed
from prowess.live.journal.registry import Setting
from prowess.live.result import HELD, LiveResult, ResultSide
from prowess.live.store import access, queries, webhooks
from prowess.live.web.forms import optional_text, parse_date, required_text
from prowess.live.web.page_request import PageRequest
from prowess.live.web.results import (
    find_category,
    find_versions,
    format_exact,
    format_member,
)
from prowess.present.rendering import iso_text
from prowess.present.svg import isolate_name

PAGE_LINES = 100
FOUND = 50  # players
STATE_TABS = ("counts", "held", "void", "rejected")


def show_overview(request: PageRequest) -> Response:
    """Counts, recent revisions and reminders; without scope `correct`, what the token may do."""
    actor = request.require_scope("submit", "correct")
    if not actor.may("correct"):
        return request.render(
            "admin/welcome.html", here="admin", categories=request.journal.categories()
        )
    with request.journal.store.read() as connection:
        counts = queries.count_by_state(connection)
        changes = queries.list_revisions(connection, limit=20, newest=True)
    return request.render(
        "admin/overview.html",
        here="admin",
        counts=counts,
        categories=request.journal.categories(),
        changes=changes,
        store=str(request.journal.store.url),
    )


def list_queue(request: PageRequest) -> Response:
    """List the results that wait for acceptance."""
    request.require_scope("correct")
    return _result_list(request, "admin/queue.html", state=HELD)


def list_results(request: PageRequest) -> Response:
    """List results by player, state, source and category."""
    request.require_scope("correct")
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
        here="admin",
        rows=[(one, format_result(request, one)) for one in rows[:PAGE_LINES]],
        more=more,
        chosen={"category": key, "player": player, "source": source, "state": state or ""},
        categories=request.journal.categories(),
        states=STATE_TABS,
    )


def format_result(request: PageRequest, one: LiveResult) -> str:
    """Format a result on one line."""
    called = request.names

    def team(side: ResultSide) -> str:
        return " & ".join(isolate_name(called[member.player]) for member in side.members)

    if one.score is not None:
        return f"{' against '.join(map(team, one.sides))}: {one.score:g}"
    first = ", ".join(f"{side.place:g}. {team(side)}" for side in one.ranked[:3])
    return f"{first}{' ...' if len(one.sides) > 3 else ''}"


def edit_result(request: PageRequest) -> Response:
    """Show the form to correct, void or restore a result."""
    request.require_scope("correct")
    found = find_versions(request, request.path_number("number"))
    one = found[-1].result
    called = request.names
    category = find_category(request, one.category)
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
        "time": iso_text(one.time),
    }
    for name in ("score", "side", "weight", "margin", "length", "points_a", "points_b"):
        value = getattr(one, name)
        values[name] = "" if value is None else repr(value)
    return request.render(
        "admin/result.html",
        here="admin",
        result=one,
        values=values,
        category=category,
        teams=teams,
        kept=[
            n for e in category.extra for n in (("points_a", "points_b") if e == "points" else (e,))
        ],
    )


def _points_cell(side: ResultSide, teams: bool) -> list[str]:
    """The cell of points; of teams it is present even if empty."""
    return [""] * teams if isnan(side.points) else [format_exact(side.points)]


def list_players(request: PageRequest) -> Response:
    """List players by any part of a name."""
    request.require_scope("admin")
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
        "admin/players.html", here="admin", rows=rows, asked=asked, more=len(found) > FOUND
    )


def edit_player(request: PageRequest) -> Response:
    """Show the forms of a player: rename, add a name, merge, split, anonymise."""
    request.require_scope("admin")
    people = request.journal.registry.people
    number = request.path_number("number")
    if number not in people.shown:
        raise NotFound("no_such_player", f"there is no player {number}")
    number = people.canonical(number)
    merged = people.group(number)[1:]
    spelt = sorted(name for name, at in people.names.items() if at == number)
    return request.render(
        "admin/player.html",
        here="admin",
        number=number,
        name=people.shown[number],
        spelt=spelt,
        merged=[(one, people.shown[one]) for one in merged],
    )


def list_categories(request: PageRequest) -> Response:
    """List categories, with a form for a new one."""
    request.require_scope("admin")
    from prowess.systems.catalogue import catalogue

    return request.render(
        "admin/categories.html",
        here="admin",
        categories=request.journal.categories(),
        systems=list(catalogue()),
    )


def edit_category(request: PageRequest) -> Response:
    """Show the forms of a category: method, seasons, lists."""
    request.require_scope("admin")
    from prowess.systems.catalogue import catalogue, find

    one = request.category
    return request.render(
        "admin/category.html",
        here="admin",
        category=one,
        systems=list(catalogue()),
        params="\n".join(f"{name}={_setting_text(value)}" for name, value in one.params.items()),
        settings=list(parameters(find(one.system)).values()),
    )


def _setting_text(value: Setting) -> str:
    """Format a parameter for the form."""
    return str(value) if isinstance(value, float | int | str) else ",".join(map(str, value))


# Tokens, webhooks, and the audit log.


AUDIT_ROWS = 200
DELIVERIES = 20


def list_tokens(request: PageRequest, secret: str | None = None) -> Response:
    """List tokens, with the secret of a new one."""
    request.require_scope("admin")
    with request.journal.store.read() as connection:
        rows = access.list_tokens(connection)
    return request.render(
        "admin/tokens.html",
        here="admin",
        rows=rows,
        scopes=access.TOKEN_SCOPES,
        secret=secret,
    )


def make_token(request: PageRequest) -> Response:
    """Make a token."""
    request.require_scope("admin")
    name, expires = required_text(request, "name"), parse_date(request, "expires", ends=True)
    scopes = [scope for scope in request.form.getlist("scope") if isinstance(scope, str)]
    source = optional_text(request, "source")
    access.check_labels(name, source)
    secret, number = request.journal.store.writer.do(
        lambda connection: access.make_token(
            connection,
            name,
            scopes,
            source,
            bool(request.field("review")),
            expires,
            now=request.journal.clock(),
        )
    )
    request.write_audit_line("make token", f"token {number}")
    return list_tokens(request, secret)


def revoke_token(request: PageRequest) -> Response:
    """Revoke a token."""
    actor = request.require_scope("admin")
    number = request.path_number("number")
    if number == actor.token:
        raise NotAllowed("own_token", "sign in with another token first: this one is in use")
    request.journal.store.writer.do(
        lambda connection: access.revoke_token(connection, number, request.journal.clock())
    )
    request.journal.store.actors.forget()
    request.write_audit_line("revoke token", f"token {number}")
    return RedirectResponse("/admin/tokens", 303)


def list_webhooks(request: PageRequest, secret: str | None = None) -> Response:
    """List webhooks with their latest deliveries and the secret of a new one."""
    request.require_scope("admin")
    with request.journal.store.read() as connection:
        rows = [
            (one, webhooks.list_deliveries(connection, one.id, DELIVERIES))
            for one in webhooks.list_webhooks(connection)
        ]
    return request.render(
        "admin/webhooks.html", here="admin", rows=rows, shapes=webhooks.SHAPES, secret=secret
    )


def make_webhook(request: PageRequest) -> Response:
    """Register a webhook."""
    request.require_scope("admin")
    url, secret = required_text(request, "url"), token_urlsafe(32)
    webhooks.check_address(url)
    events = request.field("events").split() or [webhooks.ALL_EVENTS]
    number = request.journal.store.writer.do(
        lambda connection: webhooks.register_webhook(
            connection,
            url,
            secret,
            events,
            request.field("shape", "prowess"),
            now=request.journal.clock(),
        )
    )
    request.write_audit_line("make webhook", f"webhook {number}")
    return list_webhooks(request, secret)


def stop_webhook(request: PageRequest) -> Response:
    """Stop a webhook."""
    request.require_scope("admin")
    number = request.path_number("number")
    request.journal.store.writer.do(
        lambda connection: webhooks.stop_webhook(connection, number, request.journal.clock())
    )
    request.write_audit_line("stop webhook", f"webhook {number}")
    return RedirectResponse("/admin/webhooks", 303)


def read_audit(request: PageRequest) -> Response:
    """List the audit log, newest first."""
    request.require_scope("admin")
    with request.journal.store.read() as connection:
        rows = access.read_lines(connection, AUDIT_ROWS, request.before())
    return request.render(
        "admin/audit.html",
        here="admin",
        rows=rows,
        more=rows[-1].id if len(rows) == AUDIT_ROWS else None,
    )
