"""Rows of the store, receipts and previews as plain data for clients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

from prowess.live.api.wire import time_text
from prowess.live.desk.category import Category
from prowess.live.desk.desk import Desk
from prowess.live.desk.receipt import Outlook, Receipt, Taken
from prowess.live.facts import Member, Side
from prowess.live.ladder import Preview, shown
from prowess.live.store.lookups import ResultRow, RevisionRow, Told

GAME = ("score", "side", "margin", "length", "points_a", "points_b")
RESULT_COLUMNS = (
    "id", "category", "state", "time", "player_a", "player_b", *GAME, "weight", "round", "source",
    "external_id", "revision",
)  # fmt: skip
Namer = Callable[[int], str]


def namer(desk: Desk) -> Namer:
    """From a player's number, as entered, to what the player is called today."""
    people = desk.books.people

    def name(number: int) -> str:
        canonical = people.canonical(number)
        shown = people.shown.get(canonical)
        return f"player {number}" if shown is None else shown

    return name


def result(desk: Desk, row: ResultRow) -> dict[str, Any]:
    """A result as one of its versions says it; what does not apply is left out."""
    name = namer(desk)
    told: dict[str, Any] = {
        "id": row.id,
        "category": desk.books.category_numbered(row.category).key,
        "state": row.state,
        "time": time_text(row.time),
    }
    if row.a is not None and row.b is not None:
        told |= {"player_a": name(row.a), "player_b": name(row.b)}
    if row.score is not None:
        told |= {field: value for field in GAME if (value := getattr(row, field)) is not None}
    elif row.single:
        told["placings"] = [
            {"player": name(side.members[0].player), "place": side.place} | _points(side)
            for side in row.ranked
        ]
    told["sides"] = sides(row, name)
    if row.facts:
        told["facts"] = row.facts
    told |= {"weight": row.weight, "source": row.source, "revision": row.revision}
    if row.round is not None:
        told["round"] = row.round
    if row.external_id is not None:
        told["external_id"] = row.external_id
    return told


def sides(row: ResultRow, name: Namer) -> list[dict[str, Any]]:
    """The sides as they may be reported: players with their shares, and what they reached."""
    scores = (None, None) if row.score is None else (row.score, 1.0 - row.score)
    told: list[dict[str, Any]] = []
    for at, side in enumerate(row.sides if row.score is not None else row.ranked):
        said = {"place": side.place} if row.score is None else {"score": scores[at]}
        told.append({"players": [member(name, one) for one in side.members]} | said | _points(side))
    return told


def member(name: Namer, one: Member) -> str | dict[str, Any]:
    """A player of a side, with the share where it is not the whole."""
    called = name(one.player)
    return called if one.share == 1.0 else {"player": called, "share": one.share}


def _points(side: Side) -> dict[str, float]:
    return {} if isnan(side.points) else {"points": side.points}


def versions(desk: Desk, told: Sequence[Told]) -> dict[str, Any]:
    """A result with everything it ever said, the first version first."""
    return result(desk, told[-1].result) | {
        "versions": [
            result(desk, one.result) | {"change": revision(desk, one.revision)} for one in told
        ]
    }


def revision(desk: Desk, row: RevisionRow) -> dict[str, Any]:
    """A change of the facts: when, what kind, by whom, and why."""
    key = None if row.category is None else desk.books.category_numbered(row.category).key
    return {
        "revision": row.id,
        "at": time_text(row.at),
        "kind": row.kind,
        "category": key,
        "by": row.name,
        "token": row.token_id,
        "reason": row.reason,
        "detail": row.detail,
    }


def category(desk: Desk, one: Category) -> dict[str, Any]:
    """A category with its method; `params` are all constants, those left out by their defaults."""
    from prowess.engine.params import display_settings as shown_params, settings
    from prowess.systems.catalogue import find

    system = find(one.system)
    now = desk.revision  # first: what is read afterwards is at least as new
    ladder = desk.ladder(one.key)
    found = shown(ladder)
    return {
        "key": one.key,
        "name": one.name,
        "kind": one.kind,
        "system": one.system,
        "params": shown_params(system, settings(system, dict(one.params))),
        "period": one.period,
        "extra": list(one.extra),
        "provisional_games": one.provisional_games,
        "inactive_days": one.inactive_days,
        "side_size": one.side_size,
        "since": one.since,
        "games": len(ladder),
        "applied": now if found.applied is None else found.applied,
        "waiting": found.waiting,
        "trouble": found.trouble,
        "interim": found.interim,
    }


def receipt(one: Receipt) -> dict[str, Any]:
    """What was taken, and the revision from which on it is in effect."""
    told: dict[str, Any] = {"kind": one.kind, "revision": one.revision, "at": time_text(one.at)}
    if one.results:
        told["results"] = [taken(each, each.row) for each in one.results]
    elif one.count:  # too many to be listed
        told["count"] = one.count
    if one.replayed:
        told["replayed"] = True
    return told


def taken(one: Taken, row: int) -> dict[str, Any]:
    """What became of one row."""
    told: dict[str, Any] = {"row": row, "status": one.status}
    if one.id is not None:
        told["id"] = one.id
    if one.error is not None:
        told["error"] = {"code": one.error.code, "message": one.error.message}
        if one.error.field is not None:
            told["error"]["field"] = one.error.field
    return told


def outlook(one: Outlook) -> dict[str, Any]:
    """Everyone who would move, by category, under their own names."""
    told: dict[str, Any] = {"preview": True, "kind": one.kind, "revision": one.revision}
    if len(one.results) < one.count:
        told["count"] = one.count
    name = one.names.__getitem__
    return told | {
        "results": [taken(each, each.row) for each in one.results],
        "categories": {key: _preview(name, each) for key, each in one.previews.items()},
    }


def _preview(name: Namer, one: Preview) -> dict[str, Any]:
    return {
        "games_before": one.games_before,
        "games_after": one.games_after,
        "replayed": one.replayed,
        "leader_changed": one.leader_changed,
        "trouble": one.trouble,
        "interim": one.interim,
        "movers": [mover._asdict() | {"player": name(mover.player)} for mover in one.movers],
    }
