"""Routes of the write acts, made from one table, and the request that commits them.

`WRITES` adds to the acts of `prowess.live.journal.acts` what HTTP needs: method, address, body and
answer. An act's fields come from the path, the query and the body, by name. The scope, and whether
a preview is offered, are the act's own. Every commit keeps an idempotent answer and a line of the
audit log in the same transaction.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from inspect import Parameter, Signature, cleandoc
from typing import Annotated, Any, NamedTuple, cast

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy import Connection, Executable
from starlette.responses import Response

from prowess.live.api.category_view import serialize_player
from prowess.live.api.encoding import parse_time
from prowess.live.api.models import (
    RequestBody,
    SentCategory,
    SentCorrection,
    SentList,
    SentMerger,
    SentMethod,
    SentName,
    SentReason,
    SentRestore,
    SentSeason,
    SentVoid,
)
from prowess.live.api.parameters import (
    CategoryKey,
    KeyHeader,
    LookAlikes,
    Number,
    Player,
    Preview,
    TheJournal,
    require_scope,
)
from prowess.live.api.problems import FieldFault, HttpProblem, find_problem
from prowess.live.api.responses import answer_key, json_response
from prowess.live.api.serializers import (
    CategoryJson,
    OutlookJson,
    ReceiptJson,
    ResultVersionsJson,
    serialize_category,
    serialize_commit,
    serialize_preview,
    serialize_versions,
)
from prowess.live.errors import Stale
from prowess.live.journal.acts import ACTS
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal
from prowess.live.journal.outcomes import CommitResult
from prowess.live.journal.unit_of_work import UnitOfWork, WriteAct
from prowess.live.store import access, queries
from prowess.live.store.access import Actor

OF_RESULT = re.compile(r'"v(\d{1,18})"')
OF_ALL = re.compile(r'"r(\d{1,18})(?:-[^"]*)?"')
ENDS = ("until", "ends")  # a date here is its last moment
TIMES = (*ENDS, "since", "starts")
REASON = Annotated[str | None, Query(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]
NO_REASON = SentReason()


@dataclass(frozen=True)
class _Audited:
    """An act, the condition of its If-Match header, and its line of the audit log."""

    act: WriteAct
    line: Callable[[str], Executable] | None  # about a target; None for a preview
    result: int | None  # must still be at `revision`
    revision: int | None

    @property
    def kind(self) -> str:
        """That of the act."""
        return self.act.kind

    @property
    def scope(self) -> str:
        """That of the act."""
        return self.act.scope

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct; raises Stale where the result was changed since."""
        if self.result is not None:
            (before,) = unit.current([self.result])
            if before.revision != self.revision:
                raise Stale(
                    "stale",
                    f"revision {before.revision} changed result {self.result}; look again",
                )
        self.act.stage(unit)
        if self.line is not None and not unit.empty:
            # Numbers only: a name may be forgotten, the audit log stays.
            player = unit.detail.get("player")
            target = "" if player is None else f"player {player}, "
            unit.statements.append(self.line(f"{target}revision {unit.revision}"))


