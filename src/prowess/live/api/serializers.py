"""What answers look like, for the description of the API only: nothing is checked against it.

Every name that is always there is required; further ones may come. A number that is not finite is
told as null.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

from fastapi import FastAPI

from prowess.live.api.encoding import format_time
from prowess.live.api.parameters import READING
from prowess.live.facts import Member, Side
from prowess.live.journal.journal import Journal
from prowess.live.journal.outcomes import CommitResult, PreviewResult, RowStatus
from prowess.live.journal.registry import Category
from prowess.live.ladder import Preview, shown
from prowess.live.store.queries import ResultRow, ResultVersion, RevisionRow

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
ANY: Schema = {"type": "object"}
TIME: Schema = {"type": "string", "format": "date-time"}


def maybe(one: Schema) -> Schema:
    """It, or null."""
    return {"anyOf": [one, {"type": "null"}]}


def many(one: Schema) -> Schema:
    """An array."""
    return {"type": "array", "items": one}


def named(one: Schema) -> Schema:
    """Values by name."""
    return {"type": "object", "additionalProperties": one}


def of(name: str) -> Schema:
    """A schema of this file by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def thing(always: Schema, sometimes: Schema | None = None) -> Schema:
    """An object: what is always there, and what is there where it applies."""
    return {
        "type": "object",
        "required": list(always),
        "properties": always | (sometimes or {}),
    }


def page(row: Schema, more: Schema | None = None) -> Schema:
    """Rows of a list; `next` is the address of the next page."""
    rows = {"items": many(row), "next": maybe(TEXT)}
    return thing({"revision": WHOLE, **(more or {}), **rows})


def choice(*names: str) -> Schema:
    """One of several."""
    return {"anyOf": [of(name) for name in names]}


