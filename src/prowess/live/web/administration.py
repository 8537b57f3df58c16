"""What keepers look at: the overview, the queue, results, players, categories."""

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
from prowess.live.web.page_request import PageRequest, shown_names
from prowess.live.web.rated_view import as_days
from prowess.live.web.results import (
    describe_versions,
    exact,
    find_category,
    find_versions,
    with_share,
)
from prowess.live.web.sessions import write_audit_line
from prowess.present.wording import iso_text

STEP = 100  # rows at a time
FOUND = 50  # players
STATES = ("counts", "held", "void", "rejected")


def show_overview(visit: PageRequest) -> Response:
    """What waits, what was done last, and what to remember; to others, what they may do."""
    actor = visit.signed_in("submit", "correct")
    if not actor.may("correct"):
        return visit.page("admin/welcome.html", here="admin", categories=visit.desk.categories())
    with visit.desk.store.read() as connection:
        counts = queries.count_by_state(connection)
        changes = queries.list_revisions(connection, limit=20, newest=True)
    return visit.page(
        "admin/overview.html",
        here="admin",
        counts=counts,
        categories=visit.desk.categories(),
        changes=[(one, as_days(one.at)) for one in changes],
        store=str(visit.desk.store.url),
    )


def list_queue(visit: PageRequest) -> Response:
    """Results that wait for acceptance."""
    visit.signed_in("correct")
    return _result_list(visit, "admin/queue.html", state=HELD)


def list_results(visit: PageRequest) -> Response:
    """Results by player, state, source and category."""
    visit.signed_in("correct")
    state = visit.asked("state")
    return _result_list(visit, "admin/results.html", state=state if state in STATES else None)


def _result_list(visit: PageRequest, template: str, *, state: str | None) -> Response:
    key, player, source = visit.asked("category"), visit.asked("player"), visit.asked("source")
    people = visit.desk.registry.people
    with visit.desk.store.read() as connection:
        rows = queries.list_results(
            connection,
            category=visit.desk.category(key).id if key else None,
            player=people.find(player) if player else None,
            state=state,
            source=source or None,
            limit=STEP + 1,
            after=visit.before(),
        )
    more = rows[STEP - 1].id if len(rows) > STEP else None
    return visit.page(
        template,
        here="admin",
        rows=[(one, format_result(visit, one), as_days(one.time)) for one in rows[:STEP]],
        more=more,
        chosen={"category": key, "player": player, "source": source, "state": state or ""},
        categories=visit.desk.categories(),
        states=STATES,
    )


def format_result(visit: PageRequest, one: LiveResult) -> str:
    """A result in a line."""
    called = shown_names(visit)

    def team(side: ResultSide) -> str:
        return " & ".join(isolate_name(called[member.player]) for member in side.members)

    if one.score is not None:
        return f"{' against '.join(map(team, one.sides))}: {one.score:g}"
    first = ", ".join(f"{side.place:g}. {team(side)}" for side in one.ranked[:3])
    return f"{first}{' ...' if len(one.sides) > 3 else ''}"


def isolate_name(name: str) -> str:
    """A name that does not turn the direction of the words around it."""
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def edit_result(visit: PageRequest) -> Response:
    """One result, to be corrected, made void or restored."""
    visit.signed_in("correct")
    found = find_versions(visit, visit.number("number"))
    one = found[-1].result
    called = shown_names(visit)
    category = find_category(visit, one.category)
    teams = category.side_size > 1 or not one.single
    said = [
        [with_share(called[member.player], member.share) for member in side.members]
        for side in (one.sides if one.score is not None else one.ranked)
    ]
    values: dict[str, Any] = {
        "sides": ["\n".join(side) for side in said],
        "placings": "\n".join(
            "\t".join([f"{side.place:g}", *_points_cell(side, teams), *members])
            for side, members in zip(one.ranked, said, strict=True)
        )
        if one.score is None
        else "",
        "facts": "\n".join(f"{name}={fact_as_typed(v)}" for name, v in (one.facts or {}).items()),
        "time": iso_text(one.time),
    }
    for name in ("score", "side", "weight", "margin", "length", "points_a", "points_b"):
        value = getattr(one, name)
        values[name] = "" if value is None else repr(value)
    return visit.page(
        "admin/result.html",
        here="admin",
        result=one,
        values=values,
        category=category,
        teams=teams,
        versions=describe_versions(visit, found)[::-1],
        kept=[
            n for e in category.extra for n in (("points_a", "points_b") if e == "points" else (e,))
        ],
    )


def _points_cell(side: ResultSide, teams: bool) -> list[str]:
    """The cell of points, which is there without points too where several names follow it."""
    return [""] * teams if isnan(side.points) else [exact(side.points)]


def list_players(visit: PageRequest) -> Response:
    """Players by any part of a name."""
    visit.signed_in("admin")
    people = visit.desk.registry.people
    asked = visit.asked("q")
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
    return visit.page(
        "admin/players.html", here="admin", rows=rows, asked=asked, more=len(found) > FOUND
    )