@dataclass(frozen=True)
class WriteRequest:
    """A request that changes something: who asks, its Idempotency-Key and its body."""

    journal: Journal
    request: Request
    actor: Actor
    key: str | None = None
    body: str = ""
    player: int | None = None  # whom it is about, as known before

    def preview(self, act: WriteAct, result: int | None = None) -> Response:
        """Answer who would move; nothing changes."""
        staged, since = self._conditioned(act, result, audit=False)
        found = self.journal.preview(staged, self.actor, if_revision=since)
        data = serialize_preview(found)
        return json_response(self.request, data, etag=f"r{found.revision}")

    def commit(self, act: WriteAct, result: int | None = None) -> CommitResult:
        """Commit an act and its audit line; raises what the journal raises."""
        staged, since = self._conditioned(act, result)
        answer = answer_key(self.request, self.key, self.body)
        try:
            return self.journal.commit(staged, self.actor, if_revision=since, answer=answer)
        except Exception as error:
            problem = find_problem(error)
            if problem is not None and problem.status < 500:
                route = getattr(self.request.scope.get("route"), "path", "")
                line = self._line(
                    act.kind, f"{self.request.method} {route}", f"refused: {problem.code}"
                )
                self.journal.store.writer.do(lambda connection: connection.execute(line))
            raise

    def run_once(
        self, kind: str, work: Callable[[Connection, int], dict[str, int]]
    ) -> CommitResult:
        """Do work that is no act of the journal, once for an Idempotency-Key, and audit it."""
        from prowess.live.store import idempotency

        answer = answer_key(self.request, self.key, self.body)
        own = self.actor.token
        now = self.journal.clock()

        def job(connection: Connection) -> CommitResult:
            if answer is not None and own is not None:
                earlier = idempotency.find_answer(connection, own, answer.key, answer.request)
                if earlier is not None:
                    return CommitResult.from_data(earlier)
            done = CommitResult(kind, self.journal.revision, now, (), work(connection, now))
            if answer is not None and own is not None:
                data = done.as_data()
                idempotency.keep_answer(connection, own, answer.key, answer.request, data, now=now)
            target = ", ".join(f"{what} {number}" for what, number in done.numbers.items())
            connection.execute(self._line(kind, target, access.DONE))
            return done

        return self.journal.store.writer.do(job)

    def _conditioned(
        self, act: WriteAct, result: int | None, *, audit: bool = True
    ) -> tuple[WriteAct, int | None]:
        """The act with its audit line and the revision that If-Match demands, of it or of all."""
        of_result = of_all = None
        given = self.request.headers.get("if-match", "*").strip()
        if (found := OF_RESULT.fullmatch(given)) and result is not None:
            of_result = int(found[1])
        elif found := OF_ALL.fullmatch(given):
            of_all = int(found[1])
        elif given != "*":
            message = f"If-Match {given} is no tag of this; take the ETag as it came"
            raise HttpProblem(412, "stale", message)
        staged = _Audited(
            act,
            (lambda target: self._line(act.kind, target, access.DONE)) if audit else None,
            None if of_result is None else result,
            of_result,
        )
        return cast(WriteAct, staged), of_all

    def _line(self, action: str, target: str, outcome: str) -> Executable:
        """The statement that adds a line to the audit log; it holds numbers, never a name."""
        state, now = self.request.state, self.journal.clock()
        return access.build_line(
            self.actor, action, target, outcome, state.address, state.id, now=now
        )


# What a committed act answers.