VALUE = maybe(NUMBER)
FIT = {"waiting": WHOLE, "trouble": maybe(TEXT), "interim": FLAG}
HEAD = {
    "category": TEXT,
    "system": TEXT,
    "params": ANY,
    "period": maybe(TEXT),
    "since": WHOLE,
    "as_of": maybe(TIME),
    "games": WHOLE,
    "applied": WHOLE,
    **FIT,
}
SEEN = HEAD | {"revision": WHOLE}
RECORD = thing({"wins": WHOLE, "draws": WHOLE, "losses": WHOLE})
BETWEEN = thing({"low": VALUE, "high": VALUE, "level": NUMBER})
STANDING = {
    "player": TEXT,
    "rating": VALUE,
    "values": named(VALUE),
    "games": WHOLE,
    "record": maybe(RECORD),
    "last_played": maybe(TEXT),
    "provisional": FLAG,
    "inactive": FLAG,
    "interval": maybe(BETWEEN),
    "rank_interval": maybe(BETWEEN),
}
MEMBER = {"anyOf": [TEXT, thing({"player": TEXT, "share": NUMBER})]}
STEP = {
    "result": maybe(WHOLE),
    "number": WHOLE,
    "date": maybe(TEXT),
    "opponents": many(thing({"players": many(MEMBER), "rating": VALUE}, {"player": TEXT})),
    "partners": many(MEMBER),
    "score": VALUE,
    "expected": VALUE,
    "before": VALUE,
    "after": VALUE,
    "change": VALUE,
    "terms": named(VALUE),
    "values": named(VALUE),
}
TEAM = {"anyOf": [TEXT, many(TEXT)]}
SIDE = thing({"players": many(MEMBER)}, dict.fromkeys(("score", "place", "points"), NUMBER))
RESULT = {
    "id": WHOLE,
    "category": TEXT,
    "state": {"enum": ["counts", "held", "void", "rejected"]},
    "time": TIME,
    "sides": many(SIDE),
    "weight": NUMBER,
    "source": TEXT,
    "revision": WHOLE,
}
SAID = {
    "player_a": TEXT,
    "player_b": TEXT,
    **dict.fromkeys(("score", "side", "margin", "length", "points_a", "points_b"), NUMBER),
    "placings": many(thing({"player": TEXT, "place": NUMBER}, {"points": NUMBER})),
    "facts": named({"anyOf": [NUMBER, TEXT]}),
    "round": TEXT,
    "external_id": TEXT,
}
CHANGE = {
    "revision": WHOLE,
    "at": TIME,
    "kind": TEXT,
    "category": maybe(TEXT),
    "by": maybe(TEXT),
    "token": maybe(WHOLE),
    "reason": maybe(TEXT),
    "detail": ANY,
}
FAULT = thing({"code": TEXT, "message": TEXT}, {"field": TEXT, "row": WHOLE})
RECEIPT = {"kind": TEXT, "revision": WHOLE, "at": TIME}
MOVER = thing(
    {
        "player": TEXT,
        "before": maybe(named(VALUE)),
        "after": maybe(named(VALUE)),
        "rank_before": maybe(WHOLE),
        "rank_after": maybe(WHOLE),
    }
)
MOVING = {
    "games_before": WHOLE,
    "games_after": WHOLE,
    "replayed": WHOLE,
    "leader_changed": FLAG,
    "trouble": maybe(TEXT),
    "interim": FLAG,
    "movers": many(MOVER),
}
CATEGORY = {
    "key": TEXT,
    "name": TEXT,
    "kind": {"enum": ["games", "contests"]},
    "system": TEXT,
    "params": ANY,
    "period": maybe(TEXT),
    "extra": many(TEXT),
    "provisional_games": WHOLE,
    "inactive_days": WHOLE,
    "side_size": WHOLE,
    "since": WHOLE,
    "games": WHOLE,
    "applied": WHOLE,
    **FIT,
}
PERSON = {
    "revision": WHOLE,
    "player": TEXT,
    "aliases": many(TEXT),
    "categories": many(thing({"category": TEXT, "rating": VALUE, "games": WHOLE, **FIT})),
}
LIST = {
    "key": TEXT,
    "name": TEXT,
    "as_of": maybe(TIME),
    "known_at": WHOLE,
    "revision": WHOLE,
    "method": ANY,
}
TALLY = {
    "a": TEXT,
    "b": TEXT,
    "games": WHOLE,
    "battles": NUMBER,
    "record": RECORD,
    "score": VALUE,
    "interval": maybe(BETWEEN),
    "expected": VALUE,
    "surplus": VALUE,
}
TOKEN = {
    "id": WHOLE,
    "name": TEXT,
    "start": TEXT,
    "scopes": many(TEXT),
    "source": maybe(TEXT),
    "review": FLAG,
    "created": TIME,
    "expires": maybe(TIME),
    "revoked": maybe(TIME),
}
WEBHOOK = {
    "id": WHOLE,
    "url": TEXT,
    "events": many(TEXT),
    "shape": TEXT,
    "created": TIME,
    "stopped": maybe(TIME),
}
SECRET = {"secret": maybe(TEXT), "note": TEXT}
DELIVERY = {
    "id": WHOLE,
    "revision": WHOLE,
    "attempts": WHOLE,
    "next_at": maybe(TIME),
    "outcome": maybe(TEXT),
}
NOTED = {
    "id": WHOLE,
    "at": TIME,
    "token_id": maybe(WHOLE),
    "name": maybe(TEXT),
    "action": TEXT,
    "target": TEXT,
    "outcome": TEXT,
    "address": maybe(TEXT),
    "request_id": maybe(TEXT),
}
WISH = {
    "player": TEXT,
    "opponent": TEXT,
    "battles": NUMBER,
    "expected": VALUE,
    "worth": VALUE,
    "why": TEXT,
}
STAKE = {"result": TEXT, "player": named(VALUE), "opponent": named(VALUE)}
OUTLOOK = {"preview": FLAG, "kind": TEXT, "revision": WHOLE}

