"""Routes of the write acts, made from the table `WRITES`.

`WRITES` adds to the acts of `prowess.live.journal.acts` what HTTP needs: method, path, body and
response. The fields of an act come from the path, the query and the body, by name. The act itself
defines its scope and whether it has a preview.
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
    KeyHeader,
    LookAlikes,
    Number,
    Player,
    Preview,
    json_response,
    require_scope,
)
from prowess.live.api.category_view import serialize_player
from prowess.live.api.encoding import HttpProblem, parse_time
from prowess.live.api.models import (
    RequestBody,
    SentCategory,
    SentCategoryName,
    SentCorrection,
    SentList,
    SentMerger,
    SentMethod,
    SentName,
    SentPlayers,
    SentReason,
    SentRestore,
    SentSeason,
    SentSite,
    SentVoid,
)
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
from prowess.live.journal.acts import ACTS
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.unit_of_work import CommitResult
from prowess.live.store import queries
from prowess.live.store.visibility import select_visible_versions

ENDS = ("until", "ends")  # a date here is its last moment
TIME_ARGUMENTS = (*ENDS, "since", "starts")
REASON = Annotated[str | None, Query(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]
NO_REASON = SentReason()


# Responses to a committed act.


def _answer_result(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The current result with all its versions."""
    number = act.result if hasattr(act, "result") else act.results[0]
    with write.call.journal.store.read() as connection:
        found = select_visible_versions(
            connection, queries.find_versions(connection, number), write.call.actor
        )
    headers = {"ETag": f'"v{found[-1].result.revision}"'}
    data = serialize_versions(write.call.journal, found)
    return json_response(data, headers=headers)