def _answer_result(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The result as it is now, with all its versions."""
    number = act.result if hasattr(act, "result") else act.results[0]
    with write.journal.store.read() as connection:
        found = queries.find_versions(connection, number)
    headers = {"ETag": f'"v{found[-1].result.revision}"'}
    data = serialize_versions(write.journal, found)
    return json_response(write.request, data, headers=headers)


def _answer_receipt(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """What was committed."""
    return json_response(write.request, serialize_commit(done))


def _answer_category(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """The category as it is rated now; with its address where it is new."""
    new = isinstance(act, NewCategory)
    key = act.key if new else act.category
    data = serialize_category(write.journal, write.journal.category(key))
    data |= {"revision": done.revision}
    if not new:
        return json_response(write.request, data)
    headers = {"Location": f"/api/v1/categories/{key}"}
    return json_response(write.request, data, status=201, headers=headers)


def _answer_created(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """What was committed, and the address of the season or the list."""
    c, path = write.request.path_params["c"], write.request.scope["route"].path
    address = f"/api/v1/categories/{c}/{path.rpartition('/')[2]}"
    if path.endswith("lists"):
        address += f"/{act.key}"
    data = serialize_commit(done)
    return json_response(write.request, data, status=201, headers={"Location": address})


def _answer_player(write: WriteRequest, act: Any, done: CommitResult) -> Response:
    """What was committed, with the player's names and categories."""
    data = serialize_commit(done)
    number = write.player
    if number is not None:
        number = write.journal.registry.people.canonical(number)
        data["player"] = serialize_player(write.journal, number)
    return json_response(write.request, data)


ANSWERS: dict[Any, Any] = {
    _answer_result: ResultVersionsJson,
    _answer_receipt: ReceiptJson,
    _answer_category: CategoryJson,
    _answer_created: ReceiptJson,
    _answer_player: ReceiptJson,
}


class WriteRoute(NamedTuple):
    """One act over HTTP; `about` is the description of the operation, its first line included."""

    name: str  # of the operation
    act: str  # in ACTS
    summary: str
    method: str
    path: str
    sent: type[RequestBody]  # the body
    answer: Callable[[WriteRequest, Any, CommitResult], Response]
    about: str
    status: int = 200


RESULT, CATEGORY, PLAYER = "/results/{number}", "/categories/{c}", "/players/{player}"
WRITES = (
    WriteRoute(
        "correct", "correct", "Correct a result",
        "PUT", RESULT, SentCorrection, _answer_result,
        """Say what a result should have said, whole; the old version stays on record.

        What is left out is as if reported without it: no round, no side, weight 1. Only the time
        stays, because a result without one would move to the present moment; category, source and
        external number cannot change.

        With If-Match and the ETag of the result, only if nobody changed it since; with that of a
        preview, only if nothing at all was entered since.
        """,
    ),
    WriteRoute(
        "void", "void", "Make a result void",
        "DELETE", RESULT, SentReason, _answer_result,
        """Make a result void: it no longer counts, stays on record and can be restored.

        The reason stands in the body or in the address, as a client can send it.
        """,
    ),
    WriteRoute(
        "restore", "restore", "Restore a result",
        "POST", f"{RESULT}:restore", SentReason, _answer_result,
        "Let a void or rejected result count again.",
    ),
    WriteRoute(
        "accept", "accept", "Accept a held result",
        "POST", f"{RESULT}:accept", SentReason, _answer_result,
        "Let a held result count.",
    ),
    WriteRoute(
        "reject", "reject", "Reject a held result",
        "POST", f"{RESULT}:reject", SentReason, _answer_result,
        "Turn a held result down.",
    ),
    WriteRoute(
        "void_many", "void_where", "Make many results void",
        "POST", "/results:void", SentVoid, _answer_receipt,
        "Make all results of a player, a source or a span of time void: one revision.",
    ),
    WriteRoute(
        "restore_many", "restore_where", "Restore what one entry made void",
        "POST", "/results:restore", SentRestore, _answer_receipt,
        "Restore everything that one entry made void, and is so still: one revision.",
    ),
    WriteRoute(
        "create", "new_category", "Make a category",
        "POST", "/categories", SentCategory, _answer_category,
        "Make a category with its ladder.", 201,
    ),
    WriteRoute(
        "change", "change_method", "Change how a category is rated",
        "PATCH", CATEGORY, SentMethod, _answer_category,
        "Rate a category by another system or other constants; everything is played anew.",
    ),
    WriteRoute(
        "new_season", "new_season", "Make a season",
        "POST", f"{CATEGORY}/seasons", SentSeason, _answer_created,
        "Make a season.", 201,
    ),
    WriteRoute(
        "publish", "publish", "Publish the leaderboard as a list",
        "POST", f"{CATEGORY}/lists", SentList, _answer_created,
        "Publish the leaderboard as a list that stays as it is.", 201,
    ),
    WriteRoute(
        "rename", "rename", "Rename a player",
        "POST", f"{PLAYER}:rename", SentName, _answer_player,
        "Rename a player; the old name still leads to them.",
    ),
    WriteRoute(
        "alias", "alias", "Give a player a further name",
        "POST", f"{PLAYER}:alias", SentName, _answer_player,
        "Give a player a further name that leads to them.",
    ),
    WriteRoute(
        "merge", "merge", "Merge two players",
        "POST", f"{PLAYER}:merge", SentMerger, _answer_player,
        "Let a player's results be another's; a split undoes it.",
    ),
    WriteRoute(
        "split", "split", "Undo a merger",
        "POST", f"{PLAYER}:split", SentReason, _answer_player,
        "Undo a merger: the player, under a name of their own, has their results again.",
    ),
    WriteRoute(
        "anonymise", "anonymise", "Forget a player's names",
        "POST", f"{PLAYER}:anonymise", SentReason, _answer_player,
        "Forget a player's names for good; their results stay, under a pseudonym.",
    ),
)  # fmt: skip
IN_PATH: dict[str, tuple[Any, str]] = {  # type, and the field of an act it is
    "number": (Number, "result"),
    "c": (CategoryKey, "category"),
    "player": (Player, "player"),
}


def build_act(model: type[Any], sent: RequestBody, given: dict[str, Any]) -> Any:
    """An act from what the address says (`given`) and what the body says, field by field."""
    values: dict[str, Any] = {}
    for field in fields(model):
        name = field.name
        if name == "results":
            values[name] = (given["result"],)
        elif name == "submission":
            values[name] = cast(SentCorrection, sent).submission()
        elif given.get(name) is not None:
            values[name] = given[name]
        else:
            value = getattr(sent, "kind" if name == "plays" else name, None)
            if name in TIMES and value is not None:
                value = parse_time(value, end_of_day=name in ENDS)
            if value is not None or field.default is MISSING:
                values[name] = tuple(value) if isinstance(value, list) else value
    return model(**values)


def add_write_route(router: APIRouter, row: WriteRoute) -> None:
    """Add the route of one act: its parameters follow from the act's fields and from the row."""
    act = ACTS[row.act]
    named = {field.name for field in fields(cast(Any, act.model))}
    in_path = re.findall(r"\{(\w+)\}", row.path)

    def endpoint(**asked: Any) -> Response:
        sent, preview = asked["sent"], asked.get("preview", False)
        journal: Journal = asked["journal"]
        given = {IN_PATH[name][1]: asked[name] for name in in_path}
        if "c" in in_path:
            given["category"] = journal.category(asked["c"]).key
        reason = asked.get("reason")
        if reason is not None and sent.reason not in (None, reason):
            message = "give one reason: the body and the address say two"
            raise HttpProblem(
                422, "two_reasons", message, [FieldFault("two_reasons", message, "reason")]
            )
        given |= {"reason": reason or None, "look_alikes": asked.get("look_alikes")}
        player = getattr(sent, "into", asked.get("player"))
        write = WriteRequest(
            journal,
            asked["request"],
            asked["actor"],
            asked.get("key"),
            sent.model_dump_json(),
            None if player is None else journal.registry.people.number_of(player),
        )
        entry, result = build_act(act.model, sent, given), given.get("result")
        if preview:
            return write.preview(entry, result)
        return row.answer(write, entry, write.commit(entry, result))

    parameters: list[tuple[str, Any, Any]] = [
        (name, IN_PATH[name][0], Parameter.empty) for name in in_path
    ]
    parameters.append(("sent", row.sent, NO_REASON if row.sent is SentReason else Parameter.empty))
    parameters += [("request", Request, Parameter.empty), ("journal", TheJournal, Parameter.empty)]
    actor = Annotated[Actor, Depends(require_scope(act.scope))]
    parameters.append(("actor", actor, Parameter.empty))
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
        name=row.name,
        summary=row.summary,
        description=cleandoc(row.about),
        response_model=ANSWERS[row.answer] | OutlookJson if act.preview else ANSWERS[row.answer],
        status_code=row.status,
        tags=[tag],
    )


router = APIRouter()
for _row in WRITES:
    add_write_route(router, _row)