SCHEMAS: dict[str, Schema] = {
    "Taken": thing({"row": WHOLE, "status": TEXT}, {"id": WHOLE, "error": FAULT}),
    "Result": thing(RESULT, SAID),
    "ResultPage": page(of("Result")),
    "ResultVersions": thing(
        RESULT | {"versions": many(thing(RESULT | {"change": thing(CHANGE)}, SAID))}, SAID
    ),
    "Reported": thing(
        {"id": WHOLE, "status": TEXT, "revision": WHOLE, "result": of("Result")}
        | {"applied": FLAG, **FIT, "ratings": named(named(VALUE))}
    ),
    "Receipt": thing(
        RECEIPT,
        {"results": many(of("Taken")), "count": WHOLE, "replayed": FLAG, "dry_run": FLAG}
        | {"player": of("Person")},
    ),
    "Batch": thing(
        {"kind": TEXT, "revision": WHOLE, "dry_run": FLAG, "replayed": FLAG}
        | {"counts": named(WHOLE), "results": many(of("Taken"))}
    ),
    "Outlook": thing(
        OUTLOOK | {"results": many(of("Taken")), "categories": named(thing(MOVING))},
        {"count": WHOLE},
    ),
    "Category": thing(CATEGORY | {"revision": WHOLE}),
    "CategoryPage": page(thing(CATEGORY)),
    "Leaderboard": page(thing({"rank": WHOLE} | STANDING), HEAD),
    "Standing": thing(
        SEEN
        | STANDING
        | {"rank": maybe(WHOLE), "percentile": VALUE, "of": WHOLE, "peak": maybe(ANY)}
    ),
    "History": page(thing(STEP), HEAD | {"player": TEXT}),
    "Why": thing(
        {"revision": WHOLE, "category": TEXT, "result": WHOLE}
        | {"players": many(thing(STEP | {"player": TEXT}))}
    ),
    "HeadToHead": thing(SEEN | TALLY | {"by_side": named(ANY), "list": many(ANY)}),
    "Pairings": page(ANY, HEAD),
    "Forecast": thing(
        SEEN
        | {"a": TEAM, "b": TEAM, "side": NUMBER, "expected": VALUE, "win": VALUE}
        | {"draw": VALUE, "loss": VALUE}
    ),
    "Assessment": thing(
        SEEN | {"player": TEXT, "opponent": TEXT, "side": NUMBER, "changes": many(thing(STAKE))}
    ),
    "Next": page(thing(WISH), HEAD | {"goal": TEXT}),
    "Calibration": thing(SEEN | {"judged": WHOLE, "scores": ANY, "bins": many(ANY)}),
    "Person": thing(PERSON),
    "PlayerPage": page(thing({"player": TEXT, "anonymous": FLAG})),
    "SeasonPage": page(thing({"key": TEXT, "name": TEXT, "starts": TIME, "ends": TIME})),
    "ListPage": page(thing(LIST)),
    "List": page(thing({"rank": WHOLE, "player": TEXT}), {"list": thing(LIST)}),
    "Token": thing(TOKEN),
    "NewToken": thing(TOKEN | SECRET),
    "TokenPage": page(thing(TOKEN)),
    "Webhook": thing(WEBHOOK),
    "NewWebhook": thing(WEBHOOK | SECRET),
    "WebhookPage": page(thing(WEBHOOK)),
    "DeliveryPage": page(thing(DELIVERY)),
    "AuditPage": page(thing(NOTED)),
    "RevisionPage": page(thing(CHANGE)),
    "Problem": thing(
        {"type": TEXT, "title": TEXT, "status": WHOLE, "detail": TEXT, "code": TEXT}
        | {"request_id": TEXT},
        {"errors": many(FAULT), "errors_total": WHOLE},
    ),
}


# Rows of the store, receipts and previews as plain data for clients.


GAME = ("score", "side", "margin", "length", "points_a", "points_b")
RESULT_COLUMNS = (
    "id", "category", "state", "time", "player_a", "player_b", *GAME, "weight", "round", "source",
    "external_id", "revision",
)  # fmt: skip
Namer = Callable[[int], str]


