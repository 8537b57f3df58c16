"""What was reported and turned out otherwise. Every change can be previewed: nothing is lost."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from prowess.live.api import serializers
from prowess.live.api.encoding import parse_time
from prowess.live.api.entering import Entering
from prowess.live.api.models import SentCorrection, SentReason, SentRestore, SentVoid
from prowess.live.api.parameters import Corrector, TheDesk
from prowess.live.api.problems import Fault, Problem
from prowess.live.api.responses import KeyHeader, LookAlikes, Preview, json_response
from prowess.live.api.routes.results import Number
from prowess.live.journal.corrections import (
    Accept,
    Correct,
    Reject,
    Restore,
    RestoreWhere,
    Void,
    VoidWhere,
)
from prowess.live.journal.journal import Journal
from prowess.live.store import queries

router = APIRouter(tags=["corrections"])
Why = Annotated[str | None, Query(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]
Moved = Void | Restore | Accept | Reject
NO_REASON = SentReason()


@router.put("/results/{number}")
def correct(
    number: Number,
    sent: SentCorrection,
    request: Request,
    desk: TheDesk,
    actor: Corrector,
    preview: Preview = False,
    look_alikes: LookAlikes = False,
) -> Response:
    """Say what a result should have said, whole; the old version stays on record.

    What is left out is as if reported without it: no round, no side, weight 1. Only the time stays,
    because a result without one would move to the present moment; category, source and external
    number cannot change.

    With If-Match and the ETag of the result, only if nobody changed it since; with that of a
    preview, only if nothing at all was entered since.
    """
    entering = Entering(desk, request, actor)
    entry = Correct(number, sent.submission(), sent.reason, look_alikes)
    if preview:
        return entering.outlook(entry, number)
    entering.commit(entry, number)
    return now(desk, request, number)


@router.delete("/results/{number}")
def void(
    number: Number,
    request: Request,
    desk: TheDesk,
    actor: Corrector,
    sent: SentReason = NO_REASON,
    reason: Why = None,
    preview: Preview = False,
) -> Response:
    """Let a result count no longer; it stays on record and can be restored.

    The reason stands in the body or in the address, as a client can send it.
    """
    if reason is not None and sent.reason not in (None, reason):
        told = "give one reason: the body and the address say two"
        raise Problem(422, "two_reasons", told, [Fault("two_reasons", told, "reason")])
    entering = Entering(desk, request, actor)
    return moved(Void((number,), reason or sent.reason), entering, preview)


@router.post("/results/{number}:restore")
def restore(
    number: Number,
    request: Request,
    desk: TheDesk,
    actor: Corrector,
    sent: SentReason = NO_REASON,
    preview: Preview = False,
    key: KeyHeader = None,
) -> Response:
    """Let a void or rejected result count again."""
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    return moved(Restore((number,), sent.reason), entering, preview)


@router.post("/results/{number}:accept")
def accept(
    number: Number,
    request: Request,
    desk: TheDesk,
    actor: Corrector,
    sent: SentReason = NO_REASON,
    preview: Preview = False,
    key: KeyHeader = None,
) -> Response:
    """Let a held result count."""
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    return moved(Accept((number,), sent.reason), entering, preview)


@router.post("/results/{number}:reject")
def reject(
    number: Number,
    request: Request,
    desk: TheDesk,
    actor: Corrector,
    sent: SentReason = NO_REASON,
    preview: Preview = False,
    key: KeyHeader = None,
) -> Response:
    """Turn a held result down."""
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    return moved(Reject((number,), sent.reason), entering, preview)


@router.post("/results:void")
def void_many(
    sent: SentVoid,
    request: Request,
    desk: TheDesk,
    actor: Corrector,
    preview: Preview = False,
    key: KeyHeader = None,
) -> Response:
    """Let all results of a player, a source or a span of time count no longer: one revision."""
    entry = VoidWhere(
        sent.category,
        sent.player,
        sent.source,
        None if sent.since is None else parse_time(sent.since),
        None if sent.until is None else parse_time(sent.until, end_of_day=True),
        sent.reason,
    )
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    if preview:
        return entering.outlook(entry)
    return json_response(request, serializers.receipt(entering.commit(entry)))


@router.post("/results:restore")
def restore_many(
    sent: SentRestore,
    request: Request,
    desk: TheDesk,
    actor: Corrector,
    preview: Preview = False,
    key: KeyHeader = None,
) -> Response:
    """Let everything count again that one entry made void, and is so still: one revision."""
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    entry = RestoreWhere(sent.revision, sent.reason)
    if preview:
        return entering.outlook(entry)
    return json_response(request, serializers.receipt(entering.commit(entry)))


def moved(entry: Moved, entering: Entering, preview: bool) -> Response:
    """Preview or commit a change of one result's state."""
    (number,) = entry.results
    if preview:
        return entering.outlook(entry, result=number)
    entering.commit(entry, number)
    return now(entering.desk, entering.request, number)


def now(desk: Journal, request: Request, number: int) -> Response:
    """The result as it is now, with all its versions."""
    with desk.store.read() as connection:
        found = queries.find_versions(connection, number)
    etag = f'"v{found[-1].result.revision}"'
    return json_response(request, serializers.versions(desk, found), headers={"ETag": etag})