def _answer_receipt(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The commit."""
    return json_response(serialize_commit(done))


def _answer_category(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The category, with its Location if it is new."""
    new = isinstance(act, NewCategory)
    key = getattr(act, "key", None) or act.category
    data = serialize_category(write.call.journal, write.call.journal.category(key))
    data |= {"revision": done.revision}
    if not new:
        return json_response(data)
    headers = {"Location": f"/api/v1/categories/{key}"}
    return json_response(data, status=201, headers=headers)


def _answer_created(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The commit, with the Location of the season or list."""
    c, path = write.call.request.path_params["c"], write.call.request.scope["route"].path
    address = f"/api/v1/categories/{c}/{path.rpartition('/')[2]}"
    if path.endswith("lists"):
        address += f"/{act.key}"
    data = serialize_commit(done)
    return json_response(data, status=201, headers={"Location": address})


def _answer_player(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The commit, with the player's names and categories."""
    data = serialize_commit(done)
    number = write.player
    if number is not None:
        number = write.call.journal.registry.people.canonical(number)
        data["player"] = serialize_player(write.call.journal, number)
    return json_response(data)


REPLIES: dict[Any, Any] = {
    _answer_result: ResultVersionsJson,
    _answer_receipt: ReceiptJson,
    _answer_category: CategoryJson,
    _answer_created: ReceiptJson,
    _answer_player: ReceiptJson,
}


class WriteRoute(NamedTuple):
    """The route of one act; `about` is the description of the operation."""

    act: str  # in ACTS
    summary: str
    method: str
    path: str
    sent: type[RequestBody]  # the body
    answer: Callable[[WriteRequest, Any, CommitResult], Response]
    about: str
    status: int = 200
    name: str = ""  # of the operation, unless it is that of the act


RESULT, CATEGORY, PLAYER = "/results/{number}", "/categories/{c}", "/players/{player}"
WRITES = (
    WriteRoute(
        "correct", "Correct a result",
        "PUT", RESULT, SentCorrection, _answer_result,
        """Replace the content of a result; the old version stays on record.

        Fields that are left out are reset: no round, no side, weight 1. Only the time stays,
        because a result without one would move to the present; category, source and external
        number cannot change.

        Who entered a result may correct and strike it for an hour with the scope `submit`, with
        the same token and unless somebody else has changed it; later keepers do.

        With If-Match and the ETag of the result, only if it has not changed since; with the ETag
        of a preview, only if nothing was entered since.
        """,
    ),
    WriteRoute(
        "void", "Make a result void",
        "DELETE", RESULT, SentReason, _answer_result,
        """Make a result void: it no longer counts, stays on record and can be restored.

        Give the reason in the body or in the query.
        """,
    ),
    WriteRoute(
        "restore", "Restore a result",
        "POST", f"{RESULT}:restore", SentReason, _answer_result,
        "Restore a void or rejected result: it counts again.",
    ),
    WriteRoute(
        "accept", "Accept a held result",
        "POST", f"{RESULT}:accept", SentReason, _answer_result,
        "Accept a held result: it counts from now on.",
    ),
    WriteRoute(
        "reject", "Reject a held result",
        "POST", f"{RESULT}:reject", SentReason, _answer_result,
        "Reject a held result.",
    ),
    WriteRoute(
        "void_where", "Make many results void",
        "POST", "/results:void", SentVoid, _answer_receipt,
        "Make all results of a player, a source or a time span void, as one revision.",
        name="void_many",
    ),
    WriteRoute(
        "restore_where", "Restore what one entry made void",
        "POST", "/results:restore", SentRestore, _answer_receipt,
        "Restore all results that one entry made void and that are still void, as one revision.",
        name="restore_many",
    ),
    WriteRoute(
        "new_category", "Make a category",
        "POST", "/categories", SentCategory, _answer_category,
        "Make a category with its ladder.", 201,
        name="create",
    ),
    WriteRoute(
        "change_method", "Change how a category is rated",
        "PATCH", CATEGORY, SentMethod, _answer_category,
        "Rate a category by another system or other parameters; all results are replayed.",
        name="change",
    ),
    WriteRoute(
        "rename_category", "Rename a category",
        "POST", f"{CATEGORY}:rename", SentCategoryName, _answer_category,
        """Give a category another name, another key, another icon, or all of them.

        A former key still leads to it: GET answers 301, writes take it as it is.
        """,
    ),
    WriteRoute(
        "add_players", "Add players",
        "POST", f"{CATEGORY}/players", SentPlayers, _answer_receipt,
        """Add players to a category, also before their first game; an unknown name makes a player.

        `players` is how many were added. Who is there already is not added again; if all are,
        409 `nothing_changes`.
        """,
    ),
    WriteRoute(
        "change_site", "Change the site",
        "PUT", "/site", SentSite, _answer_receipt,
        """
        Give the whole site another name, accent colour, logo or words. What is left out stays as it
        is; an empty text takes it away. Words are plain text, in which addresses become links.
        """,
    ),
    WriteRoute(
        "new_season", "Make a season",
        "POST", f"{CATEGORY}/seasons", SentSeason, _answer_created,
        "Make a season.", 201,
    ),
    WriteRoute(
        "publish", "Publish the leaderboard as a list",
        "POST", f"{CATEGORY}/lists", SentList, _answer_created,
        "Publish the leaderboard as a list that never changes.", 201,
    ),
    WriteRoute(
        "rename", "Rename a player",
        "POST", f"{PLAYER}:rename", SentName, _answer_player,
        "Rename a player; the old name still leads to them.",
    ),
    WriteRoute(
        "alias", "Give a player a further name",
        "POST", f"{PLAYER}:alias", SentName, _answer_player,
        "Give a player a further name that leads to them.",
    ),
    WriteRoute(
        "merge", "Merge two players",
        "POST", f"{PLAYER}:merge", SentMerger, _answer_player,
        "Merge a player into another, who gets their results; a split undoes it.",
    ),
    WriteRoute(
        "split", "Undo a merger",
        "POST", f"{PLAYER}:split", SentReason, _answer_player,
        "Undo a merge: the player has a separate name and their results again.",
    ),
    WriteRoute(
        "anonymise", "Forget a player's names",
        "POST", f"{PLAYER}:anonymise", SentReason, _answer_player,
        "Forget a player's names for good; their results stay, under a pseudonym.",
    ),
)  # fmt: skip
IN_PATH: dict[str, tuple[Any, str]] = {  # path parameter: type, and field of the act
    "number": (Number, "result"),
    "c": (CategoryKey, "category"),
    "player": (Player, "player"),
}


def build_act(model: type[Any], sent: RequestBody, given: dict[str, Any]) -> Any:
    """Build an act from path and query values (`given`) and the body, field by field."""
    values: dict[str, Any] = {}
    for field in fields(model):
        name = field.name
        if name == "results":
            values[name] = (given["result"],)
        elif name == "submission":
            values[name] = cast("SentCorrection", sent).submission()
        elif given.get(name) is not None:
            values[name] = given[name]
        else:
            value = getattr(sent, "kind" if name == "plays" else name, None)
            if name in TIME_ARGUMENTS and value is not None:
                value = parse_time(value, end_of_day=name in ENDS)
            if value is not None or field.default is MISSING:
                values[name] = tuple(value) if isinstance(value, list) else value
    return model(**values)


def add_write_route(router: APIRouter, row: WriteRoute) -> None:
    """Add the route of one act, with parameters derived from the fields of the act and the row."""
    act = ACTS[row.act]
    named = {field.name for field in fields(cast("Any", act.model))}
    in_path = re.findall(r"\{(\w+)\}", row.path)

    def endpoint(**asked: Any) -> Response:
        sent, preview = asked["sent"], asked.get("preview", False)
        call: Call = asked["call"]
        given = {IN_PATH[name][1]: asked[name] for name in in_path}
        if "c" in in_path:
            given["category"] = call.journal.category(asked["c"]).key
        reason = asked.get("reason")
        if reason is not None and sent.reason not in (None, reason):
            message = "give one reason: body and query differ"
            raise HttpProblem(422, "two_reasons", message, field="reason")
        given |= {"reason": reason or None, "look_alikes": asked.get("look_alikes")}
        player = getattr(sent, "into", asked.get("player"))
        write = WriteRequest(
            call,
            asked.get("key"),
            None if player is None else call.journal.registry.people.number_of(player),
        )
        entry, result = build_act(act.model, sent, given), given.get("result")
        if preview:
            return write.preview(entry, result)
        return row.answer(write, entry, write.commit(entry, result))

    parameters: list[tuple[str, Any, Any]] = [
        (name, IN_PATH[name][0], Parameter.empty) for name in in_path
    ]
    parameters.append(("sent", row.sent, NO_REASON if row.sent is SentReason else Parameter.empty))
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
        name=row.name or row.act,
        summary=row.summary,
        description=cleandoc(row.about),
        response_model=REPLIES[row.answer] | OutlookJson if act.preview else REPLIES[row.answer],
        status_code=row.status,
        tags=[tag],
    )


router = APIRouter()
for _row in WRITES:
    add_write_route(router, _row)
