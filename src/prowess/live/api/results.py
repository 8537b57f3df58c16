"""Routes of results: report one or many, list them, show one with its versions."""

from __future__ import annotations

from asyncio import wrap_future
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Annotated, Any, Literal, NotRequired

from anyio import to_thread
from fastapi import Depends, Query, Request
from sqlalchemy import Connection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import TypedDict

from prowess.live.api.bulk import MOST_BAD, Body, ParsedRows, parse_rows, read_body
from prowess.live.api.calls import (
    JSON,
    KEY_FIELD,
    KEY_LETTERS,
    SUBMIT,
    Call,
    Cursor,
    DryRun,
    JsonResponse,
    KeyHeader,
    Limit,
    LookAlikes,
    Number,
    Reader,
    Submitter,
    Text,
    build_router,
    csv_route,
    read_page,
)
from prowess.live.api.category_view import find_player
from prowess.live.api.encoding import (
    DECODER,
    MOST_ERRORS,
    FieldFault,
    HttpProblem,
    Values,
    media_type,
)
from prowess.live.api.models import SentResult
from prowess.live.api.serializers import (
    RESULT_COLUMNS,
    FitJson,
    ReceiptJson,
    ResultJson,
    ResultVersionsJson,
    TakenJson,
    describe_page,
    serialize_commit,
    serialize_result,
    serialize_row,
    serialize_versions,
)
from prowess.live.api.turns import client_left
from prowess.live.api.write_request import answer_key
from prowess.live.errors import NotFound, Refused, RefusedMany, TooManyRefused
from prowess.live.journal.journal import Entry, Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.unit_of_work import ALREADY, RECORDED, REFUSED, SETTLED, CommitResult
from prowess.live.result import COUNTS, HELD, LiveResult
from prowess.live.store import queries
from prowess.live.store.access import Actor
from prowess.live.store.visibility import find_visible_versions, is_visible
from prowess.present.boards import VALUE_NAMES

router = build_router("results")
State = Literal["counts", "held", "void", "rejected"]
STATUS_CODES = {RECORDED: 201, HELD: 202, ALREADY: 200}
BODIES = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"type": "array", "items": {"$ref": "#/components/schemas/SentResult"}}
            },
            "application/x-ndjson": {"schema": {"type": "string"}},
            "text/csv": {"schema": {"type": "string"}},
        },
    }
}


class ReportedJson(FitJson):
    id: int
    status: str
    revision: int
    result: ResultJson
    applied: bool
    ratings: dict[str, Values]


class BatchJson(TypedDict):
    kind: str
    revision: int
    dry_run: bool
    replayed: bool
    counts: dict[str, int]
    settled: NotRequired[int]
    results: list[TakenJson]


@router.post(
    "/results",
    summary="Report one result",
    status_code=201,
    response_model=ReportedJson | ReceiptJson,
    responses={code: {"model": ReportedJson | ReceiptJson} for code in (200, 202)},
)
async def report(
    sent: SentResult,
    call: Submitter,
    dry_run: DryRun = False,
    look_alikes: LookAlikes = False,
    key: KeyHeader = None,
) -> Response:
    """Report one result: a game, or a contest. The response comes once it is durable.

    201 and `Location` for a new result, 202 if it waits for acceptance, 200 if it was reported
    before. An unknown name makes a new player; a name that looks like a known name (with a
    Cyrillic A), or mixes scripts in a word, is refused (409 `look_alike`, `mixed_scripts`) unless
    `look_alikes` is true. `ratings` are those of
    all players of the result, after this result if `applied` is true. `games` counts results; a
    value of the system with that name is `own_games`. A slow category answers with results
    `waiting`; `trouble` is why some cannot be rated, or a fit failed; with `interim`, `ratings` are
    those of the default dynamic system.
    """
    act = RecordResults((sent.submission(),), look_alikes=look_alikes)
    answer = None if key is None else answer_key(call, key)
    entry = Entry(act, call.actor, dry_run=dry_run, answer=answer)
    committed = await wrap_future(call.journal.submit(entry))
    (one,) = committed.results
    if dry_run:
        data = serialize_commit(committed) | {"dry_run": True}
        return JsonResponse(data | {"results": [{"row": 0, "status": one.status}]})
    assert one.id is not None
    if committed.entered:
        row = committed.entered[0]
    else:  # reported before
        row = await to_thread.run_sync(_find_result, call.journal, one.id)
    data = {
        "id": one.id,
        "status": one.status,
        "revision": committed.revision,
        "result": serialize_result(call.journal, row),
    }
    headers = {"Location": f"/api/v1/results/{one.id}", "ETag": f'"v{row.revision}"'}
    data |= _ratings_after(call.journal, row)
    return JsonResponse(data, status_code=STATUS_CODES[one.status], headers=headers)


