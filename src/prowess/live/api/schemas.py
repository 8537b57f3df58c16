"""What answers look like, for the description of the API only: nothing is checked against it.

Every name that is always there is required; further ones may come. A number that is not finite is
told as null.
"""

from __future__ import annotations

from typing import Any

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
