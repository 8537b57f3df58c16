"""Routes of the write acts, made from the table `prowess.live.journal.acts.ACTS`.

The fields of an act come from the path, the query and the body, by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import Parameter, Signature, cleandoc
from typing import Annotated, Any, NamedTuple, cast

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from prowess.live.api.calls import (
    Call,
    CategoryKey,
    JsonResponse,
    KeyHeader,
    LookAlikes,
    Number,
    Player,
    Preview,
    build_router,
    require_scope,
)
from prowess.live.api.category_view import serialize_player
from prowess.live.api.encoding import parse_time
from prowess.live.api.models import BODY_NAMES, SentReason, make_body
from prowess.live.api.serializers import (
    CategoryJson,
    OutlookJson,
    ReceiptJson,
    ResultVersionsJson,
    serialize_category,
    serialize_commit,
    serialize_versions,
)
from prowess.live.api.write_request import WriteRequest
from prowess.live.errors import Refused
from prowess.live.journal.acts import ACTS, MOMENTS, Act, WriteRoute
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.unit_of_work import CommitResult
from prowess.live.store.visibility import find_visible_versions

REASON = Annotated[str | None, Query(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]
NO_REASON = SentReason()


# Responses to a committed act.


def _answer_result(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The current result with all its versions."""
    number = act.result if hasattr(act, "result") else act.results[0]
    with write.call.journal.store.read() as connection:
        found = find_visible_versions(connection, number, write.call.actor)
    headers = {"ETag": f'"v{found[-1].result.revision}"'}
    data = serialize_versions(write.call.journal, found)
    return JsonResponse(data, headers=headers)


def _answer_receipt(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The commit."""
    return JsonResponse(serialize_commit(done))


def _answer_category(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The category, with its Location if it is new."""
    new = isinstance(act, NewCategory)
    key = getattr(act, "key", None) or act.category
    data = serialize_category(write.call.journal, write.call.journal.category(key))
    data |= {"revision": done.revision}
    if not new:
        return JsonResponse(data)
    headers = {"Location": f"/api/v1/categories/{key}"}
    return JsonResponse(data, status_code=201, headers=headers)


def _answer_created(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The commit, with the Location of the season or list."""
    c, path = write.call.request.path_params["c"], write.call.request.scope["route"].path
    address = f"/api/v1/categories/{c}/{path.rpartition('/')[2]}"
    if path.endswith("lists"):
        address += f"/{act.key}"
    data = serialize_commit(done)
    return JsonResponse(data, status_code=201, headers={"Location": address})


def _answer_player(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The commit, with the player's names and categories."""
    data = serialize_commit(done)
    number = write.player
    if number is not None:
        number = write.call.journal.registry.people.canonical(number)
        data["player"] = serialize_player(write.call.journal, number)
    return JsonResponse(data)


class Reply(NamedTuple):
    """How a committed act is answered, and the form of it."""

    answer: Callable[[WriteRequest, Any, CommitResult], Response]
    form: Any


REPLIES = {  # by `WriteRoute.answers`
    "result": Reply(_answer_result, ResultVersionsJson),
    "receipt": Reply(_answer_receipt, ReceiptJson),
    "category": Reply(_answer_category, CategoryJson),
    "created": Reply(_answer_created, ReceiptJson),
    "player": Reply(_answer_player, ReceiptJson),
}


SENT_BODIES: dict[str, Any] = {"Reason": SentReason}  # by `WriteRoute.body`
IN_PATH: dict[str, tuple[Any, str]] = {  # path parameter: type, and field of the act
    "number": (Number, "result"),
    "c": (CategoryKey, "category"),
    "player": (Player, "player"),
    "fixture": (Number, "fixture"),
}


def fill_act(model: type[Any], sent: Any, given: dict[str, Any]) -> Any:
    """Build an act from path and query values (`given`) and the body, field by field."""
    values: dict[str, Any] = {}
    for field in fields(model):
        name = field.name
        if name == "results":
            values[name] = (given["result"],)
        elif name == "submission":
            values[name] = sent.submission()
        elif name == "games":
            values[name] = tuple(one.planned_game() for one in sent.games)
        elif given.get(name) is not None:
            values[name] = given[name]
        else:
            value = getattr(sent, BODY_NAMES.get(name, name), None)
            if name in MOMENTS and value is not None:
                value = parse_time(value, end_of_day=MOMENTS[name])
            if value is not None or field.default is MISSING:
                values[name] = tuple(value) if isinstance(value, list) else value
    return model(**values)


def add_write_route(router: APIRouter, act: Act, row: WriteRoute) -> None:
    """Add the route of one act, with parameters derived from the fields of the act and the row."""
    reply = REPLIES[row.answers]
    named = {field.name for field in fields(cast("Any", act.model))}
    in_path = re.findall(r"\{(\w+)\}", row.path)
    if row.body not in SENT_BODIES:
        given = {*(IN_PATH[name][1] for name in in_path), "results", "look_alikes"}
        SENT_BODIES[row.body] = make_body(f"Sent{row.body}", act.model, given)
    body = SENT_BODIES[row.body]

    def endpoint(**asked: Any) -> Response:
        sent, preview = asked["sent"], asked.get("preview", False)
        call: Call = asked["call"]
        given = {IN_PATH[name][1]: asked[name] for name in in_path}
        if "c" in in_path:
            given["category"] = call.journal.category(asked["c"]).key
        reason = asked.get("reason")
        if reason is not None and sent.reason not in (None, reason):
            raise Refused.of("two_reasons", field="reason")
        given |= {"reason": reason or None, "look_alikes": asked.get("look_alikes")}
        player = getattr(sent, "into", asked.get("player"))
        write = WriteRequest(
            call,
            asked.get("key"),
            None if player is None else call.journal.registry.people.number_of(player),
        )
        entry, result = fill_act(act.model, sent, given), given.get("result")
        if preview:
            return write.preview(entry, result)
        return reply.answer(write, entry, write.commit(entry, result))

    parameters: list[tuple[str, Any, Any]] = [
        (name, IN_PATH[name][0], Parameter.empty) for name in in_path
    ]
    parameters.append(("sent", body, NO_REASON if body is SentReason else Parameter.empty))
    call = Annotated[Call, Depends(require_scope(*act.scopes))]
    parameters.append(("call", call, Parameter.empty))
    if row.method == "DELETE":
        parameters.append(("reason", REASON, None))
    if act.preview:
        parameters.append(("preview", Preview, False))
    if "look_alikes" in named:
        parameters.append(("look_alikes", LookAlikes, False))
    if row.method == "POST":
        parameters.append(("key", KeyHeader, None))
    endpoint.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)
            for name, kind, default in parameters
        ]
    )
    tag = "corrections" if "results" in row.path else row.path.split("/")[1]
    router.add_api_route(
        row.path,
        endpoint,
        methods=[row.method],
        name=row.operation or act.name,
        summary=row.summary or act.title,
        description=cleandoc(row.about),
        response_model=reply.form | OutlookJson if act.preview else reply.form,
        status_code=row.status,
        tags=[tag],
    )


router = build_router()
for _act in ACTS.values():
    if _act.route is not None:
        add_write_route(router, _act, _act.route)