REPORT_ROUTE: Any = router.routes[-1]  # as described


def _find_result(journal: Journal, number: int) -> LiveResult:
    """The current version of a result."""
    with journal.store.read() as connection:
        (row,) = queries.find_results(connection, [number])
    return row


class CleanReports:
    """The short way of `report` for what most reporters send: JSON without a fault, and no query.

    Anything else goes on to the described routes, which say what is wrong with it. `Middleware`
    calls it at once: the layers that FastAPI puts around routes take longer than a result.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.described = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a result; see ASGI."""
        state, parts, more = scope["state"], list[bytes](), True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise client_left()
            parts.append(message.get("body", b""))
            more = message.get("more_body", False)
        fields, actor, body, sent = state["fields"], state["actor"], b"".join(parts), None
        key, kind = fields.get(KEY_FIELD), media_type(fields.get("content-type", ""))
        fits = not scope["query_string"] and (key is None or 0 < len(key) <= KEY_LETTERS)
        if fits and actor is not None and actor.may(SUBMIT) and kind == JSON:
            with suppress(ValueError, RecursionError, Refused):
                sent = SentResult.model_validate(DECODER.decode(body.decode()))
        if sent is None:
            whole = iter([{"type": "http.request", "body": body, "more_body": False}])

            async def receive_again() -> Message:
                return next(whole, None) or await receive()

            await self.described(scope, receive_again, send)
            return
        scope["route"] = REPORT_ROUTE
        if key is not None:
            state["mark"] = sha256(body).hexdigest()
        request = Request(scope)
        answer = await report(sent, Call(request, scope["app"].state.journal, actor), key=key)
        await answer(scope, receive, send)


@router.post(
    "/results:batch",
    summary="Report many results",
    response_model=BatchJson,
    openapi_extra=BODIES,
    responses={207: {"model": BatchJson}},
)
def report_many(
    call: Submitter,
    body: Annotated[Body, Depends(read_body)],
    on_error: Annotated[
        Literal["stop", "skip"],
        Query(description="stop: all or nothing; skip: leave bad rows out."),
    ] = "stop",
    dry_run: DryRun = False,
    look_alikes: LookAlikes = False,
    key: KeyHeader = None,
) -> Response:
    """Report many results: a JSON array, JSON lines or CSV with a header of the field names.

    All are recorded or none; with `on_error=skip` bad rows are left out and listed (207), as long
    as they are fewer than 1,000. In CSV a contest has a row for each player (contest, player,
    place, points).
    """
    rows = parse_rows(body, call.request.state.settings)
    if rows.faults and (on_error == "stop" or not rows.submissions):
        entry = RecordResults(rows.submissions, "stop", look_alikes, MOST_BAD)
        refused = _find_refused_rows(call.journal, call.actor, entry, rows)
        raise _bad_rows((*rows.faults, *refused), rows.total)
    entry = RecordResults(rows.submissions, on_error, look_alikes, MOST_BAD)
    try:
        answer = answer_key(call, key, body.mark)
        committed = call.journal.commit(entry, call.actor, dry_run=dry_run, answer=answer)
    except Refused as error:
        renumber_rows(error, rows)
        if error.row is None and len(rows.numbers) == 1:
            error.row = rows.numbers[0]
        raise
    return _batch_response(call.request, committed, rows.numbers, rows.faults, dry_run)


