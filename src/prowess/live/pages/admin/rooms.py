"""What keepers look at: the overview, the queue, results, players, categories."""

from __future__ import annotations

from math import isnan
from typing import Any

from starlette.responses import Response

from prowess.engine.params import parameters
from prowess.live.errors import NotFound
from prowess.live.journal.imports import fact_as_typed
from prowess.live.journal.registry import Setting
from prowess.live.pages.facts import exact, with_share
from prowess.live.pages.reading.archive import category_of, history, versions
from prowess.live.pages.reading.sights import told
from prowess.live.pages.visits import Visit, names
from prowess.live.result import HELD, LiveResult, Side
from prowess.live.store import queries
from prowess.present.wording import iso_text

STEP = 100  # rows at a time
FOUND = 50  # players
STATES = ("counts", "held", "void", "rejected")


def overview(visit: Visit) -> Response:
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
        changes=[(one, told(one.at)) for one in changes],
        store=str(visit.desk.store.url),
    )


def queue(visit: Visit) -> Response:
    """Results that wait for acceptance."""
    visit.signed_in("correct")
    return _results(visit, "admin/queue.html", state=HELD)


def results(visit: Visit) -> Response:
    """Results by player, state, source and category."""
    visit.signed_in("correct")
    state = visit.asked("state")
    return _results(visit, "admin/results.html", state=state if state in STATES else None)


def _results(visit: Visit, template: str, *, state: str | None) -> Response:
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
        rows=[(one, outlined(visit, one), told(one.time)) for one in rows[:STEP]],
        more=more,
        chosen={"category": key, "player": player, "source": source, "state": state or ""},
        categories=visit.desk.categories(),
        states=STATES,
    )


def outlined(visit: Visit, one: LiveResult) -> str:
    """A result in a line."""
    called = names(visit)

    def team(side: Side) -> str:
        return " & ".join(apart(called[member.player]) for member in side.members)

    if one.score is not None:
        return f"{' against '.join(map(team, one.sides))}: {one.score:g}"
    first = ", ".join(f"{side.place:g}. {team(side)}" for side in one.ranked[:3])
    return f"{first}{' ...' if len(one.sides) > 3 else ''}"


def apart(name: str) -> str:
    """A name that does not turn the direction of the words around it."""
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def result(visit: Visit) -> Response:
    """One result, to be corrected, made void or restored."""
    visit.signed_in("correct")
    found = history(visit, visit.number("number"))
    one = found[-1].result
    called = names(visit)
    category = category_of(visit, one.category)
    teams = category.side_size > 1 or not one.single
    said = [
        [with_share(called[member.player], member.share) for member in side.members]
        for side in (one.sides if one.score is not None else one.ranked)
    ]
    values: dict[str, Any] = {
        "sides": ["\n".join(side) for side in said],
        "placings": "\n".join(
            "\t".join([f"{side.place:g}", *_points(side, teams), *members])
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
        versions=versions(visit, found)[::-1],
        kept=[
            n for e in category.extra for n in (("points_a", "points_b") if e == "points" else (e,))
        ],
    )


def _points(side: Side, teams: bool) -> list[str]:
    """The cell of points, which is there without points too where several names follow it."""
    return [""] * teams if isnan(side.points) else [exact(side.points)]


def players(visit: Visit) -> Response:
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


def player(visit: Visit) -> Response:
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


def categories(visit: Visit) -> Response:
    """Categories, and a form for a new one."""
    visit.signed_in("admin")
    from prowess.systems.catalogue import catalogue

    return visit.page(
        "admin/categories.html",
        here="admin",
        categories=visit.desk.categories(),
        systems=list(catalogue()),
    )


def category(visit: Visit) -> Response:
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