def namer(desk: Journal) -> Namer:
    """From a player's number, as entered, to what the player is called today."""
    people = desk.registry.people

    def name(number: int) -> str:
        canonical = people.canonical(number)
        shown = people.shown.get(canonical)
        return f"player {number}" if shown is None else shown

    return name


def result(desk: Journal, row: ResultRow) -> dict[str, Any]:
    """A result as one of its versions says it; what does not apply is left out."""
    name = namer(desk)
    told: dict[str, Any] = {
        "id": row.id,
        "category": desk.registry.category_numbered(row.category).key,
        "state": row.state,
        "time": format_time(row.time),
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


def versions(desk: Journal, told: Sequence[ResultVersion]) -> dict[str, Any]:
    """A result with everything it ever said, the first version first."""
    return result(desk, told[-1].result) | {
        "versions": [
            result(desk, one.result) | {"change": revision(desk, one.revision)} for one in told
        ]
    }


def revision(desk: Journal, row: RevisionRow) -> dict[str, Any]:
    """A change of the facts: when, what kind, by whom, and why."""
    key = None if row.category is None else desk.registry.category_numbered(row.category).key
    return {
        "revision": row.id,
        "at": format_time(row.at),
        "kind": row.kind,
        "category": key,
        "by": row.name,
        "token": row.token_id,
        "reason": row.reason,
        "detail": row.detail,
    }


def category(desk: Journal, one: Category) -> dict[str, Any]:
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


def receipt(one: CommitResult) -> dict[str, Any]:
    """What was taken, and the revision from which on it is in effect."""
    told: dict[str, Any] = {"kind": one.kind, "revision": one.revision, "at": format_time(one.at)}
    if one.results:
        told["results"] = [taken(each, each.row) for each in one.results]
    elif one.count:  # too many to be listed
        told["count"] = one.count
    if one.replayed:
        told["replayed"] = True
    return told


def taken(one: RowStatus, row: int) -> dict[str, Any]:
    """What became of one row."""
    told: dict[str, Any] = {"row": row, "status": one.status}
    if one.id is not None:
        told["id"] = one.id
    if one.error is not None:
        told["error"] = {"code": one.error.code, "message": one.error.message}
        if one.error.field is not None:
            told["error"]["field"] = one.error.field
    return told


def outlook(one: PreviewResult) -> dict[str, Any]:
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


# The description of the API: a summary of every operation, and what its answers look like.


PREFIX = "/api/v1"
JSON = "application/json"
RATED, NAMED, ONE = "/categories/{c}", "/players/{player}", "/results/{number}"
OPERATIONS: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {  # summary; schemas of answers
    ("post", "/results"): ("Report one result", ("Reported", "Receipt")),
    ("post", "/results:batch"): ("Report many results", ("Batch",)),
    ("get", "/results"): ("List results", ("ResultPage",)),
    ("get", ONE): ("Show a result with all its versions", ("ResultVersions",)),
    ("put", ONE): ("Correct a result", ("ResultVersions", "Outlook")),
    ("delete", ONE): ("Make a result void", ("ResultVersions", "Outlook")),
    ("post", f"{ONE}:restore"): ("Restore a result", ("ResultVersions", "Outlook")),
    ("post", f"{ONE}:accept"): ("Accept a held result", ("ResultVersions", "Outlook")),
    ("post", f"{ONE}:reject"): ("Reject a held result", ("ResultVersions", "Outlook")),
    ("post", "/results:void"): ("Make many results void", ("Receipt", "Outlook")),
    ("post", "/results:restore"): ("Restore what one entry made void", ("Receipt", "Outlook")),
    ("get", "/categories"): ("List categories", ("CategoryPage",)),
    ("post", "/categories"): ("Make a category", ("Category",)),
    ("get", RATED): ("Show a category", ("Category",)),
    ("patch", RATED): ("Change how a category is rated", ("Category", "Outlook")),
    ("get", f"{RATED}/seasons"): ("List seasons", ("SeasonPage",)),
    ("post", f"{RATED}/seasons"): ("Make a season", ("Receipt",)),
    ("get", f"{RATED}/lists"): ("List what was published", ("ListPage",)),
    ("post", f"{RATED}/lists"): ("Publish the leaderboard as a list", ("Receipt",)),
    ("get", f"{RATED}/lists/{{key}}"): ("Show a published list", ("List",)),
    ("get", f"{RATED}/leaderboard"): ("Show the leaderboard", ("Leaderboard",)),
    ("get", f"{RATED}{NAMED}"): ("Show a player's rating", ("Standing",)),
    ("get", f"{RATED}{NAMED}/history"): ("List a player's results, explained", ("History",)),
    ("get", f"{RATED}/why/{{number}}"): ("Explain what a result changed", ("Why",)),
    ("get", f"{RATED}/head-to-head"): ("Compare two players by their games", ("HeadToHead",)),
    ("get", f"{RATED}/pairings"): ("List pairs that met", ("Pairings",)),
    ("get", f"{RATED}/forecast"): ("Forecast a game", ("Forecast",)),
    ("get", f"{RATED}/assess"): ("Show what a game would change", ("Assessment",)),
    ("get", f"{RATED}/next"): ("List games worth playing next", ("Next",)),
    ("get", f"{RATED}/calibration"): ("Judge past forecasts", ("Calibration",)),
    ("get", "/players"): ("List players", ("PlayerPage",)),
    ("get", NAMED): ("Show a player", ("Person",)),
    ("post", f"{NAMED}:rename"): ("Rename a player", ("Receipt",)),
    ("post", f"{NAMED}:alias"): ("Give a player a further name", ("Receipt",)),
    ("post", f"{NAMED}:merge"): ("Merge two players", ("Receipt", "Outlook")),
    ("post", f"{NAMED}:split"): ("Undo a merger", ("Receipt", "Outlook")),
    ("post", f"{NAMED}:anonymise"): ("Forget a player's names", ("Receipt",)),
    ("get", "/revisions"): ("List every change", ("RevisionPage",)),
    ("get", "/events"): ("Follow events as they happen", ()),
    ("get", "/export"): ("Export a category as a table", ()),
    ("get", "/tokens"): ("List tokens", ("TokenPage",)),
    ("post", "/tokens"): ("Make a token", ("NewToken",)),
    ("get", "/tokens/{number}"): ("Show a token", ("Token",)),
    ("delete", "/tokens/{number}"): ("Revoke a token", ("Token",)),
    ("get", "/webhooks"): ("List webhooks", ("WebhookPage",)),
    ("post", "/webhooks"): ("Make a webhook", ("NewWebhook",)),
    ("get", "/webhooks/{number}"): ("Show a webhook", ("Webhook",)),
    ("delete", "/webhooks/{number}"): ("Stop a webhook", ("Webhook",)),
    ("get", "/webhooks/{number}/deliveries"): ("List what was sent", ("DeliveryPage",)),
    ("get", "/audit"): ("Read the audit log", ("AuditPage",)),
}


class Described(FastAPI):
    """Its schema says what answers look like, and where reading needs no token."""

    private = False

    def openapi(self) -> dict[str, Any]:
        """See FastAPI."""
        if self.openapi_schema is None:
            schema = super().openapi()
            schema["components"]["schemas"] |= SCHEMAS
            for path, methods in schema["paths"].items():
                for method, operation in methods.items():
                    describe(operation, *OPERATIONS[method, path.removeprefix(PREFIX)])
                    if not self.private and {READING.scheme_name: []} in operation["security"]:
                        operation["security"].append({})
        return super().openapi()


def describe(operation: dict[str, Any], summary: str, names: tuple[str, ...]) -> None:
    """Write a summary and the schemas of what succeeds into an operation."""
    operation["summary"] = summary
    if names:
        schema = of(names[0]) if len(names) == 1 else choice(*names)
        for status, answer in operation["responses"].items():
            if status.startswith("2"):
                answer.setdefault("content", {})[JSON] = {"schema": schema}