@csv_route(
    router, "/results", "List results", describe_page("ResultPage", ResultJson), name="listing"
)
def list_results(
    call: Reader,
    category: Text = None,
    player: Text = None,
    state: State | None = None,
    source: Text = None,
    order: Literal["newest", "oldest"] = "newest",
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Results in order of entry; JSON or CSV.

    A result that waits for acceptance is listed for keepers and its reporter only.
    """
    chosen = None if category is None else call.journal.category(category).id
    people, newest = call.journal.registry.people, order == "newest"

    def read(connection: Connection, most: int, after: int | None) -> Sequence[Any]:
        one = None if player is None else find_player(call.journal, call.actor, player)
        group = () if one is None else people.group(one)
        return queries.list_results(
            connection, chosen, group, state, source, most, after, newest=newest,
            visible=is_visible(call.actor),
        )  # fmt: skip

    serialize = partial(serialize_result, call.journal)
    return read_page(call, limit, cursor, read, serialize, tagged=True, columns=RESULT_COLUMNS)


@router.get(
    "/results/{number}",
    name="one",
    summary="Show a result with all its versions",
    response_model=ResultVersionsJson,
)
def show_result(number: Number, call: Reader) -> Response:
    """One result with all its versions: content, time, actor and reason of each."""
    with call.journal.store.read() as connection:
        found = find_visible_versions(connection, number, call.actor)
    if not found:
        raise NotFound.of("no_such_result.here", number=number)
    # for If-Match only: names may change without a new version
    etag = f"v{found[-1].result.revision}"
    return JsonResponse(serialize_versions(call.journal, found), headers={"ETag": f'"{etag}"'})


def _ratings_after(journal: Journal, row: LiveResult) -> dict[str, Any]:
    """The ratings of the players of a result, and whether they include it."""
    category, people = journal.registry.categories[row.category], journal.registry.people
    players = [*dict.fromkeys(map(people.canonical, row.players))]
    view = journal.ladder(category.key).view_players(players)
    found = {
        people.shown[number]: {
            VALUE_NAMES.get(name, name): value for name, value in one.values.items()
        }
        | {"games": one.games}
        for number, one in view.known.items()
    }
    return {
        "applied": row.state == COUNTS and (view.applied is None or view.applied >= row.revision),
        "waiting": view.waiting,
        "trouble": view.trouble,
        "interim": view.interim,
        "ratings": found,
    }


def renumber_rows(error: Refused, rows: ParsedRows) -> None:
    """Give the rows of an error the numbers that they have in the body: those of submissions."""
    for one in error.errors if isinstance(error, RefusedMany) else ():
        one.row = None if one.row is None else rows.numbers[one.row]


def _find_refused_rows(
    journal: Journal, actor: Actor, entry: RecordResults, rows: ParsedRows
) -> list[FieldFault]:
    """The faults that the journal finds in the parsed rows; nothing is written."""
    if not rows.submissions:
        return []
    try:
        journal.commit(entry, actor, dry_run=True)
    except TooManyRefused as error:
        renumber_rows(error, rows)
        raise
    except Refused as error:
        every = error.errors if isinstance(error, RefusedMany) else (error,)
        return [
            FieldFault(one.code, one.message, one.field, rows.numbers[one.row or 0])
            for one in every
        ]
    return []


def _batch_response(
    request: Request,
    committed: CommitResult,
    numbers: tuple[int, ...],
    faults: Iterable[FieldFault],
    dry_run: bool,
) -> Response:
    rows = [serialize_row(one, numbers[one.row]) for one in committed.results]
    by_row: dict[int, FieldFault] = {}
    for fault in faults:
        by_row.setdefault(fault.row or 0, fault)
    rows += [
        {"row": row, "status": REFUSED, "error": fault._replace(row=None).as_dict()}
        for row, fault in by_row.items()
    ]
    rows.sort(key=lambda row: int(row["row"]))
    counts = dict.fromkeys((RECORDED, ALREADY, HELD, REFUSED), 0)
    for row in rows:
        counts[str(row["status"])] += 1
    if counts[REFUSED] == len(rows):
        wrong = [FieldFault(**({"row": row["row"]} | row["error"])) for row in rows]
        raise _bad_rows(wrong, len(rows))
    if dry_run:
        for row in rows:
            row.pop("id", None)
    data = {
        "kind": committed.kind,
        "revision": committed.revision,
        "dry_run": dry_run,
        "replayed": committed.replayed,
        "counts": counts,
        **{name: committed.numbers[name] for name in (SETTLED,) if name in committed.numbers},
        "results": rows,
    }
    return JsonResponse(data, status_code=207 if counts[REFUSED] else 200)


def _bad_rows(faults: Iterable[FieldFault], rows: int) -> HttpProblem:
    every = sorted(faults, key=lambda fault: fault.row or 0)
    count = len({fault.row for fault in every})
    message = f"{count:,} of {rows:,} rows are refused, so none was recorded; the first, {every[0]}"
    return HttpProblem(422, "bad_rows", message, every[:MOST_ERRORS])