def edit_player(visit: PageRequest) -> Response:
    """One player: rename, add a name, merge, split, forget."""
    visit.signed_in("admin")
    people = visit.desk.registry.people
    number = visit.number("number")
    if number not in people.shown:
        raise NotFound("no_such_player", f"there is no player {number}")
    number = people.canonical(number)
    merged = people.group(number)[1:]
    spelt = sorted(name for name, at in people.names.items() if at == number)
    return visit.page(
        "admin/player.html",
        here="admin",
        number=number,
        name=people.shown[number],
        spelt=spelt,
        merged=[(one, people.shown[one]) for one in merged],
    )


def list_categories(visit: PageRequest) -> Response:
    """Categories, and a form for a new one."""
    visit.signed_in("admin")
    from prowess.systems.catalogue import catalogue

    return visit.page(
        "admin/categories.html",
        here="admin",
        categories=visit.desk.categories(),
        systems=list(catalogue()),
    )


def edit_category(visit: PageRequest) -> Response:
    """One category: method with what-if, seasons, lists."""
    visit.signed_in("admin")
    from prowess.systems.catalogue import catalogue, find

    one = visit.category
    return visit.page(
        "admin/category.html",
        here="admin",
        category=one,
        systems=list(catalogue()),
        params="\n".join(f"{name}={_setting_text(value)}" for name, value in one.params.items()),
        settings=list(parameters(find(one.system)).values()),
    )


def _setting_text(value: Setting) -> str:
    """A constant as the form takes it."""
    return str(value) if isinstance(value, float | int | str) else ",".join(map(str, value))


# Tokens, webhooks, and the audit log.


LINES = 200
DELIVERIES = 20


def list_tokens(visit: PageRequest, secret: str | None = None) -> Response:
    """All tokens; a new one's secret, once."""
    visit.signed_in("admin")
    with visit.desk.store.read() as connection:
        rows = access.list_tokens(connection)
    return visit.page(
        "admin/tokens.html",
        here="admin",
        rows=[
            (one, as_days(one.created), as_days(one.expires), as_days(one.revoked)) for one in rows
        ],
        scopes=access.SCOPES,
        secret=secret,
    )


def make_token(visit: PageRequest) -> Response:
    """A new token."""
    visit.signed_in("admin")
    name, expires = required_text(visit, "name"), parse_date(visit, "expires", ends=True)
    scopes = [scope for scope in visit.form.getlist("scope") if isinstance(scope, str)]
    secret, number = visit.desk.store.writer.do(
        lambda connection: access.make_token(
            connection,
            name,
            scopes,
            optional_text(visit, "source"),
            bool(visit.given("review")),
            expires,
            now=visit.desk.clock(),
        )
    )
    write_audit_line(visit, "make token", f"token {number}")
    return list_tokens(visit, secret)


def revoke_token(visit: PageRequest) -> Response:
    """A token that opens nothing any more."""
    actor = visit.signed_in("admin")
    number = visit.number("number")
    if number == actor.token:
        raise NotAllowed("own_token", "you are signed in with this one: sign in with another first")
    visit.desk.store.writer.do(
        lambda connection: access.revoke_token(connection, number, visit.desk.clock())
    )
    write_audit_line(visit, "revoke token", f"token {number}")
    return RedirectResponse("/admin/tokens", 303)


def list_webhooks(visit: PageRequest, secret: str | None = None) -> Response:
    """All webhooks and what became of the last messages."""
    visit.signed_in("admin")
    with visit.desk.store.read() as connection:
        rows = [
            (one, as_days(one.stopped), webhooks.list_deliveries(connection, one.id, DELIVERIES))
            for one in webhooks.list_webhooks(connection)
        ]
    return visit.page(
        "admin/webhooks.html", here="admin", rows=rows, shapes=webhooks.SHAPES, secret=secret
    )


def make_webhook(visit: PageRequest) -> Response:
    """Somebody else who is told."""
    visit.signed_in("admin")
    secret = token_urlsafe(32)
    events = visit.given("events").split() or [webhooks.EVERY]
    number = visit.desk.store.writer.do(
        lambda connection: webhooks.register_webhook(
            connection,
            required_text(visit, "url"),
            secret,
            events,
            visit.given("shape", "prowess"),
            now=visit.desk.clock(),
        )
    )
    write_audit_line(visit, "make webhook", f"webhook {number}")
    return list_webhooks(visit, secret)


def stop_webhook(visit: PageRequest) -> Response:
    """Somebody who is told no more."""
    visit.signed_in("admin")
    number = visit.number("number")
    visit.desk.store.writer.do(
        lambda connection: webhooks.stop_webhook(connection, number, visit.desk.clock())
    )
    write_audit_line(visit, "stop webhook", f"webhook {number}")
    return RedirectResponse("/admin/webhooks", 303)


def read_audit(visit: PageRequest) -> Response:
    """Who did what, the newest first."""
    visit.signed_in("admin")
    with visit.desk.store.read() as connection:
        rows = access.read_lines(connection, LINES, visit.before())
    return visit.page(
        "admin/audit.html",
        here="admin",
        rows=[(one, as_days(one.at)) for one in rows],
        more=rows[-1].id if len(rows) == LINES else None,
    )
