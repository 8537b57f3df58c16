"""Write acts on recorded results: correct, void, restore, accept, reject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from sqlalchemy import or_, select

from prowess.live.errors import Conflict, NotFound, Refused
from prowess.live.journal import outcomes
from prowess.live.journal.outcomes import LISTED, RowStatus
from prowess.live.journal.submission import Submission, check_submission
from prowess.live.journal.unit_of_work import UnitOfWork, check_state
from prowess.live.journal.versions import is_same, number_players
from prowess.live.result import COUNTS, HELD, REJECTED, VOID, LiveResult
from prowess.live.store.tables import placing, result, revision, version


@dataclass(frozen=True)
class Correct:
    """Replace the content of a result; its category, source and external number stay."""

    kind: ClassVar[str] = "correct"
    scope: ClassVar[str] = "correct"

    result: int
    submission: Submission
    reason: str | None = None
    look_alikes: bool = False  # whether a new name that looks like a known one is meant

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        (before,) = unit.current([self.result])
        category = unit.category_of(before)
        given = self.submission
        for field in ("category", "source", "external_id"):
            was = category.key if field == "category" else getattr(before, field)
            if getattr(given, field) not in (None, was):
                raise Conflict(
                    "fixed",
                    f"the {field} of a result stays {was!r}; void it and report another",
                    field=field,
                )
        if given.time is None:
            given = given._replace(time=before.time)
        one = check_submission(given, category, unit.now)
        unit.check_players(one, self.look_alikes)
        after = number_players(one, unit.player, id=before.id, state=before.state)
        if is_same(before, after):
            raise Conflict("nothing_changes", f"result {before.id} says so already")
        describe_act(unit, before, self.reason)
        add_version(unit, before, after, outcomes.CORRECTED)


class Transition(NamedTuple):
    """A transition of results from one state to another."""

    come_from: tuple[str, ...]
    go_to: str
    done: str  # in a sentence
    status: str  # in the receipt


VOIDING = Transition((COUNTS, HELD), VOID, "made void", outcomes.VOID)
RESTORING = Transition((VOID, REJECTED), COUNTS, "restored", outcomes.RESTORED)
ACCEPTING = Transition((HELD,), COUNTS, "accepted", outcomes.ACCEPTED)
REJECTING = Transition((HELD,), REJECTED, "rejected", outcomes.REJECTED)


@dataclass(frozen=True)
class ChangeState:
    """Base of the write acts that change the state of results, given by number."""

    scope: ClassVar[str] = "correct"
    move: ClassVar[Transition]

    results: tuple[int, ...]
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        change_states(unit, unit.current(self.results), self.move, self.reason)


class Void(ChangeState):
    """Make results void: they no longer count."""

    kind: ClassVar[str] = "void"
    move: ClassVar[Transition] = VOIDING


class Restore(ChangeState):
    """Make void or rejected results count again."""

    kind: ClassVar[str] = "restore"
    move: ClassVar[Transition] = RESTORING


class Accept(ChangeState):
    """Accept held results: they count from now on."""

    kind: ClassVar[str] = "accept"
    move: ClassVar[Transition] = ACCEPTING


class Reject(ChangeState):
    """Reject held results: they will not count."""

    kind: ClassVar[str] = "reject"
    move: ClassVar[Transition] = REJECTING


@dataclass(frozen=True)
class VoidWhere:
    """Void the counted results of a player, a source or a span of time (microseconds)."""

    kind: ClassVar[str] = "void"
    scope: ClassVar[str] = "correct"

    category: str | None = None
    player: str | None = None
    source: str | None = None
    since: int | None = None
    until: int | None = None
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        given = (self.player, self.source, self.since, self.until)
        if all(one is None for one in given):
            raise Refused("missing", "give a player, a source or a span of time")
        conditions: list[Any] = [version.c.state == COUNTS]
        if self.category is not None:
            conditions.append(result.c.category_id == unit.registry.category(self.category).id)
        if self.player is not None:
            conditions.append(of_players(unit, unit.registry.people.find(self.player)))
        if self.source is not None:
            conditions.append(result.c.source == self.source)
        if self.since is not None:
            conditions.append(version.c.time >= self.since)
        if self.until is not None:
            conditions.append(version.c.time <= self.until)
        found = unit.select(*conditions)
        if not found:
            raise Conflict("nothing_changes", "no counted result matches")
        change_states(unit, found, VOIDING, self.reason)


@dataclass(frozen=True)
class RestoreWhere:
    """Restore the results that a revision made void and that are still void."""

    kind: ClassVar[str] = "restore"
    scope: ClassVar[str] = "correct"

    revision: int
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        chosen = select(revision.c.kind).where(revision.c.id == self.revision)
        kind = unit.connection.scalar(chosen)
        if kind is None:
            raise NotFound(
                "no_such_revision", f"there is no revision {self.revision}", field="revision"
            )
        if kind != Void.kind:
            raise Conflict(
                "wrong_kind", f"revision {self.revision} made no result void", field="revision"
            )
        found = unit.select(version.c.revision == self.revision, version.c.state == VOID)
        if not found:
            raise Conflict(
                "nothing_changes",
                f"no result that revision {self.revision} made void is still void",
            )
        change_states(unit, found, RESTORING, self.reason)


def of_players(unit: UnitOfWork, player: int) -> Any:
    """The SQL condition that a player took part, under any number merged into that player."""
    numbers = unit.registry.people.group(player)
    contests = select(placing.c.result_id).where(
        placing.c.player_id.in_(numbers),
        placing.c.result_id == version.c.result_id,
        placing.c.revision == version.c.revision,
    )
    return or_(version.c.a.in_(numbers), version.c.b.in_(numbers), contests.exists())


def change_states(
    unit: UnitOfWork, rows: list[LiveResult], how: Transition, reason: str | None
) -> None:
    """Give results another state."""
    if not rows:
        raise Refused("missing", "give the numbers of the results", field="results")
    for before in rows:
        check_state(before, how.come_from, how.done)
    describe_act(unit, rows[0], reason)
    if len(rows) > 1:
        unit.detail = {"results": len(rows)}
        if len({row.category for row in rows}) > 1:
            unit.category = None
    for before in rows:
        add_version(unit, before, before._replace(state=how.go_to), how.status)
    unit.listed = len(rows) <= LISTED


def describe_act(unit: UnitOfWork, one: LiveResult, reason: str | None) -> None:
    """Set the category, reason and detail of the revision."""
    unit.category, unit.reason = unit.category_of(one), reason
    unit.detail = {"result": one.id}


def add_version(unit: UnitOfWork, before: LiveResult, after: LiveResult, status: str) -> None:
    """Add a version of a result and its row of the commit result."""
    unit.touched.update(map(unit.canonical, before.players))
    unit.add_version(unit.category_of(before), after, before.state)
    unit.statuses.append(RowStatus(len(unit.statuses), before.id, status))
